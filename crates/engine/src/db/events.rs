//! The events of commits, for a follower of the log (`log::events`).

use super::Db;
use crate::error::Result;
use crate::ids::Lsn;
use crate::log::Reach;
use crate::txn::{Durability, undo};
use weir_rt::Boxed;

impl Db {
    /// Commits events that belong to no change of this database.
    pub fn commit_events(&self, events: Vec<u8>, d: Durability) -> Boxed<'_, Result<()>> {
        Box::pin(async move {
            let log = &self.0.core.log;
            log.failure()?;
            log.events_room().await;
            let lsn = undo::write_events(&self.0.core, events).await?;
            match d {
                Durability::Lazy => Ok(()),
                Durability::Write => log.flush_to(lsn, Reach::Written).await,
                Durability::Flush => log.flush_to(lsn, Reach::Durable).await,
            }
        })
    }

    /// Bytes of events that may ride with one commit.
    pub fn events_max(&self) -> usize {
        self.0.core.log.events_max()
    }

    /// Where a commit that begins now stands: it comes behind all whose groups end up to here, as far as they have events.
    pub fn commits_released(&self) -> Lsn {
        self.0.core.log.follower().map_or(0, |f| f.events().released())
    }

    /// The end of what is durable.
    pub fn durable_lsn(&self) -> Lsn {
        self.0.core.log.durable()
    }

    /// The end of the redo log, and its checkpoint.
    pub fn log_places(&self) -> (Lsn, Lsn) {
        let log = &self.0.core.log;
        (log.published(), log.checkpoint())
    }

    /// Makes everything durable that was committed so far; returns its end.
    pub async fn make_durable(&self) -> Result<Lsn> {
        let end = self.0.core.log.published();
        self.0.core.log.flush_to(end, Reach::Durable).await?;
        Ok(end)
    }

    /// Waits until the log is durable up to `lsn`.
    pub async fn make_durable_to(&self, lsn: Lsn) -> Result<()> {
        self.0.core.log.flush_to(lsn, Reach::Durable).await
    }

    /// The end of the last group with events.
    pub fn last_events(&self) -> Lsn {
        self.0.core.log.follower().map_or(0, |f| f.events().last())
    }

    /// Waits until more than up to `lsn` is durable. An error: the log has ended.
    pub async fn until_durable_beyond(&self, lsn: Lsn) -> Result<()> {
        self.0.core.log.until_durable_beyond(lsn).await
    }
}
