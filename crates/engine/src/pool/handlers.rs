//! Who has read and written pages, as the monitor of InnoDB's builds prints it: by session, for the change buffer, and by thread, where a
//! policy's mechanism has such. Here a request that is at the device together with others counts as a thread, and gets the lowest number that is idle.
//!
//! Nothing decides by these figures.

use crate::files::{Meter, Space, Sums};
use crate::sync::Mutex;
use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use weir_rt::Nanos;

/// A page that was served so long after it was posted counts as old: two seconds, as in Google's v4.
const OLD: Nanos = 2_000_000_000;

/// What a thread has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handler {
    /// Requests to the device.
    pub io: Sums,
    /// Its pages, each from the moment in which it was posted to the end of its request.
    pub service: Sums,
    pub old: u64,
    pub busy: bool,
}

/// Threads of one kind.
#[derive(Default)]
pub struct Handlers(Mutex<Vec<Handler>>);

/// A thread that has a request; idle again at its end.
#[must_use]
pub struct Turn<'a> {
    all: &'a Handlers,
    number: usize,
}

impl Handlers {
    pub fn begin(&self) -> Turn<'_> {
        let mut all = self.0.lock();
        let number = all.iter().position(|h| !h.busy).unwrap_or(all.len());
        if number == all.len() {
            all.push(Handler::default());
        }
        all[number].busy = true;
        Turn { all: self, number }
    }

    /// As many as there have been at once, and idle ones up to `at_least`.
    pub fn list(&self, at_least: usize) -> Vec<Handler> {
        let mut all = self.0.lock().clone();
        all.resize(all.len().max(at_least), Handler::default());
        all
    }
}

impl Turn<'_> {
    /// The request has ended. `served`: how long each of its pages has waited since it was posted.
    pub fn ended(self, pages: u64, took: Nanos, served: impl Iterator<Item = Nanos>) {
        let mut all = self.all.0.lock();
        let h = &mut all[self.number];
        h.io.add(pages, took);
        for nanos in served {
            h.service.add(1, nanos);
            h.old += u64::from(nanos > OLD);
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.all.0.lock()[self.number].busy = false;
    }
}

/// Requests by who made them.
#[derive(Default)]
pub struct Requesters {
    /// Reads that somebody waits for, and writes of batches that wait for their end.
    pub sync_reads: Meter,
    pub sync_writes: Meter,
    /// Reads of leaves for the entries of the change buffer.
    pub merges: Meter,
    pub ahead: Handlers,
    pub writers: Handlers,
}

impl Requesters {
    /// One page was read by somebody who waited for it.
    pub(super) fn read(&self, space: &Space, took: Nanos) {
        let meter = if MERGES.get() { &self.merges } else { &self.sync_reads };
        meter.add(1, took);
        space.meters[0].add(1, took);
    }

    /// Pages were written by a batch that waits.
    pub(super) fn wrote(&self, space: &Space, pages: usize, took: Nanos) {
        self.sync_writes.add(pages as u64, took);
        space.meters[1].add(pages as u64, took);
    }
}

thread_local! {
    static MERGES: Cell<bool> = const { Cell::new(false) };
}

/// While a move of the change buffer is polled; as it was before at the end.
struct Merging(bool);

impl Drop for Merging {
    fn drop(&mut self) {
        MERGES.set(self.0);
    }
}

/// What `f` reads is read for the change buffer.
pub async fn for_merges<F: Future>(f: F) -> F::Output {
    let mut f = pin!(f);
    std::future::poll_fn(|cx| {
        let _before = Merging(MERGES.replace(true));
        f.as_mut().poll(cx)
    })
    .await
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;

    #[test]
    fn threads_are_numbered_from_the_lowest_that_is_idle() {
        let all = Handlers::default();
        let (a, b) = (all.begin(), all.begin());
        assert_eq!((a.number, b.number), (0, 1));
        a.ended(3, 4_000_000, [1, 3_000_000_000, 5].into_iter());
        // One whose future was dropped has done nothing, and its number is free.
        drop(b);
        let c = all.begin();
        assert_eq!(c.number, 0);
        let list = all.list(4);
        assert_eq!(list.len(), 4);
        assert_eq!((list[0].busy, list[0].io.pages, list[0].service.pages), (true, 3, 3));
        assert_eq!((list[0].old, list[1]), (1, Handler::default()));
    }

    #[test]
    fn a_move_is_known_while_it_is_polled() {
        let seen = polled_once(for_merges(async { MERGES.get() }));
        assert!(seen && !MERGES.get());
    }

    /// Polls a future that is ready at once.
    fn polled_once<F: Future>(f: F) -> F::Output {
        let mut f = pin!(f);
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        match f.as_mut().poll(&mut cx) {
            std::task::Poll::Ready(v) => v,
            std::task::Poll::Pending => unreachable!("it waits for nothing"),
        }
    }
}
