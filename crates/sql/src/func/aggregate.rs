//! Aggregate functions as accumulators: `new`, `update` for each row, `finish`.
//!
//! NULLs are skipped by all but COUNT(*). DISTINCT keeps the values seen, compared by their collation.

mod merge;

use super::FuncCtx;
use super::concat::{Texts, is_sorted_by_values, join};
use super::geo::collect::Collected;
use super::sums::{exact, spread};
use crate::errno;
use crate::memory::{Held, heap_of};
use crate::value::arith::{decimal_type, real};
use crate::value::compare::{CompareRule, compare};
use crate::value::decimal::{MAX_SCALE, Overflow};
use crate::value::geo::GeoKind;
use crate::value::json;
use crate::value::json::gathered::{Elements, Members};
use crate::value::{Collation, Decimal, SqlType, TypeInfo, Value, ValueError};
use std::cmp::Ordering;
use std::collections::HashSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggKind {
    /// COUNT(*): every row.
    CountAll,
    /// COUNT(a, ...): rows where no argument is NULL.
    Count,
    Sum,
    Avg,
    Min,
    Max,
    GroupConcat,
    BitAnd,
    BitOr,
    BitXor,
    /// STD, STDDEV, STDDEV_POP
    StdPop,
    StdSamp,
    /// VARIANCE, VAR_POP
    VarPop,
    VarSamp,
    /// JSON_ARRAYAGG
    JsonArray,
    /// JSON_OBJECTAGG
    JsonObject,
    /// ST_COLLECT
    Collect,
}

impl AggKind {
    pub fn is_json(self) -> bool {
        matches!(self, AggKind::JsonArray | AggKind::JsonObject)
    }

    /// Its arguments are read as numbers, whatever they are.
    pub fn takes_numbers(self) -> bool {
        use AggKind as K;
        !matches!(
            self,
            K::CountAll
                | K::Count
                | K::Min
                | K::Max
                | K::GroupConcat
                | K::JsonArray
                | K::JsonObject
                | K::Collect
        )
    }
}

/// The aggregate of that name, in any case. COUNT(*) is [`AggKind::CountAll`], the parser's to tell.
pub fn lookup(name: &str) -> Option<AggKind> {
    Some(match name.to_ascii_uppercase().as_str() {
        "COUNT" => AggKind::Count,
        "SUM" => AggKind::Sum,
        "AVG" => AggKind::Avg,
        "MIN" => AggKind::Min,
        "MAX" => AggKind::Max,
        "GROUP_CONCAT" => AggKind::GroupConcat,
        "BIT_AND" => AggKind::BitAnd,
        "BIT_OR" => AggKind::BitOr,
        "BIT_XOR" => AggKind::BitXor,
        "STD" | "STDDEV" | "STDDEV_POP" => AggKind::StdPop,
        "STDDEV_SAMP" => AggKind::StdSamp,
        "VARIANCE" | "VAR_POP" => AggKind::VarPop,
        "VAR_SAMP" => AggKind::VarSamp,
        "JSON_ARRAYAGG" => AggKind::JsonArray,
        "JSON_OBJECTAGG" => AggKind::JsonObject,
        "ST_COLLECT" => AggKind::Collect,
        _ => return None,
    })
}

/// The name in lower case that MySQL shows for an aggregate that is called by this one, in lower case as well.
pub fn shown(name: &str) -> Option<&str> {
    Some(match lookup(name)? {
        AggKind::StdPop => "std",
        AggKind::VarPop => "variance",
        _ => name,
    })
}

impl AggKind {
    /// The type of the result over an argument of this type.
    pub fn result_type(self, args: &[TypeInfo], div_increment: u8) -> TypeInfo {
        let arg = args.first().copied().unwrap_or(TypeInfo::null());
        let (precision, scale) = match arg.ty {
            SqlType::Null => (0, 0),
            ty => ty.facts().number.map_or((0, 0), |(p, s)| (u32::from(p), u32::from(s))),
        };
        let exact = precision > 0;
        let ty = match self {
            AggKind::CountAll | AggKind::Count => {
                return TypeInfo::new(SqlType::LONG_INT, false);
            }
            AggKind::BitAnd | AggKind::BitOr | AggKind::BitXor => {
                let ty = binary_width(&arg).map_or(SqlType::LONG_UINT, SqlType::varbinary);
                return TypeInfo::new(ty, false);
            }
            AggKind::Sum if exact => decimal_type(precision - scale + 22, scale),
            AggKind::Avg if exact => {
                decimal_type(precision - scale, scale + u32::from(div_increment))
            }
            AggKind::Min | AggKind::Max => {
                return TypeInfo { nullable: true, ..arg };
            }
            AggKind::JsonArray | AggKind::JsonObject => SqlType::Json,
            AggKind::Collect => SqlType::geometry(GeoKind::Any),
            AggKind::Sum => real_type(arg.ty, 0),
            AggKind::Avg => real_type(arg.ty, div_increment),
            _ => SqlType::LONG_DOUBLE,
        };
        TypeInfo::new(ty, true)
    }
}

/// Bytes of what BIT_AND() and its like work on bit by bit: binary strings, in MySQL since 8.0.
fn binary_width(arg: &TypeInfo) -> Option<u32> {
    match arg.ty {
        SqlType::Varchar { chars, collation: Collation::Binary }
        | SqlType::Char { chars, collation: Collation::Binary } => Some(chars),
        SqlType::Text { collation: Collation::Binary, .. } => Some(arg.ty.display_length(1)),
        _ => None,
    }
}

/// DOUBLE with the digits behind the point that FLOAT(m,d) and DOUBLE(m,d) have, and some more.
fn real_type(arg: SqlType, more: u8) -> SqlType {
    let Some((_, d)) = arg.fixed_digits() else { return SqlType::LONG_DOUBLE };
    real(Some((d + more).min(MAX_SCALE)))
}

/// What one aggregate of a query needs to know for all its groups.
#[derive(Debug, Clone)]
pub struct AggSpec {
    pub kind: AggKind,
    pub distinct: bool,
    pub result: TypeInfo,
    /// GROUP_CONCAT's SEPARATOR.
    pub separator: Vec<u8>,
    /// GROUP_CONCAT's ORDER BY: how many of the last arguments are sort keys, and which of them descend.
    pub order: Vec<bool>,
}

impl AggSpec {
    /// DISTINCT makes a difference: MIN and MAX give the same with it and without.
    pub fn is_told_once(&self) -> bool {
        self.distinct && !matches!(self.kind, AggKind::Min | AggKind::Max)
    }

    /// The arguments without the sort keys of GROUP_CONCAT.
    pub fn data<'v, 'a>(&self, args: &'a [Value<'v>]) -> &'a [Value<'v>] {
        &args[..args.len() - self.order.len().min(args.len())]
    }

    pub fn new(kind: AggKind, distinct: bool, args: &[TypeInfo], div_increment: u8) -> Self {
        AggSpec {
            kind,
            distinct,
            result: kind.result_type(args, div_increment),
            separator: b",".to_vec(),
            order: Vec::new(),
        }
    }
}

/// What an aggregate has come to.
#[derive(Debug)]
pub enum State {
    Count(i64),
    /// No row yet.
    Empty,
    /// Integers alone, which are added as such.
    Whole {
        sum: i128,
        n: i64,
    },
    Exact {
        sum: Decimal,
        n: i64,
    },
    Real {
        sum: f64,
        n: i64,
    },
    Best(Value<'static>),
    Bits(u64),
    /// Binary strings bit by bit; until the first one the neutral value.
    Bytes {
        bits: Vec<u8>,
        begun: bool,
    },
    /// Welford's running mean and sum of squared distances.
    Spread {
        n: i64,
        mean: f64,
        m2: f64,
    },
    /// The texts of GROUP_CONCAT with their sort keys.
    Rows(Texts),
    /// Elements of JSON_ARRAYAGG.
    List(Elements),
    /// Members of JSON_OBJECTAGG.
    Members(Members),
    Geometries(Collected),
}

/// Bytes of a binary string that BIT_AND() and its like take.
pub const MAX_BINARY: usize = 511;

/// 3514.
pub fn too_many_bits() -> ValueError {
    ValueError::of(errno::ER_INVALID_BITWISE_AGGREGATE_OPERANDS_SIZE, &[])
}

/// The running state of one aggregate in one group.
#[derive(Debug)]
pub struct Accumulator {
    state: State,
    seen: Option<HashSet<Vec<u8>>>,
    /// What DISTINCT and GROUP_CONCAT keep.
    held: Held,
}

impl Accumulator {
    pub fn new(spec: &AggSpec) -> Self {
        let state = match spec.kind {
            AggKind::CountAll | AggKind::Count => State::Count(0),
            AggKind::BitAnd | AggKind::BitOr | AggKind::BitXor if spec.result.ty.is_string() => {
                let neutral = if spec.kind == AggKind::BitAnd { 0xFF } else { 0 };
                let width = spec.result.ty.display_length(1) as usize;
                State::Bytes { bits: vec![neutral; width.min(MAX_BINARY)], begun: false }
            }
            AggKind::BitAnd => State::Bits(u64::MAX),
            AggKind::BitOr | AggKind::BitXor => State::Bits(0),
            AggKind::GroupConcat => State::Rows(Texts::default()),
            AggKind::JsonArray => State::List(Elements::default()),
            AggKind::JsonObject => State::Members(Members::default()),
            AggKind::Collect => State::Geometries(Collected::default()),
            AggKind::StdPop | AggKind::StdSamp | AggKind::VarPop | AggKind::VarSamp => {
                State::Spread { n: 0, mean: 0.0, m2: 0.0 }
            }
            _ => State::Empty,
        };
        let seen = spec.is_told_once().then(HashSet::new);
        Accumulator { state, seen, held: Held::default() }
    }

    /// One whose owner leaves out what DISTINCT has seen.
    pub fn of_distinct(spec: &AggSpec) -> Self {
        Accumulator { seen: None, ..Accumulator::new(spec) }
    }

    /// One that has come so far already, without DISTINCT and texts.
    pub fn of_state(state: State) -> Self {
        Accumulator { state, seen: None, held: Held::default() }
    }

    /// Takes one row's arguments; GROUP_CONCAT's sort keys are the last of them.
    pub fn update(
        &mut self,
        spec: &AggSpec,
        args: &[Value<'_>],
        cx: &mut FuncCtx<'_>,
    ) -> Result<(), ValueError> {
        let data = spec.data(args);
        if spec.kind.is_json() {
            return self.gather(data, cx);
        }
        if spec.kind != AggKind::CountAll && data.iter().any(Value::is_null) {
            return Ok(());
        }
        if !self.is_new(data, cx)? {
            return Ok(());
        }
        match spec.kind {
            AggKind::CountAll | AggKind::Count => {
                if let State::Count(n) = &mut self.state {
                    *n += 1;
                }
            }
            AggKind::Sum | AggKind::Avg => self.add(&data[0], cx)?,
            AggKind::Min => self.keep(&data[0], Ordering::Less, cx)?,
            AggKind::Max => self.keep(&data[0], Ordering::Greater, cx)?,
            AggKind::BitAnd | AggKind::BitOr | AggKind::BitXor => {
                self.add_bits(spec.kind, &data[0], cx)?;
            }
            AggKind::Collect => {
                if let State::Geometries(all) = &mut self.state {
                    let kept = all.add(cx, &data[0])?;
                    cx.hold(&mut self.held, kept)?;
                }
            }
            AggKind::GroupConcat => {
                let c = spec.result.ty.collation().unwrap_or(Collation::Binary);
                let mut text = Vec::new();
                // Values without an order of their own are distinguished in theirs.
                let sorted_from = if is_sorted_by_values(spec) { 0 } else { data.len() };
                for v in data {
                    text.extend_from_slice(&v.to_text_in(c).unwrap_or_default());
                }
                let keys: Vec<Value<'static>> =
                    args[sorted_from..].iter().map(|v| v.clone().into_owned()).collect();
                if let State::Rows(rows) = &mut self.state {
                    rows.push(text, keys, &mut self.held, (spec, cx))?;
                }
            }
            _ => {
                let x = data[0].to_f64(&mut cx.warnings).unwrap_or(0.0);
                if let State::Spread { n, mean, m2 } = &mut self.state {
                    *n += 1;
                    let delta = x - *mean;
                    *mean += delta / *n as f64;
                    *m2 += delta * (x - *mean);
                }
            }
        }
        Ok(())
    }

    /// Whether DISTINCT has not seen these values before.
    fn is_new(&mut self, data: &[Value<'_>], cx: &FuncCtx<'_>) -> Result<bool, ValueError> {
        let Some(seen) = &mut self.seen else { return Ok(true) };
        let mut key = Vec::new();
        arguments_key(data, &mut key);
        let bytes = size_of::<Vec<u8>>() + key.len();
        if !seen.insert(key) {
            return Ok(false);
        }
        cx.hold(&mut self.held, bytes)?;
        Ok(true)
    }

    /// A row of JSON_ARRAYAGG or JSON_OBJECTAGG, whose values may be NULL.
    fn gather(&mut self, data: &[Value<'_>], cx: &mut FuncCtx<'_>) -> Result<(), ValueError> {
        let kept = match &mut self.state {
            State::List(list) => {
                let before = list.memory();
                list.push(&json::from_value(&data[0]))?;
                list.memory() - before
            }
            State::Members(list) => {
                let before = list.memory();
                let name = super::json::member_name(&data[0])?;
                list.push(&name, &json::from_value(&data[1]))?;
                list.memory() - before
            }
            _ => 0,
        };
        cx.hold(&mut self.held, kept)
    }

    fn add(&mut self, v: &Value<'_>, cx: &mut FuncCtx<'_>) -> Result<(), ValueError> {
        if self.add_whole(v) {
            return Ok(());
        }
        if let (State::Exact { sum, n }, Value::Decimal(d)) = (&mut self.state, v)
            && sum.add_short(d)
        {
            *n += 1;
            return Ok(());
        }
        let number = v.to_number(&mut cx.warnings);
        let too_big = |_: Overflow| ValueError::out_of_range("DECIMAL", "sum()");
        match (&mut self.state, &number) {
            (State::Real { sum, n }, _) => {
                *sum += number.to_f64(&mut cx.warnings).unwrap_or(0.0);
                *n += 1;
            }
            (State::Exact { sum, n }, Value::Double(x)) => {
                self.state = State::Real { sum: sum.to_f64() + x, n: *n + 1 };
            }
            (State::Exact { sum, n }, _) => {
                let d = number.to_decimal(&mut cx.warnings).unwrap_or(Decimal::ZERO);
                *sum = sum.checked_add(d).map_err(too_big)?;
                *n += 1;
            }
            (state, Value::Double(x)) => *state = State::Real { sum: *x, n: 1 },
            (state, _) => {
                let sum = number.to_decimal(&mut cx.warnings).unwrap_or(Decimal::ZERO);
                *state = State::Exact { sum, n: 1 };
            }
        }
        Ok(())
    }

    /// An integer behind nothing but integers. False: another value, before which the sum has become a decimal.
    fn add_whole(&mut self, v: &Value<'_>) -> bool {
        let more = match v {
            Value::Int(more) => Some(i128::from(*more)),
            Value::UInt(more) => Some(i128::from(*more)),
            _ => None,
        };
        match (&mut self.state, more) {
            (State::Empty, Some(more)) => self.state = State::Whole { sum: more, n: 1 },
            (State::Whole { sum, n }, more) => {
                if let Some(added) = more.and_then(|more| sum.checked_add(more)) {
                    (*sum, *n) = (added, *n + 1);
                } else {
                    self.state = State::Exact { sum: Decimal::from_i128(*sum, 0), n: *n };
                    return false;
                }
            }
            _ => return false,
        }
        true
    }

    /// Takes away a row that [`Accumulator::update`] has taken. False: that cannot be done, and the state is of no use any more.
    ///
    /// Counts and exact sums go back to what they were without the row. A sum of doubles does not: what a large one has rounded away of the
    /// others is lost when it leaves. Nor does the largest or the smallest value.
    pub fn remove(&mut self, spec: &AggSpec, args: &[Value<'_>]) -> bool {
        if self.seen.is_some() {
            return false;
        }
        if spec.kind != AggKind::CountAll && args.iter().any(Value::is_null) {
            return true;
        }
        match (&mut self.state, args) {
            (State::Count(n), _) => *n -= 1,
            (State::Whole { n: 1, .. } | State::Exact { n: 1, .. }, _) => self.state = State::Empty,
            (State::Whole { sum, n }, [Value::Int(less)]) => {
                (*sum, *n) = (*sum - i128::from(*less), *n - 1);
            }
            (State::Whole { sum, n }, [Value::UInt(less)]) => {
                (*sum, *n) = (*sum - i128::from(*less), *n - 1);
            }
            // The digits behind the point are those of the values, and AVG computes with as many.
            (State::Exact { sum, n }, [Value::Decimal(less)]) if less.scale() == sum.scale() => {
                let Ok(rest) = sum.checked_sub(*less) else { return false };
                (*sum, *n) = (rest, *n - 1);
            }
            _ => return false,
        }
        true
    }

    fn keep(
        &mut self,
        v: &Value<'_>,
        want: Ordering,
        cx: &mut FuncCtx<'_>,
    ) -> Result<(), ValueError> {
        let better = match &self.state {
            State::Best(best) => {
                compare(v, best, CompareRule::of_values(v, best), cx)? == Some(want)
            }
            _ => true,
        };
        if better {
            self.held.set(cx.session.memory(), heap_of(v))?;
            self.state = State::Best(v.clone().into_owned());
        }
        Ok(())
    }

    /// The group's result.
    pub fn finish(
        self,
        spec: &AggSpec,
        cx: &mut FuncCtx<'_>,
    ) -> Result<Value<'static>, ValueError> {
        // A document is about as large as what it is made of, and both are there for a moment.
        let document = match &self.state {
            State::List(list) => list.bytes(),
            State::Members(list) => list.bytes(),
            State::Geometries(all) => all.bytes(),
            _ => 0,
        };
        let mut held = Held::default();
        cx.hold(&mut held, document)?;
        match self.state {
            State::Best(v) => Ok(v),
            State::Rows(rows) => Ok(join(rows, spec, cx)),
            _ => self.value(spec, cx),
        }
    }

    /// 3513 and 3514 for binary strings of different lengths, and for long ones.
    fn add_bits(
        &mut self,
        kind: AggKind,
        v: &Value<'_>,
        cx: &mut FuncCtx<'_>,
    ) -> Result<(), ValueError> {
        if let State::Bits(bits) = &mut self.state {
            let v = bits_of(v, &mut cx.warnings);
            *bits = match kind {
                AggKind::BitAnd => *bits & v,
                AggKind::BitOr => *bits | v,
                _ => *bits ^ v,
            };
            return Ok(());
        }
        let (State::Bytes { bits, begun }, Some(x)) = (&mut self.state, v.as_bytes()) else {
            return Ok(());
        };
        if x.len() > MAX_BINARY {
            return Err(too_many_bits());
        }
        if !std::mem::replace(begun, true) {
            *bits = x.to_vec();
            return Ok(());
        }
        if bits.len() != x.len() {
            return Err(ValueError::of(errno::ER_INVALID_BITWISE_OPERANDS_SIZE, &[]));
        }
        for (a, b) in bits.iter_mut().zip(x) {
            *a = match kind {
                AggKind::BitAnd => *a & b,
                AggKind::BitOr => *a | b,
                _ => *a ^ b,
            };
        }
        Ok(())
    }

    /// The result over the rows so far, for windows that grow. GROUP_CONCAT is no window function.
    pub fn value(
        &self,
        spec: &AggSpec,
        cx: &mut FuncCtx<'_>,
    ) -> Result<Value<'static>, ValueError> {
        Ok(match &self.state {
            State::Count(n) => Value::Int(*n),
            State::Empty => Value::Null,
            State::Bits(b) => Value::UInt(*b),
            State::Bytes { bits, .. } => Value::Bytes(bits.clone().into()),
            State::Best(v) => v.clone(),
            State::Whole { sum, n } => exact(Decimal::from_i128(*sum, 0), *n, spec, cx)?,
            State::Exact { sum, n } => exact(*sum, *n, spec, cx)?,
            State::Real { sum, n } if spec.kind == AggKind::Avg => Value::Double(sum / *n as f64),
            State::Real { sum, .. } => Value::Double(*sum),
            State::Spread { n, m2, .. } => spread(spec.kind, *n, *m2),
            State::Rows(_) => Value::Null,
            State::Geometries(all) => all.value(cx)?,
            State::List(list) if list.is_empty() => Value::Null,
            State::List(list) => {
                cx.work(list.bytes())?;
                Value::Json(list.to_json()?)
            }
            State::Members(list) if list.is_empty() => Value::Null,
            State::Members(list) => {
                cx.work(list.bytes())?;
                Value::Json(list.to_json()?)
            }
        })
    }
}

/// What the arguments of an aggregate with DISTINCT are known by.
pub fn arguments_key(data: &[Value<'_>], key: &mut Vec<u8>) {
    // What is no member of an ENUM is not its empty member.
    data.iter().for_each(|v| match v.is_no_member() {
        true => distinct_key(&Value::UInt(0), key),
        false => distinct_key(v, key),
    });
}

/// The same for the values of expressions of a type: what is no member of an ENUM is not its empty member.
pub fn key_of(v: &Value<'_>, ty: &SqlType, out: &mut Vec<u8>) {
    match ty {
        SqlType::Enum { .. } if v.is_no_member() => distinct_key(&Value::UInt(0), out),
        _ => distinct_key(v, out),
    }
}

/// Bytes that are equal exactly for values that DISTINCT and GROUP BY hold equal, within one type.
pub fn distinct_key(v: &Value<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    // Kind byte, then a length so that neighbours do not run together.
    out.extend_from_slice(&[0; 5]);
    out[start] = match v {
        Value::Null => 0,
        Value::Int(n) => {
            out.extend_from_slice(&i128::from(*n).to_be_bytes());
            1
        }
        Value::UInt(n) => {
            out.extend_from_slice(&i128::from(*n).to_be_bytes());
            1
        }
        Value::Decimal(d) => {
            decimal_key(*d, out);
            2
        }
        Value::Double(x) => {
            out.extend_from_slice(&(x + 0.0).to_bits().to_be_bytes());
            3
        }
        Value::Str(b, c) => {
            c.weights(b, out);
            4
        }
        Value::Bytes(b) => {
            out.extend_from_slice(b);
            5
        }
        Value::Date(d) => {
            out.extend_from_slice(&d.at_midnight().pack().to_be_bytes());
            6
        }
        Value::DateTime(d) => {
            out.extend_from_slice(&d.pack().to_be_bytes());
            6
        }
        Value::Time(t) => {
            out.extend_from_slice(&t.micros.to_be_bytes());
            7
        }
        Value::Json(j) => {
            json::canonical(j.view(), out);
            8
        }
    };
    let len = (out.len() - start - 5) as u32;
    out[start + 1..start + 5].copy_from_slice(&len.to_be_bytes());
}

/// A number without the zeros at the end of its fraction. If its digits are a number of 64 bits, it is a scale, a sign and that number; else,
/// which is rare, the text, which begins with a larger byte.
fn decimal_key(d: Decimal, out: &mut Vec<u8>) {
    let (negative, mut scale, limbs) = d.parts();
    if let [mut digits, 0, 0, 0] = limbs {
        while scale > 0 && digits.is_multiple_of(10) {
            digits /= 10;
            scale -= 1;
        }
        return short_decimal_key((negative && digits > 0, scale, digits), out);
    }
    let text = d.to_string();
    let bare = match d.scale() {
        0 => &text[..],
        _ => text.trim_end_matches('0').trim_end_matches('.'),
    };
    let fraction = bare.split_once('.').map_or(0, |(_, fraction)| fraction.len() as u8);
    let digits: String = bare.chars().filter(char::is_ascii_digit).collect();
    match digits.parse() {
        Ok(digits) => short_decimal_key((negative, fraction, digits), out),
        Err(_) => out.extend_from_slice(bare.as_bytes()),
    }
}

fn short_decimal_key((negative, scale, digits): (bool, u8, u64), out: &mut Vec<u8>) {
    out.extend_from_slice(&[scale, u8::from(negative)]);
    out.extend_from_slice(&digits.to_be_bytes());
}

/// The bits that an aggregate works on: what is no UNSIGNED is a BIGINT, and has its limits.
fn bits_of(v: &Value<'_>, w: &mut crate::value::Warnings) -> u64 {
    match v {
        Value::Decimal(_) | Value::Double(_) => {
            let n = v.to_integer(w).unwrap_or(0);
            n.clamp(i64::MIN.into(), i64::MAX.into()) as u64
        }
        v => v.to_u64(w).unwrap_or(0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{dec, i, s};
    use super::*;
    use crate::value::NoSession;

    /// Decimals of other scales that are equal have one key, and others another.
    #[test]
    fn keys_of_decimals() {
        let key = |text: &str| {
            let mut out = Vec::new();
            distinct_key(&dec(text), &mut out);
            out
        };
        let long = "1.00000000000000000000000000000";
        for equal in [["1", "1.000"], ["1", long], ["-12.5", "-12.50"], ["0", "0.00"]] {
            assert_eq!(key(equal[0]), key(equal[1]), "{equal:?}");
        }
        let wide = "123456789012345678901234567890.5";
        let all =
            ["1", "-1", "10", "0.1", "0", "100", "12.5", wide, "-123456789012345678901234567890.5"];
        for (n, a) in all.iter().enumerate() {
            all[..n].iter().for_each(|b| assert_ne!(key(a), key(b), "{a} {b}"));
        }
        assert_eq!(key(wide), key(&format!("{wide}00")));
    }

    fn run(kind: AggKind, distinct: bool, values: &[Value<'_>]) -> Option<String> {
        let ty = values
            .iter()
            .find(|v| !v.is_null())
            .map_or(SqlType::Null, crate::value::compare::type_of);
        let spec = AggSpec::new(kind, distinct, &[TypeInfo::new(ty, true)], 4);
        let mut cx = FuncCtx::new(&NoSession);
        let mut acc = Accumulator::new(&spec);
        for v in values {
            acc.update(&spec, std::slice::from_ref(v), &mut cx).expect("fits");
        }
        let v = acc.finish(&spec, &mut cx).expect("fits");
        let mut out = Vec::new();
        spec.result.ty.write_text(&v, &mut out);
        (!v.is_null()).then(|| String::from_utf8(out).expect("utf8"))
    }

    #[test]
    fn table() {
        use AggKind::*;
        let ints = [i(1), i(2), Value::Null, i(2)];
        let cases: &[(AggKind, bool, &[Value<'_>], Option<&str>)] = &[
            (CountAll, false, &ints, Some("4")),
            (Count, false, &ints, Some("3")),
            (Count, true, &ints, Some("2")),
            (Sum, false, &ints, Some("5")),
            (Sum, true, &ints, Some("3")),
            (Avg, false, &ints, Some("1.6667")),
            (Avg, false, &[dec("1.10"), dec("2.20")], Some("1.650000")),
            (Sum, false, &[Value::Double(0.5), Value::Double(1.0)], Some("1.5")),
            (Sum, false, &[s("1"), s("2")], Some("3")),
            (Sum, false, &[Value::Null], None),
            (Min, false, &[s("b"), s("A")], Some("A")),
            (Max, false, &ints, Some("2")),
            (GroupConcat, false, &[s("x"), Value::Null, s("y")], Some("x,y")),
            (GroupConcat, true, &[s("x"), s("X "), s("y")], Some("x,y")),
            (GroupConcat, false, &[], None),
            (BitAnd, false, &[], Some("18446744073709551615")),
            (BitOr, false, &[i(1), i(4)], Some("5")),
            (BitXor, false, &[i(5), i(1)], Some("4")),
            (VarPop, false, &[i(1), i(2), i(3), i(4)], Some("1.25")),
            (VarSamp, false, &[i(1)], None),
            (StdPop, false, &[i(1), i(3)], Some("1")),
        ];
        for (kind, distinct, values, want) in cases {
            assert_eq!(run(*kind, *distinct, values).as_deref(), *want, "{kind:?} {values:?}");
        }
    }

    #[test]
    fn result_types() {
        let ty = |kind: AggKind, t| kind.result_type(&[TypeInfo::new(t, true)], 4).ty;
        assert_eq!(ty(AggKind::Sum, SqlType::INT), SqlType::decimal(32, 0));
        assert_eq!(ty(AggKind::Avg, SqlType::INT), SqlType::decimal(14, 4));
        assert_eq!(ty(AggKind::Sum, SqlType::decimal(10, 2)), SqlType::decimal(32, 2));
        assert_eq!(ty(AggKind::Avg, SqlType::decimal(10, 2)), SqlType::decimal(14, 6));
        assert_eq!(ty(AggKind::Sum, SqlType::DOUBLE), SqlType::LONG_DOUBLE);
    }
}
