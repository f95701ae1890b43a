//! Copies of a database that is in use.

use crate::{Dir, app, filled};
use std::sync::atomic::{AtomicBool, Ordering};
use weir::{Class, Database, Error, params};

#[test]
fn a_copy_has_what_was_committed_and_nothing_half_done() {
    let (dir, to) = (Dir::new("backup-of"), Dir::new("backup-to"));
    let db = Database::builder().buffer_pool(16 << 20).open(dir.path()).unwrap();
    let mut conn = app(&db);
    filled(&mut conn, 20_000);
    let before: i64 = conn.query_row("SELECT COUNT(*) FROM t", ()).unwrap().get(0).unwrap();
    let stop = AtomicBool::new(false);
    let mut told = Vec::new();
    std::thread::scope(|s| {
        // Two rows in each transaction: the copy has both or neither.
        s.spawn(|| {
            let mut conn = app(&db);
            conn.execute("CREATE TABLE pairs (id INT PRIMARY KEY, twin INT)", ()).unwrap();
            for id in 0.. {
                let mut tx = conn.transaction().unwrap();
                tx.execute("INSERT INTO pairs VALUES (?, 1)", params![2 * id]).unwrap();
                tx.execute("INSERT INTO pairs VALUES (?, 2)", params![2 * id + 1]).unwrap();
                tx.commit().unwrap();
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let done = db.backup_with(to.path(), |p| {
            told.push(p);
            true
        });
        stop.store(true, Ordering::Relaxed);
        done.unwrap();
    });
    let last = told.last().unwrap();
    assert!(last.read >= last.expected && told.is_sorted_by_key(|p| p.read), "{last:?}");
    // The original goes on meanwhile, and both can be open: they are two databases.
    let copy = Database::open(to.path()).unwrap();
    let mut there = app(&copy);
    let rows: i64 = there.query_row("SELECT COUNT(*) FROM t", ()).unwrap().get(0).unwrap();
    assert_eq!(rows, before);
    if there
        .query_row("SELECT 1 FROM information_schema.tables WHERE table_name = 'pairs'", ())
        .is_ok()
    {
        let odd = "SELECT COUNT(*) % 2 FROM pairs";
        assert_eq!(there.query_row(odd, ()).unwrap().get::<i64>(0).unwrap(), 0);
    }
    there.execute("DELETE FROM t", ()).unwrap();
    assert_eq!(
        conn.query_row("SELECT COUNT(*) FROM t", ()).unwrap().get::<i64>(0).unwrap(),
        before
    );
}

#[test]
fn a_copy_that_ends_early_leaves_nothing() {
    let (db, mut conn) = crate::memory();
    filled(&mut conn, 5000);
    let to = Dir::new("backup-stopped");
    let stopped = db.backup_with(to.path(), |_| false).unwrap_err();
    assert_eq!((stopped.class(), stopped.number()), (Class::Interrupted, 1317));
    assert!(!to.path().exists());
    // A directory that was there stays, and is empty again.
    std::fs::create_dir(to.path()).unwrap();
    db.backup_with(to.path(), |_| false).unwrap_err();
    assert_eq!(to.path().read_dir().unwrap().count(), 0);
    db.backup(to.path()).unwrap();
    let twice = db.backup(to.path()).unwrap_err();
    assert!(matches!(twice, Error::Misuse { .. }), "{twice:?}");
    assert_eq!(
        app(&Database::open(to.path()).unwrap()).query("SELECT id FROM t", ()).unwrap().count(),
        5000
    );
    let file = to.path().join("weir.ctl");
    assert!(db.backup(file).is_err(), "a file is no directory");
}
