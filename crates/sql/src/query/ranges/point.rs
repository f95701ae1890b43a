//! A value searched for, as the column's own type can hold it.
//!
//! Values of another type are compared by a rule of both types, not of the column's: an INT with 1.5 as decimals, a FLOAT with
//! 1004.85 or a DECIMAL with a text as doubles. What is found here is where such a value stands among those of the column.
//! It may be told too widely, never too narrowly: the conversions that comparison does never change an order, so that it is
//! enough to know the neighbours.

use crate::query::eval::Ev;
use crate::value::compare::{CompareRule, Other, are_near};
use crate::value::{Collation, Date, DatumBuf, Decimal, SqlType, StoreCtx, Value, Warnings};

/// Where a value stands among those of a column.
pub enum Point {
    Exact(DatumBuf),
    /// Not a value of the column: the largest one below.
    Between(DatumBuf),
    /// Values below the first are less, those above the second greater; some of those between may be equal.
    Around(DatumBuf, DatumBuf),
    Below,
    Above,
    Null,
    /// Not comparable in the column's own order.
    Unknown,
}

/// Doubles up to this are exact integers if they have no fraction.
const EXACT: f64 = 9.0e15;
/// More than half the distance between two doubles of which one fits into 64 bits.
const ROUNDED: i128 = 4096;

pub fn point_of(ty: &SqlType, v: &Value<'_>, rule: Option<CompareRule>, ev: &mut Ev<'_>) -> Point {
    if v.is_null() {
        return Point::Null;
    }
    let rule = rule_at_run(rule, v);
    // Beside a document the column's value is compared as JSON, in another order than its own.
    if rule == Some(CompareRule::Json) || matches!(v, Value::Json(_)) {
        return Point::Unknown;
    }
    if let Some(CompareRule::Near { places, other }) = rule
        && let Some(near) = near_point(ty, v, (places, other), ev)
    {
        return near;
    }
    match *ty {
        SqlType::Int { kind, unsigned, .. } => {
            integer_point(kind.range(unsigned), unsigned, v, rule, ev)
        }
        SqlType::Year => match v {
            Value::Int(n) if (1901..=2155).contains(n) => {
                Point::Exact(DatumBuf::UInt(*n as u64 - 1900))
            }
            Value::UInt(n) if (1901..=2155).contains(n) => Point::Exact(DatumBuf::UInt(*n - 1900)),
            _ => Point::Unknown,
        },
        SqlType::Decimal { precision, scale, .. } => {
            let digits = (precision, scale);
            // A constant text is compared with a column of decimals as a decimal, whatever was known of its kind before the run
            // (`expr::compared`).
            let exact = v.is_string() && matches!(rule, None | Some(CompareRule::Decimal));
            let warnings = &mut ev.cx.warnings;
            let number = if exact { v.to_compared_decimal(warnings) } else { None };
            match number {
                Some(d) => {
                    decimal_point(digits, &Value::Decimal(d), Some(CompareRule::Decimal), ev)
                }
                None => decimal_point(digits, v, rule, ev),
            }
        }
        SqlType::Double { .. } => match as_double(v, rule, ev) {
            Some(x) => Point::Exact(DatumBuf::Float(x)),
            None => Point::Unknown,
        },
        SqlType::Float { .. } => as_double(v, rule, ev).map_or(Point::Unknown, single_point),
        SqlType::Char { collation, .. }
        | SqlType::Varchar { collation, .. }
        | SqlType::Text { collation, .. } => text_point(collation, v, rule),
        SqlType::Geometry { .. } => text_point(Collation::Binary, v, rule),
        SqlType::Date | SqlType::DateTime { .. } | SqlType::Timestamp { .. } => {
            temporal_point(ty, v, ev)
        }
        SqlType::Time { .. } => {
            // What is no time is compared as a text or a number.
            if !matches!(v, Value::Time(_)) {
                return Point::Unknown;
            }
            stored(ty, v, ev)
        }
        SqlType::Bit { bits } => {
            let max = u64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
            integer_point((0, i128::from(max)), true, v, rule, ev)
        }
        SqlType::Enum { collation, .. } | SqlType::Set { collation, .. } => {
            list_point(ty, collation, v, rule)
        }
        SqlType::Null | SqlType::Json => Point::Unknown,
    }
}

/// The rule that comparison goes by in the end: what was taken for an integer or a decimal when the statement was bound, since the kinds of its
/// parameters were not known, may have become a double.
fn rule_at_run(rule: Option<CompareRule>, v: &Value<'_>) -> Option<CompareRule> {
    match (rule, v) {
        (Some(CompareRule::Int | CompareRule::Decimal), Value::Double(_)) => {
            Some(CompareRule::Double)
        }
        (Some(CompareRule::Int), Value::Decimal(_)) => Some(CompareRule::Decimal),
        _ => rule,
    }
}

fn text_point(collation: Collation, v: &Value<'_>, rule: Option<CompareRule>) -> Point {
    let same = match rule {
        Some(CompareRule::Text(c)) => c == collation,
        Some(_) => false,
        None => v.is_string(),
    };
    match v.to_exact_text_in(collation) {
        Some(b) if same && v.is_string() => Point::Exact(DatumBuf::Bytes(b.into_owned())),
        _ => Point::Unknown,
    }
}

/// A text among those of an ENUM or SET. Only equality asks, see `usable`: their order is another one.
fn list_point(
    ty: &SqlType,
    collation: crate::value::Collation,
    v: &Value<'_>,
    rule: Option<CompareRule>,
) -> Point {
    let same = matches!(rule, Some(CompareRule::Text(c)) if c == collation);
    let Some(text) = v.to_exact_text_in(collation).filter(|_| same && v.is_string()) else {
        return Point::Unknown;
    };
    // Other texts are equal to the same list only where it is spelled in the same way.
    let number = ty.number_of(&text);
    match ty.load(crate::value::Datum::UInt(number), crate::value::TimeZone::UTC).as_bytes() {
        Some(own) if number > 0 && collation.compare(own, &text).is_eq() => {
            Point::Exact(DatumBuf::UInt(number))
        }
        _ => Point::Unknown,
    }
}

/// The value that a number's column is compared with when the rule is that of doubles.
fn as_double(v: &Value<'_>, rule: Option<CompareRule>, ev: &mut Ev<'_>) -> Option<f64> {
    let by_double = matches!(rule, None | Some(CompareRule::Double | CompareRule::Near { .. }));
    let x = v.to_f64(&mut ev.cx.warnings).filter(|x| !x.is_nan());
    x.filter(|_| by_double && !v.is_temporal())
}

/// A number of the column's own kind, compared as such.
fn is_exact_number(v: &Value<'_>, rule: Option<CompareRule>) -> bool {
    match v {
        Value::Int(_) | Value::UInt(_) => {
            matches!(rule, None | Some(CompareRule::Int | CompareRule::Decimal))
        }
        Value::Decimal(_) => matches!(rule, None | Some(CompareRule::Decimal)),
        _ => false,
    }
}

fn integer_point(
    (lo, hi): (i128, i128),
    unsigned: bool,
    v: &Value<'_>,
    rule: Option<CompareRule>,
    ev: &mut Ev<'_>,
) -> Point {
    let integer = |n: i128| Integer { n, lo, hi, unsigned }.point();
    if is_exact_number(v, rule) {
        return match v {
            Value::Int(n) => integer(i128::from(*n)),
            Value::UInt(n) => integer(i128::from(*n)),
            Value::Decimal(d) => match d.floor().ok().map(|fl| (fl == *d, fl.to_i128())) {
                Some((true, Some(n))) => integer(n),
                Some((false, Some(n))) => between(integer(n)),
                _ if d.is_negative() => Point::Below,
                _ => Point::Above,
            },
            _ => Point::Unknown,
        };
    }
    if rule.is_none()
        && let Some(n) = v.whole_number()
    {
        return integer(n);
    }
    let Some(x) = as_double(v, rule, ev) else { return Point::Unknown };
    let n = x.floor() as i128;
    if x.abs() < EXACT {
        return if x == x.floor() { integer(n) } else { between(integer(n)) };
    }
    // The integers near it are rounded when they are compared, so several of them may be equal to it.
    let (from, to) = (n.saturating_sub(ROUNDED), n.saturating_add(ROUNDED));
    match (integer(from.max(lo)), integer(to.min(hi))) {
        _ if from > hi => Point::Above,
        _ if to < lo => Point::Below,
        (Point::Exact(a), Point::Exact(b)) => Point::Around(a, b),
        _ => Point::Unknown,
    }
}

struct Integer {
    n: i128,
    lo: i128,
    hi: i128,
    unsigned: bool,
}

impl Integer {
    fn point(self) -> Point {
        if self.n < self.lo {
            Point::Below
        } else if self.n > self.hi {
            Point::Above
        } else if self.unsigned {
            Point::Exact(DatumBuf::UInt(self.n as u64))
        } else {
            Point::Exact(DatumBuf::Int(self.n as i64))
        }
    }
}

fn between(p: Point) -> Point {
    match p {
        Point::Exact(d) => Point::Between(d),
        other => other,
    }
}

/// Among binary32 values, which are compared as the doubles that they are.
fn single_point(x: f64) -> Point {
    if x > f64::from(f32::MAX) {
        return Point::Above;
    }
    if x < f64::from(f32::MIN) {
        return Point::Below;
    }
    let near = x as f32;
    let at = if f64::from(near) > x { near.next_down() } else { near };
    let d = DatumBuf::Float(f64::from(at));
    if f64::from(at) == x { Point::Exact(d) } else { Point::Between(d) }
}

fn decimal_point(
    (precision, scale): (u8, u8),
    v: &Value<'_>,
    rule: Option<CompareRule>,
    ev: &mut Ev<'_>,
) -> Point {
    if is_exact_number(v, rule) {
        let Some(d) = v.to_decimal(&mut ev.cx.warnings) else { return Point::Unknown };
        let Some(low) = floor_to(d, scale) else { return Point::Unknown };
        return match low.to_fixed(precision, scale) {
            Some(b) if low == d => Point::Exact(DatumBuf::Bytes(b)),
            Some(b) => Point::Between(DatumBuf::Bytes(b)),
            None if low.is_negative() => Point::Below,
            None => Point::Above,
        };
    }
    let Some(x) = as_double(v, rule, ev) else { return Point::Unknown };
    double_among_decimals(x, precision, scale)
}

/// A decimal is compared with a double as the double that is nearest to it. One that is not above the shortest decimal of
/// the next lower double is not nearest to `x`, nor is one that is not below that of the next higher one.
fn double_among_decimals(x: f64, precision: u8, scale: u8) -> Point {
    let low = Decimal::from_f64(x.next_down()).ok().and_then(|d| floor_to(d, scale));
    let high = Decimal::from_f64(x.next_up()).ok();
    let high = high.and_then(|d| floor_to(d.negated(), scale)).map(Decimal::negated);
    let (Some(low), Some(high)) = (low, high) else {
        return if x < 0.0 { Point::Below } else { Point::Above };
    };
    let end = |neg| Decimal::max_value(precision, scale, neg).to_fixed(precision, scale);
    let from = match low.to_fixed(precision, scale) {
        None if !low.is_negative() => return Point::Above,
        fits => fits.or_else(|| end(true)),
    };
    let to = match high.to_fixed(precision, scale) {
        None if high.is_negative() => return Point::Below,
        fits => fits.or_else(|| end(false)),
    };
    match (from, to) {
        (Some(a), Some(b)) => Point::Around(DatumBuf::Bytes(a), DatumBuf::Bytes(b)),
        _ => Point::Unknown,
    }
}

/// The largest decimal with so many digits behind the point that is not above `d`; none if it has too many before it.
fn floor_to(d: Decimal, scale: u8) -> Option<Decimal> {
    let cut = d.truncate(scale);
    if cut == d || !d.is_negative() {
        return Some(cut);
    }
    cut.checked_sub(Decimal::from_i128(1, scale)).ok()
}

fn temporal_point(ty: &SqlType, v: &Value<'_>, ev: &mut Ev<'_>) -> Point {
    // Numbers that are dates have become them (`Adapt::Fitted`); others are compared as numbers.
    if v.is_numeric() && *ty == SqlType::Date {
        return v.to_f64(&mut ev.cx.warnings).map_or(Point::Unknown, number_among_dates);
    }
    if v.is_numeric() || matches!(v, Value::Bytes(_) | Value::Time(_)) {
        return Point::Unknown;
    }
    let Some(d) = v.to_datetime(&mut ev.cx) else { return Point::Unknown };
    match *ty {
        SqlType::Date => {
            let day = DatumBuf::UInt(u64::from(d.date.pack()));
            if d.time().micros == 0 { Point::Exact(day) } else { Point::Between(day) }
        }
        SqlType::DateTime { fsp } => {
            let cut = d.truncate(fsp);
            let packed = DatumBuf::UInt(cut.pack());
            if cut.pack() == d.pack() { Point::Exact(packed) } else { Point::Between(packed) }
        }
        _ => {
            if d.truncate(ty.fsp()).pack() != d.pack() {
                return Point::Unknown;
            }
            stored(ty, v, ev)
        }
    }
}

/// Among dates, which are compared with a number as the numbers that they are written as. A date may have any month up to 12 and any day up
/// to 31, and zeros for both.
fn number_among_dates(x: f64) -> Point {
    if x < 0.0 {
        return Point::Below;
    }
    if x > 99_991_231.0 {
        return Point::Above;
    }
    let n = x.floor() as u32;
    let (year, month, day) = ((n / 10_000) as u16, (n / 100 % 100) as u8, (n % 100) as u8);
    let whole = f64::from(n) == x;
    let (date, exact) = match (month, day) {
        (13.., _) => (Date::new(year, 12, 31), false),
        (_, 32..) => (Date::new(year, month, 31), false),
        _ => (Date::new(year, month, day), whole),
    };
    let stored = DatumBuf::UInt(u64::from(date.pack()));
    if exact { Point::Exact(stored) } else { Point::Between(stored) }
}

/// The only value of a column of so many places that can be near to this one.
fn near_point(
    ty: &SqlType,
    v: &Value<'_>,
    (places, other): (u8, Other),
    ev: &mut Ev<'_>,
) -> Option<Point> {
    let (kept, _) = kept(ty, v, ev);
    match kept? {
        DatumBuf::Float(x) if are_near(&Value::Double(x), v, places, other) => {
            Some(Point::Exact(DatumBuf::Float(x)))
        }
        _ => None,
    }
}

/// As a strict INSERT would store it.
fn stored(ty: &SqlType, v: &Value<'_>, ev: &mut Ev<'_>) -> Point {
    match kept(ty, v, ev) {
        (Some(d), false) => Point::Exact(d),
        _ => Point::Unknown,
    }
}

/// What a column keeps of the value, and whether there is more to say of that.
fn kept(ty: &SqlType, v: &Value<'_>, ev: &mut Ev<'_>) -> (Option<DatumBuf>, bool) {
    let mut none = Warnings::with_limit(0);
    let mut cx = StoreCtx {
        column: "",
        table: None,
        row: 1,
        strict: true,
        mode: ev.cx.mode,
        tz: ev.cx.tz,
        now_micros: ev.cx.now_micros,
        warnings: &mut none,
        session: Some(ev.cx.session),
    };
    let kept = ty.store(v, &mut cx).ok();
    (kept, none.total() > 0)
}
