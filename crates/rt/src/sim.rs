//! The simulated runtime: one thread, virtual time, every choice from a seed.

use crate::rng::Rng;
use crate::{Nanos, Rt, Runtime, Task, lock};
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

/// 2026-01-01 in microseconds: where the simulated wall clock begins.
const EPOCH_MICROS: u64 = 1_767_225_600_000_000;
const MAIN: u64 = 0;

struct State {
    now: Nanos,
    rng: Rng,
    next_task: u64,
    tasks: BTreeMap<u64, (String, Option<Task>)>,
    ready: BTreeSet<u64>,
    timers: BTreeMap<(Nanos, u64), Waker>,
    timer_at: BTreeMap<u64, Nanos>,
    next_timer: u64,
    hash: u64,
    /// The wall clock's distance from where it would be, in microseconds.
    wall_shift: i64,
    steps: u64,
    step_limit: u64,
}

struct Shared(Mutex<State>);

struct TaskWaker {
    shared: std::sync::Weak<Shared>,
    id: u64,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if let Some(s) = self.shared.upgrade() {
            lock(&s.0).ready.insert(self.id);
        }
    }
}

impl Runtime for Shared {
    fn now(&self) -> Nanos {
        lock(&self.0).now
    }

    fn wall_micros(&self) -> u64 {
        let s = lock(&self.0);
        (EPOCH_MICROS + s.now / 1000).saturating_add_signed(s.wall_shift)
    }

    fn random_u64(&self) -> u64 {
        lock(&self.0).rng.next_u64()
    }

    fn fill_random(&self, out: &mut [u8]) -> std::io::Result<()> {
        let rng = &mut lock(&self.0).rng;
        for piece in out.chunks_mut(8) {
            piece.copy_from_slice(&rng.next_u64().to_le_bytes()[..piece.len()]);
        }
        Ok(())
    }

    fn is_sim(&self) -> bool {
        true
    }

    fn spawn(&self, name: &str, task: Task) {
        let mut s = lock(&self.0);
        let id = s.next_task;
        s.next_task += 1;
        s.tasks.insert(id, (name.to_string(), Some(task)));
        s.ready.insert(id);
    }

    fn timer_on(&self, at: Nanos, waker: Waker) -> u64 {
        let mut s = lock(&self.0);
        let key = s.next_timer;
        s.next_timer += 1;
        s.timers.insert((at, key), waker);
        s.timer_at.insert(key, at);
        key
    }

    fn timer_off(&self, key: u64) {
        let mut s = lock(&self.0);
        if let Some(at) = s.timer_at.remove(&key) {
            s.timers.remove(&(at, key));
        }
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
        let mut s = lock(&self.0.0);
        s.now = s.now.saturating_add(u64::try_from(d.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Somebody set the wall clock.
    pub fn shift_wall(&self, micros: i64) {
        let mut s = lock(&self.0.0);
        s.wall_shift = s.wall_shift.saturating_add(micros);
    }

    /// Tasks run so far: in one thread, two moments with the same number are the same moment.
    pub fn steps(&self) -> u64 {
        lock(&self.0.0).steps
    }
}

pub struct SimRt {
    shared: Arc<Shared>,
}

impl SimRt {
    pub fn new(seed: u64) -> SimRt {
        SimRt {
            shared: Arc::new(Shared(Mutex::new(State {
                now: 1,
                rng: Rng::new(seed),
                next_task: MAIN + 1,
                tasks: BTreeMap::new(),
                ready: BTreeSet::new(),
                timers: BTreeMap::new(),
                timer_at: BTreeMap::new(),
                next_timer: 0,
                hash: 0xCBF2_9CE4_8422_2325,
                wall_shift: 0,
                steps: 0,
                step_limit: u64::MAX,
            }))),
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
        lock(&self.shared.0).step_limit = steps;
    }

    fn waker(&self, id: u64) -> Waker {
        Waker::from(Arc::new(TaskWaker { shared: Arc::downgrade(&self.shared), id }))
    }

    /// Drives `main` and all spawned tasks until `main` is done.
    pub fn run<F: Future>(&self, main: F) -> Result<F::Output, Stuck> {
        let mut main = std::pin::pin!(main);
        lock(&self.shared.0).ready.insert(MAIN);
        loop {
            let Some(id) = self.choose()? else {
                self.advance()?;
                continue;
            };
            let waker = self.waker(id);
            let mut cx = Context::from_waker(&waker);
            if id == MAIN {
                if let Poll::Ready(v) = main.as_mut().poll(&mut cx) {
                    return Ok(v);
                }
                continue;
            }
            let task = lock(&self.shared.0).tasks.get_mut(&id).and_then(|t| t.1.take());
            let Some(mut task) = task else { continue };
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
                    lock(&self.shared.0).tasks.remove(&id);
                }
                Poll::Pending => {
                    if let Some(t) = lock(&self.shared.0).tasks.get_mut(&id) {
                        t.1 = Some(task);
                    }
                }
            }
        }
    }

    /// A ready task by the seed's choice, entered in the digest.
    fn choose(&self) -> Result<Option<u64>, Stuck> {
        let mut s = lock(&self.shared.0);
        let n = s.ready.len() as u64;
        if n == 0 {
            return Ok(None);
        }
        s.steps += 1;
        if s.steps > s.step_limit {
            let name = |id: &u64| s.tasks.get(id).map_or("main".to_string(), |t| t.0.clone());
            let tasks = s.ready.iter().map(name).collect();
            return Err(Stuck { at: s.now, tasks, spinning: true });
        }
        let i = s.rng.below(n) as usize;
        let id = s.ready.iter().nth(i).copied();
        if let Some(id) = id {
            s.ready.remove(&id);
            s.hash = (s.hash ^ id ^ s.now.rotate_left(17)).wrapping_mul(0x0100_0000_01B3);
        }
        Ok(id)
    }

    /// Jumps to the next timer.
    fn advance(&self) -> Result<(), Stuck> {
        let due = {
            let mut s = lock(&self.shared.0);
            let Some((&(at, key), _)) = s.timers.first_key_value() else {
                let tasks = s.tasks.values().map(|t| t.0.clone()).collect();
                return Err(Stuck { at: s.now, tasks, spinning: false });
            };
            s.now = s.now.max(at);
            s.timer_at.remove(&key);
            s.timers.remove(&(at, key))
        };
        if let Some(w) = due {
            w.wake();
        }
        Ok(())
    }

    /// A crash of the process: every task is gone.
    pub fn kill_all(&self) {
        let (tasks, timers) = {
            let mut s = lock(&self.shared.0);
            s.ready.clear();
            s.timer_at.clear();
            (std::mem::take(&mut s.tasks), std::mem::take(&mut s.timers))
        };
        // Dropped outside of the lock: their destructors may wake others.
        drop(timers);
        drop(tasks);
    }

    /// Digest of the schedule so far: the same seed and program give the same one.
    pub fn trace_hash(&self) -> u64 {
        lock(&self.shared.0).hash
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
