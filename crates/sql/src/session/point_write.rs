//! UPDATE and DELETE of one row by its clustered key, and INSERT of one row, run by one function: from the parameters to the OK packet.
//!
//! As of reads (`point`), the way is short because of what it leaves out. `may_write_now` asks what a write wants more than a read does; if
//! there is something, or if anything has to be waited for, the statement takes the usual way.
//!
//! Invariants:
//! - `None` means that nothing was written, counted or sent.
//! - A commit whose durability is to be awaited is awaited by the caller, or left owing as after any statement (`owed`), before the
//!   answer is given.

use super::Session;
use super::point::Early;
use super::prepared::{SPARE_VALUES, is_sent_in, param_value, settle};
use crate::ddl::engine_error;
use crate::memory::LARGE;
use crate::query::{self, KeyValue, Plan, PointChange, PointWrite, Wrote};
use crate::session_api::{OkInfo, ParamValue, QueryEnd, ResultSink, SqlError};
use crate::status::Stat;
use crate::value::{SessionInfo as _, Value};
use std::sync::Arc;
use weir_engine::{Owed, Txn};
use weir_syntax::parse::normalize;

/// A write that has happened, and has not been answered.
pub(super) struct Written {
    plan: Arc<Plan>,
    done: Result<Wrote, SqlError>,
    /// What the caller has to settle before the answer.
    pub owed: Option<Owed>,
    /// Bytes of the text that were its statement's.
    consumed: usize,
}

impl Written {
    /// What was owed could not be settled: the outcome is not known to be durable.
    pub fn settled(&mut self, settled: Result<(), SqlError>) {
        if let Err(e) = settled {
            self.done = Err(e);
        }
    }
}

impl Session {
    /// Runs a prepared write by its point plan, if it has one and nothing wants more.
    pub(super) fn write_point_prepared(
        &mut self,
        id: u32,
        params: &[ParamValue],
    ) -> Option<Written> {
        let p = self.prepared.get(&id)?;
        let plan = p.plan.as_ref()?;
        plan.point_write()?;
        if params.len() != p.params || !self.is_plain() || !self.is_clean() {
            return None;
        }
        let (sent, collation) = (self.settings.sent, self.settings.collation);
        let plain = |v: &ParamValue| match v {
            ParamValue::Null | ParamValue::Int(_) | ParamValue::UInt(_) => true,
            ParamValue::Float(_) | ParamValue::Double(_) => true,
            ParamValue::Bytes(b) => is_sent_in(sent, collation) && b.len() < LARGE,
            ParamValue::Blob(b) | ParamValue::Decimal(b) => b.len() < LARGE,
            _ => false,
        };
        if !params.iter().all(plain) {
            return None;
        }
        let (plan, kinds) = (plan.clone(), p.kinds().clone());
        let mut values = std::mem::take(&mut self.spare_values);
        values.extend(params.iter().map(|v| param_value(v, collation)));
        settle(&kinds, &mut values);
        let done = self.run_write(&plan, &values);
        values.clear();
        values.shrink_to(SPARE_VALUES);
        self.spare_values = values;
        let (done, owed) = done?;
        if let Some(p) = self.prepared.get(&id) {
            p.listed.executed();
        }
        Some(Written { plan, done, owed, consumed: 0 })
    }

    /// Runs a text by the point plan that is kept for it. `None`: what is known of the text by then is kept for the usual way.
    pub(super) fn write_point_sent(&mut self, sql: &[u8]) -> Option<Written> {
        let first = sql.first().map_or(0, u8::to_ascii_lowercase);
        let may_write = matches!(first, b'i' | b'u' | b'd');
        let as_sent = self.settings.client.is_none() && sql.len() < LARGE;
        // What the log is to have of it is found out where statements are read.
        let is_named = self.settings.logs_texts || !self.said.next_gtid.is_plain();
        if !may_write || !as_sent || is_named || !self.is_plain() || !self.is_clean() {
            return None;
        }
        normalize(sql, &self.settings.lex_mode, &mut self.normalized)?;
        let Early { params, plan } = self.look_up(sql).ok()?;
        let done = plan.as_ref().and_then(|plan| self.run_write(plan, &params));
        let (Some((done, owed)), Some(plan)) = (done, &plan) else {
            self.early = Some(Early { params, plan });
            return None;
        };
        self.ahead = None;
        self.work.inc(Stat::Weir_plan_cache_hits);
        (self.tally.plan, self.tally.digest) = (Some(plan.clone()), None);
        Some(Written { plan: plan.clone(), done, owed, consumed: sql.len() })
    }

    /// Nothing of the session or the server wants more of a write than its row.
    fn may_write_now(&mut self, plan: &Plan, write: &PointWrite) -> bool {
        let too_big = |limit: u64| plan.examined() > limit as f64;
        plan.catalog_version() == self.inst.db.catalog_version()
            && !self.settings.join_limit.is_some_and(too_big)
            && !self.inst.vars.is_read_only()
            && !self.info.gives_insert_id()
            // A row that is logged is noted where rows are written.
            && !self.logs_commits()
            && self.admits(plan, write.serial)
    }

    /// The transaction of a write: the one that runs, or one that ends with it.
    fn txn_for_write(&mut self) -> Option<(Txn, bool)> {
        let single = self.settings.autocommit && !self.explicit;
        match (&self.txn, single) {
            (None, true) if !self.settings.read_only => {
                let o = self.options();
                Some((self.inst.db.begin(o), true))
            }
            // A transaction begins in the usual way.
            (Some(_), false) => {
                let mut txn = self.txn.take()?;
                txn.set_timeouts(self.settings.lock_timeout, self.settings.mdl_timeout());
                txn.begin_statement();
                Some((txn, false))
            }
            _ => None,
        }
    }

    /// Writes, and commits where the statement is its own transaction. Gives what the caller is to settle, too.
    #[allow(clippy::type_complexity)]
    fn run_write(
        &mut self,
        plan: &Plan,
        values: &[Value<'static>],
    ) -> Option<(Result<Wrote, SqlError>, Option<Owed>)> {
        let write = plan.point_write()?;
        let mut key = std::mem::take(&mut self.points.key);
        let made = query::key_of(write.key(), |n| key_value(values.get(n)?), &mut key);
        let done = match made.is_some() && self.may_write_now(plan, write) {
            true => self.write_row(plan, &key, values),
            false => None,
        };
        self.points.key = key;
        let done = done?;
        self.write_ended(plan, write);
        Some(match done {
            Ok(mut wrote) => {
                let owed = wrote.owed.take().and_then(|owed| self.owe(owed));
                (Ok(wrote), owed)
            }
            Err(e) => (Err(e), None),
        })
    }

    fn write_row(
        &mut self,
        plan: &Plan,
        key: &[u8],
        values: &[Value<'static>],
    ) -> Option<Result<Wrote, SqlError>> {
        let _writing = self.inst.read_only.statement_now(self.conn.id)?;
        let (mut txn, single) = self.txn_for_write()?;
        let gate = &self.inst.read_only;
        let _committing = if single { Some(gate.commit_now(self.conn.id)?) } else { None };
        let ends = single.then(|| self.durability());
        let done = query::write_now(plan, key, values, statement_ctx!(self), &mut txn, ends);
        match (single, &done) {
            (true, None) => txn.dismiss(),
            (true, Some(_)) => {}
            (false, _) => {
                if done.is_some() {
                    txn.between_statements();
                }
                self.txn = Some(txn);
            }
        }
        Some(done?.map_err(engine_error))
    }

    /// What the statement leaves behind in the counters.
    fn write_ended(&mut self, plan: &Plan, write: &PointWrite) {
        self.work.inc(plan.stat());
        for (stat, n) in [
            (Stat::Handler_commit, 1),
            (Stat::Handler_external_lock, 2),
            (Stat::Table_locks_immediate, 1),
            (Stat::Weir_point_plans, 1),
        ] {
            self.work.add(stat, n);
        }
        if !matches!(write.what, PointChange::Insert) {
            self.work.inc(Stat::Handler_read_key);
            self.work.examine();
        }
        self.info.forget_given_id();
    }

    /// Answers for a write. It had no beginning, so its end is not the usual one either.
    pub(super) fn answer_write(
        &mut self,
        written: Written,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let is_update =
            matches!(written.plan.point_write().map(|w| &w.what), Some(PointChange::Update { .. }));
        let answered = written.done.and_then(|wrote| {
            if wrote.generated > 0 {
                self.info.set_generated_id(wrote.generated);
            }
            self.info.set_row_count(1);
            let ok = self.ok_info(OkInfo {
                affected_rows: 1,
                last_insert_id: wrote.generated.max(wrote.explicit),
                info: if is_update { "Rows matched: 1  Changed: 1  Warnings: 0" } else { "" },
                ..OkInfo::default()
            });
            self.tell_insert_id();
            sink.ok(&ok).map_err(SqlError::from)
        });
        self.info.memory.settle();
        self.end_alone(answered)
    }

    /// As [`Session::answer_write`] for a text.
    pub(super) fn answer_sent_write(
        &mut self,
        written: Written,
        sink: &mut dyn ResultSink,
    ) -> QueryEnd {
        let consumed = written.consumed;
        QueryEnd { result: self.answer_write(written, sink), consumed }
    }
}

/// A value that may be a part of a key as it is.
fn key_value<'v>(v: &'v Value<'static>) -> Option<KeyValue<'v>> {
    match v {
        Value::Int(v) => Some(KeyValue::Int(*v)),
        Value::UInt(v) => Some(KeyValue::UInt(*v)),
        Value::Str(text, c) if !c.is_binary() => Some(KeyValue::Text(text, *c)),
        _ => None,
    }
}
