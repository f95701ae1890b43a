//! Months as YYMM and YYYYMM.

use super::{FuncCtx, Out};
use crate::value::temporal::parse::full_year;
use crate::value::{Value, ValueError};

/// A period YYMM or YYYYMM as months.
fn period(n: i64, function: &str) -> Result<i64, ValueError> {
    let (year, month) = (n / 100, n % 100);
    if n < 0 || !(1..=12).contains(&month) || year > 99_999_999 {
        return Err(ValueError::wrong_arguments(function));
    }
    let year = if year < 100 { i64::from(full_year(year as u16)) } else { year };
    Ok(year * 12 + month - 1)
}

pub(super) fn period_add(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let w = &mut cx.warnings;
    let (Some(p), Some(n)) = (args[0].to_i64(w), args[1].to_i64(w)) else {
        return Ok(Value::Null);
    };
    // The number of months has 32 bits, whatever is asked for.
    let months = period(p, "period_add")?.saturating_add(i64::from(n as i32)).max(0);
    Ok(Value::Int(months / 12 * 100 + months % 12 + 1))
}

pub(super) fn period_diff(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let w = &mut cx.warnings;
    let (Some(a), Some(b)) = (args[0].to_i64(w), args[1].to_i64(w)) else {
        return Ok(Value::Null);
    };
    Ok(Value::Int(period(a, "period_diff")? - period(b, "period_diff")?))
}
