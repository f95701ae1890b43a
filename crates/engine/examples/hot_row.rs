//! One row that everybody wants: how exactly waits are timed out, what they cost, and what a commit's hand-over costs.
//!
//!     cargo run --release -p weir-engine --example hot_row -- 5000 5
//!
//! 5000 sessions, each with a row of its own, wait for one row until their timeout of 5 s. Then 16 and 500 sessions update that row
//! for as long.

mod integers;

use integers::{key, row, table};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use weir_disk::{Backend, RealDisk};
use weir_engine::{
    Db, Durability, Error, LockMode, OnLocked, Options, RowBuf, SchemaDef, Table, Txn, TxnOptions,
};
use weir_rt::Rt;

/// A thread's stack: thousands of sessions have one each.
const STACK: usize = 256 << 10;

/// Processor time of this process so far.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this is Linux");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields[i].parse::<u64>().unwrap_or(0);
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}

struct Database {
    rt: Rt,
    db: Db,
}

impl Database {
    fn table(&self) -> Arc<Table> {
        self.db.table("hot", "t").expect("it was made")
    }

    fn begin(&self, timeout: Duration) -> Txn {
        self.db.begin(TxnOptions { lock_timeout: timeout, ..TxnOptions::default() })
    }

    /// The row that everybody wants.
    fn lock(&self, txn: &mut Txn, t: &Arc<Table>, out: &mut RowBuf) -> Result<bool, Error> {
        self.rt.block_on(txn.get(t, 0, &key(0), LockMode::Exclusive, OnLocked::Wait, out))
    }

    fn insert(&self, txn: &mut Txn, t: &Arc<Table>, id: i64) -> Result<(), Error> {
        self.rt.block_on(txn.insert(t, &row(t, &[id, 0])))
    }
}

fn waiters(db: &Database, n: usize, timeout: Duration) -> Result<(), Error> {
    let t = db.table();
    let mut holder = db.begin(timeout);
    db.lock(&mut holder, &t, &mut RowBuf::default())?;
    let (began, cpu) = (Instant::now(), processor());
    let (longest, ended) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|s| {
        for i in 1..=n {
            let (t, longest, ended) = (&t, &longest, &ended);
            let work = move || {
                let mut txn = db.begin(timeout);
                db.insert(&mut txn, t, i as i64).expect("its own row");
                let at = Instant::now();
                let got = db.lock(&mut txn, t, &mut RowBuf::default());
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
    db.rt.block_on(holder.rollback())
}

fn updaters(db: &Database, n: usize, long: Duration) {
    let t = db.table();
    let (stop, commits) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|s| {
        for _ in 0..n {
            let (t, stop, commits) = (&t, &stop, &commits);
            let work = move || {
                let mut buf = RowBuf::default();
                while !stop.load(Ordering::Relaxed) {
                    let mut txn = db.begin(Duration::from_secs(60));
                    db.lock(&mut txn, t, &mut buf).expect("the row");
                    let count = commits.load(Ordering::Relaxed) as i64;
                    let (k, old) = (buf.key.clone(), buf.row.clone());
                    let new = row(t, &[0, count]);
                    let done = async {
                        txn.update(t, &k, &old, &new).await?;
                        txn.commit(Durability::Lazy).await
                    };
                    db.rt.block_on(done).expect("the lock is had, and nothing is in the way");
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
    let rt = Rt::real();
    let disk = RealDisk::open(&folder, Backend::Auto, |_| {})?;
    let db = rt.block_on(Db::open(&rt, Arc::new(disk), Options::default()))?;
    rt.block_on(db.create_schema(SchemaDef { name: "hot".into(), extra: Vec::new() }))?;
    let t = rt.block_on(db.create_table(table("hot", &["id", "n"], &[])))?;
    let db = Database { rt, db };
    let mut txn = db.begin(long);
    db.insert(&mut txn, &t, 0)?;
    db.rt.block_on(txn.commit(Durability::Flush))?;
    waiters(&db, n, long)?;
    for sessions in [16, 500] {
        updaters(&db, sessions, long);
    }
    db.rt.block_on(db.db.shutdown())?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
