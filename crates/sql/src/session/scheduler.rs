//! Which events are to be run, and when: the one list of them in a server.
//!
//! The server asks at intervals, tells the time, and runs what it is given in sessions of its own ([`super::Session::run_event`]); nothing
//! in here reads a clock or runs a statement.
//!
//! Invariants:
//! - An event that runs once is dropped, or disabled where it is preserved, before it is handed out: after a crash it does not run
//!   again. Its definition is compared and changed under the catalog's lock: anyone who has changed or dropped it meanwhile has said what
//!   becomes of it, and it does not run.
//! - While a backup holds definitions (LOCK INSTANCE FOR BACKUP) an event whose times are over waits.
//! - Times of a recurring event that pass while nobody asks (the server is down, `event_scheduler` is OFF) are not made up for, as in
//!   MySQL; it waits for the next time of its schedule, whether or not its last run has ended. An event that runs once runs late.

use super::Instance;
use crate::ddl::engine_error;
use crate::meta::event::{EventStatus, Schedule};
use crate::meta::program::ProgramMeta;
use crate::planted::{self, Bug};
use crate::session_api::SqlError;
use std::collections::HashMap;
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_rt::Boxed;

/// An event that waits for its time.
struct Waiting {
    object: Arc<Object>,
    at: i64,
}

/// A run of an event.
pub struct Run {
    pub object: Arc<Object>,
    /// The event has ended with it: its definition is gone, or another one.
    pub last: bool,
}

/// What became of an event whose times are over.
#[derive(PartialEq, Eq)]
enum Completed {
    Yes,
    /// Somebody has changed it meanwhile, and so has said what becomes of it.
    Changed,
    /// A backup keeps definitions as they are.
    Later,
}

/// What is to be done now.
#[derive(Default)]
pub struct Due {
    pub run: Vec<Run>,
    /// When the next event is due, microseconds since 1970 UTC.
    pub next: Option<i64>,
    /// Events that could not be taken care of, as the log is to tell it.
    pub failed: Vec<(String, SqlError)>,
}

/// The events of a server.
pub struct Scheduler {
    inst: Arc<Instance>,
    /// The catalog that `waiting` was made from; 0: none yet.
    version: u64,
    waiting: HashMap<(String, String), Waiting>,
    /// The last time of each event that was handed out: a change of its definition brings none of them back.
    last: HashMap<(String, String), i64>,
}

impl Scheduler {
    pub fn new(inst: Arc<Instance>) -> Scheduler {
        Scheduler { inst, version: 0, waiting: HashMap::new(), last: HashMap::new() }
    }

    /// Forgets the times: those that pass until the next question are not made up for.
    pub fn rest(&mut self) {
        self.version = 0;
        self.waiting.clear();
    }

    /// The events whose time has come by `now`.
    pub fn due(&mut self, now: i64) -> Boxed<'_, Due> {
        Box::pin(async move {
            let mut due = Due::default();
            self.read(now, &mut due).await;
            let come = self.waiting.iter().filter(|(_, w)| w.at <= now);
            let mut come: Vec<_> = come.map(|(place, w)| (w.at, place.clone())).collect();
            come.sort();
            for (_, place) in come {
                let Some(w) = self.waiting.remove(&place) else { continue };
                match self.hand_out(&w, now).await {
                    Ok((Completed::Later, _)) => _ = self.waiting.insert(place, w),
                    Ok((Completed::Changed, _)) => {}
                    Ok((Completed::Yes, next)) => {
                        self.last.insert(place.clone(), w.at);
                        due.run.push(Run { object: w.object.clone(), last: next.is_none() });
                        if let Some(at) = next {
                            self.waiting.insert(place, Waiting { object: w.object, at });
                        }
                    }
                    Err(e) => due.failed.push((format!("{}.{}", place.0, place.1), e)),
                }
            }
            // Those that a backup holds up are looked at again soon, not without a pause.
            let again = now + AGAIN;
            let held_up = (self.version == 0).then_some(again);
            let times = self.waiting.values().map(|w| if w.at > now { w.at } else { again });
            due.next = times.chain(held_up).min();
            due
        })
    }

    /// Takes over what was defined meanwhile. An event that has not changed keeps its time.
    async fn read(&mut self, now: i64, due: &mut Due) {
        let version = self.inst.db.catalog_version() + 1;
        if self.version == version {
            return;
        }
        self.version = version;
        let mut known = std::mem::take(&mut self.waiting);
        let inst = &self.inst;
        self.last
            .retain(|(schema, name), _| inst.db.object(ObjectKind::Event, schema, name).is_some());
        for schema in self.inst.db.schemas() {
            for object in self.inst.db.objects(ObjectKind::Event, &schema.name) {
                let place = (object.schema.clone(), object.name.clone());
                if let Some(w) = known.remove(&place)
                    && Arc::ptr_eq(&w.object, &object)
                {
                    self.waiting.insert(place, w);
                    continue;
                }
                let ran = self.last.get(&place).copied();
                match self.first_time(&object, ran, now).await {
                    Ok(Some(at)) => {
                        self.waiting.insert(place, Waiting { object, at });
                    }
                    Ok(None) => {}
                    Err(e) => due.failed.push((format!("{}.{}", place.0, place.1), e)),
                }
            }
        }
    }

    /// When an event runs for the first time; one whose times are over ends here.
    async fn first_time(
        &mut self,
        o: &Arc<Object>,
        ran: Option<i64>,
        now: i64,
    ) -> Result<Option<i64>, SqlError> {
        let meta = ProgramMeta::of(o)?;
        let Some(event) = meta.event.as_ref().filter(|e| e.status == EventStatus::Enabled) else {
            return Ok(None);
        };
        let next = match &event.schedule {
            // Late, if need be: it is to run once.
            Schedule::At(at) => Some(*at),
            Schedule::Every { .. } => {
                event.next(seen_until(meta.modified, now).max(ran.unwrap_or(0)))
            }
        };
        if next.is_none() && self.complete(o, meta).await? == Completed::Later {
            // It is looked at again.
            self.version = 0;
        }
        Ok(next)
    }

    /// The time after this run; without one the event ends now, before it runs for the last time.
    async fn hand_out(&self, w: &Waiting, now: i64) -> Result<(Completed, Option<i64>), SqlError> {
        let meta = ProgramMeta::of(&w.object)?;
        let next = meta.event.as_ref().and_then(|e| e.next(now));
        let done = match next {
            None => self.complete(&w.object, meta).await?,
            Some(_) if is_current(&self.inst, &w.object) => Completed::Yes,
            Some(_) => Completed::Changed,
        };
        Ok((done, next))
    }

    async fn complete(
        &self,
        o: &Arc<Object>,
        mut meta: ProgramMeta,
    ) -> Result<Completed, SqlError> {
        // The scheduler is no session, so no backup is its own.
        let Some(_defining) = self.inst.definitions.try_define(0) else {
            return Ok(Completed::Later);
        };
        let Some(event) = &mut meta.event else { return Ok(Completed::Changed) };
        if planted::is(Bug::EventKept) {
            return Ok(Completed::Yes);
        }
        event.status = EventStatus::Disabled;
        let preserve = event.preserve;
        let new = preserve.then(|| Object { text: meta.encode(), ..Object::clone(o) });
        match self.inst.db.swap_object(o, new).await.map_err(engine_error)? {
            true => Ok(Completed::Yes),
            false => Ok(Completed::Changed),
        }
    }
}

/// The definition is still that of the event's name.
pub(super) fn is_current(inst: &Instance, o: &Arc<Object>) -> bool {
    inst.db.object(o.kind, &o.schema, &o.name).is_some_and(|c| Arc::ptr_eq(&c, o))
}

const SECOND: i64 = 1_000_000;

/// The pause, in microseconds, between two looks at an event that a backup holds up.
const AGAIN: i64 = 100_000;

/// Times up to this one are no concern of an event that is met at `now`. One that was defined just now begins with the second it was
/// defined in, however long nobody has looked.
fn seen_until(modified: i64, now: i64) -> i64 {
    let begun = modified - modified.rem_euclid(SECOND) - SECOND - 1;
    if now - modified < 5 * SECOND { begun.min(now - SECOND) } else { now - SECOND }
}
