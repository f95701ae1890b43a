//! Weir for C and whatever calls C: `libweir`, whose header is `include/weir.h`.
//!
//! The manner is sqlite3's: handles, a return code, and the details of an error with the handle. What the calls mean is described in the
//! header; here stands what each of them needs to be sound.
//!
//! Invariants: no panic leaves a function (`handle::guarded`); a null pointer, a length that no buffer has and a text that is no UTF-8 are refused
//! before anything is done; a pointer that a call returns stays valid until the next call on the same handle, or as long as the header says.
//!
//! A handle is a pointer to a box of this crate. What C has to keep to is the same for all functions: a handle is passed until it is closed and
//! not after; calls on a connection and its statements do not overlap, except for `weir_interrupt`.

mod bind;
mod column;
mod connection;
mod database_handle;
mod handle;
mod statement;

use database::{Class, Error};
use std::ffi::c_int;

/// What functions return: `WEIR_OK`, `WEIR_ROW`, `WEIR_DONE`, or the class of an error.
pub mod code {
    use super::c_int;

    pub const OK: c_int = 0;
    pub const SYNTAX: c_int = 1;
    pub const NOT_FOUND: c_int = 2;
    pub const EXISTS: c_int = 3;
    pub const CONSTRAINT: c_int = 4;
    pub const DATA: c_int = 5;
    pub const RETRYABLE: c_int = 6;
    pub const ACCESS: c_int = 7;
    pub const RESOURCE: c_int = 8;
    pub const INTERRUPTED: c_int = 9;
    pub const NOT_SUPPORTED: c_int = 10;
    pub const UNAVAILABLE: c_int = 11;
    pub const MISUSE: c_int = 12;
    pub const OTHER: c_int = 13;
    pub const ROW: c_int = 100;
    pub const DONE: c_int = 101;
}

/// The code of an error.
pub(crate) fn code_of(e: &Error) -> c_int {
    match e.class() {
        Class::Syntax => code::SYNTAX,
        Class::NotFound => code::NOT_FOUND,
        Class::Exists => code::EXISTS,
        Class::Constraint => code::CONSTRAINT,
        Class::Data => code::DATA,
        Class::Retryable => code::RETRYABLE,
        Class::Access => code::ACCESS,
        Class::Resource => code::RESOURCE,
        Class::Interrupted => code::INTERRUPTED,
        Class::NotSupported => code::NOT_SUPPORTED,
        Class::Unavailable => code::UNAVAILABLE,
        Class::Usage => code::MISUSE,
        _ => code::OTHER,
    }
}
