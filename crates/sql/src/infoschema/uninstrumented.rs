//! Tables of performance_schema about what is not instrumented here, not configured or not there: their columns, and no rows. Monitors
//! read them by name: Workbench, exporters, orchestrators of replicas. The columns are those of MySQL.

use super::empty::{Empty, performance};
use crate::context::VirtualTable;

pub fn all() -> Vec<&'static dyn VirtualTable> {
    TABLES.iter().map(|t| t as &dyn VirtualTable).collect()
}

/// Columns of a summary by `$keys`: how often an error was raised.
macro_rules! errors {
    ($keys:literal) => {
        concat!(
            $keys,
            " ERROR_NUMBER S ERROR_NAME V64 SQL_STATE V5 SUM_ERROR_RAISED U! SUM_ERROR_HANDLED U! FIRST_SEEN D LAST_SEEN D"
        )
    };
}

/// Columns of a summary by `$keys`: how often and how long.
macro_rules! timers {
    ($keys:literal) => {
        concat!(
            $keys,
            " COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U!"
        )
    };
}

/// Columns of a summary by `$keys`: what transactions came to.
macro_rules! transactions {
    ($keys:literal) => {
        concat!(
            $keys,
            " COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U! COUNT_READ_WRITE U!
             SUM_TIMER_READ_WRITE U! MIN_TIMER_READ_WRITE U! AVG_TIMER_READ_WRITE U! MAX_TIMER_READ_WRITE U! COUNT_READ_ONLY U!
             SUM_TIMER_READ_ONLY U! MIN_TIMER_READ_ONLY U! AVG_TIMER_READ_ONLY U! MAX_TIMER_READ_ONLY U!"
        )
    };
}

static TABLES: [Empty; 56] = [
    performance(
        "binary_log_transaction_compression_stats",
        "LOG_TYPE V6! COMPRESSION_TYPE V64! TRANSACTION_COUNTER U! COMPRESSED_BYTES_COUNTER U! UNCOMPRESSED_BYTES_COUNTER U!
         COMPRESSION_PERCENTAGE S! FIRST_TRANSACTION_ID X FIRST_TRANSACTION_COMPRESSED_BYTES U! FIRST_TRANSACTION_UNCOMPRESSED_BYTES
         U! FIRST_TRANSACTION_TIMESTAMP D6 LAST_TRANSACTION_ID X LAST_TRANSACTION_COMPRESSED_BYTES U!
         LAST_TRANSACTION_UNCOMPRESSED_BYTES U! LAST_TRANSACTION_TIMESTAMP D6",
    ),
    performance(
        "cond_instances",
        "NAME V128! OBJECT_INSTANCE_BEGIN U!",
    ),
    performance("events_errors_summary_by_account_by_error", errors!("USER C32 HOST C255")),
    performance("events_errors_summary_by_host_by_error", errors!("HOST C255")),
    performance("events_errors_summary_by_thread_by_error", errors!("THREAD_ID U!")),
    performance("events_errors_summary_by_user_by_error", errors!("USER C32")),
    performance("events_errors_summary_global_by_error", errors!("")),
    performance("events_stages_current", STAGES),
    performance("events_stages_history", STAGES),
    performance("events_stages_history_long", STAGES),
    performance("events_stages_summary_by_account_by_event_name", timers!("USER C32 HOST C255 EVENT_NAME V128!")),
    performance("events_stages_summary_by_host_by_event_name", timers!("HOST C255 EVENT_NAME V128!")),
    performance("events_stages_summary_by_thread_by_event_name", timers!("THREAD_ID U! EVENT_NAME V128!")),
    performance("events_stages_summary_by_user_by_event_name", timers!("USER C32 EVENT_NAME V128!")),
    performance(
        "events_statements_summary_by_program",
        "OBJECT_TYPE V9! OBJECT_SCHEMA V64! OBJECT_NAME V64! COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U!
         MAX_TIMER_WAIT U! COUNT_STATEMENTS U! SUM_STATEMENTS_WAIT U! MIN_STATEMENTS_WAIT U! AVG_STATEMENTS_WAIT U!
         MAX_STATEMENTS_WAIT U! SUM_LOCK_TIME U! SUM_ERRORS U! SUM_WARNINGS U! SUM_ROWS_AFFECTED U! SUM_ROWS_SENT U!
         SUM_ROWS_EXAMINED U! SUM_CREATED_TMP_DISK_TABLES U! SUM_CREATED_TMP_TABLES U! SUM_SELECT_FULL_JOIN U!
         SUM_SELECT_FULL_RANGE_JOIN U! SUM_SELECT_RANGE U! SUM_SELECT_RANGE_CHECK U! SUM_SELECT_SCAN U! SUM_SORT_MERGE_PASSES U!
         SUM_SORT_RANGE U! SUM_SORT_ROWS U! SUM_SORT_SCAN U! SUM_NO_INDEX_USED U! SUM_NO_GOOD_INDEX_USED U! SUM_CPU_TIME U!
         MAX_CONTROLLED_MEMORY U! MAX_TOTAL_MEMORY U! COUNT_SECONDARY U!",
    ),
    performance("events_transactions_current", TRANSACTIONS),
    performance("events_transactions_history", TRANSACTIONS),
    performance("events_transactions_history_long", TRANSACTIONS),
    performance("events_transactions_summary_by_account_by_event_name", transactions!("USER C32 HOST C255 EVENT_NAME V128!")),
    performance("events_transactions_summary_by_host_by_event_name", transactions!("HOST C255 EVENT_NAME V128!")),
    performance("events_transactions_summary_by_thread_by_event_name", transactions!("THREAD_ID U! EVENT_NAME V128!")),
    performance("events_transactions_summary_by_user_by_event_name", transactions!("USER C32 EVENT_NAME V128!")),
    performance("events_transactions_summary_global_by_event_name", transactions!("EVENT_NAME V128!")),
    performance("events_waits_current", WAITS),
    performance("events_waits_history", WAITS),
    performance("events_waits_history_long", WAITS),
    performance("events_waits_summary_by_account_by_event_name", timers!("USER C32 HOST C255 EVENT_NAME V128!")),
    performance("events_waits_summary_by_host_by_event_name", timers!("HOST C255 EVENT_NAME V128!")),
    performance("events_waits_summary_by_instance", timers!("EVENT_NAME V128! OBJECT_INSTANCE_BEGIN U!")),
    performance("events_waits_summary_by_thread_by_event_name", timers!("THREAD_ID U! EVENT_NAME V128!")),
    performance("events_waits_summary_by_user_by_event_name", timers!("USER C32 EVENT_NAME V128!")),
    performance(
        "file_instances",
        "FILE_NAME V512! EVENT_NAME V128! OPEN_COUNT N!",
    ),
    performance(
        "host_cache",
        "IP V64! HOST V255 HOST_VALIDATED V3! SUM_CONNECT_ERRORS I! COUNT_HOST_BLOCKED_ERRORS I! COUNT_NAMEINFO_TRANSIENT_ERRORS I!
         COUNT_NAMEINFO_PERMANENT_ERRORS I! COUNT_FORMAT_ERRORS I! COUNT_ADDRINFO_TRANSIENT_ERRORS I!
         COUNT_ADDRINFO_PERMANENT_ERRORS I! COUNT_FCRDNS_ERRORS I! COUNT_HOST_ACL_ERRORS I! COUNT_NO_AUTH_PLUGIN_ERRORS I!
         COUNT_AUTH_PLUGIN_ERRORS I! COUNT_HANDSHAKE_ERRORS I! COUNT_PROXY_USER_ERRORS I! COUNT_PROXY_USER_ACL_ERRORS I!
         COUNT_AUTHENTICATION_ERRORS I! COUNT_SSL_ERRORS I! COUNT_MAX_USER_CONNECTIONS_ERRORS I!
         COUNT_MAX_USER_CONNECTIONS_PER_HOUR_ERRORS I! COUNT_DEFAULT_DATABASE_ERRORS I! COUNT_INIT_CONNECT_ERRORS I!
         COUNT_LOCAL_ERRORS I! COUNT_ACCOUNT_LOCKED_ERRORS I! COUNT_UNKNOWN_ERRORS I!
         FIRST_SEEN D! LAST_SEEN D! FIRST_ERROR_SEEN D LAST_ERROR_SEEN D",
    ),
    performance(
        "innodb_redo_log_files",
        "FILE_ID I! FILE_NAME V2000! START_LSN I! END_LSN I! SIZE_IN_BYTES I! IS_FULL S! CONSUMER_LEVEL S!",
    ),
    performance(
        "keyring_component_status",
        "STATUS_KEY V256! STATUS_VALUE V1024!",
    ),
    performance(
        "keyring_keys",
        "KEY_ID V255! KEY_OWNER V255 BACKEND_KEY_ID V255",
    ),
    performance(
        super::log_status::NAME,
        "SERVER_UUID C36! LOCAL J! REPLICATION J! STORAGE_ENGINES J!",
    ),
    performance(
        "mutex_instances",
        "NAME V128! OBJECT_INSTANCE_BEGIN U! LOCKED_BY_THREAD_ID U",
    ),
    performance(
        "performance_timers",
        "TIMER_NAME V11! TIMER_FREQUENCY I TIMER_RESOLUTION I TIMER_OVERHEAD I",
    ),
    performance(
        "replication_applier_configuration",
        "CHANNEL_NAME C64! DESIRED_DELAY S! PRIVILEGE_CHECKS_USER X REQUIRE_ROW_FORMAT V3! REQUIRE_TABLE_PRIMARY_KEY_CHECK V8!
         ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_TYPE V5! ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS_VALUE X",
    ),
    performance(
        "replication_applier_filters",
        "CHANNEL_NAME C64! FILTER_NAME C64! FILTER_RULE T! CONFIGURED_BY V37! ACTIVE_SINCE D6! COUNTER U!",
    ),
    performance(
        "replication_applier_global_filters",
        "FILTER_NAME C64! FILTER_RULE T! CONFIGURED_BY V25! ACTIVE_SINCE D6!",
    ),
    performance(
        "replication_applier_status_by_coordinator",
        "CHANNEL_NAME C64! THREAD_ID U SERVICE_STATE V3! LAST_ERROR_NUMBER S! LAST_ERROR_MESSAGE V1024! LAST_ERROR_TIMESTAMP D6!
         LAST_PROCESSED_TRANSACTION C57 LAST_PROCESSED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP D6!
         LAST_PROCESSED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP D6! LAST_PROCESSED_TRANSACTION_START_BUFFER_TIMESTAMP D6!
         LAST_PROCESSED_TRANSACTION_END_BUFFER_TIMESTAMP D6! PROCESSING_TRANSACTION C57
         PROCESSING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP D6! PROCESSING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP D6!
         PROCESSING_TRANSACTION_START_BUFFER_TIMESTAMP D6!",
    ),
    performance(
        "replication_asynchronous_connection_failover",
        "CHANNEL_NAME C64! HOST C255! PORT S! NETWORK_NAMESPACE C64 WEIGHT N! MANAGED_NAME C64!",
    ),
    performance(
        "replication_asynchronous_connection_failover_managed",
        "CHANNEL_NAME C64! MANAGED_NAME C64! MANAGED_TYPE C64! CONFIGURATION J",
    ),
    performance(
        "replication_connection_configuration",
        "CHANNEL_NAME C64! HOST C255! PORT S! USER C32! NETWORK_INTERFACE C60! AUTO_POSITION V1! SSL_ALLOWED V7! SSL_CA_FILE V512!
         SSL_CA_PATH V512! SSL_CERTIFICATE V512! SSL_CIPHER V512! SSL_KEY V512! SSL_VERIFY_SERVER_CERTIFICATE V3! SSL_CRL_FILE V255!
         SSL_CRL_PATH V255! CONNECTION_RETRY_INTERVAL S! CONNECTION_RETRY_COUNT U! HEARTBEAT_INTERVAL F! TLS_VERSION V255!
         PUBLIC_KEY_PATH V512! GET_PUBLIC_KEY V3! NETWORK_NAMESPACE V64! COMPRESSION_ALGORITHM C64! ZSTD_COMPRESSION_LEVEL S!
         TLS_CIPHERSUITES X SOURCE_CONNECTION_AUTO_FAILOVER V1! GTID_ONLY V1!",
    ),
    performance(
        "rwlock_instances",
        "NAME V128! OBJECT_INSTANCE_BEGIN U! WRITE_LOCKED_BY_THREAD_ID U READ_LOCKED_BY_COUNT N!",
    ),
    performance(
        "setup_objects",
        "OBJECT_TYPE V9! OBJECT_SCHEMA V64 OBJECT_NAME V64! ENABLED V3! TIMED V3!",
    ),
    performance(
        "setup_threads",
        "NAME V128! ENABLED V3! HISTORY V3! PROPERTIES V14! VOLATILITY S! DOCUMENTATION T",
    ),
    performance(
        "socket_instances",
        "EVENT_NAME V128! OBJECT_INSTANCE_BEGIN U! THREAD_ID U SOCKET_ID S! IP V64! PORT S! STATE V6!",
    ),
    performance(
        "socket_summary_by_event_name",
        "EVENT_NAME V128! COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U! COUNT_READ U!
         SUM_TIMER_READ U! MIN_TIMER_READ U! AVG_TIMER_READ U! MAX_TIMER_READ U! SUM_NUMBER_OF_BYTES_READ U! COUNT_WRITE U!
         SUM_TIMER_WRITE U! MIN_TIMER_WRITE U! AVG_TIMER_WRITE U! MAX_TIMER_WRITE U! SUM_NUMBER_OF_BYTES_WRITE U! COUNT_MISC U!
         SUM_TIMER_MISC U! MIN_TIMER_MISC U! AVG_TIMER_MISC U! MAX_TIMER_MISC U!",
    ),
    performance(
        "socket_summary_by_instance",
        "EVENT_NAME V128! OBJECT_INSTANCE_BEGIN U! COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U!
         MAX_TIMER_WAIT U! COUNT_READ U! SUM_TIMER_READ U! MIN_TIMER_READ U! AVG_TIMER_READ U! MAX_TIMER_READ U!
         SUM_NUMBER_OF_BYTES_READ U! COUNT_WRITE U! SUM_TIMER_WRITE U! MIN_TIMER_WRITE U! AVG_TIMER_WRITE U! MAX_TIMER_WRITE U!
         SUM_NUMBER_OF_BYTES_WRITE U! COUNT_MISC U! SUM_TIMER_MISC U! MIN_TIMER_MISC U! AVG_TIMER_MISC U! MAX_TIMER_MISC U!",
    ),
    performance(
        "table_handles",
        "OBJECT_TYPE V64! OBJECT_SCHEMA V64! OBJECT_NAME V64! OBJECT_INSTANCE_BEGIN U! OWNER_THREAD_ID U OWNER_EVENT_ID U
         INTERNAL_LOCK V64 EXTERNAL_LOCK V64",
    ),
    performance(
        "tls_channel_status",
        "CHANNEL V128! PROPERTY V128! VALUE V2048!",
    ),
    performance(
        "user_defined_functions",
        "UDF_NAME V64! UDF_RETURN_TYPE V20! UDF_TYPE V20! UDF_LIBRARY V1024 UDF_USAGE_COUNT I",
    ),
    performance(
        "variables_info",
        "VARIABLE_NAME V64! VARIABLE_SOURCE V12 VARIABLE_PATH V1024 MIN_VALUE V64 MAX_VALUE V64 SET_TIME D6 SET_USER C32 SET_HOST
         C255",
    ),
];

const STAGES: &str = "THREAD_ID U! EVENT_ID U! END_EVENT_ID U EVENT_NAME V128! SOURCE V64 TIMER_START U TIMER_END U TIMER_WAIT U WORK_COMPLETED U
     WORK_ESTIMATED U NESTING_EVENT_ID U NESTING_EVENT_TYPE V11";

const TRANSACTIONS: &str = "THREAD_ID U! EVENT_ID U! END_EVENT_ID U EVENT_NAME V128! STATE V11 TRX_ID U GTID V64 XID_FORMAT_ID S XID_GTRID V130 XID_BQUAL
     V130 XA_STATE V64 SOURCE V64 TIMER_START U TIMER_END U TIMER_WAIT U ACCESS_MODE V10 ISOLATION_LEVEL V64 AUTOCOMMIT V3!
     NUMBER_OF_SAVEPOINTS U NUMBER_OF_ROLLBACK_TO_SAVEPOINT U NUMBER_OF_RELEASE_SAVEPOINT U OBJECT_INSTANCE_BEGIN U NESTING_EVENT_ID
     U NESTING_EVENT_TYPE V11";

const WAITS: &str = "THREAD_ID U! EVENT_ID U! END_EVENT_ID U EVENT_NAME V128! SOURCE V64 TIMER_START U TIMER_END U TIMER_WAIT U SPINS N
     OBJECT_SCHEMA V64 OBJECT_NAME V512 INDEX_NAME V64 OBJECT_TYPE V64 OBJECT_INSTANCE_BEGIN U! NESTING_EVENT_ID U
     NESTING_EVENT_TYPE V11 OPERATION V32! NUMBER_OF_BYTES I FLAGS N";
