//! Transactions at all isolation levels on a few rows that everybody writes.

use super::{Client, Connection};
use crate::answer::Answer;
use crate::model::{Level, Open};
use weir_sql::session_api::ParamValue;

/// Rows of the table `reg`: `id`, the value `v`, and `u`, which is unique and always equals `id`.
pub const REGISTERS: u64 = 10;

const LEVELS: [(Level, &str); 4] = [
    (Level::ReadUncommitted, "READ UNCOMMITTED"),
    (Level::ReadCommitted, "READ COMMITTED"),
    (Level::RepeatableRead, "REPEATABLE READ"),
    (Level::Serializable, "SERIALIZABLE"),
];

/// Whether the transaction goes on after a statement.
type GoesOn = bool;

impl Client {
    pub(super) async fn transaction(&mut self, c: &mut Connection) {
        let (level, name) = LEVELS[[0, 1, 1, 2, 2, 2, 3][self.rng.below(7) as usize]];
        c.ask(&format!("SET TRANSACTION ISOLATION LEVEL {name}")).await;
        let from = self.stage.world().step();
        let mut t = Open::new(from, level);
        let at_once = self.rng.chance(0.2);
        let begin = if at_once { "START TRANSACTION WITH CONSISTENT SNAPSHOT" } else { "BEGIN" };
        if c.ask(begin).await.error.is_some() {
            return;
        }
        if at_once {
            let to = self.stage.world().step();
            t.snapshot_taken(from, to);
        }
        // Whether a table was used before the savepoint: one from before gives the snapshot back, too.
        let mut used = at_once;
        self.perhaps_vanish(c);
        let mut saved = None;
        for _ in 0..1 + self.rng.below(7) {
            self.pause().await;
            let what = self.rng.below(10);
            used |= what <= 7;
            let goes_on = match what {
                0..=3 => self.read(c, &mut t).await,
                4..=6 => self.write(c, &mut t).await,
                7 => self.write_in_vain(c, &t).await,
                8 => {
                    c.ask("SAVEPOINT a").await.error.is_none() && {
                        saved = Some((t.pending.clone(), used));
                        true
                    }
                }
                _ => match &saved {
                    None => true,
                    Some((pending, used_before)) => {
                        t.pending = pending.clone();
                        if !used_before {
                            t.begin_again();
                            used = false;
                        }
                        c.ask("ROLLBACK TO a").await.error.is_none()
                    }
                },
            };
            if !goes_on {
                return self.roll_back(c).await;
            }
        }
        if self.rng.chance(0.15) {
            return self.roll_back(c).await;
        }
        self.commit(c, &t).await;
    }

    async fn commit(&mut self, c: &mut Connection, t: &Open) {
        {
            let mut w = self.stage.world();
            let step = w.step();
            w.registers.commit_sent(t, step);
        }
        let a = c.ask("COMMIT").await;
        let works = self.stage.engine_works();
        {
            let mut w = self.stage.world();
            let step = w.step();
            match a.error {
                None => {
                    w.commits += 1;
                    w.registers.committed(t, step);
                    return;
                }
                Some(_) if works => w.registers.taken_back(t),
                Some(_) => {}
            }
        }
        self.roll_back(c).await;
    }

    /// A few rows by one statement, by either index, as text or prepared.
    async fn read(&mut self, c: &mut Connection, t: &mut Open) -> GoesOn {
        let low = self.rng.below(REGISTERS);
        let high = low + self.rng.below(3);
        let lock = match self.rng.below(6) {
            0 => " FOR UPDATE",
            1 => " LOCK IN SHARE MODE",
            2 => " FOR SHARE",
            _ => "",
        };
        let by_id = self.rng.chance(0.5) || t.sees_unfinished();
        let column = if by_id { "id" } else { "u" };
        let from = self.stage.world().step();
        let sql = format!("SELECT id, v FROM reg WHERE {column} BETWEEN {low} AND {high}{lock}");
        let a = if self.rng.chance(0.3) {
            let text = format!("SELECT id, v FROM reg WHERE {column} BETWEEN ? AND ?{lock}");
            match c.prepare(&text).await {
                Err(_) => return false,
                Ok(p) => {
                    self.pause().await;
                    let params = [ParamValue::Int(low as i64), ParamValue::Int(high as i64)];
                    let a = c.execute(&text, p.id, &params).await;
                    c.forget(p.id);
                    a
                }
            }
        } else {
            c.ask(&sql).await
        };
        if a.error.is_some() {
            return false;
        }
        let mut w = self.stage.world();
        let to = w.step();
        let Some(rows) = rows(&a, low, high) else {
            let what = format!("{sql}: rows {low} to {high} of {REGISTERS} are {:?}", a.rows);
            w.fail("rows", what);
            return false;
        };
        let seen = match lock.is_empty() && !t.locks_reads() {
            true => w.registers.read(t, &rows, from, to),
            false => w.registers.locked_read(t, &rows),
        };
        if let Err(what) = seen {
            w.fail("reads", format!("{sql} from {from} to {to} in {t:?}: {what}"));
        }
        true
    }

    async fn write(&mut self, c: &mut Connection, t: &mut Open) -> GoesOn {
        let row = self.rng.below(REGISTERS) as usize;
        let value = {
            let mut w = self.stage.world();
            let value = w.step() as i64;
            w.registers.tried(row, value);
            value
        };
        // Without an index for it: every row is looked at with a lock, which READ COMMITTED gives back.
        let column = if value % 4 == 0 { "id + 0" } else { "id" };
        let a = c.ask(&format!("UPDATE reg SET v = {value} WHERE {column} = {row}")).await;
        if a.error.is_some() {
            return false;
        }
        if a.affected != 1 {
            let what = format!("an UPDATE of row {row} changed {} rows", a.affected);
            self.stage.world().fail("rows", what);
        }
        t.pending.insert(row, value);
        true
    }

    /// Two rows by one statement that fails at the second one: the first one must be as it was.
    async fn write_in_vain(&mut self, c: &mut Connection, _: &Open) -> GoesOn {
        let row = self.rng.below(REGISTERS - 2);
        let value = {
            let mut w = self.stage.world();
            let value = w.step() as i64;
            w.registers.tried(row as usize, value);
            w.registers.tried(row as usize + 1, value);
            value
        };
        c.may_fail_with = vec![1062];
        let sql = format!(
            "UPDATE reg SET v = {value}, u = IF(id = {}, {}, u) WHERE id IN ({row}, {}) ORDER BY id",
            row + 1,
            row + 2,
            row + 1
        );
        let a = c.ask(&sql).await;
        if a.error.is_none() {
            self.stage.world().fail("unique", format!("{sql} was done, and the value is taken"));
        }
        a.errno() == 1062
    }

    /// The table of the registers gets another form beside the transactions.
    pub(super) async fn rebuild(&mut self, c: &mut Connection) {
        const ALL: [&str; 6] = [
            "ALTER TABLE reg ENGINE = InnoDB",
            "ALTER TABLE reg ADD INDEX iv (v)",
            "ALTER TABLE reg DROP INDEX iv",
            "ALTER TABLE reg ADD COLUMN x INT DEFAULT 7",
            "ALTER TABLE reg DROP COLUMN x",
            "OPTIMIZE TABLE reg",
        ];
        self.stage.note_ddl();
        // The index or the column may be there already, or not be there.
        c.may_fail_with = vec![1060, 1061, 1091];
        c.ask(ALL[self.rng.below(ALL.len() as u64) as usize]).await;
    }
}

/// The rows of an answer, if they are those asked for.
fn rows(a: &Answer, low: u64, high: u64) -> Option<Vec<(usize, i64)>> {
    let mut rows = Vec::new();
    for r in &a.rows {
        let [id, v] = r.as_slice() else { return None };
        rows.push((id.parse().ok()?, v.parse().ok()?));
    }
    rows.sort_unstable();
    let want = low as usize..=high.min(REGISTERS - 1) as usize;
    rows.iter().map(|r| r.0).eq(want).then_some(rows)
}
