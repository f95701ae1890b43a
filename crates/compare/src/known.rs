//! Differences that are known, as data: what they look like, who is as MySQL 8.0 documents it, and why.
//!
//! A row here hides findings, so it names as little as it can: words that the smallest failing statement must have, the kind of
//! the difference, and words of an error message. docs/compatibility.md is made from this table.

use crate::judge::Kind;

/// Who does as MySQL 8.0's manual says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    Weir,
    /// The manual leaves it open.
    Either,
    /// A difference of Weir that is not repaired yet.
    Other,
}

#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub what: &'static str,
    /// Any of these.
    pub kinds: &'static [Kind],
    /// All of these in the statement.
    pub words: &'static [&'static str],
    /// In one of the two answers; empty: whatever they say.
    pub answer: &'static str,
    pub right: Right,
    pub why: &'static str,
}

pub const KNOWN: &[Known] = &[];

impl Known {
    fn covers(&self, kind: Kind, statement: &str, answers: [&str; 2]) -> bool {
        self.kinds.contains(&kind)
            && self.words.iter().all(|w| statement.contains(w))
            && (self.answer.is_empty() || answers.iter().any(|a| a.contains(self.answer)))
    }
}

/// The row that explains a difference.
pub fn explain(kind: Kind, statement: &str, answers: [&str; 2]) -> Option<&'static Known> {
    KNOWN.iter().find(|k| k.covers(kind, statement, answers))
}
