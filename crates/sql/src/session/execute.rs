//! Running plans within the session's transaction.

use super::Session;
use super::deferred_ack::Told;
use crate::errno;
use crate::infoschema::deadlocks;
use crate::planted::{self, Bug};
use crate::query::{self, Plan, PlanEnv, RunError};
use crate::rights;
use crate::session_api::{OUT_OF_TIME, OkInfo, ResultSink, SqlError};
use crate::status::Stat;
use crate::value::{SessionInfo as _, TimeZone, Value};
use crate::vars::Var;
use std::sync::Arc;
use std::time::Duration;
use weir_engine::TxnOptions;
use weir_syntax::ast::Statement;

/// The plan is out of date: make it again.
pub struct Again;

/// Attempts at a statement whose tables' definitions change while it is on its way.
pub(super) const ATTEMPTS: usize = 8;

/// What a query's plan is made from, and who keeps it.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// A text whose literals became parameters: all sessions share the plan.
    Text,
    /// A syntax tree that is run once.
    Tree,
    /// The prepared statement of this number.
    Prepared(u32),
}

const TOO_BIG: &str = "The SELECT would examine more than MAX_JOIN_SIZE rows; check your WHERE and use SET SQL_BIG_SELECTS=1 or SET MAX_JOIN_SIZE=# if the SELECT is okay";

impl Session {
    pub(super) fn options(&mut self) -> TxnOptions {
        TxnOptions {
            isolation: self.next_isolation.take().unwrap_or(self.settings.isolation),
            read_only: self.next_read_only.take().unwrap_or(self.settings.read_only),
            private_schema: crate::meta::temporary::HIDDEN,
            lock_timeout: self.settings.lock_timeout,
            mdl_timeout: self.settings.mdl_timeout(),
            interrupt: self.interrupt.clone(),
            session_id: self.conn.id,
            background: self.settings.background,
            held: self.locked.as_ref().map(|l| l.held.clone()),
            lock_time: Some(self.tally.lock_time.clone()),
            notes_rows: self.logs_commits(),
        }
    }

    /// Makes the plan of a query and runs it, with the variables that its hints set.
    pub(super) async fn run_query(
        &mut self,
        stmt: &Statement,
        origin: Origin,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let before = self.set_hinted(stmt);
        let done = self.run_query_as_set(stmt, origin, params, sink).await;
        self.unset_hinted(before);
        done
    }

    async fn run_query_as_set(
        &mut self,
        stmt: &Statement,
        origin: Origin,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        self.said.as_text = match origin {
            Origin::Tree if self.settings.logs_texts => self.text_of_change(stmt),
            _ => None,
        };
        let done = self.run_attempts(stmt, origin, params, sink).await;
        // What comes next is another statement, which may run by its plan alone.
        self.said.as_text = None;
        done
    }

    /// Again with the new definitions when they have changed in between.
    async fn run_attempts(
        &mut self,
        stmt: &Statement,
        origin: Origin,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        for attempt in 0..ATTEMPTS {
            let plan = match origin {
                Origin::Text => self.plan_text(stmt, params).await,
                Origin::Tree => self.plan(stmt, params).await.map(Arc::new),
                Origin::Prepared(id) => self.plan_prepared(id, stmt, params).await,
            };
            let plan = plan.inspect_err(|_| self.count(stmt))?;
            if attempt == 0 && !matches!(origin, Origin::Prepared(_)) {
                self.warn_of(&plan);
            }
            if let Ok(done) = self.run_plan(&plan, params, sink).await {
                return done;
            }
        }
        Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[]))
    }

    /// Warns of what the text of a statement says that is to go.
    pub(super) fn warn_of(&mut self, plan: &Plan) {
        for (number, text) in plan.deprecated() {
            self.current.warn(number, || text);
        }
    }

    /// The plan of a text without its literals, which is kept by its key.
    async fn plan_text(
        &mut self,
        stmt: &Statement,
        params: &[Value<'static>],
    ) -> Result<Arc<Plan>, SqlError> {
        self.check_query(stmt)?;
        let literals = &self.normalized.literals[..];
        let env = PlanEnv { literals, ..self.plan_env(params) };
        let plan = self.plan_in(stmt, env).await?;
        let plan = Arc::new(plan);
        if plan.is_cacheable() {
            let limit = self.inst.vars.u64(crate::vars::Var::weir_plan_cache_size) as usize;
            self.inst.plans.put(&self.key, &plan, limit, &self.inst.status);
        }
        Ok(plan)
    }

    /// `Err(Again)`: nothing was done or sent, the plan has to be made again.
    pub(super) async fn run_plan(
        &mut self,
        plan: &Plan,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<Result<(), SqlError>, Again> {
        if let Err(e) = rights::check(plan.needs(), &mut self.access)
            && !planted::is(Bug::RightsOfPlanUnchecked)
        {
            return Ok(Err(e));
        }
        if (self.access.is_limited() || self.access.is_expired())
            && let Err(e) = self.check_login(plan)
        {
            return Ok(Err(e));
        }
        if let Err(e) = self.branch_admits(plan) {
            return Ok(Err(e));
        }
        if let Some(limit) = self.settings.join_limit
            && plan.examined() > limit as f64
        {
            return Ok(Err(SqlError::new(errno::ER_TOO_BIG_SELECT, TOO_BIG)));
        }
        let _writing = match self.admit(plan).await {
            Ok(inside) => inside,
            Err(e) => return Ok(Err(e)),
        };
        if let Some(locked) = &self.locked
            && plan.is_change()
        {
            // Where it cannot be done, the statement works without, and tells of trouble that is its own.
            _ = by_priority!(self, Box::pin(self.inst.db.make_wanted_buffers(&locked.held)));
        }
        let next = (self.next_isolation, self.next_read_only);
        let mut txn = match self.txn.take() {
            Some(mut t) => {
                t.set_timeouts(self.settings.lock_timeout, self.settings.mdl_timeout());
                t
            }
            None => {
                let o = self.options();
                self.inst.db.begin(o)
            }
        };
        let single = self.settings.autocommit && !self.explicit && self.xa.is_none();
        let turn = match self.settings.background {
            true => Some(Box::pin(txn.background_turn()).await),
            false => None,
        };
        txn.set_background(turn.is_some());
        let save = txn.begin_statement();
        self.info.forget_given_id();
        let limit = plan.time_limit(self.settings.max_execution);
        self.info.limit_time(limit);
        let as_text: Option<Box<[u8]>> =
            self.settings.logs_texts.then(|| self.said.as_text.clone()).flatten();
        if as_text.is_some() {
            txn.set_notes_rows(false);
        }
        let cx = statement_ctx!(self);
        let now_micros = cx.now_micros;
        let (result, late) = if limit == 0 && turn.is_none() {
            (query::run(plan, params, cx, single, &mut txn, sink).await, false)
        } else {
            let run = Box::pin(query::run(plan, params, cx, single, &mut txn, sink));
            let run = async {
                match &turn {
                    Some(t) => t.run(run).await,
                    None => run.await,
                }
            };
            let rt = self.inst.db.rt();
            match limit {
                0 => (run.await, false),
                // Never dropped on its way: it may be writing pages for everybody, and what it has begun in the engine must end.
                ms => {
                    let limit = Duration::from_millis(ms);
                    rt.interrupt_after(limit, &self.interrupt, OUT_OF_TIME, run).await
                }
            }
        };
        self.info.limit_time(0);
        if let Some(text) = as_text {
            txn.set_notes_rows(true);
            if result.is_ok() {
                self.note_text(&mut txn, &text, now_micros);
            }
        }
        self.take_set_inside();
        let result = match self.interrupt.is_over() {
            true => result.map_err(|e| self.too_old(e)),
            false if late => result.map_err(|e| self.out_of_time(e)),
            false => result,
        };
        if matches!(result, Err(RunError::Stale)) {
            let again = self.failed(RunError::Stale, txn, save, single).await;
            // What SET TRANSACTION said of the next transaction holds for the one that is begun again.
            if single {
                (self.next_isolation, self.next_read_only) = next;
            }
            return again;
        }
        self.work.inc(plan.stat());
        let outcome = match result {
            Ok(o) => o,
            Err(e) => return self.failed(e, txn, save, single).await,
        };
        if self.settings.tells_transactions > 0 {
            self.tracking.ran(plan);
        }
        if single {
            self.work.inc(Stat::Handler_commit);
            if let Err(e) = self.commit_writes(txn, Told::Last).await {
                return Ok(Err(e));
            }
            if self.temporaries.has_doomed() {
                Box::pin(self.drop_doomed()).await;
            }
        } else {
            // The statement's own end, as MySQL counts it; that of the transaction is another one.
            self.work.inc(Stat::Handler_commit);
            txn.between_statements();
            self.txn = Some(txn);
        }
        if !outcome.into.is_empty() || outcome.rows.is_some() {
            self.given = crate::query::program::Done { into: outcome.into, rows: outcome.rows };
        }
        if outcome.last_insert_id > 0 {
            self.info.set_generated_id(outcome.last_insert_id);
        }
        if outcome.sent_rows {
            self.info.set_found_rows(outcome.found_rows);
            self.info.set_row_count(-1);
            let ok = self.ok_info(OkInfo::default());
            return Ok(sink.end_rows(&ok).map_err(SqlError::from));
        }
        self.info.set_row_count(outcome.affected as i64);
        let ok = self.ok_info(OkInfo {
            affected_rows: outcome.affected,
            last_insert_id: match outcome.last_insert_id {
                0 => self.info.given_id().unwrap_or(outcome.explicit_id),
                generated => generated,
            },
            info: &outcome.info,
            ..OkInfo::default()
        });
        Ok(sink.ok(&ok).map_err(SqlError::from))
    }

    /// The error of a statement whose interrupt was thrown when its time was over.
    fn out_of_time(&self, e: RunError) -> RunError {
        match e {
            RunError::Sql(e)
                if e.errno == errno::ER_QUERY_INTERRUPTED && self.conn.kill.pending().is_none() =>
            {
                RunError::Sql(SqlError::new(errno::ER_QUERY_TIMEOUT, super::info::OUT_OF_TIME))
            }
            e => e,
        }
    }

    /// `innodb_print_all_deadlocks`, by the session whose transaction had to go.
    fn tell_deadlock(&self) {
        if !self.inst.vars.bool(Var::innodb_print_all_deadlocks) {
            return;
        }
        if let Some(report) = deadlocks::report(&self.inst, TimeZone::SYSTEM) {
            self.inst.db.say(&format!("note: deadlock\n{report}"));
        }
    }

    /// Undoes the statement, or the transaction where the engine or the mode demand it.
    async fn failed(
        &mut self,
        e: RunError,
        mut txn: weir_engine::Txn,
        save: weir_engine::Savepoint,
        single: bool,
    ) -> Result<Result<(), SqlError>, Again> {
        let stale = matches!(e, RunError::Stale);
        if let RunError::Deadlock(why) = &e {
            if why.errno != errno::ER_TRANSACTION_ROLLBACK_DURING_COMMIT {
                self.tell_deadlock();
            }
            let _ = txn.rollback().await;
            self.explicit = false;
            self.savepoints.clear();
            self.lose_branch();
            return Ok(Err(e.into_sql()));
        }
        if single {
            self.work.inc(Stat::Handler_rollback);
            if let Err(err) = txn.rollback().await {
                return Ok(Err(crate::ddl::engine_error(err)));
            }
        } else {
            let undone = match planted::is(Bug::FailedStatementKept) {
                true => Ok(()),
                false => txn.rollback_to(save).await,
            };
            // When that failed, the engine refuses it from here on: the client hears of it at COMMIT at the latest.
            self.txn = Some(txn);
            if let Err(err) = undone {
                return Ok(Err(crate::ddl::engine_error(err)));
            }
        }
        if stale { Err(Again) } else { Ok(Err(e.into_sql())) }
    }
}
