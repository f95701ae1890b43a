//! CREATE, ALTER, DROP and RENAME USER, and SET PASSWORD, on plain arguments. Each is all or nothing. Whether the caller may do
//! it is checked before.

use super::policy::Fresh;
use super::{
    Account, AccountName, Accounts, AuthPlugin, PasswordHasher, PolicyChange, PolicyDefaults, roles,
};
use crate::errno;
use crate::session_api::SqlError;
use crate::tls::Require;
use std::sync::Arc;

/// The IDENTIFIED clause.
#[derive(Clone, Debug, PartialEq)]
pub enum Auth {
    /// None given: an empty password (CREATE) or no change (ALTER).
    None,
    /// `IDENTIFIED [WITH plugin] BY 'password'`; without plugin the default (CREATE) or the
    /// account's own (ALTER).
    Password { plugin: Option<AuthPlugin>, password: Vec<u8> },
    /// `IDENTIFIED WITH plugin AS 'hash'`.
    Hash { plugin: AuthPlugin, credential: String },
    /// `IDENTIFIED WITH plugin`: an empty password.
    Plugin(AuthPlugin),
    /// `RETAIN CURRENT PASSWORD` behind one of these.
    Retaining(Box<Auth>),
    /// `DISCARD OLD PASSWORD`.
    DiscardOld,
}

/// What CREATE and ALTER USER say beside names and passwords; `None` leaves it as it is.
#[derive(Clone, Debug, Default)]
pub struct AccountOptions {
    /// ACCOUNT LOCK or UNLOCK.
    pub locked: Option<bool>,
    pub require: Option<Require>,
    pub policy: PolicyChange,
    /// What DEFAULT means at the time.
    pub defaults: PolicyDefaults,
    /// Seconds since 1970.
    pub now: u64,
}

impl Auth {
    /// A password or a method is set.
    pub fn is_set(&self) -> bool {
        !matches!(self, Auth::None | Auth::DiscardOld)
    }
}

impl From<Option<bool>> for AccountOptions {
    fn from(locked: Option<bool>) -> AccountOptions {
        AccountOptions { locked, ..AccountOptions::default() }
    }
}

/// A note for SHOW WARNINGS (IF EXISTS and IF NOT EXISTS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub errno: u16,
    pub message: String,
}

/// ER_USER_DOES_NOT_EXIST and ER_USER_ALREADY_EXISTS, which MySQL sends as notes only.
const USER_DOES_NOT_EXIST: u16 = errno::ER_USER_DOES_NOT_EXIST;
pub(super) const USER_ALREADY_EXISTS: u16 = errno::ER_USER_ALREADY_EXISTS;

/// 1396 for all that failed.
pub(super) fn failed(operation: &str, names: &[&AccountName]) -> SqlError {
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    SqlError::of(errno::ER_CANNOT_USER, &[&operation, &names.join(",")])
}

/// Longest names, as in MySQL.
pub fn check_lengths(name: &AccountName) -> Result<(), SqlError> {
    let too_long = |text: &str, what: &str, max: usize| {
        Err(SqlError::of(errno::ER_WRONG_STRING_LENGTH, &[&text, &what, &max]))
    };
    if name.user.chars().count() > 32 {
        return too_long(&name.user, "user name", 32);
    }
    if name.host.chars().count() > 255 {
        return too_long(&name.host, "host name", 255);
    }
    Ok(())
}

fn credential(
    hasher: &dyn PasswordHasher,
    auth: &Auth,
    default: AuthPlugin,
) -> Result<Option<Fresh>, SqlError> {
    let mut given = None;
    let (plugin, credential) = match auth {
        Auth::None | Auth::DiscardOld => return Ok(None),
        Auth::Retaining(auth) => {
            let fresh = credential(hasher, auth, default)?;
            return Ok(fresh.map(|f| Fresh { retains: true, ..f }));
        }
        Auth::Password { plugin, password } => {
            let plugin = plugin.unwrap_or(default);
            given = Some(password.clone());
            (plugin, hasher.hash(plugin, password))
        }
        Auth::Plugin(plugin) => (*plugin, String::new()),
        Auth::Hash { plugin, credential } => {
            if !credential.is_empty() && !hasher.is_credential(*plugin, credential) {
                return Err(SqlError::of(errno::ER_PASSWORD_FORMAT, &[]));
            }
            (*plugin, credential.clone())
        }
    };
    Ok(Some(Fresh { plugin, credential, password: given, retains: false }))
}

impl Accounts {
    /// CREATE USER. The default plugin is caching_sha2_password; a caller
    /// with another default names it in `auth`.
    pub async fn create_users(
        &self,
        users: &[(AccountName, Auth)],
        if_not_exists: bool,
        options: impl Into<AccountOptions>,
    ) -> Result<Vec<Note>, SqlError> {
        let options = options.into();
        let mut fresh = Vec::new();
        for (name, auth) in users {
            check_lengths(name)?;
            let default = AuthPlugin::CachingSha2;
            let own = credential(self.hasher(), auth, default)?;
            let own = own.unwrap_or(Fresh {
                plugin: default,
                credential: String::new(),
                password: None,
                retains: false,
            });
            let mut account = Account::new(name);
            account.alter(Some(own), &options, self.hasher())?;
            fresh.push(account);
        }
        self.edit(|list| {
            let mut notes = Vec::new();
            let mut existing = Vec::new();
            for ((name, _), account) in users.iter().zip(fresh) {
                if !list.iter().any(|a| name.is(a)) {
                    list.push(Arc::new(account));
                } else if if_not_exists {
                    let message = format!("Authorization ID {name} already exists.");
                    notes.push(Note { errno: USER_ALREADY_EXISTS, message });
                } else {
                    existing.push(name);
                }
            }
            if existing.is_empty() { Ok(notes) } else { Err(failed("CREATE USER", &existing)) }
        })
        .await
    }

    /// ALTER USER.
    pub async fn alter_users(
        &self,
        users: &[(AccountName, Auth)],
        if_exists: bool,
        options: impl Into<AccountOptions>,
    ) -> Result<Vec<Note>, SqlError> {
        let options = options.into();
        // Hashing is slow on purpose; it is done before the change begins.
        let mut fresh = Vec::new();
        for (name, auth) in users {
            let own = self.get(&name.user, &name.host).map(|a| a.plugin);
            fresh.push(credential(self.hasher(), auth, own.unwrap_or(AuthPlugin::CachingSha2))?);
        }
        let notes = self
            .edit(|list| {
                let mut notes = Vec::new();
                let mut missing = Vec::new();
                for ((name, auth), fresh) in users.iter().zip(fresh) {
                    let Some(account) = list.iter_mut().find(|a| name.is(a)) else {
                        missing.push(name);
                        continue;
                    };
                    let account = Arc::make_mut(account);
                    if *auth == Auth::DiscardOld {
                        account.policy.second = None;
                    }
                    account.alter(fresh, &options, self.hasher())?;
                }
                if !if_exists && !missing.is_empty() {
                    return Err(failed("ALTER USER", &missing));
                }
                notes.extend(missing.into_iter().map(does_not_exist));
                Ok(notes)
            })
            .await?;
        for (name, _) in users {
            if options.locked == Some(false) || options.policy.of_attempts() {
                self.blocks.forget(name);
            }
            if options.policy.of_resources() {
                self.usages.begin_anew_of(name);
            }
        }
        Ok(notes)
    }

    /// SET PASSWORD.
    pub async fn set_password(
        &self,
        name: &AccountName,
        password: &[u8],
        retains: bool,
        options: AccountOptions,
    ) -> Result<(), SqlError> {
        let auth = Auth::Password { plugin: None, password: password.to_vec() };
        let auth = if retains { Auth::Retaining(Box::new(auth)) } else { auth };
        if self.get(&name.user, &name.host).is_none() {
            return Err(SqlError::of(errno::ER_PASSWORD_NO_MATCH, &[]));
        }
        self.alter_users(&[(name.clone(), auth)], false, options).await.map(|_| ())
    }

    /// DROP USER.
    pub async fn drop_users(
        &self,
        names: &[AccountName],
        if_exists: bool,
    ) -> Result<Vec<Note>, SqlError> {
        self.edit(|list| {
            let missing = roles::missing(list, names);
            if !if_exists && !missing.is_empty() {
                return Err(failed("DROP USER", &missing));
            }
            let policy = self.policy();
            names.iter().try_for_each(|n| policy.refuse_mandatory(n))?;
            list.retain(|a| !names.iter().any(|name| name.is(a)));
            roles::forget(list, names);
            Ok(missing.into_iter().map(does_not_exist).collect())
        })
        .await
        .inspect(|_| names.iter().for_each(|name| self.forget_use(name)))
    }

    /// An account is gone: one that is made again under its name begins again.
    pub(super) fn forget_use(&self, name: &AccountName) {
        self.blocks.forget(name);
        self.usages.forget(name);
    }

    /// RENAME USER.
    pub async fn rename_users(&self, pairs: &[(AccountName, AccountName)]) -> Result<(), SqlError> {
        pairs.iter().try_for_each(|(_, to)| check_lengths(to))?;
        let policy = self.policy();
        self.edit(|list| {
            let mut bad = Vec::new();
            for (from, to) in pairs {
                roles::refuse_rename(list, from, &policy)?;
                let taken = list.iter().any(|a| to.is(a));
                match list.iter_mut().find(|a| from.is(a)) {
                    Some(account) if !taken => {
                        let account = Arc::make_mut(account);
                        account.user = to.user.clone();
                        account.host = to.host.clone();
                    }
                    _ => bad.push(from),
                }
            }
            if bad.is_empty() { Ok(()) } else { Err(failed("RENAME USER", &bad)) }
        })
        .await?;
        for (from, to) in pairs {
            self.blocks.forget(from);
            self.usages.rename(from, to);
        }
        Ok(())
    }
}

pub(super) fn does_not_exist(name: &AccountName) -> Note {
    Note { errno: USER_DOES_NOT_EXIST, message: format!("Authorization ID {name} does not exist.") }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{MemStore, PlainHasher, accounts, now};
    use super::super::{Peer, show_create_user};
    use super::*;

    fn password(text: &str) -> Auth {
        Auth::Password { plugin: None, password: text.as_bytes().to_vec() }
    }

    #[test]
    fn users_come_change_and_go() {
        let accounts = accounts();
        let a = AccountName::new("a", "%");
        let b = AccountName::new("b", "LOCALHOST");
        let users = [(a.clone(), password("x")), (b.clone(), Auth::None)];
        now(accounts.create_users(&users, false, None)).unwrap();
        let error = now(accounts.create_users(&users, false, None)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "ERROR 1396 (HY000): Operation CREATE USER failed for 'a'@'%','b'@'localhost'"
        );
        assert_eq!(now(accounts.create_users(&users, true, None)).unwrap().len(), 2);
        now(accounts.set_password(&a, b"y", false, AccountOptions::default())).unwrap();
        assert_eq!(accounts.get("a", "%").unwrap().credential, "h:y");
        now(accounts.alter_users(&[(a.clone(), Auth::None)], false, Some(true))).unwrap();
        assert!(accounts.get("a", "%").unwrap().locked);
        let c = AccountName::new("c", "%");
        now(accounts.rename_users(&[(a.clone(), c.clone())])).unwrap();
        assert_eq!(
            now(accounts.drop_users(std::slice::from_ref(&a), false)).unwrap_err().errno,
            1396
        );
        assert_eq!(now(accounts.drop_users(&[a, c], true)).unwrap().len(), 1);
        assert_eq!(accounts.list().len(), 2);
    }

    #[test]
    fn a_failed_statement_changes_nothing() {
        let accounts = accounts();
        let a = AccountName::new("a", "%");
        let root = AccountName::new("root", "localhost");
        let users = [(a, Auth::None), (root, Auth::None)];
        let version = accounts.version();
        now(accounts.create_users(&users, false, None)).unwrap_err();
        assert_eq!(accounts.list().len(), 1);
        assert_eq!(accounts.version(), version);
    }

    #[test]
    fn the_most_specific_host_wins() {
        let accounts = accounts();
        let user = |host: &str| (AccountName::new("u", host), Auth::None);
        let users =
            [user("%"), user("10.%"), user("10.0.0.1"), (AccountName::new("", "%"), Auth::None)];
        now(accounts.create_users(&users, false, None)).unwrap();
        let login = |name: &str, ip: &str| {
            let found = accounts.find_for_login(name, Peer::Ip(ip.parse().unwrap()));
            found.map(|a| format!("{}@{}", a.user, a.host))
        };
        assert_eq!(login("u", "10.0.0.1").as_deref(), Some("u@10.0.0.1"));
        assert_eq!(login("u", "10.0.0.2").as_deref(), Some("u@10.%"));
        assert_eq!(login("u", "11.0.0.2").as_deref(), Some("u@%"));
        assert_eq!(login("other", "11.0.0.2").as_deref(), Some("@%"));
        assert_eq!(login("root", "127.0.0.1").as_deref(), Some("root@localhost"));
    }

    #[test]
    fn accounts_survive_a_restart() {
        let store = MemStore::default();
        let open = || now(Accounts::open(Box::new(store.clone()), Box::new(PlainHasher))).unwrap();
        let first = open();
        assert!(first.has_open_superuser());
        let root = AccountName::new("root", "localhost");
        let at = AccountOptions { now: 77, ..AccountOptions::default() };
        now(first.set_password(&root, b"secret", false, at)).unwrap();
        assert!(!first.has_open_superuser());
        let second = open();
        assert_eq!(second.get("root", "localhost").unwrap().credential, "h:secret");
        assert_eq!(second.get("root", "localhost").unwrap().changed, Some(77));
        assert_eq!(
            show_create_user(&second.get("root", "localhost").unwrap()),
            "CREATE USER `root`@`localhost` IDENTIFIED WITH 'caching_sha2_password' AS 'h:secret' \
             REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK PASSWORD HISTORY DEFAULT \
             PASSWORD REUSE INTERVAL DEFAULT PASSWORD REQUIRE CURRENT DEFAULT"
        );
    }
}
