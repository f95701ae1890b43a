//! Where the text of a statement ends, and what follows it there.

use super::{PResult, ParseError, Parsed, Parser};
use crate::ast::Statement;
use crate::lex::{Lexer, T};

/// ER_EMPTY_QUERY.
const ER_EMPTY: u16 = 1065;

impl Parser<'_> {
    /// A text without a token: a comment is answered with OK, as long as nothing follows it, and nothing at all is an error.
    pub(super) fn no_statement(&self) -> PResult<Parsed> {
        let text = self.sql.trim_ascii();
        let text = text.strip_suffix(b";").unwrap_or(text).trim_ascii();
        if text.is_empty() || self.consumed < self.sql.len() {
            return Err(ParseError { errno: ER_EMPTY, message: "Query was empty".into() });
        }
        let (stmt, consumed) = (Statement::Comment, self.sql.len());
        Ok(Parsed { stmt, params: 0, consumed, last: true, alone: true })
    }

    /// The statement that was read, and whether others follow.
    pub(super) fn ended(&self, stmt: Statement) -> Parsed {
        let rest = &self.sql[self.consumed..];
        let last = rest.iter().all(u8::is_ascii_whitespace);
        let alone = last || {
            let next = Lexer::new(rest, self.opts.sql_mode).next_token();
            next.kind == T::End && next.start as usize == rest.len()
        };
        let params = self.params.len() as u32;
        Parsed { stmt, params, consumed: self.consumed, last, alone }
    }
}
