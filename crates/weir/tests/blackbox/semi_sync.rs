//! Semi-synchronous replication: commits that wait for replicas, for stand-ins of them and for real ones.

use crate::common::{Client, Server, until};
use std::time::{Duration, Instant};

const LOG: &[&str] =
    &["--log-bin", "--server-id=7", "--gtid-mode=ON", "--enforce-gtid-consistency=ON"];
const ON: &str = "--rpl-semi-sync-source-enabled=ON";
const FOR_EVER: &str = "--rpl-semi-sync-source-timeout=600000";

/// A replica of the test's own, which acknowledges what the test wants.
struct Replica {
    c: Client,
}

impl Replica {
    fn of(server: &Server, server_id: u32) -> Replica {
        let mut c = server.root_client();
        let place = c.run("show master status").rows.remove(0);
        let (file, position) = (place[0].clone().unwrap_or_default(), place[1].clone());
        c.run("set @source_binlog_checksum = 'CRC32', @rpl_semi_sync_replica = 1");
        let mut packet = vec![0x12];
        let position: u32 = position.and_then(|p| p.parse().ok()).expect("a position");
        packet.extend_from_slice(&position.to_le_bytes());
        packet.extend_from_slice(&0u16.to_le_bytes());
        packet.extend_from_slice(&server_id.to_le_bytes());
        packet.extend_from_slice(file.as_bytes());
        c.command(&packet).expect("sent");
        // The name of the file, and its head.
        let mut replica = Replica { c };
        for _ in 0..2 {
            assert!(!replica.event().0);
        }
        replica
    }

    /// Whether the next event is to be acknowledged, and where it ends.
    fn event(&mut self) -> (bool, u64) {
        let packet = self.c.read_packet().expect("a packet");
        assert_eq!(packet[..2], [0, 0xEF], "{packet:?}");
        let asked = packet[2] == 1;
        if asked {
            self.c.set_seq(1);
        }
        let end: [u8; 4] = packet[3 + 13..3 + 17].try_into().expect("a header");
        (asked, u32::from_le_bytes(end).into())
    }

    /// Where the next event ends that is to be acknowledged.
    fn asked(&mut self) -> u64 {
        loop {
            if let (true, end) = self.event() {
                return end;
            }
        }
    }

    fn acknowledge(&mut self, file: &str, position: u64) {
        self.send(&[&[0xEF], &position.to_le_bytes()[..], file.as_bytes()].concat());
    }

    fn send(&mut self, packet: &[u8]) {
        self.c.set_seq(0);
        self.c.write_packet(packet).expect("sent");
    }
}

fn figure(c: &mut Client, name: &str) -> String {
    let shown = c.run(&format!("show global status like 'Rpl_semi_sync_{name}'"));
    shown.rows[0][1].clone().unwrap_or_default()
}

fn until_figure(server: &Server, name: &str, value: &str) {
    let mut c = server.root_client();
    until(&format!("{name} is {value}"), || figure(&mut c, name) == value);
}

/// Runs a statement on a connection of its own.
fn aside(server: &Server, sql: &str) -> std::thread::JoinHandle<Result<u16, u16>> {
    let mut c = server.root_client();
    let sql = sql.to_owned();
    std::thread::spawn(move || c.query(&sql).map(|a| a.warnings).map_err(|e| e.errno))
}

fn begun(options: &[&str]) -> Server {
    let server = Server::start(&[LOG, options].concat());
    let mut c = server.root_client();
    c.run("set global rpl_semi_sync_source_enabled = off");
    c.run("create database d");
    c.run("create table d.t (a int primary key)");
    c.run("set global rpl_semi_sync_source_enabled = on");
    server
}

#[test]
fn every_kind_of_commit_waits_for_its_acknowledgement() {
    for point in ["after_sync", "after_commit"] {
        let server = begun(&[FOR_EVER]);
        let mut c = server.root_client();
        c.run(&format!("set global rpl_semi_sync_source_wait_point = {point}"));
        let mut replica = Replica::of(&server, 99);
        until_figure(&server, "source_clients", "1");
        let mut waits = 0;
        for (sql, transactions) in [
            ("insert into d.t values (1)", 1),
            ("begin; insert into d.t values (2); commit", 1),
            ("create table d.u (a int primary key)", 1),
            ("begin; insert into d.t values (3); drop table d.u", 2),
            ("create user u", 1),
            ("analyze table d.t", 1),
            ("create table d.v select * from d.t", 1),
            ("xa start 'x'; insert into d.t values (4); xa end 'x'; xa prepare 'x'", 1),
            ("xa commit 'x'", 1),
            ("prepare s from 'insert into d.t values (5)'; execute s", 1),
            ("set autocommit = 0; insert into d.t values (6); set autocommit = 1", 1),
            ("set gtid_next = '3e11fa47-71ca-11e1-9e33-c80aa9429562:7'; begin; commit", 1),
        ] {
            let mut own = server.root_client();
            let texts: Vec<String> = sql.split("; ").map(str::to_owned).collect();
            let done = std::thread::spawn(move || texts.iter().for_each(|t| drop(own.run(t))));
            for _ in 0..transactions {
                waits += 1;
                let end = replica.asked();
                std::thread::sleep(Duration::from_millis(20));
                assert!(!done.is_finished(), "{sql} at {point}");
                replica.acknowledge("binlog.000001", end);
            }
            done.join().unwrap_or_else(|_| panic!("{sql} at {point}"));
        }
        assert_eq!(figure(&mut c, "source_yes_tx"), waits.to_string(), "{point}");
        assert_eq!(figure(&mut c, "source_no_tx"), "0");
        // What is not logged waits for nobody.
        c.run("set sql_log_bin = 0");
        c.run("insert into d.t values (100)");
        c.run("create temporary table d.tmp (a int)");
        // A statement that fails has nothing to wait for.
        c.run("set sql_log_bin = 1");
        assert_eq!(c.fail("create user u"), 1396);
        assert_eq!(c.fail("insert into d.t values (1)"), 1062);
        assert_eq!(figure(&mut c, "source_yes_tx"), waits.to_string());
    }
}

#[test]
fn what_is_not_acknowledged_is_not_seen_after_sync_and_is_seen_after_commit() {
    let server = begun(&[FOR_EVER]);
    let mut c = server.root_client();
    let mut replica = Replica::of(&server, 99);
    for (point, n, seen) in [("after_sync", 1, "0"), ("after_commit", 2, "1")] {
        c.run(&format!("set global rpl_semi_sync_source_wait_point = {point}"));
        let writes = aside(&server, &format!("insert into d.t values ({n})"));
        let end = replica.asked();
        until_figure(&server, "source_wait_sessions", "1");
        assert_eq!(c.rows(&format!("select count(*) from d.t where a = {n}")), seen, "{point}");
        // Its locks are held until others see it.
        c.run("set innodb_lock_wait_timeout = 1");
        let locked = c.query(&format!("select a from d.t where a = {n} for update"));
        assert_eq!(
            locked.map(|a| a.rows.len()).map_err(|e| e.errno),
            match n {
                1 => Err(1205),
                _ => Ok(1),
            }
        );
        replica.acknowledge("binlog.000001", end);
        assert_eq!(writes.join().expect("ends"), Ok(0));
        assert_eq!(c.rows(&format!("select count(*) from d.t where a = {n}")), "1");
    }
    assert_eq!(
        c.rows(
            "select count(*) from information_schema.processlist where state like '%semi-sync%'"
        ),
        "0"
    );
}

#[test]
fn a_timeout_makes_it_asynchronous_until_a_replica_has_caught_up() {
    let server = begun(&["--rpl-semi-sync-source-timeout=300"]);
    let mut c = server.root_client();
    let begun = Instant::now();
    c.run("insert into d.t values (1)");
    assert!(begun.elapsed() >= Duration::from_millis(300));
    assert_eq!(figure(&mut c, "source_status"), "OFF");
    assert_eq!(figure(&mut c, "source_no_times"), "1");
    let begun = Instant::now();
    for n in 2..10 {
        c.run(&format!("insert into d.t values ({n})"));
    }
    assert!(begun.elapsed() < Duration::from_millis(2_000));
    assert!(server.log().contains("semi-synchronous replication is switched off"));
    let mut replica = Replica::of(&server, 99);
    until_figure(&server, "source_status", "ON");
    let writes = aside(&server, "insert into d.t values (20)");
    let end = replica.asked();
    replica.acknowledge("binlog.000001", end);
    assert_eq!(writes.join().expect("ends"), Ok(0));
    assert_eq!(
        (figure(&mut c, "source_yes_tx"), figure(&mut c, "source_no_tx")),
        ("1".into(), "9".into())
    );
    // Nobody is there, and nobody is waited for.
    c.run("set global rpl_semi_sync_source_timeout = 600000");
    c.run("set global rpl_semi_sync_source_wait_no_replica = off");
    drop(replica);
    until_figure(&server, "source_clients", "0");
    c.run("insert into d.t values (21)");
    assert_eq!(figure(&mut c, "source_status"), "OFF");
}

#[test]
fn two_replicas_are_waited_for_where_two_are_asked_for() {
    let server = begun(&[FOR_EVER, "--rpl-semi-sync-source-wait-for-replica-count=2"]);
    let (mut a, mut b) = (Replica::of(&server, 98), Replica::of(&server, 99));
    let writes = aside(&server, "insert into d.t values (1)");
    let end = a.asked();
    a.acknowledge("binlog.000001", end);
    assert_eq!(b.asked(), end);
    std::thread::sleep(Duration::from_millis(100));
    assert!(!writes.is_finished());
    // One that has gone had it.
    drop(a);
    until_figure(&server, "source_clients", "1");
    b.acknowledge("binlog.000001", end);
    assert_eq!(writes.join().expect("ends"), Ok(0));
    let other = aside(&server, "insert into d.t values (2)");
    let end = b.asked();
    b.acknowledge("binlog.000001", end);
    std::thread::sleep(Duration::from_millis(100));
    assert!(!other.is_finished());
    server.root_client().run("set global rpl_semi_sync_source_wait_for_replica_count = 1");
    assert_eq!(other.join().expect("ends"), Ok(0));
}

#[test]
fn absurd_acknowledgements_end_the_dump() {
    let server = begun(&[FOR_EVER]);
    let ack = |position: u64, file: &str| {
        [&[0xEF], &position.to_le_bytes()[..], file.as_bytes()].concat()
    };
    for (n, packet) in [
        ack(1 << 40, "binlog.000001"),
        ack(4, "binlog.000009"),
        ack(4, "other.000001"),
        ack(4, ""),
        ack(4, &"x".repeat(100_000)),
        b"select 1".to_vec(),
        vec![0xEF],
        vec![0xEF; 9],
        Vec::new(),
    ]
    .into_iter()
    .enumerate()
    {
        let mut replica = Replica::of(&server, 99);
        let writes = aside(&server, &format!("insert into d.t values ({n})"));
        let end = replica.asked();
        replica.send(&packet);
        assert_eq!(replica.c.read_failure().errno, 1236, "{n}");
        assert!(!writes.is_finished(), "{n}");
        until_figure(&server, "source_clients", "0");
        // Another one has it, and says so when it comes.
        let mut other = Replica::of(&server, 99);
        other.acknowledge("binlog.000001", end);
        assert_eq!(writes.join().expect("ends"), Ok(0));
    }
    // Too short a packet, in the middle of which the replica goes.
    let mut replica = Replica::of(&server, 99);
    let writes = aside(&server, "insert into d.t values (100)");
    let end = replica.asked();
    replica.c.send_bytes(&[20, 0, 0, 0, 0xEF]).expect("sent");
    replica.c.end();
    until_figure(&server, "source_clients", "0");
    Replica::of(&server, 99).acknowledge("binlog.000001", end);
    assert_eq!(writes.join().expect("ends"), Ok(0));
}

#[test]
fn waits_end_with_kill_with_the_switch_and_with_the_server() {
    for point in ["after_sync", "after_commit"] {
        let mut server = begun(&[FOR_EVER]);
        let mut c = server.root_client();
        c.run(&format!("set global rpl_semi_sync_source_wait_point = {point}"));
        let waiting = "select id from information_schema.processlist where state = 'Waiting for semi-sync ACK from replica'";
        for (n, kill) in [(1, "kill query"), (2, "kill")] {
            let writes = aside(&server, &format!("insert into d.t values ({n})"));
            until("it waits", || !c.rows(waiting).is_empty());
            let id = c.rows(waiting);
            c.run(&format!("{kill} {id}"));
            let done = writes.join().expect("ends");
            assert!(if n == 1 { done == Ok(1) } else { done.is_err() }, "{done:?} at {point}");
            until("it is there", || c.rows("select count(*) from d.t") == n.to_string());
        }
        let writes = aside(&server, "insert into d.t values (3)");
        until("it waits", || !c.rows(waiting).is_empty());
        c.run("set global rpl_semi_sync_source_enabled = off");
        assert_eq!(writes.join().expect("ends"), Ok(0));
        c.run("set global rpl_semi_sync_source_enabled = on");
        let writes = aside(&server, "insert into d.t values (4)");
        until("it waits", || !c.rows(waiting).is_empty());
        drop(c);
        assert!(server.stop().success());
        drop(writes.join());
        let again = server.again(LOG);
        assert_eq!(again.root_client().rows("select count(*) from d.t"), "4");
    }
}

fn follow(replica: &Server, source: &Server) -> Client {
    let mut c = replica.root_client();
    c.run(&format!(
        "change replication source to source_host = '127.0.0.1', source_port = {}, source_user = 'repl', source_password = 'repl', \
         source_connect_retry = 1, source_retry_count = 1000, source_auto_position = 1",
        source.port
    ));
    c.run("start replica");
    c
}

#[test]
fn a_weir_acknowledges_what_it_has_applied() {
    let source = begun(&[FOR_EVER, "--max-binlog-size=4096"]);
    let mut c = source.root_client();
    c.run("set global rpl_semi_sync_source_enabled = off");
    c.run("create user repl identified with mysql_native_password by 'repl'");
    c.run("grant replication slave on *.* to repl");
    c.run("set global rpl_semi_sync_source_enabled = on");
    let semi = "--rpl-semi-sync-replica-enabled=ON";
    let replica = Server::start(&["--server-id=8", semi]);
    let mut of_replica = follow(&replica, &source);
    until_figure(&replica, "replica_status", "ON");
    until_figure(&source, "source_clients", "1");
    for n in 1..100 {
        c.run(&format!("insert into d.t values ({n})"));
        // It is there when the client has its answer.
        assert_eq!(of_replica.rows("select max(a) from d.t"), n.to_string());
    }
    c.run("create table d.u (a int primary key)");
    assert_eq!(of_replica.rows("select count(*) from d.u"), "0");
    assert_eq!(figure(&mut c, "source_no_tx"), "0");
    // Writers together, over the ends of files.
    let clients: Vec<_> = (0..4)
        .map(|n: u32| {
            let mut one = source.root_client();
            std::thread::spawn(move || {
                for i in 0..50 {
                    one.run(&format!("insert into d.u values ({})", n * 1000 + i));
                }
            })
        })
        .collect();
    clients.into_iter().for_each(|t| t.join().expect("ends"));
    assert_eq!(of_replica.rows("select count(*) from d.u"), "200");
    // A replica that applies nothing acknowledges nothing.
    of_replica.run("stop replica sql_thread");
    let writes = aside(&source, "insert into d.u values (9999)");
    until_figure(&source, "source_wait_sessions", "1");
    std::thread::sleep(Duration::from_millis(200));
    assert!(!writes.is_finished());
    of_replica.run("start replica sql_thread");
    assert_eq!(writes.join().expect("ends"), Ok(0));
    // It goes in the middle of a wait, and has the transaction when it comes again.
    of_replica.run("lock tables d.u read");
    let writes = aside(&source, "insert into d.u values (10000)");
    until_figure(&source, "source_wait_sessions", "1");
    drop(of_replica);
    let replica = replica.crash(&["--server-id=8", semi]);
    assert_eq!(writes.join().expect("ends"), Ok(0));
    assert_eq!(replica.root_client().rows("select count(*) from d.u where a >= 9999"), "2");
    assert_eq!(figure(&mut c, "source_no_tx"), "0");
}

#[test]
fn plugins_and_variables_are_what_scripts_expect() {
    let server = Server::start(&[LOG, &[ON, FOR_EVER]].concat());
    let mut c = server.root_client();
    assert_eq!(figure(&mut c, "source_status"), "ON");
    let plugins = c.rows("select plugin_name, plugin_status, plugin_type from information_schema.plugins where plugin_name like 'rpl%'");
    assert_eq!(
        plugins,
        "rpl_semi_sync_source,ACTIVE,REPLICATION;rpl_semi_sync_replica,ACTIVE,REPLICATION"
    );
    assert_eq!(c.fail("install plugin rpl_semi_sync_source soname 'semisync_source.so'"), 1125);
    assert_eq!(c.fail("install plugin rpl_semi_sync_replica soname 'semisync_replica.so'"), 1125);
    assert_eq!(c.fail("install plugin rpl_semi_sync_master soname 'semisync_master.so'"), 4045);
    assert_eq!(c.fail("uninstall plugin rpl_semi_sync_source"), 1619);
    assert_eq!(c.fail("uninstall plugin other"), 1305);
    c.run("set global rpl_semi_sync_master_timeout = 5");
    assert_eq!(c.rows("select @@global.rpl_semi_sync_source_timeout"), "5");
    assert_eq!(c.fail("set global rpl_semi_sync_source_wait_point = 7"), 1231);
    assert_eq!(c.run("set global rpl_semi_sync_source_wait_for_replica_count = 0").warnings, 1);
    assert_eq!(c.fail("set session rpl_semi_sync_source_enabled = on"), 1229);
    c.run("create user plain");
    let mut plain = server
        .connect(&crate::common::Login { user: "plain", ..Default::default() })
        .expect("a login");
    assert_eq!(plain.fail("set global rpl_semi_sync_source_enabled = off"), 1227);
    assert_eq!(plain.fail("install plugin rpl_semi_sync_source soname 'semisync_source.so'"), 1142);
}
