//! Rows found through several indexes of one table.

use super::key::Key;
use crate::vars::switches::Switch;

/// How the rows of several searches become one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeKind {
    /// Those of any search; each search gives its rows in the order of the clustered key.
    Union,
    /// Those of any search, sorted first.
    SortUnion,
    /// Those of all searches.
    Intersection,
    /// Those of one search in a multi-valued index, which has several entries for some rows and none for others: where it cannot tell
    /// which rows are wanted, all rows are read.
    MultiValued,
}

impl MergeKind {
    /// As EXPLAIN calls it.
    pub fn name(self) -> &'static str {
        match self {
            MergeKind::Union => "union",
            MergeKind::SortUnion => "sort_union",
            MergeKind::Intersection => "intersect",
            MergeKind::MultiValued => "multi_valued",
        }
    }

    /// The flag that allows it.
    pub fn switch(self) -> Switch {
        match self {
            MergeKind::Union => Switch::IndexMergeUnion,
            MergeKind::SortUnion => Switch::IndexMergeSortUnion,
            // No switch is asked about an index's own search.
            MergeKind::Intersection | MergeKind::MultiValued => Switch::IndexMergeIntersection,
        }
    }
}

/// Searches of several indexes, each of another one.
#[derive(Clone)]
pub struct IndexMerge {
    pub kind: MergeKind,
    pub keys: Vec<Key>,
}
