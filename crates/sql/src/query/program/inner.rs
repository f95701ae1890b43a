//! Programs inside of a statement: stored functions and triggers. The executor is their host: their statements run in the
//! transaction of the statement around them, and what one of them changed is undone when it fails.
//!
//! Invariant: no table that a statement uses is changed by what it runs inside (1442), and no function or trigger runs inside
//! itself (1424), so what is inside of what is a short chain.

use super::code::definer;
use super::host::{Done, Fault, Host, What};
use super::machine::Machine;
use crate::account::{Access, Privileges};
use crate::context::{BoxFuture, Changes, Reads, Settings, StatementCtx};
use crate::ddl::engine_error::engine_error;
use crate::errno;
use crate::meta::SqlTable;
use crate::query::eval::Ev;
use crate::query::eval::lists::Lists;
use crate::query::exec::inside::Inside;
use crate::query::exec::programs::Programs;
use crate::query::exec::{Boxed, Runner};
use crate::query::plan::Plan;
use crate::query::plan::code::{Code, does_not_exist, load};
use crate::query::plan::outcome::{Outcome, Run, RunError};
use crate::rights::{self, Need, check_writable};
use crate::session_api::{Discard, SqlError};
use crate::value::{SqlMode, Value, Warnings};
use crate::vars::SessionVars;
use std::sync::Arc;
use weir_engine::{ObjectKind, Savepoint};

/// Functions and triggers inside of one another at most: each is some boxed futures on the stack.
const DEPTH_MAX: usize = 16;

/// The surroundings of a program.
pub(super) struct Level {
    pub code: Arc<Code>,
    pub settings: Settings,
    pub access: Access,
    /// The session's variables, where a program has set some.
    pub vars: Option<Arc<SessionVars>>,
}

impl Level {
    /// Variables have been set, here or in a program that was called from here.
    pub fn follow(&mut self, vars: Arc<SessionVars>) {
        let (mode, lex_mode) = (self.settings.mode, self.settings.lex_mode);
        let settings = self.code.settings(&Settings::of(&vars));
        self.settings = Settings { mode, lex_mode, ..settings };
        self.vars = Some(vars);
    }
}

/// The executor as the machine's host.
pub(super) struct Inner<'h, 'a, 't> {
    pub r: &'h mut Runner<'a, 't>,
    pub levels: Vec<Level>,
    pub warnings: Warnings,
    pub savepoints: Vec<(String, Savepoint)>,
}

/// Stored functions and triggers, as the executor and the writer of rows ask for them.
pub struct Stored;

impl Programs for Stored {
    fn call<'b>(
        &self,
        r: &'b mut Runner<'_, '_>,
        code: &'b Arc<Code>,
        args: Vec<Value<'static>>,
    ) -> Boxed<'b, Value<'static>> {
        Box::pin(async move {
            let mut machine = Machine::default();
            let ended = run(r, code, &mut machine, |machine, host| {
                machine.call(code.clone(), args, Vec::new(), host)
            });
            Ok(ended.await?.and_then(|v| v.result).unwrap_or(Value::Null))
        })
    }

    fn fire<'b>(
        &self,
        r: &'b mut Runner<'_, '_>,
        code: &'b Arc<Code>,
        vars: Vec<Value<'static>>,
    ) -> Boxed<'b, Option<Vec<Value<'static>>>> {
        Box::pin(async move {
            let mut machine = Machine::default();
            let ended =
                run(r, code, &mut machine, |machine, host| machine.fire(code.clone(), vars, host));
            Ok(ended.await?.map(|v| v.vars))
        })
    }
}

/// What a function or trigger has left.
struct Ended {
    result: Option<Value<'static>>,
    vars: Vec<Value<'static>>,
}

/// Runs a program that `begin` begins.
async fn run(
    r: &mut Runner<'_, '_>,
    code: &Arc<Code>,
    machine: &mut Machine,
    begin: impl FnOnce(&mut Machine, &mut dyn Host) -> Result<(), SqlError>,
) -> Run<Option<Ended>> {
    check_chain(r, code)?;
    let given = r.reads.session.last_insert_id();
    let (levels, savepoints) = (Vec::new(), Vec::new());
    let mut host = Inner { r, levels, warnings: Warnings::default(), savepoints };
    begin(machine, &mut host)?;
    let done = machine.run(&mut host).await;
    debug_assert!(host.levels.is_empty(), "what a program changes is put back");
    host.give_back_variables();
    // What is generated inside is not the statement's.
    r.reads.session.set_generated_id(given);
    let left = machine.take_conditions();
    match done {
        Ok(f) => {
            r.ev.cx.warnings.absorb(left);
            Ok(f.map(|f| Ended { result: f.result, vars: f.vars }))
        }
        Err(fault) => Err(fault.into_run()),
    }
}

/// 1424, 1436.
fn check_chain(r: &Runner<'_, '_>, code: &Arc<Code>) -> Result<(), SqlError> {
    let Some(inside) = r.inside else { return Ok(()) };
    let again = |i: &Inside<'_>| Arc::ptr_eq(&i.code.object, &code.object);
    if inside.chain().any(again) {
        return Err(SqlError::of(errno::ER_SP_NO_RECURSION, &[]));
    }
    if inside.chain().count() >= DEPTH_MAX {
        let text = format!(
            "Thread stack overrun: {DEPTH_MAX} functions and triggers inside of one another are the limit"
        );
        return Err(SqlError::new(errno::ER_STACK_OVERRUN_NEED_MORE, text));
    }
    Ok(())
}

impl Inner<'_, '_, '_> {
    /// 1442 for a table that a statement around this one uses.
    fn check_tables(&self, plan: &Plan) -> Result<(), SqlError> {
        let mut around = vec![self.r.tables];
        around.extend(self.r.inside.iter().flat_map(|i| i.chain()).map(|i| i.tables));
        for (t, _) in plan.sizes.iter().filter(|(t, _)| plan.changes(t)) {
            let same = |u: &SqlTable| u.name() == t.name() && u.schema() == t.schema();
            if around.iter().flat_map(|l| l.iter()).any(|(u, _)| same(u)) {
                let text = format!(
                    "Can't update table '{}' in stored function/trigger because it is already used by statement which invoked this stored function/trigger.",
                    t.name()
                );
                let errno = errno::ER_CANT_UPDATE_USED_TABLE_IN_SF_OR_TRG;
                return Err(SqlError::new(errno, text));
            }
        }
        Ok(())
    }

    /// What a statement of the innermost program is run in.
    pub(super) fn statement_cx(&mut self) -> StatementCtx<'_> {
        let level = self.levels.last_mut().expect("a statement belongs to a program");
        let vars = level.vars.as_deref().unwrap_or(self.r.reads.vars);
        let schema = Some(level.code.schema());
        let reads = Reads { settings: &level.settings, vars, schema, ..self.r.reads };
        StatementCtx {
            reads,
            now_micros: self.r.ev.cx.now_micros,
            changes: Changes {
                user_vars: &mut *self.r.ev.user_vars,
                access: &mut level.access,
                warnings: &mut self.warnings,
            },
        }
    }

    pub(super) async fn planned(
        &mut self,
        code: &Arc<Code>,
        at: usize,
        what: What<'_>,
        vars: &[Value<'static>],
    ) -> Result<Outcome, Fault> {
        for _ in 0..ATTEMPTS {
            let level = self.levels.last_mut().expect("a statement belongs to a program");
            let reads = reads_of(self.r.reads, level);
            let plan = code.plan(at, &what, vars, reads, self.r.ev.user_vars).await?;
            if plan.has_result() {
                return Err(SqlError::of(errno::ER_SP_NO_RETSET, &[&"function"]).into());
            }
            rights::check(plan.needs(), &mut level.access)?;
            let globals = self.r.reads.vars.globals();
            if globals.is_read_only() && plan.writes_shared() {
                check_writable(globals, &mut level.access)?;
            }
            self.check_tables(&plan)?;
            plan.fits_branch(self.r.reads.session.branch())?;
            let level = self.levels.last().expect("a statement belongs to a program");
            let reads = reads_of(self.r.reads, level);
            let save = self.r.txn.savepoint();
            let mut cx = reads.eval(0);
            cx.now_micros = self.r.ev.cx.now_micros;
            let ev = Ev {
                cx,
                vars: reads.vars,
                user_vars: &mut *self.r.ev.user_vars,
                lists: Lists::kept(),
            };
            let inside = Inside { code, tables: self.r.tables, around: self.r.inside };
            let default_lock = self.r.default_lock;
            let mut inner =
                Runner::new(reads, &level.access, ev, vars, (&Stored, false), &mut *self.r.txn);
            inner.default_lock = default_lock;
            inner.inside = Some(&inside);
            let out = inner.run_plan(&plan, &mut Discard).await;
            let warnings = std::mem::take(&mut inner.ev.cx.warnings);
            self.follow_variables();
            let e = match out {
                Ok(o) => {
                    self.warnings.absorb(warnings);
                    self.r.reads.session.statement_inside(o.affected as i64, o.last_insert_id);
                    return Ok(o);
                }
                Err(RunError::Stale) => continue,
                Err(RunError::Deadlock(e)) => return Err(Fault::Fatal(RunError::Deadlock(e))),
                Err(RunError::Sql(e)) => e,
            };
            self.warnings.absorb(warnings);
            self.r.txn.rollback_to(save).await.map_err(engine_error)?;
            return Err(e.into());
        }
        Err(Fault::Fatal(RunError::Sql(RunError::Stale.into_sql())))
    }
}

/// Attempts at a statement whose tables' definitions change.
const ATTEMPTS: usize = 8;

fn reads_of<'l>(outer: Reads<'l>, level: &'l Level) -> Reads<'l> {
    let vars = level.vars.as_deref().unwrap_or(outer.vars);
    let schema = Some(level.code.schema());
    let of_trigger = outer.of_trigger || level.code.object.kind == ObjectKind::Trigger;
    // The rows of a SHOW are its WHERE's alone.
    Reads { settings: &level.settings, vars, schema, shown: None, of_trigger, ..outer }
}

/// What a trigger's definer needs of its table when it fires: SELECT on the columns of NEW and OLD that it looks at, for it has the rows
/// of all who write there, and UPDATE on those of NEW that it sets. Errors: 1142 without TRIGGER, 1143.
fn may_have_rows(access: &mut Access, code: &Code, table: &str) -> Result<(), SqlError> {
    let schema = code.schema();
    access.require_table(Privileges::TRIGGER, schema, table)?;
    for slot in &code.body.slots {
        let column = slot.name.as_str();
        if slot.read {
            access.require_column(Privileges::SELECT, schema, table, column)?;
        }
        if slot.set {
            access.require_column(Privileges::UPDATE, schema, table, column)?;
        }
    }
    Ok(())
}

impl Host for Inner<'_, '_, '_> {
    fn enter(&mut self, code: &Arc<Code>) -> Result<(), SqlError> {
        // Another program of the statement may have set variables before.
        let vars = self.r.reads.set_inside.get();
        let set = vars.as_deref().map(Settings::of);
        let (settings, access) = match self.levels.last() {
            Some(l) => (&l.settings, &l.access),
            None => (set.as_ref().unwrap_or(self.r.reads.settings), self.r.access),
        };
        let (user, host) = &code.meta.definer;
        let own = code.meta.invoker || access.account() == (user.as_str(), host.as_str());
        let access = match own {
            true => access.clone(),
            false => definer(self.r.reads.shared, user, host)?,
        };
        let mut access = access;
        if let Some(trigger) = &code.meta.trigger {
            may_have_rows(&mut access, code, &trigger.table)?;
        }
        let settings = code.settings(settings);
        let acting = (!own).then(|| (access.current_user(), access.current_role()));
        self.r.reads.session.enter_account(acting);
        self.levels.push(Level { code: code.clone(), settings, access, vars });
        Ok(())
    }

    fn mode(&mut self) -> SqlMode {
        self.levels.last().map_or(self.r.reads.settings, |l| &l.settings).mode
    }

    fn may_set(&mut self, column: &str) -> Result<(), SqlError> {
        let level = self.levels.last_mut().expect("a statement belongs to a program");
        let Some(trigger) = &level.code.meta.trigger else { return Ok(()) };
        let (schema, table) = (level.code.schema(), &trigger.table);
        level.access.require_column(Privileges::UPDATE, schema, table, column)
    }

    fn leave(&mut self) {
        let Some(left) = self.levels.pop() else { return };
        self.r.reads.session.leave_account();
        if let (Some(vars), Some(level)) = (left.vars, self.levels.last_mut()) {
            level.follow(vars);
        }
    }

    fn cx(&mut self) -> StatementCtx<'_> {
        self.statement_cx()
    }

    fn run<'h>(
        &'h mut self,
        code: &'h Arc<Code>,
        at: usize,
        what: What<'h>,
        vars: &'h [Value<'static>],
    ) -> BoxFuture<'h, Result<Done, Fault>> {
        Box::pin(async move {
            if let What::Statement(stmt) = what
                && !crate::query::plan::is_query(stmt)
            {
                self.other(code, stmt, vars).await?;
                return Ok(Done::default());
            }
            let done = self.planned(code, at, what, vars).await?;
            Ok(Done { into: done.into, rows: done.rows })
        })
    }

    /// Rows of a statement within a statement go nowhere.
    fn handled(&mut self) {}

    fn procedure(&mut self, schema: &str, name: &str) -> Result<Arc<Code>, SqlError> {
        let level = self.levels.last_mut().expect("a statement belongs to a program");
        let need = Need::Routine {
            privilege: Privileges::EXECUTE,
            procedure: true,
            schema: schema.to_owned(),
            routine: name.to_owned(),
        };
        rights::check(&[need], &mut level.access)?;
        let found = load(self.r.reads, ObjectKind::Procedure, schema, name)?;
        found.ok_or_else(|| does_not_exist("PROCEDURE", schema, name))
    }

    fn tell(&mut self, _: &Warnings) {}

    fn pause(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            if let Some(e) = self.r.ev.cx.session.stopped() {
                return Err(Fault::Fatal(RunError::from(e)));
            }
            weir_rt::yield_now().await;
            Ok(())
        })
    }
}
