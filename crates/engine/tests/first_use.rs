//! A start opens no table's file but those that recovery changes; counters come from the dictionary, damage is reported at the first use.
use crate::common::*;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use weir_disk::Disk;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

const TABLES: usize = 40;

type Touched = Arc<Mutex<BTreeSet<String>>>;

/// Notes the files of tables that anything is done with.
fn watch(disk: &SimDisk) -> Touched {
    let touched = Touched::default();
    let seen = touched.clone();
    disk.set_fault(Some(Box::new(move |op| {
        if op.path.starts_with("tables/") {
            seen.lock().unwrap().insert(op.path.clone());
        }
        None
    })));
    touched
}

fn file_of(t: &Table) -> String {
    format!("tables/{:08x}.weir", t.space.id)
}

fn table(db: &Db, i: usize) -> Arc<Table> {
    db.table("test", &format!("t{i}")).expect("there")
}

async fn insert(db: &Db, t: &Arc<Table>, ids: std::ops::Range<i64>) {
    let mut txn = db.begin(TxnOptions::default());
    for id in ids {
        let row = Row { k: id, u: Some(id), body: vec![b'r'; 100] };
        txn.insert(t, &encode(t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Flush).await.unwrap();
}

async fn make(db: &Db) {
    db.create_schema(schema()).await.unwrap();
    for i in 0..TABLES {
        db.create_table(new_table(&format!("t{i}"))).await.unwrap();
    }
}

/// The next life of a device.
fn next(sim: SimRt, disk: SimDisk, crash: bool, seed: u64) -> (SimRt, SimDisk) {
    sim.kill_all();
    disk.set_fault(None);
    // A start compares the copies of the last batch with what is at home.
    disk.set_content("doublewrite.weir", vec![0; 4096]);
    let sim = SimRt::new(seed);
    let disk = match crash {
        true => disk.crash(sim.rt(), seed),
        false => disk.reopen(sim.rt(), seed),
    };
    (sim, disk)
}

#[test]
fn a_start_opens_only_what_recovery_changes() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        make(&db).await;
        assert_eq!(table(&db, 3).auto_increment_reserve(10, 1, 1).await.unwrap(), 1);
        insert(&db, &table(&db, 5), 0..3).await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
    let (sim, disk) = next(sim, disk, false, 2);
    sim.run(async {
        let touched = watch(&disk);
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        assert_eq!(table(&db, 3).auto_increment_next(), 11);
        assert_eq!(table(&db, 5).estimated_rows(), 3);
        assert_eq!(table(&db, 3).auto_increment_reserve(1, 1, 1).await.unwrap(), 11);
        assert!(touched.lock().unwrap().is_empty(), "{touched:?}");
        insert(&db, &table(&db, 7), 0..2).await;
        let used = BTreeSet::from([file_of(&table(&db, 7))]);
        assert_eq!(*touched.lock().unwrap(), used);
    })
    .unwrap();
    let (sim, disk) = next(sim, disk, true, 3);
    sim.run(async {
        let touched = watch(&disk);
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        let used = BTreeSet::from([file_of(&table(&db, 7))]);
        assert!(touched.lock().unwrap().is_subset(&used), "{touched:?}");
        // A crash may skip numbers, and gives none again.
        let n = table(&db, 3).auto_increment_next();
        assert!((12..=12 + 256).contains(&n), "{n}");
        assert_eq!(db.check_table(&table(&db, 7), &Interrupt::new()).await.unwrap().len(), 0);
        touched.lock().unwrap().clear();
        db.shutdown().await.unwrap();
        assert!(touched.lock().unwrap().is_subset(&used), "by the stop: {touched:?}");
    })
    .unwrap();
    let (sim, disk) = next(sim, disk, false, 4);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        for i in 0..TABLES {
            let t = table(&db, i);
            assert_eq!(db.check_table(&t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
            insert(&db, &t, 100..103).await;
        }
        assert_eq!(db.check_spaces().await.unwrap(), Vec::<String>::new());
    })
    .unwrap();
}

/// A new value of the counter is durable when the statement is answered, and exact.
#[test]
fn a_counter_that_was_set_survives_a_crash() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        make(&db).await;
        db.set_auto_increment(&table(&db, 0), 5000).await.unwrap();
    })
    .unwrap();
    let (sim, disk) = next(sim, disk, true, 2);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        assert_eq!(table(&db, 0).auto_increment_reserve(1, 1, 1).await.unwrap(), 5000);
    })
    .unwrap();
}

/// Ids of rows without a primary key go on behind those of the rows that were copied.
#[test]
fn hidden_row_ids_go_on_after_a_rebuild() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let hidden = || {
            let mut new = new_table("h");
            new.indexes[0].parts.clear();
            new
        };
        let t = db.create_table(hidden()).await.unwrap();
        insert(&db, &t, 0..5).await;
        let mut copy = |row: weir_engine::row::RowView<'_>, out: &mut Vec<u8>| {
            out.extend_from_slice(row.bytes());
            Ok(0)
        };
        let t = db.rebuild_table(&t, hidden(), &mut copy, &ddl()).await.unwrap();
        insert(&db, &t, 5..10).await;
        let mut txn = db.begin(TxnOptions::default());
        assert_eq!(scan(&mut txn, &t, spec(0)).await.unwrap().len(), 10);
    })
    .unwrap();
}

#[test]
fn damage_is_told_at_the_first_use() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    let files: Vec<String> = sim
        .run(async {
            let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
            make(&db).await;
            let files = (0..TABLES).map(|i| file_of(&table(&db, i))).collect();
            db.shutdown().await.unwrap();
            files
        })
        .unwrap();
    let (sim, disk) = next(sim, disk, false, 2);
    let content = |i: usize| disk.content(&files[i]).unwrap();
    let (two, three) = (content(2), content(3));
    disk.set_content(&files[1], Vec::new());
    disk.set_content(&files[2], three);
    disk.set_content(&files[3], two);
    let said = Arc::new(Mutex::new(Vec::<String>::new()));
    let log = said.clone();
    let o = Options {
        log: Arc::new(move |s| log.lock().unwrap().push(s.to_string())),
        ..options(2 << 20)
    };
    sim.run(async {
        disk.remove(&files[4]).await.unwrap();
        let db = open(&sim.rt(), &disk, o).await.unwrap();
        let told = || said.lock().unwrap().join("\n");
        assert!(told().contains("'test.t4' is not used"), "{}", told());
        for i in 1..=4 {
            let mut txn = db.begin(TxnOptions::default());
            let r = scan(&mut txn, &table(&db, i), spec(0)).await;
            let Err(Error::TableDamaged { missing, name, .. }) = r else { panic!("{i}: {r:?}") };
            assert_eq!((missing, name), (i == 4, format!("t{i}")));
            drop(txn);
            assert_eq!(db.check_table(&table(&db, i), &Interrupt::new()).await.unwrap().len(), 1);
            let told = told();
            let of = told.matches(&format!("'test.t{i}' is not used")).count();
            assert_eq!(of, 1, "told once: {told}");
        }
        // A file that goes while the server runs and has not used it.
        disk.remove(&files[5]).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        let r = scan(&mut txn, &table(&db, 5), spec(0)).await;
        assert!(matches!(r, Err(Error::TableDamaged { missing: true, .. })), "{r:?}");
        drop(txn);
        let gone: Vec<_> = (1..=5).map(|i| table(&db, i)).collect();
        db.drop_tables(&gone, &ddl()).await.unwrap();
        insert(&db, &table(&db, 6), 0..3).await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// What the device cannot read for a moment is an error of the statement, not damage of the table.
#[test]
fn a_first_use_that_fails_is_tried_again() {
    use weir_disk::sim::Fault;
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        make(&db).await;
        insert(&db, &table(&db, 0), 0..3).await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
    let (sim, disk) = next(sim, disk, false, 2);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        let t = table(&db, 0);
        for kind in ["open", "read"] {
            disk.set_fault(Some(Box::new(move |op| {
                (op.kind == kind && op.path.starts_with("tables/")).then_some(Fault::Io)
            })));
            let mut txn = db.begin(TxnOptions::default());
            let r = scan(&mut txn, &t, spec(0)).await;
            assert!(matches!(r, Err(Error::Io { .. })), "{kind}: {r:?}");
        }
        disk.set_fault(None);
        let mut txn = db.begin(TxnOptions::default());
        assert_eq!(scan(&mut txn, &t, spec(0)).await.unwrap().len(), 3);
    })
    .unwrap();
}
