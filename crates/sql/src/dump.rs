//! Tables as SQL text that makes them again: CREATE TABLE as SHOW CREATE TABLE has it, and INSERT statements of many rows.
//!
//! The text is read with the settings that [`preamble`] makes, by Weir and by MySQL. What is no text in UTF-8 is written in hexadecimal
//! digits; TIMESTAMP is written in UTC. May use `meta`, `show` and `value`.

use crate::meta::{TableMeta, codec, schema_meta};
use crate::session_api::SqlError;
use crate::show::create_table::{self, Style};
use crate::value::{Collation, SqlType, TimeZone, Value};
use std::fmt::Write as _;
use std::sync::Arc;
use weir_engine::row::{Datum, RowView};
use weir_engine::{SchemaDef, Table};

const STYLE: Style = Style { ansi_quotes: false, ansi: false, tz: TimeZone::UTC };

/// An INSERT statement is ended when it has this many bytes: far below `max_allowed_packet`, unless one row alone has more.
const STATEMENT: usize = 256 << 10;

/// A quoted name.
pub fn name(name: &str) -> String {
    STYLE.name(name)
}

/// What comes first in every file. Checks of other tables are off, a zero in an AUTO_INCREMENT column stays zero, and dates that were
/// allowed once are allowed.
pub fn preamble() -> &'static str {
    "SET NAMES utf8mb4;\n\
     SET time_zone = '+00:00';\n\
     SET foreign_key_checks = 0;\n\
     SET unique_checks = 0;\n\
     SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES';\n"
}

/// CREATE DATABASE; of a schema whose own entry is lost, with the defaults.
pub fn create_schema(schema: &str, known: Option<&SchemaDef>) -> String {
    let mut out = format!("CREATE DATABASE IF NOT EXISTS {}", name(schema));
    if let Some(collation) = known.map(|s| schema_meta(s).collation) {
        let _ = write!(
            out,
            " DEFAULT CHARACTER SET {} COLLATE {}",
            collation.charset().name(),
            collation.name()
        );
    }
    out
}

/// A table's dump under way.
pub struct TableDump {
    table: Arc<Table>,
    meta: TableMeta,
    /// INSERT INTO with the columns.
    head: String,
    /// Bytes of the statement that is being written; 0: none is.
    open: usize,
    scratch: Vec<u8>,
}

impl TableDump {
    /// `ignore`: rows that others contradict are left out by the server that reads them, for no commit vouches for them.
    pub fn new(table: &Arc<Table>, ignore: bool) -> Result<TableDump, SqlError> {
        let meta = codec::decode_table(&table.def.extra)?;
        if meta.columns.len() != table.def.columns.len() {
            return Err(SqlError::internal(format!(
                "the metadata of table '{}.{}' does not fit its definition",
                table.def.schema, table.def.name
            )));
        }
        let own = meta.columns.iter().filter(|c| !c.is_generated());
        let columns: Vec<String> = own.map(|c| name(&c.name)).collect();
        let head = format!(
            "INSERT {}INTO {} ({}) VALUES\n",
            if ignore { "IGNORE " } else { "" },
            name(&table.def.name),
            columns.join(", ")
        );
        Ok(TableDump { table: table.clone(), meta, head, open: 0, scratch: Vec::new() })
    }

    pub fn create(&self) -> String {
        let next = self.table.auto_increment_next();
        let def = &self.table.def;
        create_table::create_table((&def.schema, &def.name), &self.meta, next, STYLE)
    }

    /// Appends a row in the engine's form. `lost`: columns whose value is not known, NULL where they may be.
    pub fn row(&mut self, row: &[u8], lost: &[usize], out: &mut Vec<u8>) {
        let start = out.len();
        if self.open > STATEMENT {
            self.end(out);
        }
        out.extend_from_slice(if self.open == 0 { self.head.as_bytes() } else { b",\n" });
        let view = RowView::new(&self.table.layout, row);
        out.push(b'(');
        let own = self.meta.columns.iter().enumerate().filter(|(_, c)| !c.is_generated());
        for (n, (i, column)) in own.enumerate() {
            if n > 0 {
                out.push(b',');
            }
            match lost.contains(&i) {
                true if column.nullable => out.extend_from_slice(b"NULL /* lost */"),
                true => out.extend_from_slice(b"'' /* lost */"),
                false => literal(&column.ty, view.get(i), &mut self.scratch, out),
            }
        }
        out.push(b')');
        self.open += out.len() - start;
    }

    /// Ends the statement that is being written.
    pub fn end(&mut self, out: &mut Vec<u8>) {
        if self.open > 0 {
            out.extend_from_slice(b";\n");
        }
        self.open = 0;
    }

    /// Names of columns.
    pub fn columns(&self, which: &[usize]) -> String {
        let names = which.iter().filter_map(|i| self.meta.columns.get(*i));
        names.map(|c| c.name.clone()).collect::<Vec<_>>().join(", ")
    }
}

/// A value as a literal that gives the same bytes when it is stored again.
fn literal(ty: &SqlType, datum: Datum<'_>, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
    if datum == Datum::Null {
        out.extend_from_slice(b"NULL");
        return;
    }
    let value = ty.load(datum, TimeZone::UTC);
    if ty.is_string() || *ty == SqlType::Json {
        let binary = *ty != SqlType::Json && ty.collation().is_none_or(Collation::is_binary);
        let text = value.to_text_in(Collation::Utf8mb4Bin).unwrap_or_default();
        match std::str::from_utf8(&text) {
            Ok(text) if !binary => out.extend_from_slice(create_table::literal(text).as_bytes()),
            // As it is stored, whatever that is.
            _ => hexadecimal(value.as_bytes().unwrap_or_default(), out),
        }
        return;
    }
    scratch.clear();
    match (ty, &value) {
        // All digits, where clients get six.
        (SqlType::Float { .. }, Value::Double(v)) if ty.fixed_digits().is_none() => {
            scratch.extend_from_slice(format!("{v:e}").as_bytes());
        }
        // Its bytes would be read as characters.
        (SqlType::Bit { .. }, bits) => bits.write_text(scratch),
        _ => ty.write_text(&value, scratch),
    }
    if ty.is_numeric() {
        out.extend_from_slice(scratch);
    } else {
        out.push(b'\'');
        out.extend_from_slice(scratch);
        out.push(b'\'');
    }
}

fn hexadecimal(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    if bytes.is_empty() {
        out.extend_from_slice(b"''");
        return;
    }
    out.extend_from_slice(b"x'");
    for b in bytes {
        out.push(DIGITS[usize::from(b >> 4)]);
        out.push(DIGITS[usize::from(b & 15)]);
    }
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(ty: SqlType, d: Datum<'_>) -> String {
        let (mut scratch, mut out) = (Vec::new(), Vec::new());
        literal(&ty, d, &mut scratch, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_quoted_safely() {
        let varchar = SqlType::varchar(20, Collation::Utf8mb40900AiCi);
        assert_eq!(text(varchar, Datum::Null), "NULL");
        assert_eq!(text(varchar, Datum::Bytes(b"it's \\ \n\0")), "'it''s \\\\ \\n\\0'");
        assert_eq!(text(varchar, Datum::Bytes(b"\xff\xfe")), "x'fffe'");
        assert_eq!(text(SqlType::varbinary(9), Datum::Bytes(b"a'\0")), "x'612700'");
        assert_eq!(text(SqlType::varbinary(9), Datum::Bytes(b"")), "''");
        assert_eq!(text(SqlType::INT, Datum::Int(-7)), "-7");
        assert_eq!(text(SqlType::Time { fsp: 2 }, Datum::Int(-1_500_000)), "'-00:00:01.50'");
        assert_eq!(
            text(SqlType::Timestamp { fsp: 0 }, Datum::UInt(86_400)),
            "'1970-01-02 00:00:00'"
        );
        let tenth = Datum::Float(f64::from(0.1f32));
        assert_eq!(text(SqlType::FLOAT, tenth), "1.0000000149011612e-1");
        assert_eq!(text(SqlType::Year, Datum::UInt(0)), "0000");
        assert_eq!(text(SqlType::Bit { bits: 10 }, Datum::UInt(513)), "513");
    }
}
