//! Events between the thread that receives and the one that applies, bounded in bytes.
//!
//! Invariant: what the applier gets is the source's stream from where it stands itself, without a gap. When the receiver begins a new
//! connection it empties the queue and waits until the applier has given up what it had begun of a transaction ([`Queue::restart`]).

use crate::lock;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_binlog::Format;

/// Bytes that wait at most; one event may be larger.
const LIMIT: usize = 64 << 20;
/// How often a thread that waits looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(200);

/// An event, as its bytes with header and checksum.
#[derive(Clone, Debug)]
pub struct Item {
    pub event: Arc<[u8]>,
    pub format: Arc<Format>,
    /// The file of the source that it stands in.
    pub file: Arc<str>,
}

#[derive(Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    /// Connections of the receiver, and how many of them the applier knows.
    begun: u64,
    known: u64,
    applies: bool,
}

#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

/// What the applier gets.
pub enum Next {
    Item(Item),
    /// The stream begins again where the applier's last transaction ended.
    Restart,
    Stopped,
}

impl Queue {
    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let waited = self.changed.wait_timeout(state, LOOK);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Adds an event when there is room. False: the receiver is to stop.
    pub fn push(&self, item: Item, stopped: &dyn Fn() -> bool) -> bool {
        let mut s = lock(&self.state);
        while s.bytes >= LIMIT {
            if stopped() {
                return false;
            }
            s = self.wait(s);
        }
        s.bytes += item.event.len();
        s.items.push_back(item);
        self.changed.notify_all();
        true
    }

    /// Empties the queue for a new connection, and waits for the applier, where one is at work. False: the receiver is to stop.
    pub fn restart(&self, stopped: &dyn Fn() -> bool) -> bool {
        let mut s = lock(&self.state);
        s.begun += 1;
        s.items.clear();
        s.bytes = 0;
        self.changed.notify_all();
        while s.applies && s.known < s.begun {
            if stopped() {
                return false;
            }
            s = self.wait(s);
        }
        s.known = s.begun;
        true
    }

    /// The applier is at work, or no longer. One that begins has begun no transaction, so it waits for a new connection's events.
    pub fn applies(&self, on: bool) {
        let mut s = lock(&self.state);
        s.applies = on;
        self.changed.notify_all();
    }

    /// The next event, waited for.
    pub fn next(&self, stopped: &dyn Fn() -> bool, idle: &dyn Fn()) -> Next {
        let mut s = lock(&self.state);
        loop {
            if stopped() {
                return Next::Stopped;
            }
            if s.known < s.begun {
                s.known = s.begun;
                self.changed.notify_all();
                return Next::Restart;
            }
            if let Some(item) = s.items.pop_front() {
                s.bytes -= item.event.len();
                self.changed.notify_all();
                return Next::Item(item);
            }
            idle();
            s = self.wait(s);
        }
    }

    pub fn bytes(&self) -> u64 {
        lock(&self.state).bytes as u64
    }

    /// Anyone who waits looks again.
    pub fn wake(&self) {
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(n: u8) -> Item {
        Item { event: vec![n; 10].into(), format: Arc::default(), file: "f".into() }
    }

    #[test]
    fn a_new_connection_waits_for_the_applier() {
        let q = Arc::new(Queue::default());
        let no = || false;
        q.applies(true);
        assert!(q.push(item(1), &no));
        let receiver = {
            let q = q.clone();
            std::thread::spawn(move || q.restart(&|| false) && q.push(item(2), &|| false))
        };
        let mut got = Vec::new();
        while got.last() != Some(&2) {
            match q.next(&no, &|| ()) {
                Next::Item(i) => got.push(i.event[0]),
                Next::Restart => got.push(0),
                Next::Stopped => panic!("nobody stops it"),
            }
        }
        assert!(receiver.join().expect("ends"));
        assert!(got == [0, 2] || got == [1, 0, 2], "{got:?}");
        assert_eq!(q.bytes(), 0);
        q.applies(false);
        // Without an applier nobody is waited for, and who stops is let go.
        assert!(q.restart(&no));
        assert!(matches!(q.next(&|| true, &|| ()), Next::Stopped));
    }
}
