//! MySQL 8.0's statements as text, tokens and trees. Knows no tables, no values and no sessions; the rest of SQL stands on it.
//!
//! Rooms, from the ground: [`lex`] makes tokens of bytes, [`ast`] is what they mean and prints itself as SQL again, [`parse`]
//! goes from the one to the other and normalises statements for digests.
#![forbid(unsafe_code)]

pub mod ast;
pub mod lex;
pub mod parse;
