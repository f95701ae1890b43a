//! A user's side: one number appended for each transaction.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How an attempt at a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Outcome {
    Done = 0,
    /// Rolled back because the workload wants it so; counts as done.
    RolledBack = 1,
    /// Undone by a deadlock or a lock wait that took too long; another attempt follows.
    Retried = 2,
    /// Given up.
    Failed = 3,
}

/// Nanoseconds in the low 56 bits, outcome in two, kind in six.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample(u64);

const NANOS_BITS: u32 = 56;

impl Sample {
    pub fn new(kind: usize, outcome: Outcome, took: Duration) -> Sample {
        let nanos = (took.as_nanos() as u64).min((1 << NANOS_BITS) - 1);
        Sample((kind as u64) << 58 | (outcome as u64) << NANOS_BITS | nanos)
    }

    pub fn kind(self) -> usize {
        (self.0 >> 58) as usize
    }

    pub fn outcome(self) -> Outcome {
        match self.0 >> NANOS_BITS & 3 {
            0 => Outcome::Done,
            1 => Outcome::RolledBack,
            2 => Outcome::Retried,
            _ => Outcome::Failed,
        }
    }

    pub fn nanos(self) -> u64 {
        self.0 & ((1 << NANOS_BITS) - 1)
    }
}

/// What a user thread shares with the ticker.
#[derive(Debug, Default)]
pub struct UserStats {
    samples: Mutex<Vec<Sample>>,
    pub statements: AtomicU64,
    /// Statements by sysbench's classes: read, write, other.
    pub classes: [AtomicU64; 3],
    /// Transactions done and the time spent in them, for fairness.
    pub events: AtomicU64,
    pub busy_nanos: AtomicU64,
}

impl UserStats {
    /// Moves all samples out; the list's memory goes back and forth.
    pub fn drain(&self, into: &mut Vec<Sample>) {
        into.clear();
        let mut list = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut *list, into);
    }
}

/// Records the transactions of one user.
pub struct Recorder {
    stats: Arc<UserStats>,
    begun: Instant,
    /// Each attempt is timed on its own: the time of failed ones is lost, as in tpcc-mysql.
    pub restart_on_retry: bool,
}

impl Recorder {
    pub fn new(stats: Arc<UserStats>, restart_on_retry: bool) -> Recorder {
        Recorder { stats, begun: Instant::now(), restart_on_retry }
    }

    /// A transaction is due. With a rate that is when it should have begun, so that a stall shows in all that had to wait.
    pub fn begin(&mut self, due: Instant) {
        self.begun = due;
    }

    pub fn end(&mut self, kind: usize, outcome: Outcome) {
        let now = Instant::now();
        let took = now.saturating_duration_since(self.begun);
        {
            let mut list = self.stats.samples.lock().unwrap_or_else(PoisonError::into_inner);
            list.push(Sample::new(kind, outcome, took));
        }
        match outcome {
            Outcome::Retried if self.restart_on_retry => self.begun = now,
            Outcome::Retried => {}
            _ => {
                self.stats.events.fetch_add(1, Ordering::Relaxed);
                self.stats.busy_nanos.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
            }
        }
    }

    pub fn statements(&self, n: u64) {
        self.stats.statements.fetch_add(n, Ordering::Relaxed);
    }

    pub fn classes(&self, read: u64, write: u64, other: u64) {
        for (counter, n) in self.stats.classes.iter().zip([read, write, other]) {
            counter.fetch_add(n, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_hold_their_parts() {
        let s = Sample::new(4, Outcome::Failed, Duration::from_nanos(123_456_789_012));
        assert_eq!((s.kind(), s.outcome(), s.nanos()), (4, Outcome::Failed, 123_456_789_012));
        let s = Sample::new(0, Outcome::Done, Duration::ZERO);
        assert_eq!((s.kind(), s.outcome(), s.nanos()), (0, Outcome::Done, 0));
    }

    #[test]
    fn a_late_start_counts_from_when_it_was_due() {
        let stats = Arc::new(UserStats::default());
        let mut r = Recorder::new(stats.clone(), false);
        r.begin(Instant::now() - Duration::from_secs(5));
        r.end(0, Outcome::Retried);
        r.end(0, Outcome::Done);
        let mut list = Vec::new();
        stats.drain(&mut list);
        assert_eq!(list.len(), 2);
        assert!(list.iter().all(|s| s.nanos() >= 5_000_000_000));
        assert_eq!(stats.events.load(Ordering::Relaxed), 1);
    }
}
