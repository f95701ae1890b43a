//! Scans whose locks are folded into ranges, beside a list of every lock.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const TRXS: usize = 3;
const KEYS: u8 = 24;

fn name(k: Option<u8>) -> LockName {
    LockName::new(1, k.map(|k| vec![k]).as_deref())
}

#[derive(Clone, Debug)]
enum Op {
    Scan {
        trx: usize,
        from: u8,
        upto: u8,
        reverse: bool,
        mode: Mode,
        kind: Kind,
    },
    Insert {
        trx: usize,
        key: u8,
    },
    Remove {
        key: u8,
    },
    /// READ COMMITTED: the newest lock is given back.
    Unlock {
        trx: usize,
    },
    End {
        trx: usize,
    },
}

fn op() -> impl Strategy<Value = Op> {
    let mode = prop_oneof![1 => Just(Mode::S), 2 => Just(Mode::X)];
    let kind = prop_oneof![Just(Kind::Record), Just(Kind::NextKey)];
    let (trx, key) = (0..TRXS, 0..KEYS);
    prop_oneof![
        8 => (trx.clone(), key.clone(), key.clone(), any::<bool>(), mode, kind).prop_map(
            |(trx, from, upto, reverse, mode, kind)| Op::Scan { trx, from, upto, reverse, mode, kind }
        ),
        6 => (trx.clone(), key.clone()).prop_map(|(trx, key)| Op::Insert { trx, key }),
        4 => key.prop_map(|key| Op::Remove { key }),
        1 => trx.clone().prop_map(|trx| Op::Unlock { trx }),
        1 => trx.prop_map(|trx| Op::End { trx }),
    ]
}

type Held = Vec<(usize, (Mode, Kind))>;

/// The records that are there, and the locks of each; 255 stands for the supremum.
struct World {
    table: Arc<LockTable>,
    trxs: Vec<Arc<TrxLocks>>,
    records: BTreeMap<u8, Held>,
    newest: Vec<Option<(u8, Mode)>>,
}

impl World {
    fn new() -> World {
        let records = (0..KEYS).step_by(2).chain([255]).map(|k| (k, Vec::new())).collect();
        let trxs = (0..TRXS as u64).map(TrxLocks::new).collect();
        World { table: LockTable::new(), trxs, records, newest: vec![None; TRXS] }
    }

    fn named(k: u8) -> LockName {
        name((k < 255).then_some(k))
    }

    fn next(&self, above: u8) -> u8 {
        *self.records.range(above + 1..).next().expect("the supremum is there").0
    }

    fn excluded(&self, trx: usize, k: u8, what: (Mode, Kind)) -> bool {
        self.records[&k].iter().any(|(t, held)| *t != trx && conflicts(what, *held))
    }

    fn scan(&mut self, trx: usize, keys: Vec<u8>, what: (Mode, Kind)) {
        let mut run = LockRun::default();
        self.newest[trx] = None;
        for k in keys {
            let got = self.table.lock(&self.trxs[trx], &name(Some(k)), what.0, what.1, false);
            assert_eq!(got.is_none(), self.excluded(trx, k, what), "{trx} {k} {what:?}");
            if got.is_none() {
                return;
            }
            self.table.locked_next(&self.trxs[trx], &mut run, (1, &[k]), what);
            let held = self.records.get_mut(&k).expect("it is there");
            if !held.iter().any(|(t, h)| *t == trx && covers(*h, what)) {
                held.push((trx, what));
                self.newest[trx] = (what.1 == Kind::Record).then_some((k, what.0));
            } else {
                self.newest[trx] = None;
            }
        }
    }

    fn insert(&mut self, trx: usize, key: u8) {
        let next = self.next(key);
        let intention = (Mode::X, Kind::InsertIntention);
        if self.records.contains_key(&key) || self.excluded(trx, next, intention) {
            return;
        }
        self.table.inherit_on_insert(1, &[key], (next < 255).then_some(&[next]));
        let gaps = self.records[&next].iter().filter(|(_, (_, kind))| kind.has_gap());
        let mut held: Held = gaps.map(|(t, (m, _))| (*t, (*m, Kind::Gap))).collect();
        held.dedup_by_key(|(t, _)| *t);
        // The lock that its writer has of a new record, as the first who meets it makes it explicit.
        held.push((trx, (Mode::X, Kind::Record)));
        self.table.make_explicit(&self.trxs[trx], &name(Some(key)));
        self.records.insert(key, held);
    }

    fn remove(&mut self, key: u8) {
        let Some(held) = self.records.remove(&key) else { return };
        let next = self.next(key);
        if self.table.any(&name(Some(key))) {
            self.table.inherit_on_remove(1, &[key], (next < 255).then_some(&[next]));
        } else {
            assert!(held.is_empty(), "the locks of {key} are lost");
        }
        for (t, (mode, _)) in held {
            let there = self.records.get_mut(&next).expect("it is there");
            if !there.iter().any(|(o, (_, k))| *o == t && k.has_gap()) {
                there.push((t, (mode, Kind::Gap)));
            }
        }
        for newest in &mut self.newest {
            newest.take_if(|(k, _)| *k == key);
        }
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Scan { trx, from, upto, reverse, mode, kind } => {
                let mut keys: Vec<u8> = self.records.range(from..KEYS).map(|(k, _)| *k).collect();
                keys.retain(|k| *k <= upto);
                if reverse {
                    keys.reverse();
                }
                self.scan(trx, keys, (mode, kind));
            }
            Op::Insert { trx, key } => self.insert(trx, key),
            Op::Remove { key } => self.remove(key),
            Op::Unlock { trx } => {
                if let Some((k, mode)) = self.newest[trx].take() {
                    self.table.unlock_record(&self.trxs[trx], &name(Some(k)), mode);
                    let held = self.records.get_mut(&k).expect("it is there");
                    held.retain(|(t, h)| *t != trx || *h != (mode, Kind::Record));
                }
            }
            Op::End { trx } => {
                self.table.release_all(&self.trxs[trx]);
                self.trxs[trx] = TrxLocks::new(trx as u64);
                self.records.values_mut().for_each(|held| held.retain(|(t, _)| *t != trx));
                self.newest[trx] = None;
            }
        }
    }

    /// Ranges exclude what the locks would, and nothing else.
    fn compare(&self) {
        for k in self.records.keys() {
            for trx in 0..TRXS {
                for what in [
                    (Mode::S, Kind::Record),
                    (Mode::X, Kind::Record),
                    (Mode::X, Kind::InsertIntention),
                ] {
                    let got =
                        self.table.would_wait(&self.trxs[trx], &World::named(*k), what.0, what.1);
                    assert_eq!(got, self.excluded(trx, *k, what), "{trx} {k} {what:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2000 }))]
    #[test]
    fn ranges_lock_what_their_locks_did(ops in prop::collection::vec(op(), 1..40)) {
        let mut w = World::new();
        for op in ops {
            w.apply(op);
            w.compare();
        }
        w.trxs.iter().for_each(|t| w.table.release_all(t));
        prop_assert_eq!(w.table.count(), 0);
        prop_assert!(!w.table.has_gaps(1));
    }
}

/// A scan that locks a table has one range, whatever the number of rows, and who meets one of its rows waits in a queue.
#[test]
fn a_long_scan_has_one_range() {
    let t = LockTable::new();
    let (a, b) = (TrxLocks::new(1), TrxLocks::new(2));
    let mut run = LockRun::default();
    for k in 0..10_000u32 {
        let n = LockName::new(1, Some(&k.to_be_bytes()));
        assert!(matches!(t.lock(&a, &n, Mode::X, Kind::NextKey, true), Some(Outcome::Granted(_))));
        t.locked_next(&a, &mut run, (1, &k.to_be_bytes()), (Mode::X, Kind::NextKey));
    }
    assert!(t.count() < 6, "{}", t.count());
    assert_eq!(a.count(), 10_000);
    let n = LockName::new(1, Some(&5000u32.to_be_bytes()));
    let Some(Outcome::Wait(wait)) = t.lock(&b, &n, Mode::S, Kind::Record, true) else {
        panic!("it does not wait")
    };
    assert_eq!(wait.about().1.session, 1);
    // The owner asks for what it has.
    let had = t.lock(&a, &n, Mode::X, Kind::NextKey, true);
    assert!(matches!(had, Some(Outcome::Granted(Granted::Had))));
    t.release_all(&a);
    drop(wait);
    t.release_all(&b);
    assert_eq!((t.count(), t.has_gaps(1)), (0, false));
}

/// Locks that are no neighbours are bounded: 1206 is theirs.
#[test]
fn scattered_locks_are_bounded() {
    let t = LockTable::new();
    t.limit.store(5000 * LOCK_BYTES, Ordering::Relaxed);
    let a = TrxLocks::new(1);
    let lock = |k: u32| {
        let n = LockName::new(1, Some(&k.to_be_bytes()));
        matches!(t.lock(&a, &n, Mode::X, Kind::Record, true), Some(Outcome::Full))
    };
    let full = (0..20_000).find(|k| lock(*k)).expect("it is full");
    assert!((5000..7000).contains(&full), "{full}");
    t.release_all(&a);
    assert_eq!((t.charged(), t.count()), (0, 0));
}
