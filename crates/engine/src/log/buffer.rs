//! The log's front: grants, reservation, parallel copy, publication.

use super::control::ControlFile;
use super::events::Follower;
use super::keep::Keeps;
use super::ring::RingMemory;
use super::segments::Segments;
use super::writer::{Reach, Waiters, WriterState};
use super::{FRAME, frame_header};
use crate::cost::{self, Cost};
use crate::error::{Error, Result};
use crate::ids::{Lsn, SpaceId};
use crate::lane::Counter;
use crate::page::redo::Redo;
use crate::patience;
use crate::planted::{self, Bug};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::waits::{Cause, Waits};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use weir_rt::{AsyncMutex, Notify, Rt, WaitQueue};

/// Room that the writer's own marks may take beyond what was granted.
const SLACK: u64 = 8192;

/// Where a log that recovery reads seems to end: behind every page LSN.
const UNKNOWN_END: Lsn = u64::MAX / 2;

#[derive(Default)]
pub struct LogStats {
    pub write_requests: Counter,
    pub writes: AtomicU64,
    pub syncs: AtomicU64,
    /// A sync is under way.
    pub syncing: AtomicBool,
    /// Answers given in place of their sessions.
    pub answers_kept: AtomicU64,
    pub bytes_written: AtomicU64,
    pub room_waits: AtomicU64,
    /// For a group that another thread had not copied yet.
    pub publish_waits: AtomicU64,
    pub room_wait_nanos: AtomicU64,
    /// Changes of rollbacks that had to wait for room, and waited ahead of statements.
    pub undo_first: AtomicU64,
    pub buffer_waits: AtomicU64,
    pub checkpoints: AtomicU64,
}

pub(super) struct Reserve {
    pub reserved: Lsn,
    /// Bytes granted to mini-transactions that have not appended yet.
    pub granted: u64,
    /// Somebody in `grants_used` waits for what is granted. Set and taken under the lock that guards `granted`, so anyone who
    /// uses a grant or gives it back after that waiter's look finds it.
    grants_awaited: bool,
    /// Undoings that wait for a grant. As long as there are any, nobody else gets one.
    undoing: u32,
    /// Open groups in LSN order: end, copied. The front is the first one that is not published.
    groups: VecDeque<(Lsn, bool)>,
    /// Sequence number of `groups[0]`.
    first: u64,
}

pub struct Log {
    pub(super) rt: Rt,
    pub(super) waits: Arc<Waits>,
    pub(super) ring: RingMemory,
    pub(super) segments: Arc<Segments>,
    pub(super) control: AsyncMutex<ControlFile>,
    pub(super) reserve: Mutex<Reserve>,
    pub(super) published: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) durable: Arc<AtomicU64>,
    pub(super) checkpoint: AtomicU64,
    /// Most bytes between checkpoint and the end of what is granted.
    limit: AtomicU64,
    /// Segments wanted. There are fewer while the log has not been filled yet, and others while a resize is under way.
    pub(super) want_segments: AtomicU64,
    /// When the device had no room for another segment, in nanoseconds of the runtime's clock; 0: it had.
    pub(super) refused_at: AtomicU64,
    pub(super) waiters: Mutex<Waiters>,
    /// Somebody serves the answers of [`super::answers`]. Changes under the mutex of `waiters` only.
    pub(super) answers_served: AtomicBool,
    /// Told when answers are left and nobody leads.
    pub(super) answers_left: Notify,
    pub(super) writer: AsyncMutex<WriterState>,
    room: WaitQueue,
    /// The same for what undoes changes.
    undo_room: WaitQueue,
    /// Those who wait until a grant is used or given back, because nothing but grants fills the buffer.
    grants_used: WaitQueue,
    /// Those who wait until an earlier group is published; see `until_published`.
    holes: WaitQueue,
    /// Parts that must not be reused yet.
    pub(super) keeps: Arc<Keeps>,
    /// Those who copy the log, until more of it is durable.
    pub(super) grown: WaitQueue,
    /// Told when somebody waits for log space: the cleaner listens.
    pub space_wanted: Notify,
    failed: AtomicBool,
    failure: Mutex<Option<Error>>,
    pub stats: LogStats,
    /// Who takes the events out of the log.
    pub(super) follower: OnceLock<Arc<dyn Follower>>,
    /// Where the stream went on when the log was opened.
    began: Lsn,
    epoch: u32,
}

/// Room in the log for one mini-transaction. What is not used goes back when it is dropped.
pub struct Grant<'a> {
    log: &'a Log,
    bytes: u64,
}

impl Grant<'_> {
    /// Payload bytes that may be appended.
    pub fn payload(&self) -> usize {
        (self.bytes as usize).saturating_sub(FRAME)
    }
}

impl Drop for Grant<'_> {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let mut r = self.log.reserve.lock();
            r.granted -= self.bytes;
            let awaited = std::mem::take(&mut r.grants_awaited);
            drop(r);
            self.log.wake_room();
            self.log.tell_grant_used(awaited);
        }
    }
}

/// Counts an undoing that waits for a grant.
struct UndoFirst<'a>(&'a Log);

impl UndoFirst<'_> {
    fn new(log: &Log) -> UndoFirst<'_> {
        log.reserve.lock().undoing += 1;
        log.stats.undo_first.fetch_add(1, Ordering::Relaxed);
        UndoFirst(log)
    }
}

impl Drop for UndoFirst<'_> {
    /// Whether it has its grant or was given up: those whom it held back look again.
    fn drop(&mut self) {
        let left = {
            let mut r = self.0.reserve.lock();
            r.undoing -= 1;
            r.undoing
        };
        if left == 0 {
            self.0.wake_room();
        } else {
            self.0.undo_room.wake_one();
        }
    }
}

impl Log {
    /// A log whose stream goes on at `end`; everything below is durable.
    pub fn new(
        rt: Rt,
        waits: Arc<Waits>,
        segments: Segments,
        control: ControlFile,
        end: Lsn,
        tail: Vec<u8>,
        buffer: usize,
    ) -> Log {
        let checkpoint = control.state.checkpoint;
        let want = segments.count() as u64;
        let epoch = control.state.epoch_at(end);
        let log = Log {
            rt,
            waits,
            ring: RingMemory::new(buffer),
            control: AsyncMutex::new(control),
            reserve: Mutex::new(Reserve {
                reserved: end,
                granted: 0,
                grants_awaited: false,
                undoing: 0,
                groups: VecDeque::new(),
                first: 0,
            }),
            published: AtomicU64::new(end),
            written: AtomicU64::new(end),
            durable: Arc::new(AtomicU64::new(end)),
            checkpoint: AtomicU64::new(checkpoint),
            limit: AtomicU64::new(0),
            want_segments: AtomicU64::new(want),
            refused_at: AtomicU64::new(0),
            waiters: Mutex::new(Waiters::default()),
            answers_served: AtomicBool::new(false),
            answers_left: Notify::new(),
            writer: AsyncMutex::new(WriterState::new(&tail, end)),
            room: WaitQueue::new(),
            undo_room: WaitQueue::new(),
            grants_used: WaitQueue::new(),
            holes: WaitQueue::new(),
            keeps: Arc::default(),
            grown: WaitQueue::new(),
            space_wanted: Notify::new(),
            failed: AtomicBool::new(false),
            failure: Mutex::new(None),
            stats: LogStats::default(),
            follower: OnceLock::new(),
            began: end,
            epoch,
            segments: Arc::new(segments),
        };
        log.set_limit();
        log
    }

    pub fn waits(&self) -> &Arc<Waits> {
        &self.waits
    }

    /// One segment is always in transit between old and new place.
    pub(super) fn set_limit(&self) {
        let n = (self.segments.count() as u64).min(self.want_segments.load(Ordering::Relaxed));
        let cap = n.saturating_sub(1) * self.segments.content();
        self.limit.store(cap, Ordering::Release);
    }

    /// Bytes of redo that may stand between checkpoint and end.
    pub fn capacity(&self) -> u64 {
        self.limit.load(Ordering::Acquire)
    }

    /// Bytes of the buffer that are real memory: those that were written since the log was opened.
    pub fn buffer_memory(&self) -> u64 {
        (self.reserved() - self.began).min(self.ring.capacity() as u64)
    }

    pub fn reserved(&self) -> Lsn {
        self.reserve.lock().reserved
    }

    pub fn published(&self) -> Lsn {
        self.published.load(Ordering::Acquire)
    }

    pub fn written(&self) -> Lsn {
        self.written.load(Ordering::Acquire)
    }

    pub fn durable(&self) -> Lsn {
        self.durable.load(Ordering::Acquire)
    }

    pub fn checkpoint(&self) -> Lsn {
        self.checkpoint.load(Ordering::Acquire)
    }

    /// A log that is only read: its end is not known before recovery has come there, and pages may go home meanwhile because
    /// what recovery reads is durable.
    pub async fn for_recovery(
        rt: Rt,
        waits: Arc<Waits>,
        segments: Segments,
        control: ControlFile,
        buffer: usize,
    ) -> Result<Log> {
        // A clean stop has synced the log before it wrote the control file that says so.
        if !control.state.clean {
            segments.sync().await?;
        }
        Ok(Log::new(rt, waits, segments, control, UNKNOWN_END, Vec::new(), buffer))
    }

    /// Begins a life of the log at `end`, after the `tail` of its last block: from here on it is written. The control file
    /// says so in both slots before the first byte is.
    pub async fn begin_life(&mut self, end: Lsn, tail: Vec<u8>, damaged: &[SpaceId]) -> Result<()> {
        {
            let mut c = self.control.lock().await;
            c.state.begin_epoch(end);
            c.state.clean = planted::is(Bug::CleanEndKept) && c.state.clean;
            (c.state.durable, c.state.sample) = (end, self.segments.sample(end).await?);
            c.state.damaged = damaged.to_vec();
            c.write_both().await?;
            self.epoch = c.state.epoch_at(end);
        }
        self.reserve.lock().reserved = end;
        for at in [&self.published, &self.written, &*self.durable] {
            at.store(end, Ordering::Release);
        }
        *self.writer.lock().await = WriterState::new(&tail, end);
        let mut rec = Vec::with_capacity(8);
        Redo::Life { epoch: self.epoch }.encode(None, &mut None, &mut rec);
        self.append_ungranted(&rec);
        Ok(())
    }

    /// What must not be reused yet.
    pub fn keeps(&self) -> &Keeps {
        &self.keeps
    }

    /// Waits until more than up to `lsn` is durable.
    pub async fn until_durable_beyond(&self, lsn: Lsn) -> Result<()> {
        loop {
            // Registered before the look: a round that ends after it sees this waiter.
            let wait = self.grown.wait();
            if self.durable() > lsn {
                return Ok(());
            }
            self.failure()?;
            wait.await;
        }
    }

    pub fn segments(&self) -> &Arc<Segments> {
        &self.segments
    }

    /// The end of what is durable, for those who compare page LSNs with it.
    pub fn durable_end(&self) -> Arc<AtomicU64> {
        self.durable.clone()
    }

    pub fn buffer_size(&self) -> usize {
        self.ring.capacity()
    }

    /// Largest grant that can ever be given.
    pub fn grant_max(&self) -> u64 {
        (self.ring.capacity() as u64 / 2).min(self.capacity() / 4)
    }

    /// Ends the log's life from outside: a data file could not be synced (I12).
    pub fn stop(&self, e: Error) {
        self.fail(e);
        self.wake_all_waiters();
        self.wake_room();
    }

    pub(super) fn fail(&self, e: Error) {
        let mut f = self.failure.lock();
        if f.is_none() {
            *f = Some(e);
        }
        drop(f);
        self.failed.store(true, Ordering::Release);
        self.grants_used.wake_all();
        self.grown.wake_all();
    }

    /// The error that stopped the log, if any: nothing can become durable any more.
    #[inline]
    pub fn failure(&self) -> Result<()> {
        if self.failed.load(Ordering::Acquire) { Err(self.why_failed()) } else { Ok(()) }
    }

    #[cold]
    fn why_failed(&self) -> Error {
        self.failure.lock().clone().unwrap_or(Error::ShuttingDown)
    }

    /// `undoing`: for somebody who is counted in `Reserve::undoing`.
    fn try_grant(&self, bytes: u64, undoing: bool) -> std::result::Result<(), Shortage> {
        let mut r = self.reserve.lock();
        if r.undoing > 0 && !undoing {
            return Err(Shortage::Space);
        }
        let end = r.reserved + r.granted + bytes + SLACK;
        if end - self.checkpoint() > self.capacity() || end > self.segments_end() {
            return Err(Shortage::Space);
        }
        let written = self.written();
        if end - written > self.ring.capacity() as u64 {
            if r.reserved > written {
                return Err(Shortage::Buffer);
            }
            // Then somebody holds a grant: one alone always fits (`grant_max`).
            debug_assert!(r.granted > 0);
            r.grants_awaited = true;
            return Err(Shortage::Granted);
        }
        r.granted += bytes;
        Ok(())
    }

    fn segments_end(&self) -> Lsn {
        self.segments_end_cache().load(Ordering::Acquire)
    }

    /// A grant for which nobody has to wait. `None`: to be asked for with [`Log::grant`], which waits or says why there will be none.
    pub fn grant_now(&self, payload: usize) -> Option<Grant<'_>> {
        let bytes = (payload + FRAME) as u64;
        let given = bytes <= self.grant_max() && self.try_grant(bytes, false).is_ok();
        given.then(|| Grant { log: self, bytes })
    }

    /// Whether a change of that much redo can be made at all.
    pub fn fits(&self, payload: usize) -> Result<()> {
        match (payload + FRAME) as u64 > self.grant_max() {
            false => Ok(()),
            true => Err(Error::Unsupported(format!(
                "a change of {payload} bytes of redo does not fit the log: enlarge innodb_log_buffer_size \
                 or innodb_redo_log_capacity"
            ))),
        }
    }

    /// Waits, holding nothing, until `payload` bytes of redo have room in the files and in the buffer (I4). A statement waits until it
    /// is killed. Undoings go first: each of them lets go of locks and ends a statement, and needs no more room than was written.
    pub async fn grant(&self, payload: usize) -> Result<Grant<'_>> {
        self.fits(payload)?;
        let bytes = (payload + FRAME) as u64;
        if self.try_grant(bytes, false).is_ok() {
            return Ok(Grant { log: self, bytes });
        }
        match patience::is_undoing() && !planted::is(Bug::UndoWaitsInLine) {
            true => {
                let _first = UndoFirst::new(self);
                Box::pin(self.grant_slow(bytes, true)).await
            }
            false => Box::pin(self.grant_slow(bytes, false)).await,
        }
    }

    async fn grant_slow(&self, bytes: u64, undoing: bool) -> Result<Grant<'_>> {
        let begun = self.rt.now();
        let room = if undoing { &self.undo_room } else { &self.room };
        loop {
            self.failure()?;
            let wait = room.wait();
            let used = self.grants_used.wait();
            match self.try_grant(bytes, undoing) {
                Ok(()) => {
                    self.stats.room_wait_nanos.fetch_add(self.rt.now() - begun, Ordering::Relaxed);
                    // Others may fit as well. After the last undo its end says so.
                    room.wake_one();
                    return Ok(Grant { log: self, bytes });
                }
                Err(Shortage::Buffer) => {
                    self.stats.buffer_waits.fetch_add(1, Ordering::Relaxed);
                    drop((wait, used));
                    let _waiting = self.waits.begin(Cause::LogBuffer);
                    // Reserved by others and perhaps not copied yet: the round waits for that.
                    self.flush_to(self.reserved(), Reach::Written).await?;
                }
                Err(Shortage::Granted) => {
                    // A grant may be held while a page is read, so this is no moment to spin.
                    self.stats.buffer_waits.fetch_add(1, Ordering::Relaxed);
                    drop(wait);
                    patience::or_killed(self.waits.during(|| Cause::LogBuffer.into(), used))
                        .await?;
                }
                Err(Shortage::Space) => {
                    self.stats.room_waits.fetch_add(1, Ordering::Relaxed);
                    drop(used);
                    self.space_wanted.notify_one();
                    patience::or_killed(self.waits.during(|| Cause::LogSpace.into(), wait)).await?;
                }
            }
        }
    }

    pub(super) fn wake_room(&self) {
        for room in [&self.undo_room, &self.room] {
            if !room.idle() {
                room.wake_all();
            }
        }
    }

    /// `awaited`: what `grants_awaited` was under the lock that saw the grant end.
    fn tell_grant_used(&self, awaited: bool) {
        if awaited && !planted::is(Bug::GrantUseNotTold) {
            self.grants_used.wake_all();
        }
    }

    /// Sessions waiting for log space now.
    pub fn room_waiters(&self) -> usize {
        self.room.len() + self.undo_room.len()
    }

    /// Appends one group within its grant. `stamp(start, end)` runs after the range is reserved and before it is
    /// published: page LSNs are set and frames enter the age index there (I7). Never waits.
    pub fn append(
        &self,
        mut grant: Grant<'_>,
        payload: &[u8],
        stamp: impl FnOnce(Lsn, Lsn),
    ) -> Lsn {
        assert!(payload.len() <= grant.payload(), "mini-transaction beyond its log grant");
        assert!(!payload.is_empty(), "an empty group reads as the end of the log");
        let granted = std::mem::take(&mut grant.bytes);
        cost::spend(Cost::RedoBytes, (payload.len() + FRAME) as u64);
        self.append_inner(granted, payload, stamp)
    }

    /// Waits until everything below `lsn` is published. All of it is reserved, and anyone who reserved it is copying: that takes
    /// nanoseconds, unless the processor was taken from that thread. Anyone who spun here would keep it from coming back.
    pub(super) async fn until_published(&self, lsn: Lsn) {
        if self.published() < lsn {
            weir_rt::yield_now().await;
        }
        while self.published() < lsn {
            // Registered before the look: anyone who publishes after it sees this waiter.
            let wait = self.holes.wait();
            // Under the lock under which it grows, so that those who publish need no fence: see `append_inner`.
            let published = {
                let _reserve = self.reserve.lock();
                self.published()
            };
            if published < lsn {
                self.stats.publish_waits.fetch_add(1, Ordering::Relaxed);
                wait.await;
            }
        }
    }

    /// As `append`, for the writer's marks, which live off the slack.
    pub(super) fn append_ungranted(&self, payload: &[u8]) -> Lsn {
        self.append_inner(0, payload, |_, _| {})
    }

    fn append_inner(&self, granted: u64, payload: &[u8], stamp: impl FnOnce(Lsn, Lsn)) -> Lsn {
        let len = (payload.len() + FRAME) as u64;
        let (start, ticket) = {
            let mut r = self.reserve.lock();
            let start = r.reserved;
            r.reserved += len;
            r.granted -= granted;
            r.groups.push_back((start + len, false));
            (start, r.first + r.groups.len() as u64 - 1)
        };
        let end = start + len;
        stamp(start, end);
        // SAFETY: the range was reserved for this call alone, and the grant keeps it within the ring's current lap.
        unsafe {
            self.ring.write(start, &frame_header(self.epoch, start, payload));
            self.ring.write(start + FRAME as u64, payload);
        }
        let mut r = self.reserve.lock();
        let i = (ticket - r.first) as usize;
        r.groups[i].1 = true;
        let mut upto = None;
        if planted::is(Bug::HolePublished) {
            upto = Some(end).filter(|e| *e > self.published.load(Ordering::Relaxed));
        }
        while let Some((e, true)) = r.groups.front().copied() {
            r.groups.pop_front();
            r.first += 1;
            upto = upto.max(Some(e));
        }
        if let Some(e) = upto {
            debug_assert!(e > self.published.load(Ordering::Relaxed));
            self.published.store(e, Ordering::Release);
        }
        let awaited = std::mem::take(&mut r.grants_awaited);
        drop(r);
        self.tell_grant_used(awaited);
        // A waiter looks under the lock after it has come: either it saw this, or it came before and is seen.
        if upto.is_some() && !self.holes.is_empty() {
            self.holes.wake_all();
        }
        self.stats.write_requests.add(1);
        end
    }
}

enum Shortage {
    /// The log's files are full up to the checkpoint.
    Space,
    /// The buffer is full of what is not written yet.
    Buffer,
    /// The buffer is full of grants; nothing can be written.
    Granted,
}

impl Log {
    pub(super) fn segments_end_cache(&self) -> &AtomicU64 {
        self.segments.end_cache()
    }
}

#[cfg(test)]
mod tests;
