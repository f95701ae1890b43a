//! The thread of the event scheduler, and the sessions in which events run.
//!
//! What is due is the scheduler's affair (`weir_sql::session::Scheduler`); here are the clock, the threads, and the log that errors go
//! to, since nobody waits for an event's answer. A run is a session of the event's definer; it is listed and can be killed as others
//! are, and the server's end waits for it. Runs of one event may overlap, as in MySQL.

use crate::listener::Server;
use crate::log;
use crate::registry::Command;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use weir_rt::{Actor, act_as};
use weir_sql::errno;
use weir_sql::meta::program::ProgramMeta;
use weir_sql::session::{EventRun, Scheduler, Session};
use weir_sql::session_api::{ConnInfo, SqlError};
use weir_sql::vars::Var;

/// The longest sleep. New definitions wake the scheduler, but nobody tells it that the clock of the system was set.
const LOOK: Duration = Duration::from_secs(10);

impl Server {
    /// Starts the scheduler, unless `event_scheduler` is DISABLED.
    pub fn schedule_events(self: &Arc<Server>) -> std::io::Result<()> {
        if self.inst.vars.text(Var::event_scheduler) == "DISABLED" {
            return Ok(());
        }
        let me = self.clone();
        std::thread::Builder::new().name("weir-events".into()).spawn(move || me.watch_events())?;
        Ok(())
    }

    fn watch_events(self: Arc<Server>) {
        let mut scheduler = Scheduler::new(self.inst.clone());
        while !self.stopping.load(Ordering::SeqCst) {
            let mut wait = LOOK;
            if self.inst.vars.text(Var::event_scheduler) == "ON" {
                // Counted before the look at `stopping`, so that a server that stops waits for it.
                let _counted = Counted::new(&self);
                if self.stopping.load(Ordering::SeqCst) {
                    return;
                }
                let now = self.rt.wall_micros() as i64;
                let due = self.rt.block_on(scheduler.due(now));
                due.failed.iter().for_each(|(name, e)| tell(name, e));
                due.run.into_iter().for_each(|run| self.submit_event(run));
                let left = |at: i64| at.saturating_sub(now).max(0) as u64;
                let next = due.next.map(|at| Duration::from_micros(left(at)));
                wait = next.map_or(LOOK, |n| n.min(LOOK));
            } else {
                scheduler.rest();
            }
            let changed = self.inst.events_changed.notified();
            self.rt.block_on(self.rt.timeout(wait, changed));
        }
    }

    fn submit_event(self: &Arc<Server>, run: EventRun) {
        let name = format!("{}.{}", run.object.schema, run.object.name);
        let counted = Counted::new(self);
        let me = self.clone();
        let job = move || {
            if let Err(e) = me.run_event(&run) {
                tell(&format!("{}.{}", run.object.schema, run.object.name), &e);
            }
            drop(counted);
        };
        if let Err(e) = self.workers().submit(Box::new(job)) {
            log::error(&format!("Event Scheduler: cannot start a thread for event {name}: {e}"));
        }
    }

    fn run_event(self: &Arc<Server>, run: &EventRun) -> Result<(), SqlError> {
        let o = &run.object;
        let meta = ProgramMeta::of(o)?;
        let (user, host) = meta.definer;
        if self.inst.accounts.get(&user, &host).is_none() {
            return Err(SqlError::of(errno::ER_NO_SUCH_USER, &[&user, &host]));
        }
        let id = self.registry.next_id();
        let _acting = act_as(Actor::session(id));
        let entry = self.registry.add_internal(id, &user, &host, &o.schema);
        let _listed = Listed(self, id);
        // A stop that has killed everybody before this one was listed has said so before.
        if self.stopping.load(Ordering::SeqCst) {
            return Ok(());
        }
        _ = entry.begin(Command::Connect, meta.body.as_bytes());
        let mut session = Session::open(
            &self.inst,
            ConnInfo {
                id,
                user: user.clone(),
                host: host.clone(),
                account_user: user,
                account_host: host,
                database: o.schema.clone(),
                collation_id: 45,
                found_rows: false,
                interactive: false,
                ignore_space: false,
                multi_statements: false,
                multi_results: true,
                out_params: true,
                attributes: Vec::new(),
                compression: None,
                tls: None,
                kill: entry.kill.clone(),
            },
        );
        let done = {
            let run = pin!(session.run_event(run));
            self.rt.block_on(run)
        };
        self.rt.block_on(session.close());
        done
    }
}

/// An entry of the process list, gone with the run however that ends.
struct Listed<'s>(&'s Server, u64);

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.0.registry.remove(self.1);
    }
}

fn tell(event: &str, e: &SqlError) {
    log::error(&format!("Event Scheduler: [{event}] {e}"));
}

/// Something of the scheduler's that the server's end waits for.
struct Counted(Arc<Server>);

impl Counted {
    fn new(server: &Arc<Server>) -> Counted {
        server.events.fetch_add(1, Ordering::SeqCst);
        Counted(server.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.events.fetch_sub(1, Ordering::SeqCst);
    }
}
