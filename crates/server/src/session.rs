//! What the server needs of the layers below it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use weir_sql::account::Accounts;
use weir_sql::session_api::{
    ConnInfo, ParamValue, PreparedInfo, QueryEnd, ResultSink, Sessions, SqlError,
};
use weir_sql::status::Status;
use weir_sql::vars::GlobalVars;

/// One opened database, as the server sees it.
pub trait Instance: Send + Sync + 'static {
    type Session: SessionLike;

    /// Called on the connection's thread after the login.
    fn open_session(&self, who: ConnInfo) -> Self::Session;
    /// Runs a session's future on this thread until it is done.
    fn block_on<F: Future + Send>(&self, future: F) -> F::Output;
    fn accounts(&self) -> &Arc<Accounts>;
    fn vars(&self) -> &Arc<GlobalVars>;
    fn status(&self) -> &Arc<Status>;
    /// The server's sessions, for SHOW PROCESSLIST and KILL; called once before the first session.
    fn set_sessions(&self, sessions: Arc<dyn Sessions>);
    /// Everything is closed; makes what is in memory durable and stops the engine.
    fn shutdown(&self) -> Result<(), String>;
}

/// How long the server waits for a client in this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the next command (`wait_timeout`).
    pub idle: Duration,
    /// For the rest of a packet (`net_read_timeout`).
    pub read: Duration,
    /// For a client to take its answer (`net_write_timeout`).
    pub write: Duration,
}

/// One session, driven by one connection's thread.
pub trait SessionLike: Send {
    /// Executes one statement from the front of `sql`. Without `multi_statements`, text after the
    /// first `;` is a syntax error and nothing is executed.
    fn query(
        &mut self,
        sql: &[u8],
        sink: &mut dyn ResultSink,
    ) -> impl Future<Output = QueryEnd> + Send;
    fn prepare(
        &mut self,
        sql: &[u8],
    ) -> impl Future<Output = Result<PreparedInfo, SqlError>> + Send;
    fn execute(
        &mut self,
        id: u32,
        params: &[ParamValue],
        sink: &mut dyn ResultSink,
    ) -> impl Future<Output = Result<(), SqlError>> + Send;
    fn close_statement(&mut self, id: u32);
    /// COM_RESET_CONNECTION.
    fn reset(&mut self) -> impl Future<Output = Result<(), SqlError>> + Send;
    /// COM_CHANGE_USER, after the password was checked: as if opened anew.
    fn change_user(&mut self, who: ConnInfo) -> impl Future<Output = Result<(), SqlError>> + Send;
    fn init_db(&mut self, name: &str) -> impl Future<Output = Result<(), SqlError>> + Send;
    /// COM_SET_OPTION.
    fn set_multi_statements(&mut self, on: bool);
    /// (in a transaction, autocommit)
    fn status_flags(&self) -> (bool, bool);
    fn timeouts(&self) -> Timeouts;
    /// The default database, empty for none.
    fn database(&self) -> &str;
    /// Rolls back and lets go of everything.
    fn close(self) -> impl Future<Output = ()> + Send;
}
