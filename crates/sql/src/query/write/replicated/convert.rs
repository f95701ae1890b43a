//! Values of an event as values of this table's columns.
//!
//! The types must be the same, or one to which `replica_type_conversions` lets the other be converted; 13146 where they are not.

use super::How;
use super::json::changed;
use super::relation::fits;
use crate::ddl::refused::value_error;
use crate::meta::{SqlColumn, SqlTable};
use crate::query::exec::Runner;
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::value::json::logged::from_logged;
use crate::value::temporal::{Date, DateTime};
use crate::value::{Collation, DatumBuf, Decimal, SqlType, StoreCtx, Value, ValueError};
use std::sync::Arc;
use weir_binlog::table_map::{Column, ColumnType, TableMap};
use weir_binlog::value::Value as Logged;
use weir_engine::row::{Charset, RowView};

/// A column of this table and its value.
pub type Given = (usize, DatumBuf);

const MICROS: i64 = 1_000_000;

/// For each column of the event the column of this table, if it has one that takes values.
pub struct Converter<'a> {
    table: &'a SqlTable,
    map: &'a TableMap,
    columns: Vec<Option<usize>>,
}

impl<'a> Converter<'a> {
    pub fn new(table: &'a Arc<SqlTable>, map: &'a TableMap, how: How) -> Result<Self, SqlError> {
        // Hidden columns of keys over expressions are no columns to the source.
        let own = || table.meta.columns.iter().enumerate().filter(|(_, c)| !c.hidden);
        let mut columns: Vec<Option<usize>> = Vec::with_capacity(map.columns.len());
        for (n, (theirs, (at, column))) in map.columns.iter().zip(own()).enumerate() {
            if !column.is_generated() && !fits(theirs, &column.ty, how) {
                return Err(no_conversion(table, n, theirs, column));
            }
            columns.push((!column.is_generated()).then_some(at));
        }
        columns.resize(map.columns.len(), None);
        Ok(Converter { table, map, columns })
    }

    /// The values that an image has. `old`: the row that they change.
    pub fn image(
        &self,
        image: &[Option<Logged<'_>>],
        old: Option<&RowView<'_>>,
        r: &mut Runner<'_, '_>,
    ) -> Run<Vec<Given>> {
        let mut given = Vec::with_capacity(image.len());
        for ((logged, at), theirs) in image.iter().zip(&self.columns).zip(&self.map.columns) {
            if let (Some(logged), Some(at)) = (logged, *at) {
                given.push((at, self.value(at, theirs, logged, old, r)?));
            }
        }
        Ok(given)
    }

    /// Stores a value as a statement does that is not strict.
    pub fn store(&self, at: usize, v: &Value<'_>, r: &mut Runner<'_, '_>) -> Run<DatumBuf> {
        let column = &self.table.meta.columns[at];
        let cx = &mut r.ev.cx;
        let mut sx = StoreCtx {
            column: &column.name,
            table: Some(self.table.name()),
            row: 1,
            strict: false,
            mode: cx.mode,
            tz: cx.tz,
            now_micros: cx.now_micros,
            warnings: &mut cx.warnings,
            session: None,
        };
        Ok(column.ty.store(v, &mut sx)?)
    }

    fn value(
        &self,
        at: usize,
        theirs: &Column,
        logged: &Logged<'_>,
        old: Option<&RowView<'_>>,
        r: &mut Runner<'_, '_>,
    ) -> Run<DatumBuf> {
        let column = &self.table.meta.columns[at];
        let ty = column.ty;
        let v = match logged {
            Logged::Null => {
                return match column.nullable {
                    true => Ok(DatumBuf::Null),
                    false => Err(value_error(ValueError::bad_null(&column.name)).into()),
                };
            }
            Logged::Int { value, bytes } => {
                let unsigned = theirs.unsigned.unwrap_or(ty.is_unsigned());
                match unsigned {
                    true => Value::UInt(*value as u64 & (u64::MAX >> (64 - 8 * u32::from(*bytes)))),
                    false => Value::Int(*value),
                }
            }
            Logged::Float(x) => Value::Double(f64::from(*x)),
            Logged::Double(x) => Value::Double(*x),
            Logged::Decimal(text) => match Decimal::parse(text.as_bytes()).value {
                Some(d) => Value::Decimal(d),
                None => return Err(SqlError::internal("a decimal of an event").into()),
            },
            Logged::Bytes(b) => {
                let own = ty.collation().unwrap_or(Collation::Binary);
                let known = theirs.collation.and_then(Collation::by_id);
                let from = known.filter(|_| !own.is_binary()).unwrap_or(own);
                let read_as = if from.charset() == own.charset() { own } else { from };
                // Texts of sets with wide units stand in events as those units, and are UTF-8 here.
                match from.charset().is_wide() {
                    true => Value::text(Charset::Binary.convert(b, from.charset()).0, read_as),
                    false => Value::text(*b, read_as),
                }
            }
            Logged::Enum(n) => return Ok(DatumBuf::UInt(u64::from(*n))),
            Logged::Set(n) | Logged::Bit(n) => return Ok(DatumBuf::UInt(*n)),
            Logged::Year(0) => return Ok(DatumBuf::UInt(0)),
            Logged::Year(y) => return Ok(DatumBuf::UInt(u64::from(y.saturating_sub(1900)))),
            Logged::Json(b) => Value::Json(from_logged(b).to_json()?),
            Logged::JsonDiff(diffs) => {
                let Some(old) = old else {
                    return Err(SqlError::internal("changes of a document without it").into());
                };
                Value::Json(changed(old.get(at), diffs)?)
            }
            Logged::Geometry(b) => Value::Bytes((*b).into()),
            temporal => return Ok(moment(temporal, &ty)),
        };
        self.store(at, &v, r)
    }
}

/// Dates and times as they are stored, whatever modes say of dates that are none.
fn moment(logged: &Logged<'_>, ty: &SqlType) -> DatumBuf {
    let cut = |micros: u32, fsp: u8| {
        let unit = 10u32.pow(u32::from(6 - fsp.min(6)));
        micros / unit * unit
    };
    let date = |d: &weir_binlog::value::Date| Date::new(d.year, d.month, d.day);
    match (logged, ty) {
        (Logged::Date(d), _) => DatumBuf::UInt(u64::from(date(d).pack())),
        (Logged::Time(t), SqlType::Time { fsp }) => {
            let whole =
                i64::from(t.hours) * 3600 + i64::from(t.minutes) * 60 + i64::from(t.seconds);
            let sign = if t.negative { -1 } else { 1 };
            match fsp {
                0 => DatumBuf::Int(sign * whole),
                fsp => DatumBuf::Int(sign * (whole * MICROS + i64::from(cut(t.micros, *fsp)))),
            }
        }
        (Logged::DateTime(d), SqlType::DateTime { fsp }) => {
            let d = DateTime {
                date: date(&d.date),
                hour: d.hour,
                minute: d.minute,
                second: d.second,
                micro: cut(d.micros, *fsp),
                fsp: *fsp,
                later: false,
            };
            DatumBuf::UInt(d.pack())
        }
        (Logged::Timestamp { seconds, micros }, SqlType::Timestamp { fsp }) => match fsp {
            0 => DatumBuf::UInt(u64::from(*seconds)),
            fsp => {
                DatumBuf::UInt(u64::from(*seconds) * MICROS as u64 + u64::from(cut(*micros, *fsp)))
            }
        },
        _ => DatumBuf::Null,
    }
}

/// 13146, as MySQL 8.0 tells it.
fn no_conversion(table: &SqlTable, n: usize, theirs: &Column, own: &SqlColumn) -> SqlError {
    let (schema, name) = (table.schema(), table.name());
    let text = format!(
        "Column {n} of table '{schema}.{name}' cannot be converted from type '{}' to type '{}'",
        told(&theirs.ty),
        own.ty.show_create()
    );
    SqlError::new(13146, text)
}

fn told(ty: &ColumnType) -> String {
    match ty {
        ColumnType::Int { bytes: 1 } => "tinyint".into(),
        ColumnType::Int { bytes: 2 } => "smallint".into(),
        ColumnType::Int { bytes: 3 } => "mediumint".into(),
        ColumnType::Int { bytes: 4 } => "int".into(),
        ColumnType::Int { .. } => "bigint".into(),
        ColumnType::Float => "float".into(),
        ColumnType::Double => "double".into(),
        ColumnType::Decimal { precision, scale } => format!("decimal({precision},{scale})"),
        ColumnType::Year => "year".into(),
        ColumnType::Char { bytes } => format!("char({bytes})"),
        ColumnType::Varchar { bytes } => format!("varchar({bytes})"),
        ColumnType::Blob { length } => {
            ["tinyblob", "blob", "mediumblob", "longblob"][usize::from(length - 1) & 3].into()
        }
        ColumnType::Json { .. } => "json".into(),
        ColumnType::Geometry { .. } => "geometry".into(),
        ColumnType::Enum { .. } => "enum".into(),
        ColumnType::Set { .. } => "set".into(),
        ColumnType::Bit { bits } => format!("bit({bits})"),
        ColumnType::Date => "date".into(),
        ColumnType::Time { .. } | ColumnType::OldTime => "time".into(),
        ColumnType::DateTime { .. } | ColumnType::OldDateTime => "datetime".into(),
        ColumnType::Timestamp { .. } | ColumnType::OldTimestamp => "timestamp".into(),
    }
}
