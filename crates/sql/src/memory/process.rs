//! The limit of the process as a whole (`weir_memory_limit`): what the accounts do not see is in it too, so it is measured, not counted.
//!
//! Who measures is the server's affair. Asked once for each megabyte that sessions take, and more often near the limit.

use super::Over;
use crate::vars::{GlobalVars, Var};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What the process takes in bytes, with the part of the buffer pool that it may still fill; `None`: the system does not say.
pub type Measure = Box<dyn Fn() -> Option<usize> + Send + Sync>;

/// Bytes that sessions take between two measurements, at most.
const EVERY: usize = 1 << 20;

pub(super) struct Process {
    measure: Measure,
    /// The limit where the variable gives none.
    default: usize,
    /// What was measured before there were sessions. What sessions are charged comes on top, whether or not it is resident yet.
    floor: usize,
    /// What was measured last, and what sessions have taken since.
    known: AtomicUsize,
    since: AtomicUsize,
}

impl Process {
    pub(super) fn new(default: usize, measure: Measure) -> Process {
        let floor = measure().unwrap_or(0);
        let (known, since) = (AtomicUsize::new(floor), AtomicUsize::new(0));
        Process { measure, default, floor, known, since }
    }

    pub(super) fn measured(&self) -> Option<usize> {
        (self.measure)()
    }

    /// Refuses so many more bytes where the process would have more than it may. `charged`: what all sessions are charged already; of that
    /// much may be new, and not touched yet by the sessions that have just been allowed it.
    pub(super) fn allow(
        &self,
        bytes: usize,
        charged: usize,
        vars: &GlobalVars,
    ) -> Result<(), Over> {
        let limit = match vars.u64(Var::weir_memory_limit) {
            0 => self.default,
            given => usize::try_from(given).unwrap_or(usize::MAX),
        };
        if self.floor.saturating_add(charged).saturating_add(bytes) > limit {
            return Err(Over::of_process());
        }
        let since = self.since.fetch_add(bytes, Relaxed).saturating_add(bytes);
        let guess = self.known.load(Relaxed).saturating_add(since);
        if since < EVERY && guess <= limit - limit / 16 {
            return Ok(());
        }
        let Some(now) = (self.measure)() else { return Ok(()) };
        self.known.store(now, Relaxed);
        self.since.store(0, Relaxed);
        match now.saturating_add(bytes) > limit {
            true => Err(Over::of_process()),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Held, ServerMemory, SessionMemory};
    use crate::session_api::SqlError;
    use crate::vars::VarValue;
    use std::sync::Arc;

    #[test]
    fn sessions_are_refused_while_the_process_has_too_much() {
        let vars = Arc::new(GlobalVars::default());
        let server = Arc::new(ServerMemory::new(vars.clone()));
        let (taken, asked) = (Arc::new(AtomicUsize::new(100 << 20)), Arc::new(AtomicUsize::new(0)));
        let (t, a) = (taken.clone(), asked.clone());
        let measure = move || {
            a.fetch_add(1, Relaxed);
            Some(t.load(Relaxed))
        };
        server.limit_process(200 << 20, Box::new(measure));
        let session = SessionMemory::new(server.clone());
        let mut held = Held::default();
        for _ in 0..100 {
            held.grow(Some(&session), 128 << 10).unwrap();
        }
        assert!(asked.load(Relaxed) <= 16, "{asked:?}");
        server.admit().unwrap();
        taken.store(200 << 20, Relaxed);
        let refused = (0..20).find_map(|_| held.grow(Some(&session), 128 << 10).err());
        assert_eq!(refused.map(|o| SqlError::from(o).errno), Some(1041), "within a megabyte or so");
        assert_eq!(server.admit().err().map(|o| SqlError::from(o).errno), Some(1041));
        let before = held.bytes();
        assert_eq!(session.used(), before, "a refused charge changes nothing");
        taken.store(150 << 20, Relaxed);
        held.grow(Some(&session), 128 << 10).unwrap();
        // The variable stands before what the start has found, and the accounts may be switched off.
        vars.put(Var::weir_memory_limit, VarValue::UInt(120 << 20));
        vars.put(Var::global_connection_memory_tracking, VarValue::Bool(false));
        let over = held.grow(Some(&session), 4 << 20).unwrap_err();
        assert!(over.is_of_all());
        drop(held);
        drop(session);
        assert_eq!(server.used(), 0);
    }

    /// Sessions are allowed memory at one moment and touch it later.
    #[test]
    fn what_is_charged_and_not_touched_yet_counts() {
        let server = Arc::new(ServerMemory::new(Default::default()));
        server.limit_process(200 << 20, Box::new(|| Some(100 << 20)));
        let mut all = Vec::new();
        let refused = loop {
            let session = SessionMemory::new(server.clone());
            let mut held = Held::default();
            if let Err(over) = held.grow(Some(&session), 30 << 20) {
                break over;
            }
            all.push(held);
        };
        assert_eq!((SqlError::from(refused).errno, all.len()), (1041, 3));
    }
}
