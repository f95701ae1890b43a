//! Estimates beside the truth: few values, many, and skewed ones, over pages of 512 bytes, so that a tree of 12,000 entries has four levels.

use super::*;
use crate::btree::{create, insert, insert_need, place, room_for_insert};
use crate::row::{Datum, PhysType, encode_datum};
use crate::space;
use crate::testing::{self, Life, PAGE};
use weir_rt::Rng;

const ENTRIES: i64 = 12_000;

const PART: KeyPartType = KeyPartType {
    ty: PhysType::Int { bytes: 4, unsigned: false },
    nullable: true,
    prefix: None,
    desc: false,
};

fn key(values: &[i64]) -> Vec<u8> {
    let mut k = Vec::new();
    for v in values {
        encode_datum(&PART, Datum::Int(*v), &mut k).expect("an integer fits");
    }
    k
}

/// An index over these columns with the row's number behind them, as the entries come.
async fn grown(core: &Core, number: u64, entries: &[Vec<i64>]) -> Arc<Tree> {
    let space = core.spaces.get(space::SYSTEM).unwrap();
    let tree = Arc::new(create(core, &space, (1 << 40) + number).await.unwrap());
    for (id, values) in entries.iter().enumerate() {
        let key = key(&[&values[..], &[id as i64]].concat());
        mtr::run(core, PAGE, |w| {
            let mut g = w.gather();
            let at = place(&mut g, &tree, &key)?;
            let slot = at.slot.expect_err("the key is new");
            room_for_insert(&g, &tree, &at, &key, 0)?;
            let mut a = g.seal(insert_need(key.len(), 0))?;
            insert(&mut a, &tree, at.leaf, slot, &key, b"");
            a.commit();
            Ok(())
        })
        .await
        .unwrap();
    }
    tree
}

/// Checks each prefix, and how many pages were read for all of them.
async fn check(core: &Core, number: u64, case: &str, entries: &[Vec<i64>]) {
    let tree = grown(core, number, entries).await;
    let parts = entries[0].len();
    let types = vec![PART; parts + 1];
    let mut sampler = Sampler::new(core, &tree, &types);
    let estimates = sampler.distinct(parts).await.unwrap();
    assert!(sampler.pages.len() < 64, "{case}: {} pages", sampler.pages.len());
    for (p, estimate) in estimates.into_iter().enumerate() {
        let truth: std::collections::HashSet<_> = entries.iter().map(|e| &e[..=p]).collect();
        let off = estimate / truth.len() as f64;
        assert!(
            (0.5..=2.0).contains(&off),
            "{case}, {} parts: {estimate} for {}",
            p + 1,
            truth.len()
        );
        if truth.len() <= 20 && parts == 1 {
            assert_eq!(estimate, truth.len() as f64, "{case}: few are counted");
        }
    }
}

/// A value of 1 to `n`, each about as frequent as its number says it should be by Zipf's law.
fn zipf(rng: &mut Rng, n: f64) -> i64 {
    let u = rng.below(1 << 30) as f64 / f64::from(1 << 30);
    (n.powf(u) as i64).max(1)
}

async fn all_kinds(given: Life) {
    let (db, mut rng) = (given.open().await, given.rng);
    let core = testing::core(&db);
    let mut number = 0;
    for values in [2, 10, 1_000, ENTRIES / 2] {
        let uniform: Vec<_> = (0..ENTRIES).map(|_| vec![rng.below(values as u64) as i64]).collect();
        let ascending: Vec<_> = (0..ENTRIES).map(|n| vec![n * values / ENTRIES]).collect();
        // The frequent values stand anywhere in the order.
        let skewed: Vec<_> = (0..ENTRIES)
            .map(|_| vec![zipf(&mut rng, values as f64).wrapping_mul(7_919) % 100_003])
            .collect();
        // Seven values in front, and a second column that decides the third.
        let three: Vec<_> = uniform.iter().map(|e| vec![e[0] % 7, e[0], e[0] / 2]).collect();
        for (case, entries) in
            [("uniform", uniform), ("ascending", ascending), ("skewed", skewed), ("three", three)]
        {
            number += 1;
            check(core, number, &format!("{values} {case}"), &entries).await;
        }
    }
    db.shutdown().await.unwrap();
}

#[test]
fn distinct_values_are_within_twice_the_truth() {
    testing::seeds("catalog::distinct", 1, |seed| testing::lives(seed, 1, all_kinds));
}

async fn small(given: Life) {
    let db = given.open().await;
    let core = testing::core(&db);
    check(core, 1, "one", &[vec![1]]).await;
    check(core, 2, "a leaf", &[vec![1], vec![1], vec![2]]).await;
    let tree = grown(core, 3, &[]).await;
    let none = Sampler::new(core, &tree, &[PART, PART]).distinct(1).await.unwrap();
    assert_eq!(none, [1.0]);
    db.shutdown().await.unwrap();
}

#[test]
fn a_tree_of_one_page_is_counted() {
    testing::seeds("catalog::distinct", 1, |seed| testing::lives(seed, 1, small));
}

#[test]
fn places_are_spread_over_all() {
    assert_eq!(spread(3, 5), [0, 1, 2]);
    let places = spread(1_000, 10);
    assert_eq!(places.len(), 10);
    assert!(places.iter().enumerate().all(|(i, p)| p / 100 == i));
}
