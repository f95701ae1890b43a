//! The rows events: which columns are there, and the images of rows before and after a change.

use crate::error::{Error, Result};
use crate::event::Format;
use crate::kind::Kind;
use crate::payload::unpack_mariadb;
use crate::table_map::{ColumnType, NO_TABLE, TableMap, table_id};
use crate::value::{self, Value};
use std::borrow::Cow;
use weir_wire::Reader;

/// What an event does with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Write,
    Update,
    Delete,
}

impl Change {
    /// `None`: the event changes no rows.
    pub fn of(kind: Kind) -> Option<Change> {
        use Kind::*;
        Some(match kind {
            WriteRowsV1 | WriteRows | MariaWriteRowsCompressedV1 | MariaWriteRowsCompressed => {
                Change::Write
            }
            UpdateRowsV1
            | UpdateRows
            | PartialUpdateRows
            | MariaUpdateRowsCompressedV1
            | MariaUpdateRowsCompressed => Change::Update,
            DeleteRowsV1 | DeleteRows | MariaDeleteRowsCompressedV1 | MariaDeleteRowsCompressed => {
                Change::Delete
            }
            _ => return None,
        })
    }
}

/// Flags of a rows event.
pub mod flag {
    pub const STATEMENT_END: u16 = 1;
    pub const NO_FOREIGN_KEY_CHECKS: u16 = 2;
    pub const RELAXED_UNIQUE_CHECKS: u16 = 4;
    /// The image has all columns of the table.
    pub const COMPLETE_ROWS: u16 = 8;
    /// The source has written cascaded changes as rows of their own.
    pub const SQL_FOREIGN_KEYS: u16 = 0x10;
}

/// Which columns stand in an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns(Vec<u8>);

impl Columns {
    pub fn has(&self, at: usize) -> bool {
        self.0.get(at / 8).is_some_and(|b| b >> (at % 8) & 1 == 1)
    }

    fn count(&self) -> usize {
        self.0.iter().map(|b| b.count_ones() as usize).sum()
    }

    /// Bits behind the last column are not looked at.
    fn read(r: &mut Reader<'_>, width: usize) -> Result<Columns> {
        let mut bits = r.bytes(width.div_ceil(8))?.to_vec();
        if let (Some(last), left @ 1..) = (bits.last_mut(), width % 8) {
            *last &= (1 << left) - 1;
        }
        Ok(Columns(bits))
    }
}

/// One image: for each column of the table its value, or nothing where the image has none.
pub type Image<'a> = Vec<Option<Value<'a>>>;

/// A row: its image before the change and the one after it. Written rows have the second, deleted ones the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row<'a> {
    pub before: Image<'a>,
    pub after: Image<'a>,
}

/// A rows event whose images are read one by one.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    pub change: Change,
    pub table: u64,
    pub flags: u16,
    pub width: usize,
    /// Columns of the first image of each row, and of the second one of an update.
    pub first: Columns,
    pub second: Option<Columns>,
    /// Documents may be written as changes.
    partial: bool,
    data: Cow<'a, [u8]>,
}

impl<'a> Rows<'a> {
    /// `limit`: bytes that a compressed event may have.
    pub fn decode(kind: Kind, body: &'a [u8], format: &Format, limit: u64) -> Result<Rows<'a>> {
        use Kind::*;
        let change = Change::of(kind).ok_or(Error::Malformed("a rows event"))?;
        let old = matches!(
            kind,
            WriteRowsV1
                | UpdateRowsV1
                | DeleteRowsV1
                | MariaWriteRowsCompressedV1
                | MariaUpdateRowsCompressedV1
                | MariaDeleteRowsCompressedV1
        );
        let mut r = Reader::new(body);
        let table = table_id(&mut r, format.fixed_len(kind, if old { 8 } else { 10 }))?;
        let flags = r.u16()?;
        if !old {
            // What group replication and partitions add. The length counts itself.
            let extra = usize::from(r.u16()?);
            r.bytes(extra.checked_sub(2).ok_or(Error::Malformed("a rows event"))?)?;
        }
        let width = r.lenenc_int()? as usize;
        let first = Columns::read(&mut r, width)?;
        let second = match change {
            Change::Update => Some(Columns::read(&mut r, width)?),
            _ => None,
        };
        let packed = matches!(
            kind,
            MariaWriteRowsCompressedV1
                | MariaUpdateRowsCompressedV1
                | MariaDeleteRowsCompressedV1
                | MariaWriteRowsCompressed
                | MariaUpdateRowsCompressed
                | MariaDeleteRowsCompressed
        );
        let data = match packed {
            true => Cow::Owned(unpack_mariadb(r.rest(), limit)?),
            false => Cow::Borrowed(r.rest()),
        };
        let partial = kind == PartialUpdateRows;
        Ok(Rows { change, table, flags, width, first, second, partial, data })
    }

    /// Nothing is changed: the event only ends its statement.
    pub fn is_dummy(&self) -> bool {
        self.table == NO_TABLE || (self.width == 0 && self.data.is_empty())
    }

    pub fn ends_statement(&self) -> bool {
        self.flags & flag::STATEMENT_END != 0
    }

    /// The rows, whose table `map` is.
    pub fn rows<'r>(&'r self, map: &'r TableMap) -> Result<Images<'r>> {
        if map.id != self.table || map.columns.len() != self.width {
            return Err(Error::Malformed("the columns of a rows event"));
        }
        Ok(Images { rows: self, map, r: Reader::new(&self.data) })
    }
}

/// The rows of an event.
pub struct Images<'r> {
    rows: &'r Rows<'r>,
    map: &'r TableMap,
    r: Reader<'r>,
}

impl<'r> Images<'r> {
    fn row(&mut self) -> Result<Row<'r>> {
        let rows = self.rows;
        let before = self.r.len();
        let first = self.image(&rows.first, false)?;
        let row = match (rows.change, &rows.second) {
            (Change::Write, _) => Row { after: first, ..Row::default() },
            (Change::Update, Some(second)) => {
                Row { before: first, after: self.image(second, rows.partial)? }
            }
            _ => Row { before: first, ..Row::default() },
        };
        // Rows without a byte would not end.
        match before == self.r.len() {
            true => Err(Error::Malformed("a row image")),
            false => Ok(row),
        }
    }

    fn image(&mut self, columns: &Columns, after_partial: bool) -> Result<Image<'r>> {
        let partial = match after_partial {
            true => self.partial_columns()?,
            false => None,
        };
        let nulls = Columns::read(&mut self.r, columns.count())?;
        let mut image = Vec::with_capacity(self.map.columns.len());
        let (mut present, mut documents) = (0, 0);
        for (at, column) in self.map.columns.iter().enumerate() {
            // The bits of documents count all columns of that type.
            let is_partial = matches!(column.ty, ColumnType::Json { .. }) && {
                documents += 1;
                partial.as_ref().is_some_and(|p| p.has(documents - 1))
            };
            if !columns.has(at) {
                image.push(None);
                continue;
            }
            let null = nulls.has(present);
            present += 1;
            image.push(Some(match null {
                true => Value::Null,
                false => value::decode(&mut self.r, &column.ty, is_partial)?,
            }));
        }
        Ok(image)
    }

    /// The documents of the image that follows which are written as changes.
    fn partial_columns(&mut self) -> Result<Option<Columns>> {
        if self.r.lenenc_int()? & 1 == 0 {
            return Ok(None);
        }
        let is_json = |c: &&crate::table_map::Column| matches!(c.ty, ColumnType::Json { .. });
        let documents = self.map.columns.iter().filter(is_json).count();
        Columns::read(&mut self.r, documents).map(Some)
    }
}

impl<'r> Iterator for Images<'r> {
    type Item = Result<Row<'r>>;

    fn next(&mut self) -> Option<Result<Row<'r>>> {
        if self.r.is_empty() {
            return None;
        }
        let row = self.row();
        if row.is_err() {
            self.r = Reader::new(&[]);
        }
        Some(row)
    }
}
