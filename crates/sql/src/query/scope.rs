//! Names: the tables of a block, and which column a name means.

use super::expr::{BExpr, ColRef, Node};
use super::plan::Origin;
use crate::meta::{SqlColumn, SqlTable, same_name};
use crate::session_api::SqlError;
use crate::value::TypeInfo;
use std::sync::Arc;
use weir_syntax::ast::{ColumnRef, Ident};

/// A column that a name may mean.
#[derive(Clone)]
pub struct ScopeColumn {
    pub name: Arc<str>,
    pub info: TypeInfo,
    /// Not part of `*` (invisible).
    pub hidden: bool,
    pub origin: Option<Arc<Origin>>,
}

/// The name that statements have for a column of a table; a hidden one has none.
pub fn column_name(c: &SqlColumn) -> Arc<str> {
    if c.hidden { "".into() } else { c.name.as_str().into() }
}

/// A table of a block.
#[derive(Clone)]
pub struct ScopeTable {
    /// Empty for derived tables.
    pub schema: Arc<str>,
    pub alias: Arc<str>,
    pub columns: Vec<ScopeColumn>,
    /// Rows of an outer join's inner side may be missing.
    pub nullable: bool,
    /// Of a view that is merged: its columns are no columns of the slot.
    pub merged: Option<Arc<Merged>>,
}

/// A view over the table in its slot.
pub struct Merged {
    /// Its columns, over the rows of the slot.
    pub items: Vec<BExpr>,
    pub table: Arc<SqlTable>,
    /// Schema and name of the view.
    pub view: (String, String),
    /// The account with whose rights its table is used; `None`: of whoever asks.
    pub account: Option<(String, String)>,
    /// WITH CHECK OPTION: what a row must fulfil that is written through it, over the rows of the slot.
    pub check: Vec<BExpr>,
}

impl ScopeTable {
    /// The column that an expression over this table's slot shows, when it is just that.
    pub fn place_of(&self, e: &BExpr) -> Option<usize> {
        let Node::Col(c) = &e.node else { return None };
        let Some(m) = &self.merged else { return Some(c.col as usize) };
        let same =
            |i: &BExpr| matches!(&i.node, Node::Col(x) if x.col == c.col && x.table == c.table);
        m.items.iter().position(same)
    }

    pub fn origin_of(&self, e: &BExpr) -> Option<&Arc<Origin>> {
        self.columns.get(self.place_of(e)?)?.origin.as_ref()
    }
}

/// Table and column.
pub type Place = (u16, u16);

/// The names of one block.
#[derive(Default)]
pub struct Scope {
    pub tables: Vec<ScopeTable>,
    /// Columns joined by USING or NATURAL: name, then the places it stands for. The first is what the name means.
    pub merged: Vec<(Arc<str>, Vec<Place>)>,
}

pub enum Found {
    Column(u16, u16),
    None,
    Ambiguous,
}

impl Scope {
    pub fn find(&self, c: &ColumnRef) -> Found {
        let mut found: Option<(u16, u16)> = None;
        for (t, table) in self.tables.iter().enumerate() {
            if !qualifies(table, c.schema.as_ref(), c.table.as_ref()) {
                continue;
            }
            for (i, col) in table.columns.iter().enumerate() {
                if col.name.is_empty() || !same_name(&col.name, c.column.as_str()) {
                    continue;
                }
                let here = (t as u16, i as u16);
                if let Some(before) = found {
                    // The sides of a USING column are one.
                    let joined =
                        self.merged.iter().any(|(_, p)| p.contains(&before) && p.contains(&here));
                    if c.table.is_none() && joined {
                        continue;
                    }
                    return Found::Ambiguous;
                }
                found = Some(here);
            }
        }
        found.map_or(Found::None, |(t, c)| Found::Column(t, c))
    }

    pub fn column(&self, table: u16, col: u16, depth: u8) -> BExpr {
        let t = &self.tables[table as usize];
        if let Some(m) = &t.merged {
            let mut e = m.items[col as usize].clone();
            e.move_out(depth);
            e.info.nullable |= t.nullable;
            return e;
        }
        let mut info = t.columns[col as usize].info;
        info.nullable |= t.nullable;
        BExpr::new(Node::Col(ColRef { depth, table, col }), info)
    }

    /// Places that `*` or `t.*` stands for.
    pub fn wildcard(&self, schema: Option<&Ident>, table: Option<&Ident>) -> Vec<(u16, u16)> {
        let mut out = Vec::new();
        if table.is_none() {
            // USING columns come first and once.
            for (_, places) in &self.merged {
                if let Some(first) = places.first() {
                    out.push(*first);
                }
            }
        }
        let second = |p: &(u16, u16)| {
            table.is_none() && self.merged.iter().any(|(_, places)| places.contains(p))
        };
        for (t, st) in self.tables.iter().enumerate() {
            if !qualifies(st, schema, table) {
                continue;
            }
            for (i, c) in st.columns.iter().enumerate() {
                let place = (t as u16, i as u16);
                if !c.hidden && !second(&place) {
                    out.push(place);
                }
            }
        }
        out
    }

    pub fn has_table(&self, schema: Option<&Ident>, table: &Ident) -> bool {
        self.tables.iter().any(|t| qualifies(t, schema, Some(table)))
    }
}

/// Table names and aliases are case-sensitive, schema names too.
fn qualifies(t: &ScopeTable, schema: Option<&Ident>, table: Option<&Ident>) -> bool {
    table.is_none_or(|n| {
        *t.alias == *n.as_str() || (t.schema.is_empty() && same_name(&t.alias, n.as_str()))
    }) && schema.is_none_or(|s| *t.schema == *s.as_str())
}

/// 1054.
pub fn unknown_column(c: &ColumnRef, place: &str) -> SqlError {
    SqlError::new(1054, format!("Unknown column '{}' in '{place}'", shown(c)))
}

/// 1052.
pub fn ambiguous(c: &ColumnRef, place: &str) -> SqlError {
    SqlError::new(1052, format!("Column '{}' in {place} is ambiguous", shown(c)))
}

/// The name as messages show it.
pub fn shown(c: &ColumnRef) -> String {
    let mut s = String::new();
    for part in [&c.schema, &c.table].into_iter().flatten() {
        s.push_str(part.as_str());
        s.push('.');
    }
    s + c.column.as_str()
}
