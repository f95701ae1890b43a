//! Floor 7: the engine as a whole. Options and the public handle; `open` makes or recovers it; `tasks` starts and ends what runs in
//! the background: the page cleaner with its helpers (`cleaner`), and the task that writes down what happened (`recorder`).

mod cleaner;
mod definitions;
mod events;
mod make;
mod open;
mod readers;
mod recorder;
mod sweeper;
mod tasks;
mod writers;

use crate::btree::{self, LeafHint};
use crate::catalog::Catalog;
use crate::dict;
use crate::error::{Error, LogFn, Result};
use crate::force::Force;
use crate::history::printed::Printed;
use crate::history::report::Details;
use crate::ids::{Lsn, Xid};
use crate::log::Keep;
use crate::log::deferred_ack::Answer;
use crate::log::events::Follower;
use crate::page;
use crate::policy::{self, Settings as FlushSettings};
use crate::recovery::Report;
use crate::row::{PhysCol, RowForm, RowLayout};
use crate::scratch::Scratch;
use crate::settings::ChangeBufferLimits;
use crate::space;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::table::{HeldTables, MdlHold, MdlMode, SchemaDef, Table};
use crate::txn::{
    Alone, Durability, EachNow, Hold, KeysNow, Owed, RowChange, System, Txn, TxnOptions, UndoLimits,
};
use crate::waits::stall::Stalls;
use recorder::Outbox;
use std::ops::Deref;
use std::sync::Arc;
use weir_disk::{Disk, Mode};
use weir_rt::{Actor, Boxed, Event, Interrupt, JoinHandle, Rt, acting};

pub use open::redo_files;

pub type FatalFn = Arc<dyn Fn(&Error) + Send + Sync>;

/// How long a check waits for the table's users where nobody set a limit.
const CHECK_WAITS: std::time::Duration = std::time::Duration::from_secs(3600);

/// Settings at start. Sizes in bytes.
#[derive(Clone)]
pub struct Options {
    /// Chosen when the directory is made; later it must agree (0: whatever is there).
    pub page_size: usize,
    pub buffer_pool: u64,
    pub redo_capacity: u64,
    /// The redo log begins with its least number of files and gets others when these fill up. Otherwise they are all made by the first start.
    pub redo_on_demand: bool,
    pub log_buffer: usize,
    pub data_mode: Mode,
    pub log_mode: Mode,
    /// How many files of spaces are open at once (`innodb_open_files`).
    pub open_files: usize,
    pub doublewrite: bool,
    pub flush: FlushSettings,
    /// One of `policy::NAMES`.
    pub flush_policy: &'static str,
    /// Keep the history of flushing in a file; a server's default is yes.
    pub flight_recorder: bool,
    /// No commit for so long while sessions wait is a stall, which is reported and kept; 0: not watched.
    pub stall_seconds: u64,
    pub undo: UndoLimits,
    pub change_buffer: ChangeBufferLimits,
    /// Pages that a scan reads ahead at most; 0: none are.
    pub read_ahead: usize,
    /// Bytes of entries that an index build sorts in memory; more go to disk in runs (`innodb_sort_buffer_size`).
    pub sort_bytes: usize,
    /// Bytes of changes beside the build of an index that are remembered (`innodb_online_alter_log_max_size`).
    pub row_log_bytes: usize,
    pub log: LogFn,
    /// Called once when the engine cannot go on (failed sync); a server ends the process here.
    pub fatal: FatalFn,
    /// `innodb_force_recovery`.
    pub force: Force,
    /// Background tasks; off only in tests that drive them by hand.
    pub background: bool,
    /// How far an archive of the log has come: the log is kept from there on until somebody follows it.
    pub archived: Option<ArchivedFn>,
    /// Anyone who brings the events of commits into files.
    pub follower: Option<Arc<dyn Follower>>,
}

/// Gives the LSN, for the id and the history of the directory.
pub type ArchivedFn = Arc<dyn Fn(&[u8; 16], u64) -> Option<Lsn> + Send + Sync>;

impl Default for Options {
    fn default() -> Options {
        Options {
            page_size: 0,
            buffer_pool: 128 << 20,
            redo_capacity: 100 << 20,
            redo_on_demand: false,
            log_buffer: 16 << 20,
            data_mode: Mode::Buffered,
            log_mode: Mode::Buffered,
            open_files: crate::files::OPEN_FILES,
            doublewrite: true,
            flush: FlushSettings::default(),
            flush_policy: policy::DEFAULT,
            flight_recorder: false,
            stall_seconds: 2,
            undo: UndoLimits::default(),
            change_buffer: ChangeBufferLimits::default(),
            read_ahead: 32,
            sort_bytes: 16 << 20,
            row_log_bytes: 128 << 20,
            log: Arc::new(|_| {}),
            fatal: Arc::new(|_| {}),
            force: Force::default(),
            background: true,
            archived: None,
            follower: None,
        }
    }
}

/// Everything of an open engine; `Db` is the handle to it.
pub struct Inner {
    /// What is defined; on it stands the transaction system, which `Inner` is seen as where nothing else is said.
    pub catalog: Catalog,
    /// What the history's seconds were waited for, and the stalls among them.
    pub details: Details,
    pub stalls: Stalls,
    /// The monitor's last print.
    pub printed: Printed,
    pub outbox: Outbox,
    fatal: FatalFn,
    fatal_done: AtomicBool,
    tasks: Mutex<Vec<JoinHandle<()>>>,
    /// Tells the page cleaner, which outlives the other tasks.
    pub stop_cleaner: Event,
    cleaner: Mutex<Vec<JoinHandle<()>>>,
    /// Tells the recorder, the last of all: what a stop writes is part of the history. The flight recorder ends after it.
    pub stop_recorder: Event,
    recorder: Mutex<Vec<JoinHandle<()>>>,
    pub recovery: Report,
    background: bool,
    /// The log that an archive still has to copy, until somebody follows it.
    pub kept_log: Mutex<Option<Keep>>,
    /// Files without a name that were opened for statements.
    scratches: AtomicU64,
    scratch_used: Arc<crate::scratch::Used>,
}

impl Deref for Inner {
    type Target = System;

    fn deref(&self) -> &System {
        &self.catalog
    }
}

impl Inner {
    /// The engine cannot keep its promise any more: everybody who waits gets the error, and the owner's callback runs once.
    pub fn fatal(&self, e: &Error) {
        self.core.log.stop(e.clone());
        self.core.pool.stop(e.clone());
        if !self.fatal_done.swap(true, Ordering::AcqRel) {
            (self.log)(&format!("fatal: {e}"));
            (self.fatal)(e);
        }
    }
}

/// An open database. Cheap to clone; the engine ends with `shutdown` (or, like after a crash, without).
#[derive(Clone)]
pub struct Db(pub(crate) Arc<Inner>);
impl Db {
    /// Opens the data directory, making it when it is empty, recovering it when it was not closed.
    pub fn open(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Boxed<'_, Result<Db>> {
        Box::pin(async move {
            // What opening waits for is no session's wait.
            acting(Actor::BACKGROUND, Db::open_or_make(rt, disk, o)).await
        })
    }

    async fn open_or_make(rt: &Rt, disk: Arc<dyn Disk>, o: Options) -> Result<Db> {
        (o.log)(&format!("storage: {}", disk.describe()));
        disk.create_dir(crate::log::DIR).await?;
        disk.create_dir(space::DIR).await?;
        if disk.exists(crate::log::control::FILE).await? {
            // A process that was killed may have left names that only the system's memory has.
            disk.sync_dir("").await?;
            open::open_existing(rt, disk, o).await
        } else {
            make::bootstrap(rt, disk, o).await
        }
    }

    pub fn rt(&self) -> &Rt {
        &self.0.rt
    }

    pub fn begin(&self, o: TxnOptions) -> Txn {
        Txn::new(self.0.catalog.system(), o)
    }

    /// Reads the row with a full key of a unique index as a transaction of this read alone would. Within `None`: the read would have to
    /// wait for something, or has more to tell than a row; nothing was done, and [`Txn::get`] does it. `uncommitted`: the newest version.
    pub fn read_now(
        &self,
        t: &Table,
        index: usize,
        key: &[u8],
        uncommitted: bool,
        out: &mut Vec<u8>,
    ) -> Option<bool> {
        let system: &System = &self.0;
        system.read_now(t, index, key, uncommitted, crate::txn::copy(out))
    }

    /// The same by the clustered key alone, and the newest committed version is not copied but given to `to`, with its leaf latched.
    pub(crate) fn give_now(&self, t: &Table, key: &[u8], to: impl FnOnce(&[u8])) -> Option<bool> {
        let system: &System = &self.0;
        system.read_now(t, 0, key, false, to)
    }

    /// The same for the rows of a few keys that follow one another in the clustered index, each of which is given to `each` with its leaf
    /// latched. Their number; within `None` what was given is to be taken back.
    pub fn read_range_now(
        &self,
        t: &Table,
        keys: KeysNow<'_>,
        uncommitted: bool,
        each: EachNow<'_>,
    ) -> Option<usize> {
        self.0.read_range_now(t, keys, uncommitted, each)
    }

    /// Changes the row with a full key of a unique index as a transaction of this write alone would. `by`: the session, and how durable the
    /// commit is to be. `None`: it would have to wait for something, or does more than to change a row in its page; nothing was done, and a
    /// [`Txn`] does it.
    pub fn change_alone(
        &self,
        t: &Table,
        key: (usize, &[u8]),
        change: RowChange<'_>,
        by: (u64, Durability),
    ) -> Option<Result<Alone>> {
        self.0.change_alone(t, key, change, by)
    }

    /// A row by its clustered key for a caller who is going to change it, with the place of its leaf; within `Some(None)` there is none. `None`: as
    /// [`Db::read_now`].
    pub(crate) fn read_to_change(
        &self,
        t: &Table,
        key: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Option<LeafHint>> {
        self.0.read_to_change(t, key, out)
    }

    /// As [`Db::change_alone`], of a row that was read so.
    pub(crate) fn change_alone_at(
        &self,
        t: &Table,
        key: (&[u8], LeafHint),
        change: RowChange<'_>,
        by: (u64, Durability),
    ) -> Option<Result<Alone>> {
        self.0.change_alone_at(t, key, change, by)
    }

    /// The same for the insertion of a row.
    pub fn insert_alone(
        &self,
        t: &Table,
        row: &[u8],
        by: (u64, Durability),
    ) -> Option<Result<Alone>> {
        self.0.insert_alone(t, row, by)
    }

    /// Waits for what a commit owes; see [`Owed`].
    pub async fn settle_commit(&self, owed: Owed) -> Result<()> {
        owed.settle(&self.0).await
    }

    /// Whether somebody writes the log who would take an answer by [`Db::leave_answer`].
    pub fn takes_answers(&self) -> bool {
        self.0.core.log.takes_answers()
    }

    /// Leaves the answer to a commit to anyone who writes the log. False: nobody would give it soon, and the caller settles.
    pub fn leave_answer(&self, owed: Owed, answer: &Arc<dyn Answer>) -> bool {
        owed.leave(&self.0, answer)
    }

    /// From now on answers can be left, until the engine stops.
    pub fn serve_answers(&self) {
        tasks::spawn_answers(&self.0);
    }

    /// Names of the prepared transactions that wait for their outcome.
    pub fn prepared(&self) -> Vec<Xid> {
        self.0.prepared.names()
    }

    /// Is there a transaction that is prepared, or just being prepared or ended, under this name?
    pub fn knows_prepared(&self, xid: &Xid) -> bool {
        self.0.prepared.knows(xid)
    }

    /// The second phase of a distributed commit; `false`: no prepared transaction of this name waits. After an error it waits
    /// again, unless the outcome is not known to be durable.
    pub fn commit_prepared<'a>(
        &'a self,
        xid: &'a Xid,
        o: TxnOptions,
        d: Durability,
    ) -> Boxed<'a, Result<bool>> {
        self.commit_prepared_with(xid, o, d, (None, None))
    }

    /// The same with events that ride with the commit, and with what holds it.
    pub fn commit_prepared_with<'a>(
        &'a self,
        xid: &'a Xid,
        o: TxnOptions,
        d: Durability,
        (events, hold): (Option<Vec<u8>>, Option<Hold>),
    ) -> Boxed<'a, Result<bool>> {
        Box::pin(async move {
            let Some(mut txn) = self.begin_end_of_prepared(xid, o)? else { return Ok(false) };
            events.into_iter().for_each(|e| txn.carry_events(e));
            hold.into_iter().for_each(|h| txn.hold_commit(h));
            txn.commit(d).await.map(|()| true)
        })
    }

    /// As `commit_prepared`, with the other outcome.
    pub fn rollback_prepared<'a>(
        &'a self,
        xid: &'a Xid,
        o: TxnOptions,
        d: Durability,
    ) -> Boxed<'a, Result<bool>> {
        self.rollback_prepared_with(xid, o, d, None)
    }

    /// The same with events that ride with the decision.
    pub fn rollback_prepared_with<'a>(
        &'a self,
        xid: &'a Xid,
        o: TxnOptions,
        d: Durability,
        events: Option<Vec<u8>>,
    ) -> Boxed<'a, Result<bool>> {
        Box::pin(async move {
            let Some(mut txn) = self.begin_end_of_prepared(xid, o)? else { return Ok(false) };
            events.into_iter().for_each(|e| txn.carry_events(e));
            txn.rollback_of_prepared(d).await.map(|()| true)
        })
    }

    fn begin_end_of_prepared(&self, xid: &Xid, o: TxnOptions) -> Result<Option<Txn>> {
        self.0.core.log.failure()?;
        self.0.force.may_write()?;
        Ok(Txn::of_prepared(&self.0.catalog.system(), xid, o))
    }

    pub fn schemas(&self) -> Vec<Arc<SchemaDef>> {
        self.0.catalog.schemas()
    }

    pub fn schema(&self, name: &str) -> Option<Arc<SchemaDef>> {
        self.0.catalog.schema(name)
    }

    /// Tables of a schema, sorted by name.
    pub fn tables(&self, schema: &str) -> Vec<Arc<Table>> {
        self.0.catalog.tables(schema)
    }

    pub fn table(&self, schema: &str, name: &str) -> Option<Arc<Table>> {
        self.0.catalog.table(schema, name)
    }

    /// Bytes of the buffer pool that are real memory by now, and those of the whole pool.
    pub fn pool_memory(&self) -> (usize, usize) {
        self.0.core.pool.memory()
    }

    /// Bytes of the log's buffer that are real memory by now.
    pub fn log_buffer_memory(&self) -> u64 {
        self.0.core.log.buffer_memory()
    }

    /// Row locks and requests for them, and about the bytes that they take.
    pub fn lock_memory(&self) -> (usize, u64) {
        self.0.locks.memory()
    }

    /// Bumped by every DDL.
    pub fn catalog_version(&self) -> u64 {
        self.0.catalog.version()
    }

    pub fn check_table<'a>(
        &'a self,
        t: &'a Arc<Table>,
        interrupt: &'a Interrupt,
    ) -> Boxed<'a, Result<Vec<String>>> {
        Box::pin(async move { self.0.catalog.check_table(t, interrupt, None, CHECK_WAITS).await })
    }

    /// The same for a session that may have locked the table itself, and that waits at most `limit` for those that use it.
    pub fn check_table_of<'a>(
        &'a self,
        t: &'a Arc<Table>,
        interrupt: &'a Interrupt,
        held: Option<&'a HeldTables>,
        limit: std::time::Duration,
    ) -> Boxed<'a, Result<Vec<String>>> {
        Box::pin(async move { self.0.catalog.check_table(t, interrupt, held, limit).await })
    }

    /// Locks a table for a session that keeps the lock across transactions ([`HeldTables`]).
    pub fn lock_table<'a>(
        &'a self,
        t: &'a Arc<Table>,
        mode: MdlMode,
        limit: std::time::Duration,
        interrupt: &'a Interrupt,
    ) -> Boxed<'a, Result<MdlHold>> {
        Box::pin(async move { t.mdl_for(&self.0.rt, limit, interrupt, mode).await })
    }

    /// Makes the change buffers that tables have come to be worth while the session has them for itself alone. The sweep, which makes
    /// them else, cannot get at such a table; a dump may be loaded into it for hours.
    pub fn make_wanted_buffers<'a>(&'a self, held: &'a HeldTables) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            let catalog = &self.0.catalog;
            let worth = self.0.settings.change_buffer.worth_of(self.0.core.pool.size());
            for t in held.alone().into_iter().filter_map(|id| catalog.by_id(id)) {
                for index in t.indexes.iter().filter(|i| i.buffer.was_wanted()) {
                    if index.tree.leaves() == 0 {
                        let (leaves, _) = btree::leaf_statistics(&self.0.core, &index.tree).await?;
                        index.tree.set_leaves(leaves);
                    }
                    if index.tree.leaves() > worth {
                        catalog.make_buffer(t.def.id, index.id, Some(held)).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Everything that is wrong with what belongs to no table: the dictionary's tree, the maps of the system and undo spaces.
    /// For an engine in which no transaction is under way.
    pub fn check_spaces(&self) -> Boxed<'_, Result<Vec<String>>> {
        Box::pin(async move { self.0.catalog.check_spaces().await })
    }

    /// How many half trees and lists of dropped tables the next start would have to finish.
    pub fn left_to_finish(&self) -> Boxed<'_, Result<usize>> {
        Box::pin(async move { self.0.catalog.left_to_finish().await })
    }

    pub fn analyze_table<'a>(&'a self, t: &'a Arc<Table>) -> Boxed<'a, Result<()>> {
        Box::pin(async move { self.0.catalog.analyze_table(t, None).await })
    }

    /// The same for a session that may have locked the table itself.
    pub fn analyze_table_of<'a>(
        &'a self,
        t: &'a Arc<Table>,
        held: Option<&'a HeldTables>,
    ) -> Boxed<'a, Result<()>> {
        Box::pin(async move { self.0.catalog.analyze_table(t, held).await })
    }

    /// Samples keys again when the table has changed much since the last time: a few page reads, for planners.
    pub fn refresh_statistics<'a>(&'a self, t: &'a Arc<Table>) -> Boxed<'a, Result<()>> {
        Box::pin(async move { self.0.catalog.refresh_statistics(t).await })
    }

    /// Estimated rows in a range of an index: a few page reads, no locks of rows. `TableChanged` while DDL is at work.
    pub fn estimate_range<'a>(
        &'a self,
        t: &'a Arc<Table>,
        index: usize,
        start: &'a [u8],
        end: Option<&'a [u8]>,
    ) -> Boxed<'a, Result<u64>> {
        Box::pin(async move {
            let _hold = t.mdl_glance()?;
            // Of many partitions some speak for all.
            const LOOKED_AT: usize = 16;
            let (mut sum, every) = (0, t.stored().len().div_ceil(LOOKED_AT));
            for part in t.stored().iter().step_by(every) {
                part.met().await?;
                let trees = part.indexes[index].trees();
                sum += match crate::change_buffer::estimate(&self.0.core, trees, start, end).await?
                {
                    crate::btree::Estimate::Cells(n) => n,
                    crate::btree::Estimate::Share(s) => {
                        (s * part.estimated_rows() as f64) as u64 + 1
                    }
                };
            }
            Ok(sum * every as u64)
        })
    }

    /// A small durable key-value store for accounts and the like. Each call is atomic and durable.
    pub fn meta_put<'a>(&'a self, key: &'a [u8], value: &'a [u8]) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            let _one = self.0.catalog.ddl().await;
            let key = meta_key(key);
            self.0.catalog.dict.write(&self.0.core, &[(key, Some(value.to_vec()))]).await
        })
    }

    pub fn meta_get<'a>(&'a self, key: &'a [u8]) -> Boxed<'a, Result<Option<Vec<u8>>>> {
        Box::pin(async move { self.0.catalog.dict.get(&self.0.core, &meta_key(key)).await })
    }

    /// Has the entry written in the same step as the next definition statement, or `meta_put`, of the session that acts on this thread, as
    /// long as what it gives back lives.
    pub fn ride(&self, key: &[u8], value: Vec<u8>) -> dict::Rider {
        self.0.catalog.dict.wait_rider(key, value)
    }

    pub fn meta_delete<'a>(&'a self, key: &'a [u8]) -> Boxed<'a, Result<()>> {
        Box::pin(async move {
            self.0.force.may_define()?;
            let _one = self.0.catalog.ddl().await;
            self.0.catalog.dict.write(&self.0.core, &[(meta_key(key), None)]).await
        })
    }

    /// The same with events of the log in place of an entry; see [`Follower`].
    pub fn ride_with_events(&self, events: Vec<u8>) -> dict::Rider {
        self.0.catalog.dict.wait_rider_with(events)
    }

    /// A file without a name, for what a statement has more of than its memory takes. `quota`: bytes that all such files may have together.
    pub fn scratch(&self, quota: u64) -> Boxed<'_, Result<Scratch>> {
        Box::pin(async move {
            let number = self.0.scratches.fetch_add(1, Ordering::Relaxed);
            let disk = self.0.core.spaces.disk();
            let file = Scratch::open(disk.as_ref(), &format!("q{number}")).await?;
            Ok(file.with_quota(self.0.scratch_used.clone(), quota))
        })
    }

    /// Bytes that the files of [`Db::scratch`] have now.
    pub fn scratch_bytes(&self) -> u64 {
        self.0.scratch_used.bytes()
    }

    pub fn max_key_bytes(&self) -> usize {
        page::slotted::max_key(self.0.core.spaces.page_size())
    }

    pub fn page_size(&self) -> usize {
        self.0.core.spaces.page_size()
    }

    /// As which a table that is made now keeps rows of these columns; an error, if none could ever be stored.
    pub fn form_of_rows(&self, columns: &[PhysCol]) -> Result<RowForm> {
        crate::txn::external::form_of_rows(columns, self.page_size())
    }

    /// Whether two rows of the layout that have nothing but what is of fixed width share a page.
    pub fn rows_share_pages(&self, layout: &RowLayout) -> bool {
        layout.least() <= crate::txn::external::longest_inline(self.page_size())
    }

    pub fn recovery_report(&self) -> &Report {
        &self.0.recovery
    }

    /// Stops the background tasks, writes everything, and marks the directory as closed.
    pub fn shutdown(&self) -> Boxed<'_, Result<()>> {
        Box::pin(async move { acting(Actor::BACKGROUND, self.stop()).await })
    }

    async fn stop(&self) -> Result<()> {
        let db = &self.0;
        db.stop_tasks().await;
        if !db.force.recovers() {
            db.stop_recorder().await;
            (db.log)("shutdown complete; nothing was written");
            return Ok(());
        }
        let settled = if db.force.read_only() { Ok(()) } else { db.settle().await };
        db.stop_cleaner().await;
        let written = match settled {
            Ok(()) => db.core.pool.flush_all(&db.core.log).await,
            failed => failed,
        };
        db.stop_recorder().await;
        written?;
        // What is appended from here on is refused, so the log ends exactly where the checkpoint says.
        let end = db.core.log.close().await?;
        db.core.log.write_checkpoint(end, true).await?;
        // An older list is a lower bound, too.
        if db.core.log.checkpoint() == end
            && let Err(e) = db.core.spaces.write_witnesses().await
        {
            (db.log)(&format!("warning: cannot write '{}': {e}", crate::files::WITNESSES));
        }
        (db.log)("shutdown complete");
        Ok(())
    }

    /// The engine's insides, for tests, tools and the simulator.
    pub fn inner(&self) -> &Arc<Inner> {
        &self.0
    }
}

/// Dictionary key of an entry of the owner's key-value store.
fn meta_key(key: &[u8]) -> Vec<u8> {
    dict::key(dict::kind::META, key)
}
