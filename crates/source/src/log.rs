//! The binary log as the server sees it.

use crate::names::{NUMBER_MAX, Names, STATE};
use crate::owned::Owners;
use crate::reader::{FileReader, previous_of};
use crate::record::{Batch, Record};
use crate::semi_sync::{SemiSync, Spot};
use crate::state::State;
use crate::tickets::Tickets;
use crate::writer::{FileInfo, Fixed, Writer};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use weir_binlog::event::{MAGIC, Sum};
use weir_binlog::{Gtid, GtidSet};
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};
use weir_engine::{Db, Error, Events, Follower, LogFn, Lsn, Result};
use weir_rt::{AsyncMutex, Boxed, Event, Rt, WaitQueue};

/// What a start says of the log.
#[derive(Clone)]
pub struct Options {
    /// The base name of its files.
    pub base: String,
    /// Commits are logged. Off: what an earlier life has left is completed, and can be read.
    pub on: bool,
    /// `gtid_mode`.
    pub gtids: bool,
    pub uuid: [u8; 16],
    /// As clients see it.
    pub version: String,
    pub settings: Arc<Settings>,
    pub log: LogFn,
}

/// Variables that may change while the server runs.
pub struct Settings {
    pub rt: Rt,
    pub server_id: AtomicU32,
    pub checksum: AtomicBool,
    pub max_size: AtomicU64,
    /// `binlog_expire_logs_seconds`; 0: files do not expire.
    pub expire_seconds: AtomicU64,
    pub stopping: AtomicBool,
    pub semi_sync: Arc<SemiSync>,
}

impl Settings {
    pub fn server_id(&self) -> u32 {
        self.server_id.load(Ordering::Relaxed)
    }

    pub fn checksum(&self) -> bool {
        self.checksum.load(Ordering::Relaxed)
    }

    /// The server stops.
    pub fn stops(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    pub fn max_size(&self) -> u64 {
        self.max_size.load(Ordering::Relaxed)
    }

    /// Now, in seconds since 1970.
    pub fn seconds(&self) -> u32 {
        (self.rt.wall_micros() / 1_000_000) as u32
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub position: u64,
}

/// What readers may see.
#[derive(Default)]
struct Told {
    files: Vec<FileInfo>,
    executed: GtidSet,
    purged: GtidSet,
}

/// Why a purge has left files that it was to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    /// The first file that is being read.
    pub file: String,
    pub readers: usize,
    /// How many files were removed, and how many were to be.
    pub purged: usize,
    pub wanted: usize,
}

/// A reader of the files from this one on.
struct Reading {
    id: u64,
    number: u32,
}

pub struct BinaryLog {
    pub(crate) fixed: Arc<Fixed>,
    pub settings: Arc<Settings>,
    on: bool,
    gtids: bool,
    events: Events,
    writer: AsyncMutex<Writer>,
    told: Mutex<Told>,
    /// Woken when files have grown.
    pub grown: WaitQueue,
    readings: Mutex<Vec<Reading>>,
    next_reading: AtomicU64,
    next_spilled: AtomicU64,
    /// The last file when it was last looked for expired ones.
    expired_at: AtomicU32,
    db: OnceLock<Db>,
    stop: Event,
    replicas: Mutex<BTreeMap<u64, Registered>>,
    /// Transactions of other servers that were executed here, whether or not they are in the log.
    others: Mutex<GtidSet>,
    pub(crate) owners: Owners,
    pub(crate) tickets: Tickets,
    log: LogFn,
}

/// A replica that has told who it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Registered {
    pub server_id: u32,
    pub host: String,
    pub port: u16,
    pub uuid: String,
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BinaryLog {
    /// The log of a directory, before its engine is opened; `None`: the directory has no log, and the options ask for no log.
    pub async fn open(disk: Arc<dyn Disk>, o: Options) -> Result<Option<Arc<BinaryLog>>> {
        let state = match State::load(disk.as_ref()).await? {
            None if !o.on => return Ok(None),
            None => State { base: o.base.clone(), ..State::default() },
            Some(state) => state,
        };
        if o.on && state.base != o.base {
            let text =
                "the files of the binary log are called '{}' and not '{}'; start with --log-bin={}";
            let (is, asked) = (&state.base, &o.base);
            return Err(Error::Unsupported(
                text.replacen("{}", is, 1).replacen("{}", asked, 1).replacen("{}", is, 1),
            ));
        }
        let names = Names::new(&state.base);
        let fixed = Arc::new(Fixed { disk, names, uuid: o.uuid, version: o.version });
        let writer = Writer::open(fixed.clone(), o.settings.clone(), state).await?;
        let log = BinaryLog {
            fixed,
            settings: o.settings,
            on: o.on,
            gtids: o.gtids,
            events: Events::default(),
            told: Mutex::new(Told::of(&writer)),
            writer: AsyncMutex::new(writer),
            grown: WaitQueue::new(),
            readings: Mutex::default(),
            next_reading: AtomicU64::new(1),
            next_spilled: AtomicU64::new(1),
            expired_at: AtomicU32::new(0),
            db: OnceLock::new(),
            stop: Event::new(),
            replicas: Mutex::default(),
            others: Mutex::default(),
            owners: Owners::default(),
            tickets: Tickets::default(),
            log: o.log,
        };
        Ok(Some(Arc::new(log)))
    }

    /// The engine is open: what recovery has found is in the files. A log that is on begins a new file and follows from here on.
    pub async fn start(self: &Arc<BinaryLog>, db: &Db) -> Result<()> {
        let mut w = self.writer.lock().await;
        if w.state.lsn > db.durable_lsn() {
            return Err(Error::Corrupt {
                what: "the binary log is newer than the redo log, whose directory is an older one; restore both, or remove the files of \
                       the binary log"
                    .into(),
                place: format!("'{STATE}'"),
            });
        }
        w.save().await?;
        w.rotates = true;
        w.remove_left_over().await?;
        if self.on {
            w.rotate_at_start().await?;
        }
        *lock(&self.told) = Told::of(&w);
        drop(w);
        let first = self.db.set(db.clone()).is_ok();
        assert!(first, "a binary log is started once");
        if self.on {
            let own = self.clone();
            db.rt().spawn("weir-binlog", async move { own.follow().await });
        }
        Ok(())
    }

    fn db(&self) -> Result<&Db> {
        self.db.get().ok_or(Error::ShuttingDown)
    }

    /// Brings commits into the files as they become durable, until the engine stops.
    async fn follow(&self) {
        let Ok(db) = self.db() else { return };
        while !self.stop.is_set() {
            let durable = db.durable_lsn();
            match self.catch_up(durable).await {
                Ok(()) => {}
                Err(Error::DiskFull { file }) => {
                    (self.log)(&format!(
                        "warning: no room for the binary log file '{file}'; commits will wait"
                    ));
                    db.rt().sleep(std::time::Duration::from_secs(1)).await;
                    continue;
                }
                Err(e) => {
                    db.inner().fatal(&e);
                    return;
                }
            }
            self.expire().await;
            if db.until_durable_beyond(durable).await.is_err() {
                return;
            }
        }
    }

    /// Everything whose group ends at or below `durable` is in the files, and readers may see it.
    async fn catch_up(&self, durable: Lsn) -> Result<()> {
        let mut w = self.writer.lock().await;
        self.take_all(&mut w, durable).await
    }

    async fn take_all(&self, w: &mut Writer, durable: Lsn) -> Result<()> {
        // What an earlier call could not write.
        w.write().await?;
        let mut any = false;
        loop {
            // Taken and counted at one moment, so that nobody who adds up the two misses a transaction.
            if w.pending.is_none() {
                let mut told = lock(&self.told);
                w.pending = self.events.take(durable);
                let counted = w.pending.as_ref().and_then(|p| told.count(&p.1, self.fixed.uuid));
                if let Some((ticket, gtid)) = counted {
                    self.tickets.named(ticket, &gtid);
                }
            }
            if w.pending.is_none() {
                break;
            }
            any = true;
            w.ready().await?;
            let Some((end, bytes)) = w.pending.take() else { break };
            w.take(end, &bytes).await?;
        }
        if any {
            w.write().await?;
            self.tell(w);
        }
        Ok(())
    }

    fn tell(&self, w: &Writer) {
        {
            let mut told = lock(&self.told);
            told.files = w.readable();
            told.purged.clone_from(&w.state.purged);
        }
        self.grown.wake_all();
    }

    pub fn is_on(&self) -> bool {
        self.on
    }

    pub fn has_gtids(&self) -> bool {
        self.gtids
    }

    /// The engine ends.
    pub fn stop(&self) {
        self.settings.stopping.store(true, Ordering::Relaxed);
        self.settings.semi_sync.stop();
        self.stop.set();
        self.grown.wake_all();
    }

    /// All that a client may have been told of is in the files.
    pub async fn settle_told(&self) -> Result<()> {
        let end = self.db()?.make_durable().await?;
        self.catch_up(end).await
    }

    /// Transactions that are durable. Those that are not in the files yet are counted as they will be.
    pub fn executed(&self) -> GtidSet {
        self.executed_below(self.db.get().map_or(0, Db::durable_lsn))
    }

    /// Whether there is a transaction of this name, durable or not.
    pub fn knows(&self, gtid: &Gtid) -> bool {
        self.executed_below(Lsn::MAX).contains(gtid)
    }

    fn executed_below(&self, durable: Lsn) -> GtidSet {
        let told = lock(&self.told);
        let mut all = Told { executed: told.executed.clone(), ..Told::default() };
        self.events.each_below(durable, |bytes| drop(all.count(bytes, self.fixed.uuid)));
        all.executed
    }

    /// Transactions that were executed and are in no file: their files were purged, or they were not logged.
    pub fn purged(&self) -> GtidSet {
        let mut all = lock(&self.others).minus(&self.executed());
        all.union(&lock(&self.told).purged);
        all
    }

    /// Channels have executed these.
    pub fn set_others(&self, set: &GtidSet) {
        lock(&self.others).clone_from(set);
    }

    /// Files with their sizes, in order.
    pub fn files(&self) -> Vec<(String, u64)> {
        let told = lock(&self.told);
        told.files.iter().map(|f| (self.fixed.names.file(f.number), f.size)).collect()
    }

    pub(crate) fn infos(&self) -> Vec<FileInfo> {
        lock(&self.told).files.clone()
    }

    /// Where the next event goes.
    pub fn place(&self) -> Place {
        let told = lock(&self.told);
        let last = told.files.last();
        Place {
            file: last.map_or(String::new(), |f| self.fixed.names.file(f.number)),
            position: last.map_or(0, |f| f.size),
        }
    }

    /// Transactions that were executed, and the place behind the last of them: neither has one that the other lacks.
    pub async fn executed_and_place(&self) -> Result<(GtidSet, Place)> {
        let end = self.db()?.make_durable().await?;
        let mut w = self.writer.lock().await;
        self.take_all(&mut w, end).await?;
        let file = self.fixed.names.file(w.state.number);
        Ok((w.state.executed.clone(), Place { file, position: w.end() }))
    }

    /// The number of a file that is there.
    pub fn number_of(&self, name: &str) -> Option<u32> {
        let number = self.fixed.names.number(name)?;
        lock(&self.told).files.iter().any(|f| f.number == number).then_some(number)
    }

    /// A place as a replica names it, whether or not the file is still there.
    pub fn spot_of(&self, name: &str, position: u64) -> Option<Spot> {
        Some((self.fixed.names.number(name)?, position))
    }

    /// The events of a file from `from` on, each with its position.
    pub async fn read(&self, number: u32, from: u64) -> Result<(FileReader, u64)> {
        let end = lock(&self.told).files.iter().find(|f| f.number == number).map_or(0, |f| f.size);
        Ok((FileReader::open(&self.fixed, number, from.max(MAGIC.len() as u64)).await?, end))
    }

    pub(crate) async fn previous(&self, number: u32) -> Result<Option<GtidSet>> {
        previous_of(&self.fixed, number).await
    }

    /// FLUSH BINARY LOGS.
    pub async fn rotate(&self) -> Result<()> {
        self.changed(async |w| w.rotate().await).await
    }

    /// Does something with the files, when all that clients know of is in them.
    async fn changed(&self, change: impl AsyncFnOnce(&mut Writer) -> Result<()>) -> Result<()> {
        let end = self.db()?.make_durable().await?;
        let mut w = self.writer.lock().await;
        self.take_all(&mut w, end).await?;
        let done = change(&mut w).await;
        *lock(&self.told) = Told::of(&w);
        drop(w);
        self.grown.wake_all();
        done
    }

    /// PURGE BINARY LOGS TO. Files that are being read stay, with all later ones.
    pub async fn purge(&self, keep: u32) -> Result<Option<InUse>> {
        let (first, readers) = {
            let readings = lock(&self.readings);
            let first = readings.iter().map(|r| r.number).min().filter(|n| *n < keep);
            (first, readings.iter().filter(|r| Some(r.number) == first).count())
        };
        let before = |limit: u32| self.infos().iter().filter(|f| f.number < limit).count();
        let wanted = before(keep);
        let purged = first.map_or(wanted, before);
        self.changed(async |w| w.purge(first.unwrap_or(keep)).await).await?;
        let file = |n| self.fixed.names.file(n);
        Ok(first.map(|n| InUse { file: file(n), readers, purged, wanted }))
    }

    /// The first file whose last change is not before `seconds` since 1970; its own events tell when that was.
    pub async fn first_since(&self, seconds: u64) -> Result<Option<u32>> {
        let infos = self.infos();
        for pair in infos.windows(2) {
            // The head of the next file was written when this one ended.
            let (next, end) = (pair[1].number, pair[1].size);
            let (event, _) = crate::reader::format_of(&self.fixed, next, end).await?;
            let time = weir_binlog::Header::decode(&event).map_or(0, |h| u64::from(h.timestamp));
            if time >= seconds {
                return Ok(Some(pair[0].number));
            }
        }
        Ok(infos.last().map(|f| f.number))
    }

    /// Removes files that are older than `binlog_expire_logs_seconds`.
    async fn expire(&self) {
        let limit = self.settings.expire_seconds.load(Ordering::Relaxed);
        // As in MySQL, files are looked at when another one begins.
        let last = lock(&self.told).files.last().map_or(0, |f| f.number);
        if limit == 0 || self.expired_at.swap(last, Ordering::Relaxed) == last {
            return;
        }
        let since = u64::from(self.settings.seconds()).saturating_sub(limit);
        let done = match self.first_since(since).await {
            Ok(Some(keep)) if lock(&self.told).files.first().is_some_and(|f| f.number < keep) => {
                self.purge(keep).await.map(drop)
            }
            other => other.map(drop),
        };
        if let Err(e) = done {
            (self.log)(&format!("warning: old files of the binary log cannot be removed: {e}"));
        }
    }

    /// RESET BINARY LOGS AND GTIDS; the next file gets this number.
    pub async fn reset(&self, number: u32) -> Result<()> {
        let number = number.clamp(1, NUMBER_MAX - 1);
        self.changed(async |w| w.reset(number).await).await
    }

    /// SET GLOBAL gtid_purged: these count as executed, and are in no file.
    pub async fn add_purged(&self, set: &GtidSet) -> Result<()> {
        self.changed(async |w| w.add_purged(set).await).await
    }

    /// From now on files from this one on are not purged, until the reading ends.
    pub(crate) fn begin_reading(&self, number: u32) -> u64 {
        let id = self.next_reading.fetch_add(1, Ordering::Relaxed);
        lock(&self.readings).push(Reading { id, number });
        id
    }

    pub(crate) fn reads_on(&self, id: u64, number: u32) {
        if let Some(r) = lock(&self.readings).iter_mut().find(|r| r.id == id) {
            r.number = number;
        }
    }

    pub(crate) fn end_reading(&self, id: u64) {
        lock(&self.readings).retain(|r| r.id != id);
    }

    /// The connection of this number is a replica's. Those of the same replica that were there before are returned: they are over.
    pub fn register(&self, connection: u64, replica: Registered) -> Vec<u64> {
        let mut all = lock(&self.replicas);
        let same = |r: &Registered| !r.uuid.is_empty() && r.uuid == replica.uuid;
        let old = all.iter().filter(|(id, r)| **id != connection && same(r));
        let old: Vec<u64> = old.map(|(id, _)| *id).collect();
        old.iter().for_each(|id| drop(all.remove(id)));
        all.insert(connection, replica);
        old
    }

    pub fn is_registered(&self, connection: u64) -> bool {
        lock(&self.replicas).contains_key(&connection)
    }

    pub fn unregister(&self, connection: u64) {
        lock(&self.replicas).remove(&connection);
    }

    /// In the order of their connections.
    pub fn replicas(&self) -> Vec<Registered> {
        lock(&self.replicas).values().cloned().collect()
    }

    /// A file for the events of a transaction that is too long for the redo log.
    pub async fn spill(&self) -> Result<Spill> {
        let number = self.next_spilled.fetch_add(1, Ordering::Relaxed);
        let name = self.fixed.names.spilled(number);
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        let file = self.fixed.disk.open(&name, how).await?;
        file.truncate(0).await?;
        Ok(Spill {
            file,
            disk: self.fixed.disk.clone(),
            name,
            number,
            bytes: 0,
            sum: Sum::default(),
        })
    }
}

/// Events of a long transaction on their way to a file.
pub struct Spill {
    file: Arc<dyn File>,
    disk: Arc<dyn Disk>,
    name: String,
    number: u64,
    bytes: u64,
    sum: Sum,
}

impl Spill {
    pub async fn append(&mut self, batch: &mut Batch) -> Result<()> {
        self.file.write(self.bytes, IoBuf::of(&batch.bytes)).await.1?;
        self.bytes += batch.bytes.len() as u64;
        self.sum.add(&batch.bytes);
        batch.bytes.clear();
        Ok(())
    }

    /// Makes the file durable; what a record says of it.
    pub async fn finish(self) -> Result<crate::record::Events<'static>> {
        self.file.sync().await?;
        self.disk.sync_dir("").await?;
        Ok(crate::record::Events::Spilled {
            file: self.number,
            bytes: self.bytes,
            crc: self.sum.value(),
        })
    }

    /// The transaction will not be committed.
    pub async fn give_up(self) {
        // What stays is removed by the next start.
        _ = self.disk.remove(&self.name).await;
    }
}

impl Told {
    fn of(w: &Writer) -> Told {
        Told {
            files: w.readable(),
            executed: w.state.executed.clone(),
            purged: w.state.purged.clone(),
        }
    }

    /// Counts the transaction of a record. Returns its name where its session waits for that, with the ticket.
    fn count(&mut self, bytes: &[u8], uuid: [u8; 16]) -> Option<(u64, Gtid)> {
        let record = Record::decode(bytes).ok()?;
        let gtid = Writer::name(&self.executed, uuid, &record.named)?;
        self.executed.add(&gtid);
        Some((record.ticket?, gtid))
    }
}

/// How long a checkpoint that the files are not ready for waits before it is given up: the engine asks again at once.
const NOT_NOW: std::time::Duration = std::time::Duration::from_millis(50);

impl BinaryLog {
    async fn not_now(&self) -> Result<bool> {
        self.settings.rt.sleep(NOT_NOW).await;
        Ok(false)
    }
}

impl Follower for BinaryLog {
    fn events(&self) -> &Events {
        &self.events
    }

    fn recovered<'a>(&'a self, end: Lsn, events: &'a [u8]) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            let mut w = self.writer.lock().await;
            if end <= w.state.lsn {
                return Ok(());
            }
            w.ready().await?;
            w.take(end, events).await
        })
    }

    fn settle(&self, lsn: Lsn, stops: bool) -> Boxed<'_, Result<bool>> {
        Box::pin(async move {
            if stops {
                self.stop();
            }
            let mut w = match stops {
                true => self.writer.lock().await,
                // A long transaction is on its way to the files.
                false => match self.writer.try_lock() {
                    Some(w) => w,
                    None => return self.not_now().await,
                },
            };
            let done = async {
                self.take_all(&mut w, lsn).await?;
                if w.is_unsaved() {
                    w.save().await?;
                }
                if stops && self.on { w.stop().await } else { Ok(()) }
            };
            match done.await {
                Ok(()) => Ok(true),
                Err(Error::DiskFull { .. }) if !stops => {
                    drop(w);
                    self.not_now().await
                }
                Err(e) => Err(e),
            }
        })
    }
}
