//! Which slow statements are written to the slow query log where there are too many of them.
//!
//! `log_slow_rate_limit` (Percona Server's) has every so many written, of the statements or of the connections. The log says so, so that a
//! tool which adds up the log can multiply. `log_throttle_queries_not_using_indexes` (MySQL's) bounds those that are slow for reading
//! whole tables alone: so many a minute, and then a line with what the others came to.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use weir_sql::vars::{GlobalVars, Var, VarValue};

/// Microseconds of the window of `log_throttle_queries_not_using_indexes`.
const WINDOW: u64 = 60_000_000;

pub struct SlowRates {
    /// `log_slow_rate_limit`: one of so many.
    one_of: AtomicU64,
    /// `log_slow_rate_type` is `query`; else whole connections are left out.
    by_statement: AtomicBool,
    /// `slow_query_log_always_write_time`, in microseconds.
    always: AtomicU64,
    statements: AtomicU64,
    /// `log_throttle_queries_not_using_indexes`: 0 for no bound.
    unindexed: AtomicU64,
    window: Mutex<Window>,
}

/// What was written and left out since the window began.
#[derive(Default)]
struct Window {
    began: u64,
    written: u64,
    left_out: Suppressed,
}

/// What statements that were left out came to.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Suppressed {
    pub statements: u64,
    pub micros: u64,
    pub lock_nanos: u64,
}

/// The variables that are followed.
pub const VARS: [Var; 4] = [
    Var::log_slow_rate_limit,
    Var::log_slow_rate_type,
    Var::slow_query_log_always_write_time,
    Var::log_throttle_queries_not_using_indexes,
];

impl SlowRates {
    pub fn new(vars: &GlobalVars) -> SlowRates {
        let rates = SlowRates {
            one_of: AtomicU64::new(1),
            by_statement: AtomicBool::new(false),
            always: AtomicU64::new(u64::MAX),
            statements: AtomicU64::new(0),
            unindexed: AtomicU64::new(0),
            window: Mutex::default(),
        };
        VARS.iter().for_each(|var| rates.follow(*var, &vars.get(*var)));
        rates
    }

    pub fn follow(&self, var: Var, value: &VarValue) {
        match (var, value) {
            (Var::log_slow_rate_limit, VarValue::UInt(n)) => self.one_of.store(*n, Relaxed),
            (Var::log_slow_rate_type, VarValue::Enum(n)) => {
                self.by_statement.store(*n == 1, Relaxed)
            }
            (Var::slow_query_log_always_write_time, VarValue::Float(seconds)) => {
                self.always.store((seconds * 1e6) as u64, Relaxed);
            }
            (Var::log_throttle_queries_not_using_indexes, VarValue::UInt(n)) => {
                self.unindexed.store(*n, Relaxed);
                *self.window.lock().unwrap_or_else(PoisonError::into_inner) = Window::default();
            }
            _ => {}
        }
    }

    /// Whether a slow statement of this connection, which took so long, is one of those that are written.
    pub fn picks(&self, connection: u64, micros: u64) -> bool {
        let one_of = self.one_of.load(Relaxed).max(1);
        if one_of == 1 || micros >= self.always.load(Relaxed) {
            return true;
        }
        let n = match self.by_statement.load(Relaxed) {
            true => self.statements.fetch_add(1, Relaxed),
            false => connection,
        };
        n.is_multiple_of(one_of)
    }

    /// What the log says of a rate, if there is one: a comment that `pt-query-digest` reads.
    pub fn comment(&self) -> Option<String> {
        let one_of = self.one_of.load(Relaxed);
        let kind = if self.by_statement.load(Relaxed) { "query" } else { "session" };
        (one_of > 1)
            .then(|| format!("# Log_slow_rate_type: {kind}  Log_slow_rate_limit: {one_of}\n"))
    }

    /// Whether a statement is written that reads a whole table and is not slow otherwise; and what the window before has left out, once.
    /// `now`: microseconds since 1970.
    pub fn lets_unindexed(
        &self,
        now: u64,
        micros: u64,
        lock_nanos: u64,
    ) -> (bool, Option<Suppressed>) {
        let most = self.unindexed.load(Relaxed);
        if most == 0 {
            return (true, None);
        }
        let mut w = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = None;
        // A clock that was set back begins a window, too.
        if now.wrapping_sub(w.began) >= WINDOW {
            before = (w.left_out.statements > 0).then_some(w.left_out);
            *w = Window { began: now, ..Window::default() };
        }
        if w.written < most {
            w.written += 1;
            return (true, before);
        }
        w.left_out.statements += 1;
        w.left_out.micros += micros;
        w.left_out.lock_nanos += lock_nanos;
        (false, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(settings: &[(Var, VarValue)]) -> SlowRates {
        let rates = SlowRates::new(&GlobalVars::default());
        settings.iter().for_each(|(var, value)| rates.follow(*var, value));
        rates
    }

    #[test]
    fn one_of_three() {
        let limit = (Var::log_slow_rate_limit, VarValue::UInt(3));
        let by_query = rates(&[limit.clone(), (Var::log_slow_rate_type, VarValue::Enum(1))]);
        let picked: Vec<bool> = (0..6).map(|_| by_query.picks(7, 5)).collect();
        assert_eq!(picked, [true, false, false, true, false, false]);
        assert_eq!(
            by_query.comment().as_deref(),
            Some("# Log_slow_rate_type: query  Log_slow_rate_limit: 3\n")
        );
        let by_session = rates(std::slice::from_ref(&limit));
        assert!([6, 6, 9].iter().all(|id| by_session.picks(*id, 5)));
        assert!(!by_session.picks(7, 5));
        let always = (Var::slow_query_log_always_write_time, VarValue::Float(2.0));
        let by_session = rates(&[limit, always]);
        assert!(by_session.picks(7, 2_000_000) && !by_session.picks(7, 1_999_999));
        let all = rates(&[]);
        assert!((0..10).all(|id| all.picks(id, 0)) && all.comment().is_none());
    }

    #[test]
    fn two_a_minute_without_an_index() {
        let r = rates(&[(Var::log_throttle_queries_not_using_indexes, VarValue::UInt(2))]);
        let at = 1_000 * WINDOW;
        assert_eq!(r.lets_unindexed(at, 10, 1), (true, None));
        assert_eq!(r.lets_unindexed(at + 1, 10, 1), (true, None));
        assert_eq!(r.lets_unindexed(at + 2, 10, 1), (false, None));
        assert_eq!(r.lets_unindexed(at + 3, 20, 2), (false, None));
        let left_out = Suppressed { statements: 2, micros: 30, lock_nanos: 3 };
        assert_eq!(r.lets_unindexed(at + WINDOW, 10, 1), (true, Some(left_out)));
        assert_eq!(r.lets_unindexed(at + WINDOW + 1, 10, 1), (true, None));
        // The clock is set back.
        assert_eq!(r.lets_unindexed(at - WINDOW, 10, 1), (true, None));
        assert_eq!(rates(&[]).lets_unindexed(at, 1, 1), (true, None));
    }
}
