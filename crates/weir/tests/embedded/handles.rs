//! Handles dropped in any order, threads, misuse.

use crate::{Dir, app, filled, memory};
use std::sync::atomic::{AtomicU64, Ordering};
use weir::{Class, Database, Error, params};

#[test]
fn handles_may_go_in_any_order() {
    let dir = Dir::new("order");
    for order in 0..4 {
        let db = Database::open(dir.path()).unwrap();
        let again = db.clone();
        let mut conn = app(&db);
        conn.execute("CREATE TABLE IF NOT EXISTS t (id INT AUTO_INCREMENT PRIMARY KEY)", ())
            .unwrap();
        conn.execute("INSERT INTO t VALUES ()", ()).unwrap();
        let stmt = conn.prepare("SELECT ?").unwrap();
        match order {
            0 => drop((db, again, stmt, conn)),
            1 => drop((conn, db, stmt, again)),
            2 => {
                let e = db.close().unwrap_err();
                assert_eq!(e.class(), Class::Usage);
                conn.execute("INSERT INTO t VALUES ()", ()).unwrap();
                drop((conn, stmt));
                again.close().unwrap();
            }
            _ => {
                drop((db, again));
                conn.execute_batch("BEGIN; INSERT INTO t VALUES ()").unwrap();
                std::mem::forget(conn.query("SELECT * FROM t", ()).unwrap());
                drop(conn);
                drop(stmt);
            }
        }
    }
    let db = Database::open(dir.path()).unwrap();
    let n = app(&db).query_row("SELECT COUNT(*) FROM t", ()).unwrap();
    assert_eq!(n.get::<i64>(0).unwrap(), 5);
}

#[test]
fn leaked_rows_end_with_the_next_call() {
    let (_db, mut conn) = memory();
    filled(&mut conn, 3_000);
    for _ in 0..3 {
        let mut rows = conn.query("SELECT a.id + ? FROM t a, t b", params![1]).unwrap();
        rows.next().unwrap().unwrap();
        std::mem::forget(rows);
    }
    assert_eq!(conn.query_row("SELECT 1", ()).unwrap().len(), 1);
    let open: String =
        conn.query_row("SHOW STATUS LIKE 'Prepared_stmt_count'", ()).unwrap().get(1).unwrap();
    assert_eq!(open, "0");
}

#[test]
fn a_statement_belongs_to_its_connection() {
    let (db, mut conn) = memory();
    let stmt = conn.prepare("SELECT 1").unwrap();
    let mut other = db.connect().unwrap();
    assert_eq!(other.query_row(&stmt, ()).unwrap_err().class(), Class::Usage);
    assert_eq!(conn.query_row(&stmt, ()).unwrap().len(), 1);
    conn.reset().unwrap();
    assert_eq!(conn.query_row(&stmt, ()).unwrap_err().number(), 1243);
    assert_eq!(conn.database(), "app");
}

#[test]
fn many_threads_write_and_read() {
    let (db, mut conn) = memory();
    filled(&mut conn, 64);
    let sum = AtomicU64::new(0);
    std::thread::scope(|s| {
        for thread in 0..8u64 {
            let (db, sum) = (&db, &sum);
            s.spawn(move || {
                let mut conn = app(db);
                for i in 0..100 {
                    let id = (thread * 7 + i) % 64;
                    conn.execute("UPDATE t SET n = n + 1 WHERE id = ?", params![id]).unwrap();
                    if i % 10 == 0 {
                        let seen = conn.query("SELECT n FROM t", ()).unwrap().count();
                        sum.fetch_add(seen as u64, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), 8 * 10 * 64);
    let n = conn.query_row("SELECT SUM(n) FROM t", ()).unwrap();
    assert_eq!(n.get::<u64>(0).unwrap(), 800);
}

/// A connection may go to another thread with its transaction.
#[test]
fn a_connection_may_be_sent() {
    let (db, mut conn) = memory();
    filled(&mut conn, 1);
    conn.execute_batch("BEGIN; UPDATE t SET n = 5").unwrap();
    std::thread::spawn(move || conn.execute("COMMIT", ()).unwrap()).join().unwrap();
    let n = app(&db).query_row("SELECT n FROM t", ()).unwrap();
    assert_eq!(n.get::<i64>(0).unwrap(), 5);
}

#[test]
fn databases_in_memory_are_apart() {
    let ((_a, mut one), (_b, mut two)) = (memory(), memory());
    one.execute("CREATE TABLE only_here (i INT)", ()).unwrap();
    assert_eq!(two.query("SELECT * FROM only_here", ()).unwrap_err().number(), 1146);
    assert!(one.query("SELECT 1 INTO OUTFILE '/tmp/x'", ()).is_err());
    assert!(matches!(Database::open("/proc/nowhere/x"), Err(Error::Open { .. })));
    assert!(matches!(Database::open("/dev/null"), Err(Error::Open { .. } | Error::Option { .. })));
}
