//! CREATE, ALTER, DROP and RENAME USER, GRANT, REVOKE, SET PASSWORD, SHOW GRANTS, on plain
//! arguments. Each is all or nothing. Whether the caller may do it is checked before, with
//! [`super::Access`] and [`check_grantable`].

use super::{Access, Account, Accounts, AuthPlugin, PasswordHasher, Privileges, TableRights, host};
use crate::errno;
use crate::session_api::SqlError;
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

/// `'user'@'host'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountName {
    pub user: String,
    pub host: String,
}

impl AccountName {
    pub fn new(user: &str, host: &str) -> AccountName {
        AccountName { user: user.to_owned(), host: host.to_ascii_lowercase() }
    }

    fn is(&self, account: &Account) -> bool {
        account.user == self.user && account.host.eq_ignore_ascii_case(&self.host)
    }
}

impl fmt::Display for AccountName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'@'{}'", self.user, self.host)
    }
}

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
}

/// What a grant is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantLevel {
    Global,
    /// Name pattern of databases.
    Database(String),
    /// A table or view.
    Table {
        schema: String,
        table: String,
    },
}

/// A note for SHOW WARNINGS (IF EXISTS and IF NOT EXISTS).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub errno: u16,
    pub message: String,
}

/// ER_USER_DOES_NOT_EXIST and ER_USER_ALREADY_EXISTS, which MySQL sends as notes only.
const USER_DOES_NOT_EXIST: u16 = 3162;
const USER_ALREADY_EXISTS: u16 = 3163;

/// 1396 for all that failed.
fn failed(operation: &str, names: &[&AccountName]) -> SqlError {
    let names: Vec<_> = names.iter().map(ToString::to_string).collect();
    SqlError::new(
        errno::ER_CANNOT_USER,
        format!("Operation {operation} failed for {}", names.join(",")),
    )
}

/// Longest names, as in MySQL.
fn check_lengths(name: &AccountName) -> Result<(), SqlError> {
    let too_long = |text: &str, what: &str, max: usize| {
        let text =
            format!("String '{text}' is too long for {what} (should be no longer than {max})");
        Err(SqlError::new(1470, text))
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
) -> Result<Option<(AuthPlugin, String)>, SqlError> {
    Ok(Some(match auth {
        Auth::None => return Ok(None),
        Auth::Password { plugin, password } => {
            let plugin = plugin.unwrap_or(default);
            (plugin, hasher.hash(plugin, password))
        }
        Auth::Plugin(plugin) => (*plugin, String::new()),
        Auth::Hash { plugin, credential } => {
            if !credential.is_empty() && !hasher.is_credential(*plugin, credential) {
                let text = "The password hash doesn't have the expected format.";
                return Err(SqlError::new(1827, text));
            }
            (*plugin, credential.clone())
        }
    }))
}

impl Accounts {
    /// CREATE USER. `locked`: ACCOUNT LOCK. The default plugin is caching_sha2_password; a caller
    /// with another default names it in `auth`.
    pub async fn create_users(
        &self,
        users: &[(AccountName, Auth)],
        if_not_exists: bool,
        locked: Option<bool>,
    ) -> Result<Vec<Note>, SqlError> {
        let mut fresh = Vec::new();
        for (name, auth) in users {
            check_lengths(name)?;
            let (plugin, credential) = credential(self.hasher(), auth, AuthPlugin::CachingSha2)?
                .unwrap_or((AuthPlugin::CachingSha2, String::new()));
            fresh.push(Account {
                user: name.user.clone(),
                host: name.host.clone(),
                plugin,
                credential,
                locked: locked.unwrap_or(false),
                global: Privileges::NONE,
                databases: Vec::new(),
                tables: Arc::default(),
            });
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
        locked: Option<bool>,
    ) -> Result<Vec<Note>, SqlError> {
        // Hashing is slow on purpose; it is done before the change begins.
        let mut fresh = Vec::new();
        for (name, auth) in users {
            let own = self.get(&name.user, &name.host).map(|a| a.plugin);
            fresh.push(credential(self.hasher(), auth, own.unwrap_or(AuthPlugin::CachingSha2))?);
        }
        self.edit(|list| {
            let mut notes = Vec::new();
            let mut missing = Vec::new();
            for ((name, _), fresh) in users.iter().zip(fresh) {
                let Some(account) = list.iter_mut().find(|a| name.is(a)) else {
                    missing.push(name);
                    continue;
                };
                let account = Arc::make_mut(account);
                if let Some((plugin, credential)) = fresh {
                    account.plugin = plugin;
                    account.credential = credential;
                }
                account.locked = locked.unwrap_or(account.locked);
            }
            if !if_exists && !missing.is_empty() {
                return Err(failed("ALTER USER", &missing));
            }
            notes.extend(missing.into_iter().map(does_not_exist));
            Ok(notes)
        })
        .await
    }

    /// SET PASSWORD.
    pub async fn set_password(&self, name: &AccountName, password: &[u8]) -> Result<(), SqlError> {
        let auth = Auth::Password { plugin: None, password: password.to_vec() };
        if self.get(&name.user, &name.host).is_none() {
            let text = "Can't find any matching row in the user table";
            return Err(SqlError::new(errno::ER_PASSWORD_NO_MATCH, text));
        }
        self.alter_users(&[(name.clone(), auth)], false, None).await.map(|_| ())
    }

    /// DROP USER.
    pub async fn drop_users(
        &self,
        names: &[AccountName],
        if_exists: bool,
    ) -> Result<Vec<Note>, SqlError> {
        self.edit(|list| {
            let exists = |name: &&AccountName| list.iter().any(|a| name.is(a));
            let (_, missing): (Vec<_>, Vec<_>) = names.iter().partition(exists);
            if !if_exists && !missing.is_empty() {
                return Err(failed("DROP USER", &missing));
            }
            list.retain(|a| !names.iter().any(|name| name.is(a)));
            Ok(missing.into_iter().map(does_not_exist).collect())
        })
        .await
    }

    /// RENAME USER.
    pub async fn rename_users(&self, pairs: &[(AccountName, AccountName)]) -> Result<(), SqlError> {
        pairs.iter().try_for_each(|(_, to)| check_lengths(to))?;
        self.edit(|list| {
            let mut bad = Vec::new();
            for (from, to) in pairs {
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
        .await
    }

    /// GRANT: adds. Accounts are never made by GRANT (1410), as in MySQL 8.0.
    pub async fn grant(
        &self,
        privileges: Privileges,
        level: &GrantLevel,
        to: &[AccountName],
        with_grant_option: bool,
    ) -> Result<(), SqlError> {
        check_level(privileges, level)?;
        let option = if with_grant_option { Privileges::GRANT_OPTION } else { Privileges::NONE };
        let added = privileges | option;
        self.edit(|list| {
            for name in to {
                let account = list.iter_mut().find(|a| name.is(a)).ok_or_else(|| {
                    let text = "You are not allowed to create a user with GRANT";
                    SqlError::new(errno::ER_CANT_CREATE_USER_WITH_GRANT, text)
                })?;
                change(Arc::make_mut(account), level, |held| held | added);
            }
            Ok(())
        })
        .await
    }

    /// REVOKE: takes away.
    pub async fn revoke(
        &self,
        privileges: Privileges,
        level: &GrantLevel,
        from: &[AccountName],
    ) -> Result<(), SqlError> {
        check_level(privileges, level)?;
        self.edit(|list| {
            for name in from {
                let account =
                    list.iter_mut().find(|a| name.is(a)).ok_or_else(|| no_such_grant(name))?;
                if let GrantLevel::Database(db) = level
                    && !account.databases.iter().any(|(pattern, _)| pattern == db)
                {
                    return Err(no_such_grant(name));
                }
                if let GrantLevel::Table { schema, table } = level
                    && !account.tables.iter().any(|t| t.is_on(schema, table))
                {
                    return Err(no_such_table_grant(name, table));
                }
                change(Arc::make_mut(account), level, |held| held.without(privileges));
            }
            Ok(())
        })
        .await
    }

    /// REVOKE ALL PRIVILEGES, GRANT OPTION.
    pub async fn revoke_all(&self, from: &[AccountName]) -> Result<(), SqlError> {
        self.edit(|list| {
            for name in from {
                let account = list.iter_mut().find(|a| name.is(a)).ok_or_else(|| {
                    let text = "Can't revoke all privileges for one or more of the requested users";
                    SqlError::new(1269, text)
                })?;
                let account = Arc::make_mut(account);
                account.global = Privileges::NONE;
                account.databases.clear();
                account.tables = Arc::default();
            }
            Ok(())
        })
        .await
    }
}

fn does_not_exist(name: &AccountName) -> Note {
    Note { errno: USER_DOES_NOT_EXIST, message: format!("Authorization ID {name} does not exist.") }
}

/// 1141.
fn no_such_grant(name: &AccountName) -> SqlError {
    SqlError::new(
        errno::ER_NONEXISTING_GRANT,
        format!("There is no such grant defined for user '{}' on host '{}'", name.user, name.host),
    )
}

/// 1147.
fn no_such_table_grant(name: &AccountName, table: &str) -> SqlError {
    SqlError::new(
        errno::ER_NONEXISTING_TABLE_GRANT,
        format!(
            "There is no such grant defined for user '{}' on host '{}' on table '{table}'",
            name.user, name.host
        ),
    )
}

/// 1221 for a privilege that exists on `*.*` only, 1144 for one that no table has.
fn check_level(privileges: Privileges, level: &GrantLevel) -> Result<(), SqlError> {
    if matches!(level, GrantLevel::Table { .. }) && !Privileges::of_tables().contains(privileges) {
        let text = "Illegal GRANT/REVOKE command; please consult the manual to see which \
                    privileges can be used";
        return Err(SqlError::new(errno::ER_ILLEGAL_GRANT_FOR_TABLE, text));
    }
    let on_database = Privileges::all_database() | Privileges::GRANT_OPTION;
    if matches!(level, GrantLevel::Database(_)) && !on_database.contains(privileges) {
        let text = "Incorrect usage of DB GRANT and GLOBAL PRIVILEGES";
        return Err(SqlError::new(errno::ER_WRONG_USAGE, text));
    }
    Ok(())
}

fn change(account: &mut Account, level: &GrantLevel, f: impl FnOnce(Privileges) -> Privileges) {
    match level {
        GrantLevel::Global => account.global = f(account.global),
        GrantLevel::Database(db) => {
            let list = &mut account.databases;
            let at = list.iter().position(|(pattern, _)| pattern == db).unwrap_or_else(|| {
                list.push((db.clone(), Privileges::NONE));
                list.len() - 1
            });
            list[at].1 = f(list[at].1);
            list.retain(|(_, privileges)| !privileges.is_empty());
            list.sort_by(|(a, _), (b, _)| host::by_specificity(a, b));
        }
        GrantLevel::Table { schema, table } => {
            let list = Arc::make_mut(&mut account.tables);
            let at = list.iter().position(|t| t.is_on(schema, table)).unwrap_or_else(|| {
                let (schema, table) = (schema.clone(), table.clone());
                list.push(TableRights { schema, table, held: Privileges::NONE });
                list.len() - 1
            });
            list[at].held = f(list[at].held);
            list.retain(|t| !t.held.is_empty());
            list.sort_by(|a, b| (&a.schema, &a.table).cmp(&(&b.schema, &b.table)));
        }
    }
}

/// May this session hand out (or take away) `privileges` there? It needs GRANT OPTION and the
/// privileges themselves: 1045 or 1044 as MySQL answers.
pub fn check_grantable(
    access: &mut Access,
    privileges: Privileges,
    level: &GrantLevel,
) -> Result<(), SqlError> {
    let needed = privileges | Privileges::GRANT_OPTION;
    match level {
        GrantLevel::Database(db) if access.on_databases(db).contains(needed) => Ok(()),
        GrantLevel::Database(db) => Err(access.denied_database(db)),
        GrantLevel::Table { schema, table } => {
            access.require_grantable_on(privileges, schema, table)
        }
        GrantLevel::Global if access.global().contains(needed) => Ok(()),
        GrantLevel::Global => Err(access.denied()),
    }
}

fn quote(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// SHOW GRANTS: one line for each level.
pub fn show_grants(account: &Account) -> Vec<String> {
    let to = format!("{}@{}", quote(&account.user), quote(&account.host));
    let line = |held: Privileges, all: Privileges, on: &str| {
        let option = held.contains(Privileges::GRANT_OPTION);
        let plain = held.without(Privileges::GRANT_OPTION);
        let names = match plain {
            Privileges::NONE => "USAGE".to_owned(),
            _ if plain == all => "ALL PRIVILEGES".to_owned(),
            _ => plain.names().collect::<Vec<_>>().join(", "),
        };
        let mut text = format!("GRANT {names} ON {on} TO {to}");
        if option {
            text.push_str(" WITH GRANT OPTION");
        }
        text
    };
    let mut lines = vec![line(account.global, Privileges::all_global(), "*.*")];
    for (db, held) in &account.databases {
        lines.push(line(*held, Privileges::all_database(), &format!("{}.*", quote(db))));
    }
    for t in account.tables.iter() {
        let on = format!("{}.{}", quote(&t.schema), quote(&t.table));
        lines.push(line(t.held, Privileges::all_table(), &on));
    }
    lines
}

/// SHOW CREATE USER.
pub fn show_create_user(account: &Account) -> String {
    let mut text = format!(
        "CREATE USER {}@{} IDENTIFIED WITH '{}'",
        quote(&account.user),
        quote(&account.host),
        account.plugin.name()
    );
    if !account.credential.is_empty() {
        let escaped = account.credential.replace('\\', "\\\\").replace('\'', "\\'");
        let _ = write!(text, " AS '{escaped}'");
    }
    let lock = if account.locked { "LOCK" } else { "UNLOCK" };
    let _ = write!(text, " REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT {lock}");
    text
}

#[cfg(test)]
mod tests {
    use super::super::Peer;
    use super::super::testing::{MemStore, PlainHasher, accounts, now};
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
        now(accounts.set_password(&a, b"y")).unwrap();
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
    fn grants_show_as_mysql_writes_them() {
        let accounts = accounts();
        let a = AccountName::new("a", "%");
        now(accounts.create_users(&[(a.clone(), Auth::None)], false, None)).unwrap();
        let db = GrantLevel::Database("shop".into());
        now(accounts.grant(Privileges::all_database(), &db, std::slice::from_ref(&a), true))
            .unwrap();
        let on_all = Privileges::SELECT | Privileges::PROCESS;
        now(accounts.grant(on_all, &GrantLevel::Global, std::slice::from_ref(&a), false)).unwrap();
        assert_eq!(
            show_grants(&accounts.get("a", "%").unwrap()),
            [
                "GRANT SELECT, PROCESS ON *.* TO `a`@`%`",
                "GRANT ALL PRIVILEGES ON `shop`.* TO `a`@`%` WITH GRANT OPTION",
            ]
        );
        now(accounts.revoke(Privileges::PROCESS, &GrantLevel::Global, std::slice::from_ref(&a)))
            .unwrap();
        let all = Privileges::all_database() | Privileges::GRANT_OPTION;
        now(accounts.revoke(all, &db, std::slice::from_ref(&a))).unwrap();
        assert_eq!(
            show_grants(&accounts.get("a", "%").unwrap()),
            ["GRANT SELECT ON *.* TO `a`@`%`"]
        );
        assert_eq!(
            now(accounts.revoke(all, &db, std::slice::from_ref(&a))).unwrap_err().errno,
            1141
        );
        let nobody = [AccountName::new("nobody", "%")];
        let refused = now(accounts.grant(Privileges::SELECT, &db, &nobody, false));
        assert_eq!(refused.unwrap_err().errno, 1410);
        let global_only = now(accounts.grant(Privileges::SUPER, &db, &[a], false));
        assert_eq!(global_only.unwrap_err().errno, 1221);
    }

    #[test]
    fn only_what_one_has_can_be_granted() {
        let accounts = accounts();
        let a = AccountName::new("a", "%");
        now(accounts.create_users(&[(a.clone(), Auth::None)], false, None)).unwrap();
        let db = GrantLevel::Database("shop".into());
        now(accounts.grant(Privileges::SELECT, &db, &[a], true)).unwrap();
        let mut access = accounts.access(&accounts.get("a", "%").unwrap(), "localhost");
        check_grantable(&mut access, Privileges::SELECT, &db).unwrap();
        assert_eq!(check_grantable(&mut access, Privileges::DROP, &db).unwrap_err().errno, 1044);
        let global = check_grantable(&mut access, Privileges::SELECT, &GrantLevel::Global);
        assert_eq!(global.unwrap_err().errno, 1045);
    }

    #[test]
    fn accounts_survive_a_restart() {
        let store = MemStore::default();
        let open = || now(Accounts::open(Box::new(store.clone()), Box::new(PlainHasher))).unwrap();
        let first = open();
        assert!(first.has_open_superuser());
        let root = AccountName::new("root", "localhost");
        now(first.set_password(&root, b"secret")).unwrap();
        assert!(!first.has_open_superuser());
        let second = open();
        assert_eq!(second.get("root", "localhost").unwrap().credential, "h:secret");
        assert_eq!(
            show_create_user(&second.get("root", "localhost").unwrap()),
            "CREATE USER `root`@`localhost` IDENTIFIED WITH 'caching_sha2_password' AS 'h:secret' \
             REQUIRE NONE PASSWORD EXPIRE DEFAULT ACCOUNT UNLOCK"
        );
    }
}
