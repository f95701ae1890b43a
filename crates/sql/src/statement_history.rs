//! The last statements of each session and of all: what `events_statements_history` and `events_statements_history_long` show.
//!
//! Off unless `weir_statement_history` is on: a statement pays for it a parse, its digest and two copies. Off, it pays for a load and a branch.
//!
//! Bounded: `performance_schema_events_statements_history_size` statements of a session, which go with it, and `..._long_size` of all, of
//! each text the first 1,024 bytes.

use crate::digests::Ended;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of a text that are kept: MySQL's `performance_schema_max_sql_text_length`.
pub const TEXT_BYTES: usize = 1024;

/// The tables of performance_schema that show them.
pub const OF_SESSIONS_TABLE: &str = "events_statements_history";
pub const OF_ALL_TABLE: &str = "events_statements_history_long";

/// A statement that has ended.
pub struct Past {
    /// The session, and the statement's number in it from 1 on.
    pub thread: u64,
    pub event: u64,
    /// The command, as its counter is named, and the digest text: of the statement as it came, which the logs cut.
    pub command: &'static str,
    pub digest: Option<String>,
    pub text: Vec<u8>,
    pub schema: Option<String>,
    pub ended: Ended,
    /// The number and the text of its error.
    pub error: Option<(u16, String)>,
}

/// Those of a session.
#[derive(Default)]
struct OfSession {
    ended: u64,
    last: VecDeque<Arc<Past>>,
}

#[derive(Default)]
struct Kept {
    sessions: HashMap<u64, OfSession>,
    all: VecDeque<Arc<Past>>,
}

#[derive(Default)]
pub struct StatementHistory {
    on: AtomicBool,
    of_session: usize,
    of_all: usize,
    kept: Mutex<Kept>,
}

impl StatementHistory {
    /// Statements that are kept of a session and of all.
    pub fn new(of_session: usize, of_all: usize) -> StatementHistory {
        StatementHistory { of_session, of_all, ..StatementHistory::default() }
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.on.load(Relaxed)
    }

    /// What was kept goes when it is turned off.
    pub fn turn(&self, on: bool) {
        self.on.store(on, Relaxed);
        if !on {
            *self.kept() = Kept::default();
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A statement has ended. Its number is given here.
    pub fn add(&self, mut past: Past) {
        past.text.truncate(TEXT_BYTES);
        let mut kept = self.kept();
        // It was turned off meanwhile.
        if !self.is_on() {
            return;
        }
        let session = kept.sessions.entry(past.thread).or_default();
        session.ended += 1;
        past.event = session.ended;
        let past = Arc::new(past);
        put(&mut session.last, self.of_session, past.clone());
        put(&mut kept.all, self.of_all, past);
    }

    /// The session is over.
    pub fn forget(&self, thread: u64) {
        if self.is_on() {
            self.kept().sessions.remove(&thread);
        }
    }

    /// TRUNCATE TABLE. Numbers go on.
    pub fn clear(&self, all: bool) {
        let mut kept = self.kept();
        match all {
            true => kept.all.clear(),
            false => kept.sessions.values_mut().for_each(|s| s.last.clear()),
        }
    }

    /// Those of all sessions that are there, in no order.
    pub fn of_sessions(&self) -> Vec<Arc<Past>> {
        self.kept().sessions.values().flat_map(|s| s.last.iter().cloned()).collect()
    }

    /// Those of all sessions, oldest first.
    pub fn of_all(&self) -> Vec<Arc<Past>> {
        self.kept().all.iter().cloned().collect()
    }

    /// How many statements of a session have ended, and the last of them.
    pub fn last(&self, thread: u64) -> (u64, Option<Arc<Past>>) {
        let kept = self.kept();
        kept.sessions.get(&thread).map_or((0, None), |s| (s.ended, s.last.back().cloned()))
    }
}

fn put(list: &mut VecDeque<Arc<Past>>, most: usize, past: Arc<Past>) {
    if most == 0 {
        return;
    }
    while list.len() >= most {
        list.pop_front();
    }
    list.push_back(past);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(thread: u64, text: &str) -> Past {
        Past {
            thread,
            event: 0,
            command: "do",
            digest: None,
            text: text.into(),
            schema: None,
            ended: Ended::default(),
            error: None,
        }
    }

    #[test]
    fn the_last_ones_are_kept() {
        let h = StatementHistory::new(2, 3);
        h.add(past(1, "before it is on"));
        h.turn(true);
        for n in 1..=4 {
            h.add(past(1, &format!("a{n}")));
            h.add(past(2, &"x".repeat(2000)));
        }
        let texts = |list: Vec<Arc<Past>>| {
            let mut all: Vec<(u64, u64, usize)> =
                list.iter().map(|p| (p.thread, p.event, p.text.len())).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(texts(h.of_sessions()), [(1, 3, 2), (1, 4, 2), (2, 3, 1024), (2, 4, 1024)]);
        assert_eq!(texts(h.of_all()), [(1, 4, 2), (2, 3, 1024), (2, 4, 1024)]);
        h.forget(2);
        assert_eq!(texts(h.of_sessions()), [(1, 3, 2), (1, 4, 2)]);
        h.clear(false);
        assert!(h.of_sessions().is_empty() && h.of_all().len() == 3);
        h.add(past(1, "e"));
        assert_eq!(h.last(1).0, 5);
        h.turn(false);
        assert!(h.of_all().is_empty() && h.last(1).1.is_none());
    }
}
