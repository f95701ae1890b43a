//! KILL: of somebody's session, or of what it does at the moment.

use super::Session;
use crate::account::{AccountName, Privileges};
use crate::errno;
use crate::session_api::{KillKind, SqlError};
use crate::value::Value;

impl Session {
    pub(super) fn kill(&mut self, query_only: bool, id: &Value<'_>) -> Result<(), SqlError> {
        let id = id.to_u64(&mut self.current).unwrap_or(0);
        let Some(sessions) = self.inst.sessions.get() else {
            return Err(SqlError::of(errno::ER_NO_SUCH_THREAD, &[&id]));
        };
        let Some(owner) = sessions.user_of(id) else {
            return Err(SqlError::of(errno::ER_NO_SUCH_THREAD, &[&id]));
        };
        let all = Privileges::SUPER | Privileges::CONNECTION_ADMIN;
        let not_owner = || Err(SqlError::of(errno::ER_KILL_DENIED_ERROR, &[&id]));
        if owner != self.conn.user && self.access.require_any_global(all).is_err() {
            return not_owner();
        }
        // A system account's sessions are for system accounts to end.
        let account = sessions.account_of(id).map(|(user, host)| AccountName::new(&user, &host));
        let known = account.as_slice();
        if id != self.conn.id && self.access.require_system_user_over(known).is_err() {
            return not_owner();
        }
        let kind = if query_only { KillKind::Query } else { KillKind::Connection };
        if !sessions.kill(id, kind) {
            return Err(SqlError::of(errno::ER_NO_SUCH_THREAD, &[&id]));
        }
        if id == self.conn.id {
            self.killed_itself |= kind == KillKind::Connection;
            return Err(SqlError::interrupted());
        }
        Ok(())
    }

    /// A session that another one kills gets no answer: the connection ends. A session that kills itself gets the error.
    pub fn is_told_of_kill(&self) -> bool {
        self.killed_itself
    }
}
