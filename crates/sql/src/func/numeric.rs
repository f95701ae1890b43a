//! Functions of numbers.

use super::facts::{Form, Id, Nulls, Partitions};
use super::infer;
use super::locale::{self, Locale};
use super::{ANY, FuncCtx, FuncDef, Out, def, varying};
use crate::errno;
use crate::value::arith::{self, Op};
use crate::value::compare::{CompareRule, compare, date_or_zero};
use crate::value::context::RandState;
use crate::value::decimal::{MAX_PRECISION, MAX_SCALE};
use crate::value::double;
use crate::value::{DateTime, Decimal, Value, ValueError};
use std::cmp::Ordering;

pub(super) const TABLE: &[FuncDef] = &[
    def("ABS", 1, 1, infer::numeric_first, abs).numbers().keyed().partitions(Partitions::Numbers),
    def("CEIL", 1, 1, infer::whole_first, ceil)
        .alias_of("ceiling")
        .numbers()
        .keyed()
        .partitions(Partitions::Numbers),
    def("CEILING", 1, 1, infer::whole_first, ceil)
        .numbers()
        .keyed()
        .partitions(Partitions::Numbers),
    def("FLOOR", 1, 1, infer::whole_first, floor).numbers().keyed().partitions(Partitions::Numbers),
    def("ROUND", 1, 2, infer::round, |cx, a| round(cx, a, true))
        .id(Id::Round)
        .written(Form::WithZero)
        .numbers()
        .keyed(),
    def("TRUNCATE", 2, 2, infer::round, |cx, a| round(cx, a, false)).id(Id::Truncate).numbers(),
    def("MOD", 2, 2, infer_mod, |cx, a| arith::apply(Op::Mod, &a[0], &a[1], cx))
        .written(Form::Modulo)
        .numbers()
        .partitions(Partitions::Numbers),
    def("POW", 2, 2, infer::double_null, pow).numbers(),
    def("POWER", 2, 2, infer::double_null, pow).alias_of("pow").numbers(),
    def("SQRT", 1, 1, infer::double_null, |cx, a| real(cx, a, |x| (x >= 0.0).then(|| x.sqrt())))
        .numbers(),
    def("EXP", 1, 1, infer::double_null, |cx, a| finite(cx, a, "exp", f64::exp)).numbers(),
    def("LN", 1, 1, infer::double_null, |cx, a| log(cx, a, f64::ln)).numbers(),
    def("LOG", 1, 2, infer::double_null, log_base).numbers(),
    def("LOG2", 1, 1, infer::double_null, |cx, a| log(cx, a, |x| x.ln() / std::f64::consts::LN_2))
        .numbers(),
    def("LOG10", 1, 1, infer::double_null, |cx, a| log(cx, a, f64::log10)).numbers(),
    def("SIGN", 1, 1, infer::int::<21>, sign).numbers().keyed(),
    // The second argument is the binder's: which call it is.
    varying("RAND", 0, 2, infer::double, rand).id(Id::Rand).numbers().volatile(),
    def("PI", 0, 0, infer::six_places, |_, _| Ok(Value::Double(std::f64::consts::PI))),
    def("SIN", 1, 1, infer::double_null, |cx, a| real(cx, a, |x| Some(x.sin()))).numbers(),
    def("COS", 1, 1, infer::double_null, |cx, a| real(cx, a, |x| Some(x.cos()))).numbers(),
    def("TAN", 1, 1, infer::double_null, |cx, a| real(cx, a, |x| Some(x.tan()))).numbers(),
    def("COT", 1, 1, infer::double_null, |cx, a| finite(cx, a, "cot", |x| 1.0 / x.tan())).numbers(),
    def("ASIN", 1, 1, infer::double_null, |cx, a| real(cx, a, |x| unit(x).then(|| x.asin())))
        .numbers(),
    def("ACOS", 1, 1, infer::double_null, |cx, a| real(cx, a, |x| unit(x).then(|| x.acos())))
        .numbers(),
    def("ATAN", 1, 2, infer::double_null, atan).numbers(),
    def("ATAN2", 1, 2, infer::double_null, atan).alias_of("atan").numbers(),
    def("DEGREES", 1, 1, infer::double, |cx, a| finite(cx, a, "degrees", f64::to_degrees))
        .numbers(),
    def("RADIANS", 1, 1, infer::double, |cx, a| real(cx, a, |x| Some(x.to_radians()))).numbers(),
    def("GREATEST", 2, ANY, infer::extreme, |cx, a| extreme(cx, a, Ordering::Greater))
        .id(Id::Greatest)
        .joins(0)
        .branches(0),
    def("LEAST", 2, ANY, infer::extreme, |cx, a| extreme(cx, a, Ordering::Less))
        .id(Id::Least)
        .joins(0)
        .branches(0),
    def("BIT_COUNT", 1, 1, infer::int::<21>, bit_count).numbers(),
    def("FORMAT", 2, 3, infer::formatted, format_number).numbers().nulls(Nulls::Places),
];

fn infer_mod(args: &[crate::value::TypeInfo]) -> crate::value::TypeInfo {
    match args {
        [a, b] => arith::result_type(Op::Mod, a, b, 4),
        _ => infer::double_null(args),
    }
}

fn number(cx: &mut FuncCtx<'_>, v: &Value<'_>) -> Value<'static> {
    v.to_number(&mut cx.warnings)
}

fn overflow(what: &str, function: &str, v: &Value<'_>) -> ValueError {
    let shown = v.to_string_lossy().unwrap_or_default();
    ValueError::out_of_range(what, &format!("{function}({shown})"))
}

fn abs(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(match number(cx, &args[0]) {
        Value::Int(n) => {
            Value::Int(n.checked_abs().ok_or_else(|| overflow("BIGINT", "abs", &args[0]))?)
        }
        Value::Decimal(d) => Value::Decimal(d.abs()),
        Value::Double(x) => Value::Double(x.abs()),
        other => other,
    })
}

fn whole(d: Decimal) -> Value<'static> {
    match d.to_i128().and_then(|n| i64::try_from(n).ok()) {
        Some(n) => Value::Int(n),
        None => Value::Decimal(d),
    }
}

fn ceil(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(match number(cx, &args[0]) {
        Value::Decimal(d) => whole(d.ceil().map_err(|_| overflow("DECIMAL", "ceiling", &args[0]))?),
        Value::Double(x) => Value::Double(x.ceil()),
        other => other,
    })
}

fn floor(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(match number(cx, &args[0]) {
        Value::Decimal(d) => whole(d.floor().map_err(|_| overflow("DECIMAL", "floor", &args[0]))?),
        Value::Double(x) => Value::Double(x.floor()),
        other => other,
    })
}

fn round(cx: &mut FuncCtx<'_>, args: &[Value<'_>], rounding: bool) -> Out {
    let places = match args.get(1) {
        None => 0,
        Some(v) => match v.to_i64(&mut cx.warnings) {
            Some(n) => n.clamp(-100, i64::from(MAX_SCALE)) as i32,
            None => return Ok(Value::Null),
        },
    };
    let name = if rounding { "round" } else { "truncate" };
    let left = places.unsigned_abs();
    Ok(match number(cx, &args[0]) {
        Value::Double(x) => Value::Double(double::round(x, places, !rounding)),
        Value::Decimal(d) if places < 0 => {
            let cut = d.round_left(left, rounding);
            Value::Decimal(cut.map_err(|_| overflow("DECIMAL", name, &args[0]))?)
        }
        Value::Decimal(d) => {
            // More places than there are leave the scale, as MySQL does for a column.
            let places = (places as u8).min(d.scale());
            let cut = if rounding { d.round(places) } else { Ok(d.truncate(places)) };
            Value::Decimal(cut.map_err(|_| overflow("DECIMAL", name, &args[0]))?)
        }
        Value::Int(n) if places < 0 => {
            let v = round_integer(i128::from(n), left, rounding);
            Value::Int(i64::try_from(v).map_err(|_| overflow("BIGINT", name, &args[0]))?)
        }
        Value::UInt(n) if places < 0 => {
            let v = round_integer(i128::from(n), left, rounding);
            Value::UInt(u64::try_from(v).map_err(|_| overflow("BIGINT UNSIGNED", name, &args[0]))?)
        }
        other => other,
    })
}

fn round_integer(n: i128, places: u32, rounding: bool) -> i128 {
    if places > 20 {
        return 0;
    }
    let step = 10i128.pow(places);
    let half = if rounding { step / 2 } else { 0 };
    (n.abs() + half) / step * step * n.signum()
}

/// A function of a double; `None` is NULL.
fn real(cx: &mut FuncCtx<'_>, args: &[Value<'_>], f: impl Fn(f64) -> Option<f64>) -> Out {
    Ok(args[0].to_f64(&mut cx.warnings).and_then(f).map_or(Value::Null, Value::Double))
}

/// A function of a double whose overflow is error 1690.
fn finite(cx: &mut FuncCtx<'_>, args: &[Value<'_>], name: &str, f: impl Fn(f64) -> f64) -> Out {
    match args[0].to_f64(&mut cx.warnings).map(f) {
        None => Ok(Value::Null),
        Some(x) if x.is_finite() => Ok(Value::Double(x)),
        Some(_) => Err(overflow("DOUBLE", name, &args[0])),
    }
}

fn unit(x: f64) -> bool {
    (-1.0..=1.0).contains(&x)
}

fn log(cx: &mut FuncCtx<'_>, args: &[Value<'_>], f: impl Fn(f64) -> f64) -> Out {
    match args[0].to_f64(&mut cx.warnings) {
        None => Ok(Value::Null),
        Some(x) if x > 0.0 => Ok(Value::Double(f(x))),
        Some(_) => Ok(bad_logarithm(cx)),
    }
}

fn bad_logarithm(cx: &mut FuncCtx<'_>) -> Value<'static> {
    cx.warnings
        .warn(errno::ER_INVALID_ARGUMENT_FOR_LOGARITHM, || "Invalid argument for logarithm".into());
    Value::Null
}

fn log_base(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let [base, x] = args else { return log(cx, args, f64::ln) };
    let w = &mut cx.warnings;
    let (Some(b), Some(x)) = (base.to_f64(w), x.to_f64(w)) else { return Ok(Value::Null) };
    if b <= 0.0 || b == 1.0 || x <= 0.0 {
        return Ok(bad_logarithm(cx));
    }
    Ok(Value::Double(x.ln() / b.ln()))
}

fn pow(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let w = &mut cx.warnings;
    let (Some(x), Some(y)) = (args[0].to_f64(w), args[1].to_f64(w)) else {
        return Ok(Value::Null);
    };
    let v = x.powf(y);
    if v.is_finite() {
        return Ok(Value::Double(v));
    }
    let shown = |v: &Value<'_>| v.to_string_lossy().unwrap_or_default();
    let text = format!("pow({},{})", shown(&args[0]), shown(&args[1]));
    Err(ValueError::out_of_range("DOUBLE", &text))
}

fn atan(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(y) = args.get(1) else { return real(cx, args, |x| Some(x.atan())) };
    let w = &mut cx.warnings;
    let (Some(x), Some(y)) = (args[0].to_f64(w), y.to_f64(w)) else { return Ok(Value::Null) };
    Ok(Value::Double(x.atan2(y)))
}

fn sign(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    Ok(match number(cx, &args[0]) {
        Value::Int(n) => Value::Int(n.signum()),
        Value::UInt(n) => Value::Int(i64::from(n > 0)),
        Value::Decimal(d) => Value::Int(d.cmp(&Decimal::ZERO) as i64),
        Value::Double(x) => Value::Int(i64::from(x > 0.0) - i64::from(x < 0.0)),
        other => other,
    })
}

fn rand(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(seed) = args.first() else {
        // 53 random bits in [0, 1).
        return Ok(Value::Double((cx.session.random() >> 11) as f64 / (1u64 << 53) as f64));
    };
    let seed = seed.to_i64(&mut cx.warnings).unwrap_or(0);
    let call = match args.get(1) {
        Some(Value::Int(n)) if *n >= 0 => *n,
        _ => return Ok(Value::Double(RandState::new(seed as u32).next_f64())),
    };
    let at = cx.rand.iter().position(|(c, _)| *c == call).unwrap_or_else(|| {
        cx.rand.push((call, RandState::new(seed as u32)));
        cx.rand.len() - 1
    });
    Ok(Value::Double(cx.rand[at].1.next_f64()))
}

/// GREATEST and LEAST. NULL if any argument is; beside a date all are dates, and a text among the arguments or a time beside what is
/// none makes all compare as texts.
fn extreme(cx: &mut FuncCtx<'_>, args: &[Value<'_>], want: Ordering) -> Out {
    if args.iter().any(Value::is_null) {
        return Ok(Value::Null);
    }
    let temporal = args.iter().filter(|v| v.is_temporal()).count();
    let mixed = temporal > 0 && temporal < args.len();
    let dated = args.iter().any(|v| matches!(v, Value::Date(_) | Value::DateTime(_)));
    if mixed && dated && !args.iter().any(|v| matches!(v, Value::Json(_))) {
        return Ok(extreme_dated(cx, args, want));
    }
    let texts = mixed || args.iter().any(Value::is_string);
    let c = super::string::collation_of(cx, args);
    let mut best = &args[0];
    for v in &args[1..] {
        let rule = if texts { CompareRule::Text(c) } else { CompareRule::of_values(best, v) };
        if compare(v, best, rule, cx)? == Some(want) {
            best = v;
        }
    }
    // A date or a time beside others is a date and a time.
    let whole = |v: &Value<'_>| matches!(v, Value::DateTime(_) | Value::Time(_));
    Ok(match best {
        Value::Date(_) | Value::Time(_) if dated && args.iter().any(whole) => {
            best.to_datetime(cx).map_or(Value::Null, Value::DateTime)
        }
        _ => best.clone().into_owned(),
    })
}

/// Of dates and of texts and numbers that may be some: the text of the date found, with a time where one of the dates has one.
fn extreme_dated(cx: &mut FuncCtx<'_>, args: &[Value<'_>], want: Ordering) -> Value<'static> {
    let timed = args.iter().any(|v| matches!(v, Value::DateTime(_)));
    let fsp = args.iter().map(places_of_time).max().filter(|_| timed);
    let mut best: Option<DateTime> = None;
    for v in args {
        let found = match v.is_temporal() {
            true => v.to_datetime(cx).unwrap_or_default(),
            false => date_or_zero(v, fsp.is_none(), cx),
        };
        if best.is_none_or(|b| found.cmp(&b) == want) {
            best = Some(found);
        }
    }
    let best = best.unwrap_or_default();
    let shown = match fsp {
        None => Value::Date(best.date),
        Some(fsp) => Value::DateTime(DateTime { fsp, ..best }),
    };
    let mut text = Vec::new();
    shown.write_text(&mut text);
    Value::text(text, cx.collation)
}

/// The digits of a second that a value has: a double has all of them.
fn places_of_time(v: &Value<'_>) -> u8 {
    match v {
        Value::DateTime(d) => d.fsp,
        Value::Time(t) => t.fsp,
        Value::Decimal(d) => d.scale().min(6),
        Value::Double(_) => 6,
        _ => 0,
    }
}

static LEAST_DATE: FuncDef =
    def("LEAST", 2, ANY, infer::double_null, |cx, a| extreme_date(cx, a, Ordering::Less))
        .id(Id::Least)
        .joins(0)
        .branches(0);
static GREATEST_DATE: FuncDef =
    def("GREATEST", 2, ANY, infer::double_null, |cx, a| extreme_date(cx, a, Ordering::Greater))
        .id(Id::Greatest)
        .joins(0)
        .branches(0);
static LEAST_NUMBER: FuncDef =
    def("LEAST", 2, ANY, infer::double_null, |cx, a| extreme_double(cx, a, Ordering::Less))
        .id(Id::Least)
        .joins(0)
        .branches(0);
static GREATEST_NUMBER: FuncDef =
    def("GREATEST", 2, ANY, infer::double_null, |cx, a| extreme_double(cx, a, Ordering::Greater))
        .id(Id::Greatest)
        .joins(0)
        .branches(0);

/// The function of this name that compares numbers, or the dates that its arguments are.
pub fn extreme_of_numbers(id: Id, dates: bool) -> Option<&'static FuncDef> {
    Some(match (id, dates) {
        (Id::Least, true) => &LEAST_DATE,
        (Id::Greatest, true) => &GREATEST_DATE,
        (Id::Least, false) => &LEAST_NUMBER,
        (Id::Greatest, false) => &GREATEST_NUMBER,
        _ => return None,
    })
}

fn extreme_double(cx: &mut FuncCtx<'_>, args: &[Value<'_>], want: Ordering) -> Out {
    let mut best: Option<f64> = None;
    for v in args {
        let Some(x) = v.to_f64(&mut cx.warnings) else { return Ok(Value::Null) };
        if best.is_none_or(|b| x.partial_cmp(&b) == Some(want)) {
            best = Some(x);
        }
    }
    Ok(best.map_or(Value::Null, Value::Double))
}

/// What is no date is the zero date here, which is 0.
fn extreme_date(cx: &mut FuncCtx<'_>, args: &[Value<'_>], want: Ordering) -> Out {
    let days = args.iter().all(|v| !matches!(v, Value::DateTime(_)));
    let mut best: Option<f64> = None;
    for v in args {
        if v.is_null() {
            return Ok(Value::Null);
        }
        let found = v.to_datetime(cx).map(|d| match days {
            true => Value::Date(d.date),
            false => Value::DateTime(d),
        });
        let x = found.and_then(|d| d.to_f64(&mut cx.warnings)).unwrap_or(0.0);
        if best.is_none_or(|b| x.partial_cmp(&b) == Some(want)) {
            best = Some(x);
        }
    }
    Ok(best.map_or(Value::Null, Value::Double))
}

fn bit_count(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    if let Value::Bytes(b) = &args[0] {
        return Ok(Value::Int(b.iter().map(|b| i64::from(b.count_ones())).sum()));
    }
    let n = arith::bits_of(&args[0], &mut cx.warnings);
    Ok(n.map_or(Value::Null, |n| Value::Int(i64::from(n.count_ones()))))
}

/// FORMAT(n, places): thousands apart by commas (en_US; other locales are refused).
fn format_number(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let locale = match args.get(2) {
        Some(name) => named_locale(cx, name),
        None => locale::ENGLISH,
    };
    let Some(places) = args[1].to_i64(&mut cx.warnings) else { return Ok(Value::Null) };
    let places = places.clamp(0, i64::from(MAX_SCALE)) as u8;
    let text = match number(cx, &args[0]) {
        Value::Null => return Ok(Value::Null),
        Value::Double(x) => {
            let rounded = double::round(x, i32::from(places), false);
            double::fixed_text(rounded, usize::from(places))
        }
        exact => {
            let d = exact.to_decimal(&mut cx.warnings).unwrap_or(Decimal::ZERO);
            let max = Decimal::max_value(MAX_PRECISION - places, 0, d.is_negative());
            d.round(places).unwrap_or(max).to_string()
        }
    };
    Ok(Value::text(locale.write(&text).into_bytes(), cx.collation))
}

/// The locale of a name, English with a warning (1649) for one that is not one.
fn named_locale(cx: &mut FuncCtx<'_>, name: &Value<'_>) -> Locale {
    let name = name.to_string_lossy().unwrap_or_else(|| "NULL".into());
    Locale::by_name(&name).unwrap_or_else(|| {
        cx.warnings.warn(errno::ER_UNKNOWN_LOCALE, || format!("Unknown locale: '{name}'"));
        locale::ENGLISH
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn table() {
        let d = Value::Double;
        check(&[
            ("ABS", &[i(-32)], Some("32")),
            ("CEIL", &[dec("1.23")], Some("2")),
            ("CEIL", &[dec("-1.23")], Some("-1")),
            ("FLOOR", &[dec("-1.23")], Some("-2")),
            ("FLOOR", &[s("1.9")], Some("1")),
            ("ROUND", &[dec("-1.58")], Some("-2")),
            ("ROUND", &[dec("1.298"), i(1)], Some("1.3")),
            ("ROUND", &[dec("23.298"), i(-1)], Some("20")),
            ("ROUND", &[i(150), i(-2)], Some("200")),
            ("ROUND", &[dec("2.5")], Some("3")),
            ("ROUND", &[d(2.5)], Some("2")),
            ("TRUNCATE", &[dec("1.223"), i(1)], Some("1.2")),
            ("TRUNCATE", &[dec("-1.999"), i(1)], Some("-1.9")),
            ("TRUNCATE", &[i(122), i(-2)], Some("100")),
            ("MOD", &[i(234), i(10)], Some("4")),
            ("MOD", &[dec("34.5"), i(3)], Some("1.5")),
            ("POW", &[i(2), i(-2)], Some("0.25")),
            ("SQRT", &[i(20)], Some("4.47213595499958")),
            ("SQRT", &[i(-16)], None),
            ("LOG2", &[i(65536)], Some("16")),
            ("LOG10", &[i(100)], Some("2")),
            ("LOG", &[i(2), i(65536)], Some("16")),
            ("LN", &[i(0)], None),
            ("SIGN", &[i(-32)], Some("-1")),
            ("SIGN", &[dec("0.00")], Some("0")),
            ("PI", &[], Some("3.141592653589793")),
            ("GREATEST", &[i(2), i(0)], Some("2")),
            ("GREATEST", &[s("B"), s("A"), s("C")], Some("C")),
            ("LEAST", &[d(34.0), d(3.0), d(5.0)], Some("3")),
            ("LEAST", &[i(1), Value::Null], None),
            ("GREATEST", &[s("10"), i(9)], Some("9")),
            ("BIT_COUNT", &[i(29)], Some("4")),
            ("FORMAT", &[dec("12332.123456"), i(4)], Some("12,332.1235")),
            ("FORMAT", &[dec("12332.2"), i(0)], Some("12,332")),
            ("FORMAT", &[i(-1234567), i(2)], Some("-1,234,567.00")),
            ("FORMAT", &[dec("12332.2"), i(2), s("de_DE")], Some("12.332,20")),
            ("FORMAT", &[d(0.5), i(1), s("fr_FR")], Some("0,5")),
            ("FORMAT", &[i(1234), i(0), s("nowhere")], Some("1,234")),
            ("ACOS", &[dec("1.0001")], None),
        ]);
    }

    #[test]
    fn seeded_random() {
        let session = crate::value::NoSession;
        let mut cx = FuncCtx::new(&session);
        let mut next = |seed, call| {
            let v = rand(&mut cx, &[i(seed), i(call)]).expect("number");
            v.to_string_lossy().expect("text")
        };
        assert_eq!(next(3, 1), "0.9057697559760601");
        assert_eq!(next(3, 1), "0.37307905813034536");
        assert_eq!(next(3, 2), "0.9057697559760601");
        assert_eq!(next(1, 3), "0.40540353712197724");
        // The seed changes with the rows.
        assert_eq!(next(3, -1), next(3, -1));
    }
}
