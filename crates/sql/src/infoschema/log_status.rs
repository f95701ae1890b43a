//! `performance_schema.log_status`: where all logs are at one moment, for programs that back a running server up.

use super::cells::{Row, s};
use crate::account::Privileges;
use crate::context::TableReads;
use crate::ddl::engine_error;
use crate::session_api::SqlError;
use crate::value::Value;
use crate::value::json::parse;
use crate::vars::Var;

pub const NAME: &str = "log_status";

/// 1227 without BACKUP_ADMIN, as in MySQL: the right to the table alone does not do.
pub async fn rows(cx: TableReads<'_>) -> Result<Vec<Row>, SqlError> {
    cx.access.clone().require_any_global(Privileges::BACKUP_ADMIN)?;
    let shared = cx.reads.shared;
    let channels: Vec<String> = match shared.replicas.get() {
        Some(replicas) => replicas.channels().iter().map(|c| channel(&c.name)).collect(),
        None => Vec::new(),
    };
    let log = shared.binlog.get().filter(|l| l.is_on());
    let executed = match log {
        Some(log) => Some(log.executed_and_place().await.map_err(engine_error)?),
        None => None,
    };
    let local = match executed {
        Some((mut set, place)) => {
            set.union(&shared.vars.gtids_of_others());
            let set = set.to_string().replace('\n', "");
            format!(
                r#"{{"gtid_executed": "{set}", "binary_log_file": "{}", "binary_log_position": {}}}"#,
                place.file, place.position
            )
        }
        None => r#"{"gtid_executed": ""}"#.to_owned(),
    };
    let (lsn, checkpoint) = cx.reads.db().log_places();
    let engines = format!(r#"{{"InnoDB": {{"LSN": {lsn}, "LSN_checkpoint": {checkpoint}}}}}"#);
    let replication = format!(r#"{{"channels": [{}]}}"#, channels.join(", "));
    let uuid = s(shared.vars.text(Var::server_uuid).to_string());
    Ok(vec![vec![uuid, json(&local)?, json(&replication)?, json(&engines)?]])
}

/// There is no relay log whose place could be told.
fn channel(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!(r#"{{"channel_name": "{name}", "relay_log_file": "", "relay_log_position": 0}}"#)
}

fn json(text: &str) -> Result<Value<'static>, SqlError> {
    let broken = || SqlError::internal("a document of log_status");
    let dom = parse(text.as_bytes()).map_err(|_| broken())?;
    Ok(Value::Json(dom.to_json().map_err(|_| broken())?))
}
