//! What storing values in columns depends on, and its complaints: errors in a strict mode, warnings in others.

use super::SessionInfo;
use super::Value;
use super::context::SqlMode;
use super::error::{ValueError, Warnings, shown};
use super::zone::TimeZone;
use crate::errno;

/// Surroundings of storing one value.
pub struct StoreCtx<'c> {
    /// Name for messages.
    pub column: &'c str,
    /// Its table, for the messages that name it.
    pub table: Option<&'c str>,
    /// Row number of the statement, from 1.
    pub row: u64,
    /// Bad values are errors; else they are adjusted with a warning (lax sql_mode, or IGNORE).
    pub strict: bool,
    pub mode: SqlMode,
    pub tz: TimeZone,
    /// Statement time: a TIME stored as a date gets its day.
    pub now_micros: i64,
    pub warnings: &'c mut Warnings,
    /// Whose statement it is, where that can be ended meanwhile.
    pub session: Option<&'c dyn SessionInfo>,
}

impl StoreCtx<'_> {
    /// An error where strict, else a warning.
    pub(super) fn complain(&mut self, error: ValueError) -> Result<(), ValueError> {
        if self.strict {
            return Err(error);
        }
        self.warnings.demote(error);
        Ok(())
    }

    pub(super) fn out_of_range(&mut self) -> Result<(), ValueError> {
        self.complain(ValueError::column_out_of_range(self.column, self.row))
    }

    pub(super) fn truncated(&mut self) -> Result<(), ValueError> {
        self.complain(ValueError::data_truncated(self.column, self.row))
    }

    pub(super) fn note_truncated(&mut self) {
        let note = ValueError::data_truncated(self.column, self.row);
        self.warnings.note(note.errno, || note.message);
    }

    pub(super) fn incorrect(&mut self, kind: &str, b: &[u8]) -> Result<(), ValueError> {
        self.complain(ValueError::incorrect_value(kind, &shown(b), self.column, self.row))
    }

    /// 1299: no clock of the session's time zone shows this time.
    pub(super) fn skipped_by_clocks(&mut self) {
        let (column, row) = (self.column, self.row);
        self.warnings.warn(errno::ER_WARN_INVALID_TIMESTAMP, || {
            format!("Invalid TIMESTAMP value in column '{column}' at row {row}")
        });
    }

    /// A value that is no date or time: an error that shows it where strict, else 1265.
    pub(super) fn unreadable_temporal(
        &mut self,
        kind: &str,
        v: &Value<'_>,
    ) -> Result<(), ValueError> {
        match self.strict {
            true => Err(self.incorrect_temporal(kind, v)),
            false if matches!(v, Value::Json(_)) => {
                self.warnings.demote(self.incorrect_temporal(kind, v));
                Ok(())
            }
            false => self.truncated(),
        }
    }

    /// A date or time that the column cannot have: an error that shows it where strict, else 1264.
    pub(super) fn impossible_temporal(
        &mut self,
        kind: &str,
        v: &Value<'_>,
    ) -> Result<(), ValueError> {
        match self.strict {
            true => Err(self.incorrect_temporal(kind, v)),
            false => self.out_of_range(),
        }
    }

    /// Part of a date and time is left out: a note, which shows the value where strict.
    pub(super) fn note_part_of_temporal(&mut self, kind: &str, v: &Value<'_>) {
        if !self.strict {
            return self.note_truncated();
        }
        let note = self.incorrect_temporal(kind, v);
        self.warnings.note(note.errno, || note.message);
    }

    /// 1292, and 3156 for a JSON value.
    fn incorrect_temporal(&self, kind: &str, v: &Value<'_>) -> ValueError {
        if matches!(v, Value::Json(_)) {
            let (to, column, row) = (json_target(kind), self.column, self.row);
            return ValueError::of(
                errno::ER_INVALID_JSON_VALUE_FOR_CAST,
                &[&"", &to, &column, &row],
            );
        }
        let text = shown(&v.to_bytes().unwrap_or_default());
        ValueError::incorrect_temporal(kind, &text, self.column, self.row)
    }
}

/// What errors about JSON values call a type of dates and times.
fn json_target(kind: &str) -> &'static str {
    match kind {
        "date" => "DATE",
        "time" => "TIME",
        _ => "DATETIME/TIMESTAMP",
    }
}
