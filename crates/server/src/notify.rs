//! What systemd learns: ready, stopping, reloading, still alive, still at work (`sd_notify(3)`). Datagrams to the socket that
//! `NOTIFY_SOCKET` names; without one nothing is sent.
//!
//! A start that recovers and a stop that writes pages may take longer than the unit's timeouts: [`Busy`] asks for more time as long as the
//! process makes progress, so that one that hangs is still ended.

use crate::log;
use crate::process::Process;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often progress is looked for, and the time that is asked for with each.
const LOOK: Duration = Duration::from_secs(5);
const MORE: Duration = Duration::from_secs(30);

/// The way to systemd.
pub struct Supervisor {
    to: Option<(UnixDatagram, SocketAddr)>,
    /// Half of `WATCHDOG_USEC`.
    watchdog: Option<Duration>,
    told_alive: Mutex<Option<Instant>>,
}

impl Supervisor {
    pub fn of_environment() -> Arc<Supervisor> {
        let var = |name| std::env::var_os(name);
        let mine = var("WATCHDOG_PID")
            .is_none_or(|pid| pid.to_string_lossy() == std::process::id().to_string());
        let watchdog = var("WATCHDOG_USEC").filter(|_| mine);
        Supervisor::new(var("NOTIFY_SOCKET"), watchdog)
    }

    fn new(socket: Option<OsString>, watchdog: Option<OsString>) -> Arc<Supervisor> {
        let to = socket.filter(|s| !s.is_empty()).and_then(|name| match connect(&name) {
            Ok(to) => Some(to),
            Err(e) => {
                log::warning(&format!("cannot notify systemd at '{}': {e}", name.display()));
                None
            }
        });
        let usec = watchdog.and_then(|w| w.to_str()?.parse::<u64>().ok()).filter(|n| *n > 0);
        Arc::new(Supervisor {
            to,
            watchdog: usec.map(|n| Duration::from_micros(n / 2)),
            told_alive: Mutex::default(),
        })
    }

    /// One message of `NAME=value` lines. That nobody reads it is no reason to stop.
    fn send(&self, message: &str) {
        if let Some((socket, to)) = &self.to {
            let _ = socket.send_to_addr(message.as_bytes(), to);
        }
    }

    pub fn ready(&self) {
        self.send("READY=1\nSTATUS=ready for connections");
    }

    pub fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=stopping");
    }

    /// SIGHUP is being obeyed.
    pub fn reloading(&self) {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        let micros = now.tv_sec * 1_000_000 + now.tv_nsec / 1000;
        self.send(&format!("RELOADING=1\nMONOTONIC_USEC={micros}"));
    }

    /// Says that the process lives, as often as the watchdog wants it; `probe` is something that a process which hangs does not get past.
    pub fn alive(&self, probe: impl FnOnce()) {
        let Some(every) = self.watchdog else { return };
        let mut told = self.told_alive.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|at| at.elapsed() >= every) {
            probe();
            *told = Some(Instant::now());
            self.send("WATCHDOG=1");
        }
    }

    /// Asks for more time until the answer is dropped.
    pub fn busy(self: &Arc<Supervisor>, with: &str) -> Busy {
        self.send(&format!("STATUS={with}"));
        Busy::begin(self, LOOK, progress)
    }
}

fn connect(name: &OsStr) -> io::Result<(UnixDatagram, SocketAddr)> {
    let to = match name.as_bytes() {
        [b'@', rest @ ..] => SocketAddr::from_abstract_name(rest)?,
        [b'/', ..] => SocketAddr::from_pathname(name)?,
        _ => {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is no path and no abstract name",
            ));
        }
    };
    let socket = UnixDatagram::unbound()?;
    // A supervisor that does not read must not keep the server waiting.
    socket.set_nonblocking(true)?;
    Ok((socket, to))
}

/// What the process has done so far, as a number that grows while it computes, reads or writes: by a hundredth of a second or a page, more
/// than the look at it takes.
fn progress() -> u64 {
    let p = Process::now();
    p.cpu_ticks + p.io_bytes / 4096
}

/// A start or a stop at work.
pub struct Busy {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Busy {
    fn begin(
        supervisor: &Arc<Supervisor>,
        look: Duration,
        progress: impl Fn() -> u64 + Send + 'static,
    ) -> Busy {
        let over = Arc::new(AtomicBool::new(false));
        if supervisor.to.is_none() {
            return Busy { over, thread: None };
        }
        let (supervisor, is_over) = (supervisor.clone(), over.clone());
        let run = move || {
            let mut before = progress();
            while !is_over.load(Ordering::Acquire) {
                std::thread::park_timeout(look);
                let now = progress();
                if now != before {
                    supervisor.send(&format!("EXTEND_TIMEOUT_USEC={}", MORE.as_micros()));
                }
                before = now;
            }
        };
        // Without the thread the unit's timeouts hold as they are.
        let thread = std::thread::Builder::new().name("weir-notify".into()).spawn(run).ok();
        Busy { over, thread }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It ends at once: it sends without waiting.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    fn received(socket: &UnixDatagram) -> String {
        let mut buf = [0; 256];
        let n = socket.recv(&mut buf).unwrap();
        String::from_utf8(buf[..n].to_vec()).unwrap()
    }

    #[test]
    fn a_supervisor_by_path_and_by_abstract_name_is_told() {
        let path = std::env::temp_dir().join(format!("weir-notify-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let by_path = UnixDatagram::bind(&path).unwrap();
        let name = format!("weir-notify-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let by_name = UnixDatagram::bind_addr(&address).unwrap();
        for (socket, named) in
            [(by_path, path.clone().into()), (by_name, OsString::from(format!("@{name}")))]
        {
            let s = Supervisor::new(Some(named), Some("200000".into()));
            s.ready();
            assert!(received(&socket).starts_with("READY=1\n"));
            s.reloading();
            let text = received(&socket);
            assert!(text.starts_with("RELOADING=1\nMONOTONIC_USEC="), "{text}");
            let mut probes = 0;
            s.alive(|| probes += 1);
            s.alive(|| probes += 1);
            assert_eq!((probes, received(&socket).as_str()), (1, "WATCHDOG=1"));
            s.stopping();
            assert!(received(&socket).starts_with("STOPPING=1"));
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn without_a_supervisor_nothing_is_sent() {
        for bad in [None, Some(""), Some("relative"), Some("/no/such/folder/socket")] {
            let s = Supervisor::new(bad.map(Into::into), Some("many".into()));
            s.ready();
            s.alive(|| panic!("there is no watchdog"));
            drop(s.busy("starting"));
        }
    }

    #[test]
    fn time_is_asked_for_while_there_is_progress() {
        let name = format!("weir-busy-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let s = Supervisor::new(Some(format!("@{name}").into()), None);
        let steps = Arc::new(AtomicU64::new(0));
        let read = steps.clone();
        let busy =
            Busy::begin(&s, Duration::from_millis(1), move || read.fetch_add(1, Ordering::Relaxed));
        assert_eq!(received(&socket), "EXTEND_TIMEOUT_USEC=30000000");
        drop(busy);
        while socket.recv(&mut [0; 64]).is_ok() {}
        let busy = Busy::begin(&s, Duration::from_millis(1), || 7);
        assert!(socket.recv(&mut [0; 64]).is_err(), "a process that stands still gets no time");
        drop(busy);
        assert!(progress() < u64::MAX);
    }
}
