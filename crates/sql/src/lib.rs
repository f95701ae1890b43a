//! Weir's SQL: text to answer. Lexer, parser, binder, planner, executor, sessions, and the
//! definition and listing statements around them. Knows no sockets: see [`session_api`].

pub mod account;
pub mod admin;
pub mod ast;
pub mod ddl;
pub mod errno;
pub mod func;
pub mod infoschema;
pub mod lex;
pub mod memory;
pub mod meta;
pub mod parse;
pub mod planted;
pub mod query;
pub mod rights;
pub mod session;
pub mod session_api;
pub mod show;
pub mod status;
pub mod value;
pub mod vars;
