//! Prepared statements: those that a program keeps, and those that a connection keeps for it.

use crate::stream::Work;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use weir_sql::session_api::ParamValue;

/// Statements that a connection is to close, because their handles are gone.
pub(crate) type Closed = Arc<Mutex<Vec<u32>>>;

/// A statement that was prepared on a connection. It is executed by the calls of that connection, in the place of a text, and is closed
/// when it is dropped.
///
/// ```
/// # use weir::{params, Database};
/// # fn main() -> weir::Result<()> {
/// let mut conn = Database::open_in_memory()?.connect()?;
/// let add = conn.prepare("SELECT ? + ?")?;
/// for n in 1..4 {
///     let sum: i64 = conn.query_row(&add, params![n, n])?.get(0)?;
///     assert_eq!(sum, 2 * n);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Statement {
    pub(crate) id: u32,
    pub(crate) connection: u64,
    pub(crate) params: u16,
    /// It never gives rows.
    pub(crate) only_writes: bool,
    pub(crate) text: Box<str>,
    pub(crate) closed: Closed,
}

impl Statement {
    /// How many parameters it takes.
    pub fn parameter_count(&self) -> usize {
        self.params.into()
    }

    /// Its text.
    pub fn sql(&self) -> &str {
        &self.text
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner).push(self.id);
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for &String {}
    impl Sealed for &super::Statement {}
}

/// What can be executed: a text, or a statement that was prepared.
pub trait Sql: sealed::Sealed {
    #[doc(hidden)]
    fn source(&self) -> Source<'_>;
}

#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Source<'s> {
    Text(&'s str),
    Prepared(&'s Statement),
}

impl Sql for &str {
    fn source(&self) -> Source<'_> {
        Source::Text(self)
    }
}

impl Sql for &String {
    fn source(&self) -> Source<'_> {
        Source::Text(self)
    }
}

impl Sql for &Statement {
    fn source(&self) -> Source<'_> {
        Source::Prepared(self)
    }
}

impl Source<'_> {
    pub(crate) fn text(&self) -> &str {
        match self {
            Source::Text(text) => text,
            Source::Prepared(stmt) => &stmt.text,
        }
    }
}

struct Cached {
    id: u32,
    /// The default schema when it was prepared, in which its names are looked for.
    schema: Box<str>,
    used: u64,
}

/// Statements that a connection has prepared for texts with parameters, the ones used last.
pub(crate) struct Cache {
    map: HashMap<Box<str>, Cached>,
    capacity: usize,
    clock: u64,
}

impl Cache {
    pub fn new(capacity: usize) -> Cache {
        Cache { map: HashMap::new(), capacity, clock: 0 }
    }

    /// The statement of this text, if it was prepared in the same default schema.
    pub fn find(&mut self, text: &str, schema: &str) -> Option<u32> {
        self.clock += 1;
        let found = self.map.get_mut(text).filter(|c| *c.schema == *schema)?;
        found.used = self.clock;
        Some(found.id)
    }

    /// Keeps a statement. What has to be closed for it is returned.
    pub fn keep(&mut self, text: &str, schema: &str, id: u32) -> Vec<u32> {
        let mut out = Vec::new();
        if self.capacity == 0 {
            return vec![id];
        }
        self.clock += 1;
        let entry = Cached { id, schema: schema.into(), used: self.clock };
        out.extend(self.map.insert(text.into(), entry).map(|old| old.id));
        out.extend(self.trim());
        out
    }

    pub fn set_capacity(&mut self, capacity: usize) -> Vec<u32> {
        self.capacity = capacity;
        self.trim()
    }

    fn trim(&mut self) -> Vec<u32> {
        let mut out = Vec::new();
        while self.map.len() > self.capacity {
            let oldest = self.map.iter().min_by_key(|(_, c)| c.used).map(|(text, _)| text.clone());
            let Some(oldest) = oldest else { break };
            out.extend(self.map.remove(&oldest).map(|c| c.id));
        }
        out
    }
}

/// Whether a statement changes rows and gives none. What is not seen by its first word is taken for one that may give rows.
pub(crate) fn only_writes(sql: &str) -> bool {
    let first = sql.split_ascii_whitespace().next().unwrap_or("");
    ["INSERT", "UPDATE", "DELETE", "REPLACE"].iter().any(|w| w.eq_ignore_ascii_case(first))
}

/// The work of a statement whose number is known, or is not known yet.
pub(crate) fn work(known: Option<u32>, text: &str, params: Vec<ParamValue>) -> Work {
    match known {
        Some(id) => Work::Execute(id, params),
        None if params.is_empty() => Work::Text(text.to_owned()),
        None => Work::Prepare(text.to_owned(), params),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_only_write_are_seen_by_their_first_word() {
        for yes in [
            "INSERT INTO t VALUES (1)",
            " \n update t SET a = 1",
            "Delete\tFROM t",
            "REPLACE t () VALUES ()",
        ] {
            assert!(only_writes(yes), "{yes}");
        }
        for no in [
            "",
            "SELECT 1",
            "CALL p()",
            "/* x */ INSERT INTO t VALUES (1)",
            "WITH x AS (SELECT 1) SELECT * FROM x",
        ] {
            assert!(!only_writes(no), "{no}");
        }
    }

    #[test]
    fn the_statements_used_last_are_kept() {
        let mut cache = Cache::new(2);
        assert!(cache.keep("a", "s", 1).is_empty() && cache.keep("b", "s", 2).is_empty());
        assert_eq!(cache.find("a", "s"), Some(1));
        assert_eq!(cache.keep("c", "s", 3), [2]);
        assert_eq!((cache.find("b", "s"), cache.find("a", "other")), (None, None));
        assert_eq!(cache.keep("a", "other", 4), [1]);
        assert_eq!(cache.set_capacity(1), [3]);
        assert_eq!(cache.set_capacity(0), [4]);
        assert_eq!(cache.keep("x", "s", 9), [9]);
    }
}
