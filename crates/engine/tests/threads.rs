//! Real threads on real files: what one simulated thread cannot show. Invariants only, no timing.
use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_disk::{Backend, RealDisk};
use weir_engine::*;
use weir_rt::{Rng, Rt};

const ACCOUNTS: i64 = 20;
const THREADS: u64 = 8;

struct Temp(std::path::PathBuf);

impl Temp {
    fn new(name: &str) -> Temp {
        let p = std::env::temp_dir().join(format!("weir-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&p);
        Temp(p)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn open_real(rt: &Rt, t: &Temp, backend: Backend, pool_pages: u64) -> Db {
    let disk = RealDisk::open(&t.0, backend, |_| {}).expect("a directory of our own");
    let o = Options { buffer_pool: pool_pages * 4096, ..options(4 << 20) };
    rt.block_on(Db::open(rt, Arc::new(disk), o)).expect("opens")
}

async fn transfer(db: &Db, t: &Arc<Table>, rng: &mut Rng) -> Result<()> {
    let mut txn = db.begin(TxnOptions::default());
    if rng.chance(0.2) {
        let end = Some(key(ACCOUNTS));
        let sum: i64 =
            scan(&mut txn, t, ScanSpec { end, ..spec(0) }).await?.iter().map(|(_, r)| r.k).sum();
        assert_eq!(sum, 0, "a snapshot saw half of a transfer");
        return txn.commit(Durability::Lazy).await;
    }
    let (a, b) = (rng.below(ACCOUNTS as u64) as i64, rng.below(ACCOUNTS as u64) as i64);
    let mut buf = RowBuf::default();
    for (account, amount) in [(a, 3), (b, -3)] {
        assert!(txn.get(t, 0, &key(account), LockMode::Exclusive, OnLocked::Wait, &mut buf).await?);
        let (id, mut row) = decode(t, &buf.row);
        row.k += amount;
        let (k, old) = (buf.key.clone(), buf.row.clone());
        txn.update(t, &k, &old, &encode(t, id, &row)).await?;
    }
    // A row of the thread's own, to make pages split and be evicted.
    let id = 1000 + rng.below(4000) as i64;
    if txn.get(t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf).await? {
        let (k, old) = (buf.key.clone(), buf.row.clone());
        txn.delete(t, &k, &old).await?;
    } else {
        let row = random_row(rng, Some(id));
        txn.insert(t, &encode(t, id, &row)).await?;
    }
    if rng.chance(0.1) { txn.rollback().await } else { txn.commit(Durability::Lazy).await }
}

/// Counts a thread as ended, also when it panics.
struct Done<'a>(&'a AtomicU64);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn stress(backend: Backend, pool_pages: u64, per_thread: u64, resized_to: Option<u64>) {
    let temp = Temp::new(&format!("threads-{backend:?}-{pool_pages}-{resized_to:?}"));
    let rt = Rt::real();
    let db = open_real(&rt, &temp, backend, pool_pages);
    rt.block_on(async {
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        for a in 0..ACCOUNTS {
            txn.insert(&t, &encode(&t, a, &Row { k: 0, u: None, body: vec![1; 20] }))
                .await
                .unwrap();
        }
        txn.commit(Durability::Flush).await.unwrap();
    });
    let deadlocks = AtomicU64::new(0);
    let running = AtomicU64::new(THREADS);
    std::thread::scope(|s| {
        if let Some(other) = resized_to {
            let (db, rt, running) = (&db, &rt, &running);
            s.spawn(move || {
                for pages in [other, pool_pages].into_iter().cycle() {
                    let size = SettingValue::Int(pages as i64 * 4096);
                    rt.block_on(db.set("innodb_buffer_pool_size", size)).expect("resizes");
                    if running.load(Ordering::Relaxed) == 0 {
                        return;
                    }
                }
            });
        }
        for n in 0..THREADS {
            let (db, rt, deadlocks, running) = (&db, &rt, &deadlocks, &running);
            let done = Done(running);
            s.spawn(move || {
                let _done = done;
                let mut rng = Rng::new(n + 1);
                let t = db.table("test", "t").unwrap();
                for _ in 0..per_thread {
                    match rt.block_on(transfer(db, &t, &mut rng)) {
                        Ok(()) => {}
                        Err(Error::Deadlock) => {
                            deadlocks.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(e) => panic!("{e}"),
                    }
                }
            });
        }
    });
    rt.block_on(async {
        let t = db.table("test", "t").unwrap();
        let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
        assert!(bad.is_empty(), "{bad:#?}");
        db.shutdown().await.unwrap();
    });
    drop(db);
    let db = open_real(&rt, &temp, backend, pool_pages);
    rt.block_on(async {
        let t = db.table("test", "t").unwrap();
        let mut txn = db.begin(TxnOptions::default());
        let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
        assert_eq!(rows.iter().filter(|r| r.0 < ACCOUNTS).map(|(_, r)| r.k).sum::<i64>(), 0);
        txn.commit(Durability::Flush).await.unwrap();
        let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
        assert!(bad.is_empty(), "{bad:#?}");
        db.shutdown().await.unwrap();
    });
    println!("{backend:?} {pool_pages}: {} deadlocks", deadlocks.load(Ordering::Relaxed));
}

#[test]
fn transfers_in_a_small_pool() {
    stress(Backend::Auto, 80, 1500, None);
}

#[test]
fn transfers_in_a_small_pool_by_threads() {
    stress(Backend::Threads, 64, 1000, None);
}

#[test]
fn transfers_in_memory() {
    stress(Backend::Auto, 4000, 3000, None);
}

#[test]
fn transfers_while_the_pool_is_resized() {
    stress(Backend::Auto, 64, 1500, Some(120));
}

/// Names that one statement gives away and takes again, the names of tables that are truncated or rebuilt, and the numbers of tables
/// are never without their table.
#[test]
fn a_definition_changes_at_one_moment() {
    let temp = Temp::new("rename");
    let rt = Rt::real();
    let db = open_real(&rt, &temp, Backend::Threads, 256);
    let ids = rt.block_on(async {
        db.create_schema(schema()).await.unwrap();
        let mut ids = Vec::new();
        for name in ["a", "b"] {
            ids.push(db.create_table(new_table(name)).await.unwrap().def.id);
        }
        db.create_table(new_table("c")).await.unwrap();
        ids
    });
    let going = std::sync::atomic::AtomicBool::new(true);
    std::thread::scope(|s| {
        let looker = s.spawn(|| {
            while going.load(Ordering::Relaxed) {
                for name in ["a", "b", "c"] {
                    assert!(db.table("test", name).is_some(), "no table of the name {name}");
                }
                for id in &ids {
                    assert!(db.inner().handles.by_id(*id).is_some(), "no table of the number {id}");
                }
            }
        });
        for _ in 0..200 {
            let (a, b) = (db.table("test", "a").unwrap(), db.table("test", "b").unwrap());
            let to = |name: &str| ("test".to_string(), name.to_string());
            let moves: Vec<_> = [(&a, to("x")), (&b, to("a")), (&a, to("b"))]
                .map(|(t, (schema, name))| (t.clone(), schema, name))
                .into();
            rt.block_on(db.rename_tables(&moves, &ddl())).unwrap();
            let c = db.table("test", "c").unwrap();
            rt.block_on(db.truncate_table(&c, &ddl())).unwrap();
            if looker.is_finished() {
                break;
            }
        }
        going.store(false, Ordering::Relaxed);
    });
    rt.block_on(db.shutdown()).unwrap();
}
