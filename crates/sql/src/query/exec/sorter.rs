//! The rows of a block that wait for ORDER BY: in memory, and in sorted runs on disk when they take more than a sort may
//! (`sort_buffer_size`, `tmp_table_size`). With a LIMIT the first rows are kept of many, and those behind the last of them are not taken.

use super::Boxed;
use super::destination::{Out, Takes};
use super::later::Later;
use super::order::{SortKey, SortOrder};
use super::runs::{Runs, SortRow};
use super::sort::sort;
use super::stored::StoredRows;
use crate::context::Reads;
use crate::memory::{Held, Over};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::Block;
use crate::query::plan::outcome::{Row, Run};
use crate::status::Stat;
use crate::value::Value;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// What a row of a merge counts as work, in the bytes of `EvalCtx::work`.
const ROW: usize = 256;

/// Where the value of a sort key is.
enum KeyAt {
    /// It is a column of the result.
    Item(usize),
    Extra(usize),
}

fn key<'v>(row: &'v SortRow, at: &KeyAt) -> &'v Value<'static> {
    match at {
        KeyAt::Item(i) => &row.row[*i],
        KeyAt::Extra(i) => &row.extra[*i],
    }
}

pub struct Sorter<'b> {
    order: SortOrder,
    keys: Vec<KeyAt>,
    extra: Vec<&'b BExpr>,
    /// Items that wait for the order.
    later: Option<Later>,
    /// Values that a row has.
    width: usize,
    kept: Vec<SortRow>,
    /// Every row has its keys as bytes.
    keyed: bool,
    /// Rows may be left out by their keys, before their items are evaluated.
    early: bool,
    /// The key of the last of the rows that are wanted, where as many have come.
    bound: Option<SortKey>,
    buf: Vec<u8>,
    held: Held,
    runs: Option<Runs>,
}

impl<'b> Sorter<'b> {
    pub fn new(b: &'b Block, by: &'b [(BExpr, bool)]) -> Sorter<'b> {
        let mut extra = Vec::new();
        let keys = by.iter().map(|(e, _)| match item_of(e, &b.items) {
            Some(i) => KeyAt::Item(i),
            None => {
                extra.push(e);
                KeyAt::Extra(extra.len() - 1)
            }
        });
        let keys = keys.collect();
        Sorter {
            order: SortOrder::by(by),
            keys,
            extra,
            later: None,
            width: b.items.len(),
            kept: Vec::new(),
            keyed: true,
            early: !b.distinct && !b.items.iter().any(BExpr::varies),
            bound: None,
            buf: Vec::new(),
            held: Held::default(),
            runs: None,
        }
    }

    /// Of a block whose rows come straight from its tables: items that set variables may wait for the order.
    pub fn wait_for_order(&mut self, b: &Block) {
        self.later = Later::of(b);
        self.early &= self.later.is_none();
    }

    /// The current row.
    pub fn row(&self, items: &[BExpr], f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<Row> {
        match &self.later {
            Some(later) => later.row(items, f, ev),
            None => owned(items.iter(), f, ev),
        }
    }

    /// The current row's sort keys that are no columns of the result, and what waits beside it.
    pub fn extra(&self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<Row> {
        let mut extra = owned(self.extra.iter().copied(), f, ev)?;
        if let Some(later) = &self.later {
            extra.append(&mut later.beside(f, ev)?);
        }
        Ok(extra)
    }

    /// Values that stand beside a row.
    fn beside(&self) -> usize {
        self.extra.len() + self.later.as_ref().map_or(0, Later::width)
    }

    /// The row goes out.
    fn completed(&self, mut row: SortRow, ev: &mut Ev<'_>) -> Run<Row> {
        if let Some(later) = &self.later {
            later.complete(&mut row.row, &row.extra, ev)?;
        }
        Ok(row.row)
    }

    /// A row whose keys are these, if it is to be evaluated and pushed. None: there are enough rows before it.
    pub fn begin(&mut self, items: &[BExpr], f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<Option<Row>> {
        let Some(bound) = &self.bound else { return self.extra(f, ev).map(Some) };
        // Keys that are items are columns of the tables here, of which nothing else comes by evaluating them twice.
        let mut shown: SmallVec<[Value<'_>; 4]> = SmallVec::new();
        for at in &self.keys {
            shown.push(match at {
                KeyAt::Item(i) => eval(&items[*i], f, ev)?,
                KeyAt::Extra(i) => eval(self.extra[*i], f, ev)?,
            });
        }
        let told = self.order.key_bytes(|n| &shown[n], 0, &mut self.buf);
        if told.is_some_and(|(whole, _)| bound.is_reached((&self.buf, whole))) {
            return Ok(None);
        }
        // The keys that are no items come in the order of `self.extra`. What waits beside a row is not looked at before the bound.
        let beside = self.keys.iter().zip(shown);
        let extra = beside.filter(|(at, _)| matches!(at, KeyAt::Extra(_)));
        Ok(Some(extra.map(|(_, v)| v.into_owned()).collect()))
    }

    /// Whether [`Sorter::begin`] may be asked before a row is evaluated.
    pub fn may_skip(&self) -> bool {
        self.early && self.keyed && self.bound.is_some()
    }

    pub fn push(&mut self, row: Row, extra: Row, ev: &mut Ev<'_>) -> Run<()> {
        let mut kept = SortRow { key: SortKey::default(), row, extra };
        if self.keyed {
            match self.order.key(|n| key(&kept, &self.keys[n]), 0, &mut self.buf) {
                Some(key) => kept.key = key,
                None => self.keyed = false,
            }
        }
        if self.is_beyond(&kept.key) {
            return Ok(());
        }
        self.held.grow(ev.cx.session.memory(), kept.bytes()).map_err(Over::in_sort)?;
        self.kept.push(kept);
        Ok(())
    }

    /// There are enough rows before one with this key, or equal to it: it comes later than they.
    fn is_beyond(&self, key: &SortKey) -> bool {
        let Some(bound) = self.bound.as_ref().filter(|_| self.keyed) else { return false };
        key.compare(bound).is_some_and(Ordering::is_ge)
    }

    /// Rows in memory and on disk.
    pub fn rows(&self) -> usize {
        self.kept.len() + self.runs.as_ref().map_or(0, Runs::rows)
    }

    pub fn in_memory(&self) -> usize {
        self.kept.len()
    }

    pub fn memory(&self) -> usize {
        self.held.bytes()
    }

    /// Some rows are on disk.
    pub fn has_runs(&self) -> bool {
        self.runs.is_some()
    }

    fn sort(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        let mut kept = std::mem::take(&mut self.kept);
        sort(&mut kept, |a, b| self.compare(a, b), |work| ev.cx.work(work))?;
        self.kept = kept;
        Ok(())
    }

    fn compare(&self, a: &SortRow, b: &SortRow) -> Ordering {
        if self.keyed
            && let Some(order) = a.key.compare(&b.key)
        {
            return order;
        }
        self.order.compare_by(|n| key(a, &self.keys[n]), |n| key(b, &self.keys[n]))
    }

    /// Keeps the first rows of those in memory.
    pub fn prune(&mut self, want: usize, ev: &mut Ev<'_>) -> Run<()> {
        self.sort(ev)?;
        self.kept.truncate(want);
        if self.kept.len() == want {
            self.bound = self.kept.last().map(|last| last.key.clone());
        }
        let kept: usize = self.kept.iter().map(SortRow::bytes).sum();
        self.held.shrink(self.held.bytes() - kept);
        Ok(())
    }

    /// What is in memory becomes a run, as far as it is wanted.
    pub async fn spill(&mut self, want: usize, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<()> {
        self.sort(ev)?;
        let widths = (self.width, self.beside());
        let runs = opened(&mut self.runs, reads, widths).await?;
        runs.begin();
        for row in self.kept.drain(..).take(want) {
            ev.cx.work(ROW)?;
            runs.put(&row).await?;
        }
        runs.end().await?;
        self.held.shrink(self.held.bytes());
        Ok(())
    }

    /// The same for rows that wait as they are stored. They have the same columns, and the same keys.
    pub async fn spill_stored(
        &mut self,
        rows: &mut StoredRows<'_>,
        want: usize,
        reads: Reads<'_>,
        ev: &mut Ev<'_>,
    ) -> Run<()> {
        rows.sort(ev)?;
        self.keyed &= rows.is_keyed();
        let extra = self.keys.iter().enumerate().filter(|(_, at)| matches!(at, KeyAt::Extra(_)));
        let extra: Vec<usize> = extra.map(|(n, _)| n).collect();
        let runs = opened(&mut self.runs, reads, (self.width, extra.len())).await?;
        runs.begin();
        let mut buf = Vec::new();
        for n in 0..rows.len().min(want) {
            ev.cx.work(ROW)?;
            let (row, keyed) = rows.as_values(n, &extra, &mut buf);
            self.keyed &= keyed;
            runs.put(&row).await?;
        }
        rows.clear();
        runs.end().await
    }

    /// Sends the rows behind `offset` in their order; returns how many were sent. `distinct`: of rows with equal keys the first.
    pub async fn send(
        mut self,
        limits: (usize, usize, bool),
        memory: usize,
        reads: Reads<'_>,
        ev: &mut Ev<'_>,
        out: &mut Out<'_>,
    ) -> Run<u64> {
        let (offset, count, _) = limits;
        if self.runs.is_some() {
            return self.send_merged(limits, memory, reads, ev, out).await;
        }
        self.sort(ev)?;
        let mut sent = 0;
        for row in std::mem::take(&mut self.kept).into_iter().skip(offset).take(count) {
            sent += 1;
            self.held.shrink(row.bytes());
            if !out.row(self.completed(row, ev)?, ev)? {
                break;
            }
            if out.is_due() {
                out.make_room(reads, ev).await?;
            }
        }
        Ok(sent)
    }

    fn send_merged<'s>(
        mut self,
        (offset, count, distinct): (usize, usize, bool),
        memory: usize,
        reads: Reads<'s>,
        ev: &'s mut Ev<'_>,
        out: &'s mut Out<'_>,
    ) -> Boxed<'s, u64>
    where
        'b: 's,
    {
        Box::pin(async move {
            if !self.kept.is_empty() {
                self.spill(offset.saturating_add(count), reads, ev).await?;
            }
            let account = ev.cx.session.memory();
            let Some(runs) = self.runs.take() else { return Ok(0) };
            reads.work.inc(Stat::Sort_merge_passes);
            let mut rows = runs.merge(|a, b| self.compare(a, b), memory, account).await?;
            let (mut passed, mut sent) = (0, 0);
            let mut next = rows.next(account).await?;
            while let Some(row) = next
                && passed - offset.min(passed) < count
            {
                ev.cx.work(ROW)?;
                next = rows.next(account).await?;
                while distinct
                    && let Some(twin) = &next
                    && self.compare(&row, twin).is_eq()
                {
                    next = rows.next(account).await?;
                }
                passed += 1;
                if passed > offset {
                    sent += 1;
                    if !out.row(self.completed(row, ev)?, ev)? {
                        break;
                    }
                    if out.is_due() {
                        out.make_room(reads, ev).await?;
                    }
                }
            }
            Ok(sent)
        })
    }
}

async fn opened<'r>(
    runs: &'r mut Option<Runs>,
    reads: Reads<'_>,
    widths: (usize, usize),
) -> Run<&'r mut Runs> {
    Ok(match runs {
        Some(runs) => runs,
        none => none.insert(Runs::open(reads, widths).await?),
    })
}

/// The item that is this very column, or what answers again each time it is asked, by its name.
fn item_of(key: &BExpr, items: &[BExpr]) -> Option<usize> {
    if key.draws() {
        let written = format!("{key:?}");
        return items.iter().position(|i| i.draws() && format!("{i:?}") == written);
    }
    let Node::Col(k) = key.node else { return None };
    items.iter().position(|i| matches!(i.node, Node::Col(c) if c == k))
}

pub fn owned<'e>(
    list: impl Iterator<Item = &'e BExpr>,
    f: &Frame<'_>,
    ev: &mut Ev<'_>,
) -> Run<Row> {
    let mut row = Row::with_capacity(list.size_hint().0);
    for e in list {
        row.push(eval(e, f, ev)?.into_owned());
    }
    Ok(row)
}
