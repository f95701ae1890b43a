//! Statements that change several tables, and triggers that keep a sum of one table in another: anyone who looks sees both or neither.

use super::bank::ACCOUNTS;
use super::{Client, Connection};

/// Keys there may be.
const KEYS: u64 = 24;

/// Two tables with the same rows; a table and what triggers keep of it; ways to move money by one statement.
pub const JOINED: [&str; 14] = [
    "CREATE TABLE pair_l (id INT PRIMARY KEY, v BIGINT NOT NULL, KEY (v))",
    "CREATE TABLE pair_r (id INT PRIMARY KEY, v BIGINT NOT NULL)",
    "CREATE TABLE summed (id INT PRIMARY KEY, v BIGINT NOT NULL)",
    "CREATE TABLE sums (id INT PRIMARY KEY, n BIGINT NOT NULL, total BIGINT NOT NULL)",
    "INSERT INTO sums VALUES (0, 0, 0)",
    "CREATE TRIGGER summed_ai AFTER INSERT ON summed FOR EACH ROW UPDATE sums SET n = n + 1, total = total + NEW.v WHERE id = 0",
    "CREATE TRIGGER summed_au AFTER UPDATE ON summed FOR EACH ROW UPDATE sums SET total = total - OLD.v + NEW.v WHERE id = 0",
    "CREATE TRIGGER summed_ad AFTER DELETE ON summed FOR EACH ROW BEGIN UPDATE sums SET n = n - 1 WHERE id = 0; \
     UPDATE sums SET total = total - OLD.v WHERE id = 0; END",
    "CREATE TRIGGER summed_bi BEFORE INSERT ON summed FOR EACH ROW BEGIN IF NEW.v < 0 THEN SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 4000; \
     END IF; END",
    "CREATE VIEW bank_view AS SELECT id, v AS money FROM bank",
    "CREATE PROCEDURE move_money(a INT, b INT, n INT) BEGIN UPDATE bank SET v = v - n WHERE id = a; UPDATE bank SET v = v + n WHERE id = b; END",
    "CREATE PROCEDURE move_carefully(a INT, b INT, n INT) BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END; \
     START TRANSACTION; CALL move_money(a, b, n); COMMIT; END",
    "CREATE FUNCTION all_money() RETURNS BIGINT READS SQL DATA RETURN (SELECT SUM(v) FROM bank)",
    "CREATE PROCEDURE count_money() BEGIN DECLARE done INT DEFAULT 0; DECLARE x, total BIGINT DEFAULT 0; \
     DECLARE c CURSOR FOR SELECT v FROM bank; DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1; OPEN c; \
     more: LOOP FETCH c INTO x; IF done THEN LEAVE more; END IF; SET total = total + x; END LOOP; CLOSE c; SELECT total; END",
];

/// Rows that one of the two tables has and the other has not, each way.
pub const UNPAIRED: &str = "SELECT (SELECT COUNT(*) FROM pair_l l LEFT JOIN pair_r r ON r.id = l.id AND r.v = l.v WHERE r.id IS NULL), \
     (SELECT COUNT(*) FROM pair_r r LEFT JOIN pair_l l ON l.id = r.id AND l.v = r.v WHERE l.id IS NULL)";

/// How far what triggers have counted is from what is there.
pub const UNSUMMED: &str = "SELECT (SELECT n FROM sums) - (SELECT COUNT(*) FROM summed), \
     (SELECT total FROM sums) - (SELECT COALESCE(SUM(v), 0) FROM summed)";

/// The number of the SIGNAL of a trigger.
const SIGNALLED: u16 = 4000;

impl Client {
    /// Changes the two tables alike, by one statement or by several of a transaction, and looks.
    pub(super) async fn pair(&mut self, c: &mut Connection) {
        let (id, to) = (self.rng.below(KEYS), self.rng.below(KEYS));
        let (low, high) = (id.min(to), id.max(to));
        let v = self.stage.world().step();
        let own = format!("WHERE l.id BETWEEN {low} AND {high}");
        let all = match self.rng.below(7) {
            0 => vec![format!("DELETE l, r FROM pair_l l JOIN pair_r r ON r.id = l.id {own}")],
            1 => vec![format!(
                "DELETE FROM pair_l, pair_r USING pair_l JOIN pair_r ON pair_r.id = pair_l.id WHERE pair_l.v % 7 = {}",
                id % 7
            )],
            2 => vec![format!(
                "UPDATE pair_l l JOIN pair_r r ON r.id = l.id SET l.v = {v}, r.v = {v} {own}"
            )],
            // The key changes in both.
            3 => vec![format!(
                "UPDATE pair_l l JOIN pair_r r USING (id) SET l.id = {to}, r.id = {to} WHERE l.id = {id}"
            )],
            4 => vec![format!(
                "UPDATE pair_l l LEFT JOIN pair_r r ON r.id = l.id SET l.v = l.v + 1, r.v = r.v + 1 {own} ORDER BY l.id"
            )],
            _ => {
                let rows = format!("({id}, {v}), ({}, {v})", id + 1);
                vec![
                    format!("INSERT INTO pair_l VALUES {rows}"),
                    format!("INSERT INTO pair_r SELECT id, v FROM pair_l l WHERE l.v = {v}"),
                ]
            }
        };
        self.change_together(c, &all, &[1062, 1221]).await;
        self.compare(c, UNPAIRED).await;
    }

    /// Changes the table that triggers look after, and looks.
    pub(super) async fn summed(&mut self, c: &mut Connection) {
        let (id, to, n) = (self.rng.below(KEYS), self.rng.below(KEYS), self.rng.below(100));
        let one = match self.rng.below(10) {
            0 => format!("INSERT INTO summed VALUES ({id}, {n}), ({to}, {n})"),
            1 => format!("INSERT IGNORE INTO summed VALUES ({id}, {n}), ({to}, 1), ({id}, 2)"),
            2 => {
                format!("INSERT INTO summed VALUES ({id}, {n}) ON DUPLICATE KEY UPDATE v = v + {n}")
            }
            3 => format!("REPLACE INTO summed VALUES ({id}, {n}), ({to}, {n})"),
            4 => format!("UPDATE summed SET v = v + {n} WHERE id >= {id}"),
            5 => format!("UPDATE summed SET id = {to} WHERE id = {id}"),
            6 => format!("DELETE FROM summed WHERE id BETWEEN {id} AND {to}"),
            // The trigger refuses the second row: the first one, and what was counted for it, are taken back.
            7 => format!("INSERT INTO summed VALUES ({}, {n}), ({}, -1)", id + KEYS, to + KEYS),
            8 => format!(
                "DELETE summed, pair_l FROM summed JOIN pair_l ON pair_l.id = summed.id + 1000 WHERE summed.id = {id}"
            ),
            _ => format!(
                "INSERT INTO summed SELECT id + {KEYS}, v % 100 FROM summed s WHERE id = {id}"
            ),
        };
        self.change_together(c, &[one], &[1062, SIGNALLED]).await;
        self.compare(c, UNSUMMED).await;
    }

    /// Runs the statements in a transaction if there are several, which may be given up.
    async fn change_together(&mut self, c: &mut Connection, all: &[String], fine: &[u16]) {
        let together = all.len() > 1 || self.rng.chance(0.4);
        if together && c.ask("BEGIN").await.error.is_some() {
            return;
        }
        self.perhaps_vanish(c);
        for sql in all {
            c.may_fail_with = fine.to_vec();
            let failed = c.ask(sql).await.error.is_some();
            if failed && together {
                return self.roll_back(c).await;
            }
            self.pause().await;
        }
        if together {
            match self.rng.chance(0.8) {
                true if c.ask("COMMIT").await.error.is_none() => {}
                _ => self.roll_back(c).await,
            }
        }
    }

    /// Both numbers of the answer are 0 for any snapshot.
    async fn compare(&mut self, c: &mut Connection, sql: &str) {
        let a = c.ask(sql).await;
        if a.error.is_none() && a.rows != [["0", "0"]] {
            self.stage.world().fail("joined", format!("{sql}: {:?}", a.rows));
        }
    }

    /// Money moves by one statement of several rows, through a view, or by a procedure.
    pub(super) async fn transfer_at_once(&mut self, c: &mut Connection) {
        let (a, b) = (self.rng.below(ACCOUNTS), self.rng.below(ACCOUNTS));
        let b = if a == b { (a + 1) % ACCOUNTS } else { b };
        let n = 1 + self.rng.below(50);
        let sql = match self.rng.below(5) {
            0 => format!(
                "UPDATE bank x JOIN bank y ON x.id = {a} AND y.id = {b} SET x.v = x.v - {n}, y.v = y.v + {n}"
            ),
            1 => format!(
                "UPDATE bank_view SET money = money + IF(id = {a}, -{n}, {n}) WHERE id IN ({a}, {b})"
            ),
            2 => format!("CALL move_carefully({a}, {b}, {n})"),
            3 => format!(
                "INSERT INTO bank VALUES ({a}, 0), ({b}, 0) ON DUPLICATE KEY UPDATE v = v + IF(bank.id = {a}, -{n}, {n})"
            ),
            _ => format!(
                "UPDATE bank SET v = v + CASE id WHEN {a} THEN -{n} ELSE {n} END WHERE id = {a} OR id = {b} ORDER BY v"
            ),
        };
        self.perhaps_vanish(c);
        match c.ask(&sql).await.error {
            None => self.stage.world().commits += 1,
            // The procedure's transaction has ended with its handler, or it is ended here.
            Some(_) if sql.starts_with("CALL") => self.roll_back(c).await,
            Some(_) => {}
        }
    }
}
