//! The last minutes, a row a second, for whoever asks afterwards why it was slow.

use super::pressure::Pressure;
use crate::sync::Mutex;
use std::collections::VecDeque;

/// Rows kept: a quarter of an hour, about 200 KiB.
pub const ROWS: usize = 900;

/// One second. Counters are what this second added, the others what they were at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second {
    /// Wall clock at its end, microseconds since 1970.
    pub at_micros: u64,
    pub policy: &'static str,
    pub dirty_pages: u64,
    pub pool_pages: u64,
    pub free_pages: u64,
    pub modified_age: u64,
    pub checkpoint_age: u64,
    pub log_capacity: u64,
    pub log_bytes: u64,
    pub changes: u64,
    pub commits: u64,
    pub pages_dirtied: u64,
    pub pages_read: u64,
    pub pages_written: u64,
    /// By cause: dirty share, age, extra; for free frames; by sessions; rescue and stop.
    pub written_dirty: u64,
    pub written_age: u64,
    pub written_extra: u64,
    pub written_free: u64,
    pub written_users: u64,
    pub written_rescue: u64,
    pub pages_rewritten: u64,
    pub checkpoints: u64,
    /// Waits by sessions for page writes, batches, checkpoints, log space and frames; microseconds together.
    pub user_waits: u64,
    pub user_wait_micros: u64,
    /// Microseconds of delays by admission, together.
    pub paced_micros: u64,
    /// Changes a second admitted at its end; 0: not limited.
    pub admitted_per_second: u64,
    pub read_micros_avg: u64,
    pub pressure: Pressure,
}

#[derive(Default)]
pub struct History(Mutex<VecDeque<Second>>);

impl History {
    pub fn push(&self, s: Second) {
        let mut rows = self.0.lock();
        if rows.len() == ROWS {
            rows.pop_front();
        }
        rows.push_back(s);
    }

    /// The second that ended last.
    pub fn last<T>(&self, of: impl FnOnce(&Second) -> T) -> Option<T> {
        self.0.lock().back().map(of)
    }

    /// Oldest first.
    pub fn rows(&self) -> Vec<Second> {
        self.0.lock().iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes() {
        let h = History::default();
        for i in 0..ROWS as u64 + 5 {
            h.push(Second { at_micros: i, ..Second::default() });
        }
        let rows = h.rows();
        assert_eq!((rows.len(), rows[0].at_micros), (ROWS, 5));
    }
}
