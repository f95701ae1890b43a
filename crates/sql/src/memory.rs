//! The account of memory: what sessions hold is charged to the session and to the server, each with a limit.
//!
//! What a statement keeps beyond the row at hand (rows for a sort, groups, rows of subqueries and derived tables, hash
//! tables, keys of DISTINCT, large values of functions), what a session keeps (user variables, prepared statements, long
//! data) and long statement texts are charged through a [`Held`], which gives back what it took when it goes. May use
//! the variables; knows nothing of queries.
//!
//! Invariants:
//! - A session's account is charged by one thread at a time, that which serves the session.
//! - An account ends at zero: every [`Held`] keeps its account alive, and the last one to go finds nothing charged.
//! - The server is charged in chunks of 64 KiB, so that sessions share no cache line for each row. A session rounds up, and
//!   gives back whole chunks at the end of each statement.
//! - A charge that is refused changes nothing.
//!
//! Sizes are those of the values with their heap memory; what the allocator adds is not counted, and a value is counted
//! when it is made, so one of `max_allowed_packet` may be there beyond the limit for a moment.

mod process;

pub use process::Measure;

use crate::errno;
use crate::planted::{self, Bug};
use crate::session_api::SqlError;
use crate::value::{Value, ValueError};
use crate::vars::{GlobalVars, Var};
use process::Process;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Bytes that a session takes of the server's account at once.
const CHUNK: usize = 64 * 1024;

/// Values of functions from this size on are charged while they are alive; smaller ones are of no account.
pub const LARGE: usize = 16 * 1024;

/// All sessions together.
pub struct ServerMemory {
    vars: Arc<GlobalVars>,
    used: AtomicUsize,
    /// The limit of the process, once there is a server that measures it.
    process: OnceLock<Process>,
}

impl ServerMemory {
    pub fn new(vars: Arc<GlobalVars>) -> ServerMemory {
        ServerMemory { vars, used: AtomicUsize::new(0), process: OnceLock::new() }
    }

    /// From now on the process may take this much, where `weir_memory_limit` gives no other limit.
    pub fn limit_process(&self, default: usize, measure: Measure) {
        // Set once: a process has one server.
        let _ = self.process.set(Process::new(default, measure));
    }

    /// 1041 where the process has as much as it may: for statements that make what no account sees grow, as definitions do.
    pub fn admit(&self) -> Result<(), Over> {
        self.process.get().map_or(Ok(()), |p| p.allow(CHUNK, self.used(), &self.vars))
    }

    /// Bytes charged, in whole chunks.
    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// The bytes taken: none while the server does not keep the account (`global_connection_memory_tracking`).
    fn take(&self, bytes: usize) -> Result<usize, Over> {
        if let Some(p) = self.process.get() {
            p.allow(bytes, self.used(), &self.vars)?;
        }
        if !self.vars.bool(Var::global_connection_memory_tracking) {
            return Ok(0);
        }
        let limit = usize::try_from(self.vars.u64(Var::global_connection_memory_limit));
        let limit = limit.unwrap_or(usize::MAX);
        let used = self.used.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if used > limit {
            self.used.fetch_sub(bytes, Relaxed);
            return Err(Over { whose: Whose::Sessions, limit, used });
        }
        Ok(bytes)
    }

    fn give_back(&self, bytes: usize) {
        let before = self.used.fetch_sub(bytes, Relaxed);
        debug_assert!(before >= bytes, "more is given back than was taken");
    }
}

/// One session.
pub struct SessionMemory {
    server: Arc<ServerMemory>,
    used: AtomicUsize,
    /// What of it is charged to the server, rounded up to chunks.
    taken: AtomicUsize,
    limit: AtomicUsize,
    /// The most since [`SessionMemory::take_peak`].
    peak: AtomicUsize,
}

impl SessionMemory {
    pub fn new(server: Arc<ServerMemory>) -> Arc<SessionMemory> {
        let zero = || AtomicUsize::new(0);
        Arc::new(SessionMemory {
            server,
            used: zero(),
            taken: zero(),
            limit: AtomicUsize::new(usize::MAX),
            peak: zero(),
        })
    }

    /// `connection_memory_limit` of the session.
    pub fn set_limit(&self, bytes: u64) {
        self.limit.store(usize::try_from(bytes).unwrap_or(usize::MAX), Relaxed);
    }

    pub fn used(&self) -> usize {
        self.used.load(Relaxed)
    }

    /// What the session may still take, as far as its own limit goes.
    pub fn room(&self) -> usize {
        self.limit.load(Relaxed).saturating_sub(self.used())
    }

    pub fn server(&self) -> &ServerMemory {
        &self.server
    }

    fn charge(&self, bytes: usize) -> Result<(), Over> {
        let used = self.used().saturating_add(bytes);
        let limit = self.limit.load(Relaxed);
        if used > limit {
            return Err(Over { whose: Whose::Session, limit, used });
        }
        let taken = self.taken.load(Relaxed);
        if used > taken {
            let more = used.next_multiple_of(CHUNK) - taken;
            self.taken.store(taken + self.server.take(more)?, Relaxed);
        }
        self.used.store(used, Relaxed);
        if used > self.peak.load(Relaxed) {
            self.peak.store(used, Relaxed);
        }
        Ok(())
    }

    /// The most bytes that were charged at a time since this was asked last.
    pub fn take_peak(&self) -> usize {
        let (peak, used) = (self.peak.load(Relaxed), self.used());
        // Most statements charge nothing.
        if peak == used {
            return used;
        }
        self.peak.store(used, Relaxed);
        peak.max(used)
    }

    fn give_back(&self, bytes: usize) {
        let used = self.used();
        debug_assert!(used >= bytes, "more is given back than was charged");
        self.used.store(used.saturating_sub(bytes), Relaxed);
    }

    /// The end of a statement: whole chunks that are not used go back to the server.
    pub fn settle(&self) {
        let (wanted, taken) = (self.used().next_multiple_of(CHUNK), self.taken.load(Relaxed));
        if taken > wanted {
            self.server.give_back(taken - wanted);
            self.taken.store(wanted, Relaxed);
        }
    }
}

impl Drop for SessionMemory {
    fn drop(&mut self) {
        debug_assert_eq!(self.used(), 0, "a session ended with memory charged to it");
        self.server.give_back(self.taken.load(Relaxed));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Session,
    /// Of all sessions together.
    Sessions,
    Process,
}

/// A limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over {
    whose: Whose,
    limit: usize,
    used: usize,
}

impl Over {
    fn of_process() -> Over {
        Over { whose: Whose::Process, limit: 0, used: 0 }
    }

    /// It is a limit that all sessions share.
    pub fn is_of_all(self) -> bool {
        self.whose != Whose::Session
    }

    fn text(self) -> (u16, String) {
        let Over { limit, used, .. } = self;
        match self.whose {
            Whose::Process => (
                crate::errno::ER_OUT_OF_RESOURCES,
                "Out of memory; check if mysqld or some other process uses all available memory; if not, you may have to use \
                 'ulimit' to allow mysqld to use more memory or you can add more swap space"
                    .into(),
            ),
            Whose::Sessions => (
                errno::ER_DA_GLOBAL_CONN_LIMIT,
                format!(
                    "Global connection memory limit {limit} bytes exceeded. Consumed {used} bytes. \
                     See global_connection_memory_limit"
                ),
            ),
            Whose::Session => (
                errno::ER_DA_CONN_LIMIT,
                format!(
                    "Connection memory limit {limit} bytes exceeded. Consumed {used} bytes. See \
                     connection_memory_limit"
                ),
            ),
        }
    }

    /// 1038: the same, for rows that wait for a sort.
    pub fn in_sort(self) -> SqlError {
        let (_, text) = self.text();
        SqlError::new(crate::errno::ER_OUT_OF_SORTMEMORY, format!("Out of sort memory: {text}"))
    }
}

impl From<Over> for ValueError {
    fn from(o: Over) -> ValueError {
        let (errno, text) = o.text();
        ValueError::new(errno, text)
    }
}

impl From<Over> for SqlError {
    fn from(o: Over) -> SqlError {
        let (errno, text) = o.text();
        SqlError::new(errno, text)
    }
}

/// Whose account a charge goes to; `None` where there is no session (constants that are folded, tests).
pub type Account<'m> = Option<&'m Arc<SessionMemory>>;

/// Memory that something holds, given back when it goes.
#[derive(Default)]
pub struct Held {
    account: Option<Arc<SessionMemory>>,
    bytes: usize,
}

impl Held {
    pub fn grow(&mut self, account: Account<'_>, bytes: usize) -> Result<(), Over> {
        if self.account.is_none() {
            match account {
                None => return Ok(()),
                Some(a) => self.account = Some(a.clone()),
            }
        }
        if let Some(a) = &self.account {
            a.charge(bytes)?;
            self.bytes += bytes;
        }
        Ok(())
    }

    pub fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        if let Some(a) = &self.account {
            a.give_back(bytes);
        }
        self.bytes -= bytes;
    }

    /// Holds this much from now on.
    pub fn set(&mut self, account: Account<'_>, bytes: usize) -> Result<(), Over> {
        match bytes.checked_sub(self.bytes) {
            Some(0) => Ok(()),
            Some(more) => self.grow(account, more),
            None => {
                self.shrink(self.bytes - bytes);
                Ok(())
            }
        }
    }

    /// Takes over what another one holds.
    pub fn merge(&mut self, mut other: Held) {
        let Some(account) = other.account.take() else { return };
        let mine = self.account.get_or_insert_with(|| account.clone());
        debug_assert!(Arc::ptr_eq(mine, &account), "one statement, one account");
        self.bytes += std::mem::take(&mut other.bytes);
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(a) = &self.account
            && !planted::is(Bug::StatementKeepsMemory)
        {
            a.give_back(self.bytes);
        }
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Held({})", self.bytes)
    }
}

/// Heap memory of a value.
pub fn heap_of(v: &Value<'_>) -> usize {
    match v {
        Value::Str(b, _) | Value::Bytes(b) => b.len(),
        Value::Json(j) => j.as_bytes().len(),
        _ => 0,
    }
}

/// A row of values with its heap memory.
pub fn row_bytes(row: &[Value<'_>]) -> usize {
    size_of::<Vec<Value<'_>>>() + size_of_val(row) + row.iter().map(heap_of).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vars::VarValue;

    fn account(limit: u64) -> (Arc<ServerMemory>, Arc<SessionMemory>) {
        let server = Arc::new(ServerMemory::new(Arc::new(GlobalVars::default())));
        let session = SessionMemory::new(server.clone());
        session.set_limit(limit);
        (server, session)
    }

    #[test]
    fn charges_are_given_back() {
        let (server, session) = account(1_000_000);
        let mut held = Held::default();
        held.grow(Some(&session), 100).unwrap();
        assert_eq!((session.used(), server.used()), (100, CHUNK));
        held.set(Some(&session), 200_000).unwrap();
        assert_eq!((session.used(), server.used()), (200_000, 4 * CHUNK));
        let over = held.grow(Some(&session), 900_000).unwrap_err();
        assert_eq!(SqlError::from(over).errno, 4082);
        assert_eq!(held.bytes(), 200_000, "a refused charge changes nothing");
        held.shrink(150_000);
        session.settle();
        assert_eq!((session.used(), server.used()), (50_000, CHUNK));
        let mut other = Held::default();
        other.grow(Some(&session), 10).unwrap();
        held.merge(other);
        assert_eq!(held.bytes(), 50_010);
        drop(held);
        assert_eq!(session.used(), 0);
        drop(session);
        assert_eq!(server.used(), 0);
    }

    #[test]
    fn the_server_has_a_limit_of_its_own() {
        let (server, one) = account(u64::MAX);
        let two = SessionMemory::new(server.clone());
        server.vars.put(Var::global_connection_memory_limit, VarValue::UInt(4 * CHUNK as u64));
        let (mut a, mut b) = (Held::default(), Held::default());
        a.grow(Some(&one), 3 * CHUNK).unwrap();
        let over = b.grow(Some(&two), 2 * CHUNK).unwrap_err();
        assert_eq!(SqlError::from(over).errno, 4081);
        assert_eq!(over.in_sort().errno, 1038);
        b.grow(Some(&two), CHUNK).unwrap();
        assert_eq!(server.used(), 4 * CHUNK);
        // Without tracking nothing is charged, and what was charged before is given back.
        server.vars.put(Var::global_connection_memory_tracking, VarValue::Bool(false));
        b.grow(Some(&two), 100 * CHUNK).unwrap();
        drop((a, b, one, two));
        assert_eq!(server.used(), 0);
    }

    #[test]
    fn without_an_account_nothing_is_counted() {
        let mut held = Held::default();
        held.grow(None, usize::MAX).unwrap();
        assert_eq!(held.bytes(), 0);
    }
}
