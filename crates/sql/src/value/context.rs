//! What evaluating an expression needs from the statement and its session.

use super::error::{ValueError, Warnings};
use super::geo::Srs;
use super::look::{self, Look};
use super::zone::TimeZone;
use crate::errno;
use crate::memory::{Account, Held, LARGE};
use std::sync::Arc;
use weir_engine::row::Collation;

/// The bits of `sql_mode`, with MySQL's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqlMode(pub u64);

macro_rules! modes {
    ($($name:ident = $bit:expr, $text:literal;)*) => {
        impl SqlMode {
            $(pub const $name: SqlMode = SqlMode(1 << $bit);)*
        }
        const NAMES: &[(&str, SqlMode)] = &[$(($text, SqlMode::$name)),*];
    };
}

modes! {
    REAL_AS_FLOAT = 0, "REAL_AS_FLOAT";
    PIPES_AS_CONCAT = 1, "PIPES_AS_CONCAT";
    ANSI_QUOTES = 2, "ANSI_QUOTES";
    IGNORE_SPACE = 3, "IGNORE_SPACE";
    ONLY_FULL_GROUP_BY = 5, "ONLY_FULL_GROUP_BY";
    NO_UNSIGNED_SUBTRACTION = 6, "NO_UNSIGNED_SUBTRACTION";
    NO_DIR_IN_CREATE = 7, "NO_DIR_IN_CREATE";
    ANSI = 18, "ANSI";
    NO_AUTO_VALUE_ON_ZERO = 19, "NO_AUTO_VALUE_ON_ZERO";
    NO_BACKSLASH_ESCAPES = 20, "NO_BACKSLASH_ESCAPES";
    STRICT_TRANS_TABLES = 21, "STRICT_TRANS_TABLES";
    STRICT_ALL_TABLES = 22, "STRICT_ALL_TABLES";
    NO_ZERO_IN_DATE = 23, "NO_ZERO_IN_DATE";
    NO_ZERO_DATE = 24, "NO_ZERO_DATE";
    ALLOW_INVALID_DATES = 25, "ALLOW_INVALID_DATES";
    ERROR_FOR_DIVISION_BY_ZERO = 26, "ERROR_FOR_DIVISION_BY_ZERO";
    TRADITIONAL = 27, "TRADITIONAL";
    HIGH_NOT_PRECEDENCE = 29, "HIGH_NOT_PRECEDENCE";
    NO_ENGINE_SUBSTITUTION = 30, "NO_ENGINE_SUBSTITUTION";
    PAD_CHAR_TO_FULL_LENGTH = 31, "PAD_CHAR_TO_FULL_LENGTH";
    TIME_TRUNCATE_FRACTIONAL = 32, "TIME_TRUNCATE_FRACTIONAL";
}

impl Default for SqlMode {
    /// MySQL 8.0's default.
    fn default() -> Self {
        SqlMode::ONLY_FULL_GROUP_BY
            | SqlMode::STRICT_TRANS_TABLES
            | SqlMode::NO_ZERO_IN_DATE
            | SqlMode::NO_ZERO_DATE
            | SqlMode::ERROR_FOR_DIVISION_BY_ZERO
            | SqlMode::NO_ENGINE_SUBSTITUTION
    }
}

impl std::ops::BitOr for SqlMode {
    type Output = SqlMode;
    fn bitor(self, other: SqlMode) -> SqlMode {
        SqlMode(self.0 | other.0)
    }
}

impl SqlMode {
    pub const EMPTY: SqlMode = SqlMode(0);

    pub fn has(self, bits: SqlMode) -> bool {
        self.0 & bits.0 != 0
    }

    pub fn without(self, bits: SqlMode) -> SqlMode {
        SqlMode(self.0 & !bits.0)
    }

    /// What the lexer asks of it.
    pub fn of_lexer(self) -> weir_syntax::lex::SqlMode {
        weir_syntax::lex::SqlMode {
            ansi_quotes: self.has(SqlMode::ANSI_QUOTES),
            no_backslash_escapes: self.has(SqlMode::NO_BACKSLASH_ESCAPES),
            pipes_as_concat: self.has(SqlMode::PIPES_AS_CONCAT),
            ignore_space: self.has(SqlMode::IGNORE_SPACE),
            high_not_precedence: self.has(SqlMode::HIGH_NOT_PRECEDENCE),
            real_as_float: self.has(SqlMode::REAL_AS_FLOAT),
        }
    }

    pub fn strict(self) -> bool {
        self.has(SqlMode::STRICT_TRANS_TABLES | SqlMode::STRICT_ALL_TABLES)
    }

    /// From a comma list of names, as in `SET sql_mode`. 1231 names the first unknown one.
    pub fn parse(list: &str) -> Result<SqlMode, ValueError> {
        let mut mode = SqlMode::EMPTY;
        for name in list.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            let upper = name.to_ascii_uppercase();
            let Some(&(_, bit)) = NAMES.iter().find(|(n, _)| *n == upper) else {
                return Err(ValueError::of(errno::ER_WRONG_VALUE_FOR_VAR, &[&"sql_mode", &name]));
            };
            mode = mode | bit.expanded();
        }
        Ok(mode)
    }

    /// The combination modes bring others with them.
    fn expanded(self) -> SqlMode {
        if self == SqlMode::ANSI {
            self | SqlMode::REAL_AS_FLOAT
                | SqlMode::PIPES_AS_CONCAT
                | SqlMode::ANSI_QUOTES
                | SqlMode::IGNORE_SPACE
                | SqlMode::ONLY_FULL_GROUP_BY
        } else if self == SqlMode::TRADITIONAL {
            self | SqlMode::STRICT_TRANS_TABLES
                | SqlMode::STRICT_ALL_TABLES
                | SqlMode::NO_ZERO_IN_DATE
                | SqlMode::NO_ZERO_DATE
                | SqlMode::ERROR_FOR_DIVISION_BY_ZERO
                | SqlMode::NO_ENGINE_SUBSTITUTION
        } else {
            self
        }
    }
}

impl std::fmt::Display for SqlMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = NAMES.iter().filter(|(_, m)| self.has(*m)).map(|(n, _)| *n).collect();
        f.write_str(&names.join(","))
    }
}

/// What information functions ask the session.
pub trait SessionInfo: Sync {
    fn database(&self) -> Option<String>;
    /// The name and host the client came with: `root@localhost`.
    fn user(&self) -> String;
    /// The account that it was matched to: `root@%`.
    fn current_user(&self) -> String;
    /// The active roles, as CURRENT_ROLE() gives them.
    fn current_role(&self) -> String {
        "NONE".into()
    }
    /// The state of the branch of a distributed transaction that the session works on.
    fn branch(&self) -> Option<&'static str> {
        None
    }
    /// A stored program begins that runs with the rights of this account and these active roles, or with those of anyone who runs it.
    fn enter_account(&self, _definer: Option<(String, String)>) {}
    /// The innermost stored program has ended.
    fn leave_account(&self) {}
    fn connection_id(&self) -> u64;
    fn last_insert_id(&self) -> u64;
    /// The value that SET insert_id gave to the next AUTO_INCREMENT, once; 0: none.
    fn take_insert_id(&self) -> u64 {
        0
    }
    /// SET insert_id: what [`SessionInfo::take_insert_id`] gives.
    fn set_insert_id(&self, _id: u64) {}
    /// LAST_INSERT_ID(expr) sets what the next LAST_INSERT_ID() gives.
    fn set_last_insert_id(&self, id: u64);
    /// A statement inside of the one at hand has ended: rows it changed, and the AUTO_INCREMENT value it generated first, if any.
    fn statement_inside(&self, _affected: i64, _generated: u64) {}
    /// What LAST_INSERT_ID() gives from here on.
    fn set_generated_id(&self, _id: u64) {}
    fn row_count(&self) -> i64;
    fn found_rows(&self) -> u64;
    /// RELEASE_LOCK: whether the lock was this session's; `None`: nobody has it. 3057 for a name that is not one.
    fn release_lock(&self, _name: Option<&str>) -> Result<Option<bool>, ValueError> {
        Ok(None)
    }
    /// RELEASE_ALL_LOCKS: how often this session had taken locks.
    fn release_all_locks(&self) -> u64 {
        0
    }
    /// The session that has a lock of GET_LOCK.
    fn lock_owner(&self, _name: Option<&str>) -> Result<Option<u64>, ValueError> {
        Ok(None)
    }
    fn version(&self) -> String;
    /// The text of an attribute that the client has sent with the statement.
    fn query_attribute(&self, _name: &[u8]) -> Option<Vec<u8>> {
        None
    }
    /// A number that no other call gives (UUID_SHORT).
    fn short_uuid(&self) -> u64 {
        self.random()
    }
    /// A connection of this number is there.
    fn is_connected(&self, _id: u64) -> bool {
        false
    }
    /// The clock now (SYSDATE), microseconds since 1970 UTC.
    fn clock_micros(&self) -> i64;
    /// A fresh random number (UUID, RAND without a seed).
    fn random(&self) -> u64;
    /// Fills `out` from a source that nobody can guess (RANDOM_BYTES). 1220 where there is none.
    fn fill_random(&self, out: &mut [u8]) -> Result<(), ValueError> {
        for piece in out.chunks_mut(8) {
            piece.copy_from_slice(&self.random().to_le_bytes()[..piece.len()]);
        }
        Ok(())
    }
    /// What the coordinates of geometries with this SRID mean.
    fn reference_system(&self, srid: u32) -> Option<Arc<Srs>> {
        Srs::built_in(srid)
    }
    /// The error that the statement must end with now: killed (1317), or out of time (3024).
    fn stopped(&self) -> Option<ValueError> {
        None
    }
    /// Whose account the statement's memory goes to.
    fn memory(&self) -> Account<'_> {
        None
    }
}

/// A session that knows nothing: constant folding and tests.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSession;

impl SessionInfo for NoSession {
    fn database(&self) -> Option<String> {
        None
    }
    fn user(&self) -> String {
        String::new()
    }
    fn current_user(&self) -> String {
        String::new()
    }
    fn connection_id(&self) -> u64 {
        0
    }
    fn last_insert_id(&self) -> u64 {
        0
    }
    fn set_last_insert_id(&self, _: u64) {}
    fn row_count(&self) -> i64 {
        -1
    }
    fn found_rows(&self) -> u64 {
        0
    }
    fn version(&self) -> String {
        "8.0.36".into()
    }
    fn clock_micros(&self) -> i64 {
        0
    }
    fn random(&self) -> u64 {
        0x9E37_79B9_7F4A_7C15
    }
}

/// Surroundings of an evaluation. One for each statement; functions and operators write warnings into it.
pub struct EvalCtx<'s> {
    pub warnings: Warnings,
    pub mode: SqlMode,
    pub tz: TimeZone,
    /// Statement time, microseconds since 1970 UTC.
    pub now_micros: i64,
    /// `div_precision_increment`.
    pub div_increment: u8,
    /// `collation_connection`: what literals and numbers turned to text have.
    pub collation: Collation,
    pub default_week_format: u8,
    /// `block_encryption_mode`: its place among the names that the variable has.
    pub encryption_mode: u8,
    /// `lc_time_names`: the number of the language of months and days.
    pub locale: u8,
    /// `max_allowed_packet`: longer results of string functions are NULL with a warning.
    pub max_packet: usize,
    pub group_concat_max_len: usize,
    pub session: &'s dyn SessionInfo,
    /// Division by zero raises an error instead of NULL: strict mode inside INSERT/UPDATE/DELETE.
    pub strict_dml: bool,
    /// Generators of RAND(seed), one for each call in the statement.
    pub rand: Vec<(i64, RandState)>,
    /// Large values of functions while they are arguments of others.
    pub large: Held,
    /// Trees of values that a function reads; given back when it has ended.
    pub trees: Held,
    /// The result that a function is making; given back when it has ended, for anyone who gets the result charges it.
    pub result: Held,
    /// Work done since the last look whether the statement must end, in bytes that functions read and wrote.
    work: usize,
    /// The last pattern of REGEXP, compiled.
    pub regex: Option<std::sync::Arc<dyn std::any::Any + Send + Sync>>,
}

/// MySQL's linear generator behind RAND(seed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandState {
    a: u64,
    b: u64,
}

impl RandState {
    const MODULUS: u64 = 0x3FFF_FFFF;

    pub fn new(seed: u32) -> Self {
        let first = seed.wrapping_mul(0x10001).wrapping_add(55_555_555);
        let second = seed.wrapping_mul(0x1000_0001);
        RandState { a: u64::from(first) % Self::MODULUS, b: u64::from(second) % Self::MODULUS }
    }

    /// The next number in [0, 1).
    pub fn next_f64(&mut self) -> f64 {
        self.a = (self.a * 3 + self.b) % Self::MODULUS;
        self.b = (self.a + self.b + 33) % Self::MODULUS;
        self.a as f64 / Self::MODULUS as f64
    }
}

impl<'s> EvalCtx<'s> {
    /// 3548 for a spatial reference system that is not there.
    pub fn reference_system(&self, srid: u32) -> Result<Arc<Srs>, ValueError> {
        self.session.reference_system(srid).ok_or_else(|| Srs::not_found(srid))
    }

    pub fn new(session: &'s dyn SessionInfo) -> Self {
        EvalCtx {
            warnings: Warnings::default(),
            mode: SqlMode::default(),
            tz: TimeZone::SYSTEM,
            now_micros: 0,
            div_increment: 4,
            collation: Collation::Utf8mb4GeneralCi,
            default_week_format: 0,
            encryption_mode: 0,
            locale: 0,
            max_packet: 64 << 20,
            group_concat_max_len: 1024,
            session,
            strict_dml: false,
            rand: Vec::new(),
            large: Held::default(),
            trees: Held::default(),
            result: Held::default(),
            work: 0,
            regex: None,
        }
    }

    /// Notes `bytes` of work of a function. After each [`look::EVERY`] of them the statement ends here if it is to end: what
    /// evaluates for long never comes to a place where it could be interrupted from outside.
    pub fn work(&mut self, bytes: usize) -> Result<(), ValueError> {
        self.work = self.work.saturating_add(bytes);
        if self.work < look::EVERY {
            return Ok(());
        }
        self.work = 0;
        self.session.stopped().map_or(Ok(()), Err)
    }

    /// What a parser makes of a long text, unless the statement ends meanwhile.
    pub fn looking<T>(&self, read: impl FnOnce(&mut Look<'_>) -> T) -> Result<T, ValueError> {
        let mut look = Look::new(Some(self.session));
        let made = read(&mut look);
        look.end(made)
    }

    /// Charges `bytes` of trees that the function has while it runs: 4081 or 4082 beyond a limit.
    pub fn hold_tree(&mut self, bytes: usize) -> Result<(), ValueError> {
        Ok(self.trees.grow(self.session.memory(), bytes)?)
    }

    /// Runs what needs a tree of so many bytes, which is gone when it returns: 4081 or 4082 beyond a limit.
    pub fn with_tree<T>(
        &self,
        bytes: usize,
        run: impl FnOnce() -> Result<T, ValueError>,
    ) -> Result<T, ValueError> {
        let mut tree = Held::default();
        self.hold(&mut tree, bytes)?;
        run()
    }

    /// Charges a function's result of `bytes` before it is made: 4081 or 4082 beyond a limit. Asked again for a longer one, it
    /// charges what is new.
    pub fn reserve(&mut self, bytes: usize) -> Result<(), ValueError> {
        let more = bytes.saturating_sub(self.result.bytes());
        if bytes < LARGE || more == 0 {
            return Ok(());
        }
        Ok(self.result.grow(self.session.memory(), more)?)
    }

    /// Charges `bytes` more to what `held` keeps: 4081 or 4082 beyond a limit.
    pub fn hold(&self, held: &mut Held, bytes: usize) -> Result<(), ValueError> {
        Ok(held.grow(self.session.memory(), bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes() {
        let mode = SqlMode::parse("strict_trans_tables, ANSI_QUOTES").expect("known");
        assert!(mode.strict() && mode.has(SqlMode::ANSI_QUOTES));
        assert_eq!(mode.to_string(), "ANSI_QUOTES,STRICT_TRANS_TABLES");
        assert_eq!(SqlMode::parse("NOPE").expect_err("unknown").errno, 1231);
        assert_eq!(
            SqlMode::default().to_string(),
            "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,\
             ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
        );
    }
}
