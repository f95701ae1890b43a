//! Errors that several kinds of definitions are refused with.

use crate::errno;
use crate::session_api::SqlError;
use crate::value::ValueError;

const MAX_NAME: usize = 64;

/// 1059: names have at most 64 characters.
pub fn check_length(name: &str) -> Result<(), SqlError> {
    if name.chars().count() > MAX_NAME {
        return Err(SqlError::of(errno::ER_TOO_LONG_IDENT, &[&name]));
    }
    Ok(())
}

/// 3106.
pub fn not_for_generated(what: &str) -> SqlError {
    SqlError::of(errno::ER_UNSUPPORTED_ACTION_ON_GENERATED_COLUMN, &[&what])
}

/// 1072.
pub fn no_such_column(name: &str) -> SqlError {
    SqlError::of(errno::ER_KEY_COLUMN_DOES_NOT_EXIST, &[&name])
}

/// 1060.
pub fn duplicate_column(name: &str) -> SqlError {
    SqlError::of(errno::ER_DUP_FIELDNAME, &[&name])
}

/// 1061.
pub fn duplicate_key_name(name: &str) -> SqlError {
    SqlError::of(errno::ER_DUP_KEYNAME, &[&name])
}

/// 1007.
pub fn database_exists(name: &str) -> SqlError {
    SqlError::of(errno::ER_DB_CREATE_EXISTS, &[&name])
}

/// 1091.
pub fn cannot_drop(name: &str) -> SqlError {
    SqlError::of(errno::ER_CANT_DROP_FIELD_OR_KEY, &[&name])
}

/// A value error as the client sees it.
pub fn value_error(error: ValueError) -> SqlError {
    SqlError::new(error.errno, error.message)
}
