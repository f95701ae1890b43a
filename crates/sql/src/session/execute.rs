//! Running plans within the session's transaction.

use super::{Session, Settings, Virtuals};
use crate::planted::{self, Bug};
use crate::query::{self, Plan, RunCtx, RunError};
use crate::rights;
use crate::session_api::{NoSessions, OkInfo, ResultSink, Sessions, SqlError};
use crate::value::{Charset, Collation, SqlMode, TimeZone, Value};
use crate::vars::{SessionVars, Var, VarValue, sql_mode};
use std::time::Duration;
use weir_engine::{Isolation, TxnOptions};
use weir_syntax::lex;

/// The plan is out of date: make it again.
pub struct Again;

impl Settings {
    pub fn of(v: &SessionVars) -> Settings {
        let bits = v.sql_mode();
        let has = |b: u64| bits & b != 0;
        let collation = Collation::by_name(&v.text(Var::collation_connection))
            .unwrap_or(Collation::Utf8mb4GeneralCi);
        let charset = |var| Collation::by_name(&format!("{}_bin", v.text(var)));
        let foreign = |c: Option<Collation>| c.filter(|c| !c.charset().is_utf8() && !c.is_binary());
        let results = match v.get(Var::character_set_results) {
            VarValue::Null => None,
            _ => foreign(charset(Var::character_set_results)),
        };
        let seconds = |var| Duration::from_secs(v.u64(var));
        Settings {
            mode: SqlMode(bits),
            lex_mode: lex::SqlMode {
                ansi_quotes: has(sql_mode::ANSI_QUOTES),
                no_backslash_escapes: has(sql_mode::NO_BACKSLASH_ESCAPES),
                pipes_as_concat: has(sql_mode::PIPES_AS_CONCAT),
                ignore_space: has(sql_mode::IGNORE_SPACE),
                high_not_precedence: has(sql_mode::HIGH_NOT_PRECEDENCE),
                real_as_float: has(sql_mode::REAL_AS_FLOAT),
            },
            tz: TimeZone::parse(&v.text(Var::time_zone)).unwrap_or(TimeZone::SYSTEM),
            collation,
            utf8mb4: v.default_of(Charset::Utf8mb4),
            results,
            client: foreign(charset(Var::character_set_client)),
            autocommit: v.bool(Var::autocommit),
            tells_pressure: v
                .text(Var::session_track_system_variables)
                .split(',')
                .any(|n| matches!(n.trim(), "*" | "weir_pressure")),
            background: v.u64(Var::weir_priority) == 1,
            isolation: isolation(v.u64(Var::transaction_isolation)),
            read_only: v.bool(Var::transaction_read_only),
            lock_timeout: seconds(Var::innodb_lock_wait_timeout),
            ddl_timeout: seconds(Var::lock_wait_timeout),
            auto_increment: (
                v.u64(Var::auto_increment_increment),
                v.u64(Var::auto_increment_offset),
            ),
            div_increment: v.u64(Var::div_precision_increment) as u8,
            max_execution: v.u64(Var::max_execution_time),
            select_limit: v.u64(Var::sql_select_limit),
            timestamp: match v.get(Var::timestamp) {
                VarValue::Float(t) => t,
                _ => 0.0,
            },
            group_concat_max_len: v.u64(Var::group_concat_max_len) as usize,
            max_packet: v.u64(Var::max_allowed_packet) as usize,
            default_week_format: v.u64(Var::default_week_format) as u8,
            memory_limit: v.u64(Var::connection_memory_limit),
        }
    }

    /// How long a transaction waits for a table that is being altered. Nothing looks for circles of such waits, in which a
    /// row's lock may be a link; the shorter timeout ends them.
    fn mdl_timeout(&self) -> Duration {
        self.lock_timeout.min(self.ddl_timeout)
    }

    /// What expressions need of the session. `wall`: the clock in microseconds since 1970.
    pub(super) fn eval<'a>(&self, info: &'a super::Info, wall: i64) -> crate::value::EvalCtx<'a> {
        let mut cx = crate::value::EvalCtx::new(info);
        cx.mode = self.mode;
        cx.tz = self.tz;
        cx.now_micros = if self.timestamp > 0.0 { (self.timestamp * 1e6) as i64 } else { wall };
        cx.div_increment = self.div_increment;
        cx.collation = self.collation;
        cx.group_concat_max_len = self.group_concat_max_len;
        cx.max_packet = self.max_packet;
        cx.default_week_format = self.default_week_format;
        cx
    }
}

pub fn isolation(n: u64) -> Isolation {
    match n {
        0 => Isolation::ReadUncommitted,
        1 => Isolation::ReadCommitted,
        3 => Isolation::Serializable,
        _ => Isolation::RepeatableRead,
    }
}

impl Session {
    pub(super) fn options(&mut self) -> TxnOptions {
        TxnOptions {
            isolation: self.next_isolation.take().unwrap_or(self.settings.isolation),
            read_only: self.next_read_only.take().unwrap_or(self.settings.read_only),
            lock_timeout: self.settings.lock_timeout,
            mdl_timeout: self.settings.mdl_timeout(),
            interrupt: self.interrupt.clone(),
            session_id: self.conn.id,
            background: self.settings.background,
        }
    }

    /// `Err(Again)`: nothing was done or sent, the plan has to be made anew.
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
        let single = self.settings.autocommit && !self.explicit;
        let turn = match self.settings.background {
            true => Some(Box::pin(txn.background_turn()).await),
            false => None,
        };
        txn.set_background(turn.is_some());
        let save = txn.begin_statement();
        let (result, warnings) = {
            let sessions: &dyn Sessions = match self.inst.sessions.get() {
                Some(s) => &**s,
                None => &NoSessions,
            };
            let mut own = Default::default();
            let mut access = plan.reads_virtual().then(|| self.access.clone());
            let mut virtuals = Virtuals {
                cx: access.as_mut().map(|access| crate::context::AdminCtx {
                    db: &self.inst.db,
                    meta: &self.inst.meta,
                    schema: None,
                    mode: self.settings.mode,
                    tz: self.settings.tz,
                    now_micros: 0,
                    collation: self.settings.collation,
                    warnings: &mut own,
                    last_warnings: &self.warnings,
                    vars: &self.vars,
                    status: &self.inst.status,
                    memory: &self.inst.memory,
                    started_micros: self.inst.started_micros,
                    access,
                    conn: &self.conn,
                    sessions,
                    filter: &*self.inst.filter,
                    lock_timeout: self.settings.ddl_timeout,
                    interrupt: self.interrupt.clone(),
                }),
            };
            let wall = self.inst.db.rt().wall_micros() as i64;
            self.info.forget_given_id();
            let eval = self.settings.eval(&self.info, wall);
            let cx = RunCtx {
                db: &self.inst.db,
                meta: &self.inst.meta,
                vars: &self.vars,
                user_vars: &mut self.user_vars,
                params,
                eval,
                kill: &self.conn.kill,
                found_rows: self.conn.found_rows,
                select_limit: self.settings.select_limit,
                autocommit_single: single,
                results: self.settings.results,
                auto_increment: self.settings.auto_increment,
                virtuals: &mut virtuals,
            };
            let limit = if plan.is_change() { 0 } else { self.settings.max_execution };
            self.info.limit_time(limit);
            if limit == 0 && turn.is_none() {
                query::run(plan, cx, &mut txn, sink).await
            } else {
                let rt = self.inst.db.rt().clone();
                let run = Box::pin(query::run(plan, cx, &mut txn, sink));
                let run = async {
                    match &turn {
                        Some(t) => t.run(run).await,
                        None => run.await,
                    }
                };
                let done = match limit {
                    0 => Some(run.await),
                    millis => rt.timeout(Duration::from_millis(millis), run).await,
                };
                match done {
                    Some(r) => r,
                    None => (
                        Err(RunError::Sql(SqlError::new(3024, super::info::OUT_OF_TIME))),
                        Default::default(),
                    ),
                }
            }
        };
        self.info.limit_time(0);
        if matches!(result, Err(RunError::Stale)) {
            let again = self.failed(RunError::Stale, txn, save, single).await;
            // What SET TRANSACTION said of the next transaction holds for the one that is begun anew.
            if single {
                (self.next_isolation, self.next_read_only) = next;
            }
            return again;
        }
        self.inst.status.inc(plan.stat());
        self.take_warnings(warnings);
        let outcome = match result {
            Ok(o) => o,
            Err(e) => return self.failed(e, txn, save, single).await,
        };
        if single {
            let durability = self.durability();
            if let Err(e) = txn.commit(durability).await {
                return Ok(Err(crate::ddl::engine_error(e)));
            }
        } else {
            self.txn = Some(txn);
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

    /// Undoes the statement, or the transaction where the engine or the mode demand it.
    async fn failed(
        &mut self,
        e: RunError,
        mut txn: weir_engine::Txn,
        save: weir_engine::Savepoint,
        single: bool,
    ) -> Result<Result<(), SqlError>, Again> {
        let stale = matches!(e, RunError::Stale);
        if matches!(e, RunError::Deadlock(_)) {
            let _ = txn.rollback().await;
            self.explicit = false;
            self.savepoints.clear();
            return Ok(Err(e.into_sql()));
        }
        if single {
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
