//! The server as the host of its replicas' threads: they stand in the list of processes, write to the log, and end with the server.

use crate::listener::Server;
use crate::log;
use crate::registry::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use weir_replica::{Host, Listed, Manager};
use weir_sql::vars::Var;

struct Here(Arc<Server>);

/// Takes a thread out of the list.
struct Entry(Arc<Server>, u64);

impl Drop for Entry {
    fn drop(&mut self) {
        self.0.registry.remove(self.1);
    }
}

/// Whom the list shows for the threads, as MySQL does.
const OWNER: &str = "system user";

impl Host for Here {
    fn enter(&self, database: &str) -> Listed {
        let id = self.0.registry.next_id();
        let entry = self.0.registry.add_internal(id, OWNER, "", database);
        _ = entry.begin(Command::Connect, b"");
        let guard = Box::new(Entry(self.0.clone(), id));
        Listed { id, kill: entry.kill.clone(), guard }
    }

    fn error(&self, line: &str) {
        log::error(line);
    }

    fn system(&self, line: &str) {
        log::system(line);
    }

    fn is_stopping(&self) -> bool {
        self.0.stopping.load(Ordering::SeqCst)
    }
}

/// Reads what the server knows of its sources, and starts to follow them unless `skip_replica_start` says otherwise.
pub fn open(server: &Arc<Server>) -> Result<Arc<Manager>, String> {
    let host = Arc::new(Here(server.clone()));
    let manager = Manager::open(&server.inst, &server.rt, host)
        .map_err(|e| format!("cannot read what is kept of replicas: {}", e.message))?;
    // Set once: this is the only server of the instance.
    let _ = server.inst.replicas.set(manager.clone());
    let vars = &server.inst.vars;
    let skips = vars.bool(Var::skip_replica_start) || vars.bool(Var::skip_slave_start);
    if !skips && vars.u64(Var::innodb_force_recovery) == 0 {
        manager.start_all();
    }
    Ok(manager)
}
