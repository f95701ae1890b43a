//! SHOW GRANTS and SHOW CREATE USER.

use super::name::{AccountName, quote};
use super::{Account, GrantedRole, LockTime, Privileges, Restrictions, TableRights};
use std::fmt::Write as _;

/// `GRANT ... TO ... [WITH GRANT OPTION]`.
fn line(names: &str, held: Privileges, on: &str, to: &str) -> String {
    let option = match held.contains(Privileges::GRANT_OPTION) {
        true => " WITH GRANT OPTION",
        false => "",
    };
    format!("GRANT {names} ON {on} TO {to}{option}")
}

fn names_of(held: Privileges, all: Privileges) -> String {
    match held.without(Privileges::GRANT_OPTION) {
        Privileges::NONE => "USAGE".to_owned(),
        plain if plain == all => "ALL PRIVILEGES".to_owned(),
        plain => plain.names().collect::<Vec<_>>().join(", "),
    }
}

/// The privileges on `*.*`, by name as in MySQL 8.0 also where they are all: a line of static ones, and one of dynamic ones, if any.
fn of_everything(held: Privileges, to: &str) -> Vec<String> {
    let dynamic = Privileges::dynamic();
    let names = names_of(held.without(dynamic), Privileges::NONE);
    let mut lines = vec![line(&names, held, "*.*", to)];
    let mut names: Vec<_> = dynamic.without(dynamic.without(held)).names().collect();
    names.sort_unstable();
    if !names.is_empty() {
        lines.push(line(&names.join(","), held, "*.*", to));
    }
    lines
}

/// The privileges of a table with those of its columns: `SELECT (`a`, `b`), INSERT`.
fn table_names(t: &TableRights) -> String {
    if t.columns.is_empty() {
        return names_of(t.held, Privileges::all_table());
    }
    let of_table = t.held.without(Privileges::GRANT_OPTION);
    let mut words = Vec::new();
    for name in (of_table | t.on_columns()).names() {
        let one = Privileges::by_name(name).unwrap_or_default();
        if of_table.contains(one) {
            words.push(name.to_owned());
        }
        let columns = t.columns.iter().filter(|c| c.held.contains(one));
        let columns: Vec<_> = columns.map(|c| quote(&c.column)).collect();
        if !columns.is_empty() {
            words.push(format!("{name} ({})", columns.join(", ")));
        }
    }
    words.join(", ")
}

/// SHOW GRANTS: one line for each level, then the roles. `using`: accounts of roles whose privileges are shown with its own;
/// `mandatory`: roles that are granted to everybody.
pub fn show_grants(
    account: &Account,
    using: &[std::sync::Arc<Account>],
    mandatory: &[AccountName],
) -> Vec<String> {
    let merged;
    let shown = match using {
        [] => account,
        _ => {
            merged = using.iter().fold(account.clone(), |sum, role| with_rights(sum, role));
            &merged
        }
    };
    let to = account.name().quoted();
    let mut lines = of_everything(shown.global, &to);
    for (db, held) in &shown.databases {
        let names = names_of(*held, Privileges::all_database());
        lines.push(line(&names, *held, &format!("{}.*", quote(db)), &to));
    }
    for (db, out) in shown.restrictions.iter() {
        let names = out.names().collect::<Vec<_>>().join(", ");
        lines.push(format!("REVOKE {names} ON {}.* FROM {to}", quote(db)));
    }
    for t in &shown.tables {
        let on = format!("{}.{}", quote(&t.schema), quote(&t.table));
        lines.push(line(&table_names(t), t.held, &on, &to));
    }
    for r in &shown.routines {
        let kind = if r.procedure { "PROCEDURE" } else { "FUNCTION" };
        let on = format!("{kind} {}.{}", quote(&r.schema), quote(&r.name));
        let plain = r.held.without(Privileges::GRANT_OPTION);
        let names = match plain.is_empty() {
            true => "USAGE".to_owned(),
            false => plain.names().collect::<Vec<_>>().join(", "),
        };
        lines.push(line(&names, r.held, &on, &to));
    }
    let mut roles = account.roles.clone();
    for role in mandatory {
        let own = *role == account.name() || roles.iter().any(|r| r.role == *role);
        if !own {
            roles.push(GrantedRole { role: role.clone(), admin: false });
        }
    }
    roles.sort_by(|a, b| a.role.cmp(&b.role));
    for admin in [false, true] {
        let of = roles.iter().filter(|r| r.admin == admin);
        let names: Vec<_> = of.map(|r| r.role.quoted()).collect();
        if !names.is_empty() {
            let option = if admin { " WITH ADMIN OPTION" } else { "" };
            lines.push(format!("GRANT {} TO {to}{option}", names.join(",")));
        }
    }
    lines
}

/// An account's rights with those of a role added.
fn with_rights(mut sum: Account, role: &Account) -> Account {
    sum.restrictions = Restrictions::of_all([&sum, role].into_iter());
    sum.global |= role.global;
    for (db, held) in &role.databases {
        match sum.databases.iter_mut().find(|(known, _)| known == db) {
            Some((_, own)) => *own |= *held,
            None => sum.databases.push((db.clone(), *held)),
        }
    }
    for t in &role.tables {
        let Some(own) = sum.tables.iter_mut().find(|o| o.is_on(&t.schema, &t.table)) else {
            sum.tables.push(t.clone());
            continue;
        };
        own.held |= t.held;
        for c in &t.columns {
            match own.columns.iter_mut().find(|o| o.is_on(&c.column)) {
                Some(o) => o.held |= c.held,
                None => own.columns.push(c.clone()),
            }
        }
    }
    for r in &role.routines {
        let known = |o: &&mut super::RoutineRights| o.is_on(r.procedure, &r.schema, &r.name);
        match sum.routines.iter_mut().find(known) {
            Some(own) => own.held |= r.held,
            None => sum.routines.push(r.clone()),
        }
    }
    sum
}

/// SHOW CREATE USER.
pub fn show_create_user(account: &Account) -> String {
    let name = account.name().quoted();
    let mut text = format!("CREATE USER {name} IDENTIFIED WITH '{}'", account.plugin.name());
    if !account.credential.is_empty() {
        let escaped = account.credential.replace('\\', "\\\\").replace('\'', "\\'");
        let _ = write!(text, " AS '{escaped}'");
    }
    if !account.default_roles.is_empty() {
        let roles: Vec<_> = account.default_roles.iter().map(AccountName::quoted).collect();
        let _ = write!(text, " DEFAULT ROLE {}", roles.join(","));
    }
    let _ = write!(text, " REQUIRE {}", account.require);
    put_policy(account, &mut text);
    text
}

/// What comes after REQUIRE, in MySQL's order.
fn put_policy(account: &Account, text: &mut String) {
    let policy = &account.policy;
    let of = &policy.resources;
    let limits = [
        ("MAX_QUERIES_PER_HOUR", of.queries),
        ("MAX_UPDATES_PER_HOUR", of.updates),
        ("MAX_CONNECTIONS_PER_HOUR", of.connections),
        ("MAX_USER_CONNECTIONS", of.at_once),
    ];
    let set = limits.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!(" {name} {n}"));
    let set: String = set.collect();
    if !set.is_empty() {
        text.push_str(" WITH");
        text.push_str(&set);
    }
    text.push_str(" PASSWORD EXPIRE");
    text.push_str(&match policy.lifetime {
        _ if policy.expired => String::new(),
        None => " DEFAULT".to_owned(),
        Some(0) => " NEVER".to_owned(),
        Some(n) => format!(" INTERVAL {n} DAY"),
    });
    text.push_str(if account.locked { " ACCOUNT LOCK" } else { " ACCOUNT UNLOCK" });
    let history = policy.history.map_or("DEFAULT".to_owned(), |n| n.to_string());
    let reuse = policy.reuse_days.map_or("DEFAULT".to_owned(), |n| format!("{n} DAY"));
    let current = match policy.require_current {
        None => " DEFAULT",
        Some(true) => "",
        Some(false) => " OPTIONAL",
    };
    // Writing to a String does not fail.
    let _ = write!(
        text,
        " PASSWORD HISTORY {history} PASSWORD REUSE INTERVAL {reuse} PASSWORD REQUIRE CURRENT{current}"
    );
    if policy.counts_failures() {
        let days = match policy.lock_time {
            LockTime::Days(n) => n.to_string(),
            LockTime::Unbounded => "UNBOUNDED".to_owned(),
        };
        let _ =
            write!(text, " FAILED_LOGIN_ATTEMPTS {} PASSWORD_LOCK_TIME {days}", policy.attempts);
    }
    if let Some(attribute) = &policy.attribute {
        let escaped = attribute.replace('\\', "\\\\").replace('\'', "\\'");
        let _ = write!(text, " ATTRIBUTE '{escaped}'");
    }
}
