//! System variables: one table (`table.rs`), from which everything else derives.
//!
//! Command line, option files, `--help` (in the server), SHOW VARIABLES, `SELECT @@x` and SET all
//! read the same rows. `check.rs` turns what a user wrote into a value of the right type and range
//! with MySQL's errors, `wanted.rs` is what a SET asks for; `store.rs` keeps the values: one global set, and for a session only what
//! it changed. Does no I/O. An option that has no effect says so in its `note`, and setting it
//! away from its default is a warning.

mod check;
mod elsewhere;
mod inert;
mod logs;
mod persisted;
mod policies;
mod store;
pub mod switches;
mod table;
pub mod wanted;

pub use check::{Checked, SetInput, VarWarning, check, octal_mode, parse_size};
pub use persisted::{KeptSettings, Persisted, PersistedValue};
pub(crate) use store::as_input;
pub use store::{
    ChangeHook, GlobalVars, GtidsFn, SessionVars, SetTarget, resolve_read, resolve_set,
    share_a_value,
};
pub use table::Var;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

/// What `@@version` and the handshake announce.
pub const SERVER_VERSION: &str = concat!("8.0.36-weir-", env!("CARGO_PKG_VERSION"));

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Global,
    Session,
    /// A global value that new sessions start from, and one for each session.
    Both,
}

/// Who may change a variable, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settable {
    /// Option at start and SET while running.
    Always,
    /// Option at start only.
    AtStart,
    /// SET only.
    Running,
    /// Option at start and SET GLOBAL; a session's own value is read only (error 1621).
    GlobalOnly,
    /// Never: it states a fact about this server.
    Never,
}

/// Type and range. `step`: values are rounded down to a multiple of it, as MySQL does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VarType {
    Bool,
    Int {
        min: i64,
        max: i64,
    },
    UInt {
        min: u64,
        max: u64,
    },
    /// A number or the word `auto`, which is kept as 0.
    UIntOrAuto {
        min: u64,
        max: u64,
    },
    /// Bytes; takes K, M, G, T, P suffixes on the command line and in option files.
    Size {
        min: u64,
        max: u64,
        step: u64,
    },
    Float {
        min: f64,
        max: f64,
    },
    Enum(&'static [&'static str]),
    /// Bit i of the value is name i; an empty name is a bit without meaning.
    Set(&'static [&'static str]),
    Str,
    /// A known character set by name; NULL too for `character_set_results`.
    Charset {
        nullable: bool,
    },
    Collation,
    TimeZone,
}

impl VarType {
    /// May the option stand without a value, which switches it on?
    pub fn is_switch(self, var: Var) -> bool {
        // A switch in the builds that had it first.
        matches!(self, VarType::Bool) || var == Var::innodb_adaptive_checkpoint
    }
}

/// A default as the table writes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Enum(u32),
    Set(u64),
    Str(&'static str),
}

impl Default {
    pub fn value(self) -> VarValue {
        match self {
            Default::Bool(v) => VarValue::Bool(v),
            Default::Int(v) => VarValue::Int(v),
            Default::UInt(v) => VarValue::UInt(v),
            Default::Float(v) => VarValue::Float(v),
            Default::Enum(v) => VarValue::Enum(v),
            Default::Set(v) => VarValue::Set(v),
            Default::Str(v) => VarValue::Str(v.into()),
        }
    }
}

/// A value in its checked form.
#[derive(Clone, Debug, PartialEq)]
pub enum VarValue {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    /// Index into the names of the type.
    Enum(u32),
    /// Bits of the names of the type.
    Set(u64),
    Str(Arc<str>),
}

/// One row of the table.
#[derive(Debug)]
pub struct VarDef {
    pub var: Var,
    pub name: &'static str,
    pub group: &'static str,
    pub scope: Scope,
    pub settable: Settable,
    pub ty: VarType,
    pub default: Default,
    pub doc: &'static str,
    /// Why it has no effect here, when it has none.
    pub note: Option<&'static str>,
    /// The flush policies that read it, where not all do or where it has nothing to do with them.
    pub policies: &'static [&'static str],
}

impl VarDef {
    /// May it stand on the command line and in option files?
    pub fn is_option(&self) -> bool {
        matches!(self.settable, Settable::Always | Settable::AtStart | Settable::GlobalOnly)
    }

    /// An option of the start alone: PERSIST_ONLY may keep it.
    pub fn is_for_starts(&self) -> bool {
        self.settable == Settable::AtStart
    }

    /// May its value be kept for the next start? Not what a start needs before it finds the kept values, what says who may do what with
    /// the server's files, or which files a start opens before anybody is asked for rights: MySQL's list, as far as the variables are here.
    pub fn is_persistent(&self) -> bool {
        let fixed = matches!(
            self.var,
            Var::bind_address
                | Var::datadir
                | Var::ft_stopword_file
                | Var::gtid_purged
                | Var::innodb_data_file_path
                | Var::innodb_page_size
                | Var::log_error
                | Var::persisted_globals_load
                | Var::pid_file
                | Var::port
                | Var::secure_file_priv
                | Var::skip_networking
                | Var::socket
                | Var::weir_http_bind_address
                | Var::weir_http_port
                | Var::weir_profile
        );
        self.is_option() && self.scope != Scope::Session && !fixed
    }

    /// As SHOW VARIABLES prints it.
    pub fn show<'v>(&self, value: &'v VarValue) -> Cow<'v, str> {
        match (value, self.ty) {
            (VarValue::Null, _) => Cow::Borrowed(""),
            (VarValue::Bool(true), _) => Cow::Borrowed("ON"),
            (VarValue::Bool(false), _) => Cow::Borrowed("OFF"),
            (VarValue::Int(v), _) => Cow::Owned(v.to_string()),
            (VarValue::UInt(0), VarType::UIntOrAuto { .. }) => Cow::Borrowed("auto"),
            (VarValue::UInt(v), _) => Cow::Owned(v.to_string()),
            (VarValue::Float(v), _) => Cow::Owned(format!("{v:.6}")),
            (VarValue::Enum(i), VarType::Enum(names)) => {
                Cow::Borrowed(names.get(*i as usize).copied().unwrap_or(""))
            }
            (VarValue::Set(bits), VarType::Set(names)) => Cow::Owned(set_text(*bits, names)),
            (VarValue::Str(text), _) => Cow::Borrowed(text),
            (VarValue::Enum(v), _) => Cow::Owned(v.to_string()),
            (VarValue::Set(v), _) => Cow::Owned(v.to_string()),
        }
    }

    /// As it is kept for later starts: numbers to the digit, all else as SHOW VARIABLES prints it.
    pub fn kept(&self, value: &VarValue) -> String {
        match value {
            VarValue::Float(v) => v.to_string(),
            other => self.show(other).into_owned(),
        }
    }

    /// As `SELECT @@x` returns it: booleans are 0 and 1, names are strings.
    pub fn select<'v>(&self, value: &'v VarValue) -> SelectValue<'v> {
        match value {
            VarValue::Null => SelectValue::Null,
            VarValue::Bool(v) => SelectValue::Int(i64::from(*v)),
            VarValue::Int(v) => SelectValue::Int(*v),
            VarValue::UInt(_) if matches!(self.ty, VarType::UIntOrAuto { .. }) => {
                SelectValue::Str(self.show(value))
            }
            VarValue::UInt(v) => SelectValue::UInt(*v),
            VarValue::Float(v) => SelectValue::Float(*v),
            VarValue::Enum(_) | VarValue::Set(_) | VarValue::Str(_) => {
                SelectValue::Str(self.show(value))
            }
        }
    }
}

/// What `SELECT @@x` gives the evaluator.
#[derive(Clone, Debug, PartialEq)]
pub enum SelectValue<'v> {
    Null,
    Int(i64),
    UInt(u64),
    Float(f64),
    Str(Cow<'v, str>),
}

fn set_text(bits: u64, names: &[&str]) -> String {
    let mut out = String::new();
    for (i, name) in names.iter().enumerate() {
        if bits & (1 << i) != 0 && !name.is_empty() {
            let comma = if out.is_empty() { "" } else { "," };
            let _ = write!(out, "{comma}{name}");
        }
    }
    out
}

impl Var {
    /// The row of this variable.
    pub fn def(self) -> &'static VarDef {
        &table::TABLE[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.def().name
    }

    /// By name in any case; also by an old name.
    pub fn lookup(name: &str) -> Option<Var> {
        let name = name.to_ascii_lowercase();
        let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(&*name, |(_, to)| to);
        let at = sorted().binary_search_by(|var| var.name().cmp(name)).ok()?;
        Some(sorted()[at])
    }
}

/// Names that MySQL or its forerunners gave the same variable.
const ALIASES: &[(&str, &str)] = &[
    ("tx_isolation", "transaction_isolation"),
    ("tx_read_only", "transaction_read_only"),
    ("identity", "last_insert_id"),
    ("storage_engine", "default_storage_engine"),
    ("log_slave_updates", "log_replica_updates"),
    ("rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled"),
    ("rpl_semi_sync_master_timeout", "rpl_semi_sync_source_timeout"),
    ("rpl_semi_sync_master_trace_level", "rpl_semi_sync_source_trace_level"),
    ("rpl_semi_sync_master_wait_for_slave_count", "rpl_semi_sync_source_wait_for_replica_count"),
    ("rpl_semi_sync_master_wait_no_slave", "rpl_semi_sync_source_wait_no_replica"),
    ("rpl_semi_sync_master_wait_point", "rpl_semi_sync_source_wait_point"),
    ("rpl_semi_sync_slave_enabled", "rpl_semi_sync_replica_enabled"),
    ("rpl_semi_sync_slave_trace_level", "rpl_semi_sync_replica_trace_level"),
];

/// All rows, in the order of the table (grouped).
pub fn all() -> &'static [VarDef] {
    table::TABLE
}

/// All variables in the order of their names, as SHOW VARIABLES lists them.
pub fn sorted() -> &'static [Var] {
    static SORTED: std::sync::OnceLock<Vec<Var>> = std::sync::OnceLock::new();
    SORTED.get_or_init(|| {
        let mut vars: Vec<Var> = table::TABLE.iter().map(|def| def.var).collect();
        vars.sort_by_key(|var| var.name());
        vars
    })
}

/// Bits of `sql_mode`, MySQL's own numbers.
pub mod sql_mode {
    use crate::errno;

    pub const REAL_AS_FLOAT: u64 = 1;
    pub const PIPES_AS_CONCAT: u64 = 1 << 1;
    pub const ANSI_QUOTES: u64 = 1 << 2;
    pub const IGNORE_SPACE: u64 = 1 << 3;
    pub const ONLY_FULL_GROUP_BY: u64 = 1 << 5;
    pub const NO_UNSIGNED_SUBTRACTION: u64 = 1 << 6;
    pub const NO_DIR_IN_CREATE: u64 = 1 << 7;
    pub const ANSI: u64 = 1 << 18;
    pub const NO_AUTO_VALUE_ON_ZERO: u64 = 1 << 19;
    pub const NO_BACKSLASH_ESCAPES: u64 = 1 << 20;
    pub const STRICT_TRANS_TABLES: u64 = 1 << 21;
    pub const STRICT_ALL_TABLES: u64 = 1 << 22;
    pub const NO_ZERO_IN_DATE: u64 = 1 << 23;
    pub const NO_ZERO_DATE: u64 = 1 << 24;
    pub const ALLOW_INVALID_DATES: u64 = 1 << 25;
    pub const ERROR_FOR_DIVISION_BY_ZERO: u64 = 1 << 26;
    pub const TRADITIONAL: u64 = 1 << 27;
    pub const HIGH_NOT_PRECEDENCE: u64 = 1 << 29;
    pub const NO_ENGINE_SUBSTITUTION: u64 = 1 << 30;
    pub const PAD_CHAR_TO_FULL_LENGTH: u64 = 1 << 31;
    pub const TIME_TRUNCATE_FRACTIONAL: u64 = 1 << 32;

    pub const DEFAULT: u64 = ONLY_FULL_GROUP_BY
        | STRICT_TRANS_TABLES
        | NO_ZERO_IN_DATE
        | NO_ZERO_DATE
        | ERROR_FOR_DIVISION_BY_ZERO
        | NO_ENGINE_SUBSTITUTION;

    /// What MySQL warns of: a strict mode and the three that go with it are meant to be one, and CHAR's blanks to go.
    pub fn incomplete(bits: u64) -> Option<(u16, &'static str)> {
        const BESIDE: u64 = NO_ZERO_IN_DATE | NO_ZERO_DATE | ERROR_FOR_DIVISION_BY_ZERO;
        let strict = bits & (STRICT_TRANS_TABLES | STRICT_ALL_TABLES) != 0;
        let beside = bits & BESIDE;
        if (strict || beside != 0) && !(strict && beside == BESIDE) {
            return Some((
                errno::ER_SQL_MODE_MERGED,
                "'NO_ZERO_DATE', 'NO_ZERO_IN_DATE' and 'ERROR_FOR_DIVISION_BY_ZERO' sql modes should be used with strict mode. They will be merged with strict mode in a future release.",
            ));
        }
        (bits & PAD_CHAR_TO_FULL_LENGTH != 0).then_some((
            errno::ER_WARN_DEPRECATED_SQLMODE,
            "Changing sql mode 'PAD_CHAR_TO_FULL_LENGTH' is deprecated. It will be removed in a future release.",
        ))
    }

    /// Combination modes switch on what they stand for.
    pub fn expand(mut bits: u64) -> u64 {
        if bits & ANSI != 0 {
            bits |=
                REAL_AS_FLOAT | PIPES_AS_CONCAT | ANSI_QUOTES | IGNORE_SPACE | ONLY_FULL_GROUP_BY;
        }
        if bits & TRADITIONAL != 0 {
            bits |= STRICT_TRANS_TABLES
                | STRICT_ALL_TABLES
                | NO_ZERO_IN_DATE
                | NO_ZERO_DATE
                | ERROR_FOR_DIVISION_BY_ZERO
                | NO_ENGINE_SUBSTITUTION;
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_passes_its_own_check() {
        for def in all() {
            let shown = def.show(&def.default.value()).into_owned();
            let input = match def.default {
                Default::UInt(_) if matches!(def.ty, VarType::UIntOrAuto { .. }) => {
                    SetInput::Str(&shown)
                }
                Default::UInt(v) => SetInput::UInt(v),
                Default::Int(v) => SetInput::Int(v),
                Default::Float(v) => SetInput::Float(v),
                _ => SetInput::Str(&shown),
            };
            let checked = check(def, &input, true).unwrap_or_else(|e| panic!("{}: {e}", def.name));
            assert_eq!(checked.value, def.default.value(), "{}", def.name);
            assert_eq!(checked.warning, None, "{}", def.name);
        }
    }

    #[test]
    fn names_are_unique_lower_case_and_documented() {
        let names: Vec<_> = sorted().iter().map(|v| v.name()).collect();
        assert!(names.windows(2).all(|w| w[0] < w[1]));
        for def in all() {
            assert!(def.doc.ends_with('.'), "{} has no doc sentence", def.name);
            assert_eq!(def.name, def.name.to_ascii_lowercase());
            assert_eq!(Var::lookup(def.name), Some(def.var));
        }
    }

    #[test]
    fn lookup_knows_case_and_aliases() {
        assert_eq!(Var::lookup("SQL_Mode"), Some(Var::sql_mode));
        assert_eq!(Var::lookup("tx_isolation"), Some(Var::transaction_isolation));
        assert_eq!(Var::lookup("nope"), None);
    }

    #[test]
    fn default_sql_mode_is_mysql_8s() {
        let def = Var::sql_mode.def();
        assert_eq!(
            def.show(&def.default.value()),
            "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
             ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
        );
    }
}
