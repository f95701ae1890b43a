//! Tables that a statement makes of queries, for as long as it runs: a common table once for all that read it, and what stands in a subquery
//! that is run for each row once for all those runs, where it reads nothing of the rows around.
//!
//! MySQL promises the same of common tables: two readers of one with RAND() see the same rows.

use super::row_hash::RowHash;
use super::row_store::MadeRows;
use crate::memory::Held;
use crate::query::expr::keyed::Keyed;
use crate::query::plan::outcome::Row;
use crate::query::plan::{Source, TableSlot};
use crate::value::EvalCtx;
use std::collections::HashMap;
use std::sync::Arc;

/// Who may read the rows again.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shared {
    /// All readers of a common table.
    Common(u32),
    /// The same table of the plan, by where it stands in memory: a plan does not move while it runs.
    Slot(usize),
}

impl Shared {
    /// None: nobody will. `again`: the table's block may be run more than once.
    pub fn of(slot: &TableSlot, again: bool) -> Option<Shared> {
        let alone = slot.lateral.is_none() && !matches!(slot.source, Source::Working(..));
        match slot.common {
            _ if !alone => None,
            Some(number) => Some(Shared::Common(number)),
            None => again.then(|| Shared::Slot(std::ptr::from_ref(slot).addr())),
        }
    }
}

/// Rows, and where they are by the values of some columns.
#[derive(Clone)]
pub struct Made {
    pub rows: MadeRows,
    /// One for each way in which somebody looks for them: other columns, or the same ones compared in another kind.
    hashes: Vec<(By, Arc<RowHash>)>,
}

/// Columns, and the kind in which each is compared.
pub type By = Vec<(u16, Keyed)>;

#[derive(Default)]
pub struct MadeTables {
    of: HashMap<Shared, Made>,
    held: Held,
}

impl MadeTables {
    pub fn get(&self, by: Shared) -> Option<&Made> {
        self.of.get(&by)
    }

    pub fn put(&mut self, by: Shared, rows: MadeRows, held: Held) {
        self.held.merge(held);
        self.of.insert(by, Made { rows, hashes: Vec::new() });
    }

    pub fn put_hash(&mut self, of: Shared, by: By, hash: Arc<RowHash>, held: Held) {
        if let Some(made) = self.of.get_mut(&of) {
            made.hashes.push((by, hash));
            self.held.merge(held);
        }
    }
}

impl Made {
    /// The hash by these columns, if it is there.
    pub fn hash(&self, by: &By) -> Option<&Arc<RowHash>> {
        self.hashes.iter().find(|(of, _)| of == by).map(|(_, hash)| hash)
    }
}

/// Rows by the values of some columns, and the bytes of their keys; none where a value is not of the kind that its column promised.
pub fn hash_of(rows: &[Row], by: &By, cx: &mut EvalCtx<'_>) -> Option<(RowHash, usize)> {
    let mut hash = RowHash::default();
    let mut bytes = 0;
    let mut key = Vec::new();
    for row in rows {
        key.clear();
        let mut known = true;
        for (c, kind) in by {
            match kind.key(&row[usize::from(*c)], &mut key, cx) {
                Ok(Some(())) => {}
                Ok(None) => known = false,
                Err(()) => return None,
            }
        }
        bytes += hash.push(known.then_some(&key[..]));
    }
    Some((hash, bytes))
}
