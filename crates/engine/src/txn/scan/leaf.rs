//! Leaves given to a reader as a whole, for readers that work on all rows of a leaf at once.
//!
//! The reader is called with the leaf latched. It waits for nothing and takes no latch; what it wants to keep it copies. It gets each row
//! once: a leaf is given when all its rows are known, and an attempt that has to wait for an older version gives the rows before that one.
//!
//! A row of the clustered index is seen at a glance if its writer had ended when the view was made; any other one is looked at by the
//! rules for versions, and its older version is made where the reader sees that. Entries of a secondary index become rows only in a leaf
//! that the view sees all of ([`Cover`](crate::txn::cover)); other leaves are left to [`Cursor::next`].

use super::{Cursor, Position};
use crate::change_buffer::{Pair, Walk};
use crate::error::Result;
use crate::mtr::{Attempt, Work};
use crate::page::slotted;
use crate::txn::cover::is_settled;
use crate::txn::secondary::is_marked;
use crate::txn::version::{self, RowHeader};
use crate::txn::{LockMode, Txn, View};
use std::borrow::Cow;

/// The rows of a leaf that the reader sees, in the order of their keys and in the layout of the table.
pub type LeafRows<'a> = [Cow<'a, [u8]>];

/// What became of the next leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafRead {
    /// So many rows were given.
    Rows(usize),
    /// The next entries need a look at their rows, one by one: [`Cursor::next`] has them.
    Unsettled,
    /// There are no more rows.
    End,
}

/// The writer of the newest version had ended, with all before him, when the view was made: nothing else is to be known of it.
#[inline]
fn is_old(view: Option<&View>, value: &[u8]) -> bool {
    view.is_some_and(|v| v.sees_all_up_to(RowHeader::read(value).trx))
}

#[inline]
fn is_deleted(value: &[u8]) -> bool {
    RowHeader::read(value).is_deleted()
}

/// The entries of a secondary index where the leaf of the main tree has them all, the view sees all that was written into it, and none is
/// marked: then they are as many rows, and nothing else of an entry is looked at.
fn count_of_entries(pair: &Pair<'_>, walk: &Walk, view: Option<&View>) -> Option<usize> {
    let (leaf, _) = pair.first(walk)?;
    let mut values = pair.values(walk)?;
    (is_settled(leaf, view) && !values.any(is_marked)).then(|| walk.left())
}

/// Rows that a leaf gave, and where the scan goes on; `None`: its entries are not settled.
type Taken = Option<(usize, Position)>;

impl Cursor {
    /// All that was read ahead has been given out, and whole leaves can be read.
    pub fn can_read_leaves(&self) -> bool {
        let plain = self.spec.lock == LockMode::None && !self.spec.reverse;
        let rows = self.spec.index == 0 || self.cover.is_some();
        let long = self.spec.fetch_external && self.table.may_have_external();
        plain && rows && !long && self.is_exhausted()
    }

    /// Gives `take` the rows of the next leaf that has some.
    pub async fn leaf(
        &mut self,
        txn: &mut Txn,
        take: &mut (dyn FnMut(&LeafRows<'_>) + Send),
    ) -> Result<LeafRead> {
        self.leaves(txn, |c, w, view, own| c.rows_of_leaf(w, view, own, take)).await
    }

    /// How many rows the next leaf has that has some.
    pub async fn count_leaf(&mut self, txn: &mut Txn) -> Result<LeafRead> {
        self.leaves(txn, |c, w, view, own| c.count_of_leaf(w, view, own)).await
    }

    async fn leaves(
        &mut self,
        txn: &mut Txn,
        mut read: impl FnMut(&mut Cursor, &Work<'_>, Option<&View>, u64) -> Attempt<Taken> + Send,
    ) -> Result<LeafRead> {
        debug_assert!(self.can_read_leaves());
        txn.use_table(&self.table, false).await?;
        txn.check_alive()?;
        self.read_ahead(txn).await?;
        let view = txn.read_view();
        txn.check_age(&self.table, self.spec.index)?;
        let (mut rows, mut attempts, mut settled) = (0, 0, true);
        let leaf = |txn: &mut Txn, w: &mut Work<'_>| -> Attempt<()> {
            attempts += 1;
            // A leaf that has given something ends the attempt: nothing is given twice.
            while rows == 0 && settled && matches!(self.at, Position::At(_)) {
                match read(self, w, view.as_deref(), txn.id)? {
                    Some(taken) => (rows, self.at) = taken,
                    None => settled = false,
                }
                txn.check_alive()?;
            }
            Ok(())
        };
        txn.drive(0, leaf).await?;
        self.ahead.note(attempts);
        self.count_read(txn, rows);
        if self.cover.is_some() {
            txn.db.stats.rows_covered.add(rows as u64);
        }
        Ok(match (rows, settled) {
            (0, true) => LeafRead::End,
            (0, false) => LeafRead::Unsettled,
            (n, _) => LeafRead::Rows(n),
        })
    }

    /// Where the scan stands, and the leaves there.
    fn pair_at<'c>(&'c self, w: &Work<'c>) -> Attempt<(&'c [u8], Pair<'c>)> {
        let from = match &self.at {
            Position::At(from) => from.as_deref().unwrap_or_default(),
            Position::Done => &[],
        };
        let index = &self.table.indexes[self.spec.index];
        let pair = Pair::owning(w.core, index.trees(), from)?;
        index.buffer.was_read(&pair);
        Ok((from, pair))
    }

    /// Where the scan goes on behind a piece.
    fn behind(&self, pair: &Pair<'_>) -> Position {
        match pair.upper() {
            Some(u) if self.spec.end.as_ref().is_none_or(|e| u < e.as_slice()) => {
                Position::At(Some(u.to_vec()))
            }
            _ => Position::Done,
        }
    }

    fn rows_of_leaf(
        &mut self,
        w: &Work<'_>,
        view: Option<&View>,
        own: u64,
        take: &mut (dyn FnMut(&LeafRows<'_>) + Send),
    ) -> Attempt<Taken> {
        if self.spec.index > 0 {
            return self.entries_of_leaf(w, view, take);
        }
        let (from, pair) = self.pair_at(w)?;
        let mut walk = pair.walk(from, self.spec.end.as_deref());
        let mut rows: Vec<Cow<'_, [u8]>> = Vec::with_capacity(walk.left());
        let mut at = None;
        if let Some(values) = pair.values(&walk) {
            let settled = values.take_while(|value| is_old(view, value));
            let live = settled.inspect(|_| walk.skip_first()).filter(|value| !is_deleted(value));
            rows.extend(live.map(|value| Cow::Borrowed(&value[version::HEADER..])));
        }
        while let Some((p, slot)) = pair.first(&walk) {
            match version::visible(w.core, view, own, slotted::value(p, slot)) {
                Ok(None) => {}
                Ok(Some(row)) => rows.push(row),
                Err(_) if !rows.is_empty() => {
                    at = Some(Position::At(Some(slotted::key(p, slot))));
                    break;
                }
                Err(e) => return Err(e),
            }
            pair.pass_first(&mut walk);
        }
        if !rows.is_empty() {
            take(&rows);
        }
        let at = at.unwrap_or_else(|| self.behind(&pair));
        Ok(Some((rows.len(), at)))
    }

    /// The same of a secondary index that covers what is wanted.
    fn entries_of_leaf(
        &mut self,
        w: &Work<'_>,
        view: Option<&View>,
        take: &mut (dyn FnMut(&LeafRows<'_>) + Send),
    ) -> Attempt<Taken> {
        let Some(mut cover) = self.cover.take() else { return Ok(None) };
        let mut made = || -> Attempt<Taken> {
            let (from, pair) = self.pair_at(w)?;
            let mut walk = pair.walk(from, self.spec.end.as_deref());
            let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(walk.left()));
            while let Some((p, slot)) = pair.first(&walk) {
                let value = slotted::value(p, slot);
                let (prefix, rest) = (slotted::prefix(p), slotted::key_rest(p, slot));
                if !is_settled(p, view) || is_marked(value) || !cover.make(prefix, rest, value) {
                    return Ok(None);
                }
                bytes.extend_from_slice(cover.made().1);
                ends.push(bytes.len());
                pair.pass_first(&mut walk);
            }
            let begins = std::iter::once(0).chain(ends.iter().copied());
            let rows: Vec<_> = begins.zip(&ends).map(|(b, e)| bytes[b..*e].into()).collect();
            if !rows.is_empty() {
                take(&rows);
            }
            Ok(Some((rows.len(), self.behind(&pair))))
        };
        let taken = made();
        self.cover = Some(cover);
        taken
    }

    fn count_of_leaf(&mut self, w: &Work<'_>, view: Option<&View>, own: u64) -> Attempt<Taken> {
        let (from, pair) = self.pair_at(w)?;
        let mut walk = pair.walk(from, self.spec.end.as_deref());
        let secondary = self.spec.index > 0;
        if let Some(rows) = count_of_entries(&pair, &walk, view).filter(|_| secondary) {
            return Ok(Some((rows, self.behind(&pair))));
        }
        let mut rows = 0;
        if let Some(values) = pair.values(&walk).filter(|_| !secondary) {
            for value in values.take_while(|value| is_old(view, value)) {
                walk.skip_first();
                rows += usize::from(!is_deleted(value));
            }
        }
        while let Some((p, slot)) = pair.first(&walk) {
            let value = slotted::value(p, slot);
            if secondary {
                // A marked entry may still lead to an older version that the reader sees.
                if !is_settled(p, view) || is_marked(value) {
                    return Ok(None);
                }
                rows += 1;
            } else {
                match version::visible(w.core, view, own, value) {
                    Ok(row) => rows += usize::from(row.is_some()),
                    Err(_) if rows > 0 => {
                        return Ok(Some((rows, Position::At(Some(slotted::key(p, slot))))));
                    }
                    Err(e) => return Err(e),
                }
            }
            pair.pass_first(&mut walk);
        }
        Ok(Some((rows, self.behind(&pair))))
    }
}
