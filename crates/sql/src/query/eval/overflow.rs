//! Error 1690 names the expression whose value is outside of its type: as it was bound, with the names of its columns and not with
//! what they had, as MySQL does.

use super::frame::Frame;
use crate::errno;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::shape::Shape;
use crate::query::print::expr::Scope;
use crate::query::print::{Note, numbered};
use crate::value::ValueError;

/// Types that arithmetic and functions of numbers leave. What else is out of its range is no value of an expression.
const NUMBERS: [&str; 5] = ["BIGINT", "BIGINT UNSIGNED", "DECIMAL", "DECIMAL UNSIGNED", "DOUBLE"];

/// The error of `e`, whose operands have values.
#[cold]
pub fn named(error: ValueError, e: &BExpr, f: &Frame<'_>) -> ValueError {
    let what = error.message.split(" value is out of range in ").next().unwrap_or_default();
    if error.errno != errno::ER_DATA_OUT_OF_RANGE || !NUMBERS.contains(&what) || !has_names(e, f) {
        return error;
    }
    let mut note = Note::new(f.params);
    let mut around = Some(f);
    while let Some(f) = around {
        note.scopes.insert(0, around_of(f));
        around = f.outer;
    }
    note.expr(e);
    ValueError::out_of_range(what, &note.out)
}

/// What stands around an expression that is being worked out.
fn around_of<'p>(f: &Frame<'p>) -> Scope<'p> {
    match f.block {
        Some(b) => numbered(Scope::block(b), b, 1),
        None => Scope::row(f.shapes),
    }
}

/// Whether the columns in it are known by name: in the expression of a partition they are not, and their values say more than nothing.
fn has_names(e: &BExpr, f: &Frame<'_>) -> bool {
    let mut known = true;
    e.walk(&mut |n| {
        let Node::Col(c) = n.node else { return };
        let around = (0..c.depth).try_fold(f, |f, _| f.outer);
        let of_table = |f: &Frame<'_>| {
            matches!(f.shapes.get(usize::from(c.table)), Some(Shape::Table(_))) || f.block.is_some()
        };
        known &= around.is_some_and(of_table);
    });
    known
}
