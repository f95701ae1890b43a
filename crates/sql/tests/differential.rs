//! The same rows with and without indexes must answer the same: random conditions over a table full of indexes are
//! compared with a copy that has none, so that no range, no index order and no join method can lose or invent a row.
mod common;

use common::*;
use std::fmt::Write;
use weir_rt::Rng;

const COLUMNS: &str = "(id int not null, a int, b smallint unsigned, c varchar(12), d decimal(6,2), \
                       e datetime, f double, g varbinary(8), h char(5)";

fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.below(from.len() as u64) as usize]
}

/// A constant for a column: mostly of its domain, now and then of another one.
fn constant(rng: &mut Rng, column: &str) -> String {
    if rng.chance(0.12) {
        let odd = [
            "null",
            "'abc'",
            "'3'",
            "2.5",
            "-1",
            "99999999999",
            "1e3",
            "''",
            "'2024-01-03'",
            "0",
            "-0.5",
            "true",
            "18446744073709551615",
            "-99999999999",
            "70000",
            "x'3431'",
        ];
        return pick(rng, &odd).to_string();
    }
    let n = rng.below(12);
    match column {
        "c" | "h" => format!("'{}'", word(rng)),
        "g" => format!("'{}'", pick(rng, &["a", "A", "ab", "b", "", "a\\0"])),
        "d" => format!("{}.{}", n as i64 - 6, rng.below(4) * 25),
        "e" => format!("'2024-01-{:02} {:02}:00:00'", 1 + n, rng.below(3) * 10),
        "f" => format!("{}", (n as f64 - 6.0) / 2.0),
        "a" => format!("{}", n as i64 - 4),
        "id" => format!("{}", rng.below(220)),
        _ => format!("{n}"),
    }
}

fn word(rng: &mut Rng) -> String {
    let mut w = String::new();
    for _ in 0..rng.below(4) {
        w.push_str(pick(rng, &["a", "B", "b", " ", "c", "é", "%"]));
    }
    w
}

fn condition(rng: &mut Rng, t: &str, depth: u32) -> String {
    if depth > 0 && rng.chance(0.55) {
        let n = 2 + rng.below(2);
        let joint = pick(rng, &[" and ", " and ", " or "]);
        let parts: Vec<String> = (0..n).map(|_| condition(rng, t, depth - 1)).collect();
        let not = if rng.chance(0.1) { "not " } else { "" };
        return format!("{not}({})", parts.join(joint));
    }
    let col = pick(rng, &["id", "a", "b", "c", "d", "e", "f", "g", "h"]);
    let x = constant(rng, col);
    match rng.below(12) {
        0..=3 => format!("{t}.{col} {} {x}", pick(rng, &["=", "=", "<=>", "<>"])),
        4..=6 => format!("{t}.{col} {} {x}", pick(rng, &["<", "<=", ">", ">="])),
        7 => format!("{x} {} {t}.{col}", pick(rng, &["=", "<", "<=", ">", ">="])),
        8 => {
            let y = constant(rng, col);
            format!("{t}.{col} {}between {x} and {y}", pick(rng, &["", "", "not "]))
        }
        9 => {
            let list: Vec<String> = (0..1 + rng.below(5)).map(|_| constant(rng, col)).collect();
            format!("{t}.{col} {}in ({})", pick(rng, &["", "", "not "]), list.join(","))
        }
        10 => format!("{t}.{col} is {}null", pick(rng, &["", "not "])),
        _ => {
            let pattern = word(rng);
            let tail = pick(rng, &["%", "%", "_", ""]);
            format!("{t}.{} like '{pattern}{tail}'", pick(rng, &["c", "h", "c", "g"]))
        }
    }
}

fn row(rng: &mut Rng, id: u64) -> String {
    let mut out = format!("({id}");
    for col in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let v = if rng.chance(0.1) { "null".to_string() } else { plain(rng, col) };
        let _ = write!(out, ",{v}");
    }
    out + ")"
}

fn plain(rng: &mut Rng, col: &str) -> String {
    loop {
        let v = constant(rng, col);
        // What the column takes without an error.
        let fits = match col {
            "c" | "g" | "h" => v.starts_with('\'') && v.chars().count() <= 7,
            "e" => v.starts_with("'2024"),
            "b" => v.len() <= 2 && v.parse::<u32>().is_ok(),
            "a" => v.parse::<i32>().is_ok(),
            "d" => v.len() <= 6 && v.parse::<f64>().is_ok_and(|x| x.abs() < 100.0),
            _ => v.len() < 6 && v.parse::<f64>().is_ok(),
        };
        if fits {
            return v;
        }
    }
}

/// Answers of a statement over the table with indexes and over the one without. Gives whether one was an error.
async fn both(c: &mut Client, sql: &str, ordered: bool) -> Result<bool, String> {
    let mut one = c.ask(&sql.replace('#', "t")).await;
    let mut two = c.ask(&sql.replace('#', "u")).await;
    if !ordered {
        one.rows.sort();
        two.rows.sort();
    }
    let same = match (&one.error, &two.error) {
        (None, None) => one.rows == two.rows && one.affected == two.affected,
        (Some(a), Some(b)) => a.0 == b.0,
        _ => false,
    };
    if same {
        return Ok(one.error.is_some() || two.error.is_some());
    }
    let plan = c.ask(&format!("explain {}", sql.replace('#', "t"))).await.line();
    Err(format!(
        "{}\n  indexed {}\n  plain   {}\n  plan    {plan}\n",
        sql.replace('#', "t"),
        one.line(),
        two.line()
    ))
}

async fn tables(c: &mut Client, rng: &mut Rng) {
    let indexes = "primary key(id), key(a), key(b,a), unique key(c,id), key(d desc), key(e), key(f), key(g), \
                   key hp (h(2)), key(a,c,e), key ac(a desc, b)";
    c.rows(&format!("create table t {COLUMNS}, {indexes})")).await;
    c.rows(&format!("create table u {COLUMNS})")).await;
    for first in (0..200).step_by(20) {
        let rows: Vec<String> = (first..first + 20).map(|id| row(rng, id)).collect();
        for t in ["t", "u"] {
            c.rows(&format!("insert into {t} values {}", rows.join(","))).await;
        }
    }
    c.rows("analyze table t").await;
}

/// Seeds to run: one of the environment, else these.
fn seeds(n: u64) -> Vec<u64> {
    match std::env::var("WEIR_TEST_SEED").ok().and_then(|s| s.parse().ok()) {
        Some(seed) => vec![seed],
        None => (1..=n).collect(),
    }
}

#[test]
fn conditions_do_not_depend_on_indexes() {
    for seed in seeds(4) {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            tables(&mut c, &mut rng).await;
            let mut bad = Vec::new();
            for _ in 0..600 {
                let cond = condition(&mut rng, "x", 2);
                let sql = match rng.below(5) {
                    0 => {
                        // The order is made total, so that LIMIT cuts at the same row.
                        let col = pick(&mut rng, &["a", "b", "d", "e", "f", "a, b", "b, a"]);
                        let (dir, n) = (pick(&mut rng, &["", " desc"]), 1 + rng.below(9));
                        format!(
                            "select id from # x where {cond} order by {col}{dir}, id{dir} limit {n}"
                        )
                    }
                    1 => format!("select count(*), sum(a), min(id), max(e) from # x where {cond}"),
                    2 => format!(
                        "select a, count(*), max(f) from # x where {cond} group by a order by a"
                    ),
                    _ => format!("select id, a, c from # x where {cond}"),
                };
                let ordered = sql.contains("order by");
                bad.extend(both(&mut c, &sql, ordered).await.err());
            }
            assert!(bad.is_empty(), "seed {seed}, {} differ\n{}", bad.len(), bad.join("\n"));
            c.0.close().await;
        });
    }
}

/// Where the order of an index is used: the first entry for MIN and MAX, the column behind a constant for ORDER BY.
#[test]
fn orders_do_not_depend_on_indexes() {
    for seed in seeds(4) {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            tables(&mut c, &mut rng).await;
            let mut bad = Vec::new();
            let mut away = 0;
            for _ in 0..400 {
                let (p, q) = (condition(&mut rng, "x", 0), condition(&mut rng, "x", 0));
                let cond = pick(&mut rng, &["true", &p, &p, &format!("{p} and {q}")]).to_string();
                let one = ["id", "a", "b", "d", "e", "f", "g"];
                let sql = if rng.chance(0.5) {
                    let (m, n) = (pick(&mut rng, &one), pick(&mut rng, &one));
                    format!("select min({m}), max({n}) from # x where {cond}")
                } else {
                    let (dir, n) = (pick(&mut rng, &["", " desc"]), 1 + rng.below(5));
                    let col = pick(&mut rng, &one);
                    let first = pick(&mut rng, &["a", "b", "c"]);
                    let x = constant(&mut rng, first);
                    format!(
                        "select id, {col} from # x where {first} = {x} order by {col}{dir}, id{dir} limit {n}"
                    )
                };
                bad.extend(both(&mut c, &sql, true).await.err());
                let plan = c.ask(&format!("explain {}", sql.replace('#', "t"))).await.line();
                away += u32::from(plan.contains("optimized away"));
            }
            assert!(bad.is_empty(), "seed {seed}, {} differ\n{}", bad.len(), bad.join("\n"));
            assert!(away > 20, "{away} answers came from the ends of an index");
            c.0.close().await;
        });
    }
}

#[test]
fn joins_and_subqueries_do_not_depend_on_indexes() {
    for seed in seeds(3) {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            tables(&mut c, &mut rng).await;
            let mut bad = Vec::new();
            for _ in 0..150 {
                let (p, q) = (condition(&mut rng, "x", 1), condition(&mut rng, "y", 1));
                let col = pick(&mut rng, &["id", "a", "b", "c", "d", "e", "f", "g", "h"]);
                let narrow = "x.id < 60 and y.id between 20 and 90";
                let sql = match rng.below(8) {
                    0 | 1 => format!(
                        "select x.id, y.id from # x join # y on x.{col} = y.{col} where {p} and {narrow}"
                    ),
                    2 => format!(
                        "select x.id, y.id from # x left join # y on x.{col} = y.{col} and {q} where {p}"
                    ),
                    3 => format!(
                        "select x.id, y.id from # x left join # y on x.{col} = y.id where {q} or y.id is null"
                    ),
                    4 => format!(
                        "select id from # x where {col} {}in (select {col} from # y where {q})",
                        pick(&mut rng, &["", "not "])
                    ),
                    5 => format!(
                        "select id from # x where {}exists (select 1 from # y where y.{col} = x.{col} and {q})",
                        pick(&mut rng, &["", "not "])
                    ),
                    6 => format!(
                        "select id, (select max(id) from # y where y.a = x.{col} and {q}) from # x where {p}"
                    ),
                    _ => format!(
                        "select id from # x where {col} {} {} (select {col} from # y where {q})",
                        pick(&mut rng, &["<", ">=", "=", "<>"]),
                        pick(&mut rng, &["any", "all"])
                    ),
                };
                bad.extend(both(&mut c, &sql, false).await.err());
            }
            assert!(bad.is_empty(), "seed {seed}, {} differ\n{}", bad.len(), bad.join("\n"));
            c.0.close().await;
        });
    }
}

#[test]
fn changes_do_not_depend_on_indexes() {
    for seed in seeds(3) {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            tables(&mut c, &mut rng).await;
            // A WHERE that compares text with numbers is an error in a strict change, at whichever row comes first.
            c.rows("set sql_mode = ''").await;
            let mut bad = Vec::new();
            for n in 0..120 {
                let cond = condition(&mut rng, "x", 1);
                let col = pick(&mut rng, &["a", "b", "c", "d", "e", "f", "g", "h"]);
                let value = plain(&mut rng, col);
                let sql = match rng.below(6) {
                    0 => format!("delete from # as x where x.id % 7 = {} and ({cond})", n % 7),
                    1 => format!("update # x set a = a + 1, b = b + 1 where {cond}"),
                    2 => format!(
                        "update # x set x.id = x.id + 1000 where {cond} order by id desc limit 3"
                    ),
                    3 => format!(
                        "update # x join # y on x.id = y.id + 1 set x.{col} = y.{col} where {cond}"
                    ),
                    _ => {
                        format!("update # x set {col} = {value} where {cond} order by id limit 10")
                    }
                };
                c.rows("begin").await;
                let told = both(&mut c, &sql, true).await;
                // An error that only one of them met leaves them different: neither is kept.
                c.rows(if told == Ok(true) { "rollback" } else { "commit" }).await;
                bad.extend(told.err());
                if let Err(e) = both(&mut c, "select * from # order by id", true).await {
                    bad.push(format!("after {sql}\n{e}"));
                }
                if !bad.is_empty() {
                    break;
                }
            }
            assert!(bad.is_empty(), "seed {seed}\n{}", bad.join("\n"));
            assert_eq!(
                c.rows("check table t").await,
                "test.t|check|status|OK",
                "indexes and rows agree"
            );
            c.0.close().await;
        });
    }
}
