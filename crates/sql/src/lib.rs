//! Weir: sql.

pub mod admin;
pub mod account;
pub mod ast;
pub mod ddl;
pub mod errno;
pub mod lex;
pub mod meta;
pub mod parse;
pub mod session_api;
pub mod value;
pub mod status;
pub mod vars;
