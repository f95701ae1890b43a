//! Events: bytes of the owner's that ride in the group of a commit, and are brought from there into files of the owner's own.
//!
//! The log keeps them as it keeps all else: they are durable together with the commit or not at all. Anyone who follows the log
//! ([`Follower`]) finds those of groups that were published in [`Events`], in the order of the log, and is shown by recovery those of
//! groups behind the checkpoint.
//!
//! Invariants
//! - Events are in the queue before their group is published. So when the log is published, or durable, up to an LSN, the queue has
//!   had all events of groups that end at or below it.
//! - A checkpoint is written only after the follower has settled all events below it: what it has not in its files is in the log.

use super::Log;
use crate::error::Result;
use crate::ids::Lsn;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_rt::{Boxed, WaitQueue};

/// Bytes of events that wait to be followed at most; a commit beyond them waits before it begins.
const WAITING_MAX: usize = 64 << 20;

/// Brings events from the log into files.
pub trait Follower: Send + Sync {
    /// The queue that commits put their events into.
    fn events(&self) -> &Events;

    /// Events that recovery has met in the group that ends at `end`. They come in the order of the log, and may be known already.
    fn recovered<'a>(&'a self, end: Lsn, events: &'a [u8]) -> Boxed<'a, Result<()>>;

    /// True: the log is needed no more for events of groups that end at or below `lsn`, all of which are durable. False: not now, and
    /// somebody asks again. `stops`: nothing comes behind them, and it is an error where they cannot be settled.
    fn settle(&self, lsn: Lsn, stops: bool) -> Boxed<'_, Result<bool>>;
}

#[derive(Default)]
struct Waiting {
    /// By the end of their group.
    list: BTreeMap<Lsn, Vec<u8>>,
    bytes: usize,
}

/// Events of published groups that nobody has taken yet.
#[derive(Default)]
pub struct Events {
    waiting: Mutex<Waiting>,
    room: WaitQueue,
    released: AtomicU64,
    last: AtomicU64,
}

impl Events {
    fn put(&self, end: Lsn, events: Vec<u8>) {
        let mut w = self.waiting.lock();
        w.bytes += events.len();
        let before = w.list.insert(end, events);
        assert!(before.is_none(), "two groups end at {end}");
        self.last.fetch_max(end, Ordering::AcqRel);
    }

    /// Takes the first events whose group ends at or below `durable`.
    pub fn take(&self, durable: Lsn) -> Option<(Lsn, Vec<u8>)> {
        let taken = {
            let mut w = self.waiting.lock();
            let (end, _) = w.list.first_key_value()?;
            if *end > durable {
                return None;
            }
            let taken = w.list.pop_first();
            w.bytes -= taken.as_ref().map_or(0, |(_, e)| e.len());
            taken
        };
        if !self.room.idle() {
            self.room.wake_all();
        }
        taken
    }

    /// Looks at the events whose groups end at or below `durable`, in the order of the log.
    pub fn each_below(&self, durable: Lsn, mut look: impl FnMut(&[u8])) {
        self.waiting.lock().list.range(..=durable).for_each(|(_, events)| look(events));
    }

    /// Waits until commits have no more events waiting than there may be.
    pub async fn until_room(&self) {
        loop {
            // Registered before the look: anyone who takes events after it wakes this waiter.
            let wait = self.room.wait();
            if self.waiting.lock().bytes < WAITING_MAX {
                return;
            }
            wait.await;
        }
    }

    /// The end of the last group that has brought events.
    pub fn last(&self) -> Lsn {
        self.last.load(Ordering::Acquire)
    }

    /// All commits whose groups end at or below this LSN were made before anybody who asks now has all its locks, as far as they
    /// have events and have kept anybody from a lock.
    pub fn released(&self) -> Lsn {
        self.released.load(Ordering::Acquire)
    }

    /// The commit whose group ends here is about to release its locks.
    fn release(&self, end: Lsn) {
        self.released.fetch_max(end, Ordering::AcqRel);
    }
}

impl Log {
    /// From now on this one follows. There is one follower in the life of a log.
    pub fn follow(&self, follower: Arc<dyn Follower>) {
        let first = self.follower.set(follower).is_ok();
        assert!(first, "a log has one follower");
    }

    pub fn follower(&self) -> Option<&Arc<dyn Follower>> {
        self.follower.get()
    }

    /// The group that ends at `end` is reserved and not yet published.
    pub(crate) fn carry(&self, end: Lsn, events: Vec<u8>) {
        if let Some(f) = self.follower.get() {
            f.events().put(end, events);
        }
    }

    /// A commit with events is about to release its locks.
    pub(crate) fn release_events(&self, end: Lsn) {
        if let Some(f) = self.follower.get() {
            f.events().release(end);
        }
    }

    pub(super) async fn settle_events(&self, lsn: Lsn, stops: bool) -> Result<bool> {
        match self.follower.get() {
            Some(f) => f.settle(lsn, stops).await,
            None => Ok(true),
        }
    }

    /// Waits until a commit may add events.
    pub(crate) async fn events_room(&self) {
        if let Some(f) = self.follower.get() {
            f.events().until_room().await;
        }
    }

    /// Bytes of events that fit into the group of a commit together with what it writes itself.
    pub fn events_max(&self) -> usize {
        (self.grant_max() as usize / 4).min(1 << 20)
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_the_order_of_their_groups_once_they_are_durable() {
        let e = Events::default();
        for end in [300, 100, 200] {
            e.put(end, vec![0; end as usize]);
        }
        assert_eq!(e.take(99), None);
        let mut seen = Vec::new();
        e.each_below(200, |b| seen.push(b.len()));
        assert_eq!(seen, [100, 200]);
        assert_eq!(e.take(250).map(|t| t.0), Some(100));
        assert_eq!(e.take(250).map(|t| t.0), Some(200));
        assert_eq!(e.take(250), None);
        assert_eq!(e.take(300).map(|t| t.0), Some(300));
        assert_eq!(e.waiting.lock().bytes, 0);
        e.release(300);
        e.release(200);
        assert_eq!(e.released(), 300);
    }
}
