//! Many reads or writes of one file at once: sorted, neighbours joined into one vectored call, spread over io_uring or
//! the thread pool and the caller's own thread.

use super::again::patiently;
use super::{Opened, pool};
use crate::{DiskError, IoBuf, Result};
use std::future::poll_fn;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dir {
    Read,
    Write,
}

/// Buffers in one vectored call; the kernel's limit is 1024.
const MAX_JOIN: usize = 64;

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn read_exact(fd: BorrowedFd<'_>, mut off: u64, mut buf: &mut [u8]) -> io::Result<()> {
    while !buf.is_empty() {
        match patiently(|| rustix::io::pread(fd, &mut *buf, off)) {
            Ok(0) => {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the file ends before the last byte asked for",
                ));
            }
            Ok(n) => {
                buf = &mut buf[n..];
                off += n as u64;
            }
            Err(e) => return Err(super::os(e)),
        }
    }
    Ok(())
}

/// Neighbouring slices to be written by one call.
pub struct Run<'a> {
    off: u64,
    parts: Vec<IoSlice<'a>>,
}

impl<'a> Run<'a> {
    pub fn one(off: u64, bytes: &'a [u8]) -> Run<'a> {
        Run { off, parts: vec![IoSlice::new(bytes)] }
    }

    /// `len` bytes, each part of them the same zeros.
    pub fn zeros(off: u64, len: usize, zeros: &'a [u8]) -> Run<'a> {
        let whole = std::iter::repeat_n(zeros, len / zeros.len());
        let rest = &zeros[..len % zeros.len()];
        let parts = whole.chain((!rest.is_empty()).then_some(rest)).map(IoSlice::new).collect();
        Run { off, parts }
    }

    pub fn write(&mut self, fd: BorrowedFd<'_>) -> io::Result<()> {
        let mut parts = &mut self.parts[..];
        let mut off = self.off;
        while parts.iter().any(|p| !p.is_empty()) {
            match patiently(|| rustix::io::pwritev(fd, parts, off)) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero)),
                Ok(n) => {
                    off += n as u64;
                    IoSlice::advance_slices(&mut parts, n);
                }
                Err(e) => return Err(super::os(e)),
            }
        }
        Ok(())
    }
}

/// One operation of a batch: its place in the caller's order, where, what.
pub struct Item {
    pub place: usize,
    pub off: u64,
    pub buf: IoBuf,
}

/// Splits a batch, sorted by offset, into runs of neighbours.
pub fn split(batch: Vec<(u64, IoBuf)>) -> Vec<Vec<Item>> {
    let mut items: Vec<Item> =
        batch.into_iter().enumerate().map(|(place, (off, buf))| Item { place, off, buf }).collect();
    items.sort_by_key(|i| i.off);
    let mut runs: Vec<Vec<Item>> = Vec::new();
    for item in items {
        match runs.last_mut() {
            Some(run)
                if run.len() < MAX_JOIN
                    && run.last().is_some_and(|l| l.off + l.buf.len() as u64 == item.off) =>
            {
                run.push(item);
            }
            _ => runs.push(vec![item]),
        }
    }
    runs
}

pub fn execute(f: &Opened, run: &mut [Item], dir: Dir) -> Result<()> {
    let Some(first) = run.first() else { return Ok(()) };
    let (off, n) = (first.off, run.iter().map(|i| i.buf.len()).sum());
    let done = match dir {
        Dir::Write => Run { off, parts: run.iter().map(|i| IoSlice::new(&i.buf)).collect() }
            .write(f.fd.as_fd()),
        Dir::Read => read_run(f.fd.as_fd(), off, run),
    };
    let op = if dir == Dir::Read { "read" } else { "write" };
    done.map_err(|e| f.fail(op, e).at(off, n))
}

/// One vectored call for the common case; whatever it left is read piece by piece.
fn read_run(fd: BorrowedFd<'_>, off: u64, run: &mut [Item]) -> io::Result<()> {
    let got = {
        let mut parts: Vec<IoSliceMut<'_>> =
            run.iter_mut().map(|i| IoSliceMut::new(&mut i.buf)).collect();
        rustix::io::preadv(fd, &mut parts, off).unwrap_or(0)
    };
    let mut before = 0;
    for i in run {
        let n = i.buf.len();
        let have = got.saturating_sub(before).min(n);
        read_exact(fd, i.off + have as u64, &mut i.buf[have..])?;
        before += n;
    }
    Ok(())
}

/// A batch that several threads work on.
struct Work {
    file: Arc<Opened>,
    dir: Dir,
    runs: Vec<Mutex<Vec<Item>>>,
    next: AtomicUsize,
    left: Mutex<(usize, Option<DiskError>, Option<Waker>)>,
}

impl Work {
    /// Takes runs until there are none.
    fn help(&self) {
        loop {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = self.runs.get(i) else { return };
            let done = execute(&self.file, &mut lock(run), self.dir);
            let waker = {
                let mut left = lock(&self.left);
                left.0 -= 1;
                if let Err(e) = done {
                    left.1.get_or_insert(e);
                }
                if left.0 == 0 { left.2.take() } else { None }
            };
            if let Some(w) = waker {
                w.wake();
            }
        }
    }
}

fn in_order(n: usize, runs: impl Iterator<Item = Vec<Item>>) -> Vec<IoBuf> {
    let mut back: Vec<Option<IoBuf>> = (0..n).map(|_| None).collect();
    for item in runs.flatten() {
        back[item.place] = Some(item.buf);
    }
    back.into_iter().map(|b| b.unwrap_or_else(|| IoBuf::new(0))).collect()
}

pub async fn run(
    file: Arc<Opened>,
    batch: Vec<(u64, IoBuf)>,
    dir: Dir,
) -> (Vec<IoBuf>, Result<()>) {
    let n = batch.len();
    let mut runs = split(batch);
    if let Some(u) = &file.disk.uring
        && runs.len() > 1
    {
        let (runs, done) = u.run(file.clone(), runs, dir).await;
        return (in_order(n, runs.into_iter()), done);
    }
    let here = weir_rt::on_dedicated_thread();
    if runs.len() <= 1 && here {
        let done = runs.first_mut().map_or(Ok(()), |r| execute(&file, r, dir));
        return (in_order(n, runs.into_iter()), done);
    }
    let count = runs.len();
    let work = Arc::new(Work {
        file: file.clone(),
        dir,
        runs: runs.into_iter().map(Mutex::new).collect(),
        next: AtomicUsize::new(0),
        left: Mutex::new((count, None, None)),
    });
    let helpers = if here { count - 1 } else { count };
    for _ in 0..helpers.min(pool::THREADS) {
        let w = work.clone();
        file.disk.pool.push(Box::new(move || w.help()));
    }
    if here {
        work.help();
    }
    let failed = poll_fn(|cx| {
        let mut left = lock(&work.left);
        if left.0 == 0 {
            return Poll::Ready(left.1.take());
        }
        left.2 = Some(cx.waker().clone());
        Poll::Pending
    })
    .await;
    let runs = work.runs.iter().map(|r| std::mem::take(&mut *lock(r)));
    (in_order(n, runs), failed.map_or(Ok(()), Err))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_joined_and_gaps_are_kept() {
        let at = |offs: &[u64]| offs.iter().map(|&o| (o, IoBuf::new(512))).collect::<Vec<_>>();
        let runs = split(at(&[1024, 0, 512, 4096, 4608, 9000]));
        let shape: Vec<Vec<(usize, u64)>> =
            runs.iter().map(|r| r.iter().map(|i| (i.place, i.off)).collect()).collect();
        assert_eq!(
            shape,
            [vec![(1, 0), (2, 512), (0, 1024)], vec![(3, 4096), (4, 4608)], vec![(5, 9000)]]
        );
        let long: Vec<u64> = (0..150).map(|i| i * 512).collect();
        assert_eq!(split(at(&long)).iter().map(Vec::len).collect::<Vec<_>>(), [64, 64, 22]);
    }
}
