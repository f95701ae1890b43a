//! What is wrong with a regular expression, by the numbers that MySQL gives the errors of its library.

use crate::value::ValueError;
use fancy_regex::{CompileError, Error, ParseError, RuntimeError};

/// Numbers and texts of MySQL.
const TEXTS: [(u16, &str); 13] = [
    (3685, "Illegal argument to a regular expression."),
    (3686, "Index out of bounds in regular expression search."),
    (3887, "A capture group has an invalid name."),
    (3689, "Unrecognized escape sequence in regular expression."),
    (
        3690,
        "The regular expression contains a feature that is not implemented in this library version.",
    ),
    (3691, "Mismatched parenthesis in regular expression."),
    (3692, "Incorrect description of a {min,max} interval."),
    (3693, "The maximum is less than the minumum in a {min,max} interval."),
    (3694, "Invalid back-reference in regular expression."),
    (3695, "The look-behind assertion exceeds the limit in regular expression."),
    (3696, "The regular expression contains an unclosed bracket expression."),
    (3697, "The regular expression contains an [x-y] character range where x comes after y."),
    (3700, "The regular expression pattern exceeds limits on size or complexity."),
];

/// Words of the library's messages for what its types do not tell apart.
const WORDS: [(&str, u16); 14] = [
    ("end of string not reached", 3691),
    ("unclosed group", 3691),
    ("unopened group", 3691),
    ("parenthesis", 3691),
    ("unclosed character class", 3696),
    ("unclosed open bracket", 3696),
    ("invalid character class range", 3697),
    ("unclosed counted repetition", 3692),
    ("decimal literal", 3692),
    ("invalid repetition count range", 3693),
    ("escape", 3689),
    ("incomplete", 3689),
    ("size limit", 3700),
    ("building NFA", 3700),
];

/// 3700.
pub fn too_big() -> ValueError {
    numbered(3700)
}

pub fn numbered(errno: u16) -> ValueError {
    let text = TEXTS.iter().find(|(n, _)| *n == errno).map_or("", |(_, text)| text);
    ValueError::new(errno, "HY000", text.into())
}

/// 3688.
pub fn syntax(at: usize) -> ValueError {
    let text = format!("Syntax error in regular expression on line 1, character {at}.");
    ValueError::new(3688, "HY000", text)
}

fn by_words(message: &str, at: usize) -> ValueError {
    let known = WORDS.iter().find(|(words, _)| message.contains(words));
    known.map_or_else(|| syntax(at), |(_, errno)| numbered(*errno))
}

/// The first sign of repetition that has nothing to repeat, counted from 1; else the last character.
fn place(pattern: &str) -> usize {
    let mut before = '(';
    for (n, c) in pattern.chars().enumerate() {
        if matches!(c, '*' | '+' | '?' | '{') && matches!(before, '(' | '|') {
            return n + 1;
        }
        before = if before == '\\' { ' ' } else { c };
    }
    pattern.chars().count().max(1)
}

/// The error of a pattern, or of a match that took too many steps (3699) or too much room (3698).
pub fn failure(e: &Error, pattern: &str) -> ValueError {
    let other = || by_words(&e.to_string(), place(pattern));
    match e {
        Error::RuntimeError(RuntimeError::StackOverflow) => ValueError::new(
            3698,
            "HY000",
            "Overflow in the regular expression backtrack stack.".into(),
        ),
        Error::RuntimeError(_) => {
            ValueError::new(3699, "HY000", "Timeout exceeded in regular expression match.".into())
        }
        Error::ParseError(_, parse) => match parse {
            ParseError::UnclosedOpenParen => numbered(3691),
            ParseError::InvalidClass => numbered(3696),
            ParseError::InvalidBackref | ParseError::InvalidGroupNameBackref(_) => numbered(3694),
            ParseError::TrailingBackslash
            | ParseError::InvalidEscape(_)
            | ParseError::InvalidHex
            | ParseError::InvalidCodepointValue
            | ParseError::UnclosedUnicodeName => numbered(3689),
            ParseError::RecursionExceeded => numbered(3700),
            _ => other(),
        },
        Error::CompileError(compile) => match &**compile {
            CompileError::LookBehindNotConst => numbered(3695),
            CompileError::InvalidBackref(_)
            | CompileError::InvalidGroupNameBackref(_)
            | CompileError::NamedBackrefOnly => numbered(3694),
            CompileError::PatternTooComplex | CompileError::NeverEndingRecursion => numbered(3700),
            CompileError::FeatureNotYetSupported(_) => numbered(3690),
            // The whole of what went wrong is in the sources of the library's error.
            CompileError::InnerError(inner) => {
                let mut text = inner.to_string();
                let mut source = std::error::Error::source(inner);
                while let Some(s) = source {
                    text = format!("{text}: {s}");
                    source = s.source();
                }
                by_words(&text, place(pattern))
            }
            _ => other(),
        },
        _ => other(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn numbers_are_those_of_mysql() {
        let errno =
            |pattern: &str| call("REGEXP_LIKE", &[s("a"), s(pattern)]).err().map_or(0, |e| e.errno);
        let cases = [
            ("(", 3691),
            ("(a", 3691),
            ("a)", 3691),
            ("[a", 3696),
            ("[b-a]", 3697),
            ("*", 3688),
            ("+a", 3688),
            ("(a)\\2", 3694),
            ("\\", 3689),
            ("(?:(?:a{1000}){1000}){1000}", 3700),
            (&"a?".repeat(40_000), 3700),
        ];
        let short = |p: &str| p.chars().take(40).collect::<String>();
        let wrong = cases.iter().filter(|(p, want)| errno(p) != *want);
        let wrong: Vec<_> = wrong.map(|(p, want)| (short(p), errno(p), want)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
