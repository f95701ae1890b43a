//! TPC-C's terminals, without keying and thinking, as the published runs had them.

use super::World;
use crate::data;
use std::sync::Arc;
use weir_bench::workload::tpcc::Transactions;
use weir_bench::workload::tpcc::deck::{Deck, draw_independently};
use weir_bench::workload::tpcc::input;
use weir_bench::workload::tpcc::random::Random;
use weir_rt::JoinHandle;

pub fn start(w: &Arc<World>, warehouses: i64, dbt2: bool) -> Vec<JoinHandle<()>> {
    let deck = Arc::new(Deck::new(w.plan.seed));
    let user = |n| {
        let (w, deck) = (w.clone(), deck.clone());
        w.rt.clone().spawn("user", async move { user(&w, &deck, warehouses, dbt2, n).await })
    };
    (0..w.plan.users).map(user).collect()
}

async fn user(w: &Arc<World>, deck: &Deck, warehouses: i64, dbt2: bool, n: usize) {
    let mut all = match Transactions::open(&w.db, data::TPCC, w.calls()) {
        Ok(t) => t,
        Err(e) => return w.fail(e.to_string()),
    };
    let seed = w.plan.seed.wrapping_mul(7919).wrapping_add(n as u64 + 1);
    let mut random = Random::of(seed, data::scale(w.plan.size));
    while !w.is_over() {
        let kind = if dbt2 { draw_independently(random.int(1, 100)) } else { deck.draw() };
        let home = random.int(1, warehouses);
        let input = input::draw(kind, &mut random, home, warehouses, !dbt2);
        let begun = w.rt.now();
        while let Err(e) = all.run(&input, w.durability).await {
            if !w.is_tried_again(&e) {
                return;
            }
        }
        w.recording.done(kind as usize, w.rt.now() - begun);
    }
}
