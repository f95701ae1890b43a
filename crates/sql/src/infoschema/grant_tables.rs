//! The grant tables of the schema `mysql`: made from the accounts where nobody has written to them.
//!
//! Anyone who reads them needs SELECT on the schema or the table, as for any other; what one may not read, SHOW GRANTS and
//! information_schema tell of oneself.

use super::cells::{BIN, Row, at, c, n, os, ou, s, text, u};
use super::virtual_table;
use crate::account::{Account, ON_ALL, ON_DATABASE, Privileges};
use crate::context::{TableReads, VirtualColumn, VirtualTable};
use crate::value::convert::local_time;
use crate::value::{SqlType, TimeZone, Value};
use std::sync::Arc;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![
        &User,
        &Db,
        &TablesPriv,
        &ColumnsPriv,
        &ProcsPriv,
        &GlobalGrants,
        &RoleEdges,
        &DefaultRoles,
        &PasswordHistory,
        &UserAttributes,
    ]
}

/// Names that differ by letter case are different.
fn exact(chars: u32) -> SqlType {
    SqlType::varchar(chars, BIN)
}

fn y_n(held: bool) -> Value<'static> {
    s(if held { "Y" } else { "N" })
}

fn flags(list: &'static [(&'static str, Privileges)]) -> impl Iterator<Item = VirtualColumn> {
    list.iter().map(|(name, _)| n(name, text(1)))
}

fn held(list: &[(&str, Privileges)], of: Privileges) -> impl Iterator<Item = Value<'static>> {
    list.iter().map(move |(_, one)| y_n(of.contains(*one)))
}

fn accounts(cx: TableReads<'_>) -> Arc<[Arc<Account>]> {
    cx.access.accounts().list()
}

/// Privileges as the SET columns of the tables for single objects write them: `Select,Create View`.
fn set(held: Privileges) -> Value<'static> {
    let word = |name: &'static str| match name {
        "GRANT OPTION" => "Grant".to_owned(),
        "SHOW VIEW" => "Show view".to_owned(),
        _ => name.split(' ').map(capital).collect::<Vec<_>>().join(" "),
    };
    s(held.names().map(word).collect::<Vec<_>>().join(","))
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    format!("{first}{}", rest.to_ascii_lowercase())
}

/// A time that is not kept, in a column that has one in every row: the first that the type has.
fn unknown(tz: TimeZone) -> Value<'static> {
    at(1_000_000, tz)
}

fn user_columns() -> Vec<VirtualColumn> {
    let mut all = vec![n("Host", text(255)), n("User", exact(32))];
    all.extend(flags(&ON_ALL));
    all.extend([
        n("ssl_type", text(9)),
        n("ssl_cipher", super::cells::TEXT),
        n("x509_issuer", super::cells::TEXT),
        n("x509_subject", super::cells::TEXT),
        n("max_questions", super::cells::UINT),
        n("max_updates", super::cells::UINT),
        n("max_connections", super::cells::UINT),
        n("max_user_connections", super::cells::UINT),
        n("plugin", text(64)),
        c("authentication_string", super::cells::TEXT),
        n("password_expired", text(1)),
        c("password_last_changed", super::cells::TIMESTAMP),
        c("password_lifetime", super::cells::UINT),
        n("account_locked", text(1)),
        n("Create_role_priv", text(1)),
        n("Drop_role_priv", text(1)),
        c("Password_reuse_history", super::cells::UINT),
        c("Password_reuse_time", super::cells::UINT),
        c("Password_require_current", text(1)),
        c("User_attributes", super::cells::LONGTEXT),
    ]);
    all
}

fn user_row(a: &Account, tz: TimeZone) -> Row {
    let mut row = vec![s(a.host.clone()), s(a.user.clone())];
    row.extend(held(&ON_ALL, a.global));
    row.push(s(a.require.type_name()));
    row.extend(a.require.texts().map(|text| s(text.to_owned())));
    let (policy, of) = (&a.policy, &a.policy.resources);
    row.extend([of.queries, of.updates, of.connections, of.at_once].map(|n| u(n.into())));
    row.extend([s(a.plugin.name()), s(a.credential.clone()), y_n(policy.expired)]);
    row.push(a.changed.map_or(Value::Null, |seconds| at(seconds.saturating_mul(1_000_000), tz)));
    row.push(ou(policy.lifetime.map(u64::from)));
    row.push(y_n(a.locked));
    let roles = [Privileges::CREATE_ROLE, Privileges::DROP_ROLE];
    row.extend(roles.map(|one| y_n(a.global.contains(one))));
    row.extend([ou(policy.history.map(u64::from)), ou(policy.reuse_days.map(u64::from))]);
    row.push(policy.require_current.map_or(Value::Null, y_n));
    row.push(os(policy.user_attributes(&a.restrictions)));
    row
}

virtual_table!(User, "mysql", "user", (None, None), user_columns(), |cx, _| {
    accounts(cx).iter().map(|a| user_row(a, cx.reads.settings.tz)).collect()
});

fn db_columns() -> Vec<VirtualColumn> {
    let mut all = vec![n("Host", text(255)), n("Db", exact(64)), n("User", exact(32))];
    all.extend(flags(&ON_DATABASE));
    all
}

virtual_table!(Db, "mysql", "db", (None, None), db_columns(), |cx, _| {
    let mut rows = Vec::new();
    for a in accounts(cx).iter() {
        for (pattern, of) in &a.databases {
            let mut row = vec![s(a.host.clone()), s(pattern.clone()), s(a.user.clone())];
            row.extend(held(&ON_DATABASE, *of));
            rows.push(row);
        }
    }
    rows
});

virtual_table!(
    TablesPriv,
    "mysql",
    "tables_priv",
    (None, None),
    [
        n("Host", text(255)),
        n("Db", exact(64)),
        n("User", exact(32)),
        n("Table_name", exact(64)),
        n("Grantor", text(288)),
        c("Timestamp", super::cells::TIMESTAMP),
        n("Table_priv", text(255)),
        n("Column_priv", text(64)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in accounts(cx).iter() {
            for t in &a.tables {
                let names = [a.host.clone(), t.schema.clone(), a.user.clone(), t.table.clone()];
                let mut row: Row = names.map(s).into();
                row.extend([s(""), unknown(cx.reads.settings.tz)]);
                row.extend([set(t.held), set(t.on_columns())]);
                rows.push(row);
            }
        }
        rows
    }
);

virtual_table!(
    ColumnsPriv,
    "mysql",
    "columns_priv",
    (None, None),
    [
        n("Host", text(255)),
        n("Db", exact(64)),
        n("User", exact(32)),
        n("Table_name", exact(64)),
        n("Column_name", text(64)),
        c("Timestamp", super::cells::TIMESTAMP),
        n("Column_priv", text(64)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in accounts(cx).iter() {
            for (t, column) in a.tables.iter().flat_map(|t| t.columns.iter().map(move |c| (t, c))) {
                let names = [a.host.clone(), t.schema.clone(), a.user.clone(), t.table.clone()];
                let mut row: Row = names.map(s).into();
                row.extend([s(column.column.clone()), unknown(cx.reads.settings.tz)]);
                row.push(set(column.held));
                rows.push(row);
            }
        }
        rows
    }
);

virtual_table!(
    ProcsPriv,
    "mysql",
    "procs_priv",
    (None, None),
    [
        n("Host", text(255)),
        n("Db", exact(64)),
        n("User", exact(32)),
        n("Routine_name", text(64)),
        n("Routine_type", text(9)),
        n("Grantor", text(288)),
        n("Proc_priv", text(64)),
        c("Timestamp", super::cells::TIMESTAMP),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in accounts(cx).iter() {
            for r in &a.routines {
                let names = [a.host.clone(), r.schema.clone(), a.user.clone(), r.name.clone()];
                let mut row: Row = names.map(s).into();
                let kind = if r.procedure { "PROCEDURE" } else { "FUNCTION" };
                row.extend([s(kind), s(""), set(r.held), unknown(cx.reads.settings.tz)]);
                rows.push(row);
            }
        }
        rows
    }
);

virtual_table!(
    GlobalGrants,
    "mysql",
    "global_grants",
    (None, None),
    [
        n("USER", exact(32)),
        n("HOST", text(255)),
        n("PRIV", text(32)),
        n("WITH_GRANT_OPTION", text(1))
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in accounts(cx).iter() {
            let option = a.global.contains(Privileges::GRANT_OPTION);
            let dynamic = Privileges::dynamic().names();
            let held = dynamic
                .filter(|p| Privileges::by_name(p).is_some_and(|one| a.global.contains(one)));
            rows.extend(
                held.map(|p| vec![s(a.user.clone()), s(a.host.clone()), s(p), y_n(option)]),
            );
        }
        rows
    }
);

virtual_table!(
    RoleEdges,
    "mysql",
    "role_edges",
    (None, None),
    [
        n("FROM_HOST", text(255)),
        n("FROM_USER", exact(32)),
        n("TO_HOST", text(255)),
        n("TO_USER", exact(32)),
        n("WITH_ADMIN_OPTION", text(1)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in accounts(cx).iter() {
            rows.extend(a.roles.iter().map(|r| {
                let (from, to) = (&r.role, a);
                let names = [&from.host, &from.user, &to.host, &to.user];
                names.map(|name| s(name.clone())).into_iter().chain([y_n(r.admin)]).collect()
            }));
        }
        rows
    }
);

virtual_table!(
    DefaultRoles,
    "mysql",
    "default_roles",
    (None, None),
    [
        n("HOST", text(255)),
        n("USER", exact(32)),
        n("DEFAULT_ROLE_HOST", text(255)),
        n("DEFAULT_ROLE_USER", exact(32)),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in accounts(cx).iter() {
            rows.extend(
                a.default_roles.iter().map(|r| {
                    [&a.host, &a.user, &r.host, &r.user].map(|name| s(name.clone())).into()
                }),
            );
        }
        rows
    }
);

virtual_table!(
    PasswordHistory,
    "mysql",
    "password_history",
    (None, None),
    [
        n("Host", text(255)),
        n("User", exact(32)),
        n("Password_timestamp", SqlType::Timestamp { fsp: 6 }),
        c("Password", super::cells::TEXT),
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in accounts(cx).iter() {
            // Two of one second are in order, the latest first.
            rows.extend(a.policy.former.iter().zip((0..1_000_000).rev()).map(
                |(former, micros)| {
                    let time = former.at.saturating_mul(1_000_000) + micros;
                    let time = local_time(time as i64, cx.reads.settings.tz, 6);
                    let time = time.map_or(Value::Null, Value::DateTime);
                    vec![s(a.host.clone()), s(a.user.clone()), time, s(former.credential.clone())]
                },
            ));
        }
        rows
    }
);

virtual_table!(
    UserAttributes,
    "information_schema",
    "USER_ATTRIBUTES",
    (None, None),
    [n("USER", exact(32)), n("HOST", text(255)), c("ATTRIBUTE", super::cells::LONGTEXT)],
    |cx, _| {
        let mut access = cx.access.clone();
        let of_accounts = Privileges::SELECT | Privileges::UPDATE;
        // Anyone who may look after accounts sees all; others their own.
        let all = access.global().intersects(Privileges::CREATE_USER)
            || access.on_database("mysql").intersects(of_accounts);
        let (user, host) = access.account();
        let own = |a: &Account| a.user == user && a.host.eq_ignore_ascii_case(host);
        accounts(cx)
            .iter()
            .filter(|a| all || own(a))
            .map(|a| vec![s(a.user.clone()), s(a.host.clone()), os(a.policy.attribute.clone())])
            .collect()
    }
);
