//! Whose is an index entry? A transaction that has changed a row and not come to the entry yet has no lock on it, and gets
//! none from who looks at it: who has passed the entry with a lock keeps what he saw.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::row::{Datum, KeyPartType, encode_datum};
use weir_engine::*;
use weir_rt::Rt;
use weir_rt::sim::SimRt;

/// Positions of the indexes on `k` and `u`.
const K: usize = 1;
const U: usize = 2;

fn row(k: i64, u: i64) -> Row {
    Row { k, u: Some(u), body: vec![b'x'; 30] }
}

fn begin(db: &Db) -> Txn {
    db.begin(TxnOptions { lock_timeout: Duration::from_millis(50), ..TxnOptions::default() })
}

async fn change(txn: &mut Txn, t: &Arc<Table>, id: i64, new: Option<Row>) {
    let mut found = RowBuf::default();
    let exclusive = LockMode::Exclusive;
    assert!(txn.get(t, 0, &key(id), exclusive, OnLocked::Wait, &mut found).await.unwrap());
    match new {
        Some(r) => txn.update(t, &key(id), &found.row, &encode(t, id, &r)).await.unwrap(),
        None => txn.delete(t, &key(id), &found.row).await.unwrap(),
    }
}

async fn committed(db: &Db, t: &Arc<Table>, id: i64, new: Option<Row>) {
    let mut txn = begin(db);
    change(&mut txn, t, id, new).await;
    txn.commit(Durability::Lazy).await.unwrap();
}

/// A table with row 1, and a snapshot of it, so that purge takes no entry of the row away.
async fn with_row(db: &Db) -> (Arc<Table>, Txn) {
    db.create_schema(schema()).await.unwrap();
    let t = db.create_table(new_table("t")).await.unwrap();
    let mut txn = begin(db);
    txn.insert(&t, &encode(&t, 1, &row(10, 100))).await.unwrap();
    txn.commit(Durability::Lazy).await.unwrap();
    let mut old = begin(db);
    old.open_snapshot();
    (t, old)
}

fn run<F: Future<Output = ()>>(test: impl FnOnce(Rt, Db) -> F) {
    let sim = SimRt::new(5);
    let disk = SimDisk::new(sim.rt(), 5);
    let rt = sim.rt();
    sim.run(async move {
        let db = open(&rt, &disk, options(2 << 20)).await.unwrap();
        test(rt, db).await;
    })
    .unwrap();
}

/// Tries to bring the deleted row back, twice; meanwhile the reader looks once more at what it has passed.
async fn comes_back(rt: &Rt, db: &Db, t: &Arc<Table>, reader: &mut Txn, index: usize, new: Row) {
    let locking = || ScanSpec { lock: LockMode::Shared, ..spec(index) };
    assert_eq!(scan(reader, t, locking()).await.unwrap(), []);
    let (mut writer, table) = (begin(db), t.clone());
    let writing = rt.spawn("writer", async move {
        let bytes = encode(&table, 1, &new);
        let save = writer.begin_statement();
        let first = writer.insert(&table, &bytes).await;
        writer.rollback_to(save).await.unwrap();
        (first, writer.insert(&table, &bytes).await, writer)
    });
    rt.sleep(Duration::from_millis(10)).await;
    assert_eq!(scan(reader, t, locking()).await.unwrap(), []);
    let (first, second, writer) = writing.await;
    assert!(matches!(first, Err(Error::LockWaitTimeout)), "{first:?}");
    assert!(matches!(second, Err(Error::LockWaitTimeout)), "{second:?}");
    writer.rollback().await.unwrap();
    assert_eq!(scan(reader, t, locking()).await.unwrap(), []);
}

#[test]
fn a_marked_entry_that_was_locked_stays_marked() {
    run(|rt, db| async move {
        let (t, old) = with_row(&db).await;
        committed(&db, &t, 1, None).await;
        let mut reader = begin(&db);
        comes_back(&rt, &db, &t, &mut reader, K, row(10, 100)).await;
        reader.rollback().await.unwrap();
        old.rollback().await.unwrap();
    });
}

#[test]
fn a_unique_value_is_not_refused_because_of_a_row_that_is_not_committed() {
    run(|rt, db| async move {
        let (t, old) = with_row(&db).await;
        committed(&db, &t, 1, None).await;
        let mut reader = begin(&db);
        comes_back(&rt, &db, &t, &mut reader, U, row(11, 100)).await;
        reader.insert(&t, &encode(&t, 5, &row(10, 100))).await.unwrap();
        reader.commit(Durability::Lazy).await.unwrap();
        old.rollback().await.unwrap();
    });
}

#[test]
fn another_column_of_a_row_is_no_reason_to_wait_for_its_entry() {
    run(|_, db| async move {
        let (t, old) = with_row(&db).await;
        let mut writer = begin(&db);
        change(&mut writer, &t, 1, Some(row(11, 100))).await;
        let mut other = begin(&db);
        let r = other.insert(&t, &encode(&t, 2, &row(12, 100))).await;
        assert!(matches!(r, Err(Error::DuplicateKey { .. })), "{r:?}");
        // And its lock on the entry holds: the value is not given away under who was told that it is taken.
        let mut found = RowBuf::default();
        let mine =
            writer.get(&t, 0, &key(1), LockMode::Exclusive, OnLocked::Wait, &mut found).await;
        assert!(mine.unwrap());
        let r = writer.delete(&t, &key(1), &found.row).await;
        assert!(matches!(r, Err(Error::LockWaitTimeout)), "{r:?}");
        other.rollback().await.unwrap();
        writer.rollback().await.unwrap();
        old.rollback().await.unwrap();
    });
}

/// A reader that comes to an entry not committed waits for who made it and has nothing that he could want.
#[test]
fn who_has_made_an_entry_can_take_it_away_under_a_waiting_reader() {
    for (isolation, index) in [
        (Isolation::RepeatableRead, K),
        (Isolation::RepeatableRead, U),
        (Isolation::ReadCommitted, K),
    ] {
        for commits in [true, false] {
            run(move |rt, db| async move {
                let (t, old) = with_row(&db).await;
                let begin = || {
                    let lock_timeout = Duration::from_secs(5);
                    db.begin(TxnOptions { isolation, lock_timeout, ..TxnOptions::default() })
                };
                let mut writer = begin();
                writer.insert(&t, &encode(&t, 2, &row(20, 200))).await.unwrap();
                let (mut reader, table) = (begin(), t.clone());
                let reading = rt.spawn("reader", async move {
                    let lock = LockMode::Exclusive;
                    let found = scan(&mut reader, &table, ScanSpec { lock, ..spec(index) }).await;
                    (found, reader)
                });
                rt.sleep(Duration::from_millis(10)).await;
                // Marks the entry; a reader that had locked it would be waited for, and waits for the row.
                change(&mut writer, &t, 2, Some(row(21, 201))).await;
                match commits {
                    true => writer.commit(Durability::Lazy).await.unwrap(),
                    false => writer.rollback().await.unwrap(),
                }
                let (found, reader) = reading.await;
                let mut want = vec![(1, row(10, 100))];
                want.extend(commits.then(|| (2, row(21, 201))));
                assert_eq!(found.unwrap(), want, "index {index}, {isolation:?}");
                reader.rollback().await.unwrap();
                old.rollback().await.unwrap();
            });
        }
    }
}

#[test]
fn a_unique_value_that_was_taken_back_is_locked_with_its_gap() {
    run(|rt, db| async move {
        let (t, old) = with_row(&db).await;
        committed(&db, &t, 1, Some(row(10, 101))).await;
        let mut writer = begin(&db);
        change(&mut writer, &t, 1, Some(row(10, 100))).await;
        let (mut reader, table) = (begin(&db), t.clone());
        let reading = rt.spawn("reader", async move {
            let mut value = Vec::new();
            let part = KeyPartType::asc(INT8, true);
            encode_datum(&part, Datum::Int(100), &mut value).unwrap();
            let mut found = RowBuf::default();
            let there = reader
                .get(&table, U, &value, LockMode::Exclusive, OnLocked::Wait, &mut found)
                .await;
            (there, reader)
        });
        rt.sleep(Duration::from_millis(10)).await;
        writer.rollback().await.unwrap();
        let (there, reader) = reading.await;
        assert!(!there.unwrap());
        // Below and above the entry that is left.
        for id in [0, 2] {
            let mut other = begin(&db);
            let r = other.insert(&t, &encode(&t, id, &row(10, 100))).await;
            assert!(matches!(r, Err(Error::LockWaitTimeout)), "row {id}: {r:?}");
            other.rollback().await.unwrap();
        }
        reader.rollback().await.unwrap();
        old.rollback().await.unwrap();
    });
}
