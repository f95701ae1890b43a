//! CREATE TABLE.

use super::check::NewCheck;
use super::column::new_column;
use super::keys::Keys;
use super::{
    Env, build, check, check_table_name, computed, engine_error, env, foreign, functional, gipk,
    keys, options, partition, resolve, special,
};
use super::{table_exists, writable_schema};
use crate::context::{AdminResult, StatementCtx};
use crate::errno;
use crate::meta::cache::no_such_table;
use crate::meta::{ConstraintName, SqlColumn, TableMeta, same_name, schema_meta};
use crate::session_api::SqlError;
use crate::value::{Charset, Collation};
use weir_syntax::ast::{CreateTable, KeyDef, TableElement};

/// A table as defined, and where its AUTO_INCREMENT begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Defined {
    pub meta: TableMeta,
    pub auto_increment: u64,
}

/// Works out what CREATE TABLE (without LIKE) defines. `selected`: the columns of its SELECT; one that is defined, too, stands where the
/// SELECT has it, as it is defined. `schema`: the schema's collation.
pub fn define(
    create: &CreateTable,
    selected: &[SqlColumn],
    schema: Collation,
    env: &mut Env<'_>,
) -> Result<Defined, SqlError> {
    let found = options::read(create.name.name.as_str(), &create.options, schema, env)?;
    let collation = found.collation.unwrap_or(schema);
    let mut columns = Vec::new();
    let mut explicit_null = Vec::new();
    let mut key_defs: Vec<KeyDef> = Vec::new();
    let mut checks = Vec::new();
    let mut computed = Vec::new();
    // Foreign keys, and where among the keys the indexes for them are.
    let (mut foreign_keys, mut made) = (Vec::new(), Vec::new());
    for element in &create.elements {
        match element {
            TableElement::Column(def) => {
                let new = new_column(def, collation, env)?;
                computed.extend(new.computed());
                columns.push(new.column);
                explicit_null.push(new.explicit_null);
                key_defs.extend(new.keys);
                checks.extend(new.checks);
            }
            TableElement::Key(key) => key_defs.push((**key).clone()),
            TableElement::ForeignKey(key) => {
                made.push(key_defs.len());
                key_defs.push(foreign::supporting_key(key));
                foreign_keys.push((**key).clone());
            }
            TableElement::Check(def) => checks.push(NewCheck::of_table(def)),
        }
    }
    for new in selected {
        let at = columns.iter().position(|c: &SqlColumn| same_name(&c.name, &new.name));
        let (column, null) = match at {
            Some(at) => (columns.remove(at), explicit_null.remove(at)),
            None => (new.clone(), false),
        };
        columns.push(column);
        explicit_null.push(null);
    }
    if env.generates_key && !found.replaced && gipk::is_wanted(create) {
        gipk::generate(create, &mut columns, &mut explicit_null, &mut key_defs)?;
        made.iter_mut().for_each(|at| *at += 1);
    }
    let mut meta = TableMeta::new(columns, collation);
    meta.comment = found.comment.unwrap_or_default();
    options::merge(&mut meta.options, &found.kept);
    if found.engine && found.replaced && create.starts_transaction {
        let how = "with engine that does not support atomic DDL.";
        return Err(SqlError::of(errno::ER_NOT_ALLOWED_WITH_START_TRANSACTION, &[&how]));
    }
    if found.engine && found.replaced {
        // MySQL reads the foreign keys of a MyISAM table, makes their indexes and forgets them.
        foreign_keys.clear();
    }
    build::check_table(&meta)?;
    computed::settle(&mut meta.columns, &computed)?;
    let name = create.name.name.as_str();
    add_keys(&mut meta, key_defs, &made, (name, explicit_null), env)?;
    build::check_primary_key(&meta, env)?;
    foreign::add(&mut meta.foreign, &foreign_keys, create.name.name.as_str(), &meta.columns)?;
    check::add(&mut meta.checks, &checks, create.name.name.as_str(), &meta.columns)?;
    foreign::check_checks(&meta, create.name.name.as_str())?;
    Ok(Defined { meta, auto_increment: found.auto_increment.unwrap_or(1).max(1) })
}

/// Adds the keys that are defined, those for foreign keys (`made`) where they are needed, and the columns of expressions among them.
fn add_keys(
    meta: &mut TableMeta,
    mut defs: Vec<KeyDef>,
    made: &[usize],
    (name, mut explicit_null): (&str, Vec<bool>),
    env: &mut Env<'_>,
) -> Result<(), SqlError> {
    functional::settle(&mut defs, &mut meta.columns, &[], name, env)?;
    explicit_null.resize(meta.columns.len(), false);
    build::check_table(meta)?;
    let mut keys = Keys::default();
    for (key, made) in &foreign::needed_keys(defs, made, &[], &meta.columns) {
        keys::add_key(key, &meta.columns, &mut keys, env)?;
        keys.mark_last(*made);
    }
    Keys { indexes: meta.indexes, special: meta.special } = keys;
    special::sort(&mut meta.special);
    keys::settle_primary(&mut meta.columns, &explicit_null, &meta.indexes)?;
    keys::check_auto_increment(&meta.columns, &meta.indexes, meta.is_like_myisam())?;
    keys::sort(&meta.columns, &mut meta.indexes);
    Ok(())
}

/// Runs CREATE TABLE.
pub async fn create_table(
    create: &CreateTable,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    if create.temporary {
        return super::temporary::create(create, ctx).await;
    }
    let (schema, name) = resolve(&create.name, ctx)?;
    if let Some(done) = taken(create, &schema, &name, ctx)? {
        return Ok(done);
    }
    let mut defined = defined(create, &[], (&schema, &name), ctx)?;
    check::unique_in_schema(&schema, &name, None, &defined.meta.checks, ctx)?;
    foreign::settle(&mut defined.meta, &schema);
    let place = (schema.as_str(), name.as_str());
    foreign::unique_in_schema(place, None, &defined.meta.foreign, ctx)?;
    // Nobody changes the parents between the look at them and the moment when they have a child.
    let parents = foreign::parents_of(&defined.meta.foreign, place, ctx);
    let held = foreign::alone(&parents, ctx).await?;
    foreign::check_parents(place, &defined.meta, &defined.meta.foreign, ctx)?;
    foreign::check_children(place, &defined.meta, ctx)?;
    let form = build::row_form(&defined.meta, ctx.reads.db())?;
    let table = build::new_table(&schema, &name, &defined.meta, form, defined.auto_increment);
    let ddl = foreign::ddl(&held, foreign::beside(&parents, Vec::new()), ctx);
    match ctx.reads.db().create_table_beside(table, &ddl).await {
        Ok(_) => Ok(AdminResult::ok()),
        Err(weir_engine::Error::TableExists { .. }) => exists(create.if_not_exists, &name, ctx),
        Err(e) => Err(engine_error(e)),
    }
}

/// Whether the name is in use, which is an error or, with IF NOT EXISTS, the end of the statement.
pub fn taken(
    create: &CreateTable,
    schema: &str,
    name: &str,
    ctx: &mut StatementCtx<'_>,
) -> Result<Option<AdminResult>, SqlError> {
    check_table_name(name)?;
    writable_schema(schema, ctx)?;
    let db = ctx.reads.db();
    let there = match create.temporary {
        true => ctx.reads.temporaries.has(schema, name),
        false => {
            db.object(weir_engine::ObjectKind::View, schema, name).is_some()
                || db.table(schema, name).is_some()
                || is_system_table(schema, name, ctx)
        }
    };
    if there { exists(create.if_not_exists, name, ctx).map(Some) } else { Ok(None) }
}

/// Is the name that of a computed table? The server's own statements put tables in the places of those.
pub fn is_system_table(schema: &str, name: &str, ctx: &StatementCtx<'_>) -> bool {
    ctx.reads.shared.computed(schema, name).is_some() && !ctx.changes.access.is_of_server()
}

/// What a statement defines, LIKE or not, with expressions that bind.
pub fn defined(
    create: &CreateTable,
    selected: &[SqlColumn],
    (schema, name): (&str, &str),
    ctx: &mut StatementCtx<'_>,
) -> Result<Defined, SqlError> {
    let mut defined = match &create.like {
        Some(like) => {
            let (other_schema, other) = resolve(like, ctx)?;
            let like = like_table(&other_schema, &other, ctx)?;
            build::check_primary_key(&like.meta, &env(ctx, schema, name))?;
            like
        }
        None => {
            let base = ctx.reads.db().schema(schema).map(|s| schema_meta(&s).collation);
            let base = base.unwrap_or(Collation::default_of(Charset::Utf8mb4));
            define(create, selected, base, &mut env(ctx, schema, name))?
        }
    };
    if create.temporary {
        special::check_temporary(&defined.meta.special)?;
    }
    if create.temporary && (create.partition.is_some() || defined.meta.partitions.is_some()) {
        return Err(super::partition_alter::temporary());
    }
    if let Some(by) = &create.partition {
        defined.meta.partitions = Some(partition::define(by, (schema, name), &defined.meta, ctx)?);
    }
    partition::check_table(&defined.meta)?;
    ctx.reads.bind_rows(ctx.now_micros, name, &defined.meta)?;
    Ok(defined)
}

pub fn exists(
    if_not_exists: bool,
    name: &str,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let error = table_exists(name);
    if !if_not_exists {
        return Err(error);
    }
    ctx.changes.warnings.note(error.errno, || error.message);
    Ok(AdminResult::ok())
}

fn like_table(schema: &str, name: &str, ctx: &StatementCtx<'_>) -> Result<Defined, SqlError> {
    if super::is_virtual_schema(schema) {
        return Err(no_such_table(schema, name));
    }
    let table = ctx.reads.table(schema, name)?;
    let mut meta = table.meta.clone();
    // As in MySQL a copy has no foreign keys, though it has the indexes for them.
    meta.foreign.clear();
    // Nor does it have its rows.
    meta.histograms.clear();
    // Names are unique in a schema: those of the copy are made again.
    for (n, check) in meta.checks.iter_mut().enumerate() {
        check.name = ConstraintName::Numbered(n as u32 + 1);
    }
    Ok(Defined { meta, auto_increment: 1 })
}
