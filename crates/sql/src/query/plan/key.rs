//! Searches in an index: which values and bounds are known of its leading parts. What they are in bytes is worked out at run time (`ranges`).

use crate::ddl::types;
use crate::meta::SqlTable;
use crate::query::expr::usable::Alt;
use crate::query::expr::{BExpr, CmpOp};
use crate::value::SqlType;
use std::sync::Arc;
use weir_engine::row::KeyPart;

/// A search in one index.
#[derive(Clone)]
pub struct Key {
    pub table: Arc<SqlTable>,
    /// Position in the engine's definition.
    pub index: usize,
    /// The rows wanted are in the ranges of one of these: more than one where an OR is over several columns.
    pub searches: Vec<Search>,
    /// Equality on all parts of a unique index, with single values: at most one row.
    pub unique: bool,
    /// Subqueries whose results the values need.
    pub subs: Vec<u32>,
    /// Columns that are searched instead of those of an index: the table is partitioned by them.
    pub over: Option<Arc<[usize]>>,
}

/// What is known of the leading parts of an index.
#[derive(Clone, Default)]
pub struct Search {
    /// For each leading part its possible values.
    pub eq: Vec<Vec<Alt>>,
    /// Bounds of the part behind: any of these, each with all its bounds.
    pub range: Vec<Vec<(CmpOp, Alt)>>,
    /// LIKE pattern on the part behind.
    pub like: Option<BExpr>,
}

impl Search {
    /// Parts that it says something about.
    pub fn parts(&self) -> usize {
        self.eq.len() + usize::from(!self.range.is_empty() || self.like.is_some())
    }

    /// It says so much: a value is as good as two bounds.
    pub fn bounds(&self) -> usize {
        let range = self.range.iter().map(Vec::len).min().unwrap_or(0);
        2 * self.eq.len() + range + usize::from(self.like.is_some())
    }

    /// Equality alone, with one value for each part.
    pub fn is_single(&self) -> bool {
        self.eq.iter().all(|a| a.len() == 1) && self.range.is_empty() && self.like.is_none()
    }

    /// It says of no more than some values that they are not wanted.
    pub fn only_excludes(&self) -> bool {
        let bounds = || self.range.iter().flatten();
        self.eq.is_empty() && self.like.is_none() && bounds().all(|(op, _)| *op == CmpOp::Ne)
    }

    /// Combinations of values.
    pub fn prefixes(&self) -> f64 {
        self.eq.iter().map(Vec::len).product::<usize>() as f64
    }

    /// The values searched for.
    pub fn values(&self) -> impl Iterator<Item = &BExpr> {
        let bounds = self.range.iter().flatten().map(|(_, a)| a);
        self.eq.iter().flatten().chain(bounds).map(|a| &a.expr).chain(&self.like)
    }
}

/// Bytes of the first parts of an index, as MySQL counts them: NULL takes one, the length of what may be shorter two.
pub fn key_length(table: &SqlTable, index: usize, parts: usize) -> u64 {
    let of_part = |p: &KeyPart| {
        let column = &table.meta.columns[p.col];
        let ty = column.key_type();
        let char_bytes = ty.collation().map_or(1, |c| c.max_char_bytes() as u64);
        let cut = p.prefix.map(|n| u64::from(n) * char_bytes);
        let varies = matches!(ty, SqlType::Varchar { .. } | SqlType::Text { .. });
        let length = if varies { 2 } else { 0 };
        cut.unwrap_or_else(|| types::key_length(ty)) + length + u64::from(column.nullable)
    };
    table.engine.def.indexes[index].parts[..parts].iter().map(of_part).sum()
}
