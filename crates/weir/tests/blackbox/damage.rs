//! Damaged files as a user meets them: one table is refused, the others are served; a stop has its limit.

use crate::common::Server;
use std::path::PathBuf;

/// The files of the tables, in the order in which they were made.
fn files(server: &Server) -> Vec<PathBuf> {
    let dir = std::fs::read_dir(server.root().join("data/tables")).unwrap();
    let mut all: Vec<PathBuf> = dir.map(|f| f.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn damaged_tables_are_refused_by_their_names() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    for t in ["whole", "gone", "bent"] {
        c.run(&format!("create table d.{t} (id int primary key, v varchar(20))"));
        c.run(&format!("insert into d.{t} values (1, 'one'), (2, 'two')"));
    }
    let files = files(&server);
    let [.., gone, bent] = files.as_slice() else { panic!("{files:?}") };
    let (gone, bent) = (gone.clone(), bent.clone());
    let copies = server.root().join("data/doublewrite.weir");
    let server = server.stop_and(&[], || {
        std::fs::remove_file(&gone).unwrap();
        std::fs::write(&bent, vec![7u8; 100_000]).unwrap();
        // The copies of the last batch would make it whole again.
        let len = std::fs::metadata(&copies).unwrap().len();
        std::fs::write(&copies, vec![0u8; len as usize]).unwrap();
    });
    let mut c = server.root_client();
    assert_eq!(c.rows("select v from d.whole order by id"), "one;two");
    assert_eq!(c.fail("select * from d.gone"), 1812);
    assert_eq!(c.fail("insert into d.bent values (3, 'three')"), 1877);
    let check = c.rows("check table d.bent");
    assert!(check.contains("damage") || check.contains("bad"), "{check}");
    assert!(server.log().contains("table 'd.gone' is not used"), "{}", server.log());
    c.run("drop table d.gone");
    c.run("create table d.gone (id int primary key)");
    c.run("insert into d.gone values (7)");
    let server = server.crash(&["--innodb-force-recovery=4"]);
    let mut c = server.root_client();
    assert_eq!(c.rows("select id from d.gone"), "7");
    assert_eq!(c.fail("insert into d.gone values (8)"), 1881);
    assert_eq!(c.fail("drop table d.bent"), 1881);
    let server = server.crash(&[]);
    let mut c = server.root_client();
    c.run("drop database d");
}

/// A device of ten requests per second, and more dirty pages than it writes in the second that the stop may take.
#[test]
fn a_stop_ends_at_its_limit_and_the_next_start_recovers() {
    let mut server = Server::start(&["--weir-throttle-iops=1000", "--shutdown-timeout=1"]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (id int primary key, v varchar(2000))");
    for id in 0..300 {
        c.run(&format!("insert into d.t values ({id}, repeat('x', 2000))"));
    }
    c.run("set global weir_throttle_iops = 10");
    drop(c);
    let status = server.stop();
    assert!(!status.success(), "the stop ended in time: {}", server.log());
    assert!(server.log().contains("shutdown_timeout=1"), "{}", server.log());
    let server = server.crash(&[]);
    assert_eq!(server.root_client().rows("select count(*) from d.t"), "300");
}
