//! Names: the tables of a block, and which column a name means.

use crate::errno;
use crate::meta::{SqlColumn, SqlTable, same_name};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::Origin;
use crate::session_api::SqlError;
use crate::value::TypeInfo;
use smallvec::SmallVec;
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
    /// Of a view or derived table that is merged: its columns are no columns of the slot.
    pub merged: Option<Arc<Merged>>,
    /// The column that `_rowid` stands for.
    pub row_id: Option<u16>,
}

/// A view or derived table over the tables in its slots.
pub struct Merged {
    /// Its columns, over the rows of the slots.
    pub items: Vec<BExpr>,
    /// The first of its slots.
    pub first: usize,
    /// For each of its slots the table there, if its rows can be changed.
    pub bases: Vec<Option<Arc<SqlTable>>>,
    /// Not of a derived table.
    pub view: Option<ViewOf>,
    /// WITH CHECK OPTION: what a row must fulfil that is written through it, over the rows of the slots.
    pub check: Vec<BExpr>,
    /// Rows go into one of its tables, and those of the others are not there: nothing may name their columns.
    pub one_of_several: bool,
}

/// Which view was merged.
#[derive(Clone)]
pub struct ViewOf {
    pub schema: String,
    pub name: String,
    /// The account with whose rights its tables are used; `None`: of anyone who asks.
    pub account: Option<(String, String)>,
}

impl Merged {
    /// A column of a table that is not there.
    pub fn is_elsewhere(&self, column: u16) -> bool {
        self.one_of_several && self.base_column(column.into()).is_none()
    }

    /// The slots that its tables stand in.
    pub fn slots(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.bases.len()
    }

    /// The table in a slot of the block, if its rows can be changed.
    pub fn table(&self, slot: usize) -> Option<&Arc<SqlTable>> {
        self.bases.get(slot.checked_sub(self.first)?)?.as_ref()
    }

    /// It joins several tables.
    pub fn is_join(&self) -> bool {
        self.bases.len() > 1
    }

    /// The table's column behind a column, by the number of it: slot and column.
    pub fn base_column(&self, n: usize) -> Option<(usize, usize)> {
        let c = self.items.get(n)?.written_column()?;
        Some((usize::from(c.table), usize::from(c.col)))
    }

    /// What WITH CHECK OPTION asks looks at one table only, that in the slot.
    pub fn checks_only(&self, slot: usize) -> bool {
        self.check.iter().all(|e| e.tables(&|_| u64::MAX) & !(1 << slot) == 0)
    }
}

impl ScopeTable {
    /// A table whose names are not seen in the block: each but the first of a merged query.
    pub fn unseen(merged: Option<&Arc<Merged>>) -> ScopeTable {
        ScopeTable {
            schema: "".into(),
            alias: "".into(),
            columns: Vec::new(),
            nullable: false,
            merged: merged.cloned(),
            row_id: None,
        }
    }

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

    /// The view that its tables are used through.
    pub fn view(&self) -> Option<&ViewOf> {
        self.merged.as_ref()?.view.as_ref()
    }
}

/// Table and column.
pub type Place = (u16, u16);

/// A column as a name without its table's means it, and as `*` shows it.
#[derive(Clone)]
pub struct NamedColumn {
    pub name: Arc<str>,
    /// Several when USING or NATURAL made them one. The first gives the value.
    pub places: SmallVec<[Place; 1]>,
    /// Not part of `*` (invisible).
    pub hidden: bool,
}

/// The names of one block.
#[derive(Default)]
pub struct Scope {
    pub tables: Vec<ScopeTable>,
    /// In the order of `*`: those of tables in the order of FROM, except for joins by USING or NATURAL.
    pub columns: Vec<NamedColumn>,
    /// ON sees the operands of its join, which are the last tables there are: those from here on.
    pub first: usize,
}

pub enum Found {
    Column(u16, u16),
    None,
    Ambiguous,
}

impl Scope {
    pub fn of(tables: impl IntoIterator<Item = ScopeTable>) -> Scope {
        let mut scope = Scope::default();
        tables.into_iter().for_each(|t| scope.push(t));
        scope
    }

    /// A table more, behind the others.
    pub fn push(&mut self, table: ScopeTable) {
        let t = self.tables.len() as u16;
        let named = table.columns.iter().enumerate().filter(|(_, c)| !c.name.is_empty());
        self.columns.extend(named.map(|(i, c)| NamedColumn {
            name: c.name.clone(),
            places: smallvec::smallvec![(t, i as u16)],
            hidden: c.hidden,
        }));
        self.tables.push(table);
    }

    /// What has the names for the table in a slot: itself, or the query that it was merged with.
    pub fn owner(&self, slot: usize) -> &ScopeTable {
        let t = &self.tables[slot];
        t.merged.as_ref().map_or(t, |m| &self.tables[m.first])
    }

    /// The table column that an expression shows, when it is just that.
    pub fn origin_of(&self, e: &BExpr) -> Option<&Arc<Origin>> {
        match &e.node {
            Node::Col(c) if c.depth == 0 => self.owner(c.table.into()).origin_of(e),
            _ => None,
        }
    }

    pub fn find(&self, c: &ColumnRef) -> Found {
        if c.table.is_none() {
            return self.find_bare(c.column.as_str());
        }
        let mut found: Option<(u16, u16)> = None;
        for (t, table) in self.tables.iter().enumerate().skip(self.first) {
            if !qualifies(table, c.schema.as_ref(), c.table.as_ref()) {
                continue;
            }
            for (i, col) in table.columns.iter().enumerate() {
                if col.name.is_empty() || !same_name(&col.name, c.column.as_str()) {
                    continue;
                }
                if found.is_some() {
                    return Found::Ambiguous;
                }
                found = Some((t as u16, i as u16));
            }
        }
        match found {
            Some((t, c)) => Found::Column(t, c),
            None => self.find_row_id(c.column.as_str(), |table| {
                qualifies(table, c.schema.as_ref(), c.table.as_ref())
            }),
        }
    }

    /// `_rowid`, where no column has this name.
    fn find_row_id(&self, name: &str, of: impl Fn(&ScopeTable) -> bool) -> Found {
        if !name.eq_ignore_ascii_case("_rowid") {
            return Found::None;
        }
        let tables = self.tables.iter().enumerate().skip(self.first).filter(|(_, t)| of(t));
        let mut found = tables.filter_map(|(at, t)| Some((at as u16, t.row_id?)));
        match (found.next(), found.next()) {
            (Some((t, c)), None) => Found::Column(t, c),
            (Some(_), Some(_)) => Found::Ambiguous,
            (None, _) => Found::None,
        }
    }

    fn find_bare(&self, name: &str) -> Found {
        let seen = |c: &&NamedColumn| usize::from(c.places[0].0) >= self.first;
        let mut same = self.columns.iter().filter(|c| same_name(&c.name, name)).filter(seen);
        match (same.next(), same.next()) {
            (Some(c), None) => Found::Column(c.places[0].0, c.places[0].1),
            (Some(_), Some(_)) => Found::Ambiguous,
            (None, _) => self.find_row_id(name, |_| true),
        }
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
        if table.is_none() {
            return self.columns.iter().filter(|c| !c.hidden).map(|c| c.places[0]).collect();
        }
        let mut out = Vec::new();
        for (t, st) in self.tables.iter().enumerate() {
            if !qualifies(st, schema, table) {
                continue;
            }
            let shown = st.columns.iter().enumerate().filter(|(_, c)| !c.hidden);
            out.extend(shown.map(|(i, _)| (t as u16, i as u16)));
        }
        out
    }

    pub fn has_table(&self, schema: Option<&Ident>, table: &Ident) -> bool {
        self.tables.iter().any(|t| qualifies(t, schema, Some(table)))
    }
}

/// Table names and aliases are case-sensitive, schema names too.
fn qualifies(t: &ScopeTable, schema: Option<&Ident>, table: Option<&Ident>) -> bool {
    table.is_none_or(|n| *t.alias == *n.as_str()) && schema.is_none_or(|s| *t.schema == *s.as_str())
}

/// 1054.
pub fn unknown_column(c: &ColumnRef, place: &str) -> SqlError {
    SqlError::of(errno::ER_BAD_FIELD_ERROR, &[&shown(c), &place])
}

/// 1052.
pub fn ambiguous(c: &ColumnRef, place: &str) -> SqlError {
    SqlError::of(errno::ER_NON_UNIQ_ERROR, &[&shown(c), &place])
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
