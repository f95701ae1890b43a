//! Backups of an engine at work. Writers move amounts between rows and write down what they did, definition statements come and go; the
//! directory that is made of the blocks has each commit that was acknowledged before the last page was copied, none that was begun behind
//! the last block, and passes every check.
//!
//! `WEIR_SEED=7` repeats one, `WEIR_SEEDS=500` tries more.
use crate::common::*;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::Disk;
use weir_disk::sim::SimDisk;
use weir_engine::backup::{BackupOptions, Base, Block, Restored, Restorer};
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng, Rt};

const ACCOUNTS: i64 = 60;
const WRITERS: usize = 3;
/// Room for entries of one writer.
const EACH: i64 = 1_000_000;

/// How many transfers each writer has begun, and had acknowledged.
#[derive(Default)]
struct Ledger {
    begun: [Cell<i64>; WRITERS],
    done: [Cell<i64>; WRITERS],
    stop: Cell<bool>,
}

impl Ledger {
    fn done(&self) -> Vec<i64> {
        self.done.iter().map(Cell::get).collect()
    }

    fn begun(&self) -> Vec<i64> {
        self.begun.iter().map(Cell::get).collect()
    }
}

async fn make(db: &Db) {
    db.create_schema(schema()).await.unwrap();
    for name in ["t", "ledger"] {
        db.create_table(new_table(name)).await.unwrap();
    }
    let t = db.table("test", "t").unwrap();
    let mut txn = db.begin(TxnOptions::default());
    for id in 0..ACCOUNTS {
        let row = Row { k: 100, u: Some(id), body: vec![b'a'; 100] };
        txn.insert(&t, &encode(&t, id, &row)).await.unwrap();
    }
    txn.commit(Durability::Flush).await.unwrap();
}

/// One transfer and its entry in the ledger, in one transaction.
async fn transfer(db: &Db, rng: &mut Rng, entry: i64) -> Result<()> {
    let (t, l) = (db.table("test", "t").unwrap(), db.table("test", "ledger").unwrap());
    let mut txn = db.begin(TxnOptions::default());
    let (a, b) = (rng.below(ACCOUNTS as u64 - 1) as i64, ACCOUNTS - 1);
    let amount = rng.below(9) as i64 + 1;
    for (id, change) in [(a, -amount), (b, amount)] {
        let mut buf = RowBuf::default();
        assert!(
            txn.get(&t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf).await?,
            "an account is missing"
        );
        let (_, mut row) = decode(&t, &buf.row);
        row.k += change;
        row.body = vec![b'a' + rng.below(26) as u8; 50 + rng.below(300) as usize];
        txn.update(&t, &buf.key, &buf.row, &encode(&t, id, &row)).await?;
    }
    let row = random_row(rng, Some(entry));
    txn.insert(&l, &encode(&l, entry, &row)).await?;
    txn.commit(Durability::Flush).await
}

async fn writer(db: Db, ledger: Rc<Ledger>, n: usize, mut rng: Rng, rt: Rt) {
    while !ledger.stop.get() {
        let i = ledger.begun[n].get();
        ledger.begun[n].set(i + 1);
        // A lock wait that is given up is tried again under the same number.
        while let Err(e) = transfer(&db, &mut rng, n as i64 * EACH + i).await {
            assert!(matches!(e, Error::LockWaitTimeout | Error::Deadlock), "{e}");
        }
        ledger.done[n].set(i + 1);
        rt.sleep(Duration::from_micros(rng.below(3000))).await;
    }
}

/// Tables that come and go, are emptied, and get an index.
async fn definer(db: Db, ledger: Rc<Ledger>, mut rng: Rng, rt: Rt) {
    for i in 0.. {
        if ledger.stop.get() {
            return;
        }
        let name = format!("x{i}");
        let t = db.create_table(new_table(&name)).await.unwrap();
        let mut txn = db.begin(TxnOptions::default());
        for id in 0..rng.below(40) as i64 {
            txn.insert(&t, &encode(&t, id, &random_row(&mut rng, Some(id)))).await.unwrap();
        }
        txn.commit(Durability::Flush).await.unwrap();
        if i > 2 {
            let old = db.table("test", &format!("x{}", i - 3)).unwrap();
            db.drop_tables(&[old], &ddl()).await.unwrap();
        }
        rt.sleep(Duration::from_micros(rng.below(40_000))).await;
    }
}

/// A backup and what must, and may, be in it.
struct Taken {
    blocks: Vec<Block>,
    least: Vec<i64>,
    most: Vec<i64>,
}

impl Taken {
    fn base(&self) -> Base {
        let Some(Block::Begin(b)) = self.blocks.first() else { panic!("no first block") };
        Base { backup: b.ids.backup, history: b.ids.history, start: b.start }
    }

    fn copied(&self) -> u64 {
        let Some(Block::End(e)) = self.blocks.last() else { panic!("no last block") };
        e.copied_pages
    }
}

async fn take(db: &Db, ledger: &Ledger, base: Option<Base>) -> Result<Taken> {
    let o = BackupOptions { base, ..BackupOptions::default() };
    let mut backup = db.begin_backup(o).await?;
    let (mut blocks, mut least) = (Vec::new(), ledger.done());
    while let Some(block) = backup.next_block().await? {
        // The end is read behind the last page.
        if matches!(block, Block::Pages(_)) {
            least = ledger.done();
        }
        blocks.push(Block::decode(&block.encode()).expect("the bytes of a block"));
    }
    Ok(Taken { blocks, least, most: ledger.begun() })
}

async fn put(rt: &Rt, disk: &SimDisk, chain: &[&Taken], upto: Lsn) -> Result<Restored> {
    let disk: Arc<dyn Disk> = Arc::new(disk.clone());
    let Block::Begin(first) = &chain[0].blocks[0] else { panic!("no first block") };
    let mut r = Restorer::new(rt, disk, first.clone()).await?;
    for taken in chain {
        for block in &taken.blocks {
            match block {
                Block::Begin(b) => r.follow(b.clone()),
                Block::Pages(p) => {
                    p.check(first.page_size as usize)?;
                    r.pages(p).await?;
                }
                Block::Redo { .. } => {}
                Block::End(e) => r.end(e.clone()).await?,
            }
        }
    }
    r.begin_redo(upto).await?;
    for block in &chain[chain.len() - 1].blocks {
        if let Block::Redo { at, bytes } = block {
            r.redo(*at, bytes).await?;
        }
    }
    r.finish().await
}

fn small() -> Options {
    options(1 << 20)
}

async fn check(db: &Db, taken: &Taken) {
    let interrupt = Interrupt::new();
    for t in db.tables("test") {
        let wrong = db.check_table(&t, &interrupt).await.unwrap();
        assert!(wrong.is_empty(), "{}: {wrong:?}", t.def.name);
    }
    let mut txn = db.begin(TxnOptions::default());
    let t = db.table("test", "t").unwrap();
    let rows = scan(&mut txn, &t, spec(0)).await.unwrap();
    let sum: i64 = rows.iter().map(|(_, r)| r.k).sum();
    assert_eq!((rows.len() as i64, sum), (ACCOUNTS, ACCOUNTS * 100));
    let l = db.table("test", "ledger").unwrap();
    let mut found: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (id, _) in scan(&mut txn, &l, spec(0)).await.unwrap() {
        found.entry(id / EACH).or_default().push(id % EACH);
    }
    txn.commit(Durability::Flush).await.unwrap();
    for n in 0..WRITERS {
        let entries = found.remove(&(n as i64)).unwrap_or_default();
        let len = entries.len() as i64;
        assert_eq!(entries, (0..len).collect::<Vec<_>>(), "writer {n}: a hole");
        let (least, most) = (taken.least[n], taken.most[n]);
        assert!((least..=most).contains(&len), "writer {n}: {len}, not {least} to {most}");
    }
}

/// Opens what was restored, lets rollback and purge have their time, and looks at all of it, twice: behind the recovery, and behind a stop.
async fn opens(rt: &Rt, disk: &SimDisk, taken: &Taken) {
    for _ in 0..2 {
        let db = open(rt, disk, small()).await.unwrap();
        rt.sleep(Duration::from_millis(300)).await;
        check(&db, taken).await;
        assert_eq!(db.check_spaces().await.unwrap(), Vec::<String>::new());
        db.shutdown().await.unwrap();
    }
}

struct World {
    rt: Rt,
    db: Db,
    rng: RefCell<Rng>,
    ledger: Rc<Ledger>,
}

/// Runs `f` beside writers and definition statements.
fn at_work(seed: u64, f: impl AsyncFnOnce(&World)) {
    plant();
    let sim = SimRt::new(seed);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), seed));
    sim.run(async {
        let mut rng = Rng::new(seed);
        let db = open(&rt, &disk, small()).await.unwrap();
        make(&db).await;
        let ledger = Rc::new(Ledger::default());
        let mut tasks: Vec<std::pin::Pin<Box<dyn Future<Output = ()>>>> = Vec::new();
        for n in 0..WRITERS {
            let rng = Rng::new(rng.next_u64());
            tasks.push(Box::pin(writer(db.clone(), ledger.clone(), n, rng, rt.clone())));
        }
        let definer_rng = Rng::new(rng.next_u64());
        tasks.push(Box::pin(definer(db.clone(), ledger.clone(), definer_rng, rt.clone())));
        let world = World { rt: rt.clone(), db: db.clone(), rng: RefCell::new(rng), ledger };
        let mut main = Box::pin(f(&world));
        let mut over = false;
        std::future::poll_fn(|cx| {
            over = over || main.as_mut().poll(cx).is_ready();
            if over {
                world.ledger.stop.set(true);
            }
            tasks.retain_mut(|t| t.as_mut().poll(cx).is_pending());
            match over && tasks.is_empty() {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
        drop(main);
        db.shutdown().await.unwrap();
    })
    .unwrap_or_else(|s| panic!("stuck at {} with {:?}", s.at, s.tasks));
}

fn seeds(usual: u64, one: impl Fn(u64) + std::panic::RefUnwindSafe) {
    let number = |name| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let all = number("WEIR_SEED").map_or(0..number("WEIR_SEEDS").unwrap_or(usual), |s| s..s + 1);
    for seed in all {
        if let Err(e) = std::panic::catch_unwind(|| one(seed)) {
            eprintln!(
                "replay with: WEIR_SEED={seed} cargo test -p weir-engine --test engine backup::"
            );
            std::panic::resume_unwind(e);
        }
    }
}

#[test]
fn a_backup_of_an_engine_at_work_is_the_database_of_one_moment() {
    seeds(6, |seed| {
        at_work(seed, async |w: &World| {
            for _ in 0..2 {
                let pause = w.rng.borrow_mut().below(400);
                w.rt.sleep(Duration::from_millis(pause)).await;
                let taken = take(&w.db, &w.ledger, None).await.unwrap();
                let disk = SimDisk::new(w.rt.clone(), seed + 1000);
                put(&w.rt, &disk, &[&taken], Lsn::MAX).await.unwrap();
                opens(&w.rt, &disk, &taken).await;
            }
        });
    });
}

#[test]
fn incremental_backups_have_what_changed_and_make_the_same_directory() {
    seeds(4, |seed| {
        at_work(seed + 50, async |w: &World| {
            w.rt.sleep(Duration::from_millis(150)).await;
            let full = take(&w.db, &w.ledger, None).await.unwrap();
            let mut chain = vec![full];
            for _ in 0..2 {
                let pause = w.rng.borrow_mut().below(300);
                w.rt.sleep(Duration::from_millis(pause)).await;
                let base = chain.last().map(Taken::base);
                chain.push(take(&w.db, &w.ledger, base).await.unwrap());
            }
            for n in 1..=chain.len() {
                let some: Vec<&Taken> = chain[..n].iter().collect();
                let disk = SimDisk::new(w.rt.clone(), seed + 2000 + n as u64);
                put(&w.rt, &disk, &some, Lsn::MAX).await.unwrap();
                opens(&w.rt, &disk, &chain[n - 1]).await;
            }
        });
    });
}

#[test]
fn an_idle_database_has_an_empty_increment() {
    let sim = SimRt::new(3);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), 3));
    sim.run(async {
        let db = open(&rt, &disk, small()).await.unwrap();
        make(&db).await;
        let ledger = Ledger::default();
        db.shutdown().await.unwrap();
        let db = open(&rt, &disk, small()).await.unwrap();
        let full = take(&db, &ledger, None).await.unwrap();
        rt.sleep(Duration::from_secs(2)).await;
        let next = take(&db, &ledger, Some(full.base())).await.unwrap();
        assert!(full.copied() > 15, "{}", full.copied());
        assert!(next.copied() < 5, "{} of {}", next.copied(), full.copied());
        // A base of another history is refused.
        let target = SimDisk::new(rt.clone(), 4);
        put(&rt, &target, &[&full], Lsn::MAX).await.unwrap();
        let copy = open(&rt, &target, small()).await.unwrap();
        let refused = take(&copy, &ledger, Some(full.base())).await.err().unwrap();
        assert!(refused.to_string().contains("another history"), "{refused}");
        copy.shutdown().await.unwrap();
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// The log goes round several times while a backup is held up. One that is asked for its blocks again in time goes on; one that stays away too
/// long is given up, and no writer has waited for it.
#[test]
fn a_backup_that_falls_behind_is_given_up_and_stops_nobody() {
    at_work(9, async |w: &World| {
        let mut backup = w.db.begin_backup(BackupOptions::default()).await.unwrap();
        assert!(matches!(backup.next_block().await.unwrap(), Some(Block::Begin(_))));
        let log = &w.db.inner().core.log;
        let (start, before) = (log.published(), w.ledger.done());
        while log.checkpoint() < start + 3 * log.capacity() {
            w.rt.sleep(Duration::from_millis(20)).await;
        }
        let lost = loop {
            match backup.next_block().await {
                Ok(Some(_)) => {}
                Ok(None) => panic!("the log was gone, and the backup did not notice"),
                Err(e) => break e,
            }
        };
        assert!(lost.to_string().contains("fell behind"), "{lost}");
        assert!(w.ledger.done().iter().zip(before).all(|(now, before)| *now > before + 10));
        drop(backup);
        // What was made for it goes again.
        let most = small().redo_capacity / log.segments().size() + 3;
        w.rt.sleep(Duration::from_secs(3)).await;
        assert!((log.segments().count() as u64) <= most, "{} files", log.segments().count());
    });
}

#[test]
fn a_backup_ends_when_it_is_killed() {
    at_work(11, async |w: &World| {
        let interrupt = Arc::new(Interrupt::new());
        let o = BackupOptions { interrupt: interrupt.clone(), ..BackupOptions::default() };
        let mut backup = w.db.begin_backup(o).await.unwrap();
        backup.next_block().await.unwrap();
        interrupt.kill(1);
        assert!(matches!(backup.next_block().await, Err(Error::Interrupted)));
    });
}

/// Every damaged page and every damaged byte of redo ends the restore before there is a control file.
#[test]
fn damage_makes_no_directory() {
    let sim = SimRt::new(5);
    let (rt, disk) = (sim.rt(), SimDisk::new(sim.rt(), 5));
    sim.run(async {
        let db = open(&rt, &disk, small()).await.unwrap();
        make(&db).await;
        let mut taken = take(&db, &Ledger::default(), None).await.unwrap();
        let mut rng = Rng::new(5);
        for n in 0..40 {
            let i = rng.below(taken.blocks.len() as u64) as usize;
            let good = taken.blocks[i].clone();
            match &mut taken.blocks[i] {
                Block::Pages(p) => {
                    let at = rng.below(p.images.len() as u64) as usize;
                    p.images[at] ^= 1 << rng.below(8);
                }
                Block::Redo { bytes, .. } => {
                    let at = rng.below(bytes.len() as u64) as usize;
                    bytes[at] ^= 1 << rng.below(8);
                }
                _ => continue,
            }
            let target = SimDisk::new(rt.clone(), n);
            let restored = put(&rt, &target, &[&taken], Lsn::MAX).await;
            assert!(restored.is_err(), "block {i}");
            assert!(!target.exists("weir.ctl").await.unwrap());
            taken.blocks[i] = good;
        }
        db.shutdown().await.unwrap();
    })
    .unwrap();
}

/// The log is cut at many places behind the backup's end: each time the directory is that of a moment between the backup and the last commit, and
/// a later cut has no less.
#[test]
fn a_log_that_is_cut_restores_the_moment_of_the_cut() {
    at_work(21, async |w: &World| {
        w.rt.sleep(Duration::from_millis(100)).await;
        let full = take(&w.db, &w.ledger, None).await.unwrap();
        let Some(Block::End(end)) = full.blocks.last() else { panic!("no last block") };
        // What an archive has: the log from the backup's end on.
        let log = &w.db.inner().core.log;
        let keep = log.keep_from(end.end).await.expect("the log is still there");
        let mut archive = Vec::new();
        let from = end.end;
        let mut cuts = vec![from];
        while archive.len() < 60_000 {
            let at = from + archive.len() as u64;
            log.until_durable_beyond(at).await.unwrap();
            let bytes = log.segments().read(at, (log.durable() - at) as usize).await.unwrap();
            archive.extend(bytes);
            cuts.push(from + archive.len() as u64);
            keep.copied(from + archive.len() as u64);
            w.rt.sleep(Duration::from_millis(3)).await;
        }
        let most = Taken { blocks: Vec::new(), least: full.least.clone(), most: w.ledger.begun() };
        for cut in cuts.iter().step_by((cuts.len() / 6).max(1)) {
            // A cut within a group goes back to the group's start.
            for cut in [*cut, *cut + 3] {
                let disk = SimDisk::new(w.rt.clone(), cut);
                let target: Arc<dyn Disk> = Arc::new(disk.clone());
                let Block::Begin(b) = &full.blocks[0] else { panic!("no first block") };
                let mut r = Restorer::new(&w.rt, target, b.clone()).await.unwrap();
                for block in &full.blocks {
                    match block {
                        Block::Pages(p) => r.pages(p).await.unwrap(),
                        Block::End(e) => r.end(e.clone()).await.unwrap(),
                        _ => {}
                    }
                }
                r.begin_redo(cut).await.unwrap();
                for block in &full.blocks {
                    if let Block::Redo { at, bytes } = block {
                        r.redo(*at, bytes).await.unwrap();
                    }
                }
                for (i, piece) in archive.chunks(1000).enumerate() {
                    r.redo(from + i as u64 * 1000, piece).await.unwrap();
                }
                let restored = r.finish().await.unwrap();
                assert!(restored.to <= cut && restored.to + 4096 > cut);
                opens(&w.rt, &disk, &most).await;
            }
        }
    });
}
