//! What the command line and the shrinker need of this storey.

use crate::run::run;
use crate::scenario::Scenario;
use weir_sim::{Overrides, Report, Shape, Storey};

/// The server behind a network.
#[derive(Clone, Copy, Debug)]
pub struct NetStorey;

impl Storey for NetStorey {
    fn play(&self, seed: u64, o: &Overrides, trace: bool) -> Report {
        run(&Scenario::new(seed, o), trace)
    }

    fn shape(&self, seed: u64, o: &Overrides) -> Shape {
        let s = Scenario::new(seed, o);
        Shape {
            lives: s.lives.iter().map(|l| l.no).collect(),
            faults: Vec::new(),
            clients: s.clients,
            txns: s.units,
            ops: 1,
            tables: 1,
        }
    }

    fn describe(&self, seed: u64, o: &Overrides) -> String {
        Scenario::new(seed, o).describe()
    }

    fn options(&self) -> &'static str {
        " --storey net"
    }

    fn has_policies(&self) -> bool {
        false
    }
}
