//! A program that lets MySQL's clients in: this one, with clients of its own.

use crate::common::{Client, Login, until};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use weir::{Class, Connection, Database, Error, Server};

/// A directory of a test, removed at its end.
struct Dir(PathBuf);

impl Dir {
    fn new(name: &str) -> Dir {
        let dir = std::env::temp_dir().join(format!("weir-served-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        Dir(dir)
    }

    fn open(&self) -> Database {
        Database::builder().buffer_pool(16 << 20).open(&self.0).unwrap()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn connection(db: &Database) -> Connection {
    let mut conn = db.connect().unwrap();
    conn.execute_batch("CREATE DATABASE IF NOT EXISTS app; USE app").unwrap();
    conn
}

fn client(server: &Server) -> Client {
    let login = Login { database: "app", ..Login::default() };
    Client::tcp(server.address().port(), &login).unwrap()
}

#[test]
fn clients_and_the_program_work_on_the_same_rows() {
    let dir = Dir::new("rows");
    let db = dir.open();
    let mut conn = connection(&db);
    conn.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT)", ()).unwrap();
    let server = db.serve("127.0.0.1:0").unwrap();
    let mut there = client(&server);
    there.run("INSERT INTO t VALUES (1, 10), (2, 20)");
    assert_eq!(conn.query_row("SELECT SUM(n) FROM t", ()).unwrap().get::<i64>(0).unwrap(), 30);
    // A row that the program has locked is waited for.
    let mut tx = conn.transaction().unwrap();
    tx.execute("UPDATE t SET n = 11 WHERE id = 1", ()).unwrap();
    there.run("SET innodb_lock_wait_timeout = 1");
    assert_eq!(there.fail("UPDATE t SET n = n + 1 WHERE id = 1"), 1205);
    tx.commit().unwrap();
    there.run("UPDATE t SET n = n + 1 WHERE id = 1");
    assert_eq!(there.rows("SELECT n FROM t ORDER BY id"), "12;20");
    assert_eq!(server.connected(), 1);
    server.stop().unwrap();
    // The program goes on, and what its clients have done is there behind the next opening, of which nothing is in the way.
    assert_eq!(conn.execute("UPDATE t SET n = 0 WHERE id = 2", ()).unwrap().affected_rows(), 1);
    drop(conn);
    db.close().unwrap();
    let db = dir.open();
    let n: i64 = connection(&db).query_row("SELECT SUM(n) FROM t", ()).unwrap().get(0).unwrap();
    assert_eq!(n, 12);
}

#[test]
fn each_sees_the_others_and_can_kill_them() {
    let db = Database::open_in_memory().unwrap();
    let mut conn = connection(&db);
    let server = db.serve("127.0.0.1:0").unwrap();
    let mut there = client(&server);
    let ids = |list: &str| -> Vec<u64> { list.split(';').map(|n| n.parse().unwrap()).collect() };
    let listed = "SELECT id FROM information_schema.processlist ORDER BY id";
    let all = ids(&there.rows(listed));
    assert_eq!(all.len(), 2, "numbers of one sequence: {all:?}");
    assert!(all.contains(&conn.id()));
    let seen: Vec<(u64,)> = conn.query_as(listed, ()).unwrap();
    assert_eq!(seen.into_iter().map(|id| id.0).collect::<Vec<_>>(), all);
    let other = all.iter().find(|id| **id != conn.id()).unwrap();
    // A statement of the program, ended by a client.
    let kill = format!("KILL QUERY {}", conn.id());
    let sleeps = std::thread::spawn(move || {
        let slept = conn.query_row("SELECT SLEEP(60)", ()).map(|row| row.get::<i64>(0).unwrap());
        (conn, slept)
    });
    until("the program's statement runs", || {
        let q =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'";
        there.rows(q) == "1"
    });
    there.run(&kill);
    let (mut conn, slept) = sleeps.join().unwrap();
    assert!(matches!(slept, Ok(1)) || slept.is_err_and(|e| e.class() == Class::Interrupted));
    // A client, ended by the program.
    conn.execute(format!("KILL {other}").as_str(), ()).unwrap();
    until("the client is gone", || server.connected() == 0);
    assert!(there.query("SELECT 1").is_err());
    // The end of the program is the program's.
    let mut there = client(&server);
    assert_eq!(there.fail("SHUTDOWN"), 1235);
}

#[test]
fn accounts_and_limits_are_a_servers() {
    let db = Database::open_in_memory().unwrap();
    let mut conn = connection(&db);
    let refused = conn.execute("SET GLOBAL max_connections = 1", ()).unwrap_err();
    assert!(refused.to_string().contains("a server's"), "{refused}");
    conn.execute_batch(
        "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT SELECT ON app.* TO app@'127.0.0.1';
         CREATE TABLE app.t (id INT PRIMARY KEY)",
    )
    .unwrap();
    let server = db.serve("127.0.0.1:0").unwrap();
    let port = server.address().port();
    let login = |password| Login { user: "app", password, database: "app", ..Login::default() };
    let wrong = Client::tcp(port, &login("Secret")).map(drop).unwrap_err();
    assert_eq!(wrong.errno, 1045);
    let mut there = Client::tcp(port, &login("secret")).unwrap();
    assert_eq!(there.fail("INSERT INTO t VALUES (1)"), 1142);
    // What a server obeys can be set while one runs.
    conn.execute("SET GLOBAL max_connections = 1", ()).unwrap();
    let mut second = Client::tcp(port, &login("secret")).map(drop).unwrap_err();
    until("a place is taken", || {
        second = Client::tcp(port, &login("secret")).map(drop).unwrap_err();
        second.errno == 1040
    });
    drop(there);
    server.stop().unwrap();
    assert!(conn.execute("SET GLOBAL max_connections = 10", ()).is_err());
}

#[test]
fn one_server_at_a_time_and_as_many_in_turn_as_are_wanted() {
    let dir = Dir::new("turns");
    let db = dir.open();
    let mut conn = connection(&db);
    let mut ports = Vec::new();
    for turn in 0..3 {
        let server = db.serve("127.0.0.1:0").unwrap();
        let twice = db.serve("127.0.0.1:0").map(drop).unwrap_err();
        assert!(matches!(twice, Error::Misuse { .. }), "{twice:?}");
        let mut there = client(&server);
        there.run(&format!("CREATE TABLE t{turn} (id INT)"));
        ports.push(server.address().port());
        drop(server);
        assert!(there.query("SELECT 1").is_err(), "turn {turn}");
        assert!(TcpStream::connect(("127.0.0.1", ports[turn])).is_err(), "turn {turn}");
    }
    let count = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'app'";
    assert_eq!(conn.query_row(count, ()).unwrap().get::<i64>(0).unwrap(), 3);
    // What cannot be listened on leaves nothing behind.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let refused = db.serve(address).map(drop).unwrap_err();
    assert!(matches!(&refused, Error::Open { message } if message.contains("cannot listen")));
    assert!(matches!(db.serve("no such host.:1").map(drop), Err(Error::Open { .. })));
    // Root has no password yet.
    let open = db.serve("0.0.0.0:0").map(drop).unwrap_err();
    assert!(open.to_string().contains("no password"), "{open}");
    conn.execute("ALTER USER root@localhost IDENTIFIED BY 'x'", ()).unwrap();
    db.serve("0.0.0.0:0").unwrap().stop().unwrap();
}

#[test]
fn a_server_keeps_its_database_open_and_gives_it_free_at_its_end() {
    let dir = Dir::new("kept");
    let db = dir.open();
    connection(&db).execute("CREATE TABLE t (id INT PRIMARY KEY)", ()).unwrap();
    let server = db.serve("127.0.0.1:0").unwrap();
    drop(db);
    let mut idle = client(&server);
    let mut works = client(&server);
    works.run("BEGIN");
    works.run("INSERT INTO t VALUES (1)");
    // The client that does nothing has given its thread back by now.
    std::thread::sleep(Duration::from_millis(300));
    let mut sleeps = client(&server);
    sleeps.send_query("SELECT SLEEP(60)");
    until("a statement runs", || {
        let q =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'";
        works.rows(q) == "1"
    });
    let begun = Instant::now();
    server.stop().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(idle.query("SELECT 1").is_err() && works.query("SELECT 1").is_err());
    // At once, and without what was not committed.
    let db = dir.open();
    let rows: i64 =
        connection(&db).query_row("SELECT COUNT(*) FROM t", ()).unwrap().get(0).unwrap();
    assert_eq!(rows, 0);
}

#[test]
fn events_run_while_there_is_a_server() {
    let db = Database::open_in_memory().unwrap();
    let mut conn = connection(&db);
    conn.execute_batch(
        "CREATE TABLE t (at DATETIME(6));
         CREATE EVENT e ON SCHEDULE EVERY 1 SECOND DO INSERT INTO t VALUES (NOW(6))",
    )
    .unwrap();
    let server = db.serve("127.0.0.1:0").unwrap();
    conn.execute("SET GLOBAL event_scheduler = ON", ()).unwrap();
    let mut count = || conn.query_row("SELECT COUNT(*) FROM t", ()).unwrap().get::<i64>(0).unwrap();
    until("the event has run", || count() > 0);
    server.stop().unwrap();
    let then = count();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(count(), then);
}

/// The client that people have, by TLS as by itself. CI installs it; where it is missing nothing is tried.
#[test]
fn the_command_line_client_of_mariadb_works() {
    let dir = Dir::new("mariadb");
    let db = dir.open();
    connection(&db).execute("CREATE USER app@localhost IDENTIFIED BY 'secret'", ()).unwrap();
    let server = db.serve("127.0.0.1:0").unwrap();
    let port = format!("--port={}", server.address().port());
    let ask = |tls: &str| {
        std::process::Command::new("mariadb")
            .args([
                "--no-defaults",
                "--host=127.0.0.1",
                &port,
                "--user=app",
                "--password=secret",
                tls,
                "-N",
            ])
            .args(["-e", "SELECT CURRENT_USER(); SHOW STATUS LIKE 'Ssl_cipher'"])
            .output()
    };
    let Ok(clear) = ask("--skip-ssl") else { return };
    let text = |o: &std::process::Output| String::from_utf8_lossy(&o.stdout).into_owned();
    let told = String::from_utf8_lossy(&clear.stderr).into_owned();
    assert_eq!(text(&clear), "app@localhost\nSsl_cipher\t\n", "{told}");
    let encrypted = ask("--skip-ssl-verify-server-cert").unwrap();
    assert!(text(&encrypted).contains("TLS"), "{encrypted:?}");
}
