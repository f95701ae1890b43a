//! RocksDB's TransactionDB by its C interface: row locks and a write-ahead log, as Weir has them.
//!
//! Safety: each call below has the arguments that `rocksdb/c.h` asks for. What it allocates is freed here.

use crate::store::{Settings, Store, Work, Worker, number, value};
use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::hint::black_box;
use std::ptr::null_mut;

type P = *mut c_void;
type Fault = *mut *mut c_char;

#[link(name = "rocksdb")]
unsafe extern "C" {
    fn rocksdb_options_create() -> P;
    fn rocksdb_options_set_create_if_missing(o: P, v: c_uchar);
    fn rocksdb_options_set_write_buffer_size(o: P, bytes: usize);
    fn rocksdb_options_increase_parallelism(o: P, threads: c_int);
    fn rocksdb_options_set_block_based_table_factory(o: P, t: P);
    fn rocksdb_block_based_options_create() -> P;
    fn rocksdb_block_based_options_set_block_cache(t: P, cache: P);
    fn rocksdb_cache_create_lru(bytes: usize) -> P;
    fn rocksdb_transactiondb_options_create() -> P;
    fn rocksdb_transaction_options_create() -> P;
    fn rocksdb_transactiondb_open(o: P, t: P, name: *const c_char, e: Fault) -> P;
    fn rocksdb_transactiondb_close(db: P);
    fn rocksdb_readoptions_create() -> P;
    fn rocksdb_writeoptions_create() -> P;
    fn rocksdb_writeoptions_set_sync(w: P, v: c_uchar);
    fn rocksdb_transactiondb_get_pinned(db: P, r: P, k: *const u8, len: usize, e: Fault) -> P;
    fn rocksdb_pinnableslice_value(s: P, len: *mut usize) -> *const u8;
    fn rocksdb_pinnableslice_destroy(s: P);
    fn rocksdb_transactiondb_create_iterator(db: P, r: P) -> P;
    fn rocksdb_iter_seek(i: P, k: *const u8, len: usize);
    fn rocksdb_iter_valid(i: P) -> c_uchar;
    fn rocksdb_iter_next(i: P);
    fn rocksdb_iter_key(i: P, len: *mut usize) -> *const u8;
    fn rocksdb_iter_value(i: P, len: *mut usize) -> *const u8;
    fn rocksdb_iter_destroy(i: P);
    fn rocksdb_transaction_begin(db: P, w: P, o: P, old: P) -> P;
    fn rocksdb_transaction_get_for_update(
        t: P,
        r: P,
        k: *const u8,
        len: usize,
        n: *mut usize,
        exclusive: c_uchar,
        e: Fault,
    ) -> *mut u8;
    fn rocksdb_transaction_put(t: P, k: *const u8, len: usize, v: *const u8, n: usize, e: Fault);
    fn rocksdb_transaction_commit(t: P, e: Fault);
    fn rocksdb_transaction_destroy(t: P);
    fn rocksdb_transactiondb_put(
        db: P,
        w: P,
        k: *const u8,
        len: usize,
        v: *const u8,
        n: usize,
        e: Fault,
    );
    fn rocksdb_transactiondb_write(db: P, w: P, batch: P, e: Fault);
    fn rocksdb_writebatch_create() -> P;
    fn rocksdb_writebatch_put(b: P, k: *const u8, len: usize, v: *const u8, n: usize);
    fn rocksdb_writebatch_destroy(b: P);
    fn rocksdb_free(at: P);
}

/// A call with a place for its error, which ends the program.
#[track_caller]
fn sure<T>(f: impl FnOnce(Fault) -> T) -> T {
    let mut e: *mut c_char = null_mut();
    let got = f(&mut e);
    // SAFETY: where there is an error, it is a text.
    assert!(e.is_null(), "{}", unsafe { CStr::from_ptr(e) }.to_string_lossy());
    got
}

pub struct Rocks {
    db: P,
    reads: P,
    writes: P,
    transactions: P,
}

// SAFETY: the database and options that nobody changes may be used by many threads.
unsafe impl Sync for Rocks {}

pub fn open(s: &Settings) -> Box<dyn Store> {
    let path = CString::new(s.dir).expect("a path");
    // SAFETY: see above. Options live as long as the program.
    unsafe {
        let o = rocksdb_options_create();
        rocksdb_options_set_create_if_missing(o, 1);
        rocksdb_options_increase_parallelism(o, 2);
        // Half of the memory for what was written last, half for blocks.
        rocksdb_options_set_write_buffer_size(o, s.cache as usize / 4);
        let table = rocksdb_block_based_options_create();
        rocksdb_block_based_options_set_block_cache(
            table,
            rocksdb_cache_create_lru(s.cache as usize / 2),
        );
        rocksdb_options_set_block_based_table_factory(o, table);
        let t = rocksdb_transactiondb_options_create();
        let db = sure(|e| rocksdb_transactiondb_open(o, t, path.as_ptr(), e));
        let writes = rocksdb_writeoptions_create();
        rocksdb_writeoptions_set_sync(writes, s.durable.into());
        let (reads, transactions) =
            (rocksdb_readoptions_create(), rocksdb_transaction_options_create());
        Box::new(Rocks { db, reads, writes, transactions })
    }
}

impl Store for Rocks {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(At(self))
    }

    fn close(self: Box<Self>) {
        // SAFETY: all workers are gone.
        unsafe { rocksdb_transactiondb_close(self.db) }
    }
}

struct At<'a>(&'a Rocks);

impl At<'_> {
    fn transaction(&self, f: impl FnOnce(P)) {
        // SAFETY: see above.
        unsafe {
            let t = rocksdb_transaction_begin(
                self.0.db,
                self.0.writes,
                self.0.transactions,
                null_mut(),
            );
            f(t);
            sure(|e| rocksdb_transaction_commit(t, e));
            rocksdb_transaction_destroy(t);
        }
    }

    fn put(&self, t: P, key: u64, n: i64) {
        let (k, v) = (key.to_be_bytes(), value(n));
        // SAFETY: both are copied.
        sure(|e| unsafe { rocksdb_transaction_put(t, k.as_ptr(), 8, v.as_ptr(), v.len(), e) });
    }

    fn add(&self, t: P, key: u64) {
        let k = key.to_be_bytes();
        let mut len = 0;
        // SAFETY: the value is ours until it is freed.
        let n = unsafe {
            let v = sure(|e| {
                rocksdb_transaction_get_for_update(t, self.0.reads, k.as_ptr(), 8, &mut len, 1, e)
            });
            let n = number(std::slice::from_raw_parts(v, len));
            rocksdb_free(v.cast());
            n
        };
        self.put(t, key, n + 1);
    }
}

impl Worker for At<'_> {
    fn get(&mut self, key: u64) -> i64 {
        let k = key.to_be_bytes();
        let mut len = 0;
        // SAFETY: the slice pins the bytes until it is destroyed.
        unsafe {
            let s = sure(|e| {
                rocksdb_transactiondb_get_pinned(self.0.db, self.0.reads, k.as_ptr(), 8, e)
            });
            let v = rocksdb_pinnableslice_value(s, &mut len);
            let n = number(std::slice::from_raw_parts(v, len));
            rocksdb_pinnableslice_destroy(s);
            n
        }
    }

    fn range(&mut self, first: u64, last: u64) -> i64 {
        let (first, last) = (first.to_be_bytes(), last.to_be_bytes());
        let (mut sum, mut len) = (0, 0);
        // SAFETY: key and value are there until the iterator moves.
        unsafe {
            let i = rocksdb_transactiondb_create_iterator(self.0.db, self.0.reads);
            rocksdb_iter_seek(i, first.as_ptr(), 8);
            while rocksdb_iter_valid(i) != 0 {
                let k = rocksdb_iter_key(i, &mut len);
                if std::slice::from_raw_parts(k, len) > &last[..] {
                    break;
                }
                let v = rocksdb_iter_value(i, &mut len);
                sum += number(std::slice::from_raw_parts(v, len));
                rocksdb_iter_next(i);
            }
            rocksdb_iter_destroy(i);
        }
        sum
    }

    fn update(&mut self, key: u64) {
        self.transaction(|t| self.add(t, key));
    }

    fn insert(&mut self, key: u64) {
        let (k, v) = (key.to_be_bytes(), value(0));
        // SAFETY: both are copied.
        sure(|e| unsafe {
            rocksdb_transactiondb_put(
                self.0.db,
                self.0.writes,
                k.as_ptr(),
                8,
                v.as_ptr(),
                v.len(),
                e,
            )
        });
    }

    /// In batches of a thousand rows: a transaction of all of them would lock each row.
    fn bulk(&mut self, first: u64, count: u64) {
        let end = first + count;
        for from in (first..end).step_by(1000) {
            // SAFETY: keys and values are copied.
            unsafe {
                let batch = rocksdb_writebatch_create();
                for key in from..(from + 1000).min(end) {
                    let (k, v) = (key.to_be_bytes(), value(0));
                    rocksdb_writebatch_put(batch, k.as_ptr(), 8, v.as_ptr(), v.len());
                }
                sure(|e| rocksdb_transactiondb_write(self.0.db, self.0.writes, batch, e));
                rocksdb_writebatch_destroy(batch);
            }
        }
    }

    fn work(&mut self, w: &Work) {
        w.reads.iter().for_each(|key| {
            black_box(self.get(*key));
        });
        w.ranges.iter().for_each(|(first, count)| {
            black_box(self.range(*first, first + count - 1));
        });
        if w.adds.is_empty() && w.inserts.is_empty() {
            return;
        }
        self.transaction(|t| {
            w.adds.iter().for_each(|key| self.add(t, *key));
            w.inserts.iter().for_each(|key| self.put(t, *key, 0));
        });
    }
}
