//! Accounts from the rows of the grant tables of the schema `mysql`, as FLUSH PRIVILEGES reads them after somebody has written to those.
//!
//! Rows are taken by the names of their columns, so that tables of other versions can be read: a column that is missing says what its
//! default says, one that is not known says nothing. Privileges that are not known here are left out, and so is everything about an
//! account that `mysql.user` does not have. An account whose plugin is not known keeps its rights and is locked.

use super::Restrictions;
use super::policy::Former;
use super::{
    Account, AccountName, Attribute, AuthPlugin, ColumnRights, GrantedRole, LockTime, Policy,
    Privileges, RoutineRights, TableRights,
};
use crate::errno;
use crate::session_api::SqlError;
use crate::tls::Require;
use crate::value::json::{self, Dom};
use std::collections::BTreeMap;

/// Columns of `mysql.user` between the name and `ssl_type`, each with its privilege.
pub const ON_ALL: [(&str, Privileges); 29] = [
    ("Select_priv", Privileges::SELECT),
    ("Insert_priv", Privileges::INSERT),
    ("Update_priv", Privileges::UPDATE),
    ("Delete_priv", Privileges::DELETE),
    ("Create_priv", Privileges::CREATE),
    ("Drop_priv", Privileges::DROP),
    ("Reload_priv", Privileges::RELOAD),
    ("Shutdown_priv", Privileges::SHUTDOWN),
    ("Process_priv", Privileges::PROCESS),
    ("File_priv", Privileges::FILE),
    ("Grant_priv", Privileges::GRANT_OPTION),
    ("References_priv", Privileges::REFERENCES),
    ("Index_priv", Privileges::INDEX),
    ("Alter_priv", Privileges::ALTER),
    ("Show_db_priv", Privileges::SHOW_DATABASES),
    ("Super_priv", Privileges::SUPER),
    ("Create_tmp_table_priv", Privileges::CREATE_TEMPORARY_TABLES),
    ("Lock_tables_priv", Privileges::LOCK_TABLES),
    ("Execute_priv", Privileges::EXECUTE),
    ("Repl_slave_priv", Privileges::REPLICATION_SLAVE),
    ("Repl_client_priv", Privileges::REPLICATION_CLIENT),
    ("Create_view_priv", Privileges::CREATE_VIEW),
    ("Show_view_priv", Privileges::SHOW_VIEW),
    ("Create_routine_priv", Privileges::CREATE_ROUTINE),
    ("Alter_routine_priv", Privileges::ALTER_ROUTINE),
    ("Create_user_priv", Privileges::CREATE_USER),
    ("Event_priv", Privileges::EVENT),
    ("Trigger_priv", Privileges::TRIGGER),
    ("Create_tablespace_priv", Privileges::CREATE_TABLESPACE),
];

/// Columns of `mysql.db` behind the name.
pub const ON_DATABASE: [(&str, Privileges); 19] = [
    ("Select_priv", Privileges::SELECT),
    ("Insert_priv", Privileges::INSERT),
    ("Update_priv", Privileges::UPDATE),
    ("Delete_priv", Privileges::DELETE),
    ("Create_priv", Privileges::CREATE),
    ("Drop_priv", Privileges::DROP),
    ("Grant_priv", Privileges::GRANT_OPTION),
    ("References_priv", Privileges::REFERENCES),
    ("Index_priv", Privileges::INDEX),
    ("Alter_priv", Privileges::ALTER),
    ("Create_tmp_table_priv", Privileges::CREATE_TEMPORARY_TABLES),
    ("Lock_tables_priv", Privileges::LOCK_TABLES),
    ("Create_view_priv", Privileges::CREATE_VIEW),
    ("Show_view_priv", Privileges::SHOW_VIEW),
    ("Create_routine_priv", Privileges::CREATE_ROUTINE),
    ("Alter_routine_priv", Privileges::ALTER_ROUTINE),
    ("Execute_priv", Privileges::EXECUTE),
    ("Event_priv", Privileges::EVENT),
    ("Trigger_priv", Privileges::TRIGGER),
];

/// The grant tables, each read once by [`accounts`].
pub const GRANT_TABLES: [&str; 9] = [
    "user",
    "db",
    "tables_priv",
    "columns_priv",
    "procs_priv",
    "global_grants",
    "role_edges",
    "default_roles",
    "password_history",
];

/// A row: values by the names of columns in lower case.
#[derive(Debug, Default)]
pub struct GrantRow(pub BTreeMap<String, Option<String>>);

impl GrantRow {
    fn get(&self, column: &str) -> Option<&str> {
        self.0.get(&column.to_ascii_lowercase())?.as_deref()
    }

    fn text(&self, column: &str) -> String {
        self.get(column).unwrap_or_default().to_owned()
    }

    fn number<T: std::str::FromStr>(&self, column: &str) -> Option<T> {
        self.get(column)?.parse().ok()
    }

    fn yes(&self, column: &str) -> bool {
        self.get(column).is_some_and(|v| v.eq_ignore_ascii_case("y") || v == "1")
    }

    fn name(&self, user: &str, host: &str) -> AccountName {
        // MySQL takes no host for any.
        let host = self.get(host).filter(|host| !host.is_empty());
        AccountName::new(&self.text(user), host.unwrap_or("%"))
    }

    fn held(&self, columns: &[(&str, Privileges)]) -> Privileges {
        let held = columns.iter().filter(|(column, _)| self.yes(column));
        held.fold(Privileges::NONE, |all, (_, one)| all | *one)
    }

    /// The members of a SET column: `Select,Grant`.
    fn set(&self, column: &str) -> Privileges {
        let members = self.get(column).unwrap_or_default().split(',');
        let one = |name: &str| match name.eq_ignore_ascii_case("grant") {
            true => Some(Privileges::GRANT_OPTION),
            false => Privileges::by_name(name.trim()),
        };
        members.filter_map(one).fold(Privileges::NONE, |all, one| all | one)
    }
}

/// The rows of the grant tables by table.
pub type GrantRows = BTreeMap<&'static str, Vec<GrantRow>>;

/// Makes the accounts. Errors: there is none in them, or an attribute that is no JSON object. `told`: what is different from what the rows say.
pub fn accounts(rows: &GrantRows, told: &mut Vec<String>) -> Result<Vec<Account>, SqlError> {
    let of = |table: &str| rows.get(table).map_or(&[][..], Vec::as_slice);
    let mut all: Vec<Account> =
        of("user").iter().map(|row| account(row, told)).collect::<Result<_, _>>()?;
    if all.is_empty() {
        let text = "mysql.user has no row: the accounts stay as they are, since nobody could log in with none";
        return Err(SqlError::new(errno::ER_UNKNOWN_ERROR, text));
    }
    let mut give =
        |table: &str, names: (&str, &str), change: &mut dyn FnMut(&mut Account, &GrantRow)| {
            for row in of(table) {
                let name = row.name(names.0, names.1);
                if let Some(one) = all.iter_mut().find(|a| a.name() == name) {
                    change(one, row);
                }
            }
        };
    let plain = ("user", "host");
    give("db", plain, &mut |a, row| a.databases.push((row.text("db"), row.held(&ON_DATABASE))));
    give("tables_priv", plain, &mut |a, row| {
        table_of(a, row).held |= row.set("table_priv");
    });
    give("columns_priv", plain, &mut |a, row| {
        let (column, held) = (row.text("column_name"), row.set("column_priv"));
        table_of(a, row).columns.push(ColumnRights { column, held });
    });
    give("procs_priv", plain, &mut |a, row| {
        let procedure =
            row.get("routine_type").is_some_and(|t| t.eq_ignore_ascii_case("procedure"));
        let name = row.text("routine_name").to_lowercase();
        a.routines.push(RoutineRights {
            procedure,
            schema: row.text("db"),
            name,
            held: row.set("proc_priv"),
        });
    });
    give("global_grants", plain, &mut |a, row| {
        a.global |= Privileges::by_name(&row.text("priv")).unwrap_or(Privileges::NONE);
    });
    give("role_edges", ("to_user", "to_host"), &mut |a, row| {
        let role = row.name("from_user", "from_host");
        a.roles.push(GrantedRole { role, admin: row.yes("with_admin_option") });
    });
    give("default_roles", plain, &mut |a, row| {
        a.default_roles.push(row.name("default_role_user", "default_role_host"));
    });
    give("password_history", plain, &mut |a, row| {
        let at = row.get("password_timestamp").and_then(seconds).unwrap_or(0);
        a.policy.former.push(Former { at, credential: row.text("password") });
    });
    for account in &mut all {
        account.policy.former.sort_by_key(|f| std::cmp::Reverse(f.at));
        account.tables.retain(|t| !t.held.is_empty() || !t.columns.is_empty());
    }
    Ok(all)
}

/// What an account has on a table, made where there is nothing yet.
fn table_of<'a>(a: &'a mut Account, row: &GrantRow) -> &'a mut TableRights {
    let (schema, table) = (row.text("db"), row.text("table_name"));
    let at = a.tables.iter().position(|t| t.is_on(&schema, &table)).unwrap_or_else(|| {
        let (held, columns) = (Privileges::NONE, Vec::new());
        a.tables.push(TableRights { schema, table, held, columns });
        a.tables.len() - 1
    });
    &mut a.tables[at]
}

/// A row of `mysql.user`.
fn account(row: &GrantRow, told: &mut Vec<String>) -> Result<Account, SqlError> {
    let name = row.name("user", "host");
    let mut account = Account::new(&name);
    let plugin = row.get("plugin").unwrap_or("mysql_native_password");
    let known = AuthPlugin::by_name(plugin).ok();
    if known.is_none() {
        told.push(format!(
            "Plugin '{plugin}' is not loaded: '{}'@'{}' is locked",
            name.user, name.host
        ));
    }
    account.plugin = known.unwrap_or(AuthPlugin::CachingSha2);
    account.credential = row.text("authentication_string");
    account.locked = row.yes("account_locked") || known.is_none();
    account.require = match row.text("ssl_type").as_str() {
        "ANY" => Require::Ssl,
        "X509" => Require::X509,
        "SPECIFIED" => Require::Specific {
            cipher: row.text("ssl_cipher"),
            issuer: row.text("x509_issuer"),
            subject: row.text("x509_subject"),
        },
        _ => Require::Nothing,
    };
    account.global = row.held(&ON_ALL) | row.held(&ROLES);
    account.changed = row.get("password_last_changed").and_then(seconds);
    account.policy = policy(row)?;
    account.restrictions = restrictions(row);
    Ok(account)
}

const ROLES: [(&str, Privileges); 2] =
    [("create_role_priv", Privileges::CREATE_ROLE), ("drop_role_priv", Privileges::DROP_ROLE)];

fn restrictions(row: &GrantRow) -> Restrictions {
    let attributes = row.get("user_attributes").map(|text| json::parse(text.as_bytes()));
    let Some(Ok(attributes)) = attributes else { return Restrictions::default() };
    attributes.member(b"Restrictions").map_or_else(Restrictions::default, Restrictions::from_dom)
}

fn policy(row: &GrantRow) -> Result<Policy, SqlError> {
    let mut policy = Policy {
        expired: row.yes("password_expired"),
        lifetime: row.number("password_lifetime"),
        history: row.number("password_reuse_history"),
        reuse_days: row.number("password_reuse_time"),
        require_current: row.get("password_require_current").map(|v| v.eq_ignore_ascii_case("y")),
        ..Policy::default()
    };
    let limit = |column| row.number(column).unwrap_or(0);
    policy.resources.queries = limit("max_questions");
    policy.resources.updates = limit("max_updates");
    policy.resources.connections = limit("max_connections");
    policy.resources.at_once = limit("max_user_connections");
    let Some(text) = row.get("user_attributes").filter(|t| !t.is_empty()) else {
        return Ok(policy);
    };
    let Ok(Dom::Object(members)) = json::parse(text.as_bytes()) else {
        // The same check as where a statement gives one, for its error.
        Attribute::parse(text.as_bytes())?;
        return Ok(policy);
    };
    for (name, value) in &members {
        match (&**name, value) {
            (b"metadata", Dom::Object(_)) => policy.attribute = super::policy::text_of(value),
            (b"additional_password", Dom::Str(text)) => {
                policy.second = Some(String::from_utf8_lossy(text).into_owned());
            }
            (b"Password_locking", Dom::Object(of)) => {
                let number = |wanted: &[u8]| match of.iter().find(|(name, _)| **name == *wanted) {
                    Some((_, Dom::Int(n))) => *n,
                    Some((_, Dom::UInt(n))) => i64::try_from(*n).unwrap_or(i64::MAX),
                    _ => 0,
                };
                policy.attempts = u16::try_from(number(b"failed_login_attempts")).unwrap_or(0);
                policy.lock_time = match number(b"password_lock_time_days") {
                    days if days < 0 => LockTime::Unbounded,
                    days => LockTime::Days(u16::try_from(days).unwrap_or(u16::MAX)),
                };
            }
            _ => {}
        }
    }
    Ok(policy)
}

/// Seconds since 1970 of a time in UTC: `2026-11-26 21:43:53`, with or without a fraction. `None` for what is no time.
fn seconds(text: &str) -> Option<u64> {
    let mut fields = text.split(['-', ' ', ':', '.']).map(|f| f.parse::<i64>().ok());
    let mut next = || fields.next().flatten();
    let (year, month, day) = (next()?, next()?, next()?);
    let (hour, minute, second) = (next()?, next()?, next()?);
    // Days from a calendar whose years begin in March, so that the leap day is a year's last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719_468;
    u64::try_from(days * 86_400 + hour * 3600 + minute * 60 + second).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[(&str, &str)]) -> GrantRow {
        GrantRow(values.iter().map(|(c, v)| ((*c).to_owned(), Some((*v).to_owned()))).collect())
    }

    #[test]
    fn times_are_seconds_since_1970() {
        assert_eq!(seconds("1970-01-01 00:00:01"), Some(1));
        assert_eq!(seconds("2000-03-01 00:00:00.5"), Some(951_868_800));
        assert_eq!(seconds("2026-11-26 21:43:53"), Some(1_795_729_433));
        assert_eq!(seconds("0000-00-00 00:00:00"), None);
        assert_eq!(seconds("never"), None);
    }

    #[test]
    fn rows_of_all_tables_make_an_account() {
        let me = [("user", "u"), ("host", "%")];
        let with = |more: &[(&str, &str)]| row(&[&me[..], more].concat());
        let mut rows = GrantRows::new();
        rows.insert("user", vec![with(&[("select_priv", "Y"), ("plugin", "auth_socket")])]);
        rows.insert("db", vec![with(&[("db", "d"), ("insert_priv", "Y"), ("grant_priv", "N")])]);
        rows.insert(
            "tables_priv",
            vec![with(&[("db", "d"), ("table_name", "t"), ("table_priv", "Select,Grant,Fly")])],
        );
        let column =
            [("db", "d"), ("table_name", "t"), ("column_name", "c"), ("column_priv", "Update")];
        rows.insert("columns_priv", vec![with(&column)]);
        // Of nobody.
        rows.insert("procs_priv", vec![row(&[("user", "v"), ("host", "%")])]);
        let mut told = Vec::new();
        let all = accounts(&rows, &mut told).expect("accounts");
        let [one] = &all[..] else { panic!("one account") };
        assert_eq!(one.global, Privileges::SELECT);
        assert_eq!(one.databases, [("d".to_owned(), Privileges::INSERT)]);
        assert_eq!(one.tables[0].held, Privileges::SELECT | Privileges::GRANT_OPTION);
        assert_eq!(one.tables[0].on_column("c"), Privileges::UPDATE);
        assert!(one.locked && told.len() == 1);
    }

    #[test]
    fn no_account_at_all_is_refused() {
        assert!(accounts(&GrantRows::new(), &mut Vec::new()).is_err());
        let bad = vec![row(&[("user", "u"), ("user_attributes", "no json")])];
        assert!(accounts(&GrantRows::from([("user", bad)]), &mut Vec::new()).is_err());
    }
}
