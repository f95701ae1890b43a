//! What the rest of the code asks about a type, one arm for each. A new type gets its class and its facts here; what it does with
//! values of other types stands where the types truly differ (`value::store`, the bytes of a definition in `meta::codec`, the grammar in
//! `ddl::types`, the ranges of an index in `query::ranges`).

use super::protocol::column_type;
use super::{IntKind, LobKind, NOT_FIXED, SqlType};
use crate::value::decimal::fixed_len;
use weir_engine::row::{Collation, PhysType};

/// What the values of a type are. It decides how they compare, what arithmetic makes of them, and the form in which they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Null,
    Int,
    Decimal,
    /// FLOAT and DOUBLE.
    Real,
    /// Characters, or bytes under the collation `binary`.
    Text,
    Date,
    DateTime,
    Time,
    Json,
}

/// One row of the table of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// DATA_TYPE of information_schema: the bare name.
    pub name: &'static str,
    /// `MYSQL_TYPE_*` of the client protocol.
    pub wire: u8,
    /// How values are stored.
    pub phys: PhysType,
    /// Bytes that a column counts for against the limit of a row (MySQL's pack length).
    pub packed: u64,
    /// Characters of the longest value as text; bytes of a BLOB.
    pub shown: u32,
    /// `decimals` of the metadata packet.
    pub decimals: u8,
    /// As a number in arithmetic: digits, and those of them behind the point. `None`: a double.
    pub number: Option<(u8, u8)>,
    /// NUMERIC_PRECISION and NUMERIC_SCALE.
    pub precision: Option<(u8, Option<u8>)>,
    /// CHARACTER_MAXIMUM_LENGTH and CHARACTER_OCTET_LENGTH.
    pub text: Option<(u64, u64)>,
    /// DATETIME_PRECISION.
    pub fsp: Option<u8>,
}

impl SqlType {
    /// Characters of the longest value as text. Of a TEXT MySQL takes the bytes for characters.
    pub fn text_length(&self) -> u32 {
        match self {
            SqlType::Text { kind: LobKind::Tiny, .. } => LobKind::Tiny.max_bytes(),
            SqlType::Text { .. } => self.octet_length(),
            _ => self.value_length(1),
        }
    }

    /// TIMESTAMP, of whose values it is known when they were, in whatever zone.
    pub fn is_point_in_time(&self) -> bool {
        matches!(self, SqlType::Timestamp { .. })
    }

    /// What messages call a type behind RETURNING.
    pub fn returned_name(&self) -> &'static str {
        match self {
            SqlType::Int { unsigned: false, .. } => "SIGNED",
            SqlType::Int { unsigned: true, .. } => "UNSIGNED",
            SqlType::Decimal { .. } => "DECIMAL",
            SqlType::Float { .. } => "FLOAT",
            SqlType::Double { .. } => "DOUBLE",
            SqlType::Date => "DATE",
            SqlType::Time { .. } => "TIME",
            SqlType::DateTime { .. } => "DATETIME",
            SqlType::Year => "YEAR",
            SqlType::Json => "JSON",
            _ => "STRING",
        }
    }

    /// The largest number that a column of integers holds.
    pub fn largest_integer(&self) -> Option<u64> {
        match *self {
            SqlType::Int { kind, unsigned, .. } => kind.range(unsigned).1.try_into().ok(),
            _ => None,
        }
    }

    /// Bytes of the longest value as text, in its own character set.
    pub fn octet_length(&self) -> u32 {
        match *self {
            SqlType::Text { kind, collation } => {
                kind.max_bytes().saturating_mul(collation.max_char_bytes() as u32)
            }
            SqlType::Bit { bits } => u32::from(bits),
            _ => self.value_length(self.collation().map_or(1, |c| c.max_char_bytes() as u32)),
        }
    }

    /// Without the widths that columns were declared with, which say how values are shown and not how long they are.
    fn value_length(&self, char_bytes: u32) -> u32 {
        match *self {
            SqlType::Int { kind, unsigned, .. } if kind != IntKind::Big => {
                kind.display_width(unsigned)
            }
            SqlType::Double { .. } if self.fixed_digits().is_some() => {
                SqlType::DOUBLE.facts().shown
            }
            _ => self.display_length(char_bytes),
        }
    }

    /// The bytes of a BIT where it is taken as bytes.
    pub fn bytes_of_bits(&self) -> Option<u32> {
        match self {
            SqlType::Bit { bits } => Some(u32::from(bits.div_ceil(8))),
            _ => None,
        }
    }

    /// Asked for each value: apart from the facts, so that it is one look at the variant.
    pub const fn class(&self) -> Class {
        match self {
            SqlType::Null => Class::Null,
            SqlType::Int { .. } | SqlType::Year | SqlType::Bit { .. } => Class::Int,
            SqlType::Decimal { .. } => Class::Decimal,
            SqlType::Float { .. } | SqlType::Double { .. } => Class::Real,
            SqlType::Char { .. }
            | SqlType::Varchar { .. }
            | SqlType::Text { .. }
            | SqlType::Enum { .. }
            | SqlType::Set { .. }
            | SqlType::Geometry { .. } => Class::Text,
            SqlType::Date => Class::Date,
            SqlType::DateTime { .. } | SqlType::Timestamp { .. } => Class::DateTime,
            SqlType::Time { .. } => Class::Time,
            SqlType::Json => Class::Json,
        }
    }

    /// Years are stored as years since 1900; dates packed; TIME as seconds or, with a fraction, microseconds; TIMESTAMP as
    /// UTC seconds or microseconds, 0 being '0000-00-00'.
    pub fn facts(&self) -> Facts {
        match *self {
            SqlType::Null => Facts { number: Some((1, 0)), ..NULL },
            SqlType::Int { kind, unsigned, width, .. } => of_int(kind, unsigned, width),
            SqlType::Decimal { precision, scale, unsigned, .. } => Facts {
                name: "decimal",
                wire: column_type::NEWDECIMAL,
                phys: PhysType::Fixed { len: fixed_len(precision) as u16 },
                packed: decimal_bytes(precision - scale) + decimal_bytes(scale),
                shown: u32::from(precision) + u32::from(scale > 0) + u32::from(!unsigned),
                decimals: scale,
                number: Some((precision, scale)),
                precision: Some((precision, Some(scale))),
                ..NULL
            },
            SqlType::Float { digits, .. } => of_real("float", digits, 12, PhysType::F32, 4),
            SqlType::Double { digits, .. } => of_real("double", digits, 22, PhysType::F64, 8),
            SqlType::Char { chars, collation } => Facts {
                name: if collation.is_binary() { "binary" } else { "char" },
                wire: column_type::STRING,
                ..of_chars(chars, collation)
            },
            SqlType::Varchar { chars, collation } => {
                let facts = of_chars(chars, collation);
                let length_bytes = if facts.packed > 255 { 2 } else { 1 };
                Facts {
                    name: if collation.is_binary() { "varbinary" } else { "varchar" },
                    wire: column_type::VAR_STRING,
                    packed: facts.packed + length_bytes,
                    ..facts
                }
            }
            SqlType::Text { kind, collation } => of_lob(kind, collation),
            SqlType::Date => of_day("date", column_type::DATE, 3, 10, 8),
            SqlType::Time { fsp } => {
                let bytes = if fsp == 0 { 3 } else { 8 };
                let phys = PhysType::Int { bytes, unsigned: false };
                of_moment("time", column_type::TIME, phys, 3, 10, 7, fsp)
            }
            SqlType::DateTime { fsp } => {
                let phys = PhysType::Int { bytes: 8, unsigned: true };
                of_moment("datetime", column_type::DATETIME, phys, 5, 19, 14, fsp)
            }
            SqlType::Timestamp { fsp } => {
                let bytes = if fsp == 0 { 4 } else { 8 };
                let phys = PhysType::Int { bytes, unsigned: true };
                of_moment("timestamp", column_type::TIMESTAMP, phys, 4, 19, 14, fsp)
            }
            SqlType::Json => of_document("json", column_type::JSON),
            SqlType::Geometry { kind, .. } => of_document(kind.type_name(), column_type::GEOMETRY),
            SqlType::Year => of_day("year", column_type::YEAR, 1, 4, 4),
            SqlType::Bit { bits } => of_bits(bits),
            SqlType::Enum { members, collation } => {
                let bytes = if members.len() < 256 { 1 } else { 2 };
                of_members("enum", bytes, members.lengths(collation).0, collation)
            }
            SqlType::Set { members, collation } => {
                let bytes = whole_bytes(members.len().div_ceil(8).max(1) as u8);
                of_members("set", bytes, members.lengths(collation).1, collation)
            }
        }
    }
}

/// The facts of NULL, and of each type what it does not say of itself.
const NULL: Facts = Facts {
    name: "null",
    wire: column_type::NULL,
    phys: PhysType::Fixed { len: 0 },
    packed: 0,
    shown: 0,
    decimals: 0,
    number: None,
    precision: None,
    text: None,
    fsp: None,
};

fn of_int(kind: IntKind, unsigned: bool, width: Option<u8>) -> Facts {
    // NUMERIC_PRECISION has the digits that every value of that many bytes fits, except for BIGINT; arithmetic has those of the longest,
    // or of the longest that an expression gives.
    let (wire, precision) = match kind {
        IntKind::Tiny => (column_type::TINY, 3),
        IntKind::Small => (column_type::SHORT, 5),
        IntKind::Medium => (column_type::INT24, 7),
        IntKind::Int => (column_type::LONG, 10),
        IntKind::Big if unsigned => (column_type::LONGLONG, 20),
        IntKind::Big => (column_type::LONGLONG, 19),
    };
    let shown = width.map_or(kind.display_width(unsigned), u32::from);
    // The width of a column of fewer bytes says nothing of its values.
    let longest = if kind == IntKind::Big { shown } else { kind.display_width(unsigned) };
    let digits = longest.saturating_sub(u32::from(!unsigned)).max(1) as u8;
    Facts {
        name: kind.name(),
        wire,
        phys: PhysType::Int { bytes: kind.bytes(), unsigned },
        packed: u64::from(kind.bytes()),
        shown,
        number: Some((digits, 0)),
        precision: Some((precision, Some(0))),
        ..NULL
    }
}

/// DATE and YEAR, which have no fraction.
fn of_day(name: &'static str, wire: u8, bytes: u8, shown: u32, digits: u8) -> Facts {
    Facts {
        name,
        wire,
        phys: PhysType::Int { bytes, unsigned: true },
        packed: u64::from(bytes),
        shown,
        number: Some((digits, 0)),
        ..NULL
    }
}

fn of_bits(bits: u8) -> Facts {
    let bytes = bits.div_ceil(8);
    Facts {
        name: "bit",
        wire: column_type::BIT,
        phys: PhysType::Int { bytes: whole_bytes(bytes), unsigned: true },
        packed: u64::from(bytes),
        shown: u32::from(bits),
        number: Some((bits, 0)),
        precision: Some((bits, None)),
        ..NULL
    }
}

/// Integers of five bytes and more have eight.
fn whole_bytes(bytes: u8) -> u8 {
    if bytes > 4 { 8 } else { bytes }
}

/// ENUM and SET: `shown` characters at most.
fn of_members(name: &'static str, bytes: u8, shown: u32, collation: Collation) -> Facts {
    let octets = u64::from(shown) * collation.max_char_bytes() as u64;
    Facts {
        name,
        wire: column_type::STRING,
        phys: PhysType::Int { bytes, unsigned: true },
        packed: u64::from(bytes),
        shown,
        text: Some((u64::from(shown), octets)),
        ..NULL
    }
}

/// Bytes that MySQL's DECIMAL takes for a number of digits on one side of the point.
fn decimal_bytes(digits: u8) -> u64 {
    u64::from(digits / 9) * 4 + [0, 1, 1, 2, 2, 3, 3, 4, 4][usize::from(digits % 9)]
}

/// `shown`: the longest value where the digits are not fixed.
fn of_real(
    name: &'static str,
    digits: Option<(u8, u8)>,
    shown: u8,
    phys: PhysType,
    bytes: u64,
) -> Facts {
    let width = digits.map_or(shown, |(m, _)| m);
    Facts {
        name,
        wire: if phys == PhysType::F32 { column_type::FLOAT } else { column_type::DOUBLE },
        phys,
        packed: bytes,
        shown: u32::from(width),
        decimals: digits.map_or(NOT_FIXED, |(_, d)| d),
        precision: Some((width, digits.map(|(_, d)| d).filter(|d| *d < NOT_FIXED))),
        ..NULL
    }
}

fn of_chars(chars: u32, collation: Collation) -> Facts {
    let char_bytes = collation.max_char_bytes() as u32;
    let bytes = u64::from(chars) * u64::from(char_bytes);
    let stored = collation.charset().stored_char_bytes() as u32;
    Facts {
        phys: PhysType::Var { collation, max_bytes: chars.saturating_mul(stored) },
        packed: bytes,
        shown: chars,
        text: Some((u64::from(chars), bytes)),
        ..NULL
    }
}

fn of_lob(kind: LobKind, collation: Collation) -> Facts {
    let (text, blob, length_bytes) = match kind {
        LobKind::Tiny => ("tinytext", "tinyblob", 1),
        LobKind::Normal => ("text", "blob", 2),
        LobKind::Medium => ("mediumtext", "mediumblob", 3),
        LobKind::Long => ("longtext", "longblob", 4),
    };
    let max = kind.max_bytes();
    // Two bytes of a set with units of several are three of UTF-8 at most.
    let stored = if collation.charset().is_wide() { max.saturating_add(max / 2 + 1) } else { max };
    Facts {
        name: if collation.is_binary() { blob } else { text },
        wire: column_type::BLOB,
        phys: PhysType::Var { collation, max_bytes: stored },
        // A pointer and the length.
        packed: 8 + length_bytes,
        shown: max,
        text: Some((u64::from(max) / collation.charset().unit() as u64, u64::from(max))),
        ..NULL
    }
}

/// JSON and geometries: bytes whose length nobody counts.
fn of_document(name: &'static str, wire: u8) -> Facts {
    Facts {
        name,
        wire,
        phys: PhysType::Var { collation: Collation::Binary, max_bytes: u32::MAX },
        packed: 12,
        shown: u32::MAX,
        ..NULL
    }
}

/// A type with fractional digits: bytes, characters and digits are those of a value without a fraction.
fn of_moment(
    name: &'static str,
    wire: u8,
    phys: PhysType,
    bytes: u64,
    shown: u32,
    digits: u8,
    fsp: u8,
) -> Facts {
    Facts {
        name,
        wire,
        phys,
        packed: bytes + u64::from(fsp.div_ceil(2)),
        shown: shown + if fsp == 0 { 0 } else { u32::from(fsp) + 1 },
        decimals: fsp,
        number: Some((digits + fsp, fsp)),
        fsp: Some(fsp),
        ..NULL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::types::Members;

    /// Type, name, protocol number, bytes stored, bytes in a row, length as text, decimals, arithmetic, precision and scale.
    type Known =
        (SqlType, &'static str, u8, PhysType, [u64; 3], Option<(u8, u8)>, Option<(u8, Option<u8>)>);

    fn known() -> Vec<Known> {
        let int = |bytes, unsigned| PhysType::Int { bytes, unsigned };
        let collation = Collation::Utf8mb4GeneralCi;
        let var = |max_bytes| PhysType::Var { collation, max_bytes };
        let members = Members::new(vec![b"a"[..].into(), b"bc"[..].into()]);
        let long = SqlType::Text { kind: LobKind::Long, collation };
        vec![
            (SqlType::Null, "null", 6, PhysType::Fixed { len: 0 }, [0, 0, 0], Some((1, 0)), None),
            (SqlType::INT, "int", 3, int(4, false), [4, 11, 0], Some((10, 0)), Some((10, Some(0)))),
            (
                SqlType::UBIGINT,
                "bigint",
                8,
                int(8, true),
                [8, 20, 0],
                Some((20, 0)),
                Some((20, Some(0))),
            ),
            (
                SqlType::decimal(10, 2),
                "decimal",
                246,
                PhysType::Fixed { len: 5 },
                [5, 12, 2],
                Some((10, 2)),
                Some((10, Some(2))),
            ),
            (SqlType::FLOAT, "float", 4, PhysType::F32, [4, 12, 31], None, Some((12, None))),
            (SqlType::DOUBLE, "double", 5, PhysType::F64, [8, 22, 31], None, Some((22, None))),
            (SqlType::Char { chars: 3, collation }, "char", 254, var(12), [12, 12, 0], None, None),
            (SqlType::varchar(64, collation), "varchar", 253, var(256), [258, 256, 0], None, None),
            (long, "longtext", 252, var(u32::MAX), [12, u64::from(u32::MAX), 0], None, None),
            (SqlType::Date, "date", 10, int(3, true), [3, 10, 0], Some((8, 0)), None),
            (SqlType::Time { fsp: 0 }, "time", 11, int(3, false), [3, 10, 0], Some((7, 0)), None),
            (
                SqlType::DateTime { fsp: 3 },
                "datetime",
                12,
                int(8, true),
                [7, 23, 3],
                Some((17, 3)),
                None,
            ),
            (
                SqlType::Timestamp { fsp: 0 },
                "timestamp",
                7,
                int(4, true),
                [4, 19, 0],
                Some((14, 0)),
                None,
            ),
            (SqlType::Year, "year", 13, int(1, true), [1, 4, 0], Some((4, 0)), None),
            (
                SqlType::Bit { bits: 40 },
                "bit",
                16,
                int(8, true),
                [5, 40, 0],
                Some((40, 0)),
                Some((40, None)),
            ),
            (
                SqlType::Enum { members, collation },
                "enum",
                254,
                int(1, true),
                [1, 8, 0],
                None,
                None,
            ),
            (SqlType::Set { members, collation }, "set", 254, int(1, true), [1, 16, 0], None, None),
            (
                SqlType::geometry(crate::value::GeoKind::Collection),
                "geomcollection",
                255,
                PhysType::Var { collation: Collation::Binary, max_bytes: u32::MAX },
                [12, u64::from(u32::MAX), 0],
                None,
                None,
            ),
        ]
    }

    #[test]
    fn facts_are_mysqls() {
        for (ty, name, wire, phys, [packed, length, decimals], number, precision) in known() {
            let f = ty.facts();
            assert_eq!((f.name, f.wire, f.phys), (name, wire, phys), "{name}");
            let lengths = [f.packed, u64::from(ty.display_length(4)), u64::from(f.decimals)];
            assert_eq!(lengths, [packed, length, decimals], "{name}");
            assert_eq!((f.number, f.precision), (number, precision), "{name}");
            assert_eq!(
                f.fsp.is_some(),
                ty.fsp() > 0 || ["time", "timestamp"].contains(&name),
                "{name}"
            );
            let counted = ty.class() == Class::Text && !ty.is_geometry();
            assert_eq!(f.text.is_some(), counted, "{name}");
        }
    }
}
