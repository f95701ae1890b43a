//! Which counter a statement counts in that is no query.

use super::Session;
use crate::status::Stat;
use weir_syntax::ast::{RoutineKind, Statement};

impl Session {
    pub(super) fn count(&self, stmt: &Statement) {
        let stat = match stmt {
            Statement::Begin | Statement::StartTransaction(_) => Stat::Com_begin,
            Statement::Commit(_) => Stat::Com_commit,
            Statement::Rollback(_) => Stat::Com_rollback,
            Statement::Savepoint(_) => Stat::Com_savepoint,
            Statement::RollbackTo(_) => Stat::Com_rollback_to_savepoint,
            Statement::ReleaseSavepoint(_) => Stat::Com_release_savepoint,
            Statement::Set(_) | Statement::SetTransaction(_) => Stat::Com_set_option,
            Statement::Use(_) => Stat::Com_change_db,
            Statement::Show(_) | Statement::Describe { .. } => Stat::Com_show,
            Statement::Kill { .. } => Stat::Com_kill,
            Statement::CreateTable(_) => Stat::Com_create_table,
            Statement::DropTable(_) => Stat::Com_drop_table,
            Statement::ReloadTls { .. } => Stat::Com_alter_instance,
            Statement::AlterTable(_) => Stat::Com_alter_table,
            Statement::TruncateTable(_) => Stat::Com_truncate,
            Statement::CreateIndex(_) => Stat::Com_create_index,
            Statement::DropIndex(_) => Stat::Com_drop_index,
            Statement::CreateDatabase { .. } => Stat::Com_create_db,
            Statement::DropDatabase { .. } => Stat::Com_drop_db,
            Statement::Prepare { .. } => Stat::Com_prepare_sql,
            Statement::Execute { .. } => Stat::Com_execute_sql,
            Statement::Deallocate { .. } => Stat::Com_dealloc_sql,
            Statement::CreateUser(_) => Stat::Com_create_user,
            Statement::AlterUser(_) => Stat::Com_alter_user,
            Statement::DropUser { .. } => Stat::Com_drop_user,
            Statement::Grant(_) => Stat::Com_grant,
            Statement::Revoke(_) => Stat::Com_revoke,
            Statement::Flush(_) => Stat::Com_flush,
            Statement::Call { .. } => Stat::Com_call_procedure,
            Statement::CreateRoutine(r) if r.kind == RoutineKind::Function => {
                Stat::Com_create_function
            }
            Statement::CreateRoutine(_) => Stat::Com_create_procedure,
            Statement::Signal(_) => Stat::Com_signal,
            _ => return,
        };
        self.work.inc(stat, &self.inst.status);
    }
}
