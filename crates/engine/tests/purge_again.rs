//! Purge meets errors of the device in the middle of its work, and comes again.
use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

const ROWS: i64 = 400;

/// Gives each row long contents again, in one transaction, while `reader` keeps what it replaces.
async fn much_undo(db: &Db, t: &Arc<Table>) {
    let mut found = RowBuf::default();
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..ROWS {
        let x = LockMode::Exclusive;
        assert!(txn.get(t, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap());
        let row = Row { k: 1, u: Some(id), body: vec![1; 300] };
        txn.update(t, &key(id), &found.row, &encode(t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Flush).await.unwrap();
}

/// When purge has done all that the records ask for and frees their pages, reads of these fail: `fails` times in all, after
/// `before` of them could be read.
fn fail_the_freeing(db: &Db, disk: &SimDisk, before: u64, fails: &Arc<AtomicU64>) {
    let (db, mut read, left) = (db.clone(), 0, fails.clone());
    disk.set_fault(Some(Box::new(move |op| {
        let records = db.inner().purge.stats.records.load(Ordering::Relaxed);
        if op.kind != "read" || op.path != "undo.weir" || records < ROWS as u64 {
            return None;
        }
        read += 1;
        let hit = read > before && left.load(Ordering::Relaxed) > 0;
        hit.then(|| {
            left.fetch_sub(1, Ordering::Relaxed);
            Fault::Io
        })
    })));
}

#[test]
fn the_history_never_leads_into_pages_that_are_freed() {
    plant();
    for before in [1, 5, 20] {
        let sim = SimRt::new(1);
        let disk = SimDisk::new(sim.rt(), 1);
        let fails = Arc::new(AtomicU64::new(2));
        sim.run(async {
            let small = Options { buffer_pool: 24 * 4096, ..options(4 << 20) };
            let db = open(&sim.rt(), &disk, small).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            let t = db.create_table(new_table("t")).await.unwrap();
            let other = db.create_table(new_table("other")).await.unwrap();
            let mut txn = db.begin(TxnOptions::default());
            for id in 0..ROWS {
                let row = Row { k: 0, u: Some(id), body: vec![0; 300] };
                txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
            }
            txn.commit(Durability::Flush).await.unwrap();
            let mut reader = db.begin(TxnOptions::default());
            assert_eq!(scan(&mut reader, &t, spec(0)).await.unwrap().len(), ROWS as usize);
            much_undo(&db, &t).await;
            fail_the_freeing(&db, &disk, before, &fails);
            reader.rollback().await.unwrap();
            for id in 0..20 {
                // Another writer may get a page that has been freed.
                let mut txn = db.begin(TxnOptions::default());
                let row = Row { k: 2, u: None, body: vec![2; 500] };
                txn.insert(&other, &encode(&other, id, &row)).await.unwrap();
                match db.check_table(&t, &Interrupt::new()).await {
                    Ok(bad) => assert_eq!(bad, Vec::<String>::new()),
                    Err(e) => assert!(matches!(e, Error::Io { .. }), "{e}"),
                }
                txn.rollback().await.unwrap();
                sim.rt().sleep(Duration::from_millis(300)).await;
            }
            assert_eq!(fails.load(Ordering::Relaxed), 0, "purge met no error while it freed pages");
            assert_eq!(db.inner().purge.history_length(), 0);
            assert_eq!(db.check_spaces().await.unwrap(), Vec::<String>::new());
            disk.set_fault(None);
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}
