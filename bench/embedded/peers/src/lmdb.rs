//! LMDB by its C interface. One writer at a time; pages are the system's cache, so that no size is set for it.
//!
//! Safety: each call below has the arguments that `lmdb.h` asks for. A value's bytes are copied out before its transaction ends.

use crate::store::{Settings, Store, Work, Worker, number, value};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::hint::black_box;
use std::ptr::{null, null_mut};

#[repr(C)]
struct Val {
    len: usize,
    at: *mut c_void,
}

const INTEGERKEY: c_uint = 0x08;
const NOSYNC: c_uint = 0x1_0000;
const NOTLS: c_uint = 0x20_0000;
const RDONLY: c_uint = 0x2_0000;
const CREATE: c_uint = 0x4_0000;
const NEXT: c_int = 8;
const SET_RANGE: c_int = 17;
const NOTFOUND: c_int = -30798;

#[link(name = "lmdb")]
unsafe extern "C" {
    fn mdb_env_create(env: *mut *mut c_void) -> c_int;
    fn mdb_env_set_mapsize(env: *mut c_void, size: usize) -> c_int;
    fn mdb_env_open(env: *mut c_void, path: *const c_char, flags: c_uint, mode: c_uint) -> c_int;
    fn mdb_env_sync(env: *mut c_void, force: c_int) -> c_int;
    fn mdb_env_close(env: *mut c_void);
    fn mdb_txn_begin(
        env: *mut c_void,
        parent: *mut c_void,
        flags: c_uint,
        txn: *mut *mut c_void,
    ) -> c_int;
    fn mdb_txn_commit(txn: *mut c_void) -> c_int;
    fn mdb_txn_abort(txn: *mut c_void);
    fn mdb_txn_reset(txn: *mut c_void);
    fn mdb_txn_renew(txn: *mut c_void) -> c_int;
    fn mdb_dbi_open(
        txn: *mut c_void,
        name: *const c_char,
        flags: c_uint,
        dbi: *mut c_uint,
    ) -> c_int;
    fn mdb_get(txn: *mut c_void, dbi: c_uint, key: *mut Val, data: *mut Val) -> c_int;
    fn mdb_put(
        txn: *mut c_void,
        dbi: c_uint,
        key: *mut Val,
        data: *mut Val,
        flags: c_uint,
    ) -> c_int;
    fn mdb_cursor_open(txn: *mut c_void, dbi: c_uint, cursor: *mut *mut c_void) -> c_int;
    fn mdb_cursor_close(cursor: *mut c_void);
    fn mdb_cursor_get(cursor: *mut c_void, key: *mut Val, data: *mut Val, op: c_int) -> c_int;
    fn mdb_strerror(code: c_int) -> *const c_char;
}

#[track_caller]
fn done(code: c_int) {
    // SAFETY: the text is static.
    assert!(code == 0, "{}", unsafe { CStr::from_ptr(mdb_strerror(code)) }.to_string_lossy());
}

pub struct Lmdb {
    env: *mut c_void,
    dbi: c_uint,
}

// SAFETY: an environment may be used by many threads.
unsafe impl Sync for Lmdb {}

pub fn open(s: &Settings) -> Box<dyn Store> {
    let path = CString::new(s.dir).expect("a path");
    let (mut env, mut txn, mut dbi) = (null_mut(), null_mut(), 0);
    let flags = NOTLS | if s.durable { 0 } else { NOSYNC };
    // SAFETY: see above.
    unsafe {
        done(mdb_env_create(&mut env));
        done(mdb_env_set_mapsize(env, 8 << 30));
        done(mdb_env_open(env, path.as_ptr(), flags, 0o640));
        done(mdb_txn_begin(env, null_mut(), 0, &mut txn));
        done(mdb_dbi_open(txn, null(), INTEGERKEY | CREATE, &mut dbi));
        done(mdb_txn_commit(txn));
    }
    Box::new(Lmdb { env, dbi })
}

impl Store for Lmdb {
    fn worker(&self) -> Box<dyn Worker + '_> {
        let mut reader = null_mut();
        // SAFETY: see above.
        unsafe {
            done(mdb_txn_begin(self.env, null_mut(), RDONLY, &mut reader));
            mdb_txn_reset(reader);
        }
        Box::new(At { of: self, reader })
    }

    fn close(self: Box<Self>) {
        // SAFETY: all workers are gone.
        unsafe {
            done(mdb_env_sync(self.env, 1));
            mdb_env_close(self.env);
        }
    }
}

struct At<'a> {
    of: &'a Lmdb,
    /// A transaction that reads, kept as LMDB's documentation advises.
    reader: *mut c_void,
}

impl Drop for At<'_> {
    fn drop(&mut self) {
        // SAFETY: it was begun and not ended.
        unsafe { mdb_txn_abort(self.reader) }
    }
}

impl At<'_> {
    fn read<T>(&mut self, f: impl FnOnce(&Self, *mut c_void) -> T) -> T {
        // SAFETY: see above.
        unsafe { done(mdb_txn_renew(self.reader)) };
        let got = f(self, self.reader);
        // SAFETY: see above.
        unsafe { mdb_txn_reset(self.reader) };
        got
    }

    fn write(&mut self, f: impl FnOnce(&Self, *mut c_void)) {
        let mut txn = null_mut();
        // SAFETY: see above.
        unsafe { done(mdb_txn_begin(self.of.env, null_mut(), 0, &mut txn)) };
        f(self, txn);
        // SAFETY: see above.
        unsafe { done(mdb_txn_commit(txn)) };
    }

    fn of(&self, txn: *mut c_void, mut key: u64) -> i64 {
        let mut k = Val { len: 8, at: (&raw mut key).cast() };
        let mut v = Val { len: 0, at: null_mut() };
        // SAFETY: the value's bytes are there until the transaction ends.
        unsafe {
            done(mdb_get(txn, self.of.dbi, &mut k, &mut v));
            number(std::slice::from_raw_parts(v.at.cast(), v.len))
        }
    }

    fn put(&self, txn: *mut c_void, mut key: u64, n: i64) {
        let mut bytes = value(n);
        let mut k = Val { len: 8, at: (&raw mut key).cast() };
        let mut v = Val { len: bytes.len(), at: bytes.as_mut_ptr().cast() };
        // SAFETY: both are copied.
        unsafe { done(mdb_put(txn, self.of.dbi, &mut k, &mut v, 0)) };
    }

    fn sum(&self, txn: *mut c_void, mut first: u64, last: u64) -> i64 {
        let mut cursor = null_mut();
        let mut k = Val { len: 8, at: (&raw mut first).cast() };
        let mut v = Val { len: 0, at: null_mut() };
        let (mut sum, mut op) = (0, SET_RANGE);
        // SAFETY: key and value are there until the next call.
        unsafe {
            done(mdb_cursor_open(txn, self.of.dbi, &mut cursor));
            loop {
                match mdb_cursor_get(cursor, &mut k, &mut v, op) {
                    NOTFOUND => break,
                    code => done(code),
                }
                if k.at.cast::<u64>().read_unaligned() > last {
                    break;
                }
                sum += number(std::slice::from_raw_parts(v.at.cast(), v.len));
                op = NEXT;
            }
            mdb_cursor_close(cursor);
        }
        sum
    }
}

impl Worker for At<'_> {
    fn get(&mut self, key: u64) -> i64 {
        self.read(|at, txn| at.of(txn, key))
    }

    fn range(&mut self, first: u64, last: u64) -> i64 {
        self.read(|at, txn| at.sum(txn, first, last))
    }

    fn update(&mut self, key: u64) {
        self.write(|at, txn| at.put(txn, key, at.of(txn, key) + 1));
    }

    fn insert(&mut self, key: u64) {
        self.write(|at, txn| at.put(txn, key, 0));
    }

    fn bulk(&mut self, first: u64, count: u64) {
        self.write(|at, txn| (first..first + count).for_each(|key| at.put(txn, key, 0)));
    }

    fn work(&mut self, w: &Work) {
        let reads = |at: &Self, txn| {
            w.reads.iter().for_each(|key| {
                black_box(at.of(txn, *key));
            });
            w.ranges.iter().for_each(|(first, count)| {
                black_box(at.sum(txn, *first, first + count - 1));
            });
        };
        if w.adds.is_empty() && w.inserts.is_empty() {
            return self.read(reads);
        }
        self.write(|at, txn| {
            reads(at, txn);
            w.adds.iter().for_each(|key| at.put(txn, *key, at.of(txn, *key) + 1));
            w.inserts.iter().for_each(|key| at.put(txn, *key, 0));
        });
    }
}
