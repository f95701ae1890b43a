//! What a session does before it changes something, when there is something to do.

use super::Core;
use super::checkpoint::checkpoint;
use super::control::HandedOver;
use crate::error::Result;
use crate::patience;
use crate::policy::{Batch, Cause, FreeRule, UserView};
use crate::pool::LruBatch;
use crate::sync::atomic::Ordering;
use crate::waits::{Cause as Why, Object, Waiting, What};
use std::time::Duration;

/// Longest sleep before the conditions are looked at again.
const LOOK: Duration = Duration::from_millis(20);

/// Returns when the session may ask for log space. It holds no latch; it may hold row locks.
pub async fn before_change(core: &Core) -> Result<()> {
    if core.flush.take_margin() {
        free_margin(core).await?;
    }
    admit(core).await?;
    dirty_gate(core).await?;
    rules(core, false).await
}

/// Waits for this change's turn.
async fn admit(core: &Core) -> Result<()> {
    let a = &core.flush.admission;
    // An undoing is no load that could be put off: it ends one.
    if !a.is_limited() || patience::is_undoing() {
        return Ok(());
    }
    let ticket = a.draw();
    let rt = &core.pool.rt;
    let begun = rt.now();
    let mut waited = 0;
    let (mut queued, mut waiting) = (None, None);
    loop {
        let wait = a.wait(ticket, begun + waited);
        // What the clock cannot keep is not worth a sleep: the next ticket pays for it.
        if wait < 30_000 {
            break;
        }
        queued = queued.or_else(|| a.queue());
        waiting.get_or_insert_with(|| {
            let scarce = Object::Scarce(core.flush.pressure.cause());
            core.waits.begin_at(begun, What::new(Why::Admission, scarce))
        });
        rt.sleep(Duration::from_nanos(wait).min(LOOK)).await;
        core.log.failure()?;
        patience::is_over()?;
        waited = rt.now() - begun;
    }
    if let Some(w) = waiting {
        w.end_at(begun + waited);
        let s = &core.flush.stats;
        s.paced.fetch_add(1, Ordering::Relaxed);
        s.paced_nanos.fetch_add(waited, Ordering::Relaxed);
        s.paced_nanos_max.fetch_max(waited, Ordering::Relaxed);
    }
    Ok(())
}

/// Waits until fewer pages are dirty than sessions may make.
async fn dirty_gate(core: &Core) -> Result<()> {
    let pool = &core.pool;
    let over = || pool.dirty_pages() >= core.flush.dirty_gate();
    if !over() {
        return Ok(());
    }
    let begun = pool.rt.now();
    let waiting = core.waits.begin_at(begun, Why::DirtyLimit);
    loop {
        let wait = pool.cleaned().wait();
        if !over() {
            break;
        }
        pool.frames_wanted.notify_one();
        pool.rt.timeout(LOOK, wait).await;
        core.log.failure()?;
        patience::is_over()?;
    }
    note_wait(core, begun, waiting);
    Ok(())
}

fn note_wait(core: &Core, begun: u64, waiting: Waiting<'_>) {
    let now = core.pool.rt.now();
    waiting.end_at(now);
    let nanos = now - begun;
    let s = &core.flush.stats;
    s.waits.fetch_add(1, Ordering::Relaxed);
    s.wait_nanos.fetch_add(nanos, Ordering::Relaxed);
    s.wait_nanos_max.fetch_max(nanos, Ordering::Relaxed);
}

fn view(core: &Core, dirty_checked: bool) -> UserView {
    let checkpoint = core.log.checkpoint();
    let lsn = core.log.published();
    UserView {
        lsn,
        oldest: core.pool.oldest_dirty(checkpoint).unwrap_or(lsn).min(lsn),
        checkpoint,
        dirty: core.pool.dirty_pages(),
        pool: core.pool.size(),
        write_free: core
            .flush
            .mechanism()
            .slots_in(core.pool.size())
            .saturating_sub(core.pool.pages_in_flight()),
        dirty_checked,
    }
}

/// The policy's rules for sessions: `log_free_check` and its like. The dirty limit counts in the first round, and not for
/// the master of a policy.
pub async fn rules(core: &Core, mut dirty_checked: bool) -> Result<()> {
    // A session that writes pages waits for the device, whether or not the policy calls it waiting.
    let mut waiting = None;
    let mut begun = None;
    loop {
        let r = core.flush.rules();
        let age = core.log.published().saturating_sub(core.log.checkpoint());
        if !r.may_act(age, core.pool.dirty_pages(), core.pool.size()) {
            break;
        }
        let order = r.check(&view(core, dirty_checked));
        if order == Default::default() {
            break;
        }
        // Anyone who posts a batch waits for its slots.
        let posts = order.batch.is_some() && core.pool.posts();
        if posts || order.await_list || order.wait_age.is_some() || order.checkpoint == Some(true) {
            begun.get_or_insert_with(|| core.pool.rt.now());
        }
        waiting.get_or_insert_with(|| {
            // A limit of the log at which sessions wait and do not write.
            let log = order.wait_age.is_some() && order.batch.is_none();
            core.waits.begin(if log { Why::LogSpace } else { Why::PageWrite })
        });
        let wrote = match &order.batch {
            Some(b) => run_batch(core, b).await?,
            None => Some(0),
        };
        let refused = wrote.is_none();
        if order.await_list {
            await_list(core).await;
        }
        dirty_checked = true;
        if wrote.unwrap_or(0) == 0 && (order.again || order.again_if_refused) {
            // What is in the way is on its way already, in somebody else's hands: not asked for again without a pause.
            core.pool.rt.sleep(Duration::from_millis(1)).await;
        }
        if refused && order.again_if_refused {
            core.log.failure()?;
            continue;
        }
        match order.checkpoint {
            Some(false) if core.flush.want_checkpoint() => {}
            Some(_) => checkpoint(core).await?,
            None => {}
        }
        if let Some(limit) = order.wait_age {
            wait_for_checkpoint(core, limit).await?;
        }
        core.log.failure()?;
        patience::is_over()?;
        if !order.again {
            break;
        }
    }
    if let (Some(begun), Some(waiting)) = (begun, waiting) {
        note_wait(core, begun, waiting);
    }
    Ok(())
}

/// Until no list batch runs and none is handed over.
pub async fn await_list(core: &Core) {
    loop {
        let wait = core.flush.handed_back.wait();
        // A batch handed over in the moment in which the writer ends stays where it is: nobody will run it.
        let nobody = !core.flush.has_writer.load(Ordering::Acquire);
        if nobody || core.flush.handed.lock().is_none() {
            return core.pool.await_list().await;
        }
        core.pool.rt.timeout(LOOK, wait).await;
    }
}

async fn wait_for_checkpoint(core: &Core, limit: u64) -> Result<()> {
    let age = || core.log.published().saturating_sub(core.log.checkpoint());
    while age() > limit && core.flush.rules().wait_age.is_some() && !patience::is_undoing() {
        core.log.space_wanted.notify_one();
        core.pool.rt.sleep(Duration::from_millis(10)).await;
        core.log.failure()?;
        patience::is_over()?;
    }
    Ok(())
}

/// A list batch as the one who orders it sees it: without `wait` and without doublewrite it goes on when no more requests
/// are left than there are slots. `None`: refused. Where the mechanism posts pages, the pool does just that; otherwise the batch is
/// handed over to the writer task.
pub async fn run_batch(core: &Core, b: &Batch) -> Result<Option<usize>> {
    let pool = &core.pool;
    let c = &core.flush;
    let alone = !c.has_writer.load(Ordering::Acquire);
    if b.wait || pool.has_doublewrite() || alone || pool.posts() {
        return pool.list_batch(&core.log, b).await;
    }
    let slots = c.mechanism().slots;
    {
        let mut h = c.handed.lock();
        if pool.list_running() || h.is_some() {
            pool.flush_stats().batches_refused.fetch_add(1, Ordering::Relaxed);
            return Ok(None);
        }
        *h = Some(HandedOver { batch: *b, slots });
    }
    let before = pool.flush_stats().by(b.cause);
    let goal = b.pages.min(pool.dirty_before(core.log.checkpoint(), b.limit));
    c.handed_over.notify_one();
    loop {
        let wait = c.handed_back.wait();
        let wrote = (pool.flush_stats().by(b.cause) - before) as usize;
        if c.handed.lock().is_none() || wrote + slots >= goal || core.log.failure().is_err() {
            // What is on its way counts: the caller has asked for it and will not ask again.
            return Ok(Some(goal));
        }
        pool.rt.timeout(LOOK, wait).await;
    }
}

/// Rounds of the search for a frame before it is waited for.
const SEARCHES: usize = 10;

/// How far from the end of the list a round of the search looks: rounds are numbered from 1.
fn depth(round: usize, pool: usize) -> usize {
    100 + round * pool / 10
}

/// The sleep of a session of a build that has searched in vain.
const FRAME_SLEEP: Duration = Duration::from_millis(500);

/// The same for pages that are read ahead: a round for all of them, and no sleep when there are not enough, since the request takes the frames
/// that there are.
pub async fn frames_for(core: &Core, pages: usize) -> Result<()> {
    let pool = &core.pool;
    for round in 1..=SEARCHES {
        let missing = pages.saturating_sub(pool.free_frames());
        if !pool.by_list() || missing == 0 {
            break;
        }
        if pool.evict_near(missing, pages + depth(round, pool.size())) >= missing {
            break;
        }
        if free_margin(core).await? == Margin::Stuck {
            break;
        }
        core.log.failure()?;
    }
    Ok(())
}

/// InnoDB's search for a frame: a clean page in the last tenth of the list and a hundred more, each round further from its end by a tenth of the
/// pool, and before each but the first the free margin is looked after. (5.0: `n_iterations` begins at 1)
pub async fn find_frame(core: &Core) -> Result<()> {
    let pool = &core.pool;
    for round in 1..=SEARCHES {
        if !pool.by_list() || pool.free_frames() > 0 {
            break;
        }
        if pool.evict_near(1, depth(round, pool.size())) > 0 {
            break;
        }
        pool.stats.free_waits.fetch_add(1, Ordering::Relaxed);
        if free_margin(core).await? == Margin::Stuck {
            // A deeper look would find the same pages: who needs a frame waits for one.
            break;
        }
        core.log.failure()?;
        patience::is_over()?;
    }
    if pool.by_list() && pool.free_frames() == 0 && core.flush.mechanism().sleeps_for_frames {
        let _waiting = core.waits.begin(Why::FreeFrame);
        pool.rt.sleep(FRAME_SLEEP).await;
    }
    Ok(())
}

/// What looking after the free margin has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Margin {
    /// There are pages enough that can be replaced.
    Kept,
    /// Pages were written, or the end of somebody's batch was waited for.
    Helped,
    /// Nothing near the end can be written now.
    Stuck,
}

/// InnoDB's free margin: after a page has come in, its reader sees to it that pages can be replaced.
pub async fn free_margin(core: &Core) -> Result<Margin> {
    let pool = &core.pool;
    let FreeRule::Users { margin, extra, scan, neighbours } =
        core.flush.rules().free.for_pool(pool.size())
    else {
        return Ok(Margin::Kept);
    };
    let replaceable = pool.replaceable(scan, margin);
    if replaceable >= margin {
        return Ok(Margin::Kept);
    }
    let begun = pool.rt.now();
    let waiting = core.waits.begin_at(begun, Why::FreeFrame);
    let missing = margin + extra - replaceable;
    let b = LruBatch {
        // Pages of InnoDB's list are written and stay where they are, until somebody needs a frame.
        want: if pool.by_list() { 0 } else { pool.free_frames() + missing },
        depth: scan + missing,
        max: missing,
        neighbours,
        cause: Cause::UserFree,
    };
    let done = pool.lru_batch(&core.log, &b).await?;
    if done.is_none() {
        // One runs already: its end is waited for, not another begun.
        pool.await_lru().await;
    }
    note_wait(core, begun, waiting);
    Ok(if done == Some(0) { Margin::Stuck } else { Margin::Helped })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// InnoDB's count of rounds began at 1, so dirty pages at the end of the list make no session wait while there are clean ones behind them.
    #[test]
    fn the_first_round_of_a_search_sees_a_tenth_of_the_pool() {
        assert_eq!([1, 2, SEARCHES].map(|r| depth(r, 131_072)), [13_207, 26_314, 131_172]);
    }
}
