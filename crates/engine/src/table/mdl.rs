//! Metadata locks: shared by transactions that use a table, exclusive for DDL; fair.
//!
//! Who has one is asked only by those who wait, so no list is kept: the sum of the sharers' numbers is the number of the last
//! one when the others have gone, and that is the one whom a definition statement waits for in the end.

use super::Table;
use crate::error::{Error, Result};
use crate::planted::{self, Bug};
use crate::sync::Mutex;
use crate::waits::{Blocker, Cause, Object, Waits, What};
use std::sync::Arc;
use std::time::Duration;
use weir_rt::{Actor, AsyncMutex, Interrupt, Rt, WaitQueue};

pub struct Mdl {
    state: Mutex<State>,
    queue: WaitQueue,
    pub table: u64,
    /// Held by purge while it removes one change's leftovers, by a check of the table, and by DDL that takes pages or the whole
    /// file away: purge takes no metadata lock. A check that saw a tree before a merge and the space map after it would report
    /// damage that is not there; purge would look for entries in pages that are gone, or have become others'.
    pub purging: AsyncMutex<()>,
}

#[derive(Default)]
struct State {
    shared: usize,
    exclusive: bool,
    waiting_exclusive: usize,
    /// Sum of the sharers' numbers, wrapping.
    sharers: u64,
    /// The session that has it exclusively, or was the last to ask for that.
    ddl: u32,
    /// The last that others waited for and that let go, or gave up.
    gone: u32,
}

impl State {
    fn share(&mut self, who: u32) {
        self.shared += 1;
        self.sharers = self.sharers.wrapping_add(who.into());
    }
}

/// The session at work, as metadata locks keep it: connection ids have 32 bits in the protocol.
fn me() -> u32 {
    Actor::current().id().unwrap_or(0) as u32
}

/// A held metadata lock; released when dropped.
pub struct MdlHold {
    mdl: Arc<Mdl>,
    who: u32,
    exclusive: bool,
}

impl MdlHold {
    pub fn is_for(&self, t: &Table) -> bool {
        Arc::ptr_eq(&self.mdl, &t.mdl)
    }
}

impl Drop for MdlHold {
    fn drop(&mut self) {
        {
            let mut s = self.mdl.state.lock();
            if self.exclusive {
                s.exclusive = false;
            } else {
                s.shared -= 1;
                s.sharers = s.sharers.wrapping_sub(self.who.into());
                if s.shared > 0 || s.waiting_exclusive == 0 {
                    return;
                }
            }
            s.gone = self.who;
        }
        self.mdl.queue.wake_all();
    }
}

impl Mdl {
    pub fn new(table: u64) -> Arc<Mdl> {
        Arc::new(Mdl {
            state: Mutex::new(State::default()),
            queue: WaitQueue::new(),
            table,
            purging: AsyncMutex::new(()),
        })
    }

    /// Shared, past those who wait for it exclusively.
    pub fn glance(self: &Arc<Self>) -> Option<MdlHold> {
        let mut s = self.state.lock();
        if s.exclusive {
            return None;
        }
        let who = me();
        s.share(who);
        drop(s);
        Some(MdlHold { mdl: self.clone(), who, exclusive: false })
    }

    /// The session in the way of a request, where that is one: of an exclusive request, when a single one is left.
    pub fn blocker(&self, exclusive: bool) -> Blocker {
        let s = self.state.lock();
        let session = match (s.exclusive || !exclusive, s.shared) {
            (true, _) => s.ddl,
            (false, 1) => s.sharers as u32,
            _ => 0,
        };
        Blocker { session: session.into(), trx: 0 }
    }

    /// Without waiting.
    pub fn at_once(self: &Arc<Self>, exclusive: bool) -> Option<MdlHold> {
        self.take(exclusive, None)
    }

    /// `counted`: whoever waits for it exclusively is counted, so that no new sharers come in.
    fn take(self: &Arc<Self>, exclusive: bool, counted: Option<&mut bool>) -> Option<MdlHold> {
        let mut s = self.state.lock();
        let free = if exclusive {
            (s.shared == 0 || planted::is(Bug::DdlIgnoresUsers)) && !s.exclusive
        } else {
            !s.exclusive && s.waiting_exclusive == 0
        };
        let who = me();
        if free {
            if exclusive {
                (s.exclusive, s.ddl) = (true, who);
            } else {
                s.share(who);
            }
        }
        if exclusive
            && let Some(counted) = counted
            && *counted == free
        {
            if free {
                s.waiting_exclusive -= 1;
            } else {
                s.waiting_exclusive += 1;
                if !s.exclusive {
                    s.ddl = who;
                }
            }
            *counted = !free;
        }
        drop(s);
        free.then(|| MdlHold { mdl: self.clone(), who, exclusive })
    }

    pub async fn wait(
        self: &Arc<Self>,
        waits: &Waits,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
        exclusive: bool,
    ) -> Result<MdlHold> {
        let what = What::new(Cause::MetadataLock, Object::Table(self.table));
        let waiting = waits.begin(what.blocked_by(self.blocker(exclusive)));
        let mut counted = false;
        let wait = async {
            loop {
                let turn = self.queue.wait();
                if let Some(h) = self.take(exclusive, Some(&mut counted)) {
                    return h;
                }
                turn.await;
            }
        };
        let got = rt.timeout(limit, weir_rt::or_killed(i, wait)).await;
        // The last to let go is who was waited for; who gives up was kept out by those who are in now.
        waiting.blocked_by(match got {
            Some(Ok(_)) => Blocker { session: self.state.lock().gone.into(), trx: 0 },
            _ => self.blocker(exclusive),
        });
        drop(waiting);
        if counted {
            let mut s = self.state.lock();
            s.waiting_exclusive -= 1;
            s.gone = me();
            drop(s);
            self.queue.wake_all();
        }
        match got {
            None => Err(Error::LockWaitTimeout),
            Some(Err(_)) => Err(Error::Interrupted),
            Some(Ok(h)) => Ok(h),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_rt::act_as;

    fn of(session: u64, m: &Arc<Mdl>, exclusive: bool) -> Option<MdlHold> {
        let _acting = act_as(Actor::session(session));
        m.at_once(exclusive)
    }

    #[test]
    fn the_last_one_left_is_known() {
        let m = Mdl::new(7);
        let by = |exclusive| m.blocker(exclusive).session;
        let (a, b, c) = (of(4, &m, false), of(5, &m, false), of(6, &m, false));
        assert!(a.is_some() && of(9, &m, true).is_none());
        assert_eq!(by(true), 0, "three of them");
        drop((a, c));
        assert_eq!(by(true), 5);
        drop(b);
        let ddl = of(9, &m, true);
        assert_eq!((by(true), by(false)), (9, 9));
        assert!(of(4, &m, false).is_none() && m.glance().is_none());
        drop(ddl);
        assert!(of(4, &m, false).is_some());
    }

    #[test]
    fn who_waits_exclusively_keeps_new_sharers_out() {
        let m = Mdl::new(7);
        let user = of(4, &m, false);
        let mut counted = false;
        let _acting = act_as(Actor::session(9));
        assert!(m.take(true, Some(&mut counted)).is_none() && counted);
        assert!(m.take(true, Some(&mut counted)).is_none() && counted);
        assert!(of(5, &m, false).is_none() && m.glance().is_some());
        assert_eq!((m.blocker(true).session, m.blocker(false).session), (4, 9));
        drop(user);
        assert_eq!(m.state.lock().gone, 4);
        let ddl = m.take(true, Some(&mut counted));
        assert!(ddl.is_some() && !counted && m.state.lock().waiting_exclusive == 0);
    }
}
