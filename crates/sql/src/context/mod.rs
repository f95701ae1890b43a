//! What a statement is given of its session: what it may read ([`Reads`]), what it may change ([`Changes`]), the two together with
//! its time ([`StatementCtx`]). What a statement that is no query answers, and the tables that are computed when they are read
//! (information_schema and its like), whose rows are made from the same surroundings.
//!
//! Below all rooms that run statements (`ddl`, `infoschema`, `show`, `admin`, `query`); uses the definitions (`meta`), the accounts
//! and the variables, and runs nothing itself. The session makes a context in one place for each statement that it runs; a
//! statement that runs inside another one gets one of its own.

mod prepared;
mod programs;
mod rows;
mod set_inside;
mod settings;
mod system_tables;
mod user_vars;
mod virtual_table;

pub use prepared::{Listed, PreparedStatement, PreparedStatements};
pub use programs::{Programs, TableTriggers};
pub use rows::{BindRows, RowExprs, TypeOf};
pub use set_inside::SetInside;
pub use settings::{Settings, lex_mode};
pub use system_tables::{SYSTEM_SCHEMA, SystemTables};
pub use user_vars::{UserVars, check_user_var};
pub use virtual_table::{BoxFuture, VirtualColumn, VirtualHint, VirtualTable};

use std::borrow::Cow;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};

use weir_engine::{Db, DdlContext, ObjectKind, Xid};
use weir_rt::{Interrupt, Notify};

use crate::account::{Access, AccountName, Accounts};
use crate::digests::Digests;
use crate::errno;
use crate::files::{BackupFiles, ErrorLog, NoFiles, ServerFiles, StatementLogs};
use crate::locks::{Deadlocks, DefinitionGate, LockedTables, ReadOnlyGate, UserLocks, Xids};
use crate::memory::ServerMemory;
use crate::meta::temporary::{self, Temporaries, TemporaryNames};
use crate::meta::{MetaCache, SqlTable};
use crate::session_api::{ConnInfo, NoSessions, Sessions, SqlError};
use crate::stages::Stages;
use crate::statement_history::StatementHistory;
use crate::status::{SessionStatus, Status};
use crate::value::geo::srs::ReferenceSystems;
use crate::value::{EvalCtx, SessionInfo, SqlType, Value, Warnings};
use crate::vars::{GlobalVars, Persisted, SessionVars};
use weir_syntax::ast::{Expr, UserSpec};

/// Which of `rows` satisfy the WHERE of SHOW; one answer for each row, or `None` where it needs a plan. Evaluating is the affair of a room above this one.
pub type RowFilter = fn(
    cx: &mut StatementCtx<'_>,
    expr: &Expr,
    columns: &[VirtualColumn],
    rows: &[Vec<Value<'static>>],
) -> Result<Option<Vec<bool>>, SqlError>;

/// Finds computed tables (information_schema and its like).
pub type VirtualLookup = fn(&str, &str) -> Option<&'static dyn VirtualTable>;

/// What all sessions of an opened database share.
pub struct Shared {
    pub db: Db,
    pub accounts: Arc<Accounts>,
    pub vars: Arc<GlobalVars>,
    pub status: Arc<Status>,
    /// What all sessions hold.
    pub memory: Arc<ServerMemory>,
    /// What statements came to.
    pub digests: Digests,
    /// The last of them.
    pub history: StatementHistory,
    /// What UUID_SHORT() gives next.
    pub short_uuids: Arc<AtomicU64>,
    pub meta: MetaCache,
    /// Stored programs that were read.
    pub programs: Programs,
    /// What coordinates of geometries mean.
    pub reference_systems: Arc<ReferenceSystems>,
    pub user_locks: Arc<UserLocks>,
    pub xids: Arc<Xids>,
    pub definitions: Arc<DefinitionGate>,
    /// There are events with other times, `event_scheduler` is another, or the server stops: the scheduler is to look.
    pub events_changed: Notify,
    /// What sessions are at that lasts.
    pub stages: Stages,
    /// The prepared statements of all sessions.
    pub prepared: Arc<PreparedStatements>,
    pub read_only: ReadOnlyGate,
    /// What SET PERSIST keeps.
    pub persisted: Persisted,
    /// The server's sessions, once there is a server.
    pub sessions: OnceLock<Arc<dyn Sessions>>,
    /// The files of the server's machine, once there is a server.
    pub server_files: OnceLock<Arc<dyn ServerFiles>>,
    /// What the last deadlock was about.
    pub deadlocks: Deadlocks,
    /// Where BACKUP TO stores backups.
    pub backup_files: OnceLock<Arc<dyn BackupFiles>>,
    /// Its logs of statements.
    pub statement_logs: OnceLock<Arc<dyn StatementLogs>>,
    /// Its log of errors.
    pub error_log: OnceLock<Arc<dyn ErrorLog>>,
    /// Its certificates.
    pub tls: OnceLock<Arc<dyn crate::tls::TlsControl>>,
    /// Its channels to sources.
    pub replicas: OnceLock<Arc<dyn crate::replication::Replicas>>,
    /// Its own binary log, if there is one.
    pub binlog: OnceLock<Arc<weir_source::BinaryLog>>,
    /// Prepared branches that are not in the log: they changed nothing that is logged, so neither is their end.
    pub unlogged_branches: Mutex<Vec<Xid>>,
    pub temporary_names: TemporaryNames,
    /// Computed tables by name, whether or not a table stands in the place of one: see [`Shared::computed`].
    pub virtuals: VirtualLookup,
    pub system_tables: SystemTables,
    pub filter: RowFilter,
    pub bind_rows: BindRows,
    pub type_of: TypeOf,
    /// When the database was opened, microseconds since 1970 UTC.
    pub started_micros: i64,
}

impl Shared {
    /// The server's sessions; without a server there are none to be told of.
    pub fn sessions(&self) -> &dyn Sessions {
        match self.sessions.get() {
            Some(s) => &**s,
            None => &NoSessions,
        }
    }

    /// The computed table of a name. One of the schema `mysql` is not there while a table of its name is, which somebody has
    /// written to, or a view, or after somebody has dropped it.
    pub fn computed(&self, schema: &str, name: &str) -> Option<&'static dyn VirtualTable> {
        let table = (self.virtuals)(schema, name)?;
        let taken = || {
            self.db.table(schema, name).is_some()
                || self.db.object(ObjectKind::View, schema, name).is_some()
        };
        let gone =
            table.schema() == SYSTEM_SCHEMA && (self.system_tables.is_dropped(name) || taken());
        (!gone).then_some(table)
    }

    /// The files that statements may read and write; without a server none.
    pub fn files(&self) -> &dyn ServerFiles {
        match self.server_files.get() {
            Some(f) => &**f,
            None => &NoFiles,
        }
    }
}

/// What a statement may read of its session and of the server. Nothing of the session in it changes while the statement runs, so
/// anyone who needs it takes a copy.
#[derive(Clone, Copy)]
pub struct Reads<'a> {
    pub shared: &'a Shared,
    /// Who is connected, and the switch that ends what it runs.
    pub conn: &'a ConnInfo,
    pub settings: &'a Settings,
    pub vars: &'a SessionVars,
    /// What the session counts.
    pub work: &'a SessionStatus,
    /// Default schema.
    pub schema: Option<&'a str>,
    /// What functions ask the session; the limits of time and memory that the statement is under.
    pub session: &'a dyn SessionInfo,
    /// The warnings of the statement before, for SHOW WARNINGS.
    pub last_warnings: &'a Warnings,
    /// What wakes the statement when it is killed while it waits in the engine.
    pub interrupt: &'a Arc<Interrupt>,
    /// Tables that the session has locked by LOCK TABLES.
    pub locked: Option<&'a LockedTables>,
    /// The statement is a trigger's, or of a function that one calls: what they use beside the listed tables is locked with them.
    pub of_trigger: bool,
    pub temporaries: &'a Temporaries,
    pub set_inside: &'a SetInside,
    /// What the placeholders of a prepared statement stand for.
    pub params: &'a [Value<'static>],
    /// The rows of a SHOW whose WHERE is at work as a query: the table without a name.
    pub shown: Option<&'a ShowResult>,
}

impl<'a> Reads<'a> {
    /// 1100 for a table that the session's LOCK TABLES does not let it read under this name.
    pub fn may_read(&self, schema: &str, table: &str, alias: &str) -> Result<(), SqlError> {
        match self.locked {
            Some(locked) if !self.of_trigger => locked.check_read(schema, table, alias),
            _ => Ok(()),
        }
    }

    /// 1099, 1100 or 1223 for one that it does not let it change.
    pub fn may_write(&self, schema: &str, table: &str, alias: &str) -> Result<(), SqlError> {
        match self.locked {
            None => Ok(()),
            Some(locked) if self.of_trigger && locked.is_listed() => {
                let listed = locked.names(schema, table);
                if listed { locked.check_define(schema, table) } else { Ok(()) }
            }
            Some(locked) => locked.check_write(schema, table, alias),
        }
    }

    /// The computed table that the session means by a name: none where it has a temporary table of that name.
    pub fn computed(&self, schema: &str, name: &str) -> Option<&'static dyn VirtualTable> {
        self.shared.computed(schema, name).filter(|_| !self.temporaries.has(schema, name))
    }

    pub fn db(self) -> &'a Db {
        &self.shared.db
    }

    pub fn meta(self) -> &'a MetaCache {
        &self.shared.meta
    }

    /// The table that has these names for the session: a temporary one before all others. 1049 for a schema and 1146 for a table that
    /// do not exist.
    pub fn table(self, schema: &str, name: &str) -> Result<Arc<SqlTable>, SqlError> {
        match self.temporaries.find(schema, name) {
            Some(kept) => self.meta().lookup(self.db(), temporary::HIDDEN, &kept),
            None if schema == temporary::HIDDEN => Err(SqlError::unknown_database(schema)),
            None => self.meta().lookup(self.db(), schema, name),
        }
    }

    /// The schema a name without one is in: the given one, else the default, else 1046.
    pub fn schema_of<'s>(self, given: Option<&'s str>) -> Result<&'s str, SqlError>
    where
        'a: 's,
    {
        given.or(self.schema).ok_or_else(SqlError::no_database)
    }

    /// How the engine's DDL is to wait.
    pub fn ddl(self) -> DdlContext {
        DdlContext {
            lock_timeout: self.settings.ddl_timeout,
            interrupt: self.interrupt.clone(),
            held: self.locked.map(|l| l.held.clone()),
            ..DdlContext::default()
        }
    }

    /// The surroundings of expressions. `now_micros`: the statement's time by the clock, in microseconds since 1970 UTC.
    pub fn eval(self, now_micros: i64) -> EvalCtx<'a> {
        let s = self.settings;
        let mut cx = EvalCtx::new(self.session);
        cx.mode = s.mode;
        cx.tz = s.tz;
        cx.now_micros =
            if s.timestamp > 0.0 { (s.timestamp * 1e6).round() as i64 } else { now_micros };
        cx.div_increment = s.div_increment;
        cx.collation = s.collation;
        cx.group_concat_max_len = s.group_concat_max_len;
        cx.warnings.make_room(s.max_error_count);
        cx.warnings.unnoted = !s.notes;
        cx.max_packet = s.max_packet;
        cx.default_week_format = s.default_week_format;
        cx.encryption_mode = s.encryption_mode;
        cx.locale = s.locale;
        cx
    }
}

/// What a statement may change of its session. Its transaction is handed over beside, where it has one.
pub struct Changes<'a> {
    pub user_vars: &'a mut UserVars,
    /// Rights of the session's account: a look at them takes over what was granted meanwhile.
    pub access: &'a mut Access,
    /// The statement's diagnostics.
    pub warnings: &'a mut Warnings,
}

/// All that a statement is given of its session. Where its answer goes is the sink that is handed over beside.
pub struct StatementCtx<'a> {
    pub reads: Reads<'a>,
    /// Statement time by the clock, microseconds since 1970 UTC.
    pub now_micros: i64,
    pub changes: Changes<'a>,
}

impl StatementCtx<'_> {
    /// The account that a statement names.
    pub fn account(&self, u: &UserSpec) -> AccountName {
        let conn = self.reads.conn;
        match u {
            UserSpec::CurrentUser => AccountName::new(&conn.account_user, &conn.account_host),
            UserSpec::Name { user, host } => AccountName::new(user, host.as_deref().unwrap_or("%")),
        }
    }
}

/// What a computed table is made from: it reads, and changes nothing.
#[derive(Clone, Copy)]
pub struct TableReads<'a> {
    pub reads: Reads<'a>,
    pub access: &'a Access,
}

/// A small result set.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ShowResult {
    pub columns: Vec<VirtualColumn>,
    pub rows: Vec<Vec<Value<'static>>>,
}

impl ShowResult {
    pub fn new(columns: Vec<VirtualColumn>) -> ShowResult {
        ShowResult { columns, rows: Vec::new() }
    }
}

/// How an administrative statement ended.
#[derive(Debug, Clone, PartialEq)]
pub enum AdminResult {
    Ok {
        affected: u64,
        info: String,
    },
    Rows(ShowResult),
    /// The rows of a SHOW whose WHERE needs a plan, and has not been asked yet.
    Unfiltered(ShowResult),
}

impl AdminResult {
    /// OK without a count.
    pub const fn ok() -> AdminResult {
        AdminResult::Ok { affected: 0, info: String::new() }
    }
}

impl VirtualColumn {
    /// A nullable column.
    pub const fn new(name: &'static str, ty: SqlType) -> VirtualColumn {
        VirtualColumn { name: Cow::Borrowed(name), ty, nullable: true }
    }
}

/// 1235 with a sentence of its own.
pub fn refused(what: impl Into<String>) -> SqlError {
    SqlError::new(errno::ER_NOT_SUPPORTED_YET, what)
}
