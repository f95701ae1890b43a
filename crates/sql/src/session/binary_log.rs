//! Variables of the binary log and of GTIDs: the values that mean something where there is no log and `gtid_mode` is OFF.

use super::Session;
use crate::ddl::engine_error;
use crate::errno::{
    self, ER_WARN_BINLOG_PARTIAL_UPDATES_DISABLED,
    ER_WARN_BINLOG_PARTIAL_UPDATES_SUGGESTS_PARTIAL_IMAGES,
};
use crate::func::gtid;
use crate::session_api::SqlError;
use crate::vars::wanted::Wanted;
use crate::vars::{SetInput, SetTarget, Var};
use weir_binlog::{Gtid, GtidSet};
use weir_source::BinaryLog;

/// The value that a SET asks for, checked as MySQL checks it; of other variables it is what it was. `in_transaction`: one is in progress; `gtids`:
/// `gtid_mode` is ON.
pub(super) fn checked(
    var: Var,
    wanted: Wanted,
    in_transaction: bool,
    gtids: bool,
) -> Result<Wanted, SqlError> {
    match var {
        Var::sql_log_bin if in_transaction => {
            Err(SqlError::of(errno::ER_INSIDE_TRANSACTION_PREVENTS_SWITCH_SQL_LOG_BIN, &[]))
        }
        Var::binlog_format if in_transaction => {
            Err(SqlError::of(errno::ER_INSIDE_TRANSACTION_PREVENTS_SWITCH_BINLOG_FORMAT, &[]))
        }
        Var::binlog_transaction_compression
        | Var::binlog_transaction_compression_level_zstd
        | Var::binlog_row_value_options
        | Var::session_track_gtids
            if in_transaction =>
        {
            Err(SqlError::of(errno::ER_VARIABLE_NOT_SETTABLE_IN_TRANSACTION, &[&var.name()]))
        }
        Var::binlog_error_action => error_action(wanted),
        Var::gtid_next => next(wanted, in_transaction, gtids),
        Var::gtid_purged => purged(wanted),
        _ => Ok(wanted),
    }
}

/// Values of `binlog_format` and `binlog_row_image`.
const STATEMENT: u64 = 1;
const FULL: u64 = 2;

impl Session {
    /// What `binlog_row_value_options = PARTIAL_JSON` does not do with the variables beside it, where one of them was set.
    pub(super) fn warn_of_changes(&mut self, var: Var, target: SetTarget) {
        let formats = [Var::binlog_row_value_options, Var::binlog_row_image, Var::binlog_format];
        let value = |var| match target {
            SetTarget::Global => self.inst.vars.u64(var),
            SetTarget::Session => self.vars.u64(var),
        };
        if !formats.contains(&var) || value(Var::binlog_row_value_options) == 0 {
            return;
        }
        let has_log = crate::binlog::is_on(self.inst.binlog.get());
        let logs = has_log && (target == SetTarget::Global || self.vars.bool(Var::sql_log_bin));
        let ignored = ER_WARN_BINLOG_PARTIAL_UPDATES_DISABLED;
        let (number, why) = match (var, value(Var::binlog_format), value(Var::binlog_row_image)) {
            (Var::binlog_row_value_options, ..) if !logs => (ignored, "the binary log is disabled"),
            (Var::binlog_format | Var::binlog_row_value_options, STATEMENT, _) => {
                (ignored, "binlog_format=STATEMENT")
            }
            (Var::binlog_row_image | Var::binlog_row_value_options, _, FULL) => {
                (ER_WARN_BINLOG_PARTIAL_UPDATES_SUGGESTS_PARTIAL_IMAGES, "binlog_row_image=FULL")
            }
            _ => return,
        };
        self.current.warn(number, || SqlError::of(number, &[&why]).message);
    }

    pub(super) fn has_gtids(&self) -> bool {
        self.inst.binlog.get().is_some_and(|l| l.is_on() && l.has_gtids())
    }

    /// SET GLOBAL gtid_purged of a server with a log: what was executed here already cannot be said to come from elsewhere.
    pub(super) async fn purge_gtids(&self, log: &BinaryLog, set: &GtidSet) -> Result<(), SqlError> {
        if !log.has_gtids() {
            return Err(SqlError::not_supported(
                "gtid_purged with a binary log and gtid_mode = OFF",
            ));
        }
        let text = self.inst.vars.text(Var::gtid_executed);
        let executed: GtidSet = text.parse().unwrap_or_default();
        let both = executed.minus(&executed.minus(set));
        if !both.is_empty() {
            let why = "the added gtid set must not overlap with @@GLOBAL.GTID_EXECUTED";
            return Err(SqlError::of(errno::ER_CANT_SET_GTID_PURGED_DUE_SETS_CONSTRAINTS, &[&why]));
        }
        log.add_purged(set).await.map_err(engine_error)
    }
}

/// A server that has lost its binary log goes on here as little as one that has lost its redo log: they are one.
fn error_action(wanted: Wanted) -> Result<Wanted, SqlError> {
    let mut text = String::new();
    match wanted.input(&mut text) {
        Some(SetInput::Int(0)) => Err(SqlError::not_supported(IGNORE_ERROR)),
        Some(SetInput::Str(word)) if word.eq_ignore_ascii_case("IGNORE_ERROR") => {
            Err(SqlError::not_supported(IGNORE_ERROR))
        }
        _ => Ok(wanted),
    }
}

const IGNORE_ERROR: &str = "binlog_error_action = IGNORE_ERROR: the binary log is made of the redo log, without which no commit is done";

/// Without GTIDs the next transaction has no identifier, whether MySQL would count it (AUTOMATIC) or not (ANONYMOUS).
fn next(wanted: Wanted, in_transaction: bool, gtids: bool) -> Result<Wanted, SqlError> {
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
    if known == Some("ANONYMOUS") && gtids {
        let number = errno::ER_CANT_SET_GTID_NEXT_TO_ANONYMOUS_WHEN_GTID_MODE_IS_ON;
        return Err(SqlError::of(number, &[]));
    }
    if let Some(known) = known {
        return Ok(Wanted::Word(known.into()));
    }
    let one: Option<Gtid> = name.parse().ok();
    // MySQL 8.0 knows no tags.
    let one = one.filter(|g| g.source.tag.is_empty());
    if let Some(one) = one.as_ref().filter(|_| gtids) {
        return Ok(Wanted::Word(one.to_string().into()));
    }
    if one.is_some() {
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
