//! A dump in semi-synchronous mode: events have two more bytes before them, and the replica says which of them it has.
//!
//! The dump's thread sends and listens: it sleeps on the socket and on a bell that the binary log rings when it has grown.

use super::Connection;
use super::dump::fatal;
use crate::conn::ReadError;
use crate::transport::Watched;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;
use weir_source::semi_sync::{Member, Spot};
use weir_source::{BinaryLog, Dump};
use weir_sql::session_api::SqlError;
use weir_wire::{Malformed, Reader};

/// What begins the two bytes, and each acknowledgement.
const MAGIC: u8 = 0xEF;
/// The replica is to acknowledge the event.
const ASKED: u8 = 1;
/// The longest name of a file in an acknowledgement.
const NAME_MAX: usize = 512;
/// How long there may be between the pieces of an acknowledgement.
const PATIENCE: Duration = Duration::from_secs(5);
/// A socket that has something gives it at once.
const AT_ONCE: Duration = Duration::from_millis(1);

/// Wakes the thread of a dump.
struct Bell(OwnedFd);

impl Wake for Bell {
    fn wake(self: Arc<Bell>) {
        // The counter of a descriptor that is read whenever it is heard cannot overflow.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }
}

pub(super) struct Mode {
    member: Member,
    bell: Arc<Bell>,
}

/// The client has gone, or has said goodbye.
pub(super) enum Heard {
    All,
    Gone,
}

impl Mode {
    pub(super) fn begin(log: &BinaryLog, server_id: u32, dump: &Dump) -> Result<Mode, SqlError> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK);
        let bell = bell.map_err(|e| fatal(format!("no event descriptor: {e}")))?;
        let member = log.settings.semi_sync.join(server_id, dump.spot());
        Ok(Mode { member, bell: Arc::new(Bell(bell)) })
    }

    /// Whether the event that was read last is to be acknowledged.
    pub(super) fn asks(&self, dump: &Dump) -> bool {
        dump.ends().is_some_and(|at| self.member.asks(at))
    }

    /// The replica has said at the beginning that it has all that was read so far.
    pub(super) fn has_all(&self, dump: &Dump) -> Result<(), SqlError> {
        self.acknowledge(dump.spot())
    }

    fn acknowledge(&self, at: Spot) -> Result<(), SqlError> {
        match self.member.acknowledge(at) {
            true => Ok(()),
            false => Err(fatal("could not find next log; the binary log was reset")),
        }
    }
}

/// The position and the name of the file of an acknowledgement.
fn acknowledgement(packet: &[u8]) -> Result<(u64, &str), Malformed> {
    let mut r = Reader::new(packet);
    if r.u8()? != MAGIC {
        return Err(Malformed);
    }
    let position = r.u64()?;
    let name = r.rest();
    let name = name.strip_suffix(&[0]).unwrap_or(name);
    match std::str::from_utf8(name) {
        Ok(name) if !name.is_empty() && name.len() < NAME_MAX => Ok((position, name)),
        _ => Err(Malformed),
    }
}

impl Connection {
    /// The bytes before an event; `None`: the replica expects none.
    pub(super) fn put_marked(&mut self, event: &[u8], asked: Option<bool>) {
        self.conn.out.packet(|buf| {
            buf.push(0);
            if let Some(asked) = asked {
                buf.extend_from_slice(&[MAGIC, if asked { ASKED } else { 0 }]);
            }
            buf.extend_from_slice(event);
        });
        if asked == Some(true) {
            // The replica counts packets from its acknowledgement on, which is number 0.
            self.conn.out.writer.set_sequence(1);
        }
    }

    /// Waits until the log has grown, the replica has said something, or the time is over; takes in what it has said.
    pub(super) fn listen(
        &mut self,
        (log, dump): (&BinaryLog, &Dump),
        mode: &Mode,
        limit: Duration,
    ) -> Result<Heard, SqlError> {
        let mut grown = pin!(log.grown.wait());
        let waker = Waker::from(mode.bell.clone());
        let is_ready = grown.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        let limit = if is_ready || dump.has_more() { Duration::ZERO } else { limit };
        if !self.conn.has_something() {
            let limit =
                Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
            let transport = self.conn.transport.clone();
            // Dumps are not simulated.
            let Watched::Socket(socket) = transport.watched() else { return Ok(Heard::Gone) };
            let mut watched = [
                PollFd::from_borrowed_fd(socket, PollFlags::IN | PollFlags::RDHUP),
                PollFd::new(&mode.bell.0, PollFlags::IN),
            ];
            // A signal, or what cannot be watched: the caller looks again.
            if poll(&mut watched, Some(&limit)).is_err() {
                return Ok(Heard::All);
            }
            if !watched[1].revents().is_empty() {
                let _ = rustix::io::read(&mode.bell.0, &mut [0u8; 8]);
            }
            if watched[0].revents().is_empty() {
                return Ok(Heard::All);
            }
        }
        self.hear(log, dump, mode)
    }

    fn hear(&mut self, log: &BinaryLog, dump: &Dump, mode: &Mode) -> Result<Heard, SqlError> {
        loop {
            match self.conn.wait_command(AT_ONCE, PATIENCE) {
                Ok(true) => {}
                Ok(false) => return Ok(Heard::All),
                Err(ReadError::Timeout | ReadError::Frame(_)) => {
                    return Err(fatal("The replica has sent a malformed acknowledgement"));
                }
                Err(_) => return Ok(Heard::Gone),
            }
            let packet = self.conn.framer.packet();
            if packet == [1] {
                return Ok(Heard::Gone);
            }
            let Ok((position, name)) = acknowledgement(packet) else {
                return Err(fatal("The replica has sent a malformed acknowledgement"));
            };
            let at = log.spot_of(name, position).filter(|at| *at <= dump.spot());
            let Some(at) = at else {
                return Err(fatal(format!(
                    "The replica has acknowledged what it was not sent: file '{name}', position {position}"
                )));
            };
            mode.acknowledge(at)?;
            if !self.conn.has_something() {
                return Ok(Heard::All);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledgements_are_read_and_others_refused() {
        let ack = b"\xEF\x9d\0\0\0\0\0\0\0binlog.000001";
        assert_eq!(acknowledgement(ack).ok(), Some((157, "binlog.000001")));
        for n in 0..10 {
            assert!(acknowledgement(&ack[..n]).is_err(), "{n}");
        }
        let long = [&ack[..9], &[b'x'; NAME_MAX]].concat();
        assert!(acknowledgement(&long).is_err());
        assert!(acknowledgement(b"\xEE\x9d\0\0\0\0\0\0\0binlog.000001").is_err());
        assert!(acknowledgement(b"\xEF\x9d\0\0\0\0\0\0\0\xFF\xFE").is_err());
    }
}
