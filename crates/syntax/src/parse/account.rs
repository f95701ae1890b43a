//! Accounts: users, roles, GRANT and REVOKE.

use super::{PResult, Parser};
use crate::ast::{
    AlterUser, AuthHow, AuthSpec, CreateUser, DefaultRoles, Grant, GrantLevel, GrantObject,
    GrantWhat, PasswordOption, Privilege, RequireTls, Revoke, Statement, UserAuth, UserOptions,
    UserSpec,
};
use crate::lex::{Kw, T};

impl Parser<'_> {
    /// `'name'@'host'`, `name`, CURRENT_USER.
    pub(crate) fn user_spec(&mut self) -> PResult<UserSpec> {
        if self.eat(Kw::CURRENT_USER) {
            if self.eat_t(T::LParen) {
                self.expect_t(T::RParen)?;
            }
            return Ok(UserSpec::CurrentUser);
        }
        let user = self.ident_or_string()?.0;
        let mut host = None;
        if self.eat_t(T::At) {
            let token = self.token();
            if !matches!(token.kind, T::Word | T::Quoted | T::Str) {
                return Err(self.error());
            }
            self.advance();
            host = Some(self.name_of(token)?.0.to_ascii_lowercase().into());
        }
        Ok(UserSpec::Name { user, host })
    }

    pub(crate) fn user_list(&mut self) -> PResult<Vec<UserSpec>> {
        self.comma_list(Parser::user_spec)
    }

    fn user_auth(&mut self) -> PResult<UserAuth> {
        let user = self.user_spec()?;
        let mut auth = None;
        if self.eat(Kw::IDENTIFIED) {
            auth = Some(self.auth_spec()?);
        }
        // Further factors (AND IDENTIFIED ..) are not known here.
        if auth.is_none() && self.eat(Kw::DISCARD) {
            self.expect_all(&[Kw::OLD, Kw::PASSWORD])?;
            auth = Some(AuthSpec { discard_old: true, ..AuthSpec::default() });
        }
        Ok(UserAuth { user, auth })
    }

    /// After IDENTIFIED.
    fn auth_spec(&mut self) -> PResult<AuthSpec> {
        let mut auth = AuthSpec::default();
        if self.eat(Kw::WITH) {
            auth.plugin = Some(self.ident_or_string()?);
        }
        if self.eat(Kw::BY) {
            auth.how = match self.at_all(&[Kw::RANDOM, Kw::PASSWORD]) {
                true => {
                    self.pos += 2;
                    AuthHow::RandomPassword
                }
                false => AuthHow::Password(self.string()?),
            };
        } else if self.at(Kw::AS) && auth.plugin.is_some() {
            self.advance();
            auth.how = AuthHow::Hash(self.text_bytes()?);
        } else if auth.plugin.is_none() {
            return Err(self.error());
        }
        if self.eat(Kw::REPLACE) {
            auth.replace = Some(self.string()?);
        }
        if !matches!(auth.how, AuthHow::Unspecified) {
            auth.retain_current = self.eat_all(&[Kw::RETAIN, Kw::CURRENT, Kw::PASSWORD]);
        }
        Ok(auth)
    }

    pub(crate) fn create_user(&mut self) -> PResult<Statement> {
        self.expect(Kw::USER)?;
        let if_not_exists = self.if_not_exists();
        let users = self.comma_list(Parser::user_auth)?;
        let mut default_roles = Vec::new();
        if self.eat_all(&[Kw::DEFAULT, Kw::ROLE]) {
            default_roles = self.user_list()?;
        }
        let options = self.user_options()?;
        let create = CreateUser { if_not_exists, users, default_roles, options };
        Ok(Statement::CreateUser(Box::new(create)))
    }

    pub(crate) fn alter_user(&mut self) -> PResult<Statement> {
        self.expect(Kw::USER)?;
        let if_exists = self.if_exists();
        // USER() is the account of the session here.
        let users = if self.at(Kw::USER) && self.ahead(1).kind == T::LParen {
            self.pos += 2;
            self.expect_t(T::RParen)?;
            let auth = if self.eat(Kw::IDENTIFIED) { Some(self.auth_spec()?) } else { None };
            // And nothing but its password is changed.
            let users = vec![UserAuth { user: UserSpec::CurrentUser, auth }];
            let (default_roles, options) = (None, UserOptions::default());
            let alter = AlterUser { if_exists, users, default_roles, options };
            return Ok(Statement::AlterUser(Box::new(alter)));
        } else {
            self.comma_list(Parser::user_auth)?
        };
        let mut default_roles: Option<DefaultRoles> = None;
        if self.eat_all(&[Kw::DEFAULT, Kw::ROLE]) {
            default_roles = Some(self.default_roles()?);
        }
        let options = self.user_options()?;
        let alter = AlterUser { if_exists, users, default_roles, options };
        Ok(Statement::AlterUser(Box::new(alter)))
    }

    fn user_options(&mut self) -> PResult<UserOptions> {
        let mut options = UserOptions::default();
        if self.eat(Kw::REQUIRE) {
            options.require = Some(self.require_tls()?);
        }
        if self.eat(Kw::WITH) {
            loop {
                let word = self.eat_any(&[
                    Kw::MAX_QUERIES_PER_HOUR,
                    Kw::MAX_UPDATES_PER_HOUR,
                    Kw::MAX_CONNECTIONS_PER_HOUR,
                    Kw::MAX_USER_CONNECTIONS,
                ]);
                match word {
                    Some(kw) => options.resources.push((kw.text(), self.number()?)),
                    None if options.resources.is_empty() => return Err(self.error()),
                    None => break,
                }
            }
        }
        loop {
            match self.kw() {
                Kw::PASSWORD => {
                    self.advance();
                    let option = self.password_option()?;
                    options.password.push(option);
                }
                Kw::FAILED_LOGIN_ATTEMPTS => {
                    self.advance();
                    let n = self.number()?;
                    options.password.push(PasswordOption::FailedLoginAttempts(n));
                }
                Kw::PASSWORD_LOCK_TIME => {
                    self.advance();
                    let days = match self.eat(Kw::UNBOUNDED) {
                        true => None,
                        false => Some(self.number()?),
                    };
                    options.password.push(PasswordOption::LockTime(days));
                }
                Kw::ACCOUNT => {
                    self.advance();
                    options.lock = match self.eat_any(&[Kw::LOCK, Kw::UNLOCK]) {
                        Some(kw) => Some(kw == Kw::LOCK),
                        None => return Err(self.error()),
                    };
                }
                // One or the other, once.
                Kw::COMMENT | Kw::ATTRIBUTE
                    if options.comment.is_some() || options.attribute.is_some() =>
                {
                    return Err(self.error());
                }
                Kw::COMMENT => {
                    self.advance();
                    options.comment = Some(self.string()?);
                }
                Kw::ATTRIBUTE => {
                    self.advance();
                    options.attribute = Some(self.string()?);
                }
                _ => return Ok(options),
            }
        }
    }

    fn require_tls(&mut self) -> PResult<RequireTls> {
        match self.eat_any(&[Kw::NONE, Kw::SSL, Kw::X509]) {
            Some(Kw::NONE) => return Ok(RequireTls::None),
            Some(Kw::SSL) => return Ok(RequireTls::Ssl),
            Some(_) => return Ok(RequireTls::X509),
            None => {}
        }
        let mut list = Vec::new();
        while let Some(kw) = self.eat_any(&[Kw::CIPHER, Kw::ISSUER, Kw::SUBJECT]) {
            list.push((kw.text(), self.string()?));
            self.eat(Kw::AND);
        }
        if list.is_empty() { Err(self.error()) } else { Ok(RequireTls::Specific(list)) }
    }

    /// After PASSWORD.
    fn password_option(&mut self) -> PResult<PasswordOption> {
        if self.eat(Kw::EXPIRE) {
            return Ok(if self.eat(Kw::DEFAULT) {
                PasswordOption::ExpireDefault
            } else if self.eat(Kw::NEVER) {
                PasswordOption::ExpireNever
            } else if self.eat(Kw::INTERVAL) {
                let days = self.number()?;
                self.expect(Kw::DAY)?;
                PasswordOption::ExpireInterval(days)
            } else {
                PasswordOption::Expire
            });
        }
        if self.eat(Kw::HISTORY) {
            let n = if self.eat(Kw::DEFAULT) { None } else { Some(self.number()?) };
            return Ok(PasswordOption::History(n));
        }
        if self.eat_all(&[Kw::REUSE, Kw::INTERVAL]) {
            if self.eat(Kw::DEFAULT) {
                return Ok(PasswordOption::ReuseInterval(None));
            }
            let days = self.number()?;
            self.expect(Kw::DAY)?;
            return Ok(PasswordOption::ReuseInterval(Some(days)));
        }
        self.expect_all(&[Kw::REQUIRE, Kw::CURRENT])?;
        Ok(PasswordOption::RequireCurrent(match self.eat_any(&[Kw::DEFAULT, Kw::OPTIONAL]) {
            Some(Kw::DEFAULT) => None,
            Some(_) => Some(false),
            None => Some(true),
        }))
    }

    #[inline(never)]
    pub(crate) fn grant(&mut self) -> PResult<Statement> {
        self.expect(Kw::GRANT)?;
        let what = self.grant_what()?;
        self.expect(Kw::TO)?;
        let to = self.comma_list(Parser::user_auth)?;
        let mut grant = Grant { what, to, with_option: false, as_user: None };
        if self.eat(Kw::WITH) {
            let word = match grant.what {
                GrantWhat::Roles(_) => Kw::ADMIN,
                _ => Kw::GRANT,
            };
            self.expect(word)?;
            self.expect(Kw::OPTION)?;
            grant.with_option = true;
        }
        if self.eat(Kw::AS) {
            let user = self.user_spec()?;
            let role = match self.eat_all(&[Kw::WITH, Kw::ROLE]) {
                true => Some(self.role_choice()?),
                false => None,
            };
            grant.as_user = Some((user, role));
        }
        Ok(Statement::Grant(Box::new(grant)))
    }

    #[inline(never)]
    pub(crate) fn revoke(&mut self) -> PResult<Statement> {
        self.expect(Kw::REVOKE)?;
        let if_exists = self.if_exists();
        let what = self.grant_what()?;
        self.expect(Kw::FROM)?;
        let from = self.user_list()?;
        let ignore_unknown_user = self.eat_all(&[Kw::IGNORE, Kw::UNKNOWN, Kw::USER]);
        let revoke = Revoke { if_exists, what, from, ignore_unknown_user };
        Ok(Statement::Revoke(Box::new(revoke)))
    }

    fn grant_what(&mut self) -> PResult<GrantWhat> {
        if self.eat_all(&[Kw::PROXY, Kw::ON]) {
            return Ok(GrantWhat::Proxy(self.user_spec()?));
        }
        if self.at(Kw::ALL) {
            self.advance();
            self.eat(Kw::PRIVILEGES);
            if self.eat_t(T::Comma) {
                self.expect_all(&[Kw::GRANT, Kw::OPTION])?;
                return Ok(GrantWhat::AllAndGrantOption);
            }
            self.expect(Kw::ON)?;
            let (object, level) = self.grant_level()?;
            return Ok(GrantWhat::Privileges { list: Vec::new(), all: true, object, level });
        }
        // Roles and privileges look alike until ON.
        let start = self.pos;
        if let Ok(roles) = self.user_list()
            && matches!(self.kw(), Kw::TO | Kw::FROM)
        {
            return Ok(GrantWhat::Roles(roles));
        }
        self.pos = start;
        let list = self.comma_list(Parser::privilege)?;
        self.expect(Kw::ON)?;
        let (object, level) = self.grant_level()?;
        Ok(GrantWhat::Privileges { list, all: false, object, level })
    }

    fn privilege(&mut self) -> PResult<Privilege> {
        let mut name = String::new();
        while self.kind() == T::Word && !matches!(self.kw(), Kw::ON) {
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(&self.any_word()?.as_str().to_ascii_uppercase());
        }
        if name.is_empty() {
            return Err(self.error());
        }
        Ok(Privilege { name: name.into(), columns: self.opt_paren_idents()? })
    }

    fn grant_level(&mut self) -> PResult<(GrantObject, GrantLevel)> {
        let word = match self.ahead(1).kind {
            T::Dot => None,
            _ => self.eat_any(&[Kw::TABLE, Kw::FUNCTION, Kw::PROCEDURE]),
        };
        let object = match word {
            Some(Kw::FUNCTION) => GrantObject::Function,
            Some(Kw::PROCEDURE) => GrantObject::Procedure,
            _ => GrantObject::Table,
        };
        if self.eat_t(T::Star) {
            if self.eat_t(T::Dot) {
                self.expect_t(T::Star)?;
                return Ok((object, GrantLevel::Global));
            }
            return Ok((object, GrantLevel::Schema(None)));
        }
        if self.ahead(1).kind == T::Dot && self.ahead(2).kind == T::Star {
            let schema = Some(self.ident()?);
            self.pos += 2;
            return Ok((object, GrantLevel::Schema(schema)));
        }
        Ok((object, GrantLevel::Object(self.table_name()?)))
    }
}
