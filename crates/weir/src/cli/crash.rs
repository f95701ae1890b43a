//! Signals that end the process: handlers that report them first.

use libc::{c_int, c_void, siginfo_t};
use std::sync::OnceLock;

/// What is done on the thread that a signal has hit. Both functions must bear to be called in the middle of anything.
#[derive(Clone, Copy)]
pub struct Report {
    /// With the signal and the address that it is about. It runs on the small alternate stack.
    pub begun: fn(i32, usize),
    /// Takes the stack. It runs on the stack of the thread itself.
    pub stack: fn(),
}

static REPORT: OnceLock<Report> = OnceLock::new();

/// Faults of this process itself, and `abort`.
const SIGNALS: [c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE];

type Handler = extern "C" fn(c_int, *mut siginfo_t, *mut c_void);

extern "C" fn first(signal: c_int, info: *mut siginfo_t, _context: *mut c_void) {
    // SAFETY: the kernel calls this with SA_SIGINFO, so `info` is valid until the handler returns; it is only read.
    let address = unsafe { info.as_ref() }.map_or(0, |info| {
        // SAFETY: each of the signals has an address or zeros there.
        unsafe { info.si_addr() as usize }
    });
    if let Some(report) = REPORT.get() {
        (report.begun)(signal, address);
    }
    // The signal comes again when this handler returns, and then finds a handler that has the room to look at the stack. After an
    // overflow there is no such room, and the kernel ends the process.
    set(signal, second, 0);
    // SAFETY: `raise` is async-signal-safe.
    unsafe { libc::raise(signal) };
}

extern "C" fn second(signal: c_int, _info: *mut siginfo_t, _context: *mut c_void) {
    if let Some(report) = REPORT.get() {
        (report.stack)();
    }
    // SAFETY: both calls are async-signal-safe. The signal is blocked until the handler returns; then it ends the process as it would
    // have without a handler, core file included.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// Has the signals reported from now on. One whose handler cannot be set keeps the one that it has.
///
/// Contract: the first handler runs on the alternate stack that the standard library gives each of its threads, so an overflow of the
/// stack is reported, too. The handlers call nothing but `Report`'s functions, `sigaction`, `signal` and `raise`, and the code that has failed
/// does not go on.
pub fn report_to(report: Report) {
    if REPORT.set(report).is_ok() {
        SIGNALS.iter().for_each(|signal| set(*signal, first, libc::SA_ONSTACK));
    }
}

fn set(signal: c_int, handler: Handler, flags: c_int) {
    // SAFETY: a zeroed sigaction is a valid one; the handler has the type that SA_SIGINFO asks for and lives for ever. `sigemptyset` and
    // `sigaction` are async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | flags;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}
