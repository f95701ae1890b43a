//! Entries, and events of the log, that ride with a session's next definition statement: they are written in the mini-transaction that is
//! its commit point.
//!
//! A replica writes so how far it has come. It cannot do that in a transaction, for a definition statement has none, and not behind it,
//! for a crash in between would run the statement a second time.
//!
//! Invariant: a rider is written with the first commit point of its session that comes while it is there, or not at all.

use super::{Change, kind};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::HashMap;
use std::sync::Arc;
use weir_rt::Actor;

#[derive(Default)]
struct Waiting {
    change: Option<Change>,
    /// Events for the group of the commit point, see `log::events`.
    events: Option<Vec<u8>>,
    ridden: bool,
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

/// An entry that waits for a definition statement of its session. It no longer does when this is dropped.
pub struct Rider {
    shared: Arc<Shared>,
    session: u64,
}

impl Rider {
    /// The entry was written.
    pub fn has_ridden(&self) -> bool {
        self.shared.waiting.lock().get(&self.session).is_some_and(|w| w.ridden)
    }
}

impl Drop for Rider {
    fn drop(&mut self) {
        if self.shared.waiting.lock().remove(&self.session).is_some() {
            self.shared.count.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Riders {
    /// The session at hand has the entry written with its next definition statement; it has one at a time.
    pub(super) fn wait(&self, key: &[u8], value: Vec<u8>) -> Rider {
        let session = Actor::current().id().unwrap_or(u64::MAX);
        let change = Some((super::key(kind::META, key), Some(value)));
        self.enter(session, Waiting { change, ..Waiting::default() })
    }

    /// The same with events in place of an entry.
    pub(super) fn wait_with_events(&self, events: Vec<u8>) -> Rider {
        let session = Actor::current().id().unwrap_or(u64::MAX);
        self.enter(session, Waiting { events: Some(events), ..Waiting::default() })
    }

    fn enter(&self, session: u64, waiting: Waiting) -> Rider {
        if self.0.waiting.lock().insert(session, waiting).is_none() {
            self.0.count.fetch_add(1, Ordering::SeqCst);
        }
        Rider { shared: self.0.clone(), session }
    }

    /// What rides with anyone who acts on this thread: an entry, events.
    pub(super) fn of_current(&self) -> Option<(Option<Change>, Option<Vec<u8>>)> {
        if self.0.count.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let session = Actor::current().id()?;
        let waiting = self.0.waiting.lock();
        let of = waiting.get(&session).filter(|w| !w.ridden)?;
        Some((of.change.clone(), of.events.clone()))
    }

    pub(super) fn has_ridden(&self) {
        let Some(session) = Actor::current().id() else { return };
        if let Some(w) = self.0.waiting.lock().get_mut(&session) {
            *w = Waiting { ridden: true, ..Waiting::default() };
        }
    }
}
