//! What statements had an effect that MySQL refuses, or lost what MySQL keeps.
use crate::common::*;

#[test]
fn roles_are_no_users() {
    check(&[
        ("drop role current_user", "E1064"),
        ("drop role if exists x, current_user()", "E1064"),
        ("create user a@localhost, b@localhost", "ok 0"),
        ("create role r, s", "ok 0"),
        (
            "drop user a@localhost, a@localhost",
            "E1396 Operation DROP USER failed for 'a'@'localhost'",
        ),
        ("drop role r, s, r", "E1396 Operation DROP ROLE failed for 'r'@'%'"),
        ("select count(*) from mysql.user where user in ('a', 'r', 's', 'root')", "4"),
        ("drop user if exists a@localhost, a@localhost", "ok 0"),
        ("show warnings", "Note|3162|Authorization ID 'a'@'localhost' does not exist."),
        ("alter user b@localhost default role none account lock", "E1064"),
        ("select account_locked from mysql.user where user = 'b'", "N"),
    ]);
}

#[test]
fn altered_views_keep_their_clauses() {
    check(&[
        ("create table t (a int)", "ok 0"),
        ("create user d@localhost", "ok 0"),
        (
            "create algorithm=merge definer=d@localhost sql security invoker view v as select a from t",
            "ok 0",
        ),
        ("alter view v as select a + 1 as a from t", "ok 0"),
        (
            "select definer, security_type from information_schema.views where table_name = 'v'",
            "d@localhost|INVOKER",
        ),
        ("alter sql security definer view v as select a from t", "ok 0"),
        (
            "select definer, security_type from information_schema.views where table_name = 'v'",
            "d@localhost|DEFINER",
        ),
        ("alter definer=current_user view v as select a from t", "ok 0"),
        (
            "select definer, security_type from information_schema.views where table_name = 'v'",
            "root@localhost|DEFINER",
        ),
        ("create or replace view v as select a from t with check option", "ok 0"),
        ("alter view v as select a from t where a > 1", "ok 0"),
        ("select check_option from information_schema.views where table_name = 'v'", "NONE"),
        // The algorithm that is kept counts for the check option.
        ("create algorithm=temptable view c as select a from t", "ok 0"),
        ("alter view c as select a from t with check option", "E1368"),
        ("alter algorithm=merge view c as select a from t with check option", "ok 0"),
    ]);
}

#[test]
fn altered_events_keep_their_mode() {
    check(&[
        ("create event e on schedule every 1 day do select 1", "ok 0"),
        ("set sql_mode = 'ANSI_QUOTES'", "ok 0"),
        ("alter event e comment 'x'", "ok 0"),
        (
            "select sql_mode like '%ANSI_QUOTES%' from information_schema.events where event_name = 'e'",
            "0",
        ),
        ("alter event e do select 2", "ok 0"),
        ("select sql_mode from information_schema.events where event_name = 'e'", "ANSI_QUOTES"),
    ]);
}

#[test]
fn routines_stay_what_they_were_made() {
    check(&[
        ("create procedure p() select 1", "ok 0"),
        ("alter procedure p deterministic", "E1064"),
        ("select is_deterministic from information_schema.routines where routine_name = 'p'", "NO"),
        ("create or replace procedure p() select 2", "E1064"),
    ]);
}

#[test]
fn a_table_is_named_once() {
    check(&[
        ("create table t (a int)", "ok 0"),
        ("drop table if exists n, n", "E1066 Not unique table/alias: 'n'"),
        ("drop table t, t", "E1066 Not unique table/alias: 't'"),
        ("drop view if exists n, n", "E1066 Not unique table/alias: 'n'"),
        ("analyze table t, test.t", "E1066 Not unique table/alias: 't'"),
        ("check table t, t", "E1066 Not unique table/alias: 't'"),
        ("optimize table t, t", "E1066 Not unique table/alias: 't'"),
        ("repair table n, n", "E1066 Not unique table/alias: 'n'"),
        ("checksum table t, t", "E1066 Not unique table/alias: 't'"),
        ("drop table t", "ok 0"),
    ]);
}
