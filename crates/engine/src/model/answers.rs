//! Answers that are left with the log: each is given once, never before its commit is durable, and none is forgotten.

use super::{MemDisk, block_on, explore, join, log, spawn, thread};
use crate::error::{Error, Result};
use crate::ids::Lsn;
use crate::log::deferred_ack::Answer;
use crate::log::{Log, Reach};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_rt::sim::SimRt;

/// One session's answer.
struct Seen {
    log: Arc<Log>,
    lsn: AtomicU64,
    given: AtomicU64,
    may_fail: bool,
}

impl Answer for Seen {
    fn give(self: Arc<Self>, end: Result<()>) {
        let lsn: Lsn = self.lsn.load(Ordering::SeqCst);
        assert!(self.may_fail || end.is_ok());
        assert!(end.is_err() || self.log.durable() >= lsn, "answered too early");
        assert_eq!(self.given.fetch_add(1, Ordering::SeqCst), 0, "answered twice");
    }
}

fn commit(log: &Log, bytes: usize) -> Option<Lsn> {
    let grant = block_on(log.grant(bytes + 8)).ok()?;
    Some(log.append(grant, &vec![bytes as u8; bytes], |_, _| ()))
}

/// A session's commit; gives whether its answer was left.
fn session(log: &Arc<Log>, seen: &Arc<Seen>, bytes: usize) -> bool {
    let Some(lsn) = commit(log, bytes) else { return false };
    seen.lsn.store(lsn, Ordering::SeqCst);
    let answer: Arc<dyn Answer> = seen.clone();
    if log.keep_answer((lsn, Reach::Durable), (1, 1), &answer) {
        return true;
    }
    let done = block_on(log.flush_to(lsn, Reach::Durable));
    assert!(seen.may_fail || done.is_ok());
    assert!(done.is_err() || log.durable() >= lsn);
    false
}

fn run(fails: bool) {
    let disk = Arc::new(MemDisk::default());
    let rt = SimRt::new(1).rt();
    let log = Arc::new(block_on(log(&rt, &disk)));
    log.begin_answers();
    let l = log.clone();
    let server = spawn(move || block_on(l.serve_answers()));
    let sessions = [10usize, 40, 25].map(|n| {
        let log = log.clone();
        spawn(move || {
            for k in 0..2 {
                let given = AtomicU64::new(0);
                let lsn = AtomicU64::new(0);
                let seen = Arc::new(Seen { log: log.clone(), lsn, given, may_fail: fails });
                if session(&log, &seen, n + k) {
                    // As a client that says nothing more before its answer.
                    while seen.given.load(Ordering::SeqCst) == 0 {
                        thread::yield_now();
                    }
                }
            }
        })
    });
    if fails {
        thread::yield_now();
        log.stop(Error::ShuttingDown);
    }
    join(sessions);
    log.end_answers();
    join([server]);
}

#[test]
fn answers_are_given_once_and_when_they_are_true() {
    explore(600, || run(false));
}

/// The log stops in the middle: anyone who waits hears of it, answers too.
#[test]
fn answers_are_given_when_the_log_fails() {
    explore(600, || run(true));
}
