//! The text of SHOW CREATE TABLE, as MySQL 8.0.36 writes it.

use std::fmt::Write as _;

use crate::ddl::literal::stored_bytes;
use crate::infoschema::describe::{default_text, hexadecimal, is_silent_default, now_text};
use crate::meta::constraint::checks_by_name;
use crate::meta::{
    ColumnDefault, SpecialKey, SpecialKind, SqlColumn, SqlIndex, TableMeta, UsingClause,
};
use crate::value::{Collation, SqlMode, SqlType, TimeZone};

/// How the text is written.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// ANSI_QUOTES: names in double quotes.
    pub ansi_quotes: bool,
    /// ANSI, as a whole: the text is for another database, so what MySQL alone understands of a table and its keys is left out.
    pub ansi: bool,
    pub tz: TimeZone,
}

impl Style {
    /// As a mode has it.
    pub fn of(mode: SqlMode, tz: TimeZone) -> Style {
        let (ansi_quotes, ansi) = (mode.has(SqlMode::ANSI_QUOTES), mode.has(SqlMode::ANSI));
        Style { ansi_quotes, ansi, tz }
    }

    /// A quoted name.
    pub fn name(&self, name: &str) -> String {
        let q = if self.ansi_quotes { '"' } else { '`' };
        let mut out = String::with_capacity(name.len() + 2);
        out.push(q);
        for ch in name.chars() {
            if ch == q {
                out.push(q);
            }
            out.push(ch);
        }
        out.push(q);
        out
    }
}

/// A string literal with MySQL's escapes.
pub fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for ch in text.chars() {
        match ch {
            '\0' => out.push_str("\\0"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("''"),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

/// CREATE TABLE as a statement that makes this table again. `next`: the next AUTO_INCREMENT value.
pub fn create_table(
    (schema, name): (&str, &str),
    table: &TableMeta,
    next: u64,
    style: Style,
) -> String {
    let mut lines: Vec<String> =
        table.shown_columns().map(|(_, c)| column_line(c, table.collation, style)).collect();
    lines.extend(table.indexes.iter().map(|i| index_line(i, table, style)));
    lines.extend(table.special.iter().map(|k| special_line(k, table, style)));
    // The parent's schema is not left out where it is not the child's.
    let mut keys: Vec<(String, String)> = table
        .foreign
        .iter()
        .map(|k| (k.text(name), k.clause((schema, name), table, |n| style.name(n))))
        .collect();
    keys.sort_by_key(|(name, _)| name.to_lowercase());
    lines.extend(keys.into_iter().map(|(_, clause)| clause));
    for (name, check) in checks_by_name(&table.checks, name) {
        let not = if check.enforced { "" } else { " /*!80016 NOT ENFORCED */" };
        lines.push(format!("CONSTRAINT {} CHECK ({}){not}", style.name(&name), check.expr));
    }
    let mut out = format!("CREATE TABLE {} (\n  {}\n)", style.name(name), lines.join(",\n  "));
    if !style.ansi {
        table_options(table, next, &mut out);
    }
    out.extend(super::partition::clause(table, style));
    out
}

fn table_options(table: &TableMeta, next: u64, out: &mut String) {
    out.push_str(" ENGINE=InnoDB");
    if table.auto_increment().is_some() && next > 1 {
        let _ = write!(out, " AUTO_INCREMENT={next}");
    }
    let _ = write!(out, " DEFAULT CHARSET={}", table.collation.charset().name());
    if !is_silent_default(table.collation) {
        let _ = write!(out, " COLLATE={}", table.collation.name());
    }
    for (option, value) in table.shown_options() {
        let _ = write!(out, " {option}={value}");
    }
    if !table.comment.is_empty() {
        let _ = write!(out, " COMMENT={}", literal(&table.comment));
    }
}

fn column_line(column: &SqlColumn, table: Collation, style: Style) -> String {
    let mut out = format!("{} {}", style.name(&column.name), column.ty.show_create());
    if let Some(collation) = column.ty.collation().filter(|c| !c.is_binary()) {
        if collation != table || column.explicit_collation {
            let _ = write!(out, " CHARACTER SET {}", collation.charset().name());
        }
        // Columns leave out MySQL's own default where it is the table's; tables never do.
        let own_default = collation == Collation::Utf8mb40900AiCi && collation == table;
        if !(is_silent_default(collation) || own_default) || column.explicit_collation {
            let _ = write!(out, " COLLATE {}", collation.name());
        }
    }
    if let ColumnDefault::Generated { expr, stored } = &column.default {
        let kind = if *stored { "STORED" } else { "VIRTUAL" };
        let _ = write!(out, " GENERATED ALWAYS AS ({expr}) {kind}");
    }
    if !column.nullable {
        out.push_str(" NOT NULL");
    } else if matches!(column.ty, SqlType::Timestamp { .. }) {
        out.push_str(" NULL");
    }
    if let SqlType::Geometry { srid: Some(srid), .. } = column.ty {
        let _ = write!(out, " /*!80003 SRID {srid} */");
    }
    push_default(&mut out, column, style);
    if let Some(fsp) = column.on_update_now {
        let _ = write!(out, " ON UPDATE {}", now_text(fsp));
    }
    if column.auto_increment {
        out.push_str(" AUTO_INCREMENT");
    }
    if column.invisible {
        out.push_str(" /*!80023 INVISIBLE */");
    }
    if !column.comment.is_empty() {
        let _ = write!(out, " COMMENT {}", literal(&column.comment));
    }
    out
}

fn push_default(out: &mut String, column: &SqlColumn, style: Style) {
    let lob = matches!(column.ty, SqlType::Text { .. });
    match &column.default {
        ColumnDefault::None | ColumnDefault::Generated { .. } => {}
        ColumnDefault::Null if lob || !column.nullable || column.auto_increment => {}
        ColumnDefault::Null => out.push_str(" DEFAULT NULL"),
        ColumnDefault::Literal(_) if lob => {}
        ColumnDefault::Literal(datum) => {
            let text = match stored_bytes(column.ty, datum.as_ref(), style.tz) {
                // What is no text would come back as something else.
                Some(bytes) => match String::from_utf8(bytes) {
                    Ok(text) => literal(&text),
                    Err(e) => hexadecimal(e.as_bytes()),
                },
                None => {
                    let text = default_text(column, style.tz).unwrap_or_default();
                    let bit = matches!(column.ty, SqlType::Bit { .. });
                    if bit { text } else { literal(&text) }
                }
            };
            let _ = write!(out, " DEFAULT {text}");
        }
        ColumnDefault::CurrentTimestamp(fsp) => {
            let _ = write!(out, " DEFAULT {}", now_text(*fsp));
        }
        ColumnDefault::Expr(text) => {
            let _ = write!(out, " DEFAULT ({text})");
        }
    }
}

fn index_line(index: &SqlIndex, table: &TableMeta, style: Style) -> String {
    let mut out = match (index.is_primary(), index.unique) {
        (true, _) => "PRIMARY KEY".to_owned(),
        (_, true) => format!("UNIQUE KEY {}", style.name(&index.name)),
        _ => format!("KEY {}", style.name(&index.name)),
    };
    let parts = index.parts.iter().map(|part| {
        let column = &table.columns[part.column];
        let mut text = match column.key_expression() {
            Some(expr) => format!("({expr})"),
            None => style.name(&column.name),
        };
        if let Some(prefix) = part.prefix {
            let _ = write!(text, "({prefix})");
        }
        if part.desc {
            text.push_str(" DESC");
        }
        text
    });
    let _ = write!(out, " ({})", parts.collect::<Vec<_>>().join(","));
    if style.ansi {
        return out;
    }
    match index.using {
        Some(UsingClause::BTree) => out.push_str(" USING BTREE"),
        Some(UsingClause::Hash) => out.push_str(" USING HASH"),
        None => {}
    }
    if !index.comment.is_empty() {
        let _ = write!(out, " COMMENT {}", literal(&index.comment));
    }
    if !index.visible {
        out.push_str(" /*!80000 INVISIBLE */");
    }
    out
}

fn special_line(key: &SpecialKey, table: &TableMeta, style: Style) -> String {
    let columns: Vec<_> = key.columns.iter().map(|c| style.name(&table.columns[*c].name)).collect();
    let mut out =
        format!("{} KEY {} ({})", key.type_name(), style.name(&key.name), columns.join(","));
    if style.ansi {
        return out;
    }
    if !key.comment.is_empty() {
        let _ = write!(out, " COMMENT {}", literal(&key.comment));
    }
    if key.kind == (SpecialKind::FullText { ngram: true }) {
        let _ = write!(out, " /*!50100 WITH PARSER {} */ ", style.name("ngram"));
    }
    if !key.visible {
        out.push_str(" /*!80000 INVISIBLE */");
    }
    out
}

/// CREATE DATABASE with its version comments.
pub fn create_database(
    name: &str,
    collation: Collation,
    if_not_exists: bool,
    style: Style,
) -> String {
    let guard = if if_not_exists { "/*!32312 IF NOT EXISTS*/ " } else { "" };
    let mut out = format!(
        "CREATE DATABASE {guard}{} /*!40100 DEFAULT CHARACTER SET {}",
        style.name(name),
        collation.charset().name()
    );
    if !is_silent_default(collation) {
        let _ = write!(out, " COLLATE {}", collation.name());
    }
    out.push_str(" */ /*!80016 DEFAULT ENCRYPTION='N' */");
    out
}
