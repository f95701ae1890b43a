//! The report of a process that a signal ends (SIGSEGV, SIGBUS, SIGABRT, ...): signal, address, connection, statement and stack, in the
//! error log.
//!
//! The handler runs in the middle of anything, perhaps within the allocator or with a mutex of the log taken. It only rings for a
//! thread that was started beforehand, which does the rest; the stack alone has to be taken where it is. A step that does not come to
//! its end within [`PATIENCE`] is given up, and the process ends as the signal wants it, with a core file where the system is set up
//! for one.

use crate::alarm::Alarm;
use crate::listener::Server;
use crate::log;
use std::backtrace::Backtrace;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::{Duration, Instant};
use weir_rt::Actor;

/// How long the stack, and then the whole report, may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks of the handler at whether the report is written.
const LOOK: Duration = Duration::from_millis(5);
/// Bytes of the statement in the report.
const STATEMENT: usize = 1024;

/// What the handler leaves for the thread that reports.
struct Reporter {
    alarm: Alarm,
    server: Weak<Server>,
    /// 0: nothing has happened.
    signal: AtomicI32,
    address: AtomicU64,
    /// The number of the connection that the thread served.
    connection: AtomicU64,
    /// The first line is in the log.
    told: AtomicBool,
    stack: Mutex<Option<Backtrace>>,
    written: AtomicBool,
}

static REPORTER: OnceLock<Arc<Reporter>> = OnceLock::new();

/// Starts the thread that writes reports. Without it signals end the process as ever.
pub fn prepare(server: &Arc<Server>) {
    let Ok(alarm) = Alarm::new() else { return };
    let reporter = Arc::new(Reporter {
        alarm,
        server: Arc::downgrade(server),
        signal: AtomicI32::new(0),
        address: AtomicU64::new(0),
        connection: AtomicU64::new(0),
        told: AtomicBool::new(false),
        stack: Mutex::new(None),
        written: AtomicBool::new(false),
    });
    if REPORTER.set(reporter.clone()).is_ok() {
        let thread = std::thread::Builder::new().name("weir-crash".into());
        if let Err(e) = thread.spawn(move || reporter.run()) {
            log::warning(&format!("a crash will not be reported: {e}"));
        }
    }
}

/// Called by the handler of a signal that ends the process, on the thread that it has hit. It returns when the first line is in the log.
pub fn begun(signal: i32, address: usize) {
    let Some(reporter) = REPORTER.get() else { return };
    if reporter.signal.compare_exchange(0, signal, Ordering::AcqRel, Ordering::Acquire).is_err() {
        // Another thread has met its end, too: the first report ends the process.
        std::thread::sleep(PATIENCE * 2);
        return;
    }
    reporter.address.store(address as u64, Ordering::Release);
    reporter.connection.store(Actor::current().id().unwrap_or(0), Ordering::Release);
    reporter.alarm.ring();
    // Taking the stack may fail for good, where it has overflowed: what is known is written before.
    wait_for(&reporter.told, PATIENCE);
}

/// Takes the stack of this thread. It returns when the report is written.
pub fn stack() {
    let Some(reporter) = REPORTER.get() else { return };
    let stack = Backtrace::force_capture();
    if let Ok(mut slot) = reporter.stack.try_lock() {
        *slot = Some(stack);
    }
    reporter.alarm.ring();
    wait_for(&reporter.written, PATIENCE * 2);
}

fn wait_for(flag: &AtomicBool, at_most: Duration) {
    let begun = Instant::now();
    while !flag.load(Ordering::Acquire) && begun.elapsed() < at_most {
        std::thread::sleep(LOOK);
    }
}

impl Reporter {
    fn run(&self) {
        while self.signal.load(Ordering::Acquire) == 0 {
            self.alarm.wait(Duration::from_secs(3600));
        }
        let connection = self.connection.load(Ordering::Acquire);
        log::write(log::Level::Error, connection, &self.what(connection));
        self.told.store(true, Ordering::Release);
        let begun = Instant::now();
        let stack = loop {
            if let Some(stack) = self.stack.lock().ok().and_then(|mut s| s.take()) {
                break Some(stack);
            }
            if begun.elapsed() >= PATIENCE {
                break None;
            }
            self.alarm.wait(LOOK);
        };
        let signal = self.signal.load(Ordering::Acquire);
        let text = match stack {
            Some(stack) => format!("signal {signal}, the stack:\n{stack}"),
            None => format!("signal {signal}: the stack could not be taken"),
        };
        log::write(log::Level::Error, connection, &text);
        self.written.store(true, Ordering::Release);
        // The handler lets the signal end the process. It does not come to that where it hangs in the allocator.
        std::thread::sleep(PATIENCE);
        std::process::exit(128 + signal);
    }

    fn what(&self, connection: u64) -> String {
        let (signal, address) =
            (self.signal.load(Ordering::Acquire), self.address.load(Ordering::Acquire));
        let name = name_of(signal);
        let mut text = format!(
            "signal {signal} ({name}) at address {address:#x} ends the server, please report it (weir {}); the next start recovers",
            env!("CARGO_PKG_VERSION")
        );
        let Some(server) = self.server.upgrade().filter(|_| connection != 0) else { return text };
        let mut statement = [0; STATEMENT];
        let length = server.registry.statement(connection, &mut statement);
        if length > 0 {
            let shown = String::from_utf8_lossy(&statement[..length]);
            text.push_str(&format!("; connection {connection} ran: {shown}"));
        }
        text
    }
}

fn name_of(signal: i32) -> &'static str {
    use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    match signal {
        SIGSEGV => "SIGSEGV",
        SIGBUS => "SIGBUS",
        SIGABRT => "SIGABRT",
        SIGILL => "SIGILL",
        SIGFPE => "SIGFPE",
        _ => "unknown",
    }
}
