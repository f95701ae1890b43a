//! Foreign keys of definitions: their names, the index that the child needs, what the parent must have, and what the other statements
//! may do to tables that are referenced.
//!
//! A statement that adds a key, or that touches a table of one, has all of them alone while it looks and changes ([`alone`]), in the
//! order of the tables' ids. A parent gets a new handle when a child is added: a statement that has waited for it plans anew.

use std::sync::Arc;

use weir_engine::row::{Datum, PhysType, RowView};
use weir_engine::{
    DdlContext, HeldTables, Isolation, LockMode, MdlMode, OnLocked, ScanSpec, Table, TxnOptions,
};
use weir_syntax::ast::{ForeignKeyDef, IndexOptions, KeyDef, KeyKind, KeyPart, KeyPartKind};

use super::alter::Plan;
use super::column::check_length;
use super::engine_error;
use super::keys::duplicate_column;
use crate::context::StatementCtx;
use crate::errno;
use crate::meta::foreign::{Action, FOREIGN, ForeignKey, TablePlace, searchable};
use crate::meta::codec;
use crate::meta::{ColumnDefault, ConstraintName, SqlColumn, SqlTable, TableMeta, same_name};
use crate::session_api::SqlError;
use crate::value::{DatumBuf, SqlType};

/// The name that a key, and the index made for it, are to have.
fn given_name(def: &ForeignKeyDef) -> Option<&weir_syntax::ast::Ident> {
    def.constraint.as_ref().or(def.name.as_ref())
}

/// The index that a child needs for a key.
pub fn supporting_key(def: &ForeignKeyDef) -> KeyDef {
    let part = |name: &weir_syntax::ast::Ident| KeyPart {
        kind: KeyPartKind::Column { name: name.clone(), length: None },
        descending: false,
        explicit_order: false,
    };
    KeyDef {
        kind: KeyKind::Index,
        constraint: None,
        name: given_name(def).cloned(),
        parts: def.columns.iter().map(part).collect(),
        options: IndexOptions::default(),
    }
}

/// The keys that remain to be made: an index for a foreign key is not, where another one begins with the same columns. `made`: the
/// places in `keys` of those; `there`: columns of the indexes that the table has.
pub fn needed_keys(keys: Vec<KeyDef>, made: &[usize], there: &[Vec<String>]) -> Vec<KeyDef> {
    let columns = |k: &KeyDef| -> Vec<String> {
        let name = |p: &KeyPart| match &p.kind {
            KeyPartKind::Column { name, length: None } => name.as_str().to_owned(),
            // No name of a column: such a part ends what can be searched.
            _ => String::new(),
        };
        k.parts.iter().map(name).collect()
    };
    let lists: Vec<Vec<String>> = keys.iter().map(columns).collect();
    let begins = |long: &[String], short: &[String]| {
        long.len() >= short.len() && long.iter().zip(short).all(|(a, b)| same_name(a, b))
    };
    let spare = |n: usize| {
        let own = &lists[n];
        there.iter().any(|l| begins(l, own))
            || lists.iter().enumerate().any(|(m, l)| {
                let user = !made.contains(&m)
                    && !matches!(keys[m].kind, KeyKind::FullText | KeyKind::Spatial);
                let other = made.contains(&m) && (l.len() > own.len() || m < n);
                m != n && (user || other) && begins(l, own)
            })
    };
    let keep: Vec<bool> = (0..keys.len()).map(|n| !made.contains(&n) || !spare(n)).collect();
    keys.into_iter().zip(keep).filter(|(_, k)| *k).map(|(key, _)| key).collect()
}

/// Adds `new` to the foreign keys that a table has. A parent without a schema is in the child's.
pub fn add(
    keys: &mut Vec<ForeignKey>,
    new: &[ForeignKeyDef],
    table: &str,
    columns: &[SqlColumn],
) -> Result<(), SqlError> {
    let number = |k: &ForeignKey| match k.name {
        ConstraintName::Numbered(n) => n,
        ConstraintName::Given(_) => 0,
    };
    let mut last = keys.iter().map(number).max().unwrap_or(0);
    for def in new {
        let name = match given_name(def) {
            Some(name) => {
                check_length(name.as_str())?;
                ConstraintName::of(name.as_str(), table, FOREIGN)
            }
            None => {
                last += 1;
                ConstraintName::Numbered(last)
            }
        };
        let shown = name.text(table, FOREIGN);
        check_length(&shown)?;
        if keys.iter().any(|k| k.is_named(&shown, table)) {
            return Err(duplicate_name(&shown));
        }
        keys.push(foreign_key(def, name, &shown, columns)?);
    }
    Ok(())
}

fn foreign_key(
    def: &ForeignKeyDef,
    name: ConstraintName,
    shown: &str,
    columns: &[SqlColumn],
) -> Result<ForeignKey, SqlError> {
    let mut own: Vec<usize> = Vec::new();
    for column in &def.columns {
        let at = columns.iter().position(|c| same_name(&c.name, column.as_str()));
        let at = at.ok_or_else(|| {
            SqlError::new(
                errno::ER_KEY_COLUMN_DOES_NOT_EXIST,
                format!("Key column '{column}' doesn't exist in table"),
            )
        })?;
        if own.contains(&at) {
            return Err(duplicate_column(&columns[at].name));
        }
        own.push(at);
    }
    let to = &def.references;
    if to.columns.len() != own.len() {
        let what = given_name(def).map_or("foreign key without name", |n| n.as_str());
        return Err(SqlError::new(
            errno::ER_WRONG_FK_DEF,
            format!(
                "Incorrect foreign key definition for '{what}': Key reference and table reference don't match"
            ),
        ));
    }
    let actions = (Action::of(to.on_delete), Action::of(to.on_update));
    let (Some(on_delete), Some(on_update)) = actions else {
        return Err(SqlError::new(
            errno::ER_CANNOT_ADD_FOREIGN,
            "Cannot add foreign key constraint",
        ));
    };
    for &at in &own {
        check_column(&columns[at], shown, on_delete, on_update)?;
    }
    let schema = to.table.schema.as_ref().map_or("", |s| s.as_str());
    Ok(ForeignKey {
        name,
        columns: own,
        parent: TablePlace::new(schema, to.table.name.as_str()),
        parent_columns: to.columns.iter().map(|c| c.as_str().to_owned()).collect(),
        on_delete,
        on_update,
    })
}

/// What a child's column may not be: 1830, 3104, 3733.
fn check_column(
    column: &SqlColumn,
    key: &str,
    on_delete: Action,
    on_update: Action,
) -> Result<(), SqlError> {
    if !column.nullable && [on_delete, on_update].contains(&Action::SetNull) {
        return Err(SqlError::new(
            errno::ER_FK_COLUMN_NOT_NULL,
            format!(
                "Column '{}' cannot be NOT NULL: needed in a foreign key constraint '{key}' SET NULL",
                column.name
            ),
        ));
    }
    let ColumnDefault::Generated { stored, .. } = &column.default else { return Ok(()) };
    if !stored {
        return Err(SqlError::new(
            errno::ER_FK_CANNOT_USE_VIRTUAL_COLUMN,
            format!("Foreign key '{key}' uses virtual column '{}' which is not supported.", column.name),
        ));
    }
    let clause = match (on_update, on_delete) {
        (Action::Cascade, _) => "ON UPDATE CASCADE",
        (Action::SetNull, _) => "ON UPDATE SET NULL",
        (_, Action::SetNull) => "ON DELETE SET NULL",
        _ => return Ok(()),
    };
    Err(SqlError::new(
        errno::ER_WRONG_FK_OPTION_FOR_GENERATED_COLUMN,
        format!("Cannot define foreign key with {clause} clause on a generated column."),
    ))
}

/// 1826.
fn duplicate_name(name: &str) -> SqlError {
    SqlError::new(
        errno::ER_FK_DUP_NAME,
        format!("Duplicate foreign key constraint name '{name}'"),
    )
}

/// Parents without a schema are in the child's.
pub fn settle(meta: &mut TableMeta, schema: &str) {
    for key in &mut meta.foreign {
        if key.parent.schema.is_empty() {
            key.parent.schema = schema.to_owned();
        }
    }
}

/// Names of foreign keys are unique in their schema (1826). `own`: the table that is defined, where it exists.
pub fn unique_in_schema(
    (schema, table): (&str, &str),
    own: Option<u64>,
    keys: &[ForeignKey],
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    if keys.is_empty() {
        return Ok(());
    }
    for other in ctx.reads.meta().tables(ctx.reads.db(), schema) {
        if Some(other.engine.def.id) == own {
            continue;
        }
        for key in keys {
            let name = key.text(table);
            if other.foreign.iter().any(|k| k.is_named(&name, other.name())) {
                return Err(duplicate_name(&name));
            }
        }
    }
    Ok(())
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
    let mut sorted: Vec<&Arc<Table>> = tables.iter().collect();
    sorted.sort_by_key(|t| t.def.id);
    sorted.dedup_by_key(|t| t.def.id);
    for t in sorted {
        if !held.is_alone(t) {
            let limit = ctx.reads.settings.ddl_timeout;
            let mode = MdlMode::Exclusive;
            let hold = ctx.reads.db().lock_table(t, mode, limit, ctx.reads.interrupt).await;
            held.add(hold.map_err(engine_error)?);
        }
    }
    Ok(held)
}

/// How the engine's statements wait while `held` is held.
pub fn ddl(held: &Arc<HeldTables>, ctx: &StatementCtx<'_>) -> DdlContext {
    DdlContext { held: Some(held.clone()), ..ctx.reads.ddl() }
}

/// A new handle for each of the tables: plans that were made before do not know of a new child.
pub async fn touch(
    tables: &[Arc<Table>],
    held: &Arc<HeldTables>,
    ctx: &StatementCtx<'_>,
) -> Result<(), SqlError> {
    let mut ids = Vec::new();
    for t in tables {
        if ids.contains(&t.def.id) {
            continue;
        }
        ids.push(t.def.id);
        let (extra, ddl) = (t.def.extra.clone(), ddl(held, ctx));
        ctx.reads.db().alter_extra(t, extra, &ddl).await.map_err(engine_error)?;
    }
    Ok(())
}

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
                return Err(SqlError::new(
                    errno::ER_FK_CANNOT_OPEN_PARENT,
                    format!("Failed to open the referenced table '{}'", key.parent.name),
                ));
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
    let mut columns = Vec::new();
    for (own, theirs) in key.columns.iter().zip(&key.parent_columns) {
        let Some(at) = parent.column(theirs) else {
            return Err(SqlError::new(
                errno::ER_FK_NO_COLUMN_PARENT,
                format!(
                    "Failed to add the foreign key constraint. Missing column '{theirs}' for constraint '{name}' in the referenced table '{}'",
                    key.parent.name
                ),
            ));
        };
        let own = &child.columns[*own];
        if !compatible(own, &parent.columns[at]) {
            return Err(SqlError::new(
                errno::ER_FK_INCOMPATIBLE_COLUMNS,
                format!(
                    "Referencing column '{}' and referenced column '{}' in foreign key constraint '{name}' are incompatible.",
                    own.name, parent.columns[at].name
                ),
            ));
        }
        columns.push(at);
    }
    if searchable(&parent.indexes, &columns).next().is_none() {
        return Err(SqlError::new(
            errno::ER_FK_NO_INDEX_PARENT,
            format!(
                "Failed to add the foreign key constraint. Missing index for constraint '{name}' in the referenced table '{}'",
                key.parent.name
            ),
        ));
    }
    Ok(())
}

/// Whether equal values of two columns have equal bytes in an index. Lengths of texts do not matter.
fn compatible(a: &SqlColumn, b: &SqlColumn) -> bool {
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
            return Err(SqlError::new(
                errno::ER_FK_CANNOT_DROP_PARENT,
                format!(
                    "Cannot drop table '{}' referenced by a foreign key constraint '{}' on table '{}'.",
                    t.def.name,
                    key.name(),
                    key.child.name()
                ),
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
) -> Result<Vec<(Arc<Table>, Vec<u8>)>, SqlError> {
    let references = ctx.reads.meta().references(ctx.reads.db());
    let mut children: Vec<(Arc<Table>, TableMeta)> = Vec::new();
    for (t, schema, name) in moves {
        let parent = ctx.reads.meta().bind(t)?;
        check_children((schema, name), &parent.meta, ctx)?;
        for key in references.to(&t.def.schema, &t.def.name) {
            let id = key.child.engine.def.id;
            let at = children.iter().position(|(c, _)| c.def.id == id).unwrap_or_else(|| {
                children.push((key.child.engine.clone(), key.child.meta.clone()));
                children.len() - 1
            });
            children[at].1.foreign[key.at].parent = TablePlace::new(schema, name);
        }
    }
    Ok(children.into_iter().map(|(t, m)| (t, codec::encode_table(&m))).collect())
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
    for key in &mut keys {
        let kept = old.foreign.iter().any(|k| k.is_named(&key.text(old.name()), old.name()));
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
    child: &crate::meta::foreign::ChildKey,
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
                let end = weir_engine::row::key::prefix_successor(&start);
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
        None => super::build::engine_default(&plan.meta.columns[column]),
    }
}

fn start_of(table: &SqlTable, index: usize, values: &[DatumBuf]) -> Option<Vec<u8>> {
    let mut key = Vec::new();
    for (part, v) in table.engine.def.indexes[index].parts.iter().zip(values) {
        let v: Datum<'_> = v.as_ref();
        weir_engine::row::encode_datum(&part.of(&table.engine.layout), v, &mut key).ok()?;
    }
    Some(key)
}
