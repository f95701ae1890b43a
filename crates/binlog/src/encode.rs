//! Events into bytes: what a source of Weir's writes, and what stands in for one in tests.
//!
//! Each function appends the body of an event; [`Writer`] puts header and checksum around it. The bodies are those of MySQL 8.0.

use crate::decimal;
use crate::error::{Error, Result};
use crate::event::{CHECKSUM_LEN, Checksum, Format, HEADER_LEN, Header, VERSION_LEN, crc32};
use crate::gtid::Begin;
use crate::kind::Kind;
use crate::query::{Settings, var};
use crate::rows::{Image, flag};
use crate::set::GtidSet;
use crate::table_map::{ColumnType, TableMap, field};
use crate::value::{Date, DateTime, JsonDiff, JsonOp, Time, Value};
use weir_wire::{put_lenenc_int, put_lenenc_str};

/// Bit of the options of an update's image: documents may be written as changes.
const PARTIAL_JSON: u64 = 1;

/// Writes the events of one file or stream.
#[derive(Clone, Debug)]
pub struct Writer {
    pub server_id: u32,
    pub checksum: Checksum,
    /// Where the next event begins.
    pub position: u32,
}

impl Writer {
    /// Appends an event and moves the position behind it. An artificial one stands in no file: its position is zero.
    pub fn event(
        &mut self,
        (kind, flags, timestamp): (Kind, u16, u32),
        body: &[u8],
        out: &mut Vec<u8>,
    ) {
        let sum = if self.checksum == Checksum::Crc32 { CHECKSUM_LEN } else { 0 };
        let len = (HEADER_LEN + body.len() + sum) as u32;
        let artificial = flags & crate::event::flag::ARTIFICIAL != 0;
        if !artificial {
            self.position = self.position.saturating_add(len);
        }
        let end = if artificial { 0 } else { self.position };
        let start = out.len();
        let header = Header { timestamp, kind, server_id: self.server_id, len, end, flags };
        header.encode(out);
        out.extend_from_slice(body);
        if sum > 0 {
            let sum = crc32(&out[start..]);
            out.extend_from_slice(&sum.to_le_bytes());
        }
    }
}

/// Length of the fixed part of each type, by type less one, as MySQL 8.0 writes them; zero for types that it does not write.
const FIXED: [u8; 41] = [
    0, 13, 0, 8, 0, 0, 0, 0, 4, 0, 4, 0, 0, 0, 98, 0, 4, 26, 8, 0, 0, 0, 8, 8, 8, 2, 0, 0, 0, 10,
    10, 10, 42, 42, 0, 18, 52, 0, 10, 40, 0,
];

/// FORMAT_DESCRIPTION. Its event has a checksum field whatever the log has, which [`Writer`] fills with [`Checksum::Crc32`].
pub fn format_description(version: &str, checksum: Checksum, out: &mut Vec<u8>) {
    out.extend_from_slice(&4u16.to_le_bytes());
    let mut name = version.as_bytes().to_vec();
    name.resize(VERSION_LEN, 0);
    out.extend_from_slice(&name);
    out.extend_from_slice(&0u32.to_le_bytes());
    out.push(HEADER_LEN as u8);
    out.extend_from_slice(&FIXED);
    out.push(u8::from(checksum == Checksum::Crc32));
}

/// What a reader knows of a log that begins with [`format_description`].
pub fn format(version: &str, checksum: Checksum) -> Format {
    Format { server_version: version.to_owned(), checksum, fixed: FIXED.to_vec() }
}

pub fn rotate(file: &str, position: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&position.to_le_bytes());
    out.extend_from_slice(file.as_bytes());
}

pub fn previous_gtids(set: &GtidSet, out: &mut Vec<u8>) {
    set.encode(out);
}

/// GTID or ANONYMOUS_GTID. Errors: the identifier has a tag, which only GTID_TAGGED can carry.
pub fn begin(begin: &Begin, out: &mut Vec<u8>) -> Result<()> {
    out.push(u8::from(begin.may_have_statements));
    match &begin.gtid {
        Some(gtid) if !gtid.source.tag.is_empty() => {
            return Err(Error::Refused("an identifier with a tag".into()));
        }
        Some(gtid) => {
            out.extend_from_slice(&gtid.source.uuid);
            out.extend_from_slice(&gtid.number.to_le_bytes());
        }
        None => out.extend_from_slice(&[0; 24]),
    }
    out.push(2);
    out.extend_from_slice(&begin.last_committed.to_le_bytes());
    out.extend_from_slice(&begin.sequence_number.to_le_bytes());
    let differs = begin.original_commit != begin.immediate_commit;
    let immediate = begin.immediate_commit | if differs { 1 << 55 } else { 0 };
    out.extend_from_slice(&immediate.to_le_bytes()[..7]);
    if differs {
        out.extend_from_slice(&begin.original_commit.to_le_bytes()[..7]);
    }
    put_lenenc_int(out, begin.length);
    let differs = begin.original_version != begin.immediate_version;
    let immediate = begin.immediate_version | if differs { 1 << 31 } else { 0 };
    out.extend_from_slice(&immediate.to_le_bytes());
    if differs {
        out.extend_from_slice(&begin.original_version.to_le_bytes());
    }
    Ok(())
}

pub fn query(schema: &[u8], settings: &Settings<'_>, text: &[u8], out: &mut Vec<u8>) {
    let mut vars = Vec::new();
    put_settings(settings, &mut vars);
    out.extend_from_slice(&[0; 8]);
    out.push(schema.len() as u8);
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(&(vars.len() as u16).to_le_bytes());
    out.extend_from_slice(&vars);
    out.extend_from_slice(schema);
    out.push(0);
    out.extend_from_slice(text);
}

fn put_settings(s: &Settings<'_>, out: &mut Vec<u8>) {
    let mut put = |var: u8, value: &[u8]| {
        out.push(var);
        out.extend_from_slice(value);
    };
    let short = |text: &[u8]| {
        let mut v = vec![text.len() as u8];
        v.extend_from_slice(text);
        v
    };
    if let Some(n) = s.flags2 {
        put(var::FLAGS2, &n.to_le_bytes());
    }
    if let Some(n) = s.sql_mode {
        put(var::SQL_MODE, &n.to_le_bytes());
    }
    if let Some((a, b)) = s.auto_increment {
        put(var::AUTO_INCREMENT, &[a.to_le_bytes(), b.to_le_bytes()].concat());
    }
    if let Some((a, b, c)) = s.charset {
        put(var::CHARSET, &[a, b, c].map(u16::to_le_bytes).concat());
    }
    if let Some(zone) = s.time_zone {
        put(var::TIME_ZONE, &short(zone));
    }
    if let Some(n) = s.lc_time_names {
        put(var::LC_TIME_NAMES, &n.to_le_bytes());
    }
    if let Some(n) = s.collation_database {
        put(var::CHARSET_DATABASE, &n.to_le_bytes());
    }
    if let Some((user, host)) = s.invoker {
        put(var::INVOKER, &[short(user), short(host)].concat());
    }
    if let Some(n) = s.micros {
        put(var::MICROSECONDS, &n.to_le_bytes()[..3]);
    }
    if let Some(on) = s.explicit_defaults {
        put(var::EXPLICIT_DEFAULTS, &[u8::from(on)]);
    }
    if let Some(n) = s.ddl_xid {
        put(var::DDL_XID, &n.to_le_bytes());
    }
    if let Some(n) = s.default_utf8mb4 {
        put(var::DEFAULT_UTF8MB4, &n.to_le_bytes());
    }
}

/// TABLE_MAP, with whether numbers have a sign, which MySQL always tells.
pub fn table_map(map: &TableMap, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(&map.id.to_le_bytes()[..6]);
    out.extend_from_slice(&map.flags.to_le_bytes());
    for name in [&map.schema, &map.table] {
        put_lenenc_str(out, name.as_bytes());
        out.push(0);
    }
    put_lenenc_int(out, map.columns.len() as u64);
    let mut meta = Vec::new();
    for column in &map.columns {
        out.push(put_type(column.ty, &mut meta));
    }
    put_lenenc_str(out, &meta);
    let nullable: Vec<bool> = map.columns.iter().map(|c| c.nullable).collect();
    out.extend_from_slice(&bits(&nullable));
    let signs: Vec<bool> = map.columns.iter().filter_map(|c| c.unsigned).collect();
    if !signs.is_empty() {
        let bytes: Vec<u8> = bits(&signs).iter().map(|b| b.reverse_bits()).collect();
        out.push(1);
        put_lenenc_str(out, &bytes);
    }
    Ok(())
}

/// TABLE_MAP with the collations of texts, and where it is to be `full` with names, members and the primary key: MySQL's
/// `binlog_row_metadata`.
pub fn table_map_with(map: &TableMap, full: bool, out: &mut Vec<u8>) -> Result<()> {
    table_map(map, out)?;
    let mut put = |number: u8, bytes: &[u8]| {
        if !bytes.is_empty() {
            out.push(number);
            put_lenenc_str(out, bytes);
        }
    };
    let collations = |of: fn(ColumnType) -> bool| {
        let mut bytes = Vec::new();
        let columns = map.columns.iter().filter(|c| of(c.ty));
        columns.for_each(|c| put_lenenc_int(&mut bytes, u64::from(c.collation.unwrap_or(63))));
        bytes
    };
    put(field::COLUMN_CHARSET, &collations(ColumnType::is_text));
    if full {
        let mut names = Vec::new();
        let all = map.columns.iter().map(|c| c.name.as_deref().unwrap_or(""));
        all.for_each(|n| put_lenenc_str(&mut names, n.as_bytes()));
        put(field::COLUMN_NAME, &names);
        let members = |of: fn(ColumnType) -> bool| {
            let mut bytes = Vec::new();
            for c in map.columns.iter().filter(|c| of(c.ty)) {
                put_lenenc_int(&mut bytes, c.members.len() as u64);
                c.members.iter().for_each(|m| put_lenenc_str(&mut bytes, m));
            }
            bytes
        };
        put(field::SET_STR_VALUE, &members(|t| matches!(t, ColumnType::Set { .. })));
        put(field::ENUM_STR_VALUE, &members(|t| matches!(t, ColumnType::Enum { .. })));
        let mut key = Vec::new();
        map.primary_key.iter().for_each(|c| put_lenenc_int(&mut key, *c as u64));
        put(field::SIMPLE_PRIMARY_KEY, &key);
    }
    put(field::LIST_COLUMN_CHARSET, &collations(ColumnType::is_list));
    Ok(())
}

/// The number of a type; what else there is to say of it goes to `meta`.
fn put_type(ty: ColumnType, meta: &mut Vec<u8>) -> u8 {
    use ColumnType::*;
    match ty {
        Int { bytes } => match bytes {
            1 => 1,
            2 => 2,
            3 => 9,
            4 => 3,
            _ => 8,
        },
        Float => put(meta, &[4], 4),
        Double => put(meta, &[8], 5),
        Decimal { precision, scale } => put(meta, &[precision, scale], 246),
        Year => 13,
        Char { bytes } => {
            let hidden = ((bytes >> 4) as u8 & 0x30) ^ 0x30;
            put(meta, &[254 & !0x30 | hidden, bytes as u8], 254)
        }
        Varchar { bytes } => put(meta, &bytes.to_le_bytes(), 15),
        Blob { length } => put(meta, &[length], 252),
        Json { length } => put(meta, &[length], 245),
        Geometry { length } => put(meta, &[length], 255),
        Enum { bytes } => put(meta, &[247, bytes], 254),
        Set { bytes } => put(meta, &[248, bytes], 254),
        Bit { bits } => put(meta, &[bits % 8, bits / 8], 16),
        Date => 10,
        Time { fsp } => put(meta, &[fsp], 19),
        DateTime { fsp } => put(meta, &[fsp], 18),
        Timestamp { fsp } => put(meta, &[fsp], 17),
        OldTime => 11,
        OldDateTime => 12,
        OldTimestamp => 7,
    }
}

fn put(meta: &mut Vec<u8>, bytes: &[u8], code: u8) -> u8 {
    meta.extend_from_slice(bytes);
    code
}

/// The first one is the lowest bit.
pub fn bits(flags: &[bool]) -> Vec<u8> {
    let byte = |c: &[bool]| c.iter().rev().fold(0, |n, b| n << 1 | u8::from(*b));
    flags.chunks(8).map(byte).collect()
}

/// What the image behind a partial update begins with: for each document of the table whether it is written as changes.
pub fn partial_documents(changed: impl Iterator<Item = bool>, out: &mut Vec<u8>) {
    put_lenenc_int(out, PARTIAL_JSON);
    out.extend_from_slice(&bits(&changed.collect::<Vec<bool>>()));
}

/// A change of a document.
pub fn document_change(diff: &JsonDiff<'_>, out: &mut Vec<u8>) {
    out.push(match diff.op {
        JsonOp::Replace => 0,
        JsonOp::Insert => 1,
        JsonOp::Remove => 2,
    });
    put_lenenc_str(out, diff.path);
    if diff.op != JsonOp::Remove {
        put_lenenc_str(out, diff.value);
    }
}

/// The changes of a document, as a value among others.
pub fn document_changes(changes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(changes.len() as u32).to_le_bytes());
    out.extend_from_slice(changes);
}

/// A rows event of version 2, as far as its rows: `images` are the sets of columns of one row, one for each of its images.
pub fn rows_head(table: u64, ends: bool, images: &[&Image<'_>], out: &mut Vec<u8>) {
    out.extend_from_slice(&table.to_le_bytes()[..6]);
    let flags = if ends { flag::STATEMENT_END } else { 0 };
    out.extend_from_slice(&flags.to_le_bytes());
    out.extend_from_slice(&2u16.to_le_bytes());
    put_lenenc_int(out, images.first().map_or(0, |i| i.len()) as u64);
    for image in images {
        let present: Vec<bool> = image.iter().map(Option::is_some).collect();
        out.extend_from_slice(&bits(&present));
    }
}

/// One image of a row: its columns must be those that the event's head says. Errors: a value of another type than its column.
pub fn image(map: &TableMap, image: &Image<'_>, out: &mut Vec<u8>) -> Result<()> {
    let present = || map.columns.iter().zip(image).filter_map(|(c, v)| Some((c, v.as_ref()?)));
    let nulls: Vec<bool> = present().map(|(_, v)| *v == Value::Null).collect();
    out.extend_from_slice(&bits(&nulls));
    for (column, value) in present().filter(|(_, v)| **v != Value::Null) {
        self::value(column.ty, value, out)?;
    }
    Ok(())
}

/// A value that is not NULL, as it stands in an image.
pub fn value(ty: ColumnType, value: &Value<'_>, out: &mut Vec<u8>) -> Result<()> {
    use ColumnType as T;
    let put_number = |n: u64, bytes: u8, out: &mut Vec<u8>| {
        out.extend_from_slice(&n.to_le_bytes()[..usize::from(bytes.min(8))]);
    };
    match (ty, value) {
        (T::Int { bytes }, Value::Int { value, .. }) => put_number(*value as u64, bytes, out),
        (T::Float, Value::Float(x)) => out.extend_from_slice(&x.to_le_bytes()),
        (T::Double, Value::Double(x)) => out.extend_from_slice(&x.to_le_bytes()),
        (T::Decimal { precision, scale }, Value::Decimal(text)) => {
            decimal::encode(text, precision, scale, out)?;
        }
        (T::Year, Value::Year(y)) => out.push(y.checked_sub(1900).unwrap_or(0) as u8),
        (T::Char { bytes } | T::Varchar { bytes }, Value::Bytes(b)) => {
            put_number(b.len() as u64, if bytes > 255 { 2 } else { 1 }, out);
            out.extend_from_slice(b);
        }
        (T::Blob { length }, Value::Bytes(b))
        | (T::Json { length }, Value::Json(b))
        | (T::Geometry { length }, Value::Geometry(b)) => {
            put_number(b.len() as u64, length, out);
            out.extend_from_slice(b);
        }
        (T::Enum { bytes }, Value::Enum(n)) => put_number(u64::from(*n), bytes, out),
        (T::Set { bytes }, Value::Set(n)) => put_number(*n, bytes, out),
        (T::Bit { bits }, Value::Bit(n)) => {
            out.extend_from_slice(&n.to_be_bytes()[8 - usize::from(bits.div_ceil(8)).min(8)..]);
        }
        (T::Date, Value::Date(d)) => {
            let n = u32::from(d.year) << 9 | u32::from(d.month) << 5 | u32::from(d.day);
            put_number(u64::from(n), 3, out);
        }
        (T::Time { fsp }, Value::Time(t)) => put_time(t, fsp, out),
        (T::DateTime { fsp }, Value::DateTime(d)) => put_datetime(d, fsp, out),
        (T::Timestamp { fsp }, Value::Timestamp { seconds, micros }) => {
            out.extend_from_slice(&seconds.to_be_bytes());
            put_fraction(*micros, fsp, out);
        }
        _ => return Err(Error::Malformed("a value of another type than its column")),
    }
    Ok(())
}

/// The number that a fraction is written as, and its bytes.
fn scaled(micros: u32, fsp: u8) -> (u32, u8) {
    let places = fsp.min(6).div_ceil(2);
    (micros / [1_000_000, 10_000, 100, 1][usize::from(places)], places)
}

fn put_fraction(micros: u32, fsp: u8, out: &mut Vec<u8>) {
    let (n, places) = scaled(micros, fsp);
    out.extend_from_slice(&n.to_be_bytes()[4 - usize::from(places)..]);
}

fn put_time(t: &Time, fsp: u8, out: &mut Vec<u8>) {
    let (fraction, places) = scaled(t.micros, fsp);
    let bits = 8 * u32::from(places);
    let whole = i64::from(t.hours) << 12 | i64::from(t.minutes) << 6 | i64::from(t.seconds);
    let packed = whole << bits | i64::from(fraction);
    let packed = if t.negative { -packed } else { packed } + (0x80_0000 << bits);
    out.extend_from_slice(&packed.to_be_bytes()[8 - 3 - usize::from(places)..]);
}

fn put_datetime(d: &DateTime, fsp: u8, out: &mut Vec<u8>) {
    let Date { year, month, day } = d.date;
    let days = (u64::from(year) * 13 + u64::from(month)) << 5 | u64::from(day);
    let clock = u64::from(d.hour) << 12 | u64::from(d.minute) << 6 | u64::from(d.second);
    let packed = (days << 17 | clock) + 0x80_0000_0000;
    out.extend_from_slice(&packed.to_be_bytes()[3..]);
    put_fraction(d.micros, fsp, out);
}
