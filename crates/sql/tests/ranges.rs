//! Ranges of an index hold every row that the condition alone would find: the same statement is asked with an index forced
//! and with all of them ignored. Values and constants stand close to each other and to the edges of the types, where a
//! comparison as decimals, doubles and single floats gives different answers.
use crate::common::*;
use weir_rt::Rng;

/// Name, type, and the index that is searched.
const COLUMNS: [(&str, &str); 9] = [
    ("f", "float"),
    ("g", "double"),
    ("m", "decimal(9,3)"),
    ("w", "decimal(40,20)"),
    ("z", "decimal(65,0)"),
    ("b", "bigint"),
    ("u", "bigint unsigned"),
    ("i", "int"),
    ("t", "tinyint unsigned"),
];

fn pick<'a>(rng: &mut Rng, from: &[&'a str]) -> &'a str {
    from[rng.below(from.len() as u64) as usize]
}

/// Numbers that many others are next to.
fn near(rng: &mut Rng) -> f64 {
    let base = match rng.below(9) {
        0 => 1004.85,
        1 => 16_777_216.0,
        2 => 9_007_199_254_740_992.0,
        3 => 9_223_372_036_854_775_807.0,
        4 => 18_446_744_073_709_551_615.0,
        5 => f64::from(f32::MAX),
        6 => f64::from(f32::MIN_POSITIVE),
        7 => rng.below(300) as f64 / 8.0,
        _ => (rng.below(200_000) as f64) / 1000.0,
    };
    let x = match rng.below(5) {
        0 => base.next_up(),
        1 => base.next_down(),
        2 => f64::from(base as f32),
        3 => f64::from((base as f32).next_up()).min(f64::from(f32::MAX)),
        _ => base,
    };
    if rng.chance(0.3) { -x } else { x }
}

/// A constant of SQL: decimal digits, with an exponent, as a text, an integer; at the ends of the types and beyond.
fn constant(rng: &mut Rng) -> String {
    let x = near(rng);
    // A point: digits alone are an integer, whose negative must be one as well.
    let digits = if x.fract() == 0.0 { format!("{x}.0") } else { format!("{x}") };
    match rng.below(8) {
        0 | 1 if digits.len() < 60 => digits,
        2 => format!("{x:e}"),
        3 => format!("'{x:e}'"),
        4 if digits.len() < 60 => format!("'{digits}'"),
        5 => format!("{:.0}", x.clamp(-9e18, 1e20)),
        6 => format!("cast('{x:e}' as double)"),
        _ => pick(
            rng,
            &[
                "0",
                "-0e0",
                "1e-50",
                "-1e-50",
                "1e-320",
                "3.4028235677973366e38",
                "-3.4028236e38",
                "1e300",
                "-1e300",
                "null",
                "255.5",
                "-0.5",
                "2147483647.5",
                "-99999999999999999999999999999999999999999",
                "99999999999999999999999999999999999999999.5",
                "9223372036854775807.5",
                "1004.8499755859375",
                "'abc'",
                "@d",
                "@f",
            ],
        )
        .to_string(),
    }
}

fn comparison(rng: &mut Rng, col: &str) -> String {
    let x = constant(rng);
    match rng.below(8) {
        0 => format!("x.{col} between {x} and {}", constant(rng)),
        1 => format!("x.{col} in ({x}, {}, {})", constant(rng), constant(rng)),
        2 => format!("{x} {} x.{col}", pick(rng, &["<", "<=", ">", ">=", "="])),
        3 => format!("x.{col} <=> {x}"),
        _ => format!("x.{col} {} {x}", pick(rng, &["<", "<=", ">", ">=", "="])),
    }
}

/// A table with each column alone in an index, and several together.
async fn numbers(c: &mut Client, rng: &mut Rng) {
    let mut sql = "create table t (id int primary key".to_string();
    for (n, ty) in COLUMNS {
        sql += &format!(", {n} {ty}, key {n} ({n})");
    }
    sql += ", key fi (f, i), key tfi (t, f, i), key td (t desc, m desc, i), key it (i, t, g))";
    c.rows(&sql).await;
    c.rows("set sql_mode = '', @d = 1004.85, @f = 1004.85e0").await;
    for id in 0..250 {
        let mut row = format!("{id}");
        for (n, _) in COLUMNS {
            let x = near(rng);
            row += &match n {
                _ if rng.chance(0.05) => ", null".to_string(),
                // Few values, so that several rows have the same ones.
                "i" | "t" if rng.chance(0.8) => format!(", {}", rng.below(6)),
                "g" => format!(", {x:e}"),
                _ => format!(", '{x}'"),
            };
        }
        c.rows(&format!("insert into t values ({row})")).await;
    }
    c.rows("analyze table t").await;
}

/// Both answers, and the plan of the first.
async fn compared(c: &mut Client, index: &str, cond: &str, tail: &str) -> (String, bool) {
    let indexed =
        format!("select id, f, t, i, m from t x force index ({index}) where {cond} {tail}");
    let plain = format!(
        "select id, f, t, i, m from t x ignore index (f,g,m,w,z,b,u,i,t,fi,tfi,td,it) where {cond} {tail}"
    );
    let (mut one, mut two) = (c.ask(&indexed).await, c.ask(&plain).await);
    if tail.is_empty() {
        one.rows.sort();
        two.rows.sort();
    }
    let plan = c.ask(&format!("explain {indexed}")).await.line();
    if one.line() == two.line() {
        return (String::new(), plan.contains("|range|") || plan.contains("|ref|"));
    }
    (format!("{indexed}\n  indexed {}\n  plain   {}\n  {plan}\n", one.line(), two.line()), false)
}

#[test]
fn a_range_loses_no_row() {
    for seed in 1..4 {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            numbers(&mut c, &mut rng).await;
            let (mut bad, mut ranges) = (String::new(), 0);
            for _ in 0..700 {
                let col = COLUMNS[rng.below(9) as usize].0;
                let cond = comparison(&mut rng, col);
                let (wrong, ranged) = compared(&mut c, col, &cond, "").await;
                bad += &wrong;
                ranges += u32::from(ranged);
            }
            assert!(bad.is_empty(), "seed {seed}\n{bad}");
            assert!(ranges > 600, "seed {seed}: {ranges} of 700 conditions were ranges");
            c.0.close().await;
        });
    }
}

/// Where to go on in a composite index is an OR over its columns.
fn start_behind(rng: &mut Rng, columns: &[&str]) -> String {
    let values: Vec<String> = columns
        .iter()
        .map(|c| match *c {
            "i" | "t" if rng.chance(0.9) => rng.below(6).to_string(),
            _ => constant(rng),
        })
        .collect();
    let mut branches = Vec::new();
    let down = rng.chance(0.2);
    for n in (0..columns.len()).rev() {
        let mut all: Vec<String> =
            (0..n).map(|k| format!("{} = {}", columns[k], values[k])).collect();
        let last = if n + 1 == columns.len() { [">=", "<="] } else { [">", "<"] };
        all.push(format!("{} {} {}", columns[n], last[usize::from(down)], values[n]));
        branches.push(format!("({})", all.join(" and ")));
    }
    if rng.chance(0.3) {
        branches.reverse();
    }
    branches.join(" or ")
}

#[test]
fn an_or_over_the_columns_of_an_index_is_ranges_of_it() {
    for seed in 1..4 {
        with_server(seed, |server| async move {
            let mut rng = Rng::new(seed);
            let mut c = server.client();
            numbers(&mut c, &mut rng).await;
            let (mut bad, mut ranges) = (String::new(), 0);
            for _ in 0..500 {
                let all: [(&str, &[&str], &str); 4] = [
                    ("fi", &["f", "i"], "f, i, id"),
                    ("tfi", &["t", "f", "i"], "t, f, i, id"),
                    ("td", &["t", "m", "i"], "t desc, m desc, i, id"),
                    ("it", &["i", "t", "g"], "i, t, g, id"),
                ];
                let (index, columns, order) = all[rng.below(4) as usize];
                let mut cond = start_behind(&mut rng, columns);
                match rng.below(6) {
                    0 => cond = format!("({cond}) and {}", comparison(&mut rng, columns[0])),
                    1 => cond = format!("({cond}) and {} = {}", columns[0], rng.below(6)),
                    2 => cond += &format!(" or {} in (1, 2)", columns[0]),
                    3 => {
                        let (a, b) = (comparison(&mut rng, columns[0]), columns[1]);
                        let (x, y) = (comparison(&mut rng, b), comparison(&mut rng, b));
                        cond = format!("{a} and ({x} or ({y} and ({cond})))");
                    }
                    _ => {}
                }
                let tail = match rng.below(3) {
                    0 => String::new(),
                    _ => format!("order by {order} limit {}", 1 + rng.below(20)),
                };
                let (wrong, ranged) = compared(&mut c, index, &cond, &tail).await;
                bad += &wrong;
                ranges += u32::from(ranged);
            }
            assert!(bad.is_empty(), "seed {seed}\n{bad}");
            assert!(ranges > 480, "seed {seed}: {ranges} of 500 conditions were ranges");
            c.0.close().await;
        });
    }
}

/// The queries of the insert benchmark as published: ranges of the index that is forced, from the row asked for on, without a sort.
#[test]
fn the_insert_benchmark_begins_where_it_asks_for() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows(
            "create table p (id int not null auto_increment, at datetime, reg int not null, cust int not null, \
             price float not null, primary key (id), key market (price, cust), key register (reg, price, cust), \
             key pdc (price, at, cust))",
        )
        .await;
        for from in (0..2000).step_by(100) {
            let rows: Vec<String> = (from..from + 100)
                .map(|n| {
                    let price = f64::from(n * 7919 % 150_000) / 100.0;
                    format!(
                        "('2024-01-01 00:00:{:02}', {}, {}, {price:.2})",
                        n % 60,
                        n % 10,
                        n % 97
                    )
                })
                .collect();
            c.rows(&format!("insert into p (at, reg, cust, price) values {}", rows.join(",")))
                .await;
        }
        c.rows("analyze table p").await;
        let cases = [
            (
                "price, cust",
                "market",
                "(price = 1004.85 and cust >= 40) or (price > 1004.85)",
                "price, cust",
                "8",
            ),
            (
                "reg, price, cust",
                "register",
                "(reg = 4 and price = 1004.85 and cust >= 40) or (reg = 4 and price > 1004.85) or (reg > 4)",
                "reg, price, cust",
                "12",
            ),
            (
                "price, at, cust",
                "pdc",
                "(price = 1004.85 and at = '2024-01-01 00:00:30' and cust >= 40) or \
                 (price = 1004.85 and at > '2024-01-01 00:00:30') or (price > 1004.85)",
                "price, at, cust",
                "13",
            ),
        ];
        for (what, index, cond, order, _) in cases {
            let forced = format!("select {what} from p force index ({index}) where {cond}");
            let plan = c.rows(&format!("explain {forced} limit 10")).await;
            assert!(plan.contains(&format!("|range|{index}|{index}|")), "{plan}");
            let read = async |c: &mut Client, sql: &str| {
                let count = async |c: &mut Client| {
                    let line = c.rows("show global status like 'Innodb_rows_read'").await;
                    line.rsplit('|').next().unwrap().parse::<u64>().unwrap()
                };
                let before = count(c).await;
                let answer = c.rows(sql).await;
                (answer, count(c).await - before)
            };
            let (got, rows) = read(&mut c, &format!("{forced} limit 10")).await;
            assert!(rows <= 40, "{rows} rows were read for ten of {index}");
            let (ordered, rows) =
                read(&mut c, &format!("{forced} order by {order}, id limit 10")).await;
            assert!(rows <= 40, "{rows} rows were read for ten of {index} in order");
            assert_eq!(got, ordered, "{index}");
            let plain =
                format!("select {what} from p ignore index (market, register, pdc) where {cond}");
            let right = c.rows(&format!("{plain} order by {order}, id limit 10")).await;
            assert_eq!(got, right, "{index}");
        }
        c.0.close().await;
    });
}
