//! The simulated runtime: one thread, virtual time, every choice from a seed.

use crate::rng::Rng;
use crate::{Nanos, Rt, Runtime, Task, lock};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::future::Future;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

/// 2026-01-01 in microseconds: where the simulated wall clock begins.
const EPOCH_MICROS: u64 = 1_767_225_600_000_000;
const MAIN: u64 = 0;

/// Numbers that were given out one after the other, spread by one multiplication: each step of a simulation looks some of them up.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(self.0 ^ u64::from(*b)));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}

/// By number. Nothing depends on the order in which such a map lies in memory.
type Numbered<T> = HashMap<u64, T, BuildHasherDefault<Spread>>;

struct Entry {
    name: Box<str>,
    /// `None` while it runs.
    task: Option<Task>,
    /// One for all its steps.
    waker: Waker,
}

struct State {
    rng: Rng,
    next_task: u64,
    tasks: Numbered<Entry>,
    /// In the order of their numbers.
    ready: Vec<u64>,
    /// Moments and numbers of timers, those that were called off among them.
    due: BinaryHeap<Reverse<(Nanos, u64)>>,
    timers: Numbered<Waker>,
    next_timer: u64,
    hash: u64,
    /// The wall clock's distance from where it would be, in microseconds.
    wall_shift: i64,
    steps: u64,
    step_limit: u64,
}

impl State {
    fn make_ready(&mut self, id: u64) {
        if let Err(at) = self.ready.binary_search(&id) {
            self.ready.insert(at, id);
        }
    }

    /// The first timer that was not called off.
    fn next_timer(&mut self) -> Option<(Nanos, Waker)> {
        while let Some(Reverse((at, key))) = self.due.pop() {
            if let Some(waker) = self.timers.remove(&key) {
                return Some((at, waker));
            }
        }
        None
    }

    /// Names in the order of the tasks' numbers.
    fn names(&self, mut ids: Vec<u64>) -> Vec<String> {
        ids.sort_unstable();
        let name = |id| self.tasks.get(id).map_or("main", |t: &Entry| &t.name).to_string();
        ids.iter().map(name).collect()
    }
}

struct Shared {
    /// Changed under the lock of `state`; everybody reads it at every turn.
    now: AtomicU64,
    state: Mutex<State>,
    this: std::sync::Weak<Shared>,
}

impl Shared {
    fn waker(&self, id: u64) -> Waker {
        Waker::from(Arc::new(TaskWaker { shared: self.this.clone(), id }))
    }
}

struct TaskWaker {
    shared: std::sync::Weak<Shared>,
    id: u64,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if let Some(s) = self.shared.upgrade() {
            lock(&s.state).make_ready(self.id);
        }
    }
}

impl Runtime for Shared {
    fn now(&self) -> Nanos {
        self.now.load(Ordering::Relaxed)
    }

    fn wall_micros(&self) -> u64 {
        let shift = lock(&self.state).wall_shift;
        (EPOCH_MICROS + self.now() / 1000).saturating_add_signed(shift)
    }

    fn random_u64(&self) -> u64 {
        lock(&self.state).rng.next_u64()
    }

    fn fill_random(&self, out: &mut [u8]) -> std::io::Result<()> {
        let rng = &mut lock(&self.state).rng;
        for piece in out.chunks_mut(8) {
            piece.copy_from_slice(&rng.next_u64().to_le_bytes()[..piece.len()]);
        }
        Ok(())
    }

    fn is_sim(&self) -> bool {
        true
    }

    fn spawn(&self, name: &str, task: Task) {
        let mut s = lock(&self.state);
        let id = s.next_task;
        s.next_task += 1;
        let entry = Entry { name: name.into(), task: Some(task), waker: self.waker(id) };
        s.tasks.insert(id, entry);
        s.make_ready(id);
    }

    fn timer_on(&self, at: Nanos, waker: Waker) -> u64 {
        let mut s = lock(&self.state);
        let key = s.next_timer;
        s.next_timer += 1;
        s.timers.insert(key, waker);
        s.due.push(Reverse((at, key)));
        if s.due.len() > 2 * s.timers.len() + 1024 {
            let State { due, timers, .. } = &mut *s;
            due.retain(|Reverse((_, key))| timers.contains_key(key));
        }
        key
    }

    fn timer_off(&self, key: u64) {
        // Dropped outside of the lock: it may be the last of its task.
        let waker = lock(&self.state).timers.remove(&key);
        drop(waker);
    }
}

/// Nothing can run any more (a lost wake-up or a deadlock), or the limit of steps was passed (somebody spins).
#[derive(Debug, PartialEq, Eq)]
pub struct Stuck {
    pub at: Nanos,
    pub tasks: Vec<String>,
    /// The limit was passed; the tasks told are those that were ready.
    pub spinning: bool,
}

/// The clocks of a simulated runtime, for those who make them misbehave.
#[derive(Clone)]
pub struct SimClock(Arc<Shared>);

impl SimClock {
    /// The machine slept: all of `d` passes at once, and every timer in it is late.
    pub fn jump(&self, d: std::time::Duration) {
        let _state = lock(&self.0.state);
        let nanos = u64::try_from(d.as_nanos()).unwrap_or(u64::MAX);
        self.0.now.store(self.0.now().saturating_add(nanos), Ordering::Relaxed);
    }

    /// Somebody set the wall clock.
    pub fn shift_wall(&self, micros: i64) {
        let mut s = lock(&self.0.state);
        s.wall_shift = s.wall_shift.saturating_add(micros);
    }

    /// Tasks run so far: in one thread, two moments with the same number are the same moment.
    pub fn steps(&self) -> u64 {
        lock(&self.0.state).steps
    }
}

pub struct SimRt {
    shared: Arc<Shared>,
}

impl SimRt {
    pub fn new(seed: u64) -> SimRt {
        SimRt {
            shared: Arc::new_cyclic(|this| Shared {
                this: this.clone(),
                now: AtomicU64::new(1),
                state: Mutex::new(State {
                    rng: Rng::new(seed),
                    next_task: MAIN + 1,
                    tasks: Numbered::default(),
                    ready: Vec::new(),
                    due: BinaryHeap::new(),
                    timers: Numbered::default(),
                    next_timer: 0,
                    hash: 0xCBF2_9CE4_8422_2325,
                    wall_shift: 0,
                    steps: 0,
                    step_limit: u64::MAX,
                }),
            }),
        }
    }

    pub fn rt(&self) -> Rt {
        Rt::from(self.shared.clone())
    }

    pub fn clock(&self) -> SimClock {
        SimClock(self.shared.clone())
    }

    /// `run` ends as stuck when it has run tasks this many times.
    pub fn set_step_limit(&self, steps: u64) {
        lock(&self.shared.state).step_limit = steps;
    }

    /// Drives `main` and all spawned tasks until `main` is done.
    pub fn run<F: Future>(&self, main: F) -> Result<F::Output, Stuck> {
        let mut main = std::pin::pin!(main);
        lock(&self.shared.state).make_ready(MAIN);
        let main_waker = self.shared.waker(MAIN);
        loop {
            let Some(id) = self.choose()? else {
                self.advance()?;
                continue;
            };
            if id == MAIN {
                let polled = main.as_mut().poll(&mut Context::from_waker(&main_waker));
                if let Poll::Ready(v) = polled {
                    return Ok(v);
                }
                continue;
            }
            let take = |t: &mut Entry| Some((t.task.take()?, t.waker.clone()));
            let taken = lock(&self.shared.state).tasks.get_mut(&id).and_then(take);
            let Some((mut task, waker)) = taken else { continue };
            let mut cx = Context::from_waker(&waker);
            let polled = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                task.as_mut().poll(&mut cx)
            }));
            let polled = match polled {
                Ok(p) => p,
                Err(panic) => {
                    // Its destructors may meet what the panic left half done; the process that this is would be gone.
                    std::mem::forget(task);
                    std::panic::resume_unwind(panic);
                }
            };
            match polled {
                Poll::Ready(()) => {
                    lock(&self.shared.state).tasks.remove(&id);
                }
                Poll::Pending => {
                    if let Some(t) = lock(&self.shared.state).tasks.get_mut(&id) {
                        t.task = Some(task);
                    }
                }
            }
        }
    }

    /// A ready task by the seed's choice, entered in the digest.
    fn choose(&self) -> Result<Option<u64>, Stuck> {
        let mut s = lock(&self.shared.state);
        let n = s.ready.len() as u64;
        if n == 0 {
            return Ok(None);
        }
        s.steps += 1;
        if s.steps > s.step_limit {
            let tasks = s.names(s.ready.clone());
            return Err(Stuck { at: self.shared.now(), tasks, spinning: true });
        }
        let i = s.rng.below(n) as usize;
        let id = s.ready.remove(i);
        s.hash = (s.hash ^ id ^ self.shared.now().rotate_left(17)).wrapping_mul(0x0100_0000_01B3);
        Ok(Some(id))
    }

    /// Jumps to the next timer.
    fn advance(&self) -> Result<(), Stuck> {
        let due = {
            let mut s = lock(&self.shared.state);
            let Some((at, waker)) = s.next_timer() else {
                let tasks = s.names(s.tasks.keys().copied().collect());
                return Err(Stuck { at: self.shared.now(), tasks, spinning: false });
            };
            self.shared.now.store(self.shared.now().max(at), Ordering::Relaxed);
            waker
        };
        due.wake();
        Ok(())
    }

    /// A crash of the process: every task is gone.
    pub fn kill_all(&self) {
        let (tasks, timers) = {
            let mut s = lock(&self.shared.state);
            s.ready.clear();
            s.due.clear();
            (std::mem::take(&mut s.tasks), std::mem::take(&mut s.timers))
        };
        // Dropped outside of the lock: their destructors may wake others. In an order that is always the same, since they may do more.
        drop(timers);
        let mut tasks: Vec<_> = tasks.into_iter().collect();
        tasks.sort_unstable_by_key(|t| t.0);
        drop(tasks);
    }

    /// Digest of the schedule so far: the same seed and program give the same one.
    pub fn trace_hash(&self) -> u64 {
        lock(&self.shared.state).hash
    }
}

impl Drop for SimRt {
    fn drop(&mut self) {
        self.kill_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn trace(seed: u64) -> (u64, u64) {
        let sim = SimRt::new(seed);
        let rt = sim.rt();
        let r = sim.run(async {
            let hs: Vec<_> = (0..5u64)
                .map(|i| {
                    let rt2 = rt.clone();
                    rt.spawn("t", async move {
                        for _ in 0..i {
                            rt2.sleep(Duration::from_millis(i)).await;
                        }
                        rt2.now()
                    })
                })
                .collect();
            let mut sum = 0;
            for h in hs {
                sum += h.await;
            }
            sum
        });
        (sim.trace_hash(), r.unwrap())
    }

    #[test]
    fn same_seed_same_trace() {
        for seed in 0..20 {
            assert_eq!(trace(seed), trace(seed));
        }
        assert_ne!(trace(1).0, trace(2).0);
    }

    #[test]
    fn who_spins_is_told() {
        let sim = SimRt::new(3);
        sim.set_step_limit(1000);
        let stuck = sim
            .run(async {
                loop {
                    crate::yield_now().await;
                }
            })
            .unwrap_err();
        assert!(stuck.spinning);
        assert_eq!(stuck.tasks, ["main"]);
    }

    #[test]
    fn clocks_jump() {
        let sim = SimRt::new(3);
        let (rt, clock) = (sim.rt(), sim.clock());
        sim.run(async {
            let wall = rt.wall_micros();
            clock.shift_wall(-5_000_000);
            assert_eq!(rt.wall_micros(), wall - 5_000_000);
            let late = rt.sleep(Duration::from_secs(1));
            clock.jump(Duration::from_secs(10));
            let now = rt.now();
            late.await;
            assert_eq!(rt.now(), now);
        })
        .unwrap();
    }

    #[test]
    fn a_deadlock_is_told() {
        let sim = SimRt::new(3);
        let r = sim.run(std::future::pending::<()>());
        assert!(r.is_err());
    }
}
