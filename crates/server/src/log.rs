//! The error log: lines in MySQL's format, to stderr or a file.
//!
//! `2026-11-21T01:02:03.123456Z 0 [Warning] [MY-000000] [Server] text`

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Who should care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Start, ready, stop: always written.
    System,
    Error,
    Warning,
    Note,
}

/// `log_error_verbosity`.
static VERBOSITY: AtomicU8 = AtomicU8::new(2);
/// `log_error`; `None` is stderr.
static TARGET: Mutex<Option<(String, File)>> = Mutex::new(None);

pub fn set_verbosity(verbosity: u8) {
    VERBOSITY.store(verbosity, Ordering::Relaxed);
}

/// Appends to this file from now on.
pub fn set_file(path: &str) -> std::io::Result<()> {
    let file = File::options().create(true).append(true).open(path)?;
    *TARGET.lock().unwrap_or_else(PoisonError::into_inner) = Some((path.to_string(), file));
    Ok(())
}

/// Goes on in a new file, should the old one have been renamed. An error leaves the old one.
pub fn reopen() -> std::io::Result<()> {
    let path = TARGET.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|t| t.0.clone());
    path.map_or(Ok(()), |path| set_file(&path))
}

/// Writes one line; `connection` is 0 for the server itself.
pub fn write(level: Level, connection: u64, text: &str) {
    let needed = match level {
        Level::System | Level::Error => 1,
        Level::Warning => 2,
        Level::Note => 3,
    };
    if VERBOSITY.load(Ordering::Relaxed) < needed {
        return;
    }
    let stamp = now();
    let line = format!("{stamp} {connection} [{level:?}] [MY-000000] [Server] {text}\n");
    let mut target = TARGET.lock().unwrap_or_else(PoisonError::into_inner);
    // A log that cannot be written has nobody left to tell.
    let _ = match target.as_mut() {
        Some((_, file)) => file.write_all(line.as_bytes()),
        None => std::io::stderr().write_all(line.as_bytes()),
    };
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
        *TARGET.lock().unwrap() = None;
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn timestamps() {
        assert_eq!(timestamp(1), "1970-01-01T00:00:00.000001Z");
        assert_eq!(timestamp(951_782_400_000_000), "2000-02-29T00:00:00.000000Z");
        assert_eq!(timestamp(1_735_689_599_999_999), "2024-12-31T23:59:59.999999Z");
    }
}
