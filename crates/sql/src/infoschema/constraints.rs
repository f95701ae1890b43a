//! Constraints: keys and checks.

use super::cells::{LONGTEXT, NAME, Row, UINT, c, n, s, text, u, yes_no};
use super::describe::escaped;
use super::tables::{BY_TABLE, visible};
use super::virtual_table;
use crate::context::VirtualTable;
use crate::meta::SqlTable;
use crate::meta::constraint::checks_by_name;
use crate::value::Value;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&KeyColumnUsage, &TableConstraints, &CheckConstraints]
}

virtual_table!(
    KeyColumnUsage,
    "information_schema",
    "KEY_COLUMN_USAGE",
    BY_TABLE,
    [
        n("CONSTRAINT_CATALOG", NAME),
        n("CONSTRAINT_SCHEMA", NAME),
        c("CONSTRAINT_NAME", text(64)),
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        c("COLUMN_NAME", text(64)),
        n("ORDINAL_POSITION", UINT),
        c("POSITION_IN_UNIQUE_CONSTRAINT", UINT),
        c("REFERENCED_TABLE_SCHEMA", NAME),
        c("REFERENCED_TABLE_NAME", NAME),
        c("REFERENCED_COLUMN_NAME", text(64)),
    ],
    |cx, hint| {
        let mut rows = Vec::new();
        for t in visible(cx, hint) {
            for index in t.indexes.iter().filter(|i| i.unique) {
                for (p, part) in index.parts.iter().enumerate() {
                    let mut r = vec![
                        s("def"),
                        s(t.schema()),
                        s(index.name.clone()),
                        s("def"),
                        s(t.schema()),
                        s(t.name()),
                        s(t.columns[part.column].name.clone()),
                        u(p as u64 + 1),
                    ];
                    r.resize(12, Value::Null);
                    rows.push(r);
                }
            }
        }
        rows
    }
);

virtual_table!(
    TableConstraints,
    "information_schema",
    "TABLE_CONSTRAINTS",
    BY_TABLE,
    [
        n("CONSTRAINT_CATALOG", NAME),
        n("CONSTRAINT_SCHEMA", NAME),
        c("CONSTRAINT_NAME", text(64)),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("CONSTRAINT_TYPE", text(11)),
        n("ENFORCED", text(3)),
    ],
    |cx, hint| {
        let mut rows = Vec::new();
        for t in visible(cx, hint) {
            for index in t.indexes.iter().filter(|i| i.unique) {
                let kind = if index.is_primary() { "PRIMARY KEY" } else { "UNIQUE" };
                rows.push(constraint(&t, index.name.clone(), kind, true));
            }
            for (name, check) in checks_by_name(&t.checks, t.name()) {
                rows.push(constraint(&t, name, "CHECK", check.enforced));
            }
        }
        rows
    }
);

/// A row of TABLE_CONSTRAINTS.
fn constraint(t: &SqlTable, name: String, kind: &'static str, enforced: bool) -> Row {
    vec![s("def"), s(t.schema()), s(name), s(t.schema()), s(t.name()), s(kind), yes_no(enforced)]
}

virtual_table!(
    CheckConstraints,
    "information_schema",
    "CHECK_CONSTRAINTS",
    (Some("CONSTRAINT_SCHEMA"), None),
    [
        n("CONSTRAINT_CATALOG", NAME),
        n("CONSTRAINT_SCHEMA", NAME),
        n("CONSTRAINT_NAME", text(64)),
        n("CHECK_CLAUSE", LONGTEXT)
    ],
    |cx, hint| {
        let mut rows = Vec::new();
        for t in visible(cx, hint) {
            for (name, check) in checks_by_name(&t.checks, t.name()) {
                rows.push(vec![s("def"), s(t.schema()), s(name), s(escaped(&check.expr))]);
            }
        }
        rows
    }
);
