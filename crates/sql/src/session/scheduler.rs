//! Which events are to be run, and when: the one list of them in a server.
//!
//! The server asks at intervals, tells the time, and runs what it is given in sessions of its own ([`super::Session::run_event`]); nothing
//! in here reads a clock or runs a statement.
//!
//! Invariants:
//! - An event that runs once is dropped, or disabled where it is preserved, before it is handed out: after a crash it does not run
//!   again.
//! - Times of a recurring event that pass while nobody asks (the server is down, `event_scheduler` is OFF) are not made up for, as in
//!   MySQL; it waits for the next time of its schedule, whether or not its last run has ended. An event that runs once runs late.

use super::Instance;
use crate::ddl::engine_error;
use crate::meta::event::{EventStatus, Schedule};
use crate::meta::program::ProgramMeta;
use crate::session_api::SqlError;
use std::collections::HashMap;
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};

/// An event that waits for its time.
struct Waiting {
    object: Arc<Object>,
    at: i64,
}

/// What is to be done now.
#[derive(Default)]
pub struct Due {
    pub run: Vec<Arc<Object>>,
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
}

impl Scheduler {
    pub fn new(inst: Arc<Instance>) -> Scheduler {
        Scheduler { inst, version: 0, waiting: HashMap::new() }
    }

    /// Forgets the times: those that pass until the next question are not made up for.
    pub fn rest(&mut self) {
        self.version = 0;
        self.waiting.clear();
    }

    /// The events whose time has come by `now`.
    pub async fn due(&mut self, now: i64) -> Due {
        let mut due = Due::default();
        self.read(now, &mut due).await;
        let come = self.waiting.iter().filter(|(_, w)| w.at <= now);
        let mut come: Vec<_> = come.map(|(place, w)| (w.at, place.clone())).collect();
        come.sort();
        for (_, place) in come {
            let Some(w) = self.waiting.remove(&place) else { continue };
            match self.hand_out(&w, now).await {
                Ok(next) => {
                    due.run.push(w.object.clone());
                    if let Some(at) = next {
                        self.waiting.insert(place, Waiting { object: w.object, at });
                    }
                }
                Err(e) => due.failed.push((format!("{}.{}", place.0, place.1), e)),
            }
        }
        due.next = self.waiting.values().map(|w| w.at).min();
        due
    }

    /// Takes over what was defined meanwhile. An event that has not changed keeps its time.
    async fn read(&mut self, now: i64, due: &mut Due) {
        let version = self.inst.db.catalog_version() + 1;
        if self.version == version {
            return;
        }
        self.version = version;
        let mut known = std::mem::take(&mut self.waiting);
        for schema in self.inst.db.schemas() {
            for object in self.inst.db.objects(ObjectKind::Event, &schema.name) {
                let place = (object.schema.clone(), object.name.clone());
                if let Some(w) = known.remove(&place)
                    && Arc::ptr_eq(&w.object, &object)
                {
                    self.waiting.insert(place, w);
                    continue;
                }
                match self.first_time(&object, now).await {
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
    async fn first_time(&self, o: &Arc<Object>, now: i64) -> Result<Option<i64>, SqlError> {
        let meta = ProgramMeta::of(o)?;
        let Some(event) = meta.event.as_ref().filter(|e| e.status == EventStatus::Enabled) else {
            return Ok(None);
        };
        let next = match &event.schedule {
            // Late, if need be: it is to run once.
            Schedule::At(at) => Some(*at),
            Schedule::Every { .. } => event.next(seen_until(meta.modified, now)),
        };
        if next.is_none() {
            self.complete(o, meta).await?;
        }
        Ok(next)
    }

    /// The time after this run; without one the event ends now, before it runs for the last time.
    async fn hand_out(&self, w: &Waiting, now: i64) -> Result<Option<i64>, SqlError> {
        let meta = ProgramMeta::of(&w.object)?;
        let next = meta.event.as_ref().and_then(|e| e.next(now));
        if next.is_none() {
            self.complete(&w.object, meta).await?;
        }
        Ok(next)
    }

    async fn complete(&self, o: &Arc<Object>, mut meta: ProgramMeta) -> Result<(), SqlError> {
        let db = &self.inst.db;
        // Whoever has changed it meanwhile has said what becomes of it.
        let current = db.object(o.kind, &o.schema, &o.name);
        if !current.is_some_and(|c| Arc::ptr_eq(&c, o)) {
            return Ok(());
        }
        let Some(event) = &mut meta.event else { return Ok(()) };
        let done = if event.preserve {
            event.status = EventStatus::Disabled;
            let changed = Object { text: meta.encode(), ..Object::clone(o) };
            db.put_object(changed, true).await
        } else {
            db.drop_objects(std::slice::from_ref(o)).await
        };
        done.map_err(engine_error)
    }
}

const SECOND: i64 = 1_000_000;

/// Times up to this one are no concern of an event that is met at `now`. One that was defined just now begins with the second it was
/// defined in, however long nobody has looked.
fn seen_until(modified: i64, now: i64) -> i64 {
    let begun = modified - modified.rem_euclid(SECOND) - SECOND - 1;
    if now - modified < 5 * SECOND { begun.min(now - SECOND) } else { now - SECOND }
}
