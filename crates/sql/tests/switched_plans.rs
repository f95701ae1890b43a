//! Every query with each switch of the planner off, one at a time, and over the same rows without any index: the answers are the same. A
//! switch that changes no plan of the set would prove nothing, so each has to change some.
use crate::common::*;
use std::collections::BTreeMap;
use weir_rt::Rng;

/// Tables with indexes and their twins without, which have the same rows.
const SETUP: &[&str] = &[
    "create table t (id int primary key, a int, b int, c int, key (a), key (b), key (c))",
    "create table u (id int primary key, x int, y int)",
    "create table t_plain (id int, a int, b int, c int)",
    "create table u_plain (id int, x int, y int)",
    "insert into t with recursive n as (select 1 i union all select i + 1 from n where i < 900)
     select i, nullif(i % 40, 9), i % 37, i % 7 from n",
    "insert into u select id, a, nullif(b, 11) from t where id < 300",
    "insert into t_plain select * from t",
    "insert into u_plain select * from u",
    "set session cte_max_recursion_depth = 5000",
    "create table v (id int primary key, g tinyint not null, a int not null, key ga (g, a))",
    "create table v_plain (id int, g tinyint, a int)",
    "insert into v with recursive n as (select 1 i union all select i + 1 from n where i < 5000) select i, i % 5, i % 300 from n",
    "insert into v_plain select * from v",
    "analyze table t, u, v",
];

/// Shapes of queries; `#`, `~` and `^` are the tables, `?` a number that is drawn.
const SHAPES: [&str; 24] = [
    "select id from # where a = ? or b = ?",
    "select id from # where (a = ? or b = ?) and c > 1",
    "select id from # where a < 2 or b > 3?",
    "select id from # where a = ? and b = ?",
    "select x.id, y.id from # x join ~ y on x.b = y.x where x.c + y.y > ?",
    "select x.id, y.id from # x left join ~ y on x.c = y.y and y.x > ? where x.id < 90",
    "select id from # where b in (select x from ~)",
    "select id from # where b in (select x from ~ where y < ?) and c < 5",
    "select id from # where b not in (select x from ~ where y = ? and x is not null)",
    "select id from # x where exists (select 1 from ~ y where y.y = x.c and y.x = ?)",
    "select * from (select id, a from # where c < 5) d where id = ?",
    "with q as (select id, b from # where c = 2) select q.id from q join ~ y on y.id = q.id where q.b > ?",
    "select id from # where c > 2 order by a, id limit ?",
    "select id from # where b > ? order by a desc, id desc limit 2",
    "select * from (select a, count(*) n, max(b) m from # group by a) d where a = ?",
    "select * from (select a from # union select x from ~) d where a > ?",
    "select x.id from # x left join ~ y on x.id = y.id where x.a > ? and x.b + x.c > 9 and (y.y is null or y.y > x.c)",
    "select g, a from ^ where a = ?",
    "select x.id from # x straight_join ~ y on y.y = x.c where x.a > ? and x.b + x.c > 30",
    "select id from # where not (a <> ? or c < 2)",
    "select x.id from # x left join ~ y on x.b = y.x where y.y = ?",
    "select x.id from # x join ~ y on (x.id = y.id and x.b > ?) or (x.id = y.id and y.y > 20)",
    "select x.id from # x join ~ y on x.c = y.y where (x.a = ? and y.x < 9) or (x.a = 8 and y.x > 30)",
    "select x.id from # x join ~ y on y.id = x.id join # z on z.id = y.id where x.a + z.c > ? and x.id = 7",
];

/// Rules of Weir's own, which the variable shows only where they are off.
const RULES: [&str; 5] = [
    "negation_pushdown",
    "outer_to_inner",
    "or_factoring",
    "or_table_filters",
    "equality_propagation",
];

/// The flags that the planner reads: those that are set without a warning.
async fn flags(c: &mut Client) -> Vec<String> {
    let all = c.rows("select @@optimizer_switch").await;
    let mut read: Vec<String> = RULES.map(String::from).into();
    for flag in all.split(',').filter_map(|f| f.strip_suffix("=on")) {
        c.rows(&format!("set optimizer_switch = 'default,{flag}=off'")).await;
        if c.rows("show warnings").await.is_empty() {
            read.push(flag.to_string());
        }
    }
    c.rows("set optimizer_switch = default").await;
    read
}

async fn sorted(c: &mut Client, sql: &str) -> Vec<String> {
    let mut answer = c.ask(sql).await;
    assert!(answer.error.is_none(), "{sql}\n{}", answer.line());
    answer.rows.sort();
    answer.rows.iter().map(|row| format!("{row:?}")).collect()
}

async fn plan(c: &mut Client, sql: &str) -> String {
    let table = c.ask(&format!("explain {sql}")).await.line();
    table + &c.ask(&format!("explain format=tree {sql}")).await.line()
}

fn drawn(rng: &mut Rng, shape: &str) -> String {
    let mut sql = String::new();
    for part in shape.split_inclusive('?') {
        match part.strip_suffix('?') {
            Some(head) => sql += &format!("{head}{}", 1 + rng.below(7)),
            None => sql += part,
        }
    }
    sql
}

#[test]
fn every_switch_changes_plans_and_no_answer() {
    with_server(7, |server| async move {
        let mut rng = Rng::new(7);
        let mut c = server.client();
        c.all(SETUP).await;
        let flags = flags(&mut c).await;
        assert!(flags.len() >= RULES.len() + 12, "{flags:?}");
        let mut changed: BTreeMap<&str, u32> = flags.iter().map(|f| (f.as_str(), 0)).collect();
        for shape in SHAPES.iter().chain(&SHAPES) {
            let drawn = drawn(&mut rng, shape);
            let sql = drawn.replace('#', "t").replace('~', "u").replace('^', "v");
            let usual = sorted(&mut c, &sql).await;
            let plain = drawn.replace('#', "t_plain").replace('~', "u_plain");
            let plain = plain.replace('^', "v_plain");
            assert_eq!(sorted(&mut c, &plain).await, usual, "{sql} without indexes");
            let by = plan(&mut c, &sql).await;
            for (flag, count) in &mut changed {
                c.rows(&format!("set optimizer_switch = 'default,{flag}=off'")).await;
                assert_eq!(sorted(&mut c, &sql).await, usual, "{sql} without {flag}");
                *count += u32::from(plan(&mut c, &sql).await != by);
            }
            c.rows("set optimizer_switch = default").await;
        }
        let idle: Vec<&&str> = changed.iter().filter(|(_, n)| **n == 0).map(|(f, _)| f).collect();
        assert!(idle.is_empty(), "no plan of the set shows {idle:?}: {changed:?}");
        c.0.close().await;
    });
}
