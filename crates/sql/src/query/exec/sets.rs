//! UNION, INTERSECT and EXCEPT.

use crate::func::aggregate::distinct_key;
use crate::query::plan::outcome::Row;
use std::collections::{HashMap, HashSet};
use weir_syntax::ast::SetOp;

/// Puts the rows of two queries together; both have the same types.
pub fn combine(op: SetOp, all: bool, left: Vec<Row>, right: Vec<Row>) -> Vec<Row> {
    let key = |r: &Row| {
        let mut k = Vec::new();
        r.iter().for_each(|v| distinct_key(v, &mut k));
        k
    };
    let mut seen = HashSet::new();
    match (op, all) {
        (SetOp::Union, true) => left.into_iter().chain(right).collect(),
        (SetOp::Union, false) => {
            left.into_iter().chain(right).filter(|r| seen.insert(key(r))).collect()
        }
        (op, all) => {
            let mut other: HashMap<Vec<u8>, usize> = HashMap::new();
            for r in &right {
                *other.entry(key(r)).or_default() += 1;
            }
            left.into_iter()
                .filter(|r| {
                    let k = key(r);
                    let there = match other.get_mut(&k) {
                        Some(n) if all && *n > 0 => {
                            *n -= 1;
                            true
                        }
                        Some(n) => !all && *n > 0,
                        None => false,
                    };
                    there == (op == SetOp::Intersect) && (all || seen.insert(k))
                })
                .collect()
        }
    }
}
