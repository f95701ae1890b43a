//! What a replica's applier does in its session beside statements: rows of the source's binary log.
//!
//! The session is the server's own ([`Session::of_replica`]): it may do everything, and `super_read_only` does not stop it. The applier
//! begins and ends its transactions with statements.

use super::Session;
use crate::context::Reads;
use crate::errno;
use crate::meta::SqlTable;
use crate::query::{self, HowReplicated, RunError};
use crate::session_api::SqlError;
use crate::vars::Var;
use std::sync::Arc;
use weir_binlog::rows::{Rows, flag};
use weir_binlog::table_map::TableMap;
use weir_rt::Boxed;

/// Attempts at an event whose table's definition changes while it is on its way.
const ATTEMPTS: usize = 8;

impl Session {
    /// What follows happens at this time of the source.
    pub fn happens_at(&mut self, seconds: u32) {
        self.settings.timestamp = seconds.into();
    }

    /// Writes the rows of an event of this time within the session's transaction. An error leaves nothing of the event behind; after a
    /// deadlock, or where the engine has given up, nothing of the transaction is left either.
    pub fn apply_rows<'a>(
        &'a mut self,
        map: &'a TableMap,
        rows: &'a Rows<'a>,
        seconds: u32,
    ) -> Boxed<'a, Result<u64, SqlError>> {
        Box::pin(async move {
            // The next SET of the session makes these what its variables say.
            self.settings.timestamp = seconds.into();
            self.settings.unique_checks = rows.flags & flag::RELAXED_UNIQUE_CHECKS == 0;
            self.start_statement();
            let done = self.apply_rows_here(map, rows).await;
            let result = done.as_ref().map(|_| ()).map_err(SqlError::clone);
            self.end_statement(result)?;
            done
        })
    }

    pub(super) async fn apply_rows_here(
        &mut self,
        map: &TableMap,
        rows: &Rows<'_>,
    ) -> Result<u64, SqlError> {
        let how = self.how_replicated();
        for _ in 0..ATTEMPTS {
            let table = {
                let reads: Reads<'_> = reads!(self);
                reads.table(&map.schema, &map.table)?
            };
            match self.apply_once(&table, map, rows, how).await {
                Err(RunError::Stale) => {}
                done => return done.map_err(RunError::into_sql),
            }
        }
        Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[]))
    }

    fn how_replicated(&self) -> HowReplicated {
        let vars = &self.inst.vars;
        let conversions = vars.text(Var::replica_type_conversions).to_ascii_uppercase();
        HowReplicated {
            idempotent: vars.text(Var::replica_exec_mode) == "IDEMPOTENT",
            lossy: conversions.split(',').any(|c| c.trim() == "ALL_LOSSY"),
            non_lossy: conversions.split(',').any(|c| c.trim() == "ALL_NON_LOSSY"),
        }
    }

    async fn apply_once(
        &mut self,
        table: &Arc<SqlTable>,
        map: &TableMap,
        rows: &Rows<'_>,
        how: HowReplicated,
    ) -> Result<u64, RunError> {
        let _writing = self.enter_writing().await?;
        let mut txn = match self.txn.take() {
            Some(t) => t,
            None => {
                let o = self.options();
                self.inst.db.begin(o)
            }
        };
        let save = txn.begin_statement();
        let cx = statement_ctx!(self);
        let done = query::apply_rows(table, (map, rows), how, cx, &mut txn).await;
        match &done {
            Ok(_) => self.txn = Some(txn),
            Err(RunError::Deadlock(_)) => {
                _ = txn.rollback().await;
                self.explicit = false;
                self.savepoints.clear();
            }
            Err(_) => {
                let undone = txn.rollback_to(save).await;
                self.txn = Some(txn);
                undone?;
            }
        }
        done
    }
}
