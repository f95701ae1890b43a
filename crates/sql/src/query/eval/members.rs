//! Whether a value is among the rows of a subquery, or before or behind them.

use super::frame::{Frame, SubResult};
use super::row_set::Among;
use super::{Ev, eval};
use crate::query::expr::{BExpr, CmpOp};
use crate::query::plan::outcome::Row;
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
    if let [v] = &values[..]
        && v.is_null()
    {
        return Ok(None);
    }
    let among = match hashed {
        Some(set) => set.among(&values, rows, &mut ev.cx)?,
        None => None,
    };
    let mut unknown = false;
    let mut look = |row: &Row| -> Result<bool, ValueError> {
        let equal = equals(&values, row, ev)?;
        unknown |= equal.is_none();
        Ok(equal == Some(true))
    };
    match among {
        Some(Among::One) => return Ok(Some(true)),
        Some(Among::NoneBut(places)) => {
            for at in places {
                if look(&rows[*at])? {
                    return Ok(Some(true));
                }
            }
        }
        None => {
            for row in rows {
                if look(row)? {
                    return Ok(Some(true));
                }
            }
        }
    }
    Ok((!unknown).then_some(false))
}

/// Whether rows are equal, column by column.
fn equals(values: &[Value<'_>], row: &Row, ev: &mut Ev<'_>) -> Result<Option<bool>, ValueError> {
    let mut equal = Some(true);
    for (v, w) in values.iter().zip(row) {
        let rule = CompareRule::of_values(v, w);
        match compare(v, w, rule, &mut ev.cx)? {
            None => equal = None,
            Some(Ordering::Equal) => {}
            Some(_) => return Ok(Some(false)),
        }
    }
    Ok(equal)
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
        let has_null = hashed.as_ref().is_some_and(|h| h.has_null());
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
