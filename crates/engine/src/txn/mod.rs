//! Floor 5: transactions. Ids and commit numbers, read views, undo, row operations, savepoints, rollback, purge.
//!
//! May use: `btree`, `lock`, `mtr`, `space`, `row`, and the table handles of `table`.
//!
//! Rows. A clustered leaf cell is `key -> flags 1 | transaction id 6 | roll pointer 7 | row`; a secondary leaf cell is
//! `columns + clustered key -> flags 1 | offset of the clustered key 2`. The only flag is the delete mark.
//! A roll pointer names the undo record that turns the row back into its previous version.
//!
//! Invariants
//! - I11: undo that a registered view may need is not purged. A view is registered under the same mutex under which it is
//!   built, and a committing transaction counts as active until its commit number is in the log.
//! - Versions are built under the latch of the clustered leaf: rollback truncates undo only under the exclusive one.
//! - An undo record and the row change it undoes are one mini-transaction; so are a rolled-back change and the truncation
//!   of its undo record. Rollback after a crash therefore does each step exactly once. (Where a deleted row of another transaction is given
//!   back, the truncation comes later: the row then is no longer the transaction's, which is how the second time is recognised.)
//! - Purge removes a secondary entry only while it holds the clustered leaf of the row and has seen that no version that
//!   some view may want has this entry.

mod ahead;
mod alone;
mod between;
mod boxed;
mod bulk;
mod committed;
mod cover;
mod ending;
mod entries;
pub mod external;
mod gained;
mod give_up;
mod now;
mod obsolete;
mod owed;
mod pending;
mod prepared;
mod purge;
mod read;
mod rollback;
mod row_log;
mod rows;
mod scan;
mod secondary;
pub(crate) mod slots;
mod step;
mod sys;
mod system;
mod told;
mod turn;
pub mod undo;
mod undo_truncate;
mod version;
mod view;
mod write_now;

pub use between::Between;
pub use bulk::RowList;
use ending::Ending;
pub use prepared::{Detached, Prepared};
pub(crate) use purge::{Kept, kept_for};
pub use purge::{Purge, purge};
pub use read::RowBuf;
pub use rollback::{RollbackTarget, rollback_log};
pub use row_log::{Hold, RowLog};
pub use scan::{Cursor, LeafRead, LeafRows, ScanSpec};
pub use slots::UndoSlots;
use step::{Need, RowAttempt, met_a_lock};
pub use sys::{HEADER_TRX_ID, TrxSys};
pub use system::{Orphans, Stats, System};
pub use turn::{Turn, Turns};
pub use undo::UndoPosition;
pub(crate) use undo::next_page_of as next_undo_page;
pub use undo_truncate::{Truncation, UndoLimits, truncate_undo};
/// Value of a live secondary cell whose columns take `columns` bytes.
pub(crate) fn secondary_value(columns: usize) -> [u8; 3] {
    secondary::value(0, columns)
}

/// Clustered key and delete mark of a secondary cell; `None`: the cell is damaged.
pub(crate) fn entry_parts<'a>(entry: &'a [u8], value: &[u8]) -> Option<(&'a [u8], bool)> {
    // In a buffer tree there may be padding behind the three bytes.
    let whole = value.len() >= VALUE && secondary::pk_offset(value) <= entry.len();
    whole.then(|| read::secondary_parts(entry, value))
}

pub use alone::Alone;
pub use now::{EachNow, KeysNow};
pub(crate) use now::{Piece, copy};
pub use owed::Owed;
pub(crate) use version::visible;
pub use version::{HEADER as ROW_HEADER, RowHeader};
pub use view::View;
pub use write_now::{Made, RowChange};

use crate::change_buffer::VALUE;
use crate::error::{Error, Result};
use crate::ids::{TrxId, Xid};
use crate::lock::TrxLocks;
use crate::patience;
use crate::planted::{self, Bug};
use crate::sync::atomic::Ordering;
use crate::table::{HeldTables, MdlHold, MdlMode, Table};
use std::sync::Arc;
use std::time::Duration;
use weir_rt::{Boxed, Interrupt};

/// How far transactions see of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// Reads see what others have not committed.
    ReadUncommitted,
    /// Each read sees what was committed when it began.
    ReadCommitted,
    /// All reads see what was committed when the first one began.
    RepeatableRead,
    /// As before, and what was read stays as it is until the transaction ends.
    Serializable,
}

impl Isolation {
    /// Locks gaps, so that ranges once read do not get new rows.
    pub fn locks_gaps(self) -> bool {
        self >= Isolation::RepeatableRead
    }
}

impl PartialOrd for Isolation {
    fn partial_cmp(&self, other: &Isolation) -> Option<std::cmp::Ordering> {
        Some((*self as u8).cmp(&(*other as u8)))
    }
}

/// How far a commit has come when it returns: `innodb_flush_log_at_trx_commit` of the committing session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// 0: nothing at commit; written and synced about once a second.
    Lazy,
    /// 1: written and synced before commit returns.
    Flush,
    /// 2: written at commit, synced about once a second.
    Write,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockMode {
    None,
    Shared,
    Exclusive,
}

/// What to do on a locked row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnLocked {
    Wait,
    NoWait,
    SkipLocked,
    /// A semi-consistent read: at the levels without gap locks a scan of the clustered index reads the last committed version of a
    /// locked row and takes no lock. A caller that wants the row calls [`Cursor::insist`] and reads it again. Every other read waits.
    Committed,
}

impl OnLocked {
    pub(crate) fn waits(self) -> bool {
        matches!(self, OnLocked::Wait | OnLocked::Committed)
    }
}

#[derive(Clone)]
pub struct TxnOptions {
    pub isolation: Isolation,
    /// No table is written but those of `private_schema`.
    pub read_only: bool,
    /// Its tables belong to one session each: a READ ONLY transaction may write them, and nobody else sees what was written.
    pub private_schema: &'static str,
    /// Longest wait for a row's lock.
    pub lock_timeout: Duration,
    /// Longest wait for a table that is being altered, see [`Txn::use_table`].
    pub mdl_timeout: Duration,
    pub interrupt: Arc<Interrupt>,
    pub session_id: u64,
    /// The session gives way to others: [`Txn::background_turn`] before each statement.
    pub background: bool,
    /// Tables that the session keeps locked itself.
    pub held: Option<Arc<HeldTables>>,
    /// The session's account of nanoseconds spent waiting for row locks.
    pub lock_time: Option<Arc<std::sync::atomic::AtomicU64>>,
    /// The owner notes what it changes, see [`RowLog`].
    pub notes_rows: bool,
}

impl Default for TxnOptions {
    fn default() -> TxnOptions {
        TxnOptions {
            isolation: Isolation::RepeatableRead,
            read_only: false,
            private_schema: "",
            lock_timeout: Duration::from_secs(50),
            mdl_timeout: Duration::from_secs(50),
            interrupt: Arc::new(Interrupt::new()),
            session_id: 0,
            background: false,
            held: None,
            lock_time: None,
            notes_rows: false,
        }
    }
}

/// A place in a transaction's undo log to go back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Savepoint {
    position: Option<UndoPosition>,
    rows: u64,
    /// Bytes of what was noted.
    noted: u64,
    /// It is from before the transaction read, locked or wrote anything.
    before_use: bool,
}

/// A transaction, owned by its session. Dropped unfinished, it is rolled back in the background.
pub struct Txn {
    pub(crate) db: Arc<System>,
    pub(crate) o: TxnOptions,
    pub(crate) locks: Arc<TrxLocks>,
    pub(crate) id: TrxId,
    pub(crate) view: Option<Arc<View>>,
    pub(crate) undo: Option<undo::UndoLog>,
    pub(crate) mdl: smallvec::SmallVec<[MdlHold; 4]>,
    pub(crate) rows: u64,
    /// It has written a table that is not private.
    shared_writes: bool,
    finished: bool,
    /// Of what is in the list of those who keep something between statements, a number that changes with it; 0: it is not there.
    told_kept: u32,
    /// The engine rolled back already (deadlock), or does so in the background because a rollback failed half-way; only an
    /// end of the transaction is left to do.
    pub(crate) doomed: bool,
    /// Memory of a scan that has ended, for the next one.
    spare: scan::Batch,
    gained: gained::Gained,
    /// It is prepared under this name, and is neither committed nor rolled back unless somebody asks for it.
    prepared: Option<Xid>,
    row_log: Option<Box<RowLog>>,
}

impl Txn {
    pub(crate) fn new(db: Arc<System>, o: TxnOptions) -> Txn {
        let locks = TrxLocks::new(o.session_id);
        locks.isolation.store(o.isolation as u8, Ordering::Relaxed);
        Txn {
            db,
            locks,
            id: 0,
            view: None,
            undo: None,
            mdl: smallvec::SmallVec::new(),
            rows: 0,
            shared_writes: false,
            finished: false,
            told_kept: 0,
            doomed: false,
            spare: scan::Batch::default(),
            gained: gained::Gained::default(),
            prepared: None,
            row_log: None,
            o,
        }
    }

    /// Set at the first write.
    pub fn id(&self) -> Option<TrxId> {
        (self.id != 0).then_some(self.id)
    }

    /// It has read, written or locked something.
    pub fn has_used_tables(&self) -> bool {
        !self.mdl.is_empty() || (self.o.held.is_some() && (self.view.is_some() || self.id != 0))
    }

    pub fn isolation(&self) -> Isolation {
        self.o.isolation
    }

    pub fn set_isolation(&mut self, i: Isolation) {
        self.o.isolation = i;
        self.locks.isolation.store(i as u8, Ordering::Relaxed);
    }

    /// For the waits from now on: row locks, then tables.
    pub fn set_timeouts(&mut self, lock: Duration, mdl: Duration) {
        self.o.lock_timeout = lock;
        self.o.mdl_timeout = mdl;
    }

    pub fn has_writes(&self) -> bool {
        self.id != 0
    }

    /// Has it written a table that others see?
    pub fn has_shared_writes(&self) -> bool {
        self.shared_writes
    }

    pub fn rows_modified(&self) -> u64 {
        self.rows
    }

    pub fn is_read_only(&self) -> bool {
        self.o.read_only
    }

    /// START TRANSACTION WITH CONSISTENT SNAPSHOT.
    pub fn open_snapshot(&mut self) {
        if self.o.isolation >= Isolation::RepeatableRead {
            self.ensure_view();
        }
    }

    pub(crate) fn ensure_view(&mut self) -> Arc<View> {
        match &self.view {
            Some(v) => v.clone(),
            None => {
                let v = open_view(&self.db, &self.o);
                self.view = Some(v.clone());
                v
            }
        }
    }

    fn drop_view(&mut self) {
        if let Some(v) = self.view.take() {
            v.close();
            self.o.interrupt.keeps_nothing();
        }
    }

    /// Between two statements of a transaction: monitors that ask from here on see what it keeps. At READ COMMITTED that is no snapshot: the
    /// next statement opens another.
    pub fn between_statements(&mut self) {
        if self.o.isolation < Isolation::RepeatableRead {
            self.drop_view();
        }
        let view = self.view.as_ref();
        let of_lock = |h: &MdlHold| 4 + 2 * u32::from(h.mode() == MdlMode::Write);
        let kept = u32::from(view.is_some()) + self.mdl.iter().map(of_lock).sum::<u32>();
        if kept == self.told_kept {
            return;
        }
        let tables = self.mdl.iter().map(|h| (h.table(), h.mode())).collect();
        let (locks, view) = (self.locks.clone(), view.cloned());
        let since_micros = self.db.rt.wall_micros();
        self.db.between.keep(between::Kept { locks, view, tables, since_micros });
        self.told_kept = kept;
    }

    /// Call at the start of each statement: READ COMMITTED gets a fresh snapshot. Returns the statement's rollback point.
    pub fn begin_statement(&mut self) -> Savepoint {
        self.gained.forget();
        let renewed = match self.o.isolation {
            Isolation::ReadCommitted => !planted::is(Bug::ViewKeptByReadCommitted),
            Isolation::RepeatableRead => planted::is(Bug::ViewDroppedByRepeatableRead),
            other => other <= Isolation::ReadCommitted,
        };
        if renewed {
            self.drop_view();
        }
        self.savepoint()
    }

    pub fn savepoint(&mut self) -> Savepoint {
        Savepoint {
            position: self.undo.as_ref().map(|u| u.position()),
            rows: self.rows,
            noted: self.noted_bytes(),
            before_use: self.is_unused(),
        }
    }

    /// It has read, locked and written nothing. Where the session keeps tables locked it is not known to be so.
    fn is_unused(&self) -> bool {
        self.mdl.is_empty() && self.view.is_none() && self.undo.is_none() && self.o.held.is_none()
    }

    /// ROLLBACK TO SAVEPOINT. As `rollback_to`; but a transaction that was unused when the savepoint was set is unused again: its row
    /// locks, its snapshot and its tables' locks are given back.
    pub fn rollback_to_savepoint(&mut self, s: Savepoint) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            if self.doomed || !s.before_use || self.o.held.is_some() {
                return self.rollback_to(s).await;
            }
            if let Err(e) = self.rollback_inner().await {
                self.hand_over();
                self.doomed = true;
                return Err(e);
            }
            self.db.locks.release_all(&self.locks);
            // What has released its locks gets no new ones.
            self.locks = TrxLocks::new(self.o.session_id);
            self.locks.isolation.store(self.o.isolation as u8, Ordering::Relaxed);
            self.gained.forget();
            self.drop_view();
            self.mdl.clear();
            self.rows = s.rows;
            self.shared_writes = false;
            Ok(())
        })
    }

    /// Undoes the writes since `s`. Locks stay, as in InnoDB. When it fails half-way (a page cannot be read) the engine
    /// rolls everything back: every later call, a commit above all, ends with `Deadlock`.
    pub fn rollback_to(&mut self, s: Savepoint) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            if self.doomed {
                return Err(Error::Deadlock);
            }
            if let Some(log) = self.undo.as_mut() {
                let to = s.position.unwrap_or_else(|| log.begin());
                let to = RollbackTarget::Position(to);
                let undo = rollback::rollback_log(&self.db, self.id, log, to);
                if let Err(e) = patience::undoing(undo).await {
                    self.hand_over();
                    self.doomed = true;
                    return Err(e);
                }
            }
            self.rows = s.rows;
            self.forget_notes_behind(s);
            Ok(())
        })
    }

    /// Commits; returns when the durability level is reached. An error means that the outcome is not known to be durable.
    pub async fn commit(self, d: Durability) -> Result<()> {
        let db = self.db.clone();
        match self.commit_ahead(d).await? {
            Some(owed) => owed.settle(&db).await,
            None => Ok(()),
        }
    }

    /// Commits for everybody to see, and gives what is owed before anybody may be told; `None`: nothing.
    pub async fn commit_ahead(mut self, d: Durability) -> Result<Option<Owed>> {
        if self.doomed {
            self.finish();
            return Err(Error::Deadlock);
        }
        let db = self.db.clone();
        let mut upto = None;
        let who = (self.o.session_id, self.id);
        let events = self.take_events();
        if events.is_some() {
            db.core.log.events_room().await;
        }
        if let Some(log) = self.undo.take() {
            let no = db.trx.begin_commit();
            if planted::is(Bug::UnlockedBeforeCommit) {
                db.locks.release_all(&self.locks);
            }
            if planted::is(Bug::VisibleBeforeLogged) {
                db.trx.end_commit(self.id, no);
            }
            let done = undo::write_commit(&db.core, &log, no, events).await;
            match done {
                Ok(lsn) => {
                    let ending = Ending { db: &db, id: self.id, no, log: Some(log) };
                    if let Some(hold) = self.take_hold() {
                        hold(lsn).await;
                    }
                    drop(ending);
                    upto = Some(lsn);
                }
                Err(e) => {
                    db.trx.abandon_commit(no);
                    self.undo = Some(log);
                    return Err(e);
                }
            }
            self.id = 0;
            self.forget_prepared();
        } else if let Some(events) = events {
            let lsn = undo::write_events(&db.core, events).await?;
            if let Some(hold) = self.take_hold() {
                hold(lsn).await;
            }
            upto = Some(lsn);
        }
        self.note_end();
        self.finish();
        db.committed(upto.map(|lsn| (lsn, d)), who)
    }

    pub fn rollback(mut self) -> Boxed<'static, Result<()>> {
        Box::pin(async move {
            self.rollback_inner().await?;
            self.finish();
            Ok(())
        })
    }

    async fn rollback_inner(&mut self) -> Result<()> {
        let db = self.db.clone();
        self.row_log = None;
        // The log stays here until it is empty: anyone who drops this future leaves it to the background.
        if let Some(log) = self.undo.as_mut() {
            let undo = rollback::rollback_log(&db, self.id, log, RollbackTarget::All);
            patience::undoing(undo).await?;
        }
        if let Some(log) = self.undo.take() {
            db.trx.end_rollback(self.id);
            db.undo_slots.give_back(log);
            self.id = 0;
        }
        db.stats.rollbacks.add(1);
        self.note_end();
        Ok(())
    }

    /// A deadlock's victim: everything is undone and unlocked at once, so that the others can go on. When that fails
    /// half-way the background goes on with it. To the caller it is the same: no savepoint is there any more.
    pub(crate) async fn give_way(&mut self) -> Error {
        let db = self.db.clone();
        if planted::is(Bug::VictimUnlockedFirst) {
            db.locks.release_all(&self.locks);
        }
        if let Err(e) = self.rollback_inner().await {
            (db.log)(&format!(
                "rollback of transaction {} goes on in the background: {e}",
                self.id
            ));
            self.hand_over();
        }
        db.locks.release_all(&self.locks);
        self.doomed = true;
        Error::Deadlock
    }

    /// Leaves the rest of a rollback to the background task, with the locks: they are held until it is done.
    fn hand_over(&mut self) {
        let Some(log) = self.undo.take() else { return };
        let locks = std::mem::replace(&mut self.locks, TrxLocks::new(self.o.session_id));
        let mdl = std::mem::take(&mut self.mdl);
        let id = std::mem::take(&mut self.id);
        self.db.orphans.push(Orphan { id, log, locks, mdl, failed: 0 });
    }

    /// What background sessions end is no sign of a foreground at work.
    fn note_end(&self) {
        if self.o.background {
            self.db.turns.ended.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn finish(&mut self) {
        self.db.locks.release_all(&self.locks);
        self.drop_view();
        self.mdl.clear();
        if self.told_kept > 0 {
            self.db.between.forget(self.locks.serial());
        }
        self.finished = true;
    }

    /// Before each write of a row: the table's lock, and the transaction is a writer.
    pub(crate) async fn begin_write(&mut self, t: &Arc<Table>) -> Result<()> {
        self.use_table(t, true).await?;
        self.ensure_writer().await?;
        self.shared_writes |= !self.owns(t);
        Ok(())
    }

    fn owns(&self, t: &Table) -> bool {
        t.def.schema == self.o.private_schema
    }

    /// Gives the transaction its id and undo log before its first write. What a READ ONLY transaction may write was asked by
    /// `use_table`.
    pub(crate) async fn ensure_writer(&mut self) -> Result<()> {
        self.check_alive()?;
        if self.undo.is_some() {
            return Ok(());
        }
        let db = self.db.clone();
        db.core.log.failure()?;
        db.force.may_write()?;
        let log = match db.undo_slots.take_free() {
            Some(log) => log,
            None => self.until_killed(db.undo_slots.take(&db.core)).await?,
        };
        self.locks.isolation.store(self.o.isolation as u8, Ordering::Relaxed);
        self.id = match db.trx.next_writer(&self.locks) {
            Some(id) => id,
            None => match self.until_killed(db.trx.begin_writer(&db, &self.locks)).await {
                Ok(id) => id,
                Err(e) => {
                    db.undo_slots.give_back(log);
                    return Err(e);
                }
            },
        };
        self.undo = Some(log);
        Ok(())
    }

    /// Metadata lock for the rest of the transaction. `TableChanged` when the handle is of an older definition.
    pub async fn use_table(&mut self, t: &Arc<Table>, write: bool) -> Result<()> {
        self.check_alive()?;
        if write && self.o.read_only && !self.owns(t) {
            return Err(Error::ReadOnlyTransaction);
        }
        let mode = if write { MdlMode::Write } else { MdlMode::Read };
        if let Some(hold) = self.mdl.iter_mut().find(|h| h.is_for(t)) {
            if write && !hold.try_to_write() {
                let (limit, stop) = (self.o.mdl_timeout, &self.o.interrupt);
                t.mdl_to_write(&self.db.rt, limit, stop, hold).await?;
            }
            return t.met_here().await;
        }
        match self.o.held.as_ref().and_then(|h| h.mode_of(t)) {
            // The session lets go of it at the end of a transaction only.
            Some(MdlMode::Exclusive) => return t.met_here().await,
            // It may let go of it while this transaction goes on, which therefore has a lock of its own. No definition statement
            // can be at work; not to come after one that waits for this session keeps the two from waiting for each other.
            Some(_) if !write => {
                self.mdl.push(t.mdl_glance()?);
                return t.met_here().await;
            }
            _ => {}
        }
        let db = self.db.clone();
        let hold = t.mdl_for(&db.rt, self.o.mdl_timeout, &self.o.interrupt, mode).await?;
        self.mdl.push(hold);
        Ok(())
    }

    pub(crate) fn undo_mut(&mut self) -> &mut undo::UndoLog {
        self.undo.as_mut().expect("ensure_writer came first")
    }
}

/// A view for a transaction that keeps it, and says so to those who look for old ones.
fn open_view(db: &System, o: &TxnOptions) -> Arc<View> {
    let view = db.trx.open_view();
    o.interrupt.keeps_since(db.rt.coarse_now(), [view.no, view.undo]);
    view
}

impl Drop for Txn {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        // The client is gone, or the session was killed in the middle.
        if planted::is(Bug::OrphanUnlocked) {
            self.db.locks.release_all(&self.locks);
        }
        match self.prepared.take() {
            Some(xid) => self.leave_prepared(xid),
            None => self.hand_over(),
        }
        self.finish();
    }
}

/// A transaction without an owner, to be rolled back by the background task.
pub struct Orphan {
    pub(crate) id: TrxId,
    pub(crate) log: undo::UndoLog,
    pub(crate) locks: Arc<TrxLocks>,
    pub(crate) mdl: smallvec::SmallVec<[MdlHold; 4]>,
    /// Attempts that failed.
    pub(crate) failed: u32,
}
