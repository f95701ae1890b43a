//! MySQL's clients in a running program.
//!
//! Invariants: a served database has one server at a time, which keeps the database open. Connections of the program and of clients have
//! numbers of one sequence, and see each other in SHOW PROCESSLIST and KILL.

use crate::database::{Database, Inner};
use crate::error::{Error, Result};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use weir_server::embedded::{Hosted, Seat};
use weir_sql::vars::{Var, VarValue};

/// How long clients have for the end of their statements once they are killed.
const GRACE: Duration = Duration::from_secs(10);

/// What a database keeps of its servers.
pub(crate) struct Served {
    seat: OnceLock<Seat>,
    /// A server runs. Options of a server may be changed then, since they act on something.
    runs: Arc<AtomicBool>,
}

impl Served {
    pub fn of(runs: Arc<AtomicBool>) -> Served {
        Served { seat: OnceLock::new(), runs }
    }
}

/// Serves MySQL's clients until it is stopped or dropped, see [`Database::serve`].
pub struct Server {
    /// There until the stop.
    hosted: Option<Hosted>,
    inner: Arc<Inner>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address()).finish_non_exhaustive()
    }
}

impl Database {
    /// Lets MySQL's clients into the program (feature `serve`): they connect to the address, log in to the accounts of the database, and work
    /// next to the program's own connections. Port 0 takes a free one.
    ///
    /// The server has a thread that accepts, one that watches idle clients, one for events, and one for each client that has something to do.
    /// It serves until it is stopped or dropped, and keeps the database open for so long. TLS, accounts, rights, logs, limits and
    /// `event_scheduler` are those of `weir serve`; a Unix socket, the HTTP port, signals and replicas are not there. A client's SHUTDOWN is
    /// refused, because the program decides about its end. There is no error log; what the engine has to say goes to
    /// [`Builder::log`](crate::Builder::log).
    ///
    /// ```
    /// # fn main() -> weir::Result<()> {
    /// # let db = weir::Database::open_in_memory()?;
    /// let server = db.serve("127.0.0.1:0")?;
    /// println!("mariadb --host=127.0.0.1 --port={} --user=root", server.address().port());
    /// server.stop()?;
    /// # db.close()
    /// # }
    /// ```
    ///
    /// Errors: [`Error::Misuse`] while another server of this database runs; [`Error::Open`] where the address cannot be listened on, or
    /// where it can be reached from other machines and an account with all rights has no password.
    pub fn serve(&self, address: impl ToSocketAddrs) -> Result<Server> {
        let inner = &self.inner;
        inner.check()?;
        if inner.served.runs.swap(true, Ordering::AcqRel) {
            return Err(Error::misuse("a server of this database runs already"));
        }
        let hosted = begin(inner, address).inspect_err(|_| end(inner));
        Ok(Server { hosted: Some(hosted?), inner: inner.clone() })
    }
}

fn begin(inner: &Arc<Inner>, address: impl ToSocketAddrs) -> Result<Hosted> {
    let failed = |message: String| Error::Open { message };
    let mut last = "it has no address".to_owned();
    let addresses = address.to_socket_addrs();
    let mut addresses = addresses.map_err(|e| failed(format!("cannot listen: {e}")))?;
    let bound = addresses.find_map(|a| {
        let bound = TcpListener::bind(a);
        bound.map_err(|e| last = format!("cannot listen on {a}: {e}")).ok()
    });
    let listener = bound.ok_or_else(|| failed(last))?;
    // A process has one error log, and this one is the program's: stderr is not written to.
    weir_server::log::set_verbosity(0);
    let inst = inner.inst();
    let seat = match inner.served.seat.get() {
        Some(seat) => seat,
        None => {
            if inner.path.is_none() {
                // There is no directory to keep them in.
                inst.vars.put(Var::auto_generate_certs, VarValue::Bool(false));
            }
            let dir = inner.path.as_deref().unwrap_or(Path::new(""));
            let seat = Seat::new(inst, dir).map_err(failed)?;
            inst.db.serve_answers();
            inner.served.seat.get_or_init(|| seat)
        }
    };
    let ids = inner.sessions.ids().clone();
    let hosted = Hosted::start(inst, inner.rt(), seat, ids, listener).map_err(failed)?;
    let statement = hosted.statements();
    inner.sessions.set_guests(Some((hosted.sessions(), statement)));
    Ok(hosted)
}

/// No server runs any more.
fn end(inner: &Inner) {
    inner.sessions.set_guests(None);
    inner.inst().vars.put(Var::event_scheduler, VarValue::Enum(0));
    inner.served.runs.store(false, Ordering::Release);
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.hosted().address()
    }

    /// How many clients are connected.
    pub fn connected(&self) -> usize {
        self.hosted().connected()
    }

    fn hosted(&self) -> &Hosted {
        self.hosted.as_ref().expect("it is there until the stop, which takes the server")
    }

    /// Takes no more clients, ends those that are there as KILL would, and waits for the end of their statements, ten seconds at most. Dropping
    /// the server does the same and tells nobody.
    ///
    /// Errors: [`Error::Failed`] where a statement has not ended by then. It goes on until it does, and its connection ends with it.
    pub fn stop(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        let Some(hosted) = self.hosted.take() else { return Ok(()) };
        if self.inner.is_forked() {
            // Its threads and its clients are the other process's.
            std::mem::forget(hosted);
            return self.inner.check();
        }
        let ended = hosted.stop(GRACE);
        end(&self.inner);
        match ended {
            true => Ok(()),
            false => Err(Error::Failed {
                message: "a client's statement has not ended within ten seconds".to_owned(),
            }),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // What could be told is that a statement still runs, which ends by itself.
        let _ = self.end();
    }
}
