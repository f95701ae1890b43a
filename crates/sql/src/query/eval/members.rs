//! Whether a value is among the rows of a subquery, or before or behind them.

use super::frame::{Frame, SubResult};
use super::{Ev, eval};
use crate::query::expr::{BExpr, CmpOp};
use crate::value::compare::{CompareRule, compare};
use crate::value::{Value, ValueError};
use smallvec::SmallVec;
use std::cmp::Ordering;

pub fn in_rows(
    left: &[BExpr],
    f: &Frame<'_>,
    sub: &SubResult,
    ev: &mut Ev<'_>,
) -> Result<Option<bool>, ValueError> {
    let SubResult::Rows { rows, hashed, .. } = sub.get() else { return Ok(Some(false)) };
    if rows.is_empty() {
        return Ok(Some(false));
    }
    let values: SmallVec<[Value<'_>; 4]> =
        left.iter().map(|e| eval(e, f, ev)).collect::<Result<_, _>>()?;
    if let (Some(h), [v]) = (hashed, &values[..]) {
        if v.is_null() {
            return Ok(None);
        }
        if let Some(found) = h.contains(v) {
            return Ok(if found { Some(true) } else { (!h.has_null).then_some(false) });
        }
    }
    let mut unknown = false;
    for row in rows.iter() {
        let mut equal = Some(true);
        for (v, w) in values.iter().zip(row) {
            let rule = CompareRule::of_values(v, w);
            match compare(v, w, rule, &mut ev.cx)? {
                None => equal = equal.and(None),
                Some(Ordering::Equal) => {}
                Some(_) => {
                    equal = Some(false);
                    break;
                }
            }
        }
        match equal {
            Some(true) => return Ok(Some(true)),
            None => unknown = true,
            Some(false) => {}
        }
    }
    Ok((!unknown).then_some(false))
}

pub fn quantified(
    op: CmpOp,
    left: &BExpr,
    all: bool,
    f: &Frame<'_>,
    sub: &SubResult,
    ev: &mut Ev<'_>,
) -> Result<Option<bool>, ValueError> {
    let SubResult::Rows { rows, hashed, .. } = sub.get() else { return Ok(Some(all)) };
    let v = eval(left, f, ev)?;
    if let Some((low, high)) = hashed.as_ref().and_then(|h| h.ends(&v)) {
        // What is above the greatest is above all, and what is above the least is above some.
        let end = match op {
            CmpOp::Gt | CmpOp::Ge => Some(if all { high } else { low }),
            CmpOp::Lt | CmpOp::Le => Some(if all { low } else { high }),
            CmpOp::Eq | CmpOp::NullSafe | CmpOp::Ne => None,
        };
        let has_null = hashed.as_ref().is_some_and(|h| h.has_null);
        if let Some(w) = end.map(|at| &rows[at][0]) {
            let rule = CompareRule::of_values(&v, w);
            let holds = compare(&v, w, rule, &mut ev.cx)?.map(|o| op.holds(o));
            return Ok(holds.filter(|holds| *holds != all || !has_null));
        }
    }
    let mut unknown = false;
    for row in rows.iter() {
        let w = row.first().unwrap_or(&Value::Null);
        match compare(&v, w, CompareRule::of_values(&v, w), &mut ev.cx)? {
            None => unknown = true,
            Some(o) if op.holds(o) != all => return Ok(Some(!all)),
            Some(_) => {}
        }
    }
    Ok((!unknown).then_some(all))
}
