//! Statements that are no queries, between the gates that they go through.

use super::Session;
use super::execute::ATTEMPTS;
use crate::context::AdminResult;
use crate::ddl::engine_error;
use crate::errno;
use crate::session_api::{OkInfo, ResultSink, SqlError};
use crate::show::binary_log::no_such_file;
use crate::value::Value;
use weir_engine::in_background;
use weir_source::{BinaryLog, InUse};
use weir_syntax::ast::{AdminVerb, CastType, Expr, PurgeBinaryLogs, Statement};

impl Session {
    pub(super) async fn run_admin(
        &mut self,
        stmt: &Statement,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        if let Statement::PurgeBinaryLogs(what) = stmt {
            return self.purge_binary_logs(what, sink).await;
        }
        // What commits implicitly ends the transaction first: only the session's own READ ONLY holds for it.
        let read_only = match stmt.commits_implicitly() {
            true => self.settings.read_only,
            false => self.is_read_only(),
        };
        if stmt.defines() && read_only {
            return Err(crate::ddl::engine_error(weir_engine::Error::ReadOnlyTransaction));
        }
        let writing = self.admit_statement(stmt).await?;
        let around = self.writing;
        self.writing |= writing.is_some();
        let done = self.run_admitted(stmt, sink).await;
        self.writing = around;
        drop(writing);
        done
    }

    /// PURGE BINARY LOGS. Where there are none it works the time out all the same, for its warnings and errors.
    async fn purge_binary_logs(
        &mut self,
        what: &PurgeBinaryLogs,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        let log = self.inst.binlog.get().filter(|l| l.is_on()).cloned();
        let keep = match what {
            PurgeBinaryLogs::Before(time) => {
                let (expr, to) = (Box::new(time.clone()), Box::new(CastType::Datetime(None)));
                let time = self.value_of(&Expr::Cast { expr, to, array: false }).await?;
                match &log {
                    Some(log) => self.first_since(log, &time).await?,
                    None => None,
                }
            }
            PurgeBinaryLogs::To(name) => match &log {
                Some(log) => {
                    let number = log.number_of(&String::from_utf8_lossy(name));
                    Some(number.ok_or_else(no_such_file)?)
                }
                None => None,
            },
        };
        if let (Some(log), Some(keep)) = (log, keep)
            && let Some(used) = log.purge(keep).await.map_err(engine_error)?
        {
            let InUse { file, readers, purged, wanted } = used;
            let args: [&dyn std::fmt::Display; 4] = [&file, &readers, &purged, &wanted];
            let number = errno::ER_WARN_PURGE_LOG_IN_USE;
            self.current.warn(number, || errno::message(number, &args));
        }
        self.ok(sink, OkInfo::default())
    }

    /// The first file that has something of a time on the session's clock, or of later.
    async fn first_since(
        &self,
        log: &BinaryLog,
        time: &Value<'_>,
    ) -> Result<Option<u32>, SqlError> {
        let Value::DateTime(t) = time else { return Ok(None) };
        let micros = self.settings.tz.to_utc(t.civil_micros());
        let seconds = u64::try_from(micros / 1_000_000).unwrap_or(0);
        log.first_since(seconds).await.map_err(engine_error)
    }

    async fn run_admitted(
        &mut self,
        stmt: &Statement,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        if stmt.commits_implicitly() {
            self.end_transaction(true).await?;
        }
        self.keep_warnings = stmt.keeps_diagnostics();
        if let Statement::Flush(f) = stmt
            && self.flush_with_lock(&f.what).await?
        {
            return self.ok(sink, OkInfo::default());
        }
        self.check_locked(stmt)?;
        if stmt.row().makes_definition {
            self.inst.memory.admit()?;
        }
        Box::pin(self.settle_system_tables(stmt)).await?;
        self.check_branch_temporary(matches!(stmt, Statement::CreateTable(c) if c.temporary))?;
        // The gate outlives the borrow of the session.
        let inst = self.inst.clone();
        let inside = self.within.as_ref().is_some_and(|w| w.defining);
        let defining = match stmt.is_blocked_by_backup() && !inside {
            true => Some(inst.definitions.define(self.conn.id, &self.patience()).await?),
            false => None,
        };
        let around = self.defining;
        self.defining |= inside || defining.is_some();
        let done = self.run_defining(stmt, sink).await;
        self.defining = around;
        drop(defining);
        done
    }

    async fn run_defining(
        &mut self,
        stmt: &Statement,
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        // A definition may change while the statement waits for its table. It has then done nothing, for a statement that fails
        // leaves no change behind, and begins again with the new definition.
        let mut tries = 1;
        let logged = Box::pin(self.log_definition(stmt)).await?;
        let result = loop {
            let done = match stmt {
                Statement::CreateTable(c) if c.starts_transaction => {
                    self.create_table_started(c).await
                }
                Statement::CreateTable(c) if c.query.is_some() => self.create_table_as(c).await,
                Statement::CreateView(v) => self.create_view(v).await,
                Statement::CreateRoutine(r) => self.create_routine(r).await,
                Statement::AlterRoutine(a) => self.alter_routine(a).await,
                Statement::CreateTrigger(t) => self.create_trigger(t).await,
                Statement::DefineEvent(e) => Box::pin(self.define_event(e)).await,
                Statement::DropRoutine { kind, if_exists, name } => {
                    self.drop_program(*kind, *if_exists, name).await
                }
                Statement::TableAdmin(a) if a.verb == AdminVerb::Checksum => self.checksum(a).await,
                _ => self.run_admin_once(stmt).await,
            };
            match done {
                Err(e) if e.errno == errno::ER_TABLE_DEF_CHANGED && tries < ATTEMPTS => {
                    tries += 1;
                    Box::pin(self.settle_system_tables(stmt)).await?;
                }
                result => break result,
            }
        };
        self.ends_definition(logged);
        if self.txn.is_none() {
            self.drop_doomed().await;
        }
        if matches!(stmt, Statement::SetRole(_)) {
            self.show_roles();
        }
        if result.is_ok() {
            Box::pin(self.log_maintenance(stmt)).await?;
            self.after_admin(stmt);
            self.follow_locked(stmt);
        }
        match result? {
            AdminResult::Ok { affected, info } => {
                self.ok(sink, OkInfo { affected_rows: affected, info: &info, ..OkInfo::default() })
            }
            AdminResult::Rows(rows) => self.send_rows(&rows, sink),
            AdminResult::Unfiltered(rows) => {
                let rows = self.filter_shown(stmt, rows).await?;
                self.send_rows(&rows, sink)
            }
        }
    }

    async fn run_admin_once(&mut self, stmt: &Statement) -> Result<AdminResult, SqlError> {
        let background = self.settings.background;
        let mut cx = statement_ctx!(self);
        match background {
            true => in_background(Box::pin(crate::admin::run_admin(stmt, &mut cx))).await,
            false => crate::admin::run_admin(stmt, &mut cx).await,
        }
    }
}
