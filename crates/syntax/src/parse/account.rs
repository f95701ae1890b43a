//! Accounts: users and roles, as they are named and as they are made and changed.

use super::{PResult, Parser};
use crate::ast::{
    AlterUser, AuthHow, AuthSpec, CreateUser, PasswordOption, RequireTls, Statement, UserAuth,
    UserOptions, UserSpec,
};
use crate::lex::{Kw, T};

/// Words that may name a user without quotes, and no role: the yacc rules take them out of `role_keyword`.
const NO_ROLES: [&[u8]; 12] = [
    b"EVENT",
    b"EXECUTE",
    b"FILE",
    b"NONE",
    b"PROCESS",
    b"PROXY",
    b"RELOAD",
    b"REPLICATION",
    b"RESOURCE",
    b"RESTART",
    b"SHUTDOWN",
    b"SUPER",
];

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
        Ok(UserSpec::Name { user, host: self.host()? })
    }

    /// `@host` or nothing. The host stands right behind the sign; a sign with nothing right behind it means the empty host.
    fn host(&mut self) -> PResult<Option<Box<str>>> {
        let at = self.token();
        if !self.eat_t(T::At) {
            return Ok(None);
        }
        let token = self.token();
        let is_name = matches!(token.kind, T::Word | T::Quoted | T::Str);
        if is_name && (token.start == at.end || self.lenient()) {
            self.advance();
            return Ok(Some(self.name_of(token)?.0.to_ascii_lowercase().into()));
        }
        Ok(Some("".into()))
    }

    /// The name of a role: CURRENT_USER is not one, nor are words that begin another form of the statements about roles.
    pub(crate) fn role(&mut self) -> PResult<UserSpec> {
        let token = self.token();
        if self.lenient() {
            return self.user_spec();
        }
        if token.kind == T::Word && NO_ROLES.iter().any(|w| self.at_text(w)) {
            return Err(self.error());
        }
        let user = self.ident_or_string()?.0;
        Ok(UserSpec::Name { user, host: self.host()? })
    }

    pub(crate) fn role_list(&mut self) -> PResult<Vec<UserSpec>> {
        self.comma_list(Parser::role)
    }

    pub(crate) fn user_list(&mut self) -> PResult<Vec<UserSpec>> {
        self.comma_list(Parser::user_spec)
    }

    pub(super) fn user_auth(&mut self) -> PResult<UserAuth> {
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
            default_roles = self.role_list()?;
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
        let mut alter =
            AlterUser { if_exists, users, default_roles: None, options: UserOptions::default() };
        // DEFAULT ROLE stands alone, behind one account of which nothing else is said.
        let bare = alter.users.len() == 1 && alter.users.iter().all(|u| u.auth.is_none());
        if self.at_all(&[Kw::DEFAULT, Kw::ROLE]) && (bare || self.lenient()) {
            self.pos += 2;
            alter.default_roles = Some(self.default_roles()?);
        }
        if alter.default_roles.is_none() || self.lenient() {
            alter.options = self.user_options()?;
        }
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
                    Some(kw) => options.resources.push((kw.text(), self.whole_number()?)),
                    None if options.resources.is_empty() => return Err(self.error()),
                    None => break,
                }
            }
        }
        loop {
            // COMMENT or ATTRIBUTE is the last clause.
            let described = options.comment.is_some() || options.attribute.is_some();
            match self.kw() {
                _ if described && !self.lenient() => return Ok(options),
                Kw::PASSWORD => {
                    self.advance();
                    let option = self.password_option()?;
                    options.password.push(option);
                }
                Kw::FAILED_LOGIN_ATTEMPTS => {
                    self.advance();
                    let n = self.whole_number()?;
                    options.password.push(PasswordOption::FailedLoginAttempts(n));
                }
                Kw::PASSWORD_LOCK_TIME => {
                    self.advance();
                    let days = match self.eat(Kw::UNBOUNDED) {
                        true => None,
                        false => Some(self.whole_number()?),
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
                Kw::COMMENT | Kw::ATTRIBUTE if described => return Err(self.error()),
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
        let mut more = false;
        while let Some(kw) = self.eat_any(&[Kw::CIPHER, Kw::ISSUER, Kw::SUBJECT]) {
            list.push((kw.text(), self.string()?));
            more = self.eat(Kw::AND) && !self.lenient();
        }
        if list.is_empty() || more {
            return Err(self.error());
        }
        Ok(RequireTls::Specific(list))
    }

    /// After PASSWORD.
    fn password_option(&mut self) -> PResult<PasswordOption> {
        if self.eat(Kw::EXPIRE) {
            return Ok(if self.eat(Kw::DEFAULT) {
                PasswordOption::ExpireDefault
            } else if self.eat(Kw::NEVER) {
                PasswordOption::ExpireNever
            } else if self.eat(Kw::INTERVAL) {
                let days = self.whole_number()?;
                self.expect(Kw::DAY)?;
                PasswordOption::ExpireInterval(days)
            } else {
                PasswordOption::Expire
            });
        }
        if self.eat(Kw::HISTORY) {
            let n = if self.eat(Kw::DEFAULT) { None } else { Some(self.whole_number()?) };
            return Ok(PasswordOption::History(n));
        }
        if self.eat_all(&[Kw::REUSE, Kw::INTERVAL]) {
            if self.eat(Kw::DEFAULT) {
                return Ok(PasswordOption::ReuseInterval(None));
            }
            let days = self.whole_number()?;
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
}
