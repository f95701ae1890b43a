//! GRANT and REVOKE: of privileges, of roles, and of PROXY.

use super::{PResult, Parser};
use crate::ast::{
    Grant, GrantLevel, GrantObject, GrantWhat, Privilege, Revoke, Statement, UserAuth, UserSpec,
};
use crate::lex::{Kw, T};

/// Privileges of several words.
const PHRASES: [&str; 14] = [
    "GRANT OPTION",
    "SHOW DATABASES",
    "SHOW VIEW",
    "LOCK TABLES",
    "REPLICATION SLAVE",
    "REPLICATION CLIENT",
    "CREATE TEMPORARY TABLES",
    "CREATE VIEW",
    "CREATE ROUTINE",
    "CREATE USER",
    "CREATE TABLESPACE",
    "CREATE ROLE",
    "ALTER ROUTINE",
    "DROP ROLE",
];

/// Privileges of one word, and whether they may be for some columns only.
const WORDS: [(&str, bool); 18] = [
    ("SELECT", true),
    ("INSERT", true),
    ("UPDATE", true),
    ("REFERENCES", true),
    ("DELETE", false),
    ("USAGE", false),
    ("INDEX", false),
    ("ALTER", false),
    ("CREATE", false),
    ("DROP", false),
    ("EXECUTE", false),
    ("RELOAD", false),
    ("SHUTDOWN", false),
    ("PROCESS", false),
    ("FILE", false),
    ("SUPER", false),
    ("EVENT", false),
    ("TRIGGER", false),
];

impl Parser<'_> {
    #[inline(never)]
    pub(crate) fn grant(&mut self) -> PResult<Statement> {
        self.expect(Kw::GRANT)?;
        let what = self.grant_what(false)?;
        self.expect(Kw::TO)?;
        let to = match self.lenient() {
            true => self.comma_list(Parser::user_auth)?,
            false => {
                let users = self.user_list()?.into_iter();
                users.map(|user| UserAuth { user, auth: None }).collect()
            }
        };
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
        let privileges = matches!(grant.what, GrantWhat::Privileges { .. });
        if (privileges || self.lenient()) && self.eat(Kw::AS) {
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
        let what = self.grant_what(true)?;
        self.expect(Kw::FROM)?;
        let from = self.user_list()?;
        let ignore_unknown_user = self.eat_all(&[Kw::IGNORE, Kw::UNKNOWN, Kw::USER]);
        let revoke = Revoke { if_exists, what, from, ignore_unknown_user };
        Ok(Statement::Revoke(Box::new(revoke)))
    }

    fn grant_what(&mut self, revoke: bool) -> PResult<GrantWhat> {
        if self.eat_all(&[Kw::PROXY, Kw::ON]) {
            return Ok(GrantWhat::Proxy(self.user_spec()?));
        }
        if self.at(Kw::ALL) {
            self.advance();
            self.eat(Kw::PRIVILEGES);
            if (revoke || self.lenient()) && self.eat_t(T::Comma) {
                self.expect_all(&[Kw::GRANT, Kw::OPTION])?;
                return Ok(GrantWhat::AllAndGrantOption);
            }
            self.expect(Kw::ON)?;
            let (object, level) = self.grant_level()?;
            return Ok(GrantWhat::Privileges { list: Vec::new(), all: true, object, level });
        }
        // Roles and privileges look alike until ON.
        let start = self.pos;
        if let Ok(roles) = self.role_list()
            && matches!(self.kw(), Kw::TO | Kw::FROM)
        {
            return Ok(GrantWhat::Roles(roles));
        }
        self.pos = start;
        let list = self.comma_list(Parser::privilege)?;
        if matches!(self.kw(), Kw::TO | Kw::FROM) {
            return Err(self.error_at(start, "Illegal authorization identifier"));
        }
        self.expect(Kw::ON)?;
        let (object, level) = self.grant_level()?;
        Ok(GrantWhat::Privileges { list, all: false, object, level })
    }

    /// A privilege of the grammar, or a name that may be a dynamic privilege's.
    fn privilege(&mut self) -> PResult<Privilege> {
        if self.lenient() {
            return self.privilege_of_any_words();
        }
        if let Some(phrase) = PHRASES.iter().find(|p| self.at_phrase(p)) {
            self.pos += phrase.split(' ').count();
            return Ok(Privilege { name: (*phrase).into(), columns: Vec::new() });
        }
        if let Some((word, by_column)) = WORDS.iter().find(|(w, _)| self.at_text(w.as_bytes())) {
            self.advance();
            let columns = if *by_column { self.opt_paren_idents()? } else { Vec::new() };
            return Ok(Privilege { name: (*word).into(), columns });
        }
        let first = self.pos;
        match self.role()? {
            UserSpec::Name { user, host: None } => {
                let name = user.to_ascii_uppercase().into();
                Ok(Privilege { name, columns: self.opt_paren_idents()? })
            }
            _ => Err(self.error_at(first, "Illegal privilege identifier")),
        }
    }

    fn at_phrase(&self, phrase: &str) -> bool {
        phrase.split(' ').enumerate().all(|(n, word)| {
            let token = self.ahead(n);
            token.kind == T::Word && self.raw(token).eq_ignore_ascii_case(word.as_bytes())
        })
    }

    /// What older versions took for a privilege.
    fn privilege_of_any_words(&mut self) -> PResult<Privilege> {
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
