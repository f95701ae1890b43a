//! Everybody wants one row, each with a row of its own locked: long lines of waiters, and many open write transactions.

use super::{Client, Connection};
use std::time::Duration;

impl Client {
    pub(super) async fn want_the_same(&mut self, c: &mut Connection) {
        let (own, limit) = (self.no as usize + 1, 5);
        c.ask(&format!("SET SESSION innodb_lock_wait_timeout = {limit}")).await;
        if c.ask("BEGIN").await.error.is_some() {
            return;
        }
        // Each adds to its own counter first, then all to the same.
        let mut done = self.add_in_transaction(c, own).await;
        let both = done;
        if done && self.no == 0 {
            // The others stand in line meanwhile, and some of them give up.
            done = self.add_in_transaction(c, 0).await;
            self.stage.rt().sleep(Duration::from_secs(limit + 2)).await;
        } else if done {
            self.stage.rt().sleep(Duration::from_millis(self.rng.below(3000))).await;
            let begun = self.stage.rt().now();
            let sql = "UPDATE counters SET n = n + 1 WHERE id = 0";
            self.stage.world().counters[0].begun += 1;
            let a = c.ask(sql).await;
            done = a.error.is_none();
            let waited = Duration::from_nanos(self.stage.rt().now() - begun);
            let want = Duration::from_secs(limit);
            let late = waited > want.mul_f64(1.1) || waited < want;
            if a.errno() == 1205 && late {
                let what = format!("a lock wait with a timeout of {want:?} ended after {waited:?}");
                self.stage.world().fail("timeouts", what);
            }
        }
        let a = c.ask(if done { "COMMIT" } else { "ROLLBACK" }).await;
        self.end_of_additions(own, both, done && a.error.is_none());
        let wait = self.seconds();
        c.ask(&format!("SET SESSION innodb_lock_wait_timeout = {wait}")).await;
    }

    async fn add_in_transaction(&mut self, c: &mut Connection, id: usize) -> bool {
        self.stage.world().counters[id].begun += 1;
        let sql = format!("UPDATE counters SET n = n + 1 WHERE id = {id}");
        c.ask(&sql).await.error.is_none()
    }

    /// What was added is acknowledged, or is not there. `both`: the shared counter was begun, too.
    fn end_of_additions(&mut self, own: usize, both: bool, committed: bool) {
        let works = self.stage.engine_works();
        let mut w = self.stage.world();
        for id in [own, 0].into_iter().take(1 + usize::from(both)) {
            let counter = &mut w.counters[id];
            if committed {
                counter.acknowledged += 1;
            } else if works {
                counter.begun -= 1;
            }
        }
    }

    /// Rows that fill the log.
    pub(super) async fn bulk(&mut self, c: &mut Connection) {
        let base = self.rng.below(1_000_000) * 32;
        let rows: Vec<String> =
            (0..30).map(|i| format!("({}, REPEAT('{i}', 700))", base + i)).collect();
        c.ask(&format!("INSERT IGNORE INTO bulk VALUES {}", rows.join(", "))).await;
        if self.rng.chance(0.3) {
            c.ask(&format!("DELETE FROM bulk WHERE id BETWEEN {base} AND {}", base + 31)).await;
        }
    }
}
