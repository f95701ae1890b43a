//! What the server is doing between its start and its end, for programs that ask from outside: `/ready` and systemd.

use crate::listener::Server;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use weir_sql::vars::Var;

/// Bytes that the data directory's file system has at least where statements that write can be expected to succeed: a redo log file and
/// some extents of tables.
const ROOM: u64 = 16 << 20;

enum Phase {
    /// The text is the engine's last line.
    Starting(String),
    Ready,
    Stopping,
}

pub struct Stage {
    phase: Mutex<Phase>,
    server: OnceLock<Weak<Server>>,
    datadir: PathBuf,
}

impl Stage {
    pub fn new(datadir: &Path) -> Arc<Stage> {
        Arc::new(Stage {
            phase: Mutex::new(Phase::Starting(String::new())),
            server: OnceLock::new(),
            datadir: datadir.to_owned(),
        })
    }

    fn phase(&self) -> std::sync::MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the engine says while it starts.
    pub fn recovers(&self, line: &str) {
        if let Phase::Starting(told) = &mut *self.phase() {
            *told = line.to_owned();
        }
    }

    /// There is a server, which does not accept connections yet.
    pub fn serves(&self, server: &Arc<Server>) {
        // Set once: a process has one server.
        let _ = self.server.set(Arc::downgrade(server));
    }

    pub fn ready(&self) {
        *self.phase() = Phase::Ready;
    }

    pub fn stopping(&self) {
        *self.phase() = Phase::Stopping;
    }

    pub fn server(&self) -> Option<Arc<Server>> {
        self.server.get()?.upgrade()
    }

    /// Why no statement should be sent now; `None`: it is ready.
    pub fn not_ready(&self) -> Option<String> {
        match &*self.phase() {
            Phase::Starting(line) if line.is_empty() => return Some("starting".into()),
            Phase::Starting(line) => return Some(format!("starting: {line}")),
            Phase::Stopping => return Some("stopping".into()),
            Phase::Ready => {}
        }
        let server = self.server()?;
        let force = server.inst.vars.u64(Var::innodb_force_recovery);
        if force > 0 {
            return Some(format!("started with innodb_force_recovery={force}"));
        }
        full(&self.datadir, free_bytes(&self.datadir)?)
    }
}

fn full(datadir: &Path, free: u64) -> Option<String> {
    (free < ROOM).then(|| {
        format!(
            "the file system of '{}' has {} MiB left: statements that write fail",
            datadir.display(),
            free >> 20
        )
    })
}

/// Bytes that an account without privileges may still write there. `None`: the system does not say.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let fs = rustix::fs::statvfs(path).ok()?;
    Some(fs.f_bavail.saturating_mul(fs.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_says_why_it_is_not_ready() {
        let stage = Stage::new(Path::new("/"));
        assert_eq!(stage.not_ready().as_deref(), Some("starting"));
        stage.recovers("reading the redo log");
        assert_eq!(stage.not_ready().as_deref(), Some("starting: reading the redo log"));
        stage.ready();
        assert_eq!(stage.not_ready(), None);
        stage.recovers("a line of the running engine");
        assert_eq!(stage.not_ready(), None);
        stage.stopping();
        assert_eq!(stage.not_ready().as_deref(), Some("stopping"));
        assert_eq!(
            full(Path::new("/d"), 1 << 20).as_deref(),
            Some("the file system of '/d' has 1 MiB left: statements that write fail")
        );
        assert_eq!(full(Path::new("/d"), ROOM), None);
        assert!(free_bytes(Path::new("/")).is_some());
        assert!(free_bytes(Path::new("/no/such/folder")).is_none());
    }
}
