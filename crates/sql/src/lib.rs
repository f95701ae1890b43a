//! Weir: sql.

pub mod account;
pub mod ast;
pub mod errno;
pub mod lex;
pub mod session_api;
pub mod status;
pub mod vars;
