//! How a table's rows stand in events: columns by their place, types and values in MySQL's forms.
//!
//! Columns that a functional index has made are left out, as by MySQL: no statement can name them, and a replica has its own.

use super::json_changes;
use crate::meta::{SqlTable, TableMeta};
use crate::value::json::logged::to_logged;
use crate::value::temporal::MICROS;
use crate::value::types::LobKind;
use crate::value::{Collation, Date, DateTime, Decimal, SqlType};
use std::borrow::Cow;
use weir_binlog::encode;
use weir_binlog::table_map::{Column, ColumnType, TableMap};
use weir_binlog::value::{self as logged, Value as Logged};
use weir_engine::row::{Datum, RowView};

/// `binlog_row_image`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Image {
    Minimal,
    NoBlob,
    #[default]
    Full,
}

/// A column in events.
struct Shown {
    /// Its place in the table.
    at: usize,
    ty: SqlType,
    form: ColumnType,
    /// It tells rows apart: a column of the primary key, or of the key that stands in for it.
    in_key: bool,
}

/// Of each document of a table, what was changed in it, as the events have it; `None` where it is written whole.
pub type Changes = Vec<Option<Vec<u8>>>;

impl Shown {
    fn is_document(&self) -> bool {
        matches!(self.form, ColumnType::Json { .. })
    }
}

pub struct Layout {
    pub id: u64,
    columns: Vec<Shown>,
    has_key: bool,
    map: TableMap,
}

fn form_of(ty: &SqlType) -> ColumnType {
    let bytes_of = |chars: u32, c: Collation| {
        (u64::from(chars) * c.charset().max_char_bytes() as u64).min(u64::from(u16::MAX)) as u16
    };
    match *ty {
        SqlType::Null => ColumnType::Char { bytes: 0 },
        SqlType::Int { kind, .. } => ColumnType::Int { bytes: kind.bytes() },
        SqlType::Decimal { precision, scale, .. } => ColumnType::Decimal { precision, scale },
        SqlType::Float { .. } => ColumnType::Float,
        SqlType::Double { .. } => ColumnType::Double,
        SqlType::Char { chars, collation } => {
            ColumnType::Char { bytes: bytes_of(chars, collation) }
        }
        SqlType::Varchar { chars, collation } => {
            ColumnType::Varchar { bytes: bytes_of(chars, collation) }
        }
        SqlType::Text { kind, .. } => ColumnType::Blob {
            length: match kind {
                LobKind::Tiny => 1,
                LobKind::Normal => 2,
                LobKind::Medium => 3,
                LobKind::Long => 4,
            },
        },
        SqlType::Date => ColumnType::Date,
        SqlType::Time { fsp } => ColumnType::Time { fsp },
        SqlType::DateTime { fsp } => ColumnType::DateTime { fsp },
        SqlType::Timestamp { fsp } => ColumnType::Timestamp { fsp },
        SqlType::Year => ColumnType::Year,
        SqlType::Bit { bits } => ColumnType::Bit { bits },
        SqlType::Enum { members, .. } => {
            ColumnType::Enum { bytes: if members.len() > 255 { 2 } else { 1 } }
        }
        SqlType::Set { members, .. } => ColumnType::Set {
            bytes: match members.len().div_ceil(8) {
                n @ 0..=4 => n.max(1) as u8,
                _ => 8,
            },
        },
        SqlType::Json => ColumnType::Json { length: 4 },
        SqlType::Geometry { .. } => ColumnType::Geometry { length: 4 },
    }
}

/// The columns of the key that tells rows apart: the primary key, else the first unique one without NULLs and prefixes.
fn key_of(meta: &TableMeta) -> Option<Vec<usize>> {
    let whole = |parts: &[crate::meta::IndexPart]| {
        parts.iter().all(|p| p.prefix.is_none() && !meta.columns[p.column].hidden)
    };
    let not_null =
        |parts: &[crate::meta::IndexPart]| parts.iter().all(|p| !meta.columns[p.column].nullable);
    let fits = |i: &&crate::meta::SqlIndex| {
        i.unique && not_null(&i.parts) && whole(&i.parts) && !i.is_multi_valued()
    };
    let key = meta.primary().or_else(|| meta.indexes.iter().find(fits))?;
    Some(key.parts.iter().map(|p| p.column).collect())
}

impl Layout {
    pub fn of(table: &SqlTable) -> Layout {
        let key = key_of(&table.meta).unwrap_or_default();
        let all = table.meta.columns.iter().enumerate().filter(|(_, c)| !c.hidden);
        let columns: Vec<Shown> = all
            .map(|(at, c)| Shown { at, ty: c.ty, form: form_of(&c.ty), in_key: key.contains(&at) })
            .collect();
        let place = |at: usize| columns.iter().position(|c| c.at == at);
        let primary = table.meta.primary().map(|p| p.parts.iter().map(|p| p.column));
        let map = TableMap {
            id: table.engine.def.id,
            flags: 1,
            schema: table.schema().to_owned(),
            table: table.name().to_owned(),
            primary_key: primary.into_iter().flatten().filter_map(place).collect(),
            columns: columns.iter().map(|c| shown_of(&table.meta, c)).collect(),
        };
        Layout { id: table.engine.def.id, has_key: !key.is_empty(), columns, map }
    }

    /// The body of TABLE_MAP. Errors are the codec's, of types that it has no form for.
    pub fn table_map(&self, full: bool) -> weir_binlog::Result<Vec<u8>> {
        let mut out = Vec::new();
        encode::table_map_with(&self.map, full, &mut out)?;
        Ok(out)
    }

    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Which columns the image before a change has, and the one behind it.
    pub fn images(
        &self,
        image: Image,
        table: &SqlTable,
        (old, new): (Option<&[u8]>, Option<&[u8]>),
    ) -> (Vec<bool>, Vec<bool>) {
        let all = vec![true; self.columns.len()];
        let (Some(old), false) = (old, image == Image::Full) else { return (all.clone(), all) };
        let before = RowView::new(&table.engine.layout, old);
        let after = new.map(|n| RowView::new(&table.engine.layout, n));
        let is_blob = |c: &Shown| {
            matches!(
                c.form,
                ColumnType::Blob { .. } | ColumnType::Json { .. } | ColumnType::Geometry { .. }
            )
        };
        let changed = |c: &Shown| after.as_ref().is_none_or(|a| a.get(c.at) != before.get(c.at));
        let told = |c: &Shown| match image {
            Image::Minimal => !self.has_key || c.in_key,
            _ => !self.has_key || c.in_key || !is_blob(c),
        };
        let of_after = |c: &Shown| match image {
            Image::Minimal => changed(c),
            _ => !is_blob(c) || changed(c),
        };
        (self.columns.iter().map(told).collect(), self.columns.iter().map(of_after).collect())
    }

    /// The documents among the columns of the image behind a change that are shorter as changes. `None`: there is none.
    pub fn changes(
        &self,
        table: &SqlTable,
        (old, new): (&[u8], &[u8]),
        present: &[bool],
    ) -> Option<Changes> {
        let before = RowView::new(&table.engine.layout, old);
        let after = RowView::new(&table.engine.layout, new);
        let documents = self.columns.iter().zip(present).filter(|(c, _)| c.is_document());
        let all: Changes = documents
            .map(|(c, present)| match (before.get(c.at), after.get(c.at)) {
                (Datum::Bytes(old), Datum::Bytes(new)) if *present => json_changes::of(old, new),
                _ => None,
            })
            .collect();
        all.iter().any(Option::is_some).then_some(all)
    }

    /// One image of a row with the columns that are `present`, documents among them as `changes` where there are any of theirs.
    pub fn image(
        &self,
        table: &SqlTable,
        row: &[u8],
        present: &[bool],
        changes: Option<&Changes>,
        out: &mut Vec<u8>,
    ) -> weir_binlog::Result<()> {
        if let Some(changes) = changes {
            encode::partial_documents(changes.iter().map(Option::is_some), out);
        }
        let mut documents = 0;
        let view = RowView::new(&table.engine.layout, row);
        let shown = || self.columns.iter().zip(present).filter(|(_, p)| **p).map(|(c, _)| c);
        let nulls: Vec<bool> = shown().map(|c| view.get(c.at).is_null()).collect();
        out.extend_from_slice(&encode::bits(&nulls));
        for (c, present) in self.columns.iter().zip(present) {
            let changed = changes.filter(|_| c.is_document());
            let changed = changed.and_then(|all| all[documents].as_deref());
            documents += usize::from(c.is_document());
            let datum = view.get(c.at);
            match changed {
                _ if !*present || datum.is_null() => {}
                Some(changes) => encode::document_changes(changes, out),
                None => put(c, datum, out)?,
            }
        }
        Ok(())
    }
}

fn shown_of(meta: &TableMeta, c: &Shown) -> Column {
    let column = &meta.columns[c.at];
    let has_sign = matches!(
        c.form,
        ColumnType::Int { .. }
            | ColumnType::Float
            | ColumnType::Double
            | ColumnType::Decimal { .. }
    );
    let members = match c.ty {
        SqlType::Enum { members, .. } | SqlType::Set { members, .. } => {
            members.names().iter().map(|m| m.to_vec()).collect()
        }
        _ => Vec::new(),
    };
    Column {
        ty: c.form,
        nullable: column.nullable,
        unsigned: has_sign.then(|| c.ty.is_unsigned()),
        collation: c.ty.collation().map(Collation::id),
        name: Some(column.name.clone()),
        members,
    }
}

fn put(c: &Shown, datum: Datum<'_>, out: &mut Vec<u8>) -> weir_binlog::Result<()> {
    let date = |d: Date| logged::Date { year: d.year, month: d.month, day: d.day };
    let value = match (c.ty, datum) {
        (SqlType::Decimal { scale, .. }, Datum::Bytes(b)) => {
            Logged::Decimal(Decimal::from_fixed(b, scale).to_string())
        }
        (SqlType::Float { .. }, Datum::Float(x)) => Logged::Float(x as f32),
        (_, Datum::Float(x)) => Logged::Double(x),
        (SqlType::Year, Datum::UInt(y)) => Logged::Year(if y == 0 { 0 } else { y as u16 + 1900 }),
        (SqlType::Bit { .. }, Datum::UInt(n)) => Logged::Bit(n),
        (SqlType::Enum { .. }, Datum::UInt(n)) => Logged::Enum(n as u16),
        (SqlType::Set { .. }, Datum::UInt(n)) => Logged::Set(n),
        (SqlType::Date, Datum::UInt(n)) => Logged::Date(date(Date::unpack(n as u32))),
        (SqlType::Time { fsp }, Datum::Int(n)) => Logged::Time(time(n, fsp)),
        (SqlType::DateTime { fsp }, Datum::UInt(n)) => {
            let d = DateTime::unpack(n, fsp);
            Logged::DateTime(logged::DateTime {
                date: date(d.date),
                hour: d.hour,
                minute: d.minute,
                second: d.second,
                micros: d.micro,
            })
        }
        (SqlType::Timestamp { fsp: 0 }, Datum::UInt(n)) => {
            Logged::Timestamp { seconds: n as u32, micros: 0 }
        }
        (SqlType::Timestamp { .. }, Datum::UInt(n)) => {
            let micros = MICROS as u64;
            Logged::Timestamp { seconds: (n / micros) as u32, micros: (n % micros) as u32 }
        }
        (SqlType::Json, Datum::Bytes(b)) => {
            let too_long = |_| weir_binlog::Error::Malformed("a document");
            let doc = to_logged(b).map_err(too_long)?;
            return encode::value(c.form, &Logged::Json(&doc), out);
        }
        (SqlType::Geometry { .. }, Datum::Bytes(b)) => Logged::Geometry(b),
        (SqlType::Char { collation, .. }, Datum::Bytes(b)) if !collation.charset().is_wide() => {
            Logged::Bytes(trimmed(b, collation))
        }
        (ty, Datum::Bytes(b)) => {
            // As the set has it; texts of wide units are UTF-8 here.
            let own = ty.collation().map_or(Cow::Borrowed(b), |c| c.charset().own_bytes(b));
            return encode::value(c.form, &Logged::Bytes(&own), out);
        }
        (_, Datum::Int(n)) => Logged::Int { value: n, bytes: 8 },
        (_, Datum::UInt(n)) => Logged::Int { value: n as i64, bytes: 8 },
        (_, Datum::Null) => return Ok(()),
    };
    encode::value(c.form, &value, out)
}

/// CHAR and BINARY stand in events without what they are filled up with.
fn trimmed(b: &[u8], collation: Collation) -> &[u8] {
    if !collation.is_binary() {
        return b;
    }
    let end = b.iter().rposition(|x| *x != 0).map_or(0, |at| at + 1);
    &b[..end]
}

fn time(n: i64, fsp: u8) -> logged::Time {
    let micros = if fsp == 0 { n * MICROS } else { n };
    let whole = micros.unsigned_abs();
    let seconds = whole / MICROS as u64;
    logged::Time {
        negative: micros < 0,
        hours: (seconds / 3600) as u16,
        minutes: (seconds / 60 % 60) as u8,
        seconds: (seconds % 60) as u8,
        micros: (whole % MICROS as u64) as u32,
    }
}
