//! A commit that is held between its record and its visibility: nobody sees it, it keeps its locks, and it ends as a commit whatever
//! becomes of those who wait.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

async fn rows(db: &Db, t: &Arc<Table>, lock: LockMode) -> Result<usize> {
    let o = TxnOptions { lock_timeout: Duration::from_millis(100), ..TxnOptions::default() };
    let mut txn = db.begin(o);
    let found = scan(&mut txn, t, ScanSpec { lock, ..spec(0) }).await.map(|r| r.len());
    txn.rollback().await?;
    found
}

async fn writer(db: &Db, t: &Arc<Table>, id: i64) -> Txn {
    let mut txn = db.begin(TxnOptions::default());
    let row = Row { k: id, u: Some(id), body: vec![b'h'; 100] };
    txn.insert(t, &encode(t, id, &row)).await.unwrap();
    txn
}

#[test]
fn it_is_seen_when_the_hold_ends() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let go = Arc::new(weir_rt::Event::new());
        let mut txn = writer(&db, &t, 1).await;
        let until = go.clone();
        txn.hold_commit(Box::new(move |_| Box::pin(async move { until.wait().await })));
        let commit = sim.rt().spawn("commit", async move { txn.commit(Durability::Flush).await });
        sim.rt().sleep(Duration::from_millis(50)).await;
        assert_eq!(rows(&db, &t, LockMode::None).await.unwrap(), 0, "it is held");
        assert!(rows(&db, &t, LockMode::Shared).await.is_err(), "its row is locked");
        go.set();
        commit.await.unwrap();
        assert_eq!(rows(&db, &t, LockMode::Shared).await.unwrap(), 1);
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

#[test]
fn it_ends_as_a_commit_where_nobody_waits_for_it() {
    let sim = SimRt::new(2);
    let disk = SimDisk::new(sim.rt(), 2);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        for id in 0..200 {
            let mut txn = writer(&db, &t, id).await;
            txn.hold_commit(Box::new(|_| Box::pin(std::future::pending())));
            let commit = txn.commit(Durability::Flush);
            assert!(sim.rt().timeout(Duration::from_millis(1), commit).await.is_none());
        }
        assert_eq!(rows(&db, &t, LockMode::Exclusive).await.unwrap(), 200);
        assert_eq!(db.inner().trx.active_count(), 0);
        db.shutdown().await.unwrap();
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        let t = db.table("test", "t").unwrap();
        assert_eq!(rows(&db, &t, LockMode::None).await.unwrap(), 200);
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
