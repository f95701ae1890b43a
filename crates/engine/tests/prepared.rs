//! Prepared transactions: over crashes at any point, over clean stops, with their locks, until somebody decides.
use crate::common::*;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Rng, Rt};

const CLIENTS: u64 = 3;
const IDS: u64 = 40;

fn xid(client: u64, n: u64) -> Xid {
    Xid { format: 1, gtrid: format!("c{client}").into_bytes(), bqual: n.to_be_bytes().to_vec() }
}

/// What a transaction makes of rows.
type Changes = BTreeMap<i64, Option<Row>>;

/// What was asked for and not acknowledged when the device stopped.
#[derive(Clone)]
enum Doubt {
    Plain(Changes),
    Prepare(Xid, Changes),
    Commit(Xid),
    Rollback(Xid),
}

#[derive(Default)]
struct Known {
    committed: Rows,
    prepared: BTreeMap<Xid, Changes>,
    doubt: Option<Doubt>,
    given: u64,
}

fn apply(rows: &mut Rows, changes: &Changes) {
    for (id, row) in changes {
        match row {
            Some(r) => rows.insert(*id, r.clone()),
            None => rows.remove(id),
        };
    }
}

fn quick() -> TxnOptions {
    TxnOptions { lock_timeout: std::time::Duration::from_millis(200), ..TxnOptions::default() }
}

/// Changes rows of the client's own that no prepared transaction has.
async fn change(
    txn: &mut Txn,
    t: &Arc<Table>,
    me: u64,
    known: &Mutex<Known>,
    rng: &mut Rng,
) -> Result<Changes> {
    let mut changes = Changes::new();
    let mut buf = RowBuf::default();
    for _ in 0..1 + rng.below(4) {
        let id = (rng.below(IDS) * CLIENTS + me) as i64;
        if known.lock().unwrap().prepared.values().any(|c| c.contains_key(&id)) {
            continue;
        }
        txn.begin_statement();
        let unique = (rng.below(2) > 0).then_some(id);
        let row = random_row(rng, unique);
        let found = txn.get(t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf).await?;
        let new = match (found, rng.below(3)) {
            (true, 0) => {
                txn.delete(t, &buf.key, &buf.row).await?;
                None
            }
            (true, _) => {
                txn.update(t, &buf.key, &buf.row, &encode(t, id, &row)).await?;
                Some(row)
            }
            (false, _) => {
                txn.insert(t, &encode(t, id, &row)).await?;
                Some(row)
            }
        };
        changes.insert(id, new);
    }
    Ok(changes)
}

async fn begin_one(db: &Db, me: u64, known: &Mutex<Known>, rng: &mut Rng) -> Result<()> {
    let t = db.table("test", "t").expect("there");
    let mut txn = db.begin(quick());
    let changes = change(&mut txn, &t, me, known, rng).await?;
    let prepares = rng.chance(0.7) && known.lock().unwrap().prepared.len() < 5;
    if !prepares {
        known.lock().unwrap().doubt = Some(Doubt::Plain(changes.clone()));
        txn.commit(Durability::Flush).await?;
        let mut k = known.lock().unwrap();
        apply(&mut k.committed, &changes);
        k.doubt = None;
        return Ok(());
    }
    let name = {
        let mut k = known.lock().unwrap();
        k.given += 1;
        let name = xid(me, k.given);
        k.doubt = Some(Doubt::Prepare(name.clone(), changes.clone()));
        name
    };
    txn.prepare(&name, Durability::Flush).await?;
    let mut k = known.lock().unwrap();
    k.prepared.insert(name, changes);
    k.doubt = None;
    Ok(())
}

async fn end_one(db: &Db, known: &Mutex<Known>, rng: &mut Rng) -> Result<()> {
    let names: Vec<Xid> = known.lock().unwrap().prepared.keys().cloned().collect();
    let Some(name) = names.get(rng.below(names.len().max(1) as u64) as usize) else {
        return Ok(());
    };
    let commits = rng.chance(0.5);
    known.lock().unwrap().doubt = Some(match commits {
        true => Doubt::Commit(name.clone()),
        false => Doubt::Rollback(name.clone()),
    });
    let known_there = match commits {
        true => db.commit_prepared(name, quick(), Durability::Flush).await?,
        false => db.rollback_prepared(name, quick(), Durability::Flush).await?,
    };
    assert!(known_there, "{name:?} was prepared and is not known");
    let mut k = known.lock().unwrap();
    let changes = k.prepared.remove(name).expect("it was there");
    if commits {
        apply(&mut k.committed, &changes);
    }
    k.doubt = None;
    Ok(())
}

async fn client(db: Db, me: u64, known: Arc<Mutex<Known>>, seed: u64) {
    let mut rng = Rng::new(seed);
    for _ in 0..20 {
        let done = match rng.chance(0.6) {
            true => begin_one(&db, me, &known, &mut rng).await,
            false => end_one(&db, &known, &mut rng).await,
        };
        match done {
            Ok(()) => {}
            // Rows that a transaction of the life before has, which is being rolled back.
            Err(Error::Deadlock | Error::LockWaitTimeout) => {
                known.lock().unwrap().doubt = None;
            }
            Err(e) => panic!("client {me}: {e}"),
        }
    }
}

/// After a start: what was prepared is there with its locks, and what was in doubt is there as a whole or not at all.
async fn verify(db: &Db, world: &[Arc<Mutex<Known>>], at: &str) {
    let names = db.prepared();
    let Some(t) = db.table("test", "t") else {
        assert!(names.is_empty(), "{at}: {names:?}");
        return;
    };
    let mut txn = db.begin(TxnOptions::default());
    let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
    for i in 1..t.def.indexes.len() {
        let mut by_index = scan(&mut txn, &t, spec(i)).await.unwrap();
        by_index.sort_by_key(|r| r.0);
        assert!(by_index == rows, "{at}: index {i} differs from the table");
    }
    txn.commit(Durability::Flush).await.unwrap();
    for (me, known) in world.iter().enumerate() {
        let mine: Rows =
            rows.iter().filter(|(id, _)| *id as u64 % CLIENTS == me as u64).cloned().collect();
        let mut k = known.lock().unwrap();
        match k.doubt.take() {
            None => {}
            Some(Doubt::Plain(changes)) => {
                let mut with = k.committed.clone();
                apply(&mut with, &changes);
                if with == mine {
                    k.committed = with;
                }
            }
            Some(Doubt::Prepare(name, changes)) if names.contains(&name) => {
                k.prepared.insert(name, changes);
            }
            Some(Doubt::Commit(name)) if !names.contains(&name) => {
                let changes = k.prepared.remove(&name).expect("it was there");
                apply(&mut k.committed, &changes);
            }
            Some(Doubt::Rollback(name)) if !names.contains(&name) => {
                k.prepared.remove(&name);
            }
            Some(Doubt::Prepare(..) | Doubt::Commit(_) | Doubt::Rollback(_)) => {}
        }
        let there = names.iter().filter(|n| n.gtrid == format!("c{me}").into_bytes());
        assert!(there.eq(k.prepared.keys()), "{at}: client {me} has {names:?}");
        assert!(mine == k.committed, "{at}: client {me} has other rows than those it committed");
    }
    let ids = |k: &Known| k.prepared.values().flat_map(|c| c.keys().copied()).collect::<Vec<_>>();
    let locked: Vec<i64> = world.iter().flat_map(|k| ids(&k.lock().unwrap())).collect();
    for id in locked {
        let mut txn = db.begin(TxnOptions::default());
        let mut buf = RowBuf::default();
        let lock = LockMode::Shared;
        let met = txn.get(&t, 0, &key(id), lock, OnLocked::NoWait, &mut buf).await;
        assert!(matches!(met, Err(Error::LockNotAvailable)), "{at}: row {id} is free: {met:?}");
        txn.rollback().await.unwrap();
    }
}

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

async fn set_up(db: &Db) {
    if db.schema("test").is_none() {
        db.create_schema(schema()).await.unwrap();
    }
    if db.table("test", "t").is_none() {
        db.create_table(new_table("t")).await.unwrap();
    }
}

async fn life(rt: &Rt, disk: &SimDisk, world: &[Arc<Mutex<Known>>], seed: u64, at: &str) {
    let db = open(rt, disk, options(1 << 20)).await.unwrap_or_else(|e| panic!("{at}: {e}"));
    verify(&db, world, at).await;
    set_up(&db).await;
    let clients = world.iter().enumerate().map(|(me, known)| {
        let me = me as u64;
        rt.spawn("client", client(db.clone(), me, known.clone(), seed * 100 + me))
    });
    for c in clients.collect::<Vec<_>>() {
        c.await;
    }
    db.shutdown().await.unwrap();
}

#[test]
fn what_was_prepared_is_there_after_any_crash() {
    let only = std::env::var("WEIR_SEED").ok().and_then(|s| s.parse::<u64>().ok());
    let count = std::env::var("WEIR_SEEDS").ok().and_then(|s| s.parse::<u64>().ok()).unwrap_or(40);
    for seed in only.map_or(0..count, |s| s..s + 1) {
        let mut rng = Rng::new(seed);
        let world: Vec<Arc<Mutex<Known>>> = (0..CLIENTS).map(|_| Arc::default()).collect();
        let mut sim = SimRt::new(rng.next_u64());
        let mut disk = SimDisk::new(sim.rt(), rng.next_u64());
        for n in 0..10 {
            let at = format!("seed {seed} life {n}");
            let most = [60, 300, 2500][rng.below(3) as usize];
            disk.crash_at(rng.below(most));
            let rt = sim.rt();
            let life = life(&rt, &disk, &world, seed * 1000 + n, &at);
            sim.run(until_frozen(&disk, life))
                .unwrap_or_else(|s| panic!("{at}: stuck at {} with {:?}", s.at, s.tasks));
            sim.kill_all();
            sim = SimRt::new(rng.next_u64());
            disk = match rng.chance(0.7) {
                true => disk.crash(sim.rt(), rng.next_u64()),
                false => disk.reopen(sim.rt(), rng.next_u64()),
            };
        }
    }
}

async fn put(txn: &mut Txn, t: &Arc<Table>, id: i64) {
    let row = Row { k: id, u: None, body: vec![b'a'; 20] };
    txn.insert(t, &encode(t, id, &row)).await.unwrap();
}

async fn ids(db: &Db, t: &Arc<Table>) -> Vec<i64> {
    let mut txn = db.begin(TxnOptions::default());
    let rows = scan(&mut txn, t, spec(0)).await.unwrap();
    txn.commit(Durability::Flush).await.unwrap();
    rows.into_iter().map(|r| r.0).collect()
}

#[test]
fn prepared_transactions_wait_over_clean_stops() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    let rt = sim.rt();
    sim.run(async {
        let names: Vec<Xid> = (0..3).map(|n| xid(0, n)).collect();
        let db = open(&rt, &disk, options(1 << 20)).await.unwrap();
        set_up(&db).await;
        let t = db.table("test", "t").expect("made");
        for (id, name) in names.iter().enumerate() {
            let mut txn = db.begin(TxnOptions::default());
            // The last one has changed nothing, and is remembered all the same.
            if id < 2 {
                put(&mut txn, &t, id as i64).await;
            }
            txn.prepare(name, Durability::Flush).await.unwrap();
        }
        // A name is given once; the transaction that wanted it again is rolled back.
        let mut txn = db.begin(TxnOptions::default());
        put(&mut txn, &t, 9).await;
        let again = txn.prepare(&names[0], Durability::Flush).await;
        assert!(matches!(again, Err(Error::XidKnown)), "{again:?}");
        assert_eq!(ids(&db, &t).await, []);
        drop(t);
        db.shutdown().await.unwrap();
        let db = open(&rt, &disk, options(1 << 20)).await.unwrap();
        let t = db.table("test", "t").expect("there");
        assert_eq!(db.prepared(), names);
        assert_eq!(ids(&db, &t).await, []);
        // The table cannot be dropped meanwhile.
        let wait = DdlContext { lock_timeout: std::time::Duration::from_millis(10), ..ddl() };
        let dropped = db.drop_tables(std::slice::from_ref(&t), &wait).await;
        assert!(matches!(dropped, Err(Error::LockWaitTimeout)), "{dropped:?}");
        let flush = Durability::Flush;
        assert!(db.commit_prepared(&names[1], TxnOptions::default(), flush).await.unwrap());
        assert!(!db.commit_prepared(&names[1], TxnOptions::default(), flush).await.unwrap());
        assert!(db.rollback_prepared(&names[0], TxnOptions::default(), flush).await.unwrap());
        assert!(db.rollback_prepared(&names[2], TxnOptions::default(), flush).await.unwrap());
        assert_eq!(ids(&db, &t).await, [1]);
        assert_eq!(db.prepared(), []);
        drop(t);
        db.shutdown().await.unwrap();
        let db = open(&rt, &disk, options(1 << 20)).await.unwrap();
        let t = db.table("test", "t").expect("there");
        assert_eq!((db.prepared(), ids(&db, &t).await), (Vec::new(), vec![1]));
        drop(t);
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
