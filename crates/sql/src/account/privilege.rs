//! Privileges as bit sets under MySQL's names.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// A set of privileges.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Privileges(u64);

macro_rules! privileges {
    ($($name:ident = $bit:literal, $text:literal, $levels:ident;)*) => {
        impl Privileges {
            $(pub const $name: Privileges = Privileges(1 << $bit);)*
        }
        /// Bit, name, may it be granted on a database?
        const TABLE: &[(Privileges, &str, Level)] =
            &[$((Privileges::$name, $text, Level::$levels)),*];
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// On `*.*` only.
    Global,
    /// On a database too.
    Database,
}

// The bits are part of the stored form: never renumber.
privileges! {
    SELECT = 0, "SELECT", Database;
    INSERT = 1, "INSERT", Database;
    UPDATE = 2, "UPDATE", Database;
    DELETE = 3, "DELETE", Database;
    CREATE = 4, "CREATE", Database;
    DROP = 5, "DROP", Database;
    RELOAD = 6, "RELOAD", Global;
    SHUTDOWN = 7, "SHUTDOWN", Global;
    PROCESS = 8, "PROCESS", Global;
    FILE = 9, "FILE", Global;
    REFERENCES = 10, "REFERENCES", Database;
    INDEX = 11, "INDEX", Database;
    ALTER = 12, "ALTER", Database;
    SHOW_DATABASES = 13, "SHOW DATABASES", Global;
    SUPER = 14, "SUPER", Global;
    CREATE_TEMPORARY_TABLES = 15, "CREATE TEMPORARY TABLES", Database;
    LOCK_TABLES = 16, "LOCK TABLES", Database;
    EXECUTE = 17, "EXECUTE", Database;
    REPLICATION_SLAVE = 18, "REPLICATION SLAVE", Global;
    REPLICATION_CLIENT = 19, "REPLICATION CLIENT", Global;
    CREATE_VIEW = 20, "CREATE VIEW", Database;
    SHOW_VIEW = 21, "SHOW VIEW", Database;
    CREATE_ROUTINE = 22, "CREATE ROUTINE", Database;
    ALTER_ROUTINE = 23, "ALTER ROUTINE", Database;
    CREATE_USER = 24, "CREATE USER", Global;
    EVENT = 25, "EVENT", Database;
    TRIGGER = 26, "TRIGGER", Database;
    CREATE_TABLESPACE = 27, "CREATE TABLESPACE", Global;
    CREATE_ROLE = 28, "CREATE ROLE", Global;
    DROP_ROLE = 29, "DROP ROLE", Global;
    SYSTEM_VARIABLES_ADMIN = 40, "SYSTEM_VARIABLES_ADMIN", Global;
    CONNECTION_ADMIN = 41, "CONNECTION_ADMIN", Global;
    BACKUP_ADMIN = 42, "BACKUP_ADMIN", Global;
    ROLE_ADMIN = 43, "ROLE_ADMIN", Global;
    XA_RECOVER_ADMIN = 44, "XA_RECOVER_ADMIN", Global;
    PERSIST_RO_VARIABLES_ADMIN = 45, "PERSIST_RO_VARIABLES_ADMIN", Global;
    APPLICATION_PASSWORD_ADMIN = 46, "APPLICATION_PASSWORD_ADMIN", Global;
    SYSTEM_USER = 47, "SYSTEM_USER", Global;
    GRANT_OPTION = 63, "GRANT OPTION", Database;
}

impl Privileges {
    /// No privilege: USAGE.
    pub const NONE: Privileges = Privileges(0);

    /// ALL PRIVILEGES on `*.*`; GRANT OPTION is never part of ALL.
    pub fn all_global() -> Privileges {
        let all = TABLE.iter().fold(Privileges::NONE, |set, (bit, ..)| set | *bit);
        all.without(Privileges::GRANT_OPTION)
    }

    /// ALL PRIVILEGES on a database.
    pub fn all_database() -> Privileges {
        let on_database = TABLE.iter().filter(|(_, _, level)| *level == Level::Database);
        let all = on_database.fold(Privileges::NONE, |set, (bit, ..)| set | *bit);
        all.without(Privileges::GRANT_OPTION)
    }

    /// ALL PRIVILEGES on a table.
    pub fn all_table() -> Privileges {
        Privileges::of_tables().without(Privileges::GRANT_OPTION)
    }

    /// What concerns tables, and the existence of one.
    pub fn of_tables() -> Privileges {
        let data =
            Privileges::SELECT | Privileges::INSERT | Privileges::UPDATE | Privileges::DELETE;
        let definition = Privileges::CREATE
            | Privileges::DROP
            | Privileges::ALTER
            | Privileges::INDEX
            | Privileges::REFERENCES
            | Privileges::TRIGGER;
        let views = Privileges::CREATE_VIEW | Privileges::SHOW_VIEW;
        data | definition | views | Privileges::GRANT_OPTION
    }

    /// What can be granted on a column.
    pub fn of_columns() -> Privileges {
        Privileges::SELECT | Privileges::INSERT | Privileges::UPDATE | Privileges::REFERENCES
    }

    /// ALL PRIVILEGES on a procedure or function.
    pub fn all_routine() -> Privileges {
        Privileges::EXECUTE | Privileges::ALTER_ROUTINE
    }

    /// Those that MySQL calls dynamic: they say nothing about databases.
    pub fn dynamic() -> Privileges {
        let of_server = Privileges::SYSTEM_VARIABLES_ADMIN
            | Privileges::CONNECTION_ADMIN
            | Privileges::PERSIST_RO_VARIABLES_ADMIN;
        let of_data = Privileges::BACKUP_ADMIN | Privileges::XA_RECOVER_ADMIN;
        let of_accounts = Privileges::ROLE_ADMIN
            | Privileges::APPLICATION_PASSWORD_ADMIN
            | Privileges::SYSTEM_USER;
        of_server | of_data | of_accounts
    }

    /// Every privilege of this server.
    pub(super) fn known() -> Privileges {
        Privileges::all_global() | Privileges::GRANT_OPTION
    }

    /// What both have.
    pub fn common(self, other: Privileges) -> Privileges {
        Privileges(self.0 & other.0)
    }

    pub(super) fn kept_by(self, known: Privileges) -> Privileges {
        Privileges(self.0 & known.0)
    }

    /// What an account of a store holds whose writer knew these privileges: those that came later were part of others.
    pub(super) fn upgraded(self, known: Privileges) -> Privileges {
        let mut later = Privileges::NONE;
        if self.contains(Privileges::SUPER) {
            later |= Privileges::ROLE_ADMIN
                | Privileges::XA_RECOVER_ADMIN
                | Privileges::PERSIST_RO_VARIABLES_ADMIN
                | Privileges::SYSTEM_USER;
        }
        if self.contains(Privileges::CREATE_USER) {
            later |= Privileges::CREATE_ROLE
                | Privileges::DROP_ROLE
                | Privileges::APPLICATION_PASSWORD_ADMIN;
        }
        self | later.without(known)
    }

    /// By MySQL's name, in any case. `USAGE` is the empty set.
    pub fn by_name(name: &str) -> Option<Privileges> {
        if name.eq_ignore_ascii_case("USAGE") {
            return Some(Privileges::NONE);
        }
        let found = TABLE.iter().find(|(_, text, _)| text.eq_ignore_ascii_case(name));
        found.map(|(bit, ..)| *bit)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, all_of: Privileges) -> bool {
        self.0 & all_of.0 == all_of.0
    }

    pub fn intersects(self, any_of: Privileges) -> bool {
        self.0 & any_of.0 != 0
    }

    pub fn without(self, other: Privileges) -> Privileges {
        Privileges(self.0 & !other.0)
    }

    pub fn names(self) -> impl Iterator<Item = &'static str> {
        TABLE.iter().filter(move |(bit, ..)| self.contains(*bit)).map(|(_, name, _)| *name)
    }

    /// The stored form.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// From the stored form; bits unknown here are dropped.
    pub fn from_bits(bits: u64) -> Privileges {
        let known = Privileges::all_global() | Privileges::GRANT_OPTION;
        Privileges(bits & known.0)
    }
}

impl BitOr for Privileges {
    type Output = Privileges;
    fn bitor(self, other: Privileges) -> Privileges {
        Privileges(self.0 | other.0)
    }
}

impl BitOrAssign for Privileges {
    fn bitor_assign(&mut self, other: Privileges) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Privileges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sets() {
        assert_eq!(Privileges::by_name("show databases"), Some(Privileges::SHOW_DATABASES));
        assert_eq!(Privileges::by_name("usage"), Some(Privileges::NONE));
        assert_eq!(Privileges::by_name("fly"), None);
        let set = Privileges::SELECT | Privileges::DROP;
        assert_eq!(set.names().collect::<Vec<_>>(), ["SELECT", "DROP"]);
        assert!(!Privileges::all_database().contains(Privileges::SUPER));
        assert!(Privileges::all_global().contains(Privileges::SUPER));
        assert!(!Privileges::all_global().contains(Privileges::GRANT_OPTION));
    }

    #[test]
    fn the_stored_form_drops_unknown_bits() {
        let set = Privileges::from_bits(Privileges::SELECT.bits() | 1 << 55);
        assert_eq!(set, Privileges::SELECT);
    }
}
