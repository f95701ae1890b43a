//! A page miss: one read however many wait, verification, then everybody tries again with the page pinned.

use super::Pool;
use super::frame::FrameNo;
use crate::cost::{self, Cost};
use crate::error::{Error, Result};
use crate::files::Space;
use crate::ids::{Lsn, PageId};
use crate::page;
use crate::planted::{self, Bug};
use crate::priority;
use crate::sync::Mutex;
use crate::sync::atomic::Ordering;
use crate::waits::{Cause, What};
use std::collections::HashMap;
use std::sync::Arc;
use weir_rt::Event;

/// Keeps a page in memory while its holder waits for something else (I5).
#[must_use]
pub struct Pin {
    frame: FrameNo,
}

impl Pin {
    pub(super) fn new(frame: FrameNo) -> Pin {
        Pin { frame }
    }
}

/// Pins taken by one operation across its attempts; released together.
pub struct Pins<'p> {
    pool: &'p Pool,
    list: smallvec::SmallVec<[Pin; 8]>,
}

impl<'p> Pins<'p> {
    pub fn new(pool: &'p Pool) -> Pins<'p> {
        Pins { pool, list: smallvec::SmallVec::new() }
    }

    pub fn push(&mut self, pin: Pin) {
        self.list.push(pin);
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn clear(&mut self) {
        for p in self.list.drain(..) {
            self.pool.unpin(p);
        }
    }
}

impl Drop for Pins<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

pub(super) struct Load {
    done: Event,
    failure: Mutex<Option<LoadError>>,
}

/// Why a page did not come.
#[derive(Clone)]
pub(super) enum LoadError {
    /// No frame for a while.
    NoFrame,
    Failed(Error),
}

impl From<Error> for LoadError {
    fn from(e: Error) -> LoadError {
        LoadError::Failed(e)
    }
}

/// Reads under way.
#[derive(Default)]
pub struct Loads(Mutex<HashMap<PageId, Arc<Load>>>);

impl Loads {
    pub fn under_way(&self) -> usize {
        self.0.lock().len()
    }

    /// Runs `f` while no read of the page can begin, unless one is under way. A page that is created, written and evicted
    /// within one slow read of its old image would otherwise come back to memory as it was before.
    pub(super) fn unless_reading<R>(&self, id: PageId, f: impl FnOnce() -> R) -> Option<R> {
        let loads = self.0.lock();
        (!loads.contains_key(&id)).then(f)
    }
}

pub(super) enum Role {
    Ready(Pin),
    Follow(Arc<Load>),
    Lead(Arc<Load>),
}

impl Pool {
    pub fn unpin(&self, pin: Pin) {
        let old = self.frames[pin.frame as usize].pins.fetch_sub(1, Ordering::AcqRel);
        debug_assert!(old > 0);
    }

    /// Brings the page into memory and pins it. For callers that have nothing pinned.
    pub async fn load(&self, id: PageId) -> Result<Pin> {
        loop {
            if let Some(pin) = self.load_soon(id).await? {
                return Ok(pin);
            }
        }
    }

    /// The same; `None` when there was no frame for a while: the caller may hold what others need.
    pub async fn load_soon(&self, id: PageId) -> Result<Option<Pin>> {
        // Before the read is registered: nobody may wait for a page whose reader gives way.
        if !priority::is_foreground() {
            Box::pin(self.reads.give_way(&self.rt)).await;
        }
        match self.load_once(id).await {
            Ok(pin) => Ok(Some(pin)),
            Err(LoadError::NoFrame) => Ok(None),
            Err(LoadError::Failed(e)) => Err(e),
        }
    }

    async fn load_once(&self, id: PageId) -> std::result::Result<Pin, LoadError> {
        loop {
            match self.role(id) {
                Role::Ready(pin) => return Ok(pin),
                Role::Follow(load) => {
                    let what = || What::page(Cause::PageRead, id);
                    self.waits.during(what, load.done.wait()).await;
                    if let Some(e) = load.failure.lock().clone() {
                        return Err(e);
                    }
                }
                Role::Lead(load) => {
                    let lead = Leading::new(self, id, load);
                    let r = self.read_page(id).await;
                    match &r {
                        Ok(_) => cost::spend(Cost::PagesRead, 1),
                        Err(e) => lead.failed(e.clone()),
                    }
                    return r;
                }
            }
        }
    }

    /// A page goes home behind its log, so a page LSN beyond what is durable is proof of a log that is not there any more.
    fn check_lsn(&self, id: PageId, path: &str, lsn: Lsn) -> Result<()> {
        let end = self.log_end.load(Ordering::Acquire);
        if lsn <= end || planted::is(Bug::PageBeyondLogRead) {
            return Ok(());
        }
        Err(Error::corrupt_page(id, path, beyond_log(lsn, end)))
    }

    /// Waits for the end of a read under way, whatever it brought.
    pub async fn read_ends(&self, id: PageId) {
        let load = self.loads.0.lock().get(&id).cloned();
        if let Some(l) = load {
            self.waits.during(|| What::page(Cause::PageRead, id), l.done.wait()).await;
        }
    }

    pub(super) fn role(&self, id: PageId) -> Role {
        let mut loads = self.loads.0.lock();
        if let Some(l) = loads.get(&id) {
            return Role::Follow(l.clone());
        }
        let pinned = self.table.with(&self.frames, id, |no| {
            let f = &self.frames[no? as usize];
            // Under the shard lock eviction cannot have looked at the pins yet, or the page is gone from the table.
            f.pins.fetch_add(1, Ordering::AcqRel);
            no.map(Pin::new)
        });
        if let Some(pin) = pinned {
            return Role::Ready(pin);
        }
        let l = Arc::new(Load { done: Event::new(), failure: Mutex::new(None) });
        loads.insert(id, l.clone());
        Role::Lead(l)
    }

    /// Takes a free frame and reads the page into it.
    async fn read_page(&self, id: PageId) -> std::result::Result<Pin, LoadError> {
        let no = loop {
            if let Some(no) = self.take_free() {
                break no;
            }
            if !self.frame_free().await? {
                return Err(LoadError::NoFrame);
            }
        };
        self.read_into(id, Owned::new(self, no)).await
    }

    /// Reads the page into a frame.
    async fn read_into(
        &self,
        id: PageId,
        mut owned: Owned<'_>,
    ) -> std::result::Result<Pin, LoadError> {
        let space = self.spaces.get(id.space).ok_or_else(|| Error::Corrupt {
            what: "no such tablespace".into(),
            place: id.to_string(),
        })?;
        // SAFETY: the frame came from the free list (`Owned`), so nobody else knows it until `insert` below. The device may write to it
        // when this future was dropped: then the frame goes to nobody any more (`owned`), and its memory outlives the pool (`lent`).
        let buf = unsafe { self.memory.io(owned.lend()) };
        let lent = self.memory.lend();
        let end = space.pages();
        let begun = self.rt.now();
        let reading = self.reads.begin(1);
        let waiting = self.waits.begin_at(begun, What::page(Cause::PageRead, id));
        let (_, done) = space.file().read(id.page as u64 * self.page_size as u64, buf).await;
        lent.over();
        owned.lent = false;
        drop(reading);
        let now = self.rt.now();
        waiting.end_at(now);
        // Cut off while it was read: nothing leads to it any more, so anyone who wanted it looks again.
        if done.is_err() && (space.pages()..end).contains(&id.page) {
            return Err(LoadError::NoFrame);
        }
        done.map_err(Error::from)?;
        self.stats.read_nanos.fetch_add(now - begun, Ordering::Relaxed);
        self.accept(id, &space, owned)
    }

    /// Checks a page that was read into a frame and lets others see it, pinned.
    pub(super) fn accept(
        &self,
        id: PageId,
        space: &Space,
        owned: Owned<'_>,
    ) -> std::result::Result<Pin, LoadError> {
        // SAFETY: the frame is still this task's alone.
        let bytes = unsafe { self.memory.bytes(owned.no()) };
        if let Err(e) = page::verify(bytes, id) {
            return Err(Error::corrupt_page(id, space.path(), e).into());
        }
        self.spaces.check_owner(id, bytes).map_err(|e| Error::corrupt_page(id, space.path(), e))?;
        self.check_lsn(id, space.path(), page::lsn(bytes))?;
        self.stats.reads.fetch_add(1, Ordering::Relaxed);
        let no = owned.keep();
        let f = &self.frames[no as usize];
        f.set_loading();
        f.pins.store(1, Ordering::Release);
        match self.table.insert(&self.frames, id, no) {
            Ok(()) => {
                f.set_resident();
                self.replace.lock().admit(no, id, false);
                Ok(Pin::new(no))
            }
            Err(_) => {
                // Created again by somebody while the old image was being read: theirs counts.
                f.pins.store(0, Ordering::Release);
                f.clear();
                self.give_free(no);
                self.table.with(&self.frames, id, |found| match found {
                    Some(no) => {
                        self.frames[no as usize].pins.fetch_add(1, Ordering::AcqRel);
                        Ok(Pin::new(no))
                    }
                    None => Err(LoadError::Failed(Error::Io {
                        what: format!("{id} was created and evicted during its read"),
                    })),
                })
            }
        }
    }
}

/// What a page LSN behind the log's end says.
pub fn beyond_log(lsn: Lsn, end: Lsn) -> String {
    format!(
        "its page LSN {lsn} is beyond the end of the redo log at LSN {end}: redo log files (folder 'redo') or the control file \
         'weir.ctl' are missing or older than the data; put those back that belong to it, or restore a backup of the whole \
         directory"
    )
}

/// Deregisters the read and wakes the followers, however it ended.
pub(super) struct Leading<'a> {
    pool: &'a Pool,
    id: PageId,
    load: Arc<Load>,
}

impl<'a> Leading<'a> {
    pub(super) fn new(pool: &'a Pool, id: PageId, load: Arc<Load>) -> Leading<'a> {
        Leading { pool, id, load }
    }

    pub(super) fn id(&self) -> PageId {
        self.id
    }

    /// The followers learn why.
    fn failed(&self, e: LoadError) {
        *self.load.failure.lock() = Some(e);
    }
}

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        self.pool.loads.0.lock().remove(&self.id);
        if !planted::is(Bug::LoadNotWoken) {
            self.load.done.set();
        }
    }
}

/// A free frame on its way to a page; goes back if the way ends early.
pub(super) struct Owned<'a> {
    pool: &'a Pool,
    no: Option<FrameNo>,
    /// The device has it.
    lent: bool,
}

impl<'a> Owned<'a> {
    /// A frame just taken from the free list.
    pub(super) fn new(pool: &'a Pool, no: FrameNo) -> Owned<'a> {
        Owned { pool, no: Some(no), lent: false }
    }

    fn lend(&mut self) -> FrameNo {
        self.lent = true;
        self.no()
    }

    /// The page as it was read elsewhere.
    pub(super) fn fill(&self, image: &[u8]) {
        // SAFETY: the frame came from the free list, so nobody else knows it; the buffer does not outlive this call.
        let mut frame = unsafe { self.pool.memory.io(self.no()) };
        frame.copy_from_slice(image);
    }

    fn no(&self) -> FrameNo {
        self.no.expect("set at construction, taken by `keep`, which ends it")
    }

    fn keep(mut self) -> FrameNo {
        self.no.take().expect("set at construction, taken once")
    }
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        // A frame that the device may still write to is lost: anyone who reads a page is not dropped, as long as the owner keeps to it.
        if let Some(no) = self.no.take().filter(|_| !self.lent) {
            self.pool.give_free(no);
        }
    }
}
