//! SET.

use super::{PResult, Parser};
use crate::ast::{
    DefaultRoles, Ident, IsolationLevel, SetItem, SetPassword, SetRole, SetTransaction, SetValue,
    Statement, SysVar, VarScope,
};
use crate::lex::{Kw, T};

impl Parser<'_> {
    /// The name of a character set or collation: a word, a string, or BINARY.
    pub(crate) fn charset_name(&mut self) -> PResult<Box<str>> {
        if self.at(Kw::BINARY) {
            self.advance();
            return Ok("binary".into());
        }
        Ok(self.ident_or_string()?.0)
    }

    /// CHARACTER SET, CHARSET or CHAR SET.
    pub(crate) fn eat_charset(&mut self) -> bool {
        self.eat_all(&[Kw::CHARACTER, Kw::SET])
            || self.eat(Kw::CHARSET)
            || self.eat_all(&[Kw::CHAR, Kw::SET])
    }

    #[inline(never)]
    pub(crate) fn set_statement(&mut self) -> PResult<Statement> {
        self.expect(Kw::SET)?;
        let next = self.ahead(1);
        let assigned = matches!(next.kind, T::Eq | T::Assign);
        match self.kw() {
            Kw::TRANSACTION if !assigned => return self.set_transaction(None),
            Kw::GLOBAL | Kw::SESSION | Kw::LOCAL if next.kw == Kw::TRANSACTION => {
                let third = self.ahead(2).kind;
                if !matches!(third, T::Eq | T::Assign) {
                    let scope = self.scope();
                    return self.set_transaction(scope);
                }
            }
            Kw::PASSWORD if next.kw != Kw::NOKW || assigned => return self.set_password(),
            Kw::ROLE if !assigned => return self.set_role(),
            Kw::DEFAULT if next.kw == Kw::ROLE => return self.set_default_role(),
            Kw::RESOURCE if next.kw == Kw::GROUP => return self.set_resource_group(),
            _ => {}
        }
        Ok(Statement::Set(self.comma_list(Parser::set_item)?))
    }

    fn scope(&mut self) -> Option<VarScope> {
        let scope = match self.kw() {
            Kw::GLOBAL => VarScope::Global,
            Kw::SESSION | Kw::LOCAL => VarScope::Session,
            Kw::PERSIST => VarScope::Persist,
            Kw::PERSIST_ONLY => VarScope::PersistOnly,
            _ => return None,
        };
        self.advance();
        Some(scope)
    }

    pub(crate) fn set_item(&mut self) -> PResult<SetItem> {
        if self.kind() == T::At {
            let name = self.user_var()?;
            self.assign_sign()?;
            return Ok(SetItem::User { name, value: self.expr()? });
        }
        let assigned = matches!(self.ahead(1).kind, T::Eq | T::Assign);
        if self.at(Kw::NAMES) && !assigned {
            return self.set_names();
        }
        if self.eat_charset() {
            let charset = match self.eat(Kw::DEFAULT) {
                true => None,
                false => Some(self.charset_name()?),
            };
            return Ok(SetItem::CharacterSet(charset));
        }
        let first = self.pos;
        let var = if self.kind() == T::AtAt {
            let var = self.sys_var()?;
            if var.component.as_ref().is_some_and(|of| self.is_own_row(of)) {
                self.pos = first + 1;
                return Err(self.error());
            }
            var
        } else {
            let scope = if assigned { None } else { self.scope() };
            if scope.is_some() && self.at_own_variable()? {
                return Err(self.error());
            }
            let first = self.ident()?;
            if self.eat_t(T::Dot) {
                SysVar { scope, component: Some(first), name: self.ident()? }
            } else {
                SysVar { scope, component: None, name: first }
            }
        };
        self.assign_sign()?;
        Ok(SetItem::System { var, value: self.set_value()? })
    }

    /// The row before or after the change, in a trigger's body: its columns are no system variables.
    fn is_own_row(&self, name: &Ident) -> bool {
        let of_trigger = self.scope.as_ref().is_some_and(|scope| scope.has_rows());
        of_trigger && (name.is("NEW") || name.is("OLD")) && !self.lenient()
    }

    /// At a variable of the program that is being read, which cannot have GLOBAL, SESSION or the like in front.
    fn at_own_variable(&self) -> PResult<bool> {
        let Some(scope) = &self.scope else { return Ok(false) };
        if !self.at_ident() || self.lenient() {
            return Ok(false);
        }
        let name = self.name_of(self.token())?;
        Ok(match self.ahead(1).kind {
            T::Dot => self.is_own_row(&name),
            _ => scope.knows(&name),
        })
    }

    pub(crate) fn assign_sign(&mut self) -> PResult<()> {
        if self.eat_t(T::Assign) { Ok(()) } else { self.expect_t(T::Eq) }
    }

    fn set_names(&mut self) -> PResult<SetItem> {
        self.advance();
        if self.eat(Kw::DEFAULT) {
            return Ok(SetItem::Names { charset: None, collation: None });
        }
        let charset = Some(self.charset_name()?);
        let collation = match self.eat(Kw::COLLATE) {
            true => Some(self.charset_name()?),
            false => None,
        };
        Ok(SetItem::Names { charset, collation })
    }

    fn set_value(&mut self) -> PResult<SetValue> {
        let token = self.token();
        let alone = matches!(self.ahead(1).kind, T::Comma | T::End | T::Semicolon);
        if token.kind == T::Word && alone {
            if self.eat(Kw::DEFAULT) {
                return Ok(SetValue::Default);
            }
            let word = matches!(token.kw, Kw::ON | Kw::ALL | Kw::BINARY | Kw::ROW | Kw::SYSTEM);
            let variable = match &self.scope {
                Some(scope) if self.at_ident() => scope.knows(&self.name_of(token)?),
                _ => false,
            };
            if (word || self.at_ident()) && !variable {
                return Ok(SetValue::Word(self.any_word()?.0));
            }
        }
        if token.kind == T::Quoted && alone && self.at_ident() {
            let name = self.name_of(token)?;
            if !self.scope.as_ref().is_some_and(|scope| scope.knows(&name)) {
                self.ident()?;
                return Ok(SetValue::Word(name.as_str().into()));
            }
        }
        Ok(SetValue::Expr(self.expr()?))
    }

    /// At TRANSACTION.
    fn set_transaction(&mut self, scope: Option<VarScope>) -> PResult<Statement> {
        self.expect(Kw::TRANSACTION)?;
        let mut set = SetTransaction { scope, isolation: None, read_only: None };
        loop {
            if set.isolation.is_none() && self.eat_all(&[Kw::ISOLATION, Kw::LEVEL]) {
                set.isolation = Some(self.isolation_level()?);
            } else if set.read_only.is_none() && self.eat(Kw::READ) {
                set.read_only = Some(self.read_mode()?);
            } else {
                return Err(self.error());
            }
            if !self.eat_t(T::Comma) {
                return Ok(Statement::SetTransaction(set));
            }
        }
    }

    /// After READ: ONLY (true) or WRITE.
    pub(crate) fn read_mode(&mut self) -> PResult<bool> {
        match self.eat_any(&[Kw::ONLY, Kw::WRITE]) {
            Some(kw) => Ok(kw == Kw::ONLY),
            None => Err(self.error()),
        }
    }

    fn isolation_level(&mut self) -> PResult<IsolationLevel> {
        if self.eat_all(&[Kw::READ, Kw::UNCOMMITTED]) {
            Ok(IsolationLevel::ReadUncommitted)
        } else if self.eat_all(&[Kw::READ, Kw::COMMITTED]) {
            Ok(IsolationLevel::ReadCommitted)
        } else if self.eat_all(&[Kw::REPEATABLE, Kw::READ]) {
            Ok(IsolationLevel::RepeatableRead)
        } else if self.eat(Kw::SERIALIZABLE) {
            Ok(IsolationLevel::Serializable)
        } else {
            Err(self.error())
        }
    }

    fn set_password(&mut self) -> PResult<Statement> {
        self.expect(Kw::PASSWORD)?;
        let user = if self.eat(Kw::FOR) { Some(self.user_spec()?) } else { None };
        let password = if self.eat(Kw::TO) {
            self.expect(Kw::RANDOM)?;
            None
        } else {
            self.assign_sign()?;
            Some(self.string()?)
        };
        let replace = if self.eat(Kw::REPLACE) { Some(self.string()?) } else { None };
        let retain_current = self.eat_all(&[Kw::RETAIN, Kw::CURRENT, Kw::PASSWORD]);
        let set = SetPassword { user, password, replace, retain_current };
        Ok(Statement::SetPassword(Box::new(set)))
    }

    fn set_role(&mut self) -> PResult<Statement> {
        self.expect(Kw::ROLE)?;
        Ok(Statement::SetRole(self.role_choice()?))
    }

    pub(crate) fn role_choice(&mut self) -> PResult<SetRole> {
        Ok(if self.eat(Kw::DEFAULT) {
            SetRole::Default
        } else if self.eat(Kw::NONE) {
            SetRole::None
        } else if self.eat(Kw::ALL) {
            match self.eat(Kw::EXCEPT) {
                true => SetRole::AllExcept(self.role_list()?),
                false => SetRole::All,
            }
        } else {
            SetRole::Some(self.role_list()?)
        })
    }

    fn set_default_role(&mut self) -> PResult<Statement> {
        self.expect_all(&[Kw::DEFAULT, Kw::ROLE])?;
        let roles = self.default_roles()?;
        self.expect(Kw::TO)?;
        Ok(Statement::SetDefaultRole { roles, users: self.role_list()? })
    }

    pub(crate) fn default_roles(&mut self) -> PResult<DefaultRoles> {
        Ok(if self.eat(Kw::NONE) {
            DefaultRoles::None
        } else if self.eat(Kw::ALL) {
            DefaultRoles::All
        } else {
            DefaultRoles::Some(self.role_list()?)
        })
    }

    fn set_resource_group(&mut self) -> PResult<Statement> {
        self.expect_all(&[Kw::RESOURCE, Kw::GROUP])?;
        let name = self.ident()?;
        let mut threads = Vec::new();
        if self.eat(Kw::FOR) {
            threads = self.comma_list(Parser::whole_number)?;
        }
        Ok(Statement::SetResourceGroup { name, threads })
    }
}
