//! Seeds that are always run. `weir simulate --storey net --seed N` replays one.

use weir_sim::{Overrides, Storey};
use weir_sim_net::NetStorey;

fn passes(seed: u64) -> u64 {
    let o = Overrides::default();
    let report = NetStorey.play(seed, &o, false);
    if let Some((life, f)) = report.failure {
        let what = NetStorey.describe(seed, &o);
        panic!("weir simulate --storey net --seed {seed} ({what}): life {life}: {f}");
    }
    assert!(report.operations > 0);
    report.digest
}

#[test]
fn some_seeds_pass() {
    for seed in 0..8 {
        passes(seed);
    }
}

#[test]
fn a_seed_does_the_same_thing_twice() {
    for seed in 100..102 {
        assert_eq!(passes(seed), passes(seed), "seed {seed}");
    }
}
