//! Covering reads answer as reads of the rows do, whatever others have done to the index meanwhile: entries of active
//! transactions, of those rolled back, marked ones, ones that purge has taken; in every isolation level, in both directions.
use crate::common::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::row::{Datum, RowView, encode_datum};
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// The index on `k`: what it holds of a row is the id and `k`.
const K: usize = 1;

/// Id and `k` of each row in a range of the index.
async fn pairs(txn: &mut Txn, t: &Arc<Table>, s: ScanSpec) -> Vec<(i64, i64)> {
    let mut c = txn.scan(t, s);
    pairs_of(txn, t, &mut c).await
}

async fn pairs_of(txn: &mut Txn, t: &Arc<Table>, c: &mut Cursor) -> Vec<(i64, i64)> {
    let mut out = Vec::new();
    while c.next(txn).await.unwrap() {
        loop {
            // The other columns may be anything.
            let row = RowView::new(&t.layout, c.row());
            out.push((row.get(0).as_i64().unwrap(), row.get(1).as_i64().unwrap()));
            if !c.step() {
                break;
            }
        }
    }
    out
}

/// The same rows by the index alone, by the index and the rows, and by the clustered index.
async fn agree(txn: &mut Txn, t: &Arc<Table>, rng: &mut Rng, case: &str) -> usize {
    let mut s = ScanSpec { reverse: rng.chance(0.5), ..spec(K) };
    s.rows_only = rng.chance(0.5);
    let low = rng.below(12) as i64;
    let bound = |k: i64| {
        let mut key = Vec::new();
        encode_datum(&t.indexes[K].types()[0], Datum::Int(k), &mut key).expect("an integer fits");
        key
    };
    if rng.chance(0.5) {
        s.start = bound(low);
        s.end = rng.chance(0.7).then(|| bound(low + 1 + rng.below(4) as i64));
    }
    let covering = pairs(txn, t, ScanSpec { index_only: Some([0, 1].into()), ..s.clone() }).await;
    let by_rows = pairs(txn, t, s.clone()).await;
    assert_eq!(covering, by_rows, "{case}");
    // A cursor that has read something else of the index, or is in the middle of it.
    let mut own = Rng::new(case.bytes().map(u64::from).sum());
    let mut only = || own.chance(0.5).then(|| Arc::from([0, 1]));
    let (first, then) = (only(), only());
    let mut c = Box::new(txn.scan(t, ScanSpec { index_only: first, ..spec(K) }));
    for _ in 0..own.below(40) {
        c.next(txn).await.unwrap();
    }
    let mut c = txn.scan_again(c, t, ScanSpec { index_only: then, ..s.clone() });
    assert_eq!(pairs_of(txn, t, &mut c).await, by_rows, "{case}");
    let all: BTreeMap<(i64, i64), ()> =
        pairs(txn, t, spec(0)).await.into_iter().map(|(id, k)| ((k, id), ())).collect();
    let inside = |k: i64| bound(k) >= s.start && s.end.as_ref().is_none_or(|e| bound(k) < *e);
    let mut clustered: Vec<_> =
        all.into_keys().filter(|(k, _)| inside(*k)).map(|(k, id)| (id, k)).collect();
    if s.reverse {
        clustered.reverse();
    }
    assert_eq!(covering, clustered, "{case}");
    covering.len()
}

async fn change(txn: &mut Txn, t: &Arc<Table>, rng: &mut Rng) {
    let id = rng.below(60) as i64;
    let (mut found, exclusive) = (RowBuf::default(), LockMode::Exclusive);
    // Another writer's row is left alone: this test is about readers.
    let there = match txn.get(t, 0, &key(id), exclusive, OnLocked::NoWait, &mut found).await {
        Ok(there) => there,
        Err(Error::LockNotAvailable) => return,
        Err(e) => panic!("{e}"),
    };
    let save = txn.begin_statement();
    let row = Row { body: vec![b'x'; 20], ..random_row(rng, None) };
    let done = match (there, rng.below(3)) {
        (false, _) => txn.insert(t, &encode(t, id, &row)).await.map(drop),
        (true, 0) => txn.delete(t, &key(id), &found.row).await,
        (true, _) => txn.update(t, &key(id), &found.row, &encode(t, id, &row)).await.map(drop),
    };
    match done {
        Ok(()) => {}
        Err(Error::LockWaitTimeout) => txn.rollback_to(save).await.unwrap(),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn covering_reads_see_what_reads_of_rows_see() {
    const LEVELS: [Isolation; 4] = [
        Isolation::ReadUncommitted,
        Isolation::ReadCommitted,
        Isolation::RepeatableRead,
        Isolation::Serializable,
    ];
    for seed in 0..6 {
        let sim = SimRt::new(seed);
        let disk = SimDisk::new(sim.rt(), seed);
        sim.run(async {
            let mut rng = Rng::new(seed);
            let db = open(&sim.rt(), &disk, options(4 << 20)).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            let t = db.create_table(new_table("t")).await.unwrap();
            let begin = |isolation| {
                let lock_timeout = std::time::Duration::from_millis(5);
                db.begin(TxnOptions { isolation, lock_timeout, ..TxnOptions::default() })
            };
            let mut writers: Vec<Txn> = Vec::new();
            let mut readers: Vec<(Isolation, Txn)> = Vec::new();
            let mut rows = 0;
            for round in 0..400 {
                match rng.below(10) {
                    0 if writers.len() < 3 => writers.push(begin(Isolation::RepeatableRead)),
                    1 if readers.len() < 4 => {
                        let level = LEVELS[rng.below(4) as usize];
                        readers.push((level, begin(level)));
                    }
                    2 if !writers.is_empty() => {
                        let w = writers.swap_remove(rng.below(writers.len() as u64) as usize);
                        if rng.chance(0.5) {
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
                        let case = format!("seed {seed}, round {round}, a writer");
                        agree(&mut writers[i], &t, &mut rng, &case).await;
                    }
                    _ => sim.rt().sleep(std::time::Duration::from_millis(30)).await,
                }
                for (level, r) in &mut readers {
                    r.begin_statement();
                    let case = format!("seed {seed}, round {round}, {level:?}");
                    rows += agree(r, &t, &mut rng, &case).await;
                }
            }
            assert!(rows > 2000, "{rows} rows were compared");
            for w in writers.into_iter().chain(readers.into_iter().map(|r| r.1)) {
                w.rollback().await.unwrap();
            }
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}
