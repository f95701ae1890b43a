//! Differences that are known, as data: what they look like, who is as MySQL 8.0 documents it, and why.
//!
//! A row here hides findings, so it names as little as it can: words that the smallest failing statement must have, the kind of
//! the difference, and words of the answers. docs/compatibility.md is made from these tables.

mod refused;
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

/// All of them, in the order in which they are asked.
pub fn known() -> impl Iterator<Item = &'static Known> {
    refused::ROWS.iter().chain(values::ROWS)
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
pub fn explain(kind: Kind, statement: &str, answers: [&str; 2]) -> Option<&'static Known> {
    known().find(|k| k.covers(kind, statement, answers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
    const BEGIN: &str = "<!-- differences: begin -->\n";
    const END: &str = "<!-- differences: end -->";

    /// `WEIR_WRITE_DOCS=1` writes the section anew.
    #[test]
    fn the_document_lists_them() {
        let mut want = String::from("| what | who does as MySQL | why |\n|---|---|---|\n");
        for k in known() {
            let _ = writeln!(want, "| {} | {} | {} |", k.what, k.right.name(), k.why);
        }
        let text = std::fs::read_to_string(DOCUMENT).unwrap();
        let (head, rest) = text.split_once(BEGIN).expect("the section begins");
        let (found, tail) = rest.split_once(END).expect("the section ends");
        if std::env::var_os("WEIR_WRITE_DOCS").is_some() {
            std::fs::write(DOCUMENT, format!("{head}{BEGIN}{want}{END}{tail}")).unwrap();
            return;
        }
        assert_eq!(found, want, "WEIR_WRITE_DOCS=1 writes it anew");
    }

    #[test]
    fn a_row_hides_only_what_it_names() {
        let answers = ["error 1525: Incorrect DATE value: 'x'", "1 row"];
        assert!(explain(Kind::Refused, "SELECT 'x' = DATE'2024-01-01'", answers).is_some());
        assert!(explain(Kind::Rows, "SELECT 'x' = DATE'2024-01-01'", answers).is_none());
        let mirrored = [answers[1], answers[0]];
        assert!(explain(Kind::Refused, "SELECT 'x' = DATE'2024-01-01'", mirrored).is_none());
        let frame = "SELECT RANK() OVER (ROWS CURRENT ROW)";
        let refused = "error 4017: no frame";
        assert!(explain(Kind::Refused, frame, ["1 row", refused]).is_some());
        assert!(explain(Kind::Refused, frame, [refused, "1 row"]).is_none());
        assert!(explain(Kind::Refused, "SELECT 1", ["1 row", "error 1064: syntax"]).is_none());
        assert!(
            known().all(|k| !k.words.is_empty() || !k.any.is_empty() || k.answer.names_something())
        );
    }
}
