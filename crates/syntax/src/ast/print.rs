//! SQL text of expressions and queries.
//!
//! The text parses back to the same tree (default `sql_mode`), with these exceptions: `||` as
//! concatenation is written `concat()`, and strings that are not UTF-8 become hexadecimal.
//! Names are always in backticks.

use std::fmt::{self, Display, Formatter, Write};

use super::*;

type R = fmt::Result;

/// How tight an expression binds; operands looser than their place get parentheses.
mod level {
    pub const ANY: u8 = 0;
    pub const OR: u8 = 1;
    pub const XOR: u8 = 2;
    pub const AND: u8 = 3;
    pub const NOT: u8 = 4;
    pub const IS: u8 = 5;
    pub const COMPARE: u8 = 6;
    pub const PREDICATE: u8 = 7;
    pub const BIT_OR: u8 = 8;
    pub const ADD: u8 = 11;
    pub const SIMPLE: u8 = 14;
    pub const UNARY: u8 = 15;
    pub const PRIMARY: u8 = 16;
}

/// A name in backticks.
pub struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        f.write_char('`')?;
        for c in self.0.chars() {
            if c == '`' {
                f.write_char('`')?;
            }
            f.write_char(c)?;
        }
        f.write_char('`')
    }
}

fn quoted(name: &Ident) -> Quoted<'_> {
    Quoted(name.as_str())
}

/// A separated list.
fn list<V>(
    f: &mut Formatter<'_>,
    items: &[V],
    mut each: impl FnMut(&mut Formatter<'_>, &V) -> R,
) -> R {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        each(f, item)?;
    }
    Ok(())
}

fn exprs(f: &mut Formatter<'_>, items: &[Expr]) -> R {
    list(f, items, |f, e| e.fmt(f))
}

/// A string literal, or a hexadecimal one if the bytes are not text.
pub struct StrLiteral<'a>(pub &'a [u8]);

impl Display for StrLiteral<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        let Ok(text) = std::str::from_utf8(self.0) else {
            return write!(f, "x'{}'", Hex(self.0));
        };
        f.write_char('\'')?;
        for c in text.chars() {
            match c {
                '\'' => f.write_str("''")?,
                '\\' => f.write_str("\\\\")?,
                '\0' => f.write_str("\\0")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\x1a' => f.write_str("\\Z")?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('\'')
    }
}

struct Hex<'a>(&'a [u8]);

impl Display for Hex<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        let introducer = |f: &mut Formatter<'_>, charset: &Option<Box<str>>| match charset {
            Some(charset) => write!(f, "_{charset} "),
            None => Ok(()),
        };
        match self {
            Literal::Null => f.write_str("NULL"),
            Literal::Bool(true) => f.write_str("TRUE"),
            Literal::Bool(false) => f.write_str("FALSE"),
            Literal::Int(v) => v.fmt(f),
            Literal::Decimal(text) | Literal::Float(_, text) => f.write_str(text),
            Literal::Str { bytes, charset, national } => {
                introducer(f, charset)?;
                if *national && std::str::from_utf8(bytes).is_ok() {
                    f.write_char('N')?;
                }
                StrLiteral(bytes).fmt(f)
            }
            Literal::Sent { bytes, charset } => write!(f, "_{charset} x'{}'", Hex(bytes)),
            Literal::Hex { bytes, charset } => {
                introducer(f, charset)?;
                write!(f, "x'{}'", Hex(bytes))
            }
            Literal::Bit { bytes, charset } => {
                introducer(f, charset)?;
                f.write_str("b'")?;
                bytes.iter().try_for_each(|b| write!(f, "{b:08b}"))?;
                f.write_char('\'')
            }
            Literal::Date(text) => write!(f, "DATE{}", StrLiteral(text.as_bytes())),
            Literal::Time(text) => write!(f, "TIME{}", StrLiteral(text.as_bytes())),
            Literal::Timestamp(text) => write!(f, "TIMESTAMP{}", StrLiteral(text.as_bytes())),
        }
    }
}

impl Display for TableName {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        if let Some(schema) = &self.schema {
            write!(f, "{}.", quoted(schema))?;
        }
        quoted(&self.name).fmt(f)
    }
}

impl Display for ColumnRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        for part in [&self.schema, &self.table].into_iter().flatten() {
            write!(f, "{}.", quoted(part))?;
        }
        quoted(&self.column).fmt(f)
    }
}

impl Display for SysVar {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        f.write_str(match self.scope {
            None => "@@",
            Some(VarScope::Global) => "@@global.",
            Some(VarScope::Session) => "@@session.",
            Some(VarScope::Persist) => "@@persist.",
            Some(VarScope::PersistOnly) => "@@persist_only.",
        })?;
        if let Some(component) = &self.component {
            write!(f, "{}.", quoted(component))?;
        }
        quoted(&self.name).fmt(f)
    }
}

impl BinaryOp {
    /// The operator as written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Or => "OR",
            BinaryOp::Xor => "XOR",
            BinaryOp::And => "AND",
            BinaryOp::Eq => "=",
            BinaryOp::NullSafeEq => "<=>",
            BinaryOp::Ne => "<>",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::BitOr => "|",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::IntDiv => "DIV",
            BinaryOp::Mod => "%",
            BinaryOp::Concat => "||",
            BinaryOp::JsonExtract => "->",
            BinaryOp::JsonExtractUnquote => "->>",
            BinaryOp::SoundsLike => "SOUNDS LIKE",
        }
    }

    fn level(self) -> u8 {
        match self {
            BinaryOp::Or => level::OR,
            BinaryOp::Xor => level::XOR,
            BinaryOp::And => level::AND,
            BinaryOp::Eq
            | BinaryOp::NullSafeEq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => level::COMPARE,
            BinaryOp::SoundsLike => level::PREDICATE,
            BinaryOp::BitOr => level::BIT_OR,
            BinaryOp::BitAnd => 9,
            BinaryOp::Shl | BinaryOp::Shr => 10,
            BinaryOp::Add | BinaryOp::Sub => level::ADD,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::IntDiv | BinaryOp::Mod => 12,
            BinaryOp::BitXor => 13,
            BinaryOp::Concat | BinaryOp::JsonExtract | BinaryOp::JsonExtractUnquote => {
                level::PRIMARY
            }
        }
    }
}

impl TimeUnit {
    /// The unit as written.
    pub fn text(self) -> &'static str {
        match self {
            TimeUnit::Microsecond => "MICROSECOND",
            TimeUnit::Second => "SECOND",
            TimeUnit::Minute => "MINUTE",
            TimeUnit::Hour => "HOUR",
            TimeUnit::Day => "DAY",
            TimeUnit::Week => "WEEK",
            TimeUnit::Month => "MONTH",
            TimeUnit::Quarter => "QUARTER",
            TimeUnit::Year => "YEAR",
            TimeUnit::SecondMicrosecond => "SECOND_MICROSECOND",
            TimeUnit::MinuteMicrosecond => "MINUTE_MICROSECOND",
            TimeUnit::MinuteSecond => "MINUTE_SECOND",
            TimeUnit::HourMicrosecond => "HOUR_MICROSECOND",
            TimeUnit::HourSecond => "HOUR_SECOND",
            TimeUnit::HourMinute => "HOUR_MINUTE",
            TimeUnit::DayMicrosecond => "DAY_MICROSECOND",
            TimeUnit::DaySecond => "DAY_SECOND",
            TimeUnit::DayMinute => "DAY_MINUTE",
            TimeUnit::DayHour => "DAY_HOUR",
            TimeUnit::YearMonth => "YEAR_MONTH",
        }
    }
}

impl Expr {
    fn level(&self) -> u8 {
        match self {
            Expr::AssignVar { .. } => level::ANY,
            Expr::Binary { op, .. } => op.level(),
            Expr::Quantified { .. } | Expr::Is { test: IsTest::Null, .. } => level::COMPARE,
            Expr::Is { .. } => level::IS,
            Expr::Unary { op: UnaryOp::Not, .. } => level::NOT,
            Expr::Unary { .. } => level::UNARY,
            Expr::Like { .. }
            | Expr::Regexp { .. }
            | Expr::Between { .. }
            | Expr::InList { .. }
            | Expr::InQuery { .. }
            | Expr::MemberOf { .. } => level::PREDICATE,
            Expr::DateArith { .. } => level::ADD,
            _ => level::PRIMARY,
        }
    }
}

/// An expression in a place that wants at least a level.
struct At<'a>(&'a Expr, u8);

impl Display for At<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        if self.0.level() < self.1 { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

fn binary(f: &mut Formatter<'_>, op: BinaryOp, left: &Expr, right: &Expr) -> R {
    let own = op.level();
    match op {
        BinaryOp::Concat => write!(f, "concat({left}, {right})"),
        BinaryOp::JsonExtract | BinaryOp::JsonExtractUnquote => {
            write!(f, "{left}{}{right}", op.text())
        }
        BinaryOp::SoundsLike => {
            let side = level::BIT_OR;
            write!(f, "{} SOUNDS LIKE {}", At(left, side), At(right, side))
        }
        _ => {
            // AND, OR and XOR are read as one flat list, whichever way the tree leans.
            let same = matches!(right, Expr::Binary { op: inner, .. } if *inner == op);
            let right_level = own + u8::from(!(same && own <= level::AND));
            write!(f, "{} {} {}", At(left, own), op.text(), At(right, right_level))
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        use level::{BIT_OR, COMPARE, PREDICATE, PRIMARY, SIMPLE, UNARY};
        match self {
            Expr::Literal(value) => value.fmt(f),
            Expr::Param(_) => f.write_char('?'),
            Expr::Column(column) => column.fmt(f),
            Expr::UserVar(name) => write!(f, "@{}", quoted(name)),
            Expr::AssignVar { name, value } => write!(f, "@{} := {value}", quoted(name)),
            Expr::SysVar(var) => var.fmt(f),
            Expr::Unary { op, expr } => {
                let (sign, side) = match op {
                    UnaryOp::Neg => ("-", UNARY),
                    UnaryOp::Plus => ("+", UNARY),
                    UnaryOp::BitNot => ("~", UNARY),
                    UnaryOp::Bang => ("!", UNARY),
                    UnaryOp::Binary => ("BINARY ", UNARY),
                    UnaryOp::Not => ("NOT ", level::NOT),
                };
                write!(f, "{sign}{}", At(expr, side))
            }
            Expr::Binary { op, left, right } => binary(f, *op, left, right),
            Expr::Quantified { op, left, quantifier, query } => {
                let word = if *quantifier == Quantifier::All { "ALL" } else { "ANY" };
                write!(f, "{} {} {word} ({query})", At(left, COMPARE), op.text())
            }
            Expr::Is { expr, test, negated } => {
                let word = match test {
                    IsTest::Null => "NULL",
                    IsTest::True => "TRUE",
                    IsTest::False => "FALSE",
                    IsTest::Unknown => "UNKNOWN",
                };
                write!(f, "{} IS {}{word}", At(expr, COMPARE), not(*negated))
            }
            Expr::Like { expr, pattern, escape, negated } => {
                write!(f, "{} {}LIKE {}", At(expr, BIT_OR), not(*negated), At(pattern, SIMPLE))?;
                match escape {
                    Some(escape) if !escape.is_backslash() => {
                        write!(f, " ESCAPE {}", At(escape, SIMPLE))
                    }
                    _ => Ok(()),
                }
            }
            Expr::Regexp { expr, pattern, negated } => {
                write!(f, "{} {}REGEXP {}", At(expr, BIT_OR), not(*negated), At(pattern, BIT_OR))
            }
            Expr::Between { expr, low, high, negated } => {
                write!(f, "{} {}BETWEEN ", At(expr, BIT_OR), not(*negated))?;
                write!(f, "{} AND {}", At(low, BIT_OR), At(high, PREDICATE))
            }
            Expr::InList { expr, list, negated } => {
                write!(f, "{} {}IN (", At(expr, BIT_OR), not(*negated))?;
                exprs(f, list)?;
                f.write_char(')')
            }
            Expr::InQuery { expr, query, negated } => {
                write!(f, "{} {}IN ({query})", At(expr, BIT_OR), not(*negated))
            }
            Expr::MemberOf { expr, array } => {
                write!(f, "{} MEMBER OF ({})", At(expr, BIT_OR), At(array, SIMPLE))
            }
            Expr::Row(items) => {
                f.write_char('(')?;
                exprs(f, items)?;
                f.write_char(')')
            }
            Expr::Exists(query) => write!(f, "EXISTS ({query})"),
            Expr::Subquery(query) => write!(f, "({query})"),
            Expr::Collate { expr, collation } => {
                write!(f, "{} COLLATE {}", At(expr, PRIMARY), quoted(collation))
            }
            Expr::Call(call) => call.fmt(f),
            Expr::Default => f.write_str("DEFAULT"),
            Expr::DefaultOf(column) => write!(f, "DEFAULT({column})"),
            Expr::ValuesOf(column) => write!(f, "VALUES({column})"),
            Expr::Odbc { name, expr } => match expr.moment_text() {
                Some(text) => write!(f, "{{{} {}}}", quoted(name), StrLiteral(text.as_bytes())),
                None => write!(f, "{{{} {expr}}}", quoted(name)),
            },
            other => special(f, other),
        }
    }
}

/// Expressions with words among their arguments.
fn special(f: &mut Formatter<'_>, expr: &Expr) -> R {
    match expr {
        Expr::Case { operand, whens, else_ } => {
            f.write_str("CASE")?;
            if let Some(operand) = operand {
                write!(f, " {operand}")?;
            }
            for (when, then) in whens {
                write!(f, " WHEN {when} THEN {then}")?;
            }
            if let Some(else_) = else_ {
                write!(f, " ELSE {else_}")?;
            }
            f.write_str(" END")
        }
        Expr::Cast { expr, to, array } => {
            if let CastType::DatetimeAt { zone, interval, .. } = &**to {
                let interval = if *interval { "INTERVAL " } else { "" };
                let zone = zone.replace('\'', "''");
                return write!(f, "CAST({expr} AT TIME ZONE {interval}'{zone}' AS {to})");
            }
            write!(f, "CAST({expr} AS {to}{})", if *array { " ARRAY" } else { "" })
        }
        Expr::ConvertUsing { expr, charset } => {
            write!(f, "CONVERT({expr} USING {})", quoted(charset))
        }
        Expr::DateArith { date, amount, unit, subtract } => {
            let sign = if *subtract { '-' } else { '+' };
            write!(f, "{} {sign} INTERVAL ", At(date, level::ADD))?;
            // `INTERVAL (a, b)` would be the function.
            let plain = matches!(
                **amount,
                Expr::Literal(_) | Expr::Param(_) | Expr::Column(_) | Expr::UserVar(_)
            );
            match plain {
                true => write!(f, "{amount} {}", unit.text()),
                false => write!(f, "({amount}) {}", unit.text()),
            }
        }
        Expr::Extract { unit, expr } => write!(f, "EXTRACT({} FROM {expr})", unit.text()),
        Expr::TimestampAdd { unit, amount, date } => {
            write!(f, "TIMESTAMPADD({}, {amount}, {date})", unit.text())
        }
        Expr::TimestampDiff { unit, from, to } => {
            write!(f, "TIMESTAMPDIFF({}, {from}, {to})", unit.text())
        }
        Expr::Trim { side, what, expr } => {
            let word = match side {
                TrimSide::Both => "BOTH ",
                TrimSide::Leading => "LEADING ",
                TrimSide::Trailing => "TRAILING ",
            };
            match what {
                Some(what) => write!(f, "TRIM({word}{what} FROM {expr})"),
                None if *side == TrimSide::Both => write!(f, "TRIM({expr})"),
                None => write!(f, "TRIM({word}FROM {expr})"),
            }
        }
        Expr::Char { args, charset } => {
            f.write_str("CHAR(")?;
            exprs(f, args)?;
            if let Some(charset) = charset {
                write!(f, " USING {}", quoted(charset))?;
            }
            f.write_char(')')
        }
        Expr::WeightString { expr, to, numbers } => match (to, numbers) {
            (Some(to), _) => write!(f, "WEIGHT_STRING({expr} AS {to})"),
            (None, Some([bytes, n, flags])) => {
                write!(f, "WEIGHT_STRING({expr}, {bytes}, {n}, {flags})")
            }
            (None, None) => write!(f, "WEIGHT_STRING({expr})"),
        },
        Expr::GetFormat { kind, expr } => write!(f, "GET_FORMAT({kind}, {expr})"),
        Expr::JsonValue(value) => {
            write!(f, "JSON_VALUE({}, {}", value.doc, value.path)?;
            if let Some(to) = &value.returning {
                write!(f, " RETURNING {to}")?;
            }
            json_on(f, value.on_empty.as_ref(), value.on_error.as_ref())?;
            f.write_char(')')
        }
        Expr::Match { columns, against, mode } => {
            f.write_str("MATCH (")?;
            list(f, columns, |f, c| c.fmt(f))?;
            let mode = match mode {
                MatchMode::Natural => "",
                MatchMode::NaturalWithExpansion => " IN NATURAL LANGUAGE MODE WITH QUERY EXPANSION",
                MatchMode::Boolean => " IN BOOLEAN MODE",
                MatchMode::WithExpansion => " WITH QUERY EXPANSION",
            };
            write!(f, ") AGAINST ({}{mode})", At(against, level::BIT_OR))
        }
        _ => Err(fmt::Error),
    }
}

pub(super) fn json_on(f: &mut Formatter<'_>, empty: Option<&JsonOn>, error: Option<&JsonOn>) -> R {
    for (on, word) in [(empty, "EMPTY"), (error, "ERROR")] {
        match on {
            None => {}
            Some(JsonOn::Null) => write!(f, " NULL ON {word}")?,
            Some(JsonOn::Error) => write!(f, " ERROR ON {word}")?,
            Some(JsonOn::Default(value)) => write!(f, " DEFAULT {value} ON {word}")?,
        }
    }
    Ok(())
}

impl Display for FunctionCall {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        if let Some(schema) = &self.schema {
            write!(f, "{}.", quoted(schema))?;
        }
        let plain = self.name.0.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if plain {
            f.write_str(self.name.as_str())?;
        } else {
            quoted(&self.name).fmt(f)?;
        }
        if !self.parens {
            return Ok(());
        }
        f.write_char('(')?;
        if self.distinct {
            f.write_str("DISTINCT ")?;
        }
        if self.star {
            f.write_char('*')?;
        }
        exprs(f, &self.args)?;
        order_by(f, &self.order_by)?;
        if let Some(separator) = &self.separator {
            write!(f, " SEPARATOR {}", StrLiteral(separator))?;
        }
        f.write_char(')')?;
        if self.from_last {
            f.write_str(" FROM LAST")?;
        }
        match self.ignore_nulls {
            Some(true) => f.write_str(" IGNORE NULLS")?,
            Some(false) => f.write_str(" RESPECT NULLS")?,
            None => {}
        }
        match &self.over {
            Some(Over::Name(name)) => write!(f, " OVER {}", quoted(name)),
            Some(Over::Spec(spec)) => write!(f, " OVER ({spec})"),
            None => Ok(()),
        }
    }
}

impl Display for CastType {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        let sized = |f: &mut Formatter<'_>, word: &str, n: &Option<u64>| match n {
            Some(n) => write!(f, "{word}({n})"),
            None => f.write_str(word),
        };
        match self {
            CastType::Binary(n) => sized(f, "BINARY", n),
            CastType::Char { length, charset, binary, national } => {
                sized(f, if *national { "NCHAR" } else { "CHAR" }, length)?;
                if let Some(charset) = charset {
                    write!(f, " CHARACTER SET {charset}")?;
                }
                f.write_str(if *binary { " BINARY" } else { "" })
            }
            CastType::Signed => f.write_str("SIGNED"),
            CastType::Unsigned => f.write_str("UNSIGNED"),
            CastType::Date => f.write_str("DATE"),
            CastType::Year => f.write_str("YEAR"),
            CastType::Time(n) => sized(f, "TIME", n),
            CastType::Datetime(n) | CastType::DatetimeAt { digits: n, .. } => {
                sized(f, "DATETIME", n)
            }
            CastType::Decimal { precision: Some(p), scale: Some(s) } => {
                write!(f, "DECIMAL({p},{s})")
            }
            CastType::Decimal { precision, .. } => sized(f, "DECIMAL", precision),
            CastType::Float(n) => sized(f, "FLOAT", n),
            CastType::Double => f.write_str("DOUBLE"),
            CastType::Real => f.write_str("REAL"),
            CastType::Json => f.write_str("JSON"),
            CastType::Geometry(name) => f.write_str(name),
        }
    }
}

fn order_by(f: &mut Formatter<'_>, items: &[OrderItem]) -> R {
    if items.is_empty() {
        return Ok(());
    }
    f.write_str(" ORDER BY ")?;
    list(f, items, |f, item| {
        write!(f, "{}{}", item.expr, if item.descending { " DESC" } else { "" })
    })
}

impl Display for WindowSpec {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        if let Some(base) = &self.base {
            quoted(base).fmt(f)?;
        }
        if !self.partition_by.is_empty() {
            f.write_str(" PARTITION BY ")?;
            exprs(f, &self.partition_by)?;
        }
        order_by(f, &self.order_by)?;
        let Some(frame) = &self.frame else { return Ok(()) };
        f.write_str(match frame.unit {
            FrameUnit::Rows => " ROWS ",
            FrameUnit::Range => " RANGE ",
            FrameUnit::Groups => " GROUPS ",
        })?;
        match &frame.end {
            Some(end) => write!(f, "BETWEEN {} AND {end}", frame.start),
            None => frame.start.fmt(f),
        }
    }
}

impl Display for FrameBound {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        let amount = |e| At(e, level::SIMPLE);
        match self {
            FrameBound::UnboundedPreceding => f.write_str("UNBOUNDED PRECEDING"),
            FrameBound::UnboundedFollowing => f.write_str("UNBOUNDED FOLLOWING"),
            FrameBound::CurrentRow => f.write_str("CURRENT ROW"),
            FrameBound::Preceding(e) => write!(f, "{} PRECEDING", amount(e)),
            FrameBound::Following(e) => write!(f, "{} FOLLOWING", amount(e)),
            FrameBound::IntervalPreceding(e, u) => write!(f, "INTERVAL {e} {} PRECEDING", u.text()),
            FrameBound::IntervalFollowing(e, u) => write!(f, "INTERVAL {e} {} FOLLOWING", u.text()),
        }
    }
}
