//! Several processes, crashes, and read-only directories. Forks and full disks are tried from C, by `tests/capi.sh`. The other process is this program, started again with its orders in
//! the environment.

use crate::{Dir, app};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use weir::{Class, Database, Error, params};

const ORDERS: &str = "WEIR_EMBEDDED_ORDERS";

/// This program again: it runs [`another_process`] alone.
fn another(orders: &str, dir: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::another_process", "--nocapture", "--test-threads=1"])
        .env(ORDERS, format!("{orders} {}", dir.display()))
        .stdout(Stdio::piped())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap()
}

fn answer(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let out = BufReader::new(child.stdout.take().unwrap());
    // What the harness writes stands before it on the same line.
    out.lines()
        .map_while(Result::ok)
        .filter_map(|l| l.split_once("| ").map(|(_, said)| said.to_owned()))
}

/// Not a test by itself: without orders it does nothing.
#[test]
fn another_process() {
    let Ok(orders) = std::env::var(ORDERS) else { return };
    let (what, dir) = orders.split_once(' ').unwrap();
    let say = |text: &str| {
        println!("| {text}");
        std::io::stdout().flush().unwrap();
    };
    match what {
        "hold" => {
            let db = Database::open(dir).unwrap();
            say(&std::process::id().to_string());
            let _ = std::io::stdin().read_line(&mut String::new());
            drop(db);
        }
        // Numbers in order, each in a transaction of its own, and each said when it is durable.
        "count" => {
            let db = Database::open(dir).unwrap();
            let mut conn = app(&db);
            conn.execute("CREATE TABLE IF NOT EXISTS n (id BIGINT PRIMARY KEY, twin BIGINT)", ())
                .unwrap();
            let last = conn.query_row("SELECT COALESCE(MAX(id), 0) FROM n", ()).unwrap();
            let last: i64 = last.get(0).unwrap();
            for id in last + 1.. {
                let mut tx = conn.transaction().unwrap();
                tx.execute("INSERT INTO n VALUES (?, NULL)", params![id]).unwrap();
                tx.execute("UPDATE n SET twin = id WHERE id = ?", params![id]).unwrap();
                tx.commit().unwrap();
                say(&id.to_string());
            }
        }
        other => panic!("no such orders: {other}"),
    }
}

#[test]
fn a_directory_in_use_is_refused_with_its_user() {
    let dir = Dir::new("in-use");
    let mut child = another("hold", dir.path());
    let pid = answer(&mut child).next().unwrap();
    let e = Database::open(dir.path()).unwrap_err();
    assert_eq!((e.number(), e.class()), (2002, Class::Unavailable));
    let Error::InUse { path, message } = e else { panic!("{e:?}") };
    assert_eq!(path, dir.path());
    assert!(message.contains(&format!("another process (pid {pid}, ")), "{message}");
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    child.wait().unwrap();
    let db = Database::open(dir.path()).unwrap();
    let e = Database::open(dir.path()).unwrap_err();
    assert!(e.to_string().contains("in use by this process"), "{e}");
    db.close().unwrap();
}

/// kill -9 at any moment: what was said is there, and nothing is there by half.
#[test]
fn a_killed_program_loses_nothing() {
    let dir = Dir::new("killed");
    let mut known = 0i64;
    for round in 0..20 {
        let mut child = another("count", dir.path());
        let said = answer(&mut child).take(1 + round * 3 % 17);
        known = said.last().map_or(known, |l| l.parse().unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        if round % 5 == 4 {
            let db = Database::open(dir.path()).unwrap();
            let row =
                app(&db).query_row("SELECT COUNT(*), MAX(id), SUM(twin = id) FROM n", ()).unwrap();
            let (count, max, twins): (i64, i64, i64) = row.into_typed().unwrap();
            assert!(max >= known && count == max && twins == max, "{count} {max} {twins} {known}");
            db.close().unwrap();
        }
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    let dir = Dir::new("read-only");
    let db = Database::open(dir.path()).unwrap();
    app(&db).execute("CREATE TABLE t (i INT)", ()).unwrap();
    db.close().unwrap();
    let file = dir.path().join("not a directory");
    std::fs::write(&file, "x").unwrap();
    assert!(Database::open(&file).is_err());
    assert!(Database::open(file.join("below")).is_err());
    // Rights mean nothing to root, whose directories are refused by the file system alone.
    if std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) != 0) {
        let rights =
            |mode| std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(mode));
        rights(0o500).unwrap();
        let e = Database::open(dir.path()).unwrap_err();
        rights(0o700).unwrap();
        assert_eq!(e.class(), Class::Unavailable, "{e}");
    }
    let db = Database::open(dir.path()).unwrap();
    assert_eq!(app(&db).query("SELECT * FROM t", ()).unwrap().count(), 0);
}
