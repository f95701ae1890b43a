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
                "a|double(19,2); b|double(23,6); c|int unsigned; e|double",
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
