//! One row that everybody wants: how exactly waits are timed out, what they cost, and what a commit's hand-over costs.
//!
//!     cargo run --release -p weir-engine --example hot_row -- 5000 5
//!
//! 5000 sessions, each with a row of its own, wait for one row until their timeout of 5 s. Then 16 and 500 sessions update that row
//! for as long.

mod integers;

use integers::{key, row, table};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use weir_engine::blocking::{Database, Transaction};
use weir_engine::{Durability, Error, LockMode, RowBuf, TxnOptions};

/// A thread's stack: thousands of sessions have one each.
const STACK: usize = 256 << 10;

/// Processor time of this process so far.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this is Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields[i].parse::<u64>().unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

fn begin(db: &Database, timeout: Duration) -> Transaction {
    db.begin(TxnOptions { lock_timeout: timeout, ..TxnOptions::default() })
}

fn waiters(db: &Database, n: usize, timeout: Duration) -> Result<(), Error> {
    let t = db.table("hot", "t").expect("it was made");
    let mut holder = begin(db, timeout);
    holder.get(&t, 0, &key(0), LockMode::Exclusive, &mut RowBuf::default())?;
    let (began, cpu) = (Instant::now(), processor());
    let (longest, ended) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|s| {
        for i in 1..=n {
            let (t, longest, ended) = (&t, &longest, &ended);
            let work = move || {
                let mut txn = begin(db, timeout);
                txn.insert(t, &row(t, &[i as i64, 0])).expect("its own row");
                let at = Instant::now();
                let got = txn.get(t, 0, &key(0), LockMode::Exclusive, &mut RowBuf::default());
                assert!(matches!(got, Err(Error::LockWaitTimeout)), "{got:?}");
                longest.fetch_max(at.elapsed().as_millis() as u64, Ordering::Relaxed);
                ended.fetch_add(1, Ordering::Relaxed);
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(s, work).expect("a thread");
        }
    });
    let (all, cpu) = (began.elapsed(), processor() - cpu);
    println!(
        "{} waiters: the longest wait {} ms of {} ms, {:.1} s in all, {:.0} % of a processor",
        ended.into_inner(),
        longest.into_inner(),
        timeout.as_millis(),
        all.as_secs_f64(),
        100.0 * cpu.as_secs_f64() / all.as_secs_f64()
    );
    holder.rollback()
}

fn updaters(db: &Database, n: usize, long: Duration) {
    let t = db.table("hot", "t").expect("it was made");
    let (stop, commits) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|s| {
        for _ in 0..n {
            let (t, stop, commits) = (&t, &stop, &commits);
            let work = move || {
                let mut buf = RowBuf::default();
                while !stop.load(Ordering::Relaxed) {
                    let mut txn = begin(db, Duration::from_secs(60));
                    txn.get(t, 0, &key(0), LockMode::Exclusive, &mut buf).expect("the row");
                    let count = commits.load(Ordering::Relaxed) as i64;
                    let (k, old) = (buf.key.clone(), buf.row.clone());
                    txn.update(t, &k, &old, &row(t, &[0, count])).expect("the lock is had");
                    txn.commit(Durability::Lazy).expect("nothing is in the way");
                    commits.fetch_add(1, Ordering::Relaxed);
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(s, work).expect("a thread");
        }
        std::thread::sleep(long);
        stop.store(true, Ordering::Relaxed);
    });
    println!(
        "{n} sessions: {:.0} updates per second",
        commits.into_inner() as f64 / long.as_secs_f64()
    );
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let mut next = |or| numbers.next().unwrap_or(Ok(or));
    let (n, long) = (next(5000)? as usize, Duration::from_secs(next(5)?));
    let folder = std::env::temp_dir().join(format!("weir-hot-row-{}", std::process::id()));
    let db = Database::open(&folder, Default::default())?;
    db.create_schema("hot")?;
    let t = db.create_table(table("hot", &["id", "n"], &[]))?;
    let mut txn = begin(&db, long);
    txn.insert(&t, &row(&t, &[0, 0]))?;
    txn.commit(Durability::Flush)?;
    waiters(&db, n, long)?;
    for sessions in [16, 500] {
        updaters(&db, sessions, long);
    }
    db.close()?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
