//! Statements are counted by their kinds.

use super::Session;
use crate::status::Stat;
use weir_syntax::ast::{SqlCommand, Statement};

impl Session {
    /// Counts a statement that was parsed, whatever becomes of it. One that has a plan is counted when the plan has run
    /// ([`crate::query::Plan::stat`]), for its text may not be parsed at all.
    pub(super) fn count(&self, stmt: &Statement) {
        let command = stmt.command();
        if command == SqlCommand::HaRead {
            // It is no query, and has a plan all the same.
            return;
        }
        self.work.inc(command);
        // As in MySQL, whose PREPARE, EXECUTE and DEALLOCATE are the protocol's commands in other words.
        let of_protocol = match command {
            SqlCommand::PrepareSql => Stat::Com_stmt_prepare,
            SqlCommand::ExecuteSql => Stat::Com_stmt_execute,
            SqlCommand::DeallocSql => Stat::Com_stmt_close,
            _ => return,
        };
        self.work.inc(of_protocol);
    }
}
