//! `max_execution_time`: what ends, what does not, and that the engine is whole behind it wherever the statement was.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_disk::{Speed, ThrottledDisk};
use weir_engine::Options;
use weir_rt::sim::SimRt;
use weir_sql::session_api::KillKind;

const LIMIT: Duration = Duration::from_millis(100);

/// Each waits for something else.
#[test]
fn waits_end_with_the_time() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1,1), (2,2)",
            "select get_lock('l', 0)",
            "begin",
            "update t set v = 2 where id = 1",
        ])
        .await;
        let rt = server.inst.db.rt().clone();
        b.rows("set max_execution_time = 100, innodb_lock_wait_timeout = 50").await;
        for sql in [
            "select * from t where id = 1 for update",
            "select get_lock('l', 1000)",
            "select id from t where sleep(1000)",
            "select sleep(1000) from t",
            "select (select v from t where id = 1 for share)",
            "with recursive r (n) as (select 1 union all select n + 1 from r where sleep(1) = 0) select count(*) from r",
        ] {
            let begun = rt.now();
            let answer = b.ask(sql).await;
            assert_eq!(answer.errno(), 3024, "{sql}: {}", answer.line());
            let took = Duration::from_nanos(rt.now() - begun);
            assert!(took >= LIMIT && took < LIMIT + Duration::from_millis(20), "{sql}: {took:?}");
        }
        // As in MySQL, where nothing else is left to do.
        assert_eq!(b.rows("select sleep(1000)").await, "1");
        // The switch is as it was, and what is no SELECT has no limit.
        b.check(&[
            ("select sleep(0.05)", "0"),
            ("do sleep(0.2)", "ok 0"),
            ("select count(*) from t", "2"),
            ("set innodb_lock_wait_timeout = 1", "ok 0"),
            ("update t set v = 3 where id = 1", "E1205"),
        ])
        .await;
        for c in [a, b] {
            c.0.close().await;
        }
    });
}

/// In a transaction the statement alone is undone, and what a SELECT changed by a function goes with it.
#[test]
fn a_statement_out_of_time_is_undone() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key)",
            "create function slow(n int) returns int begin insert into t values (n); return sleep(0.06); end",
            "set max_execution_time = 100",
            "begin",
            "insert into t values (100)",
        ])
        .await;
        c.check(&[
            ("select slow(1)", "0"),
            ("select slow(2), slow(3), slow(4)", "E3024"),
            ("select * from t", "1; 100"),
            ("insert into t values (2)", "ok 1"),
            ("commit", "ok 0"),
            // A transaction of its own.
            ("select slow(5), slow(6), slow(7)", "E3024"),
            ("select * from t", "1; 2; 100"),
        ])
        .await;
        c.0.close().await;
    });
}

/// A kill while the time runs is a kill, whether it comes before the deadline or behind it.
#[test]
fn a_kill_stays_a_kill() {
    with_server(1, |server| async move {
        let mut a = server.client();
        a.all(&[
            "create table t (id int primary key)",
            "insert into t values (1)",
            "begin",
            "delete from t",
        ])
        .await;
        let rt = server.inst.db.rt().clone();
        let kill = server.kill_switch();
        let mut b = server.client_with(kill.clone());
        b.rows("set max_execution_time = 100").await;
        for (after, kind, want) in [
            (20, KillKind::Query, 1317),
            (100, KillKind::Query, 0),
            (30, KillKind::Connection, 1317),
        ] {
            let running = rt.spawn("b", async move {
                let answer = b.ask("select * from t for update").await;
                (b, answer)
            });
            rt.sleep(Duration::from_millis(after)).await;
            kill.kill(kind);
            let (back, answer) = running.await;
            b = back;
            // At the same moment either may be first.
            let either = want == 0 && [1317, 3024].contains(&answer.errno());
            assert!(either || answer.errno() == want, "{}", answer.line());
            if kind == KillKind::Query {
                kill.clear_query();
                assert_eq!(b.rows("select 1").await, "1");
            }
        }
        assert_eq!(
            b.ask("select * from t for update").await.errno(),
            1317,
            "a killed connection stays killed"
        );
        for c in [a, b] {
            c.0.close().await;
        }
    });
}

/// Where sessions write pages to have free ones, a SELECT may meet its end inside a page write, with the doublewrite area half written.
/// The write ends; and everything can be written, checkpointed and stopped afterwards.
#[test]
fn the_time_ends_inside_a_page_write() {
    for seed in 1..4 {
        let sim = SimRt::new(seed);
        let rt = sim.rt();
        let disk = SimDisk::new(rt.clone(), seed);
        let done = sim.run(async {
            let server = small(&rt, &disk, 200).await;
            let late = meet_page_writes(&server).await;
            assert!(late >= 3, "{late} statements met their end inside a page write");
            let db = server.inst.db.clone();
            let mut c = server.client();
            c.rows("update t set v = 7").await;
            assert_eq!(c.rows("select sum(v), count(*) from t").await, "10500|1500");
            c.0.close().await;
            drop(server);
            db.shutdown().await.expect("shuts down");
            let server = small(&rt, &disk, 100_000).await;
            let mut c = server.client();
            c.check(&[
                ("select sum(v), count(*) from t", "10500|1500"),
                ("check table t", "test.t|check|status|OK"),
            ])
            .await;
            c.0.close().await;
            server.inst.db.shutdown().await.expect("shuts down");
        });
        done.expect("nothing waits for ever");
    }
}

/// A pool of 64 pages on a device of so many requests a second, whose pages sessions write.
async fn small(rt: &weir_rt::Rt, disk: &SimDisk, iops: u64) -> Server {
    let device = ThrottledDisk::new(rt.clone(), Arc::new(disk.clone()), Some(Speed::of_2009(iops)));
    let options = Options {
        page_size: 4096,
        buffer_pool: 64 * 4096,
        redo_capacity: 4 << 20,
        log_buffer: 1 << 20,
        doublewrite: true,
        flush_policy: "stock-5.0",
        ..Options::default()
    };
    let server = start_on(rt, Arc::new(device), options).await;
    let mut c = server.client();
    c.rows("set global weir_flush_policy = 'stock-5.0'").await;
    c.0.close().await;
    server
}

/// Dirties pages and reads others with ever other limits. Returns how many statements wrote pages and ended later than they should.
async fn meet_page_writes(server: &Server) -> usize {
    let rt = server.inst.db.rt().clone();
    let mut c = server.client();
    c.rows("create database test").await;
    c.0.close().await;
    let mut c = server.client();
    c.rows("create table t (id int primary key, v int, body varchar(500))").await;
    for first in (0..1500).step_by(100) {
        let rows: Vec<String> =
            (first..first + 100).map(|n| format!("({n}, 0, repeat('x', 400))")).collect();
        c.rows(&format!("insert into t values {}", rows.join(","))).await;
    }
    let written = || {
        server
            .inst
            .db
            .status()
            .iter()
            .find(|s| s.0 == "Weir_flush_user_free_pages")
            .expect("it is there")
            .1
    };
    let mut late = 0;
    for round in 0..40 {
        let from = round * 353 % 1500;
        c.rows("set max_execution_time = 0").await;
        c.rows(&format!("update t set v = v + 1 where id between {from} and {}", from + 400)).await;
        let limit = 5 + round * 7 % 60;
        c.rows(&format!("set max_execution_time = {limit}")).await;
        let (begun, before) = (rt.now(), written());
        let answer = c.ask("select count(*) from t where body like '%y'").await;
        let took = (rt.now() - begun) / 1_000_000;
        assert!(answer.errno() == 0 || answer.errno() == 3024, "{}", answer.line());
        if answer.errno() == 3024 && written() > before && took > limit as u64 + 10 {
            late += 1;
        }
    }
    c.0.close().await;
    late
}
