//! CREATE TABLE ... START TRANSACTION, which a binary log has for CREATE TABLE ... SELECT: the table is there with the COMMIT that
//! follows, together with the rows that BINLOG gave it, or not at all.
//!
//! As in `create_as` the table is made in the hidden schema and gets its name at the end. Until then the session alone knows it, as it
//! knows a temporary table. Another session may take the name meanwhile; the COMMIT is refused then (1050), and the table is gone.

use super::Session;
use super::commits::Making;
use crate::context::AdminResult;
use crate::ddl;
use crate::errno;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::Table;
use weir_syntax::ast::{CreateTable, StartTransaction, Statement};

/// What the COMMIT of such a transaction makes.
pub struct Started {
    /// The table, its schema and its name. There is no table where IF NOT EXISTS has found one.
    made: Option<(Arc<Table>, String, String)>,
}

/// 3979.
fn not_allowed(how: &str) -> SqlError {
    SqlError::of(errno::ER_NOT_ALLOWED_WITH_START_TRANSACTION, &[&how])
}

impl Session {
    pub(super) async fn create_table_started(
        &mut self,
        c: &CreateTable,
    ) -> Result<AdminResult, SqlError> {
        if c.temporary {
            return Err(not_allowed("to create temporary tables."));
        }
        if c.query.is_some() {
            return Err(not_allowed("with CREATE TABLE ... AS SELECT statement."));
        }
        let mut cx = statement_ctx!(self);
        let (schema, name) = ddl::resolve(&c.name, &cx)?;
        let made = match ddl::create::taken(c, &schema, &name, &mut cx)? {
            Some(_) => None,
            None => Some(ddl::temporary::hidden(c, &[], &mut cx).await?),
        };
        let made = made.map(|table| {
            self.temporaries.add(&schema, &name, &table.def.name);
            if self.logs_commits() {
                self.said.making = Some(Making::default());
                self.settings.making = Some(table.def.id);
            }
            (table, schema, name)
        });
        self.said.started = Some(Box::new(Started { made }));
        self.begin(&StartTransaction::default()).await?;
        Ok(AdminResult::ok())
    }

    /// 3977 for a statement that may not stand between CREATE TABLE ... START TRANSACTION and the end of its transaction.
    pub(super) fn check_started(&self, stmt: &Statement) -> Result<(), SqlError> {
        let admitted = self.said.started.is_none()
            || matches!(stmt, Statement::Commit(_) | Statement::Rollback(_) | Statement::Binlog(_));
        match admitted {
            true => Ok(()),
            false => {
                Err(SqlError::of(errno::ER_STATEMENT_NOT_ALLOWED_AFTER_START_TRANSACTION, &[]))
            }
        }
    }

    /// The table gets its name, or goes.
    pub(super) async fn end_started(
        &mut self,
        started: Started,
        commit: bool,
    ) -> Result<(), SqlError> {
        self.settings.making = None;
        let Some((table, schema, name)) = started.made else { return Ok(()) };
        self.temporaries.forget(&schema, &name);
        let done = match commit {
            true => self.give_name(&table, &schema, &name, false).await,
            false => self.end_transaction(false).await,
        };
        self.said.making = None;
        if (!commit || done.is_err())
            && let Some(left) = self.inst.db.table(crate::meta::temporary::HIDDEN, &table.def.name)
        {
            self.temporaries.doom(left);
            self.drop_doomed().await;
        }
        done
    }

    /// The session begins from scratch; its table goes as its temporary ones do.
    pub(super) fn forget_started(&mut self) {
        if self.said.started.take().is_some() {
            self.said.making = None;
            self.settings.making = None;
        }
    }
}
