//! What a session may do: checks with MySQL's errors.
//!
//! A session has the rights of its account and those of its active roles, which include the roles granted to them. Where rights
//! go by patterns of schemas, the most specific pattern of each of these accounts counts, and the sum of what they give.

use super::attempts::Attempts;
use super::roles::{self, RoleChoice};
use super::{Account, AccountName, Accounts, Privileges, Resources, Restrictions, host};
use crate::errno;
use crate::planted::{self, Bug};
use crate::session_api::SqlError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The rights of one session. They follow the account: a check after a change sees the change.
#[derive(Clone)]
pub struct Access {
    accounts: Arc<Accounts>,
    /// CURRENT_USER().
    user: String,
    account_host: String,
    /// For messages: the host the client came from.
    from_host: String,
    version: u64,
    /// No other rights of any session have this number.
    state: u64,
    /// The account; one without rights when it was dropped.
    own: Arc<Account>,
    /// Active roles, in order. All of them are granted to the account.
    active: Vec<AccountName>,
    /// The accounts of the active roles, and of the roles granted to those.
    through: Vec<Arc<Account>>,
    /// Whether there are rights on single columns among what is held.
    with_columns: bool,
    /// The account's statements are limited; looked at before each of them.
    limited: bool,
    /// The server's own, whatever accounts there are.
    of_server: bool,
    of_replica: bool,
    /// Logged in with a password that has expired: until it is changed, nothing else may be done.
    expired: bool,
}

impl Access {
    /// Logins that failed, of all accounts.
    pub fn attempts(&self) -> &Attempts {
        &self.accounts.attempts
    }

    pub(super) fn new(accounts: Arc<Accounts>, account: &Arc<Account>, from_host: &str) -> Access {
        let mut access = Access {
            version: accounts.version(),
            state: 0,
            accounts,
            user: account.user.clone(),
            account_host: account.host.clone(),
            from_host: from_host.to_owned(),
            own: account.clone(),
            active: Vec::new(),
            through: Vec::new(),
            with_columns: false,
            limited: account.policy.resources.limit_statements(),
            of_server: false,
            of_replica: false,
            expired: false,
        };
        access.reset_roles();
        access
    }

    /// What the server's own statements may do: everything. `name` is whom they are of, which need not be an account.
    pub fn of_server(accounts: &Arc<Accounts>, name: &AccountName) -> Access {
        let mut account = Account::new(name);
        account.global = Privileges::all_global();
        let mut access = Access::new(accounts.clone(), &Arc::new(account), &name.host);
        access.of_server = true;
        access
    }

    /// What a program may do that has the database inside it: everything, whatever the accounts say, for it could read the files as well.
    pub fn of_program(accounts: &Arc<Accounts>, name: &AccountName) -> Access {
        let mut account = Account::new(name);
        account.global = Privileges::all_global();
        Access::new(accounts.clone(), &Arc::new(account), &name.host)
    }

    /// The same for the applier of a replica, which writes whatever `super_read_only` says.
    pub fn of_replica(accounts: &Arc<Accounts>, name: &AccountName) -> Access {
        let mut account = Account::new(name);
        // The source's statements give rights to others.
        account.global = Privileges::all_global() | Privileges::GRANT_OPTION;
        let mut access = Access::new(accounts.clone(), &Arc::new(account), &name.host);
        (access.of_server, access.of_replica) = (true, true);
        access
    }

    pub fn is_of_replica(&self) -> bool {
        self.of_replica
    }

    pub fn is_of_server(&self) -> bool {
        self.of_server
    }

    /// CURRENT_USER().
    pub fn current_user(&self) -> String {
        format!("{}@{}", self.user, self.account_host)
    }

    fn name(&self) -> AccountName {
        AccountName::new(&self.user, &self.account_host)
    }

    pub fn accounts(&self) -> &Arc<Accounts> {
        &self.accounts
    }

    /// Activates what a login activates: of the default roles, or of all roles, those that can be.
    pub fn reset_roles(&mut self) {
        self.refresh();
        let policy = self.accounts.policy();
        let granted = roles::granted_to(&self.own, &self.accounts.list(), &policy);
        let wanted = |r: &AccountName| policy.activate_all || self.own.default_roles.contains(r);
        let active = granted.into_iter().filter(wanted).collect();
        self.activate(active);
    }

    /// SET ROLE. 3530 for a role that is not granted, and nothing changes.
    pub fn set_roles(&mut self, choice: &RoleChoice) -> Result<(), SqlError> {
        self.refresh();
        let list = self.accounts.list();
        let granted = roles::granted_to(&self.own, &list, &self.accounts.policy());
        let active = roles::chosen(choice, &self.name(), &granted, &self.own.default_roles)?;
        self.activate(active);
        Ok(())
    }

    fn activate(&mut self, active: Vec<AccountName>) {
        self.through = match active.is_empty() {
            true => Vec::new(),
            false => roles::reachable(&self.accounts.list(), &active),
        };
        self.active = active;
        let finer = |a: &Arc<Account>| a.tables.iter().any(|t| !t.columns.is_empty());
        let with_columns = self.holders().any(finer);
        self.with_columns = with_columns;
        static STATE: AtomicU64 = AtomicU64::new(1);
        self.state = STATE.fetch_add(1, Ordering::Relaxed);
    }

    /// A number of the rights as they are: what was allowed once is allowed as long as it stays, and the account is not stale.
    pub fn state(&self) -> u64 {
        self.state
    }

    /// Are there rights on single columns among what is held?
    pub fn has_columns(&mut self) -> bool {
        self.refresh();
        self.with_columns
    }

    /// Active roles, in order.
    pub fn active_roles(&mut self) -> &[AccountName] {
        self.refresh();
        &self.active
    }

    /// CURRENT_ROLE().
    pub fn current_role(&mut self) -> String {
        self.refresh();
        if self.active.is_empty() {
            return "NONE".to_owned();
        }
        self.active.iter().map(AccountName::quoted).collect::<Vec<_>>().join(",")
    }

    /// The accounts whose rights the session has.
    fn holders(&self) -> impl Iterator<Item = &Arc<Account>> {
        std::iter::once(&self.own).chain(&self.through)
    }

    /// Takes over changes; one relaxed load when there were none. A dropped account has no rights, and a role that is no longer
    /// granted is no longer active.
    fn refresh(&mut self) {
        let version = self.accounts.version();
        if version == self.version || self.of_server || planted::is(Bug::RightsKept) {
            return;
        }
        let name = self.name();
        let account = self.accounts.get(&self.user, &self.account_host);
        self.own = account.unwrap_or_else(|| Arc::new(Account::new(&name)));
        self.limited = self.own.policy.resources.limit_statements();
        let mut active = std::mem::take(&mut self.active);
        if !active.is_empty() {
            let list = self.accounts.list();
            let granted = roles::granted_to(&self.own, &list, &self.accounts.policy());
            active.retain(|r| granted.contains(r));
        }
        self.activate(active);
        self.version = version;
    }

    /// Are the account's statements limited, as of the last look?
    pub fn is_limited(&self) -> bool {
        self.limited
    }

    /// The account's own limits, as of the last look.
    pub fn resources(&self) -> &Resources {
        &self.own.policy.resources
    }

    /// The password of the login has expired.
    pub fn expire(&mut self) {
        self.expired = true;
    }

    /// Its own password was set.
    pub fn renew(&mut self) {
        self.expired = false;
    }

    pub fn is_expired(&self) -> bool {
        self.expired
    }

    /// Whether accounts were changed since the last look.
    pub fn is_stale(&self) -> bool {
        self.version != self.accounts.version()
    }

    fn sum(&self, of: impl Fn(&Account) -> Privileges) -> Privileges {
        self.holders().fold(Privileges::NONE, |sum, account| sum | of(account))
    }

    /// What is granted on a database, global rights included.
    pub fn on_database(&mut self, database: &str) -> Privileges {
        self.refresh();
        // MySQL takes the most specific matching entry; entries are kept in that order.
        self.sum(|a| {
            let own = a.databases.iter().find(|(p, _)| host::like_exactly(p, database));
            a.global_on(database) | own.map_or(Privileges::NONE, |(_, privileges)| *privileges)
        })
    }

    /// What of the session's rights on `*.*` does not reach which databases.
    pub fn restrictions(&mut self) -> Restrictions {
        self.refresh();
        let holders: Vec<&Account> = self.holders().map(|a| &**a).collect();
        Restrictions::of_all(holders.iter().copied())
    }

    /// The same for all databases that a pattern means, as GRANT and REVOKE name them.
    pub(super) fn on_databases(&mut self, pattern: &str) -> Privileges {
        self.refresh();
        self.sum(|a| {
            let own = a.databases.iter().find(|(held, _)| host::covers(held, pattern));
            a.global.without(a.restrictions.under(pattern))
                | own.map_or(Privileges::NONE, |(_, privileges)| *privileges)
        })
    }

    /// What is granted on a table, rights on all and on its database included.
    pub fn on_table(&mut self, database: &str, table: &str) -> Privileges {
        let wide = self.on_database(database);
        wide | self.sum(|a| {
            let own = a.tables.iter().find(|t| t.is_on(database, table));
            own.map_or(Privileges::NONE, |t| t.held)
        })
    }

    /// What is granted on any single column of a table.
    fn on_any_column(&self, database: &str, table: &str) -> Privileges {
        self.sum(|a| {
            let own = a.tables.iter().find(|t| t.is_on(database, table));
            own.map_or(Privileges::NONE, |t| t.on_columns())
        })
    }

    /// What is granted on a column, alone or with its table.
    pub fn on_column(&mut self, database: &str, table: &str, column: &str) -> Privileges {
        let wide = self.on_table(database, table);
        wide | self.sum(|a| {
            let own = a.tables.iter().find(|t| t.is_on(database, table));
            own.map_or(Privileges::NONE, |t| t.on_column(column))
        })
    }

    /// What is granted on a routine, rights on all and on its database included.
    pub fn on_routine(&mut self, procedure: bool, database: &str, name: &str) -> Privileges {
        let wide = self.on_database(database);
        wide | self.sum(|a| {
            let own = a.routines.iter().find(|r| r.is_on(procedure, database, name));
            own.map_or(Privileges::NONE, |r| r.held)
        })
    }

    /// Is anything granted on a table or routine of the database alone?
    fn has_object_in(&mut self, database: &str) -> bool {
        self.refresh();
        self.holders().any(|a| {
            a.tables.iter().any(|t| t.schema == database)
                || a.routines.iter().any(|r| r.schema == database)
        })
    }

    /// What may be done with a column, as listings of columns show it; they leave out a column with which nothing may be done.
    pub fn shown_on_column(&mut self, database: &str, table: &str, column: &str) -> Option<String> {
        let of_columns = Privileges::of_columns();
        let granted = self.on_column(database, table, column);
        let held = of_columns.without(of_columns.without(granted));
        let names: Vec<_> = held.names().map(str::to_lowercase).collect();
        match (names.is_empty(), is_schema_of_all(database)) {
            (true, true) => Some("select".to_owned()),
            (true, false) => None,
            (false, _) => Some(names.join(",")),
        }
    }

    /// May a role be granted and revoked? With ROLE_ADMIN or SUPER, or for roles that the session has WITH ADMIN OPTION.
    pub fn require_role_admin(&mut self, of: &[AccountName]) -> Result<(), SqlError> {
        let over_all = Privileges::ROLE_ADMIN | Privileges::SUPER;
        if self.global().intersects(over_all) && self.require_over(of).is_ok() {
            return Ok(());
        }
        let has = |r: &AccountName| {
            self.holders().any(|a| a.roles.iter().any(|own| own.admin && own.role == *r))
        };
        if of.iter().all(has) {
            return Ok(());
        }
        let text = "Access denied; you need (at least one of) the WITH ADMIN, ROLE_ADMIN, SUPER \
                    privilege(s) for this operation";
        Err(SqlError::new(errno::ER_SPECIFIC_ACCESS_DENIED_ERROR, text))
    }

    /// 1227 where one of these accounts may, by itself or by its roles, hand out rights on everything, and the session has no SUPER: anyone who
    /// may share out or drop roles must not get at more than roles by that. MySQL has SYSTEM_USER for this.
    pub fn require_over(&mut self, accounts: &[AccountName]) -> Result<(), SqlError> {
        let mighty = Privileges::SUPER | Privileges::CREATE_USER | Privileges::GRANT_OPTION;
        if self.global().contains(Privileges::SUPER) {
            return Ok(());
        }
        let reached = roles::reachable(&self.accounts.list(), accounts);
        match reached.iter().any(|a| a.global.intersects(mighty)) {
            true => self.require_any_global(Privileges::SUPER),
            false => Ok(()),
        }
    }

    /// 1227 where one of these accounts is a system account and the session is not one's: SYSTEM_USER is what keeps accounts that
    /// may manage others from those that manage them. An account is one by what it was granted itself and by its roles, active or not.
    pub fn require_system_user_over(&mut self, accounts: &[AccountName]) -> Result<(), SqlError> {
        let mine = self.global().contains(Privileges::SYSTEM_USER);
        if mine || !self.accounts.has_system_account(accounts) {
            return Ok(());
        }
        self.require_any_global(Privileges::SYSTEM_USER)
    }

    pub fn global(&mut self) -> Privileges {
        self.refresh();
        self.sum(|a| a.global)
    }

    /// 1227 unless one of `any_of` is granted on `*.*`.
    pub fn require_any_global(&mut self, any_of: Privileges) -> Result<(), SqlError> {
        if self.global().intersects(any_of) {
            return Ok(());
        }
        let names: Vec<_> = any_of.names().collect();
        Err(SqlError::of(errno::ER_SPECIFIC_ACCESS_DENIED_ERROR, &[&names.join(" or ")]))
    }

    /// 1044 unless all of `privileges` are granted on the database.
    pub fn require_database(
        &mut self,
        privileges: Privileges,
        database: &str,
    ) -> Result<(), SqlError> {
        if is_schema_of_all(database) && Privileges::SELECT.contains(privileges) {
            return Ok(());
        }
        if self.on_database(database).contains(privileges) {
            return Ok(());
        }
        Err(self.denied_database(database))
    }

    /// USE: 1044 unless anything is granted that concerns a database.
    pub fn require_visible(&mut self, database: &str) -> Result<(), SqlError> {
        let of_databases = Privileges::all_database() | Privileges::GRANT_OPTION;
        let on_all = self.on_database(database).intersects(of_databases);
        if is_schema_of_all(database) || on_all || self.has_object_in(database) {
            return Ok(());
        }
        Err(self.denied_database(database))
    }

    /// Does SHOW DATABASES list it? Any static privilege on `*.*` shows all, as in MySQL.
    pub fn can_see(&mut self, database: &str) -> bool {
        let granted = self.on_database(database).without(Privileges::dynamic());
        is_schema_of_all(database) || !granted.is_empty() || self.has_object_in(database)
    }

    /// Does a listing show this table? It is shown to anyone who has a right on it.
    pub fn can_see_table(&mut self, database: &str, table: &str) -> bool {
        let granted = self.on_table(database, table) | self.on_any_column(database, table);
        is_schema_of_all(database) || granted.intersects(Privileges::of_tables())
    }

    /// 1142 unless `privilege` is granted where the table lives, or what is missing there is granted on some column: which columns
    /// the statement uses is asked beside, by [`Access::require_column`].
    pub fn require_table_or_columns(
        &mut self,
        privilege: Privileges,
        database: &str,
        table: &str,
    ) -> Result<(), SqlError> {
        let refused = match self.require_table(privilege, database, table) {
            Ok(()) => return Ok(()),
            Err(e) => e,
        };
        let held = self.on_table(database, table) | self.on_any_column(database, table);
        if held.contains(privilege) { Ok(()) } else { Err(refused) }
    }

    /// 1142 unless `privilege` is granted where the table lives.
    pub fn require_table(
        &mut self,
        privilege: Privileges,
        database: &str,
        table: &str,
    ) -> Result<(), SqlError> {
        if is_schema_of_all(database) && privilege == Privileges::SELECT {
            return Ok(());
        }
        let granted = self.on_table(database, table);
        if granted.contains(privilege) {
            return Ok(());
        }
        let missing: Vec<_> = privilege.without(granted).names().collect();
        Err(self.denied_table(&missing.join(", "), table))
    }

    /// 1142 unless one of `any_of` is granted where the table lives. `verb`: what the message calls the command.
    pub fn require_any_on_table(
        &mut self,
        any_of: Privileges,
        verb: &str,
        database: &str,
        table: &str,
    ) -> Result<(), SqlError> {
        if is_schema_of_all(database) && any_of.contains(Privileges::SELECT) {
            return Ok(());
        }
        let held = self.on_table(database, table) | self.on_any_column(database, table);
        match held.intersects(any_of) {
            true => Ok(()),
            false => Err(self.denied_table(verb, table)),
        }
    }

    /// 1142 without any right on the table as a whole: its definition tells of all columns.
    pub fn require_definition(&mut self, database: &str, table: &str) -> Result<(), SqlError> {
        let held = self.on_table(database, table);
        match is_schema_of_all(database) || held.intersects(Privileges::of_tables()) {
            true => Ok(()),
            false => Err(self.denied_table("SHOW", table)),
        }
    }

    /// 1143 unless the privilege is granted on each of the columns, or where their table lives.
    pub fn require_columns(
        &mut self,
        privilege: Privileges,
        database: &str,
        table: &str,
        columns: &[Arc<str>],
        whole: bool,
    ) -> Result<(), SqlError> {
        // One look where no right is on a column.
        if self.on_table(database, table).contains(privilege) {
            return Ok(());
        }
        if whole {
            let lacks = |c: &Arc<str>| self.require_column(privilege, database, table, c).is_err();
            return match columns.iter().any(lacks) {
                true => self.require_table(privilege, database, table),
                false => Ok(()),
            };
        }
        columns.iter().try_for_each(|c| self.require_column(privilege, database, table, c))
    }

    /// 1143 unless all of `privileges` are granted on the column, or where its table lives.
    pub fn require_column(
        &mut self,
        privileges: Privileges,
        database: &str,
        table: &str,
        column: &str,
    ) -> Result<(), SqlError> {
        let missing = privileges.without(self.on_column(database, table, column));
        if missing.is_empty() || (is_schema_of_all(database) && missing == Privileges::SELECT) {
            return Ok(());
        }
        let verb = missing.names().collect::<Vec<_>>().join(", ");
        Err(SqlError::of(
            errno::ER_COLUMNACCESS_DENIED_ERROR,
            &[&verb, &self.user, &self.from_host, &column, &table],
        ))
    }

    /// 1370 unless the privilege is granted on the routine, or where it would live.
    pub fn require_routine(
        &mut self,
        privilege: Privileges,
        procedure: bool,
        database: &str,
        routine: &str,
    ) -> Result<(), SqlError> {
        if self.on_routine(procedure, database, routine).contains(privilege) {
            return Ok(());
        }
        let verb = privilege.names().collect::<Vec<_>>().join(", ").to_lowercase();
        Err(self.denied_routine(&verb, database, routine))
    }

    /// 1370.
    pub(super) fn denied_routine(&self, verb: &str, database: &str, routine: &str) -> SqlError {
        SqlError::new(
            errno::ER_PROCACCESS_DENIED_ERROR,
            format!(
                "{verb} command denied to user '{}'@'{}' for routine '{database}.{routine}'",
                self.user, self.from_host
            ),
        )
    }

    /// 1401 without XA_RECOVER_ADMIN, as MySQL has it.
    pub fn require_xa_recover(&mut self) -> Result<(), SqlError> {
        if self.global().contains(Privileges::XA_RECOVER_ADMIN) {
            return Ok(());
        }
        Err(SqlError::of(errno::ER_XAER_RMERR, &[]))
    }

    /// 1045 without FILE, as MySQL has it.
    pub fn require_file(&mut self) -> Result<(), SqlError> {
        match self.global().contains(Privileges::FILE) {
            true => Ok(()),
            false => Err(self.denied()),
        }
    }

    /// 1045: a global right is missing that has no message of its own.
    pub fn denied(&self) -> SqlError {
        SqlError::of(errno::ER_ACCESS_DENIED_ERROR, &[&self.user, &self.account_host, &"YES"])
    }

    /// The account: user and host pattern.
    pub fn account(&self) -> (&str, &str) {
        (&self.user, &self.account_host)
    }

    /// 1142 unless the privileges and the right to hand them on are granted on the table.
    pub(super) fn require_grantable_on(
        &mut self,
        privileges: Privileges,
        database: &str,
        table: &str,
    ) -> Result<(), SqlError> {
        let needed = privileges | Privileges::GRANT_OPTION;
        match self.on_table(database, table).contains(needed) {
            true => Ok(()),
            false => Err(self.denied_table("GRANT", table)),
        }
    }

    fn denied_table(&self, verb: &str, table: &str) -> SqlError {
        SqlError::of(
            errno::ER_TABLEACCESS_DENIED_ERROR,
            &[&verb, &self.user, &self.from_host, &table],
        )
    }

    pub(super) fn denied_database(&self, database: &str) -> SqlError {
        SqlError::of(errno::ER_DBACCESS_DENIED_ERROR, &[&self.user, &self.account_host, &database])
    }
}

/// Everybody may read the dictionary views; they filter their rows themselves.
fn is_schema_of_all(database: &str) -> bool {
    database.eq_ignore_ascii_case("information_schema")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{accounts, now};
    use super::super::{AccountName, Auth, GrantLevel};
    use super::*;

    #[test]
    fn rights_follow_the_account() {
        let accounts = accounts();
        let name = AccountName::new("app", "%");
        now(accounts.create_users(&[(name.clone(), Auth::None)], false, None)).unwrap();
        let account = accounts.get("app", "%").unwrap();
        let mut access = accounts.access(&account, "localhost");
        let error = access.require_table(Privileges::SELECT, "shop", "orders").unwrap_err();
        assert_eq!(
            error.to_string(),
            "ERROR 1142 (42000): SELECT command denied to user 'app'@'localhost' for table 'orders'"
        );
        assert_eq!(access.require_visible("shop").unwrap_err().errno, 1044);
        let shop = GrantLevel::Database("shop".into());
        now(accounts.grant(Privileges::SELECT, &shop, std::slice::from_ref(&name), false)).unwrap();
        access.require_table(Privileges::SELECT, "shop", "orders").unwrap();
        access.require_visible("shop").unwrap();
        assert_eq!(access.require_database(Privileges::DROP, "shop").unwrap_err().errno, 1044);
        access.require_database(Privileges::SELECT, "information_schema").unwrap();
        let error = access.require_any_global(Privileges::SUPER | Privileges::CONNECTION_ADMIN);
        assert_eq!(
            error.unwrap_err().message,
            "Access denied; you need (at least one of) the SUPER or CONNECTION_ADMIN privilege(s) \
             for this operation"
        );
        now(accounts.drop_users(&[name], false)).unwrap();
        assert!(access.require_visible("shop").is_err());
    }
}
