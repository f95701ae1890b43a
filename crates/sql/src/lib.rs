//! Weir: sql.

pub mod account;
pub mod ast;
pub mod errno;
pub mod func;
pub mod lex;
pub mod parse;
pub mod session_api;
pub mod status;
pub mod value;
pub mod vars;
