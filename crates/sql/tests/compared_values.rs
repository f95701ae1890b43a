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

/// Found by comparing siblings of known faults with MySQL.
#[test]
fn values_that_looked_alike() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table v (f float, bi bigint, x float, b bit(16), z int(5) zerofill, a int)",
            "insert into v values (0.1, 9223372036854775807, 1.1, 0x3132, 1, 1)",
        ])
        .await;
        c.check(&[
            // A BIGINT before a FLOAT makes a DOUBLE of both.
            ("select bi from v union all select f from v", "9223372036854776000; 0.10000000149011612"),
            ("select f from v union all select bi from v", "0.1; 9223372000000000000"),
            ("select ifnull(bi, f), coalesce(f, bi) from v", "9223372036854776000|0.1"),
            // Functions that read texts read the digits of a FLOAT and the bytes of a BIT.
            ("select inet_aton(x), inet_aton(b), str_to_date(x, '%i.%s'), updatexml(x, '/a', 'z'), date_format('2026-01-01', x), time_format('10:00:00', b) from v", "16777217|12|00:01:01|1.1|1.1|12"),
            ("select hour(b), addtime(b, '1'), get_lock(x, 0), is_free_lock('1.1'), release_lock(x) from v", "0|00:00:13|1|0|1"),
            ("select locate('É', 'cafe'), locate('e', 'cafÉ'), locate('ss' collate utf8mb4_0900_ai_ci, 'ß'), locate('é', 'ee'), locate('é' collate utf8mb4_bin, 'e')", "4|4|1|1|0"),
            ("select lower('İ'), lower('I' collate utf8mb4_turkish_ci), upper('i' collate utf8mb4_turkish_ci)", "i|ı|İ"),
            ("select 'straße' regexp 'STRASSE', 'ss' regexp 'ß', 'ﬁ' regexp 'FI', 'ß' regexp 's+', regexp_replace('Straße', 'SS', 'x'), regexp_like('ß', 'ss', 'c')", "1|1|1|0|Straxe|0"),
            ("select coercibility(user()), coercibility(concat(user(), 'a')), collation(version()), coercibility(q) from (select 'q' q) d", "3|3|utf8mb3_general_ci|4"),
            ("create table m as select max(z) z from v", "ok 1"),
            ("select column_type from information_schema.columns where table_name = 'm'", "int(5) unsigned zerofill"),
            ("prepare p from 'select a from v order by a limit ? offset ?'", "ok 0"),
            ("set @n = null, @l = 1", "ok 0"),
            ("execute p using @n, @n", ""),
            ("execute p using @l, @n", "1"),
            ("create table d (d date, t time)", "ok 0"),
            ("insert into d values ('2024-01-01', '10:00')", "ok 1"),
            ("prepare p from 'select d from d where d = ?'", "ok 0"),
            ("set @bad = 'bad'", "ok 0"),
            ("execute p using @bad", ""),
            ("select d from d where d = @bad", "E1525 Incorrect DATE value: 'bad'"),
        ])
        .await;
    });
}
