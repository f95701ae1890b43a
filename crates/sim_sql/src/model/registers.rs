//! Rows that many transactions write, each time with a value of its own, and what their readers may see.
//!
//! The commit of a transaction lies somewhere between its COMMIT and the answer. Writers of a row exclude each other until
//! they have committed, so the versions of a row are in the order of their COMMITs. A snapshot is a moment; each value that
//! was read through it says that the moment is not before the version's COMMIT, and not behind the answer to the COMMIT of
//! the next version. A snapshot for which no moment is left is a violation, and so is one that sees one row of a transaction
//! and not another.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

#[derive(Clone, Copy, Debug)]
struct Version {
    value: i64,
    txn: u64,
    /// COMMIT was sent.
    from: u64,
    /// It was answered.
    by: u64,
}

/// What a snapshot has shown so far.
#[derive(Clone, Debug)]
struct Snapshot {
    low: u64,
    high: u64,
    seen: BTreeSet<u64>,
    unseen: BTreeSet<u64>,
}

impl Snapshot {
    fn between(from: u64, to: u64) -> Snapshot {
        Snapshot { low: from, high: to, seen: BTreeSet::new(), unseen: BTreeSet::new() }
    }
}

/// A transaction that is not over.
#[derive(Clone, Debug)]
pub struct Open {
    no: u64,
    level: Level,
    snapshot: Option<Snapshot>,
    /// What it has written itself.
    pub pending: BTreeMap<usize, i64>,
}

impl Open {
    /// `no` is a number that no other transaction has.
    pub fn new(no: u64, level: Level) -> Open {
        Open { no, level, snapshot: None, pending: BTreeMap::new() }
    }

    /// START TRANSACTION WITH CONSISTENT SNAPSHOT ran from `from` to `to`.
    pub fn snapshot_taken(&mut self, from: u64, to: u64) {
        if self.level == Level::RepeatableRead {
            self.snapshot = Some(Snapshot::between(from, to));
        }
    }

    /// ROLLBACK TO a savepoint from before the first use of a table.
    pub fn begin_again(&mut self) {
        self.snapshot = None;
    }

    /// Whether plain reads see what is not committed: a statement that is about to fail, for one, which has changed a row and
    /// its entries, and has not been undone yet.
    pub fn sees_unfinished(&self) -> bool {
        self.level == Level::ReadUncommitted
    }

    /// Whether plain reads are locking reads.
    pub fn locks_reads(&self) -> bool {
        self.level == Level::Serializable
    }
}

#[derive(Clone, Default)]
pub struct Registers {
    rows: Vec<Vec<Version>>,
    /// All values that somebody has tried to write.
    tried: BTreeSet<(usize, i64)>,
}

impl Registers {
    /// Rows with these values, since ever.
    pub fn starting_with(values: &[i64]) -> Registers {
        let first = |v: &i64| vec![Version { value: *v, txn: 0, from: 0, by: 0 }];
        let tried = values.iter().copied().enumerate().collect();
        Registers { rows: values.iter().map(first).collect(), tried }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Somebody is about to write the value.
    pub fn tried(&mut self, row: usize, value: i64) {
        self.tried.insert((row, value));
    }

    /// A plain read of some rows by one statement that ran from `from` to `to`.
    pub fn read(
        &self,
        t: &mut Open,
        rows: &[(usize, i64)],
        from: u64,
        to: u64,
    ) -> Result<(), String> {
        let mut snapshot = match (t.level, t.snapshot.take()) {
            (Level::RepeatableRead, Some(s)) => s,
            _ => Snapshot::between(from, to),
        };
        for (row, value) in rows {
            if let Some(own) = t.pending.get(row) {
                match own == value {
                    true => continue,
                    false => return Err(format!("row {row} is {value}, its own write was {own}")),
                }
            }
            if t.level == Level::ReadUncommitted {
                match self.tried.contains(&(*row, *value)) {
                    true => continue,
                    false => return Err(format!("row {row} is {value}, which nobody wrote")),
                }
            }
            self.narrow(&mut snapshot, *row, *value)?;
        }
        t.snapshot = (t.level == Level::RepeatableRead).then_some(snapshot);
        Ok(())
    }

    fn narrow(&self, s: &mut Snapshot, row: usize, value: i64) -> Result<(), String> {
        let versions = &self.rows[row];
        let Some(i) = versions.iter().rposition(|v| v.value == value) else {
            return Err(format!("row {row} is {value}, which nobody has committed"));
        };
        let (v, next) = (versions[i], versions.get(i + 1));
        s.low = s.low.max(v.from);
        s.high = s.high.min(next.map_or(u64::MAX, |n| n.by));
        if s.low > s.high {
            return Err(format!(
                "row {row} is {value}, of the transaction that committed in {}..{}, the next one in {next:?}; \
                 no snapshot sees that and what was read before",
                v.from, v.by
            ));
        }
        s.seen.insert(v.txn);
        s.unseen.extend(next.map(|n| n.txn));
        match s.seen.intersection(&s.unseen).find(|n| **n != 0) {
            None => Ok(()),
            Some(n) => Err(format!(
                "row {row} is {value}: the snapshot sees a part of transaction {n} and not another part"
            )),
        }
    }

    /// A read with locks within a transaction: the newest committed version, or its own.
    pub fn locked_read(&self, t: &Open, rows: &[(usize, i64)]) -> Result<(), String> {
        for (row, value) in rows {
            let newest = self.rows[*row].last().expect("a row always has a version").value;
            let want = t.pending.get(row).copied().unwrap_or(newest);
            if *value != want {
                return Err(format!("row {row} is {value} under a lock, the newest is {want}"));
            }
        }
        Ok(())
    }

    /// COMMIT is sent: from here on others may see it.
    pub fn commit_sent(&mut self, t: &Open, step: u64) {
        for (row, value) in &t.pending {
            let v = Version { value: *value, txn: t.no, from: step, by: u64::MAX };
            self.rows[*row].push(v);
        }
    }

    /// COMMIT was answered.
    pub fn committed(&mut self, t: &Open, step: u64) {
        for row in t.pending.keys() {
            let versions = &mut self.rows[*row];
            versions.iter_mut().filter(|v| v.txn == t.no).for_each(|v| v.by = step);
            if versions.len() > 400 {
                versions.drain(..200);
            }
        }
    }

    /// COMMIT failed, and nothing of it will ever be seen.
    pub fn taken_back(&mut self, t: &Open) {
        for row in t.pending.keys() {
            self.rows[*row].retain(|v| v.txn != t.no);
        }
    }

    /// After a start: every row is the last acknowledged version or a later one that was on its way, and a transaction is
    /// there as a whole or not at all.
    pub fn recovered(&mut self, found: &[i64]) -> Result<(), String> {
        let mut kept: BTreeSet<u64> = BTreeSet::new();
        let mut lost: BTreeSet<u64> = BTreeSet::new();
        for (row, value) in found.iter().enumerate() {
            let versions = &self.rows[row];
            let Some(i) = versions.iter().rposition(|v| v.value == *value) else {
                return Err(format!("row {row} is {value}, which nobody has committed"));
            };
            if let Some(v) = versions[i + 1..].iter().find(|v| v.by != u64::MAX) {
                return Err(format!("row {row} is {value}, {} was acknowledged", v.value));
            }
            kept.extend(versions[..=i].iter().map(|v| v.txn));
            lost.extend(versions[i + 1..].iter().map(|v| v.txn));
        }
        if let Some(n) = kept.intersection(&lost).next() {
            return Err(format!("a part of transaction {n} is there and another part is not"));
        }
        // What the crash cut off is rolled back beside the readers: READ UNCOMMITTED may still see it.
        let tried = std::mem::take(&mut self.tried);
        *self = Registers::starting_with(found);
        self.tried.extend(tried);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Registers {
        Registers::starting_with(&[1, 2])
    }

    fn write(r: &mut Registers, no: u64, rows: &[(usize, i64)], sent: u64, answered: u64) -> Open {
        let mut t = Open::new(no, Level::RepeatableRead);
        t.pending = rows.iter().copied().collect();
        rows.iter().for_each(|(row, v)| r.tried(*row, *v));
        r.commit_sent(&t, sent);
        if answered != u64::MAX {
            r.committed(&t, answered);
        }
        t
    }

    #[test]
    fn a_snapshot_stays_where_it_is() {
        let mut r = two();
        let mut t = Open::new(1, Level::RepeatableRead);
        r.read(&mut t, &[(0, 1)], 10, 11).unwrap();
        write(&mut r, 2, &[(0, 5), (1, 6)], 12, 13);
        let mut other = t.clone();
        assert!(r.read(&mut other, &[(1, 6)], 14, 15).is_err());
        r.read(&mut t, &[(1, 2)], 14, 15).unwrap();
        let mut t = Open::new(3, Level::ReadCommitted);
        assert!(r.read(&mut t, &[(0, 1)], 14, 15).is_err());
        r.read(&mut t, &[(0, 5), (1, 6)], 14, 15).unwrap();
    }

    #[test]
    fn a_transaction_is_seen_as_a_whole() {
        let mut r = two();
        write(&mut r, 2, &[(0, 5), (1, 6)], 10, u64::MAX);
        let mut t = Open::new(3, Level::ReadCommitted);
        assert!(r.read(&mut t, &[(0, 5), (1, 2)], 11, 12).is_err());
        r.read(&mut t, &[(0, 1), (1, 2)], 11, 12).unwrap();
        assert!(r.clone().recovered(&[5, 2]).is_err());
        r.clone().recovered(&[1, 2]).unwrap();
        r.recovered(&[5, 6]).unwrap();
    }

    #[test]
    fn what_was_acknowledged_stays() {
        let mut r = two();
        write(&mut r, 2, &[(0, 5)], 10, 11);
        assert!(r.clone().recovered(&[1, 2]).is_err());
        let t = write(&mut r, 3, &[(0, 7)], 12, u64::MAX);
        r.clone().recovered(&[7, 2]).unwrap();
        r.taken_back(&t);
        assert!(r.clone().recovered(&[7, 2]).is_err());
        r.recovered(&[5, 2]).unwrap();
    }

    #[test]
    fn own_writes_uncommitted_reads_and_locks() {
        let mut r = two();
        r.tried(0, 9);
        let mut t = Open::new(1, Level::ReadUncommitted);
        r.read(&mut t, &[(0, 9)], 1, 2).unwrap();
        assert!(r.read(&mut t, &[(0, 8)], 1, 2).is_err());
        t.pending.insert(0, 4);
        assert!(r.read(&mut t, &[(0, 1)], 1, 2).is_err());
        assert!(r.locked_read(&t, &[(0, 1)]).is_err());
        r.locked_read(&t, &[(0, 4), (1, 2)]).unwrap();
    }
}
