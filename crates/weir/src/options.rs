//! Options of a database inside a program: the server's names and values, without those that only a server has.

use crate::database::{Database, LogLine};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_boot::options::{self, ServeOptions, Wanted};
use weir_sql::vars::Var;

/// What an embedded database sets where the program says nothing: a log that takes little room on disk, and no thread for events.
const DEFAULTS: &[(Var, &str)] =
    &[(Var::innodb_redo_log_capacity, "32M"), (Var::event_scheduler, "OFF")];
/// The same in memory, where the log is of use to nobody once its pages are written.
const IN_MEMORY: &[(Var, &str)] = &[
    (Var::innodb_redo_log_capacity, "8M"),
    (Var::event_scheduler, "OFF"),
    (Var::innodb_doublewrite, "OFF"),
    (Var::weir_flight_recorder, "OFF"),
    (Var::innodb_flush_method, "fsync"),
];

/// Options that act on what a server's process does. A program that sets one of them gets an error, since nothing would come of it.
pub(crate) const OF_A_SERVER: &[Var] = &[
    Var::port,
    Var::bind_address,
    Var::socket,
    Var::socket_mode,
    Var::skip_networking,
    Var::weir_http_port,
    Var::weir_http_bind_address,
    Var::weir_redo_archive_dir,
    Var::weir_redo_archive_key_file,
    Var::pid_file,
    Var::log_error,
    Var::log_error_verbosity,
    Var::log_error_services,
    Var::log_error_suppression_list,
    Var::thread_stack,
    Var::shutdown_timeout,
];

/// Options that act on what is done for clients over a network, or on logs of their statements. They mean something where the program
/// serves clients.
pub(crate) const OF_CLIENTS: &[Var] = &[
    Var::back_log,
    Var::log_output,
    Var::general_log,
    Var::general_log_file,
    Var::slow_query_log,
    Var::slow_query_log_file,
    Var::long_query_time,
    Var::min_examined_row_limit,
    Var::log_queries_not_using_indexes,
    Var::log_slow_admin_statements,
    Var::log_throttle_queries_not_using_indexes,
    Var::log_slow_rate_limit,
    Var::log_slow_rate_type,
    Var::slow_query_log_always_write_time,
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
    Var::local_infile,
    Var::max_connections,
    Var::offline_mode,
    Var::log_slow_extra,
    Var::connect_timeout,
    Var::connection_control_failed_connections_threshold,
    Var::connection_control_min_connection_delay,
    Var::connection_control_max_connection_delay,
    Var::wait_timeout,
    Var::interactive_timeout,
    Var::net_read_timeout,
    Var::net_write_timeout,
    Var::protocol_compression_algorithms,
    Var::require_secure_transport,
    Var::tls_version,
    Var::ssl_ca,
    Var::ssl_capath,
    Var::ssl_cert,
    Var::ssl_key,
    Var::ssl_crl,
    Var::ssl_crlpath,
    Var::ssl_cipher,
    Var::tls_ciphersuites,
    Var::auto_generate_certs,
    Var::ssl_session_cache_mode,
    Var::tls_certificates_enforced_validation,
];

/// Whether a database that is opened here has no use for an option.
fn is_useless(var: Var) -> bool {
    OF_A_SERVER.contains(&var) || OF_CLIENTS.contains(&var) && cfg!(not(feature = "serve"))
}

/// A database that is to be opened: options by the names that `weir serve` and `SHOW VARIABLES` have.
///
/// ```
/// # fn main() -> weir::Result<()> {
/// let db = weir::Database::builder()
///     .set("innodb_buffer_pool_size", "16M")
///     .set("innodb_flush_log_at_trx_commit", "2")
///     .open_in_memory()?;
/// # db.close()
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Builder {
    given: Vec<(String, String)>,
    log: Option<LogLine>,
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("given", &self.given).finish_non_exhaustive()
    }
}

impl Builder {
    /// Sets an option. The name may be written with `-` or `_`; sizes take `K`, `M` and `G`. An error in it is reported by `open`.
    pub fn set(mut self, name: impl Into<String>, value: impl Into<String>) -> Builder {
        self.given.push((name.into(), value.into()));
        self
    }

    /// Bytes of memory for pages (`innodb_buffer_pool_size`).
    pub fn buffer_pool(self, bytes: u64) -> Builder {
        self.set("innodb_buffer_pool_size", bytes.to_string())
    }

    /// Whether a commit is on the device before it is answered (`innodb_flush_log_at_trx_commit` 1). Without it a commit survives the
    /// end of the process, and the last second's may be lost with the machine (2).
    pub fn durable(self, durable: bool) -> Builder {
        self.set("innodb_flush_log_at_trx_commit", if durable { "1" } else { "2" })
    }

    /// Where lines go that a server would write to its error log: recovery, stalls, warnings, the end. Without it nobody gets them.
    pub fn log(mut self, line: impl Fn(&str) + Send + Sync + 'static) -> Builder {
        self.log = Some(Arc::new(line));
        self
    }

    /// Opens the directory, which is made where there is none.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Database> {
        let options = self.read(DEFAULTS)?;
        Database::open_with(Some(path.as_ref().to_path_buf()), options, self.log)
    }

    /// Makes an empty database in memory, which ends with its last handle.
    pub fn open_in_memory(self) -> Result<Database> {
        let options = self.read(IN_MEMORY)?;
        Database::open_with(None::<PathBuf>, options, self.log)
    }

    fn read(&self, defaults: &[(Var, &str)]) -> Result<ServeOptions> {
        let mut all = ServeOptions { given: Vec::new(), notes: Vec::new(), commanded: Vec::new() };
        for (name, value) in &self.given {
            let one = read_one(name, value)?;
            all.given.extend(one.given);
            all.commanded.extend(one.commanded);
            all.notes.extend(one.notes);
        }
        let by_files = [Var::innodb_log_file_size, Var::innodb_log_files_in_group];
        let sets = |var: Var| {
            all.is_given(var)
                || var == Var::innodb_redo_log_capacity && by_files.iter().any(|v| all.is_given(*v))
        };
        let missing = defaults.iter().filter(|(var, _)| !sets(*var));
        let missing: Vec<_> = missing.map(|(var, value)| (*var, (*value).to_owned())).collect();
        all.given.splice(0..0, missing);
        Ok(all)
    }
}

/// One option, checked for what it means inside a program.
fn read_one(name: &str, value: &str) -> Result<ServeOptions> {
    let wrong = |message: String| Error::Option { name: name.to_owned(), message };
    let plain = name.trim_start_matches("--").replace('-', "_").to_lowercase();
    if plain.is_empty() || plain.contains('=') || plain.starts_with("defaults_") || plain == "help"
    {
        return Err(wrong("it is no option of a database".into()));
    }
    if plain == "datadir" {
        return Err(wrong("the directory is the argument of open".into()));
    }
    let argument = format!("--{}={value}", plain.replace('_', "-"));
    let read = options::read(&[argument]).map_err(wrong)?;
    let Wanted::Serve(read) = read else { return Err(wrong("it is no option".into())) };
    // An option of other servers, which no variable takes.
    if read.given.is_empty() {
        let note = read.notes.first().cloned();
        return Err(wrong(note.unwrap_or_else(|| "it is no option of a database".into())));
    }
    let read = Arc::into_inner(read).ok_or_else(|| Error::misuse("an option is being read"))?;
    if let Some((var, _)) = read.given.iter().find(|(var, _)| is_useless(*var)) {
        return Err(wrong(of_a_server(*var)));
    }
    if let Some((var, _)) = read.given.iter().find(|(var, _)| *var == Var::event_scheduler)
        && !matches!(value.to_ascii_uppercase().as_str(), "OFF" | "0" | "DISABLED")
    {
        return Err(wrong(of_a_server(*var)));
    }
    if let Some(why) = read.given.iter().find_map(|(var, _)| var.def().note) {
        return Err(wrong(format!("it has no effect: {why}")));
    }
    Ok(read)
}

pub(crate) fn of_a_server(var: Var) -> String {
    format!("{} is a server's: a database inside a program has none of it", var.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_sql::vars::all;

    /// Options of the groups in which a server's stand that mean something inside a program as well.
    const BOTH: &[&str] = &[
        "datadir",
        "partial_revokes",
        "persisted_globals_load",
        "innodb_open_files",
        "table_open_cache",
        "secure_file_priv",
        "max_user_connections",
        "max_allowed_packet",
        "max_prepared_stmt_count",
        "default_password_lifetime",
        "disconnect_on_expired_password",
        "password_history",
        "password_reuse_interval",
        "password_require_current",
        "mandatory_roles",
        "activate_all_roles_on_login",
        "automatic_sp_privileges",
    ];

    #[test]
    fn each_option_of_the_servers_groups_is_one_or_the_other() {
        let groups = ["Files and network", "Connections"];
        let of_them = all().iter().filter(|d| d.is_option() && d.note.is_none());
        for d in of_them.filter(|d| groups.contains(&d.group)) {
            let refused = OF_A_SERVER.contains(&d.var) || OF_CLIENTS.contains(&d.var);
            assert_ne!(
                refused,
                BOTH.contains(&d.name),
                "{} is in neither list, or in both",
                d.name
            );
        }
    }

    #[test]
    fn options_are_refused_with_their_names() {
        for (name, value, part) in [
            ("port", "3306", "a server's"),
            ("log-error", "x", "a server's"),
            ("event_scheduler", "ON", "a server's"),
            ("innodb_buffer_pol_size", "1M", "did you mean"),
            ("datadir", "/x", "argument of open"),
            ("help", "", "no option"),
            ("", "", "no option"),
            ("a=b", "", "no option"),
        ] {
            let e = Builder::default().set(name, value).read(DEFAULTS).unwrap_err();
            let Error::Option { name: told, message } = e else { panic!("{e:?}") };
            assert!(told == name && message.contains(part), "{name}: {message}");
        }
    }

    #[test]
    fn what_is_given_rules_the_defaults() {
        let read = |b: Builder| b.read(DEFAULTS).unwrap();
        let capacity = |o: &ServeOptions| {
            let of_log = o.given.iter().filter(|(v, _)| *v == Var::innodb_redo_log_capacity);
            of_log.map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(capacity(&read(Builder::default())), ["32M"]);
        assert_eq!(
            capacity(&read(Builder::default().set("innodb-redo-log-capacity", "64M"))),
            ["64M"]
        );
        assert!(capacity(&read(Builder::default().set("innodb_log_file_size", "8M"))).is_empty());
    }
}
