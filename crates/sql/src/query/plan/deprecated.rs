//! What a statement says that should be said in another way.

use crate::ddl::types::old_charset_word;
use crate::errno;
use crate::value::{Charset, old_sets};
use weir_syntax::ast::CharsetWord;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deprecated {
    /// What others have a warning for already.
    Said(u16, Box<str>),
    /// `N'a'`, NCHAR.
    National,
    /// `BINARY a`.
    BinaryOperator,
    /// `@a := 1`.
    Assignment,
    /// `VALUES(a)`.
    ValuesFunction,
    CalcFoundRows,
    NoCache,
    FoundRows,
    /// A hint that is not obeyed.
    Hint(u16, Box<str>),
    /// A column's name with spaces before it, which it loses.
    SpacedName(Box<str>),
    /// A name that is a column's and that of something else in the select list.
    Ambiguous(Box<str>, &'static str),
    /// JSON values beside an operator that knows nothing of their order.
    JsonCompared(&'static str),
}

impl Deprecated {
    /// The warning that a character set's name asks for.
    pub fn of_charset(charset: Charset, name: &str) -> Option<Deprecated> {
        let old = old_sets::of_charset(charset, name)?;
        Some(Deprecated::Said(old.0, old.1.into()))
    }

    pub fn warning(&self) -> (u16, String) {
        const LATER: &str = "is deprecated and will be removed in a future release.";
        let old = |what: &str, instead: &str| {
            (errno::ER_WARN_DEPRECATED_SYNTAX, format!("{what} {LATER} {instead}"))
        };
        match self {
            Deprecated::Said(number, text) => (*number, text.to_string()),
            Deprecated::National => old_charset_word(CharsetWord::National),
            Deprecated::BinaryOperator => old("'BINARY expr'", "Please use CAST instead"),
            Deprecated::Assignment => (
                errno::ER_WARN_DEPRECATED_SYNTAX,
                "Setting user variables within expressions is deprecated and will be removed in a future release. Consider alternatives: 'SET variable=expression, ...', or 'SELECT expression(s) INTO variables(s)'."
                    .into(),
            ),
            Deprecated::ValuesFunction => old(
                "'VALUES function'",
                "Please use an alias (INSERT INTO ... VALUES (...) AS alias) and replace VALUES(col) in the ON DUPLICATE KEY UPDATE clause with alias.col instead",
            ),
            Deprecated::CalcFoundRows => old(
                "SQL_CALC_FOUND_ROWS",
                "Consider using two separate queries instead.",
            ),
            Deprecated::NoCache => (errno::ER_WARN_DEPRECATED_SYNTAX_NO_REPLACEMENT, format!("'SQL_NO_CACHE' {LATER}")),
            Deprecated::Hint(errno, text) => (*errno, text.to_string()),
            Deprecated::SpacedName(name) if name.trim_ascii().is_empty() => {
                (errno::ER_NAME_BECOMES_EMPTY, format!("Name '{name}' has become ''"))
            }
            Deprecated::SpacedName(name) => {
                (errno::ER_REMOVED_SPACES, format!("Leading spaces are removed from name '{name}'"))
            }
            Deprecated::Ambiguous(name, place) => {
                (errno::ER_NON_UNIQ_ERROR, format!("Column '{name}' in {place} is ambiguous"))
            }
            Deprecated::JsonCompared(place) => (
                errno::ER_NOT_SUPPORTED_YET,
                format!(
                    "This version of MySQL doesn't yet support 'comparison of JSON {place}'"
                ),
            ),
            Deprecated::FoundRows => old("FOUND_ROWS()", "Consider using COUNT(*) instead."),
        }
    }
}
