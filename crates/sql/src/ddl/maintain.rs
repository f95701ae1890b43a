//! CHECK, ANALYZE, OPTIMIZE, REPAIR and CHECKSUM TABLE; histograms are the affair of `histogram`.

use super::drop::refuse_repeated;
use super::{alter_run, engine_error, histogram, is_virtual_schema, resolve, resolve_kept};
use crate::context::VirtualColumn;
use crate::context::{AdminResult, ShowResult, StatementCtx};
use crate::errno;
use crate::meta::cache::no_such_table;
use crate::meta::view::ViewMeta;
use crate::session_api::SqlError;
use crate::value::{Collation, LobKind, SqlType, Value};
use weir_engine::Error;
use weir_engine::ObjectKind;
use weir_syntax::ast::called_functions;
use weir_syntax::ast::{AdminVerb, AlterSpec, TableAdmin, TableName};

const NAME: SqlType = SqlType::varchar(128, Collation::Utf8mb4GeneralCi);
pub const COLUMNS: [VirtualColumn; 4] = [
    VirtualColumn::new("Table", NAME),
    VirtualColumn::new("Op", SqlType::varchar(10, Collation::Utf8mb4GeneralCi)),
    VirtualColumn::new("Msg_type", SqlType::varchar(10, Collation::Utf8mb4GeneralCi)),
    VirtualColumn::new(
        "Msg_text",
        SqlType::Text { kind: LobKind::Medium, collation: Collation::Utf8mb4GeneralCi },
    ),
];

/// Runs a maintenance statement: a result set with the findings for each table.
pub async fn run(stmt: &TableAdmin, ctx: &mut StatementCtx<'_>) -> Result<AdminResult, SqlError> {
    refuse_repeated(&stmt.tables, ctx)?;
    let op = match &stmt.verb {
        AdminVerb::Analyze => "analyze",
        AdminVerb::Check => "check",
        AdminVerb::Optimize => "optimize",
        AdminVerb::Repair => "repair",
        AdminVerb::AssignToKeyCache(cache) => {
            if !cache.is("default") {
                return Err(SqlError::of(errno::ER_UNKNOWN_KEY_CACHE, &[&cache]));
            }
            "assign_to_keycache"
        }
        AdminVerb::PreloadKeys => "preload_keys",
        AdminVerb::Checksum => return Err(SqlError::internal("a checksum reads as a query does")),
        AdminVerb::UpdateHistogram { .. } | AdminVerb::DropHistogram { .. } => {
            return histogram::run(stmt, ctx).await;
        }
    };
    let mut result = ShowResult::new(COLUMNS.to_vec());
    for name in &stmt.tables {
        let (schema, table) = resolve(name, ctx)?;
        let shown = format!("{schema}.{table}");
        let (schema, table) = resolve_kept(name, ctx)?;
        let mut row = |kind: &'static str, text: String| {
            let cells = [shown.clone(), op.into(), kind.into(), text];
            result.rows.push(cells.into_iter().map(text_value).collect());
        };
        if ctx.reads.shared.computed(&schema, &table).is_some() || is_virtual_schema(&schema) {
            row("note", "The storage engine for the table doesn't support ".to_owned() + op);
            continue;
        }
        let view = ctx.reads.db().object(weir_engine::ObjectKind::View, &schema, &table);
        if let Some(view) = view {
            match stmt.verb {
                AdminVerb::Check => match check_view(&view, ctx) {
                    Ok(()) if !calls_what_is_gone(&view, ctx)? => row("status", "OK".into()),
                    Ok(()) => {
                        row("Error", crate::meta::view::invalid(&schema, &table).message);
                        row("status", "Operation failed".into());
                    }
                    Err(e) => {
                        row("Error", e.message);
                        row("error", "Corrupt".into());
                    }
                },
                _ => {
                    let e = super::view::is_not(&schema, &table, "BASE TABLE");
                    row("Error", e.message);
                    row("status", "Operation failed".into());
                }
            }
            continue;
        }
        if ctx.reads.db().table(&schema, &table).is_none() {
            row("Error", no_such_table(&schema, &table).message);
            row("status", "Operation failed".into());
            continue;
        }
        for (kind, text) in one(&stmt.verb, name, &schema, &table, ctx).await? {
            row(kind, text);
        }
    }
    Ok(AdminResult::Rows(result))
}

/// Whether what the view reads is still there, and is what it was, and so is the account that it reads it as.
fn check_view(view: &weir_engine::Object, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    let meta = ViewMeta::of(view)?;
    let (user, host) = &meta.definer;
    if !meta.invoker && ctx.reads.shared.accounts.get(user, host).is_none() {
        return Err(SqlError::of(errno::ER_NO_SUCH_USER, &[user, host]));
    }
    let shown = crate::canonical::shown(view, &meta, ctx.reads)?;
    match shown.valid {
        true => Ok(()),
        false => Err(crate::meta::view::invalid(&view.schema, &view.name)),
    }
}

/// Whether the view, or one that it reads, calls a stored function that is not there any more.
fn calls_what_is_gone(
    view: &weir_engine::Object,
    ctx: &StatementCtx<'_>,
) -> Result<bool, SqlError> {
    let db = ctx.reads.db();
    let (mut seen, mut open) = (Vec::new(), vec![(view.schema.clone(), view.name.clone())]);
    while let Some((schema, name)) = open.pop() {
        if seen.contains(&(schema.clone(), name.clone())) {
            continue;
        }
        let Some(o) = db.object(ObjectKind::View, &schema, &name) else { continue };
        let mut query = ViewMeta::of(&o)?.parse()?;
        for (of, function) in called_functions(&query) {
            if of.is_none() && crate::func::names::is_built_in(function.as_str()) {
                continue;
            }
            let of = of.as_ref().map_or(&*schema, |s| s.as_str());
            let function = crate::meta::program::object_name(function.as_str());
            if db.object(ObjectKind::Function, of, &function).is_none() {
                return Ok(true);
            }
        }
        open.extend(crate::canonical::tables_of(&mut query, ctx.reads));
        seen.push((schema, name));
    }
    Ok(false)
}

pub fn text_value(text: String) -> Value<'static> {
    Value::text(text.into_bytes(), Collation::Utf8mb4GeneralCi)
}

type Findings = Vec<(&'static str, String)>;

fn unsupported(op: &str) -> Findings {
    vec![("note", format!("The storage engine for the table doesn't support {op}"))]
}

async fn one(
    verb: &AdminVerb,
    name: &TableName,
    schema: &str,
    table: &str,
    ctx: &mut StatementCtx<'_>,
) -> Result<Findings, SqlError> {
    let engine = ctx.reads.db().table(schema, table).ok_or_else(|| no_such_table(schema, table))?;
    let ok = || ("status", "OK".to_owned());
    let held = ctx.reads.locked.map(|l| l.held.clone());
    let held = held.as_deref();
    Ok(match verb {
        AdminVerb::Analyze => {
            ctx.reads.db().analyze_table_of(&engine, held).await.map_err(engine_error)?;
            histogram::refresh(schema, table, ctx).await?;
            vec![ok()]
        }
        AdminVerb::Check => {
            let interrupt = ctx.reads.interrupt.clone();
            let limit = ctx.reads.settings.ddl_timeout;
            let checked = ctx.reads.db().check_table_of(&engine, &interrupt, held, limit).await;
            let mut found = match checked {
                // What cannot be read is what was looked for.
                Err(e @ (Error::Corrupt { .. } | Error::Io { .. })) => vec![e.to_string()],
                other => other.map_err(engine_error)?,
            };
            if found.is_empty() && !engine.parts.is_empty() {
                let known = ctx.reads.meta().lookup(ctx.reads.db(), schema, table)?;
                found = super::partition_rows::findings(&known, None, ctx).await?;
            }
            let mut findings: Findings = found.into_iter().map(|text| ("error", text)).collect();
            let last = if findings.is_empty() { ok() } else { ("error", "Corrupt".to_owned()) };
            findings.push(last);
            findings
        }
        AdminVerb::Optimize => {
            let note = "Table does not support optimize, doing recreate + analyze instead";
            let done = alter_run::alter_table(name, &[AlterSpec::Force], ctx).await;
            let mut findings: Findings = vec![("note", note.into())];
            match done {
                Ok(_) => {
                    if let Some(rebuilt) = ctx.reads.db().table(schema, table) {
                        ctx.reads
                            .db()
                            .analyze_table_of(&rebuilt, held)
                            .await
                            .map_err(engine_error)?;
                    }
                    findings.push(ok());
                }
                // The session begins the statement again.
                Err(e) if e.errno == errno::ER_TABLE_DEF_CHANGED => return Err(e),
                Err(e) => {
                    findings.push(("error", e.message));
                    findings.push(("status", "Operation failed".into()));
                }
            }
            findings
        }
        AdminVerb::AssignToKeyCache(_) => unsupported("assign_to_keycache"),
        AdminVerb::PreloadKeys => unsupported("preload_keys"),
        _ => unsupported("repair"),
    })
}
