//! Streams: several commands at once, answers that are taken slowly, several statements in one, a session that begins again.

use super::Client;
use crate::connection::{Connection, Gone, query};
use crate::protocol::Form;
use std::time::Duration;

/// Bytes of a row of the long answer.
const ROW: usize = 500;

impl Client {
    /// Says nothing for a while, in which the connection is parked, and then is answered.
    pub(super) async fn idle(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let most = if self.rng.chance(0.15) { 20_000 } else { 2000 };
        let time = Duration::from_millis(self.rng.below(most));
        self.stage.rt().sleep(time).await;
        self.ask(c, "SELECT 1").await?;
        Ok(())
    }

    /// Several commands in one piece, perhaps behind a rest: each is answered, in order.
    pub(super) async fn together(&mut self, c: &mut Connection) -> Result<(), Gone> {
        if self.rng.chance(0.5) {
            self.stage.rt().sleep(Duration::from_millis(150 + self.rng.below(200))).await;
        }
        let numbers: Vec<u64> = (0..2 + self.rng.below(5)).map(|_| self.rng.below(1000)).collect();
        let said: Vec<Vec<u8>> = numbers
            .iter()
            .map(|n| crate::protocol::packet(0, &query(&format!("SELECT {n}"))))
            .collect();
        c.write(&said.concat()).await?;
        for n in numbers {
            let answer = c.answer(Form::Text).await?;
            self.judge(c.id, "SELECT", &answer);
            if answer.error.is_none() && answer.number() != Some(n as i64) {
                let what = format!("SELECT {n} is answered with {:?}", answer.rows);
                self.stage.fail("stream", what);
            }
            // Rests in the middle, in which the connection may be parked with commands that came already.
            if self.rng.chance(0.2) {
                self.stage.rt().sleep(Duration::from_millis(self.rng.below(500))).await;
            }
        }
        c.nothing_more()
    }

    /// An answer of some hundred kilobytes that its client takes slowly.
    pub(super) async fn long_answer(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let rows = 1 + self.rng.below(300);
        c.slow = Some(1 << (6 + self.rng.below(7)));
        let sql = format!("SELECT REPEAT('x', {ROW}) FROM bank a, bank b, bank d LIMIT {rows}");
        let answer = self.ask(c, &sql).await;
        c.slow = None;
        let answer = answer?;
        let whole = |row: &Vec<Option<String>>| matches!(&row[..], [Some(text)] if text.len() == ROW && text.bytes().all(|b| b == b'x'));
        let fine = answer.rows.len() as u64 == rows && answer.rows.iter().all(whole);
        if answer.error.is_none() && !fine {
            self.stage.fail("stream", format!("{} rows instead of {rows}", answer.rows.len()));
        }
        Ok(())
    }

    /// Three statements in one command.
    pub(super) async fn several(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let value = self.new_own();
        let no = self.no;
        let sql = format!(
            "SELECT 1; UPDATE own SET v = {value} WHERE id = {no}; SELECT v FROM own WHERE id = {no}"
        );
        c.say(&query(&sql)).await?;
        let answer = c.answer(Form::Text).await?;
        self.judge(c.id, &sql, &answer);
        // How many of them were executed says how many results there are.
        let written = answer.results >= 2;
        self.wrote(value, if written { 0 } else { answer.errno() });
        if answer.error.is_none() && (answer.results, answer.number()) != (2, Some(value)) {
            let what = format!("{sql}: {} results, then {:?}", answer.results, answer.rows);
            self.stage.fail("stream", what);
        }
        c.nothing_more()
    }

    /// COM_RESET_CONNECTION takes the transaction and the variables away.
    pub(super) async fn reset(&mut self, c: &mut Connection) -> Result<(), Gone> {
        for sql in [
            "SET @x = 5".to_string(),
            "BEGIN".into(),
            format!("UPDATE own SET v = -1 WHERE id = {}", self.no),
        ] {
            self.ask(c, &sql).await?;
        }
        c.say(&[0x1F]).await?;
        let answer = c.answer(Form::Text).await?;
        self.judge(c.id, "COM_RESET_CONNECTION", &answer);
        if answer.error.is_some() {
            // It was killed on its way: the session may have kept everything.
            self.ask(c, "ROLLBACK").await?;
            return Ok(());
        }
        let seen = self.ask(c, "SELECT @x").await?;
        if seen.error.is_none() && seen.rows != [vec![None]] {
            self.stage.fail("stream", format!("a variable outlives its session: {:?}", seen.rows));
        }
        self.ask(c, "SET innodb_lock_wait_timeout = 2, lock_wait_timeout = 4").await?;
        Ok(())
    }
}
