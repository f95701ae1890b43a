//! Scan-resistant replacement: two queues and a memory of what left (after S3-FIFO).
//!
//! A page enters the small queue (a tenth of the pool). When it reaches its end it moves to the main queue if it was used
//! again since, otherwise it is evicted and its id remembered; a page that comes back while remembered goes straight to the
//! main queue. The main queue gives used pages another round. Pages of a scan are not counted as used, so a full scan
//! passes through the small queue and leaves the main queue alone. Hits touch no queue at all.

use super::frame::{Frame, FrameNo};
use crate::ids::PageId;
use std::collections::{HashSet, VecDeque};

pub struct Queues {
    small: VecDeque<FrameNo>,
    main: VecDeque<FrameNo>,
    ghosts: VecDeque<u64>,
    ghost_set: HashSet<u64>,
    frames: usize,
}

impl Queues {
    pub fn new(frames: usize) -> Queues {
        Queues {
            small: VecDeque::new(),
            main: VecDeque::new(),
            ghosts: VecDeque::new(),
            ghost_set: HashSet::new(),
            frames,
        }
    }

    pub fn resize(&mut self, frames: usize) {
        self.frames = frames;
    }

    /// A page came into memory.
    pub fn admit(&mut self, no: FrameNo, id: PageId) {
        if self.ghost_set.remove(&id.pack()) {
            self.main.push_back(no);
        } else {
            self.small.push_back(no);
        }
    }

    pub fn note_evicted(&mut self, id: PageId) {
        if self.ghost_set.insert(id.pack()) {
            self.ghosts.push_back(id.pack());
        }
        while self.ghosts.len() > self.frames {
            if let Some(g) = self.ghosts.pop_front() {
                self.ghost_set.remove(&g);
            }
        }
    }

    fn small_target(&self) -> usize {
        (self.frames / 10).max(1)
    }

    /// The next candidate, taken out of its queue: evict it or `put_back`.
    pub fn victim(&mut self, frames: &[Frame]) -> Option<FrameNo> {
        let mut rounds = (self.small.len() + self.main.len()) * 4;
        while rounds > 0 {
            rounds -= 1;
            let from_small = self.small.len() > self.small_target() || self.main.is_empty();
            if from_small {
                let no = self.small.pop_front()?;
                let f = &frames[no as usize];
                if f.uses() > 1 {
                    f.set_cold();
                    self.main.push_back(no);
                } else {
                    return Some(no);
                }
            } else {
                let no = self.main.pop_front()?;
                let f = &frames[no as usize];
                if f.uses() > 0 {
                    f.cool();
                    self.main.push_back(no);
                } else {
                    return Some(no);
                }
            }
        }
        self.small.pop_front().or_else(|| self.main.pop_front())
    }

    /// The candidate could not be evicted now (dirty, pinned, latched): it gets another round.
    pub fn put_back(&mut self, no: FrameNo) {
        // A shrink empties frames beyond its end by itself.
        if (no as usize) < self.frames {
            self.main.push_back(no);
        }
    }

    /// Candidates that are to be the next ones again, in their order.
    pub fn put_first(&mut self, list: Vec<FrameNo>) {
        for no in list.into_iter().rev() {
            if (no as usize) < self.frames {
                self.main.push_front(no);
            }
        }
    }

    /// Frames near eviction, without taking them out: what the cleaner should write next.
    pub fn coldest(&self, frames: &[Frame], scan: usize, out: &mut Vec<FrameNo>) {
        let small = self.small.iter().take(scan);
        let main = self.main.iter().take(scan);
        let small_first = self.small.len() > self.small_target() || self.main.is_empty();
        let cold = |no: &&FrameNo| frames[**no as usize].uses() <= 1;
        if small_first {
            out.extend(small.filter(cold).chain(main.filter(cold)).take(scan));
        } else {
            out.extend(main.filter(cold).chain(small.filter(cold)).take(scan));
        }
    }

    /// All frames, the next to go first; the queues are empty then.
    pub fn drain(&mut self) -> Vec<FrameNo> {
        self.ghosts.clear();
        self.ghost_set.clear();
        self.small.drain(..).chain(self.main.drain(..)).collect()
    }

    /// Takes out a frame that was emptied by somebody who did not get it as a victim: while the order was being exchanged.
    pub fn take_out(&mut self, no: FrameNo) {
        self.small.retain(|f| *f != no);
        self.main.retain(|f| *f != no);
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.small.len() + self.main.len()
    }

    /// Pages that came into memory and were not used often yet.
    pub fn on_probation(&self) -> usize {
        self.small.len()
    }

    /// Takes frames at or above `first` out of the queues: the pool shrinks.
    pub fn retire(&mut self, first: FrameNo) {
        self.small.retain(|f| *f < first);
        self.main.retain(|f| *f < first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_does_not_evict_the_hot_set() {
        let n = 100;
        let frames: Vec<Frame> = (0..n).map(|_| Frame::new()).collect();
        let mut r = Queues::new(n as usize);
        let page = |i: u32| PageId::new(1, i);
        let mut at: Vec<u32> = (0..n).collect();
        for i in 0..n {
            r.admit(i, page(i));
        }
        for f in frames.iter().take(60) {
            f.touch();
            f.touch();
        }
        for scan in 0..1000u32 {
            let v = r.victim(&frames).unwrap();
            r.note_evicted(page(at[v as usize]));
            frames[v as usize].set_cold();
            at[v as usize] = 10_000 + scan;
            r.admit(v, page(10_000 + scan));
            for (no, f) in frames.iter().enumerate() {
                if at[no] < 60 {
                    f.touch();
                }
            }
        }
        let hot = at.iter().filter(|p| **p < 60).count();
        assert!(hot >= 55, "only {hot} of 60 hot pages are left");
    }
}
