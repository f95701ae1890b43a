//! The same rows with and without indexes must answer the same: random conditions over a table full of indexes are
//! compared with a copy that has none, so that no range, no index order and no join method can lose or invent a row.
use crate::common::*;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use weir_rt::Rng;

const COLUMNS: &str = "(id int not null, a int, b smallint unsigned, c varchar(12), d decimal(6,2), \
                       e datetime, f double, g varbinary(8), h char(5), i bigint unsigned, j bigint, \
                       p varchar(12) collate utf8mb4_0900_ai_ci, q varchar(12) collate utf8mb4_unicode_ci";

const ALL: [&str; 13] = ["id", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "p", "q"];

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
            "@n",
            "@d",
            "@s",
            "@z",
            "9223372036854775808",
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
        "i" if rng.chance(0.3) => format!("{}", u64::MAX - n / 2),
        "i" if rng.chance(0.3) => format!("{}", (1 << 63) + n / 2 - 2),
        "j" if rng.chance(0.3) => format!("{}", i64::MIN + n as i64 / 2),
        "j" => format!("{}", n as i64 - 4),
        "p" | "q" => format!("'{}'", uca_word(rng)),
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

/// Texts that are equal, or begin equally, in ways that a byte-wise look does not see.
fn uca_word(rng: &mut Rng) -> String {
    const PIECES: [&str; 16] = [
        "a", "A", "ä", "ß", "ss", "s", "æ", "ae", "\u{301}", "é", " ", "z", "-", "\u{ad}", "中",
        "😀",
    ];
    (0..rng.below(4)).map(|_| pick(rng, &PIECES)).collect()
}

fn condition(rng: &mut Rng, t: &str, depth: u32) -> String {
    if depth > 0 && rng.chance(0.55) {
        let n = 2 + rng.below(2);
        let joint = pick(rng, &[" and ", " and ", " or "]);
        let parts: Vec<String> = (0..n).map(|_| condition(rng, t, depth - 1)).collect();
        let not = if rng.chance(0.1) { "not " } else { "" };
        return format!("{not}({})", parts.join(joint));
    }
    let col = pick(rng, &ALL);
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
            let col = pick(rng, &["c", "h", "c", "g", "p", "q"]);
            let pattern = if matches!(col, "p" | "q") { uca_word(rng) } else { word(rng) };
            let tail = pick(rng, &["%", "%", "_", ""]);
            format!("{t}.{col} like '{pattern}{tail}'")
        }
    }
}

fn row(rng: &mut Rng, id: u64) -> String {
    let mut out = format!("({id}");
    for col in &ALL[1..] {
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
            "p" | "q" => v.starts_with('\'') && !v.starts_with("'2024"),
            "i" => v.parse::<u64>().is_ok(),
            "j" => v.parse::<i64>().is_ok(),
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
    let (t, u) = (sql.replace('#', "t"), sql.replace('#', "u"));
    alike(c, &t, &u, ordered).await
}

/// As `both`, of any two statements.
async fn alike(c: &mut Client, t: &str, u: &str, ordered: bool) -> Result<bool, String> {
    let mut one = c.ask(t).await;
    let mut two = c.ask(u).await;
    if !ordered {
        one.rows.sort();
        two.rows.sort();
    }
    let same = match (&one.error, &two.error) {
        (None, None) => one.rows == two.rows && one.affected == two.affected,
        (Some(a), Some(b)) => a.0 == b.0,
        // A text that is no date is met on the row, and an index may lead past it.
        (Some((1525, _)), None) | (None, Some((1525, _))) => true,
        _ => false,
    };
    if same {
        switched(c, t, &one, ordered).await?;
        return Ok(one.error.is_some() || two.error.is_some());
    }
    let plan = c.ask(&format!("explain {t}")).await.line();
    let (one, two) = (one.line(), two.line());
    Err(format!("{t}\n{u}\n  indexed {one}\n  plain   {two}\n  plan    {plan}\n"))
}

/// Flags of `optimizer_switch` that the planner reads. The twin without indexes stands for plans without index access.
/// By default small tables are read by the leaf as well.
const SWITCHES: [&str; 18] = [
    "optimizer_switch = 'default,derived_merge=off'",
    "optimizer_switch = 'default,block_nested_loop=off'",
    "optimizer_switch = 'default,hash_join=off'",
    "optimizer_switch = 'default,semijoin=off'",
    "optimizer_switch = 'default,materialization=off'",
    "optimizer_switch = 'default,index_condition_pushdown=off'",
    "optimizer_switch = 'default,derived_condition_pushdown=off'",
    "optimizer_switch = 'default,prefer_ordering_index=off'",
    "optimizer_switch = 'default,index_merge=off'",
    "optimizer_switch = 'default,index_merge_union=off'",
    "optimizer_switch = 'default,index_merge_sort_union=off'",
    "optimizer_switch = 'default,index_merge_intersection=off'",
    "optimizer_switch = 'default,negation_pushdown=off'",
    "optimizer_switch = 'default,outer_to_inner=off'",
    "optimizer_switch = 'default,or_factoring=off'",
    "optimizer_switch = 'default,or_table_filters=off'",
    "optimizer_switch = 'default,equality_propagation=off'",
    "weir_batches = off",
];

/// A query answers the same with each of the planner's switches off: one switch for each query in turn, and all of them in long runs.
async fn switched(c: &mut Client, sql: &str, answer: &Answer, ordered: bool) -> Result<(), String> {
    if !sql.trim_start().starts_with("select") {
        return Ok(());
    }
    static TURN: AtomicUsize = AtomicUsize::new(0);
    let turn = TURN.fetch_add(1, Ordering::Relaxed) % SWITCHES.len();
    let chosen = match std::env::var_os("WEIR_SEEDS") {
        Some(_) => &SWITCHES[..],
        None => &SWITCHES[turn..=turn],
    };
    for off in chosen {
        c.rows(&format!("set {off}")).await;
        let mut other = c.ask(sql).await;
        if !ordered {
            other.rows.sort();
        }
        let same = match (&answer.error, &other.error) {
            (None, None) => answer.rows == other.rows,
            (Some(a), Some(b)) => a.0 == b.0,
            // As above: when a condition is asked decides which rows it meets.
            (Some((1525, _)), None) | (None, Some((1525, _))) => true,
            _ => false,
        };
        if !same {
            let plan = c.ask(&format!("explain {sql}")).await.line();
            let (one, two) = (answer.line(), other.line());
            return Err(format!("{sql}\n  usual {one}\n  {off} {two}\n  plan  {plan}\n"));
        }
    }
    c.rows("set optimizer_switch = 'default', weir_batches = 'always'").await;
    Ok(())
}

async fn tables(c: &mut Client, rng: &mut Rng) {
    let indexes = "primary key(id), key(a), key(b,a), unique key(c,id), key(d desc), key(e), key(f), key(g), \
                   key hp (h(2)), key(a,c,e), key ac(a desc, b), key(i), key ij(i desc, j), key baj(b,a,j), \
                   key(j), key(p), key(q,a), key pp(p(2)), key qp(q(2),b), key pd(p desc, i), \
                   key qd(b desc, q desc)";
    c.rows(&format!("create table t {COLUMNS}, {indexes})")).await;
    c.rows(&format!("create table u {COLUMNS})")).await;
    for first in (0..200).step_by(20) {
        let rows: Vec<String> = (first..first + 20).map(|id| row(rng, id)).collect();
        for t in ["t", "u"] {
            c.rows(&format!("insert into {t} values {}", rows.join(","))).await;
        }
    }
    c.rows("analyze table t").await;
    c.rows("set @n = 3, @d = 2.5, @s = '4', @z = null, weir_batches = 'always'").await;
}

/// Seeds to run: one (WEIR_TEST_SEED) or so many (WEIR_SEEDS) of the environment, else these.
fn seeds(n: u64) -> Vec<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    match number("WEIR_TEST_SEED") {
        Some(seed) => vec![seed],
        None => (1..=number("WEIR_SEEDS").unwrap_or(n)).collect(),
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
                        let col = pick(
                            &mut rng,
                            &[
                                "a", "b", "d", "e", "f", "a, b", "b, a", "i", "j", "p", "q",
                                "b, a, j",
                            ],
                        );
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

/// A condition in WHERE, which rules rewrite and indexes serve, keeps the rows for which it is true where it is a column of the result.
#[test]
fn conditions_do_not_depend_on_rules() {
    for seed in seeds(4) {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed + 1_000);
            let mut c = server.client();
            tables(&mut c, &mut rng).await;
            let mut bad = Vec::new();
            for n in 0..150 {
                let (p, q) = (condition(&mut rng, "x", 2), condition(&mut rng, "y", 1));
                let col = pick(&mut rng, &["a", "b", "c", "d", "e", "i", "j", "p"]);
                let (from, within, cond) = match n % 5 {
                    // Two tables, equal columns written into each branch, and what follows from a chain of equalities.
                    0 => {
                        let r = condition(&mut rng, "x", 1);
                        let equal = format!("x.{col} = y.{col}");
                        let or = format!("({equal} and {r} and {q}) or ({equal} and not ({q}))");
                        ("# x join # y", "x.id < 60 and y.id < 40", format!("({or})"))
                    }
                    1 => {
                        let value = constant(&mut rng, col);
                        let chain = format!("x.{col} = y.{col} and y.{col} = z.{col}");
                        let few = "x.id < 12 and y.id < 40 and z.id < 12";
                        let end = format!("z.{col} = {value} and {q}");
                        ("# x join # y join # z", few, format!("{chain} and {end}"))
                    }
                    _ => ("# x", "true", p),
                };
                let searched =
                    format!("select count(*), sum(x.id) from {from} where {within} and {cond}");
                let asked = format!(
                    "select coalesce(sum(v), 0), sum(if(v, id, null)) from (select x.id, ({cond}) is true v from {from} where {within}) w"
                );
                let (t, u) = (searched.replace('#', "t"), asked.replace('#', "u"));
                bad.extend(alike(&mut c, &t, &u, false).await.err());
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
                let one = ["id", "a", "b", "d", "e", "f", "g", "i", "j"];
                let sql = if rng.chance(0.05) {
                    // More combinations than ranges are made of.
                    let list = |from: i64, n: i64| {
                        let all: Vec<String> = (from..from + n).map(|v| v.to_string()).collect();
                        all.join(",")
                    };
                    let (low, n) = (rng.below(6) as i64 - 4, 26 + rng.below(3) as i64);
                    let order = pick(&mut rng, &["b, a, j", "b desc, a desc, j desc", "b", "j, a"]);
                    let end = if order.ends_with("desc") { "id desc" } else { "id" };
                    format!(
                        "select id, b, a, j from # x where b in ({}) and a in ({}) and j in ({}) order by {order}, {end}{}",
                        list(low + 4, n),
                        list(low, n),
                        list(low, n),
                        pick(&mut rng, &["", " limit 4"])
                    )
                } else if rng.chance(0.5) {
                    let (m, n) = (pick(&mut rng, &one), pick(&mut rng, &one));
                    format!("select min({m}), max({n}) from # x where {cond}")
                } else {
                    let (dir, n) = (pick(&mut rng, &["", " desc"]), 1 + rng.below(5));
                    let col = pick(&mut rng, &one);
                    let first = pick(&mut rng, &["a", "b", "c", "i", "q"]);
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
                let col = pick(&mut rng, &ALL);
                let other = pick(&mut rng, &ALL);
                let narrow = "x.id < 60 and y.id between 20 and 90";
                let sql = match rng.below(10) {
                    8 => format!(
                        "select x.id, y.id from # x join # y on x.{col} = y.{other} where {p} and {narrow}"
                    ),
                    9 => format!(
                        "select x.id, y.id from # x left join # y on y.{other} between x.{col} and x.a and {q} where x.id < 40"
                    ),
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

/// Rows that wait for a sort as they are stored come out as those that wait as values, and as those of an index.
#[test]
fn sorts_do_not_depend_on_where_rows_wait() {
    for seed in seeds(3) {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            tables(&mut c, &mut rng).await;
            // More rows than a sort keeps of a LIMIT, and than DISTINCT looks through at once.
            for t in ["t", "u"] {
                for n in 1..13 {
                    c.rows(&format!(
                        "insert into {t} select id + {}, a, b + {n} % 3, c, d, e, f, g, h, i, j, p, q from {t} where id < 200",
                        200 * n
                    ))
                    .await;
                }
            }
            let mut bad = Vec::new();
            for _ in 0..100 {
                let mut cols: Vec<&str> = Vec::new();
                for _ in 0..1 + rng.below(3) {
                    // One text for all that are equal, or DISTINCT may choose.
                    cols.push(pick(&mut rng, &["a", "b", "e", "g", "i", "j"]));
                }
                cols.sort_unstable();
                cols.dedup();
                let distinct = rng.chance(0.5);
                let mut keys: Vec<String> = Vec::new();
                let keyed = if distinct { cols.clone() } else { ALL.to_vec() };
                for _ in 0..2 {
                    let key = pick(&mut rng, &keyed);
                    keys.push(format!("{key}{}", pick(&mut rng, &["", " desc"])));
                }
                if distinct {
                    keys.extend(cols.iter().map(|c| c.to_string()));
                } else {
                    keys.push("id".into());
                }
                let cond =
                    if rng.chance(0.5) { "true".into() } else { condition(&mut rng, "x", 1) };
                let limit = match rng.below(3) {
                    0 => format!("limit {}, {}", rng.below(20), 1 + rng.below(50)),
                    1 => format!("limit {}", 1 + rng.below(1500)),
                    _ => "limit 1000000".to_string(),
                };
                let what = if distinct { "distinct " } else { "" };
                let sql = format!(
                    "select {what}{} from # x where {cond} order by {} {limit}",
                    cols.join(","),
                    keys.join(",")
                );
                bad.extend(both(&mut c, &sql, true).await.err());
                let (t, u) = (sql.replace('#', "t"), sql.replace('#', "u"));
                bad.extend(alike(&mut c, &t, &format!("select * from ({u}) d"), true).await.err());
            }
            assert!(bad.is_empty(), "seed {seed}, {} differ\n{}", bad.len(), bad.join("\n"));
            c.0.close().await;
        });
    }
}

/// An older version of a row is not where the index has the row now.
#[test]
fn snapshots_do_not_depend_on_indexes() {
    for seed in seeds(3) {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let (mut c, mut writer) = (server.client(), server.client());
            tables(&mut c, &mut rng).await;
            writer.rows("set sql_mode = ''").await;
            let mut bad = Vec::new();
            for _ in 0..6 {
                c.rows("start transaction with consistent snapshot").await;
                for n in 0..20 {
                    let col = pick(&mut rng, &["a", "b", "c", "d", "e", "i", "j", "p", "q"]);
                    let value = plain(&mut rng, col);
                    let id = rng.below(200);
                    let sql = match n % 5 {
                        0 => format!("delete from # where id = {id}"),
                        1 => format!("insert ignore into # (id, {col}) values ({id}, {value})"),
                        _ => format!("update # set {col} = {value} where id % 13 = {}", id % 13),
                    };
                    for t in ["t", "u"] {
                        // The table without indexes has no key to refuse a second row.
                        let sql = match (n % 5, t) {
                            (1, "u") => format!(
                                "insert into u (id, {col}) select {id}, {value} from dual \
                                 where not exists (select 1 from u where id = {id})"
                            ),
                            _ => sql.replace('#', t),
                        };
                        writer.ask(&sql).await;
                    }
                }
                for _ in 0..40 {
                    let cond = condition(&mut rng, "x", 1);
                    let sql = match rng.below(3) {
                        0 => format!("select count(*), min(a), max(i) from # x where {cond}"),
                        1 => format!(
                            "select min(a), max(j) from # x where {}",
                            condition(&mut rng, "x", 0)
                        ),
                        _ => format!("select id, a, i from # x where {cond}"),
                    };
                    bad.extend(both(&mut c, &sql, false).await.err());
                    if rng.chance(0.2) {
                        // What is there now, with locks.
                        bad.extend(both(&mut c, &format!("{sql} for update"), false).await.err());
                    }
                }
                c.rows("commit").await;
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
                let col = pick(&mut rng, &ALL[1..]);
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
