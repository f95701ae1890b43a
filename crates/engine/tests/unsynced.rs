//! A process that ends takes nothing with it: what it had written is in the system's memory, and the next start reads it there. A power
//! failure later takes what no sync has reached by then.
use crate::common::*;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;

async fn add(db: &Db, from: i64, n: i64) {
    let t = db.table("test", "t").expect("there");
    for id in from..from + n {
        let mut txn = db.begin(TxnOptions::default());
        let row = Row { k: id, u: Some(id), body: vec![b'r'; 200] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
    }
}

fn quiet(doublewrite: bool) -> Options {
    Options { fatal: Arc::new(|_| {}), doublewrite, ..options(2 << 20) }
}

/// One life of the engine on the disk, which may stop in the middle of it.
fn life(sim: &SimRt, disk: &SimDisk, o: Options, work: impl AsyncFnOnce(&Db)) {
    let (rt, at) = (sim.rt(), disk.clone());
    sim.run(async move {
        let life = async {
            let db = open(&rt, &at, o).await.unwrap();
            work(&db).await;
            db.shutdown().await.unwrap();
        };
        let (mut life, mut frozen) = (pin!(life), pin!(at.frozen()));
        std::future::poll_fn(|cx| match frozen.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => life.as_mut().poll(cx),
        })
        .await
    })
    .unwrap();
    sim.kill_all();
}

async fn has_rows(db: &Db, n: usize, what: &str) {
    let t = db.table("test", "t").expect("there");
    let mut txn = db.begin(TxnOptions::default());
    assert_eq!(scan(&mut txn, &t, spec(0)).await.unwrap().len(), n, "{what}");
    txn.rollback().await.unwrap();
    assert!(db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap().is_empty(), "{what}");
}

/// The process ends between the writes of pages and the sync of their file. When the next one has started, nothing waits for a sync any
/// more: recovery takes those pages for written, so no later write of them needs to come. Then the power fails, and every row is there.
#[test]
fn pages_that_recovery_found_are_synced_before_a_checkpoint_passes_them() {
    let mut met = 0;
    for (doublewrite, seed) in (0..24).map(|n| (n % 2 == 0, n)) {
        let what = format!("seed {seed}, doublewrite {doublewrite}");
        let (first, second) = (SimRt::new(1), SimRt::new(seed));
        let disk = SimDisk::new(first.rt(), 1);
        life(&first, &disk, quiet(doublewrite), async |db| {
            db.create_schema(schema()).await.unwrap();
            db.create_table(new_table("t")).await.unwrap();
            add(db, 0, 60).await;
        });
        let disk = disk.reopen(second.rt(), seed);
        // At one sync of a data file after the other.
        let mut syncs = seed / 2;
        disk.crash_when(Box::new(move |op| {
            if op.kind != "sync" || !op.path.ends_with(".weir") {
                return None;
            }
            syncs = syncs.checked_sub(1)?;
            (syncs == 0).then_some(0)
        }));
        life(&second, &disk, quiet(doublewrite), async |db| add(db, 60, 60).await);
        let (third, fourth) = (SimRt::new(seed), SimRt::new(seed));
        let disk = disk.reopen(third.rt(), seed);
        met += disk.unsynced("tables/");
        let at = disk.clone();
        life(&third, &disk, quiet(doublewrite), async |db| {
            assert_eq!(at.unsynced("tables/"), 0, "{what}");
            has_rows(db, 120, &what).await;
        });
        let disk = disk.crash(fourth.rt(), seed);
        life(&fourth, &disk, quiet(doublewrite), async |db| has_rows(db, 120, &what).await);
    }
    assert!(met > 0, "no life ended between a write and its sync");
}
