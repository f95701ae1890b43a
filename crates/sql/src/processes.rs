//! The process list: who is connected, and in the column State what each of them does, in MySQL's words.
//!
//! Sessions do not say at each step where they are. Asked for, a state is the first of: a stage that lasts ([`crate::stages`]), what
//! the engine says the session waits for, what statements of this kind do. Waits for rows, pages and the log's space
//! have no words in MySQL's list; `information_schema.weir_waits` tells them.

use crate::context::Shared;
use crate::session_api::{ConnInfo, ProcessInfo};
use crate::status::Who;
use std::collections::HashMap;
use weir_engine::waits::{Cause, What};

/// All connections, no matter who may see them.
pub fn processes(shared: &Shared) -> Vec<ProcessInfo> {
    let mut list = shared.sessions().list();
    let waiting: HashMap<u64, What> =
        shared.db.waiting().into_iter().map(|w| (w.session, w)).collect();
    for p in list.iter_mut().filter(|p| p.runs) {
        let staged = shared.stages.of(p.id);
        let waits = || of_wait(waiting.get(&p.id)?, shared);
        let state = staged.or_else(waits);
        p.state = state.unwrap_or_else(|| of_statement(p.info.as_deref().unwrap_or("")));
    }
    list
}

/// Where MySQL's list has words for it.
fn of_wait(what: &What, shared: &Shared) -> Option<&'static str> {
    match what.cause {
        // FLUSH TABLES WITH READ LOCK holds all tables, and is a backup.
        Cause::MetadataLock if shared.definitions.backs_up(what.blocker.session) => {
            Some("Waiting for global read lock")
        }
        Cause::MetadataLock => Some("Waiting for table metadata lock"),
        Cause::Ddl => Some("Waiting for another definition statement"),
        Cause::LogSync | Cause::LogWrite => Some("waiting for handler commit"),
        _ => None,
    }
}

/// By the first words of a statement that waits for nothing with a name.
fn of_statement(text: &str) -> &'static str {
    let mut words = text.split_ascii_whitespace();
    let mut word = || words.next().unwrap_or("").to_ascii_lowercase();
    let (first, second) = (word(), word());
    match (&*first, &*second) {
        ("insert" | "replace", _) => "update",
        ("update" | "delete", _) => "updating",
        ("show", _) => "init",
        ("create", "table" | "temporary") => "creating table",
        ("alter", "table") | ("create" | "drop", "index") => "altering table",
        ("create", "unique" | "fulltext" | "spatial") => "altering table",
        ("commit", _) => "starting",
        _ => "executing",
    }
}

/// Whose counters those of a session are.
pub fn who_of(conn: &ConnInfo) -> Who {
    Who { id: conn.id, user: conn.user.clone(), host: host_alone(&conn.host).into() }
}

/// The host of a client without its port.
pub fn host_alone(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::of_statement;

    #[test]
    fn statements_are_known_by_their_first_words() {
        assert_eq!(of_statement("  UPDATE t SET a = 1"), "updating");
        assert_eq!(of_statement("insert\ninto t values (1)"), "update");
        assert_eq!(of_statement("Create Unique Index i on t (a)"), "altering table");
        assert_eq!(of_statement("create view v as select 1"), "executing");
        assert_eq!(of_statement(""), "executing");
    }
}
