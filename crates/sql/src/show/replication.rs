//! SHOW of replicas and of the binary log, with MySQL's columns. There is no log, and so no rows of one.

use crate::context::{Shared, ShowResult, VirtualColumn};
use crate::errno;
use crate::infoschema::cells::{s, u};
use crate::infoschema::columns_of;
use crate::replication::settings::Reading;
use crate::replication::{ChannelStatus, Failure};
use crate::session_api::SqlError;
use crate::value::convert::local_time;
use crate::value::{TimeZone, Value};

/// The columns of SHOW REPLICA STATUS, as [`columns_of`] reads them.
const REPLICA_STATUS: &str =
    "Replica_IO_State V14! Source_Host V256! Source_User V97! Source_Port N! Connect_Retry N! Source_Log_File V512!
     Read_Source_Log_Pos U! Relay_Log_File V512! Relay_Log_Pos U! Relay_Source_Log_File V512! Replica_IO_Running V3!
     Replica_SQL_Running V3! Replicate_Do_DB V20! Replicate_Ignore_DB V20! Replicate_Do_Table V20! Replicate_Ignore_Table V23!
     Replicate_Wild_Do_Table V24! Replicate_Wild_Ignore_Table V28! Last_Errno N! Last_Error V20! Skip_Counter N!
     Exec_Source_Log_Pos U! Relay_Log_Space U! Until_Condition V6! Until_Log_File V512! Until_Log_Pos U! Source_SSL_Allowed V7!
     Source_SSL_CA_File V512! Source_SSL_CA_Path V512! Source_SSL_Cert V512! Source_SSL_Cipher V512! Source_SSL_Key V512!
     Seconds_Behind_Source U! Source_SSL_Verify_Server_Cert V3! Last_IO_Errno N! Last_IO_Error V20! Last_SQL_Errno N!
     Last_SQL_Error V20! Replicate_Ignore_Server_Ids V512! Source_Server_Id N! Source_UUID V36! Source_Info_File V1024!
     SQL_Delay N! SQL_Remaining_Delay N! Replica_SQL_Running_State V20! Source_Retry_Count U! Source_Bind V256!
     Last_IO_Error_Timestamp V20! Last_SQL_Error_Timestamp V20! Source_SSL_Crl V512! Source_SSL_Crlpath V512!
     Retrieved_Gtid_Set V0! Executed_Gtid_Set V0! Auto_Position N! Replicate_Rewrite_DB V24! Channel_Name V192!
     Source_TLS_Version V512! Source_public_key_path V512! Get_Source_public_key N! Network_Namespace V193!";

/// 3074.
pub fn no_channel(name: &str) -> SqlError {
    SqlError::of(errno::ER_REPLICA_CHANNEL_DOES_NOT_EXIST, &[&name])
}

/// 3074 for a channel that is named: a server without replication has the default channel alone, whose name is empty.
pub fn check_channel(channel: Option<&[u8]>) -> Result<(), SqlError> {
    match channel {
        None | Some([]) => Ok(()),
        Some(name) => Err(no_channel(&String::from_utf8_lossy(name))),
    }
}

/// The channel that is named, or all of them. 3074 for one that is not there.
pub fn channels(shared: &Shared, channel: Option<&[u8]>) -> Result<Vec<ChannelStatus>, SqlError> {
    let Some(replicas) = shared.replicas.get() else {
        return check_channel(channel).map(|()| Vec::new());
    };
    let all = replicas.channels();
    let Some(name) = channel else { return Ok(all) };
    let name = String::from_utf8_lossy(name).to_lowercase();
    let found: Vec<ChannelStatus> = all.into_iter().filter(|c| c.name == name).collect();
    match found.is_empty() && !name.is_empty() {
        true => Err(no_channel(&name)),
        false => Ok(found),
    }
}

/// 3074 for a channel that is named and not there.
pub fn check_known(shared: &Shared, channel: Option<&[u8]>) -> Result<(), SqlError> {
    channels(shared, channel).map(drop)
}

/// SHOW REPLICA STATUS. `old`: SHOW SLAVE STATUS, whose columns have the names of before MySQL 8.0.22.
pub fn replica_status(
    shared: &Shared,
    tz: TimeZone,
    old: bool,
    channel: Option<&[u8]>,
) -> Result<ShowResult, SqlError> {
    let mut columns = columns_of(REPLICA_STATUS);
    if old {
        columns = columns.into_iter().map(with_old_name).collect();
    }
    let mut result = ShowResult::new(columns);
    for c in channels(shared, channel)? {
        result.rows.push(status_row(&c, tz, old));
    }
    Ok(result)
}

/// Before 8.0.22 states said master.
fn state(text: &str, old: bool) -> Value<'static> {
    s(if old { text.replace("source", "master") } else { text.to_owned() })
}

/// The cells of the columns of [`REPLICA_STATUS`], in its order.
fn status_row(c: &ChannelStatus, tz: TimeZone, old: bool) -> Vec<Value<'static>> {
    let (set, f) = (&c.settings, &c.filters);
    let joined = |l: &[String]| s(l.join(","));
    let tables = |l: &[(String, String)]| {
        s(l.iter().map(|(a, b)| format!("{a}.{b}")).collect::<Vec<_>>().join(","))
    };
    let yes = |b: bool| s(if b { "Yes" } else { "No" });
    let number = |e: &Option<Failure>| u(e.as_ref().map_or(0, |e| u64::from(e.errno)));
    let text = |e: &Option<Failure>| s(e.as_ref().map_or(String::new(), |e| e.text.clone()));
    let worst = if c.applier_error.is_some() { &c.applier_error } else { &None };
    let state = |t: &str| state(t, old);
    let mut row = vec![
        state(c.receiver_state),
        s(set.host.clone()),
        s(set.user.clone()),
        u(u64::from(set.port)),
        u(set.connect_retry),
        s(c.received.file.clone()),
        u(c.received.offset),
        // There are no files of a relay log.
        s(""),
        u(0),
        s(c.applied.file.clone()),
        s(c.receiver.name()),
        yes(c.applier),
        joined(&f.do_db),
        joined(&f.ignore_db),
        tables(&f.do_table),
        tables(&f.ignore_table),
        joined(&f.wild_do),
        joined(&f.wild_ignore),
        number(worst),
        text(worst),
        u(c.skip),
        u(c.applied.offset),
        u(c.waiting),
    ];
    row.extend(status_behind(c, tz, old));
    row
}

/// The cells from `Until_Condition` on.
fn status_behind(c: &ChannelStatus, tz: TimeZone, old: bool) -> Vec<Value<'static>> {
    let set = &c.settings;
    let number = |e: &Option<Failure>| u(e.as_ref().map_or(0, |e| u64::from(e.errno)));
    let text = |e: &Option<Failure>| s(e.as_ref().map_or(String::new(), |e| e.text.clone()));
    let time = |e: &Option<Failure>| s(e.as_ref().map_or(String::new(), |e| short_time(e.at, tz)));
    let yes = |b: bool| s(if b { "Yes" } else { "No" });
    let rewrite = c.filters.rewrite.iter().map(|(a, b)| format!("({a},{b})")).collect::<Vec<_>>();
    let ids: Vec<String> = set.ignore_server_ids.iter().map(u32::to_string).collect();
    let (until, place) = &c.until;
    vec![
        s(if until.is_empty() { "None" } else { *until }),
        s(place.file.clone()),
        u(place.offset),
        yes(set.tls),
        s(set.tls_ca.clone()),
        s(set.tls_capath.clone()),
        s(set.tls_cert.clone()),
        s(""),
        s(set.tls_key.clone()),
        c.behind.map_or(Value::Null, u),
        yes(set.tls_verify),
        number(&c.receiver_error),
        text(&c.receiver_error),
        number(&c.applier_error),
        text(&c.applier_error),
        s(ids.join(",")),
        u(u64::from(c.source_id)),
        s(c.source_uuid.clone()),
        s("mysql.slave_master_info"),
        u(set.delay),
        c.remaining_delay.map_or(Value::Null, u),
        state(c.applier_state, old),
        u(set.retry_count),
        s(set.bind.clone()),
        time(&c.receiver_error),
        time(&c.applier_error),
        s(""),
        s(""),
        s(c.retrieved.to_string()),
        s(c.executed.to_string()),
        u(u64::from(set.reading != Reading::Position)),
        s(rewrite.join(",")),
        s(c.name.clone()),
        s(set.tls_version.clone()),
        s(set.public_key_path.clone()),
        u(u64::from(set.get_public_key)),
        s(""),
    ]
}

/// YYMMDD hh:mm:ss.
fn short_time(micros: i64, tz: TimeZone) -> String {
    let Some(t) = local_time(micros, tz, 0) else { return String::new() };
    let (d, year) = (t.date, t.date.year % 100);
    format!("{year:02}{:02}{:02} {:02}:{:02}:{:02}", d.month, d.day, t.hour, t.minute, t.second)
}

/// SHOW BINLOG EVENTS and SHOW RELAYLOG EVENTS.
pub fn log_events() -> ShowResult {
    let columns = "Log_name V20! Pos U! Event_type V20! Server_id N! End_log_pos U! Info V20!";
    ShowResult::new(columns_of(columns))
}

fn with_old_name(column: VirtualColumn) -> VirtualColumn {
    let name = match &*column.name {
        "Get_Source_public_key" => "Get_master_public_key".to_owned(),
        name => name.replace("Replica_", "Slave_").replace("Source", "Master"),
    };
    VirtualColumn { name: name.into(), ..column }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_have_their_names_and_a_cell_for_each() {
        let new: Vec<String> =
            columns_of(REPLICA_STATUS).iter().map(|c| c.name.to_string()).collect();
        let old = columns_of(REPLICA_STATUS).into_iter().map(with_old_name);
        let old: Vec<String> = old.map(|c| c.name.to_string()).collect();
        assert_eq!((new.len(), old.len()), (60, 60));
        for (at, new_name, old_name) in [
            (0, "Replica_IO_State", "Slave_IO_State"),
            (1, "Source_Host", "Master_Host"),
            (9, "Relay_Source_Log_File", "Relay_Master_Log_File"),
            (12, "Replicate_Do_DB", "Replicate_Do_DB"),
            (32, "Seconds_Behind_Source", "Seconds_Behind_Master"),
            (58, "Get_Source_public_key", "Get_master_public_key"),
        ] {
            assert_eq!((&*new[at], &*old[at]), (new_name, old_name));
        }
        let mut c = ChannelStatus::default();
        c.settings.user = "u".into();
        c.behind = Some(7);
        let row = status_row(&c, TimeZone::UTC, false);
        assert_eq!(row.len(), new.len());
        let cell = |name: &str| &row[new.iter().position(|n| n == name).expect("a column")];
        assert_eq!(cell("Source_User").to_string_lossy().as_deref(), Some("u"));
        assert_eq!(cell("Seconds_Behind_Source").to_string_lossy().as_deref(), Some("7"));
        assert_eq!(cell("Until_Condition").to_string_lossy().as_deref(), Some("None"));
        assert!(check_channel(Some(b"")).is_ok());
        assert_eq!(check_channel(Some(b"c")).map_err(|e| e.errno), Err(3074));
    }
}
