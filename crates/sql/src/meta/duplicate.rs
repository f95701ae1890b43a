//! 1062: the values that are there twice.

use weir_engine::row::{KeyPart, RowLayout, RowView};

use super::SqlColumn;
use crate::errno;
use crate::session_api::SqlError;
use crate::value::{TimeZone, Value};

/// Characters of the values that are told.
const SHOWN: usize = 64;

/// The error about a row whose values an index has already. `parts`: of the index; `name`: the table's name and the index's.
pub fn duplicate_entry(
    columns: &[SqlColumn],
    parts: &[KeyPart],
    name: (&str, &str),
    (layout, row): (&RowLayout, &[u8]),
    tz: TimeZone,
) -> SqlError {
    let view = RowView::new(layout, row);
    let mut text = Vec::new();
    for (n, part) in parts.iter().enumerate() {
        if n > 0 {
            text.push(b'-');
        }
        let ty = columns[part.col].ty;
        match ty.load(view.get(part.col), tz) {
            Value::Null => text.extend_from_slice(b"NULL"),
            v => match (part.prefix, v.as_bytes(), ty.collation()) {
                (Some(n), Some(b), Some(c)) => {
                    text.extend_from_slice(&b[..c.prefix_bytes(b, n as usize)])
                }
                _ => ty.write_text(&v, &mut text),
            },
        }
    }
    let shown: String = String::from_utf8_lossy(&text).chars().take(SHOWN).collect();
    let (table, index) = name;
    let message = format!("Duplicate entry '{shown}' for key '{table}.{index}'");
    SqlError::new(errno::ER_DUP_ENTRY, message)
}
