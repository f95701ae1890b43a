//! In which order frames become free for a session that needs one.

use super::evict::{FEW, NEAR, PATIENCE};
use super::*;
use crate::ids::LSN_START;
use crate::page::slotted;
use std::time::Duration;
use weir_disk::Mode;
use weir_disk::sim::SimDisk;
use weir_rt::sim::SimRt;

const FRAMES: u32 = 128;
const PATIENCE_NANOS: u64 = PATIENCE.as_nanos() as u64;

fn page(no: u32) -> PageId {
    PageId::new(9, no)
}

fn empty(rt: Rt, frames: usize) -> Pool {
    let disk = Arc::new(SimDisk::new(rt.clone(), 1));
    let spaces = Arc::new(Spaces::new(disk, Mode::Buffered, 4096, [1; 16]));
    let o = PoolOptions { page_size: 4096, frames, frames_max: frames, age_span: 1 << 20 };
    let end = Arc::new(crate::sync::atomic::AtomicU64::new(u64::MAX));
    Pool::new(rt.clone(), Waits::new(rt), spaces, &o, None, end).unwrap()
}

/// A full pool with one page behind the other in the order of eviction; those in `dirty` are.
fn full(rt: Rt, dirty: std::ops::Range<u32>) -> Pool {
    let pool = empty(rt, FRAMES as usize);
    for no in 0..FRAMES {
        // As if it had been here before: then it goes to the end of the main queue.
        pool.replace.lock().note_evicted(page(no));
        let mut g = pool.create(page(no)).map_err(|_| "a free frame").unwrap();
        if dirty.contains(&no) {
            g.stamp(LSN_START + 1, LSN_START + 2);
        }
    }
    assert_eq!(pool.free_frames(), 0);
    pool
}

fn resident(pool: &Pool) -> Vec<bool> {
    (0..FRAMES).map(|no| pool.table.find(&pool.frames, page(no)).is_some()).collect()
}

/// Pages that are not in memory any more.
fn gone(pool: &Pool) -> Vec<u32> {
    let here = resident(pool);
    (0..FRAMES).filter(|no| !here[*no as usize]).collect()
}

#[test]
fn a_clean_page_near_eviction_goes_before_anybody_waits() {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    sim.run(async move {
        // The last eight that a session looks at are clean.
        let near = NEAR as u32;
        let pool = full(rt.clone(), 0..near - 8);
        let begun = rt.now();
        assert!(pool.frame_free().await.unwrap());
        assert_eq!(rt.now(), begun);
        assert_eq!(gone(&pool), (near - 8..near).collect::<Vec<_>>());
        // The dirty ones are still the next in line, in their order.
        let mut next = Vec::new();
        pool.replace.lock().coldest(&pool.frames, 3, &mut next);
        assert_eq!(
            next.iter().map(|no| pool.frames[*no as usize].id().page).collect::<Vec<_>>(),
            [0, 1, 2]
        );
    })
    .unwrap();
}

#[test]
fn the_cleaner_is_waited_for_before_clean_pages_further_back_go() {
    let sim = SimRt::new(2);
    let rt = sim.rt();
    sim.run(async move {
        let near = NEAR as u32;
        let pool = Arc::new(full(rt.clone(), 0..near));
        let (p, rt2) = (pool.clone(), rt.clone());
        let cleaner = rt.spawn("cleaner", async move {
            p.frames_wanted.notified().await;
            rt2.sleep(Duration::from_millis(5)).await;
            let no = p.table.find(&p.frames, page(0)).expect("dirty pages stay");
            p.mark_clean(no);
            assert_eq!(p.evict_near(1, 1), 1);
        });
        let begun = rt.now();
        assert!(pool.frame_free().await.unwrap());
        assert_eq!(rt.now() - begun, 5_000_000);
        assert_eq!(gone(&pool), [0], "what the cleaner wrote, nothing from behind");
        cleaner.await;
    })
    .unwrap();
}

#[test]
fn clean_pages_further_back_go_when_the_cleaner_does_not_come() {
    let sim = SimRt::new(3);
    let rt = sim.rt();
    sim.run(async move {
        let near = NEAR as u32;
        let pool = full(rt.clone(), 0..near + 2);
        let begun = rt.now();
        assert!(pool.frame_free().await.unwrap());
        let waited = rt.now() - begun;
        assert!((PATIENCE_NANOS..PATIENCE_NANOS + 31_000_000).contains(&waited), "{waited}");
        assert_eq!(gone(&pool), (near + 2..near + 2 + FEW as u32).collect::<Vec<_>>());
    })
    .unwrap();
}

/// The order is exchanged while pages are being evicted: each resident page keeps its one place, and each can be evicted still.
#[test]
fn the_order_of_replacement_can_be_exchanged_at_any_moment() {
    use crate::policy::Replacement::{Midpoint, Queues};
    let sim = SimRt::new(4);
    let rt = sim.rt();
    sim.run(async move {
        let pool = full(rt.clone(), 0..20);
        for (n, how) in [Midpoint, Midpoint, Queues, Midpoint, Queues].into_iter().enumerate() {
            pool.replace_by(how);
            assert_eq!(pool.evict_near(5, 100), 5, "{how:?}");
            let left = FRAMES as usize - 5 * (n + 1);
            assert_eq!(pool.replace.lock().frames_in_order(), left, "{how:?}");
        }
        // A candidate taken from the queues comes back to the list, at its end.
        let victim = pool.replace.lock().victim(&pool.frames).expect("pages are left");
        pool.replace_by(Midpoint);
        pool.replace.lock().put_back(victim, &pool.frames);
        let next = pool.replace.lock().last_fitting(1, |_| true);
        assert_eq!(next, [victim.no]);
        // One that somebody else has emptied meanwhile, and that has another page: it is in the order already.
        pool.replace_by(Queues);
        let clean = loop {
            let v = pool.replace.lock().victim(&pool.frames).expect("pages are left");
            if !pool.frames[v.no as usize].is_dirty() {
                break v;
            }
            pool.replace.lock().put_back(v, &pool.frames);
        };
        assert!(pool.try_evict(clean.no, true));
        while pool.free_frames() > 0 {
            drop(pool.create(page(1000 + pool.free_frames() as u32)).map_err(|_| "free").unwrap());
        }
        let before = pool.replace.lock().frames_in_order();
        pool.replace.lock().put_back(clean, &pool.frames);
        pool.replace.lock().put_first(vec![clean], &pool.frames);
        assert_eq!(pool.replace.lock().frames_in_order(), before);
        // The same, with the very page that it had.
        let clean = pool.replace.lock().victim(&pool.frames).expect("pages are left");
        let id = pool.frames[clean.no as usize].id();
        assert!(pool.try_evict(clean.no, true));
        assert_eq!(pool.create(id).map_err(|_| "free").unwrap().frame(), clean.no);
        pool.replace.lock().put_back(clean, &pool.frames);
        pool.replace.lock().put_first(vec![clean], &pool.frames);
        assert_eq!(pool.replace.lock().frames_in_order(), before);
        pool.replace_by(Midpoint);
        // One taken from the list's end is emptied after the queues have it.
        let clean = pool.replace.lock().last_fitting(1, |no| !pool.frames[no as usize].is_dirty());
        pool.replace_by(Queues);
        let before = pool.replace.lock().frames_in_order();
        assert!(pool.try_evict(clean[0], false));
        assert_eq!(pool.replace.lock().frames_in_order(), before - 1);
        // All that is clean can go.
        pool.evict_clean(FRAMES as usize);
        assert_eq!(gone(&pool).len(), FRAMES as usize - 20);
    })
    .unwrap();
}

#[test]
fn a_list_gives_its_clean_pages_from_the_end() {
    let sim = SimRt::new(5);
    let rt = sim.rt();
    sim.run(async move {
        let pool = full(rt.clone(), 0..20);
        pool.replace_by(crate::policy::Replacement::Midpoint);
        // Dirty pages stay at the end, to be written; a page that was used goes to the front once others have left.
        assert_eq!(pool.evict_near(3, 100), 3);
        assert_eq!(gone(&pool), [20, 21, 22]);
        drop(pool.fix(page(23), LatchMode::S, Access::Scan).map_err(|_| "there").unwrap());
        assert_eq!(pool.evict_near(2, 100), 2);
        assert_eq!(gone(&pool), [20, 21, 22, 24, 25]);
        assert_eq!(pool.replaceable(21, usize::MAX), pool.free_frames() + 1);
    })
    .unwrap();
}

/// Behind the first hundred, sessions that wait look at a part of the list each, one at a time, and together at all of it.
#[test]
fn a_look_through_the_list_goes_on_where_the_last_one_ended() {
    let sim = SimRt::new(8);
    let rt = sim.rt();
    sim.run(async move {
        let pool = full(rt.clone(), 0..120);
        pool.replace_by(crate::policy::Replacement::Midpoint);
        {
            let _looking = pool.looked_to.lock();
            assert_eq!(pool.evict_further(), 0, "somebody else looks");
        }
        assert!(!pool.frame_free().await.unwrap(), "a hundred dirty pages");
        assert_eq!(pool.free_frames(), 0);
        assert!(pool.frame_free().await.unwrap());
        assert_eq!(gone(&pool), (120..120 + FEW as u32).collect::<Vec<_>>());
        assert!(pool.looked_to.lock().is_some(), "the rest is for the next");
    })
    .unwrap();
}

/// A page that was chosen may be written by somebody else and leave, before its neighbours are looked for.
#[test]
fn an_emptied_frame_has_no_neighbours() {
    use crate::policy::Neighbours::{Area, Run};
    let sim = SimRt::new(10);
    let rt = sim.rt();
    sim.run(async move {
        let pool = full(rt.clone(), 0..3);
        let [dirty, clean] = [0, 60].map(|no| pool.table.find(&pool.frames, page(no)).unwrap());
        assert!(pool.try_evict(clean, false));
        for how in [Area, Run] {
            for kind in [gate::Kind::List, gate::Kind::Lru] {
                let got = pool.with_neighbours(&[clean, dirty], how, 10, kind);
                assert_eq!((got.len(), got[0]), (3, dirty), "{how:?}");
            }
        }
    })
    .unwrap();
}

#[test]
fn a_batch_goes_on_in_the_list_where_it_was() {
    let sim = SimRt::new(9);
    let rt = sim.rt();
    sim.run(async move {
        let pool = full(rt.clone(), 0..30);
        pool.replace_by(crate::policy::Replacement::Midpoint);
        let pages = |list: &[FrameNo]| -> Vec<u32> {
            list.iter().map(|no| pool.frames[*no as usize].id().page).collect()
        };
        let (mut at, mut all) = (None, Vec::new());
        for want in [10, 3, 10] {
            let (chosen, next) = pool.last_writable(at, want);
            assert_eq!(chosen.len(), want);
            all.extend(pages(&chosen));
            at = next;
        }
        assert_eq!(all, (0..23).collect::<Vec<_>>());
        let (rest, next) = pool.last_writable(at, 10);
        assert_eq!((pages(&rest), next), ((23..30).collect(), None), "that was all");
    })
    .unwrap();
}

/// While the pool fills nothing leaves it, so no page that was read goes to the head of the list when it is used.
#[test]
fn an_extent_is_read_in_order_while_the_pool_fills() {
    use crate::policy::{ReadAhead, Replacement};
    let sim = SimRt::new(6);
    let rt = sim.rt();
    sim.run(async move {
        let pool = empty(rt, 2048);
        pool.replace_by(Replacement::Midpoint);
        for no in 0..200 {
            drop(pool.create(PageId::new(8, no)).map_err(|_| "a free frame").unwrap());
        }
        let built_in = ReadAhead { linear: Some(24), ..ReadAhead::default() };
        let plugin = ReadAhead { in_order: true, ..built_in };
        // Leaves in the order of their keys up to 127, and in none behind.
        let read = |no: u32| {
            let mut g = pool.create(page(no)).map_err(|_| "a free frame").unwrap();
            let next = if no < 128 { no + 1 } else { 7 * no };
            let (id, keys) = (g.id(), [no.to_be_bytes(), next.to_be_bytes()]);
            slotted::init(g.bytes_mut(), id, 7, 0, &keys[0], Some(&keys[1])).unwrap();
            // As one that was read enters.
            pool.replace.lock().admit(g.frame(), g.id(), false);
        };
        (0..192).for_each(read);
        let used = |no: u32| {
            drop(pool.fix(page(no), LatchMode::S, Access::Scan).map_err(|_| "there").unwrap())
        };
        for no in 0..24 {
            assert_eq!(pool.linear_extent(page(63), plugin), None, "{no} were used");
            assert_eq!(pool.linear_extent(page(63), built_in), None, "{no} were used");
            used(no);
        }
        assert_eq!(pool.linear_extent(page(63), plugin), Some(page(64)));
        assert_eq!(pool.linear_extent(page(63), built_in), Some(page(64)));
        (128..192).for_each(used);
        assert_eq!(pool.linear_extent(page(191), built_in), None, "the tree goes on elsewhere");
    })
    .unwrap();
}

/// Only the plugin compares when pages of an extent were used: the built-in InnoDB counts them.
#[test]
fn the_order_of_use_counts_from_the_plugin_on() {
    use crate::policy::{ReadAhead, Replacement};
    let sim = SimRt::new(7);
    let rt = sim.rt();
    sim.run(async move {
        let pool = empty(rt, 2048);
        pool.replace_by(Replacement::Midpoint);
        let built_in = ReadAhead { linear: Some(24), ..ReadAhead::default() };
        let plugin = ReadAhead { in_order: true, ..built_in };
        // The last page came first, so that its place in the list is the oldest.
        for no in (0..64).rev() {
            let mut g = pool.create(page(no)).map_err(|_| "a free frame").unwrap();
            let (id, keys) = (g.id(), [no.to_be_bytes(), (no + 1).to_be_bytes()]);
            slotted::init(g.bytes_mut(), id, 7, 0, &keys[0], Some(&keys[1])).unwrap();
        }
        assert_eq!(pool.linear_extent(page(63), plugin), None);
        assert_eq!(pool.linear_extent(page(63), built_in), Some(page(64)));
    })
    .unwrap();
}

#[test]
fn a_dirty_page_has_one_claim() {
    let sim = SimRt::new(7);
    let rt = sim.rt();
    sim.run(async move {
        let pool = full(rt.clone(), 0..4);
        assert!(pool.frames[0].claim().is_some(), "it is dirty");
        assert!(pool.frames[0].claim().is_none(), "somebody has it");
        pool.frames[0].release();
        assert!(pool.frames[0].claim().is_some());
        pool.frames[0].release();
        assert!(pool.frames[FRAMES as usize - 1].claim().is_none(), "there is nothing to write");
    })
    .unwrap();
}
