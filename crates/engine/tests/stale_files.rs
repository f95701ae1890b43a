//! A copy of a table's file from before a clean stop, put back: the table is refused, by whatever way the server ended afterwards.
use crate::common::*;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

async fn add(db: &Db, name: &str, from: i64, n: i64) {
    let t = db.table("test", name).expect("there");
    for id in from..from + n {
        let mut txn = db.begin(TxnOptions::default());
        let row = Row { k: id, u: Some(id), body: vec![b'r'; 200] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
    }
}

fn quiet() -> Options {
    Options { fatal: Arc::new(|_| {}), ..options(2 << 20) }
}

use std::sync::Arc;

/// One life of the engine on the disk.
fn life(disk: &SimDisk, seed: u64, clean: bool, work: impl AsyncFnOnce(&Db)) -> SimDisk {
    let sim = SimRt::new(seed);
    let disk = disk.reopen(sim.rt(), seed);
    sim.run(async {
        let db = open(&sim.rt(), &disk, quiet()).await.unwrap();
        work(&db).await;
        if clean {
            db.shutdown().await.unwrap();
        }
    })
    .unwrap();
    sim.kill_all();
    disk
}

async fn count(db: &Db, name: &str) -> Result<usize> {
    let t = db.table("test", name).expect("there");
    let mut txn = db.begin(TxnOptions::default());
    let rows = scan(&mut txn, &t, spec(0)).await.map(|r| r.len());
    txn.rollback().await.unwrap();
    rows
}

/// Two tables of twenty rows; the name of the first one's file.
fn made() -> (SimDisk, String) {
    let first = SimDisk::new(SimRt::new(1).rt(), 1);
    let disk = life(&first, 2, true, async |db| {
        db.create_schema(schema()).await.unwrap();
        for name in ["t", "other"] {
            db.create_table(new_table(name)).await.unwrap();
            add(db, name, 0, 20).await;
        }
    });
    (disk, "tables/00000010.weir".into())
}

async fn refused(db: &Db) {
    match count(db, "t").await {
        Err(Error::TableDamaged { name, missing: false, why, .. }) => {
            assert_eq!(name, "t");
            assert!(why.contains("older than the last stop"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(count(db, "other").await.unwrap(), 20);
}

#[test]
fn an_older_copy_is_refused_after_a_clean_stop() {
    let (disk, file) = made();
    let old = disk.content(&file).unwrap();
    let disk = life(&disk, 3, true, async |db| add(db, "t", 20, 1).await);
    let right = disk.content(&file).unwrap();
    disk.set_content(&file, old);
    let disk = life(&disk, 4, true, async |db| refused(db).await);
    // The right file is taken, and what was not used meanwhile is still known.
    disk.set_content(&file, right.clone());
    let disk = life(&disk, 5, true, async |db| assert_eq!(count(db, "t").await.unwrap(), 21));
    life(&disk, 6, true, async |db| assert_eq!(count(db, "t").await.unwrap(), 21));
}

#[test]
fn a_copy_from_before_a_stop_is_refused_after_a_crash() {
    let (disk, file) = made();
    let old = disk.content(&file).unwrap();
    // The newest page of the old copy is one that the log has nothing for.
    let disk = life(&disk, 3, true, async |db| add(db, "t", 20, 1).await);
    let disk = life(&disk, 4, false, async |db| add(db, "t", 21, 1).await);
    disk.set_content(&file, old);
    life(&disk, 5, true, async |db| refused(db).await);
}

/// The list is a help: a server whose list is gone or damaged starts.
#[test]
fn a_damaged_list_costs_nothing_else() {
    let (disk, file) = made();
    let mut list = disk.content("weir.lsn").unwrap();
    list[40] ^= 1;
    disk.set_content("weir.lsn", list);
    let disk = life(&disk, 3, true, async |db| {
        assert_eq!(count(db, "t").await.unwrap(), 20);
        add(db, "t", 20, 1).await;
    });
    let old = disk.content(&file).unwrap();
    let disk = life(&disk, 4, true, async |db| add(db, "t", 21, 1).await);
    disk.set_content(&file, old);
    life(&disk, 5, true, async |db| refused(db).await);
}

/// What a life that crashed had brought home stands in the list, also where the next life does not touch the table.
#[test]
fn an_older_copy_is_refused_after_a_crash_and_a_stop() {
    // How long the life goes on without work: its pages go home, and a checkpoint passes them.
    for idle in [0, 1, 120] {
        let (disk, file) = made();
        let old = disk.content(&file).unwrap();
        let disk = life(&disk, 3, false, async |db| {
            add(db, "t", 20, 1).await;
            db.rt().sleep(std::time::Duration::from_secs(idle)).await;
        });
        let disk = life(&disk, 4, true, async |_| {});
        let right = disk.content(&file).unwrap();
        disk.set_content(&file, old);
        let disk = life(&disk, 5, true, async |db| refused(db).await);
        disk.set_content(&file, right);
        life(&disk, 6, true, async |db| assert_eq!(count(db, "t").await.unwrap(), 21));
    }
}
