//! The order in which pages are replaced: Weir's queues, or InnoDB's list, as the policy in charge has it.
//!
//! Invariant: a resident frame is in exactly one of the two, or in the hands of an eviction that will put it back or free it. Both change
//! under one lock, so the order can be exchanged at any moment; what an eviction has in hand then joins the new one.

use super::frame::{Frame, FrameNo};
use super::midpoint::{Midpoint, OLD_MIN};
use super::replace::Queues;
use crate::ids::PageId;
use crate::policy::Replacement;

pub struct Replacer {
    queues: Queues,
    /// In place of the queues, which are empty then.
    list: Option<Midpoint>,
    frames: usize,
}

/// A frame that an eviction has taken out of the order, and which of its pages it had then.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub no: FrameNo,
    life: Option<u16>,
}

impl Taken {
    /// Somebody else may have emptied it meanwhile, who had it from the former order. When a page came into it again, the same one even, it
    /// is in the order already.
    fn has_left(&self, frames: &[Frame]) -> bool {
        self.life.is_none() || frames[self.no as usize].life() != self.life
    }
}

impl Replacer {
    /// For a pool of so many frames.
    pub fn new(frames: usize) -> Replacer {
        Replacer { queues: Queues::new(frames), list: None, frames }
    }

    /// An empty list for `exchange`: made before the lock is taken, since it has a place for each frame.
    pub fn empty_list(how: Replacement, max: usize) -> Option<Midpoint> {
        (how == Replacement::Midpoint).then(|| Midpoint::new(max, max))
    }

    /// Exchanges the order for the list that is given, or for the queues. The pages keep their places as far as the new one can tell.
    /// Returns the list that is not needed any more, to be freed outside of the lock.
    pub fn exchange(&mut self, list: Option<Midpoint>, frames: &[Frame]) -> Option<Midpoint> {
        match (list, self.list.take()) {
            (None, Some(list)) => {
                list.last_first().for_each(|no| self.queues.put_back(no));
                Some(list)
            }
            (Some(mut list), None) => {
                list.resize(self.frames);
                for no in self.queues.drain() {
                    frames[no as usize].set_cold();
                    list.admit(no, true);
                }
                self.list = Some(list);
                None
            }
            (unused, list) => {
                self.list = list;
                unused
            }
        }
    }

    pub fn resize(&mut self, frames: usize) {
        self.frames = frames;
        self.queues.resize(frames);
        if let Some(l) = &mut self.list {
            l.resize(frames);
        }
    }

    /// A page came into memory: a new one, or one that was read.
    pub fn admit(&mut self, no: FrameNo, id: PageId, new: bool) {
        match &mut self.list {
            Some(l) => l.admit(no, new),
            None => self.queues.admit(no, id),
        }
    }

    /// A use of a page, where uses change the order. True: the first since it came.
    pub fn used(&mut self, no: FrameNo, frames: &[Frame]) -> bool {
        self.list.as_mut().is_some_and(|l| l.used(no, frames))
    }

    /// How many of these were used and are among the pages that came to the head last.
    pub fn used_lately(&self, list: &[FrameNo]) -> usize {
        self.list.as_ref().map_or(0, |l| l.used_lately(list))
    }

    /// A number that grows with the time at which the page came to the head; `None`: it was not used.
    pub fn used_at(&self, no: FrameNo) -> Option<u64> {
        self.list.as_ref().and_then(|l| l.used_at(no))
    }

    /// The page has left memory. `taken`: as a `victim`, so it is in no queue.
    pub fn gone(&mut self, no: FrameNo, id: PageId, taken: bool, frames: &[Frame]) {
        match &mut self.list {
            Some(l) => l.gone(no, frames),
            None => {
                if !taken {
                    self.queues.take_out(no);
                }
                self.queues.note_evicted(id);
            }
        }
    }

    /// The next candidate of the queues, taken out: evict it or `put_back`.
    pub fn victim(&mut self, frames: &[Frame]) -> Option<Taken> {
        if self.list.is_some() {
            return None;
        }
        self.queues.victim(frames).map(|no| Taken { no, life: frames[no as usize].life() })
    }

    /// The candidate could not be evicted now: it gets another round.
    pub fn put_back(&mut self, t: Taken, frames: &[Frame]) {
        if t.has_left(frames) {
            return;
        }
        match &mut self.list {
            Some(l) if (t.no as usize) < self.frames => l.put_last(t.no, frames),
            Some(_) => {}
            None => self.queues.put_back(t.no),
        }
    }

    /// Candidates that are to be the next ones again, in their order.
    pub fn put_first(&mut self, mut candidates: Vec<Taken>, frames: &[Frame]) {
        if self.list.is_none() {
            candidates.retain(|t| !t.has_left(frames));
            return self.queues.put_first(candidates.iter().map(|t| t.no).collect());
        }
        candidates.into_iter().rev().for_each(|t| self.put_back(t, frames));
    }

    /// Some frames from the end of the list, and where to go on; see `Midpoint::stretch`.
    pub fn stretch(
        &self,
        from: Option<FrameNo>,
        n: usize,
        frames: &[Frame],
        out: &mut Vec<FrameNo>,
    ) -> Option<FrameNo> {
        self.list.as_ref().and_then(|l| l.stretch(from, n, frames, out))
    }

    /// Frames near eviction, without taking them out.
    pub fn coldest(&self, frames: &[Frame], scan: usize, out: &mut Vec<FrameNo>) {
        match &self.list {
            Some(l) => out.extend(l.last_first().take(scan)),
            None => self.queues.coldest(frames, scan, out),
        }
    }

    /// Shows the pages of InnoDB's list from its end, as long as more are wanted; nothing where there is none.
    pub fn end_first(&self, mut wants_more: impl FnMut(FrameNo) -> bool) {
        if let Some(list) = &self.list {
            _ = list.last_first().all(&mut wants_more);
        }
    }

    /// From the end of the list, as many as are wanted and fit.
    #[cfg(test)]
    pub fn last_fitting(&self, n: usize, fits: impl Fn(FrameNo) -> bool) -> Vec<FrameNo> {
        let list = self.list.iter().flat_map(Midpoint::last_first);
        list.filter(|no| fits(*no)).take(n).collect()
    }

    /// A page was written in order to go.
    pub fn make_old(&mut self, no: FrameNo) {
        if let Some(l) = &mut self.list {
            l.make_old(no);
        }
    }

    /// So few pages are in the list that none is written for its neighbour's sake.
    pub fn is_short(&self) -> bool {
        self.list.as_ref().is_some_and(|l| l.len() < OLD_MIN)
    }

    pub fn is_old(&self, no: FrameNo) -> bool {
        self.list.as_ref().is_some_and(|l| l.is_old(no))
    }

    /// Frames on probation.
    pub fn old_pages(&self) -> usize {
        self.list.as_ref().map_or_else(|| self.queues.on_probation(), Midpoint::old_len)
    }

    /// Takes frames at or above `first` out: the pool shrinks.
    pub fn retire(&mut self, first: FrameNo) {
        self.queues.retire(first);
        if let Some(l) = &mut self.list {
            l.retire(first);
        }
    }

    #[cfg(test)]
    pub fn note_evicted(&mut self, id: PageId) {
        self.queues.note_evicted(id);
    }

    #[cfg(test)]
    pub fn frames_in_order(&self) -> usize {
        self.list.as_ref().map_or(self.queues.len(), Midpoint::len)
    }
}
