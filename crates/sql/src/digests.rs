//! What statements came to, by their digests: the table behind `events_statements_summary_by_digest`.
//!
//! A [`Summary`] is a row of relaxed atomics that sessions add to when a statement has ended, in stripes: one for each lane of threads
//! ([`weir_engine::lane`]), and some for all others. Each number is right, but a
//! reader may see one statement in some of them only. Rows are never taken away but by TRUNCATE, and their number is bounded:
//! what comes when all are taken goes to one row without a digest, as in MySQL. A session that kept a row over a TRUNCATE notices by
//! the table's generation.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use weir_engine::cost::{self, COSTS, Costs};
use weir_engine::lane::{self, LANES};

/// The table of performance_schema that shows them.
pub const TABLE: &str = "events_statements_summary_by_digest";

/// Counters of a statement, in the order of [`Summary::counted`]; see `session::tally` for what they count.
pub const COUNTED: usize = 8;

/// Seconds after which the statement that is shown as an example is old, whatever it took.
const SAMPLE_MICROS: u64 = 60 * 1_000_000;
/// Bytes of the example: `performance_schema_max_sql_text_length`.
const SAMPLE_BYTES: usize = 1024;

/// Classes of duration to a doubling, and the number of all.
const CLASSES_TO_TWICE: u32 = 4;
const CLASSES: usize = 160;

/// One statement that has ended. Times in nanoseconds, points in time in microseconds since 1970 UTC.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ended {
    pub nanos: u64,
    pub lock_nanos: u64,
    pub at_micros: u64,
    pub failed: bool,
    pub warnings: u64,
    pub affected: u64,
    pub sent: u64,
    pub examined: u64,
    pub counted: [u64; COUNTED],
    /// Bytes of memory that the session had charged at most.
    pub memory: u64,
}

/// The longest statement of late.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    pub text: String,
    pub at_micros: u64,
    pub nanos: u64,
}

/// What the sessions of one stripe have added. Sessions of different processors write different lines of memory.
#[repr(align(64))]
struct Stripe {
    sums: [AtomicU64; SUMS],
    durations: [AtomicU64; CLASSES],
}

/// Stripes that all threads may add to, by sessions. A stripe is made when it is needed.
const STRIPES: usize = 4;
/// Statements of a class of duration after which a row has a stripe for each lane that comes: most texts are seldom run, and a stripe
/// takes 1.5 KiB.
const OFTEN: u64 = 64;
/// [`Sums`] as they are added up.
const SUMS: usize = 7 + COUNTED + COSTS;

/// A stripe of several threads, which add to it in turn: one lock of a line of memory for a statement, not one for each sum.
#[derive(Default)]
struct Shared {
    turn: Mutex<()>,
    stripe: Stripe,
}

impl Default for Stripe {
    fn default() -> Stripe {
        Stripe {
            sums: [const { AtomicU64::new(0) }; SUMS],
            durations: [const { AtomicU64::new(0) }; CLASSES],
        }
    }
}

impl Stripe {
    /// Adds a statement, and what its thread has spent since the one before. No other thread adds to this stripe meanwhile.
    #[inline]
    fn add(&self, e: &Ended, class: usize) {
        let add = |to: &AtomicU64, n: u64| {
            if n > 0 {
                lane::step(to, n);
            }
        };
        let first =
            [e.nanos, e.lock_nanos, e.failed.into(), e.warnings, e.affected, e.sent, e.examined];
        self.sums.iter().zip(first).for_each(|(to, n)| add(to, n));
        // A search by a key steps none of them.
        if e.counted != [0; COUNTED] {
            self.sums[7..].iter().zip(e.counted).for_each(|(to, n)| add(to, n));
        }
        let costs = &self.sums[7 + COUNTED..];
        cost::drain(|n, cost| add(&costs[n], cost));
        lane::step(&self.durations[class], 1);
    }
}

/// What the statements of a row came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub count: u64,
    pub nanos: u64,
    pub lock_nanos: u64,
    pub errors: u64,
    pub warnings: u64,
    pub affected: u64,
    pub sent: u64,
    pub examined: u64,
    pub counted: [u64; COUNTED],
    pub costs: Costs,
}

/// All statements of one digest in one schema.
pub struct Summary {
    pub schema: Option<String>,
    /// None: those for which no row was left.
    pub text: Option<String>,
    pub min_nanos: AtomicU64,
    pub max_nanos: AtomicU64,
    pub first_micros: AtomicU64,
    /// To the second.
    pub last_micros: AtomicU64,
    /// Bytes of memory that a session had charged at most.
    pub max_memory: AtomicU64,
    stripes: [OnceLock<Box<Shared>>; STRIPES],
    /// Only the thread in a lane writes its stripe.
    lanes: [OnceLock<Box<Stripe>>; LANES],
    /// When the example was taken.
    sampled_micros: AtomicU64,
    sample: Mutex<Sample>,
}

/// The class of a duration: four to each doubling, so that its upper end is at most a quarter beyond it.
fn class(nanos: u64) -> usize {
    let bits = u64::BITS - nanos.leading_zeros();
    if bits <= 2 {
        return nanos as usize;
    }
    let within = (nanos >> (bits - 3)) & 3;
    let class = ((bits - 2) * CLASSES_TO_TWICE) as usize + within as usize;
    class.min(CLASSES - 1)
}

/// The longest duration of a class.
fn end_of(class: usize) -> u64 {
    if class < CLASSES_TO_TWICE as usize {
        return class as u64;
    }
    let bits = (class as u32) / CLASSES_TO_TWICE + 2;
    let within = class as u64 % u64::from(CLASSES_TO_TWICE);
    let start = (4 + within) << (bits - 3);
    start + (1 << (bits - 3)) - 1
}

/// How long many statements took, by classes of duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Durations {
    counts: [u64; CLASSES],
    /// All of them together.
    pub nanos: u64,
}

impl Default for Durations {
    fn default() -> Durations {
        Durations { counts: [0; CLASSES], nanos: 0 }
    }
}

impl Durations {
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// How many took less than 2^`bits` nanoseconds: exact, because a class never has both sides of a power of two.
    pub fn below(&self, bits: u32) -> u64 {
        self.counts[..class(1 << bits)].iter().sum()
    }

    /// How many took from how long to how long, in nanoseconds.
    pub fn classes(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let from = |class: usize| if class == 0 { 0 } else { end_of(class - 1) + 1 };
        self.counts.iter().enumerate().map(move |(class, n)| (from(class), end_of(class), *n))
    }

    /// What came since `before`. A TRUNCATE of the summaries in between makes it what there is now.
    pub fn since(&self, before: &Durations) -> Durations {
        if self.nanos < before.nanos || self.counts.iter().zip(&before.counts).any(|(a, b)| a < b) {
            return self.clone();
        }
        let counts = std::array::from_fn(|n| self.counts[n] - before.counts[n]);
        Durations { counts, nanos: self.nanos - before.nanos }
    }

    /// The duration below which `share` of the statements ended, in nanoseconds; at most a quarter too long. 0: there was none.
    pub fn quantile(&self, share: f64) -> u64 {
        let wanted = (self.count() as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (class, n) in self.counts.iter().enumerate() {
            seen += n;
            if seen >= wanted && *n > 0 {
                return end_of(class);
            }
        }
        0
    }
}

impl Summary {
    fn new(schema: Option<String>, text: Option<String>, now: u64) -> Summary {
        Summary {
            schema,
            text,
            min_nanos: AtomicU64::new(u64::MAX),
            max_nanos: AtomicU64::default(),
            first_micros: AtomicU64::new(now),
            last_micros: AtomicU64::new(now),
            max_memory: AtomicU64::default(),
            stripes: Default::default(),
            lanes: Default::default(),
            sampled_micros: AtomicU64::default(),
            sample: Mutex::default(),
        }
    }

    /// Called by the thread that has run the statement. `session` chooses the stripe; `text` gives the statement as it may be shown, and
    /// is asked for where it becomes the example.
    pub fn ended(&self, e: &Ended, session: u64, text: impl FnOnce() -> Vec<u8>) {
        let class = class(e.nanos);
        let lane = lane::current();
        match lane.and_then(|lane| self.lanes[lane].get()) {
            Some(mine) => mine.add(e, class),
            None => {
                let shared = self.stripes[session as usize % STRIPES].get_or_init(Box::default);
                {
                    let _turn = shared.turn.lock().unwrap_or_else(PoisonError::into_inner);
                    shared.stripe.add(e, class);
                }
                if let Some(lane) = lane
                    && shared.stripe.durations[class].load(Relaxed) >= OFTEN
                {
                    self.lanes[lane].get_or_init(Box::default);
                }
            }
        }
        // What all sessions share is written when it changes, which is seldom.
        if e.memory > self.max_memory.load(Relaxed) {
            self.max_memory.fetch_max(e.memory, Relaxed);
        }
        if e.nanos < self.min_nanos.load(Relaxed) {
            self.min_nanos.fetch_min(e.nanos, Relaxed);
        }
        if e.at_micros / 1_000_000 != self.last_micros.load(Relaxed) / 1_000_000 {
            self.last_micros.store(e.at_micros, Relaxed);
        }
        // The longest of all is an example at once; another one becomes it when that is old.
        let longest = e.nanos > self.max_nanos.load(Relaxed);
        if longest {
            self.max_nanos.fetch_max(e.nanos, Relaxed);
        }
        let age = e.at_micros.saturating_sub(self.sampled_micros.load(Relaxed));
        if longest || age > SAMPLE_MICROS {
            let mut text = text();
            text.truncate(SAMPLE_BYTES);
            let text = String::from_utf8_lossy(&text).into_owned();
            self.sampled_micros.store(e.at_micros, Relaxed);
            *self.sample.lock().unwrap_or_else(PoisonError::into_inner) =
                Sample { text, at_micros: e.at_micros, nanos: e.nanos };
        }
    }

    fn made(&self) -> impl Iterator<Item = &Stripe> {
        let shared = self.stripes.iter().filter_map(|s| Some(&s.get()?.stripe));
        shared.chain(self.lanes.iter().filter_map(|s| Some(&**s.get()?)))
    }

    pub fn sums(&self) -> Sums {
        let sum = |n: usize| self.made().map(|s| s.sums[n].load(Relaxed)).sum();
        Sums {
            count: self.durations().count(),
            nanos: sum(0),
            lock_nanos: sum(1),
            errors: sum(2),
            warnings: sum(3),
            affected: sum(4),
            sent: sum(5),
            examined: sum(6),
            counted: std::array::from_fn(|n| sum(7 + n)),
            costs: std::array::from_fn(|n| sum(7 + COUNTED + n)),
        }
    }

    /// The duration below which `share` of the statements ended, in nanoseconds; at most a quarter too long.
    pub fn quantile(&self, share: f64) -> u64 {
        self.durations().quantile(share).min(self.max_nanos.load(Relaxed))
    }

    /// How long they took.
    pub fn durations(&self) -> Durations {
        let mut all = Durations::default();
        self.add_durations(&mut all);
        all
    }

    fn add_durations(&self, all: &mut Durations) {
        for stripe in self.made() {
            for (to, from) in all.counts.iter_mut().zip(&stripe.durations) {
                *to += from.load(Relaxed);
            }
            all.nanos += stripe.sums[0].load(Relaxed);
        }
    }

    pub fn sample(&self) -> Sample {
        self.sample.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Default)]
struct Rows {
    /// By schema and digest text.
    map: HashMap<(Option<String>, String), Arc<Summary>>,
    /// Of all that found no row.
    lost: Option<Arc<Summary>>,
}

/// All digests of a server.
pub struct Digests {
    rows: RwLock<Rows>,
    generation: AtomicU64,
    /// Rows at most; 0: statements are not summarised.
    most: usize,
}

impl Digests {
    pub fn new(most: usize) -> Digests {
        Digests { rows: RwLock::default(), generation: AtomicU64::new(0), most }
    }

    pub fn are_kept(&self) -> bool {
        self.most > 0
    }

    /// Changes when the rows that were handed out are no longer those of the table.
    pub fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    pub fn row(&self, schema: Option<&str>, text: String, now: u64) -> Arc<Summary> {
        let key = (schema.map(str::to_owned), text);
        if let Some(row) = self.rows.read().unwrap_or_else(PoisonError::into_inner).map.get(&key) {
            return row.clone();
        }
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        let Rows { map, lost } = &mut *rows;
        if !map.contains_key(&key) && map.len() >= self.most {
            return lost.get_or_insert_with(|| Arc::new(Summary::new(None, None, now))).clone();
        }
        let fresh = || Arc::new(Summary::new(key.0.clone(), Some(key.1.clone()), now));
        map.entry(key.clone()).or_insert_with(fresh).clone()
    }

    /// All rows, the older first.
    pub fn list(&self) -> Vec<Arc<Summary>> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = rows.map.values().cloned().collect();
        all.sort_by_key(|r| r.first_micros.load(Relaxed));
        all.extend(rows.lost.clone());
        all
    }

    /// How long the statements of all rows took.
    pub fn durations(&self) -> Durations {
        let mut all = Durations::default();
        self.list().iter().for_each(|row| row.add_durations(&mut all));
        all
    }

    /// TRUNCATE TABLE.
    pub fn clear(&self) {
        *self.rows.write().unwrap_or_else(PoisonError::into_inner) = Rows::default();
        self.generation.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_in_order_and_close() {
        let mut last = 0;
        for nanos in (0..200u64).chain((8..40).flat_map(|b| [(1 << b) - 1, 1 << b, (1 << b) + 77]))
        {
            let c = class(nanos);
            assert!(c >= last || nanos < 8, "{nanos}");
            last = c;
            let end = end_of(c);
            assert!(end >= nanos && end as f64 <= nanos as f64 * 1.26 + 1.0, "{nanos} {end}");
        }
    }

    #[test]
    fn threads_with_and_without_a_lane_add_to_the_same_row() {
        const EACH: u64 = 200;
        let digests = Digests::new(1);
        let row = digests.row(None, "SELECT ?".into(), 5);
        std::thread::scope(|s| {
            for n in 0..6u64 {
                let row = &row;
                s.spawn(move || {
                    let _lane = (n % 2 == 0).then(lane::Lane::take);
                    for _ in 0..EACH {
                        row.ended(&Ended { nanos: 1000, sent: 2, ..Ended::default() }, n, Vec::new);
                    }
                });
            }
        });
        let sums = row.sums();
        assert_eq!((sums.count, sums.nanos, sums.sent), (6 * EACH, 6000 * EACH, 12 * EACH));
        assert!(row.lanes.iter().any(|l| l.get().is_some()));
        let seldom = digests.row(Some("lost"), "SELECT ? + ?".into(), 5);
        let _lane = lane::Lane::take();
        seldom.ended(&Ended::default(), 1, Vec::new);
        assert!(
            seldom.lanes.iter().all(|l| l.get().is_none()),
            "what is seldom run has one stripe"
        );
    }

    #[test]
    fn quantiles_samples_and_the_last_row() {
        let digests = Digests::new(1);
        let row = digests.row(Some("a"), "SELECT ?".into(), 5);
        for n in 1..=1000u64 {
            let e = Ended { nanos: n * 1000, at_micros: n, ..Ended::default() };
            row.ended(&e, n, || format!("select {n}").into_bytes());
        }
        let near = |share: f64, want: f64| {
            let got = row.quantile(share) as f64;
            assert!(got >= want && got <= want * 1.26, "{share}: {got}");
        };
        near(0.5, 500_000.0);
        near(0.95, 950_000.0);
        assert_eq!((row.sample().text.as_str(), row.sample().nanos), ("select 1000", 1_000_000));
        assert_eq!(digests.row(Some("a"), "SELECT ?".into(), 9).sums().count, 1000);
        assert_eq!(digests.row(Some("b"), "SELECT ?".into(), 9).text, None, "no row is left");
        assert_eq!(digests.list().len(), 2);
        let all = digests.durations();
        assert_eq!((all.count(), all.nanos), (1000, 500_500_000));
        // 2^19 is 524,288.
        assert_eq!((all.below(9), all.below(19), all.below(40)), (0, 524, 1000));
        row.ended(&Ended { nanos: 5_000_000, ..Ended::default() }, 0, Vec::new);
        let later = digests.durations().since(&all);
        assert_eq!((later.count(), later.nanos), (1, 5_000_000));
        assert!((5_000_000..6_300_000).contains(&later.quantile(0.5)));
        assert_eq!(Durations::default().since(&all), Durations::default(), "a TRUNCATE");
        let before = digests.generation();
        digests.clear();
        assert!(digests.list().is_empty() && digests.generation() != before);
    }
}
