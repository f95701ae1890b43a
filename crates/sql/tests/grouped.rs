//! ONLY_FULL_GROUP_BY: what decides a column, what ANY_VALUE() is, and what SELECT DISTINCT may be ordered by.
use crate::common::*;

fn ungrouped(n: u32, list: &str, column: &str) -> String {
    format!(
        "E1055 Expression #{n} of {list} is not in GROUP BY clause and contains nonaggregated column '{column}' which is not \
         functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by"
    )
}

/// ANY_VALUE() is a function of each row like any other: it makes no query an aggregated one, and may be given what aggregates made.
#[test]
fn any_value_is_no_aggregate() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a int primary key, b int, c int)",
            "insert into t values (1, 5, 1), (2, 5, 1), (3, 6, 2)",
        ])
        .await;
        c.check(&[
            ("select any_value(a) from t", "1; 2; 3"),
            ("select a from t where any_value(b) = 5", "1; 2"),
            ("select any_value(max(a) + min(b)), c from t group by c", "7|1; 9|2"),
            ("select sum(any_value(a)) from t", "6"),
            ("select any_value(b), max(a) from t where a > 100", "NULL|NULL"),
            ("select any_value(row_number() over (order by a)) from t", "1; 2; 3"),
            ("select any_value((select t.b)), c from t group by c", "5|1; 6|2"),
            (
                "select c, any_value(grouping(c)) g from t group by c with rollup order by any_value(grouping(c)), c",
                "1|0; 2|0; NULL|1",
            ),
            ("select c from t group by c having any_value(b) = 5", "E1054 Unknown column 'b' in 'having clause'"),
            ("select any_value(distinct a) from t", "E1064"),
            ("select any_value(a, b) from t", "E1582"),
            ("create table made as select any_value(a) x, any_value('abc') y, any_value(b) z from t", "ok 3"),
            ("show columns from made", "x|int|NO||0|; y|varchar(3)|NO|||; z|int|YES||NULL|"),
            ("update t set b = any_value(a)", "ok 3"),
        ])
        .await;
    });
}

/// What a derived table or a view shows is decided by what its own rows say: keys, equalities and what it is grouped by.
#[test]
fn columns_of_derived_tables_decide_others() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table d (id int primary key, name varchar(9), city varchar(9))",
            "create table e (no int primary key, dept int, pay int)",
            "create view v as select no, dept, name, pay * 2 as twice from e join d on e.dept = d.id",
            "create algorithm = temptable view w as select id, name, city from d",
            "insert into d values (1, 'a', 'x'), (2, 'b', 'y')",
            "insert into e values (10, 1, 3), (11, 1, 4), (12, 2, 5)",
        ])
        .await;
        c.check(&[
            ("select name, count(*) from (select * from d limit 9) t join e on id = dept group by id", "a|2; b|1"),
            ("select name, city, count(*) from w group by id", "a|x|1; b|y|1"),
            ("select name, sum(twice) from v group by dept", "a|14; b|10"),
            ("select v.twice from v join e on e.pay = v.twice group by e.pay", ""),
            ("select s from (select dept, sum(pay) s from e group by dept) t group by dept", "7; 5"),
            ("select s from (select dept, no, sum(pay) s from e group by no) t group by no", "3; 4; 5"),
            // Of a row that is missing and of one with a NULL there is one group.
            (
                "select m, n from e left join (select max(id) m, count(id) n from d) t on e.pay + t.n > 99 group by m",
                &ungrouped(2, "SELECT list", "t.n"),
            ),
            (
                "select m, n from e left join (select max(id) m, count(id) n from d) t on e.pay + t.n > 99 group by n",
                "NULL|NULL",
            ),
            (
                "select name from (select rand() name, id from d limit 9) t group by id",
                &ungrouped(1, "SELECT list", "t.name"),
            ),
            ("select city from w group by name", "E1055"),
        ])
        .await;
    });
}

/// Generated columns are decided by what they are made of, and a unique key that may be NULL decides where a condition leaves no NULL.
#[test]
fn conditions_and_generated_columns_decide_others() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a int, b int, c int, g int as (a + 1), h int as (g + b), unique (a, b))",
            "alter table t modify b int not null",
            "insert into t (a, b, c) values (1, 1, 7), (2, 1, 8)",
        ])
        .await;
        c.check(&[
            ("select g from t group by a", "2; 3"),
            ("select h + 1 from t group by a, b", "4; 5"),
            ("select h from t group by a", "E1055"),
            ("select c from t group by a, b", "E1055"),
            ("select c from t where a is not null group by a, b", "7; 8"),
            ("select c from t where not (a is null) group by a, b", "7; 8"),
            ("select c from t where a in (1, 2) group by a, b", "7; 8"),
            ("select c from t where a not in (3, 4) group by a, b", "7; 8"),
            ("select c from t where a like '%1%' group by a, b", "7"),
            ("select c from t where a is true group by a, b", "7; 8"),
            ("select c from t where (a <> 3) is true group by a, b", "7; 8"),
            ("select c from t where a in (select b from t) group by a, b", "7"),
            ("select c from t where a is null or b = 1 group by a, b", "E1055"),
            ("select c from t where a not in (select b from t) group by a, b", "E1055"),
            // The condition leaves no row without a partner.
            ("select x.c from t x left join t y on x.c = y.b where y.a in (1, 2) group by y.b", ""),
        ])
        .await;
    });
}

/// A column that only a subquery names has to have one value as well.
#[test]
fn subqueries_name_columns_that_must_be_decided() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a int primary key, b int, c int)",
            "insert into t values (1, 5, 1), (2, 5, 1)",
        ])
        .await;
        c.check(&[
            (
                "select (select t.b) from t group by c",
                &ungrouped(1, "SELECT list", "test.t.b"),
            ),
            ("select count(*) from t group by c order by (select t.b)", &ungrouped(1, "ORDER BY clause", "test.t.b")),
            ("select (select 2 from t i where exists (select 1 from t j where t.b)) from t group by c", "E1055"),
            ("select (select t.b), max(a) from t", "E1140"),
            ("select (select t.c) from t group by c", "1"),
            ("select (select t.b) from t group by a", "5; 5"),
            ("select (select sum(t.b)) from t group by c", "10"),
            ("select (select max(t.b + i.a) from t i) from t group by b", "7"),
        ])
        .await;
    });
}

/// SELECT DISTINCT is ordered by its list, in whose place names may stand in expressions; not by what its expressions are made of.
#[test]
fn distinct_rows_are_ordered_by_what_they_show() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a int primary key, b int, c int)",
            "insert into t values (1, 5, 1), (2, 5, 1), (3, 6, 2)",
        ])
        .await;
        c.check(&[
            ("select distinct abs(b) z from t order by z + 1", "5; 6"),
            ("select distinct abs(b) z from t order by (select z) desc", "6; 5"),
            ("select distinct abs(b) z from t order by abs(b)", "5; 6"),
            (
                "select distinct abs(b) z from t order by abs(b) + 1",
                "E3065 Expression #1 of ORDER BY clause is not in SELECT list, references column 'test.t.b' which is not in SELECT list; this is incompatible with DISTINCT",
            ),
            ("select distinct abs(b) from t order by (select t.b)", "E3065"),
            ("select distinct a from t order by any_value(b), a", "1; 2; 3"),
            ("select distinct a from t order by b + any_value(b)", "E3065"),
            // One row, or one for each group, needs no distinction.
            ("select distinct sum(b) from t order by count(*)", "16"),
            ("select distinct c, min(b) from t group by c order by max(b) - count(*)", "1|5; 2|6"),
            ("select distinct 1 from t group by c order by count(*)", "E3066"),
            ("select distinct 1 from t group by c order by any_value(count(*))", "1"),
            ("select distinct c from t group by c with rollup order by count(*)", "E3066"),
        ])
        .await;
    });
}

/// GROUP_CONCAT(DISTINCT) is in the order of its values, and of rows with equal keys the last one stands first: so it is in MySQL, and what
/// reads the result has come to rely on it.
#[test]
fn joined_values_have_an_order() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (b varchar(10), c int)",
            "insert into t values ('x', 1), ('c', 2), ('a', 2), ('B', 1), ('a', 3), (null, 1), ('c', 1)",
        ])
        .await;
        c.check(&[
            ("select group_concat(distinct b) from t", "a,B,c,x"),
            ("select group_concat(distinct b, c) from t", "a2,a3,B1,c1,c2,x1"),
            ("select group_concat(distinct c, b separator ' ') from t", "1B 1c 1x 2a 2c 3a"),
            ("select group_concat(distinct b) from t group by c", "B,c,x; a,c; a"),
            ("select group_concat(b order by c) from t", "c,B,x,a,c,a"),
            ("select group_concat(b order by c desc) from t", "a,a,c,c,B,x"),
            ("select group_concat(distinct b order by c) from t", "B,x,a,c"),
            ("select group_concat(b) from t", "x,c,a,B,a,c"),
        ])
        .await;
    });
}

/// The type of GROUP_CONCAT() follows from `group_concat_max_len`.
#[test]
fn joined_values_have_room() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (b varchar(10))",
            "insert into t values (repeat('x', 9)), (repeat('y', 9))",
        ])
        .await;
        let types = "select group_concat(data_type, character_maximum_length order by column_name) \
                     from information_schema.columns where table_name = 'm'";
        for (most, want) in [
            ("400", "varchar400,varchar400,varbinary400"),
            ("1024", "text65535,text65535,blob65535"),
            ("10000000", "longtext4294967295,longtext4294967295,mediumblob16777215"),
        ] {
            c.check(&[
                (&format!("set group_concat_max_len = {most}"), "ok 0"),
                (
                    "create table m as select group_concat(b) a, group_concat(length(b)) b, group_concat(null) c from t",
                    "ok 1",
                ),
                (types, want),
                ("drop table m", "ok 0"),
            ])
            .await;
        }
        // What a function makes is a LONGTEXT where a TEXT does not hold it.
        c.check(&[
            ("create table m as select repeat(_latin1'a', 65536) a", "ok 1"),
            ("select data_type from information_schema.columns where table_name = 'm'", "longtext"),
        ])
        .await;
    });
}

/// A name that two columns of the select list have is ambiguous; an expression of that name goes before a column.
#[test]
fn names_of_the_select_list_may_be_ambiguous() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t1 (id int, a int)",
            "create table t2 (id int, b int)",
            "insert into t1 values (1, 2), (2, 1)",
            "insert into t2 values (2, 5), (1, 6)",
        ])
        .await;
        c.check(&[
            ("select t1.*, t2.* from t1 join t2 using (id) order by id", "E1052 Column 'id' in order clause is ambiguous"),
            ("select * from t1 join t2 using (id) order by id", "1|2|6; 2|1|5"),
            ("select t1.id, t2.b as id from t1 join t2 using (id) order by id + 1", "1|6; 2|5"),
            ("select id, id from t1 order by id", "1|1; 2|2"),
            ("select id, a + 0 as id from t1 order by id", "2|1; 1|2"),
            ("select id as x, a as x from t1 order by x + 1", "E1052 Column 'x' in order clause is ambiguous"),
            ("select t1.id, t2.id from t1 join t2 using (id) group by id", "E1052 Column 'id' in group statement is ambiguous"),
            ("select id, a as id from t1 having id = 1", "E1052 Column 'id' in having clause is ambiguous"),
            ("select t1.id, t2.id from t1 join t2 using (id) group by t1.id, t2.id having id = 1", "E1052"),
            ("select id from t1 join t2 using (id) group by t1.id, t2.id having id = 1", "E1052"),
            ("select a as id from t1 group by a having id = 1", "1"),
            ("select a, max(id) as a from t1 group by a order by t1.a", "1|2; 2|1"),
            ("show warnings", "Warning|1052|Column 'a' in group statement is ambiguous"),
            ("select a as x, max(id) as a from t1 group by t1.a having a = 1", "1|2"),
            ("show warnings", "Warning|1052|Column 'a' in having clause is ambiguous"),
        ])
        .await;
    });
}

/// One row has no order; GROUPING() twice is the same; EXISTS asks no `*` for a table.
#[test]
fn orders_and_lists_that_nobody_asks_for() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int, b int)", "insert into t values (1, 5), (2, 6)"]).await;
        c.check(&[
            ("select count(*) from t order by count(*) + a", "2"),
            (
                "select distinct grouping(a), grouping(b) from t group by a, b with rollup order by grouping(a), grouping(b)",
                "0|0; 0|1; 1|1",
            ),
            ("select distinct a, b from t group by a, b, a + b with rollup order by a, b, a + b", "NULL|NULL; 1|NULL; 1|5; 2|NULL; 2|6"),
            ("select count(*) from t where exists (select * from dual where t.a = 1)", "1"),
            ("select count(*) from t where exists (select *)", "2"),
            ("select *", "E1096"),
            ("set timestamp = 8712837.657898", "ok 0"),
            ("select now(6) = from_unixtime(8712837.657898)", "1"),
        ])
        .await;
    });
}

/// FOR UPDATE behind a set operation locks the rows of its last query; ORDER BY may have subqueries.
#[test]
fn set_operations_lock_and_are_sorted_by_subqueries() {
    with_server(1, async |s| {
        let mut c = s.client();
        let mut other = s.client();
        c.all(&[
            "create table a (id int primary key)",
            "create table b (id int primary key)",
            "insert into a values (1), (2)",
            "insert into b values (2), (3)",
            "start transaction",
        ])
        .await;
        c.check(&[(
            "select id from a where id = 1 union select id from b where id = 3 for update",
            "1; 3",
        )])
        .await;
        other
            .check(&[
                ("select id from a where id = 1 for update nowait", "1"),
                ("select id from b where id = 3 for update nowait", "E3572"),
            ])
            .await;
        c.check(&[
            ("rollback", "ok 0"),
            ("select 1 union select 2 for share", "1; 2"),
            ("(select * from a) union select * from b for update of a", "E3568"),
            ("select id from a union select id from b order by (select max(id) from b) - id", "3; 2; 1"),
            ("(select id from a) union all (select id from b) order by (select 1), id desc limit 2", "3; 2"),
            ("select id x from a union select 5 order by exists (select 1 from b where b.id = x), x", "1; 5; 2"),
        ])
        .await;
    });
}

/// The alias of a window function is not one for HAVING and GROUP BY, which come before windows.
#[test]
fn windows_have_no_alias_before_them() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)", "insert into t values (1), (2)"]).await;
        let refused = "E3594 You cannot use the alias 'n' of an expression containing a window function in this context.'";
        c.check(&[
            ("select row_number() over () as n from t having (n = '2')", refused),
            ("select a, sum(a) over () + 1 as n from t having n > 2 and a = 1", refused),
            ("select row_number() over () as n from t group by n", "E1056 Can't group on 'n'"),
            ("select row_number() over () as n from t order by n + 1 desc", "2; 1"),
        ])
        .await;
    });
}

/// Sums over a derived table are those of the same table when it is kept.
#[test]
fn derived_rows_are_summed_as_they_come() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set cte_max_recursion_depth = 10000",
            "create table t (id int primary key, a int, s varchar(10), key (a))",
            "insert into t with recursive r as (select 1 i union all select i + 1 from r where i < 3000) \
             select i, nullif(i % 11, 3), concat('s', i % 5) from r",
        ])
        .await;
        c.check(&[
            ("select count(*), sum(n), min(n), max(n) from (select row_number() over (order by a, id) n from t) z", "3000|4501500|1|3000"),
            ("select count(*), count(k) from (select a, nullif(count(*), 272) k from t group by a) z", "11|8"),
            ("select s, count(*), sum(id), avg(a) from (select s, id, a from t limit 3000) z group by s order by s limit 2", "s0|600|901500|5.2183; s1|600|899100|5.1905"),
            ("select count(*) from (select a from t where id < 0) z", "0"),
            ("select max(a) from (select a from t where id < 0) z", "NULL"),
            ("select count(*) from (select a from t union select id from t) z", "3002"),
            ("select count(distinct s), sum(a) from (select s, a from t order by id limit 100) z", "5|469"),
            // A common table that two read, and one that is looked at again for each row around.
            ("with x as (select a, count(*) k from t group by a) select count(*) from x where k > (select avg(k) from x)", "8"),
            ("select id, (select count(*) from (select a from t u where u.a = 1 limit 5) z) from t where id < 3", "1|5; 2|5"),
            ("select count(*) from (select a from t limit 10) z having count(*) > 10", ""),
            ("select sum(s) from (select s from t order by id limit 2) z", "0"),
            ("show warnings", "Warning|1292|Truncated incorrect DOUBLE value: 's1'; Warning|1292|Truncated incorrect DOUBLE value: 's2'"),
        ])
        .await;
    });
}
