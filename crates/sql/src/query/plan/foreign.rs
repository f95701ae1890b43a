//! What the foreign keys of a statement's tables ask for: of each table that it may write, by itself or by cascades, the keys upwards and
//! downwards with the indexes to search.

use super::env::PlanEnv;
use crate::context::Reads;
use crate::meta::SqlTable;
use crate::meta::foreign::{ChildKey, ForeignKey, searchable};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// So many levels of cascades are refused, as in InnoDB (`FK_MAX_CASCADE_DEL`).
pub const DEEPEST: usize = 15;

/// What the foreign keys of a statement's tables ask for.
#[derive(Default)]
pub struct ForeignPlan {
    /// By the number of the table.
    links: HashMap<u64, Links>,
    /// Tables beside those that the statement names, and whether their rows may be written.
    pub tables: Vec<(Arc<SqlTable>, bool)>,
}

/// The keys of one table.
#[derive(Default)]
pub struct Links {
    pub up: Vec<Up>,
    pub down: Vec<Down>,
}

/// A key of this table.
pub struct Up {
    /// Its place in the definition.
    pub at: usize,
    /// Nothing when the parent does not exist, or has no such columns or index any more.
    pub parent: Option<Target>,
}

/// A key of another table, or of this one, that references this table.
pub struct Down {
    pub key: ChildKey,
    /// Positions of the referenced columns.
    pub columns: Vec<usize>,
    /// The child's index to search.
    pub child: Target,
}

/// An index of a table, whose first parts are the columns of a key.
pub struct Target {
    pub table: Arc<SqlTable>,
    /// Position in the engine's definition.
    pub index: usize,
}

impl Target {
    fn of(table: &Arc<SqlTable>, columns: &[usize]) -> Option<Target> {
        let found: Vec<usize> = searchable(&table.indexes, columns).collect();
        // Of a unique index a row is locked alone; the clustered one has the row at hand.
        let best = found.iter().min_by_key(|&&i| {
            let whole = table.indexes[i].unique && table.indexes[i].parts.len() == columns.len();
            (!whole, table.engine_indexes[i])
        })?;
        Some(Target { table: table.clone(), index: table.engine_indexes[*best] })
    }
}

/// Whether a foreign key of some table references this one.
pub fn is_referenced(reads: &Reads<'_>, table: &SqlTable) -> bool {
    !table.is_temporary()
        && !reads.meta().references(reads.db()).to(table.schema(), table.name()).is_empty()
}

impl ForeignPlan {
    /// What is needed to write rows of `targets`. Nothing when none of them has to do with foreign keys. `children`: rows may go or
    /// change, not only come.
    pub fn of(
        targets: &[Arc<SqlTable>],
        children: bool,
        env: &PlanEnv<'_>,
    ) -> Option<Arc<ForeignPlan>> {
        let references = env.reads.meta().references(env.reads.db());
        let mut plan = ForeignPlan::default();
        // Breadth first: a table that is met at all is met by the shortest way, and no cascade goes deeper than the last level.
        let mut todo: VecDeque<(Arc<SqlTable>, usize)> =
            targets.iter().map(|t| (t.clone(), 0)).collect();
        while let Some((table, level)) = todo.pop_front() {
            if plan.links.contains_key(&id_of(&table)) {
                continue;
            }
            if table.is_temporary() {
                // It has no keys, and its name hides another table's.
                continue;
            }
            let keys = references.to(table.schema(), table.name());
            let written = plan.add(&table, if children { keys } else { &[] }, env);
            if level <= DEEPEST {
                todo.extend(written.into_iter().map(|t| (t, level + 1)));
            }
        }
        plan.tables.retain(|(x, _)| !targets.iter().any(|t| Arc::ptr_eq(x, t)));
        let empty = plan.links.values().all(|l| l.up.is_empty() && l.down.is_empty());
        (!empty).then(|| Arc::new(plan))
    }

    /// Adds what a table that is written needs; the tables that are written by its cascades.
    fn add(
        &mut self,
        table: &Arc<SqlTable>,
        children: &[ChildKey],
        env: &PlanEnv<'_>,
    ) -> Vec<Arc<SqlTable>> {
        let up: Vec<Up> = (0..table.foreign.len()).map(|at| up(table, at, env)).collect();
        for parent in up.iter().filter_map(|u| u.parent.as_ref()) {
            self.uses(&parent.table, false);
        }
        let down: Vec<Down> = children.iter().filter_map(|key| down(table, key)).collect();
        let mut written = Vec::new();
        for d in &down {
            let key = d.key.key();
            let writes = !(key.on_delete.refuses() && key.on_update.refuses());
            self.uses(&d.key.child, writes);
            if writes {
                written.push(d.key.child.clone());
            }
        }
        self.links.insert(id_of(table), Links { up, down });
        written
    }

    fn uses(&mut self, table: &Arc<SqlTable>, writes: bool) {
        match self.tables.iter_mut().find(|(t, _)| Arc::ptr_eq(t, table)) {
            Some((_, w)) => *w |= writes,
            None => self.tables.push((table.clone(), writes)),
        }
    }

    pub fn of_table(&self, table: &SqlTable) -> Option<&Links> {
        self.links.get(&table.engine.def.id)
    }

    /// Whether a row of the table must be in it before the next one comes: one may reference another.
    pub fn looks_at_itself(&self, table: &SqlTable) -> bool {
        let own = |u: &Up| u.parent.as_ref().is_some_and(|p| p.table.engine.def.id == id_of(table));
        self.of_table(table).is_some_and(|l| l.up.iter().any(own))
    }
}

pub fn id_of(table: &SqlTable) -> u64 {
    table.engine.def.id
}

fn up(table: &Arc<SqlTable>, at: usize, env: &PlanEnv<'_>) -> Up {
    let key = &table.foreign[at];
    let own = key.parent.schema == table.schema() && key.parent.name == table.name();
    let parent = match own {
        true => Some(table.clone()),
        false => env
            .reads
            .meta()
            .find(env.reads.db(), &key.parent.schema, &key.parent.name)
            .ok()
            .flatten(),
    };
    let target = parent.and_then(|p| Target::of(&p, &parent_columns(key, &p)?));
    Up { at, parent: target }
}

fn down(table: &Arc<SqlTable>, key: &ChildKey) -> Option<Down> {
    let columns = parent_columns(key.key(), table)?;
    let child = Target::of(&key.child, &key.key().columns)?;
    Some(Down { key: key.clone(), columns, child })
}

/// Positions of the columns that a key references.
fn parent_columns(key: &ForeignKey, parent: &SqlTable) -> Option<Vec<usize>> {
    let place = |n: &String| parent.columns.iter().position(|c| c.is_named(n));
    key.parent_columns.iter().map(place).collect()
}
