//! Guards of transactions and savepoints.

use crate::{app, filled, memory};
use std::sync::Barrier;
use weir::{Class, Error, Isolation, TransactionOptions, params};

fn count(conn: &mut weir::Connection) -> i64 {
    conn.query_row("SELECT COUNT(*) FROM t", ()).unwrap().get(0).unwrap()
}

#[test]
fn what_is_not_committed_is_rolled_back() {
    let (db, mut conn) = memory();
    filled(&mut conn, 10);
    {
        let mut tx = conn.transaction().unwrap();
        tx.execute("DELETE FROM t", ()).unwrap();
        assert!(tx.in_transaction());
    }
    assert!(!conn.in_transaction());
    assert_eq!(count(&mut conn), 10);
    let mut tx = conn.transaction().unwrap();
    tx.execute("DELETE FROM t WHERE id = 1", ()).unwrap();
    let mut part = tx.savepoint().unwrap();
    part.execute("DELETE FROM t WHERE id = 2", ()).unwrap();
    let mut within = part.savepoint().unwrap();
    within.execute("DELETE FROM t WHERE id = 3", ()).unwrap();
    within.rollback().unwrap();
    part.release().unwrap();
    let mut part = tx.savepoint().unwrap();
    part.execute("DELETE FROM t WHERE id = 4", ()).unwrap();
    drop(part);
    assert_eq!(count(&mut app(&db)), 10);
    tx.commit().unwrap();
    assert_eq!(count(&mut app(&db)), 8);
    let mut tx = conn.transaction().unwrap();
    tx.execute("DELETE FROM t", ()).unwrap();
    tx.rollback().unwrap();
    // A panic on the way, and a connection that goes while its transaction is open.
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut tx = conn.transaction().unwrap();
        tx.execute("DELETE FROM t", ()).unwrap();
        panic!("on the way");
    }));
    assert!(caught.is_err());
    conn.execute_batch("BEGIN; DELETE FROM t").unwrap();
    drop(conn);
    assert_eq!(count(&mut app(&db)), 8);
}

#[test]
fn a_guard_whose_transaction_is_gone_lets_nothing_through() {
    let (_db, mut conn) = memory();
    filled(&mut conn, 3);
    let mut tx = conn.transaction().unwrap();
    tx.execute("CREATE TABLE other (i INT)", ()).unwrap();
    assert!(matches!(tx.execute("DELETE FROM t", ()), Err(Error::TransactionEnded)));
    assert!(matches!(tx.commit(), Err(Error::TransactionEnded)));
    let mut tx = conn.transaction().unwrap();
    tx.execute("ROLLBACK", ()).unwrap();
    assert!(tx.query("SELECT 1", ()).is_err());
    tx.rollback().unwrap();
    assert_eq!(count(&mut conn), 3);
    conn.execute("BEGIN", ()).unwrap();
    assert_eq!(conn.transaction().unwrap_err().class(), Class::Usage);
    conn.execute("COMMIT", ()).unwrap();
}

#[test]
fn kinds_of_transactions() {
    let (db, mut conn) = memory();
    filled(&mut conn, 1);
    let mut other = app(&db);
    let mut tx = conn.begin_read_only().unwrap();
    other.execute("UPDATE t SET n = 1", ()).unwrap();
    let n = |tx: &mut weir::Connection| {
        tx.query_row("SELECT n FROM t", ()).unwrap().get::<i64>(0).unwrap()
    };
    assert_eq!(n(&mut tx), 0);
    let refused = tx.execute("UPDATE t SET n = 2", ()).unwrap_err();
    assert_eq!((refused.number(), refused.class()), (1792, Class::Access));
    drop(tx);
    let options = TransactionOptions::default().isolation(Isolation::ReadCommitted);
    let mut tx = conn.transaction_with(options).unwrap();
    assert_eq!(n(&mut tx), 1);
    other.execute("UPDATE t SET n = 2", ()).unwrap();
    assert_eq!(n(&mut tx), 2);
    tx.commit().unwrap();
}

/// Two connections that lock the same two rows in either order, over and over.
#[test]
fn deadlocks_are_retried() {
    let (db, mut conn) = memory();
    filled(&mut conn, 2);
    let start = Barrier::new(2);
    std::thread::scope(|s| {
        for first in [0, 1] {
            let mut conn = app(&db);
            let start = &start;
            s.spawn(move || {
                start.wait();
                for _ in 0..100 {
                    conn.retry(1000, |tx| {
                        for id in [first, 1 - first] {
                            tx.execute("UPDATE t SET n = n + 1 WHERE id = ?", params![id])?;
                        }
                        Ok(())
                    })
                    .unwrap();
                }
            });
        }
    });
    let rows: Vec<(i64,)> = conn.query_as("SELECT n FROM t", ()).unwrap();
    assert_eq!(rows, [(200,), (200,)]);
}
