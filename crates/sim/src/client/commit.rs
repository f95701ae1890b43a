//! How transactions end, and the exact moment of it.

use super::{Client, Done, Open};
use crate::model::{Promise, Shared, Stop};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use weir_engine::{Db, Durability, Error};

/// Polls a commit and tells the model in the very poll in which the transaction stopped being active: from then on new
/// snapshots see it, and nobody else has run in between.
pub(super) struct Watched<'a, F> {
    pub commit: Pin<&'a mut F>,
    pub db: &'a Db,
    pub world: &'a Shared,
    pub id: Option<u64>,
    pub no: u64,
    pub seq: Option<u64>,
}

impl<F: Future<Output = Result<(), Error>>> Future for Watched<'_, F> {
    type Output = (Result<(), Error>, Option<u64>);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let me = &mut *self;
        let polled = me.commit.as_mut().poll(cx);
        if let Some(id) = me.id
            && me.seq.is_none()
            && !me.db.inner().trx.is_active(id)
        {
            me.seq = Some(me.world.lock().visible(me.no));
        }
        polled.map(|r| (r, me.seq))
    }
}

impl Client {
    /// Commit, rollback, or neither: the session is gone.
    pub(super) async fn finish(&mut self, o: Open, r: Done<()>) -> Done<()> {
        match r {
            Ok(()) if o.interrupt.killed() == 0 && !self.rng.chance(0.12) => self.commit(o).await,
            Ok(()) => self.give_up(o).await,
            Err(Stop::Engine(e)) => {
                if matches!(e, Error::Deadlock) {
                    self.world.lock().was_victim(o.no);
                }
                self.give_up(o).await?;
                Err(Stop::Engine(e))
            }
            Err(failed) => Err(failed),
        }
    }

    pub(super) async fn commit(&mut self, o: Open) -> Done<()> {
        if self.prepares && o.txn.has_writes() && self.odd.chance(0.3) {
            return self.two_phases(o).await;
        }
        let d = self.durability();
        commit(&self.db, &self.world, o, d).await
    }

    pub(super) async fn give_up(&mut self, o: Open) -> Done<()> {
        {
            let mut w = self.world.lock();
            w.release(o.no)?;
            w.ended(o.no, false);
        }
        if self.rng.chance(0.25) {
            drop(o.txn);
            return Ok(());
        }
        Ok(o.txn.rollback().await?)
    }
}

/// Commits with a promise and tells the model what came of it.
pub(super) async fn commit(db: &Db, world: &Shared, o: Open, d: Durability) -> Done<()> {
    world.lock().release(o.no)?;
    let id = o.txn.id();
    let no = o.no;
    let mut future = pin!(o.txn.commit_boxed(d));
    let (r, seq) = Watched { commit: future.as_mut(), db, world, id, no, seq: None }.await;
    let mut w = world.lock();
    if seq.is_none() {
        w.ended(no, r.is_ok());
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

/// A transaction without a client's choices, for setting up.
pub fn open(db: &Db, world: &Shared) -> Open {
    let interrupt = Arc::new(weir_rt::Interrupt::new());
    let o = weir_engine::TxnOptions { interrupt: interrupt.clone(), ..Default::default() };
    let no = world.lock().begin(o.isolation);
    Open { txn: db.begin(o), no, interrupt }
}
