//! Seeds that are always run: a few for breadth, and those that found a fault of the engine, with what it was.
//!
//! A seed's meaning changes with the generator; what a row remembers is the class of schedule. `weir simulate --seed N`
//! replays one.

use weir_sim::{Overrides, Scenario, Size, Workload, run};

fn passes(seed: u64, o: &Overrides) -> u64 {
    let report = run(&Scenario::new(seed, o), false);
    if let Some((life, f)) = report.failure {
        panic!("weir simulate --seed {seed}{}: life {life}: {f}", o.options());
    }
    report.digest
}

#[test]
fn some_seeds_pass() {
    for seed in 0..40 {
        passes(seed, &Overrides::default());
    }
}

/// Each policy in all lives, on its mechanism: with and without the doublewrite area.
#[test]
fn every_policy_passes() {
    for (n, policy) in weir_engine::FLUSH_POLICIES.iter().enumerate() {
        let o = Overrides { policy: Some(policy), ..Overrides::default() };
        let seeds = (0..).map(|i| 1000 * (n as u64 + 1) + i);
        let (on, off): (Vec<u64>, Vec<u64>) =
            seeds.take(60).partition(|seed| Scenario::new(*seed, &o).doublewrite);
        for seed in on.into_iter().take(2).chain(off.into_iter().take(3)) {
            passes(seed, &o);
        }
    }
}

#[test]
fn a_seed_does_the_same_thing_twice() {
    for seed in 100..106 {
        let o = Overrides::default();
        assert_eq!(passes(seed, &o), passes(seed, &o), "seed {seed}");
    }
}

#[test]
fn every_workload_passes() {
    for (name, w) in weir_sim::WORKLOADS {
        for seed in 200..204 {
            let o = Overrides { workload: Some(w), ..Overrides::default() };
            assert_eq!(Workload::by_name(name), Some(w));
            passes(seed, &o);
        }
    }
}

/// A crash between the growth of a file and the log of its new map left a page that no start could read; with pages of 512
/// bytes one step of growth passed a map by.
#[test]
fn tables_of_several_maps_pass() {
    for seed in [1, 2, 3] {
        passes(seed, &Overrides { size: Some(Size::Wide), ..Overrides::default() });
    }
}

#[test]
fn seeds_that_found_a_fault_pass() {
    let table: &[(u64, &str)] = &[
        (5, "backward locking scans left the gap above their first record open"),
        (
            24,
            "locking scans of secondary indexes passed over entries marked by running transactions",
        ),
        (227, "an index entry came back to life under a reader's lock"),
        (1734, "an index entry was marked under the lock of a reader that had waited for it"),
        (18, "a waiter for a free frame outlived the engine's stop"),
        (4721, "damage in undo keeps a transaction from being rolled back, and is told"),
        (7336, "TRUNCATE failed because the old file could not be removed"),
        (7296, "an index's pages were freed in another order each time"),
        (
            7815,
            "a victim's rollback that failed half-way went on into the undo of others, for ever",
        ),
        (258_361_157, "and before that it lost rows under the eyes of others"),
        (1_009_250, "READ UNCOMMITTED read a long column while its writer rolled back"),
        (1_001_516, "the model: a check waited for a table of an engine that had failed"),
        (3_005_195, "the model: a row that a rollback to a savepoint took away was still locked"),
        (3_001_773, "the model: a commit that wrote nothing made a number durable"),
        (364, "a flipped bit of the log outlives a start that did not come to it"),
        (
            7_001_365,
            "CHECK TABLE judged a table in the middle of a rollback that the engine's end had cut off",
        ),
        (8_000_524, "a split that found one free frame and needed two came again for ever"),
        (201, "an UPDATE asked for redo of the length of a column that it did not change"),
        (
            8_006_037,
            "a reader gave the lock of an entry to who had changed its row and not come to the entry, over another reader's",
        ),
        (9_008_598, "a counter was written into the file of a table that was being dropped"),
        (9_000_195, "a reader passed an entry that its writer had inserted and marked"),
        (
            146_253_877,
            "whoever found the log buffer full of other sessions' grants spun until they had read their pages",
        ),
        (
            332_054_678,
            "the model: rows of a failed INSERT were judged after others had put theirs there",
        ),
        (332_054_336, "and once more"),
        (617_624_258, "pages of a dropped index that could not be freed yet were called lost"),
        (617_624_003, "and once more"),
        (617_622_740, "and at the end of a life"),
        (
            332_055_883,
            "whoever waited for a row lock kept pages pinned, until nobody found a frame",
        ),
        (332_055_098, "and in a unique index"),
        (389_438_152, "estimates and purge asked for pages of a table that was being dropped"),
        (938_247_782, "a rebuild copied rows twice that purge had merged into the next leaf"),
        (1986, "purge met an error while it freed undo pages, and the history led into them"),
        (
            452_657_232,
            "an older block of an index led a walk backwards to the same leaf again and again",
        ),
        (3547, "a rollback kept an entry for a version from before the index"),
    ];
    // They were found under the engine's own flush policy.
    let o = Overrides { policy: Some("weir"), ..Overrides::default() };
    for (seed, _) in table {
        passes(*seed, &o);
    }
}

/// Pages that are posted go home in another order than those of the engine's own policy.
#[test]
fn seeds_that_found_a_fault_of_posting_policies_pass() {
    let table: &[(u64, &str)] = &[(
        946_539_777,
        "recovery formatted the page by which a file is known, and the file was taken for an older one",
    )];
    for (seed, _) in table {
        passes(*seed, &Overrides::default());
    }
}
