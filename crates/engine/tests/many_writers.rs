//! More transactions that write at the same time than one page of the undo space's directory can list.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

/// A page of 4 KiB lists 1,015 slots: these need three.
const WRITERS: i64 = 2_100;

#[test]
fn thousands_write_at_once_and_are_taken_back() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    let device = disk.clone();
    let done = sim.run(async move {
        let db = Db::open(&rt, Arc::new(device), options(16 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let mut open = Vec::new();
        for id in 0..WRITERS {
            let mut txn = db.begin(TxnOptions::default());
            let row = Row { k: 1, u: None, body: vec![1] };
            txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
            open.push(txn);
        }
        // Every other one commits; the rest is cut off.
        let mut cut_off = Vec::new();
        for (id, txn) in open.into_iter().enumerate() {
            if id % 2 == 0 {
                txn.commit(Durability::Lazy).await.unwrap();
            } else {
                cut_off.push(txn);
            }
        }
        let mut last = db.begin(TxnOptions::default());
        let row = Row { k: 1, u: None, body: vec![1] };
        last.insert(&t, &encode(&t, WRITERS, &row)).await.unwrap();
        last.commit(Durability::Flush).await.unwrap();
        std::mem::forget(cut_off);
    });
    done.map_err(|_| "stuck").unwrap();
    let sim = SimRt::new(2);
    let rt = sim.rt();
    let disk = disk.crash(rt.clone(), 2);
    let rows = sim.run(async move {
        let db = Db::open(&rt, Arc::new(disk), options(16 << 20)).await.unwrap();
        let t = db.table("test", "t").unwrap();
        let mut txn = db.begin(TxnOptions::default());
        let rows = scan(&mut txn, &t, spec(0)).await.unwrap().len() as i64;
        txn.commit(Durability::Lazy).await.unwrap();
        db.shutdown().await.unwrap();
        rows
    });
    assert_eq!(rows.map_err(|_| "stuck").unwrap(), WRITERS / 2 + 1);
}
