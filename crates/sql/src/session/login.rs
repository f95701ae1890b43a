//! What a login asks beyond its proof, and what it leaves with the session: an expired password, and the account's resources.
//!
//! A session that nobody logged in to (an event, a session of the server's own) has neither.

use super::{Instance, Session};
use crate::account::{Access, Account, Privileges};
use crate::errno;
use crate::query::Plan;
use crate::rights::{Me, Need};
use crate::session_api::SqlError;
use crate::vars::Var;
use std::sync::Arc;
use weir_syntax::ast::Statement;

/// 1820.
pub fn must_change() -> SqlError {
    SqlError::of(errno::ER_MUST_CHANGE_PASSWORD, &[])
}

/// May anyone who has to change his password run this? What sets his own password and, as clients do when they begin, what sets variables;
/// but nothing that reads tables on the way.
pub(super) fn changes_password(stmt: &Statement, needs: &[Need], me: Me<'_>) -> bool {
    match stmt {
        Statement::AlterUser(a) => a.users.iter().all(|u| me.is(&u.user)),
        Statement::SetPassword(s) => s.user.as_ref().is_none_or(|u| me.is(u)),
        Statement::Set(_) | Statement::SetTransaction(_) => {
            needs.iter().all(|n| matches!(n, Need::Global(_)))
        }
        _ => false,
    }
}

/// May the account, which has proved who it is, see what all sessions do? With its default roles, and not with an expired password.
pub fn may_monitor(inst: &Instance, account: &Arc<Account>, host: &str) -> bool {
    let defaults = crate::admin::password_defaults(&inst.vars);
    if account.is_expired(&defaults, inst.db.rt().wall_micros() / 1_000_000) {
        return false;
    }
    let mut access = inst.accounts.access(account, host);
    access.require_any_global(Privileges::PROCESS).is_ok()
}

/// Whether `offline_mode` keeps an account out: it lets in those alone who may administer connections.
pub fn is_kept_out(inst: &Instance, access: &mut Access) -> bool {
    let may = Privileges::SUPER | Privileges::CONNECTION_ADMIN;
    inst.vars.bool(Var::offline_mode) && access.require_any_global(may).is_err()
}

impl Session {
    /// The client has proved who it is. 1862 for an expired password that it cannot change, 1203 and 1226 where the account has too
    /// many connections.
    pub fn log_in(&mut self, can_change_password: bool) -> Result<(), SqlError> {
        let inst = self.inst.clone();
        let Some(account) = inst.accounts.get(&self.conn.account_user, &self.conn.account_host)
        else {
            return Ok(());
        };
        let defaults = crate::admin::password_defaults(&inst.vars);
        if account.is_expired(&defaults, inst.db.rt().wall_micros() / 1_000_000) {
            if !can_change_password && inst.vars.bool(Var::disconnect_on_expired_password) {
                return Err(SqlError::of(errno::ER_MUST_CHANGE_PASSWORD_LOGIN, &[]));
            }
            self.access.expire();
        }
        if is_kept_out(&inst, &mut self.access) {
            return Err(SqlError::of(errno::ER_SERVER_OFFLINE_MODE, &[]));
        }
        let max = inst.vars.u64(Var::max_user_connections);
        self.connected = Some(inst.accounts.connect(&account, max, inst.db.rt().now())?);
        Ok(())
    }

    /// Whether the session may only change its password.
    pub fn must_change_password(&self) -> bool {
        self.access.is_expired()
    }

    /// A statement of the client begins, whose account's statements are limited.
    pub(super) fn count_query(&mut self) -> Result<(), SqlError> {
        let now = self.inst.db.rt().now();
        match &self.connected {
            Some(c) => c.query(self.access.resources(), now),
            None => Ok(()),
        }
    }

    /// The statement changes something: counted once, and not for what programs do on its behalf, as in MySQL.
    pub(super) fn count_update(&mut self) -> Result<(), SqlError> {
        if self.update_counted || self.outer_mode.is_some() {
            return Ok(());
        }
        self.update_counted = true;
        let now = self.inst.db.rt().now();
        match &self.connected {
            Some(c) => c.update(self.access.resources(), now),
            None => Ok(()),
        }
    }

    /// What is asked before a plan runs in a session whose password has expired, or whose account's statements are limited.
    #[cold]
    pub(super) fn check_login(&mut self, plan: &Plan) -> Result<(), SqlError> {
        if self.access.is_expired() {
            return Err(must_change());
        }
        if plan.is_change() { self.count_update() } else { Ok(()) }
    }
}
