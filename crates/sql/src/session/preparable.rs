//! Which statements can be prepared.

use super::logged::tokens;
use crate::session_api::SqlError;
use weir_syntax::ast::{AdminVerb, ExplainTarget, RoutineKind, ShowKind, Statement};
use weir_syntax::lex::{SqlMode, T, Token};

/// 1295 for what MySQL does not prepare: drivers fall back to text where they are told so, and would run it otherwise than there
/// where they are not.
pub(super) fn preparable(stmt: &Statement, sql: &[u8], mode: SqlMode) -> Result<(), SqlError> {
    match stmt {
        Statement::Unsupported { what } => Err(SqlError::not_supported(what)),
        s if of_programs(s) || of_sessions(s) || of_the_server(s) || asks_counts(sql, mode) => {
            Err(SqlError::new(
                1295,
                "This command is not supported in the prepared statement protocol yet",
            ))
        }
        _ => Ok(()),
    }
}

/// `@@warning_count` and `@@error_count`, which look at the statement before as SHOW WARNINGS does.
fn asks_counts(sql: &[u8], mode: SqlMode) -> bool {
    if !sql.windows(2).any(|w| w == b"@@") {
        return false;
    }
    let words: Vec<_> = tokens(sql, mode).collect();
    let is_count = |t: &Token| {
        let text = t.text(sql);
        let text = text.strip_prefix(b"`").and_then(|t| t.strip_suffix(b"`")).unwrap_or(text);
        text.eq_ignore_ascii_case(b"warning_count") || text.eq_ignore_ascii_case(b"error_count")
    };
    // With or without the scope and its dot.
    words.iter().enumerate().any(|(i, t)| {
        let at = |back: usize| i.checked_sub(back).is_some_and(|j| words[j].kind == T::AtAt);
        is_count(t) && (at(1) || at(3))
    })
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
        | Statement::Backup(_)
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
