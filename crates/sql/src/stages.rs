//! What sessions do that lasts, for anyone who looks at the process list: they sleep, or wait for a name of GET_LOCK or at a gate.
//!
//! A stage is noted where something may last and nowhere else: a statement that reads or writes rows and waits for nothing takes no lock of this
//! room.
//! What sessions wait for inside the engine, the engine tells by itself ([`weir_engine::Db::waiting`]).

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The sessions that are at something, as MySQL names it.
#[derive(Debug, Default)]
pub struct Stages(Mutex<HashMap<u64, &'static str>>);

/// A session is at something while this lives.
#[must_use]
pub struct Stage<'s> {
    stages: &'s Stages,
    session: u64,
    /// What it was at before, around this.
    around: Option<&'static str>,
}

impl Stages {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, &'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn enter(&self, session: u64, name: &'static str) -> Stage<'_> {
        let around = self.lock().insert(session, name);
        Stage { stages: self, session, around }
    }

    pub fn of(&self, session: u64) -> Option<&'static str> {
        self.lock().get(&session).copied()
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let mut all = self.stages.lock();
        match self.around {
            Some(name) => all.insert(self.session, name),
            None => all.remove(&self.session),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::Stages;

    #[test]
    fn a_stage_ends_with_its_guard_and_gives_way_to_the_one_around_it() {
        let stages = Stages::default();
        let outer = stages.enter(7, "Waiting for backup lock");
        {
            let _inner = stages.enter(7, "User sleep");
            let _other = stages.enter(8, "User lock");
            assert_eq!((stages.of(7), stages.of(8)), (Some("User sleep"), Some("User lock")));
        }
        assert_eq!((stages.of(7), stages.of(8)), (Some("Waiting for backup lock"), None));
        drop(outer);
        assert_eq!(stages.of(7), None);
    }
}
