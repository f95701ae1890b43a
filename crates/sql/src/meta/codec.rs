//! Bytes of [`TableMeta`] and [`SchemaMeta`].
//!
//! ```text
//! table  = 3 | u16 collation | str comment | u16 n, n columns | u16 n, n indexes | u16 n, n options | u16 n, n checks | u16 n, n foreign
//! column = str name | type | u8 flags | default | u8 on-update fsp + 1, 0: none | str comment
//! index  = str name | u8 flags | str comment | u16 n, n parts(u16 column, u32 prefix, 0: none, u8 desc)
//! option = str name | str value          str = u32 length, UTF-8          schema = 1 | u16 collation
//! check  = name | str condition | u8 enforced          name = u32 number | str name, where the number is 0
//! foreign = name | u16 n, n (u16 column, str parent column) | str parent schema | str parent | u8 on delete | u8 on update
//! known = 7 | u16 n, n histograms (`histogram::codec`) | table of version 3 to 6
//! special = 6 | u16 n, n keys(str name | u8 kind | u8 visible | str comment | u16 n, n u16 column) | table of version 3 to 5
//! ```
//! Integers are little-endian. The first byte is the version. Version 1 of a table ends behind the options, version 2
//! behind the checks. Version 4 is written of partitioned tables alone: how they are partitioned stands behind version 3. So is version
//! 5, of those with subpartitions: these stand behind version 4. Version 6 is written of tables with FULLTEXT and SPATIAL keys alone: they
//! stand before all the rest, which has a version of its own behind them. So do histograms, in version 7, before those keys.

use super::foreign::{Action, ForeignKey, TablePlace};
use super::histogram::{Histogram, codec as histogram_codec};
use super::partition_codec;
use super::view::ViewMeta;
use super::{CheckConstraint, ConstraintName};
use super::{
    ColumnDefault, IndexPart, SchemaMeta, SpecialKey, SpecialKind, SqlColumn, SqlIndex, TableMeta,
    UsingClause,
};
use crate::session_api::SqlError;
use crate::value::{Collation, DatumBuf, GeoKind, IntKind, LobKind, Members, SqlType};
use std::sync::Arc;
use weir_syntax::ast::{ViewAlgorithm, ViewCheck};

const VERSION: u8 = 3;
const PARTITIONED: u8 = 4;
const SUBPARTITIONED: u8 = 5;
const SPECIAL: u8 = 6;
const HISTOGRAMS: u8 = 7;
const SCHEMA_VERSION: u8 = 1;
const VIEW_VERSION: u8 = 1;

const COLUMN_NULLABLE: u8 = 1;
const COLUMN_AUTO: u8 = 2;
const COLUMN_INVISIBLE: u8 = 4;
const COLUMN_COLLATED: u8 = 8;
const COLUMN_HIDDEN: u8 = 16;

const INDEX_UNIQUE: u8 = 1;
const INDEX_INVISIBLE: u8 = 2;
const INDEX_GENERATED: u8 = 16;
const INDEX_USING_BTREE: u8 = 4;
const INDEX_USING_HASH: u8 = 8;

/// The stored form of a table's metadata.
pub fn encode_table(table: &TableMeta) -> Vec<u8> {
    let version = match &table.partitions {
        None => VERSION,
        Some(p) if p.sub.is_none() => PARTITIONED,
        Some(_) => SUBPARTITIONED,
    };
    let mut w = Writer(Vec::new());
    if !table.histograms.is_empty() {
        w.u8(HISTOGRAMS);
        w.count(table.histograms.len());
        table.histograms.iter().for_each(|h| histogram_codec::put(&mut w, h));
    }
    if !table.special.is_empty() {
        w.u8(SPECIAL);
        w.count(table.special.len());
        table.special.iter().for_each(|k| put_special(&mut w, k));
    }
    w.u8(version);
    w.u16(table.collation.id());
    w.str(&table.comment);
    w.count(table.columns.len());
    for column in &table.columns {
        put_column(&mut w, column);
    }
    w.count(table.indexes.len());
    for index in &table.indexes {
        put_index(&mut w, index);
    }
    w.count(table.options.len());
    for (name, value) in &table.options {
        w.str(name);
        w.str(value);
    }
    w.count(table.checks.len());
    for check in &table.checks {
        put_name(&mut w, &check.name);
        w.str(&check.expr);
        w.u8(u8::from(check.enforced));
    }
    w.count(table.foreign.len());
    for key in &table.foreign {
        put_foreign(&mut w, key);
    }
    if let Some(p) = &table.partitions {
        partition_codec::put(&mut w, p);
        if let Some(sub) = &p.sub {
            partition_codec::put_sub(&mut w, p, sub);
        }
    }
    w.0
}

/// Reads what [`encode_table`] wrote.
pub fn decode_table(bytes: &[u8]) -> Result<TableMeta, SqlError> {
    let mut r = Reader(bytes);
    let mut version = r.version(HISTOGRAMS)?;
    let mut histograms = Vec::new();
    if version == HISTOGRAMS {
        histograms = r.list(|r| histogram_codec::get(r).map(Arc::new))?;
        version = r.version(SPECIAL)?;
    }
    let mut special = Vec::new();
    if version == SPECIAL {
        special = r.list(get_special)?;
        version = r.version(SUBPARTITIONED)?;
    }
    let collation = r.collation()?;
    let comment = r.str()?;
    let columns = r.list(get_column)?;
    let indexes = r.list(get_index)?;
    let options = r.list(|r| Ok((r.str()?, r.str()?)))?;
    let checks = if version > 1 { r.list(get_check)? } else { Vec::new() };
    let foreign = if version > 2 { r.list(get_foreign)? } else { Vec::new() };
    let mut partitions = match version {
        PARTITIONED.. => Some(Box::new(partition_codec::get(&mut r, columns.len())?)),
        _ => None,
    };
    if let (SUBPARTITIONED.., Some(p)) = (version, &mut partitions) {
        partition_codec::get_sub(&mut r, columns.len(), p)?;
    }
    let bad_part = |i: &SqlIndex| i.parts.iter().any(|p| p.column >= columns.len());
    let bad_key = |k: &ForeignKey| k.columns.iter().any(|c| *c >= columns.len());
    let bad_special =
        |k: &SpecialKey| k.columns.is_empty() || k.columns.iter().any(|c| *c >= columns.len());
    let bad_histogram = |h: &Arc<Histogram>| h.column >= columns.len();
    if !r.0.is_empty()
        || histograms.iter().any(bad_histogram)
        || indexes.iter().any(bad_part)
        || foreign.iter().any(bad_key)
        || special.iter().any(bad_special)
    {
        return Err(damaged());
    }
    Ok(TableMeta {
        columns,
        indexes,
        special,
        collation,
        comment,
        options,
        checks,
        foreign,
        partitions,
        histograms,
    })
}

/// The stored form of a schema's metadata.
pub fn encode_schema(schema: &SchemaMeta) -> Vec<u8> {
    let mut w = Writer(vec![SCHEMA_VERSION]);
    w.u16(schema.collation.id());
    w.0
}

/// Reads what [`encode_schema`] wrote; nothing at all gives the default.
pub fn decode_schema(bytes: &[u8]) -> Result<SchemaMeta, SqlError> {
    if bytes.is_empty() {
        return Ok(SchemaMeta::default());
    }
    let mut r = Reader(bytes);
    r.version(SCHEMA_VERSION)?;
    Ok(SchemaMeta { collation: r.collation()? })
}

/// The stored form of a view.
pub fn encode_view(v: &ViewMeta) -> Vec<u8> {
    let mut w = Writer(vec![VIEW_VERSION]);
    w.u8(match v.algorithm {
        ViewAlgorithm::Undefined => 0,
        ViewAlgorithm::Merge => 1,
        ViewAlgorithm::TempTable => 2,
    });
    w.u8(match v.check {
        ViewCheck::None => 0,
        ViewCheck::Local => 1,
        ViewCheck::Cascaded => 2,
    });
    w.u8(flags(&[(v.invoker, 1), (v.updatable, 2)]));
    for text in [&v.definer.0, &v.definer.1, &v.client, &v.connection, &v.query] {
        w.str(text);
    }
    w.count(v.columns.len());
    v.columns.iter().for_each(|c| put_column(&mut w, c));
    w.0
}

/// Reads what [`encode_view`] wrote.
pub fn decode_view(bytes: &[u8]) -> Result<ViewMeta, SqlError> {
    let mut r = Reader(bytes);
    r.version(VIEW_VERSION)?;
    let algorithm = match r.u8()? {
        0 => ViewAlgorithm::Undefined,
        1 => ViewAlgorithm::Merge,
        2 => ViewAlgorithm::TempTable,
        _ => return Err(damaged()),
    };
    let check = match r.u8()? {
        0 => ViewCheck::None,
        1 => ViewCheck::Local,
        2 => ViewCheck::Cascaded,
        _ => return Err(damaged()),
    };
    let bits = r.u8()?;
    let definer = (r.str()?, r.str()?);
    let (client, connection, query) = (r.str()?, r.str()?, r.str()?);
    let columns = r.list(get_column)?;
    let (invoker, updatable) = (bits & 1 != 0, bits & 2 != 0);
    Ok(ViewMeta {
        columns,
        query,
        algorithm,
        definer,
        invoker,
        check,
        updatable,
        client,
        connection,
    })
}

pub(super) fn damaged() -> SqlError {
    SqlError::internal("damaged table or schema metadata in the data dictionary")
}

pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    pub(super) fn u16(&mut self, v: u16) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub(super) fn u32(&mut self, v: u32) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub(super) fn u64(&mut self, v: u64) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    /// Lists here are bounded by the column limit (4,095) and the key limit (64).
    pub(super) fn count(&mut self, n: usize) {
        self.u16(n as u16);
    }
    pub(super) fn bytes(&mut self, b: &[u8]) {
        self.u32(b.len() as u32);
        self.0.extend_from_slice(b);
    }
    pub(super) fn str(&mut self, s: &str) {
        self.bytes(s.as_bytes());
    }
}

pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8], SqlError> {
        if self.0.len() < n {
            return Err(damaged());
        }
        let (head, tail) = self.0.split_at(n);
        self.0 = tail;
        Ok(head)
    }
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], SqlError> {
        self.take(N)?.try_into().map_err(|_| damaged())
    }
    pub(super) fn u8(&mut self) -> Result<u8, SqlError> {
        Ok(self.array::<1>()?[0])
    }
    pub(super) fn u16(&mut self) -> Result<u16, SqlError> {
        Ok(u16::from_le_bytes(self.array()?))
    }
    pub(super) fn u32(&mut self) -> Result<u32, SqlError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub(super) fn u64(&mut self) -> Result<u64, SqlError> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    pub(super) fn bytes(&mut self) -> Result<&'a [u8], SqlError> {
        let n = self.u32()? as usize;
        self.take(n)
    }
    pub(super) fn str(&mut self) -> Result<String, SqlError> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| damaged())
    }
    /// The version of the bytes, from 1 to the newest that is known.
    pub(super) fn version(&mut self, newest: u8) -> Result<u8, SqlError> {
        match self.u8()? {
            0 => Err(damaged()),
            known if known <= newest => Ok(known),
            newer => Err(SqlError::internal(format!(
                "table metadata of format {newer} was written by a newer version"
            ))),
        }
    }
    pub(super) fn collation(&mut self) -> Result<Collation, SqlError> {
        Collation::by_id(self.u16()?).ok_or_else(damaged)
    }
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        let n = self.u16()?;
        (0..n).map(|_| item(self)).collect()
    }
}

fn put_name(w: &mut Writer, name: &ConstraintName) {
    match name {
        ConstraintName::Numbered(n) => w.u32(*n),
        ConstraintName::Given(name) => {
            w.u32(0);
            w.str(name);
        }
    }
}

fn get_name(r: &mut Reader<'_>) -> Result<ConstraintName, SqlError> {
    Ok(match r.u32()? {
        0 => ConstraintName::Given(r.str()?),
        n => ConstraintName::Numbered(n),
    })
}

fn get_check(r: &mut Reader<'_>) -> Result<CheckConstraint, SqlError> {
    let name = get_name(r)?;
    Ok(CheckConstraint { name, expr: r.str()?, enforced: r.u8()? != 0 })
}

/// Their places are on disk: append, never change.
const ACTIONS: [Action; 4] = [Action::NoAction, Action::Restrict, Action::Cascade, Action::SetNull];

fn put_foreign(w: &mut Writer, key: &ForeignKey) {
    put_name(w, &key.name);
    w.count(key.columns.len());
    for (own, theirs) in key.columns.iter().zip(&key.parent_columns) {
        w.u16(*own as u16);
        w.str(theirs);
    }
    w.str(&key.parent.schema);
    w.str(&key.parent.name);
    for action in [key.on_delete, key.on_update] {
        w.u8(ACTIONS.iter().position(|a| *a == action).unwrap_or(0) as u8);
    }
}

fn get_foreign(r: &mut Reader<'_>) -> Result<ForeignKey, SqlError> {
    let name = get_name(r)?;
    let pairs = r.list(|r| Ok((usize::from(r.u16()?), r.str()?)))?;
    let (columns, parent_columns) = pairs.into_iter().unzip();
    let parent = TablePlace { schema: r.str()?, name: r.str()? };
    let on_delete = get_action(r)?;
    let on_update = get_action(r)?;
    Ok(ForeignKey { name, columns, parent, parent_columns, on_delete, on_update })
}

fn get_action(r: &mut Reader<'_>) -> Result<Action, SqlError> {
    ACTIONS.get(usize::from(r.u8()?)).copied().ok_or_else(damaged)
}

pub(super) fn put_column(w: &mut Writer, c: &SqlColumn) {
    w.str(&c.name);
    put_type(w, c.ty);
    let bits = [
        (c.nullable, COLUMN_NULLABLE),
        (c.auto_increment, COLUMN_AUTO),
        (c.invisible, COLUMN_INVISIBLE),
        (c.explicit_collation, COLUMN_COLLATED),
        (c.hidden, COLUMN_HIDDEN),
    ];
    w.u8(flags(&bits));
    put_default(w, &c.default);
    w.u8(c.on_update_now.map_or(0, |fsp| fsp + 1));
    w.str(&c.comment);
}

pub(super) fn get_column(r: &mut Reader<'_>) -> Result<SqlColumn, SqlError> {
    let name = r.str()?;
    let ty = get_type(r)?;
    let flags = r.u8()?;
    let default = get_default(r)?;
    let on_update_now = r.u8()?.checked_sub(1);
    let comment = r.str()?;
    Ok(SqlColumn {
        name,
        ty,
        nullable: flags & COLUMN_NULLABLE != 0,
        default,
        on_update_now,
        auto_increment: flags & COLUMN_AUTO != 0,
        comment,
        invisible: flags & COLUMN_INVISIBLE != 0,
        hidden: flags & COLUMN_HIDDEN != 0,
        explicit_collation: flags & COLUMN_COLLATED != 0,
    })
}

fn put_index(w: &mut Writer, i: &SqlIndex) {
    w.str(&i.name);
    let bits = [
        (i.unique, INDEX_UNIQUE),
        (!i.visible, INDEX_INVISIBLE),
        (i.generated, INDEX_GENERATED),
        (i.using == Some(UsingClause::BTree), INDEX_USING_BTREE),
        (i.using == Some(UsingClause::Hash), INDEX_USING_HASH),
    ];
    w.u8(flags(&bits));
    w.str(&i.comment);
    w.count(i.parts.len());
    for part in &i.parts {
        w.u16(part.column as u16);
        w.u32(part.prefix.unwrap_or(0));
        w.u8(u8::from(part.desc));
    }
}

fn get_index(r: &mut Reader<'_>) -> Result<SqlIndex, SqlError> {
    let name = r.str()?;
    let flags = r.u8()?;
    let comment = r.str()?;
    let parts = r.list(|r| {
        let column = usize::from(r.u16()?);
        let prefix = Some(r.u32()?).filter(|&p| p > 0);
        Ok(IndexPart { column, prefix, desc: r.u8()? != 0 })
    })?;
    let using = match flags & (INDEX_USING_BTREE | INDEX_USING_HASH) {
        INDEX_USING_BTREE => Some(UsingClause::BTree),
        INDEX_USING_HASH => Some(UsingClause::Hash),
        _ => None,
    };
    let (unique, visible) = (flags & INDEX_UNIQUE != 0, flags & INDEX_INVISIBLE == 0);
    let generated = flags & INDEX_GENERATED != 0;
    Ok(SqlIndex { name, unique, parts, comment, using, visible, generated })
}

/// Their places are on disk: append, never change.
const SPECIAL_KINDS: [SpecialKind; 3] = [
    SpecialKind::FullText { ngram: false },
    SpecialKind::FullText { ngram: true },
    SpecialKind::Spatial,
];

fn put_special(w: &mut Writer, k: &SpecialKey) {
    w.str(&k.name);
    w.u8(SPECIAL_KINDS.iter().position(|kind| *kind == k.kind).unwrap_or(0) as u8);
    w.u8(u8::from(k.visible));
    w.str(&k.comment);
    w.count(k.columns.len());
    k.columns.iter().for_each(|c| w.u16(*c as u16));
}

fn get_special(r: &mut Reader<'_>) -> Result<SpecialKey, SqlError> {
    let name = r.str()?;
    let kind = SPECIAL_KINDS.get(usize::from(r.u8()?)).copied().ok_or_else(damaged)?;
    let visible = r.u8()? != 0;
    let comment = r.str()?;
    let columns = r.list(|r| Ok(usize::from(r.u16()?)))?;
    Ok(SpecialKey { name, kind, columns, comment, visible })
}

pub(super) fn flags(bits: &[(bool, u8)]) -> u8 {
    bits.iter().filter(|(on, _)| *on).fold(0, |all, (_, bit)| all | bit)
}

fn put_default(w: &mut Writer, d: &ColumnDefault) {
    match d {
        ColumnDefault::None => w.u8(0),
        ColumnDefault::Null => w.u8(1),
        ColumnDefault::CurrentTimestamp(fsp) => {
            w.u8(2);
            w.u8(*fsp);
        }
        ColumnDefault::Expr(text) => {
            w.u8(3);
            w.str(text);
        }
        ColumnDefault::Generated { expr, stored } => {
            w.u8(if *stored { 9 } else { 8 });
            w.str(expr);
        }
        ColumnDefault::Literal(datum) => match datum {
            DatumBuf::Null => w.u8(1),
            DatumBuf::Int(v) => {
                w.u8(4);
                w.u64(*v as u64);
            }
            DatumBuf::UInt(v) => {
                w.u8(5);
                w.u64(*v);
            }
            DatumBuf::Float(v) => {
                w.u8(6);
                w.u64(v.to_bits());
            }
            DatumBuf::Bytes(b) => {
                w.u8(7);
                w.bytes(b);
            }
        },
    }
}

fn get_default(r: &mut Reader<'_>) -> Result<ColumnDefault, SqlError> {
    Ok(match r.u8()? {
        0 => ColumnDefault::None,
        1 => ColumnDefault::Null,
        2 => ColumnDefault::CurrentTimestamp(r.u8()?),
        3 => ColumnDefault::Expr(r.str()?),
        4 => ColumnDefault::Literal(DatumBuf::Int(r.u64()? as i64)),
        5 => ColumnDefault::Literal(DatumBuf::UInt(r.u64()?)),
        6 => ColumnDefault::Literal(DatumBuf::Float(f64::from_bits(r.u64()?))),
        7 => ColumnDefault::Literal(DatumBuf::Bytes(r.bytes()?.to_vec())),
        tag @ (8 | 9) => ColumnDefault::Generated { expr: r.str()?, stored: tag == 9 },
        _ => return Err(damaged()),
    })
}

const INT_KINDS: [IntKind; 5] =
    [IntKind::Tiny, IntKind::Small, IntKind::Medium, IntKind::Int, IntKind::Big];
const LOB_KINDS: [LobKind; 4] = [LobKind::Tiny, LobKind::Normal, LobKind::Medium, LobKind::Long];

/// Tags of types. They stand in data directories: append, never change.
mod tag {
    pub const NULL: u8 = 0;
    pub const INT: u8 = 1;
    pub const DECIMAL: u8 = 2;
    pub const FLOAT: u8 = 3;
    pub const DOUBLE: u8 = 4;
    pub const CHAR: u8 = 5;
    pub const VARCHAR: u8 = 6;
    pub const TEXT: u8 = 7;
    pub const DATE: u8 = 8;
    pub const TIME: u8 = 9;
    pub const DATETIME: u8 = 10;
    pub const TIMESTAMP: u8 = 11;
    pub const YEAR: u8 = 12;
    pub const BIT: u8 = 13;
    pub const ENUM: u8 = 14;
    pub const SET: u8 = 15;
    pub const JSON: u8 = 16;
    pub const GEOMETRY: u8 = 17;
}

fn put_type(w: &mut Writer, ty: SqlType) {
    let attributes = |unsigned, zerofill| flags(&[(unsigned, 1), (zerofill, 2)]);
    match ty {
        SqlType::Null => w.u8(tag::NULL),
        SqlType::Int { kind, unsigned, zerofill, width } => {
            w.u8(tag::INT);
            w.u8(INT_KINDS.iter().position(|&k| k == kind).unwrap_or(0) as u8);
            w.u8(attributes(unsigned, zerofill));
            // 0 is a width of its own nowhere: INT(0) means the default width.
            w.u8(width.unwrap_or(0));
        }
        SqlType::Decimal { precision, scale, unsigned, zerofill } => {
            w.0.extend([tag::DECIMAL, precision, scale, attributes(unsigned, zerofill)]);
        }
        SqlType::Float { unsigned, zerofill, digits }
        | SqlType::Double { unsigned, zerofill, digits } => {
            let tag = if matches!(ty, SqlType::Float { .. }) { tag::FLOAT } else { tag::DOUBLE };
            let (m, d) = digits.unwrap_or((0, 0));
            w.0.extend([tag, attributes(unsigned, zerofill), m, d]);
        }
        SqlType::Char { chars, collation } | SqlType::Varchar { chars, collation } => {
            let tag = if matches!(ty, SqlType::Char { .. }) { tag::CHAR } else { tag::VARCHAR };
            w.u8(tag);
            w.u32(chars);
            w.u16(collation.id());
        }
        SqlType::Text { kind, collation } => {
            w.u8(tag::TEXT);
            w.u8(LOB_KINDS.iter().position(|&k| k == kind).unwrap_or(0) as u8);
            w.u16(collation.id());
        }
        SqlType::Date => w.u8(tag::DATE),
        SqlType::Time { fsp } => w.0.extend([tag::TIME, fsp]),
        SqlType::DateTime { fsp } => w.0.extend([tag::DATETIME, fsp]),
        SqlType::Timestamp { fsp } => w.0.extend([tag::TIMESTAMP, fsp]),
        SqlType::Year => w.u8(tag::YEAR),
        SqlType::Json => w.u8(tag::JSON),
        SqlType::Geometry { kind, srid } => {
            w.0.extend([tag::GEOMETRY, kind as u8, u8::from(srid.is_some())]);
            w.u32(srid.unwrap_or(0));
        }
        SqlType::Bit { bits } => w.0.extend([tag::BIT, bits]),
        SqlType::Enum { members, collation } | SqlType::Set { members, collation } => {
            w.u8(if matches!(ty, SqlType::Enum { .. }) { tag::ENUM } else { tag::SET });
            w.u16(collation.id());
            w.count(members.len());
            members.names().iter().for_each(|n| w.bytes(n));
        }
    }
}

fn get_type(r: &mut Reader<'_>) -> Result<SqlType, SqlError> {
    Ok(match r.u8()? {
        tag::NULL => SqlType::Null,
        tag::INT => {
            let kind = *INT_KINDS.get(usize::from(r.u8()?)).ok_or_else(damaged)?;
            let bits = r.u8()?;
            let width = Some(r.u8()?).filter(|&w| w > 0);
            SqlType::Int { kind, unsigned: bits & 1 != 0, zerofill: bits & 2 != 0, width }
        }
        tag::DECIMAL => {
            let [precision, scale, bits] = r.array()?;
            SqlType::Decimal { precision, scale, unsigned: bits & 1 != 0, zerofill: bits & 2 != 0 }
        }
        kind @ (tag::FLOAT | tag::DOUBLE) => {
            let [bits, m, d] = r.array()?;
            let (unsigned, zerofill) = (bits & 1 != 0, bits & 2 != 0);
            let digits = if m == 0 { None } else { Some((m, d)) };
            match kind {
                tag::FLOAT => SqlType::Float { unsigned, zerofill, digits },
                _ => SqlType::Double { unsigned, zerofill, digits },
            }
        }
        tag::CHAR => SqlType::Char { chars: r.u32()?, collation: r.collation()? },
        tag::VARCHAR => SqlType::Varchar { chars: r.u32()?, collation: r.collation()? },
        tag::TEXT => {
            let kind = *LOB_KINDS.get(usize::from(r.u8()?)).ok_or_else(damaged)?;
            SqlType::Text { kind, collation: r.collation()? }
        }
        tag::DATE => SqlType::Date,
        tag::TIME => SqlType::Time { fsp: r.u8()? },
        tag::DATETIME => SqlType::DateTime { fsp: r.u8()? },
        tag::TIMESTAMP => SqlType::Timestamp { fsp: r.u8()? },
        tag::BIT => match r.u8()? {
            bits @ 1..=64 => SqlType::Bit { bits },
            _ => return Err(damaged()),
        },
        kind @ (tag::ENUM | tag::SET) => {
            let collation = r.collation()?;
            let members = Members::new(r.list(|r| Ok(r.bytes()?.into()))?);
            match kind {
                _ if members.is_empty() => return Err(damaged()),
                tag::ENUM => SqlType::Enum { members, collation },
                _ if members.len() > 64 => return Err(damaged()),
                _ => SqlType::Set { members, collation },
            }
        }
        tag::YEAR => SqlType::Year,
        tag::JSON => SqlType::Json,
        tag::GEOMETRY => {
            let kind = GeoKind::from_code(u32::from(r.u8()?)).ok_or_else(damaged)?;
            let limited = r.u8()? != 0;
            let srid = Some(r.u32()?).filter(|_| limited);
            SqlType::Geometry { kind, srid }
        }
        _ => return Err(damaged()),
    })
}

#[cfg(test)]
mod tests {
    use super::super::histogram::{Bucket, Kind};
    use super::super::partition::{
        Function, Given, Method, Partition, Partitioning, Subpartitioning, Values,
    };
    use super::*;
    use proptest::prelude::*;

    fn collations() -> impl Strategy<Value = Collation> {
        (0..weir_engine::row::collation::ALL.len())
            .prop_map(|i| weir_engine::row::collation::ALL[i])
    }

    fn types() -> impl Strategy<Value = SqlType> {
        let digits = || proptest::option::of((1u8..255, 0u8..31));
        prop_oneof![
            (0usize..5, any::<bool>(), any::<bool>(), proptest::option::of(1u8..=255)).prop_map(
                |(k, unsigned, zerofill, width)| SqlType::Int {
                    kind: INT_KINDS[k],
                    unsigned,
                    zerofill,
                    width
                }
            ),
            (1u8..66, 0u8..31, any::<bool>(), any::<bool>()).prop_map(
                |(precision, scale, unsigned, zerofill)| SqlType::Decimal {
                    precision,
                    scale,
                    unsigned,
                    zerofill
                }
            ),
            (any::<bool>(), any::<bool>(), digits()).prop_map(|(unsigned, zerofill, digits)| {
                SqlType::Float { unsigned, zerofill, digits }
            }),
            (any::<bool>(), any::<bool>(), digits()).prop_map(|(unsigned, zerofill, digits)| {
                SqlType::Double { unsigned, zerofill, digits }
            }),
            (any::<u32>(), collations())
                .prop_map(|(chars, collation)| SqlType::Char { chars, collation }),
            (any::<u32>(), collations())
                .prop_map(|(chars, collation)| SqlType::Varchar { chars, collation }),
            (0usize..4, collations())
                .prop_map(|(k, collation)| SqlType::Text { kind: LOB_KINDS[k], collation }),
            Just(SqlType::Date),
            Just(SqlType::Year),
            Just(SqlType::Json),
            (0usize..8, proptest::option::of(any::<u32>()))
                .prop_map(|(kind, srid)| { SqlType::Geometry { kind: GeoKind::ALL[kind], srid } }),
            (1u8..=64).prop_map(|bits| SqlType::Bit { bits }),
            (lists(), collations())
                .prop_map(|(members, collation)| SqlType::Enum { members, collation }),
            (lists(), collations())
                .prop_map(|(members, collation)| SqlType::Set { members, collation }),
            (0u8..7).prop_map(|fsp| SqlType::Time { fsp }),
            (0u8..7).prop_map(|fsp| SqlType::DateTime { fsp }),
            (0u8..7).prop_map(|fsp| SqlType::Timestamp { fsp }),
        ]
    }

    fn lists() -> impl Strategy<Value = Members> {
        proptest::collection::vec("[a-c]{0,2}", 1..4).prop_map(|names| {
            Members::new(names.into_iter().map(|n| n.into_bytes().into()).collect())
        })
    }

    fn defaults() -> impl Strategy<Value = ColumnDefault> {
        prop_oneof![
            Just(ColumnDefault::None),
            Just(ColumnDefault::Null),
            (0u8..7).prop_map(ColumnDefault::CurrentTimestamp),
            ".*".prop_map(ColumnDefault::Expr),
            (".*", any::<bool>())
                .prop_map(|(expr, stored)| ColumnDefault::Generated { expr, stored }),
            any::<i64>().prop_map(|v| ColumnDefault::Literal(DatumBuf::Int(v))),
            any::<u64>().prop_map(|v| ColumnDefault::Literal(DatumBuf::UInt(v))),
            (-1e9f64..1e9).prop_map(|v| ColumnDefault::Literal(DatumBuf::Float(v))),
            any::<Vec<u8>>().prop_map(|v| ColumnDefault::Literal(DatumBuf::Bytes(v))),
        ]
    }

    fn columns() -> impl Strategy<Value = SqlColumn> {
        let bools = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
        (".{0,8}", types(), defaults(), proptest::option::of(0u8..7), ".{0,8}", bools).prop_map(
            |(name, ty, default, on_update_now, comment, (a, b, c, d))| SqlColumn {
                name,
                ty,
                nullable: a,
                default,
                on_update_now,
                auto_increment: b,
                comment,
                invisible: c,
                hidden: a && d,
                explicit_collation: d,
            },
        )
    }

    fn indexes() -> impl Strategy<Value = SqlIndex> {
        let part = (0usize..1, proptest::option::of(1u32..), any::<bool>())
            .prop_map(|(column, prefix, desc)| IndexPart { column, prefix, desc });
        let using =
            prop_oneof![Just(None), Just(Some(UsingClause::BTree)), Just(Some(UsingClause::Hash))];
        let parts = proptest::collection::vec(part, 0..4);
        let bits = (any::<bool>(), any::<bool>());
        (".{0,8}", any::<bool>(), parts, ".{0,8}", using, bits).prop_map(
            |(name, unique, parts, comment, using, (visible, generated))| SqlIndex {
                name,
                unique,
                parts,
                comment,
                using,
                visible,
                generated,
            },
        )
    }

    fn tables() -> impl Strategy<Value = TableMeta> {
        (
            proptest::collection::vec(columns(), 1..6),
            proptest::collection::vec(indexes(), 0..4),
            collations(),
            ".{0,20}",
            proptest::collection::vec((".{0,8}", ".{0,8}"), 0..3),
            proptest::collection::vec(checks(), 0..3),
            proptest::collection::vec(foreign(), 0..3),
            proptest::option::of(partitionings()),
            proptest::collection::vec(special(), 0..3),
            proptest::collection::vec(histogram().prop_map(Arc::new), 0..3),
        )
            .prop_map(
                |(
                    columns,
                    indexes,
                    collation,
                    comment,
                    options,
                    checks,
                    foreign,
                    partitions,
                    special,
                    histograms,
                )| {
                    TableMeta {
                        columns,
                        indexes,
                        special,
                        collation,
                        comment,
                        options,
                        checks,
                        foreign,
                        partitions: partitions.map(Box::new),
                        histograms,
                    }
                },
            )
    }

    fn histogram() -> impl Strategy<Value = Histogram> {
        let bucket = (any::<i64>(), 0.0f64..1.0, any::<u64>());
        let buckets = proptest::collection::vec(bucket, 0..4);
        (buckets, any::<bool>(), any::<bool>(), 0.0f64..1.0, any::<u16>(), any::<i64>()).prop_map(
            |(buckets, equi_height, automatic, nulls, specified, updated_micros)| {
                let bucket = |(v, cumulative, distinct): (i64, f64, u64)| {
                    let (lower, text) = (DatumBuf::Int(v), DatumBuf::Bytes(v.to_le_bytes().into()));
                    match equi_height {
                        true => Bucket { lower, upper: text, cumulative, distinct },
                        false => {
                            Bucket { lower: lower.clone(), upper: lower, cumulative, distinct: 1 }
                        }
                    }
                };
                Histogram {
                    column: 0,
                    kind: if equi_height { Kind::EquiHeight } else { Kind::Singleton },
                    buckets: buckets.into_iter().map(bucket).collect(),
                    nulls,
                    sampling: 1.0 - nulls,
                    specified,
                    updated_micros,
                    automatic,
                }
            },
        )
    }

    fn special() -> impl Strategy<Value = SpecialKey> {
        (".{0,8}", 0usize..3, 1usize..3, ".{0,8}", any::<bool>()).prop_map(
            |(name, kind, columns, comment, visible)| SpecialKey {
                name,
                kind: SPECIAL_KINDS[kind],
                columns: vec![0; columns],
                comment,
                visible,
            },
        )
    }

    fn foreign() -> impl Strategy<Value = ForeignKey> {
        let names = proptest::collection::vec(".{0,8}", 0..3);
        (names, ".{0,8}", ".{0,8}", 0usize..4, 0usize..4, 1u32..).prop_map(
            |(parent_columns, schema, name, delete, update, number)| ForeignKey {
                name: ConstraintName::Numbered(number),
                columns: vec![0; parent_columns.len()],
                parent: TablePlace { schema, name },
                parent_columns,
                on_delete: ACTIONS[delete],
                on_update: ACTIONS[update],
            },
        )
    }

    fn checks() -> impl Strategy<Value = CheckConstraint> {
        let name = prop_oneof![
            ".{0,8}".prop_map(ConstraintName::Given),
            (1u32..).prop_map(ConstraintName::Numbered),
        ];
        (name, ".{0,8}", any::<bool>()).prop_map(|(name, expr, enforced)| CheckConstraint {
            name,
            expr,
            enforced,
        })
    }

    fn values(n: usize) -> Values {
        match n % 3 {
            0 => Values::None,
            1 => Values::LessThan(vec![Some(DatumBuf::Int(n as i64)), None]),
            _ => Values::In(vec![vec![DatumBuf::UInt(n as u64)], vec![DatumBuf::Null]]),
        }
    }

    fn part(name: String, values: Values) -> Partition {
        let comment = format!("of {name}");
        Partition { name, values, comment, max_rows: 7, min_rows: 8, subparts: Vec::new() }
    }

    fn partitionings() -> impl Strategy<Value = Partitioning> {
        let methods = prop_oneof![
            Just(Method::Range),
            Just(Method::ListColumns),
            Just(Method::Hash { linear: true }),
            Just(Method::Key { linear: false, old: true }),
        ];
        let inner = (any::<bool>(), 1usize..4, 0usize..3);
        (methods, any::<bool>(), 1usize..4, proptest::option::of(inner)).prop_map(
            |(method, numbered, n, inner)| {
                let function = |method| Function {
                    method,
                    expr: "`a`".into(),
                    columns: vec![0, 0],
                    implied: false,
                };
                let parts = (0..n).map(|n| part(format!("p{n}"), values(n))).collect();
                let mut by =
                    Partitioning { function: function(method), numbered, parts, sub: None };
                by.function.implied = numbered;
                if let Some((linear, count, given)) = inner {
                    let given = [Given::Nothing, Given::Number, Given::Names][given];
                    let method = Method::Hash { linear };
                    by.sub = Some(Subpartitioning { function: function(method), count, given });
                    for p in &mut by.parts {
                        let named = |n| part(format!("{}sp{n}", p.name), Values::None);
                        p.subparts = (0..count).map(named).collect();
                    }
                }
                by
            },
        )
    }

    /// What earlier versions wrote of a partitioned table, byte by byte.
    #[test]
    fn partitions_from_before_there_were_subpartitions() {
        let mut table =
            TableMeta::new(vec![SqlColumn::new("a", SqlType::BIGINT)], Collation::Binary);
        let mut bytes = encode_table(&table);
        bytes[0] = 4;
        // LIST, the text `a`, column 0, no flags, two partitions.
        bytes.extend(b"\x01\x03\0\0\0`a`\x01\0\0\0\0\x02\0");
        // p0: IN (5, NULL), comment c, MAX_ROWS 9.
        bytes.extend(b"\x02\0\0\0p0\x02\x02\0\0\0\x01\0\x01\x05\0\0\0\0\0\0\0\x01\0\0");
        bytes.extend(b"\x01\0\0\0c\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
        // p1: IN (6).
        bytes.extend(b"\x02\0\0\0p1\x02\x01\0\0\0\x01\0\x01\x06\0\0\0\0\0\0\0");
        bytes.extend([0; 20]);
        let known = |name: &str, values: Vec<Vec<DatumBuf>>| Partition {
            comment: String::new(),
            max_rows: 0,
            min_rows: 0,
            ..part(name.into(), Values::In(values))
        };
        let p0 = known("p0", vec![vec![DatumBuf::Int(5)], vec![DatumBuf::Null]]);
        table.partitions = Some(Box::new(Partitioning {
            function: Function {
                method: Method::List,
                expr: "`a`".into(),
                columns: vec![0],
                implied: false,
            },
            numbered: false,
            parts: vec![
                Partition { comment: "c".into(), max_rows: 9, ..p0 },
                known("p1", vec![vec![DatumBuf::Int(6)]]),
            ],
            sub: None,
        }));
        assert_eq!(decode_table(&bytes).expect("known bytes"), table);
        assert_eq!(encode_table(&table), bytes);
    }

    /// FULLTEXT and SPATIAL keys change nothing of what stood there before: they stand in front of it.
    #[test]
    fn special_keys_stand_before_the_rest() {
        let column = SqlColumn::new("a", SqlType::BIGINT);
        let mut table = TableMeta::new(vec![column], Collation::Binary);
        let plain = encode_table(&table);
        assert_eq!(plain[0], VERSION);
        table.special.push(SpecialKey {
            name: "f".into(),
            kind: SpecialKind::FullText { ngram: true },
            columns: vec![0],
            comment: "c".into(),
            visible: false,
        });
        let mut bytes = b"\x06\x01\0\x01\0\0\0f\x01\0\x01\0\0\0c\x01\0\0\0".to_vec();
        bytes.extend(&plain);
        assert_eq!(encode_table(&table), bytes);
        assert_eq!(decode_table(&bytes).expect("known bytes"), table);
        bytes[0] = 8;
        assert!(decode_table(&bytes).is_err());
    }

    /// Nor do histograms.
    #[test]
    fn histograms_stand_before_the_rest() {
        let mut table =
            TableMeta::new(vec![SqlColumn::new("a", SqlType::BIGINT)], Collation::Binary);
        let plain = encode_table(&table);
        let bucket = Bucket {
            lower: DatumBuf::Int(5),
            upper: DatumBuf::Int(5),
            cumulative: 1.0,
            distinct: 1,
        };
        table.histograms.push(Arc::new(Histogram {
            column: 0,
            kind: Kind::Singleton,
            buckets: vec![bucket],
            nulls: 0.0,
            sampling: 1.0,
            specified: 100,
            updated_micros: 3,
            automatic: true,
        }));
        let mut bytes = b"\x07\x01\0\0\0\x02".to_vec();
        bytes.extend(0f64.to_bits().to_le_bytes());
        bytes.extend(1f64.to_bits().to_le_bytes());
        bytes.extend(b"\x64\0\x03\0\0\0\0\0\0\0\x01\0\x01\x05\0\0\0\0\0\0\0");
        bytes.extend(1f64.to_bits().to_le_bytes());
        bytes.extend(&plain);
        assert_eq!(encode_table(&table), bytes);
        assert_eq!(decode_table(&bytes).expect("known bytes"), table);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(table in tables()) {
            let bytes = encode_table(&table);
            prop_assert_eq!(decode_table(&bytes).expect("own bytes"), table);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in any::<Vec<u8>>()) {
            let _ = decode_table(&bytes);
            let _ = decode_schema(&bytes);
        }

        #[test]
        fn a_cut_is_found(table in tables(), cut in 1usize..20) {
            let bytes = encode_table(&table);
            let end = bytes.len().saturating_sub(cut);
            prop_assert!(decode_table(&bytes[..end]).is_err());
        }
    }

    #[test]
    fn schema_round_trip() {
        let schema = SchemaMeta { collation: Collation::Latin1SwedishCi };
        assert_eq!(decode_schema(&encode_schema(&schema)).expect("own bytes"), schema);
        assert_eq!(decode_schema(&[]).expect("empty"), SchemaMeta::default());
        assert!(decode_schema(&[9, 0, 0]).is_err());
    }
}
