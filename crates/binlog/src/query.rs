//! QUERY events: a statement and what it ran under; and the events that come before one with its random numbers and variables.

use crate::error::{Error, Result};
use crate::payload::unpack_mariadb;
use std::borrow::Cow;
use weir_wire::Reader;

/// A statement as the source ran it.
#[derive(Clone, Debug, PartialEq)]
pub struct Query<'a> {
    pub thread_id: u32,
    /// Seconds that it ran.
    pub exec_time: u32,
    /// The error that it ended with at the source, after it had changed something.
    pub error: u16,
    /// The default database; empty where there was none.
    pub schema: &'a [u8],
    pub settings: Settings<'a>,
    /// In the character set of the client.
    pub text: Cow<'a, [u8]>,
}

/// The variables that an event carries. What it does not carry is as it was at the source's default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings<'a> {
    pub flags2: Option<u32>,
    pub sql_mode: Option<u64>,
    /// `auto_increment_increment` and `auto_increment_offset`.
    pub auto_increment: Option<(u16, u16)>,
    /// Numbers of `character_set_client` (as a collation), `collation_connection`, `collation_server`.
    pub charset: Option<(u16, u16, u16)>,
    pub time_zone: Option<&'a [u8]>,
    pub lc_time_names: Option<u16>,
    pub collation_database: Option<u16>,
    /// The account that `CURRENT_USER` is.
    pub invoker: Option<(&'a [u8], &'a [u8])>,
    /// Databases that the statement changes. `None` where the event does not say, or there are too many.
    pub changed_schemas: Option<Vec<&'a [u8]>>,
    /// Microseconds of the time at which the statement began.
    pub micros: Option<u32>,
    pub explicit_defaults: Option<bool>,
    /// The number of the transaction of a definition statement.
    pub ddl_xid: Option<u64>,
    pub default_utf8mb4: Option<u16>,
    pub require_primary_key: Option<bool>,
    pub table_encryption: Option<bool>,
}

/// Bits of `flags2`.
pub mod flag2 {
    pub const AUTO_IS_NULL: u32 = 0x4000;
    pub const NOT_AUTOCOMMIT: u32 = 0x8_0000;
    pub const NO_FOREIGN_KEY_CHECKS: u32 = 1 << 26;
    pub const RELAXED_UNIQUE_CHECKS: u32 = 1 << 27;
}

/// Numbers of the variables.
pub(crate) mod var {
    pub const FLAGS2: u8 = 0;
    pub const SQL_MODE: u8 = 1;
    pub const CATALOG: u8 = 2;
    pub const AUTO_INCREMENT: u8 = 3;
    pub const CHARSET: u8 = 4;
    pub const TIME_ZONE: u8 = 5;
    pub const CATALOG_NZ: u8 = 6;
    pub const LC_TIME_NAMES: u8 = 7;
    pub const CHARSET_DATABASE: u8 = 8;
    pub const TABLE_MAP_FOR_UPDATE: u8 = 9;
    pub const MASTER_DATA_WRITTEN: u8 = 10;
    pub const INVOKER: u8 = 11;
    pub const UPDATED_DB_NAMES: u8 = 12;
    pub const MICROSECONDS: u8 = 13;
    pub const EXPLICIT_DEFAULTS: u8 = 16;
    pub const DDL_XID: u8 = 17;
    pub const DEFAULT_UTF8MB4: u8 = 18;
    pub const REQUIRE_PRIMARY_KEY: u8 = 19;
    pub const TABLE_ENCRYPTION: u8 = 20;
    /// MariaDB's.
    pub const HRNOW: u8 = 128;
    pub const XID: u8 = 129;
    pub const GTID_FLAGS3: u8 = 130;
    pub const CHARSET_COLLATIONS: u8 = 131;
}

/// The count of databases that stands for "too many".
const MANY_SCHEMAS: u8 = 254;

impl<'a> Query<'a> {
    /// `packed`: MariaDB's compressed form, which has at most `limit` bytes.
    pub fn decode(body: &'a [u8], packed: bool, limit: u64) -> Result<Query<'a>> {
        let mut r = Reader::new(body);
        let (thread_id, exec_time) = (r.u32()?, r.u32()?);
        let schema_len = usize::from(r.u8()?);
        let error = r.u16()?;
        let settings_len = usize::from(r.u16()?);
        let settings = Settings::decode(r.bytes(settings_len)?)?;
        let schema = r.bytes(schema_len)?;
        if r.u8()? != 0 {
            return Err(Error::Malformed("the default database of a statement"));
        }
        let text = match packed {
            true => Cow::Owned(unpack_mariadb(r.rest(), limit)?),
            false => Cow::Borrowed(r.rest()),
        };
        Ok(Query { thread_id, exec_time, error, schema, settings, text })
    }

    /// The statement is this word alone, as the servers write BEGIN and its like.
    pub fn is(&self, word: &str) -> bool {
        self.text.trim_ascii().eq_ignore_ascii_case(word.as_bytes())
    }
}

impl<'a> Settings<'a> {
    fn decode(bytes: &'a [u8]) -> Result<Settings<'a>> {
        let mut r = Reader::new(bytes);
        let mut s = Settings::default();
        while !r.is_empty() {
            match r.u8()? {
                var::FLAGS2 => s.flags2 = Some(r.u32()?),
                var::SQL_MODE => s.sql_mode = Some(r.u64()?),
                var::CATALOG => {
                    short(&mut r)?;
                    r.u8()?;
                }
                var::AUTO_INCREMENT => s.auto_increment = Some((r.u16()?, r.u16()?)),
                var::CHARSET => s.charset = Some((r.u16()?, r.u16()?, r.u16()?)),
                var::TIME_ZONE => s.time_zone = Some(short(&mut r)?),
                var::CATALOG_NZ => _ = short(&mut r)?,
                var::LC_TIME_NAMES => s.lc_time_names = Some(r.u16()?),
                var::CHARSET_DATABASE => s.collation_database = Some(r.u16()?),
                var::TABLE_MAP_FOR_UPDATE | var::XID => _ = r.u64()?,
                var::MASTER_DATA_WRITTEN => _ = r.u32()?,
                var::INVOKER => s.invoker = Some((short(&mut r)?, short(&mut r)?)),
                var::UPDATED_DB_NAMES => s.changed_schemas = changed(&mut r)?,
                var::MICROSECONDS | var::HRNOW => s.micros = Some(r.u24()?),
                var::EXPLICIT_DEFAULTS => s.explicit_defaults = Some(r.u8()? != 0),
                var::DDL_XID => s.ddl_xid = Some(r.u64()?),
                var::DEFAULT_UTF8MB4 => s.default_utf8mb4 = Some(r.u16()?),
                var::REQUIRE_PRIMARY_KEY => s.require_primary_key = Some(r.u8()? != 0),
                var::TABLE_ENCRYPTION => s.table_encryption = Some(r.u8()? != 0),
                var::GTID_FLAGS3 => _ = r.u16()?,
                var::CHARSET_COLLATIONS => {
                    let count = usize::from(r.u8()?);
                    r.bytes(count * 4)?;
                }
                // As MySQL has it: what comes after a variable that is not known cannot be found.
                _ => break,
            }
        }
        Ok(s)
    }

    /// Whether a bit of `flags2` is set; `None` where the event does not carry them.
    pub fn flag(&self, bit: u32) -> Option<bool> {
        self.flags2.map(|f| f & bit != 0)
    }
}

/// A text behind its length in one byte.
fn short<'a>(r: &mut Reader<'a>) -> Result<&'a [u8]> {
    let len = usize::from(r.u8()?);
    Ok(r.bytes(len)?)
}

fn changed<'a>(r: &mut Reader<'a>) -> Result<Option<Vec<&'a [u8]>>> {
    let count = r.u8()?;
    if count >= MANY_SCHEMAS {
        return Ok(None);
    }
    let mut all = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        all.push(r.nul_str()?);
    }
    Ok(Some(all))
}

/// The value of a user variable that a statement reads.
#[derive(Clone, Debug, PartialEq)]
pub enum UserValue<'a> {
    Null,
    Text { bytes: &'a [u8], collation: u32 },
    Real(f64),
    Int { value: i64, unsigned: bool },
    Decimal(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct UserVar<'a> {
    pub name: &'a [u8],
    pub value: UserValue<'a>,
}

impl<'a> UserVar<'a> {
    pub fn decode(body: &'a [u8]) -> Result<UserVar<'a>> {
        let mut r = Reader::new(body);
        let len = r.u32()? as usize;
        let name = r.bytes(len)?;
        if r.u8()? != 0 {
            return Ok(UserVar { name, value: UserValue::Null });
        }
        let (kind, collation, len) = (r.u8()?, r.u32()?, r.u32()? as usize);
        let bytes = r.bytes(len)?;
        // The byte behind the value came with MySQL 5.1.
        let unsigned = !r.is_empty() && r.u8()? & 1 == 1;
        let bad = || Error::Malformed("a user variable");
        let number = || -> Result<[u8; 8]> { bytes.try_into().map_err(|_| bad()) };
        let value = match kind {
            0 => UserValue::Text { bytes, collation },
            1 => UserValue::Real(f64::from_le_bytes(number()?)),
            2 => UserValue::Int { value: i64::from_le_bytes(number()?), unsigned },
            4 => {
                let [precision, scale, rest @ ..] = bytes else { return Err(bad()) };
                UserValue::Decimal(crate::decimal::decode(rest, *precision, *scale)?)
            }
            _ => return Err(bad()),
        };
        Ok(UserVar { name, value })
    }
}
