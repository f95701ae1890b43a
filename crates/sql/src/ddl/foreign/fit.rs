//! Whether a parent fits a foreign key: its columns, their types, an index.

use weir_engine::row::PhysType;

use crate::context::StatementCtx;
use crate::errno;
use crate::meta::foreign::{ForeignKey, searchable};
use crate::meta::{SqlColumn, TableMeta};
use crate::session_api::SqlError;
use crate::value::SqlType;

/// Whether each of `keys` has a parent that fits: 1824, 3734, 3780, 1822. `child`: as it will be. A parent that is missing is no error
/// with `foreign_key_checks = 0`.
pub fn check_parents(
    (schema, table): (&str, &str),
    child: &TableMeta,
    keys: &[ForeignKey],
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    for key in keys {
        if (key.parent.schema.as_str(), key.parent.name.as_str()) == (schema, table) {
            fits(key, (table, child), child)?;
            continue;
        }
        let db = ctx.reads.db();
        match ctx.reads.meta().find(db, &key.parent.schema, &key.parent.name)? {
            Some(parent) => fits(key, (table, child), &parent.meta)?,
            None if !ctx.reads.settings.foreign_checks => {}
            None => {
                return Err(SqlError::of(errno::ER_FK_CANNOT_OPEN_PARENT, &[&key.parent.name]));
            }
        }
    }
    Ok(())
}

/// Whether a table that is made, or gets a new name, fits the keys that name it already.
pub fn check_children(
    (schema, table): (&str, &str),
    parent: &TableMeta,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    for key in ctx.reads.meta().references(ctx.reads.db()).to(schema, table) {
        fits(key.key(), (key.child.name(), &key.child.meta), parent)?;
    }
    Ok(())
}

/// 3734, 3780, 1822.
fn fits(
    key: &ForeignKey,
    (table, child): (&str, &TableMeta),
    parent: &TableMeta,
) -> Result<(), SqlError> {
    let name = key.text(table);
    if child.partitions.is_some() || parent.partitions.is_some() {
        return Err(crate::ddl::partition::no_foreign_keys());
    }
    let mut columns = Vec::new();
    for (own, theirs) in key.columns.iter().zip(&key.parent_columns) {
        let Some(at) = parent.column(theirs) else {
            return Err(SqlError::of(
                errno::ER_FK_NO_COLUMN_PARENT,
                &[&theirs, &name, &key.parent.name],
            ));
        };
        let own = &child.columns[*own];
        if !compatible(own, &parent.columns[at]) {
            return Err(SqlError::of(
                errno::ER_FK_INCOMPATIBLE_COLUMNS,
                &[&own.name, &parent.columns[at].name, &name],
            ));
        }
        columns.push(at);
    }
    if searchable(&parent.indexes, &columns).next().is_none() {
        return Err(SqlError::of(errno::ER_FK_NO_INDEX_PARENT, &[&name, &key.parent.name]));
    }
    Ok(())
}

/// Whether equal values of two columns have equal bytes in an index. Lengths of texts do not matter.
pub fn compatible(a: &SqlColumn, b: &SqlColumn) -> bool {
    let exact = |t: SqlType| {
        matches!(
            t,
            SqlType::Decimal { .. }
                | SqlType::Time { .. }
                | SqlType::DateTime { .. }
                | SqlType::Timestamp { .. }
                | SqlType::Bit { .. }
        )
    };
    match (a.ty, b.ty) {
        (
            SqlType::Decimal { precision: p, scale: s, .. },
            SqlType::Decimal { precision: q, scale: t, .. },
        ) => (p, s) == (q, t),
        (x, y) if exact(x) || exact(y) => x == y,
        _ => match (a.phys().ty, b.phys().ty) {
            (PhysType::Var { collation: x, .. }, PhysType::Var { collation: y, .. }) => x == y,
            (x, y) => x == y,
        },
    }
}
