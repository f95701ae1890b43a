//! A budget of page writes: a number of bytes per second, and per day, for a device that is to be spared.
//!
//! Two buckets that fill at their rates and pay for every page written, no matter who wrote it; a bucket may owe. What is written at
//! a stroke is small against the window in which somebody looks: 0.4 s of the rate against ten seconds, an hour against a day.
//! How much of the hour is left is reckoned from what was written in the last day ([`Past`]), by earlier runs too: neither a
//! restart nor another bound fills it. Where that is not known it is empty.
//!
//! Invariant: without `exceed`, no ten seconds have more than 1.05 times the rate in them, and no day more than its bound.

use super::Settings;

/// Seconds of the rate that may be written at once.
const STROKE: f64 = 0.4;
/// The day's bucket holds an hour of a rate at which 25 hours write a day's bound: an hour saved up and a day are the bound.
const HOUR: f64 = 3600.0;
const DAY: f64 = 25.0 * HOUR;

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// Pages; below zero: owed.
    level: f64,
    /// A second; 0: no bound.
    rate: f64,
    most: f64,
}

impl Bucket {
    const NONE: Bucket = Bucket { level: 0.0, rate: 0.0, most: 0.0 };

    fn full(rate: f64, seconds: f64) -> Bucket {
        let most = (rate * seconds).max(1.0);
        Bucket { level: most, rate, most }
    }

    /// A changed rate begins with a full bucket.
    fn set(&mut self, rate: f64, seconds: f64) {
        if rate != self.rate {
            *self = Bucket::full(rate, seconds);
        }
    }

    fn pass(&mut self, seconds: f64, written: f64) {
        self.level = (self.level + self.rate * seconds - written).min(self.most);
    }

    fn room(&self) -> f64 {
        if self.rate > 0.0 { self.level } else { f64::INFINITY }
    }

    fn per_second(&self) -> f64 {
        if self.rate > 0.0 { self.rate } else { f64::INFINITY }
    }
}

/// Pages written in the last day, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Past {
    /// How many seconds ago an interval ended, and the pages written in it; the longest ago first.
    pub rows: Vec<(f64, u64)>,
    /// Pages of this run that are in `rows`.
    pub counted: u64,
    /// What was written before this run is in `rows` too.
    pub earlier_known: bool,
}

impl Past {
    /// The day's bucket as it would be now; `written`: pages since the engine's start.
    fn day(&self, rate: f64, written: u64) -> Bucket {
        let mut b = Bucket::full(rate, HOUR);
        let mut ago = self.rows.first().map_or(0.0, |r| r.0);
        if !self.earlier_known {
            b.level = 0.0;
        }
        for &(ended, pages) in &self.rows {
            // Nothing is saved up beyond the hour before it is spent.
            b.pass((ago - ended).max(0.0), 0.0);
            b.level -= pages as f64;
            ago = ended;
        }
        b.pass(ago.max(0.0), 0.0);
        // A lower bound than there was may be overrun by days: that is not paid back by standing still.
        b.level = b.level.max(0.0) - written.saturating_sub(self.counted) as f64;
        b
    }
}

/// What a policy tells about its budget, in pages per second; pages written beyond it since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BudgetState {
    pub needed: f64,
    /// 0: there is no budget.
    pub allowed: f64,
    pub exceeded: f64,
}

#[derive(Debug)]
pub struct Budget {
    second: Bucket,
    day: Bucket,
    written: Option<u64>,
    past: Past,
    /// The past is reported again: the day's bucket does not know it yet.
    is_news: bool,
    pub exceeded: f64,
    /// The last plan went beyond it: what is written now is counted as such.
    exceeding: bool,
}

impl Default for Budget {
    fn default() -> Budget {
        let (second, day) = (Bucket::NONE, Bucket::NONE);
        let past = Past::default();
        Budget { second, day, written: None, past, is_news: false, exceeded: 0.0, exceeding: false }
    }
}

impl Budget {
    /// What was written until now; told again before a bound changes.
    pub fn remember(&mut self, past: Past) {
        (self.past, self.is_news) = (past, true);
    }

    /// Time has passed; `written`: pages since the engine's start.
    pub fn pass(&mut self, s: &Settings, seconds: f64, written: u64) {
        let page = s.page_bytes.max(1) as f64;
        self.second.set(s.write_budget * 1e6 / page, STROKE);
        let daily = s.write_budget_daily * 1e12 / DAY / page;
        let new = written.saturating_sub(self.written.replace(written).unwrap_or(written)) as f64;
        let before = self.room();
        self.second.pass(seconds, new);
        match std::mem::take(&mut self.is_news) || daily != self.day.rate {
            true if daily > 0.0 => self.day = self.past.day(daily, written),
            true => self.day = Bucket::NONE,
            false => self.day.pass(seconds, new),
        }
        if self.exceeding {
            self.exceeded += (new - before.max(0.0)).max(0.0).min(new);
            // What had to be is not paid back by standing still afterwards.
            self.second.level = self.second.level.max(0.0);
            self.day.level = self.day.level.max(0.0);
        }
        self.exceeding = false;
    }

    /// Pages that may be written now.
    pub fn room(&self) -> f64 {
        self.second.room().min(self.day.room())
    }

    /// Pages per second that it carries on.
    pub fn rate(&self) -> f64 {
        let day = if self.day.level > 1.0 { f64::INFINITY } else { self.day.per_second() };
        self.second.per_second().min(day)
    }

    /// Seconds until this many pages may be written.
    pub fn wait(&self, pages: f64) -> f64 {
        let of = |b: &Bucket| match b.rate > 0.0 {
            true => ((pages.min(b.most) - b.level) / b.rate).max(0.0),
            false => 0.0,
        };
        of(&self.second).max(of(&self.day))
    }

    /// The greatest stroke.
    pub fn stroke(&self) -> f64 {
        if self.second.rate > 0.0 { self.second.most } else { f64::INFINITY }
    }

    /// What is planned now goes beyond the budget, because something would run out.
    pub fn exceed(&mut self) {
        self.exceeding = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(mb: f64, tb: f64) -> Settings {
        Settings {
            write_budget: mb,
            write_budget_daily: tb,
            page_bytes: 10_000,
            ..Settings::default()
        }
    }

    /// As much as there is room for, looked at every 50 ms; pages written in each second.
    fn greedy(b: &mut Budget, s: &Settings, seconds: usize) -> Vec<f64> {
        let (mut written, mut out) = (0u64, vec![0.0; seconds]);
        for i in 0..seconds * 20 {
            b.pass(s, 0.05, written);
            let n = b.room().max(0.0).floor();
            if n.is_finite() {
                written += n as u64;
                out[i / 20] += n;
            }
        }
        out
    }

    #[test]
    fn any_ten_seconds_keep_to_the_rate() {
        let seen = greedy(&mut Budget::default(), &settings(2.0, 0.0), 100);
        for w in seen.windows(10) {
            let sum: f64 = w.iter().sum();
            assert!((1990.0..=2100.0).contains(&sum), "{sum} of 2000");
        }
    }

    #[test]
    fn a_day_keeps_to_its_bound() {
        // 0.9 TB are 90 million pages; at full speed the hour saved up is gone within seconds.
        let s = settings(0.0, 0.9);
        let mut b = Budget::default();
        let (mut written, mut day) = (0u64, Vec::new());
        for _ in 0..30 * 3600 {
            b.pass(&s, 1.0, written);
            let n = b.room().max(0.0).floor();
            written += n as u64;
            day.push(n);
        }
        for from in (0..day.len() - 86_400).step_by(1000) {
            let sum: f64 = day[from..from + 86_400].iter().sum();
            assert!(sum <= 90e6, "{sum} pages in a day");
        }
        assert!(written as f64 > 0.9 * 90e6 * 30.0 / 25.0);
    }

    /// At full speed for 30 hours with a restart every 20 minutes; what is written in each second.
    fn restarts(recorded: bool) -> Vec<f64> {
        let s = settings(0.0, 0.9);
        let mut all: Vec<f64> = Vec::new();
        for run in 0..90 {
            let now = all.len();
            let row = |(i, n): (usize, &f64)| ((now - i - 1) as f64, *n as u64);
            let from = now.saturating_sub(86_400);
            let past = Past {
                rows: all.iter().enumerate().skip(from).map(row).collect(),
                counted: 0,
                earlier_known: true,
            };
            let (mut b, mut written) = (Budget::default(), 0u64);
            if recorded {
                b.remember(past);
            }
            for _ in 0..1200 {
                b.pass(&s, 1.0, written);
                // What the device writes in a second at most.
                let n = b.room().max(0.0).floor().min(20_000.0);
                written += n as u64;
                all.push(n);
            }
            assert!(!recorded || run > 0 || written > 3_600_000, "the hour is there at first");
        }
        all
    }

    #[test]
    fn restarts_do_not_fill_the_day() {
        for recorded in [true, false] {
            let all = restarts(recorded);
            for from in (0..all.len() - 86_400).step_by(600) {
                let sum: f64 = all[from..from + 86_400].iter().sum();
                assert!(sum <= 90e6, "{sum} pages in a day");
                assert!(sum > 80e6, "{sum} pages in a day");
            }
        }
    }

    #[test]
    fn another_bound_does_not_fill_the_day() {
        let mut b = Budget::default();
        // Ten hours ago nothing was known to be written, an hour ago as much as two hours of the rate.
        let past = |counted| Past {
            rows: vec![(36_000.0, 0), (3600.0, 7_200_000)],
            counted,
            earlier_known: true,
        };
        b.remember(past(5));
        // 1000 pages per second, 3.6 million saved up, and twice that taken from it: owed, and not paid back by waiting.
        b.pass(&settings(0.0, 0.9), 1.0, 5);
        assert_eq!(b.room(), 0.0);
        b.pass(&settings(0.0, 0.9), 1.0, 505);
        assert_eq!(b.room(), 500.0);
        // At twice the rate it would be all paid, and an hour's worth of it is there again; 500 pages are in no row.
        b.remember(past(5));
        b.pass(&settings(0.0, 1.8), 1.0, 505);
        assert_eq!(b.room(), 7_200_000.0 - 500.0);
        // Nothing is known of the time before this run.
        b.remember(Past { rows: vec![(100.0, 20_000), (50.0, 30_000)], ..Past::default() });
        b.pass(&settings(0.0, 0.9), 1.0, 0);
        assert_eq!(b.room(), 50_000.0);
    }

    #[test]
    fn what_others_write_is_paid_and_what_must_be_is_counted() {
        let (s, mut b) = (settings(1.0, 0.0), Budget::default());
        b.pass(&s, 1.0, 0);
        assert_eq!((b.room(), b.rate(), b.exceeded), (40.0, 100.0, 0.0));
        b.pass(&s, 0.1, 100);
        assert_eq!(b.room(), -50.0);
        assert!((b.wait(10.0) - 0.6).abs() < 1e-9);
        b.exceed();
        b.pass(&s, 0.1, 300);
        assert_eq!((b.exceeded, b.room()), (200.0, 0.0));
        // No budget: everything.
        b.pass(&settings(0.0, 0.0), 1.0, 10_000);
        assert!(b.room().is_infinite() && b.rate().is_infinite() && b.wait(1e9) == 0.0);
    }
}
