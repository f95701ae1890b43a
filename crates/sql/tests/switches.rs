//! `optimizer_switch`: what is set is what is shown, what is no flag is refused, and a flag that is off changes the plan.
use crate::common::*;

const DEFAULT: &str = "index_merge=on,index_merge_union=on,index_merge_sort_union=on,index_merge_intersection=on,\
     engine_condition_pushdown=on,index_condition_pushdown=on,mrr=on,mrr_cost_based=on,block_nested_loop=on,batched_key_access=off,\
     materialization=on,semijoin=on,loosescan=on,firstmatch=on,duplicateweedout=on,subquery_materialization_cost_based=on,\
     use_index_extensions=on,condition_fanout_filter=on,derived_merge=on,use_invisible_indexes=off,skip_scan=on,hash_join=on,\
     subquery_to_derived=off,prefer_ordering_index=on,hypergraph_optimizer=off,derived_condition_pushdown=on,hash_set_operations=on";

#[test]
fn what_is_set_is_shown() {
    let without = DEFAULT.replace("semijoin=on", "semijoin=off");
    check(&[
        ("select @@optimizer_switch", DEFAULT),
        ("set optimizer_switch = 'semijoin=off'", "ok 0"),
        ("select @@optimizer_switch", &without),
        ("select @@global.optimizer_switch", DEFAULT),
        ("set optimizer_switch = 'hash_join=off,semijoin=default'", "ok 0"),
        ("select @@optimizer_switch like '%,semijoin=on,%hash_join=off%'", "1"),
        (
            "set optimizer_switch = 'foo=on'",
            "E1231 Variable 'optimizer_switch' can't be set to the value of 'foo=on'",
        ),
        (
            "set optimizer_switch = 'derived_merge=off,bar'",
            "E1231 Variable 'optimizer_switch' can't be set to the value of 'bar'",
        ),
        // Nothing of a list that is refused is done.
        ("select @@optimizer_switch like '%derived_merge=on%hash_join=off%'", "1"),
        ("set optimizer_switch = default", "ok 0"),
        ("select @@optimizer_switch", DEFAULT),
        // A switch that nothing here reads raises a warning.
        ("set optimizer_switch = 'mrr=off'", "ok 0"),
        (
            "show warnings",
            "Warning|1235|'mrr' of 'optimizer_switch' has no effect here: the planner has no such choice",
        ),
        ("select @@optimizer_switch like '%,mrr=off,%'", "1"),
        ("set global optimizer_switch = 'derived_merge=off'", "ok 0"),
        ("select @@global.optimizer_switch like '%,derived_merge=off,%mrr=off%'", "0"),
        ("set global optimizer_switch = default", "ok 0"),
        ("select /*+ set_var(optimizer_switch = 'nope=off') */ 1", "1"),
        (
            "show warnings",
            "Warning|1231|Variable 'optimizer_switch' can't be set to the value of 'nope=off'",
        ),
    ]);
}

#[test]
fn a_flag_that_is_off_changes_the_plan() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a int, b int, key (a))",
            "create table u (id int primary key, x int)",
            "insert into t values (1, 10, 3), (2, 20, 2), (3, 30, 1)",
            "insert into u values (1, 1), (2, 2), (3, 7)",
            "create view v as select id, a from t where id < 3",
            "create algorithm = merge view m as select id, a from t where id < 3",
        ])
        .await;
        // The words of the plan that the switch takes away, or brings.
        for (off, sql, words, usual) in [
            (
                "derived_merge",
                "select * from (select id, a from t) d where id = 2",
                "DERIVED",
                false,
            ),
            ("derived_merge", "select * from v where id = 2", "DERIVED", false),
            ("derived_merge", "select * from m where id = 2", "DERIVED", false),
            (
                "derived_merge",
                "with q as (select * from t) select * from q where a = 10",
                "DERIVED",
                false,
            ),
            ("block_nested_loop", "select * from t join u on t.b = u.x", "join buffer", true),
            ("hash_join", "select * from t join u on t.b = u.x", "join buffer", true),
            ("semijoin", "select * from t where b in (select x from u)", "SUBQUERY", false),
            ("materialization", "select * from t where b in (select x from u)", "SUBQUERY", false),
        ] {
            let explain = format!("explain {sql}");
            let (plan, rows) = (c.ask(&explain).await.line(), c.rows(sql).await);
            // A hint, and a SET: the plan by its text is not that of another setting.
            let hinted = sql.replacen(
                "select",
                &format!("select /*+ set_var(optimizer_switch='{off}=off') */"),
                1,
            );
            assert_eq!(c.rows(&hinted).await, rows, "{hinted}");
            c.rows(&format!("set optimizer_switch = '{off}=off'")).await;
            let other = c.ask(&explain).await.line();
            assert_eq!(c.rows(sql).await, rows, "{sql} without {off}");
            c.rows("set optimizer_switch = 'default'").await;
            // A view that says that it is to be merged is.
            let same = sql.contains(" m ");
            assert_eq!(plan.contains(words), usual, "{sql}: {plan}");
            assert_eq!(other.contains(words), if same { usual } else { !usual }, "{sql}: {other}");
        }
        // Rows are changed through a view as ever.
        c.check(&[
            ("set optimizer_switch = 'derived_merge=off,semijoin=off'", "ok 0"),
            ("update v set a = 11 where id = 1", "ok 1"),
            ("delete from v where id in (select x from u where id = 2)", "ok 1"),
            ("select * from t", "1|11|3; 3|30|1"),
        ])
        .await;
        c.0.close().await;
    });
}
