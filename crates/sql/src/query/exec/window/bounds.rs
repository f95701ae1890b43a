//! Where the frame of a row begins and ends, and which rows are its peers.
//!
//! Both move on with the current row, so they are looked for from where they were for the row before.

use super::rows::PartitionRows;
use crate::errno;
use crate::query::exec::Runner;
use crate::query::exec::order::SortOrder;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Bound, Frame};
use crate::session_api::SqlError;
use crate::value::{Value, Warnings};
use std::cmp::Ordering;
use std::ops::Range;

/// The keys of a window's order, and where they are in a row.
pub struct OrderKeys {
    pub by: SortOrder,
    pub cells: Range<usize>,
    /// Their number behind that of the partition's keys.
    pub first: usize,
}

impl OrderKeys {
    async fn equal(&self, rows: &mut PartitionRows, a: usize, b: usize) -> Run<bool> {
        let same = |a: &[Value<'static>], b: &[Value<'static>]| {
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.all(|(n, (x, y))| self.by.compare_key(self.first + n, x, y).is_eq())
        };
        if let Some((a, b)) = rows.kept(a).zip(rows.kept(b)) {
            return Ok(same(&a[self.cells.clone()], &b[self.cells.clone()]));
        }
        let keys = rows.row(a).await?[self.cells.clone()].to_vec();
        Ok(same(&keys, &rows.row(b).await?[self.cells.clone()]))
    }

    /// Whether the key of a RANGE frame is less than the value in a row, or equal to it where `beyond` is asked for.
    async fn is_before(
        &self,
        rows: &mut PartitionRows,
        at: usize,
        (value, beyond): (&Value<'static>, bool),
    ) -> Run<bool> {
        let order = self.by.compare_key(self.first, &rows.row(at).await?[self.cells.start], value);
        Ok(if beyond { order != Ordering::Greater } else { order == Ordering::Less })
    }

    /// The first row of which [`OrderKeys::is_before`] is not true, looked for from `near` on.
    async fn first_at(
        &self,
        r: &mut Runner<'_, '_>,
        rows: &mut PartitionRows,
        of: (&Value<'static>, bool),
        near: usize,
    ) -> Run<usize> {
        let len = rows.len();
        let (mut low, mut high) = (0, len);
        // In steps that double, away from where it was.
        let mut step = 1;
        if near < len && self.is_before(rows, near, of).await? {
            low = near + 1;
            while low < high && high == len {
                let probe = low.saturating_add(step - 1).min(len - 1);
                match self.is_before(rows, probe, of).await? {
                    true => low = probe + 1,
                    false => high = probe,
                }
                step *= 2;
            }
        } else {
            high = near.min(len);
            while high > low && low == 0 {
                let probe = high.saturating_sub(step);
                match self.is_before(rows, probe, of).await? {
                    true => low = probe + 1,
                    false => high = probe,
                }
                step *= 2;
            }
        }
        while low < high {
            r.ev.cx.work(64)?;
            let middle = low + (high - low) / 2;
            match self.is_before(rows, middle, of).await? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        Ok(low)
    }
}

/// The rows that are equal to the current one in the window's order.
#[derive(Default)]
pub struct Peers {
    start: usize,
    /// So far are they known.
    seen: usize,
    /// There are no more of them.
    complete: bool,
}

impl Peers {
    /// The row at hand is this one; each follows the one before. Returns whether it is the first of its peers.
    pub async fn go_to(
        &mut self,
        at: usize,
        rows: &mut PartitionRows,
        keys: &OrderKeys,
    ) -> Run<bool> {
        if at < self.seen {
            return Ok(at == self.start);
        }
        let same = at > 0 && !self.complete && keys.equal(rows, at - 1, at).await?;
        if !same {
            (self.start, self.complete) = (at, false);
        }
        self.seen = at + 1;
        Ok(!same)
    }

    pub fn start(&self) -> usize {
        self.start
    }

    /// Behind the last of them.
    pub async fn end(&mut self, rows: &mut PartitionRows, keys: &OrderKeys) -> Run<usize> {
        if keys.cells.is_empty() {
            (self.seen, self.complete) = (rows.len(), true);
        }
        while !self.complete {
            match self.seen < rows.len() && keys.equal(rows, self.start, self.seen).await? {
                true => self.seen += 1,
                false => self.complete = true,
            }
        }
        Ok(self.seen)
    }
}

/// The frame of a row, given the one of the row before: some of the partition's rows, or none. `values`: those of its bounds.
pub async fn frame_of(
    frame: &Frame,
    (r, rows): (&mut Runner<'_, '_>, &mut PartitionRows),
    (at, values): (usize, [Option<Value<'static>>; 2]),
    (peers, keys): (&mut Peers, &OrderKeys),
    last: &Range<usize>,
) -> Run<Range<usize>> {
    let len = rows.len();
    let [of_start, of_end] = values;
    let start = match (&frame.start, of_start) {
        (Bound::Unbounded, _) => 0,
        (bound @ (Bound::Before(_) | Bound::After(_)), Some(v)) if frame.rows => {
            rows_away(at, bound, &v)?.unwrap_or(0).min(len)
        }
        (Bound::Before(_) | Bound::After(_), Some(v)) if !v.is_null() => {
            keys.first_at(r, rows, (&v, false), last.start).await?
        }
        // The current row, or one whose order is NULL: the frame begins with its peers.
        _ if frame.rows => at,
        _ => peers.start(),
    };
    let end = match (&frame.end, of_end) {
        (Bound::Unbounded, _) => len,
        (bound @ (Bound::Before(_) | Bound::After(_)), Some(v)) if frame.rows => {
            rows_away(at, bound, &v)?.map_or(0, |place| place.saturating_add(1).min(len))
        }
        (Bound::Before(_) | Bound::After(_), Some(v)) if !v.is_null() => {
            keys.first_at(r, rows, (&v, true), last.end).await?
        }
        _ if frame.rows => at + 1,
        _ => peers.end(rows, keys).await?,
    };
    r.ev.cx.work(64)?;
    Ok(start..end.max(start))
}

/// The place so many rows away from the current one; none before the first.
fn rows_away(at: usize, bound: &Bound, by: &Value<'_>) -> Run<Option<usize>> {
    let n = whole(by).filter(|n| *n >= 0).ok_or_else(illegal_frame)? as usize;
    Ok(match bound {
        Bound::Before(_) => at.checked_sub(n),
        _ => Some(at.saturating_add(n)),
    })
}

/// A count that an argument gives.
pub fn whole(v: &Value<'_>) -> Option<i64> {
    if v.is_null() {
        return None;
    }
    v.to_i64(&mut Warnings::with_limit(0))
}

pub fn illegal_frame() -> SqlError {
    SqlError::of(errno::ER_WINDOW_FRAME_ILLEGAL, &[&"<unnamed window>"])
}
