//! Schemas, tables, columns, indexes and constraints.

use super::cells::{
    BIGINT, LONGTEXT, NAME, Row, TEXT, TIMESTAMP, UBIGINT, UINT, at, c, n, os, ou, s, text, u,
    yes_no,
};
use super::defined::{Defined, defined};
use super::{describe, system_tables, view_columns, virtual_table};
use crate::account::{Access, Privileges};
use crate::canonical;
use crate::context::TableReads;
use crate::context::{VirtualHint, VirtualTable};
use crate::ddl::gipk;
use crate::meta::temporary::HIDDEN;
use crate::meta::view::ViewMeta;
use crate::meta::{ColumnDefault, SqlColumn, SqlTable, TableMeta, schema_meta};
use crate::value::{Collation, SqlType, Value};
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![&Schemata, &Tables, &Columns, &Statistics, &Views]
}

pub(super) const BY_TABLE: (Option<&str>, Option<&str>) =
    (Some("TABLE_SCHEMA"), Some("TABLE_NAME"));

/// Schemas without files that everybody sees, as MySQL tells their collations.
pub const SHOWN_TO_ALL: [(&str, Collation); 2] = [
    ("information_schema", Collation::Utf8mb3GeneralCi),
    ("performance_schema", Collation::Utf8mb40900AiCi),
];

/// Schemas that the session may see.
pub(super) fn schemas(cx: TableReads<'_>, hint: &VirtualHint) -> Vec<(String, Collation)> {
    let mut access = cx.access.clone();
    let mut out: Vec<(String, Collation)> = cx
        .reads
        .db()
        .schemas()
        .iter()
        .filter(|x| x.name != HIDDEN)
        .filter(|x| hint.wants_schema(&x.name) && access.can_see(&x.name))
        .map(|x| (x.name.clone(), schema_meta(x).collation))
        .collect();
    let all = SHOWN_TO_ALL.iter().filter(|(name, _)| hint.wants_schema(name));
    out.extend(all.map(|(name, collation)| ((*name).to_owned(), *collation)));
    out
}

pub(super) fn visible(cx: TableReads<'_>, hint: &VirtualHint) -> Vec<Arc<SqlTable>> {
    let mut access = cx.access.clone();
    schemas(cx, hint)
        .iter()
        .flat_map(|(name, _)| cx.reads.meta().tables(cx.reads.db(), name))
        .filter(|t| hint.wants_table(t.name()) && access.can_see_table(t.schema(), t.name()))
        .map(|t| match cx.reads.settings.shows_generated {
            true => t,
            false => gipk::without(t),
        })
        .collect()
}

/// Computed tables that the session may see.
pub(super) fn computed(cx: TableReads<'_>, hint: &VirtualHint) -> Vec<&'static dyn VirtualTable> {
    let mut access = cx.access.clone();
    let wanted = super::tables().iter().copied().filter(|v| {
        hint.wants_schema(v.schema())
            && hint.wants_table(v.name())
            && cx.reads.shared.computed(v.schema(), v.name()).is_some()
            && access.can_see_table(v.schema(), v.name())
    });
    wanted.collect()
}

virtual_table!(
    Schemata,
    "information_schema",
    "SCHEMATA",
    (Some("SCHEMA_NAME"), None),
    [
        n("CATALOG_NAME", NAME),
        n("SCHEMA_NAME", NAME),
        n("DEFAULT_CHARACTER_SET_NAME", text(64)),
        n("DEFAULT_COLLATION_NAME", text(64)),
        c("SQL_PATH", text(512)),
        n("DEFAULT_ENCRYPTION", text(3))
    ],
    |cx, hint| schemas(cx, hint)
        .into_iter()
        .map(|(name, col)| vec![
            s("def"),
            s(name),
            s(col.charset().name()),
            s(col.name()),
            Value::Null,
            s("NO")
        ])
        .collect()
);

virtual_table!(
    Tables,
    "information_schema",
    "TABLES",
    BY_TABLE,
    [
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("TABLE_TYPE", text(64)),
        c("ENGINE", text(64)),
        c("VERSION", UBIGINT),
        c("ROW_FORMAT", text(10)),
        c("TABLE_ROWS", UBIGINT),
        c("AVG_ROW_LENGTH", UBIGINT),
        c("DATA_LENGTH", UBIGINT),
        c("MAX_DATA_LENGTH", UBIGINT),
        c("INDEX_LENGTH", UBIGINT),
        c("DATA_FREE", UBIGINT),
        c("AUTO_INCREMENT", UBIGINT),
        c("CREATE_TIME", TIMESTAMP),
        c("UPDATE_TIME", super::cells::DATETIME),
        c("CHECK_TIME", super::cells::DATETIME),
        c("TABLE_COLLATION", text(64)),
        c("CHECKSUM", BIGINT),
        c("CREATE_OPTIONS", text(256)),
        c("TABLE_COMMENT", TEXT),
    ],
    |cx, hint| {
        let mut rows: Vec<Row> = visible(cx, hint).iter().map(|t| table_row(t, cx)).collect();
        for (o, _) in views(cx, hint) {
            let mut r = vec![s("def"), s(o.schema.clone()), s(o.name.clone()), s("VIEW")];
            r.resize(21, Value::Null);
            r[20] = s("VIEW");
            rows.push(r);
        }
        for v in computed(cx, hint) {
            let mut r = vec![s("def"), s(v.schema()), s(v.name()), s(super::kind(v))];
            r.resize(21, Value::Null);
            r[20] = s("");
            if let Some(meta) = system_tables::meta_of(v, cx.reads) {
                (r[4], r[5], r[6]) = (s("InnoDB"), u(10), s("Dynamic"));
                r[17] = s(meta.collation.name());
                (r[19], r[20]) = (s(describe::create_options(meta)), s(meta.comment.clone()));
            }
            rows.push(r);
        }
        rows
    }
);

fn table_row(t: &SqlTable, cx: TableReads<'_>) -> Row {
    let (rows, data) = (t.engine.estimated_rows(), t.engine.data_bytes());
    vec![
        s("def"),
        s(t.schema()),
        s(t.name()),
        s("BASE TABLE"),
        s("InnoDB"),
        u(10),
        s(describe::row_format(t)),
        u(rows),
        u(data.checked_div(rows).unwrap_or(0)),
        u(data),
        u(0),
        u(t.engine.index_bytes()),
        u(0),
        ou(t.auto_increment().map(|_| t.engine.auto_increment_next())),
        at(t.engine.def.created_micros, cx.reads.settings.tz),
        Value::Null,
        Value::Null,
        s(t.collation.name()),
        Value::Null,
        s(describe::create_options(t)),
        s(t.comment.clone()),
    ]
}

virtual_table!(
    Columns,
    "information_schema",
    "COLUMNS",
    BY_TABLE,
    [
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        c("COLUMN_NAME", text(64)),
        n("ORDINAL_POSITION", UINT),
        c("COLUMN_DEFAULT", TEXT),
        n("IS_NULLABLE", text(3)),
        c("DATA_TYPE", LONGTEXT),
        c("CHARACTER_MAXIMUM_LENGTH", BIGINT),
        c("CHARACTER_OCTET_LENGTH", BIGINT),
        c("NUMERIC_PRECISION", UBIGINT),
        c("NUMERIC_SCALE", UBIGINT),
        c("DATETIME_PRECISION", UINT),
        c("CHARACTER_SET_NAME", text(64)),
        c("COLLATION_NAME", text(64)),
        n("COLUMN_TYPE", TEXT),
        n("COLUMN_KEY", text(3)),
        c("EXTRA", text(256)),
        c("PRIVILEGES", text(154)),
        n("COLUMN_COMMENT", TEXT),
        n("GENERATION_EXPRESSION", LONGTEXT),
        c("SRS_ID", UINT),
    ],
    |cx, hint| {
        let tables = visible(cx, hint);
        let of_tables = tables.iter().flat_map(|t| column_rows(t, cx));
        let (views, mut looks) = (views(cx, hint), view_columns::Looks::new(cx.reads));
        let of_views = views.iter().flat_map(|(o, v)| {
            let mut access = cx.access.clone();
            let told = looks.of(o, v);
            let row = |((at, col), told): ((usize, &SqlColumn), view_columns::Told)| {
                let granted = access.shown_on_column(&o.schema, &o.name, &col.name)?;
                let place = (o.schema.as_str(), o.name.as_str(), at);
                let mut row = column_row(place, col, "", &granted, cx);
                (row[5], row[17], row[19]) = (os(told.default), s(told.extra), s(told.comment));
                Some(row)
            };
            v.columns.iter().enumerate().zip(told).filter_map(row).collect::<Vec<_>>()
        });
        of_tables.chain(of_views).chain(computed_columns(cx, hint)).collect()
    }
);

/// The columns of the computed tables themselves.
fn computed_columns(cx: TableReads<'_>, hint: &VirtualHint) -> Vec<Row> {
    let mut rows = Vec::new();
    for v in computed(cx, hint) {
        if let Some(meta) = system_tables::meta_of(v, cx.reads) {
            rows.extend(rows_of(meta, (v.schema(), v.name()), cx));
            continue;
        }
        rows.extend(v.columns().iter().enumerate().map(|(at, c)| {
            let column = SqlColumn { nullable: c.nullable, ..SqlColumn::new(c.name.clone(), c.ty) };
            column_row((v.schema(), v.name(), at), &column, "", "select", cx)
        }));
    }
    rows
}

/// Views that the session may see, and what is stored of them.
pub(super) fn views(cx: TableReads<'_>, hint: &VirtualHint) -> Vec<(Arc<Object>, ViewMeta)> {
    let mut access = cx.access.clone();
    schemas(cx, hint)
        .iter()
        .flat_map(|(name, _)| cx.reads.db().objects(ObjectKind::View, name))
        .filter(|o| hint.wants_table(&o.name) && access.can_see_table(&o.schema, &o.name))
        .filter_map(|o| ViewMeta::of(&o).ok().map(|v| (o, v)))
        .collect()
}

/// The query with all schemas; as it is stored where it cannot be read.
fn view_definition(o: &Object, v: &ViewMeta, cx: TableReads<'_>) -> String {
    let style = canonical::Style { quote: '`', compact: false, introducers: false };
    match canonical::shown(o, v, cx.reads) {
        Ok(shown) => canonical::text_of(&shown.query, style),
        Err(_) => v.query.clone(),
    }
}

virtual_table!(
    Views,
    "information_schema",
    "VIEWS",
    BY_TABLE,
    [
        c("TABLE_CATALOG", NAME),
        c("TABLE_SCHEMA", NAME),
        c("TABLE_NAME", NAME),
        c("VIEW_DEFINITION", LONGTEXT),
        c("CHECK_OPTION", text(8)),
        c("IS_UPDATABLE", text(3)),
        c("DEFINER", text(288)),
        c("SECURITY_TYPE", text(7)),
        c("CHARACTER_SET_CLIENT", text(64)),
        c("COLLATION_CONNECTION", text(64)),
    ],
    |cx, hint| {
        let mut access = cx.access.clone();
        let mut row = |(o, v): (Arc<Object>, ViewMeta)| {
            // The text is for those who may see it.
            let shows = access.on_table(&o.schema, &o.name).contains(Privileges::SHOW_VIEW);
            vec![
                s("def"),
                s(o.schema.clone()),
                s(o.name.clone()),
                s(if shows { view_definition(&o, &v, cx) } else { String::new() }),
                s(v.check_text()),
                yes_no(v.updatable),
                s(format!("{}@{}", v.definer.0, v.definer.1)),
                s(v.security_text()),
                s(v.client),
                s(v.connection),
            ]
        };
        views(cx, hint).into_iter().map(&mut row).collect()
    }
);

fn column_rows(t: &SqlTable, cx: TableReads<'_>) -> Vec<Row> {
    rows_of(&t.meta, (t.schema(), t.name()), cx)
}

fn rows_of(t: &TableMeta, (schema, name): (&str, &str), cx: TableReads<'_>) -> Vec<Row> {
    let mut access = cx.access.clone();
    let row = |(at, col): (usize, &SqlColumn)| {
        let granted = access.shown_on_column(schema, name, &col.name)?;
        Some(column_row((schema, name, at), col, t.column_key(at), &granted, cx))
    };
    t.shown_columns().filter_map(row).collect()
}

/// A column of a table or view, which stands at the given place.
fn column_row(
    (schema, table, at): (&str, &str, usize),
    col: &SqlColumn,
    key: &str,
    granted: &str,
    cx: TableReads<'_>,
) -> Row {
    let facts = col.ty.facts();
    let digits = |n: Option<u8>| ou(n.map(u64::from));
    let collation = describe::shown_collation(col.ty);
    vec![
        s("def"),
        s(schema),
        s(table),
        s(col.name.clone()),
        u(at as u64 + 1),
        os(describe::default_text(col, cx.reads.settings.tz)),
        yes_no(col.nullable),
        s(facts.name),
        ou(facts.text.map(|t| t.0)),
        ou(facts.text.map(|t| t.1)),
        digits(facts.precision.map(|p| p.0)),
        digits(facts.precision.and_then(|p| p.1)),
        digits(facts.fsp),
        os(collation.map(|c| c.charset().name())),
        os(collation.map(|c| c.name())),
        s(col.ty.show_create()),
        s(key),
        s(describe::extra(col)),
        s(granted),
        s(col.comment.clone()),
        s(match &col.default {
            ColumnDefault::Generated { expr, .. } => describe::escaped(expr),
            _ => String::new(),
        }),
        match col.ty {
            SqlType::Geometry { srid, .. } => ou(srid.map(u64::from)),
            _ => Value::Null,
        },
    ]
}

virtual_table!(
    Statistics,
    "information_schema",
    "STATISTICS",
    BY_TABLE,
    [
        n("TABLE_CATALOG", NAME),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("NON_UNIQUE", super::cells::INT),
        n("INDEX_SCHEMA", NAME),
        c("INDEX_NAME", text(64)),
        n("SEQ_IN_INDEX", UINT),
        c("COLUMN_NAME", text(64)),
        c("COLLATION", text(1)),
        c("CARDINALITY", BIGINT),
        c("SUB_PART", BIGINT),
        c("PACKED", text(10)),
        n("NULLABLE", text(3)),
        n("INDEX_TYPE", text(11)),
        n("COMMENT", text(8)),
        n("INDEX_COMMENT", text(2048)),
        n("IS_VISIBLE", text(3)),
        c("EXPRESSION", LONGTEXT),
    ],
    |cx, hint| {
        let (mut rows, mut access) = (Vec::new(), cx.access.clone());
        for t in defined(cx, hint) {
            for (ix, index) in t.indexes.iter().enumerate() {
                for (p, part) in index.parts.iter().enumerate() {
                    let col = &t.columns[part.column];
                    if access.shown_on_column(t.schema(), t.name(), &col.name).is_none() {
                        continue;
                    }
                    rows.push(vec![
                        s("def"),
                        s(t.schema()),
                        s(t.name()),
                        super::cells::i(i64::from(!index.unique)),
                        s(t.schema()),
                        s(index.name.clone()),
                        u(p as u64 + 1),
                        os((!col.hidden).then_some(&*col.name)),
                        s(if part.desc { "D" } else { "A" }),
                        u(t.cardinality(ix, p + 1)),
                        ou(describe::sub_part(part)),
                        Value::Null,
                        s(if col.nullable { "YES" } else { "" }),
                        s("BTREE"),
                        s(""),
                        s(index.comment.clone()),
                        yes_no(index.visible),
                        os(col.key_expression().map(describe::escaped)),
                    ]);
                }
            }
            rows.extend(special_keys(&t, &mut access));
        }
        rows
    }
);

/// The rows of FULLTEXT and SPATIAL keys in STATISTICS.
fn special_keys(t: &Defined, access: &mut Access) -> Vec<Row> {
    let mut rows = Vec::new();
    for key in &t.special {
        for (p, at) in key.columns.iter().enumerate() {
            let col = &t.columns[*at];
            if access.shown_on_column(t.schema(), t.name(), &col.name).is_none() {
                continue;
            }
            rows.push(vec![
                s("def"),
                s(t.schema()),
                s(t.name()),
                super::cells::i(1),
                s(t.schema()),
                s(key.name.clone()),
                u(p as u64 + 1),
                s(col.name.clone()),
                os((!key.is_fulltext()).then_some("A")),
                u(t.rows()),
                ou(key.sub_part()),
                Value::Null,
                s(if col.nullable { "YES" } else { "" }),
                s(key.type_name()),
                s(""),
                s(key.comment.clone()),
                yes_no(key.visible),
                Value::Null,
            ]);
        }
    }
    rows
}
