//! Account statements: from the syntax tree to [`crate::account`].

use super::{AdminResult, StatementCtx};
use crate::account::{AccountName, Auth, AuthPlugin, GrantLevel, Note, Privileges};
use crate::session_api::SqlError;
use weir_engine::ObjectKind;
use weir_syntax::ast::{
    self, AuthHow, AuthSpec, GrantObject, GrantWhat, Statement, UserAuth, UserOptions, UserSpec,
};

type Done = Result<AdminResult, SqlError>;

pub async fn run(stmt: &Statement, cx: &mut StatementCtx<'_>) -> Option<Done> {
    Some(match stmt {
        Statement::CreateUser(c) => create(c, cx).await,
        Statement::AlterUser(a) => alter(a, cx).await,
        Statement::DropUser { if_exists, users } => drop_users(*if_exists, users, cx).await,
        Statement::RenameUser(pairs) => rename(pairs, cx).await,
        Statement::SetPassword(s) => set_password(s, cx).await,
        Statement::Grant(g) => grant(g, cx).await,
        Statement::Revoke(r) => revoke(r, cx).await,
        _ => return None,
    })
}

fn notes(list: Vec<Note>, cx: &mut StatementCtx<'_>) {
    for n in list {
        cx.changes.warnings.note(n.errno, || n.message);
    }
}

fn auth_of(a: Option<&AuthSpec>) -> Result<Auth, SqlError> {
    let Some(a) = a else { return Ok(Auth::None) };
    if a.retain_current || a.discard_old {
        return Err(SqlError::not_supported("two passwords of one account"));
    }
    let plugin = a.plugin.as_ref().map(|p| AuthPlugin::by_name(p.as_str())).transpose()?;
    Ok(match &a.how {
        AuthHow::Unspecified => plugin.map_or(Auth::None, Auth::Plugin),
        AuthHow::Password(p) => Auth::Password { plugin, password: p.to_vec() },
        AuthHow::RandomPassword => return Err(SqlError::not_supported("RANDOM PASSWORD")),
        AuthHow::Hash(h) => Auth::Hash {
            plugin: plugin.unwrap_or(AuthPlugin::CachingSha2),
            credential: String::from_utf8_lossy(h).into_owned(),
        },
    })
}

/// Options that would promise what is not kept are refused.
fn check_options(o: &UserOptions) -> Result<(), SqlError> {
    match &o.require {
        None | Some(ast::RequireTls::None) => {}
        Some(_) => return Err(SqlError::not_supported("REQUIRE SSL")),
    }
    if o.resources.iter().any(|(_, n)| *n > 0) {
        return Err(SqlError::not_supported("resource limits of accounts"));
    }
    let harmless = |p: &ast::PasswordOption| {
        matches!(
            p,
            ast::PasswordOption::ExpireDefault
                | ast::PasswordOption::ExpireNever
                | ast::PasswordOption::History(None)
                | ast::PasswordOption::ReuseInterval(None)
                | ast::PasswordOption::RequireCurrent(None)
        )
    };
    if !o.password.iter().all(harmless) {
        return Err(SqlError::not_supported("password expiry and history"));
    }
    if o.comment.is_some() || o.attribute.is_some() {
        return Err(SqlError::not_supported("COMMENT and ATTRIBUTE of accounts"));
    }
    Ok(())
}

fn users_of(
    users: &[UserAuth],
    cx: &StatementCtx<'_>,
) -> Result<Vec<(AccountName, Auth)>, SqlError> {
    users.iter().map(|u| Ok((cx.account(&u.user), auth_of(u.auth.as_ref())?))).collect()
}

async fn create(c: &ast::CreateUser, cx: &mut StatementCtx<'_>) -> Done {
    if !c.default_roles.is_empty() {
        return Err(SqlError::not_supported("roles"));
    }
    check_options(&c.options)?;
    let users = users_of(&c.users, cx)?;
    let list = cx
        .changes
        .access
        .accounts()
        .clone()
        .create_users(&users, c.if_not_exists, c.options.lock)
        .await?;
    notes(list, cx);
    Ok(AdminResult::ok())
}

async fn alter(a: &ast::AlterUser, cx: &mut StatementCtx<'_>) -> Done {
    let users = users_of(&a.users, cx)?;
    if a.default_roles.is_some() {
        return Err(SqlError::not_supported("roles"));
    }
    check_options(&a.options)?;
    let list = cx
        .changes
        .access
        .accounts()
        .clone()
        .alter_users(&users, a.if_exists, a.options.lock)
        .await?;
    notes(list, cx);
    Ok(AdminResult::ok())
}

async fn drop_users(if_exists: bool, users: &[UserSpec], cx: &mut StatementCtx<'_>) -> Done {
    let names: Vec<AccountName> = users.iter().map(|u| cx.account(u)).collect();
    let list = cx.changes.access.accounts().clone().drop_users(&names, if_exists).await?;
    notes(list, cx);
    Ok(AdminResult::ok())
}

async fn rename(pairs: &[(UserSpec, UserSpec)], cx: &mut StatementCtx<'_>) -> Done {
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| (cx.account(a), cx.account(b))).collect();
    cx.changes.access.accounts().clone().rename_users(&pairs).await?;
    Ok(AdminResult::ok())
}

async fn set_password(s: &ast::SetPassword, cx: &mut StatementCtx<'_>) -> Done {
    let name = cx.account(s.user.as_ref().unwrap_or(&UserSpec::CurrentUser));
    let Some(p) = &s.password else { return Err(SqlError::not_supported("RANDOM PASSWORD")) };
    if s.retain_current {
        return Err(SqlError::not_supported("two passwords of one account"));
    }
    cx.changes.access.accounts().clone().set_password(&name, p).await?;
    Ok(AdminResult::ok())
}

fn what(w: &GrantWhat, cx: &StatementCtx<'_>) -> Result<(Privileges, GrantLevel), SqlError> {
    let GrantWhat::Privileges { list, all, object, level } = w else {
        return Err(SqlError::not_supported("roles and PROXY"));
    };
    if *object != GrantObject::Table {
        return Err(SqlError::not_supported("privileges on routines"));
    }
    let level = match level {
        ast::GrantLevel::Global => GrantLevel::Global,
        ast::GrantLevel::Schema(Some(s)) => GrantLevel::Database(s.as_str().to_string()),
        ast::GrantLevel::Schema(None) => {
            GrantLevel::Database(cx.reads.schema_of(None)?.to_string())
        }
        ast::GrantLevel::Object(n) => GrantLevel::Table {
            schema: cx.reads.schema_of(n.schema.as_ref().map(|s| s.as_str()))?.to_string(),
            table: n.name.as_str().to_string(),
        },
    };
    if *all {
        let p = match level {
            GrantLevel::Global => Privileges::all_global(),
            GrantLevel::Database(_) => Privileges::all_database(),
            GrantLevel::Table { .. } => Privileges::all_table(),
        };
        return Ok((p, level));
    }
    let mut p = Privileges::NONE;
    for one in list {
        if !one.columns.is_empty() {
            return Err(SqlError::not_supported("privileges on columns"));
        }
        let Some(found) = Privileges::by_name(&one.name) else {
            return Err(SqlError::new(
                3619,
                format!("Illegal privilege level specified for {}", one.name),
            ));
        };
        p |= found;
    }
    Ok((p, level))
}

async fn grant(g: &ast::Grant, cx: &mut StatementCtx<'_>) -> Done {
    if g.as_user.is_some() {
        return Err(SqlError::not_supported("GRANT ... AS"));
    }
    let (p, level) = what(&g.what, cx)?;
    if g.to.iter().any(|u| u.auth.is_some()) {
        return Err(SqlError::new(1410, "You are not allowed to create a user with GRANT"));
    }
    // A table that may be made need not be there yet.
    if let GrantLevel::Table { schema, table } = &level
        && !p.contains(Privileges::CREATE)
        && cx.reads.db().object(ObjectKind::View, schema, table).is_none()
    {
        cx.reads.table(schema, table)?;
    }
    let to: Vec<AccountName> = g.to.iter().map(|u| cx.account(&u.user)).collect();
    cx.changes.access.accounts().clone().grant(p, &level, &to, g.with_option).await?;
    Ok(AdminResult::ok())
}

async fn revoke(r: &ast::Revoke, cx: &mut StatementCtx<'_>) -> Done {
    let from: Vec<AccountName> = r.from.iter().map(|u| cx.account(u)).collect();
    if r.what == GrantWhat::AllAndGrantOption {
        cx.changes.access.accounts().clone().revoke_all(&from).await?;
        return Ok(AdminResult::ok());
    }
    let (p, level) = what(&r.what, cx)?;
    cx.changes.access.accounts().clone().revoke(p, &level, &from).await?;
    Ok(AdminResult::ok())
}
