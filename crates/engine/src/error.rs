//! The engine's one error type.

use crate::ids::{Lsn, PageId};
use std::fmt;
use std::sync::Arc;
use weir_disk::DiskError;

/// The result of everything in the engine that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// Takes a line for the error log.
pub type LogFn = Arc<dyn Fn(&str) + Send + Sync>;

/// Why a call has failed.
#[derive(Clone, Debug)]
pub enum Error {
    /// A unique index has the entry already.
    DuplicateKey {
        /// The table's name.
        table: String,
        /// The position of the index among those of its table; 0 is the key of the table.
        index: usize,
        /// The name of the index.
        index_name: String,
        /// The clustered key of the row in the way, which the transaction has locked.
        key: Vec<u8>,
        /// The row that has the values twice, in full; of definition statements, whose caller has no row in hand.
        row: Option<Vec<u8>>,
    },
    /// The statement waited longer than its limit; only the statement is to be rolled back.
    LockWaitTimeout,
    /// Chosen as a deadlock's victim; the engine has rolled the whole transaction back.
    Deadlock,
    /// There are more row locks than there may be; the engine has rolled the whole transaction back.
    LockTableFull,
    /// A distributed transaction of this name is known already.
    XidKnown,
    /// NOWAIT met a lock.
    LockNotAvailable,
    /// The operation's switch was thrown: KILL, or a limit of its owner's.
    Interrupted,
    /// There is no schema of this name.
    NoSuchSchema(String),
    /// There is a schema of this name already.
    SchemaExists(String),
    /// There is no table of this name.
    NoSuchTable {
        /// The schema's name.
        schema: String,
        /// The table's name.
        name: String,
    },
    /// There is a table of this name already.
    TableExists {
        /// The schema's name.
        schema: String,
        /// The table's name.
        name: String,
    },
    /// The table has no index of this name.
    NoSuchIndex {
        /// The table's name.
        table: String,
        /// The name of the index.
        index: String,
    },
    /// The table has an index of this name already.
    IndexExists {
        /// The table's name.
        table: String,
        /// The name of the index.
        index: String,
    },
    /// The table handle is of an older definition: look it up again.
    TableChanged {
        /// The table's name.
        table: String,
    },
    /// The transaction's snapshot is older than the table's definition, so it can never read the table.
    SnapshotTooOld {
        /// The table's name.
        table: String,
    },
    /// The row has no place in a page, even with its long columns elsewhere.
    RowTooLarge {
        /// Bytes that it would take.
        len: usize,
        /// Bytes that it may take.
        max: usize,
    },
    /// The entry is longer than those of an index may be.
    KeyTooLong {
        /// Bytes that it has.
        len: usize,
        /// Bytes that it may have.
        max: usize,
    },
    /// More was changed beside the build of an index than `innodb_online_alter_log_max_size` lets it remember.
    RowLogFull {
        /// The name of the index.
        index: String,
    },
    /// The device has no room left.
    DiskFull {
        /// The file, or the table whose rows found no room.
        file: String,
    },
    /// A transaction that only reads was asked to write.
    ReadOnlyTransaction,
    /// More transactions write than there are places for.
    TooManyTransactions {
        /// How many may write.
        max: usize,
    },
    /// The counter of an AUTO_INCREMENT column has reached its end.
    AutoIncrementExhausted,
    /// What is on the device is not what was written there.
    Corrupt {
        /// What is wrong.
        what: String,
        /// The page, the file, or the place in the log.
        place: String,
    },
    /// The device or the system has failed. After a failed write of the log the database can only be opened again.
    Io {
        /// What has failed, and why.
        what: String,
    },
    /// The table's file is missing or not what it should be: nothing but DROP is done with the table.
    TableDamaged {
        /// The schema's name.
        schema: String,
        /// The table's name.
        name: String,
        /// Whether the file is missing.
        missing: bool,
        /// What is wrong with it.
        why: String,
    },
    /// Not while the engine runs with this level of `innodb_force_recovery`.
    ForcedRecovery {
        /// The level.
        level: u8,
    },
    /// The call cannot be made, for the reason that the text gives.
    Unsupported(String),
    /// The caller's own error, carried through a callback.
    Owner(String),
    /// The database is being closed.
    ShuttingDown,
}

impl Error {
    #[doc(hidden)]
    pub fn corrupt_page(id: PageId, file: &str, what: impl fmt::Display) -> Error {
        Error::Corrupt { what: what.to_string(), place: format!("{id} of file '{file}'") }
    }

    /// The same about a table: a full device is reported with the name of the table whose rows found no room, whichever file wanted to grow.
    #[doc(hidden)]
    pub fn about(self, table: &str) -> Error {
        match self {
            Error::DiskFull { .. } => Error::DiskFull { file: table.into() },
            other => other,
        }
    }

    #[doc(hidden)]
    pub fn corrupt_log(at: Lsn, what: impl fmt::Display) -> Error {
        Error::Corrupt { what: what.to_string(), place: format!("redo log at LSN {at}") }
    }
}

impl From<DiskError> for Error {
    fn from(e: DiskError) -> Error {
        if e.is_full() {
            Error::DiskFull { file: e.path.to_string() }
        } else {
            Error::Io { what: e.to_string() }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::DuplicateKey { table, index_name, .. } => {
                write!(f, "duplicate entry in unique index {table}.{index_name}")
            }
            Error::LockWaitTimeout => {
                f.write_str("lock wait timeout exceeded; try restarting transaction")
            }
            Error::Deadlock => {
                f.write_str("deadlock found when trying to get lock; try restarting transaction")
            }
            Error::LockTableFull => f.write_str("there are more row locks than there may be"),
            Error::LockNotAvailable => {
                f.write_str("lock held by another transaction and NOWAIT is set")
            }
            Error::Interrupted => f.write_str("execution was interrupted"),
            Error::NoSuchSchema(s) => write!(f, "unknown database '{s}'"),
            Error::SchemaExists(s) => write!(f, "database '{s}' exists"),
            Error::NoSuchTable { schema, name } => {
                write!(f, "table '{schema}.{name}' does not exist")
            }
            Error::TableExists { schema, name } => {
                write!(f, "table '{schema}.{name}' already exists")
            }
            Error::NoSuchIndex { table, index } => {
                write!(f, "no index '{index}' in table '{table}'")
            }
            Error::IndexExists { table, index } => {
                write!(f, "index '{index}' exists in table '{table}'")
            }
            Error::TableChanged { table } => write!(f, "definition of table '{table}' has changed"),
            Error::SnapshotTooOld { table } => write!(
                f,
                "the transaction's snapshot is older than the definition of table '{table}'; end the transaction and begin another"
            ),
            Error::RowTooLarge { len, max } => {
                write!(
                    f,
                    "row of {len} bytes is larger than the {max} bytes that a page can hold; move long columns to BLOB or TEXT"
                )
            }
            Error::RowLogFull { index } => row_log_full(f, index),
            Error::KeyTooLong { len, max } => {
                write!(
                    f,
                    "index entry of {len} bytes is longer than the limit of {max} bytes for this page size"
                )
            }
            Error::XidKnown => f.write_str("a distributed transaction of this name exists already"),
            Error::DiskFull { file } => write!(f, "no space left on device for '{file}'"),
            Error::ReadOnlyTransaction => f.write_str("cannot write in a READ ONLY transaction"),
            Error::TooManyTransactions { max } => {
                write!(f, "more than {max} writing transactions at once")
            }
            Error::AutoIncrementExhausted => {
                f.write_str("the auto-increment counter has reached its end")
            }
            Error::Corrupt { what, place } => write!(f, "damage found in {place}: {what}"),
            Error::Io { what } => f.write_str(what),
            Error::TableDamaged { schema, name, why, .. } => {
                write!(f, "table '{schema}.{name}' is damaged and not used: {why}")
            }
            Error::ForcedRecovery { level } => {
                write!(f, "not while innodb_force_recovery is {level}; start without it")
            }
            Error::Unsupported(s) => f.write_str(s),
            Error::Owner(s) => f.write_str(s),
            Error::ShuttingDown => f.write_str("the engine is shutting down"),
        }
    }
}

impl std::error::Error for Error {}

fn row_log_full(f: &mut fmt::Formatter<'_>, index: &str) -> fmt::Result {
    write!(
        f,
        "creating index '{index}' required more than 'innodb_online_alter_log_max_size' bytes of modification log; try again, with a larger one or with LOCK=SHARED"
    )
}
