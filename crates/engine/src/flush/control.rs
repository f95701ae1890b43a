//! What sessions look at before each change: admission, the dirty share, the rules of the policy in charge.
//!
//! The look costs a few relaxed loads. Everything here is set by the cleaner and may be outdated by one of its steps.

use super::buffer_size::BufferSize;
use super::pressure::Pressure;
use crate::log::Log;
use crate::policy::{
    Action, Batch, BudgetState, BufferRules, Cause, FreeRule, Loops, Mechanism, UserRules,
};
use crate::pool::Pool;
use crate::priority;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::waits::Scarcity;
use weir_rt::Notify;

/// Sessions pass in the order in which they drew tickets; tickets become valid at a rate.
///
/// Invariant: how many pass in an interval depends on the rate alone and not on how many sessions there are; a new rate
/// holds for those that wait already.
#[derive(Default)]
pub struct Admission {
    limited: AtomicBool,
    drawn: AtomicU64,
    rate: Mutex<Rate>,
    /// Sessions of the foreground that wait for their tickets.
    waiting: AtomicUsize,
}

/// A session of the foreground stands in the queue.
pub struct Queued<'a>(&'a Admission);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Clone, Copy, Default)]
struct Rate {
    /// Tickets valid at `since` and those that become valid each second from then on.
    base: f64,
    since: u64,
    per_second: f64,
}

impl Rate {
    fn valid(&self, now: u64) -> f64 {
        self.base + now.saturating_sub(self.since) as f64 / 1e9 * self.per_second
    }
}

/// Tickets that may pile up while nobody comes, in seconds of the rate: what a session may catch up at once.
const BURST: f64 = 0.005;

impl Admission {
    pub fn is_limited(&self) -> bool {
        self.limited.load(Ordering::Relaxed)
    }

    pub fn set(&self, now: u64, changes_per_second: f64) {
        if !changes_per_second.is_finite() {
            self.limited.store(false, Ordering::Release);
            return;
        }
        let mut r = self.rate.lock();
        let drawn = self.drawn.load(Ordering::Relaxed) as f64;
        let valid = match self.limited.load(Ordering::Relaxed) {
            true => r.valid(now),
            // Those that passed while it was open have had their tickets.
            false => drawn,
        };
        let per_second = changes_per_second.max(1.0);
        *r = Rate { base: valid.min(drawn + per_second * BURST), since: now, per_second };
        drop(r);
        self.limited.store(true, Ordering::Release);
    }

    /// Changes per second; 0: not limited.
    pub fn per_second(&self) -> f64 {
        if self.is_limited() { self.rate.lock().per_second } else { 0.0 }
    }

    /// Whether sessions of the foreground wait for admission.
    pub fn foreground_waits(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Held while a session of the foreground waits; `None` for others.
    pub fn queue(&self) -> Option<Queued<'_>> {
        priority::is_foreground().then(|| {
            self.waiting.fetch_add(1, Ordering::Relaxed);
            Queued(self)
        })
    }

    pub fn draw(&self) -> u64 {
        self.drawn.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Nanoseconds until the ticket is valid at the present rate; 0: now.
    pub fn wait(&self, ticket: u64, now: u64) -> u64 {
        if !self.is_limited() {
            return 0;
        }
        let r = *self.rate.lock();
        let missing = ticket as f64 - r.valid(now);
        if missing <= 0.0 { 0 } else { (missing / r.per_second * 1e9) as u64 + 1 }
    }
}

/// A batch handed to the writer task by somebody who does not wait for its end.
#[derive(Clone, Copy, Debug)]
pub struct HandedOver {
    pub batch: Batch,
    /// Requests that may be left when the one who hands over goes on.
    pub slots: usize,
}

/// What the thread in the background has done, for the monitor.
#[derive(Default)]
pub struct Background {
    /// `None`: the policy in charge has no such rhythm.
    pub loops: Mutex<Option<Loops>>,
    /// Nanoseconds that it spent on each part of its work.
    pub nanos: [AtomicU64; Part::ALL],
    /// What it does now, in the words of the builds.
    pub state: Mutex<&'static str>,
}

/// A part of the background's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    ChangeBuffer,
    Pages,
    AdaptiveCheckpoint,
    Other,
}

impl Part {
    pub const ALL: usize = 4;

    pub fn of(action: &Action) -> Part {
        match action {
            Action::Merge { .. } => Part::ChangeBuffer,
            Action::List(b) if b.cause == Cause::Age => Part::AdaptiveCheckpoint,
            Action::List(_) | Action::Lru { .. } | Action::AwaitList => Part::Pages,
            _ => Part::Other,
        }
    }
}

/// What the main thread of a build said that it does.
pub fn state_of(action: &Action) -> &'static str {
    match action {
        Action::Merge { .. } => "doing insert buffer merge",
        Action::List(_) | Action::Lru { .. } => "flushing buffer pool pages",
        Action::AwaitList => "waiting for buffer pool flush to end",
        Action::Checkpoint => "making checkpoint",
        Action::FlushLog { .. } => "flushing log",
        Action::UserCheck => "making checkpoint",
        Action::Rest { .. } | Action::Admit { .. } => "sleeping",
    }
}

pub struct FlushControl {
    pub admission: Admission,
    /// Frames' worth of dirty pages at which sessions wait; `usize::MAX`: never.
    dirty_gate: AtomicUsize,
    /// Bytes of checkpoint age from which `UserRules::check` may have something to do.
    age_gate: AtomicU64,
    /// As `dirty_gate`, for `UserRules::check`. Only `enact` writes the three gates, so none of a former policy stays in force.
    rule_gate: AtomicUsize,
    /// Sessions free frames themselves.
    users_free: AtomicBool,
    /// One of them has made a page where it could not wait, and looks after the free margin before its next change.
    margin_owed: AtomicBool,
    /// A checkpoint that nobody waits for, for the writer task.
    checkpoint_wanted: AtomicBool,
    rules: Mutex<UserRules>,
    mechanism: Mutex<Mechanism>,
    /// What the policy wants of the change buffer, and pages that it has.
    pub buffer: Mutex<BufferRules>,
    pub buffered: AtomicU64,
    /// All buffer trees as one, for the policies of builds.
    pub buffers: BufferSize,
    /// Pages of indexes that the sweep is to merge entries into, whatever else it does.
    merges_owed: AtomicU64,
    /// Name of the policy that decides now; the option may be ahead of it by a batch.
    pub in_charge: Mutex<&'static str>,
    pub background: Background,
    /// Pages per second that the device writes, as measured; 0: not known yet.
    pub device_pages: AtomicU64,
    pub handed: Mutex<Option<HandedOver>>,
    pub handed_over: Notify,
    pub handed_back: weir_rt::WaitQueue,
    /// A writer task runs.
    pub has_writer: AtomicBool,
    pub stats: UserStats,
    pub pressure: PressureCache,
    pub budget: BudgetView,
}

/// What the policy in charge says about its budget of page writes: bytes per second, and pages.
#[derive(Default)]
pub struct BudgetView {
    pub needed: AtomicU64,
    pub allowed: AtomicU64,
    pub exceeded: AtomicU64,
    /// Bytes that writing a page costs.
    pub page_bytes: AtomicU64,
}

impl BudgetView {
    pub fn set(&self, s: BudgetState, page_bytes: u64) {
        let bytes = |pages: f64| (pages * page_bytes as f64) as u64;
        self.page_bytes.store(page_bytes, Ordering::Relaxed);
        self.needed.store(bytes(s.needed), Ordering::Relaxed);
        self.allowed.store(bytes(s.allowed), Ordering::Relaxed);
        self.exceeded.store(s.exceeded as u64, Ordering::Relaxed);
    }
}

/// The pressure as it was a moment ago, for those who ask after each of their statements.
#[derive(Default)]
pub struct PressureCache {
    /// Nanoseconds of the clock until which it is good.
    until: AtomicU64,
    /// Value and cause.
    word: AtomicU64,
}

/// How long it is good.
const PRESSURE_KEEPS: u64 = 100_000_000;

impl PressureCache {
    pub fn get(&self, now: u64, make: impl FnOnce() -> Pressure) -> Pressure {
        if now < self.until.load(Ordering::Relaxed) {
            let w = self.word.load(Ordering::Relaxed);
            return Pressure { value: w as u16, cause: Scarcity::from_number((w >> 16) as u8) };
        }
        // Two who come at once make it twice.
        let p = make();
        self.word.store(u64::from(p.value) | (p.cause as u64) << 16, Ordering::Relaxed);
        self.until.store(now + PRESSURE_KEEPS, Ordering::Relaxed);
        p
    }

    /// As the last second saw it; `get` takes it for no fresher than it is.
    pub fn keep(&self, p: Pressure) {
        self.word.store(u64::from(p.value) | (p.cause as u64) << 16, Ordering::Relaxed);
    }

    /// What was scarcest when somebody looked last.
    pub fn cause(&self) -> Scarcity {
        Scarcity::from_number((self.word.load(Ordering::Relaxed) >> 16) as u8)
    }
}

/// What sessions did and suffered.
#[derive(Default)]
pub struct UserStats {
    /// Waits for a page write, a batch or a checkpoint by sessions, and their time.
    pub waits: AtomicU64,
    pub wait_nanos: AtomicU64,
    pub wait_nanos_max: AtomicU64,
    /// Changes that were delayed by admission, and the delays.
    pub paced: AtomicU64,
    pub paced_nanos: AtomicU64,
    pub paced_nanos_max: AtomicU64,
}

impl Default for FlushControl {
    fn default() -> FlushControl {
        FlushControl {
            admission: Admission::default(),
            dirty_gate: AtomicUsize::new(usize::MAX),
            age_gate: AtomicU64::new(u64::MAX),
            rule_gate: AtomicUsize::new(usize::MAX),
            users_free: AtomicBool::new(false),
            margin_owed: AtomicBool::new(false),
            checkpoint_wanted: AtomicBool::new(false),
            rules: Mutex::new(UserRules::default()),
            mechanism: Mutex::new(Mechanism::default()),
            buffer: Mutex::new(BufferRules::default()),
            buffered: AtomicU64::new(0),
            buffers: BufferSize::default(),
            merges_owed: AtomicU64::new(0),
            in_charge: Mutex::new("none"),
            background: Background::default(),
            device_pages: AtomicU64::new(0),
            handed: Mutex::new(None),
            handed_over: Notify::new(),
            handed_back: weir_rt::WaitQueue::new(),
            has_writer: AtomicBool::new(false),
            stats: UserStats::default(),
            pressure: PressureCache::default(),
            budget: BudgetView::default(),
        }
    }
}

impl FlushControl {
    /// Whether a session has to look closer before a change.
    pub fn must_look(&self, log: &Log, pool: &Pool) -> bool {
        if self.admission.is_limited() || self.margin_owed.load(Ordering::Relaxed) {
            return true;
        }
        let dirty = pool.dirty_pages();
        if dirty >= self.dirty_gate.load(Ordering::Relaxed)
            || dirty >= self.rule_gate.load(Ordering::Relaxed)
        {
            return true;
        }
        let gate = self.age_gate.load(Ordering::Relaxed);
        gate != u64::MAX && log.published().saturating_sub(log.checkpoint()) >= gate
    }

    pub fn dirty_gate(&self) -> usize {
        self.dirty_gate.load(Ordering::Relaxed)
    }

    pub fn users_free(&self) -> bool {
        self.users_free.load(Ordering::Relaxed)
    }

    /// A page was made, with others latched.
    pub fn owe_margin(&self) {
        self.margin_owed.store(true, Ordering::Relaxed);
    }

    /// Whether the margin is owed; the caller looks after it.
    pub fn take_margin(&self) -> bool {
        self.margin_owed.load(Ordering::Relaxed) && self.margin_owed.swap(false, Ordering::Relaxed)
    }

    /// Asks for a checkpoint without waiting for it. False: there is nobody who would write it.
    pub fn want_checkpoint(&self) -> bool {
        let writer = self.has_writer.load(Ordering::Acquire);
        if writer {
            self.checkpoint_wanted.store(true, Ordering::Release);
            self.handed_over.notify_one();
        }
        writer
    }

    pub fn take_checkpoint(&self) -> bool {
        self.checkpoint_wanted.swap(false, Ordering::AcqRel)
    }

    pub fn rules(&self) -> UserRules {
        *self.rules.lock()
    }

    pub fn mechanism(&self) -> Mechanism {
        *self.mechanism.lock()
    }

    /// Asks the sweep for merges that nobody waits for. With `slots` for them they add up, as far as there are free ones: false if not.
    /// With 0 orders do not pile up: one that is asked for again is the same one.
    pub fn owe_merges(&self, pages: u64, slots: u64) -> bool {
        if slots == 0 {
            self.merges_owed.fetch_max(pages, Ordering::Relaxed);
            return true;
        }
        let more = |owed: u64| (owed + pages <= slots).then_some(owed + pages);
        self.merges_owed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    pub fn merges_owed(&self) -> u64 {
        self.merges_owed.load(Ordering::Relaxed)
    }

    /// The sweep has made one of them, or can make none.
    pub fn merged(&self, pages: u64) {
        let less = |owed: u64| Some(owed.saturating_sub(pages));
        _ = self.merges_owed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Puts a policy's rules into force.
    pub fn enact(&self, rules: UserRules, mechanism: Mechanism, pool: &Pool) {
        *self.rules.lock() = rules;
        *self.mechanism.lock() = mechanism;
        pool.run_on(&mechanism);
        let size = pool.size() as f64;
        let pages = |pct: f64| ((pct / 100.0 * size) as usize).max(16);
        self.dirty_gate.store(rules.wait_dirty_pct.map_or(usize::MAX, pages), Ordering::Relaxed);
        pool.wake_at_dirty(rules.wake_dirty_pct.map_or(usize::MAX, pages));
        let (age, dirty) = gates(&rules, pool.size());
        self.age_gate.store(age, Ordering::Relaxed);
        self.rule_gate.store(dirty, Ordering::Relaxed);
        self.users_free.store(matches!(rules.free, FreeRule::Users { .. }), Ordering::Relaxed);
        pool.cleaned().wake_all();
    }

    /// Nobody writes pages any more: nobody may wait for that.
    pub fn open(&self, pool: &Pool) {
        self.admission.set(0, f64::INFINITY);
        self.enact(UserRules::default(), Mechanism::default(), pool);
    }
}

/// Checkpoint age and dirty pages below which `UserRules::check` has nothing to do: the modified age is never greater than
/// the checkpoint age, so this needs no look at the age index.
fn gates(r: &UserRules, pool: usize) -> (u64, usize) {
    let preflush = r.preflush.map_or(u64::MAX, |p| {
        let flush = p.flush_async.unwrap_or(p.flush_sync).min(p.flush_sync);
        flush.min(p.checkpoint_async).min(p.checkpoint_sync)
    });
    let age = preflush.min(r.wait_age.unwrap_or(u64::MAX));
    // The truncated share passes `above_pct` at the first page of the next percent.
    let dirty =
        r.dirty.map_or(usize::MAX, |d| ((d.above_pct as usize + 1) * (pool + 1)).div_ceil(100));
    (age, dirty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_never_hides_work() {
        let dirty =
            crate::policy::UserDirty { above_pct: 25, pages: 500, neighbours: Default::default() };
        let r = UserRules { dirty: Some(dirty), ..UserRules::default() };
        for pool in [24, 99, 100, 8192, 131_072] {
            let (_, gate) = gates(&r, pool);
            let share = |d: usize| d * 100 / (pool + 1);
            assert!(share(gate) > 25 && share(gate - 1) <= 25, "pool {pool}, gate {gate}");
        }
    }

    /// Who looks after the margin leaves the gates of the policy in charge alone.
    #[test]
    fn a_margin_that_is_owed_moves_no_gate() {
        let c = FlushControl::default();
        c.rule_gate.store(77, Ordering::Relaxed);
        assert!(!c.take_margin());
        c.owe_margin();
        c.owe_margin();
        assert_eq!(c.rule_gate.load(Ordering::Relaxed), 77);
        assert!(c.take_margin() && !c.take_margin());
        assert_eq!(c.rule_gate.load(Ordering::Relaxed), 77);
    }

    /// Passes of `sessions` that draw again at once, in one second of simulated clock.
    fn passes(a: &Admission, sessions: usize, from: u64) -> usize {
        let mut waiting: Vec<u64> = (0..sessions).map(|_| a.draw()).collect();
        let mut n = 0;
        let mut now = from;
        while now < from + 1_000_000_000 {
            for t in &mut waiting {
                if a.wait(*t, now) == 0 {
                    n += 1;
                    *t = a.draw();
                }
            }
            now += 100_000;
        }
        n
    }

    #[test]
    fn the_rate_holds_for_any_number_of_sessions() {
        for sessions in [1, 4, 64] {
            let a = Admission::default();
            a.set(5, 2000.0);
            let n = passes(&a, sessions, 5);
            assert!((1950..=2050).contains(&n), "{n} of 2000 passed with {sessions} sessions");
        }
    }

    #[test]
    fn a_new_rate_holds_for_those_who_wait() {
        let a = Admission::default();
        a.set(0, 10.0);
        let tickets: Vec<u64> = (0..100).map(|_| a.draw()).collect();
        assert!(a.wait(tickets[99], 0) > 9_000_000_000);
        a.set(0, 1e6);
        assert!(a.wait(tickets[99], 0) < 200_000);
        a.set(0, f64::INFINITY);
        assert_eq!(a.wait(tickets[99], 0), 0);
    }

    #[test]
    fn pressure_is_made_anew_after_a_while() {
        let c = PressureCache::default();
        let p = |value| Pressure { value, cause: Scarcity::Device };
        assert_eq!(c.get(5, || p(10)), p(10));
        assert_eq!(c.get(5 + PRESSURE_KEEPS - 1, || p(700)), p(10));
        assert_eq!(c.get(5 + PRESSURE_KEEPS, || p(700)), p(700));
    }

    #[test]
    fn rest_is_not_saved_up() {
        let a = Admission::default();
        a.set(0, 1000.0);
        for s in 0..60 {
            a.set(s * 1_000_000_000, 1000.0);
        }
        let n = passes(&a, 8, 60_000_000_000);
        assert!(n < 2050, "{n} passed in a second after a minute of rest");
    }
}
