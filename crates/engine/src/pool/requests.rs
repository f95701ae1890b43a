//! How often pages are asked for and found in memory. Counted at every look at a page, so in lines of their own for groups of
//! frames: one counter for all would travel between the processors at each level of each descent.

use super::FrameNo;
// Not `crate::sync`: a figure for people, which orders nothing and is no step for a model checker.
use std::sync::atomic::{AtomicU64, Ordering};

const LINES: usize = 16;

#[derive(Default)]
#[repr(align(64))]
struct Line(AtomicU64);

#[derive(Default)]
pub(super) struct Requests([Line; LINES]);

impl Requests {
    pub fn count(&self, frame: FrameNo) {
        self.0[frame as usize % LINES].0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn sum(&self) -> u64 {
        self.0.iter().map(|l| l.0.load(Ordering::Relaxed)).sum()
    }
}
