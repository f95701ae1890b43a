//! Posted writes on a device with a speed and with faults: how long it was busy, and what a failed write leaves.

use crate::flush::checkpoint::{checkpoint, reachable};
use crate::flush::control::FlushControl;
use crate::ids::{Lsn, PageId};
use crate::log::control::{Control, ControlFile};
use crate::log::{Log, Segments};
use crate::mtr::{self, Core, CoreStats};
use crate::page::PageType;
use crate::page::redo::{Redo, UNDO_BODY};
use crate::policy::{Batch, Cause, LeftOut, Mechanism, NO_LIMIT};
use crate::pool::{Access, LatchMode, LruBatch, Pool, PoolOptions};
use crate::space::{self, Spaces};
use crate::sync::atomic::Ordering;
use crate::waits::Waits;
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::{Fault, Op, SimDisk};
use weir_disk::{Disk, Mode, Speed, ThrottledDisk};
use weir_rt::Rt;
use weir_rt::sim::SimRt;

const PAGE: usize = 4096;
const START: Lsn = 4096;
const SEGMENT: u64 = 1 << 20;
const IOPS: u64 = 500;

fn state() -> Control {
    Control {
        seq: 0,
        id: [7; 16],
        page_size: PAGE as u32,
        checkpoint: START,
        segment_size: SEGMENT,
        segments: 0,
        clean: false,
        durable: START,
        sample: (0, 0),
        history: 0,
        damaged: Vec::new(),
        epochs: vec![(START, 1)],
    }
}

fn page(no: u32) -> PageId {
    PageId::new(space::UNDO, no)
}

/// A log, a pool that posts, and a file of pages that are all at home; nobody but the test writes.
struct World {
    core: Core,
    disk: SimDisk,
    rt: Rt,
}

impl World {
    async fn new(rt: &Rt, pages: u32, frames: usize) -> World {
        let disk = SimDisk::new(rt.clone(), 1);
        let speed = Speed::of_2009(IOPS);
        let device = ThrottledDisk::new(rt.clone(), Arc::new(disk.clone()), Some(speed));
        let device: Arc<dyn Disk> = Arc::new(device);
        let control = ControlFile::create_as(device.as_ref(), "weir.ctl", state()).await.unwrap();
        let segments = Segments::open(device.clone(), Mode::Buffered, SEGMENT, [7; 16]);
        let segments = segments.await.unwrap();
        for _ in 0..3 {
            segments.grow(START).await.unwrap();
        }
        let waits = Waits::new(rt.clone());
        let log =
            Log::new(rt.clone(), waits.clone(), segments, control, START, Vec::new(), 1 << 18);
        let spaces = Arc::new(Spaces::new(device, Mode::Direct, PAGE, [7; 16]));
        let o = PoolOptions { page_size: PAGE, frames, frames_max: frames, age_span: 1 << 20 };
        let end = log.durable_end();
        let pool = Pool::new(rt.clone(), waits.clone(), spaces.clone(), &o, None, end).unwrap();
        let (stats, flush) = (CoreStats::default(), FlushControl::default());
        let core = Core { pool, log, spaces, stats, flush, waits };
        core.spaces.create_file(space::UNDO, pages).await.unwrap();
        for no in 2..pages {
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
        core.pool.run_on(&Mechanism::simulated(1, 256));
        core.pool.open_posting();
        World { core, disk, rt: rt.clone() }
    }

    async fn change(&self, no: u32) {
        mtr::run(&self.core, 64, |w| {
            let mut g = w.gather();
            let p = g.fix(page(no), LatchMode::X)?;
            let next = g.bytes(p)[UNDO_BODY] + 1;
            let mut a = g.seal(48)?;
            a.record(p, &Redo::Bytes { off: UNDO_BODY as u32, data: &[next] });
            Ok(a.commit())
        })
        .await
        .unwrap();
    }

    /// First change of a page that is not being written.
    fn oldest(&self, no: u32) -> Lsn {
        let pool = &self.core.pool;
        let frame = pool.table.find(&pool.frames, page(no)).expect("all fit");
        pool.frames[frame as usize].oldest_lsn()
    }
}

fn run(test: impl AsyncFn(&Rt)) {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    sim.run(test(&rt)).expect("nothing waits for ever");
}

/// A device that is idle now and then writes as fast as it does while it is busy; the pauses count for nothing.
#[test]
fn busy_time_is_the_devices() {
    run(async |rt| {
        let w = World::new(rt, 130, 600).await;
        let (pool, s) = (&w.core.pool, w.core.pool.flush_stats());
        let n = |a: &crate::sync::atomic::AtomicU64| a.load(Ordering::Relaxed);
        let before = (n(&s.pages), n(&s.busy_nanos));
        let begun = w.rt.now();
        for round in 0..4 {
            // No two are adjacent.
            for no in (2..130).step_by(2) {
                w.change(no).await;
            }
            let batch = Batch::oldest(200, NO_LIMIT, Cause::Age);
            assert_eq!(pool.list_batch(&w.core.log, &batch).await.unwrap(), Some(64), "{round}");
            w.rt.sleep(Duration::from_secs(1)).await;
            while let Some(request) = pool.next_request() {
                pool.carry_out(&w.core.log, request).await.unwrap();
            }
        }
        let (pages, busy) = (n(&s.pages) - before.0, n(&s.busy_nanos) - before.1);
        assert_eq!(pages, 256);
        assert!(w.rt.now() - begun > busy + 3_900_000_000);
        let speed = pages as f64 * 1e9 / busy as f64;
        let real = IOPS as f64;
        assert!((real * 0.8..real * 1.3).contains(&speed), "{speed} pages/s on a device of {real}");
        // Two requests at once are busy at one time.
        w.change(2).await;
        w.change(4).await;
        let batch = Batch::oldest(2, NO_LIMIT, Cause::Age);
        pool.list_batch(&w.core.log, &batch).await.unwrap();
        let (before, begun) = (n(&s.busy_nanos), w.rt.now());
        let two = [(); 2].map(|()| pool.next_request().expect("two are posted"));
        let mut both: Vec<_> =
            two.into_iter().map(|r| Box::pin(pool.carry_out(&w.core.log, r))).collect();
        std::future::poll_fn(|cx| {
            both.retain_mut(|f| f.as_mut().poll(cx).is_pending());
            if both.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        assert_eq!(n(&s.busy_nanos) - before, w.rt.now() - begun);
    });
}

/// A write that fails: its pages are as dirty as they were, nothing stays on its way, and no checkpoint passes them.
#[test]
fn a_failed_write_leaves_its_pages_dirty() {
    run(async |rt| {
        let w = World::new(rt, 40, 200).await;
        let (pool, log) = (&w.core.pool, &w.core.log);
        // Copies are on their way, so pages can be changed meanwhile.
        let copies = LeftOut::named("written-latched").expect("a name");
        pool.run_on(&Mechanism::simulated(1, 256).without(copies));
        for no in 2..22 {
            w.change(no).await;
        }
        let dirty: Vec<Lsn> = (2..22).map(|no| w.oldest(no)).collect();
        assert!(dirty.iter().all(|lsn| *lsn > 0));
        // Half of them by each kind of batch.
        let by_age = Batch::oldest(10, NO_LIMIT, Cause::Age);
        assert_eq!(pool.list_batch(log, &by_age).await.unwrap(), Some(10));
        let by_use = LruBatch::simple(0, 10, Cause::Free);
        assert_eq!(pool.lru_batch(log, &by_use).await.unwrap(), Some(10));
        assert!(pool.list_running() && pool.lru_running());
        assert_eq!((pool.pages_in_flight(), pool.dirty_pages()), (20, 20));
        // Changed while its first change is on its way.
        w.change(2).await;
        let path = space::path_of(space::UNDO);
        let fault = move |op: &Op| (op.kind == "write" && op.path == path).then_some(Fault::Io);
        w.disk.set_fault(Some(Box::new(fault)));
        let mut failed = 0;
        while let Some(request) = pool.next_request() {
            assert!(pool.carry_out(log, request).await.is_err());
            failed += 1;
        }
        assert!(failed >= 1);
        w.disk.set_fault(None);
        assert!(!pool.list_running() && !pool.lru_running());
        assert_eq!((pool.pages_in_flight(), pool.dirty_pages()), (0, 20));
        assert_eq!((2..22).map(|no| w.oldest(no)).collect::<Vec<_>>(), dirty);
        assert!(!pool.has_unsynced());
        assert_eq!(reachable(&w.core), dirty[0]);
        // Nobody knows what is at home, so the log has ended.
        let before = log.checkpoint();
        assert!(log.failure().is_err() && checkpoint(&w.core).await.is_err());
        assert_eq!(log.checkpoint(), before);
        assert!(pool.flush_all(log).await.is_err());
    });
}

/// A page on its way can be read, and anyone who wants to change it waits until it is home, or until that has failed.
#[test]
fn a_page_on_its_way_is_latched() {
    run(async |rt| {
        let w = Arc::new(World::new(rt, 40, 200).await);
        let (pool, log) = (&w.core.pool, &w.core.log);
        for fails in [false, true] {
            w.change(2).await;
            let batch = Batch::oldest(1, NO_LIMIT, Cause::Age);
            assert_eq!(pool.list_batch(log, &batch).await.unwrap(), Some(1));
            assert!(pool.fix(page(2), LatchMode::S, Access::Point).is_ok());
            let (other, begun) = (w.clone(), rt.now());
            let waiting = rt.spawn("waits", async move {
                other.change(2).await;
                other.rt.now()
            });
            rt.sleep(Duration::from_secs(1)).await;
            let path = space::path_of(space::UNDO);
            let fault = move |op: &Op| (op.kind == "write" && op.path == path).then_some(Fault::Io);
            w.disk.set_fault(fails.then_some(Box::new(fault)));
            let request = pool.next_request().expect("one is posted");
            assert_eq!(pool.carry_out(log, request).await.is_err(), fails);
            assert!(waiting.await - begun >= 1_000_000_000, "{fails}");
            // A batch that waits for its end lets go of them too; after the failure the log has ended.
            w.disk.set_fault(None);
            let stop = Batch::oldest(1, NO_LIMIT, Cause::Stop);
            assert_eq!(pool.list_batch(log, &stop).await.is_err(), fails);
            assert!(pool.fix(page(2), LatchMode::X, Access::Point).is_ok());
        }
    });
}

/// More pages than slots: each that finds none is counted once.
#[test]
fn a_full_array_is_counted() {
    run(async |rt| {
        let w = World::new(rt, 100, 108).await;
        let (pool, log) = (&w.core.pool, &w.core.log);
        let slots = Mechanism::simulated(1, 256).slots_in(pool.size()) as u32;
        for no in 2..2 + slots + 5 {
            w.change(no).await;
        }
        let batch = Batch::oldest(1000, NO_LIMIT, Cause::UserSync);
        let mut post = Box::pin(pool.list_batch(log, &batch));
        let mut done = None;
        while done.is_none() {
            let soon = w.rt.timeout(Duration::from_millis(50), post.as_mut()).await;
            done = soon;
            if let Some(request) = pool.next_request() {
                pool.carry_out(log, request).await.unwrap();
            }
        }
        let waits = pool.flush_stats().slot_waits.load(Ordering::Relaxed);
        assert!((1..=5).contains(&waits), "{waits} waits for {slots} slots");
    });
}
