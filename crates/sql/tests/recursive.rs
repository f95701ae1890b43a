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

/// The columns hold what the first operands have made them for; a value of another operand becomes one of theirs.
#[test]
fn rows_are_converted_to_the_first_types() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let text = "with recursive c as (select 1 as n, 'abc' as s union all select n + 1, concat(s, s) from c where n < 3) select s from c";
        let decimal = "with recursive c (n, f) as (select 1, 1.0 union all select n + 1, f * 4 from c where n < 4) select f from c";
        let date = "with recursive c (n, d) as (select 1, date'2024-01-01' union all select n + 1, '2024-02-30' from c where n < 2) select d from c";
        let time = "with recursive c (n, t) as (select 1, cast(1 as time) union all select n + 1, 'x' from c where n < 2) select t from c";
        let distinct = "with recursive c (n, s) as (select 1, 'abc' union distinct select n, concat(s, 'd') from c) select * from c";
        c.check(&[
            (text, "E1406 Data too long for column 's' at row 1"),
            (decimal, "E1264 Out of range value for column 'f' at row 1"),
            (date, "E1292 Incorrect date value: '2024-02-30' for column 'd' at row 1"),
            (time, "E1292 Incorrect time value: 'x' for column 't' at row 1"),
            ("with recursive c (n, f) as (select 1, cast(0.1 as decimal(3,2)) union all select n + 1, f / 3 from c where n < 3) select f from c", "0.10; 0.03; 0.01"),
            ("show warnings", "Note|1265|Data truncated for column 'f' at row 1"),
            ("with recursive c (n, f) as (select 1, 1 union all select n + 1, f + 30000000000 from c where n < 3) select f from c", "1; 30000000001; 60000000001"),
            ("with recursive c (n, f) as (select 1, cast(1 as unsigned) union all select n + 1, f - 1 from c where n < 4) select * from c", "E1690 BIGINT UNSIGNED value is out of range in '(`c`.`f` - 1)'"),
            ("set sql_mode = ''", "ok 0"),
            (text, "abc; abc; abc"),
            ("show warnings", ""),
            (decimal, "1.0; 4.0; 9.9; 9.9"),
            (date, "2024-01-01; 0000-00-00"),
            ("show warnings", "Warning|1292|Incorrect date value: '2024-02-30' for column 'd' at row 1"),
            (time, "00:00:01; 00:00:00"),
            (distinct, "1|abc"),
            ("create table z (z int(5) zerofill, e enum('a', 'b'))", "ok 0"),
            ("insert into z values (1, 'a')", "ok 1"),
            ("with recursive c (n, z, e) as (select 1, z, e from z union all select n + 1, 99, 'c' from c where n < 2) select z, e from c", "1|a; 99|"),
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
            ("with recursive n as (select 1 as i, repeat('x', 1000) as s union all select i + 1, s from n) select * from n", "E4082"),
            ("set max_execution_time = 50", "ok 0"),
        ])
        .await;
        c.0.close().await;
    });
}

/// Rounds of one row each end, are limited and leave out what was there as other rounds do; sums over their rows need no room for them.
#[test]
fn rounds_of_one_row() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["set cte_max_recursion_depth = 30000, tmp_table_size = 1024, connection_memory_limit = 2097152", "flush status"]).await;
        let counted =
            "with recursive n as (select 1 as i union all select i + 1 from n where i < 30000)";
        let circle = "with recursive r as (select 1 as n union select (n * 7 + 1) % 499 from r)";
        c.check(&[
            (&format!("{counted} select sum(i), count(*) from n"), "450015000|30000"),
            ("show session status like 'created_tmp_disk_tables'", "Created_tmp_disk_tables|0"),
            (&format!("{counted} select max(i) from (select i from n order by i desc limit 2) as d"), "30000"),
            (&format!("{circle} select count(*), sum(n) from r"), "498|124168"),
            (&format!("{circle} select count(*) from r where n > 200"), "298"),
            ("with recursive n as (select 1 as i union all select i + 1 from n limit 30 offset 5) select min(i), max(i), count(*) from n", "6|35|30"),
            ("with recursive n as (select 1 as i union all select i + 1 from n) select sum(i) from n", "E3636 Recursive query aborted after 30001 iterations. Try increasing @@cte_max_recursion_depth to a larger value."),
            ("with recursive n as (select 1 as i union all select i + 1 from n where i < 3 union all select 7 from n where i < 2) select group_concat(i) from n", "1,2,7,3"),
            ("with recursive n as (select 1 as i, 'a' as s union all select i + 1, concat(s, 'b') from n where i < 3) select max(s) from n", "E1406"),
            ("with recursive n as (select 9223372036854775806 as i union all select i + 1 from n) select sum(i) from n", "E1690"),
        ])
        .await;
        c.0.close().await;
    });
}
