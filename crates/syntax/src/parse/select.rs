//! Query blocks: the select list and FROM.

use super::{PResult, ParseError, Parser};
use crate::ast::{
    Expr, Ident, IndexHint, IndexHintKind, IndexHintScope, Join, JoinCondition, JoinKind,
    JsonColumn, JsonTable, Literal, QueryBody, Select, SelectItem, SelectOptions, TableFactor,
    TableRef, UnaryOp,
};
use crate::lex::{Kw, T};

/// ER_DERIVED_MUST_HAVE_ALIAS.
const ER_DERIVED_ALIAS: u16 = 1248;
const ER_WRONG_USAGE: u16 = 1221;
/// ER_CANT_USE_OPTION_HERE.
const ER_OPTION_HERE: u16 = 1234;

impl Parser<'_> {
    #[inline(never)]
    pub(crate) fn select(&mut self) -> PResult<QueryBody> {
        self.expect(Kw::SELECT)?;
        let hints = self.hints();
        let outermost = std::mem::take(&mut self.outermost);
        let options = self.select_options()?;
        if !outermost && !self.lenient() {
            refuse_inner_options(&options)?;
        }
        // An asterisk of its own stands before everything else.
        let mut items = vec![self.select_item(true)?];
        while self.eat_t(T::Comma) {
            items.push(self.select_item(false)?);
        }
        if self.at(Kw::INTO) {
            self.pending_into = Some(self.select_into()?);
        }
        // Subqueries below must not find it.
        let into = self.pending_into.take();
        let mut select = Box::new(Select {
            hints,
            options,
            items,
            from: Vec::new(),
            where_: None,
            group_by: Vec::new(),
            rollup: false,
            having: None,
            windows: Vec::new(),
        });
        if self.eat(Kw::FROM) {
            select.from = self.tables_of_from()?;
        }
        self.select_tail(&mut select)?;
        self.pending_into = into;
        Ok(QueryBody::Select(select))
    }

    #[inline(never)]
    fn select_tail(&mut self, select: &mut Select) -> PResult<()> {
        select.where_ = self.where_clause()?;
        if self.eat_all(&[Kw::GROUP, Kw::BY]) {
            select.group_by = self.expr_list()?;
            select.rollup = self.eat_all(&[Kw::WITH, Kw::ROLLUP]);
        }
        if self.eat(Kw::HAVING) {
            select.having = Some(self.expr()?);
        }
        if self.eat(Kw::WINDOW) {
            select.windows = self.named_windows()?;
        }
        Ok(())
    }

    pub(crate) fn where_clause(&mut self) -> PResult<Option<Expr>> {
        if self.eat(Kw::WHERE) { Ok(Some(self.expr()?)) } else { Ok(None) }
    }

    /// Text of an optimizer hint comment, if one is here.
    pub(crate) fn hints(&mut self) -> Option<Box<str>> {
        if self.kind() != T::Hint {
            return None;
        }
        let raw = self.raw(self.token());
        self.advance();
        let inner = String::from_utf8_lossy(&raw[3..raw.len() - 2]);
        Some(inner.trim().into())
    }

    fn select_options(&mut self) -> PResult<SelectOptions> {
        let mut options = SelectOptions::default();
        let mut all = false;
        loop {
            // A point behind the word makes it the name of a table.
            let named = self.ahead(1).kind == T::Dot;
            match self.kw() {
                Kw::ALL => all = true,
                Kw::DISTINCT | Kw::DISTINCTROW => options.distinct = true,
                Kw::HIGH_PRIORITY => options.high_priority = true,
                Kw::STRAIGHT_JOIN => options.straight_join = true,
                Kw::SQL_SMALL_RESULT => options.small_result = true,
                Kw::SQL_BIG_RESULT => options.big_result = true,
                Kw::SQL_BUFFER_RESULT if !named => options.buffer_result = true,
                Kw::SQL_NO_CACHE if !named => options.no_cache = true,
                Kw::SQL_CALC_FOUND_ROWS => options.calc_found_rows = true,
                _ if all && options.distinct => {
                    let message = "Incorrect usage of ALL and DISTINCT".into();
                    return Err(ParseError { errno: ER_WRONG_USAGE, message });
                }
                _ => return Ok(options),
            }
            self.advance();
        }
    }

    fn select_item(&mut self, first: bool) -> PResult<SelectItem> {
        if first && self.eat_t(T::Star) {
            return Ok(SelectItem::Wildcard { schema: None, table: None });
        }
        if let Some(item) = self.qualified_wildcard()? {
            return Ok(item);
        }
        let first = self.pos;
        let expr = self.expr()?;
        let text = match &expr {
            // A string names its column by its value, by the first one if several are adjacent.
            Expr::Literal(Literal::Str { .. } | Literal::Sent { .. })
                if let Some(raw) = self.first_string(first) =>
            {
                let value = crate::lex::literal::unquote(raw, self.escapes());
                String::from_utf8_lossy(&self.plain(value)).into()
            }
            Expr::Call(call) if call.schema.is_none() && call.name.is("NAME_CONST") => {
                match call.args.first() {
                    Some(Expr::Literal(Literal::Str { bytes, charset: None, .. })) => {
                        String::from_utf8_lossy(bytes).into()
                    }
                    _ => self.column_text(first),
                }
            }
            // A plus before a number is not part of its name.
            Expr::Unary { op: UnaryOp::Plus, expr } if matches!(**expr, Expr::Literal(_)) => {
                let mut number = first;
                while self.tokens[number].kind == T::Plus {
                    number += 1;
                }
                self.column_text(number)
            }
            _ => self.column_text(first),
        };
        let alias = if self.eat(Kw::AS) || self.at_ident() || self.kind() == T::Str {
            Some(self.ident_or_string()?)
        } else {
            None
        };
        Ok(SelectItem::Expr { expr, alias, text })
    }

    /// `t.*` or `db.t.*`.
    fn qualified_wildcard(&mut self) -> PResult<Option<SelectItem>> {
        if !self.at_ident() || self.ahead(1).kind != T::Dot {
            return Ok(None);
        }
        if self.ahead(2).kind == T::Star {
            let table = Some(self.ident()?);
            self.pos += 2;
            return Ok(Some(SelectItem::Wildcard { schema: None, table }));
        }
        if self.ahead(3).kind == T::Dot && self.ahead(4).kind == T::Star {
            let schema = Some(self.ident()?);
            self.advance();
            let table = Some(self.ident()?);
            self.pos += 2;
            return Ok(Some(SelectItem::Wildcard { schema, table }));
        }
        Ok(None)
    }

    fn tables_of_from(&mut self) -> PResult<Vec<TableRef>> {
        if self.eat(Kw::DUAL) {
            return Ok(Vec::new());
        }
        self.table_refs()
    }

    pub(crate) fn table_refs(&mut self) -> PResult<Vec<TableRef>> {
        self.comma_list(Parser::table_ref)
    }

    /// A table and what is joined to it.
    pub(crate) fn table_ref(&mut self) -> PResult<TableRef> {
        let mut left = self.nested(Parser::table_factor)?;
        while self.at_join(self.pos) {
            left = self.join(left)?;
            self.link()?;
        }
        Ok(left)
    }

    fn at_join(&self, pos: usize) -> bool {
        matches!(
            self.tokens[pos].kw,
            Kw::JOIN
                | Kw::INNER
                | Kw::CROSS
                | Kw::STRAIGHT_JOIN
                | Kw::LEFT
                | Kw::RIGHT
                | Kw::NATURAL
        )
    }

    #[inline(never)]
    fn join(&mut self, left: TableRef) -> PResult<TableRef> {
        let natural = self.eat(Kw::NATURAL);
        let kind = match self.kw() {
            Kw::STRAIGHT_JOIN if !natural => JoinKind::Straight,
            Kw::LEFT => JoinKind::Left,
            Kw::RIGHT => JoinKind::Right,
            Kw::CROSS if natural => return Err(self.error()),
            _ => JoinKind::Inner,
        };
        match kind {
            JoinKind::Straight => self.advance(),
            JoinKind::Left | JoinKind::Right => {
                self.advance();
                self.eat(Kw::OUTER);
                self.expect(Kw::JOIN)?;
            }
            JoinKind::Inner => {
                self.eat_any(&[Kw::INNER, Kw::CROSS]);
                self.expect(Kw::JOIN)?;
            }
        }
        let mut right = self.nested(Parser::table_factor)?;
        if natural {
            let condition = Some(JoinCondition::Natural);
            return Ok(TableRef::Join(Box::new(Join { kind, left, right, condition })));
        }
        let outer = matches!(kind, JoinKind::Left | JoinKind::Right);
        // `a LEFT JOIN b JOIN c ON x ON y`: the second condition belongs to the first join.
        while self.at_join(self.pos) && (outer || self.condition_follows_joins()) {
            right = self.nested(|p| p.join(right))?;
            self.link()?;
        }
        let condition = if self.at(Kw::ON) && self.ahead(1).kw != Kw::DUPLICATE {
            self.advance();
            Some(JoinCondition::On(self.expr()?))
        } else if self.at(Kw::USING) {
            self.advance();
            Some(JoinCondition::Using(self.paren_idents()?))
        } else if outer {
            return Err(self.error());
        } else {
            None
        };
        Ok(TableRef::Join(Box::new(Join { kind, left, right, condition })))
    }

    /// At a join after an inner join's right side: there are more conditions than joins ahead, so
    /// one of them is for the join before.
    fn condition_follows_joins(&self) -> bool {
        let (mut depth, mut open, mut natural) = (0u32, 1i64, false);
        for (i, token) in self.tokens.iter().enumerate().skip(self.pos) {
            match token.kind {
                T::LParen => depth += 1,
                T::RParen if depth == 0 => return false,
                T::RParen => depth -= 1,
                T::Comma | T::End | T::Semicolon if depth == 0 => return false,
                T::Word if depth == 0 => match token.kw {
                    // A natural join has no condition.
                    Kw::NATURAL => natural = true,
                    Kw::JOIN if natural => natural = false,
                    Kw::JOIN | Kw::STRAIGHT_JOIN => open += 1,
                    Kw::ON if self.tokens[i + 1].kw == Kw::DUPLICATE => return false,
                    Kw::ON | Kw::USING => {
                        open -= 1;
                        if open == 0 {
                            return true;
                        }
                    }
                    Kw::WHERE
                    | Kw::GROUP
                    | Kw::HAVING
                    | Kw::ORDER
                    | Kw::LIMIT
                    | Kw::SET
                    | Kw::UNION
                    | Kw::WINDOW => return false,
                    _ => {}
                },
                _ => {}
            }
        }
        false
    }

    #[inline(never)]
    fn table_factor(&mut self) -> PResult<TableRef> {
        match (self.kind(), self.kw()) {
            (T::LParen, _) if self.at_subquery() => self.derived(false),
            (T::LParen, _) => {
                self.advance();
                let mut list = self.table_refs()?;
                self.expect_t(T::RParen)?;
                Ok(match list.len() {
                    1 => list.remove(0),
                    _ => TableRef::List(list),
                })
            }
            (T::LBrace, _) => {
                self.advance();
                self.expect(Kw::OJ)?;
                let inner = self.table_ref()?;
                self.expect_t(T::RBrace)?;
                Ok(inner)
            }
            (_, Kw::LATERAL) => {
                self.advance();
                if self.at(Kw::JSON_TABLE) { self.json_table(true) } else { self.derived(true) }
            }
            (_, Kw::JSON_TABLE) => self.json_table(false),
            _ => self.named_table(),
        }
    }

    fn derived(&mut self, lateral: bool) -> PResult<TableRef> {
        let query = self.paren_query()?;
        let Some(alias) = self.table_alias()? else {
            let message = "Every derived table must have its own alias".into();
            return Err(ParseError { errno: ER_DERIVED_ALIAS, message });
        };
        let columns = self.opt_paren_idents()?;
        Ok(TableRef::Derived { lateral, query, alias, columns })
    }

    pub(crate) fn table_alias(&mut self) -> PResult<Option<Ident>> {
        if self.eat(Kw::AS) || self.at_ident() { Ok(Some(self.ident()?)) } else { Ok(None) }
    }

    pub(crate) fn partition_names(&mut self) -> PResult<Vec<Ident>> {
        if self.at(Kw::PARTITION) && self.ahead(1).kind == T::LParen {
            self.advance();
            return self.paren_idents();
        }
        Ok(Vec::new())
    }

    fn named_table(&mut self) -> PResult<TableRef> {
        let name = self.table_name()?;
        let partitions = self.partition_names()?;
        let alias = self.table_alias()?;
        let mut index_hints = Vec::new();
        while matches!(self.kw(), Kw::USE | Kw::FORCE | Kw::IGNORE) {
            if !matches!(self.ahead(1).kw, Kw::INDEX | Kw::KEY) {
                break;
            }
            index_hints.push(self.index_hint()?);
        }
        Ok(TableRef::Table(Box::new(TableFactor { name, partitions, alias, index_hints })))
    }

    fn index_hint(&mut self) -> PResult<IndexHint> {
        let kind = match self.eat_any(&[Kw::USE, Kw::FORCE, Kw::IGNORE]) {
            Some(Kw::USE) => IndexHintKind::Use,
            Some(Kw::FORCE) => IndexHintKind::Force,
            _ => IndexHintKind::Ignore,
        };
        self.advance();
        let scope = if self.eat_all(&[Kw::FOR, Kw::JOIN]) {
            Some(IndexHintScope::Join)
        } else if self.eat_all(&[Kw::FOR, Kw::ORDER, Kw::BY]) {
            Some(IndexHintScope::OrderBy)
        } else if self.eat_all(&[Kw::FOR, Kw::GROUP, Kw::BY]) {
            Some(IndexHintScope::GroupBy)
        } else {
            None
        };
        self.expect_t(T::LParen)?;
        let mut indexes = Vec::new();
        if !(kind == IndexHintKind::Use && self.kind() == T::RParen) {
            indexes = self.comma_list(Parser::index_name)?;
        }
        self.expect_t(T::RParen)?;
        Ok(IndexHint { kind, scope, indexes })
    }

    /// The name of an index in a definition, where the primary key's is quoted.
    pub(crate) fn key_name(&mut self) -> PResult<Ident> {
        if self.lenient() { self.index_name() } else { self.ident() }
    }

    /// The name of an index in a hint: a name, or PRIMARY.
    pub(crate) fn index_name(&mut self) -> PResult<Ident> {
        if self.at(Kw::PRIMARY) { self.any_word() } else { self.ident() }
    }

    #[inline(never)]
    fn json_table(&mut self, lateral: bool) -> PResult<TableRef> {
        self.expect(Kw::JSON_TABLE)?;
        self.expect_t(T::LParen)?;
        let doc = self.expr()?;
        self.expect_t(T::Comma)?;
        let path = self.joined_string()?;
        let columns = self.json_columns()?;
        self.expect_t(T::RParen)?;
        let Some(alias) = self.table_alias()? else {
            let message = "Every table function must have an alias".into();
            return Err(ParseError { errno: 3667, message });
        };
        Ok(TableRef::JsonTable(Box::new(JsonTable { lateral, doc, path, columns, alias })))
    }

    fn json_columns(&mut self) -> PResult<Vec<JsonColumn>> {
        self.expect(Kw::COLUMNS)?;
        self.expect_t(T::LParen)?;
        let columns = self.comma_list(|p| p.nested(Parser::json_column))?;
        self.expect_t(T::RParen)?;
        Ok(columns)
    }

    fn json_column(&mut self) -> PResult<JsonColumn> {
        if self.eat_all(&[Kw::NESTED, Kw::PATH]) {
            let path = self.joined_string()?;
            return Ok(JsonColumn::Nested { path, columns: self.json_columns()? });
        }
        let name = self.ident()?;
        if self.eat_all(&[Kw::FOR, Kw::ORDINALITY]) {
            return Ok(JsonColumn::Ordinality(name));
        }
        let mut data_type = Box::new(self.data_type()?);
        if self.eat(Kw::COLLATE) {
            data_type.collation = Some(self.charset_name()?);
        }
        let exists = self.eat(Kw::EXISTS);
        self.expect(Kw::PATH)?;
        let path = self.joined_string()?;
        let (on_empty, on_error) = self.json_on(true)?;
        Ok(JsonColumn::Path { name, data_type, exists, path, on_empty, on_error })
    }
}

/// 1234 for what is said of a statement's result, in a block that does not make it.
fn refuse_inner_options(options: &SelectOptions) -> PResult<()> {
    let option = match () {
        () if options.high_priority => "HIGH_PRIORITY",
        () if options.buffer_result => "SQL_BUFFER_RESULT",
        () if options.calc_found_rows => "SQL_CALC_FOUND_ROWS",
        () => return Ok(()),
    };
    let message = format!("Incorrect usage/placement of '{option}'").into();
    Err(ParseError { errno: ER_OPTION_HERE, message })
}
