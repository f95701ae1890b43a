//! What the command line and the shrinker know of a storey of the simulator: the engine alone, or what stands on it.

use crate::run::{Report, run};
use crate::scenario::{Overrides, Scenario};

/// The parts of a scenario that can be left out.
#[derive(Clone, Debug)]
pub struct Shape {
    pub lives: Vec<u64>,
    /// Numbers of the planned faults, each with the number of its life.
    pub faults: Vec<(usize, u64)>,
    pub clients: Vec<u64>,
    pub txns: u64,
    pub ops: u64,
    pub tables: usize,
}

/// A storey plays what a seed stands for, with the edits of the command line.
pub trait Storey: Sync {
    /// With `trace` it tells on standard error what happens.
    fn play(&self, seed: u64, o: &Overrides, trace: bool) -> Report;
    fn shape(&self, seed: u64, o: &Overrides) -> Shape;
    /// One line for people.
    fn describe(&self, seed: u64, o: &Overrides) -> String;
    /// Options of the command line that choose this storey.
    fn options(&self) -> &'static str;
    /// Whether `Overrides::policy` means anything here.
    fn has_policies(&self) -> bool;
}

/// The first storey: the engine alone.
#[derive(Clone, Copy, Debug)]
pub struct EngineStorey;

impl Storey for EngineStorey {
    fn play(&self, seed: u64, o: &Overrides, trace: bool) -> Report {
        run(&Scenario::new(seed, o), trace)
    }

    fn shape(&self, seed: u64, o: &Overrides) -> Shape {
        let s = Scenario::new(seed, o);
        Shape {
            lives: s.lives.iter().map(|l| l.no).collect(),
            faults: s.faults.iter().map(|f| (f.no, f.life)).collect(),
            clients: s.clients,
            txns: s.txns,
            ops: s.ops,
            tables: s.tables.len(),
        }
    }

    fn describe(&self, seed: u64, o: &Overrides) -> String {
        Scenario::new(seed, o).describe()
    }

    fn options(&self) -> &'static str {
        ""
    }

    fn has_policies(&self) -> bool {
        true
    }
}
