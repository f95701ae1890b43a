//! One client, every operation, against a map; then close, open, and look again.
use crate::common::*;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Rng;
use weir_rt::sim::SimRt;

async fn check(db: &Db, rows: &Rows, what: &str) {
    let t = db.table("test", "t").expect("there");
    let mut txn = db.begin(TxnOptions::default());
    for i in 0..t.def.indexes.len() {
        for reverse in [false, true] {
            let mut got = scan(&mut txn, &t, ScanSpec { reverse, ..spec(i) }).await.unwrap();
            got.sort_by_key(|r| r.0);
            let want: Vec<_> = rows.iter().map(|(k, v)| (*k, v.clone())).collect();
            assert_eq!(got.len(), want.len(), "{what}: index {i} reverse {reverse}");
            assert!(got == want, "{what}: index {i} reverse {reverse}");
        }
    }
    txn.commit(Durability::Flush).await.unwrap();
    let bad = db.check_table(&t, &weir_rt::Interrupt::new()).await.unwrap();
    assert!(bad.is_empty(), "{what}: {bad:#?}");
}

async fn work(db: &Db, rows: &mut Rows, rng: &mut Rng, txns: usize) {
    let t = db.table("test", "t").expect("there");
    let mut buf = RowBuf::default();
    for n in 0..txns {
        let mut txn = db.begin(TxnOptions::default());
        let mut now = rows.clone();
        for _ in 0..rng.below(12) {
            let id = rng.below(400) as i64;
            let unique = rng.chance(0.5).then_some(id * 7);
            let save = txn.begin_statement();
            let before = now.clone();
            if rng.chance(0.2) {
                let found = txn
                    .get(&t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf)
                    .await
                    .unwrap();
                assert_eq!(found, now.contains_key(&id));
                if found {
                    txn.delete(&t, &buf.key, &buf.row).await.unwrap();
                    now.remove(&id);
                }
            } else {
                let row = random_row(rng, unique);
                match txn.insert(&t, &encode(&t, id, &row)).await {
                    Ok(()) => {
                        assert!(now.insert(id, row).is_none(), "the engine missed a duplicate");
                    }
                    Err(Error::DuplicateKey { .. }) => {
                        assert!(now.contains_key(&id));
                        txn.rollback_to(save).await.unwrap();
                        let found = txn
                            .get(&t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf)
                            .await
                            .unwrap();
                        assert!(found);
                        assert_eq!(decode(&t, &buf.row), (id, now[&id].clone()));
                        txn.update(&t, &buf.key, &buf.row, &encode(&t, id, &row)).await.unwrap();
                        now.insert(id, row);
                    }
                    Err(e) => panic!("{e}"),
                }
            }
            if rng.chance(0.1) {
                txn.rollback_to(save).await.unwrap();
                now = before;
            }
        }
        if rng.chance(0.2) {
            txn.rollback().await.unwrap();
        } else {
            txn.commit(Durability::Flush).await.unwrap();
            *rows = now;
        }
        if n % 20 == 0 {
            check(db, rows, &format!("txn {n}")).await;
        }
    }
}

#[test]
fn one_client_against_a_map() {
    for seed in 0..6u64 {
        let sim = SimRt::new(seed);
        let rt = sim.rt();
        let disk = SimDisk::new(rt.clone(), seed);
        let mut rng = Rng::new(seed);
        let mut rows = Rows::new();
        for life in 0..3 {
            sim.run(async {
                let db = open(&rt, &disk, options(2 << 20)).await.unwrap();
                if life == 0 {
                    db.create_schema(schema()).await.unwrap();
                    db.create_table(new_table("t")).await.unwrap();
                }
                check(&db, &rows, "start").await;
                work(&db, &mut rows, &mut rng, 120).await;
                check(&db, &rows, "end").await;
                db.shutdown().await.unwrap();
            })
            .unwrap_or_else(|s| panic!("seed {seed}: {s:?}"));
        }
    }
}

/// Long columns of versions that an open view still wants belong to the history, not to nobody.
#[test]
fn checking_finds_the_long_columns_of_older_versions() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    sim.run(async {
        let db = open(&rt, &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        let t = db.table("test", "t").expect("there");
        let long = |byte| Row { k: 1, u: None, body: vec![byte; 60_000] };
        let mut rows = Rows::new();
        let mut txn = db.begin(TxnOptions::default());
        txn.insert(&t, &encode(&t, 1, &long(1))).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
        let mut reader = db.begin(TxnOptions::default());
        reader.open_snapshot();
        for byte in 2..5 {
            let mut buf = RowBuf::default();
            let mut txn = db.begin(TxnOptions::default());
            txn.get(&t, 0, &key(1), LockMode::Exclusive, OnLocked::Wait, &mut buf).await.unwrap();
            txn.update(&t, &buf.key, &buf.row, &encode(&t, 1, &long(byte))).await.unwrap();
            txn.commit(Durability::Flush).await.unwrap();
            rows.insert(1, long(byte));
        }
        check(&db, &rows, "with a view on the first version").await;
        reader.commit(Durability::Flush).await.unwrap();
        rt.sleep(std::time::Duration::from_secs(2)).await;
        assert_eq!(db.inner().purge.history_length(), 0, "purge has caught up");
        check(&db, &rows, "after purge").await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// A marked row that another transaction had made its own, and gave back after purge had passed by, goes as well.
#[test]
fn a_deleted_row_that_a_rollback_gives_back_goes() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 1);
    sim.run(async {
        let db = open(&rt, &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
        let t = db.table("test", "t").expect("there");
        let row = |byte, len| Row { k: 1, u: Some(1), body: vec![byte; len] };
        let mut removed = 0;
        for to_savepoint in [false, true] {
            let mut txn = db.begin(TxnOptions::default());
            txn.insert(&t, &encode(&t, 1, &row(1, 30_000))).await.unwrap();
            txn.commit(Durability::Flush).await.unwrap();
            let mut reader = db.begin(TxnOptions::default());
            reader.open_snapshot();
            let mut buf = RowBuf::default();
            let mut txn = db.begin(TxnOptions::default());
            txn.get(&t, 0, &key(1), LockMode::Exclusive, OnLocked::Wait, &mut buf).await.unwrap();
            txn.delete(&t, &buf.key, &buf.row).await.unwrap();
            txn.commit(Durability::Flush).await.unwrap();
            let mut txn = db.begin(TxnOptions::default());
            let save = txn.begin_statement();
            txn.insert(&t, &encode(&t, 1, &row(2, 100))).await.unwrap();
            reader.commit(Durability::Flush).await.unwrap();
            rt.sleep(std::time::Duration::from_secs(2)).await;
            assert_eq!(db.inner().purge.history_length(), 0, "purge has passed by");
            if to_savepoint {
                txn.rollback_to(save).await.unwrap();
                txn.insert(&t, &encode(&t, 1, &row(3, 50_000))).await.unwrap();
                txn.rollback_to(save).await.unwrap();
                txn.commit(Durability::Flush).await.unwrap();
            } else {
                txn.rollback().await.unwrap();
            }
            rt.sleep(std::time::Duration::from_secs(2)).await;
            removed += 1;
            let gone =
                db.inner().purge.stats.rows_removed.load(std::sync::atomic::Ordering::Relaxed);
            assert_eq!(gone, removed, "the marked row");
            check(&db, &Rows::new(), "after the rollback").await;
        }
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// What a run has recorded is shown by the next one, with the number of its run.
#[test]
fn the_flight_recorder_survives_a_crash() {
    let seed = 3;
    let (sim, options) = (SimRt::new(seed), || Options {
        page_size: 4096,
        buffer_pool: 100 * 4096,
        redo_capacity: 1 << 20,
        flight_recorder: true,
        ..Options::default()
    });
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), seed);
    let device = disk.clone();
    sim.run(async move {
        let db = Db::open(&rt, std::sync::Arc::new(device), options()).await.unwrap();
        rt.sleep(std::time::Duration::from_millis(25_500)).await;
        let rows = db.flush_history();
        assert_eq!(rows.len(), 25);
        assert!(rows.iter().all(|r| (r.run, r.seconds) == (1, 1)));
        // No stop: the crash.
    })
    .unwrap();
    let sim = SimRt::new(seed + 1);
    let rt = sim.rt();
    let disk = disk.crash(rt.clone(), seed);
    sim.run(async move {
        let db = Db::open(&rt, std::sync::Arc::new(disk), options()).await.unwrap();
        rt.sleep(std::time::Duration::from_millis(5_500)).await;
        let of = |run| db.flush_history().iter().filter(|r| r.run == run).count();
        // Up to the last sync, and perhaps more.
        assert!((20..=25).contains(&of(1)), "{} rows of the first run", of(1));
        assert_eq!(of(2), 5);
        db.set("weir_flight_recorder", SettingValue::Int(0)).await.unwrap();
        rt.sleep(std::time::Duration::from_secs(3)).await;
        assert_eq!(of(2), 8, "the history goes on without the file");
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
