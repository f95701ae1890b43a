//! Variables of the audit log, of how many slow statements are logged, and of the history of statements.

/// Puts the rows of this file behind those that it is given, and makes the table of all.
macro_rules! with_logs {
    ($table:ident => $($rows:tt)*) => { $table! {
        $($rows)*

    ["Logs of statements"]
    log_throttle_queries_not_using_indexes: Global Always, uint(0, 4_294_967_295), n(0),
        "Of statements that are slow for reading whole tables alone, so many a minute are logged; 0 for all.";
    log_slow_rate_limit: Global Always, uint(1, 1000), n(1),
        "Of slow statements, one of so many is logged (Percona Server's).";
    log_slow_rate_type: Global Always, VarType::Enum(&["session", "query"]), Default::Enum(0),
        "What log_slow_rate_limit counts: connections, which are logged or not, or statements (Percona Server's).";
    slow_query_log_always_write_time: Global Always, VarType::Float { min: 0.0, max: 31_536_000.0 },
        Default::Float(10.0), "Seconds from which on a statement is logged whatever log_slow_rate_limit says (Percona Server's).";
    audit_log_policy: Global Always, VarType::Enum(&["NONE", "LOGINS", "QUERIES", "ALL"]), Default::Enum(0),
        "What goes to the audit log, which is off unless this says so. This and the other variables audit_log_* are Percona Server's.";
    audit_log_file: Global Always, STR, s("audit.log"),
        "The audit log, a line of JSON for each record; a path is relative to the data directory.";
    audit_log_rotate_on_size: Global Always, uint(0, U64_MAX), n(0),
        "Bytes from which on the audit log goes on in an empty file, if audit_log_rotations keeps any; 0 for never.";
    audit_log_rotations: Global Always, uint(0, 999), n(0),
        "Old files of the audit log that are kept when it goes on in an empty one, with the numbers 1, 2, ... behind their names.";
    audit_log_include_accounts: Global Always, STR, s(""),
        "Accounts whose records go to the audit log, user@host with commas between; empty for all.";
    audit_log_exclude_accounts: Global Always, STR, s(""),
        "Accounts whose records do not go to the audit log.";
    audit_log_include_commands: Global Always, STR, s(""),
        "Commands that go to the audit log, named as the counters Com_*, with commas between; empty for all.";
    audit_log_exclude_commands: Global Always, STR, s(""),
        "Commands that do not go to the audit log.";
    audit_log_include_databases: Global Always, STR, s(""),
        "Default databases whose records go to the audit log, with commas between; empty for all.";
    audit_log_exclude_databases: Global Always, STR, s(""),
        "Default databases whose records do not go to the audit log.";
    weir_statement_history: Global Always, BOOL, OFF,
        "The last statements are kept for performance_schema.events_statements_history and events_statements_history_long.";
    performance_schema_events_statements_history_size: Global AtStart, VarType::Int { min: -1, max: 1_024 }, Default::Int(10),
        "Statements of a session that events_statements_history has, where weir_statement_history is on; -1 for 10.";
    performance_schema_events_statements_history_long_size: Global AtStart, VarType::Int { min: -1, max: 1_048_576 }, Default::Int(10_000),
        "Statements of all sessions that events_statements_history_long has, where weir_statement_history is on; -1 for 10,000.";
    }};
}

pub(super) use with_logs;
