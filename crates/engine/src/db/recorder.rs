//! Floor 7: the history of the engine, one row per second, and the watch for stalls. A task of its own that reads and writes no file and
//! takes no latch, so that it goes on when all else has stopped; what it makes is written by another (`flight`).

use super::{Db, Inner};
use crate::error::Error;
use crate::flush::pressure::{Pressure, pressure};
use crate::history::Second;
use crate::history::flight::{FILE, Flight};
use crate::history::seconds::Waited;
use crate::policy::Cause;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::waits::Totals;
use crate::waits::stall::Watchdog;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use weir_rt::Notify;

/// Rows that wait for a device that writes nothing; the oldest go.
const QUEUE: usize = 1800;

/// Rows on their way to the flight recorder: a second, and the ten that ended with it.
#[derive(Default)]
pub struct Outbox {
    rows: Mutex<VecDeque<(Second, Option<Second>)>>,
    more: Notify,
    /// No more will come.
    ended: AtomicBool,
}

pub async fn recorder(db: Arc<Inner>) {
    let (mut before, mut waits) = (at_start(&db), db.core.waits.totals());
    let mut watchdog = Watchdog::default();
    while !db.stop_recorder.is_set() {
        db.rt.timeout(Duration::from_secs(1), db.stop_recorder.wait()).await;
        let now = totals(&db);
        let mut second = difference(&now, &before);
        second.waited = end_of_second(&db, now.at_micros, &mut waits);
        second.pressure = pressure(&db.view(second.pages_written, second.paced_micros));
        // Kept for sessions that are delayed: they say why.
        db.core.flush.pressure.keep(second.pressure);
        let row = db.history.push(second);
        if db.settings.flight_recorder.load(Ordering::Relaxed) {
            let mut rows = db.outbox.rows.lock();
            if rows.len() == QUEUE {
                rows.pop_front();
            }
            rows.push_back(row);
        }
        // Each second, so that the task that writes them needs no clock of its own to see that the option has changed.
        db.outbox.more.notify_one();
        before = now;
        db.watch(&mut watchdog);
    }
    db.outbox.ended.store(true, Ordering::Release);
    db.outbox.more.notify_one();
}

/// What sessions waited in the second that ends now, and where.
fn end_of_second(db: &Inner, at_micros: u64, before: &mut Totals) -> Waited {
    db.refresh_blockers();
    let (now, details) = db.core.waits.tick();
    let waited = Waited::between(&now, before);
    *before = now;
    db.details.push(at_micros, details);
    waited
}

/// Writes the rows to the flight recorder's file.
pub async fn flight(db: Arc<Inner>) {
    let mut flight = None;
    loop {
        let ended = db.outbox.ended.load(Ordering::Acquire);
        if db.settings.flight_recorder.load(Ordering::Relaxed) != flight.is_some() {
            flight = take_off(&db, flight).await;
        }
        while let Some((mut second, mut ten)) = db.outbox.next() {
            let Some(f) = &mut flight else { continue };
            // Made before the file was open, and the run had a number.
            second.run = db.history.run();
            if let Some(ten) = &mut ten {
                ten.run = second.run;
            }
            if let Err(e) = f.write(&second, ten.as_ref()).await {
                give_up(&db, &e);
                flight = None;
            }
        }
        if ended {
            break;
        }
        db.outbox.more.notified().await;
    }
    if let Some(f) = flight
        && let Err(e) = f.sync().await
    {
        give_up(&db, &e);
    }
}

impl Outbox {
    fn next(&self) -> Option<(Second, Option<Second>)> {
        self.rows.lock().pop_front()
    }
}

/// The option has changed: opens the flight recorder with what earlier runs have left, or closes it.
async fn take_off(db: &Inner, flight: Option<Flight>) -> Option<Flight> {
    if flight.is_some() {
        return None;
    }
    match Flight::open(db.core.spaces.disk().as_ref(), db.core.spaces.directory()).await {
        Ok((f, earlier)) => {
            // Switched on again: the rows of this run are here already.
            if db.history.run() == 0 {
                db.history.restore(earlier.run + 1, earlier.seconds, earlier.tens);
                if db.settings.flush.lock().write_budget_daily > 0.0 {
                    // What the earlier runs wrote counts: the policy gets it with its settings.
                    db.settings.flush_version.fetch_add(1, Ordering::AcqRel);
                }
            }
            Some(f)
        }
        Err(e) => {
            give_up(db, &e);
            None
        }
    }
}

/// The engine does not depend on it: without it there is no history after a crash, and a message says so.
fn give_up(db: &Inner, e: &Error) {
    db.settings.flight_recorder.store(false, Ordering::Relaxed);
    (db.log)(&format!(
        "the flight recorder stops ('{FILE}': {e}); SET GLOBAL weir_flight_recorder = ON starts it again"
    ));
}

impl Db {
    /// How hard the engine is pressed: not older than a tenth of a second, rates not older than one.
    pub fn pressure(&self) -> Pressure {
        self.inner().pressure()
    }
}

fn n(a: &AtomicU64) -> u64 {
    a.load(Ordering::Relaxed)
}

/// The first row has what recovery wrote, too.
fn at_start(db: &Inner) -> Second {
    Second { pages_written: 0, written_rescue: 0, ..totals(db) }
}

/// Counters since the start, the others as they are. `read_micros_avg` holds nanoseconds until `difference`.
fn totals(db: &Inner) -> Second {
    let (pool, log, c) = (&db.core.pool, &db.core.log, &db.core.flush);
    let f = pool.flush_stats();
    let (lsn, checkpoint) = (log.published(), log.checkpoint());
    let u = &c.stats;
    let users = [Cause::UserAsync, Cause::UserSync, Cause::UserDirty, Cause::UserFree];
    Second {
        at_micros: db.rt.wall_micros(),
        policy: *db.core.flush.in_charge.lock(),
        run: 0,
        seconds: 1,
        dirty_pages: pool.dirty_pages() as u64,
        pool_pages: pool.size() as u64,
        free_pages: pool.free_frames() as u64,
        modified_age: lsn - pool.oldest_dirty(checkpoint).unwrap_or(lsn).min(lsn),
        checkpoint_age: lsn.saturating_sub(checkpoint),
        log_capacity: log.capacity(),
        log_bytes: lsn,
        changes: db.core.stats.mtrs.get(),
        commits: db.stats.commits.get(),
        pages_dirtied: pool.dirtied(),
        pages_read: n(&pool.stats.reads),
        pages_written: n(&f.pages),
        written_dirty: f.by(Cause::Dirty),
        written_age: f.by(Cause::Age),
        written_extra: f.by(Cause::Extra),
        written_free: f.by(Cause::Free),
        written_users: users.iter().map(|c| f.by(*c)).sum(),
        written_rescue: f.by(Cause::Rescue) + f.by(Cause::Stop),
        pages_rewritten: n(&f.rewritten),
        checkpoints: n(&log.stats.checkpoints),
        user_waits: n(&u.waits) + n(&log.stats.room_waits) + n(&pool.stats.free_waits),
        user_wait_micros: (n(&u.wait_nanos) + n(&log.stats.room_wait_nanos)) / 1000,
        paced_micros: n(&u.paced_nanos) / 1000,
        admitted_per_second: c.admission.per_second() as u64,
        read_micros_avg: n(&pool.stats.read_nanos),
        durable: log.durable(),
        pressure: Pressure::default(),
        waited: Waited::default(),
    }
}

fn difference(now: &Second, before: &Second) -> Second {
    let reads = now.pages_read - before.pages_read;
    let nanos = now.read_micros_avg - before.read_micros_avg;
    Second {
        log_bytes: now.log_bytes - before.log_bytes,
        changes: now.changes - before.changes,
        commits: now.commits - before.commits,
        pages_dirtied: now.pages_dirtied - before.pages_dirtied,
        pages_read: reads,
        pages_written: now.pages_written - before.pages_written,
        written_dirty: now.written_dirty - before.written_dirty,
        written_age: now.written_age - before.written_age,
        written_extra: now.written_extra - before.written_extra,
        written_free: now.written_free - before.written_free,
        written_users: now.written_users - before.written_users,
        written_rescue: now.written_rescue - before.written_rescue,
        pages_rewritten: now.pages_rewritten - before.pages_rewritten,
        checkpoints: now.checkpoints - before.checkpoints,
        user_waits: now.user_waits - before.user_waits,
        user_wait_micros: now.user_wait_micros - before.user_wait_micros,
        paced_micros: now.paced_micros - before.paced_micros,
        read_micros_avg: nanos.checked_div(reads).unwrap_or(0) / 1000,
        ..now.clone()
    }
}
