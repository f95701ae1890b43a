//! Answers to commits, which are sent by anyone who writes the log while many sessions commit: their order, and who waits for whom.

use crate::common::{Answer, Client, Failure, Login, Server, param, until};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Sessions that commit all the time, so that the log is always being written.
struct Crowd {
    over: Arc<AtomicBool>,
    threads: Vec<thread::JoinHandle<u64>>,
}

impl Crowd {
    fn start(port: u16) -> Crowd {
        let over = Arc::new(AtomicBool::new(false));
        let threads = (0..8u64)
            .map(|n| {
                let over = over.clone();
                thread::spawn(move || {
                    let mut c = client(port);
                    let (mut done, mut at) = (0, n);
                    while !over.load(Ordering::Relaxed) {
                        c.run(&format!("insert into crowd values ({at}, 1)"));
                        (done, at) = (done + 1, at + 8);
                    }
                    done
                })
            })
            .collect();
        Crowd { over, threads }
    }

    fn end(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        self.threads.into_iter().map(|t| t.join().unwrap()).sum()
    }
}

fn client(port: u16) -> Client {
    Client::tcp(port, &Login { database: "d", ..Login::default() }).unwrap()
}

fn server() -> Server {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.crowd (id bigint primary key, n int)");
    c.run("create table d.t (id bigint primary key, n int)");
    server
}

/// Commands of the client that reads late: their answers fit into the buffers of a socket.
const LATE: u64 = 2000;

fn say(c: &mut Client, sql: &str) {
    c.command(&[&[3], sql.as_bytes()].concat()).unwrap();
}

/// The answer to a command behind which others were sent already.
fn next(c: &mut Client) -> Result<Answer, Failure> {
    c.set_seq(1);
    c.read_answer(false)
}

/// A client that does not wait for one answer before its next command gets them all, in the order of its commands.
#[test]
fn commands_sent_at_once_are_answered_in_order() {
    let server = server();
    let crowd = Crowd::start(server.port);
    let mut c = client(server.port);
    for round in 0..20 {
        let first = round * 100;
        for id in first..first + 50 {
            say(&mut c, &format!("insert into t values ({id}, 0)"));
            say(&mut c, &format!("insert into t values ({id}, 0)"));
            say(&mut c, "begin");
            say(&mut c, &format!("update t set n = n + 1 where id <= {id} and id >= {first}"));
            say(&mut c, "commit and chain");
            say(&mut c, &format!("select count(*), sum(n) from t where id >= {first}"));
            say(&mut c, "rollback");
        }
        for k in 1..=50u64 {
            assert_eq!(next(&mut c).unwrap().affected, 1);
            assert_eq!(next(&mut c).unwrap_err().errno, 1062);
            next(&mut c).unwrap();
            assert_eq!(next(&mut c).unwrap().affected, k);
            next(&mut c).unwrap();
            let seen = next(&mut c).unwrap().rows.remove(0);
            let wanted = [k, k * (k + 1) / 2].map(|n| Some(n.to_string()));
            assert_eq!(seen, wanted);
            next(&mut c).unwrap();
        }
    }
    // Else all of them waited for themselves, and nothing was tested.
    until("answers are left with the log", || {
        let kept = c.rows("show global status like 'Weir_log_answers_kept'");
        kept.strip_prefix("Weir_log_answers_kept,").unwrap().parse::<u64>().unwrap() > 0
    });
    let crowd = crowd.end();
    assert_eq!(c.rows("select count(*) from crowd"), crowd.to_string());
    // Anyone who was answered by another one waits for nothing any more.
    let waits = "select count(*) from information_schema.weir_waits where under_way = 'YES' and cause like 'log%'";
    until("no wait is under way", || c.rows(waits) == "0");
}

/// Several statements of one text, prepared ones, one that ends its connection, and a client that says goodbye.
#[test]
fn every_kind_of_last_step_is_answered() {
    let server = server();
    let crowd = Crowd::start(server.port);
    let login = Login { database: "d", ..Login::default() };
    let mut many = server.connect(&login).unwrap();
    many.simple(&[0x1b, 0, 0]).unwrap();
    let mut c = client(server.port);
    c.run(
        "create procedure p() begin insert into t values (-1, 1); delete from t where id = -1; end",
    );
    let (id, ..) = c.prepare("replace into t values (?, ?)").unwrap();
    for n in 0..200 {
        say(
            &mut many,
            "insert into t values (1000, 1); delete from t where id = 1000; commit; select 7",
        );
        for affected in [1, 1, 0] {
            assert_eq!(many.read_answer(false).unwrap().affected, affected);
        }
        assert_eq!(many.read_answer(false).unwrap().rows, [[Some("7".to_string())]]);
        assert_eq!(c.execute(id, &[param::int(n), param::int(n)]).unwrap().affected, 1);
        c.run("call p()");
        c.run("set autocommit = 0");
        c.run(&format!("update t set n = -1 where id = {n}"));
        c.run("set autocommit = 1");
    }
    assert_eq!(c.rows("select count(*), sum(n) from t"), "200,-200");
    c.run("begin");
    c.run("delete from t");
    c.run("commit release");
    assert!(c.is_closed());
    let mut c = client(server.port);
    say(&mut c, "insert into t values (1, 1)");
    c.command(&[1]).unwrap();
    assert_eq!(c.read_answer(false).unwrap().affected, 1);
    assert!(c.is_closed());
    crowd.end();
}

/// One that sends thousands of commands and reads no answer holds up nobody, and finds all answers later. What becomes of an answer that a
/// socket does not take is tested in `server::deferred_ack`.
#[test]
fn a_client_that_reads_late_holds_up_nobody() {
    let server = server();
    let crowd = Crowd::start(server.port);
    let port = server.port;
    let deaf = thread::spawn(move || {
        let mut c = client(port);
        for k in 0..LATE {
            say(&mut c, &format!("replace into t values ({}, {k})", k % 100));
        }
        c
    });
    let mut c = client(port);
    for _ in 0..500 {
        c.run("insert into t values (-5, 0)");
        c.run("delete from t where id = -5");
    }
    let mut late = deaf.join().unwrap();
    for k in 0..LATE {
        assert_eq!(next(&mut late).unwrap().affected, if k < 100 { 1 } else { 2 });
    }
    assert!(crowd.end() > 0);
}

/// SET GLOBAL holds for a session that was there before: its commits are synced from then on, each before it is answered.
#[test]
fn commits_of_open_sessions_are_durable_when_the_server_says_so() {
    let server = Server::start(&["--innodb-flush-log-at-trx-commit=0"]);
    let mut root = server.root_client();
    root.run("create database d");
    root.run("create table d.t (id bigint primary key, n int)");
    let mut c = client(server.port);
    c.run("insert into t values (0, 0)");
    root.run("set global innodb_flush_log_at_trx_commit = 1");
    let syncs = |root: &mut Client| {
        let told = root.rows("show global status like 'Innodb_os_log_fsyncs'");
        told.strip_prefix("Innodb_os_log_fsyncs,").unwrap().parse::<u64>().unwrap()
    };
    let before = syncs(&mut root);
    for id in 1..=200 {
        c.run(&format!("insert into t values ({id}, 0)"));
    }
    assert!(syncs(&mut root) >= before + 200);
}
