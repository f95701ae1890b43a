//! Options of accounts from the syntax tree to [`crate::account`], and the current password that a change may ask for.

use super::StatementCtx;
use crate::account::{
    AccountName, AccountOptions, Attribute, LockTime, PolicyChange, PolicyDefaults, Privileges,
};
use crate::errno;
use crate::session_api::SqlError;
use crate::vars::{GlobalVars, Var};
use weir_syntax::ast::{PasswordOption, UserOptions};

/// Largest number of failed logins, and of days of a lock.
const LOCK_MAX: u64 = 32_767;

/// What the variables say for DEFAULT.
pub fn defaults(vars: &GlobalVars) -> PolicyDefaults {
    PolicyDefaults {
        lifetime: vars.u64(Var::default_password_lifetime),
        history: vars.u64(Var::password_history),
        reuse_days: vars.u64(Var::password_reuse_interval),
        require_current: vars.bool(Var::password_require_current),
    }
}

/// Options that say nothing, at the time of the statement.
pub(super) fn circumstances(cx: &StatementCtx<'_>) -> AccountOptions {
    AccountOptions {
        defaults: defaults(&cx.reads.shared.vars),
        // Not the statement's time, which SET TIMESTAMP moves: anyone who may set it would make his password as old as he likes.
        now: cx.reads.db().rt().wall_micros() / 1_000_000,
        ..AccountOptions::default()
    }
}

/// 1525, as MySQL has it for numbers of days and logins.
fn small(what: &str, n: u64, least: u64, most: u64) -> Result<u16, SqlError> {
    match u16::try_from(n) {
        Ok(small) if (least..=most).contains(&n) => Ok(small),
        _ => Err(SqlError::of(errno::ER_WRONG_VALUE, &[&what, &n])),
    }
}

/// Numbers beyond what a column of `mysql.user` holds are the largest one.
fn narrow(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Of options that are said twice the last one holds.
pub(super) fn change_of(o: &UserOptions) -> Result<PolicyChange, SqlError> {
    let mut change = PolicyChange::default();
    for (name, n) in &o.resources {
        let n = Some(narrow(*n));
        match *name {
            "MAX_QUERIES_PER_HOUR" => change.queries = n,
            "MAX_UPDATES_PER_HOUR" => change.updates = n,
            "MAX_CONNECTIONS_PER_HOUR" => change.connections = n,
            _ => change.at_once = n,
        }
    }
    for option in &o.password {
        match option {
            PasswordOption::Expire => change.expire = true,
            PasswordOption::ExpireDefault => change.lifetime = Some(None),
            PasswordOption::ExpireNever => change.lifetime = Some(Some(0)),
            PasswordOption::ExpireInterval(n) => {
                change.lifetime = Some(Some(small("DAY", *n, 1, u64::from(u16::MAX))?));
            }
            PasswordOption::History(n) => change.history = Some(n.map(narrow)),
            PasswordOption::ReuseInterval(n) => change.reuse_days = Some(n.map(narrow)),
            PasswordOption::RequireCurrent(asks) => change.require_current = Some(*asks),
            PasswordOption::FailedLoginAttempts(n) => {
                change.attempts = Some(small("FAILED_LOGIN_ATTEMPTS", *n, 0, LOCK_MAX)?);
            }
            PasswordOption::LockTime(None) => change.lock_time = Some(LockTime::Unbounded),
            PasswordOption::LockTime(Some(n)) => {
                let days = small("PASSWORD_LOCK_TIME", *n, 0, LOCK_MAX)?;
                change.lock_time = Some(LockTime::Days(days));
            }
        }
    }
    change.attribute = match (&o.comment, &o.attribute) {
        (Some(text), _) => Some(Attribute::comment(text)),
        (None, Some(text)) => Some(Attribute::parse(text)?),
        (None, None) => None,
    };
    Ok(change)
}

fn is_own(name: &AccountName, cx: &StatementCtx<'_>) -> bool {
    let conn = cx.reads.conn;
    *name == AccountName::new(&conn.account_user, &conn.account_host)
}

/// REPLACE: the current password, which only its owner says. Anyone who may change those of others need not say his own.
pub(super) fn check_current(
    name: &AccountName,
    said: Option<&[u8]>,
    cx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    let own = is_own(name, cx);
    let accounts = cx.changes.access.accounts().clone();
    let Some(account) = accounts.get(&name.user, &name.host) else { return Ok(()) };
    let Some(said) = said else {
        let access = &mut cx.changes.access;
        let free = access.global().intersects(Privileges::CREATE_USER)
            || access.on_database("mysql").intersects(Privileges::UPDATE);
        let asks = account.policy.asks_for_current(&defaults(&cx.reads.shared.vars));
        return match own && asks && !free {
            false => Ok(()),
            true => Err(SqlError::of(errno::ER_MISSING_CURRENT_PASSWORD, &[])),
        };
    };
    if !own {
        return Err(SqlError::of(errno::ER_CURRENT_PASSWORD_NOT_REQUIRED, &[]));
    }
    match accounts.hasher().verify(account.plugin, &account.credential, said) {
        true => Ok(()),
        false => Err(SqlError::of(errno::ER_INCORRECT_CURRENT_PASSWORD, &[])),
    }
}

/// A password was set: a session that waited for a new one of its own goes on.
pub(super) fn was_set(name: &AccountName, cx: &mut StatementCtx<'_>) {
    if is_own(name, cx) {
        cx.changes.access.renew();
    }
}
