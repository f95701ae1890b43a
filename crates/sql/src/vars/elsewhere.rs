//! Variables of what Weir has not, or sees to by itself: option files that were written for MySQL name them, and tools read them. As for
//! those of `inert.rs` setting one away from its default is a warning. Names, types, ranges and defaults are MySQL's, asked of a server;
//! what would make a promise that nothing keeps (encryption) is not here and stays unknown (1193).

/// Puts the rows of this file behind those that it is given, and makes the table of all.
macro_rules! with_elsewhere {
    ($table:ident => $($rows:tt)*) => { super::logs::with_logs! { $table =>
        $($rows)*

    ["Replication"]
    innodb_replication_delay: Global Always, uint(0, 4_294_967_295), n(0),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    init_replica: Global Always, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    init_slave: Global Always, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    log_replica_updates: Global AtStart, BOOL, ON,
        "What channels apply goes to the binary log, where there is one, so that others follow this server as it follows its source.";
    log_slow_replica_statements: Global Always, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    log_slow_slave_statements: Global Always, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    master_verify_checksum: Global Always, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    relay_log: Global AtStart, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    relay_log_basename: Global AtStart, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    relay_log_index: Global AtStart, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    relay_log_recovery: Global AtStart, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    relay_log_space_limit: Global AtStart, uint(0, U64_MAX), n(0),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_allow_batching: Global Always, BOOL, ON,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_checkpoint_group: Global Always, uint(32, 524_280), n(512),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_checkpoint_period: Global Always, uint(1, 4_294_967_295), n(300),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_compressed_protocol: Global Always, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_exec_mode: Global Always, VarType::Enum(&["STRICT", "IDEMPOTENT"]), Default::Enum(0),
        "IDEMPOTENT: a replica writes over rows that are there and passes over those that are missing.";
    replica_load_tmpdir: Global AtStart, STR, s("/tmp"),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_max_allowed_packet: Global Always, uint(1_024, 1_073_741_824), n(1_073_741_824),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_net_timeout: Global Always, uint(1, 31_536_000), n(60),
        "Seconds without anything from the source after which a replica connects again.";
    replica_parallel_workers: Global Always, uint(1, 1_024), n(4),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_pending_jobs_size_max: Global Always, uint(1_024, U64_MAX), n(134_217_728),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_preserve_commit_order: Global Always, BOOL, ON,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_skip_errors: Global AtStart, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_sql_verify_checksum: Global Always, BOOL, ON,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    replica_transaction_retries: Global Always, uint(0, U64_MAX), n(10),
        "How often a replica repeats a transaction that met a deadlock or waited too long for a lock.";
    replica_type_conversions: Global Always, STR, s(""),
        "Conversions between the source's types and the replica's that are allowed: ALL_LOSSY, ALL_NON_LOSSY.";
    report_host: Global AtStart, STR, s(""),
        "Name that a replica gives itself at its source.";
    report_password: Global AtStart, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    report_port: Global AtStart, uint(0, 65_535), n(3_380),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    report_user: Global AtStart, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    rpl_read_size: Global Always, uint(8_192, U64_MAX), n(8_192),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    rpl_stop_replica_timeout: Global Always, uint(2, 31_536_000), n(31_536_000),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    rpl_stop_slave_timeout: Global Always, uint(2, 31_536_000), n(31_536_000),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    server_id_bits: Global Always, uint(0, 32), n(32),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    skip_replica_start: Global AtStart, BOOL, OFF,
        "Leave the channels of a replica stopped at the start.";
    skip_slave_start: Global AtStart, BOOL, OFF,
        "Leave the channels of a replica stopped at the start.";
    slave_allow_batching: Global Always, BOOL, ON,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_checkpoint_group: Global Always, uint(32, 524_280), n(512),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_checkpoint_period: Global Always, uint(1, 4_294_967_295), n(300),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_compressed_protocol: Global Always, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_exec_mode: Global Always, VarType::Enum(&["STRICT", "IDEMPOTENT"]), Default::Enum(0),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_load_tmpdir: Global AtStart, STR, s("/tmp"),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_max_allowed_packet: Global Always, uint(1_024, 1_073_741_824), n(1_073_741_824),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_parallel_workers: Global Always, uint(1, 1_024), n(4),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_pending_jobs_size_max: Global Always, uint(1_024, U64_MAX), n(134_217_728),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_preserve_commit_order: Global Always, BOOL, ON,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_skip_errors: Global AtStart, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_sql_verify_checksum: Global Always, BOOL, ON,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    rpl_semi_sync_replica_enabled: Global Always, BOOL, OFF,
        "This server acknowledges transactions to a source that waits for that, from its next connection on. It does so when they are applied.";
    rpl_semi_sync_replica_trace_level: Global Always, uint(0, 4_294_967_295), n(32),
        "Of replication, as in MySQL.", note "nothing is traced";
    rpl_semi_sync_source_enabled: Global Always, BOOL, OFF,
        "Commits wait until replicas have acknowledged them. It needs a binary log.";
    rpl_semi_sync_source_timeout: Global Always, uint(0, 4_294_967_295), n(10_000),
        "Milliseconds after which a commit waits no longer, and replication becomes asynchronous until a replica has caught up.";
    rpl_semi_sync_source_trace_level: Global Always, uint(0, 4_294_967_295), n(32),
        "Of replication, as in MySQL.", note "nothing is traced";
    rpl_semi_sync_source_wait_for_replica_count: Global Always, uint(1, 65_535), n(1),
        "Replicas that have to acknowledge a transaction.";
    rpl_semi_sync_source_wait_no_replica: Global Always, BOOL, ON,
        "Commits wait while fewer replicas are connected than are asked for; OFF: replication becomes asynchronous then.";
    rpl_semi_sync_source_wait_point: Global Always, VarType::Enum(&["AFTER_SYNC", "AFTER_COMMIT"]), Default::Enum(0),
        "AFTER_SYNC: others see a transaction when it is acknowledged. AFTER_COMMIT: they see it before its client has an answer.";
    slave_transaction_retries: Global Always, uint(0, U64_MAX), n(10),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    slave_type_conversions: Global Always, STR, s(""),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    source_verify_checksum: Global Always, BOOL, OFF,
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    sql_replica_skip_counter: Global Always, uint(0, 4_294_967_295), n(0),
        "Events of the source that the next START REPLICA passes over.";
    sql_slave_skip_counter: Global Always, uint(0, 4_294_967_295), n(0),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    sync_master_info: Global Always, uint(0, 4_294_967_295), n(10_000),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    sync_relay_log: Global Always, uint(0, 4_294_967_295), n(10_000),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    sync_relay_log_info: Global Always, uint(0, 4_294_967_295), n(10_000),
        "Of replication, as in MySQL.", note "a replica makes no use of it";
    sync_source_info: Global Always, uint(0, 4_294_967_295), n(10_000),
        "Of replication, as in MySQL.", note "a replica makes no use of it";

    ["The binary log"]
    binlog_checksum: Global Always, VarType::Enum(&["NONE", "CRC32"]), Default::Enum(1),
        "Checksum of events, from the next file of the binary log on.";
    binlog_direct_non_transactional_updates: Both Always, BOOL, OFF,
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_error_action: Global Always, VarType::Enum(&["IGNORE_ERROR", "ABORT_SERVER"]), Default::Enum(1),
        "It is ABORT_SERVER: a server whose binary log cannot be written stops.";
    binlog_expire_logs_auto_purge: Global Always, BOOL, ON,
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_group_commit_sync_delay: Global Always, uint(0, 1_000_000), n(0),
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_group_commit_sync_no_delay_count: Global Always, uint(0, 100_000), n(0),
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_gtid_simple_recovery: Global AtStart, BOOL, ON,
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_max_flush_queue_time: Global Always, uint(0, 100_000), n(0),
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_order_commits: Global Always, BOOL, ON,
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_row_event_max_size: Global AtStart, uint(256, U64_MAX), n(8_192),
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_row_metadata: Global Always, VarType::Enum(&["MINIMAL", "FULL"]), Default::Enum(0),
        "What the binary log tells of tables: FULL adds names, members and primary keys.";
    binlog_row_value_options: Both Always, VarType::Set(&["PARTIAL_JSON"]), Default::Set(0),
        "PARTIAL_JSON: of an updated document, the image behind the change has what was changed in it, where that is shorter.";
    binlog_rows_query_log_events: Both Always, BOOL, OFF,
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    binlog_transaction_dependency_history_size: Global Always, uint(1, 1_000_000), n(25_000),
        "Of the binary log, as in MySQL.", note "25,000 keys are remembered";
    binlog_transaction_dependency_tracking: Global Always, VarType::Enum(&["COMMIT_ORDER", "WRITESET", "WRITESET_SESSION"]), Default::Enum(1),
        "Which transactions a replica may apply at the same time: WRITESET those that change no row in common, the others those whose locks did not meet.";
    gtid_executed_compression_period: Global Always, uint(0, 4_294_967_295), n(0),
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    log_bin_basename: Global AtStart, STR, s(""),
        "The path of the binary log's files without their numbers, as --log-bin has named them.";
    log_bin_index: Global AtStart, STR, s(""),
        "The path of the file that lists the binary log's files.";
    log_statements_unsafe_for_binlog: Global Always, BOOL, ON,
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";

    ["Instruments"]
    performance_schema_accounts_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_error_size: Global AtStart, uint(0, 1_048_576), n(5_814),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_events_stages_history_long_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(10_000),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_events_stages_history_size: Global AtStart, VarType::Int { min: -1, max: 1_024 }, Default::Int(10),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_events_transactions_history_long_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(10_000),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_events_transactions_history_size: Global AtStart, VarType::Int { min: -1, max: 1_024 }, Default::Int(10),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_events_waits_history_long_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(10_000),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_events_waits_history_size: Global AtStart, VarType::Int { min: -1, max: 1_024 }, Default::Int(10),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_hosts_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_cond_classes: Global AtStart, uint(0, 1_024), n(150),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_cond_instances: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_digest_length: Global AtStart, uint(0, 1_048_576), n(1_024),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_file_classes: Global AtStart, uint(0, 1_024), n(80),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_file_handles: Global AtStart, uint(0, 1_048_576), n(32_768),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_file_instances: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_index_stat: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_logger_classes: Global AtStart, uint(0, 200), n(80),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_memory_classes: Global AtStart, uint(0, 1_024), n(470),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_metadata_locks: Global AtStart, VarType::Int { min: -1, max: 104_857_600 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_mutex_classes: Global AtStart, uint(0, 1_024), n(350),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_mutex_instances: Global AtStart, VarType::Int { min: -1, max: 104_857_600 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_prepared_statements_instances: Global AtStart, VarType::Int { min: -1, max: 4_194_304 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_program_instances: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_rwlock_classes: Global AtStart, uint(0, 1_024), n(100),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_rwlock_instances: Global AtStart, VarType::Int { min: -1, max: 104_857_600 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_socket_classes: Global AtStart, uint(0, 1_024), n(10),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_socket_instances: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_sql_text_length: Global AtStart, uint(0, 1_048_576), n(1_024),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_stage_classes: Global AtStart, uint(0, 1_024), n(175),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_statement_classes: Global AtStart, uint(0, 256), n(234),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_statement_stack: Global AtStart, uint(1, 256), n(10),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_table_handles: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_table_instances: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_table_lock_stat: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_thread_classes: Global AtStart, uint(0, 1_024), n(100),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_max_thread_instances: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_session_connect_attrs_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(512),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_setup_actors_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_setup_objects_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";
    performance_schema_users_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(-1),
        "Of instruments, as in MySQL.", note "nothing is measured by instruments of this kind";

    ["The port of administrators"]
    admin_address: Global AtStart, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_port: Global AtStart, uint(0, 65_535), n(33_062),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_ssl_ca: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_ssl_capath: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_ssl_cert: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_ssl_cipher: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_ssl_crl: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_ssl_crlpath: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_ssl_key: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_tls_ciphersuites: Global Always, STR, s(""),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    admin_tls_version: Global Always, STR, s("TLSv1.2,TLSv1.3"),
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";
    create_admin_listener_thread: Global AtStart, BOOL, OFF,
        "Of the port of administrators, as in MySQL.", note "there is no port of its own for administrators";

    ["Sessions and statements"]
    pseudo_slave_mode: Session Running, BOOL, OFF,
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    pseudo_replica_mode: Session Running, BOOL, OFF,
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    gtid_next: Session Running, STR, s("AUTOMATIC"),
        "AUTOMATIC or ANONYMOUS, which are one where gtid_mode is OFF.";
    original_commit_timestamp: Session Running, uint(0, 36_028_797_018_963_968), n(36_028_797_018_963_968),
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    original_server_version: Session Running, uint(0, 999_999), n(999_999),
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    immediate_server_version: Session Running, uint(0, 999_999), n(999_999),
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    rbr_exec_mode: Session Running, VarType::Enum(&["STRICT", "IDEMPOTENT"]), Default::Enum(0),
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    require_row_format: Session Running, BOOL, OFF,
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    transaction_allow_batching: Session Running, BOOL, OFF,
        "What events of a binary log bring along, as in MySQL.", note "the binary log makes no use of it";
    binlog_transaction_compression: Both Always, BOOL, OFF,
        "Rows of a transaction are compressed in the binary log, by zstd.";
    binlog_transaction_compression_level_zstd: Both Always, uint(1, 22), n(3),
        "How much time that may take: 1 the least.";
    max_binlog_cache_size: Global Always, uint(4_096, U64_MAX), n(18_446_744_073_709_547_520),
        "Bytes of a transaction's rows for the binary log at most.";
    max_binlog_stmt_cache_size: Global Always, uint(4_096, U64_MAX), n(18_446_744_073_709_547_520),
        "Of the binary log, as in MySQL.", note "the binary log makes no use of it";
    group_replication_consistency: Both Always, VarType::Enum(&["EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER", "BEFORE", "AFTER", "BEFORE_AND_AFTER"]), Default::Enum(0),
        "Of group replication, as in MySQL.", note "a replica makes no use of it";
    use_secondary_engine: Session Running, VarType::Enum(&["OFF", "ON", "FORCED"]), Default::Enum(1),
        "Of other engines, as in MySQL.", note "there is one engine";
    secondary_engine_cost_threshold: Session Running, VarType::Float { min: 0.0, max: f64::MAX }, Default::Float(100_000.0),
        "Of other engines, as in MySQL.", note "there is one engine";
    show_create_table_skip_secondary_engine: Session Running, BOOL, OFF,
        "Of other engines, as in MySQL.", note "there is one engine";
    disabled_storage_engines: Global AtStart, STR, s(""),
        "Engines, with commas between, for which CREATE and ALTER TABLE are refused (3161) instead of making a table of InnoDB; InnoDB itself cannot be one.";
    select_into_disk_sync: Both Always, BOOL, OFF,
        "When files of SELECT ... INTO are synced, as in MySQL.", note "the system writes such files out";
    select_into_disk_sync_delay: Both Always, uint(0, 31_536_000), n(0),
        "When files of SELECT ... INTO are synced, as in MySQL.", note "the system writes such files out";
    resultset_metadata: Session Running, VarType::Enum(&["NONE", "FULL"]), Default::Enum(1),
        "Whether results tell of their columns, as in MySQL.", note "results always have it";
    rand_seed1: Session Running, uint(0, U64_MAX), n(0),
        "Seeds of RAND(), as in MySQL.", note "RAND() has seeds of its own";
    rand_seed2: Session Running, uint(0, U64_MAX), n(0),
        "Seeds of RAND(), as in MySQL.", note "RAND() has seeds of its own";
    windowing_use_high_precision: Both Always, BOOL, ON,
        "How window functions compute, as in MySQL.", note "windows are always exact";
    terminology_use_previous: Both Always, VarType::Enum(&["NONE", "BEFORE_8_0_26"]), Default::Enum(0),
        "Which names performance_schema tells, as in MySQL.", note "names are those of 8.0.36";
    connection_memory_chunk_size: Both Always, uint(0, 536_870_912), n(8_192),
        "Steps in which memory is counted, as in MySQL.", note "memory is counted by the byte";
    stored_program_cache: Global Always, uint(16, 524_288), n(256),
        "How many are kept, as in MySQL.", note "they are kept without a limit";
    stored_program_definition_cache: Global Always, uint(256, 524_288), n(256),
        "How many are kept, as in MySQL.", note "they are kept without a limit";
    host_cache_size: Global Always, uint(0, 65_536), n(279),
        "How many are kept, as in MySQL.", note "they are kept without a limit";
    slow_launch_time: Global Always, uint(0, 31_536_000), n(2),
        "When a start of a thread is slow, as in MySQL.", note "slow starts of threads are not counted";
    skip_show_database: Global AtStart, BOOL, OFF,
        "Whether databases are hidden, as in MySQL.", note "rights decide";
    skip_external_locking: Global AtStart, BOOL, ON,
        "Whether files are locked, as in MySQL.", note "the data directory is locked by its server";
    log_error_suppression_list: Global Always, STR, s(""),
        "Warnings and notes that the error log leaves out: numbers as MY-010068 or names, with commas between.";
    log_error_services: Global Always, STR, s("log_filter_internal; log_sink_internal"),
        "How the error log is written: log_sink_internal for lines of text, log_sink_json for lines of JSON in a file of its own, or both.";
    log_slow_extra: Global Always, BOOL, OFF,
        "The slow query log tells what statements cost, too: pages, redo, undo, temporary bytes, waits, memory.";
    regexp_stack_limit: Global Always, uint(0, 2_147_483_647), n(8_000_000),
        "Bounds of regular expressions, as in MySQL.", note "max_execution_time bounds them";
    regexp_time_limit: Global Always, uint(0, 2_147_483_647), n(32),
        "Bounds of regular expressions, as in MySQL.", note "max_execution_time bounds them";
    performance_schema_show_processlist: Global Always, BOOL, OFF,
        "Where SHOW PROCESSLIST comes from, as in MySQL.", note "it has one source";
    check_proxy_users: Global Always, BOOL, OFF,
        "Of proxy users, as in MySQL.", note "there are no proxies";
    sha256_password_proxy_users: Global Always, BOOL, OFF,
        "Of proxy users, as in MySQL.", note "there are no proxies";
    print_identified_with_as_hex: Both Always, BOOL, OFF,
        "How SHOW CREATE USER writes a credential, as in MySQL.", note "it is written as text";
    ssl_session_cache_timeout: Global Always, uint(0, 84_600), n(300),
        "Of TLS, as in MySQL.", note "TLS sessions are resumed by tickets";
    innodb_extend_and_initialize: Global Always, BOOL, ON,
        "How files grow, as in MySQL.", note "files grow as they are written";
    basedir: Global AtStart, STR, s("/usr/"),
        "Where the program lies, as in MySQL.", note "the program is one file";
    plugin_dir: Global AtStart, STR, s("/usr/lib/mysql/plugin/"),
        "Where plugins lie, as in MySQL.", note "there are no plugins";
    init_file: Global AtStart, STR, s(""),
        "Statements of the start, as in MySQL.", note "no file is run";
    large_files_support: Global AtStart, BOOL, ON,
        "Of the system, as in MySQL.", note "files are as large as the system lets them be";
    large_page_size: Global AtStart, uint(0, U64_MAX), n(0),
        "Of the system, as in MySQL.", note "the system decides";
    persist_only_admin_x509_subject: Global AtStart, STR, s(""),
        "Who may SET PERSIST_ONLY, as in MySQL.", note "rights decide";
    caching_sha2_password_digest_rounds: Global AtStart, uint(5_000, 4_095_000), n(5_000),
        "Rounds of the digest of a password, as in MySQL.", note "there are 5000";
    core_file: Global AtStart, BOOL, OFF,
        "Of core files, as in MySQL.", note "the system decides";

    ["InnoDB, as MySQL has it"]
    innodb_adaptive_hash_index_parts: Global AtStart, uint(1, 512), n(8),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_adaptive_max_sleep_delay: Global Always, uint(0, 1_000_000), n(150_000),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_api_bk_commit_interval: Global Always, uint(1, 1_073_741_824), n(5),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_api_disable_rowlock: Global AtStart, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_api_enable_binlog: Global AtStart, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_api_enable_mdl: Global AtStart, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_api_trx_level: Global Always, uint(0, 3), n(0),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_autoextend_increment: Global Always, uint(1, 1_000), n(64),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_chunk_size: Global AtStart, uint(1_048_576, 144_115_188_075_855_871), n(134_217_728),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_dump_at_shutdown: Global Always, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_dump_pct: Global Always, uint(1, 100), n(25),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_dump_now: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_filename: Global Always, STR, s("ib_buffer_pool"),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_load_at_startup: Global AtStart, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_in_core_file: Global Always, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_load_abort: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_buffer_pool_load_now: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_cmp_per_index_enabled: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_commit_concurrency: Global Always, uint(0, 1_000), n(0),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_compression_failure_threshold_pct: Global Always, uint(0, 100), n(5),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_compression_level: Global Always, uint(0, 9), n(6),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_compression_pad_pct_max: Global Always, uint(0, 75), n(50),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_concurrency_tickets: Global Always, uint(1, 4_294_967_295), n(5_000),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_data_home_dir: Global AtStart, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ddl_buffer_size: Both Always, uint(65_536, 4_294_967_295), n(1_048_576),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ddl_threads: Both Always, uint(1, 64), n(4),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_dedicated_server: Global AtStart, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_directories: Global AtStart, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_disable_sort_file_cache: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_doublewrite_batch_size: Global AtStart, uint(0, 256), n(0),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_doublewrite_dir: Global AtStart, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_doublewrite_files: Global AtStart, uint(1, 256), n(2),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_doublewrite_pages: Global AtStart, uint(1, 512), n(128),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_fast_shutdown: Global Always, uint(0, 2), n(1),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_fill_factor: Global Always, uint(10, 100), n(100),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_force_load_corrupted: Global AtStart, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_fsync_threshold: Global Always, uint(0, U64_MAX), n(0),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ft_aux_table: Global Always, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ft_cache_size: Global AtStart, uint(1_600_000, 80_000_000), n(8_000_000),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ft_enable_diag_print: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ft_num_word_optimize: Global Always, uint(1_000, 10_000), n(2_000),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ft_sort_pll_degree: Global AtStart, uint(1, 16), n(2),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_ft_total_cache_size: Global AtStart, uint(32_000_000, 1_600_000_000), n(640_000_000),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_checksums: Global Always, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_compressed_pages: Global Always, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_group_home_dir: Global AtStart, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_spin_cpu_abs_lwm: Global Always, uint(0, 4_294_967_295), n(80),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_spin_cpu_pct_hwm: Global Always, uint(0, 100), n(50),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_wait_for_flush_spin_hwm: Global Always, uint(0, 4_294_967_295), n(400),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_write_ahead_size: Global Always, uint(512, 16_384), n(8_192),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_log_writer_threads: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_max_purge_lag: Global Always, uint(0, 4_294_967_295), n(0),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_max_purge_lag_delay: Global Always, uint(0, 10_000_000), n(0),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_numa_interleave: Global AtStart, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_optimize_fulltext_only: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_parallel_read_threads: Both Always, uint(1, 256), n(4),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_print_ddl_logs: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_purge_batch_size: Global Always, uint(1, 5_000), n(300),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_redo_log_archive_dirs: Global Always, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_rollback_segments: Global Always, uint(1, 128), n(128),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_segment_reserve_factor: Global Always, STR, s("12.500000"),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_spin_wait_pause_multiplier: Global Always, uint(0, 100), n(50),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_stats_include_delete_marked: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_status_output: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_status_output_locks: Global Always, BOOL, OFF,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_sync_array_size: Global AtStart, uint(1, 1_024), n(1),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_temp_data_file_path: Global AtStart, STR, s("ibtmp1:12M:autoextend"),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_temp_tablespaces_dir: Global AtStart, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_thread_sleep_delay: Global Always, uint(0, 1_000_000), n(10_000),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_tmpdir: Both Always, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_undo_directory: Global AtStart, STR, s(""),
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_use_fdatasync: Global Always, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    innodb_validate_tablespace_paths: Global AtStart, BOOL, ON,
        "Of InnoDB, as in MySQL.", note "the engine has no such part, or sees to it by itself";
    }};
}

pub(super) use with_elsewhere;
