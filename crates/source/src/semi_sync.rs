//! Semi-synchronous replication: commits wait until replicas have said that they have them.
//!
//! A commit is known by the end of its group in the redo log, an acknowledgement by a place in a file. The writer notes which of the first ends at
//! which of the second ([`SemiSync::note`]), a dump reports what its replica says ([`Member::acknowledge`]), a session waits ([`SemiSync::wait`]).
//!
//! Invariants
//! - `acked` covers a commit only when as many replicas as are asked for have said that they have its events, or when it was in the files before
//!   anybody was to wait for it.
//! - A transaction is noted before a dump can see its events, so that none passes a replica without being asked about.
//! - Places are those of one sequence of files. What comes from a dump that began before the files were reset is refused.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_engine::{LogFn, Lsn};
use weir_rt::{Interrupt, Rt, WaitQueue};

/// The number of a file, and a position in it.
pub type Spot = (u32, u64);

/// Transactions whose ends are remembered. Beyond them the older ones are acknowledged together with a younger one.
const NOTED_MAX: usize = 65_536;

/// How a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    Acknowledged,
    /// Nobody waits now: replication is asynchronous.
    Asynchronous,
    /// The session was killed, or the server stops.
    Interrupted,
}

/// What the status variables say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub on: bool,
    pub clients: u64,
    pub acknowledged: u64,
    pub unacknowledged: u64,
    /// How often it was switched off.
    pub switched_off: u64,
    pub waiting: u64,
    pub waits: u64,
    pub wait_micros: u64,
    /// Events of which an acknowledgement was asked.
    pub asked: u64,
    /// Waits for a commit that comes before one that had been waited for.
    pub backward: u64,
}

/// The variables.
pub struct Switches {
    timeout_millis: AtomicU32,
    replicas: AtomicU32,
    waits_alone: AtomicBool,
    before_visible: AtomicBool,
}

/// A server that has followed in this mode.
struct Replica {
    server_id: u32,
    connections: u64,
    at: Spot,
}

#[derive(Default)]
struct State {
    enabled: bool,
    stops: bool,
    figures: Figures,
    /// Commits that are not acknowledged, in the order of the log, and where their events end.
    noted: VecDeque<(Lsn, Spot)>,
    /// The last commit in the files.
    last: (Lsn, Spot),
    acked: Lsn,
    acked_at: Spot,
    waited_for: Lsn,
    replicas: Vec<Replica>,
    /// How often the files were reset.
    epoch: u64,
}

pub struct SemiSync {
    rt: Rt,
    log: LogFn,
    switches: Switches,
    /// The state's `enabled`, for those who only want to know whether there is anything to do.
    enabled: AtomicBool,
    state: Mutex<State>,
    changed: WaitQueue,
}

impl SemiSync {
    pub fn new(rt: Rt, log: LogFn) -> Arc<SemiSync> {
        let switches = Switches {
            timeout_millis: AtomicU32::new(10_000),
            replicas: AtomicU32::new(1),
            waits_alone: AtomicBool::new(true),
            before_visible: AtomicBool::new(true),
        };
        let (enabled, state) = (AtomicBool::new(false), Mutex::default());
        Arc::new(SemiSync { rt, log, switches, enabled, state, changed: WaitQueue::new() })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `rpl_semi_sync_source_enabled`. Switched on, what is in the files already is not waited for.
    pub fn enable(&self, on: bool) {
        let mut s = self.lock();
        if s.enabled == on {
            return;
        }
        s.enabled = on;
        s.figures.on = on;
        s.noted.clear();
        s.acked = s.acked.max(s.last.0);
        s.acked_at = s.acked_at.max(s.last.1);
        self.enabled.store(on, Ordering::Release);
        drop(s);
        self.changed.wake_all();
    }

    /// `rpl_semi_sync_source_timeout`, for waits that begin.
    pub fn set_timeout(&self, millis: u32) {
        self.switches.timeout_millis.store(millis, Ordering::Relaxed);
    }

    /// `rpl_semi_sync_source_wait_for_replica_count`.
    pub fn set_replicas(&self, count: u32) {
        self.switches.replicas.store(count.max(1), Ordering::Relaxed);
        self.take_acknowledged(&mut self.lock());
        self.changed.wake_all();
    }

    /// `rpl_semi_sync_source_wait_no_replica`: commits wait also while there are fewer replicas than are asked for.
    pub fn set_waits_alone(&self, on: bool) {
        self.switches.waits_alone.store(on, Ordering::Relaxed);
    }

    /// `rpl_semi_sync_source_wait_point = AFTER_SYNC`: what was committed is visible when it is acknowledged, not before.
    pub fn set_before_visible(&self, on: bool) {
        self.switches.before_visible.store(on, Ordering::Relaxed);
    }

    pub fn is_enabled(&self) -> bool {
        self.enabled.load(Ordering::Acquire)
    }

    pub fn is_before_visible(&self) -> bool {
        self.switches.before_visible.load(Ordering::Relaxed)
    }

    pub fn figures(&self) -> Figures {
        let s = self.lock();
        Figures { clients: s.clients(), ..s.figures }
    }

    /// The server stops: nobody waits any longer.
    pub fn stop(&self) {
        self.lock().stops = true;
        self.changed.wake_all();
    }

    /// The events of the commit whose group ends at `end` are in the files, up to this place.
    pub(crate) fn note(&self, end: Lsn, at: Spot) {
        let mut s = self.lock();
        s.last = (end, at);
        if !s.enabled {
            return;
        }
        // While nobody waits, all that matters is whether a replica has caught up.
        if !s.figures.on {
            s.noted.clear();
        } else if s.noted.len() >= NOTED_MAX {
            s.noted.pop_front();
        }
        s.noted.push_back((end, at));
    }

    /// RESET BINARY LOGS AND GTIDS: places mean other events from here on.
    pub(crate) fn forget_places(&self) {
        let mut s = self.lock();
        s.epoch += 1;
        s.noted.clear();
        s.replicas.clear();
        (s.last.1, s.acked_at) = ((0, 0), (0, 0));
        s.acked = s.acked.max(s.last.0);
        drop(s);
        self.changed.wake_all();
    }

    /// A replica that follows in this mode. `at`: it has all that comes before.
    pub fn join(self: &Arc<SemiSync>, server_id: u32, at: Spot) -> Member {
        let mut s = self.lock();
        match s.replicas.iter_mut().find(|r| r.server_id == server_id) {
            Some(r) => (r.connections, r.at) = (r.connections + 1, r.at.max(at)),
            None => s.replicas.push(Replica { server_id, connections: 1, at }),
        }
        self.take_acknowledged(&mut s);
        let epoch = s.epoch;
        drop(s);
        self.changed.wake_all();
        Member { of: self.clone(), server_id, epoch }
    }

    /// Waits until the commit whose group ends at `lsn` is acknowledged. It is a wait of so many transactions.
    pub async fn wait(&self, lsn: Lsn, transactions: u64, interrupt: &Interrupt) -> Waited {
        let millis = self.switches.timeout_millis.load(Ordering::Relaxed);
        let begun = self.rt.now();
        let until = begun + Duration::from_millis(millis.into()).as_nanos() as u64;
        let mut has_waited = false;
        let ended = loop {
            // Registered before the look: anyone who changes the state after it wakes this waiter.
            let wait = self.changed.wait();
            if let Some(ended) = self.look(lsn, transactions, &mut has_waited) {
                break ended;
            }
            let left = Duration::from_nanos(until.saturating_sub(self.rt.now()));
            let woken = self.rt.timeout(left, weir_rt::or_killed(interrupt, wait)).await;
            match woken {
                Some(Ok(())) => {}
                Some(Err(_)) => {
                    self.lock().figures.unacknowledged += transactions;
                    break Waited::Interrupted;
                }
                // It may have been acknowledged at the last moment, or switched off by another one.
                None => self.time_is_over(lsn, millis),
            }
        };
        if has_waited {
            let mut s = self.lock();
            s.figures.waiting -= 1;
            s.figures.waits += 1;
            s.figures.wait_micros += (self.rt.now() - begun) / 1_000;
        }
        ended
    }

    /// How a wait ends now, if it does.
    fn look(&self, lsn: Lsn, transactions: u64, has_waited: &mut bool) -> Option<Waited> {
        let mut s = self.lock();
        if !s.enabled {
            return Some(Waited::Asynchronous);
        }
        if s.figures.on && s.acked >= lsn {
            s.figures.acknowledged += transactions;
            return Some(Waited::Acknowledged);
        }
        if s.stops {
            s.figures.unacknowledged += transactions;
            return Some(Waited::Interrupted);
        }
        if s.figures.on && self.lacks_replicas(&s) {
            self.switch_off(&mut s, "there are not enough replicas");
        }
        if !s.figures.on {
            s.figures.unacknowledged += transactions;
            return Some(Waited::Asynchronous);
        }
        if !std::mem::replace(has_waited, true) {
            s.figures.waiting += 1;
            s.figures.backward += u64::from(lsn < s.waited_for);
            s.waited_for = s.waited_for.max(lsn);
        }
        None
    }

    /// There are fewer replicas than are asked for, and nobody waits for them to come.
    fn lacks_replicas(&self, s: &State) -> bool {
        let wanted = u64::from(self.switches.replicas.load(Ordering::Relaxed));
        !self.switches.waits_alone.load(Ordering::Relaxed) && s.servers() < wanted
    }

    fn time_is_over(&self, lsn: Lsn, millis: u32) {
        let mut s = self.lock();
        if s.enabled && s.figures.on && s.acked < lsn {
            let why = format!("no acknowledgement has come for {millis} ms");
            self.switch_off(&mut s, &why);
        }
    }

    fn switch_off(&self, s: &mut State, why: &str) {
        s.figures.on = false;
        s.figures.switched_off += 1;
        let last = s.noted.pop_back();
        s.noted.clear();
        s.noted.extend(last);
        (self.log)(&format!(
            "warning: semi-synchronous replication is switched off until a replica has caught up: {why}"
        ));
        self.changed.wake_all();
    }

    /// Which commits are acknowledged by what the replicas have said.
    fn take_acknowledged(&self, s: &mut State) {
        let wanted = self.switches.replicas.load(Ordering::Relaxed) as usize;
        let mut places: Vec<Spot> = s.replicas.iter().map(|r| r.at).collect();
        places.sort_unstable_by(|a, b| b.cmp(a));
        if let Some(at) = places.get(wanted - 1) {
            s.acked_at = s.acked_at.max(*at);
        }
        let acked_at = s.acked_at;
        while let Some((lsn, at)) = s.noted.front().copied() {
            if at > acked_at {
                break;
            }
            s.acked = s.acked.max(lsn);
            s.noted.pop_front();
        }
        if s.enabled && !s.figures.on && s.noted.is_empty() && acked_at >= s.last.1 {
            s.figures.on = true;
            s.acked = s.acked.max(s.last.0);
            (self.log)(
                "semi-synchronous replication is switched on again: a replica has caught up",
            );
        }
        // What one that has gone had said counts as long as others can add to it.
        s.replicas.retain(|r| r.connections > 0 || r.at > acked_at);
    }
}

impl State {
    fn clients(&self) -> u64 {
        self.replicas.iter().map(|r| r.connections).sum()
    }

    /// Servers that follow now, each once.
    fn servers(&self) -> u64 {
        self.replicas.iter().filter(|r| r.connections > 0).count() as u64
    }
}

/// The dump of a replica in this mode.
pub struct Member {
    of: Arc<SemiSync>,
    server_id: u32,
    epoch: u64,
}

impl Member {
    /// Whether the replica is to acknowledge the event that ends here: a transaction ends with it that is not acknowledged yet.
    pub fn asks(&self, at: Spot) -> bool {
        let mut s = self.of.lock();
        let ends = s.enabled && s.noted.binary_search_by_key(&at, |(_, at)| *at).is_ok();
        s.figures.asked += u64::from(ends);
        ends
    }

    /// The replica has all events up to here. False: places are not what they were when the dump began.
    pub fn acknowledge(&self, at: Spot) -> bool {
        let mut s = self.of.lock();
        if s.epoch != self.epoch {
            return false;
        }
        if let Some(r) = s.replicas.iter_mut().find(|r| r.server_id == self.server_id) {
            r.at = r.at.max(at);
        }
        self.of.take_acknowledged(&mut s);
        drop(s);
        self.of.changed.wake_all();
        true
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let mut s = self.of.lock();
        if s.epoch == self.epoch
            && let Some(r) = s.replicas.iter_mut().find(|r| r.server_id == self.server_id)
        {
            r.connections -= 1;
        }
        self.of.take_acknowledged(&mut s);
        if s.enabled && s.figures.on && !s.stops && self.of.lacks_replicas(&s) {
            self.of.switch_off(&mut s, "a replica has gone, and there are not enough left");
        }
    }
}

#[cfg(test)]
mod tests;
