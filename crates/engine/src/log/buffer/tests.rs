//! Waiting for room in the buffer.

use super::super::control::{Control, ControlFile};
use super::super::segments::Segments;
use super::*;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_disk::{Disk, Mode};
use weir_rt::sim::SimRt;

const START: Lsn = 8192;

async fn log(rt: &Rt, disk: &SimDisk) -> Arc<Log> {
    let state = Control {
        seq: 0,
        id: [7; 16],
        page_size: 4096,
        checkpoint: START,
        segment_size: 1 << 20,
        segments: 0,
        clean: false,
        durable: START,
        sample: (0, 0),
        history: 0,
        damaged: Vec::new(),
        epochs: vec![(START, 1)],
    };
    let control = ControlFile::create_as(disk, "weir.ctl", state).await.unwrap();
    let dir: Arc<dyn Disk> = Arc::new(disk.clone());
    let segments = Segments::open(dir, Mode::Buffered, 1 << 20, [7; 16]).await.unwrap();
    for _ in 0..3 {
        segments.grow(START).await.unwrap();
    }
    let waits = Waits::new(rt.clone());
    Arc::new(Log::new(rt.clone(), waits, segments, control, START, Vec::new(), 16 << 10))
}

/// Grants may be held while their owners wait for a page from the device. Anyone who wants the room that they take sleeps
/// until then, whether the grant is used or given back.
#[test]
fn room_that_grants_hold_is_waited_for_asleep() {
    for used in [false, true] {
        let sim = SimRt::new(1);
        // A waiter that asks again and again reaches this before the clock moves.
        sim.set_step_limit(2000);
        let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), 1));
        sim.run(async {
            let log = log(&rt, &disk).await;
            let mut held = Vec::new();
            while log.try_grant(2048, false).is_ok() {
                held.push(Grant { log: &log, bytes: 2048 });
            }
            let waiter = {
                let log = log.clone();
                rt.spawn("waiter", async move { log.grant(1024).await.map(|g| g.payload()) })
            };
            rt.sleep(Duration::from_secs(5)).await;
            assert_eq!(log.grants_used.len(), 1, "it cannot have been granted");
            let one = held.pop().expect("the buffer has room for some");
            if used {
                log.append(one, b"a group", |_, _| {});
            } else {
                drop(one);
            }
            assert!(waiter.await.unwrap() >= 1024);
        })
        .unwrap();
    }
}

/// With a full log a statement waits until it is killed, and a rollback goes ahead of statements that came before it.
#[test]
fn rollbacks_go_first_and_killed_statements_go() {
    #[cfg(feature = "planted")]
    planted::plant_named();
    let sim = SimRt::new(1);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), 1));
    sim.run(async {
        let log = log(&rt, &disk).await;
        let mut held = Vec::new();
        while log.try_grant(2048, false).is_ok() {
            held.push(Grant { log: &log, bytes: 2048 });
        }
        let order: Arc<Mutex<Vec<&str>>> = Arc::default();
        let waiter = |name: &'static str| {
            let (log, order, rt) = (log.clone(), order.clone(), rt.clone());
            async move {
                let got = log.grant(1500).await.map(|g| g.payload());
                order.lock().push(name);
                // Anyone who comes next has the room that this one gives back.
                rt.sleep(Duration::from_secs(1)).await;
                got
            }
        };
        let switch = Arc::new(weir_rt::Interrupt::new());
        let killed = rt.spawn("killed", patience::until_killed(switch.clone(), waiter("killed")));
        let first = rt.spawn("statement", waiter("statement"));
        rt.sleep(Duration::from_secs(1)).await;
        let undo = rt.spawn("undo", patience::undoing(waiter("undo")));
        rt.sleep(Duration::from_secs(1)).await;
        switch.kill(1);
        assert!(matches!(killed.await, Err(Error::Interrupted)));
        assert_eq!(*order.lock(), ["killed"]);
        drop(held.pop());
        assert!(undo.await.unwrap() >= 1500 && first.await.unwrap() >= 1500);
        assert_eq!(*order.lock(), ["killed", "undo", "statement"]);
        assert_eq!(log.reserve.lock().undoing, 0);
        assert_eq!(log.stats.undo_first.load(Ordering::Relaxed), 1);
    })
    .unwrap();
}
