//! What sessions waited for, second by second: the history says how long by cause, and for the last hour of this run the
//! details say where and because of whom.

use super::seconds::{SECONDS, Second};
use crate::sync::Mutex;
use crate::waits::ledger::Detail;
use crate::waits::{Cause, What};
use std::collections::{HashMap, VecDeque};

/// Details that are kept of one second; what they leave out is summed up by cause.
const KEPT: usize = 8;

/// Microseconds under which a cause is no row.
const LEAST: u64 = 1000;

/// Details of the seconds that had any, oldest first, with the ends of the seconds.
#[derive(Default)]
pub struct Details(Mutex<VecDeque<(u64, Box<[Detail]>)>>);

impl Details {
    /// `details`: the longest first.
    pub fn push(&self, at_micros: u64, mut details: Vec<Detail>) {
        if details.is_empty() {
            return;
        }
        details.truncate(KEPT);
        let mut all = self.0.lock();
        if all.len() == SECONDS {
            all.pop_front();
        }
        all.push_back((at_micros, details.into_boxed_slice()));
    }

    /// Rows of the report for the rows of the history, in its order, within a row the longest first.
    pub fn rows(&self, history: &[Second]) -> Vec<Row> {
        let all = self.0.lock();
        let by_end: HashMap<u64, &[Detail]> = all.iter().map(|(at, d)| (*at, &**d)).collect();
        let of = |s: &Second| match s.seconds {
            1 => by_end.get(&s.at_micros).copied().unwrap_or_default(),
            _ => &[],
        };
        history.iter().flat_map(|s| of_second(s, of(s))).collect()
    }
}

/// A cause in a second, or in ten.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Wall clock at its end, microseconds since 1970.
    pub at_micros: u64,
    pub seconds: u32,
    pub run: u32,
    /// Cause, object and blocker; the last two are empty where only the cause is known.
    pub what: What,
    /// That began in it.
    pub waits: u64,
    pub micros: u64,
    /// Of all waiting in it, from 0 to 1.
    pub share: f64,
    pub commits: u64,
}

fn of_second(s: &Second, details: &[Detail]) -> Vec<Row> {
    let all: u64 = s.waited.micros.iter().sum();
    let row = |what, waits, micros| Row {
        at_micros: s.at_micros,
        seconds: s.seconds,
        run: s.run,
        what,
        waits,
        micros,
        share: micros as f64 / all.max(1) as f64,
        commits: s.commits,
    };
    let mut rest = s.waited;
    let mut rows = Vec::new();
    for d in details {
        let c = d.what.cause as usize;
        // Taken a moment apart from the totals: never more than those say.
        let micros = (d.nanos / 1000).min(rest.micros[c]);
        let waits = d.waits.min(rest.waits[c].into());
        rest.micros[c] -= micros;
        rest.waits[c] -= waits as u32;
        rows.push(row(d.what, waits, micros));
    }
    for c in Cause::ALL {
        let i = *c as usize;
        rows.push(row((*c).into(), rest.waits[i].into(), rest.micros[i]));
    }
    rows.retain(|r| r.micros >= LEAST);
    rows.sort_by_key(|r| std::cmp::Reverse(r.micros));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::seconds::Waited;
    use crate::waits::ledger::Totals;
    use crate::waits::{Blocker, Object};

    fn second(at: u64, waited: &[(Cause, u32, u64)]) -> Second {
        let mut s = Second { at_micros: at, seconds: 1, run: 2, commits: 9, ..Second::default() };
        for (c, waits, micros) in waited {
            s.waited.waits[*c as usize] = *waits;
            s.waited.micros[*c as usize] = *micros;
        }
        s
    }

    fn lock(session: u64, waits: u64, micros: u64) -> Detail {
        let by = Blocker { session, trx: 0 };
        let what = What::new(Cause::RowLock, Object::Index(3)).blocked_by(by);
        Detail { what, waits, nanos: micros * 1000 }
    }

    #[test]
    fn a_second_is_ranked_and_the_rest_told_by_cause() {
        let (lock_1, lock_2) = (lock(1, 2, 6_000_000), lock(2, 1, 1_500_000));
        let details = Details::default();
        details.push(77, vec![lock_1, lock_2]);
        let row = |what: What, waits, micros| (what, waits, micros);
        let table = [
            // What the details leave out: short waits, and other causes.
            (
                second(77, &[(Cause::RowLock, 9, 8_000_000), (Cause::LogSync, 50, 2_000_000)]),
                vec![
                    row(lock_1.what, 2, 6_000_000),
                    row(Cause::LogSync.into(), 50, 2_000_000),
                    row(lock_2.what, 1, 1_500_000),
                    row(Cause::RowLock.into(), 6, 500_000),
                ],
            ),
            // Never more than the totals.
            (second(77, &[(Cause::RowLock, 1, 5_000_000)]), vec![row(lock_1.what, 1, 5_000_000)]),
            // Another second, one of an earlier run, ten seconds: by cause alone.
            (
                second(78, &[(Cause::RowLock, 1, 5_000_000)]),
                vec![row(Cause::RowLock.into(), 1, 5_000_000)],
            ),
            (
                Second { seconds: 10, ..second(77, &[(Cause::RowLock, 1, 5_000_000)]) },
                vec![row(Cause::RowLock.into(), 1, 5_000_000)],
            ),
            // Nothing to speak of.
            (second(77, &[(Cause::PageRead, 3, 999)]), vec![]),
        ];
        for (s, want) in table {
            let rows = details.rows(std::slice::from_ref(&s));
            let got: Vec<_> = rows.iter().map(|r| row(r.what, r.waits, r.micros)).collect();
            assert_eq!(got, want, "{s:?}");
            assert!(rows.iter().all(|r| (r.at_micros, r.run, r.commits) == (s.at_micros, 2, 9)));
            let shares: f64 = rows.iter().map(|r| r.share).sum();
            assert!(rows.is_empty() || (shares - 1.0).abs() < 1e-9, "{shares}");
        }
    }

    #[test]
    fn an_hour_is_kept_of_seconds_with_waits() {
        let d = Details::default();
        for at in 0..SECONDS as u64 + 10 {
            d.push(at, (0..20).map(|i| lock(i, 1, 5_000)).collect());
            d.push(at, Vec::new());
        }
        let of = |at| d.rows(&[second(at, &[(Cause::RowLock, 20, 100_000)])]).len();
        assert_eq!((of(9), of(10), of(SECONDS as u64 + 9)), (1, KEPT + 1, KEPT + 1));
    }

    #[test]
    fn what_a_second_adds() {
        let mut before = Totals::default();
        let mut now = Totals::default();
        (before.waits[2], before.nanos[2]) = (10, 5_000_000);
        (now.waits[2], now.nanos[2]) = (14, 9_000_999);
        // A wait that ended between the two looks at its shard cannot make it negative.
        (before.nanos[3], now.nanos[3]) = (2, 1);
        let w = Waited::between(&now, &before);
        assert_eq!((w.waits[2], w.micros[2], w.micros[3]), (4, 4000, 0));
        let two = w.plus(&w);
        assert_eq!((two.waits[2], two.micros[2]), (8, 8000));
    }
}
