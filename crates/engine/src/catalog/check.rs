//! CHECK TABLE: trees, entries against rows both ways, unique values, long columns, the space map.

use super::Catalog;
use super::owners::Owners;
use crate::btree::{self, Tree};
use crate::change_buffer::{BUFFER, VALUE};
use crate::error::{Error, Result};
use crate::page::slotted;
use crate::row::{RowView, validate};
use crate::sync::atomic::Ordering;
use crate::table::{Entries, HeldTables, Index, Table};
use crate::txn::external;
use crate::txn::{Kept, ROW_HEADER, RowHeader, kept_for};
use crate::waits::{Cause, Object, What};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use weir_rt::Interrupt;

/// What must be in one secondary index: the entries of live rows, as hashes, and how often.
type Expected = HashMap<u64, u32>;

/// What a walk over the clustered index has found.
#[derive(Default)]
struct Rows {
    live: i64,
    deleted: u64,
    /// First pages of the long columns of all rows, deleted ones included.
    chains: Vec<u32>,
    /// Live rows whose long columns must be read before their entries are known.
    long: Vec<(Vec<u8>, Vec<u8>)>,
    problems: Vec<String>,
}

impl Catalog {
    /// Everything that is wrong with a table; empty when it is clean. The table is locked against writers and purge meanwhile.
    pub async fn check_table(
        &self,
        t: &Arc<Table>,
        interrupt: &Interrupt,
        held: Option<&HeldTables>,
        limit: Duration,
    ) -> Result<Vec<String>> {
        let own = held.is_some_and(|h| h.mode_of(t).is_some());
        let locked = match own {
            true => t.met().await.map(|()| None),
            // Anyone who checks waits for all that use the table.
            false => t.mdl_exclusive(&self.rt, limit, interrupt).await.map(Some),
        };
        let _hold = match locked {
            Err(Error::TableDamaged { why, .. }) => return Ok(vec![why]),
            hold => hold?,
        };
        // The lock may be free because the engine has stopped in the middle of a rollback: no state to be judged.
        self.core.log.failure()?;
        // Older versions in the history have long columns of their own, until purge has them.
        let turn = || What::new(Cause::Turn, Object::Table(t.def.id));
        let running = self.core.waits.during(turn, self.purge.running.lock()).await;
        let _no_purge = t.hold_purge().await;
        let stored: Vec<&Arc<Table>> = std::iter::once(t).chain(&t.parts).collect();
        let mut history = Vec::with_capacity(stored.len());
        for s in &stored {
            history.push(kept_for(self, s.def.id).await?);
        }
        drop(running);
        let mut problems = Vec::new();
        for (n, (s, kept)) in stored.into_iter().zip(&history).enumerate() {
            let found = match s.met().await {
                Ok(()) => self.check_one(s, kept).await?,
                Err(Error::TableDamaged { why, .. }) => vec![why],
                Err(e) => return Err(e),
            };
            problems.extend(found.into_iter().map(|p| match n {
                0 => p,
                n => format!("partition {n}: {p}"),
            }));
        }
        Ok(problems)
    }

    /// A table without its partitions, or one of these. Nobody writes, and purge is kept out.
    async fn check_one(&self, t: &Arc<Table>, kept: &Kept) -> Result<Vec<String>> {
        let mut owners = Owners::new(&t.space, self.core.spaces.page_size());
        owners.expect_half(self.half_trees_of(t.space.id).await?);
        let mut expected: Vec<Expected> = t.indexes.iter().map(|_| Expected::new()).collect();
        let mut problems = self.check_rows(t, &mut expected, kept, &mut owners).await?;
        for (i, e) in expected.iter_mut().enumerate().skip(1) {
            self.check_secondary(t, i, e, kept, &mut owners, &mut problems).await?;
        }
        problems.extend(owners.compare(&self.core, &t.space).await?);
        Ok(problems)
    }

    /// The newest transaction that is known to have changed the page where an entry of an index stands, or would stand. An
    /// entry that an active transaction has made or marked is found by it: its lock is implicit.
    pub async fn writer_of_page(&self, t: &Table, index: usize, entry: &[u8]) -> Result<u64> {
        crate::mtr::run(&self.core, 0, |w| {
            let mut newest = 0;
            for tree in t.indexes[index].trees().each() {
                let leaf = btree::leaf(w.core, tree, entry, crate::pool::Access::Point)?;
                newest = newest.max(slotted::max_trx(leaf.bytes()));
            }
            Ok(newest)
        })
        .await
    }

    /// The clustered index and the long columns of its rows and of the history.
    async fn check_rows(
        &self,
        t: &Arc<Table>,
        expected: &mut [Expected],
        kept: &Kept,
        owners: &mut Owners,
    ) -> Result<Vec<String>> {
        let mut rows = Rows::default();
        let index = &t.indexes[0];
        let report =
            btree::check(&self.core, &index.tree, |k, v| look(t, k, v, expected, &mut rows))
                .await?;
        let mut problems = std::mem::take(&mut rows.problems);
        for (k, row) in &rows.long {
            let full = external::materialise(&self.core, t, row).await?;
            for (i, e) in expected.iter_mut().enumerate().skip(1) {
                expect(e, &t.entries(i, &full, k)?);
            }
        }
        problems.extend(report.problems);
        if rows.deleted > 0 && !kept.work {
            problems.push(format!("{} deleted rows that nothing will purge", rows.deleted));
        }
        owners.take_all(index.id, report.pages);
        t.rows.store(rows.live, Ordering::Relaxed);
        for first in kept.chains.iter().chain(&rows.chains) {
            owners.take_chain(&self.core, &t.space, *first).await?;
        }
        Ok(problems)
    }

    async fn check_secondary(
        &self,
        t: &Arc<Table>,
        i: usize,
        expected: &mut Expected,
        kept: &Kept,
        owners: &mut Owners,
        problems: &mut Vec<String>,
    ) -> Result<()> {
        let index = &t.indexes[i];
        let (mut extra, mut bad, mut marked) = (0u64, 0u64, 0u64);
        let mut unique = Unique { index, last: Vec::new(), twice: 0 };
        let mut keys = std::collections::HashSet::new();
        let (mut twice, has_buffer) = (0u64, index.buffer.tree().is_some());
        for tree in index.trees().each() {
            let report = btree::check(&self.core, tree, |k, v| {
                // The trees of an index are looked through one after the other: what both have has been seen before.
                twice += u64::from(has_buffer && !keys.insert(hash(k)));
                if !is_entry(tree, v) || external_offset(v) > k.len() {
                    bad += 1;
                    return;
                }
                if v[0] & 1 != 0 {
                    marked += 1;
                    return;
                }
                unique.next(&k[..external_offset(v)]);
                match expected.get_mut(&hash(k)) {
                    Some(n) if *n > 0 => *n -= 1,
                    _ => extra += 1,
                }
            })
            .await?;
            problems.extend(report.problems);
            owners.take_all(tree.index, report.pages);
        }
        let missing: u64 = expected.values().map(|n| *n as u64).sum();
        if kept.work {
            marked = 0;
        }
        for (n, what) in [
            (bad, "damaged entries"),
            (extra, "entries without a row"),
            (missing, "rows without an entry"),
            (unique.twice, "entries with the values of another one, although it is unique"),
            (marked, "marked entries that nothing will purge"),
            (twice, "entries that stand in the main tree and in the change buffer"),
        ] {
            if n > 0 {
                problems.push(format!("index '{}': {n} {what}", index.def.name));
            }
        }
        Ok(())
    }
}

fn expect(expected: &mut Expected, entries: &Entries) {
    entries.iter().for_each(|e| *expected.entry(hash(e)).or_default() += 1);
}

/// One record of the clustered index.
fn look(t: &Table, k: &[u8], v: &[u8], expected: &mut [Expected], rows: &mut Rows) {
    if v.len() < ROW_HEADER {
        rows.problems.push("a clustered record without its header".to_string());
        return;
    }
    let (h, row) = (RowHeader::read(v), &v[ROW_HEADER..]);
    if let Err(e) = validate(&t.layout, row) {
        rows.problems.push(format!("damaged row: {e}"));
        return;
    }
    rows.chains.extend(external::chains(t, row));
    if h.is_deleted() {
        rows.deleted += 1;
        return;
    }
    rows.live += 1;
    if RowView::new(&t.layout, row).has_external() {
        rows.long.push((k.to_vec(), row.to_vec()));
        return;
    }
    if !t.has_hidden_key() && t.clustered_key(row).ok().as_deref() != Some(k) {
        rows.problems.push("a row stands under another key than its columns say".to_string());
    }
    for (i, e) in expected.iter_mut().enumerate().skip(1) {
        if let Some(entries) = t.entries_stored(i, row, k) {
            expect(e, &entries);
        }
    }
}

/// Looks for neighbours with equal values in a unique index; its entries come in order.
struct Unique<'a> {
    index: &'a Index,
    last: Vec<u8>,
    twice: u64,
}

impl Unique<'_> {
    /// The next live entry's columns.
    fn next(&mut self, columns: &[u8]) {
        if !self.index.def.unique || self.index.has_null(columns) {
            return;
        }
        if !self.last.is_empty() && self.last == columns {
            self.twice += 1;
        }
        self.last.clear();
        self.last.extend_from_slice(columns);
    }
}

/// Whether a value is as long as an entry's, which in a buffer tree may have padding behind it.
fn is_entry(tree: &Tree, value: &[u8]) -> bool {
    match tree.index & BUFFER {
        0 => value.len() == VALUE,
        _ => value.len() >= VALUE,
    }
}

fn external_offset(value: &[u8]) -> usize {
    u16::from_le_bytes([value[1], value[2]]) as usize
}

fn hash(k: &[u8]) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut h = std::hash::DefaultHasher::new();
    k.hash(&mut h);
    h.finish()
}
