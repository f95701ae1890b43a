//! One opened database with what its sessions share.

use super::Filter;
use crate::account::{Access, Account, AccountStore, Accounts, PasswordHasher};
use crate::context::RowFilter;
use crate::ddl::engine_error;
use crate::memory::ServerMemory;
use crate::meta::MetaCache;
use crate::query::{Plan, VirtualLookup};
use crate::session_api::{ConnInfo, Sessions, SqlError};
use crate::status::Status;
use crate::vars::GlobalVars;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use weir_engine::Db;

/// Plans of statements by their normalised text, shared by all sessions.
#[derive(Default)]
pub struct TextPlans(RwLock<HashMap<Box<[u8]>, Arc<Plan>>>);

/// Plans kept; beyond, those of an older catalog go first, then all.
const KEEP: usize = 2048;

impl TextPlans {
    pub fn get(&self, key: &[u8]) -> Option<Arc<Plan>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub fn put(&self, key: &[u8], plan: &Arc<Plan>) {
        let mut map = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if map.len() >= KEEP {
            map.retain(|_, p| p.catalog_version() == plan.catalog_version());
        }
        if map.len() >= KEEP {
            map.clear();
        }
        map.insert(key.into(), plan.clone());
    }
}

/// One opened database, as sessions see it.
pub struct Instance {
    pub db: Db,
    pub accounts: Arc<Accounts>,
    pub vars: Arc<GlobalVars>,
    pub status: Arc<Status>,
    /// What all sessions hold.
    pub memory: Arc<ServerMemory>,
    pub meta: MetaCache,
    pub plans: TextPlans,
    /// The server's sessions, once there is a server.
    pub sessions: OnceLock<Arc<dyn Sessions>>,
    pub virtuals: VirtualLookup,
    pub filter: Box<dyn RowFilter>,
    /// Microseconds since 1970 UTC.
    pub started_micros: i64,
}

/// Accounts in the engine's key-value store.
struct EngineStore(Db);

const ACCOUNTS: &[u8] = b"accounts";

impl AccountStore for EngineStore {
    fn load(&self) -> crate::account::BoxFuture<'_, Result<Option<Vec<u8>>, SqlError>> {
        Box::pin(async { self.0.meta_get(ACCOUNTS).await.map_err(engine_error) })
    }

    fn save(&self, bytes: Vec<u8>) -> crate::account::BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move { self.0.meta_put(ACCOUNTS, &bytes).await.map_err(engine_error) })
    }
}

impl Instance {
    /// Loads the accounts; everything else is filled on demand.
    pub async fn open(
        db: Db,
        vars: Arc<GlobalVars>,
        hasher: Box<dyn PasswordHasher>,
    ) -> Result<Arc<Instance>, SqlError> {
        let accounts = Accounts::open(Box::new(EngineStore(db.clone())), hasher).await?;
        let engine = db.clone();
        vars.read_pressure_by(move || engine.pressure().value);
        let started_micros = db.rt().wall_micros() as i64;
        Ok(Arc::new_cyclic(|me| Instance {
            db,
            accounts: Arc::new(accounts),
            memory: Arc::new(ServerMemory::new(vars.clone())),
            vars,
            status: Arc::new(Status::default()),
            meta: MetaCache::new(),
            plans: TextPlans::default(),
            sessions: OnceLock::new(),
            virtuals: crate::infoschema::lookup,
            filter: Box::new(Filter(me.clone())),
            started_micros,
        }))
    }

    /// The rights of whoever connected.
    pub fn access_of(&self, c: &ConnInfo) -> Access {
        let none = || {
            Arc::new(Account {
                user: c.account_user.clone(),
                host: c.account_host.clone(),
                plugin: crate::account::AuthPlugin::CachingSha2,
                credential: String::new(),
                locked: true,
                global: Default::default(),
                databases: Vec::new(),
            })
        };
        let account = self.accounts.get(&c.account_user, &c.account_host).unwrap_or_else(none);
        self.accounts.access(&account, &c.host)
    }
}
