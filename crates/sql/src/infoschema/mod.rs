//! information_schema, performance_schema and the grant tables of mysql: tables computed when they are read.

pub mod cells;
mod constraints;
mod counted;
mod data_locks;
pub mod deadlocks;
mod defined;
pub mod describe;
mod empty;
mod engine_told;
mod error_log;
pub mod events;
mod extensions;
mod flush;
mod grant_tables;
mod gtid_executed;
mod histograms;
mod innodb;
mod innodb_columns;
mod innodb_files;
mod innodb_metrics;
mod innodb_objects;
mod innodb_pool;
mod innodb_values;
mod keywords;
mod log_status;
mod memory;
pub mod partitions;
pub mod programs;
mod recent_statements;
mod replicas;
mod roles;
pub mod server;
mod sessions;
mod snapshots;
mod spatial;
mod statements;
pub mod system_tables;
mod table_io;
mod tables;
pub use defined::Defined;
pub use empty::parsed as columns_of;
pub use tables::SHOWN_TO_ALL;
pub mod told;
mod uninstrumented;
pub mod view_columns;
mod view_usage;
mod waits;

use crate::context::{SYSTEM_SCHEMA, VirtualColumn, VirtualTable};
use std::sync::OnceLock;

/// All computed tables.
pub fn tables() -> &'static [&'static dyn VirtualTable] {
    static ALL: OnceLock<Vec<&'static dyn VirtualTable>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = tables::all();
        all.extend(constraints::all());
        all.extend(extensions::all());
        all.extend(view_usage::all());
        all.extend(server::all());
        all.extend(roles::all());
        all.extend(grant_tables::all());
        all.extend(gtid_executed::all());
        all.extend(innodb::all());
        all.extend(innodb_objects::all());
        all.extend(innodb_columns::all());
        all.extend(innodb_files::all());
        all.extend(innodb_pool::all());
        all.extend(memory::all());
        all.extend(innodb_metrics::all());
        all.extend(data_locks::all());
        all.extend(flush::all());
        all.extend(statements::all());
        all.extend(recent_statements::all());
        all.extend(sessions::all());
        all.extend(error_log::all());
        all.extend(programs::all());
        all.extend(events::all());
        all.extend(waits::all());
        all.extend(snapshots::all());
        all.extend(counted::all());
        all.extend(table_io::all());
        all.extend(spatial::all());
        all.extend(histograms::all());
        all.extend(partitions::all());
        all.extend(empty::all());
        all.extend(uninstrumented::all());
        all
    })
}

/// A computed table by name, in any letter case.
pub fn lookup(schema: &str, name: &str) -> Option<&'static dyn VirtualTable> {
    if schema == SYSTEM_SCHEMA {
        // Letter case counts there, as in any schema of tables.
        return tables().iter().copied().find(|t| t.schema() == schema && t.name() == name);
    }
    if !crate::ddl::is_virtual_schema(schema) {
        return None;
    }
    tables()
        .iter()
        .copied()
        .find(|t| t.schema().eq_ignore_ascii_case(schema) && t.name().eq_ignore_ascii_case(name))
}

/// TABLE_TYPE of a computed table: what MySQL keeps in tables of its own are tables.
pub fn kind(table: &dyn VirtualTable) -> &'static str {
    match table.schema() {
        "information_schema" => "SYSTEM VIEW",
        _ => "BASE TABLE",
    }
}

/// Columns made once and kept.
type Columns = OnceLock<Vec<VirtualColumn>>;

/// Declares a table: schema, name, columns, columns of the hint, and the function that makes its rows.
macro_rules! virtual_table {
    ($struct:ident, $schema:literal, $name:literal, $hint:expr, [$($column:expr),* $(,)?], $rows:expr) => {
        super::virtual_table!($struct, $schema, $name, $hint, vec![$($column),*], $rows);
    };
    ($struct:ident, $schema:literal, $name:literal, $hint:expr, $columns:expr, $rows:expr) => {
        pub struct $struct;

        impl crate::context::VirtualTable for $struct {
            fn schema(&self) -> &'static str {
                $schema
            }
            fn name(&self) -> &'static str {
                $name
            }
            fn columns(&self) -> &[crate::context::VirtualColumn] {
                static COLUMNS: super::Columns = super::Columns::new();
                COLUMNS.get_or_init(|| $columns)
            }
            fn hint_columns(&self) -> (Option<&'static str>, Option<&'static str>) {
                $hint
            }
            fn rows<'a>(
                &'a self,
                cx: crate::context::TableReads<'a>,
                hint: &'a crate::context::VirtualHint,
            ) -> crate::context::BoxFuture<'a, Result<Vec<super::cells::Row>, crate::session_api::SqlError>> {
                let make: fn(crate::context::TableReads<'_>, &crate::context::VirtualHint) -> Vec<super::cells::Row> = $rows;
                let mut rows = make(cx, hint);
                super::cells::settle(self.columns(), &mut rows);
                Box::pin(std::future::ready(Ok(rows)))
            }
        }
    };
}
pub(crate) use virtual_table;
