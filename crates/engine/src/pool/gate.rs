//! One batch of a kind at a time: a batch runs until its last page is home, whether or not somebody waits for that.

use crate::policy::Cause;
use crate::sync::Mutex;
use weir_rt::WaitQueue;

/// Kinds of batches, by the end from which they take pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// By their first change.
    List,
    /// Near eviction.
    Lru,
}

/// How a batch's pages go home.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub kind: Kind,
    pub cause: Cause,
    /// They are posted to the writer, and nobody waits.
    pub posts: bool,
}

#[derive(Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    ended: WaitQueue,
}

#[derive(Default)]
struct State {
    /// Somebody is choosing pages for it.
    chosen_for: bool,
    /// Its pages that are posted and not home.
    out: usize,
    /// Batches that have ended.
    batches: u64,
}

impl State {
    fn is_idle(&self) -> bool {
        !self.chosen_for && self.out == 0
    }
}

pub(super) struct Running<'g>(&'g Gate);

impl Gate {
    pub fn begin(&self) -> Option<Running<'_>> {
        let mut s = self.state.lock();
        s.is_idle().then(|| {
            s.chosen_for = true;
            Running(self)
        })
    }

    pub fn is_running(&self) -> bool {
        !self.state.lock().is_idle()
    }

    /// A page of the batch is posted.
    pub fn post(&self) {
        self.state.lock().out += 1;
    }

    /// Its pages that are posted and not home.
    pub fn out(&self) -> usize {
        self.state.lock().out
    }

    /// Pages of the batch are home, or stay.
    pub fn home(&self, pages: usize) {
        self.change(|s| s.out -= pages);
    }

    fn change(&self, f: impl FnOnce(&mut State)) {
        let ended = {
            let mut s = self.state.lock();
            f(&mut s);
            s.batches += u64::from(s.is_idle());
            s.is_idle()
        };
        if ended {
            self.ended.wake_all();
        }
    }

    /// The batch that runs now; `None`: none does.
    pub fn batch(&self) -> Option<u64> {
        let s = self.state.lock();
        (!s.is_idle()).then_some(s.batches)
    }

    /// Until the batch that runs now has ended. Another that begins meanwhile is not waited for.
    pub async fn batch_end(&self) {
        self.end_of(self.batch()).await;
    }

    /// Until this batch has ended.
    pub async fn end_of(&self, batch: Option<u64>) {
        while batch.is_some() {
            let wait = self.ended.wait();
            if self.batch() != batch {
                return;
            }
            wait.await;
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.change(|s| s.chosen_for = false);
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    #[test]
    fn a_batch_runs_until_its_last_page_is_home() {
        let g = Gate::default();
        let running = g.begin().expect("nothing runs");
        assert!(g.begin().is_none());
        g.post();
        g.post();
        drop(running);
        assert!(g.begin().is_none() && g.is_running(), "two pages are on their way");
        g.home(1);
        assert!(g.begin().is_none());
        g.home(1);
        assert!(!g.is_running());
        drop(g.begin().expect("the last page is home"));
        // Pages that come home while others are still being chosen do not end it.
        let running = g.begin().expect("nothing runs");
        g.post();
        g.home(1);
        assert!(g.begin().is_none());
        drop(running);
        assert!(g.begin().is_some());
    }

    #[test]
    fn who_waits_for_a_batch_does_not_wait_for_the_next() {
        let g = Gate::default();
        let polled = |f: std::pin::Pin<&mut dyn Future<Output = ()>>| {
            f.poll(&mut Context::from_waker(Waker::noop())).is_ready()
        };
        assert!(polled(pin!(g.batch_end())), "nothing runs");
        let first = g.begin().expect("nothing runs");
        let mut wait = pin!(g.batch_end());
        assert!(!polled(wait.as_mut()));
        g.post();
        drop(first);
        assert!(!polled(wait.as_mut()), "a page of it is on its way");
        g.home(1);
        let next = g.begin().expect("the first has ended");
        assert!(polled(wait.as_mut()));
        let mut wait = pin!(g.batch_end());
        assert!(!polled(wait.as_mut()));
        // Its number is known to anyone who runs it, who may look when the next has begun.
        let second = g.batch();
        drop(next);
        assert!(polled(wait.as_mut()));
        let third = g.begin().expect("the second has ended");
        assert!(polled(pin!(g.end_of(second))) && !polled(pin!(g.end_of(g.batch()))));
        drop(third);
    }
}
