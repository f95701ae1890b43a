//! A forgotten snapshot: the history behind it is long, and takes undo pages and no memory.
use crate::common::*;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::Interrupt;
use weir_rt::sim::SimRt;

const LISTED: usize = 50;
const ROWS: i64 = 60;
/// Transactions that are open at the same time.
const WRITERS: usize = 4;

fn listing(listed: usize) -> Options {
    Options {
        undo: UndoLimits { listed, ..UndoLimits::default() },
        buffer_pool: 400 * 4096,
        ..options(8 << 20)
    }
}

/// It has no table locked, so tables can be checked.
fn snapshot(db: &Db) -> Txn {
    let mut txn = db.begin(TxnOptions::default());
    txn.open_snapshot();
    txn
}

async fn update(txn: &mut Txn, t: &Arc<Table>, id: i64, new: &Row) {
    let mut found = RowBuf::default();
    let x = LockMode::Exclusive;
    assert!(txn.get(t, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap());
    txn.update(t, &key(id), &found.row, &encode(t, id, new)).await.unwrap();
}

async fn filled(db: &Db) -> Arc<Table> {
    db.create_schema(schema()).await.unwrap();
    let t = db.create_table(new_table("t")).await.unwrap();
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..ROWS {
        let row = Row { k: 0, u: Some(id), body: vec![0; 20] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Lazy).await.unwrap();
    t
}

/// So many rounds of transactions that overlap: each changes a row of its own, some of them much, and the oldest of them commits last or first.
async fn commits(db: &Db, t: &Arc<Table>, rounds: usize) {
    for round in 0..rounds {
        let mut open = Vec::new();
        for w in 0..WRITERS {
            let mut txn = db.begin(TxnOptions::default());
            let changes = if round % 50 == w { 40 } else { 1 };
            for c in 0..changes {
                let id = (round * WRITERS + w) as i64 % ROWS;
                let new = Row { k: (round + c) as i64, u: Some(id), body: vec![c as u8; 200 * c] };
                update(&mut txn, t, id, &new).await;
            }
            open.push(txn);
        }
        if round % 2 == 0 {
            open.reverse();
        }
        for (n, txn) in open.into_iter().enumerate() {
            match (round + n) % 9 {
                0 => txn.rollback().await.unwrap(),
                _ => txn.commit(Durability::Lazy).await.unwrap(),
            }
        }
    }
}

async fn until_purged(db: &Db, rt: &weir_rt::Rt) {
    for _ in 0..600 {
        if db.inner().purge.history_length() == 0 {
            return;
        }
        rt.sleep(Duration::from_millis(500)).await;
    }
    panic!("{} transactions are still in the history", db.inner().purge.history_length());
}

async fn sound(db: &Db, t: &Arc<Table>) {
    assert_eq!(db.check_table(t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
}

/// Nothing is left of the history, in memory or in the undo space.
async fn nothing_is_left(db: &Db, rt: &weir_rt::Rt, t: &Arc<Table>) {
    until_purged(db, rt).await;
    let purge = &db.inner().purge;
    assert_eq!((purge.entries(), purge.history_bytes()), (0, 0));
    sound(db, t).await;
    assert_eq!(db.check_spaces().await.unwrap(), Vec::<String>::new());
}

#[test]
fn a_forgotten_snapshot_takes_no_memory_with_the_rate_of_commits() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, listing(LISTED)).await.unwrap();
        let t = filled(&db).await;
        let mut reader = snapshot(&db);
        let before = scan(&mut db.begin(TxnOptions::default()), &t, spec(0)).await.unwrap();
        let purge = &db.inner().purge;
        let (mut last, mut bytes) = (0, 0);
        for _ in 0..4 {
            commits(&db, &t, 300).await;
            assert!(purge.history_length() > last + 1000, "{}", purge.history_length());
            assert!(purge.history_bytes() > bytes + 100_000, "{}", purge.history_bytes());
            (last, bytes) = (purge.history_length(), purge.history_bytes());
            // The list is full, and a slot may be of any of those who write at the same time.
            let slots = db.inner().undo_slots.count();
            assert!(purge.entries() <= LISTED + slots && slots <= 2 * WRITERS);
            sound(&db, &t).await;
        }
        // A younger snapshot keeps what came before it and since the older one no longer.
        let mut younger = snapshot(&db);
        let then = scan(&mut db.begin(TxnOptions::default()), &t, spec(0)).await.unwrap();
        commits(&db, &t, 100).await;
        assert_eq!(scan(&mut reader, &t, spec(0)).await.unwrap(), before);
        reader.rollback().await.unwrap();
        sim.rt().sleep(Duration::from_secs(20)).await;
        assert!(purge.history_length() <= 100 * WRITERS, "{}", purge.history_length());
        assert!(purge.entries() <= LISTED + 2 * WRITERS * 64, "{}", purge.entries());
        sound(&db, &t).await;
        assert_eq!(scan(&mut younger, &t, spec(0)).await.unwrap(), then);
        younger.rollback().await.unwrap();
        nothing_is_left(&db, &sim.rt(), &t).await;
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// A start finds more than it lists, and purges it as well.
#[test]
fn a_long_history_is_purged_after_a_crash() {
    for listed in [1, 7, LISTED] {
        let sim = SimRt::new(1);
        let disk = SimDisk::new(sim.rt(), 1);
        let left = sim
            .run(async {
                let db = open(&sim.rt(), &disk, listing(listed)).await.unwrap();
                let t = filled(&db).await;
                let mut reader = db.begin(TxnOptions::default());
                scan(&mut reader, &t, spec(0)).await.unwrap();
                commits(&db, &t, 150).await;
                // One that has not ended is in the way of none.
                let mut open = db.begin(TxnOptions::default());
                update(&mut open, &t, 1, &Row { k: 9, u: Some(1), body: vec![9; 3000] }).await;
                commits(&db, &t, 0).await;
                db.inner().core.log.flush_all(weir_engine::log::Reach::Durable).await.unwrap();
                std::mem::forget((reader, open));
                db.inner().purge.history_length()
            })
            .unwrap();
        sim.kill_all();
        let sim = SimRt::new(2);
        let disk = disk.reopen(sim.rt(), 2);
        sim.run(async {
            let options = Options { background: false, ..listing(listed) };
            let db = open(&sim.rt(), &disk, options).await.unwrap();
            let purge = &db.inner().purge;
            assert!(purge.history_length() + 5 >= left && left > 500, "{left}");
            assert!(purge.entries() <= listed + 2 * WRITERS, "{}", purge.entries());
            let t = db.table("test", "t").unwrap();
            db.shutdown().await.unwrap();
            drop(t);
        })
        .unwrap();
        sim.kill_all();
        let sim = SimRt::new(3);
        let disk = disk.reopen(sim.rt(), 3);
        sim.run(async {
            let db = open(&sim.rt(), &disk, listing(listed)).await.unwrap();
            let t = db.table("test", "t").unwrap();
            commits(&db, &t, 20).await;
            nothing_is_left(&db, &sim.rt(), &t).await;
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}

/// While others are not listed, the rollback of an insert over a deleted row removes the row if purge has passed the deletion.
#[test]
fn a_deleted_row_that_purge_has_passed_goes_although_others_are_not_listed() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    sim.run(async {
        let db = open(&sim.rt(), &disk, listing(1)).await.unwrap();
        let t = filled(&db).await;
        let removed =
            || db.inner().purge.stats.rows_removed.load(std::sync::atomic::Ordering::Relaxed);
        for (n, id) in [3, 5, 8].into_iter().enumerate() {
            let mut reader = db.begin(TxnOptions::default());
            scan(&mut reader, &t, spec(0)).await.unwrap();
            let mut txn = db.begin(TxnOptions::default());
            let mut buf = RowBuf::default();
            let x = LockMode::Exclusive;
            assert!(txn.get(&t, 0, &key(id), x, OnLocked::Wait, &mut buf).await.unwrap());
            txn.delete(&t, &key(id), &buf.row).await.unwrap();
            txn.commit(Durability::Lazy).await.unwrap();
            let mut over = db.begin(TxnOptions::default());
            let row = Row { k: 1, u: Some(id), body: vec![1; 20] };
            over.insert(&t, &encode(&t, id, &row)).await.unwrap();
            let mut younger = db.begin(TxnOptions::default());
            scan(&mut younger, &t, spec(0)).await.unwrap();
            // Purge passes the deletion, and not what comes now.
            reader.rollback().await.unwrap();
            for other in 20..30 {
                let mut txn = db.begin(TxnOptions::default());
                update(&mut txn, &t, other, &Row { k: 5, u: Some(other), body: vec![] }).await;
                txn.commit(Durability::Lazy).await.unwrap();
            }
            sim.rt().sleep(Duration::from_secs(2)).await;
            assert_eq!(db.inner().purge.history_length(), 10);
            over.rollback().await.unwrap();
            assert_eq!(removed(), n as u64 + 1);
            younger.rollback().await.unwrap();
            nothing_is_left(&db, &sim.rt(), &t).await;
        }
        db.shutdown().await.unwrap();
    })
    .unwrap();
}
