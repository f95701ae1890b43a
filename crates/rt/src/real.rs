//! The production runtime: real clock, a thread per background task, one timer thread.

use crate::rng::Rng;
use crate::{Nanos, Runtime, Task, lock};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Stack of a background task's thread.
const STACK: usize = 512 * 1024;

pub struct Real {
    start: Instant,
    coarse: AtomicU64,
    random: Mutex<Rng>,
    timers: Mutex<Timers>,
    changed: Condvar,
}

#[derive(Default)]
struct Timers {
    map: BTreeMap<(Nanos, u64), Waker>,
    at: BTreeMap<u64, Nanos>,
    next: u64,
}

impl Real {
    pub fn start() -> Arc<Real> {
        let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64)
            ^ (u64::from(std::process::id()) << 40)
            ^ (Instant::now().elapsed().as_nanos() as u64).rotate_left(32);
        let r = Arc::new(Real {
            start: Instant::now(),
            coarse: AtomicU64::new(0),
            random: Mutex::new(Rng::new(seed)),
            timers: Mutex::new(Timers::default()),
            changed: Condvar::new(),
        });
        let weak = Arc::downgrade(&r);
        spawn_thread("weir-timer", move || timer_thread(&weak));
        r
    }
}

fn spawn_thread(name: &str, f: impl FnOnce() + Send + 'static) {
    let made = std::thread::Builder::new().name(name.to_string()).stack_size(STACK).spawn(f);
    if let Err(e) = made {
        // Without its background threads the engine cannot keep any promise.
        panic!("cannot start thread '{name}': {e}");
    }
}

/// Fires due timers; looks up now and then whether the runtime still exists, and keeps the coarse clock fresh.
fn timer_thread(rt: &Weak<Real>) {
    const BEAT: Duration = Duration::from_millis(5);
    while let Some(r) = rt.upgrade() {
        let now = r.now();
        r.coarse.store(now, Ordering::Relaxed);
        let mut due = Vec::new();
        {
            let mut t = lock(&r.timers);
            while let Some((&(at, key), _)) = t.map.first_key_value() {
                if at > now {
                    break;
                }
                if let Some(w) = t.map.remove(&(at, key)) {
                    due.push(w);
                }
                t.at.remove(&key);
            }
        }
        for w in due {
            w.wake();
        }
        let t = lock(&r.timers);
        let next = t.map.first_key_value().map(|(&(at, _), _)| at);
        let wait = next.map_or(BEAT, |at| Duration::from_nanos(at.saturating_sub(now)).min(BEAT));
        // Idle: nothing to fire, so the beat may be slow.
        let wait = if next.is_none() { wait * 4 } else { wait };
        drop(r.changed.wait_timeout(t, wait));
    }
}

impl Runtime for Real {
    fn now(&self) -> Nanos {
        self.start.elapsed().as_nanos() as u64 + 1
    }

    fn coarse_now(&self) -> Nanos {
        self.coarse.load(Ordering::Relaxed)
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
        let mut t = lock(&self.timers);
        let key = t.next;
        t.next += 1;
        let first = t.map.first_key_value().is_none_or(|(&(a, _), _)| at < a);
        t.map.insert((at, key), waker);
        t.at.insert(key, at);
        drop(t);
        if first {
            self.changed.notify_one();
        }
        key
    }

    fn timer_off(&self, key: u64) {
        let mut t = lock(&self.timers);
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
}
