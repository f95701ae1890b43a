//! SQLite in WAL mode: statements prepared once, a connection for each thread.

use crate::store::{PAD, Settings, Store, Work, Worker};
use rusqlite::{Connection, params};
use std::hint::black_box;
use std::time::Duration;

pub struct Sqlite {
    path: String,
    cache: u64,
    durable: bool,
}

pub fn open(s: &Settings) -> Box<dyn Store> {
    let path = if s.in_memory { ":memory:".into() } else { format!("{}/sqlite.db", s.dir) };
    let store = Sqlite { path, cache: s.cache, durable: s.durable };
    let make = "CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, n INTEGER, pad TEXT)";
    store.connect().execute_batch(make).expect("the table");
    Box::new(store)
}

impl Sqlite {
    fn connect(&self) -> Connection {
        let c = Connection::open(&self.path).expect("opens");
        let synchronous = if self.durable { "FULL" } else { "NORMAL" };
        let kib = self.cache >> 10;
        c.busy_timeout(Duration::from_secs(600)).expect("a limit");
        c.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA cache_size = -{kib}; PRAGMA synchronous = {synchronous}; \
             CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, n INTEGER, pad TEXT)"
        ))
        .expect("its settings");
        c.set_prepared_statement_cache_capacity(32);
        c
    }
}

impl Store for Sqlite {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(At(self.connect()))
    }

    fn close(self: Box<Self>) {}
}

struct At(Connection);

impl At {
    fn run(&self, sql: &str, key: u64) {
        let mut s = self.0.prepare_cached(sql).expect("prepares");
        let wanted = s.parameter_count();
        s.execute(&params![key as i64, PAD][..wanted]).expect("executes");
    }

    fn add(&self, key: u64) {
        self.run("UPDATE t SET n = n + 1 WHERE k = ?1", key);
    }

    fn put(&self, key: u64) {
        self.run("INSERT INTO t VALUES (?1, 0, ?2)", key);
    }
}

impl Worker for At {
    fn get(&mut self, key: u64) -> i64 {
        let mut s = self.0.prepare_cached("SELECT n FROM t WHERE k = ?1").expect("prepares");
        s.query_row([key as i64], |r| r.get(0)).expect("the row is there")
    }

    fn range(&mut self, first: u64, last: u64) -> i64 {
        let sql = "SELECT n FROM t WHERE k BETWEEN ?1 AND ?2";
        let mut s = self.0.prepare_cached(sql).expect("prepares");
        let mut rows = s.query([first as i64, last as i64]).expect("executes");
        let mut sum = 0;
        while let Some(row) = rows.next().expect("reads") {
            sum += row.get::<_, i64>(0).expect("a number");
        }
        sum
    }

    fn update(&mut self, key: u64) {
        self.add(key);
    }

    fn insert(&mut self, key: u64) {
        self.put(key);
    }

    fn bulk(&mut self, first: u64, count: u64) {
        self.0.execute_batch("BEGIN").expect("begins");
        (first..first + count).for_each(|key| self.put(key));
        self.0.execute_batch("COMMIT").expect("commits");
    }

    fn work(&mut self, w: &Work) {
        let writes = !w.adds.is_empty() || !w.inserts.is_empty();
        self.run(if writes { "BEGIN IMMEDIATE" } else { "BEGIN" }, 0);
        w.reads.iter().for_each(|key| {
            black_box(self.get(*key));
        });
        w.ranges.iter().for_each(|(first, count)| {
            black_box(self.range(*first, first + count - 1));
        });
        w.adds.iter().for_each(|key| self.add(*key));
        w.inserts.iter().for_each(|key| self.put(*key));
        self.run("COMMIT", 0);
    }
}
