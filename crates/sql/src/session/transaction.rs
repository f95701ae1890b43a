//! BEGIN, COMMIT, ROLLBACK, savepoints, SET TRANSACTION.

use super::Session;
use super::deferred_ack::Told;
use crate::ddl::engine_error;
use crate::errno;
use crate::session_api::{KillKind, OkInfo, ResultSink, SqlError};
use crate::status::Stat;
use crate::vars::{SetInput, Var};
use weir_engine::Isolation;
use weir_syntax::ast::{
    Completion, IsolationLevel, SetTransaction, StartTransaction, Statement, VarScope,
};

impl Session {
    pub(super) fn in_transaction(&self) -> bool {
        self.explicit || self.txn.is_some()
    }

    pub(super) async fn begin(&mut self, t: &StartTransaction) -> Result<(), SqlError> {
        self.end_transaction(true).await?;
        self.release_listed();
        let once = self.next_isolation;
        let mut o = self.options();
        if let Some(r) = t.read_only {
            o.read_only = r;
        }
        let mut txn = self.inst.db.begin(o);
        if t.consistent_snapshot {
            txn.open_snapshot();
            txn.between_statements();
        }
        self.txn = Some(txn);
        self.explicit = true;
        self.tracking.began(t, once);
        Ok(())
    }

    /// Ends what transaction there is. A branch of a distributed one is rolled back here and not committed (1399).
    pub(super) async fn end_transaction(&mut self, commit: bool) -> Result<(), SqlError> {
        self.end_transaction_told(commit, Told::Now).await
    }

    async fn end_transaction_told(&mut self, commit: bool, told: Told) -> Result<(), SqlError> {
        if let (Some(b), true) = (&self.xa, commit) {
            return Err(b.refused());
        }
        if self.xa.take().is_some() {
            self.tell_branch();
        }
        let explicit = std::mem::take(&mut self.explicit) || told == Told::Last;
        self.tracking.ended();
        self.savepoints.clear();
        let Some(txn) = self.txn.take() else {
            return if commit && explicit { Box::pin(self.log_if_named()).await } else { Ok(()) };
        };
        self.work.inc(if commit { Stat::Handler_commit } else { Stat::Handler_rollback });
        let done = if commit {
            self.commit_writes(txn, told).await
        } else {
            self.count_cache(&txn);
            txn.rollback().await.map_err(engine_error)
        };
        self.drop_doomed().await;
        if commit && done.is_ok() && !self.said.next_gtid.is_plain() {
            return Box::pin(self.log_if_named()).await;
        }
        done
    }

    /// A dropped default schema is not one, and an altered one has another collation.
    pub(super) fn after_admin(&mut self, stmt: &Statement) {
        let own = |name: &str| self.info.database.as_deref() == Some(name);
        match stmt {
            Statement::CreateTable(t) if t.temporary => return self.tracking.changed(),
            Statement::DropTable(t) if t.temporary => return self.tracking.changed(),
            Statement::DropDatabase { name, .. } if own(name.as_str()) => {
                self.info.database = None;
            }
            Statement::AlterDatabase { name, .. }
                if name.as_ref().is_none_or(|n| own(n.as_str())) => {}
            _ => return,
        }
        self.follow_schema();
    }

    pub(super) async fn complete(
        &mut self,
        commit: bool,
        c: &Completion,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        if let Some(b) = &self.xa {
            return Err(b.refused());
        }
        let default = self.vars.u64(Var::completion_type);
        let chain = c.chain.unwrap_or(default == 1 && c.release != Some(true));
        let release = c.release.unwrap_or(default == 2 && c.chain != Some(true));
        let (isolation, read_only) = match &self.txn {
            Some(t) => (t.isolation(), t.is_read_only()),
            None => (self.settings.isolation, self.settings.read_only),
        };
        if let Some(started) = self.said.started.take() {
            Box::pin(self.end_started(*started, commit)).await?;
        }
        self.end_transaction_told(commit, Told::Last).await?;
        if chain {
            self.next_isolation = Some(isolation);
            self.next_read_only = Some(read_only);
            self.begin(&StartTransaction::default()).await?;
            self.tracking.chained();
        }
        self.ok(sink, OkInfo::default())?;
        if release {
            self.killed_itself = true;
            self.conn.kill.kill(KillKind::Connection);
        }
        Ok(())
    }

    pub(super) fn savepoint(&mut self, name: &str) -> Result<(), SqlError> {
        self.check_branch_active()?;
        if self.settings.autocommit && !self.explicit {
            return Ok(());
        }
        if self.txn.is_none() {
            let o = self.options();
            self.txn = Some(self.inst.db.begin(o));
        }
        let Some(txn) = &mut self.txn else { return Ok(()) };
        let at = txn.savepoint();
        self.work.inc(Stat::Handler_savepoint);
        self.savepoints.set(&self.info.memory, name, at)?;
        Ok(())
    }

    fn find_savepoint(&self, name: &str) -> Result<usize, SqlError> {
        self.savepoints
            .find(name)
            .ok_or_else(|| SqlError::of(errno::ER_SP_DOES_NOT_EXIST, &[&"SAVEPOINT", &name]))
    }

    pub(super) async fn rollback_to(&mut self, name: &str) -> Result<(), SqlError> {
        self.check_branch_active()?;
        let i = self.find_savepoint(name)?;
        let at = self.savepoints.at(i);
        self.savepoints.truncate(i + 1);
        self.work.inc(Stat::Handler_savepoint_rollback);
        match &mut self.txn {
            Some(t) => t.rollback_to_savepoint(at).await.map_err(engine_error),
            None => Ok(()),
        }
    }

    pub(super) fn release_savepoint(&mut self, name: &str) -> Result<(), SqlError> {
        self.check_branch_active()?;
        let i = self.find_savepoint(name)?;
        self.savepoints.truncate(i);
        Ok(())
    }

    pub(super) fn set_transaction(&mut self, t: &SetTransaction) -> Result<(), SqlError> {
        let Some(scope) = t.scope else {
            if self.in_transaction() {
                return Err(SqlError::of(errno::ER_CANT_CHANGE_TX_CHARACTERISTICS, &[]));
            }
            if let Some(i) = t.isolation {
                self.next_isolation = Some(level(i));
                self.tracking.isolated(level(i));
            }
            if let Some(r) = t.read_only {
                self.next_read_only = Some(r);
            }
            return Ok(());
        };
        let name = t.isolation.map(|i| match i {
            IsolationLevel::ReadUncommitted => "READ-UNCOMMITTED",
            IsolationLevel::ReadCommitted => "READ-COMMITTED",
            IsolationLevel::RepeatableRead => "REPEATABLE-READ",
            IsolationLevel::Serializable => "SERIALIZABLE",
        });
        let mut values = Vec::new();
        if let Some(n) = name {
            values.push((Var::transaction_isolation, SetInput::Str(n)));
        }
        if let Some(r) = t.read_only {
            values.push((Var::transaction_read_only, SetInput::Int(i64::from(r))));
        }
        for (var, input) in values {
            match scope {
                VarScope::Session => {
                    self.vars.set(var, &input)?;
                    self.track_variable(var);
                }
                _ => {
                    self.inst.vars.set(var, &input, false)?;
                }
            }
        }
        self.settle_vars();
        Ok(())
    }
}

fn level(i: IsolationLevel) -> Isolation {
    match i {
        IsolationLevel::ReadUncommitted => Isolation::ReadUncommitted,
        IsolationLevel::ReadCommitted => Isolation::ReadCommitted,
        IsolationLevel::RepeatableRead => Isolation::RepeatableRead,
        IsolationLevel::Serializable => Isolation::Serializable,
    }
}
