//! Errors and warnings of value work, in MySQL's numbers and wording.

use super::Charset;
use super::types::coercibility;
use crate::errno;
use std::fmt;

/// An error with MySQL's number and text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    pub errno: u16,
    pub message: String,
}

impl ValueError {
    pub fn new(errno: u16, message: impl Into<String>) -> Self {
        ValueError { errno, message: message.into() }
    }

    /// An error of MySQL's list with the arguments of its text.
    pub fn of(errno: u16, args: &[&dyn fmt::Display]) -> Self {
        Self::new(errno, errno::message(errno, args))
    }

    /// 1690: `what` is BIGINT, BIGINT UNSIGNED, DECIMAL or DOUBLE.
    pub fn out_of_range(what: &str, expression: &str) -> Self {
        Self::of(errno::ER_DATA_OUT_OF_RANGE, &[&what, &expression])
    }

    pub fn column_out_of_range(column: &str, row: u64) -> Self {
        Self::of(errno::ER_WARN_DATA_OUT_OF_RANGE, &[&column, &row])
    }

    pub fn too_long(column: &str, row: u64) -> Self {
        Self::of(errno::ER_DATA_TOO_LONG, &[&column, &row])
    }

    pub fn data_truncated(column: &str, row: u64) -> Self {
        Self::of(errno::ER_WARN_DATA_TRUNCATED, &[&column, &row])
    }

    /// 1366: `kind` is integer, decimal, double, string.
    pub fn incorrect_value(kind: &str, value: &str, column: &str, row: u64) -> Self {
        Self::of(errno::ER_TRUNCATED_WRONG_VALUE_FOR_FIELD, &[&kind, &value, &column, &row])
    }

    /// 1292 for a temporal column: `kind` is date, time, datetime.
    pub fn incorrect_temporal(kind: &str, value: &str, column: &str, row: u64) -> Self {
        let text = format!("Incorrect {kind} value: '{value}' for column '{column}' at row {row}");
        Self::new(errno::ER_TRUNCATED_WRONG_VALUE, text)
    }

    pub fn truncated_wrong(kind: &str, value: &str) -> Self {
        Self::new(errno::ER_TRUNCATED_WRONG_VALUE, truncated_text(kind, value))
    }

    pub fn bad_null(column: &str) -> Self {
        Self::of(errno::ER_BAD_NULL_ERROR, &[&column])
    }

    pub fn division_by_zero() -> Self {
        Self::of(errno::ER_DIVISION_BY_ZERO, &[])
    }

    pub fn wrong_parameter_count(function: &str) -> Self {
        Self::of(errno::ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT, &[&function])
    }

    pub fn wrong_arguments(function: &str) -> Self {
        Self::of(errno::ER_WRONG_ARGUMENTS, &[&function])
    }

    pub fn not_supported(what: &str) -> Self {
        Self::of(errno::ER_NOT_SUPPORTED_YET, &[&what])
    }

    /// 1416.
    pub fn no_geometry() -> Self {
        Self::of(errno::ER_CANT_CREATE_GEOMETRY_OBJECT, &[])
    }

    /// 3055.
    pub fn big_endian() -> Self {
        Self::of(errno::ER_GIS_DATA_WRONG_ENDIANESS, &[])
    }

    /// 3643.
    pub fn wrong_srid(column: &str, found: u32, wanted: u32) -> Self {
        let text = format!(
            "The SRID of the geometry does not match the SRID of the column '{column}'. The SRID of \
             the geometry is {found}, but the SRID of the column is {wanted}. Consider changing the \
             SRID of the geometry or the SRID property of the column."
        );
        Self::new(errno::ER_WRONG_SRID_FOR_COLUMN, text)
    }

    pub fn unknown_time_zone(name: &str) -> Self {
        Self::of(errno::ER_UNKNOWN_TIME_ZONE, &[&name])
    }

    /// 1267: two collations with equal claims.
    pub fn illegal_mix(a: &str, b: &str, claim: &str, operation: &str) -> Self {
        Self::of(errno::ER_CANT_AGGREGATE_2COLLATIONS, &[&a, &claim, &b, &claim, &operation])
    }

    /// 1267: two collations and their claims.
    pub fn illegal_mix_of(a: (&str, u8), b: (&str, u8), operation: &str) -> Self {
        let named = |(c, claim): (&str, u8)| format!("({c},{})", coercibility::name(claim));
        let (a, b) = (named(a), named(b));
        let text = format!("Illegal mix of collations {a} and {b} for operation '{operation}'");
        Self::new(errno::ER_CANT_AGGREGATE_2COLLATIONS, text)
    }

    /// 1267, 1270 or 1271: the collations and claims of so many.
    pub fn illegal_mix_of_all(all: &[(&str, u8)], operation: &str) -> Self {
        let named = |(c, claim): &(&str, u8)| format!("({c},{})", coercibility::name(*claim));
        match all {
            [a, b] => Self::illegal_mix_of(*a, *b, operation),
            [a, b, c] => {
                let (a, b, c) = (named(a), named(b), named(c));
                let what = format!("{a}, {b}, {c} for operation '{operation}'");
                Self::new(
                    errno::ER_CANT_AGGREGATE_3COLLATIONS,
                    format!("Illegal mix of collations {what}"),
                )
            }
            _ => Self::of(errno::ER_CANT_AGGREGATE_NCOLLATIONS, &[&operation]),
        }
    }
}

impl ValueError {
    /// 3854: a text has characters that the set which it is wanted in has not.
    pub fn cannot_convert(text: &[u8], from: Charset, to: Charset) -> Self {
        let dots = if text.len() > 6 { "..." } else { "" };
        let shown = shown_bytes(&text[..text.len().min(6)]);
        let what = format!("'{shown}{dots}' from {} to {}", from.name(), to.name());
        Self::new(errno::ER_CANNOT_CONVERT_STRING, format!("Cannot convert string {what}"))
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERROR {}: {}", self.errno, self.message)
    }
}

impl std::error::Error for ValueError {}

/// Most bytes of a bad value that a message repeats (MySQL cuts at 128 characters).
const SHOWN: usize = 128;

pub(crate) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().take(SHOWN).collect()
}

/// Bytes without a character set: what cannot be printed is `\xNN`.
pub(crate) fn shown_bytes(bytes: &[u8]) -> String {
    let one = |b: &u8| match b {
        b' '..=b'~' => char::from(*b).to_string(),
        _ => format!("\\x{b:02X}"),
    };
    bytes.iter().take(SHOWN).map(one).collect()
}

fn truncated_text(kind: &str, value: &str) -> String {
    format!("Truncated incorrect {kind} value: '{value}'")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Note,
    Warning,
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub level: Level,
    pub code: u16,
    pub message: String,
    /// What SIGNAL said beyond the number and the text.
    pub said: Option<Box<Said>>,
}

/// A condition's state where it is not the number's own, and its other items (`CLASS_ORIGIN` and so on) by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    pub state: [u8; 5],
    pub items: Vec<(&'static str, String)>,
}

/// Warnings that the memory is kept for from one statement to the next.
const SPARE: usize = 64;

/// The statement's warnings: all are counted, the first `limit` kept.
#[derive(Debug, Clone)]
pub struct Warnings {
    list: Vec<Warning>,
    total: u64,
    limit: usize,
    /// Errors that `keep` left out.
    unseen: u64,
    /// The first of those in [`STRICT`].
    strict: Option<Warning>,
    /// Nothing is said of texts that are no numbers: of a column of TEXT or BLOB, MySQL makes a number without a word.
    pub quiet: bool,
    /// `sql_notes` is off: notes are not kept, and do not count.
    pub unnoted: bool,
}

/// Warnings of an evaluation that end a statement that changes rows in a strict mode: of the list under "Strict SQL Mode" in the
/// manual of MySQL 8.0 those that functions raise. What storing a value raises is an error from the beginning.
const STRICT: &[u16] = &[1260, 1264, 1292, 1301, 1411, 1441, 3020, 3155, 3156];

impl Default for Warnings {
    fn default() -> Self {
        Warnings {
            list: Vec::new(),
            total: 0,
            limit: 1024,
            unseen: 0,
            strict: None,
            quiet: false,
            unnoted: false,
        }
    }
}

impl Warnings {
    pub fn with_limit(limit: usize) -> Self {
        Warnings { limit, ..Self::default() }
    }

    /// Keeps as many as the session's `max_error_count` says, if they are more. Where they are fewer, the statement's end leaves
    /// the others out: until then handlers and RESIGNAL look at them.
    pub fn make_room(&mut self, wanted: usize) {
        self.limit = self.limit.max(wanted);
    }

    /// What the kept ones take in memory.
    pub fn bytes(&self) -> usize {
        let texts = self.list.iter().map(|w| w.message.len()).sum::<usize>();
        self.list.capacity() * size_of::<Warning>() + texts
    }

    /// Keeps the first ones; all stay counted.
    pub fn keep(&mut self, wanted: usize) {
        if self.list.len() > wanted {
            let errors = self.errors();
            self.list.truncate(wanted);
            self.list.shrink_to_fit();
            self.unseen = errors - self.errors();
        }
    }

    pub fn errors(&self) -> u64 {
        self.unseen + self.list.iter().filter(|w| w.level == Level::Error).count() as u64
    }

    pub fn push(&mut self, level: Level, code: u16, message: impl FnOnce() -> String) {
        if self.unnoted && level == Level::Note {
            return;
        }
        self.total += 1;
        let first = level == Level::Warning && STRICT.contains(&code) && self.strict.is_none();
        if !first && self.list.len() >= self.limit {
            return;
        }
        let w = Warning { level, code, message: message(), said: None };
        if first {
            self.strict = Some(w.clone());
        }
        if self.list.len() < self.limit {
            self.list.push(w);
        }
    }

    /// There is one that a strict mode does not let pass.
    pub fn has_strict(&self) -> bool {
        self.strict.is_some()
    }

    /// What [`Warnings::strict_error`] would give is kept by somebody else for a while.
    pub fn set_strict_aside(&mut self) -> Option<Warning> {
        self.strict.take()
    }

    pub fn put_strict_back(&mut self, strict: Option<Warning>) {
        self.strict = strict;
    }

    /// The first warning that a strict mode does not let pass, as the error that it becomes. It is no warning any more.
    pub fn strict_error(&mut self) -> Option<ValueError> {
        let w = self.strict.take()?;
        if let Some(at) = self.list.iter().position(|x| *x == w) {
            self.list.remove(at);
        }
        self.total -= 1;
        Some(ValueError::new(w.code, w.message))
    }

    /// Takes the condition that came last away.
    pub fn take_last(&mut self) {
        if self.list.pop().is_some() {
            self.total -= 1;
        }
    }

    /// Takes the conditions that came first away.
    pub fn forget_first(&mut self, count: usize) {
        self.total -= self.list.drain(..count).count() as u64;
    }

    /// Adds a condition as it is.
    pub fn add(&mut self, w: Warning) {
        if self.unnoted && w.level == Level::Note {
            return;
        }
        self.total += 1;
        if self.list.len() < self.limit {
            self.list.push(w);
        }
    }

    pub fn warn(&mut self, code: u16, message: impl FnOnce() -> String) {
        self.push(Level::Warning, code, message);
    }

    pub fn note(&mut self, code: u16, message: impl FnOnce() -> String) {
        self.push(Level::Note, code, message);
    }

    /// An error that IGNORE or a lax mode turns into a warning.
    pub fn demote(&mut self, error: ValueError) {
        self.push(Level::Warning, error.errno, || error.message);
    }

    /// 1292 "Truncated incorrect DOUBLE value: 'x'".
    pub fn truncated(&mut self, kind: &str, value: &[u8]) {
        self.warn(errno::ER_TRUNCATED_WRONG_VALUE, || truncated_text(kind, &shown(value)));
    }

    /// The same, where a text is no number.
    pub fn no_number(&mut self, kind: &str, value: &[u8]) {
        if !self.quiet {
            self.truncated(kind, value);
        }
    }

    /// 1292 "Incorrect datetime value: 'x'".
    pub fn incorrect(&mut self, kind: &str, value: &[u8]) {
        self.warn(errno::ER_TRUNCATED_WRONG_VALUE, || {
            format!("Incorrect {kind} value: '{}'", shown(value))
        });
    }

    /// Adds what somebody else has raised. Whether a strict mode lets it pass was theirs to decide: an INSERT IGNORE in a trigger
    /// warns, whatever the statement that fired it.
    pub fn absorb(&mut self, other: Warnings) {
        if other.total == 0 {
            return;
        }
        if self.total == 0 && self.unnoted == other.unnoted {
            let limit = self.limit.max(other.limit);
            *self = Warnings { strict: None, limit, ..other };
            return;
        }
        other.list.into_iter().for_each(|w| self.add(w));
    }

    /// Takes back the error that was added last, if it is this one.
    pub fn forget_error(&mut self, code: u16, message: &str) {
        let is = |w: &Warning| w.level == Level::Error && w.code == code && w.message == message;
        if self.list.last().is_some_and(is) {
            self.list.pop();
            self.total -= 1;
        }
    }

    pub fn list(&self) -> &[Warning] {
        &self.list
    }

    /// All warnings raised, the ones not kept included.
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.list.shrink_to(SPARE);
        (self.total, self.unseen) = (0, 0);
        self.strict = None;
    }
}
