//! Rows of one statement in runs: the same outcome as one by one, whatever is in their way.
use crate::common::*;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// Runs `work` on a fresh engine with an empty table.
fn with_table(seed: u64, work: impl AsyncFnOnce(&Db)) {
    let sim = SimRt::new(seed);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), seed);
    sim.run(async {
        let db = open(&rt, &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        work(&db).await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

fn small(k: i64, u: Option<i64>) -> Row {
    Row { k, u, body: vec![b'x'; 30] }
}

fn list_of(t: &Table, rows: &[(i64, Row)]) -> RowList {
    let mut list = RowList::default();
    rows.iter().for_each(|(id, r)| list.push(&encode(t, *id, r)));
    list
}

fn impatient() -> TxnOptions {
    TxnOptions { lock_timeout: Duration::from_millis(100), ..TxnOptions::default() }
}

/// The first row that cannot be inserted, by clustered or unique key.
fn conflict(rows: &Rows, list: &[(i64, Row)]) -> Option<usize> {
    let mut now = rows.clone();
    list.iter().position(|(id, r)| {
        let taken = r.u.is_some() && now.values().any(|x| x.u == r.u);
        taken || now.insert(*id, r.clone()).is_some()
    })
}

fn random_list(rng: &mut Rng) -> Vec<(i64, Row)> {
    let ascending = rng.chance(0.7);
    let mut id = rng.below(900) as i64;
    (0..1 + rng.below(60))
        .map(|_| {
            id = if ascending { id + 1 + rng.below(4) as i64 } else { rng.below(1200) as i64 };
            let odd = rng.below(400) as i64;
            let u = match rng.below(30) {
                0 => Some(odd),
                1..=9 => None,
                _ => Some(1000 + id),
            };
            (id, random_row(rng, u))
        })
        .collect()
}

#[test]
fn runs_against_a_map() {
    for seed in 0..30 {
        with_table(seed, async |db| {
            let t = db.table("test", "t").expect("there");
            let mut rng = Rng::new(seed);
            let mut rows = Rows::new();
            let mut buf = RowBuf::default();
            for _ in 0..25 {
                let mut txn = db.begin(TxnOptions::default());
                let mut now = rows.clone();
                for _ in 0..1 + rng.below(4) {
                    let list = random_list(&mut rng);
                    let want = conflict(&now, &list);
                    match txn.insert_many(&t, &list_of(&t, &list)).await {
                        Ok(()) => {
                            assert_eq!(want, None, "a duplicate was missed");
                            now.extend(list);
                        }
                        Err((n, Error::DuplicateKey { .. })) => assert_eq!(Some(n), want),
                        Err((_, e)) => panic!("{e}"),
                    }
                    // Marked rows and entries for the next runs to meet.
                    for id in (0..rng.below(20)).map(|_| rng.below(1200) as i64) {
                        let lock = LockMode::Exclusive;
                        let found =
                            txn.get(&t, 0, &key(id), lock, OnLocked::Wait, &mut buf).await.unwrap();
                        assert_eq!(found, now.remove(&id).is_some());
                        if found {
                            txn.delete(&t, &buf.key, &buf.row).await.unwrap();
                        }
                    }
                    assert_eq!(t.estimated_rows(), now.len() as u64, "seed {seed}");
                }
                if rng.chance(0.3) {
                    txn.rollback().await.unwrap();
                } else {
                    txn.commit(Durability::Flush).await.unwrap();
                    rows = now;
                }
                assert_eq!(t.estimated_rows(), rows.len() as u64, "seed {seed}");
            }
            for i in 0..t.def.indexes.len() {
                let mut txn = db.begin(TxnOptions::default());
                let mut got = scan(&mut txn, &t, spec(i)).await.unwrap();
                got.sort_by_key(|r| r.0);
                assert!(got.into_iter().eq(rows.clone()), "seed {seed}, index {i}");
                txn.commit(Durability::Flush).await.unwrap();
            }
            let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
            assert!(bad.is_empty(), "seed {seed}: {bad:#?}");
        });
    }
}

/// Rows that a failed statement took back do not count, by whichever index it failed.
#[test]
fn failed_inserts_are_not_counted_out() {
    with_table(1, async |db| {
        let t = db.table("test", "t").expect("there");
        let mut txn = db.begin(TxnOptions::default());
        let first: Vec<_> = (0..10).map(|n| (n, small(0, Some(n)))).collect();
        txn.insert_many(&t, &list_of(&t, &first)).await.unwrap();
        let mut more: Vec<_> = (20..60).map(|n| (n, small(0, Some(n)))).collect();
        more.push((60, small(0, Some(5))));
        let (n, e) = txn.insert_many(&t, &list_of(&t, &more)).await.unwrap_err();
        assert!(n == 40 && matches!(e, Error::DuplicateKey { index: 2, .. }), "{e}");
        assert_eq!(t.estimated_rows(), 10);
        let e = txn.insert(&t, &encode(&t, 61, &small(0, Some(5)))).await.unwrap_err();
        assert!(matches!(e, Error::DuplicateKey { index: 2, .. }), "{e}");
        assert_eq!(t.estimated_rows(), 10);
        txn.rollback().await.unwrap();
        assert_eq!(t.estimated_rows(), 0);
    });
}

#[test]
fn a_run_waits_for_the_lock_on_its_gap() {
    with_table(1, async |db| {
        let t = db.table("test", "t").expect("there");
        let mut txn = db.begin(TxnOptions::default());
        let rows: Vec<_> = [0, 100].map(|n| (n, small(0, None))).into();
        txn.insert_many(&t, &list_of(&t, &rows)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
        let mut reader = db.begin(TxnOptions::default());
        let s =
            ScanSpec { start: key(40), end: Some(key(50)), lock: LockMode::Exclusive, ..spec(0) };
        assert!(scan(&mut reader, &t, s).await.unwrap().is_empty());
        let mut writer = db.begin(impatient());
        let rows: Vec<_> = (30..60).map(|n| (n, small(0, None))).collect();
        let (_, e) = writer.insert_many(&t, &list_of(&t, &rows)).await.unwrap_err();
        assert!(matches!(e, Error::LockWaitTimeout), "{e}");
        reader.commit(Durability::Flush).await.unwrap();
        writer.insert_many(&t, &list_of(&t, &rows)).await.unwrap();
        writer.commit(Durability::Flush).await.unwrap();
        assert_eq!(t.estimated_rows(), 32);
    });
}

#[test]
fn every_row_of_a_run_is_locked_until_the_end() {
    with_table(1, async |db| {
        let t = db.table("test", "t").expect("there");
        let mut writer = db.begin(TxnOptions::default());
        let rows: Vec<_> = (0..30).map(|n| (n, small(n, Some(n)))).collect();
        writer.insert_many(&t, &list_of(&t, &rows)).await.unwrap();
        let mut other = db.begin(impatient());
        let mut buf = RowBuf::default();
        for id in [0, 7, 29] {
            let lock = LockMode::Shared;
            let e = other.get(&t, 0, &key(id), lock, OnLocked::Wait, &mut buf).await.unwrap_err();
            assert!(matches!(e, Error::LockWaitTimeout), "{e}");
        }
        let twin = [(100, small(0, Some(7))), (101, small(0, None))];
        let (n, e) = other.insert_many(&t, &list_of(&t, &twin)).await.unwrap_err();
        assert!(n == 0 && matches!(e, Error::LockWaitTimeout), "{e}");
        writer.rollback().await.unwrap();
        other.insert_many(&t, &list_of(&t, &twin)).await.unwrap();
        other.commit(Durability::Flush).await.unwrap();
        assert_eq!(t.estimated_rows(), 2);
    });
}

/// Entries of a run by an index: anyone who has locked a gap there keeps all of it free.
#[test]
fn entries_of_a_run_wait_for_the_lock_on_their_gap() {
    with_table(1, async |db| {
        let t = db.table("test", "t").expect("there");
        let mut txn = db.begin(TxnOptions::default());
        let rows: Vec<_> = [(0, 0), (1, 100)].map(|(n, k)| (n, small(k, None))).into();
        txn.insert_many(&t, &list_of(&t, &rows)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
        let bound = |k: i64| {
            let mut key = Vec::new();
            row::encode_datum(&t.indexes[1].types()[0], row::Datum::Int(k), &mut key).unwrap();
            key
        };
        let mut reader = db.begin(TxnOptions::default());
        let lock = LockMode::Exclusive;
        let s = ScanSpec { start: bound(40), end: Some(bound(50)), lock, ..spec(1) };
        assert!(scan(&mut reader, &t, s).await.unwrap().is_empty());
        let mut writer = db.begin(impatient());
        let rows: Vec<_> = (30..60).map(|n| (n, small(n, None))).collect();
        let (_, e) = writer.insert_many(&t, &list_of(&t, &rows)).await.unwrap_err();
        assert!(matches!(e, Error::LockWaitTimeout), "{e}");
        assert_eq!(t.estimated_rows(), 2, "none of the rows stays");
        reader.commit(Durability::Flush).await.unwrap();
        writer.insert_many(&t, &list_of(&t, &rows)).await.unwrap();
        writer.commit(Durability::Flush).await.unwrap();
        let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
        assert!(bad.is_empty(), "{bad:#?}");
    });
}

/// The entry of a later row is too long for its tree: the error names the row, and the duplicate of an earlier row comes first.
#[test]
fn an_entry_that_is_too_long_is_told_of_its_row() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    sim.run(async {
        let db = open(&rt, &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let mut n = new_table("t");
        n.indexes[3].parts[0].prefix = None;
        db.create_table(n).await.unwrap();
        let t = db.table("test", "t").expect("there");
        let rows = |twin: i64| -> Vec<(i64, Row)> {
            (0..20)
                .map(|n| {
                    let u = if n == 3 { twin } else { n };
                    let len = if n == 7 { 1500 } else { 30 };
                    (n, Row { k: n, u: Some(u), body: vec![b'x'; len] })
                })
                .collect()
        };
        let mut txn = db.begin(TxnOptions::default());
        let (at, e) = txn.insert_many(&t, &list_of(&t, &rows(3))).await.unwrap_err();
        assert!(at == 7 && matches!(e, Error::KeyTooLong { .. }), "{at}: {e}");
        let (at, e) = txn.insert_many(&t, &list_of(&t, &rows(2))).await.unwrap_err();
        assert!(at == 3 && matches!(e, Error::DuplicateKey { index: 2, .. }), "{at}: {e}");
        assert_eq!(t.estimated_rows(), 0);
        txn.rollback().await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
