//! What was changed while an index was built is made up for in its tree.
//!
//! Invariant: a word is the last that was said about its entry until a moment behind which the log goes on, so after the words of the last
//! round, said while nobody writes, the tree has what the rows ask for. In between it may have the values of a unique index twice.

use super::Catalog;
use crate::btree;
use crate::error::{Error, Result};
use crate::mtr::{self, Core};
use crate::page::redo::Redo;
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::pool::Access;
use crate::table::{Index, Said, Table};
use crate::txn::secondary_value;
use std::collections::BTreeSet;
use std::sync::Arc;
use weir_rt::Interrupt;

/// A partition's place and the index's.
type Place = (usize, usize);

/// Values that a unique index had twice at some moment.
#[derive(Default)]
pub(in crate::catalog) struct Suspects(BTreeSet<(Place, Vec<u8>)>);

impl Suspects {
    /// Nobody writes any more: anyone who is still there twice ends the statement.
    pub async fn judge(&self, catalog: &Catalog, building: &Arc<Table>) -> Result<()> {
        for ((part, i), columns) in &self.0 {
            let t = &building.stored()[*part];
            if let Some(key) = second(&catalog.core, &t.indexes[*i], columns).await? {
                return Err(catalog.with_row(t, t.duplicate(*i, key)).await);
            }
        }
        Ok(())
    }
}

/// Applies words, which come in the order of their entries: what is to go first, so that values that have moved from row to row are not
/// there twice.
pub(in crate::catalog) async fn apply(
    core: &Core,
    t: &Arc<Table>,
    (part, i): Place,
    words: &[Said],
    suspects: &mut Suspects,
    interrupt: &Interrupt,
) -> Result<()> {
    let index = &t.indexes[i];
    for there in [false, true] {
        for (entry, word) in words.iter().filter(|(_, w)| w.there == there) {
            if interrupt.killed() != 0 {
                return Err(Error::Interrupted);
            }
            match there {
                false => take_out(core, index, entry).await?,
                true => put_in(core, index, entry, word.columns.into()).await?,
            }
        }
    }
    if !index.def.unique || planted::is(Bug::CaughtUpUnchecked) {
        return Ok(());
    }
    for (entry, word) in words.iter().filter(|(_, w)| w.there) {
        let columns = &entry[..word.columns.into()];
        if !index.has_null(columns) && second(core, index, columns).await?.is_some() {
            suspects.0.insert(((part, i), columns.to_vec()));
        }
    }
    Ok(())
}

async fn put_in(core: &Core, index: &Index, entry: &[u8], columns: usize) -> Result<()> {
    let value = secondary_value(columns);
    let need = btree::insert_need(entry.len(), value.len());
    mtr::run(core, need + 64, |w| {
        let mut g = w.gather();
        let at = btree::place(&mut g, &index.tree, entry)?;
        let Err(slot) = at.slot else { return Ok(()) };
        btree::room_for_insert(&g, &index.tree, &at, entry, value.len())?;
        let mut a = g.seal(need)?;
        btree::insert(&mut a, &index.tree, at.leaf, slot, entry, &value);
        a.commit();
        Ok(())
    })
    .await
}

async fn take_out(core: &Core, index: &Index, entry: &[u8]) -> Result<()> {
    let gone = mtr::run(core, 96, |w| {
        let mut g = w.gather();
        let at = btree::place(&mut g, &index.tree, entry)?;
        let Ok(slot) = at.slot else { return Ok(false) };
        let mut a = g.seal(64)?;
        a.record(at.leaf, &Redo::SlotRemove { slot: slot as u16 });
        a.commit();
        Ok(true)
    })
    .await?;
    match gone {
        true => btree::merge_soon(core, &index.tree, entry).await,
        false => Ok(()),
    }
}

/// The row of the second entry with these values, if there are two.
async fn second(core: &Core, index: &Index, columns: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut from = columns.to_vec();
    let mut found = 0;
    loop {
        let (next, row) = mtr::run(core, 0, |w| {
            let leaf = btree::leaf(w.core, &index.tree, &from, Access::Point)?;
            let p = leaf.bytes();
            let at = match slotted::search(p, &from) {
                Ok(s) | Err(s) => s,
            };
            let mut here = found;
            for s in at..slotted::count(p) {
                let (key, value) = (slotted::key(p, s), slotted::value(p, s));
                let own = usize::from(u16::from_le_bytes([value[1], value[2]]));
                if key.get(..own) != Some(columns) {
                    return Ok((None, None));
                }
                here += 1;
                if here == 2 {
                    return Ok((None, Some(key[own..].to_vec())));
                }
            }
            Ok((slotted::upper(p).map(|u| (u.to_vec(), here)), None))
        })
        .await?;
        match (next, row) {
            (_, Some(row)) => return Ok(Some(row)),
            (Some((upper, here)), None) => (from, found) = (upper, here),
            (None, None) => return Ok(None),
        }
    }
}
