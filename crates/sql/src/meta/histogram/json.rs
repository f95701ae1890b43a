//! The form that information_schema shows, which `ANALYZE TABLE ... USING DATA` reads again.

use super::{Bucket, Histogram, Kind, MOST_BUCKETS, cut};
use crate::meta::SqlColumn;
use crate::value::convert::local_time;
use crate::value::json::{Dom, Json, base64_bytes, from_value, parse};
use crate::value::types::proto;
use crate::value::{
    Charset, Class, Collation, Datum, DatumBuf, SqlMode, SqlType, StoreCtx, TimeZone, Value,
    ValueError, Warnings,
};

/// What is told of the collation of what is no text.
const OF_NUMBERS: Collation = Collation::Latin1SwedishCi;
/// How far the shares of what was told may be from 1 together.
const ROUNDED: f64 = 1e-6;

/// The name that MySQL has for the values of a column; none where it makes no histograms.
pub fn data_type(ty: &SqlType) -> Option<&'static str> {
    Some(match ty {
        SqlType::Enum { .. } => "enum",
        SqlType::Set { .. } => "set",
        SqlType::Geometry { .. } => return None,
        SqlType::Int { .. } if ty.is_unsigned() && ty.facts().wire == proto::LONGLONG => "uint",
        _ => match ty.class() {
            Class::Int => "int",
            Class::Decimal => "decimal",
            Class::Real => "double",
            Class::Text => "string",
            Class::Date => "date",
            Class::DateTime => "datetime",
            Class::Time => "time",
            Class::Null | Class::Json => return None,
        },
    })
}

fn collation_of(ty: &SqlType) -> Collation {
    let binary = matches!(ty, SqlType::Bit { .. });
    ty.collation().unwrap_or(if binary { Collation::Binary } else { OF_NUMBERS })
}

/// A value of the column. TIMESTAMP is shown in UTC.
fn shown(ty: &SqlType, d: &DatumBuf) -> Dom {
    match (ty.is_list(), d) {
        (true, DatumBuf::UInt(n)) => Dom::UInt(*n),
        (false, DatumBuf::Bytes(b)) if ty.is_string() => {
            let own = collation_of(ty).charset().own_bytes(b);
            Dom::Opaque(proto::STRING, own.as_ref().into())
        }
        _ => from_value(&ty.load(d.as_ref(), TimeZone::UTC)),
    }
}

pub fn to_json(h: &Histogram, column: &SqlColumn) -> Result<Json<'static>, ValueError> {
    let ty = &column.ty;
    let bucket = |b: &Bucket| {
        let (upper, share) = (shown(ty, &b.upper), Dom::Double(b.cumulative));
        Dom::Array(match h.kind {
            Kind::Singleton => vec![upper, share],
            Kind::EquiHeight => vec![shown(ty, &b.lower), upper, share, Dom::UInt(b.distinct)],
        })
    };
    let updated = local_time(h.updated_micros, TimeZone::UTC, 6);
    let member = |name: &str, value: Dom| (name.as_bytes().into(), value);
    let kind = match h.kind {
        Kind::Singleton => "singleton",
        Kind::EquiHeight => "equi-height",
    };
    let whole = Dom::object(vec![
        member("buckets", Dom::Array(h.buckets.iter().map(bucket).collect())),
        member("data-type", Dom::str(data_type(ty).unwrap_or_default().as_bytes())),
        member("auto-update", Dom::Bool(h.automatic)),
        member("null-values", Dom::Double(h.nulls)),
        member("collation-id", Dom::UInt(u64::from(collation_of(ty).id()))),
        member("last-updated", updated.map_or(Dom::Null, |t| Dom::DateTime(Box::new((t, false))))),
        member("sampling-rate", Dom::Double(h.sampling)),
        member("histogram-type", Dom::str(kind.as_bytes())),
        member("number-of-buckets-specified", Dom::UInt(u64::from(h.specified))),
    ]);
    whole.to_json()
}

/// Reads what [`to_json`] wrote, for the column at a position; or a sentence about what is wrong.
pub fn from_json(
    text: &[u8],
    column: &SqlColumn,
    at: usize,
    now_micros: i64,
) -> Result<Histogram, String> {
    let dom = parse(text).map_err(|_| "JSON format error.".to_owned())?;
    if !matches!(dom, Dom::Object(_)) {
        return Err("JSON data is not an object.".into());
    }
    let text_of = |name: &str| match member(&dom, name)? {
        Dom::Str(s) => Ok(String::from_utf8_lossy(s).into_owned()),
        _ => Err(wrong_type(name)),
    };
    let share_of = |name: &str| match number(member(&dom, name)?) {
        Some(x) if (0.0..=1.0).contains(&x) => Ok(x),
        Some(_) => Err(out_of_range(name)),
        None => Err(wrong_type(name)),
    };
    let (ty, told) = (column.ty, text_of("data-type")?);
    if data_type(&ty) != Some(told.as_str()) {
        return Err("The data type is not that of the column.".into());
    }
    if member(&dom, "collation-id")? != &integer(collation_of(&ty).id()) {
        return Err("The collation is not that of the column.".into());
    }
    let kind = match text_of("histogram-type")?.as_str() {
        "singleton" => Kind::Singleton,
        "equi-height" => Kind::EquiHeight,
        _ => return Err("The histogram type is not supported.".into()),
    };
    let asked = "number-of-buckets-specified";
    let specified = whole_number(member(&dom, asked)?).ok_or_else(|| wrong_type(asked))?;
    let specified = u16::try_from(specified).ok().filter(|n| (1..=MOST_BUCKETS).contains(n));
    let specified = specified.ok_or_else(|| out_of_range(asked))?;
    let Dom::Array(list) = member(&dom, "buckets")? else { return Err(wrong_type("buckets")) };
    let buckets = list.iter().map(|b| bucket(b, kind, &ty)).collect::<Result<Vec<_>, _>>()?;
    let automatic = dom.member(b"auto-update") == Some(&Dom::Bool(true));
    let (nulls, sampling) = (share_of("null-values")?, share_of("sampling-rate")?);
    if sampling == 0.0 {
        return Err(out_of_range("sampling-rate"));
    }
    let h = Histogram {
        column: at,
        kind,
        buckets,
        nulls,
        sampling,
        specified,
        updated_micros: now_micros,
        automatic,
    };
    check(&h, &ty).map(|()| h)
}

/// What holds of every histogram that was counted.
fn check(h: &Histogram, ty: &SqlType) -> Result<(), String> {
    let order = |a: &DatumBuf, b: &DatumBuf| ty.phys().compare(a.as_ref(), b.as_ref());
    if h.buckets.len() > usize::from(h.specified) {
        return Err("There are more buckets than specified.".into());
    }
    if h.buckets.iter().any(|b| order(&b.lower, &b.upper).is_gt()) {
        return Err("The lower bound of a bucket is above its upper one.".into());
    }
    if h.buckets.windows(2).any(|w| order(&w[0].upper, &w[1].lower).is_ge()) {
        return Err("The values of the buckets do not ascend.".into());
    }
    let shares = || h.buckets.iter().map(|b| b.cumulative);
    if shares().any(|x| !(0.0..=1.0).contains(&x)) {
        return Err("The cumulative frequency of a bucket is not between 0 and 1.".into());
    }
    if shares().zip(shares().skip(1)).any(|(a, b)| a >= b) {
        return Err("The cumulative frequencies do not ascend.".into());
    }
    let (last, rows) =
        (shares().next_back().unwrap_or(0.0), !h.buckets.is_empty() || h.nulls > 0.0);
    if rows && (last + h.nulls - 1.0).abs() > ROUNDED {
        return Err("The frequencies and the share of NULLs are not 1 together.".into());
    }
    Ok(())
}

fn member<'d>(dom: &'d Dom, name: &str) -> Result<&'d Dom, String> {
    dom.member(name.as_bytes()).ok_or_else(|| format!("Missing attribute '{name}'."))
}

fn wrong_type(name: &str) -> String {
    format!("The attribute '{name}' has a wrong type.")
}

fn out_of_range(name: &str) -> String {
    format!("The attribute '{name}' is out of range.")
}

fn integer(n: u16) -> Dom {
    Dom::Int(i64::from(n))
}

fn whole_number(dom: &Dom) -> Option<u64> {
    match dom {
        Dom::Int(n) => u64::try_from(*n).ok(),
        Dom::UInt(n) => Some(*n),
        _ => None,
    }
}

fn number(dom: &Dom) -> Option<f64> {
    match dom {
        Dom::Double(x) => Some(*x),
        Dom::Decimal(d) => Some(d.to_f64()),
        other => whole_number(other).map(|n| n as f64),
    }
}

fn bucket(dom: &Dom, kind: Kind, ty: &SqlType) -> Result<Bucket, String> {
    let Dom::Array(parts) = dom else { return Err(wrong_type("buckets")) };
    let share = |dom: &Dom| number(dom).ok_or_else(|| wrong_type("buckets"));
    match (kind, &parts[..]) {
        (Kind::Singleton, [value, cumulative]) => {
            let value = stored(value, ty)?;
            let cumulative = share(cumulative)?;
            Ok(Bucket { lower: value.clone(), upper: value, cumulative, distinct: 1 })
        }
        (Kind::EquiHeight, [lower, upper, cumulative, distinct]) => {
            let (lower, upper) = (stored(lower, ty)?, stored(upper, ty)?);
            let distinct = whole_number(distinct).filter(|n| *n > 0);
            let distinct = distinct.ok_or("The number of values of a bucket is out of range.")?;
            Ok(Bucket { lower, upper, cumulative: share(cumulative)?, distinct })
        }
        (Kind::Singleton, _) => Err("A bucket has two elements.".into()),
        (Kind::EquiHeight, _) => Err("A bucket has four elements.".into()),
    }
}

/// The datum of a value of the column, as a strict INSERT in UTC stores it.
fn stored(dom: &Dom, ty: &SqlType) -> Result<DatumBuf, String> {
    let bad = || "A value of a bucket is none of the column.".to_owned();
    if ty.is_list() {
        let n = whole_number(dom).ok_or_else(bad)?;
        return Ok(DatumBuf::UInt(n));
    }
    if let (true, Dom::Str(s)) = (ty.is_string(), dom) {
        let text = base64_bytes(s).ok_or_else(bad)?;
        let text = Charset::Binary.convert(&text, collation_of(ty).charset()).0;
        return Ok(cut(&ty.phys(), Datum::Bytes(&text)).to_buf());
    }
    let temporal = ty.is_temporal();
    let value = match dom {
        Dom::Int(n) if !temporal => Value::Int(*n),
        Dom::UInt(n) if !temporal => Value::UInt(*n),
        Dom::Double(x) if !temporal => Value::Double(*x),
        Dom::Decimal(d) if !temporal => Value::Decimal(**d),
        Dom::Str(s) if temporal => Value::text(s.to_vec(), Collation::Utf8mb4Bin),
        _ => return Err(bad()),
    };
    let mut cx = StoreCtx {
        column: "",
        table: None,
        row: 1,
        strict: true,
        mode: SqlMode::default(),
        tz: TimeZone::UTC,
        now_micros: 0,
        warnings: &mut Warnings::with_limit(0),
        session: None,
    };
    match ty.store(&value, &mut cx) {
        Ok(d) if d != DatumBuf::Null => Ok(d),
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Sample, build};
    use super::*;
    use crate::value::IntKind;

    fn text(h: &Histogram, column: &SqlColumn) -> String {
        let mut out = Vec::new();
        to_json(h, column).expect("is written").view().write_text(&mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    fn of(ty: SqlType, values: &[DatumBuf], buckets: u16) -> (Histogram, SqlColumn) {
        let mut sample = Sample::new(vec![ty.phys()], 1 << 20);
        values.iter().for_each(|d| sample.add(&[d.as_ref()]));
        let h = build(2, &sample.columns()[0], 1.0, (buckets, false), 1_600_000_000_000_000);
        (h, SqlColumn::new("c", ty))
    }

    #[test]
    fn as_mysql_shows_it() {
        let values = [3, 1, 3, 9].map(DatumBuf::Int);
        let (h, c) = of(SqlType::INT, &values, 100);
        assert_eq!(
            text(&h, &c),
            r#"{"buckets": [[1, 0.25], [3, 0.75], [9, 1.0]], "data-type": "int", "auto-update": false, "null-values": 0.0, "collation-id": 8, "last-updated": "2020-09-13 12:26:40.000000", "sampling-rate": 1.0, "histogram-type": "singleton", "number-of-buckets-specified": 100}"#
        );
        let words = ["foo", "bar", "fo", "yay"].map(|w| DatumBuf::Bytes(w.into()));
        let (h, c) = of(SqlType::varchar(255, Collation::Utf8mb4GeneralCi), &words, 2);
        assert!(text(&h, &c).starts_with(
            r#"{"buckets": [["base64:type254:YmFy", "base64:type254:Zm8=", 0.5, 2], ["base64:type254:Zm9v", "base64:type254:eWF5", 1.0, 2]], "data-type": "string","#
        ));
    }

    #[test]
    fn what_is_shown_is_read() {
        let bytes = |b: &[&[u8]]| b.iter().map(|b| DatumBuf::Bytes(b.to_vec())).collect();
        let uints = |n: &[u64]| n.iter().map(|n| DatumBuf::UInt(*n)).collect();
        let floats = |n: &[f64]| n.iter().map(|n| DatumBuf::Float(*n)).collect();
        let ints = |n: &[i64]| n.iter().map(|n| DatumBuf::Int(*n)).collect();
        let stored = |ty: SqlType, texts: &[&str]| {
            let one = |t: &&str| stored(&Dom::str(t.as_bytes()), &ty).expect("a value");
            texts.iter().map(one).collect()
        };
        let unsigned = SqlType::int(IntKind::Tiny, true);
        let latin = SqlType::varchar(9, Collation::Latin1SwedishCi);
        let cases: Vec<(SqlType, Vec<DatumBuf>)> = vec![
            (SqlType::INT, ints(&[-5, 0, 7])),
            (unsigned, uints(&[0, 255])),
            (SqlType::UBIGINT, uints(&[0, u64::MAX])),
            (SqlType::Bit { bits: 64 }, uints(&[0, u64::MAX])),
            (SqlType::DOUBLE, floats(&[-1.5e300, 0.0, 2.5])),
            (SqlType::FLOAT, floats(&[0.5, 1024.0])),
            (latin, bytes(&[b"", b"\xe4x", b"zz"])),
            (SqlType::varbinary(9), bytes(&[b"\0", b"\xff\xfe"])),
            (SqlType::Date, stored(SqlType::Date, &["1000-01-01", "2026-11-26"])),
            (
                SqlType::Time { fsp: 2 },
                stored(SqlType::Time { fsp: 2 }, &["-12:00:00.25", "838:59:59"]),
            ),
            (
                SqlType::Timestamp { fsp: 0 },
                stored(
                    SqlType::Timestamp { fsp: 0 },
                    &["1970-01-02 00:00:01", "2026-03-29 02:30:00"],
                ),
            ),
        ];
        for (ty, values) in cases {
            for buckets in [1, 100] {
                let (h, c) = of(ty, &values, buckets);
                let shown = text(&h, &c);
                let again = from_json(shown.as_bytes(), &c, 2, h.updated_micros);
                assert_eq!(again.as_ref(), Ok(&h), "{shown}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        let (h, c) = of(SqlType::INT, &[1, 2, 3].map(DatumBuf::Int), 5);
        let good = text(&h, &c);
        let told = |text: &str| from_json(text.as_bytes(), &c, 2, 0).map(|_| ()).unwrap_err();
        assert_eq!(told("{"), "JSON format error.");
        assert_eq!(told("[]"), "JSON data is not an object.");
        assert_eq!(told("{}"), "Missing attribute 'data-type'.");
        let changes = [
            (r#""int""#, r#""double""#, "The data type is not that of the column."),
            (
                r#""collation-id": 8"#,
                r#""collation-id": 9"#,
                "The collation is not that of the column.",
            ),
            ("singleton", "round", "The histogram type is not supported."),
            (
                "specified\": 5",
                "specified\": 2000",
                "The attribute 'number-of-buckets-specified' is out of range.",
            ),
            ("specified\": 5", "specified\": 2", "There are more buckets than specified."),
            ("[2, ", "[\"x\", ", "A value of a bucket is none of the column."),
            ("[2, ", "[1, ", "The values of the buckets do not ascend."),
            ("[3, 1.0]", "[3, 0.1]", "The cumulative frequencies do not ascend."),
            ("[3, 1.0]", "[3, 0.9]", "The frequencies and the share of NULLs are not 1 together."),
            ("[3, 1.0]", "[3, 1.0, 1]", "A bucket has two elements."),
            (
                "\"null-values\": 0.0",
                "\"null-values\": true",
                "The attribute 'null-values' has a wrong type.",
            ),
            (
                "\"sampling-rate\": 1.0",
                "\"sampling-rate\": 7",
                "The attribute 'sampling-rate' is out of range.",
            ),
        ];
        for (from, to, want) in changes {
            assert!(good.contains(from), "{from}");
            assert_eq!(told(&good.replace(from, to)), want, "{to}");
        }
    }
}
