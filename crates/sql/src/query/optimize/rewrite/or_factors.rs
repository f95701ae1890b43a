//! What all branches of an OR have in common stands before it: `(a = b AND c) OR (a = b AND d)` is `a = b AND (c OR d)`. A join condition
//! that is written into each branch is one then.
//!
//! AND distributes over OR in three-valued logic as well.

use super::{is_plain, take};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::raw::Raw;
use std::collections::HashMap;

pub fn apply(raw: &mut Raw) {
    for list in raw.lists_mut() {
        let mut common = Vec::new();
        for cond in list.iter_mut() {
            factor(cond, &mut common);
        }
        list.extend(common);
        list.retain(|c| !is_true(c));
    }
}

/// An AND of nothing, which is what is left of an OR that has a branch of common conditions alone.
fn is_true(e: &BExpr) -> bool {
    matches!(&e.node, Node::And(list) if list.is_empty())
}

fn conjuncts(branch: &BExpr) -> &[BExpr] {
    match &branch.node {
        Node::And(list) => list,
        _ => std::slice::from_ref(branch),
    }
}

/// Moves the conditions that all branches of an OR have out of them.
fn factor(cond: &mut BExpr, out: &mut Vec<BExpr>) {
    let Node::Or(branches) = &cond.node else { return };
    let [first, rest @ ..] = &branches[..] else { return };
    let text = |e: &BExpr| format!("{:?}", e.node);
    let candidates: Vec<&BExpr> = conjuncts(first).iter().filter(|e| is_plain(e)).collect();
    if candidates.is_empty() || rest.is_empty() {
        return;
    }
    // In how many branches each text stands.
    let mut seen: HashMap<String, usize> = HashMap::new();
    for branch in rest {
        let mut here: Vec<String> = conjuncts(branch).iter().map(text).collect();
        here.sort_unstable();
        here.dedup();
        here.into_iter().for_each(|t| *seen.entry(t).or_default() += 1);
    }
    let is_common = |e: &BExpr| seen.get(&text(e)) == Some(&rest.len());
    let mut common: Vec<BExpr> = Vec::new();
    for e in candidates.into_iter().filter(|e| is_common(e)) {
        if !common.iter().any(|c| text(c) == text(e)) {
            common.push(e.clone());
        }
    }
    if common.is_empty() {
        return;
    }
    let texts: Vec<String> = common.iter().map(text).collect();
    let nullable = cond.info.nullable;
    let Node::Or(branches) = take(cond).node else { return };
    let rest_of = |branch: BExpr| -> Vec<BExpr> {
        let list = match branch.node {
            Node::And(list) => list,
            node => vec![BExpr { node, info: branch.info }],
        };
        list.into_iter().filter(|e| !texts.contains(&text(e))).collect()
    };
    let mut left: Vec<Vec<BExpr>> = branches.into_iter().map(rest_of).collect();
    *cond = match left.iter().any(Vec::is_empty) {
        true => BExpr::boolean(Node::And(Vec::new()), false),
        false => {
            let one = |mut list: Vec<BExpr>| match (list.len(), list.pop()) {
                (1, Some(e)) => e,
                (_, last) => {
                    list.extend(last);
                    BExpr::boolean(Node::And(list), nullable)
                }
            };
            BExpr::boolean(Node::Or(left.drain(..).map(one).collect()), nullable)
        }
    };
    out.extend(common);
}
