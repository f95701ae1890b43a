//! Ends: clients that vanish, KILL, timeouts, refused logins, nonsense.

use super::Client;
use crate::connection::{Connection, Gone};
use std::time::Duration;

impl Client {
    /// Goes without a goodbye in the middle of a transaction, or while a statement runs.
    pub(super) async fn vanish(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let no = self.no;
        for sql in ["BEGIN".into(), format!("UPDATE own SET v = -2 WHERE id = {no}")] {
            if self.ask(c, &sql).await?.error.is_some() {
                self.ask(c, "ROLLBACK").await?;
                return Ok(());
            }
        }
        if self.rng.chance(0.5) {
            c.say(&crate::connection::query("DO SLEEP(3600)")).await?;
            self.pause().await;
        }
        self.stage.world().count("vanished");
        c.may_end = true;
        match self.rng.below(3) {
            // What it has sent is on its way still.
            0 => {}
            1 => c.close(),
            _ => c.cut_after(Duration::from_micros(self.rng.below(1000))),
        }
        Err(Gone)
    }

    /// Kills somebody, who ends soon.
    pub(super) async fn kill(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let list = self.ask(c, "SHOW PROCESSLIST").await?;
        let ids: Vec<u64> =
            list.rows.iter().filter_map(|r| r.first()?.as_ref()?.parse().ok()).collect();
        let others: Vec<u64> = ids.into_iter().filter(|id| *id != c.id).collect();
        if others.is_empty() {
            return Ok(());
        }
        let id = others[self.rng.below(others.len() as u64) as usize];
        if self.rng.chance(0.5) {
            let answer = c.ask(&format!("KILL QUERY {id}")).await?;
            return self.killed(c.id, &answer);
        }
        {
            let now = self.stage.rt().now();
            let mut w = self.stage.world();
            w.killed.insert(id, now);
            w.kills += 1;
        }
        let answer = c.ask(&format!("KILL {id}")).await?;
        self.killed(c.id, &answer)?;
        if answer.error.is_none() {
            self.stage.world().count("killed");
            self.leaves(id, "KILL").await;
        }
        Ok(())
    }

    fn killed(&self, id: u64, answer: &crate::protocol::Answer) -> Result<(), Gone> {
        // The connection may have gone in between.
        if answer.errno() != 1094 {
            self.judge(id, "KILL", answer);
        }
        Ok(())
    }

    /// Says nothing for longer than `wait_timeout`: the server says so, and that is the end.
    pub(super) async fn sleeps_too_long(&mut self, c: &mut Connection) -> Result<(), Gone> {
        let seconds = 1 + self.rng.below(3);
        if self.ask(c, &format!("SET wait_timeout = {seconds}")).await?.error.is_some() {
            return Ok(());
        }
        c.may_end = true;
        let begun = self.stage.rt().now();
        c.ended("wait_timeout").await?;
        let waited = Duration::from_nanos(self.stage.rt().now() - begun);
        let limit = Duration::from_secs(seconds);
        let told = c.unasked();
        self.stage.world().count("timed out");
        let late = waited > limit + Duration::from_secs(5);
        if late && self.stage.engine_works() {
            self.stage.fail("timeouts", format!("a wait_timeout of {limit:?} took {waited:?}"));
        }
        if told.is_some_and(|errno| errno != 4031) {
            self.stage.fail("stream", format!("wait_timeout says {told:?}"));
        }
        Err(Gone)
    }

    /// Nobody knows this user.
    pub(super) async fn refused(&mut self) -> Result<(), Gone> {
        let opened = Connection::open(&self.stage, &mut self.rng, self.weather, "nobody").await;
        match opened {
            Ok(Ok(_)) => self.stage.fail("errors", "nobody has logged in".into()),
            Ok(Err(1045)) | Err(Gone) => {}
            Ok(Err(errno)) => {
                self.stage.fail("errors", format!("nobody is refused with {errno}"));
            }
        }
        self.stage.world().count("refused");
        Ok(())
    }

    /// Speaks another protocol, or hangs up, where a login is due.
    pub(super) async fn nonsense(&mut self) -> Result<(), Gone> {
        let greeted = Connection::greeted(&self.stage, &mut self.rng, self.weather).await;
        let Ok((mut c, _)) = greeted else { return Ok(()) };
        let length = self.rng.below(300);
        let bytes: Vec<u8> = (0..length).map(|_| self.rng.below(256) as u8).collect();
        let _ = c.write(&bytes).await;
        let id = c.id;
        if self.rng.chance(0.5) {
            c.close();
            let _ = c.ended("nonsense").await;
        }
        drop(c);
        self.stage.world().count("nonsense");
        self.leaves(id, "nonsense").await;
        Ok(())
    }

    /// A packet with the wrong number, or a command that there is not.
    pub(super) async fn out_of_step(&mut self, c: &mut Connection) -> Result<(), Gone> {
        if self.rng.chance(0.5) {
            c.say(&[0xEE, 1, 2]).await?;
            let answer = c.answer(crate::protocol::Form::Text).await?;
            if !matches!(answer.errno(), 1047 | 1317 | 1927) {
                let what = format!("an unknown command is answered with {:?}", answer.error);
                self.stage.fail("stream", what);
            }
            return Ok(());
        }
        c.may_end = true;
        c.write(&[5, 0, 0, 9, 3, b'D', b'O', b' ', b'1']).await?;
        c.ended("a packet out of order").await?;
        let told = c.unasked();
        if told.is_some_and(|errno| errno != 1156) {
            self.stage.fail("stream", format!("a packet out of order is answered with {told:?}"));
        }
        Err(Gone)
    }
}
