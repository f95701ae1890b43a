//! The kernel's queue before a drive: which of the requests that wait is given to the drive next.
//!
//! `Deadline` follows Linux 2.6's deadline elevator: batches of one kind in ascending order, reads before writes until writes have waited for
//! two batches, and the oldest request of a kind first once it has waited too long. `Arrival` is its noop elevator. Neighbours of one kind
//! that wait are one request under both.

use super::Request;
use std::sync::Arc;
use weir_rt::{Event, Nanos};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elevator {
    Arrival,
    Deadline,
}

/// Requests of a batch (`fifo_batch`).
const BATCH: u32 = 16;
/// Batches of reads that writes let pass (`writes_starved`).
const STARVED: u32 = 2;
/// How long a read and a write wait before their order of arrival counts (`read_expire`, `write_expire`).
const EXPIRE: [Nanos; 2] = [500_000_000, 5_000_000_000];
/// Neighbours are one request up to so many bytes.
const MERGED: u64 = 512 << 10;

/// A request on its way, and who waits for its end.
pub struct Waiting {
    pub request: Request,
    pub since: Nanos,
    pub done: Arc<Event>,
}

pub struct Queue {
    elevator: Elevator,
    /// In the order of arrival.
    waiting: Vec<Waiting>,
    /// Requests that the batch under way has given out; 0: no batch is under way.
    batch: u32,
    /// That batch is one of writes.
    writing: bool,
    /// Batches of reads that were preferred since the last one of writes.
    starved: u32,
    /// Behind the last request given out, of reads and of writes.
    at: [u64; 2],
}

impl Queue {
    pub fn new(elevator: Elevator) -> Queue {
        Queue { elevator, waiting: Vec::new(), batch: 0, writing: false, starved: 0, at: [0; 2] }
    }

    pub fn push(&mut self, w: Waiting) {
        self.waiting.push(w);
    }

    /// The next request for the drive.
    pub fn next(&mut self, now: Nanos) -> Option<Waiting> {
        let index = match self.elevator {
            Elevator::Arrival => (!self.waiting.is_empty()).then_some(0),
            Elevator::Deadline => self.by_deadline(now),
        }?;
        let w = self.waiting.remove(index);
        self.at[usize::from(w.request.write)] = w.request.at + w.request.bytes;
        Some(w)
    }

    fn by_deadline(&mut self, now: Nanos) -> Option<usize> {
        if (1..BATCH).contains(&self.batch)
            && let Some(i) = self.ahead(self.writing)
        {
            self.batch += 1;
            return Some(i);
        }
        let (read, write) = (self.oldest(false), self.oldest(true));
        self.writing = match (read, write) {
            (None, None) => return None,
            (Some(_), None) => false,
            (None, Some(_)) => true,
            (Some(_), Some(_)) => {
                self.starved += 1;
                self.starved > STARVED
            }
        };
        if self.writing {
            self.starved = 0;
        }
        self.batch = 1;
        let oldest = if self.writing { write } else { read }?;
        let waited = now.saturating_sub(self.waiting[oldest].since);
        match waited >= EXPIRE[usize::from(self.writing)] {
            true => Some(oldest),
            false => self.ahead(self.writing).or(Some(oldest)),
        }
    }

    fn oldest(&self, write: bool) -> Option<usize> {
        self.waiting.iter().position(|w| w.request.write == write)
    }

    /// The request of a kind that lies next behind the last one.
    fn ahead(&self, write: bool) -> Option<usize> {
        let from = self.at[usize::from(write)];
        let lies = |w: &Waiting| w.request.write == write && w.request.at >= from;
        let all = self.waiting.iter().enumerate().filter(|(_, w)| lies(w));
        all.min_by_key(|(_, w)| w.request.at).map(|(i, _)| i)
    }

    /// Takes a request out that lies right before or behind `whole` and is of its kind, as long as both are no larger than a request may be.
    fn neighbour(&mut self, whole: Request) -> Option<Waiting> {
        let i = self.waiting.iter().position(|w| touches(whole, w.request))?;
        Some(self.waiting.remove(i))
    }

    /// Joins those that wait beside a request to it: here and among the commands that the drive has.
    pub fn gather(
        &mut self,
        first: Waiting,
        commands: &mut Vec<Waiting>,
    ) -> (Request, Vec<Arc<Event>>) {
        let (mut whole, mut done) = (first.request, vec![first.done]);
        loop {
            let known = commands.iter().position(|c| touches(whole, c.request));
            let next = known.map(|i| commands.remove(i)).or_else(|| self.neighbour(whole));
            let Some(w) = next else { return (whole, done) };
            let start = whole.at.min(w.request.at);
            whole = Request { at: start, bytes: whole.bytes + w.request.bytes, ..whole };
            done.push(w.done);
        }
    }
}

fn touches(whole: Request, r: Request) -> bool {
    r.write == whole.write
        && whole.bytes + r.bytes <= MERGED
        && (r.at == whole.at + whole.bytes || r.at + r.bytes == whole.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(q: &mut Queue, at: u64, write: bool, since: Nanos) {
        let request = Request { at, bytes: 10, write };
        q.push(Waiting { request, since, done: Arc::default() });
    }

    fn order(q: &mut Queue, now: Nanos) -> Vec<(u64, bool)> {
        std::iter::from_fn(|| q.next(now)).map(|w| (w.request.at, w.request.write)).collect()
    }

    #[test]
    fn deadline_goes_up_and_lets_reads_pass_twice() {
        let mut q = Queue::new(Elevator::Deadline);
        for at in [300, 100, 200] {
            push(&mut q, at, false, 0);
        }
        push(&mut q, 50, true, 0);
        assert_eq!(q.next(0).unwrap().request.at, 100, "the lowest first");
        push(&mut q, 20, false, 0);
        // Up to the highest, then a second batch of reads, and then the write although a read has come.
        assert_eq!([1, 2, 3].map(|_| q.next(0).unwrap().request.at), [200, 300, 20]);
        push(&mut q, 10, false, 0);
        assert_eq!(order(&mut q, 0), [(50, true), (10, false)]);
    }

    #[test]
    fn a_batch_has_sixteen_and_what_waited_too_long_is_next() {
        let mut q = Queue::new(Elevator::Deadline);
        (0..20).for_each(|n| push(&mut q, 1000 + n * 100, false, 0));
        (0..16).for_each(|n| assert_eq!(q.next(0).unwrap().request.at, 1000 + n * 100));
        push(&mut q, 10, false, 0);
        push(&mut q, 20, false, EXPIRE[0]);
        // Sixteen are given out; the oldest one that waits, 2600, is past its time, so its place begins the next batch.
        assert_eq!(q.next(EXPIRE[0]).unwrap().request.at, 2600);
        let mut w = Queue::new(Elevator::Deadline);
        push(&mut w, 500, true, 0);
        push(&mut w, 100, true, 1);
        w.at[1] = 200;
        assert_eq!(w.next(EXPIRE[1] - 1).unwrap().request.at, 500, "no write has waited too long");
    }

    #[test]
    fn arrival_keeps_its_order_and_neighbours_are_one() {
        let mut q = Queue::new(Elevator::Arrival);
        for (at, write) in [(100, false), (50, true), (110, false), (90, false), (120, true)] {
            push(&mut q, at, write, 0);
        }
        let first = q.next(0).unwrap();
        let (whole, done) = q.gather(first, &mut Vec::new());
        assert_eq!((whole.at, whole.bytes, done.len()), (90, 30, 3));
        assert_eq!(order(&mut q, 0), [(50, true), (120, true)]);
    }
}
