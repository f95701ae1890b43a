//! What the pool has in it, for monitors: asked seldom, and looks at every frame.

use super::{Guard, LatchMode, Pool};
use crate::ids::SpaceId;
use crate::page::{self, PageType};
use crate::sync::atomic::Ordering;
use std::collections::BTreeMap;

impl Pool {
    /// Pages of trees in memory, by file and owner. One that somebody changes at this moment is passed over: nobody is waited for.
    pub fn pages_of_trees(&self) -> BTreeMap<(SpaceId, u64), u64> {
        let mut found = BTreeMap::new();
        for (no, frame) in self.frames[..self.size()].iter().enumerate() {
            if !frame.is_resident() || !frame.latch.try_lock(LatchMode::S) {
                continue;
            }
            let guard = Guard::new(self, no as u32, LatchMode::S);
            // Only under the latch is it certain which page is there.
            if frame.is_resident() && page::page_type(guard.bytes()) == Some(PageType::Tree) {
                *found.entry((guard.id().space, page::owner(guard.bytes()))).or_insert(0) += 1;
            }
        }
        found
    }

    /// Files that are being synced for pages.
    pub fn syncs_under_way(&self) -> usize {
        self.flush.syncing.load(Ordering::Relaxed)
    }

    /// Pages that are being read.
    pub fn reads_under_way(&self) -> usize {
        self.loads.under_way()
    }

    /// Pages that are next to leave unless they are used again: InnoDB's old part of the list, or the queue of those that came lately.
    pub fn old_pages(&self) -> usize {
        self.replace.lock().old_pages()
    }
}
