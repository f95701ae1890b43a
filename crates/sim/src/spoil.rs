//! Damage put there on purpose, to prove that the checks see it.
//!
//! After a life that was closed every page is at home and nothing is left to purge. A copy of the device gets one fault
//! that carries right checksums, as a fault of the engine would leave it; an engine that is started on the copy must find
//! it. The scenario itself goes on without it.

use crate::model::{Failure, failed};
use crate::scenario::{Scenario, mix};
use crate::schema::SCHEMA;
use std::sync::Arc;
use weir_disk::sim::SimDisk;
use weir_engine::page::redo::{Redo, apply};
use weir_engine::page::{self, PageType, slotted};
use weir_engine::{Db, Error, Options, PageId};
use weir_rt::sim::SimRt;
use weir_rt::{Interrupt, Rng};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A secondary index loses an entry.
    EntryGone,
    /// An entry has the delete mark of a purge that never comes.
    EntryMarked,
    /// The same for a row.
    RowMarked,
    /// A page in use is marked free.
    Freed,
    /// A free page is marked as taken.
    Leaked,
    /// A long column goes on in a page of somebody else.
    Shared,
}

const KINDS: [Kind; 6] =
    [Kind::EntryGone, Kind::EntryMarked, Kind::RowMarked, Kind::Freed, Kind::Leaked, Kind::Shared];

/// Bytes before a row in its cell. Cells of secondary indexes have three bytes in all.
const ROW_HEADER: usize = 14;

/// One life in this many is followed by a proof.
const ONE_IN: u64 = 10;

/// Proves, after some lives that were closed, that a fault drawn at random would be seen.
pub fn prove(s: &Scenario, life: u64, disk: &SimDisk) -> Result<(), Failure> {
    let mut rng = Rng::new(mix(&[s.seed, life, 7]));
    if rng.below(ONE_IN) > 0 {
        return Ok(());
    }
    let sim = SimRt::new(rng.next_u64());
    let copy = disk.copy(sim.rt(), rng.next_u64());
    let first = rng.below(KINDS.len() as u64) as usize;
    let done = (0..KINDS.len()).find_map(|i| {
        let kind = KINDS[(first + i) % KINDS.len()];
        spoil(s, kind, &copy, &mut rng).map(|at| (kind, at))
    });
    let Some((kind, at)) = done else { return Ok(()) };
    // Purge may give a page of undo or of a long column back in earnest before anything looks; then the map is right again.
    if kind == Kind::Freed {
        let quiet = SimRt::new(rng.next_u64());
        let same = copy.copy(quiet.rt(), rng.next_u64());
        let history = quiet.run(has_history(s, quiet.rt(), same));
        quiet.kill_all();
        if !matches!(history, Ok(Ok(false))) {
            return Ok(());
        }
    }
    let found = sim.run(look(s, sim.rt(), copy));
    sim.kill_all();
    match found {
        Ok(Ok(problems)) if problems.is_empty() => failed(
            "blind",
            format!(
                "damage of the kind {kind:?} put at {at} after life {life} is seen by no check"
            ),
        ),
        Ok(Ok(_) | Err(Error::Corrupt { .. })) => Ok(()),
        Ok(Err(e)) => failed("blind", format!("damage of the kind {kind:?} at {at}: {e}")),
        Err(stuck) => {
            failed("blind", format!("damage of the kind {kind:?} at {at}: {:?}", stuck.tasks))
        }
    }
}

/// Those of a start on a copy of the device, which nobody else uses and which tells nobody what it does.
pub fn options(s: &Scenario) -> Options {
    Options {
        page_size: s.page_size,
        buffer_pool: s.frames * s.page_size as u64,
        redo_capacity: s.redo,
        log_buffer: s.log_buffer,
        data_mode: s.data_mode,
        log_mode: s.log_mode,
        doublewrite: s.doublewrite,
        log: Arc::new(|_| {}),
        fatal: Arc::new(|_| {}),
        ..Options::default()
    }
}

/// Whether a start on this device finds logs that purge has not come to.
async fn has_history(s: &Scenario, rt: weir_rt::Rt, disk: SimDisk) -> Result<bool, Error> {
    let quiet = Options { background: false, ..options(s) };
    let db = Db::open(&rt, Arc::new(disk), quiet).await?;
    Ok(db.inner().purge.history_length() > 0)
}

/// What the checks say of a device.
async fn look(s: &Scenario, rt: weir_rt::Rt, disk: SimDisk) -> Result<Vec<String>, Error> {
    let db = Db::open(&rt, Arc::new(disk), options(s)).await?;
    // A start finds the logs again whose pages are still there, and purge goes through them.
    for _ in 0..400 {
        if db.inner().purge.history_length() == 0 {
            break;
        }
        rt.sleep(std::time::Duration::from_millis(50)).await;
    }
    let mut found = db.check_spaces().await?;
    for t in db.tables(SCHEMA) {
        found.extend(db.check_table(&t, &Interrupt::new()).await?);
    }
    Ok(found)
}

/// A file's pages, with a map that says which of them are taken.
struct File {
    path: String,
    bytes: Vec<u8>,
    size: usize,
}

impl File {
    fn pages(&self) -> usize {
        self.bytes.len() / self.size
    }

    fn page(&self, no: usize) -> &[u8] {
        &self.bytes[no * self.size..(no + 1) * self.size]
    }

    fn bits(&self) -> usize {
        (self.size - page::HEADER) * 8 / 64 * 64
    }

    /// The map page of a page, and its bit there.
    fn place(&self, no: usize) -> (usize, u32) {
        let k = no / self.bits();
        (if k == 0 { 1 } else { k * self.bits() }, (no % self.bits()) as u32)
    }

    fn is_taken(&self, no: usize) -> bool {
        let (map, bit) = self.place(no);
        self.page(map)[page::HEADER + bit as usize / 8] & (1 << (bit % 8)) != 0
    }

    fn is(&self, no: usize, kind: PageType) -> bool {
        no >= 2 && self.is_taken(no) && page::page_type(self.page(no)) == Some(kind)
    }

    /// Changes a page as the engine would, checksum included.
    fn change(&mut self, no: usize, rec: &Redo<'_>) -> bool {
        let at = no * self.size;
        let p = &mut self.bytes[at..at + self.size];
        let id: PageId = page::page_id(p);
        let done = apply(p, id, rec).is_ok();
        page::seal(p);
        done
    }
}

fn spoil(s: &Scenario, kind: Kind, disk: &SimDisk, rng: &mut Rng) -> Option<String> {
    let mut paths = disk.paths();
    let spaces = matches!(kind, Kind::Freed | Kind::Leaked);
    let engine = |p: &String| matches!(p.as_str(), "system.weir" | "undo.weir");
    paths.retain(|p| p.starts_with("tables/") || (spaces && engine(p)));
    while !paths.is_empty() {
        let path = paths.swap_remove(rng.below(paths.len() as u64) as usize);
        let bytes = disk.content(&path)?;
        let mut f = File { path, bytes, size: s.page_size };
        if let Some(no) = spoil_file(kind, &mut f, rng) {
            let at = format!("page {no} of '{}'", f.path);
            disk.set_content(&f.path, f.bytes);
            return Some(at);
        }
    }
    None
}

/// Cells of leaves that a change may be made to: page and slot.
fn cells(f: &File, fits: impl Fn(&[u8]) -> bool) -> Vec<(usize, u16)> {
    let leaves =
        (0..f.pages()).filter(|n| f.is(*n, PageType::Tree) && slotted::level(f.page(*n)) == 0);
    let cells = leaves.flat_map(|n| (0..slotted::count(f.page(n))).map(move |slot| (n, slot)));
    cells
        .filter(|(n, s)| fits(slotted::value(f.page(*n), *s)))
        .map(|(n, s)| (n, s as u16))
        .collect()
}

fn some<T: Copy>(from: &[T], rng: &mut Rng) -> Option<T> {
    (!from.is_empty()).then(|| from[rng.below(from.len() as u64) as usize])
}

fn spoil_file(kind: Kind, f: &mut File, rng: &mut Rng) -> Option<usize> {
    let live_entry = |v: &[u8]| v.len() == 3 && v[0] & 1 == 0;
    // As inserted: a row that was changed may still be in a log that purge reads once more.
    let live_row = |v: &[u8]| v.len() > ROW_HEADER && v[..1] == [0] && v[7..ROW_HEADER] == [0; 7];
    let (no, done) = match kind {
        Kind::EntryGone => {
            let (no, slot) = some(&cells(f, live_entry), rng)?;
            (no, f.change(no, &Redo::SlotRemove { slot }))
        }
        Kind::EntryMarked | Kind::RowMarked => {
            let rows = kind == Kind::RowMarked;
            let cells = if rows { cells(f, live_row) } else { cells(f, live_entry) };
            let (no, slot) = some(&cells, rng)?;
            let flags = slotted::value(f.page(no), slot.into())[0] | 1;
            (no, f.change(no, &Redo::SlotPatch { slot, off: 0, data: &[flags] }))
        }
        Kind::Freed | Kind::Leaked => {
            let on = kind == Kind::Leaked;
            let pages: Vec<usize> = (2..f.pages()).filter(|n| f.is_taken(*n) != on).collect();
            let no = some(&pages, rng)?;
            let (map, bit) = f.place(no);
            (no, f.change(map, &Redo::Bit { bit, on }))
        }
        Kind::Shared => {
            let taken = |k| (2..f.pages()).filter(|n| f.is(*n, k)).collect::<Vec<usize>>();
            let (blobs, trees) = (taken(PageType::Blob), taken(PageType::Tree));
            let no = some(&blobs, rng)?;
            let others: Vec<usize> =
                blobs.iter().copied().chain(trees).filter(|n| *n != no).collect();
            let next = some(&others, rng)? as u32;
            let was = page::get_u32(f.page(no), page::HEADER);
            if was == next {
                return None;
            }
            let data = next.to_le_bytes();
            (no, f.change(no, &Redo::Bytes { off: page::HEADER as u32, data: &data }))
        }
    };
    done.then_some(no)
}
