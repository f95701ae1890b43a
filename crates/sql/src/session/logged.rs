//! What the general and the slow query log get of a session's statements. The server, which has the files and the clock, writes them.

use super::Session;
use super::text::lexed;
use crate::account::Privileges;
use crate::session_api::{ConnInfo, ParamValue, SqlError};
use crate::status::Counted;
use std::borrow::Cow;
use std::fmt::Write;
use weir_syntax::ast::SqlCommand;
use weir_syntax::lex::{Kw, Lexer, SqlMode, T, Token};

impl Session {
    /// 1227: anyone who asks for what the server is busy with (COM_DEBUG) needs SUPER.
    pub fn may_debug(&mut self) -> Result<(), SqlError> {
        self.access.require_any_global(Privileges::SUPER)
    }

    /// From when on a statement is slow: `long_query_time` in microseconds, and `min_examined_row_limit`.
    pub fn slow_limits(&self) -> (u64, u64) {
        self.settings.slow
    }

    /// `sql_log_off`: the session's statements stay out of the general log.
    pub fn is_unlogged(&self) -> bool {
        self.settings.unlogged
    }

    /// Counts a command that is no statement.
    pub fn count_command(&self, stat: impl Counted) {
        self.work.inc(stat);
    }

    /// Who is connected.
    pub fn conn(&self) -> &ConnInfo {
        &self.conn
    }

    /// A statement of the client in UTF-8, without the passwords that stand in it.
    pub fn loggable<'t>(&self, sql: &'t [u8]) -> Cow<'t, [u8]> {
        match lexed(self.settings.client, sql, self.reading()) {
            Cow::Borrowed(sql) => without_secrets(sql, self.settings.lex_mode),
            Cow::Owned(text) => without_secrets(&text, self.settings.lex_mode).into_owned().into(),
        }
    }

    /// ALTER TABLE and its like, which `log_slow_admin_statements` is about.
    pub fn is_admin(&self, sql: &[u8]) -> bool {
        is_admin(sql, self.settings.lex_mode)
    }

    /// What is said of a text that is no statement.
    pub const NO_COMMAND: &str = "error";

    /// All that [`Session::command_of`] can say.
    pub fn commands() -> impl Iterator<Item = &'static str> {
        SqlCommand::ALL.iter().map(|c| c.row().event())
    }

    /// The command that a text is, as its counter is named: `select`, `create_table`.
    pub fn command_of(&self, sql: &[u8]) -> &'static str {
        match self.parse(sql, false, self.settings.client) {
            Ok(parsed) => parsed.stmt.row().event(),
            Err(_) => Self::NO_COMMAND,
        }
    }

    /// The number of the error that the last statement ended with; 0: it succeeded.
    pub fn failed_with(&self) -> u16 {
        self.tally.failed
    }

    /// The text of a prepared statement.
    pub fn prepared_text(&self, id: u32) -> Option<&[u8]> {
        self.prepared.get(&id).map(|p| &*p.text)
    }

    /// A prepared statement with its values in the places of their placeholders.
    pub fn written_out(&self, id: u32, values: &[ParamValue]) -> Vec<u8> {
        let Some(text) = self.prepared_text(id) else { return Vec::new() };
        let mut out = Vec::with_capacity(text.len() + 16 * values.len());
        let mut values = values.iter();
        let mut from = 0;
        for token in tokens(text, self.settings.lex_mode).filter(|t| t.kind == T::Param) {
            let Some(value) = values.next() else { break };
            out.extend_from_slice(&text[from..token.start as usize]);
            literal(value, self.settings.lex_mode.no_backslash_escapes, &mut out);
            from = token.end as usize;
        }
        out.extend_from_slice(&text[from..]);
        out
    }
}

pub(super) fn tokens(text: &[u8], mode: SqlMode) -> impl Iterator<Item = Token> {
    let mut lexer = Lexer::of_body(text, mode);
    std::iter::from_fn(move || {
        let token = lexer.next_token();
        (!matches!(token.kind, T::End | T::Bad)).then_some(token)
    })
}

/// Statements whose texts may be passwords, by their first words.
fn has_secrets(first: &Token, second: &Token) -> bool {
    match first.kw {
        Kw::CREATE | Kw::ALTER => matches!(second.kw, Kw::USER | Kw::SERVER),
        Kw::SET => second.kw == Kw::PASSWORD,
        Kw::GRANT | Kw::CHANGE | Kw::START => true,
        _ => false,
    }
}

/// As MySQL does, a text behind IDENTIFIED ... BY or AS, and that of SET PASSWORD and of options that are passwords, is `<secret>`; so is a
/// statement in a SET or PREPARE that has such a text in it. What cannot be read behind such a word is left out.
fn without_secrets(sql: &[u8], mode: SqlMode) -> Cow<'_, [u8]> {
    if !speaks_of_passwords(sql) {
        return Cow::Borrowed(sql);
    }
    let mut out = Vec::with_capacity(sql.len());
    let mut rest = sql;
    while !rest.is_empty() {
        let end = one_without_secrets(rest, mode, &mut out);
        rest = &rest[end..];
    }
    Cow::Owned(out)
}

fn speaks_of_passwords(sql: &[u8]) -> bool {
    let named = |w: &[u8]| sql.windows(w.len()).any(|s| s.eq_ignore_ascii_case(w));
    may_speak_of_passwords(sql) && (named(b"identified") || named(b"password"))
}

/// Whether a text has two letters that stand next to each other in these words, and seldom elsewhere. It looks at all of the text without a branch, many
/// bytes at a time.
fn may_speak_of_passwords(sql: &[u8]) -> bool {
    let pair = |a: u8, b: u8, x: u8, y: u8| u8::from(a | 0x20 == x) & u8::from(b | 0x20 == y);
    let next = sql.get(1..).unwrap_or_default();
    let found =
        |seen: u8, (a, b): (&u8, &u8)| seen | pair(*a, *b, b'f', b'i') | pair(*a, *b, b's', b's');
    sql.iter().zip(next).fold(0, found) != 0
}

/// The statement at the front of `sql`; returns where it ends.
fn one_without_secrets(sql: &[u8], mode: SqlMode, out: &mut Vec<u8>) -> usize {
    let mut lexer = Lexer::new(sql, mode);
    let (mut from, mut armed, mut head) = (0, false, Vec::with_capacity(2));
    let mut last: Option<Token> = None;
    loop {
        let token = lexer.next_token();
        if head.len() < 2 {
            head.push(token);
        }
        let secrets = matches!(&head[..], [a, b] if has_secrets(a, b));
        let text = token.text(sql);
        match token.kind {
            T::End => {
                let end = lexer.position().max(1).min(sql.len());
                out.extend_from_slice(&sql[from..end]);
                return end;
            }
            T::Bad => {
                let start = token.start as usize;
                out.extend_from_slice(&sql[from..start]);
                let hidden = secrets || speaks_of_passwords(&sql[start..]);
                out.extend_from_slice(if hidden { b"<secret>" } else { &sql[start..] });
                return sql.len();
            }
            T::Word if secrets => {
                armed |=
                    text.to_ascii_lowercase().ends_with(b"password") || token.kw == Kw::IDENTIFIED;
            }
            T::Str | T::NStr | T::Hex => {
                let behind = last.is_some_and(|l| {
                    matches!(l.kw, Kw::BY | Kw::AS | Kw::REPLACE | Kw::PASSWORD)
                        || matches!(l.kind, T::Eq | T::Assign | T::LParen)
                });
                let inner =
                    matches!(head[0].kw, Kw::SET | Kw::PREPARE) && speaks_of_passwords(text);
                if (armed && behind) || inner {
                    out.extend_from_slice(&sql[from..token.start as usize]);
                    out.extend_from_slice(b"<secret>");
                    from = token.end as usize;
                }
            }
            _ => {}
        }
        last = Some(token);
    }
}

/// The statement changes or looks after definitions: `log_slow_admin_statements` decides whether it is logged as slow.
fn is_admin(sql: &[u8], mode: SqlMode) -> bool {
    let mut words = tokens(sql, mode).filter(|t| {
        let text = t.text(sql);
        t.kind != T::Hint
            && !text.eq_ignore_ascii_case(b"local")
            && !text.eq_ignore_ascii_case(b"no_write_to_binlog")
    });
    let mut word = || words.next().map(|t| t.text(sql).to_ascii_lowercase()).unwrap_or_default();
    let (first, second) = (word(), word());
    match &first[..] {
        b"alter" | b"analyze" | b"check" | b"optimize" | b"repair" => second.starts_with(b"table"),
        b"create" => matches!(&second[..], b"index" | b"unique" | b"fulltext" | b"spatial"),
        b"drop" => second == b"index",
        _ => false,
    }
}

/// A value as a literal.
fn literal(value: &ParamValue, plain: bool, out: &mut Vec<u8>) {
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = match value {
        ParamValue::Null => write!(text, "NULL"),
        ParamValue::Int(v) => write!(text, "{v}"),
        ParamValue::UInt(v) => write!(text, "{v}"),
        ParamValue::Float(v) => write!(text, "{v}"),
        ParamValue::Double(v) => write!(text, "{v}"),
        ParamValue::Decimal(v) => return out.extend_from_slice(v),
        ParamValue::Bytes(v) | ParamValue::Blob(v) => return quoted(v, plain, out),
        ParamValue::Date { year, month, day } => write!(text, "'{year:04}-{month:02}-{day:02}'"),
        ParamValue::DateTime { year, month, day, hour, minute, second, micros, zone } => write!(
            text,
            "'{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}{}'",
            zone.map(offset_text).unwrap_or_default()
        ),
        ParamValue::Time { negative, hours, minutes, seconds, micros } => {
            let sign = if *negative { "-" } else { "" };
            write!(text, "'{sign}{hours:02}:{minutes:02}:{seconds:02}.{micros:06}'")
        }
    };
    out.extend_from_slice(text.as_bytes());
}

/// Minutes ahead of UTC, as behind a time.
pub(super) fn offset_text(minutes: i16) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// `plain`: a backslash is a character as any other.
pub(super) fn quoted(bytes: &[u8], plain: bool, out: &mut Vec<u8>) {
    out.push(b'\'');
    for b in bytes {
        match b {
            b'\'' if plain => out.extend_from_slice(b"''"),
            b if plain => out.push(*b),
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', *b]),
            b'\n' => out.extend_from_slice(b"\\n"),
            0 => out.extend_from_slice(b"\\0"),
            b => out.push(*b),
        }
    }
    out.push(b'\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_wherever_they_stand() {
        for word in ["password", "PassWord", "identified", "IDENTIFIED"] {
            for before in 0..40 {
                let text = format!("{}{word}{}", "x".repeat(before), "y".repeat(before / 2));
                assert!(speaks_of_passwords(text.as_bytes()), "{text}");
                assert!(!speaks_of_passwords(&text.as_bytes()[..before + word.len() - 1]));
            }
        }
        assert!(!speaks_of_passwords(b"") && !speaks_of_passwords(b"s"));
    }

    #[test]
    fn passwords_are_not_logged() {
        let shown = |sql: &str| {
            String::from_utf8(without_secrets(sql.as_bytes(), SqlMode::default()).into_owned())
                .expect("text")
        };
        for (sql, want) in [
            ("select 'password'", "select 'password'"),
            (
                "select * from t where password is not null and id = '5'",
                "select * from t where password is not null and id = '5'",
            ),
            (
                "update t set password = 'x' where a = 'b'",
                "update t set password = 'x' where a = 'b'",
            ),
            ("set password := 'x'", "set password := <secret>"),
            (
                "/* app */ set password = password('x')",
                "/* app */ set password = password(<secret>)",
            ),
            (
                "alter user a identified by 'it's secret'",
                "alter user a identified by <secret>s secret<secret>",
            ),
            ("alter user a identified by 'never ends", "alter user a identified by <secret>"),
            (
                "select 1; create user a identified by 'x'; select 2",
                "select 1; create user a identified by <secret>; select 2",
            ),
            ("prepare s from 'create user a identified by x'", "prepare s from <secret>"),
            ("set @a = 1, @b = 'create user a identified by x'", "set @a = 1, @b = <secret>"),
            (
                "create server s foreign data wrapper mysql options (user 'u', password 'x')",
                "create server s foreign data wrapper mysql options (user 'u', password <secret>)",
            ),
            ("create user a identified by 'x'", "create user a identified by <secret>"),
            (
                "CREATE USER 'a'@'%' IDENTIFIED WITH 'caching_sha2_password' BY 'x', b IDENTIFIED BY 'y' COMMENT 'z'",
                "CREATE USER 'a'@'%' IDENTIFIED WITH 'caching_sha2_password' BY <secret>, b IDENTIFIED BY <secret> COMMENT 'z'",
            ),
            (
                "alter user a identified with mysql_native_password as '*AB'",
                "alter user a identified with mysql_native_password as <secret>",
            ),
            (
                "alter user a identified by 'n' replace 'o'",
                "alter user a identified by <secret> replace <secret>",
            ),
            ("set password = 'x'", "set password = <secret>"),
            ("set password for 'a'@'b' = 'x'", "set password for 'a'@'b' = <secret>"),
        ] {
            assert_eq!(shown(sql), want);
        }
    }

    #[test]
    fn statements_that_look_after_tables() {
        let admin = |text: &str| is_admin(text.as_bytes(), SqlMode::default());
        for text in [
            "alter table t",
            "/* app */ ALTER TABLE t",
            "ANALYZE LOCAL TABLES a",
            "optimize no_write_to_binlog table t",
            "create unique index i on t (a)",
            " drop\tindex i",
        ] {
            assert!(admin(text), "{text}");
        }
        for text in ["", "select 1", "create table t (a int)", "alter user a", "check(1)"] {
            assert!(!admin(text), "{text}");
        }
    }
}
