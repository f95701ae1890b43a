//! The end of a commit whose record is in the log.
//!
//! Invariant: from its record on a transaction is committed, whatever becomes of its session. Between the record and the moment at which others see it
//! a commit may be held ([`super::Hold`]), and a future that is dropped there ends here all the same.

use super::System;
use super::undo::UndoLog;
use crate::ids::TrxId;

pub struct Ending<'d> {
    pub db: &'d System,
    pub id: TrxId,
    pub no: u64,
    pub log: Option<UndoLog>,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let Some(log) = self.log.take() else { return };
        self.db.purge.add(self.no, self.id, &log);
        self.db.trx.end_commit(self.id, self.no);
        self.db.undo_slots.give_back(log);
    }
}
