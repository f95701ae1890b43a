//! Why did it stall? Stalls of known kinds, made in virtual time, and what the engine says about them: the cause that was
//! injected ranks first, sessions' waiting time is accounted for in full, the watchdog barks where commits stop and nowhere else.
use crate::common::load::{PAGE, row, table};
use crate::common::{ddl, key, schema};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use weir_disk::sim::{Fault, SimDisk};
use weir_engine::*;
use weir_rt::sim::SimRt;
use weir_rt::{Actor, Rng, Rt, acting};

const CLIENTS: u64 = 6;
/// The session that makes trouble, and one that waits for it with all others behind.
const CULPRIT: u64 = 99;
const ALTER: u64 = 98;
/// Seeds of each kind, unless WEIR_SEEDS says otherwise.
const SEEDS: u64 = 3;
const ROWS: i64 = 600;

const SECOND: Duration = Duration::from_secs(1);
/// Before, while and after something is wrong.
const QUIET: Duration = Duration::from_secs(3);
const TROUBLE: Duration = Duration::from_secs(6);

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    /// Nothing is wrong.
    None,
    /// Reads of pages take long.
    SlowReads,
    /// The log's sync does not come back.
    StuckSync,
    /// Writing the log takes long, and commits do not sync.
    SlowLogWrites,
    /// No page write comes back, and the log is small.
    FullLog,
    /// Every transaction wants a row that another has for long.
    LockConvoy,
    /// A definition statement waits for a client that has read the table and does nothing; all wait behind it.
    SlowClient,
    /// A DROP whose file does not go; others make tables.
    BigDrop,
    /// Dirty pages are not written, and the pool is small.
    NoWrites,
    /// A file grows slowly.
    SlowGrowth,
    /// Transactions of many changes, on pages that come slowly: no commit for long, and no stall.
    LongTransactions,
}

use Kind::*;

struct Case {
    kind: Kind,
    /// What may rank first.
    causes: &'static [&'static str],
    /// Who is in the way, where that is known; 0: nobody.
    culprit: u64,
    stalls: bool,
    policy: &'static str,
    pool: u64,
    redo: u64,
    max_dirty: f64,
}

/// Everything in memory, room in the log.
const ROOMY: Case = Case {
    kind: None,
    causes: &[],
    culprit: 0,
    stalls: false,
    policy: "weir",
    pool: 400,
    redo: 8 << 20,
    max_dirty: 90.0,
};

const CASES: [Case; 13] = [
    Case { kind: None, causes: &["log sync"], ..ROOMY },
    Case { kind: SlowReads, causes: &["page read"], pool: 40, ..ROOMY },
    Case { kind: StuckSync, causes: &["log sync"], stalls: true, ..ROOMY },
    Case { kind: SlowLogWrites, causes: &["log write"], ..ROOMY },
    Case {
        kind: FullLog,
        causes: &["admission", "log space"],
        stalls: true,
        redo: 1 << 20,
        ..ROOMY
    },
    Case {
        kind: FullLog,
        causes: &["log space"],
        stalls: true,
        redo: 1 << 20,
        policy: "mysql-8.0",
        ..ROOMY
    },
    Case { kind: LockConvoy, causes: &["row lock"], culprit: CULPRIT, stalls: true, ..ROOMY },
    Case { kind: SlowClient, causes: &["metadata lock"], culprit: ALTER, stalls: true, ..ROOMY },
    Case { kind: BigDrop, causes: &["ddl"], culprit: CULPRIT, stalls: true, ..ROOMY },
    Case { kind: NoWrites, causes: &["dirty limit"], stalls: true, pool: 40, ..ROOMY },
    Case {
        kind: NoWrites,
        causes: &["free frame"],
        stalls: true,
        pool: 40,
        max_dirty: 99.9,
        policy: "stock-5.0",
        ..ROOMY
    },
    Case { kind: SlowGrowth, causes: &["file"], ..ROOMY },
    Case { kind: LongTransactions, causes: &["page read"], pool: 40, ..ROOMY },
];

fn begin(db: &Db, session_id: u64) -> Txn {
    db.begin(TxnOptions { session_id, ..TxnOptions::default() })
}

async fn change(txn: &mut Txn, t: &Arc<Table>, id: i64, rng: &mut Rng) -> Result<()> {
    let mut buf = RowBuf::default();
    txn.use_table(t, true).await?;
    txn.begin_statement();
    txn.get(t, 0, &key(id), LockMode::Exclusive, OnLocked::Wait, &mut buf).await?;
    txn.update(t, &buf.key, &buf.row, &row(t, id, rng)).await
}

/// What all tasks of a run share.
struct World {
    db: Db,
    rt: Rt,
    disk: SimDisk,
    t: Arc<Table>,
    case: &'static Case,
    stop: AtomicBool,
    commits: AtomicU64,
    /// Nanoseconds that clients spent in calls of the engine.
    inside: AtomicU64,
    next: AtomicU64,
}

impl World {
    async fn transaction(&self, me: u64, rng: &mut Rng) -> Result<()> {
        let t = match self.db.table("test", "t") {
            Some(t) => t,
            Option::None => self.t.clone(),
        };
        match self.case.kind {
            BigDrop => {
                let n = self.next.fetch_add(1, Ordering::Relaxed);
                return self.db.create_table(table(&format!("small{n}"))).await.map(drop);
            }
            SlowGrowth => {
                let mut txn = begin(&self.db, me);
                txn.use_table(&t, true).await?;
                for _ in 0..8 {
                    let id = ROWS + self.next.fetch_add(1, Ordering::Relaxed) as i64;
                    txn.insert(&t, &row(&t, id, rng)).await?;
                }
                return txn.commit(Durability::Flush).await;
            }
            _ => {}
        }
        let mut txn = begin(&self.db, me);
        if self.case.kind == LockConvoy {
            change(&mut txn, &t, 0, rng).await?;
        }
        let mut ids: Vec<i64> = match self.case.kind {
            LongTransactions => (0..ROWS).filter(|id| *id as u64 % CLIENTS == me - 1).collect(),
            _ => (0..3).map(|_| 1 + rng.below(ROWS as u64 - 1) as i64).collect(),
        };
        ids.sort_unstable();
        for id in ids {
            change(&mut txn, &t, id, rng).await?;
        }
        let lazy = self.case.kind == SlowLogWrites;
        txn.commit(if lazy { Durability::Write } else { Durability::Flush }).await
    }

    async fn client(self: Arc<World>, me: u64, seed: u64) {
        let mut rng = Rng::new(seed * 1000 + me);
        while !self.stop.load(Ordering::Relaxed) {
            self.rt.sleep(Duration::from_micros(4000 + rng.below(8000))).await;
            let begun = self.rt.now();
            let done = self.transaction(me, &mut rng).await;
            self.inside.fetch_add(self.rt.now() - begun, Ordering::Relaxed);
            match done {
                Ok(()) => self.commits.fetch_add(1, Ordering::Relaxed),
                Err(Error::Deadlock | Error::LockWaitTimeout | Error::TableChanged { .. }) => 0,
                Err(e) => panic!("{e}"),
            };
        }
    }

    /// What is wrong, for as long as it is.
    async fn trouble(&self, rng: &mut Rng) {
        let until = self.rt.now() + TROUBLE.as_nanos() as u64;
        let slow = |wanted: fn(&str, &str) -> bool, time: Duration| {
            let rt = self.rt.clone();
            self.disk.set_fault(Some(Box::new(move |op| {
                let left = Duration::from_nanos(until.saturating_sub(rt.now()));
                wanted(op.kind, &op.path).then_some(Fault::Slow(time.min(left)))
            })));
        };
        match self.case.kind {
            None => {}
            SlowReads => slow(|k, _| k == "read", Duration::from_millis(40)),
            LongTransactions => slow(|k, _| k == "read", Duration::from_millis(300)),
            StuckSync => slow(|k, p| k == "sync" && p.starts_with("redo/"), TROUBLE),
            SlowLogWrites => {
                slow(|k, p| k == "write" && p.starts_with("redo/"), Duration::from_millis(60));
            }
            FullLog | NoWrites => slow(|k, p| k == "write" && p.ends_with(".weir"), TROUBLE),
            SlowGrowth => slow(|k, p| k == "allocate" && p.starts_with("tables/"), SECOND),
            LockConvoy => {
                let mut txn = begin(&self.db, CULPRIT);
                change(&mut txn, &self.t, 0, rng).await.unwrap();
                self.rt.sleep(TROUBLE).await;
                txn.rollback().await.unwrap();
            }
            SlowClient => {
                let mut txn = begin(&self.db, CULPRIT);
                txn.use_table(&self.t, false).await.unwrap();
                let (db, t) = (self.db.clone(), self.t.clone());
                let alter = async move {
                    let patient = DdlContext { lock_timeout: 10 * SECOND, ..ddl() };
                    db.alter_extra(&t, b"new".to_vec(), &patient).await.unwrap();
                };
                let alter = self.rt.spawn("alter", acting(Actor::session(ALTER), alter));
                self.rt.sleep(TROUBLE).await;
                txn.commit(Durability::Lazy).await.unwrap();
                alter.await;
            }
            BigDrop => {
                slow(|k, p| k == "remove" && p.starts_with("tables/"), TROUBLE);
                let big = self.db.table("test", "big").unwrap();
                self.db.drop_tables(&[big], &ddl()).await.unwrap();
            }
        }
        let left = until.saturating_sub(self.rt.now());
        self.rt.sleep(Duration::from_nanos(left)).await;
        self.disk.set_fault(Option::None);
    }
}

/// What a run has shown.
struct Seen {
    /// Session seconds while something was wrong, by cause; and of its first cause by blocker.
    ranking: Vec<(&'static str, f64)>,
    blocker: u64,
    attributed: f64,
    stalls: Vec<StallInfo>,
    told: Vec<String>,
    commits: u64,
}

async fn open(rt: &Rt, disk: &SimDisk, case: &Case, told: &Arc<Mutex<Vec<String>>>) -> Db {
    let told = told.clone();
    let mut o = Options {
        page_size: PAGE as usize,
        buffer_pool: case.pool * PAGE,
        redo_capacity: case.redo,
        log_buffer: 128 << 10,
        flush_policy: case.policy,
        flight_recorder: true,
        fatal: Arc::new(|e| panic!("the engine gave up: {e}")),
        log: Arc::new(move |m| told.lock().unwrap().push(m.to_string())),
        ..Options::default()
    };
    o.flush.max_dirty_pct = case.max_dirty;
    Db::open(rt, Arc::new(disk.clone()), o).await.unwrap()
}

async fn fill(db: &Db, rows: i64) -> Arc<Table> {
    db.create_schema(schema()).await.unwrap();
    db.create_table(table("big")).await.unwrap();
    let t = db.create_table(table("t")).await.unwrap();
    let mut rng = Rng::new(5);
    let mut txn = begin(db, 0);
    let mut list = RowList::default();
    (0..rows).for_each(|id| list.push(&row(&t, id, &mut rng)));
    txn.insert_many(&t, &list).await.map_err(|e| e.1).unwrap();
    txn.commit(Durability::Flush).await.unwrap();
    t
}

/// Sums of the report between two moments.
fn rank(rows: &[StallRow], from: u64, to: u64) -> (Vec<(&'static str, f64)>, u64) {
    let (mut by_cause, mut by_blocker) = (BTreeMap::new(), BTreeMap::new());
    for r in rows.iter().filter(|r| r.seconds == 1 && r.ended_micros > from && r.ended_micros <= to)
    {
        *by_cause.entry(r.cause).or_insert(0u64) += r.micros;
        *by_blocker.entry((r.cause, r.blocker)).or_insert(0u64) += r.micros;
    }
    let mut ranking: Vec<_> = by_cause.into_iter().map(|(c, m)| (c, m as f64 / 1e6)).collect();
    ranking.sort_by(|a, b| b.1.total_cmp(&a.1));
    let first = ranking.first().map_or("", |r| r.0);
    let most = by_blocker.into_iter().filter(|(k, _)| k.0 == first).max_by_key(|(_, m)| *m);
    (ranking, most.map_or(0, |((_, b), _)| b))
}

fn run(case: &'static Case, seed: u64) -> Seen {
    let sim = SimRt::new(seed);
    let rt = sim.rt();
    let told = Arc::new(Mutex::new(Vec::new()));
    let main = async {
        let disk = SimDisk::new(rt.clone(), seed);
        let db = open(&rt, &disk, case, &told).await;
        let t = acting(Actor::BACKGROUND, fill(&db, ROWS)).await;
        let world = Arc::new(World {
            db: db.clone(),
            rt: rt.clone(),
            disk,
            t,
            case,
            stop: AtomicBool::new(false),
            commits: AtomicU64::new(0),
            inside: AtomicU64::new(0),
            next: AtomicU64::new(0),
        });
        let client = |i| acting(Actor::session(i), world.clone().client(i, seed));
        let clients: Vec<_> = (1..=CLIENTS).map(|i| rt.spawn("client", client(i))).collect();
        rt.sleep(QUIET).await;
        let from = rt.wall_micros();
        let mut rng = Rng::new(seed);
        acting(Actor::session(CULPRIT), world.trouble(&mut rng)).await;
        let to = rt.wall_micros();
        rt.sleep(QUIET).await;
        world.stop.store(true, Ordering::Relaxed);
        for c in clients {
            c.await;
        }
        rt.sleep(SECOND).await;
        let (ranking, blocker) = rank(&db.stall_report(), from, to + 1_000_000);
        // All of this run's waits, less those of who is no client.
        let others: u64 =
            db.waits().iter().filter(|w| w.session >= ALTER).map(|w| w.micros * 1000).sum();
        let all: u64 = db.wait_totals().nanos.iter().sum();
        let inside = world.inside.load(Ordering::Relaxed);
        let stalls = db.stalls();
        db.shutdown().await.unwrap();
        Seen {
            ranking,
            blocker,
            attributed: (all - others) as f64 / inside as f64,
            stalls,
            told: Vec::new(),
            commits: world.commits.load(Ordering::Relaxed),
        }
    };
    let mut seen = sim.run(main).unwrap();
    seen.told = std::mem::take(&mut told.lock().unwrap());
    seen
}

fn check(case: &'static Case, seed: u64) {
    let s = run(case, seed);
    let what = format!("{:?} with {}, seed {seed}: {:?}", case.kind, case.policy, s.ranking);
    if std::env::var_os("WEIR_TEST_LOG").is_some() {
        let lines = s.told.iter().filter(|l| l.starts_with("stall")).collect::<Vec<_>>();
        println!("{what} {:.3} attributed, {} commits; {lines:?}", s.attributed, s.commits);
    }
    assert!(s.commits > 50, "{what}: {} commits", s.commits);
    assert!((0.95..1.01).contains(&s.attributed), "{what}: {} attributed", s.attributed);
    let first = s.ranking.first().map_or("nothing", |r| r.0);
    assert!(case.causes.contains(&first), "{what}");
    assert_eq!(s.blocker, case.culprit, "{what}");
    let told = s.told.iter().filter(|l| l.contains("nothing has been committed")).count();
    assert_eq!(told, s.stalls.len(), "each is told once: {:?}", s.told);
    assert_eq!(s.stalls.len(), usize::from(case.stalls), "{what}: {:?}", s.told);
    let Some(stall) = s.stalls.first() else { return };
    assert!(stall.ended_micros.is_some() && stall.sessions >= stall.stuck.len());
    assert!(stall.stuck.iter().any(|x| case.causes.contains(&x.cause)), "{what}: {stall:?}");
    let alter = stall.stuck.iter().find(|x| x.session == ALTER);
    assert_eq!(alter.map(|x| x.blocker), (case.kind == SlowClient).then_some(CULPRIT), "{what}");
}

macro_rules! cases {
    ($($name:ident: $i:literal;)*) => {
        $(#[test]
        fn $name() {
            let wanted = std::env::var("WEIR_SEEDS").ok().and_then(|n| n.parse().ok());
            for seed in 0..wanted.unwrap_or(SEEDS) {
                check(&CASES[$i], seed);
            }
        })*
    };
}

cases! {
    nothing_is_wrong: 0;
    slow_reads: 1;
    a_stuck_sync: 2;
    slow_writes_of_the_log: 3;
    a_full_log: 4;
    a_full_log_and_sessions_that_wait_for_it: 5;
    a_lock_convoy: 6;
    a_slow_client_with_a_metadata_lock: 7;
    a_drop_that_takes_long: 8;
    the_dirty_limit: 9;
    no_frames: 10;
    a_file_that_grows_slowly: 11;
    long_transactions_are_no_stall: 12;
}

/// While the log's sync is stuck: everything can be read, and says who waits since when.
#[test]
fn a_stall_can_be_looked_at_while_it_lasts() {
    let sim = SimRt::new(3);
    let rt = sim.rt();
    let main = async {
        let disk = SimDisk::new(rt.clone(), 3);
        let told = Arc::new(Mutex::new(Vec::new()));
        let db = open(&rt, &disk, &ROOMY, &told).await;
        let t = fill(&db, 50).await;
        db.read_statements_by(Arc::new(|id, to| {
            let text = format!("update t /* {id} */");
            to[..text.len()].copy_from_slice(text.as_bytes());
            text.len()
        }));
        let hour = Duration::from_secs(3600);
        let stuck = move |k: &str, p: &str| k == "sync" && p.starts_with("redo/");
        disk.set_fault(Some(Box::new(move |op| {
            stuck(op.kind, &op.path).then_some(Fault::Slow(hour))
        })));
        for i in 1..=3 {
            let (db, t) = (db.clone(), t.clone());
            let one = async move {
                let mut txn = begin(&db, i);
                change(&mut txn, &t, i as i64, &mut Rng::new(i)).await.unwrap();
                txn.commit(Durability::Flush).await.unwrap();
            };
            rt.spawn("client", acting(Actor::session(i), one));
        }
        rt.sleep(5 * SECOND).await;
        let [stall] = &db.stalls()[..] else { panic!("one stall: {:?}", db.stalls()) };
        assert_eq!((stall.number, stall.sessions, stall.ended_micros), (1, 3, Option::None));
        let waits: Vec<_> = db.waits().into_iter().filter(|w| w.lasts).collect();
        assert_eq!(waits.len(), 3);
        for (w, s) in waits.iter().zip(&stall.stuck) {
            assert_eq!((w.cause, s.cause), ("log sync", "log sync"));
            assert!(w.micros > 4_900_000 && s.since_micros == w.started_micros);
            assert_eq!(w.statement, format!("update t /* {} */", w.session));
            assert_ne!((w.session, w.trx), (0, 0));
        }
        // What the seconds add up to so far: three sessions, all the time.
        let rows = db.stall_report();
        let last = rows.iter().max_by_key(|r| r.ended_micros).unwrap();
        assert_eq!((last.cause, last.micros), ("log sync", 3_000_000));
        let n = told.lock().unwrap().iter().filter(|l| l.contains("3 for log sync")).count();
        assert_eq!(n, 1);
        db.set("weir_stall_seconds", SettingValue::Int(0)).await.unwrap();
        rt.sleep(2 * SECOND).await;
        assert!(db.stalls()[0].ended_micros.is_some(), "nobody watches any more");
    };
    sim.run(main).unwrap();
}

/// The causes are in the flight recorder: a crash in the middle of the stall leaves them.
#[test]
fn a_crash_leaves_the_causes() {
    for seed in 0..5 {
        let sim = SimRt::new(seed);
        let disk = SimDisk::new(sim.rt(), seed);
        let told = Arc::new(Mutex::new(Vec::new()));
        let rt = sim.rt();
        let main = async {
            let db = open(&rt, &disk, &ROOMY, &told).await;
            let t = fill(&db, 50).await;
            let mut holder = begin(&db, CULPRIT);
            change(&mut holder, &t, 1, &mut Rng::new(1)).await.unwrap();
            for i in 1..=4 {
                let (db, t) = (db.clone(), t.clone());
                let one = async move {
                    let mut txn = begin(&db, i);
                    change(&mut txn, &t, 1, &mut Rng::new(i)).await.unwrap();
                };
                rt.spawn("client", acting(Actor::session(i), one));
            }
            rt.sleep(25 * SECOND).await;
            holder
        };
        let holder = sim.run(main).unwrap();
        let disk = disk.crash(sim.rt(), seed);
        sim.kill_all();
        std::mem::forget(holder);
        let sim = SimRt::new(seed + 100);
        let rt = sim.rt();
        let disk = disk.reopen(rt.clone(), seed);
        let main = async {
            let db = open(&rt, &disk, &ROOMY, &told).await;
            rt.sleep(2 * SECOND).await;
            let rows: Vec<_> = db.stall_report().into_iter().filter(|r| r.run == 1).collect();
            let locked = rows.iter().filter(|r| r.cause == "row lock" && r.seconds == 1);
            let seconds = locked.filter(|r| r.micros == 4_000_000).count();
            assert!(seconds >= 18, "{seconds} seconds are left: {rows:?}");
            assert!(rows.iter().all(|r| r.object.is_none() && r.blocker == 0));
            db.shutdown().await.unwrap();
        };
        sim.run(main).unwrap();
    }
}
