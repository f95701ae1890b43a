//! BINLOG: events of a binary log as base64, as mysqlbinlog writes them between the statements of its output. They are a FORMAT_DESCRIPTION,
//! which says how the others are read, and rows with their tables; all else is in that output as statements.

use super::Session;
use crate::errno;
use crate::rights::check_writable;
use crate::session_api::SqlError;
use std::collections::HashMap;
use weir_binlog::event::Event;
use weir_binlog::rows::{Rows, flag};
use weir_binlog::table_map::TableMap;
use weir_binlog::{Body, Format, Header, Kind};

/// Bytes that compressed rows of one event may have.
const UNPACKED_MAX: u64 = 1 << 30;

/// What earlier events of the session have said of later ones.
#[derive(Default)]
pub(super) struct Given {
    format: Option<Format>,
    /// Until the statement that their rows belong to ends.
    tables: HashMap<u64, TableMap>,
}

/// 1064 with a text without a place, for what is no event.
fn no_event() -> SqlError {
    let text = "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax \
                to use";
    SqlError::new(errno::ER_SYNTAX_ERROR, text)
}

fn broken(e: weir_binlog::Error) -> SqlError {
    SqlError::new(errno::ER_SYNTAX_ERROR, format!("{}: {e}", no_event().message))
}

/// The bytes of several texts in base64, one behind the other, each with its own end.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let value = |b: u8| match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut group, mut held, mut padding) = (0u32, 0, 0);
    for &b in text.iter().filter(|b| !b.is_ascii_whitespace()) {
        match b {
            b'=' if held >= 2 => padding += 1,
            _ if padding > 0 => return None,
            _ => group |= u32::from(value(b)?) << (18 - 6 * held),
        }
        held += 1;
        if held == 4 {
            let bytes = group.to_be_bytes();
            out.extend_from_slice(&bytes[1..4 - padding]);
            (group, held, padding) = (0, 0, 0);
        }
    }
    (held == 0).then_some(out)
}

impl Session {
    pub(super) async fn binlog_statement(&mut self, text: &[u8]) -> Result<(), SqlError> {
        if text.is_empty() {
            return Err(no_event());
        }
        let bytes = decoded(text);
        let bytes = bytes.ok_or_else(|| SqlError::of(errno::ER_BASE64_DECODE_ERROR, &[]))?;
        check_writable(&self.inst.vars, &mut self.access)?;
        let mut given = std::mem::take(&mut self.said.given);
        let done = self.apply_events(&bytes, &mut given).await;
        if done.is_err() {
            given.tables.clear();
        }
        self.said.given = given;
        if self.settings.autocommit && !self.explicit {
            self.end_transaction(done.is_ok()).await?;
        }
        done
    }

    async fn apply_events(&mut self, mut rest: &[u8], given: &mut Given) -> Result<(), SqlError> {
        while !rest.is_empty() {
            let header = Header::decode(rest).map_err(|_| no_event())?;
            let event = rest.get(..header.len as usize).ok_or_else(no_event)?;
            rest = &rest[event.len()..];
            if header.kind == Kind::FormatDescription {
                given.format = Some(Format::decode(event).map_err(broken)?);
                given.tables.clear();
                continue;
            }
            let name = header.kind.name();
            let Some(format) = &given.format else {
                let number = errno::ER_NO_FORMAT_DESCRIPTION_EVENT_BEFORE_BINLOG_STATEMENT;
                return Err(SqlError::of(number, &[&name]));
            };
            let event = Event::decode(event, format.checksum).map_err(broken)?;
            match Body::decode(&event, format, UNPACKED_MAX).map_err(broken)? {
                Body::TableMap(map) => {
                    given.tables.insert(map.id, map);
                }
                Body::Rows(rows) => {
                    self.apply_given(&rows, &given.tables).await?;
                    if rows.flags & flag::STATEMENT_END != 0 {
                        given.tables.clear();
                    }
                }
                Body::RowsQuery(_) | Body::Nothing => {}
                _ => {
                    let number = errno::ER_ONLY_FD_AND_RBR_EVENTS_ALLOWED_IN_BINLOG_STATEMENT;
                    return Err(SqlError::of(number, &[&name]));
                }
            }
        }
        Ok(())
    }

    async fn apply_given(
        &mut self,
        rows: &Rows<'_>,
        tables: &HashMap<u64, TableMap>,
    ) -> Result<(), SqlError> {
        if rows.is_dummy() {
            return Ok(());
        }
        let map = tables.get(&rows.table).ok_or_else(no_event)?;
        self.apply_rows_here(map, rows).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_one_behind_the_other() {
        for (text, bytes) in [
            (&b"YWJj"[..], Some(&b"abc"[..])),
            (b"YQ==\nYWI=\n", Some(b"aab")),
            (b"YQ==YQ==", Some(b"aa")),
            (b"", Some(b"")),
            (b"YWJ", None),
            (b"Y===", None),
            (b"YQ=a", None),
            (b"Y!Jj", None),
            (b"=", None),
        ] {
            assert_eq!(decoded(text).as_deref(), bytes, "{}", text.escape_ascii());
        }
    }
}
