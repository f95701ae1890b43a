//! Why the applier stops, in MySQL's words.

use weir_binlog::rows::Change;
use weir_sql::session_api::SqlError;

/// Errors behind which the same transaction may succeed: the lock wait timeout and the deadlock.
pub const TRANSIENT: [u16; 2] = [1205, 1213];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Failed {
        errno: u16,
        text: String,
    },
    /// What START REPLICA UNTIL says has come.
    Reached,
}

impl Stop {
    pub fn of_start(e: SqlError) -> Stop {
        let text =
            format!("Replica failed to initialize applier metadata structure: {}", e.message);
        Stop::Failed { errno: e.errno, text }
    }

    /// An event that cannot be read.
    pub fn broken(what: &str, e: &weir_binlog::Error) -> Stop {
        let text =
            format!("Relay log read failure: Could not parse relay log event entry: {what}: {e}");
        Stop::Failed { errno: 13121, text }
    }

    /// An event of rows. `place`: the file and the end of the event.
    pub fn rows(change: Change, table: &str, e: &SqlError, (file, end): (&str, u32)) -> Stop {
        let event = match change {
            Change::Write => "Write_rows",
            Change::Update => "Update_rows",
            Change::Delete => "Delete_rows",
        };
        let errno = e.errno;
        let why = match errno {
            1062 => "HA_ERR_FOUND_DUPP_KEY",
            1032 => "HA_ERR_KEY_NOT_FOUND",
            1205 => "HA_ERR_LOCK_WAIT_TIMEOUT",
            1213 => "HA_ERR_LOCK_DEADLOCK",
            1451 => "HA_ERR_ROW_IS_REFERENCED",
            1452 => "HA_ERR_NO_REFERENCED_ROW",
            1114 => "HA_ERR_RECORD_FILE_FULL",
            _ => "",
        };
        let text = match why {
            // MySQL tells of what is wrong with the table before it comes to rows.
            "" => e.message.clone(),
            why => format!(
                "Could not execute {event} event on table {table}; {}, Error_code: {errno}; handler error {why}; the event's source log {file}, end_log_pos {end}",
                e.message
            ),
        };
        Stop::Failed { errno, text }
    }

    /// A statement.
    pub fn statement(e: &SqlError, schema: &str, query: &str) -> Stop {
        let text = format!(
            "Error '{}' on query. Default database: '{schema}'. Query: '{query}'",
            e.message
        );
        Stop::Failed { errno: e.errno, text }
    }

    /// What the applier does itself.
    pub fn own(e: SqlError) -> Stop {
        Stop::Failed { errno: e.errno, text: e.message }
    }

    pub fn is_transient(&self) -> bool {
        matches!(self, Stop::Failed { errno, .. } if TRANSIENT.contains(errno))
    }
}
