//! How an execution ended, and why it failed.

use crate::ddl::engine_error::engine_error;
use crate::ddl::refused::value_error;
use crate::memory::{Account, Held, row_bytes};
use crate::session_api::SqlError;
use crate::value::{Value, ValueError};
use weir_engine::Error as EngineError;

/// How an execution ended.
#[derive(Default)]
pub struct Outcome {
    pub affected: u64,
    /// First generated AUTO_INCREMENT value; 0: none.
    pub last_insert_id: u64,
    /// Last value that an INSERT gave its AUTO_INCREMENT column itself: told to the client when none was generated,
    /// and no concern of LAST_INSERT_ID().
    pub explicit_id: u64,
    /// `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub info: String,
    /// For FOUND_ROWS().
    pub found_rows: u64,
    /// Rows were sent: the answer ends with `end_rows`.
    pub sent_rows: bool,
    /// SELECT ... INTO variables of a stored program: slots and their values.
    pub into: Vec<(u32, Value<'static>)>,
    /// The rows, where they are collected.
    pub rows: Option<KeptRows>,
}

/// Why an execution failed.
#[derive(Debug)]
pub enum RunError {
    /// The plan is of an older definition: make a new one and try again. Nothing was done or sent.
    Stale,
    /// The engine has rolled the whole transaction back.
    Deadlock(SqlError),
    /// The statement is to be rolled back.
    Sql(SqlError),
}

impl RunError {
    pub fn into_sql(self) -> SqlError {
        match self {
            RunError::Stale => engine_error(EngineError::TableChanged { table: String::new() }),
            RunError::Deadlock(e) | RunError::Sql(e) => e,
        }
    }
}

impl From<SqlError> for RunError {
    fn from(e: SqlError) -> RunError {
        RunError::Sql(e)
    }
}

impl From<ValueError> for RunError {
    fn from(e: ValueError) -> RunError {
        RunError::Sql(value_error(e))
    }
}

impl From<EngineError> for RunError {
    fn from(e: EngineError) -> RunError {
        match e {
            EngineError::TableChanged { .. } => RunError::Stale,
            EngineError::Deadlock | EngineError::LockTableFull => {
                RunError::Deadlock(engine_error(e))
            }
            other => RunError::Sql(engine_error(other)),
        }
    }
}

impl From<crate::session_api::SinkError> for RunError {
    fn from(e: crate::session_api::SinkError) -> RunError {
        RunError::Sql(e.into())
    }
}

pub type Run<T> = Result<T, RunError>;

/// Rows in memory, and what is charged for them.
#[derive(Default)]
pub struct KeptRows {
    pub rows: Vec<Row>,
    pub held: Held,
}

impl KeptRows {
    pub fn push(&mut self, row: Row, account: Account<'_>) -> Run<()> {
        self.held.grow(account, row_bytes(&row)).map_err(SqlError::from)?;
        self.rows.push(row);
        Ok(())
    }
}

pub type Row = Vec<Value<'static>>;
