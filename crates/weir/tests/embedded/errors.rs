//! Errors with MySQL's numbers, states and classes; interrupts.

use crate::{app, filled, memory};
use std::time::{Duration, Instant};
use weir::{Class, Error, params};

#[test]
fn errors_carry_number_state_and_class() {
    let (_db, mut conn) = memory();
    conn.execute_batch(
        "CREATE TABLE p (id INT PRIMARY KEY); CREATE TABLE c (id INT NOT NULL, p INT, FOREIGN KEY (p) REFERENCES p (id), CHECK (id < 9)); \
         INSERT INTO p VALUES (1)",
    )
    .unwrap();
    for (sql, number, state, class) in [
        ("SELEC 1", 1064, "42000", Class::Syntax),
        ("SELECT * FROM nowhere", 1146, "42S02", Class::NotFound),
        ("SELECT nothing FROM p", 1054, "42S22", Class::NotFound),
        ("USE nowhere", 1049, "42000", Class::NotFound),
        ("CREATE TABLE p (i INT)", 1050, "42S01", Class::Exists),
        ("INSERT INTO p VALUES (1)", 1062, "23000", Class::Constraint),
        ("INSERT INTO c VALUES (NULL, 1)", 1048, "23000", Class::Constraint),
        ("INSERT INTO c VALUES (1, 7)", 1452, "23000", Class::Constraint),
        ("INSERT INTO c VALUES (10, 1)", 3819, "HY000", Class::Constraint),
        ("INSERT INTO p VALUES ('x')", 1366, "HY000", Class::Data),
        ("INSERT INTO p VALUES (99999999999)", 1264, "22003", Class::Data),
        ("INSERT INTO p VALUES (1, 2)", 1136, "21S01", Class::Data),
        ("SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'mine'", 1644, "45000", Class::Other),
    ] {
        let e = conn.execute(sql, ()).unwrap_err();
        assert_eq!((e.number(), e.sqlstate(), e.class()), (number, state, class), "{sql}: {e}");
    }
    let e = conn.execute("SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'mine'", ()).unwrap_err();
    assert_eq!(e.to_string(), "ERROR 1644 (45000): mine");
}

#[test]
fn a_statement_is_interrupted_from_another_thread() {
    let (db, mut conn) = memory();
    filled(&mut conn, 2_000);
    let handle = conn.interrupt_handle();
    // Where nothing runs it hits nothing.
    handle.interrupt();
    assert_eq!(conn.query_row("SELECT 1", ()).unwrap().len(), 1);
    let mut holder = app(&db);
    let mut tx = holder.transaction().unwrap();
    tx.execute("UPDATE t SET n = 1 WHERE id = 5", ()).unwrap();
    for sql in [
        "SELECT COUNT(*) FROM t a, t b, t c WHERE a.n + b.n + c.n > ?",
        "UPDATE t SET n = 2 WHERE id > ?",
        "SELECT SLEEP(100) + ?",
    ] {
        let handle = conn.interrupt_handle();
        let begun = Instant::now();
        std::thread::scope(|s| {
            s.spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                handle.interrupt();
            });
            let e = conn.execute(sql, params![0]);
            // SLEEP() is cut short and is 1.
            let told = e.err().map(|e| (e.number(), e.class()));
            let expected = (!sql.contains("SLEEP")).then_some((1317, Class::Interrupted));
            assert_eq!(told, expected, "{sql}");
        });
        assert!(begun.elapsed() < Duration::from_secs(20), "{sql}");
    }
    tx.rollback().unwrap();
    // In the middle of rows.
    let handle = conn.interrupt_handle();
    let mut rows = conn.query("SELECT a.id FROM t a, t b", ()).unwrap();
    rows.next().unwrap().unwrap();
    handle.interrupt();
    let e = rows.find_map(Result::err).unwrap();
    assert_eq!(e.number(), 1317);
    drop(rows);
    assert_eq!(conn.query_row("SELECT 1", ()).unwrap().len(), 1);
}

#[test]
fn limits_of_time_and_locks_have_their_classes() {
    let (db, mut conn) = memory();
    filled(&mut conn, 100);
    conn.execute("SET max_execution_time = 50", ()).unwrap();
    let e = conn
        .query_row("SELECT COUNT(*) FROM t a, t b, t c, t d WHERE a.n + b.n + c.n + d.n > 1", ())
        .unwrap_err();
    assert_eq!((e.number(), e.class()), (3024, Class::Interrupted));
    let mut holder = app(&db);
    let mut tx = holder.transaction().unwrap();
    tx.execute("UPDATE t SET n = 1 WHERE id = 5", ()).unwrap();
    conn.execute("SET innodb_lock_wait_timeout = 1", ()).unwrap();
    let e = conn.execute("UPDATE t SET n = 2 WHERE id = 5", ()).unwrap_err();
    assert_eq!((e.number(), e.is_retryable()), (1205, true));
    let e = conn.query_row("SELECT * FROM t WHERE id = 5 FOR UPDATE NOWAIT", ()).unwrap_err();
    assert_eq!((e.number(), e.is_retryable()), (3572, true));
}

#[test]
fn connections_are_listed_and_killed() {
    let (db, mut conn) = memory();
    let mut victim = db.connect().unwrap();
    assert_ne!(victim.id(), conn.id());
    let list: Vec<weir::Row> = conn.query_as("SHOW PROCESSLIST", ()).unwrap();
    let ids: Vec<u64> = list.iter().map(|r| r.get("Id").unwrap()).collect();
    assert_eq!(ids, [conn.id(), victim.id()]);
    assert_eq!(list[0].get::<String>("Info").unwrap(), "SHOW PROCESSLIST");
    conn.execute(&format!("KILL {}", victim.id()), ()).unwrap();
    assert!(matches!(victim.execute("SELECT 1", ()), Err(Error::Closed)));
    assert_eq!(victim.query("SELECT 1", ()).unwrap_err().class(), Class::Unavailable);
    assert_eq!(conn.execute("KILL 12345", ()).unwrap_err().number(), 1094);
    drop(victim);
    let list: Vec<weir::Row> = conn.query_as("SHOW PROCESSLIST", ()).unwrap();
    assert_eq!(list.len(), 1);
    let who = conn.query_row("SELECT USER(), CURRENT_USER(), CONNECTION_ID()", ()).unwrap();
    let who: (String, String, u64) = who.into_typed().unwrap();
    assert_eq!(who, ("root@localhost".into(), "root@localhost".into(), conn.id()));
}

/// Whatever the accounts say, the program owns the files.
#[test]
fn a_program_has_all_rights() {
    let (db, mut conn) = memory();
    conn.execute_batch(
        "CREATE USER 'u'@'%' IDENTIFIED BY 'secret'; ALTER USER root@localhost ACCOUNT LOCK; REVOKE ALL ON *.* FROM root@localhost",
    )
    .unwrap();
    let mut late = db.connect().unwrap();
    late.execute("CREATE DATABASE mine", ()).unwrap();
    let hash = late
        .query_row("SELECT authentication_string FROM mysql.user WHERE user = 'u'", ())
        .unwrap();
    assert!(hash.get::<String>(0).unwrap().starts_with("$A$005$"));
}
