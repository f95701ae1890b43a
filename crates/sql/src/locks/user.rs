//! GET_LOCK and its family: names that belong to sessions, not to transactions.
//!
//! Invariants:
//! - A lock has an owner, or it is not in the table. A session that lets go hands the lock to the first in its queue under the same
//!   mutex, so a name is never free while a session waits for it.
//! - A session waits for one name at most, so "owner waits for" is a chain, and a wait that would close it to a circle is refused
//!   before it begins (3058). Other waiters of the queue need no edge: the one that gets the lock is its owner.
//! - A waiter that goes away, for whatever reason, leaves the queue, and hands on what it was given meanwhile.
//! - A session is charged for a lock from the moment when it asks for it until it has let go of it. The charge is made and given back
//!   by the session's own calls alone, because an account has one user at a time: a lock that is handed over was charged before the wait.

use crate::errno;
use crate::memory::{Account, Held};
use crate::session_api::SqlError;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_rt::Event;

/// Characters of a name at most.
const NAME_MAX: usize = 64;

/// The user-level locks of a server.
#[derive(Default)]
pub struct UserLocks(Mutex<State>);

#[derive(Default)]
struct State {
    locks: HashMap<Arc<str>, Lock>,
    /// Session -> the name that it waits for.
    waits: HashMap<u64, Arc<str>>,
    /// What each session has, and what it is charged for that and for the lock that it waits for.
    owned: HashMap<u64, Owned>,
}

#[derive(Default)]
struct Owned {
    names: HashSet<Arc<str>>,
    held: Held,
}

/// What a session is charged for a lock: its entries in the two tables, each about twice as large as what it holds, and the name.
fn bytes(name: &str) -> usize {
    2 * size_of::<(Arc<str>, Lock)>() + 2 * size_of::<Arc<str>>() + name.len()
}

struct Lock {
    owner: u64,
    /// How often the owner took it: it has to let go as often.
    count: u64,
    queue: VecDeque<(u64, Arc<Event>)>,
}

/// How an attempt at a lock ended.
pub enum Got<'l> {
    Taken,
    /// Another session has it.
    Queued(Queued<'l>),
}

/// A place in the queue for a lock; leaves it when dropped.
pub struct Queued<'l> {
    of: &'l UserLocks,
    session: u64,
    name: Arc<str>,
    turn: Arc<Event>,
    kept: bool,
}

impl Queued<'_> {
    /// Until the lock is handed to this session.
    pub async fn turn(&self) {
        self.turn.wait().await;
    }

    /// Whether the lock came; then it is kept.
    pub fn keep_if_granted(mut self) -> bool {
        self.kept = self.turn.is_set();
        self.kept
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut s = self.of.state();
        s.waits.remove(&self.session);
        if self.kept {
            return;
        }
        // The turn is given under this mutex, so here it is known for good.
        if self.turn.is_set() {
            s.release(&self.name);
            s.give_back(self.session, &self.name);
            return;
        }
        s.give_back(self.session, &self.name);
        if let Some(lock) = s.locks.get_mut(&self.name) {
            lock.queue.retain(|(_, turn)| !Arc::ptr_eq(turn, &self.turn));
        }
    }
}

impl State {
    /// The owner of `name` lets go of it altogether. What it was charged is given back by its own call.
    fn release(&mut self, name: &str) {
        let Some(lock) = self.locks.get_mut(name) else { return };
        if let Some(own) = self.owned.get_mut(&lock.owner) {
            own.names.remove(name);
        }
        match lock.queue.pop_front() {
            Some((next, turn)) => {
                (lock.owner, lock.count) = (next, 1);
                if let Some(name) = self.waits.remove(&next) {
                    self.owned.entry(next).or_default().names.insert(name);
                }
                turn.set();
            }
            None => {
                self.locks.remove(name);
            }
        }
    }

    /// The session no longer pays for a lock of this name.
    fn give_back(&mut self, session: u64, name: &str) {
        let Some(own) = self.owned.get_mut(&session) else { return };
        own.held.shrink(bytes(name));
        if own.names.is_empty() {
            debug_assert!(own.held.bytes() == 0 || self.waits.contains_key(&session));
            self.owned.remove(&session);
        }
    }

    /// Would `session` wait for itself if it waited for `name`?
    fn closes_circle(&self, session: u64, name: &str) -> bool {
        let mut name = name;
        // Each step is to another session, so there are no more of them than waits.
        for _ in 0..=self.waits.len() {
            let Some(lock) = self.locks.get(name) else { return false };
            if lock.owner == session {
                return true;
            }
            match self.waits.get(&lock.owner) {
                Some(next) => name = next,
                None => return false,
            }
        }
        debug_assert!(false, "waits for user-level locks form a circle");
        true
    }
}

/// A name as locks are kept by: letter case does not matter. 3057 for one that is not one.
pub fn checked_name(name: Option<&str>) -> Result<String, SqlError> {
    let wrong = |shown: &str| SqlError::of(errno::ER_USER_LOCK_WRONG_NAME, &[&shown]);
    match name {
        None => Err(wrong("NULL")),
        Some(n) if n.is_empty() || n.chars().count() > NAME_MAX => Err(wrong(n)),
        Some(n) => Ok(n.to_lowercase()),
    }
}

impl UserLocks {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock, or a place in its queue. 3058 when the wait would never end; 4082 and 4081 when it is more than the session may
    /// have in memory.
    pub fn get(
        &self,
        session: u64,
        account: Account<'_>,
        name: Option<&str>,
    ) -> Result<Got<'_>, SqlError> {
        let name: Arc<str> = checked_name(name)?.into();
        let mut s = self.state();
        match s.locks.get_mut(&name) {
            None => {
                let own = s.owned.entry(session).or_default();
                own.held.grow(account, bytes(&name))?;
                own.names.insert(name.clone());
                let lock = Lock { owner: session, count: 1, queue: VecDeque::new() };
                s.locks.insert(name, lock);
                return Ok(Got::Taken);
            }
            Some(lock) if lock.owner == session => {
                lock.count += 1;
                return Ok(Got::Taken);
            }
            Some(_) => {}
        }
        if s.closes_circle(session, &name) {
            let text = "Deadlock found when trying to get user-level lock; try rolling back \
                        transaction/releasing locks and restarting lock acquisition.";
            return Err(SqlError::new(errno::ER_USER_LOCK_DEADLOCK, text));
        }
        s.owned.entry(session).or_default().held.grow(account, bytes(&name))?;
        let turn = Arc::new(Event::new());
        if let Some(lock) = s.locks.get_mut(&name) {
            lock.queue.push_back((session, turn.clone()));
        }
        s.waits.insert(session, name.clone());
        Ok(Got::Queued(Queued { of: self, session, name, turn, kept: false }))
    }

    /// Whether it was the session's; `None`: nobody has it.
    pub fn release(&self, session: u64, name: Option<&str>) -> Result<Option<bool>, SqlError> {
        let name = checked_name(name)?;
        let mut s = self.state();
        let Some(lock) = s.locks.get_mut(&*name) else { return Ok(None) };
        if lock.owner != session {
            return Ok(Some(false));
        }
        lock.count -= 1;
        if lock.count == 0 {
            s.release(&name);
            s.give_back(session, &name);
        }
        Ok(Some(true))
    }

    /// Lets go of all that the session has; how often it had taken them.
    pub fn release_all(&self, session: u64) -> u64 {
        let mut s = self.state();
        let Some(own) = s.owned.get_mut(&session) else { return 0 };
        let names = std::mem::take(&mut own.names);
        let mut count = 0;
        for name in names {
            count += s.locks.get(&name).map_or(0, |l| l.count);
            s.release(&name);
        }
        // A session that lets go of all waits for nothing: one statement does not do both at once.
        s.owned.remove(&session);
        count
    }

    /// Whether the session has some.
    pub fn has_any(&self, session: u64) -> bool {
        self.state().owned.get(&session).is_some_and(|own| !own.names.is_empty())
    }

    /// The session that has it.
    pub fn owner(&self, name: Option<&str>) -> Result<Option<u64>, SqlError> {
        let name = checked_name(name)?;
        Ok(self.state().locks.get(&*name).map(|l| l.owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(l: &UserLocks, session: u64, name: &str) -> bool {
        matches!(l.get(session, None, Some(name)), Ok(Got::Taken))
    }

    fn queued<'l>(l: &'l UserLocks, session: u64, name: &str) -> Queued<'l> {
        match l.get(session, None, Some(name)) {
            Ok(Got::Queued(q)) => q,
            _ => panic!("{session} does not wait for {name}"),
        }
    }

    #[test]
    fn the_first_in_the_queue_is_the_next_owner() {
        let l = UserLocks::default();
        assert!(taken(&l, 1, "A") && taken(&l, 1, "a"));
        let (two, three) = (queued(&l, 2, "a"), queued(&l, 3, "a"));
        assert_eq!(l.release(2, Some("a")).unwrap(), Some(false));
        assert_eq!(l.release(1, Some("a")).unwrap(), Some(true));
        assert_eq!(l.owner(Some("a")).unwrap(), Some(1), "taken twice");
        assert_eq!(l.release(1, Some("a")).unwrap(), Some(true));
        assert_eq!(l.owner(Some("a")).unwrap(), Some(2));
        assert!(two.keep_if_granted() && !three.keep_if_granted());
        assert_eq!(l.release_all(2), 1);
        assert_eq!(l.release(2, Some("a")).unwrap(), None);
        assert!(l.state().waits.is_empty() && l.state().locks.is_empty());
        assert!(l.state().owned.is_empty());
    }

    #[test]
    fn who_gave_up_hands_on_what_it_was_given() {
        let l = UserLocks::default();
        assert!(taken(&l, 1, "a"));
        let (two, three) = (queued(&l, 2, "a"), queued(&l, 3, "a"));
        assert_eq!(l.release_all(1), 1);
        drop(two);
        assert!(three.keep_if_granted());
    }

    #[test]
    fn a_circle_is_refused() {
        let l = UserLocks::default();
        assert!(taken(&l, 1, "a") && taken(&l, 2, "b") && taken(&l, 3, "c"));
        let waits = (queued(&l, 1, "b"), queued(&l, 2, "c"));
        assert_eq!(l.get(3, None, Some("a")).err().map(|e| e.errno), Some(3058));
        assert!(matches!(l.get(4, None, Some("a")), Ok(Got::Queued(_))));
        drop(waits);
        assert!(matches!(l.get(3, None, Some("a")), Ok(Got::Queued(_))));
    }

    #[test]
    fn names() {
        for bad in [None, Some(""), Some(&*"x".repeat(65))] {
            assert_eq!(checked_name(bad).unwrap_err().errno, 3057);
        }
        assert_eq!(checked_name(Some(&"Ä".repeat(64))).unwrap(), "ä".repeat(64));
    }

    #[test]
    fn a_lock_is_charged_from_the_wait_until_it_is_let_go() {
        use crate::memory::{ServerMemory, SessionMemory};
        let server = Arc::new(ServerMemory::new(Default::default()));
        let (one, two) = (SessionMemory::new(server.clone()), SessionMemory::new(server));
        let l = UserLocks::default();
        let get = |session, account, name: &str| l.get(session, Some(account), Some(name));
        assert!(matches!(get(1, &one, "a"), Ok(Got::Taken)));
        let each = one.used();
        assert!(each > 100, "{each}");
        assert!(matches!(get(1, &one, "a"), Ok(Got::Taken)));
        assert_eq!(one.used(), each, "a lock that is taken twice is one");
        let Ok(Got::Queued(waits)) = get(2, &two, "a") else { panic!("it is taken") };
        assert_eq!(two.used(), each);
        drop(waits);
        assert_eq!(two.used(), 0, "a wait that ends without the lock");
        let Ok(Got::Queued(waits)) = get(2, &two, "a") else { panic!("it is taken") };
        assert_eq!(l.release_all(1), 2);
        assert!(waits.keep_if_granted());
        assert_eq!((one.used(), two.used()), (0, each));
        one.set_limit(10 * each as u64);
        let refused = (0..20).find_map(|n| get(1, &one, &format!("{n}")).err());
        assert_eq!(refused.map(|e| e.errno), Some(4082));
        assert_eq!(l.release(2, Some("a")).unwrap(), Some(true));
        l.release_all(1);
        assert_eq!((one.used(), two.used()), (0, 0));
        assert!(l.state().owned.is_empty() && l.state().locks.is_empty());
    }
}
