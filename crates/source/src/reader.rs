//! Events out of the files, for those who follow this server and for SHOW BINLOG EVENTS.

use crate::writer::Fixed;
use std::sync::Arc;
use weir_binlog::event::{CHECKSUM_LEN, HEADER_LEN, MAGIC};
use weir_binlog::{Checksum, GtidSet, Header, Kind};
use weir_disk::{File, IoBuf};
use weir_engine::{Error, Result};

/// Bytes that one read takes.
const PIECE: u64 = 64 << 10;
/// The longest event that is believed.
pub const EVENT_MAX: u64 = 1 << 30;

/// Reads one file.
pub struct FileReader {
    file: Arc<dyn File>,
    name: String,
    /// Bytes that were read and not given.
    held: Vec<u8>,
    /// Where `held` stands in the file, and what of it was given.
    at: u64,
    given: usize,
}

impl FileReader {
    pub async fn open(fixed: &Fixed, number: u32, at: u64) -> Result<FileReader> {
        let file = fixed.open(number).await?;
        Ok(FileReader { file, name: fixed.names.file(number), held: Vec::new(), at, given: 0 })
    }

    /// Where the next event begins.
    pub fn position(&self) -> u64 {
        self.at + self.given as u64
    }

    /// The next event as its bytes. `end`: as far as the file may be read; `None`: nothing is left before it.
    pub async fn next(&mut self, end: u64) -> Result<Option<Vec<u8>>> {
        if self.position() >= end {
            return Ok(None);
        }
        self.hold(HEADER_LEN as u64, end).await?;
        let head = &self.held[self.given..];
        let len = Header::decode(head).map_err(|_| self.damaged("an event's head"))?.len as u64;
        if len < HEADER_LEN as u64 || len > EVENT_MAX {
            return Err(self.damaged("an event's length"));
        }
        self.hold(len, end).await?;
        let event = self.held[self.given..self.given + len as usize].to_vec();
        self.given += len as usize;
        Ok(Some(event))
    }

    /// Has so many bytes at hand that were not given.
    async fn hold(&mut self, len: u64, end: u64) -> Result<()> {
        if ((self.held.len() - self.given) as u64) >= len {
            return Ok(());
        }
        self.held.drain(..self.given);
        self.at += self.given as u64;
        self.given = 0;
        let from = self.at + self.held.len() as u64;
        let wanted = (len - self.held.len() as u64).max(PIECE).min(end.saturating_sub(from));
        let (bytes, done) = self.file.read(from, IoBuf::new(wanted as usize)).await;
        done?;
        self.held.extend_from_slice(&bytes);
        if (self.held.len() as u64) < len {
            return Err(self.damaged("an event that goes beyond the end"));
        }
        Ok(())
    }

    fn damaged(&self, what: &str) -> Error {
        let place = format!("'{}' at {}", self.name, self.position());
        Error::Corrupt { what: format!("{what} in the binary log"), place }
    }
}

/// The head of a file: its FORMAT_DESCRIPTION as bytes, and whether its events have checksums.
pub async fn format_of(fixed: &Fixed, number: u32, end: u64) -> Result<(Vec<u8>, Checksum)> {
    let mut r = FileReader::open(fixed, number, MAGIC.len() as u64).await?;
    let event = r.next(end).await?.ok_or_else(|| r.damaged("no description of the format"))?;
    let format = weir_binlog::Format::decode(&event)
        .map_err(|_| r.damaged("the description of the format"))?;
    Ok((event, format.checksum))
}

/// What was executed before the file began; `None`: its head cannot be read.
pub async fn previous_of(fixed: &Fixed, number: u32) -> Result<Option<GtidSet>> {
    let end = fixed.open(number).await?.len().await?;
    let Ok((_, checksum)) = format_of(fixed, number, end).await else { return Ok(None) };
    let mut r = FileReader::open(fixed, number, MAGIC.len() as u64).await?;
    _ = r.next(end).await?;
    let Ok(Some(event)) = r.next(end).await else { return Ok(None) };
    let is_set = Header::decode(&event).is_ok_and(|h| h.kind == Kind::PreviousGtids);
    if !is_set {
        return Ok(None);
    }
    let sum = if checksum == Checksum::Crc32 { CHECKSUM_LEN } else { 0 };
    Ok(GtidSet::decode(&event[HEADER_LEN..event.len().saturating_sub(sum).max(HEADER_LEN)]).ok())
}
