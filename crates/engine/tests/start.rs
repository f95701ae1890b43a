//! What a start finds: a log that ended cleanly, files that are missing, of another time or of another directory.
//! Each is recovered, survived with a warning, or refused with the file's name and the way out; nothing is opened wrongly.
use crate::common::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use weir_disk::Disk;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::sim::SimRt;

type Files = Vec<(String, Vec<u8>)>;

async fn fill(db: &Db, from: i64, n: i64) {
    let t = db.table("test", "t").expect("there");
    for id in from..from + n {
        let mut txn = db.begin(TxnOptions::default());
        let row = Row { k: id, u: Some(id), body: vec![b'r'; 200] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
        txn.commit(Durability::Flush).await.unwrap();
    }
}

/// All files of a device, sorted by their paths.
async fn files(disk: &SimDisk) -> Files {
    let mut out = Vec::new();
    for dir in ["", "redo", "tables"] {
        for f in disk.list(dir).await.unwrap() {
            let path = if dir.is_empty() { f } else { format!("{dir}/{f}") };
            let bytes = disk.content(&path).unwrap();
            out.push((path, bytes));
        }
    }
    out
}

async fn restore(all: &Files, to: &SimDisk) {
    use weir_disk::{Mode, OpenOptions};
    for (path, bytes) in all {
        let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
        to.open(path, how).await.unwrap();
        to.set_content(path, bytes.clone());
    }
}

/// The files as a stop leaves them, after each of some lives. Each life adds `n` rows; it is closed or not.
fn lives(seed: u64, of: &[(i64, bool)]) -> Vec<Files> {
    plant();
    let mut sim = SimRt::new(seed);
    let mut disk = SimDisk::new(sim.rt(), seed);
    let mut out = Vec::new();
    let mut next = 0;
    for (n, closed) in of {
        let all = sim
            .run(async {
                let db = open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
                if next == 0 {
                    db.create_schema(schema()).await.unwrap();
                    db.create_table(new_table("t")).await.unwrap();
                }
                fill(&db, next, *n).await;
                if *closed {
                    db.shutdown().await.unwrap();
                }
                files(&disk).await
            })
            .unwrap();
        next += n;
        out.push(all);
        sim.kill_all();
        sim = SimRt::new(seed + next as u64);
        disk = disk.reopen(sim.rt(), seed + 1);
    }
    out
}

/// Opens the files and counts the rows; the error's text otherwise. With what was said meanwhile.
fn opened(all: &Files) -> (std::result::Result<usize, String>, Vec<String>) {
    let sim = SimRt::new(77);
    let disk = SimDisk::new(sim.rt(), 77);
    let said = Arc::new(Mutex::new(Vec::new()));
    let log = said.clone();
    let o = Options {
        log: Arc::new(move |s| log.lock().unwrap().push(s.to_string())),
        fatal: Arc::new(|_| {}),
        ..options(2 << 20)
    };
    let r = sim
        .run(async {
            restore(all, &disk).await;
            let db = open(&sim.rt(), &disk, o).await.map_err(|e| e.to_string())?;
            let t = db.table("test", "t").ok_or("no table")?;
            let mut txn = db.begin(TxnOptions::default());
            let rows = scan(&mut txn, &t, spec(0)).await.map_err(|e| e.to_string())?;
            Ok(rows.len())
        })
        .unwrap();
    let said = said.lock().unwrap().clone();
    (r, said)
}

/// `base` with the files below `prefix` as they are in `other`.
fn with(base: &Files, other: &Files, prefix: &str) -> Files {
    let of = |p: &str| p.starts_with(prefix);
    let keep = base.iter().filter(|f| !of(&f.0));
    keep.chain(other.iter().filter(|f| of(&f.0))).cloned().collect()
}

fn without(base: &Files, prefix: &str) -> Files {
    base.iter().filter(|f| !f.0.starts_with(prefix)).cloned().collect()
}

fn flipped(base: &Files, path: &str, at: usize) -> Files {
    let mut all = base.clone();
    let f = all.iter_mut().find(|f| f.0 == path).expect("a file of that name");
    f.1[at] ^= 4;
    all
}

#[track_caller]
fn refused(all: &Files, words: &[&str]) {
    match opened(all).0 {
        Ok(n) => panic!("opened with {n} rows"),
        Err(e) => assert!(words.iter().all(|w| e.contains(w)), "{e}"),
    }
}

/// Redo and data of one time fit together, and the start after a clean stop reads nothing that is newer: the control file alone
/// knows that there was more. Small logs have never been written behind their end, large ones have older bytes there.
#[test]
fn older_redo_and_data_beside_a_newer_control_file_are_refused() {
    for (seed, before, after) in [(31, 40, 1), (32, 40, 300), (33, 2500, 300), (34, 1, 2500)] {
        for closed in [true, false] {
            let all = lives(seed, &[(before, closed), (after, true)]);
            refused(&with(&all[0], &all[1], "weir.ctl"), &["redo", "weir.ctl", "backup"]);
        }
    }
}

#[test]
fn after_a_clean_stop_nothing_is_searched() {
    let all = lives(1, &[(300, true)]).pop().unwrap();
    let sim = SimRt::new(2);
    let disk = SimDisk::new(sim.rt(), 2);
    let reads = Arc::new(AtomicUsize::new(0));
    let n = reads.clone();
    sim.run(async {
        restore(&all, &disk).await;
        disk.set_fault(Some(Box::new(move |op| {
            if op.kind == "read" && op.path.starts_with("redo/") {
                n.fetch_add(1, Ordering::Relaxed);
            }
            None::<Fault>
        })));
        let segments = disk.list("redo").await.unwrap().len();
        open(&sim.rt(), &disk, options(2 << 20)).await.unwrap();
        // The header of each file; a look whether a later life begins at the end, the block that is written next, a sample that is
        // compared and one that is taken.
        assert!(reads.load(Ordering::Relaxed) <= segments + 4, "{reads:?} reads");
    })
    .unwrap();
}

#[test]
fn what_a_life_after_a_clean_stop_has_committed_is_recovered() {
    let all = lives(3, &[(100, true), (50, false), (25, false)]);
    assert_eq!(opened(&all[0]).0, Ok(100));
    assert_eq!(opened(&all[1]).0, Ok(150));
    assert_eq!(opened(&all[2]).0, Ok(175));
}

#[test]
fn an_older_control_file_beside_newer_redo_is_refused() {
    for closed in [true, false] {
        let all = lives(4, &[(40, closed), (40, false)]);
        refused(&with(&all[1], &all[0], "weir.ctl"), &["'weir.ctl' is older", "later life"]);
    }
    // Within one life an older one only means that more is recovered: see `either_slot`.
}

#[test]
fn an_older_redo_log_beside_newer_data_is_refused() {
    for closed in [true, false] {
        let all = lives(5, &[(40, closed), (300, closed)]);
        let mixed = with(&all[1], &all[0], "redo/");
        match closed {
            // Everything is in the data files, but nothing shows that they are newer than the log.
            true => {
                refused(&mixed, &["redo/", "older than the control file", "remove its files"]);
                assert_eq!(opened(&without(&mixed, "redo/")).0, Ok(340), "the way out");
            }
            false => refused(&mixed, &["redo/", "older than the control file", "backup"]),
        }
        // The control file, too: what proves it are the pages.
        let older = with(&mixed, &all[0], "weir.ctl");
        refused(&older, &["beyond the end of the redo log", "weir.ctl", "backup"]);
    }
}

/// An older log and an older control file fit together, and no page that a start reads need be newer than they are: what has seen more
/// is the flight recorder.
#[test]
fn what_the_flight_recorder_has_seen_is_not_forgotten() {
    let (mut all, mut sim) = (Vec::new(), SimRt::new(1));
    let mut disk = SimDisk::new(sim.rt(), 1);
    for life in 0..2 {
        let o = Options { flight_recorder: true, ..options(2 << 20) };
        let now = sim.run(async {
            let db = open(&sim.rt(), &disk, o).await.unwrap();
            if life == 0 {
                db.create_schema(schema()).await.unwrap();
                db.create_table(new_table("t")).await.unwrap();
            }
            fill(&db, life * 100, 100).await;
            sim.rt().sleep(std::time::Duration::from_secs(15)).await;
            if life == 0 {
                db.shutdown().await.unwrap();
            }
            files(&disk).await
        });
        all.push(now.unwrap());
        sim.kill_all();
        sim = SimRt::new(2);
        disk = disk.reopen(sim.rt(), 2);
    }
    let recorder = "flight-recorder.weir";
    assert_eq!(opened(&all[1]).0, Ok(200));
    // Everything of the first life but the recorder's file.
    let older = with(&all[0], &all[1], recorder);
    refused(&older, &["older than the directory", recorder, "seen it durable", "remove that file"]);
    assert_eq!(opened(&without(&older, recorder)).0, Ok(100), "the way out");
    let mixed = with(&with(&all[1], &all[0], "redo/"), &all[0], "weir.ctl");
    // Here the copies of the last batch prove it, too.
    refused(&mixed, &["older than the d", "weir.ctl"]);
    // Another directory's recorder proves nothing.
    let other = lives(11, &[(40, true)]).pop().unwrap();
    let mut stray = other.clone();
    stray.extend(all[1].iter().filter(|f| f.0 == recorder).cloned());
    assert_eq!(opened(&stray).0, Ok(40));
}

#[test]
fn a_missing_redo_log_is_refused_unless_it_was_empty() {
    let all = lives(6, &[(40, true), (40, false)]);
    assert_eq!(opened(&without(&all[0], "redo/")).0, Ok(40));
    refused(&without(&all[1], "redo/"), &["folder 'redo'", "missing", "innodb_force_recovery=6"]);
    let redo: Vec<&str> =
        all[1].iter().map(|f| f.0.as_str()).filter(|f| f.starts_with("redo/")).collect();
    refused(&without(&all[1], redo[1]), &[redo[1], "is missing"]);
}

#[test]
fn either_slot_of_the_control_file_is_enough() {
    for of in [[(60, true)], [(60, false)]] {
        let all = lives(7, &of).pop().unwrap();
        for at in [50, 4096 + 50] {
            let (r, said) = opened(&flipped(&all, "weir.ctl", at));
            assert_eq!(r, Ok(60));
            let warned = said.iter().any(|s| s.starts_with("warning") && s.contains("'weir.ctl'"));
            assert!(warned, "{said:?}");
        }
        let both = flipped(&flipped(&all, "weir.ctl", 50), "weir.ctl", 4096 + 50);
        refused(&both, &["weir.ctl", "neither of its two slots", "backup"]);
    }
}

#[test]
fn either_slot_finds_its_log_when_segments_are_reused() {
    // A log of a few segments that goes round several times.
    let all = lives(8, &[(2500, false)]).pop().unwrap();
    for at in [50, 4096 + 50] {
        assert_eq!(opened(&flipped(&all, "weir.ctl", at)).0, Ok(2500));
    }
}

#[test]
fn files_of_another_directory_are_refused() {
    let ours = lives(9, &[(40, true)]).pop().unwrap();
    let theirs = lives(10, &[(40, true)]).pop().unwrap();
    refused(&with(&ours, &theirs, "redo/"), &["redo/", "another data directory"]);
    for file in ["system.weir", "undo.weir"] {
        refused(&with(&ours, &theirs, file), &[file, "another data directory"]);
    }
    for file in ["system.weir", "undo.weir"] {
        refused(&without(&ours, file), &[file, "missing"]);
    }
}
