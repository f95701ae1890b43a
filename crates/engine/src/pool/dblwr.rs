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
use std::collections::BTreeMap;
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
/// Pages that a start reads at once.
const READ_AT_ONCE: usize = 16;

pub struct Doublewrite {
    file: Arc<dyn File>,
    page_size: usize,
}

impl Doublewrite {
    /// `new`: the directory is being made, and its names are synced at the end of that.
    pub async fn open(
        disk: &dyn Disk,
        mode: Mode,
        page_size: usize,
        new: bool,
    ) -> Result<Doublewrite> {
        let file =
            disk.open_needed(FILE, OpenOptions { create: true, create_new: false, mode }).await?;
        let want = (BATCH * page_size) as u64;
        if file.len().await? < want {
            // The first batch syncs what is here; until then nothing in the area counts.
            file.allocate(want, false).await?;
            if !new {
                disk.sync_dir("").await?;
            }
        }
        Ok(Doublewrite { file, page_size })
    }

    /// Writes a batch of sealed images to the area and syncs it; gives the buffers back in order.
    pub async fn write(&self, bufs: Vec<IoBuf>) -> Result<Vec<IoBuf>> {
        assert!(bufs.len() <= BATCH);
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
    ///
    /// Where the last life did not end with a clean stop, the homes of the batch are synced before this one writes another into the area:
    /// they may be whole in the system's memory alone, and a power failure could tear them then.
    pub async fn restore(
        disk: &dyn Disk,
        spaces: &Spaces,
        page_size: usize,
        clean: bool,
    ) -> Result<Copies> {
        let mut copies = Copies::default();
        let mut homes = BTreeMap::new();
        if !disk.exists(FILE).await? {
            return Ok(copies);
        }
        let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
        let file = disk.open_needed(FILE, how).await?;
        let area = last_batch(file.as_ref(), page_size).await?;
        for copy in area.iter().flat_map(|part| part.chunks_exact(page_size)) {
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
            homes.entry(id.space).or_insert_with(|| space.clone());
            let (home, done) = space.file().read(off, IoBuf::new(page_size)).await;
            done?;
            if planted::is(Bug::TornPageNotRestored)
                || (copies.restored > 0 && planted::is(Bug::OneTornPageRestored))
            {
                continue;
            }
            // It had been written before: a blank page is that of another file, which is recognised when the file is first used.
            if page::is_blank(&home) && spaces.is_witness(id) {
                continue;
            }
            if page::verify(&home, id).is_err() || planted::is(Bug::DoublewriteOverNewer) {
                let mut whole = IoBuf::new(page_size);
                whole.copy_from_slice(copy);
                let (_, done) = space.file().write(off, whole).await;
                done?;
                copies.restored += 1;
            }
        }
        for home in homes.values().filter(|_| !clean || copies.restored > 0) {
            home.file().sync().await?;
        }
        Ok(copies)
    }
}

/// The area as far as its last batch reaches, in parts: that of a clean stop is a few pages of two MiB. It is read before any home is,
/// because the home of each page is somewhere else on the device.
async fn last_batch(file: &dyn File, page_size: usize) -> Result<Vec<IoBuf>> {
    let slots = (file.len().await? / page_size as u64) as usize;
    let mut area: Vec<IoBuf> = Vec::new();
    let (mut read, mut ended) = (0, false);
    while read < slots && !ended {
        let part = READ_AT_ONCE.min(slots - read);
        let at = (read * page_size) as u64;
        let (buf, done) = file.read(at, IoBuf::new(part * page_size)).await;
        done?;
        ended = buf.chunks_exact(page_size).any(page::is_blank);
        area.push(buf);
        read += part;
    }
    Ok(area)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{DIR, FIRST_TABLE};
    use crate::page::PageType;
    use weir_disk::sim::SimDisk;
    use weir_rt::sim::SimRt;

    const SIZE: usize = 512;
    const DIRECTORY: [u8; 16] = [1; 16];

    /// A whole image; `what` stands in its body.
    fn image(space: u32, no: u32, lsn: Lsn, what: u8) -> IoBuf {
        let mut b = IoBuf::new(SIZE);
        page::format(&mut b, PageId::new(space, no), PageType::Undo, 0);
        page::set_lsn(&mut b, lsn);
        b[SIZE - 1] = what;
        page::seal(&mut b);
        b
    }

    fn at(disk: &SimDisk, space: u32, no: usize) -> u8 {
        let file = disk.content(&crate::files::path_of(space)).unwrap();
        file[(no + 1) * SIZE - 1]
    }

    /// What stands in the way of one copy (its table is gone, its home beyond the end of the file, itself torn) is nothing to those
    /// behind it; a home that is whole stays as it is, and nothing behind the end of the last batch counts.
    #[test]
    fn each_torn_page_of_the_last_batch_gets_its_copy() {
        let sim = SimRt::new(1);
        let disk = Arc::new(SimDisk::new(sim.rt(), 1));
        let (here, gone) = (FIRST_TABLE, FIRST_TABLE + 1);
        let done = sim.run(async {
            let spaces = Spaces::new(disk.clone(), Mode::Buffered, SIZE, DIRECTORY);
            let space = spaces.create_file(here, 8).await.unwrap();
            for no in 0..8 {
                let (_, done) =
                    space.file().write(no * SIZE as u64, image(here, no as u32, 5, b'h')).await;
                done.unwrap();
            }
            space.file().sync().await.unwrap();
            let area = Doublewrite::open(disk.as_ref(), Mode::Buffered, SIZE, false).await.unwrap();
            let older = (0..7).map(|no| image(here, no, 3, b'o')).collect();
            area.write(older).await.unwrap();
            let mut torn = image(here, 2, 9, b't');
            torn[SIZE / 2] ^= 1;
            let batch = vec![
                image(gone, 1, 70, b'g'),
                torn,
                image(here, 99, 8, b'b'),
                image(here, 3, 9, b'n'),
                image(here, 4, 7, b'n'),
            ];
            area.write(batch).await.unwrap();
            // The process ended before its pages' homes were synced.
            let (_, done) = space.file().write(4 * SIZE as u64, image(here, 4, 7, b'n')).await;
            done.unwrap();
            for no in [2, 3, 5] {
                assert!(disk.flip_bit(space.path(), no * SIZE as u64 + 200, 1));
            }
            let copies = Doublewrite::restore(disk.as_ref(), &spaces, SIZE, false).await.unwrap();
            assert_eq!(copies.restored, 1);
            assert_eq!(copies.newest, Some((9, PageId::new(here, 3))));
            let found: Vec<u8> = (2..6).map(|no| at(&disk, here, no)).collect();
            assert_eq!(found, b"hnnh");
            let whole = |no: u32| {
                let file = disk.content(space.path()).unwrap();
                page::verify(&file[no as usize * SIZE..][..SIZE], PageId::new(here, no)).is_ok()
            };
            assert_eq!([2, 3, 4, 5].map(whole), [false, true, true, false]);
            // Once more, and no page of the batch is torn that has a copy.
            let (_, done) = space.file().write(4 * SIZE as u64, image(here, 4, 7, b'n')).await;
            done.unwrap();
            for (clean, unsynced) in [(true, 1), (false, 0)] {
                let again = Doublewrite::restore(disk.as_ref(), &spaces, SIZE, clean);
                assert_eq!(again.await.unwrap().restored, 0);
                assert_eq!(
                    disk.unsynced(DIR),
                    unsynced,
                    "a clean stop had synced everything: {clean}"
                );
            }
        });
        done.map_err(|s| s.tasks).unwrap();
        assert!(disk.paths().iter().all(|p| !p.starts_with(DIR) || p.ends_with("0010.weir")));
    }
}
