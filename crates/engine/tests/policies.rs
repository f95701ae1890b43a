//! Every flush policy carries a load that laps the log several times through a pool that does not hold the table.
use crate::common::*;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

const CLIENTS: u64 = 4;

async fn client(db: &Db, seed: u64, txns: i64) {
    let t = db.table("test", "t").expect("there");
    let mut rng = Rng::new(seed);
    for n in 0..txns {
        let mut txn = db.begin(TxnOptions::default());
        for i in 0..4 {
            let id = (n * 4 + i) * CLIENTS as i64 + seed as i64;
            let row = Row { u: Some(id), ..random_row(&mut rng, None) };
            txn.insert(&t, &encode(&t, id, &row)).await.expect("a key of its own");
        }
        txn.commit(Durability::Flush).await.expect("commits");
        db.rt().sleep(Duration::from_millis(20)).await;
    }
}

fn run(name: &'static str, flush: FlushSettings) {
    let sim = SimRt::new(7);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 7);
    let txns = 150;
    sim.run(async {
        let buffer_pool = 300 * 4096;
        let o = Options { flush_policy: name, flush, buffer_pool, ..options(1 << 20) };
        let db = open(&rt, &disk, o).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        let mut clients = vec![];
        for seed in 0..CLIENTS {
            let db = db.clone();
            clients.push(rt.spawn("client", async move { client(&db, seed, txns).await }));
        }
        for c in clients {
            c.await;
        }
        // An idle time, in which nothing may run wild.
        rt.sleep(Duration::from_secs(30)).await;
        let t = db.table("test", "t").expect("there");
        let mut txn = db.begin(TxnOptions::default());
        let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
        assert_eq!(rows.len() as i64, txns * 4 * CLIENTS as i64, "{name}");
        txn.commit(Durability::Flush).await.unwrap();
        let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
        assert!(bad.is_empty(), "{name}: {bad:#?}");
        db.shutdown().await.unwrap();
    })
    .unwrap_or_else(|s| panic!("{name}: {s:?}"));
}

#[test]
fn every_policy_carries_a_load() {
    for name in FLUSH_POLICIES {
        let flush =
            FlushSettings { log_files: 2, log_file_size: 512 << 10, ..FlushSettings::default() };
        run(name, flush);
    }
}

#[test]
fn sessions_hold_the_dirty_limit() {
    let flush = FlushSettings {
        log_files: 2,
        log_file_size: 512 << 10,
        max_dirty_pct: 20.0,
        adaptive_checkpoint: true,
        check_max_dirty_foreground: true,
        neighbours: Neighbours::Area,
        ..FlushSettings::default()
    };
    run("google-v4", flush);
}
