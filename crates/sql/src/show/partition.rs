//! The PARTITION BY clause of SHOW CREATE TABLE.

use std::fmt::Write as _;

use super::create_table::{Style, literal};
use crate::infoschema::partitions::description;
use crate::meta::TableMeta;
use crate::meta::partition::{Method, Partition, Partitioning, Values};
use weir_syntax::lex::keyword;

/// A name, in quotes where it needs them.
fn name(text: &str, style: Style) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
        && !text.bytes().all(|b| b.is_ascii_digit());
    match plain && !keyword::lookup(text.as_bytes()).is_reserved() {
        true => text.to_owned(),
        false => style.name(text),
    }
}

/// Behind the table's options, from the line's beginning.
pub fn clause(table: &TableMeta, style: Style) -> Option<String> {
    let by = table.partitions.as_deref()?;
    let columns = || {
        let list = by.columns.iter().map(|c| name(&table.columns[*c].name, style));
        list.collect::<Vec<_>>().join(",")
    };
    let version = match by.method {
        Method::RangeColumns | Method::ListColumns => 50500,
        _ => 50100,
    };
    let mut out = format!("\n/*!{version} PARTITION BY ");
    match by.method {
        Method::Range => write!(out, "RANGE ({})", by.expr),
        Method::List => write!(out, "LIST ({})", by.expr),
        Method::RangeColumns => write!(out, "RANGE  COLUMNS({})", columns()),
        Method::ListColumns => write!(out, "LIST  COLUMNS({})", columns()),
        Method::Hash { linear } => {
            write!(out, "{}HASH ({})", if linear { "LINEAR " } else { "" }, by.expr)
        }
        Method::Key { linear, old } => {
            let linear = if linear { "LINEAR " } else { "" };
            let old = if old { "*/ /*!50611 ALGORITHM = 1 */ /*!50100 " } else { "" };
            let list = if by.implied { String::new() } else { columns() };
            write!(out, "{linear}KEY {old}({list})")
        }
    }
    .unwrap_or_default();
    if by.numbered {
        if by.parts.len() > 1 {
            let _ = write!(out, "\nPARTITIONS {}", by.parts.len());
        }
    } else {
        let parts = by.parts.iter().map(|p| part(by, p, table, style));
        let _ = write!(out, "\n({})", parts.collect::<Vec<_>>().join(",\n "));
    }
    out.push_str(" */");
    Some(out)
}

fn part(by: &Partitioning, p: &Partition, table: &TableMeta, style: Style) -> String {
    let mut out = format!("PARTITION {}", name(&p.name, style));
    let values = description(by, table, p, style.tz).unwrap_or_default();
    let _ = match &p.values {
        Values::None => Ok(()),
        Values::LessThan(_) if by.method == Method::Range && values == "MAXVALUE" => {
            write!(out, " VALUES LESS THAN MAXVALUE")
        }
        Values::LessThan(_) => write!(out, " VALUES LESS THAN ({values})"),
        Values::In(_) => write!(out, " VALUES IN ({values})"),
    };
    if p.max_rows > 0 {
        let _ = write!(out, " MAX_ROWS = {}", p.max_rows);
    }
    if p.min_rows > 0 {
        let _ = write!(out, " MIN_ROWS = {}", p.min_rows);
    }
    if !p.comment.is_empty() {
        let _ = write!(out, " COMMENT = {}", literal(&p.comment));
    }
    out.push_str(" ENGINE = InnoDB");
    out
}
