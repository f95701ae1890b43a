//! How far a checkpoint may go, and taking it.

use super::Core;
use crate::error::Result;
use crate::ids::Lsn;
use crate::log::Reach;
use crate::planted::{self, Bug};

/// How far a checkpoint may go now. `published` is read before the age index (I7, I9).
pub fn reachable(core: &Core) -> Lsn {
    let mut published = core.log.published();
    let oldest = core.pool.oldest_at_risk(core.log.checkpoint());
    if planted::is(Bug::CheckpointReadsAgeFirst) {
        published = core.log.published();
    }
    oldest.map_or(published, |o| o.min(published))
}

/// Takes a fuzzy checkpoint as far as the pages allow.
pub async fn checkpoint(core: &Core) -> Result<()> {
    // Pages that are home and not synced would hold it back.
    core.pool.sync_posted(&core.log).await?;
    let candidate = reachable(core);
    if candidate <= core.log.checkpoint() {
        return Ok(());
    }
    // The log must be durable up to the checkpoint, or recovery would begin behind its end.
    core.log.flush_to(candidate, Reach::Durable).await?;
    core.log.write_checkpoint(candidate, false).await?;
    // An older list is a lower bound, too, and the next checkpoint tries again.
    let _ = core.spaces.renew_witnesses(core.log.checkpoint()).await;
    Ok(())
}
