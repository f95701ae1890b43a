//! Scans of a table larger than the pool read ahead, and find what they would find without it.
use crate::common::*;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::row::{Datum, encode_datum};
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

const ROWS: i64 = 3000;

fn counter(db: &Db, name: &str) -> u64 {
    db.status().into_iter().find(|(n, _)| *n == name).expect("a counter").1
}

/// A table of some 200 leaves, in a pool of so many frames; rows come in an order of their own by each index.
fn with_rows(frames: u64, work: impl AsyncFn(&Db, &Arc<Table>)) {
    let sim = SimRt::new(7);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 7);
    sim.run(async {
        let o = Options { buffer_pool: frames * 4096, ..options(4 << 20) };
        let db = open(&rt, &disk, o).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        let t = db.table("test", "t").expect("there");
        let mut rng = Rng::new(7);
        let mut ids: Vec<i64> = (0..ROWS).collect();
        for i in (1..ids.len()).rev() {
            ids.swap(i, rng.below(i as u64 + 1) as usize);
        }
        for part in ids.chunks(50) {
            let mut txn = db.begin(TxnOptions::default());
            for id in part {
                let row = Row { k: id * 7919 % ROWS, u: Some(*id), body: vec![b'x'; 200] };
                txn.insert(&t, &encode(&t, *id, &row)).await.unwrap();
            }
            txn.commit(Durability::Flush).await.unwrap();
        }
        work(&db, &t).await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

async fn ids(db: &Db, t: &Arc<Table>, s: ScanSpec) -> Vec<i64> {
    let mut txn = db.begin(TxnOptions::default());
    let rows = scan(&mut txn, t, s).await.unwrap();
    txn.commit(Durability::Flush).await.unwrap();
    rows.into_iter().map(|(id, _)| id).collect()
}

fn bound(t: &Table, index: usize, n: i64) -> Vec<u8> {
    let mut key = Vec::new();
    encode_datum(&t.indexes[index].types()[0], Datum::Int(n), &mut key).expect("an integer fits");
    key
}

/// By every index, in both directions, with locks and without, whole and in part, with windows of all sizes.
#[test]
fn scans_find_what_they_find_without_it() {
    with_rows(96, async |db, t| {
        let mut rng = Rng::new(3);
        for round in 0..60 {
            let index = [0, 1, 2][round % 3];
            let lock = if rng.chance(0.3) { LockMode::Shared } else { LockMode::None };
            let mut s = ScanSpec { reverse: rng.chance(0.5), lock, ..spec(index) };
            s.rows_only = rng.chance(0.5);
            if rng.chance(0.5) {
                let low = rng.below(ROWS as u64) as i64;
                s.start = bound(t, index, low);
                let end = low + rng.below(1500) as i64;
                s.end = rng.chance(0.7).then(|| bound(t, index, end));
            }
            db.set("weir_read_ahead", SettingValue::Int(0)).await.unwrap();
            let before = counter(db, "Innodb_buffer_pool_read_ahead");
            let want = ids(db, t, s.clone()).await;
            assert_eq!(counter(db, "Innodb_buffer_pool_read_ahead"), before, "0 is none");
            let window = [1, 2, 7, 32, 256][rng.below(5) as usize];
            db.set("weir_read_ahead", SettingValue::Int(window)).await.unwrap();
            assert_eq!(ids(db, t, s).await, want, "round {round}");
        }
        assert!(counter(db, "Innodb_buffer_pool_read_ahead") > 1000);
    });
}

/// A scan that reads ahead waits for fewer reads: what is read ahead is what it comes to.
#[test]
fn most_pages_are_read_ahead_and_used() {
    with_rows(96, async |db, t| {
        let reads =
            || ["Innodb_data_reads", "Innodb_buffer_pool_read_ahead"].map(|name| counter(db, name));
        for reverse in [false, true] {
            // The other end of the table is in memory then.
            ids(db, t, ScanSpec { reverse: !reverse, ..spec(0) }).await;
            let before = reads();
            assert_eq!(ids(db, t, ScanSpec { reverse, ..spec(0) }).await.len(), ROWS as usize);
            let now = reads();
            let (all, ahead) = (now[0] - before[0], now[1] - before[1]);
            assert!(ahead * 4 > all * 3, "{ahead} of {all}, reverse: {reverse}");
            assert!(all < 2 * u64::from(t.space.pages()), "{all} reads");
        }
    });
}

/// What is in memory is not read, and scans do not ask for it.
#[test]
fn in_memory_nothing_is_read_ahead() {
    with_rows(2000, async |db, t| {
        ids(db, t, spec(0)).await;
        let before = counter(db, "Innodb_data_reads");
        for index in [0, 1, 2] {
            assert_eq!(ids(db, t, spec(index)).await.len(), ROWS as usize);
        }
        assert_eq!(counter(db, "Innodb_data_reads"), before);
        assert_eq!(counter(db, "Innodb_buffer_pool_read_ahead"), 0);
    });
}
