//! DROP VIEW, and what definition statements of tables say of views.

use super::drop::refuse_repeated;
use super::{engine_error, is_virtual_schema, resolve};
use crate::context::{AdminResult, StatementCtx};
use crate::errno;
use crate::session_api::SqlError;
use std::sync::Arc;
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::TableName;

/// 1347: `what` is VIEW or BASE TABLE.
pub fn is_not(schema: &str, name: &str, what: &str) -> SqlError {
    SqlError::of(errno::ER_WRONG_OBJECT, &[&schema, &name, &what])
}

/// 1347 for a view where a table is wanted.
pub fn refuse_view(schema: &str, name: &str, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    match ctx.reads.db().object(ObjectKind::View, schema, name) {
        Some(_) => Err(is_not(schema, name, "BASE TABLE")),
        None => Ok(()),
    }
}

/// All or none: a name that belongs to no view keeps the others, unless IF EXISTS passes over it.
pub async fn drop_views(
    names: &[TableName],
    if_exists: bool,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    refuse_repeated(names, ctx)?;
    let db = ctx.reads.db();
    let mut found: Vec<Arc<Object>> = Vec::new();
    let mut missing = Vec::new();
    for name in names {
        let (schema, name) = resolve(name, ctx)?;
        match db.object(ObjectKind::View, &schema, &name) {
            Some(o) => found.push(o),
            None if db.table(&schema, &name).is_some() => {
                return Err(is_not(&schema, &name, "VIEW"));
            }
            None if is_virtual_schema(&schema) => return Err(is_not(&schema, &name, "VIEW")),
            None => missing.push(format!("{schema}.{name}")),
        }
    }
    if !missing.is_empty() && !if_exists {
        return Err(SqlError::of(errno::ER_BAD_TABLE_ERROR, &[&missing.join(",")]));
    }
    db.drop_objects(&found).await.map_err(engine_error)?;
    for name in missing {
        ctx.changes.warnings.note(errno::ER_BAD_TABLE_ERROR, || format!("Unknown table '{name}'"));
    }
    Ok(AdminResult::ok())
}
