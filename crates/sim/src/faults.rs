//! Faults: what is planned, how the device carries it out, and which errors of the engine it explains.
//!
//! There are two kinds. A *survived* fault (latency, a stuck operation, a full disk, a read that fails a few times,
//! no descriptors for files of tables, reads that are put off, jumping clocks, a crash) may fail a statement but never ends the engine. A *detected* one (a failed write or sync, a
//! flipped bit, log whose write was acknowledged and is not there) may end the engine or a table's use with a clear error; it never makes wrong data.

use crate::scenario::Strike;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use weir_disk::sim::{Fault, Op, SECTOR, SimDisk};
use weir_engine::log::SEGMENT_HEADER;
use weir_engine::page;
use weir_rt::sim::SimClock;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// One operation takes this much longer.
    Slow(Duration),
    /// The same, for so long that timeouts pass.
    Stuck(Duration),
    /// No room for new files and longer ones, for this many operations.
    Full { ops: u64 },
    /// Reads fail, then work again.
    Read { times: u64 },
    /// Files of tables cannot be opened, since the process has no descriptor left, for this many operations.
    Descriptors { ops: u64 },
    /// Reads are put off for longer than anybody asks again, then work.
    Again { times: u64 },
    /// A write fails and may have happened in part.
    Write,
    /// A sync fails, and the device forgets what it had to make durable.
    Sync,
    /// The same for the pages of a table.
    PageSync,
    /// The machine sleeps: both clocks go on by this at once.
    Sleep(Duration),
    /// Somebody sets the wall clock, in microseconds.
    Wall(i64),
    /// A bit of a data file changes on the device.
    Flip { file: u64, byte: u64 },
    /// A bit of the redo log changes: of what was synced and will be read again, or behind the end.
    FlipLog { at: u64, behind: bool },
    /// A sector of the log that was synced has not kept its write: it is blank, or, `old`, has what the log had there a segment earlier.
    LoseLog { at: u64, old: bool },
}

pub const KINDS: [&str; 13] = [
    "crash",
    "slow",
    "stuck",
    "full",
    "read",
    "descriptors",
    "again",
    "write",
    "sync",
    "sleep",
    "wall",
    "flip",
    "lost",
];

impl FaultKind {
    pub fn name(&self) -> &'static str {
        match self {
            FaultKind::Slow(_) => "slow",
            FaultKind::Stuck(_) => "stuck",
            FaultKind::Full { .. } => "full",
            FaultKind::Read { .. } => "read",
            FaultKind::Descriptors { .. } => "descriptors",
            FaultKind::Again { .. } => "again",
            FaultKind::Write => "write",
            FaultKind::Sync | FaultKind::PageSync => "sync",
            FaultKind::Sleep(_) => "sleep",
            FaultKind::Wall(_) => "wall",
            FaultKind::Flip { .. } | FaultKind::FlipLog { .. } => "flip",
            FaultKind::LoseLog { .. } => "lost",
        }
    }
}

/// A fault with its place: the first fitting operation of a life from the `at`-th on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Its number in the seed's full plan.
    pub no: usize,
    pub life: u64,
    pub at: u64,
    pub kind: FaultKind,
}

/// Kinds of faults that are switched on; all by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSet(Vec<&'static str>);

impl Default for FaultSet {
    fn default() -> FaultSet {
        FaultSet(KINDS.to_vec())
    }
}

impl FaultSet {
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }

    /// `all`, `none`, or names with commas between.
    pub fn parse(text: &str) -> Result<FaultSet, String> {
        match text {
            "all" => return Ok(FaultSet::default()),
            "none" => return Ok(FaultSet(Vec::new())),
            _ => {}
        }
        let find = |n: &str| {
            KINDS.iter().copied().find(|k| *k == n).ok_or_else(|| {
                format!("there is no fault '{n}'; choose all, none or some of {}", KINDS.join(", "))
            })
        };
        text.split(',').map(find).collect::<Result<Vec<_>, _>>().map(FaultSet)
    }
}

impl fmt::Display for FaultSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&self.0.join(","))
    }
}

/// What has happened in a life so far; it decides which errors are explained.
#[derive(Clone, Debug, Default)]
pub struct Happened {
    pub full: bool,
    /// A read has failed, or was put off.
    pub read: bool,
    pub descriptors: bool,
    pub write: bool,
    pub sync: bool,
    pub flip: bool,
    /// A bit of the log was flipped, or a write of it lost, and the log has not been read since.
    pub log_flip: bool,
    /// Faults carried out, by kind.
    pub counts: Vec<(&'static str, u64)>,
}

impl Happened {
    /// Something on the device is not what was written.
    pub fn is_damaged(&self) -> bool {
        self.flip || self.log_flip
    }

    fn note(&mut self, kind: &FaultKind) {
        match kind {
            FaultKind::Full { .. } => self.full = true,
            FaultKind::Read { .. } | FaultKind::Again { .. } => self.read = true,
            FaultKind::Descriptors { .. } => self.descriptors = true,
            FaultKind::Write => self.write = true,
            FaultKind::Sync | FaultKind::PageSync => self.sync = true,
            _ => {}
        }
        self.count(kind.name());
    }

    pub fn count(&mut self, name: &'static str) {
        match self.counts.iter_mut().find(|c| c.0 == name) {
            Some(c) => c.1 += 1,
            None => self.counts.push((name, 1)),
        }
    }
}

/// The operation of a trap that something happens to.
#[derive(Clone, Copy, Debug)]
pub struct Struck {
    pub kind: &'static str,
    pub path: &'static str,
    /// It is the nth of its kind.
    pub left: u64,
    pub strike: Strike,
}

struct Running {
    waiting: Vec<Planned>,
    struck: Option<Struck>,
    full_until: u64,
    descriptors_until: u64,
    read_left: u64,
    /// Reads that are put off.
    again_left: u64,
    on: bool,
    happened: Happened,
}

/// The plan of one life, at work in its device.
#[derive(Clone)]
pub struct Injector(Arc<Mutex<Running>>);

impl Injector {
    pub fn install(
        plan: Vec<Planned>,
        struck: Option<Struck>,
        disk: &SimDisk,
        clock: SimClock,
    ) -> Injector {
        let me = Injector(Arc::new(Mutex::new(Running {
            waiting: plan,
            struck,
            full_until: 0,
            descriptors_until: 0,
            read_left: 0,
            again_left: 0,
            on: true,
            happened: Happened::default(),
        })));
        let at_work = me.clone();
        disk.set_fault(Some(Box::new(move |op| at_work.decide(op, &clock))));
        me
    }

    fn with<T>(&self, f: impl FnOnce(&mut Running) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// No more faults: what must end ends from here on.
    pub fn stop(&self) {
        self.with(|r| r.on = false);
    }

    pub fn happened(&self) -> Happened {
        self.with(|r| r.happened.clone())
    }

    /// A bit was flipped: now, or in an earlier life.
    pub fn note_flip(&self, now: bool) {
        self.with(|r| {
            r.happened.flip = true;
            if now {
                r.happened.count("flip");
            }
        });
    }

    /// A bit of the log was flipped, or a write of it lost.
    pub fn note_log_damage(&self, kind: &FaultKind) {
        self.with(|r| r.happened.count(kind.name()));
    }

    /// Recovery will meet a flipped bit of the log.
    pub fn log_is_damaged(&self) {
        self.with(|r| r.happened.log_flip = true);
    }

    /// Recovery has read the log and found nothing wrong: from here on everything must be right.
    pub fn log_was_read(&self) {
        self.with(|r| r.happened.log_flip = false);
    }

    fn decide(&self, op: &Op, clock: &SimClock) -> Option<Fault> {
        self.with(|r| r.decide(op, clock))
    }
}

impl Running {
    /// Counts the operations of a trap's first kind and strikes the one it is set for.
    fn strike(&mut self, op: &Op) -> Option<Fault> {
        let s = self.struck.as_mut()?;
        if op.kind != s.kind || !op.path.starts_with(s.path) {
            return None;
        }
        s.left = s.left.saturating_sub(1);
        if s.left > 0 {
            return None;
        }
        match s.strike {
            Strike::Nothing => None,
            Strike::Fails => {
                self.struck = None;
                self.happened.note(&FaultKind::Sync);
                Some(Fault::Io)
            }
            Strike::Slow(ms) => {
                let d = Duration::from_millis(ms);
                self.happened.note(&FaultKind::Slow(d));
                Some(Fault::Slow(d))
            }
        }
    }

    fn decide(&mut self, op: &Op, clock: &SimClock) -> Option<Fault> {
        if !self.on {
            return None;
        }
        if let Some(fault) = self.strike(op) {
            return Some(fault);
        }
        if self.read_left > 0 && op.kind == "read" {
            self.read_left -= 1;
            return Some(Fault::Io);
        }
        if self.again_left > 0 && op.kind == "read" {
            self.again_left -= 1;
            return Some(Fault::Again);
        }
        if op.count < self.descriptors_until && opens_a_table(op) {
            return Some(Fault::NoDescriptor);
        }
        let grows = matches!(op.kind, "allocate" | "create");
        if op.count < self.full_until && grows {
            return Some(Fault::Full);
        }
        let fits = |f: &Planned| {
            op.count > f.at
                && match f.kind {
                    FaultKind::Read { .. } | FaultKind::Again { .. } => op.kind == "read",
                    FaultKind::Descriptors { .. } => opens_a_table(op),
                    FaultKind::Write => op.kind == "write",
                    FaultKind::Sync => op.kind == "sync" || op.kind == "sync_dir",
                    FaultKind::PageSync => op.kind == "sync" && op.path.starts_with("tables/"),
                    FaultKind::Flip { .. }
                    | FaultKind::FlipLog { .. }
                    | FaultKind::LoseLog { .. } => false,
                    _ => true,
                }
        };
        let i = self.waiting.iter().position(fits)?;
        let f = self.waiting.remove(i);
        self.happened.note(&f.kind);
        match f.kind {
            FaultKind::Slow(d) | FaultKind::Stuck(d) => Some(Fault::Slow(d)),
            FaultKind::Full { ops } => {
                self.full_until = op.count + ops;
                grows.then_some(Fault::Full)
            }
            FaultKind::Read { times } => {
                self.read_left = times - 1;
                Some(Fault::Io)
            }
            FaultKind::Descriptors { ops } => {
                self.descriptors_until = op.count + ops;
                Some(Fault::NoDescriptor)
            }
            FaultKind::Again { times } => {
                self.again_left = times - 1;
                Some(Fault::Again)
            }
            FaultKind::Write | FaultKind::Sync | FaultKind::PageSync => Some(Fault::Io),
            FaultKind::Sleep(d) => {
                clock.jump(d);
                None
            }
            FaultKind::Wall(micros) => {
                clock.shift_wall(micros);
                None
            }
            FaultKind::Flip { .. } | FaultKind::FlipLog { .. } | FaultKind::LoseLog { .. } => None,
        }
    }
}

/// Files of tables come and go with what sessions do; what else there is is opened once.
fn opens_a_table(op: &Op) -> bool {
    matches!(op.kind, "open" | "create") && op.path.starts_with("tables/")
}

/// Flips a bit of a data file, in a page that is in use: half of the time in one that the doublewrite area has a copy of,
/// perhaps an old one, which must not be put back.
pub fn flip(disk: &SimDisk, page_size: usize, file: u64, byte: u64) -> bool {
    if byte >> 40 & 1 == 1 && flip_copied(disk, page_size, file, byte) {
        return true;
    }
    let mut files = disk.paths();
    files.retain(|p| p.starts_with("tables/") || p == "system.weir" || p == "undo.weir");
    if files.is_empty() {
        return false;
    }
    let path = &files[(file % files.len() as u64) as usize];
    let Some(bytes) = disk.content(path) else { return false };
    let used = bytes.iter().rposition(|b| *b != 0).map_or(0, |n| n as u64 + 1);
    used > 0 && disk.flip_bit(path, byte % used, (byte >> 32 & 7) as u8)
}

fn flip_copied(disk: &SimDisk, page_size: usize, slot: u64, byte: u64) -> bool {
    let Some(area) = disk.content("doublewrite.weir") else { return false };
    let copies: Vec<_> = area.chunks_exact(page_size).filter(|p| !page::is_blank(p)).collect();
    if copies.is_empty() {
        return false;
    }
    let id = page::page_id(copies[(slot % copies.len() as u64) as usize]);
    let path = format!("tables/{:08x}.weir", id.space);
    let at = id.page as u64 * page_size as u64 + byte % page_size as u64;
    let there = disk.content(&path).is_some_and(|c| at < c.len() as u64);
    there && disk.flip_bit(&path, at, (byte >> 32 & 7) as u8)
}

/// What a life's log is known to hold, seen when it was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSeen {
    pub checkpoint: u64,
    /// Below this a mark in the log itself says that everything was synced.
    pub marked: u64,
    pub durable: u64,
    /// Nothing was appended behind this.
    pub end: u64,
}

impl LogSeen {
    /// A write of the log begins. Each round of writing and syncing marks how far the one before it had come.
    pub fn saw(&mut self, checkpoint: u64, durable: u64, end: u64) {
        if durable > self.durable {
            self.marked = self.durable;
            self.durable = durable;
        }
        self.checkpoint = checkpoint;
        self.end = end;
    }
}

/// Flips a bit of the log between checkpoint and last mark: a hole, which recovery must tell. What lies between the mark and
/// the end could be a torn tail. `behind`: in the bytes after the end, which mean nothing.
/// Returns where.
pub fn flip_log(disk: &SimDisk, seen: &LogSeen, at: u64, behind: bool) -> Option<u64> {
    let (from, to) = match behind {
        true => (seen.end, seen.end + 8192),
        false => (seen.checkpoint, seen.marked),
    };
    if from >= to || seen.end == 0 {
        return None;
    }
    let lsn = from + at % (to - from);
    let (start, path) = segment_of(disk, lsn)?;
    disk.flip_bit(&path, SEGMENT_HEADER + lsn - start, (at >> 32 & 7) as u8).then_some(lsn)
}

/// The segment of the log that a position is in: where it begins, and its file.
fn segment_of(disk: &SimDisk, lsn: u64) -> Option<(u64, String)> {
    let start_of = |p: &String| {
        let name = p.strip_prefix("redo/")?.strip_suffix(".log")?;
        u64::from_str_radix(name, 16).ok().filter(|start| *start <= lsn)
    };
    disk.paths().into_iter().filter_map(|p| Some((start_of(&p)?, p))).max()
}

/// Takes a sector between checkpoint and last mark back, which had been synced. Recovery must tell, since the mark says that there is log:
/// blank sectors are a hole, and groups of another place in the log carry another LSN. Returns where.
pub fn lose_log(disk: &SimDisk, seen: &LogSeen, at: u64, old: bool) -> Option<u64> {
    if seen.checkpoint >= seen.marked || seen.end == 0 {
        return None;
    }
    let lsn = seen.checkpoint + at % (seen.marked - seen.checkpoint);
    let (start, path) = segment_of(disk, lsn)?;
    let mut bytes = disk.content(&path)?;
    let place = (SEGMENT_HEADER + lsn - start) as usize / SECTOR * SECTOR;
    let before = match old && start > 0 {
        true => segment_of(disk, start - 1).and_then(|(_, p)| disk.content(&p))?,
        false => vec![0; bytes.len()],
    };
    let (from, to) = (place, (place + SECTOR).min(bytes.len()));
    // What lies before the checkpoint, or behind the mark, may be missing and does not matter.
    let header = SEGMENT_HEADER as usize;
    let first = (from.max(header) - header) as u64 + start;
    let inside =
        from >= header && first >= seen.checkpoint && first + (to - from) as u64 <= seen.marked;
    if !inside || before.get(from..to)? == &bytes[from..to] {
        return None;
    }
    bytes[from..to].copy_from_slice(&before[from..to]);
    disk.set_content(&path, bytes);
    Some(lsn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_lags_one_round_behind_what_is_durable() {
        let mut seen = LogSeen::default();
        for (durable, marked) in [(100, 0), (100, 0), (250, 100), (250, 100), (300, 250)] {
            seen.saw(50, durable, 400);
            assert_eq!((seen.checkpoint, seen.marked, seen.end), (50, marked, 400));
        }
    }
}
