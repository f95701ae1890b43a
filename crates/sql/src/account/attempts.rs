//! Failed logins in a row, by who tried, and how long the next answer is held back for them.
//!
//! The rules and the names of the options are those of MySQL's `connection_control`: from
//! `connection_control_failed_connections_threshold` failures in a row on, each answer comes later than the one before, by
//! `connection_control_min_connection_delay` milliseconds, until `connection_control_max_connection_delay`. A right
//! password is held back as long as a wrong one, so that the delay tells nothing, and ends the row.
//!
//! A name is counted together with the address that it came from, whether an account of that name exists or not: what is
//! held back for a guesser is not held back for the owner, who comes from elsewhere.
//!
//! Nothing here waits or sees a clock: the server does.

use super::Peer;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Names with failures that are remembered; beyond, the one that failed longest ago is forgotten.
const KEEP: usize = 10_000;
/// Answers held back at the same time for one name and address. Anyone who guesses cannot fill the server with connections that
/// wait: one more attempt is refused before its password is looked at.
pub const HELD_BACK: u32 = 8;

/// A name as it was given, and where from.
type Who = (String, Peer);

/// Characters of a name that tell it from others. A login may carry a longer one, which no account has.
const NAME: usize = 128;

fn who(user: &str, peer: Peer) -> Who {
    // The socket and the loopback interface are one host for accounts, and one here.
    (user.chars().take(NAME).collect(), if peer.is_loopback() { Peer::Local } else { peer })
}

/// The three options, as they are when a login is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Failures without a delay; 0: never a delay, and nothing is counted.
    pub threshold: u64,
    /// Milliseconds that each failure beyond the threshold adds.
    pub min_delay: u64,
    /// Milliseconds of the longest delay.
    pub max_delay: u64,
}

impl Limits {
    /// How long the answer is held back when `failures` in a row came before it.
    fn delay(&self, failures: u64) -> Duration {
        if self.threshold == 0 || failures < self.threshold {
            return Duration::ZERO;
        }
        let millis = (failures - self.threshold + 1).saturating_mul(self.min_delay);
        Duration::from_millis(millis.min(self.max_delay))
    }
}

#[derive(Debug, Default)]
struct Row {
    failures: u64,
    held_back: u32,
    /// Orders rows by their last failure.
    last: u64,
}

#[derive(Default)]
struct Rows {
    by_who: HashMap<Who, Row>,
    /// The threshold that the rows were counted under: a new one begins again.
    threshold: u64,
    clock: u64,
}

/// All rows of failures.
#[derive(Default)]
pub struct Attempts(Mutex<Rows>);

/// An answer that is held back; counted until it is dropped.
pub struct HeldBack<'a> {
    attempts: &'a Attempts,
    who: Who,
    pub delay: Duration,
}

impl Drop for HeldBack<'_> {
    fn drop(&mut self) {
        let mut rows = self.attempts.rows();
        if let Some(row) = rows.by_who.get_mut(&self.who) {
            row.held_back = row.held_back.saturating_sub(1);
        }
    }
}

/// As many answers as there may be are held back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crowded;

impl Attempts {
    fn rows(&self) -> std::sync::MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// May a password of this name be looked at? Not while [`HELD_BACK`] answers for it are held back.
    pub fn may_try(&self, user: &str, peer: Peer) -> bool {
        let rows = self.rows();
        rows.by_who.get(&who(user, peer)).is_none_or(|r| r.held_back < HELD_BACK)
    }

    /// Counts a login that was judged. What is returned is to be kept until the answer is sent. An attempt that was let in beside
    /// others, before their failures were known, may find [`HELD_BACK`] answers held back by now: it is refused, whatever it was.
    pub fn judged(
        &self,
        user: &str,
        peer: Peer,
        proved: bool,
        limits: Limits,
    ) -> Result<Option<HeldBack<'_>>, Crowded> {
        let mut rows = self.rows();
        if rows.threshold != limits.threshold {
            rows.by_who.clear();
            rows.threshold = limits.threshold;
        }
        if limits.threshold == 0 {
            return Ok(None);
        }
        let who = who(user, peer);
        if proved && !rows.by_who.contains_key(&who) {
            return Ok(None);
        }
        rows.clock += 1;
        let now = rows.clock;
        if !rows.by_who.contains_key(&who) && rows.by_who.len() >= KEEP {
            rows.forget_oldest();
        }
        let row = rows.by_who.entry(who.clone()).or_default();
        let delay = limits.delay(row.failures);
        if !delay.is_zero() && row.held_back >= HELD_BACK {
            return Err(Crowded);
        }
        row.last = now;
        row.failures = if proved { 0 } else { row.failures + 1 };
        if delay.is_zero() {
            if proved && row.held_back == 0 {
                rows.by_who.remove(&who);
            }
            return Ok(None);
        }
        row.held_back += 1;
        Ok(Some(HeldBack { attempts: self, who, delay }))
    }

    /// Names with failures since their last login: who in MySQL's notation, and how many.
    pub fn failed(&self) -> Vec<(String, u64)> {
        let rows = self.rows();
        let mut all: Vec<_> = rows
            .by_who
            .iter()
            .filter(|(_, row)| row.failures > 0)
            .map(|((user, peer), row)| (format!("'{user}'@'{}'", peer.host()), row.failures))
            .collect();
        all.sort();
        all
    }
}

impl Rows {
    /// Linear, and only a flood of names comes here: it costs its sender a round trip each.
    fn forget_oldest(&mut self) {
        let oldest =
            self.by_who.iter().filter(|(_, r)| r.held_back == 0).min_by_key(|(_, r)| r.last);
        if let Some(who) = oldest.map(|(who, _)| who.clone()) {
            self.by_who.remove(&who);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { threshold: 3, min_delay: 1000, max_delay: 2500 };

    fn delay(a: &Attempts, user: &str, proved: bool) -> u64 {
        let held = a.judged(user, Peer::Local, proved, LIMITS).ok().flatten();
        held.map_or(0, |h| h.delay.as_millis() as u64)
    }

    #[test]
    fn each_failure_beyond_the_threshold_waits_longer_until_the_longest() {
        let a = Attempts::default();
        let delays: Vec<_> = (0..6).map(|_| delay(&a, "u", false)).collect();
        assert_eq!(delays, [0, 0, 0, 1000, 2000, 2500]);
        assert_eq!(a.failed(), [("'u'@'localhost'".to_owned(), 6)]);
        // The right password waits as well, then all is forgotten; others never waited.
        assert_eq!(delay(&a, "other", false), 0);
        assert_eq!(delay(&a, "u", true), 2500);
        assert_eq!(delay(&a, "u", true), 0);
        assert_eq!(delay(&a, "u", false), 0);
    }

    #[test]
    fn an_address_is_not_another() {
        let a = Attempts::default();
        let elsewhere = Peer::Ip([10, 0, 0, 1].into());
        for _ in 0..10 {
            assert!(a.judged("u", elsewhere, false, LIMITS).is_ok());
        }
        assert_eq!(delay(&a, "u", true), 0);
    }

    #[test]
    fn a_new_threshold_begins_anew_and_none_counts_nothing() {
        let a = Attempts::default();
        for _ in 0..5 {
            delay(&a, "u", false);
        }
        let off = Limits { threshold: 0, ..LIMITS };
        assert!(a.judged("u", Peer::Local, false, off).is_ok_and(|h| h.is_none()));
        assert_eq!(a.failed(), []);
        assert_eq!(delay(&a, "u", false), 0);
    }

    #[test]
    fn few_answers_are_held_back_at_a_time() {
        let a = Attempts::default();
        for _ in 0..3 {
            delay(&a, "u", false);
        }
        let held: Vec<_> = (0..HELD_BACK)
            .map(|_| {
                assert!(a.may_try("u", Peer::Local));
                a.judged("u", Peer::Local, false, LIMITS).ok().flatten().expect("held back")
            })
            .collect();
        // One that was let in before: neither a wrong nor a right password is held back, or told.
        for proved in [false, true] {
            assert_eq!(a.judged("u", Peer::Local, proved, LIMITS).err(), Some(Crowded));
        }
        assert!(!a.may_try("u", Peer::Local));
        assert!(a.may_try("other", Peer::Local));
        drop(held);
        assert!(a.may_try("u", Peer::Local));
    }

    #[test]
    fn a_flood_of_names_is_bounded() {
        let a = Attempts::default();
        for i in 0..KEEP + 100 {
            assert!(a.judged(&format!("u{i}"), Peer::Local, false, LIMITS).is_ok());
        }
        assert_eq!(a.failed().len(), KEEP);
        assert!(a.failed().iter().all(|(who, _)| who != "'u0'@'localhost'"));
    }
}
