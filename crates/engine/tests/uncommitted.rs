//! READ UNCOMMITTED reads rows with long columns while their writers roll back: a row that somebody wrote, whole, or none.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

async fn set(txn: &mut Txn, t: &Arc<Table>, id: i64, body: u8) {
    let row = Row { k: 1, u: None, body: vec![body; 300_000] };
    let (mut found, exclusive) = (RowBuf::default(), LockMode::Exclusive);
    if txn.get(t, 0, &key(id), exclusive, OnLocked::Wait, &mut found).await.unwrap() {
        txn.update(t, &key(id), &found.row, &encode(t, id, &row)).await.unwrap();
    } else {
        txn.insert(t, &encode(t, id, &row)).await.unwrap();
    }
}

/// Reads by every way there is until the writer is done.
async fn read(db: Db, t: Arc<Table>, done: Arc<weir_rt::Event>) {
    while !done.is_set() {
        db.inner().rt.sleep(std::time::Duration::from_micros(50)).await;
        let o = TxnOptions { isolation: Isolation::ReadUncommitted, ..TxnOptions::default() };
        let mut txn = db.begin(o);
        let mut rows = Vec::new();
        for index in [0, 1, 3] {
            for rows_only in [false, true] {
                let s = ScanSpec { rows_only, ..spec(index) };
                rows.extend(scan(&mut txn, &t, s).await.unwrap());
            }
        }
        let (mut found, none) = (RowBuf::default(), LockMode::None);
        for id in [1, 2] {
            if txn.get(&t, 0, &key(id), none, OnLocked::Wait, &mut found).await.unwrap() {
                rows.push(decode(&t, &found.row));
            }
        }
        for (id, r) in rows {
            let first = r.body[0];
            assert!(r.body.iter().all(|b| *b == first), "row {id} is of two versions");
            assert!(r.body.len() == 300_000 && b"abc".contains(&first), "nobody wrote this");
        }
        txn.rollback().await.unwrap();
    }
}

#[test]
fn rows_whose_writers_roll_back() {
    for seed in 0..4 {
        let sim = SimRt::new(seed);
        let disk = SimDisk::new(sim.rt(), seed);
        sim.run(async {
            let db = open(&sim.rt(), &disk, options(4 << 20)).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            let t = db.create_table(new_table("t")).await.unwrap();
            let mut txn = db.begin(TxnOptions::default());
            set(&mut txn, &t, 1, b'a').await;
            txn.commit(Durability::Flush).await.unwrap();
            let done = Arc::new(weir_rt::Event::new());
            let reader = sim.rt().spawn("reader", read(db.clone(), t.clone(), done.clone()));
            for _ in 0..30 {
                let mut txn = db.begin(TxnOptions::default());
                set(&mut txn, &t, 1, b'b').await;
                set(&mut txn, &t, 2, b'c').await;
                txn.rollback().await.unwrap();
            }
            done.set();
            reader.await;
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}
