//! WITH RECURSIVE.
use crate::common::*;

#[test]
fn rows_make_rows() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table e (id int primary key, boss int, name varchar(20))",
            "insert into e values (1, null, 'a'), (2, 1, 'b'), (3, 1, 'c'), (4, 3, 'd'), (5, 9, 'x')",
            "create table g (a int, b int)",
            "insert into g values (1, 2), (2, 3), (3, 1), (3, 4)",
        ])
        .await;
        c.check(&[
            ("with recursive n as (select 1 as i union all select i + 1 from n where i < 5) select * from n", "1; 2; 3; 4; 5"),
            ("with recursive n (i, f) as (select 1, 1 union all select i + 1, f * (i + 1) from n where i < 6) select max(f) from n", "720"),
            (
                "with recursive t as (select id, name, 0 as depth from e where boss is null union all select e.id, e.name, depth + 1 from t join e on e.boss = t.id) select depth, group_concat(name order by id) from t group by depth",
                "0|a; 1|b,c; 2|d",
            ),
            // UNION ends where nothing new comes, even in a circle.
            ("with recursive r as (select 1 as n union select b from r join g on a = n) select * from r order by n", "1; 2; 3; 4"),
            ("with recursive a as (select 1 as i union all select i + 1 from a where i < 3), b as (select i from a where i > 1) select sum(i) from b", "5"),
            ("with recursive a as (select 7 as x) select x from a", "7"),
            ("with recursive n as (select 1 as i union all select i + 1 from n limit 4) select * from n", "1; 2; 3; 4"),
            ("with recursive n as (select 1 as i union all select i + 1 from n where i < 4 order by i desc) select group_concat(i) from n", "E1235"),
            ("with recursive n as (select 1 as i union all select 10 union all select i + 1 from n where i in (1, 10)) select * from n", "1; 10; 2; 11"),
            // Types are those of the first operand.
            ("with recursive n as (select cast('x' as char(3)) as s, 1 as i union all select concat(s, 'y'), i + 1 from n where i < 3) select s from n", "x; xy; xyy"),
            ("with recursive n as (select 'x' as s union all select concat(s, 'y') from n where length(s) < 3) select s from n", "E1406"),
            ("with recursive n as (select 1 as i union all select null from n where i = 1) select i from n", "1; NULL"),
            ("create view v as with recursive n as (select 1 as i union all select i + 1 from n where i < 3) select i from n", "ok 0"),
            ("select sum(i) from v", "6"),
            ("insert into g with recursive n as (select 50 as i union all select i + 1 from n where i < 52) select i, i from n", "ok 3"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn what_is_refused() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (a int)").await;
        c.check(&[
            ("with recursive n as (select i from n) select * from n", "E3573 Recursive Common Table Expression 'n' should contain a UNION"),
            ("with recursive n as (select i from n union all select 1) select * from n", "E3574"),
            ("with recursive n as (select 1 as i union all select sum(i) from n) select * from n", "E3575"),
            ("with recursive n as (select 1 as i union all select i from n group by i) select * from n", "E3575"),
            ("with recursive n as (select 1 as i union all select t.a from t left join n on n.i = t.a) select * from n", "E3576"),
            ("with recursive n as (select 1 as i union all select x.i from n as x, n as y) select * from n", "E3577"),
            ("with recursive n as (select 1 as i union all select i, 2 from n) select * from n", "E1222"),
            ("with n as (select 1 as i union all select i + 1 from n where i < 3) select * from n", "E1146"),
            ("with recursive n as (select 1 as i union all select i + 1 from n) select * from n", "E3636 Recursive query aborted after 1001 iterations. Try increasing @@cte_max_recursion_depth to a larger value."),
            ("set cte_max_recursion_depth = 4", "ok 0"),
            ("with recursive n as (select 1 as i union all select i + 1 from n where i < 5) select count(*) from n", "E3636"),
            ("with recursive n as (select 1 as i union all select i + 1 from n where i < 4) select count(*) from n", "4"),
            ("set cte_max_recursion_depth = 1000000, connection_memory_limit = 2097152", "ok 0"),
            ("with recursive n as (select 1 as i, repeat('x', 1000) as s union all select i + 1, s from n) select count(*) from n", "E4082"),
            ("set max_execution_time = 50", "ok 0"),
        ])
        .await;
        c.0.close().await;
    });
}
