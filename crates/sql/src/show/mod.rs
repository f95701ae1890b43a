//! SHOW and DESCRIBE: MySQL 8.0's columns in MySQL's order.
//!
//! Lists are made here and filtered by LIKE on their first column or by WHERE over their columns.

pub mod binary_log;
pub mod create_table;
pub mod events;
pub mod partition;
mod programs;
pub mod replication;
mod server;
mod tables;

use crate::account::host::like;
use crate::context::{AdminResult, ShowResult, StatementCtx};
use crate::errno;
use crate::infoschema::cells::settle;
use crate::session_api::SqlError;
use weir_engine::ObjectKind;
use weir_syntax::ast::{DescribeColumn, Show, ShowFilter, ShowKind, TableName};

pub async fn run(s: &Show, cx: &mut StatementCtx<'_>) -> Result<AdminResult, SqlError> {
    let pattern = match &s.filter {
        Some(ShowFilter::Like(p)) => Some(String::from_utf8_lossy(p).into_owned()),
        _ => None,
    };
    let mut r = match &s.kind {
        ShowKind::Databases => tables::databases(pattern.as_deref(), cx),
        ShowKind::Tables { full, schema, .. } => {
            tables::tables(*full, schema.as_ref(), pattern.as_deref(), cx)?
        }
        ShowKind::TableStatus { schema } => tables::status(schema.as_ref(), cx)?,
        ShowKind::OpenTables { .. } => tables::open_tables(),
        ShowKind::Columns { full, extended, table } => {
            tables::columns(*full, *extended, table, cx)?
        }
        ShowKind::Index { table, .. } => tables::indexes(table, cx)?,
        ShowKind::CreateTable(t) => tables::create_table(t, cx)?,
        ShowKind::CreateDatabase { name, if_not_exists } => {
            tables::create_database(name.as_str(), *if_not_exists, cx)?
        }
        ShowKind::Variables { global } => server::variables(*global, cx),
        ShowKind::Status { global } => server::status(*global, cx),
        ShowKind::Processlist { full } => server::processlist(*full, cx),
        ShowKind::Engine { name, what } => server::engine(name.as_str(), what.as_str(), cx)?,
        ShowKind::Engines => server::engines(),
        ShowKind::InnodbStatus { near, line } => server::innodb_status(near, *line, cx)?,
        ShowKind::Warnings(limit) => server::warnings(false, limit.as_ref(), cx)?,
        ShowKind::Errors(limit) => server::warnings(true, limit.as_ref(), cx)?,
        ShowKind::CountWarnings => {
            server::count("@@session.warning_count", cx.reads.last_warnings.total())
        }
        ShowKind::CountErrors => server::count("@@session.error_count", server::errors(cx)),
        ShowKind::Grants { user, using } => server::grants(user.as_ref(), using, cx)?,
        ShowKind::CreateUser(u) => server::create_user(u, cx)?,
        ShowKind::CharacterSet => server::charsets(cx),
        ShowKind::Collation => server::collations(cx),
        ShowKind::Plugins => server::plugins(),
        ShowKind::Privileges => server::privileges(),
        ShowKind::Triggers { schema, .. } => {
            programs::triggers(schema.as_ref(), pattern.as_deref(), cx)?
        }
        ShowKind::Events { schema } => events::list(schema.as_ref(), cx)?,
        ShowKind::ProcedureStatus => {
            programs::status(ObjectKind::Procedure, pattern.as_deref(), cx)
        }
        ShowKind::FunctionStatus => programs::status(ObjectKind::Function, pattern.as_deref(), cx),
        ShowKind::BinaryLogStatus => Box::pin(binary_log::status(cx)).await?,
        ShowKind::ReplicaStatus { old, channel } => replication::replica_status(
            cx.reads.shared,
            cx.reads.settings.tz,
            *old,
            channel.as_deref(),
        )?,
        ShowKind::Replicas => binary_log::replicas(cx),
        ShowKind::BinlogEvents { log, position, limit } => {
            Box::pin(binary_log::events(log.as_deref(), *position, limit.as_ref(), cx)).await?
        }
        ShowKind::RelaylogEvents { channel, .. } => {
            replication::check_known(cx.reads.shared, channel.as_deref())?;
            replication::log_events()
        }
        ShowKind::BinaryLogs => Box::pin(binary_log::files(cx)).await?,
        ShowKind::CreateView(t) => tables::create_view(t, cx)?,
        ShowKind::CreateProcedure(n) => programs::create(ObjectKind::Procedure, n, cx)?,
        ShowKind::CreateFunction(n) => programs::create(ObjectKind::Function, n, cx)?,
        ShowKind::CreateTrigger(n) => programs::create(ObjectKind::Trigger, n, cx)?,
        ShowKind::CreateEvent(n) => events::create(n, cx)?,
        ShowKind::RoutineCode(_) => {
            let args: [&dyn std::fmt::Display; 2] =
                [&"SHOW PROCEDURE|FUNCTION CODE", &"--with-debug"];
            return Err(SqlError::of(errno::ER_FEATURE_DISABLED, &args));
        }
        ShowKind::Profiles | ShowKind::Profile { .. } => {
            return Err(SqlError::not_supported("SHOW PROFILE"));
        }
    };
    settle(&r.columns, &mut r.rows);
    match &s.filter {
        None => {}
        // Of these LIKE is about another column.
        Some(ShowFilter::Like(_))
            if matches!(
                s.kind,
                ShowKind::Triggers { .. } | ShowKind::ProcedureStatus | ShowKind::FunctionStatus
            ) => {}
        Some(ShowFilter::Like(_)) if matches!(s.kind, ShowKind::Events { .. }) => {
            let p = pattern.unwrap_or_default().to_lowercase();
            let name =
                |row: &[crate::value::Value<'_>]| row.get(1).and_then(|v| v.to_string_lossy());
            r.rows.retain(|row| name(row).is_some_and(|t| like(&p, &t.to_lowercase())));
        }
        Some(ShowFilter::Like(_)) => {
            let p = pattern.unwrap_or_default().to_lowercase();
            r.rows.retain(|row| {
                row.first()
                    .and_then(|v| v.to_string_lossy())
                    .is_some_and(|t| like(&p, &t.to_lowercase()))
            });
        }
        Some(ShowFilter::Where(e)) => {
            let Some(keep) = (cx.reads.shared.filter)(cx, e, &r.columns, &r.rows)? else {
                return Ok(AdminResult::Unfiltered(r));
            };
            let mut keep = keep.into_iter();
            r.rows.retain(|_| keep.next().unwrap_or(false));
        }
    }
    Ok(AdminResult::Rows(r))
}

/// DESCRIBE table [column or pattern].
pub fn describe(
    table: &TableName,
    column: Option<&DescribeColumn>,
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let mut r = tables::columns(false, false, table, cx)?;
    let wanted = |name: &str| match column {
        None => true,
        Some(DescribeColumn::Name(n)) => crate::meta::same_name(n.as_str(), name),
        Some(DescribeColumn::Pattern(p)) => {
            like(&String::from_utf8_lossy(p).to_lowercase(), &name.to_lowercase())
        }
    };
    r.rows.retain(|row| row.first().and_then(|v| v.to_string_lossy()).is_some_and(|n| wanted(&n)));
    settle(&r.columns, &mut r.rows);
    Ok(r)
}
