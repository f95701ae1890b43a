//! The doublewrite area: every batch of pages is written and synced here before it goes home, so that a page torn by a
//! crash has a whole copy. The copies name their own place in their headers; the area needs no index.
//!
//! Only the last batch counts, and a blank page ends it. Copies of earlier batches behind it may be older than what has
//! gone home since: put over a page that is damaged for another reason than that batch, they would lose changes that the
//! log does not have any more.

use crate::error::Result;
use crate::files::Spaces;
use crate::ids::{Lsn, PageId};
use crate::page;
use crate::planted::{self, Bug};
use std::sync::Arc;
use weir_disk::{Disk, File, IoBuf, Mode, OpenOptions};

pub const FILE: &str = "doublewrite.weir";

/// What the area had for a start.
#[derive(Default)]
pub struct Copies {
    /// Pages put back.
    pub restored: usize,
    /// The newest LSN of a copy, and whose it is. The log went to the device before it.
    pub newest: Option<(Lsn, PageId)>,
}

/// Pages per batch.
pub const BATCH: usize = 128;

pub struct Doublewrite {
    file: Arc<dyn File>,
    page_size: usize,
}

impl Doublewrite {
    pub async fn open(disk: &dyn Disk, mode: Mode, page_size: usize) -> Result<Doublewrite> {
        let file = disk.open(FILE, OpenOptions { create: true, create_new: false, mode }).await?;
        let want = (BATCH * page_size) as u64;
        if file.len().await? < want {
            file.allocate(want, true).await?;
            file.sync().await?;
            disk.sync_dir("").await?;
        }
        Ok(Doublewrite { file, page_size })
    }

    /// Writes a batch of sealed images to the area and syncs it; gives the buffers back in order.
    pub async fn write(&self, bufs: Vec<IoBuf>) -> Result<Vec<IoBuf>> {
        debug_assert!(bufs.len() <= BATCH);
        let at = |i: usize| (i * self.page_size) as u64;
        let n = bufs.len();
        let mut batch: Vec<_> = bufs.into_iter().enumerate().map(|(i, b)| (at(i), b)).collect();
        if n < BATCH {
            let mut end = IoBuf::new(self.page_size);
            end.fill(0);
            batch.push((at(n), end));
        }
        let (mut bufs, done) = self.file.write_all(batch).await;
        done?;
        bufs.truncate(n);
        if !planted::is(Bug::DoublewriteNotSynced) {
            self.file.sync().await?;
        }
        Ok(bufs)
    }

    /// Before redo: every page whose home image is damaged and that has a whole copy here gets the copy. A copy replaces
    /// a damaged image only, and it is of the last batch, so an old copy can never undo a newer page.
    pub async fn restore(disk: &dyn Disk, spaces: &Spaces, page_size: usize) -> Result<Copies> {
        let mut copies = Copies::default();
        if !disk.exists(FILE).await? {
            return Ok(copies);
        }
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        let file = disk.open(FILE, how).await?;
        let slots = file.len().await? / page_size as u64;
        if slots == 0 {
            return Ok(copies);
        }
        // In one go: the home of each page is somewhere else on the device.
        let (area, done) = file.read(0, IoBuf::new(slots as usize * page_size)).await;
        done?;
        for copy in area.chunks_exact(page_size) {
            let id = page::page_id(copy);
            if page::is_blank(copy) {
                break;
            }
            if page::verify(copy, id).is_err() {
                continue;
            }
            let Some(space) = spaces.get(id.space) else { continue };
            copies.newest = copies.newest.max(Some((page::lsn(copy), id)));
            let off = id.page as u64 * page_size as u64;
            if off + page_size as u64 > space.file().len().await? {
                continue;
            }
            let (home, done) = space.file().read(off, IoBuf::new(page_size)).await;
            done?;
            if planted::is(Bug::TornPageNotRestored)
                || (copies.restored > 0 && planted::is(Bug::OneTornPageRestored))
            {
                continue;
            }
            if page::verify(&home, id).is_err() || planted::is(Bug::DoublewriteOverNewer) {
                let mut whole = IoBuf::new(page_size);
                whole.copy_from_slice(copy);
                let (_, done) = space.file().write(off, whole).await;
                done?;
                space.file().sync().await?;
                copies.restored += 1;
            }
        }
        Ok(copies)
    }
}
