//! SIGNAL, RESIGNAL, GET DIAGNOSTICS: in bodies, and as statements of their own.

use super::refused;
use crate::ast::{
    Condition, ConditionItem, Diagnostics, Expr, GetDiagnostics, Ident, IntoVar, Signal,
    SignalItem, Statement, StatementItem,
};
use crate::lex::{Kw, T};
use crate::parse::{PResult, Parser};

/// Names of what is said of a condition.
const ITEMS: [(&str, SignalItem); 12] = [
    ("CLASS_ORIGIN", SignalItem::ClassOrigin),
    ("SUBCLASS_ORIGIN", SignalItem::SubclassOrigin),
    ("CONSTRAINT_CATALOG", SignalItem::ConstraintCatalog),
    ("CONSTRAINT_SCHEMA", SignalItem::ConstraintSchema),
    ("CONSTRAINT_NAME", SignalItem::ConstraintName),
    ("CATALOG_NAME", SignalItem::CatalogName),
    ("SCHEMA_NAME", SignalItem::SchemaName),
    ("TABLE_NAME", SignalItem::TableName),
    ("COLUMN_NAME", SignalItem::ColumnName),
    ("CURSOR_NAME", SignalItem::CursorName),
    ("MESSAGE_TEXT", SignalItem::MessageText),
    ("MYSQL_ERRNO", SignalItem::MysqlErrno),
];

impl Parser<'_> {
    /// After SIGNAL or RESIGNAL.
    pub(crate) fn signal(&mut self, resignal: bool) -> PResult<Statement> {
        let mut state = None;
        if self.at(Kw::SQLSTATE) {
            state = Some(self.sqlstate()?);
        } else if self.at_ident() {
            let name = self.ident()?;
            state = match self.named_condition(&name)? {
                Condition::State(s) => Some(s),
                _ => {
                    let text = "SIGNAL/RESIGNAL can only use a CONDITION defined with SQLSTATE";
                    return Err(refused(1646, text));
                }
            };
        } else if !resignal {
            return Err(self.error());
        }
        let mut items = Vec::new();
        if self.eat(Kw::SET) {
            loop {
                let (name, item) = self.signal_item()?;
                self.expect_t(T::Eq)?;
                if items.iter().any(|(known, _)| *known == item) {
                    let text = format!("Duplicate condition information item '{name}'");
                    return Err(refused(1641, text));
                }
                items.push((item, self.plain_value()?));
                if !self.eat_t(T::Comma) {
                    break;
                }
            }
        }
        Ok(Statement::Signal(Box::new(Signal { resignal, state, items })))
    }

    /// A literal or a variable: no other expression says what a condition is, or which.
    fn plain_value(&mut self) -> PResult<Expr> {
        if self.lenient() {
            return self.expr();
        }
        let first = self.pos;
        let plain = !matches!(self.kind(), T::LParen | T::LBrace);
        match self.operand()? {
            value @ (Expr::Literal(_)
            | Expr::UserVar(_)
            | Expr::SysVar(_)
            | Expr::Param(_)
            | Expr::Column(_))
                if plain =>
            {
                Ok(value)
            }
            _ => {
                self.pos = first;
                Err(self.error())
            }
        }
    }

    fn signal_item(&mut self) -> PResult<(&'static str, SignalItem)> {
        let raw = self.raw(self.token());
        let found = ITEMS.iter().find(|(n, _)| n.as_bytes().eq_ignore_ascii_case(raw));
        match found {
            Some((name, item)) => {
                self.advance();
                Ok((name, *item))
            }
            None => Err(self.error()),
        }
    }

    /// After GET.
    pub(crate) fn get_diagnostics(&mut self) -> PResult<Statement> {
        let stacked = match self.eat_any(&[Kw::CURRENT, Kw::STACKED]) {
            Some(kw) => kw == Kw::STACKED,
            None => false,
        };
        self.expect(Kw::DIAGNOSTICS)?;
        let what = if self.eat(Kw::CONDITION) {
            let number = self.plain_value()?;
            Diagnostics::Condition(
                number,
                self.comma_list(|p| {
                    let target = p.diagnostics_target()?;
                    if p.eat(Kw::RETURNED_SQLSTATE) {
                        return Ok((target, ConditionItem::State));
                    }
                    Ok((target, ConditionItem::Of(p.signal_item()?.1)))
                })?,
            )
        } else {
            Diagnostics::Statement(self.comma_list(|p| {
                let target = p.diagnostics_target()?;
                match p.eat_any(&[Kw::NUMBER, Kw::ROW_COUNT]) {
                    Some(Kw::NUMBER) => Ok((target, StatementItem::Number)),
                    Some(_) => Ok((target, StatementItem::RowCount)),
                    None => Err(p.error()),
                }
            })?)
        };
        Ok(Statement::GetDiagnostics(Box::new(GetDiagnostics { stacked, what })))
    }

    fn diagnostics_target(&mut self) -> PResult<IntoVar> {
        let target = self.target_variable()?;
        self.expect_t(T::Eq)?;
        Ok(target)
    }

    /// A variable that a value goes to: `@a`, or one of the program's own.
    pub(crate) fn target_variable(&mut self) -> PResult<IntoVar> {
        if self.kind() == T::At {
            return Ok(IntoVar::User(self.user_var()?));
        }
        let name = self.ident()?;
        let Some(scope) = &mut self.scope else { return Ok(IntoVar::Local(name)) };
        if self.tokens[self.pos].kind == T::Dot && (name.is("NEW") || name.is("OLD")) {
            self.pos += 1;
            let column = self.ident()?;
            let slot = self.scope_mut().row_column(&name, &column, true)?;
            return slot.map(IntoVar::Slot).ok_or_else(|| undeclared(&name));
        }
        scope.variable(&name).map(IntoVar::Slot).ok_or_else(|| undeclared(&name))
    }
}

/// 1327.
pub(super) fn undeclared(name: &Ident) -> crate::parse::ParseError {
    refused(1327, format!("Undeclared variable: {name}"))
}
