//! Queries whose answers tell of each other, over tables made from a seed.
//!
//! - Ternary logic partitioning: a condition is true, false or unknown of each row, so the three parts together are the whole. Of rows, DISTINCT,
//!   groups, and sums, with joins and outer joins before the condition.
//! - NoREC: the rows that WHERE keeps, which indexes and rules serve, are as many as those of which the condition is true in the list of what is
//!   shown, where nothing serves it.
//! - Equivalent queries: what joins, subqueries and sets may be written as.
//!
//!     WEIR_META_SECONDS=600 WEIR_TEST_SEED=7 cargo test -p weir-sql --test sql metamorphic -- --nocapture
use crate::common::*;
use std::time::{Duration, Instant};
use weir_rt::Rng;

fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.below(from.len() as u64) as usize]
}

/// Kinds of columns, with constants of each.
const KINDS: [(&str, &[&str]); 7] = [
    ("int", &["0", "1", "2", "3", "-1", "7", "null", "2.5", "'3'"]),
    ("bigint unsigned", &["0", "1", "5", "18446744073709551615", "null", "-1"]),
    ("decimal(8,2)", &["0", "0.5", "1.25", "-3.00", "2", "null", "'0.5'"]),
    ("double", &["0", "0.5", "-1e3", "2.5", "null"]),
    ("varchar(8)", &["''", "'a'", "'A'", "'b '", "'ab'", "null", "'1'", "0"]),
    ("date", &["'2024-01-01'", "'2024-01-02'", "'2024-02-29'", "null", "20240101"]),
    ("datetime", &["'2024-01-01'", "'2024-01-01 10:00:00'", "'2024-02-29 23:59:59'", "null"]),
];

/// A table: its name and the kinds of its columns, which are `c0`, `c1`...
struct Made {
    name: &'static str,
    kinds: Vec<usize>,
}

impl Made {
    async fn of(name: &'static str, rng: &mut Rng, c: &mut Client) -> Made {
        let kinds: Vec<usize> = (0..3 + rng.below(3)).map(|_| rng.below(7) as usize).collect();
        let columns = kinds.iter().enumerate().map(|(n, k)| {
            // A date that may not be NULL may be zero, which `IS NULL` is true of in WHERE alone.
            let not_null = if *k < 5 && rng.chance(0.3) { " not null" } else { "" };
            format!("c{n} {}{not_null}", KINDS[*k].0)
        });
        let columns: Vec<String> = columns.collect();
        let mut keys = String::new();
        for _ in 0..rng.below(4) {
            let parts: Vec<String> = (0..1 + rng.below(3))
                .map(|_| {
                    format!("c{}{}", rng.below(kinds.len() as u64), pick(rng, &["", "", " desc"]))
                })
                .collect();
            let distinct = parts.iter().enumerate().all(|(n, p)| {
                let name = |p: &str| p.trim_end_matches(" desc").to_owned();
                parts[..n].iter().all(|q| name(q) != name(p))
            });
            if distinct {
                keys.push_str(&format!(", key ({})", parts.join(", ")));
            }
        }
        c.rows(&format!("create table {name} (id int primary key, {}{keys})", columns.join(", ")))
            .await;
        for id in 0..20 + rng.below(120) {
            let values: Vec<&str> = kinds.iter().map(|k| pick(rng, KINDS[*k].1)).collect();
            // What a NOT NULL column does not take stays out.
            c.ask(&format!("insert ignore into {name} values ({id}, {})", values.join(", "))).await;
        }
        c.rows(&format!("analyze table {name}")).await;
        Made { name, kinds }
    }

    fn column(&self, rng: &mut Rng) -> (String, usize) {
        let n = rng.below(self.kinds.len() as u64) as usize;
        (format!("{}.c{n}", self.name), self.kinds[n])
    }

    fn value(&self, rng: &mut Rng) -> (String, usize) {
        let (column, kind) = self.column(rng);
        let text = match rng.below(8) {
            0 => format!("coalesce({column}, {})", pick(rng, KINDS[kind].1)),
            1 if kind < 4 => format!("{column} + 1"),
            2 => format!("if({column} is null, null, {column})"),
            _ => column,
        };
        (text, kind)
    }
}

fn condition(rng: &mut Rng, tables: &[&Made], depth: u32) -> String {
    if depth > 0 && rng.chance(0.5) {
        let (p, q) = (condition(rng, tables, depth - 1), condition(rng, tables, depth - 1));
        return match rng.below(6) {
            0 | 1 => format!("({p} and {q})"),
            2 | 3 => format!("({p} or {q})"),
            4 => format!("not ({p})"),
            _ => format!("({p} xor {q})"),
        };
    }
    let t = tables[rng.below(tables.len() as u64) as usize];
    let (x, kind) = t.value(rng);
    let constant = |rng: &mut Rng| pick(rng, KINDS[kind].1).to_owned();
    match rng.below(9) {
        0..=3 => {
            let op = pick(rng, &["=", "<>", "<", "<=", ">", ">=", "<=>"]);
            format!("{x} {op} {}", constant(rng))
        }
        4 => format!(
            "{x} {}between {} and {}",
            pick(rng, &["", "not "]),
            constant(rng),
            constant(rng)
        ),
        5 => {
            let list: Vec<String> = (0..1 + rng.below(4)).map(|_| constant(rng)).collect();
            format!("{x} {}in ({})", pick(rng, &["", "not "]), list.join(", "))
        }
        6 => format!("{x} is {}null", pick(rng, &["", "not "])),
        7 => {
            let other = tables[rng.below(tables.len() as u64) as usize];
            let same: Vec<usize> =
                (0..other.kinds.len()).filter(|n| other.kinds[*n] == kind).collect();
            match same.first() {
                Some(n) => format!("{x} {} {}.c{n}", pick(rng, &["=", "<", ">="]), other.name),
                None => format!("{x} is not null"),
            }
        }
        _ => {
            let (y, other) = t.column(rng);
            format!(
                "{x} in (select {y} from {} where {y} {} {})",
                t.name,
                pick(rng, &["<", ">="]),
                pick(rng, KINDS[other].1)
            )
        }
    }
}

/// The rows of several queries together, in one order.
async fn together(c: &mut Client, queries: &[String]) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for sql in queries {
        let answer = c.ask(sql).await;
        if let Some((code, text)) = &answer.error {
            return Err(format!("{code} {text}"));
        }
        all.extend(answer.rows.iter().map(|row| format!("{row:?}")));
    }
    all.sort();
    Ok(all)
}

/// The parts of which a condition is true, false and unknown.
fn parts(cond: &str) -> [String; 3] {
    [cond.to_owned(), format!("not ({cond})"), format!("({cond}) is null")]
}

/// Two ways to ask one thing; what differs, if something does. An error in one of them may be met or not.
async fn alike(c: &mut Client, one: Vec<String>, two: Vec<String>) -> Option<String> {
    let (a, b) = (together(c, &one).await, together(c, &two).await);
    match (a, b) {
        (Ok(a), Ok(b)) if a != b => {
            Some(format!("{}\n{}\n  {a:?}\n  {b:?}", one.join(";\n"), two.join(";\n")))
        }
        _ => None,
    }
}

/// One statement of each kind in turn.
async fn check(n: usize, rng: &mut Rng, (t, u): (&Made, &Made), c: &mut Client) -> Option<String> {
    let joined = rng.chance(0.4);
    let (tables, from) = match joined {
        true => {
            let on = condition(rng, &[t, u], 1);
            let kind = pick(rng, &["join", "left join"]);
            (vec![t, u], format!("t {kind} u on {on}"))
        }
        false => (vec![t], "t".to_owned()),
    };
    let cond = condition(rng, &tables, 2);
    let (column, _) = t.column(rng);
    let each = |select: &str, end: &str| {
        parts(&cond).map(|p| format!("select {select} from {from} where {p}{end}")).to_vec()
    };
    match n % 7 {
        0 => {
            let rows = if joined { "t.*, u.*" } else { "t.*" };
            alike(c, vec![format!("select {rows} from {from}")], each(rows, "")).await
        }
        1 => {
            let union: Vec<String> = each(&format!("distinct {column}"), "");
            alike(
                c,
                vec![format!("select distinct {column} from {from}")],
                vec![union.join(" union ")],
            )
            .await
        }
        2 => {
            let sums = each("count(*) n, min(t.id) low, max(t.id) high, sum(t.id) s", "");
            let sums = format!(
                "select sum(n), min(low), max(high), sum(s) from ({}) z",
                sums.join(" union all ")
            );
            alike(
                c,
                vec![format!("select count(*), min(t.id), max(t.id), sum(t.id) from {from}")],
                vec![sums],
            )
            .await
        }
        3 => {
            let groups = each(
                &format!("{column} k, count(*) n, count(distinct t.id) d"),
                &format!(" group by {column}"),
            );
            let whole = format!("select {column}, count(*) from {from} group by {column}");
            let merged =
                format!("select k, sum(n) from ({}) z group by k", groups.join(" union all "));
            let counted =
                |sql: String| vec![format!("select count(*), sum(n) from ({sql}) y (k, n)")];
            alike(c, counted(whole), counted(merged)).await
        }
        4 | 5 => {
            let kept = format!("select count(*) from {from} where {cond}");
            let asked = format!(
                "select coalesce(sum(v), 0) from (select ({cond}) is true v from {from}) z"
            );
            alike(c, vec![kept], vec![asked]).await
        }
        _ => equivalent(rng, (t, u), c).await,
    }
}

/// Queries that may be written in another way.
async fn equivalent(rng: &mut Rng, (t, u): (&Made, &Made), c: &mut Client) -> Option<String> {
    let (p, q) = (condition(rng, &[t], 1), condition(rng, &[u], 1));
    let on = condition(rng, &[t, u], 1);
    let one = |sql: String| vec![sql];
    match rng.below(4) {
        0 => {
            let exists = format!(
                "select t.id from t where {p} and exists (select 1 from u where {on} and {q})"
            );
            let joined = format!("select distinct t.id from t join u on {on} where {p} and {q}");
            alike(c, one(exists), one(joined)).await
        }
        1 => {
            let missing = format!(
                "select t.id from t where {p} and not exists (select 1 from u where {on} and {q})"
            );
            let outer = format!(
                "select t.id from t left join u on {on} and {q} where {p} and u.id is null"
            );
            alike(c, one(missing), one(outer)).await
        }
        2 => {
            let (x, _) = t.column(rng);
            let filtered = format!(
                "select k, n from (select {x} k, count(*) n from t group by {x}) z where k is not null"
            );
            let grouped = format!("select {x}, count(*) from t where {x} is not null group by {x}");
            let counted =
                |sql: String| vec![format!("select count(*), sum(n) from ({sql}) y (k, n)")];
            alike(c, counted(filtered), counted(grouped)).await
        }
        _ => {
            let grouped = format!(
                "select u.id, sum(z.n) from u join (select c0, count(*) n from t where {p} group by c0) z on z.c0 = u.id where {q} group by u.id"
            );
            let lateral = format!(
                "select u.id, count(*) from u join t on t.c0 = u.id where {q} and ({p}) group by u.id"
            );
            alike(c, one(grouped), one(lateral)).await
        }
    }
}

#[test]
fn parts_make_the_whole() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let end = number("WEIR_META_SECONDS").map(|s| Instant::now() + Duration::from_secs(s));
    let first = number("WEIR_TEST_SEED").unwrap_or(1);
    for seed in first.. {
        if end.map_or(seed >= first + 4, |end| Instant::now() >= end) {
            break;
        }
        with_server(seed, move |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            let t = Made::of("t", &mut rng, &mut c).await;
            let u = Made::of("u", &mut rng, &mut c).await;
            // Every other seed reads by the leaf what can be.
            let batches = if seed.is_multiple_of(2) { "off" } else { "'always'" };
            c.rows(&format!("set weir_batches = {batches}")).await;
            let mut bad = Vec::new();
            for n in 0..140 {
                bad.extend(check(n, &mut rng, (&t, &u), &mut c).await);
            }
            assert!(bad.is_empty(), "seed {seed}, {} differ\n{}", bad.len(), bad.join("\n\n"));
            c.0.close().await;
        });
    }
}
