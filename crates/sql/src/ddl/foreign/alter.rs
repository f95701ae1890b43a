//! ALTER TABLE of tables that have foreign keys or are referenced: what it may not do to columns and indexes.

use super::check_column;
use super::fit::compatible;
use crate::context::StatementCtx;
use crate::ddl::plan::Plan;
use crate::errno;
use crate::meta::foreign::{ChildKey, FOREIGN, ForeignKey, TablePlace, searchable};
use crate::meta::{SqlTable, TableMeta, same_name};
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::Table;

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
                SqlError::of(
                    errno::ER_FK_COLUMN_CANNOT_DROP,
                    &[&old.columns[*column].name, &key.name.text(table, FOREIGN)],
                )
            })?;
        }
        out.push(key);
    }
    Ok(out)
}

/// What ALTER TABLE may not do to the columns and indexes of a table's own keys, and of those that reference it. Keys of the table to
/// itself get the new names of their columns; so do those of children, which are returned.
pub fn check_alter(
    old: &SqlTable,
    plan: &mut Plan,
    ctx: &StatementCtx<'_>,
) -> Result<Vec<(Arc<Table>, TableMeta)>, SqlError> {
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
    let mut followers: Vec<(Arc<Table>, TableMeta)> = Vec::new();
    for child in references.to(old.schema(), old.name()) {
        if child.child.engine.def.id == old.engine.def.id {
            continue;
        }
        let names = referenced_columns(old, plan, child, ctx)?;
        if names == child.key().parent_columns {
            continue;
        }
        let engine = &child.child.engine;
        let at = followers.iter().position(|(t, _)| t.def.id == engine.def.id);
        let at = at.unwrap_or_else(|| {
            followers.push((engine.clone(), child.child.meta.clone()));
            followers.len() - 1
        });
        followers[at].1.foreign[child.at].parent_columns = names;
    }
    Ok(followers)
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
            Err(SqlError::of(
                errno::ER_FK_COLUMN_CANNOT_DROP_CHILD,
                &[&name, &key, &child.as_deref().unwrap_or(old.name())],
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
            return Err(SqlError::of(errno::ER_FK_COLUMN_CANNOT_CHANGE, &[&was.name, &shown]));
        }
    }
    Ok(())
}

/// The names that the columns of a key which references the table will have: 1829, 1833, 1553.
fn referenced_columns(
    old: &SqlTable,
    plan: &Plan,
    child: &ChildKey,
    ctx: &StatementCtx<'_>,
) -> Result<Vec<String>, SqlError> {
    let key = child.key();
    let (mut columns, mut names) = (Vec::new(), Vec::new());
    for name in &key.parent_columns {
        let now = renamed(old, plan, name, || (child.name(), Some(child.child.name().into())))?;
        let (Some(was), Some(at)) = (old.column(name), plan.meta.column(&now)) else {
            return Ok(key.parent_columns.clone());
        };
        if ctx.reads.settings.foreign_checks
            && !compatible(&old.columns[was], &plan.meta.columns[at])
        {
            return Err(SqlError::of(
                errno::ER_FK_COLUMN_CANNOT_CHANGE_CHILD,
                &[&name, &child.name(), &child.child.name()],
            ));
        }
        columns.push(at);
        names.push(if same_name(&now, name) { name.clone() } else { now });
    }
    match searchable(&plan.meta.indexes, &columns).next() {
        Some(_) => Ok(names),
        None => Err(index_needed(old, plan)),
    }
}

/// 1553, with the name of an index that goes.
fn index_needed(old: &SqlTable, plan: &Plan) -> SqlError {
    let gone = old.indexes.iter().find(|i| plan.meta.index(&i.name).is_none());
    let name = gone.map_or("", |i| i.name.as_str());
    SqlError::of(errno::ER_DROP_INDEX_FK, &[&name])
}
