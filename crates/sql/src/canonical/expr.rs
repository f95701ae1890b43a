//! Expressions as text. Operations have parentheses around them, so no rank of operators is needed to read them.
//!
//! Conditions are as MySQL's resolver leaves them: what is no condition by itself is compared with 0, and NOT is moved inwards.

use super::Printer;
use super::is_boolean;
use std::fmt::Write as _;
use weir_syntax::ast::{
    BinaryOp, CastType, ColumnRef, Expr, IsTest, MatchMode, Quantifier, TimeUnit, TrimSide, UnaryOp,
};

impl Printer {
    pub fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Literal(l) => self.literal(l),
            Expr::Column(c) => self.column(c),
            Expr::Unary { op, expr } => match op {
                // There is no operation.
                UnaryOp::Plus => self.expr(expr),
                UnaryOp::Neg => self.wrapped("-(", expr, ")"),
                UnaryOp::BitNot => self.wrapped("~(", expr, ")"),
                UnaryOp::Binary => self.wrapped("cast(", expr, " as char charset binary)"),
                UnaryOp::Not | UnaryOp::Bang => self.negated(expr),
            },
            Expr::Binary { op, left, right } => self.binary(*op, left, right),
            Expr::Row(items) => {
                self.push("(");
                self.list(items, ",", |p, e| p.expr(e));
                self.push(")");
            }
            Expr::Case { operand, whens, else_ } => {
                self.case(operand.as_deref(), whens, else_.as_deref());
            }
            Expr::Exists(query) => {
                self.push("exists(");
                self.query(query, false);
                self.push(")");
            }
            Expr::Subquery(query) => {
                self.push("(");
                self.query(query, false);
                self.push(")");
            }
            Expr::Call(c) => self.call(c),
            other => self.test(other),
        }
    }

    fn case(&mut self, operand: Option<&Expr>, whens: &[(Expr, Expr)], otherwise: Option<&Expr>) {
        self.push("(case");
        if let Some(e) = operand {
            self.wrapped(" ", e, "");
        }
        for (when, then) in whens {
            self.push(" when ");
            match operand {
                Some(_) => self.expr(when),
                None => self.condition(when),
            }
            self.wrapped(" then ", then, "");
        }
        if let Some(e) = otherwise {
            self.wrapped(" else ", e, "");
        }
        self.push(" end)");
    }

    /// Expressions that answer with true or false.
    fn test(&mut self, e: &Expr) {
        match e {
            Expr::Quantified { op, left, quantifier, query } => {
                self.operand(left);
                let word = if *quantifier == Quantifier::All { "all" } else { "any" };
                let _ = write!(self.out, " {} {word} (", op.text());
                self.query(query, false);
                self.push(")");
            }
            Expr::Is { expr, test, negated } => self.is(expr, *test, *negated),
            Expr::Like { expr, pattern, escape, negated } => {
                self.push(if *negated { "(not((" } else { "(" });
                self.operand(expr);
                self.push(" like ");
                self.operand(pattern);
                if let Some(escape) = escape.as_ref().filter(|e| !e.is_backslash()) {
                    self.push(" escape ");
                    self.operand(escape);
                }
                self.push(if *negated { ")))" } else { ")" });
            }
            Expr::Regexp { expr, pattern, negated } => {
                self.push(if *negated { "(not(" } else { "" });
                self.wrapped("regexp_like(", expr, ",");
                self.expr(pattern);
                self.push(if *negated { ")))" } else { ")" });
            }
            Expr::Between { expr, low, high, negated } => {
                self.push("(");
                self.operand(expr);
                self.push(if *negated { " not between " } else { " between " });
                self.operand(low);
                self.push(" and ");
                self.operand(high);
                self.push(")");
            }
            // MySQL has made comparisons of these.
            Expr::InList { expr, list, negated } if list.len() == 1 => {
                self.infix(expr, if *negated { "<>" } else { "=" }, &list[0]);
            }
            Expr::InList { expr, list, negated } => {
                self.push("(");
                self.operand(expr);
                self.push(if *negated { " not in (" } else { " in (" });
                self.list(list, ",", |p, e| p.expr(e));
                self.push("))");
            }
            Expr::InQuery { expr, query, negated } => {
                self.operand(expr);
                self.push(if *negated { " not in (" } else { " in (" });
                self.query(query, false);
                self.push(")");
            }
            Expr::MemberOf { expr, array } => {
                self.operand(expr);
                self.wrapped(" member of (", array, ")");
            }
            other => self.special(other),
        }
    }

    /// Expressions with words among their arguments.
    fn special(&mut self, e: &Expr) {
        match e {
            Expr::Cast { expr, to, array } => {
                // Every zone that is allowed is this one.
                let at = matches!(**to, CastType::DatetimeAt { .. });
                let as_ = if at { " AT TIME ZONE '+00:00' as " } else { " as " };
                self.wrapped("cast(", expr, as_);
                self.cast_type(to);
                self.push(if *array { " array)" } else { ")" });
            }
            Expr::ConvertUsing { expr, charset } => {
                self.wrapped("convert(", expr, " using ");
                let _ = write!(self.out, "{})", charset.as_str().to_lowercase());
            }
            Expr::Collate { expr, collation } => {
                self.push("(");
                self.operand(expr);
                let _ = write!(self.out, " collate {})", collation.as_str().to_lowercase());
            }
            Expr::DateArith { date, amount, unit, subtract } => {
                self.interval(date, amount, *unit, *subtract);
            }
            Expr::TimestampAdd { unit, amount, date } => self.interval(date, amount, *unit, false),
            Expr::Extract { unit, expr } => {
                let before = format!("extract({} from ", unit.text().to_lowercase());
                self.wrapped(&before, expr, ")");
            }
            Expr::TimestampDiff { unit, from, to } => {
                self.wrapped(&format!("timestampdiff({},", unit.text()), from, ",");
                self.wrapped("", to, ")");
            }
            Expr::DefaultOf(c) => {
                self.push("default(");
                self.column(c);
                self.push(")");
            }
            Expr::Odbc { expr, .. } => self.odbc(expr),
            other => self.worded(other),
        }
    }

    /// Calls that have words of their own.
    fn worded(&mut self, e: &Expr) {
        match e {
            Expr::Trim { side, what, expr } => {
                let word = match (side, what) {
                    (TrimSide::Both, None) => "trim(",
                    (TrimSide::Both, Some(_)) => "trim(both ",
                    (TrimSide::Leading, _) => "trim(leading ",
                    (TrimSide::Trailing, _) => "trim(trailing ",
                };
                self.push(word);
                match what {
                    Some(what) => self.wrapped("", what, " from "),
                    None if *side != TrimSide::Both => self.push("from "),
                    None => {}
                }
                self.wrapped("", expr, ")");
            }
            Expr::Char { args, charset } => {
                self.push("char(");
                self.list(args, ",", |p, e| p.expr(e));
                if let Some(charset) = charset {
                    let _ = write!(self.out, " using {}", charset.as_str().to_lowercase());
                }
                self.push(")");
            }
            Expr::WeightString { expr, to, numbers } => {
                self.wrapped("weight_string(", expr, "");
                if let Some([bytes, n, flags]) = numbers {
                    let _ = write!(self.out, ",{bytes},{n},{flags}");
                }
                match to.as_deref() {
                    Some(CastType::Char { length: Some(n), .. }) => {
                        let _ = write!(self.out, " as char({n})");
                    }
                    Some(CastType::Binary(Some(n))) => {
                        let _ = write!(self.out, " as binary({n})");
                    }
                    _ => {}
                }
                self.push(")");
            }
            Expr::GetFormat { kind, expr } => {
                let before = format!("get_format({}, ", kind.as_str().to_uppercase());
                self.wrapped(&before, expr, ")");
            }
            Expr::JsonValue(j) => self.json_value(j),
            Expr::Match { columns, against, mode } => {
                self.push("(match ");
                self.list(columns, ",", |p, c| p.column(c));
                self.wrapped(" against (", against, "");
                self.push(match mode {
                    MatchMode::Natural => "))",
                    MatchMode::Boolean => " in boolean mode))",
                    MatchMode::NaturalWithExpansion | MatchMode::WithExpansion => {
                        " with query expansion))"
                    }
                });
            }
            // Variables and parameters are no part of a view, DEFAULT and VALUES() of no query.
            other => _ = write!(self.out, "{other}"),
        }
    }

    pub fn wrapped(&mut self, before: &str, e: &Expr, after: &str) {
        self.push(before);
        self.expr(e);
        self.push(after);
    }

    /// One side of an operation. What has no parentheses of its own in MySQL's text has some here, where the text would not be read
    /// as it is meant.
    pub fn operand(&mut self, e: &Expr) {
        let open = match e {
            Expr::InQuery { .. } | Expr::Quantified { .. } | Expr::MemberOf { .. } => true,
            Expr::Unary { op: UnaryOp::Not | UnaryOp::Bang, expr } => bare_under_not(expr),
            Expr::Unary { op: UnaryOp::Plus, expr } => return self.operand(expr),
            Expr::Odbc { expr, .. } if expr.moment_text().is_some() => false,
            Expr::Odbc { expr, .. } => return self.operand(expr),
            _ => false,
        };
        match open {
            true => self.wrapped("(", e, ")"),
            false => self.expr(e),
        }
    }

    pub fn infix(&mut self, a: &Expr, op: &str, b: &Expr) {
        self.push("(");
        self.operand(a);
        let _ = write!(self.out, " {op} ");
        self.operand(b);
        self.push(")");
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) {
        match op {
            BinaryOp::And | BinaryOp::Or => self.joined(op, a, b, false),
            BinaryOp::Xor => {
                self.push("(");
                self.condition(a);
                self.push(" xor ");
                self.condition(b);
                self.push(")");
            }
            BinaryOp::Concat => {
                self.wrapped("concat(", a, ",");
                self.wrapped("", b, ")");
            }
            BinaryOp::JsonExtract | BinaryOp::JsonExtractUnquote => {
                let unquote = op == BinaryOp::JsonExtractUnquote;
                self.push(if unquote { "json_unquote(" } else { "" });
                self.wrapped("json_extract(", a, ",");
                self.wrapped("", b, if unquote { "))" } else { ")" });
            }
            BinaryOp::SoundsLike => {
                self.wrapped("(soundex(", a, ") = ");
                self.wrapped("soundex(", b, "))");
            }
            other => self.infix(a, other.text(), b),
        }
    }

    /// AND and OR, whichever way the tree leans; under NOT the other one, of what is not.
    fn joined(&mut self, op: BinaryOp, a: &Expr, b: &Expr, not: bool) {
        fn parts<'e>(op: BinaryOp, e: &'e Expr, out: &mut Vec<&'e Expr>) {
            match e {
                Expr::Binary { op: inner, left, right } if *inner == op => {
                    parts(op, left, out);
                    parts(op, right, out);
                }
                other => out.push(other),
            }
        }
        let mut all = Vec::new();
        parts(op, a, &mut all);
        parts(op, b, &mut all);
        let word = if (op == BinaryOp::And) != not { " and " } else { " or " };
        self.push("(");
        self.list(&all, word, |p, e| match not {
            true => p.negated(e),
            false => p.condition(e),
        });
        self.push(")");
    }

    /// What is asked whether it is true.
    pub fn condition(&mut self, e: &Expr) {
        match is_boolean(e) {
            true => self.expr(e),
            false => {
                self.push("(0 <> ");
                self.operand(e);
                self.push(")");
            }
        }
    }

    /// NOT of an expression.
    fn negated(&mut self, e: &Expr) {
        if let Expr::Call(c) = e
            && let Some(test @ Expr::Is { .. }) = super::form::rewritten(c)
        {
            return self.negated(&test);
        }
        match e {
            Expr::Unary { op: UnaryOp::Not | UnaryOp::Bang, expr } => self.condition(expr),
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
                self.joined(*op, left, right, true);
            }
            Expr::Binary { op: BinaryOp::Xor, left, right } => {
                self.push("(");
                self.negated(left);
                self.push(" xor ");
                self.condition(right);
                self.push(")");
            }
            Expr::Binary { op: BinaryOp::SoundsLike, left, right } => {
                self.wrapped("(soundex(", left, ") <> ");
                self.wrapped("soundex(", right, "))");
            }
            Expr::Binary { op, left, right } if opposite(*op).is_some() => {
                let op = opposite(*op).unwrap_or(*op);
                self.infix(left, op.text(), right);
            }
            Expr::Is { expr, test, negated } => self.is(expr, *test, !negated),
            Expr::Between { .. } | Expr::InList { .. } | Expr::InQuery { .. } => {
                self.expr(&turned(e));
            }
            Expr::Like { negated: true, .. } | Expr::Regexp { negated: true, .. } => {
                self.expr(&turned(e));
            }
            Expr::Exists(_) => self.wrapped("(not ", e, ")"),
            Expr::Odbc { expr, .. } => self.negated(expr),
            e if is_boolean(e) => self.wrapped("(not(", e, "))"),
            e => {
                self.push("(0 = ");
                self.operand(e);
                self.push(")");
            }
        }
    }

    pub fn is(&mut self, e: &Expr, test: IsTest, negated: bool) {
        self.push("(");
        match test {
            IsTest::True | IsTest::False => self.asked(e),
            IsTest::Null | IsTest::Unknown => self.operand(e),
        }
        self.push(if negated { " is not " } else { " is " });
        self.push(match test {
            IsTest::Null | IsTest::Unknown => "null)",
            IsTest::True => "true)",
            IsTest::False => "false)",
        });
    }

    /// A condition as one side of IS.
    fn asked(&mut self, e: &Expr) {
        match is_boolean(e) {
            true => self.operand(e),
            false => self.condition(e),
        }
    }

    pub fn interval(&mut self, date: &Expr, amount: &Expr, unit: TimeUnit, subtract: bool) {
        self.push("(");
        self.operand(date);
        self.push(if subtract { " - interval " } else { " + interval " });
        self.operand(amount);
        let _ = write!(self.out, " {})", unit.text().to_lowercase());
    }

    pub fn column(&mut self, c: &ColumnRef) {
        let schema = c.schema.as_ref().filter(|_| !self.style.compact);
        for part in [schema, c.table.as_ref()].into_iter().flatten() {
            self.name(part.as_str());
            self.push(".");
        }
        self.name(c.column.as_str());
    }
}

/// A comparison that says the contrary.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Gt,
        _ => return None,
    })
}

/// A test that says the contrary.
fn turned(e: &Expr) -> Expr {
    let mut e = e.clone();
    if let Expr::Between { negated, .. }
    | Expr::InList { negated, .. }
    | Expr::InQuery { negated, .. }
    | Expr::Like { negated, .. }
    | Expr::Regexp { negated, .. } = &mut e
    {
        *negated = !*negated;
    }
    e
}

/// What has no parentheses of its own under any number of NOTs.
fn bare_under_not(e: &Expr) -> bool {
    match e {
        Expr::InQuery { .. } => true,
        Expr::Unary { op: UnaryOp::Not | UnaryOp::Bang, expr } | Expr::Odbc { expr, .. } => {
            bare_under_not(expr)
        }
        _ => false,
    }
}
