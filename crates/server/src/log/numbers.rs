//! Numbers of the messages of the error log. A message that MySQL has as well carries MySQL's number and name
//! (`perror MY-010931`); Weir's own are in the range from MY-900000 on, which MySQL leaves free.
//!
//! The engine knows no numbers of MySQL's, so a message is known by its text: by the fixed pieces of the format that writes it.
//! A test reads the formats out of the sources and fails for one that no row knows.

/// What a message is.
#[derive(Debug, PartialEq, Eq)]
pub struct Message {
    pub number: u32,
    /// MySQL's name of it, or Weir's.
    pub symbol: &'static str,
    pub subsystem: &'static str,
    /// The text, with `{}` for what changes.
    form: &'static str,
}

/// What the parts of the server are called in the log.
const SERVER: &str = "Server";
const ENGINE: &str = "InnoDB";
const REPLICA: &str = "Repl";

/// The first number of Weir's own.
pub const OWN: u32 = 900_000;

const fn m(
    number: u32,
    symbol: &'static str,
    subsystem: &'static str,
    form: &'static str,
) -> Message {
    Message { number, symbol, subsystem, form }
}

/// A message of the server, or of the engine, that no row knows: the text of an error of the system, of the device, of a statement.
static OTHER: Message = m(OWN, "WEIR_SERVER", SERVER, "{}");
static OTHER_OF_ENGINE: Message = m(900_001, "WEIR_ENGINE", ENGINE, "{}");

/// The first row whose form fits counts.
static MESSAGES: &[Message] = &[
    m(10_116, "ER_STARTING_AS", SERVER, "weir {} starting, process {}"),
    m(10_931, "ER_SERVER_STARTUP_MSG", SERVER, "ready for connections: {}"),
    m(13_172, "ER_SERVER_SHUTDOWN_INFO", SERVER, "stopping"),
    m(10_910, "ER_SERVER_SHUTDOWN_COMPLETE", ENGINE, "shutdown complete{}"),
    m(13_169, "ER_STARTING_INIT", SERVER, "weir {} making a new data directory, process {}"),
    m(13_170, "ER_ENDING_INIT", SERVER, "the data directory is made{}"),
    m(
        10_453,
        "ER_INIT_ROOT_WITHOUT_PASSWORD",
        SERVER,
        "root@localhost is created with an empty password{}",
    ),
    m(
        10_454,
        "ER_INIT_GENERATING_TEMP_PASSWORD_FOR_ROOT",
        SERVER,
        "A temporary password is generated for root@localhost: {}",
    ),
    m(
        10_107,
        "ER_WRITABLE_CONFIG_REMOVED",
        SERVER,
        "{}: option file '{}' is left out: everybody may write to it",
    ),
    m(10_283, "ER_CONN_SOCKET_ACCEPT_FAILED", SERVER, "HTTP: cannot accept connections: {}"),
    m(10_283, "ER_CONN_SOCKET_ACCEPT_FAILED", SERVER, "cannot accept {} connection{}"),
    m(
        10_249,
        "ER_CONN_PER_THREAD_NO_THREAD",
        SERVER,
        "HTTP: cannot start a thread for a connection: {}",
    ),
    m(10_249, "ER_CONN_PER_THREAD_NO_THREAD", SERVER, "cannot start a thread for a connection: {}"),
    m(
        10_104,
        "ER_CANT_CREATE_TCPIP_THREAD",
        SERVER,
        "cannot start a thread to accept connections: {}",
    ),
    m(
        10_053,
        "ER_SCHEDULER_STOPPING_FAILED_TO_CREATE_WORKER",
        SERVER,
        "Event Scheduler: cannot start a thread for event {}",
    ),
    m(10_045, "ER_EVENT_MESSAGE_STACK", SERVER, "Event Scheduler: [{}] {}"),
    m(10_069, "ER_SSL_LIBRARY_ERROR", SERVER, "connections are not encrypted: {}"),
    m(10_305, "ER_AUTH_CERTS_SAVED_TO_DATADIR", SERVER, "made certificates in the data directory"),
    m(10_068, "ER_CA_SELF_SIGNED", SERVER, "CA certificate {} is self signed."),
    m(10_187, "ER_CANT_OPEN_ERROR_LOG", SERVER, "{}: cannot open the error log again: {}"),
    m(10_141, "ER_CHANGED_MAX_CONNECTIONS", SERVER, "the system allows {} open files, {}"),
    m(
        10_225,
        "ER_XA_RECOVER_FOUND_XA_TRX",
        ENGINE,
        "{} prepared transactions wait for XA COMMIT or XA ROLLBACK{}",
    ),
    m(
        10_926,
        "ER_ACCESS_DENIED_ERROR_WITH_PASSWORD",
        SERVER,
        "Access denied for user '{}'@'{}' (using password: {})",
    ),
    m(
        10_927,
        "ER_ACCESS_DENIED_FOR_USER_ACCOUNT_LOCKED",
        SERVER,
        "Access denied for user '{}'@'{}'. Account is locked.",
    ),
    m(
        13_525,
        "ER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK",
        SERVER,
        "Access denied for user '{}'@'{}'. Account is blocked {}",
    ),
    m(12_468, "ER_IB_MSG_643", ENGINE, "note: deadlock{}"),
    m(10_584, "ER_RPL_REPLICA_ERROR_INFO_FROM_DA", REPLICA, "Replica SQL for channel {}"),
    m(10_584, "ER_RPL_REPLICA_ERROR_INFO_FROM_DA", REPLICA, "Replica I/O for channel {}"),
    m(10_584, "ER_RPL_REPLICA_ERROR_INFO_FROM_DA", REPLICA, "cannot start a replica: {}"),
    // Weir's own: the server.
    m(900_002, "WEIR_OPTION_WITHOUT_EFFECT", SERVER, "{}option '{}' has no effect: {}"),
    m(900_003, "WEIR_OPTION_CHANGED", SERVER, "{}option '{}' is {}"),
    m(900_004, "WEIR_PROFILE", SERVER, "profile '{}' sets {}"),
    m(900_005, "WEIR_INTERNAL_ERROR", SERVER, "internal error in thread {}"),
    m(900_006, "WEIR_CRASHED", SERVER, "signal {}"),
    m(900_007, "WEIR_DATADIR_GONE", SERVER, "the data directory '{}' is gone{}"),
    m(900_008, "WEIR_MEMORY", SERVER, "memory: buffer pool {}"),
    m(900_009, "WEIR_TIME_ZONE", SERVER, "the machine's time zone is not known{}"),
    m(900_010, "WEIR_GRANT_TABLES", SERVER, "the grant tables are not read: {}"),
    m(900_011, "WEIR_SYS_SCHEMA", SERVER, "cannot make the schema sys: {}"),
    m(900_012, "WEIR_LOGS_REOPENED", SERVER, "{}: the logs are opened again"),
    m(
        900_013,
        "WEIR_STATEMENT_LOG",
        SERVER,
        "cannot write the {} '{}': {}; nothing is written until{}",
    ),
    m(900_013, "WEIR_STATEMENT_LOG", SERVER, "{}; it is off"),
    m(900_014, "WEIR_IDLE_WATCH", SERVER, "cannot watch idle connections any more: {}"),
    m(
        900_015,
        "WEIR_SHUTDOWN_TIMEOUT",
        SERVER,
        "the stop has not ended within shutdown_timeout={}",
    ),
    m(900_016, "WEIR_CLIENTS_ASKED", SERVER, "asked by connection {}"),
    m(900_016, "WEIR_CLIENTS_ASKED", SERVER, "connection {} of {}"),
    m(900_017, "WEIR_BACKUP_DONE", SERVER, "backup {} is complete in {}"),
    m(900_018, "WEIR_ARCHIVE_GAP", SERVER, "the redo archive '{}' has a gap: {}"),
    m(900_018, "WEIR_ARCHIVE_GAP", SERVER, "the redo archive has a gap, {}"),
    m(900_019, "WEIR_ARCHIVE", SERVER, "the redo log is archived to {}"),
    m(900_019, "WEIR_ARCHIVE", SERVER, "the redo archive is written again"),
    m(900_020, "WEIR_ARCHIVE_FAILS", SERVER, "cannot write the redo archive {}"),
    m(900_021, "WEIR_CERTIFICATE_EXPIRES", SERVER, "ssl_cert: '{}' expires on {}"),
    m(900_022, "WEIR_CERTIFICATES_NOT_READ", SERVER, "the certificates are not read again: {}"),
    m(900_023, "WEIR_SYSTEMD", SERVER, "cannot notify systemd at {}"),
    m(900_024, "WEIR_HTTP", SERVER, "HTTP: {}"),
    m(900_025, "WEIR_OFFLINE", SERVER, "offline_mode: {}"),
    m(900_026, "WEIR_NO_CRASH_REPORT", SERVER, "a crash will not be reported: {}"),
    m(900_027, "WEIR_OPTION_OF_BUILD", SERVER, "{} reads '{}' = {}: {}"),
    // The engine.
    m(900_100, "WEIR_NEW_DIRECTORY", ENGINE, "making a new data directory with pages of {} bytes"),
    m(900_101, "WEIR_CONTROL_FILE", ENGINE, "warning: slot {} of the control file {}"),
    m(900_102, "WEIR_RECOVERY", ENGINE, "recovery: redo from LSN {}"),
    m(900_103, "WEIR_TABLE_GIVEN_UP", ENGINE, "error: the table of file '{}' is given up: {}"),
    m(900_103, "WEIR_TABLE_GIVEN_UP", ENGINE, "error: table '{}' is given up: {}"),
    m(900_104, "WEIR_TABLE_NOT_USED", ENGINE, "error: table '{}' is not used: {}"),
    m(900_105, "WEIR_FORCED_RECOVERY", ENGINE, "warning: innodb_force_recovery={}"),
    m(900_106, "WEIR_ROLLBACK", ENGINE, "rolling back {} transactions in the background"),
    m(900_106, "WEIR_ROLLBACK", ENGINE, "rollback of transaction {}"),
    m(900_107, "WEIR_LEFT_BEHIND", ENGINE, "removing '{}', left behind by an interrupted DDL"),
    m(900_107, "WEIR_LEFT_BEHIND", ENGINE, "cannot remove the {} of {}dropped table{}"),
    m(900_107, "WEIR_LEFT_BEHIND", ENGINE, "cannot free the pages of index {}"),
    m(900_108, "WEIR_STALL", ENGINE, "stall {}"),
    m(900_109, "WEIR_FLIGHT_RECORDER", ENGINE, "the flight recorder stops {}"),
    m(900_110, "WEIR_PURGE", ENGINE, "purge is tried again every second: {}"),
    m(900_111, "WEIR_UNDO_TRUNCATED", ENGINE, "undo space truncated from {}"),
    m(900_111, "WEIR_UNDO_TRUNCATED", ENGINE, "cannot truncate the undo space now: {}"),
    m(900_112, "WEIR_FATAL", ENGINE, "fatal: {}"),
    m(900_112, "WEIR_FATAL", ENGINE, "the storage engine cannot go on: {}"),
    m(900_113, "WEIR_STORAGE", ENGINE, "storage: {}"),
    m(900_114, "WEIR_WITNESSES", ENGINE, "warning: cannot write '{}': {}"),
    m(900_115, "WEIR_CHANGE_BUFFER", ENGINE, "the change buffer's sweep is tried again: {}"),
    m(
        900_116,
        "WEIR_UNKNOWN_OBJECT",
        ENGINE,
        "an object of a kind that this version does not know{}",
    ),
    m(
        900_117,
        "WEIR_DEVICE_FULL",
        ENGINE,
        "{}; statements that need room fail until there is some",
    ),
    m(900_118, "WEIR_DEVICE_WORKS", ENGINE, "there is room on the device again{}"),
    m(900_118, "WEIR_DEVICE_WORKS", ENGINE, "{} of '{}' works again{}"),
    m(900_119, "WEIR_LOG_MADE", ENGINE, "making the redo log: {} of {} MiB"),
    m(900_119, "WEIR_LOG_MADE", ENGINE, "the redo log is made: {} MiB in {} s"),
];

impl Message {
    /// The message of a text. `of_engine`: the engine has written it.
    pub fn of(text: &str, of_engine: bool) -> &'static Message {
        let known = MESSAGES.iter().find(|m| fits(m.form, text));
        known.unwrap_or(if of_engine { &OTHER_OF_ENGINE } else { &OTHER })
    }

    /// `MY-010931`.
    pub fn code(&self) -> String {
        format!("MY-{:06}", self.number)
    }

    /// Whether an entry of `log_error_suppression_list` means this message: `MY-010914`, `10914` or a name.
    pub fn is_named(&self, entry: &str) -> bool {
        match number_of(entry) {
            Some(n) => n == self.number,
            None => self.symbol.eq_ignore_ascii_case(entry),
        }
    }
}

/// The number that an entry of the suppression list has.
fn number_of(entry: &str) -> Option<u32> {
    let digits = entry.strip_prefix("MY-").or_else(|| entry.strip_prefix("my-")).unwrap_or(entry);
    digits.parse().ok()
}

/// Whether an entry of the suppression list can name a message: a number, or a name that a row has.
pub fn is_an_entry(entry: &str) -> bool {
    number_of(entry).is_some_and(|n| n > 0)
        || MESSAGES.iter().any(|m| m.symbol.eq_ignore_ascii_case(entry))
}

/// Whether a text has the fixed pieces of a form in their order, the first of them at its beginning.
fn fits(form: &str, text: &str) -> bool {
    let mut pieces = form.split("{}");
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut ends = form.len() == first.len();
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
        ends = !piece.is_empty();
    }
    !ends || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::path::Path;

    #[test]
    fn texts_and_forms() {
        assert!(fits("a {} b", "a x b") && !fits("a {} b", "a x b c") && !fits("a {} b", "b"));
        assert!(fits("stopping", "stopping") && !fits("stopping", "stopping it"));
        assert!(fits("{}: x {}", "SIGHUP: x 7") && fits("{}", "anything"));
        assert_eq!(Message::of("recovery: redo from LSN 1 to 2", true).number, 900_102);
        assert_eq!(Message::of("disk '/x': too bad", true).number, 900_001);
        assert_eq!(Message::of("google-v4 reads 'x' = ON: Y.", false).number, 900_027);
        assert_eq!(Message::of("no message of ours", false).code(), "MY-900000");
        assert_eq!(Message::of("ready for connections: x", false).code(), "MY-010931");
    }

    #[test]
    fn a_number_has_one_name_and_is_mysqls_or_ours() {
        let mut names = BTreeMap::new();
        for m in MESSAGES.iter().chain([&OTHER, &OTHER_OF_ENGINE]) {
            assert_eq!(*names.entry(m.number).or_insert(m.symbol), m.symbol, "{}", m.number);
            assert_eq!(m.number >= OWN, m.symbol.starts_with("WEIR_"), "{}", m.symbol);
            assert!(m.number >= OWN || (10_000..15_000).contains(&m.number), "{}", m.number);
        }
    }

    #[test]
    fn entries_of_the_suppression_list() {
        let m = Message::of("ready for connections: x", false);
        for entry in ["MY-010931", "10931", "my-10931", "er_server_startup_msg"] {
            assert!(m.is_named(entry) && is_an_entry(entry), "{entry}");
        }
        assert!(!m.is_named("MY-010930") && !is_an_entry("ER_NONSENSE") && !is_an_entry("MY-0"));
    }

    /// The formats that sources give to functions of the log: literals behind `log::warning(`, `(db.log)(` and their like.
    fn formats(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                formats(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("numbers.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let text = text.split("#[cfg(test)]").next().unwrap_or_default();
                for call in ["log::system(", "log::error(", "log::warning(", "log::note(", ".log)("]
                {
                    for (at, _) in text.match_indices(call) {
                        let rest = text[at + call.len()..].trim_start().trim_start_matches('&');
                        let rest = rest.strip_prefix("format!(").unwrap_or(rest).trim_start();
                        found.extend(literal(rest));
                    }
                }
            }
        }
    }

    fn literal(text: &str) -> Option<String> {
        let body = text.strip_prefix('"')?;
        let end = body.match_indices('"').find(|(i, _)| !body[..*i].ends_with('\\'))?.0;
        Some(body[..end].replace("\\\n", ""))
    }

    /// A text that the format may give.
    fn sample(format: &str) -> String {
        let mut out = String::new();
        let mut rest = format;
        while let Some((before, behind)) = rest.split_once('{') {
            out.push_str(before);
            out.push('x');
            rest = behind.split_once('}').map_or("", |(_, r)| r);
        }
        out + rest
    }

    #[test]
    fn each_message_of_the_sources_has_a_number() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut found = Vec::new();
        for name in ["server", "engine"] {
            formats(&crates.join(name).join("src"), &mut found);
        }
        assert!(found.len() > 40, "{found:?}");
        // An error in words of its own, whatever it is about.
        let free = ["{why}: {}"];
        let unknown: Vec<_> = found
            .iter()
            .filter(|f| !free.contains(&f.as_str()))
            .filter(|f| [OWN, 900_001].contains(&Message::of(&sample(f), true).number))
            .collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
    }
}
