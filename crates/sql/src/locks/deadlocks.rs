//! The last deadlock, with what its sessions were at.
//!
//! The statements are taken down when the circle is found, before its victim is rolled back: a moment later they may be others.

use crate::session_api::ProcessInfo;
use std::sync::{Arc, Mutex, PoisonError};
use weir_engine::{Db, Deadlock};

/// A deadlock that was seen.
pub struct Seen {
    pub deadlock: Deadlock,
    pub at_micros: u64,
    /// By member; `None`: the session is no client's.
    pub sessions: Vec<Option<ProcessInfo>>,
}

type Last = Mutex<Option<Arc<Seen>>>;

#[derive(Clone, Default)]
pub struct Deadlocks(Arc<Last>);

impl Deadlocks {
    pub fn last(&self) -> Option<Arc<Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on the engine's deadlocks are seen.
    pub fn watch(&self, db: &Db, list: impl Fn() -> Vec<ProcessInfo> + Send + Sync + 'static) {
        let (last, rt) = (Arc::downgrade(&self.0), db.rt().clone());
        db.on_deadlock(Arc::new(move |d: &Deadlock| {
            let Some(last) = last.upgrade() else { return };
            let mut all = list();
            let of = d.members.iter().map(|m| {
                let at = all.iter().position(|p| p.id == m.session)?;
                Some(all.swap_remove(at))
            });
            let sessions = of.collect();
            let seen = Seen { sessions, deadlock: d.clone(), at_micros: rt.wall_micros() };
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(seen));
        }));
    }
}
