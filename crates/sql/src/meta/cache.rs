//! Finding tables: the engine's catalog entry with its decoded metadata, kept while it is current.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use weir_engine::{Db, SchemaDef, Table};

use super::{SchemaMeta, SqlTable, codec};
use crate::errno;
use crate::session_api::SqlError;

/// Entries kept before those of dropped and changed tables are thrown out.
const SWEEP_AT: usize = 4096;

/// Decoded tables of one database, shared by its sessions. An entry holds while the engine hands out
/// the very same `Arc<Table>`: a changed table is a new one.
#[derive(Default)]
pub struct MetaCache {
    by_id: RwLock<HashMap<u64, Arc<SqlTable>>>,
}

impl MetaCache {
    pub fn new() -> MetaCache {
        MetaCache::default()
    }

    /// The table, or 1049 for its schema, or 1146.
    pub fn lookup(&self, db: &Db, schema: &str, table: &str) -> Result<Arc<SqlTable>, SqlError> {
        match self.find(db, schema, table)? {
            Some(found) => Ok(found),
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

    /// The SQL side of an engine table.
    pub fn bind(&self, engine: &Arc<Table>) -> Result<Arc<SqlTable>, SqlError> {
        let id = engine.def.id;
        let known = self.by_id.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(known) = known.filter(|k| Arc::ptr_eq(&k.engine, engine)) {
            return Ok(known);
        }
        let bound = Arc::new(decode(engine)?);
        let mut map = self.by_id.write().unwrap_or_else(PoisonError::into_inner);
        if map.len() >= SWEEP_AT {
            map.retain(|_, t| Arc::strong_count(&t.engine) > 1);
        }
        map.insert(id, bound.clone());
        Ok(bound)
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
            Ok(SqlTable { engine: engine.clone(), meta, engine_indexes })
        }
        _ => Err(SqlError::internal(format!(
            "the metadata of table '{}.{}' does not fit its definition",
            def.schema, def.name
        ))),
    }
}

/// 1146.
pub fn no_such_table(schema: &str, table: &str) -> SqlError {
    SqlError::new(errno::ER_NO_SUCH_TABLE, format!("Table '{schema}.{table}' doesn't exist"))
}

/// Metadata of a schema.
pub fn schema_meta(schema: &SchemaDef) -> SchemaMeta {
    // A schema whose bytes cannot be read still opens, with the default collation.
    codec::decode_schema(&schema.extra).unwrap_or_default()
}
