//! Weir: sql.

pub mod ast;
