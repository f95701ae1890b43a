//! What clients do, each answer judged at once.
//!
//! - `bank`: sums that never change, rows with one writer, a counter; `streams`: several commands at once, long answers, several
//!   statements, prepared ones; `ends`: clients that vanish, KILL, timeouts, refused logins, nonsense.

mod bank;
mod ends;
mod streams;

pub use bank::{ACCOUNTS, TOTAL};

use crate::connection::{Connection, Gone, Stage};
use crate::network::Weather;
use crate::protocol::Answer;
use crate::scenario::Scenario;
use std::time::Duration;
use weir_rt::Rng;
use weir_sim::mix;

/// A connection whose client has gone is over within this virtual time, and a killed one.
const LEAVES: Duration = Duration::from_secs(60);
/// What any statement may be answered: lock wait timeout, deadlock, interrupted.
const USUAL: [u16; 3] = [1205, 1213, 1317];

/// A killed connection that was idle has ended within this virtual time, as far as its client can see.
const ENDS: Duration = Duration::from_secs(6);
/// The connection was killed before the command came.
const KILLED: u16 = 1927;

pub struct Client {
    no: usize,
    stage: Stage,
    rng: Rng,
    weather: Weather,
}

impl Client {
    pub fn new(stage: &Stage, s: &Scenario, life: u64, no: u64) -> Client {
        Client {
            no: no as usize,
            stage: stage.clone(),
            rng: Rng::new(mix(&[s.seed, 41, life, no])),
            weather: s.weather,
        }
    }

    /// Connections one after the other, until this many units are done or somebody has failed.
    pub async fn run(mut self, units: u64) {
        let mut connection = None;
        let mut left = units;
        while left > 0 && self.stage.world().failure().is_none() && self.stage.engine_works() {
            let Some(c) = &mut connection else {
                // Nobody refuses it for good: it tries again.
                connection = self.connect().await;
                left -= u64::from(connection.is_none());
                continue;
            };
            left -= 1;
            if self.unit(c).await.is_err() {
                let gone = connection.take();
                self.lost(gone).await;
            } else if self.rng.chance(0.05) {
                let last = connection.take();
                if let Some(c) = last {
                    let id = c.id;
                    c.quit().await;
                    self.leaves(id, "COM_QUIT").await;
                }
            }
        }
        if let Some(c) = connection {
            c.quit().await;
        }
    }

    /// A connection of which the network may lose the link. What the last one has left open is known behind this.
    async fn connect(&mut self) -> Option<Connection> {
        let kills = self.stage.world().kills;
        let opened = Connection::open(&self.stage, &mut self.rng, self.weather, "root").await;
        let mut c = match opened {
            Ok(Ok(c)) => c,
            Ok(Err(errno)) => {
                self.stage.fail("errors", format!("root is refused with {errno}"));
                return None;
            }
            Err(Gone) => {
                // Somebody may have been killed before its client knew its own number.
                if self.stage.engine_works() && self.stage.world().kills == kills {
                    self.stage.fail("stream", "the stream has ended during a login".into());
                }
                return None;
            }
        };
        if self.rng.chance(0.1) {
            c.cut_after(Duration::from_micros(1 << self.rng.below(24)));
        }
        match self.begin(&mut c).await {
            Ok(()) => Some(c),
            Err(Gone) => {
                self.lost(Some(c)).await;
                None
            }
        }
    }

    async fn begin(&mut self, c: &mut Connection) -> Result<(), Gone> {
        self.ask(c, "SET innodb_lock_wait_timeout = 2, lock_wait_timeout = 4").await?;
        self.settle_own(c).await
    }

    /// The stream has ended: somebody has ended it, and the server has let go of it soon.
    async fn lost(&mut self, gone: Option<Connection>) {
        let Some(c) = gone else { return };
        let explained = c.may_end || self.stage.world().killed.contains_key(&c.id);
        if !explained && self.stage.engine_works() {
            self.stage.fail("stream", format!("connection {} has ended without a cause", c.id));
        }
        let id = c.id;
        drop(c);
        self.leaves(id, "its end").await;
    }

    /// Waits until the server knows nothing of a connection any more.
    async fn leaves(&self, id: u64, after: &str) {
        let until = self.stage.rt().now() + LEAVES.as_nanos() as u64;
        while self.stage.server.has(id) && self.stage.engine_works() {
            if self.stage.rt().now() > until {
                let what = format!("connection {id} is there {LEAVES:?} behind {after}");
                return self.stage.fail("liveness", what);
            }
            self.stage.rt().sleep(Duration::from_millis(20)).await;
        }
    }

    async fn unit(&mut self, c: &mut Connection) -> Result<(), Gone> {
        match self.rng.below(30) {
            0..=4 => self.transfer(c).await,
            5 | 6 => self.transfer_at_once(c).await,
            7 | 8 => self.total(c).await,
            9..=12 => self.own_row(c).await,
            13 | 14 => self.own_prepared(c).await,
            15 | 16 => self.count(c).await,
            17 | 18 => self.idle(c).await,
            19 | 20 => self.together(c).await,
            21 => self.long_answer(c).await,
            22 => self.several(c).await,
            23 => self.reset(c).await,
            24 => self.kill(c).await,
            25 => self.vanish(c).await,
            26 => self.sleeps_too_long(c).await,
            27 => self.refused().await,
            28 => self.nonsense().await,
            _ => self.out_of_step(c).await,
        }
    }

    /// Asks; an error must be one that any statement may have.
    async fn ask(&mut self, c: &mut Connection, sql: &str) -> Result<Answer, Gone> {
        let answer = c.ask(sql).await?;
        self.judge(c.id, sql, &answer);
        Ok(answer)
    }

    /// Somebody who was killed may hear of it in place of an answer.
    fn judge(&self, id: u64, sql: &str, answer: &Answer) {
        if let Some((errno, text)) = &answer.error
            && !USUAL.contains(errno)
            && !(*errno == KILLED && self.was_killed_just_now(id))
            && self.stage.engine_works()
        {
            self.stage
                .fail("errors", format!("nothing explains the answer of {sql}: {errno} {text}"));
        }
    }

    /// A connection that is idle when it is killed ends soon: no command finds it there later.
    fn was_killed_just_now(&self, id: u64) -> bool {
        let now = self.stage.rt().now();
        let at = self.stage.world().killed.get(&id).copied();
        at.is_some_and(|at| now - at < ENDS.as_nanos() as u64)
    }

    /// Thinks a while, so that others come in between.
    async fn pause(&mut self) {
        if self.rng.chance(0.3) {
            let most = 1 << self.rng.below(18);
            let time = Duration::from_micros(self.rng.below(most));
            self.stage.rt().sleep(time).await;
        }
    }
}
