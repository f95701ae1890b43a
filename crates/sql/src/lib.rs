//! Weir: sql.

pub mod ast;
pub mod func;
pub mod lex;
pub mod parse;
pub mod value;
