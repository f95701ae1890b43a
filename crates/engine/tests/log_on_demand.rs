//! A redo log that takes room on the device as it is filled.
use crate::common::*;
use std::sync::Arc;
use weir_disk::Disk;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::sim::SimRt;

const REDO: u64 = 2 << 20;
/// As `redo_files` tells it of this capacity.
const ALL: usize = 33;
const FEWEST: usize = 5;

fn on_demand() -> Options {
    Options { redo_on_demand: true, ..options(REDO) }
}

async fn files(disk: &SimDisk) -> usize {
    disk.list("redo").await.expect("lists").len()
}

/// Writes so much that the pages of the pool cannot stay behind.
async fn fill(db: &Db, t: &Arc<Table>, ids: std::ops::Range<i64>) {
    for id in ids {
        let mut txn = db.begin(TxnOptions::default());
        let row = Row { k: 1, u: None, body: vec![b'x'; 3000] };
        txn.insert(t, &encode(t, id, &row)).await.expect("inserts");
        txn.commit(Durability::Lazy).await.expect("commits");
    }
}

async fn rows(db: &Db, t: &Arc<Table>) -> usize {
    let mut txn = db.begin(TxnOptions::default());
    let all = ScanSpec {
        index: 0,
        start: Vec::new(),
        end: None,
        reverse: false,
        lock: LockMode::None,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect: 0,
        fetch_external: true,
        rows_only: false,
        index_only: None,
    };
    scan(&mut txn, t, all).await.expect("scans").len()
}

#[test]
fn files_come_as_they_are_filled_and_stay() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let done = sim.run(async move {
        let disk = SimDisk::new(rt.clone(), 1);
        let db = open(&rt, &disk, on_demand()).await.expect("opens");
        assert_eq!(files(&disk).await, FEWEST);
        db.create_schema(schema()).await.expect("a schema");
        let t = db.create_table(new_table("t")).await.expect("a table");
        fill(&db, &t, 0..600).await;
        let grown = files(&disk).await;
        assert!(FEWEST < grown && grown <= ALL, "{grown} files");
        db.shutdown().await.expect("ends");
        drop((t, db));
        // What there is stays, and a log that is not on demand has all of it at once.
        let db = open(&rt, &disk, on_demand()).await.expect("opens again");
        assert_eq!(files(&disk).await, grown);
        let t = db.table("test", "t").expect("is there");
        assert_eq!(rows(&db, &t).await, 600);
        db.shutdown().await.expect("ends");
        drop((t, db));
        let db = open(&rt, &disk, options(REDO)).await.expect("opens");
        assert_eq!(files(&disk).await, ALL);
        db.shutdown().await.expect("ends");
    });
    done.map_err(|_| "stuck").expect("ends");
}

#[test]
fn a_full_device_leaves_the_log_as_long_as_it_is() {
    let sim = SimRt::new(2);
    let rt = sim.rt();
    let done = sim.run(async move {
        let disk = SimDisk::new(rt.clone(), 2);
        let db = open(&rt, &disk, on_demand()).await.expect("opens");
        db.create_schema(schema()).await.expect("a schema");
        let t = db.create_table(new_table("t")).await.expect("a table");
        let log_alone = |op: &weir_disk::sim::Op| {
            (op.kind == "allocate" && op.path.starts_with("redo/")).then_some(Fault::Full)
        };
        disk.set_fault(Some(Box::new(log_alone)));
        fill(&db, &t, 0..600).await;
        assert_eq!(files(&disk).await, FEWEST, "nothing half made is left");
        disk.set_fault(None);
        rt.sleep(std::time::Duration::from_secs(2)).await;
        fill(&db, &t, 600..1200).await;
        assert!(files(&disk).await > FEWEST);
        assert_eq!(rows(&db, &t).await, 1200);
        db.shutdown().await.expect("ends");
    });
    done.map_err(|_| "stuck").expect("ends");
}

#[test]
fn a_crash_while_the_log_grows_loses_nothing() {
    for seed in 0..20 {
        let sim = SimRt::new(seed);
        let rt = sim.rt();
        let done = sim.run(async move {
            let disk = SimDisk::new(rt.clone(), seed);
            let db = open(&rt, &disk, on_demand()).await.expect("opens");
            db.create_schema(schema()).await.expect("a schema");
            let t = db.create_table(new_table("t")).await.expect("a table");
            fill(&db, &t, 0..(20 * seed as i64 + 20)).await;
            let mut txn = db.begin(TxnOptions::default());
            let last = Row { k: 1, u: None, body: Vec::new() };
            txn.insert(&t, &encode(&t, 1_000_000, &last)).await.expect("inserts");
            txn.commit(Durability::Flush).await.expect("durable, and all before it");
            let after = disk.crash(rt.clone(), seed);
            let db = open(&rt, &after, on_demand()).await.expect("recovers");
            let t = db.table("test", "t").expect("is there");
            assert_eq!(rows(&db, &t).await, 20 * seed as usize + 21);
            db.shutdown().await.expect("ends");
        });
        done.map_err(|_| "stuck").expect("ends");
    }
}
