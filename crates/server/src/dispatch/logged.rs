//! What the logs of statements get of a connection, and the count of slow statements, which is kept without a log too.

use super::Connection;
use crate::audit::Party;
use crate::moment::Moment;
use crate::statement_log::Ended;
use std::borrow::Cow;
use weir_engine::cost;
use weir_sql::processes::host_alone;
use weir_sql::session::Sent;
use weir_sql::session_api::ParamValue;
use weir_sql::status::Stat;
use weir_sql::vars::Var;

/// A statement as it was sent.
#[derive(Clone, Copy)]
pub enum Said<'s> {
    Text(&'s [u8]),
    /// A prepared one, with its values.
    Prepared(u32, &'s [ParamValue]),
}

impl Connection {
    /// The general log, before the command is carried out.
    pub(super) fn log_command(&self, command: &str, argument: &[u8]) {
        if self.server.logs.general_is_on() && !self.session.is_unlogged() {
            self.server.logs.command(self.entry.id, command, &self.session.loggable(argument));
        }
    }

    pub(super) fn log_execution(&self, id: u32, values: &[ParamValue]) {
        if self.server.logs.general_is_on() && !self.session.is_unlogged() {
            let text = self.session.written_out(id, values);
            self.server.logs.command(self.entry.id, "Execute", &self.session.loggable(&text));
        }
    }

    /// A statement has ended that began at `began` and sent so many rows. `ended`: when, where somebody has looked at the clock.
    pub(super) fn statement_ended(
        &mut self,
        began: Moment,
        ended: Option<Moment>,
        sent: u64,
        said: Said<'_>,
    ) {
        let work = self.session.take_work();
        // The summary takes them away.
        let costs = self.server.logs.slow_is_on().then(cost::peek);
        let ended = ended.unwrap_or_else(Moment::now);
        self.ended = Some(ended);
        let nanos = ended.since(began);
        let as_sent = match said {
            Said::Text(text) => Sent::Text(text),
            Said::Prepared(id, _) => Sent::Prepared(id),
        };
        self.session.summarize(as_sent, &work, nanos, sent, Some(ended.nanos()));
        let logs = &self.server.logs;
        if logs.audit.wants_statements() {
            self.audit_statement(said, self.session.failed_with());
        }
        let (limit, fewest) = self.session.slow_limits();
        let micros = nanos / 1000;
        let slow = micros > limit || (work.scanned && logs.wants_unindexed());
        if !slow || work.examined < fewest {
            return;
        }
        self.session.count_command(Stat::Slow_queries);
        if !logs.slow_is_on() || !logs.rates.picks(self.entry.id, micros) {
            return;
        }
        let text = match said {
            Said::Text(text) => Cow::Borrowed(text),
            Said::Prepared(id, values) => Cow::Owned(self.session.written_out(id, values)),
        };
        if !logs.wants_admin() && self.session.is_admin(&text) {
            return;
        }
        let who = self.session.conn();
        let now = self.server.rt.wall_micros();
        if micros <= limit {
            let (lets, before) = logs.rates.lets_unindexed(now, micros, work.lock_nanos);
            before.inspect(|before| logs.suppressed(before));
            if !lets {
                return;
            }
        }
        logs.slow(&Ended {
            id: self.entry.id,
            user: &who.user,
            account: &who.account_user,
            host: &who.host,
            ip: &self.address(),
            database: self.session.database(),
            began: now.saturating_sub(micros) / 1_000_000,
            micros,
            lock_nanos: work.lock_nanos,
            sent,
            examined: work.examined,
            costs: costs.unwrap_or_default(),
            memory: work.memory,
            text: &self.session.loggable(&text),
        });
    }

    /// A statement in the audit log, which has ended with the error `status`, or with none (0).
    pub(super) fn audit_statement(&self, said: Said<'_>, status: u16) {
        let (name, text) = match said {
            Said::Text(text) => ("Query", Cow::Borrowed(text)),
            Said::Prepared(id, values) => {
                ("Execute", Cow::Owned(self.session.written_out(id, values)))
            }
        };
        let class = self.session.command_of(&text);
        let text = self.session.loggable(&text);
        self.as_party(|party| self.server.logs.audit.statement(name, party, class, &text, status));
    }

    /// Begin or end of a login in the audit log.
    pub(super) fn audit_login(&self, name: &str, status: u16) {
        if self.server.logs.audit.wants_logins() {
            self.as_party(|party| self.server.logs.audit.login(name, party, status));
        }
    }

    fn as_party(&self, tell: impl FnOnce(&Party<'_>)) {
        let who = self.session.conn();
        tell(&Party {
            id: self.entry.id,
            user: &who.user,
            host: host_alone(&who.host),
            ip: &self.address(),
            account: (&who.account_user, &who.account_host),
            database: self.session.database(),
        });
    }

    /// The first line of a connection in the general log.
    pub(super) fn log_connect(&self) {
        self.log_login("Connect");
    }

    pub(super) fn log_change_user(&self) {
        self.log_login("Change user");
    }

    fn log_login(&self, command: &str) {
        self.audit_login(command, 0);
        if !self.server.logs.general_is_on() {
            return;
        }
        let (who, over) = (self.session.conn(), self.transport_name());
        let db = self.session.database();
        let line = format!("{}@{} on {db} using {over}", who.user, who.host);
        self.server.logs.command(self.entry.id, command, line.as_bytes());
    }

    /// The client's address; none behind a socket of this machine.
    fn address(&self) -> String {
        match self.conn.transport.origin() {
            crate::transport::Origin::Local => String::new(),
            crate::transport::Origin::Address(a) => a.ip().to_string(),
        }
    }

    fn transport_name(&self) -> &'static str {
        match self.conn.transport.origin() {
            _ if self.conn.tls.is_some() => "SSL/TLS",
            crate::transport::Origin::Local => "Socket",
            crate::transport::Origin::Address(_) => "TCP/IP",
        }
    }
}

/// What both logs say at the head of a file.
pub fn header(vars: &weir_sql::vars::GlobalVars) -> String {
    format!(
        "{}, Version: {} ({}). started with:\nTcp port: {}  Unix socket: {}\nTime                 Id Command    Argument\n",
        "weir",
        weir_sql::vars::SERVER_VERSION,
        vars.text(Var::version_comment),
        vars.u64(Var::port),
        vars.text(Var::socket)
    )
}

/// A text without the semicolons and blanks at its end: MySQL cuts them off before it reads.
pub fn without_end(sql: &[u8]) -> &[u8] {
    let ends = |b: &u8| *b == b';' || b.is_ascii_whitespace() || *b == 0x0b;
    &sql[..sql.iter().rposition(|b| !ends(b)).map_or(0, |last| last + 1)]
}
