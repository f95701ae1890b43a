//! Which changes move a row to where the statement would meet it again, or where another of its tables would look for it in vain.
//!
//! What an UPDATE assigns is known when it is bound; what BEFORE UPDATE triggers set is asked when it runs (`write::moves`).

use crate::ddl::expression;
use crate::errno;
use crate::meta::{ColumnDefault, SqlTable, same_name};
use crate::query::plan::change::{Assign, Twin};
use crate::query::plan::{Access, Block, Source, TableSlot};
use crate::session_api::SqlError;

/// What a row's place rests on in the partitions and in the index that is read: its columns, and those that generated ones among them
/// are made of.
fn place(t: &SqlTable, index: usize) -> Vec<usize> {
    let parts = |i: usize| t.engine.def.indexes[i].parts.iter().map(|p| p.col);
    let by = t.meta.partitions.iter().flat_map(|by| by.all_columns());
    let mut out: Vec<usize> = parts(index).chain(parts(0)).chain(by).collect();
    out.sort_unstable();
    out.dedup();
    let mut at = 0;
    while let Some(&column) = out.get(at) {
        if let ColumnDefault::Generated { expr, .. } = &t.meta.columns[column].default {
            for name in expression::columns_of(expr) {
                let from = t.meta.columns.iter().position(|c| same_name(&c.name, &name));
                out.extend(from.filter(|c| !out.contains(c)));
            }
        }
        at += 1;
    }
    out
}

/// What the rows' places rest on in what the statement reads and changes at once. `None`: it meets its own changes whatever triggers do,
/// and the rows must be known before.
pub fn meets_itself(block: &Block, assigns: &[Assign]) -> Option<Vec<usize>> {
    let Some(step) = block.steps.first() else { return Some(Vec::new()) };
    let index = match &step.access {
        // A value of another type than the column's may be compared with all of the index.
        Access::Point(key) => key.index,
        Access::Scan { index, .. } | Access::Loose { index, .. } => *index,
        Access::Ranges { key, .. } => key.index,
        // Of tables alone that are read without locks.
        Access::Skip(scan) => scan.key.index,
        // The rows are known by their clustered keys before the first is changed.
        Access::Merged(_) => 0,
        Access::Mem { .. } => return None,
    };
    let Source::Table(t) = &block.tables[step.table].source else { return None };
    let place = place(t, index);
    // Generated columns are worked out again with each change: what they give may follow the session too.
    let moves = |c: &usize| {
        assigns.iter().any(|a| a.col == *c)
            || t.rules.generated.contains(c)
            || t.rules.touched.iter().any(|(col, _)| col == c)
    };
    if place.iter().any(moves) { None } else { Some(place) }
}

/// The tables that are changed under two names: 1706 where what is assigned moves rows of one of them.
pub fn twins(tables: &[TableSlot], assigns: &[Assign]) -> Result<Vec<Twin>, SqlError> {
    let source = |n: usize| match &tables[n].source {
        Source::Table(t) => Some(t),
        _ => None,
    };
    let mut out: Vec<Twin> = Vec::new();
    // Each table once, in the order in which they are assigned to.
    let mut changed: Vec<usize> = Vec::new();
    let mut seen = 0u64;
    for a in assigns {
        if seen & (1 << a.table) == 0 {
            seen |= 1 << a.table;
            changed.push(a.table);
        }
    }
    for &table in &changed {
        let Some(t) = source(table) else { continue };
        let same = |n: &usize| {
            *n != table && source(*n).is_some_and(|x| x.engine.def.id == t.engine.def.id)
        };
        let Some(twin) = changed.iter().copied().find(same) else { continue };
        if out.iter().any(|known| [known.tables.0, known.tables.1].contains(&table)) {
            continue;
        }
        let columns = place(t, 0);
        // In the order of FROM, as MySQL names them.
        let found = Twin { tables: (table.min(twin), table.max(twin)), columns };
        let assigned = |c: &usize| {
            let one = |b: &Assign| b.col == *c && [table, twin].contains(&b.table);
            assigns.iter().any(one) || t.rules.touched.iter().any(|(col, _)| col == c)
        };
        if found.columns.iter().any(assigned) {
            return Err(found.refused(tables));
        }
        out.push(found);
    }
    Ok(out)
}

impl Twin {
    pub fn refused(&self, tables: &[TableSlot]) -> SqlError {
        let (a, b) = self.tables;
        SqlError::of(errno::ER_MULTI_UPDATE_KEY_CONFLICT, &[&tables[a].alias, &tables[b].alias])
    }
}
