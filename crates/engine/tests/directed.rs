//! What the simulator does not meet, made by hand. Each check passes, and fails with the planted bug that it is there for:
//!
//!     cargo test -p weir-engine --features planted --test engine directed::
use crate::common::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::log::{FRAME, SEGMENT_HEADER, frame_header, frame_len};
use weir_engine::*;
use weir_rt::sim::SimRt;

/// Inserts a row and ends as by `kill -9`; returns where the log ends.
async fn insert(sim: &SimRt, disk: &SimDisk, id: i64) -> u64 {
    let db = open(&sim.rt(), disk, options(2 << 20)).await.unwrap();
    if db.schema("test").is_none() {
        db.create_schema(schema()).await.unwrap();
        db.create_table(new_table("t")).await.unwrap();
    }
    let t = db.table("test", "t").unwrap();
    let mut txn = db.begin(TxnOptions::default());
    let row = Row { k: id, u: Some(id), body: vec![b'r'; 200] };
    txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
    txn.commit(Durability::Flush).await.unwrap();
    let log = &db.inner().core.log;
    log.flush_all(weir_engine::log::Reach::Durable).await.unwrap();
    log.durable()
}

/// The segment with an LSN, and where in it.
fn place(disk: &SimDisk, lsn: u64) -> (String, usize) {
    let starts = disk.paths().into_iter().filter_map(|p| {
        let hex = p.strip_prefix("redo/")?.strip_suffix(".log")?;
        Some((u64::from_str_radix(hex, 16).unwrap(), p.clone()))
    });
    let (start, path) = starts.filter(|(s, _)| *s <= lsn).max().unwrap();
    (path, (SEGMENT_HEADER + lsn - start) as usize)
}

/// Puts a group of the first life behind the end of the second, and looks how far the third reads. No simulation gets there:
/// the rest of a block is written as zeros with the log's end, so that the end would have to meet both a block's border and
/// one of an older group.
fn stale_group_behind_the_end() {
    let sim = SimRt::new(1);
    let disk = SimDisk::new(sim.rt(), 1);
    let first = sim.run(insert(&sim, &disk, 1)).unwrap();
    sim.kill_all();
    let (sim, from) = (SimRt::new(2), first);
    let disk = disk.reopen(sim.rt(), 2);
    let end = sim.run(insert(&sim, &disk, 2)).unwrap();
    sim.kill_all();
    // The group that began the second life, as the first one would have framed it.
    let (path, at) = place(&disk, from);
    let bytes = disk.content(&path).unwrap();
    let len = frame_len(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())).unwrap();
    let payload = bytes[at + FRAME..at + len].to_vec();
    let (path, at) = place(&disk, end);
    let mut bytes = disk.content(&path).unwrap();
    assert!(bytes[at..at + len].iter().all(|b| *b == 0), "the log ends here");
    bytes[at..at + FRAME].copy_from_slice(&frame_header(1, end, &payload));
    bytes[at + FRAME..at + len].copy_from_slice(&payload);
    disk.set_content(&path, bytes);

    let sim = SimRt::new(3);
    let disk = disk.reopen(sim.rt(), 3);
    let said = Arc::new(Mutex::new(String::new()));
    let hear = said.clone();
    let log = Arc::new(move |m: &str| hear.lock().unwrap().push_str(m));
    sim.run(async {
        let db = open(&sim.rt(), &disk, Options { log, ..options(2 << 20) }).await.unwrap();
        let said = said.lock().unwrap().clone();
        assert!(said.contains(&format!(" to {end} (")), "it read further than {end}: {said}");
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// A reader commits what it saw of a transaction whose commit waits for its undo page, and the power fails: both or none.
/// Commits hardly ever wait for that page, because their transactions have just written it.
fn what_was_seen_is_logged() {
    let sim = SimRt::new(4);
    let disk = SimDisk::new(sim.rt(), 4);
    let slow = Arc::new(AtomicBool::new(false));
    let is_slow = slow.clone();
    disk.set_fault(Some(Box::new(move |op| {
        let here = op.kind == "read" && op.path == "undo.weir" && is_slow.load(Ordering::Relaxed);
        here.then_some(Fault::Slow(Duration::from_secs(5)))
    })));
    let row = |id| Row { k: id, u: None, body: vec![b'r'; 200] };
    let saw = sim
        .run(async {
            let db = open(&sim.rt(), &disk, options(4 << 20)).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            let t = db.create_table(new_table("t")).await.unwrap();
            let mut txn = db.begin(TxnOptions::default());
            for id in 10..3000 {
                txn.insert(&t, &encode(&t, id, &row(id))).await.unwrap();
            }
            txn.commit(Durability::Flush).await.unwrap();
            let mut first = db.begin(TxnOptions::default());
            first.insert(&t, &encode(&t, 1, &row(1))).await.unwrap();
            // Its undo page leaves the pool.
            let mut found = RowBuf::default();
            for id in 10..3000 {
                let mut txn = db.begin(TxnOptions::default());
                txn.get(&t, 0, &key(id), LockMode::None, OnLocked::Wait, &mut found).await.unwrap();
                txn.rollback().await.unwrap();
            }
            let isolation = Isolation::ReadCommitted;
            let mut second = db.begin(TxnOptions { isolation, ..TxnOptions::default() });
            second.insert(&t, &encode(&t, 2, &row(2))).await.unwrap();
            slow.store(true, Ordering::Relaxed);
            sim.rt().spawn("first", async move {
                let _ = first.commit(Durability::Flush).await;
            });
            sim.rt().sleep(Duration::from_millis(100)).await;
            second.begin_statement();
            let none = LockMode::None;
            let saw = second.get(&t, 0, &key(1), none, OnLocked::Wait, &mut found).await.unwrap();
            second.commit(Durability::Flush).await.unwrap();
            saw
        })
        .unwrap();
    sim.kill_all();
    let after = SimRt::new(5);
    let disk = disk.crash(after.rt(), 5);
    let there = after
        .run(async {
            let db = open(&after.rt(), &disk, options(4 << 20)).await.unwrap();
            let t = db.table("test", "t").unwrap();
            let mut txn = db.begin(TxnOptions::default());
            let (mut found, none) = (RowBuf::default(), LockMode::None);
            assert!(txn.get(&t, 0, &key(2), none, OnLocked::Wait, &mut found).await.unwrap());
            txn.get(&t, 0, &key(1), none, OnLocked::Wait, &mut found).await.unwrap()
        })
        .unwrap();
    assert!(!saw || there, "a transaction's change was seen and is lost");
    assert!(!saw, "the undo page was in memory: nothing was tested");
}

/// A snapshot that is older than an index does not read by it: the index has no entries of rows that were deleted before.
fn an_old_snapshot_and_a_new_index() {
    let sim = SimRt::new(6);
    let disk = SimDisk::new(sim.rt(), 6);
    sim.run(async {
        let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        for id in 0..5 {
            let row = Row { k: id, u: Some(id), body: vec![b'r'; 20] };
            txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        }
        txn.commit(Durability::Lazy).await.unwrap();
        let mut old = db.begin(TxnOptions::default());
        old.open_snapshot();
        let (mut txn, mut found) = (db.begin(TxnOptions::default()), RowBuf::default());
        let exclusive = LockMode::Exclusive;
        assert!(txn.get(&t, 0, &key(2), exclusive, OnLocked::Wait, &mut found).await.unwrap());
        txn.delete(&t, &key(2), &found.row).await.unwrap();
        txn.commit(Durability::Lazy).await.unwrap();
        let def = IndexDef {
            name: "new".into(),
            unique: false,
            parts: vec![weir_engine::row::KeyPart::asc(1), weir_engine::row::KeyPart::asc(2)],
        };
        let t = db.add_indexes(&t, &[def], Vec::new(), &ddl()).await.unwrap();
        let new = t.indexes.len() - 1;
        match scan(&mut old, &t, spec(new)).await {
            Err(Error::SnapshotTooOld { .. }) => {}
            Ok(rows) => assert_eq!(rows.len(), 5, "the snapshot had five rows"),
            Err(e) => panic!("{e}"),
        }
        old.rollback().await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// One after the other: a planted bug is there for the whole process.
#[test]
fn by_hand() {
    let checks: [(&str, fn()); 3] = [
        ("epoch-not-checked", stale_group_behind_the_end),
        ("visible-before-logged", what_was_seen_is_logged),
        ("new-index-for-old-views", an_old_snapshot_and_a_new_index),
    ];
    for (bug, check) in checks {
        check();
        #[cfg(feature = "planted")]
        {
            planted::plant(Some(planted::by_name(bug).expect("a planted bug")));
            let found = std::panic::catch_unwind(check).is_err();
            planted::plant(None);
            assert!(found, "{bug} was not found");
        }
        #[cfg(not(feature = "planted"))]
        let _ = bug;
    }
}
