//! Rows of a step that are the same whatever the rows of the steps before: read once, kept, and found by what equals their columns.
//!
//! Invariants:
//! - Kept are the rows that the access gives and that the conditions on the table alone let through (`Cond::early`). All other conditions are
//!   looked at on each row found, except for those that an exact hash has found it by (`Cond::equated`).
//! - Rows are found once all have been read ([`Kept::All`]); until then each is looked at.
//! - Rows that outlast the run of their block ([`KeptBy::lasting`]) are the same whatever is around: no condition that reads anything there has
//!   been looked at when they are kept.
//! - Where rows are locked they stay locked: nothing is kept under READ COMMITTED, which unlocks what a row before does not want.
//! - Beyond what a join may hold (`join_buffer_size`, `tmp_table_size`) and beyond what the session may, the rows are divided with those before
//!   ([`super::parted`]). Where that cannot be, or beyond [`LIMIT`] in a block that is run for each row around, the step reads its rows for
//!   each row before, as if nothing had been planned.

use super::Joiner;
use super::parted::{Spilled, Spilling};
use crate::memory::Held;
use crate::query::eval::branches::is_unwatched;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::packed::PackedRows;
use crate::query::eval::{eval, is_true};
use crate::query::exec::emit::join_memory;
use crate::query::exec::row_hash::RowHash;
use crate::query::exec::subquery_cache::{Last, place};
use crate::query::exec::{Boxed, Runner};
use crate::query::expr::keyed::Keyed;
use crate::query::expr::{BExpr, ColRef};
use crate::query::plan::outcome::Run;
use crate::query::plan::{Cond, KeptBy};
use crate::status::Stat;
use crate::value::{EvalCtx, ValueError, Warnings};
use std::sync::Arc;
use weir_engine::{Isolation, LockMode};

/// Bytes that the kept rows of a step may take where they cannot go to a file.
pub(super) const LIMIT: usize = 256 << 20;

/// What became of the rows of a step.
#[derive(Default)]
pub(super) enum Kept {
    #[default]
    No,
    /// They are read for the first row before, and kept as they come: anyone who asks for few rows waits for no more than he did.
    Filling(KeptTable),
    /// They are too many: those that come go to a file.
    Spilling(Box<Spilling>),
    /// All are in the file, for when there is a second row before.
    Spilled(Box<Spilled>),
    All(KeptStep),
    /// They were too many, or are not to be kept.
    Never,
}

/// The kept rows, and which of them come next.
pub(super) struct KeptStep {
    of: Arc<KeptTable>,
    /// The row that comes next, and whether only rows of the same hash follow it.
    next: Option<u32>,
    by_hash: bool,
}

/// Kept rows, and where they are.
#[derive(Default)]
pub struct KeptTable {
    rows: Arc<PackedRows>,
    /// None: nothing is equated, or a value was not of its column's kind; all rows are looked at.
    hash: Option<RowHash>,
    bytes: usize,
    held: Held,
    /// The bytes that they may take.
    limit: usize,
    /// Beyond them they go to a file.
    parts: bool,
    /// They take as many bytes as they may.
    full: bool,
    /// They did not come in the order that was planned.
    widened: bool,
}

/// Rows cannot be kept.
struct TooMany;

/// Evaluates something whose warnings somebody else gives.
pub(super) fn silently<'q, 'r, T>(
    r: &mut Runner<'q, 'r>,
    f: impl FnOnce(&mut Runner<'q, 'r>) -> T,
) -> T {
    let warnings = std::mem::replace(&mut r.ev.cx.warnings, Warnings::with_limit(0));
    let value = f(r);
    r.ev.cx.warnings = warnings;
    value
}

/// How a step begins.
pub(super) enum Begun {
    /// Before the first of its kept rows.
    Found,
    /// Its rows are to be read.
    Reads,
    /// All of its rows are to be read before the first is looked at.
    ReadsWhole,
    /// Its rows are on disk, and those before have to go there.
    Spilled(Box<Spilled>),
}

impl KeptStep {
    pub(super) fn has_more(&self) -> bool {
        self.next.is_some()
    }
}

impl KeptTable {
    /// Rows of a part, which may take so many bytes.
    pub(super) fn of_part(limit: usize) -> KeptTable {
        KeptTable { hash: Some(RowHash::default()), limit, ..KeptTable::default() }
    }

    /// Rows that nobody else has.
    pub(super) fn alone(self) -> KeptStep {
        Arc::new(self).step()
    }

    /// The rows are about to go: what they take is free for the buffers that they go through.
    pub(super) fn charge_no_more(&mut self) {
        self.held = Held::default();
    }

    pub(super) fn rows(&self) -> &Arc<PackedRows> {
        &self.rows
    }

    /// One more row of a part; false: it is the last that has room.
    pub(super) fn take(
        &mut self,
        key: &[u8],
        row: &[u8],
        cx: &EvalCtx<'_>,
    ) -> Result<bool, ValueError> {
        let bytes = row.len() + size_of::<usize>() + RowHash::ROW_BYTES + key.len();
        let charged = cx.hold(&mut self.held, bytes);
        // One row is always taken: else a part would not end.
        if self.rows.len() == 0 {
            charged.clone()?;
        }
        let (Some(rows), Some(hash)) = (Arc::get_mut(&mut self.rows), &mut self.hash) else {
            return Ok(false);
        };
        rows.push(row);
        hash.push(Some(key));
        self.bytes += bytes;
        Ok(charged.is_ok() && self.bytes < self.limit)
    }

    fn step(self: Arc<KeptTable>) -> KeptStep {
        KeptStep { of: self, next: None, by_hash: false }
    }

    fn first(&self) -> Option<u32> {
        (self.rows.len() > 0).then_some(0)
    }
}

impl Joiner<'_> {
    /// Puts step `i` before the first of its kept rows for the rows before it, if they are there.
    pub(super) fn begin_kept(
        &mut self,
        i: usize,
        by: &KeptBy,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Begun {
        let t = self.block.steps[i].table;
        match &mut self.states[t].kept {
            Kept::All(_) => {}
            Kept::Never => return Begun::Reads,
            kept @ Kept::Spilled(_) => {
                let Kept::Spilled(spilled) = std::mem::take(kept) else { return Begun::Reads };
                return Begun::Spilled(spilled);
            }
            Kept::No | Kept::Filling(_) | Kept::Spilling(_) => {
                let begun = self.begin_keeping(i, by, r, outer);
                if !matches!(begun, Begun::Found) {
                    return begun;
                }
            }
        }
        self.seek_kept(t, by.values(), r, outer);
        Begun::Found
    }

    /// Begins to keep the rows of step `i`, or takes those that an earlier run of the block has left.
    fn begin_keeping(
        &mut self,
        i: usize,
        by: &KeptBy,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Begun {
        let step = &self.block.steps[i];
        // The block may be run again.
        let again = outer.is_some();
        let t = step.table;
        let lasting = by.lasting && again && !r.lasting.is_stopped();
        let last = r.lasting.get(place(step)).filter(|_| lasting);
        let whole = match last {
            Some(Last::All(table)) => {
                self.widened |= table.widened;
                self.states[t].kept = Kept::All(table.clone().step());
                return Begun::Found;
            }
            Some(Last::Unfinished(rows)) => *rows >= step.rows,
            Some(Last::Never) | None => false,
        };
        let lock = r.lock_of(&self.block.tables[t]);
        let stays = lock == LockMode::None || r.txn.isolation() > Isolation::ReadCommitted;
        // In one run the first step is read once.
        let of_use = !matches!(last, Some(Last::Never)) && (lasting || i > 0);
        if !stays || !of_use {
            self.states[t].kept = Kept::Never;
            return Begun::Reads;
        }
        let hash = by.is_hashed().then(RowHash::default);
        let parts = self.may_part(i, by.is_hashed(), again);
        let limit = if parts { join_memory(r.reads) } else { LIMIT };
        let table = KeptTable { hash, limit, parts, ..KeptTable::default() };
        self.states[t].kept = Kept::Filling(table);
        // The row before that is at hand is compared with each row while it is kept, and has its say here, once. What is wrong with its
        // value is an error of the condition.
        if by.is_hashed() && !whole {
            let mut key = std::mem::take(&mut r.key);
            key.clear();
            let _known = self.key_before(by.values(), &mut key, r, outer);
            r.key = key;
        }
        if whole { Begun::ReadsWhole } else { Begun::Reads }
    }

    /// Puts a step before the first of its kept rows for the rows before it.
    pub(super) fn seek_kept<'e>(
        &mut self,
        t: usize,
        values: impl Iterator<Item = (Keyed, &'e BExpr)>,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) {
        let mut key = std::mem::take(&mut r.key);
        key.clear();
        let found = self.key_before(values, &mut key, r, outer);
        if let Kept::All(kept) = &mut self.states[t].kept {
            (kept.next, kept.by_hash) = match (&kept.of.hash, found) {
                (Some(_), Ok(None)) => (None, true),
                (Some(hash), Ok(Some(()))) => (hash.first(&key), true),
                _ => (kept.of.first(), false),
            };
        }
        r.key = key;
    }

    /// Reads all rows of step `i`, which has been put before its first one, and finds those that are wanted. False: there are too many to be
    /// kept, and the step is to be begun again.
    pub(super) fn read_whole<'b>(
        &'b mut self,
        i: usize,
        by: &'b KeptBy,
        r: &'b mut Runner<'_, '_>,
        outer: Option<&'b Frame<'b>>,
    ) -> Boxed<'b, bool> {
        Box::pin(async move {
            let block = self.block;
            let t = block.steps[i].table;
            let exact = self.states[t].exact;
            'rows: while self.is_filling(t) {
                self.look(r)?;
                if !self.read_on(i, r).await? {
                    self.filled(i, r);
                    self.seek_kept(t, by.values(), r, outer);
                    return Ok(true);
                }
                self.complete(i, r)?;
                r.reads.work.examine();
                for c in block.steps[i].conds.iter().filter(|c| c.early && !(c.implied && exact)) {
                    if !self.holds(c, r, outer).await? {
                        continue 'rows;
                    }
                }
                self.fill(i, r);
            }
            Ok(false)
        })
    }

    /// The block is not run on: the tables whose rows could have outlasted it are reported, and what it has read is noted for the
    /// next execution.
    pub fn end(&self, r: &mut Runner<'_, '_>) {
        self.note_rows();
        for step in &self.block.steps {
            if let (Some(KeptBy { lasting: true, .. }), Kept::Filling(_)) =
                (step.kept.as_deref(), &self.states[step.table].kept)
            {
                r.lasting.unfinished(place(step), self.count);
            }
        }
    }

    /// The key of what the rows before have for the columns that are equated; see [`Keyed::key`]. Warnings are given here, once for each row,
    /// and not by the condition for each row found ([`Joiner::is_met`]). An error is left to the condition, which is looked at then.
    pub(super) fn key_before<'e>(
        &self,
        values: impl Iterator<Item = (Keyed, &'e BExpr)>,
        key: &mut Vec<u8>,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Result<Option<()>, ()> {
        let frame = self.frame(r.params, outer);
        let mut found = Ok(Some(()));
        for (kind, e) in values {
            let value = eval(e, &frame, &mut r.ev);
            let before = r.ev.cx.warnings.quiet;
            r.ev.cx.warnings.quiet = before || is_unwatched(e);
            found = value.map_err(drop).and_then(|v| kind.key(&v, key, &mut r.ev.cx));
            r.ev.cx.warnings.quiet = before;
            if found != Ok(Some(())) {
                break;
            }
        }
        found
    }

    /// The next kept row of a table; false at the end. None: its rows are being read.
    #[inline]
    pub(super) fn advance_kept(&mut self, t: usize) -> Option<bool> {
        let Kept::All(kept) = &mut self.states[t].kept else { return None };
        let Some(at) = kept.next else {
            self.slots[t] = Slot::Null;
            return Some(false);
        };
        kept.next = match &kept.of.hash {
            Some(hash) if kept.by_hash => hash.after(at),
            _ => (at + 1 < kept.of.rows.len()).then_some(at + 1),
        };
        match &mut self.slots[t] {
            // The rows are those that it has already.
            Slot::Packed { at: now, .. } => *now = at,
            slot => *slot = Slot::Packed { rows: kept.of.rows.clone(), at },
        }
        Some(true)
    }

    /// Whether the conditions on the table alone have been looked at: its rows are those kept.
    #[inline]
    pub(super) fn is_kept(&self, t: usize) -> bool {
        matches!(self.states[t].kept, Kept::All(_))
    }

    /// Whether the rows of a table, kept or in memory, are found by what they equal: the conditions that equate it have been looked at.
    #[inline]
    pub(super) fn is_found(&self, t: usize) -> bool {
        let state = &self.states[t];
        match (&state.kept, &state.hash) {
            (Kept::All(kept), _) => {
                kept.by_hash && kept.of.hash.as_ref().is_some_and(RowHash::is_exact)
            }
            (_, Some(hash)) => state.by_hash && hash.is_exact(),
            _ => false,
        }
    }

    /// Keys are made of the table's rows and of those before, so that the conditions that they stand for have warned.
    #[inline]
    pub(super) fn is_keyed(&self, t: usize) -> bool {
        match &self.states[t].kept {
            Kept::Filling(kept) => kept.hash.is_some(),
            Kept::Spilling(_) => true,
            Kept::All(kept) => kept.by_hash,
            Kept::No | Kept::Spilled(_) | Kept::Never => self.states[t].by_hash,
        }
    }

    /// Whether a condition without subqueries holds. `keyed`: [`Joiner::is_keyed`] of its step.
    #[inline]
    pub(super) fn is_met(
        &self,
        c: &Cond,
        keyed: bool,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Run<bool> {
        let frame = self.frame(r.params, outer);
        Ok(match keyed && c.equated {
            true => silently(r, |r| is_true(&c.expr, &frame, &mut r.ev))?,
            false => is_true(&c.expr, &frame, &mut r.ev)?,
        })
    }

    #[inline]
    pub(super) fn is_filling(&self, t: usize) -> bool {
        matches!(self.states[t].kept, Kept::Filling(_) | Kept::Spilling(_))
    }

    /// What is kept of a table has no room, or waits for a write ([`Joiner::spill`]).
    #[inline]
    pub(super) fn is_kept_due(&self, t: usize) -> bool {
        match &self.states[t].kept {
            Kept::Filling(kept) => kept.full,
            Kept::Spilling(spilling) => spilling.is_due(),
            _ => false,
        }
    }

    /// All rows of step `i` have been read.
    pub(super) fn filled(&mut self, i: usize, r: &mut Runner<'_, '_>) {
        let step = &self.block.steps[i];
        let widened = i == 0 && self.widened;
        let state = &mut self.states[step.table];
        state.kept = match std::mem::take(&mut state.kept) {
            Kept::Filling(kept) => {
                r.reads.work.inc(Stat::Weir_join_kept);
                let table = Arc::new(KeptTable { widened, ..kept });
                if step.kept.as_ref().is_some_and(|by| by.lasting) {
                    r.lasting.put(place(step), Last::All(table.clone()));
                }
                Kept::All(table.step())
            }
            // What was too much is not tried again.
            other => other,
        };
    }

    /// Keeps the row at hand of step `i`.
    pub(super) fn fill(&mut self, i: usize, r: &mut Runner<'_, '_>) {
        let t = self.block.steps[i].table;
        let added = match std::mem::take(&mut self.states[t].kept) {
            Kept::Filling(mut kept) => self.add(i, &mut kept, r).map(|()| Kept::Filling(kept)),
            Kept::Spilling(mut to) => self.add_spilling(i, &mut to, r).map(|()| Kept::Spilling(to)),
            _ => return,
        };
        self.states[t].kept = added.unwrap_or_else(|TooMany| {
            r.reads.work.inc(Stat::Weir_join_not_kept);
            r.lasting.put(place(&self.block.steps[i]), Last::Never);
            Kept::Never
        });
    }

    fn add(&self, i: usize, kept: &mut KeptTable, r: &mut Runner<'_, '_>) -> Result<(), TooMany> {
        let step = &self.block.steps[i];
        let (Some(by), Some(row)) = (&step.kept, self.slots[step.table].bytes()) else {
            return Err(TooMany);
        };
        let mut bytes = row.len() + size_of::<usize>() + RowHash::ROW_BYTES;
        if kept.rows.len() == u32::MAX {
            return Err(TooMany);
        }
        let Some(rows) = Arc::get_mut(&mut kept.rows) else { return Err(TooMany) };
        rows.push(row);
        if let Some(hash) = &mut kept.hash {
            let mut key = Vec::new();
            match self.key_kept(step.table, by, r, &mut key) {
                Ok(known) => bytes += hash.push(known.map(|()| &key[..])),
                Err(()) => {
                    // Rows of which the key is not told have no part that they would belong to.
                    (kept.hash, kept.parts, kept.limit) = (None, false, LIMIT);
                }
            }
        }
        kept.bytes += bytes;
        let fits = kept.bytes <= kept.limit && r.ev.cx.hold(&mut kept.held, bytes).is_ok();
        kept.full |= !fits;
        if fits || kept.parts { Ok(()) } else { Err(TooMany) }
    }

    /// The row at hand of a step whose rows go to a file.
    fn add_spilling(
        &self,
        i: usize,
        to: &mut Spilling,
        r: &mut Runner<'_, '_>,
    ) -> Result<(), TooMany> {
        let step = &self.block.steps[i];
        let (Some(by), Some(row)) = (&step.kept, self.slots[step.table].bytes()) else {
            return Err(TooMany);
        };
        let mut key = Vec::new();
        match self.key_kept(step.table, by, r, &mut key) {
            Ok(Some(())) => to.put(&key, row),
            Ok(None) => {}
            Err(()) => return Err(TooMany),
        }
        Ok(())
    }

    /// The key of the current row of a table, by the columns that conditions equate.
    pub(super) fn key_kept(
        &self,
        t: usize,
        by: &KeptBy,
        r: &mut Runner<'_, '_>,
        key: &mut Vec<u8>,
    ) -> Result<Option<()>, ()> {
        let frame = self.frame(r.params, None);
        for (col, kind, _) in &by.equal {
            let col = ColRef { depth: 0, table: t as u16, col: *col };
            let found = kind.key(&frame.column(col, r.ev.cx.tz), key, &mut r.ev.cx);
            if found != Ok(Some(())) {
                return found;
            }
        }
        match by.computed.is_empty() {
            true => Ok(Some(())),
            false => {
                let values = by.computed.iter().map(|(own, kind, _)| (*kind, own));
                self.key_before(values, key, r, None)
            }
        }
    }
}
