//! The PARTITION BY clause of SHOW CREATE TABLE.

use std::fmt::Write as _;

use super::create_table::{Style, literal};
use crate::infoschema::partitions::description;
use crate::meta::TableMeta;
use crate::meta::partition::{Function, Given, Method, Partition, Partitioning, Values};
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
    let version = match by.function.method {
        Method::RangeColumns | Method::ListColumns => 50500,
        _ => 50100,
    };
    let mut out = format!("\n/*!{version} PARTITION BY {}", function(&by.function, table, style));
    if by.numbered && by.parts.len() > 1 {
        let _ = write!(out, "\nPARTITIONS {}", by.parts.len());
    }
    if let Some(sub) = &by.sub {
        let _ = write!(out, "\nSUBPARTITION BY {}", function(&sub.function, table, style));
        if sub.given == Given::Number {
            let _ = write!(out, "\nSUBPARTITIONS {}", sub.count);
        }
    }
    if !by.numbered {
        let parts = by.parts.iter().map(|p| part(by, p, table, style));
        let _ = write!(out, "\n({})", parts.collect::<Vec<_>>().join(",\n "));
    }
    out.push_str(" */");
    Some(out)
}

/// Behind PARTITION BY, and behind SUBPARTITION BY.
fn function(f: &Function, table: &TableMeta, style: Style) -> String {
    let columns = || {
        let list = f.columns.iter().map(|c| name(&table.columns[*c].name, style));
        list.collect::<Vec<_>>().join(",")
    };
    match f.method {
        Method::Range => format!("RANGE ({})", f.expr),
        Method::List => format!("LIST ({})", f.expr),
        Method::RangeColumns => format!("RANGE  COLUMNS({})", columns()),
        Method::ListColumns => format!("LIST  COLUMNS({})", columns()),
        Method::Hash { linear } => {
            format!("{}HASH ({})", if linear { "LINEAR " } else { "" }, f.expr)
        }
        Method::Key { linear, old } => {
            let linear = if linear { "LINEAR " } else { "" };
            let old = if old { "*/ /*!50611 ALGORITHM = 1 */ /*!50100 " } else { "" };
            let list = if f.implied { String::new() } else { columns() };
            format!("{linear}KEY {old}({list})")
        }
    }
}

fn part(by: &Partitioning, p: &Partition, table: &TableMeta, style: Style) -> String {
    let mut out = format!("PARTITION {}", name(&p.name, style));
    let values = description(by, table, p, style.tz).unwrap_or_default();
    let _ = match &p.values {
        Values::None => Ok(()),
        Values::LessThan(_) if by.function.method == Method::Range && values == "MAXVALUE" => {
            write!(out, " VALUES LESS THAN MAXVALUE")
        }
        Values::LessThan(_) => write!(out, " VALUES LESS THAN ({values})"),
        Values::In(_) => write!(out, " VALUES IN ({values})"),
    };
    // Options of a partition that lists its subpartitions are theirs.
    if !by.sub.as_ref().is_some_and(|s| s.given == Given::Names) {
        return out + &options(p);
    }
    let subparts = p.subparts.iter();
    let subparts = subparts.map(|p| format!("SUBPARTITION {}{}", name(&p.name, style), options(p)));
    let _ = write!(out, "\n ({})", subparts.collect::<Vec<_>>().join(",\n  "));
    out
}

/// What comes after the name and the values of a partition or subpartition.
fn options(p: &Partition) -> String {
    let mut out = String::new();
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
