//! Descriptions of columns, indexes and tables that SHOW and information_schema share.

use weir_engine::row::Charset;

use crate::ddl::literal::{stored_bytes, stored_text};
use crate::meta::{ColumnDefault, IndexPart, SqlColumn, SqlTable, TableMeta};
use crate::value::{Collation, SqlType, TimeZone};

/// Text of a default: COLUMN_DEFAULT, and `Default` of SHOW COLUMNS.
pub fn default_text(column: &SqlColumn, tz: TimeZone) -> Option<String> {
    match &column.default {
        ColumnDefault::None | ColumnDefault::Null | ColumnDefault::Generated { .. } => None,
        ColumnDefault::Literal(datum) => match stored_bytes(column.ty, datum.as_ref(), tz) {
            Some(bytes) if bytes.is_empty() => Some(String::new()),
            // Bytes are written as hexadecimal digits, up to the first zero.
            Some(bytes) => {
                let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
                Some(hexadecimal(&bytes[..end]))
            }
            None => stored_text(column.ty, datum.as_ref(), tz),
        },
        ColumnDefault::CurrentTimestamp(fsp) => Some(now_text(*fsp)),
        ColumnDefault::Expr(text) => Some(escaped(text)),
    }
}

/// Bytes as a literal of SQL.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|b| format!("{b:02X}")).collect();
    format!("0x{digits}")
}

/// The type of a program's value, as SHOW CREATE FUNCTION has it.
pub fn program_type(ty: SqlType) -> String {
    let text = ty.show_create();
    match shown_collation(ty) {
        None => text,
        Some(c) => {
            let charset = c.charset();
            let own = if c == Collation::default_of(charset) { "" } else { c.name() };
            let collate = if own.is_empty() { String::new() } else { format!(" COLLATE {own}") };
            format!("{text} CHARSET {}{collate}", charset.name())
        }
    }
}

/// The text of an expression as information_schema has it: escaped once more.
pub fn escaped(expr: &str) -> String {
    expr.replace('\\', "\\\\").replace('\'', "\\'")
}

/// CURRENT_TIMESTAMP with its digits.
pub fn now_text(fsp: u8) -> String {
    match fsp {
        0 => "CURRENT_TIMESTAMP".into(),
        n => format!("CURRENT_TIMESTAMP({n})"),
    }
}

/// EXTRA of information_schema and SHOW COLUMNS.
pub fn extra(column: &SqlColumn) -> String {
    let mut words = Vec::new();
    if column.auto_increment {
        words.push("auto_increment".to_owned());
    }
    if matches!(column.default, ColumnDefault::CurrentTimestamp(_) | ColumnDefault::Expr(_)) {
        words.push("DEFAULT_GENERATED".to_owned());
    }
    if let ColumnDefault::Generated { stored, .. } = column.default {
        words.push(if stored { "STORED GENERATED" } else { "VIRTUAL GENERATED" }.to_owned());
    }
    if let Some(fsp) = column.on_update_now {
        words.push(format!("on update {}", now_text(fsp)));
    }
    if column.invisible {
        words.push("INVISIBLE".to_owned());
    }
    words.join(" ")
}

/// The collation of a text column; binary columns have none to show.
pub fn shown_collation(ty: SqlType) -> Option<Collation> {
    ty.collation().filter(|c| !c.is_binary())
}

/// Distinct values of the first `parts` parts of an index, estimated.
pub fn cardinality(table: &SqlTable, index: usize, parts: usize) -> u64 {
    let rows = table.engine.estimated_rows();
    let per_key = table.engine.rows_per_key(table.engine_indexes[index], parts).max(1.0);
    ((rows as f64 / per_key).round() as u64).min(rows)
}

/// The prefix of an index part, as SUB_PART shows it.
pub fn sub_part(part: &IndexPart) -> Option<u64> {
    part.prefix.map(u64::from)
}

/// Create_options: kept options in lower case, as `row_format=DYNAMIC stats_persistent=1`.
pub fn create_options(table: &TableMeta) -> String {
    let shown = |(name, value): &(String, String)| format!("{}={value}", name.to_ascii_lowercase());
    let mut all: Vec<String> = table.shown_options().map(shown).collect();
    if table.partitions.is_some() {
        all.push("partitioned".into());
    }
    all.join(" ")
}

/// Row_format in the spelling of SHOW TABLE STATUS.
pub fn row_format(table: &SqlTable) -> &'static str {
    match table.option("ROW_FORMAT") {
        Some("COMPACT") => "Compact",
        Some("REDUNDANT") => "Redundant",
        Some("COMPRESSED") => "Compressed",
        _ => "Dynamic",
    }
}

/// Does SHOW CREATE name no collation, because it is the set's default? That of utf8mb4 is always named, as MySQL 8.0 does.
pub fn is_silent_default(collation: Collation) -> bool {
    collation.is_default() && collation.charset() != Charset::Utf8mb4
}
