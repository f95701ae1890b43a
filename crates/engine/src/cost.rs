//! Floor 0: What the work of a thread costs: pages, redo, undo, waits. A program that serves one session on a thread takes what a
//! statement has cost when it ends ([`drain`]).
//!
//! Counters are the thread's own: adding to one is a load and a store of memory that no other processor writes. What background tasks
//! cost is gathered by [`charged`], so that all of it together is what the engine counts as a whole.
//!
//! Where tasks of several sessions share a thread, as in the simulator, their costs are not told apart.

use crate::sync::atomic::{AtomicU64, Ordering};
use std::cell::Cell;
use std::future::Future;
use std::sync::Arc;

/// What is counted. Waits are in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Pages asked for, in memory or not; see [`spend_page`].
    PagesRequested,
    /// Pages asked for that were read from a file.
    PagesRead,
    /// Clean pages that were changed: each is to be written once for it.
    PagesDirtied,
    RedoBytes,
    UndoBytes,
    /// Entries of indexes put into the change buffer.
    ChangeBufferEntries,
    /// Bytes of scratch files: sorts, groups and joins that did not fit into memory.
    TemporaryBytes,
    /// For somebody else's transaction, statement or definition.
    WaitLock,
    /// For the commit's log.
    WaitLog,
    /// For room: in the log, among dirty pages, for a frame, to be admitted.
    WaitRoom,
    /// For a page's read or latch, and for files.
    WaitPage,
}

pub const COSTS: usize = 11;

/// Sums by [`Cost`].
pub type Costs = [u64; COSTS];

/// The counters of a thread. Every statement asks for pages; of the others `touched` says which have anything.
struct Spent {
    touched: Cell<u32>,
    sums: [Cell<u64>; COSTS],
}

thread_local! {
    static SPENT: Spent =
        const { Spent { touched: Cell::new(0), sums: [const { Cell::new(0) }; COSTS] } };
}

#[inline]
pub(crate) fn spend(what: Cost, n: u64) {
    SPENT.with(|spent| {
        let sum = &spent.sums[what as usize];
        sum.set(sum.get().wrapping_add(n));
        spent.touched.set(spent.touched.get() | 1 << what as u32);
    });
}

/// A page was asked for: the least that there is to do, since searches by a key do it.
#[inline]
pub(crate) fn spend_page() {
    SPENT.with(|spent| {
        let pages = &spent.sums[Cost::PagesRequested as usize];
        pages.set(pages.get().wrapping_add(1));
    });
}

/// Gives what this thread has spent since the last time, each cost by its number.
#[inline]
pub fn drain(mut f: impl FnMut(usize, u64)) {
    SPENT.with(|spent| {
        let pages = spent.sums[Cost::PagesRequested as usize].get();
        if pages > 0 {
            spent.sums[Cost::PagesRequested as usize].set(0);
            f(Cost::PagesRequested as usize, pages);
        }
        let mut left = spent.touched.get();
        if left == 0 {
            return;
        }
        spent.touched.set(0);
        while left != 0 {
            let n = left.trailing_zeros() as usize;
            left &= left - 1;
            f(n, spent.sums[n].replace(0));
        }
    });
}

/// The same as a whole.
pub fn take() -> Costs {
    let mut costs = [0; COSTS];
    drain(|n, cost| costs[n] = cost);
    costs
}

/// What this thread has spent and nobody has taken yet.
pub fn peek() -> Costs {
    SPENT.with(|spent| std::array::from_fn(|n| spent.sums[n].get()))
}

/// What tasks that no session waits for have cost.
#[derive(Default)]
pub struct Background([AtomicU64; COSTS]);

impl Background {
    pub fn costs(&self) -> Costs {
        std::array::from_fn(|n| self.0[n].load(Ordering::Relaxed))
    }

    fn add(&self, costs: &Costs) {
        for (to, n) in self.0.iter().zip(costs).filter(|(_, n)| **n > 0) {
            to.fetch_add(*n, Ordering::Relaxed);
        }
    }
}

/// `task`, whose costs are the background's.
pub(crate) async fn charged<F: Future>(task: F, to: Arc<Background>) -> F::Output {
    let mut task = std::pin::pin!(task);
    std::future::poll_fn(|cx| {
        let before = take();
        let polled = task.as_mut().poll(cx);
        to.add(&take());
        // What the thread had spent for others before stays theirs.
        put_back(&before);
        polled
    })
    .await
}

fn put_back(costs: &Costs) {
    SPENT.with(|spent| {
        for (n, cost) in costs.iter().enumerate().filter(|(_, cost)| **cost > 0) {
            spent.sums[n].set(*cost);
            // The first is looked at in any case.
            if n > 0 {
                spent.touched.set(spent.touched.get() | 1 << n);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_rt::sim::SimRt;

    #[test]
    fn costs_are_taken_once_and_the_backgrounds_apart() {
        _ = take();
        spend(Cost::RedoBytes, 7);
        spend(Cost::RedoBytes, 1);
        spend(Cost::WaitRoom, 5);
        spend_page();
        let background = Arc::new(Background::default());
        let task = async { spend(Cost::PagesRead, 3) };
        SimRt::new(1).run(charged(task, background.clone())).unwrap();
        assert_eq!(background.costs()[Cost::PagesRead as usize], 3);
        assert_eq!(peek()[Cost::RedoBytes as usize], 8);
        let costs = take();
        assert_eq!(costs[Cost::RedoBytes as usize], 8);
        assert_eq!(costs[Cost::WaitRoom as usize], 5);
        assert_eq!(costs[Cost::PagesRequested as usize], 1);
        assert_eq!(costs[Cost::PagesRead as usize], 0);
        assert_eq!(take(), [0; COSTS]);
    }

    #[test]
    fn each_cost_has_its_place() {
        assert_eq!(Cost::WaitPage as usize, COSTS - 1);
    }
}
