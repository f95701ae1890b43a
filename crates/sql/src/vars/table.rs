//! The table itself. A row: name, scope, who may set it and when, type, default, what it means,
//! and, where it has no effect here, why (`note`). Names, types, ranges and defaults are MySQL
//! 8.0's except where the text says otherwise.

use super::inert::with_inert;
use super::policies::*;
use super::{Default, Scope, Settable, VarDef, VarType, sql_mode};

macro_rules! vars {
    ($([$group:literal] $($name:ident: $scope:ident $set:ident, $ty:expr, $default:expr,
        $doc:literal $(, note $note:literal)? $(, read by $policies:expr)?;)*)*) => {
        /// A system variable. The variants carry the variables' own names.
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Var { $($($name),*),* }

        /// The rows, in the order of [`Var`].
        pub(super) const TABLE: &[VarDef] = &[$($(VarDef {
            var: Var::$name,
            name: stringify!($name),
            group: $group,
            scope: Scope::$scope,
            settable: Settable::$set,
            ty: $ty,
            default: $default,
            doc: $doc,
            note: note!($($note)?),
            policies: policies!($($policies)?),
        }),*),*];
    };
}

macro_rules! note {
    () => {
        None
    };
    ($note:literal) => {
        Some($note)
    };
}

macro_rules! policies {
    () => {
        &[]
    };
    ($policies:expr) => {
        $policies
    };
}

const BOOL: VarType = VarType::Bool;
const STR: VarType = VarType::Str;
const ON: Default = Default::Bool(true);
const OFF: Default = Default::Bool(false);
const U64_MAX: u64 = u64::MAX;
const YEAR: u64 = 31_536_000;

const fn uint(min: u64, max: u64) -> VarType {
    VarType::UInt { min, max }
}
const fn size(min: u64, max: u64, step: u64) -> VarType {
    VarType::Size { min, max, step }
}
const fn n(v: u64) -> Default {
    Default::UInt(v)
}
const fn s(v: &'static str) -> Default {
    Default::Str(v)
}

/// `innodb_adaptive_checkpoint`: XtraDB's ways; a switch in Google's patches and the first XtraDB, where ON is reflex.
const CHECKPOINTING: &[&str] = &["none", "reflex", "estimate", "keep_average"];

/// Configurations of published runs, see `weir_profile`.
const PROFILES: &[&str] = &[
    "none",
    "v4-5037",
    "xtradb-5134",
    "mysql-5075",
    "mysql-5.4",
    "xtradb-adaptive",
    "plugin-1.0.4",
    "mysql-5.5",
    "mysql-5.6",
    "mysql-8.0",
    "mariadb-10.6",
];

const SQL_MODES: &[&str] = &[
    "REAL_AS_FLOAT",
    "PIPES_AS_CONCAT",
    "ANSI_QUOTES",
    "IGNORE_SPACE",
    "",
    "ONLY_FULL_GROUP_BY",
    "NO_UNSIGNED_SUBTRACTION",
    "NO_DIR_IN_CREATE",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "",
    "ANSI",
    "NO_AUTO_VALUE_ON_ZERO",
    "NO_BACKSLASH_ESCAPES",
    "STRICT_TRANS_TABLES",
    "STRICT_ALL_TABLES",
    "NO_ZERO_IN_DATE",
    "NO_ZERO_DATE",
    "ALLOW_INVALID_DATES",
    "ERROR_FOR_DIVISION_BY_ZERO",
    "TRADITIONAL",
    "",
    "HIGH_NOT_PRECEDENCE",
    "NO_ENGINE_SUBSTITUTION",
    "PAD_CHAR_TO_FULL_LENGTH",
    "TIME_TRUNCATE_FRACTIONAL",
];

/// In the order of their strength; the index is the value of the variable.
const ISOLATION: &[&str] =
    &["READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"];

with_inert! { vars =>
    ["Files and network"]
    datadir: Global AtStart, STR, s("./weir-data"),
        "Directory of the data; created when missing.";
    persisted_globals_load: Global AtStart, BOOL, ON,
        "Take the values that SET PERSIST has kept in mysqld-auto.cnf of the data directory.";
    port: Global AtStart, uint(0, 65535), n(3306), "TCP port to listen on; 0 takes a free one.";
    bind_address: Global AtStart, STR, s("127.0.0.1"),
        "Addresses to listen on, with commas between; anything but loopback needs a password on root.";
    socket: Global AtStart, STR, s(""),
        "Path of the unix socket; by default weir.sock in the data directory.";
    socket_mode: Global AtStart, STR, s("0777"),
        "Permissions of the unix socket, in octal; an account of the system needs the right to write to it to connect.";
    skip_networking: Global AtStart, BOOL, OFF, "Listen on the unix socket only.";
    weir_http_port: Global AtStart, uint(0, 65535), n(0),
        "TCP port of the live page, /metrics, /health and /ready (--http-port); 0 for none.";
    weir_http_bind_address: Global AtStart, STR, s("127.0.0.1"),
        "Address of the HTTP port (--http-bind-address); anything but loopback is served over TLS, to accounts with the PROCESS privilege.";
    back_log: Global AtStart, uint(1, 65535), n(151),
        "Connections that may wait to be accepted; as many as max_connections when it is not given, and at most what the system allows (net.core.somaxconn).";
    pid_file: Global AtStart, STR, s(""),
        "File that holds the process id while the server runs; empty for none.";
    log_error: Global AtStart, STR, s("stderr"), "File to append the error log to, or stderr.";
    log_error_verbosity: Global Always, uint(1, 3), n(2),
        "What goes to the error log: 1 errors, 2 also warnings, 3 also notes.";
    log_output: Global Always, VarType::Set(&["NONE", "FILE"]), Default::Set(0b10),
        "Where the general and the slow query log go: FILE, or NONE for nowhere.";
    general_log: Global Always, BOOL, OFF, "Log all that clients send to general_log_file.";
    general_log_file: Global Always, STR, s(""),
        "The general log; by default the machine's name with .log, in the data directory.";
    slow_query_log: Global Always, BOOL, OFF, "Log statements that take longer than long_query_time.";
    slow_query_log_file: Global Always, STR, s(""),
        "The slow query log; by default the machine's name with -slow.log, in the data directory.";
    long_query_time: Both Always, VarType::Float { min: 0.0, max: 31_536_000.0 },
        Default::Float(10.0), "Seconds after which a statement is slow; 0 for all.";
    min_examined_row_limit: Both Always, uint(0, U64_MAX), n(0),
        "A statement that looks at fewer rows is not slow.";
    log_queries_not_using_indexes: Global Always, BOOL, OFF,
        "Statements that read whole tables are slow, too.";
    log_slow_admin_statements: Global Always, BOOL, OFF,
        "ALTER TABLE, CREATE INDEX, ANALYZE TABLE and their like go to the slow query log, too.";
    innodb_open_files: Global AtStart, uint(10, 2_147_483_647), n(4000),
        "Files of tables that are open at once; fewer where the system allows the process fewer descriptors.";
    table_open_cache: Global Always, uint(1, 524_288), n(4000),
        "Decoded definitions of tables that are kept while nobody uses them.";
    open_files_limit: Global AtStart, uint(0, 1_048_576), n(0),
        "File descriptors to ask of the system; 0 asks for as many as are allowed.",
        note "as many as the system allows are asked for";
    hostname: Global Never, STR, s(""), "Name of this machine.";
    tmpdir: Global Never, STR, s(""), "Empty: no temporary files are written outside the data directory.";
    secure_file_priv: Global AtStart, STR, s("NULL"),
        "Directory whose files LOAD DATA and SELECT ... INTO OUTFILE may read and write; NULL: no files, empty: all.";
    skip_name_resolve: Global Never, BOOL, ON, "Client addresses are never looked up as names.";
    local_infile: Global Always, BOOL, OFF, "LOAD DATA LOCAL may ask clients for their files.";

    ["Connections"]
    max_connections: Global Always, uint(1, 100_000), n(151),
        "Clients at the same time; one more may come with the SUPER or CONNECTION_ADMIN privilege.";
    max_user_connections: Global Always, uint(0, 4_294_967_295), n(0),
        "Connections of one account at the same time, where it has no MAX_USER_CONNECTIONS of its own; 0 for no limit.";
    offline_mode: Global Always, BOOL, OFF,
        "Let in only accounts with CONNECTION_ADMIN or SUPER, and end the connections of others.";
    connect_timeout: Global Always, uint(2, YEAR), n(10), "Seconds a client has to log in.";
    connection_control_failed_connections_threshold: Global Always, uint(0, 2_147_483_647), n(3),
        "Failed logins in a row, of one name from one address, that are answered at once; 0 for all.";
    connection_control_min_connection_delay: Global Always, uint(1000, 2_147_483_647), n(1000),
        "Milliseconds by which each further failed login is answered later than the one before.";
    connection_control_max_connection_delay: Global Always, uint(1000, 2_147_483_647), n(60_000),
        "Longest such delay in milliseconds (MySQL: 2147483647).";
    wait_timeout: Both Always, uint(1, YEAR), n(28_800),
        "Seconds after which an idle connection is closed.";
    interactive_timeout: Both Always, uint(1, YEAR), n(28_800),
        "The same for interactive clients; their wait_timeout starts from it.";
    net_read_timeout: Both Always, uint(1, YEAR), n(30),
        "Seconds to wait for the rest of a packet.";
    net_write_timeout: Both Always, uint(1, YEAR), n(60),
        "Seconds to wait for a client to take its answer.";
    net_buffer_length: Both GlobalOnly, size(1024, 1_048_576, 1024), n(16_384),
        "Bytes of answer gathered before they are sent.",
        note "answers are sent at 16 KiB";
    max_allowed_packet: Both GlobalOnly, size(1024, 1_073_741_824, 1024), n(67_108_864),
        "Largest statement or row in bytes.";
    thread_stack: Global AtStart, size(1_048_576, 67_108_864, 1024), n(1_048_576),
        "Stack of a connection's thread in bytes; only what is used becomes memory.";
    thread_handling: Global Never, VarType::Enum(&["one-thread-per-connection"]), Default::Enum(0),
        "How connections are served.";
    max_prepared_stmt_count: Global Always, uint(0, 4_194_304), n(16_382),
        "Prepared statements of all sessions together.";
    default_authentication_plugin: Global AtStart,
        VarType::Enum(&["mysql_native_password", "caching_sha2_password"]), Default::Enum(1),
        "How the password of an account is kept when CREATE USER does not say.",
        note "it is caching_sha2_password where CREATE USER does not say";
    default_password_lifetime: Global Always, uint(0, 65_535), n(0),
        "Days after which a password expires whose account says DEFAULT; 0: never.";
    disconnect_on_expired_password: Global AtStart, BOOL, ON,
        "Refuse logins with an expired password by clients that do not say that they can change it.";
    password_history: Global Always, uint(0, 4_294_967_295), n(0),
        "Former passwords that may not be used again, where the account says DEFAULT.";
    password_reuse_interval: Global Always, uint(0, 4_294_967_295), n(0),
        "Days for which a former password may not be used again, where the account says DEFAULT.";
    password_require_current: Global Always, BOOL, OFF,
        "Changing one's own password takes the current one, where the account says DEFAULT.";
    authentication_policy: Global Always, STR, s("*,,"), "One factor, any plugin.",
        note "each account has one factor, and any plugin";
    xa_detach_on_prepare: Both Always, BOOL, ON,
        "What is prepared belongs to no session: any session commits it or rolls it back.",
        note "it is always so";
    mandatory_roles: Global Always, STR, s(""),
        "Roles that every account has: names with or without a host, separated by commas.";
    activate_all_roles_on_login: Global Always, BOOL, OFF,
        "A login activates all roles of the account, not its default roles alone.";
    partial_revokes: Global Always, BOOL, OFF,
        "REVOKE on a database restricts what is granted on all of them.";
    automatic_sp_privileges: Global Always, BOOL, ON,
        "The creator of a routine may execute, alter and drop it.";
    init_connect: Global Always, STR, s(""), "What runs when a client connects.",
        note "nothing runs then";
    protocol_version: Global Never, uint(10, 10), n(10), "Version of the handshake.";
    have_ssl: Global Never, STR, s("DISABLED"), "Connections may be encrypted.";
    have_openssl: Global Never, STR, s("DISABLED"), "The same as have_ssl.";
    have_compress: Global Never, STR, s("YES"), "Connections may be compressed.";
    protocol_compression_algorithms: Global Always, STR, s("zlib,zstd,uncompressed"),
        "How clients may compress: a list of zlib, zstd and uncompressed.";
    require_secure_transport: Global Always, BOOL, OFF,
        "Let in over TCP only clients that encrypt; unix sockets are secure.";
    tls_version: Global Always, STR, s("TLSv1.2,TLSv1.3"),
        "Versions of encrypted connections; empty: none are encrypted. ALTER INSTANCE RELOAD TLS puts it into force.";
    ssl_ca: Global Always, STR, s(""),
        "File of authorities whose clients' certificates are trusted. ALTER INSTANCE RELOAD TLS reads it again, as all of these.";
    ssl_capath: Global Always, STR, s(""), "Directory of such files.";
    ssl_cert: Global Always, STR, s(""), "File of the server's certificate and those between it and its authority.";
    ssl_key: Global Always, STR, s(""), "File of the key of that certificate.";
    ssl_crl: Global Always, STR, s(""), "File of lists of revoked certificates.";
    ssl_crlpath: Global Always, STR, s(""), "Directory of such files.";
    ssl_cipher: Global Always, STR, s(""), "Ciphers of TLSv1.2, separated by colons; empty: all there are.";
    tls_ciphersuites: Global Always, STR, s(""), "Ciphers of TLSv1.3, separated by colons; empty: all there are.";
    auto_generate_certs: Global AtStart, BOOL, ON,
        "Make certificates in the data directory where there are none and no ssl option is given.";
    ssl_session_cache_mode: Global Always, BOOL, ON, "A client that comes again need not shake hands at length.";
    tls_certificates_enforced_validation: Global AtStart, BOOL, OFF,
        "Refuse to start when the certificates cannot be used.";

    ["Statements"]
    autocommit: Both Always, BOOL, ON, "Each statement is a transaction of its own.";
    sql_mode: Both Always, VarType::Set(SQL_MODES), Default::Set(sql_mode::DEFAULT),
        "Rules by which statements are read and values checked.";
    sql_auto_is_null: Both Always, BOOL, OFF,
        "WHERE id IS NULL finds the row inserted last, where id is an AUTO_INCREMENT column and there is no other condition.";
    sql_safe_updates: Both Always, BOOL, OFF,
        "Refuse UPDATE and DELETE without a key in WHERE or a LIMIT.";
    sql_require_primary_key: Both Always, BOOL, OFF, "Refuse CREATE TABLE and ALTER TABLE that leave a table without a primary key.";
    sql_generate_invisible_primary_key: Both Always, BOOL, OFF, "A table that is made without a primary key gets an invisible column my_row_id that is one.";
    show_gipk_in_create_table_and_information_schema: Both Always, BOOL, ON, "SHOW and information_schema show generated invisible primary keys.";
    sql_select_limit: Both Always, uint(0, U64_MAX), n(U64_MAX), "Most rows a SELECT without LIMIT returns.";
    sql_big_selects: Both Always, BOOL, ON,
        "Allow SELECT that would examine more than max_join_size rows. It follows max_join_size.";
    max_join_size: Both Always, uint(1, U64_MAX), n(U64_MAX),
        "Rows a SELECT may examine, by the planner's guess, before it is refused. The largest value sets sql_big_selects, any other unsets it.";
    generated_random_password_length: Both Always, uint(5, 255), n(20),
        "Characters of a password that CREATE USER and its like make with RANDOM PASSWORD.";
    sql_notes: Both Always, BOOL, ON, "Notes are kept and count as warnings.";
    sql_warnings: Both Always, BOOL, OFF,
        "INSERT of one row reports warnings in its info text.",
        note "the warning count is always sent";
    sql_quote_show_create: Both Always, BOOL, ON, "Quote identifiers in SHOW CREATE.",
        note "identifiers are always quoted";
    max_sp_recursion_depth: Both Always, uint(0, 255), n(0),
        "How often a stored procedure may call itself.";
    log_bin_trust_function_creators: Global Always, BOOL, OFF,
        "Functions and triggers need not be declared safe for the binary log.",
        note "the binary log makes no use of it";
    sql_log_bin: Session Running, BOOL, ON, "What the session commits goes to the binary log, where there is one.";
    sql_log_off: Both Always, BOOL, OFF, "Keep a session's statements out of the general log.";
    group_concat_max_len: Both Always, uint(4, U64_MAX), n(1024),
        "Longest result of GROUP_CONCAT in bytes.";
    connection_memory_limit: Both Always, uint(2_097_152, U64_MAX), n(U64_MAX),
        "Bytes that what a session holds may take; a statement beyond it fails.";
    global_connection_memory_limit: Global Always, uint(16_777_216, U64_MAX), n(U64_MAX),
        "The same for all sessions together.";
    global_connection_memory_tracking: Global Always, BOOL, ON,
        "Charge what sessions hold to the server's account.";
    max_execution_time: Both Always, uint(0, 4_294_967_295), n(0),
        "Milliseconds a SELECT may run; 0 for no limit.";
    lock_wait_timeout: Both Always, uint(1, YEAR), n(YEAR),
        "Seconds to wait for a table that DDL holds; queries wait no longer than innodb_lock_wait_timeout either.";
    div_precision_increment: Both Always, uint(0, 30), n(4),
        "Digits that a division adds behind the point.";
    explain_format: Both Always, VarType::Enum(&["TRADITIONAL", "JSON", "TREE"]), Default::Enum(0),
        "What EXPLAIN gives that names no FORMAT.";
    block_encryption_mode: Both Always, VarType::Enum(super::inert::ENCRYPTION_MODES), Default::Enum(0),
        "Length of the key and mode of AES_ENCRYPT() and AES_DECRYPT().";
    default_week_format: Both Always, uint(0, 7), n(0), "Mode of WEEK() without its own.";
    max_error_count: Both Always, uint(0, 65_535), n(1024), "Warnings kept of one statement.";
    max_sort_length: Both Always, uint(4, 8_388_608), n(1024),
        "Bytes of a value that ORDER BY looks at.", note "the whole value is compared";
    sort_buffer_size: Both Always, size(32_768, U64_MAX, 1), n(262_144),
        "Bytes of rows that a sort keeps in memory before it goes on on disk, if it is more than tmp_table_size.";
    join_buffer_size: Both Always, size(128, U64_MAX, 128), n(262_144),
        "Bytes of memory for a join without index.", note "a table that a join keeps may take 256 MiB";
    tmp_table_size: Both Always, size(1024, U64_MAX, 1), n(16_777_216),
        "Bytes of groups, of keys of DISTINCT and UNION, of rows to be sorted or inserted that a statement keeps in memory before it goes on on disk.";
    max_heap_table_size: Both Always, size(16_384, U64_MAX, 1024), n(16_777_216),
        "Bytes of a MEMORY table.", note "there is no MEMORY engine";
    read_buffer_size: Both Always, size(8_192, 2_147_479_552, 4096), n(131_072),
        "Bytes of a sequential read.", note "pages are read through the buffer pool";
    read_rnd_buffer_size: Both Always, size(1, 2_147_483_647, 1), n(262_144),
        "Bytes of reads after a sort.", note "pages are read through the buffer pool";
    bulk_insert_buffer_size: Both Always, size(0, U64_MAX, 1), n(8_388_608),
        "Bytes of the tree cache of bulk inserts.", note "it belongs to MyISAM";
    optimizer_switch: Both Always, STR, s(super::switches::DEFAULT),
        "Flags of the optimizer. Those for derived tables, joined subqueries, kept rows, early conditions and ordering indexes have an effect.";
    weir_batches: Both Always, VarType::Enum(&["OFF", "ON", "ALWAYS"]), Default::Enum(1),
        "Read tables that are summed up by the leaf, with conditions and sums over vectors of columns. ALWAYS: small ones as well; OFF: row by row.";
    eq_range_index_dive_limit: Both Always, uint(0, 4_294_967_295), n(200),
        "Equality ranges that are estimated by index dives.", note "the planner has no such limit";
    histogram_generation_max_mem_size: Both Always, size(1_000_000, U64_MAX, 1), n(20_000_000),
        "Bytes that counted values take when histograms are made; beyond, rows are sampled.";
    cte_max_recursion_depth: Both Always, uint(0, 4_294_967_295), n(1000),
        "Most rounds of a recursive common table expression.";
    information_schema_stats_expiry: Both Always, uint(0, YEAR), n(86_400),
        "Seconds for which table statistics are cached.", note "statistics are always current";
    foreign_key_checks: Both Always, BOOL, ON,
        "Foreign keys are checked, and parents are protected from DROP and TRUNCATE.";
    unique_checks: Both Always, BOOL, ON,
        "Off permits an engine to skip checks of unique keys; this one never skips them.";
    auto_increment_increment: Both Always, uint(1, 65_535), n(1), "Step of AUTO_INCREMENT values.";
    auto_increment_offset: Both Always, uint(1, 65_535), n(1), "First AUTO_INCREMENT value.";
    explicit_defaults_for_timestamp: Both Always, BOOL, ON,
        "TIMESTAMP columns have no hidden defaults.", note "they never have";
    lower_case_table_names: Global Never, uint(0, 0), n(0), "Names of tables keep their case.";
    lower_case_file_system: Global Never, BOOL, OFF, "Names of files keep their case.";
    default_storage_engine: Both Always, VarType::Enum(&["InnoDB"]), Default::Enum(0),
        "Engine of new tables.";
    default_tmp_storage_engine: Both Always, VarType::Enum(&["InnoDB"]), Default::Enum(0),
        "Engine of new temporary tables.";
    updatable_views_with_limit: Both Always, VarType::Enum(&["NO", "YES"]), Default::Enum(1),
        "Whether a view that does not show the whole key of its table can be changed with LIMIT.";
    completion_type: Both Always, VarType::Enum(&["NO_CHAIN", "CHAIN", "RELEASE"]), Default::Enum(0),
        "What COMMIT and ROLLBACK do afterwards.";
    event_scheduler: Global Always, VarType::Enum(&["OFF", "ON", "DISABLED"]), Default::Enum(1),
        "Run events at their times; DISABLED, at the start only, for good.";
    profiling: Session Running, BOOL, OFF, "Record where statements spend their time.",
        note "statements are not profiled";

    ["Session state"]
    last_insert_id: Session Running, uint(0, U64_MAX), n(0), "What LAST_INSERT_ID() returns.";
    insert_id: Session Running, uint(0, U64_MAX), n(0),
        "AUTO_INCREMENT value for the next insert.";
    timestamp: Session Running, VarType::Float { min: 0.0, max: 4_294_967_295.0 },
        Default::Float(0.0), "Seconds since 1970 that NOW() uses; 0 uses the clock.";
    pseudo_thread_id: Session Running, uint(0, U64_MAX), n(0), "Number of the connection that events of a binary log are of.",
        note "the binary log makes no use of it";
    warning_count: Session Never, uint(0, U64_MAX), n(0), "Warnings of the last statement.";
    error_count: Session Never, uint(0, U64_MAX), n(0), "Errors of the last statement.";
    session_track_schema: Both Always, BOOL, ON, "Tell clients when the default database changes.";
    session_track_system_variables: Both Always, STR,
        s("time_zone,autocommit,character_set_client,character_set_results,character_set_connection"),
        "Variables whose new values clients learn: names with commas between, or * for all.";
    session_track_state_change: Both Always, BOOL, OFF, "Tell clients that session state changed.";
    session_track_gtids: Both Always, VarType::Enum(&["OFF", "OWN_GTID", "ALL_GTIDS"]),
        Default::Enum(0), "Tell clients the identifiers of their transactions, or of all.";
    session_track_transaction_info: Both Always,
        VarType::Enum(&["OFF", "STATE", "CHARACTERISTICS"]), Default::Enum(0),
        "Tell clients the state of the transaction.";

    ["Character sets and time"]
    character_set_client: Both Always, VarType::Charset { nullable: false }, s("utf8mb4"),
        "Character set of statements.";
    character_set_connection: Both Always, VarType::Charset { nullable: false }, s("utf8mb4"),
        "Character set of literals.";
    character_set_results: Both Always, VarType::Charset { nullable: true }, s("utf8mb4"),
        "Character set of results; NULL sends them as they are stored.";
    character_set_server: Both Always, VarType::Charset { nullable: false }, s("utf8mb4"),
        "Character set of new databases.";
    character_set_database: Both Running, VarType::Charset { nullable: false }, s("utf8mb4"),
        "Character set of the default database.";
    character_set_filesystem: Both Always, VarType::Charset { nullable: false }, s("binary"),
        "Character set of file names.", note "statements cannot name files";
    character_set_system: Global Never, STR, s("utf8mb3"), "Character set of names.";
    character_sets_dir: Global Never, STR, s(""), "Directory of character sets; none, they are part of the program.";
    collation_connection: Both Always, VarType::Collation, s("utf8mb4_0900_ai_ci"),
        "Collation of literals.";
    collation_server: Both Always, VarType::Collation, s("utf8mb4_0900_ai_ci"),
        "Collation of new databases.";
    collation_database: Both Running, VarType::Collation, s("utf8mb4_0900_ai_ci"),
        "Collation of the default database.";
    default_collation_for_utf8mb4: Both Running, VarType::Collation, s("utf8mb4_0900_ai_ci"),
        "Collation of utf8mb4 where a statement names none: utf8mb4_0900_ai_ci or utf8mb4_general_ci.";
    time_zone: Both Always, VarType::TimeZone, s("SYSTEM"),
        "Time zone of TIMESTAMP and NOW(): SYSTEM, UTC or an offset such as +02:00.";
    system_time_zone: Global Never, STR, s("UTC"), "What SYSTEM means.";
    lc_time_names: Both Always, VarType::Enum(crate::value::temporal::names::LOCALES), Default::Enum(0),
        "Language of the names of days and months, in DATE_FORMAT, DAYNAME and MONTHNAME.";
    lc_messages: Both Always, VarType::Enum(crate::value::temporal::names::LOCALES), Default::Enum(0),
        "Language of messages.", note "messages are in English";

    ["Transactions"]
    transaction_isolation: Both Always, VarType::Enum(ISOLATION), Default::Enum(2),
        "Isolation level of transactions.";
    transaction_read_only: Both Always, BOOL, OFF, "Transactions only read.";
    innodb_lock_wait_timeout: Both Always, uint(1, 1_073_741_824), n(50),
        "Seconds to wait for a row lock before error 1205.";
    innodb_rollback_on_timeout: Global AtStart, BOOL, OFF,
        "Error 1205 rolls back the transaction, not only the statement.",
        note "error 1205 rolls back the statement alone";
    innodb_deadlock_detect: Global Always, BOOL, ON, "Find deadlocks when they form.";
    innodb_print_all_deadlocks: Global Always, BOOL, OFF, "Write each deadlock to the error log.";
    innodb_autoinc_lock_mode: Global Never, uint(2, 2), n(2),
        "AUTO_INCREMENT values are interleaved between statements.";
    innodb_table_locks: Both Always, BOOL, ON, "LOCK TABLES locks inside the engine too.",
        note "LOCK TABLES is not there";
    innodb_strict_mode: Both Always, BOOL, ON, "Refuse table options that do not fit.",
        note "what does not fit is always refused";

    ["Buffer pool and flushing"]
    weir_profile: Global AtStart, VarType::Enum(PROFILES), Default::Enum(0),
        "Flush policy and defaults of a published server, for the options that are not given.";
    weir_flush_policy: Global Always, VarType::Enum(weir_engine::FLUSH_POLICIES), Default::Enum(0),
        "What decides which pages are written and when.";
    weir_pressure: Global Never, uint(0, 1000), n(0),
        "How hard the engine is pressed: above 500 sessions are delayed, at 1000 they wait.";
    weir_priority: Both Always, VarType::Enum(&["normal", "background"]), Default::Enum(0),
        "background: statements wait until others are not delayed by them, a second at most; page reads let others go first.";
    weir_flight_recorder: Global Always, BOOL, ON,
        "Keep the last hour and day of flushing in the file flight-recorder.weir (6 MiB), also across a crash.";
    weir_memory_limit: Global Always, size(0, U64_MAX, 1), n(0),
        "Bytes that the process may take, with the whole of the buffer pool: beyond, statements that need more are error 1041. 0: fifteen sixteenths of what its control group, or the machine, allows.";
    weir_plan_cache_size: Global Always, size(0, 1 << 40, 1), n(32 << 20),
        "Bytes that plans of statements may take that are kept by their text; 0: none is kept.";
    weir_skip_unsupported_indexes: Both Always, BOOL, OFF,
        "Leave indexes that cannot be had (FULLTEXT ones of unknown parsers) out of new tables with a warning, so that dumps with them can be loaded.";
    weir_temp_limit: Global Always, size(0, U64_MAX, 1), n(0),
        "Bytes that the files of all statements for rows without room in memory may have together: what goes beyond them is error 1114. 0: as many as the device has.";
    weir_redo_archive_dir: Global AtStart, STR, s(""),
        "Copy the redo log to this directory as it becomes durable, for weir restore --to-time; empty: no archive.";
    weir_redo_archive_key_file: Global AtStart, STR, s(""),
        "Encrypt the archived redo log with the key in this file: 32 bytes, or 64 hexadecimal digits.";
    weir_snapshot_max_age: Global Always, uint(0, YEAR), n(0),
        "Seconds for which a transaction may keep its snapshot: then it is rolled back, and its next statement is error 3101. Nobody's is while a session has LOCK INSTANCE FOR BACKUP. 0: as long as it likes.";
    weir_stall_seconds: Global Always, uint(0, 3600), n(2),
        "Seconds without a commit while sessions wait that make a stall, to be told in the log and kept; 0: not watched.";
    innodb_undo_log_truncate: Global Always, BOOL, ON,
        "Give room of the undo space back to the device when purge has done its work.";
    innodb_max_undo_log_size: Global Always, uint(10 << 20, U64_MAX), n(1 << 30),
        "Bytes of the undo space from which it is truncated.";
    innodb_purge_rseg_truncate_frequency: Global Always, uint(1, 128), n(128),
        "Rounds of purge after which the undo space is looked at for truncation; without work for purge it always is.";
    weir_read_ahead: Global Always, uint(0, 256), n(32),
        "Pages that a scan which has had to wait for pages reads together at most; 0 for one at a time.";
    weir_recovery_time_target: Global Always, VarType::Float { min: 0.0, max: 86_400.0 },
        Default::Float(0.0), "Seconds that recovery after a crash may take; 0 for no limit.",
        read by &["weir"];
    weir_write_budget: Global Always, VarType::Float { min: 0.0, max: 1e6 }, Default::Float(0.0),
        "MB a second of page writes, copies in the doublewrite area included; 0 for no bound.",
        read by &["weir"];
    weir_write_budget_daily: Global Always, VarType::Float { min: 0.0, max: 1e6 },
        Default::Float(0.0), "TB a day of page writes; 0 for no bound.", read by &["weir"];
    innodb_buffer_pool_size: Global Always, size(5_242_880, U64_MAX, 1_048_576), n(134_217_728),
        "Bytes of the page cache; can change while running.";
    innodb_buffer_pool_instances: Global AtStart, uint(1, 64), n(1), "Parts of the buffer pool.",
        note "the buffer pool is one";
    innodb_max_dirty_pages_pct: Global Always, VarType::Float { min: 0.0, max: 99.99 },
        Default::Float(90.0), "Share of changed pages that flushing holds; read by all flush policies.";
    innodb_max_dirty_pages_pct_lwm: Global Always, VarType::Float { min: 0.0, max: 99.99 },
        Default::Float(10.0), "Share of changed pages at which flushing ahead begins; 0 for off.",
        read by CLEANERS;
    innodb_io_capacity: Global Always, VarType::UIntOrAuto { min: 100, max: U64_MAX }, n(0),
        "Page writes a second that background work may do; auto: measured by weir, in another policy the default of its time.",
        read by IO_CAPACITY;
    innodb_io_capacity_max: Global Always, uint(100, U64_MAX), n(2000),
        "The same under pressure.", read by CAPACITY_MAX;
    innodb_flush_neighbors: Global Always, VarType::Enum(&["0", "1", "2", "auto"]), Default::Enum(3),
        "Dirty pages beside one are written with it: 0 none, 1 the unbroken run, 2 its area of 64; auto: runs where the device seeks, with weir. Read by all flush policies.";
    innodb_flush_neighbor_pages: Global Always, VarType::Enum(&["none", "area", "cont", "auto"]),
        Default::Enum(3), "XtraDB's name for innodb_flush_neighbors; the one set last counts.";
    innodb_flush_adjacent_background: Global Always, BOOL, OFF,
        "Batches of the background write the area of 64 around a page.", read by V4;
    innodb_flush_adjacent_foreground: Global Always, BOOL, OFF,
        "Batches of sessions write the area of 64 around a page.", read by V4;
    innodb_adaptive_flushing: Global Always, BOOL, ON,
        "Write ahead at the rate at which redo is made.", read by ADAPTIVE_FLUSHING;
    innodb_adaptive_flushing_lwm: Global Always, VarType::Float { min: 0.0, max: 70.0 },
        Default::Float(10.0), "Percent of the redo log below which its age does not count.",
        read by CLEANERS;
    innodb_adaptive_flushing_method: Global AtStart,
        VarType::Enum(&["native", "estimate", "keep_average"]), Default::Enum(0),
        "Way of adaptive flushing in Percona Server 5.5.",
        note "weir_flush_policy chooses among xtradb-estimate, xtradb-keep-average and mysql-5.5";
    innodb_flushing_avg_loops: Global Always, uint(1, 1000), n(30),
        "Seconds over which rates are averaged.", read by CLEANERS;
    innodb_flush_sync: Global Always, BOOL, ON,
        "Write without regard to the capacity when the redo log is short.", read by FLUSH_SYNC;
    innodb_idle_flush_pct: Global Always, uint(0, 100), n(100),
        "Percent of the capacity that is used when sessions change nothing.", read by IDLE;
    innodb_lru_scan_depth: Global Always, uint(100, U64_MAX), n(1024),
        "Free frames to have ready, and pages to look at for them.", read by CLEANERS;
    innodb_page_cleaners: Global AtStart, uint(1, 64), n(1), "Tasks that write pages.",
        note "there is one, and requests to the device do not wait for each other";
    innodb_adaptive_checkpoint: Global Always, VarType::Enum(CHECKPOINTING), Default::Enum(0),
        "Google: ON writes from the background at the asynchronous limit of the redo log. XtraDB: none, reflex (ON), estimate or keep_average.",
        read by ADAPTIVE_CHECKPOINT;
    innodb_checkpoint_age_target: Global Always, size(0, U64_MAX, 1), n(0),
        "Bytes of redo that flushing aims at; 0 for no aim.", read by XTRADB;
    innodb_check_max_dirty_foreground: Global Always, BOOL, OFF,
        "Sessions write pages themselves when the dirty share passes its limit by five percent.",
        read by V4;
    innodb_extra_dirty_writes: Global Always, BOOL, ON,
        "Write a batch every ten seconds when the device was quiet.", read by V5_4;
    innodb_write_io_threads: Global AtStart, uint(1, 64), n(4),
        "Threads that write pages, where a policy has such.", read by IO_THREADS;
    innodb_read_io_threads: Global AtStart, uint(1, 64), n(4), "Threads that read pages ahead.",
        read by IO_THREADS;
    innodb_flush_method: Global AtStart,
        VarType::Enum(&["fsync", "O_DSYNC", "O_DIRECT", "O_DIRECT_NO_FSYNC"]), Default::Enum(2),
        "How data files are opened and synced (MySQL's own default is fsync).";
    innodb_force_recovery: Global AtStart, uint(0, 6), n(0),
        "Leave out parts of a start to read rows out of a damaged directory: 1 damaged pages, 2 purge, 3 rollback, 4 changes, 5 undo, 6 redo.";
    shutdown_timeout: Global Always, uint(0, 31_536_000), n(0),
        "Seconds that a stop may take before the server ends as after a crash, to recover at the next start; 0 for no limit.";
    innodb_doublewrite: Global AtStart, BOOL, ON, "Protect pages against torn writes.";
    innodb_use_native_aio: Global AtStart, BOOL, ON,
        "Use io_uring where the system allows it, threads otherwise.";
    weir_throttle_iops: Global Always, uint(0, 1_000_000), n(0),
        "Slow the device down to so many random requests a second, for experiments; 0 for off. Works when given at start.";
    innodb_adaptive_hash_index: Global Always, BOOL, OFF, "Hash table over pages of indexes.",
        note "there is none";
    innodb_change_buffering: Global Always,
        VarType::Enum(&["none", "inserts", "deletes", "changes", "purges", "all"]),
        Default::Enum(5),
        "Fresh entries of secondary indexes larger than an eighth of the pool wait in a buffer (inserts, changes, all); none, deletes and purges buffer nothing.";
    innodb_change_buffer_max_size: Global Always, uint(0, 50), n(50),
        "Percent of the pool that buffered changes may take.", read by CHANGE_BUFFER;
    innodb_online_alter_log_max_size: Global Always, size(65_536, U64_MAX, 1), n(134_217_728),
        "Bytes of changes that are remembered for each index that is built while writers go on; the build of one that needs more ends with error 1799.";
    innodb_sort_buffer_size: Global AtStart, size(65_536, 67_108_864, 1), n(16_777_216),
        "Bytes of entries that an index build sorts in memory; more go to disk in runs. MySQL's default is 1 MiB.";
    innodb_old_blocks_pct: Global Always, uint(5, 95), n(37),
        "Share of the pool for pages that were used once.",
        note "replacement finds pages of scans by itself";
    innodb_old_blocks_time: Global Always, uint(0, 4_294_967_295), n(1000),
        "Milliseconds before a second use counts.",
        note "replacement finds pages of scans by itself";
    innodb_read_ahead_threshold: Global Always, uint(0, 64), n(56),
        "Pages of an extent read in order before the next is read ahead.",
        read by THRESHOLD;
    innodb_random_read_ahead: Global Always, BOOL, OFF, "Read the rest of an extent ahead.",
        read by &["mysql-5.5"];

    ["Options of earlier servers"]
    innodb_max_merged_io: Global AtStart, uint(1, 64), n(64),
        "Pages that a thread merges into one request.", read by V4;
    innodb_ibuf_max_pct_of_buffer: Global Always, uint(1, 50), n(50),
        "Percent of the pool from which the change buffer is merged faster, and sessions that make it grow merge too.",
        read by V4;
    innodb_ibuf_flush_pct: Global Always, uint(1, 50), n(5),
        "Percent of the capacity for merging the change buffer while it is larger than that.", read by V4;
    innodb_ibuf_reads_sync: Global AtStart, BOOL, ON,
        "The background waits for the reads of its merges.", read by V4;
    innodb_ibuf_max_size: Global AtStart, size(0, U64_MAX, 1), n(0),
        "Bytes that the change buffer may have; 0 for half of the pool.", read by XTRADB;
    innodb_ibuf_active_contract: Global Always, uint(0, 1), n(0),
        "Sessions that make the change buffer grow merge, however small it is.", read by XTRADB;
    innodb_ibuf_accel_rate: Global Always, uint(100, 999_999_999), n(100),
        "Percent of the usual rate at which the change buffer is merged in the background.", read by XTRADB;
    innodb_free_list_target: Global Always, uint(0, U64_MAX), n(0), "Free frames to have ready.",
        note "it follows from the size of the pool";
    innodb_readahead_random: Global Always, BOOL, ON, "Read the rest of an extent ahead.",
        read by V4;
    innodb_readahead_sequential: Global Always, BOOL, ON, "Read the next extent ahead.",
        read by V4;
    innodb_read_ahead: Global Always, VarType::Enum(&["none", "random", "linear", "both"]),
        Default::Enum(3), "XtraDB's read-ahead.", read by XTRADB;
    weir_left_out: Global Always,
        VarType::Set(&["written-latched", "merges-at-once", "merges-at-random", "merges-on-read", "inserts-in-memory", "one-buffer", "large-entries", "frame-sleep", "one-array"]),
        Default::Set(0),
        "Mechanisms of earlier servers that their flush policies do without, to see what each of them does.",
        read by BUILDS;
    innodb_file_aio_stats: Global AtStart, BOOL, ON, "Count requests by file.",
        note "requests are always counted";
    innodb_fast_checksum: Global AtStart, BOOL, OFF, "A faster checksum of pages.",
        note "pages carry a CRC-32C";
    innodb_checksums: Global AtStart, BOOL, ON, "Pages carry checksums.",
        note "pages always carry a CRC-32C";
    innodb_enable_unsafe_group_commit: Global Always, uint(0, 1), n(0),
        "Commit out of the order of the binary log.", note "the binary log makes no use of it";
    innodb_support_xa: Both Always, BOOL, ON, "Keep the binary log in step with the redo log.",
        note "the binary log makes no use of it";
    innodb_use_sys_malloc: Global AtStart, BOOL, ON, "Use the system's allocator.",
        note "the allocator is built in";
    innodb_data_file_path: Global AtStart, STR, s(""), "Files of the system tablespace.",
        note "each table has a file of its own, and the files of the system grow by themselves";
    innodb_locks_unsafe_for_binlog: Global AtStart, BOOL, OFF, "Leave out locks of gaps.",
        note "transaction_isolation READ-COMMITTED does that";
    innodb_thread_concurrency_timer_based: Global AtStart, BOOL, OFF,
        "How waiting for a place inside the engine is done.",
        note "statements inside the engine are not limited";
    query_cache_type: Both Always, VarType::Enum(&["OFF", "ON", "DEMAND"]), Default::Enum(0),
        "Keep results of statements.", note "there is no query cache";
    query_cache_size: Global Always, size(0, U64_MAX, 1024), n(0), "Bytes of kept results.",
        note "there is no query cache";
    sync_binlog: Global Always, uint(0, 4_294_967_295), n(1),
        "Groups of commits between syncs of the binary log.",
        note "events are durable with their commit: see innodb_flush_log_at_trx_commit";
    allow_view_trigger_sp_subquery: Global AtStart, BOOL, OFF,
        "Allow statements with views, triggers, procedures and subqueries.",
        note "subqueries are always allowed in views, triggers and procedures";

    ["Files of the engine"]
    innodb_page_size: Global AtStart, size(4096, 65_536, 4096), n(16_384),
        "Bytes of a page; chosen when the data directory is created.";
    innodb_file_per_table: Global Always, BOOL, ON, "Each table has a file of its own.",
        note "each table always has a file of its own";
    innodb_stats_persistent: Global Always, BOOL, ON, "Statistics of tables are kept.",
        note "they are sampled whenever they are needed";
    innodb_checksum_algorithm: Global Never, STR, s("crc32"), "Pages carry a CRC-32C.";
    innodb_default_row_format: Global Always, VarType::Enum(&["redundant", "compact", "dynamic"]), Default::Enum(2),
        "Row format of new tables.", note "rows have one format";
    innodb_version: Global Never, STR, s(super::SERVER_VERSION), "Version of the engine.";
    innodb_read_only: Global Never, BOOL, OFF, "The engine writes.";
    innodb_purge_threads: Global AtStart, uint(1, 32), n(1), "Tasks that purge old row versions.",
        note "there is one";
    innodb_thread_concurrency: Global Always, uint(0, 1000), n(0),
        "Threads that redo space is reserved for; statements inside the engine are not limited.",
        read by LOG_RESERVE;

    ["Redo log"]
    innodb_redo_log_capacity: Global Always, size(8_388_608, 137_438_953_472, 1_048_576),
        n(104_857_600), "Bytes of all redo log files together; can change while running.";
    innodb_log_file_size: Global AtStart, size(4_194_304, U64_MAX, 1_048_576), n(50_331_648),
        "Bytes of a redo log file; used with innodb_log_files_in_group when no capacity is given.";
    innodb_log_files_in_group: Global AtStart, uint(2, 100), n(2), "Number of redo log files.";
    innodb_log_buffer_size: Global AtStart, size(1_048_576, 4_294_967_295, 1024), n(16_777_216),
        "Bytes of the redo log buffer in memory.";
    innodb_flush_log_at_trx_commit: Both Always, uint(0, 2), n(1),
        "When COMMIT answers: 1 log on the device, 2 log written, 0 neither (once a second).";
    innodb_flush_log_at_timeout: Global Always, uint(1, 2700), n(1), "Seconds between flushes of the log that no commit asked for.";

    ["Server"]
    version: Global Never, STR, s(super::SERVER_VERSION), "Version of the dialect and of Weir.";
    version_comment: Global Never, STR, s("Weir"), "What this server is.";
    version_compile_os: Global Never, STR, s(std::env::consts::OS), "Built for this system.";
    version_compile_machine: Global Never, STR, s(std::env::consts::ARCH), "Built for this machine.";
    license: Global Never, STR, s("Apache-2.0"), "Licence of the server.";
    server_uuid: Global Never, STR, s(""),
        "The name of this server among all others, from auto.cnf in the data directory, which the first start writes.";
    server_id: Both GlobalOnly, uint(0, 4_294_967_295), n(1), "Number of this server among others.";
    log_bin: Global AtStart, BOOL, OFF,
        "Keep a binary log, which replicas follow; --log-bin=NAME names its files, which lie in the data directory.";
    binlog_format: Both Always, VarType::Enum(&["MIXED", "STATEMENT", "ROW"]), Default::Enum(2), "Format of the binary log: it is ROW.";
    binlog_row_image: Both Always, VarType::Enum(&["MINIMAL", "NOBLOB", "FULL"]), Default::Enum(2),
        "What of a changed row goes into the binary log.";
    gtid_mode: Global AtStart, VarType::Enum(&["OFF", "ON"]), Default::Enum(0),
        "Transactions of the binary log have global identifiers.";
    gtid_executed: Global Never, STR, s(""), "Identifiers of all transactions that were executed.";
    gtid_purged: Global Always, STR, s(""),
        "Those of gtid_executed that are in no file of the binary log, those that a dump has brought among them.";
    enforce_gtid_consistency: Global AtStart, VarType::Enum(&["OFF", "ON", "WARN"]), Default::Enum(0),
        "Only what can have a global identifier is executed, which is everything here; gtid_mode asks for it.";
    read_only: Global Always, BOOL, OFF,
        "Tables are written by accounts with CONNECTION_ADMIN or SUPER only; temporary tables by all.";
    super_read_only: Global Always, BOOL, OFF, "Nobody writes tables; it switches read_only on.";
    performance_schema: Global AtStart, BOOL, ON,
        "Statements are summarised by their digests, in performance_schema.events_statements_summary_by_digest.";
    performance_schema_digests_size: Global AtStart, uint(0, 1_048_576), n(10_000),
        "Digests that are kept; statements of further ones are summarised in one row.";
    max_digest_length: Global Never, uint(0, 1_048_576), n(1024),
        "Bytes of a statement's words that its digest takes in, at two for each word.";
    log_timestamps: Global Always, VarType::Enum(&["UTC", "SYSTEM"]), Default::Enum(0),
        "Time zone of the logs.", note "their times are in UTC";
}
