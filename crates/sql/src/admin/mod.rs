//! Statements that are not queries: definitions, SHOW, accounts, table maintenance.
//!
//! The executor hands a statement to [`run_admin`] with what it needs of the session. Names used
//! here: `ddl` changes tables, `show` and `infoschema` describe them, `users` keeps accounts, `definers` knows what runs as one, `roles` and `grants` what they
//! may do.
//!
//! Invariants:
//! - The caller has checked the statement's rights ([`crate::rights`]); what is asked of `access` here decides which rows a
//!   listing has.
//! - The caller has committed the session's transaction before a statement that commits
//!   implicitly ([`Statement::commits_implicitly`]); nothing in here opens one that outlives the statement.
//! - What is not supported is refused (1235); nothing is accepted and ignored silently.

mod definers;
mod grants;
pub mod persist;
mod policy;
mod random_password;
pub mod replication;
mod roles;
mod users;

pub use policy::defaults as password_defaults;

use crate::context::{AdminResult, StatementCtx, refused};
use crate::ddl::{self, engine_error};
use crate::errno;
use crate::infoschema::server::PLUGINS;
use crate::session_api::SqlError;
use crate::show;
use crate::show::replication::check_known;
use crate::vars::{Var, VarValue};
use weir_engine::{Db, SettingValue};
use weir_syntax::ast::{FlushKind, Statement};

/// Runs a statement of this room.
pub async fn run_admin(
    stmt: &Statement,
    cx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    if let Some(done) = ddl::run(stmt, cx).await {
        return done;
    }
    match stmt {
        Statement::Show(s) => show::run(s, cx).await,
        Statement::Describe { table, column } => {
            show::describe(table, column.as_ref(), cx).map(AdminResult::Rows)
        }
        Statement::Flush(f) => {
            let done = flush(&f.what, cx)?;
            let rotates = |w: &FlushKind| matches!(w, FlushKind::BinaryLogs | FlushKind::Logs);
            if f.what.iter().any(rotates)
                && let Some(log) = cx.reads.shared.binlog.get().filter(|l| l.is_on())
            {
                log.rotate().await.map_err(engine_error)?;
            }
            Ok(done)
        }
        Statement::Help(mask) => {
            Ok(AdminResult::Rows(crate::help::answer(&String::from_utf8_lossy(mask))))
        }
        Statement::Reset(list) => persist::reset(list, cx).await,
        Statement::Replication(r) => replication::run(r, cx).await.map(|()| AdminResult::ok()),
        // The answer comes first: the server ends this connection with all others.
        Statement::Shutdown if cx.reads.shared.sessions().stop() => Ok(AdminResult::ok()),
        Statement::ReloadTls { no_rollback, channel } => {
            reload_tls(*no_rollback, channel.as_ref().map(|c| c.as_str()), cx)
        }
        Statement::InstallComponent { urns, sets } => install(urns, *sets, cx),
        Statement::UninstallComponent(urns) => uninstall(urns, cx),
        Statement::InstallPlugin { name, .. } => Err(cannot_install(name.as_str())),
        Statement::UninstallPlugin(name) => Err(cannot_uninstall(name.as_str())),
        Statement::Restart => Err(SqlError::of(
            errno::ER_RESTART_SERVER_FAILED,
            &[&"mysqld is not managed by supervisor process"],
        )),
        other => {
            if let Some(done) = users::run(other, cx).await {
                return done;
            }
            if let Some(done) = roles::run(other, cx).await {
                return done;
            }
            match grants::run(other, cx).await {
                Some(done) => done,
                None => Err(SqlError::not_supported(name_of(other))),
            }
        }
    }
}

fn flush(what: &[FlushKind], cx: &mut StatementCtx<'_>) -> Result<AdminResult, SqlError> {
    for w in what {
        match w {
            FlushKind::ErrorLogs => {
                if let Some(logs) = cx.reads.shared.statement_logs.get() {
                    logs.reopen_errors()?;
                }
            }
            FlushKind::Logs | FlushKind::GeneralLogs | FlushKind::SlowLogs => {
                if let Some(logs) = cx.reads.shared.statement_logs.get() {
                    if *w == FlushKind::Logs {
                        logs.reopen_errors()?;
                    }
                    logs.reopen(*w != FlushKind::SlowLogs, *w != FlushKind::GeneralLogs)?;
                }
            }
            // Accounts are always current; what has been counted for them begins again.
            FlushKind::Privileges => {
                let accounts = cx.changes.access.accounts();
                accounts.usages.begin_anew();
                accounts.blocks.forget_all();
            }
            FlushKind::UserResources => cx.changes.access.accounts().usages.begin_anew(),
            // Statistics and definitions are always current, too; the other logs are kept open by nobody, or are not there, as in a
            // MySQL that writes none.
            FlushKind::Hosts
            | FlushKind::BinaryLogs
            | FlushKind::OptimizerCosts
            | FlushKind::EngineLogs => {}
            FlushKind::RelayLogs { channel } => check_known(cx.reads.shared, channel.as_deref())?,
            FlushKind::Tables { read_lock: false, export: false, .. } => {}
            FlushKind::Status => {
                cx.reads.work.flush();
                cx.reads.shared.status.flush();
            }
            FlushKind::Tables { .. } => {
                let text = "FLUSH TABLES ... FOR EXPORT: the files of a table belong to this data directory and cannot be taken to another server; dump the table instead";
                return Err(refused(text));
            }
        }
    }
    Ok(AdminResult::ok())
}

/// What is a component in MySQL and always there here.
const BUILT_IN: [&str; 1] = ["file://component_query_attributes"];

fn built_in(urn: &str, cx: &mut StatementCtx<'_>) -> bool {
    let known = BUILT_IN.contains(&urn);
    if known {
        let text = format!("Component '{urn}' is part of the server: it is always there");
        cx.changes.warnings.warn(errno::ER_UNKNOWN_ERROR, || text);
    }
    known
}

/// INSTALL COMPONENT.
fn install(
    urns: &[Box<str>],
    sets: bool,
    cx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    for urn in urns {
        if sets || !built_in(urn, cx) {
            return Err(SqlError::of(errno::ER_COMPONENTS_CANT_LOAD, &[&urn]));
        }
    }
    Ok(AdminResult::ok())
}

fn uninstall(urns: &[Box<str>], cx: &mut StatementCtx<'_>) -> Result<AdminResult, SqlError> {
    for urn in urns {
        if !built_in(urn, cx) {
            return Err(SqlError::of(errno::ER_COMPONENTS_UNLOAD_NOT_LOADED, &[&urn]));
        }
    }
    Ok(AdminResult::ok())
}

/// ALTER INSTANCE RELOAD TLS.
fn reload_tls(
    no_rollback: bool,
    channel: Option<&str>,
    cx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    if channel.is_some_and(|c| !c.eq_ignore_ascii_case("mysql_main")) {
        let text =
            format!("Channel '{}' of TLS; mysql_main is the only one", channel.unwrap_or(""));
        return Err(SqlError::new(errno::ER_WRONG_ARGUMENTS, text));
    }
    let Some(tls) = cx.reads.shared.tls.get() else {
        return Err(SqlError::not_supported("ALTER INSTANCE RELOAD TLS without a server"));
    };
    if let Err(why) = tls.reload(!no_rollback) {
        let text =
            format!("Failed to set up SSL because of the following SSL library error: {why}");
        if !no_rollback {
            return Err(SqlError::new(errno::ER_DA_SSL_LIBRARY_ERROR, text));
        }
        cx.changes.warnings.warn(errno::ER_DA_SSL_LIBRARY_ERROR, || text);
    }
    Ok(AdminResult::ok())
}

fn has_plugin(name: &str) -> bool {
    PLUGINS.iter().any(|[known, ..]| known.eq_ignore_ascii_case(name))
}

/// The plugins that are there are parts of the server, and no library is loaded.
fn cannot_install(name: &str) -> SqlError {
    // The plugins of MySQL before 8.0.26, which exclude those of the later names.
    let later = match name.to_ascii_lowercase().as_str() {
        "rpl_semi_sync_master" => Some("rpl_semi_sync_source"),
        "rpl_semi_sync_slave" => Some("rpl_semi_sync_replica"),
        _ => None,
    };
    match later {
        Some(later) => SqlError::of(errno::ER_INSTALL_PLUGIN_CONFLICT_CLIENT, &[&name, &later]),
        None if has_plugin(name) => SqlError::of(errno::ER_UDF_EXISTS, &[&name]),
        None => SqlError::not_supported("plugins"),
    }
}

fn cannot_uninstall(name: &str) -> SqlError {
    match has_plugin(name) {
        true => SqlError::of(errno::ER_PLUGIN_DELETE_BUILTIN, &[]),
        false => SqlError::of(errno::ER_SP_DOES_NOT_EXIST, &[&"PLUGIN", &name]),
    }
}

/// What a statement is called in "not supported" messages.
fn name_of(stmt: &Statement) -> &'static str {
    match stmt {
        Statement::SetResourceGroup { .. } => "resource groups",
        Statement::Shutdown => "SHUTDOWN",
        _ => "this statement",
    }
}

/// Hands a changed global variable to the engine, when it is the engine's.
pub async fn engine_setting(db: &Db, var: Var, value: &VarValue) -> Result<(), SqlError> {
    let known = matches!(
        var,
        Var::innodb_buffer_pool_size
            | Var::innodb_redo_log_capacity
            | Var::innodb_flush_log_at_timeout
            | Var::innodb_deadlock_detect
            | Var::weir_flight_recorder
            | Var::weir_flush_policy
            | Var::weir_stall_seconds
            | Var::innodb_change_buffering
            | Var::weir_read_ahead
            | Var::innodb_undo_log_truncate
            | Var::innodb_max_undo_log_size
            | Var::innodb_online_alter_log_max_size
            | Var::innodb_purge_rseg_truncate_frequency
    ) || weir_engine::flush_option(var.name()).is_some();
    if !known {
        return Ok(());
    }
    db.set(var.name(), setting_value(var, value)).await.map_err(engine_error)
}

/// A variable's value in the engine's terms.
pub fn setting_value(var: Var, value: &VarValue) -> SettingValue {
    match value {
        // XtraDB's names for a switch of Google's.
        VarValue::Enum(i) if var == Var::innodb_adaptive_checkpoint => {
            SettingValue::Int(i64::from(*i))
        }
        VarValue::Bool(b) => SettingValue::Int(i64::from(*b)),
        VarValue::Int(n) => SettingValue::Int(*n),
        VarValue::UInt(n) => SettingValue::Int(i64::try_from(*n).unwrap_or(i64::MAX)),
        VarValue::Float(x) => SettingValue::Float(*x),
        other => SettingValue::Str(var.def().show(other).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vars::GlobalVars;

    #[test]
    fn flush_options_are_variables_whose_defaults_the_engine_takes() {
        let vars = GlobalVars::default();
        let mut settings = weir_engine::FlushSettings::default();
        for option in weir_engine::FLUSH_OPTIONS {
            let var =
                Var::lookup(option.name).unwrap_or_else(|| panic!("no variable {}", option.name));
            let value = setting_value(var, &vars.get(var));
            assert!(option.apply(&mut settings, &value), "{}: {value:?}", option.name);
        }
    }
}
