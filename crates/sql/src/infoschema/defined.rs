//! Tables that have a definition: those of the engine, and the computed ones of the schema `mysql`.

use super::tables::{computed, visible};
use super::{describe, system_tables};
use crate::context::{Reads, TableReads, VirtualHint, VirtualTable};
use crate::meta::{SqlTable, TableMeta};
use std::ops::Deref;
use std::sync::Arc;

pub enum Defined {
    Stored(Arc<SqlTable>),
    Computed(&'static dyn VirtualTable, &'static TableMeta),
}

impl Defined {
    /// A computed table, if it has a definition.
    pub fn of_computed(table: &'static dyn VirtualTable, reads: Reads<'_>) -> Option<Defined> {
        Some(Defined::Computed(table, system_tables::meta_of(table, reads)?))
    }

    pub fn schema(&self) -> &str {
        match self {
            Defined::Stored(t) => t.schema(),
            Defined::Computed(t, _) => t.schema(),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Defined::Stored(t) => t.name(),
            Defined::Computed(t, _) => t.name(),
        }
    }

    /// Distinct values of the first `parts` parts of an index, estimated. Of a computed table nothing is known.
    pub fn cardinality(&self, index: usize, parts: usize) -> u64 {
        match self {
            Defined::Stored(t) => describe::cardinality(t, index, parts),
            Defined::Computed(..) => 0,
        }
    }

    /// Rows, estimated.
    pub fn rows(&self) -> u64 {
        match self {
            Defined::Stored(t) => t.engine.estimated_rows(),
            Defined::Computed(..) => 0,
        }
    }
}

impl Deref for Defined {
    type Target = TableMeta;

    fn deref(&self) -> &TableMeta {
        match self {
            Defined::Stored(t) => &t.meta,
            Defined::Computed(_, meta) => meta,
        }
    }
}

/// Those that the session may see.
pub(super) fn defined(cx: TableReads<'_>, hint: &VirtualHint) -> Vec<Defined> {
    let stored = visible(cx, hint).into_iter().map(Defined::Stored);
    let of_computed = |t| Defined::of_computed(t, cx.reads);
    stored.chain(computed(cx, hint).into_iter().filter_map(of_computed)).collect()
}
