//! Tables about things that do not exist here: their columns, and no rows. Monitors and drivers read them by name, and MySQL has
//! them all, empty as long as what they tell of is not in use: files of tablespaces, replication (whose rows `replicas` makes), profiles, and whatever
//! `performance_schema = OFF` leaves out.

use std::sync::OnceLock;

use super::cells::{BIGINT, CI, INT, LONGTEXT, TEXT, TIMESTAMP, UBIGINT, UINT, c, n, text};
use crate::context::{BoxFuture, TableReads, VirtualColumn, VirtualHint, VirtualTable};
use crate::session_api::SqlError;
use crate::value::{SqlType, Value};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    TABLES.iter().map(|t| t as &dyn VirtualTable).collect()
}

pub(super) struct Empty {
    schema: &'static str,
    name: &'static str,
    /// As [`parsed`] reads it.
    text: &'static str,
    columns: OnceLock<Vec<VirtualColumn>>,
}

const fn information(name: &'static str, text: &'static str) -> Empty {
    Empty { schema: "information_schema", name, text, columns: OnceLock::new() }
}

pub(super) const fn performance(name: &'static str, text: &'static str) -> Empty {
    Empty { schema: "performance_schema", name, text, columns: OnceLock::new() }
}

const fn system(name: &'static str, text: &'static str) -> Empty {
    Empty { schema: "mysql", name, text, columns: OnceLock::new() }
}

fn type_of(word: &str) -> SqlType {
    match word.split_at(1) {
        ("T", _) => LONGTEXT,
        ("I", _) => BIGINT,
        ("U", _) => UBIGINT,
        ("S", _) => INT,
        ("N", _) => UINT,
        ("F", _) => SqlType::Double { unsigned: false, digits: None, zerofill: false },
        ("R", _) => SqlType::Float { unsigned: false, digits: Some((12, 0)), zerofill: false },
        ("D", "6") => SqlType::Timestamp { fsp: 6 },
        ("D", _) => TIMESTAMP,
        ("C", chars) => SqlType::Char { chars: number(chars), collation: CI },
        ("J", _) => SqlType::Json,
        ("X", _) => TEXT,
        ("B", bytes) => SqlType::varbinary(number(bytes)),
        (_, chars) => text(number(chars)),
    }
}

fn number(width: &str) -> u32 {
    width.parse().expect("the width of a column of a computed table")
}

/// Columns from names and types: `V64` varchar(64), `T` longtext, `I` bigint, `U` bigint unsigned, `S` int, `N` int unsigned, `F` double,
/// `R` float(12,0), `D` timestamp, `D6` timestamp(6), `X` text, `J` json, `C64` char(64), `B64` varbinary(64); behind it `!` for NOT NULL.
pub fn parsed(columns: &'static str) -> Vec<VirtualColumn> {
    let words: Vec<&str> = columns.split_ascii_whitespace().collect();
    let column = |pair: &[&'static str]| match pair[1].strip_suffix('!') {
        Some(ty) => n(pair[0], type_of(ty)),
        None => c(pair[0], type_of(pair[1])),
    };
    words.chunks_exact(2).map(column).collect()
}

impl VirtualTable for Empty {
    fn schema(&self) -> &'static str {
        self.schema
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> &[VirtualColumn] {
        self.columns.get_or_init(|| parsed(self.text))
    }

    fn rows<'a>(
        &'a self,
        cx: TableReads<'a>,
        _: &'a VirtualHint,
    ) -> BoxFuture<'a, Result<Vec<Vec<Value<'static>>>, SqlError>> {
        if self.name == super::log_status::NAME {
            return Box::pin(super::log_status::rows(cx));
        }
        if let Some(rows) = crate::help::tables::rows(self.name) {
            return Box::pin(std::future::ready(Ok(rows)));
        }
        let rows = super::replicas::rows(self.name, cx);
        Box::pin(std::future::ready(Ok(rows)))
    }
}

static TABLES: [Empty; 47] = [
    information(
        "FILES",
        "FILE_ID I FILE_NAME T FILE_TYPE V256 TABLESPACE_NAME V268 TABLE_CATALOG V0 TABLE_SCHEMA V0 TABLE_NAME V0
         LOGFILE_GROUP_NAME V256 LOGFILE_GROUP_NUMBER I ENGINE V64 FULLTEXT_KEYS V256 DELETED_ROWS V256 UPDATE_COUNT V256
         FREE_EXTENTS I TOTAL_EXTENTS I EXTENT_SIZE I INITIAL_SIZE I MAXIMUM_SIZE I AUTOEXTEND_SIZE I CREATION_TIME V256
         LAST_UPDATE_TIME V256 LAST_ACCESS_TIME V256 RECOVER_TIME V256 TRANSACTION_COUNTER V256 VERSION I ROW_FORMAT V256
         TABLE_ROWS V256 AVG_ROW_LENGTH V256 DATA_LENGTH V256 MAX_DATA_LENGTH V256 INDEX_LENGTH V256 DATA_FREE I
         CREATE_TIME V256 UPDATE_TIME V256 CHECK_TIME V256 CHECKSUM V256 STATUS V256 EXTRA V256",
    ),
    information(
        "PROFILING",
        "QUERY_ID S! SEQ S! STATE V30! DURATION V20! CPU_USER V20 CPU_SYSTEM V20 CONTEXT_VOLUNTARY S CONTEXT_INVOLUNTARY S
         BLOCK_OPS_IN S BLOCK_OPS_OUT S MESSAGES_SENT S MESSAGES_RECEIVED S PAGE_FAULTS_MAJOR S PAGE_FAULTS_MINOR S SWAPS S
         SOURCE_FUNCTION V30 SOURCE_FILE V20 SOURCE_LINE S",
    ),
    information(
        "OPTIMIZER_TRACE",
        "QUERY T! TRACE T! MISSING_BYTES_BEYOND_MAX_MEM_SIZE S! INSUFFICIENT_PRIVILEGES S!",
    ),
    information(
        "TABLESPACES",
        "TABLESPACE_NAME V64! ENGINE V64! TABLESPACE_TYPE V64 LOGFILE_GROUP_NAME V64 EXTENT_SIZE U AUTOEXTEND_SIZE U
         MAXIMUM_SIZE U NODEGROUP_ID U TABLESPACE_COMMENT V2048",
    ),
    information("TABLESPACES_EXTENSIONS", "TABLESPACE_NAME V268! ENGINE_ATTRIBUTE T"),
    information(
        "RESOURCE_GROUPS",
        "RESOURCE_GROUP_NAME V64! RESOURCE_GROUP_TYPE V6! RESOURCE_GROUP_ENABLED S! VCPU_IDS T THREAD_PRIORITY S!",
    ),
    information(
        "INNODB_CMP",
        "page_size S! compress_ops S! compress_ops_ok S! compress_time S! uncompress_ops S! uncompress_time S!",
    ),
    information(
        "INNODB_CMP_RESET",
        "page_size S! compress_ops S! compress_ops_ok S! compress_time S! uncompress_ops S! uncompress_time S!",
    ),
    information(
        "INNODB_CMPMEM",
        "page_size S! buffer_pool_instance S! pages_used S! pages_free S! relocation_ops I! relocation_time S!",
    ),
    information(
        "INNODB_CMPMEM_RESET",
        "page_size S! buffer_pool_instance S! pages_used S! pages_free S! relocation_ops I! relocation_time S!",
    ),
    information("INNODB_FT_DEFAULT_STOPWORD", "value V18!"),
    information("INNODB_FT_DELETED", "DOC_ID U!"),
    information("INNODB_FT_BEING_DELETED", "DOC_ID U!"),
    information("INNODB_FT_CONFIG", "KEY V193! VALUE V193!"),
    information(
        "INNODB_FT_INDEX_TABLE",
        "WORD V337! FIRST_DOC_ID U! LAST_DOC_ID U! DOC_COUNT U! DOC_ID U! POSITION U!",
    ),
    information(
        "INNODB_FT_INDEX_CACHE",
        "WORD V337! FIRST_DOC_ID U! LAST_DOC_ID U! DOC_COUNT U! DOC_ID U! POSITION U!",
    ),
    performance(
        "events_stages_summary_global_by_event_name",
        "EVENT_NAME V128! COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U!",
    ),
    performance("table_lock_waits_summary_by_table", TABLE_LOCKS),
    performance(
        "replication_group_members",
        "CHANNEL_NAME C64! MEMBER_ID C36! MEMBER_HOST C255! MEMBER_PORT S MEMBER_STATE C64! MEMBER_ROLE C64! MEMBER_VERSION C64!
         MEMBER_COMMUNICATION_STACK C64!",
    ),
    performance(
        "replication_group_member_stats",
        "CHANNEL_NAME C64! VIEW_ID C60! MEMBER_ID C36! COUNT_TRANSACTIONS_IN_QUEUE U! COUNT_TRANSACTIONS_CHECKED U!
         COUNT_CONFLICTS_DETECTED U! COUNT_TRANSACTIONS_ROWS_VALIDATING U! TRANSACTIONS_COMMITTED_ALL_MEMBERS T!
         LAST_CONFLICT_FREE_TRANSACTION T! COUNT_TRANSACTIONS_REMOTE_IN_APPLIER_QUEUE U! COUNT_TRANSACTIONS_REMOTE_APPLIED U!
         COUNT_TRANSACTIONS_LOCAL_PROPOSED U! COUNT_TRANSACTIONS_LOCAL_ROLLBACK U!",
    ),
    performance(
        "replication_connection_status",
        "CHANNEL_NAME C64! GROUP_NAME V36! SOURCE_UUID C36! THREAD_ID U SERVICE_STATE V10! COUNT_RECEIVED_HEARTBEATS U!
         LAST_HEARTBEAT_TIMESTAMP D6! RECEIVED_TRANSACTION_SET T! LAST_ERROR_NUMBER S! LAST_ERROR_MESSAGE V1024!
         LAST_ERROR_TIMESTAMP D6! LAST_QUEUED_TRANSACTION C57 LAST_QUEUED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP D6!
         LAST_QUEUED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP D6! LAST_QUEUED_TRANSACTION_START_QUEUE_TIMESTAMP D6!
         LAST_QUEUED_TRANSACTION_END_QUEUE_TIMESTAMP D6! QUEUEING_TRANSACTION C57
         QUEUEING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP D6! QUEUEING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP D6!
         QUEUEING_TRANSACTION_START_QUEUE_TIMESTAMP D6!",
    ),
    performance(
        "replication_applier_status",
        "CHANNEL_NAME C64! SERVICE_STATE V3! REMAINING_DELAY S COUNT_TRANSACTIONS_RETRIES U!",
    ),
    performance("replication_applier_status_by_worker", WORKERS),
    performance("setup_actors", "HOST V255! USER V32! ROLE V32! ENABLED V3! HISTORY V3!"),
    performance(
        "setup_instruments",
        "NAME V128! ENABLED V3! TIMED V3 PROPERTIES V64! FLAGS V64 VOLATILITY S! DOCUMENTATION T",
    ),
    performance(
        "user_variables_by_thread",
        "THREAD_ID U! VARIABLE_NAME V64! VARIABLE_VALUE T",
    ),
    performance("variables_by_thread", "THREAD_ID U! VARIABLE_NAME V64! VARIABLE_VALUE V1024"),
    system("time_zone", "Time_zone_id N! Use_leap_seconds V1!"),
    system("time_zone_name", "Name V64! Time_zone_id N!"),
    system("time_zone_leap_second", "Transition_time I! Correction S!"),
    system(
        "time_zone_transition",
        "Time_zone_id N! Transition_time I! Transition_type_id N!",
    ),
    system(
        "time_zone_transition_type",
        "Time_zone_id N! Transition_type_id N! Offset S! Is_DST N! Abbreviation V8!",
    ),
    system("func", "name V64! ret S! dl V128! type V9!"),
    system("plugin", "name V64! dl V128!"),
    system("component", "component_id N! component_group_id N! component_urn T!"),
    system(
        "servers",
        "Server_name V64! Host V255! Db V64! Username V64! Password V64! Port S! Socket V64! Wrapper V64! Owner V64!",
    ),
    system(
        "engine_cost",
        "engine_name V64! device_type S! cost_name V64! cost_value R last_update D! comment V1024 default_value R",
    ),
    system(
        "server_cost",
        "cost_name V64! cost_value R last_update D! comment V1024 default_value R",
    ),
    system(
        "general_log",
        "event_time D! user_host T! thread_id U! server_id N! command_type V64! argument T!",
    ),
    system(
        "slow_log",
        "start_time D! user_host T! query_time V15! lock_time V15! rows_sent S! rows_examined S! db V512! last_insert_id S!
         insert_id S! server_id N! sql_text T! thread_id U!",
    ),
    system(
        "help_topic",
        "help_topic_id N! name V64! help_category_id N! description T! example T! url T!",
    ),
    system("help_category", "help_category_id N! name V64! parent_category_id N url T!"),
    system("help_relation", "help_topic_id N! help_keyword_id N!"),
    system("help_keyword", "help_keyword_id N! name V64!"),
    system(
        "innodb_index_stats",
        "database_name V64! table_name V199! index_name V64! last_update D! stat_name V64! stat_value U! sample_size U
         stat_description V1024!",
    ),
    system(
        "innodb_table_stats",
        "database_name V64! table_name V199! last_update D! n_rows U! clustered_index_size U! sum_of_other_index_sizes U!",
    ),
    system(
        "proxies_priv",
        "Host V255! User V32! Proxied_host V255! Proxied_user V32! With_grant S! Grantor V288! Timestamp D!",
    ),
];

/// The columns of one kind of table lock.
macro_rules! lock_waits {
    ($kind:literal) => {
        concat!(
            " COUNT_",
            $kind,
            " U! SUM_TIMER_",
            $kind,
            " U! MIN_TIMER_",
            $kind,
            " U! AVG_TIMER_",
            $kind,
            " U! MAX_TIMER_",
            $kind,
            " U!"
        )
    };
}

const TABLE_LOCKS: &str = concat!(
    "OBJECT_TYPE V64 OBJECT_SCHEMA V64 OBJECT_NAME V64",
    " COUNT_STAR U! SUM_TIMER_WAIT U! MIN_TIMER_WAIT U! AVG_TIMER_WAIT U! MAX_TIMER_WAIT U!",
    lock_waits!("READ"),
    lock_waits!("WRITE"),
    lock_waits!("READ_NORMAL"),
    lock_waits!("READ_WITH_SHARED_LOCKS"),
    lock_waits!("READ_HIGH_PRIORITY"),
    lock_waits!("READ_NO_INSERT"),
    lock_waits!("READ_EXTERNAL"),
    lock_waits!("WRITE_ALLOW_WRITE"),
    lock_waits!("WRITE_CONCURRENT_INSERT"),
    lock_waits!("WRITE_LOW_PRIORITY"),
    lock_waits!("WRITE_NORMAL"),
    lock_waits!("WRITE_EXTERNAL"),
);

const WORKERS: &str =
    "CHANNEL_NAME C64! WORKER_ID U! THREAD_ID U SERVICE_STATE V3! LAST_ERROR_NUMBER S! LAST_ERROR_MESSAGE V1024!
     LAST_ERROR_TIMESTAMP D6! LAST_APPLIED_TRANSACTION C57 LAST_APPLIED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP D6!
     LAST_APPLIED_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP D6! LAST_APPLIED_TRANSACTION_START_APPLY_TIMESTAMP D6!
     LAST_APPLIED_TRANSACTION_END_APPLY_TIMESTAMP D6! APPLYING_TRANSACTION C57
     APPLYING_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP D6! APPLYING_TRANSACTION_IMMEDIATE_COMMIT_TIMESTAMP D6!
     APPLYING_TRANSACTION_START_APPLY_TIMESTAMP D6! LAST_APPLIED_TRANSACTION_RETRIES_COUNT U!
     LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_NUMBER S! LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_MESSAGE V1024
     LAST_APPLIED_TRANSACTION_LAST_TRANSIENT_ERROR_TIMESTAMP D6! APPLYING_TRANSACTION_RETRIES_COUNT U!
     APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_NUMBER S! APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_MESSAGE V1024
     APPLYING_TRANSACTION_LAST_TRANSIENT_ERROR_TIMESTAMP D6!";
