//! Tasks, wait cells, timers, clock and randomness, from outside of the engine: one production runtime, one simulated.
//!
//! Uses nothing but `std`, and three calls of the system that it lacks: random numbers, how a thread is scheduled, and a handler of forks. Nothing above this crate starts a thread, reads a clock or draws a random number by itself.
//!
//! Production: background tasks get a thread each (there are a handful), sessions run on threads of their own through
//! `Rt::block_on`. Simulation (`sim`): one thread, virtual time, the next task chosen by a seeded generator.

mod actor;
#[cfg(not(miri))]
mod clock;
mod fiber;
#[cfg(all(test, any(shuttle, loom)))]
mod model;
mod process;
mod real;
mod rng;
mod sched;
pub mod sim;
pub mod sync;
mod timer;
mod wait;

pub use actor::{Acting, Actor, act_as, acting};
pub use clock::monotonic;
pub use fiber::{instant, moment, wait as wait_in_fiber};
pub use process::Process;
pub use real::on_dedicated_thread;
pub use rng::Rng;
pub use sched::wake_without_preempting;
pub use timer::Sleep;
pub use wait::{
    AsyncMutex, AsyncMutexGuard, Event, Interrupt, Killed, Notify, SeqWait, Wait, WaitQueue,
    or_killed,
};

#[cfg(loom)]
pub use loom;
#[cfg(shuttle)]
pub use shuttle;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// Nanoseconds of a monotonic clock.
pub type Nanos = u64;

/// By how much the stacks of threads are larger in development builds: frames of code that is not optimised are.
pub const STACK_SCALE: usize = if cfg!(debug_assertions) { 4 } else { 1 };

/// A future behind a pointer. What it does is compiled in the crate that makes it; the future of an `async fn` is compiled once more in
/// every optimised crate that awaits it, with all the futures inside. Public calls that are not hot therefore return this.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub(crate) type Task = Boxed<'static, ()>;

/// What a runtime provides; `Rt` is the handle to one.
pub trait Runtime: Send + Sync {
    fn now(&self) -> Nanos;
    fn coarse_now(&self) -> Nanos {
        self.now()
    }
    fn wall_micros(&self) -> u64;
    fn random_u64(&self) -> u64;
    /// Bytes that nobody can guess, for keys and salts. A simulated runtime takes them from its seed.
    fn fill_random(&self, out: &mut [u8]) -> std::io::Result<()>;
    fn is_sim(&self) -> bool;
    /// Processors that tasks can run on at once. A simulated runtime pretends to have a few, so that what is divided
    /// among them is divided there, too.
    fn processors(&self) -> usize {
        3
    }
    fn spawn(&self, name: &str, task: Task);
    /// Wakes `waker` once at `at` (or a little later); returns a key for `timer_off`.
    fn timer_on(&self, at: Nanos, waker: Waker) -> u64;
    fn timer_off(&self, key: u64);
}

#[derive(Clone)]
pub struct Rt(Arc<dyn Runtime>);

impl Rt {
    pub fn real() -> Rt {
        Rt(real::Real::start())
    }

    pub(crate) fn from(r: Arc<dyn Runtime>) -> Rt {
        Rt(r)
    }

    pub fn now(&self) -> Nanos {
        self.0.now()
    }

    /// This instant, by virtual time where the runtime is simulated.
    pub fn instant(&self) -> Instant {
        if self.is_sim() { fiber::virtual_instant(self.now()) } else { Instant::now() }
    }

    /// As `now`, cheaper, up to a few milliseconds old.
    pub fn coarse_now(&self) -> Nanos {
        self.0.coarse_now()
    }

    /// Microseconds since 1970.
    pub fn wall_micros(&self) -> u64 {
        self.0.wall_micros()
    }

    pub fn random_u64(&self) -> u64 {
        self.0.random_u64()
    }

    /// Fills `out` from the source of randomness that the system keeps for cryptography.
    pub fn fill_random(&self, out: &mut [u8]) -> std::io::Result<()> {
        self.0.fill_random(out)
    }

    pub fn is_sim(&self) -> bool {
        self.0.is_sim()
    }

    /// How many tasks can compute at once.
    pub fn processors(&self) -> usize {
        self.0.processors()
    }

    /// Starts a background task.
    pub fn spawn<F>(&self, name: &str, f: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let slot: Arc<JoinSlot<F::Output>> = Arc::new(JoinSlot(Mutex::new((None, None))));
        let out = slot.clone();
        self.0.spawn(
            name,
            Box::pin(async move {
                let v = f.await;
                let waker = {
                    let mut s = lock(&out.0);
                    s.0 = Some(v);
                    s.1.take()
                };
                if let Some(w) = waker {
                    w.wake();
                }
            }),
        );
        JoinHandle(slot)
    }

    pub fn sleep(&self, d: Duration) -> Sleep {
        let at = self.now().saturating_add(u64::try_from(d.as_nanos()).unwrap_or(u64::MAX));
        Sleep::new(self.0.clone(), at)
    }

    /// `None` when `d` has passed first. A future that is ready at once costs no timer.
    pub async fn timeout<F: Future>(&self, d: Duration, f: F) -> Option<F::Output> {
        let mut f = std::pin::pin!(f);
        let mut sleep: Option<Sleep> = None;
        std::future::poll_fn(move |cx| {
            if let Poll::Ready(v) = f.as_mut().poll(cx) {
                return Poll::Ready(Some(v));
            }
            let s = sleep.get_or_insert_with(|| self.sleep(d));
            Pin::new(s).poll(cx).map(|()| None)
        })
        .await
    }

    /// Runs `f` to its end. When `d` passes first, the switch is thrown with this kind, for `f` to end by itself, and taken back behind
    /// it; true says so. For what must not be dropped on its way.
    pub async fn interrupt_after<F: Future>(
        &self,
        d: Duration,
        i: &Interrupt,
        kind: u8,
        f: F,
    ) -> (F::Output, bool) {
        let mut f = std::pin::pin!(f);
        let mut sleep: Option<Sleep> = None;
        let mut late = false;
        let done = std::future::poll_fn(|cx| {
            if let Poll::Ready(v) = f.as_mut().poll(cx) {
                return Poll::Ready(v);
            }
            let s = sleep.get_or_insert_with(|| self.sleep(d));
            if !late && Pin::new(s).poll(cx).is_ready() {
                late = true;
                i.kill(kind);
            }
            Poll::Pending
        })
        .await;
        if late {
            i.take_back(kind);
        }
        (done, late)
    }

    /// Drives a future on the calling thread, which is a fiber if the runtime is simulated.
    // A large future is better pinned by the caller, who then hands over a pointer: by value it is copied here, all of it.
    #[inline(always)]
    pub fn block_on<F: Future>(&self, f: F) -> F::Output {
        let f = std::pin::pin!(f);
        if self.is_sim() { fiber::block_on(f) } else { real::block_on(f) }
    }

    /// Runs a job that waits by blocking in a thread that takes turns with everything else of a simulated runtime.
    ///
    /// # Panics
    /// For the production runtime, whose threads anyone may start.
    pub fn spawn_fiber(&self, name: &str, stack: usize, job: Box<dyn FnOnce() + Send>) {
        assert!(self.is_sim(), "fibers are of simulated runtimes");
        self.0.spawn(name, fiber::task(self.clone(), name, stack, job));
    }
}

struct JoinSlot<T>(Mutex<(Option<T>, Option<Waker>)>);

/// Resolves to the task's result. Dropping it lets the task go on.
pub struct JoinHandle<T>(Arc<JoinSlot<T>>);

impl<T> Future for JoinHandle<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut s = lock(&self.0.0);
        match s.0.take() {
            Some(v) => Poll::Ready(v),
            None => {
                s.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// Lets others run once.
pub fn yield_now() -> impl Future<Output = ()> {
    let mut done = false;
    std::future::poll_fn(move |cx| {
        if done {
            return Poll::Ready(());
        }
        done = true;
        // For a checker this is a promise that others must run before anything changes.
        #[cfg(shuttle)]
        shuttle::thread::yield_now();
        cx.waker().wake_by_ref();
        Poll::Pending
    })
}

pub(crate) fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}
