//! A few threads for blocking calls: started when first needed, stopped when the disk is dropped.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Parallel calls at most: enough to keep a device's queue filled, few enough to cost nothing when idle.
pub const THREADS: usize = 6;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

struct Inner {
    queue: Mutex<Queue>,
    changed: Condvar,
}

pub struct Pool(Arc<Inner>);

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub fn new() -> Pool {
        Pool(Arc::new(Inner { queue: Mutex::new(Queue::default()), changed: Condvar::new() }))
    }

    pub fn push(&self, job: Job) {
        let mut q = lock(&self.0.queue);
        q.jobs.push_back(job);
        if q.idle < q.jobs.len() && q.threads < THREADS {
            let inner = self.0.clone();
            let made = std::thread::Builder::new()
                .name("weir-io".into())
                .stack_size(128 * 1024)
                .spawn(move || work(&inner));
            match made {
                Ok(_) => q.threads += 1,
                Err(e) if q.threads == 0 => panic!("cannot start a thread for I/O: {e}"),
                Err(_) => {}
            }
        }
        drop(q);
        self.0.changed.notify_one();
    }

    /// Runs `f` on a thread of the pool.
    pub fn call<T: Send + 'static>(&self, f: impl FnOnce() -> T + Send + 'static) -> Call<T> {
        let slot = Arc::new(Mutex::new((None, None::<Waker>)));
        let done = slot.clone();
        self.push(Box::new(move || {
            let v = f();
            let waker = {
                let mut s = lock(&done);
                s.0 = Some(v);
                s.1.take()
            };
            if let Some(w) = waker {
                w.wake();
            }
        }));
        Call(slot)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.0.queue).closed = true;
        self.0.changed.notify_all();
    }
}

fn work(inner: &Inner) {
    let mut q = lock(&inner.queue);
    loop {
        if let Some(job) = q.jobs.pop_front() {
            drop(q);
            job();
            q = lock(&inner.queue);
        } else if q.closed {
            return;
        } else {
            q.idle += 1;
            q = inner.changed.wait(q).unwrap_or_else(PoisonError::into_inner);
            q.idle -= 1;
        }
    }
}

type Slot<T> = Arc<Mutex<(Option<T>, Option<Waker>)>>;

pub struct Call<T>(Slot<T>);

impl<T> Future for Call<T> {
    type Output = T;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut s = lock(&self.0);
        match s.0.take() {
            Some(v) => Poll::Ready(v),
            None => {
                s.1 = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}
