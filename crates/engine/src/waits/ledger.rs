//! A shard of the ledger: waits that last, totals that never forget, a ring of the long ones, and this second's sums.

use super::cause::{Blocker, CAUSES, What};
use std::collections::VecDeque;
use weir_rt::Nanos;

/// From this length on a wait is a record; shorter ones are counted.
pub const NOTED: Nanos = 1_000_000;
/// Records kept by a shard, of about 170 bytes each.
pub const RECORDS: usize = 1024;
/// Different cause, object and blocker in one second of one shard; more are counted by their causes alone.
const DETAILS: usize = 64;

/// Bytes of a statement that a record keeps.
pub const SHOWN: usize = 95;

/// The start of a statement's text.
#[derive(Clone, Copy)]
pub struct Text {
    len: u8,
    bytes: [u8; SHOWN],
}

impl Default for Text {
    fn default() -> Text {
        Text { len: 0, bytes: [0; SHOWN] }
    }
}

impl Text {
    pub fn new(s: &[u8]) -> Text {
        let mut t = Text::default();
        let s = &s[..s.len().min(SHOWN)];
        t.bytes[..s.len()].copy_from_slice(s);
        t.len = s.len() as u8;
        t
    }

    pub fn get(&self) -> String {
        String::from_utf8_lossy(&self.bytes[..usize::from(self.len)]).into_owned()
    }
}

/// A wait under way.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub id: u64,
    pub begun: Nanos,
    pub what: What,
    /// Counted in the details of a second.
    counted: bool,
}

impl Open {
    pub fn new(what: What, begun: Nanos) -> Open {
        Open { id: 0, begun, what, counted: false }
    }
}

/// A long wait that has ended.
#[derive(Clone, Copy)]
pub struct Record {
    pub what: What,
    /// Wall clock at its end, microseconds since 1970.
    pub ended_micros: u64,
    pub nanos: Nanos,
    pub statement: Text,
}

/// Waits that began, and their time so far, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub waits: [u64; CAUSES],
    pub nanos: [u64; CAUSES],
}

/// What a second's waits of one cause, object and blocker (a session) add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    pub what: What,
    pub waits: u64,
    pub nanos: u64,
}

/// As details compare: pages by file, blockers by session.
fn key(what: &What) -> What {
    let blocker = Blocker { session: what.blocker.session, trx: 0 };
    What::new(what.cause, what.object.coarse()).blocked_by(blocker)
}

/// Adds to the detail of this key; false when it is another and there is no room.
pub fn add(to: &mut Vec<Detail>, d: Detail, most: usize) -> bool {
    let room = to.len() < most;
    match to.iter_mut().find(|x| x.what == d.what) {
        Some(x) => (x.waits, x.nanos) = (x.waits + d.waits, x.nanos + d.nanos),
        None if room => to.push(d),
        None => return false,
    }
    true
}

#[derive(Default)]
pub struct Shard {
    next: u64,
    open: Vec<Open>,
    ended: Totals,
    records: VecDeque<Record>,
    details: Vec<Detail>,
    /// When the last second ended.
    second: Nanos,
}

/// What is kept of a wait that was long.
pub struct Long {
    pub ended_micros: u64,
    pub statement: Text,
}

impl Shard {
    pub fn enter(&mut self, what: What, begun: Nanos) -> u64 {
        self.next += 1;
        self.ended.waits[what.cause as usize] += 1;
        self.open.push(Open { id: self.next, ..Open::new(what, begun) });
        self.next
    }

    fn find(&mut self, id: u64) -> Option<usize> {
        self.open.iter().position(|o| o.id == id)
    }

    pub fn blocked_by(&mut self, id: u64, blocker: Blocker) {
        if let Some(i) = self.find(id) {
            self.open[i].what.blocker = blocker;
        }
    }

    pub fn leave(&mut self, id: u64, now: Nanos, long: Option<Long>) {
        let Some(i) = self.find(id) else { return };
        let o = self.open.swap_remove(i);
        let nanos = now.saturating_sub(o.begun);
        self.ended.nanos[o.what.cause as usize] += nanos;
        let Some(Long { ended_micros, statement }) = long else { return };
        self.note(&o, now);
        if self.records.len() == RECORDS {
            self.records.pop_front();
        }
        self.records.push_back(Record { what: o.what, ended_micros, nanos, statement });
    }

    /// Enters the part of a wait that lies in this second.
    fn note(&mut self, o: &Open, now: Nanos) {
        let nanos = now.saturating_sub(o.begun.max(self.second));
        let waits = u64::from(!o.counted);
        add(&mut self.details, Detail { what: key(&o.what), waits, nanos }, DETAILS);
    }

    /// A second ends: adds this shard's totals, those of waits under way included, and hands out its details.
    pub fn tick(&mut self, now: Nanos, totals: &mut Totals, details: &mut Vec<Detail>) {
        for i in 0..self.open.len() {
            let o = self.open[i];
            if now.saturating_sub(o.begun) >= NOTED {
                self.note(&o, now);
                self.open[i].counted = true;
            }
        }
        self.totals(now, totals);
        self.second = now;
        for d in self.details.drain(..) {
            add(details, d, usize::MAX);
        }
    }

    pub fn totals(&self, now: Nanos, totals: &mut Totals) {
        for (to, n) in totals.waits.iter_mut().zip(self.ended.waits) {
            *to += n;
        }
        for (to, n) in totals.nanos.iter_mut().zip(self.ended.nanos) {
            *to += n;
        }
        for o in &self.open {
            totals.nanos[o.what.cause as usize] += now.saturating_sub(o.begun);
        }
    }

    pub fn open(&self) -> &[Open] {
        &self.open
    }

    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::super::cause::{Cause, Object};
    use super::*;
    use crate::ids::PageId;

    const MS: u64 = 1_000_000;

    fn long() -> Option<Long> {
        Some(Long { ended_micros: 7, statement: Text::new(b"select 1") })
    }

    fn lock(blocker: u64) -> What {
        let by = Blocker { session: blocker, trx: 100 + blocker };
        What::new(Cause::RowLock, Object::Index(20)).blocked_by(by)
    }

    fn tick(s: &mut Shard, now: u64) -> (Totals, Vec<Detail>) {
        let (mut t, mut d) = (Totals::default(), Vec::new());
        s.tick(now, &mut t, &mut d);
        (t, d)
    }

    #[test]
    fn a_wait_over_three_seconds_is_shared_out() {
        let mut s = Shard::default();
        let id = s.enter(lock(5), 400 * MS);
        let row = Cause::RowLock as usize;
        let (t, d) = tick(&mut s, 1000 * MS);
        assert_eq!((t.waits[row], t.nanos[row]), (1, 600 * MS));
        assert_eq!((d.len(), d[0].waits, d[0].nanos), (1, 1, 600 * MS));
        assert_eq!(d[0].what.blocker, Blocker { session: 5, trx: 0 });
        let (t, d) = tick(&mut s, 2000 * MS);
        assert_eq!((t.waits[row], t.nanos[row]), (1, 1600 * MS));
        assert_eq!((d[0].waits, d[0].nanos), (0, 1000 * MS));
        s.leave(id, 2300 * MS, long());
        let (t, d) = tick(&mut s, 3000 * MS);
        assert_eq!((t.waits[row], t.nanos[row]), (1, 1900 * MS));
        assert_eq!((d[0].waits, d[0].nanos), (0, 300 * MS));
        let r: Vec<_> = s.records().collect();
        assert_eq!((r.len(), r[0].nanos, r[0].statement.get()), (1, 1900 * MS, "select 1".into()));
        assert_eq!(r[0].what.blocker.trx, 105);
        assert_eq!(tick(&mut s, 4000 * MS).1, []);
    }

    #[test]
    fn short_ones_are_counted_and_pages_go_by_their_file() {
        let mut s = Shard::default();
        for page in 0..10 {
            let what = What::page(Cause::PageRead, PageId::new(16, page));
            let id = s.enter(what, 10 * MS);
            s.leave(id, 10 * MS + 500, None);
            let id = s.enter(what, 20 * MS);
            s.leave(id, 22 * MS, long());
        }
        let (t, d) = tick(&mut s, 1000 * MS);
        let read = Cause::PageRead as usize;
        assert_eq!((t.waits[read], t.nanos[read]), (20, 20 * MS + 5000));
        let file = What::new(Cause::PageRead, Object::Space(16));
        assert_eq!(d, [Detail { what: file, waits: 10, nanos: 20 * MS }]);
    }

    #[test]
    fn nothing_grows_without_bound() {
        let mut s = Shard::default();
        for i in 0..3 * RECORDS as u64 {
            let id = s.enter(lock(i), i * MS);
            s.leave(id, (i + 1) * MS, long());
        }
        assert_eq!(s.records().count(), RECORDS);
        let (t, d) = tick(&mut s, 1 << 40);
        assert_eq!(d.len(), DETAILS);
        assert_eq!(t.waits[0], 3 * RECORDS as u64);
        assert!(s.open().is_empty());
    }

    #[test]
    fn the_blocker_may_become_known_later() {
        let mut s = Shard::default();
        let id = s.enter(Cause::MetadataLock.into(), 0);
        s.blocked_by(id, Blocker { session: 3, trx: 0 });
        s.leave(id, 5 * MS, long());
        assert_eq!(s.records().next().map(|r| r.what.blocker.session), Some(3));
        // Twice is once.
        s.leave(id, 5 * MS, long());
        assert_eq!(s.records().count(), 1);
        assert_eq!(Text::new(&[b'x'; 300]).get().len(), SHOWN);
    }
}
