//! The rows that a table has when it gets a foreign key: each must have its parent.

use super::fit::compatible;
use crate::context::StatementCtx;
use crate::ddl::engine_error;
use crate::ddl::plan::Plan;
use crate::ddl::refused::value_error;
use crate::errno;
use crate::memory::Held;
use crate::meta::foreign::{ForeignKey, TablePlace, searchable};
use crate::meta::{ColumnDefault, SqlColumn, SqlTable};
use crate::session_api::SqlError;
use crate::value::DatumBuf;
use std::collections::HashSet;
use std::sync::Arc;
use weir_engine::row::key::prefix_successor;
use weir_engine::row::{Datum, KeyPart, RowView, encode_datum};
use weir_engine::{HeldTables, Isolation, LockMode, OnLocked, ScanSpec, Txn, TxnOptions};

/// Where a parent's values are looked for.
struct Parents<'a> {
    table: &'a SqlTable,
    /// The columns in the order of the key, as the search encodes them.
    parts: Vec<KeyPart>,
    found: Found,
}

enum Found {
    /// Position of an index in the engine's definition.
    Index(usize),
    /// All values that there are: the index is made by the statement itself.
    Values(HashSet<Vec<u8>>, #[expect(dead_code, reason = "given back when it is dropped")] Held),
}

/// Whether each row of a table has a parent by keys that are added to it (1452). The tables are held.
pub async fn verify(
    old: &SqlTable,
    plan: &Plan,
    keys: &[ForeignKey],
    held: &Arc<HeldTables>,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    for key in keys {
        if key.columns.iter().any(|&c| changes(old, plan, c)) {
            return Err(SqlError::not_supported(
                "a foreign key over a column whose values change in the same statement",
            ));
        }
        let own = key.parent == TablePlace::new(old.schema(), old.name());
        let db = ctx.reads.db();
        let (schema, name) = (&key.parent.schema, &key.parent.name);
        let Some(parent) = ctx.reads.meta().find(db, schema, name)? else { continue };
        let columns = match own {
            true => own_columns(old, plan, key)?,
            false => key.parent_columns.iter().filter_map(|n| parent.column(n)).collect(),
        };
        debug_assert_eq!(columns.len(), key.columns.len(), "the parent fits");
        let mut txn = reader(held, ctx);
        txn.use_table(&old.engine, false).await.map_err(engine_error)?;
        txn.use_table(&parent.engine, false).await.map_err(engine_error)?;
        let parents = parents(&parent, &columns, &mut txn, ctx).await?;
        let missing = misses(old, plan, key, &parents, &mut txn).await?;
        txn.rollback().await.map_err(engine_error)?;
        if missing {
            let described = key.described((old.schema(), old.name()), &plan.meta);
            let text = "Cannot add or update a child row: a foreign key constraint fails";
            return Err(SqlError::new(
                errno::ER_NO_REFERENCED_ROW_2,
                format!("{text} {described}"),
            ));
        }
    }
    Ok(())
}

/// Whether a column will have other values than it has.
fn changes(old: &SqlTable, plan: &Plan, column: usize) -> bool {
    match plan.sources[column] {
        Some(source) => !compatible(&old.columns[source], &plan.meta.columns[column]),
        None => plan.meta.columns[column].is_generated(),
    }
}

/// Columns of the table as it is, that a key of it to itself references as it will be.
fn own_columns(old: &SqlTable, plan: &Plan, key: &ForeignKey) -> Result<Vec<usize>, SqlError> {
    let place = |n: &String| {
        let at = plan.meta.column(n).filter(|&at| !changes(old, plan, at))?;
        plan.sources[at]
    };
    let columns: Option<Vec<usize>> = key.parent_columns.iter().map(place).collect();
    columns.ok_or_else(|| {
        SqlError::not_supported(
            "a foreign key of a table to a column of its own that the same statement adds or changes",
        )
    })
}

fn reader(held: &Arc<HeldTables>, ctx: &StatementCtx<'_>) -> Txn {
    let mut txn = ctx.reads.db().begin(TxnOptions {
        isolation: Isolation::ReadCommitted,
        read_only: true,
        lock_timeout: ctx.reads.settings.ddl_timeout,
        mdl_timeout: ctx.reads.settings.ddl_timeout,
        interrupt: ctx.reads.interrupt.clone(),
        session_id: ctx.reads.conn.id,
        held: Some(held.clone()),
        ..TxnOptions::default()
    });
    txn.begin_statement();
    txn
}

fn spec(index: usize, start: Vec<u8>, end: Option<Vec<u8>>, expect: u32) -> ScanSpec {
    ScanSpec {
        index,
        start,
        end,
        reverse: false,
        lock: LockMode::None,
        on_locked: OnLocked::Wait,
        unique_eq: false,
        expect,
        fetch_external: false,
        rows_only: false,
        index_only: None,
    }
}

async fn parents<'a>(
    table: &'a SqlTable,
    columns: &[usize],
    txn: &mut Txn,
    ctx: &StatementCtx<'_>,
) -> Result<Parents<'a>, SqlError> {
    if let Some(at) = searchable(&table.indexes, columns).next() {
        let index = table.engine_indexes[at];
        let parts = table.engine.def.indexes[index].parts[..columns.len()].to_vec();
        return Ok(Parents { table, parts, found: Found::Index(index) });
    }
    let parts: Vec<KeyPart> = columns.iter().map(|&c| KeyPart::asc(c)).collect();
    let (mut all, mut memory) = (HashSet::new(), Held::default());
    let memory_of = ctx.reads.eval(ctx.now_micros);
    let mut rows = txn.scan(&table.engine, spec(0, Vec::new(), None, 0));
    while rows.next(txn).await.map_err(engine_error)? {
        let view = RowView::new(&table.engine.layout, rows.row());
        let values: Vec<DatumBuf> = columns.iter().map(|&c| view.get(c).to_buf()).collect();
        if let Some(key) = encoded(table, &parts, &values) {
            memory_of.hold(&mut memory, key.len() + size_of::<Vec<u8>>()).map_err(value_error)?;
            all.insert(key);
        }
    }
    Ok(Parents { table, parts, found: Found::Values(all, memory) })
}

/// Whether a row has no parent.
async fn misses(
    old: &SqlTable,
    plan: &Plan,
    key: &ForeignKey,
    parents: &Parents<'_>,
    txn: &mut Txn,
) -> Result<bool, SqlError> {
    let mut rows = txn.scan(&old.engine, spec(0, Vec::new(), None, 0));
    while rows.next(txn).await.map_err(engine_error)? {
        let view = RowView::new(&old.engine.layout, rows.row());
        let values: Vec<DatumBuf> = key.columns.iter().map(|&c| value(&view, plan, c)).collect();
        if values.contains(&DatumBuf::Null) {
            continue;
        }
        let Some(start) = encoded(parents.table, &parents.parts, &values) else { return Ok(true) };
        let found = match &parents.found {
            Found::Values(all, _) => all.contains(&start),
            Found::Index(index) => {
                let end = prefix_successor(&start);
                let mut found = txn.scan(&parents.table.engine, spec(*index, start, end, 1));
                found.next(txn).await.map_err(engine_error)?
            }
        };
        if !found {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a column of the new definition will have in a row of the old one.
fn value(row: &RowView<'_>, plan: &Plan, column: usize) -> DatumBuf {
    match plan.sources[column] {
        Some(source) => row.get(source).to_buf(),
        None => added(&plan.meta.columns[column]),
    }
}

fn added(column: &SqlColumn) -> DatumBuf {
    match &column.default {
        ColumnDefault::Literal(datum) => datum.clone(),
        _ => column.phys().empty(),
    }
}

fn encoded(table: &SqlTable, parts: &[KeyPart], values: &[DatumBuf]) -> Option<Vec<u8>> {
    let mut key = Vec::new();
    for (part, v) in parts.iter().zip(values) {
        let v: Datum<'_> = v.as_ref();
        encode_datum(&part.of(&table.engine.layout), v, &mut key).ok()?;
    }
    Some(key)
}
