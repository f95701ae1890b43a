//! GET_LOCK and its family: names that belong to sessions, not to transactions.
//!
//! Invariants:
//! - A lock has an owner, or it is not in the table. Whoever lets go hands it to the first in its queue under the same mutex, so a
//!   name is never free while somebody waits for it.
//! - A session waits for one name at most, so "owner waits for" is a chain, and a wait that would close it to a circle is refused
//!   before it begins (3058). Whoever stands between in a queue needs no edge: when it gets the lock it is the owner.
//! - A waiter that goes away, for whatever reason, leaves the queue, and hands on what it was given meanwhile.

use crate::errno;
use crate::session_api::SqlError;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use weir_rt::Event;

/// Characters of a name at most.
const NAME_MAX: usize = 64;

/// The user-level locks of a server.
#[derive(Default)]
pub struct UserLocks(Mutex<State>);

#[derive(Default)]
struct State {
    locks: HashMap<String, Lock>,
    /// Session -> the name that it waits for.
    waits: HashMap<u64, String>,
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
    name: String,
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
        } else if let Some(lock) = s.locks.get_mut(&self.name) {
            lock.queue.retain(|(_, turn)| !Arc::ptr_eq(turn, &self.turn));
        }
    }
}

impl State {
    /// The owner of `name` lets go of it altogether.
    fn release(&mut self, name: &str) {
        let Some(lock) = self.locks.get_mut(name) else { return };
        match lock.queue.pop_front() {
            Some((next, turn)) => {
                (lock.owner, lock.count) = (next, 1);
                self.waits.remove(&next);
                turn.set();
            }
            None => {
                self.locks.remove(name);
            }
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

/// A name as locks are kept by: letter case does not matter. 3057 for one that is none.
pub fn checked_name(name: Option<&str>) -> Result<String, SqlError> {
    let wrong = |shown: &str| {
        let text = format!("Incorrect user-level lock name '{shown}'.");
        SqlError::new(errno::ER_USER_LOCK_WRONG_NAME, text)
    };
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

    /// Takes the lock, or a place in its queue. 3058 when the wait would never end.
    pub fn get(&self, session: u64, name: Option<&str>) -> Result<Got<'_>, SqlError> {
        let name = checked_name(name)?;
        let mut s = self.state();
        match s.locks.get_mut(&name) {
            None => {
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
        let Some(lock) = s.locks.get_mut(&name) else { return Ok(None) };
        if lock.owner != session {
            return Ok(Some(false));
        }
        lock.count -= 1;
        if lock.count == 0 {
            s.release(&name);
        }
        Ok(Some(true))
    }

    /// Lets go of all that the session has; how often it had taken them.
    pub fn release_all(&self, session: u64) -> u64 {
        let mut s = self.state();
        let own = s.locks.iter().filter(|(_, l)| l.owner == session);
        let own: Vec<(String, u64)> = own.map(|(n, l)| (n.clone(), l.count)).collect();
        own.iter().for_each(|(name, _)| s.release(name));
        own.iter().map(|(_, count)| count).sum()
    }

    /// Whether the session has some.
    pub fn has_any(&self, session: u64) -> bool {
        self.state().locks.values().any(|l| l.owner == session)
    }

    /// The session that has it.
    pub fn owner(&self, name: Option<&str>) -> Result<Option<u64>, SqlError> {
        let name = checked_name(name)?;
        Ok(self.state().locks.get(&name).map(|l| l.owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(l: &UserLocks, session: u64, name: &str) -> bool {
        matches!(l.get(session, Some(name)), Ok(Got::Taken))
    }

    fn queued<'l>(l: &'l UserLocks, session: u64, name: &str) -> Queued<'l> {
        match l.get(session, Some(name)) {
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
        assert_eq!(l.get(3, Some("a")).err().map(|e| e.errno), Some(3058));
        assert!(matches!(l.get(4, Some("a")), Ok(Got::Queued(_))));
        drop(waits);
        assert!(matches!(l.get(3, Some("a")), Ok(Got::Queued(_))));
    }

    #[test]
    fn names() {
        for bad in [None, Some(""), Some(&*"x".repeat(65))] {
            assert_eq!(checked_name(bad).unwrap_err().errno, 3057);
        }
        assert_eq!(checked_name(Some(&"Ä".repeat(64))).unwrap(), "ä".repeat(64));
    }
}
