//! Floor 1: tablespaces. A file per space, pages handed out by bitmaps, growth by extents.
//!
//! May use: `mtr`, `pool`, `log`, `page`, `weir_disk`. Knows no rows and no trees.
//!
//! Layout. Page 0 is the space's header, page 1 the first bitmap; each bitmap page covers as many pages as it has bits, the
//! k-th (k > 0) stands at the first page of its range. A set bit is a page in use.
//! Space 0 is the system space, space 1 holds undo; tables begin at `FIRST_TABLE`. Ids are never reused.
//!
//! Invariants
//! - The file is as long as `pages` says before any page of it is handed out; the length needs no log record because it is
//!   taken from the file before anything of it is changed, and recovery grows the file when the log speaks of a page beyond its end.
//! - A start looks at no table's file but those that recovery applies redo to: they are measured and checked when they are first used.
//! - Every page below `pages` has a bitmap that is formatted, in the log or at home.
//! - A page is in exactly one of: bitmap clear (free), or reachable from its owner; `check` in the catalog compares both.

mod alloc;
mod files;
#[cfg(all(test, not(any(shuttle, miri))))]
mod model;
mod refused;
mod shrink;
mod troubles;

pub use files::{DEFAULT_LIMIT as OPEN_FILES, Files, SpaceFile};

pub use alloc::{Freed, allocate, bits_per_map, free, is_allocated, map_page};

pub use refused::Refusal;
pub use shrink::{cut, truncate};

use crate::error::{Error, Result};
use crate::ids::{PageId, PageNo, SpaceId};
use crate::mtr::{self, Core};
use crate::page::redo::Redo;
use crate::page::{self, HEADER, PageType};
use crate::planted::{self, Bug};
use crate::pool::LatchMode;
use crate::sync::RwLock;
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::waits::{Cause, Object, What};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use weir_disk::{Disk, File, IoBuf, Mode};
use weir_rt::AsyncMutex;

pub const SYSTEM: SpaceId = 0;
pub const UNDO: SpaceId = 1;
pub const FIRST_TABLE: SpaceId = 16;
pub const DIR: &str = "tables";

/// Offset in a space's header page of the id of the directory that it belongs to (16 bytes).
pub const HEADER_DIRECTORY: usize = HEADER;

pub struct Space {
    pub id: SpaceId,
    path: String,
    file: SpaceFile,
    /// 0: nobody has measured the file yet.
    pages: AtomicU32,
    /// The header has been read, and is this space's of this directory.
    met: AtomicBool,
    live: AtomicBool,
    growing: AsyncMutex<()>,
    /// Word of the bitmap where the last search ended.
    hint: AtomicU32,
    pub reads: AtomicU64,
    page_bytes: u64,
    /// Set once; then nothing is done with the file but to remove it.
    refused: OnceLock<Refusal>,
    failed_undos: AtomicU32,
}

impl Space {
    pub fn file(&self) -> &dyn File {
        &self.file
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Pages that the file holds; 0 when it has not been measured since the start.
    pub fn pages(&self) -> PageNo {
        self.pages.load(Ordering::Acquire)
    }

    /// Whether the file has been looked at since the start.
    pub fn is_met(&self) -> bool {
        self.met.load(Ordering::Acquire)
    }

    pub fn mark_met(&self) {
        self.met.store(true, Ordering::Release);
    }

    /// Takes the length from the file, once. Until then none of the space's map pages is changed, so what the file says is true.
    pub async fn measure(&self) -> Result<()> {
        if self.pages() > 0 {
            return Ok(());
        }
        let _one = self.growing.lock().await;
        self.measure_alone().await
    }

    /// The caller holds `growing`.
    async fn measure_alone(&self) -> Result<()> {
        if self.pages() == 0 {
            let pages = mapped(&self.file, self.page_bytes as usize).await?;
            self.pages.store(pages, Ordering::Release);
        }
        Ok(())
    }

    pub fn page_bytes(&self) -> u64 {
        self.page_bytes
    }

    pub fn is_live(&self) -> bool {
        self.live.load(Ordering::Acquire)
    }

    pub fn mark_dropped(&self) {
        self.live.store(false, Ordering::Release);
    }
}

pub fn path_of(id: SpaceId) -> String {
    match id {
        SYSTEM => "system.weir".into(),
        UNDO => "undo.weir".into(),
        _ => format!("{DIR}/{id:08x}.weir"),
    }
}

/// The space that a file name of `DIR` stands for.
pub fn id_of(name: &str) -> Option<SpaceId> {
    let hex = name.rsplit('/').next()?.strip_suffix(".weir")?;
    SpaceId::from_str_radix(hex, 16).ok().filter(|id| *id >= FIRST_TABLE)
}

/// All open spaces.
pub struct Spaces {
    disk: Arc<dyn Disk>,
    pub files: Arc<Files>,
    page_size: usize,
    directory: [u8; 16],
    map: RwLock<HashMap<SpaceId, Arc<Space>>>,
    /// A table whose file is damaged is read as far as that goes (`innodb_force_recovery`).
    leaves_damage: bool,
}

impl Spaces {
    /// `directory`: the id of the data directory, which stands in the header of each of its files.
    pub fn new(disk: Arc<dyn Disk>, mode: Mode, page_size: usize, directory: [u8; 16]) -> Spaces {
        let files = Files::new(disk.clone(), mode);
        let map = RwLock::new(HashMap::new());
        Spaces { disk, files, page_size, directory, map, leaves_damage: false }
    }

    pub fn leaving_damage(self, leaves_damage: bool) -> Spaces {
        Spaces { leaves_damage, ..self }
    }

    pub fn leaves_damage(&self) -> bool {
        self.leaves_damage
    }

    /// A line for the error log.
    pub fn say(&self, text: &str) {
        self.files.troubles.say(text);
    }

    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// The id of the data directory.
    pub fn directory(&self) -> [u8; 16] {
        self.directory
    }

    pub fn page_size(&self) -> usize {
        self.page_size
    }

    /// Whether a whole page may be of one of these files: the header says whose file it is.
    pub fn check_owner(&self, id: PageId, page: &[u8]) -> std::result::Result<(), &'static str> {
        let of = &page[HEADER_DIRECTORY..HEADER_DIRECTORY + 16];
        if id.page != 0 || of == self.directory {
            return Ok(());
        }
        Err(
            "the file belongs to another data directory; put back the one of this directory, or drop the table",
        )
    }

    pub fn get(&self, id: SpaceId) -> Option<Arc<Space>> {
        self.map.read().get(&id).cloned()
    }

    /// By id.
    pub fn all(&self) -> Vec<Arc<Space>> {
        let mut all: Vec<Arc<Space>> = self.map.read().values().cloned().collect();
        all.sort_by_key(|s| s.id);
        all
    }

    /// Takes a space out and closes its file, whoever still has a handle of its table.
    pub async fn remove(&self, id: SpaceId) {
        let space = self.map.write().remove(&id);
        if let Some(space) = space
            && !planted::is(Bug::DroppedFileKeptOpen)
        {
            space.file.retire().await;
        }
    }

    /// A space whose file is there. Nothing is read of it before somebody uses it.
    pub fn enter(&self, id: SpaceId) -> Arc<Space> {
        let path = path_of(id);
        let file = self.files.existing(&path);
        self.insert(id, path, file, 0)
    }

    fn insert(&self, id: SpaceId, path: String, file: SpaceFile, pages: u32) -> Arc<Space> {
        let s = Arc::new(Space {
            id,
            path,
            file,
            pages: AtomicU32::new(pages),
            // A file that this process has made needs no look.
            met: AtomicBool::new(pages > 0),
            live: AtomicBool::new(true),
            growing: AsyncMutex::new(()),
            hint: AtomicU32::new(0),
            reads: AtomicU64::new(0),
            page_bytes: self.page_size as u64,
            refused: OnceLock::new(),
            failed_undos: AtomicU32::new(0),
        });
        self.map.write().insert(id, s.clone());
        s
    }

    /// Makes the file of a new space with room for `pages` pages, durably, before any log record speaks of it.
    pub async fn create_file(&self, id: SpaceId, pages: u32) -> Result<Arc<Space>> {
        let path = path_of(id);
        let file = self.files.create(&path).await?;
        let made: Result<()> = async {
            file.truncate(0).await?;
            file.allocate(pages as u64 * self.page_size as u64, false).await?;
            file.sync().await?;
            if planted::is(Bug::NewFileNotSynced) {
                return Ok(());
            }
            self.files.sync_dir(if id >= FIRST_TABLE { DIR } else { "" }).await?;
            Ok(())
        }
        .await;
        if let Err(e) = made {
            file.retire().await;
            let _ = self.disk.remove(&path).await;
            return Err(e);
        }
        Ok(self.insert(id, path, file, pages))
    }

    /// Removes the file of a space that is no longer in `self`.
    pub async fn delete_file(&self, id: SpaceId) -> Result<()> {
        // The file of a table that was refused may be missing.
        if self.disk.exists(&path_of(id)).await? {
            self.disk.remove(&path_of(id)).await?;
        }
        self.files.sync_dir(if id >= FIRST_TABLE { DIR } else { "" }).await?;
        Ok(())
    }

    /// Recovery: the log speaks of a page beyond the end of the file.
    pub async fn ensure_page(&self, space: &Space, page: PageNo) -> Result<()> {
        space.measure().await?;
        if page < space.pages() {
            return Ok(());
        }
        let want = page + 1;
        space.file.allocate(want as u64 * self.page_size as u64, false).await?;
        // Somebody else may have made it longer meanwhile.
        space.pages.fetch_max(want, Ordering::AcqRel);
        Ok(())
    }
}

/// Pages of a file that its bitmaps speak of. A crash may come between the growth of the file and the moment when the log
/// durably has the new bitmap: then the bitmap is blank, no page behind it was ever handed out, and what the log says of
/// them is still to be applied. The space ends there, and is grown again when somebody needs it.
async fn mapped(file: &SpaceFile, page_size: usize) -> Result<PageNo> {
    let pages = (file.len().await? / page_size as u64) as u32;
    let bits = bits_per_map(page_size);
    for k in 1..pages.div_ceil(bits) {
        let at = map_page(page_size, k * bits);
        let (map, read) = file.read(at as u64 * page_size as u64, IoBuf::new(page_size)).await;
        read?;
        if page::is_blank(&map) && !planted::is(Bug::BlankMapBelieved) {
            return Ok(at);
        }
    }
    Ok(pages)
}

/// Formats header and first bitmap of a space whose file is there.
pub async fn format(core: &Core, space: SpaceId) -> Result<()> {
    mtr::run(core, 288, |w| {
        let mut g = w.gather();
        let header = g.create(PageId::new(space, 0))?;
        let map = g.create(PageId::new(space, 1))?;
        let mut a = g.seal(232)?;
        a.record(
            header,
            &Redo::PageInit { kind: PageType::SpaceHeader as u8, owner: space as u64 },
        );
        let directory = &core.spaces.directory;
        a.record(header, &Redo::Bytes { off: HEADER_DIRECTORY as u32, data: directory });
        a.record(map, &Redo::PageInit { kind: PageType::Bitmap as u8, owner: space as u64 });
        a.record(map, &Redo::Bit { bit: 0, on: true });
        a.record(map, &Redo::Bit { bit: 1, on: true });
        a.commit();
        Ok(())
    })
    .await
}

/// Grows the file of a space by one step, unless somebody else just did.
pub async fn extend(core: &Core, id: SpaceId) -> Result<()> {
    let space = core.spaces.get(id).ok_or_else(|| Error::Corrupt {
        what: "no such tablespace".into(),
        place: format!("space {id}"),
    })?;
    let seen = space.pages();
    let waiting = core.waits.begin(What::new(Cause::File, Object::Space(id)));
    let _growing = space.growing.lock().await;
    space.measure_alone().await?;
    let old = space.pages();
    if old > seen {
        return Ok(());
    }
    let size = core.spaces.page_size() as u64;
    // 16 pages at first, doubling up to 4 MiB steps, so that small tables stay small.
    let step = (old as u64).clamp(16, ((4 << 20) / size).max(16));
    let new = old as u64 + step;
    if new > u32::MAX as u64 {
        return Err(Error::DiskFull { file: space.path.clone() });
    }
    space.file.allocate(new * size, false).await?;
    space.file.sync().await?;
    drop(waiting);
    let bits = alloc::bits_per_map(core.spaces.page_size());
    // The first page of each new range is its bitmap; with the smallest pages a step may reach into two of them.
    let first = if planted::is(Bug::StepPastMap) { (new as u32 - 1) / bits } else { 0 };
    for at in (old.div_ceil(bits).max(first)..=(new as u32 - 1) / bits)
        .filter(|k| *k > 0)
        .map(|k| k * bits)
    {
        mtr::run(core, 128, |w| {
            let mut g = w.gather();
            let p = g.create(PageId::new(id, at))?;
            let mut a = g.seal(64)?;
            a.record(p, &Redo::PageInit { kind: PageType::Bitmap as u8, owner: id as u64 });
            a.record(p, &Redo::Bit { bit: 0, on: true });
            a.commit();
            Ok(())
        })
        .await?;
    }
    space.pages.store(new as u32, Ordering::Release);
    Ok(())
}

/// The first look at a space's file since the start: how long it is, and by its header whether it is the right one.
pub async fn meet(core: &Core, space: &Space) -> Result<()> {
    space.measure().await?;
    if space.pages() == 0 {
        return Err(Error::Corrupt { what: "file is empty".into(), place: space.path.clone() });
    }
    read_header(core, space.id, |_| ()).await?;
    space.mark_met();
    Ok(())
}

/// Reads from the header page of a space.
pub async fn read_header<T>(core: &Core, id: SpaceId, f: impl Fn(&[u8]) -> T) -> Result<T> {
    mtr::run(core, 0, |w| {
        let mut g = w.gather();
        let p = g.fix(PageId::new(id, 0), LatchMode::S)?;
        Ok(f(g.bytes(p)))
    })
    .await
}

/// Overwrites bytes of the header page of a space.
pub async fn write_header(core: &Core, id: SpaceId, off: usize, data: &[u8]) -> Result<()> {
    mtr::run(core, data.len() + 64, |w| {
        let mut g = w.gather();
        let p = g.fix(PageId::new(id, 0), LatchMode::X)?;
        let mut a = g.seal(data.len() + 32)?;
        a.record(p, &Redo::Bytes { off: off as u32, data });
        a.commit();
        Ok(())
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_disk::sim::SimDisk;
    use weir_rt::sim::SimRt;

    #[test]
    fn a_space_ends_before_a_map_that_a_crash_left_blank() {
        const SIZE: usize = 512;
        let sim = SimRt::new(1);
        let disk = Arc::new(SimDisk::new(sim.rt(), 1));
        let bits = bits_per_map(SIZE);
        let done = sim.run(async {
            let spaces = Spaces::new(disk.clone(), Mode::Buffered, SIZE, [1; 16]);
            let made = spaces.create_file(FIRST_TABLE, 2 * bits + 10).await.unwrap();
            let pages = async || {
                let space = spaces.enter(FIRST_TABLE);
                assert_eq!(space.pages(), 0);
                space.measure().await.unwrap();
                space.pages()
            };
            assert_eq!(pages().await, bits);
            for (k, then) in [(1, 2 * bits), (2, 2 * bits + 10)] {
                let mut map = IoBuf::new(SIZE);
                map[4] = PageType::Bitmap as u8;
                let (_, written) = made.file.write((k * bits) as u64 * SIZE as u64, map).await;
                written.unwrap();
                assert_eq!(pages().await, then);
            }
        });
        done.unwrap();
    }
}
