//! Floor 1: tablespaces as files: which there are, how long, how many are open, which are refused.
//!
//! May use: `page`, `waits`, `weir_disk`. Knows no log and no buffer pool: what hands out the pages of a file is `space`.
//!
//! Layout. Page 0 is the space's header, page 1 the first bitmap; each bitmap page covers as many pages as it has bits, the
//! k-th (k > 0) stands at the first page of its range. A set bit is a page in use.
//! Space 0 is the system space, space 1 holds undo; tables begin at `FIRST_TABLE`. Ids are never reused.
//!
//! Invariants
//! - The file is as long as `pages` says before any page of it is handed out; the length needs no log record because it is
//!   taken from the file before anything of it is changed, and recovery grows the file when the log speaks of a page beyond its end.
//! - A start looks at no table's file but those that recovery applies redo to: they are measured and checked when they are first used.

mod meter;
mod open;
mod refused;
mod troubles;
mod witness;

pub use meter::{Meter, Sums};
pub use open::{DEFAULT_LIMIT as OPEN_FILES, Files, SpaceFile};
pub use refused::Refusal;
pub use witness::FILE as WITNESSES;

use crate::error::Result;
use crate::ids::{PageId, PageNo, SpaceId};
use crate::page::{self, HEADER};
use crate::planted::{self, Bug};
use crate::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use crate::sync::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use weir_disk::{Disk, File, IoBuf, Mode};
use weir_rt::{AsyncMutex, AsyncMutexGuard};

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
    /// Word of the bitmap where the last search for a free page ended.
    pub(crate) hint: AtomicU32,
    /// Pages that were freed since the start. It grows while the page that goes is latched exclusively.
    pub(crate) freed: AtomicU32,
    pub reads: AtomicU64,
    /// Requests for its pages: reads, writes.
    pub meters: [Meter; 2],
    page_bytes: u64,
    /// Set once; then nothing is done with the file but to remove it.
    refused: OnceLock<Refusal>,
    failed_undos: AtomicU32,
    /// What is known of the file's pages at home since the start.
    home: Mutex<witness::Home>,
    /// Of all spaces: one of them has become known.
    arrived: Arc<AtomicBool>,
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

    /// For anyone who makes the file longer: one at a time.
    pub(crate) async fn growing(&self) -> AsyncMutexGuard<'_, ()> {
        self.growing.lock().await
    }

    /// The caller holds [`Space::growing`].
    pub(crate) async fn measure_alone(&self) -> Result<()> {
        if self.pages() == 0 {
            let pages = mapped(&self.file, self.page_bytes as usize).await?;
            self.pages.store(pages, Ordering::Release);
        }
        Ok(())
    }

    /// The file has grown, or the space was cut. The caller holds [`Space::growing`].
    pub(crate) fn set_pages(&self, pages: PageNo) {
        self.pages.store(pages, Ordering::Release);
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
    /// What each table's file must be at least.
    witnesses: Mutex<witness::Witnesses>,
    /// A table has pages at home that are newer than what stands in the list, since the list was last looked at.
    arrived: Arc<AtomicBool>,
}

impl Spaces {
    /// `directory`: the id of the data directory, which stands in the header of each of its files.
    pub fn new(disk: Arc<dyn Disk>, mode: Mode, page_size: usize, directory: [u8; 16]) -> Spaces {
        let files = Files::new(disk.clone(), mode);
        let map = RwLock::new(HashMap::new());
        let (witnesses, arrived) = (Mutex::default(), Arc::default());
        Spaces { disk, files, page_size, directory, map, leaves_damage: false, witnesses, arrived }
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

    /// Takes a space out and closes its file, no matter who still has a handle of its table.
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
            freed: AtomicU32::new(0),
            reads: AtomicU64::new(0),
            meters: Default::default(),
            page_bytes: self.page_size as u64,
            refused: OnceLock::new(),
            failed_undos: AtomicU32::new(0),
            home: Mutex::default(),
            arrived: self.arrived.clone(),
        });
        self.map.write().insert(id, s.clone());
        s
    }

    /// Makes the file of a space of a directory that is being made. Its pages are synced when they are written, its name with the
    /// others of the directory.
    pub async fn make_file(&self, id: SpaceId, pages: u32) -> Result<Arc<Space>> {
        let path = path_of(id);
        let file = self.files.create(&path).await?;
        file.allocate(pages as u64 * self.page_size as u64, false).await?;
        Ok(self.insert(id, path, file, pages))
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

/// Pages covered by one bitmap page; a multiple of 64.
pub fn bits_per_map(page_size: usize) -> u32 {
    ((page_size - HEADER) * 8) as u32 / 64 * 64
}

/// Page number of the bitmap that covers `page`.
pub fn map_page(page_size: usize, page: PageNo) -> PageNo {
    let k = page / bits_per_map(page_size);
    if k == 0 { 1 } else { k * bits_per_map(page_size) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageType;
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
