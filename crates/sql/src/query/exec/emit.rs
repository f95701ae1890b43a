//! The rows of a block on their way out: DISTINCT, ORDER BY and LIMIT.

use super::Boxed;
use super::destination::{Out, Takes};
use super::distinct::Distinct;
use super::out::Direct;
use super::sorter::{Sorter, owned};
use super::spool::decode_all;
use super::stored::StoredRows;
use crate::context::Reads;
use crate::func::aggregate::key_of;
use crate::memory::Account;
use crate::planted::{self, Bug};
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval};
use crate::query::plan::Block;
use crate::query::plan::outcome::{Row, Run};
use crate::value::Value;
use crate::value::encoded::encode;
use crate::vars::Var;

/// Rows that wait beyond twice as many as a LIMIT wants, before the first of them are kept: from then on rows behind those are not taken.
pub const FEW: usize = 32;

pub struct Emitter<'b> {
    b: &'b Block,
    offset: usize,
    count: usize,
    // What few statements need is on the heap: every statement's future has room for an emitter.
    distinct: Option<Box<Distinct>>,
    /// The key of the row at hand, where each passes once.
    key: Vec<u8>,
    passed: usize,
    sort: Option<Box<Sorter<'b>>>,
    /// Bytes of rows that may wait in memory.
    memory: usize,
    /// Instead of `sort`, where rows can wait as they are stored.
    stored: Option<Box<StoredRows<'b>>>,
    /// How rows go to the client without becoming values.
    direct: Option<Direct<'b>>,
}

impl<'b> Emitter<'b> {
    pub fn new(b: &'b Block, (offset, count): (usize, usize), reads: Reads<'_>) -> Emitter<'b> {
        Emitter {
            b,
            offset,
            count,
            distinct: b.distinct.then(|| Box::new(distinct_of(b, reads))),
            key: Vec::new(),
            passed: 0,
            sort: (!b.order.is_empty()).then(|| Box::new(Sorter::new(b, &b.order))),
            memory: if b.order.is_empty() { 0 } else { sort_memory(reads) },
            stored: None,
            direct: None,
        }
    }

    /// For rows straight from the tables: those that can go to the client as they are stored do.
    pub fn of_tables(
        b: &'b Block,
        limits: (usize, usize),
        reads: Reads<'_>,
        out: &Out<'_>,
    ) -> Emitter<'b> {
        let mut e = Emitter::new(b, limits, reads);
        if let Some(sort) = &mut e.sort {
            sort.wait_for_order(b);
        }
        let Out::Client(client) = out else { return e };
        // The columns of an outer join's missing row are in no table.
        if !b.groups.is_empty() || b.having.is_some() {
            return e;
        }
        e.direct = client.direct(&b.items, &b.shapes);
        if let (Some(d), Some(_)) = (&e.direct, &e.sort) {
            e.stored = StoredRows::new(b, d, client.time_zone()).map(Box::new);
        }
        e
    }

    /// The index does not deliver its order this time. Before the first row.
    pub fn sort_after_all(&mut self, reads: Reads<'_>) {
        if let Some(distinct) = &mut self.distinct {
            distinct.disorder();
        }
        if self.sort.is_none() && !self.b.index_order.is_empty() {
            self.memory = sort_memory(reads);
            self.sort = Some(Box::new(Sorter::new(self.b, &self.b.index_order)));
        }
    }

    /// How all rows from here on go to the client, where they all go as they are stored and as they come.
    pub fn streams(&self) -> Option<&Direct<'b>> {
        let all = self.offset == 0 && self.count == usize::MAX;
        let as_they_come = self.sort.is_none() && !self.b.distinct;
        self.direct.as_ref().filter(|_| all && as_they_come)
    }

    /// The table whose rows wait for their order as they are stored, and nothing else of them is asked for.
    pub fn sorts_stored(&self) -> Option<usize> {
        let plain = self.stored.is_some() && self.b.drawn.exprs.is_empty();
        self.direct.as_ref().filter(|_| plain).map(|d| d.table)
    }

    /// Takes a row of that table, which may be in its leaf. [`Emitter::prune`] is to be asked for afterwards.
    #[inline]
    pub fn take_stored(&mut self, bytes: &[u8], account: Account<'_>) -> Run<()> {
        self.passed += 1;
        self.stored.as_mut().map_or(Ok(()), |rows| rows.push(bytes, account))
    }

    /// Rows go on from latched pages: all of them to a client that takes them so, or into the sort.
    pub fn pours(&self, out: &mut Out<'_>) -> Run<bool> {
        if self.sorts_stored().is_some() {
            return Ok(true);
        }
        let (Some(_), Out::Client(client)) = (self.streams(), out) else { return Ok(false) };
        let holds = client.hold();
        if holds {
            client.release()?;
        }
        Ok(holds)
    }

    /// So many rows went to the client.
    pub fn streamed(&mut self, rows: usize) {
        self.passed += rows;
    }

    /// Takes the current row; false: no more rows are wanted.
    pub fn row(&mut self, f: &Frame<'_>, ev: &mut Ev<'_>, out: &mut Out<'_>) -> Run<bool> {
        let b = self.b;
        if !b.distinct && self.sort.is_none() {
            self.passed += 1;
            if self.in_limit() && !out.frame(&b.items, self.direct.as_ref(), f, ev)? {
                return Ok(false);
            }
            return Ok(self.wants_more());
        }
        if let (Some(rows), Some(d)) = (&mut self.stored, &self.direct)
            && let Some(bytes) = f.slots[d.table].bytes()
        {
            self.passed += 1;
            rows.push(bytes, ev.cx.session.memory())?;
            self.prune(ev)?;
            return Ok(true);
        }
        if let Some(sort) = self.sort.as_mut().filter(|s| s.may_skip()) {
            let Some(extra) = sort.begin(&b.items, f, ev)? else {
                self.passed += 1;
                return Ok(true);
            };
            let row = sort.row(&b.items, f, ev)?;
            return self.pass(row, extra, ev, out);
        }
        if self.distinct.as_ref().is_some_and(|d| d.is_adjacent()) && !self.is_next(f, ev)? {
            return Ok(true);
        }
        let row = match &self.sort {
            Some(sort) => sort.row(&b.items, f, ev)?,
            None => owned(b.items.iter(), f, ev)?,
        };
        let keyed = match &self.distinct {
            Some(distinct) if !distinct.is_adjacent() => {
                key_of_row(b, &row, &mut self.key);
                if distinct.knows(&self.key) {
                    return Ok(true);
                }
                true
            }
            _ => false,
        };
        let extra = match &self.sort {
            Some(sort) => sort.extra(f, ev)?,
            None => Row::new(),
        };
        if let Some(distinct) = self.distinct.as_mut().filter(|_| keyed) {
            let put = |to: &mut Vec<u8>| row.iter().chain(&extra).for_each(|v| encode(v, to));
            if !distinct.is_first(&self.key, put, ev)? {
                return Ok(true);
            }
        }
        self.pass(row, extra, ev, out)
    }

    /// The current row differs from the one before, where equal rows come one behind the other.
    fn is_next(&mut self, f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<bool> {
        self.key.clear();
        for item in &self.b.items {
            key_of(&eval(item, f, ev)?, &item.info.ty, &mut self.key);
        }
        let Some(distinct) = &mut self.distinct else { return Ok(true) };
        Ok(distinct.is_next(&mut self.key))
    }

    /// A row that is new.
    fn pass(&mut self, row: Row, extra: Row, ev: &mut Ev<'_>, out: &mut Out<'_>) -> Run<bool> {
        self.passed += 1;
        match &mut self.sort {
            Some(sort) => {
                sort.push(row, extra, ev)?;
                self.prune(ev)?;
                Ok(true)
            }
            None => {
                if self.in_limit() && !out.row(row, ev)? {
                    return Ok(false);
                }
                Ok(self.wants_more())
            }
        }
    }

    /// The row counted last is one of those asked for.
    fn in_limit(&self) -> bool {
        self.passed > self.offset && self.passed - self.offset <= self.count
    }

    fn wants_more(&self) -> bool {
        self.b.calc_found_rows || self.passed.saturating_sub(self.offset) < self.count
    }

    /// With a LIMIT only the first rows are kept.
    pub fn prune(&mut self, ev: &mut Ev<'_>) -> Run<()> {
        let Some(want) = self.offset.checked_add(self.count) else { return Ok(()) };
        if let Some(rows) = &mut self.stored {
            return rows.trim(want, ev);
        }
        let Some(sort) = &mut self.sort else { return Ok(()) };
        if sort.in_memory() >= want.saturating_mul(2).saturating_add(FEW) {
            sort.prune(want, ev)?;
        }
        Ok(())
    }

    /// Rows wait that are to go to disk, or for the client to want more: [`Emitter::make_room`].
    pub fn is_due(&self, out: &Out<'_>) -> bool {
        let aside = self.distinct.as_ref().is_some_and(|d| d.is_due());
        aside || self.sort_is_full() || out.is_due()
    }

    /// The rows that wait for their order take as much memory as they may.
    fn sort_is_full(&self) -> bool {
        let Some(sort) = &self.sort else { return false };
        self.stored.as_ref().map_or_else(|| sort.memory(), |s| s.memory()) >= self.memory
    }

    /// What is due goes to disk, or is waited for.
    pub fn make_room<'e>(
        &'e mut self,
        reads: Reads<'e>,
        ev: &'e mut Ev<'_>,
        out: &'e mut Out<'_>,
    ) -> Boxed<'e, ()> {
        Box::pin(async move {
            if out.is_due() {
                out.make_room(reads, ev).await?;
            }
            if let Some(distinct) = &mut self.distinct
                && distinct.is_due()
            {
                distinct.write(reads).await?;
            }
            if !self.sort_is_full() {
                return Ok(());
            }
            let want = match planted::is(Bug::LimitWithoutOffset) {
                true => self.count,
                false => self.offset.saturating_add(self.count),
            };
            let Some(sort) = &mut self.sort else { return Ok(()) };
            match &mut self.stored {
                Some(rows) if rows.len() / 2 >= want => rows.prune(want, ev),
                Some(rows) => sort.spill_stored(rows, want, reads, ev).await,
                None if sort.in_memory() / 2 >= want => sort.prune(want, ev),
                None => sort.spill(want, reads, ev).await,
            }
        })
    }

    /// The input has ended: the rows that were put aside pass, each kind once.
    fn take_aside<'e>(
        &'e mut self,
        mut distinct: Box<Distinct>,
        reads: Reads<'e>,
        ev: &'e mut Ev<'_>,
        out: &'e mut Out<'_>,
    ) -> Boxed<'e, ()> {
        Box::pin(async move {
            while (self.sort.is_some() || self.wants_more())
                && let Some(mut part) = distinct.next_part(reads).await?
            {
                while let Some(bytes) = distinct.next_first(&mut part, reads, ev).await? {
                    let mut row = decode_all(&bytes)?;
                    let extra = row.split_off(self.b.items.len());
                    if !self.pass(row, extra, ev, out)? {
                        return Ok(());
                    }
                    if self.is_due(out) {
                        self.make_room(reads, ev, out).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// Rows that wait for their order; none where they come in it.
    pub fn waiting(&self) -> Option<usize> {
        let on_disk_or_kept = self.sort.as_ref().map(|s| s.rows());
        match self.stored.as_ref().map(|s| s.len()) {
            Some(rows) => on_disk_or_kept.map(|n| n + rows),
            None => on_disk_or_kept,
        }
    }

    /// The number for FOUND_ROWS() of rows that went out as they came; `None`: some were kept, and [`Emitter::finish`] sends them.
    pub fn ended(&self) -> Option<u64> {
        let kept = self.sort.is_some() || self.distinct.as_ref().is_some_and(|d| d.has_aside());
        (!kept).then(|| self.found())
    }

    fn found(&self) -> u64 {
        match self.b.calc_found_rows {
            true => self.passed as u64,
            false => self.passed.saturating_sub(self.offset).min(self.count) as u64,
        }
    }

    /// Sends what was kept. Returns the number for FOUND_ROWS().
    pub fn finish<'e>(
        &'e mut self,
        reads: Reads<'e>,
        ev: &'e mut Ev<'_>,
        out: &'e mut Out<'_>,
    ) -> Boxed<'e, u64> {
        Box::pin(async move {
            if let Some(distinct) = self.distinct.take_if(|d| d.has_aside()) {
                self.take_aside(distinct, reads, ev, out).await?;
            }
            let (b, offset, count) = (self.b, self.offset, self.count);
            let Some(mut sort) = self.sort.take() else { return Ok(self.found()) };
            let mut stored = self.stored.take();
            // Rows that wait as they are stored have no other DISTINCT.
            let distinct = b.distinct && stored.is_some();
            if sort.has_runs()
                && let Some(mut rows) = stored.take()
            {
                sort.spill_stored(&mut rows, offset.saturating_add(count), reads, ev).await?;
            }
            let sent = match (stored, &mut *out) {
                (Some(rows), Out::Client(client)) => rows.send(offset, count, client, ev).await?,
                _ => sort.send((offset, count, distinct), self.memory, reads, ev, out).await?,
            };
            Ok(if b.calc_found_rows { self.passed as u64 } else { sent })
        })
    }
}

/// What equal rows have in common.
fn key_of_row(b: &Block, row: &[Value<'static>], key: &mut Vec<u8>) {
    key.clear();
    row.iter().zip(&b.items).for_each(|(v, e)| key_of(v, &e.info.ty, key));
}

fn distinct_of(b: &Block, reads: Reads<'_>) -> Distinct {
    let memory = table_memory(reads);
    match b.together.rows && b.agg.is_none() {
        true => Distinct::of_adjacent(memory),
        false => Distinct::new(memory),
    }
}

/// Bytes of groups, and of keys of DISTINCT, that are kept in memory.
pub fn table_memory(reads: Reads<'_>) -> usize {
    usize::try_from(reads.vars.u64(Var::tmp_table_size)).unwrap_or(usize::MAX)
}

/// Bytes of rows that a join keeps in memory of each table that it finds rows of by hash: no more than half of what the session may still
/// take, since others need some as well.
pub fn join_memory(reads: Reads<'_>) -> usize {
    let bytes = reads.vars.u64(Var::join_buffer_size).max(reads.vars.u64(Var::tmp_table_size));
    let room = reads.session.memory().map_or(usize::MAX, |m| m.room());
    usize::try_from(bytes).unwrap_or(usize::MAX).min(room / 2)
}

/// Bytes of rows that a sort keeps in memory.
pub fn sort_memory(reads: Reads<'_>) -> usize {
    let bytes = reads.vars.u64(Var::sort_buffer_size).max(reads.vars.u64(Var::tmp_table_size));
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
