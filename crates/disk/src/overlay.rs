//! A data directory under a second one that takes every change: the first is never written to. Salvage runs recovery on it.
//!
//! A file's bytes come from the upper file in those sectors of 512 bytes that were written, else from the lower one as long as that was
//! when it was first opened, else they are zero. Upper files are sparse, have the lower one's offsets, and are named by numbers, so that
//! a renamed file keeps its own. Nothing here survives the process: `sync` has nothing to promise, for no crash is recovered from.

use crate::{Disk, DiskError, File, IoBuf, Mode, OpFuture, OpenOptions, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_rt::AsyncMutex;

const SECTOR: u64 = 512;

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

pub struct Overlay {
    lower: Arc<dyn Disk>,
    upper: Arc<dyn Disk>,
    /// Files that were used, by their names now; `None`: there is no such file any more, whatever is below.
    names: Mutex<HashMap<String, Option<Arc<Node>>>>,
    next: AtomicU64,
}

/// A file, open or not.
struct Node {
    /// Its name in the lower directory.
    lower: Option<String>,
    /// Its name in the upper one, where it is made with the first write.
    upper: String,
    state: Mutex<State>,
}

struct State {
    len: u64,
    /// Bytes of the lower file that are still to be seen.
    lower_len: u64,
    /// Sectors that were written: disjoint ranges, each from its key to its value.
    written: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    Upper,
    Lower,
    Zeros,
}

impl State {
    fn write(&mut self, from: u64, to: u64) {
        let (mut from, mut to) = (from, to);
        let before = self.written.range(..=from).next_back().map(|(a, b)| (*a, *b));
        if let Some((a, b)) = before.filter(|(_, b)| *b >= from) {
            self.written.remove(&a);
            (from, to) = (a, to.max(b));
        }
        while let Some((a, b)) = self.written.range(from..=to).next().map(|(a, b)| (*a, *b)) {
            self.written.remove(&a);
            to = to.max(b);
        }
        self.written.insert(from, to);
    }

    /// Where the byte at `at` comes from, and the end, at most `end`, of what comes from there.
    fn source(&self, at: u64, end: u64) -> (Source, u64) {
        let sector = at / SECTOR;
        let before = self.written.range(..=sector).next_back();
        if let Some((_, b)) = before.filter(|(_, b)| **b > sector) {
            return (Source::Upper, end.min(b * SECTOR));
        }
        let next = self.written.range(sector..).next().map_or(end, |(a, _)| end.min(a * SECTOR));
        match at < self.lower_len {
            true => (Source::Lower, next.min(self.lower_len)),
            false => (Source::Zeros, next),
        }
    }

    fn cut(&mut self, len: u64) {
        self.len = len;
        self.lower_len = self.lower_len.min(len);
        let end = len.div_ceil(SECTOR);
        drop(self.written.split_off(&end));
        if let Some((_, b)) = self.written.range_mut(..end).next_back() {
            *b = (*b).min(end);
        }
    }
}

fn failed(op: &'static str, path: &str, kind: io::ErrorKind) -> DiskError {
    DiskError::new(op, path, &io::Error::from(kind))
}

impl Overlay {
    /// `upper` is a directory with nothing in it, which takes all changes.
    pub fn new(lower: Arc<dyn Disk>, upper: Arc<dyn Disk>) -> Overlay {
        Overlay { lower, upper, names: Mutex::default(), next: AtomicU64::new(0) }
    }

    fn node(&self, lower: Option<String>, len: u64) -> Arc<Node> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let state = State { len, lower_len: len, written: BTreeMap::new() };
        Arc::new(Node { lower, upper: format!("{number}.upper"), state: Mutex::new(state) })
    }

    /// The file of a name, if there is one.
    async fn find(&self, path: &str) -> Result<Option<Arc<Node>>> {
        if let Some(known) = lock(&self.names).get(path) {
            return Ok(known.clone());
        }
        if !self.lower.exists(path).await? {
            return Ok(None);
        }
        let len = self.open_lower(path).await?.len().await?;
        let node = self.node(Some(path.to_string()), len);
        // Anyone who was faster has made the node that counts.
        Ok(lock(&self.names).entry(path.to_string()).or_insert(Some(node)).clone())
    }

    async fn open_lower(&self, path: &str) -> Result<Arc<dyn File>> {
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        self.lower.open(path, how).await
    }

    async fn open_node(&self, path: &str, o: OpenOptions) -> Result<Arc<dyn File>> {
        let node = match self.find(path).await? {
            Some(_) if o.create_new => {
                return Err(failed("open", path, io::ErrorKind::AlreadyExists));
            }
            Some(node) => node,
            None if o.create || o.create_new => {
                let node = self.node(None, 0);
                lock(&self.names).insert(path.to_string(), Some(node.clone()));
                node
            }
            None => return Err(failed("open", path, io::ErrorKind::NotFound)),
        };
        let lower = match &node.lower {
            Some(name) => Some(self.open_lower(name).await?),
            None => None,
        };
        let (disk, path) = (self.upper.clone(), path.to_string());
        Ok(Arc::new(OverlayFile { node, lower, disk, upper: AsyncMutex::new(None), path }))
    }

    async fn listed(&self, dir: &str) -> Result<Vec<String>> {
        let mut all: BTreeSet<String> = self.lower.list(dir).await?.into_iter().collect();
        for (path, node) in lock(&self.names).iter() {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            if folder == dir && node.is_some() {
                all.insert(name.to_string());
            } else if folder == dir {
                all.remove(name);
            }
        }
        Ok(all.into_iter().collect())
    }
}

impl Disk for Overlay {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>> {
        Box::pin(self.open_node(path, o))
    }

    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>> {
        Box::pin(self.listed(dir))
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            let Some(node) = self.find(from).await? else {
                return Err(failed("rename", from, io::ErrorKind::NotFound));
            };
            let mut names = lock(&self.names);
            names.insert(to.to_string(), Some(node));
            names.insert(from.to_string(), None);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            if self.find(path).await?.is_none() {
                return Err(failed("remove", path, io::ErrorKind::NotFound));
            }
            lock(&self.names).insert(path.to_string(), None);
            Ok(())
        })
    }

    fn create_dir<'a>(&'a self, _: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn sync_dir<'a>(&'a self, _: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>> {
        Box::pin(async move {
            if let Some(known) = lock(&self.names).get(path) {
                return Ok(known.is_some());
            }
            self.lower.exists(path).await
        })
    }

    fn describe(&self) -> String {
        format!("{}; changes go to {}", self.lower.describe(), self.upper.describe())
    }
}

struct OverlayFile {
    node: Arc<Node>,
    lower: Option<Arc<dyn File>>,
    disk: Arc<dyn Disk>,
    /// Opened when it is needed: most files are only read.
    upper: AsyncMutex<Option<Arc<dyn File>>>,
    path: String,
}

impl OverlayFile {
    async fn upper(&self) -> Result<Arc<dyn File>> {
        let mut upper = self.upper.lock().await;
        if let Some(open) = upper.as_ref() {
            return Ok(open.clone());
        }
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = self.disk.open(&self.node.upper, how).await?;
        *upper = Some(file.clone());
        Ok(file)
    }

    async fn read_from(&self, from: Source, off: u64, buf: IoBuf) -> (IoBuf, Result<()>) {
        match (from, &self.lower) {
            (Source::Upper, _) => match self.upper().await {
                Ok(file) => file.read(off, buf).await,
                Err(e) => (buf, Err(e)),
            },
            (Source::Lower, Some(file)) => file.read(off, buf).await,
            (Source::Zeros | Source::Lower, _) => {
                let mut buf = buf;
                buf.fill(0);
                (buf, Ok(()))
            }
        }
    }

    async fn read_at(&self, off: u64, mut buf: IoBuf) -> (IoBuf, Result<()>) {
        let end = off + buf.len() as u64;
        let parts: Vec<(Source, Range<u64>)> = {
            let state = lock(&self.node.state);
            if end > state.len {
                let e = failed("read", &self.path, io::ErrorKind::UnexpectedEof).at(off, buf.len());
                return (buf, Err(e));
            }
            let (mut parts, mut at) = (Vec::new(), off);
            while at < end {
                let (from, to) = state.source(at, end);
                parts.push((from, at..to));
                at = to;
            }
            parts
        };
        if let [(from, _)] = parts.as_slice() {
            return self.read_from(*from, off, buf).await;
        }
        for (from, part) in parts {
            let piece = IoBuf::new((part.end - part.start) as usize);
            let (piece, done) = self.read_from(from, part.start, piece).await;
            if done.is_err() {
                return (buf, done);
            }
            let at = (part.start - off) as usize;
            buf[at..at + piece.len()].copy_from_slice(&piece);
        }
        (buf, Ok(()))
    }

    async fn write_at(&self, off: u64, buf: IoBuf) -> (IoBuf, Result<()>) {
        let end = off + buf.len() as u64;
        if buf.is_empty() {
            return (buf, Ok(()));
        }
        let (first, last) = (off / SECTOR, end.div_ceil(SECTOR));
        let upper = match self.upper().await {
            Ok(file) => file,
            Err(e) => return (buf, Err(e)),
        };
        let (buf, done) = if off.is_multiple_of(SECTOR) && end.is_multiple_of(SECTOR) {
            upper.write(off, buf).await
        } else {
            let done = self.write_sectors(upper.as_ref(), first..last, off, &buf).await;
            (buf, done)
        };
        if done.is_ok() {
            let mut state = lock(&self.node.state);
            state.write(first, last);
            state.len = state.len.max(end);
        }
        (buf, done)
    }

    /// Writes whole sectors, of the caller's bytes and at both ends of what was there.
    async fn write_sectors(
        &self,
        upper: &dyn File,
        range: Range<u64>,
        off: u64,
        bytes: &[u8],
    ) -> Result<()> {
        let start = range.start * SECTOR;
        let mut sectors = IoBuf::new((range.end * SECTOR - start) as usize);
        let there = lock(&self.node.state).len.saturating_sub(start);
        let there = (there as usize).min(sectors.len());
        if there > 0 {
            let (old, done) = self.read_at(start, IoBuf::new(there)).await;
            done?;
            sectors[..there].copy_from_slice(&old);
        }
        let at = (off - start) as usize;
        sectors[at..at + bytes.len()].copy_from_slice(bytes);
        upper.write(start, sectors).await.1
    }
}

impl File for OverlayFile {
    fn read(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(self.read_at(off, buf))
    }

    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(self.write_at(off, buf))
    }

    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            let (mut back, mut all) = (Vec::with_capacity(batch.len()), Ok(()));
            for (off, buf) in batch {
                let (buf, done) = self.read_at(off, buf).await;
                back.push(buf);
                all = all.and(done);
            }
            (back, all)
        })
    }

    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            let (mut back, mut all) = (Vec::with_capacity(batch.len()), Ok(()));
            for (off, buf) in batch {
                let (buf, done) = self.write_at(off, buf).await;
                back.push(buf);
                all = all.and(done);
            }
            (back, all)
        })
    }

    fn sync(&self) -> OpFuture<'_, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn allocate(&self, len: u64, _: bool) -> OpFuture<'_, Result<()>> {
        let mut state = lock(&self.node.state);
        state.len = state.len.max(len);
        Box::pin(std::future::ready(Ok(())))
    }

    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            // What is behind the new end is zero if the file grows again: in the last sector, too, if that is above.
            let (old, rest) = (lock(&self.node.state).len, len.next_multiple_of(SECTOR) - len);
            if len < old && rest > 0 {
                self.write_at(len, IoBuf::new(rest as usize)).await.1?;
            }
            lock(&self.node.state).cut(len);
            Ok(())
        })
    }

    fn len(&self) -> OpFuture<'_, Result<u64>> {
        Box::pin(std::future::ready(Ok(lock(&self.node.state).len)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimDisk;
    use weir_rt::Rng;
    use weir_rt::sim::SimRt;

    const NEW: OpenOptions = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
    const OLD: OpenOptions = OpenOptions { create: false, ..NEW };

    async fn bytes(d: &dyn Disk, path: &str) -> Vec<u8> {
        let f = d.open(path, OLD).await.unwrap();
        let n = f.len().await.unwrap() as usize;
        let (b, done) = f.read(0, IoBuf::new(n)).await;
        done.unwrap();
        b.to_vec()
    }

    fn filled(n: usize, with: u8) -> IoBuf {
        let mut b = IoBuf::new(n);
        b.fill(with);
        b
    }

    /// Random writes, cuts and growth against a vector; the lower file stays as it was.
    #[test]
    fn a_file_is_what_was_written_over_what_was_there() {
        for seed in 0..40 {
            let sim = SimRt::new(seed);
            let lower = Arc::new(SimDisk::new(sim.rt(), 1));
            let upper = Arc::new(SimDisk::new(sim.rt(), 2));
            sim.run(async move {
                let mut rng = Rng::new(seed);
                let mut model: Vec<u8> = (0..3000u32).map(|i| (i % 251) as u8 + 1).collect();
                let f = lower.open("f", NEW).await.unwrap();
                let mut b = IoBuf::new(model.len());
                b.copy_from_slice(&model);
                f.write(0, b).await.1.unwrap();
                let before = bytes(lower.as_ref(), "f").await;
                let d = Overlay::new(lower.clone(), upper);
                for step in 0..60u8 {
                    let f = d.open("f", OLD).await.unwrap();
                    let at = rng.below(5000) as usize;
                    match rng.below(4) {
                        0 => {
                            f.truncate(at as u64).await.unwrap();
                            model.resize(at, 0);
                        }
                        1 => {
                            f.allocate(at as u64, false).await.unwrap();
                            model.resize(model.len().max(at), 0);
                        }
                        kind => {
                            let n = rng.below(1500) as usize + 1;
                            // Whole sectors, or any bytes.
                            let (at, n) = if kind == 2 { (at / 512 * 512, 1024) } else { (at, n) };
                            f.write(at as u64, filled(n, step)).await.1.unwrap();
                            model.resize(model.len().max(at + n), 0);
                            model[at..at + n].fill(step);
                        }
                    }
                    assert_eq!(bytes(&d, "f").await, model, "seed {seed}, step {step}");
                }
                assert_eq!(bytes(lower.as_ref(), "f").await, before);
            })
            .unwrap();
        }
    }

    #[test]
    fn names_change_above_and_stay_below() {
        let sim = SimRt::new(1);
        let (lower, upper) =
            (Arc::new(SimDisk::new(sim.rt(), 1)), Arc::new(SimDisk::new(sim.rt(), 2)));
        sim.run(async move {
            for (name, tag) in [("redo/a", 1u8), ("redo/b", 2)] {
                let f = lower.open(name, NEW).await.unwrap();
                f.write(0, filled(512, tag)).await.1.unwrap();
            }
            let d = Overlay::new(lower.clone(), upper);
            d.rename("redo/a", "redo/c").await.unwrap();
            d.remove("redo/b").await.unwrap();
            let f = d.open("redo/a", OpenOptions { create_new: true, ..NEW }).await.unwrap();
            f.write(0, filled(512, 9)).await.1.unwrap();
            assert_eq!(d.list("redo").await.unwrap(), ["a", "c"]);
            assert_eq!(bytes(&d, "redo/c").await[0], 1);
            assert_eq!(bytes(&d, "redo/a").await[0], 9);
            assert!(d.open("redo/b", OLD).await.is_err_and(|e| e.is_missing()));
            assert!(!d.exists("redo/b").await.unwrap());
            assert_eq!(lower.list("redo").await.unwrap(), ["a", "b"]);
            assert_eq!(bytes(lower.as_ref(), "redo/a").await[0], 1);
        })
        .unwrap();
    }
}
