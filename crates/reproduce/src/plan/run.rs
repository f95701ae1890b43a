//! What is run.

use super::Size;
use crate::machine::Array;
use serde::{Deserialize, Serialize};
use weir_bench::workload::calls::Rows;

/// The work of a run, with the published numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Load {
    /// TPC-C's transactions, on tables with or without the indexes of the foreign keys.
    Tpcc {
        warehouses: i64,
        dbt2: bool,
        #[serde(default)]
        foreign_keys: bool,
        warmup: f64,
        /// How many times the redo log is written from its start to its end before the warm-up is over.
        #[serde(default)]
        warmup_laps: u32,
        seconds: f64,
    },
    /// The insert benchmark: rows into a table that has some.
    Insert {
        start_rows: u64,
        rows: u64,
        query_users: usize,
        rows_per_query: u64,
        /// What a row of an insert and a row of an answer take of a processor, as a multiple of a call.
        calls_per_row: f64,
        calls_per_row_read: f64,
    },
    /// sysbench's OLTP test, until so many transactions are done.
    Oltp { rows: u64, requests: u64 },
}

/// Rows read one behind the other that take a processor as long as a call: an estimate.
const READ_PER_CALL: u64 = 40;

impl Load {
    /// What rows cost beyond the call that they belong to, in calls.
    pub fn calls_of(&self, rows: Rows) -> f64 {
        match (self, rows) {
            (Load::Insert { calls_per_row, .. }, Rows::Inserted(n)) => calls_per_row * n as f64,
            (Load::Insert { calls_per_row_read, .. }, Rows::Read(n)) => {
                calls_per_row_read * n as f64
            }
            (_, Rows::Inserted(_)) => 0.0,
            (_, Rows::Read(n)) => (n / READ_PER_CALL) as f64,
        }
    }

    /// Makes TPC-C's tables without the indexes of foreign keys.
    pub fn drop_foreign_keys(&mut self) {
        if let Load::Tpcc { foreign_keys, .. } = self {
            *foreign_keys = false;
        }
    }

    /// Warehouses of a world of that size.
    pub fn warehouses(&self, size: Size) -> i64 {
        match self {
            Load::Tpcc { warehouses, .. } => (warehouses / size.warehouses as i64).max(1),
            _ => 0,
        }
    }

    /// Worlds with the same data can begin with the same image.
    pub fn data(&self, size: Size) -> String {
        let by = format!("{} {} {}", size.pages, size.divided, size.warehouses);
        match self {
            Load::Tpcc { warehouses, foreign_keys, .. } => {
                format!("tpcc {warehouses} {foreign_keys} {by}")
            }
            Load::Insert { start_rows, .. } => format!("insert {start_rows} {by}"),
            Load::Oltp { rows, .. } => format!("oltp {rows} {by}"),
        }
    }
}

/// One system under one load.
#[derive(Clone, Debug)]
pub struct Plan {
    pub name: String,
    pub machine: String,
    pub load: Load,
    pub users: usize,
    /// Lines of an option file, as published, and those of the profile.
    pub options: Vec<String>,
    pub size: Size,
    /// How its threads find requests; `None`: that takes no time.
    pub array: Option<Array>,
    /// Seconds of this world in which dips are looked for; `None`: a part of the run.
    pub window: Option<f64>,
    /// Commits are synced one after the other, twice each, as by a server with a binary log of its time: prepared, and committed.
    pub serial_commits: bool,
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_cost_what_their_load_says() {
        let insert = Load::Insert {
            start_rows: 1,
            rows: 1,
            query_users: 4,
            rows_per_query: 10,
            calls_per_row: 2.5,
            calls_per_row_read: 0.25,
        };
        assert_eq!(insert.calls_of(Rows::Inserted(10)), 25.0);
        assert_eq!(insert.calls_of(Rows::Read(10)), 2.5);
        let other = Load::Oltp { rows: 1, requests: 1 };
        assert_eq!(other.calls_of(Rows::Inserted(10)), 0.0, "each is a call of its own");
        assert_eq!([39, 40, 200].map(|n| other.calls_of(Rows::Read(n))), [0.0, 1.0, 5.0]);
    }
}
