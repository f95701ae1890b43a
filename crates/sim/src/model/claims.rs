//! Locks as promises: who was told that a row or a range is locked must not see others change it.
//!
//! A claim begins when the engine returned from a locking read and ends when the transaction begins to end, so it lies
//! within the engine's lock. A claim that somebody's write crosses is a lock that the engine did not have or did not heed.

use super::{Failure, Key, Tid, World, failed};
use crate::schema::{Handle, Row, entry_of};
use weir_engine::Table;

#[derive(Clone)]
pub enum Claim {
    Row {
        tid: Tid,
        key: Key,
        exclusive: bool,
    },
    /// Entries of an index with `start <= entry < end`, the gaps between them included.
    Range {
        table: Handle,
        index: usize,
        start: Key,
        end: Option<Key>,
        reverse: bool,
    },
}

fn within(entry: &[u8], start: &[u8], end: Option<&Key>) -> bool {
    entry >= start && end.is_none_or(|e| entry < e.as_slice())
}

pub(super) fn short(key: &[u8]) -> String {
    key.iter().take(24).map(|b| format!("{b:02x}")).collect()
}

/// Whether a row has its entry in the range.
fn inside(table: &Table, index: usize, start: &[u8], end: Option<&Key>, row: &Row) -> bool {
    within(&entry_of(table, index, row), start, end)
}

impl World {
    /// A row read with a lock.
    pub fn claim_row(
        &mut self,
        no: u64,
        t: &Table,
        key: &[u8],
        exclusive: bool,
    ) -> Result<(), Failure> {
        let tid = t.def.id;
        self.tell(|| format!("{no} locked {} {} X {exclusive}", t.def.name, short(key)));
        let mut suspect = None;
        for (other, tx) in self.txs.iter().filter(|(n, _)| **n != no) {
            let written = tx.writes.contains_key(&(tid, key.to_vec()));
            let locked = tx.claims.iter().any(|c| {
                matches!(c, Claim::Row { tid: a, key: b, exclusive: x }
                    if *a == tid && b == key && (exclusive || *x))
            });
            if written || locked {
                let how = if written { "changed and not committed" } else { "locked" };
                let f = failed(
                    "locks",
                    format!(
                        "transaction {no} got a {} lock on row {} of table {}, which transaction {other} has {how}",
                        if exclusive { "X" } else { "S" },
                        short(key),
                        self.table(tid).name
                    ),
                );
                if locked {
                    return f;
                }
                suspect = f.err().map(|f| (*other, f));
            }
        }
        if let Some((other, f)) = suspect {
            self.suspect(other, f);
        }
        self.tx_mut(no).claims.push(Claim::Row { tid, key: key.to_vec(), exclusive });
        Ok(())
    }

    /// A range read with locks at a level that locks gaps.
    pub fn claim_range(
        &mut self,
        no: u64,
        t: &Handle,
        index: usize,
        (start, end): (Key, Option<Key>),
        reverse: bool,
    ) -> Result<(), Failure> {
        let tid = t.def.id;
        self.tell(|| {
            let (a, b) = (short(&start), end.as_ref().map_or("end".into(), |e| short(e)));
            let index = &t.indexes[index].def.name;
            format!("{no} locked the range {a}..{b} of {}.{index}, backward {reverse}", t.def.name)
        });
        let mut suspects = Vec::new();
        for (other, tx) in self.txs.iter().filter(|(n, _)| **n != no) {
            for ((_, key), new) in tx.writes.iter().filter(|((a, _), _)| *a == tid) {
                let old = self.table(tid).at(key, u64::MAX);
                let touched = [old, new.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(|r| inside(t, index, &start, end.as_ref(), r));
                if touched {
                    let f = failed::<()>(
                        "locks",
                        format!(
                            "transaction {no} read a range of {}.{} with locks past row {}, which transaction {other} has changed and not committed",
                            self.table(tid).name,
                            t.indexes[index].def.name,
                            short(key)
                        ),
                    );
                    suspects.extend(f.err().map(|f| (*other, f)));
                }
            }
        }
        for (other, f) in suspects {
            self.suspect(other, f);
        }
        self.tx_mut(no).claims.push(Claim::Range { table: t.clone(), index, start, end, reverse });
        Ok(())
    }

    /// A write that was done: nobody else may have a claim in its way, and no uncommitted write.
    pub(super) fn check_write(
        &mut self,
        no: u64,
        t: &Table,
        key: &[u8],
        old: Option<&Row>,
        new: Option<&Row>,
    ) -> Result<(), Failure> {
        let tid = t.def.id;
        let mut suspect = None;
        for (other, tx) in self.txs.iter().filter(|(n, _)| **n != no) {
            if tx.writes.contains_key(&(tid, key.to_vec())) {
                let f = failed::<()>(
                    "locks",
                    format!(
                        "G0 (dirty write): transaction {no} changed row {} of table {}, which transaction {other} has changed and not committed",
                        short(key),
                        self.table(tid).name
                    ),
                );
                suspect = f.err().map(|f| (*other, f));
            }
            for c in &tx.claims {
                let hit = match c {
                    Claim::Row { tid: a, key: b, .. } => *a == tid && b == key,
                    Claim::Range { table, index, start, end, .. } => {
                        table.def.id == tid
                            && [old, new]
                                .into_iter()
                                .flatten()
                                .any(|r| inside(table, *index, start, end.as_ref(), r))
                    }
                };
                if hit {
                    let what = match c {
                        Claim::Row { .. } => "the row".to_string(),
                        Claim::Range { table, index, start, end, reverse } => format!(
                            "the range {}..{} of index {} (phantom, scan {})",
                            short(start),
                            end.as_ref().map_or("end".into(), |e| short(e)),
                            table.indexes[*index].def.name,
                            if *reverse { "backward" } else { "forward" }
                        ),
                    };
                    return failed(
                        "locks",
                        format!(
                            "transaction {no} changed row {} of table {} although transaction {other} has locked {what}",
                            short(key),
                            self.table(tid).name
                        ),
                    );
                }
            }
        }
        if let Some((other, f)) = suspect {
            self.suspect(other, f);
        }
        Ok(())
    }
}
