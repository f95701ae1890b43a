//! Writes of one row by its key leave the same behind with their point plans and without: the two ways run side by side, alone, in
//! transactions and next to others, and what the short way must not leave out (rights, kills, locks, definitions, settings) is tried on it.
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
    "create table w (id int primary key auto_increment, k int unsigned, c varchar(20), n int not null default 5, d decimal(8, 2), key (k), unique (c))",
    "create table x (a int, b varchar(10) collate utf8mb4_general_ci, v bigint, u datetime on update current_timestamp, t timestamp default current_timestamp, e enum('p', 'q') not null, primary key (a, b), key (v, b), key (b))",
    "create table z (id smallint unsigned primary key, p float, q double, y year, bits bit(4), bin varbinary(6), key (q desc))",
    // What follows wants more than the row.
    "create table g (id int primary key, n int, g int as (n + 1), key (g))",
    "create table ch (id int primary key, n int, check (n < 100))",
    "create table pa (id int primary key, n int) partition by hash (id) partitions 3",
    "create table up (id int primary key, n int)",
    "create table ch2 (id int primary key, n int, foreign key (n) references up (id) on delete cascade)",
    "create table tr (id int primary key, n int)",
    "create trigger tr_bi before insert on tr for each row set new.n = new.n + 1",
    "create trigger tr_bu before update on tr for each row set new.n = new.n + 2",
    "create table lo (id int primary key, n int, l longtext)",
    "create table nokey (id int, n int)",
    "create table js (id int primary key, n int, j json, key ((cast(j as unsigned array))))",
];

const ROWS: &[&str] = &[
    "insert into w values (1, 10, 'one', 1, 1.5), (2, 20, 'two', 2, null), (-3, null, null, 3, 0), (100, 0, '', 4, 4)",
    "insert into x (a, b, v, e) values (1, 'x', 10, 'p'), (1, 'Y ', 10, 'q'), (2, '', null, 'p')",
    "insert into z values (0, 1.5, 2.5, 2024, b'1010', x'00ff'), (65535, null, null, null, null, null)",
    "insert into g (id, n) values (1, 1), (2, 2)",
    "insert into ch values (1, 1), (2, 2)",
    "insert into pa values (1, 1), (2, 2)",
    "insert into up values (1, 1), (2, 2), (3, 3)",
    "insert into ch2 values (1, 1), (2, 2)",
    "insert into tr values (1, 1), (2, 2)",
    "insert into lo values (1, 1, repeat('l', 70000)), (2, 2, 'short')",
    "insert into nokey values (1, 1), (2, 2)",
    "insert into js values (1, 1, '[1, 2]'), (2, 2, '[]')",
];

/// Statements with so many parameters, and whether they are such that the short way may take them.
const STATEMENTS: &[(&str, usize, bool)] = &[
    ("update w set n = ? where id = ?", 2, true),
    ("update w set k = k + ? where id = ?", 2, true),
    ("update w set k = ?, c = concat('y', ?) where id = ?", 3, true),
    ("update w set n = n + 1, d = d * 2 where ? = id", 1, true),
    ("update w set c = ? where id = ?", 2, true),
    ("update w as o set o.d = ? where o.id = ?", 2, true),
    ("update w set d = ?, n = -n where id = ?", 2, true),
    ("update w set n = n where id = ?", 1, true),
    ("update w set n = ? where c = ?", 2, true),
    ("update w set n = n + ?, k = ? where c = ?", 3, true),
    ("update w set c = ? where c = ?", 2, true),
    ("delete from w where c = ?", 1, true),
    ("update x set v = ? where a = ? and b = ?", 3, true),
    ("update x set v = v * 2 - 1, e = ? where b = ? and a = ?", 3, true),
    ("update x set u = ? where a = ? and b = ?", 3, true),
    ("update z set p = ?, q = ? where id = ?", 3, true),
    ("update z set bits = ?, y = ? where id = ?", 3, true),
    ("update z set bin = ? where id = ?", 2, true),
    ("update w set n = case when ? > 3 then 1 else 2 end where id = ?", 2, true),
    ("delete from w where id = ?", 1, true),
    ("delete from x where a = ? and b = ?", 2, true),
    ("delete from z where id = ?", 1, true),
    ("insert into w (k, c) values (?, ?)", 2, true),
    ("insert into w values (?, ?, ?, 7, 8)", 3, true),
    ("insert into w (id, n, d) values (?, ?, ?)", 3, true),
    ("insert into w set k = ?", 1, true),
    ("insert into x (a, b, v, e) values (?, ?, ?, 'q')", 3, true),
    ("insert into x (a, b, e, t) values (?, ?, 'p', now())", 2, true),
    ("insert into z values (?, ?, ?, 2000, 3, 'x')", 3, true),
    // What follows is the executor's.
    ("insert into x (a, b, v) values (?, ?, ?)", 3, true),
    ("update w set id = ? where id = ?", 2, false),
    ("update w set c = concat(c, ?) where id = ?", 2, false),
    ("update w set n = ?, n = n + 1 where id = ?", 2, false),
    ("update w set n = default where id = ?", 1, false),
    ("update ignore w set n = ? where id = ?", 2, false),
    ("update w set n = ? where id = ? limit 1", 2, false),
    ("update w set n = ? where id = ? and n > 0", 2, false),
    ("update w set n = (select max(a) from x where a < ?) where id = ?", 2, false),
    ("update w set n = last_insert_id(n + ?) where id = ?", 2, false),
    ("update w set n = @v := ? where id = ?", 2, false),
    ("update w set n = ? where k = ?", 2, false),
    ("update w join x on x.a = w.id set w.n = ? where w.id = ?", 2, false),
    ("delete from w where id = ? order by id", 1, false),
    ("delete from w where k = ?", 1, false),
    ("insert ignore into w (k, c) values (?, ?)", 2, false),
    ("replace into w (id, k) values (?, ?)", 2, false),
    ("insert into w (id, k) values (?, ?) on duplicate key update k = k + 1", 2, false),
    ("insert into w (k, c) values (?, ?), (1, null)", 2, false),
    ("insert into w (k) select ?", 1, false),
    ("insert into w (k, n) values (?, k + 1)", 1, false),
    ("update g set n = ? where id = ?", 2, false),
    ("insert into g (id, n) values (?, ?)", 2, false),
    ("update ch set n = ? where id = ?", 2, false),
    ("insert into ch values (?, ?)", 2, false),
    ("update pa set n = ? where id = ?", 2, false),
    ("delete from pa where id = ?", 1, false),
    ("insert into pa values (?, ?)", 2, false),
    ("update up set n = ? where id = ?", 2, false),
    ("delete from up where id = ?", 1, false),
    ("insert into ch2 values (?, ?)", 2, false),
    ("update ch2 set n = ? where id = ?", 2, false),
    ("update tr set n = ? where id = ?", 2, false),
    ("insert into tr values (?, ?)", 2, false),
    ("update lo set n = ? where id = ?", 2, false),
    ("delete from lo where id = ?", 1, false),
    ("insert into nokey values (?, ?)", 2, false),
    ("update js set n = ? where id = ?", 2, false),
    ("insert into js values (?, ?, '[3]')", 2, false),
];

/// Values that keys have, and then others.
fn values() -> Vec<ParamValue> {
    let ints = [1, 2, -3, 100, 0, 7, 101, 255, 300, -1, 65535, 65536, 2147483647, i64::MIN];
    let mut all: Vec<ParamValue> = ints.map(ParamValue::Int).to_vec();
    all.extend([1, 20, u64::MAX].map(ParamValue::UInt));
    all.extend(
        ["x", "X ", "y", "", "one", "ONE", "two", "1", "2abc", "q", "long beyond any column"]
            .map(text),
    );
    all.extend([ParamValue::Null, ParamValue::Double(1.0), ParamValue::Double(1.5)]);
    all.extend([ParamValue::Decimal(b"2.005".to_vec()), ParamValue::Blob(b"\0\xff".to_vec())]);
    all.push(ParamValue::Bytes(vec![0xff, 0x41]));
    all.push(ParamValue::Date { year: 2024, month: 2, day: 29 });
    all
}

fn literal(v: &ParamValue) -> Option<String> {
    Some(match v {
        ParamValue::Int(n) => n.to_string(),
        ParamValue::UInt(n) => n.to_string(),
        ParamValue::Bytes(b) => format!("'{}'", std::str::from_utf8(b).ok()?),
        ParamValue::Null => "null".into(),
        ParamValue::Double(x) => format!("{x:e}"),
        ParamValue::Decimal(b) => String::from_utf8(b.clone()).ok()?,
        ParamValue::Date { year, month, day } => format!("date'{year}-{month}-{day}'"),
        _ => return None,
    })
}

fn written(sql: &str, params: &[ParamValue]) -> Option<String> {
    let mut pieces = sql.split('?');
    let mut out = pieces.next()?.to_string();
    for (v, piece) in params.iter().zip(pieces) {
        out.push_str(&literal(v)?);
        out.push_str(piece);
    }
    Some(out)
}

/// What statements leave in the session and in its counters, except for the counter of the short way.
const LEFT: &[&str] = &[
    "select group_concat(concat(variable_name, ' ', variable_value)) from performance_schema.session_status where variable_value > 0 and (variable_name like 'Handler%' or variable_name in ('Com_update', 'Com_insert', 'Com_delete', 'Com_commit', 'Table_locks_immediate') or variable_name like 'Select%')",
    "select last_insert_id(), @@last_insert_id, @@insert_id",
    "show warnings",
];

const ALL: &[&str] = &[
    "select * from w order by id",
    "select id, k from w force index (k) where k >= 0 order by k, id",
    "select id, c from w force index (c) where c >= '' order by c",
    "select a, b, v, u, t, e from x order by a, b",
    "select a, b from x force index (v) where v > -1000000 order by v, b, a",
    "select * from z order by id",
    "select id from z force index (q) where q > -1e30 order by q, id",
    "check table w, x, z extended",
    "select table_name, auto_increment from information_schema.tables where table_schema = database() and table_name = 'w'",
];

/// Two sessions that write the same rows in schemas of their own, the second without the short way.
struct Twins {
    short: Client,
    usual: Client,
    compared: u64,
}

impl Twins {
    async fn new(server: &Server) -> Twins {
        let mut writer = server.client();
        for schema in ["f", "g"] {
            writer.all(&[&format!("create database {schema}"), &format!("use {schema}")]).await;
            writer.all(TABLES).await;
            writer.rows("set timestamp = 1700000000").await;
            writer.all(ROWS).await;
        }
        let mut usual = server.client_in("root", "g");
        usual.0.use_point_plans(false);
        let mut t = Twins { short: server.client_in("root", "f"), usual, compared: 0 };
        t.both("set timestamp = 1700000001, information_schema_stats_expiry = 0").await;
        t
    }

    async fn both(&mut self, sql: &str) {
        let (mut a, mut b) = (self.short.ask(sql).await, self.usual.ask(sql).await);
        // The two are in different schemas.
        for answer in [&mut a, &mut b] {
            for row in &mut answer.rows {
                *row = row.replace("f.", "S.").replace("g.", "S.");
                *row = row.replace("`f`", "`S`").replace("`g`", "`S`");
            }
            if let Some((_, message)) = &mut answer.error {
                *message = message.replace("`f`", "`S`").replace("`g`", "`S`");
            }
        }
        assert_eq!(a, b, "{sql}");
        self.compared += 1;
    }

    async fn execute(&mut self, (f, g): (u32, u32), sql: &str, params: &[ParamValue]) {
        let (mut a, mut b) =
            (self.short.execute(f, params).await, self.usual.execute(g, params).await);
        for answer in [&mut a, &mut b] {
            if let Some((_, message)) = &mut answer.error {
                *message = message.replace("`f`", "`S`").replace("`g`", "`S`");
            }
        }
        assert_eq!(a, b, "{sql} {params:?}");
        self.compared += 1;
    }

    async fn same(&mut self) {
        for sql in LEFT.iter().chain(ALL) {
            self.both(sql).await;
        }
    }

    async fn prepare(&mut self, sql: &str) -> (u32, u32) {
        let f = self.short.0.prepare(sql.as_bytes()).await.unwrap_or_else(|e| panic!("{sql}: {e}"));
        (f.id, self.usual.0.prepare(sql.as_bytes()).await.unwrap().id)
    }
}

#[test]
fn both_ways_write_alike() {
    with_server(1, |server| async move {
        let mut t = Twins::new(&server).await;
        let values = values();
        let mut took = 0;
        for (sql, params, short) in STATEMENTS {
            let ids = t.prepare(sql).await;
            let before = taken(&mut t.short).await;
            for (n, v) in values.iter().enumerate() {
                for step in [0, 1, 4] {
                    let near = &values[(n + step) % 5];
                    let other = &values[(n * 7 + step) % values.len()];
                    let all = match n % 2 {
                        0 => [v.clone(), near.clone(), other.clone()],
                        _ => [other.clone(), v.clone(), near.clone()],
                    };
                    t.execute(ids, sql, &all[..*params]).await;
                    t.both("select row_count(), last_insert_id(), @@warning_count").await;
                    if let Some(sql) = written(sql, &all[..*params]) {
                        t.both(&sql).await;
                    }
                }
            }
            for (n, v) in values.iter().enumerate() {
                let (a, b) = [(1, "x"), (1, "y"), (2, ""), (7, "new")][n % 4];
                let (a, b) = (ParamValue::Int(a), text(b));
                let orders = [
                    [v.clone(), a.clone(), b.clone()],
                    [v.clone(), b.clone(), a.clone()],
                    [a, b, v.clone()],
                ];
                for all in orders {
                    t.execute(ids, sql, &all[..*params]).await;
                }
            }
            t.same().await;
            let now = taken(&mut t.short).await;
            assert!(*short || now == before, "{sql}: {before} before, {now} after");
            took += usize::from(now > before);
            for schema in ["f", "g"] {
                let mut c = server.client_in("root", schema);
                c.all(&["set timestamp = 1700000000, foreign_key_checks = 0", "delete from ch2"])
                    .await;
                for row in ROWS.iter().filter(|r| !r.starts_with("insert into nokey")) {
                    c.rows(&row.replace("insert", "replace")).await;
                }
            }
        }
        assert!(t.compared > 5000, "{}", t.compared);
        assert!(took >= 12, "{took} of the statements have taken the short way");
    });
}

/// The same in transactions of all isolation levels, with savepoints, rollbacks and settings that change.
#[test]
fn both_ways_write_alike_in_transactions() {
    for seed in 0..6 {
        with_server(seed, |server| async move {
            let mut t = Twins::new(&server).await;
            let mut rng = Rng::new(seed);
            let statements: Vec<_> = STATEMENTS.iter().filter(|s| s.2).collect();
            let mut ids = Vec::new();
            for (sql, ..) in &statements {
                ids.push(t.prepare(sql).await);
            }
            let values = values();
            for _ in 0..1500 {
                match rng.below(26) {
                    0 => t.both("commit").await,
                    1 => t.both("rollback").await,
                    2 => t.both("begin").await,
                    3 => {
                        let level =
                            ["read uncommitted", "read committed", "repeatable read", "serializable"];
                        let level = level[rng.below(4) as usize];
                        t.both(&format!("set session transaction isolation level {level}")).await;
                    }
                    4 => t.both(&format!("set autocommit = {}", rng.below(2))).await,
                    5 => t.both("savepoint s").await,
                    6 => t.both("rollback to savepoint s").await,
                    7 => t.both("start transaction read only").await,
                    8 => t.both(["set sql_mode = ''", "set sql_mode = default", "set sql_mode = 'no_auto_value_on_zero'"][rng.below(3) as usize]).await,
                    9 => t.both(&format!("set insert_id = {}", rng.below(2) * (500 + rng.below(90)))).await,
                    10 => t.both(["set auto_increment_increment = 3, auto_increment_offset = 2", "set auto_increment_increment = default, auto_increment_offset = default"][rng.below(2) as usize]).await,
                    11 => t.both("set session transaction read only").await,
                    12 | 13 => t.both("set session transaction read write").await,
                    14 => t.same().await,
                    _ => {
                        let at = rng.below(ids.len() as u64) as usize;
                        let (sql, params, _) = statements[at];
                        let mut draw = |most: u64| values[rng.below(most) as usize].clone();
                        let mut all = match params {
                            1 => vec![draw(9)],
                            2 => vec![draw(33), draw(9)],
                            _ => vec![draw(9), draw(33), draw(9)],
                        };
                        if sql.ends_with("where c = ?") {
                            let names = ["one", "ONE", "two", "1", "y1", "y2", "q"];
                            all[params - 1] = text(names[rng.below(7) as usize]);
                        }
                        match (rng.below(3), written(sql, &all)) {
                            (0, Some(sql)) => t.both(&sql).await,
                            _ => t.execute(ids[at], sql, &all).await,
                        }
                        t.both("select row_count()").await;
                    }
                }
            }
            t.both("commit").await;
            t.same().await;
            let now = taken(&mut t.short).await;
            assert!(now > 15, "{now}");
        });
    }
}

/// A table with a row, and statements that have taken the short way once.
async fn ready(server: &Server) -> Client {
    let mut c = server.client();
    c.all(&["create table t (id int primary key, n int, c varchar(9), key (n), unique (c))"]).await;
    c.all(&["insert into t values (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')"]).await;
    for _ in 0..2 {
        c.rows("update t set n = n + 1 where id = 1").await;
    }
    c
}

#[test]
fn rows_that_others_have_locked_are_waited_for() {
    with_server(1, |server| async move {
        let mut c = ready(&server).await;
        let mut other = server.client();
        c.rows("set innodb_lock_wait_timeout = 1").await;
        for level in ["read committed", "repeatable read"] {
            other.rows(&format!("set session transaction isolation level {level}")).await;
            for lock in [
                "select * from t where id = 1 for update",
                "select * from t where id = 1 for share",
                "update t set n = n + 10 where id = 1",
                "update t set n = 50 where id = 1",
            ] {
                other.all(&["begin", lock]).await;
                assert_eq!(
                    c.ask("update t set n = n + 1 where id = 1").await.errno(),
                    1205,
                    "{lock}"
                );
                assert_eq!(c.ask("delete from t where id = 1").await.errno(), 1205, "{lock}");
                assert_eq!(c.ask("update t set n = n + 1 where id = 2").await.line(), "ok 1");
                other.rows("rollback").await;
                assert_eq!(c.ask("update t set n = n + 1 where id = 1").await.line(), "ok 1");
            }
        }
        // A locked gap, and a key that another transaction has inserted or deleted.
        other.all(&["begin", "select * from t where n > 40 for update"]).await;
        for _ in 0..2 {
            assert_eq!(c.ask("insert into t values (9, 60, null)").await.errno(), 1205);
            assert_eq!(c.ask("update t set n = 70 where id = 3").await.errno(), 1205);
        }
        other.all(&["rollback", "begin", "insert into t values (9, 9, 'i')"]).await;
        assert_eq!(c.ask("insert into t values (9, 60, null)").await.errno(), 1205);
        assert_eq!(c.ask("insert into t values (10, 60, 'i')").await.errno(), 1205);
        assert_eq!(c.ask("update t set c = 'i' where id = 3").await.errno(), 1205);
        other.all(&["rollback", "begin", "delete from t where id = 3"]).await;
        assert_eq!(c.ask("insert into t values (3, 60, null)").await.errno(), 1205);
        assert_eq!(c.ask("insert into t values (10, 60, 'c')").await.errno(), 1205);
        other.rows("commit").await;
        assert_eq!(c.ask("insert into t values (3, 60, 'c')").await.line(), "ok 1");
        let before = taken(&mut c).await;
        assert_eq!(c.ask("delete from t where id = 3").await.line(), "ok 1");
        assert_eq!(c.ask("insert into t values (3, 61, 'c')").await.line(), "ok 1");
        assert!(taken(&mut c).await > before);
        assert_eq!(c.rows("check table t extended").await, "test.t|check|status|OK");
    });
}

/// What a transaction has written by the short way is locked until it ends, and is nobody's business before.
#[test]
fn writes_in_transactions_are_locked_and_unseen() {
    with_server(1, |server| async move {
        let mut c = ready(&server).await;
        let mut other = server.client();
        other.rows("set innodb_lock_wait_timeout = 1").await;
        let before = taken(&mut c).await;
        c.all(&["begin", "select n from t where id = 2"]).await;
        c.rows("update t set n = n + 1 where id = 1").await;
        c.rows("savepoint s").await;
        c.rows("update t set n = n + 1 where id = 2").await;
        assert!(taken(&mut c).await > before);
        assert_eq!(other.rows("select id, n from t").await, "2|2; 1|3; 3|3");
        assert_eq!(other.ask("update t set n = 0 where id = 1").await.errno(), 1205);
        c.rows("rollback to s").await;
        // The row's lock outlives the change.
        assert_eq!(other.ask("update t set n = 0 where id = 2").await.errno(), 1205);
        c.rows("rollback").await;
        assert_eq!(other.rows("update t set n = 0 where id = 2").await, "ok 1");
        assert_eq!(other.rows("select id, n from t order by id").await, "1|3; 2|0; 3|3");
    });
}

#[test]
fn rights_kills_locks_and_read_only_are_asked_for() {
    with_server(1, |server| async move {
        let mut root = ready(&server).await;
        root.all(&["create user u@localhost", "grant select, update on test.t to u@localhost"])
            .await;
        let mut u = server.client_in("u", "test");
        let sql = "update t set n = n + 1 where id = 1";
        let before = taken(&mut root).await;
        for _ in 0..3 {
            assert_eq!(u.rows(sql).await, "ok 1");
        }
        assert!(taken(&mut root).await > before);
        root.rows("revoke update on test.t from u@localhost").await;
        assert_eq!(u.ask(sql).await.errno(), 1142);
        root.rows("grant update (n) on test.t to u@localhost").await;
        assert_eq!(u.rows(sql).await, "ok 1");
        assert_eq!(u.ask("update t set c = 'z' where id = 1").await.errno(), 1143);
        root.rows("set global read_only = 1").await;
        assert_eq!(u.ask(sql).await.errno(), 1290);
        root.rows("set global super_read_only = 1").await;
        assert_eq!(root.ask(sql).await.errno(), 1290);
        root.rows("set global read_only = 0").await;
        assert_eq!(u.rows(sql).await, "ok 1");
        // An account whose statements are counted is counted on.
        root.rows("alter user u@localhost with max_updates_per_hour 100").await;
        let before = taken(&mut u).await;
        assert_eq!(u.rows(sql).await, "ok 1");
        assert_eq!(taken(&mut u).await, before);
        let kill = server.kill_switch();
        let mut c = server.client_with(kill.clone());
        c.rows(sql).await;
        kill.kill(KillKind::Query);
        assert_eq!(c.ask(sql).await.errno(), 1317);
        kill.clear_query();
        assert_eq!(c.rows(sql).await, "ok 1");
        c.rows("set lock_wait_timeout = 1").await;
        root.rows("lock tables t read").await;
        assert_eq!(c.ask(sql).await.errno(), 1205);
        assert_eq!(root.ask(sql).await.errno(), 1099);
        root.rows("unlock tables").await;
        assert_eq!(c.rows(sql).await, "ok 1");
        root.all(&["begin", "set transaction_read_only = 1", "commit"]).await;
        root.rows("start transaction read only").await;
        assert_eq!(root.ask(sql).await.errno(), 1792);
        root.rows("commit").await;
    });
}

/// Definitions that come between two executions: triggers, keys, checks, and a temporary table that hides the table.
#[test]
fn definitions_change_between_executions() {
    with_server(1, |server| async move {
        let mut c = ready(&server).await;
        let mut other = server.client();
        let p = c.0.prepare(b"update t set n = ? where id = ?").await.unwrap().id;
        let set = |n| [ParamValue::Int(n), ParamValue::Int(1)];
        c.execute(p, &set(5)).await;
        let before = taken(&mut c).await;
        assert_eq!(c.execute(p, &set(6)).await.line(), "ok 1");
        assert_eq!(taken(&mut c).await, before + 1);
        other.rows("create trigger b before update on t for each row set new.n = new.n * 2").await;
        c.execute(p, &set(7)).await;
        assert_eq!(c.rows("select n from t where id = 1").await, "14");
        other.all(&["drop trigger b", "alter table t add check (n < 50)"]).await;
        assert_eq!(c.execute(p, &set(90)).await.errno(), 3819);
        other.rows("alter table t drop check t_chk_1").await;
        other.rows("create table k (n int, foreign key (n) references t (n))").await;
        other.rows("insert into k values (14)").await;
        assert_eq!(c.execute(p, &set(90)).await.errno(), 1451);
        other.all(&["drop table k", "alter table t modify n tinyint"]).await;
        assert_eq!(c.execute(p, &set(300)).await.errno(), 1264);
        let before = taken(&mut c).await;
        assert_eq!(c.execute(p, &set(90)).await.line(), "ok 1");
        assert_eq!(c.execute(p, &set(91)).await.line(), "ok 1");
        assert!(taken(&mut c).await > before);
        c.rows("create temporary table t (id int primary key, n int)").await;
        c.rows("insert into t values (1, 0)").await;
        assert_eq!(c.ask("update t set n = 1 where id = 1").await.line(), "ok 1");
        assert_eq!(other.rows("select n from t where id = 1").await, "91");
        c.rows("drop temporary table t").await;
        other.rows("drop table t").await;
        assert_eq!(c.execute(p, &set(1)).await.errno(), 1146);
    });
}

/// What the short way has committed is there after a crash, and what it has not is gone.
#[test]
fn commits_outlive_a_crash() {
    check_over_a_crash(
        &[
            ("create table t (id int primary key auto_increment, n int, key (n))", "ok 0"),
            ("insert into t (n) values (1)", "ok 1"),
            ("insert into t (n) values (2)", "ok 1"),
            ("insert into t (n) values (3)", "ok 1"),
            ("update t set n = 20 where id = 2", "ok 1"),
            ("update t set n = 30 where id = 2", "ok 1"),
            ("delete from t where id = 3", "ok 1"),
            ("delete from t where id = 1", "ok 1"),
            ("insert into t values (1, 7)", "ok 1"),
            ("begin", "ok 0"),
            ("update t set n = 40 where id = 2", "ok 1"),
            ("insert into t (n) values (5)", "ok 1"),
        ],
        "select count(*) from t",
        &[
            ("select id, n from t order by id", "1|7; 2|30"),
            ("select id from t force index (n) where n > 0 order by n", "1; 2"),
            ("check table t extended", "test.t|check|status|OK"),
        ],
    );
}
