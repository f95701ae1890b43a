//! What is not as it should be: a damaged page, a damaged log, a damaged control file, another page size, a full disk.
//! Each is a clear error; what was acknowledged before is not touched. Reads that fail while a transaction is rolled back.
use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::sim::SimRt;

async fn fill(db: &Db, from: i64, n: i64) {
    let t = db.table("test", "t").expect("there");
    for id in from..from + n {
        let mut txn = db.begin(TxnOptions::default());
        let row = Row { k: id, u: Some(id), body: vec![b'r'; 200] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
    }
}

/// A directory with a table of `n` rows: closed, or left as by `kill -9`.
fn made(n: i64, closed: bool) -> (SimRt, SimDisk) {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        fill(&db, 0, n).await;
        if closed {
            db.shutdown().await.unwrap();
        }
    })
    .unwrap();
    sim.kill_all();
    let sim = SimRt::new(2);
    let disk = disk.reopen(sim.rt(), 2);
    (sim, disk)
}

fn quiet() -> Options {
    Options { fatal: Arc::new(|_| {}), ..options(2 << 20) }
}

#[test]
fn a_damaged_page_is_named_and_the_rest_works() {
    let (sim, disk) = made(300, true);
    let name = sim.run(async { weir_disk::Disk::list(&disk, "tables").await.unwrap() }).unwrap();
    let file = format!("tables/{}", name[0]);
    let pages = disk.content(&file).unwrap().len() as u64 / 4096;
    // The last page that is in use holds rows.
    let content = disk.content(&file).unwrap();
    let used = (1..pages)
        .rev()
        .find(|p| content[(p * 4096) as usize..][..4096].iter().any(|b| *b != 0))
        .unwrap();
    assert!(disk.flip_bit(&file, used * 4096 + 2000, 3));
    // The doublewrite area would repair it.
    let copies = disk.content("doublewrite.weir").unwrap().len();
    disk.set_content("doublewrite.weir", vec![0; copies]);
    sim.run(async {
        let db = open(&sim.rt(), &disk, quiet()).await.unwrap();
        let t = db.table("test", "t").unwrap();
        let mut txn = db.begin(TxnOptions::default());
        let mut errors = Vec::new();
        for i in 0..t.def.indexes.len() {
            if let Err(e) = scan(&mut txn, &t, spec(i)).await {
                errors.push(e.to_string());
            }
        }
        txn.rollback().await.unwrap();
        assert!(!errors.is_empty(), "the damage went unnoticed");
        assert!(errors.iter().all(|e| e.contains(&file)), "{errors:?}");
        // The engine lives: another table can be made and used.
        db.create_table(new_table("other")).await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

#[test]
fn a_hole_in_the_log_is_an_error_a_torn_tail_is_cut() {
    let (sim, disk) = made(200, false);
    let segments = sim.run(async { weir_disk::Disk::list(&disk, "redo").await.unwrap() }).unwrap();
    // The checkpoint of a fresh directory is early in the first segment; find the end of what was written.
    let file = format!("redo/{}", segments[0]);
    let content = disk.content(&file).unwrap();
    let end = content.iter().rposition(|b| *b != 0).unwrap();
    let all = sim.run(files(&disk)).unwrap();
    let (mut holes, mut cut) = (0, 0);
    for (n, at) in (4200..end).step_by((end - 4200) / 40).enumerate() {
        let mut broken = content.clone();
        broken[at] ^= 0x55;
        let sim = SimRt::new(10 + n as u64);
        let other = SimDisk::new(sim.rt(), 3);
        let r = sim
            .run(async {
                restore(&all, &other).await;
                other.set_content(&file, broken);
                open(&sim.rt(), &other, quiet()).await.map(|_| ())
            })
            .unwrap();
        match r {
            Ok(()) => cut += 1,
            Err(Error::Corrupt { place, .. }) => {
                assert!(place.contains("LSN"), "{place}");
                holes += 1;
            }
            Err(e) => panic!("{e}"),
        }
    }
    assert!(holes > 10, "{holes} holes told, {cut} taken for a torn tail");
}

/// All files of a device.
async fn files(disk: &SimDisk) -> Vec<(String, Vec<u8>)> {
    use weir_disk::Disk;
    let mut out = Vec::new();
    for dir in ["", "redo", "tables"] {
        for f in disk.list(dir).await.unwrap() {
            let path = if dir.is_empty() { f } else { format!("{dir}/{f}") };
            let bytes = disk.content(&path).unwrap();
            out.push((path, bytes));
        }
    }
    out
}

async fn restore(all: &[(String, Vec<u8>)], to: &SimDisk) {
    use weir_disk::{Disk, Mode, OpenOptions};
    for (path, bytes) in all {
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        to.open(path, how).await.unwrap();
        to.set_content(path, bytes.clone());
    }
}

#[test]
fn a_damaged_control_file_and_another_page_size_are_refused() {
    let (sim, disk) = made(5, true);
    let e = sim
        .run(async {
            let o = Options { page_size: 8192, ..quiet() };
            open(&sim.rt(), &disk, o).await.err().expect("refused").to_string()
        })
        .unwrap();
    assert!(e.contains("pages of 4096 bytes"), "{e}");
    disk.flip_bit("weir.ctl", 50, 1);
    // One slot is enough.
    sim.run(async { open(&sim.rt(), &disk, quiet()).await.map(|_| ()).unwrap() }).unwrap();
    sim.kill_all();
    let sim = SimRt::new(5);
    let disk = disk.reopen(sim.rt(), 5);
    disk.flip_bit("weir.ctl", 50, 2);
    disk.flip_bit("weir.ctl", 4096 + 50, 2);
    let e = sim
        .run(async { open(&sim.rt(), &disk, quiet()).await.err().expect("refused").to_string() })
        .unwrap();
    assert!(e.contains("weir.ctl"), "{e}");
}

#[test]
fn a_full_disk_fails_the_statement_and_nothing_else() {
    let (sim, disk) = made(50, true);
    let full = Arc::new(AtomicBool::new(false));
    let f = full.clone();
    disk.set_fault(Some(Box::new(move |op| {
        (f.load(Ordering::Relaxed) && op.kind == "allocate").then_some(Fault::Full)
    })));
    sim.run(async {
        let db = open(&sim.rt(), &disk, quiet()).await.unwrap();
        let t = db.table("test", "t").unwrap();
        full.store(true, Ordering::Relaxed);
        let mut id = 1000;
        let failed = loop {
            let mut txn = db.begin(TxnOptions::default());
            let row = Row { k: id, u: Some(id), body: vec![b'f'; 3000] };
            match txn.insert(&t, &encode(&t, id, &row)).await {
                Ok(()) => txn.commit(Durability::Flush).await.unwrap(),
                Err(e) => {
                    txn.rollback().await.unwrap();
                    break e;
                }
            }
            id += 1;
            assert!(id < 20_000, "the disk was never full");
        };
        assert!(matches!(failed, Error::DiskFull { .. }), "{failed}");
        full.store(false, Ordering::Relaxed);
        fill(&db, id, 20).await;
        let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
        assert!(bad.is_empty(), "{bad:#?}");
        let mut txn = db.begin(TxnOptions::default());
        let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
        assert_eq!(rows.len() as i64, 50 + (id - 1000) + 20);
        txn.commit(Durability::Flush).await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

const FAR: i64 = 2999;

/// A table of many more pages than the pool has; `broken` makes reads of tables fail.
async fn large(sim: &SimRt, disk: &SimDisk, broken: &Arc<AtomicBool>) -> (Db, Arc<Table>) {
    let f = broken.clone();
    disk.set_fault(Some(Box::new(move |op| {
        let hit = op.kind == "read" && op.path.starts_with("tables/");
        (hit && f.load(Ordering::Relaxed)).then_some(Fault::Io)
    })));
    let db = open(&sim.rt(), disk, options(4 << 20)).await.unwrap();
    db.create_schema(schema()).await.unwrap();
    let t = db.create_table(new_table("t")).await.unwrap();
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..=FAR {
        let row = Row { k: 0, u: None, body: vec![b'r'; 200] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Flush).await.unwrap();
    (db, t)
}

async fn set_k(txn: &mut Txn, t: &Arc<Table>, id: i64, k: i64) -> Result<()> {
    let mut found = RowBuf::default();
    let exclusive = LockMode::Exclusive;
    assert!(txn.get(t, 0, &key(id), exclusive, OnLocked::Wait, &mut found).await?);
    let (_, old) = decode(t, &found.row);
    txn.update(t, &key(id), &found.row, &encode(t, id, &Row { k, ..old })).await
}

/// Changes rows of more pages than the pool has.
async fn change_many(txn: &mut Txn, t: &Arc<Table>) {
    for id in (0..1600).step_by(20) {
        set_k(txn, t, id, 1).await.unwrap();
    }
}

/// Nobody gets at the rows of a transaction that a background task still rolls back, and none of its changes stays.
async fn comes_back(sim: &SimRt, db: &Db, t: &Arc<Table>, broken: &AtomicBool) {
    sim.rt().sleep(std::time::Duration::from_secs(3)).await;
    let mut other = db.begin(TxnOptions::default());
    let mut found = RowBuf::default();
    let shared = LockMode::Shared;
    let r = other.get(t, 0, &key(0), shared, OnLocked::NoWait, &mut found).await;
    assert!(matches!(r, Err(Error::Io { .. } | Error::LockNotAvailable)), "{r:?}");
    other.rollback().await.unwrap();
    broken.store(false, Ordering::Relaxed);
    sim.rt().sleep(std::time::Duration::from_secs(3)).await;
    let mut after = db.begin(TxnOptions::default());
    let mut locked = spec(0);
    locked.lock = LockMode::Shared;
    let rows = scan(&mut after, t, locked).await.unwrap();
    assert_eq!(rows.len() as i64, FAR + 1);
    assert!(rows.iter().all(|(_, r)| r.k == 0 || r.k == 9), "a change of the other transaction");
    after.commit(Durability::Flush).await.unwrap();
    assert_eq!(db.check_table(t, &weir_rt::Interrupt::new()).await.unwrap(), Vec::<String>::new());
    db.shutdown().await.unwrap();
}

#[test]
fn a_deadlock_whose_rollback_cannot_read_a_page_is_rolled_back_later() {
    let sim = SimRt::new(5);
    let disk = SimDisk::new(sim.rt(), 5);
    let broken = Arc::new(AtomicBool::new(false));
    sim.run(async {
        let (db, t) = large(&sim, &disk, &broken).await;
        let mut victim = db.begin(TxnOptions::default());
        let early = victim.savepoint();
        change_many(&mut victim, &t).await;
        let late = victim.savepoint();
        let mut winner = db.begin(TxnOptions::default());
        for id in FAR - 400..=FAR {
            set_k(&mut winner, &t, id, 9).await.unwrap();
        }
        let waiter = {
            let t = t.clone();
            sim.rt().spawn("winner", async move {
                set_k(&mut winner, &t, 0, 9).await.unwrap();
                winner.commit(Durability::Flush).await.unwrap();
            })
        };
        sim.rt().sleep(std::time::Duration::from_millis(10)).await;
        broken.store(true, Ordering::Relaxed);
        let r = set_k(&mut victim, &t, FAR, 1).await;
        assert!(matches!(r, Err(Error::Deadlock)), "{r:?}");
        for s in [late, early] {
            let r = victim.rollback_to(s).await;
            assert!(matches!(r, Err(Error::Deadlock)), "{r:?}");
        }
        let r = victim.commit(Durability::Flush).await;
        assert!(matches!(r, Err(Error::Deadlock)), "{r:?}");
        comes_back(&sim, &db, &t, &broken).await;
        waiter.await;
    })
    .unwrap();
}

#[test]
fn a_rollback_to_a_savepoint_that_ends_half_way_takes_the_transaction_with_it() {
    let sim = SimRt::new(6);
    let disk = SimDisk::new(sim.rt(), 6);
    let broken = Arc::new(AtomicBool::new(false));
    sim.run(async {
        let (db, t) = large(&sim, &disk, &broken).await;
        let mut txn = db.begin(TxnOptions::default());
        set_k(&mut txn, &t, 10, 1).await.unwrap();
        let save = txn.savepoint();
        change_many(&mut txn, &t).await;
        broken.store(true, Ordering::Relaxed);
        let r = txn.rollback_to(save).await;
        assert!(matches!(r, Err(Error::Io { .. })), "{r:?}");
        let r = txn.commit(Durability::Flush).await;
        assert!(matches!(r, Err(Error::Deadlock)), "half a rollback was committed: {r:?}");
        comes_back(&sim, &db, &t, &broken).await;
    })
    .unwrap();
}
