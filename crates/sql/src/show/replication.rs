//! SHOW of replicas and of the binary log: MySQL's columns, and no rows, for there is neither.

use crate::context::{ShowResult, VirtualColumn};
use crate::infoschema::columns_of;
use crate::session_api::SqlError;

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

/// 3074 for a channel that is named: a server without replication has the default channel alone, whose name is empty.
pub fn check_channel(channel: Option<&[u8]>) -> Result<(), SqlError> {
    match channel {
        None | Some([]) => Ok(()),
        Some(name) => {
            let name = String::from_utf8_lossy(name);
            Err(SqlError::new(3074, format!("Replica channel '{name}' does not exist.")))
        }
    }
}

/// SHOW REPLICA STATUS. `old`: SHOW SLAVE STATUS, whose columns have the names of before MySQL 8.0.22.
pub fn replica_status(old: bool, channel: Option<&[u8]>) -> Result<ShowResult, SqlError> {
    check_channel(channel)?;
    let mut columns = columns_of(REPLICA_STATUS);
    if old {
        columns = columns.into_iter().map(with_old_name).collect();
    }
    Ok(ShowResult::new(columns))
}

/// SHOW BINLOG EVENTS and SHOW RELAYLOG EVENTS.
pub fn log_events(channel: Option<&[u8]>) -> Result<ShowResult, SqlError> {
    check_channel(channel)?;
    let columns = "Log_name V20! Pos U! Event_type V20! Server_id N! End_log_pos U! Info V20!";
    Ok(ShowResult::new(columns_of(columns)))
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
    fn both_forms_have_their_names() {
        let names = |old| {
            let shown = replica_status(old, None).expect("the default channel");
            shown.columns.iter().map(|c| c.name.to_string()).collect::<Vec<_>>()
        };
        let (new, old) = (names(false), names(true));
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
        assert!(replica_status(false, Some(b"")).is_ok());
        assert_eq!(replica_status(false, Some(b"c")).map_err(|e| e.errno).err(), Some(3074));
    }
}
