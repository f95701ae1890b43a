//! The engine's errors in MySQL's numbers, for statements of this room.

use super::refused::duplicate_key_name;
use super::table_exists;
use crate::errno;
use crate::meta::cache::no_such_table;
use crate::session_api::SqlError;
use weir_engine::Error;

/// An engine error as the client sees it.
pub fn engine_error(error: Error) -> SqlError {
    match error {
        Error::DuplicateKey { table, index_name, .. } => SqlError::new(
            errno::ER_DUP_ENTRY,
            format!("Duplicate entry for key '{table}.{index_name}'"),
        ),
        Error::LockWaitTimeout => SqlError::of(errno::ER_LOCK_WAIT_TIMEOUT, &[]),
        Error::Deadlock => SqlError::of(errno::ER_LOCK_DEADLOCK, &[]),
        Error::LockTableFull => SqlError::of(errno::ER_LOCK_TABLE_FULL, &[]),
        Error::LockNotAvailable => SqlError::of(errno::ER_LOCK_NOWAIT, &[]),
        Error::XidKnown => SqlError::of(errno::ER_XAER_DUPID, &[]),
        Error::TooManyTransactions { .. } => SqlError::of(errno::ER_TOO_MANY_CONCURRENT_TRXS, &[]),
        Error::AutoIncrementExhausted => SqlError::of(errno::ER_AUTOINC_READ_FAILED, &[]),
        Error::Owner(text) => SqlError::internal(text),
        Error::Interrupted => SqlError::interrupted(),
        Error::NoSuchSchema(name) => SqlError::unknown_database(&name),
        Error::SchemaExists(name) => super::refused::database_exists(&name),
        Error::NoSuchTable { schema, name } => no_such_table(&schema, &name),
        Error::TableExists { name, .. } => table_exists(&name),
        Error::NoSuchIndex { index, .. } => super::refused::cannot_drop(&index),
        Error::IndexExists { index, .. } => duplicate_key_name(&index),
        Error::TableChanged { .. } | Error::SnapshotTooOld { .. } => {
            SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[])
        }
        Error::RowTooLarge { max, .. } => SqlError::new(
            errno::ER_TOO_BIG_ROWSIZE,
            format!(
                "Row size too large (> {max}). Changing some columns to TEXT or BLOB may help. In \
                 current row format, BLOB prefix of 0 bytes is stored inline."
            ),
        ),
        Error::RowLogFull { index } => SqlError::of(errno::ER_INNODB_ONLINE_LOG_TOO_BIG, &[&index]),
        Error::KeyTooLong { max, .. } => SqlError::of(errno::ER_TOO_LONG_KEY, &[&max]),
        Error::DiskFull { file } => SqlError::of(errno::ER_RECORD_FILE_FULL, &[&file]),
        Error::ReadOnlyTransaction => {
            SqlError::of(errno::ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, &[])
        }
        Error::Corrupt { what, place } => SqlError::new(
            errno::ER_NOT_KEYFILE,
            format!("Incorrect key file for table '{place}'; try to repair it: {what}"),
        ),
        Error::Io { what } => {
            SqlError::new(errno::ER_GET_ERRNO, format!("Got error from storage engine: {what}"))
        }
        Error::TableDamaged { schema, name, missing: true, why } => SqlError::new(
            errno::ER_TABLESPACE_MISSING,
            format!("Tablespace is missing for table `{schema}`.`{name}`: {why}"),
        ),
        Error::TableDamaged { schema, name, missing: false, why } => SqlError::new(
            errno::ER_TABLE_CORRUPT,
            format!(
                "Operation cannot be performed. The table '{schema}.{name}' is missing, corrupt or contains bad data: {why}"
            ),
        ),
        Error::ForcedRecovery { level } => SqlError::new(
            errno::ER_INNODB_FORCED_RECOVERY,
            format!("Operation not allowed when innodb_force_recovery > 0. It is {level}."),
        ),
        Error::Unsupported(what) => SqlError::not_supported(what),
        Error::ShuttingDown => SqlError::of(errno::ER_SERVER_SHUTDOWN, &[]),
    }
}
