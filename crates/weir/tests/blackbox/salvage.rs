//! `weir salvage` as somebody uses it whose directory is damaged: damage, copy, load into a new server, compare. Nothing of the
//! directory may change.

use crate::common::{Client, Server};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: usize = 16384;

fn all_files(dir: &Path, out: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all_files(&path, out);
        } else if path.is_file() {
            out.insert(path.clone(), std::fs::read(&path).unwrap());
        }
    }
}

fn contents(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    all_files(dir, &mut all);
    all
}

/// A stopped or killed server's directory.
struct Wreck {
    server: Server,
    copies: u32,
}

impl Wreck {
    /// Stopped politely.
    fn stopped(mut server: Server) -> Wreck {
        assert!(server.stop().success(), "{}", server.log());
        Wreck { server, copies: 0 }
    }

    fn killed(mut server: Server) -> Wreck {
        server.kill();
        Wreck { server, copies: 0 }
    }

    fn data(&self) -> PathBuf {
        self.server.root().join("data")
    }

    fn table_file(&self, nth: usize) -> PathBuf {
        let mut all: Vec<PathBuf> = contents(&self.data().join("tables")).into_keys().collect();
        all.sort();
        all.swap_remove(nth)
    }

    /// Changes a byte in pages of a file for which `which` says so, given the page's number and bytes. Returns how many there were.
    fn flip(&self, file: &Path, which: impl Fn(usize, &[u8]) -> bool) -> usize {
        let mut bytes = std::fs::read(file).unwrap();
        let mut n = 0;
        for (i, p) in bytes.chunks_exact_mut(PAGE).enumerate() {
            if which(i, p) {
                p[PAGE / 2] ^= 0x55;
                p[40] ^= 0x55;
                n += 1;
            }
        }
        std::fs::write(file, bytes).unwrap();
        // The copies of the last batch would make it whole again.
        let copies = self.data().join("doublewrite.weir");
        let len = std::fs::metadata(&copies).unwrap().len();
        std::fs::write(&copies, vec![0u8; len as usize]).unwrap();
        n
    }

    /// Salvages and loads the copy into a new server; what was said, and the exit code.
    fn salvage(&mut self, options: &[&str], code: i32) -> (String, Server) {
        let before = contents(&self.data());
        self.copies += 1;
        let out = self.server.root().join(format!("copy{}", self.copies));
        let done = Command::new(env!("CARGO_BIN_EXE_weir"))
            .arg("salvage")
            .arg(format!("--datadir={}", self.data().display()))
            .arg(format!("--out={}", out.display()))
            .args(options)
            .output()
            .unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        let err = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(code), "{text}{err}");
        assert!(contents(&self.data()) == before, "the directory was changed: {text}");
        assert!(!out.join(".work").exists());
        assert_eq!(std::fs::read_to_string(out.join("report.txt")).unwrap(), text);
        let fresh = Server::start(&[]);
        let mut c = fresh.root_client();
        for (path, sql) in contents(&out) {
            if path.extension().is_some_and(|e| e == "sql") {
                load(&mut c, &String::from_utf8(sql).unwrap());
            }
        }
        drop(c);
        (text, fresh)
    }
}

fn load(c: &mut Client, sql: &str) {
    let text: String =
        sql.lines().filter(|l| !l.starts_with("-- ")).map(|l| format!("{l}\n")).collect();
    for statement in text.split(";\n").filter(|s| !s.trim().is_empty()) {
        c.run(statement);
    }
}

fn kind(p: &[u8]) -> u8 {
    p[4]
}

fn is_leaf(p: &[u8]) -> bool {
    kind(p) == 3 && p[32] == 0
}

fn owner(p: &[u8]) -> u64 {
    u64::from_le_bytes(p[24..32].try_into().unwrap())
}

/// The index of the first tree page: the clustered one's, whose root is made first.
fn clustered(file: &Path) -> u64 {
    let bytes = std::fs::read(file).unwrap();
    bytes.chunks_exact(PAGE).find(|p| kind(p) == 3).map(owner).unwrap()
}

/// Rows enough for many leaves, with a secondary index.
fn big_table(c: &mut Client, name: &str, rows: u32) {
    c.run("create database if not exists d");
    c.run(&format!(
        "create table d.{name} (id int primary key, k int, v varchar(300), key by_k (k))"
    ));
    for from in (0..rows).step_by(500) {
        let values: Vec<String> = (from..rows.min(from + 500))
            .map(|i| format!("({i}, {}, repeat('{}', 250))", i * 7 % 1000, i % 10))
            .collect();
        c.run(&format!("insert into d.{name} values {}", values.join(",")));
    }
}

const SUM: &str = "select count(*), sum(id), sum(k), sum(crc32(v)) from d.t";

#[test]
fn a_clean_directory_gives_an_identical_copy() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database `o'd d` default character set latin1");
    c.run(
        "create table `o'd d`.`t``1` (a int unsigned auto_increment primary key, b decimal(12,3), f float, g double, \
         c char(5), v varchar(50) character set utf8mb4, x varbinary(40), l longblob, d date, t time(3), dt datetime(6), \
         ts timestamp null default null, y year, u bigint unsigned, z int(5) zerofill, unique key uq (v(10), c), \
         key `k``` (b desc) comment 'it''s') comment='a\\\\b'",
    );
    let insert = "insert into `o'd d`.`t``1` (b, f, g, c, v, x, l, d, t, dt, ts, y, u, z) values";
    c.run(&format!(
        "{insert} (-1.500, 0.1, 1.0/3, 'ä', 'it''s \\\\ \\n ;\\n -- 😀', x'00ff27', repeat(x'0001', 50000), '2024-02-29', \
         '-838:59:59.000', '2024-01-01 00:00:00.123456', '2024-06-30 12:00:00', 2024, 18446744073709551615, 42)"
    ));
    c.run(&format!(
        "{insert} (null,null,null,null,null,null,null,null,null,null,null,null,null,null)"
    ));
    c.run(&format!("{insert} (0, 1e30, -2.5e-300, '', '', '', '', '1000-01-01', '0', '9999-12-31 23:59:59', null, 0, 0, 0)"));
    c.run("set sql_mode='NO_AUTO_VALUE_ON_ZERO'");
    c.run(&format!("{} (0, 'zero')", "insert into `o'd d`.`t``1` (a, c) values"));
    c.run("create database e");
    c.run("create table e.no_key (a int, b text)");
    c.run("insert into e.no_key values (1, 'x'), (1, 'x'), (null, null)");
    c.run("create table e.empty (a int)");
    let queries = [
        "select *, hex(v), hex(x), md5(l), length(l), f + 0e0 from `o'd d`.`t``1` order by a",
        "show create table `o'd d`.`t``1`",
        "show create database `o'd d`",
        "select * from e.no_key order by a, b",
        "show create table e.empty",
    ];
    let before: Vec<String> = queries.iter().map(|q| c.rows(q)).collect();
    drop(c);
    let mut wreck = Wreck::stopped(server);
    let (text, copy) = wreck.salvage(&[], 0);
    assert!(text.contains("3 tables, 7 rows copied; nothing is lost"), "{text}");
    let mut c = copy.root_client();
    for (q, b) in queries.iter().zip(&before) {
        assert_eq!(c.rows(q), *b, "{q}");
    }
    // Only some of it.
    let (text, copy) = wreck.salvage(&["--table=e.no_key"], 0);
    assert!(text.contains("1 table, 3 rows"), "{text}");
    assert_eq!(copy.root_client().rows("show tables in e"), "no_key");
}

#[test]
fn after_a_crash_rows_are_as_they_were_committed() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    big_table(&mut c, "t", 1000);
    let before = c.rows(SUM);
    let mut open = server.root_client();
    open.run("begin");
    open.run("update d.t set v = 'not committed', k = -1 where id < 100");
    open.run("delete from d.t where id between 100 and 200");
    open.run("insert into d.t values (5000, 1, 'not committed')");
    // Makes the redo of it durable.
    c.run("create table d.other (id int)");
    c.run("insert into d.other values (7)");
    let mut wreck = Wreck::killed(server);
    let (_, copy) = wreck.salvage(&[], 0);
    let mut c = copy.root_client();
    assert_eq!(c.rows("select id from d.other"), "7");
    assert_eq!(c.rows(SUM), before);
    // Redo logs and control file are gone: it is said that nothing vouches for the rows.
    std::fs::remove_dir_all(wreck.data().join("redo")).unwrap();
    std::fs::remove_file(wreck.data().join("weir.ctl")).unwrap();
    let (text, _) = wreck.salvage(&[], 1);
    assert!(text.contains("redo log and control file cannot be used"), "{text}");
}

#[test]
fn damaged_pages_cost_the_rows_in_them_and_no_others() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    big_table(&mut c, "t", 3000);
    big_table(&mut c, "u", 3000);
    let before = c.rows(SUM);
    drop(c);
    let mut wreck = Wreck::stopped(server);
    let (t, u) = (wreck.table_file(0), wreck.table_file(1));
    // Without header, map and inner pages every leaf is still found.
    let own = clustered(&t);
    assert!(wreck.flip(&t, |i, p| i < 2 || (kind(p) == 3 && owner(p) == own && !is_leaf(p))) > 2);
    // A leaf in the middle.
    let (own, lost) = (clustered(&u), 9);
    assert_eq!(wreck.flip(&u, |i, p| i == lost && is_leaf(p) && owner(p) == own), 1);
    let (text, copy) = wreck.salvage(&[], 1);
    assert!(text.contains("d.t: 3000 rows"), "{text}");
    assert!(text.contains("lost with page 9: rows from key "), "{text}");
    let mut c = copy.root_client();
    assert_eq!(c.rows(SUM), before);
    let left: u32 = c.rows("select count(*) from d.u").parse().unwrap();
    assert!((2850..3000).contains(&left), "{left}");
    assert!(text.contains(&format!("index 'by_k' has {} entries", 3000 - left)), "{text}");
    let wrong = "select count(*) from d.u join d.t using (id) where t.k <> u.k or t.v <> u.v";
    assert_eq!(c.rows(wrong), "0");
    // The file is cut off in the middle, and another one is missing.
    let bytes = std::fs::read(&u).unwrap();
    std::fs::write(&u, &bytes[..bytes.len() / 2 + 100]).unwrap();
    std::fs::remove_file(&t).unwrap();
    let (text, copy) = wreck.salvage(&[], 1);
    assert!(text.contains("d.t: NOT READ: "), "{text}");
    let rest: u32 = copy.root_client().rows("select count(*) from d.u").parse().unwrap();
    assert!(rest > 500 && rest < left, "{rest}");
}

/// Nothing says whose a page is that cannot be read when the one above it cannot be read either; it is named all the same.
#[test]
fn a_damaged_leaf_is_named_though_its_parent_is_damaged_too() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    big_table(&mut c, "t", 3000);
    drop(c);
    let mut wreck = Wreck::stopped(server);
    let t = wreck.table_file(0);
    let own = clustered(&t);
    let harmed = |i: usize, p: &[u8]| kind(p) == 3 && owner(p) == own && (i == 9 || !is_leaf(p));
    assert!(wreck.flip(&t, harmed) > 1);
    let (text, copy) = wreck.salvage(&[], 1);
    assert!(text.contains("page 9 of 'tables/"), "{text}");
    let left: u32 = copy.root_client().rows("select count(*) from d.t").parse().unwrap();
    assert!((2850..3000).contains(&left), "{left}");
    assert!(text.contains(&format!("index 'by_k' has {} entries", 3000 - left)), "{text}");
}

#[test]
fn a_broken_long_column_is_told_and_left_out_on_request() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (id int primary key, n int, l longblob)");
    c.run("insert into d.t values (1, 10, repeat('a', 100000)), (2, 20, repeat('b', 100000)), (3, 30, 'short')");
    drop(c);
    let mut wreck = Wreck::stopped(server);
    let file = wreck.table_file(0);
    let n = wreck.flip(&file, |_, p| kind(p) == 6 && p[100] == b'b');
    assert!(n > 3, "{n}");
    let (text, copy) = wreck.salvage(&[], 1);
    assert!(
        text.contains("1 rows were left out for long columns") && text.contains("row 2: l"),
        "{text}"
    );
    assert_eq!(
        copy.root_client().rows("select id, length(l) from d.t order by id"),
        "1,100000;3,5"
    );
    let (text, copy) = wreck.salvage(&["--lossy-blobs"], 1);
    assert!(text.contains("1 rows were copied without columns"), "{text}");
    assert_eq!(
        copy.root_client().rows("select n, l is null from d.t order by id"),
        "10,0;20,1;30,0"
    );
}

#[test]
fn a_damaged_dictionary_costs_the_tables_that_stood_in_the_page() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    for i in 0..200 {
        c.run(&format!(
            "create table d.t{i:03} (id int primary key, v varchar(50) comment '{}')",
            "x".repeat(200)
        ));
        c.run(&format!("insert into d.t{i:03} values ({i}, 'v')"));
    }
    drop(c);
    let mut wreck = Wreck::stopped(server);
    let system = wreck.data().join("system.weir");
    // The header, the root, and one leaf.
    let leaf = {
        let bytes = std::fs::read(&system).unwrap();
        let leaves: Vec<usize> = bytes
            .chunks_exact(PAGE)
            .enumerate()
            .filter(|(_, p)| is_leaf(p))
            .map(|(i, _)| i)
            .collect();
        assert!(leaves.len() > 3, "{leaves:?}");
        leaves[leaves.len() / 2]
    };
    wreck.flip(&system, |i, _| [0, 2, leaf].contains(&i));
    let (text, copy) = wreck.salvage(&[], 1);
    assert!(text.contains("of no table that is known"), "{text}");
    let mut c = copy.root_client();
    let tables = c.rows("select count(*) from information_schema.tables where table_schema = 'd'");
    let n: u32 = tables.parse().unwrap();
    assert!((100..200).contains(&n), "{n}: {text}");
    assert!(text.contains(&format!("{n} tables, {n} rows copied")), "{text}");
}

#[test]
fn salvage_refuses_what_would_harm() {
    let mut server = Server::start(&[]);
    let data = server.root().join("data");
    let salvage = |out: &Path| {
        let done = Command::new(env!("CARGO_BIN_EXE_weir"))
            .arg("salvage")
            .arg(format!("--datadir={}", data.display()))
            .arg(format!("--out={}", out.display()))
            .output()
            .unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    let out = server.root().join("copy");
    let (code, err) = salvage(&out);
    assert!(code == Some(2) && err.contains("in use by another process"), "{err}");
    assert!(server.stop().success());
    let before = contents(&data);
    let (code, err) = salvage(&data.join("copy/deep"));
    assert!(code == Some(2) && err.contains("into which nothing is written"), "{err}");
    std::fs::create_dir_all(&out).unwrap();
    std::fs::write(out.join("mine"), "").unwrap();
    let (code, err) = salvage(&out);
    assert!(code == Some(2) && err.contains("is not empty"), "{err}");
    let done = Command::new(env!("CARGO_BIN_EXE_weir"))
        .args(["salvage", "--dry-run", "--datadir"])
        .arg(&data)
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert!(String::from_utf8(done.stdout).unwrap().contains("0 tables, 0 rows could be copied"));
    assert!(contents(&data) == before);
}
