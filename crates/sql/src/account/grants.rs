//! GRANT and REVOKE of privileges, on plain arguments. Each is all or nothing. Whether the caller may do it is checked before,
//! with [`check_grantable`].

use super::name::AccountName;
use super::{
    Access, Account, Accounts, Privileges, Restrictions, RoutineRights, TableRights, host,
};
use crate::errno;
use crate::session_api::SqlError;
use std::sync::Arc;

/// What is granted on one column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ColumnRights {
    pub column: String,
    pub held: Privileges,
}

impl ColumnRights {
    /// Names of columns compare without regard to letter case.
    pub fn is_on(&self, column: &str) -> bool {
        self.column == column || self.column.to_lowercase() == column.to_lowercase()
    }
}

/// What a grant is on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GrantLevel {
    Global,
    /// Name pattern of databases.
    Database(String),
    /// A table or view, and columns of it with privileges of their own.
    Table {
        schema: String,
        table: String,
        columns: Vec<ColumnRights>,
    },
    Routine {
        procedure: bool,
        schema: String,
        name: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Add,
    Take,
}

impl Change {
    fn of(self, held: Privileges, privileges: Privileges) -> Privileges {
        match self {
            Change::Add => held | privileges,
            Change::Take => held.without(privileges),
        }
    }
}

impl Accounts {
    /// GRANT: adds. Accounts are never made by GRANT (1410), as in MySQL 8.0.
    pub async fn grant(
        &self,
        privileges: Privileges,
        level: &GrantLevel,
        to: &[AccountName],
        with_grant_option: bool,
    ) -> Result<(), SqlError> {
        let by = &Restrictions::default();
        self.grant_by(privileges, level, to, with_grant_option, by).await
    }

    /// As `grant`, by somebody who is restricted himself.
    pub async fn grant_by(
        &self,
        privileges: Privileges,
        level: &GrantLevel,
        to: &[AccountName],
        with_grant_option: bool,
        by: &Restrictions,
    ) -> Result<(), SqlError> {
        check_level(privileges, level)?;
        let option = if with_grant_option { Privileges::GRANT_OPTION } else { Privileges::NONE };
        let added = privileges | option;
        self.edit(|list| {
            for name in to {
                let account = list
                    .iter_mut()
                    .find(|a| name.is(a))
                    .ok_or_else(|| SqlError::of(errno::ER_CANT_CREATE_USER_WITH_GRANT, &[]))?;
                let account = Arc::make_mut(account);
                match level {
                    GrantLevel::Global => {
                        let had = account.global;
                        account.restrictions.granted(added.without(option), had, by);
                        change(account, level, added, Change::Add);
                    }
                    // What was restricted there is held on all databases, and reaches this one again.
                    GrantLevel::Database(db) => {
                        let lifted = account.restrictions.on(db).common(added);
                        account.restrictions.lift(db, lifted);
                        change(account, level, added.without(lifted), Change::Add);
                    }
                    _ => change(account, level, added, Change::Add),
                }
            }
            Ok(())
        })
        .await
    }

    /// REVOKE: takes away.
    pub async fn revoke(
        &self,
        privileges: Privileges,
        level: &GrantLevel,
        from: &[AccountName],
    ) -> Result<(), SqlError> {
        check_level(privileges, level)?;
        self.edit(|list| {
            for name in from {
                let account = list.iter_mut().find(|a| name.is(a));
                let known = account.as_deref().map(|a| &**a);
                let restricts = self.revokes_partially()
                    && known.is_some_and(|a| a.global.contains(privileges));
                if !(restricts && matches!(level, GrantLevel::Database(_))) {
                    check_granted(known, level, name)?;
                }
                let Some(account) = account else { continue };
                let account = Arc::make_mut(account);
                match level {
                    GrantLevel::Database(db) if self.revokes_partially() => {
                        let own = account.databases.iter().find(|(p, _)| p == db);
                        let own = own.map_or(Privileges::NONE, |(_, held)| *held);
                        let of_all = account.global.common(Privileges::all_database());
                        let restricted = privileges.without(own).common(of_all);
                        account.restrictions.add(db, restricted);
                    }
                    GrantLevel::Global => account.restrictions.lift_everywhere(privileges),
                    _ => {}
                }
                change(account, level, privileges, Change::Take);
            }
            Ok(())
        })
        .await
    }

    /// REVOKE ALL PRIVILEGES, GRANT OPTION. Roles stay, as in MySQL.
    pub async fn revoke_all(&self, from: &[AccountName]) -> Result<(), SqlError> {
        self.edit(|list| {
            for name in from {
                let account = list
                    .iter_mut()
                    .find(|a| name.is(a))
                    .ok_or_else(|| SqlError::of(errno::ER_REVOKE_GRANTS, &[]))?;
                let account = Arc::make_mut(account);
                account.global = Privileges::NONE;
                account.restrictions.clear();
                account.databases.clear();
                account.tables.clear();
                account.routines.clear();
            }
            Ok(())
        })
        .await
    }

    /// A routine is made: its creator may execute, alter and drop it (`automatic_sp_privileges`).
    pub async fn own_routine(
        &self,
        creator: &AccountName,
        procedure: bool,
        schema: &str,
        name: &str,
    ) -> Result<(), SqlError> {
        let (schema, name) = (schema.to_owned(), name.to_owned());
        let level = GrantLevel::Routine { procedure, schema, name };
        self.edit(|list| {
            if let Some(account) = list.iter_mut().find(|a| creator.is(a)) {
                change(Arc::make_mut(account), &level, Privileges::all_routine(), Change::Add);
            }
            Ok(())
        })
        .await
    }

    /// A routine is gone, and whatever was granted on it with it (`automatic_sp_privileges`).
    pub async fn forget_routine(
        &self,
        procedure: bool,
        schema: &str,
        name: &str,
    ) -> Result<(), SqlError> {
        let on = |a: &Account| a.routines.iter().any(|r| r.is_on(procedure, schema, name));
        if !self.list().iter().any(|a| on(a)) {
            return Ok(());
        }
        self.edit(|list| {
            for account in list.iter_mut().filter(|a| on(a)) {
                let routines = &mut Arc::make_mut(account).routines;
                routines.retain(|r| !r.is_on(procedure, schema, name));
            }
            Ok(())
        })
        .await
    }
}

/// 1141, 1147 or 1403 where nothing at all is granted on what REVOKE names, or there is no such account.
fn check_granted(
    account: Option<&Account>,
    level: &GrantLevel,
    name: &AccountName,
) -> Result<(), SqlError> {
    let known = |has: &dyn Fn(&Account) -> bool| account.is_some_and(has);
    match level {
        GrantLevel::Global if known(&|_| true) => Ok(()),
        GrantLevel::Database(db) if known(&|a| a.databases.iter().any(|(p, _)| p == db)) => Ok(()),
        GrantLevel::Global | GrantLevel::Database(_) => Err(no_such_grant(name)),
        GrantLevel::Table { schema, table, .. } => {
            match known(&|a| a.tables.iter().any(|t| t.is_on(schema, table))) {
                true => Ok(()),
                false => {
                    let number = errno::ER_NONEXISTING_TABLE_GRANT;
                    Err(no_such_object_grant(number, name, "table", table))
                }
            }
        }
        GrantLevel::Routine { procedure, schema, name: routine } => {
            match known(&|a| a.routines.iter().any(|r| r.is_on(*procedure, schema, routine))) {
                true => Ok(()),
                false => {
                    let number = errno::ER_NONEXISTING_PROC_GRANT;
                    Err(no_such_object_grant(number, name, "routine", routine))
                }
            }
        }
    }
}

/// 1141.
pub(super) fn no_such_grant(name: &AccountName) -> SqlError {
    SqlError::of(errno::ER_NONEXISTING_GRANT, &[&name.user, &name.host])
}

/// 1147 and 1403.
fn no_such_object_grant(errno: u16, name: &AccountName, what: &str, object: &str) -> SqlError {
    let (user, host) = (&name.user, &name.host);
    SqlError::new(
        errno,
        format!(
            "There is no such grant defined for user '{user}' on host '{host}' on {what} '{object}'"
        ),
    )
}

/// 1221 for a privilege that exists on `*.*` only or for columns, 1144 for one that no table or routine has.
fn check_level(privileges: Privileges, level: &GrantLevel) -> Result<(), SqlError> {
    let of_object = match level {
        GrantLevel::Global => return Ok(()),
        GrantLevel::Database(_) => {
            let on_database = Privileges::all_database() | Privileges::GRANT_OPTION;
            if on_database.contains(privileges) {
                return Ok(());
            }
            return Err(SqlError::of(errno::ER_WRONG_USAGE, &[&"DB GRANT", &"GLOBAL PRIVILEGES"]));
        }
        GrantLevel::Table { columns, .. } => {
            let of_columns = Privileges::of_columns();
            if !columns.iter().all(|c| of_columns.contains(c.held)) {
                return Err(SqlError::of(
                    errno::ER_WRONG_USAGE,
                    &[&"COLUMN GRANT", &"NON-COLUMN PRIVILEGES"],
                ));
            }
            Privileges::of_tables()
        }
        GrantLevel::Routine { .. } => Privileges::all_routine() | Privileges::GRANT_OPTION,
    };
    if of_object.contains(privileges) {
        return Ok(());
    }
    let text = "Illegal GRANT/REVOKE command; please consult the manual to see which \
                privileges can be used";
    Err(SqlError::new(errno::ER_ILLEGAL_GRANT_FOR_TABLE, text))
}

fn change(account: &mut Account, level: &GrantLevel, privileges: Privileges, how: Change) {
    match level {
        GrantLevel::Global => account.global = how.of(account.global, privileges),
        GrantLevel::Database(db) => {
            let list = &mut account.databases;
            let at = list.iter().position(|(pattern, _)| pattern == db).unwrap_or_else(|| {
                list.push((db.clone(), Privileges::NONE));
                list.len() - 1
            });
            list[at].1 = how.of(list[at].1, privileges);
            list.retain(|(_, privileges)| !privileges.is_empty());
            list.sort_by(|(a, _), (b, _)| host::by_specificity(a, b));
        }
        GrantLevel::Table { schema, table, columns } => {
            change_table(account, (schema, table), columns, privileges, how);
        }
        GrantLevel::Routine { procedure, schema, name } => {
            let list = &mut account.routines;
            let known = list.iter().position(|r| r.is_on(*procedure, schema, name));
            let at = known.unwrap_or_else(|| {
                let (procedure, schema, name) = (*procedure, schema.clone(), name.to_lowercase());
                list.push(RoutineRights { procedure, schema, name, held: Privileges::NONE });
                list.len() - 1
            });
            list[at].held = how.of(list[at].held, privileges);
            list.retain(|r| !r.held.is_empty());
            list.sort_by(|a, b| {
                (!a.procedure, &a.schema, &a.name).cmp(&(!b.procedure, &b.schema, &b.name))
            });
        }
    }
}

fn change_table(
    account: &mut Account,
    (schema, table): (&String, &String),
    columns: &[ColumnRights],
    privileges: Privileges,
    how: Change,
) {
    let list = &mut account.tables;
    let at = list.iter().position(|t| t.is_on(schema, table)).unwrap_or_else(|| {
        let (schema, table) = (schema.clone(), table.clone());
        list.push(TableRights { schema, table, held: Privileges::NONE, columns: Vec::new() });
        list.len() - 1
    });
    let own = &mut list[at];
    own.held = how.of(own.held, privileges);
    if how == Change::Take {
        // What is taken from the table is taken from its columns as well.
        own.columns.iter_mut().for_each(|c| c.held = c.held.without(privileges));
    }
    for c in columns {
        let at = own.columns.iter().position(|o| o.is_on(&c.column)).unwrap_or_else(|| {
            own.columns.push(ColumnRights { column: c.column.clone(), held: Privileges::NONE });
            own.columns.len() - 1
        });
        own.columns[at].held = how.of(own.columns[at].held, c.held);
    }
    own.columns.retain(|c| !c.held.is_empty());
    own.columns.sort_by(|a, b| a.column.cmp(&b.column));
    list.retain(|t| !t.held.is_empty() || !t.columns.is_empty());
    list.sort_by(|a, b| (&a.schema, &a.table).cmp(&(&b.schema, &b.table)));
}

/// May this session hand out (or take away) `privileges` there? It needs GRANT OPTION and the
/// privileges themselves: 1045, 1044, 1142, 1143 or 1370 as MySQL answers.
pub fn check_grantable(
    access: &mut Access,
    privileges: Privileges,
    level: &GrantLevel,
) -> Result<(), SqlError> {
    let needed = privileges | Privileges::GRANT_OPTION;
    match level {
        GrantLevel::Database(db) if access.on_databases(db).contains(needed) => Ok(()),
        GrantLevel::Database(db) => Err(access.denied_database(db)),
        GrantLevel::Table { schema, table, columns } => {
            access.require_grantable_on(privileges, schema, table)?;
            columns.iter().try_for_each(|c| access.require_column(c.held, schema, table, &c.column))
        }
        GrantLevel::Routine { procedure, schema, name } => {
            match access.on_routine(*procedure, schema, name).contains(needed) {
                true => Ok(()),
                false => Err(access.denied_routine("grant", schema, name)),
            }
        }
        GrantLevel::Global if access.global().contains(needed) => Ok(()),
        GrantLevel::Global => Err(access.denied()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{accounts, now};
    use super::super::{Auth, show_grants};
    use super::*;

    #[test]
    fn grants_show_as_mysql_writes_them() {
        let accounts = accounts();
        let a = AccountName::new("a", "%");
        now(accounts.create_users(&[(a.clone(), Auth::None)], false, None)).unwrap();
        let db = GrantLevel::Database("shop".into());
        now(accounts.grant(Privileges::all_database(), &db, std::slice::from_ref(&a), true))
            .unwrap();
        let on_all = Privileges::SELECT | Privileges::PROCESS;
        now(accounts.grant(on_all, &GrantLevel::Global, std::slice::from_ref(&a), false)).unwrap();
        assert_eq!(
            show_grants(&accounts.get("a", "%").unwrap(), &[], &[]),
            [
                "GRANT SELECT, PROCESS ON *.* TO `a`@`%`",
                "GRANT ALL PRIVILEGES ON `shop`.* TO `a`@`%` WITH GRANT OPTION",
            ]
        );
        now(accounts.revoke(Privileges::PROCESS, &GrantLevel::Global, std::slice::from_ref(&a)))
            .unwrap();
        let all = Privileges::all_database() | Privileges::GRANT_OPTION;
        now(accounts.revoke(all, &db, std::slice::from_ref(&a))).unwrap();
        assert_eq!(
            show_grants(&accounts.get("a", "%").unwrap(), &[], &[]),
            ["GRANT SELECT ON *.* TO `a`@`%`"]
        );
        assert_eq!(
            now(accounts.revoke(all, &db, std::slice::from_ref(&a))).unwrap_err().errno,
            1141
        );
        let nobody = [AccountName::new("nobody", "%")];
        let refused = now(accounts.grant(Privileges::SELECT, &db, &nobody, false));
        assert_eq!(refused.unwrap_err().errno, 1410);
        let global_only = now(accounts.grant(Privileges::SUPER, &db, &[a], false));
        assert_eq!(global_only.unwrap_err().errno, 1221);
    }

    #[test]
    fn only_what_one_has_can_be_granted() {
        let accounts = accounts();
        let a = AccountName::new("a", "%");
        now(accounts.create_users(&[(a.clone(), Auth::None)], false, None)).unwrap();
        let db = GrantLevel::Database("shop".into());
        now(accounts.grant(Privileges::SELECT, &db, &[a], true)).unwrap();
        let mut access = accounts.access(&accounts.get("a", "%").unwrap(), "localhost");
        check_grantable(&mut access, Privileges::SELECT, &db).unwrap();
        assert_eq!(check_grantable(&mut access, Privileges::DROP, &db).unwrap_err().errno, 1044);
        let global = check_grantable(&mut access, Privileges::SELECT, &GrantLevel::Global);
        assert_eq!(global.unwrap_err().errno, 1045);
    }

    #[test]
    fn columns_and_routines_come_and_go() {
        let accounts = accounts();
        let a = AccountName::new("a", "%");
        now(accounts.create_users(&[(a.clone(), Auth::None)], false, None)).unwrap();
        let to = std::slice::from_ref(&a);
        let column = |column: &str, held| ColumnRights { column: column.into(), held };
        let on = |columns: Vec<ColumnRights>| GrantLevel::Table {
            schema: "d".into(),
            table: "t".into(),
            columns,
        };
        let both = Privileges::SELECT | Privileges::UPDATE;
        let some = on(vec![column("b", Privileges::SELECT), column("a", both)]);
        now(accounts.grant(Privileges::INSERT, &some, to, false)).unwrap();
        let p = GrantLevel::Routine { procedure: true, schema: "d".into(), name: "P".into() };
        now(accounts.grant(Privileges::EXECUTE, &p, to, true)).unwrap();
        let lines = || show_grants(&accounts.get("a", "%").unwrap(), &[], &[]);
        assert_eq!(
            lines(),
            [
                "GRANT USAGE ON *.* TO `a`@`%`",
                "GRANT SELECT (`a`, `b`), INSERT, UPDATE (`a`) ON `d`.`t` TO `a`@`%`",
                "GRANT EXECUTE ON PROCEDURE `d`.`p` TO `a`@`%` WITH GRANT OPTION",
            ]
        );
        // Revoked on the table, it is gone from the columns too.
        now(accounts.revoke(Privileges::SELECT, &on(Vec::new()), to)).unwrap();
        assert_eq!(lines()[1], "GRANT INSERT, UPDATE (`a`) ON `d`.`t` TO `a`@`%`");
        let rest = on(vec![column("A", Privileges::UPDATE)]);
        now(accounts.revoke(Privileges::INSERT, &rest, to)).unwrap();
        assert_eq!(lines().len(), 2);
        assert_eq!(now(accounts.revoke(both, &on(Vec::new()), to)).unwrap_err().errno, 1147);
        now(accounts.forget_routine(true, "d", "p")).unwrap();
        assert_eq!(now(accounts.revoke(Privileges::EXECUTE, &p, to)).unwrap_err().errno, 1403);
        let wrong = on(vec![column("a", Privileges::DELETE)]);
        assert_eq!(now(accounts.grant(both, &wrong, to, false)).unwrap_err().errno, 1221);
        assert_eq!(now(accounts.grant(both, &p, to, false)).unwrap_err().errno, 1144);
    }
}
