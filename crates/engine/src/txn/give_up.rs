//! What is done with changes of a table that can be neither undone nor purged: the table is given up, once and for good, and the
//! others go on. Otherwise one damaged file would keep its transaction, and with it shutdown and DROP, for ever.

use super::System;
use crate::error::{Error, Result};
use crate::planted::{self, Bug};
use crate::table::Table;
use std::sync::Arc;

/// Reads of a table's pages that may fail while changes of it are undone: a second passes after each. Then no better is expected.
const PATIENCE: u32 = 30;

/// Whether an error of undoing or purging a change is the table's own, and lasting.
async fn is_lasting(db: &System, t: &Table, e: &Error) -> bool {
    if db.core.log.failure().is_err() || planted::is(Bug::LastingFailureTriedAgain) {
        return false;
    }
    match e {
        // Damaged undo is no fault of the table.
        Error::Corrupt { place, .. } => !place.contains(&crate::space::path_of(crate::space::UNDO)),
        Error::TableDamaged { .. } => true,
        Error::Io { .. } => t.space.is_cut_short().await || t.space.note_failed_undo() > PATIENCE,
        _ => false,
    }
}

/// After an attempt to undo or purge a change of `t`: the error goes to the caller unless the table is given up for it, and
/// then the change counts as dealt with (`false`).
pub(super) async fn unless_lasting(db: &System, t: &Arc<Table>, done: Result<()>) -> Result<bool> {
    let Err(e) = done else { return Ok(true) };
    if !is_lasting(db, t, &e).await {
        return Err(e);
    }
    db.give_up_table(t, &format!("a change of it can be neither undone nor purged: {e}")).await?;
    Ok(false)
}

impl System {
    /// The table is not used any more, now and after every start, until it is dropped: its file lacks changes. That is
    /// durable before the undo of such a change may go.
    pub(crate) async fn give_up_table(&self, t: &Table, why: &str) -> Result<()> {
        let advice = "drop it and restore it from a backup; innodb_force_recovery=1 lets what is left of it be read";
        if t.space.refuse(false, format!("{why}; {advice}")) {
            let name = format!("{}.{}", t.def.schema, t.def.name);
            (self.log)(&format!("error: table '{name}' is given up: {why}; {advice}"));
        }
        self.core.log.note_damaged(t.space.id).await
    }
}
