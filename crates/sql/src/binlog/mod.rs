//! This server's binary log as sessions write it: the rows of a statement as items of a transaction's notes ([`note`]), the layout of a
//! table's rows in events ([`layout`]), what was changed in a document ([`json_changes`]), the keys by which a row
//! conflicts with others ([`writeset`]), and the events that are made of the notes when the transaction commits ([`events`]).
//!
//! The notes are `weir_engine::RowLog`: what is undone to a savepoint is not in them. Files and streams are the crate `weir_source`'s.
//!
//! Not in the log: temporary tables, the schema `mysql` and so accounts and rights, and what a replica's applier does without
//! `log_replica_updates`.

pub mod events;
pub mod json_changes;
pub mod layout;
pub mod note;
pub mod writeset;

use weir_source::BinaryLog;

/// Whether commits are logged.
pub fn is_on(log: Option<&std::sync::Arc<BinaryLog>>) -> bool {
    log.is_some_and(|l| l.is_on())
}

/// Schemas whose changes are this server's own affair.
pub fn is_own_schema(schema: &str) -> bool {
    ["mysql", "sys", "performance_schema", "information_schema"].contains(&schema)
}
