//! The stream that a replica is sent: COM_BINLOG_DUMP and COM_BINLOG_DUMP_GTID.
//!
//! It begins with an artificial ROTATE that names the file, and the file's FORMAT_DESCRIPTION; the same comes in front of each further
//! file. Events follow as they stand in the files, with their checksums. A replica that names the transactions it has is sent no others.

use crate::log::BinaryLog;
use crate::reader::{FileReader, format_of};
use crate::semi_sync::Spot;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use weir_binlog::encode::{self, Writer as Encoder};
use weir_binlog::event::{CHECKSUM_LEN, HEADER_LEN, MAGIC, crc32, flag};
use weir_binlog::gtid::Begin;
use weir_binlog::{Checksum, GtidSet, Header, Kind, Source};

/// Where a replica wants to begin.
#[derive(Clone, Debug)]
pub enum From {
    /// An empty name is the first file.
    Position { file: String, position: u64 },
    /// It has these transactions.
    Gtids(GtidSet),
}

/// What comes next of a stream.
#[derive(Debug)]
pub enum Sent {
    /// The bytes of an event.
    Event(Vec<u8>),
    /// Nothing more is there now.
    Waits,
}

/// 1236, with MySQL's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpError(pub String);

fn refused<T>(text: impl Into<String>) -> Result<T, DumpError> {
    Err(DumpError(text.into()))
}

impl std::convert::From<weir_engine::Error> for DumpError {
    fn from(e: weir_engine::Error) -> DumpError {
        DumpError(format!("log event entry exceeded max_allowed_packet or cannot be read: {e}"))
    }
}

pub struct Dump {
    log: Arc<BinaryLog>,
    reading: u64,
    number: u32,
    reader: Option<FileReader>,
    checksum: Checksum,
    /// The position that the stream begins at, in its first file.
    from: u64,
    /// Transactions that the replica has; those are left out.
    has: Option<GtidSet>,
    /// No transaction was sent: the replica has all that was read.
    sent_none: bool,
    /// The events of the transaction at hand are left out.
    skips: bool,
    /// What the replica has said of checksums, if anything: it expects that of the event before the first description of a format.
    asked: Option<Checksum>,
    begun: bool,
    /// Events that come next, and where those end that stand in the file.
    waiting: VecDeque<(Vec<u8>, Option<Spot>)>,
    /// Where the event ends that was given last; `None`: it stands in no file.
    ends: Option<Spot>,
    /// Events up to here were left out, and the replica does not know it.
    left_out: Option<u64>,
}

impl Drop for Dump {
    fn drop(&mut self) {
        self.log.end_reading(self.reading);
    }
}

impl Dump {
    pub async fn begin(
        log: &Arc<BinaryLog>,
        from: From,
        asked: Option<Checksum>,
    ) -> Result<Dump, DumpError> {
        log.settle_told().await?;
        // Nothing of what is looked at here may go before it is read.
        let reading = log.begin_reading(0);
        let mut dump = Dump {
            log: log.clone(),
            reading,
            number: 0,
            reader: None,
            checksum: Checksum::None,
            from: MAGIC.len() as u64,
            has: None,
            sent_none: false,
            skips: false,
            asked,
            begun: false,
            waiting: VecDeque::new(),
            ends: None,
            left_out: None,
        };
        match from {
            From::Position { file, position } => dump.find_position(&file, position)?,
            From::Gtids(set) => dump.find_set(set).await?,
        }
        log.reads_on(reading, dump.number);
        Ok(dump)
    }

    fn find_position(&mut self, file: &str, position: u64) -> Result<(), DumpError> {
        let infos = self.log.infos();
        let found = match file.is_empty() {
            true => infos.first().cloned(),
            false => {
                let number = self.log.number_of(file);
                infos.into_iter().find(|f| Some(f.number) == number)
            }
        };
        let Some(found) = found else {
            return refused("Could not find first log file name in binary log index file");
        };
        if position < MAGIC.len() as u64 {
            return refused("Client requested source to start replication from position < 4");
        }
        if position > found.size {
            return refused(
                "Client requested source to start replication from position > file size",
            );
        }
        (self.number, self.from) = (found.number, position);
        Ok(())
    }

    /// The newest file before which nothing was executed that the replica has not.
    async fn find_set(&mut self, has: GtidSet) -> Result<(), DumpError> {
        let own = Source::new(self.log.fixed.uuid);
        let only = |set: &GtidSet| {
            let mut out = GtidSet::default();
            for (source, ranges) in set.sources().filter(|(s, _)| s.uuid == own.uuid) {
                ranges.iter().for_each(|r| out.add_range(source, *r));
            }
            out
        };
        let executed = self.log.executed();
        if !only(&has).is_subset(&executed) {
            return refused(MORE_THAN_SOURCE);
        }
        let missing = self.log.purged().minus(&has);
        if !missing.is_empty() {
            let (has, missing) = (flat(&has), flat(&missing));
            return refused(format!(
                "{PURGED} The GTID set sent by the replica is '{has}', and the missing transactions are '{missing}'."
            ));
        }
        for f in self.log.infos().iter().rev() {
            if self.log.previous(f.number).await?.is_some_and(|before| before.is_subset(&has)) {
                (self.number, self.has, self.sent_none) = (f.number, Some(has), true);
                return Ok(());
            }
        }
        refused("Could not find first log file name in binary log index file")
    }

    /// The name of the file and the position behind what was sent.
    pub fn place(&self) -> (String, u64) {
        let (number, position) = self.spot();
        (self.log.fixed.names.file(number), position)
    }

    /// The next event that is to be sent.
    pub async fn next(&mut self) -> Result<Sent, DumpError> {
        loop {
            if let Some((event, ends)) = self.waiting.pop_front() {
                self.ends = ends;
                return Ok(Sent::Event(event));
            }
            if self.reader.is_none() {
                self.begin_file().await?;
                continue;
            }
            let infos = self.log.infos();
            let Some(at) = infos.iter().position(|f| f.number == self.number) else {
                return refused("could not find next log; the binary log was reset");
            };
            let Some(reader) = &mut self.reader else { continue };
            if let Some(event) = reader.next(infos[at].size).await? {
                let behind = self.spot();
                if self.wants(&event)? {
                    self.tell_left_out();
                    self.waiting.push_back((event, Some(behind)));
                } else {
                    self.left_out = Some(behind.1);
                }
                continue;
            }
            let Some(next) = infos.get(at + 1) else {
                if self.left_out.is_some() {
                    self.tell_left_out();
                    continue;
                }
                return Ok(Sent::Waits);
            };
            // The name of the next file says it as well.
            self.left_out = None;
            (self.number, self.from, self.reader) = (next.number, MAGIC.len() as u64, None);
            self.log.reads_on(self.reading, next.number);
        }
    }

    /// Waits until there may be more to send, or until the time is over.
    pub async fn until_more(&self, limit: Duration) {
        let wait = self.log.grown.wait();
        if !self.has_more() {
            self.log.settings.rt.timeout(limit, wait).await;
        }
    }

    /// Whether the files have something that was not looked at yet.
    pub fn has_more(&self) -> bool {
        let size = self.log.infos().iter().find(|f| f.number == self.number).map_or(0, |f| f.size);
        let is_last = self.log.infos().last().is_none_or(|f| f.number == self.number);
        let read = self.reader.as_ref().map_or(0, FileReader::position);
        read < size || !is_last
    }

    /// Whether the replica has had all transactions that were read, as it has said when the dump began.
    pub fn has_sent_none(&self) -> bool {
        self.sent_none
    }

    /// The number of the file and the position behind what was sent.
    pub fn spot(&self) -> Spot {
        (self.number, self.reader.as_ref().map_or(self.from, FileReader::position))
    }

    async fn begin_file(&mut self) -> Result<(), DumpError> {
        let infos = self.log.infos();
        let Some(info) = infos.iter().find(|f| f.number == self.number) else {
            return refused("Could not find first log file name in binary log index file");
        };
        let fixed = self.log.fixed.clone();
        let (mut format, checksum) = format_of(&fixed, self.number, info.size).await?;
        if checksum == Checksum::Crc32 && self.asked.is_none() {
            let (name, position) = self.place();
            return refused(format!(
                "Replica can not handle replication events with the checksum that source is configured to log; the first event \
                 '{name}' at {position}, the last event read from '{name}' at {position}, the last byte read from '{name}' at {position}."
            ));
        }
        self.checksum = match std::mem::replace(&mut self.begun, true) {
            true => checksum,
            false => self.asked.unwrap_or(Checksum::None),
        };
        self.waiting.push_back((self.artificial_rotate(), None));
        self.checksum = checksum;
        let behind = MAGIC.len() as u64 + format.len() as u64;
        if self.from > MAGIC.len() as u64 {
            // It stands before the place that was asked for: the replica must not take its position for one in the file.
            format[13..17].copy_from_slice(&0u32.to_le_bytes());
            renew_checksum(&mut format);
        }
        self.waiting.push_back((format, None));
        let at = self.from.max(behind);
        self.reader = Some(FileReader::open(&fixed, self.number, at).await?);
        Ok(())
    }

    fn artificial_rotate(&self) -> Vec<u8> {
        let mut body = Vec::new();
        encode::rotate(&self.log.fixed.names.file(self.number), self.from, &mut body);
        self.artificial(Kind::Rotate, 0, &body)
    }

    fn artificial(&self, kind: Kind, position: u32, body: &[u8]) -> Vec<u8> {
        let (server_id, checksum) = (self.log.settings.server_id(), self.checksum);
        let mut out = Vec::new();
        let mut encoder = Encoder { server_id, checksum, position: 0 };
        encoder.event((kind, flag::ARTIFICIAL, 0), body, &mut out);
        if position > 0 {
            out[13..17].copy_from_slice(&position.to_le_bytes());
            if checksum == Checksum::Crc32 {
                renew_checksum(&mut out);
            }
        }
        out
    }

    /// A replica counts the bytes that it is sent: before it gets what follows on events that were left out, it learns where that stands.
    fn tell_left_out(&mut self) {
        if let Some(position) = self.left_out.take() {
            let (name, _) = self.place();
            self.waiting.push_back((self.heartbeat_at(&name, position), None));
        }
    }

    /// Where the event ends that was given last, if it stands in a file.
    pub fn ends(&self) -> Option<Spot> {
        self.ends
    }

    /// Tells a replica that the source is there, and where it is.
    pub fn heartbeat(&self) -> Vec<u8> {
        let (name, position) = self.place();
        self.heartbeat_at(&name, position)
    }

    fn heartbeat_at(&self, name: &str, position: u64) -> Vec<u8> {
        let mut out = self.artificial(Kind::Heartbeat, position as u32, name.as_bytes());
        // A heartbeat is no artificial event to those who read it.
        out[17..19].copy_from_slice(&0u16.to_le_bytes());
        if self.checksum == Checksum::Crc32 {
            renew_checksum(&mut out);
        }
        out
    }

    /// Whether the replica lacks the event.
    fn wants(&mut self, event: &[u8]) -> Result<bool, DumpError> {
        let Some(has) = &self.has else { return Ok(true) };
        let Ok(header) = Header::decode(event) else { return Ok(true) };
        match header.kind {
            Kind::Gtid | Kind::AnonymousGtid => {
                let sum = if self.checksum == Checksum::Crc32 { CHECKSUM_LEN } else { 0 };
                let body = &event[HEADER_LEN..event.len().saturating_sub(sum).max(HEADER_LEN)];
                let begin = Begin::decode(body, header.kind == Kind::AnonymousGtid);
                let Ok(begin) = begin else { return refused("a damaged event of the binary log") };
                let Some(gtid) = begin.gtid else {
                    let (name, position) = self.place();
                    return refused(format!(
                        "Cannot replicate anonymous transaction when AUTO_POSITION = 1, at file {name}, position {position}."
                    ));
                };
                self.skips = has.contains(&gtid);
                self.sent_none &= self.skips;
            }
            Kind::FormatDescription | Kind::PreviousGtids | Kind::Rotate | Kind::Stop => {
                self.skips = false;
            }
            _ => {}
        }
        Ok(!self.skips)
    }
}

/// The last four bytes become the checksum of those before them.
fn renew_checksum(event: &mut [u8]) {
    let at = event.len().saturating_sub(CHECKSUM_LEN);
    let sum = crc32(&event[..at]);
    event[at..].copy_from_slice(&sum.to_le_bytes());
}

fn flat(set: &GtidSet) -> String {
    set.to_string().replace('\n', "")
}

const PURGED: &str = "Cannot replicate because the source purged required binary logs. Replicate the missing transactions from elsewhere, \
                      or provision a new replica from backup. Consider increasing the source's binary log expiration period.";
const MORE_THAN_SOURCE: &str = "Replica has more GTIDs than the source has, using the source's SERVER_UUID. This may indicate that the the \
                                last binary log file was truncated or lost, e.g., after a power failure when sync_binlog != 1. The source \
                                may have rolled back transactions that were already replicated to the replica. Replicate any transactions \
                                that source has rolled back from replica to source, and/or commit empty transactions on source to account \
                                for transactions that have been committed on source but are not included in GTID_EXECUTED.";
