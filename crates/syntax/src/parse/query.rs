//! Query expressions: WITH, set operations, ORDER BY, LIMIT, locking, INTO, windows.

use super::expr::join_operands;
use super::{PResult, ParseError, Parser};
use crate::ast::{
    CommonTable, Expr, FileFormat, FrameBound, FrameUnit, Ident, Limit, LockStrength, LockWait,
    Locking, Query, QueryBody, SelectInto, SetOp, Statement, WindowFrame, WindowSpec, With,
};
use crate::lex::{Kw, T};

const ER_MULTIPLE_INTO: u16 = 3953;
const ER_MISPLACED_INTO: u16 = 3954;

impl Parser<'_> {
    pub(crate) fn query_statement(&mut self) -> PResult<Statement> {
        Ok(Statement::Select(self.outer_query(true)?))
    }

    /// The query of a statement that is one (`into`: which may put its row or rows somewhere) or that takes its rows.
    pub(crate) fn outer_query(&mut self, into: bool) -> PResult<Box<Query>> {
        (self.may_go_into, self.outermost) = (into, true);
        self.query()
    }

    /// WITH before SELECT, UPDATE or DELETE.
    pub(crate) fn with_statement(&mut self) -> PResult<Statement> {
        let with = self.with_clause()?;
        match self.kw() {
            Kw::UPDATE => self.update(Some(with)),
            Kw::DELETE => self.delete(Some(with)),
            _ => {
                (self.may_go_into, self.outermost) = (true, true);
                let mut query = self.query_after_with()?;
                query.with = Some(with);
                Ok(Statement::Select(query))
            }
        }
    }

    fn with_clause(&mut self) -> PResult<With> {
        self.expect(Kw::WITH)?;
        let recursive = self.eat(Kw::RECURSIVE);
        let tables = self.comma_list(|p| {
            let name = p.ident()?;
            let columns = p.opt_paren_idents()?;
            p.expect(Kw::AS)?;
            Ok(CommonTable { name, columns, query: p.paren_query()? })
        })?;
        Ok(With { recursive, tables })
    }

    /// At `(`: what is in the parentheses is a query, not an expression or a table list.
    pub(crate) fn at_subquery(&self) -> bool {
        if self.kind() != T::LParen {
            return false;
        }
        let mut n = 1;
        while self.ahead(n).kind == T::LParen {
            n += 1;
        }
        let word = self.ahead(n);
        let starts = match word.kw {
            Kw::SELECT | Kw::WITH => true,
            Kw::TABLE => true,
            Kw::VALUES => self.ahead(n + 1).kw == Kw::ROW,
            _ => false,
        };
        // `((SELECT 1) + 1)` is an expression, `((SELECT 1) UNION SELECT 2)` a query: what comes
        // after each inner parenthesis decides.
        starts && (1..n).all(|k| self.query_goes_on_after(self.pos + k))
    }

    fn query_goes_on_after(&self, open: usize) -> bool {
        let mut depth = 0u32;
        for (i, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                T::LParen => depth += 1,
                T::RParen => {
                    depth -= 1;
                    if depth == 0 {
                        let next = self.tokens[(i + 1).min(self.tokens.len() - 1)];
                        return next.kind == T::RParen
                            || matches!(
                                next.kw,
                                Kw::UNION
                                    | Kw::EXCEPT
                                    | Kw::INTERSECT
                                    | Kw::ORDER
                                    | Kw::LIMIT
                                    | Kw::FOR
                                    | Kw::LOCK
                                    | Kw::INTO
                            );
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// `( query )`.
    pub(crate) fn paren_query(&mut self) -> PResult<Box<Query>> {
        if self.no_subqueries {
            return Err(self.error());
        }
        self.expect_t(T::LParen)?;
        let query = self.nested(Parser::query)?;
        self.expect_t(T::RParen)?;
        Ok(query)
    }

    pub(crate) fn query(&mut self) -> PResult<Box<Query>> {
        if !self.at(Kw::WITH) {
            return self.query_after_with();
        }
        // The tables of WITH are queries of their own.
        let place = (std::mem::take(&mut self.may_go_into), std::mem::take(&mut self.outermost));
        let with = self.with_clause()?;
        (self.may_go_into, self.outermost) = place;
        let mut query = self.query_after_with()?;
        query.with = Some(with);
        Ok(query)
    }

    #[inline(never)]
    fn query_after_with(&mut self) -> PResult<Box<Query>> {
        let first = self.pos;
        let parens = self.kind() == T::LParen;
        // In parentheses the query is still the statement's own.
        let may_go_into = std::mem::take(&mut self.may_go_into) || self.lenient();
        self.may_go_into = may_go_into && parens;
        let body = self.set_operations()?;
        let mut query = Box::new(Query::bare(body));
        query.into = self.pending_into.take();
        let within = query.into.is_some();
        let tail = self.pos;
        if self.eat_all(&[Kw::ORDER, Kw::BY]) {
            query.order_by = self.order_items()?;
        }
        query.limit = self.limit()?;
        loop {
            match self.kw() {
                Kw::FOR => query.locking.push(self.locking()?),
                Kw::LOCK => {
                    self.expect_all(&[Kw::LOCK, Kw::IN, Kw::SHARE, Kw::MODE])?;
                    let strength = LockStrength::Share;
                    query.locking.push(Locking { strength, of: Vec::new(), wait: LockWait::Wait });
                }
                Kw::INTO if may_go_into && within && !self.lenient() => {
                    let message = "Multiple INTO clauses in one query block.".into();
                    return Err(ParseError { errno: ER_MULTIPLE_INTO, message });
                }
                Kw::INTO if may_go_into && query.into.is_none() => {
                    query.into = Some(self.select_into()?)
                }
                _ => break,
            }
        }
        // Parentheses around the whole with nothing behind them mean nothing.
        let bare = self.pos == tail && query.into.is_none();
        if bare
            && self.tokens[first].kind == T::LParen
            && let QueryBody::Nested(inner) = query.body
        {
            return Ok(inner);
        }
        Ok(query)
    }

    /// UNION and EXCEPT, left to right.
    fn set_operations(&mut self) -> PResult<QueryBody> {
        let mut left = self.intersections()?;
        while matches!(self.kw(), Kw::UNION | Kw::EXCEPT) {
            self.refuse_inner_into()?;
            let (op, all) = self.set_operator();
            let mut operands = vec![left, self.intersections()?];
            if op == SetOp::Union {
                while self.kw() == Kw::UNION && all == (self.ahead(1).kw == Kw::ALL) {
                    self.refuse_inner_into()?;
                    self.set_operator();
                    operands.push(self.intersections()?);
                }
            }
            let join = |l, r| QueryBody::SetOp { op, all, left: Box::new(l), right: Box::new(r) };
            left = join_operands(operands, &join).ok_or_else(|| self.error())?;
            self.link()?;
        }
        Ok(left)
    }

    fn set_operator(&mut self) -> (SetOp, bool) {
        let op = match self.kw() {
            Kw::UNION => SetOp::Union,
            Kw::EXCEPT => SetOp::Except,
            _ => SetOp::Intersect,
        };
        self.advance();
        let all = self.eat(Kw::ALL);
        if !all {
            self.eat_any(&[Kw::DISTINCT, Kw::DISTINCTROW]);
        }
        (op, all)
    }

    fn intersections(&mut self) -> PResult<QueryBody> {
        let mut left = self.query_primary()?;
        while self.at(Kw::INTERSECT) {
            self.refuse_inner_into()?;
            let (op, all) = self.set_operator();
            let right = Box::new(self.query_primary()?);
            left = QueryBody::SetOp { op, all, left: Box::new(left), right };
            self.link()?;
        }
        Ok(left)
    }

    /// At an operation on sets: INTO belongs to its last operand.
    fn refuse_inner_into(&self) -> PResult<()> {
        if self.pending_into.is_none() || self.lenient() {
            return Ok(());
        }
        let message = "Misplaced INTO clause, INTO is not allowed inside subqueries, and must be placed at end of UNION clauses.";
        Err(ParseError { errno: ER_MISPLACED_INTO, message: message.into() })
    }

    fn query_primary(&mut self) -> PResult<QueryBody> {
        match (self.kind(), self.kw()) {
            (T::LParen, _) => Ok(QueryBody::Nested(self.paren_query()?)),
            (_, Kw::SELECT) => self.select(),
            (_, Kw::TABLE) => {
                self.advance();
                Ok(QueryBody::Table(self.table_name()?))
            }
            (_, Kw::VALUES) => {
                self.advance();
                let rows = self.comma_list(|p| {
                    p.expect(Kw::ROW)?;
                    p.value_row()
                })?;
                Ok(QueryBody::Values(rows))
            }
            _ => Err(self.error()),
        }
    }

    /// `LIMIT n`, `LIMIT offset, n`, `LIMIT n OFFSET offset`.
    pub(crate) fn limit(&mut self) -> PResult<Option<Limit>> {
        if !self.eat(Kw::LIMIT) {
            return Ok(None);
        }
        let first = self.limit_value()?;
        if self.eat_t(T::Comma) {
            return Ok(Some(Limit { offset: Some(first), count: self.limit_value()? }));
        }
        let offset = if self.eat(Kw::OFFSET) { Some(self.limit_value()?) } else { None };
        Ok(Some(Limit { offset, count: first }))
    }

    /// `LIMIT n`: a change has no rows to pass over.
    pub(crate) fn limit_of_change(&mut self) -> PResult<Option<Limit>> {
        if !self.eat(Kw::LIMIT) {
            return Ok(None);
        }
        Ok(Some(Limit { offset: None, count: self.limit_value()? }))
    }

    fn limit_value(&mut self) -> PResult<Expr> {
        match self.kind() {
            T::Param | T::Slot => self.operand(),
            T::Word if self.at_ident() => self.limit_variable(),
            _ => Ok(Expr::int(self.number()?)),
        }
    }

    /// A variable of a program, which has to be an integer: a program without such a variable is not defined.
    fn limit_variable(&mut self) -> PResult<Expr> {
        let first = self.pos;
        let column = self.column_ref()?;
        let e = self.variable_or(column)?;
        let Some(scope) = &self.scope else { return Ok(e) };
        match &e {
            Expr::Column(c) => {
                let message = format!("Undeclared variable: {}", c.column).into();
                Err(ParseError { errno: 1327, message })
            }
            Expr::Param(n) if !scope.holds_integers(*n) => {
                let name = self.text_since(first);
                let told = format!("The variable \"{name}\" has a non-integer based type");
                Err(self.error_at(first, &told))
            }
            _ => Ok(e),
        }
    }

    fn locking(&mut self) -> PResult<Locking> {
        self.expect(Kw::FOR)?;
        let strength = if self.eat(Kw::UPDATE) {
            LockStrength::Update
        } else {
            self.expect(Kw::SHARE)?;
            LockStrength::Share
        };
        let of = if self.eat(Kw::OF) { self.ident_list()? } else { Vec::new() };
        let wait = if self.eat(Kw::NOWAIT) {
            LockWait::NoWait
        } else if self.eat_all(&[Kw::SKIP, Kw::LOCKED]) {
            LockWait::SkipLocked
        } else {
            LockWait::Wait
        };
        Ok(Locking { strength, of, wait })
    }

    pub(crate) fn select_into(&mut self) -> PResult<SelectInto> {
        self.expect(Kw::INTO)?;
        // Without a path behind it the word is the name of a variable.
        if self.at(Kw::DUMPFILE) && self.ahead(1).kind == T::Str {
            self.expect(Kw::DUMPFILE)?;
            return Ok(SelectInto::DumpFile(self.string()?));
        }
        if self.eat(Kw::OUTFILE) {
            let path = self.string()?;
            let charset = match self.eat_charset() {
                true => Some(self.charset_name()?),
                false => None,
            };
            return Ok(SelectInto::OutFile { path, charset, format: self.file_format()? });
        }
        Ok(SelectInto::Vars(self.comma_list(Parser::target_variable)?))
    }

    /// FIELDS and LINES.
    pub(crate) fn file_format(&mut self) -> PResult<FileFormat> {
        let mut format = FileFormat::default();
        if self.eat_any(&[Kw::FIELDS, Kw::COLUMNS]).is_some() {
            loop {
                if self.eat_all(&[Kw::TERMINATED, Kw::BY]) {
                    format.fields_terminated = Some(self.text_bytes()?);
                } else if self.eat_all(&[Kw::OPTIONALLY, Kw::ENCLOSED, Kw::BY]) {
                    format.fields_enclosed = Some(self.text_bytes()?);
                    format.optionally_enclosed = true;
                } else if self.eat_all(&[Kw::ENCLOSED, Kw::BY]) {
                    format.fields_enclosed = Some(self.text_bytes()?);
                } else if self.eat_all(&[Kw::ESCAPED, Kw::BY]) {
                    format.fields_escaped = Some(self.text_bytes()?);
                } else {
                    break;
                }
            }
        }
        if self.eat(Kw::LINES) {
            loop {
                if self.eat_all(&[Kw::TERMINATED, Kw::BY]) {
                    format.lines_terminated = Some(self.text_bytes()?);
                } else if self.eat_all(&[Kw::STARTING, Kw::BY]) {
                    format.lines_starting = Some(self.text_bytes()?);
                } else {
                    break;
                }
            }
        }
        Ok(format)
    }

    /// `name AS (spec), ..`.
    pub(crate) fn named_windows(&mut self) -> PResult<Vec<(Ident, WindowSpec)>> {
        self.comma_list(|p| {
            let name = p.ident()?;
            p.expect(Kw::AS)?;
            Ok((name, p.window_spec()?))
        })
    }

    pub(crate) fn window_spec(&mut self) -> PResult<WindowSpec> {
        let mut spec = WindowSpec::default();
        self.expect_t(T::LParen)?;
        if self.at_ident() {
            spec.base = Some(self.ident()?);
        }
        if self.eat_all(&[Kw::PARTITION, Kw::BY]) {
            spec.partition_by = self.expr_list()?;
        }
        if self.eat_all(&[Kw::ORDER, Kw::BY]) {
            spec.order_by = self.order_items()?;
        }
        let unit = match self.eat_any(&[Kw::ROWS, Kw::RANGE, Kw::GROUPS]) {
            Some(Kw::ROWS) => Some(FrameUnit::Rows),
            Some(Kw::RANGE) => Some(FrameUnit::Range),
            Some(_) => Some(FrameUnit::Groups),
            None => None,
        };
        if let Some(unit) = unit {
            let between = self.eat(Kw::BETWEEN);
            let start = self.frame_bound(!between)?;
            let end = match between {
                true => {
                    self.expect(Kw::AND)?;
                    Some(self.frame_bound(false)?)
                }
                false => None,
            };
            spec.frame = Some(WindowFrame { unit, start, end });
            if self.at(Kw::EXCLUDE) {
                return Err(ParseError::not_yet("EXCLUDE"));
            }
        }
        self.expect_t(T::RParen)?;
        Ok(spec)
    }

    /// A frame that is not said to lie BETWEEN two bounds has a first one alone, which lies before the row.
    fn frame_bound(&mut self, alone: bool) -> PResult<FrameBound> {
        if self.eat_all(&[Kw::CURRENT, Kw::ROW]) {
            return Ok(FrameBound::CurrentRow);
        }
        if self.eat(Kw::UNBOUNDED) {
            return Ok(match self.is_before(alone)? {
                true => FrameBound::UnboundedPreceding,
                false => FrameBound::UnboundedFollowing,
            });
        }
        if self.at(Kw::INTERVAL) {
            let (amount, unit) = self.interval()?;
            return Ok(match self.is_before(alone)? {
                true => FrameBound::IntervalPreceding(amount, unit),
                false => FrameBound::IntervalFollowing(amount, unit),
            });
        }
        if self.kind() != T::Param && !self.at_plain_number() {
            return Err(self.error());
        }
        let amount = Box::new(self.operand()?);
        Ok(match self.is_before(alone)? {
            true => FrameBound::Preceding(amount),
            false => FrameBound::Following(amount),
        })
    }

    fn is_before(&mut self, alone: bool) -> PResult<bool> {
        match self.eat(Kw::PRECEDING) {
            true => Ok(true),
            false if !alone && self.eat(Kw::FOLLOWING) => Ok(false),
            false => Err(self.error()),
        }
    }
}
