//! The rhythm of InnoDB's master thread, from 5.0 to 5.5.
//!
//! A round is ten one-second ticks and the "10-second" part. A tick in which no session has changed anything *since the
//! round began* (not since the last tick) leaves for the idle loop, which flushes without sleeping until all is clean and
//! then waits for activity. What differs from build to build (how long a tick sleeps, how often the log is flushed, how
//! many pages are written where) is in `Rules`, one implementation a system.
//!
//! Not emitted, because it is not the flush policy's work in Weir: dropping tables in the background (first in each tick
//! and each idle pass), and purge (after the 10-second part's merge, and first in the idle loop: it has a task of its own). While
//! nothing is buffered, merges and the flushes of the log behind them are left out.

use super::{
    Action, Batch, BufferRules, Cause, FlushPolicy, Loops, Mechanism, NO_LIMIT, Observation,
    Settings, UserRules,
};

const SECOND: u64 = 1_000_000_000;
const MILLI: u64 = 1_000_000;

/// How a tick sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cadence {
    /// One second, however long the work took.
    Sleep,
    /// To one second after the last wake-up: the work counts.
    Fixed,
}

/// When the master writes the log out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFlush {
    /// Wherever the build says so, and always durably.
    Always,
    /// Where the build says so, unless it was done in this second already.
    EachSecond,
    /// Durably in ticks; in the idle loop once a second, otherwise written, and durable if commits are.
    AlwaysButIdle,
}

/// What one tick writes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tick {
    pub batch: Option<Batch>,
    /// The next tick does not sleep.
    pub skip_sleep: bool,
    /// A refused batch is tried again after this many nanoseconds, until it is taken.
    pub retry: Option<u64>,
    /// The tick was a tenth of one: the next comes 0.1 s after the last wake-up, and ten of them count as one.
    pub tenth: bool,
}

/// Where in the rhythm the change buffer is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// In a tick; with the I/Os since the last one.
    Tick { io: u64 },
    /// In the 10-second part.
    Tenth,
    /// In the idle loop.
    Idle,
}

/// What a build decides within the rhythm. Amounts default to those that all builds since Google's v2 share, in percent
/// of the I/O capacity; for stock 5.0 with its literal numbers the capacity is 100.
pub trait Rules: Send + Sync {
    fn name(&self) -> &'static str;
    fn capacity(&self, s: &Settings) -> u64;
    fn user_rules(&self, s: &Settings) -> UserRules;
    fn mechanism(&self, s: &Settings) -> Mechanism;

    fn cadence(&self) -> Cadence {
        Cadence::Sleep
    }

    fn log_flush(&self) -> LogFlush {
        LogFlush::Always
    }

    /// Each observation, before anything is decided.
    fn see(&mut self, _o: &Observation<'_>) {}

    /// The one-second tick.
    fn tick(&mut self, o: &Observation<'_>) -> Tick;

    /// What became of the tick's batch: pages, 0 if there was none or it was refused.
    fn ticked(&mut self, _pages: usize) {}

    /// The extra batch of the 10-second part, for a device that was quiet: requests pending now, and I/Os of the round.
    fn extra(&self, o: &Observation<'_>, io: u64) -> Option<Batch> {
        let quiet =
            (o.pending_io() as u64) < self.pct(&o.settings, 3) && io < self.pct(&o.settings, 200);
        quiet.then(|| self.batch(o, 100, Cause::Extra))
    }

    /// The fixed batch of the 10-second part.
    fn fixed(&self, o: &Observation<'_>) -> Option<Batch> {
        Some(self.batch(o, if o.dirty_pct_whole() > 70 { 100 } else { 10 }, Cause::Extra))
    }

    /// One batch of the idle loop.
    fn idle(&self, o: &Observation<'_>) -> Option<Batch> {
        Some(self.batch(o, 100, Cause::Extra))
    }

    /// The idle loop flushes on without looking at anything else.
    fn over_limit(&self, o: &Observation<'_>) -> bool {
        above(o.dirty_pct_whole(), o.settings.max_dirty_pct)
    }

    /// Pages of indexes that waiting entries are merged into: five percent of the capacity when the device was quiet and in each
    /// 10-second part, a full batch when idle.
    fn merge(&self, o: &Observation<'_>, at: Merge) -> u64 {
        match at {
            Merge::Tick { io } => {
                let quiet = (o.pending_io() as u64) < self.pct(&o.settings, 3)
                    && io < self.pct(&o.settings, 5);
                if quiet { self.pct(&o.settings, 5) } else { 0 }
            }
            Merge::Tenth => self.pct(&o.settings, 5),
            Merge::Idle => self.pct(&o.settings, 100),
        }
    }

    /// The master waits for the reads of a merge.
    fn merge_waits(&self, _s: &Settings, _at: Merge) -> bool {
        true
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        BufferRules::innodb(s, pool)
    }

    fn pct(&self, s: &Settings, percent: u64) -> u64 {
        pct(self.capacity(s), percent)
    }

    /// A batch of that percentage of the capacity, oldest first, without limit.
    fn batch(&self, o: &Observation<'_>, percent: u64, cause: Cause) -> Batch {
        batch(o, self.pct(&o.settings, percent) as usize, cause)
    }
}

pub fn pct(capacity: u64, percent: u64) -> u64 {
    capacity.saturating_mul(percent) / 100
}

/// A whole percentage against an option that may have a fraction.
pub fn above(share: u64, limit: f64) -> bool {
    share as f64 > limit
}

pub fn batch(o: &Observation<'_>, pages: usize, cause: Cause) -> Batch {
    Batch { neighbours: o.settings.neighbours, ..Batch::oldest(pages, NO_LIMIT, cause) }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Round,
    Sleep,
    Awake,
    TickLog,
    TickCheck,
    TickMerge,
    TickMerged,
    TickFlush,
    /// The batch has been ordered; with `retry` it may be again.
    TickFlushed(Tick),
    TickAgain(Tick),
    TickEnd,
    Extra,
    ExtraLog,
    Merge,
    MergeLog,
    Fixed,
    Checkpoint,
    RoundEnd,
    Idle,
    IdleMerge,
    IdleMerged,
    IdleFlush,
    IdleFlushed,
    IdleAwait,
    IdleLog,
    IdleCheckpoint,
    IdleEnd,
    Suspended,
}

/// The master thread as a policy.
pub struct Master<R> {
    rules: R,
    at: At,
    /// Activity and I/Os when the round began.
    activity: u64,
    io: u64,
    /// I/Os when the last tick ended.
    tick_io: u64,
    /// Whole ticks of the round, and tenths of the next one.
    ticks: u32,
    tenths: u32,
    skip_sleep: bool,
    /// When the next tick begins at a fixed cadence.
    next: u64,
    /// Whole second in which the log was last flushed.
    log_second: u64,
    /// The idle pass has merged something, and written something.
    merged: bool,
    flushed: bool,
    /// A batch that took nothing: anyone who goes on without a sleep rests first.
    fruitless: bool,
    loops: Loops,
}

impl<R: Rules + 'static> Master<R> {
    pub fn boxed(rules: R) -> Box<dyn FlushPolicy> {
        Box::new(Master::new(rules))
    }
}

impl<R: Rules> Master<R> {
    pub fn new(rules: R) -> Master<R> {
        Master {
            rules,
            at: At::Round,
            activity: 0,
            io: 0,
            tick_io: 0,
            ticks: 0,
            tenths: 0,
            skip_sleep: false,
            next: 0,
            log_second: 0,
            merged: false,
            flushed: false,
            fruitless: false,
            loops: Loops::default(),
        }
    }

    fn go(&mut self, at: At) -> Option<Action> {
        self.at = at;
        None
    }

    fn then(&mut self, at: At, action: Action) -> Option<Action> {
        self.at = at;
        Some(action)
    }

    /// Merges the change buffer, if there is anything to merge.
    fn merge(&mut self, at: At, o: &Observation<'_>, when: Merge) -> Option<Action> {
        let pages = if o.buffered > 0 { self.rules.merge(o, when) } else { 0 };
        let wait = self.rules.merge_waits(&o.settings, when);
        self.at = at;
        (pages > 0).then_some(Action::Merge { pages, wait })
    }

    /// Orders a batch if there is one to order.
    fn list(&mut self, at: At, batch: Option<Batch>) -> Option<Action> {
        self.at = at;
        batch.filter(|b| b.pages > 0).map(Action::List)
    }

    /// One place of the rhythm; `None`: nothing to do there.
    fn advance(&mut self, o: &Observation<'_>) -> Option<Action> {
        match self.at {
            At::Round => self.round(o),
            At::Sleep => self.sleep(o),
            At::Awake => {
                self.next = o.now + SECOND;
                self.go(At::TickLog)
            }
            At::TickLog => {
                self.loops.seconds += 1;
                self.log(At::TickCheck, o)
            }
            At::TickCheck => self.then(At::TickMerge, Action::UserCheck),
            At::TickMerge => {
                let io = o.io.saturating_sub(self.tick_io);
                let action = self.merge(At::TickMerged, o, Merge::Tick { io });
                if action.is_none() {
                    self.at = At::TickFlush;
                }
                action
            }
            At::TickMerged => self.log(At::TickFlush, o),
            At::TickFlush => self.tick(o),
            At::TickFlushed(tick) => self.ticked(tick, o),
            At::TickAgain(tick) => self.list(At::TickFlushed(tick), tick.batch),
            At::TickEnd => self.tick_end(o),
            At::Extra
            | At::ExtraLog
            | At::Merge
            | At::MergeLog
            | At::Fixed
            | At::Checkpoint
            | At::RoundEnd => self.tenth_second(o),
            _ => self.idle(o),
        }
    }

    fn round(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.activity = o.activity;
        self.io = o.io;
        (self.ticks, self.tenths) = (0, 0);
        self.skip_sleep = false;
        self.next = o.now + SECOND;
        self.log_second = o.now / SECOND;
        self.go(At::Sleep)
    }

    fn sleep(&mut self, o: &Observation<'_>) -> Option<Action> {
        self.tick_io = o.io;
        if std::mem::take(&mut self.skip_sleep) {
            let rest = std::mem::take(&mut self.fruitless);
            // The builds ran on at once and spun until the running batch was home. A rest of 1 ms bounds that.
            return if rest {
                self.then(At::TickLog, rest_for(o, MILLI))
            } else {
                self.go(At::TickLog)
            };
        }
        self.loops.sleeps += 1;
        match self.rules.cadence() {
            Cadence::Sleep => self.then(At::TickLog, rest_for(o, SECOND)),
            Cadence::Fixed if self.next > o.now => {
                let until = self.next.min(o.now + SECOND);
                self.then(At::Awake, Action::Rest { until, wake: false })
            }
            Cadence::Fixed => self.go(At::Awake),
        }
    }

    fn log(&mut self, at: At, o: &Observation<'_>) -> Option<Action> {
        let second = o.now / SECOND;
        let new_second = second > self.log_second;
        let idle = at == At::IdleCheckpoint;
        let sync = match self.rules.log_flush() {
            LogFlush::Always => true,
            LogFlush::EachSecond if !new_second => return self.go(at),
            LogFlush::EachSecond => true,
            LogFlush::AlwaysButIdle => {
                !idle || new_second || o.settings.flush_log_at_trx_commit == 1
            }
        };
        if sync {
            self.log_second = second;
        }
        let count = if sync { &mut self.loops.synced } else { &mut self.loops.written };
        *count += 1;
        self.then(at, Action::FlushLog { sync })
    }

    fn tick(&mut self, o: &Observation<'_>) -> Option<Action> {
        let tick = self.rules.tick(o);
        self.skip_sleep = tick.skip_sleep;
        self.fruitless = false;
        if tick.tenth {
            self.next = self.next.saturating_sub(9 * SECOND / 10);
        }
        match tick.batch.filter(|b| b.pages > 0) {
            Some(b) => self.then(At::TickFlushed(tick), Action::List(b)),
            None => {
                self.rules.ticked(0);
                self.count(tick.tenth);
                self.fruitless = true;
                self.go(At::TickEnd)
            }
        }
    }

    fn ticked(&mut self, tick: Tick, o: &Observation<'_>) -> Option<Action> {
        if let (true, Some(nanos)) = (o.last.refused, tick.retry) {
            return self.then(At::TickAgain(tick), rest_for(o, nanos));
        }
        let pages = if o.last.refused { 0 } else { o.last.pages };
        self.rules.ticked(pages);
        self.fruitless = pages == 0;
        self.count(tick.tenth);
        self.go(At::TickEnd)
    }

    fn count(&mut self, tenth: bool) {
        if tenth {
            self.tenths += 1;
            if self.tenths < 10 {
                return;
            }
            self.tenths = 0;
        }
        self.ticks += 1;
    }

    fn tick_end(&mut self, o: &Observation<'_>) -> Option<Action> {
        if o.activity == self.activity {
            return self.go(At::Idle);
        }
        if self.ticks < 10 {
            return self.go(At::Sleep);
        }
        self.loops.tens += 1;
        self.go(At::Extra)
    }

    /// The part after ten ticks.
    fn tenth_second(&mut self, o: &Observation<'_>) -> Option<Action> {
        match self.at {
            At::Extra => match self.rules.extra(o, o.io.saturating_sub(self.io)) {
                Some(b) => self.list(At::ExtraLog, Some(b)),
                None => self.go(At::Merge),
            },
            At::ExtraLog => self.log(At::Merge, o),
            At::Merge => self.merge(At::MergeLog, o, Merge::Tenth),
            At::MergeLog => self.log(At::Fixed, o),
            At::Fixed => {
                let batch = self.rules.fixed(o);
                self.list(At::Checkpoint, batch)
            }
            At::Checkpoint => self.then(At::RoundEnd, Action::Checkpoint),
            _ => self.go(if o.activity == self.activity { At::Idle } else { At::Round }),
        }
    }

    /// The idle loop. Three of its places look for activity.
    fn idle(&mut self, o: &Observation<'_>) -> Option<Action> {
        let active = o.activity != self.activity;
        match self.at {
            At::Idle | At::IdleMerged | At::IdleFlushed | At::IdleEnd | At::Suspended
                if active && !self.goes_on(o) =>
            {
                self.go(At::Round)
            }
            At::Idle => {
                self.loops.background += 1;
                self.go(At::IdleMerge)
            }
            At::IdleMerge => {
                self.merged = false;
                let action = self.merge(At::IdleMerged, o, Merge::Idle);
                if action.is_none() {
                    self.at = At::IdleFlush;
                }
                action
            }
            At::IdleMerged => {
                self.merged = o.last.pages > 0;
                self.go(At::IdleFlush)
            }
            At::IdleFlush => {
                self.loops.flush += 1;
                let batch = self.rules.idle(o).filter(|b| b.pages > 0);
                self.flushed = batch.is_some();
                self.fruitless = batch.is_none();
                self.list(if batch.is_some() { At::IdleFlushed } else { At::IdleAwait }, batch)
            }
            At::IdleFlushed => {
                // A refused batch counts as one that wrote.
                self.flushed = o.last.refused || o.last.pages > 0;
                self.fruitless = o.last.refused || o.last.pages == 0;
                self.go(At::IdleAwait)
            }
            At::IdleAwait => self.then(At::IdleLog, Action::AwaitList),
            At::IdleLog => self.log(At::IdleCheckpoint, o),
            At::IdleCheckpoint => self.then(At::IdleEnd, Action::Checkpoint),
            At::IdleEnd => self.idle_end(o),
            _ => self.then(At::Suspended, rest_for(o, SECOND / 10)),
        }
    }

    /// Above the dirty limit the flush loop closes before activity is looked for.
    fn goes_on(&self, o: &Observation<'_>) -> bool {
        self.at == At::IdleEnd && self.rules.over_limit(o)
    }

    fn idle_end(&mut self, o: &Observation<'_>) -> Option<Action> {
        let next = if self.rules.over_limit(o) {
            At::IdleFlush
        } else if self.flushed || self.merged {
            At::Idle
        } else {
            At::Suspended
        };
        // As in `sleep`: pages that cannot be written now are not asked for without a pause.
        if self.fruitless && next != At::Suspended {
            return self.then(next, rest_for(o, MILLI));
        }
        self.go(next)
    }
}

fn rest_for(o: &Observation<'_>, nanos: u64) -> Action {
    Action::Rest { until: o.now + nanos, wake: false }
}

impl<R: Rules> FlushPolicy for Master<R> {
    fn name(&self) -> &'static str {
        self.rules.name()
    }

    fn step(&mut self, o: &Observation<'_>) -> Action {
        self.rules.see(o);
        loop {
            if let Some(action) = self.advance(o) {
                return action;
            }
        }
    }

    fn loops(&self) -> Option<Loops> {
        Some(self.loops)
    }

    fn user_rules(&self, s: &Settings) -> UserRules {
        self.rules.user_rules(s)
    }

    fn mechanism(&self, s: &Settings) -> Mechanism {
        self.rules.mechanism(s)
    }

    fn buffer_rules(&self, s: &Settings, pool: u64) -> BufferRules {
        self.rules.buffer_rules(s, pool)
    }
}

#[cfg(test)]
pub mod tests;
