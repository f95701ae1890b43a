//! Constant texts that are compared with columns of numbers that have more digits than a double.
use crate::common::*;

const TABLE: &str = "create table t (id int primary key, i bigint, d decimal(30,5), s varchar(40))";
const ROWS: &str = "insert into t values (1, 9007199254740993, 100000000000000000000001.00001, '9007199254740993'), \
     (2, 9007199254740992, 100000000000000000000002.00001, '9007199254740992'), (3, -1, 1.5, '1.5')";

/// A constant text is compared with a decimal of a row as a decimal, with an index and without. In CASE, in BETWEEN and in a list that has numbers, too, both
/// are doubles.
#[test]
fn constant_texts_are_compared_with_decimals_as_decimals() {
    with_server(1, async |s| {
        let mut c = s.client();
        for indexed in [false, true] {
            c.all(&["drop table if exists t", TABLE, ROWS]).await;
            if indexed {
                c.all(&["create index d on t (d)"]).await;
            }
            c.check(&[
                ("select id from t where d = '100000000000000000000001.00001'", "1"),
                ("select id from t where '100000000000000000000001.00001' = d", "1"),
                ("select id from t where d = '1000000000000000000000010000.1e-4'", "1"),
                ("select id from t where d <=> '100000000000000000000001.00001'", "1"),
                ("select id from t where d = '100000000000000000000001.000014'", ""),
                ("select id from t where d > '100000000000000000000001.00001'", "2"),
                ("select id from t where d <> '100000000000000000000001.00001' order by id", "2; 3"),
                ("select id from t where d + 0 = '100000000000000000000001.00001'", "1"),
                ("select id from t where d in ('100000000000000000000001.00001')", "1"),
                ("select id from t where d in ('100000000000000000000001.00001', '7')", "1"),
                ("select id from t where (d, id) = ('100000000000000000000001.00001', 2)", ""),
                ("select id from t where d = left('100000000000000000000001.00001x', 30)", "1"),
                ("select nullif(d, '100000000000000000000001.00001') is null from t order by id", "1; 0; 0"),
                ("select d = '100000000000000000000001.00001' from t order by id", "1; 0; 0"),
                ("select id from t where d in ('100000000000000000000001.00001', 7) order by id", "1; 2"),
                ("select case d when '100000000000000000000001.00001' then 1 else 0 end from t order by id", "1; 1; 0"),
                ("select id from t where d = s", "3"),
                ("select id from t where d < '1e70' order by id", "1; 2; 3"),
                ("show warnings", ""),
                ("select id from t where d > '-1e400' order by id", "1; 2; 3"),
                ("select id from t where d = '1.5abc'", "3"),
                ("show warnings", "Warning|1292|Truncated incorrect DECIMAL value: '1.5abc'"),
                ("set @a = '100000000000000000000001.00001'", "ok 0"),
                ("select id from t where d = @a", "1"),
                ("prepare p from 'select id from t where d = ?'", "ok 0"),
                ("execute p using @a", "1"),
                ("prepare p from 'select id from t where d in (?, ?)'", "ok 0"),
                ("execute p using @a, @a", "1"),
                ("update t set s = 'one' where d = '100000000000000000000001.00001'", "ok 1"),
                ("delete from t where d = '100000000000000000000002.00001'", "ok 1"),
                ("select id, s from t order by id", "1|one; 3|1.5"),
            ])
            .await;
        }
    });
}

/// An integer in another spelling than its digits is the same integer.
#[test]
fn integers_with_zeros_behind_the_point() {
    with_server(1, async |s| {
        let mut c = s.client();
        for indexed in [false, true] {
            c.all(&["drop table if exists t", TABLE, ROWS]).await;
            if indexed {
                c.all(&["create index i on t (i)"]).await;
            }
            c.check(&[
                ("select id from t where i = '9007199254740993'", "1"),
                ("select id from t where i = '9007199254740993.0'", "1"),
                ("select id from t where i = ' 9007199254740993e0 '", "1"),
                ("select id from t where i in ('9007199254740993.0', '3')", "1"),
                ("select id from t where i between '9007199254740993.0' and '9007199254740993.0'", "1"),
                ("select id from t where i > '9007199254740992.0'", "1"),
                ("select id from t where i = '-1.0'", "3"),
                ("show warnings", ""),
                ("update t set s = 'one' where i = '9007199254740993.00'", "ok 1"),
            ])
            .await;
        }
    });
}
