//! Sockets to connect to, logins, and who serves a connection.

use crate::auth::{self, AuthState, Refused};
use crate::compression;
use crate::conn::{Conn, LOGIN_PACKET, ReadError};
use crate::dispatch::{Connection, Rest, header};
use crate::parking::{Park, Parking, Woken};
use crate::planted::{self, Bug};
use crate::registry::{Entry, Registry};
use crate::sink::status;
use crate::spare::Spare;
use crate::statement_log::Logs;
use crate::tls::{Tls, is_resumed};
use crate::transport::{Socket, Transport};
use crate::workers::Workers;
use crate::{crypto, log};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use weir_engine::row::{Charset, Collation};
use weir_rt::Rt;
use weir_sql::account::Privileges;
use weir_sql::errno;
use weir_sql::session::{Instance, Session, is_kept_out};
use weir_sql::session_api::{ConnInfo, KillKind, Sessions as _, SqlError};
use weir_sql::status::Stat;
use weir_sql::value::sent;
use weir_sql::vars::{SERVER_VERSION, Var};
use weir_wire::handshake::{ClientHello, Greeting, Login, decode_hello};
use weir_wire::{Capabilities, Status, response};

/// What all connections share.
pub struct Server {
    pub inst: Arc<Instance>,
    pub logs: Arc<Logs>,
    pub rt: Rt,
    pub registry: Arc<Registry>,
    pub auth: AuthState,
    pub tls: Arc<Tls>,
    pub connected: AtomicUsize,
    pub stopping: AtomicBool,
    /// Runs of events, and the look for them.
    pub events: AtomicUsize,
    workers: Arc<Workers>,
    parking: Parking<Connection>,
    /// The sockets that accept, of a server that ends before its process does.
    listeners: Mutex<Vec<TcpListener>>,
}

/// The definition statement that a connection executes, where the log may have its text.
fn definition_of(registry: &Registry, id: u64) -> Option<Vec<u8>> {
    let mut text = vec![0; crate::backup::NOTED];
    let length = registry.statement(id, &mut text);
    text.truncate(length);
    crate::backup::is_noted(&text).then_some(text)
}

impl Server {
    /// Ends the connections of those whom `offline_mode` keeps out.
    pub fn end_kept_out(&self) {
        if !self.inst.vars.bool(Var::offline_mode) {
            return;
        }
        for one in self.registry.list() {
            let account = self.registry.account_of(one.id);
            let account = account.and_then(|(user, host)| self.inst.accounts.get(&user, &host));
            // Without an account it is the server's own work, or a login that is refused when it comes to its end.
            let Some(account) = account else { continue };
            let mut access = self.inst.accounts.access(&account, &one.host);
            if is_kept_out(&self.inst, &mut access) {
                self.registry.kill(one.id, KillKind::Connection);
            }
        }
    }

    pub fn new(inst: Arc<Instance>, tls: Arc<Tls>, rt: Rt) -> std::io::Result<Arc<Server>> {
        let registry = Arc::new(Registry::default());
        let sessions: Arc<dyn weir_sql::session_api::Sessions> = registry.clone();
        // Set once: this is the only server of the instance.
        let _ = inst.sessions.set(sessions);
        let of = registry.clone();
        inst.db.read_statements_by(Arc::new(move |id, to| of.statement(id, to)));
        let of = registry.clone();
        inst.db.note_definitions_by(Arc::new(move |id| definition_of(&of, id)));
        let datadir = PathBuf::from(inst.vars.text(Var::datadir));
        let logs = Logs::new(&inst.vars, &datadir, header(&inst.vars), inst.db.rt().wall_micros());
        // Set once, as above.
        let _ = inst.statement_logs.set(logs.clone());
        let control: Arc<dyn weir_sql::tls::TlsControl> = tls.clone();
        let _ = inst.tls.set(control);
        Server::over(inst, tls, logs, rt, registry)
    }

    /// The same over parts that the instance has already.
    pub fn over(
        inst: Arc<Instance>,
        tls: Arc<Tls>,
        logs: Arc<Logs>,
        rt: Rt,
        registry: Arc<Registry>,
    ) -> std::io::Result<Arc<Server>> {
        let stack = inst.vars.u64(Var::thread_stack) as usize;
        let workers = Workers::of(&rt, stack, inst.status.clone());
        let parking = if rt.is_sim() { Parking::simulated() } else { Parking::new()? };
        let server = Arc::new(Server {
            inst,
            logs,
            rt,
            registry,
            auth: AuthState::default(),
            tls,
            connected: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            events: AtomicUsize::new(0),
            workers,
            parking,
            listeners: Mutex::default(),
        });
        let me = server.clone();
        if server.rt.is_sim() {
            server.rt.spawn("idle", async move {
                me.parking.watch_simulated(&me.rt, |c, why| me.serve(c, why)).await;
            });
        } else {
            std::thread::Builder::new().name("weir-idle".into()).spawn(move || me.watch_idle())?;
        }
        Ok(server)
    }

    fn watch_idle(self: &Arc<Server>) {
        if let Err(e) = self.parking.watch(|c, why| self.serve(c, why)) {
            // Idle clients would wait for ever: better to stop, politely.
            log::error(&format!("cannot watch idle connections any more: {e}"));
            self.registry.kill_all();
        }
    }

    /// Ends what transactions keep whose snapshots are older than `weir_snapshot_max_age`: statements that run are interrupted, connections that
    /// are idle are woken to roll back.
    pub fn end_old_snapshots(self: &Arc<Server>) {
        let Some(limit) = self.inst.snapshot_limit() else { return };
        for id in self.registry.end_old_snapshots(self.rt.coarse_now(), limit) {
            if let Some((connection, until)) = self.parking.unpark(id) {
                self.serve(connection, Woken::TooOld(until));
            }
        }
    }

    /// Gives a connection to a thread, until it is idle again or over.
    fn serve(self: &Arc<Server>, connection: Box<Connection>, woken: Woken) {
        let me = self.clone();
        let job = move || me.serve_here(connection, woken);
        if let Err(e) = self.workers.submit(Box::new(job)) {
            self.no_thread(&e);
        }
    }

    fn serve_here(self: &Arc<Server>, mut connection: Box<Connection>, woken: Woken) {
        let mut woken = woken;
        loop {
            let until = match connection.serve(woken, true) {
                Rest::Over(polite) => return connection.close(polite),
                Rest::Idle(until) => until,
            };
            connection = match self.parking.park(connection, until) {
                Park::Watched => return,
                Park::Ready(c) => c,
                Park::Refused(mut c) => {
                    // Nobody can watch it: it keeps this thread.
                    let polite = matches!(c.serve(Woken::Ready, false), Rest::Over(true));
                    return c.close(polite);
                }
            };
            woken = Woken::Ready;
        }
    }

    pub fn workers(&self) -> &Arc<Workers> {
        &self.workers
    }

    fn no_thread(&self, e: &std::io::Error) {
        self.inst.status.inc(Stat::Connection_errors_internal);
        log::error(&format!("cannot start a thread for a connection: {e}"));
    }

    pub fn listen_tcp(self: &Arc<Server>, l: TcpListener) {
        self.accept_loop("weir-tcp", move || {
            let (s, a) = l.accept()?;
            Socket::tcp(s, a)
        });
    }

    /// The same until [`Server::close_listeners`].
    pub fn listen_until_closed(self: &Arc<Server>, l: TcpListener) -> std::io::Result<()> {
        let handle = l.try_clone()?;
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        self.listen_tcp(l);
        Ok(())
    }

    /// Ends the threads that accept. Clients that have been accepted stay.
    pub fn close_listeners(&self) {
        let all =
            std::mem::take(&mut *self.listeners.lock().unwrap_or_else(PoisonError::into_inner));
        for l in all {
            // On Linux that ends an accept which waits, where a close would leave it waiting.
            let _ = rustix::net::shutdown(&l, rustix::net::Shutdown::Both);
        }
    }

    /// Ends the thread that watches idle connections.
    pub fn end_watch(&self) {
        self.parking.end();
    }

    pub fn listen_unix(self: &Arc<Server>, l: UnixListener) {
        self.accept_loop("weir-socket", move || {
            let (s, _) = l.accept()?;
            Ok(Socket::unix(s))
        });
    }

    fn accept_loop(
        self: &Arc<Server>,
        name: &str,
        accept: impl Fn() -> std::io::Result<Socket> + Send + 'static,
    ) {
        let server = self.clone();
        let mut spare = Spare::new();
        let run = move || {
            loop {
                let e = match accept() {
                    Ok(socket) => {
                        server.accepted(Arc::new(socket));
                        continue;
                    }
                    Err(e) => e,
                };
                if server.stopping.load(Ordering::Relaxed) {
                    return;
                }
                // With the reserve's descriptor the next client is taken; it is served if there are others by then.
                match spare.give_up(&e).then(&accept) {
                    Some(Ok(socket)) if spare.keep() => {
                        server.accepted(Arc::new(socket));
                        continue;
                    }
                    Some(Ok(socket)) => server.turn_away(socket),
                    _ => std::thread::sleep(Duration::from_millis(50)),
                }
                spare.keep();
                server.inst.status.inc(Stat::Connection_errors_accept);
                if let Some(text) = spare.tell(&e.to_string(), Instant::now()) {
                    log::warning(&text);
                }
            }
        };
        if let Err(e) = std::thread::Builder::new().name(name.into()).spawn(run) {
            log::error(&format!("cannot start a thread to accept connections: {e}"));
        }
    }

    /// Error 1040 for a client that there is no descriptor for.
    fn turn_away(&self, socket: Socket) {
        let mut conn = Conn::new(Arc::new(socket), self.inst.status.clone(), 1 << 16);
        conn.out.error_before_greeting(&SqlError::new(
            errno::ER_CON_COUNT_ERROR,
            "Too many connections: the server has no file descriptor left",
        ));
        let _ = conn.out.flush();
    }

    /// A client has connected; it is greeted on this thread.
    pub fn accepted(self: &Arc<Server>, transport: Arc<dyn Transport>) {
        if self.stopping.load(Ordering::Relaxed) {
            return;
        }
        let status = &self.inst.status;
        status.inc(Stat::Connections);
        let id = self.registry.next_id();
        let max = self.inst.vars.u64(Var::max_connections) as usize;
        let n = self.connected.fetch_add(1, Ordering::AcqRel) + 1;
        // One more may come, to look what the others do: who it is will be seen after the login.
        if n > max + 1 {
            self.connected.fetch_sub(1, Ordering::AcqRel);
            status.inc(Stat::Connection_errors_max_connections);
            let mut conn = Conn::new(transport, status.clone(), 1 << 16);
            conn.out.error_before_greeting(&too_many());
            let _ = conn.out.flush();
            return;
        }
        let entry = self.registry.add(id, transport.clone());
        status.inc(Stat::Threads_connected);
        status.peak(Stat::Max_used_connections, n as u64);
        let counted = Counted { server: self.clone(), id };
        let server = self.clone();
        let mut conn = Conn::new(transport, status.clone(), LOGIN_PACKET);
        conn.begin_login(Duration::from_secs(self.inst.vars.u64(Var::connect_timeout)));
        // Greeted here, not on its thread: the socket takes so few bytes at once, and what is allocated here lies densely,
        // where each new thread would begin pages of its own for every size.
        let salt = greet(&server, &mut conn, id);
        let job = move || connection(&server, conn, salt, entry, counted, n > max);
        if let Err(e) = self.workers.submit(Box::new(job)) {
            self.no_thread(&e);
        }
    }
}

/// Counts a connection out when it is dropped, whatever the reason.
pub struct Counted {
    server: Arc<Server>,
    id: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.server.registry.remove(self.id);
        self.server.inst.status.dec(Stat::Threads_connected);
        self.server.connected.fetch_sub(1, Ordering::AcqRel);
    }
}

fn too_many() -> SqlError {
    SqlError::of(errno::ER_CON_COUNT_ERROR, &[])
}

/// A thread's work for a client that has been greeted. Its frames have no room for a session as long as the client may take its time: what a
/// connection costs until it logs in is the stack that its thread has touched.
fn connection(
    server: &Arc<Server>,
    mut conn: Conn,
    salt: Result<Salt, ReadError>,
    entry: Arc<Entry>,
    counted: Counted,
    extra: bool,
) {
    let hello = salt.map_err(Refused::Gone).and_then(|salt| {
        let packet = hello(server, &mut conn, &entry)?;
        Ok((salt, packet))
    });
    match hello {
        Ok((salt, packet)) => {
            let begun = begin(server, conn, packet, &salt, entry, counted, extra);
            if let Some(connection) = begun {
                server.serve_here(connection, Woken::LoggedIn);
            }
        }
        Err(why) => refuse(server, &mut conn, &entry, &[], why),
    }
}

/// The client's login, still encoded, behind the change to TLS if it asks for one.
fn hello(server: &Server, conn: &mut Conn, entry: &Entry) -> Result<Vec<u8>, Refused> {
    let packet = conn.read_packet()?;
    if conn.offered.has(Capabilities::SSL) && decode_hello(&packet) == Ok(ClientHello::SslRequest) {
        encrypt(server, conn, entry)?;
        return Ok(conn.read_packet()?);
    }
    Ok(packet)
}

/// From the login to the connection that has its session.
#[inline(never)]
fn begin(
    server: &Arc<Server>,
    mut conn: Conn,
    packet: Vec<u8>,
    salt: &Salt,
    entry: Arc<Entry>,
    counted: Counted,
    extra: bool,
) -> Option<Box<Connection>> {
    match log_in(server, &mut conn, &packet, salt, &entry, extra) {
        Ok((session, caps)) => {
            Some(Connection::new(server.clone(), conn, session, caps, entry, counted))
        }
        Err(why) => {
            let user = match decode_hello(&packet) {
                Ok(ClientHello::Login(login)) => login.user,
                _ => &[],
            };
            refuse(server, &mut conn, &entry, user, why);
            None
        }
    }
}

/// Says why there is no session, to a client that is still there. `user`: the name that it has sent, if it came so far.
fn refuse(server: &Server, conn: &mut Conn, entry: &Entry, user: &[u8], why: Refused) {
    server.inst.status.inc(Stat::Aborted_connects);
    if planted::is(Bug::RefusedStaysCounted) {
        server.connected.fetch_add(1, Ordering::AcqRel);
    }
    match why {
        Refused::Sql(e) => {
            server.logs.refused(entry.id, &e);
            server.logs.audit_refused(entry, user, &e);
            conn.out.error(&e)
        }
        Refused::Gone(ReadError::Frame(f)) => {
            conn.out.error(&SqlError::new(f.errno(), f.to_string()))
        }
        Refused::Gone(ReadError::Broken) => conn.out.error(&bad_handshake()),
        Refused::Gone(ReadError::Memory(e)) => conn.out.error(&e),
        Refused::Gone(ReadError::Closed | ReadError::Timeout) => {}
    }
    let _ = conn.out.flush();
}

fn bad_handshake() -> SqlError {
    SqlError::of(errno::ER_HANDSHAKE_ERROR, &[])
}

type Salt = [u8; weir_wire::constants::SALT_LEN];

/// Sends the greeting, and makes room for the answer; returns the challenge.
fn greet(server: &Server, conn: &mut Conn, id: u64) -> Result<Salt, ReadError> {
    let salt = crypto::new_salt();
    conn.salt = salt;
    conn.offered = compression::offered(&server.inst.vars);
    conn.offered.set(Capabilities::SSL, server.tls.current().is_some());
    let collation = Collation::by_name(&server.inst.vars.text(Var::collation_server));
    let greeting = Greeting {
        server_version: SERVER_VERSION,
        connection_id: id as u32,
        salt,
        capabilities: conn.offered,
        collation: collation.map_or(0, Collation::id) as u8,
        status: Status::AUTOCOMMIT,
        auth_plugin: auth::GREETED,
    };
    conn.out.packet(|buf| greeting.encode(buf));
    conn.send()?;
    conn.framer.space();
    Ok(salt)
}

/// Login, session.
fn log_in(
    server: &Arc<Server>,
    conn: &mut Conn,
    packet: &[u8],
    salt: &Salt,
    entry: &Entry,
    extra: bool,
) -> Result<(Session, Capabilities), Refused> {
    let login = match decode_hello(packet) {
        Ok(ClientHello::Login(l)) => l,
        Ok(ClientHello::SslRequest) => {
            return Err(Refused::Sql(SqlError::new(
                errno::ER_HANDSHAKE_ERROR,
                "Bad handshake: TLS was not offered, or is there already",
            )));
        }
        Ok(ClientHello::TooOld) => {
            return Err(Refused::Sql(SqlError::of(errno::ER_NOT_SUPPORTED_AUTH_MODE, &[])));
        }
        Err(_) => return Err(Refused::Sql(bad_handshake())),
    };
    let caps = login.capabilities.and(conn.offered);
    let algorithm = compression::choose(&server.inst.vars, caps, login.zstd_level)?;
    let mut who = identify(server, conn, &login, salt, entry, caps)?;
    who.compression = algorithm.map(compression::told);
    let mut session = Session::open(&server.inst, who.clone());
    if extra {
        let account = server.inst.accounts.get(&who.account_user, &who.account_host);
        let may = account
            .is_some_and(|a| a.global.intersects(Privileges::SUPER | Privileges::CONNECTION_ADMIN));
        if !may {
            server.inst.status.inc(Stat::Connection_errors_max_connections);
            return Err(Refused::Sql(too_many()));
        }
    }
    session.log_in(caps.has(Capabilities::CAN_HANDLE_EXPIRED_PASSWORDS)).map_err(Refused::Sql)?;
    if !who.database.is_empty() {
        let db = who.database.clone();
        server.rt.block_on(session.init_db(&db)).map_err(Refused::Sql)?;
    }
    let max_packet = server.inst.vars.u64(Var::max_allowed_packet) as usize;
    conn.end_login(max_packet);
    server.registry.logged_in(entry, &who, &who.database);
    let status = status(session.status_flags(), false);
    let ok = response::Ok { status, ..response::Ok::default() };
    conn.out.packet(|buf| response::put_ok(buf, caps, &ok));
    conn.out.flush().map_err(|()| Refused::Gone(ReadError::Closed))?;
    if let Some(algorithm) = algorithm {
        conn.compress(algorithm, max_packet);
    }
    Ok((session, caps))
}

/// The client asked for TLS, which was offered.
fn encrypt(server: &Server, conn: &mut Conn, entry: &Entry) -> Result<(), Refused> {
    let status = &server.inst.status;
    // Switched off since the greeting, maybe.
    let context = server.tls.current().ok_or_else(|| Refused::Sql(bad_handshake()))?;
    status.inc(Stat::Ssl_accepts);
    let layer = conn.encrypt(context.config.clone()).map_err(|e| match e {
        // The layer has told the client, in its own way.
        ReadError::Broken => Refused::Gone(ReadError::Closed),
        other => Refused::Gone(other),
    })?;
    status.inc(Stat::Ssl_finished_accepts);
    let (session, resumed) = layer.agreed(|c| (context.session(c), is_resumed(c)));
    if resumed {
        status.inc(Stat::Ssl_sessions_reused);
    }
    conn.tls = Some(Arc::new(session));
    entry.goes_over(layer);
    Ok(())
}

/// Checks the password and says who it is.
pub fn identify(
    server: &Arc<Server>,
    conn: &mut Conn,
    login: &Login<'_>,
    salt: &Salt,
    entry: &Entry,
    caps: Capabilities,
) -> Result<ConnInfo, Refused> {
    let set = Collation::by_id(login.collation).map_or(Charset::Utf8mb4, Collation::charset);
    if !set.is_for_clients() {
        let (name, value) = ("character_set_client", set.name());
        let text = format!("Variable '{name}' can't be set to the value of '{value}'");
        return Err(Refused::Sql(SqlError::new(errno::ER_WRONG_VALUE_FOR_VAR, text)));
    }
    let account = auth::check(conn, &server.auth, &server.inst, login, salt)?;
    let text = |b: &[u8]| sent::text_in(set, b);
    Ok(ConnInfo {
        id: entry.id,
        user: text(login.user),
        host: conn.peer.host(),
        account_user: account.user.clone(),
        account_host: account.host.clone(),
        database: login.database.map(text).unwrap_or_default(),
        collation_id: login.collation,
        found_rows: caps.has(Capabilities::FOUND_ROWS),
        interactive: caps.has(Capabilities::INTERACTIVE),
        ignore_space: caps.has(Capabilities::IGNORE_SPACE),
        multi_statements: caps.has(Capabilities::MULTI_STATEMENTS),
        multi_results: caps.has(Capabilities::MULTI_RESULTS)
            || caps.has(Capabilities::PS_MULTI_RESULTS),
        out_params: caps.has(Capabilities::PS_MULTI_RESULTS),
        attributes: login.attributes.iter().map(|(k, v)| (text(k), text(v))).collect(),
        compression: conn.compression().map(compression::told),
        tls: conn.tls.clone(),
        kill: entry.kill.clone(),
    })
}
