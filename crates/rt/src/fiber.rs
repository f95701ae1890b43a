//! Threads of a simulation: code that waits by blocking runs in one, a step at a time.
//!
//! The server's connections block on their clients. To simulate them as they are, each gets a thread of the system that is a task of the
//! simulated runtime: it runs only while the runtime polls that task, and the runtime waits meanwhile. So one thread runs at any
//! moment, and the order is the seed's.
//!
//! Invariants
//! - Of a runtime's own thread and all of its fibers exactly one runs: a thread that passes the turn on waits until it comes back.
//! - A fiber waits only in [`wait`], and holds no lock of `std` there: the others would wait for it without passing the turn on.
//! - A fiber whose task is dropped (the simulated process has crashed) unwinds: its destructors run, and they may not wait.

use crate::{Nanos, Rt, Task, lock};
use std::any::Any;
use std::cell::RefCell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) type Job = Box<dyn FnOnce() + Send>;
type Panic = Box<dyn Any + Send>;

/// Which thread runs.
enum Turn {
    Runtime,
    /// The fiber, with the waker of its task.
    Fiber(Waker),
    /// The runtime: the job is done, or has panicked.
    Over(Option<Panic>),
    /// The fiber, which is to unwind: its task was dropped.
    Dropped,
}

struct Handoff {
    turn: Mutex<Turn>,
    passed: Condvar,
}

/// What a fiber unwinds with when its task was dropped. No panic hook sees it.
struct Abandoned;

/// Some thread of this process is a fiber, so that threads have to look whether they are one.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    static MINE: RefCell<Option<Mine>> = const { RefCell::new(None) };
}

/// What a fiber knows of itself.
struct Mine {
    handoff: Arc<Handoff>,
    rt: Rt,
}

impl Handoff {
    fn pass(&self, to: Turn) {
        *lock(&self.turn) = to;
        self.passed.notify_all();
    }

    /// Waits until the fiber has the turn. `None`: its task was dropped.
    fn await_fiber(&self) -> Option<Waker> {
        let mut turn = lock(&self.turn);
        loop {
            match &*turn {
                Turn::Fiber(waker) => return Some(waker.clone()),
                Turn::Dropped => return None,
                Turn::Runtime | Turn::Over(_) => {}
            }
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until the fiber has passed the turn on. Ready: it has ended, perhaps with a panic.
    fn await_runtime(&self) -> Poll<Option<Panic>> {
        let mut turn = lock(&self.turn);
        loop {
            match &mut *turn {
                Turn::Runtime => return Poll::Pending,
                Turn::Over(panic) => return Poll::Ready(panic.take()),
                Turn::Fiber(_) | Turn::Dropped => {}
            }
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The waker of the step at hand. Only the fiber asks, which has the turn.
    fn waker(&self) -> Option<Waker> {
        match &*lock(&self.turn) {
            Turn::Fiber(waker) => Some(waker.clone()),
            _ => None,
        }
    }
}

/// The task that a fiber is for the runtime. Its thread begins with the first step.
struct Fiber {
    rt: Rt,
    name: String,
    stack: usize,
    job: Option<Job>,
    begun: Option<(Arc<Handoff>, JoinHandle<()>)>,
}

/// A task that runs the job in a thread of its own, with a stack of so many bytes.
pub(crate) fn task(rt: Rt, name: &str, stack: usize, job: Job) -> Task {
    Box::pin(Fiber { rt, name: name.into(), stack, job: Some(job), begun: None })
}

impl Fiber {
    fn begin(&mut self, job: Job) -> Arc<Handoff> {
        ANY.store(true, Ordering::Relaxed);
        let turn = Mutex::new(Turn::Runtime);
        let handoff = Arc::new(Handoff { turn, passed: Condvar::new() });
        let (rt, mine) = (self.rt.clone(), handoff.clone());
        let run = move || {
            if mine.await_fiber().is_none() {
                drop(job);
                return mine.pass(Turn::Over(None));
            }
            MINE.set(Some(Mine { handoff: mine.clone(), rt }));
            let end = catch_unwind(AssertUnwindSafe(job));
            MINE.take();
            mine.pass(Turn::Over(end.err().filter(|panic| !panic.is::<Abandoned>())));
        };
        let thread = std::thread::Builder::new().name(self.name.clone()).stack_size(self.stack);
        let thread = thread.spawn(run).unwrap_or_else(|e| panic!("a fiber gets no thread: {e}"));
        self.begun = Some((handoff.clone(), thread));
        handoff
    }
}

impl Future for Fiber {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let handoff = match (self.job.take(), &self.begun) {
            (Some(job), _) => self.begin(job),
            (None, Some((handoff, _))) => handoff.clone(),
            // It has ended, and is not polled again.
            (None, None) => return Poll::Ready(()),
        };
        handoff.pass(Turn::Fiber(cx.waker().clone()));
        let Poll::Ready(end) = handoff.await_runtime() else { return Poll::Pending };
        if let Some((_, thread)) = self.begun.take() {
            // To pass the turn on was the last thing that it did.
            let _ = thread.join();
        }
        match end {
            Some(panic) => resume_unwind(panic),
            None => Poll::Ready(()),
        }
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        let Some((handoff, thread)) = self.begun.take() else { return };
        handoff.pass(Turn::Dropped);
        // Panics of its destructors are of no account: the process that they belong to has crashed.
        if handoff.await_runtime().is_ready() {
            let _ = thread.join();
        }
    }
}

/// Asks until there is an answer; the others run in between, until the waker that the question got is woken. `None`: this thread is no
/// fiber, and nothing was asked.
pub fn wait<T>(mut ask: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
    if !ANY.load(Ordering::Relaxed) {
        return None;
    }
    let handoff = MINE.with_borrow(|m| m.as_ref().map(|m| m.handoff.clone()))?;
    loop {
        // A fiber that unwinds has no waker, and may ask once.
        let waker = handoff.waker();
        let mut cx = Context::from_waker(waker.as_ref().unwrap_or(Waker::noop()));
        if let Poll::Ready(answer) = ask(&mut cx) {
            return Some(answer);
        }
        if waker.is_some() {
            handoff.pass(Turn::Runtime);
            if handoff.await_fiber().is_some() {
                continue;
            }
        }
        if !std::thread::panicking() {
            resume_unwind(Box::new(Abandoned));
        }
        // A destructor that waits, though nobody will wake it: the thread is left where it stands.
        handoff.pass(Turn::Runtime);
        loop {
            std::thread::park();
        }
    }
}

/// Drives a future in this fiber.
pub(crate) fn block_on<F: Future>(mut f: Pin<&mut F>) -> F::Output {
    wait(|cx| f.as_mut().poll(cx)).expect("a simulated runtime is driven by SimRt::run")
}

/// The virtual time of this fiber. Servers, which have no fibers, pay for one look at a flag that nobody writes.
#[inline]
fn virtual_now() -> Option<Nanos> {
    if ANY.load(Ordering::Relaxed) { now_of_fiber() } else { None }
}

#[cold]
fn now_of_fiber() -> Option<Nanos> {
    MINE.with_borrow(|m| m.as_ref().map(|m| m.rt.now()))
}

/// Nanoseconds of the monotonic clock; in a fiber those of its runtime.
#[inline]
pub fn moment() -> Nanos {
    virtual_now().unwrap_or_else(crate::monotonic)
}

/// This instant; in a fiber by the time of its runtime.
pub fn instant() -> Instant {
    virtual_now().map_or_else(Instant::now, virtual_instant)
}

/// A moment of virtual time as an instant.
pub(crate) fn virtual_instant(nanos: Nanos) -> Instant {
    static BASE: OnceLock<Instant> = OnceLock::new();
    *BASE.get_or_init(Instant::now) + Duration::from_nanos(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimRt;

    /// Three fibers that wait and write down what they did, beside a task that is one without a thread.
    fn story(seed: u64) -> (Vec<(u64, Nanos)>, u64) {
        let sim = SimRt::new(seed);
        let rt = sim.rt();
        let told: Arc<Mutex<Vec<(u64, Nanos)>>> = Arc::default();
        let end = sim.run(async {
            for no in 0..3 {
                let (rt2, told) = (rt.clone(), told.clone());
                let job = move || {
                    for round in 1..4 {
                        rt2.block_on(rt2.sleep(Duration::from_millis(no + round)));
                        lock(&told).push((no, moment()));
                    }
                };
                rt.spawn_fiber("fiber", 1 << 18, Box::new(job));
            }
            rt.sleep(Duration::from_secs(1)).await;
        });
        end.unwrap();
        let told = std::mem::take(&mut *lock(&told));
        (told, sim.trace_hash())
    }

    #[test]
    fn fibers_take_turns_and_the_same_seed_tells_the_same_story() {
        for seed in 0..10 {
            let (told, hash) = story(seed);
            assert_eq!(told.len(), 9);
            assert!(told.is_sorted_by_key(|(_, at)| *at));
            assert_eq!((told, hash), story(seed));
        }
    }

    #[test]
    fn a_fiber_of_a_process_that_crashed_runs_its_destructors() {
        struct Noted(Arc<AtomicBool>);
        impl Drop for Noted {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let gone = Arc::new(AtomicBool::new(false));
        let sim = SimRt::new(1);
        let rt = sim.rt();
        let (noted, rt2) = (Noted(gone.clone()), rt.clone());
        let job = move || {
            let _noted = noted;
            rt2.block_on(std::future::pending::<()>());
        };
        rt.spawn_fiber("waits", 1 << 18, Box::new(job));
        sim.run(rt.sleep(Duration::from_secs(1))).unwrap();
        assert!(!gone.load(Ordering::Relaxed));
        sim.kill_all();
        assert!(gone.load(Ordering::Relaxed));
    }

    #[test]
    fn a_panic_of_a_fiber_is_one_of_its_runtime() {
        let sim = SimRt::new(1);
        let rt = sim.rt();
        rt.spawn_fiber("fails", 1 << 18, Box::new(|| resume_unwind(Box::new("it fails"))));
        let run = catch_unwind(AssertUnwindSafe(|| sim.run(rt.sleep(Duration::from_secs(1)))));
        assert_eq!(*run.unwrap_err().downcast::<&str>().unwrap(), "it fails");
    }

    #[test]
    fn a_thread_that_is_no_fiber_asks_nothing() {
        assert_eq!(wait(|_| Poll::Ready(1)), None);
        assert!(moment() > 0 && instant() <= Instant::now());
    }
}
