//! Results as packets, and the client's file that a statement asks for.

use crate::conn::{Conn, Output, ReadError};
use crate::moment::Moment;
use smallvec::SmallVec;
use std::time::Duration;
use weir_sql::errno;
use weir_sql::session::{Session, Tracked};
use weir_sql::session_api::{
    ColumnMeta, KeptHeader, OkInfo, OutValue, ResultSink, SinkError, SqlError, StatusFlags,
    column_flag,
};
use weir_wire::response::Change;
use weir_wire::text::ClockText;
use weir_wire::{Capabilities, Status, Writer, binary, put_lenenc_int, response, text};

/// The end of an answer, kept until it is known whether another statement follows.
pub struct Final {
    rows: bool,
    affected: u64,
    insert_id: u64,
    pub warnings: u16,
    flags: StatusFlags,
    info: String,
    pressure: Option<u16>,
    out_params: bool,
    slow: bool,
}

/// The state of a session, as flags of the protocol.
pub fn status(of: StatusFlags, more_results: bool) -> Status {
    Status::new(of.in_transaction, of.autocommit, more_results)
        .with(of.read_only, Status::IN_TRANS_READONLY)
        .with(of.no_backslash_escapes, Status::NO_BACKSLASH_ESCAPES)
        .with(of.no_index_used, Status::NO_INDEX_USED)
}

/// The variable that tells clients to slow down, the change of it that is worth telling, and what was told last.
const PRESSURE: &str = "weir_pressure";
const PRESSURE_STEP: u16 = 50;

#[derive(Debug, Default)]
pub struct Told(u16);

impl Told {
    /// What to send now, if anything: the end is sent whatever the step.
    fn next(&mut self, pressure: Option<u16>) -> Option<u16> {
        let p = pressure?;
        let worth = p.abs_diff(self.0) >= PRESSURE_STEP || p == 0 && self.0 > 0;
        if worth {
            self.0 = p;
        }
        worth.then_some(p)
    }
}

impl Final {
    pub fn of(ok: &OkInfo<'_>, rows: bool, slow: bool) -> Final {
        Final {
            rows,
            affected: ok.affected_rows,
            insert_id: ok.last_insert_id,
            warnings: ok.warnings,
            flags: ok.flags,
            info: ok.info.to_string(),
            pressure: ok.pressure,
            out_params: ok.out_params,
            slow,
        }
    }

    /// `changes`: what has changed of the session.
    pub fn put(
        &self,
        out: &mut Output,
        caps: Capabilities,
        more: bool,
        told: &mut Told,
        changes: &[Tracked],
    ) {
        // An EOF packet has no room for it.
        let room = caps.has(Capabilities::SESSION_TRACK)
            && (!self.rows || caps.has(Capabilities::DEPRECATE_EOF));
        let pressure = told.next(self.pressure.filter(|_| room)).map(|p| p.to_string());
        let told = pressure.as_deref().map(|p| Change::Variable(PRESSURE, p));
        let changes: Vec<Change<'_>> = match told.is_none() && changes.is_empty() {
            true => Vec::new(),
            false => told.into_iter().chain(changes.iter().map(change)).collect(),
        };
        let status = status(self.flags, more)
            .with(self.out_params, Status::PS_OUT_PARAMS)
            .with(self.slow, Status::QUERY_WAS_SLOW);
        let ok = response::Ok {
            affected_rows: self.affected,
            last_insert_id: self.insert_id,
            status,
            warnings: self.warnings,
            info: &self.info,
            changes: &changes,
        };
        out.packet(|buf| {
            if self.rows {
                response::put_end_of_rows(buf, caps, &ok)
            } else {
                response::put_ok(buf, caps, &ok)
            }
        });
    }
}

/// A change of the session as the protocol has it.
pub fn change(of: &Tracked) -> Change<'_> {
    match of {
        Tracked::Variable(name, value) => Change::Variable(name, value),
        Tracked::Schema(name) => Change::Schema(name),
        Tracked::Changed => Change::State,
        Tracked::Gtids(set) => Change::Gtids(set),
        Tracked::Transaction(state) => Change::Transaction(state),
        Tracked::Characteristics(said) => Change::Characteristics(said),
    }
}

/// Type, flags and width of each column.
type Types = SmallVec<[(u8, u16, u32); 8]>;

/// Where a session's answer goes.
pub struct NetSink<'c> {
    conn: &'c mut Conn,
    caps: Capabilities,
    binary: bool,
    types: Types,
    pub last: Option<Final>,
    /// Rows that the statement has sent.
    pub sent: u64,
    /// Something is in the packet buffer or sent: an error now ends a result, it does not replace it.
    pub status: StatusFlags,
    /// When the statement began, and how many nanoseconds it may take before the answer says that it was slow.
    clock: (Moment, u64),
    /// When the end of its answer was known.
    pub ended: Option<Moment>,
    /// How long the client may be silent while it sends a file.
    patience: Duration,
    file: ClientFile,
    /// Another result follows the one whose columns come next.
    more: bool,
    /// Which are OUT parameters.
    outs: bool,
    /// Rows are not to be sent yet.
    held: bool,
    /// What was there before everything that may be taken back: bytes, and the number of the next packet.
    before: (usize, u8),
}

/// The file that a statement has asked the client for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ClientFile {
    None,
    /// Its end has not come.
    Comes,
    Ended,
    /// The client is gone, or speaks another protocol: nothing it sends from here on has a meaning.
    Broken,
}

impl<'c> NetSink<'c> {
    pub fn new(
        conn: &'c mut Conn,
        caps: Capabilities,
        binary: bool,
        session: &Session,
        began: Moment,
    ) -> NetSink<'c> {
        let (types, last, file) = (Types::new(), None, ClientFile::None);
        let (status, (_, patience, _)) = (session.status_flags(), session.timeouts());
        let clock = (began, session.slow_limits().0.saturating_mul(1000));
        NetSink {
            conn,
            caps,
            binary,
            types,
            last,
            sent: 0,
            status,
            clock,
            ended: None,
            patience,
            file,
            more: false,
            outs: false,
            held: false,
            before: (0, 0),
        }
    }

    /// Reads to its end a file that the client still sends: it listens to the answer only then, as the protocol has it. False: the
    /// connection cannot go on.
    pub fn drain(&mut self) -> bool {
        let mut piece = Vec::new();
        while self.file == ClientFile::Comes {
            piece.clear();
            if self.client_data(&mut piece).is_err() {
                return false;
            }
        }
        self.file != ClientFile::Broken
    }

    fn keep(&mut self, ok: &OkInfo<'_>, rows: bool) {
        let now = Moment::now();
        self.ended = Some(now);
        let slow = now.since(self.clock.0) > self.clock.1;
        self.last = Some(Final::of(ok, rows, slow));
    }
}

pub fn column(c: &ColumnMeta) -> response::Column<'_> {
    response::Column {
        names: c.names(),
        collation: c.collation_id,
        length: c.length,
        type_code: c.type_code,
        flags: c.flags,
        decimals: c.decimals,
    }
}

/// The packets that tell how many columns there are and which, as the first of an answer.
fn header(cols: &[ColumnMeta]) -> Box<[u8]> {
    let mut w = Writer::new();
    w.set_sequence(1);
    put_lenenc_int(w.begin(), cols.len() as u64);
    w.end();
    for c in cols {
        response::put_column(w.begin(), &column(c));
        w.end();
    }
    w.pending().into()
}

impl NetSink<'_> {
    fn end_columns(&mut self) {
        if !self.caps.has(Capabilities::DEPRECATE_EOF) {
            // Where the end of the columns is a packet, C clients look there for what they are about to read.
            let status = status(self.status, self.more).with(self.outs, Status::PS_OUT_PARAMS);
            self.conn.out.packet(|buf| response::put_eof(buf, 0, status));
        }
    }
}

impl ResultSink for NetSink<'_> {
    fn more_follows(&mut self) {
        self.more = true;
    }

    fn out_params_follow(&mut self) {
        self.outs = true;
    }

    fn columns(&mut self, cols: &[ColumnMeta]) -> Result<(), SinkError> {
        self.types.clear();
        self.conn.out.packet(|buf| put_lenenc_int(buf, cols.len() as u64));
        for c in cols {
            self.types.push((c.type_code, c.flags, c.length));
            self.conn.out.packet(|buf| response::put_column(buf, &column(c)));
        }
        self.end_columns();
        Ok(())
    }

    fn columns_kept(&mut self, cols: &[ColumnMeta], kept: &KeptHeader) -> Result<(), SinkError> {
        let first = self.conn.out.writer.sequence() == 1;
        let Some(count) = u8::try_from(cols.len()).ok().and_then(|n| n.checked_add(1)) else {
            return self.columns(cols);
        };
        if !first {
            return self.columns(cols);
        }
        self.types.clear();
        self.types.extend(cols.iter().map(|c| (c.type_code, c.flags, c.length)));
        let packets = kept.get_or_make(|| header(cols));
        self.conn.out.writer.put_first(packets, count);
        self.end_columns();
        Ok(())
    }

    fn row(&mut self, row: &[OutValue<'_>]) -> Result<(), SinkError> {
        self.sent += 1;
        let types = &self.types;
        if self.binary {
            self.conn.out.packet(|buf| binary_row(buf, row, types));
        } else {
            self.conn.out.packet(|buf| text_row(buf, row, types));
        }
        if self.held {
            return Ok(());
        }
        self.conn.out.flush_if_full().map_err(|()| SinkError)
    }

    fn hold(&mut self) -> bool {
        self.held = true;
        true
    }

    fn hold_all(&mut self) -> bool {
        self.before = self.conn.out.writer.mark();
        self.held = true;
        true
    }

    fn take_back(&mut self) {
        self.conn.out.writer.back_to(self.before);
        (self.held, self.sent) = (false, 0);
    }

    fn release(&mut self) -> Result<(), SinkError> {
        self.held = false;
        self.conn.out.flush_if_full().map_err(|()| SinkError)
    }

    fn end_rows(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        self.keep(ok, true);
        if ok.more_results
            && let Some(end) = self.last.take()
        {
            // Pressure is sent with the end of the whole answer.
            let end = Final { pressure: None, ..end };
            end.put(&mut self.conn.out, self.caps, true, &mut Told::default(), &[]);
            // What comes next may take long, and anyone who waits for this result waits for no other.
            self.conn.out.flush().map_err(|()| SinkError)?;
        }
        Ok(())
    }

    fn ok(&mut self, ok: &OkInfo<'_>) -> Result<(), SinkError> {
        self.keep(ok, false);
        Ok(())
    }

    fn client_file(&mut self, name: &[u8]) -> Result<(), SqlError> {
        if self.binary || !self.caps.has(Capabilities::LOCAL_FILES) {
            return Err(SqlError::local_disabled());
        }
        self.conn.out.packet(|buf| response::put_file_request(buf, name));
        self.conn.send().map_err(|_| SinkError)?;
        self.file = ClientFile::Comes;
        Ok(())
    }

    /// One packet of it. The client sends no faster than packets are taken, so that memory holds one at a time.
    fn client_data(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
        if self.file != ClientFile::Comes {
            return Ok(false);
        }
        if let Err(e) = self.conn.wait_packet(self.patience) {
            self.file = ClientFile::Broken;
            return Err(match e {
                ReadError::Closed | ReadError::Broken => {
                    SqlError::of(errno::ER_NET_READ_ERROR, &[])
                }
                ReadError::Timeout => SqlError::of(errno::ER_NET_READ_INTERRUPTED, &[]),
                ReadError::Frame(f) => SqlError::new(f.errno(), f.to_string()),
                ReadError::Memory(e) => e,
            });
        }
        let packet = self.conn.framer.packet();
        into.extend_from_slice(packet);
        if packet.is_empty() {
            self.file = ClientFile::Ended;
        }
        // The answer counts on from the last packet of the file.
        self.conn.out.writer.set_sequence(self.conn.framer.sequence());
        Ok(self.file == ClientFile::Comes)
    }
}

fn clock(hours: u32, minutes: u8, seconds: u8, micros: u32, decimals: u8) -> ClockText {
    ClockText { hours, minutes, seconds, micros, decimals }
}

const YEAR: u8 = 13;

fn text_row(buf: &mut Vec<u8>, row: &[OutValue<'_>], types: &[(u8, u16, u32)]) {
    for (v, (code, flags, width)) in row.iter().zip(types) {
        match *v {
            OutValue::Null => text::put_null(buf),
            OutValue::UInt(n) if *code == YEAR => {
                text::put_bytes(buf, format!("{n:04}").as_bytes())
            }
            OutValue::UInt(n) if flags & column_flag::ZEROFILL != 0 => {
                text::put_bytes(buf, format!("{n:0w$}", w = *width as usize).as_bytes())
            }
            OutValue::Int(n) => text::put_int(buf, n),
            OutValue::UInt(n) => text::put_uint(buf, n),
            OutValue::Double(x) => text::put_double(buf, x),
            OutValue::Float(x) => text::put_float(buf, x),
            OutValue::Bytes(b) | OutValue::Shown(_, b) => text::put_bytes(buf, b),
            OutValue::Date { year, month, day } => text::put_date(buf, year, month, day),
            OutValue::DateTime { year, month, day, hour, minute, second, micros, decimals } => {
                text::put_date_time(
                    buf,
                    (year, month, day),
                    clock(hour.into(), minute, second, micros, decimals),
                );
            }
            OutValue::Time { negative, hours, minutes, seconds, micros, decimals } => {
                text::put_time(buf, negative, clock(hours, minutes, seconds, micros, decimals))
            }
        }
    }
}

pub fn binary_row(buf: &mut Vec<u8>, row: &[OutValue<'_>], types: &[(u8, u16, u32)]) {
    let mut r = binary::Row::begin(buf, row.len());
    for (v, (code, ..)) in row.iter().zip(types) {
        let code = *code;
        match *v {
            OutValue::Null => r.put_null(),
            OutValue::Int(n) => r.put_int(code, n),
            OutValue::UInt(n) => r.put_uint(code, n),
            OutValue::Double(x) | OutValue::Shown(x, _) => r.put_double(code, x),
            OutValue::Float(x) => r.put_float(code, x),
            OutValue::Bytes(b) => r.put_bytes(code, b),
            OutValue::Date { year, month, day } => r.put_date(code, year, month, day),
            OutValue::DateTime { year, month, day, hour, minute, second, micros, decimals } => {
                r.put_date_time(
                    code,
                    (year, month, day),
                    clock(hour.into(), minute, second, micros, decimals),
                );
            }
            OutValue::Time { negative, hours, minutes, seconds, micros, decimals } => {
                r.put_time(code, negative, clock(hours, minutes, seconds, micros, decimals))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_is_told_by_steps() {
        let mut t = Told::default();
        let seen: Vec<Option<u16>> =
            [None, Some(49), Some(50), Some(99), Some(1000), Some(960), Some(10), Some(0), Some(0)]
                .into_iter()
                .map(|p| t.next(p))
                .collect();
        assert_eq!(seen, [None, None, Some(50), None, Some(1000), None, Some(10), Some(0), None]);
    }
}
