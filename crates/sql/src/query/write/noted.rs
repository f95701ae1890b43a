//! Rows that were written, noted for the binary log.
//!
//! Invariant: a change is noted behind the engine's call that made it and before anything that it sets off, so that the rows of cascades
//! and of triggers follow it.

use super::RowWriter;
use crate::binlog::is_own_schema;
use crate::binlog::note::{How, too_large};
use crate::meta::SqlTable;
use crate::query::exec::{Boxed, Runner, temp_file};
use crate::query::plan::outcome::Run;
use crate::vars::Var;
use weir_binlog::rows::flag;
use weir_engine::RowList;

/// What is checked and cascaded here stands in the log as rows: a replica does neither again.
const CHECKED: u16 = flag::NO_FOREIGN_KEY_CHECKS | flag::SQL_FOREIGN_KEYS;

/// The value of `binlog_transaction_dependency_tracking`.
const WRITESET: u64 = 1;

fn how(r: &Runner<'_, '_>) -> How {
    let s = r.reads.settings;
    let relaxed = if s.unique_checks { 0 } else { flag::RELAXED_UNIQUE_CHECKS };
    How {
        image: s.row_image.0,
        partial: s.row_image.1,
        full: r.reads.shared.vars.u64(Var::binlog_row_metadata) == 1,
        time: (r.ev.cx.now_micros / 1_000_000) as u32,
        flags: CHECKED | relaxed,
        keys: r.reads.shared.vars.u64(Var::binlog_transaction_dependency_tracking) == WRITESET,
    }
}

/// Temporary tables and the server's own are not logged. One that CREATE TABLE ... SELECT fills is temporary for so long, and is logged under
/// its name to come, by which it is shown.
fn is_logged(r: &Runner<'_, '_>, table: &SqlTable) -> bool {
    let is_made = r.reads.settings.making == Some(table.engine.def.id);
    !is_own_schema(table.schema()) && (!table.is_temporary() || is_made)
}

impl RowWriter<'_> {
    pub(super) async fn note(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &SqlTable,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Run<()> {
        if !is_logged(r, table) {
            return Ok(());
        }
        let how = how(r);
        let reads = r.reads;
        let related = || {
            let references = reads.meta().references(reads.db());
            let is_parent = !references.to(table.schema(), table.name()).is_empty();
            is_parent || !table.meta.foreign.is_empty()
        };
        let held = self.notes.row(r.txn, table, how, (old, new), related)?;
        let limit = r.reads.shared.vars.u64(Var::binlog_cache_size);
        if held as u64 > limit { spill(r).await } else { Ok(()) }
    }

    /// The row that was written last, as it is now.
    pub(super) async fn note_image(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &SqlTable,
        old: Option<&[u8]>,
    ) -> Run<()> {
        let new = std::mem::take(&mut self.new);
        let done = self.note(r, table, old, Some(&new)).await;
        self.new = new;
        done
    }

    pub(super) async fn note_batch(
        &mut self,
        r: &mut Runner<'_, '_>,
        table: &SqlTable,
        rows: &RowList,
    ) -> Run<()> {
        for n in 0..rows.len() {
            self.note(r, table, None, Some(rows.row(n))).await?;
        }
        Ok(())
    }
}

/// What is noted moves to a file. 1197 beyond `max_binlog_cache_size`.
fn spill<'b>(r: &'b mut Runner<'_, '_>) -> Boxed<'b, ()> {
    Box::pin(async move {
        let limit = r.reads.shared.vars.u64(Var::max_binlog_cache_size).min(u64::from(u32::MAX));
        if r.txn.row_log().len() > limit {
            return Err(too_large().into());
        }
        let fresh = match r.txn.row_log().has_file() {
            true => None,
            false => Some(temp_file(r.reads).await?),
        };
        r.txn.row_log().spill(fresh).await?;
        Ok(())
    })
}
