//! Floor 0: Who waits for what: the ledger of waits and the watchdog for commits that have stopped.
//!
//! A wait is noted by a guard ([`Waiting`]) that is made where the wait begins and dropped where it ends, around waiting
//! alone and never around another guard: so times add up to the sessions' own. Where a wait is often over before it begins,
//! [`Waits::during`] makes the guard when the future is first not ready. `cause` says what there is to wait for, `ledger` keeps
//! it, `stall` watches; `history::report` ranks it.
//!
//! May use: `weir_rt`, and the names of pages and spaces. Knows no pages, no logs, no transactions: everything that waits uses it.
//!
//! Invariants
//! - Where nothing waits there is no clock read, no allocation and no lock.
//! - The mutexes here are held for a few moves of memory, and nothing is asked of anybody else under them: what the
//!   engine is stuck in cannot keep a reader out.
//! - Memory is bounded: records by `RECORDS`, open waits by the sessions there are.

mod cause;
pub(crate) mod ledger;
mod scarcity;
pub mod stall;

pub use cause::{Blocker, CAUSES, Cause, Object, What};
pub use ledger::{Detail, NOTED, Open, Record, SHOWN, Text, Totals};
pub use scarcity::Scarcity;

use crate::cost;
use crate::sync::{Mutex, RwLock};
use ledger::{Long, Shard};
use std::future::Future;
use std::sync::Arc;
use weir_rt::{Actor, Nanos, Rt};

/// Writes the start of what a session executes into the buffer; returns its length.
pub type StatementFn = Arc<dyn Fn(u64, &mut [u8; SHOWN]) -> usize + Send + Sync>;

const SHARDS: usize = if cfg!(any(shuttle, miri)) { 1 } else { 8 };

/// With the coarse clock, up to 20 ms old at both ends, a wait is long from here on.
const NOTED_COARSELY: Nanos = 25_000_000;

pub struct Waits {
    rt: Rt,
    shards: [Mutex<Shard>; SHARDS],
    statement: RwLock<Option<StatementFn>>,
}

/// A session waits while this lives.
#[must_use]
pub struct Waiting<'a> {
    waits: &'a Waits,
    /// `None`: a task that no session waits for.
    entry: Option<Entry>,
}

/// A wait that outlives anyone who began it; ended by [`Waits::end_kept`].
#[must_use]
pub struct Kept(Option<Entry>);

struct Entry {
    id: u64,
    session: u64,
    begun: Nanos,
    coarse: bool,
    /// Charged to the thread on which the wait ends; none where somebody else ends it.
    cause: Option<Cause>,
}

impl Waits {
    pub fn new(rt: Rt) -> Arc<Waits> {
        Arc::new(Waits {
            rt,
            shards: std::array::from_fn(|_| Mutex::new(Shard::default())),
            statement: RwLock::new(None),
        })
    }

    /// From now on records have the start of the statement that waited.
    pub fn read_statements_by(&self, f: StatementFn) {
        *self.statement.write() = Some(f);
    }

    fn shard(&self, session: u64) -> &Mutex<Shard> {
        &self.shards[(session % SHARDS as u64) as usize]
    }

    /// A wait begins.
    pub fn begin(&self, what: impl Into<What>) -> Waiting<'_> {
        self.enter(what.into(), false, || self.rt.now())
    }

    /// The same for a caller that has read the clock already.
    pub fn begin_at(&self, begun: Nanos, what: impl Into<What>) -> Waiting<'_> {
        self.enter(what.into(), false, || begun)
    }

    /// The same for what hardly ever waits: reads no clock, and is exact over many waits, not over one.
    pub fn begin_coarsely(&self, what: impl Into<What>) -> Waiting<'_> {
        self.enter(what.into(), true, || self.rt.coarse_now())
    }

    fn enter(&self, what: What, coarse: bool, begun: impl FnOnce() -> Nanos) -> Waiting<'_> {
        let entry = Actor::current().id().map(|id| {
            let session = if id == 0 { what.session } else { id };
            let what = What { session, ..what };
            let cause = Some(what.cause);
            let begun = begun();
            let id = self.shard(session).lock().enter(what, begun);
            Entry { id, session, begun, coarse, cause }
        });
        Waiting { waits: self, entry }
    }

    /// A wait that somebody else ends.
    pub fn keep(&self, now: Nanos, what: impl Into<What>) -> Kept {
        let entry = self.begin_at(now, what).entry.take();
        Kept(entry.map(|e| Entry { cause: None, ..e }))
    }

    pub fn end_kept(&self, kept: Kept) {
        drop(Waiting { waits: self, entry: kept.0 });
    }

    /// `f`, a wait from the first time that it is not ready.
    pub async fn during<F: Future>(&self, what: impl FnOnce() -> What, f: F) -> F::Output {
        let mut f = std::pin::pin!(f);
        let mut what = Some(what);
        let mut waiting = None;
        std::future::poll_fn(|cx| {
            let polled = f.as_mut().poll(cx);
            if polled.is_pending()
                && let Some(what) = what.take()
            {
                waiting = Some(self.begin(what()));
            }
            if polled.is_ready() {
                waiting = None;
            }
            polled
        })
        .await
    }

    /// The start of what a session executes.
    pub fn statement_of(&self, session: u64) -> Text {
        let by = self.statement.read().clone();
        let Some(by) = by.filter(|_| session != 0) else { return Text::default() };
        let mut text = [0; SHOWN];
        let len = by(session, &mut text);
        Text::new(&text[..len.min(SHOWN)])
    }

    /// By cause since the start, waits under way included.
    pub fn totals(&self) -> Totals {
        let (now, mut t) = (self.rt.now(), Totals::default());
        self.shards.iter().for_each(|s| s.lock().totals(now, &mut t));
        t
    }

    /// Anyone who stands in the way may change while a wait lasts: `now` says who it is, where it knows.
    pub fn refresh(&self, now: impl Fn(&What) -> Option<Blocker>) {
        for o in self.open() {
            if let Some(by) = now(&o.what).filter(|by| *by != o.what.blocker) {
                self.shard(o.what.session).lock().blocked_by(o.id, by);
            }
        }
    }

    /// A second ends: totals as above, and what it had of each cause, object and blocker, the longest first.
    pub fn tick(&self) -> (Totals, Vec<Detail>) {
        let (now, mut t, mut details) = (self.rt.now(), Totals::default(), Vec::new());
        self.shards.iter().for_each(|s| s.lock().tick(now, &mut t, &mut details));
        details.sort_by_key(|d| std::cmp::Reverse(d.nanos));
        (t, details)
    }

    /// Waits under way, the oldest first.
    pub fn open(&self) -> Vec<Open> {
        let mut all: Vec<Open> = Vec::new();
        self.shards.iter().for_each(|s| all.extend_from_slice(s.lock().open()));
        all.sort_by_key(|o| o.begun);
        all
    }

    /// Waits of at least [`NOTED`] that have ended, as far back as there is room, in the order of their ends.
    pub fn records(&self) -> Vec<Record> {
        let mut all: Vec<Record> = Vec::new();
        self.shards.iter().for_each(|s| all.extend(s.lock().records()));
        all.sort_by_key(|r| r.ended_micros);
        all
    }
}

impl Waiting<'_> {
    /// Who stands in the way has become known.
    pub fn blocked_by(&self, blocker: Blocker) {
        if let Some(e) = &self.entry {
            self.waits.shard(e.session).lock().blocked_by(e.id, blocker);
        }
    }

    /// The wait has ended, and the clock has been read.
    pub fn end_at(mut self, now: Nanos) {
        self.end(|_| now);
    }

    fn end(&mut self, now: impl FnOnce(&Entry) -> Nanos) {
        let Some(e) = self.entry.take() else { return };
        let rt = &self.waits.rt;
        let now = now(&e);
        let noted = if e.coarse { NOTED_COARSELY } else { NOTED };
        // The clock and the statement are asked for before the lock.
        let long = (now.saturating_sub(e.begun) >= noted).then(|| Long {
            ended_micros: rt.wall_micros(),
            statement: self.waits.statement_of(e.session),
        });
        if let Some(cause) = e.cause {
            cost::spend(cause.cost(), now.saturating_sub(e.begun));
        }
        self.waits.shard(e.session).lock().leave(e.id, now, long);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let rt = &self.waits.rt;
        self.end(|e| if e.coarse { rt.coarse_now() } else { rt.now() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Poll;
    use std::time::Duration;
    use weir_rt::acting;
    use weir_rt::sim::SimRt;

    /// Resolves at the second poll.
    fn second_time() -> impl Future<Output = ()> {
        let mut polls = 0;
        std::future::poll_fn(move |cx| {
            polls += 1;
            cx.waker().wake_by_ref();
            if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
        })
    }

    #[test]
    fn what_is_ready_at_once_is_no_wait() {
        let sim = SimRt::new(1);
        let w = Waits::new(sim.rt());
        let all = async {
            w.during(|| unreachable!("nothing waits"), async {}).await;
            w.during(|| Cause::Turn.into(), second_time()).await;
        };
        sim.run(all).unwrap();
        let t = w.totals();
        assert_eq!(t.waits.iter().sum::<u64>(), 1);
        assert!(w.open().is_empty() && w.records().is_empty());
    }

    #[test]
    fn waits_belong_to_sessions_and_not_to_background_tasks() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        let w = Waits::new(rt.clone());
        let seen = |id: u64, out: &mut [u8; SHOWN]| {
            out[..4].copy_from_slice(b"do 7");
            if id == 7 { 4 } else { 0 }
        };
        w.read_statements_by(Arc::new(seen));
        let wait = |cause: Cause| {
            let (w, rt) = (w.clone(), rt.clone());
            async move {
                let _waiting = w.begin(cause);
                rt.sleep(Duration::from_millis(3)).await;
            }
        };
        let all = async {
            acting(Actor::session(7), wait(Cause::RowLock)).await;
            acting(Actor::BACKGROUND, wait(Cause::LogSpace)).await;
            wait(Cause::PageRead).await;
        };
        sim.run(all).unwrap();
        let seen = |r: &Record| (r.what.cause, r.what.session, r.nanos, r.statement.get());
        let records: Vec<_> = w.records().iter().map(seen).collect();
        let ms = 3_000_000;
        assert_eq!(
            records,
            [(Cause::RowLock, 7, ms, "do 7".into()), (Cause::PageRead, 0, ms, String::new())]
        );
        assert_eq!(w.totals().nanos.iter().sum::<u64>(), 2 * ms);
        // A task that is gone in the middle of its wait has left it.
        let rest = async { rt.timeout(Duration::from_millis(1), wait(Cause::Ddl)).await };
        assert!(sim.run(rest).unwrap().is_none());
        assert!(w.open().is_empty());
        assert_eq!(w.tick().1.len(), 3);
    }
}
