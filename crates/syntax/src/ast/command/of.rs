//! The kind of a statement, and the questions whose answers depend on more than its kind.

use super::{Facts, InProgram, Logged, SqlCommand as C};
use crate::ast::{
    AdminVerb, ExplainTarget, FlushKind, GrantWhat, Handler, InsertSource, PurgeBinaryLogs,
    Replication, RoutineKind, Show, ShowKind, Statement, TableAdmin, TableRef, Update, Xa,
};

impl Statement {
    /// Its kind.
    pub fn command(&self) -> C {
        match self {
            Statement::Select(_) => C::Select,
            Statement::Insert(i) => match (i.replace, &i.source) {
                (false, InsertSource::Values(_)) => C::Insert,
                (false, InsertSource::Query(_)) => C::InsertSelect,
                (true, InsertSource::Values(_)) => C::Replace,
                (true, InsertSource::Query(_)) => C::ReplaceSelect,
            },
            Statement::Update(u) => of_update(u),
            Statement::Delete(d) if d.targets.is_empty() => C::Delete,
            Statement::Delete(_) => C::DeleteMulti,
            Statement::LoadData(_) => C::Load,
            Statement::Call { .. } => C::CallProcedure,
            Statement::Do(_) => C::Do,
            Statement::Signal(s) if s.resignal => C::Resignal,
            Statement::Signal(_) => C::Signal,
            Statement::GetDiagnostics(_) => C::GetDiagnostics,
            Statement::Handler(h) => match &**h {
                Handler::Open { .. } => C::HaOpen,
                Handler::Close(_) => C::HaClose,
                Handler::Read(_) => C::HaRead,
            },
            Statement::Comment => C::EmptyQuery,
            Statement::Show(s) => of_show(s),
            // To MySQL, EXPLAIN is a way to run the statement.
            Statement::Explain(e) => match &e.target {
                ExplainTarget::Statement(s) => s.command(),
                ExplainTarget::Connection(_) => C::ExplainOther,
            },
            Statement::Describe { .. } => C::ShowFields,
            Statement::Help(_) => C::Help,
            Statement::Unsupported { .. } => C::Unsupported,
            other => other.command_of_session().unwrap_or_else(|| other.command_of_definition()),
        }
    }

    /// Sessions, transactions, locks and the server.
    fn command_of_session(&self) -> Option<C> {
        Some(match self {
            Statement::Use(_) => C::ChangeDb,
            Statement::Set(_) | Statement::SetTransaction(_) => C::SetOption,
            Statement::SetRole(_) => C::SetRole,
            Statement::SetResourceGroup { .. } => C::SetResourceGroup,
            Statement::Prepare { .. } => C::PrepareSql,
            Statement::Execute { .. } => C::ExecuteSql,
            Statement::Deallocate { .. } => C::DeallocSql,
            Statement::Begin | Statement::StartTransaction(_) => C::Begin,
            Statement::Commit(_) => C::Commit,
            Statement::Rollback(_) => C::Rollback,
            Statement::Savepoint(_) => C::Savepoint,
            Statement::RollbackTo(_) => C::RollbackToSavepoint,
            Statement::ReleaseSavepoint(_) => C::ReleaseSavepoint,
            Statement::LockTables(_) => C::LockTables,
            Statement::UnlockTables => C::UnlockTables,
            Statement::LockInstance => C::LockInstance,
            Statement::UnlockInstance => C::UnlockInstance,
            Statement::Xa(x) => of_xa(x),
            Statement::Kill { .. } => C::Kill,
            Statement::TableAdmin(a) => of_maintenance(a),
            Statement::Flush(_) => C::Flush,
            Statement::Reset(_) => C::Reset,
            Statement::Shutdown => C::Shutdown,
            Statement::Restart => C::Restart,
            Statement::ReloadTls { .. } => C::AlterInstance,
            Statement::Backup(_) => C::Backup,
            Statement::Binlog(_) => C::Binlog,
            Statement::PurgeBinaryLogs(PurgeBinaryLogs::To(_)) => C::Purge,
            Statement::PurgeBinaryLogs(PurgeBinaryLogs::Before(_)) => C::PurgeBeforeDate,
            Statement::Replication(r) => of_replication(r),
            Statement::InstallPlugin { .. } => C::InstallPlugin,
            Statement::UninstallPlugin(_) => C::UninstallPlugin,
            Statement::InstallComponent { .. } => C::InstallComponent,
            Statement::UninstallComponent(_) => C::UninstallComponent,
            _ => return None,
        })
    }

    /// Definitions and accounts.
    fn command_of_definition(&self) -> C {
        match self {
            Statement::CreateTable(_) => C::CreateTable,
            Statement::AlterTable(_) => C::AlterTable,
            Statement::DropTable(_) => C::DropTable,
            Statement::TruncateTable(_) => C::Truncate,
            Statement::RenameTable(_) => C::RenameTable,
            Statement::CreateIndex(_) => C::CreateIndex,
            Statement::DropIndex(_) => C::DropIndex,
            Statement::CreateDatabase { .. } => C::CreateDb,
            Statement::AlterDatabase { .. } => C::AlterDb,
            Statement::DropDatabase { .. } => C::DropDb,
            Statement::CreateReferenceSystem(_) => C::CreateSpatialReferenceSystem,
            Statement::DropReferenceSystem { .. } => C::DropSpatialReferenceSystem,
            Statement::CreateView(_) => C::CreateView,
            Statement::DropView { .. } => C::DropView,
            Statement::CreateRoutine(r) if r.kind == RoutineKind::Function => C::CreateFunction,
            Statement::CreateRoutine(_) => C::CreateProcedure,
            Statement::AlterRoutine(r) if r.kind == RoutineKind::Function => C::AlterFunction,
            Statement::AlterRoutine(_) => C::AlterProcedure,
            Statement::CreateTrigger(_) => C::CreateTrigger,
            Statement::DefineEvent(e) if e.alter => C::AlterEvent,
            Statement::DefineEvent(_) => C::CreateEvent,
            Statement::DropRoutine { kind, .. } => match kind {
                RoutineKind::Procedure => C::DropProcedure,
                RoutineKind::Function => C::DropFunction,
                RoutineKind::Trigger => C::DropTrigger,
                RoutineKind::Event => C::DropEvent,
            },
            Statement::CreateUser(_) => C::CreateUser,
            Statement::AlterUser(a) if a.default_roles.is_some() => C::AlterUserDefaultRole,
            Statement::AlterUser(_) => C::AlterUser,
            Statement::DropUser { .. } => C::DropUser,
            Statement::RenameUser(_) => C::RenameUser,
            Statement::SetPassword(_) => C::SetPassword,
            Statement::SetDefaultRole { .. } => C::AlterUserDefaultRole,
            Statement::CreateRole { .. } => C::CreateRole,
            Statement::DropRole { .. } => C::DropRole,
            Statement::Grant(g) => match g.what {
                GrantWhat::Roles(_) => C::GrantRoles,
                _ => C::Grant,
            },
            Statement::Revoke(r) => match r.what {
                GrantWhat::Roles(_) => C::RevokeRoles,
                GrantWhat::AllAndGrantOption => C::RevokeAll,
                _ => C::Revoke,
            },
            // A kind of statement that none of the three lists has does not get here: `every_kind_has_a_row` parses one of each.
            _ => C::Unsupported,
        }
    }

    /// What is known of its kind.
    pub fn row(&self) -> &'static Facts {
        self.command().row()
    }

    /// CREATE or DROP of a temporary table, which comes and goes with the session and of which nobody else knows.
    pub fn is_of_temporary(&self) -> bool {
        match self {
            Statement::CreateTable(c) => c.temporary,
            Statement::DropTable(d) => d.temporary,
            _ => false,
        }
    }

    /// Does it change definitions or accounts? See [`Facts::defines`].
    pub fn defines(&self) -> bool {
        self.row().defines
    }

    /// Does it end the transaction before it runs (MySQL's implicit commit)?
    pub fn commits_implicitly(&self) -> bool {
        self.row().commits && !self.is_of_temporary()
    }

    /// Does LOCK INSTANCE FOR BACKUP keep it out?
    pub fn is_blocked_by_backup(&self) -> bool {
        match self {
            // Histograms belong to the definitions; other statistics do not.
            Statement::TableAdmin(a) => matches!(
                a.verb,
                AdminVerb::Optimize
                    | AdminVerb::Repair
                    | AdminVerb::UpdateHistogram { .. }
                    | AdminVerb::DropHistogram { .. }
            ),
            other => other.row().blocked_by_backup && !other.is_of_temporary(),
        }
    }

    /// Does the prepared statement protocol refuse it (1295)?
    pub fn is_unprepared(&self) -> bool {
        match self {
            // CREATE OR REPLACE VIEW, which defines the same, can be prepared.
            Statement::CreateView(v) => v.alter,
            Statement::CreateTable(c) => c.starts_transaction,
            other => other.row().unprepared || other.counts_diagnostics(),
        }
    }

    /// Does it leave the diagnostics area of the statement before as it is?
    pub fn keeps_diagnostics(&self) -> bool {
        self.row().diagnostics || self.counts_diagnostics()
    }

    fn counts_diagnostics(&self) -> bool {
        let Statement::Show(show) = self else { return false };
        matches!(show.kind, ShowKind::CountWarnings | ShowKind::CountErrors)
    }

    /// What it is in the body of a stored program.
    pub fn in_program(&self) -> InProgram {
        match self {
            Statement::Explain(_) => InProgram::SendsRows,
            Statement::Select(q) if q.into.is_some() => InProgram::Allowed,
            Statement::CreateView(v) if v.alter => InProgram::Refused("ALTER VIEW"),
            other if other.is_of_temporary() => InProgram::Allowed,
            other => other.row().in_program,
        }
    }

    /// How it reaches a binary log. What happens to a temporary table is in none.
    pub fn logged(&self) -> Logged {
        let unlogged = match self {
            Statement::TableAdmin(a) => a.local,
            Statement::Flush(f) => f.local || f.what.iter().any(stays_here),
            Statement::Explain(_) => true,
            other => other.is_of_temporary(),
        };
        if unlogged { Logged::Never } else { self.row().logged }
    }
}

/// What FLUSH never sends to replicas: locks of this session, and the logs themselves.
fn stays_here(what: &FlushKind) -> bool {
    match what {
        FlushKind::Tables { read_lock, export, .. } => *read_lock || *export,
        FlushKind::Logs | FlushKind::BinaryLogs => true,
        _ => false,
    }
}

fn of_update(u: &Update) -> C {
    match &u.tables[..] {
        [TableRef::Table(_)] => C::Update,
        _ => C::UpdateMulti,
    }
}

fn of_xa(x: &Xa) -> C {
    match x {
        Xa::Start { .. } => C::XaStart,
        Xa::End { .. } => C::XaEnd,
        Xa::Prepare(_) => C::XaPrepare,
        Xa::Commit { .. } => C::XaCommit,
        Xa::Rollback(_) => C::XaRollback,
        Xa::Recover { .. } => C::XaRecover,
    }
}

fn of_maintenance(a: &TableAdmin) -> C {
    match a.verb {
        AdminVerb::Analyze
        | AdminVerb::UpdateHistogram { .. }
        | AdminVerb::DropHistogram { .. } => C::Analyze,
        AdminVerb::Check => C::Check,
        AdminVerb::Checksum => C::Checksum,
        AdminVerb::AssignToKeyCache(_) => C::AssignToKeycache,
        AdminVerb::PreloadKeys => C::PreloadKeys,
        AdminVerb::Optimize => C::Optimize,
        AdminVerb::Repair => C::Repair,
    }
}

fn of_replication(r: &Replication) -> C {
    match r {
        Replication::ChangeSource { .. } => C::ChangeReplicationSource,
        Replication::ChangeFilter { .. } => C::ChangeReplFilter,
        Replication::Run(run) if run.starts => C::ReplicaStart,
        Replication::Run(_) => C::ReplicaStop,
        Replication::Group { starts: true } => C::GroupReplicationStart,
        Replication::Group { starts: false } => C::GroupReplicationStop,
    }
}

fn of_show(show: &Show) -> C {
    match &show.kind {
        ShowKind::Databases => C::ShowDatabases,
        ShowKind::Tables { .. } => C::ShowTables,
        ShowKind::TableStatus { .. } => C::ShowTableStatus,
        ShowKind::OpenTables { .. } => C::ShowOpenTables,
        ShowKind::Triggers { .. } => C::ShowTriggers,
        ShowKind::Events { .. } => C::ShowEvents,
        ShowKind::Columns { .. } => C::ShowFields,
        ShowKind::Index { .. } => C::ShowKeys,
        ShowKind::Variables { .. } => C::ShowVariables,
        ShowKind::Status { .. } => C::ShowStatus,
        ShowKind::CreateTable(_) | ShowKind::CreateView(_) => C::ShowCreateTable,
        ShowKind::CreateDatabase { .. } => C::ShowCreateDb,
        ShowKind::CreateProcedure(_) => C::ShowCreateProc,
        ShowKind::CreateFunction(_) => C::ShowCreateFunc,
        ShowKind::CreateTrigger(_) => C::ShowCreateTrigger,
        ShowKind::CreateEvent(_) => C::ShowCreateEvent,
        ShowKind::CreateUser(_) => C::ShowCreateUser,
        ShowKind::ProcedureStatus => C::ShowProcedureStatus,
        ShowKind::FunctionStatus => C::ShowFunctionStatus,
        ShowKind::RoutineCode(_) => C::ShowProcedureCode,
        ShowKind::Engine { what, .. } if what.is("MUTEX") => C::ShowEngineMutex,
        ShowKind::Engine { what, .. } if what.is("LOGS") => C::ShowEngineLogs,
        ShowKind::Engine { .. } | ShowKind::InnodbStatus { .. } => C::ShowEngineStatus,
        ShowKind::Engines => C::ShowStorageEngines,
        ShowKind::Processlist { .. } => C::ShowProcesslist,
        ShowKind::Warnings(_) => C::ShowWarnings,
        ShowKind::Errors(_) => C::ShowErrors,
        // SELECT @@warning_count in other words.
        ShowKind::CountWarnings | ShowKind::CountErrors => C::Select,
        ShowKind::BinaryLogStatus => C::ShowMasterStatus,
        ShowKind::BinaryLogs => C::ShowBinlogs,
        ShowKind::BinlogEvents { .. } => C::ShowBinlogEvents,
        ShowKind::RelaylogEvents { .. } => C::ShowRelaylogEvents,
        ShowKind::ReplicaStatus { .. } => C::ShowReplicaStatus,
        ShowKind::Replicas => C::ShowReplicas,
        ShowKind::Grants { .. } => C::ShowGrants,
        ShowKind::CharacterSet => C::ShowCharsets,
        ShowKind::Collation => C::ShowCollations,
        ShowKind::Plugins => C::ShowPlugins,
        ShowKind::Privileges => C::ShowPrivileges,
        ShowKind::Profiles => C::ShowProfiles,
        ShowKind::Profile { .. } => C::ShowProfile,
    }
}
