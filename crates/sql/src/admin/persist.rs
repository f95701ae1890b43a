//! RESET PERSIST, and which variables SET PERSIST takes.

use super::replication::channel_name;
use crate::context::{AdminResult, StatementCtx};
use crate::ddl::engine_error;
use crate::errno;
use crate::session_api::SqlError;
use crate::show::replication::check_channel;
use crate::vars::{Settable, Var};
use weir_syntax::ast::ResetKind;

/// 1238 for a variable whose value cannot be kept, or whose value cannot be set now and is not asked to be kept only.
pub fn check_persistent(var: Var, only: bool) -> Result<(), SqlError> {
    let def = var.def();
    let what = match def.settable {
        Settable::Running => return Err(session_only(def.name)),
        Settable::AtStart if !only => "read only",
        _ if def.is_persistent() => return Ok(()),
        Settable::Always => "non persistent",
        _ => "non persistent read only",
    };
    Err(SqlError::of(errno::ER_INCORRECT_GLOBAL_LOCAL_VAR, &[&def.name, &what]))
}

fn session_only(name: &str) -> SqlError {
    SqlError::of(errno::ER_LOCAL_VARIABLE, &[&name])
}

pub async fn reset(list: &[ResetKind], cx: &mut StatementCtx<'_>) -> Result<AdminResult, SqlError> {
    let replicas = cx.reads.shared.replicas.get().cloned();
    for what in list {
        let (if_exists, name) = match what {
            ResetKind::Persist { if_exists, name } => (if_exists, name),
            ResetKind::Replica { all, channel } => {
                match &replicas {
                    Some(r) => r.reset(channel_name(channel.as_deref()).as_deref(), *all).await?,
                    None => check_channel(channel.as_deref())?,
                }
                continue;
            }
            ResetKind::BinaryLogs(to) => {
                if let Some(r) = &replicas {
                    r.forget_gtids().await?;
                }
                if let Some(log) = cx.reads.shared.binlog.get().filter(|l| l.is_on()) {
                    let to = to.unwrap_or(1).clamp(1, u64::from(i32::MAX as u32)) as u32;
                    log.reset(to).await.map_err(engine_error)?;
                }
                continue;
            }
        };
        let name = name.as_ref().map(|n| n.as_str().to_ascii_lowercase());
        // By an old name as well.
        let name = name.map(|n| Var::lookup(&n).map_or(n, |v| v.name().to_owned()));
        if !cx.reads.shared.persisted.forget(name.as_deref())? {
            let name = name.unwrap_or_default();
            let text = format!("Variable {name} does not exist in persisted config file");
            if !if_exists {
                return Err(SqlError::new(errno::ER_VAR_DOES_NOT_EXIST, text));
            }
            cx.changes.warnings.warn(errno::ER_VAR_DOES_NOT_EXIST, || text);
        }
    }
    Ok(AdminResult::ok())
}
