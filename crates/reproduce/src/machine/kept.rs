//! What a drive's own memory keeps of writes that it said were done, until the arm has the time for them.
//!
//! The firmware sweeps: the next one lies behind the last, and of the few that come first in that order the one is taken that the arm
//! reaches soonest. Writes of the same place are one.

use super::Request;
use std::collections::{BTreeMap, BTreeSet};

/// The memory of a drive that takes a write as a command, one after the other with its reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnCache {
    pub bytes: u64,
    /// Microseconds of a write command without its bytes, and bytes per second of the interface.
    pub command: f64,
    pub interface: f64,
    /// Writes among which the firmware chooses the next for the arm.
    pub choice: usize,
}

impl OwnCache {
    /// Nanoseconds of a write into the memory.
    pub fn time(&self, bytes: u64) -> u64 {
        (self.command * 1e3 + bytes as f64 * 1e9 / self.interface) as u64
    }
}

#[derive(Default)]
pub struct Kept {
    used: u64,
    /// By place: bytes, and the number of the write.
    all: BTreeMap<u64, (u64, u64)>,
    open: BTreeSet<u64>,
    next: u64,
}

impl Kept {
    /// Keeps a write if there is room; an empty memory takes one of any size.
    pub fn take(&mut self, r: Request, room: u64) -> bool {
        let known = self.all.get(&r.at).copied();
        let more = r.bytes.saturating_sub(known.map_or(0, |k| k.0));
        if self.used + more > room && self.used > 0 {
            return false;
        }
        self.used += more;
        let number = known.map_or_else(
            || {
                self.next += 1;
                self.open.insert(self.next);
                self.next
            },
            |k| k.1,
        );
        let bytes = known.map_or(0, |k| k.0).max(r.bytes);
        self.all.insert(r.at, (bytes, number));
        true
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of the last write that was taken.
    pub fn last(&self) -> u64 {
        self.next
    }

    /// Whether all writes up to a number have gone to the platters.
    pub fn is_written(&self, number: u64) -> bool {
        self.open.first().is_none_or(|n| *n > number)
    }

    /// Takes the write out that goes to the platters next: of the first `choice` from the arm's place on the one with the least `way`.
    pub fn leave(
        &mut self,
        at: u64,
        choice: usize,
        way: impl Fn(Request) -> u64,
    ) -> Option<Request> {
        let request = |(at, k): (&u64, &(u64, u64))| Request { at: *at, bytes: k.0, write: true };
        let behind = self.all.range(at..).chain(self.all.range(..at));
        let r = behind.take(choice.max(1)).map(request).min_by_key(|r| way(*r))?;
        let (bytes, number) = self.all.remove(&r.at)?;
        self.used -= bytes;
        self.open.remove(&number);
        Some(r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sweeps_and_chooses_among_a_few() {
        let write = |at| Request { at, bytes: 10, write: true };
        let mut k = Kept::default();
        for at in [500, 100, 300, 200] {
            assert!(k.take(write(at), 40));
        }
        assert!(!k.take(write(400), 40), "it is full");
        assert!(k.take(write(300), 40), "the same place is no more");
        let (last, near) = (k.last(), |r: Request| r.at.abs_diff(290));
        assert_eq!(k.leave(150, 2, near).unwrap().at, 300, "200 and 300 are behind the arm");
        assert!(!k.is_written(last) && k.take(write(400), 40));
        assert_eq!(k.leave(450, 1, near).unwrap().at, 500);
        assert_eq!(k.leave(510, 1, near).unwrap().at, 100, "it begins again at the lowest");
        assert!(!k.is_written(last));
        assert_eq!(k.leave(110, 1, near).unwrap().at, 200);
        assert!(k.is_written(last) && !k.is_empty(), "what came later does not count");
    }
}
