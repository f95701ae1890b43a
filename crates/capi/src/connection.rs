//! Connections. An unsafe module.

use crate::code;
use crate::database_handle::DatabaseHandle;
use crate::handle::{LastError, guarded, handle, misuse, str_of};
use database::{Connection, Error, Executed, InterruptHandle};
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};

/// `weir_connection`.
pub struct ConnectionHandle {
    pub conn: Connection,
    pub interrupt: InterruptHandle,
    pub error: LastError,
    pub executed: Executed,
    /// Statements that are not finalized; they point to this handle.
    pub statements: AtomicUsize,
}

impl ConnectionHandle {
    /// Keeps how a call ended.
    pub fn done(&mut self, result: Result<c_int, Error>) -> c_int {
        match result {
            Ok(code) => {
                self.error.clear();
                code
            }
            Err(e) => self.error.set(&e),
        }
    }
}

/// # Safety
/// `db` is null or a handle of `weir_open` that is not closed; `out` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_connect(
    db: *mut DatabaseHandle,
    out: *mut *mut ConnectionHandle,
) -> c_int {
    guarded(code::OTHER, || {
        if out.is_null() {
            return code::MISUSE;
        }
        // SAFETY: `out` is not null, and the caller says that it may be written.
        unsafe { *out = std::ptr::null_mut() };
        // SAFETY: the caller says so. Several threads may connect at once, so that the handle is only read here.
        let Some(handle) = (unsafe { db.as_ref() }) else { return code::MISUSE };
        let Some(Ok(conn)) = handle.db.as_ref().map(|d| d.connect()) else {
            return code::UNAVAILABLE;
        };
        let made = ConnectionHandle {
            interrupt: conn.interrupt_handle(),
            conn,
            error: LastError::default(),
            executed: Executed::default(),
            statements: AtomicUsize::new(0),
        };
        // SAFETY: as above.
        unsafe { *out = Box::into_raw(Box::new(made)) };
        code::OK
    })
}

/// # Safety
/// `conn` is null or a handle of [`weir_connect`] that is not disconnected.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_disconnect(conn: *mut ConnectionHandle) -> c_int {
    guarded(code::OTHER, || {
        // SAFETY: the caller says so.
        let Some(c) = (unsafe { handle(conn) }) else { return code::OK };
        if c.statements.load(Ordering::Relaxed) > 0 {
            return c.error.set(&misuse("the connection has statements that are not finalized"));
        }
        // SAFETY: the handle was made by `Box::into_raw`, and no statement points to it.
        drop(unsafe { Box::from_raw(conn) });
        code::OK
    })
}

/// # Safety
/// `conn` is null or a handle of [`weir_connect`]; `sql` is null, or points to `len` bytes, or to a text that ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_exec(
    conn: *mut ConnectionHandle,
    sql: *const c_char,
    len: isize,
) -> c_int {
    guarded(code::OTHER, || {
        // SAFETY: the caller says so.
        let Some(c) = (unsafe { handle(conn) }) else { return code::MISUSE };
        // SAFETY: the caller says so.
        let sql = unsafe { str_of(sql, len) };
        let result = match sql {
            None => Err(misuse("weir_exec needs a text, in UTF-8")),
            Some(sql) => c.conn.execute_batch(sql).map(|()| code::OK),
        };
        c.done(result)
    })
}

/// # Safety
/// `conn` is null or a handle of [`weir_connect`] that stays until this returns. Any thread may call it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_interrupt(conn: *const ConnectionHandle) {
    guarded((), || {
        if !conn.is_null() {
            // SAFETY: the handle is there. Another thread may be changing other parts of it, so only this part is looked at, which never
            // changes.
            let interrupt = unsafe { &*std::ptr::addr_of!((*conn).interrupt) };
            interrupt.interrupt();
        }
    })
}

macro_rules! of_connection {
    ($($(#[$doc:meta])* $name:ident -> $ty:ty, $or:expr, |$c:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        /// # Safety
        /// `conn` is null or a handle of [`weir_connect`] that is not disconnected. A text lasts until the next call on the connection.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(conn: *mut ConnectionHandle) -> $ty {
            guarded($or, || {
                // SAFETY: the caller says so.
                match unsafe { handle(conn) } {
                    Some($c) => $value,
                    None => $or,
                }
            })
        }
    )*};
}

of_connection! {
    /// MySQL's number of the last error.
    weir_errno -> c_int, 0, |c| c.error.number();
    /// Its SQLSTATE.
    weir_sqlstate -> *const c_char, c"HY000".as_ptr(), |c| c.error.sqlstate();
    /// Its text.
    weir_errmsg -> *const c_char, c"no connection".as_ptr(), |c| c.error.message();
    /// Its class.
    weir_errcode -> c_int, code::MISUSE, |c| c.error.code();
    /// Whether a transaction is open.
    weir_in_transaction -> c_int, 0, |c| c.conn.in_transaction().into();
    /// CONNECTION_ID().
    weir_connection_id -> u64, 0, |c| c.conn.id();
    /// Of the last statement that was stepped to its end.
    weir_affected_rows -> u64, 0, |c| c.executed.affected_rows();
    /// The first AUTO_INCREMENT value that it made.
    weir_last_insert_id -> u64, 0, |c| c.executed.last_insert_id();
    /// How many warnings it had.
    weir_warning_count -> c_int, 0, |c| c.executed.warnings().into();
}
