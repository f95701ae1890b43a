//! Several connections that see the database as of one moment.

use weir_bench::client::Connection;

/// Text in UTF-8, times in UTC, identifiers in back quotes, and no limit of the server on what a SELECT takes.
const SETTINGS: [&str; 4] = [
    "SET NAMES utf8mb4",
    "SET time_zone = '+00:00', sql_mode = '', sql_quote_show_create = 1",
    "SET SESSION wait_timeout = 604800",
    "SET SESSION sql_select_limit = DEFAULT",
];

pub struct Snapshot {
    /// Holds definitions until it is dropped.
    pub main: Connection,
    pub others: Vec<Connection>,
}

fn connect(target: &str) -> Result<Connection, String> {
    let password = std::env::var("MYSQL_PWD").ok();
    let mut c = Connection::open(target, password.as_deref()).map_err(|e| e.to_string())?;
    for sql in SETTINGS {
        c.run(sql).map_err(|e| e.to_string())?;
    }
    Ok(c)
}

impl Snapshot {
    /// Definition statements wait from here to the end, commits only while the snapshots begin: nothing can be between them.
    pub fn take(target: &str, others: usize) -> Result<Snapshot, String> {
        let text = |e: weir_bench::error::Error| e.to_string();
        let mut lock = connect(target)?;
        let mut main = connect(target)?;
        let mut list = (0..others).map(|_| connect(target)).collect::<Result<Vec<_>, _>>()?;
        main.run("LOCK INSTANCE FOR BACKUP").map_err(text)?;
        lock.run("FLUSH TABLES WITH READ LOCK").map_err(text)?;
        for c in list.iter_mut().chain([&mut main]) {
            c.run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").map_err(text)?;
            c.run("START TRANSACTION WITH CONSISTENT SNAPSHOT").map_err(text)?;
        }
        lock.run("UNLOCK TABLES").map_err(text)?;
        Ok(Snapshot { main, others: list })
    }
}
