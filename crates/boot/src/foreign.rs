//! Directories of other databases, known by their files.

use std::path::Path;

/// Files that say which other database a directory is of.
const FILES: [(&str, &str); 6] = [
    ("ibdata1", "MySQL or MariaDB"),
    ("mysql.ibd", "MySQL"),
    ("#innodb_redo", "MySQL"),
    ("aria_log_control", "MariaDB"),
    ("ib_logfile0", "MySQL or MariaDB"),
    ("PG_VERSION", "PostgreSQL"),
];

/// The first of them that is there, and whose it is.
pub fn found_in(datadir: &Path) -> Option<(&'static str, &'static str)> {
    FILES.into_iter().find(|(name, _)| datadir.join(name).exists())
}

/// A new data directory is not made among the files of another database: anyone who cleans up one of them takes both. One that is there already
/// is opened as ever.
pub fn refuse_to_make_one_in(datadir: &Path) -> Result<(), String> {
    match found_in(datadir) {
        Some((name, whose)) if !datadir.join("weir.ctl").exists() => Err(format!(
            "the data directory '{}' has {name}, a file of {whose}: start with --datadir=DIR, an empty directory or one that does not \
             exist. Data of MySQL come by `weir dump` and `weir load`",
            datadir.display()
        )),
        _ => Ok(()),
    }
}
