//! A memory in front of a device that takes writes: a drive's own, or a controller's with a battery.
//!
//! A write is done when it is in the memory, and goes on to the device behind by itself; a full memory makes it wait. Writes of the same
//! place that still wait there are one. Reads pass by: what a database reads again it has in its own pool.

use super::{Device, Request, Served};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_rt::{Rt, WaitQueue};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    pub bytes: u64,
    /// Its contents outlive a power failure, so a flush has nothing to do.
    pub battery: bool,
    /// Microseconds that a write into it takes.
    pub write: f64,
}

struct State {
    /// Bytes in it, on their way or not.
    used: u64,
    /// What waits to go on: begin and length.
    waiting: BTreeMap<u64, u64>,
    under_way: usize,
    /// Where the last write that went on ended: the next is behind it, so that the arms sweep.
    cursor: u64,
}

impl State {
    /// What goes on next: the writes that lie one behind the other from the first one behind the cursor.
    fn next(&mut self) -> Option<(u64, u64)> {
        let behind =
            self.waiting.range(self.cursor..).next().or_else(|| self.waiting.iter().next());
        let at = *behind?.0;
        let mut bytes = self.waiting.remove(&at)?;
        while bytes < TOGETHER {
            let Some(more) = self.waiting.remove(&(at + bytes)) else { break };
            bytes += more;
        }
        self.cursor = at + bytes;
        Some((at, bytes))
    }
}

/// Writes that a cache has under way at the device behind, which puts them into the order that suits it.
const UNDER_WAY: usize = 64;
/// Neighbours go on together up to so many bytes.
const TOGETHER: u64 = 1 << 20;

pub struct Cached {
    rt: Rt,
    cache: Cache,
    behind: Arc<dyn Device>,
    state: Mutex<State>,
    /// Whoever waits for room, or for everything to be written.
    changed: WaitQueue,
    this: std::sync::Weak<Cached>,
}

impl Cached {
    pub fn new(rt: &Rt, cache: Cache, behind: Arc<dyn Device>) -> Arc<Cached> {
        let state = State { used: 0, waiting: BTreeMap::new(), under_way: 0, cursor: 0 };
        Arc::new_cyclic(|this| Cached {
            rt: rt.clone(),
            cache,
            behind,
            state: Mutex::new(state),
            changed: WaitQueue::new(),
            this: this.clone(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a write if there is room.
    fn take(&self, r: Request) -> bool {
        let mut s = self.lock();
        let known = s.waiting.get(&r.at).copied();
        let more = r.bytes.saturating_sub(known.unwrap_or(0));
        if s.used + more > self.cache.bytes && s.used > 0 {
            return false;
        }
        s.used += more;
        s.waiting.insert(r.at, known.unwrap_or(0).max(r.bytes));
        true
    }

    /// Sends on what waits, as much as may be under way.
    fn go_on(&self) {
        loop {
            let (at, bytes) = {
                let mut s = self.lock();
                if s.under_way >= UNDER_WAY {
                    return;
                }
                let Some((at, bytes)) = s.next() else { return };
                s.under_way += 1;
                (at, bytes)
            };
            let Some(this) = self.this.upgrade() else { return };
            self.rt.spawn("cache", async move {
                this.behind.serve(Request { at, bytes, write: true }).await;
                {
                    let mut s = this.lock();
                    s.used -= bytes;
                    s.under_way -= 1;
                }
                this.changed.wake_all();
                this.go_on();
            });
        }
    }

    async fn write(&self, r: Request) {
        loop {
            let room = self.changed.wait();
            if self.take(r) {
                break;
            }
            room.await;
        }
        self.go_on();
        self.rt.sleep(Duration::from_nanos((self.cache.write * 1e3) as u64)).await;
    }

    async fn empty(&self) {
        loop {
            let changed = self.changed.wait();
            if self.lock().used == 0 {
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
