//! Events: their definitions, their times, and what runs when. The time is the test's own.
use crate::common::*;
use std::sync::Arc;
use weir_sql::session::{Scheduler, Session};

const SECOND: i64 = 1_000_000;

/// Runs what is due; gives the names.
async fn run_due(server: &Server, s: &mut Scheduler, now: i64) -> Vec<String> {
    let due = s.due(now).await;
    assert!(due.failed.is_empty(), "{:?}", due.failed);
    let mut names = Vec::new();
    for run in due.run {
        let o = &run.object;
        let mut session =
            Session::open(&server.inst, server.conn("root", "test", server.kill_switch()));
        let done = session.run_event(&run).await;
        session.close().await;
        names.push(match done {
            Ok(()) => o.name.clone(),
            Err(e) => format!("{} {}", o.name, e.errno),
        });
    }
    names
}

fn now(server: &Server) -> i64 {
    server.inst.db.rt().wall_micros() as i64
}

#[test]
fn definitions() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table t (a int)", "ok 0"),
            ("set timestamp = 1704067200, time_zone = '+00:00'", "ok 0"),
            (
                "create event e on schedule every 1 day starts '2030-01-01 10:00:00' ends '2031-01-01' on completion preserve comment 'it''s' do insert into t values (1)",
                "ok 0",
            ),
            ("create event e on schedule every 1 day do select 1", "E1537 Event 'e' already exists"),
            ("create event if not exists e on schedule every 1 day do select 1", "ok 0"),
            (
                "show create event e",
                "e|ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION|+00:00|\
                 CREATE DEFINER=`root`@`localhost` EVENT `e` ON SCHEDULE EVERY 1 DAY STARTS '2030-01-01 10:00:00' ENDS '2031-01-01 00:00:00' \
                 ON COMPLETION PRESERVE ENABLE COMMENT 'it''s' DO insert into t values (1)|utf8mb4|utf8mb4_general_ci|utf8mb4_0900_ai_ci",
            ),
            (
                "show events",
                "test|e|root@localhost|+00:00|RECURRING|NULL|1|DAY|2030-01-01 10:00:00|2031-01-01 00:00:00|ENABLED|1|utf8mb4|utf8mb4_general_ci|utf8mb4_0900_ai_ci",
            ),
            ("alter event e on schedule every '1:30' minute_second disable comment '' do begin select 1; select 2; end", "ok 0"),
            (
                "select event_definition, interval_value, interval_field, status, on_completion from information_schema.events",
                "begin select 1; select 2; end|'1:30'|MINUTE_SECOND|DISABLED|PRESERVE",
            ),
            ("alter event e rename to f", "ok 0"),
            ("alter event f rename to f", "E1551 Same old and new event name"),
            ("show events like 'F'", "test|f|root@localhost|+00:00|RECURRING|NULL|'1:30'|MINUTE_SECOND|2024-01-01 00:00:00|NULL|DISABLED|1|utf8mb4|utf8mb4_general_ci|utf8mb4_0900_ai_ci"),
            ("alter event e enable", "E1539 Unknown event 'e'"),
            ("drop event e", "E1539 Unknown event 'e'"),
            ("drop event if exists e", "ok 0"),
            ("create event g on schedule every 0 hour do select 1", "E1542 INTERVAL is either not positive or too big"),
            ("create event g on schedule every 1 microsecond do select 1", "E1235"),
            ("create event g on schedule at 'nonsense' do select 1", "E1525 Incorrect AT value: 'nonsense'"),
            ("create event g on schedule every 1 hour starts '2030-01-02' ends '2030-01-01' do select 1", "E1543 ENDS is either invalid or before STARTS"),
            ("create event g on schedule every 1 hour", "E1064"),
            ("alter event f", "E1064"),
            ("create procedure p() create event x on schedule every 1 day do select 1", "E1576"),
            ("create event nosuch.g on schedule every 1 day do select 1", "E1049"),
            ("drop event f", "ok 0"),
            ("create event g on schedule every 1 hour do select 1", "ok 0"),
            ("create database other", "ok 1"),
            ("create event other.g on schedule every 1 hour do select 1", "ok 0"),
            ("drop database other", "ok 0"),
            ("select count(*) from information_schema.events", "1"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn events_run_at_their_times() {
    with_server(2, |server| async move {
        let mut c = server.client();
        let start = now(&server);
        c.all(&[
            "create table log (what varchar(20), who varchar(40), tz varchar(10))",
            "set time_zone = '+02:00'",
            "create event often on schedule every 10 second do insert into log values ('often', current_user(), @@time_zone)",
            "create event once on schedule at current_timestamp + interval 5 second do begin insert into log (what) values ('once'); select 7; end",
            "create event kept on schedule at current_timestamp + interval 5 second on completion preserve do insert into log (what) values ('kept')",
            "create event off on schedule every 1 second disable do insert into log (what) values ('off')",
            "create event bad on schedule every 20 second starts current_timestamp + interval 20 second do insert into nosuch values (1)",
        ])
        .await;
        let mut s = Scheduler::new(Arc::clone(&server.inst));
        let base = now(&server);
        assert!(base - start < SECOND, "defining takes no time here");
        assert_eq!(run_due(&server, &mut s, base).await, ["often"]);
        let next = s.due(base + SECOND).await.next.expect("one is to come");
        assert!((base + 4 * SECOND..=base + 5 * SECOND).contains(&next));
        assert_eq!(run_due(&server, &mut s, base + 6 * SECOND).await, ["kept", "once"]);
        assert_eq!(run_due(&server, &mut s, base + 7 * SECOND).await, [""; 0]);
        // Times that passed are not made up for.
        assert_eq!(run_due(&server, &mut s, base + 45 * SECOND).await, ["often", "bad 1146"]);
        assert_eq!(run_due(&server, &mut s, base + 46 * SECOND).await, [""; 0]);
        c.check(&[
            (
                "select what, count(*), max(who), max(tz) from log group by what order by what",
                "kept|1|NULL|NULL; often|2|root@localhost|+02:00; once|1|NULL|NULL",
            ),
            (
                "select event_name, status from information_schema.events order by 1",
                "bad|ENABLED; kept|DISABLED; off|DISABLED; often|ENABLED",
            ),
            ("drop event often", "ok 0"),
        ])
        .await;
        assert_eq!(run_due(&server, &mut s, base + 55 * SECOND).await, [""; 0]);
        // After a start, an event that runs once runs late.
        c.all(&["create event late on schedule at current_timestamp + interval 1 second do insert into log (what) values ('late')"]).await;
        let mut fresh = Scheduler::new(Arc::clone(&server.inst));
        assert_eq!(run_due(&server, &mut fresh, base + 3590 * SECOND).await, ["late"]);
        c.check(&[(
            "select event_name from information_schema.events order by 1",
            "bad; kept; off",
        )])
        .await;
        c.0.close().await;
    });
}

#[test]
fn rights_are_those_of_the_definer() {
    with_server(3, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "create table secret (a int)",
            "create user u@localhost",
            "grant event, insert on test.* to u@localhost",
        ])
        .await;
        let mut u = server.client_in("u", "test");
        u.check(&[
            (
                "create definer = root@localhost event x on schedule every 1 day do select 1",
                "E1227",
            ),
            ("create event e on schedule every 1 day do insert into t values (1)", "ok 0"),
            ("create event r on schedule every 1 day do select * from secret", "ok 0"),
        ])
        .await;
        let mut s = Scheduler::new(Arc::clone(&server.inst));
        let due = s.due(now(&server)).await;
        assert_eq!(due.run.len(), 2);
        for o in &due.run {
            let conn = server.conn("u", "test", server.kill_switch());
            let mut session = Session::open(&server.inst, conn);
            let done = session.run_event(o).await.map_err(|e| e.errno);
            assert_eq!(done, if o.object.name == "e" { Ok(()) } else { Err(1142) });
            session.close().await;
        }
        c.check(&[("select * from t", "1"), ("revoke event on test.* from u@localhost", "ok 0")])
            .await;
        let conn = server.conn("u", "test", server.kill_switch());
        let mut session = Session::open(&server.inst, conn);
        assert_eq!(session.run_event(&due.run[0]).await.map_err(|e| e.errno), Err(1044));
        session.close().await;
        u.check(&[("drop event test.e", "E1044"), ("show events from test", "E1044")]).await;
        u.0.close().await;
        c.0.close().await;
    });
}

#[test]
fn what_has_changed_meanwhile_does_not_run() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let mut s = Scheduler::new(Arc::clone(&server.inst));
        c.check(&[
            ("create event e on schedule every 9223372036854 second do select 1", "E1542"),
            ("create event e on schedule every 9999999999 year do select 1", "E1542"),
            ("create event e on schedule every 1 day do select 1", "ok 0"),
            ("create event f on schedule every 1 day do select 1", "ok 0"),
        ])
        .await;
        let start = now(&server);
        let due = s.due(start).await;
        assert_eq!(due.run.len(), 2);
        // Dropped between the two: the run is not one.
        c.check(&[("drop event e", "ok 0"), ("alter event f comment 'x'", "ok 0")]).await;
        assert_eq!(
            run_due(&server, &mut s, start + SECOND / 2).await,
            Vec::<String>::new(),
            "no time comes twice"
        );
        c.check(&[
            ("create table t (id int primary key)", "ok 0"),
            ("create event g on schedule every 1 day do insert into t values (1)", "ok 0"),
        ])
        .await;
        let due = s.due(start + SECOND).await;
        c.check(&[("drop event g", "ok 0")]).await;
        for run in &due.run {
            let conn = server.conn("root", "test", server.kill_switch());
            let mut session = Session::open(&server.inst, conn);
            assert_eq!(session.run_event(run).await.map_err(|e| e.errno), Ok(()));
            session.close().await;
        }
        // A backup keeps definitions as they are: an event that would end waits for it, and the scheduler is not woken.
        c.check(&[
            ("create event h on schedule at current_timestamp + interval 2 second do insert into t values (9)", "ok 0"),
            ("lock instance for backup", "ok 0"),
        ])
        .await;
        let late = s.due(start + 60 * SECOND).await;
        assert!(late.run.is_empty() && late.next.is_none_or(|at| at > start + 60 * SECOND));
        c.check(&[("unlock instance", "ok 0")]).await;
        assert_eq!(run_due(&server, &mut s, start + 61 * SECOND).await, ["h"]);
        c.check(&[
            ("delete from t", "ok 1"),
            ("select count(*) from t", "0"),
            ("lock tables t read", "ok 0"),
            ("create trigger b before insert on t for each row set @a = 1", "E1099"),
            ("unlock tables", "ok 0"),
            ("create trigger b before insert on t for each row set @a = 1", "ok 0"),
            ("lock tables t read", "ok 0"),
            ("drop trigger b", "E1099"),
            ("unlock tables", "ok 0"),
            ("lock tables t write", "ok 0"),
            ("drop trigger b", "ok 0"),
            ("unlock tables", "ok 0"),
            ("create procedure p() begin declare i int default 0; while i < 2 do set i = i + 1; end while; alter event f disable; end", "ok 0"),
            ("call p()", "ok 0"),
        ])
        .await;
        c.0.close().await;
    });
}

/// The fields of a compound interval, each within its bound.
#[test]
fn intervals_of_several_fields() {
    let of = |amount: &str, unit: &str, told: &str| {
        let create = format!("create event e on schedule every '{amount}' {unit} do select 1");
        let fields = "select interval_value, interval_field from information_schema.events";
        let told = format!("'{told}'|{unit}");
        check(&[(create.as_str(), "ok 0"), (fields, told.as_str())]);
    };
    of("2:5", "YEAR_MONTH", "2-5");
    of("2:15", "YEAR_MONTH", "3-3");
    of("20:25", "DAY_HOUR", "21 1");
    of("35:25:65", "DAY_MINUTE", "36 2:5");
    of("50:23:59:95", "DAY_SECOND", "51 0:0:35");
    of("11:65", "HOUR_MINUTE", "12:5");
    of("15:59:85", "HOUR_SECOND", "16:0:25");
    of("35:66", "MINUTE_SECOND", "36:6");
}
