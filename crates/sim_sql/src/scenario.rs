//! What one seed stands for, as plain data: sizes, clients, lives, faults. Shrinking edits it.

use std::time::Duration;
use weir_rt::Rng;
use weir_sim::{FaultKind, Overrides, Planned, Size, mix};

/// How a life ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The clients finish, the engine is closed.
    Close,
    /// The device stops at this operation of the life.
    AtIo(u64),
    /// The device stops this many operations after the nth definition statement has begun.
    InDdl { nth: u64, more: u64 },
}

/// From one start of the engine to its end.
#[derive(Clone, Debug)]
pub struct Life {
    pub no: u64,
    pub end: End,
    /// After a crash: the machine lost its power (and what was not synced), or only the process ended.
    pub power: bool,
    /// Somebody cuts a table's file short in the middle of a transaction.
    pub vandal: bool,
    /// Branches stay prepared over the end of the life, even where that is a clean stop.
    pub keeps_branches: bool,
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    pub size: Size,
    pub page_size: usize,
    pub frames: u64,
    pub redo: u64,
    /// Numbers of the clients; what a client does follows from its number, not from how many there are.
    pub clients: Vec<u64>,
    /// Of all clients that the seed has, those included that are left out.
    pub clients_in_all: u64,
    /// Units of work of a client in a life: a transaction, a query, a definition statement.
    pub units: u64,
    /// Tables whose definitions change.
    pub tables: u64,
    /// Tables that only are there.
    pub bystanders: u64,
    /// All clients want the same row at once, each with a row of its own locked.
    pub crowd: bool,
    /// Clients wait a minute for a lock.
    pub patient: bool,
    /// Files of tables that may be open at once.
    pub open_files: usize,
    /// `connection_memory_limit` is 2 MiB, and statements ask for more.
    pub tight: bool,
    pub lives: Vec<Life>,
    pub faults: Vec<Planned>,
}

impl Scenario {
    pub fn new(seed: u64, o: &Overrides) -> Scenario {
        let rng = &mut Rng::new(mix(&[seed, 20]));
        let drawn = if rng.chance(0.01) { Size::Large } else { Size::Usual };
        let size = match o.size.unwrap_or(drawn) {
            Size::Wide => Size::Usual,
            other => other,
        };
        let crowd = rng.chance(0.04);
        let clients = if crowd { 60 + rng.below(240) } else { 2 + rng.below(8) };
        let page_size = [1024, 4096, 4096, 4096, 4096, 16384][rng.below(6) as usize];
        let count = 1 + rng.below(3);
        let lives: Vec<Life> = (0..count).map(|no| life(rng, no, count)).collect();
        let mut s = Scenario {
            seed,
            size,
            page_size,
            frames: 100 + rng.below(160),
            redo: (512 << 10) << rng.below(4),
            clients: (0..clients).collect(),
            clients_in_all: clients,
            units: if crowd { 3 } else { 10 + rng.below(30) },
            tables: 1 + rng.below(3),
            bystanders: 0,
            crowd,
            patient: rng.chance(0.3),
            open_files: if rng.chance(0.3) { 3 } else { 4000 },
            tight: rng.chance(0.25),
            faults: faults(rng, &lives),
            lives,
        };
        if size == Size::Large {
            s.stretch(rng);
        }
        s.edit(o);
        s
    }

    /// A thousand sessions, many tables, a log that wraps ten times in a life.
    fn stretch(&mut self, rng: &mut Rng) {
        self.page_size = 4096;
        self.frames = 500 + rng.below(500);
        self.redo = 512 << 10;
        self.clients_in_all = 1000 + rng.below(300);
        self.clients = (0..self.clients_in_all).collect();
        self.units = 3;
        self.crowd = rng.chance(0.5);
        self.tables = 8;
        self.bystanders = 150;
        self.lives.truncate(2);
        // Somebody has to look at what a crash left.
        if let Some(last) = self.lives.last_mut() {
            (last.end, last.keeps_branches) = (End::Close, false);
        }
        for l in &mut self.lives {
            if let End::AtIo(n) = &mut l.end {
                *n *= 20;
            }
        }
    }

    fn edit(&mut self, o: &Overrides) {
        let set = o.faults.clone().unwrap_or_default();
        self.faults.retain(|f| set.has(f.kind.name()) && !o.drop_faults.contains(&f.no));
        if !set.has("crash") {
            self.lives.iter_mut().for_each(|l| l.end = End::Close);
        }
        if let Some(n) = o.tables {
            self.tables = self.tables.min(n.max(1) as u64);
        }
        self.units = o.txns.unwrap_or(self.units);
        if let Some(c) = &o.clients {
            self.clients.retain(|n| c.contains(n));
        }
        if let Some(l) = &o.lives {
            self.lives.retain(|x| l.contains(&x.no));
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        format!(
            "sql{}: pages of {} bytes, {} frames, redo {} KiB, {} clients with {} units{}, {} changing tables, {} lives, \
             {} faults",
            if self.size == Size::Large { ", large" } else { "" },
            self.page_size,
            self.frames,
            self.redo >> 10,
            self.clients.len(),
            self.units,
            if self.crowd { " in a crowd" } else { "" },
            self.tables,
            self.lives.len(),
            self.faults.len()
        )
    }
}

fn life(rng: &mut Rng, no: u64, count: u64) -> Life {
    let end = match rng.below(10) {
        0..=2 => End::AtIo(100 + rng.below(2500)),
        3 => End::AtIo(rng.below(300)),
        4 | 5 => End::InDdl { nth: 1 + rng.below(6), more: rng.below(60) },
        _ => End::Close,
    };
    // Somebody has to look at what a crash left.
    let end = if no + 1 == count { End::Close } else { end };
    let (power, vandal) = (rng.chance(0.7), rng.chance(0.08));
    Life { no, end, power, vandal, keeps_branches: no + 1 < count && rng.chance(0.3) }
}

/// Faults that a sound engine survives, with an error for the statement at most.
fn faults(rng: &mut Rng, lives: &[Life]) -> Vec<Planned> {
    let mut all = Vec::new();
    for life in lives {
        for _ in 0..rng.below(3) {
            let at = 100 + rng.below(2000);
            let kind = match rng.below(8) {
                0 | 1 => FaultKind::Slow(Duration::from_millis(1 + rng.below(200))),
                2 | 3 => FaultKind::Full { ops: 1 + rng.below(200) },
                4 | 5 => FaultKind::Descriptors { ops: 1 + rng.below(200) },
                6 => FaultKind::Again { times: 1 + rng.below(3) },
                _ => FaultKind::Read { times: 1 + rng.below(3) },
            };
            all.push(Planned { no: all.len(), life: life.no, at, kind });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_leave_the_rest() {
        for seed in 0..300 {
            let all = Scenario::new(seed, &Overrides::default());
            let o = Overrides { clients: Some(vec![1]), txns: Some(2), ..Overrides::default() };
            let less = Scenario::new(seed, &o);
            assert_eq!((less.clients, less.units), (vec![1], 2));
            assert_eq!(
                (less.frames, less.redo, less.lives.len()),
                (all.frames, all.redo, all.lives.len())
            );
            assert_eq!(less.clients_in_all, all.clients_in_all);
            assert_eq!(all.lives.last().map(|l| l.end), Some(End::Close));
        }
    }

    #[test]
    fn sizes_are_drawn() {
        let large = |s: &Scenario| s.size == Size::Large && s.clients.len() >= 1000;
        let n = (0..2000).filter(|s| large(&Scenario::new(*s, &Overrides::default()))).count();
        assert!((5..60).contains(&n), "{n}");
    }
}
