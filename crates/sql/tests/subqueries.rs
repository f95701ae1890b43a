//! Rows that subqueries give, and what subqueries know of the block around them: its aggregates and its aliases.
use crate::common::*;

const TABLES: [&str; 4] = [
    "create table t (a int, b int)",
    "create table u (c int, d int)",
    "insert into t values (1, 10), (1, 20), (2, 5)",
    "insert into u values (1, 10), (2, 5), (3, 30), (1, 99)",
];

#[test]
fn rows_of_subqueries() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select (select 1, 2) = row(1, 2), row(1, 3) = (select 1, 2)", "1|0"),
            ("select (select 1, 2) = (select 1, 2), (select 1, 2) <> (select 2, 2)", "1|1"),
            ("select row(1, 2, 3) < (select 1, 3, 1), (select 2, 1) >= row(2, 1)", "1|1"),
            ("select row(1, null) = (select 1, 2), row(1, null) <=> (select 1, null)", "NULL|1"),
            ("select row(1, 2) = (select c, d from u where c = 9)", "NULL"),
            ("select row(1, 2) = (select c, d from u)", "E1242 Subquery returns more than 1 row"),
            ("select row(1, 2) = (select 1, 2, 3)", "E1241 Operand should contain 2 column(s)"),
            ("select 1 = (select 1, 2)", "E1241 Operand should contain 2 column(s)"),
            ("select (select 1, 2)", "E1241 Operand should contain 1 column(s)"),
            ("select (select 1, 2) + 1", "E1241"),
            ("select a, b from t where (a, b) = (select c, d from u where c = 2)", "2|5"),
            ("select a, b from t where (select c, d from u where c = 2) = (a, b)", "2|5"),
            (
                "select a, b from t where (a, b) = (select c, d from u where c = t.a and d = t.b)",
                "1|10; 2|5",
            ),
            ("select (select 1, 10) in (select c, d from u)", "1"),
            ("select a, b from t where (a, b) = any (select c, d from u) order by a", "1|10; 2|5"),
            ("select a, b from t where (a, b) <> all (select c, d from u)", "1|20"),
            ("select row(1, 2) > any (select c, d from u)", "E1241"),
            ("select row(1, 2, row(3, 4)) = row(1, 2, row(3, 4)), (1, (2, 3)) in ((1, (2, 4)), (1, (2, 3)))", "1|1"),
            ("select (1, (2, 3)) < (1, (2, 4)), (1, (2, 3)) = (1, 2)", "E1241 Operand should contain 2 column(s)"),
            ("select (1, (2, 3)) < (1, (2, 4)), (1, (2, null)) <=> (1, (2, null))", "1|1"),
            ("select (1, (2, 3)) in (select c, d from u)", "E1241"),
            ("select (1, 10) in ((select c, d from u where c = 2), (1, 10))", "1"),
            ("prepare p from 'select row(?, ?) = (select c, d from u where c = 2)'", "ok 0"),
            ("set @x = 2, @y = 5", "ok 0"),
            ("execute p using @x, @y", "1"),
        ])
        .await;
    });
}

/// An aggregate belongs to the innermost block whose columns its arguments read.
#[test]
fn aggregates_of_blocks_around() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select a, (select max(t.b) from dual) as m from t group by a order by a", "1|20; 2|5"),
            ("select (select count(t.a) from u limit 1) as n from t", "3"),
            ("select a, (select sum(b) + min(u.c) from u) from t group by a order by a", "1|31; 2|6"),
            ("select a from t group by a having exists (select 1 from u where u.d = sum(t.b))", "1; 2"),
            ("select a from t group by a having 1 in (select c from u where d = sum(b) + 69)", "1"),
            ("select a from t group by a having a in (select c from u group by c having sum(u.d) > sum(t.b))", "1"),
            // Where there are no aggregates they are those of the subquery itself.
            ("select a, b from t where (select count(t.b) from u) = 4 and b = 5", "2|5"),
            ("select a from t where (select sum(u.d) from u) = 144 and b = 5", "2"),
            ("select (select (select sum(t.b) from dual) from dual) as n from t", "35"),
            ("select (select sum(u.c + t.a) from u) as n from t where b = 5", "15"),
            ("select (select max(t.b) from u limit 1) as n from t group by n", "E1056 Can't group on 'n'"),
            ("select sum((select max(t.b) from dual)) from t", "E1111"),
            // An aggregate of the outer block is a value to one of the inner block; an alias does not say where an aggregate belongs.
            ("select a from t group by a having 34 < (select avg(sum(t.b)) + 5 from u)", "1"),
            ("select a as x, (select max(x) from dual) as m from t where b < 20 order by x", "1|1; 2|2"),
            ("select a from t where sum(b) > 1", "E1111 Invalid use of group function"),
            ("select sum(sum(b)) from t", "E1111"),
            ("select a from t where exists (select 1 from u where sum(t.b) > 1)", "E1111"),
            ("delete from t where (select count(t.a) from u where c = 9) = 1", "ok 0"),
            ("prepare p from 'select a from t group by a having exists (select 1 from u where d = sum(t.b) + ?) order by a'", "ok 0"),
            ("set @x = 0", "ok 0"),
            ("execute p using @x", "1; 2"),
        ])
        .await;
    });
}

#[test]
fn aliases_of_blocks_around() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select 1 as n from dual having (select n) = 1", "1"),
            ("select b as n, (select count(*) from u where d = n) as k from t order by n", "5|1; 10|1; 20|0"),
            ("select a + 1 as n, (select max(d) from u where c = n) from t where b = 10", "2|5"),
            ("select a, sum(b) as s from t group by a having a in (select c from u group by c having c + s > 30)", "1|30"),
            ("select 7 as n, 7 = all (select 7 from u where 7 = n) as k", "7|1"),
            // A column of FROM goes before an alias, and WHERE knows none.
            ("select a + 100 as b, (select count(*) from u where d = b) from t where b = 5", "102|1"),
            ("select b as n from t where exists (select 1 from u where d = n)", "E1054 Unknown column 'n' in 'where clause'"),
            ("select (select n) as k, b as n from t", "E1054"),
        ])
        .await;
    });
}
