//! A data directory in memory, for a database that ends with its process.
//!
//! A file is a list of pieces; those that were never written take no memory and read as zeros, so the redo log costs what is written
//! to it. There is nothing to be durable: a sync has nothing to do, and a crash leaves nothing to recover from.

use crate::{Disk, DiskError, File, IoBuf, OpFuture, OpenOptions, Result};
use std::collections::BTreeMap;
use std::future::ready;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Bytes of a piece.
const PIECE: usize = 64 * 1024;

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(op: &'static str, path: &str, kind: io::ErrorKind) -> DiskError {
    DiskError::new(op, path, &io::Error::from(kind))
}

/// A data directory in memory.
#[derive(Default)]
pub struct MemoryDisk {
    files: Mutex<BTreeMap<String, Arc<RwLock<Content>>>>,
}

#[derive(Default)]
struct Content {
    len: u64,
    /// `None`: zeros. There may be fewer pieces than the length asks for.
    pieces: Vec<Option<Box<[u8]>>>,
}

impl Content {
    fn read(&self, off: u64, out: &mut [u8]) {
        let mut at = off as usize;
        let mut out = out;
        while !out.is_empty() {
            let (piece, within) = (at / PIECE, at % PIECE);
            let n = out.len().min(PIECE - within);
            let (now, rest) = out.split_at_mut(n);
            match self.pieces.get(piece) {
                Some(Some(bytes)) => now.copy_from_slice(&bytes[within..within + n]),
                _ => now.fill(0),
            }
            at += n;
            out = rest;
        }
    }

    fn write(&mut self, off: u64, bytes: &[u8]) {
        let end = off + bytes.len() as u64;
        let last = (end as usize).div_ceil(PIECE);
        if self.pieces.len() < last {
            self.pieces.resize_with(last, || None);
        }
        let (mut at, mut rest) = (off as usize, bytes);
        while !rest.is_empty() {
            let (piece, within) = (at / PIECE, at % PIECE);
            let (now, later) = rest.split_at(rest.len().min(PIECE - within));
            let there = &mut self.pieces[piece];
            // Zeros over zeros change nothing: a file that is filled with them takes no memory.
            if there.is_some() || now.iter().any(|b| *b != 0) {
                let there = there.get_or_insert_with(|| vec![0; PIECE].into_boxed_slice());
                there[within..within + now.len()].copy_from_slice(now);
            }
            at += now.len();
            rest = later;
        }
        self.len = self.len.max(end);
    }

    fn cut(&mut self, len: u64) {
        if len < self.len {
            self.pieces.truncate((len as usize).div_ceil(PIECE));
            // What is behind the new end is zero if the file grows again.
            if let Some(Some(last)) = self.pieces.get_mut(len as usize / PIECE) {
                last[len as usize % PIECE..].fill(0);
            }
        }
        self.len = len;
    }
}

impl MemoryDisk {
    pub fn new() -> MemoryDisk {
        MemoryDisk::default()
    }
}

impl Disk for MemoryDisk {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>> {
        let mut files = lock(&self.files);
        let there = files.get(path).cloned();
        let content = match there {
            Some(_) if o.create_new => Err(failed("open", path, io::ErrorKind::AlreadyExists)),
            Some(content) => Ok(content),
            None if o.create || o.create_new => {
                let content = Arc::new(RwLock::new(Content::default()));
                files.insert(path.to_owned(), content.clone());
                Ok(content)
            }
            None => Err(failed("open", path, io::ErrorKind::NotFound)),
        };
        let path = path.to_owned();
        let file = content.map(|content| Arc::new(MemoryFile { content, path }) as Arc<dyn File>);
        Box::pin(ready(file))
    }

    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>> {
        let prefix = if dir.is_empty() { String::new() } else { format!("{dir}/") };
        let files = lock(&self.files);
        let within = files.keys().filter_map(|name| name.strip_prefix(prefix.as_str()));
        let names = within.filter(|name| !name.contains('/')).map(str::to_owned).collect();
        Box::pin(ready(Ok(names)))
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>> {
        let mut files = lock(&self.files);
        let done = match files.remove(from) {
            Some(content) => {
                files.insert(to.to_owned(), content);
                Ok(())
            }
            None => Err(failed("rename", from, io::ErrorKind::NotFound)),
        };
        Box::pin(ready(done))
    }

    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        let done = match lock(&self.files).remove(path) {
            Some(_) => Ok(()),
            None => Err(failed("remove", path, io::ErrorKind::NotFound)),
        };
        Box::pin(ready(done))
    }

    fn create_dir<'a>(&'a self, _: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    fn sync_dir<'a>(&'a self, _: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>> {
        let files = lock(&self.files);
        let folder = format!("{path}/");
        let is_folder =
            || files.range(folder.clone()..).next().is_some_and(|(n, _)| n.starts_with(&folder));
        let there = files.contains_key(path) || is_folder();
        Box::pin(ready(Ok(there)))
    }

    fn describe(&self) -> String {
        "memory".into()
    }
}

struct MemoryFile {
    content: Arc<RwLock<Content>>,
    path: String,
}

impl MemoryFile {
    fn read_at(&self, off: u64, mut buf: IoBuf) -> (IoBuf, Result<()>) {
        let content = self.content.read().unwrap_or_else(PoisonError::into_inner);
        if off + buf.len() as u64 > content.len {
            let e = failed("read", &self.path, io::ErrorKind::UnexpectedEof).at(off, buf.len());
            return (buf, Err(e));
        }
        content.read(off, &mut buf);
        (buf, Ok(()))
    }

    fn write_at(&self, off: u64, buf: IoBuf) -> (IoBuf, Result<()>) {
        self.content.write().unwrap_or_else(PoisonError::into_inner).write(off, &buf);
        (buf, Ok(()))
    }
}

impl File for MemoryFile {
    fn read(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(ready(self.read_at(off, buf)))
    }

    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(ready(self.write_at(off, buf)))
    }

    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        let mut all = Ok(());
        let mut back = Vec::with_capacity(batch.len());
        for (off, buf) in batch {
            let (buf, done) = self.read_at(off, buf);
            back.push(buf);
            all = all.and(done);
        }
        Box::pin(ready((back, all)))
    }

    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        let back = batch.into_iter().map(|(off, buf)| self.write_at(off, buf).0).collect();
        Box::pin(ready((back, Ok(()))))
    }

    fn sync(&self) -> OpFuture<'_, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    fn allocate(&self, len: u64, _: bool) -> OpFuture<'_, Result<()>> {
        let mut content = self.content.write().unwrap_or_else(PoisonError::into_inner);
        content.len = content.len.max(len);
        Box::pin(ready(Ok(())))
    }

    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        self.content.write().unwrap_or_else(PoisonError::into_inner).cut(len);
        Box::pin(ready(Ok(())))
    }

    fn len(&self) -> OpFuture<'_, Result<u64>> {
        let len = self.content.read().unwrap_or_else(PoisonError::into_inner).len;
        Box::pin(ready(Ok(len)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;
    use weir_rt::{Rng, Rt};

    const NEW: OpenOptions = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
    const OLD: OpenOptions = OpenOptions { create: false, ..NEW };

    /// Random writes, cuts and growth over several pieces, against a vector.
    #[test]
    fn a_file_is_what_was_written() {
        let (rt, disk) = (Rt::real(), MemoryDisk::new());
        rt.block_on(async {
            let f = disk.open("f", NEW).await.unwrap();
            let (mut rng, mut model) = (Rng::new(5), Vec::new());
            for step in 0..300u32 {
                let at = rng.below(4 * PIECE as u64) as usize;
                match rng.below(5) {
                    0 => {
                        f.truncate(at as u64).await.unwrap();
                        model.resize(at, 0);
                    }
                    1 => {
                        f.allocate(at as u64, true).await.unwrap();
                        model.resize(model.len().max(at), 0);
                    }
                    _ => {
                        let bytes = vec![(step % 7) as u8; rng.below(PIECE as u64 + 99) as usize];
                        f.write(at as u64, IoBuf::of(&bytes)).await.1.unwrap();
                        model.resize(model.len().max(at + bytes.len()), 0);
                        model[at..at + bytes.len()].copy_from_slice(&bytes);
                    }
                }
                assert_eq!(f.len().await.unwrap(), model.len() as u64, "step {step}");
                let (back, done) = f.read(0, IoBuf::new(model.len())).await;
                done.unwrap();
                assert!(*back == model[..], "step {step}");
                let (_, beyond) = f.read(model.len() as u64, IoBuf::new(1)).await;
                assert!(beyond.is_err(), "step {step}");
            }
        });
    }

    #[test]
    fn names_are_made_moved_and_removed() {
        let (rt, disk) = (Rt::real(), MemoryDisk::new());
        rt.block_on(async {
            assert!(disk.open("redo/a", OLD).await.is_err_and(|e| e.is_missing()));
            let open = disk.open("redo/a", NEW).await.unwrap();
            open.write(0, IoBuf::of(b"x")).await.1.unwrap();
            let new = OpenOptions { create_new: true, ..NEW };
            assert!(disk.open("redo/a", new).await.is_err());
            disk.open("redo/b", new).await.unwrap();
            disk.open("other", new).await.unwrap();
            assert!(disk.exists("redo").await.unwrap() && !disk.exists("red").await.unwrap());
            disk.rename("redo/a", "redo/b").await.unwrap();
            assert_eq!(disk.list("redo").await.unwrap(), ["b"]);
            assert_eq!(disk.list("").await.unwrap(), ["other"]);
            // An open file goes on under its new name, and after its removal.
            assert_eq!(disk.open("redo/b", OLD).await.unwrap().len().await.unwrap(), 1);
            disk.remove("redo/b").await.unwrap();
            assert!(disk.remove("redo/b").await.is_err());
            assert_eq!(open.len().await.unwrap(), 1);
        });
    }
}
