//! The syntax tree of a statement: what the parser produces, the planner binds.
//!
//! Plain owned data (`'static`, `Send`, `Sync`): a statement is parsed once and its plan is kept,
//! so nothing here borrows from the text. May use nothing outside this folder.
//!
//! Invariants: parentheses around expressions are not kept (the shape of the tree says it);
//! identifiers keep the letter case they were written in and are UTF-8; string literals keep
//! their bytes after escape processing, undecoded.

pub mod admin;
pub mod command;
pub mod ddl;
pub mod dml;
pub mod event;
pub mod expr;
mod kind;
pub mod print;
mod print_json;
mod print_query;
pub mod program;
mod qualify;
pub mod select;

use std::fmt;

pub use admin::*;
pub use command::{Facts, InProgram, Logged, SqlCommand, UnderLocks};
pub use ddl::*;
pub use dml::*;
pub use event::*;
pub use expr::*;
pub use program::*;
pub use qualify::{called_functions, names_variable, qualify};
pub use select::*;

/// A name as written (unquoted, letter case kept).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ident(pub Box<str>);

impl Ident {
    /// A name from text.
    pub fn new(text: &str) -> Ident {
        Ident(text.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as a key of maps: two names have the same one where [`Ident::is`] says that they are one.
    pub fn folded(&self) -> Box<str> {
        self.0.to_ascii_lowercase().into()
    }

    /// Compares without regard to ASCII letter case.
    pub fn is(&self, other: &str) -> bool {
        self.0.eq_ignore_ascii_case(other)
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `[schema.]name` of a table, view, trigger, event or routine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    pub schema: Option<Ident>,
    pub name: Ident,
}

/// `[[schema.]table.]column`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnRef {
    pub schema: Option<Ident>,
    pub table: Option<Ident>,
    pub column: Ident,
}

/// A whole statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    // Data.
    /// SELECT, TABLE, VALUES and set operations; also with a leading WITH.
    Select(Box<Query>),
    /// INSERT and REPLACE.
    Insert(Box<Insert>),
    Update(Box<Update>),
    Delete(Box<Delete>),
    LoadData(Box<LoadData>),
    Call {
        name: TableName,
        args: Vec<Expr>,
    },
    Do(Vec<Expr>),
    /// SIGNAL and RESIGNAL.
    Signal(Box<Signal>),
    GetDiagnostics(Box<GetDiagnostics>),
    Handler(Box<Handler>),

    // Schema.
    CreateTable(Box<CreateTable>),
    AlterTable(Box<AlterTable>),
    DropTable(DropTable),
    TruncateTable(TableName),
    /// Pairs (old, new), applied in order.
    RenameTable(Vec<(TableName, TableName)>),
    CreateIndex(Box<CreateIndex>),
    DropIndex(Box<DropIndex>),
    CreateDatabase {
        if_not_exists: bool,
        name: Ident,
        options: Vec<DatabaseOption>,
    },
    /// Without a name: the default schema.
    AlterDatabase {
        name: Option<Ident>,
        options: Vec<DatabaseOption>,
    },
    DropDatabase {
        if_exists: bool,
        name: Ident,
    },
    CreateReferenceSystem(Box<CreateReferenceSystem>),
    DropReferenceSystem {
        if_exists: bool,
        srid: u64,
    },
    CreateView(Box<CreateView>),
    DropView {
        if_exists: bool,
        names: Vec<TableName>,
        cascade: Option<DropBehavior>,
    },
    CreateRoutine(Box<CreateRoutine>),
    AlterRoutine(Box<AlterRoutine>),
    CreateTrigger(Box<CreateTrigger>),
    DefineEvent(Box<DefineEvent>),
    DropRoutine {
        kind: RoutineKind,
        if_exists: bool,
        name: TableName,
    },

    // Session.
    Use(Ident),
    Set(Vec<SetItem>),
    SetTransaction(SetTransaction),
    SetPassword(Box<SetPassword>),
    SetRole(SetRole),
    SetDefaultRole {
        roles: DefaultRoles,
        users: Vec<UserSpec>,
    },
    SetResourceGroup {
        name: Ident,
        threads: Vec<u64>,
    },
    Prepare {
        name: Ident,
        source: PrepareSource,
    },
    /// `EXECUTE name USING @a, @b`.
    Execute {
        name: Ident,
        using: Vec<Ident>,
    },
    Deallocate {
        name: Ident,
    },

    // Transactions and locks.
    Begin,
    StartTransaction(StartTransaction),
    Commit(Completion),
    Rollback(Completion),
    Savepoint(Ident),
    RollbackTo(Ident),
    ReleaseSavepoint(Ident),
    LockTables(Vec<LockTable>),
    UnlockTables,
    LockInstance,
    UnlockInstance,
    /// A text that is nothing but a comment.
    Comment,
    Xa(Xa),

    // Inspection.
    Show(Box<Show>),
    Explain(Box<Explain>),
    /// `DESCRIBE t [column or pattern]`, `EXPLAIN t`.
    Describe {
        table: TableName,
        column: Option<DescribeColumn>,
    },
    Help(Box<[u8]>),

    // Administration.
    Kill {
        query_only: bool,
        id: Expr,
    },
    TableAdmin(Box<TableAdmin>),
    Flush(Box<Flush>),
    Reset(Vec<ResetKind>),
    Shutdown,
    /// ALTER INSTANCE RELOAD TLS.
    ReloadTls {
        /// NO ROLLBACK ON ERROR: what cannot be used switches encryption off.
        no_rollback: bool,
        /// FOR CHANNEL.
        channel: Option<Ident>,
    },
    Restart,
    /// BACKUP STREAM, BACKUP TO.
    Backup(Box<Backup>),
    Binlog(Box<[u8]>),
    PurgeBinaryLogs(PurgeBinaryLogs),
    Replication(Replication),
    InstallPlugin {
        name: Ident,
        soname: Box<str>,
    },
    UninstallPlugin(Ident),
    /// URNs, and whether values are set with them.
    InstallComponent {
        urns: Vec<Box<str>>,
        sets: bool,
    },
    UninstallComponent(Vec<Box<str>>),

    // Accounts.
    CreateUser(Box<CreateUser>),
    AlterUser(Box<AlterUser>),
    DropUser {
        if_exists: bool,
        users: Vec<UserSpec>,
    },
    RenameUser(Vec<(UserSpec, UserSpec)>),
    CreateRole {
        if_not_exists: bool,
        roles: Vec<UserSpec>,
    },
    DropRole {
        if_exists: bool,
        roles: Vec<UserSpec>,
    },
    Grant(Box<Grant>),
    Revoke(Box<Revoke>),

    /// Recognised but not analysed; the executor refuses it by name (errno 1235).
    Unsupported {
        what: &'static str,
    },
}
