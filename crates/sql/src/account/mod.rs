//! Accounts: who may log in from where, and what they may do.
//!
//! An immutable snapshot answers every question; a statement that changes accounts builds the next
//! snapshot, saves it through [`AccountStore`] and swaps it in, so that checks take no lock for
//! longer than an `Arc` clone. Changes hold for running sessions at once. Passwords are hashed by
//! the server ([`PasswordHasher`]); nothing here sees a clock, a file or a socket.

mod access;
pub mod attempts;
mod blocks;
mod codec;
mod grants;
pub mod host;
mod listing;
mod name;
mod policy;
mod privilege;
mod restrictions;
mod roles;
mod statements;
mod tables;
mod times;
mod usage;

pub use access::Access;
pub use blocks::Blocks;
pub use grants::{ColumnRights, GrantLevel, check_grantable};
pub use host::Peer;
pub use listing::{show_create_user, show_grants};
pub use name::AccountName;
pub use policy::{Attribute, LockTime, Policy, PolicyChange, PolicyDefaults, Resources};
pub use privilege::Privileges;
pub use restrictions::Restrictions;
pub use roles::{GrantedRole, RoleChoice, RolePolicy};
pub use statements::{AccountOptions, Auth, Note, check_lengths};
pub use tables::{GRANT_TABLES, GrantRow, GrantRows, ON_ALL, ON_DATABASE};
pub use usage::{Connected, Usages};

use crate::errno;
use crate::session_api::SqlError;
use crate::tls::Require;
use attempts::Attempts;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll, Waker};
use weir_engine::Rider;
use weir_rt::Actor;

/// How a password is kept and proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum AuthPlugin {
    Native = 0,
    CachingSha2 = 1,
    Sha256 = 2,
}

impl AuthPlugin {
    pub fn name(self) -> &'static str {
        match self {
            AuthPlugin::Native => "mysql_native_password",
            AuthPlugin::CachingSha2 => "caching_sha2_password",
            AuthPlugin::Sha256 => "sha256_password",
        }
    }

    pub fn by_name(name: &str) -> Result<AuthPlugin, SqlError> {
        match name.to_ascii_lowercase().as_str() {
            "mysql_native_password" => Ok(AuthPlugin::Native),
            "caching_sha2_password" => Ok(AuthPlugin::CachingSha2),
            "sha256_password" => Ok(AuthPlugin::Sha256),
            _ => Err(SqlError::of(errno::ER_PLUGIN_IS_NOT_LOADED, &[&name])),
        }
    }
}

/// One account.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Empty = anybody.
    pub user: String,
    /// Pattern, see [`host::matches`].
    pub host: String,
    pub plugin: AuthPlugin,
    /// Empty = no password. Native: `*` and SHA1(SHA1(password)) in hex. Caching SHA-2: MySQL's
    /// `$A$005$` form. SHA-256: `$5$`, salt, `$`, hash.
    pub credential: String,
    pub locked: bool,
    /// What its connections must have.
    pub require: Require,
    /// Privileges on `*.*`.
    pub global: Privileges,
    /// Databases that they do not reach.
    pub restrictions: Restrictions,
    /// Privileges on databases by name pattern.
    pub databases: Vec<(String, Privileges)>,
    /// Privileges on single tables and views, which need not exist any more.
    pub tables: Vec<TableRights>,
    /// Privileges on single procedures and functions, which need not exist any more.
    pub routines: Vec<RoutineRights>,
    /// Roles granted to it; any account can be one.
    pub roles: Vec<GrantedRole>,
    /// Those of them that a login activates.
    pub default_roles: Vec<AccountName>,
    /// What bounds it beside its rights.
    pub policy: Policy,
    /// When the password was set, in seconds since 1970, where that is known.
    pub changed: Option<u64>,
}

/// What is granted on one table or view, and on columns of it.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRights {
    pub schema: String,
    pub table: String,
    pub held: Privileges,
    /// Columns by name, with what is held on them beyond `held`.
    pub columns: Vec<ColumnRights>,
}

/// What is granted on one procedure or function.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutineRights {
    pub procedure: bool,
    pub schema: String,
    /// In lower case: names of routines compare without regard to letter case.
    pub name: String,
    pub held: Privileges,
}

impl TableRights {
    pub fn is_on(&self, schema: &str, table: &str) -> bool {
        self.schema == schema && self.table == table
    }

    /// What is held on a column alone; names of columns compare without regard to letter case.
    pub fn on_column(&self, column: &str) -> Privileges {
        let own = self.columns.iter().find(|c| c.is_on(column));
        own.map_or(Privileges::NONE, |c| c.held)
    }

    /// What is held on any column.
    pub fn on_columns(&self) -> Privileges {
        self.columns.iter().fold(Privileges::NONE, |all, c| all | c.held)
    }
}

impl RoutineRights {
    pub fn is_on(&self, procedure: bool, schema: &str, name: &str) -> bool {
        self.procedure == procedure && self.schema == schema && self.name == name.to_lowercase()
    }
}

impl Account {
    /// An account without a right and without a password.
    pub fn new(name: &AccountName) -> Account {
        Account {
            user: name.user.clone(),
            host: name.host.clone(),
            plugin: AuthPlugin::CachingSha2,
            credential: String::new(),
            locked: false,
            require: Require::Nothing,
            global: Privileges::NONE,
            restrictions: Restrictions::default(),
            databases: Vec::new(),
            tables: Vec::new(),
            routines: Vec::new(),
            roles: Vec::new(),
            default_roles: Vec::new(),
            policy: Policy::default(),
            changed: None,
        }
    }

    pub(crate) fn root() -> Account {
        let global = Privileges::all_global() | Privileges::GRANT_OPTION;
        Account { global, ..Account::new(&AccountName::new("root", "localhost")) }
    }

    pub fn name(&self) -> AccountName {
        AccountName::new(&self.user, &self.host)
    }
}

/// A future behind a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where accounts are kept. A save is durable when it returns.
pub trait AccountStore: Send + Sync {
    /// `None`: a fresh data directory.
    fn load(&self) -> BoxFuture<'_, Result<Option<Vec<u8>>, SqlError>>;
    fn save(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<(), SqlError>>;
    /// The times at which passwords were set. They are kept beside the accounts, so that servers that know nothing of them still
    /// read those.
    fn load_times(&self) -> BoxFuture<'_, Result<Option<Vec<u8>>, SqlError>>;
    fn save_times(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<(), SqlError>>;
    /// Has events of the binary log written in the same step as the next save, while what it gives back lives.
    fn ride(&self, events: Vec<u8>) -> Option<Rider>;
    /// Is any of [`GRANT_TABLES`] a table of the engine, which somebody writes to? It has to be read before accounts change.
    fn has_grant_tables(&self) -> bool;
}

/// Hashing, done by the server, which has the cryptography.
pub trait PasswordHasher: Send + Sync {
    /// The credential for a password; empty for an empty one.
    fn hash(&self, plugin: AuthPlugin, password: &[u8]) -> String;
    fn verify(&self, plugin: AuthPlugin, credential: &str, password: &[u8]) -> bool;
    /// Is this text a credential (IDENTIFIED WITH .. AS '..')?
    fn is_credential(&self, plugin: AuthPlugin, text: &str) -> bool;
}

/// Makes the events of a change, of the accounts as it leaves them.
pub type MakeEvents = Box<dyn FnOnce(&[Arc<Account>]) -> Vec<u8> + Send>;

/// While it lives, the next change of its session has events. See [`Accounts::log_next`].
pub struct Logging {
    accounts: Arc<Accounts>,
    session: u64,
}

impl Logging {
    /// No change has come yet.
    pub fn waits(&self) -> bool {
        self.accounts.logged_next().contains_key(&self.session)
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        self.accounts.logged_next().remove(&self.session);
    }
}

/// The accounts of a server.
pub struct Accounts {
    current: RwLock<Arc<[Arc<Account>]>>,
    version: AtomicU64,
    editing: EditLock,
    store: Box<dyn AccountStore>,
    hasher: Box<dyn PasswordHasher>,
    /// What the variables say about roles.
    policy: RwLock<Arc<RolePolicy>>,
    /// `partial_revokes`.
    partial_revokes: AtomicBool,
    /// Logins that failed; not kept over a restart.
    pub attempts: Attempts,
    /// The same for accounts that are blocked after some.
    pub blocks: Blocks,
    /// What has been used of resources.
    pub usages: Usages,
    /// By the numbers of sessions, see [`Accounts::log_next`].
    logged_next: Mutex<HashMap<u64, MakeEvents>>,
}

impl Accounts {
    /// Loads the accounts; a fresh data directory gets `root@localhost` without password.
    pub async fn open(
        store: Box<dyn AccountStore>,
        hasher: Box<dyn PasswordHasher>,
    ) -> Result<Accounts, SqlError> {
        let mut list = match store.load().await? {
            Some(bytes) => codec::decode(&bytes)
                .ok_or_else(|| SqlError::internal("the stored accounts cannot be read"))?,
            None => {
                let root = vec![Account::root()];
                store.save(codec::encode(&[Arc::new(Account::root())])).await?;
                root
            }
        };
        if let Some(bytes) = store.load_times().await? {
            times::remember(&mut list, &bytes);
        }
        Ok(Accounts {
            current: RwLock::new(sorted(list.into_iter().map(Arc::new).collect())),
            version: AtomicU64::new(1),
            editing: EditLock::default(),
            store,
            hasher,
            policy: RwLock::default(),
            partial_revokes: AtomicBool::new(false),
            attempts: Attempts::default(),
            blocks: Blocks::default(),
            usages: Usages::default(),
            logged_next: Mutex::default(),
        })
    }

    fn logged_next(&self) -> MutexGuard<'_, HashMap<u64, MakeEvents>> {
        self.logged_next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next change that the session at hand makes has these events, while what is given back lives.
    pub fn log_next(self: &Arc<Self>, make: MakeEvents) -> Option<Logging> {
        let session = Actor::current().id()?;
        self.logged_next().insert(session, make);
        Some(Logging { accounts: self.clone(), session })
    }

    /// Changes whenever an account does.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub fn hasher(&self) -> &dyn PasswordHasher {
        &*self.hasher
    }

    /// All accounts, most specific host first.
    pub fn list(&self) -> Arc<[Arc<Account>]> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The account that a client of this name from there logs in to.
    pub fn find_for_login(&self, user: &str, peer: Peer) -> Option<Arc<Account>> {
        let list = self.list();
        let fits = |a: &&Arc<Account>| {
            (a.user == user || a.user.is_empty()) && host::matches(&a.host, peer)
        };
        list.iter().find(fits).cloned()
    }

    /// The account of exactly this name.
    pub fn get(&self, user: &str, host: &str) -> Option<Arc<Account>> {
        let list = self.list();
        list.iter().find(|a| a.user == user && a.host.eq_ignore_ascii_case(host)).cloned()
    }

    /// What a session of this account may do, with the roles that a login activates; it follows later changes.
    pub fn access(self: &Arc<Self>, account: &Arc<Account>, from_host: &str) -> Access {
        Access::new(self.clone(), account, from_host)
    }

    pub fn policy(&self) -> Arc<RolePolicy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// `mandatory_roles` or `activate_all_roles_on_login` was set.
    pub fn set_policy(&self, policy: RolePolicy) {
        *self.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    /// Does REVOKE on a database restrict what is granted on all of them?
    pub fn revokes_partially(&self) -> bool {
        self.partial_revokes.load(Ordering::Relaxed)
    }

    /// `partial_revokes` was set. 3896 where it goes off and there are restrictions.
    pub fn set_partial_revokes(&self, on: bool) -> Result<(), SqlError> {
        if !on && self.has_restrictions() {
            return Err(SqlError::of(errno::ER_PARTIAL_REVOKES_EXIST, &[]));
        }
        self.partial_revokes.store(on, Ordering::Relaxed);
        Ok(())
    }

    pub fn has_restrictions(&self) -> bool {
        self.list().iter().any(|a| !a.restrictions.is_empty())
    }

    /// Can somebody with rights over everything log in without a password?
    pub fn has_open_superuser(&self) -> bool {
        let everything = Privileges::SUPER | Privileges::CREATE_USER;
        self.list().iter().any(|a| {
            a.credential.is_empty()
                && !a.locked
                && (a.user == "root" || a.global.intersects(everything))
        })
    }

    /// Is any grant table a table of the engine, which somebody writes to?
    pub fn has_grant_tables(&self) -> bool {
        self.store.has_grant_tables()
    }

    /// Keeps everybody else from changing accounts until it is dropped.
    pub async fn alone(&self) -> Alone<'_> {
        self.editing.enter().await
    }

    /// Replaces all accounts by those of the grant tables' rows. `told`: what is different from what the rows say.
    pub async fn replace(
        &self,
        alone: &Alone<'_>,
        rows: &GrantRows,
        told: &mut Vec<String>,
    ) -> Result<(), SqlError> {
        let new = tables::accounts(rows, told)?;
        self.edit_alone(alone, |list| {
            *list = new.into_iter().map(Arc::new).collect();
            Ok(())
        })
        .await
    }

    /// Runs one change. Errors: 1412 where a grant table has to be read first.
    async fn edit<T>(
        &self,
        change: impl FnOnce(&mut Vec<Arc<Account>>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let alone = self.alone().await;
        if self.has_grant_tables() {
            return Err(SqlError::of(errno::ER_TABLE_DEF_CHANGED, &[]));
        }
        self.edit_alone(&alone, change).await
    }

    /// A change: on a copy, durable before it is seen.
    async fn edit_alone<T>(
        &self,
        _alone: &Alone<'_>,
        change: impl FnOnce(&mut Vec<Arc<Account>>) -> Result<T, SqlError>,
    ) -> Result<T, SqlError> {
        let mut list = self.list().to_vec();
        let known = times::encode(&list);
        let out = change(&mut list)?;
        let list = sorted(list);
        let times = times::encode(&list);
        // First: a time of a password that is not there, after a crash, is one that is not known.
        if times != known {
            self.store.save_times(times).await?;
        }
        let make = Actor::current().id().and_then(|session| self.logged_next().remove(&session));
        let _rides = make.and_then(|make| self.store.ride(make(&list)));
        self.store.save(codec::encode(&list)).await?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = list;
        self.version.fetch_add(1, Ordering::AcqRel);
        Ok(out)
    }
}

/// Most specific host first; named users before the anonymous one.
fn sorted(mut list: Vec<Arc<Account>>) -> Arc<[Arc<Account>]> {
    list.sort_by(|a, b| {
        let by_host = host::by_specificity(&a.host, &b.host);
        by_host.then_with(|| a.user.is_empty().cmp(&b.user.is_empty())).then(a.user.cmp(&b.user))
    });
    list.into()
}

/// A lock that may be held across a wait: saving accounts waits for the engine.
#[derive(Default)]
struct EditLock {
    state: Mutex<(bool, Vec<Waker>)>,
}

/// Held by anyone who changes accounts.
pub struct Alone<'a>(&'a EditLock);

impl EditLock {
    fn enter(&self) -> impl Future<Output = Alone<'_>> + Send {
        std::future::poll_fn(|cx: &mut Context<'_>| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.0 {
                state.1.push(cx.waker().clone());
                return Poll::Pending;
            }
            state.0 = true;
            Poll::Ready(Alone(self))
        })
    }
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = false;
        // Statements on accounts are rare: waking all is simpler than a fair queue.
        state.1.drain(..).for_each(Waker::wake);
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! A store in memory and a hasher that hides nothing.

    use super::*;

    #[derive(Clone, Default)]
    pub(crate) struct MemStore(
        pub(crate) Arc<Mutex<Option<Vec<u8>>>>,
        pub(crate) Arc<Mutex<Option<Vec<u8>>>>,
    );

    impl AccountStore for MemStore {
        fn load(&self) -> BoxFuture<'_, Result<Option<Vec<u8>>, SqlError>> {
            let bytes = self.0.lock().unwrap().clone();
            Box::pin(async move { Ok(bytes) })
        }
        fn save(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<(), SqlError>> {
            *self.0.lock().unwrap() = Some(bytes);
            Box::pin(async { Ok(()) })
        }
        fn load_times(&self) -> BoxFuture<'_, Result<Option<Vec<u8>>, SqlError>> {
            let bytes = self.1.lock().unwrap().clone();
            Box::pin(async move { Ok(bytes) })
        }
        fn save_times(&self, bytes: Vec<u8>) -> BoxFuture<'_, Result<(), SqlError>> {
            *self.1.lock().unwrap() = Some(bytes);
            Box::pin(async { Ok(()) })
        }
        fn ride(&self, _: Vec<u8>) -> Option<Rider> {
            None
        }
        fn has_grant_tables(&self) -> bool {
            false
        }
    }

    pub(crate) struct PlainHasher;

    impl PasswordHasher for PlainHasher {
        fn hash(&self, _plugin: AuthPlugin, password: &[u8]) -> String {
            match password {
                [] => String::new(),
                _ => format!("h:{}", String::from_utf8_lossy(password)),
            }
        }
        fn verify(&self, plugin: AuthPlugin, credential: &str, password: &[u8]) -> bool {
            self.hash(plugin, password) == credential
        }
        fn is_credential(&self, _plugin: AuthPlugin, text: &str) -> bool {
            text.starts_with("h:")
        }
    }

    /// Runs a future that never truly waits.
    pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
        let mut future = std::pin::pin!(future);
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(out) => out,
            Poll::Pending => panic!("it would wait"),
        }
    }

    pub(crate) fn accounts() -> Arc<Accounts> {
        Arc::new(now(Accounts::open(Box::new(MemStore::default()), Box::new(PlainHasher))).unwrap())
    }
}
