//! Functions that wait, or work for long by intention: SLEEP, GET_LOCK, WAIT_FOR_EXECUTED_GTID_SET, BENCHMARK, LOAD_FILE. They are run before the expression that they
//! stand in, as subqueries are.

use super::Runner;
use crate::account::Privileges;
use crate::errno;
use crate::func::special::WaitFor;
use crate::locks::Got;
use crate::query::eval::eval;
use crate::query::eval::frame::Frame;
use crate::query::expr::BExpr;
use crate::query::plan::outcome::Run;
use crate::session_api::SqlError;
use crate::value::Value;
use crate::vars::Var;
use std::time::Duration;
use weir_binlog::GtidSet;

/// The longest wait for a lock without a limit, which the timer can still carry: a year.
const FOR_EVER: f64 = 31_536_000.0;
/// How often a session that waits for transactions looks for them.
const LOOK: Duration = Duration::from_millis(10);

impl Runner<'_, '_> {
    /// SLEEP(seconds): 0 when it slept to the end, 1 when it was killed or the statement's time was over. As part of a query that reads
    /// rows it ends with the error instead: as a value, it would decide about them.
    pub async fn sleep(&mut self, e: &BExpr, f: &Frame<'_>) -> Run<Value<'static>> {
        let v = eval(e, f, &mut self.ev)?;
        let seconds = match v.to_f64(&mut self.ev.cx.warnings) {
            Some(s) if s >= 0.0 && !v.is_null() => s,
            _ => {
                return Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"sleep."]).into());
            }
        };
        let _stage = self.reads.shared.stages.enter(self.reads.conn.id, "User sleep");
        let sleep = self.reads.db().rt().sleep(Duration::from_secs_f64(seconds.min(FOR_EVER)));
        let ended = weir_rt::or_killed(self.reads.interrupt, sleep).await;
        if ended.is_err() && (f.outer.is_some() || !f.slots.is_empty()) {
            return Err(SqlError::interrupted().into());
        }
        Ok(Value::bool(ended.is_err()))
    }

    /// BENCHMARK(count, expr): 0 when it is done, NULL for a count that is not one.
    pub fn benchmark(&mut self, n: &BExpr, e: &BExpr, f: &Frame<'_>) -> Run<Value<'static>> {
        let n = match eval(n, f, &mut self.ev)?.to_i64(&mut self.ev.cx.warnings) {
            Some(n) if n >= 0 => n,
            None => return Ok(Value::Null),
            Some(n) => {
                let text = || format!("Incorrect count value: '{n}' for function benchmark");
                self.ev.cx.warnings.warn(errno::ER_WRONG_VALUE_FOR_TYPE, text);
                return Ok(Value::Null);
            }
        };
        for _ in 0..n {
            self.ev.cx.work(64)?;
            eval(e, f, &mut self.ev)?;
        }
        Ok(Value::Int(0))
    }

    /// GET_LOCK(name, seconds): 1 with the lock, 0 without. A negative time has no end.
    pub async fn get_lock(
        &mut self,
        name: &BExpr,
        limit: &BExpr,
        f: &Frame<'_>,
    ) -> Run<Value<'static>> {
        let name = eval(name, f, &mut self.ev)?.to_string_lossy();
        let seconds = eval(limit, f, &mut self.ev)?;
        let seconds = match seconds.is_null() {
            true => 0.0,
            false => seconds.to_f64(&mut self.ev.cx.warnings).unwrap_or(0.0),
        };
        let seconds = if seconds < 0.0 { FOR_EVER } else { seconds.min(FOR_EVER) };
        let locks = &self.reads.shared.user_locks;
        let account = self.reads.session.memory();
        let place = match locks.get(self.reads.conn.id, account, name.as_deref())? {
            Got::Taken => return Ok(Value::Int(1)),
            Got::Queued(place) => place,
        };
        let _stage = self.reads.shared.stages.enter(self.reads.conn.id, "User lock");
        let turn = weir_rt::or_killed(self.reads.interrupt, place.turn());
        let ended = self.reads.db().rt().timeout(Duration::from_secs_f64(seconds), turn).await;
        if let Some(Err(_)) = ended {
            return Err(SqlError::interrupted().into());
        }
        // It may have come at the last moment.
        Ok(Value::bool(place.keep_if_granted()))
    }

    pub async fn wait_for(
        &mut self,
        what: WaitFor,
        args: &[BExpr],
        f: &Frame<'_>,
    ) -> Run<Value<'static>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(eval(arg, f, &mut self.ev)?.into_owned());
        }
        match what {
            WaitFor::Gtids => self.wait_for_gtids(&values).await,
            WaitFor::SourcePosition | WaitFor::MasterPosition => {
                self.wait_for_position(what, &values).await
            }
        }
    }

    /// How long there is to wait; no seconds, and 0 of them, have no end.
    fn patience(&mut self, seconds: Option<&Value<'_>>, what: WaitFor) -> Run<u64> {
        let seconds = match seconds {
            Some(v) => v.to_f64(&mut self.ev.cx.warnings),
            None => Some(0.0),
        };
        let seconds = match seconds {
            Some(s) if s > 0.0 => s.min(FOR_EVER),
            Some(0.0) => FOR_EVER,
            _ => {
                let name = format!("{}.", what.shape().0.to_ascii_uppercase());
                return Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&name]).into());
            }
        };
        let now = self.reads.db().rt().now();
        Ok(now + Duration::from_secs_f64(seconds).as_nanos() as u64)
    }

    /// Waits a moment; false: the time is over.
    async fn wait_a_moment(&self, until: u64) -> Run<bool> {
        let rt = self.reads.db().rt();
        if rt.now() >= until {
            return Ok(false);
        }
        let left = Duration::from_nanos(until - rt.now());
        let sleep = rt.sleep(left.min(LOOK));
        match weir_rt::or_killed(self.reads.interrupt, sleep).await {
            Ok(()) => Ok(true),
            Err(_) => Err(SqlError::interrupted().into()),
        }
    }

    /// WAIT_FOR_EXECUTED_GTID_SET: 0 when `gtid_executed` has all of the set, 1 when the time is over.
    async fn wait_for_gtids(&mut self, args: &[Value<'_>]) -> Run<Value<'static>> {
        let malformed =
            |text: &str| SqlError::of(errno::ER_MALFORMED_GTID_SET_SPECIFICATION, &[&text]);
        let text = args.first().and_then(Value::to_string_lossy);
        let text = text.ok_or_else(|| malformed("NULL"))?;
        let wanted: GtidSet = text.parse().map_err(|_| malformed(&text))?;
        let until = self.patience(args.get(1), WaitFor::Gtids)?;
        let shared = self.reads.shared;
        let _stage = shared.stages.enter(self.reads.conn.id, "Waiting for GTIDs to be executed");
        loop {
            let executed: GtidSet =
                shared.vars.text(Var::gtid_executed).parse().unwrap_or_default();
            if wanted.is_subset(&executed) {
                return Ok(Value::Int(0));
            }
            if !self.wait_a_moment(until).await? {
                return Ok(Value::Int(1));
            }
        }
    }

    /// SOURCE_POS_WAIT: 0 where the channel's applier has come to the place already, else how often it was looked at until it had; -1 when
    /// the time is over, NULL where no applier runs.
    async fn wait_for_position(
        &mut self,
        what: WaitFor,
        args: &[Value<'_>],
    ) -> Run<Value<'static>> {
        let until = self.patience(args.get(2), what)?;
        let file = args.first().and_then(Value::to_string_lossy);
        let offset = args.get(1).and_then(|v| v.to_f64(&mut self.ev.cx.warnings));
        let channel = args.get(3).and_then(Value::to_string_lossy).unwrap_or_default();
        let (Some(file), Some(offset)) = (file, offset) else { return Ok(Value::Null) };
        let shared = self.reads.shared;
        let Some(replicas) = shared.replicas.get() else { return Ok(Value::Null) };
        let stage = "Waiting for the replica SQL thread to advance position";
        let _stage = shared.stages.enter(self.reads.conn.id, stage);
        let place = |file: &str, offset: u64| {
            let number = file.rsplit('.').next().and_then(|n| n.parse::<u64>().ok());
            (number.unwrap_or(0), offset)
        };
        let mut looks = 0;
        loop {
            let all = replicas.channels();
            let Some(c) = all.iter().find(|c| c.name.eq_ignore_ascii_case(&channel)) else {
                return Ok(Value::Null);
            };
            if place(&c.applied.file, c.applied.offset) >= place(&file, offset as u64) {
                return Ok(Value::Int(looks));
            }
            if !c.applier {
                return Ok(Value::Null);
            }
            looks += 1;
            if !self.wait_a_moment(until).await? {
                return Ok(Value::Int(-1));
            }
        }
    }

    /// LOAD_FILE(path): NULL for anyone who has no FILE right, for a file that may not be read, and, with a warning, for one that is
    /// larger than `max_allowed_packet`.
    pub fn load_file(&mut self, path: &BExpr, f: &Frame<'_>) -> Run<Value<'static>> {
        let Some(path) = eval(path, f, &mut self.ev)?.to_string_lossy() else {
            return Ok(Value::Null);
        };
        if !self.access.clone().global().contains(Privileges::FILE) {
            return Ok(Value::Null);
        }
        let Ok(mut file) = self.reads.shared.files().open(path.as_bytes()) else {
            return Ok(Value::Null);
        };
        let (mut bytes, most) = (Vec::new(), self.ev.cx.max_packet);
        loop {
            self.go_on()?;
            match file.read(&mut bytes) {
                Err(_) => return Ok(Value::Null),
                Ok(_) if bytes.len() > most => break,
                Ok(true) => {}
                Ok(false) => return Ok(Value::Bytes(bytes.into())),
            }
        }
        self.ev.cx.warnings.warn(errno::ER_WARN_ALLOWED_PACKET_OVERFLOWED, || {
            format!("Result of load_file() was larger than max_allowed_packet ({most}) - truncated")
        });
        Ok(Value::Null)
    }
}
