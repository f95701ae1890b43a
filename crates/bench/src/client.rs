//! A connection to a server for commands that are no workloads: statements one after the other, answers row by row.

use crate::error::Result;
use crate::target::{Client, EachRow, Url};
use std::time::Duration;

/// A backup may wait for a rate limit, a load for an index: no answer for this long is a dead server.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

pub struct Connection(Client);

impl Connection {
    /// `target`: `mysql://user:password@host:port?socket=/path`. `password` is taken where the target has none.
    pub fn open(target: &str, password: Option<&str>) -> Result<Connection> {
        let mut url = Url::parse(target)?;
        if let (true, Some(password)) = (url.password.is_empty(), password) {
            url.password = password.into();
        }
        let database = url.database.clone();
        Ok(Connection(Client::connect(&url, &database, PATIENCE)?))
    }

    /// Runs a statement; `row` sees each row of its answer. An error of `row` leaves the connection in the middle of the answer, to be dropped.
    pub fn each_row(&mut self, sql: &[u8], row: &mut EachRow<'_>) -> Result<()> {
        self.0.each_row(sql, row)
    }

    /// Runs a statement whose answer does not matter.
    pub fn run(&mut self, sql: &str) -> Result<()> {
        self.each_row(sql.as_bytes(), &mut |_| Ok(()))
    }

    /// All rows of a short answer, as text; NULL is empty.
    pub fn rows(&mut self, sql: &str) -> Result<Vec<Vec<String>>> {
        let mut out = Vec::new();
        self.each_row(sql.as_bytes(), &mut |row| {
            let text = |c: &Option<&[u8]>| String::from_utf8_lossy(c.unwrap_or_default()).into();
            out.push(row.iter().map(text).collect());
            Ok(())
        })?;
        Ok(out)
    }
}
