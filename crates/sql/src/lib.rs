//! Weir: sql.

pub mod ast;
pub mod errno;
pub mod lex;
pub mod session_api;
pub mod value;
