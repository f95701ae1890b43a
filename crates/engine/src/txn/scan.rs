//! Range scans: cursors over an index, in batches without locks, row by row with locks.
//!
//! A cursor's position is a key, never a slot: after each batch it seeks again, so splits, merges, purge and rollback in
//! between cannot make it skip or repeat a row, in either direction.

mod again;
mod current;
mod entries;
mod leaf;
mod like;
mod pour;

pub use leaf::{LeafRead, LeafRows};
use like::Like;

use super::ahead::{self, Ahead};
use super::committed::Locked;
use super::cover::{Cover, is_settled};
use super::read::secondary_parts;
use super::secondary::{implicit_owner, is_marked};
use super::undo::UndoPosition;
use super::version::{self, HEADER, RowHeader};
use super::{LockMode, OnLocked, RowAttempt, RowBuf, Txn, View, met_a_lock};
use crate::change_buffer::{self, Pair};
use crate::error::Result;
use crate::lock::{Kind, LockName, LockRun, Mode};
use crate::mtr::{Attempt, Work};
use crate::page::slotted;
use crate::planted::{self, Bug};
use crate::row::has_external;
use crate::table::{Index, Table, Use};
use std::sync::Arc;

/// What to scan. The range of encoded keys is half open: `start <= key < end` (`None`: to the end). An equality on a key
/// prefix `p` is `[p, prefix_successor(p))`.
#[derive(Clone, Debug)]
pub struct ScanSpec {
    pub index: usize,
    pub start: Vec<u8>,
    pub end: Option<Vec<u8>>,
    pub reverse: bool,
    pub lock: LockMode,
    pub on_locked: OnLocked,
    /// Equality on all parts of a unique index: no gap locks are needed when a row is found.
    pub unique_eq: bool,
    /// Rows expected (LIMIT or statistics): sizes the first batch. 0 = unknown.
    pub expect: u32,
    /// Whether long columns stored off the page are fetched.
    pub fetch_external: bool,
    /// Nobody asks for the keys of the rows: a scan without locks does not copy them, and [`Cursor::key`] is empty.
    pub rows_only: bool,
    /// Nobody looks at other columns than these, which the index covers (see [`Table::covers`]): a scan without locks may make rows
    /// of the entries, in which all other columns have some value or other.
    pub index_only: Option<Arc<[u16]>>,
}

const BATCH_BYTES: usize = 48 * 1024;
const BATCH_ROWS: usize = 256;

/// Rows copied out of leaves: keys and rows one after the other.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    rows: Vec<Copied>,
    at: usize,
}

/// Where the bytes of a row are: begin of the key, begin of the row, end.
#[derive(Clone, Copy)]
struct Copied {
    key: u32,
    row: u32,
    end: u32,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Row,
    /// An index entry, whose row is still to be read.
    Entry,
    /// The same, of which it is known that the version which the reader sees has it.
    SettledEntry,
}

impl Batch {
    fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
        self.at = 0;
    }

    fn key(&self, c: Copied) -> &[u8] {
        &self.bytes[c.key as usize..c.row as usize]
    }

    fn row(&self, c: Copied) -> &[u8] {
        &self.bytes[c.row as usize..c.end as usize]
    }

    /// The current one: that behind which the next one is read.
    fn current(&self) -> Option<Copied> {
        self.rows.get(self.at.wrapping_sub(1)).copied()
    }

    fn push(&mut self, what: What, (prefix, rest): (&[u8], &[u8]), row: &[u8], expect: usize) {
        if self.rows.is_empty() {
            // Rows of a table are much alike: room for all at once.
            let one = prefix.len() + rest.len() + row.len();
            self.rows.reserve(expect);
            let room = (one * expect * 9 / 8).min(BATCH_BYTES);
            if self.bytes.capacity() < room {
                // There is nothing in it that growing would have to keep.
                self.bytes = Vec::with_capacity(room);
            }
        }
        let k = self.bytes.len() as u32;
        if !prefix.is_empty() || !rest.is_empty() {
            self.bytes.extend_from_slice(prefix);
            self.bytes.extend_from_slice(rest);
        }
        let r = self.bytes.len() as u32;
        self.bytes.extend_from_slice(row);
        self.rows.push(Copied { key: k, row: r, end: self.bytes.len() as u32, what });
    }
}

/// Where the scan goes on.
pub(super) enum Position {
    /// Forward: the lowest key not yet returned. Backward: the lowest key already returned (`None`: nothing yet, no end).
    At(Option<Vec<u8>>),
    Done,
}

pub struct Cursor {
    table: Arc<Table>,
    pub(super) spec: ScanSpec,
    pub(super) at: Position,
    batch: Batch,
    /// The entries of which `batch` has rows, and those behind them.
    entries: Option<Box<Batch>>,
    /// What the reader saw when it read the last entries: its view, and how much it had written.
    seen: (Option<Arc<View>>, Option<UndoPosition>),
    size: usize,
    /// Rows that a batch has at most.
    most: usize,
    /// Entries whose rows are read at a time.
    look_ups: usize,
    /// The row of a locking scan, or that of an index entry.
    pub(super) row: RowBuf,
    /// The current row is that one, not one of the batch.
    single: bool,
    /// Makes rows of entries, when the index covers what is wanted.
    cover: Option<Box<Cover>>,
    found_unique: bool,
    /// Equality on a unique index: the live entry led to no row with these columns, so the gaps count after all.
    not_unique: bool,
    /// Backward with locks: the gap above the first record is locked.
    top_locked: bool,
    /// How it reads rows that others have locked.
    pub(super) locked: Locked,
    /// The locks that it takes from neighbour to neighbour.
    run: LockRun,
    /// Of leaves, and of the rows of entries.
    ahead: Ahead,
    rows_ahead: Ahead,
    /// Entries of the batch whose rows were read ahead.
    looked_up: usize,
    /// What the entries must look like ([`Cursor::only_like`]).
    like: Option<Box<Like>>,
}

/// An index entry found by a locking step.
struct Entry {
    key: Vec<u8>,
    pk: Vec<u8>,
    marked: bool,
}

/// What a locking step comes to.
enum Next {
    Entry(Entry),
    /// SKIP LOCKED passed a record.
    Skipped,
    End,
}

impl Txn {
    pub fn scan(&mut self, t: &Arc<Table>, spec: ScanSpec) -> Cursor {
        let cover = cover_of(t, &spec);
        self.begin_scan(t, spec, cover)
    }

    fn begin_scan(&mut self, t: &Arc<Table>, spec: ScanSpec, cover: Option<Box<Cover>>) -> Cursor {
        let at = if spec.reverse { spec.end.clone() } else { Some(spec.start.clone()) };
        let size = if spec.expect > 0 { (spec.expect as usize).clamp(1, BATCH_ROWS) } else { 8 };
        let plain = spec.lock == LockMode::None;
        Cursor {
            table: t.clone(),
            spec,
            at: Position::At(at),
            // Two cursors at a time (a join) share nothing: the second begins with an empty one.
            batch: std::mem::take(&mut self.spare),
            entries: None,
            seen: (None, None),
            size,
            most: BATCH_ROWS,
            look_ups: entries::FIRST,
            row: RowBuf::default(),
            single: !plain,
            cover,
            found_unique: false,
            not_unique: false,
            top_locked: false,
            locked: Locked::default(),
            run: LockRun::default(),
            ahead: Ahead::default(),
            rows_ahead: Ahead::default(),
            looked_up: 0,
            like: None,
        }
    }
}

/// What makes rows of the entries that a scan reads, if it is to.
fn cover_of(t: &Arc<Table>, spec: &ScanSpec) -> Option<Box<Cover>> {
    let plain = spec.lock == LockMode::None;
    let wanted = spec.index_only.as_ref().filter(|_| plain && spec.index > 0);
    wanted.map(|wanted| Box::new(Cover::new(t, spec.index, wanted)))
}

impl Cursor {
    /// So many rows were read.
    fn count_read(&self, txn: &Txn, rows: usize) {
        txn.db.stats.rows_read.add(rows as u64);
        let whole = self.spec.index == 0 && self.spec.start.is_empty() && self.spec.end.is_none();
        let what = if whole { Use::Scanned } else { Use::Fetched };
        self.table.indexes[self.spec.index].uses.add(what, rows as u64);
    }

    /// Batches of no more than so many rows, where many cursors are open side by side.
    pub fn keep_small(&mut self, rows: usize) {
        self.most = rows.clamp(1, BATCH_ROWS);
        self.size = self.size.min(self.most);
    }

    /// The current row in the table's layout. Valid after `next` returned true, until the next call.
    pub fn row(&self) -> &[u8] {
        if self.single {
            return &self.row.row;
        }
        self.batch.current().map_or(&[], |c| self.batch.row(c))
    }

    /// The current row's clustered key.
    pub fn key(&self) -> &[u8] {
        if self.single {
            return &self.row.key;
        }
        self.batch.current().map_or(&[], |c| self.batch.key(c))
    }

    /// Advances within the rows that were read ahead, without waiting; false: `next` has to look for more.
    #[inline]
    pub fn step(&mut self) -> bool {
        if self.batch.rows.get(self.batch.at).is_none_or(|c| c.what != What::Row) {
            return false;
        }
        self.batch.at += 1;
        self.single = false;
        let ready = !self.lacks_long_columns();
        self.batch.at -= usize::from(!ready);
        ready
    }

    /// The current row has columns off the page that the reader wants.
    fn lacks_long_columns(&self) -> bool {
        self.spec.fetch_external && self.table.may_have_external() && has_external(self.row())
    }

    /// Advances; false at the end.
    pub async fn next(&mut self, txn: &mut Txn) -> Result<bool> {
        loop {
            if self.batch.rows.get(self.batch.at).is_some_and(|c| c.what == What::Row) {
                self.batch.at += 1;
                self.single = false;
                if !self.lacks_long_columns() || self.fetch_current(txn).await? {
                    return Ok(true);
                }
                continue;
            }
            txn.use_table(&self.table, self.spec.lock == LockMode::Exclusive).await?;
            if self.spec.lock != LockMode::None {
                return self.next_locking(txn).await;
            }
            if self.batch.at < self.batch.rows.len() {
                if !self.rows_of_entries(txn).await? && self.row_of_entry(txn).await? {
                    return Ok(true);
                }
                continue;
            }
            if self.take_entries_back() {
                continue;
            }
            self.fill(txn, self.spec.index == 0).await?;
            if self.batch.rows.is_empty() {
                txn.spare = std::mem::take(&mut self.batch);
                return Ok(false);
            }
            let rows = self.batch.rows.iter().filter(|c| c.what == What::Row).count();
            self.count_read(txn, rows);
            let stats = &txn.db.stats;
            if self.cover.is_some() {
                let others = self.batch.rows.len() - rows;
                stats.rows_covered.add(rows as u64);
                stats.rows_uncovered.add(others as u64);
            }
        }
    }

    /// Next batch from the index's leaves: rows (clustered) or entries (secondary).
    async fn fill(&mut self, txn: &mut Txn, rows: bool) -> Result<()> {
        self.batch.clear();
        self.looked_up = 0;
        txn.check_alive()?;
        self.read_ahead(txn).await?;
        let view = txn.read_view();
        txn.check_age(&self.table, self.spec.index)?;
        let mut attempts = 0;
        let fill = |txn: &mut Txn, w: &mut Work<'_>| -> Attempt<()> {
            attempts += 1;
            // The position moves leaf by leaf: an attempt that ends early is not begun again at the first of them.
            while self.batch.rows.is_empty() && matches!(self.at, Position::At(_)) {
                self.at = if self.spec.reverse {
                    self.fill_backward(w, view.as_deref(), txn.id, rows)?
                } else {
                    self.fill_forward(w, view.as_deref(), txn.id, rows)?
                };
                if self.batch.rows.is_empty() {
                    txn.check_alive()?;
                }
            }
            Ok(())
        };
        txn.drive(0, fill).await?;
        if !rows {
            self.seen = (view, txn.undo.as_ref().map(|log| log.position()));
        }
        self.ahead.note(attempts);
        self.size = (self.size * 4).min(self.most);
        Ok(())
    }

    /// Has the leaves behind the position read, if the scan has had to wait for some.
    async fn read_ahead(&mut self, txn: &Txn) -> Result<()> {
        if !self.ahead.is_wanted() {
            return Ok(());
        }
        let (core, index) = (&txn.db.core, &self.table.indexes[self.spec.index]);
        match &self.at {
            Position::Done => Ok(()),
            Position::At(k) if self.spec.reverse => {
                self.ahead.backward(core, index, k.as_deref(), &self.spec.start).await
            }
            Position::At(k) => {
                let from = k.as_deref().unwrap_or_default();
                self.ahead.forward(core, index, from, self.spec.end.as_deref()).await
            }
        }
    }

    /// Has the leaves of the rows of the next entries read, if those before had to be waited for.
    async fn read_rows_ahead(&mut self, txn: &Txn) -> Result<()> {
        if !self.rows_ahead.is_wanted() || self.batch.at < self.looked_up {
            return Ok(());
        }
        let next = self.batch.rows[self.batch.at..].iter().take(ahead::ROWS);
        self.looked_up = self.batch.at + next.len();
        let entries = next.filter(|c| c.what != What::Row);
        let keys = entries.map(|c| secondary_parts(self.batch.key(*c), self.batch.row(*c)).0);
        self.rows_ahead.rows(&txn.db.core, &self.table, keys).await
    }

    fn full(&self) -> bool {
        self.batch.rows.len() >= self.size || self.batch.bytes.len() >= BATCH_BYTES
    }

    /// Copies one cell if the reader sees it. A version that needs a page from disk ends the batch if there is one.
    fn take(
        &mut self,
        w: &Work<'_>,
        p: &[u8],
        slot: usize,
        view: Option<&View>,
        own: u64,
        rows: bool,
    ) -> Attempt<()> {
        let value = slotted::value(p, slot);
        if !rows {
            if let Some(like) = &mut self.like
                && !like.may_match(p, slot)
            {
                return Ok(());
            }
            // A marked entry may still lead to an older version that the reader sees.
            let (prefix, rest) = (slotted::prefix(p), slotted::key_rest(p, slot));
            let settled = !is_marked(value) && is_settled(p, view);
            if let Some(cover) = &mut self.cover
                && settled
                && cover.make(prefix, rest, value)
            {
                let (key, row) = cover.made();
                let key = if self.spec.rows_only { &[] } else { key };
                self.batch.push(What::Row, (key, &[]), row, self.size);
            } else {
                let what = if settled { What::SettledEntry } else { What::Entry };
                self.batch.push(what, (prefix, rest), value, self.size);
            }
            return Ok(());
        }
        let Some(row) = version::visible(w.core, view, own, value)? else { return Ok(()) };
        // Without a view the key is needed: see `fetch_newest`.
        if self.spec.rows_only && view.is_some() {
            self.batch.push(What::Row, (&[], &[]), &row, self.size);
        } else {
            let key = (slotted::prefix(p), slotted::key_rest(p, slot));
            self.batch.push(What::Row, key, &row, self.size);
        }
        Ok(())
    }

    fn fill_forward(
        &mut self,
        w: &mut Work<'_>,
        view: Option<&View>,
        own: u64,
        rows: bool,
    ) -> Attempt<Position> {
        let from = match &self.at {
            Position::At(Some(k)) => k.clone(),
            Position::At(None) => Vec::new(),
            Position::Done => return Ok(Position::Done),
        };
        let table = self.table.clone();
        let index = &table.indexes[self.spec.index];
        let pair = Pair::owning(w.core, index.trees(), &from)?;
        index.buffer.was_read(&pair);
        let mut walk = pair.walk(&from, self.spec.end.as_deref());
        while let Some((p, slot)) = pair.first(&walk) {
            if self.full() {
                return Ok(Position::At(Some(slotted::key(p, slot))));
            }
            match self.take(w, p, slot, view, own, rows) {
                Ok(()) => {}
                Err(_) if !self.batch.rows.is_empty() => {
                    return Ok(Position::At(Some(slotted::key(p, slot))));
                }
                Err(e) => return Err(e),
            }
            pair.pass_first(&mut walk);
        }
        match pair.upper() {
            Some(u) if self.spec.end.as_ref().is_none_or(|e| u < e.as_slice()) => {
                Ok(Position::At(Some(u.to_vec())))
            }
            _ => Ok(Position::Done),
        }
    }

    fn fill_backward(
        &mut self,
        w: &mut Work<'_>,
        view: Option<&View>,
        own: u64,
        rows: bool,
    ) -> Attempt<Position> {
        let before = match &self.at {
            Position::At(k) => k.clone(),
            Position::Done => return Ok(Position::Done),
        };
        let table = self.table.clone();
        let index = &table.indexes[self.spec.index];
        let pair = Pair::below(w.core, index.trees(), before.as_deref())?;
        index.buffer.was_read(&pair);
        let mut walk = pair.walk_back(&self.spec.start, before.as_deref());
        let mut returned = None;
        while let Some((p, slot)) = pair.last(&walk) {
            if self.full() {
                return Ok(Position::At(returned.or(before)));
            }
            match self.take(w, p, slot, view, own, rows) {
                Ok(()) => {}
                Err(_) if !self.batch.rows.is_empty() => {
                    return Ok(Position::At(returned.or(before)));
                }
                Err(e) => return Err(e),
            }
            returned = Some(slotted::key(p, slot));
            pair.pass_last(&mut walk);
        }
        let lower = pair.lower();
        if lower.is_empty() || lower <= self.spec.start.as_slice() {
            return Ok(Position::Done);
        }
        Ok(Position::At(Some(lower.to_vec())))
    }

    /// A locking scan: the next index record is located and locked under its latches, one at a time.
    async fn next_locking(&mut self, txn: &mut Txn) -> Result<bool> {
        self.locked.provisional = false;
        loop {
            txn.check_alive()?;
            if matches!(self.at, Position::Done) || self.found_unique {
                return Ok(false);
            }
            self.read_ahead(txn).await?;
            let mut attempts = 0;
            let lock = |txn: &mut Txn, w: &mut Work<'_>| {
                attempts += 1;
                self.lock_next(w, txn)
            };
            let next = txn.drive(0, lock).await?;
            self.ahead.note(attempts);
            let entry = match next {
                Next::Entry(e) => e,
                Next::Skipped => continue,
                Next::End => {
                    self.at = Position::Done;
                    return Ok(false);
                }
            };
            if self.spec.index == 0 {
                if entry.marked {
                    continue;
                }
                return self.finish_row(txn).await;
            }
            if entry.marked {
                continue;
            }
            let (lock, on_locked) = (self.spec.lock, self.spec.on_locked);
            let table = self.table.clone();
            let mut row = std::mem::take(&mut self.row);
            let found = txn.get_clustered(&table, &entry.pk, lock, on_locked, &mut row).await;
            self.row = row;
            if found? && self.entry_matches(txn, &entry.key).await? {
                self.found_unique = self.spec.unique_eq;
                return self.finish_row(txn).await;
            }
            if self.spec.unique_eq && !self.not_unique {
                // Its writer took it back while the row was waited for. The entry was locked without the gap before it.
                self.not_unique = true;
                self.at = Position::At(if self.spec.reverse {
                    self.spec.end.clone()
                } else {
                    Some(self.spec.start.clone())
                });
            }
        }
    }

    /// Finds the next record of the range, locks it (and the gap before it, where the isolation level wants that), and
    /// for the clustered index copies the row. At the end of the range the gap behind it is locked. Moves the position.
    fn lock_next(&mut self, w: &mut Work<'_>, txn: &mut Txn) -> RowAttempt<Next> {
        let table = self.table.clone();
        let index = &table.indexes[self.spec.index];
        let gaps = txn.o.isolation.locks_gaps();
        let mut top_locked = self.top_locked;
        let mut g = w.gather();
        let found = match &self.at {
            Position::Done => return Ok(Next::End),
            Position::At(k) if self.spec.reverse => {
                if gaps && !self.top_locked && !self.spec.unique_eq {
                    self.lock_top(&mut g, txn, index, k.as_deref())?;
                    top_locked = true;
                }
                change_buffer::last_before(&mut g, index.trees(), k.as_deref())?
            }
            Position::At(k) => {
                change_buffer::first_from(&mut g, index.trees(), k.as_deref().unwrap_or_default())?
            }
        };
        self.top_locked = top_locked;
        let m = if self.spec.lock == LockMode::Exclusive { Mode::X } else { Mode::S };
        let key = found.map(|(leaf, slot)| slotted::key(g.bytes(leaf), slot));
        let inside = key.as_ref().is_some_and(|k| {
            if self.spec.reverse {
                *k >= self.spec.start
            } else {
                self.spec.end.as_ref().is_none_or(|e| k < e)
            }
        });
        let (Some((leaf, slot)), Some(key), true) = (found, key.clone(), inside) else {
            // Forward: the gap before the first record behind the range. Backward: the record below the range needs no
            // lock, the gaps above it were locked with the records above.
            if gaps && !self.found_unique && !self.spec.reverse {
                let name = LockName::new(index.id, key.as_deref());
                txn.request(&name, m, Kind::Gap, OnLocked::Wait)?;
            }
            return Ok(Next::End);
        };
        let value = slotted::value(g.bytes(leaf), slot).to_vec();
        let clustered = self.spec.index == 0;
        // The only record with these columns needs no gap. A marked entry is not: there may be more behind it, and others can
        // come before it.
        let unique = self.spec.unique_eq
            && !self.not_unique
            && if clustered { key == self.spec.start } else { !is_marked(&value) };
        let gaps = gaps && !planted::is(Bug::NextKeyLockedAsRecord);
        let kind = if gaps && !unique { Kind::NextKey } else { Kind::Record };
        let next_position = if self.spec.reverse {
            Position::At(Some(key.clone()))
        } else {
            let mut after = key.clone();
            after.push(0);
            Position::At(Some(after))
        };
        let mut undecided = false;
        let on_locked = self.at_locked(txn, &key);
        let locked = if clustered {
            let h = RowHeader::read(&value);
            txn.lock_clustered(index, &key, &h, self.spec.lock, kind, on_locked)
        } else {
            let name = LockName::new(index.id, Some(&key));
            // Somebody may have marked the entry and not committed: the row may come back. Or made it: locked before its
            // row is waited for, it would be in his way when he takes it away again. (What this transaction has locked
            // already is waited for at the row itself.)
            let marked = is_marked(&value);
            let maybe = marked || txn.db.trx.may_be_active(slotted::max_trx(g.bytes(leaf)));
            if maybe
                && let Some(owner) =
                    implicit_owner(&mut g, txn, &table, self.spec.index, &key, &value)?
            {
                undecided = marked;
                txn.db.locks.make_explicit(&owner, &name);
            }
            txn.request(&name, m, kind, on_locked)
        };
        match locked {
            Err(h) if self.spec.on_locked == OnLocked::Committed && met_a_lock(&h) => {
                let found = self.read_committed(g.core(), txn, &key, &value)?;
                self.run.interrupt();
                self.at = next_position;
                return Ok(if found {
                    Next::Entry(Entry { pk: Vec::new(), key, marked: false })
                } else {
                    Next::Skipped
                });
            }
            Err(h) if self.spec.on_locked == OnLocked::SkipLocked && met_a_lock(&h) => {
                self.at = next_position;
                self.run.interrupt();
                return Ok(Next::Skipped);
            }
            locked => locked?,
        }
        txn.db.locks.locked_next(&txn.locks, &mut self.run, (index.id, &key), (m, kind));
        self.at = next_position;
        if clustered {
            let marked = RowHeader::read(&value).is_deleted();
            self.locked.insisted = None;
            self.set_row(&key, &value[HEADER..]);
            self.found_unique = unique && !marked;
            return Ok(Next::Entry(Entry { pk: Vec::new(), key, marked }));
        }
        let (pk, marked) = secondary_parts(&key, &value);
        let (pk, marked) = (pk.to_vec(), marked && !undecided);
        Ok(Next::Entry(Entry { pk, key, marked }))
    }

    /// A backward scan begins: the gap between its highest record and the record above is locked with the latter, as
    /// InnoDB does. The gaps further down are locked with their records.
    fn lock_top(
        &self,
        g: &mut crate::mtr::Gather<'_, '_>,
        txn: &Txn,
        index: &Index,
        before: Option<&[u8]>,
    ) -> RowAttempt<()> {
        let above = change_buffer::above(g, index.trees(), before)?;
        let m = if self.spec.lock == LockMode::Exclusive { Mode::X } else { Mode::S };
        let name = LockName::new(index.id, above.as_deref());
        txn.request(&name, m, Kind::Gap, OnLocked::Wait)
    }
}
