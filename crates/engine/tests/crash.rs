//! Crashes at thousands of points, against a model. Everything of one run follows from its seed, which a failure prints:
//! `WEIR_SEED=7 cargo test -p weir-engine --test engine crash::` replays it.
//!
//! Clients work at the same time on rows of their own (`id % CLIENTS`), so that each knows what must be there, and move
//! amounts between shared accounts, whose sum never changes. The device stops at a random operation, in the middle of
//! recovery too, and loses or tears what was not synced (or, like `kill -9`, loses nothing that was written).
//! After each crash: what was acknowledged is there, what was not is there as a whole or not at all, the tables are clean.
use crate::common::*;
use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Rng, Rt};

const CLIENTS: i64 = 4;
const ACCOUNTS: i64 = 6;
/// Accounts have ids of their own, far from the clients' rows.
const ACCOUNT: i64 = 1_000_000;

/// What a client knows about its rows.
#[derive(Default, Clone)]
struct Known {
    committed: Rows,
    /// The commit that was asked for and not yet acknowledged.
    pending: Option<Rows>,
}

type World = Vec<Arc<Mutex<Known>>>;

fn retry(e: &Error) -> bool {
    matches!(e, Error::Deadlock | Error::LockWaitTimeout)
}

async fn one_transaction(db: &Db, me: i64, known: &Mutex<Known>, rng: &mut Rng) -> Result<()> {
    let t = db.table("test", "t").expect("there");
    let isolation = [Isolation::ReadCommitted, Isolation::RepeatableRead, Isolation::Serializable]
        [rng.below(3) as usize];
    let mut txn = db.begin(TxnOptions {
        isolation,
        lock_timeout: std::time::Duration::from_millis(200),
        ..TxnOptions::default()
    });
    let mut now = known.lock().unwrap().committed.clone();
    let mut buf = RowBuf::default();
    for _ in 0..1 + rng.below(8) {
        let id = rng.below(120) as i64 * CLIENTS + me;
        let save = txn.begin_statement();
        let before = now.clone();
        let lock = if rng.chance(0.7) { LockMode::Exclusive } else { LockMode::None };
        let found = txn.get(&t, 0, &key(id), lock, OnLocked::Wait, &mut buf).await?;
        let seen = found.then(|| decode(&t, &buf.row).1);
        assert_eq!(seen.as_ref(), now.get(&id), "client {me} reads its row {id}");
        if lock == LockMode::None {
            continue;
        }
        match (found, rng.below(3)) {
            (true, 0) => {
                txn.delete(&t, &buf.key, &buf.row).await?;
                now.remove(&id);
            }
            (true, _) => {
                let unique = some_unique(id, rng.below(3));
                let row = random_row(rng, unique);
                txn.update(&t, &buf.key, &buf.row, &encode(&t, id, &row)).await?;
                now.insert(id, row);
            }
            (false, 0) => insert_run(&mut txn, &t, id, &mut now, rng).await?,
            (false, _) => {
                let unique = some_unique(id, rng.below(3));
                let row = random_row(rng, unique);
                txn.insert(&t, &encode(&t, id, &row)).await?;
                now.insert(id, row);
            }
        }
        if rng.chance(0.1) {
            txn.rollback_to(save).await?;
            now = before;
        }
    }
    if rng.chance(0.15) {
        return txn.rollback().await;
    }
    known.lock().unwrap().pending = Some(now.clone());
    let r = txn.commit(Durability::Flush).await;
    let mut k = known.lock().unwrap();
    k.pending = None;
    if r.is_ok() {
        k.committed = now;
    }
    r
}

/// Rows of one statement, now and then with a key that one of them has already: then none of them stays.
async fn insert_run(
    txn: &mut Txn,
    t: &Arc<Table>,
    first: i64,
    now: &mut Rows,
    rng: &mut Rng,
) -> Result<()> {
    let (mut list, mut put) = (RowList::default(), Vec::new());
    let mut id = first;
    for _ in 0..2 + rng.below(30) {
        if !now.contains_key(&id) {
            let unique = some_unique(id, rng.below(3));
            let row = random_row(rng, unique);
            list.push(&encode(t, id, &row));
            put.push((id, row));
        }
        id += CLIENTS * (1 + rng.below(2) as i64);
    }
    let twice = rng.chance(0.15);
    if twice {
        list.push(&encode(t, first, &random_row(rng, None)));
    }
    match txn.insert_many(t, &list).await {
        Ok(()) => {
            assert!(!twice, "the engine missed a duplicate");
            now.extend(put);
            Ok(())
        }
        Err((n, Error::DuplicateKey { .. })) if twice => {
            assert_eq!(n, list.len() - 1, "the row that met its like");
            Ok(())
        }
        Err((_, e)) => Err(e),
    }
}

fn some_unique(id: i64, n: u64) -> Option<i64> {
    (n > 0).then_some(id * 10 + n as i64)
}

/// Moves an amount between two accounts, or sums them up.
async fn transfer(db: &Db, rng: &mut Rng) -> Result<()> {
    let t = db.table("test", "t").expect("there");
    let mut txn = db.begin(TxnOptions {
        lock_timeout: std::time::Duration::from_millis(200),
        ..TxnOptions::default()
    });
    if rng.chance(0.3) {
        let s = ScanSpec { start: key(ACCOUNT), ..spec(0) };
        let sum: i64 = scan(&mut txn, &t, s).await?.iter().map(|(_, r)| r.k).sum();
        assert_eq!(sum, 0, "a snapshot saw half of a transfer");
        return txn.commit(Durability::Flush).await;
    }
    let (a, b) = (rng.below(ACCOUNTS as u64) as i64, rng.below(ACCOUNTS as u64) as i64);
    let mut buf = RowBuf::default();
    for (account, amount) in [(a, 7), (b, -7)] {
        let found = txn
            .get(&t, 0, &key(ACCOUNT + account), LockMode::Exclusive, OnLocked::Wait, &mut buf)
            .await?;
        assert!(found, "account {account} is gone");
        let (id, mut row) = decode(&t, &buf.row);
        row.k += amount;
        let new = encode(&t, id, &row);
        let (k, old) = (buf.key.clone(), buf.row.clone());
        txn.update(&t, &k, &old, &new).await?;
    }
    txn.commit(Durability::Flush).await
}

async fn client(db: Db, me: i64, known: Arc<Mutex<Known>>, seed: u64, txns: usize) {
    let mut rng = Rng::new(seed);
    for _ in 0..txns {
        let r = if rng.chance(0.25) {
            transfer(&db, &mut rng).await
        } else {
            one_transaction(&db, me, &known, &mut rng).await
        };
        match r {
            Ok(()) => {}
            Err(e) if retry(&e) => {}
            Err(e) => panic!("client {me}: {e}"),
        }
    }
}

async fn set_up(db: &Db) {
    // A crash may have come in the middle of this.
    if db.schema("test").is_none() {
        db.create_schema(schema()).await.unwrap();
    }
    if db.table("test", "t").is_none() {
        db.create_table(new_table("t")).await.unwrap();
    }
    let t = db.table("test", "t").expect("made");
    let mut txn = db.begin(TxnOptions::default());
    if scan(&mut txn, &t, spec(0)).await.unwrap().is_empty() {
        for a in 0..ACCOUNTS {
            let row = Row { k: 0, u: None, body: vec![b'x'; 30] };
            txn.insert(&t, &encode(&t, ACCOUNT + a, &row)).await.unwrap();
        }
    }
    txn.commit(Durability::Flush).await.unwrap();
}

/// After a start: everything acknowledged, nothing half; the model takes over what it finds.
async fn verify(db: &Db, world: &World, at: &str) {
    let Some(t) = db.table("test", "t") else {
        assert!(
            world.iter().all(|k| k.lock().unwrap().committed.is_empty()),
            "{at}: the table is gone"
        );
        return;
    };
    // Transactions that were in flight are undone in the background, and hold their locks until then.
    let mut txn = db.begin(TxnOptions::default());
    let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
    for i in 1..t.def.indexes.len() {
        let mut by_index =
            scan(&mut txn, &t, ScanSpec { reverse: i == 2, ..spec(i) }).await.unwrap();
        by_index.sort_by_key(|r| r.0);
        assert!(
            by_index == rows,
            "{at}: index {i} has {} rows, the table {}",
            by_index.len(),
            rows.len()
        );
    }
    txn.commit(Durability::Flush).await.unwrap();
    let sum: i64 = rows.iter().filter(|(id, _)| *id >= ACCOUNT).map(|(_, r)| r.k).sum();
    assert_eq!(sum, 0, "{at}: half of a transfer");
    for (me, known) in world.iter().enumerate() {
        let mine: Rows = rows
            .iter()
            .filter(|(id, _)| *id < ACCOUNT && id % CLIENTS == me as i64)
            .cloned()
            .collect();
        let mut k = known.lock().unwrap();
        let as_committed = mine == k.committed;
        let as_pending = k.pending.as_ref().is_some_and(|p| *p == mine);
        if !as_committed && !as_pending {
            let lost: Vec<_> = k
                .committed
                .iter()
                .filter(|(id, r)| mine.get(id) != Some(r))
                .map(|(id, _)| id)
                .collect();
            panic!(
                "{at}: client {me} has {} rows, {} were acknowledged; differing: {lost:?}",
                mine.len(),
                k.committed.len()
            );
        }
        k.committed = mine;
        k.pending = None;
    }
    let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
    assert!(bad.is_empty(), "{at}: {bad:#?}");
}

/// Runs `f` until it is done or the device stops; tells which.
async fn until_frozen(disk: &SimDisk, f: impl Future<Output = ()>) -> bool {
    let (mut f, mut frozen) = (pin!(f), pin!(disk.frozen()));
    std::future::poll_fn(|cx| {
        if frozen.as_mut().poll(cx).is_ready() {
            return Poll::Ready(false);
        }
        f.as_mut().poll(cx).map(|()| true)
    })
    .await
}

async fn life(rt: &Rt, disk: &SimDisk, world: &World, seed: u64, at: &str) {
    let db = open(rt, disk, options(1 << 20)).await.unwrap_or_else(|e| panic!("{at}: {e}"));
    verify(&db, world, at).await;
    set_up(&db).await;
    let handles: Vec<_> = (0..CLIENTS)
        .map(|me| {
            rt.spawn(
                "client",
                client(db.clone(), me, world[me as usize].clone(), seed * 100 + me as u64, 25),
            )
        })
        .collect();
    for h in handles {
        h.await;
    }
    db.shutdown().await.unwrap();
}

/// One seed: `lives` crashes in a row. Returns how many there were.
fn run_seed(seed: u64, lives: u64) -> u64 {
    let mut rng = Rng::new(seed);
    let world: World = (0..CLIENTS).map(|_| Arc::default()).collect();
    let mut sim = SimRt::new(rng.next_u64());
    let mut disk = SimDisk::new(sim.rt(), rng.next_u64());
    let crashes = Rc::new(RefCell::new(0));
    for n in 0..lives {
        let at = format!("seed {seed} life {n}");
        let limit = match rng.below(4) {
            0 => rng.below(60),
            1 => rng.below(300),
            _ => rng.below(2500),
        };
        disk.crash_at(limit);
        let rt = sim.rt();
        let whole = sim
            .run(until_frozen(&disk, life(&rt, &disk, &world, seed * 1000 + n, &at)))
            .unwrap_or_else(|s| panic!("{at}: stuck at {} with {:?}", s.at, s.tasks));
        if !whole {
            *crashes.borrow_mut() += 1;
        }
        sim.kill_all();
        sim = SimRt::new(rng.next_u64());
        let power = rng.chance(0.7);
        disk = if power {
            disk.crash(sim.rt(), rng.next_u64())
        } else {
            disk.reopen(sim.rt(), rng.next_u64())
        };
    }
    crashes.take()
}

#[test]
fn crashes_lose_nothing_acknowledged() {
    let only = std::env::var("WEIR_SEED").ok().and_then(|s| s.parse::<u64>().ok());
    let count = std::env::var("WEIR_SEEDS").ok().and_then(|s| s.parse::<u64>().ok()).unwrap_or(60);
    let seeds = only.map_or(0..count, |s| s..s + 1);
    let mut crashes = 0;
    for seed in seeds {
        let outcome = std::panic::catch_unwind(|| run_seed(seed, 12));
        match outcome {
            Ok(n) => crashes += n,
            Err(e) => {
                eprintln!(
                    "replay with: WEIR_SEED={seed} cargo test -p weir-engine --test engine crash::"
                );
                std::panic::resume_unwind(e);
            }
        }
    }
    println!("{crashes} crashes");
}

/// Purge frees a deleted row's long columns page by page and then removes the row: a stop between the two does not keep
/// it from going on.
#[test]
fn a_stop_while_purge_frees_long_columns() {
    async fn until_the_stop(rt: &Rt, disk: &SimDisk, stop: u64) {
        let db = open(rt, disk, options(1 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        let t = db.table("test", "t").expect("there");
        let long = Row { k: 1, u: Some(1), body: vec![7; 200_000] };
        let mut txn = db.begin(TxnOptions::default());
        txn.insert(&t, &encode(&t, 1, &long)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        let mut buf = RowBuf::default();
        let lock = LockMode::Exclusive;
        assert!(txn.get(&t, 0, &key(1), lock, OnLocked::Wait, &mut buf).await.unwrap());
        txn.delete(&t, &buf.key, &buf.row).await.unwrap();
        disk.crash_at(disk.io_count() + stop);
        txn.commit(Durability::Flush).await.unwrap();
        // Commits that make durable what purge has done so far.
        for id in 2.. {
            let mut txn = db.begin(TxnOptions::default());
            let small = Row { k: 1, u: None, body: Vec::new() };
            txn.insert(&t, &encode(&t, id, &small)).await.unwrap();
            txn.commit(Durability::Flush).await.unwrap();
        }
    }
    for stop in (1..900).step_by(12) {
        let sim = SimRt::new(stop);
        let disk = SimDisk::new(sim.rt(), stop);
        let whole = sim.run(until_frozen(&disk, until_the_stop(&sim.rt(), &disk, stop))).unwrap();
        assert!(!whole);
        sim.kill_all();
        let sim = SimRt::new(stop);
        let disk = disk.crash(sim.rt(), stop);
        let rt = sim.rt();
        sim.run(async {
            let db = open(&rt, &disk, options(1 << 20)).await.unwrap();
            let t = db.table("test", "t").expect("there");
            let mut txn = db.begin(TxnOptions::default());
            let left = scan(&mut txn, &t, spec(0)).await.unwrap();
            txn.commit(Durability::Flush).await.unwrap();
            // The delete may not have been committed.
            if left.first().is_none_or(|r| r.0 != 1) {
                rt.sleep(std::time::Duration::from_secs(5)).await;
                assert_eq!(db.inner().purge.history_length(), 0, "stop {stop}: purge goes on");
            }
            let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
            assert!(bad.is_empty(), "stop {stop}: {bad:#?}");
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}

/// Counts of rows are written down by a clean stop; after a crash the planner must not take a full table for an empty one.
#[test]
fn a_crash_does_not_make_tables_look_empty() {
    const ROWS: i64 = 2000;
    let sim = SimRt::new(3);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), 3));
    sim.run(async {
        let db = open(&rt, &disk, options(1 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        let t = db.table("test", "t").expect("there");
        let mut txn = db.begin(TxnOptions::default());
        for id in 0..ROWS {
            let row = Row { k: id, u: None, body: vec![1; 50] };
            txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        }
        txn.commit(Durability::Flush).await.unwrap();
    })
    .unwrap();
    sim.kill_all();
    let sim = SimRt::new(4);
    let (rt, disk) = (sim.rt(), disk.crash(sim.rt(), 4));
    sim.run(async {
        let db = open(&rt, &disk, options(1 << 20)).await.unwrap();
        let t = db.table("test", "t").expect("there");
        db.refresh_statistics(&t).await.unwrap();
        let rows = t.estimated_rows() as i64;
        assert!((ROWS / 2..ROWS * 2).contains(&rows), "{rows} rows after the crash");
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
