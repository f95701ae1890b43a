//! Numbers whose column says more of their text than their value does.
use crate::common::*;

#[test]
fn digits_of_reals_and_zerofill() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (z int(4) unsigned zerofill, d double(8,2), f float(6,3), k double, m decimal(5,1))",
            "insert into t values (7, 1.5, 2.25, 0.5, 1), (12, 2, 3, 1, 2)",
        ])
        .await;
        c.check(&[
            ("select d, f from t where z = 7", "1.50|2.250"),
            ("select concat(z, '|', d, '|', f, '|', k) from t order by z", "0007|1.50|2.250|0.5; 0012|2.00|3.000|1"),
            ("select length(z), length(d), char_length(f), length(k) from t where z = 12", "4|4|5|1"),
            ("select z from t where z like '00%7'", "7"),
            ("select cast(z as char), concat(z) = '0007' from t where z = 7", "0007|1"),
            ("select z + 1, concat(z + 1) from t where z = 7", "8|8"),
            ("select min(z), max(z), min(d), any_value(z) from t", "7|12|1.50|7"),
            ("select sum(d), avg(d), sum(f), avg(f), sum(k) from t", "3.50|1.750000|5.250|2.6250000|1.5"),
            ("create table s as select sum(d) as a, avg(d) as b, min(z) as c, sum(k) as e from t", "ok 1"),
            (
                "select column_name, column_type from information_schema.columns where table_name = 's' order by 1",
                "a|double(19,2); b|double(23,6); c|int(4) unsigned zerofill; e|double",
            ),
            ("select stddev_samp(x), var_pop(x) from (select 1e308 as x union select -1e308) as d", "NULL|NULL"),
            ("select stddev_samp(k), std(k) from t where z = 7", "NULL|0"),
        ])
        .await;
    });
}

/// The manual, on 0000-00-00 in columns that are never NULL.
#[test]
fn zero_days_are_null_in_conditions() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "set sql_mode = ''",
            "create table t (d date not null, e datetime not null, n date, key (d))",
            "insert into t values ('0000-00-00', '2020-01-01', null), ('2020-01-01', 0, '0000-00-00')",
        ])
        .await;
        c.check(&[
            ("select d, e from t where d is null", "0000-00-00|2020-01-01 00:00:00"),
            ("select d from t where e is null", "2020-01-01"),
            ("select count(*) from t where n is null", "1"),
            ("select d is null from t", "0; 0"),
            ("select count(*) from t where d is not null", "2"),
            ("select count(*) from t as a left join t as b on b.d > a.d where b.d is null", "1"),
            ("update t set d = '2021-01-01' where d is null", "ok 1"),
            ("delete from t where e is null", "ok 1"),
            ("select d from t", "2021-01-01"),
        ])
        .await;
    });
}

#[test]
fn where_of_show_is_any_expression() {
    check(&[
        ("create table t (a int primary key, name varchar(64))", "ok 0"),
        ("create table u (b int)", "ok 0"),
        ("insert into t values (1, 'sql_mode'), (2, 'u'), (3, 'b')", "ok 3"),
        (
            "create function is_wanted(n varchar(64)) returns int return exists (select 1 from t where name = n)",
            "ok 0",
        ),
        (
            "show variables where variable_name = (select name from t where a = 1) and value like '%TRANS%'",
            "sql_mode|ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
        ),
        ("select found_rows()", "1"),
        ("show tables where tables_in_test in (select name from t)", "u"),
        ("show tables where is_wanted(tables_in_test)", "u"),
        (
            "show full tables where exists (select 1 from t where name = tables_in_test)",
            "u|BASE TABLE",
        ),
        ("show columns from u where is_wanted(field)", "b|int|YES||NULL|"),
        ("show columns from u where field = any (select name from t) and is_wanted(type)", ""),
        (
            "show index from t where column_name = (select 'a')",
            "t|0|PRIMARY|1|a|A|3|NULL|NULL||BTREE|||YES|NULL",
        ),
        ("show databases where `database` = (select 'test')", "test"),
        (
            "show character set where charset = (select 'ascii')",
            "ascii|US ASCII|ascii_general_ci|1",
        ),
        ("show status where variable_name = (select 'Uptime_since_never')", ""),
        ("show tables where tables_in_test = (select name from t)", "E1242"),
        (
            "show tables where nothing = (select 1)",
            "E1054 Unknown column 'nothing' in 'where clause'",
        ),
        ("show tables where (select count(*) from nothing) = 1", "E1146"),
        ("show tables where count(*) = (select 1)", "E1111"),
        ("select * from ``", "E1146"),
        ("prepare s from 'show tables where tables_in_test = (select ?)'", "ok 0"),
        ("set @n = 'u'", "ok 0"),
        ("execute s using @n", "u"),
        ("create procedure p(n varchar(9)) show tables where tables_in_test = (select n)", "ok 0"),
        ("call p('t')", "t"),
        ("begin", "ok 0"),
        ("show tables where tables_in_test = (select 'u')", "u"),
        ("rollback", "ok 0"),
    ]);
}

#[test]
fn casts_and_weights_with_attributes() {
    check(&[
        (
            "select charset(convert('a', char ascii)), charset(cast('a' as char(3) unicode)), charset(convert('a', char byte))",
            "latin1|ucs2|binary",
        ),
        (
            "select collation(cast('a' as char ascii binary)), collation(cast('a' as char binary ascii))",
            "latin1_bin|latin1_bin",
        ),
        ("select ascii('b'), cast('a' as char ascii ascii)", "E1064"),
        (
            "select hex(weight_string('ab' as char(4))) = hex(weight_string('ab  ')), hex(weight_string('abc' as char(2))) = hex(weight_string('ab'))",
            "1|1",
        ),
        (
            "select hex(weight_string('ab' as binary(4))), hex(weight_string('abc' as binary(2)))",
            "61620000|6162",
        ),
        (
            "select weight_string(null as char(3)), hex(weight_string(_latin1'ab' as char(3)))",
            "NULL|414220",
        ),
        (
            "select hex(weight_string('ab' collate utf8mb4_0900_ai_ci as char(4))), hex(weight_string(_latin1'ab  '))",
            "1C471C60|41422020",
        ),
        ("select weight_string('a' as char(0))", "E1064"),
        ("select weight_string('a' as signed)", "E1064"),
        // Nothing is read where there is no server, or no right.
        ("select load_file('/etc/passwd'), load_file(null)", "NULL|NULL"),
        ("select load_file()", "E1582"),
    ]);
}

/// EXTENDED shows what is hidden, as MySQL does.
#[test]
fn hidden_columns() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table k (a int primary key, b varchar(10))",
            "create table n (a int, key((a + 1)))",
            "create view v as select 1 x",
        ])
        .await;
        c.check(&[
            (
                "show extended columns from k",
                "a|int|NO|PRI|NULL|; b|varchar(10)|YES||NULL|; DB_TRX_ID||NO||NULL|; DB_ROLL_PTR||NO||NULL|",
            ),
            ("show extended columns from k like 'b'", "b|varchar(10)|YES||NULL|"),
            (
                "show extended full columns from k where field like 'db%trx%'",
                "DB_TRX_ID||NULL|NO||NULL||select,insert,update,references|",
            ),
            (
                "show extended columns from n",
                "a|int|YES||NULL|; !hidden!functional_index!0|bigint|YES|MUL|NULL|VIRTUAL GENERATED; DB_ROW_ID||NO||NULL|; DB_TRX_ID||NO||NULL|; DB_ROLL_PTR||NO||NULL|",
            ),
            ("show columns from n", "a|int|YES||NULL|"),
            ("show extended columns from v", "x|int|NO||0|"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
