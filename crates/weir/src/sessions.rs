//! The program's connections, for SHOW PROCESSLIST, KILL and the reports of waits.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use weir_sql::session_api::{KillKind, KillSwitch, LoginsBy, ProcessInfo, Sessions, SnapshotInfo};

/// Whose statements a program's are: the account with all rights that every fresh directory has.
pub const USER: &str = "root";
pub const HOST: &str = "localhost";

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection, as others see it.
pub struct Entry {
    pub id: u64,
    pub kill: Arc<KillSwitch>,
    now: Mutex<Now>,
}

/// What it does.
struct Now {
    database: String,
    /// Of the statement that runs, or ran last: its memory is used again.
    text: String,
    runs: bool,
    since: Instant,
}

impl Entry {
    /// A statement begins.
    pub fn begin(&self, text: &str) {
        let mut now = lock(&self.now);
        now.text.clear();
        now.text.push_str(text);
        now.runs = true;
        now.since = Instant::now();
    }

    /// It has ended.
    pub fn end(&self, database: &str) {
        let mut now = lock(&self.now);
        if now.database != database {
            now.database = database.to_owned();
        }
        now.runs = false;
        now.since = Instant::now();
        // The text of a large statement is not kept for the next one.
        if now.text.capacity() > 64 * 1024 {
            now.text = String::new();
        }
    }
}

/// All connections of a program to one database.
#[derive(Default)]
pub struct Registry {
    /// The number of the last connection. A server in the program takes its numbers here, too.
    last: Arc<AtomicU64>,
    list: Mutex<BTreeMap<u64, Arc<Entry>>>,
    #[cfg(feature = "serve")]
    guests: Mutex<Option<Guests>>,
}

/// Connections of clients, and the statements that they execute.
#[cfg(feature = "serve")]
pub type Guests = (Arc<dyn Sessions>, weir_server::embedded::StatementOf);

impl Registry {
    pub fn add(&self) -> Arc<Entry> {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let now = Now {
            database: String::new(),
            text: String::new(),
            runs: false,
            since: Instant::now(),
        };
        let entry = Arc::new(Entry { id, kill: Arc::default(), now: Mutex::new(now) });
        lock(&self.list).insert(id, entry.clone());
        entry
    }

    pub fn remove(&self, id: u64) {
        lock(&self.list).remove(&id);
    }

    pub fn len(&self) -> usize {
        lock(&self.list).len()
    }

    /// The start of the statement that a session executes, for reports of waits.
    pub fn statement(&self, id: u64, to: &mut [u8]) -> usize {
        let Some(entry) = lock(&self.list).get(&id).cloned() else {
            return self.statement_of_guest(id, to);
        };
        let now = lock(&entry.now);
        let n = now.text.len().min(to.len());
        to[..n].copy_from_slice(&now.text.as_bytes()[..n]);
        n
    }
}

#[cfg(feature = "serve")]
impl Registry {
    pub fn ids(&self) -> &Arc<AtomicU64> {
        &self.last
    }

    pub fn set_guests(&self, guests: Option<Guests>) {
        *lock(&self.guests) = guests;
    }

    fn guests(&self) -> Option<Arc<dyn Sessions>> {
        lock(&self.guests).as_ref().map(|g| g.0.clone())
    }

    fn statement_of_guest(&self, id: u64, to: &mut [u8]) -> usize {
        let of = lock(&self.guests).as_ref().map(|g| g.1.clone());
        of.map_or(0, |of| of(id, to))
    }
}

#[cfg(not(feature = "serve"))]
impl Registry {
    fn guests(&self) -> Option<Arc<dyn Sessions>> {
        None
    }

    fn statement_of_guest(&self, _: u64, _: &mut [u8]) -> usize {
        0
    }
}

impl Sessions for Registry {
    fn list(&self) -> Vec<ProcessInfo> {
        let all: Vec<_> = lock(&self.list).values().cloned().collect();
        let info = |e: &Arc<Entry>| {
            let now = lock(&e.now);
            ProcessInfo {
                id: e.id,
                user: USER.into(),
                host: HOST.into(),
                db: (!now.database.is_empty()).then(|| now.database.clone()),
                command: if now.runs { "Query" } else { "Sleep" },
                time: now.since.elapsed().as_secs(),
                runs: now.runs,
                state: "",
                info: now.runs.then(|| now.text.clone()),
                attributes: Arc::new([]),
            }
        };
        let guests = self.guests().map(|g| g.list()).unwrap_or_default();
        let mut list: Vec<_> = all.iter().map(info).chain(guests).collect();
        list.sort_by_key(|p| p.id);
        list
    }

    fn snapshots(&self) -> Vec<SnapshotInfo> {
        let all: Vec<_> = lock(&self.list).values().cloned().collect();
        let kept = |e: &Arc<Entry>| {
            let (since, marks) = e.kill.interrupt()?.kept()?;
            let text = lock(&e.now).text.clone();
            let statement = (!text.is_empty()).then_some(text);
            let (user, host) = (USER.into(), HOST.into());
            Some(SnapshotInfo { id: e.id, user, host, since, marks, statement })
        };
        let guests = self.guests().map(|g| g.snapshots()).unwrap_or_default();
        all.iter().filter_map(kept).chain(guests).collect()
    }

    fn logins(&self, by: LoginsBy) -> Vec<(String, String, [u64; 2])> {
        self.guests().map(|g| g.logins(by)).unwrap_or_default()
    }

    fn forget_logins(&self, by: LoginsBy) {
        if let Some(guests) = self.guests() {
            guests.forget_logins(by);
        }
    }

    fn kill(&self, id: u64, kind: KillKind) -> bool {
        match lock(&self.list).get(&id).cloned() {
            Some(entry) => entry.kill.kill(kind),
            None => return self.guests().is_some_and(|g| g.kill(id, kind)),
        }
        true
    }

    fn user_of(&self, id: u64) -> Option<String> {
        match lock(&self.list).contains_key(&id) {
            true => Some(USER.into()),
            false => self.guests()?.user_of(id),
        }
    }

    fn account_of(&self, id: u64) -> Option<(String, String)> {
        match lock(&self.list).contains_key(&id) {
            true => Some((USER.into(), HOST.into())),
            false => self.guests()?.account_of(id),
        }
    }

    /// SHUTDOWN: the program decides when it ends.
    fn stop(&self) -> bool {
        false
    }
}
