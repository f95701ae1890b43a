//! Many tables, wide tables, and what they leave behind when they go.

use crate::common::{Client, Server};

/// What the server has open below its folder of tables.
fn open_tables(server: &Server) -> Vec<String> {
    let folder = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap();
    let names = folder.filter_map(|e| std::fs::read_link(e.ok()?.path()).ok());
    let names = names.map(|p| p.to_string_lossy().into_owned());
    names.filter(|n| n.contains("/data/tables/")).collect()
}

fn nothing_is_left(server: &Server, after: &str) {
    let left: Vec<_> =
        open_tables(server).into_iter().filter(|n| n.contains("(deleted)")).collect();
    assert!(left.is_empty(), "after {after}: {left:?}");
}

fn start_with_database(options: &[&str]) -> (Server, Client) {
    let server = Server::start(options);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    (server, c)
}

#[test]
fn room_and_descriptors_are_free_when_the_statement_is_answered() {
    let (server, mut c) = start_with_database(&[]);
    let mut other = server.root_client();
    other.run("use d");
    let create = "create table t (id int auto_increment primary key, v varchar(200), key (v))";
    c.run(create);
    // Caches of definitions and plans keep what they know of the old tables.
    for round in 0..30 {
        c.run("insert into t (v) values (repeat('x', 200)), (repeat('y', 100))");
        assert_eq!(other.rows("select count(*) from t where id > 0"), "2");
        let statement = match round % 3 {
            0 => "truncate table t",
            1 => "alter table t add column w bigint, drop primary key, add primary key (id, v)",
            _ => "drop table t",
        };
        c.run(statement);
        nothing_is_left(&server, statement);
        if statement != "truncate table t" {
            c.run("drop table if exists t");
            nothing_is_left(&server, "drop table");
            c.run(create);
        }
    }
    assert!(open_tables(&server).len() <= 1, "{:?}", open_tables(&server));
    c.run("insert into t (v) values ('x')");
    c.run("drop database d");
    nothing_is_left(&server, "drop database");
    assert_eq!(open_tables(&server).len(), 0);
}

#[test]
fn more_tables_than_descriptors() {
    let (server, mut c) = start_with_database(&["--innodb-open-files=10"]);
    let tables = 60;
    for i in 0..tables {
        c.run(&format!("create table t{i} (id int primary key, v int) "));
        c.run(&format!("insert into t{i} values (1, {i}), (2, 2)"));
    }
    for i in 0..tables {
        assert_eq!(c.rows(&format!("select v from t{i} where id = 1")), i.to_string());
        assert!(open_tables(&server).len() <= 10, "{}", open_tables(&server).len());
    }
    assert_eq!(c.rows("select @@innodb_open_files"), "10");
    let server = server.crash(&["--innodb-open-files=10"]);
    let mut c = server.root_client();
    c.run("use d");
    for i in 0..tables {
        assert_eq!(c.rows(&format!("select sum(v) from t{i}")), (i + 2).to_string());
    }
    assert!(open_tables(&server).len() <= 10, "{}", open_tables(&server).len());
    assert!(c.rows("check table t0, t59").ends_with("status,OK"));
    // More of them than one mini-transaction takes out of the dictionary.
    assert_eq!(c.rows("show tables").split(';').count(), tables);
    c.run("drop database d");
    c.run("create database d");
    assert_eq!(
        c.rows("select count(*) from information_schema.tables where table_schema = 'd'"),
        "0"
    );
}

/// A start opens no table's file for what every client may ask about all tables.
#[test]
fn a_start_opens_no_table() {
    let (server, mut c) = start_with_database(&[]);
    for i in 0..20 {
        c.run(&format!("create table t{i} (id int auto_increment primary key, v int)"));
        c.run(&format!("insert into t{i} (v) values (1), (2)"));
    }
    c.run("alter table t5 auto_increment = 77");
    let all = "select table_name, table_rows, auto_increment from information_schema.tables \
               where table_schema = 'd' order by 1";
    let before = c.rows(all);
    assert!(before.contains("t5,2,77"), "{before}");
    // What is at home may be compared with the copies of the last batch.
    let copies = server.root().join("data/doublewrite.weir");
    let server = server.stop_and(&[], || std::fs::write(&copies, [0u8; 16384]).unwrap());
    let mut c = server.root_client();
    assert_eq!(c.rows(all), before);
    c.rows("show table status from d");
    c.rows("show create table d.t3");
    assert_eq!(open_tables(&server), Vec::<String>::new());
    assert_eq!(c.rows("select max(id) from d.t3"), "2");
    assert_eq!(open_tables(&server).len(), 1);
    c.run("insert into d.t5 (v) values (3)");
    assert_eq!(c.rows("select max(id) from d.t5"), "77");
    assert_eq!(open_tables(&server).len(), 2);
}

/// The process may open fewer files than it has been told at its start.
#[test]
fn too_many_open_files_is_no_error() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let (server, mut c) = start_with_database(&[]);
    let here = std::fs::read_dir(format!("/proc/{}/fd", server.pid())).unwrap().count() as u64;
    let few = Some(here + 8);
    let pid = Pid::from_raw(server.pid() as i32);
    prlimit(pid, Resource::Nofile, Rlimit { current: few, maximum: few }).unwrap();
    for i in 0..30 {
        c.run(&format!("create table t{i} (id int primary key)"));
        c.run(&format!("insert into t{i} values ({i})"));
        c.run("create table again (id int primary key)");
        c.run("insert into again values (1)");
        c.run("truncate table again");
        c.run("drop table again");
    }
    for i in 0..30 {
        assert_eq!(c.rows(&format!("select id from t{i}")), i.to_string());
    }
}

fn columns(n: usize, ty: &str, rest: &str) -> String {
    let all: Vec<String> = (0..n).map(|i| format!("c{i} {ty} {rest}")).collect();
    all.join(", ")
}

#[test]
fn tables_are_as_wide_as_innodb_allows() {
    for page_size in ["4096", "16384"] {
        let options = [&*format!("--innodb-page-size={page_size}")];
        let (server, mut c) = start_with_database(&options);
        c.run(&format!("create table numbers ({})", columns(1017, "smallint", "")));
        let long = "k".repeat(1024);
        let comment = format!("comment '{long}'");
        let all = columns(1017, "tinyint", &comment);
        let table_comment = "t".repeat(2048);
        c.run(&format!(
            "create table told ({all}, key i (c1) {comment}) comment '{table_comment}'"
        ));
        // A definition that grows and shrinks again, beside the others.
        c.run(&format!("alter table told modify c5 tinyint comment '{}'", "m".repeat(1024)));
        c.run("create table other (id int primary key)");
        c.run("rename table told to renamed, numbers to more");
        assert_eq!(c.fail(&format!("create table x ({})", columns(1018, "smallint", ""))), 1117);
        assert_eq!(c.fail("alter table more add column one_more int"), 1117);
        let longer = "k".repeat(1025);
        assert_eq!(c.fail(&format!("create table x (a int comment '{longer}')")), 1629);
        assert_eq!(c.fail(&format!("create table x (a int, key (a) comment '{longer}')")), 1688);
        let longer = "k".repeat(2049);
        assert_eq!(c.fail(&format!("create table x (a int) comment '{longer}'")), 1628);
        assert_eq!(c.fail(&format!("create table x ({})", columns(100, "varchar(255)", ""))), 1118);
        let shown = c.rows("show create table renamed");
        let server = server.crash(&[]);
        let mut c = server.root_client();
        c.run("use d");
        assert_eq!(c.rows("show create table renamed"), shown);
        assert_eq!(shown.matches(&long).count(), 1017, "1016 columns and a key");
        let counted = "select count(*) from information_schema.columns where table_schema = 'd'";
        assert_eq!(c.rows(counted), "2035");
        if page_size == "16384" {
            c.run(&format!("insert into more values ({})", vec!["7"; 1017].join(",")));
            assert_eq!(c.rows("select c0 + c1016 from more"), "14");
        }
        c.run("drop table renamed, more");
        assert_eq!(c.rows("check table other").split(',').next_back(), Some("OK"));
    }
}
