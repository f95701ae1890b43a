//! Older moments with right checksums, put back on purpose: a table's file as it was at an earlier end of a life, a page as it was before
//! the last write of it, a block of the control file before its last write. So does a backup that is restored for one file only, and a
//! device that acknowledges a write and a sync and keeps neither.
//!
//! After a clean stop the format can tell, and must: a table's file of an earlier clean stop that is not the one of the last, and the loss of
//! the write of a file's newest page, since the stop has written down which page that is and its LSN (invariant I16). A control file without its last write begins
//! recovery further back, or finds no log there: it may cost the start, and no row.
//!
//! The format cannot tell the loss of another page's write: nothing that is read says which LSN the page must have at least. Nor can it
//! tell a file as a crash left it whose newest page had come home: recovery has brought the older ones home since. Such a page is
//! served, or it contradicts its neighbours and whatever meets that reports it; what is asked of the engine is an end, by rows or by an error.

use crate::faults::Injector;
use crate::life::{Stage, everything};
use crate::model::{Failure, Shared, Stop, failed};
use crate::panics::told_panic;
use crate::run::Report;
use crate::scenario::{Life, Scenario, Size, mix};
use crate::schema::{Row, SCHEMA};
use crate::spoil::options;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use weir_disk::sim::SimDisk;
use weir_engine::{Db, Error, page};
use weir_rt::Rng;
use weir_rt::sim::SimRt;

/// One life in this many remembers what it has written, and what its files were.
const ONE_IN: u64 = 6;

/// Whether what a life writes is to be remembered.
pub fn is_drawn(s: &Scenario, life: u64) -> bool {
    s.size == Size::Usual && Rng::new(mix(&[s.seed, life, 13])).below(ONE_IN) == 0
}

/// The files of tables at the end of the life before.
#[derive(Default)]
pub struct Older {
    pub files: BTreeMap<String, Vec<u8>>,
    /// That was a clean stop.
    pub stopped: bool,
}

impl Older {
    pub fn of(disk: &SimDisk, stopped: bool) -> Older {
        let paths = disk.paths().into_iter().filter(|p| p.starts_with("tables/"));
        let files = paths.filter_map(|p| disk.content(&p).map(|bytes| (p, bytes))).collect();
        Older { files, stopped }
    }
}

/// The last two images of each block that was written: pages of tables, and slots of the control file.
#[derive(Default)]
pub struct Written(BTreeMap<Place, Images>);

/// A file and an offset in it.
type Place = (String, u64);
/// Before the last write, where that is known, and after it.
type Images = (Option<Vec<u8>>, Vec<u8>);

impl Written {
    pub fn saw(&mut self, path: &str, offset: u64, bytes: &[u8], page_size: usize) {
        let size = match path {
            "weir.ctl" => bytes.len(),
            p if p.starts_with("tables/") => page_size,
            _ => return,
        };
        for (n, block) in bytes.chunks(size.max(1)).enumerate() {
            let at = (path.to_string(), offset + (n * size) as u64);
            let before = self.0.remove(&at).map(|b| b.1);
            self.0.insert(at, (before, block.to_vec()));
        }
    }
}

/// What an engine made of a device.
#[derive(PartialEq, Eq)]
enum Found {
    Rows(BTreeMap<String, BTreeMap<Vec<u8>, Row>>),
    /// The engine has told that something is wrong.
    Told(String),
    /// Rows that contradict each other were handed out.
    Contradiction(String),
}

/// A life has been closed: puts an older file or block back in a copy of its device.
pub fn prove(
    s: &Scenario,
    life: &Life,
    disk: &SimDisk,
    world: &Shared,
    older: &Older,
    report: &mut Report,
) -> Result<(), Failure> {
    if !is_drawn(s, life.no) {
        return Ok(());
    }
    let mut rng = Rng::new(mix(&[s.seed, life.no, 14]));
    let written = world.lock().home.take().unwrap_or_default();
    let whole = look(s, life, disk, world, rng.next_u64())?;
    stale_file(s, life, disk, world, (older, &whole), &mut rng, report)?;
    lost_write(s, life, disk, world, (&written, &whole), &mut rng, report)
}

fn stale_file(
    s: &Scenario,
    life: &Life,
    disk: &SimDisk,
    world: &Shared,
    (older, whole): (&Older, &Found),
    rng: &mut Rng,
    report: &mut Report,
) -> Result<(), Failure> {
    let differs = |p: &&String| disk.content(p).is_some_and(|now| now != older.files[*p]);
    let paths: Vec<&String> = older.files.keys().filter(differs).collect();
    if paths.is_empty() {
        return Ok(());
    }
    let path = paths[rng.below(paths.len() as u64) as usize];
    let sim = SimRt::new(rng.next_u64());
    let copy = disk.copy(sim.rt(), rng.next_u64());
    copy.set_content(path, older.files[path].clone());
    match look(s, life, &copy, world, rng.next_u64())? {
        Found::Told(_) => {
            report.count("stale, told", 1);
            Ok(())
        }
        // The pages that differ are none of the table's any more.
        found if found == *whole => {
            report.count("stale, harmless", 1);
            Ok(())
        }
        _ if older.stopped => failed(
            "blind",
            format!(
                "after life {} '{path}' is that of an earlier clean stop, and nobody tells",
                life.no
            ),
        ),
        _ => {
            report.count("stale, untold", 1);
            Ok(())
        }
    }
}

fn lost_write(
    s: &Scenario,
    life: &Life,
    disk: &SimDisk,
    world: &Shared,
    (written, whole): (&Written, &Found),
    rng: &mut Rng,
    report: &mut Report,
) -> Result<(), Failure> {
    let there = |(path, _): &(String, u64)| disk.content(path).is_some();
    let all: Vec<_> = written
        .0
        .iter()
        .filter(|(at, w)| there(at) && w.0.is_some() && w.0.as_ref() != Some(&w.1))
        .collect();
    if all.is_empty() {
        return Ok(());
    }
    // Half of the time the newest page of a file, of which there are few.
    let newest = |(path, offset): &(String, u64), last: &[u8]| {
        let bytes = disk.content(path).unwrap_or_default();
        let whole = bytes.get(*offset as usize..*offset as usize + last.len()) == Some(last);
        let lsns = bytes.chunks_exact(s.page_size).map(page::lsn);
        // Of pages that one change has written the stop names one.
        let as_new = lsns.filter(|lsn| *lsn >= page::lsn(last)).count();
        path != "weir.ctl" && whole && as_new == 1
    };
    let few: Vec<_> = all.iter().copied().filter(|(at, w)| newest(at, &w.1)).collect();
    let from = if rng.chance(0.5) && !few.is_empty() { few } else { all };
    let ((path, offset), (before, last)) = from[rng.below(from.len() as u64) as usize];
    let Some(before) = before else { return Ok(()) };
    let sim = SimRt::new(rng.next_u64());
    let copy = disk.copy(sim.rt(), rng.next_u64());
    let mut bytes = disk.content(path).unwrap_or_default();
    let range = *offset as usize..*offset as usize + before.len();
    let Some(place) = bytes.get_mut(range).filter(|p| **p == **last) else { return Ok(()) };
    place.copy_from_slice(before);
    copy.set_content(path, bytes);
    let must_tell = newest(&(path.clone(), *offset), last);
    let found = look(s, life, &copy, world, rng.next_u64())?;
    let name = match &found {
        Found::Told(_) => "lost, told",
        found if found == whole => "lost, harmless",
        _ => "lost, untold",
    };
    report.count(name, 1);
    if name == "lost, untold" && (must_tell || path == "weir.ctl") {
        let which = if must_tell { "the newest page of" } else { "a slot of" };
        return failed(
            "blind",
            format!(
                "after life {} {which} '{path}' at {offset} lacks its last write, and nobody tells",
                life.no
            ),
        );
    }
    Ok(())
}

/// All rows of all tables, as an engine that is started on a copy of the device finds them.
fn look(
    s: &Scenario,
    life: &Life,
    disk: &SimDisk,
    world: &Shared,
    seed: u64,
) -> Result<Found, Failure> {
    let sim = SimRt::new(seed);
    let copy = disk.copy(sim.rt(), seed);
    let injector = Injector::install(Vec::new(), None, &copy, sim.clock());
    let stage = Stage {
        scenario: s,
        life,
        rt: sim.rt(),
        disk: copy,
        world: world.clone(),
        injector,
        kept: None,
        trace: false,
        db: Mutex::new(None),
    };
    let done = catch_unwind(AssertUnwindSafe(|| sim.run(read(&stage))));
    let _ = catch_unwind(AssertUnwindSafe(|| sim.kill_all()));
    stage.disk.set_fault(None);
    match done {
        Ok(Ok(Ok(rows))) => Ok(Found::Rows(rows)),
        Ok(Ok(Err(Stop::Engine(e)))) => Ok(Found::Told(e.to_string())),
        Ok(Ok(Err(Stop::Failed(f)))) => Ok(Found::Contradiction(f.what)),
        Ok(Err(stuck)) => failed("liveness", format!("an older block: {}", stuck.tasks.join(", "))),
        Err(payload) => failed("panic", format!("an older block: {}", told_panic(&*payload))),
    }
}

async fn read(s: &Stage<'_>) -> Result<BTreeMap<String, BTreeMap<Vec<u8>, Row>>, Stop> {
    let db = Db::open(&s.rt, Arc::new(s.disk.clone()), options(s.scenario)).await?;
    let mut all = BTreeMap::new();
    for t in db.tables(SCHEMA) {
        all.insert(t.def.name.clone(), everything(s, &db, &t).await?);
    }
    // An engine that has found damage says so when it stops, too.
    db.shutdown().await.or_else(|e| match e {
        Error::TableDamaged { .. } => Ok(()),
        e => Err(e),
    })?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_before_the_last_write_is_known() {
        let mut w = Written::default();
        w.saw("tables/1.weir", 8, &[1; 8], 4);
        w.saw("tables/1.weir", 12, &[2; 4], 4);
        w.saw("undo.weir", 0, &[3; 4], 4);
        let at = |offset| w.0.get(&("tables/1.weir".to_string(), offset)).cloned();
        assert_eq!(at(8), Some((None, vec![1; 4])));
        assert_eq!(at(12), Some((Some(vec![1; 4]), vec![2; 4])));
        assert_eq!(w.0.len(), 2);
    }
}
