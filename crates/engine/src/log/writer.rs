//! Group write and flush. Anyone who needs durability first becomes the leader and writes and syncs for all; those who come
//! meanwhile wait, and one of them leads the next round. One device flush serves every commit that arrived before it.
//!
//! A leader instead of a thread of its own: with a sync of about 70 us a hand-over to another thread (two switches of
//! 5-15 us) would be a good part of the commit. Only with answers to give ([`super::answers`]) a task leads, for as long as there are any.

use super::buffer::Log;
use super::control::DAMAGED_MAX;
use super::deferred_ack::DeferredAck;
use super::segments::Touched;
use super::write_buffer::WriteBuffer;
use crate::error::{Error, Result};
use crate::ids::{Lsn, SpaceId};
use crate::page::redo::Redo;
use crate::planted::{self, Bug};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::waits::{Cause, What};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use weir_rt::Nanos;

/// Nanoseconds until a segment is tried again for which the device had no room.
const GROW_AGAIN: Nanos = 1_000_000_000;

/// How far a waiter wants its LSN to have come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// In the operating system's hands: survives the process.
    Written,
    /// Synced: survives the machine.
    Durable,
}

pub struct WriterState {
    /// From the start of the last partly filled block to `written`.
    buffer: WriteBuffer,
    /// Files written since their last sync.
    unsynced: Touched,
    /// Value of the last mark.
    marked: Lsn,
}

impl WriterState {
    pub fn new(tail: &[u8], end: Lsn) -> WriterState {
        let buffer = WriteBuffer::new(tail);
        WriterState { buffer, unsynced: Touched::new(), marked: end }
    }
}

struct Waiter {
    id: u64,
    lsn: Lsn,
    reach: Reach,
    waker: Waker,
}

#[derive(Default)]
pub struct Waiters {
    /// Somebody leads.
    pub(super) busy: bool,
    /// When the round at hand began, by the runtime's clock.
    pub(super) round_began: Nanos,
    next_id: u64,
    list: Vec<Waiter>,
    /// Answers that wait in place of their sessions.
    pub(super) answers: Vec<DeferredAck>,
}

impl Waiters {
    /// What those wait for who wait themselves.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (Lsn, Reach)> + '_ {
        self.list.iter().map(|x| (x.lsn, x.reach))
    }

    /// Takes the wakers of those who have waited enough.
    fn done(&mut self, log: &Log, failed: bool) -> Vec<Waker> {
        let mut wake = Vec::new();
        self.list.retain(|x| {
            let done = failed || log.reached(x.lsn, x.reach);
            if done && !planted::is(Bug::CommitNotWoken) {
                wake.push(x.waker.clone());
            }
            !done
        });
        wake
    }

    /// Nobody leads: one thread is woken to lead, if there is anything to lead for. Where there are answers it is their task, which then leads
    /// for all until nobody waits, and wakes no session to lead.
    fn hand_over(&self, log: &Log) {
        assert!(!self.busy);
        if !self.answers.is_empty() {
            log.answers_left.notify_one();
        } else if let Some(x) = self.list.first() {
            x.waker.wake_by_ref();
        }
    }
}

/// The log's files are being synced while this lives.
struct Syncing<'a>(&'a AtomicBool);

impl<'a> Syncing<'a> {
    fn begin(now: &'a AtomicBool) -> Syncing<'a> {
        now.store(true, Ordering::Relaxed);
        Syncing(now)
    }
}

impl Drop for Syncing<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

enum Turn {
    Done,
    Lead,
}

/// Resolves when the LSN has come far enough, or when it is this caller's turn to lead.
struct WaitTurn<'a> {
    log: &'a Log,
    lsn: Lsn,
    reach: Reach,
    id: Option<u64>,
}

impl Future for WaitTurn<'_> {
    type Output = Result<Turn>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Turn>> {
        let log = self.log;
        // Register under the same mutex under which a finished leader looks for waiters: no wake-up is lost.
        let mut w = log.waiters.lock();
        if log.reached(self.lsn, self.reach) || log.failure().is_err() {
            self.forget(&mut w);
            return Poll::Ready(log.failure().map(|()| Turn::Done));
        }
        if !w.busy {
            w.busy = true;
            w.round_began = log.rt.now();
            self.forget(&mut w);
            return Poll::Ready(Ok(Turn::Lead));
        }
        match self.id.and_then(|id| w.list.iter_mut().find(|x| x.id == id)) {
            Some(x) => x.waker.clone_from(cx.waker()),
            None => {
                let id = w.next_id;
                w.next_id += 1;
                let (lsn, reach) = (self.lsn, self.reach);
                w.list.push(Waiter { id, lsn, reach, waker: cx.waker().clone() });
                self.id = Some(id);
            }
        }
        Poll::Pending
    }
}

impl WaitTurn<'_> {
    fn forget(&mut self, w: &mut Waiters) {
        if let Some(id) = self.id.take() {
            w.list.retain(|x| x.id != id);
        }
    }
}

impl Drop for WaitTurn<'_> {
    fn drop(&mut self) {
        if self.id.is_some() {
            let log = self.log;
            let mut w = log.waiters.lock();
            self.forget(&mut w);
            // This waiter may have been the one told to lead next.
            if !w.busy {
                w.hand_over(log);
            }
        }
    }
}

/// Leadership; given up when dropped, however the round ended.
pub(super) struct Lead<'a> {
    log: &'a Log,
    over: bool,
}

impl<'a> Lead<'a> {
    /// For anyone who has set `busy`.
    pub(super) fn new(log: &'a Log) -> Lead<'a> {
        Lead { log, over: false }
    }

    /// A round is over: those whose LSN it reached hear of it. Goes on leading if others wait; false: nobody does, and this lead is over.
    pub(super) fn goes_on(&mut self) -> bool {
        let log = self.log;
        let failed = log.failure().is_err();
        let mut w = log.waiters.lock();
        let (wake, due) = (w.done(log, failed), w.due(log, failed));
        w.busy = w.sessions().next().is_some() || !w.answers.is_empty();
        self.over = !w.busy;
        w.round_began = log.rt.now();
        drop(w);
        wake.into_iter().for_each(Waker::wake);
        due.give(log);
        !self.over
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let log = self.log;
        let failed = log.failure().is_err();
        let (wake, due) = {
            let mut w = log.waiters.lock();
            w.busy = false;
            let ended = (w.done(log, failed), w.due(log, failed));
            w.hand_over(log);
            ended
        };
        wake.into_iter().for_each(Waker::wake);
        due.give(log);
    }
}

impl Log {
    pub(super) fn wake_all_waiters(&self) {
        let woken: Vec<Waker> = self.waiters.lock().list.iter().map(|x| x.waker.clone()).collect();
        for w in woken {
            w.wake();
        }
    }

    pub(super) fn reached(&self, lsn: Lsn, reach: Reach) -> bool {
        match reach {
            Reach::Written => self.written() >= lsn,
            Reach::Durable => self.durable() >= lsn,
        }
    }

    /// Waits until everything below `lsn` is written or durable, leading a round if nobody else does.
    pub async fn flush_to(&self, lsn: Lsn, reach: Reach) -> Result<()> {
        while !self.reached(lsn, reach) {
            self.until_published(lsn).await;
            match (WaitTurn { log: self, lsn, reach, id: None }).await? {
                Turn::Done => return Ok(()),
                Turn::Lead => {
                    let lead = Lead::new(self);
                    let round = self.round(reach == Reach::Durable).await;
                    if let Err(e) = round {
                        self.fail(e);
                    }
                    drop(lead);
                    self.wake_room();
                    self.failure()?;
                }
            }
        }
        self.failure()
    }

    /// The same for a session, which says who it is: noted as its wait. Writing without a sync mostly takes microseconds and now and
    /// then seconds, so the coarse clock will do.
    pub async fn flush_for(&self, lsn: Lsn, reach: Reach, who: (u64, u64)) -> Result<()> {
        if self.reached(lsn, reach) {
            return self.failure();
        }
        let what = |c: Cause| What::from(c).of(who.0, who.1);
        let _waiting = match reach {
            Reach::Durable => self.waits.begin(what(Cause::LogSync)),
            Reach::Written => self.waits.begin_coarsely(what(Cause::LogWrite)),
        };
        self.flush_to(lsn, reach).await
    }

    /// Rounds of writing under way: one at a time.
    pub fn pending_writes(&self) -> usize {
        usize::from(self.waiters.lock().busy)
    }

    /// Whether such a round syncs now.
    pub fn pending_syncs(&self) -> usize {
        usize::from(self.stats.syncing.load(Ordering::Relaxed))
    }

    /// Everything appended so far.
    pub async fn flush_all(&self, reach: Reach) -> Result<()> {
        self.flush_to(self.published(), reach).await
    }

    pub(super) async fn round(&self, sync: bool) -> Result<()> {
        let mut w = self.writer.lock().await;
        // Closed while this leader waited for its turn.
        self.failure()?;
        let durable = self.durable();
        if sync && durable > w.marked {
            let mut rec = Vec::with_capacity(12);
            Redo::Mark { durable }.encode(None, &mut None, &mut rec);
            self.append_ungranted(&rec);
            w.marked = durable;
        }
        let from = self.written();
        let target = self.published();
        if target > from {
            let block = self.segments.block_start(from);
            assert_eq!(w.buffer.filled() as u64, from - block);
            let more = (target - from) as usize;
            let data = w.buffer.take(more, |to| {
                // SAFETY: [from, target) is published and `written` has not passed it, so nobody writes these bytes.
                unsafe { self.ring.read(from, to) }
            });
            let (data, files) = self.segments.write(block, data).await;
            w.buffer.put_back(data, more);
            debug_assert_eq!(self.segments.block_start(target), target - w.buffer.filled() as u64);
            for f in files? {
                if !w.unsynced.iter().any(|u| Arc::ptr_eq(u, &f)) {
                    w.unsynced.push(f);
                }
            }
            self.stats.writes.fetch_add(1, Ordering::Relaxed);
            self.stats.bytes_written.fetch_add(target - from, Ordering::Relaxed);
            self.written.store(target, Ordering::Release);
        }
        if sync {
            if !w.unsynced.is_empty() {
                self.stats.syncs.fetch_add(1, Ordering::Relaxed);
            }
            let _syncing = Syncing::begin(&self.stats.syncing);
            for f in std::mem::take(&mut w.unsynced) {
                let synced = f.sync().await;
                if !planted::is(Bug::LogSyncErrorIgnored) {
                    synced?;
                }
            }
            let target = if planted::is(Bug::DurableTooFar) { self.published() } else { target };
            self.durable.fetch_max(target, Ordering::AcqRel);
            if !self.grown.idle() {
                self.grown.wake_all();
            }
        }
        Ok(())
    }

    /// Ends the log's life: everything appended becomes durable, and nothing can be appended durably after it. Returns where
    /// it ends.
    pub async fn close(&self) -> Result<Lsn> {
        loop {
            self.flush_all(Reach::Durable).await?;
            // No round runs while this is held, and the next one finds the log closed.
            let _quiet = self.writer.lock().await;
            let end = self.durable();
            if self.published() == end {
                self.stop(Error::ShuttingDown);
                return Ok(end);
            }
        }
    }

    /// Adds a space to those that the control file calls damaged, durably.
    pub async fn note_damaged(&self, space: SpaceId) -> Result<()> {
        let mut c = self.control.lock().await;
        if c.state.damaged.contains(&space) {
            return Ok(());
        }
        if c.state.damaged.len() == DAMAGED_MAX {
            return Err(Error::Unsupported(format!(
                "more than {DAMAGED_MAX} damaged tables: drop some of them, then start again"
            )));
        }
        c.state.damaged.push(space);
        c.write_both().await
    }

    /// Forgets damaged spaces that are no more.
    pub async fn keep_damaged(&self, named: impl Fn(SpaceId) -> bool) -> Result<()> {
        let mut c = self.control.lock().await;
        if c.state.damaged.iter().all(|s| named(*s)) {
            return Ok(());
        }
        c.state.damaged.retain(|s| named(*s));
        c.write_both().await
    }

    /// Records a checkpoint durably, then gives the segments below it a new place. No checkpoint is recorded as long as events below it are in the log
    /// alone.
    pub async fn write_checkpoint(&self, lsn: Lsn, clean: bool) -> Result<()> {
        if !self.settle_events(lsn, clean).await? {
            return Ok(());
        }
        {
            let mut c = self.control.lock().await;
            if lsn < c.state.checkpoint || (lsn == c.state.checkpoint && c.state.clean == clean) {
                return Ok(());
            }
            assert!(lsn <= self.durable(), "a checkpoint at {lsn} passes the durable log (I9)");
            c.state.checkpoint = lsn;
            c.state.clean = clean;
            let durable = self.durable();
            // Without a sample less is proved at the next start, which is no reason to have no checkpoint.
            let sample = self.segments.sample(durable).await.unwrap_or_default();
            (c.state.durable, c.state.sample) = (durable, sample);
            if planted::is(Bug::RecycledBeforeCheckpoint) {
                self.segments.recycle(lsn, self.segments.count()).await?;
            }
            // Either slot must find the log that it begins with.
            let both = self.segments.frees(lsn) && !planted::is(Bug::OneSlotAtRecycling);
            let done = if both { c.write_both().await } else { c.write().await };
            if let Err(e) = done {
                self.fail(e.clone());
                return Err(e);
            }
            self.stats.checkpoints.fetch_add(1, Ordering::Relaxed);
            self.checkpoint.store(lsn, Ordering::Release);
            if let Err(e) = self.reuse(lsn).await {
                self.fail(e.clone());
                return Err(e);
            }
            if c.state.segments as usize != self.segments.count() {
                c.state.segments = self.segments.count() as u32;
            }
            self.set_limit();
        }
        if !planted::is(Bug::LogRoomNotWoken) {
            self.wake_room();
        }
        Ok(())
    }

    /// Both slots of the control file have the checkpoint then.
    pub async fn settle_slots(&self) -> Result<()> {
        let mut c = self.control.lock().await;
        let done = c.write_both().await;
        if let Err(e) = &done {
            self.fail(e.clone());
        }
        done
    }

    /// The log may come to have so many segments, as it is filled. It keeps those that it has.
    pub fn may_grow_to(&self, segments: u64) {
        self.want_segments.fetch_max(segments, Ordering::AcqRel);
        self.set_limit();
    }

    /// Gives the log another segment once a quarter of what it may hold stands between checkpoint and end: before the flush policy
    /// has a reason to write pages sooner than it would with all of them. Where the device has no room the log stays as it is, and is tried again later.
    pub async fn grow_when_filled(&self) -> Result<()> {
        let age = self.reserved().saturating_sub(self.checkpoint());
        let there = self.segments.count() as u64;
        if there >= self.want_segments.load(Ordering::Acquire) || age < self.capacity() / 4 {
            return Ok(());
        }
        let refused = self.refused_at.load(Ordering::Relaxed);
        let now = self.rt.now();
        if refused > 0 && now < refused + GROW_AGAIN {
            return Ok(());
        }
        let grown = {
            let _control = self.control.lock().await;
            let grown = self.segments.grow(0).await;
            self.set_limit();
            grown
        };
        self.wake_room();
        self.refused_at.store(if grown.is_ok() { 0 } else { now.max(1) }, Ordering::Relaxed);
        // A log that cannot become longer is no failure: what was promised is in the segments that there are.
        Ok(())
    }

    /// Changes the capacity while running: more segments at once, fewer as the checkpoint passes them.
    pub async fn resize(&self, capacity: u64) -> Result<()> {
        let want = (capacity / self.segments.size()).max(4);
        self.want_segments.store(want, Ordering::Release);
        {
            let _control = self.control.lock().await;
            while (self.segments.count() as u64) < want {
                self.segments.grow(0).await?;
                self.set_limit();
            }
            self.set_limit();
        }
        self.wake_room();
        Ok(())
    }
}
