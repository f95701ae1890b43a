//! Allocation against a set of page numbers: pages of 512 bytes, so that the space grows past several of its maps, random
//! operations of one client, power failures in between.
//!
//! After a failure the maps say what the set was after some operation that was not before the last one known to be durable.
//!
//!     WEIR_SEED=7 cargo test -p weir-engine --lib space::model      # one seed; WEIR_SEEDS=500: so many

use super::*;
use crate::ids::PageNo;
use crate::log::Reach;
use crate::mtr::Attempt;
use crate::testing::{self, Life, PAGE};
use std::cell::RefCell;
use std::collections::BTreeSet;
use weir_rt::Rng;

type Pages = BTreeSet<PageNo>;

/// The pages taken at the last sync, and after each operation since.
#[derive(Default)]
struct World {
    durable: Option<Pages>,
    /// The dictionary's, from the beginning.
    others: Pages,
    since: Vec<Pages>,
}

impl World {
    fn now(&self) -> &Pages {
        self.since.last().or(self.durable.as_ref()).expect("set when the life began")
    }
}

/// Takes this many pages in one mini-transaction, each behind `near`.
async fn take(core: &Core, space: &Space, count: usize, near: PageNo) -> Vec<PageNo> {
    mtr::run(core, 512, |w| {
        let mut g = w.gather();
        let new: Vec<_> =
            (0..count).map(|_| allocate(&mut g, space, near)).collect::<Attempt<_>>()?;
        let mut a = g.seal(count * 96)?;
        for n in &new {
            n.mark(&mut a);
            a.record(n.page, &Redo::PageInit { kind: PageType::Undo as u8, owner: 9 });
        }
        a.commit();
        Ok(new.iter().map(|n| n.id.page).collect())
    })
    .await
    .unwrap()
}

async fn give_back(core: &Core, space: &Space, page: PageNo) {
    mtr::run(core, 64, |w| {
        let mut g = w.gather();
        let freed = free(&mut g, space, page)?;
        let mut a = g.seal(32)?;
        freed.clear(&mut a);
        a.commit();
        Ok(())
    })
    .await
    .unwrap();
}

async fn taken(core: &Core, space: &Space) -> Pages {
    let mut found = Pages::new();
    for page in 0..space.pages() {
        let set = mtr::run(core, 0, |w| is_allocated(&mut w.gather(), space, page)).await.unwrap();
        if set {
            found.insert(page);
        }
    }
    found
}

/// Maps and header are taken as long as the space lives.
fn is_of_the_space(page: PageNo) -> bool {
    page < 2 || map_page(PAGE, page) == page
}

async fn one_step(core: &Core, space: &Space, world: &RefCell<World>, rng: &mut Rng, grow: f64) {
    let mut pages = world.borrow().now().clone();
    if rng.chance(grow) {
        let (count, near) =
            (1 + rng.below(5) as usize, rng.below(u64::from(space.pages()) + 50) as PageNo);
        for page in take(core, space, count, near).await {
            assert!(pages.insert(page), "page {page} belongs to somebody");
            assert!(page < space.pages() && !is_of_the_space(page));
        }
    } else {
        let from = rng.below(u64::from(space.pages())) as PageNo;
        let goes = |p: &PageNo| !is_of_the_space(*p) && !world.borrow().others.contains(p);
        let Some(page) = pages.range(from..).copied().find(goes) else { return };
        give_back(core, space, page).await;
        pages.remove(&page);
    }
    // Growing formats maps in mini-transactions of their own.
    let maps = (0..space.pages()).filter(|p| is_of_the_space(*p));
    pages.extend(maps);
    world.borrow_mut().since.push(pages);
}

async fn life(given: Life, world: &RefCell<World>) {
    let db = given.open().await;
    let mut rng = given.rng;
    let core = testing::core(&db);
    // Nothing else takes pages there while nothing is defined.
    let space = core.spaces.get(SYSTEM).unwrap();
    let found = taken(core, &space).await;
    {
        let mut w = world.borrow_mut();
        let of_clients =
            |p: &Pages| p.iter().copied().filter(|p| !is_of_the_space(*p)).collect::<Pages>();
        let past: Vec<_> = w.durable.iter().chain(&w.since).map(of_clients).collect();
        assert!(
            past.is_empty() || past.contains(&of_clients(&found)),
            "the maps are at no point of their past"
        );
        if past.is_empty() {
            w.others = found.clone();
        }
        (w.durable, w.since) = (Some(found), Vec::new());
    }
    for round in 0..6 {
        let grow = [0.9, 0.6, 0.3][(rng.below(3) + round / 2) as usize % 3];
        for _ in 0..rng.below(200) {
            one_step(core, &space, world, &mut rng, grow).await;
        }
        core.log.flush_all(Reach::Durable).await.unwrap();
        let mut w = world.borrow_mut();
        let now = w.now().clone();
        (w.durable, w.since) = (Some(now), Vec::new());
    }
    assert_eq!(&taken(core, &space).await, world.borrow().now());
    db.shutdown().await.unwrap();
}

#[test]
fn a_page_is_not_freed_twice() {
    testing::seeds("space::model", 1, |seed| {
        testing::lives(seed, 1, async |given: Life| {
            let db = given.open().await;
            let core = testing::core(&db);
            let space = core.spaces.get(SYSTEM).unwrap();
            let page = take(core, &space, 1, 0).await[0];
            give_back(core, &space, page).await;
            let again = mtr::run(core, 64, |w| free(&mut w.gather(), &space, page).map(drop)).await;
            let e = again.unwrap_err().to_string();
            assert!(e.contains("is free already") && e.contains("system.weir"), "{e}");
            db.shutdown().await.unwrap();
        });
    });
}

#[test]
fn maps_are_a_set_of_pages_over_crashes() {
    testing::seeds("space::model", 12, |seed| {
        let world = RefCell::new(World::default());
        testing::lives(seed, 4, async |given| life(given, &world).await);
    });
}
