//! Variables that clients and test suites set and that have no effect here: of MyISAM, of replication, of
//! ways in which MySQL manages its memory. Their notes say so, and setting one away from its default is a warning.
//!
//! The rows are handed to the macro that makes the table, behind those of `table.rs`, so that there is one table of all.

/// Names of `block_encryption_mode`, in MySQL's order: three lengths of a key for each mode.
pub(super) const ENCRYPTION_MODES: &[&str] = &[
    "aes-128-ecb",
    "aes-192-ecb",
    "aes-256-ecb",
    "aes-128-cbc",
    "aes-192-cbc",
    "aes-256-cbc",
    "aes-128-cfb1",
    "aes-192-cfb1",
    "aes-256-cfb1",
    "aes-128-cfb8",
    "aes-192-cfb8",
    "aes-256-cfb8",
    "aes-128-cfb128",
    "aes-192-cfb128",
    "aes-256-cfb128",
    "aes-128-ofb",
    "aes-192-ofb",
    "aes-256-ofb",
];

/// What MyISAM and InnoDB take NULLs for in their statistics.
pub(super) const NULLS: &[&str] = &["nulls_unequal", "nulls_equal", "nulls_ignored"];

/// `$table! { rows, and those of this file }`.
macro_rules! with_inert {
    ($table:ident => $($rows:tt)*) => { super::elsewhere::with_elsewhere! { $table =>
        $($rows)*

    ["Other engines"]
    key_buffer_size: Global Always, size(0, U64_MAX, 4096), n(8_388_608),
        "Bytes of the cache of MyISAM's indexes.", note "it belongs to MyISAM";
    key_cache_age_threshold: Global Always, uint(100, U64_MAX), n(300),
        "When blocks of the key cache grow old.", note "it belongs to MyISAM";
    key_cache_block_size: Global Always, size(512, 16_384, 512), n(1024),
        "Bytes of a block of the key cache.", note "it belongs to MyISAM";
    key_cache_division_limit: Global Always, uint(1, 100), n(100),
        "Percent of the key cache that is warm.", note "it belongs to MyISAM";
    preload_buffer_size: Both Always, size(1024, 1_073_741_824, 1), n(32_768),
        "Bytes of a read of LOAD INDEX INTO CACHE.", note "it belongs to MyISAM";
    delay_key_write: Global Always, VarType::Enum(&["OFF", "ON", "ALL"]), Default::Enum(1),
        "Write indexes when their tables are closed.", note "it belongs to MyISAM";
    concurrent_insert: Global Always, VarType::Enum(&["NEVER", "AUTO", "ALWAYS"]), Default::Enum(1),
        "Insert beside readers.", note "it belongs to MyISAM";
    low_priority_updates: Both Always, BOOL, OFF, "Changes wait for readers of the table.",
        note "it belongs to engines that lock tables";
    max_write_lock_count: Global Always, uint(1, U64_MAX), n(U64_MAX),
        "Write locks of a table after which readers have their turn.",
        note "it belongs to engines that lock tables";
    myisam_sort_buffer_size: Both Always, size(4096, U64_MAX, 1), n(8_388_608),
        "Bytes for building MyISAM's indexes.", note "it belongs to MyISAM";
    myisam_max_sort_file_size: Global Always, size(0, 9_223_372_036_854_775_807, 1),
        n(9_223_372_036_853_727_232), "Bytes of a file for building MyISAM's indexes.",
        note "it belongs to MyISAM";
    myisam_data_pointer_size: Global Always, uint(2, 7), n(6),
        "Bytes of a pointer to a row of MyISAM.", note "it belongs to MyISAM";
    myisam_mmap_size: Global AtStart, size(7, U64_MAX, 1), n(U64_MAX),
        "Bytes of mapped files of MyISAM.", note "it belongs to MyISAM";
    myisam_stats_method: Both Always, VarType::Enum(super::inert::NULLS), Default::Enum(0),
        "What NULLs are for statistics of MyISAM.", note "it belongs to MyISAM";
    myisam_use_mmap: Global Always, BOOL, OFF, "Map MyISAM's files.", note "it belongs to MyISAM";
    myisam_recover_options: Global Never, STR, s("OFF"), "There is no MyISAM.";
    flush: Global Always, BOOL, OFF, "Write MyISAM's changes after each statement.",
        note "it belongs to MyISAM";
    flush_time: Global Always, uint(0, YEAR), n(0), "Seconds after which tables are closed.",
        note "it belongs to MyISAM";
    keep_files_on_create: Both Always, BOOL, OFF, "CREATE TABLE leaves files of MyISAM that are there.",
        note "it belongs to MyISAM";
    delayed_insert_limit: Global Always, uint(1, U64_MAX), n(100), "Rows of INSERT DELAYED at once.",
        note "INSERT DELAYED is an INSERT";
    delayed_insert_timeout: Global Always, uint(1, YEAR), n(300),
        "Seconds that INSERT DELAYED waits for more rows.", note "INSERT DELAYED is an INSERT";
    delayed_queue_size: Global Always, uint(1, U64_MAX), n(1000), "Rows that INSERT DELAYED keeps.",
        note "INSERT DELAYED is an INSERT";
    max_delayed_threads: Both Always, uint(0, 16_384), n(20), "Threads of INSERT DELAYED.",
        note "INSERT DELAYED is an INSERT";
    max_insert_delayed_threads: Both Always, uint(0, 16_384), n(20), "Threads of INSERT DELAYED.",
        note "INSERT DELAYED is an INSERT";

    ["Full-text search"]
    ft_min_word_len: Global AtStart, uint(1, 82), n(4), "Characters of the shortest word that MATCH finds in tables declared as MyISAM's without a key.";
    ft_max_word_len: Global AtStart, uint(10, 84), n(84), "Characters that words are shorter than which MATCH finds in tables declared as MyISAM's without a key.";
    ft_boolean_syntax: Global Always, STR, s("+ -><()~*:\"\"&|"), "Operators of searches IN BOOLEAN MODE.",
        note "it belongs to MyISAM";
    ft_query_expansion_limit: Global AtStart, uint(0, 1000), n(20), "Rows used WITH QUERY EXPANSION.",
        note "all rows that are found are used, as InnoDB does";
    ft_stopword_file: Global AtStart, STR, s("(built-in)"), "File of words that are left out.",
        note "it belongs to MyISAM";
    ngram_token_size: Global AtStart, uint(1, 10), n(2), "Characters of a word of the ngram parser.";
    innodb_ft_enable_stopword: Both Always, BOOL, ON, "Words of the list of stopwords are not found by MATCH.";
    innodb_ft_min_token_size: Global AtStart, uint(0, 16), n(3), "Characters of the shortest word that MATCH finds.";
    innodb_ft_max_token_size: Global AtStart, uint(10, 84), n(84), "Characters of the longest word that MATCH finds.";
    innodb_ft_result_cache_limit: Global Always, size(1_000_000, 4_294_967_295, 1), n(2_000_000_000),
        "Bytes of the result of a search.", note "results are charged to the session's memory";
    innodb_ft_server_stopword_table: Global Always, STR, s(""), "Table of words that are left out. Only the built-in list is used.";
    innodb_ft_user_stopword_table: Both Always, STR, s(""), "Table of words that are left out. Only the built-in list is used.";

    ["Replication"]
    max_binlog_size: Global Always, size(4096, 1_073_741_824, 4096), n(1_073_741_824),
        "Bytes after which the binary log begins another file.";
    max_relay_log_size: Global Always, size(0, 1_073_741_824, 4096), n(0),
        "Bytes of a file of the relay log.", note "a replica makes no use of it";
    expire_logs_days: Global Always, uint(0, 99), n(0), "Days that the binary log is kept.",
        note "the binary log makes no use of it";
    binlog_expire_logs_seconds: Global Always, uint(0, 4_294_967_295), n(2_592_000),
        "Seconds after which files of the binary log are removed; 0: they are kept.";
    binlog_cache_size: Global Always, size(4096, U64_MAX, 4096), n(32_768),
        "Bytes of a transaction's rows for the binary log in memory; more go to a file.";
    binlog_stmt_cache_size: Global Always, size(4096, U64_MAX, 4096), n(32_768),
        "Bytes of a statement for the binary log in memory.", note "the binary log makes no use of it";
    relay_log_purge: Global Always, BOOL, ON, "Remove relay logs that are done with.",
        note "a replica makes no use of it";
    slave_net_timeout: Global Always, uint(1, YEAR), n(60), "Seconds to wait for a source.",
        note "a replica makes no use of it";

    ["The planner and its memory"]
    optimizer_search_depth: Both Always, uint(0, 62), n(62), "Tables whose orders are looked at.",
        note "the planner has a limit of its own";
    optimizer_prune_level: Both Always, uint(0, 1), n(1), "Leave out orders of tables that look bad.",
        note "the planner chooses itself";
    max_seeks_for_key: Both Always, uint(1, U64_MAX), n(U64_MAX), "Most seeks that an index is thought to cost.",
        note "costs are counted from statistics";
    max_length_for_sort_data: Both Always, uint(4, 8_388_608), n(4096),
        "Bytes of a row that is sorted as a whole.", note "MySQL has no use for it either since 8.0.20";
    optimizer_trace: Both Always, STR, s("enabled=off,one_line=off"), "Trace the optimizer.",
        note "statements are not traced";
    optimizer_trace_features: Both Always, STR,
        s("greedy_search=on,range_optimizer=on,dynamic_range=on,repeated_subselect=on"),
        "What is traced.", note "statements are not traced";
    optimizer_trace_limit: Both Always, VarType::Int { min: 0, max: 2_147_483_647 }, Default::Int(1),
        "Traces that are kept.", note "statements are not traced";
    optimizer_trace_max_mem_size: Both Always, size(0, 4_294_967_295, 1), n(1_048_576),
        "Bytes of all traces.", note "statements are not traced";
    optimizer_trace_offset: Both Always, VarType::Int { min: -2_147_483_648, max: 2_147_483_647 },
        Default::Int(-1), "First trace that is kept.", note "statements are not traced";
    end_markers_in_json: Both Always, BOOL, OFF, "Say at the ends of traces what ends.",
        note "statements are not traced";
    profiling_history_size: Both Always, uint(0, 100), n(15), "Profiles that are kept.",
        note "statements are not profiled";
    sql_buffer_result: Both Always, BOOL, OFF, "Keep results in a table before they are sent.",
        note "rows are sent as they are found";
    big_tables: Both Always, BOOL, OFF, "Keep internal temporary tables on disk.",
        note "they are in memory";
    internal_tmp_mem_storage_engine: Both Always, VarType::Enum(&["MEMORY", "TempTable"]),
        Default::Enum(1), "Engine of internal temporary tables.", note "they are no tables of an engine";
    temptable_max_ram: Global Always, size(2_097_152, U64_MAX, 1), n(1_073_741_824),
        "Bytes of all internal temporary tables in memory.",
        note "connection_memory_limit and global_connection_memory_limit limit them";
    temptable_max_mmap: Global Always, size(0, U64_MAX, 1), n(1_073_741_824),
        "Bytes of all internal temporary tables in mapped files.", note "they are in memory";
    range_alloc_block_size: Both Always, size(4096, 4_294_966_272, 1024), n(4096),
        "Bytes taken at once for ranges.", note "memory is taken as it is needed";
    range_optimizer_max_mem_size: Both Always, uint(0, U64_MAX), n(8_388_608),
        "Bytes for ranges, beyond which a table is read whole.", note "ranges are limited by their number";
    query_alloc_block_size: Both Always, size(1024, 4_294_966_272, 1024), n(8192),
        "Bytes taken at once for a statement.", note "memory is taken as it is needed";
    query_prealloc_size: Both Always, size(8192, 18_446_744_073_709_550_592, 1024), n(8192),
        "Bytes kept for statements.", note "memory is taken as it is needed";
    transaction_alloc_block_size: Both Always, size(1024, 131_072, 1024), n(8192),
        "Bytes taken at once for a transaction.", note "memory is taken as it is needed";
    transaction_prealloc_size: Both Always, size(1024, 131_072, 1024), n(4096),
        "Bytes kept for transactions.", note "memory is taken as it is needed";
    parser_max_mem_size: Both Always, size(10_000_000, U64_MAX, 1), n(U64_MAX),
        "Bytes of the parser.", note "max_allowed_packet and the depth of a statement limit them";
    max_points_in_geometry: Both Always, uint(3, 1_048_576), n(65_536),
        "Points of a result of ST_Buffer().", note "there is no ST_Buffer()";
    schema_definition_cache: Global Always, uint(256, 524_288), n(256),
        "Definitions of schemas that are kept.", note "all are in memory";
    tablespace_definition_cache: Global Always, uint(256, 524_288), n(256),
        "Definitions of tablespaces that are kept.", note "all are in memory";
    table_definition_cache: Global Always, uint(400, 524_288), n(2000),
        "Definitions of tables that are kept.", note "table_open_cache says how many";
    table_open_cache_instances: Global AtStart, uint(1, 64), n(16), "Parts of the cache of tables.",
        note "the cache is one";
    thread_cache_size: Global Always, uint(0, 16_384), n(9), "Threads that wait for connections.",
        note "the server keeps threads as it needs them";
    max_connect_errors: Global Always, uint(1, U64_MAX), n(100),
        "Broken connections after which a host is refused.", note "hosts are not refused";
    net_retry_count: Both Always, uint(1, U64_MAX), n(10), "Interrupted reads that are tried again.",
        note "all are";
    old_alter_table: Both Always, BOOL, OFF, "ALTER TABLE always copies.",
        note "ALTER TABLE copies where it must";
    show_create_table_verbosity: Both Always, BOOL, OFF, "SHOW CREATE TABLE has ROW_FORMAT always.",
        note "it is shown where it was written";
    select_into_buffer_size: Both Always, size(8192, 2_147_479_552, 4096), n(131_072),
        "Bytes of a write of SELECT ... INTO OUTFILE.", note "files are written at 64 KiB";
    innodb_stats_persistent_sample_pages: Global Always, uint(1, U64_MAX), n(20),
        "Pages of an index that statistics look at.", note "the engine chooses how many";
    innodb_stats_transient_sample_pages: Global Always, uint(1, U64_MAX), n(8),
        "The same of tables without kept statistics.", note "the engine chooses how many";
    innodb_stats_auto_recalc: Global Always, BOOL, ON, "Make statistics again when a table has changed.",
        note "the engine chooses when";
    innodb_stats_on_metadata: Global Always, BOOL, OFF, "Make statistics when SHOW asks for them.",
        note "the engine chooses when";
    innodb_stats_method: Global Always, VarType::Enum(super::inert::NULLS), Default::Enum(1),
        "What NULLs are for statistics.", note "the engine chooses how";
    innodb_sync_spin_loops: Global Always, uint(0, 4_294_967_295), n(30), "Looks at a latch before waiting.",
        note "latches have a number of their own";
    innodb_spin_wait_delay: Global Always, uint(0, 1000), n(6), "Pause between two looks at a latch.",
        note "latches have a pause of their own";

    ["What is not there"]
    have_dynamic_loading: Global Never, STR, s("NO"), "Plugins are not loaded.";
    have_geometry: Global Never, STR, s("YES"), "There are columns of geometries.";
    have_profiling: Global Never, STR, s("NO"), "Statements are not profiled.";
    have_query_cache: Global Never, STR, s("NO"), "There is no cache of results.";
    have_rtree_keys: Global Never, STR, s("NO"), "There are no SPATIAL indexes.";
    have_statement_timeout: Global Never, STR, s("YES"), "max_execution_time is obeyed.";
    have_symlink: Global Never, STR, s("DISABLED"), "Tables have no directory of their own.";
    large_pages: Global Never, BOOL, OFF, "Memory is taken in the system's pages.";
    locked_in_memory: Global Never, BOOL, OFF, "The system may swap.";
    }};
}

pub(super) use with_inert;
