//! What has several values of which one is taken.

use super::frame::Frame;
use super::{Ev, eval, truth};
use crate::func::facts::Id;
use crate::memory::heap_of;
use crate::query::expr::{BExpr, Node};
use crate::value::cast::{coerce, coerce_choice};
use crate::value::{SqlType, Value, ValueError};

/// IF, IFNULL and COALESCE: what is not taken is not looked at, nor is anything said of it.
pub fn chosen<'v>(
    id: Id,
    args: &'v [BExpr],
    ty: &SqlType,
    f: &Frame<'v>,
    ev: &mut Ev<'_>,
) -> Result<Value<'v>, ValueError> {
    let mut v = Value::Null;
    if matches!(id, Id::If | Id::IfItself) {
        let taken = if truth(&args[0], f, ev)? == Some(true) { &args[1] } else { &args[2] };
        v = eval(taken, f, ev)?;
    } else {
        for a in args {
            v = eval(a, f, ev)?;
            if !v.is_null() {
                break;
            }
        }
    }
    ev.cx.work(64 + heap_of(&v))?;
    Ok(match id {
        Id::IfItself => v,
        Id::If => coerce_choice(v, ty, &mut ev.cx),
        _ => coerce(v, ty, &mut ev.cx),
    })
}

/// A text of which MySQL makes a number without saying that it is not one: of a column of TEXT or BLOB, as it is or chosen among others, of
/// an aggregate or a subquery, and what IFNULL(), COALESCE(), LEAST() or GREATEST() gives.
pub fn is_unwatched(e: &BExpr) -> bool {
    match &e.node {
        Node::Col(_) => e.info.ty.is_lob(),
        Node::Agg(_) | Node::OuterAgg { .. } | Node::Sub(_) => true,
        Node::Func(def, args) => match def.id {
            Id::AnyValue | Id::Ifnull | Id::Coalesce | Id::Least | Id::Greatest => true,
            Id::If | Id::IfItself => args.iter().any(is_unwatched),
            _ => false,
        },
        Node::Case { whens, otherwise } => {
            whens.iter().any(|(_, v)| is_unwatched(v))
                || otherwise.as_deref().is_some_and(is_unwatched)
        }
        _ => false,
    }
}
