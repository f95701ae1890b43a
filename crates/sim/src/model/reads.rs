//! What a read may return, by isolation level.

use super::claims::short;
use super::{Failure, Key, RowRef, Tid, World, failed};
use crate::schema::{Handle, Row, entry_of, key_of, unique_values, values_of};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use weir_engine::{IndexDef, Isolation, Table};

/// What a scan was asked for.
#[derive(Clone, Debug)]
pub struct Range {
    pub index: usize,
    pub start: Key,
    pub end: Option<Key>,
    pub reverse: bool,
    /// It stopped after this many rows.
    pub limit: Option<usize>,
}

impl Range {
    fn has(&self, entry: &[u8]) -> bool {
        entry >= self.start.as_slice() && self.end.as_ref().is_none_or(|e| entry < e.as_slice())
    }

    /// Rows of the range in the order of its index.
    fn select(&self, t: &Table, rows: impl Iterator<Item = (Key, RowRef)>) -> Vec<RowRef> {
        let mut found: Vec<(Key, RowRef)> = rows
            .map(|(k, r)| if self.index == 0 { (k, r) } else { (entry_of(t, self.index, &r), r) })
            .filter(|(e, _)| self.has(e))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        if self.reverse {
            found.reverse();
        }
        found.truncate(self.limit.unwrap_or(usize::MAX));
        found.into_iter().map(|(_, r)| r).collect()
    }
}

fn tell(t: &Table, got: &[Row], want: &[RowRef]) -> String {
    let at = got.iter().zip(want).take_while(|(g, w)| *g == w.as_ref()).count();
    let one = |r: Option<&Row>| match r {
        None => "the end".to_string(),
        Some(r) => format!("{} {}", short(&key_of(t, r)), describe(r)),
    };
    format!(
        "{} rows instead of {}; the {}. is {} instead of {}",
        got.len(),
        want.len(),
        at + 1,
        one(got.get(at)),
        one(want.get(at).map(|r| r.as_ref()))
    )
}

pub(super) fn describe(r: &Row) -> String {
    let opt = |v: Option<i64>| v.map_or("NULL".into(), |v| v.to_string());
    format!(
        "(id {}, k {}, u {}, s '{}', body {} bytes)",
        r.id,
        opt(r.k),
        opt(r.u),
        String::from_utf8_lossy(&r.s),
        r.body.len()
    )
}

fn same(got: &[Row], want: &[RowRef]) -> bool {
    got.len() == want.len() && got.iter().zip(want).all(|(g, w)| g == w.as_ref())
}

impl World {
    /// All rows that a transaction sees with the snapshot `seq`, its own changes included.
    pub fn rows_at(&self, no: u64, tid: Tid, seq: u64) -> BTreeMap<Key, RowRef> {
        self.rows_in(no, tid, seq, None)
    }

    /// The same, of one range of the clustered index.
    fn rows_in(&self, no: u64, tid: Tid, seq: u64, range: Option<&Range>) -> BTreeMap<Key, RowRef> {
        let range = range.filter(|r| r.index == 0);
        let mut out = match range {
            None => self.state_at(tid, seq),
            Some(r) if r.end.as_ref().is_some_and(|e| *e <= r.start) => BTreeMap::new(),
            Some(r) => {
                let t = self.table(tid);
                let end = r.end.clone().map_or(Bound::Unbounded, Bound::Excluded);
                let keys = t.rows.range((Bound::Included(r.start.clone()), end)).map(|(k, _)| k);
                keys.filter_map(|k| t.at(k, seq).map(|r| (k.clone(), r.clone()))).collect()
            }
        };
        for ((a, key), row) in &self.tx(no).writes {
            if *a == tid && range.is_none_or(|r| r.has(key)) {
                match row {
                    Some(r) => out.insert(key.clone(), r.clone()),
                    None => out.remove(key),
                };
            }
        }
        out
    }

    pub(super) fn state_at(&self, tid: Tid, seq: u64) -> BTreeMap<Key, RowRef> {
        let t = self.table(tid);
        t.rows.keys().filter_map(|k| t.at(k, seq).map(|r| (k.clone(), r.clone()))).collect()
    }

    /// Snapshots that a plain read may have had, which began when `from` commits were visible.
    fn candidates(&self, no: u64, from: u64) -> Vec<u64> {
        let tx = self.tx(no);
        match &tx.snapshot {
            Some(c) if tx.isolation == Isolation::RepeatableRead => c.clone(),
            _ => (from..=self.seq).collect(),
        }
    }

    /// The snapshot that a transaction made at this moment.
    pub fn snapshot_now(&mut self, no: u64) {
        let seq = self.seq;
        let tx = self.tx_mut(no);
        if tx.isolation == Isolation::RepeatableRead && tx.snapshot.is_none() {
            tx.snapshot = Some(vec![seq]);
        }
    }

    /// A statement begins; from when on its snapshot may be. Under REPEATABLE READ an earlier plain read that failed may
    /// have made it already.
    pub fn begin_read(&mut self, no: u64, plain: bool) -> u64 {
        let seq = self.seq;
        let tx = self.tx_mut(no);
        if tx.isolation == Isolation::RepeatableRead && plain {
            return *tx.first_read.get_or_insert(seq);
        }
        seq
    }

    fn keep(&mut self, no: u64, left: Vec<u64>) {
        let tx = self.tx_mut(no);
        if tx.isolation == Isolation::RepeatableRead {
            tx.snapshot = Some(left);
        }
    }

    /// Checks a plain read of a range (a point is one too).
    pub fn plain_read(
        &mut self,
        no: u64,
        t: &Handle,
        range: &Range,
        got: &[Row],
        from: u64,
    ) -> Result<(), Failure> {
        self.operations += 1;
        self.alive(no)?;
        if self.tx(no).isolation == Isolation::ReadUncommitted {
            return self.dirty_read(no, t, range, got);
        }
        let tid = t.def.id;
        let all = self.candidates(no, from);
        let mut left = Vec::new();
        let mut last = Vec::new();
        for seq in all.iter().rev() {
            let want = range.select(t, self.rows_in(no, tid, *seq, Some(range)).into_iter());
            if same(got, &want) {
                left.push(*seq);
            } else {
                last = want;
            }
        }
        if left.is_empty() {
            return failed(
                "reads",
                format!(
                    "transaction {no} ({:?}) read {}.{} and got {}; no snapshot of {:?} explains it",
                    self.tx(no).isolation,
                    self.table(tid).name,
                    t.indexes[range.index].def.name,
                    tell(t, got, &last),
                    (all.first(), all.last())
                ),
            );
        }
        left.reverse();
        self.keep(no, left);
        Ok(())
    }

    /// READ UNCOMMITTED: every row is one that somebody wrote, and rows that nobody touches are there.
    fn dirty_read(&self, no: u64, t: &Handle, range: &Range, got: &[Row]) -> Result<(), Failure> {
        let m = self.table(t.def.id);
        let mut seen = BTreeSet::new();
        for r in got {
            let key = key_of(t, r);
            let known =
                m.rows.get(&key).is_some_and(|v| v.iter().any(|v| v.row.as_deref() == Some(r)))
                    || m.tried.get(&key).is_some_and(|v| v.iter().any(|v| v.as_deref() == Some(r)));
            if !known {
                return failed(
                    "reads",
                    format!(
                        "transaction {no} (ReadUncommitted) read row {} {} of {}, which nobody ever wrote",
                        short(&key),
                        describe(r),
                        m.name
                    ),
                );
            }
            seen.insert(key);
        }
        if range.limit.is_some() {
            return Ok(());
        }
        for (key, versions) in &m.rows {
            let [only] = versions.as_slice() else { continue };
            let Some(row) = &only.row else { continue };
            if m.tried.contains_key(key) || seen.contains(key) {
                continue;
            }
            let entry = if range.index == 0 { key.clone() } else { entry_of(t, range.index, row) };
            if range.has(&entry) {
                return failed(
                    "reads",
                    format!("a READ UNCOMMITTED scan of {} missed row {}", m.name, short(key)),
                );
            }
        }
        Ok(())
    }

    /// Checks a read with locks and notes them. `gaps`: the level keeps ranges as they are; `partial`: locked rows may be
    /// left out.
    #[allow(clippy::too_many_arguments)]
    pub fn locking_read(
        &mut self,
        no: u64,
        t: &Handle,
        range: &Range,
        got: &[Row],
        from: u64,
        exclusive: bool,
        partial: bool,
    ) -> Result<(), Failure> {
        self.operations += 1;
        self.alive(no)?;
        let tid = t.def.id;
        let gaps = self.tx(no).isolation.locks_gaps() && !partial;
        let now = self.rows_in(no, tid, u64::MAX, Some(range));
        if gaps {
            let want = range.select(t, now.into_iter());
            if !same(got, &want) {
                return failed(
                    "reads",
                    format!(
                        "transaction {no} read {}.{} with locks and got {}",
                        self.table(tid).name,
                        t.indexes[range.index].def.name,
                        tell(t, got, &want)
                    ),
                );
            }
        } else {
            self.locked_rows_are_newest(no, t, range, got, &now)?;
            if !partial && range.limit.is_none() {
                self.none_missed(no, t, range, got, from)?;
            }
        }
        for r in got {
            self.claim_row(no, t, &key_of(t, r), exclusive)?;
        }
        if gaps {
            let (mut start, mut end) = (range.start.clone(), range.end.clone());
            if let (Some(n), Some(last)) = (range.limit, got.last())
                && got.len() == n
            {
                // Only what was passed is locked.
                let mut entry = entry_of(t, range.index, last);
                if range.reverse {
                    start = entry;
                } else {
                    entry.push(0);
                    end = Some(entry);
                }
            }
            self.claim_range(no, t, range.index, (start, end), range.reverse)?;
        }
        Ok(())
    }

    /// A row that has just been locked is the newest there is.
    pub fn sees_newest(
        &self,
        no: u64,
        t: &Handle,
        range: &Range,
        row: &Row,
    ) -> Result<(), Failure> {
        let now = self.rows_in(no, t.def.id, u64::MAX, Some(range));
        self.locked_rows_are_newest(no, t, range, std::slice::from_ref(row), &now)
    }

    fn locked_rows_are_newest(
        &self,
        no: u64,
        t: &Handle,
        range: &Range,
        got: &[Row],
        now: &BTreeMap<Key, RowRef>,
    ) -> Result<(), Failure> {
        let mut last: Option<Key> = None;
        for r in got {
            let key = key_of(t, r);
            if now.get(&key).map(|n| n.as_ref()) != Some(r) {
                return failed(
                    "reads",
                    format!(
                        "transaction {no} locked row {} of {} and got {}; committed is {}",
                        short(&key),
                        self.table(t.def.id).name,
                        describe(r),
                        now.get(&key).map_or("nothing".into(), |r| describe(r))
                    ),
                );
            }
            let entry = entry_of(t, range.index, r);
            let ordered = match &last {
                None => true,
                Some(l) if range.reverse => entry < *l,
                Some(l) => entry > *l,
            };
            if !ordered || !range.has(&entry) {
                return failed(
                    "reads",
                    format!("transaction {no} got row {} out of its range or order", short(&key)),
                );
            }
            last = Some(entry);
        }
        Ok(())
    }

    /// READ COMMITTED with locks: a row that was left out was not there at some moment of the scan.
    fn none_missed(
        &self,
        no: u64,
        t: &Handle,
        range: &Range,
        got: &[Row],
        from: u64,
    ) -> Result<(), Failure> {
        let seen: BTreeSet<Key> = got.iter().map(|r| key_of(t, r)).collect();
        // A row whose entry moved meanwhile may have passed the scan.
        let m = self.table(t.def.id);
        let entry = |key: &Key, r: Option<&RowRef>| {
            let r = r?;
            let e = if range.index == 0 { key.clone() } else { entry_of(t, range.index, r) };
            range.has(&e).then_some(e)
        };
        let always = |key: &Key| match self.tx(no).writes.get(&(t.def.id, key.clone())) {
            Some(own) => entry(key, own.as_ref()).is_some(),
            None => {
                let first = entry(key, m.at(key, from));
                first.is_some() && (from..=self.seq).all(|s| entry(key, m.at(key, s)) == first)
            }
        };
        let own = self.tx(no).writes.keys().filter(|c| c.0 == t.def.id).map(|c| &c.1);
        let mut keys = m.rows.keys().chain(own);
        match keys.find(|k| !seen.contains(*k) && always(k)) {
            None => Ok(()),
            Some(k) => failed(
                "reads",
                format!(
                    "transaction {no} read {}.{} with locks and missed row {}",
                    self.table(t.def.id).name,
                    t.indexes[range.index].def.name,
                    short(k)
                ),
            ),
        }
    }

    /// Rows that stand in the way of a new one: index and clustered key of each. `earlier`: rows that the same statement
    /// has put there.
    fn in_the_way(
        &self,
        no: u64,
        t: &Handle,
        row: &Row,
        earlier: &[Row],
        moved: Option<&Key>,
    ) -> Vec<(usize, Key)> {
        let key = key_of(t, row);
        let mut now = self.rows_at(no, t.def.id, u64::MAX);
        now.extend(earlier.iter().map(|r| (key_of(t, r), RowRef::new(r.clone()))));
        let mut out = Vec::new();
        if moved != Some(&key) && now.contains_key(&key) {
            out.push((0, key.clone()));
        }
        for i in (1..t.indexes.len()).filter(|i| t.indexes[*i].def.unique) {
            let Some(columns) = unique_values(t, i, row) else { continue };
            for (k, r) in &now {
                if *k != key
                    && Some(k) != moved
                    && unique_values(t, i, r).as_ref() == Some(&columns)
                {
                    out.push((i, k.clone()));
                }
            }
        }
        out
    }

    /// The engine took a row in (`moved`: it was there under this key before; `earlier`: by the same statement).
    pub fn check_inserted(
        &self,
        no: u64,
        t: &Handle,
        row: &Row,
        earlier: &[Row],
        moved: Option<&Key>,
    ) -> Result<(), Failure> {
        match self.in_the_way(no, t, row, earlier, moved).first() {
            None => Ok(()),
            Some((i, k)) => failed(
                "unique",
                format!(
                    "transaction {no} put {} into {} although unique index '{}' has row {}",
                    describe(row),
                    self.table(t.def.id).name,
                    t.indexes[*i].def.name,
                    short(k)
                ),
            ),
        }
    }

    /// The engine took a row in and took it back since, with the rest of a statement that failed. Meanwhile others may have put theirs
    /// there and committed, so only a row that stood in the way from the statement's beginning (`since`) until now is a violation.
    pub fn check_was_free(
        &self,
        no: u64,
        t: &Handle,
        row: &Row,
        earlier: &[Row],
        since: u64,
    ) -> Result<(), Failure> {
        let (tid, m) = (t.def.id, self.table(t.def.id));
        let stood = |i: usize, k: &Key| {
            let in_the_way =
                |r: &RowRef| i == 0 || unique_values(t, i, r) == unique_values(t, i, row);
            earlier.iter().any(|e| key_of(t, e) == *k)
                || self.tx(no).writes.contains_key(&(tid, k.clone()))
                || (since..=self.seq).all(|s| m.at(k, s).is_some_and(in_the_way))
        };
        let way = self.in_the_way(no, t, row, earlier, None);
        if way.iter().any(|(i, k)| stood(*i, k)) {
            return self.check_inserted(no, t, row, earlier, None);
        }
        Ok(())
    }

    /// The engine refused a row because of another one.
    pub fn check_refused(
        &self,
        no: u64,
        t: &Handle,
        row: &Row,
        earlier: &[Row],
        moved: Option<&Key>,
        (index, other): (usize, &[u8]),
    ) -> Result<(), Failure> {
        let way = self.in_the_way(no, t, row, earlier, moved);
        if way.iter().any(|(i, k)| *i == index && k == other) {
            return Ok(());
        }
        failed(
            "unique",
            format!(
                "transaction {no} could not put {} into {}: the engine says that index '{}' has row {}, which has no such entry",
                describe(row),
                self.table(t.def.id).name,
                t.indexes[index].def.name,
                short(other)
            ),
        )
    }

    /// A definition statement refused a unique index because of a row: another one must have had the same values at a moment since it
    /// began, for others may write meanwhile.
    pub fn check_index_refused(
        &self,
        tid: Tid,
        i: &IndexDef,
        key: &[u8],
        since: u64,
    ) -> Result<(), Failure> {
        let twins_at = |seq: u64| {
            let rows = self.state_at(tid, seq);
            let values = rows.get(key).and_then(|r| values_of(i, r));
            let twin = |v: &Vec<i64>| {
                rows.iter().any(|(k, r)| k != key && values_of(i, r).as_ref() == Some(v))
            };
            values.as_ref().is_some_and(twin)
        };
        if (since..=self.seq).rev().any(twins_at) {
            return Ok(());
        }
        failed(
            "unique",
            format!(
                "index '{}' of {} was refused because of row {}, whose values nobody else has",
                i.name,
                self.table(tid).name,
                short(key)
            ),
        )
    }

    /// A definition statement has made a unique index: no two rows have the same values.
    pub fn check_index_made(&self, tid: Tid, i: &IndexDef) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        let rows = self.state_at(tid, u64::MAX);
        match rows.iter().find(|(_, r)| values_of(i, r).is_some_and(|v| !seen.insert(v))) {
            Some((k, _)) if i.unique => failed(
                "unique",
                format!(
                    "unique index '{}' was made although row {} of {} has the values of another one",
                    i.name,
                    short(k),
                    self.table(tid).name
                ),
            ),
            _ => Ok(()),
        }
    }
}
