//! Prepared transactions: changes that are durable and locked, whose outcome somebody outside decides.
//!
//! A transaction that is prepared belongs to no session. It waits here under its name until it is taken to be committed or rolled back;
//! anyone who has taken it and drops it unfinished leaves it here again.
//!
//! Invariants:
//! - A name is in the list from before the log says "prepared" until after it says "committed" or "active", so that no name is
//!   given twice.
//! - A transaction in the list counts as active: views do not see it, purge keeps its undo, its rows are locked by its id.
//! - The log says "active" again before the first change is undone: what a crash finds prepared is whole.

use super::step::{Need, RowAttempt};
use super::{Durability, System, Txn, TxnOptions, undo};
use crate::error::{Error, Result};
use crate::ids::{Lsn, TrxId, Xid};
use crate::lock::TrxLocks;
use crate::log::Reach;
use crate::mtr::Work;
use crate::sync::Mutex;
use crate::table::MdlHold;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_rt::Boxed;

/// Transactions that are prepared at once.
const MOST: usize = super::slots::SLOTS_MAX / 2;

/// What is left of a transaction without a session.
pub struct Detached {
    pub(crate) id: TrxId,
    pub(crate) log: undo::UndoLog,
    pub(crate) locks: Arc<TrxLocks>,
    pub(crate) mdl: smallvec::SmallVec<[MdlHold; 4]>,
}

/// Prepared transactions by name; `None`: somebody is about to prepare, commit or roll back this one.
#[derive(Default)]
pub struct Prepared {
    list: Mutex<BTreeMap<Xid, Option<Detached>>>,
}

impl Prepared {
    /// Recovery: it was prepared when the server stopped.
    pub fn adopt(&self, xid: Xid, d: Detached) {
        self.list.lock().insert(xid, Some(d));
    }

    /// The names of those that wait, in order.
    pub fn names(&self) -> Vec<Xid> {
        let list = self.list.lock();
        list.iter().filter(|(_, d)| d.is_some()).map(|(xid, _)| xid.clone()).collect()
    }

    /// The transaction that waits under a name.
    pub fn id_of(&self, xid: &Xid) -> Option<TrxId> {
        self.list.lock().get(xid)?.as_ref().map(|d| d.id)
    }

    pub fn knows(&self, xid: &Xid) -> bool {
        self.list.lock().contains_key(xid)
    }

    /// Takes a name that nobody has. Half of the undo slots are for those who do not prepare: who may connect may prepare, and what is
    /// prepared keeps its slot over any number of starts.
    fn claim(&self, xid: &Xid) -> Result<()> {
        let mut list = self.list.lock();
        if list.contains_key(xid) {
            return Err(Error::XidKnown);
        }
        if list.len() >= MOST {
            return Err(Error::TooManyTransactions { max: MOST });
        }
        list.insert(xid.clone(), None);
        Ok(())
    }

    fn take(&self, xid: &Xid) -> Option<Detached> {
        self.list.lock().get_mut(xid)?.take()
    }

    fn forget(&self, xid: &Xid) {
        self.list.lock().remove(xid);
    }
}

/// A name that is given back unless the transaction is prepared under it.
struct Claim<'a> {
    of: &'a Prepared,
    xid: Option<&'a Xid>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(xid) = self.xid {
            self.of.forget(xid);
        }
    }
}

impl Txn {
    /// The first phase of a distributed commit. It returns when the promise has reached the durability level; from then on the
    /// transaction waits for [`crate::Db::commit_prepared`] or [`crate::Db::rollback_prepared`], over any number of starts. A
    /// transaction that cannot be prepared is rolled back.
    pub fn prepare(mut self, xid: &Xid, d: Durability) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            if self.doomed {
                self.finish();
                return Err(Error::Deadlock);
            }
            let db = self.db.clone();
            let events = self.take_events();
            if events.is_some() {
                db.core.log.events_room().await;
            }
            if let Err(e) = db.prepared.claim(xid) {
                self.rollback().await?;
                return Err(e);
            }
            let mut claim = Claim { of: &db.prepared, xid: Some(xid) };
            // One that has changed nothing is promised as well: its name outlives a crash.
            self.o.read_only = false;
            self.drop_view();
            self.ensure_writer().await?;
            let record = undo::encode_xid(xid);
            self.drive(record.len() + 512, |txn, w| txn.name_attempt(w, &record)).await?;
            let log = self.undo.as_ref().expect("a writer has an undo log");
            let lsn = undo::write_prepared(&db.core, log, events).await?;
            self.prepared = Some(xid.clone());
            claim.xid = None;
            reach(&db, lsn, d, (self.o.session_id, self.id)).await
            // Dropped, it waits in the list.
        })
    }

    fn name_attempt(&mut self, w: &mut Work<'_>, record: &[u8]) -> RowAttempt<()> {
        let trx = self.id;
        let mut g = w.gather();
        let Some(place) = undo::prepare(&mut g, self.undo_mut(), record.len())? else {
            return Err(Need::UndoPage.into());
        };
        let mut a = g.seal(undo::append_need(record.len()))?;
        undo::append(&mut a, self.undo_mut(), &place, trx, record);
        a.commit();
        Ok(())
    }

    /// A prepared transaction, in the hands of anyone who ends it. `None`: no transaction waits under this name.
    pub(crate) fn of_prepared(db: &Arc<System>, xid: &Xid, o: TxnOptions) -> Option<Txn> {
        let Detached { id, log, locks, mdl } = db.prepared.take(xid)?;
        let mut txn = Txn::new(db.clone(), o);
        txn.id = id;
        txn.undo = Some(log);
        txn.locks = locks;
        txn.mdl = mdl;
        txn.prepared = Some(xid.clone());
        Some(txn)
    }

    /// Rolls a prepared transaction back.
    pub(crate) async fn rollback_of_prepared(mut self, d: Durability) -> Result<()> {
        let db = self.db.clone();
        db.core.log.failure()?;
        db.force.may_write()?;
        let events = self.take_events();
        let log = self.undo.as_ref().expect("a prepared transaction has an undo log");
        let lsn = undo::write_active(&db.core, log, events).await?;
        // From here on it is like any other: anyone who drops it leaves the rest to the background.
        self.forget_prepared();
        let who = (self.o.session_id, self.id);
        self.rollback().await?;
        reach(&db, lsn, d, who).await
    }

    /// Its outcome is in the log: the name is free.
    pub(super) fn forget_prepared(&mut self) {
        if let Some(xid) = self.prepared.take() {
            self.db.prepared.forget(&xid);
        }
    }

    /// Leaves it where it waits, with its locks.
    pub(super) fn leave_prepared(&mut self, xid: Xid) {
        // Without a log its outcome is on the way: the name stays taken.
        let Some(log) = self.undo.take() else { return };
        let locks = std::mem::replace(&mut self.locks, TrxLocks::new(self.o.session_id));
        let mdl = std::mem::take(&mut self.mdl);
        let id = std::mem::take(&mut self.id);
        self.db.prepared.adopt(xid, Detached { id, log, locks, mdl });
    }
}

async fn reach(db: &System, lsn: Lsn, d: Durability, who: (u64, TrxId)) -> Result<()> {
    match d {
        Durability::Lazy => db.core.log.failure(),
        Durability::Write => db.core.log.flush_for(lsn, Reach::Written, who).await,
        Durability::Flush => db.core.log.flush_for(lsn, Reach::Durable, who).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bounded() {
        let all = Prepared::default();
        let name = |n: usize| Xid { format: 1, gtrid: n.to_be_bytes().to_vec(), bqual: Vec::new() };
        (0..MOST).for_each(|n| all.claim(&name(n)).unwrap());
        assert!(matches!(all.claim(&name(0)), Err(Error::XidKnown)));
        assert!(matches!(all.claim(&name(MOST)), Err(Error::TooManyTransactions { max: MOST })));
        all.forget(&name(7));
        all.claim(&name(MOST)).unwrap();
    }
}
