//! The names of one block, and what they mean.

use crate::meta::same_name;
use weir_syntax::ast::{ColumnRef, Ident};

/// A column of a table, or of a query's result.
#[derive(Clone)]
pub struct Column {
    pub name: Ident,
    /// Not part of `*`.
    pub hidden: bool,
}

/// A table of a block.
pub struct Table {
    /// None of derived tables.
    pub schema: Option<Ident>,
    pub alias: Ident,
    /// The table's own name is its alias: its schema stands before it.
    pub own: bool,
    pub columns: Vec<Column>,
}

/// A column as its bare name means it: one of a table, by their places; several that a join made one are the first of them.
#[derive(Clone)]
pub struct Named {
    pub name: Ident,
    pub table: usize,
    pub hidden: bool,
}

/// Which names go before which.
#[derive(Clone, Copy, PartialEq)]
pub enum Clause {
    /// No aliases.
    Plain,
    /// Columns before aliases.
    Columns,
    /// Aliases before columns.
    Aliases,
}

/// A block.
pub struct Level {
    pub tables: Vec<Table>,
    pub columns: Vec<Named>,
    /// ON sees the tables from here on.
    pub first: usize,
    pub clause: Clause,
    /// Names of the select list, with the columns that they just are.
    pub aliases: Vec<(Ident, Option<ColumnRef>)>,
}

pub fn column(name: &str) -> Column {
    Column { name: Ident::new(name), hidden: false }
}

impl Table {
    pub fn of_query(alias: &Ident, columns: Vec<Column>, names: &[Ident]) -> Table {
        let columns = match names.is_empty() {
            true => columns,
            false => names.iter().map(|n| column(n.as_str())).collect(),
        };
        Table { schema: None, alias: alias.clone(), own: false, columns }
    }

    pub fn reference(&self, column: &Ident) -> ColumnRef {
        ColumnRef {
            schema: self.schema.clone().filter(|_| self.own),
            table: Some(self.alias.clone()),
            column: column.clone(),
        }
    }

    pub fn is(&self, schema: Option<&Ident>, table: &Ident) -> bool {
        let alias = match self.schema {
            Some(_) => self.alias == *table,
            None => same_name(self.alias.as_str(), table.as_str()),
        };
        alias && schema.is_none_or(|s| self.schema.as_ref() == Some(s))
    }

    pub fn column(&self, name: &str) -> Option<&Ident> {
        let mut found = self.columns.iter().filter(|c| same_name(c.name.as_str(), name));
        found.next().map(|c| &c.name)
    }
}

pub enum Found {
    One(ColumnRef),
    None,
    Several,
}

impl Level {
    pub fn new() -> Level {
        Level {
            tables: Vec::new(),
            columns: Vec::new(),
            first: 0,
            clause: Clause::Plain,
            aliases: Vec::new(),
        }
    }

    pub fn push(&mut self, table: Table) {
        let at = self.tables.len();
        let named = table.columns.iter();
        self.columns.extend(named.map(|c| Named {
            name: c.name.clone(),
            table: at,
            hidden: c.hidden,
        }));
        self.tables.push(table);
    }

    pub fn reference(&self, of: &Named) -> ColumnRef {
        self.tables[of.table].reference(&of.name)
    }

    pub fn bare(&self, name: &str) -> Found {
        let seen = self.columns.iter().filter(|c| c.table >= self.first);
        let mut same = seen.filter(|c| same_name(c.name.as_str(), name));
        match (same.next(), same.next()) {
            (Some(c), None) => Found::One(self.reference(c)),
            (None, _) => Found::None,
            _ => Found::Several,
        }
    }

    pub fn qualified(
        &self,
        schema: Option<&Ident>,
        table: &Ident,
        name: &str,
    ) -> Option<ColumnRef> {
        let of = self.tables.iter().skip(self.first).filter(|t| t.is(schema, table));
        let mut found = of.filter_map(|t| t.column(name).map(|c| t.reference(c)));
        found.next()
    }

    pub fn wildcard(&self, schema: Option<&Ident>, table: Option<&Ident>) -> Vec<ColumnRef> {
        let Some(table) = table else {
            let shown = self.columns.iter().filter(|c| !c.hidden);
            return shown.map(|c| self.reference(c)).collect();
        };
        let of = self.tables.iter().filter(|t| t.is(schema, table));
        let shown = |t: &Table| -> Vec<ColumnRef> {
            t.columns.iter().filter(|c| !c.hidden).map(|c| t.reference(&c.name)).collect()
        };
        of.flat_map(shown).collect()
    }

    pub fn alias(&self, name: &str) -> Option<&(Ident, Option<ColumnRef>)> {
        self.aliases.iter().find(|(n, _)| same_name(n.as_str(), name))
    }
}
