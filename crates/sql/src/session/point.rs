//! SELECT of one row by a unique key, run by one function: from the parameters to the packet.
//!
//! The way of such a statement is short because of what it leaves out, so the list of what must not be left out is kept here, in two
//! functions. `is_plain` asks whether anything of the session wants more than the row; if so, the statement takes the usual way.
//! `point_ended` leaves the session as the usual way would: counters, diagnostics, FOUND_ROWS() and ROW_COUNT().
//!
//! Invariants:
//! - `None` means that nothing was done, counted or sent: the caller runs the statement in the usual way.
//! - Nothing here waits. What would have to is the usual way's.
//! - Rights are looked at again whenever those of any account have changed, or the session's roles have.

use super::Session;
use super::prepared::is_sent_in;
use crate::memory::LARGE;
use crate::query::{KeyValue, Plan, PointPlan};
use crate::rights;
use crate::session_api::{OkInfo, ParamValue, QueryEnd, ResultSink, SqlError};
use crate::status::Stat;
use crate::value::Value;
use std::sync::Arc;
use weir_engine::Isolation;
use weir_syntax::parse::normalize;

/// Plans whose rights a session remembers to have.
const ADMITTED: usize = 16;

/// What a session keeps for statements that take this way.
#[derive(Default)]
pub(super) struct Points {
    /// Numbers of plans, each with the state of the session's rights in which they were enough.
    admitted: [(u64, u64); ADMITTED],
    pub(super) key: Vec<u8>,
    /// The last key of a span.
    last: Vec<u8>,
    row: Vec<u8>,
    /// All statements take the usual way.
    off: bool,
}

/// A key, and the last one of a span.
pub(super) type Keys = (Vec<u8>, Vec<u8>);

impl Points {
    fn take_keys(&mut self) -> Keys {
        (std::mem::take(&mut self.key), std::mem::take(&mut self.last))
    }

    fn put_keys(&mut self, keys: Keys) {
        (self.key, self.last) = keys;
    }
}

/// What is known of a text before its statement begins.
pub(super) struct Early {
    pub params: Vec<Value<'static>>,
    /// Its kept plan, of whatever version.
    pub plan: Option<Arc<Plan>>,
}

impl Session {
    /// Whether SELECTs by a unique key may be run without the executor; they may unless somebody says no. Answers do not depend on it: it
    /// is for tests that compare the two ways.
    pub fn use_point_plans(&mut self, on: bool) {
        self.points.off = !on;
    }

    /// Nothing of the session, nor of its account, wants more of a SELECT than its rows.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        let settings = &self.settings;
        let access =
            !(self.access.is_stale() || self.access.is_limited() || self.access.is_expired());
        let around = self.locked.is_none()
            && self.within.is_none()
            && self.xa.is_none()
            && self.said.started.is_none()
            && self.depth == 0
            && self.next_isolation.is_none()
            && self.next_read_only.is_none()
            && self.temporaries.is_empty()
            && !self.temporaries.has_doomed()
            && !self.collecting;
        access
            && around
            && settings.leave_rows_alone()
            && !self.points.off
            && self.conn.kill.pending().is_none()
    }

    /// The statement before has left nothing that the beginning or the end of the next one would take away.
    pub(super) fn is_clean(&self) -> bool {
        self.current.total() == 0
            && self.warnings.total() == 0
            && self.signalled.is_none()
            && self.shown.is_none()
    }

    /// Runs a prepared statement by its point plan, if it has one and nothing wants more.
    pub(super) fn run_point_prepared(
        &mut self,
        id: u32,
        params: &[ParamValue],
        sink: &mut dyn ResultSink,
    ) -> Option<Result<(), SqlError>> {
        let p = self.prepared.get(&id)?;
        let plan = p.plan.as_ref()?;
        let point = plan.point()?;
        if params.len() != p.params || !self.is_plain() || !self.is_clean() {
            return None;
        }
        let (sent, collation) = (self.settings.sent, self.settings.collation);
        let as_text = is_sent_in(sent, collation) && !collation.is_binary();
        let mut keys = self.points.take_keys();
        let made = point.key(
            |n| match params.get(n)? {
                ParamValue::Int(v) => Some(KeyValue::Int(*v)),
                ParamValue::UInt(v) => Some(KeyValue::UInt(*v)),
                ParamValue::Bytes(b) if as_text && collation.well_formed(b) == b.len() => {
                    Some(KeyValue::Text(b, collation))
                }
                _ => None,
            },
            &mut keys.0,
            &mut keys.1,
        );
        // It is put back below: a count of references would lock its line of memory twice.
        let plan = self.prepared.get_mut(&id)?.plan.take()?;
        let done = made.and_then(|()| self.run_point(&plan, &keys, sink));
        self.points.put_keys(keys);
        if let Some(p) = self.prepared.get_mut(&id) {
            p.plan = Some(plan);
            if done.is_some() {
                p.listed.executed();
            }
        }
        Some(self.end_alone(done?))
    }

    /// Runs a text by the point plan that is kept for it. `None`: what is known of the text by then is kept for the usual way.
    pub(super) fn run_point_sent(
        &mut self,
        sql: &[u8],
        sink: &mut dyn ResultSink,
    ) -> Option<QueryEnd> {
        self.early = None;
        // Most of what is no SELECT is told by its first letter.
        let may_select = sql.first().is_some_and(|b| b.eq_ignore_ascii_case(&b's'));
        let as_sent = self.settings.client.is_none() && sql.len() < LARGE;
        if !may_select || !as_sent || !self.is_plain() || !self.is_clean() {
            return None;
        }
        normalize(sql, &self.settings.lex_mode, &mut self.normalized)?;
        let Early { params, plan } = self.look_up(sql).ok()?;
        let done = plan.as_ref().and_then(|plan| self.run_point_text(plan, &params, sink));
        let Some(done) = done else {
            self.early = Some(Early { params, plan });
            return None;
        };
        self.ahead = None;
        self.work.inc(Stat::Weir_plan_cache_hits);
        (self.tally.plan, self.tally.digest) = (plan, None);
        Some(QueryEnd { result: self.end_alone(done), consumed: sql.len() })
    }

    /// Literals and plan of a text that has been normalised.
    pub(super) fn look_up(&mut self, sql: &[u8]) -> Result<Early, SqlError> {
        let params = self.literal_values(sql)?;
        self.make_key();
        Ok(Early { params, plan: self.inst.plans.get(&self.key) })
    }

    /// The end of a statement that had no beginning: it is counted, and leaves no diagnostics behind, as it has found none.
    pub(super) fn end_alone(&mut self, done: Result<(), SqlError>) -> Result<(), SqlError> {
        self.work.inc(Stat::Queries);
        (self.keep_warnings, self.outer_mode) = (false, None);
        (self.tally.failed, self.tally.warnings) = (0, 0);
        match done {
            Ok(()) => Ok(()),
            Err(e) => self.end_statement(Err(e)),
        }
    }

    /// Runs a statement whose literals are `values` by its plan's point plan.
    fn run_point_text(
        &mut self,
        plan: &Plan,
        values: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Option<Result<(), SqlError>> {
        let point = plan.point()?;
        let mut keys = self.points.take_keys();
        let made = point.key(
            |n| match values.get(n)? {
                Value::Int(v) => Some(KeyValue::Int(*v)),
                Value::UInt(v) => Some(KeyValue::UInt(*v)),
                Value::Str(text, c) if !c.is_binary() => Some(KeyValue::Text(text, *c)),
                _ => None,
            },
            &mut keys.0,
            &mut keys.1,
        );
        let done = made.and_then(|()| self.run_point(plan, &keys, sink));
        self.points.put_keys(keys);
        done
    }

    /// Reads the row and answers with it.
    fn run_point(
        &mut self,
        plan: &Plan,
        keys: &Keys,
        sink: &mut dyn ResultSink,
    ) -> Option<Result<(), SqlError>> {
        let point = plan.point()?;
        if plan.catalog_version() != self.inst.db.catalog_version()
            || point.told != self.settings.told
            || self.settings.join_limit.is_some_and(|limit| plan.examined() > limit as f64)
            || !self.admits(plan, point.serial)
        {
            return None;
        }
        if point.span.is_some() {
            return self.run_span(plan, point, keys, sink);
        }
        let mut row = std::mem::take(&mut self.points.row);
        let found = self.read_point(point, &keys.0, &mut row).filter(|_| {
            // A row that no packet has room for is an error. A column may be there several times.
            row.len().saturating_mul(point.columns.len()) <= self.settings.max_packet
        });
        let answered = found.map(|found| {
            self.point_ended(plan, usize::from(found), None);
            let sent = match sink.columns_kept(plan.columns(), &point.header) {
                Ok(()) if found => point.send(&row, self.settings.tz, sink),
                other => other.map_err(SqlError::from),
            };
            sent.and_then(|()| {
                let ok = self.ok_info(OkInfo::default());
                sink.end_rows(&ok).map_err(SqlError::from)
            })
        });
        self.points.row = row;
        answered
    }

    /// The session has the rights that the plan needs.
    pub(super) fn admits(&mut self, plan: &Plan, serial: u64) -> bool {
        let now = (serial, self.access.state());
        let place = serial as usize % ADMITTED;
        if self.points.admitted[place] == now {
            return true;
        }
        // What is missing is told in the usual way.
        let enough = rights::check(plan.needs(), &mut self.access).is_ok();
        if enough {
            self.points.admitted[place] = now;
        }
        enough
    }

    /// Whether there is such a row.
    fn read_point(&mut self, point: &PointPlan, key: &[u8], row: &mut Vec<u8>) -> Option<bool> {
        let table = &point.table.engine;
        match &mut self.txn {
            // A transaction begins in the usual way.
            None if self.explicit || !self.settings.autocommit => None,
            None => {
                let uncommitted = self.settings.isolation == Isolation::ReadUncommitted;
                self.inst.db.read_now(table, point.index, key, uncommitted, row)
            }
            Some(_) if self.settings.autocommit && !self.explicit => None,
            // Reads lock what they read, unless the statement is its own transaction.
            Some(txn) if txn.isolation() == Isolation::Serializable => None,
            Some(txn) => {
                txn.set_timeouts(self.settings.lock_timeout, self.settings.mdl_timeout());
                txn.begin_statement();
                txn.read_now(table, point.index, key, row)
            }
        }
    }

    /// What the statement leaves behind in the session and in the counters. `steps`: of a span, how often it was read on.
    pub(super) fn point_ended(&mut self, plan: &Plan, found: usize, steps: Option<u64>) {
        self.work.inc(plan.stat());
        for (stat, n) in [
            (Stat::Handler_commit, 1),
            (Stat::Handler_external_lock, 2),
            (Stat::Handler_read_key, 1),
            (Stat::Table_locks_immediate, 1),
            (Stat::Weir_point_plans, 1),
        ] {
            self.work.add(stat, n);
        }
        self.work.examine_rows(found as u64);
        if let Some(steps) = steps {
            self.work.inc(Stat::Select_range);
            self.work.add(Stat::Handler_read_next, steps);
        }
        self.info.forget_given_id();
        self.info.set_found_rows(found as u64);
        self.info.set_row_count(-1);
    }
}
