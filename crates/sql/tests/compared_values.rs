//! What the differential tester found of values that become others: digits of times, texts of several sets, numbers of texts.
use crate::common::*;

/// A function that makes a time of a number shows six digits where the number's type says nothing of them, also as a text.
#[test]
fn digits_of_times_are_those_of_their_type() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("select coalesce(sec_to_time(1.5e3), 0)", "00:25:00.000000"),
            ("select concat(sec_to_time(0.1e0), '')", "00:00:00.100000"),
            ("select concat(sec_to_time(2378), '')", "00:39:38"),
            ("select 'x' union select sec_to_time(1e0)", "x; 00:00:01.000000"),
            ("select from_unixtime('1.5')", "1970-01-01 00:00:01.500000"),
            // What is no time says nothing of its digits.
            (
                "select ifnull(date'2024-03-31', timediff('\"text\"', null))",
                "2024-03-31 00:00:00.000000",
            ),
            (
                "select timediff('10:00:00.5', '1:00'), timestamp('2024-01-01 1:2:3')",
                "09:00:00.5|2024-01-01 01:02:03",
            ),
            ("select convert_tz('2024-01-01 12:00:00', '+00:00', '+01:00')", "2024-01-01 13:00:00"),
            ("select now(3) like '%.___', concat(curtime(3)) like '%.___'", "1|1"),
        ])
        .await;
    });
}

/// An interval beyond all dates is an error of its own in strict modes, and the first second of 1970 is no timestamp.
#[test]
fn intervals_and_zones_at_the_ends() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (d datetime, b bit(8), v text)",
            "insert into t values (null, b'11111111', '1e30')",
        ])
        .await;
        c.check(&[
            ("insert into t (d) values (date_add('2023-06-15', interval 1e15 second))", "E1441"),
            ("insert into t (d) values (date'9999-12-31' - interval 20240701000000 hour)", "E1441"),
            ("select date_add('2023-06-15', interval 1e15 second)", "NULL"),
            ("show warnings", "Warning|1441|Datetime function: datetime field overflow"),
            // The bytes of a BIT are no digits.
            (
                "select date_add(date'2000-01-01', interval b minute_second) from t",
                "2000-01-01 00:00:00",
            ),
            (
                "select convert_tz('1970-01-01 00:00:00.5', '+00:00', '+05:30')",
                "1970-01-01 00:00:00.5",
            ),
            ("select convert_tz('1970-01-01 00:00:01', '+00:00', '+05:30')", "1970-01-01 05:30:01"),
        ])
        .await;
    });
}

/// ADDTIME() and SUBTIME() of a number are texts, which a column reads as such.
#[test]
fn sums_of_numbers_and_times_are_texts() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (d date, b bit(8), n bigint)", "set sql_mode = ''"]).await;
        c.check(&[
            ("select addtime(1, 1), subtime(1, 1)", "00:00:02|00:00:00"),
            ("insert into t (d) values (subtime(1, 1))", "ok 1"),
            ("insert into t (n) values (addtime(1, 1))", "ok 1"),
            // As every time it comes as a text, whose bytes are too many.
            ("insert into t (b) values (time'10:00:00')", "ok 1"),
            ("select d, n, b + 0 from t", "0000-00-00|NULL|NULL; NULL|0|NULL; NULL|NULL|255"),
        ])
        .await;
    });
}

/// Texts that meet are compared in a collation that they have in common, if there is one, and a function's text is one of its own set.
#[test]
fn texts_of_several_sets_and_collations() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (g varchar(20) collate utf8mb4_general_ci, u varchar(20) collate utf8mb4_unicode_ci,
                l varchar(20) character set latin1, b varbinary(20), n int)",
            "insert into t values ('a', 'b', 'ä', null, 1)",
        ])
        .await;
        c.check(&[
            ("select substring_index(u, g, 1) from t", "E1267"),
            ("select trim(leading u from g) from t", "E1267"),
            ("select substring_index(u, 'x', 1), trim(leading 'x' from g) from t", "b|a"),
            ("select trim(concat(u, g)) from t", "ba"),
            ("select '日本' between g and l from t", "0"),
            ("select g between 'A' and l, '日本' in (g, l) from t", "1|0"),
            // Beside a number a text is one, whatever its collation.
            ("select concat(u, g) in (select n from t) from t", "0"),
            ("select null in (select concat(u, g) from t) from t", "E1267"),
            ("update t set b = export_set(1, 1, l, '', 3)", "ok 1"),
            ("select hex(b) from t", "31E4E4"),
            ("select coercibility(space(n)), collation(charset(n)) from t", "4|utf8mb3_general_ci"),
            ("select charset(g) = 'utf8mb4' from t", "1"),
            ("select charset(g) collate utf8mb4_bin from t", "E1253"),
        ])
        .await;
    });
}

/// A column's value as a text in a UNION is what it is as a text elsewhere.
#[test]
fn columns_that_become_texts_in_a_union() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (y year, b bit(8), v varchar(9), f binary(3))",
            "insert into t values (0, b'1100001', 'A', 'a')",
        ])
        .await;
        c.check(&[
            ("select y from t union select 'x'", "0000; x"),
            ("select v from t union select b from t", "A; 97"),
            ("select hex(f) from (select f from t union all select 1) x", "610000; 310000"),
            ("select y from t union select 1", "0; 1"),
        ])
        .await;
    });
}

/// Literals that stand in a plan as parameters have the types that they have elsewhere.
#[test]
fn literals_in_conditions_have_types() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (n int, t time, d decimal(10,3))",
            "insert into t values (0, '10:00:00', 255)",
        ])
        .await;
        c.check(&[
            ("select n from t where coalesce(1, t, 1) between 'null' and nullif(1, n)", "0"),
            ("select n from t where coalesce(null, '[]') between d and '2024-02-30'", ""),
            ("select n from t where n < str_to_date('0', '%H:%i:%s')", ""),
            ("select n from t where n < str_to_date('1', '%H:%i:%s')", "0"),
            ("select n from t where t > str_to_date('2024-01-01', '%Y-%m-%d')", "0"),
            ("delete from t where n > cast(1e308 as signed)", "ok 0"),
            // A number beyond the range is no time.
            ("select n from t where time'838:59:59' = 123456789", ""),
        ])
        .await;
    });
}

/// The number of an ENUM is its column's: MAX() and a subquery give a text.
#[test]
fn members_of_enums_beside_numbers() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "set sql_mode = ''",
            "create table t (e enum('a','b','C',''))",
            "insert into t values ('b'), (''), (7)",
        ])
        .await;
        c.check(&[
            ("select max(e) + 0, (select 'b' = e from t limit 1) from t", "0|1"),
            ("select count(*) from t where e in (null, 2)", "1"),
            ("select count(*) from t where e in ('b', '7')", "1"),
            ("select group_concat(distinct e order by 1) from t", ",b,"),
            ("select count(distinct e) from t", "3"),
            ("select sum(distinct format(1, n)) from (select 0 n union select 1) x", "1"),
        ])
        .await;
    });
}

/// What is not needed is not looked at, as where MySQL's functions end early.
#[test]
fn what_functions_do_not_look_at() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (v varchar(20), b binary(4))", "insert into t values ('x', null)"])
            .await;
        c.check(&[
            ("update t set v = concat(null, cast(3.14159 as binary(4)))", "ok 1"),
            ("update t set v = 'x'", "ok 1"),
            ("update t set b = weight_string(v * 1)", "ok 0"),
            ("update t set b = weight_string(v) where v * 1", "E1292"),
        ])
        .await;
    });
}

/// A double has as many digits as there is room for, and is nothing where there is none.
#[test]
fn doubles_in_little_room() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (b binary(4), v varchar(4))", "set sql_mode = ''"]).await;
        c.check(&[
            ("insert into t (v) values (-1e-3), (-1050e0), (1234567e0), (-0.5e0)", "ok 4"),
            ("select v from t", "0; -1e3; 1e6; -0.5"),
        ])
        .await;
    });
}
