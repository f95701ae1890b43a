//! The audit log: a line of JSON for each login, each end of a connection and each statement, for those who have to say afterwards who did what.
//!
//! Variables, names of events and members are those of Percona Server's audit plugin with `audit_log_format=JSON`, so that what reads its log
//! reads this one. Unlike there the log is off until `audit_log_policy` says what is written. Passwords are left out of statements as in the
//! other logs. A statement is written when it has ended, with its error's number; what a stored program runs is part of its CALL.
//!
//! A line is one `write`, and is in the system's hands before the answer is; it is not synced. A log that cannot be written is reported in
//! the error log and rests until FLUSH LOGS, SIGHUP, another file or another policy.

use crate::log;
use crate::statement_log::LogFile;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, RwLock};
use weir_sql::session::Session;
use weir_sql::vars::{GlobalVars, Var, VarValue};

/// What a file begins with that is an audit log.
pub const MARKER: &str = "{\"audit_record\":";

/// Bits of [`AuditLog::what`], in the order of the values of `audit_log_policy`: NONE, LOGINS, QUERIES, ALL.
const LOGINS: u8 = 1;
const STATEMENTS: u8 = 2;

/// The variables that are followed.
pub const VARS: [Var; 10] = [
    Var::audit_log_policy,
    Var::audit_log_file,
    Var::audit_log_rotate_on_size,
    Var::audit_log_rotations,
    Var::audit_log_include_accounts,
    Var::audit_log_exclude_accounts,
    Var::audit_log_include_commands,
    Var::audit_log_exclude_commands,
    Var::audit_log_include_databases,
    Var::audit_log_exclude_databases,
];

pub struct AuditLog {
    pub file: LogFile,
    what: AtomicU8,
    filters: RwLock<Filters>,
    /// Seconds since 1970 when the server began, and the number of the next record: both make a record's name.
    began: String,
    next: AtomicU64,
    rotation: Mutex<Rotation>,
}

#[derive(Default)]
struct Rotation {
    /// Bytes from which on the file is put aside; 0: never.
    size: u64,
    /// Files that are kept besides the one that is written.
    files: u64,
}

/// Lists of which one is empty.
#[derive(Default)]
struct Lists {
    include: Vec<String>,
    exclude: Vec<String>,
}

impl Lists {
    fn lets(&self, is_in: impl Fn(&[String]) -> bool) -> bool {
        match self.include.is_empty() {
            true => !is_in(&self.exclude),
            false => is_in(&self.include),
        }
    }
}

#[derive(Default)]
struct Filters {
    accounts: Lists,
    commands: Lists,
    databases: Lists,
}

/// Who is connected, as a record says it.
#[derive(Clone, Copy)]
pub struct Party<'a> {
    pub id: u64,
    pub user: &'a str,
    pub host: &'a str,
    pub ip: &'a str,
    /// The account that was found: `user@host`, both empty where none was.
    pub account: (&'a str, &'a str),
    pub database: &'a str,
}

/// Names between commas, with or without quotes around their parts. Commas within quotes belong to a name.
fn names(list: &str) -> Vec<String> {
    let (mut all, mut name, mut quote) = (Vec::new(), String::new(), None);
    for c in list.chars().chain([',']) {
        match (c, quote) {
            (',', None) => {
                let whole = std::mem::take(&mut name).trim().to_owned();
                all.extend((!whole.is_empty()).then_some(whole));
            }
            (c, Some(q)) if c == q => quote = None,
            ('\'' | '"' | '`', None) => quote = Some(c),
            (c, _) => name.push(c),
        }
    }
    all
}

impl Filters {
    fn list(&mut self, var: Var) -> Option<(&mut Vec<String>, bool)> {
        let (lists, include) = match var {
            Var::audit_log_include_accounts => (&mut self.accounts, true),
            Var::audit_log_exclude_accounts => (&mut self.accounts, false),
            Var::audit_log_include_commands => (&mut self.commands, true),
            Var::audit_log_exclude_commands => (&mut self.commands, false),
            Var::audit_log_include_databases => (&mut self.databases, true),
            Var::audit_log_exclude_databases => (&mut self.databases, false),
            _ => return None,
        };
        let Lists { include: of_include, exclude } = lists;
        Some(match include {
            true => (of_include, !exclude.is_empty()),
            false => {
                let other = !of_include.is_empty();
                (exclude, other)
            }
        })
    }

    /// Puts a list in force. One that includes and one that excludes the same kind contradict each other.
    fn set(&mut self, var: Var, text: &str) -> Result<(), String> {
        let list = names(text);
        let of_commands =
            matches!(var, Var::audit_log_include_commands | Var::audit_log_exclude_commands);
        if of_commands && let Some(unknown) = list.iter().find(|c| !is_command(c)) {
            return Err(format!(
                "'{unknown}' is no command: they are named as the counters Com_*, for example select or create_table"
            ));
        }
        let Some((place, other)) = self.list(var) else { return Ok(()) };
        if other && !list.is_empty() {
            return Err(format!(
                "{}: the list that includes and the one that excludes cannot both be set; empty the other one first",
                var.name()
            ));
        }
        *place = list;
        Ok(())
    }

    fn lets_account(&self, who: &Party<'_>) -> bool {
        let is = |name: &String| {
            let (user, host) = name.rsplit_once('@').unwrap_or((name, ""));
            let of = |u: &str, h: &str| u == user && h.eq_ignore_ascii_case(host);
            of(who.account.0, who.account.1) || of(who.user, who.host)
        };
        self.accounts.lets(|list| list.iter().any(is))
    }

    fn lets_database(&self, database: &str) -> bool {
        self.databases.lets(|list| list.iter().any(|d| d == database))
    }

    fn lets_command(&self, class: &str) -> bool {
        self.commands.lets(|list| list.iter().any(|c| c.eq_ignore_ascii_case(class)))
    }
}

fn is_command(name: &str) -> bool {
    name.eq_ignore_ascii_case(Session::NO_COMMAND)
        || Session::commands().any(|c| c.eq_ignore_ascii_case(name))
}

impl AuditLog {
    pub fn new(vars: &GlobalVars, datadir: &Path, began_micros: u64) -> AuditLog {
        let path = vars.text(Var::audit_log_file);
        let log = AuditLog {
            file: LogFile::new("audit log", path, datadir, String::new(), MARKER.as_bytes()),
            what: AtomicU8::new(0),
            filters: RwLock::default(),
            began: (began_micros / 1_000_000).to_string(),
            next: AtomicU64::new(1),
            rotation: Mutex::default(),
        };
        // What is to be written comes last.
        for var in VARS.into_iter().rev() {
            if let Err(e) = log.follow(var, &vars.get(var)) {
                log::error(&format!("{e}; it is off"));
                vars.put(var, var.def().default.value());
            }
        }
        log
    }

    pub fn follow(&self, var: Var, value: &VarValue) -> Result<(), String> {
        match (var, value) {
            (Var::audit_log_policy, VarValue::Enum(n)) => return self.begin(*n as u8),
            (Var::audit_log_file, VarValue::Str(path)) => self.file.move_to(path)?,
            (Var::audit_log_rotate_on_size, VarValue::UInt(n)) => self.rotation().size = *n,
            (Var::audit_log_rotations, VarValue::UInt(n)) => self.rotation().files = *n,
            (_, VarValue::Str(text)) => {
                self.filters.write().unwrap_or_else(PoisonError::into_inner).set(var, text)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn rotation(&self) -> std::sync::MutexGuard<'_, Rotation> {
        self.rotation.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, what: u8) -> Result<(), String> {
        let before = self.what.load(Relaxed);
        if what == 0 && before != 0 {
            self.mark("NoAudit");
        }
        if (what == 0) != (before == 0) {
            self.file.turn(what != 0)?;
        }
        self.what.store(what, Relaxed);
        if what != 0 && before == 0 {
            self.mark("Audit");
        }
        Ok(())
    }

    /// A login that has succeeded or failed is wanted.
    pub fn wants_logins(&self) -> bool {
        self.what.load(Relaxed) & LOGINS != 0
    }

    #[inline]
    pub fn wants_statements(&self) -> bool {
        self.what.load(Relaxed) & STATEMENTS != 0
    }

    /// `name`: Connect, Change user or Quit. `status`: an error's number, or 0.
    pub fn login(&self, name: &str, who: &Party<'_>, status: u16) {
        let filters = self.filters.read().unwrap_or_else(PoisonError::into_inner);
        if !filters.lets_account(who) || !filters.lets_database(who.database) {
            return;
        }
        drop(filters);
        self.write(json!({
            "name": name,
            "record": self.record(),
            "timestamp": log::now(),
            "connection_id": who.id.to_string(),
            "status": status,
            "user": who.user,
            "priv_user": who.account.0,
            "os_login": "",
            "proxy_user": "",
            "host": who.host,
            "ip": who.ip,
            "db": who.database,
        }));
    }

    /// A statement that has ended. `name`: Query or Execute; `class`: the command, as its counter is named.
    pub fn statement(&self, name: &str, who: &Party<'_>, class: &str, text: &[u8], status: u16) {
        let filters = self.filters.read().unwrap_or_else(PoisonError::into_inner);
        let wanted = filters.lets_account(who)
            && filters.lets_database(who.database)
            && filters.lets_command(class);
        drop(filters);
        if !wanted {
            return;
        }
        let user = format!("{}[{}] @ {} [{}]", who.account.0, who.user, who.host, who.ip);
        self.write(json!({
            "name": name,
            "record": self.record(),
            "timestamp": log::now(),
            "command_class": class,
            "connection_id": who.id.to_string(),
            "status": status,
            "sqltext": String::from_utf8_lossy(text),
            "user": user,
            "host": who.host,
            "os_user": "",
            "ip": who.ip,
            "db": who.database,
        }));
    }

    /// The log begins, or ends.
    fn mark(&self, name: &str) {
        self.write(json!({
            "name": name,
            "record": self.record(),
            "timestamp": log::now(),
            "mysql_version": weir_sql::vars::SERVER_VERSION,
        }));
    }

    fn record(&self) -> String {
        format!("{}_{}", self.next.fetch_add(1, Relaxed), self.began)
    }

    fn write(&self, record: serde_json::Value) {
        let line = format!("{MARKER}{record}}}\n");
        // Held until the line is written: of two that come together one puts the file aside.
        let rotation = self.rotation();
        if rotation.size > 0 && rotation.files > 0 {
            let has = self.file.size();
            if has > 0 && has + line.len() as u64 > rotation.size {
                self.file.rotate(rotation.files);
            }
        }
        self.file.append(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_quotes_and_commas() {
        assert_eq!(names(" 'a,b'@'%' ,root@localhost,, \"x\" "), ["a,b@%", "root@localhost", "x"]);
        assert!(names("").is_empty() && names(" , ").is_empty());
    }

    #[test]
    fn filters_choose() {
        let mut f = Filters::default();
        let who = |user, host, account| Party {
            id: 1,
            user,
            host,
            ip: "",
            account: (user, account),
            database: "",
        };
        let (anna, ben) = (who("anna", "h", "%"), who("ben", "h", "h"));
        assert!(f.lets_account(&anna) && f.lets_command("select") && f.lets_database(""));
        f.set(Var::audit_log_include_accounts, "'anna'@'%'").unwrap();
        assert!(f.lets_account(&anna) && !f.lets_account(&ben));
        // The host that the client came from names it as well.
        f.set(Var::audit_log_include_accounts, "anna@H").unwrap();
        assert!(f.lets_account(&anna));
        let both = f.set(Var::audit_log_exclude_accounts, "ben@h").unwrap_err();
        assert!(both.contains("cannot both be set"), "{both}");
        f.set(Var::audit_log_include_accounts, "").unwrap();
        f.set(Var::audit_log_exclude_accounts, "ben@h").unwrap();
        assert!(f.lets_account(&anna) && !f.lets_account(&ben));
        f.set(Var::audit_log_exclude_commands, "SELECT,show_status").unwrap();
        assert!(!f.lets_command("select") && f.lets_command("insert"));
        let unknown = f.set(Var::audit_log_exclude_commands, "selekt").unwrap_err();
        assert!(unknown.contains("'selekt' is no command"), "{unknown}");
        f.set(Var::audit_log_include_databases, "shop").unwrap();
        assert!(f.lets_database("shop") && !f.lets_database("Shop") && !f.lets_database(""));
    }
}
