//! JSON values stored in columns of other types: what is in them decides, and what cannot be converted is 3156 with the column's name.
use crate::common::*;

const VALUES: &[(&str, &str)] = &[
    ("null", "'null'"),
    ("int", "'12'"),
    ("dbl", "'12.7'"),
    ("str", "'\"abc\"'"),
    ("strdec", "'\"3.14\"'"),
    ("strint", "'\"42\"'"),
    ("strdate", "'\"2001-02-03\"'"),
    ("arr", "'[1]'"),
    ("bool", "'true'"),
    ("date", "cast(date'2001-02-03' as json)"),
    ("dt", "cast(timestamp'2001-02-03 04:05:06' as json)"),
    ("time", "cast(time'10:11:12' as json)"),
];

/// Type, and what of each of the values a strict mode keeps (asked of MySQL): a number is that of the error.
const CASES: &[(&str, [&str; 12])] = &[
    (
        "int",
        ["3156", "12", "13", "3156", "3156", "42", "3156", "3156", "1", "3156", "3156", "3156"],
    ),
    (
        "double",
        ["3156", "12", "12.7", "3156", "3.14", "42", "3156", "3156", "1", "3156", "3156", "3156"],
    ),
    (
        "date",
        [
            "3156",
            "3156",
            "3156",
            "3156",
            "3156",
            "3156",
            "2001-02-03",
            "3156",
            "3156",
            "2001-02-03",
            "2001-02-03",
            "3156",
        ],
    ),
    (
        "time",
        [
            "3156", "3156", "3156", "3156", "3156", "3156", "3156", "3156", "3156", "3156", "3156",
            "10:11:12",
        ],
    ),
    (
        "enum('a','12','abc')",
        [
            "1265", "12", "1265", "1265", "1265", "1265", "1265", "1265", "1265", "1265", "1265",
            "1265",
        ],
    ),
    ("bit(8)", ["1406"; 12]),
    (
        "varchar(40)",
        [
            "null",
            "12",
            "12.7",
            "\"abc\"",
            "\"3.14\"",
            "\"42\"",
            "\"2001-02-03\"",
            "[1]",
            "true",
            "\"2001-02-03\"",
            "\"2001-02-03 04:05:06.000000\"",
            "\"10:11:12.000000\"",
        ],
    ),
];

#[test]
fn what_is_in_a_json_value_decides() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.ask("create table j (name varchar(10), j json)").await;
        for (name, value) in VALUES {
            let stored = c.ask(&format!("insert into j values ('{name}', {value})")).await.line();
            assert_eq!(stored, "ok 1", "{name}");
        }
        for (ty, wanted) in CASES {
            c.ask(&format!("create table t (v {ty})")).await;
            for ((name, _), want) in VALUES.iter().zip(wanted) {
                let stored = c
                    .ask(&format!("insert into t select j from j where name = '{name}'"))
                    .await
                    .line();
                let got = match stored.strip_prefix('E') {
                    Some(error) => error.split(' ').next().unwrap_or_default().to_owned(),
                    None => c.ask("select cast(v as char) from t").await.line(),
                };
                assert_eq!(&got, want, "{name} in {ty}: {stored}");
                c.ask("delete from t").await;
            }
            c.ask("drop table t").await;
        }
        c.0.close().await;
        drop(server);
    });
}

/// A column that becomes JSON is read as the text that it shows, as in MySQL.
#[test]
fn columns_become_json() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int, b double, c decimal(5,2), d date, f varchar(10), g bit(8), y year)",
            "insert into t values (5, 1.5, 2.25, '2020-01-02', '[1]', b'101', 2001)",
        ])
        .await;
        for column in ["a", "b", "c", "f", "y"] {
            c.rows(&format!("alter table t modify {column} json")).await;
        }
        c.check(&[
            ("alter table t modify d json", "E3140"),
            ("alter table t modify g json", "E3144"),
            ("select a, b, c, f, y from t", "5|1.5|2.25|[1]|2001"),
            ("select json_type(a), json_type(b), json_type(f) from t", "INTEGER|DOUBLE|ARRAY"),
            // What is stored without a definition that changes is not one.
            ("insert into t (a) values (5)", "E3140"),
        ])
        .await;
        c.0.close().await;
    });
}
