//! What is told of the columns of views beside their names and types: as in MySQL the default, the comment and how the default comes
//! about are those of the column that is shown, through joins, queries in FROM and other views; what is no column has its type's zero where
//! it cannot be NULL.

use super::describe;
use crate::canonical;
use crate::context::Reads;
use crate::meta::view::ViewMeta;
use crate::meta::{ColumnDefault, SqlColumn, same_name};
use crate::value::{SqlType, TimeZone};
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{
    ColumnRef, CommonTable, Expr, Ident, Query, QueryBody, Select, SelectItem, TableFactor,
    TableRef,
};

/// How deep views and queries in FROM are looked through.
const DEPTH: u8 = 60;

/// What is told of a column.
#[derive(Default)]
pub struct Told {
    pub default: Option<String>,
    pub extra: String,
    pub comment: String,
}

/// The columns of a view, in order. Of a view that cannot be read nothing is known beside the types.
pub fn of(o: &Object, view: &ViewMeta, reads: Reads<'_>) -> Vec<Told> {
    let shown = canonical::shown(o, view, reads).ok();
    let told = |(at, column): (usize, &SqlColumn)| {
        let shown = shown.as_ref().and_then(|s| column_of(&s.query, &[], at, reads, 0));
        match shown {
            Some(base) => of_base(&base, reads.settings.tz),
            None if column.nullable => Told::default(),
            None => Told { default: zero(column.ty), ..Told::default() },
        }
    };
    view.columns.iter().enumerate().map(told).collect()
}

fn of_base(base: &SqlColumn, tz: TimeZone) -> Told {
    let default = match base.ty {
        _ if base.auto_increment => zero(base.ty),
        SqlType::Bit { .. } if !base.nullable => zero(base.ty),
        _ => describe::default_text(base, tz),
    };
    // That a column is generated or invisible is told of itself alone.
    let generated = matches!(base.default, ColumnDefault::Generated { .. });
    let plain = SqlColumn {
        auto_increment: false,
        invisible: false,
        default: if generated { ColumnDefault::None } else { base.default.clone() },
        ..base.clone()
    };
    Told { default, extra: describe::extra(&plain), comment: base.comment.clone() }
}

fn zero(ty: SqlType) -> Option<String> {
    let fraction =
        |n: u8| if n == 0 { String::new() } else { format!(".{}", "0".repeat(n.into())) };
    Some(match ty {
        SqlType::Date => "0000-00-00".into(),
        SqlType::DateTime { fsp } | SqlType::Timestamp { fsp } => {
            format!("0000-00-00 00:00:00{}", fraction(fsp))
        }
        SqlType::Time { fsp } => format!("00:00:00{}", fraction(fsp)),
        SqlType::Year => "0000".into(),
        SqlType::Bit { .. } => "b'0'".into(),
        SqlType::Json | SqlType::Geometry { .. } => return None,
        _ if ty.is_numeric() => {
            format!("0{}", fraction(ty.facts().precision.and_then(|p| p.1).unwrap_or(0)))
        }
        _ => String::new(),
    })
}

/// The column of a base table that the query's column at this place is. `common`: the common tables around it.
fn column_of(
    query: &Query,
    common: &[&CommonTable],
    at: usize,
    reads: Reads<'_>,
    depth: u8,
) -> Option<SqlColumn> {
    if depth > DEPTH {
        return None;
    }
    let own = query.with.iter().flat_map(|w| &w.tables);
    let common: Vec<&CommonTable> = common.iter().copied().chain(own).collect();
    let select = match &query.body {
        QueryBody::Select(select) => select,
        QueryBody::Nested(inner) => return column_of(inner, &common, at, reads, depth + 1),
        _ => return None,
    };
    let SelectItem::Expr { expr: Expr::Column(c), .. } = select.items.get(at)? else { return None };
    from(select, c, &common, reads, depth)
}

/// Where a column of the select list comes from.
fn from(
    select: &Select,
    c: &ColumnRef,
    common: &[&CommonTable],
    reads: Reads<'_>,
    depth: u8,
) -> Option<SqlColumn> {
    let table = c.table.as_ref()?.as_str();
    let name = c.column.as_str();
    match select.from.iter().find_map(|t| named(t, table))? {
        TableRef::Table(f) => of_table(f, name, common, reads, depth),
        TableRef::Derived { query, columns, .. } => {
            column_of(query, common, place(query, columns, name)?, reads, depth + 1)
        }
        _ => None,
    }
}

/// The member of FROM with this name.
fn named<'q>(t: &'q TableRef, alias: &str) -> Option<&'q TableRef> {
    match t {
        TableRef::Table(f) => {
            let own = f.alias.as_ref().unwrap_or(&f.name.name);
            (own.as_str() == alias).then_some(t)
        }
        TableRef::Derived { alias: own, .. } => (own.as_str() == alias).then_some(t),
        TableRef::Join(j) => named(&j.left, alias).or_else(|| named(&j.right, alias)),
        TableRef::List(list) => list.iter().find_map(|t| named(t, alias)),
        TableRef::JsonTable(_) => None,
    }
}

fn of_table(
    f: &TableFactor,
    column: &str,
    common: &[&CommonTable],
    reads: Reads<'_>,
    depth: u8,
) -> Option<SqlColumn> {
    let name = f.name.name.as_str();
    let Some(schema) = &f.name.schema else {
        let at = common.iter().rposition(|t| t.name.as_str() == name)?;
        let t = common[at];
        let place = place(&t.query, &t.columns, column)?;
        return column_of(&t.query, &common[..at], place, reads, depth + 1);
    };
    let schema = schema.as_str();
    if let Some(o) = reads.db().object(ObjectKind::View, schema, name) {
        let view = ViewMeta::of(&o).ok()?;
        let at = view.columns.iter().position(|c| same_name(&c.name, column))?;
        let shown = canonical::shown(&o, &view, reads).ok()?;
        return column_of(&shown.query, &[], at, reads, depth + 1);
    }
    let table = reads.meta().lookup(reads.db(), schema, name).ok()?;
    table.columns.iter().find(|c| same_name(&c.name, column)).cloned()
}

/// The place of a column in a query whose columns may have got names.
fn place(query: &Query, columns: &[Ident], name: &str) -> Option<usize> {
    if !columns.is_empty() {
        return columns.iter().position(|c| same_name(c.as_str(), name));
    }
    let mut body = &query.body;
    while let QueryBody::Nested(inner) = body {
        body = &inner.body;
    }
    let QueryBody::Select(select) = body else { return None };
    select.items.iter().position(|item| match item {
        SelectItem::Expr { alias: Some(alias), .. } => same_name(alias.as_str(), name),
        SelectItem::Expr { expr: Expr::Column(c), .. } => same_name(c.column.as_str(), name),
        _ => false,
    })
}
