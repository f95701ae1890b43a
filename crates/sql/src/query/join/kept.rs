//! Rows of a step that are the same whatever the rows of the steps before: read once, kept, and found by what equals their columns.
//!
//! Invariants:
//! - Kept are the rows that the access gives and that the conditions on the table alone let through (`Cond::early`). All other conditions are
//!   looked at on each row found, equality included: a hash may find too many rows, never too few.
//! - Rows are found once all have been read ([`Kept::All`]); until then each is looked at.
//! - Where rows are locked they stay locked: nothing is kept under READ COMMITTED, which unlocks what a row before does not want.
//! - Beyond [`LIMIT`], and beyond what the session may hold, the step reads its rows for each row before, as if nothing had been planned.

use super::Joiner;
use crate::memory::Held;
use crate::query::exec::Runner;
use crate::query::expr::{BExpr, ColRef, eval};
use crate::query::frame::{Frame, Slot};
use crate::query::packed::PackedRows;
use crate::query::plan::KeptBy;
use crate::query::row_hash::{Keyed, RowHash};
use crate::status::{SessionStatus, Stat};
use crate::value::Warnings;
use std::sync::Arc;
use weir_engine::{Isolation, LockMode};

/// Bytes that the kept rows of a step may take.
const LIMIT: usize = 256 << 20;

/// What became of the rows of a step.
#[derive(Default)]
pub(super) enum Kept {
    #[default]
    No,
    /// They are read for the first row before, and kept as they come: whoever asks for few rows waits for no more than he did.
    Filling(KeptStep),
    All(KeptStep),
    /// They were too many, or are not to be kept.
    Never,
}

#[derive(Default)]
pub(super) struct KeptStep {
    rows: Arc<PackedRows>,
    /// None: nothing is equated, or a value was not of its column's kind; all rows are looked at.
    hash: Option<RowHash>,
    /// The row that comes next, and whether only rows of the same hash follow it.
    next: Option<u32>,
    by_hash: bool,
    bytes: usize,
    held: Held,
}

impl Joiner<'_> {
    /// Puts step `i` before the first of its kept rows for the rows before it. False: its rows are to be read.
    pub(super) fn begin_kept(
        &mut self,
        i: usize,
        by: &KeptBy,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> bool {
        let t = self.block.steps[i].table;
        match &self.states[t].kept {
            Kept::All(_) => {}
            Kept::Never => return false,
            Kept::No | Kept::Filling(_) => {
                let lock = r.lock_of(&self.block.tables[t]);
                let stays = lock == LockMode::None || r.txn.isolation() > Isolation::ReadCommitted;
                let hash = (!by.equal.is_empty()).then(RowHash::default);
                self.states[t].kept = match stays {
                    true => Kept::Filling(KeptStep { hash, ..KeptStep::default() }),
                    false => Kept::Never,
                };
                return false;
            }
        }
        let mut key = Vec::new();
        let found = self.key_before(&by.equal, &mut key, r, outer);
        let Kept::All(kept) = &mut self.states[t].kept else { return false };
        (kept.next, kept.by_hash) = match (&kept.hash, found) {
            (Some(_), Ok(None)) => (None, true),
            (Some(hash), Ok(Some(()))) => (hash.first(&key), true),
            _ => ((kept.rows.len() > 0).then_some(0), false),
        };
        true
    }

    /// The key of what the rows before have for the columns that are equated; see [`Keyed::key`]. What is wrong with a value is left to the
    /// condition, which is looked at on the rows found.
    pub(super) fn key_before(
        &self,
        equal: &[(u16, Keyed, BExpr)],
        key: &mut Vec<u8>,
        r: &mut Runner<'_, '_>,
        outer: Option<&Frame<'_>>,
    ) -> Result<Option<()>, ()> {
        let frame = self.frame(r.params, outer);
        let warnings = std::mem::replace(&mut r.ev.cx.warnings, Warnings::with_limit(0));
        let mut found = Ok(Some(()));
        for (_, kind, e) in equal {
            found = eval(e, &frame, &mut r.ev).map_err(|_| ()).and_then(|v| kind.key(&v, key));
            if found != Ok(Some(())) {
                break;
            }
        }
        r.ev.cx.warnings = warnings;
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
        kept.next = match &kept.hash {
            Some(hash) if kept.by_hash => hash.after(at),
            _ => (at + 1 < kept.rows.len()).then_some(at + 1),
        };
        match &mut self.slots[t] {
            // The rows are those that it has already.
            Slot::Packed { at: now, .. } => *now = at,
            slot => *slot = Slot::Packed { rows: kept.rows.clone(), at },
        }
        Some(true)
    }

    /// Whether the conditions on the table alone have been looked at: its rows are those kept.
    #[inline]
    pub(super) fn is_kept(&self, t: usize) -> bool {
        matches!(self.states[t].kept, Kept::All(_))
    }

    #[inline]
    pub(super) fn is_filling(&self, t: usize) -> bool {
        matches!(self.states[t].kept, Kept::Filling(_))
    }

    /// All rows of a table have been read.
    pub(super) fn filled(&mut self, t: usize, work: &SessionStatus) {
        let state = &mut self.states[t];
        state.kept = match std::mem::take(&mut state.kept) {
            Kept::Filling(kept) => {
                work.row(Stat::Weir_join_kept);
                Kept::All(kept)
            }
            // What was too much is not tried again.
            other => other,
        };
    }

    /// Keeps the row at hand of step `i`.
    pub(super) fn fill(&mut self, i: usize, r: &mut Runner<'_, '_>) {
        let t = self.block.steps[i].table;
        let Kept::Filling(mut kept) = std::mem::take(&mut self.states[t].kept) else { return };
        let fits = self.add(i, &mut kept, r);
        self.states[t].kept = match fits {
            true => Kept::Filling(kept),
            false => {
                r.reads.work.row(Stat::Weir_join_not_kept);
                Kept::Never
            }
        };
    }

    /// False: there are too many rows.
    fn add(&self, i: usize, kept: &mut KeptStep, r: &mut Runner<'_, '_>) -> bool {
        let step = &self.block.steps[i];
        let (Some(by), Some(row)) = (&step.kept, self.slots[step.table].bytes()) else {
            return false;
        };
        let bytes = row.len() + size_of::<usize>() + RowHash::ROW_BYTES;
        kept.bytes += bytes;
        let fits = kept.bytes <= LIMIT && kept.rows.len() < u32::MAX;
        if !fits || r.ev.cx.hold(&mut kept.held, bytes).is_err() {
            return false;
        }
        let Some(rows) = Arc::get_mut(&mut kept.rows) else { return false };
        rows.push(row);
        let Some(hash) = &mut kept.hash else { return true };
        let frame = self.frame(r.params, None);
        let mut key = Vec::new();
        let mut found = Ok(Some(()));
        for (col, kind, _) in &by.equal {
            let col = ColRef { depth: 0, table: step.table as u16, col: *col };
            found = kind.key(&frame.column(col, r.ev.cx.tz), &mut key);
            if found != Ok(Some(())) {
                break;
            }
        }
        match found {
            Ok(known) => hash.push(known.map(|()| &key[..])),
            Err(()) => kept.hash = None,
        }
        true
    }
}
