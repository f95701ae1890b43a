//! What the general and the slow query log are told of a session's statements. The server, which has the files and the clock, writes them.

use super::Session;
use crate::session_api::{ConnInfo, ParamValue};
use crate::status::Stat;
use std::borrow::Cow;
use std::fmt::Write;
use weir_syntax::lex::{Kw, Lexer, SqlMode, T, Token};

/// What statements came to since this was asked last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Rows that were looked at.
    pub examined: u64,
    /// Nanoseconds spent waiting for locks of rows.
    pub lock_nanos: u64,
    /// A table was read whole.
    pub scanned: bool,
}

impl Session {
    pub fn take_work(&mut self) -> Work {
        let scans = self.work.get(Stat::Select_scan) + self.work.get(Stat::Select_full_join);
        // FLUSH STATUS brings it back to zero.
        let scanned = scans > std::mem::replace(&mut self.scans_told, scans);
        Work {
            examined: self.work.take_examined(),
            lock_nanos: self.lock_time.swap(0, std::sync::atomic::Ordering::Relaxed),
            scanned,
        }
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
    pub fn count_command(&self, stat: Stat) {
        self.work.inc(stat, &self.inst.status);
    }

    /// Who is connected.
    pub fn conn(&self) -> &ConnInfo {
        &self.conn
    }

    /// A statement without the passwords that stand in it.
    pub fn loggable<'t>(&self, sql: &'t [u8]) -> Cow<'t, [u8]> {
        without_secrets(sql, self.settings.lex_mode)
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
            literal(value, &mut out);
            from = token.end as usize;
        }
        out.extend_from_slice(&text[from..]);
        out
    }
}

fn tokens(text: &[u8], mode: SqlMode) -> impl Iterator<Item = Token> {
    let mut lexer = Lexer::of_body(text, mode);
    std::iter::from_fn(move || {
        let token = lexer.next_token();
        (!matches!(token.kind, T::End | T::Bad)).then_some(token)
    })
}

/// As MySQL does, a text behind IDENTIFIED ... BY or AS, and that of SET PASSWORD, is `<secret>`.
fn without_secrets(sql: &[u8], mode: SqlMode) -> Cow<'_, [u8]> {
    const WORDS: [&[u8]; 2] = [b"identified", b"password"];
    let named = |w: &[u8]| sql.windows(w.len()).any(|s| s.eq_ignore_ascii_case(w));
    if !WORDS.iter().any(|w| named(w)) {
        return Cow::Borrowed(sql);
    }
    let mut out = Vec::with_capacity(sql.len());
    let (mut from, mut armed, mut last) = (0, false, T::End);
    let mut ready = false;
    for token in tokens(sql, mode) {
        match token.kind {
            T::Word if matches!(token.kw, Kw::IDENTIFIED | Kw::PASSWORD) => armed = true,
            T::Word if matches!(token.kw, Kw::BY | Kw::AS | Kw::REPLACE) => ready = armed,
            T::Eq => ready = armed,
            T::Str | T::NStr | T::Hex if ready && matches!(last, T::Word | T::Eq) => {
                out.extend_from_slice(&sql[from..token.start as usize]);
                out.extend_from_slice(b"<secret>");
                from = token.end as usize;
                ready = false;
            }
            T::Comma => ready = false,
            _ => {}
        }
        last = token.kind;
    }
    out.extend_from_slice(&sql[from..]);
    Cow::Owned(out)
}

/// A value as a literal.
fn literal(value: &ParamValue, out: &mut Vec<u8>) {
    let mut text = String::new();
    // Writing to a String does not fail.
    let _ = match value {
        ParamValue::Null => write!(text, "NULL"),
        ParamValue::Int(v) => write!(text, "{v}"),
        ParamValue::UInt(v) => write!(text, "{v}"),
        ParamValue::Float(v) => write!(text, "{v}"),
        ParamValue::Double(v) => write!(text, "{v}"),
        ParamValue::Decimal(v) => return out.extend_from_slice(v),
        ParamValue::Bytes(v) => return quoted(v, out),
        ParamValue::Date { year, month, day } => write!(text, "'{year:04}-{month:02}-{day:02}'"),
        ParamValue::DateTime { year, month, day, hour, minute, second, micros } => write!(
            text,
            "'{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06}'"
        ),
        ParamValue::Time { negative, hours, minutes, seconds, micros } => {
            let sign = if *negative { "-" } else { "" };
            write!(text, "'{sign}{hours:02}:{minutes:02}:{seconds:02}.{micros:06}'")
        }
    };
    out.extend_from_slice(text.as_bytes());
}

fn quoted(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for b in bytes {
        match b {
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
    fn passwords_are_not_logged() {
        let shown = |sql: &str| {
            String::from_utf8(without_secrets(sql.as_bytes(), SqlMode::default()).into_owned())
                .expect("text")
        };
        for (sql, want) in [
            ("select 'password'", "select 'password'"),
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
}
