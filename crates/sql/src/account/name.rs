//! Names of accounts and roles.

use super::Account;
use std::fmt;

/// `'user'@'host'`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountName {
    pub user: String,
    /// In lower case.
    pub host: String,
}

impl AccountName {
    pub fn new(user: &str, host: &str) -> AccountName {
        AccountName { user: user.to_owned(), host: host.to_ascii_lowercase() }
    }

    pub(super) fn is(&self, account: &Account) -> bool {
        account.user == self.user && account.host.eq_ignore_ascii_case(&self.host)
    }

    /// As SHOW GRANTS, CURRENT_ROLE() and the messages about roles write it.
    pub fn quoted(&self) -> String {
        format!("{}@{}", quote(&self.user), quote(&self.host))
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'@'{}'", self.user, self.host)
    }
}

pub(super) fn quote(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
