//! FAILED_LOGIN_ATTEMPTS and PASSWORD_LOCK_TIME: an account that so many logins in a row have failed for is blocked for days.
//!
//! It stands beside [`super::attempts`], which slows down anyone who guesses. Counts are not kept over a restart, as in MySQL.

use super::{Account, AccountName, LockTime};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
struct Row {
    failures: u16,
    /// The day, counted from 1970, of the failure that was one too many.
    since: Option<u64>,
}

/// Failures of the accounts that count them.
#[derive(Default)]
pub struct Blocks(Mutex<HashMap<AccountName, Row>>);

/// Why there is no login.
#[derive(Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Of the lock, and what is left of them; none for ever.
    days: Option<(u16, u64)>,
    attempts: u16,
}

impl Blocked {
    /// What follows `Access denied for user 'u'@'h'.`
    pub fn text(&self) -> String {
        let (all, left) = match self.days {
            Some((all, left)) => (all.to_string(), left.to_string()),
            None => ("unlimited".to_owned(), "unlimited".to_owned()),
        };
        format!(
            "Account is blocked for {all} day(s) ({left} day(s) remaining) due to {} consecutive failed logins.",
            self.attempts
        )
    }
}

impl Blocks {
    fn rows(&self) -> MutexGuard<'_, HashMap<AccountName, Row>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A password was judged. While the account is blocked, a right one does not help.
    pub fn judged(&self, account: &Account, proved: bool, today: u64) -> Option<Blocked> {
        let attempts = account.policy.attempts;
        let days = match account.policy.lock_time {
            LockTime::Days(n) => Some(n),
            LockTime::Unbounded => None,
        };
        if attempts == 0 || days == Some(0) {
            return None;
        }
        let mut rows = self.rows();
        let row = rows.entry(account.name()).or_default();
        let over = |since: u64| days.is_some_and(|n| today >= since + u64::from(n));
        if row.since.is_some_and(over) {
            *row = Row::default();
        }
        if row.since.is_none() {
            row.failures = if proved { 0 } else { row.failures.saturating_add(1) };
            if row.failures < attempts {
                return None;
            }
            row.since = Some(today);
        }
        let until = |n: u16| row.since.unwrap_or(today) + u64::from(n);
        Some(Blocked { days: days.map(|n| (n, until(n).saturating_sub(today))), attempts })
    }

    /// FLUSH PRIVILEGES.
    pub fn forget_all(&self) {
        self.rows().clear();
    }

    pub(super) fn forget(&self, name: &AccountName) {
        self.rows().remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_in_a_row_block_for_days() {
        let mut a = Account::new(&AccountName::new("u", "%"));
        let blocks = Blocks::default();
        assert!((0..9).all(|_| blocks.judged(&a, false, 1).is_none()));
        (a.policy.attempts, a.policy.lock_time) = (2, LockTime::Days(3));
        assert_eq!(blocks.judged(&a, false, 10), None);
        assert_eq!(blocks.judged(&a, true, 10), None);
        assert_eq!(blocks.judged(&a, false, 10), None);
        let left = |proved, day| blocks.judged(&a, proved, day).map(|b| b.days.unwrap().1);
        assert_eq!((left(false, 10), left(true, 11), left(true, 12)), (Some(3), Some(2), Some(1)));
        // The days are over: a new row begins.
        assert_eq!((left(false, 13), left(false, 13)), (None, Some(3)));
        blocks.forget(&a.name());
        assert_eq!(left(true, 13), None);
        a.policy.lock_time = LockTime::Unbounded;
        blocks.judged(&a, false, 13);
        let text = blocks.judged(&a, false, 13).unwrap().text();
        assert_eq!(
            text,
            "Account is blocked for unlimited day(s) (unlimited day(s) remaining) due to 2 consecutive failed logins."
        );
        assert!(blocks.judged(&a, true, 1_000_000).is_some());
        blocks.forget_all();
        assert_eq!(blocks.judged(&a, true, 13), None);
    }
}
