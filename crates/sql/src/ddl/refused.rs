//! Errors that several kinds of definitions are refused with.

use crate::errno;
use crate::session_api::SqlError;
use crate::value::ValueError;

const MAX_NAME: usize = 64;

/// 1059: names have at most 64 characters.
pub fn check_length(name: &str) -> Result<(), SqlError> {
    if name.chars().count() > MAX_NAME {
        let text = format!("Identifier name '{name}' is too long");
        return Err(SqlError::new(errno::ER_TOO_LONG_IDENT, text));
    }
    Ok(())
}

/// 3106.
pub fn not_for_generated(what: &str) -> SqlError {
    SqlError::new(3106, format!("'{what}' is not supported for generated columns."))
}

/// 1072.
pub fn no_such_column(name: &str) -> SqlError {
    SqlError::new(
        errno::ER_KEY_COLUMN_DOES_NOT_EXIST,
        format!("Key column '{name}' doesn't exist in table"),
    )
}

/// 1060.
pub fn duplicate_column(name: &str) -> SqlError {
    SqlError::new(errno::ER_DUP_FIELDNAME, format!("Duplicate column name '{name}'"))
}

/// 1061.
pub fn duplicate_key_name(name: &str) -> SqlError {
    SqlError::new(errno::ER_DUP_KEYNAME, format!("Duplicate key name '{name}'"))
}

/// 1007.
pub fn database_exists(name: &str) -> SqlError {
    let text = format!("Can't create database '{name}'; database exists");
    SqlError::new(errno::ER_DB_CREATE_EXISTS, text)
}

/// 1091.
pub fn cannot_drop(name: &str) -> SqlError {
    SqlError::new(
        errno::ER_CANT_DROP_FIELD_OR_KEY,
        format!("Can't DROP '{name}'; check that column/key exists"),
    )
}

/// A value error as the client sees it.
pub fn value_error(error: ValueError) -> SqlError {
    let mut state = *b"HY000";
    if error.sqlstate.len() == state.len() {
        state.copy_from_slice(error.sqlstate.as_bytes());
    }
    SqlError::with_state(error.errno, state, error.message)
}
