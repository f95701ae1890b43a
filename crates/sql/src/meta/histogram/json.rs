//! The form that information_schema shows, which `ANALYZE TABLE ... USING DATA` reads again (`given`).

use super::{Bucket, Histogram, Kind};
use crate::meta::SqlColumn;
use crate::value::convert::local_time;
use crate::value::json::{Dom, Json, from_value};
use crate::value::types::protocol::column_type;
use crate::value::{Class, Collation, DatumBuf, SqlType, TimeZone, ValueError};

/// The collation that is written for values that are no texts.
const OF_NUMBERS: Collation = Collation::Latin1SwedishCi;

/// The name that MySQL has for the values of a column; none where it makes no histograms.
pub fn data_type(ty: &SqlType) -> Option<&'static str> {
    Some(match ty {
        SqlType::Enum { .. } => "enum",
        SqlType::Set { .. } => "set",
        SqlType::Geometry { .. } => return None,
        SqlType::Int { .. } if ty.is_unsigned() && ty.facts().wire == column_type::LONGLONG => {
            "uint"
        }
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
            Dom::Opaque(column_type::STRING, own.as_ref().into())
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

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Sample, build};
    use super::*;

    pub fn text(h: &Histogram, column: &SqlColumn) -> String {
        let mut out = Vec::new();
        to_json(h, column).expect("is written").view().write_text(&mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    pub fn of(ty: SqlType, values: &[DatumBuf], buckets: u16) -> (Histogram, SqlColumn) {
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
}
