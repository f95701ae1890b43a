//! Outer joins that are none, because WHERE refuses the rows that they add.

use crate::func::facts::Id;
use crate::query::expr::{BExpr, CmpOp, ColRef, Node, Truth};
use crate::query::plan::raw::Raw;

fn of_tables(c: &ColRef, tables: u64) -> bool {
    c.depth == 0 && tables & (1 << c.table) != 0
}

/// An outer join whose missing rows WHERE refuses is an inner one.
pub fn drop_outer_joins(raw: &mut Raw) {
    loop {
        let refused = (0..raw.groups.len()).find(|g| {
            let tables = raw.groups[*g].tables;
            tables != 0
                && raw.groups[*g].parent.is_none()
                && raw.conds.iter().any(|c| refuses_null(c, &|c| of_tables(c, tables)))
        });
        let Some(g) = refused else { return };
        let on = std::mem::take(&mut raw.groups[g].on);
        raw.conds.extend(on);
        raw.groups[g].tables = 0;
        for i in 0..raw.groups.len() {
            if raw.groups[i].parent == Some(g) {
                raw.groups[i].parent = None;
            }
        }
        for t in &mut raw.group_of {
            if *t == Some(g) {
                *t = None;
            }
        }
    }
}

/// Is the condition never true when the columns are NULL?
pub fn refuses_null(c: &BExpr, is: &dyn Fn(&ColRef) -> bool) -> bool {
    match &c.node {
        Node::Is { expr, test: Truth::Null, negated: true } => becomes_null(expr, is),
        Node::Is { expr, test: Truth::True, negated: false } => refuses_null(expr, is),
        Node::Is { expr, test: Truth::False, negated: false } => becomes_null(expr, is),
        Node::InSub { left, negated: false, .. } => left.iter().any(|e| becomes_null(e, is)),
        Node::And(list) => list.iter().any(|e| refuses_null(e, is)),
        Node::Or(list) => list.iter().all(|e| refuses_null(e, is)),
        Node::Not(e) => match &e.node {
            Node::Is { expr, test: Truth::Null, negated: false } => becomes_null(expr, is),
            _ => becomes_null(e, is),
        },
        _ => becomes_null(c, is),
    }
}

/// Is the value NULL when the columns are?
fn becomes_null(e: &BExpr, is: &dyn Fn(&ColRef) -> bool) -> bool {
    match &e.node {
        Node::Col(c) => is(c),
        Node::Arith(_, a, b) => becomes_null(a, is) || becomes_null(b, is),
        Node::Neg(a) | Node::Not(a) | Node::Collate(_, a) => becomes_null(a, is),
        Node::Cmp { op, a, b, .. } => {
            *op != CmpOp::NullSafe && (becomes_null(a, is) || becomes_null(b, is))
        }
        Node::In { left, .. } => becomes_null(left, is),
        Node::Func(def, args) if def.id == Id::Like => {
            args.iter().take(2).any(|a| becomes_null(a, is))
        }
        _ => false,
    }
}
