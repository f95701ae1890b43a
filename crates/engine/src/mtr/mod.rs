//! Floor 2: mini-transactions. Gather, then apply; and the loop that waits between attempts.
//!
//! May use: `page`, `log`, `pool`, `flush`. Knows no trees, and not which pages of a file are free.
//!
//! An *attempt* is a plain function over a `Work`. It latches pages by trying; what it would have to wait for comes back as
//! `Stop::Wait`, with every guard dropped on the way out. `drive` waits and starts the attempt again from the beginning. It is the only
//! loop of this kind: `run` is the same for operations that need nothing but pages and room in the log.
//!
//! Invariants
//! - I1, I2: no guard lives across a wait; latches are only tried, so there is no latch order to violate.
//! - I3: `Gather` may fail and changes nothing; `Apply` cannot fail and gathers nothing. `seal` consumes the first.
//! - I4: the log grant is taken before the first latch; an attempt that needs more ends with `Wait::Log`.
//! - I5: a page that was waited for stays pinned until the operation ends, so each restart gets further.
//! - I6: nothing outside the stack changes before `seal`.

mod drive;

pub use drive::{Halt, HasCore, Waiter, Work, attempt_now, drive, run};

use crate::error::{Error, Result};
pub use crate::flush::{Core, CoreStats};
use crate::ids::{Lsn, PageId};
use crate::log::Grant;
use crate::page::redo::{self, Redo};
use crate::planted::{self, Bug};
use crate::pool::{Access, Guard, LatchMode, PageWait};
use smallvec::SmallVec;
use std::future::Future;
use std::pin::Pin;

/// What an attempt has to wait for.
pub enum Wait {
    Page(PageWait),
    /// The grant was too small: this many payload bytes are needed.
    Log(usize),
    /// Something that is an operation of its own: a split, a merge, a new undo page, a file that must grow.
    Job(Job),
}

/// An operation that another one needs done first; it may find it done already.
pub type Job = Box<
    dyn for<'a> FnOnce(&'a Core) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> + Send,
>;

/// Why an attempt ended without a result.
pub enum Stop {
    Wait(Wait),
    Err(Error),
}

pub type Attempt<T> = std::result::Result<T, Stop>;

impl From<PageWait> for Stop {
    fn from(w: PageWait) -> Stop {
        Stop::Wait(Wait::Page(w))
    }
}

impl From<Error> for Stop {
    fn from(e: Error) -> Stop {
        Stop::Err(e)
    }
}

/// A page in a mini-transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct P(u8);

/// Pages of one mini-transaction.
const PAGES_MAX: usize = 64;

/// First half: latch, look, allocate. Dropping it undoes everything, because nothing was done.
pub struct Gather<'w, 'c> {
    work: &'w mut Work<'c>,
    pages: SmallVec<[Option<Guard<'c>>; 8]>,
    /// Pages allocated by this mini-transaction: their bits are set in its second half.
    taken: SmallVec<[PageId; 4]>,
}

impl<'w, 'c> Gather<'w, 'c> {
    pub fn core(&self) -> &'c Core {
        self.work.core
    }

    /// Latches a page, or finds it among those gathered (then in at least that mode).
    pub fn fix(&mut self, id: PageId, mode: LatchMode) -> Attempt<P> {
        if let Some(p) = self.find(id) {
            assert!(
                mode == LatchMode::S || self.guard(p).mode() == LatchMode::X,
                "page gathered shared is wanted exclusive"
            );
            return Ok(p);
        }
        let g = self.core().pool.fix(id, mode, Access::Point)?;
        Ok(self.adopt(g))
    }

    pub fn find(&self, id: PageId) -> Option<P> {
        self.pages.iter().position(|g| g.as_ref().is_some_and(|g| g.id() == id)).map(|i| P(i as u8))
    }

    pub fn find_where(&self, f: impl Fn(&Guard<'c>) -> bool) -> Option<P> {
        self.pages.iter().position(|g| g.as_ref().is_some_and(&f)).map(|i| P(i as u8))
    }

    pub fn adopt(&mut self, g: Guard<'c>) -> P {
        // `Apply` has one bit for each: a page beyond them would not be marked dirty. Nothing is changed yet.
        assert!(self.pages.len() < PAGES_MAX, "a mini-transaction of more than {PAGES_MAX} pages");
        self.pages.push(Some(g));
        P(self.pages.len() as u8 - 1)
    }

    /// A frame for a page that this mini-transaction formats.
    pub fn create(&mut self, id: PageId) -> Attempt<P> {
        let g = self.core().pool.create(id)?;
        if self.core().flush.users_free() {
            self.core().flush.owe_margin();
        }
        Ok(self.adopt(g))
    }

    pub fn guard(&self, p: P) -> &Guard<'c> {
        self.pages[p.0 as usize].as_ref().expect("released page used")
    }

    pub fn bytes(&self, p: P) -> &[u8] {
        self.guard(p).bytes()
    }

    /// Unlatches a page that is not needed any more (latch coupling).
    pub fn release(&mut self, p: P) {
        self.pages[p.0 as usize] = None;
        while matches!(self.pages.last(), Some(None)) {
            self.pages.pop();
        }
    }

    pub fn take(&mut self, id: PageId) {
        self.taken.push(id);
    }

    pub fn is_taken(&self, id: PageId) -> bool {
        self.taken.contains(&id) && !planted::is(Bug::PageTakenTwice)
    }

    /// The point of no return. `need`: upper bound of the redo payload; beyond the grant the attempt ends with
    /// `Wait::Log` and nothing has happened.
    pub fn seal(self, need: usize) -> Attempt<Apply<'c>> {
        match self.work.grant.take() {
            Some(grant) if grant.payload() >= need => Ok(Apply {
                core: self.work.core,
                grant,
                pages: self.pages,
                rec: Vec::with_capacity(need.min(1024)),
                last: None,
                dirty: 0,
            }),
            other => {
                self.work.grant = other;
                Err(Stop::Wait(Wait::Log(need)))
            }
        }
    }
}

/// Second half: change pages through redo records, then commit. There is no way out but `commit`.
#[must_use]
pub struct Apply<'c> {
    core: &'c Core,
    grant: Grant<'c>,
    pages: SmallVec<[Option<Guard<'c>>; 8]>,
    rec: Vec<u8>,
    last: Option<PageId>,
    dirty: u64,
}

impl Apply<'_> {
    /// Applies a record to its page and to the log: the same bytes, the same function as in recovery (I10).
    pub fn record(&mut self, p: P, rec: &Redo<'_>) {
        let g = self.pages[p.0 as usize].as_mut().expect("released page used");
        let id = g.id();
        rec.encode(Some(id), &mut self.last, &mut self.rec);
        if let Err(e) = redo::apply(g.bytes_mut(), id, rec) {
            // The attempt checked space and slots under the same latch: a failure here is a bug, and going on would
            // spread it to disk.
            panic!("redo record does not apply to {id}: {e}");
        }
        self.dirty |= 1 << p.0;
    }

    /// A record that belongs to no page.
    pub fn note(&mut self, rec: &Redo<'_>) {
        rec.encode(None, &mut self.last, &mut self.rec);
    }

    pub fn bytes(&self, p: P) -> &[u8] {
        self.pages[p.0 as usize].as_ref().expect("released page used").bytes()
    }

    /// The same for a group that carries events: anyone who follows the log knows of them before the group is published.
    pub fn commit_with(mut self, events: Vec<u8>) -> Lsn {
        self.note(&Redo::Events { data: &events });
        let core = self.core;
        self.commit_then(|end| core.log.carry(end, events))
    }

    /// Appends the group, stamps the pages, unlatches. Returns the group's end LSN; where nothing was changed, the log's end.
    pub fn commit(self) -> Lsn {
        self.commit_then(|_| {})
    }

    /// The same; `reserved` is called with the group's end when that is known, and before anybody may see the pages.
    pub fn commit_then(self, reserved: impl FnOnce(Lsn)) -> Lsn {
        let Apply { core, grant, mut pages, rec, dirty, .. } = self;
        core.stats.mtrs.add(1);
        if rec.is_empty() {
            // A value was replaced by itself. The log knows no empty groups: one would be taken for its end.
            debug_assert_eq!(dirty, 0);
            return core.log.reserved();
        }
        core.log.append(grant, &rec, |start, end| {
            reserved(end);
            for (i, g) in pages.iter_mut().enumerate() {
                let marked = i < 3 || !planted::is(Bug::FourthPageNotDirty);
                if dirty & (1 << i) != 0 && marked {
                    g.as_mut().expect("dirty pages are held").stamp(start, end);
                }
            }
        })
    }
}
