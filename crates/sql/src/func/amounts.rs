//! Amounts of time as INTERVAL has them.

use super::FuncCtx;
use crate::value::temporal::MICROS;
use crate::value::temporal::interval::{Interval, Unit};
use crate::value::{Decimal, SqlMode, Value};

/// The amount of an INTERVAL; `None` for NULL and what is not one.
pub enum Amount {
    Of(Interval),
    /// Longer than all dates.
    Beyond,
}

pub fn interval_of(cx: &mut FuncCtx<'_>, v: &Value<'_>, unit: Unit) -> Option<Amount> {
    if v.is_null() {
        return None;
    }
    if unit.is_compound() {
        return Interval::parse(&v.to_bytes()?, unit).map(Amount::Of);
    }
    if unit == Unit::Second && !matches!(v, Value::Int(_) | Value::UInt(_)) {
        let d = v.to_decimal(&mut cx.warnings)?;
        let d = match cx.mode.has(SqlMode::TIME_TRUNCATE_FRACTIONAL) {
            true => Some(d.truncate(6)),
            false => d.round(6).ok(),
        };
        let micros = d.and_then(|d| d.checked_mul(Decimal::from_i64(MICROS)).ok());
        let micros = micros.and_then(Decimal::to_i128).and_then(|n| i64::try_from(n).ok());
        return Some(micros.map_or(Amount::Beyond, |n| Amount::Of(Interval::Micros(n))));
    }
    // Decimals round ('1.5' as text counts up to the point).
    let n = i64::try_from(v.to_integer(&mut cx.warnings)?).ok();
    Some(n.and_then(|n| Interval::of(n, unit)).map_or(Amount::Beyond, Amount::Of))
}
