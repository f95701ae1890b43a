//! What the published builds ran on: pages posted to threads that merge them, files synced by checkpoints, InnoDB's list with its free
//! margin. And that all of it can be exchanged at any moment.
use crate::common::load::{Load, fill, open as open_load, transaction};
use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng, Rt};

/// Data five times the pool.
const LARGER: Load = Load {
    policy: "stock-5.0",
    pool: 1000,
    rows: 40_000,
    redo: 64 << 20,
    iops: 1500,
    clients: 8,
    think: Duration::from_millis(2),
    max_dirty: 80.0,
    doublewrite: false,
    seconds: 15,
};

/// Clients that change rows until they are stopped.
async fn work(rt: &Rt, db: &Db, load: Load) {
    let t = db.table("test", "f").expect("there");
    let stop = Arc::new(AtomicBool::new(false));
    let mut clients = Vec::new();
    for i in 0..load.clients {
        let (db, t, rt2, stop) = (db.clone(), t.clone(), rt.clone(), stop.clone());
        clients.push(rt.spawn("client", async move {
            let mut rng = Rng::new(100 + i);
            while !stop.load(Ordering::Relaxed) {
                rt2.sleep(load.think).await;
                match transaction(&db, &t, load.rows, &mut rng).await {
                    Ok(()) | Err(Error::Deadlock | Error::LockWaitTimeout) => {}
                    Err(e) => panic!("{e}"),
                }
            }
        }));
    }
    rt.sleep(Duration::from_secs(load.seconds as u64)).await;
    stop.store(true, Ordering::Relaxed);
    for c in clients {
        c.await;
    }
}

/// What the counters gained under a load.
fn gained(load: Load) -> impl Fn(&str) -> u64 {
    let sim = SimRt::new(3);
    let rt = sim.rt();
    let list = sim
        .run(async move {
            let db = open_load(&rt, &load).await;
            fill(&db, load.rows).await;
            let before = db.status();
            work(&rt, &db, load).await;
            let after = db.status();
            let bad = db
                .check_table(&db.table("test", "f").expect("there"), &Interrupt::new())
                .await
                .unwrap();
            assert!(bad.is_empty(), "{bad:#?}");
            db.shutdown().await.unwrap();
            let more = |(a, b): (&(&'static str, u64), &(&'static str, u64))| {
                (a.0, a.1.saturating_sub(b.1))
            };
            after.iter().zip(&before).map(more).collect::<Vec<_>>()
        })
        .unwrap();
    move |name| list.iter().find(|s| s.0 == name).unwrap_or_else(|| panic!("{name}")).1
}

#[test]
fn without_doublewrite_pages_are_posted_and_checkpoints_sync() {
    let of = gained(LARGER);
    let pages = of("Innodb_pages_written");
    assert!(pages > 1000, "{pages} pages");
    // A sync of data files for each checkpoint and not for each batch: tables, undo, system and little else.
    let syncs = of("Innodb_data_fsyncs") - of("Innodb_os_log_fsyncs");
    assert!(
        syncs <= 4 * (of("Weir_checkpoints") + 1),
        "{syncs} syncs, {} checkpoints, {} batches",
        of("Weir_checkpoints"),
        of("Weir_flush_batches")
    );
    assert!(of("Weir_flush_requests") > 0 && of("Weir_flush_requests") <= pages);
}

#[test]
fn the_free_margin_is_written_at_the_end_of_the_list() {
    let of = gained(LARGER);
    let free = of("Weir_flush_user_free_pages");
    assert!(free > 500, "sessions wrote {free} pages for the free margin");
    assert!(of("Weir_flush_rescue_pages") * 20 < free, "{}", of("Weir_flush_rescue_pages"));
}

#[test]
fn adjacent_pages_are_one_request() {
    let one = |policy, doublewrite| {
        // All in memory, and so many dirty that neighbours are, too.
        let load = Load { policy, doublewrite, pool: 4000, rows: 20_000, ..LARGER };
        let of = gained(Load { max_dirty: 40.0, ..load });
        (of("Innodb_pages_written"), of("Weir_flush_requests"))
    };
    for doublewrite in [false, true] {
        let (pages, requests) = one("mysql-5.4", doublewrite);
        assert!(requests > 0 && pages > requests * 5 / 4, "{pages} pages, {requests} requests");
        assert_eq!(one("weir", doublewrite).1, 0, "only published builds make requests themselves");
    }
}

/// Extents and pages read ahead while rows are read that lie in order, or here and there within few pages.
fn ahead(policy: &'static str, in_order: bool, set: &[(&'static str, &str)]) -> [u64; 3] {
    let sim = SimRt::new(9);
    let rt = sim.rt();
    let set: Vec<_> = set.iter().map(|(n, v)| (*n, v.to_string())).collect();
    sim.run(async move {
        let load = Load { policy, ..LARGER };
        let db = open_load(&rt, &load).await;
        let t = fill(&db, load.rows).await;
        for (name, value) in set {
            db.set(name, SettingValue::Str(value)).await.unwrap();
        }
        // The new values are taken with the next step.
        rt.sleep(Duration::from_secs(2)).await;
        let names = [
            "Innodb_buffer_pool_read_ahead_seq",
            "Innodb_buffer_pool_read_ahead_rnd",
            "Innodb_buffer_pool_read_ahead",
        ];
        let counters = |db: &Db| {
            let s = db.status();
            names.map(|n| s.iter().find(|x| x.0 == n).expect("there").1)
        };
        let before = counters(&db);
        let mut rng = Rng::new(1);
        let mut txn = db.begin(TxnOptions::default());
        let mut buf = RowBuf::default();
        for n in 0..6000 {
            let id = match in_order {
                true => n * 4,
                false => n / 150 * 800 + rng.below(400) as i64,
            };
            txn.begin_statement();
            let read = txn.get(&t, 0, &key(id), LockMode::None, OnLocked::Wait, &mut buf).await;
            assert!(read.unwrap(), "row {id}");
        }
        txn.commit(Durability::Write).await.unwrap();
        let after = counters(&db);
        db.shutdown().await.unwrap();
        std::array::from_fn(|i| after[i] - before[i])
    })
    .unwrap()
}

#[test]
fn extents_are_read_ahead() {
    let [linear, _, pages] = ahead("stock-5.0", true, &[]);
    assert!(linear > 5 && pages > linear * 8, "{linear} extents, {pages} pages");
    let [_, random, pages] = ahead("stock-5.0", false, &[]);
    // An extent counts once more for each page that is read there before the others have come.
    assert!(random > 5 && pages > random, "{random} extents, {pages} pages");
    // Only the linear one from the plugin on, with a threshold.
    let [linear, random, _] = ahead("plugin-1.0.4", true, &[]);
    assert!(linear > 0 && random == 0, "{linear} {random}");
    for (policy, option, off) in
        [("xtradb-none", "innodb_read_ahead", "none"), ("weir", "weir_read_ahead", "0")]
    {
        for in_order in [true, false] {
            assert_eq!(ahead(policy, in_order, &[(option, off)]), [0; 3], "{policy}");
        }
    }
    let [linear, random, _] = ahead("xtradb-none", false, &[("innodb_read_ahead", "linear")]);
    assert_eq!(random, 0, "{linear}");
}

/// Inserts rows of its own, and says how many were committed.
async fn client(db: Db, seed: u64, txns: i64) {
    let t = db.table("test", "t").expect("there");
    let mut rng = Rng::new(seed);
    for n in 0..txns {
        let mut txn = db.begin(TxnOptions::default());
        for i in 0..4 {
            let id = (n * 4 + i) * 4 + seed as i64;
            let row = Row { u: Some(id), ..random_row(&mut rng, None) };
            txn.insert(&t, &encode(&t, id, &row)).await.expect("a key of its own");
        }
        txn.commit(Durability::Flush).await.expect("commits");
        db.rt().sleep(Duration::from_millis(1 + rng.below(20))).await;
    }
}

/// One policy after the other, as fast as they come, while the pool is much smaller than the table.
async fn change_policies(db: Db, seed: u64, stop: Arc<AtomicBool>) {
    let mut rng = Rng::new(seed);
    while !stop.load(Ordering::Relaxed) {
        let name = FLUSH_POLICIES[rng.below(FLUSH_POLICIES.len() as u64) as usize];
        db.set("weir_flush_policy", SettingValue::Str(name.into())).await.unwrap();
        db.rt().sleep(Duration::from_millis(1 << rng.below(9))).await;
    }
}

/// Pages of one sector cannot be torn, so a power failure may come without the doublewrite area.
#[test]
fn policies_change_under_a_load_and_a_power_failure_loses_nothing() {
    plant();
    for seed in 0..8 {
        let (txns, frames) = (100, 300);
        let o = || {
            let flush = FlushSettings {
                neighbours: Neighbours::Area,
                write_io_threads: 1 + seed % 4,
                ..FlushSettings::default()
            };
            Options {
                page_size: 512,
                buffer_pool: frames * 512,
                doublewrite: false,
                flush,
                ..options(256 << 10)
            }
        };
        let sim = SimRt::new(seed);
        let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), seed));
        sim.run(async {
            let db = open(&rt, &disk, o()).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            db.create_table(new_table("t")).await.unwrap();
            let stop = Arc::new(AtomicBool::new(false));
            let changes = rt.spawn("changes", change_policies(db.clone(), seed, stop.clone()));
            let clients: Vec<_> =
                (0..4).map(|c| rt.spawn("client", client(db.clone(), c, txns))).collect();
            for c in clients {
                c.await;
            }
            stop.store(true, Ordering::Relaxed);
            changes.await;
        })
        .unwrap();
        let sim = SimRt::new(seed + 100);
        let (rt, disk) = (sim.rt(), disk.crash(sim.rt(), seed));
        sim.run(async {
            let db = open(&rt, &disk, o()).await.unwrap();
            let t = db.table("test", "t").expect("there");
            let mut txn = db.begin(TxnOptions::default());
            let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
            assert_eq!(rows.len() as i64, txns * 4 * 4, "seed {seed}");
            txn.commit(Durability::Flush).await.unwrap();
            let bad = db.check_table(&t, &Interrupt::new()).await.unwrap();
            assert!(bad.is_empty(), "seed {seed}: {bad:#?}");
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}
