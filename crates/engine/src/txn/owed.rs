//! The last step of a commit: its changes are visible and its locks released, but the log has not come far enough for the durability
//! that was asked for.

use super::{Durability, System};
use crate::error::Result;
use crate::ids::{Lsn, TrxId};
use crate::log::Reach;
use crate::log::deferred_ack::Answer;
use crate::planted::{self, Bug};
use std::sync::Arc;

/// What a commit still has to wait for. It must not be acknowledged before [`Owed::settle`] has returned, or the answer that
/// was left with [`Owed::leave`] is given.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub struct Owed {
    pub(super) lsn: Lsn,
    pub(super) reach: Reach,
    /// Session and transaction, for the report of waits.
    pub(super) who: (u64, TrxId),
}

impl Owed {
    /// The end of the commit's group in the log.
    pub fn lsn(&self) -> Lsn {
        self.lsn
    }

    /// Waits until the log has come far enough. An error means that the outcome is not known to be durable.
    pub(crate) async fn settle(self, db: &System) -> Result<()> {
        db.core.log.flush_for(self.lsn, self.reach, self.who).await?;
        db.core.stats.commits.add(1);
        Ok(())
    }

    /// Leaves the answer to anyone who writes the log now. False: nobody does, and the caller settles.
    pub(crate) fn leave(self, db: &System, answer: &Arc<dyn Answer>) -> bool {
        let kept = db.core.log.keep_answer((self.lsn, self.reach), self.who, answer);
        // Counted a little early: the watch for stalls asks whether commits go on, and no answer is taken by a round that does not.
        if kept {
            db.core.stats.commits.add(1);
        }
        kept
    }
}

impl System {
    /// A transaction has committed for everybody. `upto`: where its log ends, and how durable that is to be.
    pub(super) fn committed(
        &self,
        upto: Option<(Lsn, Durability)>,
        who: (u64, TrxId),
    ) -> Result<Option<Owed>> {
        self.stats.commits.add(1);
        self.core.log.failure()?;
        let Some((lsn, d)) = upto else { return Ok(None) };
        let reach = match d {
            Durability::Lazy => {
                self.core.stats.commits.add(1);
                return Ok(None);
            }
            Durability::Flush if !planted::is(Bug::AnsweredBeforeSync) => Reach::Durable,
            _ => Reach::Written,
        };
        Ok(Some(Owed { lsn, reach, who }))
    }
}
