//! HANDLER ... READ at work: a range of one index, walked from where the read before ended.
//!
//! Invariants:
//! - A read takes no locks, whatever the isolation level, as in MySQL.
//! - Its handler's place moves only when the read has succeeded.

use super::merge::Merge;
use super::{Emitter, Joiner, Out, Runner};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::query::bind::rules;
use crate::query::eval::eval;
use crate::query::eval::frame::{Frame, Slot};
use crate::query::expr::{BExpr, CmpOp};
use crate::query::plan::handler_read::{HandlerRead, How, Order, Spot};
use crate::query::plan::outcome::Run;
use crate::query::plan::{Block, Body};
use crate::query::ranges::KeyRange;
use crate::session_api::SqlError;
use crate::status::Stat;
use crate::value::{DatumBuf, Level, SqlType, StoreCtx, Value, ValueError, Warnings};
use std::sync::Arc;
use weir_engine::row::encode_datum;
use weir_engine::row::key::prefix_successor;
use weir_engine::{Cursor, LockMode, OnLocked, ScanSpec, Table};

/// Rows read between two looks whether the statement must end.
const KILL_EVERY: u32 = 256;

/// The rows that a read may give, in order.
pub struct Walk {
    range: KeyRange,
    reverse: bool,
    /// In stored order, the partition that the range is of; those behind it follow whole.
    part: usize,
    /// No row is in it.
    empty: bool,
    /// Where the handler is when no row is left: where none was there, and else.
    none: Spot,
    over: Spot,
    /// The search finds the first row, which is not counted again.
    found: bool,
    on: Stat,
}

impl Walk {
    fn whole(h: &HandlerRead, reverse: bool) -> Walk {
        let over = if reverse { Spot::Start } else { Spot::End };
        Walk {
            range: KeyRange::all(),
            reverse,
            part: 0,
            empty: h.order == Order::Nothing,
            none: over.clone(),
            over,
            found: h.order != Order::Stored,
            on: match (h.order, reverse) {
                (Order::Stored, _) => Stat::Handler_read_rnd_next,
                (_, false) => Stat::Handler_read_next,
                (_, true) => Stat::Handler_read_prev,
            },
        }
    }

    /// From a spot on, or back from it.
    fn from(h: &HandlerRead, spot: Spot, reverse: bool) -> Walk {
        let mut walk = Walk { found: false, ..Walk::whole(h, reverse) };
        match (spot, reverse) {
            (Spot::Start, false) | (Spot::End, true) => {}
            (Spot::Start, true) | (Spot::End, false) => walk.empty = true,
            (Spot::Row(key, part), false) => {
                walk.part = part;
                // No key begins with all of another one, so this is the lowest that lies above it.
                walk.range.start = [&key[..], &[0]].concat();
            }
            (Spot::Before(key), false) => walk.range.start = key,
            (Spot::Row(key, _) | Spot::Before(key), true) => walk.range.end = Some(key),
        }
        walk
    }

    /// The rows that compare so with the values of a key.
    fn of_key(h: &HandlerRead, op: CmpOp, key: Vec<u8>) -> Walk {
        let reverse = matches!(op, CmpOp::Lt | CmpOp::Le);
        let mut walk = Walk::whole(h, reverse);
        let behind = prefix_successor(&key);
        match op {
            CmpOp::Lt => walk.range.end = Some(key),
            CmpOp::Le => walk.range.end = behind,
            CmpOp::Gt => match behind {
                Some(start) => walk.range.start = start,
                None => walk.empty = true,
            },
            CmpOp::Ge => walk.range.start = key,
            CmpOp::Eq | CmpOp::NullSafe | CmpOp::Ne => {
                walk.none = Spot::Before(key.clone());
                walk.over = behind.clone().map_or(Spot::End, Spot::Before);
                walk.range = KeyRange { start: key, end: behind };
            }
        }
        walk
    }
}

/// What a cursor of a walk reads: the range, or a whole partition behind the one that the range is of.
fn spec(h: &HandlerRead, walk: &Walk, first: bool) -> ScanSpec {
    let range = if first { walk.range.clone() } else { KeyRange::all() };
    ScanSpec {
        index: h.order.index(),
        start: range.start,
        end: range.end,
        reverse: walk.reverse,
        lock: LockMode::None,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect: 1,
        fetch_external: true,
        // The place of the handler is a row's key.
        rows_only: false,
        index_only: None,
    }
}

/// The table's rows as they are walked.
struct Rows<'h> {
    h: &'h HandlerRead,
    walk: Walk,
    parts: Vec<Arc<Table>>,
    part: usize,
    merge: Option<Merge>,
    /// Of a multi-valued index, the entry that led to the row: a row comes once for each of its own.
    entry: Option<Vec<u8>>,
}

impl<'h> Rows<'h> {
    fn new(h: &'h HandlerRead, walk: Walk) -> Rows<'h> {
        let engine = &h.table.engine;
        let parts = match engine.parts.is_empty() {
            true => vec![engine.clone()],
            false => engine.parts.clone(),
        };
        let merges = parts.len() > 1 && h.order != Order::Stored;
        let merge = merges.then(|| Merge::of_whole_rows(engine, h.order.index(), walk.reverse));
        let part = walk.part;
        Rows { h, walk, parts, part, merge, entry: None }
    }

    /// The next row comes into the slot; false at the end.
    async fn next(&mut self, slot: &mut Slot, r: &mut Runner<'_, '_>) -> Run<bool> {
        let last = match std::mem::replace(slot, Slot::Null) {
            Slot::Cursor(c) => Some(c),
            _ => None,
        };
        if let Some(merge) = &mut self.merge {
            let (spec, last) = (spec(self.h, &self.walk, true), last.map(|c| (self.part, c)));
            let Some((part, cursor)) = merge.next(r, &self.parts, &spec, last).await? else {
                return Ok(false);
            };
            (self.part, *slot) = (part, Slot::Cursor(cursor));
            return Ok(true);
        }
        let mut at_hand: Option<Box<Cursor>> = last;
        while let Some(part) = self.parts.get(self.part) {
            let mut cursor = match at_hand.take() {
                Some(c) => c,
                None => {
                    let first = self.h.order != Order::Stored || self.part == self.walk.part;
                    Box::new(r.txn.scan(part, spec(self.h, &self.walk, first)))
                }
            };
            match self.walk.found {
                true => self.walk.found = false,
                false => r.reads.work.inc(self.walk.on),
            }
            if cursor.next(r.txn).await? {
                self.note_entry(&cursor)?;
                *slot = Slot::Cursor(cursor);
                return Ok(true);
            }
            self.part += 1;
        }
        Ok(false)
    }

    /// Of a multi-valued index: rows come in the order of entries, so this one's is the first of its own that was not there yet.
    fn note_entry(&mut self, cursor: &Cursor) -> Run<()> {
        let Order::Index(at) = self.h.order else { return Ok(()) };
        let engine = &self.h.table.engine;
        if engine.def.indexes[at].list_part().is_none() {
            return Ok(());
        }
        let (range, last) = (&self.walk.range, self.entry.as_ref());
        let entries = engine.entries(at, cursor.row(), cursor.key())?;
        let entries = entries.into_iter();
        self.entry = match self.walk.reverse {
            false => entries.filter(|e| last.map_or(*e >= range.start, |l| e > l)).min(),
            true => {
                let end = last.or(range.end.as_ref());
                entries.filter(|e| end.is_none_or(|end| e < end)).max()
            }
        };
        Ok(())
    }

    /// Where the row in the slot is.
    fn spot(&self, slot: &Slot) -> Run<Spot> {
        let Slot::Cursor(c) = slot else {
            return Err(SqlError::internal("a handler is on no row").into());
        };
        let key = match (&self.entry, self.h.order) {
            (Some(entry), _) => entry.clone(),
            (None, Order::Index(i)) if i > 0 => {
                self.h.table.engine.secondary_key(i, c.row(), c.key())?
            }
            _ => c.key().to_vec(),
        };
        Ok(Spot::Row(key, self.part))
    }
}

/// 1210.
fn wrong_value() -> SqlError {
    SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"HANDLER ... READ"])
}

/// Whether what storing a value for a search complained of makes it none that can be searched for: of numbers and texts nothing does, for
/// they are cut to the column's type.
fn is_no_value(ty: &SqlType, complaints: &Warnings) -> bool {
    let mut codes = complaints.list().iter().filter(|w| w.level != Level::Note).map(|w| w.code);
    match ty {
        SqlType::Date | SqlType::DateTime { .. } => codes.next().is_some(),
        SqlType::Time { .. } | SqlType::Timestamp { .. } | SqlType::Year => {
            codes.any(|code| code != errno::ER_WARN_DATA_OUT_OF_RANGE)
        }
        _ => false,
    }
}

impl Runner<'_, '_> {
    /// The rows that a read asks for. Nothing is read yet.
    pub fn walk_of(&mut self, h: &HandlerRead) -> Run<Walk> {
        let work = self.reads.work;
        let (edge, reverse, spot) = match (&h.how, h.spot()) {
            (How::Key(op, values), _) => {
                if h.order == Order::Nothing {
                    return Ok(Walk::whole(h, false));
                }
                let key = self.key_of(h, values)?;
                work.inc(Stat::Handler_read_key);
                return Ok(Walk::of_key(h, *op, key));
            }
            (How::First, _) | (How::Next, None) => (Stat::Handler_read_first, false, None),
            (How::Last, _) | (How::Prev, None) => (Stat::Handler_read_last, true, None),
            (How::Next, spot) => (Stat::Handler_read_next, false, spot),
            (How::Prev, spot) => (Stat::Handler_read_prev, true, spot),
        };
        Ok(match spot {
            Some(spot) => Walk::from(h, spot, reverse),
            None => {
                work.inc(edge);
                work.inc(Stat::Handler_read_key);
                Walk::whole(h, reverse)
            }
        })
    }

    /// The bytes with which the entries of these values begin.
    fn key_of(&mut self, h: &HandlerRead, values: &[BExpr]) -> Run<Vec<u8>> {
        let engine = &h.table.engine;
        let index = &engine.def.indexes[h.order.index()];
        let mut key = Vec::new();
        for (part, value) in index.parts.iter().zip(values) {
            let v = eval(value, &Frame::empty(self.params), &mut self.ev)?.into_owned();
            let column = &h.table.meta.columns[part.col];
            if v.is_null() && !column.nullable {
                // As in MySQL, which names the key.
                return Err(value_error(ValueError::bad_null(&index.name)).into());
            }
            let datum = self.key_datum(&column.name, &column.key_type(), &v)?;
            encode_datum(&part.of(&engine.layout), datum.as_ref(), &mut key)
                .map_err(|e| SqlError::internal(e.to_string()))?;
        }
        Ok(key)
    }

    /// A value as the column would have it.
    fn key_datum(&mut self, column: &str, ty: &SqlType, v: &Value<'_>) -> Run<DatumBuf> {
        let mut complaints = Warnings::with_limit(8);
        let cx = &self.ev.cx;
        let mut sx = StoreCtx {
            column,
            table: None,
            row: 1,
            strict: false,
            mode: cx.mode,
            tz: cx.tz,
            now_micros: cx.now_micros,
            warnings: &mut complaints,
            session: Some(cx.session),
        };
        let datum = ty.store(v, &mut sx).map_err(value_error)?;
        match is_no_value(ty, &complaints) {
            true => Err(wrong_value().into()),
            false => Ok(datum),
        }
    }

    /// Sends the rows of a walk, and moves the handler to where it ends.
    pub async fn read_handler(
        &mut self,
        h: &HandlerRead,
        walk: Walk,
        out: &mut Out<'_>,
    ) -> Run<()> {
        let limits = match &h.limit {
            Some(l) => self.limits(Some(l))?,
            None => (0, 1),
        };
        let Body::Block(block) = &h.query.body else { return Ok(()) };
        if limits.1 == 0 {
            return Ok(());
        }
        let spot = self.walk(h, walk, (block, limits), out).await?;
        Ok(h.end_at(spot, self.ev.cx.session.memory()).map_err(SqlError::from)?)
    }

    async fn walk(
        &mut self,
        h: &HandlerRead,
        walk: Walk,
        (block, limits): (&Block, (usize, usize)),
        out: &mut Out<'_>,
    ) -> Run<Spot> {
        let (none, over) = (walk.none.clone(), walk.over.clone());
        if walk.empty {
            self.reads.work.inc(walk.on);
            return Ok(none);
        }
        let mut j = Joiner::new(block);
        let mut e = Emitter::of_tables(block, limits, self.reads, out);
        let mut rows = Rows::new(h, walk);
        let mut seen: u32 = 0;
        while rows.next(&mut j.slots[0], self).await? {
            seen = seen.wrapping_add(1);
            if seen.is_multiple_of(KILL_EVERY) {
                self.go_on()?;
            }
            self.reads.work.examine();
            self.complete_handled(h, &mut j.slots[0])?;
            if self.passes(h, &mut j).await? && !self.emit(&mut j, &[], &mut e, None, out).await? {
                return rows.spot(&j.slots[0]);
            }
        }
        Ok(if seen == 0 { none } else { over })
    }

    /// The row gets the virtual columns that it is older than.
    fn complete_handled(&mut self, h: &HandlerRead, slot: &mut Slot) -> Run<()> {
        let Slot::Cursor(c) = slot else { return Ok(()) };
        if h.table.rules.late.is_empty() {
            return Ok(());
        }
        if let Some(row) = rules::complete(&h.table, c.row(), self.reads, &mut self.ev)? {
            c.show(&row);
        }
        Ok(())
    }

    /// Whether the row satisfies WHERE.
    async fn passes(&mut self, h: &HandlerRead, j: &mut Joiner<'_>) -> Run<bool> {
        for c in &h.conds {
            if !j.holds(c, self, None).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
