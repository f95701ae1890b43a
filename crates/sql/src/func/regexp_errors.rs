//! What is wrong with a regular expression, by the numbers that MySQL gives the errors of its library.

use crate::errno;
use crate::value::ValueError;
use fancy_regex::{CompileError, Error, ParseError, RuntimeError};

/// Words of the library's messages for what its types do not tell apart.
const WORDS: [(&str, u16); 14] = [
    ("end of string not reached", errno::ER_REGEXP_MISMATCHED_PAREN),
    ("unclosed group", errno::ER_REGEXP_MISMATCHED_PAREN),
    ("unopened group", errno::ER_REGEXP_MISMATCHED_PAREN),
    ("parenthesis", errno::ER_REGEXP_MISMATCHED_PAREN),
    ("unclosed character class", errno::ER_REGEXP_MISSING_CLOSE_BRACKET),
    ("unclosed open bracket", errno::ER_REGEXP_MISSING_CLOSE_BRACKET),
    ("invalid character class range", errno::ER_REGEXP_INVALID_RANGE),
    ("unclosed counted repetition", errno::ER_REGEXP_BAD_INTERVAL),
    ("decimal literal", errno::ER_REGEXP_BAD_INTERVAL),
    ("invalid repetition count range", errno::ER_REGEXP_MAX_LT_MIN),
    ("escape", errno::ER_REGEXP_BAD_ESCAPE_SEQUENCE),
    ("incomplete", errno::ER_REGEXP_BAD_ESCAPE_SEQUENCE),
    ("size limit", errno::ER_REGEXP_PATTERN_TOO_BIG),
    ("building NFA", errno::ER_REGEXP_PATTERN_TOO_BIG),
];

/// 3700.
pub fn too_big() -> ValueError {
    numbered(errno::ER_REGEXP_PATTERN_TOO_BIG)
}

pub fn numbered(errno: u16) -> ValueError {
    ValueError::of(errno, &[])
}

/// 3688.
pub fn syntax(at: usize) -> ValueError {
    ValueError::of(errno::ER_REGEXP_RULE_SYNTAX, &[&"1", &at])
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
        Error::RuntimeError(RuntimeError::StackOverflow) => {
            ValueError::of(errno::ER_REGEXP_STACK_OVERFLOW, &[])
        }
        Error::RuntimeError(_) => ValueError::of(errno::ER_REGEXP_TIME_OUT, &[]),
        Error::ParseError(_, parse) => match parse {
            ParseError::UnclosedOpenParen => numbered(errno::ER_REGEXP_MISMATCHED_PAREN),
            ParseError::InvalidClass => numbered(errno::ER_REGEXP_MISSING_CLOSE_BRACKET),
            ParseError::InvalidBackref | ParseError::InvalidGroupNameBackref(_) => {
                numbered(errno::ER_REGEXP_INVALID_BACK_REF)
            }
            ParseError::TrailingBackslash
            | ParseError::InvalidEscape(_)
            | ParseError::InvalidHex
            | ParseError::InvalidCodepointValue
            | ParseError::UnclosedUnicodeName => numbered(errno::ER_REGEXP_BAD_ESCAPE_SEQUENCE),
            ParseError::RecursionExceeded => numbered(errno::ER_REGEXP_PATTERN_TOO_BIG),
            _ => other(),
        },
        Error::CompileError(compile) => match &**compile {
            CompileError::LookBehindNotConst => numbered(errno::ER_REGEXP_LOOK_BEHIND_LIMIT),
            CompileError::InvalidBackref(_)
            | CompileError::InvalidGroupNameBackref(_)
            | CompileError::NamedBackrefOnly => numbered(errno::ER_REGEXP_INVALID_BACK_REF),
            CompileError::PatternTooComplex | CompileError::NeverEndingRecursion => {
                numbered(errno::ER_REGEXP_PATTERN_TOO_BIG)
            }
            CompileError::FeatureNotYetSupported(_) => numbered(errno::ER_REGEXP_UNIMPLEMENTED),
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
