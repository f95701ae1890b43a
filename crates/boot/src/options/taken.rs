//! What options come to, one after the other: values for variables, and warnings.

use super::names::{self, OFF, ON, SSL, find, find_fact, nearest, ssl_switch, switched};
use super::unserved::{self, Effect};
use super::values::{Adapted, adapted, first_of, is_default, is_off, of_fact};
use weir_sql::vars::Var;

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// In the order in which they were read.
    pub given: Vec<(Var, String)>,
    /// Warnings to log: options without effect, values that were changed.
    pub notes: Vec<String>,
}

impl Taken {
    /// `place`: file and line with a colon behind, or nothing for the command line.
    pub fn add(&mut self, name: &str, value: Option<&str>, place: &str) -> Result<(), String> {
        let loose = name.strip_prefix("loose-").or_else(|| name.strip_prefix("loose_"));
        let bare = loose.unwrap_or(name);
        if let Some(on) = ssl_switch(bare, value) {
            self.given.push((SSL, if on { ON } else { OFF }.into()));
            return Ok(());
        }
        let Some((var, switch)) = find(bare) else {
            return match self.without_variable(bare, value, place) {
                Err(text) if loose.is_some() => {
                    self.notes.push(text);
                    Ok(())
                }
                done => done,
            };
        };
        if let Some(file) = self.log_with_file(bare, var, value) {
            self.given.push((var, ON.into()));
            self.given.push((file, value.unwrap_or_default().into()));
            return Ok(());
        }
        let value = match (switch, value) {
            (Some(on), None) => on.to_string(),
            (Some(_), Some(_)) => return Err(format!("{place}option '--{name}' takes no value")),
            (None, Some(v)) => first_of(var, v, place, &mut self.notes).to_string(),
            (None, None) if var.def().ty.is_switch(var) => ON.into(),
            (None, None) => {
                return Err(format!("{place}option '--{name}' needs a value: --{name}=..."));
            }
        };
        let shown = name.replace('_', "-");
        if let Some(why) = var.def().note.filter(|_| !is_default(var, &value)) {
            self.notes.push(format!("{place}option '{shown}' has no effect: {why}"));
        }
        let value = match adapted(var, &value) {
            Adapted::AsItIs => value,
            Adapted::Default => return Ok(()),
            Adapted::Other(other, why) => {
                self.notes
                    .push(format!("{place}option '{shown}={value}' is taken as '{other}': {why}"));
                other
            }
        };
        self.given.push((var, value));
        Ok(())
    }

    /// `log_bin=NAME`, and `log=FILE` and `log_slow_queries=FILE` of MySQL 5.1, switch a log on and name its file.
    fn log_with_file(&self, name: &str, var: Var, value: Option<&str>) -> Option<Var> {
        let is_word =
            |v: &str| is_off(v) || matches!(v.to_ascii_lowercase().as_str(), "1" | "on" | "true");
        value.filter(|v| !is_word(v))?;
        match (name.replace('-', "_").to_lowercase().as_str(), var) {
            ("log", Var::general_log) => Some(Var::general_log_file),
            ("log_slow_queries", Var::slow_query_log) => Some(Var::slow_query_log_file),
            ("log_bin", Var::log_bin) => Some(Var::log_bin_basename),
            _ => None,
        }
    }

    /// An option of other servers that no variable here takes. An error where nobody knows it, or where it must not pass with a warning.
    fn without_variable(
        &mut self,
        name: &str,
        value: Option<&str>,
        place: &str,
    ) -> Result<(), String> {
        let shown = name.replace('_', "-");
        if let Some((var, switch)) = find_fact(name) {
            let value = match switch {
                Some(on) => {
                    if on {
                        ON
                    } else {
                        OFF
                    }
                }
                None => value.unwrap_or(ON),
            };
            match of_fact(var, value) {
                Ok(None) => {}
                Ok(Some(why)) => {
                    self.notes.push(format!("{place}option '{shown}' has no effect: {why}"))
                }
                Err(why) => {
                    return Err(format!(
                        "{place}option '--{shown}={value}' cannot be had: {why} Write loose-{shown} to start without it"
                    ));
                }
            }
            return Ok(());
        }
        let plain = names::plain(name);
        if plain == "user" {
            return self.of_account(value, place);
        }
        let (row, off) = match unserved::lookup(&plain) {
            Some(row) => (Some(row), value.is_some_and(is_off)),
            None => match switched(&plain) {
                Some((rest, on)) => (unserved::lookup(rest), !on),
                None => (None, false),
            },
        };
        match row {
            None => Err(format!("{place}unknown option '--{shown}'; {}", nearest(name))),
            Some((Effect::Absent | Effect::Protection, _)) if off => Ok(()),
            Some((Effect::Protection, why)) => Err(format!(
                "{place}option '--{shown}' asks for protection that this server does not give: {why}. Remove it, or write \
                 loose-{shown} to start without it"
            )),
            Some((Effect::Absent | Effect::Nothing, why)) => {
                self.notes.push(format!("{place}option '{shown}' has no effect: {why}"));
                Ok(())
            }
        }
    }

    /// `user=mysql`: the account that runs the server is the one that starts it.
    fn of_account(&mut self, value: Option<&str>, place: &str) -> Result<(), String> {
        let Some(wanted) = value.filter(|v| !v.is_empty()) else {
            return Err(format!("{place}option '--user' needs a value: --user=..."));
        };
        if !is_own_account(wanted, &std::fs::read_to_string("/etc/passwd").unwrap_or_default()) {
            self.notes.push(format!(
                "{place}option 'user' has no effect: the server runs as the account that starts it, and that is not '{wanted}'"
            ));
        }
        Ok(())
    }
}

/// Whether a name or a number of an account is that of this process. `passwd`: lines `name:password:number:...`.
fn is_own_account(wanted: &str, passwd: &str) -> bool {
    let own = rustix::process::geteuid().as_raw().to_string();
    let number = passwd.lines().find_map(|line| {
        let mut parts = line.split(':');
        (parts.next() == Some(wanted)).then(|| parts.nth(1)).flatten()
    });
    number.unwrap_or(wanted) == own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(options: &[(&str, Option<&str>)]) -> Result<Taken, String> {
        let mut taken = Taken::default();
        for (name, value) in options {
            taken.add(name, *value, "")?;
        }
        Ok(taken)
    }

    #[test]
    fn what_is_absent_may_be_switched_off_in_silence() {
        let off = [
            ("skip-federated", None),
            ("mysqlx", Some("0")),
            ("symbolic-links", Some("0")),
            ("default_table_encryption", Some("OFF")),
            ("skip-name-resolve", None),
            ("audit_log", Some("OFF")),
        ];
        let all = taken(&off).unwrap();
        assert!(all.notes.is_empty() && all.given.is_empty(), "{all:?}");
        let all = taken(&[("federated", None), ("mysqlx-port", Some("33060"))]).unwrap();
        assert_eq!(all.notes.len(), 2, "{all:?}");
    }

    #[test]
    fn protection_is_refused_unless_it_is_loose() {
        for name in ["innodb-encrypt-tables", "chroot", "audit_log", "lower_case_table_names"] {
            let e = taken(&[(name, Some("1"))]).unwrap_err();
            assert!(e.contains(&format!("loose-{}", name.replace('_', "-"))), "{e}");
            let loose = format!("loose_{name}");
            assert_eq!(taken(&[(&loose, Some("1"))]).unwrap().notes.len(), 1, "{name}");
        }
    }

    #[test]
    fn older_names() {
        let all = taken(&[
            ("key_buffer", Some("16M")),
            ("table_cache", Some("64")),
            ("log-slow-queries", Some("/var/log/slow.log")),
            ("log", None),
            ("default-character-set", Some("utf8mb4")),
        ]);
        let names: Vec<_> = all.unwrap().given.iter().map(|(v, _)| v.name()).collect();
        let expected = [
            "key_buffer_size",
            "table_open_cache",
            "slow_query_log",
            "slow_query_log_file",
            "general_log",
            "character_set_server",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn accounts() {
        let own = rustix::process::geteuid().as_raw();
        let passwd = format!("other:x:{}:1\nme:x:{own}:1\n", own + 1);
        assert!(is_own_account("me", &passwd) && is_own_account(&own.to_string(), &passwd));
        assert!(!is_own_account("other", &passwd) && !is_own_account("nobody-knows", &passwd));
        assert!(taken(&[("user", None)]).is_err());
    }
}
