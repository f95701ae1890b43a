//! Tables read by the leaf: with batches and without every answer is the same, whatever the rows, their versions and their memory are like.
use crate::common::*;
use crate::spilled::{LITTLE, MUCH, fill};

const ON: &str = "set weir_batches = 'always'";
const OFF: &str = "set weir_batches = off";

/// Rows of all kinds that have vectors, with NULLs, the ends of their ranges, and equal texts of other spellings.
const KINDS: &[&str] = &[
    "create table k (id int primary key, t1 tinyint, t2 smallint unsigned not null, t3 mediumint, a int not null, b bigint, u bigint unsigned, \
     d decimal(9,2), p decimal(18,6) not null, f float, x double not null, y date, m datetime(6), m0 datetime not null, \
     s varchar(20) collate utf8mb4_0900_ai_ci, g varchar(20) collate utf8mb4_general_ci not null, v varbinary(8), c char(6), \
     e enum('x','','z'), du decimal(6,1) unsigned, h time, yr year, wide decimal(40,3), bi bit(5), z int as (a * 2) virtual, w int as (a + 1) stored)",
    "set cte_max_recursion_depth = 100000",
    "insert into k (id, t1, t2, t3, a, b, u, d, p, f, x, y, m, m0, s, g, v, c, e, du, h, yr, wide, bi) \
     with recursive r(i) as (select 1 union all select i + 1 from r where i < 1500) \
     select i, if(i % 7 = 0, null, i % 255 - 127), i * 43 % 65536, if(i % 11 = 0, null, i * 997 % 16000000 - 8000000), i * 7919 % 2001 - 1000, \
     case i % 500 when 0 then 9223372036854775807 when 1 then -9223372036854775808 when 2 then null else i * 1234567 end, \
     case i % 400 when 0 then 18446744073709551615 when 1 then null else 9223372036854775808 + i end, \
     if(i % 13 = 0, null, (i % 401 - 200) / 8), i * 3.141593 - 2000, if(i % 9 = 0, null, i / 3), i * 0.37 - 100, \
     if(i % 17 = 0, null, '2020-01-01' + interval i % 300 day), if(i % 19 = 0, null, '2021-03-03 04:05:06' + interval i * 12345 microsecond), \
     '2022-01-01' + interval i % 90 hour, if(i % 23 = 0, null, concat(elt(i % 4 + 1, 'a', 'A', 'ä', 'b'), i % 5)), \
     concat(elt(i % 3 + 1, 'ss', 'ß', 'S'), i % 7, if(i % 2, ' ', '')), if(i % 8 = 0, null, repeat(char(i % 3), i % 4)), elt(i % 3 + 1, 'q ', 'Q', 'r'), \
     if(i % 10 = 0, null, i % 3 + 1), i % 77 / 2, sec_to_time(i), 1901 + i % 200, i * 1e9 + 0.125, i % 32 from r",
    "analyze table k",
];

/// Conditions of all kinds of columns and constants, those included that have no vectors.
const CONDITIONS: &[&str] = &[
    "1 = 1",
    "1 = 0",
    "a < 100",
    "a >= -17 and a <= 300",
    "a between 10 and 200",
    "a not between 10 and 200",
    "a = 5 or b > 900000000 or d is null",
    "a <> 7 and t1 is not null",
    "a < 2.5",
    "a >= -2.5",
    "a = 2.5",
    "a <> 2.5",
    "a <= '17'",
    "a < 1e2",
    "3 > a",
    "a in (1, 5, -9, 33, 77)",
    "a in (1, 5, null)",
    "s in (null)",
    "s not in ('a1', 'B2')",
    "s not in ('a1', null)",
    "y in (null) or s in ('b4', null)",
    "a not in (1, 5, -9)",
    "a not in (1, null)",
    "a in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13.0, 14.5)",
    "a in (1, '2', 3)",
    "a <=> 5",
    "t1 <=> null",
    "t1 > 127",
    "t1 < -128",
    "t1 <> 1000",
    "t2 > 65000",
    "t3 < 0",
    "b = 9223372036854775807",
    "b <= -9223372036854775808",
    "b < -9223372036854775809",
    "b > 9223372036854775807",
    "b is null",
    "u > 9223372036854775807",
    "u = 18446744073709551615",
    "u >= 9223372036854776100 and u < 18446744073709551615",
    "u < -1",
    "u > -1",
    "u <> -1",
    "u in (9223372036854775900, 18446744073709551615, -3)",
    "d < 3",
    "d <= -1.255",
    "d > 1.25",
    "d = 1.250",
    "d in (1.25, 2, 3.375)",
    "d < 0.1e1",
    "p > 12345678901234567890.5",
    "p < a",
    "f < 10.5",
    "f = 1",
    "x >= 0 and x < 12.5",
    "x <> -99.63",
    "y = '2020-02-29'",
    "y between '2020-01-10' and '2020-03-01'",
    "y < '2020-02-01 12:00:00'",
    "y <= date'2020-02-01' - interval 1 day",
    "y > 20200301",
    "y in ('2020-01-05', date'2020-01-09')",
    "y is null or y > now()",
    "m > '2021-03-03 04:05:10.5'",
    "m0 < '2022-01-02' and m0 >= '2022-01-01 05:00:00'",
    "m0 = y",
    "y < m",
    "s = 'A1'",
    "s <> 'a1'",
    "s > 'B'",
    "s = 'a1' collate utf8mb4_bin",
    "s in ('a1', 'B2')",
    "s like 'a%'",
    "s like '%1' and a > 0",
    "s like 'A_'",
    "s not like '%Ä%'",
    "s like null",
    "s like '%\\\\%%' or s like '' or g like 's_ %'",
    "g like '%S_' and c not like 'q'",
    "s like 'a%' collate utf8mb4_bin",
    "s like '%1' escape '|'",
    "v like 'a%'",
    "a like '1%'",
    "y like '2020-02%'",
    "left(s, 1) = 'A'",
    "substring(s, 2) in ('1', '3', '4')",
    "substring(g, 2, 1) = 'S' and left(g, 2) <> 'ss'",
    "substring(s, -1) = '1'",
    "substring(s, 1, t1) = 'a'",
    "left(v, 1) = '\\0'",
    "left(s, 1) like 'ä' or left(g, 9) is null",
    "left(s, 0) = ''",
    "substring(s, 1, 1) in ('x', 'A', 'ö', 'B', 'c', 'd', 'e', 'f', 'g')",
    "lower(s) in ('a1', 'A2', 'ä3', 'b', 'c') and a > 0",
    "concat(g, '') not in ('ss1', 'S2', null)",
    "concat(g, '') not in ('ss1', 'S2', 'ß4', '')",
    "exists (select 1 from k j where j.id = k.t1)",
    "a > (select avg(a) from k) and s like 'a%'",
    "id not in (select a from k j where j.t1 > 0)",
    "b > (select min(b) from k j where j.e = k.e) and d < 3",
    "g = 'SS1'",
    "g >= 's3'",
    "v = ''",
    "v > '\\0'",
    "c = 'q'",
    "c = 'q '",
    "e = 'z'",
    "e = ''",
    "e > 1",
    "du > 3",
    "h > '00:10:00'",
    "yr = 2001",
    "wide > 12",
    "bi = 3",
    "z > 40",
    "w > 40 and w < 90",
    "a + t2 > 1000",
    "a = t3 or a > t1",
    "not (a < 5 or d > 3)",
    "t2 > a and b > a",
    "length(s) = 2 and a % 3 = 1",
    "a",
    "x",
    "@v is null and a > 5",
];

/// What is asked of the rows, where each gives one row for each group in an order of its own.
const SUMS: &[&str] = &[
    "select count(*) from k where #",
    "select count(*), count(1), count(t1), count(b), count(null), count(a + t1) from k where #",
    "select sum(a), avg(a), sum(t2), avg(b), sum(u), avg(u), sum(t1) from k where #",
    "select sum(d), avg(d), sum(p), sum(du), avg(du), sum(wide) from k where #",
    "select sum(x), avg(x), sum(f), avg(f), min(x), max(x), min(f) from k where #",
    "select min(a), max(a), min(b), max(u), min(d), max(p), min(y), max(y), min(m), max(m0), min(t1) from k where #",
    "select min(s), max(g), min(v), max(e), min(h), max(yr), min(wide), max(bi), max(c) from k where #",
    "select sum(a * d), sum(d * p), sum(a * (1 - t1)), sum(a + d), avg(p - a), sum(-a), sum(t3 * t3), sum(a * 2.5), sum(x * a) from k where #",
    "select std(a), variance(d), bit_and(a), bit_or(t2), bit_xor(b), group_concat(id) from k where #",
    "select count(distinct a), sum(distinct d) from k where #",
    "select id, count(*) from k where #",
    "select a, t1, count(*), sum(d) from k where # group by a, t1",
    "select t1, count(*) from k where # group by t1",
    "select d, sum(a) from k where # group by d",
    "select f, count(b) from k where # group by f",
    "select u, min(id) from k where # group by u",
    "select y, avg(x) from k where # group by y",
    "select m0, max(p) from k where # group by m0 having max(p) > 3",
    "select s, count(*), min(a) from k where # group by s",
    "select g, e, count(*), sum(a) from k where # group by g, e",
    "select v, c, count(*) from k where # group by v, c",
    "select yr, count(*) from k where # group by yr",
    "select left(s, 1), count(*), sum(a) from k where # group by 1",
    "select substring(g, 1, 2) p, left(s, 1) q, count(*), min(id) from k where # group by p, q",
    "select a % 10, count(*) from k where # group by 1",
    "select a, t1, e, count(*) from k where # group by a, t1, e",
    "select t1, id, s, sum(a) from k where # group by t1",
    "select t1, sum(a) s from k where # group by t1 order by s desc, t1 limit 3",
    "select t1, group_concat(a order by id), json_arrayagg(s) from k where # group by t1",
    "select e, count(*), sum(x) from k where # group by e with rollup",
    "select sum(a) from k where # having count(*) > 3",
    "select (select count(*) from k x where x.a = k.t1) q, count(*) from k where # group by q",
];

async fn outcome(c: &mut Client, sql: &str) -> String {
    let answer = c.ask(sql).await;
    let warned = c.ask("show warnings").await.line();
    format!("{}\n{warned}", answer.line())
}

/// Asks in both ways, and says how.
async fn both(c: &mut Client, sql: &str) -> String {
    c.rows(ON).await;
    let batches = outcome(c, sql).await;
    c.rows(OFF).await;
    let rows = outcome(c, sql).await;
    assert_eq!(batches, rows, "{sql}");
    rows
}

async fn says_batches(c: &mut Client, sql: &str) -> bool {
    c.rows(&format!("explain format=tree {sql}")).await.contains(" in batches")
}

#[test]
fn answers_are_those_of_rows() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.rows("set sql_mode = 'NO_ENGINE_SUBSTITUTION'").await;
        let mut batched = 0;
        for (n, condition) in CONDITIONS.iter().enumerate() {
            for (m, sum) in SUMS.iter().enumerate() {
                // Every condition with the first sums, and every sum with each sixth condition.
                if m == 0 || (n + m) % 6 == 0 {
                    let sql = sum.replace('#', condition);
                    both(&mut c, &sql).await;
                    c.rows(ON).await;
                    batched += u32::from(says_batches(&mut c, &sql).await);
                }
            }
        }
        assert!(batched > 300, "{batched} of the queries are read by the leaf");
        c.0.close().await;
    });
}

/// Rows that go out one by one: conditions, orders with a LIMIT, and items that are not to be left out.
#[test]
fn rows_that_are_left_out() {
    with_server(8, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.rows("set sql_mode = 'NO_ENGINE_SUBSTITUTION'").await;
        for condition in CONDITIONS {
            both(&mut c, &format!("select id, s, d from k where {condition}")).await;
            both(&mut c, &format!("select * from k where {condition} order by a, id limit 7"))
                .await;
        }
        let columns = [
            "t1",
            "t2",
            "t3",
            "a",
            "b",
            "u",
            "d",
            "p",
            "f",
            "x",
            "y",
            "m",
            "m0",
            "s",
            "e",
            "du",
            "h",
            "wide",
            "w",
            "g",
            "v",
            "c",
            "a + t1",
            "t2 * a - 3",
            "d * 2.5",
            "left(s, 2)",
            "b + 0",
            "lower(s)",
        ];
        for column in columns {
            for order in ["", " desc"] {
                for tail in ["limit 5", "limit 3, 9", "limit 1400, 200", "limit 0"] {
                    let sql =
                        format!("select {column}, id from k order by {column}{order}, id {tail}");
                    both(&mut c, &sql).await;
                    let sql = format!(
                        "select {column} from k where t2 > 100 order by {column}{order} {tail}"
                    );
                    both(&mut c, &sql).await;
                }
            }
        }
        for sql in [
            "select distinct t1 from k order by t1 limit 5",
            "select sql_calc_found_rows id from k order by a limit 3",
            // Items that set variables are evaluated for the same rows.
            "select id, @n := 5 from k order by a, id limit 3",
            "select id from k having id % 5 = 3 order by a, id limit 4",
            "select a, (select max(id) from k j where j.a = k.a) from k order by a, id limit 3",
            "select id from k where a > 5 limit 3",
            "select id, row_number() over (order by a, id) from k order by id desc limit 3",
            "select * from (select id, a from k where a > 100 order by a, id limit 10) q where id > 5",
            "select id, a from k where b > 5 union all select id, t1 from k where a = 7 order by 1, 2 limit 9",
        ] {
            both(&mut c, sql).await;
        }
        c.rows("set weir_batches = on").await;
        for (sql, batches) in [
            ("select id from k order by a limit 3", true),
            ("select id from k where a > 5", true),
            ("select id from k where a > 5 limit 3", false),
            ("select id from k order by a", false),
            ("select id from k order by a + 1 limit 3", true),
            ("select id from k order by s limit 3", true),
            ("select id from k order by lower(s) limit 3", false),
            ("select id from k order by id limit 3", false),
            ("select id from k where id > 100", false),
        ] {
            assert_eq!(says_batches(&mut c, sql).await, batches, "{sql}");
        }
        c.0.close().await;
    });
}

#[test]
fn what_explain_says_and_what_is_not_batched() {
    with_server(2, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        for (sql, batches) in [
            ("select count(*) from k", true),
            ("select sum(a) from k where b > 3", true),
            ("select s, count(*) from k group by s", true),
            ("select sum(a) from k where id between 3 and 900", true),
            // Few rows.
            ("select sum(a) from k where id between 3 and 9", false),
            ("select sum(a) from k where id = 3", false),
            ("select a from k", false),
            ("select sum(a) from k for update", false),
            ("select sum(a) from k lock in share mode", false),
            ("select s, count(*) from k group by s with rollup", true),
            ("select s, std(a) from k group by s with rollup", false),
            ("select count(*) from k, k j where k.id = j.a", false),
            ("select sum(a) from k where exists (select 1 from k j where j.id = k.a)", false),
            ("select sum(a) from k where a > (select avg(a) from k)", true),
            ("select sum(a) from k where a > (select rand())", false),
            ("select sum((select max(id) from k j where j.a = k.a)) from k", false),
            (
                "select id from k where s like '%1' and exists (select 1 from k j where j.id = k.a)",
                true,
            ),
            ("select max(id) from k", false),
        ] {
            c.rows("set weir_batches = on").await;
            assert_eq!(says_batches(&mut c, sql).await, batches, "{sql}");
            c.rows(OFF).await;
            assert!(!says_batches(&mut c, sql).await, "{sql} with batches off");
        }
        c.rows("set weir_batches = on").await;
        let tree = c.rows("explain format=tree select sum(a) from k where b > 3").await;
        assert!(tree.contains("in batches"), "{tree}");
        assert_eq!(c.ask("set weir_batches = 'sometimes'").await.errno(), 1231);
        assert_eq!(c.ask("set weir_batches = 7").await.errno(), 1231);
        c.0.close().await;
    });
}

/// What counts rows says the same of both ways.
#[test]
fn counters_are_those_of_rows() {
    with_server(3, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.rows("create index ka on k (a)").await;
        c.rows("analyze table k").await;
        for sql in [
            "select count(*) from k",
            "select sum(d) from k where b > 5",
            "select sum(d) from k where id between 10 and 700",
            "select sum(d) from k where id in (1, 2, 3) or id between 10 and 700 or id > 1490",
            "select sum(a) from k force index (ka) where a between -500 and 500",
            "select t1, count(*) from k where a < 0 group by t1",
        ] {
            let mut told = Vec::new();
            for mode in [ON, OFF] {
                c.rows(mode).await;
                c.rows("flush status").await;
                c.rows(sql).await;
                told.push(c.rows("show session status like 'Handler_read%'").await);
            }
            assert_eq!(told[0], told[1], "{sql}");
        }
        c.0.close().await;
    });
}

#[test]
fn readers_see_their_own_versions() {
    with_server(4, |server| async move {
        let mut c = server.client();
        let mut w = server.client();
        c.all(KINDS).await;
        c.rows("create index kd on k (d)").await;
        c.rows("create index kb on k (b)").await;
        c.rows("analyze table k").await;
        let asked = [
            "select count(*), sum(a), min(x), max(y) from k",
            "select count(*) from k",
            "select count(*), sum(d) from k force index (kd) where d between -10 and 10",
            "select t1, count(*), sum(d) from k where p > 0 group by t1",
            "select b, count(*) from k force index (kb) where b > 5 group by b",
        ];
        c.rows("start transaction with consistent snapshot").await;
        let mut before = Vec::new();
        for sql in asked {
            before.push(both(&mut c, sql).await);
        }
        w.all(&[
            "update k set a = a + 1000, d = d + 1 where id % 3 = 0",
            "delete from k where id % 5 = 1",
            "insert into k (id, t2, a, p, x, m0, g) select 5000 + id, 1, 1, 1, 1, now(), 'n' from k where id % 4 = 0",
            "begin",
            "update k set a = a - 7, d = d - 2, b = 6 where id % 7 = 0",
            "delete from k where id % 11 = 1",
        ])
        .await;
        for (sql, old) in asked.iter().zip(&before) {
            assert_eq!(both(&mut c, sql).await, *old, "{sql} of the old snapshot");
            let own = both(&mut w, sql).await;
            assert_ne!(own, *old, "{sql} of the writer");
        }
        c.rows("commit").await;
        for level in ["read committed", "read uncommitted", "serializable"] {
            c.rows(&format!("set session transaction isolation level {level}")).await;
            if level == "serializable" {
                w.rows("commit").await;
                c.rows("begin").await;
            }
            for sql in asked {
                both(&mut c, sql).await;
            }
            c.rows("commit").await;
        }
        c.0.close().await;
        w.0.close().await;
    });
}

/// Rows that are older than their columns, columns that went, long values off the page, virtual columns of old rows, partitions, and
/// rows by a covering index.
#[test]
fn rows_of_all_forms() {
    with_server(5, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.all(&[
            "alter table k add n1 int default 7, algorithm=instant",
            "alter table k add n2 varchar(9) not null default 'new' first, algorithm=instant",
            "insert into k (id, t2, a, p, x, m0, g, n1) select 9000 + id, 1, 2, 3, 4, now(), 'n', null from k where id < 300",
            "alter table k drop column t3, algorithm=instant",
            "alter table k add vv int as (a + 3) virtual, algorithm=instant",
            "create table l (id int primary key, a int, big longtext, b int)",
            "insert into l select id, a, repeat('x', if(id % 3, 20000, 9)), t2 from k where id < 400",
            "create table q (id int, a int, d decimal(8,2), s varchar(9)) partition by range (a) (partition p0 values less than (0), \
             partition p1 values less than (500), partition p2 values less than maxvalue)",
            "insert into q select id, a, d, s from k",
            "create table i (id int primary key, a int, b int not null, d decimal(8,2), s varchar(20), y date, pad varchar(300), key (a, b, d), key (s, y))",
            "insert into i select id, if(id % 5, a, null), t2, d, s, y, repeat('p', 200) from k",
            "analyze table k, l, q, i",
        ])
        .await;
        for sql in [
            "select count(n1), sum(n1), count(*) from k where n1 = 7 or n1 is null",
            "select n2, count(*), sum(n1) from k group by n2",
            "select n1, n2, count(*) from k group by n1, n2",
            "select sum(vv), min(vv) from k where vv > 10",
            "select sum(a), sum(b) from l",
            "select sum(a), sum(length(big)) from l where b > 100",
            "select a, count(*), max(big) from l group by a",
            "select count(*), sum(d) from q",
            "select count(*), sum(d) from q where a between -50 and 600 and id > 3",
            "select s, count(*) from q partition (p1, p2) group by s",
            "select count(*) from i",
            "select sum(a), sum(b), count(d), min(d) from i",
            "select sum(b) from i where a between 5 and 700",
            "select a, sum(b) from i where b > 100 group by a order by a",
            "select s, count(*), min(y) from i where y is not null group by s",
            "select y, count(*) from i where s >= 'a' group by y",
        ] {
            both(&mut c, sql).await;
        }
        c.0.close().await;
    });
}

#[test]
fn groups_without_room_go_on_row_by_row() {
    with_server(6, |server| async move {
        let mut c = server.client();
        fill(&mut c).await;
        for sql in [
            "select id, count(*), sum(n) from t group by id order by 1",
            "select n, s, count(*), sum(f), min(y) from t group by n, s order by 1, 2",
            "select k, count(*), sum(n) from t where n > -10 group by k order by 1, 2",
            "select m, h, count(*), group_concat(id order by id) from t group by m, h order by 1, 2",
            "select s, g, max(d), min(l) from t group by s, g order by hex(s), hex(g)",
            "select e, count(*), sum(u) from t group by e order by 1",
            "select s, count(*), sum(n) from t group by s order by hex(s)",
            "select s, count(*) from t where n > -10 group by s having count(*) > 1 order by hex(s)",
            "select y, n, min(id), avg(id) from t group by y, n order by 1, 2",
        ] {
            c.rows(MUCH).await;
            let much = both(&mut c, sql).await;
            c.rows(LITTLE).await;
            assert_eq!(both(&mut c, sql).await, much, "{sql} with little memory");
        }
        c.0.close().await;
    });
}

/// Groups that show their keys and aggregates of numbers take a few dozen bytes each, and neither rows nor files.
#[test]
fn groups_are_numbers_until_they_go_out() {
    with_server(6, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.all(&[
            "create table w (id int primary key, s varchar(20), t varchar(20), pad varchar(400))",
            "insert into w select id, concat('key', id), concat(if(id % 2, 'KEY', 'key'), id), repeat('p', 400) from k",
            "insert into w select id + 1500, if(id % 9 = 0, null, concat('key', id)), concat('k', id), repeat('q', 400) from k",
            "set tmp_table_size = 400000",
            ON,
        ])
        .await;
        for (sql, files) in [
            ("select s, count(*), sum(id) from w group by s", 0),
            ("select t, min(id) from w group by t having count(*) > 0 order by t desc", 0),
            ("select id, count(*) from w group by id", 0),
            // The row of each is kept.
            ("select s, pad, count(*) from w group by s", 1),
        ] {
            let mode = "set sql_mode = ''";
            c.all(&[mode, "flush status"]).await;
            let answer = c.rows(sql).await;
            let told = c.rows("show session status like 'created_tmp_disk_tables'").await;
            assert_eq!(told.ends_with("|0"), files == 0, "{sql}: {told}");
            c.rows(OFF).await;
            let by_rows = c.rows(sql).await;
            c.rows(ON).await;
            let [batches, rows] = [answer, by_rows].map(|all| {
                let mut all: Vec<String> = all.split("; ").map(str::to_string).collect();
                all.sort();
                all
            });
            assert!(batches.len() >= 1500, "{sql}: {} rows", batches.len());
            assert_eq!(batches, rows, "{sql}");
        }
        c.0.close().await;
    });
}

/// Values of all rows, each once: by their vectors, in the order of an index, and where they have no room.
#[test]
fn distinct_values_are_counted_by_the_leaf() {
    with_server(6, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.all(&[
            "create table w (id int primary key, s varchar(20), x double, b int, e enum('a', 'b'), key (b), key (s))",
            "insert into w select id, if(id % 9 = 0, null, concat(elt(id % 3 + 1, 'Ä', 'a', 'A'), id div 2)), if(id % 2, 0e0, -0e0), id div 3, id % 2 + 1 from k",
            "insert into w select id + 1500, s, id, if(id % 7, b, null), e from w",
            "analyze table w",
        ])
        .await;
        let columns = ["s", "x", "b", "e", "id", "left(s, 2)", "b + 1"];
        let counts = columns.map(|column| format!("select count(distinct {column}) from w"));
        let others = [
            "select count(distinct s), count(distinct b), sum(b), count(*) from w where id < 2500",
            "select count(distinct s, b) from w",
            "select count(distinct s), group_concat(distinct e) from w",
            "select sum(distinct b), count(distinct b) from w",
            "select count(distinct b) from w where b > 5000",
            "select count(distinct b) from w force index (b)",
            "select count(distinct s) from w where s > 'b'",
        ];
        for sql in counts.iter().map(String::as_str).chain(others) {
            c.rows(MUCH).await;
            let much = both(&mut c, sql).await;
            c.rows(LITTLE).await;
            assert_eq!(both(&mut c, sql).await, much, "{sql} with little memory");
        }
        c.rows(MUCH).await;
        c.all(&[ON, "flush status", "select count(distinct s) from w ignore index (s)"]).await;
        let read = c.rows("show session status like 'weir_batched_rows'").await;
        assert_eq!(read, "Weir_batched_rows|3000");
        c.0.close().await;
    });
}

/// DISTINCT of columns that an index has one behind the other: a row like the one before it is left out by its vectors.
#[test]
fn equal_neighbours_are_left_out_by_the_leaf() {
    with_server(6, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.all(&[
            "create table w (id int primary key, s varchar(20) not null, x double, b int, e enum('a', 'b'), key xb (x, b), key be (b, e), key eb (e, b))",
            "insert into w select id, concat(elt(id % 3 + 1, 'Ä', 'a', 'A'), id div 2), if(id % 2, 0e0, -0e0), if(id % 9 = 0, null, id div 30), id % 2 + 1 from k",
            "insert into w select id + 1500, s, id div 50, b, e from w",
            "create table p (s varchar(20), n int, primary key (s, n))",
            "insert into p select s, id from w",
            "analyze table w, p",
        ])
        .await;
        for sql in [
            "select distinct x, b from w",
            "select distinct b, e from w",
            "select distinct e, b from w",
            "select distinct e, b, 7 from w where b > 3",
            "select distinct b, e from w where b > 3 and id % 3 = 1",
            "select distinct b, e from w order by b, e limit 5, 7",
            "select distinct b, e from w order by b desc, e desc limit 7",
            "select distinct s from p",
            "select distinct s from p where n % 2",
            "select distinct x + 1, b from w",
            "select count(*) from (select distinct e, b from w) z",
            "select sql_calc_found_rows distinct e, b from w limit 3",
        ] {
            both(&mut c, sql).await;
        }
        c.all(&["set weir_batches = on", "flush status"]).await;
        assert!(says_batches(&mut c, "select distinct s from p").await);
        c.rows("select distinct s from p").await;
        let read = c.rows("show session status like 'weir_batched_rows'").await;
        assert_eq!(read, "Weir_batched_rows|3000");
        c.0.close().await;
    });
}

/// WITH ROLLUP sums its groups up when all rows have been read by the leaf.
#[test]
fn rollup_sums_groups_up() {
    with_server(6, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        for sql in [
            "select t1, count(*), sum(a), avg(d), min(y), max(u), count(b) from k group by t1 with rollup",
            "select s, t3 is null, count(*) from k group by s, t3 is null with rollup",
            "select y, s, count(*), sum(p), min(m) from k where a > 0 group by y, s with rollup",
            "select g, c, count(*), max(b) from k group by g, c with rollup",
            "select g, grouping(g), count(*) from k group by g with rollup having count(*) > 3",
            "select v, count(x), sum(x) from k group by v with rollup",
            "select e, count(*) from k group by e with rollup",
            "select x, count(*) from k group by x with rollup",
            "select d, sum(u), sum(b) from k where b is not null and b < 1000000000 group by d with rollup",
            "select t1, count(*) from k where a > 5000 group by t1 with rollup",
            "select t1, count(distinct a), group_concat(id order by id) from k group by t1 with rollup",
            "select count(*), sum(q) from (select id, count(*) q from k group by id with rollup) z",
        ] {
            for memory in [LITTLE, MUCH] {
                c.rows(memory).await;
                both(&mut c, sql).await;
            }
        }
        c.all(&[MUCH, "set weir_batches = on"]).await;
        assert!(says_batches(&mut c, "select t1, count(*) from k group by t1 with rollup").await);
        assert!(!says_batches(&mut c, "select t1, std(a) from k group by t1 with rollup").await);
        c.all(&[ON, "flush status", "select t1, count(*) from k group by t1 with rollup"]).await;
        let read = c.rows("show session status like 'weir_batched_rows'").await;
        assert_eq!(read, "Weir_batched_rows|1500");
        c.0.close().await;
    });
}

#[test]
fn errors_and_limits_are_those_of_rows() {
    with_server(7, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        for sql in [
            "select sum(b * b) from k",
            "select sum(u - 9223372036854775900) from k where u is not null",
            "select count(*) from k where b + 9223372036854775807 > 0",
            "select sum(exp(id)) from k",
        ] {
            let answer = both(&mut c, sql).await;
            assert!(answer.contains("1690"), "{sql}: {answer}");
        }
        // Groups and the dictionary of their texts are charged.
        c.rows("create table m (id int primary key, s varchar(300))").await;
        c.rows("insert into m select id, concat(repeat('m', 290), id) from k").await;
        c.rows("insert into m select id + 2000, concat(repeat('n', 290), id) from k").await;
        c.all(&["set tmp_table_size = 1 << 30", "set session connection_memory_limit = 2097152"])
            .await;
        for mode in [ON, OFF] {
            c.rows(mode).await;
            let answer = c.ask("select s, count(*), max(id) from m group by s, id").await;
            assert_eq!(answer.errno(), 4082, "{mode}");
            assert_eq!(c.rows("select count(*) from m").await, "3000");
        }
        c.0.close().await;
    });
}

/// Groups that go out with the leaf that ends them, in the order of the clustered key or of an index that has all columns.
#[test]
fn groups_in_order_go_out_by_the_leaf() {
    with_server(9, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.all(&[
            "create table o (s varchar(40) collate utf8mb4_0900_ai_ci not null, y date, n int not null, d decimal(12,2), x double, b bigint not null, \
             pad varchar(200) not null, primary key (s, n), key yn (y, n), key nb (n, b))",
            "insert into o select concat(elt(id % 3 + 1, 'Ä', 'a', 'A'), lpad(id div 6, 5, '0')), if(id % 9 = 0, null, '2020-01-01' + interval id div 40 day), \
             id, if(id % 7 = 0, null, id / 8), id * 0.1, 9223372036854775807 - id, repeat('p', 150) from k",
            "insert into o select s, y, n + 5000, d, -x, b - 1, pad from o",
            "delete from o where n % 11 = 4",
            "analyze table o",
        ])
        .await;
        for sql in [
            "select s, count(*), sum(d), avg(x), min(n), max(b), sum(b) from o group by s",
            "select min(n), count(d), group_concat(n order by n) from o group by s",
            "select s, n, sum(d) from o group by s, n having sum(d) > 150",
            "select s, pad, sum(n * 2), std(n) from o group by s",
            "select y, count(*), sum(n) from o group by y",
            "select y, count(*) from o where n > 700 group by y having count(*) > 11",
            "select n, sum(b) from o group by n limit 3",
            "select s, sum(n) from o group by s order by s limit 5, 4",
            "select s, sum(n) from o group by s order by sum(n) desc, s limit 7",
            "select s, count(*) from o where s between 'a00050' and 'a00090' group by s",
            "select s, count(*) from o where pad <> '' and n < 0 group by s",
            "select s, (select count(*) from k where k.id = max(o.n)) q from o group by s",
            "select count(*) from (select s, sum(d) t from o group by s) z where t > 100",
            "select count(*) from k where id in (select n from o group by n having sum(b) > 5)",
            "insert into u select s, sum(n) from o group by s",
        ] {
            c.rows("create table u (s varchar(40), n bigint)").await;
            both(&mut c, sql).await;
            c.rows("drop table u").await;
        }
        c.rows("set weir_batches = on").await;
        for (sql, batches) in [
            ("select s, count(*) from o group by s", true),
            ("select y, sum(n) from o group by y", true),
            ("select distinct s, count(*) from o group by s", true),
            ("select s, count(distinct n) from o group by s", false),
            ("select s, count(*) from o group by s order by s desc", false),
        ] {
            assert_eq!(says_batches(&mut c, sql).await, batches, "{sql}");
            let plan = c.rows(&format!("explain {sql}")).await;
            assert!(!plan.contains("temporary"), "{sql}: {plan}");
        }
        // A group is all that is in memory, however many there are.
        c.all(&["set tmp_table_size = 1024", "set session connection_memory_limit = 2097152"])
            .await;
        assert_eq!(c.rows("select count(*) from (select s, n, count(*) from o group by s, n having count(*) > 1) z").await, "0");
        c.rows("flush status").await;
        c.rows("select s, count(*) from o group by s limit 1").await;
        let read = c.rows("show session status like 'Handler_read_rnd_next'").await;
        let read: u64 = read.split('|').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
        assert!(read < 400, "the LIMIT ends the reading: {read}");
        c.0.close().await;
    });
}

/// DISTINCT of groups that show their keys leaves nothing out, and is left out itself.
#[test]
fn distinct_groups_are_not_told_apart_once_more() {
    with_server(10, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        for (sql, temporary) in [
            ("select distinct id, count(*) from k group by id", false),
            ("select distinct count(*) from k group by id", true),
            ("select distinct id from k group by id, a", true),
            ("select distinct s, count(*) from k group by s with rollup", true),
        ] {
            let plan = c.rows(&format!("explain {sql}")).await;
            assert_eq!(plan.contains("temporary"), temporary, "{sql}: {plan}");
        }
        c.check(&[
            (
                "select distinct e, count(*) from k group by e, e order by 2, 1 limit 2",
                "NULL|150; x|450",
            ),
            ("select count(*) from (select distinct t1 from k group by t1 with rollup) z", "256"),
            ("select count(*) from (select distinct t1 from k group by t1) z", "256"),
            ("select distinct count(*) from k", "1500"),
        ])
        .await;
        c.0.close().await;
    });
}

/// The first step of a join is read by the leaf where vectors leave a part of its rows; all others are read row by row.
#[test]
fn joins_begin_by_the_leaf() {
    with_server(11, |server| async move {
        let mut c = server.client();
        c.all(KINDS).await;
        c.all(&[
            "create table n (id int primary key, t int, s varchar(20) collate utf8mb4_0900_ai_ci, key (t))",
            "insert into n select id, t1, s from k where id % 3 = 0",
            "analyze table n",
        ])
        .await;
        let joins = [
            "select straight_join k.id, n.id from k join n on n.t = k.t1 where #",
            "select straight_join k.id, n.id from k left join n on n.id = k.a where # and (n.id is null or n.t > 3)",
            "select straight_join count(*), sum(k.a + n.t) from k join n on n.id = k.id where # and k.a > n.t",
            "select straight_join n.t, count(*), min(k.s) from k join n on n.s = k.s and n.id < 90 where # group by n.t",
            "select straight_join k.id, x.id, n.t from k join n x on x.id = k.t1 join n on n.id = x.t where # order by k.id, x.id limit 40",
            "select k.id, sum(a) over (partition by t1 order by k.id) from k where #",
            "select straight_join k.id from k join n on n.id = k.id where # and exists (select 1 from n m where m.t = k.t1 and m.id > n.id)",
            "select (select count(*) from k join n on n.id = k.id where # and n.t = o.t) from n o where o.id < 20",
        ];
        let mut said = 0;
        for (n, condition) in CONDITIONS.iter().enumerate() {
            // A name that both tables have is that of the first.
            let condition = format!("({condition})")
                .replace("from k j", "from n j")
                .replace("j.a", "j.id")
                .replace("j.e", "j.s")
                .replace("j.t1", "j.t")
                .replace("min(b)", "min(id)")
                .replace("(select a ", "(select id ");
            for (m, sql) in joins.iter().enumerate().filter(|(m, _)| (n + m) % 4 == 0) {
                let named =
                    ["s", "id"].iter().fold(condition.clone(), |text, name| qualified(&text, name));
                let sql = sql.replace('#', &named);
                both(&mut c, &sql).await;
                c.rows(ON).await;
                said += u32::from(m < 5 && says_batches(&mut c, &sql).await);
            }
        }
        assert!(said > 60, "{said} of the joins begin by the leaf");
        c.rows("set weir_batches = on").await;
        for (sql, batches) in [
            ("select straight_join * from k join n on n.id = k.id where k.t2 > 7", true),
            ("select straight_join * from k join n on n.id = k.id where k.t2 > 7 limit 2", false),
            ("select straight_join * from k join n on n.id = k.id", false),
            (
                "select straight_join * from k join n on n.id = k.id where k.t2 > 7 for update",
                false,
            ),
            (
                "select straight_join * from n left join k on n.id = k.id where k.t2 > 7 or k.t2 is null",
                false,
            ),
        ] {
            assert_eq!(says_batches(&mut c, sql).await, batches, "{sql}");
        }
        for sql in ["select straight_join count(*) from k join n on n.id = k.id where k.t2 > 40000"]
        {
            let mut told = Vec::new();
            for mode in [ON, OFF] {
                c.rows(mode).await;
                c.rows("flush status").await;
                c.rows(sql).await;
                told.push(c.rows("show session status like 'Handler_read%'").await);
            }
            assert_eq!(told[0], told[1], "{sql}");
        }
        c.rows("flush status").await;
        c.rows(ON).await;
        c.rows("select straight_join count(*) from k join n on n.id = k.id where k.t2 > 40000")
            .await;
        let read = c.rows("show session status like 'Weir_batched_rows'").await;
        assert_eq!(read, "Weir_batched_rows|1500");
        c.0.close().await;
    });
}

/// The text with a column's name as that of `k`, where it stands alone.
fn qualified(text: &str, name: &str) -> String {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '\'' || c == '%';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        let alone = !out.chars().chain(before.chars()).next_back().is_some_and(part)
            && !behind.chars().next().is_some_and(|c| part(c) || c == '(');
        out.push_str(before);
        out.push_str(if alone { "k." } else { "" });
        out.push_str(name);
        rest = behind;
    }
    out + rest
}
