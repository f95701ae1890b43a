//! Which statements can be prepared.

use crate::session_api::SqlError;
use weir_syntax::ast::{AdminVerb, ExplainTarget, RoutineKind, ShowKind, Statement};

/// 1295 for what MySQL does not prepare: drivers fall back to text where they are told so, and would run it otherwise than there
/// where they are not.
pub(super) fn preparable(stmt: &Statement) -> Result<(), SqlError> {
    match stmt {
        Statement::Unsupported { what } => Err(SqlError::not_supported(what)),
        s if of_programs(s) || of_sessions(s) || of_the_server(s) => Err(SqlError::new(
            1295,
            "This command is not supported in the prepared statement protocol yet",
        )),
        _ => Ok(()),
    }
}

/// Programs and what is defined beside them; ALTER VIEW is among them, though CREATE OR REPLACE VIEW can be prepared.
fn of_programs(stmt: &Statement) -> bool {
    match stmt {
        Statement::CreateView(view) => view.alter,
        Statement::CreateRoutine(_)
        | Statement::AlterRoutine(_)
        | Statement::CreateTrigger(_)
        | Statement::Signal(_)
        | Statement::GetDiagnostics(_)
        | Statement::Prepare { .. }
        | Statement::Execute { .. }
        | Statement::Deallocate { .. } => true,
        // Events can be defined and dropped by prepared statements; other programs cannot.
        Statement::DropRoutine { kind, .. } => *kind != RoutineKind::Event,
        _ => false,
    }
}

/// Transactions that are begun or divided, locks, and what looks at the statement before. COMMIT and ROLLBACK can be prepared.
fn of_sessions(stmt: &Statement) -> bool {
    match stmt {
        Statement::Show(show) => matches!(
            show.kind,
            ShowKind::Warnings(_)
                | ShowKind::Errors(_)
                | ShowKind::CountWarnings
                | ShowKind::CountErrors
        ),
        Statement::Explain(explain) => matches!(explain.target, ExplainTarget::Connection(_)),
        Statement::Begin
        | Statement::StartTransaction(_)
        | Statement::Savepoint(_)
        | Statement::RollbackTo(_)
        | Statement::ReleaseSavepoint(_)
        | Statement::LockTables(_)
        | Statement::UnlockTables
        | Statement::LockInstance
        | Statement::UnlockInstance
        | Statement::Xa(_)
        | Statement::Handler(_)
        | Statement::Help(_)
        | Statement::Use(_)
        | Statement::LoadData(_) => true,
        _ => false,
    }
}

fn of_the_server(stmt: &Statement) -> bool {
    match stmt {
        Statement::TableAdmin(admin) => admin.verb == AdminVerb::Check,
        Statement::AlterDatabase { .. }
        | Statement::CreateRole { .. }
        | Statement::DropRole { .. }
        | Statement::InstallComponent { .. }
        | Statement::UninstallComponent(_)
        | Statement::PurgeBinaryLogs(_)
        | Statement::Shutdown
        | Statement::Restart => true,
        _ => false,
    }
}
