//! GRANT and REVOKE: from the syntax tree to [`crate::account`].

use super::roles::names;
use super::{AdminResult, StatementCtx};
use crate::account::{AccountName, ColumnRights, GrantLevel, Privileges};
use crate::ddl::access_denied;
use crate::errno;
use crate::meta::program::object_name;
use crate::rights::column_rights;
use crate::session_api::SqlError;
use weir_engine::ObjectKind;
use weir_syntax::ast::{self, GrantObject, GrantWhat, Statement};

type Done = Result<AdminResult, SqlError>;

pub async fn run(stmt: &Statement, cx: &mut StatementCtx<'_>) -> Option<Done> {
    Some(match stmt {
        Statement::Grant(g) => grant(g, cx).await,
        Statement::Revoke(r) => revoke(r, cx).await,
        _ => return None,
    })
}

fn level_of(
    object: GrantObject,
    level: &ast::GrantLevel,
    columns: Vec<ColumnRights>,
    cx: &StatementCtx<'_>,
) -> Result<GrantLevel, SqlError> {
    let schema_of = |given: Option<&ast::Ident>| {
        cx.reads.schema_of(given.map(|s| s.as_str())).map(str::to_string)
    };
    let on_object = matches!(level, ast::GrantLevel::Object(_));
    if !on_object && (object != GrantObject::Table || !columns.is_empty()) {
        let text = "Illegal GRANT/REVOKE command; please consult the manual to see which \
                    privileges can be used";
        return Err(SqlError::new(errno::ER_ILLEGAL_GRANT_FOR_TABLE, text));
    }
    let level = match level {
        ast::GrantLevel::Global => GrantLevel::Global,
        ast::GrantLevel::Schema(Some(s)) => GrantLevel::Database(s.as_str().to_string()),
        ast::GrantLevel::Schema(None) => GrantLevel::Database(schema_of(None)?),
        ast::GrantLevel::Object(n) => {
            let (schema, name) = (schema_of(n.schema.as_ref())?, n.name.as_str().to_string());
            match object {
                GrantObject::Table => GrantLevel::Table { schema, table: name, columns },
                _ => {
                    let procedure = object == GrantObject::Procedure;
                    GrantLevel::Routine { procedure, schema, name }
                }
            }
        }
    };
    no_rights_for_all(&level, cx)?;
    Ok(level)
}

/// 1044 for information_schema: everybody reads it, and sees there what is his.
fn no_rights_for_all(level: &GrantLevel, cx: &StatementCtx<'_>) -> Result<(), SqlError> {
    let schema = match level {
        GrantLevel::Global => return Ok(()),
        GrantLevel::Database(schema)
        | GrantLevel::Table { schema, .. }
        | GrantLevel::Routine { schema, .. } => schema,
    };
    match schema.eq_ignore_ascii_case("information_schema") {
        true => Err(access_denied(schema, cx)),
        false => Ok(()),
    }
}

/// Privileges of MySQL 8.0 over what this server does not have, or has under another privilege: granting one is a warning, so that what
/// SHOW GRANTS of a MySQL says can be run here.
const UNREGISTERED: &[&str] = &[
    "AUDIT_ABORT_EXEMPT",
    "AUDIT_ADMIN",
    "AUTHENTICATION_POLICY_ADMIN",
    "BINLOG_ADMIN",
    "BINLOG_ENCRYPTION_ADMIN",
    "CLONE_ADMIN",
    "ENCRYPTION_KEY_ADMIN",
    "FIREWALL_ADMIN",
    "FIREWALL_EXEMPT",
    "FIREWALL_USER",
    "FLUSH_OPTIMIZER_COSTS",
    "FLUSH_STATUS",
    "FLUSH_TABLES",
    "FLUSH_USER_RESOURCES",
    "GROUP_REPLICATION_ADMIN",
    "GROUP_REPLICATION_STREAM",
    "INNODB_REDO_LOG_ARCHIVE",
    "INNODB_REDO_LOG_ENABLE",
    "NDB_STORED_USER",
    "PASSWORDLESS_USER_ADMIN",
    "REPLICATION_APPLIER",
    "REPLICATION_SLAVE_ADMIN",
    "RESOURCE_GROUP_ADMIN",
    "RESOURCE_GROUP_USER",
    "SENSITIVE_VARIABLES_OBSERVER",
    "SERVICE_CONNECTION_ADMIN",
    "SESSION_VARIABLES_ADMIN",
    "SET_USER_ID",
    "SHOW_ROUTINE",
    "SKIP_QUERY_REWRITE",
    "TABLE_ENCRYPTION_ADMIN",
    "TELEMETRY_LOG_ADMIN",
    "TP_CONNECTION_ADMIN",
    "VERSION_TOKEN_ADMIN",
];

fn illegal_level(name: &str) -> SqlError {
    SqlError::of(errno::ER_ILLEGAL_PRIVILEGE_LEVEL, &[&name])
}

/// A privilege that the server does not know. REVOKE takes any name, as in MySQL.
fn unregistered(
    name: &str,
    level: &ast::GrantLevel,
    revokes: bool,
    cx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    if !matches!(level, ast::GrantLevel::Global) {
        return Err(illegal_level(name));
    }
    let is_mysqls = UNREGISTERED.iter().any(|n| n.eq_ignore_ascii_case(name));
    if !is_mysqls && !revokes {
        return Err(SqlError::of(errno::ER_SYNTAX_ERROR, &[]));
    }
    let text = || format!("Dynamic privilege '{name}' is not registered with the server.");
    cx.changes.warnings.warn(errno::ER_WARN_DA_PRIVILEGE_NOT_REGISTERED, text);
    Ok(())
}

fn what(
    w: &GrantWhat,
    revokes: bool,
    cx: &mut StatementCtx<'_>,
) -> Result<(Privileges, GrantLevel), SqlError> {
    let GrantWhat::Privileges { list, all, object, level } = w else {
        return Err(SqlError::not_supported("PROXY"));
    };
    let mut p = Privileges::NONE;
    for one in list {
        let Some(found) = Privileges::by_name(&one.name) else {
            unregistered(&one.name, level, revokes, cx)?;
            continue;
        };
        if found.intersects(Privileges::dynamic()) && !matches!(level, ast::GrantLevel::Global) {
            return Err(illegal_level(&one.name));
        }
        if one.columns.is_empty() {
            p |= found;
        }
    }
    let level = level_of(*object, level, column_rights(list), cx)?;
    if *all {
        p = match level {
            GrantLevel::Global => Privileges::all_global(),
            GrantLevel::Database(_) => Privileges::all_database(),
            GrantLevel::Table { .. } => Privileges::all_table(),
            GrantLevel::Routine { .. } => Privileges::all_routine(),
        };
    }
    Ok((p, level))
}

/// 1146, 1054 or 1305 for what is not there. A table that may be made need not be there yet.
fn check_object(p: Privileges, level: &GrantLevel, cx: &StatementCtx<'_>) -> Result<(), SqlError> {
    match level {
        GrantLevel::Global | GrantLevel::Database(_) => Ok(()),
        GrantLevel::Table { schema, table, columns } => {
            if let Some(o) = cx.reads.db().object(ObjectKind::View, schema, table) {
                let view = crate::meta::view::ViewMeta::of(&o)?;
                return check_columns(columns, table, |name| {
                    view.columns.iter().any(|c| crate::meta::same_name(&c.name, name))
                });
            }
            if p.contains(Privileges::CREATE) && columns.is_empty() {
                return Ok(());
            }
            if let Some(computed) = cx.reads.shared.computed(schema, table) {
                return check_columns(columns, table, |name| {
                    computed.columns().iter().any(|c| crate::meta::same_name(&c.name, name))
                });
            }
            let known = cx.reads.table(schema, table)?;
            check_columns(columns, table, |name| known.meta.column(name).is_some())
        }
        GrantLevel::Routine { procedure, schema, name } => {
            let (kind, word) = match procedure {
                true => (ObjectKind::Procedure, "PROCEDURE"),
                false => (ObjectKind::Function, "FUNCTION"),
            };
            match cx.reads.db().object(kind, schema, &object_name(name)) {
                Some(_) => Ok(()),
                None => Err(SqlError::of(errno::ER_SP_DOES_NOT_EXIST, &[&word, &name])),
            }
        }
    }
}

fn check_columns(
    columns: &[ColumnRights],
    table: &str,
    known: impl Fn(&str) -> bool,
) -> Result<(), SqlError> {
    match columns.iter().find(|c| !known(&c.column)) {
        None => Ok(()),
        Some(c) => Err(SqlError::of(errno::ER_BAD_FIELD_ERROR, &[&c.column, &table])),
    }
}

async fn grant(g: &ast::Grant, cx: &mut StatementCtx<'_>) -> Done {
    if g.as_user.is_some() {
        return Err(SqlError::not_supported("GRANT ... AS"));
    }
    let to: Vec<AccountName> = g.to.iter().map(|u| cx.account(&u.user)).collect();
    let accounts = cx.changes.access.accounts().clone();
    if g.to.iter().any(|u| u.auth.is_some()) {
        return Err(SqlError::of(errno::ER_CANT_CREATE_USER_WITH_GRANT, &[]));
    }
    cx.changes.access.require_system_user_over(&to)?;
    if let GrantWhat::Roles(roles) = &g.what {
        cx.changes.access.require_system_user_over(&names(roles, cx))?;
        accounts.grant_roles(&names(roles, cx), &to, g.with_option).await?;
        return Ok(AdminResult::ok());
    }
    let (p, level) = what(&g.what, false, cx)?;
    check_object(p, &level, cx)?;
    let by = cx.changes.access.restrictions();
    accounts.grant_by(p, &level, &to, g.with_option, &by).await?;
    Ok(AdminResult::ok())
}

/// IF EXISTS and IGNORE UNKNOWN USER turn errors about what is not there into warnings; then the others of the list are
/// revoked from one by one, for one that is left out must not keep the rest.
async fn revoke(r: &ast::Revoke, cx: &mut StatementCtx<'_>) -> Done {
    let from = names(&r.from, cx);
    cx.changes.access.require_system_user_over(&from)?;
    if let GrantWhat::Roles(roles) = &r.what {
        cx.changes.access.require_system_user_over(&names(roles, cx))?;
    }
    if !r.if_exists && !r.ignore_unknown_user {
        revoke_from(r, &from, cx).await?;
        return Ok(AdminResult::ok());
    }
    let accounts = cx.changes.access.accounts().clone();
    for name in from {
        if r.ignore_unknown_user && accounts.get(&name.user, &name.host).is_none() {
            let text = || format!("Authorization ID {name} does not exist.");
            cx.changes.warnings.warn(errno::ER_USER_DOES_NOT_EXIST, text);
            continue;
        }
        match revoke_from(r, std::slice::from_ref(&name), cx).await {
            Err(e) if r.if_exists && is_about_absence(&e) => {
                cx.changes.warnings.warn(e.errno, || e.message);
            }
            done => done?,
        }
    }
    Ok(AdminResult::ok())
}

fn is_about_absence(e: &SqlError) -> bool {
    matches!(
        e.errno,
        errno::ER_NONEXISTING_GRANT
            | errno::ER_NONEXISTING_TABLE_GRANT
            | errno::ER_NONEXISTING_PROC_GRANT
            | errno::ER_UNKNOWN_AUTHID
            | errno::ER_ROLE_NOT_GRANTED
    )
}

async fn revoke_from(
    r: &ast::Revoke,
    from: &[AccountName],
    cx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    let accounts = cx.changes.access.accounts().clone();
    match &r.what {
        GrantWhat::AllAndGrantOption => accounts.revoke_all(from).await,
        GrantWhat::Roles(roles) => accounts.revoke_roles(&names(roles, cx), from).await,
        other => {
            let (p, level) = what(other, true, cx)?;
            accounts.revoke(p, &level, from).await
        }
    }
}
