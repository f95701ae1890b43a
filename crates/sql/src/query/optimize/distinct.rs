//! DISTINCT of what is distinct already: the rows of groups that show all keys of their groups.

use crate::query::expr::{BExpr, Node};
use crate::query::plan::Block;

/// Takes DISTINCT from a block whose rows differ without it. Two groups differ in a key as DISTINCT tells values apart: a key that is a
/// column is compared in its own collation by both. The rows of ROLLUP may be equal: NULL is a value of a key and stands for all of them.
pub fn drop_needless(b: &mut Block) {
    let Some(agg) = b.agg.as_ref().filter(|a| b.distinct && a.rollup.is_none()) else { return };
    let column = |e: &BExpr| match e.node {
        Node::Col(c) if c.depth == 0 => Some(c),
        _ => None,
    };
    let shown: Vec<_> = b.items.iter().filter_map(column).collect();
    let is_shown = |key: &BExpr| column(key).is_some_and(|c| shown.contains(&c));
    if agg.keys.iter().all(is_shown) {
        b.distinct = false;
    }
}
