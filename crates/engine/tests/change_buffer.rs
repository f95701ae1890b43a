//! The change buffer makes no difference that anybody can see: the same changes without it, with it, and with a sweep that never rests give
//! equal rows by every index, in both directions, with locks and without, over power failures and definition statements.
use crate::common::*;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng, Rt};

const LIVES: u64 = 4;
const STEPS: u64 = 250;

/// How the change buffer is set: not at all, with some leaves, and with so few that the sweep is always at work, on entries as large as InnoDB's.
fn buffering(how: u64) -> ChangeBufferLimits {
    ChangeBufferLimits {
        on: how > 0,
        worth: 1,
        aim_percent: if how == 1 { 75 } else { 0 },
        large_entries: how == 2,
        look: Duration::from_millis(10),
    }
}

/// The builds put an entry past the buffer when its leaf is in memory, where all of these are.
fn buffers_all() -> policy::LeftOut {
    policy::LeftOut::named("inserts-in-memory").unwrap()
}

/// The rows by an index, as the four kinds of scans see them.
async fn four_ways(db: &Db, t: &Arc<Table>, index: usize) -> Vec<(i64, Row)> {
    let mut found = Vec::new();
    for lock in [LockMode::None, LockMode::Exclusive] {
        for reverse in [false, true] {
            let mut txn = db.begin(TxnOptions::default());
            let s = ScanSpec { reverse, lock, ..spec(index) };
            let mut rows = scan(&mut txn, t, s).await.unwrap();
            txn.rollback().await.unwrap();
            if reverse {
                rows.reverse();
            }
            if found.is_empty() {
                found = rows;
            } else {
                assert_eq!(rows, found, "index {index}, {lock:?}, reverse {reverse}");
            }
        }
    }
    found
}

/// What any two runs with the same numbers must have in common.
async fn dump(db: &Db, t: &Arc<Table>) -> Vec<Vec<(i64, Row)>> {
    let mut all = Vec::new();
    for index in 0..t.indexes.len() {
        all.push(four_ways(db, t, index).await);
    }
    assert_eq!(db.check_table(t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
    all
}

fn some_row(rng: &mut Rng, id: i64) -> Row {
    let body: Vec<u8> = (0..40).map(|_| b'a' + rng.below(26) as u8).collect();
    Row { k: rng.below(1_000_000) as i64, u: Some(id), body }
}

/// One transaction of inserts, updates and deletes; a third of them are rolled back.
async fn change(db: &Db, t: &Arc<Table>, rng: &mut Rng) {
    let mut txn = db.begin(TxnOptions::default());
    for _ in 0..1 + rng.below(12) {
        let id = rng.below(2000) as i64;
        let mut found = RowBuf::default();
        let x = LockMode::Exclusive;
        let there = txn.get(t, 0, &key(id), x, OnLocked::Wait, &mut found).await.unwrap();
        let row = some_row(rng, id);
        match (there, rng.below(3)) {
            (false, _) => txn.insert(t, &encode(t, id, &row)).await.unwrap(),
            (true, 0) => txn.delete(t, &key(id), &found.row).await.unwrap(),
            (true, _) => txn.update(t, &key(id), &found.row, &encode(t, id, &row)).await.unwrap(),
        }
    }
    match rng.below(3) {
        0 => txn.rollback().await.unwrap(),
        _ => txn.commit(Durability::Flush).await.unwrap(),
    }
}

/// Takes an index away, with whatever waits for it, and builds it again.
async fn rebuild(db: &Db, t: &Arc<Table>) -> Arc<Table> {
    let def = t.def.indexes[1].clone();
    let t = db.drop_indexes(t, std::slice::from_ref(&def.name), Vec::new(), &ddl()).await.unwrap();
    db.add_indexes(&t, &[def], Vec::new(), &ddl()).await.unwrap()
}

async fn life(rt: &Rt, disk: &SimDisk, rng: &mut Rng, how: u64, no: u64) -> Vec<Vec<(i64, Row)>> {
    // Of builds the first one whose soft limit leaves the background little to do, so that inserts and readers ask for moves.
    let flush = FlushSettings {
        change_buffer_pct: if how == 1 { 40 } else { 4 },
        ibuf_max_pct: 1,
        left_out: buffers_all(),
        ..FlushSettings::default()
    };
    let flush_policy = if how == 3 { "google-v4" } else { "weir" };
    let o = Options { change_buffer: buffering(how), flush, flush_policy, ..options(4 << 20) };
    let db = open(rt, disk, o).await.unwrap();
    let mut t = match no {
        0 => {
            db.create_schema(schema()).await.unwrap();
            db.create_table(new_table("t")).await.unwrap()
        }
        _ => db.table("test", "t").unwrap(),
    };
    for step in 0..STEPS {
        change(&db, &t, rng).await;
        if step % 10 == 0 {
            rt.sleep(Duration::from_millis(15)).await;
        }
        if step == STEPS / 2 && no % 2 == 1 {
            t = rebuild(&db, &t).await;
        }
    }
    if how > 0 {
        let b = &db.inner().core.stats.change_buffer;
        assert!(b.inserts.load(Ordering::Relaxed) > 100, "nothing was buffered in life {no}");
        assert!(b.moved.load(Ordering::Relaxed) > 0 || how == 1, "nothing was moved");
    }
    dump(&db, &t).await
}

#[test]
fn inserts_keep_to_the_limit_by_themselves() {
    plant();
    let sim = SimRt::new(5);
    let disk = SimDisk::new(sim.rt(), 5);
    sim.run(async {
        // The sweep never begins by itself: it waits for more than there may be.
        let change_buffer = ChangeBufferLimits { aim_percent: 1000, ..buffering(1) };
        let flush = FlushSettings { change_buffer_pct: 12, ..FlushSettings::default() };
        let o = Options { change_buffer, flush, ..options(4 << 20) };
        let db = open(&sim.rt(), &disk, o).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let (mut rng, mut most) = (Rng::new(5), 0);
        for id in 0..3000 {
            let mut txn = db.begin(TxnOptions::default());
            txn.insert(&t, &encode(&t, id, &some_row(&mut rng, id))).await.unwrap();
            txn.commit(Durability::Lazy).await.unwrap();
            if id % 20 == 0 {
                sim.rt().sleep(Duration::from_millis(5)).await;
            }
            for index in t.indexes.iter().filter(|i| i.buffer.takes()) {
                most = most.max(index.buffer.leaves());
                // A move may come too late for a split or two, not for more.
                let (now, limit) = (index.buffer.leaves(), index.buffer.limit());
                assert!(now <= limit + 3, "{now} leaves where {limit} may be, after row {id}");
            }
        }
        let b = &db.inner().core.stats.change_buffer;
        assert!(most > 1 && b.helped.load(Ordering::Relaxed) > 0, "no buffer was ever full");
        assert_eq!(four_ways(&db, &t, 1).await.len(), 3000);
        assert_eq!(db.check_table(&t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// Under the policies of InnoDB's builds the sweep makes the moves that their steps and inserts ask for: the buffer keeps to its
/// size while rows come, and an idle server merges all of it, except for MariaDB, which merges nothing in the background.
#[test]
fn policies_of_builds_merge_and_contract() {
    plant();
    for (n, policy) in [
        "stock-5.0",
        "google-v4",
        "xtradb-none",
        "xtradb-estimate",
        "mysql-5.5",
        "mysql-8.0",
        "mariadb-10.6",
    ]
    .into_iter()
    .enumerate()
    {
        let sim = SimRt::new(n as u64);
        let disk = SimDisk::new(sim.rt(), n as u64);
        sim.run(async {
            // Some 18 of 256 frames, whichever option the build has.
            let flush = FlushSettings {
                change_buffer_pct: 7,
                ibuf_max_pct: 7,
                ibuf_max_size: 18 * 16384,
                left_out: buffers_all(),
                ..FlushSettings::default()
            };
            let o = Options {
                change_buffer: buffering(1),
                flush,
                flush_policy: policy,
                ..options(4 << 20)
            };
            let db = open(&sim.rt(), &disk, o).await.unwrap();
            db.create_schema(schema()).await.unwrap();
            let t = db.create_table(new_table("t")).await.unwrap();
            let mut rng = Rng::new(n as u64);
            for id in 0..4000 {
                let mut txn = db.begin(TxnOptions::default());
                txn.insert(&t, &encode(&t, id, &some_row(&mut rng, id))).await.unwrap();
                txn.commit(Durability::Lazy).await.unwrap();
                if id % 20 == 0 {
                    sim.rt().sleep(Duration::from_millis(5)).await;
                }
                let takes = || t.indexes.iter().filter(|i| i.buffer.takes());
                if let Some(limit) = takes().map(|i| i.buffer.limit()).max() {
                    // Ten beyond the limit of all nothing is buffered any more, and splits under way may end.
                    let core = &db.inner().core;
                    takes().for_each(|i| i.buffer.count(core));
                    let now: u64 = takes().map(|i| i.buffer.pages()).sum();
                    assert!(now <= limit + 13, "{policy}: {now} pages where {limit} may be");
                    assert_eq!(core.flush.buffers.pages(), now, "{policy}");
                }
            }
            let b = &db.inner().core.stats.change_buffer;
            assert!(b.inserts.load(Ordering::Relaxed) > 1000, "{policy} has buffered nothing");
            sim.rt().sleep(Duration::from_secs(120)).await;
            let left: u64 = t.indexes.iter().map(|i| i.buffer.leaves().saturating_sub(1)).sum();
            let contracted = b.helped.load(Ordering::Relaxed) + b.asked.load(Ordering::Relaxed) > 0;
            match policy {
                "mariadb-10.6" => assert!(contracted && left > 0, "{left} pages left"),
                _ => assert_eq!(left, 0, "{policy} has left pages in the buffer"),
            }
            assert_eq!(four_ways(&db, &t, 1).await.len(), 4000);
            assert_eq!(db.check_table(&t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
            db.shutdown().await.unwrap();
        })
        .unwrap();
    }
}

#[test]
fn it_makes_no_difference_that_can_be_seen() {
    plant();
    let mut dumps = Vec::new();
    for how in 0..4 {
        let mut rng = Rng::new(11);
        let mut sim = SimRt::new(1);
        let mut disk = SimDisk::new(sim.rt(), 1);
        let mut seen = Vec::new();
        for no in 0..LIVES {
            let rt = sim.rt();
            seen.push(sim.run(life(&rt, &disk, &mut rng, how, no)).unwrap());
            sim.kill_all();
            sim = SimRt::new(no + 2);
            disk = disk.crash(sim.rt(), no);
        }
        dumps.push(seen);
    }
    assert!(dumps[0] == dumps[1], "with and without a change buffer");
    assert!(dumps[0] == dumps[2], "with and without a sweep that never rests");
    assert!(dumps[0] == dumps[3], "moved at random, many at once, and where leaves are read");
}

/// LOCK TABLES ... WRITE for the whole of a long load: the session that has the table makes the buffer itself, fills it, and moves its
/// entries when it is full. The sweep takes over when the lock is gone.
#[test]
fn a_session_that_has_the_table_alone_gets_its_buffer() {
    let sim = SimRt::new(5);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 5);
    sim.run(async {
        let o = Options { change_buffer: buffering(2), ..options(4 << 20) };
        let db = open(&rt, &disk, o).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(new_table("t")).await.unwrap();
        let held = Arc::new(HeldTables::default());
        let (limit, never) = (Duration::from_secs(1), Interrupt::new());
        held.add(db.lock_table(&t, MdlMode::Exclusive, limit, &never).await.unwrap());
        let counter = |name: &str| db.status().into_iter().find(|(n, _)| *n == name).unwrap().1;
        let mut rng = Rng::new(5);
        let mut rows = Rows::new();
        for part in 0..60 {
            db.make_wanted_buffers(&held).await.unwrap();
            let o = TxnOptions { held: Some(held.clone()), ..TxnOptions::default() };
            let mut txn = db.begin(o);
            let mut list = RowList::default();
            for id in part * 40..(part + 1) * 40 {
                let row = some_row(&mut rng, id);
                list.push(&encode(&t, id, &row));
                rows.insert(id, row);
            }
            txn.insert_many(&t, &list).await.unwrap();
            txn.commit(Durability::Flush).await.unwrap();
            rt.sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(
            counter("Weir_change_buffer_trees_made"),
            2,
            "the two indexes that are not unique"
        );
        let (buffered, helped) =
            (counter("Innodb_ibuf_inserts"), counter("Weir_change_buffer_helped"));
        assert!(
            buffered > 500 && helped > 0,
            "{buffered} entries were buffered, {helped} inserts made moves"
        );
        held.release();
        let all = dump(&db, &t).await;
        for mut by_index in all {
            by_index.sort_by_key(|(id, _)| *id);
            assert!(by_index.into_iter().eq(rows.clone()));
        }
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// A table brings its buffers along when it becomes a partition, which gets none itself: they are emptied.
#[test]
fn buffers_that_come_into_a_partition_are_emptied() {
    let sim = SimRt::new(6);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), 6);
    sim.run(async {
        let o = Options { change_buffer: buffering(1), ..options(4 << 20) };
        let db = open(&rt, &disk, o).await.unwrap();
        db.create_schema(schema()).await.unwrap();
        let t = db.create_table(NewTable { parts: 2, ..new_table("parts") }).await.unwrap();
        let other = db.create_table(new_table("t")).await.unwrap();
        let counter = |name: &str| db.status().into_iter().find(|(n, _)| *n == name).unwrap().1;
        let mut rng = Rng::new(6);
        for part in 0..40 {
            let mut txn = db.begin(TxnOptions::default());
            for id in part * 40..(part + 1) * 40 {
                let row = some_row(&mut rng, id);
                txn.insert(&other, &encode(&other, id, &row)).await.unwrap();
            }
            txn.commit(Durability::Flush).await.unwrap();
            rt.sleep(Duration::from_millis(5)).await;
        }
        assert!(counter("Innodb_ibuf_inserts") > 0, "nothing was buffered");
        db.exchange_part(&t, 1, &other, &ddl()).await.unwrap();
        let mut turns = 0;
        while counter("Innodb_ibuf_merged_inserts") < counter("Innodb_ibuf_inserts") {
            turns += 1;
            assert!(turns < 3000, "the buffers stay");
            rt.sleep(Duration::from_millis(20)).await;
        }
        let t = db.table("test", "parts").unwrap();
        assert_eq!(db.check_table(&t, &Interrupt::new()).await.unwrap(), Vec::<String>::new());
        let part = dump_part(&db, &t.parts[1]).await;
        assert!(part.iter().all(|by_index| by_index.len() == 1600));
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

async fn dump_part(db: &Db, t: &Arc<Table>) -> Vec<Vec<(i64, Row)>> {
    let mut all = Vec::new();
    for index in 0..t.indexes.len() {
        all.push(four_ways(db, t, index).await);
    }
    all
}
