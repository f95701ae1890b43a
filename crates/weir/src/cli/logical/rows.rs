//! Rows of a table as INSERT statements.

use super::names::{Kind, Table};
use std::io::Write;
use weir_bench::client::Connection;
use weir_bench::error::Error;
use weir_sql::dump::name;

/// A statement is ended when it has this many bytes: far below `max_allowed_packet`, unless one row alone has more.
const STATEMENT: usize = 512 << 10;

/// Part of a table, by its integer key; the ends are exclusive and inclusive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Range {
    pub above: Option<i128>,
    pub upto: Option<i128>,
}

fn select(t: &Table, range: Range) -> String {
    let columns: Vec<String> = t.columns.iter().map(|c| name(&c.name)).collect();
    let mut sql = format!("SELECT {} FROM {}", columns.join(", "), t.full());
    if let Some(key) = &t.integer_key {
        let key = name(key);
        let above = range.above.map(|n| format!("{key} > {n}"));
        let upto = range.upto.map(|n| format!("{key} <= {n}"));
        let bounds: Vec<String> = above.into_iter().chain(upto).collect();
        if !bounds.is_empty() {
            sql += &format!(" WHERE {}", bounds.join(" AND "));
        }
        // In the order of the key rows are loaded fastest.
        sql += &format!(" ORDER BY {key}");
    }
    sql
}

/// Writes the rows; `step` hears of bytes written.
pub fn write(
    c: &mut Connection,
    t: &Table,
    range: Range,
    out: &mut dyn Write,
    step: &mut dyn FnMut(u64),
) -> Result<(), String> {
    let columns: Vec<String> = t.columns.iter().map(|c| name(&c.name)).collect();
    let head = format!("INSERT INTO {} ({}) VALUES\n", t.full(), columns.join(", "));
    let mut statement: Vec<u8> = Vec::new();
    let mut flush = |statement: &mut Vec<u8>| {
        statement.extend_from_slice(b";\n");
        step(statement.len() as u64);
        let written = out.write_all(statement);
        statement.clear();
        written.map_err(|e| Error::other(format!("cannot write the dump: {e}")))
    };
    c.each_row(select(t, range).as_bytes(), &mut |row| {
        statement.extend_from_slice(if statement.is_empty() { head.as_bytes() } else { b",\n" });
        for (i, (value, column)) in row.iter().zip(&t.columns).enumerate() {
            statement.push(if i == 0 { b'(' } else { b',' });
            put(&mut statement, *value, column.kind);
        }
        statement.push(b')');
        match statement.len() > STATEMENT {
            true => flush(&mut statement),
            false => Ok(()),
        }
    })
    .map_err(|e| format!("{}: {e}", t.full()))?;
    match statement.is_empty() {
        true => Ok(()),
        false => flush(&mut statement).map_err(|e| e.to_string()),
    }
}

fn put(out: &mut Vec<u8>, value: Option<&[u8]>, kind: Kind) {
    match (value, kind) {
        (None, _) => out.extend_from_slice(b"NULL"),
        (Some(v), Kind::Number) => out.extend_from_slice(v),
        (Some([]), Kind::Bytes) => out.extend_from_slice(b"''"),
        (Some(v), Kind::Bytes) => {
            out.extend_from_slice(b"0x");
            for b in v {
                out.extend_from_slice(&[digit(b >> 4), digit(b & 15)]);
            }
        }
        (Some(v), Kind::Text) => {
            out.push(b'\'');
            for b in v {
                match b {
                    b'\'' | b'\\' => out.extend_from_slice(&[b'\\', *b]),
                    0 => out.extend_from_slice(b"\\0"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    0x1A => out.extend_from_slice(b"\\Z"),
                    other => out.push(*other),
                }
            }
            out.push(b'\'');
        }
    }
}

fn digit(n: u8) -> u8 {
    if n < 10 { b'0' + n } else { b'A' + n - 10 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logical::names::Column;

    #[test]
    fn values_are_written_by_their_kind() {
        let mut out = Vec::new();
        for (v, kind) in [
            (None, Kind::Text),
            (Some(&b"-1.5e3"[..]), Kind::Number),
            (Some(b"it's \\ a\nline\0\x1A"), Kind::Text),
            (Some(b""), Kind::Text),
            (Some(b"\x00\xAB"), Kind::Bytes),
            (Some(b""), Kind::Bytes),
        ] {
            put(&mut out, v, kind);
            out.push(b' ');
        }
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "NULL -1.5e3 'it\\'s \\\\ a\\nline\\0\\Z' '' 0x00AB '' "
        );
    }

    #[test]
    fn a_range_is_a_condition_on_the_key() {
        let column = |name: &str| Column { name: name.into(), kind: Kind::Number };
        let mut t = Table {
            schema: "d".into(),
            name: "a`b".into(),
            columns: vec![column("id"), column("n")],
            bytes: 0,
            integer_key: Some("id".into()),
        };
        let range = Range { above: Some(-5), upto: Some(7) };
        assert_eq!(
            select(&t, range),
            "SELECT `id`, `n` FROM `d`.`a``b` WHERE `id` > -5 AND `id` <= 7 ORDER BY `id`"
        );
        t.integer_key = None;
        assert_eq!(select(&t, Range::default()), "SELECT `id`, `n` FROM `d`.`a``b`");
    }
}
