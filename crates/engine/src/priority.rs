//! For whom something is done: a session like any other, one that gives way (`weir_priority`), or the engine itself.
//!
//! The class belongs to a future: while it is polled, its thread has its class. Who asks is about to wait for a device or for
//! other sessions anyway, so sessions of the foreground pay nothing on their way through memory.
//!
//! Invariant: giving way is bounded in time, ends when somebody waits for a lock of who gives way, and happens with nothing
//! latched and before others can come to depend on it (a page read is not registered yet).

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::cell::RefCell;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use weir_rt::Rt;

/// Whether a foreground session waits for a lock of who gives way.
pub type Wanted = Arc<dyn Fn() -> bool + Send + Sync>;

#[derive(Clone, Default)]
pub enum Class {
    #[default]
    Foreground,
    Background(Wanted),
    /// Purge, rollback and read-ahead that nobody waits for: they give way to nobody, and nobody gives way to them.
    Engine,
}

thread_local! {
    static CURRENT: RefCell<Class> = const { RefCell::new(Class::Foreground) };
}

/// The class of a future on this thread, until the end of one poll.
struct Entered(Class);

impl Entered {
    fn new(class: Class) -> Entered {
        Entered(CURRENT.replace(class))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(std::mem::take(&mut self.0));
    }
}

pub async fn in_class<F: Future>(class: Class, f: F) -> F::Output {
    let mut f = Box::pin(f);
    std::future::poll_fn(move |cx| {
        let _entered = Entered::new(class.clone());
        f.as_mut().poll(cx)
    })
    .await
}

/// Runs what a background session does outside of its statements, as is planning, where it holds nothing new.
pub async fn in_background<F: Future>(f: F) -> F::Output {
    in_class(Class::Background(Arc::new(|| false)), f).await
}

pub fn is_foreground() -> bool {
    CURRENT.with_borrow(|c| matches!(c, Class::Foreground))
}

fn background() -> Option<Wanted> {
    CURRENT.with_borrow(|c| match c {
        Class::Background(w) => Some(w.clone()),
        _ => None,
    })
}

/// The foreground counts as idle after this many nanoseconds without a sign of it.
pub const IDLE: u64 = 100_000_000;

/// When a counter of the foreground moved last, as seen by those who give way.
#[derive(Default)]
pub struct Activity(Mutex<(u64, u64)>);

impl Activity {
    pub fn is_idle(&self, count: u64, now: u64) -> bool {
        let mut seen = self.0.lock();
        if seen.0 != count {
            *seen = (count, now);
        }
        seen.1 == 0 || now.saturating_sub(seen.1) >= IDLE
    }
}

/// Page reads by class.
#[derive(Default)]
pub struct Reads {
    /// Of the foreground: at the device now, and since the start.
    foreground: AtomicUsize,
    begun: AtomicU64,
    background: AtomicUsize,
    /// Pages at the device, of all classes.
    pages: AtomicUsize,
    activity: Activity,
    /// Of the background: how many gave way, nanoseconds together.
    pub delayed: AtomicU64,
    pub delayed_nanos: AtomicU64,
}

/// A read at the device.
pub struct Reading<'r> {
    reads: &'r Reads,
    of_class: Option<&'r AtomicUsize>,
    pages: usize,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        if let Some(n) = self.of_class {
            n.fetch_sub(1, Ordering::Relaxed);
        }
        self.reads.pages.fetch_sub(self.pages, Ordering::Relaxed);
    }
}

/// The longest that one page read gives way, and how often it looks.
const READ_PATIENCE: u64 = 20_000_000;
const READ_LOOK: Duration = Duration::from_micros(500);

impl Reads {
    /// A request for so many pages goes to the device.
    pub fn begin(&self, pages: usize) -> Reading<'_> {
        let n = CURRENT.with_borrow(|c| match c {
            Class::Foreground => Some(&self.foreground),
            Class::Background(_) => Some(&self.background),
            Class::Engine => None,
        });
        if let Some(n) = n {
            n.fetch_add(1, Ordering::Relaxed);
            if std::ptr::eq(n, &self.foreground) {
                self.begun.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.pages.fetch_add(pages, Ordering::Relaxed);
        Reading { reads: self, of_class: n, pages }
    }

    /// Pages that are being read now, for whomever.
    pub fn pages_at_device(&self) -> usize {
        self.pages.load(Ordering::Relaxed)
    }

    /// Reads that the foreground has begun.
    pub fn by_foreground(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// Called before a page is asked for: a background session lets the reads of others end, and reads one page at a time,
    /// together with its like, while others read now and then.
    pub async fn give_way(&self, rt: &Rt) {
        let Some(wanted) = background() else { return };
        let begun = rt.now();
        let mut now = begun;
        while self.is_in_the_way(now) && now - begun < READ_PATIENCE && !wanted() {
            rt.sleep(READ_LOOK).await;
            now = rt.now();
        }
        if now > begun {
            self.delayed.fetch_add(1, Ordering::Relaxed);
            self.delayed_nanos.fetch_add(now - begun, Ordering::Relaxed);
        }
    }

    /// The foreground reads now, or does now and then and another of the background reads.
    fn is_in_the_way(&self, now: u64) -> bool {
        let alone = self.background.load(Ordering::Relaxed) == 0
            || self.activity.is_idle(self.by_foreground(), now);
        self.foreground.load(Ordering::Relaxed) > 0 || !alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_rt::sim::SimRt;

    #[test]
    fn a_class_lasts_while_its_future_is_polled() {
        let sim = SimRt::new(1);
        sim.run(async {
            assert!(is_foreground());
            in_background(async {
                assert!(background().is_some());
                in_class(Class::Engine, async { assert!(!is_foreground()) }).await;
                weir_rt::yield_now().await;
                assert!(background().is_some());
            })
            .await;
            assert!(is_foreground() && background().is_none());
        })
        .unwrap();
    }

    #[test]
    fn pages_count_for_all_and_requests_for_sessions() {
        let sim = SimRt::new(1);
        sim.run(async {
            let r = Reads::default();
            let session = r.begin(1);
            let ahead = in_class(Class::Engine, async { r.begin(64) }).await;
            assert_eq!((r.pages_at_device(), r.by_foreground()), (65, 1));
            drop(session);
            assert!(!r.is_in_the_way(IDLE) && r.pages_at_device() == 64);
            drop(ahead);
            assert_eq!(r.pages_at_device(), 0);
        })
        .unwrap();
    }

    #[test]
    fn activity_fades() {
        let a = Activity::default();
        assert!(a.is_idle(0, 5));
        assert!(!a.is_idle(3, 10));
        assert!(!a.is_idle(3, 9 + IDLE));
        assert!(a.is_idle(3, 10 + IDLE));
        assert!(!a.is_idle(4, 11 + IDLE));
    }

    /// Nanoseconds that a background read gives way while the foreground reads, and whether it is wanted.
    fn waits(reading: bool, another: bool, is_wanted: bool) -> u64 {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        sim.run(async move {
            let r = Reads::default();
            let held = reading.then(|| r.begin(1));
            if another {
                // The foreground has read a moment ago, and another background session reads.
                drop(r.begin(1));
                r.background.fetch_add(1, Ordering::Relaxed);
            }
            let begun = rt.now();
            let class = Class::Background(Arc::new(move || is_wanted));
            in_class(class, r.give_way(&rt)).await;
            drop(held);
            let waited = rt.now() - begun;
            assert_eq!(r.delayed.load(Ordering::Relaxed), u64::from(waited > 0));
            assert_eq!(r.delayed_nanos.load(Ordering::Relaxed), waited);
            waited
        })
        .unwrap()
    }

    #[test]
    fn a_read_gives_way_for_a_while_and_never_when_its_locks_are_wanted() {
        assert_eq!(waits(false, false, false), 0);
        assert!((READ_PATIENCE..READ_PATIENCE * 2).contains(&waits(true, false, false)));
        assert!((READ_PATIENCE..READ_PATIENCE * 2).contains(&waits(false, true, false)));
        assert_eq!(waits(true, true, true), 0);
    }
}
