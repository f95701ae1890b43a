//! Reads the JSON of `ANALYZE TABLE ... USING DATA`: what [`super::to_json`] writes, looked at in MySQL's order and refused with its
//! sentences, which name the place by its path.

#[cfg(test)]
mod tests;

use super::json::data_type;
use super::{Bucket, Histogram, Kind, MOST_BUCKETS, cut};
use crate::errno;
use crate::meta::SqlColumn;
use crate::value::json::{Dom, from_base64, parse};
use crate::value::temporal::parse::{self as moments, FoundDateTime};
use crate::value::temporal::{MAX_TIME_SECONDS, MICROS};
use crate::value::{
    ALL_COLLATIONS, Charset, Collation, DatumBuf, Decimal, SqlMode, SqlType, StoreCtx, TimeZone,
    Value, Warnings,
};

/// How far the shares may be from 1 together.
const ROUNDED: f64 = 5e-8;

/// What data are read for.
pub struct Target<'a> {
    pub column: &'a SqlColumn,
    /// Position of the column in the table.
    pub at: usize,
    pub now_micros: i64,
    pub mode: SqlMode,
}

/// Why data make no histogram.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused {
    /// The message that comes first, with its level: what is wrong with the JSON text, or the warning of a value that cannot be stored.
    pub before: Option<(&'static str, String)>,
    pub text: String,
}

type Read<T> = Result<T, Refused>;

fn refused(text: impl Into<String>) -> Refused {
    Refused { before: None, text: text.into() }
}

fn wrong_type(path: &str) -> Refused {
    refused(format!("Wrong attribute type at '{path}'."))
}

/// The path of an attribute.
fn path(name: &str) -> String {
    if name.contains('-') { format!("$.\"{name}\"") } else { format!("$.{name}") }
}

/// Reads data; `auto-update` may be missing, as in what versions before it wrote.
pub fn from_json(text: &[u8], target: &Target<'_>) -> Read<Histogram> {
    let dom = parse(text).map_err(|e| Refused {
        before: Some(("Error", e.in_argument(1, "UPDATE HISTOGRAM").message)),
        text: "JSON format error.".into(),
    })?;
    if !matches!(dom, Dom::Object(_)) {
        return Err(refused("JSON data is not an object"));
    }
    let kind = kind(&dom, &target.column.ty)?;
    let sampling = share(&dom, "sampling-rate", "sampling rate")?;
    let specified = specified(&dom)?;
    let nulls = share(&dom, "null-values", "frequency")?;
    let collation_id = collation_id(&dom)?;
    let automatic = match dom.member(b"auto-update") {
        None => false,
        Some(Dom::Bool(yes)) => *yes,
        Some(_) => return Err(wrong_type(&path("auto-update"))),
    };
    let collation = collation(collation_id)?;
    let Dom::Array(list) = member(&dom, "buckets")? else {
        return Err(wrong_type(&path("buckets")));
    };
    let reader = Reader { target, kind, collation };
    let mut buckets: Vec<Bucket> = Vec::new();
    for (n, dom) in list.iter().enumerate() {
        let next = reader.bucket(dom, &format!("$.buckets[{n}]"), buckets.last())?;
        buckets.push(next);
    }
    let (column, updated_micros) = (target.at, target.now_micros);
    let h =
        Histogram { column, kind, buckets, nulls, sampling, specified, updated_micros, automatic };
    check_whole(&h).map(|()| h)
}

fn member<'d>(dom: &'d Dom, name: &str) -> Read<&'d Dom> {
    let missing = || refused(format!("Missing attribute at '{}'.", path(name)));
    dom.member(name.as_bytes()).ok_or_else(missing)
}

fn text_of<'d>(dom: &'d Dom, name: &str) -> Read<&'d [u8]> {
    match member(dom, name)? {
        Dom::Str(s) => Ok(s),
        _ => Err(wrong_type(&path(name))),
    }
}

/// The kind, which counts only for data of the column's type.
fn kind(dom: &Dom, ty: &SqlType) -> Read<Kind> {
    let kind = text_of(dom, "histogram-type")?;
    let told = text_of(dom, "data-type")?;
    if data_type(ty).is_none_or(|own| own.as_bytes() != told) {
        let at = path("data-type");
        return Err(refused(format!(
            "Histogram data type does not match column data type at '{at}'."
        )));
    }
    match kind {
        b"singleton" => Ok(Kind::Singleton),
        b"equi-height" => Ok(Kind::EquiHeight),
        _ => {
            let at = path("histogram-type");
            Err(refused(format!("Unsupported histogram type at '{at}'.")))
        }
    }
}

fn share(dom: &Dom, name: &str, what: &str) -> Read<f64> {
    let Dom::Double(x) = member(dom, name)? else { return Err(wrong_type(&path(name))) };
    in_range(*x, what, &path(name))
}

fn in_range(x: f64, what: &str, path: &str) -> Read<f64> {
    match (0.0..=1.0).contains(&x) {
        true => Ok(x),
        false => Err(refused(format!(
            "The {what} must be greater than or equal to 0 and less than or equal to 1 at '{path}'."
        ))),
    }
}

fn specified(dom: &Dom) -> Read<u16> {
    let name = "number-of-buckets-specified";
    let Dom::Int(n) = member(dom, name)? else { return Err(wrong_type(&path(name))) };
    let n = u16::try_from(*n).ok().filter(|n| (1..=MOST_BUCKETS).contains(n));
    n.ok_or_else(|| {
        let at = path(name);
        refused(format!(
            "The value of attribute {name} must be an integer in the range from 1 to {MOST_BUCKETS} at '{at}'."
        ))
    })
}

fn collation_id(dom: &Dom) -> Read<&Dom> {
    match member(dom, "collation-id")? {
        id @ (Dom::Int(_) | Dom::UInt(_)) => Ok(id),
        _ => Err(wrong_type(&path("collation-id"))),
    }
}

/// Any collation: it tells what the bytes of texts mean, and need not be the column's.
fn collation(id: &Dom) -> Read<Collation> {
    let known = ALL_COLLATIONS.iter().find(|c| *id == Dom::Int(i64::from(c.id())));
    known.copied().ok_or_else(|| {
        let at = path("collation-id");
        refused(format!("The charset ID does not exist at '{at}'."))
    })
}

/// What holds of all buckets together.
fn check_whole(h: &Histogram) -> Read<()> {
    let Some(last) = h.buckets.last() else {
        return match h.kind {
            Kind::EquiHeight => Err(refused("Equi-height histogram must have at least one bucket")),
            Kind::Singleton if h.nulls == 0.0 || h.nulls == 1.0 => Ok(()),
            Kind::Singleton => Err(refused("The null values fraction should be 0 or 1.")),
        };
    };
    if (last.cumulative + h.nulls - 1.0).abs() > ROUNDED {
        // The last quote is MySQL's.
        return Err(refused(
            "The sum of the null values fraction and the cumulative frequency of the last bucket should be 1.'",
        ));
    }
    if h.buckets.len() > usize::from(h.specified) {
        return Err(refused(
            "The number of real buckets must be less than or equal to the number specified by attribute number-of-buckets-specified.",
        ));
    }
    Ok(())
}

struct Reader<'a> {
    target: &'a Target<'a>,
    kind: Kind,
    collation: Collation,
}

impl Reader<'_> {
    /// A bucket behind another: first what its parts are, then what they say.
    fn bucket(&self, dom: &Dom, path: &str, before: Option<&Bucket>) -> Read<Bucket> {
        let Dom::Array(parts) = dom else { return Err(wrong_type(path)) };
        let (bounds, size) = match self.kind {
            Kind::Singleton => (1, "Two"),
            Kind::EquiHeight => (2, "Four"),
        };
        if parts.len() != 2 * bounds {
            return Err(refused(format!("{size} elements required for bucket at '{path}'.")));
        }
        let part = |n: usize| format!("{path}[{n}]");
        let (bounds, counts) = parts.split_at(bounds);
        let share_at = part(bounds.len());
        let Dom::Double(cumulative) = counts[0] else { return Err(wrong_type(&share_at)) };
        let distinct = counts.get(1).map_or(Ok(1), |d| distinct(d, &part(3)))?;
        let read = |(n, d): (usize, &Dom)| self.value(d, &part(n));
        let values = bounds.iter().enumerate().map(read).collect::<Read<Vec<_>>>()?;
        in_range(cumulative, "frequency", &share_at)?;
        let store = |(n, v): (usize, &Value<'_>)| self.stored(v, &part(n));
        let stored = values.iter().enumerate().map(store).collect::<Read<Vec<_>>>()?;
        let (lower, upper) = (stored[0].clone(), stored[stored.len() - 1].clone());
        let bucket = Bucket { lower, upper, cumulative, distinct };
        self.check_order(&bucket, path, before)?;
        if before.is_some_and(|b| b.cumulative > cumulative) {
            return Err(refused(format!(
                "The cumulative frequency of bucket at '{share_at}' must be greater than that of previous bucket."
            )));
        }
        Ok(bucket)
    }

    fn check_order(&self, bucket: &Bucket, path: &str, before: Option<&Bucket>) -> Read<()> {
        let phys = self.target.column.ty.phys();
        let order = |a: &DatumBuf, b: &DatumBuf| phys.compare(a.as_ref(), b.as_ref());
        if order(&bucket.lower, &bucket.upper).is_gt() {
            return Err(refused(format!(
                "The lower inclusive value of bucket at '{path}[0]' must be less than or equal to upper inclusive value."
            )));
        }
        if before.is_none_or(|b| order(&b.upper, &bucket.lower).is_lt()) {
            return Ok(());
        }
        Err(refused(match self.kind {
            Kind::Singleton => {
                format!("The value at '{path}[0]' must be greater than that of previous bucket.")
            }
            Kind::EquiHeight => format!(
                "The lower inclusive value of bucket at '{path}[0]' must be greater than the upper inclusive value of previous bucket."
            ),
        }))
    }

    /// A bound as a value that can be stored in the column, if it is in range.
    fn value(&self, dom: &Dom, path: &str) -> Read<Value<'static>> {
        let misshapen = || refused(format!("Value format error at '{path}'."));
        let data_type = data_type(&self.target.column.ty).unwrap_or_default();
        match (data_type, dom) {
            ("int" | "uint" | "enum" | "set" | "decimal", Dom::Int(n)) => Ok(Value::Int(*n)),
            ("int" | "uint" | "enum" | "set" | "decimal", Dom::UInt(n)) => Ok(Value::UInt(*n)),
            ("decimal", Dom::Double(x)) => {
                Decimal::from_f64(*x).map(Value::Decimal).map_err(|_| misshapen())
            }
            ("double", Dom::Double(x)) => Ok(Value::Double(*x)),
            ("string", Dom::Str(s)) => {
                let bytes = s.strip_prefix(b"base64:type254:").and_then(from_base64);
                let bytes = bytes.ok_or_else(misshapen)?;
                let text = Charset::Binary.convert(&bytes, self.collation.charset()).0;
                Ok(Value::text(text, self.collation))
            }
            ("date", Dom::Str(s)) => date(s).ok_or_else(misshapen),
            ("datetime", Dom::Str(s)) => datetime(s, &self.target.column.ty).ok_or_else(misshapen),
            ("time", Dom::Str(s)) => time(s).ok_or_else(misshapen),
            _ => Err(wrong_type(path)),
        }
    }

    /// The datum of a value, as a strict INSERT in UTC stores it. Whatever has to be said of that makes it one out of range.
    fn stored(&self, value: &Value<'_>, path: &str) -> Read<DatumBuf> {
        let column = self.target.column;
        let out_of_range = |before| Refused {
            before,
            text: format!("Out of range value for column at '{path}'."),
        };
        if is_too_much(&column.ty, value) {
            return Err(out_of_range(None));
        }
        if let (true, Value::Int(0)) = (column.ty.is_list(), value) {
            return Ok(DatumBuf::UInt(0));
        }
        let mut warnings = Warnings::with_limit(0);
        let mut cx = StoreCtx {
            column: &column.name,
            table: None,
            row: 1,
            strict: true,
            mode: self.target.mode,
            tz: TimeZone::UTC,
            now_micros: 0,
            warnings: &mut warnings,
            session: None,
        };
        let told = [errno::ER_TRUNCATED_WRONG_VALUE, errno::ER_TRUNCATED_WRONG_VALUE_FOR_FIELD];
        match column.ty.store(value, &mut cx) {
            Ok(d) if d != DatumBuf::Null && warnings.total() == 0 => {
                Ok(cut(&column.ty.phys(), d.as_ref()).to_buf())
            }
            Err(e) if told.contains(&e.errno) => Err(out_of_range(Some(("Warning", e.message)))),
            _ => Err(out_of_range(None)),
        }
    }
}

/// A date and time for a column that would keep one of the two.
fn is_too_much(ty: &SqlType, value: &Value<'_>) -> bool {
    matches!((ty, value), (SqlType::Date | SqlType::Time { .. }, Value::DateTime(_)))
}

fn distinct(dom: &Dom, path: &str) -> Read<u64> {
    let n = match dom {
        Dom::Int(n) => u64::try_from(*n).unwrap_or(0),
        Dom::UInt(n) => *n,
        _ => return Err(wrong_type(path)),
    };
    let bad = || format!("The number of distinct values must be a positive integer at '{path}'.");
    if n > 0 { Ok(n) } else { Err(refused(bad())) }
}

/// What a text means, whether the calendar has it or not.
fn moment(s: &[u8]) -> Option<FoundDateTime> {
    moments::datetime(s, true).filter(|f| !f.truncated && f.offset.is_none())
}

/// As a text, since storing looks closely at those.
fn as_text(value: &Value<'_>) -> Option<Value<'static>> {
    Some(Value::text(value.to_bytes()?.into_owned(), Collation::Utf8mb4Bin))
}

fn date(s: &[u8]) -> Option<Value<'static>> {
    let found = moment(s)?;
    match found.date_only {
        true => as_text(&Value::Date(found.value.date)),
        false => Some(Value::DateTime(found.value)),
    }
}

/// With as many digits behind the second as the column has, if these are all.
fn datetime(s: &[u8], ty: &SqlType) -> Option<Value<'static>> {
    let value = moment(s)?.value;
    let (SqlType::DateTime { fsp } | SqlType::Timestamp { fsp }) = *ty else { return None };
    let cut = value.truncate(fsp);
    as_text(&Value::DateTime(if cut.micro == value.micro { cut } else { value }))
}

fn time(s: &[u8]) -> Option<Value<'static>> {
    let found = moments::time(s).filter(|f| !f.truncated)?;
    if moments::has_date(s) {
        return moment(s).map(|f| Value::DateTime(f.value));
    }
    let fits = found.value.micros.abs() <= MAX_TIME_SECONDS * MICROS;
    fits.then_some(Value::Time(found.value))
}
