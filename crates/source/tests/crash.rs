//! Crashes at random operations of the device: what is acknowledged is in the log, what is in the log is committed, in one order, and what
//! a client could have read of the files is there again to the byte.

#[path = "../../engine/tests/common/mod.rs"]
#[allow(unused)]
mod common;

use common::{Row, encode, key, new_table};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use weir_binlog::event::{File, MAGIC};
use weir_binlog::gtid::Begin;
use weir_binlog::{Checksum, Event, Kind};
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::{Db, Durability, Options as EngineOptions, Result, SchemaDef, Txn, TxnOptions};
use weir_rt::sim::SimRt;
use weir_rt::{Rng, Rt};
use weir_source::log::Settings;
use weir_source::record::Events;
use weir_source::{Batch, BinaryLog, Named, Options, Record};

const UUID: [u8; 16] = [9; 16];

async fn open(rt: &Rt, disk: &SimDisk, max_size: u64) -> Result<(Db, Arc<BinaryLog>)> {
    open_telling(rt, disk, max_size, Arc::new(|_| {})).await
}

async fn open_telling(
    rt: &Rt,
    disk: &SimDisk,
    max_size: u64,
    tell: weir_engine::LogFn,
) -> Result<(Db, Arc<BinaryLog>)> {
    let settings = Settings {
        rt: rt.clone(),
        server_id: AtomicU32::new(1),
        checksum: AtomicBool::new(true),
        max_size: AtomicU64::new(max_size),
        expire_seconds: AtomicU64::new(0),
        stopping: AtomicBool::new(false),
        semi_sync: weir_source::semi_sync::SemiSync::new(rt.clone(), Arc::new(|_| {})),
    };
    let o = Options {
        base: "binlog".into(),
        on: true,
        gtids: true,
        uuid: UUID,
        version: "8.0.36-weir".into(),
        settings: Arc::new(settings),
        log: tell,
    };
    let log = BinaryLog::open(Arc::new(disk.clone()), o).await?.expect("the log is on");
    let engine = EngineOptions {
        buffer_pool: 1 << 20,
        redo_capacity: 1 << 20,
        log_buffer: 256 << 10,
        page_size: 1024,
        follower: Some(log.clone()),
        ..EngineOptions::default()
    };
    let db = Db::open(rt, Arc::new(disk.clone()), engine).await?;
    log.start(&db).await?;
    if db.schema("test").is_none() {
        db.create_schema(SchemaDef { name: "test".into(), extra: Vec::new() }).await?;
    }
    if db.table("test", "t").is_none() {
        db.create_table(new_table("t")).await?;
    }
    Ok((db, log))
}

/// One transaction: it inserts the row `id`, and its events say so.
async fn insert(db: &Db, log: &BinaryLog, id: i64, rng: &mut Rng, d: Durability) -> Result<()> {
    insert_with(db, log, (id, 0), rng, d).await
}

/// The same with so many bytes of events beside.
async fn insert_with(
    db: &Db,
    log: &BinaryLog,
    (id, beside): (i64, usize),
    rng: &mut Rng,
    d: Durability,
) -> Result<()> {
    let t = db.table("test", "t").expect("there");
    let mut txn = db.begin(TxnOptions { notes_rows: true, ..TxnOptions::default() });
    let row = Row { k: 1, u: None, body: vec![7; rng.below(60) as usize] };
    txn.begin_statement();
    txn.insert(&t, &encode(&t, id, &row)).await?;
    if rng.chance(0.2) {
        // Something that is undone, and leaves nothing in the log.
        let before = txn.savepoint();
        txn.note_row(b"undone");
        txn.rollback_to(before).await?;
        assert!(txn.noted().is_none());
    }
    let mut batch = Batch::default();
    batch.push((Kind::Query, 8, 1), b"BEGIN-like");
    if beside > 0 {
        batch.push((Kind::RowsQuery, 0, 1), &vec![7; beside]);
    }
    batch.push((Kind::Xid, 0, 1), &(id as u64).to_le_bytes());
    let spilled = rng.chance(0.1);
    let mut record = Record {
        named: Named::Automatic,
        may_have_statements: false,
        server_id: 1,
        immediate: db.rt().wall_micros(),
        original: 0,
        immediate_version: 80036,
        original_version: 80036,
        behind: db.commits_released(),
        ticket: None,
        keys: rng.chance(0.8).then(|| vec![id as u32 % 5, 100 + id as u32 % 7]),
        count: batch.count,
        bodies: batch.bodies,
        events: Events::Inline(&[]),
    };
    record.original = record.immediate;
    let bytes = if spilled {
        let mut spill = log.spill().await?;
        spill.append(&mut batch).await?;
        record.events = spill.finish().await?;
        record.encode()
    } else {
        record.events = Events::Inline(&batch.bytes);
        record.encode()
    };
    txn.carry_events(bytes);
    txn.commit(d).await
}

/// The rows that the files tell of, in their order.
fn logged(files: &[(String, Vec<u8>)]) -> Vec<i64> {
    let (mut ids, mut number) = (Vec::new(), 0);
    for (name, bytes) in files {
        let file = File::new(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut sequence = 0;
        for event in file {
            let event = event.unwrap_or_else(|e| panic!("{name}: {e}"));
            let event =
                Event::decode(event, Checksum::Crc32).unwrap_or_else(|e| panic!("{name}: {e}"));
            match event.header.kind {
                Kind::Gtid => {
                    let begin = Begin::decode(event.body, false).expect("a name");
                    number += 1;
                    sequence += 1;
                    assert_eq!(begin.gtid.map(|g| g.number), Some(number), "no gap in {name}");
                    assert_eq!(begin.sequence_number, sequence);
                    assert!(begin.last_committed < sequence && begin.last_committed >= 0);
                }
                Kind::Xid => {
                    let id: [u8; 8] = event.body.try_into().expect("eight bytes");
                    ids.push(u64::from_le_bytes(id) as i64);
                }
                _ => {}
            }
        }
    }
    ids
}

fn files(disk: &SimDisk) -> Vec<(String, Vec<u8>)> {
    let mut names = disk.paths();
    names.retain(|n| n.starts_with("binlog.0"));
    names.sort();
    names.into_iter().map(|n| (n.clone(), disk.content(&n).expect("there"))).collect()
}

async fn rows(db: &Db) -> Vec<i64> {
    let t = db.table("test", "t").expect("there");
    let mut out = Vec::new();
    let mut buf = weir_engine::RowBuf::default();
    for id in 0..400 {
        let mut txn: Txn = db.begin(TxnOptions::default());
        let lock = weir_engine::LockMode::None;
        if txn
            .get(&t, 0, &key(id), lock, weir_engine::OnLocked::Wait, &mut buf)
            .await
            .expect("read")
        {
            out.push(id);
        }
        txn.rollback().await.expect("ends");
    }
    out
}

/// What clients know when the device stops.
#[derive(Default)]
struct Known {
    acknowledged: Vec<i64>,
    /// The most that was readable of each file.
    read: BTreeMap<String, Vec<u8>>,
}

fn note_readable(log: &BinaryLog, disk: &SimDisk, known: &Mutex<Known>) {
    for (name, size) in log.files() {
        if let Some(bytes) = disk.content(&name) {
            let bytes = bytes[..size as usize].to_vec();
            let mut k = known.lock().unwrap();
            let had = k.read.entry(name).or_default();
            assert!(bytes.starts_with(had), "a file grows at its end only");
            *had = bytes;
        }
    }
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

fn life(
    seed: u64,
    disk: Option<SimDisk>,
    known: &Arc<Mutex<Known>>,
    next: &Arc<AtomicU64>,
    crash: bool,
) -> SimDisk {
    let sim = SimRt::new(seed);
    let rt = sim.rt();
    let disk = match disk {
        Some(d) => d.crash(rt.clone(), seed),
        None => SimDisk::new(rt.clone(), seed),
    };
    let mut rng = Rng::new(seed ^ 0xB106);
    if crash {
        disk.crash_at(20 + rng.below(if seed.is_multiple_of(2) { 150 } else { 900 }));
    }
    let (d, k, n) = (disk.clone(), known.clone(), next.clone());
    let max_size = [300, 2000, 1 << 20][(seed % 3) as usize];
    let body = async move {
        let Ok((db, log)) = open(&rt, &d, max_size).await else { return };
        {
            // Everything that was readable before is readable again.
            let now = files(&d);
            let k = k.lock().unwrap();
            for (name, had) in &k.read {
                let (_, bytes) =
                    now.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{name} is gone"));
                assert!(
                    bytes.starts_with(had),
                    "{name} is another one after the crash (seed {seed})"
                );
            }
            let there = rows_known(&now);
            for id in &k.acknowledged {
                assert!(
                    there.contains(id),
                    "row {id} was acknowledged and is not in the log (seed {seed})"
                );
            }
        }
        let mut in_log = logged(&files(&d));
        let mut in_table = rows(&db).await;
        in_log.sort_unstable();
        in_table.sort_unstable();
        assert_eq!(in_log, in_table, "seed {seed}");
        let mut clients = Vec::new();
        for c in 0..3u64 {
            let (db, log, d, k, n) = (db.clone(), log.clone(), d.clone(), k.clone(), n.clone());
            let mut rng = Rng::new(seed * 31 + c);
            clients.push(rt.spawn("client", async move {
                for _ in 0..12 {
                    let id = n.fetch_add(1, Ordering::SeqCst) as i64;
                    let lazy = rng.chance(0.1);
                    let how = if lazy { Durability::Lazy } else { Durability::Flush };
                    if insert(&db, &log, id, &mut rng, how).await.is_err() {
                        return;
                    }
                    if !lazy {
                        k.lock().unwrap().acknowledged.push(id);
                    }
                    match rng.below(20) {
                        0 => _ = log.rotate().await,
                        1 => _ = log.settle_told().await,
                        _ => {}
                    }
                    note_readable(&log, &d, &k);
                }
            }));
        }
        for c in clients {
            c.await;
        }
        if !crash {
            db.shutdown().await.expect("stops");
        }
    };
    // A device that has stopped answers nothing: the life is over then.
    let ended = sim.run(until_frozen(&disk, body));
    ended.unwrap_or_else(|s| panic!("seed {seed}: stuck at {} with {:?}", s.at, s.tasks));
    sim.kill_all();
    disk
}

fn rows_known(files: &[(String, Vec<u8>)]) -> Vec<i64> {
    logged(files)
}

#[test]
fn the_log_and_the_tables_agree_after_any_crash() {
    let worlds = std::env::var("WEIR_WORLDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    for world in 0..worlds {
        let (known, next) = (Arc::default(), Arc::default());
        let mut disk = None;
        for n in 0..4u64 {
            disk = Some(life(world * 10 + n, disk, &known, &next, true));
        }
        let disk = life(world * 10 + 5, disk, &known, &next, false);
        let names = disk.paths();
        assert!(!names.iter().any(|n| n.contains("spilled")), "{names:?}");
        assert!(files(&disk).iter().all(|(_, b)| b.starts_with(MAGIC)));
    }
}

/// The device has no room for the files of the log, now and then. The log goes on where it was when there is room, and commits wait for it
/// where the redo log cannot keep more: nothing that was acknowledged is missing, with a crash in between or without.
fn full_life(seed: u64, crash: bool) -> (SimDisk, Vec<i64>, u64) {
    let sim = SimRt::new(seed);
    let rt = sim.rt();
    let disk = SimDisk::new(rt.clone(), seed);
    let full = Arc::new(AtomicBool::new(false));
    let now = full.clone();
    disk.set_fault(Some(Box::new(move |op| {
        let of_log = op.path.starts_with("binlog") && op.kind == "write";
        (of_log && now.load(Ordering::SeqCst)).then_some(Fault::Full)
    })));
    let (known, told) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicU64::new(0)));
    let (d, k, t) = (disk.clone(), known.clone(), told.clone());
    let body = async move {
        let said = t.clone();
        let tell = move |text: &str| {
            said.fetch_add(
                u64::from(text.contains("no room for the binary log")),
                Ordering::SeqCst,
            );
        };
        let (db, log) = open_telling(&rt, &d, 20_000, Arc::new(tell)).await.expect("opens");
        let mut clients = Vec::new();
        for c in 0..3u64 {
            let (db, log, k) = (db.clone(), log.clone(), k.clone());
            let mut rng = Rng::new(seed * 31 + c);
            clients.push(rt.spawn("client", async move {
                for n in 0..100 {
                    let id = (c * 100 + n) as i64;
                    let done =
                        insert_with(&db, &log, (id, 6000), &mut rng, Durability::Flush).await;
                    if done.is_ok() {
                        k.lock().unwrap().push(id);
                    }
                }
            }));
        }
        let mut rng = Rng::new(seed);
        for _ in 0..4 {
            rt.sleep(Duration::from_millis(rng.below(40))).await;
            full.store(true, Ordering::SeqCst);
            if crash && rng.chance(0.4) {
                d.crash_at(d.io_count() + rng.below(60));
            }
            rt.sleep(Duration::from_millis(500 + rng.below(3000))).await;
            full.store(false, Ordering::SeqCst);
        }
        for c in clients {
            c.await;
        }
        log.settle_told().await.expect("there is room");
        db.shutdown().await.expect("stops");
    };
    let ended = sim.run(until_frozen(&disk, body));
    ended.unwrap_or_else(|s| panic!("seed {seed}: stuck at {} with {:?}", s.at, s.tasks));
    sim.kill_all();
    let known = known.lock().unwrap().clone();
    (disk, known, told.load(Ordering::SeqCst))
}

#[test]
fn a_full_device_loses_nothing() {
    let mut told = 0;
    for seed in 0..16 {
        let crash = seed % 2 == 1;
        let (disk, acknowledged, said) = full_life(seed, crash);
        told += said;
        let sim = SimRt::new(seed + 1000);
        let rt = sim.rt();
        let disk = disk.crash(rt.clone(), seed);
        let body = async move {
            let (db, log) = open(&rt, &disk, 20_000).await.expect("opens");
            let (mut in_log, mut in_table) = (logged(&files(&disk)), rows(&db).await);
            in_log.sort_unstable();
            in_table.sort_unstable();
            assert_eq!(in_log, in_table, "seed {seed}");
            let lost: Vec<_> = acknowledged.iter().filter(|id| !in_log.contains(id)).collect();
            assert!(lost.is_empty(), "seed {seed}: {lost:?} were acknowledged");
            if !crash {
                let executed = log.executed().to_string();
                assert!(executed.ends_with(&format!(":1-{}", in_log.len())), "{executed}");
            }
            db.shutdown().await.expect("stops");
        };
        sim.run(body).unwrap_or_else(|s| panic!("seed {seed}: stuck with {:?}", s.tasks));
        sim.kill_all();
    }
    assert!(told > 0, "the server says what it waits for");
}
