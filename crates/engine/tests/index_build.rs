//! An index is built from entries that are sorted in runs on disk, and its leaves are full.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::{Fault, SimDisk};
use weir_disk::{Disk, Mode, OpenOptions};
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng};

const ROWS: i64 = 3000;

/// A table of a primary key alone, and the indexes that it is to get. Column u has each value once, in an order of its own; the last
/// two rows have the same one if `twin`.
async fn filled(db: &Db, twin: bool) -> (Arc<Table>, Rows, Vec<IndexDef>) {
    db.create_schema(schema()).await.unwrap();
    let mut new = new_table("t");
    let add = new.indexes.split_off(1);
    let t = db.create_table(new).await.unwrap();
    let (mut rng, mut rows) = (Rng::new(7), Rows::new());
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..ROWS {
        let u = if twin && id == ROWS - 1 { id - 1 } else { id };
        let row = random_row(&mut rng, (id % 5 > 0).then_some(u * 7919 % 10_007));
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        rows.insert(id, row);
    }
    txn.commit(Durability::Lazy).await.unwrap();
    (t, rows, add)
}

fn in_runs() -> Options {
    Options { sort_bytes: 5000, ..options(4 << 20) }
}

fn run(f: impl AsyncFnOnce(SimDisk, weir_rt::Rt)) {
    plant();
    let sim = SimRt::new(1);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), 1));
    sim.run(f(disk, rt)).map_err(|_| "stuck").unwrap();
}

async fn check(db: &Db, t: &Arc<Table>, rows: &Rows) {
    assert_eq!(db.check_table(t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
    for index in 0..t.indexes.len() {
        let mut txn = db.begin(TxnOptions::default());
        let found = scan(&mut txn, t, spec(index)).await.unwrap();
        assert_eq!(found.len(), rows.len(), "index {index}");
        assert_eq!(&found.into_iter().collect::<Rows>(), rows, "index {index}");
        txn.rollback().await.unwrap();
    }
}

#[test]
fn runs_make_the_same_index_as_memory_and_leaves_are_full() {
    run(async |disk, rt| {
        let db = open(&rt, &disk, in_runs()).await.unwrap();
        let (t, rows, add) = filled(&db, false).await;
        let t = db.add_indexes(&t, &add, Vec::new(), &ddl()).await.unwrap();
        check(&db, &t, &rows).await;
        // Entries of k: 5 bytes of the column (with its NULL mark, if any), 8 of the key, 3 of value, and 10 about them.
        let leaves = t.indexes[1].tree.leaves();
        assert!(leaves <= (ROWS as u64 * 26).div_ceil(4096) + 2, "{leaves} leaves");
        assert!(disk.paths().iter().all(|p| !p.starts_with("sort/")), "{:?}", disk.paths());
        db.shutdown().await.unwrap();
    });
}

#[test]
fn twins_in_different_runs_are_found() {
    run(async |disk, rt| {
        let db = open(&rt, &disk, in_runs()).await.unwrap();
        let (t, rows, add) = filled(&db, true).await;
        match db.add_indexes(&t, &add, Vec::new(), &ddl()).await {
            Err(Error::DuplicateKey { index_name, .. }) => assert_eq!(index_name, "u"),
            other => panic!("{:?}", other.map(|t| t.def.version)),
        }
        check(&db, &t, &rows).await;
        db.shutdown().await.unwrap();
    });
}

#[test]
fn a_device_without_room_for_runs_leaves_the_table_as_it_was() {
    run(async |disk, rt| {
        let db = open(&rt, &disk, in_runs()).await.unwrap();
        let (t, rows, add) = filled(&db, false).await;
        let full = |op: &weir_disk::sim::Op| op.path.starts_with("sort/") && op.kind == "write";
        disk.set_fault(Some(Box::new(move |op| full(op).then_some(Fault::Full))));
        match db.add_indexes(&t, &add, Vec::new(), &ddl()).await {
            Err(Error::DiskFull { .. }) => {}
            other => panic!("{:?}", other.map(|t| t.def.version)),
        }
        disk.set_fault(None);
        assert_eq!(disk.held_without_a_name(), 0, "the file is closed");
        check(&db, &t, &rows).await;
        let t = db.add_indexes(&t, &add, Vec::new(), &ddl()).await.unwrap();
        check(&db, &t, &rows).await;
        db.shutdown().await.unwrap();
    });
}

#[test]
fn a_start_removes_what_a_crash_has_left() {
    run(async |disk, rt| {
        let db = open(&rt, &disk, in_runs()).await.unwrap();
        db.shutdown().await.unwrap();
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        disk.open("sort/17", how).await.unwrap();
        assert!(disk.paths().contains(&"sort/17".into()));
        let db = open(&rt, &disk, in_runs()).await.unwrap();
        assert!(disk.paths().iter().all(|p| !p.starts_with("sort/")), "{:?}", disk.paths());
        db.shutdown().await.unwrap();
    });
}

/// A row was changed before the index was made, and somebody has a view from before that. Anyone who gives the row its old values again and
/// rolls back leaves nothing: no record of the old version will lead purge to the entry.
#[test]
fn an_entry_of_a_version_older_than_the_index_goes() {
    run(async |disk, rt| {
        let db = open(&rt, &disk, in_runs()).await.unwrap();
        let (t, mut rows, add) = filled(&db, false).await;
        let other = db.create_table(new_table("other")).await.unwrap();
        let mut reader = db.begin(TxnOptions::default());
        assert!(scan(&mut reader, &other, spec(0)).await.unwrap().is_empty());
        let old = encode(&t, 1, &rows[&1]);
        rows.insert(1, Row { k: 100, u: Some(1_000_000), body: b"changed".to_vec() });
        let new = encode(&t, 1, &rows[&1]);
        let mut txn = db.begin(TxnOptions::default());
        txn.update(&t, &key(1), &old, &new).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
        let t = db.add_indexes(&t, &add, Vec::new(), &ddl()).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        txn.update(&t, &key(1), &new, &old).await.unwrap();
        txn.rollback().await.unwrap();
        reader.rollback().await.unwrap();
        while db.inner().purge.history_length() > 0 {
            rt.sleep(std::time::Duration::from_millis(10)).await;
        }
        check(&db, &t, &rows).await;
        db.shutdown().await.unwrap();
    });
}
