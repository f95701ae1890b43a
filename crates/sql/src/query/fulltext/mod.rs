//! MATCH ... AGAINST: InnoDB's full-text search, evaluated by reading the table.
//!
//! There is no inverted index: a FULLTEXT key is a definition ([`crate::meta::SpecialKey`]). A MATCH is a subquery that reads the key's
//! columns of the whole table once for each statement, before the expression that needs it, and keeps what the rows that the question
//! finds are worth (`eval::ranks`). `words` makes words of texts, `question` a tree of the text of AGAINST, `terms` numbers of both, `rank` the
//! sums. Names become all this in `bind::matching`, and `exec::fulltext` reads the table; an index that row writers maintain would take the
//! place of the latter.
//!
//! `by_row` is the other way: MyISAM's search IN BOOLEAN MODE without a key, which looks at one row at a time and needs no sums.
//!
//! May use values and collations only: this room reads no rows and knows no session.
//!
//! Invariants:
//! - What a row is worth depends on the text of its columns, on the question and on the other rows at the statement's snapshot: rows are
//!   known by a hash of 128 bits of their texts, so that a rank is found from wherever the row is held. A text that was in no row of the
//!   snapshot is worth nothing.
//! - The table is read under the statement's read view, before its first change.
//! - The map, and what it is made from, are charged to the session; each row that is read looks whether the statement is to end.

pub mod by_row;
pub mod question;
pub mod rank;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod words;
