//! The server from outside, as clients behave and misbehave.
mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use support::{Client, Server};

fn errno(r: Result<support::Rows, support::Failed>) -> u16 {
    r.expect_err("it must fail").errno
}

#[test]
fn statements_and_their_errors() {
    let s = Server::start("statements", &[]);
    let mut c = s.client();
    assert_eq!(errno(c.query("selec 1")), 1064);
    assert_eq!(errno(c.query("select nothing")), 1054);
    assert_eq!(errno(c.query("select * from t")), 1046);
    c.run("create database d");
    c.run("use d");
    c.run("create table t (id int primary key, v tinyint unsigned not null, key (v))");
    c.run("insert into t values (1, 1), (2, 2)");
    assert_eq!(errno(c.query("insert into t values (1, 1)")), 1062);
    assert_eq!(errno(c.query("insert into t values (3, 300)")), 1264);
    assert_eq!(errno(c.query("insert into t values (3, null)")), 1048);
    assert_eq!(errno(c.query("create event e on schedule every 1 day do select 1")), 1235);
    assert_eq!(c.value("select count(*) from t"), "2");
    // A failed statement of a transaction takes only itself back.
    c.run("begin");
    c.run("insert into t values (4, 4)");
    assert_eq!(errno(c.query("insert into t values (5, 5), (1, 1)")), 1062);
    c.run("commit");
    assert_eq!(c.value("select group_concat(id order by id) from t"), "1,2,4");
}

#[test]
fn broken_clients_harm_nobody() {
    let s = Server::start("broken", &[]);
    let mut good = s.client();
    assert_eq!(Client::connect(s.port, "nobody").err().expect("refused").errno, 1045);
    // Garbage instead of a login.
    let mut g = TcpStream::connect(("127.0.0.1", s.port)).unwrap();
    g.write_all(&[0x47; 300]).unwrap();
    g.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut all = Vec::new();
    let _ = g.read_to_end(&mut all);
    // Half a packet, then gone.
    let mut h = s.client();
    h.stream.write_all(&[200, 0, 0, 0, 3, b's']).unwrap();
    drop(h);
    // A wrong sequence number.
    let mut w = s.client();
    w.stream.write_all(&[2, 0, 0, 9, 14, 0]).unwrap();
    let answer = w.read();
    assert_eq!(u16::from_le_bytes([answer[1], answer[2]]), 1156);
    // A command that there is not.
    let mut u = s.client();
    u.command(0xEE, b"");
    assert_eq!(errno(u.answer(false)), 1047);
    u.command(0x0E, b"");
    u.answer(false).expect("still there after an unknown command");
    // More than max_allowed_packet.
    good.run("set global max_allowed_packet = 1048576");
    let mut big = s.client();
    let sql = format!("select '{}'", "x".repeat(2 << 20));
    big.command(3, sql.as_bytes());
    assert_eq!(errno(big.answer(false)), 1153);
    assert_eq!(good.value("select 1"), "1");
}

#[test]
fn prepared_statements() {
    let s = Server::start("prepared", &[]);
    let mut c = s.client();
    c.run("create database d");
    c.run("create table d.t (id bigint primary key, v varchar(20))");
    let (id, params) = c.prepare("insert into d.t values (?, ?)").unwrap();
    assert_eq!(params, 2);
    for n in 0..5u8 {
        // id, no cursor, one iteration, no NULLs, types sent: BIGINT and VAR_STRING.
        let mut body = id.to_le_bytes().to_vec();
        body.extend_from_slice(&[0, 1, 0, 0, 0, 0, 1, 8, 0, 253, 0]);
        body.extend_from_slice(&u64::from(n).to_le_bytes());
        body.extend_from_slice(&[3, b'a', b'b', b'0' + n]);
        c.command(0x17, &body);
        c.answer(true).unwrap();
    }
    assert_eq!(c.value("select group_concat(v order by id) from d.t"), "ab0,ab1,ab2,ab3,ab4");
    assert_eq!(c.prepare("select * from d.t where").expect_err("syntax").errno, 1064);
    c.command(0x17, &[99, 0, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(errno(c.answer(true)), 1243);
    c.run("drop table d.t");
    let mut body = id.to_le_bytes().to_vec();
    body.extend_from_slice(&[0, 1, 0, 0, 0, 0, 1, 8, 0, 253, 0]);
    body.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 1, b'x']);
    c.command(0x17, &body);
    assert_eq!(errno(c.answer(true)), 1146);
}

#[test]
fn a_vanished_client_gives_its_locks_back() {
    let s = Server::start("vanished", &[]);
    let mut c = s.client();
    c.run("create database d");
    c.run("create table d.t (id int primary key, v int)");
    c.run("insert into d.t values (1, 1)");
    let mut gone = s.client();
    gone.run("begin");
    gone.run("update d.t set v = 2 where id = 1");
    drop(gone);
    c.run("set innodb_lock_wait_timeout = 20");
    c.run("update d.t set v = v + 10 where id = 1");
    assert_eq!(c.value("select v from d.t"), "11");
    // One that waits for a lock when it goes.
    c.run("begin");
    c.run("update d.t set v = 5 where id = 1");
    let mut waiting = s.client();
    waiting.command(3, b"update d.t set v = 6 where id = 1");
    std::thread::sleep(Duration::from_millis(100));
    drop(waiting);
    c.run("commit");
    let mut last = String::new();
    for _ in 0..100 {
        last = c.value("select v from d.t");
        if last == "5" || last == "6" {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(last == "5" || last == "6", "{last}");
}

#[test]
fn isolation_and_deadlocks() {
    let s = Server::start("isolation", &[]);
    let (mut a, mut b) = (s.client(), s.client());
    a.run("create database d");
    a.run("create table d.t (id int primary key, v int)");
    a.run("insert into d.t values (1, 1), (2, 2), (5, 5)");
    // A snapshot stays what it was.
    a.run("begin");
    assert_eq!(a.value("select sum(v) from d.t"), "8");
    b.run("update d.t set v = 100 where id = 1");
    assert_eq!(a.value("select sum(v) from d.t"), "8");
    a.run("commit");
    assert_eq!(a.value("select sum(v) from d.t"), "107");
    // A locked gap keeps others out.
    a.run("begin");
    a.query("select * from d.t where id between 2 and 5 for update").unwrap();
    b.run("set innodb_lock_wait_timeout = 1");
    assert_eq!(errno(b.query("insert into d.t values (3, 3)")), 1205);
    assert_eq!(errno(b.query("select * from d.t where id = 2 for update nowait")), 3572);
    assert_eq!(b.query("select id from d.t for update skip locked").unwrap().len(), 1);
    a.run("rollback");
    // Two who wait for each other: one is told, the other goes on.
    b.run("set innodb_lock_wait_timeout = 50");
    a.run("begin");
    b.run("begin");
    a.run("update d.t set v = 0 where id = 1");
    b.run("update d.t set v = 0 where id = 2");
    a.command(3, b"update d.t set v = 0 where id = 2");
    std::thread::sleep(Duration::from_millis(200));
    let second = b.query("update d.t set v = 0 where id = 1");
    let first = a.answer(false);
    let told =
        [&first, &second].into_iter().filter(|r| matches!(r, Err(e) if e.errno == 1213)).count();
    assert_eq!(told, 1, "{first:?} {second:?}");
}

#[test]
fn killed_processes_lose_nothing_acknowledged() {
    let mut s = Server::start("ledger", &["--innodb-redo-log-capacity=64M"]);
    s.client().run("create database d");
    s.client().run("create table d.t (id bigint primary key, pad varchar(200), key (pad))");
    let mut next = 0u64;
    for round in 0..6u64 {
        let (port, first) = (s.port, next);
        let writers: Vec<_> = (0..4u64)
            .map(|w| {
                std::thread::spawn(move || {
                    let mut c = Client::connect(port, "root").expect("connects");
                    c.stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                    let mut acked = Vec::new();
                    for n in 0..1_000_000 {
                        let id = first + n * 4 + w;
                        let sql =
                            format!("insert into d.t values ({id}, repeat('{}', 50))", id % 10);
                        let r = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                            c.query(&sql)
                        }));
                        match r {
                            Ok(Ok(_)) => acked.push(id),
                            _ => break,
                        }
                    }
                    acked
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(100 + 150 * (round % 4)));
        let dir = s.kill();
        let acked: Vec<u64> =
            writers.into_iter().flat_map(|w| w.join().expect("a writer")).collect();
        s = Server::start_in(dir, &["--innodb-redo-log-capacity=64M"]);
        let mut c = s.client();
        let rows = c.query("select id from d.t").unwrap();
        let there: std::collections::HashSet<u64> =
            rows.iter().map(|r| r[0].as_ref().unwrap().parse().unwrap()).collect();
        let lost = acked.iter().filter(|id| !there.contains(id)).count();
        assert_eq!(lost, 0, "round {round}: {lost} of {} acknowledged rows are gone", acked.len());
        let check = c.query("check table d.t").unwrap();
        assert_eq!(check.last().unwrap()[3].as_deref(), Some("OK"), "{check:?}");
        next = there.iter().max().map_or(0, |m| m + 4) / 4 * 4;
    }
    let dir = s.stop();
    let _ = std::fs::remove_dir_all(dir);
}

#[test]
fn a_thousand_idle_clients_are_cheap() {
    let s = Server::start("idle", &["--max-connections=1100"]);
    let before = s.rss_kib();
    let clients: Vec<Client> = (0..1000).map(|_| s.client()).collect();
    let cost = (s.rss_kib() - before) / 1024;
    println!("1000 idle clients: {cost} MiB");
    // The bound is the release build's; the checks of a debug build touch more stack.
    let bound = if cfg!(debug_assertions) { 128 } else { 64 };
    assert!(cost < bound, "1000 idle clients cost {cost} MiB");
    drop(clients);
}
