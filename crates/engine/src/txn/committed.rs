//! What a locking scan does at a row that somebody else has locked: waits, passes over it, or reads what is committed of it
//! ([`OnLocked::Committed`], InnoDB's semi-consistent read).

use super::scan::{Cursor, Position};
use super::version;
use super::{OnLocked, Txn};
use crate::mtr::{Attempt, Core};
use crate::row::key::prefix_successor;

/// What [`OnLocked::Committed`] needs to know.
#[derive(Default)]
pub(super) struct Locked {
    /// The current row is a committed version, and the transaction has no lock of it.
    pub provisional: bool,
    /// The key of a row that is waited for when it is read again.
    pub insisted: Option<Vec<u8>>,
}

impl Cursor {
    /// The current row is the last committed version of a row that somebody else has locked (see [`OnLocked::Committed`]).
    #[inline]
    pub fn is_provisional(&self) -> bool {
        self.locked.provisional
    }

    /// The provisional row is wanted: `next` reads it again, if it is still there, and waits for its lock.
    pub fn insist(&mut self) {
        let mut at = self.row.key.clone();
        self.locked.insisted = Some(at.clone());
        if self.spec.reverse {
            at.push(0);
        }
        self.at = Position::At(Some(at));
    }

    /// What to do if somebody else has the record at `key` locked. A search for one row by its whole key waits for it.
    pub(super) fn at_locked(&self, txn: &Txn, key: &[u8]) -> OnLocked {
        if self.spec.on_locked != OnLocked::Committed {
            return self.spec.on_locked;
        }
        let one_row =
            || key == self.spec.start && self.spec.end == prefix_successor(&self.spec.start);
        let waits = self.spec.index > 0
            || self.spec.unique_eq
            || txn.o.isolation.locks_gaps()
            || self.locked.insisted.as_deref() == Some(key)
            || one_row();
        if waits { OnLocked::Wait } else { OnLocked::NoWait }
    }

    /// Makes the last committed version of a locked row the current row; false when there is none.
    pub(super) fn read_committed(
        &mut self,
        core: &Core,
        txn: &mut Txn,
        key: &[u8],
        value: &[u8],
    ) -> Attempt<bool> {
        // The statement's view keeps the undo of the versions, and their long columns, from being purged.
        txn.ensure_view();
        let trx = &txn.db.trx;
        let Some(row) = version::last_committed(core, |id| trx.is_active(id), value)? else {
            return Ok(false);
        };
        self.set_row(key, &row);
        self.locked.provisional = true;
        Ok(true)
    }

    pub(super) fn set_row(&mut self, key: &[u8], row: &[u8]) {
        self.row.key.clear();
        self.row.key.extend_from_slice(key);
        self.row.row.clear();
        self.row.row.extend_from_slice(row);
    }
}
