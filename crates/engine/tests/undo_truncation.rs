//! The undo space gives room back when purge has done its work; crashes at every point of that.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

const ROWS: i64 = 400;
const MAX: u64 = 32 * 4096;

fn options() -> Options {
    let undo = UndoLimits { truncate: true, max_bytes: MAX, rounds: 1, listed: 4 };
    Options { undo, ..crate::common::options(1 << 20) }
}

fn undo_bytes(disk: &SimDisk) -> u64 {
    disk.content("undo.weir").unwrap().len() as u64
}

async fn update(txn: &mut Txn, t: &Arc<Table>, ids: std::ops::Range<i64>, k: i64) {
    let mut found = RowBuf::default();
    for id in ids {
        let x = LockMode::Exclusive;
        assert!(txn.get(t, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap());
        let row = Row { k, u: Some(id), body: vec![k as u8; 300] };
        txn.update(t, &key(id), &found.row, &encode(t, id, &row)).await.unwrap();
    }
}

/// Many transactions at once, each with many pages of undo; all commit.
async fn much_undo(db: &Db, t: &Arc<Table>, k: i64) {
    let mut open = Vec::new();
    for part in 0..8 {
        let mut txn = db.begin(TxnOptions::default());
        update(&mut txn, t, part * ROWS / 8..(part + 1) * ROWS / 8, k).await;
        open.push(txn);
    }
    for txn in open {
        txn.commit(Durability::Flush).await.unwrap();
    }
}

async fn filled(db: &Db) -> Arc<Table> {
    db.create_schema(schema()).await.unwrap();
    let t = db.create_table(new_table("t")).await.unwrap();
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..ROWS {
        let row = Row { k: 0, u: Some(id), body: vec![0; 300] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Flush).await.unwrap();
    t
}

async fn sound(db: &Db, t: &Arc<Table>) {
    assert_eq!(db.check_table(t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
    assert_eq!(db.check_spaces().await.unwrap(), Vec::<String>::new());
}

fn status(db: &Db, name: &str) -> u64 {
    db.status().iter().find(|s| s.0 == name).expect("there").1
}

#[test]
fn it_shrinks_when_purge_is_done_and_no_view_needs_it() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options()).await.unwrap();
        let t = filled(&db).await;
        for round in 0..3 {
            // An old view keeps all of it.
            let mut reader = db.begin(TxnOptions::default());
            let before = scan(&mut reader, &t, spec(0)).await.unwrap();
            let done = status(&db, "Weir_undo_truncations");
            for k in 1..4 {
                much_undo(&db, &t, round * 3 + k).await;
            }
            sim.rt().sleep(Duration::from_secs(20)).await;
            assert!(undo_bytes(&disk) > 2 * MAX, "{}", undo_bytes(&disk));
            assert_eq!(scan(&mut reader, &t, spec(0)).await.unwrap(), before);
            reader.rollback().await.unwrap();
            sim.rt().sleep(Duration::from_secs(60)).await;
            assert!(undo_bytes(&disk) <= MAX, "{} in round {round}", undo_bytes(&disk));
            assert_eq!(status(&db, "Weir_undo_pages") * 4096, undo_bytes(&disk));
            assert!(status(&db, "Weir_undo_truncations") > done);
            sound(&db, &t).await;
        }
        // Switched off, it stays as it is.
        db.set("innodb_undo_log_truncate", SettingValue::Int(0)).await.unwrap();
        much_undo(&db, &t, 77).await;
        much_undo(&db, &t, 78).await;
        let large = undo_bytes(&disk);
        sim.rt().sleep(Duration::from_secs(60)).await;
        assert!(large > MAX && undo_bytes(&disk) >= large);
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// Pages of undo that purge has passed are used again, whether their transactions committed or not: the space is as large as
/// what was in use at once.
#[test]
fn undo_that_nobody_needs_is_used_again() {
    let sim = SimRt::new(3);
    let disk = SimDisk::new(sim.rt(), 3);
    sim.run(async {
        let undo = UndoLimits { truncate: false, ..options().undo };
        let db = open(&sim.rt(), &disk, Options { undo, ..options() }).await.unwrap();
        let t = filled(&db).await;
        let mut first = 0;
        for round in 0..12 {
            much_undo(&db, &t, round).await;
            let mut txn = db.begin(TxnOptions::default());
            update(&mut txn, &t, 0..ROWS, 100).await;
            txn.rollback().await.unwrap();
            sim.rt().sleep(Duration::from_secs(5)).await;
            if round == 2 {
                first = undo_bytes(&disk);
            }
        }
        assert!(
            undo_bytes(&disk) <= first,
            "{} after the third round, {}",
            first,
            undo_bytes(&disk)
        );
        sound(&db, &t).await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

async fn until_frozen(disk: &SimDisk, f: impl Future<Output = ()>) -> bool {
    let (mut f, mut frozen) = (std::pin::pin!(f), std::pin::pin!(disk.frozen()));
    std::future::poll_fn(|cx| {
        if f.as_mut().poll(cx).is_ready() {
            return std::task::Poll::Ready(true);
        }
        frozen.as_mut().poll(cx).map(|()| false)
    })
    .await
}

/// The device stops after each few operations of a life that truncates, grows and truncates again.
#[test]
fn a_crash_at_any_point_loses_nothing() {
    plant();
    let base = {
        let sim = SimRt::new(1);
        let disk = SimDisk::new(sim.rt(), 1);
        sim.run(async {
            let db = open(&sim.rt(), &disk, options()).await.unwrap();
            filled(&db).await;
            db.shutdown().await.unwrap();
        })
        .unwrap();
        sim.kill_all();
        disk.reopen(SimRt::new(2).rt(), 2)
    };
    let mut after = 5;
    loop {
        let sim = SimRt::new(after);
        let disk = base.copy(sim.rt(), after);
        disk.crash_at(disk.io_count() + after);
        let ended = sim
            .run(until_frozen(&disk, async {
                let db = open(&sim.rt(), &disk, options()).await.unwrap();
                let t = db.table("test", "t").unwrap();
                for k in 1..3 {
                    much_undo(&db, &t, 2 * k).await;
                    let mut open = db.begin(TxnOptions::default());
                    update(&mut open, &t, 0..40, 2 * k + 1).await;
                    sim.rt().sleep(Duration::from_secs(3)).await;
                    // Cut and grown again before the checkpoint has passed.
                    update(&mut open, &t, 40..200, 2 * k + 1).await;
                    sim.rt().sleep(Duration::from_secs(20)).await;
                    open.rollback().await.unwrap();
                    sim.rt().sleep(Duration::from_secs(20)).await;
                }
            }))
            .unwrap();
        sim.kill_all();
        let sim = SimRt::new(after);
        let disk = match after % 2 {
            0 => disk.crash(sim.rt(), after),
            _ => disk.reopen(sim.rt(), after),
        };
        sim.run(async {
            let db = open(&sim.rt(), &disk, options()).await.unwrap();
            let t = db.table("test", "t").unwrap();
            let rows = scan(&mut db.begin(TxnOptions::default()), &t, spec(0)).await.unwrap();
            assert_eq!(rows.len() as i64, ROWS);
            assert!(rows.iter().all(|(_, r)| r.k % 2 == 0), "after {after}: half a rollback");
            sound(&db, &t).await;
            much_undo(&db, &t, 50).await;
            sim.rt().sleep(Duration::from_secs(60)).await;
            assert!(undo_bytes(&disk) <= MAX, "after {after}: {}", undo_bytes(&disk));
            sound(&db, &t).await;
        })
        .unwrap();
        if ended {
            break;
        }
        after += 7;
    }
}
