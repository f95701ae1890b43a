//! Names of the kinds of statements, for tables and tests that must know all of them.

use super::{ShowKind, Statement};

/// A match without an arm for the rest, and the list of what it names: a variant that is missing does not compile.
macro_rules! kinds {
    ($type:ident { $($name:ident,)* }) => {
        impl $type {
            /// The name of each variant.
            pub const KINDS: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The name of this variant.
            pub fn kind(&self) -> &'static str {
                match self {
                    // The braces fit variants of all shapes.
                    $($type::$name { .. } => stringify!($name),)*
                }
            }
        }
    };
}

impl Statement {
    /// Whether it defines something: schemas, tables and what belongs to them, views, accounts and their rights.
    pub fn defines(&self) -> bool {
        matches!(
            self,
            Statement::CreateTable(_)
                | Statement::AlterTable(_)
                | Statement::DropTable(_)
                | Statement::TruncateTable(_)
                | Statement::RenameTable(_)
                | Statement::CreateIndex(_)
                | Statement::DropIndex(_)
                | Statement::CreateDatabase { .. }
                | Statement::AlterDatabase { .. }
                | Statement::DropDatabase { .. }
                | Statement::CreateView(_)
                | Statement::DropView { .. }
                | Statement::CreateRoutine(_)
                | Statement::AlterRoutine(_)
                | Statement::CreateTrigger(_)
                | Statement::DefineEvent(_)
                | Statement::DropRoutine { .. }
                | Statement::CreateUser(_)
                | Statement::AlterUser(_)
                | Statement::DropUser { .. }
                | Statement::RenameUser(_)
                | Statement::CreateRole { .. }
                | Statement::DropRole { .. }
                | Statement::SetDefaultRole { .. }
                | Statement::Grant(_)
                | Statement::Revoke(_)
                | Statement::SetPassword(_)
        )
    }
}

kinds! { Statement {
    Select,
    Insert,
    Update,
    Delete,
    LoadData,
    Call,
    Do,
    Signal,
    GetDiagnostics,
    Handler,
    CreateTable,
    AlterTable,
    DropTable,
    TruncateTable,
    RenameTable,
    CreateIndex,
    DropIndex,
    CreateDatabase,
    AlterDatabase,
    DropDatabase,
    CreateView,
    DropView,
    CreateRoutine,
    AlterRoutine,
    CreateTrigger,
    DefineEvent,
    DropRoutine,
    Use,
    Set,
    SetTransaction,
    SetPassword,
    SetRole,
    SetDefaultRole,
    SetResourceGroup,
    Prepare,
    Execute,
    Deallocate,
    Begin,
    StartTransaction,
    Commit,
    Rollback,
    Savepoint,
    RollbackTo,
    ReleaseSavepoint,
    LockTables,
    UnlockTables,
    LockInstance,
    UnlockInstance,
    Comment,
    Xa,
    Show,
    Explain,
    Describe,
    Help,
    Kill,
    TableAdmin,
    Flush,
    Reset,
    Shutdown,
    ReloadTls,
    Restart,
    Backup,
    Binlog,
    PurgeBinaryLogs,
    Replication,
    InstallPlugin,
    UninstallPlugin,
    InstallComponent,
    UninstallComponent,
    CreateUser,
    AlterUser,
    DropUser,
    RenameUser,
    CreateRole,
    DropRole,
    Grant,
    Revoke,
    Unsupported,
} }

kinds! { ShowKind {
    Databases,
    Tables,
    TableStatus,
    OpenTables,
    Triggers,
    Events,
    Columns,
    Index,
    Variables,
    Status,
    CreateTable,
    CreateView,
    CreateDatabase,
    CreateProcedure,
    CreateFunction,
    CreateTrigger,
    CreateEvent,
    CreateUser,
    ProcedureStatus,
    FunctionStatus,
    RoutineCode,
    Engine,
    Engines,
    Processlist,
    Warnings,
    Errors,
    CountWarnings,
    CountErrors,
    BinaryLogStatus,
    BinaryLogs,
    BinlogEvents,
    RelaylogEvents,
    ReplicaStatus,
    Replicas,
    Grants,
    CharacterSet,
    Collation,
    Plugins,
    Privileges,
    Profiles,
    Profile,
} }
