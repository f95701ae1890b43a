//! Function calls, with the ones whose arguments have words in them.

use super::{PResult, ParseError, Parser};
use crate::ast::{
    CastType, Expr, FunctionCall, Ident, JsonOn, JsonValue, OrderItem, Over, TrimSide,
};
use crate::lex::{Kw, T, Token};

/// Reserved words that are functions when a parenthesis follows.
fn reserved_function(kw: Kw) -> bool {
    matches!(
        kw,
        Kw::IF
            | Kw::LEFT
            | Kw::RIGHT
            | Kw::REPEAT
            | Kw::REPLACE
            | Kw::INSERT
            | Kw::MOD
            | Kw::DATABASE
            | Kw::SCHEMA
            | Kw::GROUPING
            | Kw::INTERVAL
            | Kw::CUME_DIST
            | Kw::DENSE_RANK
            | Kw::FIRST_VALUE
            | Kw::LAG
            | Kw::LAST_VALUE
            | Kw::LEAD
            | Kw::NTH_VALUE
            | Kw::NTILE
            | Kw::PERCENT_RANK
            | Kw::RANK
            | Kw::ROW_NUMBER
    )
}

/// Reserved words that are calls even without parentheses.
fn niladic(kw: Kw) -> bool {
    matches!(
        kw,
        Kw::CURRENT_DATE
            | Kw::CURRENT_TIME
            | Kw::CURRENT_TIMESTAMP
            | Kw::CURRENT_USER
            | Kw::LOCALTIME
            | Kw::LOCALTIMESTAMP
            | Kw::UTC_DATE
            | Kw::UTC_TIME
            | Kw::UTC_TIMESTAMP
    )
}

/// Names that MySQL takes for built-in functions only with the parenthesis right behind them,
/// unless IGNORE_SPACE.
fn needs_adjacent_paren(kw: Kw) -> bool {
    matches!(
        kw,
        Kw::ADDDATE
            | Kw::BIT_AND
            | Kw::BIT_OR
            | Kw::BIT_XOR
            | Kw::CAST
            | Kw::COUNT
            | Kw::CURDATE
            | Kw::CURTIME
            | Kw::DATE_ADD
            | Kw::DATE_SUB
            | Kw::EXTRACT
            | Kw::GROUP_CONCAT
            | Kw::JSON_ARRAYAGG
            | Kw::JSON_OBJECTAGG
            | Kw::MAX
            | Kw::MID
            | Kw::MIN
            | Kw::NOW
            | Kw::POSITION
            | Kw::STD
            | Kw::STDDEV
            | Kw::STDDEV_POP
            | Kw::STDDEV_SAMP
            | Kw::SUBDATE
            | Kw::SUBSTR
            | Kw::SUBSTRING
            | Kw::SUM
            | Kw::SYSDATE
            | Kw::TRIM
            | Kw::VARIANCE
            | Kw::VAR_POP
            | Kw::VAR_SAMP
    )
}

fn name_is_avg(name: &Ident) -> bool {
    name.as_str().eq_ignore_ascii_case("avg")
}

fn aggregate(kw: Kw) -> bool {
    matches!(
        kw,
        Kw::BIT_AND
            | Kw::BIT_OR
            | Kw::BIT_XOR
            | Kw::COUNT
            | Kw::GROUP_CONCAT
            | Kw::JSON_ARRAYAGG
            | Kw::JSON_OBJECTAGG
            | Kw::MAX
            | Kw::MIN
            | Kw::STD
            | Kw::STDDEV
            | Kw::STDDEV_POP
            | Kw::STDDEV_SAMP
            | Kw::SUM
            | Kw::VARIANCE
            | Kw::VAR_POP
            | Kw::VAR_SAMP
    )
}

/// Functions that are nothing without OVER.
fn window_function(kw: Kw) -> bool {
    matches!(
        kw,
        Kw::ROW_NUMBER
            | Kw::RANK
            | Kw::DENSE_RANK
            | Kw::PERCENT_RANK
            | Kw::CUME_DIST
            | Kw::NTILE
            | Kw::LAG
            | Kw::LEAD
            | Kw::FIRST_VALUE
            | Kw::LAST_VALUE
            | Kw::NTH_VALUE
    )
}

impl Parser<'_> {
    /// A call with plain arguments.
    pub(crate) fn call(&self, schema: Option<Ident>, name: Ident, args: Vec<Expr>) -> FunctionCall {
        FunctionCall { schema, ..FunctionCall::new(name, args) }
    }

    /// At the name of a function that is reserved where its parenthesis is near.
    pub(crate) fn at_built_in_call(&self) -> bool {
        let (token, paren) = (self.token(), self.ahead(1));
        let near = paren.start == token.end || self.opts.sql_mode.ignore_space;
        token.kind == T::Word && paren.kind == T::LParen && near && needs_adjacent_paren(token.kw)
    }

    /// At a keyword that starts no other operand.
    pub(crate) fn function_or_name(&mut self, token: Token) -> PResult<Expr> {
        let paren = self.ahead(1);
        if paren.kind == T::LParen {
            let near = paren.start == token.end || self.opts.sql_mode.ignore_space;
            let special = near || !needs_adjacent_paren(token.kw);
            if special {
                if let Some(expr) = self.special_call(token)? {
                    return Ok(expr);
                }
                if aggregate(token.kw) {
                    return self.aggregate_call();
                }
            }
            if reserved_function(token.kw) {
                return self.generic_call(None);
            }
        }
        if niladic(token.kw) {
            return self.niladic_call(paren.kind == T::LParen);
        }
        self.name_operand()
    }

    #[inline(never)]
    fn niladic_call(&mut self, parens: bool) -> PResult<Expr> {
        let keyword = self.kw();
        let name = self.any_word()?;
        let mut args = Vec::new();
        if parens {
            self.advance();
            let digits = !matches!(keyword, Kw::CURRENT_DATE | Kw::CURRENT_USER | Kw::UTC_DATE);
            if self.lenient() && self.kind() != T::RParen {
                args.push(Expr::Literal(self.literal(None)?));
            } else if digits {
                args = self.digits_argument()?;
            }
            self.expect_t(T::RParen)?;
        }
        let mut call = self.call(None, name, args);
        call.parens = parens;
        Ok(Expr::Call(Box::new(call)))
    }

    /// `name(args) [OVER ..]`.
    #[inline(never)]
    pub(crate) fn generic_call(&mut self, schema: Option<Ident>) -> PResult<Expr> {
        let (keyword, token) = (self.kw(), self.token());
        // A reserved word is a function only where the grammar says so.
        if keyword.is_reserved() && !reserved_function(keyword) && !self.lenient() {
            return Err(self.error());
        }
        let name = self.any_word()?;
        // Away from their parentheses some built-in functions are any name.
        let near = self.token().start == token.end || self.opts.sql_mode.ignore_space;
        let built_in = schema.is_none() && (near || !needs_adjacent_paren(keyword));
        self.expect_t(T::LParen)?;
        // Two of the aggregates are no keywords; one of them is a function only right before its parenthesis.
        let collect = schema.is_none() && name.as_str().eq_ignore_ascii_case("st_collect");
        let built_in = built_in && (near || !collect);
        let average = schema.is_none() && (name_is_avg(&name) || (collect && built_in));
        let distinct = average && self.eat_any(&[Kw::DISTINCT, Kw::DISTINCTROW]).is_some();
        if average && !distinct {
            self.eat(Kw::ALL);
        }
        let over = if schema.is_none() { self.over_rows(keyword) } else { None };
        let fixed = match over {
            None if built_in => self.fixed_arguments(token),
            over => over,
        };
        let args = match fixed {
            Some(args) => args?,
            None if self.kind() == T::RParen => Vec::new(),
            None => self.expr_list()?,
        };
        self.expect_t(T::RParen)?;
        let mut call = Box::new(self.call(schema, name, args));
        call.distinct = distinct;
        call.apart = call.schema.is_none() && !built_in;
        if average || (call.schema.is_none() && window_function(keyword)) {
            self.window_suffix(&mut call)?;
            if call.over.is_none() && !average {
                return Err(self.error());
            }
        }
        Ok(Expr::Call(call))
    }

    /// The arguments of a window function that counts rows: how many is a plain integer or a variable, as the grammar has it.
    fn over_rows(&mut self, function: Kw) -> Option<PResult<Vec<Expr>>> {
        Some(match function {
            Kw::NTILE => self.count_of_rows().map(|n| vec![n]),
            Kw::LAG | Kw::LEAD => self.lag_arguments(),
            _ => return None,
        })
    }

    fn lag_arguments(&mut self) -> PResult<Vec<Expr>> {
        let mut args = vec![self.expr()?];
        if self.eat_t(T::Comma) {
            args.push(self.count_of_rows()?);
            if self.eat_t(T::Comma) {
                args.push(self.expr()?);
            }
        }
        Ok(args)
    }

    fn count_of_rows(&mut self) -> PResult<Expr> {
        match self.kind() {
            T::Param | T::At => self.operand(),
            T::Int | T::Slot if self.at_plain_number() => self.operand(),
            T::Word | T::Quoted if self.at_ident() => {
                let column = self.column_ref()?;
                match self.variable_or(column)? {
                    Expr::Column(c) => {
                        let message = format!("Undeclared variable: {}", c.column);
                        Err(ParseError { errno: 1327, message: message.into() })
                    }
                    variable => Ok(variable),
                }
            }
            _ => Err(self.error()),
        }
    }

    /// At a number without a sign, which may have been made a parameter: no text, no bits.
    pub(crate) fn at_plain_number(&self) -> bool {
        let token = self.token();
        let raw = self.raw(token);
        match token.kind {
            T::Int | T::Decimal | T::Float => true,
            T::Slot => {
                let digits =
                    raw.iter().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
                digits && raw.first() != Some(&b'-')
            }
            _ => false,
        }
    }

    /// `[FROM FIRST | LAST] [RESPECT | IGNORE NULLS] [OVER ..]`.
    fn window_suffix(&mut self, call: &mut FunctionCall) -> PResult<()> {
        // Elsewhere FROM begins a clause, and FIRST and LAST may be tables.
        if call.name.is("nth_value") && !self.eat_all(&[Kw::FROM, Kw::FIRST]) {
            call.from_last = self.eat_all(&[Kw::FROM, Kw::LAST]);
        }
        if self.eat_all(&[Kw::RESPECT, Kw::NULLS]) {
            call.ignore_nulls = Some(false);
        } else if self.eat_all(&[Kw::IGNORE, Kw::NULLS]) {
            call.ignore_nulls = Some(true);
        }
        if self.eat(Kw::OVER) {
            call.over = Some(if self.kind() == T::LParen {
                Over::Spec(Box::new(self.window_spec()?))
            } else {
                Over::Name(self.ident()?)
            });
        }
        Ok(())
    }

    #[inline(never)]
    fn aggregate_call(&mut self) -> PResult<Expr> {
        let kw = self.kw();
        let name = self.any_word()?;
        self.expect_t(T::LParen)?;
        let mut call = Box::new(self.call(None, name, Vec::new()));
        if kw == Kw::COUNT && self.eat_t(T::Star) {
            call.star = true;
        } else if kw == Kw::COUNT && self.at(Kw::ALL) && self.ahead(1).kind == T::Star {
            self.pos += 2;
            call.star = true;
        } else {
            let distinct = matches!(kw, Kw::COUNT | Kw::GROUP_CONCAT | Kw::MAX | Kw::MIN | Kw::SUM);
            call.distinct = (distinct || self.lenient())
                && self.eat_any(&[Kw::DISTINCT, Kw::DISTINCTROW]).is_some();
            // GROUP_CONCAT alone knows no ALL.
            if !call.distinct && kw != Kw::GROUP_CONCAT {
                self.eat(Kw::ALL);
            }
            call.args = match kw {
                Kw::GROUP_CONCAT => self.expr_list()?,
                Kw::COUNT if call.distinct => self.expr_list()?,
                Kw::JSON_OBJECTAGG => {
                    let key = self.expr()?;
                    self.expect_t(T::Comma)?;
                    vec![key, self.expr()?]
                }
                _ => vec![self.expr()?],
            };
        }
        if kw == Kw::GROUP_CONCAT {
            if self.eat_all(&[Kw::ORDER, Kw::BY]) {
                call.order_by = self.order_items()?;
            }
            if self.eat(Kw::SEPARATOR) {
                call.separator = Some(self.text_bytes()?);
            }
        }
        self.expect_t(T::RParen)?;
        if self.at(Kw::OVER) {
            self.window_suffix(&mut call)?;
        }
        Ok(Expr::Call(call))
    }

    /// A string, hexadecimal or bit literal as bytes.
    pub(crate) fn text_bytes(&mut self) -> PResult<Box<[u8]>> {
        use crate::ast::Literal;
        if self.kind() == T::Str {
            return self.string();
        }
        match self.literal(None)? {
            Literal::Hex { bytes, .. } | Literal::Bit { bytes, .. } => Ok(bytes),
            _ => Err(self.error()),
        }
    }

    pub(crate) fn order_items(&mut self) -> PResult<Vec<OrderItem>> {
        self.comma_list(|p| {
            let expr = p.expr()?;
            let descending = p.eat(Kw::DESC);
            if !descending {
                p.eat(Kw::ASC);
            }
            Ok(OrderItem { expr, descending })
        })
    }

    /// Calls with their own syntax; `None` when `token` starts none (nothing is taken then).
    #[inline(never)]
    fn special_call(&mut self, token: Token) -> PResult<Option<Expr>> {
        let rule: fn(&mut Self, Kw) -> PResult<Expr> = match token.kw {
            Kw::CAST => Self::cast_call,
            Kw::CONVERT => Self::convert_call,
            Kw::CHAR => Self::char_call,
            Kw::EXTRACT => Self::extract_call,
            Kw::TRIM => Self::trim_call,
            Kw::SUBSTRING | Kw::SUBSTR | Kw::MID => Self::substring_call,
            Kw::POSITION => Self::position_call,
            Kw::DATE_ADD | Kw::DATE_SUB | Kw::ADDDATE | Kw::SUBDATE => Self::date_add_call,
            Kw::TIMESTAMPADD | Kw::TIMESTAMPDIFF => Self::timestamp_call,
            Kw::WEIGHT_STRING => Self::weight_string_call,
            Kw::GET_FORMAT => Self::get_format_call,
            Kw::JSON_VALUE => Self::json_value_call,
            _ => return Ok(None),
        };
        // Name and parenthesis are taken here; each rule takes the rest with its closing one.
        self.pos += 2;
        let expr = rule(self, token.kw)?;
        self.expect_t(T::RParen)?;
        Ok(Some(expr))
    }

    fn cast_call(&mut self, _: Kw) -> PResult<Expr> {
        let expr = self.boxed_expr()?;
        if self.eat(Kw::AT) {
            let to = Box::new(self.at_time_zone()?);
            return Ok(Expr::Cast { expr, to, array: false });
        }
        self.expect(Kw::AS)?;
        let to = Box::new(self.cast_type()?);
        let array = self.eat(Kw::ARRAY);
        Ok(Expr::Cast { expr, to, array })
    }

    /// `TIME ZONE [INTERVAL] 'zone' AS DATETIME[(n)]`, behind AT.
    fn at_time_zone(&mut self) -> PResult<CastType> {
        self.expect(Kw::TIME)?;
        if !self.eat_text(b"ZONE") {
            return Err(self.error());
        }
        let interval = self.eat(Kw::INTERVAL);
        let zone = String::from_utf8_lossy(&self.string()?).into();
        self.expect(Kw::AS)?;
        self.expect(Kw::DATETIME)?;
        Ok(CastType::DatetimeAt { zone, interval, digits: self.opt_paren_number()? })
    }

    fn convert_call(&mut self, _: Kw) -> PResult<Expr> {
        let expr = self.boxed_expr()?;
        if self.eat(Kw::USING) {
            let charset = Ident(self.charset_name()?);
            return Ok(Expr::ConvertUsing { expr, charset });
        }
        self.expect_t(T::Comma)?;
        Ok(Expr::Cast { expr, to: Box::new(self.cast_type()?), array: false })
    }

    fn char_call(&mut self, _: Kw) -> PResult<Expr> {
        let args = self.expr_list()?;
        let charset = match self.eat(Kw::USING) {
            true => Some(Ident(self.charset_name()?)),
            false => None,
        };
        Ok(Expr::Char { args, charset })
    }

    fn extract_call(&mut self, _: Kw) -> PResult<Expr> {
        let unit = self.time_unit()?;
        self.expect(Kw::FROM)?;
        Ok(Expr::Extract { unit, expr: self.boxed_expr()? })
    }

    fn trim_call(&mut self, _: Kw) -> PResult<Expr> {
        let side = match self.eat_any(&[Kw::BOTH, Kw::LEADING, Kw::TRAILING]) {
            Some(Kw::LEADING) => TrimSide::Leading,
            Some(Kw::TRAILING) => TrimSide::Trailing,
            Some(_) => TrimSide::Both,
            None => {
                let expr = self.boxed_expr()?;
                if !self.eat(Kw::FROM) {
                    return Ok(Expr::Trim { side: TrimSide::Both, what: None, expr });
                }
                let what = Some(expr);
                return Ok(Expr::Trim { side: TrimSide::Both, what, expr: self.boxed_expr()? });
            }
        };
        let what = if self.at(Kw::FROM) { None } else { Some(self.boxed_expr()?) };
        self.expect(Kw::FROM)?;
        Ok(Expr::Trim { side, what, expr: self.boxed_expr()? })
    }

    fn substring_call(&mut self, _: Kw) -> PResult<Expr> {
        let name = self.name_of(self.tokens[self.pos - 2])?;
        let mut args = vec![self.expr()?];
        if self.eat(Kw::FROM) {
            args.push(self.expr()?);
            if self.eat(Kw::FOR) {
                args.push(self.expr()?);
            }
        } else {
            self.expect_t(T::Comma)?;
            args.push(self.expr()?);
            if self.eat_t(T::Comma) {
                args.push(self.expr()?);
            }
        }
        Ok(Expr::Call(Box::new(self.call(None, name, args))))
    }

    fn position_call(&mut self, _: Kw) -> PResult<Expr> {
        let what = self.bit_expr(0)?;
        self.expect(Kw::IN)?;
        let args = vec![what, self.expr()?];
        Ok(Expr::Call(Box::new(self.call(None, Ident::new("locate"), args))))
    }

    fn date_add_call(&mut self, kw: Kw) -> PResult<Expr> {
        let name = self.name_of(self.tokens[self.pos - 2])?;
        let date = self.boxed_expr()?;
        self.expect_t(T::Comma)?;
        if self.at(Kw::INTERVAL) && !self.interval_is_function() {
            let (amount, unit) = self.interval()?;
            let subtract = matches!(kw, Kw::DATE_SUB | Kw::SUBDATE);
            return Ok(Expr::DateArith { date, amount, unit, subtract });
        }
        if matches!(kw, Kw::DATE_ADD | Kw::DATE_SUB) {
            return Err(self.error());
        }
        let args = vec![*date, self.expr()?];
        Ok(Expr::Call(Box::new(self.call(None, name, args))))
    }

    fn timestamp_call(&mut self, kw: Kw) -> PResult<Expr> {
        // SQL_TSI_DAY and its like are the ODBC spelling of the units.
        let raw = self.raw(self.token());
        let unit = match raw.get(..8) {
            Some(prefix) if prefix.eq_ignore_ascii_case(b"SQL_TSI_") => {
                let kw = crate::lex::keyword::lookup(&raw[8..]);
                self.tokens[self.pos].kw = kw;
                self.time_unit()?
            }
            _ => self.time_unit()?,
        };
        self.expect_t(T::Comma)?;
        let first = self.boxed_expr()?;
        self.expect_t(T::Comma)?;
        let second = self.boxed_expr()?;
        Ok(if kw == Kw::TIMESTAMPADD {
            Expr::TimestampAdd { unit, amount: first, date: second }
        } else {
            Expr::TimestampDiff { unit, from: first, to: second }
        })
    }

    fn weight_string_call(&mut self, _: Kw) -> PResult<Expr> {
        let expr = self.boxed_expr()?;
        let to = match self.eat(Kw::AS) {
            true if self.lenient() => Some(Box::new(self.cast_type()?)),
            true => Some(Box::new(self.weight_type()?)),
            false => None,
        };
        let mut numbers = None;
        if to.is_none() && self.eat_t(T::Comma) {
            let mut three = [self.weight_number()?, 0, 0];
            for n in &mut three[1..] {
                self.expect_t(T::Comma)?;
                *n = self.weight_number()?;
            }
            numbers = Some(three);
        }
        Ok(Expr::WeightString { expr, to, numbers })
    }

    fn get_format_call(&mut self, _: Kw) -> PResult<Expr> {
        if !matches!(self.kw(), Kw::DATE | Kw::TIME | Kw::DATETIME | Kw::TIMESTAMP) {
            return Err(self.error());
        }
        let kind = self.any_word()?;
        self.expect_t(T::Comma)?;
        Ok(Expr::GetFormat { kind, expr: self.boxed_expr()? })
    }

    fn json_value_call(&mut self, _: Kw) -> PResult<Expr> {
        let doc = self.expr()?;
        self.expect_t(T::Comma)?;
        // A definition has the set of the path before it.
        let path = match self.kind() {
            T::Word => self.word_operand(self.ahead(0))?,
            _ => Expr::Literal(self.literal(None)?),
        };
        if !matches!(path, Expr::Literal(_)) {
            return Err(self.error());
        }
        let returning = if self.eat(Kw::RETURNING) { Some(self.cast_type()?) } else { None };
        let (on_empty, on_error) = self.json_on(false)?;
        Ok(Expr::JsonValue(Box::new(JsonValue { doc, path, returning, on_empty, on_error })))
    }

    /// `[NULL | ERROR | DEFAULT x ON EMPTY] [.. ON ERROR]`, each once and in this order, or else in any; NULL is no default.
    pub(crate) fn json_on(&mut self, any_order: bool) -> PResult<(Option<JsonOn>, Option<JsonOn>)> {
        let (mut on_empty, mut on_error) = (None, None);
        while (on_error.is_none() || any_order && on_empty.is_none())
            && matches!(self.kw(), Kw::NULL | Kw::ERROR | Kw::DEFAULT)
        {
            let what = if self.eat(Kw::NULL) {
                JsonOn::Null
            } else if self.eat(Kw::ERROR) {
                JsonOn::Error
            } else {
                self.advance();
                if self.at(Kw::NULL) {
                    return Err(self.error());
                }
                JsonOn::Default(Box::new(self.unary()?))
            };
            self.expect(Kw::ON)?;
            let slot = if on_empty.is_none() && self.eat(Kw::EMPTY) {
                &mut on_empty
            } else {
                if on_error.is_some() {
                    return Err(self.error());
                }
                self.expect(Kw::ERROR)?;
                &mut on_error
            };
            *slot = Some(what);
        }
        Ok((on_empty, on_error))
    }
}
