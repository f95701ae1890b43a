//! Queries: SELECT and everything that nests in it.

use super::{DataType, Expr, Ident, JsonOn, TableName};

/// A query expression: WITH, one or more query blocks, and what applies to their result.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub with: Option<With>,
    pub body: QueryBody,
    pub order_by: Vec<OrderItem>,
    pub limit: Option<Limit>,
    pub locking: Vec<Locking>,
    pub into: Option<SelectInto>,
}

/// What a query expression is made of. ORDER BY and LIMIT written after a set operation belong to
/// the enclosing [`Query`]; those of one operand are inside its `Nested` query.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryBody {
    Select(Box<Select>),
    SetOp {
        op: SetOp,
        all: bool,
        left: Box<QueryBody>,
        right: Box<QueryBody>,
    },
    /// A parenthesised query expression.
    Nested(Box<Query>),
    /// `VALUES ROW(..), ..`.
    Values(Vec<Vec<Expr>>),
    /// `TABLE t`.
    Table(TableName),
}

/// INTERSECT binds tighter than the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetOp {
    Union,
    Intersect,
    Except,
}

/// `WITH [RECURSIVE] ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct With {
    pub recursive: bool,
    pub tables: Vec<CommonTable>,
}

/// One common table expression.
#[derive(Clone, Debug, PartialEq)]
pub struct CommonTable {
    pub name: Ident,
    pub columns: Vec<Ident>,
    pub query: Box<Query>,
}

/// Words between SELECT and the select list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectOptions {
    pub distinct: bool,
    pub high_priority: bool,
    pub straight_join: bool,
    pub small_result: bool,
    pub big_result: bool,
    pub buffer_result: bool,
    pub no_cache: bool,
    pub calc_found_rows: bool,
}

/// One query block.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// Text between `/*+` and `*/`, if any.
    pub hints: Option<Box<str>>,
    pub options: SelectOptions,
    pub items: Vec<SelectItem>,
    /// Empty: no FROM, or FROM DUAL.
    pub from: Vec<TableRef>,
    pub where_: Option<Expr>,
    /// MySQL 8.0 has no direction here.
    pub group_by: Vec<Expr>,
    pub rollup: bool,
    pub having: Option<Expr>,
    pub windows: Vec<(Ident, WindowSpec)>,
}

/// An element of the select list.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectItem {
    /// `*`, `t.*` (table only), `db.t.*`.
    Wildcard { schema: Option<Ident>, table: Option<Ident> },
    /// `text` is the expression as written: it names the column when there is no alias.
    Expr { expr: Expr, alias: Option<Ident>, text: Box<str> },
}

/// A member of FROM.
#[derive(Clone, Debug, PartialEq)]
pub enum TableRef {
    Table(Box<TableFactor>),
    Derived {
        lateral: bool,
        query: Box<Query>,
        alias: Ident,
        columns: Vec<Ident>,
    },
    Join(Box<Join>),
    /// `(t2, t3)`: a comma list in parentheses, an inner join of its members.
    List(Vec<TableRef>),
    JsonTable(Box<JsonTable>),
}

/// A named table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableFactor {
    pub name: TableName,
    pub partitions: Vec<Ident>,
    pub alias: Option<Ident>,
    pub index_hints: Vec<IndexHint>,
}

/// How two table references are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// JOIN, INNER JOIN, CROSS JOIN: one meaning in MySQL.
    Inner,
    /// STRAIGHT_JOIN: inner, left table read first.
    Straight,
    Left,
    Right,
}

/// Condition of a join.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinCondition {
    On(Expr),
    Using(Vec<Ident>),
    Natural,
}

/// Two joined table references.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    pub kind: JoinKind,
    pub left: TableRef,
    pub right: TableRef,
    pub condition: Option<JoinCondition>,
}

/// USE, FORCE or IGNORE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexHintKind {
    Use,
    Force,
    Ignore,
}

/// `FOR JOIN`, `FOR ORDER BY`, `FOR GROUP BY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexHintScope {
    Join,
    OrderBy,
    GroupBy,
}

/// `USE INDEX [FOR ..] (a, b)`; an empty list is legal for USE.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexHint {
    pub kind: IndexHintKind,
    pub scope: Option<IndexHintScope>,
    /// PRIMARY is a name here.
    pub indexes: Vec<Ident>,
}

/// `JSON_TABLE(expr, path COLUMNS (...)) AS alias`.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonTable {
    pub lateral: bool,
    pub doc: Expr,
    pub path: Box<[u8]>,
    pub columns: Vec<JsonColumn>,
    pub alias: Ident,
}

/// A column of JSON_TABLE.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonColumn {
    Ordinality(Ident),
    Path {
        name: Ident,
        data_type: Box<DataType>,
        exists: bool,
        path: Box<[u8]>,
        on_empty: Option<JsonOn>,
        on_error: Option<JsonOn>,
    },
    Nested {
        path: Box<[u8]>,
        columns: Vec<JsonColumn>,
    },
}

/// An element of ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderItem {
    pub expr: Expr,
    pub descending: bool,
}

/// LIMIT; both parts are an integer literal or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    pub offset: Option<Expr>,
    pub count: Expr,
}

/// FOR UPDATE or FOR SHARE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockStrength {
    Update,
    Share,
}

/// What to do about a row that another transaction has locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockWait {
    Wait,
    NoWait,
    SkipLocked,
}

/// One locking clause. LOCK IN SHARE MODE is `Share` and `Wait` with no tables.
#[derive(Clone, Debug, PartialEq)]
pub struct Locking {
    pub strength: LockStrength,
    pub of: Vec<Ident>,
    pub wait: LockWait,
}

/// Where the result of SELECT goes instead of to the client.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectInto {
    /// User variables (`@a`) or local variables of a routine.
    Vars(Vec<IntoVar>),
    OutFile {
        path: Box<[u8]>,
        charset: Option<Box<str>>,
        format: FileFormat,
    },
    DumpFile(Box<[u8]>),
}

/// One target of SELECT .. INTO.
#[derive(Clone, Debug, PartialEq)]
pub enum IntoVar {
    User(Ident),
    /// A name that no stored program declares.
    Local(Ident),
    /// A variable of the stored program around the statement.
    Slot(u32),
}

/// FIELDS and LINES clauses of OUTFILE and LOAD DATA; `None`: MySQL's default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileFormat {
    pub fields_terminated: Option<Box<[u8]>>,
    pub fields_enclosed: Option<Box<[u8]>>,
    pub optionally_enclosed: bool,
    pub fields_escaped: Option<Box<[u8]>>,
    pub lines_starting: Option<Box<[u8]>>,
    pub lines_terminated: Option<Box<[u8]>>,
}

/// ROWS, RANGE or GROUPS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameUnit {
    Rows,
    Range,
    Groups,
}

/// One end of a window frame.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    UnboundedPreceding,
    Preceding(Box<Expr>),
    /// `INTERVAL n unit PRECEDING`.
    IntervalPreceding(Box<Expr>, super::TimeUnit),
    CurrentRow,
    Following(Box<Expr>),
    IntervalFollowing(Box<Expr>, super::TimeUnit),
    UnboundedFollowing,
}

/// A window frame; `end` absent means CURRENT ROW.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowFrame {
    pub unit: FrameUnit,
    pub start: FrameBound,
    pub end: Option<FrameBound>,
}

/// Contents of a window's parentheses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowSpec {
    pub base: Option<Ident>,
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<OrderItem>,
    pub frame: Option<WindowFrame>,
}

impl Query {
    /// `SELECT items`, without FROM.
    pub fn of_items(items: Vec<SelectItem>) -> Query {
        let select = Select {
            hints: None,
            options: SelectOptions::default(),
            items,
            from: Vec::new(),
            where_: None,
            group_by: Vec::new(),
            rollup: false,
            having: None,
            windows: Vec::new(),
        };
        Query::bare(QueryBody::Select(Box::new(select)))
    }

    /// A query with nothing around its body.
    pub fn bare(body: QueryBody) -> Query {
        Query {
            with: None,
            body,
            order_by: Vec::new(),
            limit: None,
            locking: Vec::new(),
            into: None,
        }
    }

    /// The single query block, when this is a plain SELECT.
    pub fn as_select(&self) -> Option<&Select> {
        match &self.body {
            QueryBody::Select(select) => Some(select),
            _ => None,
        }
    }
}
