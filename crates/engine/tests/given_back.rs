//! A row that one transaction has deleted and purge has passed, while another one had inserted it again: the rollback of that one gives a
//! deleted row back, to which purge will not come again. The power fails at each moment of the rollback.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

const ROWS: i64 = 120;

fn row(id: i64, k: i64) -> Row {
    Row { k, u: Some(id), body: vec![b'r'; 300] }
}

async fn insert_all(txn: &mut Txn, t: &Arc<Table>, k: i64) {
    for id in 0..ROWS {
        txn.insert(t, &encode(t, id, &row(id, k))).await.unwrap();
    }
}

/// A table with all rows, committed.
async fn filled(db: &Db, k: i64) -> Arc<Table> {
    db.create_schema(schema()).await.unwrap();
    let t = db.create_table(new_table("t")).await.unwrap();
    let mut txn = db.begin(TxnOptions::default());
    insert_all(&mut txn, &t, k).await;
    txn.commit(Durability::Flush).await.unwrap();
    t
}

/// As a crash leaves it in which all rows are of a transaction that did not commit, over rows whose deletion is purged.
fn cut_off() -> SimDisk {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(4 << 20)).await.unwrap();
        let t = filled(&db, 1).await;
        let mut reader = db.begin(TxnOptions::default());
        assert_eq!(scan(&mut reader, &t, spec(0)).await.unwrap().len() as i64, ROWS);
        let mut txn = db.begin(TxnOptions::default());
        let mut found = RowBuf::default();
        for id in 0..ROWS {
            let x = LockMode::Exclusive;
            assert!(txn.get(&t, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap());
            txn.delete(&t, &key(id), &found.row).await.unwrap();
        }
        txn.commit(Durability::Flush).await.unwrap();
        let mut open = db.begin(TxnOptions::default());
        insert_all(&mut open, &t, 2).await;
        // Now purge passes the deletions.
        reader.rollback().await.unwrap();
        sim.rt().sleep(Duration::from_secs(3)).await;
        assert_eq!(db.inner().purge.history_length(), 0);
        db.inner().core.log.flush_all(weir_engine::log::Reach::Durable).await.unwrap();
        std::mem::forget(open);
    })
    .unwrap();
    sim.kill_all();
    disk.reopen(SimRt::new(2).rt(), 2)
}

async fn until_frozen(disk: &SimDisk, f: impl Future<Output = ()>) -> bool {
    let (mut f, mut frozen) = (std::pin::pin!(f), std::pin::pin!(disk.frozen()));
    std::future::poll_fn(|cx| {
        if f.as_mut().poll(cx).is_ready() {
            return std::task::Poll::Ready(true);
        }
        frozen.as_mut().poll(cx).map(|()| false)
    })
    .await
}

#[test]
fn a_crash_in_the_rollback_leaves_no_deleted_row() {
    plant();
    let base = cut_off();
    let mut after = 1;
    loop {
        let sim = SimRt::new(after);
        let disk = base.copy(sim.rt(), after);
        disk.crash_at(disk.io_count() + after);
        // A pool so small that pages go home, and the log before them, in the middle of the rollback.
        let small = Options { buffer_pool: 24 * 4096, ..options(4 << 20) };
        let ended = sim
            .run(until_frozen(&disk, async {
                let db = open(&sim.rt(), &disk, small).await.unwrap();
                sim.rt().spawn("syncs the log", sync_always(db.clone(), sim.rt()));
                sim.rt().sleep(Duration::from_secs(2)).await;
                db.shutdown().await.unwrap();
            }))
            .unwrap();
        sim.kill_all();
        let sim = SimRt::new(after);
        // As kill -9: whatever was written is there.
        let disk = disk.reopen(sim.rt(), after);
        sim.run(async {
            let db = open(&sim.rt(), &disk, options(4 << 20)).await.unwrap();
            let t = db.table("test", "t").unwrap();
            let damage = db.check_table(&t, &Interrupt::new()).await.unwrap();
            assert!(damage.is_empty(), "after {after} operations: {damage:#?}");
            assert_eq!(scan(&mut db.begin(TxnOptions::default()), &t, spec(0)).await.unwrap(), []);
            db.shutdown().await.unwrap();
        })
        .unwrap();
        if ended {
            break;
        }
        after += 1;
    }
}

/// Purge is late: it has not come to the update whose entry an older version of the row has, when the rollback gives the deleted row back.
/// The row stays until purge comes, so nobody can insert its key as one that no index has an entry of.
#[test]
fn a_row_goes_after_its_older_versions() {
    plant();
    // With a history that is listed, and one of which a single transaction is.
    for listed in [1 << 14, 1] {
        row_goes_after_its_older_versions(listed);
    }
}

fn row_goes_after_its_older_versions(listed: usize) {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    let undo = UndoLimits { listed, ..UndoLimits::default() };
    let o = Options { undo, ..options(4 << 20) };
    sim.run(async {
        let db = open(&sim.rt(), &disk, o).await.unwrap();
        let t = filled(&db, 7).await;
        let late = db.inner().purge.running.lock().await;
        let mut found = RowBuf::default();
        for deletes in [false, true] {
            let mut txn = db.begin(TxnOptions::default());
            for id in 0..ROWS {
                let x = LockMode::Exclusive;
                assert!(txn.get(&t, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap());
                match deletes {
                    true => txn.delete(&t, &key(id), &found.row).await.unwrap(),
                    false => {
                        let new = encode(&t, id, &row(id, 1));
                        txn.update(&t, &key(id), &found.row, &new).await.unwrap();
                    }
                }
            }
            txn.commit(Durability::Flush).await.unwrap();
        }
        let mut open = db.begin(TxnOptions::default());
        insert_all(&mut open, &t, 2).await;
        open.rollback().await.unwrap();
        let removed =
            || db.inner().purge.stats.rows_removed.load(std::sync::atomic::Ordering::Relaxed);
        assert_eq!(removed(), 0, "rows are gone whose older versions have entries");
        drop(late);
        sim.rt().sleep(Duration::from_secs(3)).await;
        assert_eq!(removed(), ROWS as u64);
        let damage = db.check_table(&t, &Interrupt::new()).await.unwrap();
        assert!(damage.is_empty(), "{damage:#?}");
        let mut txn = db.begin(TxnOptions::default());
        insert_all(&mut txn, &t, 7).await;
        txn.commit(Durability::Flush).await.unwrap();
        assert_eq!(db.check_table(&t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
