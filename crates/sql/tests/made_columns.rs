//! The types of the columns that CREATE TABLE ... SELECT makes of expressions, as MySQL makes them.
use crate::common::*;

/// An expression over the table of the test, and the column's type and whether it may be NULL.
const TYPES: &[(&str, &str)] = &[
    // What has no column of its own any more is as long as its digits may be.
    ("(select i from b limit 1)", "bigint|YES"),
    ("(select iu from b limit 1)", "bigint unsigned|YES"),
    ("(select me from b limit 1)", "int|YES"),
    ("(select max(i) from b)", "bigint|YES"),
    ("(select 1)", "int|YES"),
    ("(select y from b limit 1)", "int unsigned|YES"),
    ("(select en from b limit 1)", "varchar(3)|YES"),
    ("(select d from b limit 1)", "date|YES"),
    ("lag(i) over ()", "bigint|YES"),
    ("lag(sm) over ()", "int|YES"),
    ("lag(en) over ()", "varchar(3)|YES"),
    ("max(i) over ()", "bigint|YES"),
    ("max(i)", "int|YES"),
    ("max(en)", "enum('a','bcd')|YES"),
    ("any_value(i)", "int|YES"),
    ("any_value(en)", "varchar(3)|YES"),
    ("ifnull(en, null)", "varchar(3)|YES"),
    ("nullif(st, 1)", "varchar(3)|YES"),
    ("nullif(bt, 1)", "int unsigned|YES"),
    ("if(1, bt, bt)", "int unsigned|YES"),
    ("en", "enum('a','bcd')|YES"),
    // These may give NULL whatever they are given.
    ("pow(1, 2)", "double|YES"),
    ("exp(1)", "double|YES"),
    ("atan(1, 2)", "double|YES"),
    ("cot(1)", "double|YES"),
    ("degrees(1)", "double|NO"),
    // Dates and times are texts to functions of numbers.
    ("abs(d)", "double(22,0)|YES"),
    ("abs(t)", "double(22,1)|YES"),
    ("abs(dt)", "double(22,2)|YES"),
    ("format_bytes(i)", "varchar(11)|YES"),
];

#[test]
fn types_of_expressions() {
    with_server(12, |server| async move {
        let mut c = server.client();
        let table = "create table b (i int, iu int unsigned, sm smallint, me mediumint, en enum('a','bcd'), st set('a','b'), bt bit(5), d date, t time(1), dt datetime(2), y year)";
        c.check(&[(table, "ok 0"), ("insert into b values (1, 2, 3, 4, 'a', 'b', 1, '2020-02-03', '10:00:00.7', '2020-02-03 10:00:00.25', 2020)", "ok 1")]).await;
        let mut bad = String::new();
        for (expr, want) in TYPES {
            c.rows(&format!("create table z as select {expr} as c from b")).await;
            let of = "select concat_ws('|', column_type, is_nullable) from information_schema.columns where table_name = 'z'";
            let got = c.rows(of).await;
            if got != *want {
                bad += &format!("{expr}\n  want {want}\n  got  {got}\n");
            }
            c.rows("drop table z").await;
        }
        assert!(bad.is_empty(), "\n{bad}");
        // The values stay what they were.
        c.check(&[(
            "select abs(d), floor(d), round(d), abs(dt), round(t) from b",
            "20200203|20200203|20200203|20200203100000.25|100001",
        )])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// The zero date is the default of a column that is made of an expression in lax modes, and none in strict ones.
#[test]
fn dates_that_are_made_have_no_default_in_strict_modes() {
    with_server(1, async |s| {
        let mut c = s.client();
        let defaults = "select column_name, column_default from information_schema.columns where table_name = 't' order by ordinal_position";
        c.check(&[
            ("create table t as select date'2001-01-01' a, now() b, 1 c, curtime() d", "ok 1"),
            (defaults, "a|NULL; b|NULL; c|0; d|00:00:00"),
            ("insert into t (c) values (1)", "E1364 Field 'a' doesn't have a default value"),
            ("create table u as select max(a) m, coalesce(b, b) k from t group by b union select a, b from t", "ok 1"),
            ("drop table t", "ok 0"),
            ("set sql_mode = ''", "ok 0"),
            ("create table t as select date'2001-01-01' a, now() b", "ok 1"),
            (defaults, "a|0000-00-00; b|0000-00-00 00:00:00"),
        ])
        .await;
    });
}

/// The largest number of DOUBLE(m,d) is the double nearest to it, and what fits keeps its value.
#[test]
fn large_doubles_of_fixed_places() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "set sql_mode = ''",
            "create table t (a double(200,0), b double(255,30))",
            "insert into t values (2e200, 1e200), (-2e200, 1e300), (1e199, 1)",
        ])
        .await;
        c.check(&[
            ("select a = 1e200, b = 1e200 from t where a > 1e199", "1|1"),
            ("select a = -1e200, b = 1e225 from t where a < 0", "1|1"),
            ("select a = 1e199, b from t where b = 1", "1|1.000000000000000000000000000000"),
        ])
        .await;
    });
}

/// A column that UNION makes of INT and INT UNSIGNED has room for both.
#[test]
fn unions_of_integers_with_and_without_a_sign() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (i int, u int unsigned, y tinyint, yu tinyint unsigned, m mediumint, mu mediumint unsigned)",
            "insert into t values (-1, 4294967295, -128, 255, -1, 16777215)",
        ])
        .await;
        let types = "select column_name, column_type from information_schema.columns where table_name = 'k' order by ordinal_position";
        for (query, want, rows) in [
            (
                "select i a, y b, m c from t union all select u, yu, mu from t",
                "a|bigint; b|smallint; c|int",
                "-1|-128|-1; 4294967295|255|16777215",
            ),
            ("select u a from t union all select y from t", "a|bigint", "4294967295; -128"),
            ("select 1 a union all select u from t", "a|bigint", "1; 4294967295"),
            (
                "(select u a from t) union all (select y from t union all select i from t)",
                "a|bigint",
                "4294967295; -128; -1",
            ),
        ] {
            c.all(&["drop table if exists k", &format!("create table k as {query}")]).await;
            c.check(&[(types, want), ("select * from k", rows)]).await;
        }
    });
}
