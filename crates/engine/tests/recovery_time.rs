//! `weir_recovery_time_target` from end to end: a write load on a slow device, a crash at some moment, and a start on the same
//! device, all in virtual time. What passes there is what the device takes: computing (to apply the log is about a second for
//! 100 MB) takes none.
use crate::common::load::{CHANGES, Load, change, fill, slow};
use std::sync::Arc;
use std::time::Duration;
use weir_disk::Disk;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// Every second page of the data is changed again and again, all of it in memory, and the log has room for minutes.
const LOAD: Load = Load {
    policy: "weir",
    pool: 12_000,
    rows: 80_000,
    redo: 64 << 20,
    iops: 500,
    clients: 8,
    think: Duration::from_millis(10),
    max_dirty: 90.0,
    doublewrite: true,
    seconds: 0,
};

/// What a start takes besides the log and its pages: files, doublewrite area, undo, catalog.
const MARGIN: f64 = 0.5;

/// Rows of two pages.
const APART: i64 = 18;

async fn transaction(db: &Db, t: &Arc<Table>, rng: &mut Rng) -> Result<()> {
    let some = |_| rng.below((LOAD.rows / APART) as u64) as i64 * APART;
    let ids = (0..CHANGES).map(some).collect();
    change(db, t, ids, rng).await
}

struct Seen {
    dirty: u64,
    commits: u64,
    /// Seconds.
    recovery: f64,
    report: RecoveryReport,
}

/// Runs the load for `seconds`, crashes, starts again.
fn crash(load: Load, target: f64, seconds: f64, seed: u64) -> Seen {
    let sim = SimRt::new(seed);
    let rt = sim.rt();
    let device = SimDisk::new(rt.clone(), seed);
    let options = || {
        let mut o = load.options();
        o.flush.recovery_target = target;
        o
    };
    let disk: Arc<dyn Disk> = slow(&rt, &load, device.clone());
    let (dirty, commits) = sim
        .run(async {
            let db = Db::open(&rt, disk, options()).await.unwrap();
            let t = fill(&db, load.rows).await;
            for i in 0..load.clients {
                let (db, t, rt2) = (db.clone(), t.clone(), rt.clone());
                rt.spawn("client", async move {
                    let mut rng = Rng::new(100 + i);
                    loop {
                        rt2.sleep(load.think.mul_f64(0.5 + rng.below(1000) as f64 / 1000.0)).await;
                        match transaction(&db, &t, &mut rng).await {
                            Ok(()) | Err(Error::Deadlock | Error::LockWaitTimeout) => {}
                            Err(e) => panic!("{e}"),
                        }
                    }
                });
            }
            let of = |n: &str| db.status().iter().find(|x| x.0 == n).expect("there").1;
            rt.sleep(Duration::from_secs_f64(seconds / 2.0)).await;
            let before = of("Weir_transactions_committed");
            rt.sleep(Duration::from_secs_f64(seconds / 2.0)).await;
            let commits = of("Weir_transactions_committed") - before;
            (of("Innodb_buffer_pool_pages_dirty"), commits)
        })
        .unwrap();
    sim.kill_all();
    let sim = SimRt::new(seed + 1);
    let rt = sim.rt();
    // Like kill -9: all that was written is there, so this is the most that recovery may find.
    let disk: Arc<dyn Disk> = slow(&rt, &load, device.reopen(rt.clone(), seed));
    sim.run(async {
        let begun = rt.now();
        let db = Db::open(&rt, disk, options()).await.unwrap();
        let recovery = (rt.now() - begun) as f64 / 1e9;
        let report = db.recovery_report().clone();
        db.shutdown().await.unwrap();
        Seen { dirty, commits, recovery, report }
    })
    .unwrap()
}

fn line(target: f64, s: &Seen) -> String {
    format!(
        "target {target:>4} s: {:>5} dirty, {:>5.1} MB of log about {:>5} pages recovered in {:.2} s, the log {:.2} s; {} commits",
        s.dirty,
        (s.report.to - s.report.from) as f64 / 1e6,
        s.report.pages,
        s.recovery,
        s.report.nanos as f64 / 1e9,
        s.commits
    )
}

#[test]
fn recovery_keeps_to_its_time() {
    let mut rng = Rng::new(7);
    let mut most_dirty = Vec::new();
    for target in [2.0, 10.0] {
        let mut most = 0;
        for seed in 0..2 {
            let s = crash(LOAD, target, 30.0 + rng.below(15_000) as f64 / 1000.0, 10 * seed + 1);
            println!("{}", line(target, &s));
            assert!(s.recovery <= target + MARGIN, "{:.2} s of {target}", s.recovery);
            // And the time is used: a log kept shorter than need be costs writes.
            assert!(s.recovery >= target / 4.0, "{:.2} s of {target}", s.recovery);
            most = most.max(s.dirty);
        }
        most_dirty.push(most);
    }
    assert!(most_dirty[1] > 2 * most_dirty[0], "dirty pages by target: {most_dirty:?}");
}

#[test]
fn without_a_target_recovery_takes_what_it_takes() {
    let s = crash(LOAD, 0.0, 45.0, 5);
    println!("{}", line(0.0, &s));
    assert!(s.recovery > 5.0, "the load is one that needs a target: {:.2} s", s.recovery);
}
