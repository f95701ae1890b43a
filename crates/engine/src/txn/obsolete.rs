//! Entries that a change of a row makes obsolete: purge finds them in the change's undo record. A record has one page at most; where
//! they do not fit beside a long row, records before it have the others, each of a change that leaves the row as it is.
//!
//! Invariant: an entry is recorded before, or together with, the change that makes it obsolete, by the same transaction. So purge comes to it
//! when nobody needs it any more, and a rollback undoes the change first.

use super::undo::{self, Change, Patch};
use super::version::{HEADER, RowHeader};
use super::{Need, RowAttempt, Txn, external};
use crate::btree::{self, Place};
use crate::error::{Error, Result};
use crate::mtr::{Attempt, Core, Work};
use crate::page::slotted;
use crate::table::{Table, lacking};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Obsolete entries of a row that have been told, with the ids of their indexes.
pub(super) type Told = BTreeSet<(u64, Vec<u8>)>;

/// Bytes of a record beside key, entries and row, and of an entry beside itself; more than there are.
const BESIDE: usize = 80;
const BESIDE_ENTRY: usize = 14;

/// The entries (index id, entry) that the row has before a change and not behind it, but those that were told.
pub(super) fn entries(
    core: &Core,
    t: &Table,
    key: &[u8],
    (old, new): (&[u8], &[u8]),
    told: &Told,
) -> Attempt<Vec<(u64, Vec<u8>)>> {
    let mut gone = Vec::new();
    for (i, index) in t.indexes.iter().enumerate().skip(1) {
        if !index.depends_on_change(&t.layout, old, new) {
            continue;
        }
        let before = external::entries(core, t, i, old, key)?;
        let behind = external::entries(core, t, i, new, key)?;
        gone.extend(lacking(&before, &behind).into_iter().map(|e| (index.id, e.clone())));
    }
    if !told.is_empty() {
        gone.retain(|e| !told.contains(e));
    }
    Ok(gone)
}

impl Txn {
    /// Tells as many entries that the change to `new` makes obsolete as one record has room for. The caller has the row locked.
    pub(super) async fn tell_obsolete(
        &mut self,
        t: &Arc<Table>,
        key: &[u8],
        new: &[u8],
        told: &mut Told,
    ) -> Result<()> {
        let more = self.drive(0, |txn, w| txn.tell_obsolete_attempt(w, t, key, new, told)).await?;
        told.extend(more);
        Ok(())
    }

    fn tell_obsolete_attempt(
        &mut self,
        w: &mut Work<'_>,
        t: &Arc<Table>,
        key: &[u8],
        new: &[u8],
        told: &Told,
    ) -> RowAttempt<Told> {
        let mut g = w.gather();
        let Place { leaf, slot: Ok(slot) } = btree::place(&mut g, &t.indexes[0].tree, key)? else {
            return Err(t.lost_row(key).into());
        };
        let value = slotted::value(g.bytes(leaf), slot);
        let (h, old) = (RowHeader::read(value), value[HEADER..].to_vec());
        let max = undo::record_max(g.core().spaces.page_size());
        let mut room = max.saturating_sub(BESIDE + key.len());
        let mut gone = entries(g.core(), t, key, (&old, new), told)?;
        gone.retain(|(_, e)| {
            let fits = e.len() + BESIDE_ENTRY <= room;
            room -= if fits { e.len() + BESIDE_ENTRY } else { 0 };
            fits
        });
        if gone.is_empty() {
            return Err(Error::RowTooLarge { len: old.len(), max }.into());
        }
        let rec = undo::encode_change(&Change {
            table: t.def.id,
            key,
            old_flags: h.flags,
            old_trx: h.trx,
            old_roll: h.roll,
            patch: Patch::between(&old, &old),
            obsolete: gone.iter().map(|(i, e)| (*i, e.as_slice())).collect(),
            externals: Vec::new(),
            purged: false,
        });
        let Some(place) = undo::prepare(&mut g, self.undo_mut(), rec.len())? else {
            return Err(Need::UndoPage.into());
        };
        let need = btree::replace_need(HEADER + old.len(), HEADER + old.len());
        let mut a = g.seal(need + undo::append_need(rec.len()))?;
        let id = self.id;
        undo::append(&mut a, self.undo_mut(), &place, id, &rec);
        self.undo_mut().note_work();
        let header = RowHeader { flags: h.flags, trx: id, roll: place.at.roll_pointer() };
        btree::replace(&mut a, leaf, slot, &header.with(&old));
        a.commit();
        Ok(gone.into_iter().collect())
    }
}
