//! What binding may cost: definitions that name definitions, lists as long as anybody likes, and KILL and time limits before execution.
use crate::common::*;
use weir_sql::session_api::KillKind;

/// A chain of common tables, each of which reads the one before it twice.
fn chain(levels: usize, head: &str) -> String {
    let step = |n: usize| format!("c{n} as (select x.a from c{0} x, c{0} y)", n - 1);
    let steps: Vec<String> = (1..=levels).map(step).collect();
    format!("{head} with c0 as (select 1 a), {} select count(*) from c{levels}", steps.join(", "))
}

const TOO_MANY: &str =
    "E4169 Common table expression expansion exceeded an implementation limit. Simplify the query.";

#[test]
fn chains_of_common_tables_end() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[(&chain(4, ""), "1"), (&chain(9, ""), "1"), (&chain(10, ""), TOO_MANY)]).await;
        for head in ["explain", "create view v as", "explain format=tree"] {
            c.check(&[(&chain(40, head), TOO_MANY)]).await;
        }
        c.check(&[(&format!("prepare s from '{}'", chain(40, "")), TOO_MANY)]).await;
        // A procedure is made, and fails when it is called.
        c.check(&[
            (&format!("create procedure p() {}", chain(40, "")), "ok 0"),
            ("call p()", TOO_MANY),
        ])
        .await;
        // Levels, without a single table that is read twice: 63 as in MySQL.
        let long = |n: usize| {
            let steps: Vec<String> =
                (1..n).map(|i| format!("c{i} as (select a from c{})", i - 1)).collect();
            format!("with c0 as (select 1 a), {} select a from c{}", steps.join(", "), n - 1)
        };
        c.check(&[(&long(60), "1"), (&long(70), "E1473"), (&long(3000), "E1473")]).await;
    });
}

#[test]
fn chains_of_views_end() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[("create view v0 as select 1 a", "ok 0")]).await;
        for n in 1..=8 {
            let below = n - 1;
            let sql = format!("create view v{n} as select x.a from v{below} x, v{below} y");
            c.check(&[(&sql, "ok 0")]).await;
        }
        let text = "E1116 Too many tables; the views of a statement can stand for 1024 tables and views at most";
        c.check(&[
            ("select count(*) from v8", "1"),
            ("create view v9 as select x.a from v8 x, v8 y", text),
            ("select count(*) from v8 a, v8 b, v8 c", text),
            ("explain select count(*) from v8 a, v8 b, v8 c", text),
            ("select (select count(*) from v8) + (select count(*) from v8 a) + (select count(*) from v7)", text),
            ("insert into t select x.a from v8 x, v8 y, v8 z", "E1146"),
        ])
        .await;
    });
}

/// What a statement may hold of a thing that MySQL bounds, too.
#[test]
fn windows_are_bounded() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int, b int)", "insert into t values (1, 1)"]).await;
        let many = |n: usize| {
            let calls: Vec<String> =
                (0..n).map(|i| format!("sum(a) over (order by b + {i})")).collect();
            format!("select {} from t", calls.join(", "))
        };
        assert_eq!(c.ask(&many(127)).await.errno(), 0);
        c.check(&[(&many(130), "E4086 Too many windows in SELECT: 130. Maximum allowed is 127. Use named windows to share windows between window functions.")]).await;
    });
}

#[test]
fn memory_of_long_texts_is_charged() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let list: Vec<String> = (0..200_000).map(|n| n.to_string()).collect();
        let list = list.join(",");
        c.all(&["set connection_memory_limit = 4194304"]).await;
        for sql in [
            format!("select {list}"),
            format!("select 1 in ({list})"),
            format!("prepare s from 'select {list}'"),
            format!("do {list}"),
            // Charged while it is parsed: what would be wrong with it is not reached.
            format!("select {list} from from"),
        ] {
            assert_eq!(c.ask(&sql).await.errno(), 4082, "{}", &sql[..20]);
        }
        // It is given back.
        c.check(&[("select 1", "1"), ("set connection_memory_limit = default", "ok 0")]).await;
        assert_eq!(c.ask(&format!("select {list}")).await.errno(), 0);
    });
}

/// A statement whose session is killed before it begins to be read or planned ends there.
#[test]
fn a_kill_reaches_statements_that_are_being_read_and_planned() {
    with_server(1, |server| async move {
        let kill = server.kill_switch();
        let mut c = server.client_with(kill.clone());
        let list: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
        let list = list.join(",");
        for sql in [
            format!("select {list}"),
            format!("explain select 1 in ({list})"),
            format!("prepare s from 'select {list}'"),
            format!("create table x (a int, check (a in ({list})))"),
        ] {
            // The hook clears with the statement that a KILL QUERY was meant for, so it comes in between.
            kill.kill(KillKind::Query);
            let answer = c.ask(&sql).await;
            kill.clear_query();
            assert_eq!(answer.errno(), 1317, "{}", &sql[..20]);
        }
        c.check(&[("select 1", "1")]).await;
    });
}

/// Names that are there twice are found however many there are, by whatever letters.
#[test]
fn twins_in_long_lists_are_found() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (a int)"]).await;
        let many = |f: &dyn Fn(usize) -> String, last: &str| {
            let all: Vec<String> = (0..300).map(f).chain([last.to_owned()]).collect();
            all.join(", ")
        };
        let cases: Vec<(String, &str)> = vec![
            (
                format!("create table x (a enum({}))", many(&|n| format!("'m{n}'"), "'M7'")),
                "E1291 Column 'a' has duplicated value 'M7' in ENUM",
            ),
            (
                format!(
                    "create table x (a int, {})",
                    many(
                        &|n| format!("constraint c{n} check (a > {n})"),
                        "constraint C8 check (a > 0)"
                    )
                ),
                "E3822 Duplicate check constraint name 'C8'.",
            ),
            (
                format!(
                    "with {} select 1",
                    many(&|n| format!("c{n} as (select 1 a)"), "c9 as (select 2)")
                ),
                "E1066 Not unique table/alias: 'c9'",
            ),
            (
                format!("select 1 from t window {}", many(&|n| format!("w{n} as ()"), "W10 as ()")),
                "E3591 Window 'W10' is defined twice.",
            ),
            (
                format!("drop table t, {}", many(&|n| format!("n{n}"), "t")),
                "E1066 Not unique table/alias: 't'",
            ),
            (
                format!("lock tables {}", many(&|n| format!("t as x{n} read"), "t as x11 read")),
                "E1066 Not unique table/alias: 'x11'",
            ),
            (
                format!(
                    "create view v ({}) as select {}",
                    many(&|n| format!("c{n}"), "C12"),
                    many(&|n| n.to_string(), "1")
                ),
                "E1060 Duplicate column name 'c12'",
            ),
            (
                format!(
                    "create procedure p({}) select 1",
                    many(&|n| format!("p{n} int"), "P13 int")
                ),
                "E1330 Duplicate parameter: P13",
            ),
            (
                format!(
                    "create procedure p() begin declare continue handler for {} begin end; end",
                    many(&|n| (2000 + n).to_string(), "2014")
                ),
                "E1413 Duplicate handler declared in the same block",
            ),
            (
                format!("select 1 from (select {}) d", many(&|n| format!("1 c{n}"), "2 C15")),
                "E1060 Duplicate column name 'C15'",
            ),
            (
                format!(
                    "select 1 from json_table('[]', '$[*]' columns ({})) d",
                    many(&|n| format!("c{n} int path '$'"), "C16 int path '$'")
                ),
                "E1060",
            ),
            (
                format!("delete {} from t", many(&|_| "t".to_owned(), "t")),
                "E1066 Not unique table/alias: 't'",
            ),
            (
                format!("delete t from {}", many(&|n| format!("t x{n}"), "t")),
                "E1116 Too many tables; MySQL can only use 61 tables in a join",
            ),
        ];
        let cases: Vec<(&str, &str)> = cases.iter().map(|(a, b)| (a.as_str(), *b)).collect();
        c.check(&cases).await;
    });
}
