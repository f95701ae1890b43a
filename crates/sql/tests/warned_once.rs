//! What a statement is warned of, and how often: once however many rows it has; and of what is about to go wherever it is named.
use crate::common::*;

#[test]
fn constants_beside_numbers() {
    with_server(99, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table d (i int, f double, s varchar(9))",
            "insert into d values (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')",
            "set @v = '1x'",
            "prepare p from 'select count(*) from d where f > ?'",
            "create function f() returns int reads sql data begin declare n int default 0; declare v varchar(9) default '1x'; \
             while n < 3 do set n = n + 1; if n > v then set v = '2y'; end if; end while; return n; end",
        ])
        .await;
        let one = |text: &str| format!("Warning|1292|Truncated incorrect DOUBLE value: '{text}'");
        let mut bad = String::new();
        for (sql, want) in [
            ("select count(*) from d where f > '1x'", vec!["1x"]),
            ("select count(*) from d where '1x' < i + 1", vec!["1x"]),
            ("select count(*) from d where i <> 'x'", vec!["x"]),
            ("select f > '2x' from d", vec!["2x"]),
            ("select count(*) from d where f > '1x' and i < '3y'", vec!["1x", "3y"]),
            ("select count(*) from d where f in ('0x', '2y')", vec!["0x", "2y"]),
            ("select count(*) from d where f > @v", vec!["1x"]),
            ("execute p using @v", vec!["1x"]),
            ("execute p using @v", vec!["1x"]),
            (
                "select count(*) from d where f > '1x' union all select count(*) from d where f > '1x'",
                vec!["1x", "1x"],
            ),
            // Of each row's own text there is one each, and so where the constant is computed with.
            ("select count(*) from d where s > 1", vec!["a", "b", "c"]),
            ("select f + '1x' from d", vec!["1x", "1x", "1x"]),
        ] {
            c.rows(sql).await;
            let told = c.rows("show warnings").await;
            let want: Vec<String> = want.iter().map(|t| one(t)).collect();
            if told != want.join("; ") {
                bad += &format!("{sql}\n  {told}\n");
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
        c.check(&[
            // A variable is another text each time.
            ("select f()", "3"),
            // In a strict change it is an error as before.
            ("update d set i = 9 where f > '1x'", "E1292"),
            ("set sql_mode = ''", "ok 0"),
            ("update d set i = 9 where f > '1x'", "ok 2"),
            ("show count(*) warnings", "1"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn columns_that_are_left_out() {
    with_server(100, |server| async move {
        let mut c = server.client();
        c.all(&["create table n (a int, b int not null, c int not null)", "set sql_mode = ''"])
            .await;
        let b = "Warning|1364|Field 'b' doesn't have a default value";
        let both = format!("{b}; {}", b.replace("'b'", "'c'"));
        for sql in [
            "insert into n (a) values (1), (2), (3)",
            "insert ignore into n (a) values (1), (2)",
            "insert into n (a) select 1 union select 2",
            "replace into n (a) values (1), (2)",
        ] {
            c.rows(sql).await;
            assert_eq!(c.rows("show warnings").await, both, "{sql}");
        }
        // DEFAULT is a value that each row has.
        c.rows("insert into n values (1, default, 1), (2, default, 1)").await;
        assert_eq!(c.rows("show warnings").await, format!("{b}; {b}"));
        c.0.close().await;
        drop(server);
    });
}

/// Character sets, collations and types that are about to go: in tables, programs and variables.
#[test]
fn what_is_about_to_go() {
    with_server(101, |server| async move {
        let mut c = server.client();
        let set = |name: &str| {
            format!(
                "1287|'{name}' is deprecated and will be removed in a future release. Please use utf8mb4 instead"
            )
        };
        let order = |name: &str, number: u16, of: &str, new: &str| {
            format!(
                "{number}|'{name}' is a collation of the deprecated character set {of}. Please consider using {new} with an appropriate collation instead."
            )
        };
        let zerofill = "1681|The ZEROFILL attribute is deprecated and will be removed in a future release. Use the LPAD function to zero-pad numbers, or store the formatted numbers in a CHAR column.";
        let unsigned = "1681|UNSIGNED for decimal and floating point data types is deprecated and support for it will be removed in a future release.";
        let digits = "1681|Specifying number of digits for floating point data types is deprecated and will be removed in a future release.";
        let cases: Vec<(&str, Vec<String>)> = vec![
            ("create table a (a char(1) charset ucs2, b char(1) charset macroman)", vec![set("ucs2"), set("macroman")]),
            ("create table b (a char(1) collate hp8_bin)", vec![order("hp8_bin", 4079, "hp8", "utf8mb4")]),
            ("create function f (a char(1) charset utf8mb3) returns char(1) charset dec8 deterministic no sql return a", vec![set("utf8mb3"), set("dec8")]),
            ("create procedure p () begin declare x char(1) charset macce; end", vec![set("macce")]),
            ("set collation_connection = utf8mb3_bin", vec![order("utf8mb3_bin", 3778, "UTF8MB3", "UTF8MB4")]),
            ("set character_set_client = utf8mb3", vec![set("utf8mb3")]),
            ("set names utf8mb3 collate utf8mb3_bin", vec![set("utf8mb3"), order("utf8mb3_bin", 3778, "UTF8MB3", "UTF8MB4")]),
            ("set character set utf8mb3", vec![]),
            ("set names utf8mb4", vec![]),
            ("create table c (a decimal(5, 1) unsigned zerofill, b decimal zerofill)", vec![zerofill.into(), unsigned.into(), zerofill.into()]),
            ("create table d (a double(5, 1) unsigned)", vec![digits.into(), unsigned.into()]),
            ("create table e (a year(4))", vec!["1287|'YEAR(4)' is deprecated and will be removed in a future release. Please use YEAR instead".into()]),
        ];
        for (sql, want) in cases {
            c.rows(sql).await;
            let want: Vec<String> = want.iter().map(|w| format!("Warning|{w}")).collect();
            assert_eq!(c.rows("show warnings").await, want.join("; "), "{sql}");
        }
        c.0.close().await;
        drop(server);
    });
}
