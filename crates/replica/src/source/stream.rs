//! The stream of a binary log: registration, the request for it, and its events.

use super::{Result, Source, SourceError};
use weir_binlog::GtidSet;
use weir_sql::errno;

/// Numbers of commands.
const REGISTER: u8 = 0x15;
const DUMP: u8 = 0x12;
const DUMP_GTID: u8 = 0x1E;

/// The request names what is there already by identifiers.
const THROUGH_GTID: u16 = 4;
/// Where the first event of a file stands.
const FIRST: u32 = 4;

/// From where the stream is to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dump {
    Position {
        file: String,
        offset: u64,
    },
    /// All transactions but these.
    Gtids(GtidSet),
}

impl Source {
    /// Tells the source who reads its log.
    pub fn register(&mut self, server_id: u32, host: &str, port: u16) -> Result<()> {
        let mut body = server_id.to_le_bytes().to_vec();
        let host = &host.as_bytes()[..host.len().min(60)];
        body.push(host.len() as u8);
        body.extend_from_slice(host);
        // Name and password, which nobody shows.
        body.extend_from_slice(&[0, 0]);
        body.extend_from_slice(&port.to_le_bytes());
        // Rank, and the number of the source.
        body.extend_from_slice(&[0; 8]);
        self.command(REGISTER, &body)?;
        self.packet().map(drop)
    }

    pub fn dump(&mut self, server_id: u32, from: &Dump) -> Result<()> {
        match from {
            Dump::Position { file, offset } => {
                let Ok(offset) = u32::try_from(*offset) else {
                    let text = "a position behind 4 GiB cannot be asked for without GTIDs";
                    return Err(SourceError::new(
                        errno::ER_SOURCE_FATAL_ERROR_READING_BINLOG,
                        text,
                    ));
                };
                let mut body = offset.to_le_bytes().to_vec();
                body.extend_from_slice(&0u16.to_le_bytes());
                body.extend_from_slice(&server_id.to_le_bytes());
                body.extend_from_slice(file.as_bytes());
                self.command(DUMP, &body)
            }
            Dump::Gtids(set) => {
                let mut gtids = Vec::new();
                set.encode(&mut gtids);
                let mut body = THROUGH_GTID.to_le_bytes().to_vec();
                body.extend_from_slice(&server_id.to_le_bytes());
                body.extend_from_slice(&0u32.to_le_bytes());
                body.extend_from_slice(&u64::from(FIRST).to_le_bytes());
                body.extend_from_slice(&(gtids.len() as u32).to_le_bytes());
                body.extend_from_slice(&gtids);
                self.command(DUMP_GTID, &body)
            }
        }
    }

    /// The bytes of the next event; nothing when the source has ended the stream.
    pub fn event(&mut self) -> Result<Option<&[u8]>> {
        match self.packet()? {
            [0, event @ ..] => Ok(Some(event)),
            [0xFE, rest @ ..] if rest.len() < 8 => Ok(None),
            _ => Err(SourceError { errno: 2027, text: "Malformed packet".into(), lost: true }),
        }
    }
}
