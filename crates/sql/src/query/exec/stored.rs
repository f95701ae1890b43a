//! Rows that wait for a sort as they are stored: a cell for each wanted column, all texts one after the other. No row needs
//! memory of its own, and none becomes values. Of its sort keys a row has the first bytes, by which most comparisons end; all of them are made
//! of rows that begin alike, once such rows are found next to each other.
//!
//! With a LIMIT no more than about twice as many rows wait as are wanted: of many that have come the first are kept, and from then on rows
//! that are behind the last of them are not taken.

use super::emit::FEW;
use super::order::{Beginning, SortKey, SortOrder};
use super::out::{Client, Direct};
use super::runs::SortRow;
use super::sort::sort;
use crate::memory::{Account, Held, Over};
use crate::query::eval::Ev;
use crate::query::eval::as_stored::Form;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::Block;
use crate::query::plan::outcome::Run;
use crate::value::{SqlType, TimeZone, Value};
use std::cmp;
use std::sync::atomic::Ordering;
use weir_engine::row::{Datum, RowLayout, RowView};

#[derive(Clone, Copy)]
enum Cell {
    Null,
    Int(i64),
    UInt(u64),
    Float(f64),
    /// Begin in the texts, length.
    Bytes(usize, u32),
}

#[derive(Clone, Copy)]
struct Entry {
    key: Beginning,
    /// Number of the row: its cells, and its place among equals.
    row: usize,
}

/// Rows of one table for ORDER BY, and for DISTINCT over the sorted columns.
pub struct StoredRows<'b> {
    layout: &'b RowLayout,
    /// Columns of the result, then sort keys that are none of them.
    columns: Vec<(u16, &'b SqlType)>,
    /// How the columns of the result go out.
    forms: Vec<Form>,
    /// For each sort key its place in `columns`.
    keys: Vec<usize>,
    order: SortOrder,
    distinct: bool,
    tz: TimeZone,
    cells: Vec<Cell>,
    text: Vec<u8>,
    rows: Vec<Entry>,
    /// Every row has a key.
    keyed: bool,
    /// The key of the last of the rows that are wanted, where as many have come.
    bound: Option<SortKey>,
    buf: Vec<u8>,
    /// DISTINCT: this many rows are looked through for equal ones.
    dedup_at: usize,
    held: Held,
}

/// Bytes of text that room is made for at once.
const TEXT_AHEAD: usize = 64 * 1024;
/// Rows before a first look for equal ones.
const MANY: usize = 1024;
/// Rows that begin alike, and are compared by their values.
const FEW_ALIKE: usize = 8;
/// What a key counts as work, in the bytes of `EvalCtx::work`.
const KEY: usize = 256;

impl<'b> StoredRows<'b> {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of the rows, without the room that is made ahead.
    pub fn memory(&self) -> usize {
        self.cells.len() * size_of::<Cell>()
            + self.text.len()
            + self.rows.len() * size_of::<Entry>()
    }

    /// `None`: the block's rows, keys or its DISTINCT ask for more than stored columns of one table.
    pub fn new(b: &'b Block, direct: &Direct<'b>, tz: TimeZone) -> Option<StoredRows<'b>> {
        let mut columns: Vec<(u16, &'b SqlType)> = direct.columns().collect();
        let forms: Vec<Form> = direct.forms().collect();
        let items = columns.len();
        let mut keys = Vec::with_capacity(b.order.len());
        for (e, _) in &b.order {
            let col = column_of(e, direct.table)?;
            let at = columns.iter().position(|(c, _)| *c == col).unwrap_or_else(|| {
                columns.push((col, direct.type_of(col)));
                columns.len() - 1
            });
            keys.push(at);
        }
        // Equal rows are neighbours when the keys are just the columns.
        let same = columns.len() == items && (0..items).all(|i| keys.contains(&i));
        if keys.is_empty() || b.distinct && (!same || b.calc_found_rows) {
            return None;
        }
        let expect = (b.seen.load(Ordering::Relaxed) as usize).min(MANY);
        Some(StoredRows {
            layout: direct.layout,
            forms,
            keys,
            order: SortOrder::by(&b.order),
            distinct: b.distinct,
            tz,
            cells: Vec::with_capacity(expect * columns.len()),
            text: Vec::new(),
            rows: Vec::with_capacity(expect),
            keyed: true,
            bound: None,
            buf: Vec::new(),
            dedup_at: MANY,
            held: Held::default(),
            columns,
        })
    }

    pub fn push(&mut self, bytes: &[u8], account: Account<'_>) -> Run<()> {
        let row = self.cells.len() / self.columns.len();
        let view = RowView::new(self.layout, bytes);
        let mut key = Beginning::default();
        if self.keyed {
            let value = loaded(&view, &self.columns, &self.keys, self.tz);
            match self.order.beginning(value, &mut self.buf) {
                Some(known) => key = known,
                None => self.keyed = false,
            }
            if self.bound.is_some() && self.is_beyond(&key, &view) {
                return Ok(());
            }
        }
        for (c, _) in &self.columns {
            let cell = match view.get(usize::from(*c)) {
                Datum::Null => Cell::Null,
                Datum::Int(n) => Cell::Int(n),
                Datum::UInt(n) => Cell::UInt(n),
                Datum::Float(x) => Cell::Float(x),
                Datum::Bytes(b) => {
                    let at = self.text.len();
                    if at == 0 {
                        // Texts of a column are much alike.
                        self.text.reserve((b.len() * self.rows.capacity()).min(TEXT_AHEAD));
                    }
                    self.text.extend_from_slice(b);
                    Cell::Bytes(at, b.len() as u32)
                }
            };
            self.cells.push(cell);
        }
        self.rows.push(Entry { key, row });
        let room = self.room();
        if room != self.held.bytes() {
            self.held.set(account, room).map_err(Over::in_sort)?;
        }
        Ok(())
    }

    /// There are enough rows before one with this key, or equal to it: it comes later than they.
    fn is_beyond(&mut self, key: &Beginning, row: &RowView<'_>) -> bool {
        let Some(bound) = self.bound.as_ref().filter(|_| self.keyed) else { return false };
        match key.order(&bound.beginning()) {
            cmp::Ordering::Equal if !key.is_whole() => {
                let value = loaded(row, &self.columns, &self.keys, self.tz);
                let all = self.order.key(value, 0, &mut self.buf);
                all.and_then(|key| key.compare(bound)).is_some_and(cmp::Ordering::is_ge)
            }
            order => order.is_ge(),
        }
    }

    /// Memory of the arrays.
    fn room(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + self.text.capacity()
            + self.rows.capacity() * size_of::<Entry>()
    }

    /// Lets go of rows beyond the first `want`, and of equal ones, when there are many.
    pub fn trim(&mut self, want: usize, ev: &mut Ev<'_>) -> Run<()> {
        if self.rows.len() >= want.saturating_mul(2).saturating_add(FEW) {
            self.prune(want, ev)?;
        } else if self.distinct && self.rows.len() >= self.dedup_at {
            self.prune(usize::MAX, ev)?;
            self.dedup_at = (self.rows.len() * 2).max(MANY);
        }
        Ok(())
    }

    fn datum(&self, row: usize, column: usize) -> Datum<'_> {
        match self.cells[row * self.columns.len() + column] {
            Cell::Null => Datum::Null,
            Cell::Int(n) => Datum::Int(n),
            Cell::UInt(n) => Datum::UInt(n),
            Cell::Float(x) => Datum::Float(x),
            Cell::Bytes(at, len) => Datum::Bytes(&self.text[at..at + len as usize]),
        }
    }

    fn value(&self, row: usize, column: usize) -> Value<'_> {
        self.columns[column].1.load(self.datum(row, column), self.tz)
    }

    /// Of rows in memory, by the values of all keys.
    fn compare(&self, a: &Entry, b: &Entry) -> cmp::Ordering {
        for (n, column) in self.keys.iter().enumerate() {
            let (x, y) = (self.value(a.row, *column), self.value(b.row, *column));
            let o = self.order.compare_key(n, &x, &y);
            if o != cmp::Ordering::Equal {
                return o;
            }
        }
        cmp::Ordering::Equal
    }

    /// All keys of a row in memory.
    fn key(&self, row: usize, buf: &mut Vec<u8>) -> Option<SortKey> {
        self.order.key(|n| self.value(row, self.keys[n]), 0, buf)
    }

    /// Sorts; of equal rows DISTINCT keeps the first.
    pub fn sort(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        let mut rows = std::mem::take(&mut self.rows);
        let in_turn = |a: &Entry, b: &Entry| a.row.cmp(&b.row);
        if self.keyed {
            let order = |a: &Entry, b: &Entry| a.key.order(&b.key).then(in_turn(a, b));
            sort(&mut rows, order, |work| ev.cx.work(work))?;
            for alike in rows.chunk_by_mut(|a, b| a.key.order(&b.key).is_eq()) {
                if alike.len() > 1 && !alike[0].key.is_whole() {
                    self.sort_alike(alike, ev)?;
                }
            }
        } else {
            let order = |a: &Entry, b: &Entry| self.compare(a, b).then(in_turn(a, b));
            sort(&mut rows, order, |work| ev.cx.work(work))?;
        }
        if self.distinct {
            rows.dedup_by(|later, first| self.is_equal(later, first));
        }
        self.rows = rows;
        Ok(())
    }

    /// Sorts rows whose keys begin alike, by all of their keys.
    fn sort_alike(&self, rows: &mut [Entry], ev: &mut Ev<'_>) -> Run<()> {
        if rows.len() <= FEW_ALIKE {
            rows.sort_by(|a, b| self.compare(a, b).then(a.row.cmp(&b.row)));
            return Ok(());
        }
        let (mut held, mut buf) = (Held::default(), Vec::new());
        let account = ev.cx.session.memory();
        let room = rows.len() * size_of::<(Option<SortKey>, Entry)>();
        held.grow(account, room).map_err(Over::in_sort)?;
        let mut keyed = Vec::with_capacity(rows.len());
        for entry in rows.iter() {
            ev.cx.work(KEY)?;
            let key = self.key(entry.row, &mut buf);
            let heap = key.as_ref().map_or(0, SortKey::heap);
            held.grow(account, heap).map_err(Over::in_sort)?;
            keyed.push((key, *entry));
        }
        let known = keyed.iter().all(|(key, _)| key.is_some());
        let order = |(x, a): &(Option<SortKey>, Entry), (y, b): &(Option<SortKey>, Entry)| {
            let keys = x.as_ref().zip(y.as_ref()).filter(|_| known);
            let told = keys.and_then(|(x, y)| x.compare(y));
            told.unwrap_or_else(|| self.compare(a, b)).then(a.row.cmp(&b.row))
        };
        sort(&mut keyed, order, |work| ev.cx.work(work))?;
        for (to, (_, entry)) in rows.iter_mut().zip(keyed) {
            *to = entry;
        }
        Ok(())
    }

    /// Whether two rows that the sort has put next to each other are equal in all keys.
    fn is_equal(&self, a: &Entry, b: &Entry) -> bool {
        let alike = !self.keyed || a.key.order(&b.key).is_eq();
        alike && (self.keyed && a.key.is_whole() || self.compare(a, b).is_eq())
    }

    /// Every row has a key.
    pub fn is_keyed(&self) -> bool {
        self.keyed
    }

    /// The n-th row as values, and whether it has a key. `extra`: the sort keys that stand beside them.
    pub fn as_values(&self, n: usize, extra: &[usize], buf: &mut Vec<u8>) -> (SortRow, bool) {
        let row = self.rows[n].row;
        let key = self.key(row, buf);
        let keyed = key.is_some();
        let value = |column: usize| self.value(row, column).into_owned();
        let sorted = SortRow {
            key: key.unwrap_or_default(),
            row: (0..self.forms.len()).map(value).collect(),
            extra: extra.iter().map(|key| value(self.keys[*key])).collect(),
        };
        (sorted, keyed)
    }

    /// All rows go; their room is used again.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.text.clear();
        self.rows.clear();
    }

    /// Keeps the first `want` rows only.
    pub fn prune(&mut self, want: usize, ev: &mut Ev<'_>) -> Run<()> {
        self.sort(ev)?;
        self.rows.truncate(want);
        if self.rows.len() == want {
            self.bound = self.rows.last().and_then(|last| self.key(last.row, &mut Vec::new()));
        }
        let width = self.columns.len();
        let (mut cells, mut text) = (Vec::with_capacity(self.rows.len() * width), Vec::new());
        for (n, entry) in self.rows.iter_mut().enumerate() {
            for cell in &self.cells[entry.row * width..(entry.row + 1) * width] {
                cells.push(match *cell {
                    Cell::Bytes(at, len) => {
                        text.extend_from_slice(&self.text[at..at + len as usize]);
                        Cell::Bytes(text.len() - len as usize, len)
                    }
                    other => other,
                });
            }
            entry.row = n;
        }
        (self.cells, self.text) = (cells, text);
        Ok(())
    }

    /// Sends the sorted rows behind `offset`; returns how many.
    pub async fn send(
        mut self,
        offset: usize,
        count: usize,
        client: &mut Client<'_>,
        ev: &mut Ev<'_>,
    ) -> Run<u64> {
        self.sort(ev)?;
        let wanted = self.rows.iter().skip(offset).take(count);
        for entry in wanted.clone() {
            let forms = self.forms.iter().enumerate();
            client.stored_row(
                forms.map(|(c, f)| (*f, self.columns[c].1, self.datum(entry.row, c))),
            )?;
            if client.is_full() {
                client.room().wait().await?;
            }
        }
        Ok(wanted.len() as u64)
    }
}

fn column_of(e: &BExpr, table: usize) -> Option<u16> {
    match e.node {
        Node::Col(c) if c.depth == 0 && c.table as usize == table => Some(c.col),
        _ => None,
    }
}

/// Gives the value of each sort key of a row.
fn loaded<'v>(
    row: &RowView<'v>,
    columns: &[(u16, &'v SqlType)],
    keys: &[usize],
    tz: TimeZone,
) -> impl Fn(usize) -> Value<'v> {
    move |n| {
        let (column, ty) = columns[keys[n]];
        ty.load(row.get(usize::from(column)), tz)
    }
}
