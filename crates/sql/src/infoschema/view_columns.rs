//! What information_schema has of the columns of views besides their names and types: as in MySQL the default, the comment and how the default comes
//! about are those of the column that is shown, through joins, queries in FROM and other views; what is no column has its type's zero where
//! it cannot be NULL.

use super::describe;
use crate::canonical;
use crate::context::Reads;
use crate::meta::view::ViewMeta;
use crate::meta::{ColumnDefault, SqlColumn, same_name};
use crate::value::{SqlType, TimeZone};
use std::collections::HashMap;
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{
    ColumnRef, CommonTable, Expr, Ident, Query, QueryBody, Select, SelectItem, TableFactor,
    TableRef,
};

/// How deep views and queries in FROM are looked through.
const DEPTH: u8 = 60;

/// The attributes of a column.
#[derive(Default)]
pub struct Told {
    pub default: Option<String>,
    pub extra: String,
    pub comment: String,
}

/// Looks through views. Each is read once, however many columns are looked for in it.
pub struct Looks<'r> {
    reads: Reads<'r>,
    views: HashMap<(String, String), Option<Arc<Seen>>>,
}

/// A view with its query as it is shown.
struct Seen {
    columns: Vec<String>,
    query: Query,
}

impl<'r> Looks<'r> {
    pub fn new(reads: Reads<'r>) -> Looks<'r> {
        Looks { reads, views: HashMap::new() }
    }

    /// The columns of a view, in order. Of a view that cannot be read nothing is known beside the types.
    pub fn of(&mut self, o: &Object, view: &ViewMeta) -> Vec<Told> {
        let seen = self.view(&o.schema, &o.name);
        let told = |(at, column): (usize, &SqlColumn)| {
            let base = seen.as_ref().and_then(|s| self.column_of(&s.query, &[], at, 0));
            match base {
                Some(base) => of_base(&base, self.reads.settings.tz),
                None if column.nullable => Told::default(),
                None => Told { default: zero(column.ty), ..Told::default() },
            }
        };
        view.columns.iter().enumerate().map(told).collect()
    }

    fn view(&mut self, schema: &str, name: &str) -> Option<Arc<Seen>> {
        let key = (schema.to_owned(), name.to_owned());
        if let Some(seen) = self.views.get(&key) {
            return seen.clone();
        }
        let seen = self.read_view(schema, name).map(Arc::new);
        self.views.insert(key, seen.clone());
        seen
    }

    fn read_view(&self, schema: &str, name: &str) -> Option<Seen> {
        let o = self.reads.db().object(ObjectKind::View, schema, name)?;
        let view = ViewMeta::of(&o).ok()?;
        let query = canonical::shown(&o, &view, self.reads).ok()?.query;
        Some(Seen { columns: view.columns.into_iter().map(|c| c.name).collect(), query: *query })
    }

    /// The column of a base table that the query's column at this place is. `common`: the common tables around it.
    fn column_of(
        &mut self,
        query: &Query,
        common: &[&CommonTable],
        at: usize,
        depth: u8,
    ) -> Option<SqlColumn> {
        if depth > DEPTH {
            return None;
        }
        let own = query.with.iter().flat_map(|w| &w.tables);
        let common: Vec<&CommonTable> = common.iter().copied().chain(own).collect();
        let select = match &query.body {
            QueryBody::Select(select) => select,
            QueryBody::Nested(inner) => return self.column_of(inner, &common, at, depth + 1),
            _ => return None,
        };
        let SelectItem::Expr { expr: Expr::Column(c), .. } = select.items.get(at)? else {
            return None;
        };
        self.from(select, c, &common, depth)
    }

    /// Where a column of the select list comes from.
    fn from(
        &mut self,
        select: &Select,
        c: &ColumnRef,
        common: &[&CommonTable],
        depth: u8,
    ) -> Option<SqlColumn> {
        let name = c.column.as_str();
        match select.from.iter().find_map(|t| named(t, c))? {
            TableRef::Table(f) => self.of_table(f, name, common, depth),
            TableRef::Derived { query, columns, .. } => {
                self.column_of(query, common, place(query, columns, name)?, depth + 1)
            }
            _ => None,
        }
    }

    fn of_table(
        &mut self,
        f: &TableFactor,
        column: &str,
        common: &[&CommonTable],
        depth: u8,
    ) -> Option<SqlColumn> {
        let name = f.name.name.as_str();
        let Some(schema) = &f.name.schema else {
            let at = common.iter().rposition(|t| t.name.as_str() == name)?;
            let t = common[at];
            let place = place(&t.query, &t.columns, column)?;
            return self.column_of(&t.query, &common[..at], place, depth + 1);
        };
        let schema = schema.as_str();
        let db = self.reads.db();
        if db.object(ObjectKind::View, schema, name).is_some() {
            let seen = self.view(schema, name)?;
            let at = seen.columns.iter().position(|c| same_name(c, column))?;
            return self.column_of(&seen.query, &[], at, depth + 1);
        }
        let table = self.reads.meta().lookup(db, schema, name).ok()?;
        table.columns.iter().find(|c| same_name(&c.name, column)).cloned()
    }
}

fn of_base(base: &SqlColumn, tz: TimeZone) -> Told {
    let default = match base.ty {
        _ if base.auto_increment => zero(base.ty),
        SqlType::Bit { .. } if !base.nullable => zero(base.ty),
        _ => describe::default_text(base, tz),
    };
    // Only the column itself is shown as generated or invisible, not the one of a view over it.
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

/// The member of FROM that a column is of. One without an alias may be named with its schema, for there may be two.
fn named<'q>(t: &'q TableRef, c: &ColumnRef) -> Option<&'q TableRef> {
    let table = c.table.as_ref()?.as_str();
    match t {
        TableRef::Table(f) => {
            let own = f.alias.as_ref().unwrap_or(&f.name.name);
            let schema = c.schema.as_ref().map(|s| s.as_str());
            let of = f.name.schema.as_ref().map(|s| s.as_str());
            (own.as_str() == table && (schema.is_none() || schema == of)).then_some(t)
        }
        TableRef::Derived { alias: own, .. } => (own.as_str() == table).then_some(t),
        TableRef::Join(j) => named(&j.left, c).or_else(|| named(&j.right, c)),
        TableRef::List(list) => list.iter().find_map(|t| named(t, c)),
        TableRef::JsonTable(_) => None,
    }
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
