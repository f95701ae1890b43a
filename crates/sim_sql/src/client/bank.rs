//! Sums that never change, rows with one writer, counters, unique values.

use super::{Client, Connection};
use std::time::Duration;

pub const ACCOUNTS: u64 = 12;
pub const TOTAL: i64 = 1000 * ACCOUNTS as i64;

impl Client {
    /// Moves money from one account to another; now and then the client changes its mind, or vanishes.
    pub(super) async fn transfer(&mut self, c: &mut Connection) {
        let (from, to) = (self.rng.below(ACCOUNTS), self.rng.below(ACCOUNTS));
        let n = 1 + self.rng.below(50);
        if c.ask("BEGIN").await.error.is_some() {
            return;
        }
        self.perhaps_vanish(c);
        for sql in [
            format!("SELECT v FROM bank WHERE id = {from} FOR UPDATE"),
            format!("UPDATE s.bank SET v = v - {n} WHERE id = {from}"),
            format!("UPDATE bank SET v = v + {n} WHERE id = {to}"),
        ] {
            if c.ask(&sql).await.error.is_some() {
                return self.roll_back(c).await;
            }
            self.pause().await;
        }
        if self.patient && self.rng.chance(0.05) {
            // The others wait, long enough for a KILL that is not heard to be noticed.
            self.stage.rt().sleep(Duration::from_secs(6)).await;
        }
        if self.rng.chance(0.1) {
            return self.roll_back(c).await;
        }
        match c.ask("COMMIT").await.error {
            None => self.stage.world().commits += 1,
            Some(_) => self.roll_back(c).await,
        }
    }

    pub(super) async fn roll_back(&mut self, c: &mut Connection) {
        self.stage.world().rollbacks += 1;
        c.ask("ROLLBACK").await;
    }

    /// The total never changes for anyone who reads it with a snapshot or with locks.
    pub(super) async fn total(&mut self, c: &mut Connection) {
        let lock = ["", "", " LOCK IN SHARE MODE", " FOR UPDATE"][self.rng.below(4) as usize];
        let a = c.ask(&format!("SELECT SUM(v), COUNT(*) FROM bank{lock}")).await;
        if a.error.is_none() && a.rows != [vec![TOTAL.to_string(), ACCOUNTS.to_string()]] {
            let what = format!("the accounts{lock} are {:?} instead of {TOTAL}", a.rows);
            self.stage.world().fail("sums", what);
        }
    }

    /// Writes the client's own row and reads it back.
    pub(super) async fn own_row(&mut self, c: &mut Connection) {
        let no = self.no as usize;
        let value = self.stage.world().step() as i64;
        self.stage.world().own[no].maybe.push(value);
        let sql = match self.rng.below(3) {
            0 => format!("REPLACE INTO own VALUES ({no}, {value})"),
            1 => format!(
                "INSERT INTO own VALUES ({no}, {value}) ON DUPLICATE KEY UPDATE v = {value}"
            ),
            _ => format!("UPDATE own SET v = {value} WHERE id = {no}"),
        };
        let a = c.ask(&sql).await;
        if a.error.is_none() {
            let mut w = self.stage.world();
            w.commits += 1;
            w.own[no].acknowledged = value;
            w.own[no].maybe.clear();
        } else if self.stage.engine_works() {
            // A statement that failed has changed nothing.
            self.stage.world().own[no].maybe.retain(|v| *v != value);
        }
        let a = c.ask(&format!("SELECT v FROM own WHERE id = {no}")).await;
        let mut w = self.stage.world();
        let own = &w.own[no];
        if a.error.is_none() && own.maybe.is_empty() && a.number() != Some(own.acknowledged) {
            let last = own.acknowledged;
            w.fail("rows", format!("row {no} is {:?}, the last answer was for {last}", a.rows));
        }
    }

    /// Adds one to a row that everybody adds to, then looks how far it is.
    pub(super) async fn count(&mut self, c: &mut Connection) {
        self.stage.world().counters[0].begun += 1;
        let a = c.ask("UPDATE counters SET n = n + 1 WHERE id = 0").await;
        let works = self.stage.engine_works();
        let low = {
            let counter = &mut self.stage.world().counters[0];
            match a.error {
                None => counter.acknowledged += 1,
                Some(_) if works => counter.begun -= 1,
                Some(_) => {}
            }
            counter.acknowledged
        };
        let a = c.ask("SELECT n FROM counters WHERE id = 0").await;
        let mut w = self.stage.world();
        let high = w.counters[0].begun;
        if a.error.is_none() && !a.number().is_some_and(|n| (low..=high).contains(&n)) {
            let what = format!("a counter is {:?}, {low} were acknowledged, {high} begun", a.rows);
            w.fail("rows", what);
        }
    }

    /// No value stands twice in a unique column, whatever was tried.
    pub(super) async fn unique(&mut self, c: &mut Connection) {
        let (id, k) = (self.rng.below(40), self.rng.below(20));
        let sql = match self.rng.below(4) {
            0 => format!("DELETE FROM u WHERE k = {k}"),
            1 => format!("UPDATE u SET k = {k} WHERE id = {id}"),
            2 => format!("INSERT INTO u VALUES ({id}, {k}), ({}, {k})", id + 1),
            _ => format!("INSERT INTO u VALUES ({id}, {k})"),
        };
        c.may_fail_with = vec![1062];
        c.ask(&sql).await;
        let a = c.ask("SELECT k, COUNT(*) FROM u GROUP BY k HAVING COUNT(*) > 1").await;
        if !a.rows.is_empty() {
            self.stage.world().fail("unique", format!("values of a unique column: {:?}", a.rows));
        }
    }
}
