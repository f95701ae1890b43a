//! Invariants that every build asserts, where a breach would reach the disk or stop others. The numbers may only rise: a room that gets
//! functions gets assertions with them. Checks of debug builds alone are not counted.

use crate::source;
use std::collections::BTreeMap;

/// Rooms of the engine, and how many assertions of every build they have.
const ROOMS: &[(&str, usize)] = &[
    ("btree", 3),
    ("catalog", 4),
    ("lock", 15),
    ("log", 14),
    ("mtr", 2),
    ("pool", 9),
    ("recovery", 4),
    ("space", 1),
    ("txn", 6),
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
    let mut wrong = String::new();
    for (room, known) in ROOMS {
        let n = found.get(*room).copied().unwrap_or_default();
        if n != *known {
            let what = if n < *known { "some are gone" } else { "raise its number" };
            wrong += &format!("{room} has {n} assertions, {known} are known: {what}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
