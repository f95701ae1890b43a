//! Expressions: the precedence levels. Operands are in `operand`, calls in `func`.
//!
//! From loose to tight, as MySQL's grammar has it: OR; XOR; AND; NOT; IS TRUE; comparisons and
//! IS NULL; predicates (IN, BETWEEN, LIKE, ...), which do not nest without parentheses on their
//! left; `|`; `&`; shifts; `+ -`; `* / % DIV MOD`; `^`; concatenating `||`; unary operators;
//! COLLATE.

use super::{PResult, Parser};
use crate::ast::{BinaryOp, Expr, IsTest, Literal, Quantifier, TimeUnit, UnaryOp};
use crate::lex::{Kw, T};

/// Longest chain of AND, OR, XOR that is left-deep; longer ones become balanced trees.
const LEFT_DEEP: usize = 8;

/// Joins the operands of an associative operator into a tree whose height is logarithmic.
pub(crate) fn join_operands<N>(mut list: Vec<N>, join: &impl Fn(N, N) -> N) -> Option<N> {
    if list.len() <= LEFT_DEEP {
        return list.into_iter().reduce(join);
    }
    let right = list.split_off(list.len().div_ceil(2));
    match (join_operands(list, join), join_operands(right, join)) {
        (Some(l), Some(r)) => Some(join(l, r)),
        (one, other) => one.or(other),
    }
}

/// Appends `expr`, or the operands it is made of when it is a tree of the same operator.
fn flatten(op: BinaryOp, expr: Expr, out: &mut Vec<Expr>) {
    match expr {
        Expr::Binary { op: inner, left, right } if inner == op => {
            flatten(op, *left, out);
            flatten(op, *right, out);
        }
        other => out.push(other),
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

impl Parser<'_> {
    /// The escape character of a LIKE that names none, where it is not the backslash that anyone who binds it would take: none in the mode
    /// NO_BACKSLASH_ESCAPES, and the backslash in a kept text, whatever the mode of its reader is.
    fn escape_of_mode(&self) -> Option<Box<Expr>> {
        let literal = match (self.opts.sql_mode.no_backslash_escapes, self.opts.kept) {
            (true, _) => Literal::Hex { bytes: Box::default(), charset: None },
            (false, true) => {
                Literal::Str { bytes: b"\\"[..].into(), charset: None, national: false }
            }
            (false, false) => return None,
        };
        Some(Box::new(Expr::Literal(literal)))
    }

    /// Any expression.
    pub(crate) fn expr(&mut self) -> PResult<Expr> {
        self.enter()?;
        let siblings = self.height();
        let result = self.logical(0);
        self.depth -= 1;
        self.grow(0)?;
        self.set_height(siblings.max(self.height()));
        result
    }

    pub(crate) fn boxed_expr(&mut self) -> PResult<Box<Expr>> {
        Ok(Box::new(self.expr()?))
    }

    pub(crate) fn expr_list(&mut self) -> PResult<Vec<Expr>> {
        self.comma_list(Parser::expr)
    }

    /// The logical operator at the cursor and its level (OR 1, XOR 2, AND 3).
    fn logical_op(&self) -> Option<(u8, BinaryOp)> {
        match (self.kind(), self.kw()) {
            (T::Word, Kw::OR) => Some((1, BinaryOp::Or)),
            (T::Word, Kw::XOR) => Some((2, BinaryOp::Xor)),
            (T::Word, Kw::AND) => Some((3, BinaryOp::And)),
            (T::AmpAmp, _) => Some((3, BinaryOp::And)),
            (T::PipePipe, _) if !self.opts.sql_mode.pipes_as_concat => Some((1, BinaryOp::Or)),
            _ => None,
        }
    }

    /// OR, XOR and AND whose level is above `floor`.
    fn logical(&mut self, floor: u8) -> PResult<Expr> {
        let left = self.negation();
        match self.logical_op() {
            Some((level, _)) if level > floor => self.logical_rest(left?, floor),
            _ => left,
        }
    }

    #[inline(never)]
    fn logical_rest(&mut self, mut left: Expr, floor: u8) -> PResult<Expr> {
        while let Some((level, op)) = self.logical_op() {
            if level <= floor {
                break;
            }
            left = self.logical_chain(left, level, op)?;
        }
        Ok(left)
    }

    #[inline(never)]
    fn logical_chain(&mut self, left: Expr, level: u8, op: BinaryOp) -> PResult<Expr> {
        let mut operands = Vec::with_capacity(2);
        let mut highest = self.height();
        flatten(op, left, &mut operands);
        while self.logical_op() == Some((level, op)) {
            self.advance();
            let right = self.logical(level)?;
            highest = highest.max(self.height());
            flatten(op, right, &mut operands);
        }
        let levels = (LEFT_DEEP as u32).min(operands.len() as u32) + operands.len().ilog2();
        self.grow(highest + levels)?;
        join_operands(operands, &|l, r| binary(op, l, r)).ok_or_else(|| self.error())
    }

    /// NOT and what binds tighter.
    fn negation(&mut self) -> PResult<Expr> {
        if self.at(Kw::NOT) && !self.opts.sql_mode.high_not_precedence {
            return self.not_expr();
        }
        let expr = self.comparison();
        if self.at(Kw::IS) { self.truth_test(expr?) } else { expr }
    }

    #[inline(never)]
    fn not_expr(&mut self) -> PResult<Expr> {
        self.advance();
        let expr = self.nested(Parser::negation)?;
        self.grow(0)?;
        Ok(Expr::Unary { op: UnaryOp::Not, expr: Box::new(expr) })
    }

    /// `IS [NOT] TRUE | FALSE | UNKNOWN`, once: it does not chain.
    #[inline(never)]
    fn truth_test(&mut self, expr: Expr) -> PResult<Expr> {
        self.advance();
        let negated = self.eat(Kw::NOT);
        let test = match self.kw() {
            Kw::TRUE => IsTest::True,
            Kw::FALSE => IsTest::False,
            Kw::UNKNOWN => IsTest::Unknown,
            _ => return Err(self.error()),
        };
        self.advance();
        Ok(Expr::Is { expr: Box::new(expr), test, negated })
    }

    fn comparison_op(&self) -> Option<BinaryOp> {
        Some(match self.kind() {
            T::Eq => BinaryOp::Eq,
            T::NullEq => BinaryOp::NullSafeEq,
            T::Ne => BinaryOp::Ne,
            T::Lt => BinaryOp::Lt,
            T::Le => BinaryOp::Le,
            T::Gt => BinaryOp::Gt,
            T::Ge => BinaryOp::Ge,
            _ => return None,
        })
    }

    /// Comparisons and IS NULL, left to right.
    fn comparison(&mut self) -> PResult<Expr> {
        let left = self.predicate();
        match self.comparison_op().is_some() || self.at(Kw::IS) {
            true => self.comparison_rest(left?),
            false => left,
        }
    }

    #[inline(never)]
    fn comparison_rest(&mut self, mut left: Expr) -> PResult<Expr> {
        loop {
            let height = self.height();
            if let Some(op) = self.comparison_op() {
                self.advance();
                left = self.comparison_right(op, left)?;
            } else if self.at(Kw::IS) {
                let negated = self.ahead(1).kw == Kw::NOT;
                let word = self.ahead(1 + usize::from(negated));
                if word.kw != Kw::NULL {
                    return Ok(left);
                }
                self.pos += 2 + usize::from(negated);
                left = Expr::Is { expr: Box::new(left), test: IsTest::Null, negated };
            } else {
                return Ok(left);
            }
            self.grow(height)?;
        }
    }

    fn comparison_right(&mut self, op: BinaryOp, left: Expr) -> PResult<Expr> {
        let quantifier = match self.kw() {
            Kw::ALL => Some(Quantifier::All),
            Kw::ANY | Kw::SOME => Some(Quantifier::Any),
            _ => None,
        };
        if let Some(quantifier) = quantifier
            && self.ahead(1).kind == T::LParen
            && op != BinaryOp::NullSafeEq
        {
            self.advance();
            let query = self.paren_query()?;
            return Ok(Expr::Quantified { op, left: Box::new(left), quantifier, query });
        }
        let right = self.predicate()?;
        Ok(binary(op, left, right))
    }

    /// IN, BETWEEN, LIKE, REGEXP, MEMBER OF, SOUNDS LIKE.
    pub(crate) fn predicate(&mut self) -> PResult<Expr> {
        let left = self.bit_expr(0);
        match self.kw() {
            Kw::NOT
            | Kw::IN
            | Kw::BETWEEN
            | Kw::LIKE
            | Kw::REGEXP
            | Kw::RLIKE
            | Kw::MEMBER
            | Kw::SOUNDS => {
                let height = self.height();
                let expr = self.predicate_rest(left?);
                self.grow(height)?;
                expr
            }
            _ => left,
        }
    }

    #[inline(never)]
    fn predicate_rest(&mut self, left: Expr) -> PResult<Expr> {
        let negated = self.at(Kw::NOT);
        let word = self.ahead(usize::from(negated)).kw;
        let skip = 1 + usize::from(negated);
        let expr = Box::new(left);
        match word {
            Kw::IN => {
                self.pos += skip;
                self.in_list(expr, negated)
            }
            Kw::BETWEEN => {
                self.pos += skip;
                let low = Box::new(self.bit_expr(0)?);
                let height = self.height();
                self.expect(Kw::AND)?;
                let high = Box::new(self.nested(Parser::predicate)?);
                self.grow(height)?;
                Ok(Expr::Between { expr, low, high, negated })
            }
            Kw::LIKE => {
                self.pos += skip;
                let pattern = Box::new(self.simple_expr()?);
                let height = self.height();
                let escape = match self.eat(Kw::ESCAPE) {
                    true => Some(Box::new(self.simple_expr()?)),
                    false => self.escape_of_mode(),
                };
                self.grow(height)?;
                Ok(Expr::Like { expr, pattern, escape, negated })
            }
            Kw::REGEXP | Kw::RLIKE => {
                self.pos += skip;
                let pattern = Box::new(self.bit_expr(0)?);
                Ok(Expr::Regexp { expr, pattern, negated })
            }
            Kw::MEMBER if !negated => {
                self.advance();
                self.eat(Kw::OF);
                self.expect_t(T::LParen)?;
                let array = Box::new(self.simple_expr()?);
                self.expect_t(T::RParen)?;
                Ok(Expr::MemberOf { expr, array })
            }
            Kw::SOUNDS if !negated => {
                self.advance();
                self.expect(Kw::LIKE)?;
                let right = self.bit_expr(0)?;
                Ok(binary(BinaryOp::SoundsLike, *expr, right))
            }
            _ => Err(self.error()),
        }
    }

    fn in_list(&mut self, expr: Box<Expr>, negated: bool) -> PResult<Expr> {
        if self.at_subquery() {
            let query = self.paren_query()?;
            return Ok(Expr::InQuery { expr, query, negated });
        }
        self.expect_t(T::LParen)?;
        let list = self.expr_list()?;
        self.expect_t(T::RParen)?;
        Ok(Expr::InList { expr, list, negated })
    }

    /// Arithmetic operator at the cursor and its level, tighter is higher.
    fn bit_op(&self) -> Option<(u8, BinaryOp)> {
        Some(match self.kind() {
            T::Pipe => (1, BinaryOp::BitOr),
            T::Amp => (2, BinaryOp::BitAnd),
            T::Shl => (3, BinaryOp::Shl),
            T::Shr => (3, BinaryOp::Shr),
            T::Plus => (4, BinaryOp::Add),
            T::Minus => (4, BinaryOp::Sub),
            T::Star => (5, BinaryOp::Mul),
            T::Slash => (5, BinaryOp::Div),
            T::Percent => (5, BinaryOp::Mod),
            T::Word => match self.kw() {
                Kw::DIV => (5, BinaryOp::IntDiv),
                Kw::MOD => (5, BinaryOp::Mod),
                _ => return None,
            },
            T::Caret => (6, BinaryOp::BitXor),
            _ => return None,
        })
    }

    /// Arithmetic above level `floor`.
    pub(crate) fn bit_expr(&mut self, floor: u8) -> PResult<Expr> {
        let left = self.simple_expr();
        match self.bit_op() {
            Some((level, _)) if level > floor => self.bit_rest(left?, floor),
            _ => left,
        }
    }

    #[inline(never)]
    fn bit_rest(&mut self, mut left: Expr, floor: u8) -> PResult<Expr> {
        while let Some((level, op)) = self.bit_op() {
            let height = self.height();
            if level <= floor {
                break;
            }
            self.advance();
            let interval = self.at(Kw::INTERVAL) && level == 4 && !self.interval_is_function();
            left = if interval {
                self.plus_interval(left, op == BinaryOp::Sub)?
            } else {
                binary(op, left, self.bit_expr(level)?)
            };
            self.grow(height)?;
        }
        Ok(left)
    }

    fn plus_interval(&mut self, date: Expr, subtract: bool) -> PResult<Expr> {
        let (amount, unit) = self.interval()?;
        Ok(Expr::DateArith { date: Box::new(date), amount, unit, subtract })
    }

    /// `INTERVAL amount unit`.
    pub(crate) fn interval(&mut self) -> PResult<(Box<Expr>, TimeUnit)> {
        self.expect(Kw::INTERVAL)?;
        let amount = self.boxed_expr()?;
        Ok((amount, self.time_unit()?))
    }

    /// At INTERVAL: it is the comparison function `INTERVAL(n, a, b)` and not a time span.
    pub(crate) fn interval_is_function(&self) -> bool {
        let query = matches!(self.ahead(2).kw, Kw::SELECT | Kw::WITH);
        if self.ahead(1).kind != T::LParen || query {
            return false;
        }
        let mut depth = 0u32;
        for token in &self.tokens[self.pos + 1..] {
            match token.kind {
                T::LParen => depth += 1,
                T::RParen if depth == 1 => return false,
                T::RParen => depth -= 1,
                T::Comma if depth == 1 => return true,
                _ => {}
            }
        }
        false
    }

    pub(crate) fn time_unit(&mut self) -> PResult<TimeUnit> {
        let unit = match self.kw() {
            Kw::MICROSECOND => TimeUnit::Microsecond,
            Kw::SECOND => TimeUnit::Second,
            Kw::MINUTE => TimeUnit::Minute,
            Kw::HOUR => TimeUnit::Hour,
            Kw::DAY => TimeUnit::Day,
            Kw::WEEK => TimeUnit::Week,
            Kw::MONTH => TimeUnit::Month,
            Kw::QUARTER => TimeUnit::Quarter,
            Kw::YEAR => TimeUnit::Year,
            Kw::SECOND_MICROSECOND => TimeUnit::SecondMicrosecond,
            Kw::MINUTE_MICROSECOND => TimeUnit::MinuteMicrosecond,
            Kw::MINUTE_SECOND => TimeUnit::MinuteSecond,
            Kw::HOUR_MICROSECOND => TimeUnit::HourMicrosecond,
            Kw::HOUR_SECOND => TimeUnit::HourSecond,
            Kw::HOUR_MINUTE => TimeUnit::HourMinute,
            Kw::DAY_MICROSECOND => TimeUnit::DayMicrosecond,
            Kw::DAY_SECOND => TimeUnit::DaySecond,
            Kw::DAY_MINUTE => TimeUnit::DayMinute,
            Kw::DAY_HOUR => TimeUnit::DayHour,
            Kw::YEAR_MONTH => TimeUnit::YearMonth,
            _ => return Err(self.error()),
        };
        self.advance();
        Ok(unit)
    }

    /// What MySQL's grammar calls simple_expr: operands with unary operators, COLLATE and, under
    /// PIPES_AS_CONCAT, `||`.
    pub(crate) fn simple_expr(&mut self) -> PResult<Expr> {
        let left = self.unary();
        match self.kind() == T::PipePipe && self.opts.sql_mode.pipes_as_concat {
            true => self.concat_rest(left?),
            false => left,
        }
    }

    #[inline(never)]
    fn concat_rest(&mut self, mut left: Expr) -> PResult<Expr> {
        while self.kind() == T::PipePipe && self.opts.sql_mode.pipes_as_concat {
            self.advance();
            let height = self.height();
            left = binary(BinaryOp::Concat, left, self.unary()?);
            self.grow(height)?;
        }
        Ok(left)
    }

    pub(crate) fn unary(&mut self) -> PResult<Expr> {
        let op = match (self.kind(), self.kw()) {
            (T::Minus, _) => UnaryOp::Neg,
            (T::Plus, _) => UnaryOp::Plus,
            (T::Tilde, _) => UnaryOp::BitNot,
            (T::Bang, _) => UnaryOp::Bang,
            (T::Word, Kw::BINARY) => UnaryOp::Binary,
            (T::Word, Kw::NOT) if self.opts.sql_mode.high_not_precedence => UnaryOp::Bang,
            _ => return self.collated(),
        };
        self.unary_rest(op)
    }

    #[inline(never)]
    fn unary_rest(&mut self, op: UnaryOp) -> PResult<Expr> {
        self.advance();
        let expr = self.nested(Parser::unary)?;
        self.grow(0)?;
        Ok(Expr::Unary { op, expr: Box::new(expr) })
    }

    fn collated(&mut self) -> PResult<Expr> {
        let expr = self.operand();
        if self.at(Kw::COLLATE) { self.collate_rest(expr?) } else { expr }
    }

    #[inline(never)]
    fn collate_rest(&mut self, mut expr: Expr) -> PResult<Expr> {
        while self.eat(Kw::COLLATE) {
            let collation = crate::ast::Ident(self.charset_name()?);
            expr = Expr::Collate { expr: Box::new(expr), collation };
            self.grow(0)?;
        }
        Ok(expr)
    }
}
