//! Backups as an administrator makes them: of a server under load, by the command and by SQL, full, incremental, compressed, encrypted; restored,
//! started and compared with a ledger. Damage of each kind is reported before a byte is restored.

use crate::common::{Client, Login, Server, until};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

fn weir(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_weir")).args(args).output().unwrap()
}

fn text(o: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&o.stdout), String::from_utf8_lossy(&o.stderr))
}

#[track_caller]
fn done(args: &[&str]) -> String {
    let o = weir(args);
    assert!(o.status.success(), "{args:?}: {}", text(&o));
    text(&o)
}

/// The text of a command that fails with this code.
#[track_caller]
fn fails(code: i32, args: &[&str]) -> String {
    let o = weir(args);
    assert_eq!(o.status.code(), Some(code), "{args:?}: {}", text(&o));
    text(&o)
}

fn target(s: &Server) -> String {
    format!("--target=mysql://root@127.0.0.1:{}", s.port)
}

struct Place(PathBuf);

impl Place {
    fn new(s: &Server) -> Place {
        Place(s.root().to_path_buf())
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn opt(&self, option: &str, name: &str) -> String {
        format!("--{option}={}", self.path(name))
    }
}

/// Writers that insert ascending numbers, each a transaction, and move amounts between two tables.
struct Load {
    stop: Arc<AtomicBool>,
    paused: Arc<AtomicBool>,
    /// Writers that have come to rest.
    resting: Arc<AtomicU64>,
    acknowledged: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

const WRITERS: u64 = 3;

fn load(s: &Server) -> Load {
    load_from(s, 0)
}

/// Goes on behind the numbers that are there; `first` is the first writer's next one.
fn load_from(s: &Server, first: u64) -> Load {
    let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(first)));
    let (paused, resting) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut next = vec![0; WRITERS as usize];
    if first > 0 {
        let rows = s.root_client().run("select w, max(n) + 1 from d.l group by w").rows;
        for row in rows {
            let number = |i: usize| row[i].as_ref().unwrap().parse::<u64>().unwrap();
            next[number(0) as usize] = number(1);
        }
    }
    let threads = (0..WRITERS).map(|w| {
        let (stop, acknowledged, port) = (stop.clone(), acknowledged.clone(), s.port);
        let (paused, resting, first) = (paused.clone(), resting.clone(), next[w as usize]);
        thread::spawn(move || {
            let login = Login { database: "d", ..Login::default() };
            let mut c = Client::tcp(port, &login).unwrap();
            for n in first.. {
                if paused.load(Ordering::SeqCst) {
                    resting.fetch_add(1, Ordering::SeqCst);
                    while paused.load(Ordering::SeqCst) {
                        thread::sleep(Duration::from_millis(1));
                    }
                    resting.fetch_sub(1, Ordering::SeqCst);
                }
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let (a, b) = (n % 50, (n * 7 + w) % 50);
                for sql in [
                    "begin".to_string(),
                    format!("update a set n = n - 1 where id = {a}"),
                    format!(
                        "update b set n = n + 1, pad = repeat('{}', 60) where id = {b}",
                        n % 10
                    ),
                    format!("insert into l values ({w}, {n}, repeat('x', {}))", n * 37 % 400),
                    "commit".to_string(),
                ] {
                    if c.try_query(&sql).is_err() {
                        return;
                    }
                }
                if w == 0 {
                    acknowledged.store(n + 1, Ordering::SeqCst);
                }
            }
        })
    });
    Load { threads: threads.collect(), stop, paused, resting, acknowledged }
}

impl Load {
    fn count(&self) -> u64 {
        self.acknowledged.load(Ordering::SeqCst)
    }

    /// Returns when no transaction is under way.
    fn pause(&self) {
        self.paused.store(true, Ordering::SeqCst);
        until("the writers rest", || self.resting.load(Ordering::SeqCst) == WRITERS);
    }

    fn resume(&self) {
        self.paused.store(false, Ordering::SeqCst);
        until("the writers go on", || self.resting.load(Ordering::SeqCst) == 0);
    }

    /// Waits for so many more transactions of the first writer.
    fn go_on(&self, more: u64) -> u64 {
        let until_count = self.count() + more;
        until("the load has gone on", || self.count() >= until_count);
        self.count()
    }

    fn end(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().for_each(|t| t.join().unwrap());
        self.acknowledged.load(Ordering::SeqCst)
    }
}

fn prepare(c: &mut Client) {
    c.run("create database d");
    for name in ["a", "b"] {
        c.run(&format!(
            "create table d.{name} (id int primary key, n int, pad varchar(200), key (n))"
        ));
        let rows: Vec<String> = (0..50).map(|id| format!("({id}, 1000, '')")).collect();
        c.run(&format!("insert into d.{name} values {}", rows.join(",")));
    }
    c.run("create table d.l (w int, n int, pad varchar(500), primary key (w, n), key (pad))");
}

/// Starts on the directory: nothing is lost, nothing is half there. Gives the number of the first writer's transactions.
fn look(dir: &str) -> u64 {
    let datadir = format!("--datadir={dir}");
    let s = Server::start(&[&datadir]);
    let mut c = s.root_client();
    for table in ["a", "b", "l"] {
        let check = c.rows(&format!("check table d.{table}"));
        assert!(check.ends_with("status,OK"), "{check}");
    }
    assert_eq!(c.rows("select (select sum(n) from d.a) + (select sum(n) from d.b)"), "100000");
    // Each writer's numbers have no hole, and each transaction moved one.
    assert_eq!(
        c.rows("select coalesce(sum(m <> c), 0) from (select max(n) + 1 m, count(*) c from d.l group by w) x"),
        "0"
    );
    assert_eq!(c.rows("select sum(n) - 50000 = (select count(*) from d.l) from d.b"), "1");
    c.rows("select count(*) from d.l where w = 0").parse().unwrap()
}

#[test]
fn a_server_under_load_is_copied_and_the_copy_is_the_database_of_one_moment() {
    let s = Server::start(&["--innodb-redo-log-capacity=8M", "--innodb-buffer-pool-size=8M"]);
    let p = Place::new(&s);
    prepare(&mut s.root_client());
    let load = load(&s);
    load.go_on(30);
    let least = load.count();
    let told = done(&["backup", &target(&s), &p.opt("to", "full")]);
    let most = load.count() + 1;
    assert!(told.contains("is complete: LSN"), "{told}");
    assert!(!Path::new(&p.path("full/incomplete")).exists());
    let after_full = load.go_on(20);
    done(&["backup", &target(&s), &p.opt("to", "inc"), &p.opt("since", "full"), "--compress"]);
    let most_inc = load.count() + 1;
    // A table that is made and one that is dropped between the backups.
    let mut c = s.root_client();
    c.run("create table d.late as select * from d.a");
    c.run("create table d.gone (id int)");
    let stream = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["backup", &target(&s), "--to=-", "--compress=1"])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(stream.status.success());
    std::fs::write(p.path("stream"), &stream.stdout).unwrap();
    load.end();
    assert!(done(&["check", &p.path("full")]).contains("is whole"));

    let told = done(&["restore", &p.opt("from", "full"), &p.opt("datadir", "r1"), "--verify"]);
    assert!(told.contains("nothing is wrong"), "{told}");
    let n = look(&p.path("r1"));
    assert!((least..=most).contains(&n), "{n}, not {least} to {most}");

    let from = format!("--from={},{}", p.path("full"), p.path("inc"));
    done(&["restore", &from, &p.opt("datadir", "r2")]);
    let n = look(&p.path("r2"));
    assert!((after_full..=most_inc).contains(&n), "{n}, not {after_full} to {most_inc}");

    done(&["restore", &p.opt("from", "stream"), &p.opt("datadir", "r3")]);
    assert!(look(&p.path("r3")) >= after_full);
    let s = Server::start(&[&p.opt("datadir", "r3")]);
    assert_eq!(s.root_client().rows("select count(*) from d.late"), "50");
}

#[test]
fn backup_by_sql_takes_a_right_a_place_and_a_key() {
    let s = Server::start(&["--secure-file-priv="]);
    let p = Place::new(&s);
    let mut c = s.root_client();
    prepare(&mut c);
    std::fs::write(p.path("key"), "0123456789abcdef".repeat(4)).unwrap();
    let sql = format!("backup to '{}' compression = 3 key_file = '{}'", p.path("b"), p.path("key"));
    let row = c.run(&sql).rows.remove(0);
    assert_eq!(row[0].as_ref().unwrap().len(), 32);
    c.run("insert into d.l values (0, 0, '')");
    c.run("update d.b set n = n + 1 where id = 1");
    c.run("update d.a set n = n - 1 where id = 1");
    c.run(&format!("backup to '{}' since '{}' rate = 100M", p.path("i"), p.path("b")));
    assert!(s.log().contains("is complete in"), "{}", s.log());
    // Nothing of the rows can be read in the files.
    let bytes = std::fs::read(p.path("b/part-000001.weir")).unwrap();
    assert!(!bytes.windows(8).any(|w| w == b"WEIRctl1" || w == b"weir 0.1"));
    // A place that is used, one in the data directory, and one that is not there.
    assert_eq!(c.fail(&sql), 1105);
    assert_eq!(c.fail(&format!("backup to '{}/x'", p.path("data"))), 1290);
    assert_eq!(c.fail(&format!("backup to '{}/x/y/z'", p.path("no"))), 1290);
    assert_eq!(c.fail("backup to '/tmp/x' compression = 23"), 1210);
    assert_eq!(c.fail("backup stream since 'nonsense'"), 1210);
    assert_eq!(c.fail("backup stream compression = 1"), 1064);
    assert_eq!(c.fail("backup"), 1064);
    assert_eq!(c.fail("create procedure d.p() backup stream"), 1314);
    c.run("create user u@localhost");
    c.run("grant all on d.* to u@localhost");
    let mut u = s.connect(&Login { user: "u", ..Login::default() }).unwrap();
    assert_eq!(u.fail("backup stream"), 1227);
    assert_eq!(u.fail(&format!("backup to '{}'", p.path("u"))), 1227);
    c.run("grant backup_admin on *.* to u@localhost");
    assert!(u.try_query(&format!("backup to '{}'", p.path("u"))).is_ok());

    let key = p.opt("key-file", "key");
    // The increment is not encrypted, and its base is: the key is used where it is needed.
    let from = format!("--from={},{}", p.path("b"), p.path("i"));
    done(&["restore", &from, &key, &p.opt("datadir", "r")]);
    assert_eq!(look(&p.path("r")), 1);
    assert!(
        fails(2, &["restore", &from, &p.opt("datadir", "r9")]).contains("--key-file is needed")
    );
    std::fs::write(p.path("other"), [7; 32]).unwrap();
    let wrong = fails(2, &["restore", &from, &p.opt("key-file", "other"), &p.opt("datadir", "r9")]);
    assert!(wrong.contains("the key is not the one"), "{wrong}");
    assert!(!Path::new(&p.path("r9")).exists());
}

/// Each ends with exit code 2, names what is wrong, and leaves no target.
#[test]
fn damage_of_each_kind_is_told_before_a_byte_is_restored() {
    let s = Server::start(&["--secure-file-priv="]);
    let p = Place::new(&s);
    let mut c = s.root_client();
    prepare(&mut c);
    for name in ["full", "other"] {
        done(&["backup", &target(&s), &p.opt("to", name)]);
    }
    done(&["backup", &target(&s), &p.opt("to", "inc"), &p.opt("since", "full")]);
    let good = std::fs::read(p.path("full/part-000001.weir")).unwrap();
    let manifest = std::fs::read_to_string(p.path("full/manifest.json")).unwrap();
    let refused = |word: &str| {
        let told = fails(2, &["restore", &p.opt("from", "full"), &p.opt("datadir", "r")]);
        assert!(told.contains(word), "{word}: {told}");
        assert!(!Path::new(&p.path("r")).exists(), "{word}: something was written");
        let told = fails(1, &["check", &p.path("full")]);
        assert!(told.contains(word), "{word}: {told}");
    };
    let part = p.path("full/part-000001.weir");
    let mut seed = 1u64;
    for n in 0..20 {
        seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(11);
        let mut bad = good.clone();
        let at = (seed >> 33) as usize % bad.len();
        bad[at] ^= 1 << (n % 8);
        std::fs::write(&part, &bad).unwrap();
        // Four bytes of each frame's head are zeros that mean nothing: the sum of the whole part tells those.
        refused("");
    }
    for cut in [0, 1, 40, good.len() / 2, good.len() - 1] {
        std::fs::write(&part, &good[..cut]).unwrap();
        refused("the manifest says");
        let file = p.path("cut");
        std::fs::write(&file, &good[..cut]).unwrap();
        fails(2, &["restore", &p.opt("from", "cut"), &p.opt("datadir", "r")]);
    }
    std::fs::write(&part, &good).unwrap();
    let other = std::fs::read(p.path("other/part-000001.weir")).unwrap();
    let json = p.path("full/manifest.json");
    let other_len = format!("\"bytes\": {}", other.len());
    std::fs::write(&part, &other).unwrap();
    std::fs::write(&json, manifest.replace(&format!("\"bytes\": {}", good.len()), &other_len))
        .unwrap();
    refused("belongs to another backup");
    std::fs::write(&part, &good).unwrap();
    for (from, to, word) in [
        ("\"format\": 1", "\"format\": 2", "format 2"),
        ("\"page_size\"", "\"page_sise\"", "missing"),
        ("{", "", "no JSON"),
        ("part-000001", "part-000002", "is called"),
        ("\"pages\": ", "\"pages\": 1", "another backup's"),
    ] {
        std::fs::write(&json, manifest.replacen(from, to, 1)).unwrap();
        refused(word);
    }
    std::fs::write(&json, &manifest).unwrap();
    std::fs::write(p.path("full/incomplete"), "").unwrap();
    refused("not complete");
    std::fs::remove_file(p.path("full/incomplete")).unwrap();
    std::fs::remove_file(&part).unwrap();
    refused("is missing");
    std::fs::write(&part, &good).unwrap();
    std::fs::remove_file(&json).unwrap();
    refused("no manifest.json");
    std::fs::write(&json, &manifest).unwrap();

    // Whole backups in the wrong order, alone, or not of each other.
    for (from, word) in [
        ("inc", "is an increment of backup"),
        ("inc,full", "is an increment of backup"),
        ("full,other", "is a full backup"),
        ("other,inc", "and '"),
        ("nothing", "cannot read the backup"),
    ] {
        let list: Vec<String> = from.split(',').map(|n| p.path(n)).collect();
        let told =
            fails(2, &["restore", &format!("--from={}", list.join(",")), &p.opt("datadir", "r")]);
        assert!(told.contains(word), "{from}: {told}");
        assert!(!Path::new(&p.path("r")).exists());
    }
    // A target that is used, and the server's own.
    let told = fails(2, &["restore", &p.opt("from", "full"), &p.opt("datadir", "data")]);
    assert!(told.contains("is not empty"), "{told}");
    let told = fails(2, &["backup", &target(&s), &p.opt("to", "full")]);
    assert!(told.contains("is not empty"), "{told}");
    fails(64, &["restore", "--fron=x"]);
    fails(64, &["backup", "--target"]);
    done(&["restore", &p.opt("from", "full"), "--dry-run"]);
    done(&["restore", &p.opt("from", "full"), &p.opt("datadir", "r")]);
    assert_eq!(look(&p.path("r")), 0);
}

#[test]
fn what_is_killed_in_the_middle_is_no_backup_and_no_directory() {
    let mut s = Server::start(&[]);
    let p = Place::new(&s);
    let mut c = s.root_client();
    prepare(&mut c);
    // A rate at which it takes some seconds.
    let (target, to) = (target(&s), p.opt("to", "b"));
    let slow = |to: &str| {
        Command::new(env!("CARGO_BIN_EXE_weir"))
            .args(["backup", &target, to, "--rate=200K"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut one = slow(&to);
    until("the backup has begun", || Path::new(&p.path("b/part-000001.weir")).exists());
    one.kill().unwrap();
    one.wait().unwrap();
    let told = fails(2, &["restore", &p.opt("from", "b"), &p.opt("datadir", "r")]);
    assert!(told.contains("is not complete"), "{told}");
    // The server gives it up: nobody keeps the log, and the statement is gone.
    until("the statement has ended", || {
        c.rows("select count(*) from information_schema.processlist where info like 'BACKUP%'")
            == "0"
    });
    // The server is killed beside a backup.
    let mut two = slow(&p.opt("to", "b2"));
    until("the backup has begun", || Path::new(&p.path("b2/part-000001.weir")).exists());
    s.kill();
    assert_eq!(two.wait().unwrap().code(), Some(2));
    assert!(Path::new(&p.path("b2/incomplete")).exists());
    let mut s = s.again(&[]);
    done(&["backup", &format!("--target=mysql://root@127.0.0.1:{}", s.port), &p.opt("to", "b3")]);
    // A stopped server's directory is copied as well, and not changed.
    assert!(fails(2, &["backup", &p.opt("target", "data"), &p.opt("to", "b4")]).contains("in use"));
    assert!(s.stop().success());
    done(&["backup", &p.opt("target", "data"), &p.opt("to", "b4")]);
    assert!(done(&["check", &p.path("data")]).contains("nothing is wrong"));
    for (from, to) in [("b3", "r3"), ("b4", "r4")] {
        done(&["restore", &p.opt("from", from), &p.opt("datadir", to)]);
        assert_eq!(look(&p.path(to)), 0);
    }
}

#[test]
fn a_full_target_ends_the_backup_with_a_clear_error() {
    let s = Server::start(&[]);
    prepare(&mut s.root_client());
    // A device that takes nothing.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let o = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["backup", &target(&s), "--to=-"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(o.status.code(), Some(2));
    assert!(text(&o).contains("No space left"), "{}", text(&o));
    thread::sleep(Duration::from_millis(50));
    assert_eq!(s.root_client().rows("select count(*) from d.a"), "50");
}

/// A ledger kept outside tells which transactions were acknowledged before a moment: the directory of that moment has them, and none that was
/// begun behind it.
#[test]
fn restores_to_moments_equal_a_ledger() {
    let archive =
        std::env::temp_dir().join(format!("weir-blackbox-archive-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&archive);
    std::fs::create_dir_all(&archive).unwrap();
    let to_archive = format!("--weir-redo-archive-dir={}", archive.display());
    let options = ["--innodb-redo-log-capacity=8M", &to_archive];
    let mut s = Server::start(&options);
    let p = Place::new(&s);
    prepare(&mut s.root_client());
    done(&["backup", &target(&s), &p.opt("to", "full")]);
    // Moment, what had been acknowledged then, and what had been begun.
    let mut moments: Vec<(u64, u64, u64)> = Vec::new();
    let mut sofar = 0;
    for round in 0..3 {
        let load = load_from(&s, sofar);
        for _ in 0..3 {
            load.go_on(15);
            // Longer than the archive's resolution, with nothing in it that could be on either side.
            load.pause();
            thread::sleep(Duration::from_millis(150));
            let least = load.count();
            moments.push((micros(), least, least));
            thread::sleep(Duration::from_millis(150));
            load.resume();
        }
        sofar = load.end();
        // A stop, a crash, and a table that is made in between: the archive goes over both.
        s.root_client().run(&format!("create table d.t{round} as select * from d.a"));
        s = match round {
            0 => s.restart(&options),
            _ => s.crash(&options),
        };
    }
    until("the archive has come after", || s.log().contains("is archived"));
    assert!(s.stop().success());
    let archive_opt = format!("--redo-archive={}", archive.display());
    let from = p.opt("from", "full");
    for (i, (at, least, most)) in moments.iter().enumerate() {
        let (secs, rest) = (at / 1_000_000, at % 1_000_000);
        let time = format!("--to-time={}.{rest:06}Z", civil(secs));
        let dir = format!("m{i}");
        done(&["restore", &from, &archive_opt, &time, &p.opt("datadir", &dir)]);
        let n = look(&p.path(&dir));
        assert!((*least..=*most).contains(&n), "moment {i}: {n}, not {least} to {most}");
        std::fs::remove_dir_all(p.path(&dir)).unwrap();
    }
    // To the archive's end, and what is refused.
    done(&["restore", &from, &archive_opt, &p.opt("datadir", "end")]);
    assert_eq!(look(&p.path("end")), sofar);
    for (goal, word) in [
        ("--to-time=2000-01-01T00:00:00Z", "an older backup is needed"),
        ("--to-lsn=1", "an older backup is needed"),
        ("--to-lsn=999999999999", "is wanted"),
    ] {
        let told = fails(2, &["restore", &from, &archive_opt, goal, &p.opt("datadir", "no")]);
        assert!(told.contains(word), "{goal}: {told}");
    }
    assert!(
        fails(2, &["restore", &from, "--to-lsn=1", &p.opt("datadir", "no")])
            .contains("--redo-archive")
    );
    // A file of the archive that is damaged, and one that is gone.
    let mut list: Vec<PathBuf> =
        std::fs::read_dir(&archive).unwrap().map(|e| e.unwrap().path()).collect();
    list.sort();
    assert!(list.len() >= 3, "{list:?}");
    let good = std::fs::read(&list[1]).unwrap();
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 8;
    std::fs::write(&list[1], &bad).unwrap();
    let told = fails(2, &["restore", &from, &archive_opt, &p.opt("datadir", "no")]);
    assert!(told.contains("has a gap") && told.contains("is damaged"), "{told}");
    std::fs::remove_file(&list[1]).unwrap();
    let told = fails(2, &["restore", &from, &archive_opt, &p.opt("datadir", "no")]);
    assert!(told.contains("has a gap"), "{told}");
    assert!(!Path::new(&p.path("no")).exists());
    std::fs::remove_dir_all(&archive).unwrap();
}

fn micros() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    since.as_micros() as u64
}

/// A second since 1970 as a time in UTC, by the days of each year and month.
fn civil(secs: u64) -> String {
    let (mut days, rest) = (secs / 86_400, secs % 86_400);
    let leap = |y: u64| y.is_multiple_of(4) && (!y.is_multiple_of(100) || y.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let months = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    let (h, m, s) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{:02}-{:02}T{h:02}:{m:02}:{s:02}", month + 1, days + 1)
}
