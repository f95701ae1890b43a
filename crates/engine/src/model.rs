//! Models: small programs of a few threads over the engine's own parts, run under many schedules by shuttle, which decides
//! at every atomic operation and every mutex who runs next. The simulator cannot see there: its one thread changes tasks
//! only where an operation waits.
//!
//!     RUSTFLAGS="--cfg shuttle" cargo test --target-dir target/shuttle -p weir-engine --lib model
//!
//! Under Miri the same programs run on its threads, once for each seed: that finds data races in the unsafe modules below.
//!
//! A failure prints a schedule that `shuttle::replay` takes. With the feature `planted`, `WEIR_PLANT=name` plants a bug.

use crate::flush::checkpoint::reachable;
use crate::flush::control::FlushControl;
use crate::ids::{Lsn, PageId};
use crate::lock::{Kind, LockName, LockRun, LockTable, Mode, Outcome, TrxLocks};
use crate::log::control::{Control, ControlFile};
use crate::log::reader::LogReader;
use crate::log::{Log, Reach, Segments};
use crate::mtr::{self, Core, CoreStats};
use crate::page::PageType;
use crate::page::redo::{Redo, UNDO_BODY};
use crate::policy::{Batch, Cause, NO_LIMIT};
use crate::pool::{Access, LatchMode, Pool, PoolOptions};
use crate::space::{self, Spaces};
use crate::txn::TrxSys;
use crate::waits::Waits;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex as StdMutex};
use weir_disk::{Disk, DiskError, File, IoBuf, Mode as IoMode, OpFuture, OpenOptions};
use weir_rt::Rt;
use weir_rt::sim::SimRt;

mod answers;
mod posted;

#[cfg(miri)]
pub use plain::block_on;
#[cfg(miri)]
use std::thread;
#[cfg(shuttle)]
pub use weir_rt::shuttle::future::block_on;
#[cfg(shuttle)]
use weir_rt::shuttle::{self, thread};

/// Half of the schedules at random, half with a few well-placed preemptions (PCT).
#[cfg(shuttle)]
pub fn explore(schedules: usize, f: impl Fn() + Send + Sync + 'static) {
    #[cfg(feature = "planted")]
    crate::planted::plant_named();
    // WEIR_SCHEDULES=20 takes twenty times as many.
    let more = std::env::var("WEIR_SCHEDULES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let schedules = schedules * more;
    let f = Arc::new(f);
    let g = f.clone();
    // Shuttle's own 32 KiB are too few for the making of a whole log and pool on the stack, which without optimisation takes more than 256.
    let mut config = shuttle::Config::new();
    config.stack_size = 512 << 10;
    let random = shuttle::scheduler::RandomScheduler::new(schedules / 2);
    shuttle::Runner::new(random, config.clone()).run(move || f());
    let pct = shuttle::scheduler::PctScheduler::new(3, schedules / 2);
    shuttle::Runner::new(pct, config).run(move || g());
}

/// Miri's own scheduler, once for each of its seeds.
#[cfg(miri)]
pub fn explore(_schedules: usize, f: impl Fn() + Send + Sync + 'static) {
    f();
}

#[cfg(miri)]
mod plain {
    use std::future::Future;
    use std::sync::Arc;
    use std::task::{Context, Poll, Wake, Waker};
    use std::thread::{self, Thread};

    struct Unpark(Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    pub fn block_on<F: Future>(f: F) -> F::Output {
        let mut f = std::pin::pin!(f);
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            if let Poll::Ready(v) = f.as_mut().poll(&mut Context::from_waker(&waker)) {
                return v;
            }
            thread::park();
        }
    }
}

pub fn spawn<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> thread::JoinHandle<T> {
    thread::spawn(f)
}

pub fn join<const N: usize>(threads: [thread::JoinHandle<()>; N]) {
    for t in threads {
        t.join().expect("a model's thread ends well");
    }
}

/// A device in memory whose operations are done at once, after others had their turn.
#[derive(Default)]
struct MemDisk(StdMutex<BTreeMap<String, Arc<MemFile>>>);

#[derive(Default)]
struct MemFile {
    now: StdMutex<Vec<u8>>,
    synced: StdMutex<Vec<u8>>,
}

fn at_once<'a, T: Send + 'a>(f: impl FnOnce() -> T + Send + 'a) -> OpFuture<'a, T> {
    Box::pin(async move {
        thread::yield_now();
        f()
    })
}

type Done = std::result::Result<(), DiskError>;

impl MemFile {
    fn get(&self, off: u64, buf: &mut IoBuf) {
        let now = self.now.lock().unwrap();
        let (off, n) = (off as usize, buf.len());
        buf.copy_from_slice(&now[off..off + n]);
    }

    fn put(&self, off: u64, buf: &IoBuf) {
        let mut now = self.now.lock().unwrap();
        let end = off as usize + buf.len();
        if now.len() < end {
            now.resize(end, 0);
        }
        now[off as usize..end].copy_from_slice(buf);
    }
}

impl File for MemFile {
    /// Slow: between the look at the device and the answer others may come far.
    fn read(&self, off: u64, mut buf: IoBuf) -> OpFuture<'_, (IoBuf, Done)> {
        at_once(move || {
            self.get(off, &mut buf);
            for _ in 0..20 {
                thread::yield_now();
            }
            (buf, Ok(()))
        })
    }
    fn write(&self, off: u64, buf: IoBuf) -> OpFuture<'_, (IoBuf, Done)> {
        at_once(move || {
            self.put(off, &buf);
            (buf, Ok(()))
        })
    }
    fn read_all(&self, mut batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Done)> {
        at_once(move || {
            batch.iter_mut().for_each(|(off, buf)| self.get(*off, buf));
            (batch.into_iter().map(|b| b.1).collect(), Ok(()))
        })
    }
    fn write_all(&self, batch: Vec<(u64, IoBuf)>) -> OpFuture<'_, (Vec<IoBuf>, Done)> {
        at_once(move || {
            batch.iter().for_each(|(off, buf)| self.put(*off, buf));
            (batch.into_iter().map(|b| b.1).collect(), Ok(()))
        })
    }
    fn sync(&self) -> OpFuture<'_, Done> {
        at_once(|| {
            *self.synced.lock().unwrap() = self.now.lock().unwrap().clone();
            Ok(())
        })
    }
    fn allocate(&self, len: u64, _zero: bool) -> OpFuture<'_, Done> {
        at_once(move || {
            let mut now = self.now.lock().unwrap();
            if (now.len() as u64) < len {
                now.resize(len as usize, 0);
            }
            Ok(())
        })
    }
    fn truncate(&self, len: u64) -> OpFuture<'_, Done> {
        at_once(move || {
            self.now.lock().unwrap().truncate(len as usize);
            Ok(())
        })
    }
    fn len(&self) -> OpFuture<'_, std::result::Result<u64, DiskError>> {
        at_once(|| Ok(self.now.lock().unwrap().len() as u64))
    }
}

impl Disk for MemDisk {
    fn open<'a>(
        &'a self,
        path: &'a str,
        _o: OpenOptions,
    ) -> OpFuture<'a, std::result::Result<Arc<dyn File>, DiskError>> {
        at_once(move || {
            let f = self.0.lock().unwrap().entry(path.into()).or_default().clone();
            Ok(f as Arc<dyn File>)
        })
    }
    fn list<'a>(
        &'a self,
        dir: &'a str,
    ) -> OpFuture<'a, std::result::Result<Vec<String>, DiskError>> {
        at_once(move || {
            let files = self.0.lock().unwrap();
            let prefix = format!("{dir}/");
            Ok(files.keys().filter_map(|k| k.strip_prefix(&prefix)).map(String::from).collect())
        })
    }
    fn rename<'a>(&'a self, from: &'a str, to: &'a str) -> OpFuture<'a, Done> {
        at_once(move || {
            let mut files = self.0.lock().unwrap();
            if let Some(f) = files.remove(from) {
                files.insert(to.into(), f);
            }
            Ok(())
        })
    }
    fn remove<'a>(&'a self, path: &'a str) -> OpFuture<'a, Done> {
        at_once(move || {
            self.0.lock().unwrap().remove(path);
            Ok(())
        })
    }
    fn create_dir<'a>(&'a self, _path: &'a str) -> OpFuture<'a, Done> {
        at_once(|| Ok(()))
    }
    fn sync_dir<'a>(&'a self, _path: &'a str) -> OpFuture<'a, Done> {
        at_once(|| Ok(()))
    }
    fn exists<'a>(&'a self, path: &'a str) -> OpFuture<'a, std::result::Result<bool, DiskError>> {
        at_once(move || Ok(self.0.lock().unwrap().contains_key(path)))
    }
    fn describe(&self) -> String {
        "memory".into()
    }
}

const PAGE: usize = 512;
const START: Lsn = 4096;

fn state() -> Control {
    Control {
        seq: 0,
        id: [7; 16],
        page_size: PAGE as u32,
        checkpoint: START,
        segment_size: 20480,
        segments: 0,
        clean: false,
        durable: START,
        sample: (0, 0),
        history: 0,
        damaged: Vec::new(),
        epochs: vec![(START, 1)],
    }
}

async fn log(rt: &Rt, disk: &Arc<MemDisk>) -> Log {
    let control = ControlFile::create_as(disk.as_ref(), "weir.ctl", state()).await.unwrap();
    let dir: Arc<dyn Disk> = disk.clone();
    let segments = Segments::open(dir, IoMode::Buffered, 20480, [7; 16]).await.unwrap();
    for _ in 0..3 {
        segments.grow(START).await.unwrap();
    }
    Log::new(rt.clone(), Waits::new(rt.clone()), segments, control, START, Vec::new(), 16384)
}

/// Log, pool and one space with pages 2 to 5 formatted, all of it home.
struct Small {
    core: Core,
    disk: Arc<MemDisk>,
}

fn oldest(pages: usize) -> Batch {
    Batch::oldest(pages, NO_LIMIT, Cause::Age)
}

fn page(no: u32) -> PageId {
    PageId::new(space::UNDO, no)
}

impl Small {
    async fn new(frames: usize) -> Arc<Small> {
        let rt = SimRt::new(1).rt();
        let disk = Arc::new(MemDisk::default());
        let log = log(&rt, &disk).await;
        let spaces = Arc::new(Spaces::new(disk.clone(), IoMode::Buffered, PAGE, [7; 16]));
        let o = PoolOptions { page_size: PAGE, frames, frames_max: frames, age_span: 1 << 20 };
        let waits = Waits::new(rt.clone());
        let pool =
            Pool::new(rt, waits.clone(), spaces.clone(), &o, None, log.durable_end()).unwrap();
        let (stats, flush) = (CoreStats::default(), FlushControl::default());
        let core = Core { pool, log, spaces, stats, flush, waits };
        core.spaces.create_file(space::UNDO, 8).await.unwrap();
        for no in 2..6 {
            mtr::run(&core, 64, |w| {
                let mut g = w.gather();
                let p = g.create(page(no))?;
                let mut a = g.seal(48)?;
                a.record(p, &Redo::PageInit { kind: PageType::Undo as u8, owner: 1 });
                a.commit();
                Ok(())
            })
            .await
            .unwrap();
        }
        core.pool.flush_all(&core.log).await.unwrap();
        Arc::new(Small { core, disk })
    }

    /// Adds one to a byte of a page; returns the end LSN of the change.
    async fn bump(&self, no: u32) -> Lsn {
        mtr::run(&self.core, 64, |w| {
            let mut g = w.gather();
            let p = g.fix(page(no), LatchMode::X)?;
            let next = g.bytes(p)[UNDO_BODY] + 1;
            let mut a = g.seal(48)?;
            a.record(p, &Redo::Bytes { off: UNDO_BODY as u32, data: &[next] });
            Ok(a.commit())
        })
        .await
        .unwrap()
    }

    async fn look(&self, no: u32) -> u8 {
        mtr::run(&self.core, 0, |w| {
            let mut g = w.gather();
            let p = g.fix(page(no), LatchMode::S)?;
            assert_eq!(crate::page::page_id(g.bytes(p)), page(no));
            Ok(g.bytes(p)[UNDO_BODY])
        })
        .await
        .unwrap()
    }

    /// LSN and byte of a page as they would survive a crash.
    fn home(&self, no: u32) -> (Lsn, u8) {
        let files = self.disk.0.lock().unwrap();
        let f = files[&space::path_of(space::UNDO)].synced.lock().unwrap();
        let p = &f[no as usize * PAGE..][..PAGE];
        (crate::page::lsn(p), p[UNDO_BODY])
    }
}

/// Committers append and flush side by side: what is durable for one is whole on the device, up to its end.
#[test]
fn durable_log_is_whole() {
    explore(400, || {
        let disk = Arc::new(MemDisk::default());
        let rt = SimRt::new(1).rt();
        let log = Arc::new(block_on(log(&rt, &disk)));
        join([10usize, 40, 25].map(|n| {
            let (log, disk) = (log.clone(), disk.clone());
            spawn(move || {
                block_on(async {
                    let grant = log.grant(n + 8).await.unwrap();
                    let mut rec = Vec::new();
                    Redo::UndoAppend { data: &vec![n as u8; n] }.encode(
                        Some(page(2)),
                        &mut None,
                        &mut rec,
                    );
                    let end = log.append(grant, &rec, |_, _| ());
                    log.flush_to(end, Reach::Durable).await.unwrap();
                    assert!(log.durable() >= end);
                    // Reading the log back is too slow for Miri.
                    assert!(cfg!(miri) || synced_end(&disk).await >= end, "answered too early");
                });
            })
        }));
    });
}

/// Of three grants two fill the buffer, so that nothing can be written: anyone who waits for room hears of a grant that is given
/// back and of one that is used, and does not spin meanwhile.
#[test]
fn a_full_buffer_of_grants_empties() {
    explore(400, || {
        let disk = Arc::new(MemDisk::default());
        let rt = SimRt::new(1).rt();
        let log = Arc::new(block_on(log(&rt, &disk)));
        join([10usize, 0, 25].map(|n| {
            let log = log.clone();
            spawn(move || {
                block_on(async {
                    let grant = log.grant(4500).await.unwrap();
                    if n > 0 {
                        log.append(grant, &vec![n as u8; n], |_, _| ());
                    }
                });
            })
        }));
    });
}

/// Where the log would end after a crash now.
async fn synced_end(disk: &MemDisk) -> Lsn {
    let copy = Arc::new(MemDisk::default());
    for (name, f) in disk.0.lock().unwrap().iter() {
        let bytes = f.synced.lock().unwrap().clone();
        let file = MemFile { now: StdMutex::new(bytes), ..MemFile::default() };
        copy.0.lock().unwrap().insert(name.clone(), Arc::new(file));
    }
    let segments = Segments::open(copy, IoMode::Buffered, 20480, [7; 16]).await.unwrap();
    let control = state();
    let mut r = LogReader::new(&Arc::new(segments), &control, START);
    while r.next().await.unwrap().is_some() {}
    r.position
}

/// A change is either home or behind the checkpoint's candidate.
#[test]
fn a_checkpoint_passes_no_change() {
    explore(400, || {
        let s = block_on(Small::new(8));
        let (w, f) = (s.clone(), s.clone());
        let writer =
            spawn(move || block_on(async { [(2, w.bump(2).await), (3, w.bump(3).await)] }));
        let flusher = spawn(move || {
            block_on(f.core.pool.list_batch(&f.core.log, &oldest(2))).unwrap();
        });
        let candidate = reachable(&s.core);
        let home = [2, 3].map(|no| (no, s.home(no).0));
        for (no, end) in writer.join().unwrap() {
            let lsn = home.iter().find(|h| h.0 == no).unwrap().1;
            // A candidate is the end of a group, so one that is not behind the whole group is before it.
            assert!(
                candidate < end || end <= lsn,
                "checkpoint {candidate} passes the change of page {no} that ends at {end}, home is {lsn}"
            );
        }
        join([flusher]);
    });
}

/// Writers change a page while it is being written: in the end it is dirty or home as it is.
#[test]
fn a_change_during_a_write_is_kept() {
    explore(400, || {
        let s = block_on(Small::new(8));
        block_on(s.bump(2));
        let (w, f) = (s.clone(), s.clone());
        let writer = spawn(move || {
            block_on(w.bump(2));
        });
        let flusher = spawn(move || {
            block_on(f.core.pool.list_batch(&f.core.log, &oldest(1))).unwrap();
        });
        join([writer, flusher]);
        assert!(s.core.pool.dirty_pages() > 0 || s.home(2).1 == 2);
        block_on(s.core.pool.flush_all(&s.core.log)).unwrap();
        assert_eq!(s.home(2).1, 2);
    });
}

/// More pages than frames: reads, evictions and changes meet; nobody waits for ever, nobody sees a wrong page.
#[test]
fn pages_come_and_go() {
    explore(300, || {
        let s = block_on(Small::new(5));
        s.core.pool.evict_clean(4);
        let users = [[2, 3], [3, 2], [2, 4]].map(|pages| {
            let s = s.clone();
            spawn(move || {
                for no in pages {
                    block_on(s.look(no));
                }
            })
        });
        block_on(s.bump(2));
        let f = s.clone();
        let flusher = spawn(move || block_on(f.core.pool.flush_all(&f.core.log)).unwrap());
        s.core.pool.evict_clean(2);
        assert_eq!(block_on(s.look(2)), 1);
        join(users);
        join([flusher]);
        assert_eq!(block_on(s.look(2)), 1);
        let wrong = (2..6).find(|no| {
            s.core
                .pool
                .fix(page(*no), LatchMode::X, Access::Point)
                .is_err_and(|w| matches!(w, crate::pool::PageWait::Latch(..)))
        });
        assert_eq!(wrong, None, "a latch was left behind");
    });
}

/// A page gets a new life while somebody reads its old one: the new one stays.
#[test]
fn a_new_life_is_not_overwritten_by_a_read() {
    explore(3000, || {
        let s = block_on(Small::new(5));
        s.core.pool.evict_clean(4);
        let (r, f) = (s.clone(), s.clone());
        let reader = spawn(move || {
            block_on(r.look(4));
        });
        let former = spawn(move || {
            block_on(async {
                mtr::run(&f.core, 96, |w| {
                    let mut g = w.gather();
                    let p = g.create(page(4))?;
                    let mut a = g.seal(80)?;
                    a.record(p, &Redo::PageInit { kind: PageType::Undo as u8, owner: 1 });
                    a.record(p, &Redo::Bytes { off: UNDO_BODY as u32, data: &[9] });
                    a.commit();
                    Ok(())
                })
                .await
                .unwrap();
                f.core.pool.flush_all(&f.core.log).await.unwrap();
                f.core.pool.evict_clean(4);
            });
        });
        join([reader, former]);
        assert_eq!(block_on(s.look(4)), 9);
    });
}

/// Transactions take locks in circles of two and of three: they end, and one of them is enough to give way.
#[test]
fn a_deadlock_has_one_victim() {
    circle([[1, 2], [2, 1]]);
    circle([[1, 2], [2, 3], [3, 1]]);
}

fn circle<const N: usize>(wants: [[u8; 2]; N]) {
    explore(500, move || {
        let table = LockTable::new();
        let victims = Arc::new(StdMutex::new(0));
        join(wants.map(|keys| {
            let (table, victims) = (table.clone(), victims.clone());
            spawn(move || {
                let me = TrxLocks::new(0);
                for k in keys {
                    let name = LockName::new(5, Some(&[k]));
                    if let Some(Outcome::Wait(w)) =
                        table.lock(&me, &name, Mode::X, Kind::Record, true)
                        && block_on(w).is_err()
                    {
                        *victims.lock().unwrap() += 1;
                        break;
                    }
                }
                table.release_all(&me);
            })
        }));
        assert!(*victims.lock().unwrap() <= 1);
        assert_eq!(table.count(), 0);
    });
}

/// A lock that goes from one to another while a third waits: circles through the new holder are found too.
#[test]
fn everybody_gets_a_lock_or_gives_way() {
    explore(500, || {
        let table = LockTable::new();
        let wants = [
            [(1u8, Mode::X), (2, Mode::X)],
            [(1, Mode::S), (2, Mode::S)],
            [(2, Mode::S), (1, Mode::X)],
        ];
        join(wants.map(|locks| {
            let table = table.clone();
            spawn(move || {
                let me = TrxLocks::new(0);
                for (k, mode) in locks {
                    let name = LockName::new(5, Some(&[k]));
                    if let Some(Outcome::Wait(w)) =
                        table.lock(&me, &name, mode, Kind::NextKey, true)
                        && block_on(w).is_err()
                    {
                        break;
                    }
                }
                table.release_all(&me);
            })
        }));
        assert_eq!(table.count(), 0);
        assert!(!table.has_gaps(5));
    });
}

/// A lock that goes from its queue into a range is found by everybody who asks for it meanwhile.
#[test]
fn a_folded_lock_excludes_like_any_other() {
    explore(500, || {
        let table = LockTable::new();
        let inside = Arc::new(StdMutex::new(false));
        let wants: [&[u8]; 3] = [&[1, 2, 3, 4], &[2], &[3, 4]];
        join(wants.map(|keys| {
            let (table, inside) = (table.clone(), inside.clone());
            spawn(move || {
                let me = TrxLocks::new(0);
                let mut run = LockRun::default();
                let mut has = true;
                for k in keys {
                    let name = LockName::new(5, Some(&[*k]));
                    let what = (Mode::X, Kind::NextKey);
                    if let Some(Outcome::Wait(w)) = table.lock(&me, &name, what.0, what.1, true)
                        && block_on(w).is_err()
                    {
                        has = false;
                        break;
                    }
                    table.locked_next(&me, &mut run, (5, &[*k]), what);
                }
                // The first scan excludes both others.
                if has && keys.len() != 1 {
                    assert!(!std::mem::replace(&mut *inside.lock().unwrap(), true));
                    thread::yield_now();
                    *inside.lock().unwrap() = false;
                }
                table.release_all(&me);
            })
        }));
        assert_eq!(table.count(), 0);
        assert!(!table.has_gaps(5));
    });
}

/// Purge's horizon is never above a view in use, and a view sees exactly the commits that ended before it.
#[test]
fn purge_stays_behind_every_view() {
    explore(500, || {
        let sys = Arc::new(TrxSys::new(SimRt::new(1).rt(), 1, 1));
        sys.adopt(1, &TrxLocks::new(0));
        sys.adopt(2, &TrxLocks::new(0));
        let committers = [1, 2].map(|id| {
            let sys = sys.clone();
            spawn(move || {
                let no = sys.begin_commit();
                thread::yield_now();
                sys.end_commit(id, no);
                let v = sys.open_view();
                assert!(v.sees(id), "a new view does not see what was committed before it");
                v.close();
            })
        });
        let view = sys.open_view();
        let seen = [1, 2].map(|id| view.sees(id));
        for _ in 0..2 {
            assert!(sys.oldest_view().no <= view.no);
            assert_eq!([1, 2].map(|id| view.sees(id)), seen);
            thread::yield_now();
        }
        view.close();
        join(committers);
    });
}
