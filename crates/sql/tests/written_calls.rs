//! What MySQL makes of calls in the texts of definitions and views, and which definitions may call what: both follow from the function's row.
use crate::common::*;

/// An expression, and its text in a generated column; in a view, columns have their table.
const TEXTS: &[(&str, &str)] = &[
    ("datediff(d,e)", "(to_days(`d`) - to_days(`e`))"),
    ("date(d)", "cast(`d` as date)"),
    ("weekofyear(d)", "week(`d`,3)"),
    ("week(d)", "week(`d`,0)"),
    ("yearweek(d)", "yearweek(`d`,0)"),
    ("round(a)", "round(`a`,0)"),
    ("round(a,1)", "round(`a`,1)"),
    ("adddate(d,a)", "(`d` + interval `a` day)"),
    ("subdate(d,a)", "(`d` - interval `a` day)"),
    ("bin(a)", "conv(`a`,10,2)"),
    ("oct(a)", "conv(`a`,10,8)"),
    ("cot(a)", "cot(`a`)"),
    ("atan2(a,2)", "atan(`a`,2)"),
    ("ceil(a)", "ceiling(`a`)"),
    ("sha1(s)", "sha(`s`)"),
    ("mid(s,2)", "substr(`s`,2)"),
    ("instr(s,s)", "locate(`s`,`s`)"),
    ("not isnull(a)", "(`a` is not null)"),
    ("not strcmp(s,s)", "(not(strcmp(`s`,`s`)))"),
    ("not json_valid(s)", "(not(json_valid(`s`)))"),
    ("is_ipv4_compat(s) xor gtid_subset(s,s)", "(is_ipv4_compat(`s`) xor gtid_subset(`s`,`s`))"),
    ("st_aswkt(point(a,a))", "st_astext(point(`a`,`a`))"),
    ("weight_string(s)", "weight_string(`s`)"),
    // MySQL writes a cast, which loses the fraction when it is read again.
    ("time(d)", "time(`d`)"),
    ("timestamp(d)", "timestamp(`d`)"),
];

#[test]
fn texts_of_calls() {
    with_server(11, |server| async move {
        let mut c = server.client();
        c.check(&[("create table b (a int, d datetime(6), e datetime, s varchar(50))", "ok 0")])
            .await;
        for (expr, want) in TEXTS {
            let table = format!(
                "create table g (a int, d datetime(6), e datetime, s varchar(50), z blob as ({expr}))"
            );
            c.check(&[(&table, "ok 0")]).await;
            let shown = c.rows("show create table g").await;
            assert!(shown.contains(&format!("GENERATED ALWAYS AS ({want})")), "{expr}: {shown}");
            c.check(&[("drop table g", "ok 0")]).await;
            c.check(&[(&format!("create view v as select {expr} as z from b"), "ok 0")]).await;
            let text = c
                .rows("select view_definition from information_schema.views where table_name = 'v'")
                .await;
            let plain = text.replace("`test`.`b`.", "");
            assert_eq!(plain, format!("select {want} AS `z` from `test`.`b`"), "{expr}");
            c.check(&[("drop view v", "ok 0")]).await;
        }
        c.0.close().await;
        drop(server);
    });
}

/// What a definition may call, by what it is for.
#[test]
fn calls_in_definitions() {
    check(&[
        ("create table t (a int, check (a + now()))", "E3812"),
        ("create table t (a int, check (@x))", "E3812"),
        ("create table t (a int, check ((a, a)))", "E3812"),
        ("create table t (a int, check (sum(a)))", "E3812"),
        (
            "create table t (a int, check (a > now()))",
            "E3814 An expression of a check constraint 't_chk_1' contains disallowed function: now.",
        ),
        (
            "create table t (a int, z int as (unix_timestamp(a)))",
            "E3763 Expression of generated column 'z' contains a disallowed function: unix_timestamp.",
        ),
        ("create table t (a int, z int default (unix_timestamp('2020-01-01')))", "ok 0"),
        ("drop table t", "ok 0"),
        (
            "create table t (a int, z varchar(99) default (version()))",
            "E3770 Default value expression of column 'z' contains a disallowed function: version().",
        ),
        ("create table t (a int, z bigint unsigned default (uuid_short()))", "ok 0"),
        ("drop table t", "ok 0"),
        (
            "create table t (a int, z int as (load_file('x')))",
            "E3763 Expression of generated column 'z' contains a disallowed function: load_file.",
        ),
        ("create table t (a int, z int as (name_const('x', 1)))", "E3102"),
        ("create table t (a int, z varchar(9) as (get_format(date, 'usa')))", "ok 0"),
        ("insert into t (a) values (1)", "ok 1"),
        ("select z from t", "%m.%d.%Y"),
    ]);
}

/// A JSON string is read as a date wherever a function reads one.
#[test]
fn json_as_dates() {
    check(&[
        ("set time_zone = '+00:00'", "ok 0"),
        ("set @j = '\"2020-01-01 10:00:00\"'", "ok 0"),
        ("select timestamp(cast(@j as json))", "2020-01-01 10:00:00.000000"),
        (
            "select timestamp('2020-01-01', cast('\"10:00:00\"' as json))",
            "2020-01-01 10:00:00.000000",
        ),
        ("select convert_tz(cast(@j as json), '+00:00', '+01:00')", "2020-01-01 11:00:00.000000"),
        ("select unix_timestamp(cast(@j as json))", "1577872800.000000"),
        ("select adddate(cast(@j as json), 1)", "2020-01-02 10:00:00"),
        ("select subdate(cast(@j as json), 1)", "2019-12-31 10:00:00"),
        // These read texts, in which the quotes stand.
        ("select timediff(cast('\"10:00:00\"' as json), '01:00:00')", "NULL"),
        ("select addtime(cast('\"10:00:00\"' as json), '01:00:00')", "NULL"),
    ]);
}

/// A key made of a function serves each of its spellings.
#[test]
fn keys_of_calls_with_a_default() {
    check(&[
        ("create table t (a decimal(5,2), key k ((round(a))))", "ok 0"),
        ("insert into t values (1.4), (1.6), (2.4)", "ok 3"),
        ("select a from t force index (k) where round(a) = 2 order by a", "1.60; 2.40"),
        (
            "explain select a from t force index (k) where round(a) = 2",
            "1|SIMPLE|t|NULL|ref|k|k|3|const|2|100.00|Using where",
        ),
        (
            "explain select a from t force index (k) where round(a, 0) = 2",
            "1|SIMPLE|t|NULL|ref|k|k|3|const|2|100.00|Using where",
        ),
        ("select a from t force index (k) where round(a, 0) = 2 order by a", "1.60; 2.40"),
    ]);
}
