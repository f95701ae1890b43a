//! Rows of values in the order of some of their columns: in memory, and in sorted runs on disk when they take more than a sort may. What
//! sorts rows that are no block's own: set operations with an ORDER BY, and windows.

mod packed;

use super::emit::{FEW, sort_memory};
use super::order::{SortKey, SortOrder};
use super::runs::{Merge, Runs, SortRow};
use super::sort::sort;
use crate::context::Reads;
use crate::memory::{Held, Over};
use crate::query::eval::Ev;
use crate::query::plan::outcome::{Row, Run};
use crate::status::Stat;
use packed::Packed;
use std::cmp::Ordering;
use std::sync::Arc;

/// What a row of a merge counts as work, in the bytes of `EvalCtx::work`.
const ROW: usize = 256;

/// How rows are compared.
pub struct RowOrder {
    order: SortOrder,
    /// For each key its column.
    columns: Vec<usize>,
}

impl RowOrder {
    pub fn new(order: SortOrder, columns: Vec<usize>) -> RowOrder {
        RowOrder { order, columns }
    }

    /// Whether two rows agree in the first `n` keys.
    pub fn same_first(&self, n: usize, a: &Row, b: &Row) -> bool {
        let keys = self.columns[..n].iter().enumerate();
        keys.map(|(n, c)| self.order.compare_key(n, &a[*c], &b[*c])).all(Ordering::is_eq)
    }

    fn compare(&self, keyed: bool, a: &SortRow, b: &SortRow) -> Ordering {
        if keyed && let Some(order) = a.key.compare(&b.key) {
            return order;
        }
        self.order.compare_by(|n| &a.row[self.columns[n]], |n| &b.row[self.columns[n]])
    }
}

pub struct RowSorter {
    by: Arc<RowOrder>,
    /// Of so many keys it is wanted whether rows agree in them ([`SortKey::same_first`]).
    first: usize,
    /// No more rows than these are wanted.
    want: usize,
    /// Every row has its keys as bytes.
    keyed: bool,
    /// Rows wait as bytes while all of them are wanted and have whole keys.
    packed: Option<Packed>,
    /// Otherwise as values.
    kept: Vec<SortRow>,
    /// Memory for the next row.
    spare: Row,
    held: Held,
    /// Bytes of rows that may be in memory.
    memory: usize,
    /// The key of the last row that is wanted, where so many have come.
    bound: Option<SortKey>,
    buf: Vec<u8>,
    runs: Option<Runs>,
}

impl RowSorter {
    pub fn new(by: Arc<RowOrder>, first: usize, want: usize, reads: Reads<'_>) -> RowSorter {
        RowSorter {
            by,
            first,
            want,
            keyed: true,
            packed: (want == usize::MAX).then(Packed::default),
            kept: Vec::new(),
            spare: Row::new(),
            held: Held::default(),
            memory: sort_memory(reads),
            bound: None,
            buf: Vec::new(),
            runs: None,
        }
    }

    /// An empty row to be filled and pushed.
    pub fn spare(&mut self) -> Row {
        std::mem::take(&mut self.spare)
    }

    pub fn push(&mut self, mut row: Row, ev: &mut Ev<'_>) -> Run<()> {
        if let Some(packed) = &mut self.packed {
            let by = &self.by;
            let keys = by.order.key_bytes(|n| &row[by.columns[n]], self.first, &mut self.buf);
            if let Some((true, end)) = keys {
                let bytes = packed.push(&self.buf, end, &row);
                self.held.grow(ev.cx.session.memory(), bytes).map_err(Over::in_sort)?;
                row.clear();
                self.spare = row;
                return Ok(());
            }
            self.unpack(ev)?;
        }
        let mut key = SortKey::default();
        if self.keyed {
            let by = &self.by;
            match by.order.key(|n| &row[by.columns[n]], self.first, &mut self.buf) {
                Some(known) => key = known,
                None => self.keyed = false,
            }
        }
        if self.keyed
            && let Some(bound) = &self.bound
            && key.compare(bound).is_some_and(Ordering::is_ge)
        {
            return Ok(());
        }
        let row = SortRow { key, row, extra: Row::new() };
        self.held.grow(ev.cx.session.memory(), row.bytes()).map_err(Over::in_sort)?;
        self.kept.push(row);
        match self.kept.len() >= self.want.saturating_mul(2).saturating_add(FEW) {
            true => self.prune(ev),
            false => Ok(()),
        }
    }

    /// There is a row whose keys are not all bytes: rows wait as values from here on.
    fn unpack(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        let Some(packed) = self.packed.take() else { return Ok(()) };
        let mut held = Held::default();
        for n in 0..packed.len() {
            let row = packed.row(n, Row::new())?;
            ev.cx.work(ROW)?;
            held.grow(ev.cx.session.memory(), row.bytes()).map_err(Over::in_sort)?;
            self.kept.push(row);
        }
        self.held = held;
        Ok(())
    }

    /// The rows in memory take as much as they may ([`RowSorter::make_room`]).
    pub fn is_full(&self) -> bool {
        self.held.bytes() >= self.memory
    }

    pub async fn make_room(&mut self, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<()> {
        match self.kept.len() / 2 >= self.want {
            true => self.prune(ev),
            false => self.spill(reads, ev).await,
        }
    }

    fn sort(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        if let Some(packed) = &mut self.packed {
            return Ok(packed.sort(|work| ev.cx.work(work))?);
        }
        let mut kept = std::mem::take(&mut self.kept);
        let (by, keyed) = (&self.by, self.keyed);
        sort(&mut kept, |a, b| by.compare(keyed, a, b), |work| ev.cx.work(work))?;
        self.kept = kept;
        Ok(())
    }

    /// Keeps no more rows than are wanted.
    fn prune(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        self.sort(ev)?;
        self.kept.truncate(self.want);
        if self.kept.len() == self.want {
            self.bound = self.kept.last().map(|last| last.key.clone());
        }
        let kept: usize = self.kept.iter().map(SortRow::bytes).sum();
        self.held.shrink(self.held.bytes() - kept);
        Ok(())
    }

    /// What is in memory becomes a run.
    async fn spill(&mut self, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<()> {
        self.sort(ev)?;
        let width = match &self.packed {
            Some(packed) => packed.width(),
            None => self.kept.first().map_or(0, |row| row.row.len()),
        };
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(Runs::open(reads, (width, 0)).await?),
        };
        runs.begin();
        if let Some(packed) = &mut self.packed {
            for n in 0..packed.len() {
                ev.cx.work(ROW)?;
                let (key, values) = packed.written(n);
                runs.put_written(key, values).await?;
            }
            packed.clear();
        }
        for row in self.kept.drain(..).take(self.want) {
            ev.cx.work(ROW)?;
            runs.put(&row).await?;
        }
        runs.end().await?;
        self.held.shrink(self.held.bytes());
        Ok(())
    }

    /// All rows have come.
    pub async fn finish(mut self, reads: Reads<'_>, ev: &mut Ev<'_>) -> Run<Sorted> {
        if self.runs.is_none() {
            self.sort(ev)?;
            if let Some(packed) = self.packed {
                return Ok(Sorted::Packed { next: 0, rows: packed, _held: self.held });
            }
            self.kept.truncate(self.want);
            return Ok(Sorted::Memory { rows: self.kept.into_iter(), held: self.held });
        }
        if !self.kept.is_empty() || self.packed.as_ref().is_some_and(|p| p.len() > 0) {
            self.spill(reads, ev).await?;
        }
        let RowSorter { by, keyed, runs: Some(runs), memory, .. } = self else {
            return Ok(Sorted::Memory { rows: Vec::new().into_iter(), held: self.held });
        };
        reads.work.inc(Stat::Sort_merge_passes);
        let compare: Compare = Box::new(move |a, b| by.compare(keyed, a, b));
        Ok(Sorted::Merged(runs.merge(compare, memory, ev.cx.session.memory()).await?))
    }
}

type Compare = Box<dyn Fn(&SortRow, &SortRow) -> Ordering + Send + Sync>;

/// Rows in their order.
pub enum Sorted {
    Memory { rows: std::vec::IntoIter<SortRow>, held: Held },
    Packed { next: usize, rows: Packed, _held: Held },
    Merged(Merge<Compare>),
}

impl Sorted {
    /// The next row, for whose values `room` may be used.
    pub async fn next(&mut self, room: Row, ev: &mut Ev<'_>) -> Run<Option<SortRow>> {
        match self {
            Sorted::Memory { rows, held } => {
                let row = rows.next();
                held.shrink(row.as_ref().map_or(0, SortRow::bytes));
                Ok(row)
            }
            Sorted::Packed { next, rows, .. } if *next < rows.len() => {
                *next += 1;
                rows.row(*next - 1, room).map(Some)
            }
            Sorted::Packed { .. } => Ok(None),
            Sorted::Merged(merge) => {
                ev.cx.work(ROW)?;
                merge.next(ev.cx.session.memory()).await
            }
        }
    }
}
