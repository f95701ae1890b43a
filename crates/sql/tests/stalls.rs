//! Who waits for whom, asked in SQL by a third session while it lasts and afterwards.
use crate::common::*;
use std::time::Duration;
use weir_rt::{Actor, acting};

#[test]
fn a_row_that_somebody_keeps() {
    with_server(1, |server| async move {
        let (mut a, mut b, mut c) = (server.client(), server.client(), server.client());
        a.all(&[
            "create table t (id int primary key, v int)",
            "insert into t values (1,1)",
            "begin",
            "update t set v = 2",
        ])
        .await;
        let rt = server.inst.db.rt().clone();
        let update = async move {
            b.rows("update t set v = 3 where id = 1").await;
            b
        };
        let waits = rt.spawn("b", acting(Actor::session(3), update));
        rt.sleep(Duration::from_secs(4)).await;
        c.check(&[
            (
                "select cause, object, blocker, connection, sessions, ended is null from information_schema.weir_stalls",
                "row lock|test.t.PRIMARY|2|3|1|1",
            ),
            (
                "select under_way, cause, object, blocker, connection, usec >= 3900000, statement from information_schema.weir_waits where cause = 'row lock'",
                "YES|row lock|test.t.PRIMARY|2|3|1|NULL",
            ),
            (
                "select cause, object, blocker, sum(waits), sum(session_seconds) >= 2, min(share) > 0.9, max(seconds) \
                 from information_schema.weir_stall_report where ended between now() - interval 1 minute and now() \
                 and object = 'test.t.PRIMARY' group by cause, object, blocker",
                "row lock|test.t.PRIMARY|2|1|1|1|1",
            ),
            ("select variable_value from performance_schema.global_status where variable_name = 'Weir_waits_row_lock'", "1"),
            ("show global status like 'Weir_stalls'", "Weir_stalls|1"),
            ("set global weir_stall_seconds = 0", "ok 0"),
            ("select @@weir_stall_seconds", "0"),
        ])
        .await;
        a.rows("commit").await;
        let b = waits.await;
        rt.sleep(Duration::from_secs(2)).await;
        c.check(&[
            ("select ended is null from information_schema.weir_stalls", "0"),
            (
                "select under_way, blocker_trx > 0, usec > 3900000 from information_schema.weir_waits where cause = 'row lock'",
                "NO|1|1",
            ),
        ])
        .await;
        for client in [a, b, c] {
            client.0.close().await;
        }
    });
}

#[test]
fn a_client_that_reads_and_goes_for_lunch() {
    with_server(2, |server| async move {
        let (mut a, mut b, mut c) = (server.client(), server.client(), server.client());
        a.rows("create table t (id int primary key)").await;
        let reads = async {
            a.all(&["begin", "select * from t"]).await;
            a
        };
        let mut a = acting(Actor::session(2), reads).await;
        let rt = server.inst.db.rt().clone();
        let alter = async move {
            b.rows("alter table t add column v int").await;
            b
        };
        let ddl = rt.spawn("b", acting(Actor::session(3), alter));
        rt.sleep(Duration::from_secs(1)).await;
        let waits = "select cause, object, blocker, connection from information_schema.weir_waits where cause = 'metadata lock'";
        c.check(&[(waits, "metadata lock|test.t|2|3")]).await;
        a.rows("commit").await;
        let b = ddl.await;
        c.check(&[(waits, "metadata lock|test.t|2|3")]).await;
        for client in [a, b, c] {
            client.0.close().await;
        }
    });
}

#[test]
fn only_for_those_who_may_see_what_others_do() {
    with_server(3, |server| async move {
        let mut root = server.client();
        root.rows("create user 'u'@'localhost'").await;
        let mut u = server.client_of("u");
        for table in ["weir_waits", "weir_stalls", "weir_stall_report"] {
            let sql = format!("select count(*) from information_schema.{table}");
            assert_eq!(u.ask(&sql).await.errno(), 1227, "{table}");
        }
        for client in [root, u] {
            client.0.close().await;
        }
    });
}

/// A transaction waits for a table that is being altered no longer than `lock_wait_timeout`, and a timeout that is set while it
/// runs holds from the next statement on, for tables and for rows.
#[test]
fn timeouts_hold_from_the_next_statement_on() {
    with_server(3, |server| async move {
        let (mut a, mut b, mut c) = (server.client(), server.client(), server.client());
        a.all(&["create table t (id int primary key)", "insert into t values (1)"]).await;
        a.all(&["create table u (id int primary key)", "insert into u values (1)"]).await;
        b.all(&["begin", "select * from u"]).await;
        a.all(&["begin", "select * from t for update"]).await;
        let rt = server.inst.db.rt().clone();
        let ddl = rt.spawn("ddl", async move {
            c.rows("alter table t add column v int").await;
            c
        });
        rt.sleep(Duration::from_secs(1)).await;
        for (set, seconds) in [
            ("set lock_wait_timeout = 3", 3),
            ("set lock_wait_timeout = 1000, innodb_lock_wait_timeout = 7", 7),
        ] {
            b.rows(set).await;
            let begun = rt.now();
            assert_eq!(b.ask("select * from t").await.errno(), 1205);
            // Virtual time: exactly what was asked for, and the processor's share of the statement.
            assert_eq!((rt.now() - begun) / 1_000_000_000, seconds);
        }
        a.rows("select * from u for update").await;
        b.rows("set innodb_lock_wait_timeout = 2").await;
        let begun = rt.now();
        assert_eq!(b.ask("update u set id = 2").await.errno(), 1205);
        assert_eq!((rt.now() - begun) / 1_000_000_000, 2);
        a.rows("commit").await;
        let c = ddl.await;
        b.rows("commit").await;
        for client in [a, b, c] {
            client.0.close().await;
        }
    });
}
