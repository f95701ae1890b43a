//! Subqueries that look at the row around them: joined with it, or with their tables read once and found by hash. That the answers are right is
//! asked by comparing each with the same question in a form that leaves no choice: `(x = y) is true` is found by no hash and joined by nothing.
use crate::common::*;
use weir_rt::Rng;
use weir_sql::session_api::{
    ColumnMeta, KillKind, KillSwitch, OkInfo, OutValue, ResultSink, SinkError,
};

/// Rows read of tables that are read whole, tables read once and kept, and those too large for that.
const WORK: &str = "select group_concat(variable_value order by variable_name separator ' ') from performance_schema.session_status \
     where variable_name in ('Handler_read_rnd_next', 'Weir_join_kept', 'Weir_join_not_kept')";

async fn numbers(c: &mut Client) {
    c.all(&[
        "create table a (id int primary key, x int, y int)",
        "create table b (id int primary key, x int, z int)",
        "insert into a with recursive r as (select 1 n union all select n + 1 from r where n < 900) select n, n % 100, n % 7 from r",
        "insert into b with recursive r as (select 1 n union all select n + 1 from r where n < 400) select n, n % 200, n % 10 from r",
        "analyze table a, b",
    ])
    .await;
}

#[test]
fn a_table_of_a_subquery_is_read_once() {
    with_server(1, |server| async move {
        let mut c = server.client();
        numbers(&mut c).await;
        // 901 rows of a and 401 of b with the looks behind their ends.
        let cases = [
            ("select count(*) from a where exists (select 1 from b where b.x = a.x)", "900"),
            (
                "select count(*) from a where exists (select 1 from b where b.x = a.x and b.z = 3)",
                "90",
            ),
            (
                "select count(*) from a where not exists (select * from b where a.x = b.x and z = 3)",
                "810",
            ),
            ("select count(*) from a where y in (select z from b where b.x = a.x)", "90"),
            (
                "select sum(n) from (select (select count(*) from b where b.x = a.x and b.z < 5) n from a) t",
                "900",
            ),
            (
                "select count(*) from a where id = 3 or exists (select 1 from b where b.x = a.x and b.z = 3)",
                "90",
            ),
            (
                "select count(*) from a where (select max(id) from b where b.x = a.x) > 390 and 2 > y",
                "2",
            ),
            ("select count(*) from a where y not in (select z from b where b.x = a.x)", "810"),
            (
                "select count(*) from a where exists (select 1 from b where b.x = a.x and b.z > a.y)",
                "539",
            ),
        ];
        let within = (
            "select count(*) from a where y < (select count(*) from b where b.x = a.x and b.z > (select avg(z) from b))",
            "130",
        );
        for (sql, rows) in cases.into_iter().chain([within]) {
            c.check(&[("flush status", "ok 0"), (sql, rows)]).await;
            let work = c.rows(WORK).await;
            let read: u32 = work.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            // A run that ends with its first row reads no more than that, until all such runs have read about as much as there is.
            assert!((1302..1302 + 900).contains(&read), "{sql}: {work}");
        }
        c.check(&[
            ("flush status", "ok 0"),
            ("select (select count(*) from b where b.x = a.x) n from a order by id limit 3", "2; 2; 2"),
            (WORK, "404 1 0"),
            // What answers again each time is asked each time.
            (
                "select count(distinct n) > 9 from (select (select max(z) * 0 + (select rand()) from b where b.x = a.x) n from a) t",
                "1",
            ),
            // The first row ends it.
            ("flush status", "ok 0"),
            ("select id from a where id = 5 and (exists (select 1 from b where b.x = a.x) or y > 9)", "5"),
            (WORK, "5 0 0"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn what_is_told_of_it() {
    with_server(1, |server| async move {
        let mut c = server.client();
        numbers(&mut c).await;
        c.all(&[
            "create table k (id int primary key, x int, key (x))",
            "insert into k select id, id from a",
            "analyze table k",
        ])
        .await;
        let lines = |plan: String| {
            let of = |l: &str| {
                let cells: Vec<&str> = l.split('|').collect();
                [1, 2, 4, 11].map(|n| cells.get(n).copied().unwrap_or("").to_owned()).join(" ")
            };
            plan.split("; ")
                .fold(Vec::<String>::new(), |mut all, l| {
                    // Extra has the same separator.
                    match (l.contains('|'), all.last_mut()) {
                        (false, Some(last)) => last.push_str(&format!("; {l}")),
                        _ => all.push(l.to_owned()),
                    }
                    all
                })
                .iter()
                .map(|l| of(l))
                .collect::<Vec<_>>()
        };
        for (sql, want) in [
            (
                "explain select count(*) from a where exists (select 1 from b where b.x = a.x and b.z = 3)",
                vec![
                    "PRIMARY a ALL NULL",
                    "PRIMARY <subquery2> ALL Using where",
                    "MATERIALIZED b ALL Using where",
                ],
            ),
            // The smaller side is kept.
            (
                "explain select count(*) from b join a on b.x = a.x",
                vec![
                    "SIMPLE a ALL NULL",
                    "SIMPLE b ALL Using where; Using join buffer (hash join)",
                ],
            ),
            (
                "explain select count(*) from a where not exists (select 1 from b where b.x = a.x)",
                vec![
                    "PRIMARY a ALL NULL",
                    "PRIMARY <subquery2> ALL Using where",
                    "MATERIALIZED b ALL NULL",
                ],
            ),
            (
                "explain select (select count(*) from b where b.x = a.x) from a",
                vec![
                    "PRIMARY a ALL NULL",
                    "DEPENDENT SUBQUERY b ALL Using where; Using join buffer (hash join)",
                ],
            ),
            // An index that finds the rows is used where few rows ask.
            (
                "explain select (select count(*) from k where k.x = a.x) from a where a.id > 890 and exists (select 1 from k where k.x = a.x and id > 2)",
                vec![
                    "PRIMARY a range Using where",
                    "DEPENDENT SUBQUERY k ref Using where; Using index",
                    "DEPENDENT SUBQUERY k ref Using index",
                ],
            ),
        ] {
            let plan = c.rows(sql).await;
            assert_eq!(lines(plan.clone()), want, "{plan}");
        }
        c.0.close().await;
        drop(server);
    });
}

/// Columns whose values are compared in several ways.
const COLUMNS: [&str; 9] = [
    "i int",
    "j bigint unsigned",
    "f double",
    "d decimal(8, 2)",
    "s varchar(10) collate utf8mb4_0900_ai_ci",
    "g varchar(10) collate utf8mb4_general_ci",
    "t datetime",
    "n int not null",
    "u varchar(10) not null",
];

async fn random_tables(c: &mut Client, rng: &mut Rng) {
    c.rows("set sql_mode = ''").await;
    for (t, rows) in [("a", 40), ("b", 30), ("c", 12)] {
        c.rows(&format!("create table {t} (id int primary key, {})", COLUMNS.join(", "))).await;
        for id in 0..rows {
            let n = rng.below(7) as i64;
            let word = ["a", "A", "á", "b ", "b", "", "ß"][rng.below(7) as usize];
            let mut below = |n| rng.below(n);
            let values = [
                format!("{}", n - 3),
                format!("{}", below(5)),
                format!("{}", below(4)),
                format!("{}.50", below(4)),
                format!("'{word}'"),
                format!("'{word}'"),
                format!("'2024-01-0{} 00:00:00'", n + 1),
            ];
            let values: Vec<String> = (values.into_iter())
                .map(|v| if rng.below(6) == 0 { "null".to_owned() } else { v })
                .collect();
            let (n, u) = (rng.below(6), ["p", "P", "q", "q "][rng.below(4) as usize]);
            let values = format!("{}, {n}, '{u}'", values.join(", "));
            c.rows(&format!("insert into {t} values ({id}, {values})")).await;
        }
    }
}

#[test]
fn all_ways_to_ask_give_the_same_rows() {
    with_server(3, |server| async move {
        let mut c = server.client();
        let mut rng = Rng::new(26_11);
        random_tables(&mut c, &mut rng).await;
        let names: Vec<&str> = COLUMNS.iter().filter_map(|c| c.split(' ').next()).collect();
        let mut asked = 0;
        for round in 0..260 {
            let mut pick = || names[rng.below(names.len() as u64) as usize];
            let (p, q, v, w) = (pick(), pick(), pick(), pick());
            // Mostly columns that are compared in one kind.
            let (q, w) = if round % 4 == 0 { (q, w) } else { (p, v) };
            let further = [
                "",
                " and b.n > 2",
                " and b.n > a.n",
                " and b.i is not null",
                " and a.n > 1",
                " and b.u = a.u",
                " and b.id in (select c.id from c)",
                " and exists (select 1 from c where c.n = b.n and c.j = a.j)",
                " and b.n = (select max(n) from c where c.u = b.u)",
            ][rng.below(9) as usize];
            let from = ["b", "b join c z on z.n = b.n", "b left join c z on z.i = b.i and z.n > 1"]
                [rng.below(3) as usize];
            let question = |by: &str| match round % 10 {
                0 => format!("exists (select 1 from {from} where {by}{further})"),
                1 => format!("not exists (select * from {from} where {by}{further})"),
                2 => format!("a.{v} in (select b.{w} from {from} where {by}{further})"),
                3 => format!("a.{v} not in (select b.{w} from {from} where {by}{further})"),
                4 => format!("(select count(*) from {from} where {by}{further}) > 2"),
                5 => format!("(select max(b.id) from {from} where {by}{further}) > 9"),
                6 => format!("(a.n < 2 or exists (select 1 from {from} where {by}{further}))"),
                7 => {
                    format!("(a.{v} not in (select b.{w} from {from} where {by}{further})) is null")
                }
                8 => format!(
                    "(select b.id from {from} where {by}{further} order by b.id desc limit 1) > 9"
                ),
                _ => format!("a.id > all (select b.id from {from} where {by}{further})"),
            };
            let whole = |by: &str| {
                let cond = question(by);
                match round % 3 {
                    0 => format!("select a.id from a where {cond} order by 1"),
                    1 => format!("select a.id, {cond} from a order by 1"),
                    _ => format!(
                        "select a.id, k.id from a left join c k on k.n = a.n and k.id < 6 where {cond} order by 1, 2"
                    ),
                }
            };
            let sql = whole(&format!("b.{q} = a.{p}"));
            let plain = whole(&format!("(b.{q} = a.{p}) is true"));
            let expected = c.ask(&plain).await.line();
            assert_eq!(c.ask(&sql).await.line(), expected, "{sql}");
            asked += usize::from(!expected.starts_with('E'));
        }
        assert!(asked > 200, "{asked} questions had an answer");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn partitions_lateral_tables_and_orders() {
    with_server(1, |server| async move {
        let mut c = server.client();
        numbers(&mut c).await;
        c.all(&[
            "create table p (id int primary key, x int, z int) partition by hash (id) partitions 4",
            "insert into p select * from b",
            "create view v as select * from p where z < 8",
            "analyze table p",
        ])
        .await;
        for sql in [
            "select a.id, (select p.id from p where BY order by p.id limit 1) from a order by a.id",
            "select a.id, (select p.id from p where BY order by p.id desc limit 1) from a order by a.id",
            "select a.id, (select group_concat(p.id order by p.id) from p where BY and p.id between 20 and 300) from a order by a.id",
            "select a.id, (select max(p.z) from v p where BY) from a order by a.id",
            "select a.id, l.n from a, lateral (select p.id n from p where BY order by p.id limit 2) l order by 1, 2",
            "select a.id, l.n from a left join lateral (select count(*) n from v p where BY) l on l.n > 2 order by 1, 2",
            "select id from a where x > 50 and (y, 3) in (select p.z, p.z from p where BY) order by 1",
            "select id from a where y > 5 and exists (select 1 from p join b on b.id = p.id and b.z = p.z where BY) order by 1",
            "select id from a where not exists (select 1 from p left join b on b.id = p.id + 100 where BY and b.id is null) order by 1",
            "select count(*) from a join a k on k.id = a.id and exists (select 1 from p where BY and k.y = p.z)",
            "select a.y, count(*) from a where not exists (select 1 from p where BY and p.z = a.y) group by a.y having count(*) > (select count(*) from b where b.z = a.y) order by 1",
        ] {
            let (by, plain) = ("p.x = a.x", "(p.x = a.x) is true");
            let expected = c.rows(&sql.replace("BY", plain)).await;
            assert_eq!(c.rows(&sql.replace("BY", by)).await, expected, "{sql}");
            assert!(expected.len() > 1, "{sql}: {expected}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn null_among_the_rows_of_not_in() {
    check(&[
        ("create table a (id int primary key, x int, s varchar(9))", "ok 0"),
        ("create table b (x int, y int, s varchar(9))", "ok 0"),
        ("insert into a values (1, 1, 'A'), (2, 2, 'b'), (3, null, null), (4, 4, 'd')", "ok 4"),
        ("insert into b values (1, 1, 'a'), (1, 2, 'b'), (2, null, null), (2, 3, 'c')", "ok 4"),
        ("select id from a where x not in (select y from b where b.x = a.x) order by id", "3; 4"),
        ("select id from a where x not in (select y from b where b.x = 1) order by id", "4"),
        ("select id from a where x not in (select y from b) order by id", ""),
        ("select id from a where x not in (select y from b where y > 9) order by id", "1; 2; 3; 4"),
        ("select id from a where s not in (select s from b where s is not null) order by id", "4"),
        ("select id from a where s not in (select s from b) order by id", ""),
        ("select id, s in (select s from b) from a order by id", "1|1; 2|1; 3|NULL; 4|NULL"),
        ("select id from a where not exists (select 1 from b where b.y = a.x) order by id", "3; 4"),
        // A row that an outer join has made of nothing.
        (
            "select a.id, k.id from a left join a k on k.id = a.id + 1 where not exists (select 1 from b where b.x = k.id) order by 1",
            "2|3; 3|4; 4|NULL",
        ),
        (
            "select a.id from a left join a k on k.id = a.id + 1 where k.id not in (select 1 from b where b.x = a.id) order by 1",
            "1; 2; 3; 4",
        ),
    ]);
}

#[test]
fn what_changes_while_a_statement_runs_is_seen() {
    check(&[
        ("create table p (id int primary key, x int)", "ok 0"),
        (
            "create table k (id int primary key, p int, foreign key (p) references p (id) on delete cascade)",
            "ok 0",
        ),
        ("create table t (id int primary key, n int)", "ok 0"),
        ("create table l (x int, y int)", "ok 0"),
        ("insert into p values (1, 1), (2, 1), (3, 2)", "ok 3"),
        ("insert into k values (1, 1), (2, 1), (3, 3)", "ok 3"),
        ("insert into l values (1, 10), (1, 20), (2, 30)", "ok 3"),
        // Found before anything is deleted.
        ("delete from p where exists (select 1 from k where k.id + 0 = p.id)", "ok 3"),
        ("select count(*) from k", "0"),
        ("insert into p values (1, 1), (2, 1), (3, 2)", "ok 3"),
        ("update p set x = (select sum(y) from l where l.x = p.x)", "ok 3"),
        ("select * from p", "1|30; 2|30; 3|30"),
        // What has no row yet is inserted once: the rows are all read before the first is written.
        (
            "insert into t select x, y from l where not exists (select 1 from t where t.n = l.y)",
            "E1062 Duplicate entry '1' for key 't.PRIMARY'",
        ),
        (
            "insert into t select y, y from l where not exists (select 1 from t where t.n = l.y)",
            "ok 3",
        ),
        (
            "insert into t select y, y from l where not exists (select 1 from t where t.n = l.y)",
            "ok 0",
        ),
        // Within a statement each row of VALUES is asked for by itself.
        (
            "insert into t values (1, 5), (2, (select count(*) from l)), (10, 7) on duplicate key update n = (select sum(y) from l where l.y = t.id) + 1",
            "ok 4",
        ),
        ("select * from t order by id", "1|5; 2|3; 10|11; 20|20; 30|30"),
        (
            "delete t from t join l on l.y = t.id where not exists (select 1 from p where p.x = l.y)",
            "ok 2",
        ),
        ("select id from t order by id", "1; 2; 30"),
        (
            "delete from t where exists (select 1 from t u where u.n = t.n)",
            "E1093 You can't specify target table 't' for update in FROM clause",
        ),
    ]);
}

#[test]
fn locks_are_those_of_each_run() {
    with_server(1, |server| async move {
        let mut c = server.client();
        let mut d = server.client();
        numbers(&mut c).await;
        const ASKED: &str = "select count(*) from a where id < 50 and (select count(*) from b where b.x = a.x and z = 4 for share) > 0";
        for level in ["read committed", "repeatable read", "serializable"] {
            c.rows(&format!("set transaction isolation level {level}")).await;
            c.check(&[("begin", "ok 0"), (ASKED, "5")]).await;
            d.rows("set innodb_lock_wait_timeout = 1").await;
            assert_eq!(d.ask("update b set z = z where id = 4").await.errno(), 1205, "{level}");
            c.rows("commit").await;
        }
        // Each statement sees what was committed before it.
        c.check(&[("set transaction isolation level read committed", "ok 0"), ("begin", "ok 0")])
            .await;
        const SEEN: &str = "select sum((select count(*) from b where b.x = a.x)) from a";
        c.check(&[(SEEN, "1800")]).await;
        d.rows("delete from b where id > 200").await;
        c.check(&[(SEEN, "900"), ("commit", "ok 0")]).await;
        c.0.close().await;
        d.0.close().await;
        drop(server);
    });
}

#[test]
fn what_is_too_much_is_read_again() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table a (id int primary key, x int, s varchar(3000))",
            "insert into a with recursive r as (select 1 n union all select n + 1 from r where n < 990) select n, n, repeat('x', 3000) from r",
            "analyze table a",
        ])
        .await;
        let asked = (
            "select id, (select count(*) from a b where b.x = a.x and b.s > '') from a where id < 4",
            "1|1; 2|1; 3|1",
        );
        let first = (
            "select count(*) from a where id < 900 and (exists (select 1 from a b where b.x = a.x and b.s > '') or x is null)",
            "899",
        );
        c.check(&[
            ("flush status", "ok 0"),
            asked,
            (WORK, "991 1 0"),
            ("flush status", "ok 0"),
            ("set connection_memory_limit = 2097152", "ok 0"),
            asked,
            (WORK, "2973 0 1"),
            ("flush status", "ok 0"),
            first,
        ])
        .await;
        let work = c.rows(WORK).await;
        assert!(work.ends_with(" 0 1"), "{work}");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn it_ends_when_it_is_told_to() {
    with_server(1, |server| async move {
        let kill = server.kill_switch();
        let mut c = server.client_with(kill.clone());
        numbers(&mut c).await;
        for sql in [
            "select 1 from a, a b, a c where a.id + b.id + c.id < 9 or (select count(*) from b k where k.x = a.x + c.x) > 900",
            "select 1 from a, a b, a c where a.id + b.id + c.id < 9 or exists (select 1 from b k where k.x = a.x - 900)",
            "select 1 from a, a b, a c where exists (select 1 from b k where k.x = a.x + c.x + b.y)",
            "select 1 from a, a b, a c where not exists (select 1 from b k where k.x = a.x - 900)",
        ] {
            let mut sink = Fourth(0, kill.clone());
            let end = c.0.query(sql.as_bytes(), &mut sink).await;
            assert_eq!(end.result.expect_err("it was killed").errno, 1317, "{sql}");
            assert!(sink.0 < 5_000, "{} rows after the kill", sink.0);
            kill.clear_query();
        }
        c.0.close().await;
        drop(server);
    });
}

/// Takes rows; the fourth kills the statement.
struct Fourth(u32, std::sync::Arc<KillSwitch>);

impl ResultSink for Fourth {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.0 += 1;
        if self.0 == 4 {
            self.1.kill(KillKind::Query);
        }
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Rows that ask a subquery the same get the same answer, which is worked out once.
#[test]
fn results_are_kept_by_the_values_around() {
    const READ: &str = "select variable_value from performance_schema.session_status where variable_name = 'Handler_read_next'";
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table p (id int primary key, k int not null, e enum('x', 'y'), s varchar(20) collate utf8mb4_0900_ai_ci, v int, key (k), key (s))",
            "insert into p with recursive r as (select 1 n union all select n + 1 from r where n < 900) \
             select n, n % 9, n % 2 + 1, elt(n % 4 + 1, 'a', 'A', 'b', 'ä'), n * 7 % 101 from r",
            "analyze table p",
        ])
        .await;
        let repeated = [
            "select count(*) from p where v < (select avg(v) from p q where q.k = p.k)",
            "select sum((select max(v) from p q where q.k = p.k and q.v < 90)) from p",
            "select count(*) from p where id > 100 and v in (select v + 1 from p q where q.k = p.k)",
            "select count(*) from p where (select count(*) from p q where q.k = p.k and q.e = p.e) > 60",
            "select count(*) from p where (v, 1) = (select max(v), 1 from p q where q.k = p.k)",
        ];
        for sql in repeated {
            c.rows("flush status").await;
            let kept = c.rows(sql).await;
            let read: u64 = c.rows(READ).await.parse().unwrap_or(u64::MAX);
            assert!(read < 8_000, "{sql}: {read}");
            // The same where nothing is kept: chance is asked each time.
            let each = sql.replace("q.k = p.k", "q.k = p.k and rand() >= 0");
            assert_eq!(c.rows(&each).await, kept, "{sql}");
            let read: u64 = c.rows(READ).await.parse().unwrap_or(0);
            assert!(read > 60_000, "{each}: {read}");
        }
        // Texts that are equal are not the same: what is shown of them differs.
        c.check(&[
            (
                "select group_concat(distinct (select group_concat(distinct hex(p.s), '-', hex(q.s)) from p q where q.s = p.s and q.s < 'b' and q.id < 3) order by 1) from p",
                "41-41,61-41,C3A4-41",
            ),
        ])
        .await;
        // Most values are asked for once.
        let once = "select count(*) from p where v > (select avg(v) from p q where q.k = p.k and q.id <= p.id)";
        let each = once.replace("q.k = p.k", "q.k = p.k and rand() >= 0");
        assert_eq!(c.rows(once).await, c.rows(&each).await);
        // What a statement changes it sees from then on.
        c.all(&[
            "create table w (id int primary key, k int, n int)",
            "insert into w select id, k, 0 from p where id <= 200",
        ])
        .await;
        c.check(&[
            ("insert into w select id, k, (select count(*) from p q where q.k = p.k) from p on duplicate key update n = (select count(*) from p q where q.k = w.k)", "ok 1100"),
            ("select k, min(n), max(n) from w group by k order by k limit 2", "0|100|100; 1|100|100"),
            ("update w set n = (select sum(v) from p where p.k = w.k)", "ok 900"),
            ("select count(*) from w where n <> (select sum(v) from p where p.k = w.k)", "0"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
