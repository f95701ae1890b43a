//! The commands of a replica: COM_REGISTER_SLAVE, COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID.
//!
//! A dump keeps its connection's thread until the replica goes, the connection is killed, or the server stops. It looks for the last two
//! every [`LOOK`] while it has nothing to send.

use super::semi_sync::{Heard, Mode};
use super::{Connection, malformed};
use crate::registry::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use weir_binlog::{Checksum, GtidSet};
use weir_source::log::Registered;
use weir_source::{BinaryLog, Dump, From, Sent};
use weir_sql::errno;
use weir_sql::session_api::{KillKind, Sessions as _, SqlError};
use weir_wire::{Malformed, Reader};

const REGISTER: u8 = 0x15;
const DUMP: u8 = 0x12;
const DUMP_GTID: u8 = 0x1E;

/// Flag of a dump: it ends where there is nothing more to send.
const NON_BLOCK: u16 = 1;
/// How often a dump that waits looks whether it is to end.
const LOOK: Duration = Duration::from_millis(200);

/// The state of a dump that waits, as MySQL has it.
const SENT_ALL: &str = "Source has sent all binlog to replica; waiting for more updates";

/// What a dump asks for.
struct Asked {
    flags: u16,
    server_id: u32,
    from: From,
    /// The replica names the transactions that it has.
    by_gtids: bool,
}

fn register(body: &[u8]) -> Result<Registered, Malformed> {
    let mut r = Reader::new(body);
    let server_id = r.u32()?;
    let mut text = || -> Result<String, Malformed> {
        let len = usize::from(r.u8()?);
        Ok(String::from_utf8_lossy(r.bytes(len)?).into_owned())
    };
    let (host, _user, _password) = (text()?, text()?, text()?);
    Ok(Registered { server_id, host, port: r.u16()?, uuid: String::new() })
}

fn dump(body: &[u8]) -> Result<Asked, Malformed> {
    let mut r = Reader::new(body);
    let position = u64::from(r.u32()?);
    let (flags, server_id) = (r.u16()?, r.u32()?);
    let file = String::from_utf8_lossy(r.rest()).trim_end_matches('\0').to_owned();
    Ok(Asked { flags, server_id, from: From::Position { file, position }, by_gtids: false })
}

fn dump_gtid(body: &[u8]) -> Result<Asked, SqlError> {
    let mut r = Reader::new(body);
    let mut read = || -> Result<(u16, u32, &[u8]), Malformed> {
        let (flags, server_id) = (r.u16()?, r.u32()?);
        let len = r.u32()? as usize;
        r.bytes(len)?;
        r.u64()?;
        let len = r.u32()? as usize;
        Ok((flags, server_id, r.bytes(len)?))
    };
    let (flags, server_id, set) = read().map_err(|_| malformed())?;
    let set = GtidSet::decode(set).map_err(|_| fatal("Replica has sent a malformed GTID set"))?;
    Ok(Asked { flags, server_id, from: From::Gtids(set), by_gtids: true })
}

/// 1236: the end of a dump, which the replica tells as its own error.
pub(super) fn fatal(text: impl Into<String>) -> SqlError {
    SqlError::new(errno::ER_SOURCE_FATAL_ERROR_READING_BINLOG, text.into())
}

impl Connection {
    /// A command of a replica. 1047 for any other.
    pub(super) fn of_replica(&mut self, code: u8, packet: &[u8]) {
        let body = packet.get(1..).unwrap_or_default();
        let done = match code {
            REGISTER => self.registers(body),
            DUMP => {
                dump(body).map_err(|_| malformed()).and_then(|a| self.dumps(Command::BinlogDump, a))
            }
            DUMP_GTID => dump_gtid(body).and_then(|a| self.dumps(Command::BinlogDumpGtid, a)),
            _ => Err(SqlError::of(errno::ER_UNKNOWN_COM_ERROR, &[])),
        };
        if let Err(e) = done {
            self.error(&e);
        }
    }

    fn registers(&mut self, body: &[u8]) -> Result<(), SqlError> {
        _ = self.entry.begin(Command::RegisterReplica, b"");
        self.log_command("Register Slave", b"");
        self.session.may_follow()?;
        let replica = register(body).map_err(|_| malformed())?;
        self.takes(replica);
        self.ok();
        Ok(())
    }

    /// The connection is this replica's. One that comes again has left its connection of before.
    fn takes(&self, replica: Registered) {
        let Some(log) = self.server.inst.binlog.get() else { return };
        let uuid = self.session.said_by_replica(["replica_uuid", "slave_uuid"]);
        let replica = Registered { uuid: uuid.unwrap_or_default(), ..replica };
        for old in log.register(self.entry.id, replica) {
            self.server.registry.kill(old, KillKind::Connection);
        }
    }

    fn dumps(&mut self, command: Command, asked: Asked) -> Result<(), SqlError> {
        self.session.may_follow()?;
        _ = self.entry.begin(command, b"");
        self.log_command(command.name(), b"");
        let log = self.server.inst.binlog.get().filter(|l| l.is_on()).cloned();
        let log = log.ok_or_else(|| fatal("Binary log is not open"))?;
        if log.settings.server_id() == 0 {
            return Err(fatal("Misconfigured source - source server_id is 0"));
        }
        if asked.by_gtids && !log.has_gtids() {
            let text = "The replication sender thread cannot start in AUTO_POSITION mode: this server has GTID_MODE = OFF instead of ON.";
            return Err(fatal(text));
        }
        if !log.is_registered(self.entry.id) && asked.server_id != 0 {
            self.takes(Registered { server_id: asked.server_id, ..Registered::default() });
        }
        let done = self.send_log(&log, asked);
        log.unregister(self.entry.id);
        done
    }

    /// The stream that is asked for, and what makes it one that is acknowledged.
    fn begin_dump(
        &self,
        log: &Arc<BinaryLog>,
        asked: &Asked,
    ) -> Result<(Dump, Option<Mode>), SqlError> {
        let names = ["source_binlog_checksum", "master_binlog_checksum"];
        let asked_sum = self.session.said_by_replica(names).map(|name| {
            match name.eq_ignore_ascii_case("NONE") {
                true => Checksum::None,
                false => Checksum::Crc32,
            }
        });
        let begun = self.server.rt.block_on(Dump::begin(log, asked.from.clone(), asked_sum));
        let dump = begun.map_err(|e| fatal(e.0))?;
        let mode = match self.is_semi_sync() {
            true => Some(Mode::begin(log, asked.server_id, &dump)?),
            false => None,
        };
        Ok((dump, mode))
    }

    fn send_log(&mut self, log: &Arc<BinaryLog>, asked: Asked) -> Result<(), SqlError> {
        let beats =
            self.session.said_by_replica(["source_heartbeat_period", "master_heartbeat_period"]);
        let beats = beats.and_then(|n| n.parse::<f64>().ok()).filter(|n| *n > 0.0);
        let beats = beats.map(|nanos| Duration::from_nanos(nanos as u64));
        let (mut dump, mode) = self.begin_dump(log, &asked)?;
        let (rt, mode) = (self.server.rt.clone(), mode.as_ref());
        let mut sent = Instant::now();
        loop {
            if self.is_killed() || self.server.stopping.load(Ordering::Relaxed) {
                return Err(fatal("The source ends the connection"));
            }
            match rt.block_on(dump.next()).map_err(|e| fatal(e.0))? {
                Sent::Event(event) => {
                    let asks = mode.map(|m| m.asks(&dump));
                    self.put_marked(&event, asks);
                    if self.conn.out.flush_if_full().is_err() {
                        return Ok(());
                    }
                    if let Some(m) = mode.filter(|_| asks == Some(true))
                        && let Heard::Gone = self.listen((log, &dump), m, Duration::ZERO)?
                    {
                        return Ok(());
                    }
                    sent = Instant::now();
                    continue;
                }
                Sent::Waits if asked.flags & NON_BLOCK != 0 => {
                    // The end in the old form, whatever the client has agreed to: that is what readers of logs look for.
                    self.conn.out.packet(|buf| buf.extend_from_slice(&[0xFE, 0, 0, 2, 0]));
                    return Ok(());
                }
                Sent::Waits => {}
            }
            if self.conn.out.flush().is_err() {
                return Ok(());
            }
            if let Some(period) = beats
                && sent.elapsed() >= period
            {
                let event = dump.heartbeat();
                self.put_marked(&event, mode.map(|_| false));
                sent = Instant::now();
                continue;
            }
            let left = beats.map_or(LOOK, |p| p.saturating_sub(sent.elapsed()));
            let inst = self.server.inst.clone();
            let _stage = inst.stages.enter(self.entry.id, SENT_ALL);
            match mode {
                None => rt.block_on(dump.until_more(left.min(LOOK))),
                Some(m) => {
                    if dump.has_sent_none() {
                        m.has_all(&dump)?;
                    }
                    if let Heard::Gone = self.listen((log, &dump), m, left.min(LOOK))? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// The replica has said that it acknowledges events.
    fn is_semi_sync(&self) -> bool {
        let said = self.session.said_by_replica(["rpl_semi_sync_replica", "rpl_semi_sync_slave"]);
        said.and_then(|n| n.parse::<i64>().ok()).is_some_and(|n| n != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_replicas_send_is_read_and_what_is_cut_is_refused() {
        let registered = b"\x02\0\0\0\x04host\x01u\0\x0d\x0c\0\0\0\0\0\0\0\0";
        let r = register(registered).expect("a registration");
        assert_eq!((r.server_id, r.host.as_str(), r.port), (2, "host", 3085));
        let asked = dump(b"\x9d\0\0\0\x01\0\x07\0\0\0binlog.000001").expect("a dump");
        assert_eq!((asked.flags, asked.server_id, asked.by_gtids), (1, 7, false));
        let From::Position { file, position } = asked.from else { panic!("a position") };
        assert_eq!((file.as_str(), position), ("binlog.000001", 157));
        let mut gtids = b"\x02\0\x07\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\x08\0\0\0".to_vec();
        gtids.extend_from_slice(&0u64.to_le_bytes());
        let asked = dump_gtid(&gtids).expect("a dump");
        assert!(asked.by_gtids && matches!(asked.from, From::Gtids(ref s) if s.is_empty()));
        for n in 0..gtids.len() {
            assert!(dump_gtid(&gtids[..n]).is_err(), "{n}");
        }
        for n in 0..10 {
            assert!(dump(&registered[..n]).is_err(), "{n}");
        }
    }
}
