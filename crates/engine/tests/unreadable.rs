//! A page of one table cannot be read, now and for ever. That costs the statements that need the page, and in the end this table: not
//! the server, not its start, not its stop, and no other table.
use crate::common::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::sim::SimRt;

const ROWS: i64 = 300;
const TABLES: [&str; 3] = ["a", "b", "c"];

/// The file of table `b`.
const FILE: &str = "tables/00000011.weir";

fn row(id: i64, mark: u8) -> Row {
    Row { k: id, u: Some(id), body: vec![mark; 200] }
}

/// What the engine told that ends it.
type Ends = Arc<Mutex<Vec<String>>>;

fn small(ends: &Ends) -> Options {
    let ends = ends.clone();
    Options {
        buffer_pool: 40 * 4096,
        fatal: Arc::new(move |e| ends.lock().unwrap().push(e.to_string())),
        ..options(2 << 20)
    }
}

/// Reads of this page of table `b` fail from now on.
fn fail_reads(disk: &SimDisk, page: u64) -> Arc<AtomicU64> {
    let failed = Arc::new(AtomicU64::new(0));
    let count = failed.clone();
    disk.set_fault(Some(Box::new(move |op| {
        let at = page * 4096;
        let hit = op.kind == "read"
            && op.path == FILE
            && (op.offset..op.offset + op.len as u64).contains(&at);
        hit.then(|| {
            count.fetch_add(1, Ordering::Relaxed);
            Fault::Io
        })
    })));
    failed
}

async fn fill(db: &Db) {
    db.create_schema(schema()).await.unwrap();
    for name in TABLES {
        let t = db.create_table(new_table(name)).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        for id in 0..ROWS {
            txn.insert(&t, &encode(&t, id, &row(id, b'o'))).await.unwrap();
        }
        txn.commit(Durability::Flush).await.unwrap();
    }
}

/// Changes some rows of a table, takes some of that back, and leaves work to purge; an error where a page cannot be read.
async fn change(db: &Db, name: &str, round: i64) -> Result<()> {
    let t = db.table("test", name).expect("its name is known");
    let mut txn = db.begin(TxnOptions::default());
    let done = async {
        for id in (round..ROWS).step_by(37) {
            let mut found = RowBuf::default();
            let x = LockMode::Exclusive;
            if txn.get(&t, 0, &key(id), x, OnLocked::Wait, &mut found).await? {
                let new = encode(&t, id, &row(id, b'a' + (round % 20) as u8));
                txn.update(&t, &key(id), &found.row, &new).await?;
            }
        }
        let id = 1000 + round;
        txn.insert(&t, &encode(&t, id, &row(id, b'n'))).await
    };
    match done.await {
        Ok(()) if round % 3 == 0 => txn.rollback().await,
        Ok(()) => txn.commit(Durability::Flush).await,
        Err(e) => {
            // A rollback that cannot read the page goes on in the background.
            let _ = txn.rollback().await;
            Err(e)
        }
    }
}

#[track_caller]
fn is_of_the_table(page: u64, e: &Error) {
    let known = matches!(
        e,
        Error::Io { .. } | Error::TableDamaged { .. } | Error::LockWaitTimeout | Error::Deadlock
    );
    assert!(known, "page {page}: {e:?}");
}

async fn others_work(db: &Db, page: u64, rounds: std::ops::Range<i64>) {
    for round in rounds {
        for name in TABLES {
            match change(db, name, round).await {
                Ok(()) => {}
                Err(e) if name == "b" => is_of_the_table(page, &e),
                Err(e) => panic!("page {page}, table {name}: {e}"),
            }
        }
        db.rt().sleep(Duration::from_millis(700)).await;
    }
    for name in ["a", "c"] {
        let t = db.table("test", name).expect("there");
        let mut txn = db.begin(TxnOptions::default());
        assert!(scan(&mut txn, &t, spec(0)).await.unwrap().len() >= ROWS as usize);
        txn.commit(Durability::Flush).await.unwrap();
    }
}

#[test]
fn one_page_costs_one_table() {
    plant();
    let mut met = 0;
    for page in 0..30 {
        let sim = SimRt::new(page);
        let disk = SimDisk::new(sim.rt(), page);
        let ends = Ends::default();
        sim.run(async {
            let db = open(&sim.rt(), &disk, small(&ends)).await.unwrap();
            fill(&db).await;
            let failed = fail_reads(&disk, page);
            others_work(&db, page, 0..12).await;
            met += u64::from(failed.load(Ordering::Relaxed) > 0);
        })
        .unwrap();
        assert!(ends.lock().unwrap().is_empty(), "page {page}: {:?}", ends.lock().unwrap());
        // The next start has redo and undo of it, and does not get the page either.
        sim.kill_all();
        let sim = SimRt::new(page + 100);
        let disk = disk.reopen(sim.rt(), page);
        fail_reads(&disk, page);
        sim.run(async {
            let db = open(&sim.rt(), &disk, small(&ends)).await.unwrap();
            others_work(&db, page, 20..30).await;
            db.shutdown().await.unwrap();
        })
        .unwrap();
        assert!(ends.lock().unwrap().is_empty(), "page {page}: {:?}", ends.lock().unwrap());
    }
    assert!(met > 5, "the reads of {met} pages failed");
}
