//! The undo space as an administrator sees it: a long reader makes it grow, and its room comes back.

use crate::common::{Server, until};

#[test]
fn the_undo_file_shrinks_when_purge_is_done() {
    let server = Server::start(&["--innodb-max-undo-log-size=10M"]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (id int primary key, v varchar(3000))");
    for from in (0..2000).step_by(100) {
        let values: Vec<String> =
            (from..from + 100).map(|i| format!("({i}, repeat('a', 3000))")).collect();
        c.run(&format!("insert into d.t values {}", values.join(",")));
    }
    let mut reader = server.root_client();
    reader.run("start transaction with consistent snapshot");
    for letter in ["b", "c", "d", "e"] {
        c.run(&format!("update d.t set v = repeat('{letter}', 3000)"));
    }
    let file = server.root().join("data/undo.weir");
    let bytes = || std::fs::metadata(&file).unwrap().len();
    assert!(bytes() > 20 << 20, "{}", bytes());
    // What the view may want stays.
    assert_eq!(reader.rows("select count(*) from d.t where v = repeat('a', 3000)"), "2000");
    reader.run("commit");
    until("the undo file is short", || bytes() <= 10 << 20);
    until("it is told", || server.log().contains("undo space truncated from"));
    assert_eq!(c.rows("select count(*) from d.t where v = repeat('e', 3000)"), "2000");
    // Switched off by SET GLOBAL, and read back.
    c.run("set global innodb_undo_log_truncate = off");
    c.run("set global innodb_purge_rseg_truncate_frequency = 7");
    let settings = "select @@innodb_undo_log_truncate, @@innodb_max_undo_log_size, @@innodb_purge_rseg_truncate_frequency";
    assert_eq!(c.rows(settings), "0,10485760,7");
    let server = server.crash(&[]);
    assert_eq!(
        server.root_client().rows("select count(*) from d.t where v = repeat('e', 3000)"),
        "2000"
    );
    assert_eq!(server.root_client().rows("check table d.t"), "d.t,check,status,OK");
}
