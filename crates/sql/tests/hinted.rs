//! Optimizer hints that choose an order, indexes, or how rows are joined; and what is said of those that mean nothing. Numbers and texts of the
//! warnings are those that a MySQL gives to the same statements.
use crate::common::*;

/// The tables of EXPLAIN, each with its access and index.
async fn plan(c: &mut Client, sql: &str) -> String {
    let rows = c.rows(&format!("explain {sql}")).await;
    let of = |row: &str| {
        let cells: Vec<&str> = row.split('|').collect();
        let kept = if row.contains("join buffer") { " kept" } else { "" };
        format!("{} {} {}{kept}", cells[2], cells[4], cells[6])
    };
    rows.split("; 1|")
        .map(|r| of(&format!("1|{}", r.trim_start_matches("1|"))))
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn orders_and_indexes_are_those_of_the_hints() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t1 (a int primary key, b int, c int, key kb (b))",
            "create table t2 (a int primary key, b int, c int, key kb (b))",
            "create table t3 (a int primary key, b int, c int, key kb (b))",
            "insert into t1 with recursive r as (select 1 n union all select n + 1 from r where n < 40) select n, n, n from r",
            "insert into t2 select * from t1",
            "insert into t3 select * from t1",
            "create view v as select t1.c, t2.b from t1 join t2 on t1.c = t2.c",
            "analyze table t1, t2, t3",
        ])
        .await;
        let cases = [
            ("select t1.c from t1, t2, t3", "t1 ALL NULL, t2 index kb kept, t3 index kb kept"),
            (
                "select /*+ JOIN_ORDER(t3, t1) */ t1.c from t1, t2, t3",
                "t2 index kb, t3 index kb kept, t1 ALL NULL kept",
            ),
            (
                "select /*+ JOIN_PREFIX(t3, t2) */ t1.c from t1, t2, t3",
                "t3 index kb, t2 index kb kept, t1 ALL NULL kept",
            ),
            (
                "select /*+ JOIN_SUFFIX(t1) */ t1.c from t1, t2, t3",
                "t2 index kb, t3 index kb kept, t1 ALL NULL kept",
            ),
            (
                "select /*+ JOIN_FIXED_ORDER() */ t1.c from t3, t2, t1",
                "t3 index kb, t2 index kb kept, t1 ALL NULL kept",
            ),
            (
                "select /*+ QB_NAME(q) JOIN_PREFIX(@q t3) NO_BNL(t2) */ t1.c from t1, t2, t3",
                "t3 index kb, t2 index kb, t1 ALL NULL kept",
            ),
            ("select /*+ NO_BNL() */ t1.c from t1, t2", "t1 ALL NULL, t2 index kb"),
            (
                "select /*+ JOIN_PREFIX(t3) */ v.c from v, t3 where t3.c = v.c",
                "t3 ALL NULL, t1 ALL NULL kept, t2 ALL NULL kept",
            ),
            ("select c from t1 where a = 3 and b = 3", "t1 const PRIMARY"),
            ("select /*+ INDEX(t1 kb) */ c from t1 where a = 3 and b = 3", "t1 ref kb"),
            (
                "select /*+ INDEX(t1 kb) */ c from t1 use index (primary) where a = 3 and b = 3",
                "t1 ref kb",
            ),
            ("select /*+ NO_INDEX(t1 primary) */ c from t1 where a = 3 and b = 3", "t1 ref kb"),
            ("select /*+ NO_INDEX(t1) */ c from t1 where a = 3 and b = 3", "t1 ALL NULL"),
            ("select /*+ ORDER_INDEX(t1 kb) MRR(t1) */ c from t1 where a = 3", "t1 const PRIMARY"),
        ];
        for (sql, expected) in cases {
            assert_eq!(plan(&mut c, sql).await, expected, "{sql}");
            let kept = c.rows("show count(*) warnings").await;
            assert_eq!(kept, "1", "{sql}: the note of EXPLAIN, {}", c.rows("show warnings").await);
        }
        for (sql, changed) in [
            ("update /*+ NO_INDEX(t1) */ t1 set c = 0 where b = 5", "ok 1"),
            ("delete /*+ NO_INDEX(t1) */ from t1 where b = 5", "ok 1"),
        ] {
            let access = plan(&mut c, sql).await;
            assert!(access.ends_with("ALL NULL"), "{sql}: {access}");
            c.check(&[(sql, changed)]).await;
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn an_order_that_cannot_be_gives_way() {
    check(&[
        ("create table t (a int, b int)", "ok 0"),
        ("insert into t values (1, 1), (2, 3)", "ok 2"),
        (
            "select straight_join x.a, y.a from t x right join t y on x.a = y.b order by y.a",
            "1|1; NULL|2",
        ),
        (
            "select /*+ JOIN_FIXED_ORDER() */ x.a, y.a from t x right join t y on x.a = y.b order by y.a",
            "1|1; NULL|2",
        ),
        (
            "select /*+ JOIN_ORDER(y, x) */ x.a, y.a from t x left join t y on x.a = y.b order by x.a",
            "1|1; 2|NULL",
        ),
        (
            "select /*+ JOIN_PREFIX(y) */ x.a, z.a from t x left join t y on x.a = y.b join t z order by 1, 2",
            "1|1; 1|2; 2|1; 2|2",
        ),
        (
            "select /*+ JOIN_PREFIX(d) */ x.a, d.s from t x, lateral (select x.a + 1 s) d order by 1",
            "1|2; 2|3",
        ),
    ]);
}

#[test]
fn hints_that_mean_nothing_are_told() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t1 (a int primary key, b int, key kb (b))",
            "create table t2 like t1",
        ])
        .await;
        let cases = [
            ("JOIN_ORDER(t9, t1)", "Warning|3128|Unresolved name `t9` for JOIN_ORDER hint"),
            (
                "INDEX(t1 nope)",
                "Warning|3128|Unresolved name `t1`@`select#1` `nope` for INDEX hint",
            ),
            (
                "INDEX(t9 kb)",
                "Warning|3128|Unresolved name `t9`@`select#1` for INDEX hint; Warning|3128|Unresolved name `t9`@`select#1` `kb` for INDEX hint",
            ),
            (
                "JOIN_PREFIX(t1) JOIN_FIXED_ORDER()",
                "Warning|3126|Hint JOIN_FIXED_ORDER( ) is ignored as conflicting/duplicated",
            ),
            (
                "INDEX(t1 kb) NO_INDEX(t1)",
                "Warning|3126|Hint NO_INDEX(`t1` ) is ignored as conflicting/duplicated",
            ),
            (
                "INDEX(t1 kb) INDEX(t1 kb)",
                "Warning|3126|Hint INDEX(`t1`  `kb`) is ignored as conflicting/duplicated",
            ),
            (
                "JOIN_SUFFIX(t1) JOIN_SUFFIX(t2)",
                "Warning|3126|Hint JOIN_SUFFIX( `t2`) is ignored as conflicting/duplicated",
            ),
            (
                "QB_NAME(x) JOIN_ORDER(@y t1, t2)",
                "Warning|3127|Query block name `y` is not found for JOIN_ORDER hint",
            ),
            ("JOIN_ORDER(t1,t2) JOIN_ORDER(t2,t1)", ""),
            ("BKA(t1) NO_ICP(t2) SEMIJOIN(FIRSTMATCH) SUBQUERY(MATERIALIZATION)", ""),
            ("MERGE(x)", "Warning|3128|Unresolved name `x`@`select#1` for MERGE hint"),
            ("RESOURCE_GROUP(x)", "Warning|3651|Resource Group 'x' does not exist."),
        ];
        for (hints, told) in cases {
            c.rows(&format!("select /*+ {hints} */ 1 from t1, t2")).await;
            assert_eq!(c.rows("show warnings").await, told, "{hints}");
        }
        c.rows("select /*+ NOPE(t1) */ 1 from t1").await;
        let told = c.rows("show warnings").await;
        assert!(
            told.starts_with("Warning|1064|Optimizer hint syntax error near 'NOPE(t1) */"),
            "{told}"
        );
        // What is said of a block further in is left to it.
        c.rows("select /*+ JOIN_ORDER(t2@sq, t1) */ 1 from t1 where a in (select /*+ QB_NAME(sq) INDEX(@sq t2 kb) */ a from t2)").await;
        assert_eq!(c.rows("show warnings").await, "");
        c.0.close().await;
        drop(server);
    });
}
