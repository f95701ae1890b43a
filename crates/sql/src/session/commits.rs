//! What a session adds to the binary log: the rows of its transactions, and its definition statements.
//!
//! Events ride in the group of the commit that they belong to (`weir_engine::Follower`): the rows' with the commit of the transaction, a
//! definition statement's with its commit point. So the log and the tables agree after any crash.

use super::Session;
use super::applied::Applied;
use super::binlog_statement::Given;
use super::logged::tokens;
use super::logged_accounts::Rewritten;
use super::logged_text::is_change;
use super::next_gtid::NextGtid;
use super::semi_sync::Unconfirmed;
use crate::account::{AccountName, Logging};
use crate::binlog::note::too_large;
use crate::binlog::{self, is_own_schema};
use crate::context::Reads;
use crate::ddl::{engine_error, gipk};
use crate::errno;
use crate::meta::TableMeta;
use crate::meta::temporary::HIDDEN;
use crate::session_api::SqlError;
use crate::show::create_table::{Style, create_table};
use crate::status::Stat;
use crate::value::{Collation, SqlMode};
use crate::vars::Var;
use std::sync::{Arc, Mutex, PoisonError};
use weir_binlog::query::{Settings as Logged, flag2};
use weir_binlog::{Kind, encode};
use weir_engine::{Durability, Rider, Txn, Xid};
use weir_source::record::Events;
use weir_source::tickets::Ticket;
use weir_source::{Batch, BinaryLog, Named, Record};
use weir_syntax::ast::{AdminVerb, FlushKind, SqlCommand, Statement, TableName};
use weir_syntax::lex::{Kw, T};

/// MySQL's number of the version whose events these are.
const VERSION: u32 = 80036;
/// Flag of a statement that does not depend on the default database.
pub(super) const NO_USE: u16 = weir_binlog::event::flag::SUPPRESS_USE;

/// The statement at hand, as it goes to the log.
#[derive(Default)]
pub(super) struct Said {
    /// The text of a definition statement, and how many statements are around it.
    pub text: Option<(u32, Box<[u8]>)>,
    /// CREATE TABLE ... SELECT: the table that is being filled, and its rows.
    pub making: Option<Making>,
    /// CREATE TABLE ... START TRANSACTION, until the transaction ends.
    pub started: Option<Box<super::create_started::Started>>,
    /// The text of the change at hand, where that is logged in place of its rows.
    pub as_text: Option<Box<[u8]>>,
    /// What `gtid_next` has named.
    pub next_gtid: NextGtid,
    /// The transaction of another server that is being carried out.
    pub applied: Option<Box<Applied>>,
    /// What BINLOG was given.
    pub given: Given,
    /// Those of the statement's transactions, where the client is to learn their names.
    tickets: Mutex<Vec<Ticket>>,
    pub unconfirmed: Unconfirmed,
}

impl Said {
    pub(super) fn has_tickets(&mut self) -> bool {
        !self.tickets.get_mut().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn take_tickets(&mut self) -> Vec<Ticket> {
        std::mem::take(self.tickets.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Default)]
pub(super) struct Making {
    batch: Batch,
}

/// What waits for the commit point of a definition statement.
#[derive(Default)]
pub(super) struct Rides {
    with_definition: Option<Rider>,
    with_accounts: Option<Logging>,
}

fn xa_name(xid: &Xid) -> String {
    let hex = |b: &[u8]| b.iter().map(|b| format!("{b:02x}")).collect::<String>();
    format!("X'{}',X'{}',{}", hex(&xid.gtrid), hex(&xid.bqual), xid.format)
}

/// Statements that MySQL logs though they change no definition and no row. Those of FLUSH that a replica must do by itself are none.
pub(super) fn is_maintenance(stmt: &Statement) -> bool {
    match stmt {
        Statement::TableAdmin(a) => {
            let changes = matches!(
                a.verb,
                AdminVerb::Analyze
                    | AdminVerb::Optimize
                    | AdminVerb::Repair
                    | AdminVerb::UpdateHistogram { .. }
                    | AdminVerb::DropHistogram { .. }
            );
            changes && !a.local
        }
        Statement::Flush(f) => {
            let logged = |kind: &FlushKind| match kind {
                FlushKind::Logs | FlushKind::BinaryLogs | FlushKind::RelayLogs { .. } => false,
                FlushKind::Tables { read_lock, export, .. } => !read_lock && !export,
                _ => true,
            };
            !f.local && f.what.iter().all(logged)
        }
        _ => false,
    }
}

fn no_database() -> SqlError {
    SqlError::of(errno::ER_NO_DB_ERROR, &[])
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

impl Session {
    /// Do this session's commits go to the binary log?
    pub(super) fn logs_commits(&self) -> bool {
        let logs = match self.access.is_of_server() {
            true => self.said.applied.is_some(),
            false => self.settings.logs,
        };
        logs && self.within.is_none() && binlog::is_on(self.inst.binlog.get())
    }

    /// The text of the client's statement that is about to run.
    pub(super) fn said(&mut self, text: &[u8], stmt: &Statement) {
        let wanted =
            stmt.defines() || is_maintenance(stmt) || self.settings.logs_texts && is_change(stmt);
        if binlog::is_on(self.inst.binlog.get()) && wanted {
            self.said.text = Some((self.depth, text.into()));
        }
    }

    /// The same of a statement that the client has prepared.
    pub(super) fn said_prepared(&mut self, id: u32) {
        if binlog::is_on(self.inst.binlog.get())
            && let Some(p) = self.prepared.get(&id)
        {
            self.said.text = Some((self.depth, p.text.clone()));
        }
    }

    /// The text of the definition statement that runs next inside the one at hand: a program's, or EXECUTE's.
    pub(super) fn said_inside(&mut self, text: Option<&[u8]>) {
        if let Some(text) = text.filter(|_| binlog::is_on(self.inst.binlog.get())) {
            self.said.text = Some((self.depth + 1, text.into()));
        }
    }

    pub(super) fn durability(&self) -> Durability {
        match self.vars.u64(Var::innodb_flush_log_at_trx_commit) {
            0 => Durability::Lazy,
            2 => Durability::Write,
            _ => Durability::Flush,
        }
    }

    pub(super) fn log(&self) -> Result<&Arc<BinaryLog>, SqlError> {
        self.inst.binlog.get().ok_or_else(|| SqlError::internal("there is no binary log"))
    }

    /// Makes events of what the transaction has noted; they ride with its commit.
    pub(super) async fn carry_rows(&mut self, txn: &mut Txn) -> Result<(), SqlError> {
        if txn.noted().is_none() {
            return self.carry_empty(txn).await;
        }
        self.count_cache(txn);
        self.check_notes(txn)?;
        if let Some(mut making) = self.said.making.take() {
            making.batch = self.gather_in_memory(txn, making.batch).await?;
            self.said.making = Some(making);
            return Ok(());
        }
        let mut batch = Batch::default();
        self.push_query(&mut batch, NO_USE, b"BEGIN");
        let empty = batch.count;
        let mut events = self.gather(txn, batch).await?;
        if events.batch.count == empty {
            return self.carry_empty(txn).await;
        }
        let id = txn.id().unwrap_or(0);
        events.batch.push((Kind::Xid, 0, self.seconds()), &id.to_le_bytes());
        let statements = events.batch.statements;
        let events = self.compressed(events)?;
        let record = self.record(events, statements).await?;
        txn.carry_events(record);
        Ok(())
    }

    /// Another server's transaction that has changed nothing here is an empty one in the log, which rides with the channel's position.
    async fn carry_empty(&mut self, txn: &mut Txn) -> Result<(), SqlError> {
        if !self.said.applied.as_ref().is_some_and(|a| a.is_due()) {
            return Ok(());
        }
        let record = self.empty_record().await?;
        txn.carry_events(record);
        Ok(())
    }

    /// The record of a transaction without changes.
    pub(super) async fn empty_record(&self) -> Result<Vec<u8>, SqlError> {
        let mut batch = Batch::default();
        self.push_query(&mut batch, NO_USE, b"BEGIN");
        self.push_query(&mut batch, NO_USE, b"COMMIT");
        self.record(batch, false).await
    }

    /// The record that was made last was not written: its name is free for another one.
    fn gives_name_back(&self) {
        self.said.next_gtid.give_back();
        if let Some(applied) = &self.said.applied {
            applied.give_back();
        }
    }

    /// A definition statement has ended, and what waited for its commit point no longer does.
    pub(super) fn ends_definition(&self, rides: Rides) {
        let waits = rides.with_definition.as_ref().is_some_and(|r| !r.has_ridden());
        let waits = waits || rides.with_accounts.as_ref().is_some_and(Logging::waits);
        drop(rides);
        if waits {
            self.gives_name_back();
        }
    }

    /// A transaction that has noted something ends, in whatever way.
    pub(super) fn count_cache(&mut self, txn: &Txn) {
        let Some(notes) = txn.noted() else { return };
        self.work.inc(Stat::Binlog_cache_use);
        if notes.pieces() > 0 {
            self.work.inc(Stat::Binlog_cache_disk_use);
        }
    }

    /// A record without its events.
    pub(super) fn record_head(
        &self,
        batch: &Batch,
        statements: bool,
    ) -> Result<Record<'static>, SqlError> {
        let log = self.log()?;
        self.said.unconfirmed.add(self.inst.db.last_events());
        let now = self.inst.db.rt().wall_micros();
        let named = self.said.next_gtid.take().unwrap_or(match log.has_gtids() {
            true => Named::Automatic,
            false => Named::Anonymous,
        });
        let mut record = Record {
            named,
            may_have_statements: statements,
            server_id: log.settings.server_id(),
            immediate: now,
            original: now,
            immediate_version: VERSION,
            original_version: VERSION,
            behind: self.inst.db.commits_released(),
            ticket: (self.settings.tells_gtids > 0).then(|| self.ticket(log)),
            keys: batch.keys.of_record().filter(|_| !statements),
            count: batch.count,
            bodies: batch.bodies,
            events: Events::Inline(&[]),
        };
        if let Some(applied) = &self.said.applied {
            applied.take(&mut record);
        }
        Ok(record)
    }

    /// A number by which the session asks for the transaction's name when the statement has ended.
    fn ticket(&self, log: &Arc<BinaryLog>) -> u64 {
        let ticket = log.ticket();
        let number = ticket.number;
        let mut tickets = self.said.tickets.lock().unwrap_or_else(PoisonError::into_inner);
        tickets.push(ticket);
        number
    }

    pub(super) fn seconds(&self) -> u32 {
        self.micros().0
    }

    /// The time of the statement: seconds since 1970, and microseconds.
    fn micros(&self) -> (u32, u32) {
        let set = self.settings.timestamp;
        let micros = match set > 0.0 {
            true => (set * 1e6) as u64,
            false => self.inst.db.rt().wall_micros(),
        };
        ((micros / 1_000_000) as u32, (micros % 1_000_000) as u32)
    }

    /// A statement with the variables that it depends on.
    pub(super) fn push_query(&self, batch: &mut Batch, flags: u16, text: &[u8]) {
        let (seconds, micros) = self.micros();
        batch.push((Kind::Query, flags, seconds), &self.query_body(flags, text, micros));
    }

    /// `micros`: the part of the statement's time below a second.
    pub(super) fn query_body(&self, flags: u16, text: &[u8], micros: u32) -> Vec<u8> {
        let by_name = |var| Collation::by_name(&self.vars.text(var)).map_or(255, Collation::id);
        let unchecked = |on: bool, bit| if on { 0 } else { bit };
        let bits = unchecked(self.settings.foreign_checks, flag2::NO_FOREIGN_KEY_CHECKS)
            | unchecked(self.vars.bool(Var::unique_checks), flag2::RELAXED_UNIQUE_CHECKS);
        let zone = self.vars.text(Var::time_zone);
        let (increment, offset) = self.settings.auto_increment;
        let numbers = (increment.min(65_535) as u16, offset.min(65_535) as u16);
        let (user, host) = self.access.account();
        let settings = Logged {
            flags2: Some(bits),
            sql_mode: Some(self.settings.mode.0),
            auto_increment: (numbers != (1, 1)).then_some(numbers),
            // Texts are in UTF-8 here, whatever the client speaks. Of a client's set the collation means nothing; this one is known to
            // MariaDB as well.
            charset: Some((
                Collation::Utf8mb4GeneralCi.id(),
                self.settings.collation.id(),
                by_name(Var::collation_server),
            )),
            time_zone: Some(zone.as_bytes()),
            lc_time_names: Some(u16::from(self.settings.locale)).filter(|n| *n > 0),
            collation_database: Some(by_name(Var::collation_database)),
            invoker: (flags & NO_USE == 0).then_some((user.as_bytes(), host.as_bytes())),
            micros: Some(micros).filter(|m| *m > 0),
            explicit_defaults: Some(self.vars.bool(Var::explicit_defaults_for_timestamp)),
            default_utf8mb4: Some(self.settings.utf8mb4.id()),
            ..Logged::default()
        };
        let schema = self.info.database.as_deref().unwrap_or("");
        let mut body = Vec::new();
        encode::query(schema.as_bytes(), &settings, text, &mut body);
        body
    }

    /// The events of a definition statement wait for its commit point.
    pub(super) async fn log_definition(&mut self, stmt: &Statement) -> Result<Rides, SqlError> {
        let mut rides = Rides::default();
        if !stmt.defines() || !self.logs_commits() {
            return Ok(rides);
        }
        let Some(text) = self.definition_text(stmt)? else { return Ok(rides) };
        let mut batch = Batch::default();
        self.work.inc(Stat::Binlog_cache_use);
        if !stmt.row().changes_accounts {
            self.push_query(&mut batch, 0, &text);
            let record = self.record(batch, true).await?;
            rides.with_definition = Some(self.inst.db.ride_with_events(record));
            return Ok(rides);
        }
        let (user, host) = self.access.account();
        let own = AccountName::new(user, host);
        let text = Rewritten::of(stmt, &text, self.settings.lex_mode, &own);
        // The text comes last in its event.
        let (time, micros) = self.micros();
        let before = self.query_body(0, b"", micros);
        let head = self.record_head(&batch, true)?;
        rides.with_accounts = self.inst.accounts.log_next(Box::new(move |list| {
            let body = [&before[..], &text.text(list)].concat();
            batch.push((Kind::Query, 0, time), &body);
            let (count, bodies) = (batch.count, batch.bodies);
            Record { count, bodies, events: Events::Inline(&batch.bytes), ..head }.encode()
        }));
        Ok(rides)
    }

    /// A statement about tables that defines nothing is a transaction of its own in the log, behind what it has done.
    pub(super) async fn log_maintenance(&mut self, stmt: &Statement) -> Result<(), SqlError> {
        let tables = match stmt {
            Statement::TableAdmin(a) => &a.tables[..],
            _ => &[],
        };
        let wanted = is_maintenance(stmt) && tables.iter().all(|n| self.is_logged(n));
        if !wanted || !self.logs_commits() {
            return Ok(());
        }
        let Some((_, text)) = self.said.text.take() else { return Ok(()) };
        self.work.inc(Stat::Binlog_stmt_cache_use);
        let mut batch = Batch::default();
        let text = text.trim_ascii();
        self.push_query(&mut batch, 0, text.strip_suffix(b";").unwrap_or(text));
        let record = self.record(batch, true).await?;
        self.inst.db.commit_events(record, self.durability()).await.map_err(engine_error)
    }

    /// The same for the name of a table that CREATE TABLE ... SELECT has filled: the table and its rows are one transaction.
    pub(super) async fn log_made(&mut self, create: &str) -> Result<Option<Rider>, SqlError> {
        let Some(making) = self.said.making.take() else { return Ok(None) };
        let mut batch = Batch::default();
        self.push_query(&mut batch, NO_USE, b"BEGIN");
        self.push_query(&mut batch, 0, format!("{create} START TRANSACTION").as_bytes());
        batch.append(&making.batch);
        batch.push((Kind::Xid, 0, self.seconds()), &0u64.to_le_bytes());
        let record = self.record(batch, true).await?;
        Ok(Some(self.inst.db.ride_with_events(record)))
    }

    /// The text that a replica is to run. `None`: the statement is about what is not logged.
    fn definition_text(&self, stmt: &Statement) -> Result<Option<Vec<u8>>, SqlError> {
        let wanted = match stmt {
            Statement::CreateTable(c) => {
                // A temporary table of the same name does not matter: both can exist.
                let alone = !c.temporary && c.query.is_none() && !c.starts_transaction;
                let wanted = alone && !self.is_own(&c.name);
                if let Some(like) = c.like.as_ref().filter(|l| wanted && self.is_temporary(l)) {
                    return self.create_like(&c.name, like).map(Some);
                }
                wanted
            }
            Statement::DropTable(d) => {
                let all: Vec<&TableName> = d.names.iter().filter(|n| self.is_logged(n)).collect();
                if all.len() < d.names.len() {
                    return Ok(
                        (!d.temporary && !all.is_empty()).then(|| self.drop_of(&all, d.if_exists))
                    );
                }
                !d.temporary
            }
            Statement::AlterTable(a) => self.is_logged(&a.name),
            Statement::TruncateTable(n) => self.is_logged(n),
            Statement::CreateIndex(c) => self.is_logged(&c.table),
            Statement::DropIndex(d) => self.is_logged(&d.table),
            _ => true,
        };
        if !wanted {
            return Ok(None);
        }
        let generates = self.settings.generates_key
            && matches!(stmt, Statement::CreateTable(c) if gipk::is_wanted(c));
        match &self.said.text {
            Some((depth, text)) if *depth == self.depth && generates => {
                Ok(Some(self.with_generated_key(text)))
            }
            Some((depth, text)) if *depth == self.depth => Ok(Some(self.with_definer(text, stmt))),
            _ => Err(SqlError::internal("a definition statement without its text")),
        }
    }

    /// Neither temporary nor the server's own.
    fn is_logged(&self, n: &TableName) -> bool {
        !self.is_temporary(n) && !self.is_own(n)
    }

    fn schema_of<'n>(&'n self, n: &'n TableName) -> Option<&'n str> {
        n.schema.as_ref().map(|s| s.as_str()).or(self.info.database.as_deref())
    }

    fn is_temporary(&self, n: &TableName) -> bool {
        self.schema_of(n).is_some_and(|schema| self.temporaries.has(schema, n.name.as_str()))
    }

    fn is_own(&self, n: &TableName) -> bool {
        self.schema_of(n).is_some_and(|schema| is_own_schema(schema) || schema == HIDDEN)
    }

    /// A table like a temporary one, which a replica does not have.
    fn create_like(&self, name: &TableName, like: &TableName) -> Result<Vec<u8>, SqlError> {
        let reads: Reads<'_> = reads!(self);
        let named = |n| self.schema_of(n).ok_or_else(no_database);
        let made = reads.table(named(like)?, like.name.as_str())?;
        Ok(self.logged_create((named(name)?, name.name.as_str()), &made.meta).into_bytes())
    }

    /// CREATE TABLE as it is logged: as in MySQL with the name of the schema where that is not the default one.
    pub(super) fn logged_create(&self, (schema, name): (&str, &str), meta: &TableMeta) -> String {
        let style = Style::of(SqlMode(0), self.settings.tz);
        let text = create_table((schema, name), meta, 1, style);
        match self.info.database.as_deref() == Some(schema) {
            true => text,
            false => text.replacen("TABLE ", &format!("TABLE {}.", quoted(schema)), 1),
        }
    }

    fn drop_of(&self, tables: &[&TableName], if_exists: bool) -> Vec<u8> {
        let name = |n: &&TableName| match &n.schema {
            Some(s) => format!("{}.{}", quoted(s.as_str()), quoted(n.name.as_str())),
            None => quoted(n.name.as_str()),
        };
        let names: Vec<String> = tables.iter().map(name).collect();
        let exists = if if_exists { "IF EXISTS " } else { "" };
        format!("DROP TABLE {exists}{} /* generated by server */", names.join(",")).into_bytes()
    }

    /// A definition with a definer names it, because a replica runs statements as another account.
    /// CREATE TABLE with the primary key that it gets here: a replica makes none of its own.
    fn with_generated_key(&self, text: &[u8]) -> Vec<u8> {
        let text = text.trim_ascii();
        let mut text = text.strip_suffix(b";").unwrap_or(text).trim_ascii().to_vec();
        let open = tokens(&text, self.settings.lex_mode).find(|t| t.kind == T::LParen);
        if let Some(at) = open.map(|t| t.end as usize) {
            text.splice(at..at, gipk::TEXT.bytes());
        }
        text
    }

    fn with_definer(&self, text: &[u8], stmt: &Statement) -> Vec<u8> {
        use SqlCommand as C;
        let text = text.trim_ascii();
        let text = text.strip_suffix(b";").unwrap_or(text).trim_ascii();
        let defined = matches!(
            stmt.command(),
            C::CreateView
                | C::CreateProcedure
                | C::CreateFunction
                | C::CreateTrigger
                | C::CreateEvent
        );
        if !defined {
            return text.to_vec();
        }
        let mut at = None;
        for t in tokens(text, self.settings.lex_mode) {
            match t.kw {
                Kw::DEFINER => return text.to_vec(),
                Kw::VIEW | Kw::SQL | Kw::PROCEDURE | Kw::FUNCTION | Kw::TRIGGER | Kw::EVENT => {
                    at = Some(t.start as usize);
                    break;
                }
                _ => {}
            }
        }
        // ALTER EVENT and ALTER VIEW keep their definers.
        let creates = text.get(..6).is_some_and(|w| w.eq_ignore_ascii_case(b"create"));
        let Some(at) = at.filter(|_| creates) else { return text.to_vec() };
        let (user, host) = self.access.account();
        let definer = format!("DEFINER={}@{} ", quoted(user), quoted(host));
        [&text[..at], definer.as_bytes(), &text[at..]].concat()
    }

    /// XA PREPARE: the branch's rows are a transaction of the log.
    pub(super) async fn carry_branch(&mut self, txn: &mut Txn, xid: &Xid) -> Result<(), SqlError> {
        if !binlog::is_on(self.inst.binlog.get()) {
            return Ok(());
        }
        let name = xa_name(xid);
        let mut batch = Batch::default();
        self.push_query(&mut batch, NO_USE, format!("XA START {name}").as_bytes());
        let empty = batch.count;
        let mut events = self.gather(txn, batch).await?;
        let is_logged = events.batch.count > empty && self.logs_commits();
        self.end_of_branch_is_logged(xid, is_logged);
        if !is_logged {
            events.give_up().await;
            return Ok(());
        }
        let batch = &mut events.batch;
        self.push_query(batch, NO_USE, format!("XA END {name}").as_bytes());
        let mut body = vec![0];
        body.extend_from_slice(&(xid.format as u32).to_le_bytes());
        body.extend_from_slice(&(xid.gtrid.len() as u32).to_le_bytes());
        body.extend_from_slice(&(xid.bqual.len() as u32).to_le_bytes());
        body.extend_from_slice(&xid.gtrid);
        body.extend_from_slice(&xid.bqual);
        batch.push((Kind::XaPrepare, 0, self.seconds()), &body);
        let record = self.record(events, false).await?;
        txn.carry_events(record);
        Ok(())
    }

    /// Keeps in mind whether the end of a branch is to be logged; gives back what was known of it.
    fn end_of_branch_is_logged(&self, xid: &Xid, is_logged: bool) -> bool {
        let unlogged = &self.inst.unlogged_branches;
        let mut unlogged = unlogged.lock().unwrap_or_else(PoisonError::into_inner);
        let before = unlogged.len();
        unlogged.retain(|x| x != xid);
        let was_logged = unlogged.len() == before;
        if !is_logged {
            unlogged.push(xid.clone());
        }
        was_logged
    }

    /// XA COMMIT and XA ROLLBACK of a prepared branch. `None`: not logged.
    pub(super) async fn branch_ends(
        &self,
        xid: &Xid,
        word: &str,
    ) -> Result<Option<Vec<u8>>, SqlError> {
        if !self.logs_commits() || !self.inst.db.knows_prepared(xid) {
            return Ok(None);
        }
        if !self.end_of_branch_is_logged(xid, true) {
            return Ok(None);
        }
        let mut batch = Batch::default();
        self.push_query(&mut batch, NO_USE, format!("XA {word} {}", xa_name(xid)).as_bytes());
        self.record(batch, true).await.map(Some)
    }

    /// 1197 where the notes of a transaction are more than they may be.
    pub(super) fn check_notes(&self, txn: &Txn) -> Result<(), SqlError> {
        let limit = self.inst.vars.u64(Var::max_binlog_cache_size).min(u64::from(u32::MAX));
        match txn.noted().is_some_and(|n| n.len() > limit) {
            true => Err(too_large()),
            false => Ok(()),
        }
    }
}
