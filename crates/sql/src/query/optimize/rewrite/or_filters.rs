//! What an OR over several tables says of one of them becomes a condition on that table: of `(a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)`
//! a row of `a` can be part only if `a.x` is 1 or 3. So the table is searched, or its rows are fewer, before it is joined.

use super::{is_plain, tables};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::raw::Raw;

/// Branches of an OR that are looked at.
const MOST: usize = 64;

pub fn apply(raw: &mut Raw) {
    let mut concluded = Vec::new();
    let mut told = Vec::new();
    for (at, cond) in raw.conds.iter().enumerate() {
        let before = concluded.len();
        concluded.extend(filters(cond, u64::MAX));
        told.extend((concluded.len() > before).then_some(at));
    }
    raw.told_by_tables.extend(told);
    concluded.into_iter().for_each(|c| raw.conclude(c));
    for group in &mut raw.groups {
        // Rows of the outer side are joined whatever the condition says of them.
        let inner: Vec<BExpr> = group.on.iter().flat_map(|c| filters(c, group.tables)).collect();
        group.on.extend(inner);
    }
}

/// A condition for each of the tables `of` that every branch of an OR says something of.
fn filters(cond: &BExpr, of: u64) -> Vec<BExpr> {
    let Node::Or(branches) = &cond.node else { return Vec::new() };
    let all = tables(cond);
    if all.count_ones() < 2 || branches.len() > MOST || !is_plain(cond) {
        return Vec::new();
    }
    let bits = (0..64).map(|t| 1u64 << t).filter(|bit| all & of & bit != 0);
    bits.filter_map(|bit| {
        let parts: Option<Vec<BExpr>> = branches.iter().map(|b| about(b, bit)).collect();
        Some(BExpr::boolean(Node::Or(parts?), cond.info.nullable))
    })
    .collect()
}

/// What a branch says of a table alone; none where it says nothing.
fn about(branch: &BExpr, bit: u64) -> Option<BExpr> {
    let list = match &branch.node {
        Node::And(list) => &list[..],
        _ => std::slice::from_ref(branch),
    };
    let mut own: Vec<BExpr> = Vec::new();
    for e in list {
        match tables(e) {
            of if of == bit => own.push(e.clone()),
            of if of & bit != 0 => own.extend(filters(e, bit)),
            _ => {}
        }
    }
    match own.len() {
        0 => None,
        1 => own.pop(),
        _ => Some(BExpr::boolean(Node::And(own), branch.info.nullable)),
    }
}
