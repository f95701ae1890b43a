//! What was refused or answered otherwise than by MySQL: each case is as it answers there.
use crate::common::*;

fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn defaults_in_conditions() {
    check(&[
        ("create table t (a int default 5, b int, check (b > default(a)))", "ok 0"),
        ("insert into t values (1, 5)", "E3819 Check constraint 't_chk_1' is violated."),
        ("insert into t values (1, 6)", "ok 1"),
        (
            "show create table t",
            "t|CREATE TABLE `t` (\n  `a` int DEFAULT '5',\n  `b` int DEFAULT NULL,\n  CONSTRAINT `t_chk_1` CHECK ((`b` > default(`a`)))\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
        ),
        ("alter table t alter a set default 10", "ok 0"),
        ("insert into t values (1, 7)", "E3819"),
        ("alter table t alter a drop default", "E1364 Field 'a' doesn't have a default value"),
        ("alter table t rename column a to z", "E3959"),
        ("insert into t values (1, 11)", "ok 1"),
        (
            "create table u (a int default 5, b int check (b > default(a)))",
            "E3813 Column check constraint 'u_chk_1' references other column.",
        ),
        ("create table u (a int not null, b int, check (b > default(a)))", "E1364"),
        ("create table u (a int default (1 + 1), b int, check (b > default(a)))", "E3773"),
        ("create table u (a int auto_increment primary key, check (1 > default(a)))", "E3818"),
        ("create table u (a int default 1, g int as (default(a)))", "E3763"),
    ]);
}

#[test]
fn limits_behind_in() {
    const REFUSED: &str =
        "E1235 This version of MySQL doesn't yet support 'LIMIT & IN/ALL/ANY/SOME subquery'";
    check(&[
        ("create table n (v int, w int)", "ok 0"),
        ("insert into n values (3, 1), (1, 2), (2, 3)", "ok 3"),
        ("prepare s from 'select * from n where v in (select v from n limit ?)'", REFUSED),
        ("select * from n where v in (select v from n union select 2 limit 1)", REFUSED),
        ("select * from n where v in ((select v from n limit 1) union (select 2))", REFUSED),
        ("select * from n where v = any (select v from n limit 1)", REFUSED),
        ("select * from n where v > all (select v from n order by v limit 1)", REFUSED),
        ("select * from n where (v, w) in (select v, w from n limit 1)", REFUSED),
        (
            "select count(*) from n where v in (select * from (select v from n order by v limit 2) d)",
            "2",
        ),
        ("select count(*) from n where exists (select v from n limit 1)", "3"),
        ("select v = (select v from n order by v limit 1) from n order by v", "1; 0; 0"),
    ]);
}

#[test]
fn views_that_have_lost_what_they_need() {
    const GONE: &str = "test.v|check|Error|View 'test.v' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them; test.v|check|status|Operation failed";
    check(&[
        ("create function f() returns int deterministic return 1", "ok 0"),
        ("create view v as select f() as a", "ok 0"),
        ("create table t (a int, b varchar(9))", "ok 0"),
        (
            "create view w as select a, count(*) c, rank() over (order by a) r, max(b), sleep(0) from t group by a",
            "ok 0",
        ),
        ("check table v", "test.v|check|status|OK"),
        ("check table w", "test.w|check|status|OK"),
        ("drop function f", "ok 0"),
        ("check table v", GONE),
        ("create user gone@localhost", "ok 0"),
        ("create definer = gone@localhost view d as select 1 as a", "ok 0"),
        ("create definer = gone@localhost sql security invoker view i as select 1 as a", "ok 0"),
        ("select * from d", "1"),
        ("drop user gone@localhost", "ok 0"),
        (
            "check table d",
            "test.d|check|Error|The user specified as a definer ('gone'@'localhost') does not exist; test.d|check|error|Corrupt",
        ),
        (
            "select * from d",
            "E1449 The user specified as a definer ('gone'@'localhost') does not exist",
        ),
        ("check table i", "test.i|check|status|OK"),
        ("select * from i", "1"),
    ]);
}

#[test]
fn statements_that_run_themselves() {
    check(&[
        ("create procedure p() execute s", "ok 0"),
        ("prepare s from 'call p()'", "ok 0"),
        (
            "execute s",
            "E1444 The prepared statement contains a stored routine call that refers to that same statement. It's not allowed to execute a prepared statement in such a recursive manner",
        ),
        ("execute s", "E1444"),
        ("prepare s from 'select 1'", "ok 0"),
        ("call p()", "1"),
        ("execute s", "1"),
    ]);
}
