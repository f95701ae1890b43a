//! Names of storage engines.

use crate::errno;
use crate::session_api::SqlError;
use crate::vars::{SessionVars, Var};

/// The name that our engine has for clients.
const OURS: &str = "InnoDB";

/// An engine of MySQL or MariaDB, whose tables are made here as InnoDB's.
struct Other {
    /// A name that statements use.
    name: &'static str,
    /// The name that SHOW ENGINES of a MySQL has for it.
    listed: &'static str,
    /// Every MySQL comes with this engine, so that NO_ENGINE_SUBSTITUTION does not refuse it there.
    everywhere: bool,
    /// Its tables search without a FULLTEXT key and count within groups, as [`TableMeta::is_like_myisam`] says.
    ///
    /// [`TableMeta::is_like_myisam`]: crate::meta::TableMeta::is_like_myisam
    like_myisam: bool,
}

const fn everywhere(name: &'static str, listed: &'static str) -> Other {
    Other { name, listed, everywhere: true, like_myisam: false }
}

const fn elsewhere(name: &'static str) -> Other {
    Other { name, listed: name, everywhere: false, like_myisam: false }
}

const fn like_myisam(other: Other) -> Other {
    Other { like_myisam: true, ..other }
}

const OTHERS: [Other; 17] = [
    like_myisam(everywhere("MyISAM", "MyISAM")),
    everywhere("MRG_MYISAM", "MRG_MYISAM"),
    everywhere("MERGE", "MRG_MYISAM"),
    everywhere("MEMORY", "MEMORY"),
    everywhere("HEAP", "MEMORY"),
    everywhere("CSV", "CSV"),
    everywhere("ARCHIVE", "ARCHIVE"),
    everywhere("BLACKHOLE", "BLACKHOLE"),
    elsewhere("FEDERATED"),
    elsewhere("NDB"),
    elsewhere("NDBCLUSTER"),
    elsewhere("EXAMPLE"),
    like_myisam(elsewhere("Aria")),
    elsewhere("MyRocks"),
    elsewhere("RocksDB"),
    elsewhere("TokuDB"),
    elsewhere("ISAM"),
];

fn other(name: &str) -> Option<&'static Other> {
    OTHERS.iter().find(|e| e.name.eq_ignore_ascii_case(name))
}

/// The engine that all tables have, by the name that clients ask for or by its own.
pub fn is_ours(name: &str) -> bool {
    name.eq_ignore_ascii_case(OURS) || name.eq_ignore_ascii_case("weir")
}

pub fn is_another(name: &str) -> bool {
    other(name).is_some()
}

/// Whether tables that are declared with this engine keep what applications rely on in tables of MyISAM.
pub fn is_like_myisam(name: &str) -> bool {
    other(name).is_some_and(|e| e.like_myisam)
}

/// An engine that every MySQL has: a statement with its name means no mistake, whatever `sql_mode` says.
pub fn is_everywhere(name: &str) -> bool {
    other(name).is_some_and(|e| e.everywhere)
}

/// 3161 for an engine that `disabled_storage_engines` names, by any of its names.
pub fn check_enabled(name: &str, vars: &SessionVars) -> Result<(), SqlError> {
    let disabled = vars.text(Var::disabled_storage_engines);
    let listed = |name: &str| other(name).map_or(name.to_owned(), |e| e.listed.to_owned());
    let engine = listed(name);
    let mut names = disabled.split(',').map(str::trim).filter(|d| !d.is_empty());
    if !names.any(|d| listed(d).eq_ignore_ascii_case(&engine)) {
        return Ok(());
    }
    Err(SqlError::of(errno::ER_DISABLED_STORAGE_ENGINE, &[&engine]))
}

/// 1286.
pub fn unknown_engine(name: &str) -> SqlError {
    SqlError::of(errno::ER_UNKNOWN_STORAGE_ENGINE, &[&name])
}
