//! Groups, DISTINCT and COUNT(DISTINCT) in the order of an index; skip scans; derived tables made by key; queries that are read whole although
//! an index finds their rows: what EXPLAIN tells, and the same answers as without.
use crate::common::*;
use weir_rt::Rng;

/// 3,000 rows: `g` with 5 values, `a` with 300, `b` with 1,000, `n` with 50 and NULLs, `s` with 200 in several cases.
const SETUP: &[&str] = &[
    "create table t (id int primary key, g tinyint not null, a int not null, b int not null, n int, \
     s varchar(20) collate utf8mb4_general_ci not null, x decimal(12,4) not null, pad varchar(200) not null, \
     key ab (a, b), key gab (g, a, b), key n (n), key s (s), key x (x desc))",
    "set session cte_max_recursion_depth = 5000",
    "insert into t with recursive r as (select 1 i union all select i + 1 from r where i < 3000) \
     select i, i % 5, i * 7 % 300, i * 13 % 1000, nullif(i * 11 % 51, 3), \
     concat(if(i % 2, 'Key', 'kEY'), i % 200), i % 77 / 4, repeat('x', 200) from r",
    "create table u (id int primary key, a int not null, v int, key v (v))",
    "insert into u select id, a, n from t where id <= 40",
    "create view vg as select a, count(*) k, sum(b) sb from t group by a",
    "analyze table t, u",
];

/// Keys and remarks of all lines of EXPLAIN.
async fn plan(c: &mut Client, sql: &str) -> String {
    let rows = c.ask(&format!("explain {sql}")).await.rows;
    let of = |line: &String| {
        let cells: Vec<&str> = line.split('|').collect();
        format!("{} {} {}", cells[1], cells[6], cells[11])
    };
    rows.iter().map(of).collect::<Vec<_>>().join(" / ")
}

#[test]
fn groups_come_in_the_order_of_an_index() {
    with_server(31, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let by_order = [
            "select a, count(*), sum(b) from t group by a",
            "select a, b, count(*) from t group by b, a",
            "select g, a, count(distinct b) from t group by g, a",
            "select a, count(*) from t where a between 5 and 20 group by a having count(*) > 1",
            "select a, count(*) from t group by a order by a desc limit 3",
            "select n, count(*) from t group by n",
            "select id, count(*), sum(b), max(pad) from t group by id order by id limit 4",
            "select b, count(*) from t where a = 7 group by b order by b",
            "select t.a, count(*), sum(u.v) from t straight_join u on u.id = t.b where t.a < 30 group by t.a",
        ];
        for sql in by_order {
            let told = plan(&mut c, sql).await;
            assert!(!told.contains("temporary") && !told.contains("filesort"), "{sql}: {told}");
        }
        let hashed = [
            "select b, count(*) from t group by b",
            "select a + 1, count(*) from t group by a + 1",
            "select a, count(*) from t group by a with rollup",
        ];
        for sql in hashed {
            let told = plan(&mut c, sql).await;
            assert!(told.contains("temporary"), "{sql}: {told}");
        }
        // Nobody sorts what comes in this order, and somebody what comes in another.
        assert!(
            plan(&mut c, "select a, count(*) from t group by a order by count(*)")
                .await
                .contains("filesort")
        );
        c.check(&[
            ("select a, count(*), min(b), max(b) from t group by a limit 2", "0|10|0|900; 1|10|59|959"),
            ("select a, count(*) from t group by a order by a desc limit 2", "299|10; 298|10"),
            ("select count(distinct a), count(distinct n), count(distinct s), count(distinct x) from t", "300|50|200|77"),
            ("select count(distinct x) from t", "77"),
            ("select count(distinct s) from t", "200"),
            ("select count(distinct n) from t where n < 10", "9"),
            ("select n, count(*) from t group by n order by n limit 2", "NULL|59; 0|58"),
            ("select x, count(*) from t group by x order by x desc limit 1", "19.0000|38"),
        ])
        .await;
    });
}

/// Rows that are not those of the snapshot, and groups of which nothing is left.
#[test]
fn groups_in_order_see_the_rows_of_their_snapshot() {
    with_server(32, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let mut other = server.client();
        other.all(&["start transaction with consistent snapshot"]).await;
        c.all(&[
            "delete from t where a = 1",
            "update t set a = 2 where a = 3",
            "delete from t where g = 4",
        ])
        .await;
        let first = "select a, count(*) from t group by a order by a limit 4";
        other.check(&[(first, "0|10; 1|10; 2|10; 3|10")]).await;
        let now = c.rows(first).await;
        assert_eq!(
            now,
            c.rows(
                "select a, count(*) from t ignore index (ab, gab) group by a order by a limit 4"
            )
            .await
        );
        assert!(now.starts_with("0|"), "{now}");
    });
}

/// Answers with all indexes and with none, of random queries.
#[test]
fn order_of_groups_changes_no_answer() {
    for seed in 1..=3 {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            c.all(SETUP).await;
            c.all(&["delete from t where id % 17 = 3", "update t set b = b + 1 where id % 5 = 1"])
                .await;
            let columns =
                ["g", "a", "b", "n", "s", "x", "id", "g, a", "a, b", "g, a, b", "n, id", "a, g"];
            for _ in 0..120 {
                let keys = columns[rng.below(columns.len() as u64) as usize];
                let one = columns[rng.below(7) as usize];
                let filter = [
                    "true",
                    "a < 40",
                    "g = 2",
                    "n is null or n > 30",
                    "b = 17",
                    "g in (1, 3)",
                    "s > 'key5'",
                ];
                let filter = filter[rng.below(filter.len() as u64) as usize];
                let limit = if rng.chance(0.4) {
                    format!(" limit {}", 1 + rng.below(9))
                } else {
                    String::new()
                };
                let desc = if rng.chance(0.3) { " desc" } else { "" };
                let order: Vec<String> = keys.split(", ").map(|k| format!("{k}{desc}")).collect();
                let order = order.join(", ");
                // Texts that are equal are shown in one case.
                let shown = keys.replace('s', "lower(s)");
                let sql = match rng.below(4) {
                    0 => format!(
                        "select distinct {keys} from # where {filter} order by {order}{limit}"
                    ),
                    1 => format!(
                        "select count(distinct {keys}), sum(distinct b) from # where {filter}"
                    ),
                    2 => format!("select count(distinct {keys}) from # where {filter}"),
                    _ => format!(
                        "select {shown}, count(*), sum(b), count(distinct {one}), min(x) from # where {filter} group by {keys} order by {order}{limit}"
                    ),
                };
                let plain = sql.replace('#', "t ignore index (primary, ab, gab, n, s, x)");
                let (one, two) = (c.rows(&sql.replace('#', "t")).await, c.rows(&plain).await);
                assert_eq!(one.to_lowercase(), two.to_lowercase(), "seed {seed}: {sql}");
            }
            c.0.close().await;
        });
    }
}

#[test]
fn an_index_is_searched_behind_its_first_parts() {
    with_server(33, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let cases = [
            ("select g, a from t force index (gab) where a = 7", "10|70"),
            ("select count(*), sum(b) from t force index (gab) where a = 7 and b < 500", "5|1215"),
            ("select count(*), sum(a) from t force index (gab) where a > 295", "40|11900"),
            ("select count(*) from t force index (gab) where a in (3, 5, 700)", "20"),
            ("select count(*) from t force index (gab) where a > 500", "0"),
        ];
        for (sql, _) in cases {
            let told = plan(&mut c, sql).await;
            assert!(told.contains("Using index for skip scan"), "{sql}: {told}");
            let plain = c.rows(&sql.replace("force index (gab)", "ignore index (ab, gab)")).await;
            let sorted = |rows: String| {
                let mut rows: Vec<String> = rows.split("; ").map(str::to_owned).collect();
                rows.sort();
                rows
            };
            assert_eq!(sorted(c.rows(sql).await), sorted(plain), "{sql}");
        }
        let sql = "select count(*) from t force index (gab) where a = 7";
        let hinted = sql.replace("select", "select /*+ NO_SKIP_SCAN(t) */");
        assert!(!plan(&mut c, &hinted).await.contains("skip scan"));
        c.all(&["set optimizer_switch = 'skip_scan=off'"]).await;
        assert!(!plan(&mut c, sql).await.contains("skip scan"));
        let hinted = sql.replace("select", "select /*+ SKIP_SCAN(t) */");
        assert!(plan(&mut c, &hinted).await.contains("skip scan"));
        c.all(&["set optimizer_switch = 'default'"]).await;
        // What is locked, or has other columns to be looked at, or asks for the first part as well.
        for sql in [
            "select g from t force index (gab) where a = 7 for update",
            "select pad from t force index (gab) where a = 7",
            "select a from t force index (gab) where g = 1 and a = 7",
        ] {
            let told = plan(&mut c, sql).await;
            assert!(!told.contains("skip scan"), "{sql}: {told}");
        }
        c.all(&["delete from t where g = 1"]).await;
        c.check(&[("select count(*) from t force index (gab) where a = 7", "0")]).await;
    });
}

#[test]
fn a_grouped_table_is_made_for_the_keys_that_are_asked_for() {
    with_server(34, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let cases = [
            "select u.id, vg.k, vg.sb from u join vg on vg.a = u.a where u.id < 4",
            "select u.id, z.k from u left join (select a, count(*) k from t where b < 100 group by a) z on z.a = u.a where u.id < 6",
            "select u.id, z.a, z.k from u join (select a, g, count(*) k from t group by g, a) z on u.a = z.a and z.g < 3 where u.id in (2, 3)",
            "select u.id, z.m from u join (select a, max(b) m from t group by a having m > 900) z on z.a = u.a + 1 where u.id < 8",
        ];
        for sql in cases {
            let off =
                sql.replacen("select", "select /*+ NO_DERIVED_CONDITION_PUSHDOWN(vg, z) */", 1);
            let (by_key, whole) = (
                c.rows(&format!("{sql} order by 1, 2")).await,
                c.rows(&format!("{off} order by 1, 2")).await,
            );
            assert_eq!(by_key, whole, "{sql}");
        }
        c.rows("flush status").await;
        c.rows(cases[0]).await;
        let read = c.rows("show session status like 'Handler_read_next'").await;
        let read: u64 = read.rsplit('|').next().and_then(|n| n.parse().ok()).expect("a number");
        assert!(read < 200, "three groups of 3,000 rows: {read}");
        // More rows than were known when the plan was made.
        c.all(&["prepare p from 'select count(*), sum(vg.k) from u join vg on vg.a = u.a where u.id < ?'", "set @few = 3, @all = 1000"]).await;
        let few = c.rows("execute p using @few").await;
        let all = c.rows("execute p using @all").await;
        assert_eq!((&*few, &*all), ("2|20", "40|400"));
    });
}

#[test]
fn a_query_is_read_whole_where_many_rows_ask_it() {
    with_server(35, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let cases = [
            (
                "select count(*) from t where exists (select 1 from u where u.v = t.n and u.id > 5)",
                true,
            ),
            ("select count(*) from t where not exists (select 1 from u where u.v = t.n)", true),
            (
                "select count(*) from t where n in (select v from u where u.v = t.n and u.a > 7)",
                true,
            ),
            // The query leads to the rows around by their clustered index.
            (
                "select count(*) from t where exists (select 1 from u join u w on w.v = u.v where u.v = t.id and w.id = 3)",
                true,
            ),
            (
                "select count(*) from u where exists (select 1 from t where t.a = u.a and t.b > 5)",
                false,
            ),
            (
                "select count(*) from u where not exists (select 1 from t where t.a = u.a and t.b > 990)",
                false,
            ),
            ("select id from t where exists (select 1 from u where u.v = t.n) limit 3", false),
            (
                "select count(*) from t where id between 5 and 12 and exists (select 1 from u where u.v = t.n)",
                false,
            ),
        ];
        for (sql, joined) in cases {
            let told = plan(&mut c, sql).await;
            assert_eq!(told.contains("MATERIALIZED"), joined, "{sql}: {told}");
            c.all(&["set optimizer_switch = 'semijoin=off'"]).await;
            assert!(!plan(&mut c, sql).await.contains("MATERIALIZED"), "{sql}");
            let one_by_one = c.rows(sql).await;
            c.all(&["set optimizer_switch = 'default'"]).await;
            assert_eq!(c.rows(sql).await, one_by_one, "{sql}");
        }
    });
}

#[test]
fn changes_read_a_query_whole_too() {
    with_server(36, |server| async move {
        let mut c = server.client();
        c.all(SETUP).await;
        let changes = [
            "update t set pad = 'y' where exists (select 1 from u where u.v = t.n and u.id > 5)",
            "update t set pad = 'z' where not exists (select 1 from u where u.v = t.n)",
            "delete from t where exists (select 1 from u where u.v = t.n and u.id < 9)",
            "delete t from t join u w on w.id = t.id where not exists (select 1 from u where u.v = t.n)",
        ];
        for sql in changes {
            let told = plan(&mut c, sql).await;
            let mut left = Vec::new();
            for switch in ["off", "on"] {
                c.all(&[&format!("set optimizer_switch = 'semijoin={switch}'"), "begin", sql])
                    .await;
                left.push(
                    c.rows("select count(*), sum(id), sum(length(pad)), max(pad) from t").await,
                );
                c.all(&["rollback"]).await;
            }
            assert_eq!(left[0], left[1], "{sql}: {told}");
        }
        let first = plan(&mut c, changes[0]).await;
        assert!(first.contains("MATERIALIZED"), "{first}");
    });
}

/// Groups as many as there are rows come by the clustered index, whose order ends each of them at once.
#[test]
fn many_groups_are_not_hashed() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set cte_max_recursion_depth = 10000",
            "create table t (id int primary key, a int not null, pad varchar(100), key (a))",
            "insert into t with recursive r as (select 1 i union all select i + 1 from r where i < 5000) \
             select i, i % 3, repeat('x', 100) from r",
            "analyze table t",
        ])
        .await;
        let says = c.rows("explain select id, count(*) from t group by id").await;
        assert!(!says.contains("temporary"), "{says}");
        c.check(&[(
            "select count(*), sum(k) from (select id, count(*) k from t group by id) z",
            "5000|5000",
        )])
        .await;
    });
}
