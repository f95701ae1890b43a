//! sysbench's OLTP test: transactions until so many are done.

use super::World;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use weir_bench::workload::calls::PathKind;
use weir_bench::workload::oltp::random::Distribution;
use weir_bench::workload::oltp::{Config, Draws, Mode, Transactions};
use weir_rt::JoinHandle;

pub fn start(w: &Arc<World>, rows: u64) -> Vec<JoinHandle<()>> {
    let config = Config {
        schema: "sbtest".into(),
        table: "sbtest".into(),
        rows,
        mode: Mode::Complex,
        path: PathKind::Engine,
        distribution: Distribution::Special { iterations: 12, pct: 1, res: 75 },
        range: 100,
        read_only: false,
        skip_trx: false,
        seed: w.plan.seed,
    };
    let user = |n| {
        let (w, c) = (w.clone(), config.clone());
        w.rt.clone().spawn("user", async move { user(&w, c, n).await })
    };
    (0..w.plan.users).map(user).collect()
}

async fn user(w: &Arc<World>, c: Config, n: usize) {
    let mut all = match Transactions::open(&w.db, &c, w.calls()) {
        Ok(t) => t,
        Err(e) => return w.fail(e.to_string()),
    };
    let mut draws = Draws::new(c, n);
    let mut counts = [0; 3];
    while !w.is_over() {
        let plan = draws.draw();
        let begun = w.rt.now();
        while let Err(e) = all.run(plan, w.durability, &mut counts).await {
            if !w.is_tried_again(&e) {
                return;
            }
        }
        w.recording.done_by(n, 0, w.rt.now() - begun);
        // The last transactions of the others may still be under way.
        if w.left.fetch_sub(1, Ordering::Relaxed) <= 1 {
            w.stop.store(true, Ordering::Relaxed);
        }
    }
}
