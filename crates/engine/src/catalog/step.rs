//! The step in which a definition statement becomes true, with what it changes beside its own table.
//!
//! The owner of the metadata ties tables together (foreign keys): a child names its parent's columns, and a plan that was made before a
//! parent had a child must not be used afterwards. So a statement about one table may give others new metadata, or the same again, and
//! with it a new handle.
//!
//! Invariant: the statement's own change and those beside it are one mini-transaction, and their handles are exchanged at one moment.
//! Anyone who has waited for one of the tables finds its handle stale, and sees all of the change or nothing.

use super::Catalog;
use super::ddl::DdlContext;
use super::objects::ObjectKind;
use crate::dict::{self, Change};
use crate::error::{Error, Result};
use crate::planted::{self, Bug};
use crate::table::{Table, TableDef, encode_table};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Catalog {
    /// Writes the changes of a definition statement and those of the tables beside its own; new handles of these.
    pub(super) async fn write_step(
        &self,
        mut changes: Vec<Change>,
        d: &DdlContext,
    ) -> Result<Vec<Arc<Table>>> {
        if planted::is(Bug::BesideInPieces) && !d.beside.is_empty() {
            self.dict.write(&self.core, &std::mem::take(&mut changes)).await?;
        }
        let mut fresh = Vec::with_capacity(d.beside.len());
        for (t, extra) in &d.beside {
            assert!(d.has(t), "a table that changes beside another one is the session's alone");
            let def =
                TableDef { extra: extra.clone(), version: t.def.version + 1, ..t.def.clone() };
            changes.push((dict::table_key(def.id), Some(encode_table(&def, &t.storage()))));
            fresh.push(self.successor(t, def, &t.storage())?);
        }
        self.dict.write(&self.core, &changes).await?;
        Ok(fresh)
    }

    /// Renames tables. Of these, too, some may have new metadata among what the statement changes beside.
    pub async fn rename_tables(
        &self,
        moves: &[(Arc<Table>, String, String)],
        d: &DdlContext,
    ) -> Result<()> {
        let mut tables: Vec<Arc<Table>> = moves.iter().map(|m| m.0.clone()).collect();
        let others = d.beside.iter().filter(|e| !moves.iter().any(|m| m.0.def.id == e.0.def.id));
        tables.extend(others.map(|e| e.0.clone()));
        let _holds = self.lock_all(&tables, d).await?;
        let _ddl = self.ddl().await;
        // All at one moment, whatever names they have had in between: a table that moves away is in nobody's way.
        let mut finals = BTreeMap::new();
        for (t, schema, name) in moves {
            self.need_schema(schema)?;
            finals.insert(t.def.id, (schema.clone(), name.clone()));
        }
        for (id, place) in &finals {
            let (schema, name) = place;
            let stays = |x: Arc<Table>| !finals.contains_key(&x.def.id);
            let meets = finals.iter().any(|(other, p)| other != id && p == place);
            let view = self.object(ObjectKind::View, schema, name).is_some();
            if meets || view || self.table(schema, name).is_some_and(stays) {
                return Err(Error::TableExists { schema: schema.clone(), name: name.clone() });
            }
        }
        let mut changes: Vec<Change> = Vec::new();
        let mut fresh = Vec::new();
        for t in &tables {
            let mut def = TableDef { version: t.def.version + 1, ..t.def.clone() };
            if let Some((schema, name)) = finals.get(&t.def.id) {
                (def.schema, def.name) = (schema.clone(), name.clone());
            }
            if let Some((_, extra)) = d.beside.iter().find(|e| e.0.def.id == t.def.id) {
                if planted::is(Bug::BesideInPieces) {
                    self.dict.write(&self.core, &std::mem::take(&mut changes)).await?;
                }
                def.extra.clone_from(extra);
            }
            changes.push((dict::table_key(def.id), Some(encode_table(&def, &t.storage()))));
            fresh.push(self.successor(t, def, &t.storage())?);
        }
        changes.extend(d.objects.iter().map(|(o, text)| o.change(text.clone())));
        self.dict.write(&self.core, &changes).await?;
        self.rename_handles(&tables, fresh);
        self.change_objects(&d.objects);
        Ok(())
    }
}
