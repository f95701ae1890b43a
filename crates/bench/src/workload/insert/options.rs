//! The options of the insert benchmark.

use super::Config;
use crate::args::Args;
use crate::error::{Error, Result};
use crate::workload::calls::PathKind;
use std::time::Duration;

impl Config {
    pub fn read(a: &mut Args, schema: Option<String>, seed: u64) -> Result<Config> {
        let path = PathKind::parse(a.text("path").as_deref())?;
        let table = a.text("table").unwrap_or_else(|| "purchases_index".into());
        if !table.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') || table.is_empty() {
            return Err(Error::other(format!("--table={table}: letters, digits and _ only")));
        }
        let rows: Option<u64> = a.get("rows")?;
        let config = Config {
            schema: schema.unwrap_or_else(|| "insertbench".into()),
            table,
            rows,
            start_rows: a.or("start-rows", 0)?,
            rows_per_commit: a.or("rows-per-commit", 1_000)?,
            rows_per_query: a.or("rows-per-query", 10)?,
            inserters: a.or("inserters", 1)?,
            query_users: a.or("query-users", 0)?,
            pause: a.duration("query-pause")?.unwrap_or_default(),
            checks: a.or("checks", 3)?,
            check_every: a.duration("check-every")?.unwrap_or(Duration::ZERO),
            path,
            seed,
        };
        if config.rows_per_commit == 0 || config.rows_per_query == 0 || rows == Some(0) {
            let text = "--rows, --rows-per-commit and --rows-per-query are at least 1";
            return Err(Error::other(text));
        }
        if config.inserters == 0 && (config.query_users == 0 || rows.is_some()) {
            return Err(Error::other("without --inserters there are --query-users, and no --rows"));
        }
        if rows.unwrap_or(0).saturating_add(config.start_rows) > i32::MAX as u64 {
            return Err(Error::other(
                "the table's ids end at 2147483647: fewer --rows or --start-rows",
            ));
        }
        Ok(config)
    }
}
