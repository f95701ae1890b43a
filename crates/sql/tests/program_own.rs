//! What stored functions and triggers run beside queries: temporary tables, savepoints and variables.
use crate::common::*;

#[test]
fn temporary_tables() {
    with_server(94, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "insert into t values (1), (2), (3)",
            "create function f() returns int begin declare n int; create temporary table x (a int primary key); insert into x values (1), (2); \
             set n = (select count(*) from x); drop temporary table x; return n; end",
            "create function g() returns int begin create temporary table if not exists y as select a + 1 as b from t where a > 1; return (select sum(b) from y); end",
            "create procedure p() begin create temporary table z (a int); end",
            "create function h() returns int begin call p(); insert into z values (1), (2); return (select count(*) from z); end",
            "create function bad() returns int begin create temporary table w as select a from t union all select 1 from nowhere; return 1; end",
        ])
        .await;
        c.check(&[
            ("select f(), f()", "2|2"),
            ("select f() from t", "2; 2; 2"),
            ("select g()", "7"),
            // It is the session's.
            ("select b from y order by b", "3; 4"),
            ("select g()", "7"),
            ("select h()", "2"),
            ("select h()", "E1050 Table 'z' already exists"),
            ("select bad()", "E1146 Table 'test.nowhere' doesn't exist"),
            ("select * from w", "E1146 Table 'test.w' doesn't exist"),
            // A transaction goes on.
            ("begin", "ok 0"),
            ("insert into t values (4)", "ok 1"),
            ("select f()", "2"),
            ("rollback", "ok 0"),
            ("select count(*) from t", "3"),
            (
                "create function c() returns int begin create table v (a int); return 1; end",
                "E1422",
            ),
            ("create function c() returns int begin drop table x; return 1; end", "E1422"),
            ("create function c() returns int begin truncate table y; return 1; end", "E1422"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A program's savepoints are its own.
#[test]
fn savepoints() {
    with_server(95, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "create table log (a int)",
            "create function f() returns int begin insert into log values (1); savepoint s; insert into log values (2); rollback to s; release savepoint s; return 1; end",
            "create function g() returns int begin rollback to outermost; return 1; end",
            "create function h() returns int begin savepoint outermost; insert into log values (3); return 1; end",
            "create trigger tr after insert on t for each row begin savepoint s; insert into log values (new.a); if new.a > 9 then rollback to s; end if; end",
        ])
        .await;
        c.check(&[
            ("select f()", "1"),
            ("select a from log", "1"),
            ("begin", "ok 0"),
            ("insert into log values (7)", "ok 1"),
            ("savepoint outermost", "ok 0"),
            ("select g()", "E1305 SAVEPOINT outermost does not exist"),
            ("select h()", "1"),
            ("insert into t values (5), (20), (6)", "ok 3"),
            ("select a from log order by a", "1; 3; 5; 6; 7"),
            ("rollback to s", "E1305 SAVEPOINT s does not exist"),
            ("rollback to outermost", "ok 0"),
            ("select a from log order by a", "1; 7"),
            ("commit", "ok 0"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// What is set rules at once in the program and what it calls, and afterwards in the session, except for what belongs to the program.
#[test]
fn variables() {
    with_server(96, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "create function f() returns int begin set session group_concat_max_len = 8; return @@group_concat_max_len; end",
            "create function inner_set() returns int begin set time_zone = '+03:00'; return 1; end",
            "create function g() returns varchar(20) begin declare x int; set x = inner_set(); return @@time_zone; end",
            "create function m() returns varchar(99) begin set sql_mode = 'ANSI'; set names latin1; set foreign_key_checks = 0; return @@sql_mode; end",
            "create function d() returns int begin set group_concat_max_len = default; return @@group_concat_max_len; end",
            "create function bad() returns int begin set group_concat_max_len = 'x'; return 1; end",
            "create trigger tr before insert on t for each row begin set div_precision_increment = 2; end",
            "create procedure off() begin set autocommit = 0; end",
            "create function o() returns int begin call off(); return 1; end",
        ])
        .await;
        c.check(&[
            ("select f()", "8"),
            ("select @@group_concat_max_len", "8"),
            ("select group_concat('abcdefghijk')", "abcdefgh"),
            ("select g()", "+03:00"),
            ("select @@time_zone", "+03:00"),
            ("select m() like '%ANSI%'", "1"),
            ("select @@sql_mode like '%ANSI%', @@foreign_key_checks, @@character_set_client = 'latin1', @@character_set_results", "0|1|0|latin1"),
            ("insert into t values (1)", "ok 1"),
            ("select 1 / 3", "0.33"),
            ("select d()", "1024"),
            ("select bad()", "E1232 Incorrect argument type to variable 'group_concat_max_len'"),
            ("select o()", "E1445 Not allowed to set autocommit from a stored function or trigger"),
            ("create function c() returns int begin set autocommit = 1; return 1; end", "E1445"),
            ("select @@autocommit", "1"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// A SET in a program asks for the rights of its definer, takes the values that it takes outside, and what it says of numbers holds for the
/// program's own rows.
#[test]
fn sets_are_as_outside() {
    with_server(97, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create user u@localhost",
            "grant all on test.* to u@localhost",
            "create table t (id int auto_increment primary key, v int)",
            "create function last() returns int begin set last_insert_id = 77; return last_insert_id(); end",
            "create function next() returns int begin set insert_id = 50; insert into t (v) values (1); return (select max(id) from t); end",
            "create function word() returns int begin set sql_notes = 'true'; return 1; end",
            "create function silent() returns int begin set sql_log_off = 1; return @@sql_log_off; end",
            "create definer = u@localhost function quiet() returns int begin set sql_log_off = 1; return 1; end",
        ])
        .await;
        root.check(&[
            ("select last()", "77"),
            ("select last_insert_id(), @@last_insert_id, @@identity", "0|0|0"),
            ("select next()", "50"),
            ("select @@insert_id", "0"),
            ("insert into t (v) values (2)", "ok 1"),
            ("select id from t order by id", "50; 51"),
            ("select word()", "E1231"),
            ("select silent()", "1"),
            ("set sql_log_off = 0", "ok 0"),
            ("select quiet()", "E1227"),
            ("select @@sql_log_off", "0"),
        ])
        .await;
        let mut u = server.client_in("u", "test");
        u.check(&[("set sql_log_off = 1", "E1227"), ("select quiet()", "E1227")]).await;
        for c in [root, u] {
            c.0.close().await;
        }
    });
}

/// CREATE TABLE ... SELECT makes columns of the types of a routine's variables, also of those that are NULL.
#[test]
fn columns_made_of_variables() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create procedure p(n int) begin declare a time(6); declare b decimal(5,2) default 1; declare c varchar(7) default 'x'; declare d int unsigned; declare e datetime; \
                 create table t as select a, b, c, d, e, n; end"])
            .await;
        c.check(&[
            ("call p(1)", "ok 1"),
            (
                "select column_name, column_type from information_schema.columns where table_name = 't' order by ordinal_position",
                "a|time(6); b|decimal(5,2); c|varchar(7); d|bigint unsigned; e|datetime; n|bigint",
            ),
            ("select * from t", "NULL|1.00|x|NULL|NULL|1"),
        ])
        .await;
    });
}
