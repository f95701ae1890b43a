//! Cases by hand, and random ones against a reference that is as plain as the rule.

use super::*;
use crate::lock::wait::Victim;
use crate::sync::atomic::AtomicBool;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

fn name(k: &[u8]) -> LockName {
    LockName::new(1, Some(k))
}

fn trx(id: u64) -> Arc<TrxLocks> {
    let t = TrxLocks::new(id + 100);
    t.id.store(id, Ordering::Release);
    t
}

fn granted(o: Option<Outcome>) -> bool {
    matches!(o, Some(Outcome::Granted(_)))
}

fn waits(o: Option<Outcome>) -> LockWait {
    match o {
        Some(Outcome::Wait(w)) => w,
        _ => panic!("expected to wait"),
    }
}

struct Flag(AtomicBool);
impl std::task::Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

fn poll(w: &mut LockWait) -> Poll<Result<(), Victim>> {
    let waker = Waker::from(Arc::new(Flag(AtomicBool::new(false))));
    Pin::new(w).poll(&mut Context::from_waker(&waker))
}

#[test]
fn queue_is_fair_and_release_grants() {
    let t = LockTable::new();
    let (a, b, c) = (trx(1), trx(2), trx(3));
    assert!(granted(t.lock(&a, &name(b"k"), Mode::S, Kind::Record, true)));
    let mut wb = waits(t.lock(&b, &name(b"k"), Mode::X, Kind::Record, true));
    // A later shared request does not overtake the waiting exclusive one.
    let mut wc = waits(t.lock(&c, &name(b"k"), Mode::S, Kind::Record, true));
    assert!(poll(&mut wb).is_pending());
    // Anyone who has the lock is named as being in the way; in the way of the same transaction is the request before it.
    assert_eq!(wb.about(), (1, Blocker { session: 101, trx: 1 }));
    assert_eq!(wc.about(), (1, Blocker { session: 102, trx: 2 }));
    t.release_all(&a);
    assert_eq!(poll(&mut wb), Poll::Ready(Ok(())));
    assert!(poll(&mut wc).is_pending());
    let mut now = t.blockers();
    assert_eq!((now.remove(&103), now.len()), (Some(Blocker { session: 102, trx: 2 }), 0));
    t.release_all(&b);
    assert_eq!(poll(&mut wc), Poll::Ready(Ok(())));
    t.release_all(&c);
    assert_eq!(t.count(), 0);
}

#[test]
fn a_deadlock_is_found_when_it_forms() {
    let t = LockTable::new();
    let (a, b) = (trx(1), trx(2));
    a.weight.store(100, Ordering::Relaxed);
    assert!(granted(t.lock(&a, &name(b"x"), Mode::X, Kind::Record, true)));
    assert!(granted(t.lock(&b, &name(b"y"), Mode::X, Kind::Record, true)));
    let mut wb = waits(t.lock(&b, &name(b"x"), Mode::X, Kind::Record, true));
    let mut wa = waits(t.lock(&a, &name(b"y"), Mode::X, Kind::Record, true));
    assert_eq!(poll(&mut wb), Poll::Ready(Err(Victim)));
    drop(wb);
    assert!(poll(&mut wa).is_pending());
    t.release_all(&b);
    assert_eq!(poll(&mut wa), Poll::Ready(Ok(())));
    let deadlock = t.last_deadlock().unwrap();
    let ids: Vec<u64> = deadlock.members.iter().map(|m| m.trx).collect();
    assert_eq!((ids.len(), ids[deadlock.victim]), (2, 2));
    t.release_all(&a);
    assert_eq!(t.count(), 0);
    assert!(!t.has_gaps(1));
}

#[test]
fn gaps_are_inherited_both_ways() {
    let t = LockTable::new();
    let (a, b) = (trx(1), trx(2));
    assert!(granted(t.lock(&a, &name(b"m"), Mode::X, Kind::NextKey, true)));
    assert!(t.has_gaps(1));
    assert!(t.would_wait(&b, &name(b"m"), Mode::X, Kind::InsertIntention));
    assert!(!t.would_wait(&a, &name(b"m"), Mode::X, Kind::InsertIntention));
    // a inserts "f" below "m": the gap below "f" stays locked.
    t.inherit_on_insert(1, b"f", Some(b"m"));
    assert!(t.would_wait(&b, &name(b"f"), Mode::X, Kind::InsertIntention));
    assert!(!t.would_wait(&b, &name(b"f"), Mode::X, Kind::Record));
    // "m" is removed: its locks move to the end of the index as gap locks.
    t.inherit_on_remove(1, b"m", None);
    assert!(!t.any(&name(b"m")));
    assert!(t.would_wait(&b, &LockName::new(1, None), Mode::X, Kind::InsertIntention));
    t.release_all(&a);
    assert_eq!(t.count(), 0);
    assert!(!t.has_gaps(1));
}

#[test]
fn no_wait_leaves_no_trace() {
    let t = LockTable::new();
    let (a, b) = (trx(1), trx(2));
    assert!(granted(t.lock(&a, &name(b"k"), Mode::X, Kind::Record, true)));
    assert!(t.lock(&b, &name(b"k"), Mode::S, Kind::Record, false).is_none());
    assert_eq!(b.count(), 0);
    t.release_all(&a);
    assert!(!t.make_explicit(&a, &name(b"k")), "a finished transaction gets no lock");
    assert_eq!(t.count(), 0);
}

#[test]
fn a_circle_behind_the_second_holder_is_found() {
    let t = LockTable::new();
    let (idle, a, b) = (trx(1), trx(2), trx(3));
    // The first one in the way only idles; the circle goes through the second.
    assert!(granted(t.lock(&idle, &name(b"r"), Mode::S, Kind::Record, true)));
    assert!(granted(t.lock(&a, &name(b"r"), Mode::S, Kind::Record, true)));
    assert!(granted(t.lock(&b, &name(b"own"), Mode::X, Kind::Record, true)));
    let mut wb = waits(t.lock(&b, &name(b"r"), Mode::X, Kind::Record, true));
    let mut wa = waits(t.lock(&a, &name(b"own"), Mode::X, Kind::Record, true));
    let ends = [poll(&mut wa), poll(&mut wb)];
    assert_eq!(ends.iter().filter(|e| **e == Poll::Ready(Err(Victim))).count(), 1, "{ends:?}");
}

#[test]
fn an_inherited_gap_can_close_a_circle() {
    let t = LockTable::new();
    let (a, b) = (trx(1), trx(2));
    assert!(granted(t.lock(&a, &name(b"from"), Mode::X, Kind::Gap, true)));
    assert!(granted(t.lock(&b, &name(b"own"), Mode::X, Kind::Record, true)));
    let third = trx(3);
    assert!(granted(t.lock(&third, &name(b"to"), Mode::X, Kind::Gap, true)));
    let mut wb = waits(t.lock(&b, &name(b"to"), Mode::X, Kind::InsertIntention, true));
    let mut wa = waits(t.lock(&a, &name(b"own"), Mode::X, Kind::Record, true));
    assert!(poll(&mut wa).is_pending() && poll(&mut wb).is_pending());
    t.inherit_on_insert(1, b"to", Some(b"from"));
    let ends = [poll(&mut wa), poll(&mut wb)];
    assert_eq!(ends.iter().filter(|e| **e == Poll::Ready(Err(Victim))).count(), 1, "{ends:?}");
}

#[test]
fn a_bystander_in_the_line_is_no_victim() {
    let t = LockTable::new();
    let (holder, first, last) = (trx(1), trx(2), trx(3));
    holder.weight.store(100, Ordering::Relaxed);
    last.weight.store(50, Ordering::Relaxed);
    assert!(granted(t.lock(&holder, &name(b"r"), Mode::X, Kind::Record, true)));
    assert!(granted(t.lock(&last, &name(b"own"), Mode::X, Kind::Record, true)));
    let mut w1 = waits(t.lock(&first, &name(b"r"), Mode::X, Kind::Record, true));
    let mut w2 = waits(t.lock(&last, &name(b"r"), Mode::X, Kind::Record, true));
    // `first` waits between the two and has done least, but its end would help nobody.
    let mut w3 = waits(t.lock(&holder, &name(b"own"), Mode::X, Kind::Record, true));
    assert!(poll(&mut w1).is_pending());
    assert_eq!(poll(&mut w2), Poll::Ready(Err(Victim)));
    drop(w2);
    t.release_all(&last);
    assert_eq!(poll(&mut w3), Poll::Ready(Ok(())));
}

/// The table as plainly as it can be said: lists, and the rule applied to all pairs.
mod reference {
    use super::super::super::conflict::{conflicts, covers};
    use super::*;

    pub type What = (Mode, Kind);

    #[derive(Default, Clone)]
    struct Record {
        granted: Vec<(usize, What)>,
        line: Vec<(usize, What)>,
    }

    /// Transactions and records are numbers.
    #[derive(Clone)]
    pub struct Reference {
        records: Vec<Record>,
        /// What each transaction's rollback would cost: it grows with every lock.
        pub weights: Vec<u64>,
    }

    #[derive(PartialEq, Debug)]
    pub enum Said {
        Granted,
        Waits,
    }

    impl Reference {
        pub fn new(records: usize, trxs: usize) -> Reference {
            Reference { records: vec![Record::default(); records], weights: vec![0; trxs] }
        }

        pub fn request(&mut self, trx: usize, record: usize, what: What) -> Said {
            let r = &mut self.records[record];
            if r.granted.iter().any(|(t, w)| *t == trx && covers(*w, what)) {
                return Said::Granted;
            }
            let mut all = r.granted.iter().chain(&r.line);
            if all.any(|(t, w)| *t != trx && conflicts(what, *w)) {
                r.line.push((trx, what));
                return Said::Waits;
            }
            if what.1 != Kind::InsertIntention {
                r.granted.push((trx, what));
                self.weights[trx] += 1;
            }
            Said::Granted
        }

        pub fn give(&mut self, trx: usize, record: usize, what: What) {
            let r = &mut self.records[record];
            if !r.granted.iter().any(|(t, w)| *t == trx && covers(*w, what)) {
                r.granted.push((trx, what));
                self.weights[trx] += 1;
            }
        }

        pub fn excluded(&self, trx: usize, record: usize, what: What) -> bool {
            self.records[record].granted.iter().any(|(t, w)| *t != trx && conflicts(what, *w))
        }

        pub fn copy_gaps(&mut self, from: usize, to: usize) {
            for (t, w) in self.records[from].granted.clone() {
                let has = self.records[to].granted.iter().any(|(u, v)| *u == t && v.1.has_gap());
                if w.1.has_gap() && !has {
                    self.records[to].granted.push((t, (w.0, Kind::Gap)));
                    self.weights[t] += 1;
                }
            }
        }

        pub fn cancel(&mut self, trx: usize) {
            self.records.iter_mut().for_each(|r| r.line.retain(|(t, _)| *t != trx));
            self.grant();
        }

        pub fn release(&mut self, trx: usize) {
            self.records.iter_mut().for_each(|r| r.granted.retain(|(t, _)| *t != trx));
            self.grant();
        }

        fn grant(&mut self) {
            for r in &mut self.records {
                let mut i = 0;
                while i < r.line.len() {
                    let (trx, what) = r.line[i];
                    let mut before = r.granted.iter().chain(&r.line[..i]);
                    if before.any(|(t, w)| *t != trx && conflicts(what, *w)) {
                        i += 1;
                        continue;
                    }
                    r.line.remove(i);
                    if what.1 != Kind::InsertIntention {
                        r.granted.push((trx, what));
                        self.weights[trx] += 1;
                    }
                }
            }
        }

        pub fn is_waiting(&self, trx: usize) -> bool {
            self.records.iter().any(|r| r.line.iter().any(|(t, _)| *t == trx))
        }

        fn waits_for(&self, trx: usize) -> Vec<usize> {
            let mut of = Vec::new();
            for r in &self.records {
                let Some(at) = r.line.iter().position(|(t, _)| *t == trx) else { continue };
                let what = r.line[at].1;
                let before = r.granted.iter().chain(&r.line[..at]);
                of.extend(
                    before.filter(|(t, w)| *t != trx && conflicts(what, *w)).map(|(t, _)| *t),
                );
            }
            of
        }

        /// Every circle without repetitions, each as the set of its members, from each of them.
        pub fn circles(&self, trxs: usize) -> Vec<Vec<usize>> {
            let mut all = Vec::new();
            for start in 0..trxs {
                self.walk(start, &mut vec![start], &mut all);
            }
            all
        }

        fn walk(&self, start: usize, path: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
            for next in self.waits_for(path[path.len() - 1]) {
                if next == start {
                    all.push(path.clone());
                } else if !path.contains(&next) {
                    path.push(next);
                    self.walk(start, path, all);
                    path.pop();
                }
            }
        }
    }
}

mod against_the_reference {
    use super::reference::{Reference, Said, What};
    use super::*;
    use proptest::prelude::*;

    const TRXS: usize = 6;
    const RECORDS: usize = 4;

    #[derive(Clone, Debug)]
    enum Op {
        Request { trx: usize, record: usize, what: What },
        Cancel { trx: usize },
        End { trx: usize, weight: u64 },
        Explicit { trx: usize, record: usize },
        Inherit { from: usize, to: usize },
    }

    fn op() -> impl Strategy<Value = Op> {
        let mode = prop_oneof![1 => Just(Mode::S), 2 => Just(Mode::X)];
        let kind = prop_oneof![
            3 => Just(Kind::Record),
            1 => Just(Kind::Gap),
            2 => Just(Kind::NextKey),
            2 => Just(Kind::InsertIntention)
        ];
        let (trx, record) = (0..TRXS, 0..RECORDS);
        prop_oneof![
            12 => (trx.clone(), record.clone(), mode, kind).prop_map(|(trx, record, mode, kind)| {
                Op::Request { trx, record, what: (mode, kind) }
            }),
            1 => trx.clone().prop_map(|trx| Op::Cancel { trx }),
            1 => (trx.clone(), 0u64..4).prop_map(|(trx, weight)| Op::End { trx, weight }),
            1 => (trx, record.clone()).prop_map(|(trx, record)| Op::Explicit { trx, record }),
            1 => (record.clone(), record).prop_map(|(from, to)| Op::Inherit { from, to }),
        ]
    }

    struct World {
        table: Arc<LockTable>,
        reference: Reference,
        trxs: Vec<Arc<TrxLocks>>,
        waits: Vec<Option<LockWait>>,
    }

    fn record(i: usize) -> LockName {
        name(&[i as u8])
    }

    impl World {
        fn new() -> World {
            World {
                table: LockTable::new(),
                reference: Reference::new(RECORDS, TRXS),
                trxs: (0..TRXS).map(|i| trx(i as u64 + 1)).collect(),
                waits: (0..TRXS).map(|_| None).collect(),
            }
        }

        /// The transaction whose new edges may have closed a circle.
        fn apply(&mut self, op: Op) -> Option<usize> {
            match op {
                Op::Request { trx, record: r, what } => {
                    if self.waits[trx].is_some() {
                        return None;
                    }
                    let got = self.table.lock(&self.trxs[trx], &record(r), what.0, what.1, true);
                    let said = self.reference.request(trx, r, what);
                    match got {
                        Some(Outcome::Wait(w)) => {
                            assert_eq!(said, Said::Waits);
                            self.waits[trx] = Some(w);
                        }
                        _ => assert_eq!(said, Said::Granted),
                    }
                    Some(trx)
                }
                Op::Cancel { trx } => {
                    self.waits[trx] = None;
                    self.reference.cancel(trx);
                    None
                }
                Op::End { trx: t, weight } => {
                    if self.waits[t].is_none() {
                        self.end(t);
                        self.trxs[t].weight.store(weight, Ordering::Relaxed);
                        self.reference.weights[t] = weight;
                    }
                    None
                }
                Op::Explicit { trx, record: r } => {
                    let what = (Mode::X, Kind::Record);
                    if self.reference.excluded(trx, r, what) {
                        return None;
                    }
                    assert!(self.table.make_explicit(&self.trxs[trx], &record(r)));
                    self.reference.give(trx, r, what);
                    Some(trx)
                }
                Op::Inherit { from, to } => {
                    self.table.inherit_on_insert(1, &[to as u8], Some(&[from as u8]));
                    self.reference.copy_gaps(from, to);
                    None
                }
            }
        }

        fn end(&mut self, t: usize) {
            self.table.release_all(&self.trxs[t]);
            self.reference.release(t);
            self.trxs[t] = trx(t as u64 + 1);
            self.reference.weights[t] = 0;
        }

        /// An order of the victims in which each is the cheapest member of a circle that is left by those before it.
        fn justify(
            &self,
            r: &Reference,
            victims: &mut Vec<usize>,
            closer: Option<usize>,
            several: bool,
        ) -> Option<Reference> {
            if victims.is_empty() {
                return Some(r.clone());
            }
            let circles = r.circles(TRXS);
            let serial = |t: &usize| std::cmp::Reverse(self.trxs[*t].serial);
            let order = |t: &&usize| (r.weights[**t], Some(**t) != closer, serial(t));
            for i in 0..victims.len() {
                let v = victims.remove(i);
                let cheapest = circles.iter().any(|c| {
                    c.iter().min_by_key(order) == Some(&v)
                        // Several transactions have got edges at once: among equals it may be any.
                        || several
                            && c.contains(&v)
                            && c.iter().all(|t| r.weights[*t] >= r.weights[v])
                });
                if cheapest {
                    let mut after = r.clone();
                    after.cancel(v);
                    let all = self.justify(&after, victims, closer, several);
                    if let Some(all) = all.filter(|r| r.circles(TRXS).is_empty()) {
                        return Some(all);
                    }
                }
                victims.insert(i, v);
            }
            None
        }

        /// Takes the victims that the table chose out of the reference, each for a circle that it justifies, and
        /// compares afterwards who is waiting.
        fn compare(&mut self, closer: Option<usize>, several: bool) {
            let ends: Vec<_> = self.waits.iter_mut().map(|w| w.as_mut().map(poll)).collect();
            let is_victim = |e: &Option<Poll<_>>| *e == Some(Poll::Ready(Err(Victim)));
            let mut victims: Vec<usize> = (0..TRXS).filter(|t| is_victim(&ends[*t])).collect();
            let justified = self.justify(&self.reference, &mut victims, closer, several);
            self.reference =
                justified.expect("a victim that breaks no circle, or is not the cheapest");
            assert_eq!(self.reference.circles(TRXS), Vec::<Vec<usize>>::new(), "a deadlock stays");
            for (t, end) in ends.iter().enumerate() {
                if is_victim(end) {
                    self.waits[t] = None;
                    self.end(t);
                }
            }
            for t in 0..TRXS {
                let granted = self.waits[t].as_mut().is_some_and(|w| poll(w).is_ready());
                if granted {
                    self.waits[t] = None;
                }
                assert_eq!(self.waits[t].is_some(), self.reference.is_waiting(t), "{t}");
                assert_eq!(self.table.is_waiting(&self.trxs[t]), self.waits[t].is_some());
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 2000 }))]
        #[test]
        fn who_waits_and_who_gives_way(ops in prop::collection::vec(op(), 1..60)) {
            let mut w = World::new();
            for op in ops {
                let several = matches!(op, Op::Inherit { .. });
                let closer = w.apply(op);
                w.compare(closer, several);
            }
            w.waits.iter_mut().for_each(|x| *x = None);
            w.trxs.iter().for_each(|t| w.table.release_all(t));
            prop_assert_eq!(w.table.count(), 0);
            prop_assert!(!w.table.has_gaps(1));
            prop_assert!(w.table.blockers().is_empty());
        }
    }
}
