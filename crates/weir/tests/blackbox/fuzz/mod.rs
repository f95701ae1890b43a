//! Sessions under fire, from one seed: eight connections with valid and broken statements, DDL beside DML, clients that vanish,
//! KILL, prepared statements across ALTER TABLE.
//!
//! The client's decoder is strict: sequence numbers, headers, widths of rows and ends of results must be right to the byte.
//! An *owner* alone changes the rows of its table, so every one of its answers is known in advance, whatever others do to the
//! table's definition, and after a lost connection its table has one of two contents. A *wild* client may say anything; its
//! answers need only be well formed. Schedules are the machine's, so a seed repeats the statements and not their meetings.
//!
//! `WEIR_FUZZ_SECONDS=600 WEIR_SEED=7 cargo test -p weir --test blackbox fuzz` runs longer, from another seed.

mod others;
mod owner;
mod wild;

use crate::common::{Failure, Login, Server};
use owner::Owner;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use weir_rt::Rng;

const OWNERS: u64 = 4;
const WILD: u64 = 2;

fn from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// What the threads share.
struct Arena<'s> {
    server: &'s Server,
    until: Instant,
    failed: AtomicBool,
}

impl Arena<'_> {
    fn goes_on(&self) -> bool {
        Instant::now() < self.until && !self.failed.load(Ordering::Relaxed)
    }
}

/// The others stop when one thread has found something.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The connection is gone: by KILL, or since the server has ended it. An answer that does not come is a finding.
fn is_lost(e: &Failure) -> bool {
    assert!(!e.message.contains("os error 11"), "no answer: {e:?}");
    matches!(e.errno, 0 | 1053 | 1152 | 1158..=1161 | 1927 | 4031)
}

/// No client may ever see these: damage, and what the server calls an error of its own.
fn is_forbidden(errno: u16) -> bool {
    matches!(errno, 1030 | 1034 | 1105 | 1712 | 1815)
}

#[test]
fn sessions_under_fire() {
    let seconds = from_env("WEIR_FUZZ_SECONDS", 6);
    let seed = from_env("WEIR_SEED", 1);
    eprintln!("WEIR_SEED={seed} WEIR_FUZZ_SECONDS={seconds}");
    let options = ["--innodb-lock-wait-timeout=2", "--lock-wait-timeout=2"];
    let server = Server::start(&options);
    let mut root = server.root_client();
    root.run("create database fire");
    wild::make_room(&mut root);
    drop(root);
    let until = Instant::now() + Duration::from_secs(seconds);
    let arena = Arena { server: &server, until, failed: AtomicBool::new(false) };
    let mut owners: Vec<Owner<'_>> =
        (0..OWNERS).map(|n| Owner::new(&arena, n, Rng::new(seed * 100 + n))).collect();
    std::thread::scope(|s| {
        let arena = &arena;
        let mut jobs: Vec<Box<dyn FnOnce() + Send + '_>> = Vec::new();
        for o in &mut owners {
            jobs.push(Box::new(|| o.run()));
        }
        for n in 0..WILD {
            let rng = Rng::new(seed * 100 + 50 + n);
            jobs.push(Box::new(move || wild::run(arena, rng)));
        }
        jobs.push(Box::new(move || others::definitions(arena, Rng::new(seed * 100 + 60))));
        jobs.push(Box::new(move || others::killer(arena, Rng::new(seed * 100 + 70))));
        let mut threads = Vec::new();
        for job in jobs {
            threads.push(s.spawn(move || {
                let _alarm = Alarm(&arena.failed);
                job();
            }));
        }
        let failed = threads.into_iter().filter_map(|t| t.join().err()).count();
        assert_eq!(failed, 0, "WEIR_SEED={seed}; see above; the server says\n{}", server.log());
    });
    let statements: u64 = owners.iter().map(|o| o.statements).sum();
    let tables: Vec<(String, String)> = owners.into_iter().map(Owner::settle).collect();
    eprintln!("{statements} statements with known answers");
    // The first connection of root may have been killed.
    check(&mut server.root_client(), &tables);
    assert!(!server.log().contains("panicked"), "{}", server.log());
    let server = server.restart(&options);
    check(&mut server.root_client(), &tables);
}

/// Each table has the rows that its owner knows, and is whole.
fn check(root: &mut crate::common::Client, tables: &[(String, String)]) {
    for (table, rows) in tables {
        assert_eq!(&root.rows(&format!("select id, v, s from {table} order by id")), rows);
        let checked = root.rows(&format!("check table {table}"));
        assert_eq!(checked, format!("{table},check,status,OK"));
    }
}

fn login() -> Login<'static> {
    Login { database: "fire", ..Login::default() }
}
