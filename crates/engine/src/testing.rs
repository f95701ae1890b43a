//! For unit tests of rooms that stand on the whole floor below them: an engine with pages of 512 bytes on a simulated device,
//! life after life, with power failures in between.

use crate::db::{Db, Options};
use crate::mtr::Core;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use weir_disk::sim::SimDisk;
use weir_rt::sim::SimRt;
use weir_rt::{Rng, Rt};

/// The smallest pages: a few hundred entries make a tree of several levels, a few thousand pages several maps.
pub const PAGE: usize = 512;

/// What a life is given.
pub struct Life {
    pub rt: Rt,
    pub disk: SimDisk,
    pub rng: Rng,
}

impl Life {
    pub async fn open(&self) -> Db {
        let o = Options {
            page_size: PAGE,
            buffer_pool: 64 << 10,
            redo_capacity: 1 << 20,
            log_buffer: 64 << 10,
            ..Options::default()
        };
        Db::open(&self.rt, Arc::new(self.disk.clone()), o).await.unwrap()
    }
}

pub fn core(db: &Db) -> &Core {
    &db.inner().core
}

/// So many lives on one device. Most but the first are cut off at one of their first operations on the device; each ends with
/// a power failure.
pub fn lives(seed: u64, count: u64, life: impl AsyncFn(Life)) {
    let mut rng = Rng::new(seed);
    let mut sim = SimRt::new(rng.next_u64());
    let mut disk = SimDisk::new(sim.rt(), rng.next_u64());
    for n in 0..count {
        if n > 0 && rng.chance(0.8) {
            disk.crash_at(rng.below(400));
        }
        let given = Life { rt: sim.rt(), disk: disk.clone(), rng: Rng::new(rng.next_u64()) };
        let until_frozen = async {
            let (mut whole, mut frozen) = (pin!(life(given)), pin!(disk.frozen()));
            std::future::poll_fn(|cx| match frozen.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(()),
                Poll::Pending => whole.as_mut().poll(cx),
            })
            .await;
        };
        sim.run(until_frozen)
            .unwrap_or_else(|s| panic!("life {n}: stuck at {} with {:?}", s.at, s.tasks));
        sim.kill_all();
        sim = SimRt::new(rng.next_u64());
        disk = disk.crash(sim.rt(), rng.next_u64());
    }
}

/// Seeds 0 to `usual`, or those that WEIR_SEED and WEIR_SEEDS say. A failure tells how to see it again.
pub fn seeds(test: &str, usual: u64, one: impl Fn(u64) + std::panic::RefUnwindSafe) {
    let number = |name| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seeds = number("WEIR_SEED").map_or(0..number("WEIR_SEEDS").unwrap_or(usual), |s| s..s + 1);
    for seed in seeds {
        if let Err(e) = std::panic::catch_unwind(|| one(seed)) {
            eprintln!("replay with: WEIR_SEED={seed} cargo test -p weir-engine --lib {test}");
            std::panic::resume_unwind(e);
        }
    }
}
