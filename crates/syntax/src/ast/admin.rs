//! SET, SHOW, transactions, accounts and server administration.

use super::{Expr, Ident, Limit, Statement, SysVar, TableName, VarScope};

/// Value given to a system variable.
#[derive(Clone, Debug, PartialEq)]
pub enum SetValue {
    Default,
    /// A bare word such as ON, ALL, BINARY, READ_COMMITTED or ANSI.
    Word(Box<str>),
    Expr(Expr),
}

/// One element of SET.
#[derive(Clone, Debug, PartialEq)]
pub enum SetItem {
    /// `@name = value`.
    User { name: Ident, value: Expr },
    /// A system variable (or a local one of a routine).
    System { var: SysVar, value: SetValue },
    /// `NAMES charset [COLLATE c]`; `None` is DEFAULT.
    Names { charset: Option<Box<str>>, collation: Option<Box<str>> },
    /// `CHARACTER SET charset`; `None` is DEFAULT.
    CharacterSet(Option<Box<str>>),
}

/// Isolation level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IsolationLevel {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

/// SET [scope] TRANSACTION; without scope: the next transaction only.
#[derive(Clone, Debug, PartialEq)]
pub struct SetTransaction {
    pub scope: Option<VarScope>,
    pub isolation: Option<IsolationLevel>,
    pub read_only: Option<bool>,
}

/// START TRANSACTION.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartTransaction {
    pub consistent_snapshot: bool,
    pub read_only: Option<bool>,
}

/// `[AND [NO] CHAIN] [[NO] RELEASE]`; `None`: as `completion_type` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    pub chain: Option<bool>,
    pub release: Option<bool>,
}

/// How LOCK TABLES locks a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableLockKind {
    Read,
    ReadLocal,
    Write,
    LowPriorityWrite,
}

/// One element of LOCK TABLES.
#[derive(Clone, Debug, PartialEq)]
pub struct LockTable {
    pub name: TableName,
    pub alias: Option<Ident>,
    pub kind: TableLockKind,
}

/// Identifier of a distributed transaction.
#[derive(Clone, Debug, PartialEq)]
pub struct Xid {
    pub gtrid: Box<[u8]>,
    pub bqual: Box<[u8]>,
    pub format_id: u64,
}

/// XA statements.
#[derive(Clone, Debug, PartialEq)]
pub enum Xa {
    Start { xid: Xid, join: bool, resume: bool },
    End { xid: Xid, suspend: bool, for_migrate: bool },
    Prepare(Xid),
    Commit { xid: Xid, one_phase: bool },
    Rollback(Xid),
    Recover { convert_xid: bool },
}

/// Text of PREPARE.
#[derive(Clone, Debug, PartialEq)]
pub enum PrepareSource {
    Text(Box<[u8]>),
    UserVar(Ident),
}

/// LIKE or WHERE of SHOW.
#[derive(Clone, Debug, PartialEq)]
pub enum ShowFilter {
    Like(Box<[u8]>),
    Where(Expr),
}

/// SHOW: what, and the filter (always `None` where the grammar has none).
#[derive(Clone, Debug, PartialEq)]
pub struct Show {
    pub kind: ShowKind,
    pub filter: Option<ShowFilter>,
}

/// What SHOW shows.
#[derive(Clone, Debug, PartialEq)]
pub enum ShowKind {
    Databases,
    Tables {
        full: bool,
        extended: bool,
        schema: Option<Ident>,
    },
    TableStatus {
        schema: Option<Ident>,
    },
    OpenTables {
        schema: Option<Ident>,
    },
    Triggers {
        full: bool,
        schema: Option<Ident>,
    },
    Events {
        schema: Option<Ident>,
    },
    Columns {
        full: bool,
        extended: bool,
        table: TableName,
    },
    Index {
        extended: bool,
        table: TableName,
    },
    /// `global` false: session.
    Variables {
        global: bool,
    },
    Status {
        global: bool,
    },
    CreateTable(TableName),
    CreateView(TableName),
    CreateDatabase {
        if_not_exists: bool,
        name: Ident,
    },
    CreateProcedure(TableName),
    CreateFunction(TableName),
    CreateTrigger(TableName),
    CreateEvent(TableName),
    CreateUser(UserSpec),
    ProcedureStatus,
    FunctionStatus,
    /// PROCEDURE CODE / FUNCTION CODE.
    RoutineCode(TableName),
    /// `name` is ALL or an engine; `what` is STATUS, MUTEX or LOGS.
    Engine {
        name: Ident,
        what: Ident,
    },
    Engines,
    Processlist {
        full: bool,
    },
    Warnings(Option<Limit>),
    Errors(Option<Limit>),
    CountWarnings,
    CountErrors,
    /// SHOW MASTER STATUS, SHOW BINARY LOG STATUS.
    BinaryLogStatus,
    BinaryLogs,
    BinlogEvents {
        log: Option<Box<[u8]>>,
        position: Option<u64>,
        limit: Option<Limit>,
    },
    RelaylogEvents {
        log: Option<Box<[u8]>>,
        position: Option<u64>,
        limit: Option<Limit>,
        channel: Option<Box<[u8]>>,
    },
    /// `old`: SHOW SLAVE STATUS, whose columns have older names.
    ReplicaStatus {
        old: bool,
        channel: Option<Box<[u8]>>,
    },
    Replicas,
    /// `user` absent: the current one.
    Grants {
        user: Option<UserSpec>,
        using: Vec<UserSpec>,
    },
    CharacterSet,
    Collation,
    Plugins,
    Privileges,
    Profiles,
    Profile {
        types: Vec<Box<str>>,
        query: Option<u64>,
        limit: Option<Limit>,
    },
}

/// Output format of EXPLAIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExplainFormat {
    Default,
    Traditional,
    Json,
    Tree,
}

/// EXPLAIN of a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Explain {
    pub analyze: bool,
    pub format: ExplainFormat,
    pub target: ExplainTarget,
}

/// What is explained.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplainTarget {
    Statement(Box<Statement>),
    /// FOR CONNECTION n.
    Connection(u64),
}

/// Second word of DESCRIBE.
#[derive(Clone, Debug, PartialEq)]
pub enum DescribeColumn {
    Name(Ident),
    Pattern(Box<[u8]>),
}

/// Maintenance verbs over a list of tables.
#[derive(Clone, Debug, PartialEq)]
pub enum AdminVerb {
    Analyze,
    /// UPDATE HISTOGRAM ON columns [WITH n BUCKETS] [MANUAL UPDATE | AUTO UPDATE], or USING DATA.
    UpdateHistogram {
        columns: Vec<Ident>,
        buckets: Option<u64>,
        using_data: Option<Box<[u8]>>,
        /// AUTO UPDATE.
        auto_update: bool,
    },
    DropHistogram {
        columns: Vec<Ident>,
    },
    Check,
    Checksum,
    /// CACHE INDEX ... IN the key cache of this name.
    AssignToKeyCache(Ident),
    /// LOAD INDEX INTO CACHE.
    PreloadKeys,
    Optimize,
    Repair,
}

/// ANALYZE, CHECK, CHECKSUM, OPTIMIZE, REPAIR TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct TableAdmin {
    pub verb: AdminVerb,
    pub tables: Vec<TableName>,
    /// NO_WRITE_TO_BINLOG or LOCAL.
    pub local: bool,
    /// QUICK, EXTENDED, FOR UPGRADE, FAST, MEDIUM, CHANGED, USE_FRM; upper case.
    pub options: Vec<&'static str>,
}

/// FLUSH.
#[derive(Clone, Debug, PartialEq)]
pub struct Flush {
    pub local: bool,
    pub what: Vec<FlushKind>,
}

/// What is flushed.
#[derive(Clone, Debug, PartialEq)]
pub enum FlushKind {
    Tables { names: Vec<TableName>, read_lock: bool, export: bool },
    Privileges,
    Logs,
    BinaryLogs,
    EngineLogs,
    ErrorLogs,
    GeneralLogs,
    SlowLogs,
    RelayLogs { channel: Option<Box<[u8]>> },
    Status,
    UserResources,
    OptimizerCosts,
    Hosts,
}

/// What RESET resets.
#[derive(Clone, Debug, PartialEq)]
pub enum ResetKind {
    /// RESET MASTER [TO n], RESET BINARY LOGS AND GTIDS [TO n].
    BinaryLogs(Option<u64>),
    Replica {
        all: bool,
        channel: Option<Box<[u8]>>,
    },
    /// RESET PERSIST [[IF EXISTS] name].
    Persist {
        if_exists: bool,
        name: Option<Ident>,
    },
}

/// What a statement wants of a replica.
#[derive(Clone, Debug, PartialEq)]
pub enum Replication {
    /// CHANGE REPLICATION SOURCE TO, CHANGE MASTER TO.
    ChangeSource { options: Vec<SourceOption>, channel: Option<Box<[u8]>> },
    /// CHANGE REPLICATION FILTER.
    ChangeFilter { filters: Vec<ReplicationFilter>, channel: Option<Box<[u8]>> },
    /// START REPLICA or STOP REPLICA.
    Run(RunReplica),
    /// START or STOP GROUP_REPLICATION.
    Group { starts: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunReplica {
    pub starts: bool,
    /// The thread that receives, and the one that applies: both where none is named.
    pub receiver: bool,
    pub applier: bool,
    /// UNTIL.
    pub until: Vec<SourceOption>,
    /// USER, PASSWORD and their like.
    pub login: Vec<SourceOption>,
    pub channel: Option<Box<[u8]>>,
}

/// `NAME = value`, by the name of MySQL 8.0.23 and later.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceOption {
    pub name: &'static str,
    pub value: SourceValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SourceValue {
    Text(Box<[u8]>),
    Number(u64),
    /// A number with a point.
    Decimal(Box<str>),
    List(Vec<u64>),
    /// NULL, OFF, STREAM and their like, in upper case.
    Word(Box<str>),
    Account(UserSpec),
}

/// One filter of CHANGE REPLICATION FILTER.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicationFilter {
    pub kind: FilterKind,
    /// Databases; tables and patterns, `database.table`; pairs of databases.
    pub values: Vec<(Box<str>, Option<Box<str>>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    DoDb,
    IgnoreDb,
    DoTable,
    IgnoreTable,
    WildDoTable,
    WildIgnoreTable,
    RewriteDb,
}

/// Which logs PURGE BINARY LOGS removes.
#[derive(Clone, Debug, PartialEq)]
pub enum PurgeBinaryLogs {
    To(Box<[u8]>),
    Before(Expr),
}

/// An account as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum UserSpec {
    /// CURRENT_USER [()].
    CurrentUser,
    /// `'name'@'host'`; without host: `%`.
    Name { user: Box<str>, host: Option<Box<str>> },
}

/// IDENTIFIED clause of an account.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuthSpec {
    /// WITH plugin.
    pub plugin: Option<Ident>,
    pub how: AuthHow,
    /// REPLACE 'current password'.
    pub replace: Option<Box<[u8]>>,
    pub retain_current: bool,
    pub discard_old: bool,
}

/// How the credential is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum AuthHow {
    /// No BY or AS.
    #[default]
    Unspecified,
    /// BY 'text'.
    Password(Box<[u8]>),
    RandomPassword,
    /// AS 'hash'.
    Hash(Box<[u8]>),
}

/// An account with its credential.
#[derive(Clone, Debug, PartialEq)]
pub struct UserAuth {
    pub user: UserSpec,
    pub auth: Option<AuthSpec>,
}

/// REQUIRE clause.
#[derive(Clone, Debug, PartialEq)]
pub enum RequireTls {
    None,
    Ssl,
    X509,
    /// CIPHER, ISSUER, SUBJECT with their text.
    Specific(Vec<(&'static str, Box<[u8]>)>),
}

/// Options common to CREATE USER and ALTER USER.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserOptions {
    pub require: Option<RequireTls>,
    /// WITH MAX_QUERIES_PER_HOUR n and so on; names upper case.
    pub resources: Vec<(&'static str, u64)>,
    pub password: Vec<PasswordOption>,
    /// ACCOUNT LOCK (true) or UNLOCK.
    pub lock: Option<bool>,
    pub comment: Option<Box<[u8]>>,
    pub attribute: Option<Box<[u8]>>,
}

/// PASSWORD and FAILED_LOGIN_ATTEMPTS options.
#[derive(Clone, Debug, PartialEq)]
pub enum PasswordOption {
    Expire,
    ExpireDefault,
    ExpireNever,
    ExpireInterval(u64),
    /// `None`: DEFAULT.
    History(Option<u64>),
    ReuseInterval(Option<u64>),
    /// REQUIRE CURRENT; `Some(true)` CURRENT, `Some(false)` OPTIONAL, `None` DEFAULT.
    RequireCurrent(Option<bool>),
    FailedLoginAttempts(u64),
    /// `None`: UNBOUNDED.
    LockTime(Option<u64>),
}

/// CREATE USER.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateUser {
    pub if_not_exists: bool,
    pub users: Vec<UserAuth>,
    pub default_roles: Vec<UserSpec>,
    pub options: UserOptions,
}

/// ALTER USER.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterUser {
    pub if_exists: bool,
    pub users: Vec<UserAuth>,
    pub default_roles: Option<DefaultRoles>,
    pub options: UserOptions,
}

/// Roles of DEFAULT ROLE.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultRoles {
    None,
    All,
    Some(Vec<UserSpec>),
}

/// SET ROLE.
#[derive(Clone, Debug, PartialEq)]
pub enum SetRole {
    Default,
    None,
    All,
    AllExcept(Vec<UserSpec>),
    Some(Vec<UserSpec>),
}

/// SET PASSWORD.
#[derive(Clone, Debug, PartialEq)]
pub struct SetPassword {
    pub user: Option<UserSpec>,
    /// `None`: TO RANDOM.
    pub password: Option<Box<[u8]>>,
    pub replace: Option<Box<[u8]>>,
    pub retain_current: bool,
}

/// One privilege of GRANT: upper-case words joined by a blank (dynamic ones as written), and the
/// columns it is limited to.
#[derive(Clone, Debug, PartialEq)]
pub struct Privilege {
    pub name: Box<str>,
    pub columns: Vec<Ident>,
}

/// What kind of object a grant is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GrantObject {
    /// TABLE or nothing.
    Table,
    Function,
    Procedure,
}

/// Level of a grant.
#[derive(Clone, Debug, PartialEq)]
pub enum GrantLevel {
    /// `*.*`.
    Global,
    /// `db.*`; `*` alone is the default schema (`None`).
    Schema(Option<Ident>),
    Object(TableName),
}

/// What is granted or revoked.
#[derive(Clone, Debug, PartialEq)]
pub enum GrantWhat {
    Privileges {
        list: Vec<Privilege>,
        all: bool,
        object: GrantObject,
        level: GrantLevel,
    },
    Roles(Vec<UserSpec>),
    /// GRANT PROXY ON user.
    Proxy(UserSpec),
    /// REVOKE ALL PRIVILEGES, GRANT OPTION.
    AllAndGrantOption,
}

/// GRANT.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    pub what: GrantWhat,
    pub to: Vec<UserAuth>,
    /// WITH GRANT OPTION, or WITH ADMIN OPTION for roles.
    pub with_option: bool,
    /// AS user [WITH ROLE ..].
    pub as_user: Option<(UserSpec, Option<SetRole>)>,
}

/// REVOKE.
#[derive(Clone, Debug, PartialEq)]
pub struct Revoke {
    pub if_exists: bool,
    pub what: GrantWhat,
    pub from: Vec<UserSpec>,
    pub ignore_unknown_user: bool,
}

/// `BACKUP STREAM` sends the backup's blocks as rows, `BACKUP TO 'directory'` has the server store it. Options in any order:
/// `SINCE 'base'`, `RATE = bytes per second`, and of a stored one `COMPRESSION = level of zstd` and `KEY_FILE = 'path'`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Backup {
    pub to: Option<Box<str>>,
    pub since: Option<Box<str>>,
    pub rate: u64,
    pub compression: u64,
    pub key_file: Option<Box<str>>,
}
