//! Entries of many rows: those of an index sorted, and as many as share a leaf made in one mini-transaction.
//!
//! The rows are new and of one run (`bulk`), so none of their keys had a record and no entry of theirs stands anywhere. A unique
//! index is asked about each row in the order of the rows, which decides which error a statement gets; only the others take runs.
//! Whatever is not plain - a locked gap, a leaf without room, a buffer tree beyond its limit - goes the way of a single entry, which
//! can wait.

use super::bulk::{Ready, RowList};
use super::secondary::{note_trx, padded, value};
use super::{LockMode, RowAttempt, Txn};
use crate::btree;
use crate::change_buffer::{Before, VALUE};
use crate::cost::{self, Cost};
use crate::error::{Error, Result};
use crate::mtr::Work;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::sync::atomic::Ordering;
use crate::table::Table;
use std::sync::Arc;

/// Entries of a mini-transaction at most, and bytes of redo that are asked for with them: what a run does not use of its grant is
/// given back, but nobody else has it meanwhile.
const RUN_ENTRIES: usize = 64;
const RUN_BYTES: usize = 4 * 1024;

/// An entry of a new row.
struct Entry {
    key: Vec<u8>,
    /// Where the clustered key begins in it.
    pk_at: usize,
    /// Its row's place in the list.
    row: usize,
}

impl Txn {
    /// Makes the entries of rows whose clustered records have just been inserted. An error names its row.
    pub(super) async fn insert_entries(
        &mut self,
        t: &Arc<Table>,
        list: &RowList,
        ready: &[Ready],
    ) -> std::result::Result<(), (usize, Error)> {
        let sorted = self.sorted_entries(t, list, ready);
        for r in ready {
            for i in (1..t.indexes.len()).filter(|i| sorted.is_none() || t.indexes[*i].def.unique) {
                let one = async {
                    for entry in t.entries(i, list.row(r.row), &r.key)? {
                        self.insert_secondary(t, i, &entry, &r.key, true, LockMode::Shared).await?;
                    }
                    Ok(())
                };
                one.await.map_err(|e| (r.row, e))?;
            }
        }
        for (i, entries) in sorted.unwrap_or_default() {
            self.insert_sorted(t, i, &entries).await?;
        }
        Ok(())
    }

    /// The entries by index; none, where they are made row by row: there is one row only, or an entry that is too long, which is an
    /// error of its row and comes behind those of the rows before it.
    fn sorted_entries(
        &self,
        t: &Table,
        list: &RowList,
        ready: &[Ready],
    ) -> Option<Vec<(usize, Vec<Entry>)>> {
        let max = slotted::max_key(self.db.core.spaces.page_size());
        let entry = |key: Vec<u8>, r: &Ready| {
            (key.len() <= max).then(|| Entry { pk_at: key.len() - r.key.len(), key, row: r.row })
        };
        if ready.len() < 2 {
            return None;
        }
        let mut all = Vec::new();
        for i in (1..t.indexes.len()).filter(|i| !t.indexes[*i].def.unique) {
            let mut entries = Vec::with_capacity(ready.len());
            for r in ready {
                for key in t.entries(i, list.row(r.row), &r.key).ok()? {
                    entries.push(entry(key, r)?);
                }
            }
            entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
            all.push((i, entries));
        }
        Some(all)
    }

    async fn insert_sorted(
        &mut self,
        t: &Arc<Table>,
        i: usize,
        entries: &[Entry],
    ) -> std::result::Result<(), (usize, Error)> {
        let index = &t.indexes[i];
        let mut rest = entries;
        while let [first, behind @ ..] = rest {
            // A hint only: the attempt asks again with the leaf latched. Where a gap is locked it would be made in vain each time.
            let plain = !behind.is_empty() && !self.db.locks.has_gaps(index.id);
            let few = async {
                let made = match index.buffer.before_insert(&self.db.core) {
                    Before::Nothing if plain => self.insert_few(t, i, rest).await?,
                    _ => 0,
                };
                if made == 0 {
                    let (entry, key) = (&first.key, &first.key[first.pk_at..]);
                    self.insert_secondary(t, i, entry, key, true, LockMode::Shared).await?;
                }
                Ok(made)
            };
            let made = few.await.map_err(|e| (first.row, e))?;
            rest = &rest[made.max(1)..];
        }
        Ok(())
    }

    /// Makes the first of the entries and those behind it that share its leaf; 0: the first has to go by itself.
    async fn insert_few(&mut self, t: &Arc<Table>, i: usize, entries: &[Entry]) -> Result<usize> {
        let few = &entries[..entries.len().min(RUN_ENTRIES)];
        let value = VALUE + t.indexes[i].buffer.padding();
        let need = few.iter().map(|e| btree::insert_need(e.key.len(), value)).sum::<usize>();
        let first = btree::insert_need(entries[0].key.len(), value);
        let want = need.min(RUN_BYTES).max(first) + 64;
        // A tiny log takes single entries only.
        if (want + crate::log::FRAME) as u64 > self.db.core.log.grant_max() {
            return Ok(0);
        }
        let made = self.drive(want, |txn, w| txn.few_attempt(w, t, i, few)).await?;
        if made > 0
            && let Some(owed) = t.indexes[i].buffer.after_insert(&self.db.core)
        {
            Box::pin(self.contract(t, i, owed)).await?;
        }
        Ok(made)
    }

    fn few_attempt(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        i: usize,
        entries: &[Entry],
    ) -> RowAttempt<usize> {
        let index = &t.indexes[i];
        let mut g = w.gather();
        let (tree, at) = self.place_of_new(&mut g, index, &entries[0].key, true)?;
        let buffered = tree.index != index.id;
        // Asked under the leaf's latch, as for a single entry: later gap locks see these entries.
        if self.db.locks.has_gaps(index.id) && !planted::is(Bug::EntriesIgnoreGaps) {
            return Ok(0);
        }
        let padding = if buffered { index.buffer.padding() } else { 0 };
        let p = g.bytes(at.leaf);
        let (mut free, mut redo, mut slots) = (slotted::free_bytes(p), 0, Vec::new());
        for e in entries {
            if !slotted::owns(p, &e.key) {
                break;
            }
            let Err(slot) = slotted::search(p, &e.key) else { break };
            let cell = slotted::cell_size(e.key.len() - slotted::prefix_len(p), VALUE + padding);
            let more = redo + btree::insert_need(e.key.len(), VALUE + padding);
            if cell > free || (more > RUN_BYTES && !slots.is_empty()) {
                break;
            }
            (free, redo) = (free - cell, more);
            slots.push(slot + slots.len());
        }
        if slots.is_empty() {
            return Ok(0);
        }
        let mut a = g.seal(redo + 32)?;
        for (e, slot) in entries.iter().zip(&slots) {
            let value = padded(value(0, e.pk_at), padding);
            btree::insert(&mut a, tree, at.leaf, *slot, &e.key, &value);
        }
        note_trx(&mut a, at.leaf, self.id);
        a.commit();
        if buffered {
            let n = slots.len() as u64;
            self.db.core.stats.change_buffer.inserts.fetch_add(n, Ordering::Relaxed);
            cost::spend(Cost::ChangeBufferEntries, n);
        }
        Ok(slots.len())
    }
}
