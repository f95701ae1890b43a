//! One damaged table costs the server that table and no other: it is refused by its name, can be dropped, and is never opened
//! wrongly later. Changes of it that can be neither redone nor undone hold up neither a start, nor a stop, nor DROP.
use crate::common::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use weir_disk::Disk;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

type Said = Arc<Mutex<Vec<String>>>;

fn told(said: &Said) -> Options {
    let log = said.clone();
    Options {
        log: Arc::new(move |s| log.lock().unwrap().push(s.to_string())),
        fatal: Arc::new(|_| {}),
        ..options(2 << 20)
    }
}

async fn fill(db: &Db, name: &str, n: i64) {
    let t = db.table("test", name).expect("there");
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..n {
        let row = Row { k: id, u: Some(id), body: vec![b'r'; 200] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Flush).await.unwrap();
}

async fn count(db: &Db, name: &str) -> Result<usize> {
    let t = db.table("test", name).expect("its name is known");
    let mut txn = db.begin(TxnOptions::default());
    let rows = scan(&mut txn, &t, spec(0)).await.map(|r| r.len());
    txn.rollback().await?;
    rows
}

fn context() -> DdlContext {
    DdlContext {
        lock_timeout: Duration::from_secs(5),
        interrupt: Arc::new(Interrupt::new()),
        held: None,
        objects: Vec::new(),
    }
}

async fn drop_table(db: &Db, name: &str) {
    db.drop_tables(&[db.table("test", name).unwrap()], &context()).await.unwrap();
}

/// Tables `a`, `b` and `c` of 100 rows each, in files 10, 11 and 12; closed, or left as by `kill -9`.
fn made(closed: bool) -> (SimRt, SimDisk) {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        for name in ["a", "b", "c"] {
            db.create_table(new_table(name)).await.unwrap();
            fill(&db, name, 100).await;
        }
        if closed {
            db.shutdown().await.unwrap();
        } else {
            // What is not home is only in the log.
            db.inner().core.pool.flush_all(&db.inner().core.log).await.unwrap();
            fill_more(&db).await;
        }
    })
    .unwrap();
    next(sim, disk)
}

async fn fill_more(db: &Db) {
    for name in ["a", "b", "c"] {
        let t = db.table("test", name).expect("there");
        let mut txn = db.begin(TxnOptions::default());
        for id in 1000..1010 {
            let row = Row { k: id, u: Some(id), body: vec![b'm'; 200] };
            txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        }
        txn.commit(Durability::Flush).await.unwrap();
    }
}

fn next(sim: SimRt, disk: SimDisk) -> (SimRt, SimDisk) {
    sim.kill_all();
    let sim = SimRt::new(9);
    let disk = disk.reopen(sim.rt(), 9);
    (sim, disk)
}

fn file(n: u32) -> String {
    format!("tables/{:08x}.weir", 16 + n)
}

fn swap(disk: &SimDisk, a: &str, b: &str) {
    let (x, y) = (disk.content(a).unwrap(), disk.content(b).unwrap());
    disk.set_content(a, y);
    disk.set_content(b, x);
}

#[track_caller]
fn refused<T>(r: Result<T>, is_missing: bool) {
    match r.map(|_| ()) {
        Err(Error::TableDamaged { missing, .. }) => assert_eq!(missing, is_missing),
        other => panic!("{other:?}"),
    }
}

/// What is done to file `b`, its answer, whether `a` shares it.
#[test]
fn a_start_refuses_the_damaged_table_alone() {
    type Harm = (&'static str, fn(&SimRt, &SimDisk), bool, bool);
    let harms: [Harm; 4] = [
        ("header flipped", |_, d| assert!(d.flip_bit(&file(1), 100, 3)), false, false),
        (
            "missing",
            |s, d| s.run(async { d.remove(&file(1)).await.unwrap() }).unwrap(),
            true,
            false,
        ),
        ("empty", |_, d| d.set_content(&file(1), Vec::new()), false, false),
        ("swapped", |_, d| swap(d, &file(0), &file(1)), false, true),
    ];
    for (closed, (what, harm, missing, both)) in
        [true, false].into_iter().flat_map(|c| harms.into_iter().map(move |h| (c, h)))
    {
        let (sim, disk) = made(closed);
        // Whole copies of damaged pages are another story.
        let copies = disk.content("doublewrite.weir").unwrap().len();
        disk.set_content("doublewrite.weir", vec![0; copies]);
        harm(&sim, &disk);
        let said = Said::default();
        let rows = if closed { 100 } else { 110 };
        sim.run(async {
            let db = open(&sim.rt(), &disk, told(&said)).await.unwrap();
            refused(count(&db, "b").await, missing);
            if both {
                refused(count(&db, "a").await, false);
            } else {
                assert_eq!(count(&db, "a").await.unwrap(), rows, "{what}");
            }
            assert_eq!(count(&db, "c").await.unwrap(), rows, "{what}");
            let b = db.table("test", "b").unwrap();
            let bad = db.check_table(&b, &Interrupt::new()).await.unwrap();
            assert_eq!(bad.len(), 1, "{what}: {bad:?}");
            drop_table(&db, "b").await;
            db.create_table(new_table("b")).await.unwrap();
            fill(&db, "b", 5).await;
            db.shutdown().await.unwrap();
        })
        .unwrap();
        let lines = said.lock().unwrap().clone();
        let errors = lines.iter().filter(|s| s.starts_with("error")).count();
        assert!((1..=4).contains(&errors), "{what}: {lines:#?}");
        let (sim, disk) = next(sim, disk);
        sim.run(async {
            let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
            assert_eq!(count(&db, "b").await.unwrap(), 5, "{what}");
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}

#[test]
fn a_file_put_back_without_its_redo_stays_refused() {
    let (sim, disk) = made(false);
    let stale = disk.content(&file(1)).unwrap();
    sim.run(async {
        disk.remove(&file(1)).await.unwrap();
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        refused(count(&db, "b").await, true);
        db.shutdown().await.unwrap();
        use weir_disk::{Mode, OpenOptions};
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        disk.open(&file(1), how).await.unwrap();
    })
    .unwrap();
    disk.set_content(&file(1), stale);
    let (sim, disk) = next(sim, disk);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        refused(count(&db, "b").await, false);
        assert_eq!(count(&db, "a").await.unwrap(), 110);
        drop_table(&db, "b").await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

#[test]
fn a_file_put_back_that_lacks_nothing_is_opened() {
    let (sim, disk) = made(true);
    let whole = disk.content(&file(1)).unwrap();
    disk.set_content(&file(1), Vec::new());
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        refused(count(&db, "b").await, false);
        db.shutdown().await.unwrap();
    })
    .unwrap();
    disk.set_content(&file(1), whole);
    let (sim, disk) = next(sim, disk);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        assert_eq!(count(&db, "b").await.unwrap(), 100);
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

#[test]
fn what_is_left_of_a_damaged_table_can_be_read_by_force() {
    let (sim, disk) = made(true);
    let copies = disk.content("doublewrite.weir").unwrap().len();
    disk.set_content("doublewrite.weir", vec![0; copies]);
    assert!(disk.flip_bit(&file(1), 100, 3));
    sim.run(async {
        let o = Options { force: Force(1), ..options(2 << 20) };
        let db = open(&sim.rt(), &disk, o).await.unwrap();
        assert_eq!(count(&db, "b").await.unwrap(), 100);
    })
    .unwrap();
}

/// The file loses its rows while a transaction has changed them and their pages have left the memory.
#[test]
fn a_rollback_that_cannot_be_done_gives_the_table_up() {
    let (sim, disk) = made(true);
    let said = Said::default();
    sim.run(async {
        let db = open(&sim.rt(), &disk, told(&said)).await.unwrap();
        let b = db.table("test", "b").unwrap();
        let mut txn = db.begin(TxnOptions::default());
        for id in 0..50 {
            let mut found = RowBuf::default();
            let x = LockMode::Exclusive;
            assert!(txn.get(&b, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap());
            txn.delete(&b, &found.key, &found.row).await.unwrap();
        }
        let core = &db.inner().core;
        core.pool.flush_all(&core.log).await.unwrap();
        while core.pool.evict_clean(64) > 0 {}
        let cut = disk.content(&file(1)).unwrap()[..3 * 4096].to_vec();
        disk.set_content(&file(1), cut);
        drop(b);
        drop(txn);
        sim.rt().sleep(Duration::from_secs(40)).await;
        assert_eq!(db.inner().orphans.len(), 0, "the rollback goes on for ever");
        refused(count(&db, "b").await, false);
        assert_eq!(count(&db, "a").await.unwrap(), 100);
        drop_table(&db, "b").await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
    let lines = said.lock().unwrap().clone();
    let given_up = lines.iter().filter(|s| s.contains("is given up")).count();
    assert_eq!(given_up, 1, "{lines:#?}");
    assert!(lines.len() < 15, "{lines:#?}");
}

#[test]
fn forced_recovery_leaves_out_what_its_level_says() {
    for level in 1..=6u8 {
        let (sim, disk) = made(level < 6);
        if level == 6 {
            // Not even the log is there.
            sim.run(async {
                for f in disk.list("redo").await.unwrap() {
                    disk.remove(&format!("redo/{f}")).await.unwrap();
                }
            })
            .unwrap();
        }
        let before = disk.content("weir.ctl").unwrap();
        sim.run(async {
            let o = Options { force: Force(level), fatal: Arc::new(|_| {}), ..options(2 << 20) };
            let db = open(&sim.rt(), &disk, o).await.unwrap();
            assert_eq!(count(&db, "a").await.unwrap(), 100, "level {level}");
            let t = db.table("test", "a").unwrap();
            let mut txn = db.begin(TxnOptions::default());
            let row = Row { k: 1, u: None, body: Vec::new() };
            let r = txn.insert(&t, &encode(&t, 5000, &row)).await;
            assert!(matches!(r, Err(Error::ForcedRecovery { level: l }) if l == level), "{r:?}");
            txn.rollback().await.unwrap();
            drop(t);
            let made = db.create_table(new_table("new")).await.map(|_| ());
            assert_eq!(made.is_ok(), level < 4, "level {level}: {made:?}");
            db.shutdown().await.unwrap();
        })
        .unwrap();
        if level == 6 {
            assert_eq!(disk.content("weir.ctl").unwrap(), before);
        }
    }
}
