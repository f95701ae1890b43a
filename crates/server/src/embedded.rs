//! A server inside a program: MySQL's clients next to the program's own connections, on the same open database.
//!
//! The program owns the instance, the engine and the process: no signal is handled here, nothing is written to stderr, and the end of the
//! server is not the end of the engine. The logs and the certificates are an instance's for good ([`Seat`]), because it takes both once;
//! servers come and go.
//!
//! Invariant: when [`Hosted::stop`] has returned no thread of the server runs statements, and none keeps the instance.

use crate::boot::{guard_open_root, make_sys_schema, read_grant_tables};
use crate::dispatch::header;
use crate::listener::Server;
use crate::registry::Registry;
use crate::statement_log::Logs;
use crate::tls::Tls;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use weir_rt::Rt;
use weir_sql::session::Instance;
use weir_sql::session_api::Sessions;
use weir_sql::vars::Var;

/// What an instance gets of its first server and keeps for the next one.
pub struct Seat {
    tls: Arc<Tls>,
    logs: Arc<Logs>,
}

impl Seat {
    /// Makes certificates in the directory where the variables ask for them.
    pub fn new(inst: &Instance, datadir: &Path) -> Result<Seat, String> {
        let tls = Tls::open(&inst.vars, datadir)?;
        let logs = Logs::new(&inst.vars, datadir, header(&inst.vars), inst.db.rt().wall_micros());
        // Set once: this is the only seat of the instance.
        let _ = inst.statement_logs.set(logs.clone());
        let control: Arc<dyn weir_sql::tls::TlsControl> = tls.clone();
        let _ = inst.tls.set(control);
        Ok(Seat { tls, logs })
    }
}

/// Copies the start of the statement that a connection executes into a buffer; returns its length.
pub type StatementOf = Arc<dyn Fn(u64, &mut [u8]) -> usize + Send + Sync>;

/// A server that runs in the program's process.
pub struct Hosted {
    server: Arc<Server>,
    address: SocketAddr,
}

impl Hosted {
    /// Serves clients that connect to the listener. `ids`: the number of the last connection of whatever kind.
    pub fn start(
        inst: &Arc<Instance>,
        rt: &Rt,
        seat: &Seat,
        ids: Arc<AtomicU64>,
        listener: TcpListener,
    ) -> Result<Hosted, String> {
        guard_open_root(inst, std::slice::from_ref(&listener))?;
        crate::queue::widen(&listener, inst.vars.u64(Var::back_log))
            .map_err(|e| format!("cannot listen: {e}"))?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        let registry = Arc::new(Registry::counting(ids));
        let (tls, logs) = (seat.tls.clone(), seat.logs.clone());
        let server = Server::over(inst.clone(), tls, logs, rt.clone(), registry);
        let server = server.map_err(|e| format!("cannot serve clients: {e}"))?;
        let hosted = Hosted { server, address };
        read_grant_tables(&hosted.server, &inst.vars);
        make_sys_schema(&hosted.server, &inst.vars);
        let begun = hosted.server.schedule_events();
        if let Err(e) = begun.and_then(|()| hosted.server.listen_until_closed(listener)) {
            hosted.stop(Duration::ZERO);
            return Err(format!("cannot serve clients: {e}"));
        }
        Ok(hosted)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its connections.
    pub fn sessions(&self) -> Arc<dyn Sessions> {
        self.server.registry.clone()
    }

    /// Copies the start of the statement that one of its connections executes, and gives its length.
    pub fn statements(&self) -> StatementOf {
        let registry = self.server.registry.clone();
        Arc::new(move |id, to| registry.statement(id, to))
    }

    /// How many clients are connected.
    pub fn connected(&self) -> usize {
        self.server.connected.load(Ordering::Relaxed)
    }

    /// Ends all clients as KILL would, and takes no more. False: some statement has not ended within `grace`; its connection ends with it.
    pub fn stop(&self, grace: Duration) -> bool {
        let server = &self.server;
        server.stopping.store(true, Ordering::SeqCst);
        server.close_listeners();
        server.inst.events_changed.notify_one();
        server.registry.kill_all();
        let begun = Instant::now();
        let mut looked = begun;
        let ended = loop {
            let events = server.events.load(Ordering::SeqCst);
            if server.connected.load(Ordering::Relaxed) == 0 && events == 0 {
                break true;
            }
            if begun.elapsed() >= grace {
                break false;
            }
            if looked.elapsed() >= LOOK {
                // Who has come after the others were killed, or waits for a client that takes nothing.
                looked = Instant::now();
                server.registry.kill_all();
                server.registry.kill_vanished();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        server.end_watch();
        // Threads that have been told to end still have the server in their hands.
        while ended && Arc::strong_count(server) > 1 && begun.elapsed() < grace + LOOK {
            std::thread::sleep(Duration::from_millis(1));
        }
        ended
    }
}

/// How often clients that do not end are killed again.
const LOOK: Duration = Duration::from_millis(500);
