//! Both trees against one `BTreeMap`: pages of 512 bytes, entries put at random into either tree, moves in between.
//!
//!     WEIR_SEED=7 cargo test -p weir-engine --lib change_buffer::tests       # one seed; WEIR_SEEDS=500: so many

use super::*;
use crate::btree;
use crate::mtr::{self, Core};
use crate::page::redo::Redo;
use crate::page::slotted;
use crate::testing::{self, Life};
use std::cell::RefCell;
use std::collections::BTreeMap;
use weir_rt::Rng;

const INDEX: u64 = 1 << 40;

struct World {
    main: Arc<Tree>,
    buffer: Buffer,
    /// Each key with the number of who put it there.
    keys: RefCell<BTreeMap<Vec<u8>, u64>>,
}

impl World {
    fn trees(&self) -> Trees<'_> {
        Trees { main: &self.main, buffer: self.buffer.tree() }
    }
}

fn some_key(rng: &mut Rng) -> Vec<u8> {
    let mut k = [&b"a"[..], b"ab", b"\xff"][rng.below(3) as usize].to_vec();
    k.extend_from_slice(&(rng.below(900) as u16).to_be_bytes());
    k.extend(std::iter::repeat_n(b'x', rng.below(9) as usize * usize::from(rng.chance(0.3))));
    k
}

async fn put(core: &Core, tree: &Arc<Tree>, key: &[u8], writer: u64) {
    mtr::run(core, 256, |w| {
        let mut g = w.gather();
        let at = btree::place(&mut g, tree, key)?;
        let slot = at.slot.expect_err("the key is new");
        btree::room_for_insert(&g, tree, &at, key, 3)?;
        let mut a = g.seal(btree::insert_need(key.len(), 3) + 32)?;
        btree::insert(&mut a, tree, at.leaf, slot, key, &[0, 1, 2]);
        a.record(at.leaf, &Redo::MaxTrx { id: writer });
        a.commit();
        Ok(())
    })
    .await
    .unwrap();
}

async fn remove(core: &Core, w: &World, key: &[u8]) -> bool {
    let tree = mtr::run(core, 256, |work| {
        let mut g = work.gather();
        let (tree, at) = place(&mut g, w.trees(), key)?;
        let Ok(slot) = at.slot else { return Ok(None) };
        let mut a = g.seal(96)?;
        a.record(at.leaf, &Redo::SlotRemove { slot: slot as u16 });
        a.commit();
        Ok(Some(tree))
    })
    .await
    .unwrap();
    if let Some(tree) = tree {
        btree::merge_soon(core, tree, key).await.unwrap();
    }
    tree.is_some()
}

async fn forwards(core: &Core, w: &World, from: &[u8], to: Option<&[u8]>) -> Vec<Vec<u8>> {
    let (mut at, mut found) = (from.to_vec(), Vec::new());
    loop {
        let next = mtr::run(core, 0, |work| {
            let pair = Pair::owning(work.core, w.trees(), &at)?;
            let mut walk = pair.walk(&at, to);
            let mut keys = Vec::new();
            while let Some((p, slot)) = pair.first(&walk) {
                keys.push(slotted::key(p, slot));
                pair.pass_first(&mut walk);
            }
            Ok((keys, pair.upper().map(<[u8]>::to_vec)))
        })
        .await
        .unwrap();
        found.extend(next.0);
        match next.1 {
            Some(u) if to.is_none_or(|t| u.as_slice() < t) => at = u,
            _ => return found,
        }
    }
}

async fn backwards(core: &Core, w: &World, from: &[u8], to: Option<&[u8]>) -> Vec<Vec<u8>> {
    let (mut at, mut found) = (to.map(<[u8]>::to_vec), Vec::new());
    loop {
        let next = mtr::run(core, 0, |work| {
            let pair = Pair::below(work.core, w.trees(), at.as_deref())?;
            let mut walk = pair.walk_back(from, at.as_deref());
            let mut keys = Vec::new();
            while let Some((p, slot)) = pair.last(&walk) {
                keys.push(slotted::key(p, slot));
                pair.pass_last(&mut walk);
            }
            Ok((keys, pair.lower().to_vec()))
        })
        .await
        .unwrap();
        found.extend(next.0);
        if next.1.is_empty() || next.1.as_slice() <= from {
            return found;
        }
        at = Some(next.1);
    }
}

/// What stands at a place that one of the room's functions has found.
async fn key_at(
    core: &Core,
    find: impl Fn(&mut mtr::Gather<'_, '_>) -> mtr::Attempt<Option<(mtr::P, usize)>>,
) -> Option<Vec<u8>> {
    mtr::run(core, 0, |work| {
        let mut g = work.gather();
        Ok(find(&mut g)?.map(|(leaf, slot)| slotted::key(g.bytes(leaf), slot)))
    })
    .await
    .unwrap()
}

async fn compare(core: &Core, w: &World, rng: &mut Rng) {
    let (a, b) = (some_key(rng), some_key(rng));
    let (low, high) = (a.clone().min(b.clone()), a.max(b));
    let to = rng.chance(0.8).then_some(high.as_slice());
    let keys = w.keys.borrow().clone();
    let inside = |k: &&Vec<u8>| **k >= low && to.is_none_or(|t| k.as_slice() < t);
    let want: Vec<_> = keys.keys().filter(inside).cloned().collect();
    assert_eq!(forwards(core, w, &low, to).await, want);
    let down: Vec<_> = want.iter().rev().cloned().collect();
    assert_eq!(backwards(core, w, &low, to).await, down);
    let from = keys.range(low.clone()..).next().map(|(k, _)| k.clone());
    assert_eq!(key_at(core, |g| first_from(g, w.trees(), &low)).await, from);
    let below = keys.range(..low.clone()).next_back().map(|(k, _)| k.clone());
    assert_eq!(key_at(core, |g| last_before(g, w.trees(), Some(&low))).await, below);
    assert_eq!(
        key_at(core, |g| last_before(g, w.trees(), None)).await,
        keys.keys().last().cloned()
    );
    let next = mtr::run(core, 0, |work| {
        let mut g = work.gather();
        let at_or_above = above(&mut g, w.trees(), Some(&low))?;
        drop(g);
        Ok((at_or_above, successor(&mut work.gather(), w.trees(), &low)?))
    })
    .await
    .unwrap();
    let behind = keys.range(low.clone()..).map(|(k, _)| k).find(|k| **k > low).cloned();
    assert_eq!(next, (from, behind));
    for (key, writer) in keys.iter().take(20) {
        let newest = mtr::run(core, 0, |work| {
            let mut g = work.gather();
            let (_, at) = place(&mut g, w.trees(), key)?;
            Ok(slotted::max_trx(g.bytes(at.leaf)))
        });
        assert!(newest.await.unwrap() >= *writer, "a leaf knows who has changed it");
    }
}

async fn life(l: Life) {
    let (db, mut rng) = (l.open().await, l.rng);
    let core = testing::core(&db);
    let space = core.spaces.get(crate::space::SYSTEM).unwrap();
    let main = Arc::new(btree::create(core, &space, INDEX).await.unwrap());
    let root = btree::create(core, &space, INDEX | BUFFER).await.unwrap().root;
    let w = World { main, buffer: Buffer::default(), keys: RefCell::default() };
    w.buffer.has(&space, root, INDEX);
    // The sweep's way in one life, that of InnoDB's builds in another.
    if rng.chance(0.5) {
        let merging = Merging { at_once: 3, at_random: true, on_read: true, ..Merging::default() };
        let contract_from = Some(0);
        w.buffer.set(Terms {
            takes: true,
            limit: 1000,
            contract_from,
            merging,
            ..Terms::default()
        });
    }
    for writer in 1..rng.below(1500) {
        let key = some_key(&mut rng);
        match rng.below(10) {
            0 => compare(core, &w, &mut rng).await,
            1 if rng.chance(0.3) => {
                steps(core, w.trees(), &w.buffer, 5).await.unwrap();
            }
            1 if rng.chance(0.3) => {
                step_at(core, w.trees(), &w.buffer, &key).await.unwrap();
            }
            1 => _ = step(core, w.trees(), &w.buffer).await.unwrap(),
            2 | 3 => {
                let had = w.keys.borrow_mut().remove(&key).is_some();
                assert_eq!(remove(core, &w, &key).await, had);
            }
            _ if w.keys.borrow().contains_key(&key) => {}
            n => {
                let tree = if n < 8 { w.buffer.tree().unwrap() } else { &w.main };
                put(core, tree, &key, writer).await;
                w.keys.borrow_mut().insert(key, writer);
            }
        }
    }
    w.buffer.set(Terms { takes: true, limit: 1000, ..Terms::default() });
    // A turn of the sweep with nobody beside it leaves nothing.
    while step(core, w.trees(), &w.buffer).await.unwrap() != Step::Turned {}
    while step(core, w.trees(), &w.buffer).await.unwrap() != Step::Turned {}
    let mut left = 0;
    btree::check(core, w.buffer.tree().unwrap(), |_, _| left += 1).await.unwrap();
    assert_eq!(left, 0);
    compare(core, &w, &mut rng).await;
}

#[test]
fn both_trees_are_one() {
    #[cfg(feature = "planted")]
    crate::planted::plant_named();
    testing::seeds("change_buffer::tests", 25, |seed| testing::lives(seed, 1, life));
}
