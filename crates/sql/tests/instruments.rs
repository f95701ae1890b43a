//! Tables of performance_schema that monitors name, the figures of those with rows, and counters of what is decided by the values at hand.
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
    "events_transactions_current",
    "events_transactions_history",
    "events_transactions_history_long",
    "events_transactions_summary_global_by_event_name",
    "events_waits_current",
    "events_waits_history_long",
    "events_waits_summary_by_instance",
    "file_instances",
    "host_cache",
    "keyring_component_status",
    "keyring_keys",
    "log_status",
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
    "table_handles",
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
            // The place of the logs is known; of all others nothing has happened.
            assert_eq!(answer.rows.len(), usize::from(*name == "log_status"), "{name}");
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

const BY_INDEX: &str =
    "select ifnull(index_name, '-'), count_fetch, count_insert, count_update, count_delete from
     performance_schema.table_io_waits_summary_by_index_usage where object_name = 't' order by index_name is null, index_name";
const BY_TABLE: &str = "select count_star, count_read, count_write, count_fetch, count_insert, count_update, count_delete
     from performance_schema.table_io_waits_summary_by_table where object_name = 't'";

#[test]
fn rows_are_counted_by_table_and_index() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int primary key, b int, c int, d text, key b (b), key c (c))",
            "insert into t values (1, 1, 1, ''), (2, 2, 2, ''), (3, 3, 3, '')",
            "insert into t values (4, 4, 4, '')",
        ])
        .await;
        assert_eq!(c.rows(BY_INDEX).await, "b|0|0|0|0; c|0|0|0|0; PRIMARY|0|0|0|0; -|0|4|0|0");
        // A row by its key, three of a range, one by an index and its row, all of them.
        c.rows("select d from t where a = 2").await;
        c.rows("select d from t where a between 2 and 4").await;
        c.rows("select d from t where b = 3").await;
        c.rows("select sum(a), max(d) from t").await;
        assert_eq!(c.rows(BY_INDEX).await, "b|1|0|0|0; c|0|0|0|0; PRIMARY|4|0|0|0; -|4|4|0|0");
        assert_eq!(c.rows(BY_TABLE).await, "13|9|4|9|4|0|0");
        c.rows("update t set d = 'x' where a = 1").await;
        c.rows("update t force index (b) set d = 'y' where b > 2").await;
        c.rows("delete from t where a = 4").await;
        assert_eq!(c.rows(BY_INDEX).await, "b|3|0|0|0; c|0|0|0|0; PRIMARY|6|0|3|1; -|4|4|0|0");
        // The counters outlive a definition that keeps the index, and begin again when somebody says so.
        c.rows("alter table t drop index c").await;
        assert_eq!(c.rows(BY_INDEX).await, "b|3|0|0|0; PRIMARY|6|0|3|1; -|4|4|0|0");
        c.rows("truncate table performance_schema.table_io_waits_summary_by_index_usage").await;
        assert_eq!(c.rows(BY_TABLE).await, "0|0|0|0|0|0|0");
        // Partitions count for their table; without a primary key there is no name for the clustered index.
        c.rows("drop table t").await;
        c.all(&[
            "create table t (a int, key a (a)) partition by hash (a) partitions 3",
            "insert into t values (1), (2), (3)",
        ])
        .await;
        c.rows("select * from t ignore index (a)").await;
        c.rows("select count(*) from t where a >= 2").await;
        assert_eq!(c.rows(BY_INDEX).await, "a|2|0|0|0; -|3|3|0|0");
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn counters_of_sessions_by_thread_and_account() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int primary key)",
            "insert into t values (1)",
            "create user u@localhost",
        ])
        .await;
        c.rows("grant select on *.* to u@localhost").await;
        let db = c.rows("select database()").await;
        let by = |table: &str, of: &str| {
            format!(
                "select variable_value from performance_schema.{table} where variable_name = 'Handler_read_key' and {of}"
            )
        };
        let mut u = server.client_of("u");
        let id = u.rows("select connection_id()").await;
        for _ in 0..3 {
            u.rows(&format!("select * from {db}.t where a = 1")).await;
        }
        assert_eq!(c.rows(&by("status_by_thread", &format!("thread_id = {id}"))).await, "3");
        assert_eq!(
            c.rows(&by("status_by_account", "user = 'u' and host = 'localhost'")).await,
            "3"
        );
        let selects = "select count_star from performance_schema.events_statements_summary_by_user_by_event_name
                       where user = 'u' and event_name = 'statement/sql/select'";
        assert_eq!(c.rows(selects).await, "4");
        // Other people's figures are for those with PROCESS, and stay when their sessions end.
        assert_eq!(u.rows(&by("status_by_user", "user = 'root'")).await, "");
        assert_eq!(u.rows(&by("status_by_thread", &format!("thread_id <> {id}"))).await, "");
        u.0.close().await;
        assert_eq!(c.rows(&by("status_by_user", "user = 'u'")).await, "3");
        assert_eq!(c.rows(&by("status_by_thread", &format!("thread_id = {id}"))).await, "");
        c.rows("truncate table performance_schema.status_by_user").await;
        assert_eq!(c.rows(&by("status_by_user", "user = 'u'")).await, "");
        // What cannot be set back says so.
        for table in [
            "file_summary_by_instance",
            "events_statements_summary_global_by_event_name",
            "status_by_thread",
        ] {
            c.rows(&format!("truncate table performance_schema.{table}")).await;
            let said = c.rows("show warnings").await;
            assert!(
                said.starts_with(&format!("Warning|1235|TRUNCATE of '{table}' has no effect here")),
                "{said}"
            );
        }
        c.rows("truncate table performance_schema.objects_summary_global_by_type").await;
        assert_eq!(c.rows("show warnings").await, "");
        c.0.close().await;
        drop(server);
    });
}

/// What the planner and the executor decide by the values at hand has counters.
#[test]
fn plans_made_again_and_results_used_again_are_counted() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "set cte_max_recursion_depth = 10000",
            "create table t (a int primary key, b int, c int, pad char(50), key b (b))",
            "insert into t with recursive s as (select 1 as i union all select i + 1 from s where i < 6000) select i, i, i % 5, '' from s",
            "analyze table t",
        ])
        .await;
        let count = |name: &str| {
            format!(
                "select variable_value from performance_schema.session_status where variable_name = '{name}'"
            )
        };
        // A range of three rows and one of most rows of the table: each asks for a plan of its own.
        let remade = count("Weir_plan_cache_remade");
        for (from, to, sum, plans) in
            [(1, 3, 6, 0), (2, 4, 9, 0), (1, 5000, 10_000, 1), (1, 3, 6, 2)]
        {
            let asked = format!("select sum(c) from t where b between {from} and {to}");
            assert_eq!(c.rows(&asked).await, sum.to_string(), "{asked}");
            assert_eq!(c.rows(&remade).await, plans.to_string(), "{asked}");
        }
        let reused = count("Weir_subquery_results_reused");
        // Five values around a subquery: after its first runs it is not run again.
        let before: u64 = c.rows(&reused).await.parse().expect("a number");
        c.rows("select /*+ no_semijoin() */ count(*) from t x where x.b > (select avg(y.b) from t y where y.a < 50 + x.c) and x.a < 400").await;
        let after: u64 = c.rows(&reused).await.parse().expect("a number");
        assert!(after > before + 300, "{before} {after}");
        c.0.close().await;
        drop(server);
    });
}
