//! Floor 7: the background tasks. Page cleaner with checkpoints, log flusher, purge, rollback of orphans.

use super::Inner;
use crate::error::Result;
use crate::flush::checkpoint::{checkpoint, reachable};
use crate::flush::control::{Part, state_of};
use crate::flush::users;
use crate::log::Reach;
use crate::policy::{self, Action, Batch, Cause, FlushPolicy, NO_LIMIT, Observation, Outcome};
use crate::pool::{BATCH, LruBatch};
use crate::sync::atomic::Ordering;
use crate::txn::{self, RollbackTarget, rollback_log};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// How often it is looked whether merges are done, nanoseconds.
const MERGE_LOOK: u64 = 2_000_000;

/// How far a checkpoint must get to be worth its two syncs: 1/32 of the capacity.
fn checkpoint_step(db: &Inner) -> u64 {
    (db.core.log.capacity() / 32).max(4096)
}

/// What the device has shown lately, smoothed.
#[derive(Default)]
struct Device {
    at: u64,
    reads: u64,
    read_nanos: u64,
    written: u64,
    busy_nanos: u64,
    /// See `Observation`.
    pages: f64,
    read: f64,
    read_quiet: f64,
}

/// Weight of a new sample.
const SAMPLE: f64 = 0.2;

fn smooth(old: f64, new: f64) -> f64 {
    if old == 0.0 { new } else { old + (new - old) * SAMPLE }
}

impl Device {
    /// Looks at the counters at most ten times a second.
    fn look(&mut self, db: &Inner, now: u64) {
        if now - self.at < 100_000_000 {
            return;
        }
        self.at = now;
        let (p, f) = (&db.core.pool.stats, db.core.pool.flush_stats());
        let n = |a: &crate::sync::atomic::AtomicU64| a.load(Ordering::Relaxed);
        let (reads, read_nanos) = (n(&p.reads), n(&p.read_nanos));
        let (written, busy) = (n(&f.pages), n(&f.busy_nanos));
        let quiet = written == self.written;
        if reads > self.reads {
            let mean = (read_nanos - self.read_nanos) as f64 / (reads - self.reads) as f64;
            self.read = smooth(self.read, mean);
            if quiet {
                self.read_quiet = smooth(self.read_quiet, mean);
            }
        }
        // A short batch shows the cost of its syncs, not what the device can do.
        if written >= self.written + 16 && busy > self.busy_nanos {
            let speed = (written - self.written) as f64 * 1e9 / (busy - self.busy_nanos) as f64;
            self.pages = smooth(self.pages, speed);
        }
        (self.reads, self.read_nanos) = (reads, read_nanos);
        (self.written, self.busy_nanos) = (written, busy);
    }
}

/// Pages that recovery would have to read, counted once a second.
#[derive(Default)]
struct Touched {
    at: u64,
    /// Ends of the log, and pages of its last part that had been evicted by then; the first at or before the checkpoint.
    gone: VecDeque<(u64, u64)>,
    pages: usize,
    age: u64,
}

impl Touched {
    fn look(&mut self, db: &Inner, now: u64) {
        let (log, pool) = (&db.core.log, &db.core.pool);
        if now < self.at + 1_000_000_000 && self.at > 0 {
            return;
        }
        self.at = now;
        let (checkpoint, lsn) = (log.checkpoint(), log.published());
        let (here, gone) = pool.touched_since(checkpoint);
        self.gone.push_back((lsn, gone));
        while self.gone.get(1).is_some_and(|(lsn, _)| *lsn <= checkpoint) {
            self.gone.pop_front();
        }
        let before = self.gone.front().map_or(gone, |(_, n)| *n);
        self.pages = here + (gone - before) as usize;
        self.age = lsn.saturating_sub(checkpoint);
    }
}

/// Makes observations.
#[derive(Default)]
struct Eyes {
    device: Device,
    touched: Touched,
    ages: Vec<(u64, u32)>,
}

impl Eyes {
    fn observe(
        &mut self,
        db: &Inner,
        settings: policy::Settings,
        last: Outcome,
    ) -> Observation<'_> {
        let (log, pool, core) = (&db.core.log, &db.core.pool, &db.core);
        let n = |a: &crate::sync::atomic::AtomicU64| a.load(Ordering::Relaxed);
        let now = db.rt.now();
        self.device.look(db, now);
        if settings.recovery_target > 0.0 {
            self.touched.look(db, now);
        }
        core.flush.device_pages.store(self.device.pages as u64, Ordering::Relaxed);
        let checkpoint = log.checkpoint();
        let lsn = log.published();
        let oldest = pool.oldest_dirty(checkpoint).unwrap_or(lsn).min(lsn);
        let (counts, width) = pool.age_histogram(oldest);
        let first = oldest / width * width;
        self.ages.clear();
        let filled = counts.iter().enumerate().filter(|(_, n)| **n > 0);
        self.ages.extend(filled.map(|(i, n)| ((first + i as u64 * width).max(oldest), *n)));
        let f = pool.flush_stats();
        let written = n(&f.pages);
        Observation {
            now,
            lsn,
            oldest,
            checkpoint,
            log_capacity: log.capacity(),
            dirty: pool.dirty_pages(),
            used: pool.pages_in_use(),
            free: pool.free_frames(),
            pool: pool.size(),
            free_want: pool.low_water(),
            ages: &self.ages,
            pending: pool.pages_in_flight(),
            write_slots: core.flush.mechanism().slots_in(pool.size()),
            pending_reads: pool.reads.pages_at_device(),
            pending_log: log.pending_writes(),
            io: n(&log.stats.writes) + n(&log.stats.checkpoints) + n(&pool.stats.reads) + written,
            // Of sessions alone: purge would keep the cleaner from seeing that the server is idle.
            activity: db.stats.commits.get()
                + db.stats.rows_inserted.get()
                + db.stats.rows_updated.get()
                + db.stats.rows_deleted.get(),
            changes: core.stats.mtrs.get(),
            dirtied: pool.dirtied(),
            written,
            written_lru: f.lru_pages(),
            waiting_log: log.room_waiters(),
            waiting_frames: pool.waiting_for_frames(),
            buffered: n(&core.flush.buffered),
            list_running: pool.list_running() || core.flush.handed.lock().is_some(),
            lru_running: pool.lru_running(),
            last,
            device_pages: self.device.pages,
            read_nanos: self.device.read,
            read_nanos_quiet: self.device.read_quiet,
            touched: self.touched.pages,
            touched_age: self.touched.age,
            settings,
        }
    }
}

/// The page cleaner: asks the policy, carries out what it says, and asks again.
struct Cleaner {
    db: Arc<Inner>,
    policy: Box<dyn FlushPolicy>,
    settings: policy::Settings,
    version: u64,
    /// Pool size and log capacity that the rules in force were made for.
    sizes: (usize, u64),
    eyes: Eyes,
    last: Outcome,
}

pub async fn cleaner(db: Arc<Inner>) {
    let mut c = Cleaner {
        policy: policy::named(policy::DEFAULT).expect("the default policy is in the registry"),
        settings: policy::Settings::default(),
        version: 0,
        sizes: (0, 0),
        eyes: Eyes::default(),
        last: Outcome::default(),
        db,
    };
    while !c.db.stop_cleaner.is_set() {
        if let Err(e) = c.step().await {
            c.db.fatal(&e);
            break;
        }
    }
    c.db.core.flush.open(&c.db.core.pool);
}

/// Whether an order of merges is carried out. The builds' master thread waited for the reads of its own order and not for those of sessions,
/// whose inserts under XtraDB's `innodb_ibuf_active_contract` never let the list of all become empty.
fn are_made(ordered: u64, made: u64, owed: u64) -> bool {
    made >= ordered || owed == 0
}

impl Cleaner {
    async fn step(&mut self) -> Result<()> {
        self.take_settings();
        let o = self.eyes.observe(&self.db, self.settings, self.last);
        let action = self.policy.step(&o);
        self.db.core.flush.budget.set(self.policy.budget(), self.settings.page_bytes);
        let background = &self.db.core.flush.background;
        *background.loops.lock() = self.policy.loops();
        let (part, begun) = (Part::of(&action), self.db.rt.now());
        *background.state.lock() = state_of(&action);
        self.last = self.act(action).await?;
        let took = self.db.rt.now() - begun;
        let background = &self.db.core.flush.background;
        background.nanos[part as usize].fetch_add(took, Ordering::Relaxed);
        self.mechanism().await
    }

    /// A new policy, new values of options, another size of pool or log.
    fn take_settings(&mut self) {
        let (db, s) = (&self.db, &self.db.settings);
        let version = s.flush_version.load(Ordering::Acquire);
        let sizes = (db.core.pool.size(), db.core.log.capacity());
        if version == self.version && sizes == self.sizes {
            return;
        }
        let name = *s.flush_policy.lock();
        if self.policy.name() != name
            && let Some(p) = policy::named(name)
        {
            self.policy = p;
            db.core.flush.admission.set(0, f64::INFINITY);
        }
        *db.core.flush.in_charge.lock() = self.policy.name();
        (self.version, self.sizes) = (version, sizes);
        self.settings = *s.flush.lock();
        self.settings.doublewrite = db.core.pool.has_doublewrite();
        let copies = 1 + u64::from(self.settings.doublewrite);
        self.settings.page_bytes = copies * db.core.spaces.page_size() as u64;
        self.settings.log_capacity = sizes.1;
        if self.settings.write_budget_daily > 0.0 {
            self.policy.remember(db.history.past(db.rt.wall_micros()));
        }
        let rules = self.policy.user_rules(&self.settings);
        let left_out = self.settings.left_out;
        let mechanism = self.policy.mechanism(&self.settings).without(left_out);
        let mut buffer = self.policy.buffer_rules(&self.settings, sizes.0 as u64);
        buffer = buffer.without(left_out);
        *db.core.flush.buffer.lock() = buffer;
        db.core.flush.enact(rules, mechanism, &db.core.pool);
    }

    async fn act(&mut self, action: Action) -> Result<Outcome> {
        let core = &self.db.core;
        let mut done = Outcome::default();
        let count =
            |wrote: Option<usize>| Outcome { pages: wrote.unwrap_or(0), refused: wrote.is_none() };
        match action {
            Action::FlushLog { sync } => {
                let reach = if sync { Reach::Durable } else { Reach::Written };
                core.log.flush_all(reach).await?;
            }
            Action::UserCheck => users::rules(core, true).await?,
            Action::List(b) => done = count(users::run_batch(core, &b).await?),
            Action::Lru { free, depth, pages, neighbours } => {
                done = count(
                    core.pool
                        .lru_batch(
                            &core.log,
                            &LruBatch {
                                want: free,
                                depth,
                                max: pages,
                                neighbours,
                                cause: Cause::Free,
                            },
                        )
                        .await?,
                );
                core.pool.rouse();
            }
            Action::Merge { pages, wait } => {
                let slots = core.flush.buffer.lock().merging.slots;
                // What finds no slot is asked for again in the next tick.
                core.flush.owe_merges(pages, slots);
                core.stats.change_buffer.ordered.fetch_add(pages, Ordering::Relaxed);
                done.pages = pages as usize;
                if wait {
                    done.pages = self.await_merges(pages).await?;
                }
            }
            Action::AwaitList => users::await_list(core).await,
            Action::Checkpoint => checkpoint(core).await?,
            Action::Admit { changes_per_second, in_flight } => {
                core.flush.admission.set(self.db.rt.now(), changes_per_second);
                core.pool.set_window(in_flight);
                done = self.last;
            }
            Action::Rest { until, wake } => {
                self.rest(until, wake).await?;
                done = self.last;
            }
        }
        Ok(done)
    }

    /// Until the time has come, the policy or an option changes, or the server stops.
    async fn rest(&self, until: u64, wake: bool) -> Result<()> {
        let db = &self.db;
        loop {
            let now = db.rt.now();
            let changed = db.settings.flush_version.load(Ordering::Acquire) != self.version;
            if now >= until || changed || db.stop_cleaner.is_set() {
                return Ok(());
            }
            let woken = async {
                let frames = std::pin::pin!(db.core.pool.frames_wanted.notified());
                let space = std::pin::pin!(db.core.log.space_wanted.notified());
                either(frames, space).await;
            };
            let rest = Duration::from_nanos(until - now);
            if db.rt.timeout(rest, woken).await.is_some() && wake {
                return Ok(());
            }
            if !wake {
                self.rescue().await?;
            }
        }
    }

    /// Until the sweep has made as many merges as were ordered, or owes none; how many there were. The cleaner makes none itself: a move may
    /// wait for a frame, or for room in the log, which are the cleaner's to give.
    async fn await_merges(&self, ordered: u64) -> Result<usize> {
        let db = &self.db;
        let moves = || db.core.stats.change_buffer.moves.load(Ordering::Relaxed);
        let before = moves();
        let owed = || db.core.flush.merges_owed();
        while !are_made(ordered, moves() - before, owed())
            && !db.stopping()
            && !db.stop_cleaner.is_set()
        {
            if db.settings.flush_version.load(Ordering::Acquire) != self.version {
                break;
            }
            self.rest(db.rt.now() + MERGE_LOOK, false).await?;
        }
        Ok((moves() - before) as usize)
    }

    /// Sessions wait and the policy rests: what it should have done, in small portions.
    async fn rescue(&self) -> Result<()> {
        let (core, stop) = (&self.db.core, &self.db.stop_cleaner);
        while core.pool.waiting_for_frames() > 0 && !stop.is_set() {
            let want = core.pool.low_water();
            let wrote = core
                .pool
                .lru_batch(&core.log, &LruBatch::simple(want, BATCH, Cause::Rescue))
                .await?;
            core.pool.rouse();
            if wrote.unwrap_or(0) == 0 {
                break;
            }
        }
        while core.log.room_waiters() > 0 && !stop.is_set() {
            let b = Batch::oldest(BATCH, NO_LIMIT, Cause::Rescue);
            let wrote = core.pool.list_batch(&core.log, &b).await?;
            checkpoint(core).await?;
            if wrote.unwrap_or(0) == 0 {
                break;
            }
        }
        Ok(())
    }

    /// What is done whatever the policy says.
    async fn mechanism(&mut self) -> Result<()> {
        let core = &self.db.core;
        core.log.grow_when_filled().await?;
        core.pool.rouse();
        let own = core.flush.mechanism().own_checkpoints;
        if own && !core.pool.posts() {
            // Left by a policy that posted them; nobody's checkpoint would get past them.
            core.pool.sync_posted(&core.log).await?;
        }
        let (log, reachable) = (&core.log, reachable(core));
        let gain = reachable.saturating_sub(log.checkpoint());
        let idle = own && core.pool.dirty_pages() == 0 && gain > 0;
        if log.room_waiters() > 0 || idle || (own && gain >= checkpoint_step(&self.db)) {
            checkpoint(core).await?;
        }
        Ok(())
    }
}

/// Resolves when the first of two futures does.
async fn either<A: Future<Output = ()> + Unpin, B: Future<Output = ()> + Unpin>(
    mut a: A,
    mut b: B,
) {
    std::future::poll_fn(|cx| {
        use std::pin::Pin;
        if Pin::new(&mut a).poll(cx).is_ready() || Pin::new(&mut b).poll(cx).is_ready() {
            return std::task::Poll::Ready(());
        }
        std::task::Poll::Pending
    })
    .await;
}

use std::future::Future;

/// Writes and syncs the log about once a second, for sessions that commit without waiting.
pub async fn log_flusher(db: Arc<Inner>) {
    while !db.stopping() {
        let every = Duration::from_secs(db.settings.flush_timeout.load(Ordering::Relaxed).max(1));
        db.rt.timeout(every, db.stop.wait()).await;
        if let Err(e) = db.core.log.flush_all(Reach::Durable).await {
            db.fatal(&e);
            return;
        }
    }
}

/// Transactions purged between two looks at the clock.
const PURGE_BATCH: usize = 64;
/// Rest of the purger when it has nearly caught up.
const PURGE_PAUSE: Duration = Duration::from_millis(10);

/// Purge, and the rollback of transactions whose sessions are gone.
pub async fn purger(db: Arc<Inner>) {
    let mut told = String::new();
    while !db.stopping() {
        match txn::purge(&db, PURGE_BATCH).await {
            Ok(0) => truncate(&db, true).await,
            Ok(PURGE_BATCH) => {
                truncate(&db, false).await;
                continue;
            }
            // Told at every commit, it would be woken at every commit. Nobody waits for it: what comes meanwhile is one
            // batch.
            Ok(_) => {
                truncate(&db, false).await;
                db.rt.timeout(PURGE_PAUSE, db.stop.wait()).await;
                continue;
            }
            Err(e) if db.core.log.failure().is_err() => {
                db.fatal(&e);
                return;
            }
            Err(e) => {
                let text = e.to_string();
                if text != told {
                    (db.log)(&format!("purge is tried again every second: {text}"));
                    told = text;
                }
                db.rt.timeout(Duration::from_secs(1), db.stop.wait()).await;
            }
        }
        let more = async {
            let a = std::pin::pin!(db.purge.wake.notified());
            let b = std::pin::pin!(db.stop.wait());
            either(a, b).await;
        };
        // Views may have closed without anybody telling: look again now and then.
        db.rt.timeout(Duration::from_millis(500), more).await;
    }
}

/// Room of the undo space that purge has made free goes back to the device.
async fn truncate(db: &Inner, idle: bool) {
    if let Err(e) = txn::truncate_undo(db, idle).await {
        match db.core.log.failure() {
            Err(_) => db.fatal(&e),
            Ok(()) => (db.log)(&format!("cannot truncate the undo space now: {e}")),
        }
    }
}

pub async fn orphan_keeper(db: Arc<Inner>) {
    loop {
        while let Some(mut o) = db.orphans.pop() {
            match rollback_log(&db, o.id, &mut o.log, RollbackTarget::All).await {
                Ok(()) => {
                    db.trx.end_rollback(o.id);
                    db.undo_slots.give_back(o.log);
                    db.locks.release_all(&o.locks);
                    o.mdl.clear();
                    db.stats.rollbacks.add(1);
                }
                Err(e) => {
                    // Told when it begins, and now and then while it lasts.
                    if o.failed.is_power_of_two() || o.failed == 0 {
                        let id = o.id;
                        (db.log)(&format!("rollback of transaction {id} is tried again: {e}"));
                    }
                    o.failed += 1;
                    if db.core.log.failure().is_err() {
                        db.fatal(&e);
                        return;
                    }
                    db.orphans.push(o);
                    if db.stopping() {
                        // Its undo stays, and the next start has it.
                        return;
                    }
                    db.rt.timeout(Duration::from_secs(1), db.stop.wait()).await;
                }
            }
        }
        if db.stopping() {
            return;
        }
        let more = async {
            let a = std::pin::pin!(db.orphans.wake.notified());
            let b = std::pin::pin!(db.stop.wait());
            either(a, b).await;
        };
        more.await;
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;

    #[test]
    fn an_order_of_merges_ends_whatever_sessions_order_meanwhile() {
        assert!(!are_made(200, 199, 900));
        assert!(are_made(200, 200, 900), "its own are made");
        assert!(are_made(200, 3, 0), "there is nothing left to merge");
    }
}
