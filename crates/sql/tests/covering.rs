//! Covering reads: what an index tells by itself is what its rows tell, and the plan says when rows are not looked at.
use crate::common::*;
use weir_rt::Rng;

#[test]
fn plans_name_the_index_alone() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key, a int not null, b int, v varchar(20), x varbinary(20), d float, \
             key a (a, b), key v (v), key x (x(3)), key xx (x), key d (d))",
            "insert into t values (1, 1, 2, 'v', 'x', 0.5), (2, 2, null, 'w', 'y', -0e0), (3, 2, 3, 'W', 'z', 0)",
            "create table u (id int primary key, a int, pad int, key (a))",
            "insert into u values (7, 2, 1)",
            "analyze table t",
        ])
        .await;
        let alone = [
            "select a, b from t where a = 2",
            "select id, b from t where a > 1",
            "select a from t force index (a) order by a desc",
            "select count(*) from t where a = 2",
            "select a, count(*) from t group by a",
            "select distinct a from t",
            "select x from t where x > 'a'",
            "select sum(d) from t where d >= 0",
            "select t1.id from t t1, t t2 force index (a) where t1.id = t2.a",
            "select * from (select b from t where a > 0) s",
            "select exists (select 1 from t where a = 2)",
            "select row_number() over (order by b) from t where a > 0",
            "insert into u (id) select b from t where a = 1",
        ];
        for sql in alone {
            let told = c.rows(&format!("explain {sql}")).await;
            assert!(told.contains("Using index"), "{sql}: {told}");
        }
        let rows = [
            "select a, b, v from t where a = 2",
            "select a from t where a = 2 and v = 'v'",
            // Texts cannot be read back from a key that ignores case, nor values cut short.
            "select v from t where v > 'a'",
            "select x from t force index (x) where x > 'a'",
            "select a from t where a = 2 for update",
            "select a from t where a = 2 for share",
            "select a from t where a = 2 and exists (select 1 from u where u.id = t.v and u.pad = 1)",
            "update t set b = a where a = 2",
            "delete from t where a = 9",
            "update u, t set u.pad = t.d where t.a = u.a",
        ];
        for sql in rows {
            let told = c.rows(&format!("explain {sql}")).await;
            assert!(!told.contains("Using index"), "{sql}: {told}");
        }
        c.check(&[
            ("select a, b, id from t where a = 2 order by b", "2|NULL|2; 2|3|3"),
            // One key, two values.
            ("select d, id from t where d = 0 order by id", "-0|2; 0|3"),
            ("select count(*), max(x) from t", "3|z"),
            ("update u, t set u.pad = t.d + t.id where t.a = u.a and t.id = 3", "ok 1"),
            ("select pad from u", "3"),
            (
                "explain select count(*) from u",
                "1|SIMPLE|u|NULL|index|NULL|a|5|NULL|1|100.00|Using index",
            ),
        ])
        .await;
        c.0.close().await;
    });
}

const TYPES: [&str; 12] = [
    "int",
    "bigint unsigned",
    "tinyint",
    "float",
    "double",
    "decimal(20,4)",
    "date",
    "datetime(3)",
    "varbinary(9)",
    "binary(4)",
    "enum('b','a','')",
    "bit(5)",
];

fn value(rng: &mut Rng, of: &str) -> String {
    if rng.chance(0.1) {
        return "null".into();
    }
    let n = rng.below(6);
    let text = ["''", "'a'", "'b'", "'a\\0'", "'ab'", "'\\0'"][n as usize];
    match of {
        "float" | "double" => ["0e0", "-0e0", "1.5e0", "-1e30", "1e-30", "3e0"][n as usize].into(),
        "decimal(20,4)" => {
            ["0", "-0.0", "1.5", "-99999999999.9999", "0.0001", "3"][n as usize].into()
        }
        "date" | "datetime(3)" => format!("'2026-01-0{}'", n + 1),
        "varbinary(9)" | "binary(4)" => text.into(),
        "enum('b','a','')" => ["'a'", "'b'", "''"][n as usize % 3].into(),
        "bit(5)" => format!("{n}"),
        _ => format!("{n}"),
    }
}

/// The same questions by the index alone and by the rows, in views of all ages, while others change the table.
#[test]
fn the_index_alone_tells_what_the_rows_tell() {
    for seed in 0..4 {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut writers = [server.client(), server.client()];
            let mut readers = [server.client(), server.client(), server.client()];
            let of = TYPES.map(|t| (t, rng.chance(0.5)));
            let columns: Vec<String> =
                of.iter().enumerate().map(|(i, (t, _))| format!("c{i} {t}, d{i} {t}")).collect();
            let keys: Vec<String> = of
                .iter()
                .enumerate()
                .map(|(i, (_, desc))| {
                    let desc = if *desc { " desc" } else { "" };
                    format!("key k{i} (c{i}{desc}, d{i})")
                })
                .collect();
            let make = format!(
                "create table t (id int, {}, pad varchar(10), {}, primary key (id desc))",
                columns.join(", "),
                keys.join(", ")
            );
            writers[0].rows("set sql_mode = ''").await;
            writers[1].rows("set sql_mode = ''").await;
            writers[0].rows(&make).await;
            for (i, level) in ["repeatable read", "read committed"].iter().enumerate() {
                let sql = format!("set transaction_isolation = '{}'", level.replace(' ', "-"));
                readers[i].rows(&sql).await;
            }
            for round in 0..150 {
                let w = &mut writers[rng.below(2) as usize];
                let id = rng.below(20);
                let i = rng.below(TYPES.len() as u64) as usize;
                let (a, b) = (value(&mut rng, TYPES[i]), value(&mut rng, TYPES[i]));
                w.ask("set innodb_lock_wait_timeout = 1").await;
                let sql = match rng.below(9) {
                    0 => "begin".into(),
                    1 => "commit".into(),
                    2 => "rollback".into(),
                    3 => format!("delete from t where id = {id}"),
                    4 | 5 => format!("update t set c{i} = {a}, d{i} = {b} where id = {id}"),
                    _ => format!("replace into t (id, c{i}, d{i}) values ({id}, {a}, {b})"),
                };
                // A row may be another writer's.
                w.ask(&sql).await;
                let r = &mut readers[rng.below(3) as usize];
                match rng.below(6) {
                    0 => _ = r.rows("begin").await,
                    1 => _ = r.rows("commit").await,
                    _ => {}
                }
                if rng.chance(0.4) {
                    r.rows("begin").await;
                }
                let i = rng.below(TYPES.len() as u64) as usize;
                let bound = match value(&mut rng, TYPES[i]) {
                    v if v == "null" => format!("c{i} is null"),
                    v => format!("c{i} {} {v}", ["=", ">=", "<"][rng.below(3) as usize]),
                };
                for r in &mut readers {
                    r.rows("select 1 from t limit 0").await;
                    let ask = |hint: &str| {
                        format!(
                            "select c{i}, d{i}, id from t {hint} where {bound} order by c{i}, d{i}, id"
                        )
                    };
                    let alone = format!("force index (k{i})");
                    let told = r.rows(&format!("explain {}", ask(&alone))).await;
                    assert!(told.contains("Using index"), "{told}");
                    // Between two statements of a session others change nothing here.
                    let (alone, rows) =
                        (r.rows(&ask(&alone)).await, r.rows(&ask("use index ()")).await);
                    assert_eq!(alone, rows, "seed {seed}, round {round}: {bound}");
                }
            }
            for c in writers.into_iter().chain(readers) {
                c.0.close().await;
            }
        });
    }
}

/// A range of the rows is read, not the whole of a shorter index that has the columns: not where the bounds are not known yet, and not by
/// a plan that was made for a wide range first.
#[test]
fn a_range_is_never_given_up_for_a_whole_index() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "use test",
            "create table s (id int primary key, k int not null, c char(120), pad char(60), key (k))",
            "set cte_max_recursion_depth = 10000",
            "insert into s with recursive n (i) as (select 1 union all select i + 1 from n where i < 4000) \
             select i, i * 7 % 1000, repeat('c', 100), repeat('p', 50) from n",
            "analyze table s",
        ])
        .await;
        let covered = || {
            server.inst.db.status().into_iter().find(|(n, _)| *n == "Weir_rows_covered").unwrap().1
        };
        let before = covered();
        c.check(&[
            ("prepare q from 'select sum(k) from s where id between ? and ?'", "ok 0"),
            ("set @a = 10, @b = 19", "ok 0"),
            ("execute q using @a, @b", "1015"),
            // The plan of a text is kept for all values.
            ("select sum(k) from s where id between 0 and 100000", "1998000"),
            ("select sum(k) from s where id between 10 and 19", "1015"),
        ])
        .await;
        assert_eq!(covered(), before, "no index was read whole");
        let told = c.rows("explain select sum(k) from s where id between 0 and 100000").await;
        assert!(told.contains("|range|PRIMARY|PRIMARY|"), "{told}");
        // Without a range it is.
        assert!(c.rows("explain select sum(k) from s").await.contains("Using index"));
    });
}

/// Rows of entries come many at a time: what the transaction changes between is seen, and so is what others have changed since.
#[test]
fn rows_of_entries_are_those_that_the_reader_sees() {
    with_server(1, |server| async move {
        let (mut c, mut other) = (server.client(), server.client());
        c.all(&[
            "create table t (id int primary key, a int not null, pad varchar(400), key a (a))",
            "create table log (n int)",
            "insert into t with recursive r as (select 1 i union all select i + 1 from r where i < 900) \
             select i, i % 7, repeat('x', i % 400) from r",
        ])
        .await;
        let sums = "select count(*), sum(id), sum(length(pad)) from t force index (a) where a = 3";
        let plain =
            "select count(*), sum(id), sum(length(pad)) from t ignore index (a) where a = 3";
        let known = c.rows(plain).await;
        c.check(&[("start transaction with consistent snapshot", "ok 0"), (sums, &known)]).await;
        other.all(&["update t set a = 4 where id % 2 = 0", "delete from t where id % 5 = 0"]).await;
        c.check(&[(sums, &known)]).await;
        c.all(&["update t set a = 3, pad = 'y' where id = 1"]).await;
        let own = c.rows(plain).await;
        assert_ne!(own, known);
        c.check(&[(sums, &own), ("rollback", "ok 0")]).await;
        let newest = c.rows(plain).await;
        c.check(&[(sums, &newest)]).await;
        c.check(&[
            ("select id from t force index (a) where a = 3 and pad <> 'z' limit 3", "3; 17; 31"),
            ("select id from t force index (a) where a = 3 and pad <> 'z' order by a desc, id desc limit 2", "899; 871"),
        ])
        .await;
    });
}

/// An index over a text has its weights, and a pattern has some as well: rows of entries without those are not read. What rows come is the same.
#[test]
fn entries_without_the_weights_of_a_pattern_are_passed_over() {
    with_server(3, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set cte_max_recursion_depth = 10000",
            "create table t (id int primary key, a int, s varchar(30), g varchar(30) collate utf8mb4_general_ci, pad varchar(30), key s (s), key sa (a, s), key g (g))",
            "insert into t with recursive r(n) as (select 1 union all select n + 1 from r where n < 3000) \
             select n, n % 3, if(n % 50 = 0, null, concat(elt(n % 4 + 1, 'key', 'KEY', 'këy', 'ßx'), lpad(n, 4, '0'))), concat('key', n), 'pad' from r",
            "analyze table t",
        ])
        .await;
        for pattern in [
            "%77", "KEY%", "%e_00%", "s%7%7%", "%ß%", "%\\\\_%", "%", "key0077", "_______", "%7_",
            "%ss%",
        ] {
            for read in [
                "select id, pad from t force index (s) where s > 'a' and s like",
                "select count(pad) from t force index (s) where s > 'key2' and s like",
                "select id, pad from t force index (sa) where a = 1 and s like",
                "select id, pad from t force index (s) where s > 'key29' and s not like",
                "select max(t.pad), count(u.pad) from t force index (s) join t u on u.id = t.a where t.s > 'a' and t.s like",
                "select id, pad from t force index (g) where g > 'key2' and g like",
            ] {
                let sql = format!("{read} '{pattern}' order by 1 desc");
                let own = c.rows(&sql).await;
                let none = sql.replacen("force index (sa)", "ignore index (s, sa, g)", 1);
                let none = none.replacen("force index (s)", "ignore index (s, sa, g)", 1);
                let none = none.replacen("force index (g)", "ignore index (s, sa, g)", 1);
                assert_eq!(own, c.rows(&none).await, "{sql}");
            }
        }
        // Versions that others have changed meanwhile are found by the entries that they had.
        let mut other = server.client();
        c.all(&["start transaction with consistent snapshot"]).await;
        other.rows("update t set s = concat('x', s) where id between 70 and 90").await;
        let sql =
            "select id, pad from t force index (s) where s > 'a' and s like '%y00_7' order by id";
        let without = sql.replacen("force", "ignore", 1);
        for client in [&mut c, &mut other] {
            assert_eq!(client.rows(sql).await, client.rows(&without).await);
        }
        c.rows("commit").await;
        for (sql, reads) in [
            ("select pad from t force index (s) where s > 'key' and s like '%77'", 25..40),
            (
                "select pad from t force index (s) where s > 'key' and s like '%77' for update",
                1000..4000,
            ),
        ] {
            c.rows("flush status").await;
            c.rows(sql).await;
            let told = c.rows("show session status like 'handler_read_next'").await;
            let told: u64 = told.split('|').nth(1).and_then(|n| n.parse().ok()).unwrap_or(0);
            assert!(reads.contains(&told), "{sql}: {told}");
        }
        c.0.close().await;
        other.0.close().await;
    });
}
