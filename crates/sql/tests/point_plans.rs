//! SELECTs of one row by a unique key answer the same with their point plans and without: the two ways run side by side, and what the
//! short way must not leave out (rights, kills, locks, definitions, settings) is tried on it.
use crate::common::*;
use weir_rt::Rng;
use weir_sql::session_api::{KillKind, ParamValue};

const TAKEN: &str = "show global status like 'Weir_point_plans'";

/// How many statements of the server have taken the short way.
async fn taken(c: &mut Client) -> u64 {
    let line = c.rows(TAKEN).await;
    line.rsplit('|').next().and_then(|n| n.parse().ok()).expect("a number")
}

fn text(s: &str) -> ParamValue {
    ParamValue::Bytes(s.as_bytes().to_vec())
}

const TABLES: &[&str] = &[
    "create table i (id int primary key, k bigint unsigned, c varchar(20), n int, unique (k))",
    "create table u (a tinyint unsigned, b smallint, d date, dt datetime(3), ts timestamp(2), bin varbinary(9), txt text, primary key (a, b), unique (b, a))",
    "create table s (name varchar(12) collate utf8mb4_general_ci primary key, p char(6) collate utf8mb4_0900_ai_ci not null, b varchar(8) collate utf8mb4_bin, v int, unique (p), unique (b, v))",
    "create table o (id int primary key, e enum('x', 'y'), f double, m decimal(5, 2), j json, t time, y year, z int(4) zerofill)",
    "create table m (id mediumint, l longtext, w varchar(3000), primary key (id desc))",
];

const ROWS: &[&str] = &[
    "insert into i values (1, 10, 'one', null), (2, 18446744073709551615, 'two', 2), (-3, null, null, 3), (2147483647, 0, '', 4)",
    "insert into u values (0, -5, '2024-02-29', '2024-01-01 10:00:00.125', '2024-07-01 12:00:00', x'00ff', 'long'), (255, 7, null, null, null, null, null)",
    "insert into s values ('Ärger', 'ab', 'x', 1), ('b ', 'cd  ', 'X', 1), ('', '', '', 0), ('ß', 'é', null, null)",
    "insert into o values (1, 'x', 1.5, 2.25, '{\"a\": 1}', '10:11:12', 2024, 7)",
    "insert into m values (5, repeat('l', 70000), 'w'), (6, 'short', repeat('w', 3000)), (7, null, null)",
];

/// Statements with so many parameters, and whether they are such that the short way may take them.
const STATEMENTS: &[(&str, usize, bool)] = &[
    ("select c from i where id = ?", 1, true),
    ("select id, k, c, n from i where id = ?", 1, true),
    ("select * from i where ? = id", 1, true),
    ("select x.c, x.c from i as x where x.id = ?", 1, true),
    ("select id, c from i where k = ?", 1, true),
    ("select * from u where a = ? and b = ?", 2, true),
    ("select d, ts from u where b = ? and a = ?", 2, true),
    ("select v, name from s where name = ?", 1, true),
    // Neither collation decides, as the client has the other one.
    ("select name, p from s where p = ?", 1, false),
    ("select name from s where b = ? and v = ?", 2, true),
    ("select l, w from m where id = ?", 1, true),
    ("select id, w from m where id = ?", 1, true),
    ("select id, c, k from i where id between ? and ?", 2, true),
    ("select * from i where ? <= id and id <= ?", 2, true),
    ("select b, d, ts from u where a = 0 and b between ? and ?", 2, true),
    // What follows is the executor's.
    ("select id from i where id > ? and id < ?", 2, false),
    ("select id from i where id between ? and ? and n > 1", 2, false),
    ("select id from i where id between ? and ? limit 2", 2, false),
    ("select id from i where id between ? and ? for update", 2, false),
    ("select max(c) from i where id between ? and ?", 2, false),
    ("select id from i where k between ? and ?", 2, false),
    ("select name from s where name between ? and ?", 2, false),
    ("select id, w from m where id between ? and ?", 2, false),
    ("select e, f, m from o where id = ?", 1, false),
    ("select z from o where id = ?", 1, true),
    ("select id + 1 from i where id = ?", 1, false),
    ("select c from i where id = ? and n = 2", 1, false),
    ("select c from i where id = ? limit 1", 1, false),
    ("select distinct c from i where id = ?", 1, false),
    ("select c from i where id = ? for update", 1, false),
    ("select c from i where id = ? for share", 1, false),
    ("select c from i where id = ? or id = 2", 1, false),
    ("select c from i where id >= ?", 1, false),
    ("select count(*) from i where id = ?", 1, false),
    ("select c from i where k <=> ?", 1, false),
    ("select sql_calc_found_rows c from i where id = ?", 1, false),
    ("select c from i where id = (select ?)", 1, false),
    ("select i.c from i join s on s.v = i.id where i.id = ?", 1, false),
    ("select c from i where id = ? having c > ''", 1, false),
    ("select name from s where name = ? collate utf8mb4_bin", 1, false),
    ("select name from s where binary name = ?", 1, false),
    ("select /*+ max_execution_time(1000) */ c from i where id = ?", 1, false),
];

fn values() -> Vec<ParamValue> {
    let mut all: Vec<ParamValue> =
        [1, 2, -3, 0, 5, 6, 7, 10, 255, 256, -5, 2147483647, 2147483648, i64::MIN]
            .into_iter()
            .map(ParamValue::Int)
            .collect();
    all.extend([0, 7, u64::MAX].map(ParamValue::UInt));
    let texts = [
        "Ärger",
        "arger",
        "ärger",
        "ARGER",
        "b",
        "b ",
        "B  ",
        "ab",
        "AB ",
        "",
        " ",
        "x",
        "X",
        "ß",
        "ss",
        "e",
        "1",
        "2abc",
        "long text beyond the column",
    ];
    all.extend(texts.map(text));
    all.extend([ParamValue::Null, ParamValue::Double(1.0), ParamValue::Double(1.5)]);
    all.extend([ParamValue::Decimal(b"2.0".to_vec()), ParamValue::Blob(b"ab".to_vec())]);
    all.push(ParamValue::Bytes(vec![0xff, 0x41]));
    all.push(ParamValue::Date { year: 2024, month: 2, day: 29 });
    all
}

/// The value as a literal, where it has one.
fn literal(v: &ParamValue) -> Option<String> {
    Some(match v {
        ParamValue::Int(n) => n.to_string(),
        ParamValue::UInt(n) => n.to_string(),
        ParamValue::Bytes(b) => format!("'{}'", std::str::from_utf8(b).ok()?),
        ParamValue::Null => "null".into(),
        ParamValue::Double(x) => format!("{x:e}"),
        ParamValue::Decimal(b) => String::from_utf8(b.clone()).ok()?,
        _ => return None,
    })
}

/// Two sessions that see the same rows in schemas of their own, the second without the short way.
struct Twins {
    short: Client,
    usual: Client,
    writer: Client,
    compared: u64,
}

/// What statements leave in the session and its counters, except for the counter of the short way.
const LEFT: &str = "select group_concat(concat(variable_name, ' ', variable_value)) from performance_schema.session_status \
     where variable_value > 0 and (variable_name like 'Handler%' or variable_name = 'Com_select' or variable_name like 'Select%' or variable_name = 'Table_locks_immediate')";

impl Twins {
    async fn new(server: &Server) -> Twins {
        let mut writer = server.client();
        for schema in ["f", "g"] {
            writer.all(&[&format!("create database {schema}"), &format!("use {schema}")]).await;
            writer.all(TABLES).await;
            writer.all(ROWS).await;
        }
        let mut usual = server.client_in("root", "g");
        usual.0.use_point_plans(false);
        Twins { short: server.client_in("root", "f"), usual, writer, compared: 0 }
    }

    async fn both(&mut self, sql: &str) {
        let (a, b) = (self.short.ask(sql).await, self.usual.ask(sql).await);
        assert_eq!(a, b, "{sql}");
        self.compared += 1;
    }

    async fn execute(&mut self, (f, g): (u32, u32), sql: &str, params: &[ParamValue]) {
        let (a, b) = (self.short.execute(f, params).await, self.usual.execute(g, params).await);
        assert_eq!(a, b, "{sql} {params:?}");
        self.compared += 1;
    }

    /// What others change, in both schemas.
    async fn write(&mut self, rng: &mut Rng) {
        let (id, n) = (rng.below(9), rng.below(40));
        let sql = match rng.below(6) {
            0 => format!("replace into S.i values ({id}, {n}, 'w{n}', {n})"),
            1 => format!("update S.i set c = 'n{n}', k = null where id = {id}"),
            2 => format!("delete from S.i where id = {id}"),
            3 => format!("update ignore S.s set p = 'p{n}' where v = {}", id % 2),
            4 => format!("update S.m set w = repeat('{}', {}) where id = 6", id, n * 70),
            _ => format!("update S.u set b = b + 1, txt = 't{n}' where a = 0"),
        };
        for schema in ["f", "g"] {
            self.writer.rows(&sql.replace("S.", &format!("{schema}."))).await;
        }
    }
}

#[test]
fn both_ways_answer_alike() {
    with_server(1, |server| async move {
        let mut t = Twins::new(&server).await;
        let values = values();
        for (sql, params, short) in STATEMENTS {
            let f =
                t.short.0.prepare(sql.as_bytes()).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
            let g = t.usual.0.prepare(sql.as_bytes()).await.unwrap();
            let before = taken(&mut t.short).await;
            for (n, v) in values.iter().enumerate() {
                let other = &values[(n * 7 + 3) % values.len()];
                let all = [v.clone(), other.clone()];
                t.execute((f.id, g.id), sql, &all[..*params]).await;
                if *params == 2 {
                    for near in [&values[10], &values[5], &values[0]] {
                        t.execute((f.id, g.id), sql, &[v.clone(), near.clone()]).await;
                    }
                }
                let literals: Option<Vec<String>> = all.iter().map(literal).collect();
                let mut pieces = sql.split('?');
                let mut written = pieces.next().unwrap_or_default().to_string();
                for (l, piece) in literals.unwrap_or_default().iter().zip(pieces) {
                    written.push_str(l);
                    written.push_str(piece);
                }
                t.both(&written).await;
            }
            t.both("select found_rows(), row_count()").await;
            let now = taken(&mut t.short).await;
            assert_eq!(now > before, *short, "{sql}: {before} before, {now} after");
        }
        t.both(LEFT).await;
        t.both("set names utf8mb4 collate utf8mb4_0900_ai_ci").await;
        let before = taken(&mut t.short).await;
        let sql = "select name, p from s where p = ?";
        let f = t.short.0.prepare(sql.as_bytes()).await.unwrap().id;
        let g = t.usual.0.prepare(sql.as_bytes()).await.unwrap().id;
        for v in &values {
            t.execute((f, g), sql, std::slice::from_ref(v)).await;
        }
        let now = taken(&mut t.short).await;
        assert!(now > before);
        for v in &values {
            t.usual.execute(g, std::slice::from_ref(v)).await;
        }
        assert_eq!(taken(&mut t.short).await, now, "the short way was off");
        assert!(t.compared > 1500, "{}", t.compared);
    });
}

/// Rows of several leaves between two integers, next to a writer that has not committed, in transactions and outside of any.
#[test]
fn spans_are_those_of_the_usual_way() {
    with_server(3, |server| async move {
        let mut t = Twins::new(&server).await;
        let rows: Vec<String> =
            (1..=900).map(|n| format!("({}, repeat('r', {}), {n})", 2 * n, 20 + n % 300)).collect();
        for schema in ["f", "g"] {
            let table = format!(
                "create table {schema}.big (id bigint unsigned primary key, c varchar(400), n int)"
            );
            let fill = format!("insert into {schema}.big values {}", rows.join(", "));
            t.writer.all(&[&table, &fill]).await;
        }
        let sql = "select id, c, n from big where id between ? and ?";
        let f = t.short.0.prepare(sql.as_bytes()).await.unwrap().id;
        let g = t.usual.0.prepare(sql.as_bytes()).await.unwrap().id;
        let mut rng = Rng::new(3);
        let before = taken(&mut t.short).await;
        let mut spans = 0;
        for round in 0..300u64 {
            match rng.below(12) {
                0 => {
                    let id = 2 * rng.below(900);
                    for schema in ["f", "g"] {
                        t.writer.rows(&format!("delete from {schema}.big where id = {id}")).await;
                    }
                }
                1 => {
                    for schema in ["f", "g"] {
                        let sql = format!(
                            "update {schema}.big set c = concat(left(c, 300), '{round}') where id % 7 = {}",
                            round % 7
                        );
                        t.writer.rows(&sql).await;
                    }
                }
                2 => _ = t.writer.rows("begin").await,
                3 => _ = t.writer.rows(if round % 2 == 0 { "commit" } else { "rollback" }).await,
                4 => t.both("begin").await,
                5 => t.both("commit").await,
                6 => {
                    // A reader that locks would make the writer wait.
                    let level = ["read uncommitted", "read committed", "repeatable read"];
                    let level = level[rng.below(3) as usize];
                    t.both(&format!("set session transaction isolation level {level}")).await;
                }
                _ => {}
            }
            let low = rng.below(1900) as i64 - 40;
            let high = low + [0, 1, 7, 99, 300, 511, 512, 2000][rng.below(8) as usize];
            spans += u64::from((0..512).contains(&(high - low)) && low >= 0);
            t.execute((f, g), sql, &[ParamValue::Int(low), ParamValue::Int(high)]).await;
            // FOUND_ROWS() warns, and the statement behind a warning takes the usual way.
            if round % 8 == 0 {
                t.both("select found_rows(), row_count()").await;
            }
        }
        t.writer.rows("rollback").await;
        let short = taken(&mut t.short).await - before;
        assert!(short > spans / 3 && short <= spans, "{short} of {spans}");
        // What is too much for a packet is the same error, and leaves no row behind.
        t.both("commit").await;
        t.both("set session transaction isolation level repeatable read").await;
        let ends = [ParamValue::Int(0), ParamValue::Int(500)];
        t.execute((f, g), sql, &ends).await;
        t.both(LEFT).await;
        // A kill that has come before is met.
        t.short.0.conn().kill.kill(KillKind::Query);
        t.usual.0.conn().kill.kill(KillKind::Query);
        t.execute((f, g), sql, &ends).await;
        t.short.0.conn().kill.clear_query();
        t.usual.0.conn().kill.clear_query();
        // Another definition of the table.
        for schema in ["f", "g"] {
            t.writer
                .rows(&format!("alter table {schema}.big add column later int default 5 first"))
                .await;
        }
        t.execute((f, g), sql, &ends).await;
        t.both("select * from big where id between 3 and 90").await;
    });
}

/// The same beside a writer, in all isolation levels, in transactions with writes of their own, and outside of any.
#[test]
fn both_ways_see_the_same_versions() {
    for seed in 0..4 {
        with_server(seed, |server| async move {
            let mut t = Twins::new(&server).await;
            let mut rng = Rng::new(seed);
            let statements: Vec<_> = STATEMENTS.iter().filter(|s| s.2).collect();
            let mut ids = Vec::new();
            for (sql, ..) in &statements {
                let f = t.short.0.prepare(sql.as_bytes()).await.unwrap().id;
                ids.push((f, t.usual.0.prepare(sql.as_bytes()).await.unwrap().id));
            }
            let values = values();
            for _ in 0..700 {
                match rng.below(14) {
                    0 => t.both("commit").await,
                    1 => t.both("rollback").await,
                    2 => t.both("begin").await,
                    3 => {
                        let level = [
                            "read uncommitted",
                            "read committed",
                            "repeatable read",
                            "serializable",
                        ];
                        let level = level[rng.below(4) as usize];
                        t.both(&format!("set session transaction isolation level {level}")).await;
                    }
                    4 => t.both(&format!("set autocommit = {}", rng.below(2))).await,
                    5 => {
                        let (id, n) = (rng.below(9) + 100, rng.below(50));
                        t.both(&format!("replace into i values ({id}, {n} + 1000, 'own', 1)"))
                            .await;
                        t.both(&format!("select * from i where id = {id}")).await;
                        t.both(&format!("select * from i where k = {n} + 1000")).await;
                        t.both(&format!("select * from i where k = {}", n + 1000)).await;
                    }
                    6 => t.both("set transaction read only").await,
                    7 => t.both("start transaction with consistent snapshot").await,
                    8 | 9 => {
                        // A writer would wait for rows that a transaction of one of the two has locked.
                        t.both("commit").await;
                        t.write(&mut rng).await;
                    }
                    _ => {
                        let at = rng.below(ids.len() as u64) as usize;
                        let (sql, params, _) = statements[at];
                        let mut draw = || values[rng.below(values.len() as u64) as usize].clone();
                        let all = [draw(), draw()];
                        t.execute(ids[at], sql, &all[..*params]).await;
                    }
                }
            }
            t.both("commit").await;
            t.both("select found_rows(), row_count(), @@warning_count").await;
            assert!(taken(&mut t.short).await > 50);
        });
    }
}

/// An open snapshot keeps its rows while others change them, and READ COMMITTED sees each commit.
#[test]
fn snapshots_hold() {
    with_server(1, |server| async move {
        let mut t = Twins::new(&server).await;
        let mut rng = Rng::new(9);
        for level in ["repeatable read", "read committed", "read uncommitted"] {
            t.both(&format!("set session transaction isolation level {level}")).await;
            t.both("begin").await;
            for round in 0..60 {
                let id = rng.below(9);
                t.both(&format!("select id, k, c, n from i where id = {id}")).await;
                t.both(&format!("select id, c from i where k = {}", rng.below(40))).await;
                t.both(&format!(
                    "select * from u where a = 0 and b = {}",
                    rng.below(30) as i64 - 5
                ))
                .await;
                if round % 20 < 12 {
                    t.write(&mut rng).await;
                }
            }
            t.both("commit").await;
        }
        assert!(taken(&mut t.short).await > 100);
    });
}

/// A client with a table and the number of a prepared SELECT, which has taken the short way once.
async fn ready(server: &Server) -> (Client, u32) {
    let mut c = server.client();
    c.all(&["create table t (id int primary key, c varchar(20), at timestamp null)"]).await;
    c.all(&["insert into t values (1, 'one', '2024-01-01 12:00:00'), (2, 'two', null)"]).await;
    let p = c.0.prepare(b"select c, at from t where id = ?").await.unwrap();
    assert_eq!(c.execute(p.id, &[ParamValue::Int(1)]).await.line(), "one|2024-01-01 12:00:00");
    assert_eq!(taken(&mut c).await, 1);
    (c, p.id)
}

const ONE: [ParamValue; 1] = [ParamValue::Int(1)];

#[test]
fn rights_are_looked_at_when_they_change() {
    with_server(1, |server| async move {
        let (mut root, _) = ready(&server).await;
        root.all(&["create user u@localhost", "create role r", "grant select on test.t to r"])
            .await;
        root.all(&["grant select on test.t to u@localhost", "grant r to u@localhost"]).await;
        let mut u = server.client_in("u", "test");
        let p = u.0.prepare(b"select c from t where id = ?").await.unwrap();
        let told = "E1142 SELECT command denied to user 'u'@'localhost' for table 't'";
        for _ in 0..3 {
            assert_eq!(u.execute(p.id, &ONE).await.line(), "one");
            assert_eq!(u.ask("select c from t where id = 1").await.line(), "one");
            root.rows("revoke select on test.t from u@localhost").await;
            assert_eq!(u.execute(p.id, &ONE).await.line(), told);
            assert_eq!(u.ask("select c from t where id = 1").await.line(), told);
            u.rows("set role r").await;
            assert_eq!(u.execute(p.id, &ONE).await.line(), "one");
            u.rows("set role none").await;
            assert_eq!(u.execute(p.id, &ONE).await.line(), told);
            root.rows("grant select (id, c) on test.t to u@localhost").await;
            assert_eq!(u.execute(p.id, &ONE).await.line(), "one");
            root.rows("revoke select (c) on test.t from u@localhost").await;
            assert_eq!(u.execute(p.id, &ONE).await.errno(), 1143);
            root.rows("revoke all privileges on test.t from u@localhost").await;
            root.rows("grant select on test.t to u@localhost").await;
        }
        // The first look after a change is the usual way's.
        let before = taken(&mut u).await;
        for _ in 0..3 {
            assert_eq!(u.execute(p.id, &ONE).await.line(), "one");
        }
        assert_eq!(taken(&mut u).await, before + 2);
        // An account whose statements are counted is counted on.
        root.rows("alter user u@localhost with max_queries_per_hour 100").await;
        let before = taken(&mut u).await;
        assert_eq!(u.execute(p.id, &ONE).await.line(), "one");
        assert_eq!(taken(&mut u).await, before);
        root.rows("drop user u@localhost").await;
        assert_eq!(u.execute(p.id, &ONE).await.line(), told);
    });
}

#[test]
fn kills_and_locks_are_not_passed_by() {
    with_server(1, |server| async move {
        let (_, _) = ready(&server).await;
        let kill = server.kill_switch();
        let mut c = server.client_with(kill.clone());
        let p = c.0.prepare(b"select c from t where id = ?").await.unwrap();
        assert_eq!(c.execute(p.id, &ONE).await.line(), "one");
        kill.kill(KillKind::Query);
        assert_eq!(c.execute(p.id, &ONE).await.errno(), 1317);
        assert_eq!(c.ask("select c from t where id = 1").await.errno(), 1317);
        kill.clear_query();
        assert_eq!(c.execute(p.id, &ONE).await.line(), "one");
        let mut other = server.client();
        c.rows("set lock_wait_timeout = 1").await;
        other.rows("lock tables t write").await;
        assert_eq!(c.execute(p.id, &ONE).await.errno(), 1205);
        assert_eq!(c.ask("select c from t where id = 1").await.errno(), 1205);
        other.rows("unlock tables").await;
        assert_eq!(c.execute(p.id, &ONE).await.line(), "one");
        // Under its own LOCK TABLES a session may read what it has locked.
        c.all(&["create table v (id int primary key)", "lock tables v read"]).await;
        assert_eq!(c.execute(p.id, &ONE).await.errno(), 1100);
        c.rows("unlock tables").await;
        assert_eq!(c.execute(p.id, &ONE).await.line(), "one");
    });
}

/// DDL between executions, and temporary tables that hide the table.
#[test]
fn definitions_change_between_executions() {
    with_server(1, |server| async move {
        let (mut c, p) = ready(&server).await;
        let mut other = server.client();
        other.rows("alter table t modify c varchar(40) not null default ''").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 12:00:00");
        other.rows("alter table t drop primary key, add primary key (c)").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 12:00:00");
        other.rows("alter table t drop primary key, add primary key (id)").await;
        let before = taken(&mut c).await;
        for _ in 0..2 {
            assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 12:00:00");
        }
        assert!(taken(&mut c).await > before, "the new definition has a point plan again");
        c.rows("create temporary table t (id int primary key, c varchar(20), at timestamp null)")
            .await;
        c.rows("insert into t values (1, 'hidden', null)").await;
        assert_eq!(c.ask("select c from t where id = 1").await.line(), "hidden");
        c.rows("drop temporary table t").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 12:00:00");
        other.rows("alter table t drop column at").await;
        assert_eq!(c.execute(p, &ONE).await.errno(), 1054);
        other.rows("drop table t").await;
        assert_eq!(c.execute(p, &ONE).await.errno(), 1146);
        other.all(&["create table t (id int, c varchar(20), at timestamp null)"]).await;
        other.all(&["insert into t values (1, 'a', null), (1, 'b', null)"]).await;
        assert_eq!(c.execute(p, &ONE).await.line(), "a|NULL; b|NULL");
    });
}

/// Settings of the session hold for the next execution.
#[test]
fn settings_hold() {
    with_server(1, |server| async move {
        let (mut c, p) = ready(&server).await;
        c.rows("set time_zone = '+02:00'").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 14:00:00");
        c.rows("set sql_select_limit = 0").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "");
        c.rows("set sql_select_limit = default").await;
        let before = taken(&mut c).await;
        c.rows("set character_set_results = ucs2").await;
        let answer = c.execute(p, &ONE).await;
        assert_eq!(answer.rows[0].len(), 3 * 2 + "|2024-01-01 14:00:00".len(), "{answer:?}");
        c.rows("set names utf8mb4 collate utf8mb4_general_ci").await;
        assert_eq!(taken(&mut c).await, before);
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 14:00:00");
        c.rows("set sql_big_selects = 0, max_join_size = 1").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 14:00:00");
        // The diagnostics of the statement before go, and so does its count of rows.
        c.ask("select 1 from nowhere").await;
        assert_eq!(c.rows("select @@error_count").await, "1");
        c.ask("select 1 from nowhere").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 14:00:00");
        assert_eq!(c.rows("show warnings").await, "");
        c.rows("update t set c = 'x' where id = 2").await;
        assert_eq!(c.execute(p, &[ParamValue::Int(9)]).await.line(), "");
        assert_eq!(c.rows("select found_rows(), row_count()").await, "0|-1");
        // In SERIALIZABLE a transaction locks what it reads, a statement alone does not.
        c.rows("set session transaction isolation level serializable").await;
        let before = taken(&mut c).await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 14:00:00");
        assert_eq!(taken(&mut c).await, before + 1);
        c.rows("begin").await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 14:00:00");
        assert_eq!(taken(&mut c).await, before + 1);
        let mut other = server.client();
        other.rows("set innodb_lock_wait_timeout = 1").await;
        assert_eq!(other.ask("update t set c = 'y' where id = 1").await.errno(), 1205);
        c.rows("commit").await;
        c.all(&["set session transaction isolation level repeatable read", "xa start 'x'"]).await;
        assert_eq!(c.execute(p, &ONE).await.line(), "one|2024-01-01 14:00:00");
        c.rows("xa end 'x'").await;
        assert_eq!(c.execute(p, &ONE).await.errno(), 1399);
        c.rows("xa rollback 'x'").await;
    });
}

/// A row that no packet has room for, because a column is there several times.
#[test]
fn rows_may_be_too_long_for_a_packet() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&["create table t (id int primary key, c varchar(900))"]).await;
        c.all(&["insert into t values (1, repeat('x', 900))"]).await;
        c.all(&["set global max_allowed_packet = 1024"]).await;
        let mut small = server.client();
        let before = taken(&mut small).await;
        assert_eq!(small.ask("select c, id from t where id = 1").await.rows[0].len(), 902);
        for _ in 0..2 {
            let twice = small.ask("select c, c as again from t where id = 1").await;
            assert_eq!(twice.errno(), 1153);
        }
        assert_eq!(small.ask("select c from t where id = 1").await.rows[0].len(), 900);
        assert_eq!(taken(&mut small).await, before);
        assert_eq!(small.ask("select c from t where id = 1").await.rows[0].len(), 900);
        assert_eq!(taken(&mut small).await, before + 1);
    });
}

/// Each execution is counted for the lists of prepared statements and for the server.
#[test]
fn executions_are_counted() {
    with_server(1, |server| async move {
        let (mut c, p) = ready(&server).await;
        const SERVER: &str = "select variable_value from performance_schema.global_status where variable_name = 'Com_select'";
        let before: u64 = c.rows(SERVER).await.parse().unwrap();
        for _ in 0..4 {
            c.execute(p, &ONE).await;
        }
        let now: u64 = c.rows(SERVER).await.parse().unwrap();
        assert_eq!(now, before + 5);
        let executed = "select count_execute from performance_schema.prepared_statements_instances";
        assert_eq!(c.rows(executed).await, "5");
    });
}

/// EXPLAIN says what it said before.
#[test]
fn explain_stays() {
    check(&[
        ("create table t (id int primary key, c int)", "ok 0"),
        ("insert into t values (1, 1)", "ok 1"),
        (
            "explain select c from t where id = 1",
            "1|SIMPLE|t|NULL|const|PRIMARY|PRIMARY|4|const|1|100.00|NULL",
        ),
    ]);
}
