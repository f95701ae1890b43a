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
}

impl MergeKind {
    /// As EXPLAIN calls it.
    pub fn name(self) -> &'static str {
        match self {
            MergeKind::Union => "union",
            MergeKind::SortUnion => "sort_union",
            MergeKind::Intersection => "intersect",
        }
    }

    /// The flag that allows it.
    pub fn switch(self) -> Switch {
        match self {
            MergeKind::Union => Switch::IndexMergeUnion,
            MergeKind::SortUnion => Switch::IndexMergeSortUnion,
            MergeKind::Intersection => Switch::IndexMergeIntersection,
        }
    }
}

/// Searches of several indexes, each of another one.
#[derive(Clone)]
pub struct IndexMerge {
    pub kind: MergeKind,
    pub keys: Vec<Key>,
}
