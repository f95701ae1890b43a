//! Foreign keys: anyone who looks sees no child without its parent. Temporary tables, and tables that are made of a query: a name that is
//! there has all of its rows.

use super::{ACCOUNTS, Client, Connection, TOTAL};

/// Parents there may be.
const PARENTS: u64 = 8;
/// Children of each kind there may be.
const CHILDREN: u64 = 30;

/// The tables of the family: `child` follows its parent, `stern` keeps it.
pub const FAMILY: [&str; 4] = [
    "CREATE TABLE parent (id INT PRIMARY KEY, v INT)",
    "CREATE TABLE child (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id) ON DELETE CASCADE ON UPDATE CASCADE)",
    "CREATE TABLE stern (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES parent (id))",
    "INSERT INTO parent VALUES (0, 0), (1, 0), (2, 0), (3, 0)",
];

/// How many children have no parent.
pub const ORPHANS: &str = "SELECT (SELECT COUNT(*) FROM child LEFT JOIN parent ON parent.id = child.p WHERE child.p IS NOT NULL AND parent.id IS NULL), \
     (SELECT COUNT(*) FROM stern LEFT JOIN parent ON parent.id = stern.p WHERE stern.p IS NOT NULL AND parent.id IS NULL)";

impl Client {
    /// A few changes of parents and children, in a transaction or each alone, and a look.
    pub(super) async fn family(&mut self, c: &mut Connection) {
        let together = self.rng.chance(0.5) && c.ask("BEGIN").await.error.is_none();
        if together {
            self.perhaps_vanish(c);
        }
        for _ in 0..1 + self.rng.below(4) {
            let sql = self.family_change();
            // Duplicates, a parent that is missing or is wanted, a cascade that meets a duplicate.
            c.may_fail_with = vec![1062, 1451, 1452, 1761];
            if sql.starts_with("ALTER") {
                self.stage.note_ddl();
            }
            let a = c.ask(&sql).await;
            if a.errno() == 1213 {
                return;
            }
            self.pause().await;
        }
        if together {
            match self.rng.chance(0.8) {
                true => _ = c.ask("COMMIT").await,
                false => self.roll_back(c).await,
            }
        }
        let a = c.ask(ORPHANS).await;
        if a.error.is_none() && a.rows != [["0", "0"]] {
            let what = format!("children without a parent: {:?}", a.rows);
            self.stage.world().fail("family", what);
        }
    }

    fn family_change(&mut self) -> String {
        let (id, p, q) =
            (self.rng.below(CHILDREN), self.rng.below(PARENTS), self.rng.below(PARENTS));
        match self.rng.below(16) {
            0..=2 => format!("INSERT INTO child VALUES ({id}, {p})"),
            3 => format!("INSERT IGNORE INTO child VALUES ({id}, {p}), ({}, {q})", id + 1),
            4 => format!("UPDATE child SET p = {p} WHERE id = {id}"),
            5 => format!("INSERT INTO stern VALUES ({id}, {p})"),
            6 => format!("DELETE FROM stern WHERE p = {p}"),
            7 | 8 => format!("DELETE FROM parent WHERE id = {p}"),
            9 => format!("DELETE IGNORE FROM parent WHERE id IN ({p}, {q})"),
            10 | 11 => format!("INSERT INTO parent VALUES ({p}, 0)"),
            12 => format!("UPDATE parent SET id = {q} WHERE id = {p}"),
            13 => format!("REPLACE INTO parent VALUES ({p}, 1)"),
            14 if self.rng.chance(0.3) => "ALTER TABLE parent FORCE".into(),
            14 => format!("UPDATE parent SET v = v + 1 WHERE id = {p}"),
            _ => format!("INSERT INTO child VALUES ({id}, {p}) ON DUPLICATE KEY UPDATE p = {q}"),
        }
    }

    /// A temporary table, or a permanent one that is made of a query.
    pub(super) async fn made_table(&mut self, c: &mut Connection) {
        let all = [vec![TOTAL.to_string(), ACCOUNTS.to_string()]];
        let temporary = self.rng.chance(0.6);
        let name = if temporary { "tmp".into() } else { format!("made{}", self.no) };
        let word = if temporary { "TEMPORARY " } else { "" };
        if temporary && self.rng.chance(0.5) && c.ask("BEGIN").await.error.is_some() {
            return;
        }
        if !temporary {
            self.stage.note_ddl();
        }
        c.may_fail_with = vec![1050];
        let sql = format!("CREATE {word}TABLE {name} (PRIMARY KEY (id)) SELECT * FROM bank");
        let made = c.ask(&sql).await;
        if made.error.is_none() {
            let a = c.ask(&format!("SELECT SUM(v), COUNT(*) FROM {name}")).await;
            if a.error.is_none() && a.rows != all {
                let what = format!("{name}, made of the accounts, has {:?}", a.rows);
                self.stage.world().fail("sums", what);
            }
            if temporary && self.rng.chance(0.5) {
                c.ask(&format!("DELETE FROM {name} WHERE id < 5")).await;
                c.ask("ROLLBACK").await;
            }
        }
        // A statement that is killed leaves it to the next unit, or to the session's end.
        c.may_fail_with = vec![1051];
        c.ask(&format!("DROP {word}TABLE {name}")).await;
        if temporary {
            c.ask("COMMIT").await;
            if self.rng.chance(0.3) {
                c.may_fail_with = vec![1050];
                c.ask("CREATE TEMPORARY TABLE left_over (id INT PRIMARY KEY)").await;
                c.ask("BEGIN").await;
                c.may_fail_with = vec![1062, 1146];
                c.ask(&format!("INSERT INTO left_over VALUES ({})", self.rng.below(9))).await;
                c.may_fail_with = vec![1051];
                c.ask("DROP TEMPORARY TABLE left_over").await;
                c.ask("COMMIT").await;
            }
        }
    }
}
