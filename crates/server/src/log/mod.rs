//! The error log: lines in MySQL's format, as text, as JSON, or both, to stderr or a file; the last of them are kept for statements.
//!
//! `2026-11-21T01:02:03.123456Z 0 [Warning] [MY-010068] [Server] text`
//!
//! `numbers` knows the numbers of messages, `kept` the last lines.

mod kept;
mod numbers;

pub use kept::KeptLines;

use numbers::Message;
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use weir_sql::files::ErrorLogLine;

/// Who should care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Start, ready, stop: always written.
    System,
    Error,
    Warning,
    Note,
}

impl Level {
    /// `log_error_verbosity` from which on it is written.
    fn verbosity(self) -> u8 {
        match self {
            Level::System | Level::Error => 1,
            Level::Warning => 2,
            Level::Note => 3,
        }
    }

    /// MySQL's number of the level in lines of JSON.
    fn priority(self) -> u8 {
        match self {
            Level::System => 0,
            Level::Error => 1,
            Level::Warning => 2,
            Level::Note => 3,
        }
    }

    fn label(self) -> &'static str {
        match self {
            Level::System => "System",
            Level::Error => "Error",
            Level::Warning => "Warning",
            Level::Note => "Note",
        }
    }
}

/// `log_error_verbosity`.
static VERBOSITY: AtomicU8 = AtomicU8::new(2);
static TARGET: Mutex<Target> = Mutex::new(Target {
    text: None,
    json: None,
    sinks: Sinks { text: true, json: false },
    suppressed: Vec::new(),
});

/// Where lines go. No file is stderr.
struct Target {
    text: Option<(String, File)>,
    json: Option<(String, File)>,
    sinks: Sinks,
    /// `log_error_suppression_list`.
    suppressed: Vec<String>,
}

/// The sinks of `log_error_services`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sinks {
    text: bool,
    json: bool,
}

impl Sinks {
    /// Services with semicolons or commas between, filters before sinks: which sinks there are, or the one that is not there.
    fn parse(services: &str) -> Result<Sinks, String> {
        let mut sinks = Sinks { text: false, json: false };
        let names = services.split([';', ',']).map(str::trim).filter(|s| !s.is_empty());
        for name in names {
            match name {
                // What verbosity and the suppression list leave out.
                "log_filter_internal" => {}
                "log_sink_internal" => sinks.text = true,
                "log_sink_json" => sinks.json = true,
                other => return Err(format!("there is no service '{other}'")),
            }
        }
        match sinks.text || sinks.json {
            true => Ok(sinks),
            false => Err("without a sink nothing would be written".into()),
        }
    }
}

fn target() -> std::sync::MutexGuard<'static, Target> {
    TARGET.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Target {
    /// Opens the file of lines of JSON, if there shall be one, under MySQL's name for it.
    fn open_json(&mut self) -> std::io::Result<()> {
        self.json = match (&self.text, self.sinks.json) {
            (Some((path, _)), true) => {
                let path = format!("{path}.00.json");
                let file = File::options().create(true).append(true).open(&path)?;
                Some((path, file))
            }
            _ => None,
        };
        Ok(())
    }
}

pub fn set_verbosity(verbosity: u8) {
    VERBOSITY.store(verbosity, Ordering::Relaxed);
}

/// Puts `log_error_services` into force.
pub fn set_services(services: &str) -> Result<(), String> {
    let sinks = Sinks::parse(services)?;
    let mut target = target();
    let before = std::mem::replace(&mut target.sinks, sinks);
    target.open_json().map_err(|e| {
        target.sinks = before;
        format!("cannot write the log of JSON lines: {e}")
    })
}

/// Puts `log_error_suppression_list` into force: numbers and names of warnings and notes, with commas between.
pub fn set_suppressed(list: &str) -> Result<(), String> {
    let entries: Vec<String> =
        list.split(',').map(str::trim).filter(|e| !e.is_empty()).map(str::to_owned).collect();
    if let Some(bad) = entries.iter().find(|e| !numbers::is_an_entry(e)) {
        return Err(format!("'{bad}' names no message of the log"));
    }
    target().suppressed = entries;
    Ok(())
}

/// Appends to this file from now on.
pub fn set_file(path: &str) -> std::io::Result<()> {
    let file = File::options().create(true).append(true).open(path)?;
    let mut target = target();
    target.text = Some((path.to_string(), file));
    target.open_json()
}

/// Goes on in a new file, should the old one have been renamed. An error leaves the old one.
pub fn reopen() -> std::io::Result<()> {
    let path = target().text.as_ref().map(|t| t.0.clone());
    path.map_or(Ok(()), |path| set_file(&path))
}

/// Writes one line; `connection` is 0 for the server itself.
pub fn write(level: Level, connection: u64, text: &str) {
    put(level, connection, text, Message::of(text, false));
}

/// A line of the engine, which has no levels but says in words what is an error or a warning.
pub fn engine(text: &str) {
    let level = match text.split_once(':').map(|(word, _)| word) {
        Some("error" | "fatal") => Level::Error,
        Some("warning") => Level::Warning,
        _ => Level::System,
    };
    put(level, 0, text, Message::of(text, true));
}

fn put(level: Level, connection: u64, text: &str, message: &'static Message) {
    if VERBOSITY.load(Ordering::Relaxed) < level.verbosity() {
        return;
    }
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let micros = since.as_micros() as u64;
    let mut target = target();
    let may_go = matches!(level, Level::Warning | Level::Note);
    if may_go && target.suppressed.iter().any(|entry| message.is_named(entry)) {
        return;
    }
    kept::keep(ErrorLogLine {
        micros,
        connection,
        level: level.label(),
        code: message.code(),
        subsystem: message.subsystem,
        text: text.to_owned(),
    });
    let Target { text: file, json, sinks, .. } = &mut *target;
    if sinks.text {
        let (stamp, code, subsystem) = (timestamp(micros), message.code(), message.subsystem);
        let label = level.label();
        append(file, &format!("{stamp} {connection} [{label}] [{code}] [{subsystem}] {text}\n"));
    }
    if sinks.json {
        append(json, &as_json(level, connection, micros, text, message));
    }
}

/// A log that cannot be written has nobody left to tell.
fn append(file: &mut Option<(String, File)>, line: &str) {
    let _ = match file {
        Some((_, file)) => file.write_all(line.as_bytes()),
        None => std::io::stderr().write_all(line.as_bytes()),
    };
}

/// A line with the members of MySQL's `log_sink_json`.
fn as_json(level: Level, connection: u64, micros: u64, text: &str, m: &Message) -> String {
    let line = json!({
        "prio": level.priority(),
        "err_code": m.number,
        "subsystem": m.subsystem,
        "msg": text,
        "time": timestamp(micros),
        "ts": micros / 1000,
        "thread": connection,
        "err_symbol": m.symbol,
        "SQL_state": "HY000",
        "label": level.label(),
    });
    format!("{line}\n")
}

pub fn system(text: &str) {
    write(Level::System, 0, text);
}

pub fn error(text: &str) {
    write(Level::Error, 0, text);
}

pub fn warning(text: &str) {
    write(Level::Warning, 0, text);
}

pub fn note(text: &str) {
    write(Level::Note, 0, text);
}

/// The time as log lines have it.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    timestamp(since.as_micros() as u64)
}

/// RFC 3339 in UTC. Days to civil date after Hinnant, "chrono-Compatible Low-Level Date Algorithms".
pub fn timestamp(micros: u64) -> String {
    let (secs, micros) = (micros / 1_000_000, micros % 1_000_000);
    let (days, rest) = (secs / 86_400, secs % 86_400);
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A log that was renamed stays as it is, and a new one is begun.
    #[test]
    fn a_renamed_log_is_begun_again() {
        let folder = std::env::temp_dir().join(format!("weir-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("e.log");
        let text = |p: &std::path::Path| std::fs::read_to_string(p).unwrap_or_default();
        set_file(path.to_str().unwrap()).unwrap();
        error("before");
        let old = folder.join("e.log.1");
        std::fs::rename(&path, &old).unwrap();
        error("still there");
        reopen().unwrap();
        error("after");
        assert!(text(&old).contains("before") && text(&old).contains("still there"));
        assert!(text(&path).contains("after") && !text(&path).contains("before"));
        target().text = None;
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn services_and_suppressed_messages() {
        let both = Sinks { text: true, json: true };
        assert_eq!(Sinks::parse("log_filter_internal; log_sink_internal; log_sink_json"), Ok(both));
        assert_eq!(Sinks::parse("log_sink_json").map(|s| (s.text, s.json)), Ok((false, true)));
        for bad in ["", "log_filter_internal", "log_sink_internal; log_filter_dragnet"] {
            assert!(Sinks::parse(bad).is_err(), "{bad}");
        }
        assert!(set_suppressed("MY-010068, ER_NONSENSE").is_err());
        assert!(set_suppressed("MY-010068, WEIR_STALL").is_ok());
        set_suppressed("").unwrap();
    }

    #[test]
    fn lines_of_json_have_mysqls_members() {
        let text = "CA certificate \"x\" is self signed.";
        let line = as_json(Level::Warning, 7, 1_500_000, text, Message::of(text, false));
        let v: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!((v["prio"].as_u64(), v["err_code"].as_u64()), (Some(2), Some(10_068)));
        assert_eq!((v["msg"].as_str(), v["ts"].as_u64()), (Some(text), Some(1500)));
        assert_eq!((v["thread"].as_u64(), v["label"].as_str()), (Some(7), Some("Warning")));
        assert_eq!(line.matches('\n').count(), 1);
    }

    #[test]
    fn timestamps() {
        assert_eq!(timestamp(1), "1970-01-01T00:00:00.000001Z");
        assert_eq!(timestamp(951_782_400_000_000), "2000-02-29T00:00:00.000000Z");
        assert_eq!(timestamp(1_735_689_599_999_999), "2024-12-31T23:59:59.999999Z");
    }
}
