//! UPDATE and DELETE of one row by a unique key, and INSERT of one row, run by one function: from the parameters to the OK packet.
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
use weir_engine::Owed;
use weir_syntax::parse::normalize;

/// A write that has happened, and has not been answered.
pub(super) struct Written {
    is_update: bool,
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
        p.plan.as_ref()?.point_write()?;
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
        let mut values = std::mem::take(&mut self.spare_values);
        values.extend(params.iter().map(|v| param_value(v, collation)));
        settle(p.kinds(), &mut values);
        // Taken out and put back: to count a reference is to lock a line of memory, twice.
        let plan = self.prepared.get_mut(&id)?.plan.take()?;
        let done = self.run_write(&plan, &values);
        values.clear();
        values.shrink_to(SPARE_VALUES);
        self.spare_values = values;
        let is_update = is_update(&plan);
        let p = self.prepared.get_mut(&id)?;
        p.plan = Some(plan);
        let (done, owed) = done?;
        p.listed.executed();
        Some(Written { is_update, done, owed, consumed: 0 })
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
        let (Some((done, owed)), Some(kept)) = (done, &plan) else {
            self.early = Some(Early { params, plan });
            return None;
        };
        self.ahead = None;
        self.work.inc(Stat::Weir_plan_cache_hits);
        let is_update = is_update(kept);
        (self.tally.plan, self.tally.digest) = (plan, None);
        Some(Written { is_update, done, owed, consumed: sql.len() })
    }

    /// Nothing of the session or the server wants more of a write than its row.
    fn may_write_now(&mut self, plan: &Plan, write: &PointWrite) -> bool {
        let too_big = |limit: u64| plan.examined() > limit as f64;
        plan.catalog_version() == self.inst.db.catalog_version()
            && !self.settings.join_limit.is_some_and(too_big)
            && !self.info.gives_insert_id()
            // A row that is logged is noted where rows are written.
            && !self.logs_commits()
            && self.admits(plan, write.serial)
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
        let single = self.settings.autocommit && !self.explicit;
        let (session, durability) = (self.conn.id, self.durability());
        // A commit within it passes no gate of its own: anyone who switches the variables on waits for this one first.
        let _writing = self.inst.read_only.statement_now(session)?;
        if self.inst.vars.is_read_only() {
            return None;
        }
        let mut within = match (&mut self.txn, single) {
            (None, true) if !self.settings.read_only => {
                query::Within::Alone { db: &self.inst.db, session, durability }
            }
            // A transaction begins in the usual way.
            (Some(txn), false) => {
                txn.set_timeouts(self.settings.lock_timeout, self.settings.mdl_timeout());
                txn.begin_statement();
                query::Within::Txn(txn)
            }
            _ => return None,
        };
        let done = query::write_now(plan, key, values, statement_ctx!(self), &mut within)?;
        if let query::Within::Txn(txn) = within {
            txn.between_statements();
        }
        Some(done.map_err(engine_error))
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
        let answered = written.done.and_then(|wrote| {
            if wrote.generated > 0 {
                self.info.set_generated_id(wrote.generated);
            }
            let affected = u64::from(wrote.changed || self.conn.found_rows);
            self.info.set_row_count(affected as i64);
            let ok = self.ok_info(OkInfo {
                affected_rows: affected,
                last_insert_id: wrote.generated.max(wrote.explicit),
                info: match (written.is_update, wrote.changed) {
                    (true, true) => "Rows matched: 1  Changed: 1  Warnings: 0",
                    (true, false) => "Rows matched: 1  Changed: 0  Warnings: 0",
                    (false, _) => "",
                },
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

fn is_update(plan: &Plan) -> bool {
    matches!(plan.point_write().map(|w| &w.what), Some(PointChange::Update { .. }))
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
