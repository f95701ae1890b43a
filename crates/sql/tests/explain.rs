//! EXPLAIN's formats that are one text, and EXPLAIN ANALYZE.
use crate::common::*;

const SETUP: &[&str] = &[
    "create table t (id int primary key, a int, key k (a))",
    "insert into t values (1, 10), (2, 20), (3, 30)",
];

#[test]
fn tree_and_json() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        c.check(&[
            (
                "explain format=tree select * from t where id = 3",
                "-> Constant row from t  (rows=1)\n",
            ),
            (
                "explain format=tree select a, count(*) from t where a = 10 or id > 1 group by a order by 2",
                "-> Sort\n    -> Aggregate using temporary table\n        -> Filter\n            \
                 -> Covering index scan on t using k  (rows=3)\n",
            ),
            ("explain format=json select 1", "{\n  \"query_block\": {\n    \"select_id\": 1,\n    \"message\": \"No tables used\"\n  }\n}"),
            ("explain format=xml select 1", "E1791"),
            ("explain analyze format=json select 1", "E1235"),
            ("explain analyze format=traditional select 1", "E1235"),
            ("explain analyze insert into t values (9, 9)", "E1235"),
            ("select count(*) from t", "3"),
        ])
        .await;
        // Every document is one.
        for query in [
            "select * from t x join t y on x.id = y.a",
            "select * from t union select 1, 2 order by 1",
            "select * from (select a, count(*) n from t group by a) d where n in (select id from t)",
            "select (select max(a) from t y where y.id < x.id) from t x order by a",
            "insert into t select id + 10, a from t",
            "delete from t where a = '\"'",
            "with recursive r as (select 1 n union all select n + 1 from r where n < 3) select * from r",
        ] {
            let text = c.rows(&format!("explain format=json {query}")).await;
            let quoted = text.replace('\\', "\\\\").replace('\'', "''");
            c.check(&[(&format!("select json_valid('{quoted}')"), "1")]).await;
            c.rows(&format!("explain format=tree {query}")).await;
        }
        let ran = c.rows("explain analyze select * from t where a > 10").await;
        assert!(ran.contains("rows=2 loops=1)"), "{ran:?}");
        c.0.close().await;
        drop(server);
    });
}
