//! Weir: sql.

pub mod ast;
pub mod lex;
