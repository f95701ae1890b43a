//! Literals and what they are beside other values: hexadecimal and bit literals, years, dates, numbers too large.
use crate::common::*;
use weir_sql::session_api::ParamValue;

const SETUP: &[&str] = &[
    "create table t (id int primary key, a int, v varbinary(20), y year, e datetime, key (y))",
    "insert into t values (1,10,'A',2024,'2024-01-01'),(2,20,'B',1999,null)",
    "create table none (e datetime, c time, d date)",
];

fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn hexadecimal_among_numbers() {
    check(&[
        (
            "select 0x41 + 0, 0x0A = 10, b'101' + 0, -0x01, 0x41 / 2, 0x41 div 2",
            "65|1|5|-1|32.5000|32",
        ),
        ("select 0x41 | 0, ~0x00, 0x0f & 0xf1, b'1' << 3", "65|18446744073709551615|1|8"),
        ("select 0x41 - 0x42", "E1690 BIGINT UNSIGNED value is out of range in '(65 - 66)'"),
        ("select 0x02 in (1, 2), 0x02 in ('B', 2), 0x03 between 1 and 4", "1|1|1"),
        (
            "select case 2 when 0x02 then 'yes' end, if(0x00, 1, 2), 0x01 and 1, not 0x00",
            "yes|2|1|1",
        ),
        (
            "select abs(0x10), mod(0x10, 3), round(0x10), left('abc', 0x02), char(0x41)",
            "16|1|16|ab|A",
        ),
        (
            "select cast(0x41 as unsigned), cast(0x41 as decimal(5,1)), cast(b'11' as signed)",
            "65|65.0|3",
        ),
        ("select sum(0x41), bit_or(0x41) from t", "130|65"),
        ("select id from t where id = 0x02", "2"),
        ("select id from t where 0x02 = id", "2"),
        ("select id from t where id in (0x02, 7)", "2"),
        ("select id from t where id between 0x02 and 0x07", "2"),
        ("select id from t where id < 0x02", "1"),
        ("select id from t where (id, a) = (0x01, 0x0a)", "1"),
        ("select id from t where (id, a) in ((0x01, 0x0a), (2, 0x14)) order by id", "1; 2"),
        ("select count(*) from t where 0x01", "2"),
        ("insert into t (id, a, v) values (0x10, 0x41, 0x41)", "ok 1"),
        ("select id, a, v from t where id = 16", "16|65|A"),
        ("update t set a = 0x42, v = 0x42 where id = 0x10", "ok 1"),
        ("select id, a, v from t where id = 0x10", "16|66|B"),
        (
            "insert into t (id, a) values (17, 0x112233445566778899)",
            "E1264 Out of range value for column 'a' at row 1",
        ),
        ("insert into t (id, a, v) select 0x12, 0x43, 0x43", "ok 1"),
        ("select id, a, v from t where id = 18", "18|67|C"),
        ("create table d (a int default 0x41, v varbinary(3) default 0x41)", "ok 0"),
        ("insert into d () values ()", "ok 1"),
        ("select * from d", "65|A"),
    ]);
}

#[test]
fn hexadecimal_among_texts() {
    check(&[
        ("select x'41', 0x41 = 'A', concat(0x41, 1), hex(0x41), cast(0x41 as char)", "A|1|A1|41|A"),
        ("select 0x41 > 0x40, 'A' in (0x41), max(0x41) from t", "1|1|A"),
        ("select id from t where v = 0x42", "2"),
        // The same text except for the literal's kind is another statement.
        ("select id from t where id = 0x32", ""),
        ("select id from t where id = '2'", "2"),
        ("select id from t where id = _binary'2'", "2"),
    ]);
}

#[test]
fn bit_operators_on_binary_strings() {
    check(&[
        ("select hex(_binary x'0f0f' | x'f0f0'), hex(~_binary x'00ff')", "FFFF|FF00"),
        ("select hex(v & x'0f'), hex(v ^ _binary 'A') from t", "01|00; 02|03"),
        ("select hex(_binary x'0180' << 1), hex(_binary x'0180' >> 0x04)", "0300|0018"),
        (
            "select _binary 'a' & _binary 'ab'",
            "E3513 Binary operands of bitwise operators must be of equal length",
        ),
        // Two literals, or a string and a number, are numbers.
        ("select x'0f' | x'f0', _binary '6' | 1, ~x'00' = 18446744073709551615", "255|7|1"),
        ("select hex(null | _binary 'a'), hex(_binary 'a' & null)", "NULL|NULL"),
    ]);
}

#[test]
fn binary_parameters_are_no_literals() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let id = c.0.prepare(b"select id from t where id = ?").await.expect("prepares").id;
        for (bytes, want) in [(&b"2"[..], "2"), (b"\x02", ""), (b"2\xff", "2")] {
            let got = c.execute(id, &[ParamValue::Bytes(bytes.to_vec())]).await;
            assert_eq!(got.line(), want);
        }
        c.0.close().await;
    });
}

#[test]
fn years_of_two_digits() {
    check(&[
        ("select id from t where y = 24", "1"),
        ("select id from t where y = '24'", "1"),
        ("select id from t where 99 = y", "2"),
        ("select id from t where y in (24)", "1"),
        // Among several it is the year 24, as MySQL has it.
        ("select id from t where y in (1, 24)", ""),
        ("select id from t where y between 23 and 25", "1"),
        ("select id from t where y > 98 order by id", "1; 2"),
        ("select id from t where y = 2024", "1"),
        ("select count(*) from t where y = 0", "0"),
        ("insert into t (id, y) values (3, 0), (4, '0')", "ok 2"),
        ("select id from t where y = 0", "3"),
        ("select id, y from t where y = '0'", "4|2000"),
    ]);
}

#[test]
fn texts_that_are_no_dates() {
    check(&[
        // Whatever rows there are.
        ("select * from none where e = 'abc'", "E1525 Incorrect DATETIME value: 'abc'"),
        ("select * from none where e in ('q')", "E1525 Incorrect DATETIME value: 'q'"),
        // Among several it is the zero date, in BETWEEN and CASE too; beside a time it is a text.
        ("select * from none where e in ('2024-01-01', 'q')", ""),
        ("select * from none where e between 'p' and 'q'", ""),
        ("select * from none where c > 'abc'", ""),
        ("select * from none where e = '2024-01-01'", ""),
        ("select * from none where d = 'abc'", "E1525 Incorrect DATE value: 'abc'"),
        ("update none set e = null where e < 'x'", "E1292"),
        ("select id from t where e = '2024-01-01'", "1"),
    ]);
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let id = c.0.prepare(b"select * from none where e = ?").await.expect("prepares").id;
        let text = |s: &str| ParamValue::Bytes(s.into());
        assert_eq!(c.execute(id, &[text("2024-01-01")]).await.errno(), 0);
        // What is sent is known when the statement is: it is the zero date in a query.
        assert_eq!(c.execute(id, &[text("abc")]).await.errno(), 0);
        assert_eq!(c.execute(id, &[ParamValue::Int(1)]).await.errno(), 0);
        c.0.close().await;
    });
}

#[test]
fn numbers_too_large() {
    check(&[
        ("select 1e400", "E1367 Illegal double '1e400' value found during parsing"),
        ("select id from t where a < 1e400", "E1367"),
        ("select count(*) from t where a < 1e300", "2"),
    ]);
}

#[test]
fn typed_literals_are_of_their_type_alone() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for (literal, want) in [
            ("date '2020-01-01 00:00:00'", "E1525"),
            ("date '20200101101112'", "E1525"),
            ("date '2020-1-1'", "2020-01-01"),
            ("timestamp '2020-01-01'", "E1525"),
            ("timestamp '200101'", "E1525"),
            ("timestamp '2020-01-01 10'", "2020-01-01 10:00:00"),
            ("timestamp '20200101101112'", "2020-01-01 10:11:12"),
            ("timestamp '2020-01-01 10:11:12+01:00'", "2020-01-01 12:11:12"),
            ("time '2020-01-01 10:11:12'", "E1525"),
            ("time '2020-01-01'", "E1525"),
            ("time '10:11:12x'", "E1525"),
            ("time '900:00:00'", "E1525"),
            ("time '1 10:11:12'", "34:11:12"),
            ("now(7)", "E1426 Too-big precision 7 specified for 'now'. Maximum is 6."),
            ("utc_time(7)", "E1426 Too-big precision 7 specified for 'utc_time'. Maximum is 6."),
            ("sysdate(9)", "E1426 Too-big precision 9 specified for 'sysdate'. Maximum is 6."),
            ("pow(10, 400)", "E1690 DOUBLE value is out of range in 'pow(10,400)'"),
        ] {
            c.rows("set time_zone = '+03:00'").await;
            c.check(&[(&format!("select {literal}"), want)]).await;
        }
        c.check(&[("prepare s from 'select now(7)'", "E1426")]).await;
    });
}

/// A literal of dates names a day that the SQL mode takes.
#[test]
fn days_of_literals_are_those_of_the_mode() {
    with_server(1, async |s| {
        let mut c = s.client();
        for (mode, literal, want) in [
            ("", "date'2014-00-01'", "2014-00-01"),
            ("", "date'0000-00-00'", "0000-00-00"),
            ("", "date'2014-02-31'", "E1525 Incorrect DATE value: '2014-02-31'"),
            ("NO_ZERO_IN_DATE", "date'2014-00-01'", "E1525 Incorrect DATE value: '2014-00-01'"),
            ("NO_ZERO_IN_DATE", "date'0000-00-00'", "0000-00-00"),
            ("NO_ZERO_DATE", "date'2014-00-01'", "2014-00-01"),
            ("NO_ZERO_DATE", "date'0000-00-00'", "E1525 Incorrect DATE value: '0000-00-00'"),
            ("NO_ZERO_DATE", "timestamp'0000-00-00 00:00:00'", "E1525"),
            ("NO_ZERO_IN_DATE", "timestamp'2014-01-00 10:00:00'", "E1525"),
            ("ALLOW_INVALID_DATES", "date'2014-02-31'", "2014-02-31"),
            ("ALLOW_INVALID_DATES", "timestamp'2014-02-31 10:00:00'", "2014-02-31 10:00:00"),
            ("ALLOW_INVALID_DATES", "date'2014-13-01'", "E1525"),
        ] {
            c.rows(&format!("set sql_mode = '{mode}'")).await;
            c.check(&[(&format!("select {literal}"), want)]).await;
        }
    });
}

/// A default that only NO_ZERO_DATE or NO_ZERO_IN_DATE refuses is the zero date in lax modes, with a warning.
#[test]
fn zero_dates_as_defaults_in_lax_modes() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["set sql_mode = 'NO_ZERO_DATE,NO_ZERO_IN_DATE'"]).await;
        c.check(&[
            ("create table t (a date default '0000-00-00', b datetime default '2012-00-01', c date default 0)", "ok 0"),
            (
                "show warnings",
                "Warning|1264|Out of range value for column 'a' at row 1; \
                 Warning|1264|Out of range value for column 'b' at row 1; \
                 Warning|1264|Out of range value for column 'c' at row 1",
            ),
            ("select column_default from information_schema.columns where table_name = 't' order by ordinal_position", "0000-00-00; 0000-00-00 00:00:00; 0000-00-00"),
            ("alter table t add d date default '2012-00-01'", "ok 0"),
            ("create table u (a date default '2012-02-30')", "E1067"),
            ("create table u (a date default 'x')", "E1067"),
            ("set sql_mode = 'NO_ZERO_DATE,STRICT_TRANS_TABLES'", "ok 0"),
            ("create table u (a date default '0000-00-00')", "E1067"),
        ])
        .await;
    });
}

/// Nothing is assigned to a user variable whose name is empty, ends in a space or has more than 64 characters; reading it gives NULL.
#[test]
fn names_of_user_variables() {
    with_server(1, async |s| {
        let mut c = s.client();
        let long = "x".repeat(65);
        c.all(&["create procedure p() set @`y ` = 1"]).await;
        c.check(&[
            (&format!("set @{long} = 1"), "E3061"),
            (&format!("set @{} = 1", &long[1..]), "ok 0"),
            ("set @`` = 1", "E3061 User variable name '' is illegal"),
            ("set @`a ` = 1", "E3061 User variable name 'a ' is illegal"),
            ("select @`a ` := 1", "E3061"),
            ("select 1 into @`a `", "E3061"),
            ("call p()", "E3061"),
            ("select @`a `, @``", "NULL|NULL"),
        ])
        .await;
    });
}
