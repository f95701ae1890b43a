//! CREATE ROLE, DROP ROLE, SET ROLE, SET DEFAULT ROLE: from the syntax tree to [`crate::account`].

use super::definers;
use super::users::notes;
use super::{AdminResult, StatementCtx};
use crate::account::{AccountName, Privileges, RoleChoice};
use crate::session_api::SqlError;
use weir_syntax::ast::{DefaultRoles, SetRole, Statement, UserSpec};

type Done = Result<AdminResult, SqlError>;

pub async fn run(stmt: &Statement, cx: &mut StatementCtx<'_>) -> Option<Done> {
    Some(match stmt {
        Statement::CreateRole { if_not_exists, roles } => create(*if_not_exists, roles, cx).await,
        Statement::DropRole { if_exists, roles } => drop_roles(*if_exists, roles, cx).await,
        Statement::SetRole(choice) => set_role(choice, cx),
        Statement::SetDefaultRole { roles, users } => set_default(roles, users, cx).await,
        _ => return None,
    })
}

pub(super) fn names(list: &[UserSpec], cx: &StatementCtx<'_>) -> Vec<AccountName> {
    list.iter().map(|u| cx.account(u)).collect()
}

async fn create(if_not_exists: bool, roles: &[UserSpec], cx: &mut StatementCtx<'_>) -> Done {
    let roles = names(roles, cx);
    let accounts = cx.changes.access.accounts().clone();
    let is_new = |n: &&AccountName| accounts.get(&n.user, &n.host).is_none();
    let new: Vec<AccountName> = roles.iter().filter(is_new).cloned().collect();
    definers::check("CREATE ROLE", &new, cx)?;
    notes(accounts.create_roles(&roles, if_not_exists).await?, cx);
    Ok(AdminResult::ok())
}

async fn drop_roles(if_exists: bool, roles: &[UserSpec], cx: &mut StatementCtx<'_>) -> Done {
    let roles = names(roles, cx);
    cx.changes.access.require_system_user_over(&roles)?;
    // CREATE USER drops any other account.
    if !cx.changes.access.global().contains(Privileges::CREATE_USER) {
        cx.changes.access.require_over(&roles)?;
    }
    definers::check("DROP ROLE", &roles, cx)?;
    let accounts = cx.changes.access.accounts().clone();
    notes(accounts.drop_roles(&roles, if_exists).await?, cx);
    Ok(AdminResult::ok())
}

fn set_role(choice: &SetRole, cx: &mut StatementCtx<'_>) -> Done {
    let choice = match choice {
        SetRole::Default => RoleChoice::Default,
        SetRole::None => RoleChoice::None,
        SetRole::All => RoleChoice::All,
        SetRole::AllExcept(list) => RoleChoice::AllExcept(names(list, cx)),
        SetRole::Some(list) => RoleChoice::Some(names(list, cx)),
    };
    cx.changes.access.set_roles(&choice)?;
    Ok(AdminResult::ok())
}

pub(super) fn default_choice(choice: &DefaultRoles, cx: &StatementCtx<'_>) -> RoleChoice {
    match choice {
        DefaultRoles::None => RoleChoice::None,
        DefaultRoles::All => RoleChoice::All,
        DefaultRoles::Some(list) => RoleChoice::Some(names(list, cx)),
    }
}

async fn set_default(roles: &DefaultRoles, users: &[UserSpec], cx: &mut StatementCtx<'_>) -> Done {
    let (choice, users) = (default_choice(roles, cx), names(users, cx));
    cx.changes.access.require_system_user_over(&users)?;
    cx.changes.access.accounts().clone().set_default_roles(&users, &choice).await?;
    Ok(AdminResult::ok())
}
