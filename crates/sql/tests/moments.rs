//! Texts and numbers as dates and times: what MySQL 9.7 makes of values near the rules by which it reads them. `tools/beside/moments.py` wrote the
//! table: the value, CAST(.. AS DATETIME(6)) and CAST(.. AS TIME(6)), each with what its warning begins with.
use crate::common::*;
use std::fmt::Write;

#[test]
fn are_read_as_mysql_reads_them() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["set time_zone = '+00:00'", "set timestamp = 1704067200"]).await;
        let mut bad = String::new();
        for row in include_str!("common/moments.tsv").lines() {
            let mut fields = row.split('\t');
            let value = fields.next().expect("a value");
            for kind in ["datetime(6)", "time(6)"] {
                let want = (fields.next().expect("an answer"), fields.next().expect("a warning"));
                let sql = format!("select cast({value} as {kind})");
                let got = c.rows(&sql).await;
                let told = c.rows("show warnings").await;
                let told = told.split('|').nth(2).and_then(|t| t.split(':').next()).unwrap_or("");
                if (got.as_str(), told) != want {
                    let _ = writeln!(bad, "{sql}\n  want {want:?}\n  got  {got} {told}");
                }
            }
        }
        assert!(bad.is_empty(), "\n{bad}");
    });
}

#[test]
fn functions_of_times_take_days_that_no_month_has() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            (
                "select time('2024-02-30 10:00:00'), hour('2024-02-30 10:00:00'), time_to_sec('2024-02-30 10:00:00'), cast(20240230101112 as time)",
                "10:00:00|10|36000|10:11:12",
            ),
            ("select timediff('2024-02-30 10:00:00', '2024-02-28 10:00:00')", "48:00:00"),
            ("select addtime('2024-13-01 00:00:00', '1')", "NULL"),
            ("show warnings", "Warning|1292|Incorrect datetime value: '2024-13-01 00:00:00'"),
            ("select subtime('2024-02-30 05:00:00', '1')", "NULL"),
            ("show warnings", "Warning|1292|Truncated incorrect datetime value: '2024-02-30 05:00:00'"),
            ("select extract(hour from '2024-02-30 10:00:00')", "NULL"),
            ("select unix_timestamp('2024-01-01 00:00:00.'), unix_timestamp('x')", "1704067200|0.000000"),
            ("create table t (t time, d datetime)", "ok 0"),
            ("insert into t (t) values ('2024-02-30 10:00:00'), (20240230101112)", "ok 2"),
            ("insert into t (d) values (20151113.5)", "E1292 Incorrect datetime value: '20151113.5' for column 'd' at row 1"),
            ("insert into t (d) values ('2020-01-01 10:11:12-00:00')", "E1292"),
            ("insert into t (d) values ('2015-11-13t10:11:12')", "E1292"),
            ("select t from t", "10:00:00; 10:11:12"),
        ])
        .await;
    });
}
