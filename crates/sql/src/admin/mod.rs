//! Statements that are not queries: definitions, SHOW, accounts, table maintenance.
//!
//! The executor hands a statement to [`run_admin`] with what it needs of the session. Names used
//! here: `ddl` changes tables, `show` and `infoschema` describe them, `users` keeps accounts.
//!
//! Invariants:
//! - The caller has committed the session's transaction before a statement for which
//!   [`commits_first`] holds; nothing in here opens one that outlives the statement.
//! - What is not supported is refused (1235); nothing is accepted and ignored silently.

pub mod context;

pub use context::{AdminCtx, AdminResult, RowFilter, ShowResult};
