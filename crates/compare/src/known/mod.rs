//! Differences that are known, as data: what they look like, who is as MySQL 8.0 documents it, and why.
//!
//! A row here hides findings, so it names as little as it can: words that the smallest failing statement must have, the kind of
//! the difference, and words of the answers. docs/compatibility.md is made from these tables.

mod conversions;
mod mysql;
mod refused;
mod strict;
#[cfg(test)]
mod tests;
mod values;

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

impl Right {
    pub fn name(self) -> &'static str {
        match self {
            Right::Weir => "Weir is right",
            Right::Either => "open",
            Right::Other => "**not Weir**",
        }
    }
}

/// Whose answer has the words: the mirror image of a known difference is a finding.
#[derive(Clone, Copy, Debug)]
pub enum Says {
    /// Whatever the two say.
    Anything,
    Weir(&'static str),
    /// The server that Weir is compared with.
    Other(&'static str),
    /// One of the two; only where either may be the one.
    Either(&'static str),
    /// The other server, one of these.
    OtherOf(&'static [&'static str]),
    WeirOf(&'static [&'static str]),
    /// Weir the first, the other server the second.
    Both(&'static str, &'static str),
    /// Weir refuses with an error of which the other server warns.
    Warned,
    /// The two differ in capital and small letters only.
    Spelling,
}

impl Says {
    /// `answers`: that of Weir and that of the other server.
    fn holds(self, answers: [&str; 2]) -> bool {
        match self {
            Says::Anything => true,
            Says::Weir(words) => answers[0].contains(words),
            Says::Other(words) => answers[1].contains(words),
            Says::Either(words) => answers.iter().any(|a| a.contains(words)),
            Says::OtherOf(words) => words.iter().any(|w| answers[1].contains(w)),
            Says::WeirOf(words) => words.iter().any(|w| answers[0].contains(w)),
            Says::Both(weir, other) => answers[0].contains(weir) && answers[1].contains(other),
            Says::Spelling => answers[0].to_lowercase() == answers[1].to_lowercase(),
            Says::Warned => {
                let refused = answers[0].strip_prefix("error ").and_then(|e| e.split_once(':'));
                refused.is_some_and(|(number, _)| answers[1].contains(&format!("[{number} ")))
            }
        }
    }

    #[cfg(test)]
    fn names_something(self) -> bool {
        !matches!(self, Says::Anything)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub what: &'static str,
    /// Any of these.
    pub kinds: &'static [Kind],
    /// All of these in the statement.
    pub words: &'static [&'static str],
    /// And one of these; none: whatever it has.
    pub any: &'static [&'static str],
    pub answer: Says,
    pub right: Right,
    pub why: &'static str,
}

/// Literals that MySQL takes for numbers where a number is wanted.
const HEX: &[&str] = &["x'41'", "0x41", "b'101'"];

const fn row(
    what: &'static str,
    kinds: &'static [Kind],
    words: &'static [&'static str],
    answer: Says,
    right: Right,
    why: &'static str,
) -> Known {
    Known { what, kinds, words, any: &[], answer, right, why }
}

/// Whom Weir is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    MariaDb,
    MySql,
}

impl Reference {
    /// By what `VERSION()` answers.
    pub fn by_version(version: &str) -> Reference {
        if version.contains("MariaDB") { Reference::MariaDb } else { Reference::MySql }
    }

    /// The rows that this server's answers are held against, in the order in which they are asked. What a row says that Weir does
    /// as MySQL and MariaDB does not cannot explain a difference from MySQL itself.
    pub fn known(self) -> impl Iterator<Item = &'static Known> {
        let of_mysql: &[Known] = if self == Reference::MySql { mysql::ROWS } else { &[] };
        let holds = move |k: &&Known| self == Reference::MariaDb || k.right != Right::Weir;
        of_mysql.iter().chain(of_mariadb().filter(holds))
    }
}

fn of_mariadb() -> impl Iterator<Item = &'static Known> {
    refused::ROWS.iter().chain(strict::ROWS).chain(values::ROWS).chain(conversions::ROWS)
}

/// All of them, as docs/compatibility.md has them.
#[cfg(test)]
pub fn known() -> impl Iterator<Item = &'static Known> {
    of_mariadb().chain(mysql::ROWS)
}

impl Known {
    const fn with_any(mut self, any: &'static [&'static str]) -> Known {
        self.any = any;
        self
    }

    fn covers(&self, kind: Kind, statement: &str, answers: [&str; 2]) -> bool {
        self.kinds.contains(&kind)
            && self.words.iter().all(|w| statement.contains(w))
            && (self.any.is_empty() || self.any.iter().any(|w| statement.contains(w)))
            && self.answer.holds(answers)
    }
}

/// The row that explains a difference. `answers`: that of Weir and that of the other server.
pub fn explain(
    kind: Kind,
    statement: &str,
    answers: [&str; 2],
    from: Reference,
) -> Option<&'static Known> {
    from.known().find(|k| k.covers(kind, statement, answers))
}
