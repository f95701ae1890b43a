//! The simulated device: files in memory, virtual time, and what a crash may leave behind.
//!
//! A write is captured when it is submitted and seen by reads when it is done. What was not synced may at a crash be
//! there, be missing, or be there in part, each 512-byte sector by itself; names not synced may be the old ones, in the
//! order in which they were changed. A sync covers the writes that were done when it was submitted.

mod inode;
mod inspect;

use crate::{Disk, DiskError, File, IoBuf, Mode, OpFuture, OpenOptions, Result};
use inode::{Inode, NameChange, Write, apply, folder};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_rt::{Event, Rng, Rt};

/// What a device writes as a whole.
pub const SECTOR: usize = 512;

/// An operation, as a fault function sees it.
#[derive(Clone, Debug)]
pub struct Op {
    /// `create`, `open`, `read`, `write`, `sync`, `allocate`, `truncate`, `rename`, `remove`, `sync_dir`, ...
    pub kind: &'static str,
    pub path: String,
    pub offset: u64,
    pub len: usize,
    /// Number of the operation since the device was made.
    pub count: u64,
}

/// How long a descriptor is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// An input/output error; a write may have happened in part. A sync that fails forgets: what it would have made
    /// durable stays readable, and no later sync covers it.
    Io,
    /// No space left on the device; nothing has happened.
    Full,
    /// The process has no descriptor left (EMFILE); nothing has happened.
    NoDescriptor,
    /// The system puts the operation off (EAGAIN); nothing has happened.
    Again,
    /// It takes this long, and then is as ever.
    Slow(Duration),
}

/// Whether the device is to stop at an operation: how many more it still takes.
pub type CrashFn = Box<dyn FnMut(&Op) -> Option<u64> + Send>;

pub type FaultFn = Box<dyn FnMut(&Op) -> Option<Fault> + Send>;
/// Sees every write when it is submitted.
pub type WatchFn = Box<dyn FnMut(&Op, &[u8]) + Send>;

struct State {
    rng: Rng,
    inodes: BTreeMap<u64, Inode>,
    names: BTreeMap<String, u64>,
    durable_names: BTreeMap<String, u64>,
    /// Changes of names not synced, in order, with their folder.
    name_changes: Vec<(String, NameChange)>,
    /// How many open files each of them has.
    open: BTreeMap<u64, u32>,
    next: u64,
    ops: u64,
    crash_at: Option<u64>,
    crash_when: Option<CrashFn>,
    fault: Option<FaultFn>,
    watch: Option<WatchFn>,
    digest: u64,
}

impl State {
    fn digest(&mut self, bytes: &[u8]) {
        let mut h = self.digest;
        let (words, rest) = bytes.as_chunks::<8>();
        for w in words {
            h = (h.rotate_left(5) ^ u64::from_le_bytes(*w)).wrapping_mul(0x517C_C1B7_2722_0A95);
        }
        for b in rest {
            h = (h.rotate_left(5) ^ u64::from(*b)).wrapping_mul(0x517C_C1B7_2722_0A95);
        }
        self.digest = h;
    }
}

struct Device {
    rt: Rt,
    state: Mutex<State>,
    frozen: Event,
}

/// A simulated data directory.
#[derive(Clone)]
pub struct SimDisk(Arc<Device>);

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(kind: &'static str, path: &str, k: io::ErrorKind, text: &str) -> DiskError {
    DiskError::new(kind, path, &io::Error::new(k, text.to_string()))
}

impl SimDisk {
    pub fn new(rt: Rt, seed: u64) -> SimDisk {
        Self::with(rt, seed, BTreeMap::new(), BTreeMap::new())
    }

    fn with(
        rt: Rt,
        seed: u64,
        inodes: BTreeMap<u64, Inode>,
        names: BTreeMap<String, u64>,
    ) -> SimDisk {
        let next = inodes.keys().max().map_or(1, |m| m + 1);
        SimDisk(Arc::new(Device {
            rt,
            state: Mutex::new(State {
                rng: Rng::new(seed),
                inodes,
                durable_names: names.clone(),
                names,
                name_changes: Vec::new(),
                open: BTreeMap::new(),
                next,
                ops: 0,
                crash_at: None,
                crash_when: None,
                fault: None,
                watch: None,
                digest: 0,
            }),
            frozen: Event::new(),
        }))
    }

    /// The device after a power failure now, seen by a new run. The old one is frozen and its content gone.
    pub fn crash(&self, rt: Rt, seed: u64) -> SimDisk {
        let mut rng = Rng::new(seed);
        let mut s = lock(&self.0.state);
        s.crash_at = Some(0);
        let mut names = std::mem::take(&mut s.durable_names);
        let mut folders: BTreeMap<String, bool> = BTreeMap::new();
        for (dir, change) in std::mem::take(&mut s.name_changes) {
            // A prefix of each folder's changes survives.
            let alive = folders.entry(dir).or_insert(true);
            *alive = *alive && rng.chance(0.5);
            if *alive {
                apply(&mut names, &change);
            }
        }
        let mut inodes = BTreeMap::new();
        for (&id, inode) in &mut s.inodes {
            if names.values().any(|&i| i == id) {
                let image = inode.crash(&mut rng);
                inodes.insert(id, Inode::settled(image));
            }
        }
        s.inodes.clear();
        SimDisk::with(rt, rng.next_u64(), inodes, names)
    }

    /// The device after an end of the process (`kill -9`, or a clean stop), seen by a new run: what was written is there, and what was not
    /// synced waits in the system's memory for a sync, or for a power failure in the new run.
    pub fn reopen(&self, rt: Rt, seed: u64) -> SimDisk {
        let mut s = lock(&self.0.state);
        s.crash_at = Some(0);
        let names = std::mem::take(&mut s.names);
        let durable_names = std::mem::take(&mut s.durable_names);
        let name_changes = std::mem::take(&mut s.name_changes);
        let mut inodes = std::mem::take(&mut s.inodes);
        let named = |id: &u64| {
            let set = |(_, c): &(String, NameChange)| matches!(c, NameChange::Set(_, i) if i == id);
            names.values().chain(durable_names.values()).any(|n| n == id)
                || name_changes.iter().any(set)
        };
        inodes.retain(|id, _| named(id));
        inodes.values_mut().for_each(|i| i.pending.retain(|w| w.done));
        let next = s.next;
        drop(s);
        let new = SimDisk::with(rt, seed, inodes, names);
        {
            let mut n = lock(&new.0.state);
            n.next = next.max(n.next);
            (n.durable_names, n.name_changes) = (durable_names, name_changes);
        }
        new
    }

    /// A second device with the same files, for a look at what this one would do.
    pub fn copy(&self, rt: Rt, seed: u64) -> SimDisk {
        let s = lock(&self.0.state);
        let same = |i: &Inode| Inode::settled(i.now.clone());
        let inodes = s.inodes.iter().map(|(id, i)| (*id, same(i))).collect();
        SimDisk::with(rt, seed, inodes, s.names.clone())
    }

    /// From the `n`-th operation on, nothing is done any more: operations never end.
    pub fn crash_at(&self, n: u64) {
        lock(&self.0.state).crash_at = Some(n);
    }

    /// As `crash_at`, at an operation of one's choice.
    pub fn crash_when(&self, f: CrashFn) {
        lock(&self.0.state).crash_when = Some(f);
    }

    /// Waits until an operation was refused by `crash_at` or `crash_when`.
    pub async fn frozen(&self) {
        self.0.frozen.wait().await;
    }

    pub fn io_count(&self) -> u64 {
        lock(&self.0.state).ops
    }

    pub fn set_fault(&self, f: Option<FaultFn>) {
        lock(&self.0.state).fault = f;
    }

    pub fn set_watch(&self, f: Option<WatchFn>) {
        lock(&self.0.state).watch = f;
    }

    /// Digest of all operations so far, with the bytes that were written.
    pub fn digest(&self) -> u64 {
        lock(&self.0.state).digest
    }
}

impl Device {
    /// Counts an operation and decides its fate: how long it takes and whether it fails.
    async fn begin(
        &self,
        kind: &'static str,
        path: &str,
        offset: u64,
        len: usize,
    ) -> Result<Duration> {
        let (mut time, fault, frozen) = {
            let mut s = lock(&self.state);
            s.ops += 1;
            let count = s.ops;
            let time = match kind {
                "sync" | "sync_dir" => 50 + s.rng.below(300),
                "read" | "write" => 5 + s.rng.below(60),
                _ => 1 + s.rng.below(10),
            };
            let op = Op { kind, path: path.to_string(), offset, len, count };
            s.digest(kind.as_bytes());
            s.digest(path.as_bytes());
            s.digest(&offset.to_le_bytes());
            s.digest(&len.to_le_bytes());
            if let Some(more) = s.crash_when.as_mut().and_then(|f| f(&op)) {
                s.crash_at = Some(count + more);
                s.crash_when = None;
            }
            let fault = s.fault.as_mut().and_then(|f| f(&op));
            (Duration::from_micros(time), fault, s.crash_at.is_some_and(|c| count > c))
        };
        if frozen {
            self.stop().await;
        }
        use rustix::io::Errno;
        let of_system = |e: Errno| DiskError::new(kind, path, &e.into());
        let error = match fault {
            None => return Ok(time),
            Some(Fault::Slow(d)) => {
                time += d;
                return Ok(time);
            }
            Some(Fault::Io) => {
                failed(kind, path, io::ErrorKind::Other, "simulated input/output error")
            }
            Some(Fault::Full) => {
                failed(kind, path, io::ErrorKind::StorageFull, "no space left on device")
            }
            Some(Fault::NoDescriptor) => of_system(Errno::MFILE),
            Some(Fault::Again) => of_system(Errno::AGAIN),
        };
        Err(error.at(offset, len))
    }

    async fn stop(&self) {
        self.frozen.set();
        std::future::pending::<()>().await;
    }

    /// Time passes; a device that froze meanwhile does not end the operation.
    async fn end(&self, time: Duration) {
        self.rt.sleep(time).await;
        let frozen = {
            let s = lock(&self.state);
            s.crash_at.is_some_and(|c| s.ops > c)
        };
        if frozen {
            self.stop().await;
        }
    }

    fn change_name(&self, dirs: &[&str], c: NameChange) {
        let s = &mut *lock(&self.state);
        let (NameChange::Set(path, _) | NameChange::Unset(path) | NameChange::Rename(_, path)) = &c;
        if let Some(i) = s.names.get(path).and_then(|i| s.inodes.get_mut(i)) {
            i.lost_name.clone_from(path);
        }
        apply(&mut s.names, &c);
        for d in dirs {
            s.name_changes.push(((*d).to_string(), c.clone()));
        }
    }
}

impl Disk for SimDisk {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>> {
        Box::pin(async move {
            // Only a new name takes room.
            let kind = if o.create || o.create_new { "create" } else { "open" };
            let time = self.0.begin(kind, path, 0, 0).await?;
            self.0.end(time).await;
            let known = lock(&self.0.state).names.get(path).copied();
            let inode = match known {
                Some(_) if o.create_new => {
                    return Err(failed("open", path, io::ErrorKind::AlreadyExists, "file exists"));
                }
                Some(i) => i,
                None if o.create || o.create_new => {
                    let id = {
                        let mut s = lock(&self.0.state);
                        let id = s.next;
                        s.next += 1;
                        s.inodes.insert(id, Inode::default());
                        id
                    };
                    self.0.change_name(&[folder(path)], NameChange::Set(path.to_string(), id));
                    id
                }
                None => return Err(failed("open", path, io::ErrorKind::NotFound, "no such file")),
            };
            *lock(&self.0.state).open.entry(inode).or_insert(0) += 1;
            let file: Arc<dyn File> = Arc::new(SimFile {
                disk: self.0.clone(),
                path: path.to_string(),
                inode,
                mode: o.mode,
            });
            Ok(file)
        })
    }

    fn open_needed<'a>(
        &'a self,
        path: &'a str,
        o: OpenOptions,
    ) -> OpFuture<'a, Result<Arc<dyn File>>> {
        Box::pin(async move {
            let until = self.0.rt.now() + PATIENCE.as_nanos() as u64;
            loop {
                match self.open(path, o).await {
                    Err(e) if e.lacks_descriptor() && self.0.rt.now() < until => {
                        self.0.rt.sleep(Duration::from_millis(1)).await;
                    }
                    done => return done,
                }
            }
        })
    }

    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>> {
        Box::pin(async move {
            let time = self.0.begin("list", dir, 0, 0).await?;
            self.0.end(time).await;
            let s = lock(&self.0.state);
            let inside = s.names.keys().filter(|p| folder(p) == dir);
            Ok(inside.map(|p| p.rsplit('/').next().unwrap_or(p).to_string()).collect())
        })
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            let time = self.0.begin("rename", from, 0, 0).await?;
            self.0.end(time).await;
            if !lock(&self.0.state).names.contains_key(from) {
                return Err(failed("rename", from, io::ErrorKind::NotFound, "no such file"));
            }
            assert_eq!(
                folder(from),
                folder(to),
                "names move within a folder: a crash may tear other moves apart"
            );
            self.0
                .change_name(&[folder(from)], NameChange::Rename(from.to_string(), to.to_string()));
            Ok(())
        })
    }

    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            let time = self.0.begin("remove", path, 0, 0).await?;
            self.0.end(time).await;
            if !lock(&self.0.state).names.contains_key(path) {
                return Err(failed("remove", path, io::ErrorKind::NotFound, "no such file"));
            }
            self.0.change_name(&[folder(path)], NameChange::Unset(path.to_string()));
            Ok(())
        })
    }

    fn create_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            let time = self.0.begin("create_dir", path, 0, 0).await?;
            self.0.end(time).await;
            Ok(())
        })
    }

    fn sync_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            let covered = lock(&self.0.state).name_changes.len();
            let time = self.0.begin("sync_dir", path, 0, 0).await?;
            self.0.end(time).await;
            let mut s = lock(&self.0.state);
            let s = &mut *s;
            let covered = covered.min(s.name_changes.len());
            let rest = s.name_changes.split_off(covered);
            for (dir, c) in std::mem::take(&mut s.name_changes) {
                if dir == path {
                    apply(&mut s.durable_names, &c);
                } else {
                    s.name_changes.push((dir, c));
                }
            }
            s.name_changes.extend(rest);
            Ok(())
        })
    }

    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>> {
        Box::pin(async move {
            let time = self.0.begin("exists", path, 0, 0).await?;
            self.0.end(time).await;
            Ok(lock(&self.0.state).names.contains_key(path))
        })
    }

    fn describe(&self) -> String {
        "simulated device".into()
    }
}

struct SimFile {
    disk: Arc<Device>,
    path: String,
    inode: u64,
    mode: Mode,
}

impl Drop for SimFile {
    fn drop(&mut self) {
        let mut s = lock(&self.disk.state);
        let left = s.open.get_mut(&self.inode).map_or(0, |n| {
            *n -= 1;
            *n
        });
        if left == 0 {
            s.open.remove(&self.inode);
        }
    }
}

impl SimFile {
    fn with<T>(&self, f: impl FnOnce(&mut Inode) -> T) -> T {
        let mut s = lock(&self.disk.state);
        // A crashed device has lost its files; what its last operations see is of no interest.
        f(s.inodes.entry(self.inode).or_default())
    }

    async fn read_one(&self, off: u64, buf: &mut IoBuf) -> Result<()> {
        let time = self.disk.begin("read", &self.path, off, buf.len()).await?;
        self.disk.end(time).await;
        self.with(|i| {
            let bytes = i.now.get(off as usize..off as usize + buf.len());
            let Some(bytes) = bytes else {
                let e = failed(
                    "read",
                    &self.path,
                    io::ErrorKind::UnexpectedEof,
                    "the file ends before the last byte asked for",
                );
                return Err(e.at(off, buf.len()));
            };
            buf.copy_from_slice(bytes);
            Ok(())
        })
    }

    async fn write_one(&self, off: u64, buf: &IoBuf) -> Result<()> {
        let time = match self.disk.begin("write", &self.path, off, buf.len()).await {
            Ok(t) => t,
            Err(e) => {
                // Only an input/output error comes in the middle of it.
                if e.kind == io::ErrorKind::Other {
                    self.half_written(off, buf);
                }
                return Err(e);
            }
        };
        let id = {
            let mut s = lock(&self.disk.state);
            s.digest(buf);
            if let Some(watch) = &mut s.watch {
                let path = self.path.clone();
                watch(&Op { kind: "write", path, offset: off, len: buf.len(), count: 0 }, buf);
            }
            s.next += 1;
            s.next
        };
        self.with(|i| i.pending.push(Write { id, off, data: buf.to_vec(), done: false }));
        self.disk.end(time).await;
        let durable = self.mode.is_dsync();
        self.with(|i| {
            Inode::put(&mut i.now, off, buf);
            for w in &mut i.pending {
                w.done |= w.id == id;
            }
            if durable {
                i.settle(|w| w.id == id);
            }
        });
        Ok(())
    }

    /// A failed write leaves some of its sectors behind.
    fn half_written(&self, off: u64, buf: &IoBuf) {
        let keep: Vec<bool> = {
            let mut s = lock(&self.disk.state);
            buf.chunks(SECTOR).map(|_| s.rng.chance(0.5)).collect()
        };
        self.with(|i| {
            let whole = i.now.len();
            for (n, sector) in buf.chunks(SECTOR).enumerate().filter(|(n, _)| keep[*n]) {
                let at = off + (n * SECTOR) as u64;
                if at as usize + sector.len() <= whole {
                    Inode::put(&mut i.now, at, sector);
                    i.pending.push(Write { id: 0, off: at, data: sector.to_vec(), done: true });
                }
            }
        });
    }
}

impl File for SimFile {
    fn read(&self, off: u64, mut buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            let done = self.read_one(off, &mut buf).await;
            (buf, done)
        })
    }

    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            let done = self.write_one(off, &buf).await;
            (buf, done)
        })
    }

    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            let (mut back, mut all) = (Vec::new(), Ok(()));
            for (off, mut buf) in batch {
                let done = self.read_one(off, &mut buf).await;
                back.push(buf);
                all = all.and(done);
            }
            (back, all)
        })
    }

    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            // In an order of the device's own; a crash in the middle leaves any of them.
            let mut order: Vec<usize> = (0..batch.len()).collect();
            lock(&self.disk.state).rng.shuffle(&mut order);
            let mut all = Ok(());
            for i in order {
                let done = self.write_one(batch[i].0, &batch[i].1).await;
                all = all.and(done);
            }
            (batch.into_iter().map(|(_, b)| b).collect(), all)
        })
    }

    fn sync(&self) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let covered: Vec<u64> =
                self.with(|i| i.pending.iter().filter(|w| w.done).map(|w| w.id).collect());
            let time = match self.disk.begin("sync", &self.path, 0, 0).await {
                Ok(t) => t,
                Err(e) => {
                    self.with(|i| i.pending.retain(|w| !covered.contains(&w.id)));
                    return Err(e);
                }
            };
            self.disk.end(time).await;
            self.with(|i| i.settle(|w| covered.contains(&w.id)));
            Ok(())
        })
    }

    fn allocate(&self, len: u64, _zero: bool) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let time = self.disk.begin("allocate", &self.path, len, 0).await?;
            self.disk.end(time).await;
            self.with(|i| {
                if (i.now.len() as u64) < len {
                    i.now.resize(len as usize, 0);
                }
            });
            Ok(())
        })
    }

    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let time = self.disk.begin("truncate", &self.path, len, 0).await?;
            self.disk.end(time).await;
            // Durable at once: what a crash may leave of a cut file is as good as an uncut one only where it is written
            // again and synced, which is what the engine does.
            self.with(|i| i.truncate(len as usize));
            Ok(())
        })
    }

    fn len(&self) -> OpFuture<'_, Result<u64>> {
        Box::pin(async move {
            let time = self.disk.begin("stat", &self.path, 0, 0).await?;
            self.disk.end(time).await;
            Ok(self.with(|i| i.now.len() as u64))
        })
    }
}

#[cfg(test)]
mod tests;
