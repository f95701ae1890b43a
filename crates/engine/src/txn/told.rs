//! Each change of a transaction is written to the row log of a table whose index is being built ([`crate::table::RowLog`]).

use super::Txn;
use super::external;
use crate::error::Result;
use crate::mtr::Core;
use crate::planted::{self, Bug};
use crate::row::RowView;
use crate::table::{RowLog, Table};

impl Txn {
    /// A row that this transaction has just changed, and has locked.
    #[inline]
    pub(super) async fn tell(
        &self,
        t: &Table,
        key: &[u8],
        gone: Option<&[u8]>,
        come: Option<&[u8]>,
    ) -> Result<()> {
        match t.row_logs.get() {
            None => Ok(()),
            Some(log) => Box::pin(tell(&self.db.core, t, &*log, key, gone, come)).await,
        }
    }
}

/// A row is about to be what it was before.
pub(super) async fn tell_undone(
    core: &Core,
    t: &Table,
    key: &[u8],
    gone: Option<&[u8]>,
    come: Option<&[u8]>,
) -> Result<()> {
    match t.row_logs.get() {
        Some(log) if !planted::is(Bug::RowLogForgetsRollback) => {
            Box::pin(tell(core, t, &*log, key, gone, come)).await
        }
        _ => Ok(()),
    }
}

/// Long columns of both rows are where they were: what has been changed is not committed.
async fn tell(
    core: &Core,
    t: &Table,
    log: &dyn RowLog,
    key: &[u8],
    gone: Option<&[u8]>,
    come: Option<&[u8]>,
) -> Result<()> {
    let is_long =
        |row: &Option<&[u8]>| row.is_some_and(|r| RowView::new(&t.layout, r).has_external());
    if !is_long(&gone) && !is_long(&come) {
        log.changed(key, gone, come);
        return Ok(());
    }
    let (mut a, mut b) = (None, None);
    for (row, full) in [(gone, &mut a), (come, &mut b)] {
        if let Some(row) = row {
            *full = Some(external::materialise(core, t, row).await?);
        }
    }
    log.changed(key, a.as_deref(), b.as_deref());
    Ok(())
}
