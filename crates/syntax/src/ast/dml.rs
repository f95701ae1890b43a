//! INSERT, REPLACE, UPDATE, DELETE, LOAD DATA, HANDLER.

use super::{
    ColumnRef, Expr, FileFormat, Ident, Limit, OrderItem, Query, TableName, TableRef, With,
};

/// LOW_PRIORITY and its relatives; accepted for compatibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InsertPriority {
    Low,
    Delayed,
    High,
}

/// Where the rows come from.
#[derive(Clone, Debug, PartialEq)]
pub enum InsertSource {
    /// One list a row; an empty row list stands for `VALUES ()`.
    Values(Vec<Vec<Expr>>),
    /// Any query expression, also TABLE t.
    Query(Box<Query>),
}

/// `AS new [(a, b)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RowAlias {
    pub name: Ident,
    pub columns: Vec<Ident>,
}

/// `column = value`; the value may be [`Expr::Default`].
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    pub column: ColumnRef,
    pub value: Expr,
}

/// INSERT or REPLACE. The SET form is turned into columns and one row of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub replace: bool,
    pub hints: Option<Box<str>>,
    pub priority: Option<InsertPriority>,
    pub ignore: bool,
    pub table: TableName,
    pub partitions: Vec<Ident>,
    /// `None`: no column list was written.
    pub columns: Option<Vec<ColumnRef>>,
    pub source: InsertSource,
    pub row_alias: Option<RowAlias>,
    /// ON DUPLICATE KEY UPDATE; empty without the clause.
    pub on_duplicate: Vec<Assignment>,
}

/// UPDATE of one or many tables; `tables` with a single plain table is the single-table form,
/// the only one where ORDER BY and LIMIT are grammatical.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub with: Option<With>,
    pub hints: Option<Box<str>>,
    pub low_priority: bool,
    pub ignore: bool,
    pub tables: Vec<TableRef>,
    pub assignments: Vec<Assignment>,
    pub where_: Option<Expr>,
    pub order_by: Vec<OrderItem>,
    pub limit: Option<Limit>,
}

/// DELETE of one or many tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub with: Option<With>,
    pub hints: Option<Box<str>>,
    pub low_priority: bool,
    pub quick: bool,
    pub ignore: bool,
    /// Tables (or aliases) to delete from in the multi-table forms; empty in the single-table form.
    pub targets: Vec<TableName>,
    /// The single table, or the table references to join.
    pub from: Vec<TableRef>,
    pub where_: Option<Expr>,
    pub order_by: Vec<OrderItem>,
    pub limit: Option<Limit>,
}

/// What LOAD DATA does about duplicate keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadDuplicates {
    Error,
    Ignore,
    Replace,
}

/// A target of a LOAD DATA field.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadTarget {
    Column(ColumnRef),
    UserVar(Ident),
}

/// LOAD DATA and LOAD XML.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadData {
    pub xml: bool,
    pub low_priority: bool,
    pub concurrent: bool,
    pub local: bool,
    pub path: Box<[u8]>,
    pub duplicates: LoadDuplicates,
    pub table: TableName,
    pub partitions: Vec<Ident>,
    pub charset: Option<Box<str>>,
    /// ROWS IDENTIFIED BY of LOAD XML.
    pub rows_identified_by: Option<Box<[u8]>>,
    pub format: FileFormat,
    pub ignore_lines: u64,
    pub targets: Vec<LoadTarget>,
    pub set: Vec<Assignment>,
}

/// HANDLER statements.
#[derive(Clone, Debug, PartialEq)]
pub enum Handler {
    Open { table: TableName, alias: Option<Ident> },
    Close(Ident),
    Read(HandlerRead),
}

/// HANDLER ... READ.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerRead {
    /// The name that the handler was opened by.
    pub handler: Ident,
    /// `None`: in storage order.
    pub index: Option<Ident>,
    pub how: HandlerMove,
    pub where_: Option<Expr>,
    pub limit: Option<Limit>,
}

/// Position of a HANDLER READ.
#[derive(Clone, Debug, PartialEq)]
pub enum HandlerMove {
    First,
    Next,
    Prev,
    Last,
    /// `index >= (1, 2)` and so on.
    Key {
        op: super::BinaryOp,
        values: Vec<Expr>,
    },
}
