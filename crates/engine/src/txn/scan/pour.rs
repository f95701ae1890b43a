//! Rows given out while their leaf is latched: a reader that wants nothing of a row but to look at it once needs no copy.
//!
//! Invariant: the reader waits for nothing and takes no latch. What is left of a leaf when it has had enough is read again later.

use super::{Cursor, Position};
use crate::change_buffer::Pair;
use crate::error::Result;
use crate::mtr::{Attempt, Work};
use crate::page::slotted;
use crate::txn::{LockMode, Txn, version};

/// Rows that a leaf gave, and where the scan goes on.
struct Poured {
    rows: usize,
    at: Position,
}

impl Cursor {
    /// Few rows are wanted of this cursor by [`Cursor::next`]: the others are poured.
    pub fn begin_small(&mut self) {
        if self.can_pour() {
            self.size = 1;
        }
    }

    /// All that was read ahead has been given out, and rows can be given out of their leaves.
    pub fn can_pour(&self) -> bool {
        let plain = self.spec.lock == LockMode::None && self.spec.index == 0 && !self.spec.reverse;
        let long = self.spec.fetch_external && self.table.may_have_external();
        plain && !long && self.is_exhausted()
    }

    /// Gives `each` the rows of the next leaf that has some, in which the scan is behind the last one; `None`: there are no more. `each`
    /// says whether it wants more. It is called with the leaf latched.
    pub async fn pour(
        &mut self,
        txn: &mut Txn,
        each: &mut (dyn FnMut(&[u8]) -> bool + Send),
    ) -> Result<Option<usize>> {
        debug_assert!(self.can_pour());
        txn.use_table(&self.table, false).await?;
        txn.check_alive()?;
        self.read_ahead(txn).await?;
        let view = txn.read_view();
        txn.check_age(&self.table, self.spec.index)?;
        let (mut rows, mut attempts) = (0, 0);
        let pour = |txn: &mut Txn, w: &mut Work<'_>| -> Attempt<()> {
            attempts += 1;
            // A leaf that has given something ends the attempt: nothing is given twice.
            while rows == 0 && matches!(self.at, Position::At(_)) {
                let poured = self.pour_leaf(w, view.as_deref(), txn.id, each)?;
                (rows, self.at) = (poured.rows, poured.at);
                txn.check_alive()?;
            }
            Ok(())
        };
        txn.drive(0, pour).await?;
        self.ahead.note(attempts);
        self.count_read(txn, rows);
        Ok((rows > 0).then_some(rows))
    }

    fn pour_leaf(
        &self,
        w: &Work<'_>,
        view: Option<&crate::txn::View>,
        own: u64,
        each: &mut (dyn FnMut(&[u8]) -> bool + Send),
    ) -> Attempt<Poured> {
        let Position::At(from) = &self.at else {
            return Ok(Poured { rows: 0, at: Position::Done });
        };
        let from = from.as_deref().unwrap_or_default();
        let index = &self.table.indexes[self.spec.index];
        let pair = Pair::owning(w.core, index.trees(), from)?;
        let mut walk = pair.walk(from, self.spec.end.as_deref());
        let mut rows = 0;
        while let Some((p, slot)) = pair.first(&walk) {
            let more = match version::visible(w.core, view, own, slotted::value(p, slot)) {
                Ok(None) => true,
                Ok(Some(row)) => {
                    rows += 1;
                    each(&row)
                }
                Err(_) if rows > 0 => {
                    return Ok(Poured { rows, at: Position::At(Some(slotted::key(p, slot))) });
                }
                Err(e) => return Err(e),
            };
            if !more {
                return Ok(Poured { rows, at: Position::Done });
            }
            pair.pass_first(&mut walk);
        }
        let at = match pair.upper() {
            Some(u) if self.spec.end.as_ref().is_none_or(|e| u < e.as_slice()) => {
                Position::At(Some(u.to_vec()))
            }
            _ => Position::Done,
        };
        Ok(Poured { rows, at })
    }
}
