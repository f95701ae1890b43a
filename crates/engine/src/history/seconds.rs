//! The last hour, one row per second, and the last day, a row in ten seconds, for anyone who asks afterwards why it was slow.
//!
//! What earlier runs have left is put in front by the flight recorder (`flight`).

use crate::flush::pressure::Pressure;
use crate::policy::Past;
use crate::sync::Mutex;
use crate::waits::CAUSES;
use crate::waits::ledger::Totals;
use std::collections::VecDeque;

/// Rows kept of each kind: about 1.6 MiB, and 3.8 MiB.
pub const SECONDS: usize = 3600;
pub const TENS: usize = 8640;
/// Seconds in a row of the second kind.
pub const TEN: u32 = 10;

/// Waits of one row of the history, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waited {
    /// That began in it.
    pub waits: [u32; CAUSES],
    /// Sessions' time in it, together.
    pub micros: [u64; CAUSES],
}

impl Waited {
    pub fn between(now: &Totals, before: &Totals) -> Waited {
        let waits = |i: usize| now.waits[i].saturating_sub(before.waits[i]);
        Waited {
            waits: std::array::from_fn(|i| u32::try_from(waits(i)).unwrap_or(u32::MAX)),
            micros: std::array::from_fn(|i| now.nanos[i].saturating_sub(before.nanos[i]) / 1000),
        }
    }

    pub fn plus(&self, other: &Waited) -> Waited {
        Waited {
            waits: std::array::from_fn(|i| self.waits[i].saturating_add(other.waits[i])),
            micros: std::array::from_fn(|i| self.micros[i] + other.micros[i]),
        }
    }
}

/// One second, or ten. Counters are what this time added, the others what they were at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Second {
    /// Wall clock at its end, microseconds since 1970.
    pub at_micros: u64,
    pub policy: &'static str,
    /// Number of the engine's run in this data directory, from 1; 0: nobody counts them.
    pub run: u32,
    /// Length of the row: 1 or 10.
    pub seconds: u32,
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
    /// Changes per second admitted at its end; 0: not limited.
    pub admitted_per_second: u64,
    pub read_micros_avg: u64,
    /// How far the log was durable at its end; 0: not told.
    pub durable: u64,
    pub pressure: Pressure,
    /// Waits of sessions of every kind, by cause.
    pub waited: Waited,
}

impl Second {
    /// This row and the one before it as one: counters add up, the pressure is the greatest.
    fn after(self, before: &Second) -> Second {
        let reads = self.pages_read + before.pages_read;
        let nanos =
            self.read_micros_avg * self.pages_read + before.read_micros_avg * before.pages_read;
        Second {
            seconds: self.seconds + before.seconds,
            log_bytes: self.log_bytes + before.log_bytes,
            changes: self.changes + before.changes,
            commits: self.commits + before.commits,
            pages_dirtied: self.pages_dirtied + before.pages_dirtied,
            pages_read: reads,
            pages_written: self.pages_written + before.pages_written,
            written_dirty: self.written_dirty + before.written_dirty,
            written_age: self.written_age + before.written_age,
            written_extra: self.written_extra + before.written_extra,
            written_free: self.written_free + before.written_free,
            written_users: self.written_users + before.written_users,
            written_rescue: self.written_rescue + before.written_rescue,
            pages_rewritten: self.pages_rewritten + before.pages_rewritten,
            checkpoints: self.checkpoints + before.checkpoints,
            user_waits: self.user_waits + before.user_waits,
            user_wait_micros: self.user_wait_micros + before.user_wait_micros,
            paced_micros: self.paced_micros + before.paced_micros,
            read_micros_avg: nanos.checked_div(reads).unwrap_or(0),
            pressure: if before.pressure.value > self.pressure.value {
                before.pressure
            } else {
                self.pressure
            },
            waited: self.waited.plus(&before.waited),
            ..self
        }
    }
}

#[derive(Default)]
struct Rows {
    run: u32,
    seconds: VecDeque<Second>,
    tens: VecDeque<Second>,
    /// The ten at hand.
    ten: Option<Second>,
    /// Pages written in this run, by its rows.
    written: u64,
}

#[derive(Default)]
pub struct History(Mutex<Rows>);

fn push(to: &mut VecDeque<Second>, row: Second, most: usize) {
    if to.len() == most {
        to.pop_front();
    }
    to.push_back(row);
}

impl History {
    /// A second has ended. Returns it as it is kept, and the ten that ended with it.
    pub fn push(&self, s: Second) -> (Second, Option<Second>) {
        let mut rows = self.0.lock();
        let s = Second { run: rows.run, seconds: 1, ..s };
        rows.written += s.pages_written;
        push(&mut rows.seconds, s.clone(), SECONDS);
        let ten = match rows.ten.take() {
            Some(before) => s.clone().after(&before),
            None => s.clone(),
        };
        if ten.seconds < TEN {
            rows.ten = Some(ten);
            return (s, None);
        }
        push(&mut rows.tens, ten.clone(), TENS);
        (s, Some(ten))
    }

    /// The number of this run; 0: nobody counts them yet.
    pub fn run(&self) -> u32 {
        self.0.lock().run
    }

    /// Puts rows of earlier runs in front, oldest first; this run has the number.
    pub fn restore(&self, run: u32, seconds: Vec<Second>, tens: Vec<Second>) {
        let mut rows = self.0.lock();
        rows.run = run;
        let Rows { seconds: s, tens: t, ten, .. } = &mut *rows;
        s.iter_mut().chain(t.iter_mut()).chain(ten.as_mut()).for_each(|r| r.run = run);
        for (to, list, most) in [(s, seconds, SECONDS), (t, tens, TENS)] {
            let room = most - to.len().min(most);
            let skip = list.len().saturating_sub(room);
            list.into_iter().skip(skip).rev().for_each(|r| to.push_front(r));
        }
    }

    /// The second that ended last.
    pub fn last<T>(&self, of: impl FnOnce(&Second) -> T) -> Option<T> {
        self.0.lock().seconds.back().map(of)
    }

    /// Pages written per second, over the last ten seconds.
    pub fn written_lately(&self) -> f64 {
        let rows = self.0.lock();
        let last = rows.seconds.iter().rev().take(10);
        let n = last.len().max(1);
        last.map(|s| s.pages_written).sum::<u64>() as f64 / n as f64
    }

    /// Pages written in the last day. Of earlier runs nothing is known but by the flight recorder.
    pub fn past(&self, wall_micros: u64) -> Past {
        const DAY: u64 = 86_400_000_000;
        let rows = self.0.lock();
        let from = rows.seconds.front().map_or(u64::MAX, |s| s.at_micros);
        // A ten of which the last seconds are there still counts with them: rather too much than too little.
        let ten = u64::from(TEN) * 1_000_000;
        let old = rows.tens.iter().filter(|t| t.at_micros < from.saturating_add(ten));
        let recent = |s: &&Second| s.at_micros.saturating_add(DAY) > wall_micros;
        let ago = |s: &Second| wall_micros.saturating_sub(s.at_micros) as f64 / 1e6;
        let mut list: Vec<_> =
            old.chain(&rows.seconds).filter(recent).map(|s| (ago(s), s.pages_written)).collect();
        // The wall clock may have been set back.
        list.sort_by(|a, b| b.0.total_cmp(&a.0));
        Past { rows: list, counted: rows.written, earlier_known: rows.run > 0 }
    }

    /// Oldest first: tens, and from where there are seconds on those.
    pub fn rows(&self) -> Vec<Second> {
        let rows = self.0.lock();
        let from = rows.seconds.front().map_or(u64::MAX, |s| s.at_micros);
        let old = rows.tens.iter().filter(|t| t.at_micros < from);
        old.chain(&rows.seconds).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waits::CAUSES;

    fn second(at: u64) -> Second {
        Second { at_micros: at * 1_000_000, commits: 3, dirty_pages: at, ..Second::default() }
    }

    #[test]
    fn the_oldest_goes_and_stays_as_tens() {
        let h = History::default();
        for i in 1..=SECONDS as u64 + 25 {
            h.push(second(i));
        }
        let rows = h.rows();
        assert_eq!(rows.len(), 2 + SECONDS);
        let ten = &rows[1];
        assert_eq!((ten.seconds, ten.commits, ten.dirty_pages), (10, 30, 20));
        assert_eq!((rows[2].seconds, rows[2].dirty_pages), (1, 26));
    }

    #[test]
    fn earlier_runs_stand_in_front() {
        let h = History::default();
        h.push(second(100));
        let old = |at| Second { run: 1, seconds: 1, ..second(at) };
        h.restore(2, (1..=SECONDS as u64).map(old).collect(), vec![old(0)]);
        let rows = h.rows();
        assert_eq!(rows.len(), 1 + SECONDS);
        let seen = |i: usize| (rows[i].run, rows[i].dirty_pages);
        assert_eq!((seen(0), seen(1), seen(SECONDS)), ((1, 0), (1, 2), (2, 100)));
        assert_eq!(h.push(second(101)).0.run, 2);
    }

    #[test]
    fn the_past_is_a_day_of_all_runs() {
        let h = History::default();
        let wrote = |at, pages| Second { pages_written: pages, ..second(at) };
        h.push(wrote(200_100, 5));
        let now = 200_101_000_000;
        let past = h.past(now);
        assert_eq!((past.rows, past.counted, past.earlier_known), (vec![(1.0, 5)], 5, false));
        h.restore(2, vec![wrote(190_000, 7)], vec![wrote(113_700, 8), wrote(113_800, 9)]);
        let past = h.past(now);
        assert_eq!(past.rows, [(86_301.0, 9), (10_101.0, 7), (1.0, 5)]);
        assert_eq!((past.counted, past.earlier_known), (5, true));
    }

    #[test]
    fn a_ten_adds_up() {
        let r = |reads, micros, value| Second {
            seconds: 1,
            pages_read: reads,
            read_micros_avg: micros,
            pressure: Pressure { value, ..Pressure::default() },
            waited: Waited { micros: [reads; CAUSES], ..Waited::default() },
            ..Second::default()
        };
        let both = r(30, 100, 5).after(&r(10, 500, 600));
        assert_eq!(both.waited.micros, [40; CAUSES]);
        assert_eq!((both.pages_read, both.read_micros_avg, both.pressure.value), (40, 200, 600));
        assert_eq!(r(0, 0, 0).after(&r(0, 0, 0)).read_micros_avg, 0);
    }
}
