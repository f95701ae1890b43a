//! Buffer trees come into being: when an index has grown so large that fresh entries should wait (`db::sweeper` says when).
//!
//! The tree is made as that of a new index is (`half_trees`): a crash before it stands in its table's definition leaves one that the next
//! start frees. The definition stays the same otherwise, so no handle changes and no statement is bound again.

use super::{Catalog, half_trees};
use crate::change_buffer::BUFFER;
use crate::dict;
use crate::error::Result;
use crate::sync::atomic::Ordering;
use crate::table::{HeldTables, encode_table};

impl Catalog {
    /// Makes the buffer tree of an index, unless it has one. A table that a definition statement, a check or another session's LOCK
    /// TABLES has at the moment is left alone (`TableChanged`). `held`: of the session that asks.
    pub(crate) async fn make_buffer(
        &self,
        table: u64,
        index: u64,
        held: Option<&HeldTables>,
    ) -> Result<()> {
        // A session does not wait for a definition statement of somebody else's, which may take hours; it is asked again.
        let _ddl = match held {
            None => self.ddl().await,
            Some(_) => match self.try_ddl() {
                Some(ddl) => ddl,
                None => return Ok(()),
            },
        };
        // A partition stands in another definition than its own, and gets none.
        let Some(t) = self.by_id(table).filter(|t| !t.is_part()) else { return Ok(()) };
        let Some(i) = t.index_position(index).filter(|i| *i > 0) else { return Ok(()) };
        let index = &t.indexes[i];
        if index.buffer.tree().is_some() {
            return Ok(());
        }
        // A check of the table must not see a page between two owners.
        let alone = held.is_some_and(|h| h.is_alone(&t));
        let _hold = if alone { None } else { Some(t.mdl_glance()?) };
        t.met().await?;
        let id = index.id | BUFFER;
        let root = self.begin_tree(&t.space, id).await?;
        let mut storage = t.storage();
        storage.buffers.push((index.id, root));
        let named = [
            (dict::table_key(t.def.id), Some(encode_table(&t.def, &storage))),
            half_trees::is_whole(id),
        ];
        if let Err(e) = self.dict.write_alone(&self.core, &named).await {
            self.end_tree(&t.space, id, root).await?;
            return Err(e);
        }
        index.buffer.has(&t.space, root, index.id);
        // Anyone who has the table alone keeps to the limit before the sweep can look.
        if let Some(tree) = index.buffer.tree() {
            tree.set_leaves(1);
        }
        self.core.stats.change_buffer.made.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
