//! A server in a simulation: clients of a simulated network come to the listeners' door, and everything behind it is the server's own.
//!
//! Connections run in fibers of the runtime (`weir_rt`), which block as threads do, in virtual time. Left out, because the machine is in
//! them: sockets, TLS, the statement logs' files, the HTTP page, the event scheduler's thread.

use crate::dispatch::header;
use crate::listener::Server;
use crate::registry::Registry;
use crate::statement_log::Logs;
use crate::tls::Tls;
pub use crate::transport::{Origin, Readable, Transport, Watched};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use weir_rt::Rt;
use weir_sql::session::Instance;
use weir_sql::session_api::Sessions;

/// Bytes of stack of the fiber that greets a client.
const STACK: usize = (1 << 18) * weir_rt::STACK_SCALE;

/// A server over a simulated runtime.
#[derive(Clone)]
pub struct Simulated(Arc<Server>);

impl Simulated {
    /// Serves the instance. The variables must ask for no certificates (`tls_version` is empty).
    pub fn start(inst: &Arc<Instance>, rt: &Rt) -> Result<Simulated, String> {
        let nowhere = Path::new("");
        let tls = Tls::open(&inst.vars, nowhere)?;
        let logs = Logs::new(&inst.vars, nowhere, header(&inst.vars), rt.wall_micros());
        let registry = Arc::new(Registry::default());
        let sessions: Arc<dyn Sessions> = registry.clone();
        // Set once, as are the logs: this is the only server of the instance.
        let _ = inst.sessions.set(sessions);
        let _ = inst.statement_logs.set(logs.clone());
        let server = Server::over(inst.clone(), tls, logs, rt.clone(), registry);
        server.map(Simulated).map_err(|e| format!("cannot serve clients: {e}"))
    }

    /// A client has connected.
    pub fn accept(&self, transport: Arc<dyn Transport>) {
        let server = self.0.clone();
        self.0.rt.spawn_fiber("accept", STACK, Box::new(move || server.accepted(transport)));
    }

    /// How many clients are connected.
    pub fn connected(&self) -> usize {
        self.0.connected.load(Ordering::Relaxed)
    }

    /// Whether the connection is there still.
    pub fn has(&self, id: u64) -> bool {
        self.0.registry.user_of(id).is_some()
    }

    /// What the server's main thread does now and then: sessions whose clients have gone are killed, those with old snapshots give them up.
    pub fn look_for_vanished(&self) {
        self.0.registry.kill_vanished();
        self.0.end_old_snapshots();
    }

    /// Takes no client any more, and ends the connections of those that there are.
    pub fn stop(&self) {
        self.0.stopping.store(true, Ordering::Relaxed);
        self.0.registry.kill_all();
    }

    /// Ends the watch of idle connections, behind the last of them.
    pub fn end(&self) {
        self.0.end_watch();
    }
}
