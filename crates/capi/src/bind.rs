//! Parameters. They are numbered from 1, as in sqlite3. An unsafe module.

use crate::code;
use crate::handle::{bytes_of, guarded, handle, misuse, str_of};
use crate::statement::StatementHandle;
use database::{Date, DateTime, Decimal, Error, Time, Value};
use std::ffi::{c_char, c_int};

/// `weir_time`: a day, a time, or both, as the function says.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct TimeParts {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub negative: u8,
    pub minute: u8,
    pub second: u8,
    pub hour: u32,
    pub microsecond: u32,
}

/// Puts a parameter in its place.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized.
unsafe fn bind(
    stmt: *mut StatementHandle,
    index: c_int,
    value: impl FnOnce() -> Result<Value, Error>,
) -> c_int {
    guarded(code::OTHER, || {
        // SAFETY: the caller says so.
        let Some(s) = (unsafe { handle(stmt) }) else { return code::MISUSE };
        s.call(|s| {
            let count = s.values.len();
            let at = usize::try_from(index).ok().and_then(|n| n.checked_sub(1));
            let place = at.and_then(|at| s.values.get_mut(at));
            let no =
                || misuse(&format!("there is no parameter {index}: the statement has {count}"));
            *place.ok_or_else(no)? = value()?;
            Ok(code::OK)
        })
    })
}

macro_rules! bind_plain {
    ($($name:ident($($arg:ident: $ty:ty),*) => $value:expr;)*) => {$(
        /// # Safety
        /// `stmt` is null or a statement that is not finalized.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(stmt: *mut StatementHandle, index: c_int $(, $arg: $ty)*) -> c_int {
            // SAFETY: the caller says so.
            unsafe { bind(stmt, index, || $value) }
        }
    )*};
}

bind_plain! {
    weir_bind_null() => Ok(Value::Null);
    weir_bind_int64(value: i64) => Ok(Value::Int(value));
    weir_bind_uint64(value: u64) => Ok(Value::UInt(value));
    weir_bind_double(value: f64) => Ok(Value::Double(value));
}

macro_rules! bind_text {
    ($($name:ident: |$text:ident| $value:expr;)*) => {$(
        /// The text is copied.
        ///
        /// # Safety
        /// `stmt` is null or a statement that is not finalized; `text` is null, or points to `len` bytes, or to a text that ends in NUL where
        /// `len` is negative.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            stmt: *mut StatementHandle,
            index: c_int,
            text: *const c_char,
            len: isize,
        ) -> c_int {
            let value = || {
                // SAFETY: the caller says so.
                let $text = unsafe { str_of(text, len) };
                let $text = $text.ok_or_else(|| misuse("a text that is bound is UTF-8"))?;
                $value
            };
            // SAFETY: the caller says so.
            unsafe { bind(stmt, index, value) }
        }
    )*};
}

bind_text! {
    weir_bind_text: |t| Ok(Value::Text(t.to_owned()));
    weir_bind_json: |t| Ok(Value::Json(t.to_owned()));
    weir_bind_decimal: |t| match t.parse::<Decimal>() {
        Ok(d) => Ok(Value::Decimal(d)),
        Err(e) => Err(misuse(&e.to_string())),
    };
}

/// The bytes are copied.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized; `bytes` is null or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_bind_blob(
    stmt: *mut StatementHandle,
    index: c_int,
    bytes: *const u8,
    len: usize,
) -> c_int {
    let value = || {
        // SAFETY: the caller says so.
        let bytes = unsafe { bytes_of(bytes, len) };
        bytes.map(|b| Value::Bytes(b.to_vec())).ok_or_else(|| misuse("there are no such bytes"))
    };
    // SAFETY: the caller says so.
    unsafe { bind(stmt, index, value) }
}

macro_rules! bind_time {
    ($($name:ident: |$t:ident| $value:expr;)*) => {$(
        /// # Safety
        /// `stmt` is null or a statement that is not finalized; `value` is null or points to a `weir_time`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            stmt: *mut StatementHandle,
            index: c_int,
            value: *const TimeParts,
        ) -> c_int {
            let value = || {
                // SAFETY: the caller says so.
                let $t = unsafe { value.as_ref() }.ok_or_else(|| misuse("there is no weir_time"))?;
                $value
            };
            // SAFETY: the caller says so.
            unsafe { bind(stmt, index, value) }
        }
    )*};
}

fn date_of(t: &TimeParts) -> Date {
    Date { year: t.year, month: t.month, day: t.day }
}

bind_time! {
    weir_bind_date: |t| Ok(Value::Date(date_of(t)));
    weir_bind_datetime: |t| {
        let hour = u8::try_from(t.hour).map_err(|_| misuse("a day has 24 hours"))?;
        let (minute, second, micros) = (t.minute, t.second, t.microsecond);
        Ok(Value::DateTime(DateTime { date: date_of(t), hour, minute, second, micros }))
    };
    weir_bind_time: |t| Ok(Value::Time(Time {
        negative: t.negative != 0,
        hours: t.hour,
        minutes: t.minute,
        seconds: t.second,
        micros: t.microsecond,
    }));
}
