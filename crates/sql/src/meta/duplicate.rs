//! 1062: the values that are there twice.

use weir_engine::row::{KeyPart, RowLayout, RowView};

use super::SqlColumn;
use crate::errno;
use crate::session_api::SqlError;
use crate::value::error::shown_bytes;
use crate::value::json::elements;
use crate::value::{SqlType, TimeZone, Value};

/// Characters of the values that the error shows.
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
        if let (Some(element), Some(list)) =
            (columns[part.col].array, view.get(part.col).as_bytes())
        {
            text.extend_from_slice(&elements::shown(list, &element));
            continue;
        }
        match ty.load(view.get(part.col), tz) {
            Value::Null => text.extend_from_slice(b"NULL"),
            v => match (part.prefix, v.as_bytes(), ty.collation()) {
                (prefix, Some(b), Some(c)) => {
                    let b = &b[..prefix.map_or(b.len(), |n| c.prefix_bytes(b, n as usize))];
                    match c.is_binary() {
                        true => {
                            text.extend_from_slice(shown_bytes(without_padding(ty, b)).as_bytes())
                        }
                        false => text.extend_from_slice(b),
                    }
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

/// BINARY(n) is filled with zeros, which nobody wants to see.
fn without_padding(ty: SqlType, b: &[u8]) -> &[u8] {
    match ty {
        SqlType::Char { .. } => &b[..b.iter().rposition(|x| *x != 0).map_or(0, |last| last + 1)],
        _ => b,
    }
}
