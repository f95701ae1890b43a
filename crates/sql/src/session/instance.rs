//! One opened database with what its sessions share.

use super::text_plans::TextPlans;
use crate::account::{
    Access, Account, AccountName, AccountStore, Accounts, GRANT_TABLES, PasswordHasher, RolePolicy,
};
use crate::context::{SYSTEM_SCHEMA, Shared};
use crate::ddl::engine_error;
use crate::digests::Digests;
use crate::memory::ServerMemory;
use crate::meta::temporary::{HIDDEN, TemporaryNames};
use crate::meta::{MetaCache, SchemaMeta, codec};
use crate::session_api::{ConnInfo, SqlError};
use crate::statement_history::StatementHistory;
use crate::status::Status;
use crate::value::Collation;
use crate::vars::{GlobalVars, Var, VarValue};
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use weir_engine::{Db, DdlContext, Rider, SchemaDef};
use weir_rt::Boxed;

/// One opened database with what its sessions share.
pub struct Instance {
    shared: Shared,
    pub(super) plans: TextPlans,
}

impl Deref for Instance {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.shared
    }
}

/// Accounts in the engine's key-value store.
struct EngineStore(Db);

const ACCOUNTS: &[u8] = b"accounts";
const TIMES: &[u8] = b"accounts.times";

impl AccountStore for EngineStore {
    fn load(&self) -> crate::account::BoxFuture<'_, Result<Option<Vec<u8>>, SqlError>> {
        Box::pin(async { self.0.meta_get(ACCOUNTS).await.map_err(engine_error) })
    }

    fn save(&self, bytes: Vec<u8>) -> crate::account::BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move { self.0.meta_put(ACCOUNTS, &bytes).await.map_err(engine_error) })
    }

    fn load_times(&self) -> crate::account::BoxFuture<'_, Result<Option<Vec<u8>>, SqlError>> {
        Box::pin(async { self.0.meta_get(TIMES).await.map_err(engine_error) })
    }

    fn save_times(&self, bytes: Vec<u8>) -> crate::account::BoxFuture<'_, Result<(), SqlError>> {
        Box::pin(async move { self.0.meta_put(TIMES, &bytes).await.map_err(engine_error) })
    }

    fn ride(&self, events: Vec<u8>) -> Option<Rider> {
        Some(self.0.ride_with_events(events))
    }

    fn has_grant_tables(&self) -> bool {
        GRANT_TABLES.iter().any(|name| self.0.table(SYSTEM_SCHEMA, name).is_some())
    }
}

/// How long a start waits for one that it is to drop.
const PATIENCE: Duration = Duration::from_secs(1);

/// Drops the temporary tables whose sessions a crash has ended. One whose transaction is still being rolled back stays for the next start:
/// a start must not wait for that, nor fail. New names come behind those that stay.
async fn forget_temporaries(db: &Db) -> Result<TemporaryNames, SqlError> {
    let mut stay = Vec::new();
    let begun = db.rt().now();
    for table in db.tables(HIDDEN) {
        let waited = Duration::from_nanos(db.rt().now() - begun);
        let lock_timeout = PATIENCE.saturating_sub(waited);
        let alone = DdlContext { lock_timeout, ..DdlContext::default() };
        match db.drop_tables(std::slice::from_ref(&table), &alone).await {
            Ok(()) => {}
            Err(weir_engine::Error::LockWaitTimeout) => stay.push(table),
            Err(e) => return Err(engine_error(e)),
        }
    }
    if stay.is_empty() && db.schema(HIDDEN).is_some() {
        let alone = DdlContext::default();
        db.drop_schema(HIDDEN, &mut |_| Ok(()), &alone).await.map_err(engine_error)?;
    }
    Ok(TemporaryNames::behind(&stay))
}

/// The schema of the server's own tables, which are computed as long as nobody writes to them.
async fn make_system_schema(db: &Db) -> Result<(), SqlError> {
    if db.schema(SYSTEM_SCHEMA).is_some() {
        return Ok(());
    }
    let extra = codec::encode_schema(&SchemaMeta { collation: Collation::Utf8mb40900AiCi });
    match db.create_schema(SchemaDef { name: SYSTEM_SCHEMA.into(), extra }).await {
        // A start by force writes nothing; the tables can be read without it.
        Ok(_) | Err(weir_engine::Error::ForcedRecovery { .. }) => Ok(()),
        Err(e) => Err(engine_error(e)),
    }
}

/// `mandatory_roles` and `activate_all_roles_on_login`, as they are and as they will be set.
fn follow_role_variables(accounts: &Arc<Accounts>, vars: &GlobalVars) -> Result<(), SqlError> {
    let (names, all) =
        (vars.text(Var::mandatory_roles), vars.bool(Var::activate_all_roles_on_login));
    let policy = RolePolicy::parse(&names, all).ok_or_else(|| {
        let text = format!("Variable 'mandatory_roles' can't be set to the value of '{names}'");
        SqlError::new(crate::errno::ER_WRONG_VALUE_FOR_VAR, text)
    })?;
    accounts.set_policy(policy);
    // The variables outlive this database where they are shared, and must not keep it.
    let (of_names, of_all) = (Arc::downgrade(accounts), Arc::downgrade(accounts));
    vars.on_change(
        Var::mandatory_roles,
        Box::new(move |value| {
            let (VarValue::Str(names), Some(accounts)) = (value, of_names.upgrade()) else {
                return Ok(());
            };
            let all = accounts.policy().activate_all;
            let policy = RolePolicy::parse(names, all).ok_or("it is no list of role names")?;
            if accounts.has_system_account(&policy.mandatory) {
                return Err("a role in it has the SYSTEM_USER privilege".into());
            }
            accounts.set_policy(policy);
            Ok(())
        }),
    );
    vars.on_change(
        Var::activate_all_roles_on_login,
        Box::new(move |value| {
            if let Some(accounts) = of_all.upgrade() {
                let mandatory = accounts.policy().mandatory.clone();
                let activate_all = matches!(value, VarValue::Bool(true));
                accounts.set_policy(RolePolicy { mandatory, activate_all });
            }
            Ok(())
        }),
    );
    Ok(())
}

/// The server's number, the second of its start, and a counter: no other start gives the same numbers while fewer than 16 million are
/// asked for in a second.
/// Statements are kept from now on as long as the variable says so.
fn follow_history(inst: &Arc<Instance>) {
    inst.history.turn(inst.vars.bool(Var::weir_statement_history));
    let of = Arc::downgrade(inst);
    let turn = move |value: &VarValue| {
        let on = matches!(value, VarValue::Bool(true));
        of.upgrade().inspect(|i| i.history.turn(on));
        Ok(())
    };
    inst.vars.on_change(Var::weir_statement_history, Box::new(turn));
}

/// As many statements as the variables say; -1 is what MySQL chooses by itself.
fn history_by(vars: &GlobalVars) -> StatementHistory {
    let size = |var, auto| match vars.get(var) {
        VarValue::Int(n) => usize::try_from(n).unwrap_or(auto),
        _ => auto,
    };
    StatementHistory::new(
        size(Var::performance_schema_events_statements_history_size, 10),
        size(Var::performance_schema_events_statements_history_long_size, 10_000),
    )
}

fn first_short_uuid(vars: &GlobalVars, started_micros: i64) -> u64 {
    let second = (started_micros / 1_000_000) as u64;
    (vars.u64(Var::server_id) & 255) << 56 | (second & 0xFFFF_FFFF) << 24
}

impl Instance {
    /// Loads the accounts; everything else is filled on demand.
    pub fn open(
        db: Db,
        vars: Arc<GlobalVars>,
        hasher: Box<dyn PasswordHasher>,
    ) -> Boxed<'static, Result<Arc<Instance>, SqlError>> {
        Box::pin(async move {
            let accounts = Accounts::open(Box::new(EngineStore(db.clone())), hasher).await?;
            let engine = db.clone();
            vars.read_pressure_by(move || engine.pressure().value);
            let started_micros = db.rt().wall_micros() as i64;
            let accounts = Arc::new(accounts);
            follow_role_variables(&accounts, &vars)?;
            // Restrictions that are there hold, so that the variable says so.
            if accounts.has_restrictions() {
                vars.put(Var::partial_revokes, VarValue::Bool(true));
            }
            accounts.set_partial_revokes(vars.bool(Var::partial_revokes))?;
            let temporary_names = forget_temporaries(&db).await?;
            make_system_schema(&db).await?;
            let reference_systems = Arc::new(crate::ddl::reference_system::load(&db)?);
            let shared = Shared {
                db,
                accounts,
                memory: Arc::new(ServerMemory::new(vars.clone())),
                digests: Digests::new(match vars.bool(Var::performance_schema) {
                    true => vars.u64(Var::performance_schema_digests_size) as usize,
                    false => 0,
                }),
                history: history_by(&vars),
                short_uuids: Arc::new(AtomicU64::new(first_short_uuid(&vars, started_micros))),
                vars,
                status: Arc::new(Status::default()),
                meta: MetaCache::new(),
                programs: Default::default(),
                reference_systems,
                user_locks: Arc::default(),
                xids: Arc::default(),
                definitions: Arc::default(),
                events_changed: Default::default(),
                stages: Default::default(),
                prepared: Default::default(),
                read_only: Default::default(),
                persisted: Default::default(),
                sessions: OnceLock::new(),
                server_files: OnceLock::new(),
                backup_files: OnceLock::new(),
                deadlocks: Default::default(),
                statement_logs: OnceLock::new(),
                error_log: OnceLock::new(),
                tls: OnceLock::new(),
                replicas: OnceLock::new(),
                binlog: OnceLock::new(),
                unlogged_branches: Mutex::default(),
                temporary_names,
                virtuals: crate::infoschema::lookup,
                system_tables: Default::default(),
                filter: crate::query::filter_rows,
                bind_rows: crate::query::bind_rows,
                type_of: crate::query::type_of,
                started_micros,
            };
            let inst = Arc::new(Instance { shared, plans: TextPlans::default() });
            let of = Arc::downgrade(&inst);
            let list = move || of.upgrade().map_or_else(Vec::new, |i| i.sessions().list());
            inst.deadlocks.watch(&inst.db, list);
            follow_history(&inst);
            Ok(inst)
        })
    }

    /// The rights of anyone who connected.
    pub fn access_of(&self, c: &ConnInfo) -> Access {
        let none = || {
            let name = AccountName::new(&c.account_user, &c.account_host);
            Arc::new(Account { locked: true, ..Account::new(&name) })
        };
        let account = self.accounts.get(&c.account_user, &c.account_host).unwrap_or_else(none);
        self.accounts.access(&account, &c.host)
    }
}
