//! Reads that wait for nothing answer as those that may wait do, whenever they answer: beside active writers, rolled-back ones, keys that
//! move from row to row, marked entries and purge; in every isolation level and outside of any transaction.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::row::{Datum, RowView, encode_datum};
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// The unique index on `u`.
const U: usize = 2;
const LEVELS: [Isolation; 3] =
    [Isolation::ReadUncommitted, Isolation::ReadCommitted, Isolation::RepeatableRead];

fn unique_key(t: &Table, u: i64) -> Vec<u8> {
    let mut key = Vec::new();
    encode_datum(&t.indexes[U].types()[0], Datum::Int(u), &mut key).expect("an integer fits");
    key
}

/// What a read gave: within `None` nothing, as it would have had to wait.
type Given = Option<Option<Vec<u8>>>;

fn given(found: Option<bool>, row: Vec<u8>) -> Given {
    found.map(|found| found.then_some(row))
}

#[derive(Default)]
struct Seen {
    rows: usize,
    none: usize,
    declined: usize,
}

impl Seen {
    /// `now`: of the read that waits for nothing; `row`: of the other one.
    fn compare(&mut self, now: Given, row: Option<Vec<u8>>, case: &str) {
        match now {
            None => self.declined += 1,
            Some(now) => {
                assert_eq!(now, row, "{case}");
                *(if now.is_some() { &mut self.rows } else { &mut self.none }) += 1;
            }
        }
    }
}

async fn get(txn: &mut Txn, t: &Arc<Table>, index: usize, key: &[u8]) -> Option<Vec<u8>> {
    let mut found = RowBuf::default();
    let there = txn.get(t, index, key, LockMode::None, OnLocked::Wait, &mut found).await.unwrap();
    there.then_some(found.row)
}

async fn agree_in(txn: &mut Txn, t: &Arc<Table>, rng: &mut Rng, seen: &mut Seen, case: &str) {
    for _ in 0..4 {
        let (index, key) = draw(t, rng);
        let mut row = Vec::new();
        let now = txn.read_now(t, index, &key, &mut row);
        let now = given(now, row);
        seen.compare(now, get(txn, t, index, &key).await, case);
    }
}

async fn agree(db: &Db, t: &Arc<Table>, rng: &mut Rng, seen: &mut Seen, case: &str) {
    for level in LEVELS {
        let (index, key) = draw(t, rng);
        let mut row = Vec::new();
        let uncommitted = level == Isolation::ReadUncommitted;
        let now = given(db.read_now(t, index, &key, uncommitted, &mut row), row);
        let mut txn = db.begin(TxnOptions { isolation: level, ..TxnOptions::default() });
        seen.compare(now, get(&mut txn, t, index, &key).await, case);
        txn.commit(Durability::Lazy).await.unwrap();
    }
}

fn draw(t: &Table, rng: &mut Rng) -> (usize, Vec<u8>) {
    match rng.chance(0.5) {
        true => (0, key(rng.below(40) as i64)),
        false => (U, unique_key(t, rng.below(25) as i64)),
    }
}

async fn change(txn: &mut Txn, t: &Arc<Table>, rng: &mut Rng) {
    let id = rng.below(40) as i64;
    let mut found = RowBuf::default();
    let lock = LockMode::Exclusive;
    let there = match txn.get(t, 0, &key(id), lock, OnLocked::NoWait, &mut found).await {
        Ok(there) => there,
        Err(Error::LockNotAvailable) => return,
        Err(e) => panic!("{e}"),
    };
    let save = txn.begin_statement();
    let unique = rng.chance(0.8).then(|| rng.below(25) as i64);
    let row = random_row(rng, unique);
    let done = match (there, rng.below(3)) {
        (false, _) => txn.insert(t, &encode(t, id, &row)).await.map(drop),
        (true, 0) => txn.delete(t, &key(id), &found.row).await,
        // Long rows change to others of their length, whose columns stand elsewhere.
        (true, _) if RowView::new(&t.layout, &found.row).has_external() => return,
        (true, _) => txn.update(t, &key(id), &found.row, &encode(t, id, &row)).await.map(drop),
    };
    match done {
        Ok(()) => {}
        Err(Error::DuplicateKey { .. } | Error::LockWaitTimeout) => {
            txn.rollback_to(save).await.unwrap();
        }
        Err(e) => panic!("{e}"),
    }
}

async fn run(sim: &SimRt, disk: &SimDisk, seed: u64) -> Seen {
    let mut rng = Rng::new(seed);
    let mut seen = Seen::default();
    let db = open(&sim.rt(), disk, options(4 << 20)).await.unwrap();
    db.create_schema(schema()).await.unwrap();
    let t = db.create_table(new_table("t")).await.unwrap();
    let begin = |isolation| {
        let lock_timeout = std::time::Duration::from_millis(5);
        db.begin(TxnOptions { isolation, lock_timeout, ..TxnOptions::default() })
    };
    let (mut writers, mut readers): (Vec<Txn>, Vec<(Isolation, Txn)>) = Default::default();
    for round in 0..500 {
        match rng.below(10) {
            0 if writers.len() < 3 => writers.push(begin(LEVELS[rng.below(3) as usize])),
            1 if readers.len() < 4 => {
                let level = LEVELS[rng.below(3) as usize];
                readers.push((level, begin(level)));
            }
            2 if !writers.is_empty() => {
                let w = writers.swap_remove(rng.below(writers.len() as u64) as usize);
                if rng.chance(0.6) {
                    w.commit(Durability::Lazy).await.unwrap();
                } else {
                    w.rollback().await.unwrap();
                }
            }
            3 if !readers.is_empty() => {
                let (_, r) = readers.swap_remove(rng.below(readers.len() as u64) as usize);
                r.commit(Durability::Lazy).await.unwrap();
            }
            4..=7 if !writers.is_empty() => {
                let i = rng.below(writers.len() as u64) as usize;
                change(&mut writers[i], &t, &mut rng).await;
                writers[i].begin_statement();
                let case = format!("seed {seed}, round {round}, a writer");
                agree_in(&mut writers[i], &t, &mut rng, &mut seen, &case).await;
            }
            _ => sim.rt().sleep(std::time::Duration::from_millis(30)).await,
        }
        agree(&db, &t, &mut rng, &mut seen, &format!("seed {seed}, round {round}")).await;
        for (level, r) in &mut readers {
            r.begin_statement();
            let case = format!("seed {seed}, round {round}, {level:?}");
            agree_in(r, &t, &mut rng, &mut seen, &case).await;
        }
    }
    for w in writers.into_iter().chain(readers.into_iter().map(|r| r.1)) {
        w.rollback().await.unwrap();
    }
    db.shutdown().await.unwrap();
    seen
}

#[test]
fn they_answer_as_reads_that_wait() {
    let mut all = Seen::default();
    for seed in 0..8 {
        let sim = SimRt::new(seed);
        let disk = SimDisk::new(sim.rt(), seed);
        let seen = sim.run(async { run(&sim, &disk, seed).await }).unwrap();
        all.rows += seen.rows;
        all.none += seen.none;
        all.declined += seen.declined;
    }
    let Seen { rows, none, declined } = all;
    assert!(rows > 3000 && none > 1000, "{rows} rows and {none} times none were compared");
    assert!(declined > 20, "some reads would have had to wait: {declined}");
}

/// A definition statement that has the table, or waits for it, is not passed by, and an older handle is not read.
#[test]
fn definition_statements_are_not_passed_by() {
    let sim = SimRt::new(3);
    let disk = SimDisk::new(sim.rt(), 3);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(4 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        let row = Row { k: 1, u: Some(7), body: b"x".to_vec() };
        txn.insert(&t, &encode(&t, 1, &row)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
        let read = |t: &Arc<Table>| db.read_now(t, 0, &key(1), false, &mut Vec::new());
        assert_eq!(read(&t), Some(true));
        let mut held = db.begin(TxnOptions::default());
        held.use_table(&t, false).await.unwrap();
        let dropping = sim.rt().spawn("drop", {
            let (db, t) = (db.clone(), t.clone());
            async move { db.drop_tables(std::slice::from_ref(&t), &ddl()).await }
        });
        sim.rt().sleep(std::time::Duration::from_millis(50)).await;
        assert_eq!(read(&t), None, "the statement that drops it comes first");
        assert_eq!(held.read_now(&t, 0, &key(1), &mut Vec::new()), Some(true));
        held.commit(Durability::Lazy).await.unwrap();
        dropping.await.unwrap();
        assert_eq!(read(&t), None, "the handle is of a table that is gone");
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
