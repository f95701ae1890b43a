//! From options to a running server, and its end.

use crate::alarm::Alarm;
use crate::backup::{ArchiveSettings, ArchiveStatus, Archiver, BackupCommand};
use crate::crash;
use crate::listener::Server;
use crate::log;
use crate::notify::Supervisor;
use crate::queue;
use crate::stage::Stage;
pub use crate::stage::free_bytes;
use crate::tls::Tls;
use std::fs::Permissions;
use std::net::{IpAddr, TcpListener, ToSocketAddrs};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
pub use weir_boot::engine::{
    Embedding, descriptors_wanted, engine_options, open, open_with_log, settings, throttled,
};
use weir_boot::files::MachineFiles;
use weir_boot::options::ServeOptions;
use weir_boot::passwords::Hasher;
use weir_boot::persisted::{self, KeptFile};
use weir_boot::{budget, identity};
use weir_engine::{ArchivedFn, Db};
use weir_rt::Rt;
use weir_sql::files::StatementLogs as _;
use weir_sql::session::Instance;
use weir_sql::tls::TlsControl as _;
use weir_sql::vars::{GlobalVars, Var, octal_mode};

/// Seconds that clients have to end when the server stops.
const GRACE: Duration = Duration::from_secs(10);

/// Runs the server until somebody stops it. The text of an error is for the user.
pub fn serve(options: &ServeOptions) -> Result<(), String> {
    let vars = Arc::new(GlobalVars::default());
    let mut warnings = options.apply(&vars)?;
    let datadir = PathBuf::from(vars.text(Var::datadir));
    let (kept, of_kept) = persisted::load(&datadir, &vars, options)?;
    warnings.extend(of_kept);
    log_as_wanted(&vars)?;
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    vars.put(Var::hostname, weir_sql::vars::VarValue::Str(host.trim().into()));
    match weir_sql::value::use_zone_of_machine() {
        Ok(name) => vars.put(Var::system_time_zone, weir_sql::vars::VarValue::Str(name.into())),
        Err(e) => {
            warnings.push(format!("the machine's time zone is not known, SYSTEM is UTC: {e}"))
        }
    }
    if !options.is_given(Var::back_log) {
        let most = vars.u64(Var::max_connections).min(65_535);
        vars.put(Var::back_log, weir_sql::vars::VarValue::UInt(most));
    }
    let target = vars.text(Var::log_error);
    if target != "stderr" && !target.is_empty() {
        log::set_file(&target).map_err(|e| format!("cannot write the log '{target}': {e}"))?;
    }
    log::system(&format!(
        "weir {} starting, process {}",
        env!("CARGO_PKG_VERSION"),
        std::process::id()
    ));
    warnings.iter().for_each(|w| log::warning(w));
    options.confirmed(&vars).iter().for_each(|line| log::system(line));
    raise_files_limit();
    std::panic::set_hook(Box::new(|info| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("without a name");
        // The stack is what a report is worth: where the panic was raised says little of how it came there.
        let stack = std::backtrace::Backtrace::force_capture();
        let connection = weir_rt::Actor::current().id().unwrap_or(0);
        log::write(
            log::Level::Error,
            connection,
            &format!("internal error in thread {name}, please report it: {info}\n{stack}"),
        );
    }));
    // Bound first: a port in use is known before the data directory is touched.
    let tcp = bind(&vars)?;
    let http = crate::http::bind(&vars)?;
    let asked = Asked::by_signals().map_err(|e| format!("cannot handle signals: {e}"))?;
    let supervisor = Supervisor::of_environment();
    let stage = Stage::new(&datadir);
    let live = http.map(|l| Live::begin(l, &stage)).transpose()?;
    let starting = supervisor.busy("starting");
    let rt = Rt::real();
    let of_start = stage.clone();
    let embedding = Embedding {
        log: Arc::new(move |line| {
            of_start.recovers(line);
            log::engine(line);
        }),
        note: Arc::new(log::note),
        warning: Arc::new(log::warning),
        // A failed sync means that nothing more can be promised: the process ends, and the next start recovers.
        fatal: Arc::new(|e| {
            log::error(&format!(
                "the storage engine cannot go on: {e}; ending the process, the next start recovers"
            ));
            std::process::exit(70);
        }),
        archived: archived(&vars),
        serves: true,
        log_on_demand: false,
    };
    tell_memory(&vars);
    let archive = ArchiveSettings::of(
        &vars.text(Var::weir_redo_archive_dir),
        &vars.text(Var::weir_redo_archive_key_file),
    )?;
    let (db, binlog) = open_with_log(&rt, &datadir, &vars, options, embedding)?;
    let archiver = archive.map(|a| Archiver::start(&rt, &db, a)).transpose()?;
    db.serve_answers();
    let (uuid, not_kept) = identity::server_uuid(&datadir)?;
    vars.put(Var::server_uuid, weir_sql::vars::VarValue::Str(uuid.into()));
    not_kept.iter().for_each(|w| log::warning(w));
    let inst = rt
        .block_on(Instance::open(db.clone(), vars.clone(), Box::new(Hasher::new(rt.clone()))))
        .map_err(|e| format!("cannot read the accounts: {}", e.message))?;
    // Set once: this is the only server of the instance.
    binlog.into_iter().for_each(|log| drop(inst.binlog.set(log)));
    budget::enforce(&inst);
    inst.persisted.open(kept, Arc::new(KeptFile::of(&datadir)));
    guard_open_root(&inst, &tcp)?;
    inst.meta.set_limit(vars.u64(Var::table_open_cache) as usize);
    let cache = Arc::downgrade(&inst);
    vars.on_change(
        Var::table_open_cache,
        Box::new(move |v| {
            if let (Some(inst), weir_sql::vars::VarValue::UInt(n)) = (cache.upgrade(), v) {
                inst.meta.set_limit(*n as usize);
            }
            Ok(())
        }),
    );
    log_follows(&vars);
    // Set once, as are the files: this is the only server of the instance.
    let _ = inst.error_log.set(Arc::new(log::KeptLines));
    let secure = vars.text(Var::secure_file_priv);
    let files = Arc::new(MachineFiles::new(&secure, &datadir)?);
    let _ = inst.server_files.set(files.clone());
    let _ = inst.backup_files.set(Arc::new(BackupCommand::new(files)));
    let tls = Tls::open(&vars, &datadir)?;
    weir_sql::session_api::set_stack_room(crate::workers::STACK_ROOM);
    let server =
        Server::new(inst, tls, rt.clone()).map_err(|e| format!("cannot serve clients: {e}"))?;
    stage.serves(&server);
    crash::prepare(&server);
    let place = crate::place::Place::of(&datadir)?;
    refuse_disabled(&vars);
    read_grant_tables(&server, &vars);
    make_sys_schema(&server, &vars);
    server.schedule_events().map_err(|e| format!("cannot run events: {e}"))?;
    let replicas = crate::replicas::open(&server)?;
    let socket = socket_path(&vars, &datadir);
    let unix = bind_socket(&socket, &vars)?;
    server.listen_unix(unix);
    let mut ports = Vec::new();
    for l in tcp {
        ports.push(l.local_addr().map_err(|e| e.to_string())?);
        server.listen_tcp(l);
    }
    let pid = vars.text(Var::pid_file);
    if !pid.is_empty() {
        std::fs::write(&pid, format!("{}\n", std::process::id()))
            .map_err(|e| format!("cannot write the pid file '{pid}': {e}"))?;
    }
    for p in &ports {
        log::system(&format!(
            "ready for connections: mariadb --host={} --port={} --user=root",
            p.ip(),
            p.port()
        ));
    }
    log::system(&format!(
        "ready for connections: mariadb --socket={} --user=root",
        socket.display()
    ));
    live.iter().for_each(|live| log::system(&live.told));
    stage.ready();
    drop(starting);
    supervisor.ready();
    let archived = archiver.as_ref().map(|a| a.status.clone());
    watch(&server, &asked, &supervisor, archived.as_deref(), &place);
    log::system("stopping");
    stage.stopping();
    supervisor.stopping();
    let _busy = supervisor.busy("stopping");
    server.stopping.store(true, Ordering::SeqCst);
    replicas.stop_all();
    let end = shut_down(&server, &rt, &db, vars.u64(Var::shutdown_timeout));
    if let Some(archiver) = archiver {
        archiver.finish();
    }
    let _ = std::fs::remove_file(&socket);
    if !pid.is_empty() {
        let _ = std::fs::remove_file(&pid);
    }
    end
}

/// What goes to the error log and in which form, as the variables want it.
pub(crate) fn log_as_wanted(vars: &GlobalVars) -> Result<(), String> {
    log::set_verbosity(vars.u64(Var::log_error_verbosity) as u8);
    let of_option = |name: &str, why: String| format!("option '--{name}': {why}");
    log::set_services(&vars.text(Var::log_error_services))
        .map_err(|e| of_option("log-error-services", e))?;
    log::set_suppressed(&vars.text(Var::log_error_suppression_list))
        .map_err(|e| of_option("log-error-suppression-list", e))
}

/// SET GLOBAL of the log's variables. Hooks run before a value changes and must not wait.
fn log_follows(vars: &GlobalVars) {
    use weir_sql::vars::VarValue;
    let text = |set: fn(&str) -> Result<(), String>| {
        move |v: &VarValue| if let VarValue::Str(t) = v { set(t) } else { Ok(()) }
    };
    vars.on_change(Var::log_error_services, Box::new(text(log::set_services)));
    vars.on_change(Var::log_error_suppression_list, Box::new(text(log::set_suppressed)));
    let verbosity = |v: &VarValue| {
        if let VarValue::UInt(n) = v {
            log::set_verbosity(*n as u8);
        }
        Ok(())
    };
    vars.on_change(Var::log_error_verbosity, Box::new(verbosity));
}

/// What the server may take of memory, for the log.
fn tell_memory(vars: &GlobalVars) {
    let (text, over) = budget::tell(vars);
    if over { log::warning(&text) } else { log::note(&text) }
}

/// Takes over what was written to the grant tables before this start, as MySQL does. Where that cannot be the accounts stay as they are.
pub(crate) fn read_grant_tables(server: &Server, vars: &GlobalVars) {
    if vars.u64(Var::innodb_force_recovery) > 0 {
        return;
    }
    let id = server.registry.next_id();
    match server.rt.block_on(weir_sql::session::read_grant_tables(&server.inst, id)) {
        Ok(told) => told.iter().for_each(|text| log::warning(text)),
        Err(e) => log::warning(&format!("the grant tables are not read: {}", e.message)),
    }
}

/// The schema `sys` is a convenience: a server that cannot make it runs without.
pub(crate) fn make_sys_schema(server: &Server, vars: &GlobalVars) {
    if vars.u64(Var::innodb_force_recovery) > 0 {
        return;
    }
    let id = server.registry.next_id();
    let made = server.rt.block_on(weir_sql::sys::install(&server.inst, id));
    if let Err(e) = made {
        log::warning(&format!("cannot make the schema sys: {}", e.message));
    }
}

/// `event_scheduler` is DISABLED by the start or not at all.
fn refuse_disabled(vars: &Arc<GlobalVars>) {
    let disabled = vars.text(Var::event_scheduler) == "DISABLED";
    vars.on_change(
        Var::event_scheduler,
        Box::new(move |v| match v {
            _ if disabled => Err("the server was started with --event-scheduler=DISABLED".into()),
            weir_sql::vars::VarValue::Enum(2) => {
                Err("it can be disabled for good by the server's start alone; OFF stops it".into())
            }
            _ => Ok(()),
        }),
    );
}

/// The HTTP port of a server that starts, and what the log says of it once there is something to see.
struct Live {
    told: String,
}

impl Live {
    fn begin(listener: TcpListener, stage: &Arc<Stage>) -> Result<Live, String> {
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        crate::http::listen(listener, stage)?;
        Ok(Live { told: crate::http::told(address) })
    }
}

/// What signals ask of a server.
struct Asked {
    /// SIGTERM and SIGINT: it ends.
    stop: Arc<AtomicBool>,
    /// SIGHUP: the grant tables and certificates are read again, the logs are opened again.
    reload: Arc<AtomicBool>,
    /// SIGUSR1: the logs are opened again.
    reopen: Arc<AtomicBool>,
    alarm: Arc<Alarm>,
}

impl Asked {
    /// SIGUSR2 has no meaning, and does not end the server.
    fn by_signals() -> std::io::Result<Asked> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
        let alarm = Arc::new(Alarm::new()?);
        let flag = |signals: &[i32]| {
            let flag = Arc::new(AtomicBool::new(false));
            for signal in signals {
                signal_hook::flag::register(*signal, flag.clone())?;
                alarm.on_signal(*signal)?;
            }
            Ok::<_, std::io::Error>(flag)
        };
        flag(&[SIGUSR2])?;
        let (stop, reload) = (flag(&[SIGTERM, SIGINT])?, flag(&[SIGHUP])?);
        Ok(Asked { stop, reload, reopen: flag(&[SIGUSR1])?, alarm: alarm.clone() })
    }

    fn serve(&self, server: &Server, supervisor: &Supervisor) {
        let reload = self.reload.swap(false, Ordering::Relaxed);
        if reload || self.reopen.swap(false, Ordering::Relaxed) {
            reopen_logs(server, if reload { "SIGHUP" } else { "SIGUSR1" });
        }
        if reload {
            supervisor.reloading();
            read_grant_tables(server, &server.inst.vars);
            // A certificate that is not valid leaves the one in use, with a warning.
            let _ = server.tls.reload(true);
            supervisor.ready();
        }
    }
}

fn reopen_logs(server: &Server, why: &str) {
    if let Err(e) = log::reopen() {
        log::error(&format!("{why}: cannot open the error log again: {e}"));
    }
    if let Err(e) = server.logs.reopen(true, true) {
        log::error(&format!("{why}: {}", e.message));
    }
    log::system(&format!("{why}: the logs are opened again"));
}

/// How often the server looks for clients that have gone while their statements run.
const LOOK: Duration = Duration::from_secs(1);

fn watch(
    server: &Arc<Server>,
    asked: &Asked,
    supervisor: &Supervisor,
    archived: Option<&ArchiveStatus>,
    place: &crate::place::Place,
) {
    server.registry.stop_by(asked.alarm.clone());
    let mut looked = Instant::now();
    while !asked.stop.load(Ordering::Relaxed) && !server.registry.is_stop_asked() {
        asked.alarm.wait(LOOK.saturating_sub(looked.elapsed()));
        asked.serve(server, supervisor);
        // Takes the engine's short locks: a server that hangs in one does not get past it.
        supervisor.alive(|| _ = server.inst.db.pressure());
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            place.end_if_gone();
            server.registry.kill_vanished();
            server.end_kept_out();
            server.end_old_snapshots();
            if let Some(a) = archived {
                a.tell(&server.inst.status);
            }
        }
    }
}

/// `limit`: seconds until the process ends as after a crash; 0: none.
fn shut_down(server: &Arc<Server>, rt: &Rt, db: &Db, limit: u64) -> Result<(), String> {
    let limit = Duration::from_secs(limit);
    server.stopping.store(true, Ordering::SeqCst);
    server.inst.events_changed.notify_one();
    server.registry.kill_all();
    let begun = Instant::now();
    let grace = if limit.is_zero() { GRACE } else { GRACE.min(limit) };
    let busy = || {
        let events = server.events.load(Ordering::SeqCst);
        server.connected.load(Ordering::Relaxed) > 0 || events > 0
    };
    while busy() && begun.elapsed() < grace {
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = match limit.is_zero() {
        true => Some(rt.block_on(db.shutdown())),
        false => {
            let left = limit.saturating_sub(begun.elapsed());
            // Dropped on its way, it ends the log where pages are being written; nothing but the end of the process follows.
            rt.block_on(rt.timeout(left, db.shutdown()))
        }
    };
    match ended {
        Some(r) => r.map_err(|e| format!("shutdown failed: {e}")),
        None => {
            let seconds = limit.as_secs();
            let text = format!(
                "the stop has not ended within shutdown_timeout={seconds} seconds; ending the process as after a crash, the next start recovers"
            );
            log::error(&text);
            Err(text)
        }
    }
}

/// How far the archive has come: the engine keeps the log from there on before its first checkpoint.
fn archived(vars: &GlobalVars) -> Option<ArchivedFn> {
    let (dir, key) =
        (vars.text(Var::weir_redo_archive_dir), vars.text(Var::weir_redo_archive_key_file));
    // What is wrong with them ends the start before the directory is opened.
    let settings = ArchiveSettings::of(&dir, &key).ok().flatten()?;
    Some(Arc::new(move |directory, history| settings.end_of(directory, history)))
}

fn bind(vars: &GlobalVars) -> Result<Vec<TcpListener>, String> {
    if vars.bool(Var::skip_networking) {
        return Ok(Vec::new());
    }
    let (port, backlog) = (vars.u64(Var::port) as u16, vars.u64(Var::back_log));
    let mut out = Vec::new();
    for host in vars.text(Var::bind_address).split(',').map(str::trim).filter(|h| !h.is_empty()) {
        let host = if host == "*" { "0.0.0.0" } else { host };
        let addresses =
            (host, port).to_socket_addrs().map_err(|e| format!("bind-address '{host}': {e}"))?;
        let Some(a) = addresses.into_iter().next() else {
            return Err(format!("bind-address '{host}' has no address"));
        };
        let l = TcpListener::bind(a).map_err(|e| format!("cannot listen on {a}: {e}; another server may use the port, --port=N takes another one"))?;
        queue::widen(&l, backlog).map_err(|e| format!("cannot listen on {a}: {e}"))?;
        out.push(l);
    }
    Ok(out)
}

/// Root without a password must not be reachable from other machines.
pub(crate) fn guard_open_root(inst: &Instance, tcp: &[TcpListener]) -> Result<(), String> {
    let outside = |ip: IpAddr| !ip.is_loopback();
    let open = tcp.iter().filter_map(|l| l.local_addr().ok()).find(|a| outside(a.ip()));
    match open {
        Some(a) if inst.accounts.has_open_superuser() => Err(format!(
            "refusing to listen on {}: an account with all rights has no password. Start without --bind-address, run \
             ALTER USER 'root'@'localhost' IDENTIFIED BY '...', and start again",
            a.ip()
        )),
        _ => Ok(()),
    }
}

fn socket_path(vars: &GlobalVars, datadir: &Path) -> PathBuf {
    let given = vars.text(Var::socket);
    if given.is_empty() { datadir.join("weir.sock") } else { PathBuf::from(given) }
}

/// A socket file that nobody answers on is left from a crash. It gets the permissions of
/// `socket_mode`: those that `bind` gives follow the umask, which commonly keeps other accounts of the system out.
fn bind_socket(path: &Path, vars: &GlobalVars) -> Result<UnixListener, String> {
    if path.exists() {
        if std::os::unix::net::UnixStream::connect(path).is_ok() {
            return Err(format!(
                "another server answers on the socket '{}'; --socket=PATH takes another one",
                path.display()
            ));
        }
        std::fs::remove_file(path)
            .map_err(|e| format!("cannot remove the old socket '{}': {e}", path.display()))?;
    }
    let listener = UnixListener::bind(path)
        .map_err(|e| format!("cannot listen on the socket '{}': {e}", path.display()))?;
    queue::widen(&listener, vars.u64(Var::back_log))
        .map_err(|e| format!("cannot listen on the socket '{}': {e}", path.display()))?;
    let mode =
        octal_mode(&vars.text(Var::socket_mode)).expect("socket_mode is checked when it is set");
    std::fs::set_permissions(path, Permissions::from_mode(mode)).map_err(|e| {
        format!("cannot set the permissions of the socket '{}': {e}", path.display())
    })?;
    Ok(listener)
}

/// Connections and table files need descriptors: as many as the system allows.
fn raise_files_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum });
}
