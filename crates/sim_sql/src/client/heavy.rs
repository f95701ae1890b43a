//! Statements that keep much in memory; where it is tight they fail, and the session goes on.

use super::connection::OUT_OF_MEMORY;
use super::{Client, Connection};

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
}
