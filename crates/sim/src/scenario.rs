//! What one seed stands for, as plain data: sizes, tables, clients, lives, faults. Shrinking edits it.

use crate::faults::{FaultKind, FaultSet, Planned};
use crate::schema::{Content, TableSpec};
use std::time::Duration;
use weir_disk::Mode;
use weir_disk::sim::SECTOR;
use weir_engine::FLUSH_POLICIES;
use weir_rt::Rng;

/// What the clients mostly do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Workload {
    /// Everything, a little.
    Mixed,
    /// A handful of rows that everybody wants: locks, deadlocks, long version chains.
    Hot,
    /// Inserts with ascending and random keys, large statements, deletes of ranges: splits and merges.
    Grow,
    /// Columns that do not fit in a page.
    Long,
    /// Definitions that change under the transactions.
    Ddl,
    /// Lists that grow by locked reads: the history is checked for cycles.
    Append,
    /// Values that are replaced: the same for registers.
    Register,
}

pub const WORKLOADS: [(&str, Workload); 7] = [
    ("mixed", Workload::Mixed),
    ("hot", Workload::Hot),
    ("grow", Workload::Grow),
    ("long", Workload::Long),
    ("ddl", Workload::Ddl),
    ("append", Workload::Append),
    ("register", Workload::Register),
];

impl Workload {
    pub fn name(self) -> &'static str {
        WORKLOADS.iter().find(|w| w.1 == self).map_or("?", |w| w.0)
    }

    pub fn by_name(name: &str) -> Option<Workload> {
        WORKLOADS.iter().find(|w| w.0 == name).map(|w| w.1)
    }
}

/// Operations at which a crash is worth more than elsewhere: kind, beginning of the path, and about how many there are.
pub const PLACES: [(&str, &str, u64); 11] = [
    ("write", "tables/", 300),
    ("write", "undo.weir", 60),
    ("write", "system.weir", 20),
    ("sync", "tables/", 40),
    ("write", "doublewrite.weir", 200),
    ("write", "weir.ctl", 12),
    ("sync", "redo/", 200),
    ("rename", "redo/", 8),
    ("remove", "tables/", 6),
    ("create", "tables/", 8),
    ("sync_dir", "", 12),
];

/// What happens to the first operation of a trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strike {
    Nothing,
    /// It fails; a sync forgets what it should have made durable.
    Fails,
    /// It and all later ones of its kind take this many milliseconds longer.
    Slow(u64),
}

/// Two operations between which a crash finds what single ones cannot: kind and beginning of the path of the first and about
/// how many there are, what happens to it; the same of the second (an empty kind: any operation), and how much later at most.
pub struct Trap {
    pub first: (&'static str, &'static str, u64),
    pub strike: Strike,
    pub second: (&'static str, &'static str, u64),
    pub more: u64,
}

pub const TRAPS: [Trap; 10] = [
    // What a failed sync has lost is written again with the log's last block: only a crash before that shows it.
    Trap { first: ("sync", "redo/", 150), strike: Strike::Fails, second: ("", "", 4), more: 1 },
    // A page that a failed sync has lost is missed when a checkpoint has passed it.
    Trap {
        first: ("sync", "tables/", 12),
        strike: Strike::Fails,
        second: ("write", "weir.ctl", 3),
        more: 6,
    },
    Trap {
        first: ("sync", "undo.weir", 12),
        strike: Strike::Fails,
        second: ("write", "weir.ctl", 3),
        more: 6,
    },
    Trap {
        first: ("sync", "system.weir", 6),
        strike: Strike::Fails,
        second: ("write", "weir.ctl", 3),
        more: 6,
    },
    // A new file is there; now its definition gets into the log, perhaps a part of it.
    Trap {
        first: ("create", "tables/", 6),
        strike: Strike::Nothing,
        second: ("write", "redo/", 3),
        more: 1,
    },
    // A file is gone or about to go; the same.
    Trap {
        first: ("remove", "tables/", 3),
        strike: Strike::Nothing,
        second: ("write", "redo/", 3),
        more: 1,
    },
    // Commits wait for their undo page while others come after them and are acknowledged.
    Trap {
        first: ("read", "undo.weir", 4),
        strike: Strike::Slow(60),
        second: ("sync", "redo/", 20),
        more: 3,
    },
    // Recovery has found torn pages and puts the doublewrite area's copies in their place.
    Trap {
        first: ("read", "doublewrite.weir", 2),
        strike: Strike::Nothing,
        second: ("write", "", 12),
        more: 2,
    },
    Trap {
        first: ("read", "doublewrite.weir", 2),
        strike: Strike::Nothing,
        second: ("sync", "", 4),
        more: 2,
    },
    Trap {
        first: ("read", "undo.weir", 40),
        strike: Strike::Slow(8),
        second: ("sync", "redo/", 20),
        more: 3,
    },
];

/// How a life ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The clients finish, the engine is closed.
    Close,
    /// The device stops at this operation of the life.
    AtIo(u64),
    /// The device stops at, or a little behind, the nth operation of a kind: `PLACES[place]`.
    AtOp { place: usize, nth: u64, more: u64 },
    /// Two operations in a row: `TRAPS[trap]`. The nth of the first kind is struck; the device stops at, or a little behind,
    /// the nth of the second kind from there on.
    Trap { trap: usize, nth: u64, then: u64, more: u64 },
    /// The device stops this many operations after the nth definition change of a class (see `model::DDL_CLASSES`) has begun.
    InDdl { class: usize, nth: u64, more: u64 },
    /// Everything stops at this moment after the start of the life, whatever it is doing.
    AtTime(Duration),
}

/// From one start of the engine to its end.
#[derive(Clone, Debug)]
pub struct Life {
    /// Number in the seed's full list: seeds of the life's clients and schedule follow from it.
    pub no: u64,
    pub end: End,
    /// After a crash: the machine lost its power (and what was not synced), or only the process ended.
    pub power: bool,
    /// `weir_flush_policy` at the start, and what it is set to so much later.
    pub policy: &'static str,
    pub switch: Option<(Duration, &'static str)>,
}

/// How large a world is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A few clients, a few dozen commits a life.
    Usual,
    /// Tables of several map pages, filled before the clients come.
    Wide,
    /// Hundreds of clients, dozens of tables, a log that wraps many times in a life.
    Large,
}

pub const SIZES: [(&str, Size); 3] =
    [("usual", Size::Usual), ("wide", Size::Wide), ("large", Size::Large)];

impl Size {
    pub fn name(self) -> &'static str {
        SIZES.iter().find(|s| s.1 == self).map_or("?", |s| s.0)
    }

    pub fn by_name(name: &str) -> Option<Size> {
        SIZES.iter().find(|s| s.0 == name).map(|s| s.1)
    }
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    pub size: Size,
    pub workload: Workload,
    pub page_size: usize,
    pub frames: u64,
    pub redo: u64,
    pub log_buffer: usize,
    pub data_mode: Mode,
    pub log_mode: Mode,
    pub doublewrite: bool,
    pub tables: Vec<TableSpec>,
    /// Numbers of the clients; a client's choices follow from its number, not from how many there are.
    pub clients: Vec<u64>,
    /// Transactions of a client in a life.
    pub txns: u64,
    /// Most operations of a transaction.
    pub ops: u64,
    /// Kinds of faults that may happen.
    pub fault_set: FaultSet,
    /// Clients pause within their transactions, so that others come in between.
    pub pauses: bool,
    /// Nobody gives up waiting for a row: a deadlock or a waiter that are forgotten stay so.
    pub patient: bool,
    pub lives: Vec<Life>,
    pub faults: Vec<Planned>,
}

/// What the command line asks for beyond the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    pub size: Option<Size>,
    pub workload: Option<Workload>,
    /// Kinds of faults that may happen at all.
    pub faults: Option<FaultSet>,
    pub clients: Option<Vec<u64>>,
    pub txns: Option<u64>,
    pub ops: Option<u64>,
    /// Numbers of the lives to run.
    pub lives: Option<Vec<u64>>,
    /// Numbers of planned faults to leave out.
    pub drop_faults: Vec<usize>,
    /// Only this many tables.
    pub tables: Option<usize>,
    /// This flush policy in all lives, never switched.
    pub policy: Option<&'static str>,
}

impl Overrides {
    /// The options of the command line that say the same.
    pub fn options(&self) -> String {
        let list = |v: &[u64]| v.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let mut o = String::new();
        if let Some(s) = self.size {
            o += &format!(" --size {}", s.name());
        }
        if let Some(w) = self.workload {
            o += &format!(" --workload {}", w.name());
        }
        if let Some(f) = &self.faults {
            o += &format!(" --faults {f}");
        }
        if let Some(l) = &self.lives {
            o += &format!(" --lives {}", list(l));
        }
        if let Some(c) = &self.clients {
            o += &format!(" --clients {}", list(c));
        }
        if let Some(n) = self.tables {
            o += &format!(" --tables {n}");
        }
        if let Some(n) = self.txns {
            o += &format!(" --txns {n}");
        }
        if let Some(n) = self.ops {
            o += &format!(" --ops {n}");
        }
        if let Some(p) = self.policy {
            o += &format!(" --policy {p}");
        }
        if !self.drop_faults.is_empty() {
            let v: Vec<u64> = self.drop_faults.iter().map(|n| *n as u64).collect();
            o += &format!(" --drop-faults {}", list(&v));
        }
        o
    }
}

/// A number that follows from several.
pub fn mix(parts: &[u64]) -> u64 {
    parts
        .iter()
        .fold(0x5749_4552, |h, p| Rng::new(h ^ p.wrapping_mul(0x9E37_79B9_7F4A_7C15)).next_u64())
}

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len() as u64) as usize]
}

impl Scenario {
    /// The scenario of a seed, with what the overrides change.
    pub fn new(seed: u64, o: &Overrides) -> Scenario {
        let mut rng = Rng::new(mix(&[seed, 1]));
        let drawn = match rng.below(20) {
            0..=6 => Workload::Mixed,
            7..=10 => Workload::Hot,
            11..=13 => Workload::Grow,
            14 => Workload::Long,
            15 | 16 => Workload::Ddl,
            17 | 18 => Workload::Append,
            _ => Workload::Register,
        };
        let size = o.size.unwrap_or_else(|| size(&mut Rng::new(mix(&[seed, 6]))));
        let drawn = match size {
            Size::Usual => drawn,
            Size::Wide => Workload::Long,
            Size::Large => Workload::Mixed,
        };
        let workload = o.workload.unwrap_or(drawn);
        let page_size = pick(
            &mut rng,
            &[512, 1024, 1024, 2048, 2048, 4096, 4096, 4096, 4096, 8192, 16384, 65536],
        );
        let frames = if rng.chance(0.6) { 24 + rng.below(12) } else { 36 + rng.below(100) };
        // A change of one page's size or two must fit into a quarter of the log, and half of its buffer.
        let redo = ((64 << 10) << rng.below(5)).max(page_size as u64 * 24);
        let log_buffer = ((32 << 10) << rng.below(3)).max(page_size * 16);
        let modes = [Mode::Buffered, Mode::Buffered, Mode::Direct, Mode::Dsync, Mode::DirectDsync];
        let (data_mode, log_mode) = (pick(&mut rng, &modes), pick(&mut rng, &modes));
        let doublewrite = rng.chance(0.9);
        let n = 1 + rng.below(3);
        let mut tables: Vec<TableSpec> =
            (0..n).map(|i| TableSpec::random(&mut rng, workload, i)).collect();
        let clients = (0..1 + rng.below(6)).collect();
        let txns = 4 + rng.below(24);
        let ops = 2 + rng.below(12);
        let lives = lives(&mut rng, doublewrite);
        let mut faults = plan(&mut rng, &lives);
        // From generators of their own: what is above stays what it was.
        let mut lives = lives;
        let mut own = Rng::new(mix(&[seed, 10]));
        // A page that a power failure cannot tear; the shapes of large and wide worlds choose their pages later.
        let whole = page_size == SECTOR && size == Size::Usual;
        let doublewrite = doublewrite && !(whole && own.chance(0.6));
        if whole && !doublewrite {
            lives.iter_mut().for_each(|l| l.power = own.chance(0.7));
        }
        traps(&mut Rng::new(mix(&[seed, 3])), &mut lives, doublewrite);
        let mut rng = Rng::new(mix(&[seed, 4]));
        // An old snapshot meets new definitions only when somebody takes his time.
        let pauses = rng.chance(0.25) || workload == Workload::Ddl;
        let patient = rng.chance(0.1);
        flips_of_the_log(&mut rng, &lives, &mut faults);
        of_the_system(&mut Rng::new(mix(&[seed, 15])), &lives, &mut faults);
        in_ddl(&mut Rng::new(mix(&[seed, 8])), &mut lives, workload);
        policies(&mut Rng::new(mix(&[seed, 5])), &mut lives, doublewrite);
        // Edits, in an order that keeps everything else as the seed has it.
        if let Some(n) = o.tables {
            tables.truncate(n.max(1));
        }
        let set = o.faults.clone().unwrap_or_default();
        faults.retain(|f| set.has(f.kind.name()) && !o.drop_faults.contains(&f.no));
        // A failed write may leave half a page, as a power failure does; without the doublewrite area nothing repairs it.
        faults.retain(|f| doublewrite || f.kind != FaultKind::Write);
        let mut s = Scenario {
            seed,
            size,
            workload,
            page_size,
            frames,
            redo,
            log_buffer,
            data_mode,
            log_mode,
            doublewrite,
            tables,
            clients,
            txns: o.txns.unwrap_or(txns),
            ops: o.ops.unwrap_or(ops),
            fault_set: set.clone(),
            pauses,
            patient,
            lives,
            faults,
        };
        s.stretch(o, &mut Rng::new(mix(&[seed, 9])));
        let mut wide = Rng::new(mix(&[seed, 11]));
        for t in s.tables.iter_mut().filter(|t| t.content == Content::Random) {
            if wide.chance(0.3) && s.size != Size::Wide {
                t.widen(&mut wide, s.page_size);
            }
        }
        if let Some(c) = &o.clients {
            s.clients.retain(|n| c.contains(n));
        }
        if let Some(l) = &o.lives {
            s.lives.retain(|x| l.contains(&x.no));
        }
        if let Some(p) = o.policy {
            s.lives.iter_mut().for_each(|l| (l.policy, l.switch) = (p, None));
        }
        if !set.has("crash") {
            s.lives.iter_mut().for_each(|l| l.end = End::Close);
        }
        s
    }

    /// What another size than the usual one changes.
    fn stretch(&mut self, o: &Overrides, rng: &mut Rng) {
        match self.size {
            Size::Usual => return,
            // 480 bytes of a map page are the bits of 3,840 pages, less than two megabytes.
            Size::Wide => {
                self.page_size = 512;
                self.redo = self.redo.max(256 << 10);
                self.frames = self.frames.max(64);
                self.tables.truncate(1);
                self.tables.iter_mut().for_each(|t| t.long = 20_000 + rng.below(40_000));
                self.txns = self.txns.min(8);
            }
            Size::Large => {
                self.page_size = pick(rng, &[1024, 2048, 4096]);
                self.redo = (96 << 10).max(self.page_size as u64 * 24);
                self.log_buffer = (32 << 10).max(self.page_size * 16);
                self.frames = 200 + rng.below(400);
                let n = 10 + rng.below(20);
                self.tables = (0..n).map(|i| TableSpec::random(rng, self.workload, i)).collect();
                self.clients = (0..80 + rng.below(160)).collect();
                self.txns = 4 + rng.below(4);
                self.ops = 2 + rng.below(6);
                // Most crashes come after a few hundred operations: too early for what this size is about.
                for l in &mut self.lives {
                    if let End::AtIo(n) = &mut l.end {
                        *n *= 8;
                    }
                }
                self.lives.truncate(3);
            }
        }
        self.txns = o.txns.unwrap_or(self.txns);
        self.ops = o.ops.unwrap_or(self.ops);
        self.tables.truncate(o.tables.unwrap_or(usize::MAX).max(1));
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        format!(
            "{}{}: pages of {} bytes, {} frames, redo {} KiB, {} tables, {} clients, {} lives, {} faults",
            if self.size == Size::Usual {
                String::new()
            } else {
                format!("{}, ", self.size.name())
            },
            self.workload.name(),
            self.page_size,
            self.frames,
            self.redo >> 10,
            self.tables.len(),
            self.clients.len(),
            self.lives.len(),
            self.faults.len()
        )
    }
}

/// Crashes in a row: early ones hit recovery and the making of the directory, late ones the work.
fn lives(rng: &mut Rng, doublewrite: bool) -> Vec<Life> {
    let n = 2 + rng.below(4);
    (0..n)
        .map(|no| {
            let end = match rng.below(14) {
                0 => End::AtIo(rng.below(40)),
                1 | 2 => End::AtIo(rng.below(300)),
                3..=5 => End::AtIo(rng.below(2500)),
                6 => End::AtTime(Duration::from_micros(rng.below(300_000))),
                7 => End::AtTime(Duration::from_micros(rng.below(3_000_000))),
                8..=10 => End::Close,
                _ => {
                    let place = rng.below(PLACES.len() as u64) as usize;
                    End::AtOp {
                        place,
                        nth: 1 + rng.below(PLACES[place].2),
                        more: if rng.chance(0.5) { rng.below(4) } else { rng.below(40) },
                    }
                }
            };
            // Without the doublewrite area nothing repairs a page that a power failure tore (pages of one sector come later).
            let power = doublewrite && rng.chance(0.7);
            Life { no, end, power, policy: FLUSH_POLICIES[0], switch: None }
        })
        .collect()
}

/// Some lives end in a trap instead. What it shows is what a power failure loses.
fn traps(rng: &mut Rng, lives: &mut [Life], doublewrite: bool) {
    for life in lives.iter_mut().filter(|_| doublewrite) {
        if !rng.chance(0.12) {
            continue;
        }
        let trap = rng.below(TRAPS.len() as u64) as usize;
        let t = &TRAPS[trap];
        life.end = End::Trap {
            trap,
            nth: 1 + rng.below(t.first.2),
            then: 1 + rng.below(t.second.2),
            more: rng.below(t.more),
        };
        life.power = true;
    }
}

/// One world in a hundred is large, one in fifty has tables of several maps.
fn size(rng: &mut Rng) -> Size {
    match rng.below(100) {
        0 => Size::Large,
        1 | 2 => Size::Wide,
        _ => Size::Usual,
    }
}

/// Some lives end in the middle of a definition change.
fn in_ddl(rng: &mut Rng, lives: &mut [Life], workload: Workload) {
    let share = if workload == Workload::Ddl { 0.4 } else { 0.02 };
    for life in lives {
        if rng.chance(share) {
            let more = if rng.chance(0.5) { rng.below(12) } else { rng.below(80) };
            let class = rng.below(crate::model::DDL_CLASSES as u64) as usize;
            life.end = End::InDdl { class, nth: 1 + rng.below(4), more };
        }
    }
}

/// Most lives are flushed by the engine's own policy; the others, and changes from one to another, must lose nothing either. Without the
/// doublewrite area most are not its own: published builds write in a way of theirs then.
fn policies(rng: &mut Rng, lives: &mut [Life], doublewrite: bool) {
    let (other, change) = if doublewrite { (0.3, 0.1) } else { (0.8, 0.3) };
    for life in lives {
        if rng.chance(other) {
            life.policy = pick(rng, FLUSH_POLICIES);
        }
        if rng.chance(change) {
            let after = Duration::from_micros(1 << rng.below(22));
            life.switch = Some((after, pick(rng, FLUSH_POLICIES)));
        }
    }
}

/// Bits of what the life before has left in its log.
fn flips_of_the_log(rng: &mut Rng, lives: &[Life], faults: &mut Vec<Planned>) {
    for life in lives.iter().skip(1) {
        if rng.chance(0.04) {
            let kind = FaultKind::FlipLog { at: rng.next_u64(), behind: rng.chance(0.3) };
            faults.push(Planned { no: faults.len(), life: life.no, at: 0, kind });
        }
    }
}

/// No descriptors, reads that are put off, and log that the device has not kept.
fn of_the_system(rng: &mut Rng, lives: &[Life], faults: &mut Vec<Planned>) {
    for life in lives {
        let at = if rng.chance(0.3) { rng.below(100) } else { rng.below(1500) };
        let (ops, times) = (1 + rng.below(200), 1 + rng.below(3));
        let (mark, old) = (rng.next_u64(), rng.chance(0.5));
        let kind = match rng.below(20) {
            0..=2 => FaultKind::Descriptors { ops },
            3 => FaultKind::Again { times },
            4 if life.no > 0 => FaultKind::LoseLog { at: mark, old },
            _ => continue,
        };
        faults.push(Planned { no: faults.len(), life: life.no, at, kind });
    }
}

fn plan(rng: &mut Rng, lives: &[Life]) -> Vec<Planned> {
    let mut faults = Vec::new();
    let mut push = |life: u64, at: u64, kind: FaultKind| {
        let no = faults.len();
        faults.push(Planned { no, life, at, kind });
    };
    let mut damaged = false;
    for life in lives {
        // A fault that ends a life or damages it for good is rare, so that most of the work is under faults to survive.
        for _ in 0..rng.below(4) {
            let at = if rng.chance(0.3) { rng.below(100) } else { rng.below(1500) };
            let kind = match rng.below(13) {
                0..=2 => FaultKind::Slow(Duration::from_millis(1 + rng.below(200))),
                3 => FaultKind::Stuck(Duration::from_secs(1 + rng.below(40))),
                4 | 5 => FaultKind::Full { ops: 1 + rng.below(200) },
                6 | 7 => FaultKind::Read { times: 1 + rng.below(3) },
                8 if rng.chance(0.5) => FaultKind::Write,
                9 if rng.chance(0.5) => {
                    if rng.chance(0.5) {
                        FaultKind::Sync
                    } else {
                        FaultKind::PageSync
                    }
                }
                10 => FaultKind::Sleep(Duration::from_secs(1 + rng.below(3600))),
                11 => FaultKind::Wall(rng.below(7_200_000_000) as i64 - 3_600_000_000),
                12 if rng.chance(0.3) && !damaged => {
                    damaged = true;
                    FaultKind::Flip { file: rng.next_u64(), byte: rng.next_u64() }
                }
                _ => continue,
            };
            push(life.no, at, kind);
        }
        // What a failed sync lost is seen by a crash that comes soon.
        if let End::AtIo(n) = life.end
            && rng.chance(0.1)
        {
            let at = n.saturating_sub(1 + rng.below(4));
            push(life.no, at, if rng.chance(0.8) { FaultKind::Sync } else { FaultKind::Write });
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_one_scenario_and_edits_leave_the_rest() {
        for seed in 0..200 {
            let whole = Scenario::new(seed, &Overrides::default());
            let again = Scenario::new(seed, &Overrides::default());
            assert_eq!(format!("{whole:?}"), format!("{again:?}"));
            let o = Overrides { drop_faults: vec![0], txns: Some(1), ..Overrides::default() };
            let less = Scenario::new(seed, &o);
            assert_eq!(less.txns, 1);
            assert_eq!(format!("{:?}", less.lives), format!("{:?}", whole.lives));
            let kept: Vec<_> = whole.faults.iter().filter(|f| f.no != 0).collect();
            assert_eq!(
                format!("{kept:?}"),
                format!("{:?}", less.faults.iter().collect::<Vec<_>>())
            );
        }
    }

    #[test]
    fn without_doublewrite_no_page_is_torn() {
        for seed in 0..500 {
            let s = Scenario::new(seed, &Overrides::default());
            let whole = s.page_size == SECTOR;
            assert!(s.doublewrite || whole || s.lives.iter().all(|l| !l.power));
            assert!(s.doublewrite || s.faults.iter().all(|f| f.kind != FaultKind::Write));
        }
    }
}
