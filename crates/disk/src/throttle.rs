//! A slower device in front of another: a limit of random requests per second, a bandwidth, one request at a time.
//!
//! For measurements that must not depend on the machine: a disk of 2009 on today's, or the same disk in virtual time. A
//! request that does not begin where the last one ended costs a seek, every byte its share of the bandwidth. Writes of the
//! buffered modes cost nothing until they are synced; then each unbroken range is one request. A sync of nothing is free.
//! Reads are never taken from a cache. Reads go before writes, but of three requests one is a write if one waits: so does a
//! disk's scheduler, and neither side starves.
//!
//! Invariant: the device serves one request at a time, and anyone who ends hands over to the next; idle means nobody waits.

use crate::{Disk, File, IoBuf, Mode, OpFuture, OpenOptions, Result};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_rt::{Event, Nanos, Rt, WaitQueue};

/// A device in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Speed {
    /// Random requests of 16 KiB per second.
    pub iops: u64,
    pub bytes_per_second: u64,
}

impl Speed {
    /// A device of `iops` whose sequential bandwidth is that of a disk of 2009, or what the requests need if that is more.
    pub fn of_2009(iops: u64) -> Speed {
        Speed { iops: iops.max(1), bytes_per_second: (100 << 20).max(iops * 16384 * 2) }
    }

    fn transfer(&self, bytes: u64) -> u64 {
        (u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_per_second.max(1))) as u64
    }

    fn seek(&self) -> u64 {
        (1_000_000_000 / self.iops.max(1)).saturating_sub(self.transfer(16384))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Read,
    Write,
}

/// Reads in a row while a write waits.
const READS_FIRST: u32 = 2;

struct Head {
    busy: bool,
    /// When the last request ended or will end, by the device's own clock: a late timer costs the next one nothing.
    free_at: Nanos,
    /// File and offset behind the last request.
    at: (u64, u64),
    reads_in_a_row: u32,
}

struct Device {
    rt: Rt,
    speed: Mutex<Option<Speed>>,
    head: Mutex<Head>,
    reads: WaitQueue,
    writes: WaitQueue,
    /// A flush of the cache that has been asked for and not begun: it serves everybody who asks meanwhile.
    flush: Mutex<Option<Arc<Event>>>,
    next_file: AtomicU64,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The device is this request's; handed on when dropped.
struct Turn<'d>(&'d Device);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let d = self.0;
        let mut h = lock(&d.head);
        let write_first = h.reads_in_a_row >= READS_FIRST;
        let order = match write_first {
            true => [(&d.writes, Class::Write), (&d.reads, Class::Read)],
            false => [(&d.reads, Class::Read), (&d.writes, Class::Write)],
        };
        for (queue, class) in order {
            if queue.wake_one() {
                h.reads_in_a_row = if class == Class::Read { h.reads_in_a_row + 1 } else { 0 };
                return;
            }
        }
        h.busy = false;
        h.reads_in_a_row = 0;
    }
}

impl Device {
    async fn turn(&self, class: Class) -> Turn<'_> {
        let wait = {
            let mut h = lock(&self.head);
            match std::mem::replace(&mut h.busy, true) {
                false => None,
                // Registered under the lock under which the device is given away.
                true if class == Class::Read => Some(self.reads.wait()),
                true => Some(self.writes.wait()),
            }
        };
        if let Some(w) = wait {
            w.await;
        }
        Turn(self)
    }

    /// One request, from its arrival to its end.
    async fn serve(&self, class: Class, file: u64, off: u64, len: u64, arrived: Nanos) {
        let Some(speed) = *lock(&self.speed) else { return };
        let _turn = self.turn(class).await;
        self.spend(arrived, |h| {
            let seek = if h.at == (file, off) { 0 } else { speed.seek() };
            h.at = (file, off + len);
            seek + speed.transfer(len)
        })
        .await;
    }
}

impl Device {
    /// Empties the device's cache, for a file written around the system's: one request, shared as a kernel shares it.
    async fn flush(&self, arrived: Nanos) {
        let own = {
            let mut f = lock(&self.flush);
            match &*f {
                Some(queued) => Err(queued.clone()),
                None => Ok(f.insert(Arc::new(Event::new())).clone()),
            }
        };
        let done = match own {
            Err(queued) => return queued.wait().await,
            Ok(done) => done,
        };
        // The turn comes first: until then others may join.
        let Some(speed) = *lock(&self.speed) else {
            lock(&self.flush).take();
            return done.set();
        };
        let turn = self.turn(Class::Write).await;
        lock(&self.flush).take();
        self.spend(arrived, |h| {
            h.at = (0, 0);
            speed.seek()
        })
        .await;
        drop(turn);
        done.set();
    }

    /// Lets the time of a request pass; the caller has the turn.
    async fn spend(&self, arrived: Nanos, cost: impl FnOnce(&mut Head) -> u64) {
        let end = {
            let mut h = lock(&self.head);
            let nanos = cost(&mut h);
            h.free_at = h.free_at.max(arrived) + nanos;
            h.free_at
        };
        let now = self.rt.now();
        if end > now {
            self.rt.sleep(Duration::from_nanos(end - now)).await;
        }
    }
}

/// A data directory on a slower device.
pub struct ThrottledDisk {
    inner: Arc<dyn Disk>,
    device: Arc<Device>,
}

impl ThrottledDisk {
    pub fn new(rt: Rt, inner: Arc<dyn Disk>, speed: Option<Speed>) -> ThrottledDisk {
        let head = Head { busy: false, free_at: 0, at: (0, 0), reads_in_a_row: 0 };
        let device = Device {
            rt,
            speed: Mutex::new(speed),
            head: Mutex::new(head),
            reads: WaitQueue::new(),
            writes: WaitQueue::new(),
            flush: Mutex::new(None),
            next_file: AtomicU64::new(1),
        };
        ThrottledDisk { inner, device: Arc::new(device) }
    }

    /// From the next request on; `None`: as fast as the device behind it.
    pub fn set_speed(&self, speed: Option<Speed>) {
        *lock(&self.device.speed) = speed;
    }
}

impl ThrottledDisk {
    fn throttled(&self, inner: Arc<dyn File>, o: OpenOptions) -> Arc<dyn File> {
        Arc::new(ThrottledFile {
            inner,
            device: self.device.clone(),
            id: self.device.next_file.fetch_add(1, Ordering::Relaxed),
            mode: o.mode,
            unsynced: Mutex::default(),
        })
    }
}

impl Disk for ThrottledDisk {
    fn open<'a>(&'a self, path: &'a str, o: OpenOptions) -> OpFuture<'a, Result<Arc<dyn File>>> {
        Box::pin(async move { Ok(self.throttled(self.inner.open(path, o).await?, o)) })
    }

    fn open_needed<'a>(
        &'a self,
        path: &'a str,
        o: OpenOptions,
    ) -> OpFuture<'a, Result<Arc<dyn File>>> {
        Box::pin(async move { Ok(self.throttled(self.inner.open_needed(path, o).await?, o)) })
    }

    fn list<'a>(&'a self, dir: &'a str) -> OpFuture<'a, Result<Vec<String>>> {
        self.inner.list(dir)
    }

    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Result<()>> {
        self.inner.rename(from, to)
    }

    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        self.inner.remove(path)
    }

    fn create_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        self.inner.create_dir(path)
    }

    fn sync_dir<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<()>> {
        Box::pin(async move {
            self.device.serve(Class::Write, 0, 1, 0, self.device.rt.now()).await;
            self.inner.sync_dir(path).await
        })
    }

    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, Result<bool>> {
        self.inner.exists(path)
    }

    fn describe(&self) -> String {
        let Some(speed) = *lock(&self.device.speed) else { return self.inner.describe() };
        format!(
            "{}, slowed down to {} random requests and {} MiB a second",
            self.inner.describe(),
            speed.iops,
            speed.bytes_per_second >> 20
        )
    }
}

/// Ranges written and not synced: start and end of each, none touching another.
#[derive(Default)]
struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    fn add(&mut self, off: u64, len: u64) {
        let (mut start, mut end) = (off, off + len);
        while let Some((&s, &e)) = self.0.range(..=end).next_back().filter(|(_, e)| **e >= start) {
            self.0.remove(&s);
            (start, end) = (start.min(s), end.max(e));
        }
        self.0.insert(start, end);
    }
}

/// The requests of a batch as they reach a device: neighbours, given in order, are one. All wait at the device from the
/// beginning, so nothing is idle between them.
fn joined(batch: &[(u64, IoBuf)]) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = Vec::with_capacity(batch.len());
    for (off, buf) in batch {
        match all.last_mut() {
            Some((start, len)) if *start + *len == *off => *len += buf.len() as u64,
            _ => all.push((*off, buf.len() as u64)),
        }
    }
    all
}

struct ThrottledFile {
    inner: Arc<dyn File>,
    device: Arc<Device>,
    id: u64,
    mode: Mode,
    /// Of the buffered modes the ranges, of `Direct` only that there are some.
    unsynced: Mutex<Ranges>,
}

impl ThrottledFile {
    async fn wrote(&self, off: u64, len: u64, arrived: Nanos) {
        if self.mode != Mode::Buffered {
            self.device.serve(Class::Write, self.id, off, len, arrived).await;
        }
        match self.mode {
            Mode::Buffered => lock(&self.unsynced).add(off, len),
            Mode::Direct => lock(&self.unsynced).add(0, 1),
            Mode::Dsync | Mode::DirectDsync => {}
        }
    }
}

/// Each operation is done first and then takes its time, counted from its arrival: what the device behind took is not added.
impl File for ThrottledFile {
    fn read(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            let (arrived, len) = (self.device.rt.now(), buf.len() as u64);
            let done = self.inner.read(off, buf).await;
            self.device.serve(Class::Read, self.id, off, len, arrived).await;
            done
        })
    }

    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Result<()>)> {
        Box::pin(async move {
            let (arrived, len) = (self.device.rt.now(), buf.len() as u64);
            let done = self.inner.write(off, buf).await;
            self.wrote(off, len, arrived).await;
            done
        })
    }

    fn read_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            let (arrived, requests) = (self.device.rt.now(), joined(&batch));
            let done = self.inner.read_all(batch).await;
            for (off, len) in requests {
                self.device.serve(Class::Read, self.id, off, len, arrived).await;
            }
            done
        })
    }

    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Result<()>)> {
        Box::pin(async move {
            let (arrived, requests) = (self.device.rt.now(), joined(&batch));
            let done = self.inner.write_all(batch).await;
            for (off, len) in requests {
                self.wrote(off, len, arrived).await;
            }
            done
        })
    }

    fn sync(&self) -> OpFuture<'_, Result<()>> {
        Box::pin(async move {
            let arrived = self.device.rt.now();
            let ranges = std::mem::take(&mut *lock(&self.unsynced));
            let done = self.inner.sync().await;
            if self.mode == Mode::Direct {
                if !ranges.0.is_empty() {
                    self.device.flush(arrived).await;
                }
                return done;
            }
            for (start, end) in ranges.0 {
                self.device.serve(Class::Write, self.id, start, end - start, arrived).await;
            }
            done
        })
    }

    fn allocate(&self, len: u64, zero: bool) -> OpFuture<'_, Result<()>> {
        self.inner.allocate(len, zero)
    }

    fn truncate(&self, len: u64) -> OpFuture<'_, Result<()>> {
        self.inner.truncate(len)
    }

    fn len(&self) -> OpFuture<'_, Result<u64>> {
        self.inner.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimDisk;
    use weir_rt::sim::SimRt;

    const PAGE: usize = 16384;

    async fn file(rt: &Rt, mode: Mode) -> Arc<dyn File> {
        let disk =
            ThrottledDisk::new(rt.clone(), Arc::new(SimDisk::new(rt.clone(), 1)), Some(SPEED));
        let o = OpenOptions { create: true, create_new: false, mode };
        disk.open("f", o).await.unwrap()
    }

    const SPEED: Speed = Speed { iops: 200, bytes_per_second: 100 << 20 };

    fn seconds(rt: &Rt, from: Nanos) -> f64 {
        (rt.now() - from) as f64 / 1e9
    }

    fn page() -> IoBuf {
        let mut b = IoBuf::new(PAGE);
        b.fill(7);
        b
    }

    #[test]
    fn random_and_sequential_writes_take_their_time() {
        let sim = SimRt::new(3);
        let rt = sim.rt();
        sim.run(async move {
            let f = file(&rt, Mode::Direct).await;
            let begun = rt.now();
            for i in 0..100u64 {
                f.write(i * 37 % 100 * 2 * PAGE as u64, page()).await.1.unwrap();
            }
            let random = seconds(&rt, begun);
            assert!((0.49..0.56).contains(&random), "{random} s for 100 at 200 a second");
            let begun = rt.now();
            let batch = (0..640u64).map(|i| (i * PAGE as u64, page())).collect();
            f.write_all(batch).await.1.unwrap();
            let sequential = seconds(&rt, begun);
            assert!((0.09..0.2).contains(&sequential), "{sequential} s for 10 MiB");
        })
        .unwrap();
    }

    #[test]
    fn buffered_writes_cost_at_the_sync() {
        let sim = SimRt::new(3);
        let rt = sim.rt();
        sim.run(async move {
            let f = file(&rt, Mode::Buffered).await;
            let begun = rt.now();
            for i in 0..200u64 {
                f.write(i * 512, IoBuf::new(512)).await.1.unwrap();
            }
            assert!(seconds(&rt, begun) < 0.1);
            let begun = rt.now();
            f.sync().await.unwrap();
            assert!((0.004..0.02).contains(&seconds(&rt, begun)), "{}", seconds(&rt, begun));
            let begun = rt.now();
            f.sync().await.unwrap();
            assert!(seconds(&rt, begun) < 0.004, "a sync of nothing is free");
        })
        .unwrap();
    }

    #[test]
    fn reads_go_before_a_batch_of_writes_but_do_not_starve_it() {
        let sim = SimRt::new(3);
        let rt = sim.rt();
        sim.run(async move {
            let f = file(&rt, Mode::Direct).await;
            f.allocate(PAGE as u64 * 4000, true).await.unwrap();
            let (g, clock) = (f.clone(), rt.clone());
            let begun = rt.now();
            let writer = rt.spawn("w", async move {
                let batch = (0..100u64).map(|i| (i * 2 * PAGE as u64, page())).collect();
                g.write_all(batch).await.1.unwrap();
                seconds(&clock, begun)
            });
            let mut longest: f64 = 0.0;
            for i in 0..100u64 {
                let begun = rt.now();
                f.read(i * 38 * PAGE as u64, IoBuf::new(PAGE)).await.1.unwrap();
                longest = longest.max(seconds(&rt, begun));
            }
            // One write of 5 ms may be in front of it.
            assert!(longest < 0.012, "a read took {longest} s");
            let w = writer.await;
            assert!((0.5..1.2).contains(&w), "the writes took {w} s");
        })
        .unwrap();
    }

    #[test]
    fn neighbours_of_a_batch_are_one_request() {
        let sim = SimRt::new(3);
        let rt = sim.rt();
        sim.run(async move {
            let f = file(&rt, Mode::Direct).await;
            f.allocate(PAGE as u64 * 4000, true).await.unwrap();
            let (g, clock) = (f.clone(), rt.clone());
            let begun = rt.now();
            let writer = rt.spawn("w", async move {
                let batch = (0..100u64).map(|i| (i / 10 * 30 + i % 10, page()));
                let batch = batch.map(|(no, b)| (no * PAGE as u64, b)).collect();
                g.write_all(batch).await.1.unwrap();
                seconds(&clock, begun)
            });
            // Reads between the writes move the head, and would make each page of a run seek.
            for i in 0..30u64 {
                f.read(i * 38 * PAGE as u64, IoBuf::new(PAGE)).await.1.unwrap();
            }
            let w = writer.await;
            assert!((0.05..0.25).contains(&w), "ten runs of ten pages took {w} s");
        })
        .unwrap();
    }

    #[test]
    fn ranges_melt_together() {
        let mut r = Ranges::default();
        for (off, len) in [(0, 10), (20, 10), (10, 5), (15, 5), (40, 1), (25, 20)] {
            r.add(off, len);
        }
        assert_eq!(r.0.into_iter().collect::<Vec<_>>(), [(0, 45)]);
    }
}
