//! A directory whose making was cut off: whatever is left of it, the next start makes it or opens it, and what was acknowledged is there.
use crate::common::*;
use std::future::Future;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::sim::SimRt;

fn small(on_demand: bool) -> Options {
    Options { redo_on_demand: on_demand, ..options(2 << 20) }
}

/// The work's result; `None`: the device stopped before its end.
async fn until_frozen<T>(disk: &SimDisk, f: impl Future<Output = T>) -> Option<T> {
    let (mut f, mut frozen) = (std::pin::pin!(f), std::pin::pin!(disk.frozen()));
    std::future::poll_fn(|cx| {
        if let std::task::Poll::Ready(v) = f.as_mut().poll(cx) {
            return std::task::Poll::Ready(Some(v));
        }
        frozen.as_mut().poll(cx).map(|()| None)
    })
    .await
}

/// Opens an empty directory and commits a row.
async fn first_life(sim: &SimRt, disk: &SimDisk, o: Options) -> Result<()> {
    let db = open(&sim.rt(), disk, o).await?;
    db.create_schema(schema()).await?;
    let t = db.create_table(new_table("t")).await?;
    let mut txn = db.begin(TxnOptions::default());
    let row = Row { k: 1, u: None, body: vec![b'm'; 20] };
    txn.insert(&t, &encode(&t, 7, &row)).await?;
    txn.commit(Durability::Flush).await
}

/// The same on a device that stops after some operations. Returns the device, and whether the row was acknowledged.
fn cut_off(after: u64, on_demand: bool) -> (SimDisk, bool) {
    let sim = SimRt::new(after);
    let disk = SimDisk::new(sim.rt(), after);
    disk.crash_at(after);
    let life = first_life(&sim, &disk, small(on_demand));
    let ended = sim.run(until_frozen(&disk, life)).map_err(|_| "stuck").expect("ends");
    sim.kill_all();
    (disk, ended.map(|done| done.expect("works on an empty device")).is_some())
}

/// Opens what is left and uses it, and then once more after a clean stop. Returns whether the row was there.
fn opens(disk: &SimDisk, sim: &SimRt, on_demand: bool) -> bool {
    let done = sim.run(async {
        let db = open(&sim.rt(), disk, small(on_demand)).await.expect("opens or makes");
        let found = match db.table("test", "t") {
            Some(t) => {
                let mut txn = db.begin(TxnOptions::default());
                !scan(&mut txn, &t, spec(0)).await.expect("reads").is_empty()
            }
            None => false,
        };
        if db.schema("test").is_none() {
            db.create_schema(schema()).await.expect("a schema");
        }
        db.shutdown().await.expect("stops");
        let db = open(&sim.rt(), disk, small(on_demand)).await.expect("opens again");
        assert!(db.schema("test").is_some());
        db.shutdown().await.expect("stops again");
        found
    });
    done.map_err(|_| "stuck").expect("ends")
}

/// The device loses what was not synced in several ways, or loses nothing, as when the process alone is gone.
#[test]
fn a_making_that_was_cut_off_anywhere_is_made_again_or_complete() {
    plant();
    for on_demand in [true, false] {
        let mut after = 1;
        loop {
            let mut acknowledged = false;
            for way in 0..6 {
                let (disk, told) = cut_off(after, on_demand);
                acknowledged = told;
                let sim = SimRt::new(after + 1000 * way);
                let left = match way {
                    0 => disk.reopen(sim.rt(), after),
                    seed => disk.crash(sim.rt(), after * 16 + seed),
                };
                let found = opens(&left, &sim, on_demand);
                assert!(found || !told, "after {after} operations, way {way}: the row is gone");
            }
            if acknowledged {
                break;
            }
            after += 1;
        }
        assert!(after > 40, "only {after} operations");
    }
}

#[test]
fn a_device_that_is_full_in_the_making_gives_an_error_and_is_made_again() {
    plant();
    for at in 1..400 {
        let sim = SimRt::new(at);
        let disk = SimDisk::new(sim.rt(), at);
        let writes = ["create", "write", "allocate"];
        disk.set_fault(Some(Box::new(move |op| {
            (op.count >= at && writes.contains(&op.kind)).then_some(Fault::Full)
        })));
        let done = sim.run(async { open(&sim.rt(), &disk, small(true)).await.map(|_| ()) });
        sim.kill_all();
        let made = done.map_err(|_| "stuck").expect("ends").is_ok();
        let sim = SimRt::new(at + 1000);
        let left = disk.reopen(sim.rt(), at);
        opens(&left, &sim, true);
        if made {
            return;
        }
    }
    panic!("the making never came to its end");
}
