//! Opening and closing. An unsafe module.

use crate::code;
use crate::handle::{LastError, guarded, handle, misuse, str_of};
use database::{Builder, Database};
use std::ffi::{c_char, c_int};

/// `weir_database`. There also where the opening has failed: it has the error then.
pub struct DatabaseHandle {
    pub db: Option<Database>,
    pub error: LastError,
}

/// `weir_option`.
#[repr(C)]
pub struct OptionPair {
    name: *const c_char,
    value: *const c_char,
}

const IN_MEMORY: &str = ":memory:";
/// An array of options that is longer is a wrong length.
const OPTIONS: usize = 1024;

fn open(path: Option<&str>, options: Option<Builder>) -> Result<Database, database::Error> {
    let path = path.ok_or_else(|| misuse("weir_open needs a path, in UTF-8"))?;
    let builder = options.ok_or_else(|| misuse("an option needs a name and a value, in UTF-8"))?;
    match path {
        IN_MEMORY => builder.open_in_memory(),
        "" => Err(misuse("weir_open needs a path; ':memory:' is a database in memory")),
        path => builder.open(path),
    }
}

/// # Safety
/// As [`weir_open`] says of `options`.
unsafe fn options_of(options: *const OptionPair, count: usize) -> Option<Builder> {
    if count > OPTIONS || (options.is_null() && count > 0) {
        return None;
    }
    let mut builder = Database::builder();
    for at in 0..count {
        // SAFETY: `at` is below the count that the caller has given.
        let pair = unsafe { &*options.add(at) };
        // SAFETY: the caller says that both are null or texts that end in NUL.
        let (name, value) = unsafe { (str_of(pair.name, -1)?, str_of(pair.value, -1)?) };
        builder = builder.set(name, value);
    }
    Some(builder)
}

/// # Safety
/// `path` is null or a text that ends in NUL; `options` points to `count` pairs of such texts; `out` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_open(
    path: *const c_char,
    options: *const OptionPair,
    count: usize,
    out: *mut *mut DatabaseHandle,
) -> c_int {
    guarded(code::OTHER, || {
        if out.is_null() {
            return code::MISUSE;
        }
        // SAFETY: the caller says so of each.
        let (path, options) = unsafe { (str_of(path, -1), options_of(options, count)) };
        let mut made = DatabaseHandle { db: None, error: LastError::default() };
        let result = match open(path, options) {
            Ok(db) => {
                made.db = Some(db);
                code::OK
            }
            Err(e) => made.error.set(&e),
        };
        // SAFETY: `out` is not null, and the caller says that it may be written.
        unsafe { *out = Box::into_raw(Box::new(made)) };
        result
    })
}

/// # Safety
/// `db` is null or a handle of [`weir_open`] that is not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_close(db: *mut DatabaseHandle) -> c_int {
    guarded(code::OTHER, || {
        if db.is_null() {
            return code::OK;
        }
        // SAFETY: the handle was made by `Box::into_raw`, and nobody uses it behind this.
        let mut handle = unsafe { Box::from_raw(db) };
        match handle.db.take().map(Database::close) {
            None | Some(Ok(())) => code::OK,
            // Connections are there: the database closes with the last of them.
            Some(Err(e)) => crate::code_of(&e),
        }
    })
}

/// # Safety
/// `db` is null or a handle of [`weir_open`] that is not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_database_errno(db: *mut DatabaseHandle) -> c_int {
    // SAFETY: the caller says so.
    guarded(0, || unsafe { handle(db) }.map_or(0, |d| d.error.number()))
}

/// # Safety
/// `db` is null or a handle of [`weir_open`] that is not closed. The text lasts as long as the handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_database_errmsg(db: *mut DatabaseHandle) -> *const c_char {
    // SAFETY: the caller says so.
    guarded(std::ptr::null(), || {
        unsafe { handle(db) }.map_or(c"no database".as_ptr(), |d| d.error.message())
    })
}

/// # Safety
/// None is needed: the text is this library's, for ever.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}
