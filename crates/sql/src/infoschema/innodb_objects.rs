//! What InnoDB's own dictionary tells of tables, indexes and files, under its names.

use super::cells::{Row, i, s, u};
use super::engine_told::Told;
use crate::context::{TableReads, VirtualTable};
use crate::ddl::is_virtual_schema;
use crate::meta::temporary::HIDDEN;
use crate::meta::{ColumnDefault, SqlColumn, SqlTable};
use std::sync::Arc;
use weir_engine::Table;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    ALL.iter().map(|t| t as &dyn VirtualTable).collect()
}

pub(super) const SCHEMA: &str = "information_schema";

static ALL: [Told; 5] = [
    Told::new(
        SCHEMA,
        "INNODB_TABLES",
        "TABLE_ID U! NAME V655! FLAG S! N_COLS S! SPACE I! ROW_FORMAT V12 ZIP_PAGE_SIZE N! SPACE_TYPE V10 INSTANT_COLS S!
         TOTAL_ROW_VERSIONS S!",
        |cx| of_each(cx, |t| vec![table(t)]),
    ),
    Told::new(
        SCHEMA,
        "INNODB_INDEXES",
        "INDEX_ID U! NAME V193! TABLE_ID U! TYPE S! N_FIELDS S! PAGE_NO S! SPACE S! MERGE_THRESHOLD S!",
        |cx| of_each(cx, indexes),
    ),
    Told::new(SCHEMA, "INNODB_FIELDS", "INDEX_ID U! NAME V193! POS U!", |cx| of_each(cx, fields)),
    Told::new(
        SCHEMA,
        "INNODB_TABLESPACES",
        "SPACE N! NAME V655! FLAG N! ROW_FORMAT V22 PAGE_SIZE N! ZIP_PAGE_SIZE N! SPACE_TYPE V10 FS_BLOCK_SIZE N! FILE_SIZE U!
         ALLOCATED_SIZE U! AUTOEXTEND_SIZE U! SERVER_VERSION V10 SPACE_VERSION N! ENCRYPTION V1 STATE V10",
        |cx| of_each(cx, |t| vec![file(t)]),
    ),
    Told::new(
        SCHEMA,
        "INNODB_TABLESTATS",
        "TABLE_ID U! NAME V193! STATS_INITIALIZED V193! NUM_ROWS U! CLUST_INDEX_SIZE U! OTHER_INDEX_SIZE U! MODIFIED_COUNTER U!
         AUTOINC U! REF_COUNT S!",
        |cx| of_each(cx, |t| vec![statistics(t)]),
    ),
];

/// InnoDB's flags of a table in the row format DYNAMIC, and of a file with pages of 16 KiB for it.
const TABLE_FLAG: i64 = 33;
pub(super) const SPACE_FLAG: u64 = 16_417;
/// Columns that each InnoDB table has beside its own: the row id, the transaction, the roll pointer.
const HIDDEN_COLUMNS: usize = 3;
/// A leaf that is less than so full, in percent, is merged.
const MERGE_THRESHOLD: i64 = 50;
/// Bytes of a block of the device.
const BLOCK: u64 = 4096;

/// A table, or a partition of one, with InnoDB's name of it.
pub(super) struct Named {
    pub table: Arc<SqlTable>,
    pub stored: Arc<Table>,
    pub name: String,
}

pub(super) fn of_each(cx: TableReads<'_>, rows: impl Fn(&Named) -> Vec<Row>) -> Vec<Row> {
    each(cx).iter().flat_map(rows).collect()
}

/// All tables, each with its partitions; temporary ones are in another table.
pub(super) fn each(cx: TableReads<'_>) -> Vec<Named> {
    let db = cx.reads.db();
    let mut all = Vec::new();
    for schema in db.schemas() {
        let schema = schema.name.as_str();
        if schema == HIDDEN || is_virtual_schema(schema) {
            continue;
        }
        for table in cx.reads.meta().tables(db, schema) {
            for (at, stored) in table.engine.stored().iter().enumerate() {
                let leaf = table.partitions.as_ref().and_then(|p| p.leaf(at));
                let mut name = format!("{schema}/{}", table.name());
                for (word, part) in
                    leaf.into_iter().flat_map(|(p, sub)| [("#p#", Some(p)), ("#sp#", sub)])
                {
                    name.extend(part.map(|p| format!("{word}{}", p.name.to_lowercase())));
                }
                all.push(Named { table: table.clone(), stored: stored.clone(), name });
            }
        }
    }
    all
}

/// Virtual columns are not counted: InnoDB has them in no row.
pub(super) fn n_cols(t: &SqlTable) -> usize {
    t.columns.iter().filter(|c| !is_virtual(c)).count() + HIDDEN_COLUMNS
}

pub(super) fn is_virtual(column: &SqlColumn) -> bool {
    matches!(column.default, ColumnDefault::Generated { stored: false, .. })
}

fn table(t: &Named) -> Row {
    vec![
        u(t.stored.def.id),
        s(t.name.as_str()),
        i(TABLE_FLAG),
        i(n_cols(&t.table) as i64),
        i(t.stored.space_id() as i64),
        s("Dynamic"),
        u(0),
        s("Single"),
        i(0),
        i(t.stored.def.history.versions.into()),
    ]
}

fn indexes(t: &Named) -> Vec<Row> {
    let one = |(n, index): (usize, &weir_engine::Index)| {
        // 1: clustered, 2: unique; both of a primary key.
        let kind = match (n, t.stored.has_hidden_key()) {
            (0, true) => 1,
            (0, false) => 3,
            _ if index.def.unique => 2,
            _ => 0,
        };
        vec![
            u(index.id),
            s(index.def.name.as_str()),
            u(t.stored.def.id),
            i(kind),
            i(index.def.parts.len() as i64),
            i(index.tree.root.into()),
            i(t.stored.space_id() as i64),
            i(MERGE_THRESHOLD),
        ]
    };
    t.stored.indexes.iter().enumerate().map(one).collect()
}

fn fields(t: &Named) -> Vec<Row> {
    let of = |index: &weir_engine::Index| -> Vec<Row> {
        let one = |(n, p): (usize, &weir_engine::row::KeyPart)| {
            vec![u(index.id), s(t.table.columns[p.col].name.as_str()), u(n as u64)]
        };
        index.def.parts.iter().enumerate().map(one).collect()
    };
    t.stored.indexes.iter().flat_map(of).collect()
}

fn file(t: &Named) -> Row {
    let bytes = t.stored.file_bytes();
    vec![
        u(t.stored.space_id()),
        s(t.name.as_str()),
        u(SPACE_FLAG),
        s("Dynamic"),
        u(t.stored.page_size()),
        u(0),
        s("Single"),
        u(BLOCK),
        u(bytes),
        u(bytes),
        u(0),
        s("8.0.36"),
        u(1),
        s("N"),
        s("normal"),
    ]
}

fn statistics(t: &Named) -> Row {
    let page = t.stored.page_size();
    vec![
        u(t.stored.def.id),
        s(t.name.as_str()),
        s("Initialized"),
        u(t.stored.estimated_rows()),
        u(t.stored.data_bytes() / page),
        u(t.stored.index_bytes() / page),
        u(0),
        u(t.table.auto_increment().map_or(0, |_| t.table.engine.auto_increment_next())),
        i(1),
    ]
}
