//! The insert benchmark: one session inserts, each other one asks for ranges of one index.

use super::World;
use crate::data;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use weir_bench::workload::insert::rows::QUERIES;
use weir_bench::workload::insert::{Config, Statements};
use weir_rt::{JoinHandle, Rng};

pub fn start(
    w: &Arc<World>,
    start_rows: u64,
    rows: u64,
    query_users: usize,
    rows_per_query: u64,
) -> Vec<JoinHandle<()>> {
    let c = Arc::new(data::insert_config(start_rows, rows, rows_per_query));
    w.left.store(start_rows, Ordering::Relaxed);
    let (one, config) = (w.clone(), c.clone());
    let inserter = w.rt.spawn("inserter", async move { inserter(&one, &config).await });
    let mut all = vec![inserter];
    for n in 0..query_users {
        let (one, config) = (w.clone(), c.clone());
        all.push(w.rt.spawn("query", async move { asking(&one, &config, n).await }));
    }
    all
}

async fn inserter(w: &Arc<World>, c: &Config) {
    let mut all = match Statements::open(&w.db, c, w.calls()) {
        Ok(s) => s,
        Err(e) => return w.fail(e.to_string()),
    };
    let (mut n, end) = (c.start_rows, c.start_rows + c.rows.unwrap_or(0));
    while n < end && !w.is_over() {
        let to = (n + c.rows_per_commit).min(end);
        let begun = w.rt.now();
        while let Err(e) = all.insert(c, n..to, w.durability).await {
            if !w.is_tried_again(&e) {
                return;
            }
        }
        w.recording.rows(to - n, w.rt.now() - begun);
        n = to;
        w.left.store(n, Ordering::Relaxed);
    }
    w.stop.store(true, Ordering::Relaxed);
}

/// The first of four sessions reads by the primary key, the others by one secondary index each.
async fn asking(w: &Arc<World>, c: &Config, number: usize) {
    let mut all = match Statements::open(&w.db, c, w.calls()) {
        Ok(s) => s,
        Err(e) => return w.fail(e.to_string()),
    };
    let mut rng = Rng::new(w.plan.seed.wrapping_mul(104_729).wrapping_add(number as u64));
    while !w.is_over() {
        let rows = w.left.load(Ordering::Relaxed);
        let done = match number % 4 {
            0 => all.read_ids(c, rng.below(rows.max(1))).await,
            n => {
                let query = QUERIES[n - 1];
                let from = query.draw(&mut rng, rows);
                all.ask(c, query, from).await.map(|_| ())
            }
        };
        match done {
            Ok(()) => w.recording.query(),
            Err(e) => {
                if !w.is_tried_again(&e) {
                    return;
                }
            }
        }
    }
}
