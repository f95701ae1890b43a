//! CREATE, ALTER and DROP DATABASE.

use super::refused::database_exists;
use super::{access_denied, engine_error, env, foreign, is_virtual_schema, options};
use crate::context::{AdminResult, SYSTEM_SCHEMA, StatementCtx};
use crate::errno;
use crate::meta::temporary::HIDDEN;
use crate::meta::{SchemaMeta, codec, schema_meta};
use crate::session_api::SqlError;
use crate::value::{Charset, Collation};
use crate::vars::Var;
use std::sync::Arc;
use weir_engine::{ObjectKind, SchemaDef, Table};
use weir_syntax::ast::DatabaseOption;

/// The collation of schemas that name none.
pub fn server_collation(ctx: &StatementCtx<'_>) -> Collation {
    Collation::by_name(&ctx.reads.vars.text(Var::collation_server))
        .unwrap_or(Collation::default_of(Charset::Utf8mb4))
}

/// What no statement may define, change or drop: 3552 for the schema of the accounts, 1044 for those that are computed.
fn no_system_schema(name: &str, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    if name == SYSTEM_SCHEMA {
        return Err(SqlError::of(errno::ER_NO_SYSTEM_SCHEMA_ACCESS, &[&"mysql"]));
    }
    match is_virtual_schema(name) || name == HIDDEN {
        true => Err(access_denied(name, ctx)),
        false => Ok(()),
    }
}

fn check_name(name: &str) -> Result<(), SqlError> {
    if name.is_empty() || name.ends_with(' ') || name.contains('\0') {
        return Err(SqlError::of(errno::ER_WRONG_DB_NAME, &[&name]));
    }
    super::refused::check_length(name)
}

pub async fn create(
    name: &str,
    if_not_exists: bool,
    options: &[DatabaseOption],
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    check_name(name)?;
    let base = server_collation(ctx);
    let collation = options::schema_collation(options, base, &mut env(ctx, name, ""))?;
    // Dumps of all schemas say CREATE DATABASE IF NOT EXISTS mysql.
    let system = if_not_exists && name == SYSTEM_SCHEMA;
    if !system {
        no_system_schema(name, ctx)?;
    }
    if system || ctx.reads.db().schema(name).is_some() {
        if !if_not_exists {
            return Err(database_exists(name));
        }
        let note = database_exists(name);
        ctx.changes.warnings.note(note.errno, || note.message);
        return Ok(AdminResult::Ok { affected: 1, info: String::new() });
    }
    let extra = codec::encode_schema(&SchemaMeta { collation });
    ctx.reads
        .db()
        .create_schema(SchemaDef { name: name.into(), extra })
        .await
        .map_err(engine_error)?;
    Ok(AdminResult::Ok { affected: 1, info: String::new() })
}

pub async fn alter(
    name: Option<&str>,
    options: &[DatabaseOption],
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let name = ctx.reads.schema_of(name)?.to_owned();
    no_system_schema(&name, ctx)?;
    let Some(schema) = ctx.reads.db().schema(&name) else {
        return Err(SqlError::unknown_database(&name));
    };
    let base = schema_meta(&schema).collation;
    let collation = options::schema_collation(options, base, &mut env(ctx, &name, ""))?;
    let extra = codec::encode_schema(&SchemaMeta { collation });
    ctx.reads.db().alter_schema(SchemaDef { name, extra }).await.map_err(engine_error)?;
    Ok(AdminResult::Ok { affected: 1, info: String::new() })
}

pub async fn drop(
    name: &str,
    if_exists: bool,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    no_system_schema(name, ctx)?;
    if ctx.reads.db().schema(name).is_none() {
        let text = format!("Can't drop database '{name}'; database doesn't exist");
        if !if_exists {
            return Err(SqlError::new(errno::ER_DB_DROP_EXISTS, text));
        }
        ctx.changes.warnings.note(errno::ER_DB_DROP_EXISTS, || text);
        return Ok(AdminResult::ok());
    }
    // Before anything is waited for; and again when nobody can add a child any more.
    foreign::check_drop(&ctx.reads.db().tables(name), ctx)?;
    let mut refusal = None;
    let mut may = |tables: &[Arc<Table>]| {
        foreign::check_drop(tables, ctx).map_err(|e| refusal.insert(e).message.clone())
    };
    let views = ctx.reads.db().objects(ObjectKind::View, name).len() as u64;
    let dropped = ctx.reads.db().drop_schema(name, &mut may, &ctx.reads.ddl()).await;
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let affected = dropped.map_err(engine_error)? + views;
    Ok(AdminResult::Ok { affected, info: String::new() })
}
