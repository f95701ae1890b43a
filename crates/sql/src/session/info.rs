//! What functions ask the session: LAST_INSERT_ID(), DATABASE(), ROW_COUNT() and their like.

use super::Instance;
use crate::errno;
use crate::locks::UserLocks;
use crate::memory::{Account, Held, Over, SessionMemory};
use crate::session_api::{ConnInfo, KillSwitch, Sessions, SqlError};
use crate::value::geo::Srs;
use crate::value::geo::srs::ReferenceSystems;
use crate::value::{SessionInfo, ValueError};
use crate::vars::SERVER_VERSION;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use weir_rt::{Interrupt, Rt};

/// Interior values change while a statement runs, by its own functions; nobody else looks.
pub struct Info {
    pub database: Option<String>,
    user: String,
    account: String,
    /// The session's active roles, as CURRENT_ROLE() gives them.
    roles: Mutex<String>,
    /// Whose rights the stored programs have that run within one another, and with which active roles.
    acting: Mutex<Vec<(String, String)>>,
    /// The state of the session's branch of a distributed transaction.
    branch: Mutex<Option<&'static str>>,
    id: u64,
    rt: Rt,
    kill: Arc<KillSwitch>,
    interrupt: Arc<Interrupt>,
    /// When the statement must be over, by the runtime's clock; 0: no limit.
    deadline: AtomicU64,
    /// The session's account of memory.
    pub memory: Arc<SessionMemory>,
    last_insert_id: AtomicU64,
    /// What SET insert_id gave to the next AUTO_INCREMENT; 0: nothing.
    insert_id: AtomicU64,
    /// A statement took it: the variable says 0 from then on.
    insert_id_taken: AtomicBool,
    /// The statement called LAST_INSERT_ID(expr).
    id_given: AtomicBool,
    row_count: AtomicI64,
    found_rows: AtomicU64,
    /// What the client has sent with the statement: names, and values as texts.
    attributes: Mutex<Attributes>,
    user_locks: Arc<UserLocks>,
    short_uuids: Arc<AtomicU64>,
    reference_systems: Arc<ReferenceSystems>,
    sessions: Option<Arc<dyn Sessions>>,
}

/// With the memory that they take.
#[derive(Default)]
struct Attributes {
    list: Vec<(Vec<u8>, Option<Vec<u8>>)>,
    held: Held,
}

impl Info {
    pub fn set_attributes(&self, list: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> Result<(), Over> {
        let size = |(name, value): &(Vec<u8>, Option<Vec<u8>>)| {
            size_of::<(Vec<u8>, Option<Vec<u8>>)>()
                + name.len()
                + value.as_ref().map_or(0, Vec::len)
        };
        let mut mine = self.attributes.lock().unwrap_or_else(PoisonError::into_inner);
        *mine = Attributes::default();
        mine.held.grow(Some(&self.memory), list.iter().map(size).sum())?;
        mine.list = list;
        Ok(())
    }

    pub fn new(inst: &Instance, c: &ConnInfo, interrupt: &Arc<Interrupt>) -> Info {
        Info {
            database: None,
            user: format!("{}@{}", c.user, c.host),
            account: format!("{}@{}", c.account_user, c.account_host),
            roles: Mutex::new("NONE".into()),
            acting: Mutex::default(),
            branch: Mutex::default(),
            attributes: Mutex::default(),
            id: c.id,
            rt: inst.db.rt().clone(),
            kill: c.kill.clone(),
            interrupt: interrupt.clone(),
            deadline: AtomicU64::new(0),
            memory: SessionMemory::of(inst.memory.clone(), c.id),
            last_insert_id: AtomicU64::new(0),
            insert_id: AtomicU64::new(0),
            insert_id_taken: AtomicBool::new(false),
            id_given: AtomicBool::new(false),
            row_count: AtomicI64::new(-1),
            found_rows: AtomicU64::new(0),
            user_locks: inst.user_locks.clone(),
            short_uuids: inst.short_uuids.clone(),
            reference_systems: inst.reference_systems.clone(),
            sessions: inst.sessions.get().cloned(),
        }
    }

    /// The statement at hand must be over in `millis` from now (`max_execution_time`); 0: no limit.
    pub fn limit_time(&self, millis: u64) {
        let at = match millis {
            0 => 0,
            m => self.rt.now().saturating_add(m.saturating_mul(1_000_000)),
        };
        self.deadline.store(at, Relaxed);
    }

    pub fn reset(&self) {
        self.last_insert_id.store(0, Relaxed);
        self.insert_id.store(0, Relaxed);
        self.row_count.store(-1, Relaxed);
        self.found_rows.store(0, Relaxed);
    }

    /// The active roles of anyone who acts are others now.
    pub fn set_roles(&self, roles: String) {
        let mut acting = self.acting.lock().unwrap_or_else(PoisonError::into_inner);
        match acting.last_mut() {
            Some((_, own)) => *own = roles,
            None => *self.roles.lock().unwrap_or_else(PoisonError::into_inner) = roles,
        }
    }

    pub fn set_branch(&self, state: Option<&'static str>) {
        *self.branch.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// No stored program runs: the one before may have been dropped on its way.
    pub fn forget_programs(&self) {
        self.acting.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A statement starts: it has not called LAST_INSERT_ID(expr) yet.
    pub fn forget_given_id(&self) {
        self.id_given.store(false, Relaxed);
    }

    /// What the statement gave to LAST_INSERT_ID(expr), for the client.
    pub fn given_id(&self) -> Option<u64> {
        self.id_given.load(Relaxed).then(|| self.last_insert_id.load(Relaxed))
    }

    /// SET insert_id gave the next AUTO_INCREMENT a value.
    pub fn gives_insert_id(&self) -> bool {
        self.insert_id.load(Relaxed) != 0
    }

    /// Whether the statement took what SET insert_id gave.
    pub fn insert_id_was_taken(&self) -> bool {
        self.insert_id_taken.load(Relaxed) && self.insert_id_taken.swap(false, Relaxed)
    }

    pub fn set_row_count(&self, n: i64) {
        self.row_count.store(n, Relaxed);
    }

    /// What ROW_COUNT() gives.
    pub fn last_row_count(&self) -> i64 {
        self.row_count.load(Relaxed)
    }

    pub fn set_found_rows(&self, n: u64) {
        self.found_rows.store(n, Relaxed);
    }
}

/// 3024.
pub const OUT_OF_TIME: &str =
    "Query execution was interrupted, maximum statement execution time exceeded";

impl SessionInfo for Info {
    fn stopped(&self) -> Option<ValueError> {
        // A snapshot that is over ends the statement; which error that is, the session knows.
        if self.kill.pending().is_some() || self.interrupt.is_over() {
            return Some(ValueError::of(errno::ER_QUERY_INTERRUPTED, &[]));
        }
        let at = self.deadline.load(Relaxed);
        let over = at > 0 && self.rt.now() >= at;
        over.then(|| ValueError::new(errno::ER_QUERY_TIMEOUT, OUT_OF_TIME))
    }

    fn memory(&self) -> Account<'_> {
        Some(&self.memory)
    }

    fn reference_system(&self, srid: u32) -> Option<Arc<Srs>> {
        self.reference_systems.get(srid)
    }

    fn database(&self) -> Option<String> {
        self.database.clone()
    }
    fn user(&self) -> String {
        self.user.clone()
    }
    fn current_user(&self) -> String {
        let acting = self.acting.lock().unwrap_or_else(PoisonError::into_inner);
        acting.last().map_or(&self.account, |(who, _)| who).clone()
    }
    fn branch(&self) -> Option<&'static str> {
        *self.branch.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn current_role(&self) -> String {
        let acting = self.acting.lock().unwrap_or_else(PoisonError::into_inner);
        match acting.last() {
            Some((_, roles)) => roles.clone(),
            None => self.roles.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
    fn enter_account(&self, definer: Option<(String, String)>) {
        let who = definer.unwrap_or_else(|| (self.current_user(), self.current_role()));
        self.acting.lock().unwrap_or_else(PoisonError::into_inner).push(who);
    }
    fn leave_account(&self) {
        self.acting.lock().unwrap_or_else(PoisonError::into_inner).pop();
    }
    fn connection_id(&self) -> u64 {
        self.id
    }
    fn last_insert_id(&self) -> u64 {
        self.last_insert_id.load(Relaxed)
    }
    fn take_insert_id(&self) -> u64 {
        match self.insert_id.load(Relaxed) {
            0 => 0,
            _ => {
                self.insert_id_taken.store(true, Relaxed);
                self.insert_id.swap(0, Relaxed)
            }
        }
    }
    fn set_insert_id(&self, id: u64) {
        self.insert_id.store(id, Relaxed);
    }
    fn set_last_insert_id(&self, id: u64) {
        self.last_insert_id.store(id, Relaxed);
        self.id_given.store(true, Relaxed);
    }
    fn statement_inside(&self, affected: i64, generated: u64) {
        self.row_count.store(affected, Relaxed);
        if generated > 0 {
            self.last_insert_id.store(generated, Relaxed);
        }
    }
    fn set_generated_id(&self, id: u64) {
        self.last_insert_id.store(id, Relaxed);
    }
    fn row_count(&self) -> i64 {
        self.row_count.load(Relaxed)
    }
    fn found_rows(&self) -> u64 {
        self.found_rows.load(Relaxed)
    }
    fn version(&self) -> String {
        SERVER_VERSION.into()
    }
    fn query_attribute(&self, name: &[u8]) -> Option<Vec<u8>> {
        let all = self.attributes.lock().unwrap_or_else(PoisonError::into_inner);
        all.list.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.clone())
    }
    fn short_uuid(&self) -> u64 {
        self.short_uuids.fetch_add(1, Relaxed)
    }
    fn is_connected(&self, id: u64) -> bool {
        id == self.id || self.sessions.as_ref().is_some_and(|s| s.user_of(id).is_some())
    }
    fn release_lock(&self, name: Option<&str>) -> Result<Option<bool>, ValueError> {
        self.user_locks.release(self.id, name).map_err(refused)
    }
    fn release_all_locks(&self) -> u64 {
        self.user_locks.release_all(self.id)
    }
    fn lock_owner(&self, name: Option<&str>) -> Result<Option<u64>, ValueError> {
        self.user_locks.owner(name).map_err(refused)
    }
    fn clock_micros(&self) -> i64 {
        self.rt.wall_micros() as i64
    }
    fn random(&self) -> u64 {
        self.rt.random_u64()
    }
    fn fill_random(&self, out: &mut [u8]) -> Result<(), ValueError> {
        self.rt.fill_random(out).map_err(|e| {
            ValueError::of(errno::ER_ERROR_WHEN_EXECUTING_COMMAND, &[&"random_bytes", &e])
        })
    }
}

fn refused(e: SqlError) -> ValueError {
    ValueError::new(e.errno, e.message)
}
