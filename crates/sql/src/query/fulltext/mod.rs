//! MATCH ... AGAINST: InnoDB's full-text search, evaluated by reading the table.
//!
//! There is no inverted index: a FULLTEXT key is a definition ([`crate::meta::SpecialKey`]). A MATCH is a subquery that reads the key's
//! columns of the whole table once for each statement, before the expression that needs it, and keeps what the rows that the question
//! finds are worth ([`Ranks`]). `words` makes words of texts, `question` a tree of the text of AGAINST, `terms` numbers of both, `rank` the
//! sums; `bind` is where names become all this, `run` where it is read. An index that row writers maintain would take the place of `run`.
//!
//! May use the binder, plans and the runner of this room's parent; the four that compute use values and collations only, read no rows and
//! know no session.
//!
//! Invariants:
//! - What a row is worth depends on the text of its columns, on the question and on the other rows at the statement's snapshot: rows are
//!   known by a hash of 128 bits of their texts, so that a rank is found from wherever the row is held. A text that was in no row of the
//!   snapshot is worth nothing.
//! - The table is read under the statement's read view, before its first change.
//! - The map, and what it is made from, are charged to the session; each row that is read looks whether the statement is to end.

mod bind;
mod question;
mod rank;
mod run;
mod terms;
#[cfg(test)]
mod tests;
mod words;

pub use bind::by_relevance;
pub use run::{Gathering, Ranks};

use super::expr::BExpr;
use crate::value::Collation;

/// A MATCH as it is planned, beside the query that reads its columns.
#[derive(Clone, Debug)]
pub struct Matching {
    pub against: BExpr,
    pub boolean: bool,
    /// WITH QUERY EXPANSION.
    pub expands: bool,
    pub collation: Collation,
    /// The key has the parser of pieces.
    pub ngram: bool,
    /// The table's place in the statement and the columns, in the key's order: two searches with the same of all are one.
    pub place: (u8, u16),
    pub columns: Vec<usize>,
}
