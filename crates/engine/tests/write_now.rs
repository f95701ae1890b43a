//! Writes that wait for nothing do what those that may wait do: rows, entries, snapshots of others and what a crash leaves are those of a
//! model, whichever way each row was written.
use crate::common::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::row::{self, Collation, PhysType};
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng};

/// The table of `common` with bodies that never leave their page.
fn short_table() -> NewTable {
    let mut t = new_table("t");
    let body = PhysType::Var { collation: Collation::Binary, max_bytes: 200 };
    t.columns[3].phys = row::PhysCol::new(body, false);
    t
}

fn short_row(rng: &mut Rng) -> Row {
    let body = (0..rng.below(190)).map(|_| b'a' + rng.below(3) as u8).collect();
    let u = rng.chance(0.7).then(|| rng.below(40) as i64);
    Row { k: rng.below(9) as i64, u, body }
}

#[derive(Default)]
struct Counts {
    short: usize,
    usual: usize,
    refused: usize,
}

enum Write {
    Insert(Row),
    Update(Row),
    Delete,
}

fn make(t: &Table, id: i64, row: &Row, old: &[u8], new: &mut Vec<u8>) -> Made {
    assert_eq!(decode(t, old).0, id);
    new.extend_from_slice(&encode(t, id, row));
    if old == &new[..] { Made::Same } else { Made::New }
}

/// By what a row is found: the clustered key, or at times its other unique one.
fn sought(rng: &mut Rng, rows: &Rows, id: i64) -> (usize, Vec<u8>) {
    match rows.get(&id).and_then(|row| row.u) {
        Some(u) if rng.chance(0.4) => {
            let (part, mut key) = (row::KeyPartType::asc(INT8, true), Vec::new());
            row::encode_datum(&part, row::Datum::Int(u), &mut key).unwrap();
            (2, key)
        }
        _ => (0, key(id)),
    }
}

/// Writes in the short way within a transaction; `None`: it declined.
fn now(
    txn: &mut Txn,
    t: &Arc<Table>,
    id: i64,
    (index, key): (usize, &[u8]),
    write: &Write,
) -> Option<bool> {
    match write {
        Write::Insert(row) => txn.insert_now(t, &encode(t, id, row)).map(|()| true),
        Write::Delete => txn.change_now(t, index, key, RowChange::Delete),
        Write::Update(row) => {
            let mut make = |old: &[u8], new: &mut Vec<u8>| make(t, id, row, old, new);
            txn.change_now(t, index, key, RowChange::Update(&mut make))
        }
    }
}

/// The same as a transaction of its own.
fn one(
    db: &Db,
    t: &Arc<Table>,
    id: i64,
    by: (usize, &[u8]),
    write: &Write,
    d: Durability,
) -> Option<Alone> {
    let done = match write {
        Write::Insert(row) => db.insert_alone(t, &encode(t, id, row), (1, d)),
        Write::Delete => db.change_alone(t, by, RowChange::Delete, (1, d)),
        Write::Update(row) => {
            let mut make = |old: &[u8], new: &mut Vec<u8>| make(t, id, row, old, new);
            db.change_alone(t, by, RowChange::Update(&mut make), (1, d))
        }
    };
    done.map(|done| done.unwrap())
}

/// Writes in the usual way; false: there is no such row, or one in the way.
async fn usual(txn: &mut Txn, t: &Arc<Table>, id: i64, write: &Write) -> bool {
    let mut found = RowBuf::default();
    let done = match write {
        Write::Insert(row) => txn.insert(t, &encode(t, id, row)).await,
        other => {
            let lock = LockMode::Exclusive;
            match txn.get(t, 0, &key(id), lock, OnLocked::NoWait, &mut found).await {
                Ok(true) => {}
                Ok(false) | Err(Error::LockNotAvailable) => return false,
                Err(e) => panic!("{e}"),
            }
            match other {
                Write::Update(row) => {
                    txn.update(t, &key(id), &found.row, &encode(t, id, row)).await
                }
                _ => txn.delete(t, &key(id), &found.row).await,
            }
        }
    };
    match done {
        Ok(()) => true,
        Err(Error::DuplicateKey { .. } | Error::LockWaitTimeout) => false,
        Err(e) => panic!("{e}"),
    }
}

fn note(rows: &mut Rows, id: i64, write: Write) {
    match write {
        Write::Insert(row) | Write::Update(row) => rows.insert(id, row),
        Write::Delete => rows.remove(&id),
    };
}

fn draw(rng: &mut Rng) -> (i64, Write) {
    let write = match rng.below(3) {
        0 => Write::Insert(short_row(rng)),
        1 => Write::Update(short_row(rng)),
        _ => Write::Delete,
    };
    (rng.below(120) as i64, write)
}

fn begin(db: &Db, isolation: Isolation) -> Txn {
    let lock_timeout = std::time::Duration::from_millis(5);
    db.begin(TxnOptions { isolation, lock_timeout, ..TxnOptions::default() })
}

/// One row in a transaction of its own.
async fn alone(db: &Db, t: &Arc<Table>, rng: &mut Rng, rows: &mut Rows, c: &mut Counts) {
    let (id, write) = draw(rng);
    let by = sought(rng, rows, id);
    if let Some(done) = one(db, t, id, (by.0, &by.1), &write, Durability::Flush) {
        assert_eq!(done.owed.is_some(), done.changed);
        if let Some(owed) = done.owed {
            db.settle_commit(owed).await.unwrap();
        }
        c.short += 1;
        return note(rows, id, write);
    }
    let mut txn = begin(db, Isolation::RepeatableRead);
    let save = txn.begin_statement();
    if usual(&mut txn, t, id, &write).await {
        c.usual += 1;
        txn.commit(Durability::Flush).await.unwrap();
        return note(rows, id, write);
    }
    c.refused += 1;
    txn.rollback_to(save).await.unwrap();
    txn.commit(Durability::Flush).await.unwrap();
}

/// Some rows in one transaction, with a savepoint, in both ways; `ends`: it commits.
async fn several(db: &Db, t: &Arc<Table>, rng: &mut Rng, rows: &mut Rows, c: &mut Counts) {
    let levels = [Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Serializable];
    let mut txn = begin(db, levels[rng.below(3) as usize]);
    let mut mine = rows.clone();
    let mut saved = (txn.savepoint(), mine.clone());
    for _ in 0..1 + rng.below(6) {
        let (id, write) = draw(rng);
        let save = txn.begin_statement();
        let by = sought(rng, &mine, id);
        if rng.chance(0.8) && now(&mut txn, t, id, (by.0, &by.1), &write).is_some() {
            c.short += 1;
            note(&mut mine, id, write);
        } else if usual(&mut txn, t, id, &write).await {
            c.usual += 1;
            note(&mut mine, id, write);
        } else {
            txn.rollback_to(save).await.unwrap();
        }
        match rng.below(8) {
            0 => saved = (txn.savepoint(), mine.clone()),
            1 => {
                txn.rollback_to(saved.0).await.unwrap();
                mine = saved.1.clone();
            }
            _ => {}
        }
    }
    let seen = scan(&mut txn, t, spec(0)).await.unwrap();
    if txn.isolation() != Isolation::Serializable {
        assert_eq!(seen.into_iter().collect::<BTreeMap<_, _>>(), mine);
    }
    if rng.chance(0.6) {
        txn.commit(Durability::Flush).await.unwrap();
        *rows = mine;
    } else {
        txn.rollback().await.unwrap();
    }
}

/// All indexes have the rows of the model, and the table is whole.
async fn same(db: &Db, t: &Arc<Table>, rows: &Rows, case: &str) {
    let mut txn = begin(db, Isolation::RepeatableRead);
    for index in 0..t.indexes.len() {
        let seen = scan(&mut txn, t, spec(index)).await.unwrap();
        assert_eq!(seen.len(), rows.len(), "{case}, index {index}");
        assert_eq!(seen.into_iter().collect::<BTreeMap<_, _>>(), *rows, "{case}, index {index}");
    }
    txn.commit(Durability::Lazy).await.unwrap();
    let found = db.check_table(t, &Interrupt::new()).await.unwrap();
    assert!(found.is_empty(), "{case}: {found:?}");
}

#[test]
fn both_ways_write_the_same_over_crashes() {
    let mut all = Counts::default();
    for seed in 0..6 {
        let mut rows = Rows::new();
        let mut disk: Option<SimDisk> = None;
        let mut rng = Rng::new(seed);
        for life in 0..4 {
            let sim = SimRt::new(seed * 10 + life);
            let here = match disk.take() {
                None => SimDisk::new(sim.rt(), seed),
                Some(d) => d.crash(sim.rt(), seed),
            };
            let case = format!("seed {seed}, life {life}");
            sim.run(async {
                let db = open(&sim.rt(), &here, options(4 << 20)).await.unwrap();
                let t = if life == 0 {
                    db.create_schema(schema()).await.unwrap();
                    db.create_table(short_table()).await.unwrap()
                } else {
                    db.table("test", "t").unwrap()
                };
                same(&db, &t, &rows, &case).await;
                let mut old = None;
                for round in 0..120 {
                    match rng.below(20) {
                        0..=12 => alone(&db, &t, &mut rng, &mut rows, &mut all).await,
                        13..=16 => several(&db, &t, &mut rng, &mut rows, &mut all).await,
                        17 if old.is_none() => {
                            let mut reader = begin(&db, Isolation::RepeatableRead);
                            reader.open_snapshot();
                            old = Some((reader, rows.clone()));
                        }
                        18 => {
                            // What others have committed since does not reach an old snapshot.
                            if let Some((mut reader, rows)) = old.take() {
                                let seen = scan(&mut reader, &t, spec(1)).await.unwrap();
                                let seen: Rows = seen.into_iter().collect();
                                assert_eq!(seen, rows, "{case}, round {round}");
                                reader.commit(Durability::Lazy).await.unwrap();
                            }
                        }
                        _ => sim.rt().sleep(std::time::Duration::from_millis(40)).await,
                    }
                }
                drop(old);
                same(&db, &t, &rows, &case).await;
                // A transaction that the crash cuts off.
                let mut open = begin(&db, Isolation::RepeatableRead);
                for id in 200..204 {
                    let row = Row { k: 1, u: None, body: b"lost".to_vec() };
                    assert!(
                        now(&mut open, &t, id, (0, &key(id)), &Write::Insert(row)).is_some()
                            || id > 200
                    );
                }
                std::mem::forget(open);
                std::mem::forget(db);
            })
            .unwrap();
            sim.kill_all();
            disk = Some(here);
        }
    }
    let Counts { short, usual, refused } = all;
    assert!(short > 700 && usual > 100 && refused > 300, "{short} {usual} {refused}");
}

/// History without work for purge goes as other history does, and old versions stay as long as somebody sees them.
#[test]
fn history_is_purged() {
    let sim = SimRt::new(5);
    let disk = SimDisk::new(sim.rt(), 5);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(4 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(short_table()).await.unwrap();
        let row = |k: i64, body: &str| Row { k, u: Some(1), body: body.as_bytes().to_vec() };
        // The first writer has to wait for its id and its undo log.
        let mut txn = begin(&db, Isolation::RepeatableRead);
        assert!(now(&mut txn, &t, 1, (0, &key(1)), &Write::Insert(row(1, "a"))).is_none());
        assert!(usual(&mut txn, &t, 1, &Write::Insert(row(1, "a"))).await);
        txn.commit(Durability::Lazy).await.unwrap();
        let mut reader = begin(&db, Isolation::RepeatableRead);
        reader.open_snapshot();
        let mut short = 0;
        for n in 0..300 {
            let write = Write::Update(row(1 + n % 2, &format!("body {n}")));
            if one(&db, &t, 1, (0, &key(1)), &write, Durability::Lazy).is_some() {
                // The same once more is no change.
                assert!(!one(&db, &t, 1, (0, &key(1)), &write, Durability::Lazy).unwrap().changed);
                short += 1;
                continue;
            }
            // A page of undo was full.
            let mut txn = begin(&db, Isolation::RepeatableRead);
            assert!(usual(&mut txn, &t, 1, &write).await);
            txn.commit(Durability::Lazy).await.unwrap();
        }
        assert!(short > 200, "{short}");
        sim.rt().sleep(std::time::Duration::from_secs(2)).await;
        assert_eq!(scan(&mut reader, &t, spec(1)).await.unwrap(), [(1, row(1, "a"))]);
        reader.commit(Durability::Lazy).await.unwrap();
        sim.rt().sleep(std::time::Duration::from_secs(2)).await;
        let mut txn = begin(&db, Isolation::RepeatableRead);
        assert_eq!(scan(&mut txn, &t, spec(1)).await.unwrap(), [(1, row(2, "body 299"))]);
        txn.commit(Durability::Lazy).await.unwrap();
        assert_eq!(db.inner().purge.history_length(), 0);
        let found = db.check_table(&t, &Interrupt::new()).await.unwrap();
        assert!(found.is_empty(), "{found:?}");
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
