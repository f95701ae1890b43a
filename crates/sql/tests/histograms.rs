//! Histograms: ANALYZE TABLE ... UPDATE and DROP HISTOGRAM, what information_schema shows of them, what ALTER TABLE and its like leave,
//! and what estimates make of them.
use crate::common::*;

/// The columns that have one, and all but the time at which it was made.
const COLUMNS: &str = "select group_concat(table_name, '.', column_name order by 1, 3) from information_schema.column_statistics";
const SHOWN: &str = "select table_name, column_name, json_remove(histogram, '$.\"last-updated\"', '$.\"auto-update\"') from information_schema.column_statistics";

fn created(columns: &[&str]) -> String {
    let one = |c: &&str| {
        format!("test.t|histogram|status|Histogram statistics created for column '{c}'.")
    };
    columns.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[test]
fn buckets_are_those_of_mysql() {
    let rest = r#""sampling-rate": 1.0, "histogram-type""#;
    let int = r#""data-type": "int", "null-values": 0.0, "collation-id": 8"#;
    let cases = [
        ("create table t (a int, s varchar(255))", "ok 0".to_owned()),
        ("analyze table t update histogram on a", created(&["a"])),
        (
            SHOWN,
            format!(
                r#"t|a|{{"buckets": [], {int}, {rest}: "singleton", "number-of-buckets-specified": 100}}"#
            ),
        ),
        ("insert into t values (1, 'foo'), (2, 'bar'), (3, 'fo'), (null, 'yay')", "ok 4".into()),
        // In the order of their names, whatever is written.
        ("analyze table t update histogram on S, a with 10 buckets", created(&["a", "s"])),
        (
            SHOWN,
            format!(
                r#"t|a|{{"buckets": [[1, 0.25], [2, 0.5], [3, 0.75]], {}, {rest}: "singleton", "number-of-buckets-specified": 10}}; t|s|{{"buckets": [["base64:type254:YmFy", 0.25], ["base64:type254:Zm8=", 0.5], ["base64:type254:Zm9v", 0.75], ["base64:type254:eWF5", 1.0]], "data-type": "string", "null-values": 0.0, "collation-id": 255, {rest}: "singleton", "number-of-buckets-specified": 10}}"#,
                int.replace("0.0", "0.25"),
            ),
        ),
        ("analyze local table t update histogram on s with 2 buckets", created(&["s"])),
        (
            "select json_remove(histogram, '$.\"last-updated\"') from information_schema.column_statistics where column_name = 's'",
            format!(
                r#"{{"buckets": [["base64:type254:YmFy", "base64:type254:Zm8=", 0.5, 2], ["base64:type254:Zm9v", "base64:type254:eWF5", 1.0, 2]], "data-type": "string", "auto-update": false, "null-values": 0.0, "collation-id": 255, {rest}: "equi-height", "number-of-buckets-specified": 2}}"#
            ),
        ),
        (
            "select histogram->>'$.\"last-updated\"' regexp '^20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8}[.][0-9]{6}$' or histogram->>'$.\"last-updated\"' like '19%' from information_schema.column_statistics where column_name = 'a'",
            "1".into(),
        ),
        (
            "analyze table t drop histogram on a",
            "test.t|histogram|status|Histogram statistics removed for column 'a'.".into(),
        ),
        (COLUMNS, "t.s".into()),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(sql, want)| (*sql, &want[..])).collect();
    check(&cases);
}

/// A column, its type, a value, and what is shown of it.
type Typed = (&'static str, &'static str, &'static str, &'static str);

#[test]
fn all_types() {
    let types = [
        ("bool_", "bool", "false", "[[0, 1.0]]|int|8"),
        ("bits", "bit(9)", "b'101'", "[[5, 1.0]]|int|63"),
        ("tiny", "tinyint", "-128", "[[-128, 1.0]]|int|8"),
        ("small", "smallint unsigned", "65535", "[[65535, 1.0]]|int|8"),
        ("big", "bigint", "-9223372036854775808", "[[-9223372036854775808, 1.0]]|int|8"),
        ("ubig", "bigint unsigned", "18446744073709551615", "[[18446744073709551615, 1.0]]|uint|8"),
        ("flo", "float", "0.5", "[[0.5, 1.0]]|double|8"),
        ("dou", "double", "1e300", "[[1e300, 1.0]]|double|8"),
        (
            "dec_",
            "decimal(65, 2)",
            "-99999999999999999999999.99",
            "[[-99999999999999999999999.99, 1.0]]|decimal|8",
        ),
        ("day_", "date", "'1000-01-01'", r#"[["1000-01-01", 1.0]]|date|8"#),
        ("tim", "time", "'-838:59:59'", r#"[["-838:59:59.000000", 1.0]]|time|8"#),
        ("yea", "year", "1901", "[[1901, 1.0]]|int|8"),
        (
            "dt",
            "datetime(3)",
            "'2020-01-02 03:04:05.678'",
            r#"[["2020-01-02 03:04:05.678000", 1.0]]|datetime|8"#,
        ),
        (
            "ts",
            "timestamp",
            "'2020-01-02 03:04:05'",
            r#"[["2020-01-02 01:04:05.000000", 1.0]]|datetime|8"#,
        ),
        (
            "cha",
            "char(255)",
            "repeat('a', 45)",
            r#"[["base64:type254:YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh", 1.0]]|string|255"#,
        ),
        (
            "lat",
            "varchar(9) character set latin1",
            "'ä'",
            r#"[["base64:type254:5A==", 1.0]]|string|8"#,
        ),
        (
            "wide",
            "varchar(9) character set utf16",
            "'a'",
            r#"[["base64:type254:AGE=", 1.0]]|string|54"#,
        ),
        (
            "lon",
            "longtext",
            "repeat('a', 30000)",
            r#"[["base64:type254:YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFh", 1.0]]|string|255"#,
        ),
        (
            "bin",
            "binary(60)",
            "''",
            r#"[["base64:type254:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 1.0]]|string|63"#,
        ),
        ("blo", "blob", "x'ff00'", r#"[["base64:type254:/wA=", 1.0]]|string|63"#),
        ("enu", "enum('red', 'black')", "'black'", "[[2, 1.0]]|enum|255"),
        ("set_", "set('one', 'two', 'three')", "'one,three'", "[[5, 1.0]]|set|255"),
        ("gen", "int as (tiny + 1) virtual", "default", "[[-127, 1.0]]|int|8"),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        let list = |f: fn(&Typed) -> String| types.iter().map(f).collect::<Vec<_>>().join(", ");
        c.rows("set time_zone = '+02:00'").await;
        c.rows(&format!("create table t ({})", list(|t| format!("{} {}", t.0, t.1)))).await;
        c.rows(&format!("insert into t values ({})", list(|t| t.2.into()))).await;
        c.rows(&format!("analyze table t update histogram on {}", list(|t| t.0.into()))).await;
        for (name, _, _, want) in types {
            let sql = format!(
                "select concat_ws('|', histogram->'$.buckets', histogram->>'$.\"data-type\"', histogram->'$.\"collation-id\"') \
                 from information_schema.column_statistics where column_name = '{name}'"
            );
            assert_eq!(c.rows(&sql).await, want, "{name}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn what_is_refused_is_told_as_in_mysql() {
    let error = |table: &str, text: &str| format!("{table}|histogram|Error|{text}");
    let t = |text: &str| error("test.t", text);
    let one = "Only one table can be specified while modifying histogram statistics.";
    let cases = [
        (
            "create table t (id int primary key, a int, b int, j json, g geometry, p point, unique key u (a), unique key ab (a, b))",
            "ok 0".to_owned(),
        ),
        ("create temporary table tmp (a int)", "ok 0".into()),
        ("create view v as select * from t", "ok 0".into()),
        (
            "analyze table t update histogram on id, a, b, j, g, p, x",
            [
                t("The column 'a' is covered by a single-part unique index."),
                created(&["b"]),
                t("The column 'g' has an unsupported data type."),
                t("The column 'id' is covered by a single-part unique index."),
                t("The column 'j' has an unsupported data type."),
                t("The column 'p' has an unsupported data type."),
                t("The column 'x' does not exist."),
            ]
            .join("; "),
        ),
        (COLUMNS, "t.b".into()),
        ("alter table t alter index u invisible", "ok 0".into()),
        ("analyze table t update histogram on a", created(&["a"])),
        ("alter table t alter index u visible", "ok 0".into()),
        (COLUMNS, "t.b".into()),
        (
            "analyze table t drop histogram on a, x",
            [
                t("No histogram statistics found for column 'a'."),
                t("The column 'x' does not exist."),
            ]
            .join("; "),
        ),
        (
            "analyze table t drop histogram on X, B",
            [
                "test.t|histogram|status|Histogram statistics removed for column 'B'.".into(),
                t("The column 'X' does not exist."),
            ]
            .join("; "),
        ),
        (
            "analyze table none update histogram on a",
            error("test.none", "Table 'test.none' doesn't exist"),
        ),
        (
            "analyze table none drop histogram on a",
            error("test.none", "Table 'test.none' doesn't exist"),
        ),
        (
            "analyze table tmp update histogram on a",
            error("test.tmp", "Cannot create histogram statistics for a temporary table."),
        ),
        (
            "analyze table v update histogram on a",
            error("test.v", "Cannot create histogram statistics for a view."),
        ),
        (
            "analyze table information_schema.tables drop histogram on a",
            error("information_schema.tables", "Cannot create histogram statistics for a view."),
        ),
        ("analyze table t, none update histogram on a", error("", one)),
        ("analyze table t, v drop histogram on a", error("", one)),
        (
            "analyze table t update histogram on b with 0 buckets",
            "E1690 Number of buckets value is out of range in 'ANALYZE TABLE'".into(),
        ),
        (
            "analyze table t update histogram on b with 1025 buckets",
            "E1690 Number of buckets value is out of range in 'ANALYZE TABLE'".into(),
        ),
        ("analyze table t update histogram on b with -1 buckets", "E1064".into()),
        ("analyze table t update histogram on t.b", "E1064".into()),
        ("analyze table t update histogram on a, b, A", "E1060 Duplicate column name 'A'".into()),
        ("analyze table none drop histogram on a, a", "E1060 Duplicate column name 'a'".into()),
        ("set global read_only = 1", "ok 0".into()),
        ("analyze table t update histogram on b", error("", "The server is in read-only mode.")),
        ("set global read_only = 0", "ok 0".into()),
        ("prepare p from 'analyze table t update histogram on b'", "ok 0".into()),
        ("execute p", created(&["b"])),
        ("execute p", created(&["b"])),
        ("lock tables t read", "ok 0".into()),
        ("analyze table t update histogram on b", "E1099".into()),
        ("analyze table t", "test.t|analyze|status|OK".into()),
        ("lock tables t write", "ok 0".into()),
        ("analyze table t update histogram on b", created(&["b"])),
        ("select count(*) from t", "0".into()),
        ("unlock tables", "ok 0".into()),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(sql, want)| (*sql, &want[..])).collect();
    check(&cases);
}

#[test]
fn definitions_that_change() {
    let all = "analyze table t update histogram on a, b, c, s, e";
    let made = created(&["a", "b", "c", "e", "s"]);
    let again = created(&["aa", "bb", "c", "e", "s"]);
    let cases = [
        (
            "create table t (id int, a int, b int, c bigint, s varchar(9), e varchar(9)) character set latin1",
            "ok 0",
        ),
        ("insert into t values (1, 1, 2, 3, 'x', 'y'), (2, 1, 2, 3, 'x', 'y')", "ok 2"),
        (all, &made),
        ("alter table t add column z int", "ok 0"),
        ("alter table t add column y int first", "ok 0"),
        ("alter table t drop column y, comment 'more'", "ok 0"),
        ("alter table t force", "ok 0"),
        ("create index i on t (a)", "ok 0"),
        ("truncate table t", "ok 0"),
        (COLUMNS, "t.a,t.b,t.c,t.e,t.s"),
        // A column that gets another name loses its histogram, if only the case of a letter is another one.
        ("alter table t rename column a to b, rename column b to a, rename column s to S", "ok 0"),
        (COLUMNS, "t.c,t.e"),
        ("alter table t change c cc bigint, rename column S to s", "ok 0"),
        (COLUMNS, "t.e"),
        ("alter table t rename column a to bb, rename column b to aa, change cc c bigint", "ok 0"),
        ("insert into t (aa, bb, c, s, e) values (1, 2, 3, 'x', 'y')", "ok 1"),
        ("analyze table t update histogram on aa, bb, c, s, e", &again),
        ("truncate table t", "ok 0"),
        ("alter table t modify bb int after aa", "ok 0"),
        (
            "select column_name, histogram->'$.buckets' from information_schema.column_statistics where column_name in ('aa', 'bb')",
            "aa|[[1, 1.0]]; bb|[[2, 1.0]]",
        ),
        ("alter table t modify c int", "ok 0"),
        ("alter table t modify e varchar(9) character set utf8mb4", "ok 0"),
        (COLUMNS, "t.aa,t.bb,t.s"),
        ("alter table t convert to character set utf8mb4", "ok 0"),
        (COLUMNS, "t.aa,t.bb"),
        ("alter table t add unique key (aa, bb)", "ok 0"),
        (COLUMNS, "t.aa,t.bb"),
        ("alter table t drop column none, drop column aa", "E1091"),
        ("alter table t add unique key (aa)", "ok 0"),
        (COLUMNS, "t.bb"),
        ("create table other like t", "ok 0"),
        ("create table third select * from t", "ok 0"),
        (COLUMNS, "t.bb"),
        ("rename table t to u", "ok 0"),
        (COLUMNS, "u.bb"),
        ("create database d", "ok 1"),
        ("alter table u rename to d.w", "ok 0"),
        (
            "select schema_name, table_name, column_name from information_schema.column_statistics",
            "d|w|bb",
        ),
        ("drop table d.w", "ok 0"),
        (COLUMNS, "NULL"),
        ("create table d.x (a int)", "ok 0"),
        (
            "analyze table d.x update histogram on a",
            "d.x|histogram|status|Histogram statistics created for column 'a'.",
        ),
        (COLUMNS, "x.a"),
        ("drop database d", "ok 1"),
        (COLUMNS, "NULL"),
        ("create table t (k int primary key, v int) partition by key (k) partitions 3", "ok 0"),
        ("insert into t values (1, 1), (2, 2), (3, 3), (4, 3)", "ok 4"),
        (
            "analyze table t update histogram on v",
            "test.t|histogram|status|Histogram statistics created for column 'v'.",
        ),
        ("alter table t partition by hash (k) partitions 2", "ok 4"),
        ("alter table t add partition partitions 1", "ok 0"),
        (
            "select histogram->'$.buckets' from information_schema.column_statistics",
            "[[1, 0.25], [2, 0.5], [3, 1.0]]",
        ),
    ];
    check(&cases);
}

#[test]
fn they_are_kept_over_starts_and_crashes() {
    const BEFORE: &[(&str, &str)] = &[
        ("create table t (a int, s text)", "ok 0"),
        (
            "insert into t with recursive r as (select 1 n union all select n + 1 from r where n < 500) select n, repeat(n, 20) from r",
            "ok 500",
        ),
        (
            "analyze table t update histogram on a, s with 300 buckets",
            "test.t|histogram|status|Histogram statistics created for column 'a'.; test.t|histogram|status|Histogram statistics created for column 's'.",
        ),
        (
            "analyze table t drop histogram on s",
            "test.t|histogram|status|Histogram statistics removed for column 's'.",
        ),
    ];
    const AFTER: &[(&str, &str)] = &[
        (
            "select column_name, json_length(histogram->'$.buckets'), histogram->'$.buckets[0]' from information_schema.column_statistics",
            "a|250|[1, 2, 0.004, 2]",
        ),
        (
            "explain select * from t where a <= 50",
            "1|SIMPLE|t|NULL|ALL|NULL|NULL|NULL|NULL|500|10.00|Using where",
        ),
    ];
    check_lives(&[BEFORE, AFTER]);
    check_over_a_crash(BEFORE, "create table later (a int)", AFTER);
}

#[test]
fn rights() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int)",
            "analyze table t update histogram on a",
            "create user r@localhost, w@localhost, n@localhost, k@localhost",
            "create table two (a int, b int)",
            "analyze table two update histogram on a, b",
            "grant select (b) on test.two to k@localhost",
            "grant select on test.t to r@localhost",
            "grant select, insert on test.t to w@localhost",
        ])
        .await;
        let mut r = server.client_of("r");
        r.check(&[
            ("analyze table test.t update histogram on a", "E1142"),
            ("analyze table test.t drop histogram on a", "E1142"),
            (COLUMNS, "t.a"),
        ])
        .await;
        let mut n = server.client_of("n");
        n.check(&[("analyze table test.t drop histogram on a", "E1142"), (COLUMNS, "NULL")]).await;
        let mut k = server.client_of("k");
        k.check(&[(COLUMNS, "two.b")]).await;
        let mut w = server.client_of("w");
        w.check(&[("analyze table test.t update histogram on a", &created(&["a"]))]).await;
        for c in [c, r, n, k, w] {
            c.0.close().await;
        }
        drop(server);
    });
}

/// Anyone who uses the table is not waited for, and goes on.
#[test]
fn beside_transactions() {
    with_server(1, |server| async move {
        let (mut c, mut other) = (server.client(), server.client());
        c.all(&[
            "create table t (id int primary key, a int, key (a))",
            "insert into t values (1, 1), (2, 2)",
            "set lock_wait_timeout = 2",
        ])
        .await;
        other
            .check(&[
                ("begin", "ok 0"),
                ("select count(*) from t", "2"),
                ("insert into t values (3, 3)", "ok 1"),
            ])
            .await;
        c.check(&[("analyze table t update histogram on a", &created(&["a"]))]).await;
        other
            .check(&[
                ("insert into t values (4, 4)", "ok 1"),
                ("update t set a = a + 10 where id > 2", "ok 2"),
                ("select * from t where a > 2 order by id", "3|13; 4|14"),
                ("commit", "ok 0"),
            ])
            .await;
        c.check(&[
            ("select sum(a) from t", "30"),
            ("check table t", "test.t|check|status|OK"),
            // A definition statement waits for readers still, and for nobody else.
            ("alter table t add column b int", "ok 0"),
            (COLUMNS, "t.a"),
        ])
        .await;
        c.0.close().await;
        other.0.close().await;
        drop(server);
    });
}

#[test]
fn dumps_of_mysql_load() {
    check(&[
        ("create table `t` (`a b` int, c int)", "ok 0"),
        ("insert into t values (1, 2)", "ok 1"),
        (
            "/*!80002 ANALYZE TABLE `t` UPDATE HISTOGRAM ON `a b` WITH 7 BUCKETS */",
            "test.t|histogram|status|Histogram statistics created for column 'a b'.",
        ),
        // As mysqldump asks for them.
        (
            "SELECT COLUMN_NAME, JSON_EXTRACT(HISTOGRAM, '$.\"number-of-buckets-specified\"') FROM information_schema.COLUMN_STATISTICS WHERE SCHEMA_NAME = 'test' AND TABLE_NAME = 't'",
            "a b|7",
        ),
        (
            "select column_name from information_schema.column_statistics where schema_name = 'none'",
            "",
        ),
        ("select json_type(histogram) from information_schema.column_statistics", "OBJECT"),
    ]);
}

#[test]
fn data_may_be_given() {
    const GIVEN: &str = r#"analyze table t update histogram on a using data '{"buckets": [[4, 0.25], [12, 0.5], [52, 0.75]], "data-type": "int", "null-values": 0.25, "collation-id": 8, "sampling-rate": 1.0, "histogram-type": "singleton", "number-of-buckets-specified": 4}'"#;
    let bad = |from: &str, to: &str| GIVEN.replace(from, to);
    let error = |text: &str| format!("test.t|histogram|Error|{text}");
    let unable = |column: &str, text: &str| {
        let unable = format!(
            "Unable to build histogram statistics for column '{column}' in table 'test'.'t'"
        );
        [error(&unable), error(text)].join("; ")
    };
    let several = error(
        "Only one column can be specified while modifying histogram statistics with JSON data.",
    );
    let no_x = error("The column 'x' does not exist.");
    let unique = error("The column 'u' is covered by a single-part unique index.");
    let invalid = error(
        "Invalid JSON text in argument 1 to function UPDATE HISTOGRAM: \"Invalid value.\" at position 0.",
    );
    let cases = [
        ("create table t (a int, b int, d date, u int unique)".to_owned(), "ok 0".to_owned()),
        (GIVEN.into(), created(&["a"])),
        (
            SHOWN.into(),
            r#"t|a|{"buckets": [[4, 0.25], [12, 0.5], [52, 0.75]], "data-type": "int", "null-values": 0.25, "collation-id": 8, "sampling-rate": 1.0, "histogram-type": "singleton", "number-of-buckets-specified": 4}"#.into(),
        ),
        (bad("{", "x"), [invalid, unable("a", "JSON format error.")].join("; ")),
        (bad("[12, 0.5], ", ""), created(&["a"])),
        (
            bad("[12, 0.5]", "[3, 0.5]").replace("on a", "on A"),
            unable("a", "The value at '$.buckets[1][0]' must be greater than that of previous bucket."),
        ),
        ("analyze table t update histogram on a using data '[]'".into(), unable("a", "JSON data is not an object")),
        (
            "analyze table t update histogram on a using data '{}'".into(),
            unable("a", "Missing attribute at '$.\"histogram-type\"'."),
        ),
        (
            bad("on a", "on d").replace("\"int\"", "\"date\"").replace("[4,", "[\"0000-00-00\","),
            [
                "test.t|histogram|Warning|Incorrect date value: '0000-00-00' for column 'd' at row 1".into(),
                unable("d", "Out of range value for column at '$.buckets[0][0]'."),
            ]
            .join("; "),
        ),
        (bad("on a", "on u"), unique.clone()),
        (bad("on a", "on x"), no_x.clone()),
        (bad("on a", "on a, b"), several.clone()),
        (bad("on a", "on a, b, x"), [&several[..], &no_x].join("; ")),
        // One column is left of these.
        (bad("on a", "on u, x, a"), [&created(&["a"])[..], &unique, &no_x].join("; ")),
        (
            bad("on a", "on u, x, b").replace("\"int\"", "7"),
            [&unable("b", "Wrong attribute type at '$.\"data-type\"'.")[..], &unique, &no_x].join("; "),
        ),
        (bad("on a", "on x, u"), [&unique[..], &no_x].join("; ")),
        (COLUMNS.into(), "t.a".into()),
    ];
    let cases: Vec<(&str, &str)> = cases.iter().map(|(sql, want)| (&sql[..], &want[..])).collect();
    check(&cases);
}

/// The variable bounds what counting takes: of more values some rows are sampled, and the shares stay about right.
#[test]
fn sampling() {
    check(&[
        ("set cte_max_recursion_depth = 30000", "ok 0"),
        ("create table t (a int, few int)", "ok 0"),
        (
            "insert into t with recursive r as (select 1 n union all select n + 1 from r where n < 20000) select n, n % 4 from r",
            "ok 20000",
        ),
        ("show variables like 'histogram_gen%'", "histogram_generation_max_mem_size|20000000"),
        ("set histogram_generation_max_mem_size = 1", "ok 0"),
        ("select @@histogram_generation_max_mem_size", "1000000"),
        (
            "analyze table t update histogram on few",
            "test.t|histogram|status|Histogram statistics created for column 'few'.",
        ),
        (
            "analyze table t update histogram on a with 8 buckets",
            "test.t|histogram|status|Histogram statistics created for column 'a'.",
        ),
        (
            "select column_name, histogram->'$.\"sampling-rate\"', json_length(histogram->'$.buckets') from information_schema.column_statistics",
            "a|0.25|8; few|1.0|4",
        ),
        (
            "select histogram->'$.buckets[7][2]', abs(histogram->'$.buckets[3][1]' - 10000) < 1000 from information_schema.column_statistics where column_name = 'a'",
            "1.0|1",
        ),
        (
            "select histogram->'$.buckets' from information_schema.column_statistics where column_name = 'few'",
            "[[0, 0.25], [1, 0.5], [2, 0.75], [3, 1.0]]",
        ),
    ]);
}

#[test]
fn analyze_table_makes_those_anew_that_ask_for_it() {
    let buckets = "select column_name, histogram->'$.buckets', histogram->'$.\"auto-update\"' from information_schema.column_statistics";
    check(&[
        ("create table t (a int, m int)", "ok 0"),
        ("insert into t values (1, 1)", "ok 1"),
        ("analyze table t update histogram on a with 5 buckets auto update", &created(&["a"])),
        ("analyze table t update histogram on m manual update", &created(&["m"])),
        ("insert into t values (2, 2)", "ok 1"),
        (buckets, "a|[[1, 1.0]]|true; m|[[1, 1.0]]|false"),
        ("analyze table t", "test.t|analyze|status|OK"),
        (buckets, "a|[[1, 0.5], [2, 1.0]]|true; m|[[1, 1.0]]|false"),
        (
            "select histogram->'$.\"number-of-buckets-specified\"' from information_schema.column_statistics where column_name = 'a'",
            "5",
        ),
    ]);
}

/// `filtered` of the only line of EXPLAIN.
async fn filtered(c: &mut Client, condition: &str) -> f64 {
    let line = c.rows(&format!("explain select * from t where {condition}")).await;
    let cell = line.split('|').nth(10).unwrap_or_default();
    cell.parse().unwrap_or_else(|_| panic!("{condition}: {line}"))
}

#[test]
fn estimates_of_conditions() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int, b int, s varchar(20), d decimal(8,2), dt datetime, e enum('x','y','z'), h int)",
            "insert into t with recursive r as (select 0 n union all select n + 1 from r where n < 999) \
             select n, if(n < 200, null, n % 4), concat('k', n % 10), n / 10, '2026-01-01' + interval n hour, 1 + n % 2, n from r",
        ])
        .await;
        assert_eq!(filtered(&mut c, "a < 100").await, 33.33, "nothing is known");
        c.rows("analyze table t update histogram on a, b, s, d, dt, e").await;
        let cases = [
            ("a < 100", 10.0),
            ("100 > a", 10.0),
            ("a >= 3 + 20", 97.7),
            ("a between 100 and 199", 10.0),
            ("a >= 100 and a < 200 and a > 50", 10.0),
            ("a < 100 or a >= 900", 20.0),
            ("a not between 100 and 899", 20.0),
            ("a < -5", 0.1),
            ("a > 99.5", 90.0),
            ("a > '99'", 90.0),
            ("a = 5000", 0.1),
            ("b = 1", 20.0),
            ("b in (1, 2, 7)", 40.0),
            ("b not in (1, 2)", 40.0),
            ("b not between 1 and 2", 40.0),
            ("not (b = 1 or b = 3)", 40.0),
            ("b <> 1", 60.0),
            ("b is null", 20.0),
            ("b is not null", 80.0),
            ("b <=> null", 20.0),
            ("b = null", 0.1),
            ("b > 0", 60.0),
            ("b = 1 and a < 500", 10.0),
            ("b = 1 or a < 500", 60.0),
            ("s = 'K3'", 10.0),
            ("s in ('k3', 'k4', 'none')", 20.0),
            ("s < 'k5'", 50.0),
            ("d < 50", 50.0),
            ("dt < '2026-01-21 20:00:00'", 50.0),
            ("e = 'y'", 50.0),
            ("e = 'z'", 0.1),
            // What no histogram tells of is guessed, and so is what is not known beforehand.
            ("h < 10", 33.33),
            ("a < h", 33.33),
            ("a < 100 and h < 10", 3.33),
            ("a < 100 * rand()", 33.33),
            ("s like 'k1%'", 11.11),
        ];
        let mut bad = String::new();
        for (condition, want) in cases {
            let got = filtered(&mut c, condition).await;
            if (got - want).abs() > 0.6 {
                bad += &format!("{condition}: {got} instead of {want}\n");
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        // A histogram that comes or goes is seen by the next statement.
        c.rows("analyze table t drop histogram on a").await;
        assert_eq!(filtered(&mut c, "a < 100").await, 33.33);
        c.check(&[(
            "explain format = json select * from t where b = 1",
            r#"{
  "query_block": {
    "select_id": 1,
    "table": {
      "table_name": "t",
      "access_type": "ALL",
      "rows_examined_per_scan": 1000,
      "filtered": "20.00",
      "attached_condition": "(`test`.`t`.`b` = 1)"
    }
  }
}"#,
        )])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// The table of which conditions leave fewer rows leads, where histograms tell which one that is. The tables are too small for their columns to
/// be guessed by a sample.
#[test]
fn order_of_joins() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table a (id int primary key, kind int, b int)",
            "create table b (id int primary key, kind int, a int)",
            "insert into a with recursive r as (select 1 n union all select n + 1 from r where n < 900) select n, n % 2, n from r",
            "insert into b select id, if(id = 7, 1, 0), id from a",
            "analyze table a, b",
        ])
        .await;
        let sql = "explain select * from a join b on a.id = b.a and b.id = a.b where a.kind = 1 and b.kind = 1";
        let first = |line: &str| line.split('|').nth(2).map(str::to_owned).unwrap_or_default();
        assert_eq!(first(&c.rows(sql).await), "a");
        c.rows("analyze table a update histogram on kind").await;
        c.rows("analyze table b update histogram on kind").await;
        assert_eq!(first(&c.rows(sql).await), "b");
        assert_eq!(c.rows(&sql.replace("explain ", "")).await, "7|1|7|7|1|7");
        c.0.close().await;
        drop(server);
    });
}

/// What a join of two tables has for each row: by the numbers of different values on both sides, and more where values that are often there meet.
#[test]
fn rows_that_joins_find() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set cte_max_recursion_depth = 5000",
            "create table a (id int primary key, m int, n int, key (m))",
            "create table b (id int primary key, m int, n int, key (m))",
            "create table few (id int primary key)",
            "insert into few values (1), (2), (3), (4)",
            // A quarter of the rows has one value, all others another one each.
            "insert into a with recursive r as (select 1 x union all select x + 1 from r where x < 4000) select x, if(x % 4, x, 0), x % 4 + 1 from r",
            "insert into b select id, m, n from a",
            "analyze table a, b",
        ])
        .await;
        let found = async |c: &mut Client, sql: &str, table: &str| {
            let all = c.rows(&format!("explain {sql}")).await;
            let line = all.split("; ").find(|l| l.split('|').nth(2) == Some(table)).unwrap_or(&all);
            let rows = line.split('|').nth(9).and_then(|n| n.parse::<u64>().ok());
            rows.unwrap_or_else(|| panic!("{sql}: {all}"))
        };
        // By the index of a column with 3,001 values in 4,000 rows, one of which is in 1,000. A value finds 1.3 rows, a row 250 on the average.
        let sql = "select count(*) from a straight_join b force index (m) on a.m = b.m";
        let rows = found(&mut c, sql, "b").await;
        assert!((10..40).contains(&rows), "{rows}");
        let sql = "select count(*) from a straight_join b force index (m) on a.id = b.m";
        assert!(found(&mut c, sql, "b").await < 5);
        // By a hash: a thousand rows of each of four values, and no more than twenty of them was what it was guessed to find.
        let sql = "explain format=tree select count(*) from few straight_join b on few.id = b.n";
        let tree = c.rows(sql).await;
        let joined = tree.lines().find(|l| l.contains("hash join")).unwrap_or_default();
        let rows: u64 = joined
            .rsplit("rows=")
            .next()
            .unwrap_or_default()
            .trim_end_matches(')')
            .parse()
            .unwrap_or(0);
        assert!((3_000..5_000).contains(&rows), "{tree}");
        c.0.close().await;
        drop(server);
    });
}

/// Histograms come and go while others write, build indexes and add columns: nobody loses anything by it.
#[test]
fn beside_everybody() {
    for seed in 0..10 {
        with_server(seed, |server| async move {
            let rt = server.inst.db.rt().clone();
            let mut root = server.client();
            root.all(&[
                "create table t (id int auto_increment primary key, a int, b int)",
                "insert into t (a, b) with recursive r as (select 1 n union all select n + 1 from r where n < 300) select n, n from r",
            ])
            .await;
            let loads: [&[&str]; 4] = [
                &[
                    "begin",
                    "insert into t (a, b) values (1, 1)",
                    "update t set a = a + 1 where id < 20",
                    "commit",
                ],
                &["analyze table t update histogram on a", "analyze table t drop histogram on a"],
                &["analyze table t update histogram on b auto update", "analyze table t"],
                &[
                    "alter table t add key k (a)",
                    "alter table t add column c int",
                    "alter table t drop key k, drop column c",
                ],
            ];
            let mut tasks = Vec::new();
            for (n, load) in loads.into_iter().enumerate() {
                let (mut c, own) = (server.client(), rt.clone());
                tasks.push(rt.spawn("client", async move {
                    for round in 0..12u64 {
                        for sql in load {
                            let answer = c.ask(sql).await;
                            assert!(
                                [0, 1205, 1213].contains(&answer.errno()),
                                "{sql}: {}",
                                answer.line()
                            );
                            let pause = (seed + round * 7 + n as u64 * 3) % 11 * 40;
                            own.sleep(std::time::Duration::from_micros(pause)).await;
                        }
                    }
                    c.0.close().await;
                }));
            }
            for t in tasks {
                t.await;
            }
            root.check(&[
                (COLUMNS, "t.b"),
                ("select histogram->'$.\"auto-update\"' from information_schema.column_statistics", "true"),
                ("select count(*) from t", "312"),
                ("select count(*) from t force index (primary) where c is null", "E1054"),
                ("check table t", "test.t|check|status|OK"),
            ])
            .await;
            root.0.close().await;
            drop(server);
        });
    }
}
