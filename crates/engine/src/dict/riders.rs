//! Entries, and events of the log, that ride with a session's next definition statement: they are written in the mini-transaction that is
//! its commit point.
//!
//! A replica writes so how far it has come. It cannot do that in a transaction, for a definition statement has none, and not behind it,
//! for a crash in between would run the statement a second time. A statement that is logged has its events written so. A replica with a
//! log of its own does both at once.
//!
//! Invariant: a rider is written with the first commit point of its session that comes while it is there, or not at all.

use super::{Change, kind};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::HashMap;
use std::sync::Arc;
use weir_rt::Actor;

/// What a rider is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Entry,
    /// For the group of the commit point, see `log::events`.
    Events,
}

#[derive(Default)]
struct Waiting {
    change: Option<Change>,
    events: Option<Vec<u8>>,
    /// Which parts were written.
    ridden: [bool; 2],
    riders: usize,
}

impl Waiting {
    fn forget(&mut self, part: Part) {
        match part {
            Part::Entry => self.change = None,
            Part::Events => self.events = None,
        }
    }
}

/// What waits, by the session's number.
#[derive(Default)]
struct Shared {
    waiting: Mutex<HashMap<u64, Waiting>>,
    /// How many wait, so that a statement of others looks at nothing else.
    count: AtomicUsize,
}

#[derive(Default)]
pub(super) struct Riders(Arc<Shared>);

/// An entry, or events, that wait for a definition statement of their session. They no longer do when this is dropped.
pub struct Rider {
    shared: Arc<Shared>,
    session: u64,
    part: Part,
}

impl Rider {
    /// It was written.
    pub fn has_ridden(&self) -> bool {
        let waiting = self.shared.waiting.lock();
        waiting.get(&self.session).is_some_and(|w| w.ridden[self.part as usize])
    }
}

impl Drop for Rider {
    fn drop(&mut self) {
        let mut all = self.shared.waiting.lock();
        let Some(waiting) = all.get_mut(&self.session) else { return };
        waiting.forget(self.part);
        waiting.riders -= 1;
        if waiting.riders == 0 {
            all.remove(&self.session);
            self.shared.count.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Riders {
    /// The session at hand has the entry written with its next definition statement; it has one at a time.
    pub(super) fn wait(&self, key: &[u8], value: Vec<u8>) -> Rider {
        let change = (super::key(kind::META, key), Some(value));
        self.enter(Part::Entry, |w| w.change = Some(change))
    }

    /// The same with events in place of an entry.
    pub(super) fn wait_with_events(&self, events: Vec<u8>) -> Rider {
        self.enter(Part::Events, |w| w.events = Some(events))
    }

    fn enter(&self, part: Part, put: impl FnOnce(&mut Waiting)) -> Rider {
        let session = Actor::current().id().unwrap_or(u64::MAX);
        let mut all = self.0.waiting.lock();
        let waiting = all.entry(session).or_default();
        put(waiting);
        waiting.ridden[part as usize] = false;
        waiting.riders += 1;
        if waiting.riders == 1 {
            self.0.count.fetch_add(1, Ordering::SeqCst);
        }
        Rider { shared: self.0.clone(), session, part }
    }

    /// What rides with anyone who acts on this thread: an entry, events.
    pub(super) fn of_current(&self) -> Option<(Option<Change>, Option<Vec<u8>>)> {
        if self.0.count.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let session = Actor::current().id()?;
        let waiting = self.0.waiting.lock();
        let of = waiting.get(&session)?;
        (of.change.is_some() || of.events.is_some()).then(|| (of.change.clone(), of.events.clone()))
    }

    /// What [`Riders::of_current`] gave is written.
    pub(super) fn has_ridden(&self) {
        let Some(session) = Actor::current().id() else { return };
        if let Some(w) = self.0.waiting.lock().get_mut(&session) {
            w.ridden = [w.ridden[0] || w.change.is_some(), w.ridden[1] || w.events.is_some()];
            (w.change, w.events) = (None, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_and_events_ride_together() {
        let riders = Riders::default();
        assert!(riders.of_current().is_none());
        let entry = riders.wait(b"k", vec![1]);
        let events = riders.wait_with_events(vec![2]);
        let (change, carried) = riders.of_current().expect("both wait");
        assert!(change.is_some() && carried == Some(vec![2]));
        assert!(!entry.has_ridden() && !events.has_ridden());
        riders.has_ridden();
        assert!(riders.of_current().is_none(), "a rider rides once");
        assert!(entry.has_ridden() && events.has_ridden());
        drop(events);
        assert!(entry.has_ridden());
        let late = riders.wait_with_events(vec![3]);
        assert_eq!(riders.of_current(), Some((None, Some(vec![3]))));
        drop(late);
        assert!(riders.of_current().is_none());
        drop(entry);
        assert_eq!(riders.0.count.load(Ordering::SeqCst), 0);
    }
}
