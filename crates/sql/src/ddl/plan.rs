//! What ALTER TABLE comes to: the new definition, and how to get there.

use crate::meta::TableMeta;
use weir_syntax::ast::TableName;

/// ALGORITHM clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    Default,
    Instant,
    Inplace,
    Copy,
}

/// LOCK clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    Default,
    None,
    Shared,
    Exclusive,
}

/// The new definition and how to get there.
#[derive(Debug, Clone)]
pub struct Plan {
    pub meta: TableMeta,
    /// For each new column the old one it takes its values from.
    pub sources: Vec<Option<usize>>,
    pub auto_increment: Option<u64>,
    pub rename: Option<TableName>,
    /// WITH VALIDATION: the values of new virtual columns must fit their types.
    pub validates: bool,
    /// How many foreign keys at the end of the list are new.
    pub new_foreign: usize,
    /// ENGINE=, FORCE: copy even when nothing changed.
    pub force: bool,
    /// PARTITION BY or REMOVE PARTITIONING was given: the rows count as copied.
    pub repartitions: bool,
    /// ORDER BY, DISABLE KEYS, ENABLE KEYS were given.
    pub order_by: bool,
    pub keys_switch: bool,
    pub algorithm: Algorithm,
    pub lock: Lock,
}
