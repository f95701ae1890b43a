//! Statements about accounts as the binary log has them: with the credentials that came of passwords in place of the passwords, and with
//! the name of the account that CURRENT_USER is here.
//!
//! What came of a password is known only when the accounts are about to be saved. So the text waits with the accounts
//! ([`crate::account::Accounts::log_next`]), and its events ride with the save.

use super::logged::{quoted, tokens};
use crate::account::{Account, AccountName, AuthPlugin};
use std::sync::Arc;
use weir_syntax::ast::{AuthHow, Statement, UserAuth, UserSpec};
use weir_syntax::lex::{Kw, SqlMode, T, Token};

/// A piece of a text: as it is, or how an account logs in.
enum Piece {
    Text(Vec<u8>),
    Identified(AccountName),
}

/// A text whose credentials are not known yet.
pub(super) struct Rewritten {
    pieces: Vec<Piece>,
    /// NO_BACKSLASH_ESCAPES.
    plain: bool,
}

impl Rewritten {
    /// `own`: the account of the session.
    pub fn of(stmt: &Statement, text: &[u8], mode: SqlMode, own: &AccountName) -> Rewritten {
        let named = |u: &UserSpec| match u {
            UserSpec::CurrentUser => own.clone(),
            UserSpec::Name { user, host } => AccountName::new(user, host.as_deref().unwrap_or("%")),
        };
        let plain = mode.no_backslash_escapes;
        let users: &[UserAuth] = match stmt {
            Statement::SetPassword(s) => {
                let name = named(s.user.as_ref().unwrap_or(&UserSpec::CurrentUser));
                let retained = if s.retain_current { " RETAIN CURRENT PASSWORD" } else { "" };
                let mut pieces =
                    vec![Piece::Text(format!("ALTER USER {} ", account(&name)).into())];
                pieces.push(Piece::Identified(name));
                pieces.push(Piece::Text(retained.into()));
                return Rewritten { pieces, plain };
            }
            Statement::CreateUser(c) => &c.users,
            Statement::AlterUser(a) => &a.users,
            _ => &[],
        };
        let secret = |u: &&UserAuth| {
            let how = u.auth.as_ref().map(|a| &a.how);
            matches!(how, Some(AuthHow::Password(_) | AuthHow::RandomPassword))
        };
        let mut secrets = users.iter().filter(secret).map(|u| named(&u.user));
        let all: Vec<Token> = tokens(text, mode).collect();
        let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
        while let Some(token) = all.get(at) {
            let (piece, behind) = match replaced(&all[at..]) {
                Some((Found::Own, len)) => (Piece::Text(account(own).into()), len),
                Some((Found::Secret, len)) => match secrets.next() {
                    Some(name) => (Piece::Identified(name), len),
                    None => break,
                },
                None => {
                    at += 1;
                    continue;
                }
            };
            pieces.push(Piece::Text(text[from..token.start as usize].to_vec()));
            pieces.push(piece);
            at += behind;
            from = all[at - 1].end as usize;
        }
        pieces.push(Piece::Text(text[from..].to_vec()));
        Rewritten { pieces, plain }
    }

    /// The text, by the accounts as they will be.
    pub fn text(&self, list: &[Arc<Account>]) -> Vec<u8> {
        let mut out = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Identified(name) => {
                    let is = |a: &&Arc<Account>| {
                        a.user == name.user && a.host.eq_ignore_ascii_case(&name.host)
                    };
                    let found = list.iter().find(is);
                    let plugin = found.map_or(AuthPlugin::CachingSha2, |a| a.plugin);
                    let credential = found.map_or("", |a| &a.credential);
                    out.extend_from_slice(
                        format!("IDENTIFIED WITH '{}'", plugin.name()).as_bytes(),
                    );
                    // Without a password there is no credential to be given.
                    if !credential.is_empty() {
                        out.extend_from_slice(b" AS ");
                        quoted(credential.as_bytes(), self.plain, &mut out);
                    }
                }
            }
        }
        out
    }
}

enum Found {
    /// CURRENT_USER, or USER().
    Own,
    /// How an account logs in, with a password.
    Secret,
}

/// What is replaced at the front of `all`, and how many tokens it has.
fn replaced(all: &[Token]) -> Option<(Found, usize)> {
    let kw = |n: usize| all.get(n).map(|t| t.kw);
    let kind = |n: usize| all.get(n).map(|t| t.kind);
    let called = |n: usize| kind(n) == Some(T::LParen) && kind(n + 1) == Some(T::RParen);
    match all.first()?.kw {
        Kw::CURRENT_USER => Some((Found::Own, if called(1) { 3 } else { 1 })),
        Kw::USER if called(1) => Some((Found::Own, 3)),
        Kw::IDENTIFIED => {
            let mut at = 1;
            if kw(at) == Some(Kw::WITH) {
                at += 2;
            }
            if kw(at) != Some(Kw::BY) {
                return None;
            }
            // BY 'password', BY RANDOM PASSWORD.
            at += if kw(at + 1) == Some(Kw::RANDOM) { 3 } else { 2 };
            if kw(at) == Some(Kw::REPLACE) {
                at += 2;
            }
            (at <= all.len()).then_some((Found::Secret, at))
        }
        _ => None,
    }
}

fn account(name: &AccountName) -> String {
    let quote = |text: &str| format!("`{}`", text.replace('`', "``"));
    format!("{}@{}", quote(&name.user), quote(&name.host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_syntax::parse::{ParseOptions, parse_one};

    fn rewritten(text: &str) -> String {
        let parsed = parse_one(text.as_bytes(), &ParseOptions::default()).expect("a statement");
        let own = AccountName::new("me", "localhost");
        let r = Rewritten::of(&parsed.stmt, text.as_bytes(), SqlMode::default(), &own);
        let made = |user: &str, credential: &str| {
            let mut a = Account::root();
            (a.user, a.host) = (user.into(), "%".into());
            (a.plugin, a.credential) = (AuthPlugin::CachingSha2, credential.into());
            Arc::new(a)
        };
        let mut me = Account::root();
        (me.user, me.credential) = ("me".into(), "own".into());
        let list = [made("a", "it's"), made("b", "two"), Arc::new(me)];
        String::from_utf8(r.text(&list)).expect("text")
    }

    #[test]
    fn credentials_stand_where_passwords_were() {
        for (text, expected) in [
            (
                "create user a identified by 'secret', b identified with caching_sha2_password by 'x' require ssl",
                "create user a IDENTIFIED WITH 'caching_sha2_password' AS 'it\\'s', b IDENTIFIED WITH 'caching_sha2_password' AS 'two' require ssl",
            ),
            (
                "alter user b identified by random password replace 'old' retain current password",
                "alter user b IDENTIFIED WITH 'caching_sha2_password' AS 'two' retain current password",
            ),
            (
                "alter user user() identified by 'x'",
                "alter user `me`@`localhost` IDENTIFIED WITH 'caching_sha2_password' AS 'own'",
            ),
            (
                "set password for a = 'x' retain current password",
                "ALTER USER `a`@`%` IDENTIFIED WITH 'caching_sha2_password' AS 'it\\'s' RETAIN CURRENT PASSWORD",
            ),
            (
                "create user nobody identified by ''",
                "create user nobody IDENTIFIED WITH 'caching_sha2_password'",
            ),
            ("grant select on *.* to current_user", "grant select on *.* to `me`@`localhost`"),
            (
                "create user c identified with mysql_native_password as '*0'",
                "create user c identified with mysql_native_password as '*0'",
            ),
        ] {
            assert_eq!(rewritten(text), expected, "{text}");
        }
    }
}
