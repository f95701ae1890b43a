//! Floor 6: the background tasks. Page cleaner with checkpoints, log flusher, purge, rollback of orphans.

use crate::db::Inner;
use crate::error::Result;
use crate::flush::policy::{FlushPolicy, Observation};
use crate::ids::Lsn;
use crate::log::Reach;
use crate::mtr::Core;
use crate::planted::{self, Bug};
use crate::pool::FlushKind;
use crate::sync::atomic::Ordering;
use crate::txn::{self, RollbackTarget, rollback_log};
use std::sync::Arc;
use std::time::Duration;

/// How far a checkpoint may go now. `published` is read before the age index (I7, I9).
pub fn reachable(core: &Core) -> Lsn {
    let mut published = core.log.published();
    let oldest = core.pool.oldest_dirty(core.log.checkpoint());
    if planted::is(Bug::CheckpointReadsAgeFirst) {
        published = core.log.published();
    }
    oldest.map_or(published, |o| o.min(published))
}

/// Takes a fuzzy checkpoint as far as the pages allow.
pub async fn checkpoint(db: &Inner) -> Result<()> {
    let candidate = reachable(&db.core);
    if candidate <= db.core.log.checkpoint() {
        return Ok(());
    }
    // The log must be durable up to the checkpoint, or recovery would begin behind its end.
    db.core.log.flush_to(candidate, Reach::Durable).await?;
    db.core.log.write_checkpoint(candidate, false).await
}

/// How far a checkpoint must get to be worth its two syncs: 1/32 of the capacity.
fn checkpoint_step(db: &Inner) -> u64 {
    (db.core.log.capacity() / 32).max(4096)
}

fn observe(db: &Inner, seconds: f64, written: u64) -> Observation {
    let (log, pool) = (&db.core.log, &db.core.pool);
    let checkpoint = log.checkpoint();
    let lsn = log.published();
    let oldest = pool.oldest_dirty(checkpoint).unwrap_or(lsn).min(lsn);
    let capacity = log.capacity();
    let horizon = (capacity / 16).max(1);
    let (histogram, width) = pool.age_histogram(oldest);
    let buckets = (horizon / width + 1) as usize;
    let due: u64 = histogram.iter().take(buckets).map(|n| *n as u64).sum();
    Observation {
        seconds,
        lsn,
        oldest,
        checkpoint,
        log_capacity: capacity,
        dirty: pool.dirty_pages(),
        pool: pool.size(),
        free: pool.free_frames(),
        free_want: pool.low_water(),
        due: due as usize,
        horizon: buckets as u64 * width,
        written,
        waiting: log.room_waiters() + pool.waiting_for_frames(),
        settings: *db.settings.flush.lock(),
    }
}

/// The page cleaner: asks the policy at each tick and carries out its orders.
pub async fn cleaner(db: Arc<Inner>, mut policy: Box<dyn FlushPolicy>) {
    let mut last = db.rt.now();
    let mut pages = 0;
    let mut wait = Duration::from_millis(100);
    while !db.stop_cleaner.is_set() {
        let woken = async {
            let frames = std::pin::pin!(db.core.pool.frames_wanted.notified());
            let space = std::pin::pin!(db.core.log.space_wanted.notified());
            either(frames, space).await;
        };
        db.rt.timeout(wait, woken).await;
        let now = db.rt.now();
        let total = db.core.pool.flush_stats().pages.load(Ordering::Relaxed);
        let o = observe(&db, (now - last) as f64 / 1e9, total - pages);
        (last, pages) = (now, total);
        let orders = policy.tick(&o);
        db.core.stats.pace_nanos.store(orders.pace_nanos_per_kib, Ordering::Relaxed);
        if let Err(e) = carry_out(&db, &orders, o.waiting > 0).await {
            db.fatal(&e);
            return;
        }
        wait = Duration::from_millis(orders.next_ms);
    }
}

async fn carry_out(db: &Inner, orders: &crate::flush::policy::Orders, urgent: bool) -> Result<()> {
    let (log, pool) = (&db.core.log, &db.core.pool);
    pool.flush_lru(log, orders.free, crate::pool::BATCH).await?;
    pool.rouse();
    if orders.list > 0 {
        let kind = if urgent { FlushKind::Sync } else { FlushKind::List };
        // In slices, so that free frames keep coming while much is written by age.
        let mut left = orders.list;
        while left > 0 {
            let n = left.min(crate::pool::BATCH);
            let wrote = pool.flush_oldest(log, n, orders.limit, kind).await?;
            left = left.saturating_sub(n);
            if wrote == 0 {
                break;
            }
            pool.flush_lru(log, orders.free, crate::pool::BATCH).await?;
            if urgent {
                checkpoint(db).await?;
            }
        }
    }
    let reachable = reachable(&db.core);
    let idle = pool.dirty_pages() == 0 && reachable > log.checkpoint();
    if reachable.saturating_sub(log.checkpoint()) >= checkpoint_step(db)
        || log.room_waiters() > 0
        || idle
    {
        checkpoint(db).await?;
    }
    Ok(())
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
    while !db.stopping() {
        match txn::purge(&db, PURGE_BATCH).await {
            Ok(0) => {}
            Ok(PURGE_BATCH) => continue,
            // Told at every commit, it would be woken at every commit. Nobody waits for it: what comes meanwhile is one
            // batch.
            Ok(_) => {
                db.rt.timeout(PURGE_PAUSE, db.stop.wait()).await;
                continue;
            }
            Err(e) if db.core.log.failure().is_err() => {
                db.fatal(&e);
                return;
            }
            Err(e) => {
                (db.log)(&format!("purge: {e}"));
                db.rt.sleep(Duration::from_secs(1)).await;
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

pub async fn orphan_keeper(db: Arc<Inner>) {
    loop {
        while let Some(mut o) = db.orphans.pop() {
            match rollback_log(&db, o.id, &mut o.log, RollbackTarget::All).await {
                Ok(()) => {
                    db.trx.end_rollback(o.id);
                    db.undo_slots.give_back(o.log);
                    db.locks.release_all(&o.locks);
                    o.mdl.clear();
                    db.stats.rollbacks.fetch_add(1, Ordering::Relaxed);
                }
                Err(e) => {
                    (db.log)(&format!("rollback of transaction {}: {e}", o.id));
                    if db.core.log.failure().is_err() {
                        db.fatal(&e);
                        return;
                    }
                    db.orphans.push(o);
                    db.rt.sleep(Duration::from_secs(1)).await;
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
