//! FLOAT(m,d) and DOUBLE(m,d) compared with each other: equal within half a unit of the last place that either has.

use crate::common::with_server;

#[test]
fn numbers_of_fixed_places_are_equal_as_far_as_their_places_go() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (f float(5,2), d double(15,2), g float, h double, key f (f), key d (d))",
            "insert into t values (1.01, 1.01, 1.01, 1.01), (2.5, 2.51, 2.5, 2.5)",
        ])
        .await;
        for (query, rows) in [
            (
                "select f = d, d = f, f <=> d, f <> d, f < d, f >= d from t",
                "1|1|1|0|0|1; 0|0|0|1|1|0",
            ),
            ("select count(*) from t where f = d", "1"),
            ("select count(*) from t x join t y on x.f = y.d", "1"),
            ("select count(*) from t x straight_join t y force index (d) on y.d = x.f", "1"),
            ("select count(*) from t x straight_join t y force index (f) on y.f = x.d", "1"),
            // Without places on one side they are doubles.
            ("select f = h, d = h, f = g, g = h from t", "0|1|1|0; 1|0|1|1"),
            ("select f = 1.01, d = 1.01, f = 1.014, f = 1.0151 from t limit 1", "1|1|0|0"),
        ] {
            assert_eq!(c.rows(query).await, rows, "{query}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn indexes_are_renamed_by_the_names_that_they_had() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (a int, b int, d text, key a (a), key b (b), fulltext key d (d))")
            .await;
        c.check(&[
            (
                "alter table t rename index a to x, rename index x to a",
                "E1176 Key 'x' doesn't exist in table 't'",
            ),
            (
                "alter table t rename index a to x, rename index a to y",
                "E1176 Key 'a' doesn't exist in table 't'",
            ),
            (
                "alter table t rename index a to x, alter index x invisible",
                "E1176 Key 'x' doesn't exist in table 't'",
            ),
            (
                "alter table t rename index a to x, rename index b to X",
                "E1061 Duplicate key name 'x'",
            ),
            ("alter table t rename index a to d", "E1061 Duplicate key name 'd'"),
            ("alter table t rename index a to b, rename index b to a", "ok 0"),
            ("alter table t rename index d to b, rename index b to d", "ok 0"),
        ])
        .await;
        let named = "select index_name, column_name from information_schema.statistics where table_name = 't' order by 1";
        assert_eq!(c.rows(named).await, "a|b; b|d; d|a");
        c.0.close().await;
        drop(server);
    });
}
