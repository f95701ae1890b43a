//! READ COMMITTED gives back the locks of rows that a statement has looked at and does not want: those that it took itself.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Rt;
use weir_rt::sim::SimRt;

fn run<F: Future<Output = ()>>(test: impl FnOnce(Rt, Db, Arc<Table>) -> F) {
    let sim = SimRt::new(5);
    let disk = SimDisk::new(sim.rt(), 5);
    let rt = sim.rt();
    sim.run(async move {
        let db = open(&rt, &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let mut txn = begin(&db, Isolation::ReadCommitted);
        for id in 1..4 {
            let row = Row { k: 10 * id, u: Some(id), body: vec![b'x'; 30] };
            txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        }
        txn.commit(Durability::Lazy).await.unwrap();
        test(rt, db, t).await;
    })
    .unwrap();
}

fn begin(db: &Db, isolation: Isolation) -> Txn {
    let lock_timeout = Duration::from_millis(500);
    db.begin(TxnOptions { isolation, lock_timeout, ..TxnOptions::default() })
}

/// A statement that locks the row.
async fn locks(txn: &mut Txn, t: &Arc<Table>, id: i64, lock: LockMode) {
    txn.begin_statement();
    let found = txn.get(t, 0, &key(id), lock, OnLocked::Wait, &mut RowBuf::default()).await;
    assert!(found.unwrap());
}

/// A statement that locks all rows, by the index, and wants none.
async fn passes_over(txn: &mut Txn, t: &Arc<Table>, index: usize) {
    txn.begin_statement();
    let mut c = txn.scan(t, ScanSpec { lock: LockMode::Exclusive, ..spec(index) });
    while c.next(txn).await.unwrap() {
        let key = c.key().to_vec();
        txn.unlock_row(t, &key);
    }
}

/// Which of the rows nobody else has locked.
async fn free(db: &Db, t: &Arc<Table>, lock: LockMode) -> Vec<i64> {
    let mut txn = begin(db, Isolation::ReadCommitted);
    let mut free = Vec::new();
    for id in 1..4 {
        match txn.get(t, 0, &key(id), lock, OnLocked::NoWait, &mut RowBuf::default()).await {
            Ok(found) => {
                assert!(found);
                free.push(id);
            }
            Err(e) => assert!(matches!(e, Error::LockNotAvailable), "{e:?}"),
        }
    }
    txn.rollback().await.unwrap();
    free
}

#[test]
fn rows_that_are_not_wanted_are_free_again() {
    run(|_, db, t| async move {
        for index in [0, 2] {
            let mut txn = begin(&db, Isolation::ReadCommitted);
            passes_over(&mut txn, &t, index).await;
            assert_eq!(free(&db, &t, LockMode::Exclusive).await, [1, 2, 3]);
            txn.rollback().await.unwrap();
        }
    });
}

#[test]
fn repeatable_read_keeps_them() {
    run(|_, db, t| async move {
        let mut txn = begin(&db, Isolation::RepeatableRead);
        passes_over(&mut txn, &t, 0).await;
        assert_eq!(free(&db, &t, LockMode::Shared).await, []);
        txn.rollback().await.unwrap();
    });
}

#[test]
fn a_lock_of_an_earlier_statement_stays() {
    run(|_, db, t| async move {
        let mut txn = begin(&db, Isolation::ReadCommitted);
        locks(&mut txn, &t, 2, LockMode::Exclusive).await;
        passes_over(&mut txn, &t, 0).await;
        assert_eq!(free(&db, &t, LockMode::Shared).await, [1, 3]);
        // Twice in a statement, as in a join of the table with itself: the first row is wanted.
        txn.begin_statement();
        for _ in 0..2 {
            let mut row = RowBuf::default();
            let got = txn.get(&t, 0, &key(3), LockMode::Exclusive, OnLocked::Wait, &mut row).await;
            assert!(got.unwrap());
        }
        txn.unlock_row(&t, &key(3));
        assert_eq!(free(&db, &t, LockMode::Shared).await, [1]);
        txn.rollback().await.unwrap();
        assert_eq!(free(&db, &t, LockMode::Exclusive).await, [1, 2, 3]);
    });
}

/// A shared lock that was made an exclusive one for a moment.
#[test]
fn a_weaker_lock_of_an_earlier_statement_stays() {
    run(|_, db, t| async move {
        let mut txn = begin(&db, Isolation::ReadCommitted);
        locks(&mut txn, &t, 2, LockMode::Shared).await;
        passes_over(&mut txn, &t, 0).await;
        assert_eq!(free(&db, &t, LockMode::Exclusive).await, [1, 3]);
        assert_eq!(free(&db, &t, LockMode::Shared).await, [1, 2, 3]);
        txn.rollback().await.unwrap();
        assert_eq!(free(&db, &t, LockMode::Exclusive).await, [1, 2, 3]);
    });
}

/// A lock that had to be waited for is as new as any.
#[test]
fn a_lock_that_was_waited_for_is_given_back() {
    run(|rt, db, t| async move {
        let mut holder = begin(&db, Isolation::ReadCommitted);
        locks(&mut holder, &t, 2, LockMode::Exclusive).await;
        let (d, table) = (db.clone(), t.clone());
        let waiter = rt.spawn("waiter", async move {
            let mut txn = begin(&d, Isolation::ReadCommitted);
            passes_over(&mut txn, &table, 0).await;
            txn
        });
        rt.sleep(Duration::from_millis(10)).await;
        holder.rollback().await.unwrap();
        let txn = waiter.await;
        assert_eq!(free(&db, &t, LockMode::Exclusive).await, [1, 2, 3]);
        txn.rollback().await.unwrap();
    });
}
