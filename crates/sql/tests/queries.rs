//! Statements and the answers MySQL 8.0 gives to them: names, errors, grouping, joins, subqueries, changes.
use crate::common::*;
use weir_sql::session_api::ParamValue;

const SETUP: &[&str] = &[
    "create table t (id int primary key, a int, b varchar(10) collate utf8mb4_general_ci, c int not null default 7, key (a), unique key ub (b))",
    "insert into t (id,a,b) values (1,10,'x'),(2,20,'y'),(3,20,'z'),(4,null,null)",
    "create table s (id int primary key auto_increment, t_id int, n decimal(6,2), key (t_id))",
    "insert into s (t_id,n) values (1,1.5),(1,2.5),(2,3),(9,4)",
];

fn check(cases: &[(&str, &str)]) {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        c.check(cases).await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn names_that_do_not_resolve() {
    check(&[
        ("select q from t", "E1054 Unknown column 'q' in 'field list'"),
        ("select id from t where q = 1", "E1054 Unknown column 'q' in 'where clause'"),
        ("select t.id from t join s on t.q = s.id", "E1054 Unknown column 't.q' in 'on clause'"),
        ("select id from t order by q", "E1054 Unknown column 'q' in 'order clause'"),
        ("select count(*) from t group by q", "E1054 Unknown column 'q' in 'group statement'"),
        ("select id from t having q = 1", "E1054 Unknown column 'q' in 'having clause'"),
        ("select nope.id from t", "E1054 Unknown column 'nope.id' in 'field list'"),
        ("select nope.* from t", "E1051 Unknown table 'nope'"),
        (
            "select id from t join s on t.id = s.t_id",
            "E1052 Column 'id' in field list is ambiguous",
        ),
        (
            "select 1 from t join s on t.id = s.t_id where id = 1",
            "E1052 Column 'id' in where clause is ambiguous",
        ),
        ("select 1 from t x, s x", "E1066 Not unique table/alias: 'x'"),
        ("select 1 from nope", "E1146 Table 'test.nope' doesn't exist"),
        ("select 1 from nodb.t", "E1049 Unknown database 'nodb'"),
        ("select nofunc(1)", "E1305 FUNCTION test.nofunc does not exist"),
        ("select id from t order by 2", "E1054 Unknown column '2' in 'order clause'"),
        ("insert into t (id, q) values (1,2)", "E1054 Unknown column 'q' in 'field list'"),
        ("insert into t (id, id) values (1,2)", "E1110 Column 'id' specified twice"),
        (
            "insert into t (id, a) values (1)",
            "E1136 Column count doesn't match value count at row 1",
        ),
        (
            "insert into t (id, a) values (1,2),(3)",
            "E1136 Column count doesn't match value count at row 2",
        ),
        ("update t set q = 1", "E1054 Unknown column 'q' in 'field list'"),
        ("delete nope from t join s on t.id = s.id", "E1109 Unknown table 'nope' in MULTI DELETE"),
        ("select * from (select 1 as a, 2 as a) d", "E1060 Duplicate column name 'a'"),
        ("select *", "E1096 No tables used"),
        ("select upper()", "E1582"),
        ("select id from t use index (nope)", "E1176 Key 'nope' doesn't exist in table 't'"),
        ("select (select 1, 2)", "E1241 Operand should contain 1 column(s)"),
        ("select 1 where (1,2) = (1,2,3)", "E1241 Operand should contain 2 column(s)"),
        ("select 1 where 1 in (select 1, 2)", "E1241 Operand should contain 1 column(s)"),
        ("select (select id from t)", "E1242 Subquery returns more than 1 row"),
        (
            "select 1 union select 1, 2",
            "E1222 The used SELECT statements have a different number of columns",
        ),
        ("select * from t join s using (q)", "E1054 Unknown column 'q' in 'from clause'"),
    ]);
}

#[test]
fn grouping_rules() {
    check(&[
        ("select sum(a) from t where sum(a) > 1", "E1111 Invalid use of group function"),
        ("select sum(sum(a)) from t", "E1111 Invalid use of group function"),
        (
            "select a, id from t group by a",
            "E1055 Expression #2 of SELECT list is not in GROUP BY clause and contains \
            nonaggregated column 'test.t.id' which is not functionally dependent on columns in GROUP BY clause; this is \
            incompatible with sql_mode=only_full_group_by",
        ),
        (
            "select id, count(*) from t",
            "E1140 In aggregated query without GROUP BY, expression #1 of SELECT list contains \
            nonaggregated column 'test.t.id'; this is incompatible with sql_mode=only_full_group_by",
        ),
        (
            "select id, a, b, count(*) from t group by id order by id",
            "1|10|x|1; 2|20|y|1; 3|20|z|1; 4|NULL|NULL|1",
        ),
        (
            "select t.id, t.b, count(s.id) from t left join s on s.t_id = t.id group by t.id order by 1",
            "1|x|2; 2|y|1; 3|z|0; 4|NULL|0",
        ),
        ("select a + 1, count(*) from t group by a + 1 order by 1", "NULL|1; 11|1; 21|2"),
        ("select a k, count(*) n from t group by k having n > 1", "20|2"),
        ("select a, count(*) from t group by 1 order by 2 desc, 1", "20|2; NULL|1; 10|1"),
        ("select count(*) from t where 1 = 0", "0"),
        ("select sum(a), min(b), avg(c), count(b) from t where id > 100", "NULL|NULL|NULL|0"),
        ("select sum(a) from t where id > 100 group by a", ""),
        ("select any_value(b), a from t where a = 10 group by a", "x|10"),
        ("select count(distinct a), count(distinct a, b), sum(distinct a) from t", "2|3|30"),
        ("select avg(a), sum(n), avg(n) from t join s on t.id = s.t_id", "13.3333|7.00|2.333333"),
        ("select group_concat(b order by b desc separator '-') from t", "z-y-x"),
        ("select group_concat(distinct a order by a) from t", "10,20"),
        ("select a from t group by a having max(id) > 2 order by max(id)", "20; NULL"),
        ("select max(id) m from t having m > 3", "4"),
        ("select distinct a from t order by a desc", "20; 10; NULL"),
        ("select id from t group by a with rollup", "E1055"),
        ("set sql_mode = ''", "ok 0"),
        ("select a, count(*), b from t where a = 10 group by a", "10|1|x"),
        ("select bit_or(id), bit_and(id), bit_xor(id) from t where id < 4", "3|0|0"),
        ("select std(id), var_samp(id) from t", "1.118033988749895|1.6666666666666667"),
    ]);
}

#[test]
fn joins() {
    check(&[
        ("select t.id, s.id from t join s on t.id = s.t_id order by 1, 2", "1|1; 1|2; 2|3"),
        (
            "select t.id, s.id from t left join s on t.id = s.t_id order by 1, 2",
            "1|1; 1|2; 2|3; 3|NULL; 4|NULL",
        ),
        (
            "select t.id, s.id from t right join s on t.id = s.t_id order by 2",
            "1|1; 1|2; 2|3; NULL|4",
        ),
        ("select t.id from t left join s on t.id = s.t_id where s.id is null order by 1", "3; 4"),
        ("select count(*) from t cross join s", "16"),
        ("select count(*) from t, s where t.id = s.t_id", "3"),
        (
            "select * from (select 1 as k, 2 as v) a join (select 1 as k, 3 as w) b using (k)",
            "1|2|3",
        ),
        ("select * from (select 1 as k, 2 as v) a natural join (select 1 as k, 3 as w) b", "1|2|3"),
        ("select k from (select 1 as k) a left join (select 2 as k) b using (k)", "1"),
        (
            "select a.*, b.w from (select 1 as k, 2 as v) a right join (select 5 as k, 3 as w) b using (k)",
            "NULL|NULL|3",
        ),
        ("select straight_join t.id from s join t on t.id = s.t_id order by 1", "1; 1; 2"),
        (
            "select t.id from t left join (s join t u on s.t_id = u.id) on t.id = s.t_id and u.a > 15 order by 1",
            "1; 2; 3; 4",
        ),
        (
            "select t.id, s.n from t left join s on t.id = s.t_id and s.n > 2 order by 1",
            "1|2.50; 2|3.00; 3|NULL; 4|NULL",
        ),
        ("select x.id, y.id from t x join t y on x.a = y.a and x.id < y.id", "2|3"),
        ("select x.id from t x join t y on x.a <=> y.a and x.id = 4", "4"),
        ("select count(*) from t a, t b, t c where a.id = b.id and b.id = c.id", "4"),
        ("select t.b, s.n from t join s on (t.id, 1) = (s.t_id, s.id)", "x|1.50"),
    ]);
}

#[test]
fn subqueries() {
    check(&[
        ("select id from t where a = (select max(a) from t) order by id", "2; 3"),
        ("select id from t where id in (select t_id from s) order by id", "1; 2"),
        ("select id from t where id not in (select t_id from s) order by id", "3; 4"),
        ("select id from t where a not in (select a from t where id = 4)", ""),
        ("select 5 in (select null), 5 not in (select id from t where 1=0)", "NULL|1"),
        (
            "select id from t where exists (select * from s where s.t_id = t.id and n > 2) order by id",
            "1; 2",
        ),
        (
            "select id, (select sum(n) from s where s.t_id = t.id) from t order by id",
            "1|4.00; 2|3.00; 3|NULL; 4|NULL",
        ),
        ("select id from t where id > all (select t_id from s where t_id < 3) order by id", "3; 4"),
        ("select id from t where id < any (select t_id from s) order by id", "1; 2; 3; 4"),
        ("select id from t where id = any (select t_id from s) order by id", "1; 2"),
        ("select id from t where a <> all (select 20) order by id", "1"),
        (
            "select 1 > all (select 1 from t where 1 = 0), 1 > any (select 1 from t where 1 = 0)",
            "1|0",
        ),
        ("select id from t where (a, b) in (select 20, 'y')", "2"),
        ("select id from t where (id, a) = (select 1, 10)", "1"),
        ("select id from t where (a, id) > (10, 1) order by id", "2; 3"),
        ("select id from t where (id, b) in ((1,'x'),(2,'q'),(3,'z')) order by id", "1; 3"),
        ("select d.k, d.n from (select a k, count(*) n from t group by a) d where d.n > 1", "20|2"),
        ("select * from (select id from t order by id desc limit 2) d order by id", "3; 4"),
        ("select * from (select 1, 2) d (x, y)", "1|2"),
        (
            "with c as (select id, a from t where a is not null) select count(*), sum(a) from c",
            "3|50",
        ),
        (
            "with c (k) as (select 1 union select 2), d as (select k + 1 j from c) select k, j from c join d on c.k = d.j",
            "2|2",
        ),
        ("with recursive c as (select 1 union all select n + 1 from c) select * from c", "E1054"),
        (
            "select (select count(*) from s where s.t_id = t.id) k, count(*) from t group by k order by k",
            "0|2; 1|1; 2|1",
        ),
        ("select id from t order by (select max(n) from s where s.t_id = t.id), id", "3; 4; 1; 2"),
        ("select id from t having (select count(*) from s where t_id = t.id) = 2", "1"),
        (
            "select t.id, (select u.id from t u where u.id = (select max(v.id) from t v where v.id < t.id)) from t order by 1",
            "1|NULL; 2|1; 3|2; 4|3",
        ),
        (
            "select max(a) from t where id in (select t_id from s group by t_id having count(*) > 1)",
            "10",
        ),
        ("select if(exists (select 1 from s), 'yes', 'no')", "yes"),
        ("select 1 from dual where not exists (select 1 from s where n > 100)", "1"),
    ]);
}

#[test]
fn unions_order_and_limit() {
    check(&[
        ("select 1 union select 2 union all select 2 order by 1 desc", "2; 2; 1"),
        ("select 1 union all select 2 union select 2 order by 1", "1; 2"),
        (
            "(select id from t order by id desc limit 1) union all (select id from s order by id limit 2)",
            "4; 1; 2",
        ),
        ("select a from t union select t_id from s order by a limit 3", "NULL; 1; 2"),
        ("select a as k from t where id = 1 union select 'abc' order by k", "10; abc"),
        ("select id from t order by a desc, id limit 2", "2; 3"),
        ("select id from t order by a, id desc limit 1, 2", "1; 3"),
        ("select id from t order by a is null, a desc, id", "2; 3; 1; 4"),
        ("select id x from t order by -x limit 2 offset 1", "3; 2"),
        ("select id from t limit 0", ""),
        ("select id, a id2 from t order by id2, 1", "4|NULL; 1|10; 2|20; 3|20"),
        ("select a from t order by t.id desc", "NULL; 20; 20; 10"),
        ("select b from t order by length(b), b desc limit 2", "NULL; z"),
        ("select sql_calc_found_rows id from t order by id limit 1", "1"),
        ("select found_rows()", "4"),
        ("values row(1,'a'), row(2,'b') order by 1 desc", "2|b; 1|a"),
        ("table s limit 1", "1|1|1.50"),
        ("select 1 except select 1", ""),
        ("select id from t intersect select t_id from s order by 1", "1; 2"),
        ("select 'a' = 'A', 'a' = 'a ', binary 'a' = 'A', 'a' like 'A%'", "1|1|0|1"),
    ]);
}

#[test]
fn expressions() {
    check(&[
        (
            "select null = 1, null <=> null, not null, null and 0, null or 1, null xor 1",
            "NULL|1|NULL|0|1|NULL",
        ),
        (
            "select null is true, 2 is true, 0 is not false, null is unknown, null is not null",
            "0|1|0|1|0",
        ),
        ("select 1 between 0 and null, 5 between 6 and null, 2 not between 1 and 3", "NULL|0|0"),
        ("select 1 in (2, null), 1 not in (2, null), 1 in (1, null)", "NULL|NULL|1"),
        (
            "select case when null then 1 else 2 end, case 3 when 3.0 then 'y' end, case 1 when 2 then 3 end",
            "2|y|NULL",
        ),
        (
            "select 'a_c' like 'a|_c' escape '|', 'abc' like 'a|_c' escape '|', 'ab' not like '%b'",
            "1|0|0",
        ),
        ("select 'abc' regexp '^A.c$', 'abc' not regexp 'x', 'abc' rlike 'B'", "1|1|1"),
        (
            "select 'abc' rlike binary 'B'",
            "E3995 Character set 'utf8mb4_general_ci' cannot be used in conjunction with 'binary' in call to regexp_like.",
        ),
        ("select x'61' regexp 'a'", "E3995"),
        ("select regexp_replace('a', 'a', x'62')", "E3995"),
        ("select x'61' regexp x'61'", "1"),
        (
            "select c regexp 'b', b regexp 'b' from (select cast('ab' as binary(2)) b, 1 c) x",
            "E3995",
        ),
        ("select 7 / 2, 7 div 2, -7 % 3, 7.5 mod 2, 1 / 0, 5 % 0", "3.5000|3|-1|1.5|NULL|NULL"),
        (
            "select 18446744073709551615 + 1",
            "E1690 BIGINT UNSIGNED value is out of range in '(18446744073709551615 + 1)'",
        ),
        ("select cast(1 as unsigned) - 2", "E1690"),
        ("select 9223372036854775807 + 1", "E1690"),
        ("select '3 apples' + 4, '0x10' + 0, 'x' + 1, '1e2' * 1", "7|0|1|100"),
        ("select 1.0 + 2, 0.1 + 0.2, 1.1e0 + 1, 2 * 3.50", "3.0|0.3|2.1|7.00"),
        ("select 5 & 6, 5 | 6, 5 ^ 6, ~0, 1 << 3, -1 >> 60", "4|7|3|18446744073709551615|8|15"),
        (
            "select date '2024-01-31' + interval 1 month, '2024-01-01 10:00:00' - interval 90 minute",
            "2024-02-29|2024-01-01 08:30:00",
        ),
        (
            "select cast('12' as signed) + 1, cast(-1 as unsigned), cast(2.5 as signed), cast('2024-02-03' as date)",
            "13|18446744073709551615|3|2024-02-03",
        ),
        (
            "select cast('abc' as char(2)), convert('x' using latin1), cast(1.005 as decimal(4,2))",
            "ab|x|1.01",
        ),
        ("select 'a' collate utf8mb4_bin = 'A', _latin1'a' = 'a'", "0|1"),
        ("select 'a' collate nope", "E1273 Unknown collation: 'nope'"),
        ("select @x := 4, @x + 1, @nothing", "4|5|NULL"),
        ("select @@autocommit, @@session.autocommit, @@global.autocommit", "1|1|1"),
        ("select @@nope", "E1193 Unknown system variable 'nope'"),
        (
            "select if(1 > 2, 'a', 'b'), ifnull(null, 3), nullif(1, 1), coalesce(null, null, 2)",
            "b|3|NULL|2",
        ),
        (
            "select concat('a', 1, 2.50), concat('a', null), concat_ws('-', 'a', null, 'b')",
            "a12.50|NULL|a-b",
        ),
        (
            "select extract(year from '2024-05-06'), timestampdiff(day, '2024-01-01', '2024-03-01'), trim(both 'x' from 'xxaxx')",
            "2024|60|a",
        ),
        ("select 0x41, x'4142', b'1000001', hex('AB')", "A|AB|A|4142"),
        ("select 1 = 1.0, '1.0' = 1, 'a' = 0, '2024-01-01' = date '2024-01-01'", "1|1|1|1"),
        ("select true, false, true + true, !1, not 1 = 2", "1|0|2|0|1"),
        ("select greatest(1, null), greatest(2, 10), least('b', 'a')", "NULL|10|a"),
        ("select sleep(0)", "0"),
        ("select 1 from t where id = 1 and sleep(0.01) = 0", "1"),
    ]);
}

#[test]
fn conditions_outside_the_columns_domain() {
    check(&[
        ("select id from t where id = 1.5", ""),
        ("select id from t where id > 1.5 and id < 3.5 order by id", "2; 3"),
        ("select id from t where id = '2'", "2"),
        ("select id from t where id = '2x'", "2"),
        ("select id from t where id < 99999999999 order by id", "1; 2; 3; 4"),
        ("select id from t where id > -99999999999 and id >= 4", "4"),
        ("select id from t where id = 99999999999", ""),
        ("select id from t where id in (2, 2.5, '3', null, 1e10) order by id", "2; 3"),
        ("select id from t where b = 0 order by id", "1; 2; 3"),
        ("select id from t where b = 'X '", "1"),
        ("select id from t where b in ('X', 'z', 5) order by id", "1; 3"),
        ("select id from t where a between '15' and 20.5 order by id", "2; 3"),
        ("select id from t where a = null or a <=> null", "4"),
        ("select id from t where id between 3 and 1", ""),
        ("select id from t where id = 1 and id = 2", ""),
        ("select id from t where not (id > 1)", "1"),
        ("select id from t where id = true", "1"),
        ("select s.id from s where n = 3", "3"),
        ("select s.id from s where n = '2.50' or n > 3.999 order by id", "2; 4"),
        ("select id from t where b like 'X%'", "1"),
        ("select id from t where id like '1%'", "1"),
    ]);
}

/// A plan is kept, and may have been made when the table was empty; and a locking scan of few rows is in the way of others.
#[test]
fn a_unique_key_is_searched_however_small_the_table_seems() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table small (id int primary key, u int unique, v int)").await;
        for rows in 0..3 {
            for sql in ["select v from small where id = 2", "select v from small where u = 2"] {
                let plan = c.rows(&format!("explain {sql} for update")).await;
                assert!(plan.contains("|const|"), "{rows} rows: {plan}");
            }
            c.rows(&format!("insert into small values ({rows}, {rows}, 0)")).await;
            c.rows("analyze table small").await;
        }
    });
}

/// An index that is chosen for its order must still begin where the condition says: the next page of a long list is
/// otherwise read, and locked, from the list's beginning.
#[test]
fn an_index_read_for_its_order_keeps_its_range() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (id int primary key, k int, v int, key (k))").await;
        let rows: Vec<String> = (1..=2000).map(|i| format!("({i},{i},0)")).collect();
        c.rows(&format!("insert into t values {}", rows.join(","))).await;
        let sql = "select id from t where k >= 700 order by k limit 1";
        assert_eq!(c.rows(sql).await, "700");
        let plan = c.rows(&format!("explain {sql}")).await;
        assert!(plan.contains("|range|k|k|"), "{plan}");
        let read = async |c: &mut Client| {
            let line = c.rows("show global status like 'Innodb_rows_read'").await;
            line.rsplit('|').next().and_then(|n| n.parse::<u64>().ok()).expect("a number")
        };
        let before = read(&mut c).await;
        c.rows(sql).await;
        let n = read(&mut c).await - before;
        assert!(n < 20, "{n} rows read for one");
        // The range and the direction are those of the index; what an index cannot bound is still filtered.
        c.check(&[
            ("select id from t where k >= 700 and k < 900 order by k desc limit 2", "899; 898"),
            (
                "select id from t where k > 10 and k % 7 = 0 order by k, id limit 2 offset 1",
                "21; 28",
            ),
            ("select id from t where k in (9, 3, 5) order by k limit 2", "3; 5"),
            ("select id from t where k < 3 or k > 1998 order by k limit 3", "1; 2; 1999"),
            ("select id from t where k < 3 or k > 1998 order by k desc limit 3", "2000; 1999; 2"),
            (
                "select a.id from t a join t b on a.id = b.k where a.k > 1500 order by a.k limit 2",
                "1501; 1502",
            ),
        ])
        .await;
        c.0.close().await;
    });
}

/// Columns of one table are sorted as they are stored, expressions as values: the answers are the same.
#[test]
fn sorting_stored_rows_is_sorting_values() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table big (id int primary key, a int, u bigint unsigned, b varchar(8), d datetime)"]).await;
        let words = ["x", "X", "xa", "é", "E", "", " ", "zz", "y\t", "long one", "long oNf"];
        for part in 0..10u64 {
            let row = |i: u64| {
                let a = if i.is_multiple_of(11) {
                    "null".into()
                } else {
                    format!("{}", (i * 7 % 13) as i64 - 6)
                };
                let u = if i.is_multiple_of(5) { u64::MAX - i % 3 } else { i % 4 };
                let b = words[(i * 31 % words.len() as u64) as usize];
                let d = format!("2024-01-{:02}", 1 + i % 4);
                format!("({i}, {a}, {u}, '{b}', '{d}')")
            };
            let rows: Vec<String> = (part * 300..(part + 1) * 300).map(row).collect();
            c.all(&[&format!("insert into big values {}", rows.join(","))]).await;
        }
        let orders = [
            ("a, b, id", "a+0, concat(b), id+0"),
            ("b desc, a, id desc", "concat(b) desc, a+0, id+0 desc"),
            ("u desc, id", "u+0 desc, id+0"),
            ("d, u, id", "adddate(d, 0), u+0, id+0"),
        ];
        for limit in ["", " limit 10", " limit 7, 20", " limit 2990, 100", " limit 0"] {
            for (stored, values) in orders {
                let columns = ["id, a, u, b, d", "id", "b, id"];
                for list in columns {
                    let one =
                        c.ask(&format!("select {list} from big order by {stored}{limit}")).await;
                    let two =
                        c.ask(&format!("select {list} from big order by {values}{limit}")).await;
                    assert_eq!(one.line(), two.line(), "{list} by {stored}{limit}");
                }
            }
            for (list, values, order) in [
                ("b, a", "concat(b), a+0", "2, 1 desc"),
                ("u", "u+0", "1"),
                ("b", "concat(b)", "1 desc"),
            ] {
                let one = c
                    .ask(&format!("select distinct {list} from big order by {order}{limit}"))
                    .await;
                let two = c
                    .ask(&format!("select distinct {values} from big order by {order}{limit}"))
                    .await;
                assert_eq!(one.rows, two.rows, "distinct {list} by {order}{limit}");
            }
        }
        c.0.close().await;
        drop(server);
    });
}

/// A value that an index cannot be searched for widens the search; the order is then no longer the index's.
#[test]
fn an_order_holds_when_a_search_is_widened() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a varchar(10), b int, key (a, b))",
            "insert into t values (1,'5',9),(2,'5.0',1),(3,'05',5),(4,'6',0),(5,'5',3),(6,null,7)",
            "create table u (a varchar(5) unique)",
            "insert into u values ('5'),('5.0'),('05')",
        ])
        .await;
        c.check(&[
            // All texts that are the number 5, wherever they stand in the index.
            ("select id, b from t where a = 5 order by b", "2|1; 5|3; 3|5; 1|9"),
            ("select id, b from t where a = 5 order by b limit 2", "2|1; 5|3"),
            ("select id, b from t where a = 5 order by b desc limit 1, 1", "3|5"),
            ("select id, b from t where a = '5' order by b", "5|3; 1|9"),
            ("select min(b), max(b) from t where a = 5", "1|9"),
            ("select a from u where a = 5 order by a desc", "5.0; 5; 05"),
            ("update t set b = 100 where a = 5 order by b limit 1", "ok 1"),
            ("delete from t where a = 5 order by b desc limit 1", "ok 1"),
            ("select id from t order by id", "1; 3; 4; 5; 6"),
        ])
        .await;
        c.0.close().await;
    });
}

#[test]
fn extremes_come_from_the_ends_of_an_index() {
    with_server(1, |server| async move {
        let (mut c, mut d) = (server.client(), server.client());
        c.rows(
            "create table t (id int primary key, k int, v int, w int, key (k), key vw (v, w desc))",
        )
        .await;
        let rows: Vec<String> = (1..=2000)
            .map(|i| {
                format!(
                    "({i},{},{},{i})",
                    if i > 100 { i.to_string() } else { "null".into() },
                    i % 3
                )
            })
            .collect();
        c.rows(&format!("insert into t values {}", rows.join(","))).await;
        let away =
            "1|SIMPLE|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|Select tables optimized away";
        let read = async |c: &mut Client| {
            let line = c.rows("show global status like 'Innodb_rows_read'").await;
            line.rsplit('|').next().and_then(|n| n.parse::<u64>().ok()).expect("a number")
        };
        for (sql, want) in [
            ("select min(id), max(id) from t", "1|2000"),
            // NULL is no minimum.
            ("select min(k), max(k) from t", "101|2000"),
            ("select min(k) from t where k > 500 and k < 600", "501"),
            ("select max(k) from t where k < 600 or k between 700 and 800", "800"),
            ("select max(k) from t where k > 5000", "NULL"),
            ("select min(w), max(w) from t where v = 2", "2|2000"),
            ("select max(w) + 1, min(w) from t where v = 1", "2000|1"),
            ("select min(w) from t where v = 1 and w > 1000", "1003"),
            ("select min(id) from t where 1 = 0", "NULL"),
        ] {
            assert_eq!(c.rows(&format!("explain {sql}")).await, away, "{sql}");
            let before = read(&mut c).await;
            assert_eq!(c.rows(sql).await, want, "{sql}");
            let n = read(&mut c).await - before;
            assert!(n < 30, "{sql} read {n} rows");
        }
        for sql in [
            "select min(w) from t",
            "select min(k) from t where w = 5",
            "select min(id), count(*) from t",
        ] {
            assert_ne!(c.rows(&format!("explain {sql}")).await, away, "{sql}");
        }
        // What a read view does not see, and what is gone, is no extreme.
        d.all(&["begin", "insert into t values (0, 0, 0, 0)", "delete from t where id > 1990"])
            .await;
        assert_eq!(
            c.rows("select min(id), max(id), min(k), max(k) from t").await,
            "1|2000|101|2000"
        );
        assert_eq!(d.rows("select min(id), max(id), min(k), max(k) from t").await, "0|1990|0|1990");
        c.rows("start transaction with consistent snapshot").await;
        d.rows("commit").await;
        assert_eq!(
            c.rows("select min(id), max(id), min(k), max(k) from t").await,
            "1|2000|101|2000"
        );
        c.rows("commit").await;
        assert_eq!(c.rows("select min(id), max(id), min(k), max(k) from t").await, "0|1990|0|1990");
        c.0.close().await;
        d.0.close().await;
    });
}

#[test]
fn distinct_rows_are_ordered_by_what_they_show() {
    const ID: &str = "E3065 Expression #1 of ORDER BY clause is not in SELECT list, references column 'test.t.id' which \
                      is not in SELECT list; this is incompatible with DISTINCT";
    check(&[
        ("select distinct a from t order by id", ID),
        ("select distinct a + 1 from t order by a", "E3065"),
        ("select distinct 1 from t group by a order by count(*)", "E3066"),
        ("select distinct a from t where a > 0 group by a order by count(*), a", "10; 20"),
        ("select distinct a from t order by a + 1", "NULL; 10; 20"),
        ("select distinct a + 1 x from t order by x desc", "21; 11; NULL"),
        ("select distinct a + 1 from t order by a + 1", "NULL; 11; 21"),
        ("select distinct * from t order by id limit 1", "1|10|x|7"),
        ("set sql_mode = ''", "ok 0"),
        ("select distinct a from t where id < 3 order by id", "10; 20"),
    ]);
}

#[test]
fn forced_indexes() {
    check(&[
        (
            "explain select * from t where a > 0",
            "1|SIMPLE|t|NULL|ALL|a|NULL|NULL|NULL|4|33.33|Using where",
        ),
        (
            "explain select * from t force index (a) where a > 0",
            "1|SIMPLE|t|NULL|range|a|a|5|NULL|3|100.00|Using where",
        ),
        // A scan where the index cannot be used.
        (
            "explain select * from t force index (a) where c = 7",
            "1|SIMPLE|t|NULL|ALL|NULL|NULL|NULL|NULL|4|25.00|Using where",
        ),
        (
            "explain select * from t force index (a) order by a",
            "1|SIMPLE|t|NULL|index|NULL|a|5|NULL|4|100.00|NULL",
        ),
        ("select id from t force index (a) order by a, id", "4; 1; 2; 3"),
        ("select id from t force index (nope)", "E1176 Key 'nope' doesn't exist in table 't'"),
    ]);
}

#[test]
fn generators_and_benchmarks() {
    check(&[
        // Each call has its own generator, begun once; a seed of rows begins again.
        ("select rand(1) = rand(1)", "1"),
        (
            "select id, round(rand(1), 5), round(rand(1), 5), round(rand(id), 5) from t where id < 4",
            "1|0.40540|0.40540|0.40540; 2|0.87161|0.87161|0.65559; 3|0.14186|0.14186|0.90577",
        ),
        ("select rand(1, 2)", "E1582"),
        ("select benchmark(100, md5('x')), benchmark(-1, 1), benchmark(null, 1)", "0|NULL|NULL"),
        ("select id, benchmark(id, concat(b, id)) from t where id < 3", "1|0; 2|0"),
        ("select benchmark(1)", "E1582"),
        ("select benchmark(3, (select 1)), benchmark(2, (select max(id) from t))", "0|0"),
        ("select benchmark(3, (select id from t))", "E1242"),
        ("select benchmark(3, (select 1, 2))", "E1241"),
    ]);
}

#[test]
fn unknown_computed_tables() {
    check(&[
        (
            "select 1 from information_schema.nope",
            "E1109 Unknown table 'NOPE' in information_schema",
        ),
        (
            "select 1 from performance_schema.nope",
            "E1146 Table 'performance_schema.nope' doesn't exist",
        ),
    ]);
}

#[test]
fn results_are_bounded_by_sql_select_limit() {
    check(&[
        ("values row()", "E3942"),
        ("select * from (values row(), row()) d", "E3942"),
        ("(select 1 into @x) union select 2", "E3954"),
        ("select (select 1 into @x)", "E3954"),
        ("insert into s select 1, 2 into @x", "E3954"),
        ("select 1 union select 2 limit 1 into @x", "ok 1"),
        ("set sql_select_limit = 2", "ok 0"),
        // The index of `a` has all that is asked for, and NULL comes first in it.
        ("select id from t", "4; 1"),
        ("select id from t order by a desc, id", "2; 3"),
        ("select distinct c from t", "7"),
        ("select id from t limit 3", "4; 1; 2"),
        ("select id from t union all select id from s", "4; 1"),
        ("select count(*) from t where id in (select id from t)", "4"),
        ("select count(*) from (select id from t) d", "4"),
        ("create table u (id int)", "ok 0"),
        ("insert into u select id from t", "ok 4"),
        ("set sql_select_limit = 0", "ok 0"),
        ("select id from t", ""),
        ("set sql_select_limit = default", "ok 0"),
        ("select id from t", "4; 1; 2; 3"),
    ]);
}

#[test]
fn preparing_show_announces_its_columns() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        for (sql, columns) in [
            ("show variables like 'autocommit'", "Variable_name,Value"),
            ("show tables", "Tables_in_test"),
            ("show create table t", "Table,Create Table"),
            ("describe t", "Field,Type,Null,Key,Default,Extra"),
            ("show character set", "Charset,Description,Default collation,Maxlen"),
        ] {
            let p = c.0.prepare(sql.as_bytes()).await.expect("prepares");
            let names: Vec<&str> = p.columns.iter().map(|c| &*c.name).collect();
            assert_eq!(names.join(","), columns, "{sql}");
            assert_eq!(c.execute(p.id, &[]).await.columns, names, "{sql}");
        }
        assert_eq!(c.0.prepare(b"show create table nope").await.expect_err("unknown").errno, 1146);
        // Its WHERE takes parameters.
        let p = c.0.prepare(b"show tables where 1 = ?").await.expect("prepares");
        for (one, rows) in [(1, true), (2, false)] {
            let answer = c.execute(p.id, &[ParamValue::Int(one)]).await;
            assert_eq!(!answer.line().is_empty(), rows, "{one}");
        }
        // A statement without columns takes its parameters all the same.
        let p =
            c.0.prepare(b"set @a = concat(?, 'x'), @@session.lock_wait_timeout = ?")
                .await
                .expect("prepares");
        assert!(p.columns.is_empty());
        c.execute(p.id, &[ParamValue::Bytes(b"text".to_vec()), ParamValue::Int(77)]).await;
        assert_eq!(c.rows("select @a, @@lock_wait_timeout").await, "textx|77");
        let p = c.0.prepare(b"set @a = (select max(id) + ? from t)").await.expect("prepares");
        c.execute(p.id, &[ParamValue::Int(10)]).await;
        assert_eq!(c.rows("select @a").await, "14");
        c.0.close().await;
    });
}

/// Names where no table's row is at hand: an error each, and the session goes on.
#[test]
fn names_without_a_row() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int primary key, b int)",
            "create table u (a int primary key, b int)",
            "insert into t values (1,1),(2,2)",
            "insert into u values (1,1)",
        ])
        .await;
        c.check(&[
            ("select * from t limit a", "E1327"),
            ("select * from t limit 1 offset b", "E1327"),
            ("select a from t union select a from u limit a", "E1327"),
            ("delete from t limit a", "E1327"),
            ("update t set b = 1 limit b", "E1327"),
            (
                // It is the subquery's own column, which no row was to be inserted into.
                "insert into t values (1, 1) on duplicate key update b = (select max(u.b) from u where u.a = t.a + values(b))",
                "ok 2",
            ),
            ("select b from t where a = 1", "NULL"),
            ("insert into t values (1, 1) on duplicate key update b = (select max(u.b) from u where u.a = t.a) + values(b)", "ok 2"),
            ("select b from t where a = 1", "2"),
        ])
        .await;
        c.0.close().await;
    });
}
