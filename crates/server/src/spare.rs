//! What a listener does when the process has no descriptor left: it gives up one that it keeps for this, takes the client,
//! tells it, and lets it go. Without it the client would wait, neither refused nor served, for as long as descriptors are scarce.

use std::fs::File;
use std::time::{Duration, Instant};

/// Times between two messages about clients that could not be taken.
const TOLD_EVERY: Duration = Duration::from_secs(10);
/// EMFILE and ENFILE: the process, or the system, has no descriptor left.
const EXHAUSTED: [i32; 2] = [24, 23];

/// A descriptor in reserve, and what has been said of its use.
#[derive(Default)]
pub struct Spare {
    kept: Option<File>,
    told: Option<Instant>,
    untold: u64,
}

impl Spare {
    pub fn new() -> Spare {
        let mut spare = Spare::default();
        spare.keep();
        spare
    }

    /// Takes a descriptor in reserve again. False: there is none, so anyone who comes next cannot be served.
    pub fn keep(&mut self) -> bool {
        if self.kept.is_none() {
            self.kept = File::open("/dev/null").ok();
        }
        self.kept.is_some()
    }

    /// Gives the reserve up where that helps against `e`.
    pub fn give_up(&mut self, e: &std::io::Error) -> bool {
        let exhausted = e.raw_os_error().is_some_and(|n| EXHAUSTED.contains(&n));
        exhausted && self.kept.take().is_some()
    }

    /// The message about a client that could not be taken: now and then only, with the number of those since the last one.
    pub fn tell(&mut self, why: &str, now: Instant) -> Option<String> {
        self.untold += 1;
        if self.told.is_some_and(|t| now - t < TOLD_EVERY) {
            return None;
        }
        let n = std::mem::take(&mut self.untold);
        self.told = Some(now);
        Some(match n {
            1 => format!("cannot accept a connection: {why}"),
            _ => format!("cannot accept {n} connections: {why}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_given_up_for_want_of_descriptors_only() {
        let mut spare = Spare::new();
        let of = std::io::Error::from_raw_os_error;
        assert!(!spare.give_up(&of(104)));
        assert!(spare.give_up(&of(24)));
        assert!(!spare.give_up(&of(24)), "it is gone");
        assert!(spare.keep() && spare.give_up(&of(23)));
    }

    #[test]
    fn messages_are_few_and_count() {
        let mut spare = Spare::default();
        let begin = Instant::now();
        let at = |s: u64| begin + Duration::from_secs(s);
        assert_eq!(spare.tell("x", at(0)).as_deref(), Some("cannot accept a connection: x"));
        assert_eq!(spare.tell("x", at(1)), None);
        assert_eq!(spare.tell("x", at(9)), None);
        assert_eq!(spare.tell("x", at(10)).as_deref(), Some("cannot accept 3 connections: x"));
    }
}
