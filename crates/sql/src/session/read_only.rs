//! What `read_only` and `super_read_only` ask of statements and commits, and SET of the two.

use super::Session;
use super::deferred_ack::Told;
use crate::ddl::engine_error;
use crate::errno;
use crate::locks::{Inside, LockedTables, Writer};
use crate::query::Plan;
use crate::rights::check_writable;
use crate::session_api::SqlError;
use crate::vars::{SetInput, Var, VarValue, VarWarning, check};
use weir_engine::{Txn, Xid};
use weir_syntax::ast::{AdminVerb, Statement};

impl Session {
    /// A plan that writes is inside the gate while it runs, unless what is around it is already. A query that locks rows for
    /// an update is refused as one that writes (MySQL takes it for a writer, too).
    pub(super) async fn admit(&mut self, plan: &Plan) -> Result<Option<Inside>, SqlError> {
        let inside = match plan.is_change() {
            true => self.enter_writing().await?,
            false => None,
        };
        if self.inst.vars.is_read_only() && plan.writes_shared() {
            check_writable(&self.inst.vars, &mut self.access)?;
        }
        Ok(inside)
    }

    /// The same for a statement that is no query.
    pub(super) async fn admit_statement(
        &mut self,
        stmt: &Statement,
    ) -> Result<Option<Inside>, SqlError> {
        if !self.writes_shared(stmt) {
            return Ok(None);
        }
        let inside = self.enter_writing().await?;
        check_writable(&self.inst.vars, &mut self.access)?;
        Ok(inside)
    }

    pub(super) async fn enter_writing(&self) -> Result<Option<Inside>, SqlError> {
        let around = self.is_writing() || self.locked.as_ref().is_some_and(LockedTables::writes);
        match around {
            true => Ok(None),
            false => self.inst.read_only.statement(self.writer(), &self.patience()).await.map(Some),
        }
    }

    /// Is this statement, or what it is within, inside the gate?
    pub(super) fn is_writing(&self) -> bool {
        self.writing || self.within.as_ref().is_some_and(|w| w.writing)
    }

    /// This session at the gate of writers.
    pub(super) fn writer(&self) -> Writer {
        let session = self.conn.id;
        let locks = self.locked.is_some() || self.backup.is_some();
        let holds = locks || self.in_transaction() || self.inst.user_locks.has_any(session);
        Writer { session, holds }
    }

    /// Does it define what others see? ANALYZE, OPTIMIZE and their like are allowed.
    fn writes_shared(&self, stmt: &Statement) -> bool {
        let own = |n: &weir_syntax::ast::TableName| {
            let schema = n.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref());
            schema.is_some_and(|s| self.temporaries.has(s, n.name.as_str()))
        };
        match stmt {
            Statement::CreateTable(c) => !c.temporary,
            Statement::DropTable(d) => !d.temporary && !d.names.iter().all(own),
            Statement::AlterTable(a) => !own(&a.name),
            Statement::CreateIndex(c) => !own(&c.table),
            Statement::DropIndex(d) => !own(&d.table),
            Statement::TruncateTable(n) => !own(n),
            Statement::TableAdmin(a) => {
                matches!(a.verb, AdminVerb::Repair) && !a.tables.iter().all(own)
            }
            other => other.defines(),
        }
    }

    /// Commits, and rolls back instead where what was written may not be (1290). What was logged is confirmed by replicas, where that is asked for.
    pub(super) async fn commit_writes(&mut self, txn: Txn, told: Told) -> Result<(), SqlError> {
        let mut inside = None;
        if txn.has_shared_writes() {
            let admitted = match self.inst.read_only.commit(self.conn.id, &self.patience()).await {
                Ok(inside) => check_writable(&self.inst.vars, &mut self.access).map(|()| inside),
                Err(e) => Err(e),
            };
            match admitted {
                Ok(place) => inside = Some(place),
                Err(e) => {
                    txn.rollback().await.map_err(engine_error)?;
                    return Err(e);
                }
            }
        }
        self.commit_told(txn, told).await?;
        drop(inside);
        match self.said.unconfirmed.any() {
            true => Box::pin(self.confirm()).await,
            false => Ok(()),
        }
    }

    /// Commits a prepared transaction, which stays prepared where nothing may be written (1290). What it has written is not known before.
    pub(super) async fn commit_prepared(&mut self, xid: &Xid) -> Result<bool, SqlError> {
        let _inside = self.inst.read_only.commit(self.conn.id, &self.patience()).await?;
        if self.inst.db.knows_prepared(xid) {
            check_writable(&self.inst.vars, &mut self.access)?;
        }
        let (o, d) = (self.options(), self.durability());
        let events = self.branch_ends(xid, "COMMIT").await?;
        let hold = events.is_some().then(|| self.hold_for_replicas()).flatten();
        let done = self.inst.db.commit_prepared_with(xid, o, d, (events, hold)).await;
        done.map_err(engine_error)
    }

    /// 1192 where a session that switches one of the two on would wait for itself.
    pub(super) fn check_still(&self) -> Result<(), SqlError> {
        let listed = self.locked.as_ref().is_some_and(LockedTables::is_listed);
        if listed || self.backup.is_some() || self.in_transaction() {
            return Err(SqlError::of(errno::ER_LOCK_OR_ACTIVE_TRANSACTION, &[]));
        }
        Ok(())
    }

    /// SET GLOBAL of one of the two. Switched on, it waits until nobody writes any more.
    pub(super) async fn set_read_only(
        &mut self,
        var: Var,
        input: &SetInput<'_>,
    ) -> Result<Option<VarWarning>, SqlError> {
        self.check_still()?;
        let wanted = check(var.def(), input, false)?.value;
        let vars = &self.inst.vars;
        // FLUSH TABLES WITH READ LOCK of this session keeps all writers out already.
        let waits = wanted == VarValue::Bool(true) && !vars.bool(var) && self.locked.is_none();
        let _still = match waits {
            true => Some(self.inst.read_only.still(&self.patience()).await?),
            false => None,
        };
        vars.set(var, input, false)
    }
}
