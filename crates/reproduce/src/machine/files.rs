//! A data directory on a simulated computer: contents in memory, places on the volume, a page cache where O_DIRECT is off.
//!
//! Contents are chunks of a page each. A loaded directory ([`Image`]) is given to many runs for the price of a list: they share its
//! chunks, and copy those that they change. The last run has it for itself and writes in place. A world smaller than the published one keeps the published distances: what lies together stays together, and an extent
//! lies as far from the next as its share of the whole ([`Places`]).

use super::{Counters, Cpu, Device, Request};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_disk::{Disk, DiskError, File, IoBuf, Mode, OpFuture, OpenOptions, Result};
use weir_rt::{AsyncMutex, Rt};

/// A page as published. A world's own page is a chunk, so that a write of one copies nothing that it replaces.
const PAGE: u64 = 16 << 10;
/// What a file gets on the volume at a time.
const EXTENT: u64 = 1 << 20;
/// So many extents lie together, over all members of an array; then comes the distance of [`Places::spread`].
const GROUP: u64 = 64;
/// Where a journal lies: in the middle of a partition of 256 GiB, at whose begin the data are.
const JOURNAL: u64 = 128 << 30;
/// The kernel's largest request.
const LARGEST: u64 = 512 << 10;

/// The bytes lie apart from their count: together they would be a little more than a power of two, for which allocators take a quarter more.
type Chunk = Arc<Box<[u8]>>;

/// How a file's bytes lie on the volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// Bytes on the volume for one of a data file: a world with smaller pages has the published ones there.
    pub page_factor: u64,
    /// Groups of extents on the volume for one that is used.
    pub spread: u64,
}

impl Places {
    /// Bytes of a page of this world.
    fn chunk(self) -> u64 {
        PAGE / self.page_factor
    }

    /// Where an extent lies on the volume, by its number.
    fn extent(self, no: u64) -> u64 {
        (no / GROUP * GROUP * self.spread + no % GROUP) * EXTENT
    }
}

/// What a sync costs beside the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// Blocks of a journal that are written for it, one after the other.
    pub journal_writes: u32,
    /// The volume's caches are emptied.
    pub barriers: bool,
    /// A direct write has its file alone until it is done, and a direct read waits for that before it begins (ext2's lock of an inode).
    pub locks_writes: bool,
}

#[derive(Clone, Default)]
struct Inode {
    chunks: Vec<Option<Chunk>>,
    len: u64,
    /// Extents on the volume.
    extents: Vec<u64>,
    /// The redo log: nobody reads it while the server runs, so its contents are not kept once a run is measured.
    log: bool,
    /// Begin and end of what the page cache has and the volume has not.
    dirty: BTreeMap<u64, u64>,
}

/// A data directory as a run begins with it.
#[derive(Clone, Default)]
pub struct Image {
    /// Bytes of a chunk.
    chunk: u64,
    names: BTreeMap<String, u64>,
    inodes: BTreeMap<u64, Inode>,
    next: u64,
    /// Extents that were given out.
    next_extent: u64,
}

struct State {
    image: Image,
    next_extent: u64,
}

struct Inner {
    rt: Rt,
    device: Arc<dyn Device>,
    counters: Arc<Counters>,
    /// Processor time of a request's way through the kernel, in nanoseconds, and who spends it.
    cpu: Option<(Arc<Cpu>, u64)>,
    fs: FileSystem,
    places: Places,
    state: Mutex<State>,
    /// Off while data are loaded: then nothing takes any time.
    timed: AtomicBool,
    /// Nanoseconds of a thread with its array of slots, for a request and for each of its pages.
    array: Mutex<(u64, u64)>,
    /// A file is synced by one at a time: the next one must not end before what the first one writes is there.
    syncs: Locks,
    /// Files that are written directly, where the file system locks them.
    writes: Locks,
}

/// A lock for each file.
#[derive(Default)]
struct Locks(Mutex<BTreeMap<u64, Arc<AsyncMutex<()>>>>);

impl Locks {
    fn of(&self, inode: u64) -> Arc<AsyncMutex<()>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(inode).or_insert_with(|| Arc::new(AsyncMutex::new(()))).clone()
    }
}

/// How a program's threads find and merge requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// Slots that a thread looks through.
    pub slots: u64,
    /// For each page that it merges it looks through all of them again, so that its time grows with the square of their number;
    /// otherwise once for all.
    pub square: bool,
}

/// A look at a slot, an estimate: the call of a function, two tests, and a line of memory that another processor has written as often as not.
const LOOK: u64 = 10;
/// Looks through the array that a request takes anyway: for one that is done, for one that has waited too long, and for the lowest address.
const ROUNDS: u64 = 3;

impl Array {
    /// Nanoseconds of a request and of each page in it: the page that follows is looked for, and each one is found again when it is done.
    fn costs(self) -> (u64, u64) {
        let round = self.slots * LOOK;
        if self.square { (ROUNDS * round, 2 * round) } else { ((ROUNDS + 1) * round, round) }
    }
}

#[derive(Clone)]
pub struct MachineDisk(Arc<Inner>);

fn failed(op: &'static str, path: &str, kind: io::ErrorKind) -> DiskError {
    DiskError::new(op, path, &io::Error::from(kind))
}

impl MachineDisk {
    pub fn new(
        rt: &Rt,
        device: Arc<dyn Device>,
        counters: Arc<Counters>,
        fs: FileSystem,
        places: Places,
        cpu: Option<(Arc<Cpu>, u64)>,
    ) -> MachineDisk {
        let state =
            State { image: Image { chunk: places.chunk(), ..Image::default() }, next_extent: 1 };
        MachineDisk(Arc::new(Inner {
            rt: rt.clone(),
            device,
            counters,
            cpu,
            fs,
            places,
            state: Mutex::new(state),
            timed: AtomicBool::new(false),
            array: Mutex::default(),
            syncs: Locks::default(),
            writes: Locks::default(),
        }))
    }

    /// Requests of several pages, or of one in such a call, are found in arrays of slots and merged there.
    pub fn find_requests_in(&self, a: Array) {
        *self.0.array.lock().unwrap_or_else(PoisonError::into_inner) = a.costs();
    }

    /// Contents as they are: what the page cache has counts as written.
    pub fn image(&self) -> Image {
        let s = self.0.lock();
        let mut image = Image { next_extent: s.next_extent, ..s.image.clone() };
        image.inodes.values_mut().for_each(|i| i.dirty.clear());
        image
    }

    pub fn put(&self, image: Image) {
        let mut s = self.0.lock();
        s.next_extent = image.next_extent;
        s.image = image;
    }

    /// From now on requests take their time.
    pub fn start_time(&self) {
        self.0.timed.store(true, Ordering::Relaxed);
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_timed(&self) -> bool {
        self.timed.load(Ordering::Relaxed)
    }

    /// The volume's requests for a range of a file.
    fn requests(&self, inode: u64, off: u64, bytes: u64, write: bool) -> Vec<Request> {
        let mut s = self.lock();
        let State { image, next_extent } = &mut *s;
        let Some(i) = image.inodes.get_mut(&inode) else { return Vec::new() };
        let factor = if i.log { 1 } else { self.places.page_factor };
        let (mut at, end) = (off * factor, (off + bytes) * factor);
        let mut out: Vec<Request> = Vec::new();
        while at < end {
            let (no, inside) = ((at / EXTENT) as usize, at % EXTENT);
            let n = (EXTENT - inside).min(end - at).min(LARGEST);
            while i.extents.len() <= no {
                i.extents.push(self.places.extent(*next_extent));
                *next_extent += 1;
            }
            out.push(Request { at: i.extents[no] + inside, bytes: n, write });
            at += n;
        }
        out
    }

    /// Time of a thread that has found so many pages in its array. Nobody waits for it.
    fn looked_for(&self, pages: usize) {
        let (request, page) = *self.array.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((cpu, _)) = self.cpu.as_ref().filter(|_| request > 0 && self.is_timed()) {
            cpu.work_aside(request + page * pages as u64);
        }
    }

    /// Direct requests of a file, which a thread waits for.
    async fn direct(&self, inode: u64, list: Vec<Request>) {
        let Some(first) = list.first().filter(|_| self.is_timed()) else { return };
        let (write, begun) = (first.write, self.rt.now());
        let lock = self.fs.locks_writes.then(|| self.writes.of(inode));
        let held = match &lock {
            Some(l) => Some(l.lock().await),
            None => None,
        };
        // A read has the lock while its blocks are looked up, which takes no time.
        let held = held.filter(|_| write);
        let (requests, bytes) = self.take_time(list).await;
        drop(held);
        self.counters.direct(write, requests, bytes, self.rt.now() - begun);
    }

    /// Returns how many requests they were, and of how many bytes.
    async fn take_time(&self, list: Vec<Request>) -> (u64, u64) {
        if !self.is_timed() || list.is_empty() {
            return (0, 0);
        }
        let list = joined(list);
        let sums = (list.len() as u64, list.iter().map(|r| r.bytes).sum());
        if let Some((cpu, ns)) = &self.cpu {
            cpu.work_aside(ns * list.len() as u64);
        }
        list.iter().for_each(|r| self.counters.count(*r));
        self.counters.waiting.fetch_add(1, Ordering::Relaxed);
        match list[..] {
            [one] => self.device.serve(one).await,
            _ => {
                let serve = |r: Request| {
                    let device = self.device.clone();
                    self.rt.spawn("request", async move { device.serve(r).await })
                };
                for h in list.into_iter().map(serve).collect::<Vec<_>>() {
                    h.await;
                }
            }
        }
        self.counters.waiting.fetch_sub(1, Ordering::Relaxed);
        sums
    }

    fn find(&self, path: &str, o: OpenOptions) -> Result<u64> {
        let mut s = self.lock();
        let image = &mut s.image;
        match image.names.get(path) {
            Some(_) if o.create_new => Err(failed("create", path, io::ErrorKind::AlreadyExists)),
            Some(id) => Ok(*id),
            None if o.create || o.create_new => {
                image.next += 1;
                let (id, log) = (image.next, path.starts_with("redo"));
                image.names.insert(path.to_string(), id);
                image.inodes.insert(id, Inode { log, ..Inode::default() });
                Ok(id)
            }
            None => Err(failed("open", path, io::ErrorKind::NotFound)),
        }
    }

    async fn sync_dir_now(&self) {
        if self.is_timed() {
            self.journal().await;
        }
    }

    /// The file system's own part of a sync.
    async fn journal(&self) {
        let first = JOURNAL + (self.rt.now() / 1_000_000 % 4096) * 4096;
        for n in 0..u64::from(self.fs.journal_writes) {
            // One block behind the other: the second says that the first is there, so it waits for a turn.
            let at = first + n * 4096;
            self.take_time(vec![Request { at, bytes: 4096, write: true }]).await;
        }
        if self.fs.barriers {
            self.device.flush().await;
        }
    }
}

impl Disk for MachineDisk {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>> {
        Box::pin(async move {
            let inode = self.0.find(path, o)?;
            let (disk, path) = (self.0.clone(), path.to_string());
            Ok(Arc::new(Opened { disk, inode, path, mode: o.mode }) as Arc<dyn File>)
        })
    }

    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let s = self.0.lock();
            let inside = |p: &String| match dir {
                "" => (!p.contains('/')).then(|| p.clone()),
                _ => {
                    let rest = p.strip_prefix(dir)?.strip_prefix('/')?;
                    (!rest.contains('/')).then(|| rest.to_string())
                }
            };
            Ok(s.image.names.keys().filter_map(inside).collect())
        })
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut s = self.0.lock();
            let Some(id) = s.image.names.remove(from) else {
                return Err(failed("rename", from, io::ErrorKind::NotFound));
            };
            if let Some(old) = s.image.names.insert(to.to_string(), id) {
                s.image.inodes.remove(&old);
            }
            Ok(())
        })
    }

    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut s = self.0.lock();
            match s.image.names.remove(path) {
                Some(id) => {
                    s.image.inodes.remove(&id);
                    Ok(())
                }
                None => Err(failed("remove", path, io::ErrorKind::NotFound)),
            }
        })
    }

    fn create_dir<'a>(&'a self, _: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn sync_dir<'a>(&'a self, _: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async {
            self.0.sync_dir_now().await;
            Ok(())
        })
    }

    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>> {
        Box::pin(async move { Ok(self.0.lock().image.names.contains_key(path)) })
    }

    fn describe(&self) -> String {
        "a simulated computer".into()
    }
}

struct Opened {
    disk: Arc<Inner>,
    inode: u64,
    path: String,
    mode: Mode,
}

impl Opened {
    fn fill(&self, off: u64, buf: &mut [u8]) -> Result<()> {
        let s = self.disk.lock();
        let gone = || failed("read", &self.path, io::ErrorKind::UnexpectedEof);
        let i = s.image.inodes.get(&self.inode).ok_or_else(gone)?;
        if off + buf.len() as u64 > i.len {
            return Err(gone().at(off, buf.len()));
        }
        let mut at = off;
        let size = s.image.chunk;
        for part in split(off, buf, size) {
            let (chunk, inside) = ((at / size) as usize, (at % size) as usize);
            match i.chunks.get(chunk).and_then(Option::as_ref) {
                Some(c) => part.copy_from_slice(&c[inside..inside + part.len()]),
                None => part.fill(0),
            }
            at += part.len() as u64;
        }
        Ok(())
    }

    fn keep(&self, off: u64, data: &[u8]) {
        let timed = self.disk.is_timed();
        let mut s = self.disk.lock();
        let size = s.image.chunk;
        let Some(i) = s.image.inodes.get_mut(&self.inode) else { return };
        i.len = i.len.max(off + data.len() as u64);
        if self.mode == Mode::Buffered && timed {
            add(&mut i.dirty, off, off + data.len() as u64);
        }
        if i.log && timed {
            return;
        }
        let mut at = off;
        let mut rest = data;
        while !rest.is_empty() {
            let (chunk, inside) = ((at / size) as usize, (at % size) as usize);
            let n = rest.len().min(size as usize - inside);
            if i.chunks.len() <= chunk {
                i.chunks.resize(chunk + 1, None);
            }
            put(&mut i.chunks[chunk], inside, &rest[..n], size as usize);
            rest = &rest[n..];
            at += n as u64;
        }
    }

    /// What a write costs when it is made.
    async fn wrote(&self, off: u64, bytes: u64) {
        if self.mode == Mode::Buffered {
            return;
        }
        let list = self.disk.requests(self.inode, off, bytes, true);
        self.disk.direct(self.inode, list).await;
        if self.mode.is_dsync() {
            self.disk.journal().await;
        }
    }
}

/// Changes a part of a chunk, of which others may have the contents as they were.
fn put(chunk: &mut Option<Chunk>, inside: usize, data: &[u8], size: usize) {
    if let Some(own) = chunk.as_mut().and_then(Arc::get_mut) {
        own[inside..inside + data.len()].copy_from_slice(data);
    } else if data.len() == size {
        *chunk = Some(Arc::new(data.into()));
    } else {
        let shared = chunk.get_or_insert_with(|| Arc::new(vec![0; size].into()));
        Arc::make_mut(shared)[inside..inside + data.len()].copy_from_slice(data);
    }
}

/// Neighbours that come together are one request, as an elevator makes of them.
fn joined(list: Vec<Request>) -> Vec<Request> {
    let mut out: Vec<Request> = Vec::with_capacity(list.len());
    for r in list {
        match out.last_mut() {
            Some(l)
                if l.write == r.write && l.at + l.bytes == r.at && l.bytes + r.bytes <= LARGEST =>
            {
                l.bytes += r.bytes;
            }
            _ => out.push(r),
        }
    }
    out
}

/// A buffer in pieces that lie in one chunk each.
fn split(off: u64, buf: &mut [u8], size: u64) -> impl Iterator<Item = &mut [u8]> {
    let first = ((size - off % size) as usize).min(buf.len());
    let (head, tail) = buf.split_at_mut(first);
    std::iter::once(head).chain(tail.chunks_mut(size as usize))
}

/// Adds a range, melting it together with those that it meets.
fn add(all: &mut BTreeMap<u64, u64>, mut start: u64, mut end: u64) {
    while let Some((&s, &e)) = all.range(..=end).next_back().filter(|(_, e)| **e >= start) {
        all.remove(&s);
        (start, end) = (start.min(s), end.max(e));
    }
    all.insert(start, end);
}

impl File for Opened {
    fn read(&self, off: u64, mut buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            // What was read or written without O_DIRECT is in the page cache: these machines have the memory for it.
            if self.mode.is_direct() {
                let list = self.disk.requests(self.inode, off, buf.len() as u64, false);
                self.disk.direct(self.inode, list).await;
            }
            let done = self.fill(off, &mut buf);
            (buf, done)
        })
    }

    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            self.keep(off, &buf);
            self.wrote(off, buf.len() as u64).await;
            (buf, Ok(()))
        })
    }

    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            self.disk.looked_for(batch.len());
            if self.mode.is_direct() {
                let each = batch.iter().flat_map(|(off, buf)| {
                    self.disk.requests(self.inode, *off, buf.len() as u64, false)
                });
                self.disk.direct(self.inode, each.collect()).await;
            }
            let (mut done, mut out) = (Ok(()), Vec::with_capacity(batch.len()));
            for (off, mut buf) in batch {
                done = done.and(self.fill(off, &mut buf));
                out.push(buf);
            }
            (out, done)
        })
    }

    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            self.disk.looked_for(batch.len());
            let mut list = Vec::new();
            for (off, buf) in &batch {
                self.keep(*off, buf);
                if self.mode != Mode::Buffered {
                    list.extend(self.disk.requests(self.inode, *off, buf.len() as u64, true));
                }
            }
            self.disk.direct(self.inode, list).await;
            if self.mode.is_dsync() {
                self.disk.journal().await;
            }
            (batch.into_iter().map(|(_, b)| b).collect(), Ok(()))
        })
    }

    fn sync(&self) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            if !self.disk.is_timed() {
                return Ok(());
            }
            let turn = self.disk.syncs.of(self.inode);
            let _turn = turn.lock().await;
            let dirty = {
                let mut s = self.disk.lock();
                s.image.inodes.get_mut(&self.inode).map(|i| std::mem::take(&mut i.dirty))
            };
            let mut list = Vec::new();
            for (start, end) in dirty.unwrap_or_default() {
                // The kernel writes whole blocks.
                let (start, end) = (start / 4096 * 4096, end.next_multiple_of(4096));
                list.extend(self.disk.requests(self.inode, start, end - start, true));
            }
            self.disk.take_time(list).await;
            self.disk.journal().await;
            Ok(())
        })
    }

    fn allocate(&self, len: u64, _zero: bool) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let mut s = self.disk.lock();
            if let Some(i) = s.image.inodes.get_mut(&self.inode) {
                i.len = i.len.max(len);
            }
            Ok(())
        })
    }

    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let mut s = self.disk.lock();
            let size = s.image.chunk;
            if let Some(i) = s.image.inodes.get_mut(&self.inode) {
                i.len = len;
                i.chunks.truncate(len.div_ceil(size) as usize);
                // What a later growth would show again.
                let inside = (len % size) as usize;
                if let Some(Some(c)) = i.chunks.get_mut((len / size) as usize) {
                    Arc::make_mut(c)[inside..].fill(0);
                }
                i.dirty.retain(|s, _| *s < len);
                i.dirty.values_mut().for_each(|e| *e = (*e).min(len));
            }
            Ok(())
        })
    }

    fn len(&self) -> OpFuture<'_, Result<u64>> {
        Box::pin(async move {
            let s = self.disk.lock();
            Ok(s.image.inodes.get(&self.inode).map_or(0, |i| i.len))
        })
    }
}

#[cfg(test)]
mod tests;
