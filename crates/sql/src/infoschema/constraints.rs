//! Constraints: keys, foreign keys and checks.

use super::cells::{LONGTEXT, NAME, Row, UINT, c, n, s, text, u, yes_no};
use super::defined::{Defined, defined};
use super::describe::escaped;
use super::tables::{BY_TABLE, visible};
use super::virtual_table;
use crate::context::{TableReads, VirtualTable};
use crate::meta::constraint::checks_by_name;
use crate::meta::foreign::{ForeignKey, searchable};
use crate::value::Value;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&KeyColumnUsage, &TableConstraints, &CheckConstraints, &ReferentialConstraints]
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
        let (mut rows, mut access) = (Vec::new(), cx.access.clone());
        for t in defined(cx, hint) {
            let mut shown = |column: usize| {
                let name = &t.columns[column].name;
                !t.columns[column].hidden
                    && access.shown_on_column(t.schema(), t.name(), name).is_some()
            };
            for index in t.indexes.iter().filter(|i| i.unique) {
                let parts = index.parts.iter().enumerate();
                for (p, part) in parts.filter(|(_, part)| shown(part.column)) {
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
            for key in &t.foreign {
                let pairs = key.columns.iter().zip(&key.parent_columns).enumerate();
                rows.extend(pairs.filter(|(_, (own, _))| shown(**own)).map(
                    |(n, (&own, theirs))| {
                        vec![
                            s("def"),
                            s(t.schema()),
                            s(key.text(t.name())),
                            s("def"),
                            s(t.schema()),
                            s(t.name()),
                            s(t.columns[own].name.clone()),
                            u(n as u64 + 1),
                            u(n as u64 + 1),
                            s(key.parent.schema.clone()),
                            s(key.parent.name.clone()),
                            s(theirs.clone()),
                        ]
                    },
                ));
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
        for t in defined(cx, hint) {
            for index in t.indexes.iter().filter(|i| i.unique) {
                let kind = if index.is_primary() { "PRIMARY KEY" } else { "UNIQUE" };
                rows.push(constraint(&t, index.name.clone(), kind, true));
            }
            for key in &t.foreign {
                rows.push(constraint(&t, key.text(t.name()), "FOREIGN KEY", true));
            }
            for (name, check) in checks_by_name(&t.checks, t.name()) {
                rows.push(constraint(&t, name, "CHECK", check.enforced));
            }
        }
        rows
    }
);

/// A row of TABLE_CONSTRAINTS.
fn constraint(t: &Defined, name: String, kind: &'static str, enforced: bool) -> Row {
    vec![s("def"), s(t.schema()), s(name), s(t.schema()), s(t.name()), s(kind), yes_no(enforced)]
}

virtual_table!(
    ReferentialConstraints,
    "information_schema",
    "REFERENTIAL_CONSTRAINTS",
    (Some("CONSTRAINT_SCHEMA"), Some("TABLE_NAME")),
    [
        n("CONSTRAINT_CATALOG", NAME),
        n("CONSTRAINT_SCHEMA", NAME),
        c("CONSTRAINT_NAME", text(64)),
        n("UNIQUE_CONSTRAINT_CATALOG", NAME),
        n("UNIQUE_CONSTRAINT_SCHEMA", NAME),
        c("UNIQUE_CONSTRAINT_NAME", text(64)),
        n("MATCH_OPTION", text(7)),
        n("UPDATE_RULE", text(11)),
        n("DELETE_RULE", text(11)),
        n("TABLE_NAME", NAME),
        n("REFERENCED_TABLE_NAME", NAME),
    ],
    |cx, hint| {
        let mut rows = Vec::new();
        for t in visible(cx, hint) {
            for key in &t.foreign {
                rows.push(vec![
                    s("def"),
                    s(t.schema()),
                    s(key.text(t.name())),
                    s("def"),
                    s(key.parent.schema.clone()),
                    unique_of(cx, key).map_or(Value::Null, s),
                    s("NONE"),
                    s(key.on_update.text()),
                    s(key.on_delete.text()),
                    s(t.name()),
                    s(key.parent.name.clone()),
                ]);
            }
        }
        rows
    }
);

/// The parent's unique key that a foreign key is about; nothing when the parent is not there, or has none over these columns.
fn unique_of(cx: TableReads<'_>, key: &ForeignKey) -> Option<String> {
    let reads = cx.reads;
    let parent = reads.meta().find(reads.db(), &key.parent.schema, &key.parent.name).ok()??;
    let columns: Option<Vec<usize>> = key.parent_columns.iter().map(|c| parent.column(c)).collect();
    let columns = columns?;
    let whole = |i: &&usize| {
        let index = &parent.indexes[**i];
        index.unique && index.parts.len() == columns.len()
    };
    let found: Vec<usize> = searchable(&parent.indexes, &columns).collect();
    found.iter().find(whole).map(|&i| parent.indexes[i].name.clone())
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
