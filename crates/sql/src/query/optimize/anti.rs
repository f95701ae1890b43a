//! `t LEFT JOIN u ON ... WHERE u.id IS NULL` of a column that is never NULL asks for the rows of t that have none of u: the first row of u
//! that is found for one of t refuses it, and no other needs to be read.

use crate::query::expr::{BExpr, ColRef, Node, Truth};
use crate::query::plan::{Block, Source};

/// Marks the steps of which one row is enough.
pub fn mark(b: &mut Block) {
    for at in 0..b.steps.len() {
        let step = &b.steps[at];
        let [group] = step.ends[..] else { continue };
        let alone = b.groups[group].first == at && b.groups[group].last == at;
        let refused =
            step.after.iter().any(|(of, c)| of.is_none() && is_missing(b, step.table, &c.expr));
        b.steps[at].anti = alone && refused;
    }
}

/// Whether the condition holds for no row of a table.
fn is_missing(b: &Block, t: usize, e: &BExpr) -> bool {
    let Node::Is { expr, test: Truth::Null, negated: false } = &e.node else { return false };
    let Node::Col(ColRef { depth: 0, table, col }) = expr.node else { return false };
    let Source::Table(known) = &b.tables[t].source else { return false };
    usize::from(table) == t && !known.meta.columns[usize::from(col)].nullable
}
