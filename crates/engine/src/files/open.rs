//! The files of the spaces: open while there are descriptors for them, opened again when they are used.
//!
//! A process has few descriptors and a data directory may have many tables. At most `limit` files are open at once
//! (`innodb_open_files`), or as many as operations are under way at one moment if those are more; who goes is decided by a clock hand.
//! An open of a file that fails for want of descriptors closes another one and is tried again.
//!
//! Invariants
//! - A file with an operation under way is never closed: every operation counts itself in and out under the file's mutex.
//! - A file is closed only when everything written to it is synced. A sync that failed stays in memory, and every later sync of that
//!   file fails too: the descriptor that the kernel told the error is gone, and another one would not hear of it.
//! - A retired file (its space is dropped) is closed for good as soon as nothing is under way, so its room on the
//!   device is free when its name is removed. Writes to it end well and go nowhere, as with a file without a name.
//! - One task at a time opens or closes a file; others wait for it. A task that is dropped meanwhile leaves the file as it was.

use super::troubles::{EXTEND, Troubles};
use crate::planted::{self, Bug};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use weir_disk::{Disk, DiskError, File, IoBuf, Mode, OpFuture, OpenOptions, Result};
use weir_rt::WaitQueue;

/// As MySQL's `innodb_open_files`.
pub const DEFAULT_LIMIT: usize = 4000;

/// All files of spaces that are open now.
pub struct Files {
    disk: Arc<dyn Disk>,
    mode: Mode,
    limit: AtomicUsize,
    /// Open files and those that are being opened or closed.
    taken: AtomicUsize,
    /// Open files, the next one for the clock hand first. Weak: a file belongs to its space, and knows this list; held strongly, none of
    /// both would go when the engine is closed, nor would the lock on its directory.
    hand: Mutex<VecDeque<Weak<Inner>>>,
    pub troubles: Troubles,
    /// Files opened, and closed to make room.
    pub opened: AtomicU64,
    pub closed: AtomicU64,
}

enum Phase {
    Closed,
    /// Somebody opens or closes it.
    Moving,
    Open(Arc<dyn File>),
}

struct State {
    phase: Phase,
    retired: bool,
    /// Operations under way.
    users: usize,
    /// Used since the clock hand was here.
    used: bool,
    /// Ends of writes, and how many of them a sync has covered. A file that was there before has what an earlier
    /// process may have written and not synced.
    writes: u64,
    synced: u64,
    failed: Option<DiskError>,
}

struct Inner {
    files: Arc<Files>,
    path: String,
    state: Mutex<State>,
    /// Woken when a move or the last operation of a retired file ends.
    changed: WaitQueue,
}

/// The file of a space.
pub struct SpaceFile(Arc<Inner>);

impl Files {
    pub fn new(disk: Arc<dyn Disk>, mode: Mode) -> Arc<Files> {
        Arc::new(Files {
            disk,
            mode,
            limit: AtomicUsize::new(DEFAULT_LIMIT),
            taken: AtomicUsize::new(0),
            hand: Mutex::default(),
            troubles: Troubles::default(),
            opened: AtomicU64::new(0),
            closed: AtomicU64::new(0),
        })
    }

    /// How many files may be open from now on, at least one.
    pub fn set_limit(&self, limit: usize) {
        self.limit.store(limit.max(1), Ordering::Relaxed);
    }

    pub fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Files that are open now.
    pub fn open_now(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// A file that is there; it is opened when it is used.
    pub fn existing(self: &Arc<Self>, path: &str) -> SpaceFile {
        SpaceFile(Arc::new(Inner {
            files: self.clone(),
            path: path.to_string(),
            state: Mutex::new(State {
                phase: Phase::Closed,
                retired: false,
                users: 0,
                used: false,
                writes: 1,
                synced: 0,
                failed: None,
            }),
            changed: WaitQueue::new(),
        }))
    }

    /// Makes a file when it is missing.
    pub async fn create(self: &Arc<Self>, path: &str) -> Result<SpaceFile> {
        let file = self.existing(path);
        let how = OpenOptions { create: true, create_new: false, mode: self.mode };
        drop(file.0.enter(how).await?);
        Ok(file)
    }

    /// Makes the names in a folder durable, which takes a descriptor for a moment.
    pub async fn sync_dir(&self, path: &str) -> Result<()> {
        loop {
            match self.disk.sync_dir(path).await {
                Err(e) if e.lacks_descriptor() && self.close_one().await => {}
                done => return done,
            }
        }
    }

    /// Opens a file, closing others as far as needed. The caller has counted it in `taken`.
    async fn open(&self, path: &str, how: OpenOptions) -> Result<Arc<dyn File>> {
        while self.open_now() > self.limit() && self.close_one().await {}
        loop {
            match self.disk.open(path, how).await {
                Err(e) if e.lacks_descriptor() => {
                    if !self.close_one().await {
                        // All are in use: the cleaner, which may be the one to open it, must not fail for that.
                        return self.disk.open_needed(path, how).await;
                    }
                }
                done => {
                    self.opened.fetch_add(1, Ordering::Relaxed);
                    return done;
                }
            }
        }
    }

    /// Closes the file that the clock hand finds unused; false when all are in use.
    async fn close_one(&self) -> bool {
        let Some((victim, file)) = self.choose() else { return false };
        let leaving = Leaving { inner: &victim, file: Some(file) };
        leaving.close().await;
        self.closed.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn choose(&self) -> Option<(Arc<Inner>, Arc<dyn File>)> {
        let mut hand = self.hand.lock();
        for _ in 0..2 * hand.len() {
            let Some(inner) = hand.pop_front()?.upgrade() else { continue };
            let mut s = inner.state.lock();
            let Phase::Open(file) = &s.phase else { continue };
            if s.users == 0 && !s.used {
                let file = file.clone();
                s.phase = Phase::Moving;
                drop(s);
                return Some((inner, file));
            }
            s.used = false;
            drop(s);
            hand.push_back(Arc::downgrade(&inner));
        }
        None
    }
}

/// A file on its way out; dropped before its sync has ended, it stays open.
struct Leaving<'a> {
    inner: &'a Arc<Inner>,
    file: Option<Arc<dyn File>>,
}

impl Leaving<'_> {
    async fn close(mut self) {
        let file = self.file.clone().expect("it is there until the close ends");
        let (writes, retired) = {
            let s = self.inner.state.lock();
            (s.writes, s.retired || s.writes == s.synced)
        };
        let done = match retired || planted::is(Bug::ClosedUnsynced) {
            true => Ok(()),
            false => file.sync().await,
        };
        {
            let mut s = self.inner.state.lock();
            match done {
                Ok(()) => s.synced = s.synced.max(writes),
                Err(e) => s.failed = Some(e),
            }
            s.phase = Phase::Closed;
            self.file = None;
        }
        // The last reference: the descriptor goes here, before anybody hears of the room.
        drop(file);
        self.inner.files.taken.fetch_sub(1, Ordering::Relaxed);
        self.inner.changed.wake_all();
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            self.inner.put(file);
            self.inner.changed.wake_all();
        }
    }
}

/// A file on its way in; dropped before, it is closed as it was.
struct Arriving<'a>(Option<&'a Arc<Inner>>);

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        if let Some(inner) = self.0 {
            inner.state.lock().phase = Phase::Closed;
            inner.files.taken.fetch_sub(1, Ordering::Relaxed);
            inner.changed.wake_all();
        }
    }
}

/// An operation under way.
struct Use {
    inner: Arc<Inner>,
    file: Option<Arc<dyn File>>,
    writes: bool,
}

impl Use {
    fn file(&self) -> &dyn File {
        self.file.as_deref().expect("it is there until the operation ends")
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        // Before anybody hears that the file is closed.
        self.file = None;
        let inner = &self.inner;
        let mut s = inner.state.lock();
        s.users -= 1;
        s.writes += u64::from(self.writes);
        if s.users > 0 {
            return;
        }
        // Anyone who opened beyond the limit, because all others were in use, leaves no more behind than it must.
        let surplus = s.writes == s.synced && inner.files.open_now() > inner.files.limit();
        let retired = s.retired;
        if (retired || surplus) && matches!(s.phase, Phase::Open(_)) {
            s.phase = Phase::Closed;
            drop(s);
            inner.left();
        }
        if retired {
            inner.changed.wake_all();
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if matches!(self.state.lock().phase, Phase::Open(_)) {
            self.files.taken.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Inner {
    fn gone(&self) -> DiskError {
        let e = std::io::Error::new(std::io::ErrorKind::NotFound, "its table was dropped");
        DiskError::new("use", &self.path, &e)
    }

    /// The file is closed, and not by the clock hand, which need not meet it.
    fn left(self: &Arc<Self>) {
        self.files.taken.fetch_sub(1, Ordering::Relaxed);
        self.files.hand.lock().retain(|x| x.strong_count() > 0 && x.as_ptr() != Arc::as_ptr(self));
    }

    fn put(self: &Arc<Self>, file: Arc<dyn File>) {
        self.state.lock().phase = Phase::Open(file);
        self.files.hand.lock().push_back(Arc::downgrade(self));
    }

    /// Counts an operation in, opening the file if need be. `None`: it is retired.
    async fn enter(self: &Arc<Self>, how: OpenOptions) -> Result<Option<Use>> {
        loop {
            let wait = {
                let mut s = self.state.lock();
                if s.retired {
                    return Ok(None);
                }
                match &s.phase {
                    Phase::Open(file) => {
                        let file = Some(file.clone());
                        s.users += 1;
                        s.used = true;
                        return Ok(Some(Use { inner: self.clone(), file, writes: false }));
                    }
                    Phase::Moving => Some(self.changed.wait()),
                    Phase::Closed => {
                        s.phase = Phase::Moving;
                        None
                    }
                }
            };
            match wait {
                Some(w) => w.await,
                None => {
                    self.files.taken.fetch_add(1, Ordering::Relaxed);
                    let mut arriving = Arriving(Some(self));
                    let file = self.files.open(&self.path, how).await?;
                    arriving.0 = None;
                    self.put(file);
                    self.changed.wake_all();
                }
            }
        }
    }

    fn reopen(&self) -> OpenOptions {
        OpenOptions { create: false, create_new: false, mode: self.files.mode }
    }

    async fn sync(self: &Arc<Self>) -> Result<()> {
        let upto = {
            let s = self.state.lock();
            if let Some(e) = &s.failed {
                return Err(e.clone());
            }
            if matches!(s.phase, Phase::Closed) && s.writes == s.synced {
                return Ok(());
            }
            s.writes
        };
        let Some(u) = self.enter(self.reopen()).await? else { return Ok(()) };
        // Anyone who closed the file meanwhile may have heard of a failure.
        if let Some(e) = self.state.lock().failed.clone() {
            return Err(e);
        }
        let done = u.file().sync().await;
        self.files.troubles.note("sync", &self.path, &done);
        let mut s = self.state.lock();
        match &done {
            Ok(()) => s.synced = s.synced.max(upto),
            Err(e) => s.failed = Some(e.clone()),
        }
        drop(s);
        done
    }
}

impl SpaceFile {
    /// Closes the file for good; returns when nothing is under way any more.
    pub async fn retire(&self) {
        let inner = &self.0;
        loop {
            let wait = {
                let mut s = inner.state.lock();
                s.retired = true;
                match s.phase {
                    Phase::Closed => return,
                    Phase::Open(_) if s.users == 0 => {
                        s.phase = Phase::Closed;
                        drop(s);
                        inner.left();
                        return;
                    }
                    _ => inner.changed.wait(),
                }
            };
            wait.await;
        }
    }
}

fn nothing_to_do<T>(batch: Vec<(u64, T)>) -> (Vec<T>, Result<()>) {
    (batch.into_iter().map(|(_, b)| b).collect(), Ok(()))
}

/// Tells of a failure, or of its end, on the way out.
fn noted<T>(done: (T, Result<()>), op: &'static str, file: &Inner) -> (T, Result<()>) {
    file.files.troubles.note(op, &file.path, &done.1);
    done
}

impl File for SpaceFile {
    fn read(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            match self.0.enter(self.0.reopen()).await {
                Ok(Some(u)) => noted(u.file().read(off, buf).await, "read", &self.0),
                Ok(None) => (buf, Err(self.0.gone())),
                Err(e) => (buf, Err(e)),
            }
        })
    }

    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            match self.0.enter(self.0.reopen()).await {
                Ok(Some(mut u)) => {
                    u.writes = true;
                    noted(u.file().write(off, buf).await, "write", &self.0)
                }
                Ok(None) => (buf, Ok(())),
                Err(e) => (buf, Err(e)),
            }
        })
    }

    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            match self.0.enter(self.0.reopen()).await {
                Ok(Some(u)) => noted(u.file().read_all(batch).await, "read", &self.0),
                Ok(None) => (nothing_to_do(batch).0, Err(self.0.gone())),
                Err(e) => (nothing_to_do(batch).0, Err(e)),
            }
        })
    }

    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            match self.0.enter(self.0.reopen()).await {
                Ok(Some(mut u)) => {
                    u.writes = true;
                    noted(u.file().write_all(batch).await, "write", &self.0)
                }
                Ok(None) => nothing_to_do(batch),
                Err(e) => (nothing_to_do(batch).0, Err(e)),
            }
        })
    }

    fn sync(&self) -> OpFuture<'_, Result<()>> {
        Box::pin(self.0.sync())
    }

    fn allocate(&self, len: u64, zero: bool) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let Some(mut u) = self.0.enter(self.0.reopen()).await? else { return Ok(()) };
            u.writes = true;
            noted(((), u.file().allocate(len, zero).await), EXTEND, &self.0).1
        })
    }

    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let Some(mut u) = self.0.enter(self.0.reopen()).await? else { return Ok(()) };
            u.writes = true;
            u.file().truncate(len).await
        })
    }

    fn len(&self) -> OpFuture<'_, Result<u64>> {
        Box::pin(async move {
            match self.0.enter(self.0.reopen()).await? {
                Some(u) => u.file().len().await,
                None => Err(self.0.gone()),
            }
        })
    }
}

#[cfg(test)]
mod tests;
