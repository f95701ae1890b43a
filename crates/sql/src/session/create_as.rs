//! CREATE TABLE ... SELECT.
//!
//! The table is made in the hidden schema of temporary tables, filled by an INSERT ... SELECT, and then gets its name: a temporary one
//! in the session's list, a permanent one by a rename. So the name appears with all of its rows or not at all, also when the power fails:
//! the rename follows the commit of the rows in the same log, and a start takes away whatever is still hidden.

use super::Session;
use super::commits::Making;
use crate::context::{AdminResult, Reads};
use crate::ddl;
use crate::errno;
use crate::meta::temporary::HIDDEN;
use crate::query;
use crate::session_api::{ColumnMeta, OkInfo, OutValue, ResultSink, SinkError, SqlError};
use crate::value::{SqlType, TypeInfo};
use std::sync::Arc;
use weir_engine::Table;
use weir_syntax::ast::CreateTable;

/// The type that a column gets of a variable. As in MySQL integers are as wide as can be.
fn as_column(variable: TypeInfo) -> TypeInfo {
    let ty = match variable.ty {
        SqlType::Int { unsigned: false, .. } => SqlType::BIGINT,
        SqlType::Int { unsigned: true, .. } => SqlType::UBIGINT,
        ty => ty,
    };
    TypeInfo { ty, ..variable }
}

impl Session {
    pub(super) async fn create_table_as(
        &mut self,
        c: &CreateTable,
    ) -> Result<AdminResult, SqlError> {
        let Some(query) = &c.query else {
            return Err(SqlError::internal(
                "CREATE TABLE without the SELECT it is to be filled by",
            ));
        };
        let mut cx = statement_ctx!(self);
        let (schema, name) = ddl::resolve(&c.name, &cx)?;
        if let Some(done) = ddl::create::taken(c, &schema, &name, &mut cx)? {
            return Ok(done);
        }
        let params = self.params.clone();
        let locals: Vec<TypeInfo> = self.declared.drain(..).map(as_column).collect();
        let env = query::PlanEnv { typed_params: true, locals: &locals, ..self.plan_env(&params) };
        let selected = query::created_columns(query, &env)?;
        let mut cx = statement_ctx!(self);
        let table = ddl::temporary::hidden(c, &selected, &mut cx).await?;
        // The INSERT must reach it, and no name may hide what the SELECT reads.
        self.temporaries.add(HIDDEN, &table.def.name, &table.def.name);
        let names = selected.iter().map(|c| c.name.as_str()).collect::<Vec<_>>();
        let insert = ddl::temporary::insert_into(&table, &names, c, query);
        let mut told = Told::default();
        if !c.temporary && self.logs_commits() {
            self.said.making = Some(Making::default());
            self.settings.making = Some(table.def.id);
        }
        let filled = self.run_for_outer(&insert, &params, &mut told).await;
        self.settings.making = None;
        self.temporaries.forget(HIDDEN, &table.def.name);
        let done = match filled {
            Ok(()) => self.give_name(&table, &schema, &name, c.temporary).await,
            // The table was made of the same SELECT: one that it reads has got or lost columns since, and all begins again.
            Err(e) if e.errno == errno::ER_WRONG_VALUE_COUNT_ON_ROW => {
                Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[]))
            }
            Err(e) => Err(e),
        };
        self.said.making = None;
        if let Err(e) = done {
            if let Some(left) = self.inst.db.table(HIDDEN, &table.def.name) {
                self.temporaries.doom(left);
            }
            if self.txn.is_none() {
                self.drop_doomed().await;
            }
            return Err(e);
        }
        Ok(AdminResult::Ok { affected: told.affected, info: told.info })
    }

    pub(super) async fn give_name(
        &mut self,
        table: &Arc<Table>,
        schema: &str,
        name: &str,
        temporary: bool,
    ) -> Result<(), SqlError> {
        if temporary {
            self.temporaries.add(schema, name, &table.def.name);
            return Ok(());
        }
        // It is a temporary one no more, whether or not it gets its name.
        self.temporaries.uncharge(&table.def.name);
        // Without autocommit the rows are not committed yet.
        self.end_transaction(true).await?;
        let table = self.inst.db.table(HIDDEN, &table.def.name);
        let table = table.ok_or_else(|| SqlError::internal("a table that was filled is gone"))?;
        let create = match self.said.making {
            Some(_) => {
                let reads: Reads<'_> = reads!(self);
                let made = reads.meta().lookup(reads.db(), HIDDEN, &table.def.name)?;
                Some(self.logged_create((schema, name), &made.meta))
            }
            None => None,
        };
        let _logged = match create {
            Some(text) => self.log_made(&text).await?,
            None => None,
        };
        let cx = statement_ctx!(self);
        ddl::drop::move_tables(&[(table, schema.into(), name.into())], None, &cx).await.map_err(
            |e| match e.errno {
                errno::ER_TABLE_EXISTS_ERROR => ddl::table_exists(name),
                _ => e,
            },
        )
    }
}

/// What the INSERT answers.
#[derive(Default)]
struct Told {
    affected: u64,
    info: String,
}

impl ResultSink for Told {
    fn columns(&mut self, _: &[ColumnMeta]) -> Result<(), SinkError> {
        Ok(())
    }
    fn row(&mut self, _: &[OutValue<'_>]) -> Result<(), SinkError> {
        Ok(())
    }
    fn end_rows(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
    fn ok(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        self.affected = ok.affected_rows;
        self.info = ok.info.to_owned();
        Ok(())
    }
}
