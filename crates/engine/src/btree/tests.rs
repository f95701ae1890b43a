//! The tree against a `BTreeMap`: pages of 512 bytes, so that a few hundred keys make a tree of several levels, random
//! operations by one client, power failures in between.
//!
//! After a failure the tree must be the map after some operation that was not before the last one known to be durable:
//! nothing durable lost, nothing half done, nothing out of order.
//!
//!     WEIR_SEED=7 cargo test -p weir-engine --lib btree::tests       # one seed; WEIR_SEEDS=500: so many

use super::*;
use crate::log::Reach;
use crate::pool::Access;
use crate::testing::{self, Life, PAGE};
use std::cell::RefCell;
use std::collections::BTreeMap;
use weir_rt::Rng;

const INDEX: u64 = 1 << 40;

type Map = BTreeMap<Vec<u8>, Vec<u8>>;

/// What the client has done: the map at the last sync, and each change since, in order.
#[derive(Default)]
struct World {
    root: Option<PageNo>,
    durable: Map,
    since: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl World {
    fn now(&self) -> Map {
        self.after(self.since.len())
    }

    /// The map after the first n changes since the last sync.
    fn after(&self, changes: usize) -> Map {
        let mut m = self.durable.clone();
        for (k, v) in &self.since[..changes] {
            match v {
                Some(v) => m.insert(k.clone(), v.clone()),
                None => m.remove(k),
            };
        }
        m
    }

    fn change(&mut self, key: &[u8], value: Option<&[u8]>) {
        self.since.push((key.to_vec(), value.map(<[u8]>::to_vec)));
    }
}

/// Keys of many lengths with long common prefixes, so that fences, prefixes and separators have something to do.
fn some_key(rng: &mut Rng) -> Vec<u8> {
    let mut k = Vec::new();
    for _ in 0..=rng.below(3) {
        k.extend_from_slice(
            [&b"a"[..], b"ab", b"abc", b"\0", b"\xff\xff", b"zzzzzzzz"][rng.below(6) as usize],
        );
    }
    if rng.chance(0.05) {
        // Fences as long as they come, with the difference at their very end.
        k.resize(slotted::max_key(PAGE) - 2, b'm');
    }
    k.extend_from_slice(&(rng.below(400) as u16).to_be_bytes());
    k.truncate(slotted::max_key(PAGE));
    k
}

/// Short ones, any up to the longest, and the very longest, by how long values are in this life.
fn some_value(rng: &mut Rng, key: &[u8], long: f64) -> Vec<u8> {
    let most = (slotted::max_cell(PAGE) - slotted::cell_size(key.len(), 0)) as u64;
    let len = match rng.chance(long) {
        true if rng.chance(0.3) => most - rng.below(4),
        true => rng.below(most + 1),
        false => rng.below(20),
    };
    (0..len).map(|_| rng.next_u64() as u8).collect()
}

async fn put(core: &Core, tree: &Arc<Tree>, key: &[u8], value: &[u8]) {
    mtr::run(core, PAGE, |w| {
        let mut g = w.gather();
        let at = place(&mut g, tree, key)?;
        match at.slot {
            Ok(slot) => {
                room_for_replace(&g, tree, at.leaf, slot, key, value.len())?;
                let old = slotted::value(g.bytes(at.leaf), slot).len();
                let mut a = g.seal(replace_need(old, value.len()))?;
                replace(&mut a, at.leaf, slot, value);
                a.commit();
            }
            Err(slot) => {
                room_for_insert(&g, tree, &at, key, value.len())?;
                let mut a = g.seal(insert_need(key.len(), value.len()))?;
                insert(&mut a, tree, at.leaf, slot, key, value);
                a.commit();
            }
        }
        Ok(())
    })
    .await
    .unwrap();
}

/// An entry by a transaction that its leaf notes.
async fn put_by(core: &Core, tree: &Arc<Tree>, key: &[u8], writer: u64) {
    mtr::run(core, PAGE, |w| {
        let mut g = w.gather();
        let at = place(&mut g, tree, key)?;
        let slot = at.slot.expect_err("the key is new");
        room_for_insert(&g, tree, &at, key, 3)?;
        let mut a = g.seal(insert_need(key.len(), 3) + 32)?;
        insert(&mut a, tree, at.leaf, slot, key, b"new");
        a.record(at.leaf, &Redo::MaxTrx { id: writer });
        a.commit();
        Ok(())
    })
    .await
    .unwrap();
}

/// Returns whether the key was there, and whether its page has become thin.
async fn remove(core: &Core, tree: &Arc<Tree>, key: &[u8]) -> (bool, bool) {
    mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let at = place(&mut g, tree, key)?;
        let Ok(slot) = at.slot else { return Ok((false, false)) };
        let mut a = g.seal(96)?;
        a.record(at.leaf, &Redo::SlotRemove { slot: slot as u16 });
        let thin = merge::is_thin(a.bytes(at.leaf));
        a.commit();
        Ok((true, thin))
    })
    .await
    .unwrap()
}

async fn get(core: &Core, tree: &Tree, key: &[u8]) -> Option<Vec<u8>> {
    mtr::run(core, 0, |w| {
        let g = leaf(w.core, tree, key, Access::Point)?;
        let p = g.bytes();
        Ok(slotted::search(p, key).ok().map(|s| slotted::value(p, s).to_vec()))
    })
    .await
    .unwrap()
}

/// Keys from the first one that is not below `from`, leaf by leaf along the upper fences.
async fn forwards(core: &Core, tree: &Tree, from: &[u8], most: usize) -> Vec<Vec<u8>> {
    let (mut at, mut found) = (from.to_vec(), Vec::new());
    while found.len() < most {
        let (keys, next) = mtr::run(core, 0, |w| {
            let g = leaf(w.core, tree, &at, Access::Point)?;
            let p = g.bytes();
            let first = slotted::search(p, &at).unwrap_or_else(|s| s);
            let keys: Vec<_> = (first..slotted::count(p)).map(|s| slotted::key(p, s)).collect();
            Ok((keys, slotted::upper(p).map(<[u8]>::to_vec)))
        })
        .await
        .unwrap();
        found.extend(keys);
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    found.truncate(most);
    found
}

/// Keys below `below`, downwards, leaf by leaf along the lower fences.
async fn backwards(core: &Core, tree: &Tree, below: &[u8], most: usize) -> Vec<Vec<u8>> {
    let (mut at, mut found) = (below.to_vec(), Vec::new());
    while found.len() < most && !at.is_empty() {
        let (keys, next) = mtr::run(core, 0, |w| {
            let g = leaf_before(w.core, tree, Some(&at), Access::Point)?;
            let p = g.bytes();
            let end = slotted::search(p, &at).unwrap_or_else(|s| s);
            let keys: Vec<_> = (0..end).rev().map(|s| slotted::key(p, s)).collect();
            Ok((keys, slotted::lower(p).to_vec()))
        })
        .await
        .unwrap();
        found.extend(keys);
        at = next;
    }
    found.truncate(most);
    found
}

/// The whole tree as a map, its structure checked.
async fn whole(core: &Core, tree: &Tree) -> Map {
    let mut m = Map::new();
    let mut last: Option<Vec<u8>> = None;
    let report = check(core, tree, |k, v| {
        assert!(last.as_deref().is_none_or(|l| l < k), "keys come in order, each once");
        last = Some(k.to_vec());
        m.insert(k.to_vec(), v.to_vec());
    })
    .await
    .unwrap();
    assert!(report.problems.is_empty(), "{:#?}", report.problems);
    m
}

async fn one_step(
    core: &Core,
    tree: &Arc<Tree>,
    world: &RefCell<World>,
    rng: &mut Rng,
    (grow, long): (f64, f64),
) {
    let key = some_key(rng);
    if rng.chance(0.3) {
        let (got, want) = (get(core, tree, &key).await, world.borrow().now());
        assert_eq!(got.as_ref(), want.get(&key));
        let most = 1 + rng.below(30) as usize;
        let up: Vec<_> = want.range(key.clone()..).map(|(k, _)| k.clone()).take(most).collect();
        assert_eq!(forwards(core, tree, &key, most).await, up);
        let down: Vec<_> =
            want.range(..key.clone()).rev().map(|(k, _)| k.clone()).take(most).collect();
        assert_eq!(backwards(core, tree, &key, most).await, down);
    } else if rng.chance(grow) {
        let value = some_value(rng, &key, long);
        put(core, tree, &key, &value).await;
        world.borrow_mut().change(&key, Some(&value));
    } else {
        let (was, thin) = remove(core, tree, &key).await;
        assert_eq!(was, world.borrow().now().contains_key(&key));
        world.borrow_mut().change(&key, None);
        if thin {
            merge::merge_if_thin(core, tree, &key).await.unwrap();
        }
    }
}

async fn life(given: Life, world: &RefCell<World>) {
    let db = given.open().await;
    let mut rng = given.rng;
    let core = testing::core(&db);
    let space = core.spaces.get(space::SYSTEM).unwrap();
    let root = world.borrow().root;
    let tree = match root {
        Some(root) => Tree::new(space, root, INDEX),
        None => {
            let tree = create(core, &space, INDEX).await.unwrap();
            core.log.flush_all(Reach::Durable).await.unwrap();
            world.borrow_mut().root = Some(tree.root);
            tree
        }
    };
    let tree = Arc::new(tree);
    let found = whole(core, &tree).await;
    {
        let mut w = world.borrow_mut();
        let same = (0..=w.since.len()).rev().any(|n| w.after(n) == found);
        assert!(same, "the tree is at no point of its past since the last sync");
        w.durable = found;
        w.since.clear();
    }
    let long = [0.05, 0.2, 0.6, 1.0][rng.below(4) as usize];
    for round in 0..8 {
        let grow = [0.9, 0.6, 0.2][(rng.below(3) + round / 3) as usize % 3];
        for _ in 0..rng.below(150) {
            one_step(core, &tree, world, &mut rng, (grow, long)).await;
        }
        core.log.flush_all(Reach::Durable).await.unwrap();
        let mut w = world.borrow_mut();
        w.durable = w.now();
        w.since.clear();
    }
    assert_eq!(whole(core, &tree).await, world.borrow().durable);
    db.shutdown().await.unwrap();
}

#[test]
fn a_tree_is_an_ordered_map_over_crashes() {
    #[cfg(feature = "planted")]
    crate::planted::plant_named();
    testing::seeds("btree::tests", 20, |seed| {
        let world = RefCell::new(World::default());
        testing::lives(seed, 4, async |given| life(given, &world).await);
    });
}

/// Anyone who looks at an entry asks its leaf for the newest transaction that may have made it: no split, no merge and no root that
/// takes its only child's place may forget one.
async fn grown_and_gone(given: Life) {
    let (db, mut rng) = (given.open().await, given.rng);
    let core = testing::core(&db);
    let space = core.spaces.get(space::SYSTEM).unwrap();
    let tree = Arc::new(create(core, &space, INDEX).await.unwrap());
    let mut writers: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    for writer in 1..500 {
        let key = some_key(&mut rng);
        if let std::collections::btree_map::Entry::Vacant(new) = writers.entry(key) {
            put_by(core, &tree, new.key(), writer).await;
            new.insert(writer);
        }
    }
    while !writers.is_empty() {
        let n = rng.below(writers.len() as u64) as usize;
        let key = writers.keys().nth(n).expect("fewer than there are").clone();
        writers.remove(&key);
        let (was, thin) = remove(core, &tree, &key).await;
        assert!(was);
        if !thin {
            continue;
        }
        merge::merge_if_thin(core, &tree, &key).await.unwrap();
        for (key, writer) in &writers {
            let newest = mtr::run(core, 0, |w| {
                Ok(slotted::max_trx(leaf(w.core, &tree, key, Access::Point)?.bytes()))
            });
            assert!(newest.await.unwrap() >= *writer, "the leaf of {key:?} forgot {writer}");
        }
    }
    assert!(whole(core, &tree).await.is_empty());
}

#[test]
fn a_leaf_knows_its_writers_through_splits_and_merges() {
    testing::seeds("btree::tests", 4, |seed| testing::lives(seed, 1, grown_and_gone));
}

/// A leaf that is remembered is found, also when it was split; one that has gone is not, though its bytes are what they were.
async fn remembered(given: Life) {
    let db = given.open().await;
    let core = testing::core(&db);
    let space = core.spaces.get(space::SYSTEM).unwrap();
    let tree = Arc::new(create(core, &space, INDEX).await.unwrap());
    let key = |n: u16| [b"key", &n.to_be_bytes()[..]].concat();
    for n in 0..200 {
        put(core, &tree, &key(n), b"a value").await;
    }
    let hint_of = |n: u16| {
        let leaf = leaf(core, &tree, &key(n), Access::Point).ok().expect("all is in memory");
        (LeafHint::of(&tree, &leaf), leaf.id().page)
    };
    let found = |hint: LeafHint, n: u16| hint.leaf_x(core, &tree, &key(n)).map(|g| g.id().page);
    let hints: Vec<_> = (0..200).map(|n| (n, hint_of(n))).collect();
    for (n, (hint, page)) in &hints {
        assert_eq!(found(*hint, *n), Some(*page));
        assert_eq!(
            found(*hint, 60_000).is_some(),
            *page == hint_of(60_000).1,
            "another leaf's key"
        );
    }
    assert!(found(tree.last_leaf.hint().expect("it was filled"), 200).is_some());
    let mut gone = 0;
    for n in 0..199 {
        let (_, thin) = remove(core, &tree, &key(n)).await;
        if thin {
            merge::merge_if_thin(core, &tree, &key(n)).await.unwrap();
        }
        for (n, (hint, _)) in &hints {
            // Whichever leaf it leads to, it is the one that the way from the root leads to.
            match found(*hint, *n) {
                Some(page) => assert_eq!(page, hint_of(*n).1),
                None => gone += 1,
            }
        }
    }
    assert!(gone > 0 && found(hint_of(199).0, 199).is_some());
}

#[test]
fn a_leaf_that_is_remembered_is_the_keys_own_or_is_not_found() {
    testing::seeds("btree::tests", 2, |seed| testing::lives(seed, 1, remembered));
}
