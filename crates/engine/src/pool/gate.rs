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

    /// Pages of the batch are home, or stay.
    pub fn home(&self, pages: usize) {
        self.change(|s| s.out -= pages);
    }

    fn change(&self, f: impl FnOnce(&mut State)) {
        let ended = {
            let mut s = self.state.lock();
            f(&mut s);
            s.is_idle()
        };
        if ended {
            self.ended.wake_all();
        }
    }

    pub async fn idle(&self) {
        loop {
            let wait = self.ended.wait();
            if !self.is_running() {
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
}
