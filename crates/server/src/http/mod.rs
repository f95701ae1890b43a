//! The HTTP port: `/` is the live page, `/api/now` what it shows, `/metrics` is for Prometheus, `/health` and `/ready` are for whatever
//! starts and supervises the server.
//!
//! A connection has a thread of its own and is closed when a limit is met, so a client can hold up nothing but itself: the number of
//! connections is bounded, a request must be there within [`HEAD_TIME`], however slowly it is sent, an answer must be taken within
//! [`ANSWER_TIME`], and bodies are small. GET and HEAD change nothing and start no statement; what they read costs
//! as much as SHOW STATUS. POST is for the page's actions (`actions`), each with the rights of the account that has logged in (`sessions`). The port answers from before recovery until the end of the process.
//!
//! May use: the instance (its counters, digests, waits, accounts), certificates, readiness (`stage`).
//!
//! Invariants: on a loopback address requests need no password, and must name a host that is no other site's; on any other address nothing
//! is sent that is not encrypted, and nothing but the page itself, which has no number in it, and the words of `/health` and `/ready` without
//! the password of an account that has the PROCESS privilege. On every address an action needs an account. No statement's literals are in any answer.

mod access;
mod actions;
mod connection;
mod histogram;
mod metrics;
mod now;
mod page;
mod request;
mod response;
mod routes;
mod sessions;

use crate::log;
use crate::stage::Stage;
use now::Now;
use sessions::Sessions;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use weir_sql::vars::{GlobalVars, Var};

/// Connections at the same time. A browser has six for a page.
const CONNECTIONS: usize = 64;
/// From the first byte of a request, or the accept, to the end of its head; the TLS handshake is in it.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// For the client to take an answer.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// How long a connection without a request is kept: longer than Prometheus waits between two of its requests by default (a minute).
const IDLE_TIME: Duration = Duration::from_secs(75);
/// Bytes of a connection's thread. A handshake needs some 100 KiB of it.
const STACK: usize = 512 << 10;

/// What connections share.
pub struct Http {
    stage: Arc<Stage>,
    now: Now,
    sessions: Sessions,
    /// Only this machine can reach the port.
    is_loopback: bool,
    open: AtomicUsize,
}

/// Listens, where `--http-port` is given. Bound before the data directory is touched, as other ports are.
pub fn bind(vars: &GlobalVars) -> Result<Option<TcpListener>, String> {
    let port = vars.u64(Var::weir_http_port) as u16;
    if port == 0 {
        return Ok(None);
    }
    let host = vars.text(Var::weir_http_bind_address);
    let name = if host == "*" { "0.0.0.0" } else { &host };
    let mut addresses =
        (name, port).to_socket_addrs().map_err(|e| format!("http-bind-address '{host}': {e}"))?;
    let Some(address) = addresses.next() else {
        return Err(format!("http-bind-address '{host}' has no address"));
    };
    TcpListener::bind(address).map(Some).map_err(|e| {
        format!("cannot listen on {address} for HTTP: {e}; --http-port=N takes another port")
    })
}

/// Begins to answer. Until the stage has a server, that is what recovery does and no more.
pub fn listen(listener: TcpListener, stage: &Arc<Stage>) -> Result<(), String> {
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    let http = Arc::new(Http {
        stage: stage.clone(),
        now: Now::default(),
        sessions: Sessions::default(),
        is_loopback: is_loopback(address.ip()),
        open: AtomicUsize::new(0),
    });
    let cannot = |e| format!("cannot start a thread for HTTP: {e}");
    let sampler = http.clone();
    let sample = move || sampler.now.keep(&sampler.stage);
    std::thread::Builder::new().name("weir-http-now".into()).spawn(sample).map_err(cannot)?;
    let accept = move || http.accept_all(&listener);
    std::thread::Builder::new().name("weir-http".into()).spawn(accept).map_err(cannot)?;
    Ok(())
}

/// What the log says of the port once the server is ready.
pub fn told(address: SocketAddr) -> String {
    match is_loopback(address.ip()) {
        true => format!("live page and metrics: http://{address}/"),
        false => format!(
            "live page and metrics: https://{address}/, for accounts with the PROCESS privilege"
        ),
    }
}

fn is_loopback(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => ip.to_ipv4_mapped().map_or(ip.is_loopback(), |ip| ip.is_loopback()),
    }
}

/// Counts a connection out, however its thread ends.
struct Counted(Arc<Http>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Http {
    fn accept_all(self: &Arc<Http>, listener: &TcpListener) {
        let mut failing = false;
        loop {
            match listener.accept() {
                Ok((socket, from)) => {
                    failing = false;
                    self.accepted(socket, from);
                }
                Err(e) => {
                    // Mostly there is no descriptor left. It is logged once; clients of SQL get an error each time.
                    if !std::mem::replace(&mut failing, true) {
                        log::warning(&format!("HTTP: cannot accept connections: {e}"));
                    }
                    std::thread::sleep(Duration::from_millis(100));
                }
            }
        }
    }

    fn accepted(self: &Arc<Http>, socket: TcpStream, from: SocketAddr) {
        let open = self.open.fetch_add(1, Ordering::AcqRel) + 1;
        let counted = Counted(self.clone());
        if open > CONNECTIONS {
            if self.is_loopback {
                connection::turn_away(&socket);
            }
            return;
        }
        let serve = move || connection::serve(&counted.0, socket, from);
        let thread = std::thread::Builder::new().name("weir-http".into()).stack_size(STACK);
        if let Err(e) = thread.spawn(serve) {
            log::warning(&format!("HTTP: cannot start a thread for a connection: {e}"));
        }
    }
}
