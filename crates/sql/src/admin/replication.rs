//! Statements about replicas and the binary log: what a MySQL answers that was started with `--skip-log-bin` and is no replica.
//!
//! Statements that would make a replica of the server are refused (1235); those that end or empty what is not there succeed.

use crate::context::refused;
use crate::errno;
use crate::session_api::SqlError;
use crate::show::replication::check_channel;
use crate::value::json::from_base64;
use weir_syntax::ast::Replication;

/// Where the length of an event stands in it, and the bytes up to its end.
const EVENT_LENGTH: std::ops::Range<usize> = 9..13;

pub fn run(stmt: &Replication) -> Result<(), SqlError> {
    match stmt {
        Replication::ChangeSource { .. } => {
            Err(refused("CHANGE REPLICATION SOURCE: this server cannot be a replica"))
        }
        Replication::ChangeFilter { channel } => {
            if channel.as_ref().is_some_and(|c| !c.is_empty()) {
                return Err(SqlError::new(
                    1794,
                    "Replica is not configured or failed to initialize properly. You must at least set --server-id to enable either a \
                     source or a replica. Additional error messages can be found in the MySQL error log.",
                ));
            }
            Err(refused("CHANGE REPLICATION FILTER: this server cannot be a replica"))
        }
        Replication::Run { starts, channel } => {
            check_channel(channel.as_deref())?;
            match starts {
                true => Err(SqlError::new(
                    errno::ER_BAD_SLAVE,
                    "The server is not configured as replica; fix in config file or with CHANGE REPLICATION SOURCE TO",
                )),
                // No thread of a replica runs.
                false => Ok(()),
            }
        }
        Replication::Group => Err(SqlError::new(
            3092,
            "The server is not configured properly to be an active member of the group. Please see more details on error log.",
        )),
    }
}

/// BINLOG: 1149 and 1575 for what is no event. An event is refused, for it changes rows in ways that only a log could tell.
pub fn binlog(text: &[u8]) -> Result<(), SqlError> {
    let no_event = || {
        let text = "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right \
                    syntax to use";
        SqlError::new(errno::ER_SYNTAX_ERROR, text)
    };
    if text.is_empty() {
        return Err(no_event());
    }
    let Some(event) = from_base64(text) else {
        return Err(SqlError::new(1575, "Decoding of base64 string failed"));
    };
    let length: Option<[u8; 4]> = event.get(EVENT_LENGTH).and_then(|b| b.try_into().ok());
    match length.map(u32::from_le_bytes) {
        Some(length) if (length as usize) <= event.len() => {
            Err(refused("BINLOG: events of a binary log are not applied"))
        }
        _ => Err(no_event()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_event_is_told() {
        let errno = |text: &str| binlog(text.as_bytes()).expect_err("refused").errno;
        for (text, want) in [
            ("", 1149),
            ("x", 1575),
            ("AAAA", 1149),
            // Thirteen bytes that say that they are a hundred, and that they are none.
            ("AAAAAAAAAAAAZAAAAA==", 1149),
            ("AAAAAAAAAAAAAAAAAA==", 1235),
        ] {
            assert_eq!(errno(text), want, "{text}");
        }
    }
}
