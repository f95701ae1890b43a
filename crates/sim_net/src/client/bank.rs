//! Sums that never change, rows with one writer, a counter.

use super::{Client, USUAL};
use crate::connection::{Connection, Gone, query};
use crate::protocol::Form;

pub const ACCOUNTS: u64 = 12;
pub const TOTAL: i64 = 1000 * ACCOUNTS as i64;

impl Client {
    fn statements_of_transfer(&mut self) -> Vec<String> {
        let (from, to) = (self.rng.below(ACCOUNTS), self.rng.below(ACCOUNTS));
        let n = 1 + self.rng.below(50);
        vec![
            "BEGIN".into(),
            format!("SELECT v FROM bank WHERE id = {from} FOR UPDATE"),
            format!("UPDATE bank SET v = v - {n} WHERE id = {from}"),
            format!("UPDATE bank SET v = v + {n} WHERE id = {to}"),
        ]
    }

    /// Moves money from one account to another; now and then the client changes its mind.
    pub(super) async fn transfer(&mut self, c: &mut Connection) -> Result<(), Gone> {
        for sql in self.statements_of_transfer() {
            if self.ask(c, &sql).await?.error.is_some() {
                return self.roll_back(c).await;
            }
            self.pause().await;
        }
        if self.rng.chance(0.1) {
            return self.roll_back(c).await;
        }
        if self.ask(c, "COMMIT").await?.error.is_some() {
            return self.roll_back(c).await;
        }
        self.stage.world().commits += 1;
        Ok(())
    }

    async fn roll_back(&mut self, c: &mut Connection) -> Result<(), Gone> {
        self.stage.world().rollbacks += 1;
        // KILL QUERY may be meant for the statement before.
        while self.ask(c, "ROLLBACK").await?.errno() == 1317 {}
        Ok(())
    }

    /// The same as a stored procedure would: all at once, so that half of it is never there.
    pub(super) async fn transfer_at_once(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let n = self.rng.below(50) as i64 - 25;
        let (a, b) = (self.rng.below(ACCOUNTS), self.rng.below(ACCOUNTS));
        if a == b {
            return Ok(());
        }
        let sql = format!(
            "UPDATE bank SET v = v + CASE id WHEN {a} THEN {n} ELSE {} END WHERE id IN ({a}, {b})",
            -n
        );
        let answer = self.ask(c, &sql).await?;
        self.stage.world().commits += u64::from(answer.error.is_none());
        Ok(())
    }

    /// The total never changes for anyone who reads it with a snapshot or with locks.
    pub(super) async fn total(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let lock = ["", "", " LOCK IN SHARE MODE", " FOR UPDATE"][self.rng.below(4) as usize];
        let answer = self.ask(c, &format!("SELECT SUM(v) FROM bank{lock}")).await?;
        if answer.error.is_none() && answer.number() != Some(TOTAL) {
            let what = format!("the accounts{lock} are {:?} instead of {TOTAL}", answer.rows);
            self.stage.fail("sums", what);
        }
        Ok(())
    }

    /// Writes the client's own row and reads it back, with both commands on their way at once now and then.
    pub(super) async fn own_row(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let value = self.new_own();
        let sql = format!("UPDATE own SET v = {value} WHERE id = {}", self.no);
        let read = format!("SELECT v FROM own WHERE id = {}", self.no);
        if self.rng.chance(0.5) {
            let written = self.ask(c, &sql).await?;
            self.wrote(value, written.errno());
            return self.read_own(c).await;
        }
        c.say(&query(&sql)).await?;
        c.say(&query(&read)).await?;
        let written = c.answer(Form::Text).await?;
        self.judge(c.id, &sql, &written);
        self.wrote(value, written.errno());
        let seen = c.answer(Form::Text).await?;
        self.judge(c.id, &read, &seen);
        self.seen_own(seen.error.is_none().then(|| seen.number()));
        Ok(())
    }

    /// The same by prepared statements.
    pub(super) async fn own_prepared(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let Ok(write) = c.prepare("UPDATE own SET v = ? WHERE id = ?").await? else {
            return Ok(());
        };
        let Ok(read) = c.prepare("SELECT v FROM own WHERE id = ?").await? else { return Ok(()) };
        for _ in 0..1 + self.rng.below(3) {
            let value = self.new_own();
            let written = c.execute(write, &[value, self.no as i64]).await?;
            self.judge(c.id, "a prepared UPDATE", &written);
            self.wrote(value, written.errno());
            let seen = c.execute(read, &[self.no as i64]).await?;
            self.judge(c.id, "a prepared SELECT", &seen);
            self.seen_own(seen.error.is_none().then(|| seen.number()));
            self.pause().await;
        }
        for id in [write, read] {
            c.say(&[&[0x19][..], &id.to_le_bytes()].concat()).await?;
        }
        Ok(())
    }

    /// A value for the own row, which the row may have from now on.
    pub(super) fn new_own(&self) -> i64 {
        let mut w = self.stage.world();
        let value = w.new_value();
        w.own[self.no].maybe.push(value);
        value
    }

    /// The statement that wrote the value was answered.
    pub(super) fn wrote(&self, value: i64, errno: u16) {
        if errno != 0 && !self.stage.engine_works() {
            return;
        }
        let mut w = self.stage.world();
        w.own[self.no].maybe.retain(|v| *v != value);
        if errno == 0 {
            w.commits += 1;
            w.own[self.no].acknowledged = value;
        }
    }

    async fn read_own(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let sql = format!("SELECT v FROM own WHERE id = {}", self.no);
        let seen = self.ask(c, &sql).await?;
        self.seen_own(seen.error.is_none().then(|| seen.number()));
        Ok(())
    }

    /// `None`: the question was not answered.
    fn seen_own(&self, seen: Option<Option<i64>>) {
        let Some(seen) = seen else { return };
        let own = self.stage.world().own[self.no].clone();
        if !seen.is_some_and(|v| own.may_be(v)) {
            let what = format!("row {} is {seen:?}, known is {own:?}", self.no);
            self.stage.fail("rows", what);
        }
    }

    /// Behind a lost connection, which is over: what its last statement has done is known now.
    pub(super) async fn settle_own(&mut self, c: &mut Connection) -> Result<(), Gone> {
        if self.stage.world().own[self.no].maybe.is_empty() {
            return Ok(());
        }
        let sql = format!("SELECT v FROM own WHERE id = {}", self.no);
        let seen = self.ask(c, &sql).await?;
        self.seen_own(seen.error.is_none().then(|| seen.number()));
        if let Some(value) = seen.number() {
            let mut w = self.stage.world();
            w.own[self.no].acknowledged = value;
            w.own[self.no].maybe.clear();
        }
        Ok(())
    }

    /// Adds one to a row that everybody adds to, then looks how far it is.
    pub(super) async fn count(&mut self, c: &mut Connection) -> Result<(), Gone> {
        self.stage.world().counter.1 += 1;
        let sql = "UPDATE counter SET n = n + 1 WHERE id = 0";
        let answer = self.ask(c, sql).await?;
        let low = {
            let mut w = self.stage.world();
            match answer.errno() {
                0 => w.counter.0 += 1,
                e if USUAL.contains(&e) => w.counter.1 -= 1,
                _ => {}
            }
            w.counter.0
        };
        let seen = self.ask(c, "SELECT n FROM counter WHERE id = 0").await?;
        let high = self.stage.world().counter.1;
        if seen.error.is_none() && !seen.number().is_some_and(|n| (low..=high).contains(&n)) {
            let what =
                format!("the counter is {:?}, {low} were acknowledged, {high} begun", seen.rows);
            self.stage.fail("rows", what);
        }
        Ok(())
    }
}
