//! The tables that foreign keys tie together, as statements lock, protect and rename them.

use super::fit::check_children;
use crate::context::StatementCtx;
use crate::ddl::engine_error;
use crate::ddl::plan::Plan;
use crate::errno;
use crate::meta::foreign::{ForeignKey, TablePlace};
use crate::meta::{SqlTable, TableMeta, codec};
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::{DdlContext, HeldTables, MdlMode, Table};

/// Tables that change beside a statement's own, and their new metadata.
pub type Beside = Vec<(Arc<Table>, Vec<u8>)>;

/// The tables that foreign keys tie to one that is altered.
pub struct Family {
    /// Keys that it gets.
    pub added: Vec<ForeignKey>,
    /// Their parents.
    pub parents: Vec<Arc<Table>>,
    children: Vec<Arc<Table>>,
    /// It has keys that it keeps.
    keeps: bool,
}

impl Family {
    pub fn of(old: &SqlTable, plan: &Plan, ctx: &StatementCtx<'_>) -> Family {
        if old.is_temporary() {
            // It has no keys, and its name hides another table's.
            return Family { added: vec![], parents: vec![], children: vec![], keeps: false };
        }
        let kept = plan.meta.foreign.len() - plan.new_foreign;
        let added = plan.meta.foreign[kept..].to_vec();
        let references = ctx.reads.meta().references(ctx.reads.db());
        let children = references.to(old.schema(), old.name()).iter();
        let other = children.filter(|k| k.child.engine.def.id != old.engine.def.id);
        Family {
            parents: parents_of(&added, (old.schema(), old.name()), ctx),
            children: other.map(|k| k.child.engine.clone()).collect(),
            keeps: kept > 0,
            added,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.children.is_empty() && !self.keeps
    }

    pub fn all(&self, own: &SqlTable) -> Vec<Arc<Table>> {
        let others = self.parents.iter().chain(&self.children).cloned();
        others.chain([own.engine.clone()]).collect()
    }
}

/// The tables that keys reference, as far as they exist, without the child itself.
pub fn parents_of(
    keys: &[ForeignKey],
    child: (&str, &str),
    ctx: &StatementCtx<'_>,
) -> Vec<Arc<Table>> {
    let other = |k: &&ForeignKey| (k.parent.schema.as_str(), k.parent.name.as_str()) != child;
    let found = keys.iter().filter(other);
    found.filter_map(|k| ctx.reads.db().table(&k.parent.schema, &k.parent.name)).collect()
}

/// Locks tables for this statement alone, each once and in the order of their ids.
pub async fn alone(
    tables: &[Arc<Table>],
    ctx: &StatementCtx<'_>,
) -> Result<Arc<HeldTables>, SqlError> {
    let held = ctx.reads.locked.map_or_else(Arc::default, |l| l.held.clone());
    alone_too(&held, tables, ctx).await?;
    Ok(held)
}

/// The same for more tables than a statement has already.
pub async fn alone_too(
    held: &HeldTables,
    tables: &[Arc<Table>],
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let mut sorted: Vec<&Arc<Table>> = tables.iter().collect();
    sorted.sort_by_key(|t| t.def.id);
    sorted.dedup_by_key(|t| t.def.id);
    for t in sorted {
        if ctx.reads.locked.is_some() && held.mode_of(t).is_some_and(|m| m != MdlMode::Exclusive) {
            // The session would wait for itself.
            return Err(SqlError::of(errno::ER_TABLE_NOT_LOCKED_FOR_WRITE, &[&t.def.name]));
        }
        if !held.is_alone(t) {
            let limit = ctx.reads.settings.ddl_timeout;
            let mode = MdlMode::Exclusive;
            let hold = ctx.reads.db().lock_table(t, mode, limit, ctx.reads.interrupt).await;
            held.add(hold.map_err(engine_error)?);
        }
    }
    Ok(())
}

/// How the engine's statements wait while `held` is held, and what they change beside their own table.
pub fn ddl(held: &Arc<HeldTables>, beside: Beside, ctx: &StatementCtx<'_>) -> DdlContext {
    DdlContext { held: Some(held.clone()), beside, ..ctx.reads.ddl() }
}

/// Tables that change beside a statement's own: children with what follows the statement, and parents, which stay as they are except for
/// their handles: plans that were made before do not know of a new child.
pub fn beside(parents: &[Arc<Table>], children: Vec<(Arc<Table>, TableMeta)>) -> Beside {
    let mut all: Beside =
        children.into_iter().map(|(t, meta)| (t, codec::encode_table(&meta))).collect();
    for t in parents {
        if !all.iter().any(|(x, _)| x.def.id == t.def.id) {
            all.push((t.clone(), t.def.extra.clone()));
        }
    }
    all
}

/// 3730: the first key of a table that stays which references one of those that go.
pub fn check_drop(tables: &[Arc<Table>], ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    if !ctx.reads.settings.foreign_checks {
        return Ok(());
    }
    let references = ctx.reads.meta().references(ctx.reads.db());
    for t in tables {
        for key in references.to(&t.def.schema, &t.def.name) {
            if tables.iter().any(|x| x.def.id == key.child.engine.def.id) {
                continue;
            }
            return Err(SqlError::of(
                errno::ER_FK_CANNOT_DROP_PARENT,
                &[&t.def.name, &key.name(), &key.child.name()],
            ));
        }
    }
    Ok(())
}

/// 1701.
pub fn check_truncate(table: &Table, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    if !ctx.reads.settings.foreign_checks {
        return Ok(());
    }
    let references = ctx.reads.meta().references(ctx.reads.db());
    let keys = references.to(&table.def.schema, &table.def.name);
    let Some(key) = keys.iter().find(|k| k.child.engine.def.id != table.def.id) else {
        return Ok(());
    };
    Err(SqlError::new(
        errno::ER_TRUNCATE_ILLEGAL_FK,
        format!(
            "Cannot truncate a table referenced in a foreign key constraint (`{}`.`{}`, CONSTRAINT `{}`)",
            key.child.schema(),
            key.child.name(),
            key.name()
        ),
    ))
}

/// The children of tables that move.
pub fn children_of(
    moves: &[(Arc<Table>, String, String)],
    ctx: &StatementCtx<'_>,
) -> Vec<Arc<Table>> {
    let references = ctx.reads.meta().references(ctx.reads.db());
    let of = |t: &Arc<Table>| references.to(&t.def.schema, &t.def.name).iter();
    moves.iter().flat_map(|m| of(&m.0)).map(|k| k.child.engine.clone()).collect()
}

/// New metadata of the children of tables that move, which the statement has alone.
pub fn followed(
    moves: &[(Arc<Table>, String, String)],
    ctx: &StatementCtx<'_>,
) -> Result<Beside, SqlError> {
    let references = ctx.reads.meta().references(ctx.reads.db());
    let mut children: Vec<(Arc<Table>, TableMeta)> = Vec::new();
    for (t, schema, name) in moves {
        // A table that is there now moves away itself, and its children with it.
        let awaited = !references.to(schema, name).is_empty();
        if awaited && ctx.reads.db().table(schema, name).is_none() {
            check_children((schema, name), &ctx.reads.meta().bind(t)?.meta, ctx)?;
        }
        for key in references.to(&t.def.schema, &t.def.name) {
            let id = key.child.engine.def.id;
            let at = children.iter().position(|(c, _)| c.def.id == id).unwrap_or_else(|| {
                children.push((key.child.engine.clone(), key.child.meta.clone()));
                children.len() - 1
            });
            children[at].1.foreign[key.at].parent = TablePlace::new(schema, name);
        }
    }
    Ok(beside(&[], children))
}
