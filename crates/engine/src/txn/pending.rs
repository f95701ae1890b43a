//! Committed transactions whose undo is still there, in the order in which purge comes to them.
//!
//! So many of them are *listed*. When the list is full, of each slot only that its chain goes on is kept: where the first log begins
//! that is not listed, where the last one ends, and how many there are. Purge lists a few of them when it arrives there. So a
//! forgotten snapshot costs undo pages with the rate of commits, and no memory.
//!
//! Invariants
//! - The logs of a slot come in their chain in the order of their commit numbers, and of their transactions' ids: a transaction
//!   has its slot before it draws either, and gives it back afterwards.
//! - What is not listed of a slot comes after all that is listed of it, and is one piece of the chain, without a log of an active transaction.
//! - A log is listed, or counted as unlisted, at every moment between its commit and the end of its purge.

use super::undo::{History, UndoPosition};
use crate::ids::TrxId;
use std::collections::{HashMap, VecDeque};

/// Logs of one slot that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlisted {
    pub slot: u16,
    /// The first of them begins here, or where the next page begins.
    pub from: UndoPosition,
    /// The last one ends here.
    pub upto: UndoPosition,
    pub count: u64,
    /// None of them has a smaller commit number.
    no: u64,
    /// No transaction among them has a smaller id, and the last one has the other.
    trx: (TrxId, TrxId),
}

/// What purge is to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// This log comes next, and is the current one from here on.
    Log(History),
    /// Logs of a slot have to be listed first: one of them may come next.
    List(Unlisted),
    Nothing,
}

/// How far purge has come with a committed transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Its log has not been begun.
    Before,
    Within,
    /// It is done with its log, and with those of all transactions that committed before.
    Past,
    /// Past, if the transaction's log is not among those that are not listed.
    Unknown,
}

pub struct Pending {
    /// Logs listed at most, except for a few that purge lists when it arrives at them.
    most: usize,
    /// By commit number. They come nearly in order, so a new one has its place near the end.
    listed: VecDeque<History>,
    /// Their ids, ascending.
    ids: VecDeque<TrxId>,
    /// The id of the one whose log is being purged.
    current: Option<TrxId>,
    unlisted: HashMap<u16, Unlisted>,
    /// No log that is not listed has a smaller commit number; `u64::MAX`: all are listed.
    unlisted_no: u64,
    unlisted_count: u64,
    /// Bytes of all logs.
    bytes: u64,
}

impl Pending {
    pub fn new(most: usize) -> Pending {
        Pending {
            most: most.max(1),
            listed: VecDeque::new(),
            ids: VecDeque::new(),
            current: None,
            unlisted: HashMap::new(),
            unlisted_no: u64::MAX,
            unlisted_count: 0,
            bytes: 0,
        }
    }

    pub fn push(&mut self, h: History) {
        if self.is_room_for(&h) {
            self.list(h);
        }
    }

    /// As [`Pending::push`], in the order of the chains only: [`Pending::sort`] comes when all are there.
    pub fn push_unsorted(&mut self, h: History) {
        if self.is_room_for(&h) {
            self.listed.push_back(h);
            self.ids.push_back(h.trx);
        }
    }

    pub fn sort(&mut self) {
        self.listed.make_contiguous().sort_unstable_by_key(|h| h.no);
        self.ids.make_contiguous().sort_unstable();
    }

    /// Whether a new log is to be listed. If not, it is counted.
    fn is_room_for(&mut self, h: &History) -> bool {
        self.bytes += h.bytes;
        if self.unlisted.is_empty() && self.listed.len() < self.most {
            return true;
        }
        if let Some(u) = self.unlisted.get_mut(&h.slot) {
            (u.upto, u.count, u.trx.1) = (h.end, u.count + 1, h.trx);
        } else if self.listed.len() < self.most {
            return true;
        } else {
            let (no, trx) = (h.no, (h.trx, h.trx));
            let first = Unlisted { slot: h.slot, from: h.begin, upto: h.end, count: 1, no, trx };
            self.unlisted.insert(h.slot, first);
            self.unlisted_no = self.unlisted_no.min(no);
        }
        self.unlisted_count += 1;
        false
    }

    fn list(&mut self, h: History) {
        // They come in their order nearly always.
        if self.listed.back().is_none_or(|last| last.no < h.no)
            && self.ids.back().is_none_or(|last| *last < h.trx)
        {
            self.ids.push_back(h.trx);
            return self.listed.push_back(h);
        }
        let at = self.listed.partition_point(|o| o.no < h.no);
        self.listed.insert(at, h);
        let at = self.ids.partition_point(|id| *id < h.trx);
        self.ids.insert(at, h.trx);
    }

    /// Logs that the chain of a slot was found to have, and where the rest begins. `None`: they are not what was counted.
    pub fn list_found(&mut self, slot: u16, logs: &[History], rest: UndoPosition) -> Option<()> {
        let (last, found) = (logs.last()?, logs.len() as u64);
        let u = self.unlisted.get_mut(&slot)?;
        if found > u.count || (rest == u.upto) != (found == u.count) {
            return None;
        }
        (u.from, u.count) = (rest, u.count - found);
        (u.no, u.trx.0) = (last.no + 1, last.trx + 1);
        if u.count == 0 {
            self.unlisted.remove(&slot);
        }
        self.unlisted_count -= found;
        self.unlisted_no = self.unlisted.values().map(|u| u.no).min().unwrap_or(u64::MAX);
        logs.iter().for_each(|h| self.list(*h));
        Some(())
    }

    /// What is to be done for the logs below a commit number.
    pub fn step(&mut self, below: u64) -> Step {
        let front = self.listed.front().copied().filter(|h| h.no < below);
        self.current = None;
        if self.unlisted_no < front.map_or(below, |h| h.no) {
            let first = self.unlisted.values().find(|u| u.no == self.unlisted_no);
            return Step::List(*first.expect("the smallest number is that of a slot"));
        }
        self.current = front.map(|h| h.trx);
        front.map_or(Step::Nothing, Step::Log)
    }

    /// Nobody is within a log.
    pub fn leave(&mut self) {
        self.current = None;
    }

    pub fn get_mut(&mut self, no: u64) -> Option<&mut History> {
        let at = self.listed.binary_search_by_key(&no, |h| h.no).ok()?;
        self.listed.get_mut(at)
    }

    pub fn remove(&mut self, h: &History) {
        if let Ok(at) = self.listed.binary_search_by_key(&h.no, |o| o.no) {
            self.listed.remove(at);
            self.bytes -= h.bytes;
        }
        if let Ok(at) = self.ids.binary_search(&h.trx) {
            self.ids.remove(at);
        }
        // What a long snapshot has kept is given back when purge is through with it.
        if self.listed.len() < self.listed.capacity() / 8 {
            self.listed.shrink_to(self.listed.len() * 2);
            self.ids.shrink_to(self.ids.len() * 2);
        }
    }

    pub fn progress(&self, trx: TrxId) -> Progress {
        match self.ids.binary_search(&trx) {
            Ok(_) if self.current == Some(trx) => Progress::Within,
            Ok(_) => Progress::Before,
            Err(_) if self.unlisted.is_empty() => Progress::Past,
            Err(_) => Progress::Unknown,
        }
    }

    /// The same of a transaction that is known to have used a slot.
    pub fn progress_in(&self, slot: u16, trx: TrxId) -> Progress {
        match self.progress(trx) {
            Progress::Unknown => {}
            known => return known,
        }
        // The ids of a slot come in their order, so purge has passed those in front of what is left.
        match self.unlisted.get(&slot) {
            Some(u) if (u.trx.0..=u.trx.1).contains(&trx) => Progress::Before,
            _ => Progress::Past,
        }
    }

    pub fn has_slot(&self, slot: u16) -> bool {
        self.unlisted.contains_key(&slot) || self.listed.iter().any(|h| h.slot == slot)
    }

    pub fn len(&self) -> usize {
        self.listed.len() + self.unlisted_count as usize
    }

    /// Entries that are in memory for them.
    pub fn entries(&self) -> usize {
        self.listed.len() + self.unlisted.len()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// All pieces of undo that are kept.
    pub fn pieces(&self) -> Vec<(UndoPosition, UndoPosition)> {
        let listed = self.listed.iter().map(|h| (h.begin, h.end));
        listed.chain(self.unlisted.values().map(|u| (u.from, u.upto))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use weir_rt::Rng;

    fn at(n: u64) -> UndoPosition {
        UndoPosition { page: n as u32, off: 56 }
    }

    /// Chains of slots as lists; the positions are the places in them.
    struct Chains(BTreeMap<u16, Vec<History>>);

    impl Chains {
        fn commit(&mut self, slot: u16, no: u64, trx: TrxId) -> History {
            let chain = self.0.entry(slot).or_default();
            let n = chain.len() as u64;
            let (begin, end) = (at(n), at(n + 1));
            let h = History { no, trx, slot, begin, end, bytes: no % 7 + 1, work: true };
            chain.push(h);
            h
        }

        fn read(&self, u: &Unlisted, most: usize) -> (Vec<History>, UndoPosition) {
            let chain = &self.0[&u.slot][u.from.page as usize..u.upto.page as usize];
            let logs: Vec<History> = chain.iter().take(most).copied().collect();
            let rest = logs.last().expect("there are some").end;
            (logs, rest)
        }
    }

    /// Purges all below a number; returns how many.
    fn purge(p: &mut Pending, chains: &Chains, below: u64, last: &mut u64, most: usize) -> u64 {
        let mut done = 0;
        loop {
            match p.step(below) {
                Step::Nothing => return done,
                Step::List(u) => {
                    let (logs, rest) = chains.read(&u, most);
                    p.list_found(u.slot, &logs, rest).expect("as counted");
                }
                Step::Log(h) => {
                    assert!(h.no > *last && h.no < below, "{} after {last}", h.no);
                    assert_eq!(p.progress(h.trx), Progress::Within);
                    *last = h.no;
                    p.remove(&h);
                    assert_eq!(p.progress_in(h.slot, h.trx), Progress::Past);
                    done += 1;
                }
            }
        }
    }

    /// Random commits by slots of their own, with stops of purge in between: they come in order, none is lost, and what is asked
    /// of one is answered right, whether it is listed or not.
    #[test]
    fn purge_comes_to_all_in_order() {
        for seed in 0..300 {
            let mut rng = Rng::new(seed);
            let most = 1 + rng.below(20) as usize;
            let (mut p, mut chains) = (Pending::new(most), Chains(BTreeMap::new()));
            // Transactions that have a slot and an id, and have not committed.
            let mut open: Vec<(u16, TrxId)> = Vec::new();
            let (mut no, mut trx, mut last, mut purged) = (1, 1, 0, 0);
            for _ in 0..2000 {
                let free = (0..1 + rng.below(12) as u16).find(|s| open.iter().all(|o| o.0 != *s));
                match (rng.below(40), free) {
                    (0..=19, Some(slot)) => {
                        open.push((slot, trx));
                        trx += 1;
                    }
                    (20..=38, _) if !open.is_empty() => {
                        let (slot, id) = open.swap_remove(rng.below(open.len() as u64) as usize);
                        p.push(chains.commit(slot, no, id));
                        no += 1;
                        assert_eq!(p.progress_in(slot, id), Progress::Before);
                    }
                    (39, _) => {
                        let below = last + rng.below(no + 1 - last.min(no));
                        let few = 1 + rng.below(5) as usize;
                        purged += purge(&mut p, &chains, below, &mut last, few);
                    }
                    _ => {}
                }
                assert_eq!(p.len() as u64, no - 1 - purged);
                assert!(p.entries() <= most + 12 * 6, "{} entries", p.entries());
            }
            for h in chains.0.values().flatten() {
                let now = p.progress_in(h.slot, h.trx);
                let expected = if h.no <= last { Progress::Past } else { Progress::Before };
                assert_eq!(now, expected, "{h:?} behind {last}, seed {seed}");
            }
            purged += purge(&mut p, &chains, no, &mut last, 3);
            assert_eq!((purged, p.entries(), p.bytes()), (no - 1, 0, 0));
        }
    }

    #[test]
    fn what_a_start_finds_is_listed_as_far_as_there_is_room() {
        let (mut p, mut chains) = (Pending::new(5), Chains(BTreeMap::new()));
        let mut all: Vec<History> = (1..100).map(|n| chains.commit((n % 3) as u16, n, n)).collect();
        all.sort_by_key(|h| (h.slot, h.no));
        all.into_iter().for_each(|h| p.push_unsorted(h));
        p.sort();
        assert_eq!((p.len(), p.entries()), (99, 8));
        assert_eq!(purge(&mut p, &chains, 50, &mut 0, 4), 49);
        assert_eq!(purge(&mut p, &chains, 100, &mut 49, 4), 50);
        assert_eq!(p.entries(), 0);
    }

    /// A chain that has other logs than were counted is damaged.
    #[test]
    fn logs_that_were_not_counted_are_refused() {
        let (mut p, mut chains) = (Pending::new(1), Chains(BTreeMap::new()));
        (1..10).for_each(|n| p.push(chains.commit(0, n, n)));
        let Step::Log(first) = p.step(100) else { panic!("the one that is listed") };
        p.remove(&first);
        let Step::List(u) = p.step(100) else { panic!("the others are not") };
        assert_eq!((u.count, p.bytes()), (8, (2..10).map(|n| n % 7 + 1).sum()));
        let (logs, rest) = chains.read(&u, 8);
        assert_eq!(p.list_found(0, &logs[..7], rest), None);
        assert_eq!(p.list_found(0, &[], u.from), None);
        assert_eq!(p.list_found(0, &logs, logs[3].end), None);
        p.list_found(0, &logs, rest).expect("as counted");
    }
}
