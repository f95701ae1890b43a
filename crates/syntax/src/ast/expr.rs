//! Expressions.

use super::{ColumnRef, Ident, OrderItem, Query, WindowSpec};

/// A constant as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Null,
    Bool(bool),
    /// An integer that fits 64 bits unsigned; a larger one is a `Decimal`.
    Int(u64),
    /// Digits with a point (or too many digits), as written.
    Decimal(Box<str>),
    /// With an exponent: value and original text.
    Float(f64, Box<str>),
    /// Bytes after escape processing; `charset` is an introducer without its underscore.
    Str {
        bytes: Box<[u8]>,
        charset: Option<Box<str>>,
        national: bool,
    },
    /// A text without an introducer whose bytes in the client's set `charset` do not come back from UTF-8: as they were sent.
    Sent {
        bytes: Box<[u8]>,
        charset: &'static str,
    },
    /// `x'4142'` or `0x4142`, decoded; `charset` as for strings.
    Hex {
        bytes: Box<[u8]>,
        charset: Option<Box<str>>,
    },
    /// `b'0101'` or `0b0101`, packed big-endian into whole bytes.
    Bit {
        bytes: Box<[u8]>,
        charset: Option<Box<str>>,
    },
    /// `DATE '...'` or `{d '...'}`.
    Date(Box<str>),
    /// `TIME '...'` or `{t '...'}`.
    Time(Box<str>),
    /// `TIMESTAMP '...'` or `{ts '...'}`.
    Timestamp(Box<str>),
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Neg,
    Plus,
    BitNot,
    /// `NOT x`.
    Not,
    /// `!x` (same meaning, other precedence).
    Bang,
    /// `BINARY x`.
    Binary,
}

/// Operators between two operands that need nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Or,
    Xor,
    And,
    Eq,
    NullSafeEq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    BitOr,
    BitAnd,
    BitXor,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    IntDiv,
    Mod,
    /// `||` under PIPES_AS_CONCAT.
    Concat,
    /// `->` (column, then path literal).
    JsonExtract,
    /// `->>`.
    JsonExtractUnquote,
    SoundsLike,
}

/// What `IS [NOT]` tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IsTest {
    Null,
    True,
    False,
    Unknown,
}

/// `ALL` or `ANY`/`SOME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    All,
    Any,
}

/// Where a system variable is looked up or set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarScope {
    Global,
    Session,
    Persist,
    PersistOnly,
}

/// A system variable: `@@[scope.][component.]name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SysVar {
    pub scope: Option<VarScope>,
    pub component: Option<Ident>,
    pub name: Ident,
}

/// Units of INTERVAL, EXTRACT, TIMESTAMPADD and TIMESTAMPDIFF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    Microsecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    SecondMicrosecond,
    MinuteMicrosecond,
    MinuteSecond,
    HourMicrosecond,
    HourSecond,
    HourMinute,
    DayMicrosecond,
    DaySecond,
    DayMinute,
    DayHour,
    YearMonth,
}

/// Target of CAST and CONVERT.
#[derive(Clone, Debug, PartialEq)]
pub enum CastType {
    Binary(Option<u64>),
    /// CHAR, NCHAR (`national`); `binary` is the trailing BINARY attribute.
    Char {
        length: Option<u64>,
        charset: Option<Box<str>>,
        binary: bool,
        national: bool,
    },
    Signed,
    Unsigned,
    Date,
    Year,
    Time(Option<u64>),
    Datetime(Option<u64>),
    /// `AT TIME ZONE [INTERVAL] 'zone' AS DATETIME`: what a clock of that zone shows at a point in time.
    DatetimeAt {
        zone: Box<str>,
        interval: bool,
        digits: Option<u64>,
    },
    Decimal {
        precision: Option<u64>,
        scale: Option<u64>,
    },
    Float(Option<u64>),
    Double,
    Real,
    Json,
    /// A geometry type by name.
    Geometry(Box<str>),
}

/// Which end TRIM works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TrimSide {
    Both,
    Leading,
    Trailing,
}

/// Modifier of MATCH .. AGAINST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchMode {
    Natural,
    NaturalWithExpansion,
    Boolean,
    WithExpansion,
}

/// `OVER name` or `OVER (spec)`.
#[derive(Clone, Debug, PartialEq)]
pub enum Over {
    Name(Ident),
    Spec(Box<WindowSpec>),
}

/// A call with ordinary or aggregate syntax.
///
/// Calls whose syntax has words in it keep their own [`Expr`] variants only where the words carry
/// a meaning a plain argument list cannot (`EXTRACT`, `TRIM`, `CHAR .. USING`, ...).
/// `SUBSTRING(a FROM b FOR c)` is `substring(a, b, c)`, `POSITION(a IN b)` is `locate(a, b)`,
/// `MID` and `SUBSTR` keep their own names, `NOW()` and `CURRENT_TIMESTAMP` keep theirs.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCall {
    /// Schema for stored functions.
    pub schema: Option<Ident>,
    /// As written; compare with [`Ident::is`].
    pub name: Ident,
    pub args: Vec<Expr>,
    /// `COUNT(*)`.
    pub star: bool,
    /// `COUNT(DISTINCT a, b)`, `SUM(DISTINCT a)`, `GROUP_CONCAT(DISTINCT ...)`.
    pub distinct: bool,
    /// Of GROUP_CONCAT.
    pub order_by: Vec<OrderItem>,
    /// Of GROUP_CONCAT.
    pub separator: Option<Box<[u8]>>,
    /// `IGNORE NULLS` (true) or `RESPECT NULLS` (false).
    pub ignore_nulls: Option<bool>,
    /// `NTH_VALUE(..) FROM LAST`.
    pub from_last: bool,
    pub over: Option<Over>,
    /// The opening parenthesis was present (`CURRENT_TIMESTAMP` may do without).
    pub parens: bool,
    /// A name that is a built-in function's only with its parenthesis right behind it, and has it away: a stored function.
    pub apart: bool,
}

impl FunctionCall {
    /// A call with plain arguments.
    pub fn new(name: Ident, args: Vec<Expr>) -> FunctionCall {
        FunctionCall {
            schema: None,
            name,
            args,
            star: false,
            distinct: false,
            order_by: Vec::new(),
            separator: None,
            ignore_nulls: None,
            from_last: false,
            over: None,
            parens: true,
            apart: false,
        }
    }
}

/// ON EMPTY or ON ERROR of JSON_VALUE and JSON_TABLE columns.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonOn {
    Null,
    Error,
    Default(Box<Expr>),
}

/// `JSON_VALUE(doc, path [RETURNING type] [on empty] [on error])`.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonValue {
    pub doc: Expr,
    pub path: Expr,
    pub returning: Option<CastType>,
    pub on_empty: Option<JsonOn>,
    pub on_error: Option<JsonOn>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Literal(Literal),
    /// The n-th `?` of a prepared statement, or the n-th literal of a normalised one; from 0.
    Param(u32),
    Column(ColumnRef),
    /// `@name`.
    UserVar(Ident),
    /// `@name := value`.
    AssignVar {
        name: Ident,
        value: Box<Expr>,
    },
    /// `@@name`.
    SysVar(Box<SysVar>),
    Unary {
        op: UnaryOp,
        expr: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `a > ALL (SELECT ...)`.
    Quantified {
        op: BinaryOp,
        left: Box<Expr>,
        quantifier: Quantifier,
        query: Box<Query>,
    },
    Is {
        expr: Box<Expr>,
        test: IsTest,
        negated: bool,
    },
    Like {
        expr: Box<Expr>,
        pattern: Box<Expr>,
        escape: Option<Box<Expr>>,
        negated: bool,
    },
    Regexp {
        expr: Box<Expr>,
        pattern: Box<Expr>,
        negated: bool,
    },
    Between {
        expr: Box<Expr>,
        low: Box<Expr>,
        high: Box<Expr>,
        negated: bool,
    },
    InList {
        expr: Box<Expr>,
        list: Vec<Expr>,
        negated: bool,
    },
    InQuery {
        expr: Box<Expr>,
        query: Box<Query>,
        negated: bool,
    },
    MemberOf {
        expr: Box<Expr>,
        array: Box<Expr>,
    },
    /// `(a, b)` or `ROW(a, b)`: always at least two.
    Row(Vec<Expr>),
    Exists(Box<Query>),
    /// Scalar or row subquery.
    Subquery(Box<Query>),
    Case {
        operand: Option<Box<Expr>>,
        whens: Vec<(Expr, Expr)>,
        else_: Option<Box<Expr>>,
    },
    /// CAST and CONVERT(x, type); `array` for multi-valued keys.
    Cast {
        expr: Box<Expr>,
        to: Box<CastType>,
        array: bool,
    },
    /// `CONVERT(x USING charset)`.
    ConvertUsing {
        expr: Box<Expr>,
        charset: Ident,
    },
    Collate {
        expr: Box<Expr>,
        collation: Ident,
    },
    /// `date + INTERVAL n unit`, and DATE_ADD/DATE_SUB/ADDDATE/SUBDATE with INTERVAL.
    DateArith {
        date: Box<Expr>,
        amount: Box<Expr>,
        unit: TimeUnit,
        subtract: bool,
    },
    Extract {
        unit: TimeUnit,
        expr: Box<Expr>,
    },
    /// `TIMESTAMPADD(unit, amount, date)`.
    TimestampAdd {
        unit: TimeUnit,
        amount: Box<Expr>,
        date: Box<Expr>,
    },
    /// `TIMESTAMPDIFF(unit, from, to)`.
    TimestampDiff {
        unit: TimeUnit,
        from: Box<Expr>,
        to: Box<Expr>,
    },
    Trim {
        side: TrimSide,
        what: Option<Box<Expr>>,
        expr: Box<Expr>,
    },
    /// `CHAR(n, ... [USING charset])`.
    Char {
        args: Vec<Expr>,
        charset: Option<Ident>,
    },
    /// `WEIGHT_STRING(x [AS CHAR(n) | AS BINARY(n)])`, or `WEIGHT_STRING(x, bytes, weights, flags)`.
    WeightString {
        expr: Box<Expr>,
        to: Option<Box<CastType>>,
        numbers: Option<[u64; 3]>,
    },
    /// `GET_FORMAT(DATE, x)`; kind is DATE, TIME or DATETIME.
    GetFormat {
        kind: Ident,
        expr: Box<Expr>,
    },
    JsonValue(Box<JsonValue>),
    Match {
        columns: Vec<ColumnRef>,
        against: Box<Expr>,
        mode: MatchMode,
    },
    Call(Box<FunctionCall>),
    /// `DEFAULT` as a value in INSERT, UPDATE.
    Default,
    /// `DEFAULT(column)`.
    DefaultOf(Box<ColumnRef>),
    /// `VALUES(column)` in ON DUPLICATE KEY UPDATE.
    ValuesOf(Box<ColumnRef>),
    /// `{name expr}` (ODBC) other than d, t and ts: the expression alone has the meaning.
    Odbc {
        name: Ident,
        expr: Box<Expr>,
    },
}

impl Expr {
    /// An unsigned integer literal.
    pub fn int(value: u64) -> Expr {
        Expr::Literal(Literal::Int(value))
    }

    /// The text of a DATE, TIME or TIMESTAMP literal.
    pub fn moment_text(&self) -> Option<&str> {
        match self {
            Expr::Literal(Literal::Date(t) | Literal::Time(t) | Literal::Timestamp(t)) => Some(t),
            _ => None,
        }
    }

    /// The escape character that LIKE has without an ESCAPE.
    pub fn is_backslash(&self) -> bool {
        matches!(self, Expr::Literal(Literal::Str { bytes, charset: None, .. }) if **bytes == *b"\\")
    }

    /// A string literal in the connection's character set.
    pub fn string(bytes: &[u8]) -> Expr {
        Expr::Literal(Literal::Str { bytes: bytes.into(), charset: None, national: false })
    }
}
