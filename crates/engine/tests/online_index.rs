//! Indexes are built while others write: afterwards each has the entries of the rows, no matter who changed, undid or moved them meanwhile.
use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng, Rt};

const ROWS: i64 = 400;

fn run(seed: u64, f: impl AsyncFnOnce(SimDisk, Rt)) {
    plant();
    let sim = SimRt::new(seed);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), seed));
    sim.run(f(disk, rt)).map_err(|_| "stuck").unwrap();
}

/// A table of a primary key alone, and the indexes that it is to get.
async fn filled(db: &Db, parts: usize) -> (Arc<Table>, Vec<IndexDef>) {
    db.create_schema(schema()).await.unwrap();
    let mut new = new_table("t");
    new.parts = parts;
    let add = new.indexes.split_off(1);
    let t = db.create_table(new).await.unwrap();
    let mut rng = Rng::new(7);
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..ROWS {
        let row = random_row(&mut rng, Some(id));
        txn.insert(home(&t, id), &encode(&t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Lazy).await.unwrap();
    (t, add)
}

fn home(t: &Arc<Table>, id: i64) -> &Arc<Table> {
    &t.stored()[id as usize % t.stored().len()]
}

fn seeds() -> std::ops::Range<u64> {
    let n = std::env::var("WEIR_SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(12);
    let from = std::env::var("WEIR_SEED").ok().and_then(|s| s.parse().ok());
    from.map_or(0..n, |s| s..s + 1)
}

/// One transaction: rows change, come, go and move, to a savepoint and back, and it ends one way or the other.
async fn write(db: &Db, rng: &mut Rng, twins: bool) -> Result<()> {
    let Some(t) = db.table("test", "t") else { return Ok(()) };
    let mut txn = db.begin(TxnOptions {
        lock_timeout: Duration::from_millis(20),
        mdl_timeout: Duration::from_secs(10),
        ..TxnOptions::default()
    });
    let mut back = None;
    for _ in 0..1 + rng.below(6) {
        txn.begin_statement();
        if rng.chance(0.2) {
            back = Some(txn.savepoint());
        }
        let id = rng.below(if twins { 8 } else { ROWS as u64 * 2 }) as i64;
        let part = home(&t, id);
        txn.use_table(&t, true).await?;
        // Another row may have the same value.
        let u = match twins {
            true => id ^ i64::from(rng.chance(0.1)),
            false => id + 10_000 * rng.below(3) as i64,
        };
        let new = random_row(rng, Some(u));
        let row = encode(&t, id, &new);
        // Anyone who does not look first has no lock on the gap.
        if rng.chance(0.4) {
            match txn.insert(part, &row).await {
                Ok(()) | Err(Error::DuplicateKey { .. }) => {}
                Err(e) => return Err(e),
            }
            continue;
        }
        if t.has_hidden_key() {
            write_without_a_key(&mut txn, &t, rng, &row).await?;
            continue;
        }
        let s = ScanSpec { start: key(id), lock: LockMode::Exclusive, unique_eq: true, ..spec(0) };
        let mut cursor = txn.scan(part, s);
        let found = cursor.next(&mut txn).await?.then(|| cursor.row().to_vec());
        let old = found.filter(|row| decode(&t, row).0 == id);
        match old {
            None => txn.insert(part, &row).await?,
            Some(old) if rng.chance(0.4) => txn.delete(part, &key(id), &old).await?,
            Some(old) => txn.update(part, &key(id), &old, &row).await?,
        }
        if let (Some(to), true) = (back, rng.chance(0.3)) {
            txn.rollback_to(to).await?;
            back = None;
        }
        db.rt().sleep(Duration::from_micros(rng.below(300))).await;
    }
    match rng.chance(0.5) {
        true => txn.commit(Durability::Lazy).await,
        false => txn.rollback().await,
    }
}

/// A row comes, goes or changes where no key says which one it is.
async fn write_without_a_key(
    txn: &mut Txn,
    t: &Arc<Table>,
    rng: &mut Rng,
    row: &[u8],
) -> Result<()> {
    if rng.chance(0.4) {
        return txn.insert(t, row).await;
    }
    let s = ScanSpec { lock: LockMode::Exclusive, ..spec(0) };
    let mut cursor = txn.scan(t, s);
    for _ in 0..1 + rng.below(5) {
        if !cursor.next(txn).await? {
            return Ok(());
        }
    }
    let (key, old) = (cursor.key().to_vec(), cursor.row().to_vec());
    match rng.chance(0.5) {
        true => txn.delete(t, &key, &old).await,
        false => txn.update(t, &key, &old, row).await,
    }
}

/// Writers until they are stopped; what they have done.
fn writers(rt: &Rt, db: &Db, seed: u64, twins: bool, stop: &Arc<AtomicBool>) -> Vec<Done> {
    let one = |n: u64| {
        let (db, stop) = (db.clone(), stop.clone());
        let mut rng = Rng::new(seed * 10 + n);
        let done = Arc::new(AtomicU64::new(0));
        let counted = done.clone();
        let task = rt.spawn("test", async move {
            while !stop.load(Ordering::Relaxed) {
                match write(&db, &mut rng, twins).await {
                    Ok(()) => counted.fetch_add(1, Ordering::Relaxed),
                    Err(
                        Error::DuplicateKey { .. }
                        | Error::LockWaitTimeout
                        | Error::Deadlock
                        | Error::TableChanged { .. },
                    ) => 0,
                    Err(e) => panic!("a writer: {e}"),
                };
            }
        });
        Done { task, done }
    };
    (0..4).map(one).collect()
}

struct Done {
    task: weir_rt::JoinHandle<()>,
    done: Arc<AtomicU64>,
}

async fn is_whole(db: &Db) {
    let t = db.table("test", "t").unwrap();
    assert_eq!(db.check_table(&t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
}

#[test]
fn writers_go_on_and_the_indexes_are_whole() {
    for seed in seeds() {
        run(seed, async |disk, rt| {
            let o = Options { sort_bytes: 5000, ..options(4 << 20) };
            let db = open(&rt, &disk, o).await.unwrap();
            let (mut t, add) = filled(&db, [0, 3][seed as usize % 2]).await;
            let stop = Arc::new(AtomicBool::new(false));
            let all = writers(&rt, &db, seed, false, &stop);
            let mut beside = 0;
            for _ in 0..3 {
                rt.sleep(Duration::from_millis(3)).await;
                let before: u64 = all.iter().map(|d| d.done.load(Ordering::Relaxed)).sum();
                t = match db.add_indexes(&t, &add, Vec::new(), &ddl()).await {
                    Ok(t) => t,
                    Err(e) => panic!("seed {seed}: {e}"),
                };
                beside += all.iter().map(|d| d.done.load(Ordering::Relaxed)).sum::<u64>() - before;
                is_whole(&db).await;
                let names: Vec<String> = add.iter().map(|i| i.name.clone()).collect();
                t = db.drop_indexes(&t, &names, Vec::new(), &ddl()).await.unwrap();
                is_whole(&db).await;
            }
            stop.store(true, Ordering::Relaxed);
            for d in all {
                d.task.await;
            }
            assert!(beside > 0, "seed {seed}: nobody wrote while indexes were built");
            is_whole(&db).await;
            db.shutdown().await.unwrap();
        });
    }
}

/// A copy of the table has the rows that the table has at that moment, no matter who changed them meanwhile.
#[test]
fn writers_go_on_and_the_copy_is_whole() {
    for seed in seeds() {
        run(seed, async |disk, rt| {
            let o = Options { sort_bytes: 5000, ..options(4 << 20) };
            let db = open(&rt, &disk, o).await.unwrap();
            let (parts, hidden) = ([0, 3][seed as usize % 2], seed % 4 == 2);
            let (t, add) = filled(&db, parts).await;
            if hidden {
                without_a_key(&db, &t).await;
            }
            let stop = Arc::new(AtomicBool::new(false));
            let all = writers(&rt, &db, seed, false, &stop);
            let mut beside = 0;
            for round in 0..3 {
                rt.sleep(Duration::from_millis(3)).await;
                let t = db.table("test", "t").unwrap();
                let mut new = new_table("t");
                new.parts = parts;
                new.indexes.truncate(1);
                if hidden {
                    new.indexes[0].parts.clear();
                }
                new.indexes.extend(add.iter().take(round + 1).cloned());
                let places = t.stored().len() as i64;
                let of = t.clone();
                let mut map = move |row: row::RowView<'_>, out: &mut Vec<u8>| {
                    out.extend_from_slice(row.bytes());
                    let id = decode(&of, row.bytes()).0;
                    Ok((id % places) as usize)
                };
                let done = |all: &[Done]| -> u64 {
                    all.iter().map(|d| d.done.load(Ordering::Relaxed)).sum()
                };
                let before = done(&all);
                match db.rebuild_table(&t, new, &mut map, &ddl()).await {
                    Ok(_) => {}
                    // Of rows without a key the value may be there twice.
                    Err(Error::DuplicateKey { .. }) if hidden => {}
                    Err(e) => panic!("seed {seed}: {e}"),
                }
                beside += done(&all) - before;
                is_whole(&db).await;
            }
            stop.store(true, Ordering::Relaxed);
            for d in all {
                d.task.await;
            }
            assert!(beside > 0, "seed {seed}: nobody wrote while the table was copied");
            is_whole(&db).await;
            let t = db.table("test", "t").unwrap();
            let mut txn = db.begin(TxnOptions::default());
            let mut counted = 0;
            for part in t.stored() {
                counted += scan(&mut txn, part, spec(0)).await.unwrap().len() as u64;
            }
            txn.rollback().await.unwrap();
            assert_eq!(counted, t.estimated_rows(), "seed {seed}");
            db.shutdown().await.unwrap();
        });
    }
}

/// The same rows in a table whose rows are found by a number that nobody sees.
async fn without_a_key(db: &Db, t: &Arc<Table>) {
    let mut new = new_table("t");
    new.indexes.truncate(1);
    new.indexes[0].parts.clear();
    let mut map = |row: row::RowView<'_>, out: &mut Vec<u8>| {
        out.extend_from_slice(row.bytes());
        Ok(0)
    };
    let d = DdlContext { beside_it: BesideIt::Readers, ..ddl() };
    db.rebuild_table(t, new, &mut map, &d).await.unwrap();
}

/// Of rows whose values come and go twice a unique index is made only when there are none.
#[test]
fn a_unique_index_comes_when_no_values_are_there_twice() {
    let (mut made, mut refused) = (0, 0);
    for seed in seeds() {
        run(seed, async |disk, rt| {
            let db = open(&rt, &disk, options(4 << 20)).await.unwrap();
            let (mut t, add) = filled(&db, 0).await;
            let unique = std::slice::from_ref(&add[1]);
            let stop = Arc::new(AtomicBool::new(false));
            let all = writers(&rt, &db, seed, true, &stop);
            for _ in 0..4 {
                t = match db.add_indexes(&t, unique, Vec::new(), &ddl()).await {
                    Ok(t) => {
                        made += 1;
                        is_whole(&db).await;
                        db.drop_indexes(&t, &["u".into()], Vec::new(), &ddl()).await.unwrap()
                    }
                    Err(Error::DuplicateKey { .. }) => {
                        refused += 1;
                        is_whole(&db).await;
                        t
                    }
                    Err(e) => panic!("seed {seed}: {e}"),
                };
            }
            stop.store(true, Ordering::Relaxed);
            for d in all {
                d.task.await;
            }
            db.shutdown().await.unwrap();
        });
    }
    assert!(made > 0 && refused > 0, "made {made}, refused {refused}");
}

/// A log that is too small ends the build and nothing else.
#[test]
fn a_full_row_log_ends_the_build() {
    run(1, async |disk, rt| {
        let o = Options { row_log_bytes: 100, ..options(4 << 20) };
        let db = open(&rt, &disk, o).await.unwrap();
        let (t, add) = filled(&db, 0).await;
        let stop = Arc::new(AtomicBool::new(false));
        let all = writers(&rt, &db, 1, false, &stop);
        match db.add_indexes(&t, &add, Vec::new(), &ddl()).await {
            Err(Error::RowLogFull { .. }) => {}
            other => panic!("{:?}", other.map(|t| t.def.version)),
        }
        stop.store(true, Ordering::Relaxed);
        for d in all {
            d.task.await;
        }
        is_whole(&db).await;
        // Nobody writes, so nothing is to be remembered.
        let t = db.add_indexes(&t, &add, Vec::new(), &ddl()).await.unwrap();
        is_whole(&db).await;
        assert_eq!(t.indexes.len(), 4);
        db.shutdown().await.unwrap();
    });
}

/// The same of a log that a copy of the table needs: what it could not keep would be missing in the copy.
#[test]
fn a_full_row_log_ends_a_rebuild() {
    run(1, async |disk, rt| {
        let o = Options { row_log_bytes: 100, ..options(4 << 20) };
        let db = open(&rt, &disk, o).await.unwrap();
        let (t, _) = filled(&db, 0).await;
        let stop = Arc::new(AtomicBool::new(false));
        let all = writers(&rt, &db, 1, false, &stop);
        let same = || NewTable { indexes: t.def.indexes.clone(), ..new_table(&t.def.name) };
        let mut copy = |row: weir_engine::row::RowView<'_>, out: &mut Vec<u8>| {
            out.extend_from_slice(row.bytes());
            Ok(0)
        };
        match db.rebuild_table(&t, same(), &mut copy, &ddl()).await {
            Err(Error::RowLogFull { .. }) => {}
            other => panic!("{:?}", other.map(|t| t.def.version)),
        }
        stop.store(true, Ordering::Relaxed);
        for d in all {
            d.task.await;
        }
        is_whole(&db).await;
        db.rebuild_table(&t, same(), &mut copy, &ddl()).await.unwrap();
        is_whole(&db).await;
        db.shutdown().await.unwrap();
    });
}

/// An open transaction that has written is waited for, one that reads is not until the end; and anyone who locks the table for reading
/// keeps the statement from its end, not from its beginning.
#[test]
fn who_is_waited_for() {
    run(1, async |disk, rt| {
        let db = open(&rt, &disk, options(4 << 20)).await.unwrap();
        let (t, add) = filled(&db, 0).await;
        let short = || DdlContext { lock_timeout: Duration::from_millis(50), ..ddl() };
        let mut writer = db.begin(TxnOptions::default());
        let row = random_row(&mut Rng::new(1), Some(-5));
        writer.insert(&t, &encode(&t, -5, &row)).await.unwrap();
        let beside = |name: &str| db.status().iter().find(|(n, _)| *n == name).unwrap().1;
        match db.add_indexes(&t, &add, Vec::new(), &short()).await {
            Err(Error::LockWaitTimeout) => {}
            other => panic!("{:?}", other.map(|t| t.def.version)),
        }
        assert_eq!(beside("Weir_alter_indexes_beside_writers"), 0, "it has not begun");
        writer.commit(Durability::Lazy).await.unwrap();
        let mut reader = db.begin(TxnOptions::default());
        reader.use_table(&t, false).await.unwrap();
        match db.add_indexes(&t, &add, Vec::new(), &short()).await {
            Err(Error::LockWaitTimeout) => {}
            other => panic!("{:?}", other.map(|t| t.def.version)),
        }
        assert_eq!(beside("Weir_alter_indexes_beside_writers"), 3, "it has not ended");
        is_written(&db, &t, -6).await;
        reader.rollback().await.unwrap();
        is_whole(&db).await;
        let (of_build, of_reader) = (db.clone(), db.clone());
        let (table, index) = (t.clone(), add.clone());
        let build = rt.spawn("test", async move {
            of_build.add_indexes(&table, &index, Vec::new(), &ddl()).await
        });
        rt.sleep(Duration::from_micros(50)).await;
        is_written(&of_reader, &t, -7).await;
        build.await.unwrap();
        is_whole(&db).await;
        db.shutdown().await.unwrap();
    });
}

async fn is_written(db: &Db, t: &Arc<Table>, id: i64) {
    let mut txn = db.begin(TxnOptions::default());
    let row = random_row(&mut Rng::new(1), Some(id));
    txn.insert(t, &encode(t, id, &row)).await.unwrap();
    txn.commit(Durability::Lazy).await.unwrap();
}
