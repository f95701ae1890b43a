//! CREATE, ALTER, DROP and maintenance of schemas and tables.
//!
//! What a statement means is worked out by pure functions over [`TableMeta`] (`types`, `column`, `keys`,
//! `options`, `create::define`, `alter::plan`); `create`, `alter`, `drop` and `maintain` then call
//! the engine, whose DDL calls are atomic across a crash. `plan` is what an ALTER TABLE comes to, `change` how it gets there, `refused` has the errors that several kinds of
//! statements give. May use `meta`, `value`, `ast`, the engine.
//!
//! Invariants:
//! - A definition that MySQL refuses is refused with MySQL's number; one that cannot be kept to
//!   is refused with 1235.
//! - All clauses of one ALTER TABLE take effect by one engine call; only RENAME TO and a new
//!   AUTO_INCREMENT value follow as calls of their own.

pub mod alter;
pub mod alter_run;
pub mod build;
mod carried;
pub mod change;
pub mod check;
pub mod column;
pub mod computed;
pub mod create;
pub mod drop;
pub mod engine_error;
pub mod engines;
pub mod expression;
pub mod foreign;
pub mod functional;
pub mod gipk;
mod histogram;
pub mod keys;
pub mod literal;
pub mod maintain;
pub mod options;
pub mod partition;
pub mod partition_alter;
mod partition_function;
mod partition_rows;
pub mod plan;
pub mod rebuild;
pub mod reference_system;
pub mod refused;
pub mod schema;
mod special;
mod subpartition;
pub mod temporary;
pub mod types;
pub mod view;

pub use engine_error::engine_error;

use crate::context::{AdminResult, Reads, StatementCtx};
use crate::errno;
use crate::meta::temporary::HIDDEN;
use crate::session_api::{ConnInfo, SqlError};
use crate::value::{Charset, Collation, SqlMode, TimeZone, Warnings};
use refused::check_length;
use weir_syntax::ast::Statement;

#[cfg(doc)]
use crate::meta::TableMeta;

/// What the meaning of a definition depends on.
pub struct Env<'a> {
    pub mode: SqlMode,
    /// Tables of other engines are refused, see `SessionVars::refuses_engines`.
    pub refuses_engines: bool,
    /// `weir_skip_unsupported_indexes`.
    pub skips_indexes: bool,
    /// `sql_require_primary_key`.
    pub requires_key: bool,
    /// `sql_generate_invisible_primary_key`.
    pub generates_key: bool,
    pub tz: TimeZone,
    /// Statement time, microseconds since 1970 UTC.
    pub now_micros: i64,
    /// `collation_connection`: what string literals are in.
    pub collation: Collation,
    /// `default_collation_for_utf8mb4`.
    pub utf8mb4: Collation,
    /// `schema.table` for messages.
    pub table: String,
    /// What tells the types of expressions.
    pub reads: Reads<'a>,
    pub warnings: &'a mut Warnings,
}

impl Env<'_> {
    /// What a character set stands for where no collation is named.
    pub fn default_of(&self, charset: Charset) -> Collation {
        if charset == Charset::Utf8mb4 { self.utf8mb4 } else { Collation::default_of(charset) }
    }
}

/// The environment of a definition in this statement.
pub fn env<'e>(ctx: &'e mut StatementCtx<'_>, schema: &str, table: &str) -> Env<'e> {
    Env {
        mode: ctx.reads.settings.mode,
        refuses_engines: ctx.reads.settings.refuses_engines,
        skips_indexes: ctx.reads.settings.skips_indexes,
        requires_key: ctx.reads.settings.requires_key,
        generates_key: ctx.reads.settings.generates_key,
        tz: ctx.reads.settings.tz,
        now_micros: ctx.reads.eval(ctx.now_micros).now_micros,
        collation: ctx.reads.settings.collation,
        utf8mb4: ctx.reads.vars.default_of(Charset::Utf8mb4),
        table: format!("{schema}.{table}"),
        reads: ctx.reads,
        warnings: ctx.changes.warnings,
    }
}

/// Runs a statement of this room; `None` when it is not one.
pub async fn run(
    stmt: &Statement,
    ctx: &mut StatementCtx<'_>,
) -> Option<Result<AdminResult, SqlError>> {
    Some(match stmt {
        Statement::CreateDatabase { if_not_exists, name, options } => {
            schema::create(name.as_str(), *if_not_exists, options, ctx).await
        }
        Statement::AlterDatabase { name, options } => {
            schema::alter(name.as_ref().map(|n| n.as_str()), options, ctx).await
        }
        Statement::DropDatabase { if_exists, name } => {
            schema::drop(name.as_str(), *if_exists, ctx).await
        }
        Statement::CreateTable(create) => create::create_table(create, ctx).await,
        Statement::AlterTable(alter) => {
            alter_run::alter_table(&alter.name, &alter.specs, ctx).await
        }
        Statement::CreateIndex(create) => alter_run::create_index(create, ctx).await,
        Statement::DropIndex(drop) => alter_run::drop_index(drop, ctx).await,
        Statement::DropTable(drop) => drop::drop_tables(drop, ctx).await,
        Statement::TruncateTable(name) => drop::truncate(name, ctx).await,
        Statement::RenameTable(pairs) => drop::rename(pairs, ctx).await,
        Statement::CreateReferenceSystem(create) => reference_system::create(create, ctx).await,
        Statement::DropReferenceSystem { if_exists, srid } => {
            reference_system::drop(*srid, *if_exists, ctx).await
        }
        Statement::DropView { if_exists, names, .. } => {
            view::drop_views(names, *if_exists, ctx).await
        }
        Statement::TableAdmin(admin) => maintain::run(admin, ctx).await,
        _ => return None,
    })
}

/// Schemas whose tables are all computed, which no statement may change.
pub const VIRTUAL_SCHEMAS: [&str; 2] = ["information_schema", "performance_schema"];

/// Is it one of them?
pub fn is_virtual_schema(name: &str) -> bool {
    VIRTUAL_SCHEMAS.iter().any(|s| s.eq_ignore_ascii_case(name))
}

/// Tables of information_schema that MySQL fills when they are read. All others there are views, whose columns keep their own names in
/// results, however a statement writes them.
pub fn is_filled_table(name: &str) -> bool {
    const VIEWS: &[&str] = &["datafiles", "fields", "foreign_cols", "tablespaces_brief"];
    const FILLED: &[&str] = &[
        "column_privileges",
        "enabled_roles",
        "engines",
        "optimizer_trace",
        "plugins",
        "processlist",
        "profiling",
        "schema_privileges",
        "table_privileges",
        "tablespaces",
        "user_privileges",
    ];
    let name = name.to_ascii_lowercase();
    match name.strip_prefix("innodb_") {
        Some(of_innodb) => !VIEWS.contains(&of_innodb),
        None => FILLED.contains(&name.as_str()),
    }
}

/// 1044 for schemas whose tables are all computed, 1049 for those that do not exist.
pub fn writable_schema(schema: &str, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    if is_virtual_schema(schema) {
        return Err(access_denied(schema, ctx));
    }
    match ctx.reads.db().schema(schema) {
        Some(_) => Ok(()),
        None => Err(SqlError::unknown_database(schema)),
    }
}

/// 1044.
pub fn access_denied(schema: &str, ctx: &StatementCtx<'_>) -> SqlError {
    denied_to(schema, ctx.reads.conn)
}

/// The same for anyone who is connected.
pub fn denied_to(schema: &str, conn: &ConnInfo) -> SqlError {
    let (user, host) = (&conn.account_user, &conn.account_host);
    SqlError::of(errno::ER_DBACCESS_DENIED_ERROR, &[&user, &host, &schema])
}

/// Schema and table of a name, with the default schema filled in.
pub fn resolve(
    name: &weir_syntax::ast::TableName,
    ctx: &StatementCtx<'_>,
) -> Result<(String, String), SqlError> {
    let schema = ctx.reads.schema_of(name.schema.as_ref().map(|s| s.as_str()))?;
    if schema == HIDDEN {
        return Err(SqlError::unknown_database(schema));
    }
    Ok((schema.to_owned(), name.name.as_str().to_owned()))
}

/// Where the engine has the table of a name: a temporary one before all others.
pub fn resolve_kept(
    name: &weir_syntax::ast::TableName,
    ctx: &StatementCtx<'_>,
) -> Result<(String, String), SqlError> {
    let (schema, name) = resolve(name, ctx)?;
    Ok(match ctx.reads.temporaries.find(&schema, &name) {
        Some(kept) => (HIDDEN.to_owned(), kept),
        None => (schema, name),
    })
}

/// 1103: a table name is not empty and does not end in a blank.
pub fn check_table_name(name: &str) -> Result<(), SqlError> {
    if name.is_empty() || name.ends_with(' ') || name.contains('\0') {
        return Err(SqlError::of(errno::ER_WRONG_TABLE_NAME, &[&name]));
    }
    check_length(name)
}

/// 1050.
pub fn table_exists(name: &str) -> SqlError {
    SqlError::of(errno::ER_TABLE_EXISTS_ERROR, &[&name])
}
