//! A table with partitions: rows that move between them, in transactions, while somebody makes other partitions of it.

use super::{Client, Connection};
use crate::answer::Answer;
use crate::model::{Change, difference, put};
use std::collections::BTreeMap;

/// Keys that each client has of its own.
const OWN: i64 = 16;
/// Values of the column that decides on the partition.
const PARTS: u64 = 60;
/// A row's two values in one number: `v * STRIDE + p`.
const STRIDE: i64 = 100;

/// The ways in which the table is divided.
const SCHEMES: [&str; 7] = [
    "PARTITION BY RANGE (p) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN (30), PARTITION p2 VALUES LESS THAN MAXVALUE)",
    "PARTITION BY RANGE (p) (PARTITION p0 VALUES LESS THAN (3), PARTITION p1 VALUES LESS THAN (50), PARTITION p2 VALUES LESS THAN (60))",
    "PARTITION BY HASH (p) PARTITIONS 3",
    "PARTITION BY LINEAR HASH (p + id) PARTITIONS 5",
    "PARTITION BY KEY (p) PARTITIONS 2",
    "PARTITION BY RANGE COLUMNS (p, id) (PARTITION p0 VALUES LESS THAN (20, 30), PARTITION p1 VALUES LESS THAN (20, MAXVALUE), \
     PARTITION p2 VALUES LESS THAN (MAXVALUE, MAXVALUE))",
    "PARTITION BY RANGE (p) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION p0 VALUES LESS THAN (25), PARTITION p1 VALUES LESS THAN (60))",
];

/// Changes of single partitions; each fits some schemes only.
const CHANGES: [&str; 11] = [
    "REMOVE PARTITIONING",
    "COALESCE PARTITION 1",
    "ADD PARTITION PARTITIONS 2",
    "REORGANIZE PARTITION p0, p1 INTO (PARTITION p0 VALUES LESS THAN (5), PARTITION p1 VALUES LESS THAN (30))",
    "REORGANIZE PARTITION p0 INTO (PARTITION p00 VALUES LESS THAN (2), PARTITION p01 VALUES LESS THAN (10))",
    "REORGANIZE PARTITION p00, p01 INTO (PARTITION p0 VALUES LESS THAN (10))",
    "ADD PARTITION (PARTITION p9 VALUES LESS THAN (70))",
    "DROP PARTITION p9",
    "REBUILD PARTITION ALL",
    "OPTIMIZE PARTITION p0",
    "ADD INDEX ip (p)",
];

/// No such partition, a wrong kind of partitions, bounds that do not fit, the last partition, the same name, an index that is there.
const UNFIT: [u16; 14] =
    [1061, 1091, 1479, 1480, 1481, 1493, 1505, 1507, 1508, 1509, 1512, 1515, 1517, 1519];
const UNFIT_TOO: [u16; 11] = [1463, 1470, 1492, 1503, 1506, 1510, 1514, 1516, 1520, 1653, 1735];

/// The table, before anybody has divided it again.
pub fn parted_table(seed: u64) -> String {
    let scheme = SCHEMES[(seed % SCHEMES.len() as u64) as usize];
    format!(
        "CREATE TABLE parted (id INT NOT NULL, p INT NOT NULL, v BIGINT NOT NULL, PRIMARY KEY (id, p), KEY iv (v)) {scheme}"
    )
}

/// All rows of the table, as the model has them.
pub const PARTED: &str = "SELECT id, v * 100 + p FROM parted";

impl Client {
    /// A transaction on the client's own rows, and looks at them by several ways.
    pub(super) async fn move_rows(&mut self, c: &mut Connection) {
        let low = self.no as i64 * OWN;
        if c.ask("BEGIN").await.error.is_some() {
            return;
        }
        let mut rows = self.stage.world().parted.of(low, low + OWN);
        let mut change = Change::new();
        for _ in 0..1 + self.rng.below(4) {
            let (sql, step) = self.row_change(low, &rows);
            let a = c.ask(&sql).await;
            if a.error.is_some() {
                return self.roll_back(c).await;
            }
            put(&mut rows, &step);
            change.extend(step);
            self.pause().await;
            if self.rng.chance(0.5) && !self.look_at_rows(c, low, &rows).await {
                return self.roll_back(c).await;
            }
        }
        if self.rng.chance(0.2) {
            self.roll_back(c).await;
            rows = self.stage.world().parted.of(low, low + OWN);
        } else {
            self.stage.world().parted.begin(&change);
            self.perhaps_vanish(c);
            let failed = c.ask("COMMIT").await.error.is_some();
            let works = self.stage.engine_works();
            {
                let mut w = self.stage.world();
                match failed {
                    false => {
                        w.commits += 1;
                        w.parted.succeeded(&change);
                    }
                    true if works => w.parted.failed(&change),
                    true => {}
                }
            }
            if failed {
                return self.roll_back(c).await;
            }
        }
        self.look_at_rows(c, low, &rows).await;
    }

    /// A statement on own rows and what it does to them.
    fn row_change(&mut self, low: i64, rows: &BTreeMap<i64, i64>) -> (String, Change) {
        let id = low + self.rng.below(OWN as u64) as i64;
        let p = self.rng.below(PARTS) as i64;
        let v = self.stage.world().step() as i64;
        let to = id + 1 + self.rng.below(5) as i64;
        let there: Vec<(i64, i64)> =
            rows.range(id..to.min(low + OWN)).map(|(k, x)| (*k, *x)).collect();
        match self.rng.below(6) {
            // Several rows go to another partition, or change their value where they are.
            0 | 1 if !there.is_empty() => {
                let list: Vec<String> = there.iter().map(|r| r.0.to_string()).collect();
                let sql = format!("UPDATE parted SET p = {p} WHERE id IN ({})", list.join(", "));
                let moved = there.iter().map(|(k, x)| (*k, Some(x / STRIDE * STRIDE + p)));
                (sql, moved.collect())
            }
            2 if !there.is_empty() => {
                let sql = format!(
                    "UPDATE parted SET v = {v} WHERE id >= {id} AND id < {to} AND id < {}",
                    low + OWN
                );
                let set = there.iter().map(|(k, x)| (*k, Some(v * STRIDE + x % STRIDE)));
                (sql, set.collect())
            }
            3 if !there.is_empty() => {
                let sql = format!(
                    "DELETE FROM parted WHERE id BETWEEN {id} AND {}",
                    there[there.len() - 1].0
                );
                (sql, there.iter().map(|(k, _)| (*k, None)).collect())
            }
            _ => match rows.get(&id) {
                None => {
                    let sql = format!("INSERT INTO parted VALUES ({id}, {p}, {v})");
                    (sql, [(id, Some(v * STRIDE + p))].into())
                }
                Some(old) => {
                    let p = old % STRIDE;
                    let sql = format!(
                        "INSERT INTO parted VALUES ({id}, {p}, 0) ON DUPLICATE KEY UPDATE v = {v}"
                    );
                    (sql, [(id, Some(v * STRIDE + p))].into())
                }
            },
        }
    }

    /// The own rows by the clustered index, by one partition's value, by a secondary index: the same rows each time.
    async fn look_at_rows(
        &mut self,
        c: &mut Connection,
        low: i64,
        rows: &BTreeMap<i64, i64>,
    ) -> bool {
        let own = format!("id >= {low} AND id < {}", low + OWN);
        let (more, want) = match (self.rng.below(4), rows.values().next()) {
            (0, Some(x)) => {
                let p = x % STRIDE;
                let fits = |r: &(&i64, &i64)| r.1 % STRIDE == p;
                let some = rows.iter().filter(fits).map(|(k, x)| (*k, *x)).collect();
                (format!(" AND p = {p}"), some)
            }
            (1, Some(_)) => (" AND v > 0 ORDER BY v".to_string(), rows.clone()),
            (2, Some(_)) => (format!(" AND p < {PARTS} ORDER BY p DESC"), rows.clone()),
            _ => (String::new(), rows.clone()),
        };
        let sql = format!("{PARTED} WHERE {own}{more}");
        let a = c.ask(&sql).await;
        if a.error.is_some() {
            return false;
        }
        let found = pairs_of(&a);
        if let Some(what) = difference(&want, &found).filter(|_| found.len() == a.rows.len()) {
            self.stage.world().fail("partitions", format!("{sql}: {what}"));
        }
        if found.len() != a.rows.len() {
            self.stage.world().fail("partitions", format!("{sql}: rows twice in {:?}", a.rows));
        }
        true
    }

    /// Other partitions, by one client alone.
    pub(super) async fn divide(&mut self, c: &mut Connection) {
        let what = match self.rng.chance(0.4) {
            true => SCHEMES[self.rng.below(SCHEMES.len() as u64) as usize],
            false => CHANGES[self.rng.below(CHANGES.len() as u64) as usize],
        };
        self.stage.note_ddl();
        c.may_fail_with = [&UNFIT[..], &UNFIT_TOO[..]].concat();
        self.perhaps_vanish(c);
        c.ask(&format!("ALTER TABLE parted {what}")).await;
    }
}

/// Rows of two numbers, by the first.
pub fn pairs_of(a: &Answer) -> BTreeMap<i64, i64> {
    let pair = |r: &Vec<String>| Some((r.first()?.parse().ok()?, r.get(1)?.parse().ok()?));
    a.rows.iter().filter_map(pair).collect()
}
