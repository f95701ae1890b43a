//! What the sums of SUM, AVG and the deviations come to at the end of a group.

use super::FuncCtx;
use super::aggregate::{AggKind, AggSpec};
use crate::value::{Decimal, Value, ValueError};

/// SUM or AVG of exact numbers.
pub fn exact(
    sum: Decimal,
    n: i64,
    spec: &AggSpec,
    cx: &FuncCtx<'_>,
) -> Result<Value<'static>, ValueError> {
    if spec.kind != AggKind::Avg {
        return Ok(Value::Decimal(sum));
    }
    match sum.long_div(Decimal::from_i64(n), cx.div_increment) {
        Some(Ok(d)) => Ok(Value::Decimal(d)),
        _ => Err(ValueError::out_of_range("DECIMAL", "avg()")),
    }
}

pub fn spread(kind: AggKind, n: i64, m2: f64) -> Value<'static> {
    let sample = matches!(kind, AggKind::StdSamp | AggKind::VarSamp);
    let divisor = if sample { n - 1 } else { n };
    if divisor < 1 {
        return Value::Null;
    }
    let variance = m2 / divisor as f64;
    let root = matches!(kind, AggKind::StdPop | AggKind::StdSamp);
    let spread = if root { variance.sqrt() } else { variance };
    // Beyond the doubles there is no number to give.
    if spread.is_finite() { Value::Double(spread) } else { Value::Null }
}
