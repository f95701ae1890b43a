//! The tables of attributes: OPTIONS of schemas, and ENGINE_ATTRIBUTE and SECONDARY_ENGINE_ATTRIBUTE of tables, columns and keys. Each has
//! a row for whatever the table has that it extends. Definitions with an attribute are refused (3981), so all of them are NULL.

use super::cells::{NAME, Row, c, n, s, text};
use super::tables::{BY_TABLE, computed, schemas, views, visible};
use super::virtual_table;
use crate::context::{VirtualColumn, VirtualTable};
use crate::meta::SqlTable;
use crate::value::{Collation, SqlType, Value};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&SchemataExtensions, &TablesExtensions, &ColumnsExtensions, &TableConstraintsExtensions]
}

/// Names, and behind them the two attributes.
fn with_attributes(names: Vec<VirtualColumn>) -> Vec<VirtualColumn> {
    let attributes = ["ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE"];
    names.into_iter().chain(attributes.map(|name| c(name, SqlType::Json))).collect()
}

fn without_attributes<const N: usize>(names: [&str; N]) -> Row {
    let names = std::iter::once("def").chain(names).map(s);
    names.chain([Value::Null, Value::Null]).collect()
}

// OPTIONS would tell of READ ONLY, which no schema can be made here.
virtual_table!(
    SchemataExtensions,
    "information_schema",
    "SCHEMATA_EXTENSIONS",
    (Some("SCHEMA_NAME"), None),
    [n("CATALOG_NAME", NAME), n("SCHEMA_NAME", NAME), c("OPTIONS", text(256))],
    |cx, hint| {
        let row = |(name, _): (String, Collation)| vec![s("def"), s(name), s("")];
        schemas(cx, hint).into_iter().map(row).collect()
    }
);

virtual_table!(
    TablesExtensions,
    "information_schema",
    "TABLES_EXTENSIONS",
    BY_TABLE,
    with_attributes(vec![n("TABLE_CATALOG", NAME), n("TABLE_SCHEMA", NAME), n("TABLE_NAME", NAME)]),
    |cx, hint| {
        let mut rows = Vec::new();
        rows.extend(visible(cx, hint).iter().map(|t| without_attributes([t.schema(), t.name()])));
        rows.extend(views(cx, hint).iter().map(|(o, _)| without_attributes([&o.schema, &o.name])));
        let computed = computed(cx, hint);
        rows.extend(computed.iter().map(|v| without_attributes([v.schema(), v.name()])));
        rows
    }
);

virtual_table!(
    ColumnsExtensions,
    "information_schema",
    "COLUMNS_EXTENSIONS",
    BY_TABLE,
    with_attributes(vec![
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        c("COLUMN_NAME", text(64)),
    ]),
    |cx, hint| {
        let (mut rows, mut access) = (Vec::new(), cx.access.clone());
        let mut row = |schema: &str, table: &str, column: &str| {
            if access.shown_on_column(schema, table, column).is_some() {
                rows.push(without_attributes([schema, table, column]));
            }
        };
        for t in visible(cx, hint) {
            t.shown_columns().for_each(|(_, c)| row(t.schema(), t.name(), &c.name));
        }
        for (o, v) in views(cx, hint) {
            v.columns.iter().for_each(|c| row(&o.schema, &o.name, &c.name));
        }
        // Anyone who may see a computed table sees all its columns.
        for v in computed(cx, hint) {
            let names = v.columns().iter().map(|c| &*c.name);
            rows.extend(names.map(|name| without_attributes([v.schema(), v.name(), name])));
        }
        rows
    }
);

virtual_table!(
    TableConstraintsExtensions,
    "information_schema",
    "TABLE_CONSTRAINTS_EXTENSIONS",
    (Some("CONSTRAINT_SCHEMA"), Some("TABLE_NAME")),
    with_attributes(vec![
        n("CONSTRAINT_CATALOG", NAME),
        n("CONSTRAINT_SCHEMA", NAME),
        n("CONSTRAINT_NAME", text(64)),
        n("TABLE_NAME", NAME),
    ]),
    |cx, hint| {
        let rows = |t: &SqlTable| {
            let row = |key: String| without_attributes([t.schema(), &key, t.name()]);
            keys(t).into_iter().map(row).collect::<Vec<_>>()
        };
        visible(cx, hint).iter().flat_map(|t| rows(t)).collect()
    }
);

/// The keys that MySQL has in this table: all of them, whether or not they are constraints, and PRIMARY of a table without a primary key,
/// whose rows its dictionary keeps in a hidden one of this name.
fn keys(t: &SqlTable) -> Vec<String> {
    let hidden = t.engine.has_hidden_key().then(|| "PRIMARY".to_owned());
    let plain = t.indexes.iter().map(|i| i.name.clone());
    hidden.into_iter().chain(plain).chain(t.special.iter().map(|k| k.name.clone())).collect()
}
