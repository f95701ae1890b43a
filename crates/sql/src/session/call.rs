//! CALL: the session as the host of stored programs.
//!
//! Each statement of a procedure is a statement of the session, with its own transaction where autocommit has it so. What a
//! procedure changes of the session's surroundings (default schema, `sql_mode`, the account whose rights hold) is put back when
//! it ends, however it ends.

use super::{Session, Settings};
use crate::account::{Access, Privileges};
use crate::context::{BoxFuture, ShowResult, StatementCtx};
use crate::errno;
use crate::query::program::{
    Code, Done, Fault, Host, Machine, OutTarget, What, check_count, does_not_exist, load,
    not_a_variable,
};
use crate::query::{self, RunError};
use crate::rights::{self, Need};
use crate::session_api::{ColumnMeta, Discard, OkInfo, OutValue, ResultSink, SinkError, SqlError};
use crate::value::{SessionInfo as _, Value, Warnings};
use crate::vars::{Var, VarValue};
use std::sync::Arc;
use std::task::{Context, Poll};
use weir_engine::ObjectKind;
use weir_syntax::ast::{Expr, Ident, ParamMode, ShowFilter, Statement, TableName};

/// Where the OUT parameters of a prepared CALL go.
#[derive(Default)]
pub(super) enum OutTo {
    /// It is not prepared.
    #[default]
    Nowhere,
    /// To the client, as rows behind the others.
    Client,
    /// EXECUTE ... USING these.
    Variables(Vec<Ident>),
}

/// What a program has changed of the session.
struct Saved {
    database: Option<String>,
    mode: VarValue,
    collation: VarValue,
    access: Option<Access>,
    settings: Settings,
}

/// Tells a client of OUT parameters, which are columns of their procedure as MySQL has them.
struct OutParams<'s> {
    sink: &'s mut dyn ResultSink,
    schema: &'s str,
    procedure: &'s str,
}

impl ResultSink for OutParams<'_> {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        let of_procedure = |c: &ColumnMeta| ColumnMeta {
            schema: self.schema.into(),
            table: self.procedure.into(),
            org_table: self.procedure.into(),
            org_name: c.name.clone(),
            ..c.clone()
        };
        let cols: Vec<ColumnMeta> = cols.iter().map(of_procedure).collect();
        self.sink.more_follows();
        self.sink.out_params_follow();
        self.sink.columns(&cols)
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.sink.row(row)
    }

    fn may_fill(&self) -> bool {
        self.sink.may_fill()
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.sink.poll_room(cx)
    }

    fn end_rows(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        self.sink.end_rows(ok)
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        self.sink.ok(ok)
    }
}

/// The session as the machine's host.
struct Calling<'s> {
    session: &'s mut Session,
    sink: &'s mut dyn ResultSink,
    saved: Vec<Saved>,
    /// No other program runs around these.
    outermost: bool,
    /// A program has set a variable of the session.
    set: bool,
    /// The columns of a result have gone to the client and its end has not: the statement failed between its rows.
    open: bool,
}

impl Session {
    pub(super) async fn call(
        &mut self,
        name: &TableName,
        args: &[Expr],
        out_to: OutTo,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let given = name.schema.as_ref().map(|s| s.as_str().to_owned());
        let schema = given.or_else(|| self.info.database.clone());
        let schema = schema.ok_or_else(SqlError::no_database)?;
        let code = self.procedure(&schema, name.name.as_str())?;
        check_count(&code, args.len())?;
        let (mut values, mut outs) = (Vec::new(), Vec::new());
        for (n, (arg, (mode, _))) in args.iter().zip(&code.meta.params).enumerate() {
            if *mode != ParamMode::In {
                let target = match (arg, &out_to) {
                    (Expr::UserVar(v), _) => OutTarget::User(v.as_str().to_owned()),
                    (Expr::Param(_), OutTo::Nowhere) => return Err(not_a_variable(n, &code)),
                    (Expr::Param(p), _) => OutTarget::Param(*p as usize),
                    _ => return Err(not_a_variable(n, &code)),
                };
                outs.push((n as u32, target));
            }
            values.push(match mode {
                ParamMode::Out => Value::Null,
                _ => self.value_of(arg).await?,
            });
        }
        if self.depth >= super::nested::DEPTH_MAX {
            return Err(super::nested::too_deep());
        }
        let of_client = |(n, target): &(u32, OutTarget)| {
            matches!(target, OutTarget::Param(_)).then_some(*n as usize)
        };
        let sent: Vec<usize> = outs.iter().filter_map(of_client).collect();
        self.depth += 1;
        let done = self.run_program(code.clone(), values, outs, sink).await;
        self.depth -= 1;
        let given = done?;
        self.give_outs(&code, &sent, given, out_to, sink)?;
        let affected_rows = u64::try_from(self.info.last_row_count()).unwrap_or(0);
        self.ok(sink, OkInfo { affected_rows, ..OkInfo::default() })
    }

    /// Runs a program to its end; gives what goes to parameters of a prepared CALL.
    pub(super) async fn run_program(
        &mut self,
        code: Arc<Code>,
        values: Vec<Value<'static>>,
        outs: Vec<(u32, OutTarget)>,
        sink: &mut dyn ResultSink,
    ) -> Result<Vec<(OutTarget, Value<'static>)>, SqlError> {
        let mut machine = Machine::default();
        let mut host = Calling {
            session: self,
            sink,
            saved: Vec::new(),
            outermost: false,
            set: false,
            open: false,
        };
        machine.call(code, values, outs, &mut host)?;
        let done = Box::pin(machine.run(&mut host)).await;
        debug_assert!(host.saved.is_empty(), "what a program changes is put back");
        let mut left = machine.take_conditions();
        match done {
            Ok(_) => {
                self.current = left;
                Ok(std::mem::take(&mut machine.outs))
            }
            Err(fault) => {
                let e = fault.into_run().into_sql();
                // The end of the statement adds the error itself.
                left.forget_error(e.errno, &e.message);
                self.current = left;
                Err(e)
            }
        }
    }

    /// `sent`: which parameters they are.
    fn give_outs(
        &mut self,
        code: &Code,
        sent: &[usize],
        given: Vec<(OutTarget, Value<'static>)>,
        out_to: OutTo,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        if given.is_empty() {
            return Ok(());
        }
        match out_to {
            OutTo::Nowhere => Ok(()),
            OutTo::Variables(names) => {
                for (target, v) in given {
                    if let OutTarget::Param(n) = target
                        && let Some(name) = names.get(n)
                    {
                        self.user_vars.set(Some(&self.info.memory), name.as_str(), v)?;
                    }
                }
                Ok(())
            }
            // A client that does not say it takes them would take them for a result of its next statement.
            OutTo::Client if !self.conn.out_params => Ok(()),
            OutTo::Client => {
                let columns = sent.iter().map(|n| &code.meta.params[*n].1).map(|c| {
                    crate::context::VirtualColumn {
                        name: c.name.clone().into(),
                        ty: c.ty,
                        nullable: true,
                    }
                });
                let mut rows = crate::context::ShowResult::new(columns.collect());
                rows.rows.push(given.into_iter().map(|(_, v)| v).collect());
                let (schema, procedure) = (code.schema(), &*code.meta.name);
                let sink = &mut OutParams { sink, schema, procedure };
                query::send_rows(&rows, &self.settings, sink)?;
                let ok = OkInfo { more_results: true, out_params: true, ..OkInfo::default() };
                let ok = self.ok_info(ok);
                Ok(sink.end_rows(&ok)?)
            }
        }
    }

    /// The value of an expression that may have subqueries and call functions.
    pub(super) async fn value_of(&mut self, e: &Expr) -> Result<Value<'static>, SqlError> {
        if let Some(v) = self.constant(e)? {
            return Ok(v);
        }
        let query = weir_syntax::ast::Query::of_items(vec![weir_syntax::ast::SelectItem::Expr {
            expr: e.clone(),
            alias: None,
            text: "".into(),
        }]);
        let stmt = Statement::Select(Box::new(query));
        let params = self.params.clone();
        self.collecting = true;
        let done = self.run_for_outer(&stmt, &params, &mut Discard).await;
        self.collecting = false;
        done?;
        let rows = self.given.rows.take().map_or_else(Vec::new, |r| r.rows);
        Ok(rows.into_iter().next().and_then(|r| r.into_iter().next()).unwrap_or(Value::Null))
    }

    /// The rows of a SHOW that its WHERE lets pass, which has a subquery or calls a stored function.
    pub(super) async fn filter_shown(
        &mut self,
        stmt: &Statement,
        rows: ShowResult,
    ) -> Result<ShowResult, SqlError> {
        let Statement::Show(show) = stmt else { return Ok(rows) };
        let Some(ShowFilter::Where(filter)) = &show.filter else { return Ok(rows) };
        let query = Statement::Select(Box::new(query::query_of_shown(filter)));
        let params = self.params.clone();
        self.shown = Some(rows);
        self.collecting = true;
        let done = self.run_for_outer(&query, &params, &mut Discard).await;
        self.collecting = false;
        let shown = self.shown.take().unwrap_or_default();
        done?;
        let rows = self.given.rows.take().map_or_else(Vec::new, |r| r.rows);
        Ok(ShowResult { rows, ..shown })
    }

    /// The procedure of this name, if the session may execute it.
    fn procedure(&mut self, schema: &str, name: &str) -> Result<Arc<Code>, SqlError> {
        let need = Need::Routine {
            privilege: Privileges::EXECUTE,
            procedure: true,
            schema: schema.to_owned(),
            routine: name.to_owned(),
        };
        rights::check(&[need], &mut self.access)?;
        let found = load(reads!(self), ObjectKind::Procedure, schema, name)?;
        found.ok_or_else(|| does_not_exist("PROCEDURE", schema, name))
    }

    /// The rights of a program's definer.
    fn access_of_definer(&self, code: &Code) -> Result<Option<Access>, SqlError> {
        let (user, host) = &code.meta.definer;
        if code.meta.invoker || self.access.account() == (user.as_str(), host.as_str()) {
            return Ok(None);
        }
        query::program::definer(&self.inst, user, host).map(Some)
    }
}

impl Host for Calling<'_> {
    fn enter(&mut self, code: &Arc<Code>) -> Result<(), SqlError> {
        let s = &mut *self.session;
        let mut access = s.access_of_definer(code)?;
        s.info.enter_account(access.as_mut().map(|a| (a.current_user(), a.current_role())));
        let access = access.map(|a| std::mem::replace(&mut s.access, a));
        let (mode, collation) = (s.vars.get(Var::sql_mode), s.vars.get(Var::collation_connection));
        s.vars.put(Var::sql_mode, VarValue::Set(code.mode.0));
        let connection = VarValue::Str(code.meta.connection.as_str().into());
        s.vars.put(Var::collation_connection, connection);
        let database = s.info.database.replace(code.schema().to_owned());
        if database != s.info.database {
            s.follow_schema();
        }
        if s.outer_mode.is_none() {
            s.outer_mode = Some(s.settings.mode);
            self.outermost = true;
        }
        let settings = code.settings(&s.settings);
        let settings = std::mem::replace(&mut s.settings, settings);
        self.saved.push(Saved { database, mode, collation, access, settings });
        Ok(())
    }

    /// No trigger is called from outside.
    fn may_set(&mut self, _column: &str) -> Result<(), SqlError> {
        Ok(())
    }

    fn leave(&mut self) {
        let Some(saved) = self.saved.pop() else { return };
        let s = &mut *self.session;
        s.info.leave_account();
        s.vars.put(Var::sql_mode, saved.mode);
        s.vars.put(Var::collation_connection, saved.collation);
        match saved.access {
            Some(access) => s.access = access,
            // SET ROLE in it was one of the session's own.
            None => s.show_roles(),
        }
        if saved.database != s.info.database {
            s.info.database = saved.database;
            s.follow_schema();
        }
        // What the program set itself stays, beyond what is put back.
        s.settings = if self.set { Settings::of(&s.vars) } else { saved.settings };
        if self.outermost && self.saved.is_empty() {
            s.outer_mode = None;
        }
    }

    fn cx(&mut self) -> StatementCtx<'_> {
        statement_ctx!(self.session)
    }

    fn run<'h>(
        &'h mut self,
        code: &'h Arc<Code>,
        at: usize,
        what: What<'h>,
        vars: &'h [Value<'static>],
    ) -> BoxFuture<'h, Result<Done, Fault>> {
        Box::pin(async move {
            let s = &mut *self.session;
            let mut sink = Between { sink: &mut *self.sink, open: &mut self.open };
            s.given = Default::default();
            let done = match what {
                What::Statement(stmt) if !query::is_query(stmt) => {
                    s.said_inside(code.body.definition_at(at as u32).map(str::as_bytes));
                    if matches!(stmt, Statement::CreateTable(c) if c.query.is_some()) {
                        s.declared = code.infos.clone();
                    }
                    let (done, warnings) = s.run_inner(stmt, vars, &mut sink).await;
                    s.declared.clear();
                    s.current.absorb(warnings);
                    if matches!(stmt, Statement::Set(_)) {
                        self.set = true;
                        s.after_set(code);
                    }
                    done
                }
                What::Statement(stmt) if s.said.started.is_some() => s.check_started(stmt),
                _ => s.run_planned(code, at, what, vars, &mut sink).await,
            };
            if let Err(e) = done {
                s.info.set_row_count(-1);
                return Err(e.into());
            }
            Ok(std::mem::take(&mut s.given))
        })
    }

    fn handled(&mut self) {
        if std::mem::take(&mut self.open) {
            let end = OkInfo { more_results: true, ..OkInfo::default() };
            let end = self.session.ok_info(end);
            // That the client is gone is noticed by the next statement.
            let _ = self.sink.end_rows(&end);
        }
    }

    fn procedure(&mut self, schema: &str, name: &str) -> Result<Arc<Code>, SqlError> {
        self.session.procedure(schema, name)
    }

    fn tell(&mut self, conditions: &Warnings) {
        let s = &mut *self.session;
        if conditions.total() > 0 || s.warnings.total() > 0 {
            s.warnings = conditions.clone();
        }
    }

    fn pause(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            use crate::value::SessionInfo;
            if let Some(e) = self.session.info.stopped() {
                return Err(Fault::Fatal(RunError::from(e)));
            }
            weir_rt::yield_now().await;
            Ok(())
        })
    }
}

impl Session {
    /// Runs a query of a program, by the plan that is kept for it.
    async fn run_planned(
        &mut self,
        code: &Arc<Code>,
        at: usize,
        what: What<'_>,
        vars: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        for _ in 0..super::execute::ATTEMPTS {
            let plan = code.plan(at, &what, vars, reads!(self), &self.user_vars).await?;
            if plan.has_result() && !self.conn.multi_results {
                return Err(SqlError::of(errno::ER_SP_BADSELECT, &[&code.full_name()]));
            }
            if let Ok(done) = self.run_plan(&plan, vars, sink).await {
                return done;
            }
        }
        Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[]))
    }

    /// A SET of the program does not change what the program has settled, except for `sql_mode`.
    fn after_set(&mut self, code: &Code) {
        self.settings = Settings {
            mode: self.settings.mode,
            lex_mode: self.settings.lex_mode,
            ..code.settings(&self.settings)
        };
    }
}

/// The answers of a program's statements: rows pass, with the word that more follows; the rest is the program's own affair.
struct Between<'s> {
    sink: &'s mut dyn ResultSink,
    open: &'s mut bool,
}

impl ResultSink for Between<'_> {
    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        self.sink.more_follows();
        *self.open = true;
        self.sink.columns(cols)
    }
    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.sink.row(row)
    }

    fn hold(&mut self) -> bool {
        self.sink.hold()
    }

    fn release(&mut self) -> Result<(), SinkError> {
        self.sink.release()
    }

    fn may_fill(&self) -> bool {
        self.sink.may_fill()
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.sink.poll_room(cx)
    }
    fn end_rows(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        *self.open = false;
        self.sink.end_rows(&OkInfo { more_results: true, ..*ok })
    }
    fn ok(&mut self, _: &OkInfo<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}
