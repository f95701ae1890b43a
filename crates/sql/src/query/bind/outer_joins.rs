//! Outer joins that are none, because WHERE refuses the rows that they add.

use crate::query::expr::{BExpr, CmpOp, Node};
use crate::query::plan::raw::Raw;

/// An outer join whose missing rows WHERE refuses is an inner one.
pub fn drop_outer_joins(raw: &mut Raw) {
    loop {
        let refused = (0..raw.groups.len()).find(|g| {
            let tables = raw.groups[*g].tables;
            tables != 0
                && raw.groups[*g].parent.is_none()
                && raw.conds.iter().any(|c| refuses_null(c, tables))
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

/// Is the condition never true when all columns of `tables` are NULL?
fn refuses_null(c: &BExpr, tables: u64) -> bool {
    fn strict(e: &BExpr, tables: u64) -> bool {
        match &e.node {
            Node::Col(c) => c.depth == 0 && tables & (1 << c.table) != 0,
            Node::Arith(_, a, b) => strict(a, tables) || strict(b, tables),
            Node::Neg(a) | Node::Collate(_, a) => strict(a, tables),
            _ => false,
        }
    }
    match &c.node {
        Node::Cmp { op, a, b, .. } => {
            *op != CmpOp::NullSafe && (strict(a, tables) || strict(b, tables))
        }
        Node::In { left, .. } => strict(left, tables),
        Node::Func(def, args) if def.name == "LIKE" => {
            args.iter().take(2).any(|a| strict(a, tables))
        }
        Node::Is { expr, test: crate::query::expr::Truth::Null, negated: true } => {
            strict(expr, tables)
        }
        Node::And(list) => list.iter().any(|e| refuses_null(e, tables)),
        Node::Or(list) => list.iter().all(|e| refuses_null(e, tables)),
        _ => false,
    }
}
