//! The counters of tables: the next AUTO_INCREMENT value, the next hidden row id, and how many rows there are.
//!
//! They stand in the dictionary's tree, a short entry for each table, so that a start knows those of ten thousand tables from a few
//! pages and opens none of their files.
//!
//! Entry: `'C' | table id 8, big-endian | 0 | 0 -> AUTO_INCREMENT mark 8 | row id mark 8 | rows 8`, the values little-endian.
//!
//! Invariants
//! - A table's entry is written with its definition, and goes with it or after it. Ids of tables are never given twice.
//! - A mark is logged before a value at or above the old mark is used, so it is durable no later than the commit of the row that
//!   has the value: the log is one sequence.
//! - The row count is written down by a clean stop only. After a crash it is as old as that.

use super::{Dict, kind};
use crate::error::{Error, Result};
use crate::mtr::Core;
use crate::page::{get_u64, put_u64};
use crate::planted::{self, Bug};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::waits::{Cause, Object, What};
use weir_rt::AsyncMutex;

/// Distance of the durable mark ahead of the counter: what a crash may skip.
const STRIDE: u64 = 256;
const LEN: usize = 24;
const AUTO_INCREMENT: usize = 0;
const ROW_ID: usize = 8;
const ROWS: usize = 16;

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    pub auto_increment: u64,
    pub row_id: u64,
    pub rows: u64,
}

/// Of a new table.
impl Default for Marks {
    fn default() -> Marks {
        Marks { auto_increment: 1, row_id: 1, rows: 0 }
    }
}

impl Marks {
    pub fn encode(&self) -> Vec<u8> {
        let mut b = vec![0; LEN];
        put_u64(&mut b, AUTO_INCREMENT, self.auto_increment);
        put_u64(&mut b, ROW_ID, self.row_id);
        put_u64(&mut b, ROWS, self.rows);
        b
    }

    pub fn decode(b: &[u8]) -> Option<Marks> {
        (b.len() == LEN).then(|| Marks {
            auto_increment: get_u64(b, AUTO_INCREMENT).max(1),
            row_id: get_u64(b, ROW_ID).max(1),
            rows: get_u64(b, ROWS),
        })
    }
}

pub fn key(table: u64) -> Vec<u8> {
    super::key(kind::COUNTERS, &table.to_be_bytes())
}

/// The table whose entry has this key.
pub fn table_of(key: &[u8]) -> Option<u64> {
    key.get(1..9).and_then(|b| b.try_into().ok()).map(u64::from_be_bytes)
}

/// Values that a counter gave.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// Where the counter stood.
    before: u64,
    pub first: u64,
    end: u64,
}

/// One counter of a table; survives changes of its definition.
pub struct Counter {
    table: u64,
    /// Where its mark stands in the entry.
    at: usize,
    next: AtomicU64,
    /// Values below are covered by the mark: after a crash the counter goes on from there.
    reserved: AtomicU64,
    writing: AsyncMutex<()>,
}

impl Counter {
    pub fn auto_increment(table: u64, m: &Marks) -> Counter {
        Counter::new(table, AUTO_INCREMENT, m.auto_increment)
    }

    pub fn row_id(table: u64, m: &Marks) -> Counter {
        Counter::new(table, ROW_ID, m.row_id)
    }

    fn new(table: u64, at: usize, next: u64) -> Counter {
        let (next, reserved) = (AtomicU64::new(next.max(1)), AtomicU64::new(0));
        Counter { table, at, next, reserved, writing: AsyncMutex::new(()) }
    }

    pub fn next(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    /// Reserves `n` values of the form `offset + k * increment` at or above the counter; returns the first. Before one of them is
    /// used, the counter must be covered. `u64::MAX` is never given: behind it there is no value left to say so, as in MySQL.
    /// Where fewer than `n` are left, those behind the last are the caller's to refuse.
    pub fn take(&self, n: u64, increment: u64, offset: u64) -> Result<u64> {
        self.take_span(n, increment, offset).map(|span| span.first)
    }

    /// As [`Counter::take`], with what is needed to give the values back.
    pub fn take_span(&self, n: u64, increment: u64, offset: u64) -> Result<Taken> {
        let increment = increment.max(1);
        let mut now = self.next.load(Ordering::Relaxed);
        loop {
            let base = offset.max(1);
            let first = if now <= base {
                base
            } else {
                (now - base)
                    .div_ceil(increment)
                    .checked_mul(increment)
                    .and_then(|d| d.checked_add(base))
                    .ok_or(Error::AutoIncrementExhausted)?
            };
            if first == u64::MAX {
                return Err(Error::AutoIncrementExhausted);
            }
            let end =
                n.checked_mul(increment).and_then(|d| first.checked_add(d)).unwrap_or(u64::MAX);
            match self.next.compare_exchange_weak(now, end, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return Ok(Taken { before: now, first, end }),
                Err(other) => now = other,
            }
        }
    }

    /// Gives values back that were not used, unless others have been taken since.
    pub fn untake(&self, t: Taken) {
        _ = self.next.compare_exchange(t.end, t.before, Ordering::AcqRel, Ordering::Relaxed);
    }

    pub fn is_covered(&self) -> bool {
        self.next() <= self.reserved.load(Ordering::Acquire)
    }

    /// An explicit value was used: the counter moves past it.
    pub fn observe(&self, value: u64) {
        let past = u64::from(!planted::is(Bug::ChosenNumberGivenAgain));
        self.next.fetch_max(value.saturating_add(past), Ordering::AcqRel);
    }

    /// Writes the mark ahead, unless every value given is below it.
    pub async fn cover(&self, core: &Core, dict: &Dict) -> Result<()> {
        while !self.is_covered() {
            let turn = || What::new(Cause::Turn, Object::Table(self.table));
            let _one = core.waits.during(turn, self.writing.lock()).await;
            let next = self.next();
            if next <= self.reserved.load(Ordering::Acquire) {
                continue;
            }
            let mark = next.saturating_add(STRIDE);
            if !planted::is(Bug::AutoIncrementNotLogged) {
                dict.patch(core, &key(self.table), self.at, &mark.to_le_bytes()).await?;
            }
            self.reserved.store(mark, Ordering::Release);
        }
        Ok(())
    }

    /// The counter goes on from a value that the owner chose, also after a crash.
    pub async fn set(&self, core: &Core, dict: &Dict, next: u64) -> Result<()> {
        let turn = || What::new(Cause::Turn, Object::Table(self.table));
        let _one = core.waits.during(turn, self.writing.lock()).await;
        let next = next.max(1);
        self.next.store(next, Ordering::Release);
        // The next value given is not covered by it.
        self.reserved.store(0, Ordering::Release);
        let lsn = dict.patch(core, &key(self.table), self.at, &next.to_le_bytes()).await?;
        core.log.flush_for(lsn, crate::log::Reach::Durable, (0, 0)).await
    }

    /// Whether the mark in the dictionary may be another number than the counter.
    pub fn is_touched(&self) -> bool {
        self.reserved.load(Ordering::Acquire) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_round_trip() {
        let m = Marks { auto_increment: 7, row_id: 300, rows: 9 };
        assert_eq!(Marks::decode(&m.encode()), Some(m));
        assert_eq!(Marks::decode(&[0; LEN - 1]), None);
        assert_eq!(table_of(&key(77)), Some(77));
    }
}
