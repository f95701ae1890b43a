//! The driver of attempts: the one loop of the engine that tries, waits and tries again.
//!
//! An operation says what one attempt does and what it answers. The driver has the rest, in this order:
//!
//! 1. Before an attempt there is a grant of log space for what it may write (I4). Nothing is latched meanwhile.
//! 2. The attempt is a plain function, so it cannot wait. It ends with its result, an error, or what it needs.
//! 3. Every latch is free again when it ends (I1); debug builds assert that.
//! 4. The driver waits. For a page or a latch it keeps grant and pins (I5). For whatever is the end of another operation (a row lock,
//!    an undo page, a split) it gives both back first: anyone who has the lock may need the very frames and the very log space.
//! 5. A wait ends when its waiter is killed, and a waiter that is killed makes no further attempt.
//!
//! An operation that never waits pays little for one that would: its first attempt is made by the caller's own code, and what waits
//! stands in a future on the heap.

use super::{Core, Gather, Stop, Wait};
use crate::error::{Error, Result};
use crate::log::Grant;
use crate::patience;
use crate::planted::{self, Bug};
use crate::pool::{self, PageWait, Pins};
use crate::sync::atomic::Ordering;
use smallvec::SmallVec;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use weir_rt::Interrupt;

/// Pins of one operation, beyond which it begins again with none.
const PINS_MAX: usize = 24;

/// On whose behalf attempts are made, and what they may need besides pages and room in the log.
pub trait Waiter {
    /// What else an attempt may need. A transaction waits for row locks and for undo pages.
    type Need;

    /// Waits for it. Nothing is latched, pinned or granted.
    fn meet(&mut self, need: Self::Need) -> impl Future<Output = Result<()>> + Send;

    /// What ends its waits. Without a switch, waits end as those of anyone who runs the operation.
    fn switch(&self) -> Option<Arc<Interrupt>>;

    /// Asked after each wait: an error is the operation's.
    fn may_go_on(&self) -> Result<()>;
}

/// An operation on its own, which is part of whatever runs it: needs pages and log space only, and goes on to its end.
struct Alone;

impl Waiter for Alone {
    type Need = Infallible;

    async fn meet(&mut self, need: Infallible) -> Result<()> {
        match need {}
    }

    fn switch(&self) -> Option<Arc<Interrupt>> {
        None
    }

    fn may_go_on(&self) -> Result<()> {
        Ok(())
    }
}

/// Why an attempt for a waiter ended without a result.
pub enum Halt<N> {
    Stop(Stop),
    Need(N),
}

impl<N> From<Stop> for Halt<N> {
    fn from(s: Stop) -> Halt<N> {
        Halt::Stop(s)
    }
}

impl<N> From<PageWait> for Halt<N> {
    fn from(w: PageWait) -> Halt<N> {
        Halt::Stop(w.into())
    }
}

impl<N> From<Error> for Halt<N> {
    fn from(e: Error) -> Halt<N> {
        Halt::Stop(e.into())
    }
}

/// One operation in progress, across its attempts. Only the driver makes one, and only the driver waits with it.
pub struct Work<'c> {
    pub core: &'c Core,
    pins: Pins<'c>,
    pub(super) grant: Option<Grant<'c>>,
    /// Payload bytes asked for; 0 for a reader.
    want: usize,
}

impl<'c> Work<'c> {
    fn new(core: &'c Core, want: usize) -> Work<'c> {
        Work { core, pins: Pins::new(&core.pool), grant: None, want }
    }

    pub fn gather(&mut self) -> Gather<'_, 'c> {
        self.core.stats.attempts.add(1);
        Gather { work: self, pages: SmallVec::new(), taken: SmallVec::new() }
    }

    /// Whether the grant is there, or is to be had without a wait.
    #[inline]
    fn is_ready(&mut self) -> bool {
        if self.want == 0 || self.grant.as_ref().is_some_and(|g| g.payload() >= self.want) {
            return true;
        }
        self.grant = None;
        if self.core.flush.must_look(&self.core.log, &self.core.pool) {
            return false;
        }
        self.grant = self.core.log.grant_now(self.want);
        self.grant.is_some()
    }

    /// Waits for the grant.
    async fn ready(&mut self) -> Result<()> {
        if self.core.flush.must_look(&self.core.log, &self.core.pool) {
            crate::flush::users::before_change(self.core).await?;
        }
        self.grant = Some(self.core.log.grant(self.want).await?);
        Ok(())
    }

    /// Gives log grant and pins back. For waits for other operations, above all for row locks: anyone who has the lock may be waiting
    /// for the very frames, and a thousand that wait for one row would pin a whole pool.
    fn let_go(&mut self) {
        self.grant = None;
        if !planted::is(Bug::PinsKeptInLockWait) {
            self.pins.clear();
        }
    }

    /// Waits for what the attempt named.
    async fn settle(&mut self, wait: Wait) -> Result<()> {
        match wait {
            Wait::Page(PageWait::Load(id)) => return self.load(id).await,
            Wait::Page(PageWait::Latch(no, mode)) => {
                self.core.pool.wait_for_latch(no, mode).await;
            }
            Wait::Page(PageWait::Reading(id)) => self.core.pool.read_ends(id).await,
            Wait::Page(PageWait::Frame) => {
                if self.core.flush.users_free() {
                    crate::flush::users::find_frame(self.core).await?;
                }
                if !self.core.pool.frame_free().await? {
                    self.pins.clear();
                }
            }
            Wait::Log(bytes) => self.want = bytes,
            Wait::Job(job) => {
                // It logs changes of its own: with the grant held, a full log could never get its checkpoint.
                self.let_go();
                return job(self.core).await;
            }
        }
        Ok(())
    }

    /// Has a page read and pins it.
    async fn load(&mut self, id: crate::ids::PageId) -> Result<()> {
        if self.pins.len() >= PINS_MAX {
            self.pins.clear();
        }
        let frees = self.core.flush.users_free();
        if frees {
            self.core.pool.hint_read(id);
            crate::flush::users::find_frame(self.core).await?;
        }
        match self.core.pool.load_soon(id).await? {
            Some(pin) => {
                self.pins.push(pin);
                if frees {
                    crate::flush::users::free_margin(self.core).await?;
                }
            }
            // All frames may be pinned by operations that wait for one: this one begins again with nothing.
            None => self.pins.clear(),
        }
        Ok(())
    }

    async fn wait<W: Waiter>(&mut self, who: &mut W, halt: Halt<W::Need>) -> Result<()> {
        match halt {
            Halt::Stop(Stop::Err(e)) => return Err(e),
            Halt::Stop(Stop::Wait(wait)) => self.settle(wait).await?,
            Halt::Need(need) => {
                self.let_go();
                who.meet(need).await?;
            }
        }
        who.may_go_on()
    }

    #[inline]
    fn attempt<W: Waiter, T, E: Into<Halt<W::Need>>>(
        &mut self,
        who: &mut W,
        attempt: &mut impl FnMut(&mut W, &mut Work<'c>) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, Halt<W::Need>> {
        let latched = pool::latched_here();
        let halt = match attempt(who, self) {
            Ok(v) => return Ok(v),
            Err(e) => e.into(),
        };
        debug_assert_eq!(
            pool::latched_here(),
            latched,
            "an attempt ended with a page latched (I1)"
        );
        if let Halt::Stop(_) = halt {
            self.core.stats.restarts.fetch_add(1, Ordering::Relaxed);
        }
        Err(halt)
    }
}

/// What an operation borrows the engine from, for as long as it goes on.
pub trait HasCore {
    fn core(&self) -> &Core;
}

impl HasCore for &Core {
    fn core(&self) -> &Core {
        self
    }
}

/// An operation: done, as most are when they are first polled, or one that waits.
enum Driven<T, F> {
    /// `None` when the result was taken.
    Done(Option<Result<T>>),
    Waits(F),
}

impl<T, F> Unpin for Driven<T, F> {}

impl<T, F: Future<Output = Result<T>> + Unpin> Future for Driven<T, F> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<T>> {
        match self.get_mut() {
            Driven::Done(result) => Poll::Ready(result.take().expect("polled after its end")),
            Driven::Waits(f) => Pin::new(f).poll(cx),
        }
    }
}

/// Makes attempts on behalf of `who` until one is done. `want` = payload bytes of redo it may append (0: it only reads).
///
/// The first attempt is made here and now, by the caller's own code: nothing is moved into a future unless something has to be
/// waited for. What it was granted goes back then, and is asked for again.
#[inline]
pub fn drive<H: HasCore, W: Waiter, T, E: Into<Halt<W::Need>>>(
    engine: H,
    want: usize,
    who: &mut W,
    mut attempt: impl FnMut(&mut W, &mut Work<'_>) -> std::result::Result<T, E>,
) -> impl Future<Output = Result<T>> {
    let mut w = Work::new(engine.core(), want);
    let mut halt = None;
    if w.is_ready() {
        match w.attempt(who, &mut attempt) {
            Ok(v) => return Driven::Done(Some(Ok(v))),
            Err(Halt::Stop(Stop::Err(e))) => return Driven::Done(Some(Err(e))),
            Err(h) => halt = Some(h),
        }
    }
    drop(w);
    let switch = who.switch();
    Driven::Waits(patience::on_behalf(switch, go_on(engine, want, who, attempt, halt)))
}

/// One attempt, if nothing has to be waited for before it. `None`: there was none, or it ended without a result, and the caller goes a way
/// that can wait.
#[inline]
pub fn attempt_now<T, E>(
    core: &Core,
    want: usize,
    attempt: impl FnOnce(&mut Work<'_>) -> std::result::Result<T, E>,
) -> Option<T> {
    let mut w = Work::new(core, want);
    if !w.is_ready() {
        return None;
    }
    let latched = pool::latched_here();
    let done = attempt(&mut w);
    debug_assert_eq!(pool::latched_here(), latched, "an attempt ended with a page latched (I1)");
    if done.is_err() {
        core.stats.restarts.fetch_add(1, Ordering::Relaxed);
    }
    done.ok()
}

/// The loop, from the first wait on.
async fn go_on<H: HasCore, W: Waiter, T, E: Into<Halt<W::Need>>>(
    engine: H,
    want: usize,
    who: &mut W,
    mut attempt: impl FnMut(&mut W, &mut Work<'_>) -> std::result::Result<T, E>,
    mut halt: Option<Halt<W::Need>>,
) -> Result<T> {
    let mut w = Work::new(engine.core(), want);
    loop {
        if let Some(halt) = halt.take() {
            w.wait(who, halt).await?;
        }
        if !w.is_ready() {
            w.ready().await?;
        }
        match w.attempt(who, &mut attempt) {
            Ok(v) => return Ok(v),
            Err(h) => halt = Some(h),
        }
    }
}

/// Makes attempts of an operation on its own until one is done. `want` as for [`drive`].
pub async fn run<T>(
    core: &Core,
    want: usize,
    mut attempt: impl FnMut(&mut Work<'_>) -> super::Attempt<T>,
) -> Result<T> {
    drive(core, want, &mut Alone, |_, w| attempt(w)).await
}

#[cfg(all(test, not(any(shuttle, miri))))]
mod tests;
