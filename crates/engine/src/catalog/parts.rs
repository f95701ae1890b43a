//! Partitions: files and trees of their own below one definition.
//!
//! A partition has an id as a table has, for undo and locks, and no name: it stands in its table's definition (`Storage::parts`). So a
//! statement that changes partitions is one entry of the dictionary, as every other one, however many partitions there are. Which rows
//! belong to which partition is the owner's affair.
//!
//! Invariants
//! - A new partition is filled before the step that names it; the file of one that has gone is removed behind that step.
//! - Anyone who has the table's metadata lock or its gate for purge has those of its partitions: they are the same.

use super::Catalog;
use super::ddl::{DdlContext, MapRow};
use crate::dict::counters::{self, Marks};
use crate::dict::{self, Change};
use crate::error::{Error, Result};
use crate::ids::SpaceId;
use crate::space::Space;
use crate::sync::atomic::Ordering;
use crate::table::{From, Part, Storage, Table, TableDef, encode_table};
use std::collections::HashSet;
use std::sync::Arc;

/// What becomes of the partitions of a table.
#[derive(Clone, Debug, Default)]
pub struct NewParts {
    /// In their new order: one of those that there are, or (`None`) a new one.
    pub parts: Vec<Option<usize>>,
    /// Those of the old ones whose rows go into new ones.
    pub copied: Vec<usize>,
    /// The owner's metadata from now on.
    pub extra: Vec<u8>,
}

impl Catalog {
    /// The file and the trees of a table, and those of its partitions; nothing names them yet.
    pub(super) async fn make_whole(
        &self,
        indexes: usize,
        parts: usize,
        d: &DdlContext,
    ) -> Result<Storage> {
        let parts = self.make_parts(indexes, parts, d).await?;
        match self.make_storage(indexes).await {
            Ok(own) => Ok(Storage { parts, ..own }),
            Err(e) => {
                self.discard_parts(&parts).await?;
                Err(e)
            }
        }
    }

    async fn make_parts(&self, indexes: usize, n: usize, d: &DdlContext) -> Result<Vec<Part>> {
        let mut made = Vec::with_capacity(n);
        for _ in 0..n {
            // Drawn before the storage is made, which writes down how far numbers are in use.
            let id = self.next_table.fetch_add(1, Ordering::AcqRel);
            let storage = match d.interrupt.killed() {
                0 => self.make_storage(indexes).await,
                _ => Err(Error::Interrupted),
            };
            match storage {
                Ok(storage) => made.push(Part { id, storage }),
                Err(e) => {
                    self.discard_parts(&made).await?;
                    return Err(e);
                }
            }
        }
        Ok(made)
    }

    async fn discard_parts(&self, parts: &[Part]) -> Result<()> {
        for p in parts {
            self.discard_space(p.storage.space).await?;
        }
        Ok(())
    }

    /// Takes away the files of a table that nothing names any more.
    pub(super) async fn discard(&self, s: &Storage) -> Result<()> {
        for space in s.spaces() {
            self.discard_space(space).await?;
        }
        Ok(())
    }

    pub(super) fn space(&self, id: SpaceId) -> Result<Arc<Space>> {
        self.core.spaces.get(id).ok_or_else(|| Error::Corrupt {
            what: format!("space {id} is missing"),
            place: "catalog".into(),
        })
    }

    /// Frees trees, given with their spaces.
    pub(super) async fn end_trees(&self, trees: &[(SpaceId, (u64, u32))]) -> Result<()> {
        for (space, (id, root)) in trees {
            self.end_tree(&self.space(*space)?, *id, *root).await?;
        }
        Ok(())
    }

    /// Gives a partitioned table other partitions. `map` tells for each row of those that are copied which of the new ones it goes to.
    pub async fn change_parts(
        &self,
        t: &Arc<Table>,
        new: &NewParts,
        map: &mut MapRow<'_>,
        d: &DdlContext,
    ) -> Result<Arc<Table>> {
        let _hold = self.exclude(t, d).await?;
        let _ddl = self.ddl().await;
        let fresh = new.parts.iter().filter(|p| p.is_none()).count();
        let made = self.make_parts(t.def.indexes.len(), fresh, d).await?;
        let mut storage = t.storage();
        let mut rest = made.iter().cloned();
        let parts = new.parts.iter().map(|p| match p {
            Some(at) => storage.parts.get(*at).cloned(),
            None => rest.next(),
        });
        let parts: Option<Vec<Part>> = parts.collect();
        let parts = parts.ok_or_else(|| Error::Owner("a partition that is not there".into()));
        let changed = async {
            storage.parts = parts?;
            let extra = new.extra.clone();
            let def = TableDef { extra, version: t.def.version + 1, ..t.def.clone() };
            let target = self.successor(t, def, &storage)?;
            let from: Vec<Arc<Table>> =
                new.copied.iter().filter_map(|at| t.parts.get(*at).cloned()).collect();
            let new_ids: HashSet<u64> = made.iter().map(|m| m.id).collect();
            let fresh = |p: &&Arc<Table>| new_ids.contains(&p.def.id);
            let into: Vec<Arc<Table>> = target.parts.iter().filter(fresh).cloned().collect();
            self.fill(&from, &target, &into, map, d).await?;
            let entry = (dict::table_key(target.def.id), Some(encode_table(&target.def, &storage)));
            Ok((target, self.write_step(vec![entry], d).await?))
        }
        .await;
        match changed {
            Ok((target, beside)) => {
                let _gate = t.hold_purge().await;
                self.put_tables(&target, beside);
                let stay: HashSet<u64> = target.parts.iter().map(|p| p.def.id).collect();
                for p in t.parts.iter().filter(|p| !stay.contains(&p.def.id)) {
                    self.discard_space(p.space.id).await?;
                }
                Ok(target)
            }
            Err(e) => {
                self.discard_parts(&made).await?;
                Err(e)
            }
        }
    }

    /// A partition and a table change places: each keeps its id with its rows. Their definitions must be alike, their indexes have the
    /// same names.
    pub async fn exchange_part(
        &self,
        t: &Arc<Table>,
        at: usize,
        other: &Arc<Table>,
        d: &DdlContext,
    ) -> Result<()> {
        let both = [t.clone(), other.clone()];
        let _holds = self.lock_all(&both, d).await?;
        let _ddl = self.ddl().await;
        // Rows go by the table's definition, wherever they come from.
        if !t.def.reads_rows_of(&other.def) {
            return Err(Error::Owner("a table whose rows are read in another way".into()));
        }
        let (mut mine, theirs) = (t.storage(), other.storage());
        let (Some(place), true) = (mine.parts.get_mut(at), theirs.parts.is_empty()) else {
            return Err(Error::Owner("a partition that is not there".into()));
        };
        let theirs = Part { id: other.def.id, storage: in_order(t, other, theirs)? };
        let Part { id, storage } = std::mem::replace(place, theirs);
        let storage = in_order(other, t, storage)?;
        let def = TableDef { version: t.def.version + 1, ..t.def.clone() };
        let moved = TableDef { id, version: other.def.version + 1, ..other.def.clone() };
        // Numbers of rows that change places are not given again on the other side.
        let (a, b) = (t.marks(), other.marks());
        let marks = Marks {
            auto_increment: a.auto_increment.max(b.auto_increment),
            row_id: a.row_id.max(b.row_id),
            rows: t.parts[at].estimated_rows(),
        };
        t.raise_counters(&marks).await?;
        let from = self.trx.next_no();
        let taken = self.handle(moved, &storage, From::Marks(marks), |_| from)?;
        let changed = self.successor(t, def, &mine)?;
        changed.parts[at].rows.store(b.rows as i64, Ordering::Relaxed);
        let changes: Vec<Change> = vec![
            (dict::table_key(changed.def.id), Some(encode_table(&changed.def, &mine))),
            (dict::table_key(other.def.id), None),
            (counters::key(other.def.id), None),
            (dict::table_key(taken.def.id), Some(encode_table(&taken.def, &storage))),
            (counters::key(taken.def.id), Some(marks.encode())),
        ];
        let beside = self.write_step(changes, d).await?;
        let _gates = super::ddl::close_gates(&both).await;
        if let (Some(held), true) = (&d.held, d.has(other)) {
            held.add(taken.mdl_unseen());
        }
        let all = beside.into_iter().chain([taken]).collect();
        self.put_tables(&changed, all);
        Ok(())
    }
}

/// The storage of `from` with its trees in the order of the indexes of `to`; the rows themselves must be in the same one.
fn in_order(to: &Table, from: &Table, s: Storage) -> Result<Storage> {
    let (a, b) = (&to.def.indexes[0], &from.def.indexes[0]);
    if a.name != b.name || a.parts != b.parts {
        return Err(Error::Owner("tables with other clustered indexes".into()));
    }
    let root = |name: &String| {
        let at = from.def.indexes.iter().position(|i| i.name == *name)?;
        s.roots.get(at).copied()
    };
    let roots: Option<Vec<(u64, u32)>> = to.def.indexes.iter().map(|i| root(&i.name)).collect();
    match roots {
        Some(roots) if roots.len() == s.roots.len() => Ok(Storage { roots, ..s }),
        _ => Err(Error::Owner("tables with other indexes".into())),
    }
}
