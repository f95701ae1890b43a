//! Locks of a long scan: those of neighbours in one range, where each of its own would take a name and a queue.
//!
//! A scan locks each record as everybody does. As soon as it has the next one, the lock before is *folded*: it leaves its queue, and the
//! scan's range grows by the record. So a transaction that has locked a table has one range and one lock, whatever the number of rows.
//! Short transactions never come here: folding begins with a transaction's [`FOLD_FROM`]th lock.
//!
//! A range is a lock that is implied, as that of a row just written: a request that it excludes makes it explicit first, in the queue
//! of the record, and waits there. Queues, lines and the search for deadlocks therefore know nothing of ranges.
//!
//! Invariants
//! - Of a transaction and a kind of lock ranges do not overlap. A range covers no record that was there when it grew and that its
//!   owner had not locked.
//! - Between two folds of a scan nothing was inserted into the index, or the second begins a range of its own: an insert counts
//!   (`Slot::inserted`) under the latch of its leaf, which the scan has while it locks.
//! - A record is folded only while nobody else has or wants a lock of it. So no waiter stands in a queue that a range came to cover
//!   later, and each waiter has made every range explicit that it waits for.
//! - The mutex of the record's shard is locked before that of a slot: a lock is found in its queue or in its range, at any time.

use super::conflict::{Kind, Mode};
use super::name::LockName;
use super::trx::TrxLocks;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::Arc;

/// Locks that a transaction has before its scans fold any. Debug builds begin early, so that the simulator comes here.
pub(super) const FOLD_FROM: u64 = match () {
    () if cfg!(any(test, shuttle)) => 2,
    () if cfg!(debug_assertions) => 8,
    () => 1024,
};

const SLOTS: usize = if cfg!(any(shuttle, miri)) { 2 } else { 64 };

/// An owner's ranges of one index and one kind of lock: first key, and the end, which is not in it.
struct Owned {
    trx: Arc<TrxLocks>,
    what: (Mode, Kind),
    ranges: BTreeMap<Box<[u8]>, Box<[u8]>>,
}

impl Owned {
    fn covers(&self, key: &[u8]) -> bool {
        let upto = (Bound::Unbounded, Bound::Included(key));
        self.ranges.range::<[u8], _>(upto).next_back().is_some_and(|(_, end)| key < &**end)
    }

    /// A record of another transaction's came into the index: it is in no range of locks on records.
    fn split(&mut self, key: &[u8]) {
        let upto = (Bound::Unbounded, Bound::Included(key));
        let last = self.ranges.range::<[u8], _>(upto).next_back();
        let Some((from, _)) = last.filter(|(_, end)| key < &***end) else { return };
        let from = from.clone();
        let Some(end) = self.ranges.remove(&from) else { return };
        let behind = after(key);
        if *from < *key {
            self.ranges.insert(from, key.into());
        }
        if behind < end {
            self.ranges.insert(behind, end);
        }
    }
}

#[derive(Default)]
struct Slot {
    /// How many owners it has.
    owners: AtomicU32,
    /// Inserts beside ranges.
    inserted: AtomicU64,
    of: Mutex<HashMap<u64, Vec<Owned>>>,
}

pub(super) struct Ranges(Box<[Slot]>);

/// A lock that covers a record.
pub(super) type Covering = SmallVec<[(Arc<TrxLocks>, (Mode, Kind)); 2]>;

/// What a scan remembers of its last lock and of the range that ends there.
#[derive(Default)]
pub struct LockRun {
    last: Option<(LockName, Mode, Kind)>,
    grown: Option<Grown>,
}

impl LockRun {
    /// A record was passed without a lock: what comes is no neighbour of what was.
    pub fn interrupt(&mut self) {
        *self = LockRun::default();
    }

    pub(super) fn take(
        &mut self,
        name: LockName,
        what: (Mode, Kind),
    ) -> Option<(LockName, Option<Grown>)> {
        let grown = self.grown.take();
        let last = self.last.replace((name, what.0, what.1))?;
        ((last.1, last.2) == what).then_some((last.0, grown))
    }

    pub(super) fn set(&mut self, grown: Option<Grown>) {
        self.grown = grown;
    }
}

/// The range that a scan makes grow, as it left it.
pub(super) struct Grown {
    from: Box<[u8]>,
    end: Box<[u8]>,
    inserted: u64,
}

/// The lowest key above this one.
fn after(key: &[u8]) -> Box<[u8]> {
    let mut k = Vec::with_capacity(key.len() + 1);
    k.extend_from_slice(key);
    k.push(0);
    k.into()
}

impl Ranges {
    pub fn new() -> Ranges {
        Ranges((0..SLOTS).map(|_| Slot::default()).collect())
    }

    fn slot(&self, index: u64) -> &Slot {
        &self.0[(index % SLOTS as u64) as usize]
    }

    /// Whether ranges of the index have to be asked. The caller has the mutex of the record's shard, or the latch of its leaf.
    pub fn any(&self, index: u64) -> bool {
        self.slot(index).owners.load(Ordering::Acquire) > 0
    }

    /// The locks of ranges on a record.
    pub fn at(&self, name: &LockName) -> Covering {
        let mut all = Covering::new();
        let Some(key) = name.key.as_deref().filter(|_| self.any(name.index)) else { return all };
        let of = self.slot(name.index).of.lock();
        let owned = of.get(&name.index).into_iter().flatten();
        all.extend(owned.filter(|o| o.covers(key)).map(|o| (o.trx.clone(), o.what)));
        all
    }

    /// Makes the scan's range grow by the record, or begins one. True: it is the owner's first of this kind here.
    pub fn fold(
        &self,
        trx: &Arc<TrxLocks>,
        (index, key): (u64, &[u8]),
        what: (Mode, Kind),
        grown: Option<Grown>,
    ) -> (Option<Grown>, bool) {
        let slot = self.slot(index);
        let mut of = slot.of.lock();
        let all = of.entry(index).or_default();
        let mine = |o: &Owned| Arc::ptr_eq(&o.trx, trx) && o.what == what;
        let (at, new) = match all.iter().position(mine) {
            Some(at) => (at, false),
            None => {
                all.push(Owned { trx: trx.clone(), what, ranges: BTreeMap::new() });
                slot.owners.fetch_add(1, Ordering::AcqRel);
                (all.len() - 1, true)
            }
        };
        // A lock that was made explicit goes back to where it came from.
        if all[at].covers(key) {
            return (None, new);
        }
        let ranges = &mut all[at].ranges;
        let inserted = slot.inserted.load(Ordering::Acquire);
        // Splits leave another end behind than the scan remembers.
        let same = grown.filter(|g| {
            g.inserted == inserted && ranges.get(&g.from).is_some_and(|end| *end == g.end)
        });
        // Between neighbours there may be a range all of whose records are gone.
        let empty = |from: &[u8], upto: &[u8]| {
            let between = (Bound::Included(from), Bound::Excluded(upto));
            from >= upto || ranges.range::<[u8], _>(between).next().is_none()
        };
        let (from, end) = match same {
            Some(g) if key >= &*g.end && empty(&g.end, key) => (g.from, after(key)),
            Some(g) if key < &*g.from && empty(key, &g.from) => {
                ranges.remove(&g.from);
                (key.into(), g.end)
            }
            _ => (key.into(), after(key)),
        };
        ranges.insert(from.clone(), end.clone());
        (Some(Grown { from, end, inserted }), new)
    }

    /// A record comes into the index below `next`. Returns who has to get a lock on the gap below it, since its range locks the gap that
    /// is split and does not cover the new record.
    pub fn insert(&self, index: u64, new: &[u8], next: Option<&[u8]>) -> Covering {
        let mut outside = Covering::new();
        if !self.any(index) {
            return outside;
        }
        let slot = self.slot(index);
        let mut of = slot.of.lock();
        slot.inserted.fetch_add(1, Ordering::AcqRel);
        for o in of.get_mut(&index).into_iter().flatten() {
            if !o.what.1.has_gap() {
                o.split(new);
            } else if next.is_some_and(|k| o.covers(k)) && !o.covers(new) {
                outside.push((o.trx.clone(), o.what));
            }
        }
        outside
    }

    /// Takes all ranges of a transaction in an index out; returns of how many kinds they were.
    pub fn release(&self, trx: &Arc<TrxLocks>, index: u64) -> u32 {
        let slot = self.slot(index);
        let mut of = slot.of.lock();
        let mut gone = 0;
        let Some(all) = of.get_mut(&index) else { return gone };
        all.retain(|o| {
            let go = Arc::ptr_eq(&o.trx, trx);
            if go {
                slot.owners.fetch_sub(1, Ordering::AcqRel);
                gone += 1;
            }
            !go
        });
        if all.is_empty() {
            of.remove(&index);
        }
        gone
    }

    /// Every range: its owner, what it locks, and the name of its first record.
    pub fn each(&self, mut f: impl FnMut(&Arc<TrxLocks>, (Mode, Kind), LockName)) {
        for slot in &self.0 {
            for (index, all) in slot.of.lock().iter() {
                for o in all {
                    o.ranges.keys().for_each(|k| f(&o.trx, o.what, LockName::new(*index, Some(k))));
                }
            }
        }
    }
}
