//! Invariants that every build asserts, where a breach would reach the disk or stop others. The numbers may only rise: a room that gets
//! functions gets assertions with them. Checks of debug builds alone are not counted.

use crate::source;
use std::collections::BTreeMap;

/// Rooms of the engine, and how many assertions of every build they have.
const ROOMS: &[(&str, usize)] = &[
    ("btree", 4),
    ("catalog", 12),
    ("change_buffer", 2),
    ("flush", 0),
    ("lock", 4),
    ("log", 10),
    ("mtr", 5),
    ("pool", 20),
    ("recovery", 4),
    ("space", 2),
    ("txn", 10),
];

#[test]
fn invariants_are_asserted_in_every_build() {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for s in source::of("engine") {
        let n: usize = ["assert!(", "assert_eq!(", "assert_ne!("]
            .iter()
            .map(|what| {
                let all = s.lines.iter().map(|l| l.matches(what).count()).sum::<usize>();
                let debug = format!("debug_{what}");
                all - s.lines.iter().map(|l| l.matches(&debug).count()).sum::<usize>()
            })
            .sum();
        *found.entry(s.room().to_owned()).or_default() += n;
    }
    for (room, known) in ROOMS {
        let n = found.get(*room).copied().unwrap_or_default();
        assert!(n >= *known, "{room} has {n} assertions of every build, {known} are known");
        assert!(n <= *known, "{room} has {n} assertions of every build: raise its number of {known}");
    }
}
