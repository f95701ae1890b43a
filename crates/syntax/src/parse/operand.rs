//! Operands: literals, names, variables, parentheses, CASE and the like.

use super::{PResult, ParseError, Parser, utf8};
use crate::ast::{BinaryOp, ColumnRef, Expr, Ident, Literal, MatchMode, SysVar, VarScope};
use crate::lex::client::has_placeholders;
use crate::lex::{Client, Kw, T, Token, literal};
use std::borrow::Cow;

impl Parser<'_> {
    pub(crate) fn operand(&mut self) -> PResult<Expr> {
        let token = self.token();
        self.set_height(0);
        match token.kind {
            T::Word => self.word_operand(token),
            T::Quoted => self.name_operand(),
            T::LParen => self.paren_operand(),
            T::Param => self.param(),
            T::Slot => self.slot(),
            T::At | T::AtAt => self.variable(),
            T::LBrace => self.odbc(),
            T::Dot if self.lenient() && Self::is_ident(self.ahead(1)) => {
                self.advance();
                self.name_operand()
            }
            _ => self.literal_operand(None),
        }
    }

    #[inline(never)]
    fn literal_operand(&mut self, charset: Option<&str>) -> PResult<Expr> {
        Ok(Expr::Literal(self.literal(charset)?))
    }

    #[inline(never)]
    fn param(&mut self) -> PResult<Expr> {
        if !self.opts.allow_params {
            return Err(self.error());
        }
        self.slot()
    }

    #[inline(never)]
    fn slot(&mut self) -> PResult<Expr> {
        let index = self.param_index().ok_or_else(|| self.error())?;
        self.advance();
        Ok(Expr::Param(index))
    }

    /// A literal token; `charset` is an introducer already taken.
    #[inline(never)]
    pub(crate) fn literal(&mut self, charset: Option<&str>) -> PResult<Literal> {
        let token = self.token();
        let raw = self.raw(token);
        let charset = charset.map(Into::into);
        let value = match token.kind {
            T::Str | T::NStr => return self.string_literal(charset),
            T::Hex => Literal::Hex { bytes: literal::hex(raw), charset },
            T::Bit => Literal::Bit { bytes: literal::bits(raw), charset },
            T::Int if charset.is_none() => match literal::int(raw) {
                Some(value) => Literal::Int(value),
                None => Literal::Decimal(utf8(raw)?.into()),
            },
            T::Decimal if charset.is_none() => Literal::Decimal(utf8(raw)?.into()),
            T::Float if charset.is_none() => {
                let text = utf8(raw)?;
                let value = text.parse::<f64>().map_err(|_| self.error())?;
                if value.is_infinite() {
                    return Err(ParseError::illegal_double(text));
                }
                Literal::Float(value, text.into())
            }
            _ => return Err(self.error()),
        };
        self.advance();
        Ok(value)
    }

    fn string_literal(&mut self, charset: Option<Box<str>>) -> PResult<Literal> {
        let token = self.token();
        let national = token.kind == T::NStr;
        self.advance();
        let raw = &self.raw(token)[usize::from(national)..];
        let mut bytes = literal::unquote(raw, self.escapes());
        while self.kind() == T::Str {
            let more = literal::unquote(self.raw(self.token()), self.escapes());
            bytes.to_mut().extend_from_slice(&more);
            self.advance();
        }
        if national {
            return Ok(Literal::Str { bytes: self.plain(bytes).into(), charset, national });
        }
        let charset = match charset {
            None if self.opts.kept && !bytes.is_ascii() => Some("utf8mb4".into()),
            given => given,
        };
        Ok(text_literal(bytes, charset, self.opts.client))
    }

    pub(crate) fn word_operand(&mut self, token: Token) -> PResult<Expr> {
        if self.raw(token)[0] == b'_' {
            let next = self.ahead(1).kind;
            if matches!(next, T::Str | T::Hex | T::Bit)
                && let Some(charset) = literal::introducer(self.raw(token))
            {
                self.advance();
                return self.literal_operand(Some(charset));
            }
        }
        if token.kw == Kw::NOKW {
            return self.name_operand();
        }
        self.keyword_operand(token)
    }

    #[inline(never)]
    fn keyword_operand(&mut self, token: Token) -> PResult<Expr> {
        let simple = match token.kw {
            Kw::NULL => Some(Literal::Null),
            Kw::TRUE => Some(Literal::Bool(true)),
            Kw::FALSE => Some(Literal::Bool(false)),
            _ => None,
        };
        if let Some(value) = simple {
            self.advance();
            return Ok(Expr::Literal(value));
        }
        let next = self.ahead(1).kind;
        match token.kw {
            Kw::DATE | Kw::TIME | Kw::TIMESTAMP if next == T::Str => self.typed_literal(token.kw),
            Kw::CASE => self.case(),
            Kw::EXISTS => self.exists(),
            Kw::MATCH => self.match_against(),
            Kw::INTERVAL if !self.interval_is_function() => self.leading_interval(),
            Kw::DEFAULT => self.default_operand(),
            Kw::VALUES if next == T::LParen => self.values_operand(),
            Kw::ROW if next == T::LParen => self.row(),
            _ => self.function_or_name(token),
        }
    }

    #[inline(never)]
    fn exists(&mut self) -> PResult<Expr> {
        self.advance();
        Ok(Expr::Exists(self.paren_query()?))
    }

    /// `ROW(a, b)`.
    #[inline(never)]
    fn row(&mut self) -> PResult<Expr> {
        self.pos += 2;
        let list = self.expr_list()?;
        self.expect_t(T::RParen)?;
        if list.len() < 2 {
            return Err(self.error());
        }
        Ok(Expr::Row(list))
    }

    #[inline(never)]
    fn typed_literal(&mut self, kw: Kw) -> PResult<Expr> {
        self.advance();
        let text = self.text()?;
        Ok(Expr::Literal(match kw {
            Kw::DATE => Literal::Date(text),
            Kw::TIME => Literal::Time(text),
            _ => Literal::Timestamp(text),
        }))
    }

    /// `{d '..'}`, `{t '..'}`, `{ts '..'}`, `{fn expr}`. The first three are texts where they are no date or time, which their reader sees.
    #[inline(never)]
    fn odbc(&mut self) -> PResult<Expr> {
        self.advance();
        let name = self.ident()?;
        let expr = match () {
            _ if self.kind() != T::Str => self.boxed_expr()?,
            _ if name.is("d") => Box::new(Expr::Literal(Literal::Date(self.text()?))),
            _ if name.is("t") => Box::new(Expr::Literal(Literal::Time(self.text()?))),
            _ if name.is("ts") => Box::new(Expr::Literal(Literal::Timestamp(self.text()?))),
            _ => self.boxed_expr()?,
        };
        self.expect_t(T::RBrace)?;
        Ok(Expr::Odbc { name, expr })
    }

    /// `DEFAULT` or `DEFAULT(column)`.
    #[inline(never)]
    fn default_operand(&mut self) -> PResult<Expr> {
        self.advance();
        if !self.eat_t(T::LParen) {
            // DEFAULT alone is a value of assignments, which take it before they get here.
            return Err(self.error());
        }
        let column = self.column_ref()?;
        self.expect_t(T::RParen)?;
        Ok(Expr::DefaultOf(Box::new(column)))
    }

    #[inline(never)]
    fn values_operand(&mut self) -> PResult<Expr> {
        self.pos += 2;
        let column = self.column_ref()?;
        self.expect_t(T::RParen)?;
        Ok(Expr::ValuesOf(Box::new(column)))
    }

    /// `INTERVAL 1 DAY + date`.
    #[inline(never)]
    fn leading_interval(&mut self) -> PResult<Expr> {
        let (amount, unit) = self.interval()?;
        self.expect_t(T::Plus)?;
        let date = Box::new(self.nested(|p| p.bit_expr(0))?);
        Ok(Expr::DateArith { date, amount, unit, subtract: false })
    }

    #[inline(never)]
    fn case(&mut self) -> PResult<Expr> {
        self.advance();
        let operand = if self.at(Kw::WHEN) { None } else { Some(self.boxed_expr()?) };
        let mut whens = Vec::new();
        while self.eat(Kw::WHEN) {
            let condition = self.expr()?;
            self.expect(Kw::THEN)?;
            whens.push((condition, self.expr()?));
        }
        if whens.is_empty() {
            return Err(self.error());
        }
        let else_ = if self.eat(Kw::ELSE) { Some(self.boxed_expr()?) } else { None };
        self.expect(Kw::END)?;
        Ok(Expr::Case { operand, whens, else_ })
    }

    #[inline(never)]
    fn match_against(&mut self) -> PResult<Expr> {
        self.advance();
        let parens = self.eat_t(T::LParen);
        let columns = self.comma_list(Parser::column_ref)?;
        if parens {
            self.expect_t(T::RParen)?;
        }
        self.expect(Kw::AGAINST)?;
        self.expect_t(T::LParen)?;
        let against = Box::new(self.bit_expr(0)?);
        let mode = if self.eat_all(&[Kw::IN, Kw::BOOLEAN, Kw::MODE]) {
            MatchMode::Boolean
        } else if self.eat_all(&[Kw::IN, Kw::NATURAL, Kw::LANGUAGE, Kw::MODE]) {
            match self.eat_all(&[Kw::WITH, Kw::QUERY, Kw::EXPANSION]) {
                true => MatchMode::NaturalWithExpansion,
                false => MatchMode::Natural,
            }
        } else if self.eat_all(&[Kw::WITH, Kw::QUERY, Kw::EXPANSION]) {
            MatchMode::WithExpansion
        } else {
            MatchMode::Natural
        };
        self.expect_t(T::RParen)?;
        Ok(Expr::Match { columns, against, mode })
    }

    /// `(expr)`, `(a, b)` or `(SELECT ..)`.
    fn paren_operand(&mut self) -> PResult<Expr> {
        if self.at_subquery() {
            return self.subquery();
        }
        self.advance();
        let first = self.expr();
        if self.kind() == T::RParen && first.is_ok() {
            self.advance();
            return first;
        }
        self.row_rest(first?)
    }

    #[inline(never)]
    fn subquery(&mut self) -> PResult<Expr> {
        Ok(Expr::Subquery(self.paren_query()?))
    }

    #[inline(never)]
    fn row_rest(&mut self, first: Expr) -> PResult<Expr> {
        let mut list = vec![first];
        while self.eat_t(T::Comma) {
            list.push(self.expr()?);
        }
        self.expect_t(T::RParen)?;
        Ok(Expr::Row(list))
    }

    /// `@name`, `@name := x`, `@@name`.
    #[inline(never)]
    fn variable(&mut self) -> PResult<Expr> {
        if self.kind() == T::AtAt {
            return Ok(Expr::SysVar(Box::new(self.sys_var()?)));
        }
        let name = self.user_var()?;
        if !self.eat_t(T::Assign) {
            return Ok(Expr::UserVar(name));
        }
        Ok(Expr::AssignVar { name, value: self.boxed_expr()? })
    }

    /// `@name`, the name right after the sign.
    pub(crate) fn user_var(&mut self) -> PResult<Ident> {
        let at = self.token();
        self.expect_t(T::At)?;
        let token = self.token();
        let adjacent = token.start == at.end;
        if !adjacent || !matches!(token.kind, T::Word | T::Quoted | T::Str) {
            return Err(self.error());
        }
        self.advance();
        self.name_of(token)
    }

    /// `@@[scope.][component.]name`.
    pub(crate) fn sys_var(&mut self) -> PResult<SysVar> {
        self.expect_t(T::AtAt)?;
        let scope = match self.kw() {
            Kw::GLOBAL => Some(VarScope::Global),
            Kw::SESSION | Kw::LOCAL => Some(VarScope::Session),
            Kw::PERSIST => Some(VarScope::Persist),
            Kw::PERSIST_ONLY => Some(VarScope::PersistOnly),
            _ => None,
        };
        if scope.is_some() {
            self.advance();
            self.expect_t(T::Dot)?;
        }
        let first = self.any_word()?;
        if self.eat_t(T::Dot) {
            let name = self.any_word()?;
            return Ok(SysVar { scope, component: Some(first), name });
        }
        Ok(SysVar { scope, component: None, name: first })
    }

    /// `[[schema.]table.]column`.
    pub(crate) fn column_ref(&mut self) -> PResult<ColumnRef> {
        if self.lenient() {
            self.eat_t(T::Dot);
        }
        let first = self.ident()?;
        if !self.eat_t(T::Dot) {
            return Ok(ColumnRef { schema: None, table: None, column: first });
        }
        let second = self.ident()?;
        if !self.eat_t(T::Dot) {
            return Ok(ColumnRef { schema: None, table: Some(first), column: second });
        }
        let column = self.ident()?;
        Ok(ColumnRef { schema: Some(first), table: Some(second), column })
    }

    /// A name as the variable of a stored program, where it is one, else as a column.
    pub(crate) fn variable_or(&mut self, column: ColumnRef) -> PResult<Expr> {
        if let Some(scope) = &mut self.scope
            && let Some(variable) = scope.resolve(&column)?
        {
            return Ok(variable);
        }
        Ok(Expr::Column(column))
    }

    /// A column, or a call of a function that is not a keyword.
    #[inline(never)]
    pub(crate) fn name_operand(&mut self) -> PResult<Expr> {
        let (one, two) = (self.ahead(1).kind, self.ahead(2));
        if one == T::LParen {
            return self.generic_call(None);
        }
        if one == T::Dot && self.ahead(3).kind == T::LParen && Self::is_ident(two) {
            let schema = self.ident()?;
            self.advance();
            return self.generic_call(Some(schema));
        }
        let column = self.column_ref()?;
        let op = match self.kind() {
            T::Arrow => BinaryOp::JsonExtract,
            T::ArrowText => BinaryOp::JsonExtractUnquote,
            _ => return self.variable_or(column),
        };
        let document = self.variable_or(column)?;
        self.advance();
        if self.kind() != T::Str {
            return Err(self.error());
        }
        let path = self.literal(None)?;
        // A path is text: bytes that are not would be printed as a number, which is no path.
        if let Literal::Str { bytes, .. } = &path {
            utf8(bytes)?;
        }
        Ok(Expr::Binary { op, left: Box::new(document), right: Box::new(Expr::Literal(path)) })
    }
}

/// A text literal of the client's: what it means is settled here, so that nothing later asks which client it was. Behind an
/// introducer are the bytes that the client sent.
pub(crate) fn text_literal(
    text: Cow<'_, [u8]>,
    charset: Option<Box<str>>,
    client: Option<Client>,
) -> Literal {
    match client {
        Some(client) if charset.is_some() => {
            Literal::Str { bytes: client.sent(&text).into(), charset, national: false }
        }
        Some(client) if has_placeholders(&text) => {
            Literal::Sent { bytes: client.sent(&text).into(), charset: client.charset }
        }
        _ => Literal::Str { bytes: text.into(), charset, national: false },
    }
}
