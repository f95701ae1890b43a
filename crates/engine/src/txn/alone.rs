//! Transactions of one write that waits for nothing (`write_now`): they have an undo log for the write, and nothing else of a transaction.
//!
//! Invariants:
//! - Such a transaction is in no list. Its id and its commit number are drawn together, when every page that it changes is latched
//!   exclusively, and nothing can keep it from committing after that. A view from before that does not see it; one from after it sees it, and
//!   can only come to its pages when its commit has its place in the log: that is where its latches go. So nobody ever meets it at work.
//! - It takes no row lock, since no one can ask for one: from the latch on the row names a transaction that has ended when it can be read.
//!   Whether somebody else has the row locked is asked under the latch.
//! - The change that comes second to a row has the later number, as the latch has made them come in this order: purge goes by numbers.
//! - Purge knows of its log before the latches go, because anyone who reads the row may ask whether purge has passed it.
//! - The table is locked for as long as that takes, and nothing in it waits.

use super::undo::UndoLog;
use super::version::RowHeader;
use super::write_now::{
    Sought, WANT, Writer, change_attempt, count_change, count_insert, insert_attempt, is_simple,
    may_write, unless,
};
use super::{Durability, Owed, RowAttempt, RowChange, System};
use crate::btree::LeafHint;
use crate::error::Result;
use crate::ids::{Lsn, TrxId};
use crate::mtr::{self, Work};
use crate::table::{Index, Table};

/// What a write that was a transaction of its own came to.
#[derive(Debug)]
pub struct Alone {
    /// False: the row is what it was to be.
    pub changed: bool,
    /// What is to be settled before anybody may be told; `None`: nothing.
    pub owed: Option<Owed>,
}

struct One<'d> {
    db: &'d System,
    /// Taken when it is given back.
    log: Option<UndoLog>,
    id: TrxId,
    no: u64,
}

impl<'d> One<'d> {
    fn new(db: &'d System, t: &Table) -> Option<One<'d>> {
        // Those who can wait report changes to an index that is being built.
        if !is_simple(t) || t.row_logs.get().is_some() || !may_write(db) {
            return None;
        }
        Some(One { db, log: Some(db.undo_slots.take_free()?), id: 0, no: 0 })
    }
}

impl Drop for One<'_> {
    fn drop(&mut self) {
        if let Some(log) = self.log.take() {
            self.db.undo_slots.give_back(log);
        }
    }
}

impl Writer for One<'_> {
    const ENDS: bool = true;

    fn db(&self) -> &System {
        self.db
    }

    fn log(&mut self) -> &mut UndoLog {
        self.log.as_mut().expect("it is given back at the end")
    }

    fn lock(&mut self, index: &Index, key: &[u8], h: &RowHeader) -> RowAttempt<()> {
        unless(self.db.trx.is_active(h.trx))?;
        unless(self.would_wait(index.id, key))
    }

    fn would_wait(&self, index: u64, key: &[u8]) -> bool {
        self.db.locks.would_wait_with_nothing(index, key)
    }

    fn begin(&mut self) -> Option<(TrxId, Option<u64>)> {
        (self.id, self.no) = self.db.trx.pass()?;
        Some((self.id, Some(self.no)))
    }

    fn logged(&mut self) {
        let (db, id, no) = (self.db, self.id, self.no);
        db.purge.add_quietly(no, id, self.log());
    }
}

impl System {
    /// Changes the row with this key of a unique index, none of whose parts is NULL, as a transaction of this write alone would. Within `None` nothing was done, and a
    /// transaction does it.
    pub fn change_alone(
        &self,
        t: &Table,
        (index, key): (usize, &[u8]),
        change: RowChange<'_>,
        who: (u64, Durability),
    ) -> Option<Result<Alone>> {
        self.change_alone_near(t, Sought { index, key, near: None }, change, who)
    }

    /// The same by the clustered key, for a caller who has just read the row.
    pub fn change_alone_at(
        &self,
        t: &Table,
        (key, near): (&[u8], LeafHint),
        change: RowChange<'_>,
        who: (u64, Durability),
    ) -> Option<Result<Alone>> {
        self.change_alone_near(t, Sought { index: 0, key, near: Some(near) }, change, who)
    }

    fn change_alone_near(
        &self,
        t: &Table,
        sought: Sought<'_>,
        mut change: RowChange<'_>,
        (session, d): (u64, Durability),
    ) -> Option<Result<Alone>> {
        let _held = t.mdl_briefly_to_write()?;
        let Sought { index, key, .. } = sought;
        let mut one = One::new(self, t)?;
        let found = sought.clustered(self, t)?;
        let key = found.as_deref().unwrap_or(key);
        let attempt = |w: &mut Work<'_>| change_attempt(&mut one, w, t, (key, sought), &mut change);
        let lsn = mtr::attempt_now(&self.core, WANT, attempt)?;
        count_change(self, t, index, &change, lsn.is_some());
        Some(one.ended(lsn, session, d))
    }

    /// Inserts a row so. A row in the way is a reason for a transaction, unless it is deleted.
    pub fn insert_alone(
        &self,
        t: &Table,
        row: &[u8],
        (session, d): (u64, Durability),
    ) -> Option<Result<Alone>> {
        let key = t.clustered_key(row).ok()?;
        let _held = t.mdl_briefly_to_write()?;
        let mut one = One::new(self, t)?;
        let attempt = |w: &mut Work<'_>| insert_attempt(&mut one, w, t, &key, row);
        let lsn = mtr::attempt_now(&self.core, WANT, attempt)?;
        count_insert(self, t);
        Some(one.ended(Some(lsn), session, d))
    }
}

impl One<'_> {
    /// It has committed for everybody.
    fn ended(self, lsn: Option<Lsn>, session: u64, d: Durability) -> Result<Alone> {
        let (db, who) = (self.db, (session, self.id));
        drop(self);
        if lsn.is_some() {
            db.purge.wake();
        }
        let owed = db.committed(lsn.map(|lsn| (lsn, d)), who)?;
        Ok(Alone { changed: lsn.is_some(), owed })
    }
}
