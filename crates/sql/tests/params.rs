//! What the values of parameters are: dates that no clock shows, time zones, bytes that are nobody's text, and texts beside numbers
//! and intervals. What a real MySQL 9.7 answers, sent as bytes.
use crate::common::*;
use weir_sql::session_api::ParamValue;

fn at(d: [u16; 6], micros: u32, zone: Option<i16>) -> ParamValue {
    let [year, month, day, hour, minute, second] = d;
    ParamValue::DateTime {
        year,
        month: month as u8,
        day: day as u8,
        hour: hour as u8,
        minute: minute as u8,
        second: second as u8,
        micros,
        zone,
    }
}

fn date(year: u16, month: u8, day: u8) -> ParamValue {
    ParamValue::Date { year, month, day }
}

fn time(hours: u32, minutes: u8, seconds: u8, micros: u32) -> ParamValue {
    ParamValue::Time { negative: false, hours, minutes, seconds, micros }
}

fn text(s: &str) -> ParamValue {
    ParamValue::Bytes(s.as_bytes().to_vec())
}

/// Whatever takes them: a column, an expression or an attribute of a statement.
#[test]
fn dates_that_no_clock_shows_are_refused() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (d datetime, s varchar(40), e date, h time)").await;
        let bad = [
            (at([10000, 1, 1, 0, 0, 0], 0, None), "DATETIME"),
            (at([2004, 13, 1, 0, 0, 0], 0, None), "DATETIME"),
            (at([2004, 12, 32, 0, 0, 0], 0, None), "DATETIME"),
            (at([2004, 2, 1, 24, 0, 0], 0, None), "DATETIME"),
            (at([2004, 2, 1, 23, 60, 0], 0, None), "DATETIME"),
            (at([2004, 2, 1, 23, 0, 60], 0, None), "DATETIME"),
            (at([2004, 2, 1, 23, 0, 0], 1_000_000, None), "DATETIME"),
            (date(10000, 1, 1), "DATE"),
            (date(2004, 13, 1), "DATE"),
            (date(2004, 1, 32), "DATE"),
            (time(839, 0, 0, 0), "TIME"),
            (time(u32::MAX, 0, 0, 0), "TIME"),
            (time(1, 60, 0, 0), "TIME"),
            (time(1, 0, 60, 0), "TIME"),
            (time(1, 0, 0, 1_000_000), "TIME"),
        ];
        for mode in ["''", "'STRICT_TRANS_TABLES'", "'ALLOW_INVALID_DATES'"] {
            c.rows(&format!("set sql_mode = {mode}")).await;
            for sql in ["insert into t (d) values (?)", "insert into t (s) values (?)", "select ?"]
            {
                let p = c.0.prepare(sql.as_bytes()).await.unwrap();
                for (value, kind) in &bad {
                    let got = c.execute(p.id, std::slice::from_ref(value)).await.line();
                    let want =
                        format!("E1690 {kind} value is out of range in 'set_parameter_value'");
                    assert_eq!(got, want, "{mode} {sql} {value:?}");
                }
            }
        }
        assert_eq!(c.rows("select count(*) from t").await, "0");
        assert!(c.0.set_attributes(vec![(b"a".to_vec(), date(2004, 13, 1))]).is_err());
        // The largest ones.
        let p = c.0.prepare(b"insert into t (d, h) values (?, ?)").await.unwrap();
        let last = at([9999, 12, 31, 23, 59, 59], 0, None);
        c.execute(p.id, &[last, time(838, 59, 59, 0)]).await;
        assert_eq!(c.rows("select d, h from t").await, "9999-12-31 23:59:59|838:59:59");
        c.0.close().await;
    });
}

/// A date that is not in the calendar comes as a date: of a parameter, or of a column that was written under another mode.
#[test]
fn the_thirtieth_of_february_is_stored_nowhere() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (d datetime, e date, z timestamp null)", "create table u like t"])
            .await;
        for (column, name) in [("d", "datetime"), ("e", "date"), ("z", "datetime")] {
            let sql = format!("insert into t ({column}) values (?)");
            for value in [at([2004, 2, 30, 0, 0, 0], 0, None), date(2004, 2, 30)] {
                let p = c.0.prepare(sql.as_bytes()).await.unwrap();
                c.rows("set sql_mode = 'STRICT_TRANS_TABLES'").await;
                let got = c.execute(p.id, std::slice::from_ref(&value)).await.line();
                assert!(
                    got.starts_with(&format!("E1292 Incorrect {name} value: '2004-02-30")),
                    "{got}"
                );
                c.rows("set sql_mode = ''").await;
                assert_eq!(c.execute(p.id, &[value]).await.warnings, 1);
                let zero = format!("select left({column} + 0, 8) = 0, count(*) from t group by 1");
                assert_eq!(c.rows(&zero).await, "1|1", "{column}");
                c.rows("delete from t").await;
            }
        }
        c.all(&[
            "set sql_mode = 'ALLOW_INVALID_DATES'",
            "insert into t (d, e) values (20040231, 20040230)",
        ])
        .await;
        c.check(&[
            ("select d, e from t", "2004-02-31 00:00:00|2004-02-30"),
            ("insert into u (d, e) select e, d from t", "ok 1"),
            ("delete from u", "ok 1"),
            ("set sql_mode = 'STRICT_TRANS_TABLES'", "ok 0"),
            (
                "insert into u (d) select e from t",
                "E1292 Incorrect datetime value: '2004-02-30' for column 'd' at row 1",
            ),
            (
                "insert into u (e) select d from t",
                "E1292 Incorrect date value: '2004-02-31 00:00:00' for column 'e' at row 1",
            ),
            ("select count(*) from u", "0"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn a_parameter_may_have_a_time_zone() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set time_zone = '+02:00'",
            "create table t (d datetime, z timestamp null, s varchar(40))",
        ])
        .await;
        let p = c.0.prepare(b"insert into t values (?, ?, ?)").await.unwrap();
        for minutes in [754, -840, 0] {
            let value = at([2011, 2, 3, 4, 5, 6], 0, Some(minutes));
            c.execute(p.id, &[value.clone(), value.clone(), value]).await;
        }
        let want = "2011-02-02 17:31:06|2011-02-02 17:31:06|2011-02-03 04:05:06+12:34; \
                    2011-02-03 20:05:06|2011-02-03 20:05:06|2011-02-03 04:05:06-14:00; \
                    2011-02-03 06:05:06|2011-02-03 06:05:06|2011-02-03 04:05:06+00:00";
        assert_eq!(c.rows("select * from t").await, want);
        c.rows("set time_zone = '+00:00'").await;
        assert_eq!(c.rows("select min(z) from t").await, "2011-02-02 15:31:06");
        c.0.close().await;
    });
}

/// A blob is not converted from the client's character set.
#[test]
fn blobs_are_nobodys_text() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (b varbinary(20), s varchar(20) character set cp1251)",
            "set character_set_client = koi8r, character_set_connection = cp1251",
        ])
        .await;
        let p = c.0.prepare(b"insert into t values (?, ?)").await.unwrap();
        let koi8 = b"\xee\xd5".to_vec();
        c.execute(p.id, &[ParamValue::Bytes(koi8.clone()), ParamValue::Bytes(koi8)]).await;
        let cp1251 = b"\xcd\xf3".to_vec();
        c.execute(p.id, &[ParamValue::Blob(cp1251.clone()), ParamValue::Blob(cp1251)]).await;
        assert_eq!(c.rows("select hex(b), hex(s) from t").await, "CDF3|CDF3; CDF3|CDF3");
        c.0.close().await;
    });
}

/// Clients that send all values as texts get what the place is worth: no double where a decimal is multiplied.
#[test]
fn texts_beside_numbers_and_intervals() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (price decimal(10,2), n int, x double)",
            "insert into t values (0.30, 7, 0.5)",
        ])
        .await;
        let cases: &[(&str, &str, &str)] = &[
            ("select ? + 1", "3", "4"),
            ("select 1 + ?", "3.7", "4.7"),
            ("select ? + 1", "18446744073709551614", "18446744073709551615"),
            ("select 1.5 + ?", "0.1", "1.6"),
            ("select ? + 1", "x", "1"),
            ("select ? + 1", "3x", "4"),
            ("select ? / 2", "3", "1.5000"),
            ("select ? % 3", "7.5", "1.5"),
            ("select ? & 1", "3.7", "0"),
            ("select price * ? from t", "0.1", "0.030"),
            ("select price * ? = 0.03 from t", "0.1", "1"),
            ("select count(*) from t where price * ? = 0.03", "0.1", "1"),
            ("select n - ? from t", "3", "4"),
            ("select x * ? from t", "3", "1.5"),
            ("select coalesce(?, 1)", "3.7", "3.7"),
            ("select if(1, ?, n) + 1 from t", "3", "4"),
            ("select greatest(?, n) from t", "30", "30"),
            ("select concat(?, 1)", "03", "031"),
            ("select ? = 3", "3.0", "1"),
            ("select ? + interval 1 day", "2024-02-28", "2024-02-29"),
            ("select date_add(?, interval 1 month)", "2024-01-31", "2024-02-29"),
            ("select ? + interval 1 day", "2024-02-28 10:11:12", "2024-02-29 10:11:12"),
            ("select date_sub(?, interval 1 hour)", "2024-02-29", "2024-02-28 23:00:00"),
            ("select ? + interval 1 day", "soon", "NULL"),
        ];
        for (sql, value, want) in cases {
            let p = c.0.prepare(sql.as_bytes()).await.unwrap();
            for _ in 0..2 {
                assert_eq!(c.execute(p.id, &[text(value)]).await.line(), *want, "{sql} {value}");
            }
            c.0.close_statement(p.id);
            let quoted = sql.replace('\'', "''");
            c.all(&[&format!("set @v = '{value}'"), &format!("prepare s from '{quoted}'")]).await;
            assert_eq!(c.rows("execute s using @v").await, *want, "{sql} {value} by name");
        }
        c.0.close().await;
    });
}

/// `@@warning_count` looks at the statement before, as SHOW WARNINGS does.
#[test]
fn counts_of_conditions_are_not_prepared() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for sql in [
            "select @@warning_count",
            "select 1 from dual where @@session.error_count > 0",
            "do @@local.`warning_count`",
        ] {
            assert_eq!(c.0.prepare(sql.as_bytes()).await.unwrap_err().errno, 1295, "{sql}");
        }
        c.check(&[
            ("prepare s from 'select @@error_count'", "E1295"),
            ("prepare s from 'select @warning_count, 1 as error_count'", "ok 0"),
            ("select @@warning_count", "0"),
        ])
        .await;
        c.0.close().await;
    });
}
