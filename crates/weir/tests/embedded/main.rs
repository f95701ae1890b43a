//! The library from outside: what a program that has the database inside it may rely on.

mod asynchronous;
mod backups;
mod basics;
mod errors;
mod handles;
mod processes;
mod rows;
mod transactions;

use std::path::{Path, PathBuf};
use weir::{Connection, Database};

/// A directory of a test, removed at its end.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let dir = std::env::temp_dir().join(format!("weir-embedded-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        Dir(dir)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A database in memory with a schema, and a connection that uses it.
fn memory() -> (Database, Connection) {
    let db = Database::builder().buffer_pool(16 << 20).open_in_memory().unwrap();
    let conn = app(&db);
    (db, conn)
}

/// A connection whose default schema is `app`.
fn app(db: &Database) -> Connection {
    let mut conn = db.connect().unwrap();
    conn.execute("CREATE DATABASE IF NOT EXISTS app", ()).unwrap();
    conn.use_database("app").unwrap();
    conn
}

/// A table of so many rows: `id`, and `n`, which is 0.
fn filled(conn: &mut Connection, rows: u32) {
    conn.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, pad CHAR(100))", ()).unwrap();
    let mut add = conn.appender("t", &["id", "n", "pad"]).unwrap();
    for id in 0..rows {
        add.append((id, 0, "x")).unwrap();
    }
    assert_eq!(add.finish().unwrap(), u64::from(rows));
}
