//! Which column a name means: joins by USING and NATURAL, ON, GROUP BY and ORDER BY.
use crate::common::*;

const TABLES: [&str; 8] = [
    "create table p (k int, x int)",
    "create table q (k int, y int)",
    "create table r (y int, k int, z int)",
    "create table s (w int)",
    "insert into p values (1, 10), (2, 20)",
    "insert into q values (2, 200), (3, 300)",
    "insert into r values (200, 2, 7), (400, 3, 8)",
    "insert into s values (5)",
];

/// Columns that are one come first, in the order of the first operand; a RIGHT JOIN begins with its right one.
#[test]
fn columns_of_joins_by_name() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select * from p natural join q", "2|20|200"),
            ("select * from p natural right join q order by 1", "2|200|20; 3|300|NULL"),
            ("select k from p natural right join q order by k", "2; 3"),
            ("select * from p right join q using (k) order by 1", "2|200|20; 3|300|NULL"),
            ("select * from p right join q on p.k = q.k order by 3", "2|20|2|200; NULL|NULL|3|300"),
            // `y` and `k` are one each in the second join, and come in the order of its left operand.
            ("select * from p natural join q natural join r", "2|200|20|7"),
            ("select * from r natural join q natural join p", "2|200|7|20"),
            ("select * from q join r using (y, k)", "2|200|7"),
            ("select * from s natural join p order by k", "5|1|10; 5|2|20"),
            ("select * from s natural right join p order by k", "1|10|5; 2|20|5"),
            ("select * from s join (p as a left join p as b using (k)) on s.w > a.k order by a.k", "5|1|10|10; 5|2|20|20"),
            ("select a.*, k from p as a join q using (k)", "2|20|2"),
            ("select * from p as a join p as b using (k) join q using (k)", "2|20|20|200"),
            ("select * from (p, s) join q using (k)", "2|20|5|200"),
            ("select * from p as a join p as b join q using (k)", "E1052 Column 'k' in from clause is ambiguous"),
            ("select * from p natural join (q as a join q as b)", "E1052"),
            ("select * from p join q using (x)", "E1054 Unknown column 'x' in 'from clause'"),
            ("select * from p join q using (k, k)", "2|20|200"),
        ])
        .await;
    });
}

#[test]
fn natural_joins_leave_out_invisible_columns() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table a (k int, h int invisible)",
            "create table b (k int, h int)",
            "insert into a (k, h) values (1, 2)",
            "insert into b values (1, 3)",
        ])
        .await;
        c.check(&[
            ("select * from a natural join b", "1|3"),
            ("select * from a join b using (h)", ""),
            ("select h from a", "2"),
        ])
        .await;
    });
}

/// ON sees the operands of its join, and what is around the block.
#[test]
fn on_sees_its_operands() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select * from p, q join r on q.k = r.k and p.k = q.k", "E1054 Unknown column 'p.k' in 'on clause'"),
            ("select * from p, q join r on q.k = r.k and x = 1", "E1054 Unknown column 'x' in 'on clause'"),
            ("select count(*) from p join q join r on q.k = r.k and p.k = q.k", "1"),
            ("select x, (select count(*) from q join r on q.k = r.k and q.k = x / 10) from p", "10|0; 20|1"),
            ("select count(*) from p, q join r on q.k = r.k and exists (select 1 from s where p.k = 1)", "E1054"),
            ("select count(*) from p, q join lateral (select p.k + 1 as n) as d on d.n = q.k", "2"),
            ("select q.k from q join r on k = 1", "E1052 Column 'k' in on clause is ambiguous"),
            // Outside of the operands there is no other `x` that it could be.
            ("select count(*) from p as o, p join q on x = 20", "4"),
        ])
        .await;
    });
}

#[test]
fn group_by_asks_the_select_list_first() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select q.k, count(*) from p, q group by k order by 1", "2|2; 3|2"),
            (
                "select count(*) from p, q group by k",
                "E1052 Column 'k' in group statement is ambiguous",
            ),
            ("select q.k as n, count(*) from p, q group by k", "E1052"),
            ("select q.k, count(*) from p, q group by k having k > 2 order by k", "3|2"),
        ])
        .await;
    });
}

/// What is behind a parenthesized SELECT without an order of its own is that SELECT's.
#[test]
fn order_behind_parentheses() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("(select k from p) order by x desc", "2; 1"),
            ("(select k, x as n from p) order by x + 1 desc limit 1", "2|20"),
            ("((select k from p)) order by -x", "2; 1"),
            ("(select k from p order by x desc) limit 1", "2"),
            ("(select k from p order by x desc limit 1) order by k", "2"),
            ("(select k from p limit 1) order by x", "E1054"),
            ("select * from ((select k from p) order by x desc limit 1) as d", "2"),
            ("(select k from p union select 7) order by k desc limit 2", "7; 2"),
        ])
        .await;
    });
}

#[test]
fn hints_behind_tables() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int, key ia (a))", "insert into t values (1)"]).await;
        c.check(&[
            ("select count(*) from t force index (ia), t as u", "1"),
            ("select count(*) from t use index (ia) ignore index (ia), t as u", "1"),
            ("select count(*) from t use index (ia), ignore index (ia)", "E1064"),
            ("select all distinct a from t", "E1221 Incorrect usage of ALL and DISTINCT"),
            ("select distinct all a from t", "E1221"),
            ("select all all a from t", "1"),
        ])
        .await;
    });
}

/// A text that is an integer is one beside a column of integers, and not the double that is nearest.
#[test]
fn integers_in_texts() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a bigint, u bigint unsigned, key (a))",
            "insert into t values (102935229216544093, 18446744073709551615), (102935229216544104, 18446744073709551614)",
        ])
        .await;
        c.check(&[
            ("select a from t where a = '102935229216544104'", "102935229216544104"),
            ("select a from t where a = ' 102935229216544093 '", "102935229216544093"),
            ("select a from t where a > '102935229216544093'", "102935229216544104"),
            ("select a from t where a in ('102935229216544104', '5')", "102935229216544104"),
            (
                "select a from t where a between '102935229216544100' and '102935229216544110'",
                "102935229216544104",
            ),
            ("select u from t where u = '18446744073709551615'", "18446744073709551615"),
            ("select count(*) from t where u > '-1'", "2"),
            ("select count(*) from t where a = '102935229216544104.0'", "1"),
            ("select count(*) from t where a < '99999999999999999999'", "2"),
            ("select count(*) from t where a = '102935229216544104x'", "2"),
            ("prepare s from 'select a from t where a = ?'", "ok 0"),
            ("set @v = '102935229216544104'", "ok 0"),
            ("execute s using @v", "102935229216544104"),
        ])
        .await;
    });
}

#[test]
fn escapes_of_like() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a varchar(10), key (a))",
            "insert into t values ('x%y'), ('x\\\\y'), ('xzy')",
        ])
        .await;
        c.check(&[
            ("select a from t where a like 'x\\\\%y'", "x%y"),
            ("select a from t where a like 'x\\\\%y' escape ''", "x\\y"),
            (
                "select count(*) from t where 'a' like 'a' escape a",
                "E1210 Incorrect arguments to ESCAPE",
            ),
            ("set @e = '|'", "ok 0"),
            ("select a from t where a like 'x|%y' escape @e", "x%y"),
            ("set sql_mode = 'no_backslash_escapes'", "ok 0"),
            (r"select a from t where a like 'x\%y'", r"x\y"),
            ("select a from t where a like 'x%' escape ''", "E1210"),
            ("select a from t where a like 'x!%y' escape '!'", "x%y"),
        ])
        .await;
    });
}

/// SHOW WARNINGS asks about the statement before, which found these rows.
#[test]
fn found_rows_stay_behind_warnings() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select sql_calc_found_rows k from p order by k limit 1", "1"),
            ("show warnings", "Warning|1287|SQL_CALC_FOUND_ROWS is deprecated and will be removed in a future release. Consider using two separate queries instead."),
            ("select found_rows()", "2"),
            ("select sql_calc_found_rows k from p union all select k from p limit 1", "1"),
            ("select found_rows()", "4"),
            ("select k from p union all select k from p limit 3", "1; 2; 1"),
            ("select found_rows()", "3"),
        ])
        .await;
    });
}

/// HAVING means the column of GROUP BY before the alias of the same name, ORDER BY the alias.
#[test]
fn having_means_what_is_grouped() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLES).await;
        c.check(&[
            ("select k * 0 as k from p group by k having k > 1", "0"),
            ("select k * -1 as k, k as n from p group by n having k < 0 order by k", "-2|2; -1|1"),
            ("select k as n, count(*) from p group by k having n = 2", "2|1"),
        ])
        .await;
    });
}

#[test]
fn names_of_numbers_with_a_plus() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t as select +4294967296, + 5, -6, +7 + 8", "ok 1"),
            (
                "select column_name from information_schema.columns where table_name = 't' order by ordinal_position",
                "4294967296; 5; -6; +7 + 8",
            ),
            ("select -(-9223372036854775808)", "9223372036854775808"),
        ])
        .await;
    });
}

#[test]
fn group_by_and_having_mean_one_column() {
    check(&[
        ("create table gp (k int, v int)", "ok 0"),
        ("create table gq (k int)", "ok 0"),
        ("insert into gp values (1, 1), (2, 2)", "ok 2"),
        ("insert into gq values (1)", "ok 1"),
        (
            "select gp.k, gq.k, count(*) from gp, gq group by k",
            "E1052 Column 'k' in group statement is ambiguous",
        ),
        ("select gp.k, gp.k, count(*) from gp, gq group by k", "1|1|1; 2|2|1"),
        ("select k * 0 as k from gp group by gp.k having k > 1", "0"),
    ]);
}

#[test]
fn zero_days_are_null_in_conditions_alone() {
    check(&[
        ("set sql_mode = ''", "ok 0"),
        ("create table zd (id int, d date not null)", "ok 0"),
        ("insert into zd values (1, '0000-00-00'), (2, '2020-01-01')", "ok 2"),
        ("select id from zd where d is null", "1"),
        ("select id from zd where d is null or id = 2", "1; 2"),
        ("select id from zd where not (d is null)", "1; 2"),
        ("select id from zd where (d is null) = 0", "1; 2"),
        ("select id from zd where if(d is null, 0, 1)", "1; 2"),
        (
            "select x.id, y.id from zd x left join zd y on y.id = x.id + 1 where y.d is null",
            "2|NULL",
        ),
        ("select x.id, y.id from zd x left join zd y on y.id = x.id where y.d is null", "1|1"),
        ("select d is null from zd", "0; 0"),
    ]);
}

#[test]
fn texts_of_digits_are_integers_beside_integers_alone() {
    check(&[
        ("create table ti (s varchar(30), n bigint)", "ok 0"),
        ("insert into ti values ('9007199254740993', 9007199254740993)", "ok 1"),
        ("select n = '9007199254740992', s = 9007199254740992 from ti", "0|1"),
        ("select count(*) from ti where n = '9007199254740992'", "0"),
        ("select count(*) from ti where s = 9007199254740992", "1"),
        ("select count(*) from ti where n = '9007199254740993'", "1"),
    ]);
}
