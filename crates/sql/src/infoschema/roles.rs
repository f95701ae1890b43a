//! Roles, and rights on columns: APPLICABLE_ROLES and its like, ROLE_TABLE_GRANTS and its like, COLUMN_PRIVILEGES.

use super::cells::{NAME, Row, c, n, s, text, yes_no};
use super::virtual_table;
use crate::account::{Account, AccountName, Privileges};
use crate::context::{TableReads, VirtualTable};
use std::sync::Arc;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![
        &ApplicableRoles,
        &AdministrableRoles,
        &EnabledRoles,
        &RoleTableGrants,
        &RoleColumnGrants,
        &RoleRoutineGrants,
        &ColumnPrivileges,
    ]
}

/// The roles that the session's account could have: those granted to it, and to those. USER to IS_MANDATORY.
fn applicable(cx: TableReads<'_>) -> Vec<Row> {
    let accounts = cx.access.accounts();
    let (user, host) = cx.access.account();
    let Some(own) = accounts.get(user, host) else { return Vec::new() };
    let policy = accounts.policy();
    let mut rows = Vec::new();
    let mut met: Vec<Arc<Account>> = vec![own.clone()];
    let mut next = 0;
    while let Some(of) = met.get(next).cloned() {
        next += 1;
        let mut roles: Vec<(AccountName, bool)> =
            of.roles.iter().map(|r| (r.role.clone(), r.admin)).collect();
        if Arc::ptr_eq(&of, &own) {
            let more = policy.mandatory.iter().filter(|m| **m != own.name());
            roles.extend(more.map(|m| (m.clone(), false)));
        }
        let mut listed: Vec<AccountName> = Vec::new();
        for (role, admin) in roles {
            let Some(account) = accounts.get(&role.user, &role.host) else { continue };
            if listed.contains(&role) {
                continue;
            }
            let is_default = own.default_roles.contains(&role);
            let is_mandatory = policy.mandatory.contains(&role);
            rows.push(vec![
                s(user),
                s(host),
                s(of.user.clone()),
                s(of.host.clone()),
                s(role.user.clone()),
                s(role.host.clone()),
                yes_no(admin),
                yes_no(is_default),
                yes_no(is_mandatory),
            ]);
            listed.push(role);
            if !met.iter().any(|m| Arc::ptr_eq(m, &account)) {
                met.push(account);
            }
        }
    }
    rows
}

/// Is the role of this row WITH ADMIN OPTION?
fn is_administrable(row: &Row) -> bool {
    const IS_GRANTABLE: usize = 6;
    row[IS_GRANTABLE] == yes_no(true)
}

/// The accounts of the active roles, and of the roles granted to those.
fn enabled(cx: TableReads<'_>) -> Vec<Arc<Account>> {
    let mut access = cx.access.clone();
    let active = access.active_roles().to_vec();
    let (user, host) = access.account();
    let own = access.accounts().get(user, host);
    own.and_then(|a| access.accounts().roles_in_use(&a, &active).ok()).unwrap_or_default()
}

virtual_table!(
    ApplicableRoles,
    "information_schema",
    "APPLICABLE_ROLES",
    (None, None),
    [
        c("USER", text(97)),
        c("HOST", text(256)),
        c("GRANTEE", text(97)),
        c("GRANTEE_HOST", text(256)),
        c("ROLE_NAME", text(255)),
        c("ROLE_HOST", text(256)),
        n("IS_GRANTABLE", text(3)),
        c("IS_DEFAULT", text(3)),
        n("IS_MANDATORY", text(3)),
    ],
    |cx, _| applicable(cx)
);

virtual_table!(
    AdministrableRoles,
    "information_schema",
    "ADMINISTRABLE_ROLE_AUTHORIZATIONS",
    (None, None),
    [
        c("USER", text(97)),
        c("HOST", text(256)),
        c("GRANTEE", text(97)),
        c("GRANTEE_HOST", text(256)),
        c("ROLE_NAME", text(255)),
        c("ROLE_HOST", text(256)),
        n("IS_GRANTABLE", text(3)),
        c("IS_DEFAULT", text(3)),
        n("IS_MANDATORY", text(3)),
    ],
    |cx, _| applicable(cx).into_iter().filter(is_administrable).collect()
);

virtual_table!(
    EnabledRoles,
    "information_schema",
    "ENABLED_ROLES",
    (None, None),
    [
        c("ROLE_NAME", text(255)),
        c("ROLE_HOST", text(255)),
        c("IS_DEFAULT", text(3)),
        n("IS_MANDATORY", text(3)),
    ],
    |cx, _| {
        let (user, host) = cx.access.account();
        let accounts = cx.access.accounts();
        let defaults = accounts.get(user, host).map_or_else(Vec::new, |a| a.default_roles.clone());
        let mandatory = &accounts.policy().mandatory;
        let row = |a: Arc<Account>| {
            let name = a.name();
            let marks = [defaults.contains(&name), mandatory.contains(&name)].map(yes_no);
            [s(name.user), s(name.host)].into_iter().chain(marks).collect()
        };
        enabled(cx).into_iter().map(row).collect()
    }
);

/// GRANTOR to GRANTEE_HOST: who granted a right is not kept, as nothing depends on it.
fn grantee(a: &Account) -> Row {
    vec![s(""), s(""), s(a.user.clone()), s(a.host.clone())]
}

/// Names of privileges with whether they may be handed on.
fn granted(held: Privileges) -> Vec<(&'static str, bool)> {
    let option = held.contains(Privileges::GRANT_OPTION);
    held.without(Privileges::GRANT_OPTION).names().map(|p| (p, option)).collect()
}

virtual_table!(
    RoleTableGrants,
    "information_schema",
    "ROLE_TABLE_GRANTS",
    (Some("TABLE_SCHEMA"), Some("TABLE_NAME")),
    [
        c("GRANTOR", text(97)),
        c("GRANTOR_HOST", text(256)),
        n("GRANTEE", text(32)),
        n("GRANTEE_HOST", text(255)),
        n("TABLE_CATALOG", text(3)),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("PRIVILEGE_TYPE", text(64)),
        n("IS_GRANTABLE", text(3)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in enabled(cx) {
            for t in &a.tables {
                for (name, option) in granted(t.held) {
                    let mut row = grantee(&a);
                    row.extend([s("def"), s(t.schema.clone()), s(t.table.clone())]);
                    row.extend([s(name), yes_no(option)]);
                    rows.push(row);
                }
            }
        }
        rows
    }
);

virtual_table!(
    RoleColumnGrants,
    "information_schema",
    "ROLE_COLUMN_GRANTS",
    (Some("TABLE_SCHEMA"), Some("TABLE_NAME")),
    [
        c("GRANTOR", text(97)),
        c("GRANTOR_HOST", text(256)),
        n("GRANTEE", text(32)),
        n("GRANTEE_HOST", text(255)),
        n("TABLE_CATALOG", text(3)),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("COLUMN_NAME", text(64)),
        n("PRIVILEGE_TYPE", text(64)),
        n("IS_GRANTABLE", text(3)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in enabled(cx) {
            for t in &a.tables {
                let option = t.held.contains(Privileges::GRANT_OPTION);
                for column in &t.columns {
                    for name in column.held.names() {
                        let mut row = grantee(&a);
                        row.extend([s("def"), s(t.schema.clone()), s(t.table.clone())]);
                        row.extend([s(column.column.clone()), s(name), yes_no(option)]);
                        rows.push(row);
                    }
                }
            }
        }
        rows
    }
);

virtual_table!(
    RoleRoutineGrants,
    "information_schema",
    "ROLE_ROUTINE_GRANTS",
    (None, None),
    [
        c("GRANTOR", text(97)),
        c("GRANTOR_HOST", text(256)),
        n("GRANTEE", text(32)),
        n("GRANTEE_HOST", text(255)),
        n("SPECIFIC_CATALOG", text(3)),
        n("SPECIFIC_SCHEMA", NAME),
        n("SPECIFIC_NAME", text(64)),
        n("ROUTINE_CATALOG", text(3)),
        n("ROUTINE_SCHEMA", NAME),
        n("ROUTINE_NAME", text(64)),
        n("PRIVILEGE_TYPE", text(64)),
        n("IS_GRANTABLE", text(3)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in enabled(cx) {
            for r in &a.routines {
                for (name, option) in granted(r.held) {
                    let mut row = grantee(&a);
                    for _ in 0..2 {
                        row.extend([s("def"), s(r.schema.clone()), s(r.name.clone())]);
                    }
                    row.extend([s(name), yes_no(option)]);
                    rows.push(row);
                }
            }
        }
        rows
    }
);

virtual_table!(
    ColumnPrivileges,
    "information_schema",
    "COLUMN_PRIVILEGES",
    (Some("TABLE_SCHEMA"), Some("TABLE_NAME")),
    [
        n("GRANTEE", text(292)),
        n("TABLE_CATALOG", text(512)),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("COLUMN_NAME", text(64)),
        n("PRIVILEGE_TYPE", text(64)),
        n("IS_GRANTABLE", text(3)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in super::server::seen(cx) {
            for t in &a.tables {
                let option = t.held.contains(Privileges::GRANT_OPTION);
                for column in &t.columns {
                    rows.extend(column.held.names().map(|p| {
                        vec![
                            s(a.name().to_string()),
                            s("def"),
                            s(t.schema.clone()),
                            s(t.table.clone()),
                            s(column.column.clone()),
                            s(p),
                            yes_no(option),
                        ]
                    }));
                }
            }
        }
        rows
    }
);
