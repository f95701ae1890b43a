//! A memory in front of a device that takes writes: a drive's own, or a controller's with a battery.
//!
//! A write is done when it is in the memory, and goes on to the device behind by itself. Writes are let in in their order, large ones in
//! parts, so that small ones cannot keep a large one out. Writes of the same place that still wait there are one. Reads pass by: what a
//! database reads again it has in its own pool.

use super::{Device, Request, Served};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_rt::{Event, Rt, WaitQueue};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    pub bytes: u64,
    /// Its contents outlive a power failure, so a flush has nothing to do.
    pub battery: bool,
    /// Microseconds that a write into it takes.
    pub write: f64,
    /// Writes that it has under way at the device behind: a drive's own cache leaves the queue to the reads.
    pub depth: usize,
}

/// Neighbours go on together up to so many bytes.
const TOGETHER: u64 = 1 << 20;

/// A write in the memory: its length, and its number.
#[derive(Clone, Copy)]
struct Kept {
    bytes: u64,
    number: u64,
}

#[derive(Default)]
struct State {
    /// Bytes in it, on their way or not.
    used: u64,
    /// What waits to go on, by its place.
    waiting: BTreeMap<u64, Kept>,
    under_way: usize,
    /// Numbers of the writes that the device behind does not have yet.
    open: BTreeSet<u64>,
    next: u64,
    /// Where the last write that went on ended: the next is behind it, so that the arms sweep.
    cursor: u64,
    /// A write is being let in, and these are the next ones in their order: one that comes later must not pass them.
    door: bool,
    line: VecDeque<Arc<Event>>,
}

/// Neighbours that go on as one write.
struct Batch {
    request: Request,
    numbers: Vec<u64>,
}

impl State {
    fn next_batch(&mut self) -> Option<Batch> {
        let behind =
            self.waiting.range(self.cursor..).next().or_else(|| self.waiting.iter().next());
        let at = *behind?.0;
        let first = self.waiting.remove(&at)?;
        let (mut bytes, mut numbers) = (first.bytes, vec![first.number]);
        while bytes < TOGETHER {
            let Some(more) = self.waiting.remove(&(at + bytes)) else { break };
            bytes += more.bytes;
            numbers.push(more.number);
        }
        self.cursor = at + bytes;
        Some(Batch { request: Request { at, bytes, write: true }, numbers })
    }

    /// Takes a write if there is room.
    fn take(&mut self, r: Request, room: u64) -> bool {
        let known = self.waiting.get(&r.at).copied();
        let more = r.bytes.saturating_sub(known.map_or(0, |k| k.bytes));
        if self.used + more > room && self.used > 0 {
            return false;
        }
        self.used += more;
        let kept = known.unwrap_or_else(|| {
            self.next += 1;
            self.open.insert(self.next);
            Kept { bytes: 0, number: self.next }
        });
        self.waiting.insert(r.at, Kept { bytes: kept.bytes.max(r.bytes), ..kept });
        true
    }
}

pub struct Cached {
    rt: Rt,
    cache: Cache,
    behind: Arc<dyn Device>,
    state: Mutex<State>,
    /// Anyone who waits for room, or for writes to have gone on.
    changed: WaitQueue,
    this: std::sync::Weak<Cached>,
}

impl Cached {
    pub fn new(rt: &Rt, cache: Cache, behind: Arc<dyn Device>) -> Arc<Cached> {
        Arc::new_cyclic(|this| Cached {
            rt: rt.clone(),
            cache,
            behind,
            state: Mutex::default(),
            changed: WaitQueue::new(),
            this: this.clone(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends on what waits, as much as may be under way.
    fn go_on(&self) {
        loop {
            let batch = {
                let mut s = self.lock();
                if s.under_way >= self.cache.depth {
                    return;
                }
                let Some(batch) = s.next_batch() else { return };
                s.under_way += 1;
                batch
            };
            let Some(this) = self.this.upgrade() else { return };
            self.rt.spawn("cache", async move {
                this.behind.serve(batch.request).await;
                {
                    let mut s = this.lock();
                    s.used -= batch.request.bytes;
                    s.under_way -= 1;
                    batch.numbers.iter().for_each(|n| _ = s.open.remove(n));
                }
                this.changed.wake_all();
                this.go_on();
            });
        }
    }

    async fn enter(&self) {
        let before = {
            let mut s = self.lock();
            let free = !std::mem::replace(&mut s.door, true);
            (!free).then(|| {
                let turn = Arc::<Event>::default();
                s.line.push_back(turn.clone());
                turn
            })
        };
        if let Some(turn) = before {
            turn.wait().await;
        }
    }

    /// The door goes to the next one, or is free.
    fn leave(&self) {
        let mut s = self.lock();
        match s.line.pop_front() {
            Some(next) => next.set(),
            None => s.door = false,
        }
    }

    async fn write(&self, r: Request) {
        self.enter().await;
        let part = (self.cache.bytes / 8).max(4096);
        let mut at = r.at;
        while at < r.at + r.bytes {
            let bytes = part.min(r.at + r.bytes - at);
            loop {
                let room = self.changed.wait();
                if self.lock().take(Request { at, bytes, write: true }, self.cache.bytes) {
                    break;
                }
                room.await;
            }
            at += bytes;
            self.go_on();
        }
        self.leave();
        self.rt.sleep(Duration::from_nanos((self.cache.write * 1e3) as u64)).await;
    }

    /// Waits for the writes that were let in before.
    async fn empty(&self) {
        let last = self.lock().next;
        loop {
            let changed = self.changed.wait();
            if self.lock().open.first().is_none_or(|n| *n > last) {
                break;
            }
            changed.await;
        }
        self.behind.flush().await;
    }
}

impl Device for Cached {
    fn serve(&self, r: Request) -> Served<'_> {
        match r.write {
            true => Box::pin(self.write(r)),
            false => self.behind.serve(r),
        }
    }

    fn flush(&self) -> Served<'_> {
        match self.cache.battery {
            true => Box::pin(async {}),
            false => Box::pin(self.empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::drive::Spindle;
    use crate::machine::presets::SATA_7200;
    use weir_rt::Rng;
    use weir_rt::sim::SimRt;

    const SMALL: Cache = Cache { bytes: 256 << 10, battery: false, write: 100.0, depth: 4 };

    /// Small writes that never end beside a large one, and a flush.
    #[test]
    fn a_large_write_and_a_flush_end_beside_small_ones() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            let c = Cached::new(&rt, SMALL, Spindle::start(&rt, SATA_7200));
            for n in 0..8 {
                let c = c.clone();
                rt.spawn("small", async move {
                    let mut rng = Rng::new(n);
                    loop {
                        let at = (1 << 30) + rng.below(1 << 16) * 16384;
                        c.serve(Request { at, bytes: 16384, write: true }).await;
                    }
                });
            }
            rt.sleep(Duration::from_secs(5)).await;
            let begun = rt.now();
            c.serve(Request { at: 0, bytes: 512 << 10, write: true }).await;
            let large = rt.now() - begun;
            assert!(large < 3_000_000_000, "half a megabyte took {large} ns");
            c.flush().await;
            assert!(rt.now() - begun < 6_000_000_000, "the flush took {} ns", rt.now() - begun);
            assert!(c.lock().used <= SMALL.bytes);
        })
        .unwrap();
    }

    #[test]
    fn what_is_flushed_is_on_the_platters() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async {
            let c = Cached::new(&rt, SMALL, Spindle::start(&rt, SATA_7200));
            for n in 0..10 {
                c.serve(Request { at: n * 65536, bytes: 4096, write: true }).await;
            }
            assert!(!c.lock().open.is_empty());
            c.flush().await;
            let s = c.lock();
            assert!(s.open.is_empty() && s.used == 0 && s.waiting.is_empty());
        })
        .unwrap();
    }
}
