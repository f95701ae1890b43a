//! Column types of definitions: MySQL's limits and errors, character sets.

use crate::errno;
use crate::session_api::SqlError;
use crate::value::types::without_spaces;
use crate::value::{Charset, Collation, GeoKind, IntKind, LobKind, Members, SqlType, old_sets};
use std::collections::HashSet;
use weir_syntax::ast::{CharsetWord, DataType, TypeKind};

use super::Env;

/// Largest VARCHAR and row in bytes.
pub const MAX_ROW: u64 = 65_535;
const MAX_DISPLAY_WIDTH: u64 = 255;
const MAX_FSP: u64 = 6;
const MAX_ENUM: usize = 65_535;
const MAX_SET: usize = 64;
/// Characters of a member.
const MAX_MEMBER: usize = 255;

/// A column's character set clauses and what they default to.
#[derive(Clone, Copy, Debug)]
pub struct TextDefaults {
    /// The table's collation.
    pub collation: Collation,
}

/// The SQL type of a column, and whether CHARACTER SET or COLLATE stands at it: then both are shown whatever the table's are.
pub fn column_type(
    column: &str,
    data: &DataType,
    collate: Option<&str>,
    table: TextDefaults,
    env: &mut Env<'_>,
) -> Result<(SqlType, bool), SqlError> {
    let collate = collate.or(data.collation.as_deref());
    let ty = match data.kind {
        TypeKind::TinyInt => integer(column, IntKind::Tiny, data, env)?,
        TypeKind::SmallInt => integer(column, IntKind::Small, data, env)?,
        TypeKind::MediumInt => integer(column, IntKind::Medium, data, env)?,
        TypeKind::Int => integer(column, IntKind::Int, data, env)?,
        TypeKind::BigInt => integer(column, IntKind::Big, data, env)?,
        TypeKind::Decimal => decimal(column, data, env)?,
        TypeKind::Float | TypeKind::Double => real(column, data, env)?,
        TypeKind::Date => SqlType::Date,
        TypeKind::Time => SqlType::Time { fsp: fsp(column, data)? },
        TypeKind::DateTime => SqlType::DateTime { fsp: fsp(column, data)? },
        TypeKind::Timestamp => SqlType::Timestamp { fsp: fsp(column, data)? },
        TypeKind::Year => year(data, env)?,
        TypeKind::Char
        | TypeKind::VarChar
        | TypeKind::TinyText
        | TypeKind::Text
        | TypeKind::MediumText
        | TypeKind::LongText => {
            let collation = text_collation(data, collate, table, env)?;
            text(column, data, collation, env)?
        }
        TypeKind::Binary
        | TypeKind::VarBinary
        | TypeKind::TinyBlob
        | TypeKind::Blob
        | TypeKind::MediumBlob
        | TypeKind::LongBlob => text(column, data, Collation::Binary, env)?,
        TypeKind::Bit => bit(column, data)?,
        TypeKind::Enum | TypeKind::Set => {
            let collation = text_collation(data, collate, table, env)?;
            list(column, data, collation, env)?
        }
        TypeKind::Json => SqlType::Json,
        TypeKind::Geometry => SqlType::geometry(GeoKind::Any),
        TypeKind::Point => SqlType::geometry(GeoKind::Point),
        TypeKind::LineString => SqlType::geometry(GeoKind::LineString),
        TypeKind::Polygon => SqlType::geometry(GeoKind::Polygon),
        TypeKind::MultiPoint => SqlType::geometry(GeoKind::MultiPoint),
        TypeKind::MultiLineString => SqlType::geometry(GeoKind::MultiLineString),
        TypeKind::MultiPolygon => SqlType::geometry(GeoKind::MultiPolygon),
        TypeKind::GeometryCollection => SqlType::geometry(GeoKind::Collection),
    };
    let named = collate.is_some() || data.charset.is_some();
    let explicit = named && ty.collation().is_some() && !ty.is_geometry();
    Ok((ty, explicit))
}

fn width_out_of_range(column: &str, max: u64) -> SqlError {
    SqlError::of(errno::ER_TOO_BIG_DISPLAYWIDTH, &[&column, &max])
}

/// 1681.
fn deprecated(env: &mut Env<'_>, text: &'static str) {
    env.warnings.warn(errno::ER_WARN_DEPRECATED_SYNTAX_NO_REPLACEMENT, || text.to_string());
}

fn warn_zerofill(data: &DataType, env: &mut Env<'_>) {
    if data.zerofill {
        deprecated(
            env,
            "The ZEROFILL attribute is deprecated and will be removed in a future release. Use the \
             LPAD function to zero-pad numbers, or store the formatted numbers in a CHAR column.",
        );
    }
}

fn integer(
    column: &str,
    kind: IntKind,
    data: &DataType,
    env: &mut Env<'_>,
) -> Result<SqlType, SqlError> {
    let (unsigned, zerofill) = (data.unsigned || data.zerofill, data.zerofill);
    let width = match data.length {
        Some(n) if n > MAX_DISPLAY_WIDTH => {
            return Err(width_out_of_range(column, MAX_DISPLAY_WIDTH));
        }
        Some(0) | None => None,
        Some(n) => Some(n as u8),
    };
    let boolean = kind == IntKind::Tiny && width == Some(1) && !unsigned;
    if data.length.is_some() && !boolean {
        deprecated(
            env,
            "Integer display width is deprecated and will be removed in a future release.",
        );
    }
    warn_zerofill(data, env);
    Ok(SqlType::Int { kind, unsigned, zerofill, width: width.filter(|_| zerofill || boolean) })
}

fn too_big_precision(column: &str, given: u64, max: u64) -> SqlError {
    SqlError::of(errno::ER_TOO_BIG_PRECISION, &[&given, &column, &max])
}

fn too_big_scale(column: &str, given: u64) -> SqlError {
    SqlError::of(errno::ER_TOO_BIG_SCALE, &[&given, &column, &"30"])
}

fn scale_above_precision(column: &str) -> SqlError {
    SqlError::of(errno::ER_M_BIGGER_THAN_D, &[&column])
}

fn warn_unsigned_real(data: &DataType, env: &mut Env<'_>) {
    if data.unsigned {
        deprecated(
            env,
            "UNSIGNED for decimal and floating point data types is deprecated and support for it \
             will be removed in a future release.",
        );
    }
}

fn decimal(column: &str, data: &DataType, env: &mut Env<'_>) -> Result<SqlType, SqlError> {
    let scale = data.scale.unwrap_or(0);
    let precision = data.length.filter(|&m| m > 0 || scale > 0).unwrap_or(10);
    if scale > 30 {
        return Err(too_big_scale(column, scale));
    }
    if precision > 65 {
        return Err(too_big_precision(column, precision, 65));
    }
    if scale > precision {
        return Err(scale_above_precision(column));
    }
    warn_zerofill(data, env);
    warn_unsigned_real(data, env);
    Ok(SqlType::Decimal {
        precision: precision as u8,
        scale: scale as u8,
        unsigned: data.unsigned || data.zerofill,
        zerofill: data.zerofill,
    })
}

fn real(column: &str, data: &DataType, env: &mut Env<'_>) -> Result<SqlType, SqlError> {
    let (unsigned, zerofill) = (data.unsigned || data.zerofill, data.zerofill);
    warn_zerofill(data, env);
    let mut double = data.kind == TypeKind::Double;
    let digits = match (data.length, data.scale) {
        (None, _) => None,
        (Some(bits), None) => {
            if bits > 53 {
                return Err(incorrect_specifier(column));
            }
            double |= bits > 24;
            None
        }
        (Some(m), Some(d)) => {
            if d > 30 {
                return Err(too_big_scale(column, d));
            }
            if m > MAX_DISPLAY_WIDTH {
                return Err(width_out_of_range(column, MAX_DISPLAY_WIDTH));
            }
            if d > m {
                return Err(scale_above_precision(column));
            }
            deprecated(
                env,
                "Specifying number of digits for floating point data types is deprecated and will \
                 be removed in a future release.",
            );
            Some((m as u8, d as u8))
        }
    };
    warn_unsigned_real(data, env);
    Ok(match double {
        true => SqlType::Double { unsigned, zerofill, digits },
        false => SqlType::Float { unsigned, zerofill, digits },
    })
}

/// 1063.
pub fn incorrect_specifier(column: &str) -> SqlError {
    SqlError::of(errno::ER_WRONG_FIELD_SPEC, &[&column])
}

fn fsp(column: &str, data: &DataType) -> Result<u8, SqlError> {
    match data.length.unwrap_or(0) {
        n if n > MAX_FSP => Err(too_big_precision(column, n, MAX_FSP)),
        n => Ok(n as u8),
    }
}

fn year(data: &DataType, env: &mut Env<'_>) -> Result<SqlType, SqlError> {
    match data.length {
        None => {}
        Some(4) => env.warnings.warn(errno::ER_WARN_DEPRECATED_SYNTAX, || {
            "'YEAR(4)' is deprecated and will be removed in a future release. Please use YEAR instead"
                .into()
        }),
        Some(_) => return Err(SqlError::of(errno::ER_INVALID_YEAR_COLUMN_LENGTH, &[])),
    }
    Ok(SqlType::Year)
}

fn bit(column: &str, data: &DataType) -> Result<SqlType, SqlError> {
    match data.length.unwrap_or(1) {
        0 => Err(SqlError::of(errno::ER_INVALID_FIELD_SIZE, &[&column])),
        n @ 1..=64 => Ok(SqlType::Bit { bits: n as u8 }),
        _ => Err(width_out_of_range(column, 64)),
    }
}

/// ENUM and SET: members lose their spaces at the end, differ, and have no comma in a SET.
fn list(
    column: &str,
    data: &DataType,
    collation: Collation,
    env: &mut Env<'_>,
) -> Result<SqlType, SqlError> {
    let set = data.kind == TypeKind::Set;
    let word = if set { "SET" } else { "ENUM" };
    if data.members.len() > if set { MAX_SET } else { MAX_ENUM } {
        return Err(SqlError::new(
            errno::ER_TOO_BIG_SET,
            format!("Too many strings for column {column} and {word}"),
        ));
    }
    let mut names: Vec<Box<[u8]>> = Vec::with_capacity(data.members.len());
    let mut known = HashSet::new();
    for member in &data.members {
        let (name, lost) = Charset::Utf8mb4.convert(member, collation.charset());
        let name = if collation.is_binary() { &name[..] } else { without_spaces(&name) };
        let shown = String::from_utf8_lossy(member);
        if lost > 0 {
            return Err(SqlError::new(
                errno::ER_INVALID_DEFAULT,
                format!(
                    "Invalid {word} value '{shown}' for column '{column}': not in its character set"
                ),
            ));
        }
        if collation.char_len(name) > MAX_MEMBER {
            return Err(SqlError::of(errno::ER_TOO_LONG_SET_ENUM_VALUE, &[&column]));
        }
        if set && name.contains(&b',') {
            return Err(SqlError::of(errno::ER_ILLEGAL_VALUE_FOR_TYPE, &[&"set", &shown]));
        }
        let mut weights = Vec::new();
        collation.weights(name, &mut weights);
        if !known.insert(weights) {
            let text = format!("Column '{column}' has duplicated value '{shown}' in {word}");
            if env.mode.strict() {
                return Err(SqlError::new(errno::ER_DUPLICATED_VALUE_IN_TYPE, text));
            }
            env.warnings.note(errno::ER_DUPLICATED_VALUE_IN_TYPE, || text);
        }
        names.push(name.into());
    }
    let members = Members::new(names);
    Ok(if set { SqlType::Set { members, collation } } else { SqlType::Enum { members, collation } })
}

/// CHAR, VARCHAR, TEXT and their binary kin.
fn text(
    column: &str,
    data: &DataType,
    collation: Collation,
    env: &mut Env<'_>,
) -> Result<SqlType, SqlError> {
    let char_bytes = collation.max_char_bytes() as u64;
    let lob = |kind| Ok(SqlType::Text { kind, collation });
    match data.kind {
        TypeKind::Char | TypeKind::Binary => {
            let chars = data.length.unwrap_or(1);
            if chars > 255 {
                return Err(too_long(column, 255));
            }
            Ok(SqlType::Char { chars: chars as u32, collation })
        }
        TypeKind::VarChar | TypeKind::VarBinary => {
            let Some(chars) = data.length else {
                return Err(SqlError::parse("", 1));
            };
            let max = MAX_ROW / char_bytes;
            if chars <= max {
                return Ok(SqlType::Varchar { chars: chars as u32, collation });
            }
            if env.mode.strict() {
                return Err(too_long(column, max));
            }
            let ty = SqlType::Text { kind: lob_for(column, chars, char_bytes)?, collation };
            let from = if collation.is_binary() { "VARBINARY" } else { "VARCHAR" };
            let to = if collation.is_binary() { "BLOB" } else { "TEXT" };
            env.warnings.note(errno::ER_AUTO_CONVERT, || {
                format!("Converting column '{column}' from {from} to {to}")
            });
            Ok(ty)
        }
        TypeKind::Text | TypeKind::Blob => match data.length {
            Some(chars) if chars > 0 => lob(lob_for(column, chars, char_bytes)?),
            _ => lob(LobKind::Normal),
        },
        TypeKind::TinyText | TypeKind::TinyBlob => lob(LobKind::Tiny),
        TypeKind::MediumText | TypeKind::MediumBlob => lob(LobKind::Medium),
        _ => lob(LobKind::Long),
    }
}

fn too_long(column: &str, max: u64) -> SqlError {
    SqlError::of(errno::ER_TOO_BIG_FIELDLENGTH, &[&column, &max])
}

/// The smallest TEXT or BLOB that holds this many characters.
fn lob_for(column: &str, chars: u64, char_bytes: u64) -> Result<LobKind, SqlError> {
    let bytes = chars.saturating_mul(char_bytes);
    let kinds = [LobKind::Tiny, LobKind::Normal, LobKind::Medium, LobKind::Long];
    if chars > u64::from(u32::MAX) {
        return Err(width_out_of_range(column, u64::from(u32::MAX)));
    }
    let fits = kinds.into_iter().find(|k| bytes <= u64::from(k.max_bytes()));
    Ok(fits.unwrap_or(LobKind::Long))
}

/// Character set and COLLATE clauses of a text column.
fn text_collation(
    data: &DataType,
    collate: Option<&str>,
    table: TextDefaults,
    env: &mut Env<'_>,
) -> Result<Collation, SqlError> {
    let charset = match data.charset_word {
        Some(word) => {
            env.warnings.warn(old_charset_word(word).0, || old_charset_word(word).1);
            data.charset.as_deref().and_then(Charset::by_name)
        }
        None => data.charset.as_deref().map(|c| charset_by_name(c, env)).transpose()?,
    };
    if let Some(name) = collate {
        return collation_for(name, charset, env);
    }
    if data.binary {
        env.warnings.warn(errno::ER_WARN_DEPRECATED_SYNTAX, || {
            "'BINARY as attribute of a type' is deprecated and will be removed in a future release. \
             Please use a CHARACTER SET clause with _bin collation instead"
                .into()
        });
        return Ok(Collation::bin_of(charset.unwrap_or(table.collation.charset())));
    }
    Ok(charset.map_or(table.collation, |c| env.default_of(c)))
}

/// What MySQL warns of where a column's character set is not named.
pub fn old_charset_word(word: CharsetWord) -> (u16, String) {
    let old = |word: &str| {
        let text = "is deprecated and will be removed in a future release. Please use CHARACTER SET charset_name instead";
        (errno::ER_WARN_DEPRECATED_SYNTAX, format!("'{word}' {text}"))
    };
    match word {
        CharsetWord::Ascii => old("ASCII"),
        CharsetWord::Unicode => old("UNICODE"),
        CharsetWord::National => {
            let text = "NATIONAL/NCHAR/NVARCHAR implies the character set UTF8MB3, which will be replaced by UTF8MB4 in a future release. Please consider using CHAR(x) CHARACTER SET UTF8MB4 in order to be unambiguous.";
            (errno::ER_DEPRECATED_NATIONAL, text.into())
        }
    }
}

/// The collation `name`, which has to be one of `charset` (1253).
pub fn collation_for(
    name: &str,
    charset: Option<Charset>,
    env: &mut Env<'_>,
) -> Result<Collation, SqlError> {
    let collation = collation_by_name(name, env)?;
    match charset {
        Some(charset) if collation.charset() != charset => Err(SqlError::of(
            errno::ER_COLLATION_CHARSET_MISMATCH,
            &[&collation.name(), &charset.name()],
        )),
        _ => Ok(collation),
    }
}

/// 1115 when there is none; warns of the names MySQL is about to drop.
pub fn charset_by_name(name: &str, env: &mut Env<'_>) -> Result<Charset, SqlError> {
    let charset = Charset::by_name(name)
        .ok_or_else(|| SqlError::of(errno::ER_UNKNOWN_CHARACTER_SET, &[&name]))?;
    if let Some((number, text)) = old_sets::of_charset(charset, name) {
        env.warnings.warn(number, || text);
    }
    Ok(charset)
}

/// 1273 when there is none.
pub fn collation_by_name(name: &str, env: &mut Env<'_>) -> Result<Collation, SqlError> {
    let collation = Collation::by_name(name)
        .ok_or_else(|| SqlError::of(errno::ER_UNKNOWN_COLLATION, &[&name]))?;
    if let Some((number, text)) = old_sets::of_collation(collation) {
        env.warnings.warn(number, || text);
    }
    Ok(collation)
}

/// Bytes of a whole column as a key part.
pub fn key_length(ty: SqlType) -> u64 {
    let facts = ty.facts();
    if ty.is_list() {
        return facts.packed;
    }
    facts.text.map_or(facts.packed, |(_, bytes)| bytes)
}
