//! Tables of performance_schema that monitors name: those without rows, and the prepared statements of all sessions.
use crate::common::*;
use weir_sql::session_api::ParamValue;

/// What Workbench, exporters and orchestrators of replicas read.
const NAMED: &[&str] = &[
    "binary_log_transaction_compression_stats",
    "error_log",
    "events_errors_summary_global_by_error",
    "events_stages_current",
    "events_stages_history_long",
    "events_statements_history_long",
    "events_statements_summary_by_program",
    "events_statements_summary_global_by_event_name",
    "events_transactions_current",
    "events_transactions_history",
    "events_transactions_history_long",
    "events_transactions_summary_global_by_event_name",
    "events_waits_current",
    "events_waits_history_long",
    "events_waits_summary_by_instance",
    "file_instances",
    "file_summary_by_instance",
    "host_cache",
    "keyring_component_status",
    "keyring_keys",
    "log_status",
    "objects_summary_global_by_type",
    "prepared_statements_instances",
    "replication_applier_configuration",
    "replication_applier_filters",
    "replication_applier_global_filters",
    "replication_applier_status",
    "replication_applier_status_by_coordinator",
    "replication_applier_status_by_worker",
    "replication_asynchronous_connection_failover",
    "replication_asynchronous_connection_failover_managed",
    "replication_connection_configuration",
    "replication_connection_status",
    "replication_group_member_stats",
    "replication_group_members",
    "socket_instances",
    "status_by_account",
    "table_handles",
    "table_io_waits_summary_by_table",
    "tls_channel_status",
    "user_defined_functions",
    "variables_info",
];

#[test]
fn tables_that_monitors_name_are_there() {
    with_server(1, |server| async move {
        let mut c = server.client();
        for name in NAMED {
            let answer = c.ask(&format!("select * from performance_schema.{name}")).await;
            assert_eq!(answer.error, None, "{name}");
            assert!(answer.columns.len() > 1, "{name}");
            assert_eq!(answer.rows.len(), 0, "{name}");
        }
        c.check(&[
            (
                "select column_name, column_type, is_nullable from information_schema.columns
                 where table_schema = 'performance_schema' and table_name = 'replication_applier_status_by_coordinator'
                 order by ordinal_position limit 8",
                "CHANNEL_NAME|char(64)|NO; THREAD_ID|bigint unsigned|YES; SERVICE_STATE|varchar(3)|NO; LAST_ERROR_NUMBER|int|NO; \
                 LAST_ERROR_MESSAGE|varchar(1024)|NO; LAST_ERROR_TIMESTAMP|timestamp(6)|NO; LAST_PROCESSED_TRANSACTION|char(57)|YES; \
                 LAST_PROCESSED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP|timestamp(6)|NO",
            ),
            (
                "select group_concat(column_name, ' ', column_type order by ordinal_position) from information_schema.columns
                 where table_schema = 'performance_schema' and table_name = 'log_status'",
                "SERVER_UUID char(36),LOCAL json,REPLICATION json,STORAGE_ENGINES json",
            ),
            ("truncate table performance_schema.events_waits_history_long", "ok 0"),
            ("truncate table performance_schema.replication_applier_status", "E1142"),
            ("insert into performance_schema.keyring_keys values ('a', 'b', 'c')", "E1044"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

const PREPARED: &str =
    "select statement_name, sql_text, owner_thread_id, count_execute, statement_id > 0
    from performance_schema.prepared_statements_instances order by object_instance_begin";

#[test]
fn prepared_statements_of_all_sessions_are_listed() {
    with_server(1, |server| async move {
        let (mut c, mut d) = (server.client(), server.client());
        c.rows("create table t (a int primary key)").await;
        let one = c.rows("select connection_id()").await;
        let two = d.rows("select connection_id()").await;
        c.all(&["prepare P1 from 'select a from t where a = ?'", "set @a = 1"]).await;
        c.all(&["execute p1 using @a", "execute p1 using @a"]).await;
        let id = d.0.prepare(b"insert into t values (?)").await.expect("prepares").id;
        for n in 1..=3 {
            d.execute(id, &[ParamValue::Int(n)]).await;
        }
        let named = format!("P1|select a from t where a = ?|{one}|2|1");
        let numbered = format!("NULL|insert into t values (?)|{two}|3|1");
        assert_eq!(c.rows(PREPARED).await, format!("{named}; {numbered}"));
        // Those of others are for accounts with PROCESS.
        c.all(&["create user u@localhost", "grant select on performance_schema.* to u@localhost"])
            .await;
        let mut u = server.client_of("u");
        assert_eq!(u.rows(PREPARED).await, "");
        u.rows("prepare own from 'select 1'").await;
        let own = u.rows(
            "select statement_name, sql_text from performance_schema.prepared_statements_instances",
        );
        assert_eq!(own.await, "own|select 1");
        u.0.close().await;
        // Another statement takes the place of the one with its name, and what is closed is gone.
        c.rows("prepare p1 from 'select 2'").await;
        d.0.close_statement(id);
        assert_eq!(c.rows(PREPARED).await, format!("p1|select 2|{one}|0|1"));
        c.rows("deallocate prepare p1").await;
        assert_eq!(c.rows(PREPARED).await, "");
        for client in [c, d] {
            client.0.close().await;
        }
        drop(server);
    });
}
