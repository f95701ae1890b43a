//! Indexes come and go. A table's readers and writers are kept out for a moment only, if the statement does not ask for more.
//!
//! Invariant: the trees of new indexes, and those of dropped ones, stand in the dictionary as half trees (`half_trees`) while the
//! others go on; the definition changes while the statement has the table alone.

use super::Catalog;
use super::build::Build;
use super::ddl::{BesideIt, DdlContext};
use super::half_trees;
use crate::dict::{self, Change};
use crate::error::{Error, Result};
use crate::ids::SpaceId;
use crate::planted::{self, Bug};
use crate::sync::atomic::Ordering;
use crate::table::{IndexDef, MdlHold, MdlMode, Storage, Table, TableDef, encode_table};
use std::collections::HashMap;
use std::sync::Arc;

/// A tree that no definition names, with its space.
type HalfTree = (SpaceId, (u64, u32));

impl Catalog {
    pub async fn drop_indexes(
        &self,
        t: &Arc<Table>,
        names: &[String],
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let mut hold = self.exclude(t, d).await?;
        let ddl = self.ddl().await;
        let mut def = TableDef { extra, version: t.def.version + 1, ..t.def.clone() };
        let mut storage = t.storage();
        let mut gone = Vec::new();
        for n in names {
            let Some(i) = def.indexes.iter().skip(1).position(|x| x.name.eq_ignore_ascii_case(n))
            else {
                return Err(Error::NoSuchIndex { table: t.def.name.clone(), index: n.clone() });
            };
            def.indexes.remove(i + 1);
            storage.each_mut(|s| gone.extend(s.take_index(i + 1)));
        }
        let gate = t.hold_purge().await;
        if planted::is(Bug::IndexFreedTooEarly) {
            self.end_trees(&gone).await?;
            gone.clear();
        }
        let together = !storage.parts.is_empty();
        let half: Vec<Change> = match together {
            true => half_trees::go_together(&gone).into_iter().collect(),
            false => gone.iter().map(|(s, tree)| half_trees::begins_to_go(*s, *tree)).collect(),
        };
        let new = self.redefine(t, def, &storage, half, d).await?;
        // Nobody comes to these trees any more, and their pages may be many: the others go on meanwhile.
        drop((ddl, gate));
        if let Some(hold) = &mut hold {
            hold.downgrade();
        }
        match together {
            true => self.end_together(&gone).await?,
            false => self.end_trees(&gone).await?,
        }
        Ok(new)
    }

    /// Errors: `DuplicateKey`, `KeyTooLong`, `RowLogFull`, `Interrupted`, `LockWaitTimeout` in the end as well as in the beginning; the
    /// table is as it was then.
    pub async fn add_indexes(
        &self,
        t: &Arc<Table>,
        add: &[IndexDef],
        extra: Vec<u8>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let mut hold = self.begin_work(t, d).await?;
        let mut def = TableDef { extra, version: t.def.version + 1, ..t.def.clone() };
        for i in add {
            if def.indexes.iter().any(|x| x.name.eq_ignore_ascii_case(&i.name)) {
                return Err(Error::IndexExists {
                    table: t.def.name.clone(),
                    index: i.name.clone(),
                });
            }
            def.indexes.push(i.clone());
        }
        let mut begun = Vec::new();
        let made = async {
            self.begin_trees(t, add.len(), &mut begun).await?;
            let building = self.successor(t, def.clone(), &with_trees(t, &begun))?;
            let mut build = Build::new(self, t, building, d);
            if let (Some(hold), BesideIt::Everybody) = (&mut hold, d.beside_it) {
                build.listen();
                hold.thaw();
                self.core
                    .stats
                    .indexes_built_beside_writers
                    .fetch_add(add.len() as u64, Ordering::Relaxed);
            }
            build.fill().await?;
            if let Some(hold) = &mut hold {
                hold.be_alone(&self.core.waits, &self.rt, d.lock_timeout, &d.interrupt).await?;
            }
            build.finish().await?;
            let _ddl = self.ddl().await;
            // A buffer tree may have come meanwhile.
            let storage = with_trees(t, &begun);
            let new = self.successor(t, def, &storage)?;
            let definition = (dict::table_key(new.def.id), Some(encode_table(&new.def, &storage)));
            let whole = begun.iter().map(|(_, (id, _))| half_trees::is_whole(*id));
            let changes: Vec<Change> = whole.chain([definition]).collect();
            let beside = self.write_step(changes, d).await?;
            self.put_tables(&new, beside);
            Ok(new)
        }
        .await;
        if made.is_err() {
            self.end_trees(&begun).await?;
        }
        made
    }

    /// The lock with which a definition statement works at a table while others use it; `None`: the session has it alone already.
    pub(super) async fn begin_work(
        &self,
        t: &Arc<Table>,
        d: &DdlContext,
    ) -> Result<Option<MdlHold>> {
        if d.has(t) || d.beside_it == BesideIt::Nobody {
            return self.exclude(t, d).await;
        }
        let mode = match planted::is(Bug::OpenWritersForgotten) {
            true => MdlMode::Upgradable,
            false => MdlMode::UpgradableFreeze,
        };
        t.mdl_for(&self.rt, d.lock_timeout, &d.interrupt, mode).await.map(Some)
    }

    /// Makes the roots of new indexes of a table and of its partitions.
    async fn begin_trees(
        &self,
        t: &Arc<Table>,
        indexes: usize,
        begun: &mut Vec<HalfTree>,
    ) -> Result<()> {
        let _ddl = self.ddl().await;
        let storage = t.storage();
        self.become_whole(indexes * storage.spaces().len())?;
        for _ in 0..indexes {
            for space in storage.spaces() {
                let id = self.next_index.fetch_add(1, Ordering::AcqRel);
                begun.push((space, (id, self.begin_tree(&self.space(space)?, id).await?)));
            }
        }
        Ok(())
    }
}

/// A table's storage with new trees behind those of each space.
fn with_trees(t: &Table, begun: &[HalfTree]) -> Storage {
    let mut roots: HashMap<SpaceId, Vec<(u64, u32)>> = HashMap::new();
    begun.iter().for_each(|(space, tree)| roots.entry(*space).or_default().push(*tree));
    let mut storage = t.storage();
    storage.each_mut(|s| s.roots.extend(roots.remove(&s.space).unwrap_or_default()));
    storage
}
