//! Flush policies on a slow device in virtual time, where there is no noise: the whole engine, its background tasks and
//! many clients, each of which computes a while, changes a few rows and commits.
use crate::common::load::{Load, fill, open, slow, transaction};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// Data in memory, and a log of which a lap takes some ten seconds.
const IN_MEMORY: Load = Load {
    policy: "weir",
    pool: 4000,
    rows: 12_000,
    redo: 6 << 20,
    iops: 1500,
    clients: 8,
    think: Duration::from_millis(20),
    max_dirty: 90.0,
    doublewrite: true,
    seconds: 60,
};

/// Data five times the pool.
const LARGER: Load = Load {
    policy: "weir",
    pool: 4000,
    rows: 160_000,
    redo: 64 << 20,
    iops: 1500,
    clients: 16,
    think: Duration::from_millis(2),
    max_dirty: 80.0,
    doublewrite: false,
    seconds: 60,
};

/// What was measured: commits in each second, the dirty share ten times a second, in percent.
struct Curve {
    commits: Vec<f64>,
    dirty: Vec<f64>,
    status: Vec<(&'static str, u64)>,
}

impl Curve {
    fn mean(&self) -> f64 {
        self.commits.iter().sum::<f64>() / self.commits.len() as f64
    }

    fn variation(&self) -> f64 {
        let mean = self.mean();
        let var = self.commits.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        (var / self.commits.len() as f64).sqrt() / mean
    }

    fn lowest(&self) -> f64 {
        self.commits.iter().copied().fold(f64::INFINITY, f64::min) / self.mean()
    }

    /// Seconds under half of the mean.
    fn dips(&self) -> usize {
        self.commits.iter().filter(|c| **c < self.mean() / 2.0).count()
    }

    fn most_dirty(&self) -> f64 {
        self.dirty.iter().copied().fold(0.0, f64::max)
    }

    fn status(&self, name: &str) -> u64 {
        self.status.iter().find(|s| s.0 == name).map_or(0, |s| s.1)
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:<22} {:>7.1}/s  lowest {:>3.0} %  variation {:.3}  dips {:>2}  dirty {:>4.1} %  written {:>6}  \
             again {:>6}  by sessions {:>5}  rescue {:>4}  read {:>6}  syncs {:>5}  waits {:>6} ({} ms)  paced {} ms",
            self.mean(),
            self.lowest() * 100.0,
            self.variation(),
            self.dips(),
            self.most_dirty(),
            self.status("Innodb_buffer_pool_pages_flushed"),
            self.status("Weir_pages_rewritten"),
            self.status("Weir_flush_user_sync_pages")
                + self.status("Weir_flush_user_dirty_pages")
                + self.status("Weir_flush_user_async_pages")
                + self.status("Weir_flush_user_free_pages"),
            self.status("Weir_flush_rescue_pages"),
            self.status("Innodb_buffer_pool_reads"),
            self.status("Innodb_data_fsyncs"),
            self.status("Weir_flush_user_waits") + self.status("Weir_log_space_waits"),
            (self.status("Weir_flush_user_wait_usec") + self.status("Weir_log_space_wait_usec"))
                / 1000,
            self.status("Weir_pace_usec") / 1000,
        )
    }
}

fn measure(load: Load) -> Curve {
    let sim = SimRt::new(11);
    let rt = sim.rt();
    sim.run(async move {
        let db = open(&rt, &load).await;
        let t = fill(&db, load.rows).await;
        let (commits, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let mut clients = Vec::new();
        for i in 0..load.clients {
            let (db, t, rt2) = (db.clone(), t.clone(), rt.clone());
            let (commits, stop) = (commits.clone(), stop.clone());
            clients.push(rt.spawn("client", async move {
                let mut rng = Rng::new(100 + i);
                while !stop.load(Ordering::Relaxed) {
                    // Never all in step.
                    let jitter = 0.5 + rng.below(1000) as f64 / 1000.0;
                    rt2.sleep(load.think.mul_f64(jitter)).await;
                    match transaction(&db, &t, load.rows, &mut rng).await {
                        Ok(()) => commits.fetch_add(1, Ordering::Relaxed),
                        Err(Error::Deadlock | Error::LockWaitTimeout) => 0,
                        Err(e) => panic!("{e}"),
                    };
                }
            }));
        }
        // The first laps of the log are a warm-up.
        rt.sleep(Duration::from_secs(load.seconds as u64 / 2)).await;
        let mut curve = Curve { commits: Vec::new(), dirty: Vec::new(), status: Vec::new() };
        let before = db.status();
        for _ in 0..load.seconds {
            let begun = commits.load(Ordering::Relaxed);
            for _ in 0..10 {
                rt.sleep(Duration::from_millis(100)).await;
                let s = db.status();
                let of = |n: &str| s.iter().find(|x| x.0 == n).expect("there").1 as f64;
                curve.dirty.push(
                    of("Innodb_buffer_pool_pages_dirty") * 100.0
                        / of("Innodb_buffer_pool_pages_total"),
                );
            }
            curve.commits.push((commits.load(Ordering::Relaxed) - begun) as f64);
        }
        let after = db.status();
        let gained = after.iter().zip(&before).map(|(a, b)| (a.0, a.1.saturating_sub(b.1)));
        curve.status = gained.collect();
        stop.store(true, Ordering::Relaxed);
        for c in clients {
            c.await;
        }
        db.shutdown().await.unwrap();
        curve
    })
    .unwrap()
}

#[test]
fn no_dip_with_a_small_log() {
    let c = measure(IN_MEMORY);
    println!("{}", c.line("weir"));
    assert!(c.lowest() >= 0.8, "a second with {:.2} of the mean: {:?}", c.lowest(), c.commits);
    assert!(c.variation() <= 0.05, "variation {:.3}: {:?}", c.variation(), c.commits);
    assert_eq!(c.status("Weir_flush_user_waits") + c.status("Weir_log_space_waits"), 0);
}

#[test]
fn the_dirty_limit_is_a_limit() {
    for max_dirty in [10.0, 20.0] {
        let c = measure(Load { max_dirty, seconds: 30, ..IN_MEMORY });
        println!("{}", c.line("weir"));
        assert!(c.most_dirty() <= max_dirty + 1.0, "limit {max_dirty}, {} %", c.most_dirty());
        assert!(c.lowest() >= 0.8, "a second with {:.2} of the mean", c.lowest());
    }
}

/// What is left of the day's budget is reckoned from the history, a stop's own writes included.
#[test]
fn a_restart_does_not_fill_the_daily_budget() {
    let sim = SimRt::new(4);
    let rt = sim.rt();
    sim.run(async {
        let load = Load { iops: 100_000, ..IN_MEMORY };
        let device = slow(&rt, &load, SimDisk::new(rt.clone(), 4));
        // A thousand pages an hour, each written twice.
        let per_hour = 1000.0 * 2.0 * 4096.0;
        let allowed = |db: &Db| {
            let list = db.status();
            list.iter().find(|s| s.0 == "Weir_write_budget_allowed").expect("there").1
        };
        let open = async |flight_recorder: bool| {
            let mut o = Options { flight_recorder, ..load.options() };
            o.flush.write_budget_daily = per_hour * 25.0 / 1e12;
            let db = Db::open(&rt, device.clone(), o).await.unwrap();
            rt.sleep(Duration::from_secs(2)).await;
            db
        };
        let db = open(true).await;
        assert_eq!(allowed(&db), 0, "a new directory: an hour is saved up");
        // Fifteen hundred pages, most of which the stop writes.
        fill(&db, 12_000).await;
        db.shutdown().await.unwrap();
        for recorded in [true, true, false] {
            let db = open(recorded).await;
            assert_eq!(allowed(&db), (per_hour / 3600.0) as u64, "recorded: {recorded}");
            db.shutdown().await.unwrap();
        }
        // Two hours later there is an hour's worth again.
        rt.sleep(Duration::from_secs(7200)).await;
        let db = open(true).await;
        assert_eq!(allowed(&db), 0);
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// The policies side by side; `cargo test --release -p weir-engine --test engine flush:: -- --ignored --nocapture` prints them, those
/// in WEIR_POLICIES only when it is set.
#[test]
#[ignore = "a table to read, not a check"]
fn all_policies_side_by_side() {
    for (title, load) in [
        ("in memory, small log", IN_MEMORY),
        ("in memory, dirty limit 20", Load { max_dirty: 20.0, redo: 64 << 20, ..IN_MEMORY }),
        ("data 5 x pool, dirty limit 20", Load { max_dirty: 20.0, ..LARGER }),
        ("data 5 x pool, dirty limit 80", Load { max_dirty: 80.0, ..LARGER }),
    ] {
        println!("{title}");
        let wanted = std::env::var("WEIR_POLICIES").ok();
        let is_wanted = |p: &&&str| wanted.as_ref().is_none_or(|w| w.split(',').any(|x| x == **p));
        for policy in FLUSH_POLICIES.iter().filter(is_wanted) {
            println!("{}", measure(Load { policy, ..load }).line(policy));
        }
    }
}
