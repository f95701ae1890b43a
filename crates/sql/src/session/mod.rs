//! Sessions: text to statement, transactions, variables, prepared statements, plan caches.
//!
//! A session is driven by one connection (or an embedding program), one call at a time. It uses `query` for what reads and
//! changes rows, `admin` for the rest. Knows no protocol: answers go to a [`ResultSink`].
//!
//! Invariants:
//! - A statement that fails leaves no change behind; with a deadlock the whole transaction is gone.
//! - The answer of a statement in autocommit mode is given after its commit.
//! - A plan is used only while the catalog version it was made for is current.
//! - What a statement is given of the session is made in one place (`statement_ctx!`); a statement inside another one (`nested`) gets
//!   one of its own.

/// Awaits a plan by the session's priority: in the background page reads give way.
macro_rules! by_priority {
    ($session:expr, $plan:expr) => {
        match $session.settings.background {
            true => weir_engine::in_background(Box::pin($plan)).await,
            false => $plan.await,
        }
    };
}

/// What a statement may read of the session. A macro, because a function would borrow the session whole.
macro_rules! reads {
    ($session:expr) => {
        crate::context::Reads {
            shared: &$session.inst,
            conn: &$session.conn,
            settings: &$session.settings,
            vars: &$session.vars,
            work: &$session.work,
            schema: $session.info.database.as_deref(),
            session: &$session.info,
            last_warnings: &$session.warnings,
            interrupt: &$session.interrupt,
            locked: $session.locked.as_ref(),
            of_trigger: false,
            temporaries: &$session.temporaries,
            set_inside: &$session.set_inside,
            params: &$session.params,
            shown: $session.shown.as_ref(),
        }
    };
}

/// All that a statement is given of the session: here alone a context is made.
macro_rules! statement_ctx {
    ($session:expr) => {
        crate::context::StatementCtx {
            reads: reads!($session),
            now_micros: $session.inst.db.rt().wall_micros() as i64,
            changes: crate::context::Changes {
                user_vars: &mut $session.user_vars,
                access: &mut $session.access,
                warnings: &mut $session.current,
            },
        }
    };
}

mod admin;
mod answers;
mod applied;
mod backup;
mod binary_log;
mod binlog_statement;
mod border;
mod by_id;
mod call;
mod checksum;
mod commits;
mod connection;
mod count;
mod create_as;
mod create_started;
mod deferred_ack;
mod events;
mod execute;
mod explain_for;
mod gathered;
mod handlers;
mod hinted;
mod info;
mod instance;
mod kept;
mod kill;
mod lock_tables;
mod logged;
mod logged_accounts;
mod logged_text;
mod login;
mod nested;
mod next_gtid;
mod old_snapshot;
mod planning;
mod point;
mod point_span;
mod point_write;
mod preparable;
mod prepared;
mod programs;
mod read_only;
mod replicated;
mod savepoints;
mod scheduler;
mod semi_sync;
mod set;
mod system_tables;
mod tally;
mod temporary_tables;
mod text;
mod text_plans;
mod tracking;
mod transaction;
mod triggers;
mod views;
mod xa;

pub use applied::Foreign;
pub use by_id::ById;
pub use instance::Instance;
pub use kill::kill_by_account;
pub use login::{is_kept_out, may_monitor, must_change};
pub use scheduler::{Due, Run as EventRun, Scheduler};
pub use system_tables::read_grant_tables;
pub use tally::{STATS, Sent, Work};
pub use tracking::Tracked;

use crate::account::{Access, Connected};
use crate::context::{Settings, ShowResult, UserVars};
use crate::locks::{Backup, LockedTables};
use crate::memory::Held;
use crate::meta::temporary::Temporaries;
use crate::planted::{self, Bug};
use crate::processes::who_of;
use crate::query;
use crate::query::program::{Done, condition_of};
use crate::rights;
use crate::session_api::{ConnInfo, OkInfo, ResultSink, SqlError};
use crate::status::{SessionStatus, Stat};
use crate::value::{SqlMode, TypeInfo, Value, Warning, Warnings};
use crate::vars::{SessionVars, Var};
use call::OutTo;
use execute::Origin;
use info::Info;
use prepared::{Named, Prepared};
use savepoints::Savepoints;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use weir_engine::{Isolation, Txn};
use weir_rt::Interrupt;
use weir_syntax::ast::{ExplainTarget, Expr, Statement};
use weir_syntax::parse::{NormalizedBuf, ParseOptions, Parsed, normalize, parse_normalized};

/// One session.
pub struct Session {
    inst: Arc<Instance>,
    conn: ConnInfo,
    info: Info,
    vars: SessionVars,
    settings: Settings,
    work: SessionStatus,
    tally: tally::Tally,
    user_vars: UserVars,
    access: Access,
    interrupt: Arc<Interrupt>,
    txn: Option<Txn>,
    /// BEGIN was said: the transaction ends with COMMIT or ROLLBACK only.
    explicit: bool,
    savepoints: Savepoints,
    next_isolation: Option<Isolation>,
    next_read_only: Option<bool>,
    prepared: ById<Prepared>,
    named: HashMap<String, Named>,
    next_statement: u32,
    warnings: Warnings,
    /// The statement's own warnings, while it runs.
    current: Warnings,
    /// What answers say of the session.
    tracking: tracking::Tracking,
    /// The statement at hand shows the warnings and does not replace them.
    keep_warnings: bool,
    multi_statements: bool,
    normalized: NormalizedBuf,
    key: Vec<u8>,
    /// Values for the parameters of the statement at hand, when that is no query (SET, KILL).
    params: Vec<Value<'static>>,
    /// The types of the parameters, where they are variables of a program whose CREATE TABLE ... SELECT runs: columns are made of them, also
    /// of a variable that is NULL. Else none.
    declared: Vec<TypeInfo>,
    /// Memory for the parameters of the next execution.
    spare_values: Vec<Value<'static>>,
    /// Statements around the one at hand.
    depth: u32,
    /// While a program runs: the session's own mode.
    outer_mode: Option<SqlMode>,
    /// A statement of the session that writes is at work, see [`crate::locks::ReadOnlyGate`].
    writing: bool,
    /// The same for the gate of definitions.
    defining: bool,
    /// It is the server's own, for this statement of another session.
    within: Option<system_tables::Within>,
    /// LOCK TABLES and its like.
    locked: Option<LockedTables>,
    /// LOCK INSTANCE FOR BACKUP.
    backup: Option<Backup>,
    /// XA START: the transaction is a branch of a distributed one.
    xa: Option<xa::Branch>,
    temporaries: Temporaries,
    handlers: handlers::Handlers,
    set_inside: crate::context::SetInside,
    /// What the query that ran last gave to the stored program that ran it.
    given: Done,
    /// The rows of the SHOW at hand, while its WHERE runs as a query.
    shown: Option<ShowResult>,
    /// The rows of the query at hand are wanted as values.
    collecting: bool,
    /// Where the OUT parameters of the CALL at hand go.
    out_to: OutTo,
    /// What SIGNAL raised, with all that it said.
    signalled: Option<Warning>,
    owing: deferred_ack::Owing,
    /// What follows the statement that ran last, in UTF-8.
    ahead: Option<text::Ahead>,
    /// The account's connection, which its resources are counted on. Sessions that nobody logged in to have none.
    connected: Option<Connected>,
    /// The statement at hand is counted as one that changes something.
    update_counted: bool,
    /// KILL named this session's own connection.
    killed_itself: bool,
    /// The client has sent attributes with its last statement.
    has_attributes: bool,
    /// Memory of the syntax trees of long texts, until the statement ends. Locked for no longer than it takes to add to it.
    trees: Mutex<Held>,
    /// Memory of what the session keeps of its variables and warnings.
    kept: kept::Kept,
    points: point::Points,
    /// Of the text that is about to run.
    early: Option<point::Early>,
    said: commits::Said,
    /// The transaction was rolled back while the session was idle, and its client has not heard of it.
    given_up: Option<Box<SqlError>>,
}

/// A session's variables as they are when it begins, with the collation of its client.
fn first_vars(inst: &Instance, conn: &ConnInfo) -> SessionVars {
    let mut vars = SessionVars::new(&inst.vars);
    vars.set_handshake_collation(conn.collation_id);
    vars
}

impl Session {
    /// Opens a session for somebody whose password was checked.
    pub fn open(inst: &Arc<Instance>, conn: ConnInfo) -> Session {
        let access = inst.access_of(&conn);
        Session::open_with(inst, conn, access)
    }

    /// The same with other rights than the account's.
    pub fn open_with(inst: &Arc<Instance>, conn: ConnInfo, access: Access) -> Session {
        let interrupt = Arc::new(Interrupt::new());
        let hook = interrupt.clone();
        conn.kill.set_interrupt(&interrupt);
        if !planted::is(Bug::KillNotPassedOn) {
            conn.kill.set_hook(move |kind| hook.kill(kind as u8));
        }
        Session::with_interrupt(inst, conn, access, interrupt)
    }

    /// The same for whom the connection's kill reaches already.
    fn with_interrupt(
        inst: &Arc<Instance>,
        conn: ConnInfo,
        access: Access,
        interrupt: Arc<Interrupt>,
    ) -> Session {
        let vars = first_vars(inst, &conn);
        let settings = Settings::of(&vars);
        let mut s = Session {
            inst: inst.clone(),
            work: SessionStatus::new(&inst.status, who_of(&conn)),
            info: Info::new(inst, &conn, &interrupt),
            multi_statements: conn.multi_statements,
            conn,
            vars,
            settings,
            tally: Default::default(),
            user_vars: UserVars::default(),
            access,
            interrupt,
            txn: None,
            explicit: false,
            savepoints: Savepoints::default(),
            next_isolation: None,
            next_read_only: None,
            prepared: ById::default(),
            named: HashMap::new(),
            next_statement: 1,
            warnings: Warnings::default(),
            current: Warnings::default(),
            tracking: tracking::Tracking::default(),
            keep_warnings: false,
            normalized: NormalizedBuf::default(),
            key: Vec::new(),
            params: Vec::new(),
            declared: Vec::new(),
            spare_values: Vec::new(),
            depth: 0,
            outer_mode: None,
            writing: false,
            defining: false,
            within: None,
            locked: None,
            backup: None,
            xa: None,
            temporaries: Temporaries::default(),
            handlers: handlers::Handlers::default(),
            set_inside: Default::default(),
            given: Done::default(),
            shown: None,
            collecting: false,
            out_to: OutTo::default(),
            signalled: None,
            owing: deferred_ack::Owing::default(),
            ahead: None,
            connected: None,
            update_counted: false,
            killed_itself: false,
            has_attributes: false,
            trees: Mutex::default(),
            kept: kept::Kept::default(),
            points: point::Points::default(),
            early: None,
            said: commits::Said::default(),
            given_up: None,
        };
        s.begin_vars();
        s.show_roles();
        s
    }

    /// CURRENT_ROLE() gives what is active now.
    fn show_roles(&mut self) {
        self.info.set_roles(self.access.current_role());
    }

    /// The statements from here on obey the variables as they are now.
    fn settle_vars(&mut self) {
        self.settings = Settings::of(&self.vars);
        self.current.unnoted = !self.settings.notes;
    }

    /// Anyone who limits the size of joins wants larger ones refused: sql_big_selects follows max_join_size, at the beginning of a session too, as
    /// in MySQL.
    fn follow_join_size(&mut self) {
        let unlimited = self.vars.u64(Var::max_join_size) == u64::MAX;
        self.vars.put(Var::sql_big_selects, crate::vars::VarValue::Bool(unlimited));
    }

    /// What the handshake says about variables, and what follows from the global ones.
    fn begin_vars(&mut self) {
        use crate::vars::VarValue;
        self.vars.put(Var::pseudo_thread_id, VarValue::UInt(self.conn.id));
        if self.conn.interactive {
            let t = self.vars.get(Var::interactive_timeout);
            self.vars.put(Var::wait_timeout, t);
        }
        if self.conn.ignore_space {
            let mode = self.vars.sql_mode() | crate::vars::sql_mode::IGNORE_SPACE;
            self.vars.put(Var::sql_mode, VarValue::Set(mode));
        }
        self.follow_join_size();
        self.info.database = (!self.conn.database.is_empty()).then(|| self.conn.database.clone());
        self.follow_schema();
        self.settle_vars();
        self.info.memory.set_limit(self.settings.memory_limit);
    }

    pub fn set_multi_statements(&mut self, on: bool) {
        self.multi_statements = on;
    }

    /// Is the transaction that runs, or else the next one, READ ONLY?
    fn is_read_only(&self) -> bool {
        let next = self.next_read_only.unwrap_or(self.settings.read_only);
        self.txn.as_ref().map_or(next, |t| t.is_read_only())
    }

    fn start_statement(&mut self) {
        self.work.inc(Stat::Queries);
        self.interrupt.clear();
        // A kill that came before this line had its wake-up cleared.
        if let Some(kind) = self.conn.kill.pending() {
            self.interrupt.kill(kind as u8);
        }
        self.keep_warnings = false;
        // The one before may have been dropped within an inner statement.
        self.depth = 0;
        self.writing = false;
        self.defining = false;
        self.update_counted = false;
        self.shown = None;
        self.outer_mode = None;
        self.info.forget_programs();
        if self.current.total() > 0 {
            self.current.clear();
        }
        self.current.make_room(self.vars.u64(Var::max_error_count) as usize);
        self.current.unnoted = !self.settings.notes;
        // A role that was revoked is no longer active.
        if self.access.is_stale() {
            self.show_roles();
        }
    }

    fn end_statement(&mut self, result: Result<(), SqlError>) -> Result<(), SqlError> {
        self.trees = Mutex::default();
        self.info.memory.settle();
        let failed = result.as_ref().map_or_else(|e| e.errno, |()| 0);
        (self.tally.failed, self.tally.warnings) = (failed, self.current.total());
        match &result {
            Ok(()) => {}
            Err(e) => {
                if self.inst.history.is_on() {
                    self.tally.message.clone_from(&e.message);
                }
                self.info.set_row_count(-1);
                self.current.add(match self.signalled.take() {
                    Some(w) => w,
                    None => condition_of(e),
                });
            }
        }
        if self.info.insert_id_was_taken() {
            self.vars.put(Var::insert_id, crate::vars::VarValue::UInt(0));
        }
        self.tell_insert_id();
        let had = self.warnings.total();
        if (self.current.total() > 0 || had > 0) && !(self.keep_warnings && result.is_ok()) {
            std::mem::swap(&mut self.warnings, &mut self.current);
            self.warnings.keep(self.vars.u64(Var::max_error_count) as usize);
            self.charge_warnings();
            let count = |n: usize| crate::vars::VarValue::UInt(n as u64);
            self.vars.put(Var::warning_count, count(self.warnings.total() as usize));
            self.vars.put(Var::error_count, count(usize::from(result.is_err())));
        }
        result
    }

    /// The variable `last_insert_id` gives what the function gives.
    fn tell_insert_id(&mut self) {
        let last = crate::value::SessionInfo::last_insert_id(&self.info);
        if self.vars.u64(Var::last_insert_id) != last {
            self.vars.put(Var::last_insert_id, crate::vars::VarValue::UInt(last));
        }
    }

    async fn run_text(
        &mut self,
        sql: &[u8],
        sink: &mut dyn ResultSink,
    ) -> (Result<(), SqlError>, usize) {
        (self.tally.keyed, self.tally.plan, self.tally.digest) = (false, None, None);
        let early = self.early.take();
        let by_key = !self.settings.logs_texts
            && self.said.next_gtid.is_plain()
            && self.said.started.is_none();
        if early.is_some()
            || by_key && normalize(sql, &self.settings.lex_mode, &mut self.normalized).is_some()
        {
            let done = self.run_normalized(sql, early, sink).await;
            if let Some(result) = done {
                return (result, sql.len());
            }
            self.tally.keyed = false;
        }
        let parsed = match self.parse_sent(sql) {
            Ok(p) => p,
            Err(e) => return (Err(e), sql.len()),
        };
        let Parsed { stmt, consumed, last, alone, .. } = parsed;
        if !alone && !self.multi_statements {
            let rest = String::from_utf8_lossy(&sql[consumed..]).trim_start().to_string();
            return (Err(SqlError::parse(&rest, 1)), sql.len());
        }
        let ends = last || !self.multi_statements;
        if !ends {
            sink.more_follows();
        }
        self.said(&sql[..consumed], &stmt);
        (self.run_statement(&stmt, &[], sink).await, if ends { sql.len() } else { consumed })
    }

    /// A statement whose plan may be known by its text. `None`: not one of those.
    async fn run_normalized(
        &mut self,
        sql: &[u8],
        early: Option<point::Early>,
        sink: &mut dyn ResultSink,
    ) -> Option<Result<(), SqlError>> {
        let point::Early { params, plan } = match early {
            Some(early) => {
                self.tally.keyed = true;
                early
            }
            None => match self.look_up(sql) {
                Ok(found) => found,
                Err(e) => return Some(Err(e)),
            },
        };
        // A kept plan says nothing of the names under which its tables are locked, nor of names that temporary tables hide.
        if self.locked.is_none()
            && self.temporaries.is_empty()
            && let Some(plan) = plan
            && plan.catalog_version() == self.inst.db.catalog_version()
            && !plan.is_outgrown()
            && (!plan.is_watched() || self.fits(&plan, &params).await)
        {
            self.work.inc(Stat::Weir_plan_cache_hits);
            self.warn_of(&plan);
            match self.run_plan(&plan, &params, sink).await {
                Err(execute::Again) => self.current.clear(),
                Ok(r) => {
                    self.tally.plan = Some(plan);
                    return Some(r);
                }
            }
        }
        let (sql_mode, client) = (self.settings.lex_mode, self.client());
        let options = ParseOptions { sql_mode, client, ..Default::default() };
        let parsed = match parse_normalized(sql, &options) {
            Ok(p) => p,
            Err(e) => return Some(Err(parse_error(e))),
        };
        if !query::is_query(&parsed.stmt) || !parsed.last || parsed.params as usize != params.len()
        {
            return None;
        }
        Some(self.run_query(&parsed.stmt, Origin::Text, &params, sink).await)
    }

    /// Refuses a query that may not be run, before any error about the names in it is reported. What only binding knows is
    /// checked with the plan, see [`rights::cover`].
    fn check_query(&mut self, stmt: &Statement) -> Result<(), SqlError> {
        if self.access.is_expired() {
            return Err(login::must_change());
        }
        let mut needs = rights::of_query(stmt, self.info.database.as_deref())?;
        rights::spare_temporary(&mut needs, &self.temporaries);
        rights::check(&needs, &mut self.access)
    }

    /// The same for any statement.
    fn check_statement(&mut self, stmt: &Statement) -> Result<(), SqlError> {
        let (user, host) = self.access.account();
        let me = rights::Me { user, host };
        let needs = rights::of_statement(stmt, self.info.database.as_deref(), me)?;
        if self.access.is_expired() && !login::changes_password(stmt, &needs, me) {
            return Err(login::must_change());
        }
        let needs = self.spare_temporary(stmt, needs);
        rights::check(&needs, &mut self.access)
    }

    /// Runs a statement whose transaction has no name of its client's.
    async fn run_unnamed(
        &mut self,
        stmt: &Statement,
        params: &[Value<'static>],
        sink: &mut dyn ResultSink,
    ) -> Result<(), SqlError> {
        if let Statement::Explain(e) = stmt
            && let ExplainTarget::Connection(id) = e.target
        {
            self.count(stmt);
            if self.access.is_expired() {
                return Err(login::must_change());
            }
            return self.explain_for(e, id, sink).await;
        }
        if query::is_query(stmt) {
            return self.run_query(stmt, Origin::Tree, params, sink).await;
        }
        self.count(stmt);
        self.close_handlers_of(stmt);
        self.check_statement(stmt)?;
        if self.access.is_limited() && stmt.defines() {
            self.count_update()?;
        }
        self.params.clear();
        self.params.extend_from_slice(params);
        match stmt {
            Statement::Begin => self.begin(&Default::default()).await?,
            Statement::StartTransaction(t) => self.begin(t).await?,
            Statement::Commit(c) => return self.complete(true, c, sink).await,
            Statement::Rollback(c) => return self.complete(false, c, sink).await,
            Statement::Savepoint(n) => self.savepoint(n.as_str())?,
            Statement::RollbackTo(n) => self.rollback_to(n.as_str()).await?,
            Statement::ReleaseSavepoint(n) => self.release_savepoint(n.as_str())?,
            Statement::SetTransaction(t) => self.set_transaction(t)?,
            Statement::Set(items) => self.set(items).await?,
            Statement::Use(name) => self.use_database(name.as_str())?,
            Statement::Prepare { name, source } => {
                self.prepare_named(name.as_str(), source).await?;
                return self.ok(sink, OkInfo { info: "Statement prepared", ..OkInfo::default() });
            }
            Statement::Execute { name, using } => {
                return self.execute_named(name.as_str(), using, sink).await;
            }
            Statement::Deallocate { name } => self.deallocate(name.as_str())?,
            Statement::Kill { query_only, id } => {
                let id = self.value_of(id).await?;
                self.kill(*query_only, &id)?;
            }
            Statement::Call { name, args } => {
                let out_to = std::mem::take(&mut self.out_to);
                return Box::pin(self.call(name, args, out_to, sink)).await;
            }
            Statement::Signal(s) => self.signal(s)?,
            Statement::GetDiagnostics(g) => self.diagnostics(g)?,
            Statement::LockTables(list) => self.lock_tables(list).await?,
            Statement::UnlockTables => self.unlock_tables().await?,
            Statement::LockInstance => self.lock_instance().await?,
            Statement::UnlockInstance => self.backup = None,
            Statement::Backup(b) => return Box::pin(self.back_up(b, sink)).await,
            Statement::Comment => {}
            Statement::Binlog(text) => Box::pin(self.binlog_statement(text)).await?,
            Statement::Xa(x) => return Box::pin(self.xa(x, sink)).await,
            Statement::Handler(h) => return Box::pin(self.handler(stmt, h, sink)).await,
            Statement::Unsupported { what } => return Err(SqlError::not_supported(what)),
            // Definition statements have the largest futures; in a box, no query carries room for one.
            other => return Box::pin(self.run_admin(other, sink)).await,
        }
        self.ok(sink, OkInfo::default())
    }

    fn send_rows(&mut self, rows: &ShowResult, sink: &mut dyn ResultSink) -> Result<(), SqlError> {
        query::send_rows(rows, &self.settings, sink)?;
        // Who asks for warnings asks about the statement before.
        if !self.keep_warnings {
            self.info.set_found_rows(rows.rows.len() as u64);
        }
        self.info.set_row_count(-1);
        let ok = self.ok_info(OkInfo::default());
        sink.end_rows(&ok)?;
        Ok(())
    }

    /// The answer of a statement without rows. What it says of rows is what ROW_COUNT() gives.
    fn ok(&mut self, sink: &mut dyn ResultSink, ok: OkInfo<'_>) -> Result<(), SqlError> {
        self.info.set_row_count(ok.affected_rows as i64);
        let ok = self.ok_info(ok);
        sink.ok(&ok)?;
        Ok(())
    }

    /// An expression without tables; `None` if something must be run for it.
    fn constant(&mut self, e: &Expr) -> Result<Option<Value<'static>>, SqlError> {
        query::constant(e, &self.params, statement_ctx!(self))
    }
}

/// The same context once more, for anyone who takes it whole.
fn reborrow<'c>(cx: &'c mut crate::context::StatementCtx<'_>) -> crate::context::StatementCtx<'c> {
    crate::context::StatementCtx {
        reads: cx.reads,
        now_micros: cx.now_micros,
        changes: crate::context::Changes {
            user_vars: cx.changes.user_vars,
            access: cx.changes.access,
            warnings: cx.changes.warnings,
        },
    }
}

fn parse_error(e: weir_syntax::parse::ParseError) -> SqlError {
    SqlError::new(e.errno, e.message.to_string())
}
