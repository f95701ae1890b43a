//! What a channel owes to a source that waits for acknowledgements (semi-synchronous replication).
//!
//! The receiver notes the events of which one was asked, the applier says how far it is, and a bell wakes the receiver, which alone writes to the
//! source. There is no relay log: what was received and not applied may be lost with this server, so only what was applied is acknowledged.

use crate::lock;
use rustix::event::{EventfdFlags, eventfd};
use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, OnceLock};
use weir_sql::replication::Position;

#[derive(Default)]
struct State {
    applied: (u64, u64),
    /// When the applier has come to the first place, the second one is acknowledged.
    wanted: VecDeque<((u64, u64), Position)>,
    due: Option<Position>,
}

#[derive(Default)]
pub struct Acks {
    state: Mutex<State>,
    /// It is there from the first connection on that has use for it.
    bell: OnceLock<OwnedFd>,
}

/// Files go by their numbers.
fn spot(p: &Position) -> (u64, u64) {
    let number = p.file.rsplit('.').next().and_then(|n| n.parse().ok());
    (number.unwrap_or(0), p.offset)
}

impl Acks {
    /// A new connection: nothing is owed. What the applier is woken by.
    pub fn begin(&self) -> std::io::Result<&OwnedFd> {
        *lock(&self.state) = State::default();
        if let Some(bell) = self.bell.get() {
            return Ok(bell);
        }
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(self.bell.get_or_init(|| bell))
    }

    /// The source wants to hear of the event that ends `at`. `behind`: where the last transaction ends that the applier has to carry out for
    /// that; `None`: it has nothing to do.
    pub fn want(&self, at: Position, behind: Option<&Position>) {
        let mut s = lock(&self.state);
        match behind.map(spot) {
            Some(behind) if behind > s.applied => s.wanted.push_back((behind, at)),
            _ => s.due = Some(at),
        }
    }

    /// The applier has come so far.
    pub fn applied(&self, at: &Position) {
        let mut s = lock(&self.state);
        s.applied = spot(at);
        while s.wanted.front().is_some_and(|(behind, _)| *behind <= s.applied) {
            s.due = s.wanted.pop_front().map(|(_, at)| at);
        }
        if s.due.is_some()
            && let Some(bell) = self.bell.get()
        {
            // The counter of a descriptor that is read whenever it is heard cannot overflow.
            let _ = rustix::io::write(bell, &1u64.to_ne_bytes());
        }
    }

    /// The last place that can be acknowledged, once.
    pub fn take_due(&self) -> Option<Position> {
        lock(&self.state).due.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: u32, offset: u64) -> Position {
        Position { file: format!("binlog.{file:06}"), offset }
    }

    #[test]
    fn what_was_applied_is_acknowledged_once() {
        let acks = Acks::default();
        acks.begin().expect("a descriptor");
        acks.want(at(9, 500), Some(&at(9, 500)));
        acks.want(at(10, 200), Some(&at(10, 200)));
        // An event that nobody here applies comes with the one before it.
        acks.want(at(10, 300), Some(&at(10, 200)));
        assert_eq!(acks.take_due(), None);
        acks.applied(&at(9, 500));
        assert_eq!((acks.take_due(), acks.take_due()), (Some(at(9, 500)), None));
        acks.applied(&at(10, 200));
        assert_eq!(acks.take_due(), Some(at(10, 300)));
        // The applier was there before the event was asked about.
        acks.want(at(10, 400), Some(&at(10, 200)));
        assert_eq!(acks.take_due(), Some(at(10, 400)));
        acks.want(at(10, 500), Some(&at(10, 500)));
        acks.begin().expect("a descriptor");
        acks.applied(&at(10, 500));
        assert_eq!(acks.take_due(), None);
        acks.want(at(10, 600), None);
        assert_eq!(acks.take_due(), Some(at(10, 600)));
    }
}
