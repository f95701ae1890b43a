//! The production runtime: real clock, a thread per background task, one timer thread.

#[cfg(not(miri))]
use crate::clock;
use crate::rng::Rng;
use crate::{Nanos, Runtime, Task, lock};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Stack of a background task's thread.
const STACK: usize = 512 * 1024;

pub struct Real {
    start: Instant,
    /// The monotonic clock at `start`.
    #[cfg(not(miri))]
    origin: Nanos,
    random: Mutex<Rng>,
    timers: Arc<Timers>,
}

/// Timers of a runtime, and the thread that fires them.
#[derive(Default)]
struct Timers {
    list: Mutex<List>,
    /// There is an earlier timer than before, or the runtime is gone.
    changed: Condvar,
}

#[derive(Default)]
struct List {
    map: BTreeMap<(Nanos, u64), Waker>,
    at: BTreeMap<u64, Nanos>,
    next: u64,
    /// The runtime is gone.
    over: bool,
}

impl Real {
    pub fn start() -> Arc<Real> {
        let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64)
            ^ (u64::from(std::process::id()) << 40)
            ^ (Instant::now().elapsed().as_nanos() as u64).rotate_left(32);
        let timers = Arc::new(Timers::default());
        let start = Instant::now();
        let r = Arc::new(Real {
            start,
            #[cfg(not(miri))]
            origin: clock::read(clock::EXACT),
            random: Mutex::new(Rng::new(seed)),
            timers: timers.clone(),
        });
        spawn_thread("weir-timer", move || timers.fire(start));
        r
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        lock(&self.timers.list).over = true;
        self.timers.changed.notify_one();
    }
}

fn nanos_since(start: Instant) -> Nanos {
    start.elapsed().as_nanos() as u64 + 1
}

fn spawn_thread(name: &str, f: impl FnOnce() + Send + 'static) {
    let made = std::thread::Builder::new().name(name.to_string()).stack_size(STACK).spawn(f);
    if let Err(e) = made {
        // Without its background threads the engine cannot keep any promise.
        panic!("cannot start thread '{name}': {e}");
    }
}

impl List {
    /// Takes out the timers whose time has come.
    fn take_due(&mut self, now: Nanos) -> Vec<Waker> {
        let mut due = Vec::new();
        while let Some((&(at, key), _)) = self.map.first_key_value() {
            if at > now {
                break;
            }
            due.extend(self.map.remove(&(at, key)));
            self.at.remove(&key);
        }
        due
    }
}

impl Timers {
    /// Fires due timers until the runtime is gone. It sleeps until the next one is due, however long that is: a server without work is
    /// woken by its own tasks alone.
    fn fire(&self, start: Instant) {
        let mut list = lock(&self.list);
        while !list.over {
            let now = nanos_since(start);
            let due = list.take_due(now);
            if !due.is_empty() {
                drop(list);
                due.into_iter().for_each(Waker::wake);
                list = lock(&self.list);
                continue;
            }
            list = match list.map.first_key_value() {
                None => self.changed.wait(list).unwrap_or_else(PoisonError::into_inner),
                Some((&(at, _), _)) => {
                    let wait = Duration::from_nanos(at - now);
                    let woken = self.changed.wait_timeout(list, wait);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl Runtime for Real {
    fn now(&self) -> Nanos {
        nanos_since(self.start)
    }

    /// The kernel's own coarse clock: as old as the last tick of its timer, and read without a system call.
    #[cfg(not(miri))]
    fn coarse_now(&self) -> Nanos {
        clock::read(clock::COARSE).saturating_sub(self.origin) + 1
    }

    fn wall_micros(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_micros() as u64)
    }

    fn random_u64(&self) -> u64 {
        lock(&self.random).next_u64()
    }

    fn fill_random(&self, out: &mut [u8]) -> std::io::Result<()> {
        use rustix::rand::{GetRandomFlags, getrandom};
        let mut rest = out;
        while !rest.is_empty() {
            // More than 256 bytes may come in parts; a signal interrupts.
            match getrandom(&mut *rest, GetRandomFlags::empty()) {
                Ok(n) => rest = &mut rest[n..],
                Err(e) if e == rustix::io::Errno::INTR => {}
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }

    fn is_sim(&self) -> bool {
        false
    }

    fn processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn spawn(&self, name: &str, task: Task) {
        spawn_thread(name, move || {
            let mut task = task;
            block_on(task.as_mut());
        });
    }

    fn timer_on(&self, at: Nanos, waker: Waker) -> u64 {
        let mut t = lock(&self.timers.list);
        let key = t.next;
        t.next += 1;
        let first = t.map.first_key_value().is_none_or(|(&(a, _), _)| at < a);
        t.map.insert((at, key), waker);
        t.at.insert(key, at);
        drop(t);
        if first {
            self.timers.changed.notify_one();
        }
        key
    }

    fn timer_off(&self, key: u64) {
        let mut t = lock(&self.timers.list);
        if let Some(at) = t.at.remove(&key) {
            t.map.remove(&(at, key));
        }
    }
}

/// A thread's waker: unparks it.
struct Parker {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.woken.swap(true, Ordering::AcqRel) {
            self.thread.unpark();
        }
    }
}

thread_local! {
    static PARKER: RefCell<Option<Arc<Parker>>> = const { RefCell::new(None) };
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Inside `block_on`: the thread is its task's own, so blocking it harms nobody else.
pub fn on_dedicated_thread() -> bool {
    DEPTH.get() > 0
}

struct Depth;

impl Depth {
    fn enter() -> Depth {
        DEPTH.set(DEPTH.get() + 1);
        Depth
    }
}

impl Drop for Depth {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

pub fn block_on<F: Future + ?Sized>(mut f: Pin<&mut F>) -> F::Output {
    let _depth = Depth::enter();
    // A nested call gets a parker of its own, so that it does not eat the outer one's wake-ups.
    let own = PARKER.with_borrow_mut(Option::take).unwrap_or_else(|| {
        Arc::new(Parker { thread: std::thread::current(), woken: AtomicBool::new(false) })
    });
    let waker = Waker::from(own.clone());
    let mut cx = Context::from_waker(&waker);
    let out = loop {
        // An exchange, not a store: a waker that still finds `true` here does not unpark, so what it changed before must be
        // seen by the poll below.
        own.woken.swap(false, Ordering::AcqRel);
        if let Poll::Ready(v) = f.as_mut().poll(&mut cx) {
            break v;
        }
        while !own.woken.load(Ordering::Acquire) {
            std::thread::park();
        }
    };
    PARKER.with_borrow_mut(|p| *p = Some(own));
    out
}

#[cfg(test)]
mod tests {
    use crate::Rt;
    use std::time::Duration;

    #[test]
    fn tasks_sleep_and_join() {
        let rt = Rt::real();
        let r2 = rt.clone();
        let h = rt.spawn("t", async move {
            r2.sleep(Duration::from_millis(5)).await;
            7
        });
        assert_eq!(rt.block_on(h), 7);
        let none = rt.block_on(rt.timeout(Duration::from_millis(5), std::future::pending::<()>()));
        assert!(none.is_none());
        assert_eq!(rt.block_on(rt.timeout(Duration::from_secs(60), async { 3 })), Some(3));
    }

    #[test]
    fn the_coarse_clock_follows_the_exact_one() {
        let rt = Rt::real();
        for _ in 0..3 {
            let (before, coarse, after) = (rt.now(), rt.coarse_now(), rt.now());
            assert!(coarse <= after, "{coarse} {after}");
            assert!(coarse + 100_000_000 > before, "{coarse} {before}");
            rt.block_on(rt.sleep(Duration::from_millis(20)));
        }
    }

    #[test]
    fn the_timer_ends_with_its_runtime() {
        let real = super::Real::start();
        let timers = std::sync::Arc::downgrade(&real.timers);
        drop(real);
        while timers.upgrade().is_some() {
            std::thread::yield_now();
        }
    }
}
