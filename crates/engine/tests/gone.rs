//! Tables that go while purge and the planner have them in their hands.
use crate::common::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

fn context() -> DdlContext {
    let interrupt = Arc::new(weir_rt::Interrupt::new());
    DdlContext { lock_timeout: Duration::from_secs(10), interrupt, held: None, objects: Vec::new() }
}

/// What the planner asks, until the table is gone.
async fn ask(db: Db, t: Arc<Table>, done: Arc<weir_rt::Event>) {
    while !done.is_set() {
        for index in 0..t.indexes.len() {
            let asked = [
                db.estimate_range(&t, index, &[], None).await.map(|_| ()),
                db.refresh_statistics(&t).await,
                db.analyze_table(&t).await,
                t.auto_increment_reserve(1000, 1, 1).await.map(|_| ()),
            ];
            for r in asked {
                assert!(matches!(r, Ok(()) | Err(Error::TableChanged { .. })), "{r:?}");
            }
        }
        db.rt().sleep(Duration::from_micros(200)).await;
    }
}

#[test]
fn a_table_goes_under_purge_and_estimates() {
    for seed in 0..12 {
        let sim = SimRt::new(seed);
        let disk = SimDisk::new(sim.rt(), seed);
        let told = Arc::new(Mutex::new(Vec::<String>::new()));
        let log = told.clone();
        sim.run(async {
            let o = Options {
                buffer_pool: 24 * 4096,
                log: Arc::new(move |m| log.lock().unwrap().push(m.to_string())),
                ..options(2 << 20)
            };
            let db = open(&sim.rt(), &disk, o).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            for round in 0..4u64 {
                let t = db.create_table(new_table("t")).await.unwrap();
                let mut txn = db.begin(TxnOptions::default());
                for id in 0..300 {
                    let row = Row { k: id % 7, u: Some(id), body: vec![b'x'; 200] };
                    txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
                }
                txn.commit(Durability::Lazy).await.unwrap();
                let mut txn = db.begin(TxnOptions::default());
                for id in 0..300 {
                    let (mut found, x) = (RowBuf::default(), LockMode::Exclusive);
                    assert!(txn.get(&t, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap());
                    txn.delete(&t, &key(id), &found.row).await.unwrap();
                }
                txn.commit(Durability::Lazy).await.unwrap();
                let done = Arc::new(weir_rt::Event::new());
                let asker = sim.rt().spawn("planner", ask(db.clone(), t.clone(), done.clone()));
                sim.rt().sleep(Duration::from_micros(seed * 700)).await;
                let t = match round {
                    0 => t,
                    1 => db.truncate_table(&t, &context()).await.unwrap(),
                    _ => db.drop_indexes(&t, &["b".into()], Vec::new(), &context()).await.unwrap(),
                };
                sim.rt().sleep(Duration::from_millis(1)).await;
                if round == 3 {
                    db.drop_schema("test", &context()).await.unwrap();
                } else {
                    db.drop_tables(&[t], &context()).await.unwrap();
                }
                done.set();
                asker.await;
            }
            db.shutdown().await.unwrap();
        })
        .unwrap();
        let told = told.lock().unwrap();
        let bad: Vec<_> =
            told.iter().filter(|m| m.starts_with("purge") || m.contains("no such")).collect();
        assert!(bad.is_empty(), "seed {seed}: {bad:?}");
    }
}
