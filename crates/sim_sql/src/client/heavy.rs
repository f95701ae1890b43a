//! Statements that keep much in memory; where it is tight they fail, and the session goes on. And statements that may keep little, and go on on
//! disk: their answers are worked out beside them.

use super::connection::OUT_OF_MEMORY;
use super::{ACCOUNTS, Client, Connection};

impl Client {
    pub(super) async fn heavy(&mut self, c: &mut Connection) {
        const ALL: [&str; 5] = [
            "SELECT LENGTH(GROUP_CONCAT(REPEAT(a.v, 20000))) FROM bank a, bank b",
            "SELECT a.id, REPEAT('x', 60000) AS r FROM bank a, bank b ORDER BY r, b.id LIMIT 3",
            "SELECT COUNT(*) FROM (SELECT a.id, b.id AS x, REPEAT('y', 30000) AS r FROM bank a, bank b) t",
            "SELECT COUNT(DISTINCT REPEAT(a.id, 30000), b.id) FROM bank a, bank b",
            "SELECT LENGTH(REPEAT('z', 3000000)), SHA2(REPEAT('q', 100000), 256)",
        ];
        let sql = ALL[self.rng.below(ALL.len() as u64) as usize];
        let a = c.ask(sql).await;
        if OUT_OF_MEMORY.contains(&a.errno()) {
            // The same session still answers.
            let a = c.ask("SELECT 1").await;
            if a.error.is_none() && a.number() != Some(1) {
                self.stage.world().fail("memory", format!("{sql} was refused, then: {:?}", a.rows));
            }
        }
    }

    /// Every pair of accounts, sorted, grouped, once each: with little memory for it, so that rows wait on disk.
    pub(super) async fn pairs(&mut self, c: &mut Connection) {
        c.ask("SET sort_buffer_size = 32768, tmp_table_size = 1024").await;
        let n = ACCOUNTS as i64;
        let (sql, want) = match self.rng.below(4) {
            0 => {
                let sql = "SELECT a.id, b.id, REPEAT('x', 300) FROM bank a, bank b ORDER BY a.id DESC, b.id";
                let a = c.ask(sql).await;
                let ids = |r: &Vec<String>| (r[0].parse::<i64>(), r[1].parse::<i64>());
                let in_order = |w: &[Vec<String>]| match (ids(&w[0]), ids(&w[1])) {
                    ((Ok(a), Ok(b)), (Ok(c), Ok(d))) => (-a, b) < (-c, d),
                    _ => false,
                };
                if a.error.is_none()
                    && (a.rows.len() as i64 != n * n || !a.rows.windows(2).all(in_order))
                {
                    let what = format!("{sql}: {} rows, or out of order", a.rows.len());
                    self.stage.world().fail("reads", what);
                }
                return;
            }
            1 => (
                "SELECT SUM(n) FROM (SELECT COUNT(*) AS n, MAX(REPEAT(a.id, 9)) FROM bank a, bank b GROUP BY a.id, b.id) t",
                n * n,
            ),
            2 => (
                "SELECT COUNT(*) FROM (SELECT DISTINCT a.id, b.id AS x, REPEAT('y', 99) FROM bank a, bank b, bank c LIMIT 1000000) t",
                n * n,
            ),
            _ => (
                "SELECT COUNT(DISTINCT x) FROM (SELECT a.id * 1000 + b.id AS x FROM bank a, bank b GROUP BY x, b.id) t",
                n * n,
            ),
        };
        let a = c.ask(sql).await;
        if a.error.is_none() && a.number() != Some(want) {
            self.stage.world().fail("reads", format!("{sql}: {:?}, expected {want}", a.rows));
        }
    }
}
