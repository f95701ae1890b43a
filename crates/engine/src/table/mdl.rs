//! Metadata locks: shared by transactions that use a table, exclusive for DDL and LOCK TABLES ... WRITE; fair. Among the sharers
//! those that write are distinguished from those that read, so that LOCK TABLES ... READ keeps the writers out and nobody else.
//!
//! Who has one is asked only by those who wait, so no list is kept: the sum of the sharers' numbers is the number of the last
//! one when the others have gone, and that is the one whom a definition statement waits for in the end.

mod brief;

use super::Table;
use crate::error::{Error, Result};
use crate::planted::{self, Bug};
use crate::sync::{Mutex, MutexGuard};
use crate::waits::{Blocker, Cause, Object, Waits, What};
use brief::Lanes;
pub use brief::MdlBrief;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;
use weir_rt::{Actor, AsyncMutex, Interrupt, Rt, WaitQueue};

pub struct Mdl {
    state: Mutex<State>,
    /// Users that are in for a moment, by their lanes.
    lanes: Lanes,
    queue: WaitQueue,
    pub table: u64,
    /// Held by purge while it removes one change's leftovers, by a check of the table, and by DDL that takes pages or the whole
    /// file away: purge takes no metadata lock. A check that saw a tree before a merge and the space map after it would report
    /// damage that is not there; purge would look for entries in pages that are gone, or have become others'.
    pub purging: AsyncMutex<()>,
}

/// What a table is locked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MdlMode {
    /// Reading it.
    Read,
    /// Reading and writing it.
    Write,
    /// Reading it while nobody writes: LOCK TABLES ... READ.
    Freeze,
    /// A definition statement at work beside the table's readers and writers; it gets the table alone in the end.
    Upgradable,
    /// The same beside readers only.
    UpgradableFreeze,
    /// Alone: definition statements, LOCK TABLES ... WRITE.
    Exclusive,
}

impl MdlMode {
    fn freezes(self) -> bool {
        matches!(self, MdlMode::Freeze | MdlMode::UpgradableFreeze)
    }

    fn is_upgradable(self) -> bool {
        matches!(self, MdlMode::Upgradable | MdlMode::UpgradableFreeze)
    }
}

/// Invariants: while `frozen` is not 0, `writers` is 0; while `exclusive` holds, `shared` is 0; one of the sharers at most is upgradable.
#[derive(Default)]
struct State {
    /// All that do not have it exclusively.
    shared: usize,
    /// Those of them that write.
    writers: usize,
    /// Those of them that keep writers out.
    frozen: usize,
    exclusive: bool,
    /// One of the sharers is a definition statement at work. Others wait for its end, which may be far off: they keep nobody out
    /// meanwhile, and are not counted as waiting.
    upgradable: bool,
    waiting_exclusive: usize,
    waiting_freeze: usize,
    /// Sum of the sharers' numbers, wrapping, and of those of them that keep writers out.
    sharers: u64,
    freezers: u64,
    /// The session that has it exclusively, or was the last to ask for that.
    ddl: u32,
    /// The last that others waited for and that let go, or gave up.
    gone: u32,
}

impl State {
    fn share(&mut self, who: u32, mode: MdlMode) {
        self.shared += 1;
        self.writers += usize::from(mode == MdlMode::Write);
        if mode.freezes() {
            self.frozen += 1;
            self.freezers = self.freezers.wrapping_add(who.into());
        }
        assert!(!(self.upgradable && mode.is_upgradable()), "two definition statements");
        self.upgradable |= mode.is_upgradable();
        self.sharers = self.sharers.wrapping_add(who.into());
        assert!(self.frozen == 0 || self.writers == 0, "a frozen table has a writer");
    }

    fn leave(&mut self, who: u32, mode: MdlMode) {
        self.shared -= 1;
        self.writers -= usize::from(mode == MdlMode::Write);
        if mode.freezes() {
            self.thaw(who);
        }
        self.upgradable &= !mode.is_upgradable();
        self.sharers = self.sharers.wrapping_sub(who.into());
    }

    fn thaw(&mut self, who: u32) {
        self.frozen -= 1;
        self.freezers = self.freezers.wrapping_sub(who.into());
    }

    /// Whether a request can be met now. Those who wait for a stronger lock keep new holders of a weaker one out.
    fn admits(&self, mode: MdlMode) -> bool {
        let no_ddl = !self.exclusive && self.waiting_exclusive == 0;
        match mode {
            MdlMode::Read => no_ddl,
            MdlMode::Write => no_ddl && self.frozen == 0 && self.waiting_freeze == 0,
            MdlMode::Freeze => no_ddl && self.writers == 0,
            MdlMode::Upgradable => no_ddl && !self.upgradable,
            MdlMode::UpgradableFreeze => no_ddl && !self.upgradable && self.writers == 0,
            MdlMode::Exclusive => {
                (self.shared == 0 || planted::is(Bug::DdlIgnoresUsers)) && !self.exclusive
            }
        }
    }

    fn waiting(&mut self, mode: MdlMode) -> Option<&mut usize> {
        match mode {
            MdlMode::Read | MdlMode::Write | MdlMode::Upgradable => None,
            MdlMode::Freeze => Some(&mut self.waiting_freeze),
            MdlMode::UpgradableFreeze => Some(&mut self.waiting_freeze),
            MdlMode::Exclusive => Some(&mut self.waiting_exclusive),
        }
    }
}

/// The state while it is locked. When it is let go, the lanes know whether they may come in.
struct Locked<'m> {
    state: MutexGuard<'m, State>,
    lanes: &'m Lanes,
}

impl Deref for Locked<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let s = &self.state;
        let alone = s.exclusive || s.waiting_exclusive > 0;
        self.lanes.set_shut(alone, alone || s.frozen > 0 || s.waiting_freeze > 0);
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
    mode: MdlMode,
}

impl MdlHold {
    pub fn is_for(&self, t: &Table) -> bool {
        Arc::ptr_eq(&self.mdl, &t.mdl)
    }

    pub fn mode(&self) -> MdlMode {
        self.mode
    }

    /// The table's id.
    pub fn table(&self) -> u64 {
        self.mdl.table
    }

    /// A reader becomes a writer at once, unless somebody keeps writers out, or waits to.
    pub fn try_to_write(&mut self) -> bool {
        if self.mode != MdlMode::Read {
            return matches!(self.mode, MdlMode::Write | MdlMode::Exclusive);
        }
        let mut s = self.mdl.lock();
        if s.frozen > 0 || s.waiting_freeze > 0 {
            return false;
        }
        s.writers += 1;
        self.mode = MdlMode::Write;
        true
    }
}

impl Drop for MdlHold {
    fn drop(&mut self) {
        self.mdl.let_go(self.who, self.mode);
    }
}

impl Mdl {
    fn let_go(&self, who: u32, mode: MdlMode) {
        {
            let mut s = self.lock();
            let wakes = match mode {
                MdlMode::Exclusive => {
                    s.exclusive = false;
                    true
                }
                mode => {
                    s.leave(who, mode);
                    let last = s.shared <= usize::from(s.upgradable);
                    let exclusive = last && s.waiting_exclusive > 0;
                    let freeze = mode == MdlMode::Write && s.writers == 0 && s.waiting_freeze > 0;
                    let thaw = mode.freezes() && s.frozen == 0;
                    exclusive || freeze || thaw || mode.is_upgradable()
                }
            };
            if !wakes {
                return;
            }
            s.gone = who;
        }
        self.queue.wake_all();
    }

    fn lock(&self) -> Locked<'_> {
        Locked { state: self.state.lock(), lanes: &self.lanes }
    }
}

impl Mdl {
    pub fn new(table: u64) -> Arc<Mdl> {
        Arc::new(Mdl {
            state: Mutex::new(State::default()),
            lanes: Lanes::default(),
            queue: WaitQueue::new(),
            table,
            purging: AsyncMutex::new(()),
        })
    }

    /// Shared, past those who wait for it exclusively.
    pub fn glance(self: &Arc<Self>) -> Option<MdlHold> {
        let mut s = self.lock();
        if s.exclusive {
            return None;
        }
        let (who, mode) = (me(), MdlMode::Read);
        s.share(who, mode);
        drop(s);
        Some(MdlHold { mdl: self.clone(), who, mode })
    }

    /// The session in the way of a request, where that is one: of an exclusive request, and of a writer whom others keep out, when a
    /// single one is left.
    pub fn blocker(&self, exclusive: bool) -> Blocker {
        let s = self.lock();
        let own = s.upgradable && s.ddl == me();
        let kept_out = !exclusive && s.waiting_exclusive == 0 && s.frozen > 0;
        let session = match (s.exclusive || !exclusive, s.shared) {
            (true, _) if kept_out && s.frozen == 1 => s.freezers as u32,
            (true, _) if kept_out => 0,
            (true, _) => s.ddl,
            (false, 1) => s.sharers as u32,
            (false, 2) if own => s.sharers.wrapping_sub(me().into()) as u32,
            _ => 0,
        };
        Blocker { session: session.into(), trx: 0 }
    }

    /// Without waiting.
    pub fn at_once(self: &Arc<Self>, mode: MdlMode) -> Option<MdlHold> {
        self.take(mode, None)
    }

    /// `counted`: anyone who waits for a lock that keeps others out is counted, so that no new ones of those come in.
    fn take(self: &Arc<Self>, mode: MdlMode, counted: Option<&mut bool>) -> Option<MdlHold> {
        let mut s = self.lock();
        let free = s.admits(mode);
        let who = me();
        if free {
            if mode == MdlMode::Exclusive {
                (s.exclusive, s.ddl) = (true, who);
                self.lanes.shut_out();
            } else {
                s.share(who, mode);
                if mode.freezes() {
                    self.lanes.shut_writers_out();
                }
            }
        }
        let waits_for_ddl = mode == MdlMode::Exclusive || mode.is_upgradable();
        let far_off = s.upgradable && !free && waits_for_ddl;
        let mut lets_in = false;
        if let Some(counted) = counted
            && *counted == (free || far_off)
            && let Some(waiting) = s.waiting(mode)
        {
            if *counted {
                *waiting -= 1;
                lets_in = far_off;
            } else {
                *waiting += 1;
                if mode == MdlMode::Exclusive && !s.exclusive {
                    s.ddl = who;
                }
            }
            *counted = !*counted;
        }
        drop(s);
        if lets_in {
            self.queue.wake_all();
        }
        free.then(|| MdlHold { mdl: self.clone(), who, mode })
    }

    /// The lock, whenever it comes. `counted` says whether anyone who gives up has to be counted out.
    async fn turn(self: &Arc<Self>, mode: MdlMode, counted: &mut bool) -> MdlHold {
        loop {
            let turn = self.queue.wait();
            if let Some(h) = self.take(mode, Some(counted)) {
                return h;
            }
            turn.await;
        }
    }

    pub async fn wait(
        self: &Arc<Self>,
        waits: &Waits,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
        mode: MdlMode,
    ) -> Result<MdlHold> {
        let exclusive = mode == MdlMode::Exclusive;
        let what = What::new(Cause::MetadataLock, Object::Table(self.table));
        let waiting = waits.begin(what.blocked_by(self.blocker(exclusive)));
        let mut counted = false;
        let got = rt.timeout(limit, weir_rt::or_killed(i, self.turn(mode, &mut counted))).await;
        // The last to let go is who was waited for; who gives up was kept out by those who are in now.
        waiting.blocked_by(match got {
            Some(Ok(_)) => Blocker { session: self.lock().gone.into(), trx: 0 },
            _ => self.blocker(exclusive),
        });
        drop(waiting);
        if counted {
            let mut s = self.lock();
            if let Some(waiting) = s.waiting(mode) {
                *waiting -= 1;
            }
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

impl MdlHold {
    /// A definition statement lets writers in again.
    pub fn thaw(&mut self) {
        if self.mode != MdlMode::UpgradableFreeze {
            return;
        }
        let mut s = self.mdl.lock();
        s.thaw(self.who);
        self.mode = MdlMode::Upgradable;
        drop(s);
        self.mdl.queue.wake_all();
    }

    /// A definition statement that has the table alone lets the others in, and keeps other definition statements out.
    pub fn downgrade(&mut self) {
        if self.mode != MdlMode::Exclusive {
            return;
        }
        let mut s = self.mdl.lock();
        s.exclusive = false;
        s.share(self.who, MdlMode::Upgradable);
        self.mode = MdlMode::Upgradable;
        drop(s);
        self.mdl.queue.wake_all();
    }

    /// `counted`: as [`Mdl::take`].
    fn try_to_be_alone(&mut self, counted: &mut bool) -> bool {
        let mut s = self.mdl.lock();
        if s.shared > 1 {
            s.waiting_exclusive += usize::from(!*counted);
            (*counted, s.ddl) = (true, self.who);
            return false;
        }
        s.leave(self.who, self.mode);
        s.waiting_exclusive -= usize::from(*counted);
        (*counted, s.exclusive, s.ddl) = (false, true, self.who);
        self.mdl.lanes.shut_out();
        self.mode = MdlMode::Exclusive;
        true
    }

    /// As [`Mdl::turn`].
    async fn last_one(&mut self, counted: &mut bool) {
        let mdl = self.mdl.clone();
        loop {
            let turn = mdl.queue.wait();
            if self.try_to_be_alone(counted) {
                return;
            }
            turn.await;
        }
    }

    /// A definition statement at work gets the table alone. It stays what it was after an error.
    pub async fn be_alone(
        &mut self,
        waits: &Waits,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
    ) -> Result<()> {
        if self.mode == MdlMode::Exclusive {
            return Ok(());
        }
        assert!(self.mode.is_upgradable(), "two of those who wait would wait for each other");
        let mdl = self.mdl.clone();
        let what = What::new(Cause::MetadataLock, Object::Table(mdl.table));
        let waiting = waits.begin(what.blocked_by(mdl.blocker(true)));
        let mut counted = false;
        let got = rt.timeout(limit, weir_rt::or_killed(i, self.last_one(&mut counted))).await;
        waiting.blocked_by(match got {
            Some(Ok(())) => Blocker { session: mdl.lock().gone.into(), trx: 0 },
            _ => mdl.blocker(true),
        });
        drop(waiting);
        if counted {
            let mut s = mdl.lock();
            s.waiting_exclusive -= 1;
            s.gone = me();
            drop(s);
            mdl.queue.wake_all();
        }
        match got {
            None => Err(Error::LockWaitTimeout),
            Some(Err(_)) => Err(Error::Interrupted),
            Some(Ok(())) => Ok(()),
        }
    }
}

impl Mdl {
    /// A reader becomes a writer. It waits for those who keep writers out, and not for definition statements: they wait for it.
    pub async fn upgrade(
        self: &Arc<Self>,
        waits: &Waits,
        rt: &Rt,
        limit: Duration,
        i: &Interrupt,
        hold: &mut MdlHold,
    ) -> Result<()> {
        let what = What::new(Cause::MetadataLock, Object::Table(self.table));
        let waiting = waits.begin(what.blocked_by(self.blocker(false)));
        let wait = async {
            loop {
                let turn = self.queue.wait();
                if hold.try_to_write() {
                    return;
                }
                turn.await;
            }
        };
        let got = rt.timeout(limit, weir_rt::or_killed(i, wait)).await;
        drop(waiting);
        match got {
            None => Err(Error::LockWaitTimeout),
            Some(Err(_)) => Err(Error::Interrupted),
            Some(Ok(())) => Ok(()),
        }
    }
}

#[cfg(all(test, any(shuttle, miri)))]
mod model {
    use super::*;
    use crate::model::{block_on, explore};
    #[cfg(miri)]
    use std::thread;
    #[cfg(shuttle)]
    use weir_rt::shuttle::thread;

    /// Two definition statements that work beside others, one that does not, a writer, and a session that freezes the table: each comes to
    /// its end, no matter who is woken when.
    #[test]
    fn everybody_gets_the_table() {
        explore(2000, || {
            let m = Mdl::new(7);
            let run = |f: Box<dyn FnOnce(Arc<Mdl>) + Send>| {
                let m = m.clone();
                thread::spawn(move || f(m))
            };
            let hold = |mode: MdlMode| -> Box<dyn FnOnce(Arc<Mdl>) + Send> {
                Box::new(move |m| drop(block_on(m.turn(mode, &mut false))))
            };
            let ddl = || -> Box<dyn FnOnce(Arc<Mdl>) + Send> {
                Box::new(|m| {
                    let mut h = block_on(m.turn(MdlMode::UpgradableFreeze, &mut false));
                    h.thaw();
                    block_on(h.last_one(&mut false));
                    h.downgrade();
                })
            };
            let all = [
                run(ddl()),
                run(ddl()),
                run(hold(MdlMode::Exclusive)),
                run(hold(MdlMode::Write)),
                run(hold(MdlMode::Freeze)),
            ];
            for t in all {
                t.join().unwrap();
            }
            let s = m.lock();
            assert_eq!((s.shared, s.writers, s.frozen, s.upgradable), (0, 0, 0, false));
            assert_eq!((s.waiting_exclusive, s.waiting_freeze, s.exclusive), (0, 0, false));
        });
    }
}

#[cfg(all(test, not(any(shuttle, miri))))]
mod tests {
    use super::*;
    use weir_rt::act_as;

    fn of(session: u64, m: &Arc<Mdl>, exclusive: bool) -> Option<MdlHold> {
        let mode = if exclusive { MdlMode::Exclusive } else { MdlMode::Read };
        by(session, m, mode)
    }

    fn by(session: u64, m: &Arc<Mdl>, mode: MdlMode) -> Option<MdlHold> {
        let _acting = act_as(Actor::session(session));
        m.at_once(mode)
    }

    #[test]
    fn a_frozen_table_is_read_and_not_written() {
        use MdlMode::{Exclusive, Freeze, Read, Write};
        let m = Mdl::new(7);
        let (mut reader, writer) = (by(1, &m, Read).unwrap(), by(2, &m, Write).unwrap());
        assert!(by(3, &m, Freeze).is_none() && by(3, &m, Exclusive).is_none());
        drop(writer);
        let (a, b) = (by(3, &m, Freeze).unwrap(), by(4, &m, Freeze).unwrap());
        assert!(by(2, &m, Write).is_none() && !reader.try_to_write() && by(5, &m, Read).is_some());
        assert_eq!(m.blocker(false).session, 0, "two are in the way");
        drop(a);
        assert!(!reader.try_to_write());
        assert_eq!(m.blocker(false).session, 4);
        drop(b);
        assert!(reader.try_to_write() && reader.mode() == Write && by(3, &m, Freeze).is_none());
        drop(reader);
        assert!(by(3, &m, Exclusive).is_some());
    }

    #[test]
    fn whoever_waits_to_freeze_keeps_new_writers_out() {
        let m = Mdl::new(7);
        let writer = by(2, &m, MdlMode::Write).unwrap();
        let mut reader = by(4, &m, MdlMode::Read).unwrap();
        let mut counted = false;
        assert!(m.take(MdlMode::Freeze, Some(&mut counted)).is_none() && counted);
        assert!(by(5, &m, MdlMode::Write).is_none() && by(5, &m, MdlMode::Read).is_some());
        assert!(!reader.try_to_write());
        drop(writer);
        assert!(m.take(MdlMode::Freeze, Some(&mut counted)).is_some() && !counted);
        assert_eq!(m.lock().waiting_freeze, 0);
    }

    #[test]
    fn a_definition_statement_works_beside_others_and_is_alone_in_the_end() {
        use MdlMode::{Exclusive, Freeze, Read, Upgradable, UpgradableFreeze, Write};
        let m = Mdl::new(7);
        let (reader, writer) = (by(1, &m, Read).unwrap(), by(2, &m, Write).unwrap());
        assert!(by(9, &m, UpgradableFreeze).is_none());
        drop(writer);
        let mut ddl = by(9, &m, UpgradableFreeze).unwrap();
        assert!(by(2, &m, Write).is_none() && by(8, &m, Upgradable).is_none());
        ddl.thaw();
        let mut writer = by(2, &m, Write).unwrap();
        // Another one waits for its end, and keeps nobody out meanwhile.
        let mut counted = false;
        let _acting = act_as(Actor::session(8));
        for other in [Exclusive, UpgradableFreeze] {
            assert!(m.take(other, Some(&mut counted)).is_none() && !counted);
        }
        assert!(by(3, &m, Write).is_some());
        let mut alone = false;
        assert!(!ddl.try_to_be_alone(&mut alone) && alone && by(3, &m, Read).is_none());
        drop((writer, reader));
        assert!(ddl.try_to_be_alone(&mut alone) && !alone && ddl.mode() == Exclusive);
        assert!(m.lock().waiting_exclusive == 0 && m.glance().is_none());
        ddl.downgrade();
        writer = by(2, &m, Write).unwrap();
        assert!(m.take(Exclusive, Some(&mut counted)).is_none() && !counted);
        drop(ddl);
        assert!(m.take(Exclusive, Some(&mut counted)).is_none() && counted);
        assert!(by(3, &m, Freeze).is_none());
        drop(writer);
        assert!(m.take(Exclusive, Some(&mut counted)).is_some() && !counted);
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
        assert!(m.take(MdlMode::Exclusive, Some(&mut counted)).is_none() && counted);
        assert!(m.take(MdlMode::Exclusive, Some(&mut counted)).is_none() && counted);
        assert!(of(5, &m, false).is_none() && m.glance().is_some());
        assert_eq!((m.blocker(true).session, m.blocker(false).session), (4, 9));
        drop(user);
        assert_eq!(m.lock().gone, 4);
        let ddl = m.take(MdlMode::Exclusive, Some(&mut counted));
        assert!(ddl.is_some() && !counted && m.lock().waiting_exclusive == 0);
    }
}
