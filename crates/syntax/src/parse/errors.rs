//! What is said of statements that cannot be read.

use super::{PResult, ParseError, Parser};
use crate::lex::Client;

/// ER_PARSE_ERROR.
const ER_PARSE: u16 = 1064;
/// ER_STACK_OVERRUN_NEED_MORE.
const ER_STACK: u16 = 1436;
const ER_NOT_ALLOWED_WITH_START_TRANSACTION: u16 = 3979;
/// ER_INVALID_CHARACTER_STRING.
const ER_INVALID_STRING: u16 = 1300;

impl Parser<'_> {
    /// MySQL's syntax error at the current token.
    #[cold]
    pub(crate) fn error(&self) -> ParseError {
        syntax_error(self.sql, self.token().start as usize)
    }

    /// The same with a text of its own, at a token.
    #[cold]
    pub(crate) fn error_at(&self, token: usize, told: &str) -> ParseError {
        error_near(told, self.sql, self.tokens[token].start as usize)
    }

    /// What a syntax error at the current token would quote, and its line.
    pub(crate) fn rest(&self) -> (String, usize) {
        quoted(self.sql, self.token().start as usize)
    }

    /// 3979 for a clause that CREATE TABLE alone may have.
    #[cold]
    pub(super) fn started_alter(&self) -> ParseError {
        let message = "START TRANSACTION clause cannot be used with ALTER TABLE command.";
        ParseError { errno: ER_NOT_ALLOWED_WITH_START_TRANSACTION, message: message.into() }
    }

    #[cold]
    pub(super) fn too_deep(&self) -> ParseError {
        ParseError {
            errno: ER_STACK,
            message: "Thread stack overrun:  the statement is nested too deeply.  \
                      Use fewer levels of nesting."
                .into(),
        }
    }
}

/// 1300 for a name with a code that the client's set gives to no character.
#[cold]
pub(super) fn invalid_name(client: Client, text: &[u8]) -> ParseError {
    let hex: String = client.sent(text).iter().take(6).map(|b| format!("{b:02X}")).collect();
    let message = format!("Invalid {} character string: '{hex}'", client.charset);
    ParseError { errno: ER_INVALID_STRING, message: message.into() }
}

/// Text of bytes, or MySQL's error about them.
pub(crate) fn utf8(bytes: &[u8]) -> PResult<&str> {
    std::str::from_utf8(bytes).map_err(|e| {
        use std::fmt::Write;
        let mut message = String::from("Invalid utf8mb4 character string: '");
        for &b in bytes[e.valid_up_to()..].iter().take(6) {
            if b.is_ascii_graphic() {
                message.push(char::from(b));
            } else {
                let _ = write!(message, "\\x{b:02X}");
            }
        }
        message.push('\'');
        ParseError { errno: ER_INVALID_STRING, message: message.into() }
    })
}

/// MySQL's syntax error near a byte of the statement.
#[cold]
fn syntax_error(sql: &[u8], at: usize) -> ParseError {
    let told = "You have an error in your SQL syntax; check the manual that corresponds to your MySQL \
                server version for the right syntax to use";
    error_near(told, sql, at)
}

/// A text of its own under the number of syntax errors.
#[cold]
fn error_near(told: &str, sql: &[u8], at: usize) -> ParseError {
    let (near, line) = quoted(sql, at);
    ParseError { errno: ER_PARSE, message: format!("{told} near '{near}' at line {line}").into() }
}

/// The statement from a byte on, as far as errors quote it, and the line there.
fn quoted(sql: &[u8], at: usize) -> (String, usize) {
    let at = at.min(sql.len());
    let line = 1 + sql[..at].iter().filter(|&&b| b == b'\n').count();
    let near = String::from_utf8_lossy(&sql[at..sql.len().min(at + 80)]);
    (near.trim_end_matches('\u{fffd}').to_string(), line)
}
