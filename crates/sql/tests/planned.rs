//! What the planner makes of conditions: the access that EXPLAIN tells, the rows that a run reads, and the same answers as by conditions that no
//! rule and no index sees through.
use crate::common::*;

/// Columns of 2,000 rows: `a` with 100 values, `b` with 500, `n` with 400 and NULLs, `s`, `d` and `x` with many, `k` with 4.
const SETUP: &[&str] = &[
    "create table t (id int primary key, a int not null, b int not null, n int, s varchar(20) collate utf8mb4_general_ci not null, \
     d date not null, x decimal(8,2) not null, k int not null, pad varchar(90) not null, \
     key a (a), key b (b), key n (n), key s (s), key d (d), key x (x), key kb (k, b))",
    "set session cte_max_recursion_depth = 3000",
    "insert into t with recursive r as (select 1 i union all select i + 1 from r where i < 2000) \
     select i, i * 7 % 100, i * 13 % 500, nullif(i * 11 % 400, 3), concat(if(i % 2, 'key_', 'keys'), i), \
     date '2020-01-01' + interval i day, i / 4, i % 4, repeat('x', 90) from r",
    "create table u (id int primary key, a int not null, v int not null, key a (a))",
    "insert into u select id, a, k from t where id <= 300",
    "analyze table t, u",
];

/// Type, keys, their length and the remarks of the first line of EXPLAIN.
async fn plan(c: &mut Client, sql: &str) -> String {
    let rows = c.rows(&format!("explain {sql}")).await;
    let first = rows.split("; 1|").next().unwrap_or_default();
    let cells: Vec<&str> = first.split('|').collect();
    format!("{} {} {} {}", cells[4], cells[6], cells[7], cells[11])
}

/// The rows that conditions keep are those for which they are true, asked row by row where no rule reaches.
async fn same(c: &mut Client, condition: &str) {
    let searched = c.rows(&format!("select count(*), sum(id) from t where {condition}")).await;
    let asked = format!(
        "select sum(v), sum(if(v, id, null)) from (select id, ({condition}) is true v from t ignore index (a, b, n, s, d, x, kb)) z"
    );
    let asked = c.rows(&asked).await;
    assert_eq!(searched.replace("NULL", "0"), asked.replace("NULL", "0"), "{condition}");
}

#[test]
fn conditions_become_searches() {
    with_server(3, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let cases = [
            ("not (b > 2)", "range b 4 Using where"),
            ("not (b between 3 and 497)", "range b 4 Using where"),
            ("not (b >= 3 and b < 498)", "range b 4 Using where"),
            ("not (n > 2)", "range n 5 Using where"),
            ("b > 20 and b <> 21 and b < 23", "range b 4 Using where"),
            ("b not in (1, 2, 4) and b < 6", "range b 4 Using where"),
            ("not (b <> 5)", "ref b 4 NULL"),
            ("s like 'key\\_19%'", "range s 82 Using where"),
            ("s = 'KEY_19' collate utf8mb4_bin", "ref s 82 Using where"),
            ("x < 1e1 - 9.5", "range x 4 Using where"),
            ("b = 5 or d = '2020-02-02'", "index_merge b,d 4,3 Using union(b,d); Using where"),
            ("b < 2 or d = '2020-02-02'", "index_merge b,d 4,3 Using sort_union(b,d); Using where"),
            ("id < 3 or b = 7", "index_merge PRIMARY,b 4,4 Using union(PRIMARY,b); Using where"),
            ("not (b <> 5 and n <> 7)", "index_merge b,n 4,5 Using union(b,n); Using where"),
        ];
        for (condition, wanted) in cases {
            let sql = format!("select * from t where {condition}");
            assert_eq!(plan(&mut c, &sql).await, wanted, "{condition}");
            same(&mut c, condition).await;
        }
        for condition in [
            "not (n > 2 or b < 100)",
            "not (n = 5 xor b = 7)",
            "not (n <=> null)",
            "not (n is null or n > 100)",
            "not not (n < 10)",
            "n not in (1, 2, null)",
            "n <> null",
            "not (n in (1, 2) and b < 50)",
            "n not between 5 and 390",
            "s like 'key\\\\_1%'",
            "s not like 'key\\_%'",
            "s collate utf8mb4_bin in ('key_1', 'KEYS2')",
            "d in ('2020-01-05', '2020-01-07')",
            "d between '2020-01-05' and '2020-03-01'",
            "d > 20201399",
            "d < -5",
            "d >= 99999999",
            "n = 5 or n = 7 and b = 1 or d = '2020-02-02'",
            "(b = 5 or n = 7) and (a = 3 or d < '2020-03-01')",
            "a = 35 and b = 65",
            "a = 35 and n = 55",
            "n is null or b = 3",
        ] {
            same(&mut c, condition).await;
        }
    });
}

#[test]
fn hints_choose_whether_indexes_are_merged() {
    with_server(4, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let or = "from t where b = 5 or d = '2020-02-02'";
        let without = plan(&mut c, &format!("select /*+ NO_INDEX_MERGE(t) */ * {or}")).await;
        assert_eq!(without, "ALL NULL NULL Using where");
        c.check(&[
            (
                "select id from t where b = 5 or d = '2020-02-02' order by id limit 3",
                "32; 385; 885",
            ),
            ("select id from t where b = 5 or d = '2020-02-02' order by id desc limit 1", "1885"),
        ])
        .await;
    });
}

#[test]
fn changes_of_rows_search_as_queries_do() {
    with_server(5, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let plans = [
            (
                "update t set pad = 'y' where b = 5 or d = '2020-02-02'",
                "index_merge b,d 4,3 Using union(b,d); Using where",
            ),
            (
                "update t set b = b + 1 where b = 5 or d = '2020-02-02'",
                "index_merge b,d 4,3 Using union(b,d); Using where",
            ),
            ("delete from t where not (b > 2)", "range b 4 Using where"),
        ];
        for (sql, wanted) in plans {
            assert_eq!(plan(&mut c, sql).await, wanted, "{sql}");
        }
        c.all(&[
            "update t set b = b + 1 where b = 5 or d = '2020-02-02'",
            "delete from t where not (b > 2)",
            "delete from t where id in (select id from u where a = 7)",
            "update t set pad = 'z' where exists (select 1 from u where u.id = t.id and u.v = 3)",
            "delete from t where not exists (select 1 from u where u.v = t.k)",
        ])
        .await;
        c.check(&[
            ("select count(*) from t where b = 5", "0"),
            ("select count(*) from t where b <= 2", "0"),
            ("select count(*) from t where b = 6", "8"),
            ("select count(*) from t where id in (1, 101, 201)", "0"),
            ("select count(*) from t where pad = 'z'", "75"),
            ("delete from t where id in (select id from t where a = 1)", "E1093"),
            ("update t set a = 1 where id in (select t.id from t)", "E1093"),
        ])
        .await;
    });
}

#[test]
fn equalities_and_ors_reach_other_tables() {
    with_server(6, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        // The constant reaches the table that the condition does not name.
        let joined = "select count(*) from t, u where t.a = u.a and t.a = 7";
        let rows = c.rows(&format!("explain {joined}")).await;
        assert_eq!(rows.matches("|ref|").count(), 2, "{rows}");
        c.check(&[
            (joined, "60"),
            ("select count(*) from t left join u on u.a = t.a where t.a = 7 and t.b = 13", "12"),
            (
                "select count(*) from t, u x, u y where t.id = x.id and x.id = y.id and y.a = 7",
                "3",
            ),
            (
                "select (select count(*) from t, u where (t.a = u.a and t.b < 50 and u.v = 1) or (t.a = u.a and t.b > 450 and u.v = 2)) \
                 = (select count(*) from t, u where t.a = u.a and t.b < 50 and u.v = 1) \
                 + (select count(*) from t, u where t.a = u.a and t.b > 450 and u.v = 2)",
                "1",
            ),
            (
                "select count(*) from t, u where (t.id = u.id and t.b = 13) or t.id = u.id",
                "300",
            ),
        ])
        .await;
    });
}

#[test]
fn groups_are_read_loosely() {
    with_server(7, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let cases = [
            ("select distinct k from t", "0; 1; 2; 3"),
            ("select k, min(b) from t group by k", "0|0; 1|1; 2|2; 3|3"),
            ("select k, max(b) from t group by k order by k", "0|496; 1|497; 2|498; 3|499"),
            ("select k, min(b), max(b) from t group by k", "0|0|496; 1|1|497; 2|2|498; 3|3|499"),
            ("select count(distinct k) from t", "4"),
            ("select k from t group by k having k > 1 order by k desc", "3; 2"),
        ];
        for (sql, answer) in cases {
            let told = plan(&mut c, sql).await;
            assert!(told.contains("Using index for group-by"), "{sql}: {told}");
            c.check(&[(sql, answer)]).await;
        }
        c.check(&[("select distinct k + 1 from t where k < 3", "1; 2; 3")]).await;
        // What is not the same in all rows of a group keeps the whole scan.
        for sql in [
            "select k, sum(b) from t group by k",
            "select k, count(*) from t group by k",
            "select distinct k from t where b > 7",
            "select k, min(b) from t where b > 7 group by k",
            "select k, min(b), max(id) from t group by k",
        ] {
            let told = plan(&mut c, sql).await;
            assert!(!told.contains("for group-by"), "{sql}: {told}");
        }
        c.all(&["delete from t where k = 1 and b < 490", "delete from t where k = 2"]).await;
        c.check(&[
            ("select k, min(b), max(b) from t group by k", "0|0|496; 1|493|497; 3|3|499"),
            ("select distinct k from t order by k for update", "0; 1; 3"),
        ])
        .await;
    });
}

#[test]
fn an_order_with_a_limit_may_be_cheaper_than_a_search() {
    with_server(8, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let few = "select id from t ignore index (b) where k = 3 order by id limit 2";
        assert!(!plan(&mut c, few).await.contains("filesort"));
        c.check(&[
            (few, "3; 7"),
            ("select id from t where k = 3 order by id desc limit 2", "1999; 1995"),
            ("select id from t where a = 35 order by id limit 2", "5; 105"),
        ])
        .await;
    });
}

/// `utf8mb4_bin` passes over spaces at the end, which an index of a collation of UCA 9.0.0 does not: what is equal begins with the same text.
#[test]
fn texts_equal_except_for_spaces_are_found_by_an_index() {
    with_server(9, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table p (id int primary key, s varchar(20) collate utf8mb4_0900_ai_ci not null, t varchar(20) collate utf8mb4_bin, \
             unique key s (s), key t (t))",
            "insert into p values (1, 'key1', 'key1  '), (2, 'key1 ', 'KEY1'), (3, 'key1  ', 'key12'), (4, 'KEY12', ''), (5, 'key12 ', null), \
             (6, '', 'key1'), (7, ' ', 'x'), (8, 'k\u{e9}y3', 'y')",
            "set session cte_max_recursion_depth = 3000",
            "insert into p with recursive r as (select 100 i union all select i + 1 from r where i < 1500) select i, concat('row', i), 'z' from r",
            "analyze table p",
        ])
        .await;
        let found = "select id from p where s = 'key1' collate utf8mb4_bin";
        assert_eq!(plan(&mut c, found).await, "ref s 82 Using where");
        c.check(&[
            ("select group_concat(id order by id) from p where s = 'key1' collate utf8mb4_bin", "1,2,3"),
            ("select group_concat(id order by id) from p where s = 'key1   ' collate utf8mb4_bin", "1,2,3"),
            ("select group_concat(id order by id) from p where s = 'KEY12' collate utf8mb4_bin", "4"),
            ("select group_concat(id order by id) from p where s = '' collate utf8mb4_bin", "6,7"),
            ("select group_concat(id order by id) from p where s collate utf8mb4_bin in ('key12', ' ', 'row100')", "5,6,7,100"),
            ("select count(*) from p where s = cast(null as char) collate utf8mb4_bin", "0"),
            ("select group_concat(concat(a.id, '-', b.id) order by a.id, b.id) from p a join p b on a.s = b.t where b.id < 9 and b.t > 'k'",
             "1-1,1-6,2-1,2-6,3-1,3-6,5-3"),
            ("select group_concat(id order by id) from p where s = 'k\u{e9}y3' collate utf8mb4_bin", "8"),
        ])
        .await;
    });
}

/// A plan for a pattern that an index is searched by does not serve a pattern that matches in the middle.
#[test]
fn patterns_that_begin_anywhere_have_a_plan_of_their_own() {
    with_server(10, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        for (sql, least, most) in [
            ("select id, a from t where s like 'keys12%'", 1, 200),
            ("select id, a from t where s like '%12'", 2000, 2002),
            ("select id, a from t where s like '_eys12'", 2000, 2002),
            ("select id, a from t where s like concat('keys', '12%')", 1, 200),
        ] {
            c.rows("flush status").await;
            c.rows(sql).await;
            let read = c.rows("select sum(variable_value) from performance_schema.session_status where variable_name like 'Handler_read%next'").await;
            let read: u64 = read.parse().expect("a number");
            assert!((least..=most).contains(&read), "{sql}: {read}");
        }
        // Ranges whose rows a LIMIT asks for in another order: chosen by the values, each time again.
        let wide = "select id from t where b > 100 order by k, b, id limit 3";
        c.check(&[(wide, "8; 508; 1008")]).await;
        assert!(!plan(&mut c, wide).await.contains("filesort"));
        let narrow = "select id from t where b > 495 order by k, b, id limit 3";
        assert!(plan(&mut c, narrow).await.contains("filesort"));
        assert_eq!(
            c.rows(narrow).await,
            c.rows("select id from t ignore index (kb, b) where b > 495 order by k, b, id limit 3")
                .await
        );
    });
}

/// A plan that is kept is made again where a range has another width by ten times.
#[test]
fn a_plan_is_made_again_for_ranges_of_another_width() {
    const HITS: &str = "select variable_value from performance_schema.session_status where variable_name = 'Weir_plan_cache_hits'";
    const READ: &str = "select sum(variable_value) from performance_schema.session_status \
         where variable_name in ('Handler_read_next', 'Handler_read_rnd_next')";
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table w (id int primary key, k int not null, v int not null, s varchar(20) not null, key (k), key (s))",
            "set cte_max_recursion_depth = 100000",
            "insert into w with recursive r as (select 1 n union all select n + 1 from r where n < 6000) \
             select n, n, n % 7, concat(if(n < 4000, 'many', 'few'), n) from r",
            "analyze table w",
        ])
        .await;
        let read = async |c: &mut Client, sql: &str| {
            c.rows("flush status").await;
            c.rows(sql).await;
            c.rows(READ).await.parse::<u64>().unwrap_or(u64::MAX)
        };
        let narrow = "select sum(v) from w where k between 10 and 20";
        let wide = "select sum(v) from w where k between 10 and 5900";
        for _ in 0..2 {
            // The wide range is read by a scan, and the narrow one by the index, whichever plan was there before.
            assert!(read(&mut c, wide).await >= 6_000);
            assert!(read(&mut c, narrow).await < 100);
        }
        let like = [
            "select sum(v) from w where s like 'many%'",
            "select sum(v) from w where s like 'few55%'",
        ];
        assert!(read(&mut c, like[0]).await >= 6_000);
        assert!(read(&mut c, like[1]).await < 300);
        // Ranges of about the same width have one plan.
        let hits = |text: String| text.parse::<u64>().unwrap_or(0);
        c.rows("select sum(v) from w where k between 30 and 45").await;
        let before = hits(c.rows(HITS).await);
        for n in 0..5 {
            c.rows(&format!("select sum(v) from w where k between {n} and {}", n + 60)).await;
        }
        assert!(hits(c.rows(HITS).await) >= before + 5);
        // So it is with values of a prepared statement.
        c.all(&[
            "prepare p from 'select sum(v) from w where k between ? and ?'",
            "set @a = 10, @b = 5900, @c = 20",
        ])
        .await;
        for _ in 0..2 {
            assert!(read(&mut c, "execute p using @a, @b").await >= 6_000);
            assert!(read(&mut c, "execute p using @a, @c").await < 100);
        }
        c.0.close().await;
    });
}

/// Of columns without an index or a histogram a sample tells how many values they have: a join begins with the word that is there once, not with
/// half of the films, which are fewer than the words.
#[test]
fn an_equality_is_guessed_by_the_values_of_its_column() {
    with_server(3, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set session cte_max_recursion_depth = 10000",
            "create table film (id int primary key, kind varchar(10) not null)",
            "create table word (id int primary key, word varchar(20) not null)",
            "create table link (id int primary key, film int not null, word int not null, key film (film), key word (word))",
            "insert into film with recursive r as (select 1 i union all select i + 1 from r where i < 1200) \
             select i, if(i % 2, 'long', 'short') from r",
            "insert into word with recursive r as (select 1 i union all select i + 1 from r where i < 5000) \
             select i, concat('word ', i) from r",
            "insert into link with recursive r as (select 1 i union all select i + 1 from r where i < 10000) \
             select i, i * 7 % 1200 + 1, i * 13 % 5000 + 1 from r",
            "analyze table film, word, link",
        ])
        .await;
        let sql = "select count(*) from film f, link l, word w \
                   where l.film = f.id and l.word = w.id and f.kind = 'long' and w.word = 'word 700'";
        let rows = c.rows(&format!("explain {sql}")).await;
        let tables: Vec<&str> = rows.split("; ").filter_map(|r| r.split('|').nth(2)).collect();
        assert_eq!(tables, ["w", "l", "f"], "{rows}");
        let share: f64 = rows.split('|').nth(10).unwrap().parse().unwrap();
        assert!(share < 0.1, "{rows}");
        let all = c.rows("select count(*) from link join film f on f.id = film where kind = 'long' and word = 700").await;
        assert_eq!(c.rows(sql).await, all);
    });
}
