//! TABLE_MAP: the table that the rows events behind it change, and the types of its columns.

use crate::decimal;
use crate::error::{Error, Result};
use crate::event::Format;
use crate::kind::Kind;
use weir_wire::Reader;

/// How the values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    Int {
        bytes: u8,
    },
    Float,
    Double,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Year,
    /// CHAR and BINARY with so many bytes at most.
    Char {
        bytes: u16,
    },
    Varchar {
        bytes: u16,
    },
    /// `length`: bytes of the count before the value.
    Blob {
        length: u8,
    },
    Json {
        length: u8,
    },
    Geometry {
        length: u8,
    },
    Enum {
        bytes: u8,
    },
    Set {
        bytes: u8,
    },
    Bit {
        bits: u8,
    },
    Date,
    Time {
        fsp: u8,
    },
    DateTime {
        fsp: u8,
    },
    Timestamp {
        fsp: u8,
    },
    /// Of before MySQL 5.6.
    OldTime,
    OldDateTime,
    OldTimestamp,
}

impl ColumnType {
    /// Numbers, for which MySQL tells whether they have a sign.
    fn has_sign(self) -> bool {
        matches!(
            self,
            ColumnType::Int { .. }
                | ColumnType::Float
                | ColumnType::Double
                | ColumnType::Decimal { .. }
        )
    }

    pub(crate) fn is_list(self) -> bool {
        matches!(self, ColumnType::Enum { .. } | ColumnType::Set { .. })
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(
            self,
            ColumnType::Char { .. } | ColumnType::Varchar { .. } | ColumnType::Blob { .. }
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub ty: ColumnType,
    pub nullable: bool,
    /// Where the source says.
    pub unsigned: Option<bool>,
    /// MySQL's number of the collation, where the source says.
    pub collation: Option<u16>,
    /// With `binlog_row_metadata=FULL`.
    pub name: Option<String>,
    /// The members of ENUM and SET in the column's character set, with `binlog_row_metadata=FULL`.
    pub members: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableMap {
    /// The number by which rows events name the table. It holds until the end of the statement.
    pub id: u64,
    pub flags: u16,
    pub schema: String,
    pub table: String,
    pub columns: Vec<Column>,
    /// The columns of the primary key, with `binlog_row_metadata=FULL`.
    pub primary_key: Vec<usize>,
}

/// The number that says "no table": the rows event is the last of its statement and changes nothing.
pub const NO_TABLE: u64 = 0xFF_FFFF;

/// The numbers of types in the event.
mod code {
    pub const TINY: u8 = 1;
    pub const SHORT: u8 = 2;
    pub const LONG: u8 = 3;
    pub const FLOAT: u8 = 4;
    pub const DOUBLE: u8 = 5;
    pub const TIMESTAMP: u8 = 7;
    pub const LONGLONG: u8 = 8;
    pub const INT24: u8 = 9;
    pub const DATE: u8 = 10;
    pub const TIME: u8 = 11;
    pub const DATETIME: u8 = 12;
    pub const YEAR: u8 = 13;
    pub const NEWDATE: u8 = 14;
    pub const VARCHAR: u8 = 15;
    pub const BIT: u8 = 16;
    pub const TIMESTAMP2: u8 = 17;
    pub const DATETIME2: u8 = 18;
    pub const TIME2: u8 = 19;
    pub const BLOB_COMPRESSED: u8 = 140;
    pub const VARCHAR_COMPRESSED: u8 = 141;
    pub const VECTOR: u8 = 242;
    pub const JSON: u8 = 245;
    pub const NEWDECIMAL: u8 = 246;
    pub const ENUM: u8 = 247;
    pub const SET: u8 = 248;
    pub const TINY_BLOB: u8 = 249;
    pub const BLOB: u8 = 252;
    pub const VAR_STRING: u8 = 253;
    pub const STRING: u8 = 254;
    pub const GEOMETRY: u8 = 255;
}

/// Numbers of the optional fields.
pub(crate) mod field {
    pub const SIGNEDNESS: u8 = 1;
    pub const DEFAULT_CHARSET: u8 = 2;
    pub const COLUMN_CHARSET: u8 = 3;
    pub const COLUMN_NAME: u8 = 4;
    pub const SET_STR_VALUE: u8 = 5;
    pub const ENUM_STR_VALUE: u8 = 6;
    pub const SIMPLE_PRIMARY_KEY: u8 = 8;
    pub const PRIMARY_KEY_WITH_PREFIX: u8 = 9;
    pub const LIST_DEFAULT_CHARSET: u8 = 10;
    pub const LIST_COLUMN_CHARSET: u8 = 11;
}

/// A table's number has six bytes, or four where the log says that the fixed part is six bytes long.
pub(crate) fn table_id(r: &mut Reader<'_>, fixed: u8) -> Result<u64> {
    match fixed {
        6 => Ok(u64::from(r.u32()?)),
        _ => {
            let b: [u8; 6] = r.array()?;
            Ok(u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], 0, 0]))
        }
    }
}

impl TableMap {
    pub fn decode(body: &[u8], format: &Format) -> Result<TableMap> {
        let mut r = Reader::new(body);
        let id = table_id(&mut r, format.fixed_len(Kind::TableMap, 8))?;
        let flags = r.u16()?;
        let mut name = || -> Result<String> {
            let text = r.lenenc_str()?;
            r.u8()?;
            Ok(String::from_utf8_lossy(text).into_owned())
        };
        let (schema, table) = (name()?, name()?);
        let count = r.lenenc_int()? as usize;
        let types = r.bytes(count)?;
        let mut meta = Reader::new(r.lenenc_str()?);
        let nullable = r.bytes(count.div_ceil(8))?;
        let mut columns = Vec::with_capacity(count);
        for (at, code) in types.iter().enumerate() {
            columns.push(Column {
                ty: column_type(*code, &mut meta, (&schema, &table))?,
                nullable: nullable[at / 8] >> (at % 8) & 1 == 1,
                unsigned: None,
                collation: None,
                name: None,
                members: Vec::new(),
            });
        }
        let mut map = TableMap { id, flags, schema, table, columns, primary_key: Vec::new() };
        while !r.is_empty() {
            let (field, value) = (r.u8()?, r.lenenc_str()?);
            map.optional(field, Reader::new(value))?;
        }
        Ok(map)
    }

    fn optional(&mut self, field: u8, mut r: Reader<'_>) -> Result<()> {
        match field {
            field::SIGNEDNESS => {
                let bits = r.rest();
                let numbers = self.columns.iter_mut().filter(|c| c.ty.has_sign());
                for (at, column) in numbers.enumerate() {
                    // The highest bit of a byte is the first column's. A source that counts other columns than these says less here.
                    column.unsigned = bits.get(at / 8).map(|b| b >> (7 - at % 8) & 1 == 1);
                }
            }
            field::DEFAULT_CHARSET => self.default_charset(r, ColumnType::is_text)?,
            field::LIST_DEFAULT_CHARSET => self.default_charset(r, ColumnType::is_list)?,
            field::COLUMN_CHARSET => self.charsets(r, ColumnType::is_text)?,
            field::LIST_COLUMN_CHARSET => self.charsets(r, ColumnType::is_list)?,
            field::COLUMN_NAME => {
                for column in &mut self.columns {
                    let name = r.lenenc_str()?;
                    column.name = Some(String::from_utf8_lossy(name).into_owned());
                }
            }
            field::SET_STR_VALUE | field::ENUM_STR_VALUE => {
                let set = field == field::SET_STR_VALUE;
                for column in self
                    .columns
                    .iter_mut()
                    .filter(|c| c.ty.is_list() && matches!(c.ty, ColumnType::Set { .. }) == set)
                {
                    let count = r.lenenc_int()?;
                    for _ in 0..count {
                        column.members.push(r.lenenc_str()?.to_vec());
                    }
                }
            }
            field::SIMPLE_PRIMARY_KEY | field::PRIMARY_KEY_WITH_PREFIX => {
                while !r.is_empty() {
                    let at = r.lenenc_int()? as usize;
                    if at >= self.columns.len() {
                        return Err(Error::Malformed("the primary key of a table"));
                    }
                    self.primary_key.push(at);
                    if field == field::PRIMARY_KEY_WITH_PREFIX {
                        r.lenenc_int()?;
                    }
                }
            }
            // What else a source says of columns (visibility, geometry types) the replica's table decides.
            _ => {}
        }
        Ok(())
    }

    fn default_charset(&mut self, mut r: Reader<'_>, of: fn(ColumnType) -> bool) -> Result<()> {
        let usual = r.lenenc_int()? as u16;
        let mut columns: Vec<_> = self.columns.iter_mut().filter(|c| of(c.ty)).collect();
        columns.iter_mut().for_each(|c| c.collation = Some(usual));
        while !r.is_empty() {
            let (at, collation) = (r.lenenc_int()? as usize, r.lenenc_int()? as u16);
            match columns.get_mut(at) {
                Some(column) => column.collation = Some(collation),
                None => return Err(Error::Malformed("the character sets of a table")),
            }
        }
        Ok(())
    }

    fn charsets(&mut self, mut r: Reader<'_>, of: fn(ColumnType) -> bool) -> Result<()> {
        for column in self.columns.iter_mut().filter(|c| of(c.ty)) {
            column.collation = Some(r.lenenc_int()? as u16);
        }
        Ok(())
    }
}

fn column_type(code: u8, meta: &mut Reader<'_>, table: (&str, &str)) -> Result<ColumnType> {
    use ColumnType::*;
    let refused = |what: &str| {
        let (schema, table) = table;
        Err(Error::Refused(format!("a column of type {what} in table '{schema}.{table}'")))
    };
    let fsp = |fsp: u8| match fsp {
        0..=6 => Ok(fsp),
        _ => Err(Error::Malformed("the digits of a fraction")),
    };
    Ok(match code {
        code::TINY => Int { bytes: 1 },
        code::SHORT => Int { bytes: 2 },
        code::INT24 => Int { bytes: 3 },
        code::LONG => Int { bytes: 4 },
        code::LONGLONG => Int { bytes: 8 },
        code::FLOAT | code::DOUBLE => match (code, meta.u8()?) {
            (code::FLOAT, 4) => Float,
            (code::DOUBLE, 8) => Double,
            _ => return Err(Error::Malformed("the length of a FLOAT")),
        },
        code::NEWDECIMAL => {
            let (precision, scale) = (meta.u8()?, meta.u8()?);
            decimal::len(precision, scale)?;
            Decimal { precision, scale }
        }
        code::YEAR => Year,
        code::DATE | code::NEWDATE => Date,
        code::TIME => OldTime,
        code::DATETIME => OldDateTime,
        code::TIMESTAMP => OldTimestamp,
        code::TIME2 => Time { fsp: fsp(meta.u8()?)? },
        code::DATETIME2 => DateTime { fsp: fsp(meta.u8()?)? },
        code::TIMESTAMP2 => Timestamp { fsp: fsp(meta.u8()?)? },
        code::VARCHAR | code::VAR_STRING => Varchar { bytes: meta.u16()? },
        code::TINY_BLOB..=code::BLOB => Blob { length: meta.u8()? },
        code::JSON => Json { length: meta.u8()? },
        code::GEOMETRY => Geometry { length: meta.u8()? },
        code::BIT => {
            let (bits, bytes) = (meta.u8()?, meta.u8()?);
            match u16::from(bytes) * 8 + u16::from(bits) {
                n @ 1..=64 if bits < 8 => Bit { bits: n as u8 },
                _ => return Err(Error::Malformed("the bits of a BIT")),
            }
        }
        code::STRING | code::ENUM | code::SET => string(code, meta.u8()?, meta.u8()?)?,
        code::VECTOR => return refused("VECTOR"),
        code::BLOB_COMPRESSED | code::VARCHAR_COMPRESSED => return refused("COMPRESSED"),
        other => return refused(&other.to_string()),
    })
}

/// CHAR, ENUM and SET share a type. The first byte has the real one, in which two bits of a long length are hidden, inverted.
fn string(code: u8, first: u8, second: u8) -> Result<ColumnType> {
    let real = if code == code::STRING { first | 0x30 } else { code };
    match real {
        code::ENUM if (1..=2).contains(&second) => Ok(ColumnType::Enum { bytes: second }),
        code::SET if (1..=8).contains(&second) => Ok(ColumnType::Set { bytes: second }),
        code::STRING | code::VAR_STRING => {
            let high = u16::from((first & 0x30) ^ 0x30) << 4;
            Ok(ColumnType::Char { bytes: high | u16::from(second) })
        }
        _ => Err(Error::Malformed("the type of a CHAR")),
    }
}
