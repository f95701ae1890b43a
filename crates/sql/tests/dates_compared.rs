//! Dates and times beside values of other types: what is compared as what, and what becomes of what is no date.
//!
//! By MySQL 8.0's rules: a constant text beside a date must be one (1525), whatever rows there are; any other text that is not one is the zero
//! date, with a warning. A constant beside a column of times is a time if it is one, and else both are texts or numbers.

use crate::common::*;

const SETUP: &[&str] = &[
    "create table t (id int primary key, d date, dt datetime(3), tm time(2), y year, s varchar(30), n int,
     key (d), key (dt), key (tm))",
    "insert into t values (1, '2024-02-03', '2024-02-03 10:11:12.5', '10:11:12.25', 2024, 'abc', 5),
     (2, '2000-01-01', '2000-01-01', '1:02:03', 2000, '10:11:12.25', 20240203), (3, null, null, null, null, null, null),
     (4, '2024-02-03', '2024-02-03', '-100:00:00', 2024, '2024-02-03', 101112)",
];

fn check(cases: &'static [(&'static str, &'static str)]) {
    with_server(1, move |s| async move {
        let mut c = s.client();
        c.all(SETUP).await;
        c.check(cases).await;
    });
}

#[test]
fn constant_texts_beside_dates() {
    check(&[
        ("select id from t where d = 'abc'", "E1525 Incorrect DATE value: 'abc'"),
        ("select id from t where d < ''", "E1525 Incorrect DATE value: ''"),
        ("select id from t where dt <=> concat('a', 'b')", "E1525 Incorrect DATETIME value: 'ab'"),
        ("select id from t where x'616263' = d", "E1525 Incorrect DATE value: 'abc'"),
        ("select nullif(d, '2024-13-45') from t", "E1525"),
        ("select (d, 1) = ('q', 1) from t", "E1525"),
        ("select id from t where d in ('abc')", "E1525"),
        // By the session's mode.
        ("select id from t where d = '0000-00-00'", "E1525 Incorrect DATE value: '0000-00-00'"),
        ("select id from t where d = '2024-00-01'", "E1525"),
        ("set sql_mode = ''", "ok 0"),
        ("select id from t where d = '0000-00-00' or d = '2024-00-01'", ""),
        ("set sql_mode = default", "ok 0"),
        // Elsewhere it is the zero date.
        ("select id from t where d in ('abc', '2000-01-01')", "2"),
        ("select id from t where d between 'abc' and '2001-01-01'", "2"),
        ("show warnings", "Warning|1292|Incorrect date value: 'abc'"),
        ("select case d when 'abc' then 1 else 0 end from t where id = 1", "0"),
        ("select (d, 1) in (('abc', 1), ('2000-01-01', 1)) from t order by id", "0; 1; NULL; 0"),
    ]);
}

/// A text beside what is computed is read once where it is a date, and told of for each row where it is not.
#[test]
fn texts_beside_computed_dates() {
    check(&[
        ("select id from t where date(dt) = '2024-02-03' order by id", "1; 4"),
        ("select id from t where '2000-1-1' >= date(dt)", "2"),
        ("select id from t where date(dt) <=> '2024-2-3' order by id", "1; 4"),
        ("select id from t where date(dt) in ('20240203', '2000-01-01') order by id", "1; 2; 4"),
        ("select id from t where d + interval 1 hour = '2024-02-03 01:00' order by id", "1; 4"),
        ("select id from t where date(dt) = '2024-02-03 00:00:01'", ""),
        ("select id from t where date(dt) = 'abc'", "E1525 Incorrect DATE value: 'abc'"),
        ("set @v = 'abc'", "ok 0"),
        ("select id from t where date(dt) > @v order by id", "1; 2; 4"),
        ("select @@warning_count", "3"),
    ]);
}

#[test]
fn other_texts_beside_dates() {
    check(&[
        ("select id from t where d = s", "4"),
        ("select count(*) from t where dt < s", "0"),
        (
            "show warnings",
            "Warning|1292|Incorrect datetime value: 'abc'; Warning|1292|Incorrect datetime value: '10:11:12.25'",
        ),
        ("select a.id, b.id from t a join t b on a.d = b.s order by 1, 2", "1|4; 4|4"),
        ("select id from t where concat(s, '') = d", "4"),
        ("select id from t where s in (select d from t)", "4"),
        ("select id from t where greatest(d, s) = d order by id", "1; 2; 4"),
        ("update t set n = 0 where d = s", "E1292 Incorrect date value: 'abc'"),
        ("update ignore t set n = 0 where d = s", "ok 1"),
    ]);
}

#[test]
fn numbers_beside_dates() {
    check(&[
        ("select id from t where d = 20240203 order by id", "1; 4"),
        ("select id from t where d between 20000101 and 20001231", "2"),
        ("select id from t where d = 1", ""),
        ("select id from t where dt = 20240203", "4"),
        ("select id from t where dt = 20240203101112.5", "1"),
        ("select id from t where dt >= 20240203101112 order by id", "1"),
        // What is no column is compared as a number.
        ("select cast(d as datetime) = 20240203, date(dt) = 20240203 from t where id = 1", "0|1"),
        ("select date'2024-02-03' < 20240203000001, 101112 <= date'1000-01-01'", "1|1"),
        ("select id from t where d = n", ""),
        ("set @n = 20240203, @s = '2024-02-03'", "ok 0"),
        ("select id from t where d = @n order by id", "1; 4"),
        ("select id from t where d = @s order by id", "1; 4"),
    ]);
}

#[test]
fn values_beside_times() {
    check(&[
        ("select id from t where tm = '10:11:12.25'", "1"),
        ("select id from t where tm = '1:2:3'", "2"),
        ("select id from t where tm = 10203", "2"),
        ("select id from t where tm < 0", "4"),
        ("select id from t where tm between '1:0:0' and 100000", "2"),
        ("select id from t where tm in ('1:2:3', 101112.25) order by id", "1; 2"),
        ("select id from t where tm = timestamp'2024-05-06 01:02:03'", "2"),
        // A constant is rounded as the column would, but in lists.
        ("select id from t where tm = '10:11:12.254'", "1"),
        ("select id from t where tm in ('10:11:12.254', 1)", ""),
        ("select id from t where dt in (20240203101112.5001, 1)", ""),
        // In lists and CASE every text is read as a time.
        ("select id from t where tm in ('10203', 'abc')", "2"),
        ("select case tm when '10203' then 'found' end from t where id = 2", "found"),
        ("select case tm when s then 1 else 0 end from t where id = 2", "0"),
        ("select maketime(1, 2, 3) in ('1:2:3', 'x')", "1"),
        // What is no time is a text.
        ("select id from t where tm = 'abc'", ""),
        ("select count(*) from t where tm < 'abc'", "3"),
        ("select id from t where tm = s", ""),
        ("select '2' between 1 and time'10:11:12', time'10:11:12' between 1 and '2'", "1|0"),
        ("select maketime(1, 2, 3) = '1:2:3', maketime(1, 2, 3) = '01:02:03'", "0|1"),
        ("select (tm, 1) = ('1:2:3', 1) from t where id = 2", "0"),
        ("select greatest(tm, 'abc'), least(tm, '') from t where id = 1", "abc|"),
        ("set @s = '1:2:3'", "ok 0"),
        ("select id from t where tm = @s", "2"),
    ]);
}

#[test]
fn years_beside_constants() {
    check(&[
        ("select id from t where y = 24 order by id", "1; 4"),
        ("select id from t where y between 0 and 1", "2"),
        // Only beside a column, and not in a row.
        ("select count(*) from t where 1 between 1 and y", "3"),
        ("select count(*) from t where (y, 1) = (24, 1)", "0"),
    ]);
}

#[test]
fn the_greatest_of_dates_and_others() {
    check(&[
        (
            "select greatest(d, 20240203), least(d, '1:2:3') from t where id = 2",
            "2024-02-03|0001-02-03",
        ),
        ("select greatest(d, 'abc'), least(d, 'abc') from t where id = 1", "2024-02-03|0000-00-00"),
        ("select greatest(dt, '2024-02-03') from t where id = 2", "2024-02-03 00:00:00.000"),
        ("select greatest(d, null) from t where id = 1", "NULL"),
        (
            "select greatest(date'2024-01-01', timestamp'2023-01-01 10:00:00')",
            "2024-01-01 00:00:00",
        ),
    ]);
}

#[test]
fn what_dates_become() {
    check(&[
        // A fraction is rounded into the day where a date is stored, and only there.
        ("update t set d = timestamp'2024-06-30 23:59:59.5' where id = 1", "ok 1"),
        (
            "insert into t (id, d) values (5, '2024-06-30 23:59:59.999999'), (6, timestamp'2024-06-30 23:59:59.499')",
            "ok 2",
        ),
        (
            "show warnings",
            "Note|1292|Incorrect date value: '2024-06-30 23:59:59.499' for column 'd' at row 2",
        ),
        (
            "select id, d from t where id in (1, 5, 6) order by id",
            "1|2024-07-01; 5|2024-07-01; 6|2024-06-30",
        ),
        ("select cast(timestamp'2024-06-30 23:59:59.9' as date)", "2024-06-30"),
        (
            "insert ignore into t (id, tm) values (7, 9223372036854775807), (8, -12345678901234567890.5)",
            "ok 2",
        ),
        ("select tm from t where id in (7, 8) order by id", "838:59:59.00; -838:59:59.00"),
        // IF() and CASE give the number of what they choose; IFNULL() and COALESCE() a text.
        (
            "select if(1, d, 1) + 0, case when 1 then tm else 'x' end + 0, ifnull(d, 1) + 0 from t where id = 2",
            "20000101|10203|2000",
        ),
        ("show warnings", ""),
        // Numbers of many digits are dates with times.
        (
            "select timediff(1, 20240229101112), addtime(20240229101112, 1)",
            "NULL|2024-02-29 10:11:13",
        ),
        ("select cast(':11:12' as time)", "00:11:12"),
        // Days make a date of a time.
        ("set timestamp = 1718454896", "ok 0"),
        (
            "select date_add(time'10:00:00', interval '1 1:1:1' day_second), date_add(time'10:00:00', interval '1:1' hour_minute)",
            "2024-06-16 11:01:01|11:01:00",
        ),
    ]);
}

#[test]
fn choices_keep_their_digits() {
    check(&[
        (
            "select if(1, 1, -1.5), case when 1 then 1 else 2.25 end, ifnull(1, 1.5), coalesce(1, 2.25)",
            "1|1|1.0|1.00",
        ),
        (
            "select concat(if(1, 1, -1.5)), concat(greatest(3, 2.5)), concat(truncate(1.2345, id)) from t where id = 2",
            "1|3.0|1.2300",
        ),
        ("select distinct if(1, 1, -1.5)", "1.0"),
        (
            "select if(a.id = 1, 1, 2.5) from t a join t b using (id) where a.id = 1 order by a.n",
            "1.0",
        ),
        ("select length(cast('a' as binary(100000000)))", "NULL"),
        (
            "show warnings",
            "Warning|1301|Result of cast_as_binary() was larger than max_allowed_packet (67108864) - truncated",
        ),
        ("select cast('a' as binary(4294967296))", "E1439"),
        ("select cast('a' as char(4294967296))", "E1439"),
        ("select if(1, 1, -1.5) union all select null", "1.0; NULL"),
        ("select * from (select case when 1 then 1 else 2.5 end c) x", "1.0"),
        ("select sum(case when id = 1 then 1.50 else 0 end) from t", "1.50"),
        ("select round(1.2345, '2'), format(1.2345, '2')", "1.23|1.23"),
        ("create table e (e enum('b', 'a') not null, f enum('b', 'a'))", "ok 0"),
        ("insert ignore into e values (null, 'a')", "ok 1"),
        ("insert ignore into e values ()", "ok 1"),
        ("select e + 0, if(0, 1, f) + 0, case when 1 then f end + 0 from e", "0|2|2; 1|NULL|NULL"),
    ]);
}

#[test]
fn bits_of_what_is_no_integer() {
    check(&[
        (
            "select 1 | 99999999999999999999, ~1e308, bit_count(1e308), 18446744073709551615 | 0",
            "9223372036854775807|9223372036854775808|63|18446744073709551615",
        ),
        ("select bin(b'101'), conv(x'10', 10, 2), oct(b'111')", "101|10000|7"),
        ("create table b (b bit(8))", "ok 0"),
        ("insert into b values (65), (66)", "ok 2"),
        ("select group_concat(b) from b", "A,B"),
        ("select json_quote(x'41')", "E3144"),
        ("select json_unquote(x'41')", "E3144"),
        ("select inet_aton('x'), unhex('zz'), inet6_ntoa('a')", "NULL|NULL|NULL"),
        (
            "show warnings",
            "Warning|1411|Incorrect string value: ''x'' for function inet_aton; Warning|1411|Incorrect string value: ''zz'' for function unhex; Warning|1411|Incorrect string value: ''a'' for function inet6_ntoa",
        ),
    ]);
}

/// A constant of the statement's text is a time beside a column of times; what is counted from the moment is a date, and the times are
/// today's.
#[test]
fn a_moment_beside_a_column_of_times() {
    check(&[
        ("set timestamp = unix_timestamp('2026-11-27 10:00:00')", "ok 0"),
        ("create table moments (c time, k int, key (c))", "ok 0"),
        ("insert into moments values ('01:00:00', 1), ('12:00:00', 2), ('23:00:00', 3)", "ok 3"),
        ("select k from moments where c <= timestamp'2026-11-27 12:00:00'", "1; 2"),
        ("select k from moments where c <= now() + interval 2 day", "1; 2; 3"),
        ("select k from moments where subtime(now(), '1 00:00:00') >= c", ""),
        (
            "select k from moments ignore index (c) where c between now() - interval 1 hour and addtime(now(), '10:00:00')",
            "2",
        ),
        ("delete from moments where c < now() + interval 1 day", "ok 3"),
    ]);
}

/// An operator reads a number of two digits beside a YEAR as the year that it is short for; a list of several does not.
#[test]
fn short_years_in_lists() {
    check(&[
        ("create table years (y year)", "ok 0"),
        ("insert into years values (2001), (1970), (0)", "ok 3"),
        ("select y from years where y = 1 or y in (70)", "2001; 1970"),
        ("select y from years where y in (1, 70) or y in ('1', null)", ""),
        ("select y from years where y not in (1, 70) and y in (2001, 0)", "2001; 0"),
    ]);
}

/// A number with a fraction beside a column of dates is the date, and beside a column of years the year that it is rounded to, wherever the
/// comparison stands.
#[test]
fn fractions_beside_dates_and_years() {
    check(&[
        (
            "create table f (id int primary key, d date, t datetime, y year, key (d), key (y))",
            "ok 0",
        ),
        (
            "insert into f values (1, '2020-01-03', '2020-01-03', 2019), (2, '2020-01-04', '2020-01-04', 2020), (3, '2020-01-05', '2020-01-05', 2021), (4, null, null, null), (5, '1999-01-01', '1999-01-01', 0), (6, '2001-01-01', '2001-01-01', 2001)",
            "ok 6",
        ),
        (
            "select sum(d < 20200104.5), sum(d = 20200104.9), sum(d >= 20200104.5e0), sum(20200104.5 <=> d) from f",
            "3|1|2|1",
        ),
        ("select id from f where d = 20200104.9", "2"),
        ("select id from f where d >= 20200104.9 order by id", "2; 3"),
        ("select id from f where d between 20200103.5 and 20200104.9 order by id", "1; 2"),
        ("select id from f where d in (20200104.5, 20190101)", "2"),
        ("select id from f where d = 200104.5", "2"),
        (
            "select sum(case when d < 20200104.5 then 1 else 0 end), sum(not d < 20200104.5) from f",
            "3|2",
        ),
        ("select id from f where t = 20200104.9", "2"),
        ("select id from f where d = 20209904.5 or d = -20200104.5", ""),
        ("select id from f where y = 2020.4", "2"),
        ("select id from f where y = 2020.5", "3"),
        ("select id from f where y = 2020.5e0", "2"),
        ("select id from f where y = '2020.5'", "3"),
        ("select id from f where y = 0.4 union all select id from f where y = 0.6", "5; 6"),
        ("select sum(y > 2020.5), sum(y <= 2020.5), sum(y = 1e0) from f", "0|5|1"),
        ("select id from f where y in (2020.5, 1)", ""),
        ("select id from f where y in (2020.5)", "3"),
    ]);
}

/// What asks for a date alone rounds whatever the mode says; what looks at the time as well cuts.
#[test]
fn dates_are_rounded_in_every_mode() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["set sql_mode = 'TIME_TRUNCATE_FRACTIONAL', @x = '2024-12-31 23:59:59.9999999'"])
            .await;
        c.check(&[
            (
                "select year(@x), month(@x), day(@x), quarter(@x), dayofyear(@x), weekday(@x), dayname(@x), monthname(@x), to_days(@x), last_day(@x), week(@x), datediff(@x, '2024-12-30')",
                "2025|1|1|1|1|2|Wednesday|January|739617|2025-01-31|0|2",
            ),
            (
                "select hour(@x), to_seconds(@x), date_format(@x, '%Y'), extract(day from @x), cast(@x as date)",
                "23|63902908799|2024|31|2024-12-31",
            ),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
