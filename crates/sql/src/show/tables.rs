//! Listings of schemas, tables, columns and indexes.

use super::create_table::{Style, create_table as text_of};
use crate::account::{Access, Privileges};
use crate::canonical;
use crate::context::{SYSTEM_SCHEMA, ShowResult, StatementCtx, VirtualColumn, VirtualTable};
use crate::ddl::{gipk, is_virtual_schema};
use crate::infoschema::cells::{
    BIGINT, INT, NAME, Row, TEXT, UBIGINT, at, c, i, n, named, os, ou, s, text, u, yes_no,
};
use crate::infoschema::{Defined, SHOWN_TO_ALL, describe, system_tables, view_columns};
use crate::meta::temporary::HIDDEN;
use crate::meta::view::ViewMeta;
use crate::meta::{SqlColumn, SqlTable, TableMeta, schema_meta};
use crate::rights;
use crate::session_api::SqlError;
use crate::value::{TimeZone, Value};
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{Ident, QueryBody, SelectItem, TableName, ViewCheck};

/// Names of all schemas that the session may see, sorted.
pub fn visible_schemas(cx: &mut StatementCtx<'_>) -> Vec<String> {
    let mut names: Vec<String> = cx.reads.db().schemas().iter().map(|s| s.name.clone()).collect();
    names.extend(SHOWN_TO_ALL.map(|(name, _)| name.to_owned()));
    names.sort();
    names.retain(|n| n != HIDDEN && cx.changes.access.can_see(n));
    names
}

pub fn databases(pattern: Option<&str>, cx: &mut StatementCtx<'_>) -> ShowResult {
    let title = pattern.map_or_else(|| "Database".to_string(), |p| format!("Database ({p})"));
    let rows = visible_schemas(cx).into_iter().map(|n| vec![s(n)]).collect();
    ShowResult { columns: vec![named(title, NAME)], rows }
}

/// The schema of a listing: 1046 without one, 1049 when there is none of the name.
fn schema_for(given: Option<&Ident>, cx: &mut StatementCtx<'_>) -> Result<String, SqlError> {
    let name = cx.reads.schema_of(given.map(|i| i.as_str()))?.to_string();
    let known = cx.reads.db().schema(&name).is_some() || is_virtual_schema(&name);
    if !known || name == HIDDEN {
        return Err(SqlError::unknown_database(&name));
    }
    Ok(name)
}

pub fn tables(
    full: bool,
    schema: Option<&Ident>,
    pattern: Option<&str>,
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let schema = schema_for(schema, cx)?;
    let title = match pattern {
        None => format!("Tables_in_{schema}"),
        Some(p) => format!("Tables_in_{schema} ({p})"),
    };
    let mut columns = vec![named(title, NAME)];
    if full {
        columns.push(c("Table_type", text(11)));
    }
    let virtual_names = crate::infoschema::tables()
        .iter()
        .filter(|t| is_in(**t, &schema))
        .filter(|t| cx.reads.shared.computed(t.schema(), t.name()).is_some())
        .map(|t| (t.name().to_string(), crate::infoschema::kind(*t)));
    let own = cx.reads.db().tables(&schema).into_iter().map(|t| (t.def.name.clone(), "BASE TABLE"));
    let views = cx.reads.db().objects(ObjectKind::View, &schema);
    let views = views.into_iter().map(|o| (o.name.clone(), "VIEW"));
    let access = &mut cx.changes.access;
    let all = virtual_names.chain(own).chain(views);
    let mut rows: Vec<Row> = all
        .filter(|(name, _)| access.can_see_table(&schema, name))
        .map(|(name, kind)| {
            let mut r = vec![s(name)];
            if full {
                r.push(s(kind));
            }
            r
        })
        .collect();
    rows.sort_by_key(|r| r[0].to_string_lossy());
    Ok(ShowResult { columns, rows })
}

/// `mysql` is a schema like those of users, whose case tells them apart; those of the server's own are found whatever it is.
fn is_in(table: &dyn VirtualTable, schema: &str) -> bool {
    match table.schema() {
        SYSTEM_SCHEMA => schema == SYSTEM_SCHEMA,
        own => own.eq_ignore_ascii_case(schema),
    }
}

pub fn status(schema: Option<&Ident>, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let schema = schema_for(schema, cx)?;
    let columns = vec![
        n("Name", NAME),
        c("Engine", text(64)),
        c("Version", INT),
        c("Row_format", text(10)),
        c("Rows", UBIGINT),
        c("Avg_row_length", UBIGINT),
        c("Data_length", UBIGINT),
        c("Max_data_length", UBIGINT),
        c("Index_length", UBIGINT),
        c("Data_free", UBIGINT),
        c("Auto_increment", UBIGINT),
        c("Create_time", crate::infoschema::cells::TIMESTAMP),
        c("Update_time", crate::infoschema::cells::DATETIME),
        c("Check_time", crate::infoschema::cells::DATETIME),
        c("Collation", text(64)),
        c("Checksum", BIGINT),
        c("Create_options", text(256)),
        c("Comment", TEXT),
    ];
    let mut tables = cx.reads.meta().tables(cx.reads.db(), &schema);
    let mut views = cx.reads.db().objects(ObjectKind::View, &schema);
    let access = &mut cx.changes.access;
    tables.retain(|t| access.can_see_table(&schema, t.name()));
    views.retain(|o| access.can_see_table(&schema, &o.name));
    let mut computed = crate::infoschema::tables().to_vec();
    computed.retain(|v| is_in(*v, &schema));
    computed.retain(|v| cx.reads.shared.computed(v.schema(), v.name()).is_some());
    computed.retain(|v| access.can_see_table(&schema, v.name()));
    let of_tables = tables.iter().map(|t| table_status(t, cx));
    let of_views = views.iter().map(|o| name_status(&o.name, "VIEW"));
    let of_computed = computed.iter().map(|v| match system_tables::meta_of(*v, cx.reads) {
        Some(meta) => defined_status(v.name(), meta),
        None => name_status(v.name(), ""),
    });
    let rows = of_tables.chain(of_views).chain(of_computed).collect();
    Ok(ShowResult { columns, rows })
}

fn table_status(t: &SqlTable, cx: &StatementCtx<'_>) -> Row {
    let (rows, data) = (t.engine.estimated_rows(), t.engine.data_bytes());
    vec![
        s(t.name()),
        s("InnoDB"),
        i(10),
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

/// A computed table with a definition: what it takes is not known.
fn defined_status(name: &str, table: &TableMeta) -> Row {
    let mut row = name_status(name, &table.comment);
    row[1] = s("InnoDB");
    row[2] = i(10);
    row[3] = s("Dynamic");
    row[14] = s(table.collation.name());
    row[16] = s(describe::create_options(table));
    row
}

/// Of a view or a computed table there is a name, and what it is.
fn name_status(name: &str, comment: &str) -> Row {
    let mut row = vec![s(name)];
    row.resize(17, Value::Null);
    row.push(s(comment));
    row
}

/// Definitions are not opened and closed here: nothing to list.
pub fn open_tables() -> ShowResult {
    ShowResult::new(vec![
        n("Database", NAME),
        n("Table", NAME),
        n("In_use", INT),
        n("Name_locked", INT),
    ])
}

pub fn bind(name: &TableName, cx: &mut StatementCtx<'_>) -> Result<Arc<SqlTable>, SqlError> {
    let schema = cx.reads.schema_of(name.schema.as_ref().map(|i| i.as_str()))?.to_string();
    cx.reads.table(&schema, name.name.as_str())
}

/// The same as it is shown: without a generated primary key where the session wants it so.
fn shown(name: &TableName, cx: &mut StatementCtx<'_>) -> Result<Arc<SqlTable>, SqlError> {
    let table = bind(name, cx)?;
    Ok(if cx.reads.settings.shows_generated { table } else { gipk::without(table) })
}

/// `extended` shows the hidden ones of a table as well: those of keys over expressions, and those that the engine keeps with each row.
pub fn columns(
    full: bool,
    extended: bool,
    name: &TableName,
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let mut columns = vec![n("Field", text(64)), n("Type", TEXT)];
    if full {
        columns.push(c("Collation", text(64)));
    }
    columns.extend([
        n("Null", text(3)),
        n("Key", text(3)),
        c("Default", TEXT),
        n("Extra", text(256)),
    ]);
    if full {
        columns.extend([n("Privileges", text(154)), n("Comment", TEXT)]);
    }
    let schema = cx.reads.schema_of(name.schema.as_ref().map(|i| i.as_str()))?.to_string();
    let tz = cx.reads.settings.tz;
    if let Some(v) = cx.reads.computed(&schema, name.name.as_str()) {
        let rows = match system_tables::meta_of(v, cx.reads) {
            Some(meta) => {
                let access = &mut cx.changes.access;
                shown_columns(
                    meta,
                    |column| access.shown_on_column(&schema, v.name(), column),
                    full,
                    tz,
                    false,
                )
            }
            None => computed_columns(full, v),
        };
        return Ok(ShowResult { columns, rows });
    }
    let hidden = cx.reads.temporaries.has(&schema, name.name.as_str());
    let view = cx.reads.db().object(ObjectKind::View, &schema, name.name.as_str());
    if let Some(o) = view.filter(|_| !hidden) {
        if !canonical::shown(&o, &ViewMeta::of(&o)?, cx.reads)?.valid {
            return Err(rights::view_invalid(&(o.schema.clone(), o.name.clone())));
        }
        let rows = view_columns(full, &o, cx)?;
        return Ok(ShowResult { columns, rows });
    }
    let t = shown(name, cx)?;
    let access = &mut cx.changes.access;
    // A temporary table is its session's.
    let all = || Some("select,insert,update,references".to_owned());
    let granted = |column: &str| match hidden {
        true => all(),
        false => access.shown_on_column(t.schema(), t.name(), column),
    };
    let mut rows = shown_columns(&t.meta, granted, full, tz, extended);
    if extended && !hidden && !rows.is_empty() {
        let row_id = t.clustered().is_none().then_some("DB_ROW_ID");
        let kept = row_id.into_iter().chain(["DB_TRX_ID", "DB_ROLL_PTR"]);
        rows.extend(kept.map(|name| engine_column(name, full)));
    }
    Ok(ShowResult { columns, rows })
}

/// A column that the engine keeps with each row. Its type is no type of SQL.
fn engine_column(name: &str, full: bool) -> Row {
    let mut r = vec![s(name.to_owned()), s("")];
    if full {
        r.push(Value::Null);
    }
    r.extend([yes_no(false), s(""), Value::Null, s("")]);
    if full {
        r.extend([s("select,insert,update,references"), s("")]);
    }
    r
}

/// The columns of a table on which something is `granted`, which is what is shown.
fn shown_columns(
    table: &TableMeta,
    mut granted: impl FnMut(&str) -> Option<String>,
    full: bool,
    tz: TimeZone,
    hidden: bool,
) -> Vec<Row> {
    let shown = table.columns.iter().enumerate().filter(|(_, col)| hidden || !col.hidden);
    let shown = shown.filter_map(|(at, col)| granted(&col.name).map(|g| (at, col, g)));
    shown
        .map(|(at, col, granted)| {
            let mut r = vec![s(col.name.clone()), s(col.ty.show_create())];
            if full {
                r.push(os(describe::shown_collation(col.ty).map(|c| c.name())));
            }
            r.extend([
                yes_no(col.nullable),
                s(table.column_key(at)),
                os(describe::default_text(col, tz)),
                s(extra_of(col)),
            ]);
            if full {
                r.extend([s(granted), s(col.comment.clone())]);
            }
            r
        })
        .collect()
}

/// The name of a hidden column says that it is one.
fn extra_of(col: &SqlColumn) -> String {
    let extra = describe::extra(col);
    match extra.strip_suffix(" INVISIBLE").filter(|_| col.hidden) {
        Some(rest) => rest.to_owned(),
        None => extra,
    }
}

fn computed_columns(full: bool, v: &dyn VirtualTable) -> Vec<Row> {
    let row = |col: &VirtualColumn| {
        let mut r = vec![s(col.name.to_string()), s(col.ty.show_create())];
        if full {
            r.push(os(describe::shown_collation(col.ty).map(|c| c.name())));
        }
        r.extend([yes_no(col.nullable), s(""), Value::Null, s("")]);
        if full {
            r.extend([s("select"), s("")]);
        }
        r
    };
    v.columns().iter().map(row).collect()
}

fn view_columns(full: bool, o: &Object, cx: &mut StatementCtx<'_>) -> Result<Vec<Row>, SqlError> {
    let view = ViewMeta::of(o)?;
    let told = view_columns::Looks::new(cx.reads).of(o, &view);
    let access = &mut cx.changes.access;
    let row = |(col, told): (&SqlColumn, view_columns::Told)| {
        let granted = access.shown_on_column(&o.schema, &o.name, &col.name)?;
        let mut r = vec![s(col.name.clone()), s(col.ty.show_create())];
        if full {
            r.push(os(describe::shown_collation(col.ty).map(|c| c.name())));
        }
        r.extend([yes_no(col.nullable), s(""), os(told.default), s(told.extra)]);
        if full {
            r.extend([s(granted), s(told.comment)]);
        }
        Some(r)
    };
    Ok(view.columns.iter().zip(told).filter_map(row).collect())
}

pub fn indexes(name: &TableName, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let columns = vec![
        n("Table", NAME),
        n("Non_unique", INT),
        n("Key_name", text(64)),
        n("Seq_in_index", INT),
        c("Column_name", text(64)),
        c("Collation", text(1)),
        c("Cardinality", BIGINT),
        c("Sub_part", BIGINT),
        c("Packed", text(10)),
        n("Null", text(3)),
        n("Index_type", text(11)),
        n("Comment", text(8)),
        n("Index_comment", text(2048)),
        n("Visible", text(3)),
        c("Expression", TEXT),
    ];
    let schema = cx.reads.schema_of(name.schema.as_ref().map(|i| i.as_str()))?.to_string();
    let computed = cx.reads.computed(&schema, name.name.as_str());
    let defined = computed.and_then(|t| Defined::of_computed(t, cx.reads));
    let view = cx.reads.db().object(ObjectKind::View, &schema, name.name.as_str()).is_some();
    if defined.is_none() && (computed.is_some() || view) {
        return Ok(ShowResult { columns, rows: Vec::new() });
    }
    // A temporary table is its session's.
    let all = cx.reads.temporaries.has(&schema, name.name.as_str());
    let t = match defined {
        Some(t) => t,
        None => Defined::Stored(shown(name, cx)?),
    };
    let access = &mut cx.changes.access;
    let mut rows = Vec::new();
    for (ix, index) in t.indexes.iter().enumerate() {
        for (p, part) in index.parts.iter().enumerate() {
            let col = &t.columns[part.column];
            if !all && access.shown_on_column(t.schema(), t.name(), &col.name).is_none() {
                continue;
            }
            rows.push(vec![
                s(t.name()),
                i(i64::from(!index.unique)),
                s(index.name.clone()),
                i(p as i64 + 1),
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
    special_keys(&t, all, access, &mut rows);
    Ok(ShowResult { columns, rows })
}

/// FULLTEXT and SPATIAL keys.
fn special_keys(t: &Defined, all: bool, access: &mut Access, rows: &mut Vec<Row>) {
    for key in &t.special {
        for (p, at) in key.columns.iter().enumerate() {
            let col = &t.columns[*at];
            if !all && access.shown_on_column(t.schema(), t.name(), &col.name).is_none() {
                continue;
            }
            rows.push(vec![
                s(t.name()),
                i(1),
                s(key.name.clone()),
                i(p as i64 + 1),
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
}

pub fn create_table(name: &TableName, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let schema = cx.reads.schema_of(name.schema.as_ref().map(|i| i.as_str()))?.to_string();
    let hidden = cx.reads.temporaries.has(&schema, name.name.as_str());
    let view = cx.reads.db().object(ObjectKind::View, &schema, name.name.as_str());
    if let Some(o) = view.filter(|_| !hidden) {
        let name = name.name.as_str();
        cx.changes.access.require_table(Privileges::SHOW_VIEW, &schema, name)?;
        return view_text(&o, cx);
    }
    let style = Style::of(cx.reads.settings.mode, cx.reads.settings.tz);
    let answer = |name: &str, sql: String| ShowResult {
        columns: vec![n("Table", NAME), n("Create Table", text(1024))],
        rows: vec![vec![s(name), s(sql)]],
    };
    if let Some(v) = cx.reads.computed(&schema, name.name.as_str()) {
        let text = match system_tables::meta_of(v, cx.reads) {
            Some(meta) => text_of((v.schema(), v.name()), meta, 1, style),
            None => computed_text(v, style),
        };
        return Ok(answer(v.name(), text));
    }
    let t = shown(name, cx)?;
    let sql = text_of((t.schema(), t.name()), &t.meta, t.engine.auto_increment_next(), style);
    let sql = match t.is_temporary() {
        true => sql.replacen("CREATE TABLE", "CREATE TEMPORARY TABLE", 1),
        false => sql,
    };
    Ok(answer(t.name(), sql))
}

/// A computed table as MySQL shows those of information_schema that are no views.
fn computed_text(v: &dyn VirtualTable, style: Style) -> String {
    let column = |c: &VirtualColumn| {
        let null = if c.nullable { "" } else { " NOT NULL" };
        format!("  {} {}{null}", style.name(&c.name), c.ty.show_create())
    };
    let columns: Vec<String> = v.columns().iter().map(column).collect();
    let columns = columns.join(",\n");
    format!(
        "CREATE TEMPORARY TABLE {} (\n{columns}\n) ENGINE=MEMORY DEFAULT CHARSET=utf8mb3",
        style.name(v.name())
    )
}

pub fn create_database(
    name: &str,
    if_not_exists: bool,
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let Some(schema) = cx.reads.db().schema(name) else {
        return Err(SqlError::unknown_database(name));
    };
    let collation = schema_meta(&schema).collation;
    let style = Style::of(cx.reads.settings.mode, cx.reads.settings.tz);
    let sql = super::create_table::create_database(name, collation, if_not_exists, style);
    Ok(ShowResult {
        columns: vec![n("Database", NAME), n("Create Database", text(1024))],
        rows: vec![vec![s(name), s(sql)]],
    })
}

/// SHOW CREATE VIEW.
pub fn create_view(name: &TableName, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let schema = cx.reads.schema_of(name.schema.as_ref().map(|i| i.as_str()))?.to_string();
    match cx.reads.db().object(ObjectKind::View, &schema, name.name.as_str()) {
        Some(o) => view_text(&o, cx),
        None => {
            let t = bind(name, cx)?;
            Err(crate::ddl::view::is_not(t.schema(), t.name(), "VIEW"))
        }
    }
}

/// The view's columns have other names than its query gives them.
fn lists_names(body: &QueryBody, v: &ViewMeta) -> bool {
    match body {
        QueryBody::Select(s) => s.items.iter().zip(&v.columns).any(|(item, column)| match item {
            SelectItem::Expr { alias: Some(a), .. } => *a.as_str() != *column.name,
            SelectItem::Expr { .. } | SelectItem::Wildcard { .. } => false,
        }),
        QueryBody::SetOp { left, .. } => lists_names(left, v),
        QueryBody::Nested(q) => lists_names(&q.body, v),
        QueryBody::Values(_) | QueryBody::Table(_) => false,
    }
}

fn view_text(o: &Object, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let v = ViewMeta::of(o)?;
    let style = Style::of(cx.reads.settings.mode, cx.reads.settings.tz);
    // The schema is named where it is not the session's; those of tables too where one is in another.
    let here = cx.reads.schema == Some(o.schema.as_str());
    let shown = canonical::shown(o, &v, cx.reads)?;
    if !shown.valid {
        let e = rights::view_invalid(&(o.schema.clone(), o.name.clone()));
        cx.changes.warnings.warn(e.errno, || e.message.to_string());
    }
    let query = canonical::text_of(
        &shown.query,
        canonical::Style {
            quote: if style.ansi_quotes { '"' } else { '`' },
            compact: here && shown.one_schema,
            introducers: true,
        },
    );
    let name = match here {
        true => style.name(&o.name),
        false => format!("{}.{}", style.name(&o.schema), style.name(&o.name)),
    };
    let names = match lists_names(&shown.query.body, &v) {
        false => String::new(),
        true => {
            let names: Vec<String> = v.columns.iter().map(|c| style.name(&c.name)).collect();
            format!(" ({})", names.join(","))
        }
    };
    let check = match v.check {
        ViewCheck::None => String::new(),
        _ => format!(" WITH {} CHECK OPTION", v.check_text()),
    };
    let how = match style.ansi {
        true => String::new(),
        false => format!(
            "ALGORITHM={} DEFINER={}@{} SQL SECURITY {} ",
            v.algorithm_text(),
            style.name(&v.definer.0),
            style.name(&v.definer.1),
            v.security_text()
        ),
    };
    let sql = format!("CREATE {how}VIEW {name}{names} AS {query}{check}");
    let columns = vec![
        n("View", NAME),
        n("Create View", text(1024)),
        n("character_set_client", text(64)),
        n("collation_connection", text(64)),
    ];
    Ok(ShowResult {
        columns,
        rows: vec![vec![s(o.name.clone()), s(sql), s(v.client), s(v.connection)]],
    })
}
