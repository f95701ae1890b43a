//! What a statement that is not a query is given, what it answers, and the tables that are computed when they are read
//! (information_schema and its like), whose rows are made from the same surroundings.
//!
//! Below all rooms that run such statements (`ddl`, `infoschema`, `show`, `admin`); uses the definitions (`meta`), the accounts
//! and the variables, and runs nothing itself.

mod virtual_table;

pub use virtual_table::{BoxFuture, VirtualColumn, VirtualHint, VirtualTable};

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use weir_engine::{Db, DdlContext};
use weir_rt::Interrupt;

use crate::account::{Access, AccountName};
use crate::errno;
use crate::memory::ServerMemory;
use crate::meta::MetaCache;
use crate::session_api::{ConnInfo, Sessions, SqlError};
use crate::status::Status;
use crate::value::{Collation, SqlMode, SqlType, TimeZone, Value, Warnings};
use crate::vars::SessionVars;
use weir_syntax::ast::{Expr, UserSpec};

/// Evaluates the WHERE of SHOW over rows with named columns.
pub trait RowFilter: Send + Sync {
    /// Which of `rows` satisfy `expr`; one answer a row.
    fn matches(
        &self,
        expr: &Expr,
        columns: &[VirtualColumn],
        rows: &[Vec<Value<'static>>],
    ) -> Result<Vec<bool>, SqlError>;
}

/// Surroundings of an administrative statement.
pub struct AdminCtx<'a> {
    pub db: &'a Db,
    pub meta: &'a MetaCache,
    /// Default schema.
    pub schema: Option<String>,
    pub mode: SqlMode,
    pub tz: TimeZone,
    /// Statement time, microseconds since 1970 UTC.
    pub now_micros: i64,
    /// `collation_connection`.
    pub collation: Collation,
    pub warnings: &'a mut Warnings,
    /// The warnings of the statement before, for SHOW WARNINGS.
    pub last_warnings: &'a Warnings,
    pub vars: &'a SessionVars,
    pub status: &'a Status,
    pub memory: &'a ServerMemory,
    /// When the server started, microseconds since 1970 UTC.
    pub started_micros: i64,
    /// Rights of the session's account.
    pub access: &'a mut Access,
    /// Who is connected.
    pub conn: &'a ConnInfo,
    pub sessions: &'a dyn Sessions,
    pub filter: &'a dyn RowFilter,
    /// How long DDL waits for users of the table (`lock_wait_timeout`).
    pub lock_timeout: Duration,
    pub interrupt: Arc<Interrupt>,
}

impl AdminCtx<'_> {
    /// The schema a name without one is in: the given one, else the default, else 1046.
    pub fn schema_of<'s>(&'s self, given: Option<&'s str>) -> Result<&'s str, SqlError> {
        given.or(self.schema.as_deref()).ok_or_else(SqlError::no_database)
    }

    /// The account that a statement names.
    pub fn account(&self, u: &UserSpec) -> AccountName {
        match u {
            UserSpec::CurrentUser => {
                AccountName::new(&self.conn.account_user, &self.conn.account_host)
            }
            UserSpec::Name { user, host } => AccountName::new(user, host.as_deref().unwrap_or("%")),
        }
    }

    /// How the engine's DDL is to wait.
    pub fn ddl(&self) -> DdlContext {
        DdlContext { lock_timeout: self.lock_timeout, interrupt: self.interrupt.clone() }
    }
}

/// A small result set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShowResult {
    pub columns: Vec<VirtualColumn>,
    pub rows: Vec<Vec<Value<'static>>>,
}

impl ShowResult {
    pub fn new(columns: Vec<VirtualColumn>) -> ShowResult {
        ShowResult { columns, rows: Vec::new() }
    }
}

/// How an administrative statement ended.
#[derive(Debug, Clone, PartialEq)]
pub enum AdminResult {
    Ok { affected: u64, info: String },
    Rows(ShowResult),
}

impl AdminResult {
    /// OK without a count.
    pub const fn ok() -> AdminResult {
        AdminResult::Ok { affected: 0, info: String::new() }
    }
}

impl VirtualColumn {
    /// A nullable column.
    pub const fn new(name: &'static str, ty: SqlType) -> VirtualColumn {
        VirtualColumn { name: Cow::Borrowed(name), ty, nullable: true }
    }
}

/// 1235 with a sentence of its own.
pub fn refused(what: impl Into<String>) -> SqlError {
    SqlError::new(errno::ER_NOT_SUPPORTED_YET, what)
}
