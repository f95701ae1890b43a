//! What is measured: a database that takes SQL, in this process or behind the MySQL protocol.
//!
//! Workloads see [`Conn`] only: statements prepared once, executed by id with typed parameters, answers as cells. May
//! use `weir-sql` (embedded) and `weir-wire` (protocol); knows no workload.
//!
//! Invariants: every statement of a workload goes through SQL on every target, so figures of targets are comparable;
//! an answer is read to its end before the next statement; [`Rows`] is reused, so a statement allocates nothing once warm.

mod embedded;
mod mysql;
mod rows;
mod url;

pub use embedded::Embedded;
pub use mysql::{Client, EachRow};
pub use rows::{Cell, Rows, push_cents};
pub use url::Url;

use crate::error::{Error, Result};
use std::sync::Arc;
use std::time::Duration;

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Null,
    Int(i64),
    /// Cents: sent as a decimal with two digits.
    Cents(i64),
    Text(&'a str),
}

/// One session; `rows` gets the answer.
pub trait Session: Send {
    fn prepare(&mut self, sql: &str) -> Result<u32>;
    fn execute(&mut self, id: u32, params: &[Value<'_>], rows: &mut Rows) -> Result<()>;
    fn query(&mut self, sql: &str, rows: &mut Rows) -> Result<()>;
}

/// A session with its answer buffer and its count of statements.
pub struct Conn {
    session: Box<dyn Session>,
    pub rows: Rows,
    pub statements: u64,
}

impl Conn {
    pub fn prepare(&mut self, sql: &str) -> Result<u32> {
        self.session.prepare(sql).map_err(|e| e.at(sql))
    }

    pub fn run(&mut self, id: u32, params: &[Value<'_>]) -> Result<()> {
        self.statements += 1;
        self.session.execute(id, params, &mut self.rows)
    }

    pub fn query(&mut self, sql: &str) -> Result<&Rows> {
        self.statements += 1;
        self.session.query(sql, &mut self.rows)?;
        Ok(&self.rows)
    }

    /// The text of the first cell, if there is a row.
    pub fn first(&mut self, sql: &str) -> Result<Option<String>> {
        let rows = self.query(sql)?;
        Ok((!rows.is_empty() && !rows.is_null(0, 0)).then(|| rows.text(0, 0).into_owned()))
    }

    /// Names and values, as SHOW STATUS and SHOW VARIABLES answer.
    pub fn pairs(&mut self, sql: &str) -> Result<Vec<(String, String)>> {
        let rows = self.query(sql)?;
        let pair = |r| (rows.text(r, 0).into_owned(), rows.text(r, 1).into_owned());
        Ok((0..rows.len()).map(pair).collect())
    }
}

/// How a target was given on the command line, opened.
#[derive(Clone)]
pub enum Target {
    Embedded(Arc<Embedded>),
    MySql(Arc<Url>),
}

/// Longest wait for an answer of a statement of a workload; longer is a dead server.
const PATIENCE: Duration = Duration::from_secs(60);
/// For loading and checking, whose statements may be long.
const LONG_PATIENCE: Duration = Duration::from_secs(3600);

impl Target {
    /// `embedded`, `embedded:DIR` or `mysql://...`. `settings` are server options for an embedded one.
    pub fn open(spec: &str, settings: &[String]) -> Result<Target> {
        if spec == "embedded" || spec.starts_with("embedded:") {
            let dir = spec.strip_prefix("embedded:").filter(|d| !d.is_empty());
            return Ok(Target::Embedded(Arc::new(Embedded::open(dir, settings)?)));
        }
        Ok(Target::MySql(Arc::new(Url::parse(spec)?)))
    }

    /// A session for a workload, in a schema (empty: none).
    pub fn connect(&self, schema: &str) -> Result<Conn> {
        self.connect_for(schema, PATIENCE)
    }

    /// A session for long statements.
    pub fn connect_patient(&self, schema: &str) -> Result<Conn> {
        self.connect_for(schema, LONG_PATIENCE)
    }

    fn connect_for(&self, schema: &str, patience: Duration) -> Result<Conn> {
        let session: Box<dyn Session> = match self {
            Target::Embedded(e) => Box::new(embedded::EmbeddedSession::open(e, schema)?),
            Target::MySql(u) => Box::new(mysql::Client::connect(u, schema, patience)?),
        };
        Ok(Conn { session, rows: Rows::default(), statements: 0 })
    }

    /// Its data directory was made for this run and goes away with it.
    pub fn is_fresh(&self) -> bool {
        matches!(self, Target::Embedded(e) if e.is_fresh())
    }

    /// Which process does the work, when it is on this machine and can be told.
    pub fn server_process(&self) -> Option<u32> {
        match self {
            Target::Embedded(_) => Some(std::process::id()),
            Target::MySql(u) => u.local_process(),
        }
    }

    pub fn is_embedded(&self) -> bool {
        matches!(self, Target::Embedded(_))
    }

    /// For reports: without the password.
    pub fn describe(&self) -> String {
        match self {
            Target::Embedded(e) => e.describe(),
            Target::MySql(u) => u.describe(),
        }
    }

    /// The schema that a URL names.
    pub fn schema(&self) -> Option<String> {
        match self {
            Target::Embedded(_) => None,
            Target::MySql(u) => (!u.database.is_empty()).then(|| u.database.clone()),
        }
    }

    /// Closes an embedded database and removes its files if they were made for this run.
    pub fn close(self) -> Result<()> {
        match self {
            Target::Embedded(e) => match Arc::try_unwrap(e) {
                Ok(e) => e.close(),
                Err(_) => Err(Error::other(
                    "the embedded database is still in use and was not closed; the next start recovers",
                )),
            },
            Target::MySql(_) => Ok(()),
        }
    }
}
