//! Who is connected: SHOW PROCESSLIST, KILL, and the watch for clients that vanish during a statement.

mod now;

use crate::alarm::Alarm;
use crate::moment::Moment;
use crate::planted::{self, Bug};
use crate::transport::Transport;
pub use now::Command;
use now::Now;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use weir_sql::session_api::{
    ConnInfo, KillKind, KillSwitch, LoginsBy, OUT_OF_TIME, ProcessInfo, Sessions, SnapshotInfo,
};

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who it is, and its default database: what seldom changes.
struct Who {
    user: String,
    /// As accounts name it.
    login_host: String,
    /// User and host of the account that it has logged in as.
    account: Option<(String, String)>,
    db: String,
    attributes: Arc<[(String, String)]>,
}

/// One connection.
pub struct Entry {
    pub id: u64,
    pub host: String,
    pub kill: Arc<KillSwitch>,
    /// Events have none.
    transport: Mutex<Option<Arc<dyn Transport>>>,
    who: Mutex<Who>,
    now: Now,
}

impl Entry {
    /// A command begins; returns when. Called by the connection's own thread.
    pub fn begin(&self, command: Command, text: &[u8]) -> Moment {
        let at = Moment::now();
        self.now.begin(command, text, at);
        at
    }

    /// It has ended.
    pub fn end(&self, at: Moment) {
        self.now.end(Command::Sleep, at);
    }

    /// Its default database is another one.
    pub fn set_database(&self, db: &str) {
        let mut who = lock(&self.who);
        who.db.clear();
        who.db.push_str(db);
    }
}

impl Entry {
    fn transport(&self) -> Option<Arc<dyn Transport>> {
        lock(&self.transport).clone()
    }

    /// The connection goes on over a layer of encryption.
    pub fn goes_over(&self, layer: Arc<dyn Transport>) {
        *lock(&self.transport) = Some(layer);
    }

    fn shutdown_read(&self) {
        if let Some(t) = self.transport() {
            t.shutdown_read();
        }
    }

    /// Wakes its owner, who says why it ends. A client that has not logged in gets no message: its owner may be waiting in a write.
    fn wake(&self) {
        let logs_in = self.now.look().command == Command::Connect;
        match logs_in {
            true => self.shutdown(),
            false => self.shutdown_read(),
        }
    }

    fn shutdown(&self) {
        if let Some(t) = self.transport() {
            t.shutdown();
        }
    }
}

/// All connections of a server.
#[derive(Default)]
pub struct Registry {
    map: Mutex<HashMap<u64, Arc<Entry>>>,
    /// The number of the last connection; in a program that of its own ones, too.
    last: Arc<AtomicU64>,
    /// A client has said SHUTDOWN.
    stop_asked: AtomicBool,
    /// Whom that wakes.
    stops: OnceLock<Arc<Alarm>>,
    /// How often anyone who logged in did, in the order of [`LoginsBy::ALL`].
    logins: Mutex<[Logins; 3]>,
}

type Logins = HashMap<(String, String), u64>;

/// Users and hosts that logins are counted for; later ones are not.
const COUNTED_LOGINS: usize = 10_000;

impl Registry {
    /// A registry that shares its numbers with others.
    pub fn counting(last: Arc<AtomicU64>) -> Registry {
        Registry { last, ..Registry::default() }
    }

    /// Ids are never 0 and never repeated.
    pub fn next_id(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The connections that are there.
    fn there(&self, by: LoginsBy) -> Logins {
        let mut there = HashMap::new();
        for e in self.all() {
            let d = lock(&e.who);
            *there.entry(by.key(&d.user, &d.login_host)).or_insert(0) += 1;
        }
        there
    }

    pub fn add(&self, id: u64, transport: Arc<dyn Transport>) -> Arc<Entry> {
        let host = transport.origin().text();
        self.enter(id, "unauthenticated user", host, "", Some(transport))
    }

    /// A client has proved who it is.
    pub fn logged_in(&self, e: &Entry, who: &ConnInfo, db: &str) {
        {
            let mut d = lock(&e.who);
            d.user = who.user.clone();
            d.login_host = who.host.clone();
            d.account = Some((who.account_user.clone(), who.account_host.clone()));
            d.db = db.into();
            d.attributes = who.attributes.as_slice().into();
        }
        e.now.logged_in();
        for (by, logins) in LoginsBy::ALL.into_iter().zip(lock(&self.logins).iter_mut()) {
            let key = by.key(&who.user, &who.host);
            if logins.len() < COUNTED_LOGINS || logins.contains_key(&key) {
                *logins.entry(key).or_insert(0) += 1;
            }
        }
    }

    /// A session of the server's own.
    pub fn add_internal(&self, id: u64, user: &str, host: &str, db: &str) -> Arc<Entry> {
        self.enter(id, user, host.into(), db, None)
    }

    fn enter(
        &self,
        id: u64,
        user: &str,
        host: String,
        db: &str,
        transport: Option<Arc<dyn Transport>>,
    ) -> Arc<Entry> {
        let who = Who {
            user: user.into(),
            login_host: String::new(),
            account: None,
            db: db.into(),
            attributes: [].into(),
        };
        let e = Arc::new(Entry {
            id,
            host,
            kill: Arc::new(KillSwitch::default()),
            transport: Mutex::new(transport),
            who: Mutex::new(who),
            now: Now::new(Command::Connect),
        });
        lock(&self.map).insert(id, e.clone());
        e
    }

    /// Copies the start of the statement that a connection executes; returns its length.
    pub fn statement(&self, id: u64, to: &mut [u8]) -> usize {
        let Some(e) = lock(&self.map).get(&id).cloned() else { return 0 };
        // Asked by a thread that has crashed, too.
        let Some(seen) = e.now.glance().filter(|seen| seen.running) else { return 0 };
        let len = seen.text.len().min(to.len());
        to[..len].copy_from_slice(&seen.text[..len]);
        len
    }

    pub fn remove(&self, id: u64) {
        lock(&self.map).remove(&id);
    }

    pub fn len(&self) -> usize {
        lock(&self.map).len()
    }

    fn all(&self) -> Vec<Arc<Entry>> {
        let mut v: Vec<_> = lock(&self.map).values().cloned().collect();
        v.sort_by_key(|e| e.id);
        v
    }

    /// Whom SHUTDOWN wakes.
    pub fn stop_by(&self, alarm: Arc<Alarm>) {
        // Set once: a server has one main thread.
        let _ = self.stops.set(alarm);
    }

    /// A client has said SHUTDOWN.
    pub fn is_stop_asked(&self) -> bool {
        self.stop_asked.load(Ordering::Relaxed)
    }

    /// Ends every connection.
    pub fn kill_all(&self) {
        for e in self.all() {
            e.kill.kill(KillKind::Connection);
            e.wake();
        }
    }

    /// Interrupts the sessions whose snapshots are older than `limit` nanoseconds, and gives all of those that have not given theirs up yet.
    pub fn end_old_snapshots(&self, now: u64, limit: u64) -> Vec<u64> {
        let is_over = |e: &Arc<Entry>| {
            // The server's own sessions have no transport: nobody forgets them.
            let interrupt = e.transport().and_then(|_| e.kill.interrupt())?;
            if let Some(since) = interrupt.kept_since()
                && now.saturating_sub(since) > limit
            {
                interrupt.end_kept(since, OUT_OF_TIME);
            }
            interrupt.is_over().then_some(e.id)
        };
        self.all().iter().filter_map(is_over).collect()
    }

    /// Kills sessions whose clients are gone while their statement runs: their locks must not wait
    /// for its end. One that was killed and still runs waits for a client that takes nothing.
    pub fn kill_vanished(&self) {
        for e in self.all() {
            let now = e.now.look();
            if !now.running || now.since.elapsed() < Duration::from_millis(500) {
                continue;
            }
            if e.kill.pending() == Some(KillKind::Connection) {
                e.shutdown();
            } else if e.transport().is_some_and(|t| t.is_hung_up())
                && !planted::is(Bug::VanishedGoesOn)
            {
                e.kill.kill(KillKind::Connection);
            }
        }
    }
}

impl Sessions for Registry {
    fn list(&self) -> Vec<ProcessInfo> {
        self.all()
            .iter()
            .map(|e| {
                let now = e.now.look();
                let d = lock(&e.who);
                ProcessInfo {
                    id: e.id,
                    user: d.user.clone(),
                    host: e.host.clone(),
                    db: (!d.db.is_empty()).then(|| d.db.clone()),
                    command: match e.kill.pending() {
                        Some(KillKind::Connection) => "Killed",
                        _ => now.command.name(),
                    },
                    time: now.since.elapsed().as_secs(),
                    runs: now.running,
                    state: "",
                    info: (now.running && !now.text.is_empty())
                        .then(|| String::from_utf8_lossy(&now.text).into_owned()),
                    attributes: d.attributes.clone(),
                }
            })
            .collect()
    }

    fn snapshots(&self) -> Vec<SnapshotInfo> {
        let kept = |e: &Arc<Entry>| {
            let (since, marks) = e.kill.interrupt()?.kept()?;
            let text = e.now.last_text();
            let statement = (!text.is_empty()).then(|| String::from_utf8_lossy(&text).into_owned());
            let user = lock(&e.who).user.clone();
            Some(SnapshotInfo { id: e.id, user, host: e.host.clone(), since, marks, statement })
        };
        self.all().iter().filter_map(kept).collect()
    }

    fn logins(&self, by: LoginsBy) -> Vec<(String, String, [u64; 2])> {
        let there = self.there(by);
        let row = |(key, n): (&(String, String), &u64)| {
            (key.0.clone(), key.1.clone(), [there.get(key).copied().unwrap_or(0), *n])
        };
        lock(&self.logins)[by as usize].iter().map(row).collect()
    }

    fn forget_logins(&self, by: LoginsBy) {
        let there = self.there(by);
        lock(&self.logins)[by as usize].retain(|key, n| {
            *n = there.get(key).copied().unwrap_or(0);
            *n > 0
        });
    }

    fn kill(&self, id: u64, kind: KillKind) -> bool {
        let Some(e) = lock(&self.map).get(&id).cloned() else { return false };
        e.kill.kill(kind);
        if kind == KillKind::Connection && !planted::is(Bug::KilledSleepsOn) {
            e.wake();
        }
        true
    }

    fn user_of(&self, id: u64) -> Option<String> {
        let e = lock(&self.map).get(&id).cloned()?;
        let user = lock(&e.who).user.clone();
        Some(user)
    }

    fn account_of(&self, id: u64) -> Option<(String, String)> {
        let e = lock(&self.map).get(&id).cloned()?;
        lock(&e.who).account.clone()
    }

    fn stop(&self) -> bool {
        self.stop_asked.store(true, Ordering::Relaxed);
        if let Some(alarm) = self.stops.get() {
            alarm.ring();
        }
        true
    }
}
