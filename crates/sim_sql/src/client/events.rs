//! Events that run: the scheduler's task, as the server has a thread for it, and clients that make events which insert a number once.
//!
//! An event that runs once runs at most once, whatever crashes, not before its time, and not at all once its DROP was answered.

use super::{Client, Connection, Stage};
use crate::model::OneEvent;
use std::time::Duration;
use weir_sql::meta::program::ProgramMeta;
use weir_sql::session::{EventRun, Scheduler};

/// Virtual time between two looks of the scheduler.
const LOOK: Duration = Duration::from_millis(100);
/// The identifiers of the sessions that run events begin here.
const FIRST_ID: u64 = 1 << 40;

/// Runs what is due until the life ends. Runs of several events go on at once.
pub async fn schedule(stage: Stage, over: impl Fn() -> bool) {
    let mut scheduler = Scheduler::new(stage.inst.clone());
    let mut id = FIRST_ID;
    let mut runs = Vec::new();
    while !over() && stage.engine_works() {
        let due = scheduler.due(stage.rt().wall_micros() as i64).await;
        for run in due.run {
            id += 1;
            runs.push(stage.rt().spawn("event", run_one(stage.clone(), id, run)));
        }
        stage.rt().sleep(LOOK).await;
    }
    for r in runs {
        r.await;
    }
}

async fn run_one(stage: Stage, id: u64, run: EventRun) {
    let Ok(meta) = ProgramMeta::of(&run.object) else { return };
    let mut c = stage.connect(id, &meta.definer.0);
    c.run_event(&run).await;
    c.close().await;
}

impl Client {
    /// Makes an event that runs soon, looks which have run, or drops one that waits.
    pub(super) async fn event(&mut self, c: &mut Connection) {
        match self.rng.below(3) {
            0 => self.drop_event(c).await,
            1 => self.look_at_events(c).await,
            _ => self.make_event(c).await,
        }
    }

    async fn make_event(&mut self, c: &mut Connection) {
        let (wait, preserved) = (self.rng.below(3), self.rng.chance(0.3));
        // The server's clock counts in seconds here.
        let now = self.stage.rt().wall_micros() as i64 / 1_000_000 * 1_000_000;
        let n = {
            let mut w = self.stage.world();
            let n = w.step() as i64;
            let at = now + wait as i64 * 1_000_000;
            w.events.insert(n, OneEvent { at, preserved, dropped: false });
            n
        };
        self.stage.note_ddl();
        let preserve = if preserved { " ON COMPLETION PRESERVE" } else { "" };
        let sql = format!(
            "CREATE EVENT once{n} ON SCHEDULE AT CURRENT_TIMESTAMP + INTERVAL {wait} SECOND{preserve} DO INSERT INTO fired VALUES ({n})"
        );
        if c.ask(&sql).await.error.is_some() && self.stage.engine_works() {
            self.stage.world().events.remove(&n);
        }
    }

    /// Somebody's event, which may have run or be gone.
    async fn drop_event(&mut self, c: &mut Connection) {
        let n = {
            let w = self.stage.world();
            let all: Vec<i64> = w.events.keys().rev().take(6).copied().collect();
            match all.len() {
                0 => return,
                len => all[self.rng.below(len as u64) as usize],
            }
        };
        self.stage.note_ddl();
        c.may_fail_with = vec![1539];
        let done = c.ask(&format!("DROP EVENT once{n}")).await.error.is_none();
        if let Some(e) = self.stage.world().events.get_mut(&n) {
            // The definition of one that has run is gone already, unless it is preserved.
            e.dropped |= done && !e.preserved;
        }
    }

    async fn look_at_events(&mut self, c: &mut Connection) {
        let a = c.ask(FIRED).await;
        let now = self.stage.rt().wall_micros() as i64;
        let mut w = self.stage.world();
        if let (None, Err(what)) = (&a.error, w.fired(&a.rows, now)) {
            w.fail("events", what);
        }
    }
}

/// The numbers that events have inserted, each with how often it is there.
pub const FIRED: &str = "SELECT id, COUNT(*) FROM fired GROUP BY id";
