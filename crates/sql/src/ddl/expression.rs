//! Expressions of definitions (CHECK, generated columns, defaults): what may stand in them, and the text that is kept.
//!
//! The text is MySQL's own form of an expression (`((`a` > 0) and (`b` < 1))`), as SHOW CREATE TABLE prints it. It means the same
//! whatever the session that reads it has set: names are in backticks, operators in parentheses, strings have a character set.

mod json;

use std::fmt::Write as _;

use crate::canonical::{is_boolean, rewritten};
use crate::errno;
use crate::func::facts::{Definitions, Id};
use crate::func::special::{self, Special};
use crate::func::{self, FuncDef, aggregate};
use crate::meta::same_name;
use crate::session_api::SqlError;
use weir_syntax::ast::{
    BinaryOp, CastType, ColumnRef, Expr, FunctionCall, IsTest, Literal, TrimSide, UnaryOp,
};
use weir_syntax::parse::{ParseOptions, parse_expr};

/// What an expression defines, with the name that errors tell.
#[derive(Clone, Copy, Debug)]
pub enum Purpose<'a> {
    Check(&'a str),
    Generated(&'a str),
    Default(&'a str),
    /// A key part, told by the index.
    KeyPart(&'a str),
}

/// An expression of a definition as it is kept.
#[derive(Debug, Default)]
pub struct Written {
    pub text: String,
    /// Columns by name, each once, as the expression writes them.
    pub columns: Vec<String>,
    /// Those whose default it asks for.
    pub defaults: Vec<String>,
    /// It calls a function that says something else each time, or in each session.
    pub varies: bool,
}

/// The kept text of an expression; 1235 and its like for what may not stand in it.
pub fn written(expr: &Expr, purpose: Purpose<'_>) -> Result<Written, SqlError> {
    let mut w = Writer { out: Written::default(), purpose };
    w.expr(expr)?;
    Ok(w.out)
}

/// Reads a text that [`written`] made.
pub fn parse(text: &str) -> Result<Expr, SqlError> {
    let options = ParseOptions { kept: true, ..Default::default() };
    parse_expr(text.as_bytes(), &options).map_err(|e| match e.errno {
        // The kept text has more parentheses than what was written.
        errno::ER_STACK_OVERRUN_NEED_MORE => SqlError::new(e.errno, e.message),
        _ => SqlError::internal(format!("expression of a definition: {}", e.message)),
    })
}

/// Columns that a kept text names.
pub fn columns_of(text: &str) -> Vec<String> {
    kept(text).map_or_else(Vec::new, |w| w.columns)
}

/// The columns for whose defaults a kept text asks, which that of a CHECK may.
pub fn defaults_of(text: &str) -> Vec<String> {
    kept(text).map_or_else(Vec::new, |w| w.defaults)
}

fn kept(text: &str) -> Option<Written> {
    let e = parse(text).ok()?;
    let of_check = written(&e, Purpose::Check(""));
    of_check.or_else(|_| written(&e, Purpose::Default(""))).ok()
}

fn is_logical(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Or | BinaryOp::And | BinaryOp::Xor)
}

/// The opposite of a condition, where MySQL writes it without NOT.
fn negated(expr: &Expr) -> Option<Expr> {
    use BinaryOp::*;
    let not = |e: &Expr| {
        Box::new(match negated(e) {
            Some(n) => n,
            None => Expr::Unary { op: UnaryOp::Not, expr: Box::new(e.clone()) },
        })
    };
    Some(match expr {
        Expr::Call(call) => return negated(&rewritten(call)?),
        Expr::Unary { op: UnaryOp::Not, expr } if is_boolean(expr) => (**expr).clone(),
        Expr::Binary { op, left, right } => {
            let op = match op {
                Eq => Ne,
                Ne => Eq,
                Lt => Ge,
                Ge => Lt,
                Gt => Le,
                Le => Gt,
                And => return Some(Expr::Binary { op: Or, left: not(left), right: not(right) }),
                Or => return Some(Expr::Binary { op: And, left: not(left), right: not(right) }),
                _ => return None,
            };
            Expr::Binary { op, left: left.clone(), right: right.clone() }
        }
        Expr::Is { expr, test, negated } => {
            Expr::Is { expr: expr.clone(), test: *test, negated: !negated }
        }
        Expr::Between { expr, low, high, negated } => Expr::Between {
            expr: expr.clone(),
            low: low.clone(),
            high: high.clone(),
            negated: !negated,
        },
        Expr::InList { expr, list, negated } => {
            Expr::InList { expr: expr.clone(), list: list.clone(), negated: !negated }
        }
        _ => return None,
    })
}

struct Writer<'a> {
    out: Written,
    purpose: Purpose<'a>,
}

type W = Result<(), SqlError>;

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    /// What may not be called: `name` none where the grammar has no function's name for it.
    fn disallowed(&self, name: Option<&str>) -> SqlError {
        let (plain, named, what) = match self.purpose {
            Purpose::KeyPart(n) => (
                errno::ER_FUNCTIONAL_INDEX_FUNCTION_IS_NOT_ALLOWED,
                errno::ER_FUNCTIONAL_INDEX_FUNCTION_IS_NOT_ALLOWED,
                format!("Expression of functional index '{n}'"),
            ),
            Purpose::Check(n) => (
                errno::ER_CHECK_CONSTRAINT_FUNCTION_IS_NOT_ALLOWED,
                errno::ER_CHECK_CONSTRAINT_NAMED_FUNCTION_IS_NOT_ALLOWED,
                format!("An expression of a check constraint '{n}'"),
            ),
            Purpose::Generated(n) => (
                errno::ER_GENERATED_COLUMN_FUNCTION_IS_NOT_ALLOWED,
                errno::ER_GENERATED_COLUMN_NAMED_FUNCTION_IS_NOT_ALLOWED,
                format!("Expression of generated column '{n}'"),
            ),
            Purpose::Default(n) => (
                errno::ER_DEFAULT_VAL_GENERATED_FUNCTION_IS_NOT_ALLOWED,
                errno::ER_DEFAULT_VAL_GENERATED_NAMED_FUNCTION_IS_NOT_ALLOWED,
                format!("Default value expression of column '{n}'"),
            ),
        };
        let article = if matches!(self.purpose, Purpose::Check(_)) { "" } else { "a " };
        match name {
            Some(_) if plain == named => self.disallowed(None),
            None => SqlError::new(plain, format!("{what} contains {article}disallowed function.")),
            Some(f) => {
                SqlError::new(named, format!("{what} contains {article}disallowed function: {f}."))
            }
        }
    }

    fn variables(&self) -> SqlError {
        match self.purpose {
            Purpose::Check(n) => SqlError::of(errno::ER_CHECK_CONSTRAINT_VARIABLES, &[&n]),
            Purpose::Generated(n) => SqlError::of(errno::ER_GENERATED_COLUMN_VARIABLES, &[&n]),
            Purpose::KeyPart(_) => self.disallowed(None),
            Purpose::Default(n) => SqlError::of(errno::ER_DEFAULT_VAL_GENERATED_VARIABLES, &[&n]),
        }
    }

    fn row_value(&self) -> SqlError {
        match self.purpose {
            Purpose::Check(n) => SqlError::of(errno::ER_CHECK_CONSTRAINT_ROW_VALUE, &[&n]),
            Purpose::Generated(n) => SqlError::of(errno::ER_GENERATED_COLUMN_ROW_VALUE, &[&n]),
            Purpose::KeyPart(n) => {
                SqlError::of(errno::ER_FUNCTIONAL_INDEX_ROW_VALUE_IS_NOT_ALLOWED, &[&n])
            }
            Purpose::Default(n) => SqlError::of(errno::ER_DEFAULT_VAL_GENERATED_ROW_VALUE, &[&n]),
        }
    }

    fn expr(&mut self, e: &Expr) -> W {
        match e {
            Expr::Literal(l) => self.literal(l),
            Expr::Column(c) => return self.column(c),
            Expr::Param(_) | Expr::UserVar(_) | Expr::AssignVar { .. } | Expr::SysVar(_) => {
                return Err(self.variables());
            }
            Expr::Unary { op, expr } => return self.unary(*op, expr),
            Expr::Binary { op, left, right } => return self.binary(*op, left, right),
            Expr::Is { .. }
            | Expr::Like { .. }
            | Expr::Regexp { .. }
            | Expr::Between { .. }
            | Expr::InList { .. } => return self.predicate(e),
            Expr::Row(_) => return Err(self.row_value()),
            Expr::Case { .. } => return self.case(e),
            Expr::Call(call) => return self.call(call),
            Expr::Odbc { expr, .. } => return self.expr(expr),
            Expr::Quantified { .. }
            | Expr::InQuery { .. }
            | Expr::Exists(_)
            | Expr::Subquery(_)
            | Expr::Default => return Err(self.disallowed(None)),
            Expr::Match { .. } => return Err(self.disallowed(Some("match"))),
            Expr::DefaultOf(c) if matches!(self.purpose, Purpose::Check(_)) => {
                self.out.defaults.push(c.column.as_str().to_owned());
                self.put("default(");
                self.column(c)?;
                self.put(")");
            }
            Expr::DefaultOf(_) => return Err(self.disallowed(Some("default"))),
            Expr::ValuesOf(_) => return Err(self.disallowed(Some("values"))),
            other => return self.worded(other),
        }
        Ok(())
    }

    fn column(&mut self, c: &ColumnRef) -> W {
        // There is one table. As in MySQL nobody looks at what the column is said to be of.
        let name = c.column.as_str();
        if !self.out.columns.iter().any(|n| same_name(n, name)) {
            self.out.columns.push(name.to_owned());
        }
        self.name(name);
        Ok(())
    }

    fn name(&mut self, name: &str) {
        self.put(&format!("`{}`", name.replace('`', "``")));
    }

    fn literal(&mut self, l: &Literal) {
        match l {
            Literal::Bool(b) => self.put(if *b { "true" } else { "false" }),
            Literal::Str { bytes, charset, .. } => {
                let _ = write!(self.out.text, "_{}", charset.as_deref().unwrap_or("utf8mb4"));
                self.string(bytes);
            }
            Literal::Sent { bytes, charset } => {
                let _ = write!(self.out.text, "_{charset} ");
                self.hex(bytes);
            }
            Literal::Hex { bytes, charset } | Literal::Bit { bytes, charset } => {
                if let Some(charset) = charset {
                    let _ = write!(self.out.text, "_{charset} ");
                }
                self.hex(bytes);
            }
            other => {
                let _ = write!(self.out.text, "{other}");
            }
        }
    }

    fn hex(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return self.put("x''");
        }
        self.put("0x");
        for b in bytes {
            let _ = write!(self.out.text, "{b:02x}");
        }
    }

    fn string(&mut self, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else {
            self.put(" ");
            return self.hex(bytes);
        };
        self.put("'");
        for c in text.chars() {
            match c {
                '\'' => self.put("\\'"),
                '\\' => self.put("\\\\"),
                '\0' => self.put("\\0"),
                '\n' => self.put("\\n"),
                '\r' => self.put("\\r"),
                c => self.out.text.push(c),
            }
        }
        self.put("'");
    }

    fn unary(&mut self, op: UnaryOp, expr: &Expr) -> W {
        let (before, after) = match op {
            UnaryOp::Plus => return self.expr(expr),
            UnaryOp::Neg => ("-(", ")"),
            UnaryOp::BitNot => ("~(", ")"),
            UnaryOp::Not | UnaryOp::Bang => match negated(expr) {
                Some(opposite) => return self.expr(&opposite),
                None if is_boolean(expr) => ("(not(", "))"),
                None => ("(0 = ", ")"),
            },
            UnaryOp::Binary => ("cast(", " as char charset binary)"),
        };
        self.put(before);
        self.expr(expr)?;
        self.put(after);
        Ok(())
    }

    /// `(a op b op c)`; AND, OR and XOR are one list, whichever way the tree leans.
    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> W {
        let word = match op {
            BinaryOp::Or => "or",
            BinaryOp::And => "and",
            BinaryOp::Xor => "xor",
            BinaryOp::Concat => return self.arguments("concat", &[left, right]),
            BinaryOp::SoundsLike => {
                self.put("(");
                self.arguments("soundex", &[left])?;
                self.put(" = ");
                self.arguments("soundex", &[right])?;
                self.put(")");
                return Ok(());
            }
            BinaryOp::JsonExtract => return self.arguments("json_extract", &[left, right]),
            BinaryOp::JsonExtractUnquote => {
                self.put("json_unquote(");
                self.arguments("json_extract", &[left, right])?;
                self.put(")");
                return Ok(());
            }
            other => other.text(),
        };
        let flat = matches!(op, BinaryOp::Or | BinaryOp::And);
        self.put("(");
        self.side(left, op, flat)?;
        self.put(&format!(" {word} "));
        self.side(right, op, flat)?;
        self.put(")");
        Ok(())
    }

    fn side(&mut self, e: &Expr, op: BinaryOp, flat: bool) -> W {
        // What NOT makes of an OR is part of the list too.
        if let Expr::Unary { op: UnaryOp::Not | UnaryOp::Bang, expr } = e
            && let Some(opposite) = negated(expr)
        {
            return self.side(&opposite, op, flat);
        }
        match e {
            Expr::Binary { op: inner, left, right } if flat && *inner == op => {
                self.side(left, op, flat)?;
                self.put(if op == BinaryOp::Or { " or " } else { " and " });
                self.side(right, op, flat)
            }
            // A number is asked whether it is zero.
            other if is_logical(op) && !is_boolean(other) => {
                self.put("(0 <> ");
                self.expr(other)?;
                self.put(")");
                Ok(())
            }
            other if is_logical(op) => self.expr(other),
            other => self.operand(other),
        }
    }

    /// A side of what binds as MEMBER OF does, or closer: that has no parentheses of its own. MySQL writes none here either, and
    /// reads another expression or none.
    fn operand(&mut self, e: &Expr) -> W {
        match e {
            Expr::Unary { op: UnaryOp::Plus, expr } | Expr::Odbc { expr, .. } => self.operand(expr),
            Expr::MemberOf { .. } => {
                self.put("(");
                self.expr(e)?;
                self.put(")");
                Ok(())
            }
            e => self.expr(e),
        }
    }

    fn predicate(&mut self, e: &Expr) -> W {
        let not = |negated: bool| if negated { "not " } else { "" };
        match e {
            Expr::Is { expr, test, negated } => {
                self.put("(");
                self.operand(expr)?;
                let word = match test {
                    IsTest::Null | IsTest::Unknown => "null",
                    IsTest::True => "true",
                    IsTest::False => "false",
                };
                self.put(&format!(" is {}{word})", not(*negated)));
            }
            Expr::Like { expr, pattern, escape, negated } => {
                self.put(if *negated { "(not((" } else { "(" });
                self.operand(expr)?;
                self.put(" like ");
                self.operand(pattern)?;
                if let Some(escape) = escape.as_ref().filter(|e| !e.is_backslash()) {
                    self.put(" escape ");
                    self.operand(escape)?;
                }
                self.put(if *negated { ")))" } else { ")" });
            }
            Expr::Regexp { expr, pattern, negated } => {
                self.put(if *negated { "(not(" } else { "" });
                self.arguments("regexp_like", &[expr, pattern])?;
                self.put(if *negated { "))" } else { "" });
            }
            Expr::Between { expr, low, high, negated } => {
                self.put("(");
                self.operand(expr)?;
                self.put(&format!(" {}between ", not(*negated)));
                self.operand(low)?;
                self.put(" and ");
                self.operand(high)?;
                self.put(")");
            }
            Expr::InList { expr, list, negated } => {
                self.put("(");
                self.tuple(expr)?;
                self.put(&format!(" {}in (", not(*negated)));
                for (n, item) in list.iter().enumerate() {
                    self.put(if n > 0 { "," } else { "" });
                    self.tuple(item)?;
                }
                self.put("))");
            }
            _ => return Err(self.disallowed(None)),
        }
        Ok(())
    }

    /// A side of IN, which may be a row.
    fn tuple(&mut self, e: &Expr) -> W {
        let Expr::Row(items) = e else { return self.operand(e) };
        self.put("(");
        for (n, item) in items.iter().enumerate() {
            self.put(if n > 0 { "," } else { "" });
            self.expr(item)?;
        }
        self.put(")");
        Ok(())
    }

    fn case(&mut self, e: &Expr) -> W {
        let Expr::Case { operand, whens, else_ } = e else { return Err(self.disallowed(None)) };
        self.put("(case ");
        if let Some(operand) = operand {
            self.expr(operand)?;
            self.put(" ");
        }
        for (when, then) in whens {
            self.put("when ");
            self.expr(when)?;
            self.put(" then ");
            self.expr(then)?;
            self.put(" ");
        }
        if let Some(else_) = else_ {
            self.put("else ");
            self.expr(else_)?;
            self.put(" ");
        }
        self.put("end)");
        Ok(())
    }

    fn arguments(&mut self, name: &str, args: &[&Expr]) -> W {
        self.put(name);
        self.put("(");
        for (n, a) in args.iter().enumerate() {
            self.put(if n > 0 { "," } else { "" });
            self.expr(a)?;
        }
        self.put(")");
        Ok(())
    }

    fn call(&mut self, call: &FunctionCall) -> W {
        let name = call.name.as_str().to_ascii_lowercase();
        if aggregate::lookup(&name).is_some() || call.over.is_some() {
            return Err(SqlError::of(errno::ER_INVALID_GROUP_FUNC_USE, &[]));
        }
        if let Some(stored) = stored_function(call) {
            return Err(self.disallowed(Some(&stored)));
        }
        match special::lookup(&name) {
            Some(Special::NameConst) => return Err(self.disallowed(None)),
            Some(s) if s.is_disallowed_in_definitions() => {
                return Err(self.disallowed(Some(s.shown())));
            }
            _ => {}
        }
        let shown = match func::lookup(&name) {
            Some(def) => {
                self.may_call(def, call.args.len())?;
                def.shown()
            }
            None => name,
        };
        if let Some(e) = rewritten(call) {
            return self.expr(&e);
        }
        self.arguments(&shown, &call.args.iter().collect::<Vec<_>>())
    }

    /// Notes what the function's value depends on, or refuses it.
    fn may_call(&mut self, def: &FuncDef, args: usize) -> W {
        let of_default = matches!(self.purpose, Purpose::Default(_));
        match def.definitions {
            Definitions::Anywhere => Ok(()),
            Definitions::Defaults if of_default => {
                // Of a moment that is given it follows the time zone alone.
                self.out.varies |= def.id != Id::UnixTimestamp || args == 0;
                Ok(())
            }
            _ if def.id == Id::Version => Err(self.disallowed(Some("version()"))),
            _ => Err(self.disallowed(Some(&def.shown()))),
        }
    }

    /// Expressions with words among their arguments.
    fn worded(&mut self, e: &Expr) -> W {
        match e {
            Expr::Cast { expr, to, array } => {
                self.put("cast(");
                self.expr(expr)?;
                let at = matches!(**to, CastType::DatetimeAt { .. });
                let at = if at { " AT TIME ZONE '+00:00'" } else { "" };
                let to = if *array { array_type(to) } else { cast_type(to) };
                self.put(&format!("{at} as {to})"));
            }
            Expr::ConvertUsing { expr, charset } => {
                self.put("convert(");
                self.expr(expr)?;
                self.put(&format!(" using {charset})"));
            }
            Expr::Collate { expr, collation } => {
                self.put("(");
                self.operand(expr)?;
                self.put(&format!(" collate {collation})"));
            }
            Expr::DateArith { date, amount, unit, subtract } => {
                self.put("(");
                self.operand(date)?;
                self.put(if *subtract { " - interval " } else { " + interval " });
                self.expr(amount)?;
                self.put(&format!(" {})", unit.text().to_lowercase()));
            }
            Expr::TimestampAdd { unit, amount, date } => {
                self.put("(");
                self.operand(date)?;
                self.put(" + interval ");
                self.expr(amount)?;
                self.put(&format!(" {})", unit.text().to_lowercase()));
            }
            Expr::Extract { unit, expr } => {
                self.put(&format!("extract({} from ", unit.text().to_lowercase()));
                self.expr(expr)?;
                self.put(")");
            }
            Expr::TimestampDiff { unit, from, to } => {
                self.put(&format!("timestampdiff({},", unit.text()));
                self.expr(from)?;
                self.put(",");
                self.expr(to)?;
                self.put(")");
            }
            Expr::Trim { side, what, expr } => self.trim(*side, what.as_deref(), expr)?,
            Expr::Char { args, charset } => {
                self.put("char(");
                for (n, a) in args.iter().enumerate() {
                    self.put(if n > 0 { "," } else { "" });
                    self.expr(a)?;
                }
                if let Some(charset) = charset {
                    self.put(&format!(" using {charset}"));
                }
                self.put(")");
            }
            Expr::WeightString { .. } | Expr::GetFormat { .. } => self.with_words(e)?,
            Expr::JsonValue(j) => self.json_value(j)?,
            Expr::MemberOf { expr, array } => {
                self.operand(expr)?;
                self.put(" member of (");
                self.expr(array)?;
                self.put(")");
            }
            _ => return Err(SqlError::not_supported("this expression in a definition")),
        }
        Ok(())
    }

    /// Functions that take a type or a word of the language.
    fn with_words(&mut self, e: &Expr) -> W {
        match e {
            Expr::WeightString { expr, to, numbers } => {
                self.put("weight_string(");
                self.expr(expr)?;
                if let Some([bytes, n, flags]) = numbers {
                    self.put(&format!(",{bytes},{n},{flags}"));
                }
                match to.as_deref() {
                    Some(CastType::Char { length: Some(n), .. }) => {
                        self.put(&format!(" as char({n})"));
                    }
                    Some(CastType::Binary(Some(n))) => self.put(&format!(" as binary({n})")),
                    _ => {}
                }
                self.put(")");
            }
            Expr::GetFormat { kind, expr } => {
                self.put(&format!("get_format({}, ", kind.as_str().to_uppercase()));
                self.expr(expr)?;
                self.put(")");
            }
            _ => return Err(SqlError::not_supported("this expression in a definition")),
        }
        Ok(())
    }

    fn trim(&mut self, side: TrimSide, what: Option<&Expr>, expr: &Expr) -> W {
        let word = match side {
            TrimSide::Both => "both",
            TrimSide::Leading => "leading",
            TrimSide::Trailing => "trailing",
        };
        match (what, side) {
            (None, TrimSide::Both) => return self.arguments("trim", &[expr]),
            (None, _) => self.put(&format!("trim({word} from ")),
            (Some(what), _) => {
                self.put(&format!("trim({word} "));
                self.expr(what)?;
                self.put(" from ");
            }
        }
        self.expr(expr)?;
        self.put(")");
        Ok(())
    }
}

/// What a call of a stored function is named where it may not stand: whatever MySQL has no function of its own for.
fn stored_function(call: &FunctionCall) -> Option<String> {
    let quoted = |name: &str| format!("`{}`", name.replace('`', "``"));
    let name = call.name.as_str();
    match &call.schema {
        Some(schema) => Some(format!("{}.{}", quoted(schema.as_str()), quoted(name))),
        None if func::lookup(name).is_none() && special::lookup(name).is_none() => {
            Some(quoted(name))
        }
        None => None,
    }
}

/// What a multi-valued key part is cast to, whose texts have no character set.
fn array_type(to: &CastType) -> String {
    let to = match to {
        CastType::Decimal { precision, scale } => {
            format!("decimal({}, {})", precision.unwrap_or(10), scale.unwrap_or(0))
        }
        other => other.to_string().to_lowercase(),
    };
    to + " array"
}

fn cast_type(to: &CastType) -> String {
    let sized = |word: &str, n: &Option<u64>| match n {
        Some(n) => format!("{word}({n})"),
        None => word.to_owned(),
    };
    match to {
        CastType::Binary(n) => sized("char", n) + " charset binary",
        CastType::Char { length, charset, national, .. } => {
            let set = charset.as_deref().unwrap_or(if *national { "utf8mb3" } else { "utf8mb4" });
            format!("{} charset {set}", sized("char", length))
        }
        CastType::Decimal { precision, scale } => {
            format!("decimal({},{})", precision.unwrap_or(10), scale.unwrap_or(0))
        }
        other => other.to_string().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sql: &str) -> String {
        written(&parse(sql).expect("parses"), Purpose::Check("c")).expect("may stand").text
    }

    #[test]
    fn texts_are_mysqls() {
        for (sql, want) in [
            ("a > 0 AND b < 1 and c<>2", "((`a` > 0) and (`b` < 1) and (`c` <> 2))"),
            ("t.a IN (1, 'x')", "(`a` in (1,_utf8mb4'x'))"),
            ("not (a > 1)", "(`a` <= 1)"),
            ("a not like 'x%'", "(not((`a` like _utf8mb4'x%')))"),
            ("a between -1 and 2", "(`a` between -(1) and 2)"),
            ("SUBSTRING(a, 1, 2) = 'it''s'", "(substr(`a`,1,2) = _utf8mb4'it\\'s')"),
            (
                "d + interval 1 DAY > '2020-01-01'",
                "((`d` + interval 1 day) > _utf8mb4'2020-01-01')",
            ),
            ("case when a then 1 else b end = 1", "((case when `a` then 1 else `b` end) = 1)"),
            ("cast(a as char(3)) is null", "(cast(`a` as char(3) charset utf8mb4) is null)"),
            ("mod(a, 2) = 0 or a is not null", "(((`a` % 2) = 0) or (`a` is not null))"),
        ] {
            assert_eq!(text(sql), want);
        }
    }

    /// What is kept is read again as what it says.
    #[test]
    fn texts_are_stable() {
        for sql in [
            "a > 0 and (b < 1 or c like 'x!%' escape '!') xor d",
            "concat(a, _latin1'x', x'4142') = trim(both 'x' from b)",
            "not (a = 1 or b in (1,2)) and extract(year from c) = 3",
            "a collate utf8mb4_bin = '\\\\' and ~a <> !b",
            "1 + (a member of (b)) > 0",
            "((a member of (b)) + 1) in (a member of (b), 2)",
            "(a member of (b)) in (0, 1) or a member of (b)",
            "(a member of (b)) member of (c)",
            "((a member of (b)) is null) + (isnull((a member of (b))))",
            "(a member of (b)) between (a member of (b)) and (a member of (b))",
            "(+(a member of (b))) like '1' escape '!'",
            "if(a member of (b), 1, 2) = case when a member of (b) then 1 else 2 end",
            "not (a member of (b)) and -(a member of (b)) = ((a member of (b)) collate utf8mb4_bin)",
            "json_value(a, '$.b') = json_value(a, '$.c' returning char)",
            "json_value(a, '$.b' returning char(5) charset latin1) > json_value(a, '$.c' returning char(5))",
        ] {
            let once = text(sql);
            assert_eq!(text(&once), once, "{sql}");
        }
    }

    #[test]
    fn what_may_not_stand_in_a_check() {
        for (sql, errno) in [
            ("a > now()", 3814),
            ("a > (select 1)", 3815),
            ("a > @x", 3816),
            ("(a, b)", 3817),
            ("sum(a) > 1", 1111),
            ("rand() > a", 3814),
        ] {
            let e = written(&parse(sql).expect("parses"), Purpose::Check("c"));
            assert_eq!(e.expect_err(sql).errno, errno, "{sql}");
        }
    }

    #[test]
    fn columns_are_found() {
        assert_eq!(columns_of("((`a` + `b`) > `a`)"), ["a", "b"]);
    }
}
