//! Statements: prepared, stepped through, finalized. An unsafe module.

use crate::code;
use crate::column::Shown;
use crate::connection::ConnectionHandle;
use crate::handle::{guarded, handle, misuse, str_of};
use database::{Cursor, Error, Statement, Value};
use std::ffi::{c_char, c_int};
use std::sync::atomic::Ordering;

/// `weir_statement`.
pub struct StatementHandle {
    /// There until the statement is finalized, which its connection waits for.
    pub conn: *mut ConnectionHandle,
    statement: Statement,
    pub values: Vec<Value>,
    cursor: Option<Cursor>,
    /// The last step found a row.
    has_row: bool,
    /// Values of the row as C reads them.
    pub shown: Shown,
    /// Names of the result's columns, as C reads them.
    pub names: Shown,
}

impl StatementHandle {
    /// Its connection.
    pub fn connection(&mut self) -> &mut ConnectionHandle {
        // SAFETY: a connection with statements is not freed, and calls on both do not overlap (the contract of all functions).
        unsafe { &mut *self.conn }
    }

    pub fn columns(&self) -> &[database::Column] {
        self.cursor.as_ref().map_or(&[], |c| c.columns())
    }

    /// The values of the row that the last step found.
    pub fn values_of_row(&self) -> &[Value] {
        self.cursor.as_ref().filter(|_| self.has_row).map_or(&[], Cursor::values)
    }

    fn forget_row(&mut self) {
        self.has_row = false;
        self.shown.clear();
    }

    fn step(&mut self) -> Result<c_int, Error> {
        self.forget_row();
        // SAFETY: as in `connection`; the cursor is another part of the handle.
        let conn = unsafe { &mut *self.conn };
        let cursor = match &mut self.cursor {
            Some(cursor) => cursor,
            none => {
                self.names.clear();
                none.insert(conn.conn.open_cursor(&self.statement, self.values.as_slice())?)
            }
        };
        self.has_row = cursor.step(&mut conn.conn)?;
        if !self.has_row {
            conn.executed = cursor.executed().clone();
        }
        Ok(if self.has_row { code::ROW } else { code::DONE })
    }

    fn next_result(&mut self) -> Result<c_int, Error> {
        self.forget_row();
        // SAFETY: as in `step`.
        let conn = unsafe { &mut *self.conn };
        let cursor = self.cursor.as_mut().ok_or_else(|| misuse("the statement was not stepped"))?;
        self.names.clear();
        let there = cursor.next_result(&mut conn.conn)?;
        conn.executed = cursor.executed().clone();
        Ok(if there { code::ROW } else { code::DONE })
    }

    fn reset(&mut self) {
        self.forget_row();
        self.names.clear();
        if let Some(cursor) = self.cursor.take() {
            cursor.close(&mut self.connection().conn);
        }
    }

    /// Runs a call that may fail with the connection's error.
    pub fn call(&mut self, f: impl FnOnce(&mut StatementHandle) -> Result<c_int, Error>) -> c_int {
        let result = f(self);
        self.connection().done(result)
    }
}

/// # Safety
/// `conn` is null or a connection; `sql` is null, or points to `len` bytes, or to a text that ends in NUL; `out` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_prepare(
    conn: *mut ConnectionHandle,
    sql: *const c_char,
    len: isize,
    out: *mut *mut StatementHandle,
) -> c_int {
    guarded(code::OTHER, || {
        if out.is_null() {
            return code::MISUSE;
        }
        // SAFETY: `out` is not null, and the caller says that it may be written.
        unsafe { *out = std::ptr::null_mut() };
        // SAFETY: the caller says so.
        let Some(c) = (unsafe { handle(conn) }) else { return code::MISUSE };
        // SAFETY: the caller says so.
        let sql = unsafe { str_of(sql, len) };
        let prepared = sql.ok_or_else(|| misuse("weir_prepare needs a text, in UTF-8"));
        let statement = match prepared.and_then(|sql| c.conn.prepare(sql)) {
            Ok(statement) => statement,
            Err(e) => return c.error.set(&e),
        };
        c.error.clear();
        c.statements.fetch_add(1, Ordering::Relaxed);
        let values = vec![Value::Null; statement.parameter_count()];
        let made = StatementHandle {
            conn,
            statement,
            values,
            cursor: None,
            has_row: false,
            shown: Shown::default(),
            names: Shown::default(),
        };
        // SAFETY: as above.
        unsafe { *out = Box::into_raw(Box::new(made)) };
        code::OK
    })
}

macro_rules! of_statement {
    ($($(#[$doc:meta])* $name:ident -> $ty:ty, $or:expr, |$s:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        /// # Safety
        /// `stmt` is null or a handle of [`weir_prepare`] that is not finalized.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(stmt: *mut StatementHandle) -> $ty {
            guarded($or, || {
                // SAFETY: the caller says so.
                match unsafe { handle(stmt) } {
                    Some($s) => $value,
                    None => $or,
                }
            })
        }
    )*};
}

of_statement! {
    /// Goes on to the next row, and begins with the first call.
    weir_step -> c_int, code::MISUSE, |s| s.call(StatementHandle::step);
    /// Goes on to the next result of a CALL.
    weir_next_result -> c_int, code::MISUSE, |s| s.call(StatementHandle::next_result);
    /// Ends the execution; the next step begins another one. Parameters stay.
    weir_reset -> c_int, code::MISUSE, |s| {
        s.reset();
        code::OK
    };
    /// All parameters are NULL again.
    weir_clear_bindings -> c_int, code::MISUSE, |s| {
        s.values.fill(Value::Null);
        code::OK
    };
    /// How many parameters it takes.
    weir_bind_parameter_count -> c_int, 0, |s| s.values.len() as c_int;
    /// How many columns the result has; 0 before the first step.
    weir_column_count -> c_int, 0, |s| s.columns().len() as c_int;
}

/// # Safety
/// `stmt` is null or a handle of [`weir_prepare`] that is not finalized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_finalize(stmt: *mut StatementHandle) -> c_int {
    guarded(code::OTHER, || {
        if stmt.is_null() {
            return code::OK;
        }
        // SAFETY: the handle was made by `Box::into_raw`, and nobody uses it behind this.
        let mut statement = unsafe { Box::from_raw(stmt) };
        statement.reset();
        let conn = statement.conn;
        drop(statement);
        // SAFETY: the connection is freed no earlier than its count is 0.
        unsafe { &*conn }.statements.fetch_sub(1, Ordering::Relaxed);
        code::OK
    })
}
