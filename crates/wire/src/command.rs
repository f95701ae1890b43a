//! What a client asks: one packet, one command.

use crate::reader::{Malformed, Reader};

/// A decoded command; texts and parameters borrow from the packet.
#[derive(Debug, PartialEq)]
pub enum Command<'a> {
    Quit,
    InitDb(&'a [u8]),
    Query(&'a [u8]),
    Shutdown,
    FieldList {
        table: &'a [u8],
        wildcard: &'a [u8],
    },
    Statistics,
    ProcessInfo,
    ProcessKill(u32),
    /// What the server is busy with is to be written to its log.
    Debug,
    Ping,
    /// The rest is read with [`crate::handshake::decode_change_user`].
    ChangeUser(&'a [u8]),
    StmtPrepare(&'a [u8]),
    StmtExecute(Execute<'a>),
    StmtSendLongData {
        id: u32,
        param: u16,
        data: &'a [u8],
    },
    StmtClose(u32),
    StmtReset(u32),
    StmtFetch {
        id: u32,
        rows: u32,
    },
    /// FLUSH by a byte of flags: 1 privileges, 2 logs, 4 tables, 8 hosts, 16 status.
    Refresh(u8),
    /// 0 = multi-statements on, 1 = off.
    SetOption(u16),
    ResetConnection,
    /// A byte that is no command here: error 1047.
    Unknown(u8),
}

/// COM_STMT_EXECUTE; `params` is read with [`crate::params`], which knows how many there are.
#[derive(Debug, PartialEq)]
pub struct Execute<'a> {
    pub id: u32,
    /// 0 none, 1 read only. A server may answer without a cursor.
    pub cursor: u8,
    pub params: &'a [u8],
}

/// The command byte and what follows.
pub fn decode(packet: &[u8]) -> Result<Command<'_>, Malformed> {
    let mut r = Reader::new(packet);
    Ok(match r.u8()? {
        0x01 => Command::Quit,
        0x02 => Command::InitDb(r.rest()),
        0x03 => Command::Query(statement(r.rest())),
        0x04 => Command::FieldList { table: r.nul_str()?, wildcard: r.rest() },
        // MySQL 8.0 has it as the statement alone; clients of MariaDB send the command. The kind of stop behind it had no meaning.
        0x07 => Command::Refresh(r.u8()?),
        0x08 => Command::Shutdown,
        0x09 => Command::Statistics,
        0x0A => Command::ProcessInfo,
        0x0C => Command::ProcessKill(r.u32()?),
        0x0D => Command::Debug,
        0x0E => Command::Ping,
        0x11 => Command::ChangeUser(r.rest()),
        0x16 => Command::StmtPrepare(statement(r.rest())),
        0x17 => {
            let (id, cursor) = (r.u32()?, r.u8()?);
            // Iteration count, always 1.
            r.u32()?;
            Command::StmtExecute(Execute { id, cursor, params: r.rest() })
        }
        0x18 => Command::StmtSendLongData { id: r.u32()?, param: r.u16()?, data: r.rest() },
        0x19 => Command::StmtClose(r.u32()?),
        0x1A => Command::StmtReset(r.u32()?),
        0x1B => Command::SetOption(r.u16()?),
        0x1C => Command::StmtFetch { id: r.u32()?, rows: r.u32()? },
        0x1F => Command::ResetConnection,
        other => Command::Unknown(other),
    })
}

/// A statement's text; some clients (mysqlslap) count the C string's end.
fn statement(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\0").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands() {
        assert_eq!(decode(b"\x03select 1"), Ok(Command::Query(b"select 1")));
        assert_eq!(decode(b"\x03select 1\0"), Ok(Command::Query(b"select 1")));
        assert_eq!(decode(&[0x0C, 5, 0, 0, 0]), Ok(Command::ProcessKill(5)));
        assert_eq!(decode(&[0x0C, 5]), Err(Malformed));
        assert_eq!(decode(&[]), Err(Malformed));
        assert_eq!(decode(&[0x07, 4]), Ok(Command::Refresh(4)));
        assert_eq!(decode(&[0x07]), Err(Malformed));
        assert_eq!(decode(&[0x08, 0]), Ok(Command::Shutdown));
        assert_eq!(decode(&[0xEE, 1]), Ok(Command::Unknown(0xEE)));
        assert_eq!(
            decode(b"\x17\x02\0\0\0\0\x01\0\0\0abc"),
            Ok(Command::StmtExecute(Execute { id: 2, cursor: 0, params: b"abc" }))
        );
        assert_eq!(decode(b"\x04t\0a%"), Ok(Command::FieldList { table: b"t", wildcard: b"a%" }));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }
    }
}
