//! How often pages are asked for and found in memory. Counted at every look at a page: by threads with a lane in their places, and by the
//! others in lines of their own for groups of frames, because one counter for all would travel between the processors at each level of
//! each descent.

use super::FrameNo;
use crate::lane::{self, LANES, Line};
// Not `crate::sync`: a figure for people, which orders nothing and is no step for a model checker.
use std::sync::atomic::{AtomicU64, Ordering};

const SHARED: usize = 16;

#[derive(Default)]
pub(super) struct Requests {
    lanes: [Line<AtomicU64>; LANES],
    shared: [Line<AtomicU64>; SHARED],
}

impl Requests {
    #[inline]
    pub fn count(&self, frame: FrameNo) {
        match lane::current() {
            Some(lane) => lane::step(&self.lanes[lane].0, 1),
            None => _ = self.shared[frame as usize % SHARED].0.fetch_add(1, Ordering::Relaxed),
        }
    }

    pub fn sum(&self) -> u64 {
        self.lanes.iter().chain(&self.shared).map(|l| l.0.load(Ordering::Relaxed)).sum()
    }
}
