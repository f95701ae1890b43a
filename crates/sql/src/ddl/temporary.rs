//! CREATE and DROP of temporary tables, and the table that CREATE TABLE ... SELECT fills before it gets its name.

use std::sync::Arc;

use weir_engine::{Error as EngineError, SchemaDef, Table};
use weir_syntax::ast::{
    ColumnRef, CreateTable, Ident, Insert, InsertSource, OnDuplicate, Query, Statement, TableName,
};

use super::create::{defined, exists};
use super::{build, check_table_name, engine_error, resolve, writable_schema};
use crate::context::{AdminResult, StatementCtx};
use crate::errno;
use crate::meta::SqlColumn;
use crate::meta::temporary::{self, HIDDEN};
use crate::session_api::SqlError;

/// Runs CREATE TEMPORARY TABLE without SELECT.
pub async fn create(
    create: &CreateTable,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let (schema, name) = resolve(&create.name, ctx)?;
    check_table_name(&name)?;
    writable_schema(&schema, ctx)?;
    if ctx.reads.temporaries.has(&schema, &name) {
        return exists(create.if_not_exists, &name, ctx);
    }
    let table = hidden(create, &[], ctx).await?;
    ctx.reads.temporaries.add(&schema, &name, &table.def.name);
    Ok(AdminResult::ok())
}

/// Makes a table in the hidden schema, which nobody knows of yet. `selected`: the columns of a SELECT.
pub async fn hidden(
    create: &CreateTable,
    selected: &[SqlColumn],
    ctx: &mut StatementCtx<'_>,
) -> Result<Arc<Table>, SqlError> {
    let (schema, name) = resolve(&create.name, ctx)?;
    let defined = defined(create, selected, (&schema, &name), ctx)?;
    if !defined.meta.foreign.is_empty() {
        return Err(match create.query.is_some() || create.starts_transaction {
            true => SqlError::of(errno::ER_FOREIGN_KEY_WITH_ATOMIC_CREATE_SELECT, &[]),
            false => SqlError::of(errno::ER_CANNOT_ADD_FOREIGN, &[]),
        });
    }
    if !create.temporary {
        super::check::unique_in_schema(&schema, &name, None, &defined.meta.checks, ctx)?;
    }
    let db = ctx.reads.db();
    if db.schema(HIDDEN).is_none() {
        match db.create_schema(SchemaDef { name: HIDDEN.into(), extra: Vec::new() }).await {
            Ok(()) | Err(EngineError::SchemaExists(_)) => {}
            Err(e) => return Err(engine_error(e)),
        }
    }
    let kept = ctx.reads.shared.temporary_names.kept_as(&schema, &name);
    let form = build::row_form(&defined.meta, db)?;
    let new = build::new_table(HIDDEN, &kept, &defined.meta, form, defined.auto_increment);
    let bytes = temporary::bytes(&defined.meta, new.extra.len());
    let (own, account) = (ctx.reads.temporaries, ctx.reads.session.memory());
    own.charge(account, &kept, bytes)?;
    db.create_table(new).await.map_err(|e| {
        own.uncharge(&kept);
        engine_error(e)
    })
}

/// The table is the session's no more; it goes when no transaction uses it.
pub fn drop(schema: &str, name: &str, ctx: &StatementCtx<'_>) {
    let Some(kept) = ctx.reads.temporaries.find(schema, name) else { return };
    ctx.reads.temporaries.forget(schema, name);
    if let Some(table) = ctx.reads.db().table(HIDDEN, &kept) {
        ctx.reads.temporaries.doom(table);
    }
}

/// The INSERT that fills a table of CREATE TABLE ... SELECT.
pub fn insert_into(table: &Table, columns: &[&str], c: &CreateTable, query: &Query) -> Statement {
    let name = TableName { schema: Some(Ident::new(HIDDEN)), name: Ident::new(&table.def.name) };
    let column = |n: &&str| ColumnRef { schema: None, table: None, column: Ident::new(n) };
    Statement::Insert(Box::new(Insert {
        replace: c.on_duplicate == OnDuplicate::Replace,
        hints: None,
        priority: None,
        ignore: c.on_duplicate == OnDuplicate::Ignore,
        table: name,
        partitions: Vec::new(),
        columns: Some(columns.iter().map(column).collect()),
        source: InsertSource::Query(Box::new(query.clone())),
        row_alias: None,
        on_duplicate: Vec::new(),
    }))
}
