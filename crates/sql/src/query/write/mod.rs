//! Rows into tables: the one place of this crate where rows are written.
//!
//! INSERT, REPLACE, UPDATE, DELETE find rows and work out values; what becomes of a row then is decided here. Each row goes
//! through four stages, and what a table asks for ([`RowRules`]) stands at one of them. The image before the change and the image
//! after it are both at hand from the second stage on.
//!
//! | stage | what stands here |
//! |---|---|
//! | before the row | ON UPDATE CURRENT_TIMESTAMP; BEFORE triggers, then generated columns: the image after it is still a list of values |
//! | check | NOT NULL of inserted rows; WITH CHECK OPTION of the view that is written through; CHECK |
//! | write | the partition the row goes to; the engine's call; a duplicate key as error 1062, or as a warning under IGNORE |
//! | after the row | the AUTO_INCREMENT counter; foreign keys (`foreign`): the parent's row, children (writes of their own); row events, AFTER triggers |
//!
//! How statements go through them:
//! - REPLACE deletes the rows in the way by [`RowWriter::delete`], as a DELETE would, and inserts again.
//! - ON DUPLICATE KEY UPDATE gets the conflicting row, works out the new values and comes back by [`RowWriter::update`].
//! - IGNORE: every stage that refuses a row asks [`RowWriter::refuse`], which makes a warning of it, and the row is left out.
//! - An INSERT of many rows writes them in batches: the first two stages run for each row as it comes, the last two for the batch. A
//!   rule that looks at tables from the last stage needs the rows before it in the table, so its table must not be batched.
//!
//! `insert`, `load` and `change` are the statements; `replicated` writes the rows of another server's log; `point` writes one row without an executor; `stages` and `image` serve [`RowWriter`], `foreign` and `triggers` are what its stages set
//! off. A trigger is run by anyone who runs programs (`exec::programs`).
//!
//! May use the definitions, the engine, the binder for rules of tables, and the runner's transaction and expressions.
//!
//! Invariant: no other file of this crate calls the engine's row-writing methods, except `point` those that wait for nothing (a test reads the
//! sources for it); the rebuild of ALTER
//! TABLE, where no row changes for a reader, is the engine's own.

mod change;
mod defaults;
mod foreign;
mod image;
mod insert;
mod load;
mod moves;
mod noted;
mod numbers;
mod outcome;
mod point;
mod replicated;
mod stages;
mod triggers;

pub use change::run as run_change;
pub use image::{counted, duplicate_entry, values_after, with_assigned, with_columns, zero};
pub use insert::run as run_insert;
pub use outcome::{Cascade, Cascaded, Inserted, Updated};
pub use point::{Within, Wrote, write_now};
pub use replicated::{How as HowReplicated, apply as apply_rows};
pub use stages::generate;

use crate::binlog::note::Notes;
use crate::context::TableTriggers;
use crate::errno;
use crate::meta::SqlTable;
use crate::planted::{self, Bug};
use crate::query::bind::{partition, rules};
use crate::query::eval::Ev;
use crate::query::eval::frame::SubResult;
use crate::query::exec::Runner;
use crate::query::plan::Sub;
use crate::query::plan::change::ViewRows;
use crate::query::plan::foreign::is_referenced;
use crate::query::plan::outcome::Run;
use crate::query::plan::shape::Shape;
use crate::session_api::SqlError;
use crate::status::Stat;
use crate::value::convert::now;
use crate::value::{DatumBuf, StoreCtx, Value, Warnings};
use image::{build, put_columns};
use std::sync::Arc;
use weir_engine::row::RowView;
use weir_engine::{Error as EngineError, LockMode, OnLocked, RowBuf, RowList, Table};
use weir_syntax::ast::TriggerEvent;

#[cfg(doc)]
use crate::meta::RowRules;

/// The statement that writes: it decides how a row in the way is locked, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    Insert,
    Replace,
    /// INSERT ... ON DUPLICATE KEY UPDATE.
    Upsert,
    Update,
    Delete,
}

/// Rows and bytes that wait at most.
const BATCH_ROWS: usize = 256;
const BATCH_BYTES: usize = 64 * 1024;

/// It gives up after this many rows in the way of one REPLACE.
const REPLACED_MAX: u64 = 1000;

/// Inserted rows that wait to be written together.
#[derive(Default)]
struct Batch {
    rows: RowList,
    /// The partition that all of them go to, or the table.
    home: Option<Arc<Table>>,
    /// Some of them brought a value along that the AUTO_INCREMENT counter must go beyond.
    moves_counter: bool,
}

/// The view WITH CHECK OPTION that rows are written through, and the shapes that its conditions are bound to.
#[derive(Clone)]
pub struct ThroughView<'p> {
    pub rows: &'p ViewRows,
    pub shapes: &'p [Shape],
    /// The statement's subqueries, of which the conditions may have some.
    pub subs: &'p [Sub],
    /// The row of the join that the changed one is part of, where the conditions look at its other tables.
    pub beside: Option<RowsBeside>,
}

/// Whether the unique key of this number is the one that the AUTO_INCREMENT column counts in: as in MySQL, REPLACE does not write over
/// the row that has the number which was drawn for the new one.
fn counts_by(table: &SqlTable, index: usize) -> bool {
    let first = table.engine.def.indexes[index].parts.first();
    table.rules.counter.is_some_and(|c| first.is_some_and(|p| p.col == c))
}

/// Rows of the tables of a join, by slot, as far as somebody looks at them.
pub type RowsBeside = Arc<[Option<Vec<u8>>]>;

/// Writes the rows of one statement.
pub struct RowWriter<'p> {
    kind: WriteKind,
    /// IGNORE.
    ignore: bool,
    /// A NULL for a NOT NULL column fails the INSERT; otherwise it becomes the type's zero with a warning.
    nulls_fail: bool,
    /// Of the table whose rows are written next.
    view: Option<ThroughView<'p>>,
    /// What subqueries of its conditions have given, by number.
    answers: Vec<SubResult>,
    batch: Option<Batch>,
    /// PARTITION (...): where the rows of the table must go, in rising order.
    selected: Option<Arc<[usize]>>,
    /// The image after the change.
    new: Vec<u8>,
    /// A row in the way of REPLACE.
    found: RowBuf,
    /// The rows are another server's, which has run triggers and worked out values: neither is done here.
    replicated: bool,
    /// Triggers of the tables that were written to, by the table's id.
    triggers: Vec<(u64, Option<Arc<TableTriggers>>)>,
    /// Of the binary log.
    notes: Notes,
}

impl<'p> RowWriter<'p> {
    pub fn new(kind: WriteKind, ignore: bool) -> RowWriter<'p> {
        RowWriter {
            kind,
            ignore,
            nulls_fail: true,
            view: None,
            answers: Vec::new(),
            batch: None,
            selected: None,
            new: Vec::new(),
            found: RowBuf::default(),
            replicated: false,
            triggers: Vec::new(),
            notes: Notes::default(),
        }
    }

    /// The writer of rows of another server's log. `batch`: inserted rows may wait to be written together.
    pub fn replicated(kind: WriteKind, batch: bool) -> RowWriter<'p> {
        let batch = (batch && kind == WriteKind::Insert).then(Batch::default);
        RowWriter { batch, replicated: true, ..RowWriter::new(kind, false) }
    }

    /// Whether a BEFORE UPDATE trigger of the table may set one of these columns of NEW.
    pub fn triggers_set(
        &mut self,
        r: &Runner<'_, '_>,
        table: &SqlTable,
        columns: &[usize],
    ) -> bool {
        let fired = self.fired(r, table, TriggerEvent::Update);
        fired.is_some_and(|t| triggers::before_update_sets(r.reads, &t, columns))
    }

    /// The table's triggers for an event, if there are some.
    fn fired(
        &mut self,
        r: &Runner<'_, '_>,
        table: &SqlTable,
        event: TriggerEvent,
    ) -> Option<Arc<TableTriggers>> {
        if self.replicated {
            return None;
        }
        let id = table.engine.def.id;
        let known = self.triggers.iter().find(|(t, _)| *t == id);
        let triggers = match known {
            Some((_, triggers)) => triggers.as_ref(),
            None => {
                let programs = &r.reads.shared.programs;
                let found = programs.triggers(r.reads.db(), table.schema(), table.name());
                self.triggers.push((id, found));
                self.triggers.last().and_then(|(_, t)| t.as_ref())
            }
        };
        triggers.filter(|t| t.fires(event)).cloned()
    }

    /// The writer of an INSERT. Its rows are `many`: they are written in batches where nothing but an error can become of a
    /// duplicate.
    pub fn of_insert(kind: WriteKind, ignore: bool, many: bool, nulls_fail: bool) -> RowWriter<'p> {
        let batch = many && kind == WriteKind::Insert && !ignore;
        RowWriter { nulls_fail, batch: batch.then(Batch::default), ..RowWriter::new(kind, ignore) }
    }

    /// Rows written from now on go through this view, or none.
    pub fn through(&mut self, view: Option<ThroughView<'p>>) {
        self.view = view;
    }

    /// Rows written from now on must be in these partitions.
    pub fn within(&mut self, selected: Option<Arc<[usize]>>) {
        self.selected = selected;
    }

    /// The row that [`RowWriter::insert`] could not insert, as it would have been written.
    pub fn image(&self) -> &[u8] {
        &self.new
    }

    /// Inserts `row`, one value for each column, which has come through [`RowWriter::before_insert`] and [`RowWriter::settle`].
    /// `given`: the AUTO_INCREMENT column's value is the statement's own.
    pub async fn insert(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        row: &[DatumBuf],
        given: bool,
    ) -> Run<Inserted> {
        let fired = self.fired(r, table, TriggerEvent::Insert);
        build(table, row, &mut self.new)?;
        let Some(home) = self.home(r, table)? else { return Ok(Inserted::LeftOut) };
        let counted =
            if given { table.rules.followed.and_then(|c| counted(&row[c])) } else { None };
        // A trigger may look at the rows before its own.
        if self.batch.is_some() && fired.is_none() {
            return self.put_off(r, table, home, counted.is_some()).await;
        }
        let on_duplicate = self.lock_on_duplicate();
        let mut replaced = 0;
        let before = r.txn.savepoint();
        loop {
            let done = r.txn.insert_locking(home, &self.new, on_duplicate).await;
            let (index, key) = match done {
                Ok(()) => break r.reads.work.inc(Stat::Handler_write),
                Err(EngineError::DuplicateKey { index, key, .. }) => (index, key),
                Err(e) => return Err(e.into()),
            };
            match self.kind {
                WriteKind::Replace
                    if replaced < REPLACED_MAX && (given || !counts_by(table, index)) =>
                {
                    // MySQL writes over the row in the way of the last unique key, and does not count one that is the same.
                    let last = !table.engine.def.indexes[index + 1..].iter().any(|i| i.unique);
                    let same = self.make_way(r, table, home, &key).await?;
                    replaced += u64::from(!(last && same && self.writes_over(r, table)));
                }
                WriteKind::Upsert => return Ok(Inserted::InTheWay(key)),
                _ => {
                    let e = duplicate_entry(table, index, &self.new, r.ev.cx.tz);
                    self.refuse(e, &mut r.ev.cx.warnings)?;
                    return Ok(Inserted::LeftOut);
                }
            }
        }
        if let Some(v) = counted {
            table.engine.auto_increment_observe(v).await?;
        }
        if r.txn.notes_rows() {
            self.note_image(r, table, None).await?;
        }
        if r.foreign.is_some()
            && let Some(e) = foreign::missing_parent(r, table, &self.new, None, None).await?
        {
            self.refuse(e, &mut r.ev.cx.warnings)?;
            if !planted::is(Bug::IgnoredOrphanKept) {
                r.txn.rollback_to(before).await?;
            }
            return Ok(Inserted::LeftOut);
        }
        if let Some(t) = &fired {
            let new = std::mem::take(&mut self.new);
            triggers::after(r, t, table, TriggerEvent::Insert, None, Some(&new)).await?;
            self.new = new;
        }
        Ok(Inserted::Row { replaced })
    }

    /// How a row in the way is locked.
    fn lock_on_duplicate(&self) -> LockMode {
        match self.kind {
            WriteKind::Replace | WriteKind::Upsert => LockMode::Exclusive,
            WriteKind::Insert | WriteKind::Update | WriteKind::Delete => LockMode::Shared,
        }
    }

    /// The row waits in the batch.
    async fn put_off(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        home: &Arc<Table>,
        counts: bool,
    ) -> Run<Inserted> {
        if self
            .batch
            .as_ref()
            .is_some_and(|b| b.home.as_ref().is_some_and(|h| !Arc::ptr_eq(h, home)))
        {
            self.flush(r, table).await?;
        }
        if let Some(batch) = &mut self.batch {
            batch.home = Some(home.clone());
            batch.rows.push(&self.new);
            batch.moves_counter |= counts;
            if batch.rows.len() >= BATCH_ROWS || batch.rows.bytes() >= BATCH_BYTES {
                self.flush(r, table).await?;
            }
        }
        Ok(Inserted::Row { replaced: 0 })
    }

    /// Whether nobody may notice that REPLACE deletes a row: no trigger does, and no other table references it.
    fn writes_over(&mut self, r: &Runner<'_, '_>, table: &SqlTable) -> bool {
        let deletes = self.fired(r, table, TriggerEvent::Delete).is_some();
        !deletes && !is_referenced(&r.reads, table)
    }

    /// REPLACE: deletes the row in the way, if it is still there; whether it was the one that is written.
    async fn make_way(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        home: &Arc<Table>,
        key: &[u8],
    ) -> Run<bool> {
        let mut found = std::mem::take(&mut self.found);
        let there = locked_row(r, table, home, key, &mut found).await?;
        let same = there && found.row[..] == self.new[..];
        if there && planted::is(Bug::ReplacedWithoutCascade) {
            r.txn.delete(home, &found.key, &found.row).await?;
        } else if there {
            self.delete(r, table, &found.key, &found.row).await?;
        }
        self.found = found;
        Ok(same)
    }

    /// Whether rows wait that the AUTO_INCREMENT counter must go beyond before it is asked for a value.
    pub fn moves_counter(&self) -> bool {
        self.batch.as_ref().is_some_and(|b| b.moves_counter)
    }

    /// Rows are written one by one from now on: one may look for another.
    pub fn one_by_one(&mut self) {
        self.batch = None;
    }

    /// Writes the batch.
    pub async fn flush(&mut self, r: &mut Runner<'_, '_>, table: &SqlTable) -> Run<()> {
        let Some(batch) = &mut self.batch else { return Ok(()) };
        if batch.rows.is_empty() {
            return Ok(());
        }
        let rows = &batch.rows;
        let home = batch.home.take().unwrap_or_else(|| table.engine.clone());
        let (written, mut done) = match r.txn.insert_many(&home, rows).await {
            Ok(()) => (rows.len(), Ok(())),
            Err((row, EngineError::DuplicateKey { index, .. })) => {
                (row, Err(duplicate_entry(table, index, rows.row(row), r.ev.cx.tz).into()))
            }
            Err((row, e)) => (row, Err(e.into())),
        };
        r.reads.work.add(Stat::Handler_write, written as u64);
        // The counter follows rows that were inserted, though they be taken back, not those that met an error or were
        // never reached.
        if let (true, Some(col)) = (std::mem::take(&mut batch.moves_counter), table.rules.followed)
        {
            let layout = &table.engine.layout;
            let value = |n| counted(&RowView::new(layout, rows.row(n)).get(col).to_buf());
            let reached = if planted::is(Bug::FirstNumberObserved) { 1 } else { written };
            if let Some(v) = (0..written.min(reached)).filter_map(value).max() {
                table.engine.auto_increment_observe(v).await?;
            }
        }
        if r.foreign.is_some() {
            // A row before the one that met an error would have been told first.
            let parents = foreign::missing_parents(r, table, &batch.rows, written).await;
            done = parents.and(done);
        }
        let batch = std::mem::take(&mut batch.rows);
        if done.is_ok() && r.txn.notes_rows() {
            done = self.note_batch(r, table, &batch).await;
        }
        // After an error too: none of them is wanted any more.
        if let Some(b) = &mut self.batch {
            b.rows = batch;
            b.rows.clear();
        }
        done
    }

    /// Changes the row at `key`, which is locked exclusively. `changes` has each assigned column once.
    pub async fn update(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        key: &[u8],
        old: &[u8],
        changes: &mut Vec<(usize, DatumBuf)>,
    ) -> Run<Updated> {
        let fired = self.fired(r, table, TriggerEvent::Update);
        let mut left = None;
        if let Some(t) = &fired {
            left = triggers::before_update(r, t, table, (key, old), changes, self.ignore).await?;
        }
        self.settle_nulls(r, table, changes)?;
        let old = left.as_deref().unwrap_or(old);
        let done = self.update_fired(r, table, key, old, changes).await?;
        if let Some(t) = &fired
            && done != Updated::LeftOut
        {
            let new = std::mem::take(&mut self.new);
            let after = if done == Updated::Same { old } else { &new };
            triggers::after(r, t, table, TriggerEvent::Update, Some(old), Some(after)).await?;
            self.new = new;
        }
        Ok(done)
    }

    /// The change itself, behind the triggers before it.
    async fn update_fired(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        key: &[u8],
        old: &[u8],
        changes: &mut Vec<(usize, DatumBuf)>,
    ) -> Run<Updated> {
        let view = RowView::new(&table.engine.layout, old);
        if changes.iter().all(|(c, d)| view.get(*c) == d.as_ref()) {
            return Ok(Updated::Same);
        }
        let early = planted::is(Bug::GeneratedBeforeTouched);
        if !early && !self.replicated {
            before_update(table, changes, &mut r.ev)?;
        }
        if !table.rules.generated.is_empty() {
            self.generate_changed(r, table, old, changes)?;
        }
        if early {
            before_update(table, changes, &mut r.ev)?;
        }
        self.new.clear();
        put_columns(table, old, changes, &mut self.new)?;
        let passes = match self.asks_subqueries() {
            true => self.passes_subqueries(r, table).await?,
            false => self.passes(r, table)?,
        };
        if !passes {
            return Ok(Updated::LeftOut);
        }
        let Some(to) = self.home(r, table)? else { return Ok(Updated::LeftOut) };
        let from = partition::home(table, old, r.reads, &mut r.ev)?;
        let before = r.txn.savepoint();
        r.reads.work.inc(Stat::Handler_update);
        let done = match Arc::ptr_eq(from, to) {
            true => r.txn.update(from, key, old, &self.new).await,
            false => Box::pin(self.moved(r, (from, to), key, old)).await,
        };
        if done.is_ok() && r.txn.notes_rows() {
            self.note_image(r, table, Some(old)).await?;
        }
        if done.is_ok()
            && !planted::is(Bug::NumberOfUpdateForgotten)
            && let Some(counter) = table.rules.followed
            && let Some((_, value)) = changes.iter().find(|(c, _)| *c == counter)
            && let Some(v) = counted(value)
        {
            // As MySQL 8.0 has it: values that are generated later come behind this one, too.
            table.engine.auto_increment_observe(v).await?;
        }
        match done {
            Ok(()) if r.foreign.is_none() => Ok(Updated::Changed),
            Ok(()) => match foreign::broken(r, table, old, Some(&self.new)).await? {
                None => Ok(Updated::Changed),
                Some(e) => {
                    self.refuse(e, &mut r.ev.cx.warnings)?;
                    r.txn.rollback_to(before).await?;
                    Ok(Updated::LeftOut)
                }
            },
            Err(EngineError::DuplicateKey { index, .. }) => {
                let e = duplicate_entry(table, index, &self.new, r.ev.cx.tz);
                self.refuse(e, &mut r.ev.cx.warnings)?;
                Ok(Updated::LeftOut)
            }
            Err(e) => Err(e.into()),
        }
    }

    /// A row goes from one partition to another.
    async fn moved(
        &self,
        r: &mut Runner<'_, '_>,
        (from, to): (&Arc<Table>, &Arc<Table>),
        key: &[u8],
        old: &[u8],
    ) -> Result<(), EngineError> {
        let before = r.txn.savepoint();
        if !planted::is(Bug::MovedRowStays) {
            r.txn.delete(from, key, old).await?;
        }
        let done = r.txn.insert(to, &self.new).await;
        if let Err(EngineError::DuplicateKey { .. }) = &done {
            r.txn.rollback_to(before).await?;
        }
        done
    }

    /// Where the image goes: 1526 where no partition is for it, 1748 where the statement does not name it. `None`: IGNORE
    /// leaves the row out.
    fn home<'t>(&self, r: &mut Runner<'_, '_>, table: &'t SqlTable) -> Run<Option<&'t Arc<Table>>> {
        if table.engine.parts.is_empty() {
            return Ok(Some(&table.engine));
        }
        let e = match partition::number_of(table, &self.new, r.reads, &mut r.ev)? {
            Ok(at) if self.selected.as_ref().is_none_or(|s| s.binary_search(&at).is_ok()) => {
                return Ok(Some(&table.engine.parts[at]));
            }
            Ok(_) => SqlError::of(errno::ER_ROW_DOES_NOT_MATCH_GIVEN_PARTITION_SET, &[]),
            Err(value) => partition::no_partition(&value),
        };
        self.refuse(e, &mut r.ev.cx.warnings)?;
        Ok(None)
    }

    /// Deletes the row at `key`, which is locked exclusively. False: IGNORE left it where it is.
    pub async fn delete(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        key: &[u8],
        old: &[u8],
    ) -> Run<bool> {
        let fired = self.fired(r, table, TriggerEvent::Delete);
        let mut left = None;
        if let Some(t) = &fired {
            left = triggers::before_delete(r, t, table, (key, old)).await?;
        }
        let old = left.as_deref().unwrap_or(old);
        let before = r.foreign.is_some().then(|| r.txn.savepoint());
        let home = partition::home(table, old, r.reads, &mut r.ev)?;
        r.reads.work.inc(Stat::Handler_delete);
        r.txn.delete(home, key, old).await?;
        if r.txn.notes_rows() {
            self.note(r, table, Some(old), None).await?;
        }
        if let Some(before) = before
            && let Some(e) = foreign::broken(r, table, old, None).await?
        {
            self.refuse(e, &mut r.ev.cx.warnings)?;
            r.txn.rollback_to(before).await?;
            return Ok(false);
        }
        if let Some(t) = &fired {
            triggers::after(r, t, table, TriggerEvent::Delete, Some(old), None).await?;
        }
        Ok(true)
    }

    /// Changes a child's row as its foreign key says, if it is still there: no check looks at it, and no ON UPDATE CURRENT_TIMESTAMP,
    /// as in MySQL; generated columns follow. Its own foreign keys are the caller's affair.
    pub async fn cascade(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &Arc<SqlTable>,
        key: &[u8],
        what: Cascade,
    ) -> Run<Option<Cascaded>> {
        let mut found = RowBuf::default();
        let lock = LockMode::Exclusive;
        r.txn.use_table(&table.engine, true).await?;
        if !r.txn.get(&table.engine, 0, key, lock, OnLocked::Wait, &mut found).await? {
            return Ok(None);
        }
        let old = found.row;
        let Cascade::Update(mut changes) = what else {
            r.reads.work.inc(Stat::Handler_delete);
            r.txn.delete(&table.engine, key, &old).await?;
            if r.txn.notes_rows() {
                self.note(r, table, Some(&old), None).await?;
            }
            return Ok(Some(Cascaded { old, new: None }));
        };
        if !table.rules.generated.is_empty() && !planted::is(Bug::CascadeKeepsGenerated) {
            self.generate_changed(r, table, &old, &mut changes)?;
        }
        let new = with_columns(table, &old, &changes)?;
        r.reads.work.inc(Stat::Handler_update);
        match r.txn.update(&table.engine, key, &old, &new).await {
            Ok(()) => {
                if r.txn.notes_rows() {
                    self.note(r, table, Some(&old), Some(&new)).await?;
                }
                Ok(Some(Cascaded { old, new: Some(new) }))
            }
            Err(EngineError::DuplicateKey { index, .. }) => {
                Err(duplicate_entry(table, index, &new, r.ev.cx.tz).into())
            }
            Err(e) => Err(e.into()),
        }
    }

    /// What breaks a rule is an error, under IGNORE a warning.
    fn refuse(&self, e: SqlError, warnings: &mut Warnings) -> Run<()> {
        if !self.ignore {
            return Err(e.into());
        }
        warnings.warn(e.errno, || e.message);
        Ok(())
    }
}

/// Reads a row with its lock, as the statement that changes it sees it; false: it is gone.
async fn locked_row(
    r: &mut Runner<'_, '_>,
    table: &Arc<SqlTable>,
    home: &Arc<Table>,
    key: &[u8],
    into: &mut RowBuf,
) -> Run<bool> {
    let there = r.txn.get(home, 0, key, LockMode::Exclusive, OnLocked::Wait, into).await?;
    if there {
        complete(table, &mut into.row, r)?;
    }
    Ok(there)
}

/// The row gets the virtual columns that it is older than.
fn complete(table: &Arc<SqlTable>, row: &mut Vec<u8>, r: &mut Runner<'_, '_>) -> Run<()> {
    if !table.rules.late.is_empty()
        && let Some(whole) = rules::complete(table, row, r.reads, &mut r.ev)?
    {
        *row = whole;
    }
    Ok(())
}

/// ON UPDATE CURRENT_TIMESTAMP of columns that the statement does not set.
fn before_update(
    table: &SqlTable,
    changes: &mut Vec<(usize, DatumBuf)>,
    ev: &mut Ev<'_>,
) -> Run<()> {
    let assigned = changes.len();
    for &(col, fsp) in &table.rules.touched {
        if changes[..assigned].iter().any(|(c, _)| *c == col) {
            continue;
        }
        let v = now(&ev.cx, fsp).map_or(Value::Null, Value::DateTime);
        let c = &table.meta.columns[col];
        let cx = &mut ev.cx;
        let mut sx = StoreCtx {
            column: &c.name,
            table: None,
            row: 1,
            strict: true,
            mode: cx.mode,
            tz: cx.tz,
            now_micros: cx.now_micros,
            warnings: &mut cx.warnings,
            session: Some(cx.session),
        };
        changes.push((col, c.ty.store(&v, &mut sx)?));
    }
    Ok(())
}
