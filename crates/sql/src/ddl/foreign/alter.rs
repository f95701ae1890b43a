//! ALTER TABLE of tables that have foreign keys or are referenced: what it may not do to columns and indexes, and the rows that a new key
//! must find right.

use std::sync::Arc;

use weir_engine::row::key::prefix_successor;
use weir_engine::row::{Datum, RowView, encode_datum};
use weir_engine::{HeldTables, Isolation, LockMode, OnLocked, ScanSpec, TxnOptions};

use super::check_column;
use super::fit::compatible;
use crate::context::StatementCtx;
use crate::ddl::alter::Plan;
use crate::ddl::{build, engine_error};
use crate::errno;
use crate::meta::foreign::{ChildKey, FOREIGN, ForeignKey, TablePlace, searchable};
use crate::meta::{SqlTable, TableMeta, same_name};
use crate::session_api::SqlError;
use crate::value::DatumBuf;

/// Foreign keys over the new columns; a column of one cannot go (1828).
pub fn carried(
    keys: Vec<ForeignKey>,
    table: &str,
    old: &TableMeta,
    plan: &Plan,
) -> Result<Vec<ForeignKey>, SqlError> {
    let mut out = Vec::with_capacity(keys.len());
    for mut key in keys {
        for column in &mut key.columns {
            let to = plan.sources.iter().position(|&s| s == Some(*column));
            *column = to.ok_or_else(|| {
                SqlError::new(
                    errno::ER_FK_COLUMN_CANNOT_DROP,
                    format!(
                        "Cannot drop column '{}': needed in a foreign key constraint '{}'",
                        old.columns[*column].name,
                        key.name.text(table, FOREIGN)
                    ),
                )
            })?;
        }
        out.push(key);
    }
    Ok(out)
}

/// What ALTER TABLE may not do to the columns and indexes of a table's own keys, and of those that reference it. Keys of the table to
/// itself get the new names of their columns.
pub fn check_alter(
    old: &SqlTable,
    plan: &mut Plan,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let place = TablePlace::new(old.schema(), old.name());
    let mut keys = std::mem::take(&mut plan.meta.foreign);
    let old_keys = keys.len() - plan.new_foreign;
    for (n, key) in keys.iter_mut().enumerate() {
        let kept = n < old_keys;
        if kept && key.parent == place {
            for name in &mut key.parent_columns {
                *name = renamed(old, plan, name, || (key.name.text(old.name(), FOREIGN), None))?;
            }
        }
        if kept {
            own_columns(old, plan, key, ctx)?;
        }
        if searchable(&plan.meta.indexes, &key.columns).next().is_none() {
            return Err(index_needed(old, plan));
        }
    }
    plan.meta.foreign = keys;
    let references = ctx.reads.meta().references(ctx.reads.db());
    for child in references.to(old.schema(), old.name()) {
        if child.child.engine.def.id == old.engine.def.id {
            continue;
        }
        referenced_columns(old, plan, child, ctx)?;
    }
    Ok(())
}

/// The new name of a column that is referenced; 1829 when it goes.
fn renamed(
    old: &SqlTable,
    plan: &Plan,
    name: &str,
    key: impl Fn() -> (String, Option<String>),
) -> Result<String, SqlError> {
    // A parent that was made with `foreign_key_checks = 0` may never have had it.
    let Some(at) = old.column(name) else { return Ok(name.to_owned()) };
    match plan.sources.iter().position(|&s| s == Some(at)) {
        Some(to) => Ok(plan.meta.columns[to].name.clone()),
        None => {
            let (key, child) = key();
            Err(SqlError::new(
                errno::ER_FK_COLUMN_CANNOT_DROP_CHILD,
                format!(
                    "Cannot drop column '{name}': needed in a foreign key constraint '{key}' of table '{}'",
                    child.as_deref().unwrap_or(old.name())
                ),
            ))
        }
    }
}

/// 1832, 1830.
fn own_columns(
    old: &SqlTable,
    plan: &Plan,
    key: &ForeignKey,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let shown = key.text(old.name());
    for &c in &key.columns {
        let new = &plan.meta.columns[c];
        check_column(new, &shown, key.on_delete, key.on_update)?;
        let Some(was) = plan.sources[c].map(|s| &old.columns[s]) else { continue };
        if ctx.reads.settings.foreign_checks && !compatible(was, new) {
            return Err(SqlError::new(
                errno::ER_FK_COLUMN_CANNOT_CHANGE,
                format!(
                    "Cannot change column '{}': used in a foreign key constraint '{shown}'",
                    was.name
                ),
            ));
        }
    }
    Ok(())
}

/// 1829, 1833, 1553 of a key that references the table.
fn referenced_columns(
    old: &SqlTable,
    plan: &Plan,
    child: &ChildKey,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let key = child.key();
    let mut columns = Vec::new();
    for name in &key.parent_columns {
        let now = renamed(old, plan, name, || (child.name(), Some(child.child.name().into())))?;
        if !same_name(&now, name) {
            return Err(SqlError::not_supported(
                "renaming a column that a foreign key of another table references",
            ));
        }
        let (Some(was), Some(at)) = (old.column(name), plan.meta.column(&now)) else {
            return Ok(());
        };
        if ctx.reads.settings.foreign_checks
            && !compatible(&old.columns[was], &plan.meta.columns[at])
        {
            return Err(SqlError::new(
                errno::ER_FK_COLUMN_CANNOT_CHANGE_CHILD,
                format!(
                    "Cannot change column '{name}': used in a foreign key constraint '{}' of table '{}'",
                    child.name(),
                    child.child.name()
                ),
            ));
        }
        columns.push(at);
    }
    match searchable(&plan.meta.indexes, &columns).next() {
        Some(_) => Ok(()),
        None => Err(index_needed(old, plan)),
    }
}

/// 1553, with the name of an index that goes.
fn index_needed(old: &SqlTable, plan: &Plan) -> SqlError {
    let gone = old.indexes.iter().find(|i| plan.meta.index(&i.name).is_none());
    let name = gone.map_or("", |i| i.name.as_str());
    SqlError::new(
        errno::ER_DROP_INDEX_FK,
        format!("Cannot drop index '{name}': needed in a foreign key constraint"),
    )
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
        let own = key.parent == TablePlace::new(old.schema(), old.name());
        let changes = |c: &usize| match plan.sources[*c] {
            Some(source) => !compatible(&old.columns[source], &plan.meta.columns[*c]),
            None => plan.meta.columns[*c].is_generated(),
        };
        if key.columns.iter().any(changes) {
            return Err(SqlError::not_supported(
                "a foreign key over a column whose values change in the same statement",
            ));
        }
        let db = ctx.reads.db();
        let (schema, name) = (&key.parent.schema, &key.parent.name);
        let Some(parent) = ctx.reads.meta().find(db, schema, name)? else { continue };
        let columns: Option<Vec<usize>> =
            key.parent_columns.iter().map(|n| parent.column(n)).collect();
        let found = columns.and_then(|c| searchable(&parent.indexes, &c).next());
        let Some(index) = found else {
            debug_assert!(own, "the parent's index was looked for before");
            return Err(SqlError::not_supported(
                "a foreign key of a table to itself together with the index that it needs there",
            ));
        };
        verify_key(old, plan, key, (&parent, parent.engine_indexes[index]), held, ctx).await?;
    }
    Ok(())
}

async fn verify_key(
    old: &SqlTable,
    plan: &Plan,
    key: &ForeignKey,
    (parent, index): (&Arc<SqlTable>, usize),
    held: &Arc<HeldTables>,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
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
    let spec = |index, start, end, expect| ScanSpec {
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
    };
    txn.use_table(&old.engine, false).await.map_err(engine_error)?;
    txn.use_table(&parent.engine, false).await.map_err(engine_error)?;
    let mut rows = txn.scan(&old.engine, spec(0, Vec::new(), None, 0));
    let mut missing = false;
    while !missing && rows.next(&mut txn).await.map_err(engine_error)? {
        let view = RowView::new(&old.engine.layout, rows.row());
        let values: Vec<DatumBuf> = key.columns.iter().map(|&c| value(&view, plan, c)).collect();
        if values.contains(&DatumBuf::Null) {
            continue;
        }
        missing = match start_of(parent, index, &values) {
            None => true,
            Some(start) => {
                let end = prefix_successor(&start);
                let mut found = txn.scan(&parent.engine, spec(index, start, end, 1));
                !found.next(&mut txn).await.map_err(engine_error)?
            }
        };
    }
    drop(rows);
    txn.rollback().await.map_err(engine_error)?;
    match missing {
        false => Ok(()),
        true => Err(SqlError::new(
            errno::ER_NO_REFERENCED_ROW_2,
            format!(
                "Cannot add or update a child row: a foreign key constraint fails {}",
                key.described((old.schema(), old.name()), &plan.meta)
            ),
        )),
    }
}

/// What a column of the new definition will have in a row of the old one.
fn value(row: &RowView<'_>, plan: &Plan, column: usize) -> DatumBuf {
    match plan.sources[column] {
        Some(source) => row.get(source).to_buf(),
        None => build::engine_default(&plan.meta.columns[column]),
    }
}

fn start_of(table: &SqlTable, index: usize, values: &[DatumBuf]) -> Option<Vec<u8>> {
    let mut key = Vec::new();
    for (part, v) in table.engine.def.indexes[index].parts.iter().zip(values) {
        let v: Datum<'_> = v.as_ref();
        encode_datum(&part.of(&table.engine.layout), v, &mut key).ok()?;
    }
    Some(key)
}
