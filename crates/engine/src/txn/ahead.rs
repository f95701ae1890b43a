//! Reading ahead: when a scan has had to wait for pages, it has the next ones read together.
//!
//! A tree tells which leaves come next, so nothing is guessed from page numbers, and a scan that goes backward or by an index of a
//! table that was filled at random reads ahead as well. A scan by an index whose rows have to be read asks for the leaves of the
//! next rows in the same way. A scan that has never had to wait pays nothing; one that finds all it asked for in memory stops asking
//! until it has had to wait again.

use crate::btree::{self, Next};
use crate::error::Result;
use crate::ids::PageId;
use crate::mtr::{self, Core};
use crate::pool::Brought;
use crate::priority;
use crate::table::{Index, Table};

/// Waits from which a scan is seen to go on.
const WAITS: usize = 3;
/// Pages that are read together at first; each time twice as many, up to the option's number.
const FIRST: usize = 4;
/// Frames from which more make no difference: the option has no larger number.
const FRAMES: usize = 256;
/// Rows of entries that are looked up together.
pub const ROWS: usize = 32;

#[derive(Default)]
pub struct Ahead {
    /// Attempts that had to wait, since something was read ahead in vain.
    waits: usize,
    window: usize,
    /// Frames that there were, when there were too few.
    frames: usize,
    /// The position up to which leaves were read; `None`: none were.
    until: Option<Vec<u8>>,
    /// To the end of the range.
    done: bool,
}

impl Ahead {
    /// An operation of the scan took so many attempts. However many it waited for, above all in its first descent, it counts once.
    #[inline]
    pub fn note(&mut self, attempts: usize) {
        self.waits += usize::from(attempts > 1);
    }

    /// Sessions that give way to others read nothing that nobody has asked for.
    #[inline]
    pub fn is_wanted(&self) -> bool {
        self.waits >= WAITS && !self.done && priority::is_foreground()
    }

    /// Pages to read together now; 0: the option says that none are.
    fn window(&mut self, core: &Core) -> usize {
        let most = core.pool.most_ahead();
        let frames = if self.frames == 0 { most } else { self.frames };
        self.window = (self.window * 2).max(FIRST).min(most).min(frames);
        self.done |= most == 0;
        self.window
    }

    fn read(&mut self, brought: Brought) {
        if brought.absent == 0 {
            *self = Ahead::default();
        } else if brought.room < brought.absent {
            // Those for which there was no frame will be waited for: not so many the next time.
            self.frames = brought.room.max(1);
        } else if self.frames > 0 {
            // There was room for all: for a few more the next time.
            self.frames = (self.frames + self.frames / 4 + 1).min(FRAMES);
        }
    }

    /// The leaves from `from` on, if those before it were read ahead, or none yet.
    pub async fn forward(
        &mut self,
        core: &Core,
        index: &Index,
        from: &[u8],
        end: Option<&[u8]>,
    ) -> Result<()> {
        if self.until.as_ref().is_some_and(|u| from < u.as_slice()) {
            return Ok(());
        }
        let most = self.window(core);
        if most == 0 {
            return Ok(());
        }
        let leaves =
            |w: &mut mtr::Work<'_>| btree::leaves_from(w.core, &index.tree, from, end, most);
        let next = mtr::run(core, 0, leaves).await?;
        self.leaves(core, next).await;
        Ok(())
    }

    /// The same downward from `before`.
    pub async fn backward(
        &mut self,
        core: &Core,
        index: &Index,
        before: Option<&[u8]>,
        start: &[u8],
    ) -> Result<()> {
        if self.until.as_ref().is_some_and(|u| before.is_none_or(|b| b > u.as_slice())) {
            return Ok(());
        }
        let most = self.window(core);
        if most == 0 {
            return Ok(());
        }
        let leaves =
            |w: &mut mtr::Work<'_>| btree::leaves_before(w.core, &index.tree, before, start, most);
        let next = mtr::run(core, 0, leaves).await?;
        self.leaves(core, next).await;
        Ok(())
    }

    async fn leaves(&mut self, core: &Core, next: Next) {
        self.done = next.until.is_none();
        self.until = next.until;
        let brought = core.pool.read_ahead(&next.leaves).await;
        self.read(brought);
    }

    /// The leaves of rows, by their clustered keys.
    pub async fn rows<'k>(
        &mut self,
        core: &Core,
        t: &Table,
        keys: impl Iterator<Item = &'k [u8]>,
    ) -> Result<()> {
        if self.window(core) == 0 {
            return Ok(());
        }
        let mut leaves: Vec<PageId> = Vec::new();
        for key in keys {
            let tree = &t.indexes[0].tree;
            let leaf = mtr::run(core, 0, |w| btree::leaf_id(w.core, tree, key)).await?;
            if let Some(leaf) = leaf.filter(|l| !leaves.contains(l)) {
                leaves.push(leaf);
            }
        }
        let brought = core.pool.read_ahead(&leaves).await;
        self.read(brought);
        Ok(())
    }
}

#[cfg(all(test, not(any(shuttle, loom))))]
mod tests {
    use super::*;

    /// A shortage of frames makes a scan ask for fewer pages, and passes, however long the scan is.
    #[test]
    fn frames_come_and_go() {
        let mut a = Ahead::default();
        a.read(Brought { absent: 32, room: 0 });
        assert_eq!(a.frames, 1);
        let mut seen = Vec::new();
        for _ in 0..10_000 {
            a.read(Brought { absent: 1, room: 1 });
            seen.push(a.frames);
        }
        assert!(seen.is_sorted() && seen[0] > 1 && seen.last() == Some(&FRAMES));
        a.read(Brought { absent: 0, room: 0 });
        assert_eq!((a.frames, a.waits), (0, 0));
    }
}
