//! What a session may do: checks with MySQL's errors.

use super::attempts::Attempts;
use super::{Account, Accounts, Privileges, TableRights, host};
use crate::errno;
use crate::session_api::SqlError;
use std::sync::Arc;

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
    global: Privileges,
    databases: Vec<(String, Privileges)>,
    tables: Arc<Vec<TableRights>>,
}

impl Access {
    /// Logins that failed, of all accounts.
    pub fn attempts(&self) -> &Attempts {
        &self.accounts.attempts
    }

    pub(super) fn new(accounts: Arc<Accounts>, account: &Account, from_host: &str) -> Access {
        Access {
            version: accounts.version(),
            accounts,
            user: account.user.clone(),
            account_host: account.host.clone(),
            from_host: from_host.to_owned(),
            global: account.global,
            databases: account.databases.clone(),
            tables: account.tables.clone(),
        }
    }

    /// CURRENT_USER().
    pub fn current_user(&self) -> String {
        format!("{}@{}", self.user, self.account_host)
    }

    pub fn accounts(&self) -> &Arc<Accounts> {
        &self.accounts
    }

    /// Takes over changes; one relaxed load when there were none. A dropped account has no rights.
    fn refresh(&mut self) {
        let version = self.accounts.version();
        if version == self.version {
            return;
        }
        let account = self.accounts.get(&self.user, &self.account_host);
        self.global = account.as_ref().map_or(Privileges::NONE, |a| a.global);
        self.tables = account.as_ref().map(|a| a.tables.clone()).unwrap_or_default();
        self.databases = account.map_or_else(Vec::new, |a| a.databases.clone());
        self.version = version;
    }

    /// What is granted on a database, global rights included.
    pub fn on_database(&mut self, database: &str) -> Privileges {
        self.refresh();
        // MySQL takes the most specific matching entry; entries are kept in that order.
        let own = self.databases.iter().find(|(pattern, _)| host::like_exactly(pattern, database));
        self.global | own.map_or(Privileges::NONE, |(_, privileges)| *privileges)
    }

    /// The same for all databases that a pattern means, as GRANT and REVOKE name them.
    pub(super) fn on_databases(&mut self, pattern: &str) -> Privileges {
        self.refresh();
        let own = self.databases.iter().find(|(held, _)| host::covers(held, pattern));
        self.global | own.map_or(Privileges::NONE, |(_, privileges)| *privileges)
    }

    /// What is granted on a table, rights on all and on its database included.
    pub fn on_table(&mut self, database: &str, table: &str) -> Privileges {
        let wide = self.on_database(database);
        let own = self.tables.iter().find(|t| t.is_on(database, table));
        wide | own.map_or(Privileges::NONE, |t| t.held)
    }

    /// Is anything granted on a table of the database alone?
    fn has_table_in(&mut self, database: &str) -> bool {
        self.refresh();
        self.tables.iter().any(|t| t.schema == database)
    }

    /// What may be done with the columns of a table, as listings of columns show it.
    pub fn on_columns(&mut self, database: &str, table: &str) -> String {
        let of_columns =
            Privileges::SELECT | Privileges::INSERT | Privileges::UPDATE | Privileges::REFERENCES;
        let granted = self.on_table(database, table);
        let missing = of_columns.without(granted);
        let names: Vec<_> = of_columns.without(missing).names().map(str::to_lowercase).collect();
        names.join(",")
    }

    pub fn global(&mut self) -> Privileges {
        self.refresh();
        self.global
    }

    /// 1227 unless one of `any_of` is granted on `*.*`.
    pub fn require_any_global(&mut self, any_of: Privileges) -> Result<(), SqlError> {
        if self.global().intersects(any_of) {
            return Ok(());
        }
        let names: Vec<_> = any_of.names().collect();
        Err(SqlError::new(
            errno::ER_SPECIFIC_ACCESS_DENIED_ERROR,
            format!(
                "Access denied; you need (at least one of) the {} privilege(s) for this operation",
                names.join(" or ")
            ),
        ))
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
        if is_schema_of_all(database) || on_all || self.has_table_in(database) {
            return Ok(());
        }
        Err(self.denied_database(database))
    }

    /// Does SHOW DATABASES list it? Any static privilege on `*.*` shows all, as in MySQL.
    pub fn can_see(&mut self, database: &str) -> bool {
        let granted = self.on_database(database).without(Privileges::dynamic());
        is_schema_of_all(database) || !granted.is_empty() || self.has_table_in(database)
    }

    /// Does a listing show this table? It is shown to whoever has a right on it.
    pub fn can_see_table(&mut self, database: &str, table: &str) -> bool {
        let granted = self.on_table(database, table);
        is_schema_of_all(database) || granted.intersects(Privileges::of_tables())
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
        match self.on_table(database, table).intersects(any_of) {
            true => Ok(()),
            false => Err(self.denied_table(verb, table)),
        }
    }

    /// 1143 unless SELECT is granted where the table lives.
    pub fn require_column(
        &mut self,
        database: &str,
        table: &str,
        column: &str,
    ) -> Result<(), SqlError> {
        if self.on_table(database, table).contains(Privileges::SELECT) {
            return Ok(());
        }
        Err(SqlError::new(
            errno::ER_COLUMNACCESS_DENIED_ERROR,
            format!(
                "SELECT command denied to user '{}'@'{}' for column '{column}' in table '{table}'",
                self.user, self.from_host
            ),
        ))
    }

    /// 1370 unless the privilege is granted where the routine would live.
    pub fn require_routine(
        &mut self,
        privilege: Privileges,
        database: &str,
        routine: &str,
    ) -> Result<(), SqlError> {
        if self.on_database(database).contains(privilege) {
            return Ok(());
        }
        let verb = privilege.names().collect::<Vec<_>>().join(", ").to_lowercase();
        Err(SqlError::new(
            errno::ER_PROCACCESS_DENIED_ERROR,
            format!(
                "{verb} command denied to user '{}'@'{}' for routine '{database}.{routine}'",
                self.user, self.from_host
            ),
        ))
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
        SqlError::new(
            errno::ER_ACCESS_DENIED_ERROR,
            format!(
                "Access denied for user '{}'@'{}' (using password: YES)",
                self.user, self.account_host
            ),
        )
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
        SqlError::new(
            errno::ER_TABLEACCESS_DENIED_ERROR,
            format!(
                "{verb} command denied to user '{}'@'{}' for table '{table}'",
                self.user, self.from_host
            ),
        )
    }

    pub(super) fn denied_database(&self, database: &str) -> SqlError {
        SqlError::new(
            errno::ER_DBACCESS_DENIED_ERROR,
            format!(
                "Access denied for user '{}'@'{}' to database '{database}'",
                self.user, self.account_host
            ),
        )
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
