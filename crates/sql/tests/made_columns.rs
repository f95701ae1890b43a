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
