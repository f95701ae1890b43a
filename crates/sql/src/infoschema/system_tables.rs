//! What the tables of the schema `mysql` are defined as: for SHOW, for information_schema, and for the table that stands in the place of a
//! computed one once a statement writes to it ([why](../../../../docs/decisions/system-tables.md)).
//!
//! The definitions are those that MySQL 8.0 documents, in `mysql.sql`, where a word that begins with `$` stands for a type or for table
//! options that come up again and again.
//!
//! Invariant: a computed table has the columns of its definition, in the same order (tested below).

use crate::context::{Reads, SYSTEM_SCHEMA, VirtualTable};
use crate::ddl::{self, Env};
use crate::meta::TableMeta;
use crate::value::{Charset, Collation, SqlMode, TimeZone, Warnings};
use std::sync::OnceLock;
use weir_syntax::ast::{ColumnAttr, ColumnDef, CreateTable, Statement, TableElement};
use weir_syntax::parse::{ParseOptions, parse_one};

const TEXTS: &str = include_str!("mysql.sql");

const WORDS: [(&str, &str); 11] = [
    ("$host", "char(255) CHARACTER SET ascii COLLATE ascii_general_ci NOT NULL DEFAULT ''"),
    ("$user", "char(32) NOT NULL DEFAULT ''"),
    ("$name", "char(64) NOT NULL DEFAULT ''"),
    ("$by", "varchar(288) NOT NULL DEFAULT ''"),
    ("$columns", "set('Select','Insert','Update','References') $ci NOT NULL DEFAULT ''"),
    ("$count", "int unsigned NOT NULL DEFAULT '0'"),
    ("$no", "enum('N','Y') $ci NOT NULL DEFAULT 'N'"),
    ("$now", "timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"),
    ("$bin", "$plain COLLATE=utf8mb3_bin"),
    ("$plain", "STATS_PERSISTENT=0 ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb3"),
    ("$ci", "CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci"),
];

/// A definition with its words spelled out.
fn spelled(text: &str) -> String {
    let mut out = format!("{text}\n");
    // Twice: words stand in words.
    for (word, meaning) in WORDS.iter().chain(&WORDS) {
        for end in [" ", ",", "\n"] {
            out = out.replace(&format!("{word}{end}"), &format!("{meaning}{end}"));
        }
    }
    out
}

/// The definitions as statements, each with its table's name.
fn all() -> &'static [(String, CreateTable)] {
    static ALL: OnceLock<Vec<(String, CreateTable)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let parse = |text: &str| {
            let parsed = parse_one(spelled(text).as_bytes(), &ParseOptions::default())
                .unwrap_or_else(|e| panic!("the definition {text} has to be one: {}", e.message));
            match parsed.stmt {
                Statement::CreateTable(create) => (create.name.name.as_str().to_owned(), *create),
                other => panic!("no definition of a table: {other:?}"),
            }
        };
        TEXTS.split(';').map(str::trim).filter(|t| !t.is_empty()).map(parse).collect()
    })
}

/// CREATE TABLE for a table of the schema `mysql`.
pub fn definition(name: &str) -> Option<&'static CreateTable> {
    all().iter().find(|(known, _)| known == name).map(|(_, create)| create)
}

/// The statement that makes the table with the rows of the computed one.
pub fn filled(name: &str) -> Option<String> {
    let text = TEXTS.split(';').map(str::trim).find(|text| {
        let rest = text.strip_prefix("CREATE TABLE ").and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.starts_with(' '))
    })?;
    let (head, rest) = spelled(text).split_once(name).map(|(h, r)| (h.to_owned(), r.to_owned()))?;
    let stored = definition(name)?.elements.iter().filter_map(|e| match e {
        TableElement::Column(def) if !is_generated(def) => Some(format!("`{}`", def.name.as_str())),
        _ => None,
    });
    let stored: Vec<String> = stored.collect();
    Some(format!("{head}mysql.{name}{rest} SELECT {} FROM mysql.{name}", stored.join(", ")))
}

/// What it defines.
fn meta(name: &str, reads: Reads<'_>) -> Option<&'static TableMeta> {
    static ALL: OnceLock<Vec<(&'static str, TableMeta)>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let define = |(name, create): &'static (String, CreateTable)| {
            let mut warnings = Warnings::with_limit(0);
            let mut env = Env {
                mode: SqlMode(0),
                refuses_engines: false,
                skips_indexes: false,
                requires_key: false,
                generates_key: false,
                tz: TimeZone::UTC,
                now_micros: 0,
                collation: Collation::Utf8mb3GeneralCi,
                utf8mb4: Collation::default_of(Charset::Utf8mb4),
                table: format!("mysql.{name}"),
                reads,
                warnings: &mut warnings,
            };
            let base = Collation::default_of(Charset::Utf8mb4);
            let defined = ddl::create::define(create, &[], base, &mut env)
                .unwrap_or_else(|e| panic!("mysql.{name} cannot be defined: {}", e.message));
            (name.as_str(), defined.meta)
        };
        all().iter().map(define).collect()
    });
    all.iter().find(|(known, _)| *known == name).map(|(_, meta)| meta)
}

/// What a computed table is defined as, where it is one of the schema `mysql`.
pub fn meta_of(table: &dyn VirtualTable, reads: Reads<'_>) -> Option<&'static TableMeta> {
    if table.schema() == SYSTEM_SCHEMA { meta(table.name(), reads) } else { None }
}

fn is_generated(def: &ColumnDef) -> bool {
    def.attrs.iter().any(|a| matches!(a, ColumnAttr::Generated { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computed_tables_have_the_columns_of_their_definitions() {
        for table in super::super::tables().iter().filter(|t| t.schema() == "mysql") {
            let create = definition(table.name());
            let create = create.unwrap_or_else(|| panic!("{} is not defined", table.name()));
            let defined = create.elements.iter().filter_map(|e| match e {
                TableElement::Column(def) => Some(def.name.as_str()),
                _ => None,
            });
            let computed = table.columns().iter().map(|c| &*c.name);
            assert!(defined.eq(computed), "{}", table.name());
        }
    }

    #[test]
    fn every_definition_is_of_a_computed_table() {
        for (name, _) in all() {
            assert!(super::super::lookup("mysql", name).is_some(), "{name}");
        }
    }
}
