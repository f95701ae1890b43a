//! Records into files: the one place that formats what clients see.
//!
//! Invariants
//! - The bytes of a transaction depend on its record, on what [`State`] has, and on the records since. So `behind`, which names commits by
//!   their LSN, is resolved among the transactions since the last state, and to the last one before it where it is older; and of rows
//!   that were changed no more is remembered than since the last state.
//! - A new file is durable, with its entry in the index and the state that names it, before anything follows its head.

use crate::log::Settings;
use crate::names::{NUMBER_MAX, Names, read, replace};
use crate::pack::unpack;
use crate::reader::previous_of;
use crate::record::{Events, Named, Part, Record, cut};
use crate::state::State;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use weir_binlog::encode::{self, Writer as Encoder};
use weir_binlog::event::{CHECKSUM_LEN, HEADER_LEN, MAGIC, Sum};
use weir_binlog::gtid::Begin;
use weir_binlog::{Checksum, Gtid, GtidSet, Kind, Source};
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};
use weir_engine::{Error, Lsn, Result};

/// Events are written when more than this is gathered.
const WRITE_AT: usize = 1 << 20;
/// Bytes of a spilled transaction that are read at once.
const PIECE: usize = 256 << 10;
/// Transactions by whose commit `behind` is looked up.
const CLOCK_MAX: usize = 65_536;
/// Keys of rows that are remembered, as in MySQL. A variable could be another one when a crash has the files made again.
const HISTORY_MAX: usize = 25_000;

/// What does not change while the server runs.
pub struct Fixed {
    pub disk: Arc<dyn Disk>,
    pub names: Names,
    /// This server's name in identifiers of transactions.
    pub uuid: [u8; 16],
    pub version: String,
}

/// Where the files are, for those who read them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    pub number: u32,
    pub size: u64,
}

pub struct Writer {
    pub fixed: Arc<Fixed>,
    settings: Arc<Settings>,
    file: Option<Arc<dyn File>>,
    pub state: State,
    /// What the state on disk says.
    pub saved: Lsn,
    saved_number: u32,
    /// Bytes behind `state.position` that are not written yet.
    out: Vec<u8>,
    /// Commits since the last state that was saved: the end of the group, the number in the file.
    clock: VecDeque<(Lsn, i64)>,
    /// The number in the file as of the last state.
    base: i64,
    /// Which transaction has changed the row of a key last; those up to the number may have changed any.
    history: HashMap<u32, i64>,
    history_from: i64,
    pub files: Vec<FileInfo>,
    /// Spilled files that the state on disk may still need.
    spilled: Vec<u64>,
    /// Files get no longer than `max_binlog_size` asks for. Not while recovery completes a file: the variable may be another one than it was,
    /// and where a file had ended before the crash, the state names the next one.
    pub rotates: bool,
    /// A record that was taken from the log and is not in `out`.
    pub pending: Option<(Lsn, Vec<u8>)>,
    /// The file has its last event, and the next one is to be begun: where that event stands. A crash before the next file is there may
    /// take it away again.
    ended: Option<u64>,
    /// A transaction is in `out` by half: nothing more is written, and the next start makes it again.
    broken: Option<Error>,
}

impl Writer {
    /// The files as the last stop left them: what comes after the state is cut off, for it is made again.
    pub async fn open(fixed: Arc<Fixed>, settings: Arc<Settings>, state: State) -> Result<Writer> {
        let mut w = Writer {
            file: None,
            saved: state.lsn,
            saved_number: state.number,
            base: state.sequence,
            history: HashMap::new(),
            history_from: state.sequence,
            state,
            settings,
            out: Vec::new(),
            clock: VecDeque::new(),
            files: Vec::new(),
            spilled: Vec::new(),
            rotates: false,
            pending: None,
            ended: None,
            broken: None,
            fixed,
        };
        w.find_files().await?;
        Ok(w)
    }

    /// Files that the index does not name, or that are newer than the state, are what a crash has left of a purge or of a new file.
    async fn find_files(&mut self) -> Result<()> {
        let (disk, names) = (self.fixed.disk.clone(), self.fixed.names.clone());
        let index = read(disk.as_ref(), &names.index()).await?.unwrap_or_default();
        let mut listed = names.read_index(&String::from_utf8_lossy(&index));
        listed.retain(|n| *n <= self.state.number);
        let there: Vec<u32> = disk.list("").await?.iter().filter_map(|n| names.number(n)).collect();
        for number in there.iter().filter(|n| !listed.contains(n)) {
            disk.remove(&names.file(*number)).await?;
        }
        for number in listed.iter().filter(|n| there.contains(n)) {
            let size = self.fixed.open(*number).await?.len().await?;
            self.files.push(FileInfo { number: *number, size });
        }
        let current = self.files.iter_mut().find(|f| f.number == self.state.number);
        match current {
            Some(f) if f.size >= self.state.position => {
                let file = self.fixed.open(f.number).await?;
                file.truncate(self.state.position).await?;
                f.size = self.state.position;
                self.file = Some(file);
            }
            _ => {}
        }
        self.settle_purged().await?;
        self.save_index().await
    }

    /// Identifiers that no file has any more: those before the first one.
    async fn settle_purged(&mut self) -> Result<()> {
        let before = match self.files.first() {
            Some(f) => previous_of(&self.fixed, f.number).await?,
            None => None,
        };
        let gone = match (before, self.files.is_empty()) {
            (Some(before), _) => before,
            (None, true) => self.state.executed.clone(),
            (None, false) => return Ok(()),
        };
        self.state.purged.union(&gone);
        Ok(())
    }

    async fn save_index(&self) -> Result<()> {
        let numbers: Vec<u32> = self.files.iter().map(|f| f.number).collect();
        let text = self.fixed.names.index_text(&numbers);
        replace(self.fixed.disk.as_ref(), &self.fixed.names.index(), text.as_bytes()).await
    }

    /// The next number of this server, where the set has all that were given before.
    pub fn next_number(executed: &GtidSet, source: &Source) -> u64 {
        let own = executed.sources().find(|(s, _)| *s == source);
        own.and_then(|(_, ranges)| ranges.last()).map_or(1, |(_, end)| end + 1)
    }

    pub fn name(executed: &GtidSet, uuid: [u8; 16], named: &Named) -> Option<Gtid> {
        match named {
            Named::Anonymous => None,
            // An own number that has gone to another transaction meanwhile: no number is used twice.
            Named::Given(gtid) if !executed.contains(gtid) => Some(gtid.clone()),
            Named::Given(_) | Named::Automatic | Named::Next(_) => {
                let source =
                    Source::new(if let Named::Next(other) = named { *other } else { uuid });
                let number = Writer::next_number(executed, &source);
                Gtid::new(source, number).ok()
            }
        }
    }

    /// Has a file that the next record may go to.
    pub async fn ready(&mut self) -> Result<()> {
        if let Some(e) = &self.broken {
            return Err(e.clone());
        }
        if self.file.is_none() || self.ended.is_some() { self.begin_file().await } else { Ok(()) }
    }

    /// Takes a record, whose group ends at `end`, when the file is [`Writer::ready`]. What is gathered is written now and then;
    /// [`Writer::write`] writes the rest.
    pub async fn take(&mut self, end: Lsn, bytes: &[u8]) -> Result<()> {
        let taken = self.take_whole(end, bytes).await;
        if let Err(e) = taken {
            self.broken = Some(e.clone());
            return Err(e);
        }
        self.note_commit(end);
        let is_full = self.end() >= self.settings.max_size();
        // All events of a file have checksums, or none has.
        let other_sums = self.state.checksum != self.settings.checksum();
        if self.rotates && (is_full || other_sums) {
            self.rotate().await?;
        } else if self.out.len() >= WRITE_AT {
            self.write().await?;
        }
        Ok(())
    }

    async fn take_whole(&mut self, end: Lsn, bytes: &[u8]) -> Result<()> {
        let record = Record::decode(bytes).map_err(|e| broken(end, &e))?;
        let gtid = Writer::name(&self.state.executed, self.fixed.uuid, &record.named);
        let sum = if self.state.checksum { CHECKSUM_LEN } else { 0 };
        let overhead = u64::from(record.count) * (HEADER_LEN + sum) as u64;
        self.state.sequence += 1;
        let mut begin = Begin {
            gtid: gtid.clone(),
            may_have_statements: record.may_have_statements,
            last_committed: self.parent(&record),
            sequence_number: self.state.sequence,
            immediate_commit: record.immediate,
            original_commit: record.original,
            length: record.bodies + overhead,
            immediate_version: record.immediate_version,
            original_version: record.original_version,
        };
        let (kind, body) = self.begin_body(&mut begin, sum)?;
        // As in MySQL the header has the time at which it began, which replicas of replicas compare with their clocks.
        let began = if record.original > 0 { record.original } else { record.immediate };
        let seconds = (began / 1_000_000) as u32;
        self.format(record.server_id, (kind, 0, seconds), &body);
        match record.events {
            Events::Inline(bytes) => {
                self.parts(record.server_id, bytes).map_err(|e| broken(end, &e))?
            }
            Events::Packed { raw, bytes } => {
                let bytes = unpack(bytes, raw as usize).map_err(|e| broken(end, &e))?;
                self.parts(record.server_id, &bytes).map_err(|e| broken(end, &e))?;
            }
            Events::Spilled { file, bytes, crc } => {
                self.copy(record.server_id, file, bytes, crc).await?;
            }
        }
        if let Some(gtid) = &gtid {
            self.state.executed.add(gtid);
        }
        Ok(())
    }

    fn note_commit(&mut self, end: Lsn) {
        self.state.lsn = end;
        if self.rotates {
            self.settings.semi_sync.note(end, (self.state.number, self.end()));
        }
        self.clock.push_back((end, self.state.sequence));
        if self.clock.len() > CLOCK_MAX
            && let Some((_, oldest)) = self.clock.pop_front()
        {
            self.base = oldest;
        }
    }

    /// The number of the last commit whose group ends at or below `behind`.
    fn last_before(&self, behind: Lsn) -> i64 {
        let at = self.clock.partition_point(|(end, _)| *end <= behind);
        at.checked_sub(1).map_or(self.base, |at| self.clock[at].1)
    }

    /// The number of the transaction that this one must come behind: by the rows that both have changed, where that is known, or by the locks
    /// that one had when the other asked for them. Either of them is enough.
    fn parent(&mut self, record: &Record<'_>) -> i64 {
        let (by_locks, own) = (self.last_before(record.behind), self.state.sequence);
        let Some(keys) = &record.keys else {
            self.forget_history(own);
            return by_locks;
        };
        let before = keys.iter().filter_map(|k| self.history.insert(*k, own)).max();
        let by_rows = before.unwrap_or(0).max(self.history_from);
        if self.history.len() > HISTORY_MAX {
            self.forget_history(own);
        }
        by_locks.min(by_rows)
    }

    fn forget_history(&mut self, from: i64) {
        self.history.clear();
        self.history_from = from;
    }

    /// The event before the transaction's own; its length counts itself.
    fn begin_body(&self, begin: &mut Begin, sum: usize) -> Result<(Kind, Vec<u8>)> {
        let (tagged, rest) = match &begin.gtid {
            Some(g) => (!g.source.tag.is_empty(), begin.length),
            None => (false, begin.length),
        };
        if tagged {
            return Err(Error::Unsupported("an identifier with a tag in the binary log".into()));
        }
        let kind = if begin.gtid.is_some() { Kind::Gtid } else { Kind::AnonymousGtid };
        loop {
            let mut body = Vec::with_capacity(64);
            encode::begin(begin, &mut body).map_err(|e| Error::Unsupported(e.to_string()))?;
            let length = rest + (HEADER_LEN + body.len() + sum) as u64;
            if begin.length == length {
                return Ok((kind, body));
            }
            begin.length = length;
        }
    }

    fn parts(&mut self, server_id: u32, mut rest: &[u8]) -> weir_binlog::Result<()> {
        let mut time = 0;
        while let Some(part) = cut(&mut rest, &mut time)? {
            self.part(server_id, &part);
        }
        match rest.is_empty() {
            true => Ok(()),
            false => Err(weir_binlog::Error::Malformed("the events of a record")),
        }
    }

    fn part(&mut self, server_id: u32, part: &Part<'_>) {
        self.format(server_id, (part.kind, part.flags, part.time), part.body);
    }

    fn format(&mut self, server_id: u32, head: (Kind, u16, u32), body: &[u8]) {
        let checksum = if self.state.checksum { Checksum::Crc32 } else { Checksum::None };
        let mut encoder = Encoder { server_id, checksum, position: self.end() as u32 };
        encoder.event(head, body, &mut self.out);
    }

    /// Copies a spilled transaction, whose file was written whole before its record was.
    async fn copy(&mut self, server_id: u32, number: u64, bytes: u64, crc: u32) -> Result<()> {
        let name = self.fixed.names.spilled(number);
        let lost = |what: &str| Error::Corrupt {
            what: format!("{what}; the transaction is committed and cannot be in the binary log"),
            place: format!("'{name}'"),
        };
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        let file = self.fixed.disk.open(&name, how).await?;
        if file.len().await? < bytes {
            return Err(lost("the file is too short"));
        }
        let (mut at, mut waiting, mut sum, mut time) = (0u64, Vec::new(), Sum::default(), 0);
        while at < bytes {
            let len = (bytes - at).min(PIECE as u64) as usize;
            let (piece, done) = file.read(at, IoBuf::new(len)).await;
            done?;
            at += len as u64;
            sum.add(&piece);
            waiting.extend_from_slice(&piece);
            let mut rest = &waiting[..];
            while let Some(part) =
                cut(&mut rest, &mut time).map_err(|_| lost("an event cannot be read"))?
            {
                self.part(server_id, &part);
            }
            let left = rest.len();
            waiting.drain(..waiting.len() - left);
            while self.out.len() >= WRITE_AT {
                match self.write().await {
                    // It cannot be given up half-way: room is waited for here, unless the server stops.
                    Err(Error::DiskFull { .. }) if !self.settings.stops() => {
                        self.settings.rt.sleep(Duration::from_secs(1)).await;
                    }
                    done => done?,
                }
            }
        }
        if !waiting.is_empty() || sum.value() != crc {
            return Err(lost("its bytes are not those that were written"));
        }
        self.spilled.push(number);
        Ok(())
    }

    /// The position behind everything that was taken.
    pub fn end(&self) -> u64 {
        self.state.position + self.out.len() as u64
    }

    /// Hands everything that was taken to the system.
    pub async fn write(&mut self) -> Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let Some(file) = &self.file else { return Ok(()) };
        file.write(self.state.position, IoBuf::of(&self.out)).await.1?;
        self.state.position += self.out.len() as u64;
        self.out.clear();
        if let Some(last) = self.files.last_mut() {
            last.size = self.state.position;
        }
        Ok(())
    }

    /// Files that will be there after any crash, as far as they will have the same bytes.
    pub fn readable(&self) -> Vec<FileInfo> {
        let there = self.files.iter().filter(|f| f.number <= self.saved_number);
        let shown = |f: &FileInfo| match self.ended {
            Some(end) if f.number == self.state.number => {
                FileInfo { number: f.number, size: f.size.min(end) }
            }
            _ => f.clone(),
        };
        there.map(shown).collect()
    }

    /// Whether the state on disk lacks something.
    pub fn is_unsaved(&self) -> bool {
        self.state.lsn > self.saved || !self.out.is_empty()
    }

    /// Makes everything durable that was taken, and the state that says so.
    pub async fn save(&mut self) -> Result<()> {
        if let Some(e) = &self.broken {
            return Err(e.clone());
        }
        self.write().await?;
        if let Some(file) = &self.file {
            file.sync().await?;
        }
        let mut state = self.state.clone();
        if let Some(end) = self.ended {
            // The file goes on where its last event stands, if the next file is not there after a crash.
            state.position = end;
        }
        state.save(self.fixed.disk.as_ref()).await?;
        (self.saved, self.saved_number) = (self.state.lsn, self.state.number);
        // What comes next names commits from here on.
        self.clock.clear();
        self.base = self.state.sequence;
        self.forget_history(self.state.sequence);
        for number in std::mem::take(&mut self.spilled) {
            self.fixed.disk.remove(&self.fixed.names.spilled(number)).await?;
        }
        Ok(())
    }

    /// Ends the file with the name of the next one, and begins that.
    pub async fn rotate(&mut self) -> Result<()> {
        if self.file.is_some() && self.ended.is_none() {
            let before = self.end();
            let next = self.fixed.names.file(self.state.number + 1);
            let mut body = Vec::new();
            encode::rotate(&next, MAGIC.len() as u64, &mut body);
            self.format(
                self.settings.server_id(),
                (Kind::Rotate, 0, self.settings.seconds()),
                &body,
            );
            self.ended = Some(before);
        }
        self.begin_file().await
    }

    /// Each start begins a file, without a word at the end of the one before.
    pub async fn rotate_at_start(&mut self) -> Result<()> {
        self.begin_file().await
    }

    /// A clean stop ends the file with an event that says so.
    pub async fn stop(&mut self) -> Result<()> {
        if self.file.is_some() {
            self.format(self.settings.server_id(), (Kind::Stop, 0, self.settings.seconds()), &[]);
            self.save().await?;
            self.file = None;
        }
        Ok(())
    }

    /// Begins the next file. The one before is durable when the state names the new one.
    async fn begin_file(&mut self) -> Result<()> {
        self.write().await?;
        if let Some(old) = &self.file {
            old.sync().await?;
        }
        let number = self.state.number + 1;
        if number > NUMBER_MAX {
            return Err(Error::Unsupported(
                "a file of the binary log behind number 2147483647: RESET BINARY LOGS AND GTIDS"
                    .into(),
            ));
        }
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = self.fixed.disk.open(&self.fixed.names.file(number), how).await?;
        file.truncate(0).await?;
        let (checksum, head) = (self.settings.checksum(), self.head());
        file.write(0, IoBuf::of(&head)).await.1?;
        file.sync().await?;
        // An earlier attempt may have come as far as this.
        self.files.retain(|f| f.number < number);
        self.files.push(FileInfo { number, size: head.len() as u64 });
        self.save_index().await?;
        self.state.number = number;
        self.state.position = head.len() as u64;
        self.state.checksum = checksum;
        self.state.sequence = 0;
        // Numbers of the file before mean nothing in this one, whether or not the state can be saved now.
        self.clock.clear();
        self.base = 0;
        self.forget_history(0);
        self.ended = None;
        self.file = Some(file);
        self.save().await
    }

    /// What each file begins with.
    fn head(&self) -> Vec<u8> {
        let crc = self.settings.checksum();
        let checksum = if crc { Checksum::Crc32 } else { Checksum::None };
        let mut out = MAGIC.to_vec();
        let (server_id, time) = (self.settings.server_id(), self.settings.seconds());
        let mut body = Vec::new();
        encode::format_description(&self.fixed.version, checksum, &mut body);
        // Its own checksum is there whatever the log has.
        let mut encoder =
            Encoder { server_id, checksum: Checksum::Crc32, position: MAGIC.len() as u32 };
        encoder.event((Kind::FormatDescription, 0, time), &body, &mut out);
        body.clear();
        encode::previous_gtids(&self.state.executed, &mut body);
        encoder.checksum = checksum;
        let flags = weir_binlog::event::flag::IGNORABLE;
        encoder.event((Kind::PreviousGtids, flags, time), &body, &mut out);
        out
    }

    /// Removes the files before `keep`. The index forgets them first: what a crash leaves is removed by the next start.
    pub async fn purge(&mut self, keep: u32) -> Result<()> {
        let keep = keep.min(self.state.number);
        let gone: Vec<u32> = self.files.iter().map(|f| f.number).filter(|n| *n < keep).collect();
        if gone.is_empty() {
            return Ok(());
        }
        self.files.retain(|f| f.number >= keep);
        self.settle_purged().await?;
        self.save_index().await?;
        self.save().await?;
        for number in gone {
            self.fixed.disk.remove(&self.fixed.names.file(number)).await?;
        }
        self.fixed.disk.sync_dir("").await?;
        Ok(())
    }

    /// RESET BINARY LOGS AND GTIDS: all files go, and with them what was executed; `number` is that of the next file.
    pub async fn reset(&mut self, number: u32) -> Result<()> {
        let gone: Vec<u32> = self.files.drain(..).map(|f| f.number).collect();
        self.settings.semi_sync.forget_places();
        self.out.clear();
        self.ended = None;
        self.file = None;
        self.state = State {
            base: self.fixed.names.base().to_owned(),
            lsn: self.state.lsn,
            ..State::default()
        };
        // The state that names no file comes first: a start behind it takes all files for gone.
        self.save().await?;
        self.save_index().await?;
        for number in gone {
            self.fixed.disk.remove(&self.fixed.names.file(number)).await?;
        }
        self.state.number = number - 1;
        self.begin_file().await
    }

    /// SET GLOBAL gtid_purged.
    pub async fn add_purged(&mut self, set: &GtidSet) -> Result<()> {
        self.state.executed.union(set);
        self.state.purged.union(set);
        // The new file's head says so to those who look for a file to begin with.
        self.rotate().await
    }

    /// Spilled files that nothing in the redo log names any more, once all of that was taken.
    pub async fn remove_left_over(&mut self) -> Result<()> {
        let (disk, names) = (self.fixed.disk.clone(), self.fixed.names.clone());
        for name in disk.list("").await?.iter().filter(|n| names.is_spilled(n)) {
            disk.remove(name).await?;
        }
        Ok(())
    }
}

impl Fixed {
    pub async fn open(&self, number: u32) -> Result<Arc<dyn File>> {
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        Ok(self.disk.open(&self.names.file(number), how).await?)
    }
}

fn broken(end: Lsn, e: &weir_binlog::Error) -> Error {
    Error::corrupt_log(end, format!("the events of a commit: {e}"))
}
