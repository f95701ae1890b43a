//! Names of storage engines.

use crate::errno;
use crate::session_api::SqlError;

/// Engines of MySQL and MariaDB, whose tables are made here as InnoDB's.
const OTHERS: [&str; 17] = [
    "MyISAM",
    "MRG_MYISAM",
    "MERGE",
    "MEMORY",
    "HEAP",
    "CSV",
    "ARCHIVE",
    "BLACKHOLE",
    "FEDERATED",
    "NDB",
    "NDBCLUSTER",
    "EXAMPLE",
    "Aria",
    "MyRocks",
    "RocksDB",
    "TokuDB",
    "ISAM",
];

/// The engine that all tables have, by the name that clients ask for or by its own.
pub fn is_ours(name: &str) -> bool {
    name.eq_ignore_ascii_case("innodb") || name.eq_ignore_ascii_case("weir")
}

pub fn is_another(name: &str) -> bool {
    OTHERS.iter().any(|e| e.eq_ignore_ascii_case(name))
}

/// 1286.
pub fn unknown_engine(name: &str) -> SqlError {
    SqlError::new(errno::ER_UNKNOWN_STORAGE_ENGINE, format!("Unknown storage engine '{name}'"))
}
