//! A client's connection: its login, commands and their answers. What the protocol does not have is reported at once.

use crate::model::World;
use crate::network::{ClientEnd, Weather, link};
use crate::protocol::{Answer, Form, HEADER, Reading, error, packet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use weir_login::{Account, Login, Protection, Step};
use weir_rt::{Rng, Rt};
use weir_server::simulated::Simulated;
use weir_sql::session::Instance;
use weir_wire::Capabilities;

/// A server that owes an answer gives it within this virtual time, whatever else happens.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// What all clients of a life share.
#[derive(Clone)]
pub struct Stage {
    pub inst: Arc<Instance>,
    pub server: Simulated,
    pub world: Arc<Mutex<World>>,
}

impl Stage {
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn rt(&self) -> &Rt {
        self.inst.db.rt()
    }

    pub fn fail(&self, checker: &'static str, what: String) {
        self.world().fail(checker, what);
    }

    /// The engine goes on: an end of a connection is not one of the server.
    pub fn engine_works(&self) -> bool {
        self.inst.db.inner().core.log.failure().is_ok()
    }
}

/// Why there is no answer: the stream has ended, or has become senseless. Whether the last command was executed is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

pub struct Connection {
    stage: Stage,
    end: ClientEnd,
    /// Bytes that came and are no part of a packet that was taken.
    came: Vec<u8>,
    /// The number that the next packet of the server has.
    sequence: u8,
    capabilities: Capabilities,
    /// The server's number of the connection.
    pub id: u64,
    /// Somebody ends it, or may: KILL, a lost link, a timeout.
    pub may_end: bool,
    /// Takes its answers slowly: at most so many bytes at once, with a rest in between.
    pub slow: Option<usize>,
    rng: Rng,
}

/// What a client can beyond what every client can.
const WANTED: Capabilities = Capabilities(
    weir_login::BASIC.0
        | Capabilities::MULTI_STATEMENTS.0
        | Capabilities::MULTI_RESULTS.0
        | Capabilities::PS_MULTI_RESULTS.0,
);

impl Connection {
    /// Connects, and has read the greeting, which it gives.
    pub async fn greeted(
        stage: &Stage,
        rng: &mut Rng,
        weather: Weather,
    ) -> Result<(Connection, Vec<u8>), Gone> {
        let (server, end) = link(stage.rt(), rng.next_u64(), weather);
        stage.server.accept(server);
        let mut c = Connection {
            stage: stage.clone(),
            end,
            came: Vec::new(),
            sequence: 0,
            capabilities: Capabilities(0),
            id: 0,
            may_end: false,
            slow: None,
            rng: Rng::new(rng.next_u64()),
        };
        let greeting = c.packet().await?;
        match weir_wire::handshake::decode_greeting(&greeting) {
            Ok((id, ..)) => c.id = u64::from(id),
            Err(_) => return Err(c.senseless(&format!("a greeting of {greeting:?}"))),
        }
        Ok((c, greeting))
    }

    /// A connection that has logged in. `Ok(Err)`: the server has refused it, with this number.
    pub async fn open(
        stage: &Stage,
        rng: &mut Rng,
        weather: Weather,
        user: &str,
    ) -> Result<Result<Connection, u16>, Gone> {
        let (mut c, greeting) = Connection::greeted(stage, rng, weather).await?;
        let account = Account { user, password: "", database: "s" };
        let eof = if c.rng.chance(0.5) { Capabilities::DEPRECATE_EOF.0 } else { 0 };
        let wanted = Capabilities(WANTED.0 | eof);
        let login = Login::new(&greeting, account, wanted, Protection::Private);
        let Ok(mut login) = login else { return Err(c.senseless("no login is possible")) };
        c.capabilities = login.capabilities();
        let Ok(mut say) = login.response() else { return Err(c.senseless("no answer")) };
        loop {
            let number = c.sequence;
            c.sequence = number.wrapping_add(1);
            c.write(&packet(number, &say)).await?;
            loop {
                let heard = c.packet().await?;
                if heard.first() == Some(&0xFF) {
                    let errno = error(&heard).map_err(|_| c.senseless("a bad error packet"))?.0;
                    c.ended("a refused login").await?;
                    return Ok(Err(errno));
                }
                match login.receive(&heard) {
                    Ok(Step::Send(next)) => say = next,
                    Ok(Step::Receive) => continue,
                    Ok(Step::Done) => return Ok(Ok(c)),
                    Err(e) => return Err(c.senseless(&format!("a login answers {heard:?}: {e}"))),
                }
                break;
            }
        }
    }

    /// Reports what the protocol does not have.
    fn senseless(&self, what: &str) -> Gone {
        self.stage.fail("stream", format!("connection {}: {what}", self.id));
        Gone
    }

    /// Sends bytes as they are.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        self.end.write(bytes).await.map_err(|_| Gone)
    }

    /// Sends a command, whose answer is read later.
    pub async fn say(&mut self, command: &[u8]) -> Result<(), Gone> {
        self.write(&packet(0, command)).await
    }

    /// One packet of the server, whose number must be the next one.
    async fn packet(&mut self) -> Result<Vec<u8>, Gone> {
        let length = loop {
            if let [a, b, c, number, ..] = self.came[..] {
                if number != self.sequence {
                    let what = format!("packet {number} where {} is due", self.sequence);
                    return Err(self.senseless(&what));
                }
                let length = HEADER + u32::from_le_bytes([a, b, c, 0]) as usize;
                if self.came.len() >= length {
                    break length;
                }
            }
            if self.fill().await? == 0 {
                return Err(Gone);
            }
        };
        self.sequence = self.sequence.wrapping_add(1);
        let rest = self.came.split_off(length);
        let mut whole = std::mem::replace(&mut self.came, rest);
        Ok(whole.split_off(HEADER))
    }

    /// Reads what there is. A server that owes bytes for too long is one that has lost them.
    async fn fill(&mut self) -> Result<usize, Gone> {
        let mut piece = [0; 8192];
        let most = match self.slow {
            Some(n) => {
                let rest = Duration::from_micros(self.rng.below(20_000));
                self.stage.rt().sleep(rest).await;
                n.min(piece.len())
            }
            None => piece.len(),
        };
        let rt = self.stage.rt().clone();
        match rt.timeout(PATIENCE, self.end.read(&mut piece[..most])).await {
            Some(Ok(n)) => {
                self.came.extend_from_slice(&piece[..n]);
                Ok(n)
            }
            Some(Err(_)) => Err(Gone),
            None => {
                let what = format!("connection {} waits in vain for an answer", self.id);
                self.stage.fail("liveness", what);
                Err(Gone)
            }
        }
    }

    /// Reads the answer to a command that was sent.
    pub async fn answer(&mut self, form: Form) -> Result<Answer, Gone> {
        self.sequence = 1;
        let mut reading = Reading::new(form, self.capabilities);
        while !reading.is_done() {
            let heard = self.packet().await?;
            reading.take(&heard).map_err(|what| self.senseless(&what))?;
        }
        self.stage.world().statements += 1;
        Ok(reading.answer)
    }

    /// Sends a statement and reads its answer, behind which there must be nothing.
    pub async fn ask(&mut self, sql: &str) -> Result<Answer, Gone> {
        self.say(&query(sql)).await?;
        let answer = self.answer(Form::Text).await?;
        self.stage.world().note(self.stage.rt().now(), self.id, sql, &answer);
        self.nothing_more()?;
        Ok(answer)
    }

    /// Bytes that came with an answer and are none of it.
    pub fn nothing_more(&self) -> Result<(), Gone> {
        match self.came.is_empty() {
            true => Ok(()),
            false => Err(self.senseless(&format!("{:?} came behind an answer", self.came))),
        }
    }

    /// Prepares; the statement's number, or the error's.
    pub async fn prepare(&mut self, sql: &str) -> Result<Result<u32, u16>, Gone> {
        self.say(&[&[0x16], sql.as_bytes()].concat()).await?;
        self.sequence = 1;
        let head = self.packet().await?;
        if head.first() == Some(&0xFF) {
            let errno = error(&head).map_err(|_| self.senseless("a bad error packet"))?.0;
            return Ok(Err(errno));
        }
        let [0, a, b, c, d, columns, _, params, _, ..] = head[..] else {
            return Err(self.senseless(&format!("a prepared statement of {head:?}")));
        };
        let eof = u8::from(!self.capabilities.has(Capabilities::DEPRECATE_EOF));
        for count in [params, columns].into_iter().filter(|n| *n > 0) {
            for _ in 0..count + eof {
                self.packet().await?;
            }
        }
        Ok(Ok(u32::from_le_bytes([a, b, c, d])))
    }

    /// Executes with these numbers.
    pub async fn execute(&mut self, id: u32, params: &[i64]) -> Result<Answer, Gone> {
        let mut command = vec![0x17];
        command.extend(id.to_le_bytes());
        command.extend([0, 1, 0, 0, 0]);
        if !params.is_empty() {
            command.extend(vec![0; params.len().div_ceil(8)]);
            command.push(1);
            params.iter().for_each(|_| command.extend([8, 0]));
            params.iter().for_each(|p| command.extend(p.to_le_bytes()));
        }
        self.say(&command).await?;
        let answer = self.answer(Form::Numbers).await?;
        self.nothing_more()?;
        Ok(answer)
    }

    /// The stream must end now; an error packet may come before its end.
    pub async fn ended(&mut self, after: &str) -> Result<(), Gone> {
        loop {
            match self.fill().await {
                Ok(0) | Err(Gone) => return Ok(()),
                Ok(_) if self.came.len() > 1024 => {
                    return Err(self.senseless(&format!("the stream goes on behind {after}")));
                }
                Ok(_) => {}
            }
        }
    }

    /// What came that was not asked for: the number of the error, if it is one.
    pub fn unasked(&self) -> Option<u16> {
        let [_, _, _, _, payload @ ..] = &self.came[..] else { return None };
        error(payload).ok().map(|e| e.0)
    }

    /// Says goodbye, and waits for the end of the stream.
    pub async fn quit(mut self) {
        if self.say(&[1]).await.is_ok() {
            let _ = self.ended("COM_QUIT").await;
        }
    }

    /// Sends nothing more.
    pub fn close(&self) {
        self.end.close();
    }

    /// The network loses the link after some time.
    pub fn cut_after(&mut self, time: Duration) {
        self.may_end = true;
        self.end.cut_after(time);
    }
}

/// COM_QUERY.
pub fn query(sql: &str) -> Vec<u8> {
    [&[3], sql.as_bytes()].concat()
}
