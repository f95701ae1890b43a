//! The same for a few rows that follow one another in the clustered index.
//!
//! All of them are of one view, which is opened before the first leaf is looked at. Each row is given away while its leaf is latched. Where a
//! leaf would have to be waited for, the answer is `None`, and the caller takes back what it has got and reads in the usual way; so
//! this is for ranges whose number of rows is bounded by their ends.

use super::Sees;
use crate::btree;
use crate::page::slotted;
use crate::pool::Access;
use crate::row::has_external;
use crate::table::{MdlMode, Table, Use};
use crate::txn::{Isolation, System, Txn, View, open_view};
use std::sync::Arc;

/// Keys of the clustered index, both included. No key between them goes on behind the last part that they have.
#[derive(Clone, Copy, Debug)]
pub struct KeysNow<'k> {
    pub from: &'k [u8],
    pub to: &'k [u8],
}

/// What takes the rows; false: it cannot.
pub type EachNow<'e> = &'e mut dyn FnMut(&[u8]) -> bool;

fn read(
    db: &System,
    t: &Table,
    keys: KeysNow<'_>,
    sees: &Sees<'_>,
    each: EachNow<'_>,
) -> Option<usize> {
    let external = t.may_have_external();
    let (mut rows, mut next): (usize, Option<Vec<u8>>) = (0, None);
    loop {
        let from = next.as_deref().unwrap_or(keys.from);
        let leaf = btree::leaf(&db.core, &t.indexes[0].tree, from, Access::Point).ok()?;
        let page = leaf.bytes();
        let (Ok(first) | Err(first)) = slotted::search(page, from);
        let upper = slotted::upper(page).filter(|upper| *upper <= keys.to);
        let end = match upper {
            Some(_) => slotted::count(page),
            None => slotted::search(page, keys.to).map_or_else(|slot| slot, |slot| slot + 1),
        };
        for slot in first..end {
            let Some(row) = sees.version(db, slotted::value(page, slot))? else { continue };
            if external && has_external(&row) || !each(&row) {
                return None;
            }
            rows += 1;
        }
        match upper {
            Some(upper) => next = Some(upper.to_vec()),
            None => break,
        }
    }
    db.stats.rows_read.add(rows as u64);
    t.indexes[0].uses.add(Use::Fetched, rows as u64);
    Some(rows)
}

impl System {
    /// Gives `each` the rows of these keys as a transaction of this read alone would read them, and counts that as one. `uncommitted`: the
    /// newest versions, no matter who wrote them. Their number; within `None` what was given is not the answer.
    pub fn read_range_now(
        &self,
        t: &Table,
        keys: KeysNow<'_>,
        uncommitted: bool,
        each: EachNow<'_>,
    ) -> Option<usize> {
        if self.core.log.failure().is_err() {
            return None;
        }
        let _held = t.mdl_briefly()?;
        let rows = match uncommitted {
            true => read(self, t, keys, &Sees::Any, each)?,
            false => {
                let view = self.trx.open_view();
                let known = t.indexes[0].visible_from <= view.no;
                let rows = known.then(|| read(self, t, keys, &Sees::View(&view, 0), each));
                view.close();
                rows??
            }
        };
        self.stats.commits.add(1);
        Some(rows)
    }
}

impl Txn {
    /// As [`Txn::read_now`], for the rows of these keys.
    pub fn read_range_now(
        &mut self,
        t: &Arc<Table>,
        keys: KeysNow<'_>,
        each: EachNow<'_>,
    ) -> Option<usize> {
        if self.check_alive().is_err() || self.o.held.is_some() || self.o.background {
            return None;
        }
        t.usable().ok()?;
        if !self.mdl.iter().any(|h| h.is_for(t)) {
            let hold = t.mdl_now(MdlMode::Read)?;
            self.mdl.push(hold);
        }
        let own = self.id;
        let of_view = |db: &System, view: &View, each: EachNow<'_>| {
            // A definition that is younger than the snapshot is an error, which the usual way reports.
            let known = t.indexes[0].visible_from <= view.no;
            known.then(|| read(db, t, keys, &Sees::View(view, own), each))?
        };
        match self.o.isolation {
            Isolation::ReadUncommitted => read(&self.db, t, keys, &Sees::Any, each),
            // A view for each statement.
            Isolation::ReadCommitted => {
                let view = self.db.trx.open_view();
                let rows = of_view(&self.db, &view, each);
                view.close();
                rows
            }
            Isolation::RepeatableRead | Isolation::Serializable => {
                let view = &**self.view.get_or_insert_with(|| open_view(&self.db, &self.o));
                of_view(&self.db, view, each)
            }
        }
    }
}
