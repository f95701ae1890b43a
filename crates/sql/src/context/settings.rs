//! What the session's variables mean, worked out once for each change of them.

use crate::binlog::layout::Image;
use crate::value::{Charset, Collation, SqlMode, TimeZone};
use crate::vars::switches::Switches;
use crate::vars::{SessionVars, Var, VarValue};
use std::time::Duration;
use weir_engine::Isolation;
use weir_syntax::lex;

/// `binlog_format = STATEMENT`, as the variable has it.
const FORMAT_STATEMENT: u64 = 1;

/// The session's variables in the form in which statements need them.
#[derive(Clone)]
pub struct Settings {
    pub mode: SqlMode,
    pub lex_mode: lex::SqlMode,
    /// A table of another engine is refused, see `SessionVars::refuses_engines`.
    pub refuses_engines: bool,
    /// `weir_skip_unsupported_indexes`.
    pub skips_indexes: bool,
    /// `sql_require_primary_key`.
    pub requires_key: bool,
    /// `sql_generate_invisible_primary_key`.
    pub generates_key: bool,
    /// `show_gipk_in_create_table_and_information_schema`.
    pub shows_generated: bool,
    pub tz: TimeZone,
    pub collation: Collation,
    /// `default_collation_for_utf8mb4`.
    pub utf8mb4: Collation,
    /// `character_set_results` where it is not UTF-8. `binary`, or NULL, which says the same: texts go out in their own bytes.
    pub results: Option<Collation>,
    /// What texts are announced in: `character_set_results`, with the connection's collation where that is one of the set.
    /// `None` where it is NULL: each in its own collation.
    pub told: Option<Collation>,
    /// `character_set_client`.
    pub sent: Charset,
    /// `character_set_client` where it is not UTF-8.
    pub client: Option<Charset>,
    pub autocommit: bool,
    /// `foreign_key_checks`.
    pub foreign_checks: bool,
    pub isolation: Isolation,
    pub read_only: bool,
    pub lock_timeout: Duration,
    pub ddl_timeout: Duration,
    pub auto_increment: (u64, u64),
    pub div_increment: u8,
    pub max_execution: u64,
    pub select_limit: u64,
    pub timestamp: f64,
    pub group_concat_max_len: usize,
    pub max_error_count: usize,
    pub max_packet: usize,
    pub default_week_format: u8,
    /// `block_encryption_mode`.
    pub encryption_mode: u8,
    /// `lc_time_names`.
    pub locale: u8,
    /// `connection_memory_limit`.
    pub memory_limit: u64,
    /// `session_track_system_variables` has `weir_pressure`, or all.
    pub tells_pressure: bool,
    /// `weir_priority = 'background'`.
    pub background: bool,
    /// `long_query_time` in microseconds and `min_examined_row_limit`.
    pub slow: (u64, u64),
    /// `sql_log_off`.
    pub unlogged: bool,
    /// `max_join_size`, where `sql_big_selects` is off.
    pub join_limit: Option<u64>,
    /// `session_track_state_change`.
    pub tells_changes: bool,
    /// `session_track_transaction_info`: 0 nothing, 1 the state, 2 the characteristics too.
    pub tells_transactions: u8,
    /// `session_track_gtids`: 0 nothing, 1 the transactions of the statement, 2 all that were executed.
    pub tells_gtids: u8,
    /// `binlog_transaction_compression`: the level of zstd, where it is on.
    pub compresses: Option<u8>,
    /// `sql_notes`.
    pub notes: bool,
    /// `optimizer_switch`.
    pub switches: Switches,
    /// `sql_log_bin`: commits go to the binary log, if there is one.
    pub logs: bool,
    /// `binlog_format = STATEMENT`.
    pub logs_texts: bool,
    /// The table that CREATE TABLE ... SELECT fills, by its id in the engine, where its rows are logged.
    pub making: Option<u64>,
    /// `binlog_row_image`, and whether `binlog_row_value_options` has PARTIAL_JSON.
    pub row_image: (Image, bool),
    /// `unique_checks`.
    pub unique_checks: bool,
    /// `wait_timeout`, `net_read_timeout` and `net_write_timeout`.
    pub timeouts: (Duration, Duration, Duration),
}

/// The collation that results are announced in; `None` where they are sent as they are.
fn told_collation(v: &SessionVars, connection: Collation) -> Option<Collation> {
    if matches!(v.get(Var::character_set_results), VarValue::Null) {
        return None;
    }
    Some(match Charset::by_name(&v.text(Var::character_set_results)) {
        Some(set) if set != connection.charset() => Collation::default_of(set),
        _ => connection,
    })
}

const TIMEOUTS: [Var; 3] = [Var::wait_timeout, Var::net_read_timeout, Var::net_write_timeout];
const NUMBERING: [Var; 2] = [Var::auto_increment_increment, Var::auto_increment_offset];

impl Settings {
    /// How long a transaction waits for a table that is being altered. Nothing looks for circles of such waits, in which a
    /// row's lock may be a link; the shorter timeout ends them.
    pub fn mdl_timeout(&self) -> Duration {
        self.lock_timeout.min(self.ddl_timeout)
    }

    /// Nothing of these wants more of a SELECT than its rows.
    pub fn leave_rows_alone(&self) -> bool {
        self.results.is_none()
            && self.select_limit == u64::MAX
            && !self.background
            && self.tells_transactions == 0
    }

    pub fn of(v: &SessionVars) -> Settings {
        let bits = v.sql_mode();
        let collation = Collation::by_name(&v.text(Var::collation_connection))
            .unwrap_or(Collation::default_of(Charset::Utf8mb4));
        let charset = |var| Charset::by_name(&v.text(var)).map(Collation::bin_of);
        let foreign = |c: Option<Collation>| c.filter(|c| !c.charset().is_utf8() && !c.is_binary());
        let results = match v.get(Var::character_set_results) {
            VarValue::Null => Some(Collation::Binary),
            _ => charset(Var::character_set_results).filter(|c| !c.charset().is_utf8()),
        };
        let told = told_collation(v, collation);
        let seconds = |var| Duration::from_secs(v.u64(var));
        Settings {
            mode: SqlMode(bits),
            lex_mode: lex_mode(bits),
            refuses_engines: v.refuses_engines(),
            skips_indexes: v.bool(Var::weir_skip_unsupported_indexes),
            requires_key: v.bool(Var::sql_require_primary_key),
            generates_key: v.bool(Var::sql_generate_invisible_primary_key),
            shows_generated: v.bool(Var::show_gipk_in_create_table_and_information_schema),
            tz: TimeZone::parse(&v.text(Var::time_zone)).unwrap_or(TimeZone::SYSTEM),
            collation,
            utf8mb4: v.default_of(Charset::Utf8mb4),
            results,
            told,
            sent: charset(Var::character_set_client).map_or(Charset::Utf8mb4, Collation::charset),
            client: foreign(charset(Var::character_set_client)).map(Collation::charset),
            autocommit: v.bool(Var::autocommit),
            foreign_checks: v.bool(Var::foreign_key_checks),
            tells_pressure: tells_pressure(v),
            background: v.u64(Var::weir_priority) == 1,
            slow: slow(v),
            unlogged: v.bool(Var::sql_log_off),
            join_limit: (!v.bool(Var::sql_big_selects)).then(|| v.u64(Var::max_join_size)),
            tells_changes: v.bool(Var::session_track_state_change),
            tells_transactions: v.u64(Var::session_track_transaction_info) as u8,
            tells_gtids: v.u64(Var::session_track_gtids) as u8,
            compresses: compression(v),
            notes: v.bool(Var::sql_notes),
            switches: match v.get(Var::optimizer_switch) {
                VarValue::Str(text) => Switches::of(&text),
                _ => Switches::default(),
            },
            isolation: isolation(v.u64(Var::transaction_isolation)),
            read_only: v.bool(Var::transaction_read_only),
            lock_timeout: seconds(Var::innodb_lock_wait_timeout),
            ddl_timeout: seconds(Var::lock_wait_timeout),
            auto_increment: NUMBERING.map(|var| v.u64(var)).into(),
            div_increment: v.u64(Var::div_precision_increment) as u8,
            max_execution: v.u64(Var::max_execution_time),
            select_limit: v.u64(Var::sql_select_limit),
            timestamp: match v.get(Var::timestamp) {
                VarValue::Float(t) => t,
                _ => 0.0,
            },
            group_concat_max_len: v.u64(Var::group_concat_max_len) as usize,
            max_error_count: v.u64(Var::max_error_count) as usize,
            max_packet: v.u64(Var::max_allowed_packet) as usize,
            default_week_format: v.u64(Var::default_week_format) as u8,
            encryption_mode: v.u64(Var::block_encryption_mode) as u8,
            locale: v.u64(Var::lc_time_names) as u8,
            memory_limit: v.u64(Var::connection_memory_limit),
            logs: v.bool(Var::sql_log_bin),
            logs_texts: v.u64(Var::binlog_format) == FORMAT_STATEMENT,
            making: None,
            row_image: row_image(v),
            unique_checks: v.bool(Var::unique_checks),
            timeouts: TIMEOUTS.map(seconds).into(),
        }
    }
}

fn tells_pressure(v: &SessionVars) -> bool {
    let names = v.text(Var::session_track_system_variables);
    names.split(',').any(|n| matches!(n.trim(), "*" | "weir_pressure"))
}

fn compression(v: &SessionVars) -> Option<u8> {
    let level = v.u64(Var::binlog_transaction_compression_level_zstd) as u8;
    v.bool(Var::binlog_transaction_compression).then_some(level)
}

fn slow(v: &SessionVars) -> (u64, u64) {
    match v.get(Var::long_query_time) {
        VarValue::Float(t) => ((t * 1e6) as u64, v.u64(Var::min_examined_row_limit)),
        _ => (u64::MAX, 0),
    }
}

/// What the lexer and the parser ask of `sql_mode`.
pub fn lex_mode(bits: u64) -> lex::SqlMode {
    crate::value::SqlMode(bits).of_lexer()
}

fn row_image(v: &SessionVars) -> (Image, bool) {
    let image = match v.u64(Var::binlog_row_image) {
        0 => Image::Minimal,
        1 => Image::NoBlob,
        _ => Image::Full,
    };
    (image, v.u64(Var::binlog_row_value_options) != 0)
}

fn isolation(n: u64) -> Isolation {
    match n {
        0 => Isolation::ReadUncommitted,
        1 => Isolation::ReadCommitted,
        3 => Isolation::Serializable,
        _ => Isolation::RepeatableRead,
    }
}
