//! The table. The names of the counters and the values are those of MySQL 8.0, whose source and manual do not say all of them in one
//! place: each was asked of a server (PREPARE, a function's and a procedure's body, LOCK TABLES, a transaction, an XA transaction).
//!
//! Two groups differ on purpose. MySQL creates functions with SHOW PLUGINS, SHOW TRIGGERS, SHOW CREATE USER or XA RECOVER, which then
//! send their rows into another result; here they are refused as all that sends rows is. It creates functions with XA and LOCK INSTANCE
//! as well, whose statements fail when they run.

use super::InProgram::{self as P, Allowed, Commits, Dynamic, Program, SendsRows, SetsAutocommit};
use super::Logged::{self, Never, Rows, Transaction};
use super::UnderLocks::{self as L, GrantTables, NamedTables};
use super::{Facts, InProgram, UnderLocks};

macro_rules! commands {
    ($($name:ident: $counter:literal, $logged:expr, $program:expr, $locks:expr, [$($flag:ident)*];)*) => {
        /// A kind of statement. `row` gives what is known of it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum SqlCommand { $($name),* }

        impl SqlCommand {
            /// All kinds, in the order of their counters.
            pub const ALL: &'static [SqlCommand] = &[$(SqlCommand::$name),*];
        }

        const TABLE: &[Facts] = &[$(Facts {
            $($flag: true,)*
            ..Facts::new(concat!("Com_", $counter), $logged, $program, $locks)
        }),*];
    };
}

const TEXT: Logged = Logged::Statement;
const ANY: UnderLocks = UnderLocks::Allowed;

const fn no(what: &'static str) -> InProgram {
    P::Refused(what)
}

commands! {
    // Kind: counter, how it is logged, in a program, under LOCK TABLES, [further facts].
    AlterDb: "alter_db", TEXT, Commits, L::Refused, [commits defines blocked_by_backup unprepared];
    AlterEvent: "alter_event", TEXT, Commits, L::Refused, [commits defines blocked_by_backup makes_definition];
    AlterFunction: "alter_function", TEXT, Program, L::Refused, [commits defines blocked_by_backup unprepared];
    AlterInstance: "alter_instance", Never, Commits, ANY, [commits];
    AlterProcedure: "alter_procedure", TEXT, Program, L::Refused, [commits defines blocked_by_backup unprepared];
    AlterTable: "alter_table", TEXT, Commits, NamedTables, [commits defines blocked_by_backup closes_handlers];
    AlterUser: "alter_user", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    AlterUserDefaultRole: "alter_user_default_role", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    Analyze: "analyze", TEXT, SendsRows, NamedTables, [commits closes_handlers];
    AssignToKeycache: "assign_to_keycache", Never, SendsRows, NamedTables, [commits closes_handlers];
    Backup: "backup", Never, no("BACKUP"), ANY, [unprepared];
    Begin: "begin", Transaction, Commits, ANY, [unprepared];
    Binlog: "binlog", Rows, Allowed, ANY, [];
    CallProcedure: "call_procedure", Rows, Allowed, ANY, [];
    ChangeDb: "change_db", Never, no("USE"), ANY, [unprepared];
    ChangeReplFilter: "change_repl_filter", Never, Commits, ANY, [commits];
    ChangeReplicationSource: "change_replication_source", Never, Commits, ANY, [commits];
    Check: "check", Never, no("CHECK"), NamedTables, [commits unprepared closes_handlers];
    Checksum: "checksum", Never, SendsRows, NamedTables, [];
    Commit: "commit", Transaction, Commits, ANY, [];
    CreateDb: "create_db", TEXT, Commits, L::Refused, [commits defines blocked_by_backup makes_definition];
    CreateEvent: "create_event", TEXT, Commits, L::Refused, [commits defines blocked_by_backup makes_definition];
    CreateFunction: "create_function", TEXT, Program, L::Refused, [commits defines blocked_by_backup makes_definition unprepared];
    CreateIndex: "create_index", TEXT, Commits, NamedTables, [commits defines blocked_by_backup makes_definition closes_handlers];
    CreateProcedure: "create_procedure", TEXT, Program, L::Refused, [commits defines blocked_by_backup makes_definition unprepared];
    CreateRole: "create_role", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup unprepared];
    CreateSpatialReferenceSystem: "create_spatial_reference_system", TEXT, Commits, L::Refused, [commits defines blocked_by_backup makes_definition unprepared];
    CreateTable: "create_table", TEXT, Commits, NamedTables, [commits defines blocked_by_backup makes_definition closes_handlers];
    CreateTrigger: "create_trigger", TEXT, Program, NamedTables, [commits defines blocked_by_backup makes_definition unprepared closes_handlers];
    CreateUser: "create_user", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup makes_definition];
    CreateView: "create_view", TEXT, Commits, L::Refused, [commits defines blocked_by_backup makes_definition];
    DeallocSql: "dealloc_sql", Never, Dynamic, ANY, [unprepared];
    Delete: "delete", Rows, Allowed, NamedTables, [];
    DeleteMulti: "delete_multi", Rows, Allowed, NamedTables, [];
    Do: "do", Rows, Allowed, NamedTables, [];
    DropDb: "drop_db", TEXT, Commits, L::Refused, [commits defines blocked_by_backup];
    DropEvent: "drop_event", TEXT, Commits, L::Refused, [commits defines blocked_by_backup];
    DropFunction: "drop_function", TEXT, Program, L::Refused, [commits defines blocked_by_backup unprepared];
    DropIndex: "drop_index", TEXT, Commits, NamedTables, [commits defines blocked_by_backup closes_handlers];
    DropProcedure: "drop_procedure", TEXT, Program, L::Refused, [commits defines blocked_by_backup unprepared];
    DropRole: "drop_role", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup unprepared];
    DropSpatialReferenceSystem: "drop_spatial_reference_system", TEXT, Commits, L::Refused, [commits defines blocked_by_backup unprepared];
    DropTable: "drop_table", TEXT, Commits, NamedTables, [commits defines blocked_by_backup closes_handlers];
    DropTrigger: "drop_trigger", TEXT, Commits, NamedTables, [commits defines blocked_by_backup unprepared];
    DropUser: "drop_user", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    DropView: "drop_view", TEXT, Commits, L::Refused, [commits defines blocked_by_backup];
    // A text that is nothing but a comment.
    EmptyQuery: "empty_query", Never, Allowed, ANY, [];
    ExecuteSql: "execute_sql", Never, Dynamic, ANY, [unprepared];
    // EXPLAIN FOR CONNECTION.
    ExplainOther: "explain_other", Never, SendsRows, ANY, [unprepared];
    Flush: "flush", TEXT, P::Flushes("FLUSH"), ANY, [commits];
    GetDiagnostics: "get_diagnostics", Never, Allowed, ANY, [unprepared diagnostics];
    Grant: "grant", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    GrantRoles: "grant_roles", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    GroupReplicationStart: "group_replication_start", Never, Commits, ANY, [commits];
    GroupReplicationStop: "group_replication_stop", Never, Commits, ANY, [commits];
    HaClose: "ha_close", Never, no("HANDLER"), L::Refused, [unprepared];
    HaOpen: "ha_open", Never, no("HANDLER"), L::Refused, [unprepared];
    HaRead: "ha_read", Never, no("HANDLER"), L::Refused, [unprepared];
    Help: "help", Never, no("HELP"), ANY, [unprepared];
    Insert: "insert", Rows, Allowed, NamedTables, [];
    InsertSelect: "insert_select", Rows, Allowed, NamedTables, [];
    InstallComponent: "install_component", Never, Commits, GrantTables, [commits unprepared];
    InstallPlugin: "install_plugin", Never, Commits, GrantTables, [commits];
    Kill: "kill", Never, Allowed, ANY, [];
    Load: "load", Rows, no("LOAD DATA"), NamedTables, [unprepared];
    LockInstance: "lock_instance", Never, Commits, ANY, [unprepared];
    LockTables: "lock_tables", Never, no("LOCK"), ANY, [unprepared];
    Optimize: "optimize", TEXT, SendsRows, NamedTables, [commits closes_handlers];
    PreloadKeys: "preload_keys", Never, SendsRows, NamedTables, [commits closes_handlers];
    PrepareSql: "prepare_sql", Never, Dynamic, ANY, [unprepared];
    Purge: "purge", Never, Allowed, ANY, [unprepared];
    PurgeBeforeDate: "purge_before_date", Never, Allowed, ANY, [unprepared];
    ReleaseSavepoint: "release_savepoint", Transaction, Allowed, ANY, [unprepared];
    RenameTable: "rename_table", TEXT, Commits, NamedTables, [commits defines blocked_by_backup closes_handlers];
    RenameUser: "rename_user", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    Repair: "repair", TEXT, SendsRows, NamedTables, [commits closes_handlers];
    Replace: "replace", Rows, Allowed, NamedTables, [];
    ReplaceSelect: "replace_select", Rows, Allowed, NamedTables, [];
    ReplicaStart: "replica_start", Never, Commits, ANY, [commits];
    ReplicaStop: "replica_stop", Never, Commits, L::Refused, [commits];
    Reset: "reset", Never, P::Flushes("RESET"), ANY, [];
    Resignal: "resignal", Never, Allowed, ANY, [unprepared diagnostics];
    Restart: "restart", Never, Allowed, ANY, [unprepared];
    Revoke: "revoke", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    RevokeAll: "revoke_all", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    RevokeRoles: "revoke_roles", TEXT, Commits, GrantTables, [commits defines changes_accounts blocked_by_backup];
    Rollback: "rollback", Transaction, Commits, ANY, [];
    RollbackToSavepoint: "rollback_to_savepoint", Transaction, Allowed, ANY, [unprepared];
    Savepoint: "savepoint", Transaction, Allowed, ANY, [unprepared];
    Select: "select", Rows, SendsRows, NamedTables, [];
    SetOption: "set_option", Never, Allowed, NamedTables, [];
    SetPassword: "set_password", TEXT, SetsAutocommit, GrantTables, [commits defines changes_accounts blocked_by_backup];
    SetResourceGroup: "set_resource_group", Never, Allowed, ANY, [];
    SetRole: "set_role", Never, Allowed, ANY, [];
    ShowBinlogEvents: "show_binlog_events", Never, SendsRows, ANY, [];
    ShowBinlogs: "show_binlogs", Never, SendsRows, ANY, [];
    ShowCharsets: "show_charsets", Never, SendsRows, ANY, [];
    ShowCollations: "show_collations", Never, SendsRows, ANY, [];
    ShowCreateDb: "show_create_db", Never, SendsRows, ANY, [];
    ShowCreateEvent: "show_create_event", Never, SendsRows, ANY, [];
    ShowCreateFunc: "show_create_func", Never, SendsRows, ANY, [];
    ShowCreateProc: "show_create_proc", Never, SendsRows, ANY, [];
    // Of views, too.
    ShowCreateTable: "show_create_table", Never, SendsRows, NamedTables, [];
    ShowCreateTrigger: "show_create_trigger", Never, SendsRows, NamedTables, [];
    ShowCreateUser: "show_create_user", Never, SendsRows, GrantTables, [];
    ShowDatabases: "show_databases", Never, SendsRows, ANY, [];
    ShowEngineLogs: "show_engine_logs", Never, SendsRows, ANY, [];
    ShowEngineMutex: "show_engine_mutex", Never, SendsRows, ANY, [];
    ShowEngineStatus: "show_engine_status", Never, SendsRows, ANY, [];
    ShowErrors: "show_errors", Never, SendsRows, ANY, [unprepared diagnostics];
    ShowEvents: "show_events", Never, SendsRows, ANY, [];
    // DESCRIBE, too.
    ShowFields: "show_fields", Never, SendsRows, ANY, [];
    ShowFunctionCode: "show_function_code", Never, SendsRows, ANY, [];
    ShowFunctionStatus: "show_function_status", Never, SendsRows, ANY, [];
    ShowGrants: "show_grants", Never, SendsRows, ANY, [];
    ShowKeys: "show_keys", Never, SendsRows, ANY, [];
    ShowMasterStatus: "show_master_status", Never, SendsRows, ANY, [];
    ShowOpenTables: "show_open_tables", Never, SendsRows, ANY, [];
    ShowPlugins: "show_plugins", Never, SendsRows, ANY, [];
    ShowPrivileges: "show_privileges", Never, SendsRows, ANY, [];
    ShowProcedureCode: "show_procedure_code", Never, SendsRows, ANY, [];
    ShowProcedureStatus: "show_procedure_status", Never, SendsRows, ANY, [];
    ShowProcesslist: "show_processlist", Never, SendsRows, ANY, [];
    ShowProfile: "show_profile", Never, SendsRows, ANY, [];
    ShowProfiles: "show_profiles", Never, SendsRows, ANY, [];
    ShowRelaylogEvents: "show_relaylog_events", Never, SendsRows, ANY, [];
    ShowReplicaStatus: "show_replica_status", Never, SendsRows, ANY, [];
    ShowReplicas: "show_replicas", Never, SendsRows, ANY, [];
    ShowStatus: "show_status", Never, SendsRows, ANY, [];
    ShowStorageEngines: "show_storage_engines", Never, SendsRows, ANY, [];
    ShowTableStatus: "show_table_status", Never, SendsRows, ANY, [];
    ShowTables: "show_tables", Never, SendsRows, ANY, [];
    ShowTriggers: "show_triggers", Never, SendsRows, ANY, [];
    ShowVariables: "show_variables", Never, SendsRows, ANY, [];
    ShowWarnings: "show_warnings", Never, SendsRows, ANY, [unprepared diagnostics];
    Shutdown: "shutdown", Never, Allowed, ANY, [unprepared];
    Signal: "signal", Never, Allowed, ANY, [unprepared diagnostics];
    Truncate: "truncate", TEXT, Commits, NamedTables, [commits defines blocked_by_backup closes_handlers];
    UninstallComponent: "uninstall_component", Never, Commits, GrantTables, [commits unprepared];
    UninstallPlugin: "uninstall_plugin", Never, Commits, GrantTables, [commits];
    UnlockInstance: "unlock_instance", Never, Commits, ANY, [unprepared];
    UnlockTables: "unlock_tables", Never, no("UNLOCK"), ANY, [unprepared];
    // Refused by name (1235) whatever it says.
    Unsupported: "unsupported", Never, Allowed, ANY, [unprepared];
    Update: "update", Rows, Allowed, NamedTables, [];
    UpdateMulti: "update_multi", Rows, Allowed, NamedTables, [];
    XaCommit: "xa_commit", Transaction, Commits, ANY, [unprepared];
    XaEnd: "xa_end", Transaction, Commits, ANY, [unprepared];
    XaPrepare: "xa_prepare", Transaction, Commits, ANY, [unprepared];
    XaRecover: "xa_recover", Never, SendsRows, ANY, [unprepared];
    XaRollback: "xa_rollback", Transaction, Commits, ANY, [unprepared];
    XaStart: "xa_start", Transaction, Commits, ANY, [unprepared];
}

impl SqlCommand {
    /// Its row.
    pub const fn row(self) -> &'static Facts {
        &TABLE[self as usize]
    }
}
