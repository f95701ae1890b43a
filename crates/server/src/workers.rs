//! Threads for connections that have something to do.
//!
//! A job gets a thread that waits for one, or a new one: there is no limit here, `max_connections`
//! is it. A thread without a job waits a little for the next and ends then, and its stack with it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_rt::Rt;
use weir_sql::status::{Stat, Status};

type Job = Box<dyn FnOnce() + Send>;

/// How long a thread waits for its next job.
const LINGER: Duration = Duration::from_secs(1);

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Threads that wait for a job.
    waiting: usize,
    /// All threads.
    live: usize,
}

pub struct Workers {
    state: Mutex<State>,
    more: Condvar,
    status: Arc<Status>,
    stack: usize,
    /// In a simulation every job is a fiber of this runtime.
    simulated: Option<Rt>,
}

/// Times 256 KiB that a statement's text may nest for; MySQL's limit is of this order.
pub const STACK_ROOM: u32 = 5;
/// Stack of a thread beside `thread_stack`: the planner measures what it uses of it. Only what is used becomes memory.
const BESIDE: usize = STACK_ROOM as usize * (1 << 20);

impl Workers {
    pub fn new(stack: usize, status: Arc<Status>) -> Arc<Workers> {
        Workers::over(stack, status, None)
    }

    /// Workers of a server over this runtime.
    pub fn of(rt: &Rt, stack: usize, status: Arc<Status>) -> Arc<Workers> {
        Workers::over(stack, status, rt.is_sim().then(|| rt.clone()))
    }

    fn over(stack: usize, status: Arc<Status>, simulated: Option<Rt>) -> Arc<Workers> {
        let (state, more) = (Mutex::default(), Condvar::new());
        Arc::new(Workers { state, more, status, stack, simulated })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs the job on some thread. An error: there is none and cannot be one, the job is dropped.
    pub fn submit(self: &Arc<Workers>, job: Job) -> std::io::Result<()> {
        let stack = (self.stack + BESIDE) * weir_rt::STACK_SCALE;
        if let Some(rt) = &self.simulated {
            rt.spawn_fiber("session", stack, job);
            return Ok(());
        }
        let mut state = self.lock();
        state.jobs.push_back(job);
        if state.waiting >= state.jobs.len() {
            drop(state);
            self.more.notify_one();
            return Ok(());
        }
        state.live += 1;
        drop(state);
        let me = self.clone();
        let made = std::thread::Builder::new()
            .name("weir-session".into())
            .stack_size(stack)
            .spawn(move || me.work());
        let Err(error) = made else {
            self.status.inc(Stat::Threads_created);
            return Ok(());
        };
        let mut state = self.lock();
        state.live -= 1;
        if state.live > 0 {
            // It waits for a thread that is busy now.
            return Ok(());
        }
        let refused = state.jobs.pop_back();
        drop(state);
        drop(refused);
        Err(error)
    }

    fn work(&self) {
        weir_rt::wake_without_preempting();
        while let Some(job) = self.next() {
            // A bug in one statement ends its connection, whose transaction rolls back; the
            // message has been logged by the panic hook.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        if let Some(job) = state.jobs.pop_front() {
            return Some(job);
        }
        state.waiting += 1;
        let waited = self.more.wait_timeout_while(state, LINGER, |s| s.jobs.is_empty());
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.waiting -= 1;
        let job = state.jobs.pop_front();
        if job.is_none() {
            state.live -= 1;
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn workers() -> Arc<Workers> {
        Workers::new(1 << 18, Arc::new(Status::default()))
    }

    #[test]
    fn jobs_that_wait_for_each_other_all_run() {
        let workers = workers();
        let (send, receive) = mpsc::channel();
        let barrier = Arc::new(std::sync::Barrier::new(20));
        for n in 0..20 {
            let (send, barrier) = (send.clone(), barrier.clone());
            let job = move || {
                barrier.wait();
                send.send(n).unwrap();
            };
            workers.submit(Box::new(job)).unwrap();
        }
        let mut got: Vec<i32> = receive.iter().take(20).collect();
        got.sort_unstable();
        assert_eq!(got, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn a_panic_takes_nothing_with_it() {
        let workers = workers();
        let (send, receive) = mpsc::channel();
        workers.submit(Box::new(|| panic!("on purpose"))).unwrap();
        workers.submit(Box::new(move || send.send(1).unwrap())).unwrap();
        assert_eq!(receive.recv(), Ok(1));
    }
}
