//! CREATE, ALTER and DROP EVENT, and the session in which an event runs. When one runs is the scheduler's affair (`scheduler`).

use super::Session;
use super::programs::check_variables;
use super::scheduler::{Run, is_current};
use crate::account::Privileges;
use crate::context::AdminResult;
use crate::ddl::engine_error;
use crate::errno;
use crate::meta::event::{EventMeta, EventStatus, Schedule, compound_text, interval, utc};
use crate::meta::program::{ProgramMeta, object_name};
use crate::query;
use crate::session_api::{Discard, SqlError};
use crate::value::Value;
use crate::value::temporal::interval::Unit;
use crate::vars::{Var, VarValue};
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_rt::Boxed;
use weir_syntax::ast::{DefineEvent, EventSchedule, Expr};

const SECOND: i64 = 1_000_000;

impl Session {
    pub(super) async fn define_event(&mut self, e: &DefineEvent) -> Result<AdminResult, SqlError> {
        let done = match e.alter {
            true => self.alter_event(e).await,
            false => self.create_event(e).await,
        };
        self.inst.events_changed.notify_one();
        done
    }

    async fn create_event(&mut self, e: &DefineEvent) -> Result<AdminResult, SqlError> {
        let (schema, name) = self.program_place(&e.name)?;
        if self.inst.db.object(ObjectKind::Event, &schema, &object_name(&name)).is_some() {
            let text = format!("Event '{name}' already exists");
            if e.if_not_exists {
                self.current.note(errno::ER_EVENT_ALREADY_EXISTS, || text);
                return Ok(AdminResult::ok());
            }
            return Err(SqlError::new(errno::ER_EVENT_ALREADY_EXISTS, text));
        }
        let (Some(schedule), Some((body, text))) = (&e.schedule, &e.body) else {
            return Err(SqlError::internal("an event without a schedule or a body"));
        };
        check_variables(body)?;
        let now = self.now();
        let schedule = self.schedule(schedule, now).await?;
        let definer = self.program_definer(e.definer.as_ref())?;
        let mut meta = self.new_program(&schema, &name, definer);
        meta.body = text.to_string();
        meta.comment = e.comment.as_deref().unwrap_or_default().to_owned();
        let mut event = EventMeta {
            schedule,
            status: e.status.unwrap_or(EventStatus::Enabled),
            preserve: e.preserve.unwrap_or(false),
            time_zone: self.vars.text(Var::time_zone).to_string(),
        };
        if is_over(&event, now) {
            if !event.preserve {
                let errno = errno::ER_EVENT_CANNOT_CREATE_IN_THE_PAST;
                self.current.note(errno, || errno::message(errno, &[]));
                return Ok(AdminResult::ok());
            }
            self.disable_past(&mut event);
        }
        meta.event = Some(event);
        self.put_program(ObjectKind::Event, schema, &meta).await?;
        Ok(AdminResult::ok())
    }

    async fn alter_event(&mut self, e: &DefineEvent) -> Result<AdminResult, SqlError> {
        let (schema, name) = self.program_name(&e.name)?;
        let missing = || unknown_event(&name);
        let db = &self.inst.db;
        let known = db.object(ObjectKind::Event, &schema, &object_name(&name));
        let known = known.ok_or_else(missing)?;
        let mut meta = ProgramMeta::of(&known)?;
        let mut event = meta.event.take().ok_or_else(missing)?;
        let place = match &e.rename {
            Some(to) => self.program_place(to)?,
            None => (schema.clone(), meta.name.clone()),
        };
        let moves = (&place.0, object_name(&place.1)) != (&schema, known.name.clone());
        if e.rename.is_some() && !moves {
            return Err(SqlError::of(errno::ER_EVENT_SAME_NAME, &[]));
        }
        let new_name = object_name(&place.1);
        if moves && self.inst.db.object(ObjectKind::Event, &place.0, &new_name).is_some() {
            return Err(SqlError::of(errno::ER_EVENT_ALREADY_EXISTS, &[&place.1]));
        }
        let now = self.now();
        if let Some(schedule) = &e.schedule {
            event.schedule = self.schedule(schedule, now).await?;
            event.time_zone = self.vars.text(Var::time_zone).to_string();
        }
        event.preserve = e.preserve.unwrap_or(event.preserve);
        event.status = e.status.unwrap_or(event.status);
        if e.schedule.is_some() && is_over(&event, now) {
            if !event.preserve {
                return Err(SqlError::of(errno::ER_EVENT_CANNOT_ALTER_IN_THE_PAST, &[]));
            }
            self.disable_past(&mut event);
        }
        if let Some(comment) = &e.comment {
            meta.comment = comment.to_string();
        }
        // Who alters it is its definer from now on, and his surroundings are the event's, as in MySQL.
        let definer = self.program_definer(e.definer.as_ref())?;
        let own = self.new_program(&place.0, &place.1, definer);
        let text =
            e.body.as_ref().map(|(body, text)| check_variables(body).map(|()| text.to_string()));
        let meta = ProgramMeta {
            created: meta.created,
            // A body that stays is read as it was written.
            mode: if e.body.is_some() { own.mode } else { meta.mode },
            body: text.transpose()?.unwrap_or(meta.body),
            comment: meta.comment,
            event: Some(event),
            ..own
        };
        let kind = ObjectKind::Event;
        let new = Object { kind, schema: place.0, name: new_name, text: meta.encode() };
        match self.inst.db.swap_object(&known, Some(new)).await.map_err(engine_error)? {
            true => Ok(AdminResult::ok()),
            // Somebody else has changed it meanwhile: the statement begins again.
            false => Err(SqlError::new(errno::ER_TABLE_DEF_CHANGED, "The event has changed")),
        }
    }

    fn disable_past(&mut self, event: &mut EventMeta) {
        event.status = EventStatus::Disabled;
        let text = "Event execution time is in the past. Event has been disabled";
        self.current.note(errno::ER_EVENT_EXEC_TIME_IN_THE_PAST, || text.to_owned());
    }

    /// The statement's time, in whole seconds.
    fn now(&mut self) -> i64 {
        let cx = statement_ctx!(self);
        let now = cx.reads.eval(cx.now_micros).now_micros;
        now - now.rem_euclid(SECOND)
    }

    async fn schedule(&mut self, s: &EventSchedule, now: i64) -> Result<Schedule, SqlError> {
        let (amount, u, starts, ends) = match s {
            EventSchedule::At(e) => return Ok(Schedule::At(self.point("AT", e).await?)),
            EventSchedule::Every { amount, unit, starts, ends } => (amount, *unit, starts, ends),
        };
        let unit = query::unit(u);
        if unit.has_micros() {
            return Err(SqlError::not_supported("MICROSECOND"));
        }
        let v = self.value_of(amount).await?;
        let amount = amount_text(&v, unit).filter(|a| interval(a, unit).is_some());
        let told = |a: String| match interval(&a, unit).filter(|_| unit.is_compound()) {
            Some(i) => compound_text(i, unit),
            None => a,
        };
        let amount = amount
            .map(told)
            .ok_or_else(|| SqlError::of(errno::ER_EVENT_INTERVAL_NOT_POSITIVE_OR_TOO_BIG, &[]))?;
        let starts = match starts {
            Some(e) => self.point("STARTS", e).await?,
            None => now,
        };
        let ends = match ends {
            Some(e) => Some(self.point("ENDS", e).await?),
            None => None,
        };
        if ends.is_some_and(|ends| ends < starts) {
            return Err(SqlError::of(errno::ER_EVENT_ENDS_BEFORE_STARTS, &[]));
        }
        Ok(Schedule::Every { amount, unit, starts, ends })
    }

    /// The value of an expression as a point in time. 1525 for one that is not one.
    async fn point(&mut self, word: &str, e: &Expr) -> Result<i64, SqlError> {
        let v = self.value_of(e).await?;
        let cx = statement_ctx!(self);
        let mut cx = cx.reads.eval(cx.now_micros);
        let at = v.to_datetime(&mut cx).filter(|t| t.date.is_real());
        let at = at.map(|t| utc(t.truncate(0), cx.tz)).filter(|t| *t > 0);
        at.ok_or_else(|| {
            let shown = v.to_string_lossy().unwrap_or_else(|| "NULL".into());
            SqlError::of(errno::ER_WRONG_VALUE, &[&word, &shown])
        })
    }

    /// Runs an event's body once, in a session of the event's own. What it selects goes nowhere. An event that was dropped or changed since
    /// it was handed out does not run, unless it has ended by itself with this run.
    pub fn run_event<'a>(&'a mut self, run: &'a Run) -> Boxed<'a, Result<(), SqlError>> {
        Box::pin(async move {
            let o = &run.object;
            if !run.last && !is_current(&self.inst, o) {
                return Ok(());
            }
            self.start_statement();
            let done = self.run_event_body(o).await;
            self.end_statement(done)
        })
    }

    async fn run_event_body(&mut self, o: &Arc<Object>) -> Result<(), SqlError> {
        let meta = ProgramMeta::of(o)?;
        let event = meta.event.as_ref().ok_or_else(|| unknown_event(&o.name))?;
        // The right may have gone since the event was made.
        self.access.require_database(Privileges::EVENT, &o.schema)?;
        self.vars.put(Var::time_zone, VarValue::Str(event.time_zone.as_str().into()));
        self.vars.put(Var::sql_mode, VarValue::Set(meta.mode));
        self.vars.put(Var::character_set_client, VarValue::Str(meta.client.as_str().into()));
        let connection = VarValue::Str(meta.connection.as_str().into());
        self.vars.put(Var::collation_connection, connection);
        self.settle_vars();
        let code = query::program::of_object(reads!(self), o)?;
        self.run_program(code, Vec::new(), Vec::new(), &mut Discard).await?;
        Ok(())
    }
}

/// 1539.
pub(super) fn unknown_event(name: &str) -> SqlError {
    SqlError::of(errno::ER_EVENT_DOES_NOT_EXIST, &[&name])
}

/// No time of the schedule is to come.
fn is_over(e: &EventMeta, now: i64) -> bool {
    match &e.schedule {
        Schedule::At(at) => *at < now,
        Schedule::Every { ends, .. } => ends.is_some_and(|ends| ends < now),
    }
}

/// The amount as it is stored: a whole number, or the text of a compound unit with colons.
fn amount_text(v: &Value<'_>, unit: Unit) -> Option<String> {
    if v.is_null() {
        return None;
    }
    if unit.is_compound() {
        let text = v.to_string_lossy()?;
        let fields = text.split(|c: char| !c.is_ascii_digit()).filter(|f| !f.is_empty());
        let negative = text.trim_start().starts_with('-');
        let text = fields.collect::<Vec<_>>().join(":");
        return (!negative && !text.is_empty()).then_some(text);
    }
    v.to_i64(&mut crate::value::Warnings::with_limit(0)).map(|n| n.to_string())
}
