//! What a stored function or trigger runs beside queries: SET, temporary tables, savepoints. Temporary tables and variables are the session's.
//! Savepoints are the program's: it sees none of the transaction around it, and its own are gone when it has ended.

use super::host::{Fault, What, first};
use super::inner::Inner;
use crate::context::{Settings, check_user_var};
use crate::ddl;
use crate::ddl::engine_error::engine_error;
use crate::errno;
use crate::meta::temporary::HIDDEN;
use crate::query::bind::created_columns;
use crate::query::plan::code::Code;
use crate::rights::{self, Me};
use crate::session_api::SqlError;
use crate::value::Value;
use crate::vars::wanted::{Wanted, set_names};
use crate::vars::{SessionVars, SetTarget, Var, resolve_set};
use std::sync::Arc;
use weir_syntax::ast::{CreateTable, Expr, SetItem, SetValue, Statement, SysVar, VarScope};

/// Variables that have their values again when a function or trigger has ended: what MySQL keeps of its surroundings, and its flags.
pub const OF_PROGRAM: [Var; 11] = [
    Var::sql_mode,
    Var::character_set_client,
    Var::character_set_connection,
    Var::collation_connection,
    Var::foreign_key_checks,
    Var::unique_checks,
    Var::sql_auto_is_null,
    Var::sql_log_bin,
    Var::sql_notes,
    Var::sql_safe_updates,
    Var::sql_warnings,
];

impl Inner<'_, '_, '_> {
    /// A statement that is no query. Those that have no place here are refused.
    pub(super) async fn other(
        &mut self,
        code: &Arc<Code>,
        stmt: &Statement,
        vars: &[Value<'static>],
    ) -> Result<(), Fault> {
        match stmt {
            Statement::Set(items) => {
                if items.iter().any(|item| matches!(item, SetItem::System { .. })) {
                    self.check_rights(stmt)?;
                }
                for item in items {
                    self.set(code, item, vars).await?;
                }
                Ok(())
            }
            Statement::CreateTable(c) if c.temporary && c.query.is_some() => {
                self.check_rights(stmt)?;
                Box::pin(self.create_filled(code, c, vars)).await
            }
            Statement::CreateTable(c) if c.temporary => self.define(stmt).await,
            Statement::DropTable(d) if d.temporary => self.define(stmt).await,
            Statement::Savepoint(name) => {
                let at = self.r.txn.savepoint();
                self.savepoints.retain(|(n, _)| !n.eq_ignore_ascii_case(name.as_str()));
                self.savepoints.push((name.as_str().to_owned(), at));
                Ok(())
            }
            Statement::RollbackTo(name) => {
                let i = self.savepoint(name.as_str())?;
                self.savepoints.truncate(i + 1);
                let at = self.savepoints[i].1;
                Ok(self.r.txn.rollback_to_savepoint(at).await.map_err(engine_error)?)
            }
            Statement::ReleaseSavepoint(name) => {
                let i = self.savepoint(name.as_str())?;
                self.savepoints.truncate(i);
                Ok(())
            }
            Statement::Prepare { .. }
            | Statement::Execute { .. }
            | Statement::Deallocate { .. } => {
                Err(SqlError::of(errno::ER_STMT_NOT_ALLOWED_IN_SF_OR_TRG, &[&"Dynamic SQL"]).into())
            }
            Statement::Begin
            | Statement::StartTransaction(_)
            | Statement::Commit(_)
            | Statement::Rollback(_) => Err(no_commit().into()),
            commits if commits.commits_implicitly() => Err(no_commit().into()),
            other => {
                let what = format!("{} in a stored function or trigger", other.kind());
                Err(SqlError::not_supported(what).into())
            }
        }
    }

    fn savepoint(&self, name: &str) -> Result<usize, SqlError> {
        let at = self.savepoints.iter().position(|(n, _)| n.eq_ignore_ascii_case(name));
        at.ok_or_else(|| SqlError::of(errno::ER_SP_DOES_NOT_EXIST, &[&"SAVEPOINT", &name]))
    }

    fn check_rights(&mut self, stmt: &Statement) -> Result<(), SqlError> {
        let temporaries = self.r.reads.temporaries;
        let level = self.levels.last_mut().expect("a statement belongs to a program");
        let (user, host) = level.access.account();
        let me = Me { user, host };
        let mut needs = rights::of_statement(stmt, Some(level.code.schema()), me)?;
        rights::spare_temporary(&mut needs, temporaries);
        rights::check(&needs, &mut level.access)
    }

    /// CREATE and DROP of a temporary table.
    async fn define(&mut self, stmt: &Statement) -> Result<(), Fault> {
        self.check_rights(stmt)?;
        let mut cx = self.statement_cx();
        match Box::pin(ddl::run(stmt, &mut cx)).await {
            Some(done) => done.map(|_| ()).map_err(Fault::from),
            None => Err(SqlError::internal("this statement defines nothing").into()),
        }
    }

    /// CREATE TEMPORARY TABLE ... SELECT: the table has no name before its rows are there.
    async fn create_filled(
        &mut self,
        code: &Arc<Code>,
        c: &CreateTable,
        vars: &[Value<'static>],
    ) -> Result<(), Fault> {
        let Some(query) = &c.query else { return Ok(()) };
        let mut cx = self.statement_cx();
        let (schema, name) = ddl::resolve(&c.name, &cx)?;
        if ddl::create::taken(c, &schema, &name, &mut cx)?.is_some() {
            return Ok(());
        }
        let selected = created_columns(query, &code.env(cx.reads, cx.changes.user_vars, vars))?;
        let table = ddl::temporary::hidden(c, &selected, &mut cx).await?;
        let kept = &table.def.name;
        let temporaries = self.r.reads.temporaries;
        temporaries.add(HIDDEN, kept, kept);
        let names = selected.iter().map(|c| c.name.as_str()).collect::<Vec<_>>();
        let insert = ddl::temporary::insert_into(&table, &names, c, query);
        let filled = self.planned(code, usize::MAX, What::Statement(&insert), vars).await;
        temporaries.forget(HIDDEN, kept);
        match filled {
            Ok(_) => {
                temporaries.add(&schema, &name, kept);
                Ok(())
            }
            Err(e) => {
                temporaries.doom(table);
                Err(e)
            }
        }
    }

    async fn set(
        &mut self,
        code: &Arc<Code>,
        item: &SetItem,
        vars: &[Value<'static>],
    ) -> Result<(), Fault> {
        match item {
            SetItem::User { name, value } => {
                check_user_var(name.as_str())?;
                let v = self.value(code, value, vars).await?;
                let cx = self.statement_cx();
                let account = cx.reads.session.memory();
                let set = cx.changes.user_vars.set(account, name.as_str(), v);
                Ok(set.map_err(SqlError::from)?)
            }
            SetItem::Names { .. } | SetItem::CharacterSet(_) => {
                let mut set = self.variables();
                set_names(&mut set, item)?;
                self.set_variables(set, false);
                Ok(())
            }
            SetItem::System { var, value } => {
                let var = settable(var)?;
                let wanted = match value {
                    SetValue::Default => Wanted::Default,
                    SetValue::Word(w) => Wanted::Word(w.clone()),
                    SetValue::Expr(e) => Wanted::Value(self.value(code, e, vars).await?),
                };
                wanted.check_switch(var)?;
                let mut set = self.variables();
                let mut text = String::new();
                let warning = match wanted.input(&mut text) {
                    Some(input) => set.set(var, &input)?,
                    None => set.set_default(var)?,
                };
                if let Some(w) = warning {
                    self.warnings.warn(w.errno, || w.message);
                }
                match var {
                    Var::last_insert_id => self.r.reads.session.set_generated_id(set.u64(var)),
                    Var::insert_id => self.r.reads.session.set_insert_id(set.u64(var)),
                    _ => {}
                }
                self.set_variables(set, var == Var::sql_mode);
                Ok(())
            }
        }
    }

    async fn value(
        &mut self,
        code: &Arc<Code>,
        e: &Expr,
        vars: &[Value<'static>],
    ) -> Result<Value<'static>, Fault> {
        if let Some(v) = code.value_anew(e, vars, &mut self.statement_cx())? {
            return Ok(v);
        }
        let done = self.planned(code, usize::MAX, What::Value(e), vars).await?;
        Ok(done.rows.map_or(Value::Null, |r| first(r.rows)))
    }

    fn variables(&self) -> SessionVars {
        let level = self.levels.last().expect("a statement belongs to a program");
        level.vars.as_deref().unwrap_or(self.r.reads.vars).clone()
    }

    fn set_variables(&mut self, set: SessionVars, mode: bool) {
        let set = Arc::new(set);
        let level = self.levels.last_mut().expect("a statement belongs to a program");
        level.follow(set.clone());
        if mode {
            let settings = Settings::of(&set);
            level.settings.mode = settings.mode;
            level.settings.lex_mode = settings.lex_mode;
        }
        self.r.reads.set_inside.put(set);
    }

    /// What the statement that has ended called may have set variables.
    pub(super) fn follow_variables(&mut self) {
        let Some(set) = self.r.reads.set_inside.get() else { return };
        let level = self.levels.last_mut().expect("a statement belongs to a program");
        if level.vars.as_ref().is_none_or(|known| !Arc::ptr_eq(known, &set)) {
            level.follow(set);
        }
    }

    /// The program has ended: what is its own of the variables is as it was before.
    pub(super) fn give_back_variables(&self) {
        let Some(set) = self.r.reads.set_inside.get() else { return };
        let mut set = SessionVars::clone(&set);
        for var in OF_PROGRAM {
            set.put(var, self.r.reads.vars.get(var));
        }
        self.r.reads.set_inside.put(Arc::new(set));
    }
}

/// The variable of the session that a SET names: 1445 for autocommit.
fn settable(v: &SysVar) -> Result<Var, SqlError> {
    let name = v.name.as_str();
    let scope = match v.scope {
        None => None,
        Some(VarScope::Session) => Some(SetTarget::Session),
        Some(VarScope::Global | VarScope::Persist | VarScope::PersistOnly) => {
            let what = "SET of a global variable in a stored function or trigger";
            return Err(SqlError::not_supported(what));
        }
    };
    if v.component.is_some() {
        return Err(SqlError::of(errno::ER_UNKNOWN_SYSTEM_VARIABLE, &[&name]));
    }
    match resolve_set(name, scope)?.0 {
        Var::autocommit => Err(SqlError::of(errno::ER_SP_CANT_SET_AUTOCOMMIT, &[])),
        Var::sql_log_bin => {
            Err(SqlError::of(errno::ER_STORED_FUNCTION_PREVENTS_SWITCH_SQL_LOG_BIN, &[]))
        }
        Var::gtid_next => {
            Err(SqlError::of(errno::ER_VARIABLE_NOT_SETTABLE_IN_SF_OR_TRIGGER, &[&"gtid_next"]))
        }
        Var::default_storage_engine | Var::default_tmp_storage_engine => {
            let what = "SET of a default engine in a stored function or trigger";
            Err(SqlError::not_supported(what))
        }
        var => Ok(var),
    }
}

/// 1422.
fn no_commit() -> SqlError {
    SqlError::of(errno::ER_COMMIT_NOT_ALLOWED_IN_SF_OR_TRG, &[])
}
