//! A connection after its login: commands, one after the other.

mod answer;
mod asked;
mod dump;
mod last_words;
mod logged;
mod parameters;
mod refresh;
mod semi_sync;

use crate::auth::Refused;
use crate::conn::Conn;
use crate::cursor::{Cursor, CursorSink};
use crate::deferred_ack::DeferredAck;
use crate::listener::{Counted, Server, identify};
use crate::moment::Moment;
use crate::parking::{Idle, Woken};
use crate::planted::{self, Bug};
use crate::registry::{Command as Doing, Entry};
use crate::sink::{NetSink, Told, change, column, status};
use crate::transport::Transport;
pub use logged::header;
use logged::{Said, without_end};
use parameters::{malformed, value};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use weir_engine::lane::Lane;
use weir_rt::{Actor, act_as, instant};
use weir_sql::errno;
use weir_sql::memory::{Held, Over, SessionMemory};
use weir_sql::session::{ById, Session, must_change};
use weir_sql::session_api::{KillKind, ParamValue, SqlError};
use weir_sql::status::{SqlCommand, Stat};
use weir_sql::vars::Var;
use weir_wire::command::{Command, Execute, decode};
use weir_wire::handshake::decode_change_user;
use weir_wire::params::{self, ParamType};
use weir_wire::{Capabilities, Malformed, Status, response};

/// What the protocol keeps of a prepared statement.
#[derive(Default)]
struct Bound {
    types: Vec<ParamType>,
    /// Of the attributes that a client sends with the parameters, behind an empty one for each of those.
    names: Vec<Vec<u8>>,
    names_held: Held,
    long: HashMap<u16, Vec<u8>>,
    /// A piece of long data could not be taken: the next execution fails with this.
    refused: Option<SqlError>,
    /// What `long` holds, on the session's account.
    held: Held,
    /// It has columns, so that a cursor can stand on its rows.
    has_rows: bool,
    cursor: Option<Cursor>,
}

impl Bound {
    /// Charges the names of attributes, which come after those of the `count` parameters.
    fn keep_names(&mut self, count: usize, memory: &Arc<SessionMemory>) -> Result<(), Over> {
        if self.names.is_empty() && self.names_held.bytes() == 0 {
            return Ok(());
        }
        self.names.iter_mut().take(count).for_each(|n| *n = Vec::new());
        let kept = self.names.iter().map(|n| size_of::<Vec<u8>>() + n.len()).sum();
        self.names_held.set(Some(memory), kept).inspect_err(|_| {
            self.names.clear();
            self.types.clear();
        })
    }
}

/// A connection after its login: all that a thread needs to serve it.
pub struct Connection {
    server: Arc<Server>,
    conn: Conn,
    /// Where answers to commits are left, where the transport allows it.
    aside: Option<Arc<DeferredAck>>,
    /// One was left there, and has not been waited for.
    left_aside: bool,
    session: Session,
    caps: Capabilities,
    entry: Arc<Entry>,
    bound: ById<Bound>,
    /// The command at hand; the answer needs the rest of the connection.
    packet: Vec<u8>,
    /// Parameters of the execution at hand.
    values: Vec<ParamValue>,
    /// The pressure that the client knows of.
    told: Told,
    /// When the statement at hand ended.
    ended: Option<Moment>,
    /// The default database that the list of connections shows.
    shown: String,
    /// Last: counts the connection out when everything else of it is gone.
    _counted: Counted,
}

impl Idle for Connection {
    fn id(&self) -> u64 {
        self.entry.id
    }

    fn transport(&self) -> &dyn Transport {
        &*self.conn.transport
    }
}

enum Next {
    Go,
    Close,
}

/// Why a connection needs no thread any more.
pub enum Rest {
    /// Idle; to be closed at the given time.
    Idle(Instant),
    /// Over. True: the client said goodbye.
    Over(bool),
}

/// A client that was busy until now probably comes back at once.
const STAY: Duration = Duration::from_millis(200);
/// After the login the first statement mostly follows at once, or nothing for long.
const STAY_AFTER_LOGIN: Duration = Duration::from_millis(5);
/// Bytes of a packet whose memory is kept for the next one.
const KEEP: usize = 16 * 1024;
/// CURSOR_TYPE_READ_ONLY of COM_STMT_EXECUTE.
const CURSOR_READ_ONLY: u8 = 1;
/// The execution of a statement without parameters says how many attributes it has; one with parameters says it anyway.
const PARAMETER_COUNT: u8 = 8;

impl Connection {
    pub fn new(
        server: Arc<Server>,
        mut conn: Conn,
        mut session: Session,
        caps: Capabilities,
        entry: Arc<Entry>,
        counted: Counted,
    ) -> Box<Connection> {
        let aside = conn.aside(server.workers());
        conn.serves(session.memory().clone(), session.counts().clone());
        session.let_owe(aside.is_some());
        let connection = Box::new(Connection {
            server,
            conn,
            aside,
            left_aside: false,
            session,
            caps,
            entry,
            bound: ById::default(),
            packet: Vec::new(),
            values: Vec::new(),
            told: Told::default(),
            ended: None,
            shown: String::new(),
            _counted: counted,
        });
        connection.log_connect();
        connection
    }

    /// Rolls back and lets go of everything.
    pub fn close(self: Box<Connection>, polite: bool) {
        self.audit_login("Quit", 0);
        let Connection { server, conn, session, entry, _counted, .. } = *self;
        if !polite {
            server.inst.status.inc(Stat::Aborted_clients);
        }
        let _acting = act_as(Actor::session(entry.id));
        match planted::is(Bug::LostTransactionStays) && !polite {
            true => std::mem::forget(session),
            false => server.rt.block_on(session.close()),
        }
        drop(conn);
    }

    /// Serves commands until the client is idle (when the connection `may_rest`) or gone.
    pub fn serve(&mut self, woken: Woken, may_rest: bool) -> Rest {
        // What waits in the engine meanwhile waits for this connection.
        let _acting = act_as(Actor::session(self.entry.id));
        // What is counted meanwhile is counted where no other thread counts.
        let _lane = Lane::take();
        let mut stay = if woken == Woken::LoggedIn { STAY_AFTER_LOGIN } else { STAY };
        if let Some(rest) = self.woken_idle(woken) {
            return rest;
        }
        loop {
            let (idle, read, write) = self.session.timeouts();
            self.conn.out.set_write_timeout(write);
            let wait = if may_rest { stay.min(idle) } else { idle };
            let came = self.conn.wait_command(wait, read);
            if std::mem::take(&mut self.left_aside)
                && let Some(aside) = &self.aside
                && !planted::is(Bug::AnswerOvertaken)
            {
                aside.wait();
            }
            match came {
                Ok(true) => {}
                Ok(false) if wait < idle => {
                    self.conn.shrink();
                    self.packet = Vec::new();
                    self.values = Vec::new();
                    return Rest::Idle(instant() + (idle - wait));
                }
                Ok(false) => {
                    self.idle_too_long();
                    return Rest::Over(false);
                }
                Err(e) => {
                    self.lost(e);
                    return Rest::Over(false);
                }
            }
            stay = STAY;
            if self.is_killed() || self.server.stopping.load(Ordering::Relaxed) {
                self.killed();
                return Rest::Over(false);
            }
            self.entry.kill.clear_query();
            self.conn.out.writer.set_sequence(self.conn.framer.sequence());
            let mut packet = std::mem::take(&mut self.packet);
            packet.clear();
            packet.extend_from_slice(self.conn.framer.packet());
            if packet.first() == Some(&1) {
                return Rest::Over(true);
            }
            self.session.counts().inc(Stat::Threads_running);
            let next = self.command(&packet);
            self.session.counts().dec(Stat::Threads_running);
            if packet.capacity() <= KEEP {
                self.packet = packet;
            }
            self.entry.end(self.ended.take().unwrap_or_else(Moment::now));
            self.show_database();
            let closes = matches!(next, Next::Close);
            let stopping = self.server.stopping.load(Ordering::Relaxed);
            if self.is_killed() && !stopping && !self.session.is_told_of_kill() {
                // As in MySQL the end of the connection says it, whatever has been done.
                self.conn.out.dead = true;
            }
            if self.answer_out(closes).is_err() || closes || self.is_killed() {
                return Rest::Over(false);
            }
        }
    }

    /// What it was woken for, where that is no command.
    fn woken_idle(&mut self, woken: Woken) -> Option<Rest> {
        match woken {
            Woken::LoggedIn | Woken::Ready => None,
            Woken::Expired => {
                self.idle_too_long();
                Some(Rest::Over(false))
            }
            Woken::TooOld(until) => {
                self.server.rt.block_on(self.session.give_up_old_snapshot());
                Some(Rest::Idle(until))
            }
        }
    }

    fn is_killed(&self) -> bool {
        self.entry.kill.pending() == Some(KillKind::Connection)
    }

    fn command(&mut self, packet: &[u8]) -> Next {
        let command = match decode(packet) {
            Ok(c) => c,
            Err(_) => {
                self.error(&malformed());
                return Next::Go;
            }
        };
        match command {
            Command::Quit => {
                self.log_command("Quit", b"");
                return Next::Close;
            }
            Command::Query(sql) => {
                let Some(sql) = self.take_attributes(sql) else { return Next::Go };
                let sql = without_end(sql);
                self.session.count_command(Stat::Questions);
                let began = self.entry.begin(Doing::Query, sql);
                return self.query_since(sql, began);
            }
            Command::StmtExecute(e) => {
                self.session.count_command(Stat::Questions);
                self.session.count_command(Stat::Com_stmt_execute);
                let text = self.session.prepared_text(e.id).unwrap_or_default();
                let began = self.entry.begin(Doing::Execute, text);
                self.execute(&e, began);
            }
            Command::StmtPrepare(sql) => {
                let sql = without_end(sql);
                self.session.count_command(Stat::Com_stmt_prepare);
                _ = self.entry.begin(Doing::Prepare, sql);
                self.log_command("Prepare", sql);
                self.prepare(sql);
            }
            Command::StmtClose(id) => {
                self.log_command("Close stmt", b"");
                self.session.count_command(Stat::Com_stmt_close);
                self.session.close_statement(id);
                self.bound.remove(&id);
                self.session.memory().settle();
            }
            Command::StmtSendLongData { id, param, data } => {
                self.log_command("Long Data", b"");
                self.long_data(id, param, data);
            }
            Command::StmtReset(id) => {
                self.log_command("Reset stmt", b"");
                self.session.count_command(Stat::Com_stmt_reset);
                if self.session.param_count(id).is_none() {
                    self.error(&SqlError::unknown_statement(id, "mysqld_stmt_reset"));
                } else {
                    if let Some(b) = self.bound.get_mut(&id) {
                        b.long.clear();
                        b.held = Held::default();
                        b.refused = None;
                        b.cursor = None;
                    }
                    self.session.memory().settle();
                    self.ok();
                }
            }
            Command::StmtFetch { id, rows } => {
                self.log_command("Fetch", b"");
                self.fetch(id, rows);
            }
            Command::InitDb(_) | Command::Statistics | Command::Refresh(_)
                if self.session.must_change_password() =>
            {
                self.error(&must_change());
            }
            Command::InitDb(name) => {
                self.session.count_command(SqlCommand::ChangeDb);
                let name = self.session.text_of_client(name);
                self.log_command("Init DB", name.as_bytes());
                let r = self.server.rt.block_on(self.session.init_db(&name));
                self.answer(r);
            }
            Command::FieldList { table, .. } => self.field_list(table),
            Command::Statistics => {
                let text = self.statistics();
                self.conn.out.packet(|buf| buf.extend_from_slice(text.as_bytes()));
            }
            Command::Refresh(flags) => return self.refresh(flags),
            Command::Shutdown => return self.query(b"SHUTDOWN"),
            Command::ProcessInfo => return self.query(b"SHOW PROCESSLIST"),
            Command::ProcessKill(id) => {
                let sql = format!("KILL {id}");
                return self.query(sql.as_bytes());
            }
            Command::Ping => {
                self.log_command("Ping", b"");
                self.session.count_command(Stat::Com_admin_commands);
                self.ok();
            }
            Command::Debug => self.debug(),
            Command::SetOption(n) => {
                self.session.set_multi_statements(n == 0);
                self.end();
            }
            Command::ResetConnection => {
                self.log_command("Reset Connection", b"");
                let r = self.server.rt.block_on(self.session.reset());
                self.bound.clear();
                self.answer(r);
            }
            Command::ChangeUser(body) => return self.change_user(body),
            Command::Unknown(code) => self.of_replica(code, packet),
        }
        Next::Go
    }

    fn error(&mut self, e: &SqlError) {
        if e.errno == errno::ER_QUERY_INTERRUPTED
            && self.is_killed()
            && !self.session.is_told_of_kill()
        {
            // As in MySQL the end of the connection says it, also in the middle of rows.
            if !self.server.stopping.load(Ordering::Relaxed) {
                return;
            }
            let e = SqlError::of(errno::ER_SERVER_SHUTDOWN, &[]);
            return self.conn.out.error_told(&e, &self.session.message(&e));
        }
        self.conn.out.error_told(e, &self.session.message(e));
    }

    fn status(&self) -> Status {
        status(self.session.status_flags(), false)
    }

    fn ok(&mut self) {
        let (status, caps) = (self.status(), self.caps);
        let tracked = self.session.take_tracked_here(&self.server.rt);
        let changes: Vec<_> = tracked.iter().map(change).collect();
        let ok = response::Ok { status, changes: &changes, ..response::Ok::default() };
        self.conn.out.packet(|buf| response::put_ok(buf, caps, &ok));
    }

    fn answer(&mut self, r: Result<(), SqlError>) {
        match r {
            Ok(()) => self.ok(),
            Err(e) => self.error(&e),
        }
    }

    /// All statements of the text, as far as the client may send several.
    fn query(&mut self, sql: &[u8]) -> Next {
        self.query_since(sql, Moment::now())
    }

    /// The same for a command whose begin is known: a look at the clock is a hundredth of a small statement.
    fn query_since(&mut self, sql: &[u8], mut began: Moment) -> Next {
        self.log_command("Query", sql);
        let mut rest = sql;
        let mut first = true;
        loop {
            let mut sink = NetSink::new(&mut self.conn, self.caps, false, &self.session, began);
            let rt = &self.server.rt;
            let end = match std::mem::take(&mut first) {
                true => self.session.query_here(rt, rest, &mut sink),
                false => self.session.query_rest_here(rt, rest, &mut sink),
            };
            let last = sink.last.take();
            let (sent, ended) = (sink.sent, sink.ended);
            let goes_on = sink.drain();
            let text = rest.get(..end.consumed).unwrap_or(rest);
            let said = Said::Text(without_end(text));
            match &end.result {
                // What is no statement is not slow.
                Err(e) if matches!(e.errno, errno::ER_PARSE_ERROR | errno::ER_EMPTY_QUERY) => {
                    if self.server.logs.audit.wants_statements() {
                        self.audit_statement(said, e.errno);
                    }
                }
                _ => self.statement_ended(began, ended, sent, said),
            }
            match end.result {
                Err(e) => {
                    self.error(&e);
                    return if goes_on { Next::Go } else { Next::Close };
                }
                Ok(()) => {
                    let next = rest.get(end.consumed..).unwrap_or_default();
                    let more = !next.iter().all(|b| b.is_ascii_whitespace() || *b == b';');
                    if more && let Err(e) = self.settle() {
                        self.error(&e);
                        return Next::Go;
                    }
                    if let Some(f) = last {
                        let changes = self.session.take_tracked_here(&self.server.rt);
                        f.put(&mut self.conn.out, self.caps, more, &mut self.told, &changes);
                    }
                    if !goes_on {
                        return Next::Close;
                    }
                    if !more {
                        return Next::Go;
                    }
                    // The next statement may take long. What this one owes was waited for above.
                    if self.conn.out.flush().is_err() {
                        return Next::Close;
                    }
                    rest = next;
                    began = Moment::now();
                }
            }
        }
    }

    fn prepare(&mut self, sql: &[u8]) {
        let info = match self.server.rt.block_on(self.session.prepare(sql)) {
            Ok(i) => i,
            Err(e) => return self.error(&e),
        };
        let (caps, status) = (self.caps, self.status());
        let out = &mut self.conn.out;
        out.packet(|buf| {
            response::put_prepared(
                buf,
                info.id,
                info.columns.len() as u16,
                info.params,
                info.warnings,
            )
        });
        let eof = !caps.has(Capabilities::DEPRECATE_EOF);
        for _ in 0..info.params {
            out.packet(|buf| response::put_column(buf, &response::Column::PARAMETER));
        }
        if info.params > 0 && eof {
            out.packet(|buf| response::put_eof(buf, 0, status));
        }
        for c in &info.columns {
            out.packet(|buf| response::put_column(buf, &column(c)));
        }
        if !info.columns.is_empty() && eof {
            out.packet(|buf| response::put_eof(buf, 0, status));
        }
        let has_rows = !info.columns.is_empty();
        self.bound.insert(info.id, Bound { has_rows, ..Bound::default() });
    }

    fn execute(&mut self, e: &Execute<'_>, began: Moment) {
        let Some(count) = self.session.param_count(e.id) else {
            return self.error(&SqlError::unknown_statement(e.id, "mysqld_stmt_execute"));
        };
        let bound = self.bound.entry(e.id).or_default();
        let mut long = std::mem::take(&mut bound.long);
        // Until the statement has ended.
        let _held = std::mem::take(&mut bound.held);
        bound.cursor = None;
        let asks_cursor = e.cursor & CURSOR_READ_ONLY != 0;
        let with_cursor = asks_cursor && bound.has_rows;
        if asks_cursor && self.session.selects_into(e.id) {
            return self.error(&SqlError::of(errno::ER_SP_BAD_CURSOR_SELECT, &[]));
        }
        if let Some(refused) = bound.refused.take() {
            return self.error(&refused);
        }
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        let is_long = |i: usize| long.contains_key(&(i as u16));
        let named = self.caps.has(Capabilities::QUERY_ATTRIBUTES);
        let sent = match named && (count > 0 || e.cursor & PARAMETER_COUNT != 0) {
            true => params::count_of(e.params),
            false => Ok((count, e.params)),
        };
        let each = |p| values.push(value(p));
        let decoded = match sent {
            Ok((sent, rest)) if named && sent >= count => {
                params::decode_named(rest, sent, &mut bound.types, &mut bound.names, is_long, each)
            }
            Ok((_, rest)) if !named => params::decode(rest, count, &mut bound.types, is_long, each),
            Ok(_) => Err(Malformed),
            Err(e) => Err(e),
        };
        if decoded.is_err() {
            return self.error(&malformed());
        }
        if let Err(over) = bound.keep_names(count, self.session.memory()) {
            return self.error(&over.into());
        }
        let attributes = match values.len() > count {
            true => {
                let attributes = values.split_off(count);
                bound.names.iter().skip(count).cloned().zip(attributes).collect()
            }
            false => Vec::new(),
        };
        if let Err(e) = self.session.set_attributes(attributes) {
            return self.error(&e);
        }
        for (n, data) in long.drain() {
            let n = usize::from(n);
            if let Some(v) = values.get_mut(n) {
                *v = match bound.types.get(n).is_some_and(|t| t.is_blob()) {
                    true => ParamValue::Blob(data),
                    false => ParamValue::Bytes(data),
                };
            }
        }
        self.log_execution(e.id, &values);
        let (sent, ended) = match with_cursor {
            true => (self.open_cursor(e.id, &values), None),
            false => self.execute_now(e.id, &values, began),
        };
        self.statement_ended(began, ended, sent, Said::Prepared(e.id, &values));
        values.clear();
        self.values = values;
    }

    /// Executes, and keeps the rows for COM_STMT_FETCH. Returns their number.
    fn open_cursor(&mut self, id: u32, values: &[ParamValue]) -> u64 {
        let mut sink = CursorSink::new(self.session.memory().clone());
        let r = self.session.execute_here(&self.server.rt, id, values, &mut sink);
        let (flags, sent) = (self.session.status_flags(), sink.sent);
        match (sink.refused.take(), r) {
            (Some(e), _) | (None, Err(e)) => self.error(&e),
            (None, Ok(())) => match sink.open(&mut self.conn.out, self.caps, flags) {
                None => self.ok(),
                opened => {
                    self.bound.entry(id).or_default().cursor = opened;
                }
            },
        }
        sent
    }

    fn fetch(&mut self, id: u32, rows: u32) {
        let flags = self.session.status_flags();
        let bound = self.bound.get_mut(&id);
        let Some((bound, mut cursor)) = bound.and_then(|b| b.cursor.take().map(|c| (b, c))) else {
            let text = format!("The statement ({id}) has no open cursor.");
            return self.error(&match self.session.param_count(id) {
                None => SqlError::unknown_statement(id, "mysqld_stmt_fetch"),
                Some(_) => SqlError::new(errno::ER_STMT_HAS_NO_OPEN_CURSOR, text),
            });
        };
        if cursor.fetch(rows, &mut self.conn.out, self.caps, flags) {
            bound.cursor = Some(cursor);
        }
        self.session.memory().settle();
    }

    /// Returns how many rows were sent, and when the end of the answer was known.
    fn execute_now(
        &mut self,
        id: u32,
        values: &[ParamValue],
        began: Moment,
    ) -> (u64, Option<Moment>) {
        let mut sink = NetSink::new(&mut self.conn, self.caps, true, &self.session, began);
        let r = self.session.execute_here(&self.server.rt, id, values, &mut sink);
        let sent = (sink.sent, sink.ended);
        match (r, sink.last.take()) {
            (Ok(()), Some(f)) => {
                let changes = self.session.take_tracked_here(&self.server.rt);
                f.put(&mut self.conn.out, self.caps, false, &mut self.told, &changes);
            }
            (Ok(()), None) => self.ok(),
            (Err(e), _) => self.error(&e),
        }
        sent
    }

    fn change_user(&mut self, body: &[u8]) -> Next {
        let Ok(login) = decode_change_user(body, self.caps) else {
            self.error(&SqlError::of(errno::ER_UNKNOWN_COM_ERROR, &[]));
            return Next::Close;
        };
        let seconds = self.server.inst.vars.u64(Var::connect_timeout);
        self.conn.begin_login(Duration::from_secs(seconds));
        // As in MySQL the proof answers the challenge of the greeting. A client that sends none is asked for it.
        let mut fresh = login;
        if fresh.auth_response.is_empty() {
            fresh.auth_plugin = Some(b"");
        }
        let salt = self.conn.salt;
        let (server, entry) = (self.server.clone(), self.entry.clone());
        let known = identify(&server, &mut self.conn, &fresh, &salt, &entry, self.caps);
        self.conn.end_login(self.server.inst.vars.u64(Var::max_allowed_packet) as usize);
        let who = match known {
            Ok(w) => w,
            Err(Refused::Sql(e)) => {
                self.server.logs.refused(self.entry.id, &e);
                self.server.logs.audit_refused(&self.entry, fresh.user, &e);
                self.error(&e);
                return Next::Close;
            }
            Err(Refused::Gone(_)) => return Next::Close,
        };
        let db = who.database.clone();
        let again = who.clone();
        let expired = self.caps.has(Capabilities::CAN_HANDLE_EXPIRED_PASSWORDS);
        let r = self.server.rt.block_on(async {
            self.session.change_user(who).await?;
            self.session.log_in(expired)?;
            if !db.is_empty() {
                self.session.init_db(&db).await?;
            }
            Ok(())
        });
        self.bound.clear();
        if r.is_ok() {
            self.log_change_user();
            self.server.registry.logged_in(&self.entry, &again, &db);
        }
        let failed = r.is_err();
        self.answer(r);
        if failed { Next::Close } else { Next::Go }
    }
}
