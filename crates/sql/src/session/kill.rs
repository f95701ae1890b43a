//! KILL: of somebody's session, or of what it does at the moment.

use super::{Instance, Session};
use crate::account::{Access, Account, AccountName, Privileges};
use crate::errno;
use crate::session_api::{KillKind, SqlError};
use crate::value::Value;
use std::sync::Arc;

/// Who ends a session.
struct By<'a> {
    user: &'a str,
    /// The session's own number, which anyone may end.
    own: Option<u64>,
}

/// Ends a session, or what it does: one's own user's, or anybody's with CONNECTION_ADMIN or SUPER. 1094 and 1095.
fn end(
    inst: &Instance,
    access: &mut Access,
    by: By<'_>,
    id: u64,
    kind: KillKind,
) -> Result<(), SqlError> {
    let unknown = || SqlError::of(errno::ER_NO_SUCH_THREAD, &[&id]);
    let sessions = inst.sessions.get().ok_or_else(unknown)?;
    let owner = sessions.user_of(id).ok_or_else(unknown)?;
    let all = Privileges::SUPER | Privileges::CONNECTION_ADMIN;
    let not_owner = || Err(SqlError::of(errno::ER_KILL_DENIED_ERROR, &[&id]));
    if owner != by.user && access.require_any_global(all).is_err() {
        return not_owner();
    }
    // A system account's sessions are for system accounts to end.
    let account = sessions.account_of(id).map(|(user, host)| AccountName::new(&user, &host));
    if by.own != Some(id) && access.require_system_user_over(account.as_slice()).is_err() {
        return not_owner();
    }
    if sessions.kill(id, kind) { Ok(()) } else { Err(unknown()) }
}

/// KILL by somebody who has no session: an account that has proved who it is in another way. `host`: where it comes from.
pub fn kill_by_account(
    inst: &Instance,
    account: &Arc<Account>,
    host: &str,
    id: u64,
    kind: KillKind,
) -> Result<(), SqlError> {
    let mut access = inst.accounts.access(account, host);
    end(inst, &mut access, By { user: &account.user, own: None }, id, kind)
}

impl Session {
    pub(super) fn kill(&mut self, query_only: bool, id: &Value<'_>) -> Result<(), SqlError> {
        let id = id.to_u64(&mut self.current).unwrap_or(0);
        let kind = if query_only { KillKind::Query } else { KillKind::Connection };
        let by = By { user: &self.conn.user, own: Some(self.conn.id) };
        end(&self.inst, &mut self.access, by, id, kind)?;
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
