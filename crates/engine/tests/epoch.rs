//! A group of the log that was written before a crash, and stands by chance exactly where the log ends after it, is not
//! read. No simulation gets there: the rest of a block is written as zeros with the log's end, so that the end would have to
//! meet both a block's border and one of an older group.
//!
//!     cargo test -p weir-engine --features planted --test epoch     # and what happens without epochs
mod common;

use common::*;
use std::sync::{Arc, Mutex};
use weir_disk::sim::SimDisk;
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

/// Puts a group of the first life behind the end of the second, and looks how far the third reads.
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

#[test]
fn a_group_of_an_earlier_life_ends_the_log() {
    stale_group_behind_the_end();
    #[cfg(feature = "planted")]
    {
        planted::plant(planted::by_name("epoch-not-checked"));
        let found = std::panic::catch_unwind(stale_group_behind_the_end).is_err();
        planted::plant(None);
        assert!(found, "without epochs the stale group is read");
    }
}
