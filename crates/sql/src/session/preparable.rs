//! Which statements can be prepared.

use super::logged::tokens;
use crate::errno;
use crate::session_api::SqlError;
use weir_syntax::ast::Statement;
use weir_syntax::lex::{SqlMode, T, Token};

/// 1295 for what MySQL does not prepare. Drivers send the text of such a statement when they get this error, so that both servers
/// run it the same way.
pub(super) fn preparable(stmt: &Statement, sql: &[u8], mode: SqlMode) -> Result<(), SqlError> {
    match stmt {
        Statement::Unsupported { what } => Err(SqlError::not_supported(what)),
        Statement::CreateView(v) if !v.alter => super::views::refuse_clauses(&v.query),
        s if s.is_unprepared() || asks_counts(sql, mode) => {
            Err(SqlError::of(errno::ER_UNSUPPORTED_PS, &[]))
        }
        _ => Ok(()),
    }
}

/// `@@warning_count` and `@@error_count`, which look at the statement before as SHOW WARNINGS does.
fn asks_counts(sql: &[u8], mode: SqlMode) -> bool {
    if !sql.windows(2).any(|w| w == b"@@") {
        return false;
    }
    let words: Vec<_> = tokens(sql, mode).collect();
    let is_count = |t: &Token| {
        let text = t.text(sql);
        let text = text.strip_prefix(b"`").and_then(|t| t.strip_suffix(b"`")).unwrap_or(text);
        text.eq_ignore_ascii_case(b"warning_count") || text.eq_ignore_ascii_case(b"error_count")
    };
    // With or without the scope and its dot.
    words.iter().enumerate().any(|(i, t)| {
        let at = |back: usize| i.checked_sub(back).is_some_and(|j| words[j].kind == T::AtAt);
        is_count(t) && (at(1) || at(3))
    })
}
