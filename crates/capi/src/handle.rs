//! What all functions share: pointers that come from C, and what a handle keeps of its last error. An unsafe module.

use crate::code;
use crate::code_of;
use database::Error;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The last error of a handle, as C reads it.
pub struct LastError {
    number: c_int,
    sqlstate: CString,
    message: CString,
    code: c_int,
}

impl Default for LastError {
    fn default() -> LastError {
        LastError { number: 0, sqlstate: text("00000"), message: text(""), code: code::OK }
    }
}

/// A text as C has it. What comes after a NUL would not be seen: it is made visible.
pub fn text(t: &str) -> CString {
    CString::new(t.replace('\0', "\u{FFFD}")).unwrap_or_default()
}

impl LastError {
    /// Keeps an error and returns its code.
    pub fn set(&mut self, e: &Error) -> c_int {
        *self = LastError {
            number: e.number().into(),
            sqlstate: text(e.sqlstate()),
            message: text(&message_of(e)),
            code: code_of(e),
        };
        self.code
    }

    pub fn clear(&mut self) {
        if self.code != code::OK {
            *self = LastError::default();
        }
    }

    pub fn number(&self) -> c_int {
        self.number
    }

    pub fn sqlstate(&self) -> *const c_char {
        self.sqlstate.as_ptr()
    }

    pub fn message(&self) -> *const c_char {
        self.message.as_ptr()
    }

    pub fn code(&self) -> c_int {
        self.code
    }
}

/// MySQL's text without the number, which has a function of its own.
fn message_of(e: &Error) -> String {
    match e {
        Error::Sql { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

/// A call in a wrong order or with wrong arguments.
pub fn misuse(what: &str) -> Error {
    Error::Misuse { message: what.to_owned() }
}

/// Runs what a function does. No panic gets out of it: C has no way to unwind.
pub fn guarded<T>(or: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(or)
}

/// The text behind a pointer: `len` bytes, or up to its NUL where that is negative. `None`: it is null, too long or no UTF-8.
///
/// # Safety
/// `p` is null, or points to `len` bytes, or to a text that ends in NUL; they stay as they are for `'a`.
pub unsafe fn str_of<'a>(p: *const c_char, len: isize) -> Option<&'a str> {
    if p.is_null() {
        return None;
    }
    let bytes = match usize::try_from(len) {
        // SAFETY: the caller says that a text that ends in NUL is there.
        Err(_) => unsafe { CStr::from_ptr(p) }.to_bytes(),
        // SAFETY: the caller says that so many bytes are there; a length that is not negative fits into an isize.
        Ok(len) => unsafe { std::slice::from_raw_parts(p.cast::<u8>(), len) },
    };
    std::str::from_utf8(bytes).ok()
}

/// Bytes behind a pointer, which may be null where there are none. `None`: there is no such buffer.
///
/// # Safety
/// `p` is null, or points to `len` bytes that stay as they are for `'a`.
pub unsafe fn bytes_of<'a>(p: *const u8, len: usize) -> Option<&'a [u8]> {
    match (p.is_null(), len) {
        (true, 0) => Some(&[]),
        (true, _) => None,
        (false, len) if len > isize::MAX as usize => None,
        // SAFETY: the caller says that so many bytes are there, and no object is longer than that.
        (false, len) => Some(unsafe { std::slice::from_raw_parts(p, len) }),
    }
}

/// The handle behind a pointer.
///
/// # Safety
/// `p` is null, or a handle of this type that is not closed and that no other call uses meanwhile.
pub unsafe fn handle<'a, T>(p: *mut T) -> Option<&'a mut T> {
    // SAFETY: as above.
    unsafe { p.as_mut() }
}
