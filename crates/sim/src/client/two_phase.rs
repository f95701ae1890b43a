//! Transactions that are prepared first, and committed or rolled back later, by their client or by the next life.

use super::commit::Watched;
use super::{Client, Done, Open};
use crate::model::{Promise, Shared, failed};
use crate::schema::{Handle, SCHEMA};
use std::pin::pin;
use std::time::Duration;
use weir_engine::{Db, Durability, Error, LockMode, MdlMode, OnLocked, RowBuf, TxnOptions, Xid};
use weir_rt::Interrupt;

/// Attempts to end a prepared transaction while reads fail or the device is full.
const TRIES: u32 = 20;

impl Client {
    /// Prepares, thinks about it, and decides.
    pub(super) async fn two_phases(&mut self, o: Open) -> Done<()> {
        let (no, txn) = (o.no, o.txn);
        let xid = self.world.lock().prepares(no);
        if let Err(e) = txn.prepare(&xid, Durability::Flush).await {
            let mut w = self.world.lock();
            w.release(no)?;
            w.ended(no, false);
            // A promise that did not reach the device may be there after the next start, or not.
            if !self.db.knows_prepared(&xid) {
                w.not_prepared(&xid);
            }
            return Err(e.into());
        }
        self.world.lock().promised(&xid);
        if self.odd.chance(0.5) {
            let pause = Duration::from_millis(self.odd.below(60));
            self.db.rt().sleep(pause).await;
        }
        let (commit, d) = (self.odd.chance(0.6), self.durability());
        end(&self.db, &self.world, &xid, commit, d).await
    }
}

/// Ends a prepared transaction, in spite of faults that pass.
async fn end(db: &Db, world: &Shared, xid: &Xid, commit: bool, d: Durability) -> Done<()> {
    let mut left = TRIES;
    loop {
        match end_once(db, world, xid, commit, d).await {
            Err(crate::model::Stop::Engine(Error::Io { .. } | Error::DiskFull { .. }))
                if left > 0 && db.knows_prepared(xid) =>
            {
                left -= 1;
                db.rt().sleep(Duration::from_millis(100)).await;
            }
            done => return done,
        }
    }
}

async fn end_once(db: &Db, world: &Shared, xid: &Xid, commit: bool, d: Durability) -> Done<()> {
    let no = world.lock().ends_prepared(xid, commit)?;
    let o = TxnOptions::default();
    if !commit {
        let done = db.rollback_prepared(xid, o, d).await;
        let mut w = world.lock();
        if !db.knows_prepared(xid) {
            w.ended(no, false);
        }
        if !done? {
            return failed("durability", format!("{xid:?} is not known")).map_err(Into::into);
        }
        w.rolled_back_prepared(xid, d == Durability::Flush);
        return Ok(());
    }
    let id = db.inner().prepared.id_of(xid);
    let mut future = pin!(async {
        match db.commit_prepared(xid, o, d).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::Owner(format!("{xid:?} is not known"))),
            Err(e) => Err(e),
        }
    });
    let (r, seq) = Watched { commit: future.as_mut(), db, world, id, no, seq: None }.await;
    let mut w = world.lock();
    if let Some(seq) = seq {
        w.committed_prepared(xid, seq, r.is_ok() && d == Durability::Flush);
    }
    r?;
    if let Some(seq) = seq {
        match d {
            Durability::Flush => w.acknowledged(seq, Promise::Durable),
            Durability::Write => w.acknowledged(seq, Promise::Written),
            Durability::Lazy => {}
        }
    }
    Ok(())
}

/// After a start: what was promised is there with its locks. It is decided on before the clients begin.
pub async fn check(db: &Db, world: &Shared, seq: u64) -> Done<()> {
    let names = db.prepared();
    world.lock().recovered_prepared(&names, seq)?;
    for xid in &names {
        let cells = world.lock().cells_of_prepared(xid);
        for (tid, key) in cells.into_iter().take(4) {
            let Some(t) = db.tables(SCHEMA).into_iter().find(|t| t.def.id == tid) else { continue };
            let (mut txn, mut buf) = (db.begin(TxnOptions::default()), RowBuf::default());
            let met =
                txn.get_boxed(&t, 0, &key, LockMode::Shared, OnLocked::NoWait, &mut buf).await;
            txn.rollback().await?;
            match met {
                Err(Error::LockNotAvailable) => {}
                Ok(_) => {
                    let what = format!("a row that the prepared {xid:?} has changed is not locked");
                    return failed("locks", what).map_err(Into::into);
                }
                Err(e) => return Err(e.into()),
            }
            table_is_locked(db, &t, xid).await?;
        }
    }
    end_all(db, world).await
}

/// No definition statement gets a table that a prepared transaction has changed.
async fn table_is_locked(db: &Db, t: &Handle, xid: &Xid) -> Done<()> {
    let (limit, interrupt) = (Duration::from_millis(1), Interrupt::new());
    match db.lock_table(t, MdlMode::Exclusive, limit, &interrupt).await {
        Err(Error::LockWaitTimeout) => Ok(()),
        Err(e) => Err(e.into()),
        Ok(_) => {
            let what = format!("{} is free although {xid:?} has changed it", t.def.name);
            failed("locks", what).map_err(Into::into)
        }
    }
}

/// Ends whatever is prepared, one way or the other.
pub async fn end_all(db: &Db, world: &Shared) -> Done<()> {
    for xid in db.prepared() {
        let commit = xid.gtrid.last().is_some_and(|b| b % 2 == 0);
        end(db, world, &xid, commit, Durability::Flush).await?;
    }
    Ok(())
}
