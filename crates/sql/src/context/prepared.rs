//! The prepared statements of all sessions, for performance_schema.prepared_statements_instances.
//!
//! A session lists a statement when it has prepared it, and the statement leaves the list when the session drops it. Between the two the session only
//! counts, in places that no other thread writes, so that an execution takes no lock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A prepared statement as other sessions may see it.
#[derive(Debug, Default)]
pub struct PreparedStatement {
    /// The session that has prepared it.
    pub session: u64,
    /// Its number in the binary protocol; `None` for one of SQL.
    pub id: Option<u32>,
    /// Its name in SQL.
    pub name: Option<String>,
    pub text: String,
    executions: AtomicU64,
    plans: AtomicU64,
}

impl PreparedStatement {
    pub fn new(
        session: u64,
        id: Option<u32>,
        name: Option<&str>,
        text: &[u8],
    ) -> PreparedStatement {
        let (name, text) = (name.map(str::to_owned), String::from_utf8_lossy(text).into_owned());
        PreparedStatement { session, id, name, text, ..Default::default() }
    }

    pub fn executions(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }

    /// How often it was planned once more, because of changed tables.
    pub fn plans(&self) -> u64 {
        self.plans.load(Ordering::Relaxed)
    }
}

/// All of them, by numbers that are never used twice.
#[derive(Debug, Default)]
pub struct PreparedStatements(Mutex<List>);

#[derive(Debug, Default)]
struct List {
    last: u64,
    all: BTreeMap<u64, Arc<PreparedStatement>>,
}

impl PreparedStatements {
    fn lock(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a statement for as long as the answer lives.
    pub fn add(self: &Arc<PreparedStatements>, of: PreparedStatement) -> Listed {
        let of = Arc::new(of);
        let mut list = self.lock();
        list.last += 1;
        let number = list.last;
        list.all.insert(number, of.clone());
        Listed { list: self.clone(), number, of }
    }

    /// Those that there are, each with its number.
    pub fn list(&self) -> Vec<(u64, Arc<PreparedStatement>)> {
        self.lock().all.iter().map(|(number, of)| (*number, of.clone())).collect()
    }
}

/// A statement is listed while this lives. It belongs to the session, which alone counts.
#[derive(Debug)]
pub struct Listed {
    list: Arc<PreparedStatements>,
    number: u64,
    of: Arc<PreparedStatement>,
}

impl Listed {
    pub fn executed(&self) {
        self.of.executions.store(self.of.executions() + 1, Ordering::Relaxed);
    }

    pub fn planned(&self) {
        self.of.plans.store(self.of.plans() + 1, Ordering::Relaxed);
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.list.lock().all.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_listed_as_long_as_its_session_has_it() {
        let all = Arc::new(PreparedStatements::default());
        let one = all.add(PreparedStatement { session: 1, id: Some(1), ..Default::default() });
        let two = all.add(PreparedStatement { session: 2, ..Default::default() });
        one.executed();
        one.executed();
        two.planned();
        let seen = |all: &PreparedStatements| -> Vec<(u64, u64, u64)> {
            all.list().iter().map(|(_, p)| (p.session, p.executions(), p.plans())).collect()
        };
        assert_eq!(seen(&all), [(1, 2, 0), (2, 0, 1)]);
        drop(one);
        assert_eq!(seen(&all), [(2, 0, 1)]);
        let number = all.add(PreparedStatement::default()).number;
        assert_eq!(number, 3, "numbers are not used twice");
    }
}
