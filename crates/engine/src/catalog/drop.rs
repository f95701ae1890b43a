//! DROP TABLE and DROP DATABASE: however many tables they name, these go as a whole.
//!
//! A mini-transaction latches few pages, and the definitions of many tables stand in many. So the ids of many tables are written down
//! first, in a *drop list*: the mini-transaction that makes the list and removes the schema's entry is the statement's commit point.
//! The definitions go after it, a few at a time, and the list last. A start passes over what a list names, and finishes it.
//!
//! Entry: `'D' | id of the first table 8, big-endian | 0 | chunk -> ids 8 each`, little-endian.
//!
//! Invariants
//! - A table that a durable list names is gone: no statement after the commit point, and no start, sees it.
//! - A list names ids, and ids are never given twice. So a list may be finished again, or late, whatever has been made under the old
//!   names meanwhile.

use super::Catalog;
use super::ddl::{DdlContext, close_gates};
use crate::dict::counters;
use crate::dict::{self, Change, kind};
use crate::error::{Error, Result};
use crate::planted::{self, Bug};
use crate::table::Table;
use std::collections::HashSet;
use std::sync::Arc;

/// Whether tables may go; an `Err` text ends the statement with `Error::Owner`.
pub type MayDrop<'a> = dyn FnMut(&[Arc<Table>]) -> std::result::Result<(), String> + Send + 'a;

/// More tables than this are written down first.
const UNLISTED_MAX: usize = 4;
/// Tables of a list whose definitions go in one mini-transaction, from two leaves each.
const TABLES_AT_ONCE: usize = 16;

fn list_key(first: u64) -> Vec<u8> {
    dict::key(kind::DROPPED, &first.to_be_bytes())
}

/// What goes from the dictionary with a table.
fn entries_of(table: u64) -> [Change; 2] {
    [(dict::table_key(table), None), (counters::key(table), None)]
}

impl Catalog {
    /// Drops a schema with all its tables; returns how many those were. `may` sees them when they are locked and no other definition
    /// statement works; its error ends this one.
    pub async fn drop_schema(
        &self,
        name: &str,
        may: &mut MayDrop<'_>,
        d: &DdlContext,
    ) -> Result<u64> {
        self.need_schema(name)?;
        // A table that was made while the others were waited for is waited for, too.
        let (tables, _holds, _ddl) = loop {
            let tables = self.tables(name);
            let holds = self.lock_all(&tables, d).await?;
            let ddl = self.ddl().await;
            let now = self.tables(name);
            if now.iter().all(|t| tables.iter().any(|x| Arc::ptr_eq(x, t))) {
                break (now, holds, ddl);
            }
        };
        self.need_schema(name)?;
        may(&tables).map_err(Error::Owner)?;
        let schema = (dict::key(kind::SCHEMA, name.as_bytes()), None);
        let objects = self.state.read().objects_of(name);
        self.drop_all(&tables, vec![schema], || self.remove_schema(name)).await?;
        self.remove_objects(&objects).await?;
        Ok(tables.len() as u64)
    }

    /// All or none.
    pub async fn drop_tables(&self, tables: &[Arc<Table>], d: &DdlContext) -> Result<()> {
        let _holds = self.lock_all(tables, d).await?;
        let _ddl = self.ddl().await;
        let changes = d.objects.iter().map(|(o, text)| o.change(text.clone())).collect();
        self.drop_all(tables, changes, || self.change_objects(&d.objects)).await
    }

    /// Removes tables, and what else `changes` removes, as a whole; `then` runs behind the commit point. The caller has the tables'
    /// locks and is the one definition statement.
    async fn drop_all(
        &self,
        tables: &[Arc<Table>],
        mut changes: Vec<Change>,
        then: impl FnOnce(),
    ) -> Result<()> {
        let _gates = close_gates(tables).await;
        let mut ids: Vec<u64> = tables.iter().map(|t| t.def.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let listed = ids.len() > UNLISTED_MAX;
        if listed {
            let list = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
            changes.push((list_key(ids[0]), Some(list)));
        } else {
            changes.extend(ids.iter().flat_map(|id| entries_of(*id)));
        }
        self.dict.write(&self.core, &changes).await?;
        for t in tables {
            self.remove_table(t);
        }
        then();
        if listed && let Err(e) = self.finish_list(&ids).await {
            // The statement has its outcome.
            self.core.log.failure()?;
            (self.log)(&format!(
                "cannot remove the definitions of dropped tables now, the next start will: {e}"
            ));
        }
        for t in tables {
            self.discard(&t.storage()).await?;
        }
        Ok(())
    }

    /// Removes the definitions that a list names, and the list.
    async fn finish_list(&self, ids: &[u64]) -> Result<()> {
        for some in ids.chunks(TABLES_AT_ONCE) {
            let changes: Vec<Change> = some.iter().flat_map(|id| entries_of(*id)).collect();
            self.dict.write_alone(&self.core, &changes).await?;
        }
        match ids.first() {
            Some(first) => self.dict.write_alone(&self.core, &[(list_key(*first), None)]).await,
            None => Ok(()),
        }
    }

    /// At a start: the tables that the last stop was about to remove. Their definitions may still be there when the directory is
    /// read only.
    pub(crate) async fn finish_drops(&self) -> Result<HashSet<u64>> {
        let mut gone = HashSet::new();
        for (_, list) in self.dict.scan(&self.core, &[kind::DROPPED]).await? {
            if planted::is(Bug::DropListForgotten) {
                continue;
            }
            let eights = list.chunks_exact(8).filter_map(|b| b.try_into().ok());
            let ids: Vec<u64> = eights.map(u64::from_le_bytes).collect();
            if !self.force.read_only() {
                self.finish_list(&ids).await?;
            }
            gone.extend(ids);
        }
        Ok(gone)
    }
}
