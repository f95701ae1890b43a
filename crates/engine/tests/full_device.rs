//! A full device: statements that need room fail, and the error log says so once, and once when it is over.
use crate::common::*;
use std::sync::{Arc, Mutex};
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::sim::SimRt;

async fn insert(db: &Db, t: &Arc<Table>, id: i64) -> Result<()> {
    let mut txn = db.begin(TxnOptions::default());
    let row = Row { k: 1, u: None, body: vec![b'x'; 3000] };
    match txn.insert(t, &encode(t, id, &row)).await {
        Ok(()) => txn.commit(Durability::Lazy).await,
        Err(e) => txn.rollback().await.and(Err(e)),
    }
}

#[test]
fn a_full_device_is_told_once() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let told = Arc::new(Mutex::new(Vec::<String>::new()));
    let out = told.clone();
    let done = sim.run(async move {
        let disk = SimDisk::new(rt.clone(), 1);
        let log = Arc::new(move |m: &str| out.lock().unwrap().push(m.to_string()));
        let db = Db::open(&rt, Arc::new(disk.clone()), Options { log, ..options(8 << 20) }).await;
        let db = db.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        disk.set_fault(Some(Box::new(|op| (op.kind == "allocate").then_some(Fault::Full))));
        let mut refused = 0;
        for id in 0..200 {
            match insert(&db, &t, id).await {
                Ok(()) => {}
                Err(Error::DiskFull { file }) => {
                    assert_eq!(file, "t");
                    refused += 1;
                }
                Err(e) => panic!("{e}"),
            }
        }
        assert!(refused > 20, "{refused}");
        disk.set_fault(None);
        for id in 1000..1100 {
            insert(&db, &t, id).await.unwrap();
        }
        db.shutdown().await.unwrap();
    });
    done.map_err(|_| "stuck").unwrap();
    let told = told.lock().unwrap();
    let lines = |what: &str| told.iter().filter(|m| m.contains(what)).count();
    assert_eq!(lines("statements that need room fail"), 1, "{told:?}");
    assert_eq!(lines("there is room on the device again"), 1, "{told:?}");
}
