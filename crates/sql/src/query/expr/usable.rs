//! Conditions that say something about a column, in a form that an index can be searched for.

use super::{BExpr, CmpOp, Node, Truth};
use crate::func::facts::Id;
use crate::value::compare::CompareRule;
use crate::value::json::elements::Listed;
use crate::value::{Charset, Class, Collation, Value};

/// A value that a key column may have.
#[derive(Clone, Debug)]
pub struct Alt {
    pub expr: BExpr,
    pub rule: Option<CompareRule>,
    /// `<=>` and IS NULL: NULL is a value.
    pub null_safe: bool,
    /// The column is a list, and its elements are searched for those of the value.
    pub listed: Option<Listed>,
}

impl Alt {
    /// Certainly the same value at run time.
    pub fn same_value(&self, other: &Alt) -> bool {
        match (&self.expr.node, &other.expr.node) {
            (Node::Param(a), Node::Param(b)) => a == b,
            (Node::Col(a), Node::Col(b)) => a == b,
            (Node::Const(Value::Int(a)), Node::Const(Value::Int(b))) => a == b,
            (Node::Const(Value::UInt(a)), Node::Const(Value::UInt(b))) => a == b,
            _ => false,
        }
    }
}

/// A condition on one column of a table, usable for a search.
pub enum Usable {
    Eq(Vec<Alt>),
    Range(CmpOp, Alt),
    /// Any of these, each with all its bounds.
    AnyRange(Vec<Vec<(CmpOp, Alt)>>),
    Like(BExpr),
}

/// What `cond` says about a column of table `t`, where values may come from the tables in `known`.
pub fn usable(cond: &BExpr, t: u16, known: &dyn Fn(&BExpr) -> bool) -> Option<(u16, Usable)> {
    let column = |e: &BExpr| match e.node {
        Node::Col(c) if c.depth == 0 && c.table == t => Some(c.col),
        _ => None,
    };
    // Among texts that are equal in the column's own collation are those that are equal by their bytes.
    let equal_column = |e: &BExpr| {
        column(e).or_else(|| match &e.node {
            Node::Collate(c, inner) => {
                let found =
                    |own: &Collation| *own == *c || is_finer(*c, *own) || is_padded(*c, *own);
                let own = inner.info.ty.collation().filter(found);
                own.and_then(|_| column(inner)).filter(|_| !inner.info.ty.is_list())
            }
            _ => None,
        })
    };
    // Only a value that no row decides is worth to be left out of a range.
    let is_fixed = |e: &BExpr| known(e) && e.tables(&|_| 0) == 0 && e.has_no_subs();
    // The texts of an ENUM or SET are not compared in the order of its index.
    let unordered = |e: &BExpr| column(e).is_some() && e.info.ty.is_list();
    let alt = |e: &BExpr, rule: Option<CompareRule>, null_safe| Alt {
        expr: e.clone(),
        rule,
        null_safe,
        listed: None,
    };
    // A time beside what is not one is compared as a text or a number, in another order than its own.
    let other_order = |rule: Option<CompareRule>, value: &BExpr| {
        rule == Some(CompareRule::Time) && value.info.ty.class() == Class::Text
    };
    match &cond.node {
        Node::Cmp { op, rule, a, b } => {
            let of = |e: &BExpr| if *op == CmpOp::Eq { equal_column(e) } else { column(e) };
            let (col, op, value) = match (of(a), of(b)) {
                (Some(c), _) if known(b) => (c, *op, b),
                (_, Some(c)) if known(a) => (c, op.swapped(), a),
                _ => return None,
            };
            match op {
                _ if other_order(*rule, value) => None,
                CmpOp::Eq => Some((col, Usable::Eq(vec![alt(value, *rule, false)]))),
                CmpOp::NullSafe => Some((col, Usable::Eq(vec![alt(value, *rule, true)]))),
                CmpOp::Ne if !is_fixed(value) => None,
                _ if unordered(a) || unordered(b) => None,
                op => Some((col, Usable::Range(op, alt(value, *rule, false)))),
            }
        }
        Node::In { left, list, negated: false, .. } => {
            let col = equal_column(left)?;
            let all = list.iter().all(|(r, e)| known(e) && !other_order(*r, e));
            all.then(|| (col, Usable::Eq(list.iter().map(|(r, e)| alt(e, *r, false)).collect())))
        }
        Node::In { left, list, negated: true, .. } if list.len() <= MOST_EXCLUDED => {
            let col = column(left).filter(|_| !unordered(left))?;
            let all = list.iter().all(|(r, e)| is_fixed(e) && !other_order(*r, e));
            let excluded = || list.iter().map(|(r, e)| (CmpOp::Ne, alt(e, *r, false))).collect();
            all.then(|| (col, Usable::AnyRange(vec![excluded()])))
        }
        Node::Is { expr, test: Truth::Null, negated: false } => {
            let col = column(expr)?;
            Some((
                col,
                Usable::Eq(vec![Alt {
                    expr: BExpr::constant(Value::Null),
                    rule: None,
                    null_safe: true,
                    listed: None,
                }]),
            ))
        }
        Node::Func(def, args) if def.id == Id::Like && args.len() == 2 => {
            let col = column(&args[0]).filter(|_| !unordered(&args[0]))?;
            known(&args[1]).then(|| (col, Usable::Like(args[1].clone())))
        }
        Node::Or(list) => {
            let mut eq = Vec::new();
            let mut any: Vec<Vec<(CmpOp, Alt)>> = Vec::new();
            let mut col = None;
            let mut same = |c: u16| *col.get_or_insert(c) == c;
            for e in list {
                // A branch may be several bounds of the column joined by AND.
                let parts = match &e.node {
                    Node::And(parts) => parts.iter().collect::<Vec<_>>(),
                    _ => vec![e],
                };
                let mut conj = Vec::new();
                for p in parts {
                    match usable(p, t, known)? {
                        (c, Usable::Eq(alts)) if same(c) && parts_is_one(e) => eq.extend(alts),
                        (c, Usable::Eq(alts))
                            if same(c) && alts.len() == 1 && !alts[0].null_safe =>
                        {
                            conj.extend(alts.into_iter().map(|a| (CmpOp::Eq, a)));
                        }
                        (c, Usable::Range(op, a)) if same(c) => conj.push((op, a)),
                        // Values that are excluded.
                        (c, Usable::AnyRange(mut any)) if same(c) && any.len() == 1 => {
                            conj.extend(any.pop().into_iter().flatten());
                        }
                        _ => return None,
                    }
                }
                if !conj.is_empty() {
                    any.push(conj);
                }
            }
            let col = col?;
            if any.is_empty() {
                return Some((col, Usable::Eq(eq)));
            }
            if eq.iter().any(|a| a.null_safe) {
                return None;
            }
            any.extend(eq.into_iter().map(|a| vec![(CmpOp::Eq, a)]));
            Some((col, Usable::AnyRange(any)))
        }
        _ => None,
    }
}

fn parts_is_one(e: &BExpr) -> bool {
    !matches!(e.node, Node::And(_))
}

/// Texts that are equal in the first collation are equal in the second one.
pub fn is_finer(c: Collation, than: Collation) -> bool {
    c.is_bytewise() && c.charset() == than.charset() && (than.pad_space() || !c.pad_space())
}

/// Texts that are equal in the first collation are equal in the second one except for spaces at their ends, which the first one passes over.
pub fn is_padded(c: Collation, than: Collation) -> bool {
    let set = c.charset();
    let spaces = matches!(set, Charset::Utf8mb4 | Charset::Utf8mb3) || set.max_char_bytes() == 1;
    c.is_bytewise() && set == than.charset() && c.pad_space() && !than.pad_space() && spaces
}

impl Alt {
    /// Several values of a column with this collation may be equal to it: those that differ in spaces at their ends.
    pub fn is_padded(&self, own: Option<Collation>) -> bool {
        matches!((self.rule, own), (Some(CompareRule::Text(c)), Some(own)) if is_padded(c, own))
    }
}

/// Values that a range leaves out at most.
const MOST_EXCLUDED: usize = 64;

/// Branches of a condition at most; beyond, nothing is made of it.
const MAX_BRANCHES: usize = 64;

/// Several conditions of which one must be true, each as what it says about columns of table `t`: an OR over more than one
/// column, with the AND inside of it multiplied out. None when a branch says nothing.
pub fn branches(
    cond: &BExpr,
    t: u16,
    known: &dyn Fn(&BExpr) -> bool,
) -> Option<Vec<Vec<(u16, Usable)>>> {
    let Node::Or(_) = cond.node else { return None };
    let all = disjuncts(cond)?;
    all.into_iter()
        .map(|conj| {
            let on: Vec<_> = conj.into_iter().filter_map(|c| usable(c, t, known)).collect();
            (!on.is_empty()).then_some(on)
        })
        .collect()
}

/// The condition as an OR of ANDs; none when that is too long.
fn disjuncts(e: &BExpr) -> Option<Vec<Vec<&BExpr>>> {
    let short = |list: Vec<Vec<_>>| (list.len() <= MAX_BRANCHES).then_some(list);
    match &e.node {
        Node::Or(list) => {
            let mut out = Vec::new();
            for e in list {
                out.extend(disjuncts(e)?);
            }
            short(out)
        }
        Node::And(list) => {
            let mut out = vec![Vec::new()];
            for e in list {
                let also = disjuncts(e)?;
                if out.len() * also.len() > MAX_BRANCHES {
                    return None;
                }
                out = out
                    .iter()
                    .flat_map(|one: &Vec<&BExpr>| {
                        also.iter().map(move |two| one.iter().chain(two).copied().collect())
                    })
                    .collect();
            }
            Some(out)
        }
        _ => Some(vec![vec![e]]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_tell_more_apart_than_collations() {
        let (bin, ci) = (Collation::Utf8mb4Bin, Collation::Utf8mb4GeneralCi);
        assert!(is_finer(bin, ci) && !is_finer(ci, bin));
        // Of texts that differ in spaces at their ends `utf8mb4_bin` says that they are equal.
        assert!(!is_finer(bin, Collation::Utf8mb40900AiCi));
        assert!(is_padded(bin, Collation::Utf8mb40900AiCi) && !is_padded(bin, ci));
    }
}
