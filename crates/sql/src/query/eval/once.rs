//! Values of a run: constants that are evaluated at the first row that asks for them, and kept.
//!
//! Kept is what costs nothing to hand out: no text, which would be copied, and nothing that there was a warning or an error of, so that each
//! row says what it has to say.

use super::frame::Frame;
use super::{Ev, Eval, eval};
use crate::query::expr::{BExpr, ListId};
use crate::value::compare::date_or_zero;
use crate::value::{Value, ValueError, Warnings};

/// Constants of a run that are kept. They are looked for one by one, so they are few.
const MOST: usize = 16;

/// The values that a run has kept, and the expressions whose values it does not keep.
#[derive(Default)]
pub struct Kept(Vec<(u64, Option<Value<'static>>)>);

/// The value of a constant, which is the same for all rows.
pub fn value<'v>(
    id: ListId,
    moment: bool,
    expr: &'v BExpr,
    f: &Frame<'v>,
    ev: &mut Ev<'_>,
) -> Eval<'v> {
    match ev.lists.once().map(|kept| kept.0.iter().find(|(known, _)| *known == id.0)) {
        None | Some(Some((_, None))) => return eval(expr, f, ev),
        Some(Some((_, Some(v)))) => return Ok(v.clone()),
        Some(None) => {}
    }
    let before = std::mem::replace(&mut ev.cx.warnings, Warnings::with_limit(0));
    let found = settled(moment, expr, f, ev);
    let said = std::mem::replace(&mut ev.cx.warnings, before).total() > 0;
    let found = found.ok().filter(|v| !said && is_cheap(v));
    if let Some(kept) = ev.lists.once().filter(|kept| kept.0.len() < MOST) {
        kept.0.push((id.0, found.clone()));
    }
    match found {
        Some(v) => Ok(v),
        None => eval(expr, f, ev),
    }
}

fn settled(
    moment: bool,
    expr: &BExpr,
    f: &Frame<'_>,
    ev: &mut Ev<'_>,
) -> Result<Value<'static>, ValueError> {
    let v = eval(expr, f, ev)?.into_owned();
    Ok(match moment && v.is_string() {
        true => Value::DateTime(date_or_zero(&v, false, &mut ev.cx)),
        false => v,
    })
}

fn is_cheap(v: &Value<'_>) -> bool {
    !matches!(v, Value::Str(..) | Value::Bytes(_) | Value::Json(_))
}
