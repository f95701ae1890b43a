//! Variables of the binary log and of GTIDs: the values that mean something where there is no log and `gtid_mode` is OFF.

use crate::errno;
use crate::func::gtid;
use crate::session_api::SqlError;
use crate::vars::wanted::Wanted;
use crate::vars::{SetInput, Var};

/// The value that a SET asks for, checked as MySQL checks it; of other variables it is what it was. `in_transaction`: one is in progress.
pub(super) fn checked(var: Var, wanted: Wanted, in_transaction: bool) -> Result<Wanted, SqlError> {
    match var {
        Var::sql_log_bin if in_transaction => {
            Err(SqlError::of(errno::ER_INSIDE_TRANSACTION_PREVENTS_SWITCH_SQL_LOG_BIN, &[]))
        }
        Var::gtid_next => next(wanted, in_transaction),
        Var::gtid_purged => purged(wanted),
        _ => Ok(wanted),
    }
}

/// The next transaction has no identifier here, whether MySQL would count it (AUTOMATIC, with `gtid_mode = OFF`) or not (ANONYMOUS).
fn next(wanted: Wanted, in_transaction: bool) -> Result<Wanted, SqlError> {
    let mut text = String::new();
    let name = match wanted.input(&mut text) {
        Some(SetInput::Str(name)) => Some(name.to_owned()),
        Some(SetInput::Null) => return Err(wrong_value(Var::gtid_next, "NULL")),
        // DEFAULT, or a number, whose type is wrong.
        _ => None,
    };
    if in_transaction {
        return Err(SqlError::of(errno::ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION, &[&"gtid_next"]));
    }
    let Some(name) = name else { return Ok(wanted) };
    let known = ["AUTOMATIC", "ANONYMOUS"].into_iter().find(|k| name.eq_ignore_ascii_case(k));
    if let Some(known) = known {
        return Ok(Wanted::Word(known.into()));
    }
    if gtid::is_one(&name) {
        let text =
            "@@SESSION.GTID_NEXT cannot be set to UUID:NUMBER when @@GLOBAL.GTID_MODE = OFF.";
        return Err(SqlError::new(
            errno::ER_CANT_SET_GTID_NEXT_TO_GTID_WHEN_GTID_MODE_IS_OFF,
            text,
        ));
    }
    Err(SqlError::of(errno::ER_MALFORMED_GTID_SPECIFICATION, &[&name]))
}

/// A set of identifiers, which dumps of servers with GTIDs bring along; `+` before it adds it in MySQL.
fn purged(wanted: Wanted) -> Result<Wanted, SqlError> {
    let mut text = String::new();
    let set = match wanted.input(&mut text) {
        None => {
            return Err(SqlError::of(errno::ER_NO_DEFAULT, &[&"gtid_purged"]));
        }
        Some(SetInput::Str(set)) => Some(set.to_owned()),
        Some(_) => None,
    };
    let Some(given) = set else { return Ok(wanted) };
    let set = given.trim_start();
    let set = set.strip_prefix('+').unwrap_or(set);
    match gtid::is_set(set) {
        true => Ok(Wanted::Word(set.into())),
        false => Err(wrong_value(Var::gtid_purged, &given)),
    }
}

/// 1231.
fn wrong_value(var: Var, value: &str) -> SqlError {
    SqlError::of(errno::ER_WRONG_VALUE_FOR_VAR, &[&var.name(), &value])
}
