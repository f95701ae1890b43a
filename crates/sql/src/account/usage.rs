//! What accounts have used: statements and logins in an hour, connections at a time.
//!
//! An hour begins with the first use after the one before is over, as in MySQL. Nothing here sees a clock: the session does.

use super::{Account, AccountName, Accounts, Resources};
use crate::errno;
use crate::session_api::SqlError;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Nanoseconds.
const HOUR: u64 = 3_600_000_000_000;

#[derive(Default)]
struct Counts {
    /// Of the hour; none before the first use.
    since: Option<u64>,
    queries: u32,
    updates: u32,
    connections: u32,
    at_once: u32,
}

impl Counts {
    /// Begins a new hour when the last one is over.
    fn look(&mut self, now: u64) {
        if self.since.is_none_or(|since| now.saturating_sub(since) >= HOUR) {
            *self = Counts { since: Some(now), at_once: self.at_once, ..Counts::default() };
        }
    }

    fn begin_anew(&mut self) {
        (self.queries, self.updates, self.connections) = (0, 0, 0);
    }
}

/// What one account has used.
#[derive(Default)]
struct Usage(Mutex<Counts>);

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Of all accounts that somebody has logged in to.
#[derive(Default)]
pub struct Usages(Mutex<HashMap<AccountName, Arc<Usage>>>);

impl Usages {
    fn of(&self, name: AccountName) -> Arc<Usage> {
        lock(&self.0).entry(name).or_default().clone()
    }

    /// FLUSH USER_RESOURCES.
    pub fn begin_anew(&self) {
        lock(&self.0).values().for_each(|u| lock(&u.0).begin_anew());
    }

    pub(super) fn begin_anew_of(&self, name: &AccountName) {
        if let Some(u) = lock(&self.0).get(name) {
            lock(&u.0).begin_anew();
        }
    }

    pub(super) fn rename(&self, from: &AccountName, to: &AccountName) {
        let mut all = lock(&self.0);
        if let Some(u) = all.remove(from) {
            all.insert(to.clone(), u);
        }
    }

    pub(super) fn forget(&self, name: &AccountName) {
        lock(&self.0).remove(name);
    }
}

/// One connection of an account; it counts until it is dropped.
pub struct Connected {
    user: String,
    usage: Arc<Usage>,
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut counts = lock(&self.usage.0);
        counts.at_once = counts.at_once.saturating_sub(1);
    }
}

/// 1226.
fn exceeded(user: &str, resource: &str, limit: u32) -> SqlError {
    SqlError::of(errno::ER_USER_LIMIT_REACHED, &[&user, &resource, &limit])
}

impl Connected {
    /// A statement of the client begins. `now` in nanoseconds of any steady clock.
    pub fn query(&self, limits: &Resources, now: u64) -> Result<(), SqlError> {
        let mut counts = lock(&self.usage.0);
        counts.look(now);
        if limits.queries > 0 && counts.queries >= limits.queries {
            return Err(exceeded(&self.user, "max_questions", limits.queries));
        }
        counts.queries = counts.queries.saturating_add(1);
        Ok(())
    }

    /// It changes something.
    pub fn update(&self, limits: &Resources, now: u64) -> Result<(), SqlError> {
        let mut counts = lock(&self.usage.0);
        counts.look(now);
        if limits.updates > 0 && counts.updates >= limits.updates {
            return Err(exceeded(&self.user, "max_updates", limits.updates));
        }
        counts.updates = counts.updates.saturating_add(1);
        Ok(())
    }
}

impl Accounts {
    /// Somebody has logged in to an account. `max`: the variable `max_user_connections`, which the account's own limit goes before.
    pub fn connect(&self, account: &Account, max: u64, now: u64) -> Result<Connected, SqlError> {
        let usage = self.usages.of(account.name());
        let limits = &account.policy.resources;
        let user = account.user.clone();
        {
            let mut counts = lock(&usage.0);
            counts.look(now);
            if limits.at_once == 0 && max > 0 && u64::from(counts.at_once) >= max {
                return Err(SqlError::of(errno::ER_TOO_MANY_USER_CONNECTIONS, &[&user]));
            }
            if limits.at_once > 0 && counts.at_once >= limits.at_once {
                return Err(exceeded(&user, "max_user_connections", limits.at_once));
            }
            if limits.connections > 0 && counts.connections >= limits.connections {
                return Err(exceeded(&user, "max_connections_per_hour", limits.connections));
            }
            counts.connections = counts.connections.saturating_add(1);
            counts.at_once += 1;
        }
        Ok(Connected { user, usage })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::accounts;
    use super::*;

    #[test]
    fn an_hour_is_counted_and_begun_anew() {
        let accounts = accounts();
        let mut a = Account::new(&AccountName::new("u", "%"));
        a.policy.resources = Resources { queries: 2, updates: 1, connections: 3, at_once: 0 };
        let limits = a.policy.resources;
        let enter = |a: &Account, now| accounts.connect(a, 0, now).map_err(|e| e.message);
        let c = enter(&a, 5).unwrap();
        assert!(c.query(&limits, 5).is_ok() && c.query(&limits, HOUR).is_ok());
        let told = c.query(&limits, HOUR - 1).unwrap_err().message;
        assert_eq!(told, "User 'u' has exceeded the 'max_questions' resource (current value: 2)");
        assert!(c.update(&limits, 6).is_ok() && c.update(&limits, 6).is_err());
        assert!(c.query(&limits, HOUR + 5).is_ok() && c.update(&limits, HOUR + 5).is_ok());
        accounts.usages.begin_anew();
        assert!(c.update(&limits, HOUR + 6).is_ok());
        for _ in 0..3 {
            enter(&a, HOUR + 7).unwrap();
        }
        assert!(enter(&a, HOUR + 7).err().unwrap().contains("'max_connections_per_hour'"));
        assert!(enter(&a, 3 * HOUR).is_ok());
    }

    #[test]
    fn connections_at_a_time() {
        let accounts = accounts();
        let mut a = Account::new(&AccountName::new("u", "%"));
        let enter = |a: &Account, max| accounts.connect(a, max, 0).map_err(|e| e.errno);
        let first = enter(&a, 1).unwrap();
        assert_eq!(enter(&a, 1).err(), Some(1203));
        // The account's own limit goes before the variable.
        a.policy.resources.at_once = 2;
        let second = enter(&a, 1).unwrap();
        assert_eq!(enter(&a, 1).err(), Some(1226));
        drop((first, second));
        assert!(enter(&a, 1).is_ok());
    }
}
