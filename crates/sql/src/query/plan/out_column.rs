//! Columns of a query's result, and what they are where the query is a derived table or a view.

use super::kept::unmeasured;
use super::told::{OF_TABLE, kept_in_rows};
use super::{Body, QueryPlan};
use crate::func::aggregate::AggKind;
use crate::infoschema::told::Told;
use crate::query::expr::BExpr;
use crate::value::{SqlType, TypeInfo};
use std::sync::Arc;

/// A column of a result.
#[derive(Clone)]
pub(in crate::query) struct OutColumn {
    pub name: Arc<str>,
    pub info: TypeInfo,
    /// The table column it shows, when it is just that: for the metadata of the result.
    pub origin: Option<Arc<Origin>>,
    /// MySQL reads it from a temporary table before it is sent.
    pub stored: bool,
    /// As which type, where that is another one.
    pub kept: Option<SqlType>,
    /// Decimals are shown with the digits that they have, and not with those of the type.
    pub own_digits: bool,
    /// A program's variable, or what a stored function gives: MySQL keeps both in fields, and tells of them as of columns.
    pub of_program: bool,
}

impl QueryPlan {
    /// Whether MySQL would write the query into the one around it, so that there is no temporary table of its rows.
    pub fn would_merge(&self) -> bool {
        match &self.body {
            Body::Block(b) => {
                b.agg.is_none()
                    && b.windows.is_empty()
                    && b.limit.is_none()
                    && b.having.is_none()
                    && !b.distinct
                    && !b.tables.is_empty()
            }
            _ => false,
        }
    }

    /// The expression of a column, where the query is one block.
    pub fn item(&self, column: usize) -> Option<&BExpr> {
        match &self.body {
            Body::Block(b) => b.items.get(column),
            _ => None,
        }
    }

    /// Whether the aggregate of that number is MIN() or MAX().
    pub fn is_extreme(&self, aggregate: u32) -> bool {
        let Body::Block(b) = &self.body else { return false };
        let spec = b.agg.as_ref().and_then(|a| a.specs.get(aggregate as usize));
        spec.is_some_and(|(s, _)| matches!(s.kind, AggKind::Min | AggKind::Max))
    }

    /// What a column is where the query is a derived table or view that is `merged`, or read from a temporary table: its flags, and
    /// whether it is an expression there.
    pub fn told_outside(&self, column: usize, merged: bool) -> (TypeInfo, (u16, bool)) {
        let c = &self.columns[column];
        let mut info = c.info;
        if !merged && c.origin.is_none() && !c.stored {
            info.ty = kept_in_rows(info.ty);
        }
        let told = match &c.origin {
            Some(o) if merged => (o.flags, o.computed),
            Some(o) => (o.flags & !OF_TABLE, false),
            None => (0, merged),
        };
        (info, told)
    }
}

impl OutColumn {
    /// The type that its values are written in.
    pub fn written(&self) -> SqlType {
        if self.own_digits { SqlType::Null } else { self.info.ty }
    }

    /// A column of values that were computed.
    pub fn computed(name: Arc<str>, info: TypeInfo) -> OutColumn {
        OutColumn {
            name,
            info,
            origin: None,
            stored: false,
            kept: None,
            own_digits: false,
            of_program: false,
        }
    }

    /// The column of a view that gives these values, as it is listed.
    pub fn listed(&self) -> TypeInfo {
        let ty = match &self.origin {
            Some(o) if !o.computed => self.info.ty,
            _ => kept_in_rows(self.info.ty),
        };
        TypeInfo { ty: unmeasured(ty), ..self.info }
    }

    /// The same, out of a temporary table.
    pub fn stored(name: Arc<str>, info: TypeInfo) -> OutColumn {
        OutColumn { stored: true, ..OutColumn::computed(name, info) }
    }
}

#[derive(Clone)]
pub(in crate::query) struct Origin {
    pub schema: Arc<str>,
    pub table: Arc<str>,
    pub org_table: Arc<str>,
    pub column: Arc<str>,
    pub flags: u16,
    /// It is no column of a table: a view or derived table that is merged has an expression there.
    pub computed: bool,
    /// Of a computed table: what MySQL tells of the column.
    pub told: Option<Told>,
}
