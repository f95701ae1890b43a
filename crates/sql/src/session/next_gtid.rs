//! `gtid_next = 'UUID:NUMBER'`: the next transaction of the session is logged under an identifier that its client names, as mysqlbinlog's
//! output does, and as operators do who commit an empty transaction in the place of one that a replica is to pass over.
//!
//! The session owns the identifier from then on until its transaction ends; another one that names it waits for that. Where the
//! transaction changes nothing, its COMMIT is an empty transaction in the log. Where the identifier was used already, changes are passed
//! over. Behind the transaction the session has to say what comes next (1837).

use super::Session;
use crate::ddl::engine_error;
use crate::errno;
use crate::query;
use crate::session_api::{OkInfo, ResultSink, SqlError};
use crate::value::Value;
use crate::vars::{SetInput, Var};
use std::sync::atomic::{AtomicBool, Ordering};
use weir_binlog::Gtid;
use weir_source::Named;
use weir_source::owned::Owned;
use weir_syntax::ast::{Statement, Xa};

/// Under which identifier the next transaction is logged.
#[derive(Default)]
pub(super) enum NextGtid {
    /// AUTOMATIC and ANONYMOUS: what `gtid_mode` says.
    #[default]
    Plain,
    Owned {
        by: Owned,
        /// A record has it.
        logged: AtomicBool,
    },
    /// There is a transaction of this name. `branch`: a branch of XA has begun, whose end this waits for.
    Executed { branch: bool },
    /// The transaction is over.
    Over,
}

impl NextGtid {
    pub fn is_plain(&self) -> bool {
        matches!(self, NextGtid::Plain)
    }

    /// The name for a record that is being made.
    pub fn take(&self) -> Option<Named> {
        let NextGtid::Owned { by, logged } = self else { return None };
        logged.store(true, Ordering::Relaxed);
        Some(Named::Given(by.gtid.clone()))
    }

    /// The record that was made was not written.
    pub fn give_back(&self) {
        if let NextGtid::Owned { logged, .. } = self {
            logged.store(false, Ordering::Relaxed);
        }
    }

    fn is_unused(&self) -> bool {
        matches!(self, NextGtid::Owned { logged, .. } if !logged.load(Ordering::Relaxed))
    }
}

/// Statements that a transaction may consist of; all others leave the identifier alone.
fn uses_gtid(stmt: &Statement) -> bool {
    match stmt {
        Statement::LoadData(_)
        | Statement::Binlog(_)
        | Statement::Call { .. }
        | Statement::Commit(_)
        | Statement::Rollback(_) => true,
        Statement::Xa(x) => !matches!(x, Xa::Recover { .. }),
        other => {
            super::logged_text::is_change(other)
                || other.defines()
                || super::commits::is_maintenance(other)
        }
    }
}

impl Session {
    /// SET gtid_next, whose value was checked. The session waits for an identifier that another one owns.
    pub(super) async fn set_next_gtid(&mut self, input: &SetInput<'_>) -> Result<(), SqlError> {
        self.said.next_gtid = NextGtid::Plain;
        let gtid = match input {
            SetInput::Str(text) => text.parse::<Gtid>().ok(),
            _ => None,
        };
        let (Some(gtid), Some(log)) = (gtid, self.inst.binlog.get().cloned()) else {
            return Ok(());
        };
        let owned = weir_rt::or_killed(&self.interrupt, log.own(&gtid)).await;
        let owned = owned.map_err(|_| SqlError::of(errno::ER_QUERY_INTERRUPTED, &[]))?;
        self.said.next_gtid = match owned {
            Some(by) => NextGtid::Owned { by, logged: AtomicBool::new(false) },
            None => NextGtid::Executed { branch: false },
        };
        Ok(())
    }

    /// Runs a parsed statement. `params` belong to it when it was prepared.
    pub(super) async fn run_statement(
        &mut self,
        stmt: &Statement,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        self.check_started(stmt)?;
        let done = match self.depth == 0 && !self.said.next_gtid.is_plain() {
            true => Box::pin(self.run_named(stmt, None, params, sink)).await,
            false => self.run_unnamed(stmt, params, sink).await,
        };
        if self.said.unconfirmed.any() {
            Box::pin(self.confirm()).await?;
        }
        done
    }

    /// Runs a statement of a session that has named its next transaction.
    pub(super) async fn run_named(
        &mut self,
        stmt: &Statement,
        prepared: Option<u32>,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let uses = uses_gtid(stmt);
        let ends = matches!(stmt, Statement::Commit(_) | Statement::Rollback(_));
        match &self.said.next_gtid {
            NextGtid::Over if uses && !ends => {
                let name = self.vars.text(Var::gtid_next);
                return Err(SqlError::of(errno::ER_GTID_NEXT_TYPE_UNDEFINED_GROUP, &[&name]));
            }
            NextGtid::Owned { .. }
                if self.in_transaction() && stmt.commits_implicitly()
                    || self.explicit && is_begin(stmt) =>
            {
                let number = errno::ER_CANT_DO_IMPLICIT_COMMIT_IN_TRX_WHEN_GTID_NEXT_IS_SET;
                return Err(SqlError::of(number, &[]));
            }
            NextGtid::Executed { branch } if uses && !ends => {
                let goes_on = match stmt {
                    Statement::Xa(Xa::Start { .. } | Xa::End { .. }) => true,
                    Statement::Xa(_) => false,
                    _ => *branch,
                };
                self.said.next_gtid = match goes_on || self.in_transaction() {
                    true => NextGtid::Executed { branch: goes_on },
                    false => NextGtid::Over,
                };
                return self.ok(sink, OkInfo::default());
            }
            _ => {}
        }
        let done = match prepared {
            Some(id) if query::is_query(stmt) => {
                self.run_query(stmt, super::execute::Origin::Prepared(id), params, sink).await
            }
            _ => self.run_unnamed(stmt, params, sink).await,
        };
        // SET gtid_next itself may have come between, and uses nothing.
        if uses && !self.in_transaction() && !self.said.next_gtid.is_plain() {
            let empty = done.is_ok() && !ends && self.said.next_gtid.is_unused();
            let logged = if empty { self.log_empty().await } else { Ok(()) };
            self.said.next_gtid = NextGtid::Over;
            logged?;
        }
        done
    }

    /// COMMIT of a transaction that has changed nothing, whose name its client has given.
    pub(super) async fn log_if_named(&mut self) -> Result<(), SqlError> {
        match self.said.next_gtid.is_unused() {
            true => self.log_empty().await,
            false => Ok(()),
        }
    }

    async fn log_empty(&mut self) -> Result<(), SqlError> {
        if !self.logs_commits() {
            return Ok(());
        }
        let record = self.empty_record().await?;
        let done = self.inst.db.commit_events(record, self.durability()).await;
        done.map_err(engine_error)?;
        Box::pin(self.confirm()).await
    }
}

fn is_begin(stmt: &Statement) -> bool {
    matches!(stmt, Statement::Begin | Statement::StartTransaction(_))
}
