//! Finding tables: the engine's catalog entry with its decoded metadata, kept while it is current.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use weir_engine::{Db, SchemaDef, Table};

use super::foreign::{ReferenceCache, References};
use super::{RowRules, SchemaMeta, SqlTable, codec, temporary};
use crate::errno;
use crate::session_api::SqlError;

/// As MySQL's `table_open_cache`.
const DEFAULT_LIMIT: usize = 4000;

/// Bytes of a stored definition that count as one entry. A table may have 4,096 columns with comments, so a cache that only counted
/// tables would be bounded in name alone.
const ENTRY: usize = 16 * 1024;

/// Decoded tables of one database, shared by its sessions. An entry holds while the engine hands out
/// the very same `Arc<Table>`: a changed table is a new one.
pub struct MetaCache {
    by_id: RwLock<Known>,
    limit: AtomicUsize,
    /// Definitions that were read since the start.
    opened: AtomicU64,
    references: ReferenceCache,
}

impl Default for MetaCache {
    fn default() -> MetaCache {
        MetaCache {
            by_id: RwLock::default(),
            limit: AtomicUsize::new(DEFAULT_LIMIT),
            opened: AtomicU64::new(0),
            references: ReferenceCache::default(),
        }
    }
}

impl MetaCache {
    pub fn new() -> MetaCache {
        MetaCache::default()
    }

    /// How many entries are kept while no session uses them (`table_open_cache`); a large definition counts as several.
    pub fn set_limit(&self, entries: usize) {
        self.limit.store(entries.max(1), Ordering::Relaxed);
    }

    /// Definitions that are there, and those that were read since the start.
    pub fn counts(&self) -> (usize, u64) {
        let now = self.by_id.read().unwrap_or_else(PoisonError::into_inner).tables.len();
        (now, self.opened.load(Ordering::Relaxed))
    }

    /// The table, or 1049 for its schema, or 1146.
    pub fn lookup(&self, db: &Db, schema: &str, table: &str) -> Result<Arc<SqlTable>, SqlError> {
        match self.find(db, schema, table)? {
            Some(found) => Ok(found),
            // It is there, and none of its tables is the engine's.
            None if schema.eq_ignore_ascii_case("performance_schema") => {
                Err(no_such_table(schema, table))
            }
            None if db.schema(schema).is_none() => Err(SqlError::unknown_database(schema)),
            None => Err(no_such_table(schema, table)),
        }
    }

    /// The table when there is one.
    pub fn find(
        &self,
        db: &Db,
        schema: &str,
        table: &str,
    ) -> Result<Option<Arc<SqlTable>>, SqlError> {
        db.table(schema, table).map(|t| self.bind(&t)).transpose()
    }

    /// All tables of a schema, by name. A table whose metadata cannot be read is left out here; to use
    /// it is an error.
    pub fn tables(&self, db: &Db, schema: &str) -> Vec<Arc<SqlTable>> {
        db.tables(schema).iter().filter_map(|t| self.bind(t).ok()).collect()
    }

    /// Which foreign keys reference which table.
    pub fn references(&self, db: &Db) -> Arc<References> {
        self.references.get(self, db)
    }

    /// The SQL side of an engine table.
    pub fn bind(&self, engine: &Arc<Table>) -> Result<Arc<SqlTable>, SqlError> {
        let id = engine.def.id;
        let known = {
            let known = self.by_id.read().unwrap_or_else(PoisonError::into_inner);
            known.tables.get(&id).cloned()
        };
        if let Some(known) = known.filter(|k| Arc::ptr_eq(&k.engine, engine)) {
            return Ok(known);
        }
        let bound = Arc::new(decode(engine)?);
        self.opened.fetch_add(1, Ordering::Relaxed);
        let mut known = self.by_id.write().unwrap_or_else(PoisonError::into_inner);
        let limit = self.limit.load(Ordering::Relaxed);
        if known.entries + entries(&bound) > limit {
            known.make_room(limit);
        }
        known.insert(id, bound.clone());
        Ok(bound)
    }
}

/// The tables, and as how many entries they count together.
#[derive(Default)]
struct Known {
    tables: HashMap<u64, Arc<SqlTable>>,
    entries: usize,
}

fn entries(t: &SqlTable) -> usize {
    1 + t.engine.def.extra.len() / ENTRY
}

impl Known {
    /// First definitions of dropped and changed tables go, then those that no session uses, a quarter at a time.
    fn make_room(&mut self, limit: usize) {
        self.tables.retain(|_, t| Arc::strong_count(&t.engine) > 1);
        self.entries = self.tables.values().map(|t| entries(t)).sum();
        let mut surplus = (self.entries + limit / 4).saturating_sub(limit).max(1);
        self.tables.retain(|_, t| {
            let go = surplus > 0 && Arc::strong_count(t) == 1;
            if go {
                surplus = surplus.saturating_sub(entries(t));
                self.entries -= entries(t);
            }
            !go
        });
    }

    fn insert(&mut self, id: u64, table: Arc<SqlTable>) {
        self.entries += entries(&table);
        if let Some(old) = self.tables.insert(id, table) {
            self.entries -= entries(&old);
        }
    }
}

impl std::fmt::Debug for MetaCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MetaCache")
    }
}

fn decode(engine: &Arc<Table>) -> Result<SqlTable, SqlError> {
    let def = &engine.def;
    let meta = codec::decode_table(&def.extra)?;
    let place = |name: &str| def.indexes.iter().position(|i| i.name == name);
    let engine_indexes: Option<Vec<usize>> = meta.indexes.iter().map(|i| place(&i.name)).collect();
    match engine_indexes {
        Some(engine_indexes) if meta.columns.len() == def.columns.len() => {
            let rules = RowRules::of(&meta, def);
            let bound = OnceLock::new();
            let shown = match def.schema == temporary::HIDDEN {
                true => temporary::shown_as(&def.name),
                false => None,
            };
            Ok(SqlTable { engine: engine.clone(), meta, engine_indexes, shown, rules, bound })
        }
        _ => Err(SqlError::internal(format!(
            "the metadata of table '{}.{}' does not fit its definition",
            def.schema, def.name
        ))),
    }
}

/// 1146.
pub fn no_such_table(schema: &str, table: &str) -> SqlError {
    SqlError::of(errno::ER_NO_SUCH_TABLE, &[&schema, &table])
}

/// Metadata of a schema.
pub fn schema_meta(schema: &SchemaDef) -> SchemaMeta {
    // A schema whose bytes cannot be read still opens, with the default collation.
    codec::decode_schema(&schema.extra).unwrap_or_default()
}
