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
            // One row, or one for each group, is told apart from no other.
            ("select distinct sum(b) from t order by count(*)", "16"),
            ("select distinct c, min(b) from t group by c order by max(b) - count(*)", "1|5; 2|6"),
            ("select distinct 1 from t group by c order by count(*)", "E3066"),
            ("select distinct 1 from t group by c order by any_value(count(*))", "1"),
            ("select distinct c from t group by c with rollup order by count(*)", "E3066"),
        ])
        .await;
    });
}
