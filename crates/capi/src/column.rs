//! Values of rows. Columns are numbered from 0, as in sqlite3. An unsafe module.

use crate::bind::TimeParts;
use crate::code;
use crate::handle::{guarded, handle};
use crate::statement::StatementHandle;
use database::{ColumnType, Value};
use std::ffi::{CString, c_char, c_int};

/// Texts that C has pointers to, by column.
#[derive(Default)]
pub struct Shown(Vec<Option<CString>>);

impl Shown {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The text of a column, made at the first call. What comes after a NUL within it is reached by `weir_column_blob`.
    fn get(&mut self, at: usize, make: impl FnOnce() -> Vec<u8>) -> *const c_char {
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        let place = &mut self.0[at];
        place.get_or_insert_with(|| until_nul(make())).as_ptr()
    }
}

fn until_nul(mut bytes: Vec<u8>) -> CString {
    if let Some(nul) = bytes.iter().position(|b| *b == 0) {
        bytes.truncate(nul);
    }
    CString::new(bytes).unwrap_or_default()
}

/// The types of values in C, `WEIR_NULL` and so on.
fn kind_of(v: &Value) -> c_int {
    match v {
        Value::Int(_) => 1,
        Value::UInt(_) => 2,
        Value::Float(_) | Value::Double(_) => 3,
        Value::Decimal(_) => 4,
        Value::Text(_) => 5,
        Value::Bytes(_) => 6,
        Value::Json(_) => 7,
        Value::Date(_) => 8,
        Value::Time(_) => 9,
        Value::DateTime(_) => 10,
        _ => 0,
    }
}

fn kind_of_column(t: ColumnType) -> c_int {
    match t {
        ColumnType::Int => 1,
        ColumnType::UInt => 2,
        ColumnType::Float | ColumnType::Double => 3,
        ColumnType::Decimal => 4,
        ColumnType::Text => 5,
        ColumnType::Bytes => 6,
        ColumnType::Json => 7,
        ColumnType::Date => 8,
        ColumnType::Time => 9,
        ColumnType::DateTime => 10,
        _ => 0,
    }
}

/// A number as another kind of number, cut at the ends of its range: as sqlite3, and no error.
fn whole(v: &Value) -> i128 {
    match v {
        Value::Int(n) => (*n).into(),
        Value::UInt(n) => (*n).into(),
        Value::Float(x) => *x as i128,
        Value::Double(x) => *x as i128,
        Value::Decimal(d) => d.to_i128().unwrap_or(d.to_f64() as i128),
        Value::Text(t) | Value::Json(t) => t.trim().parse().unwrap_or(0),
        _ => 0,
    }
}

fn real(v: &Value) -> f64 {
    match v {
        Value::Int(n) => *n as f64,
        Value::UInt(n) => *n as f64,
        Value::Float(x) => (*x).into(),
        Value::Double(x) => *x,
        Value::Decimal(d) => d.to_f64(),
        Value::Text(t) | Value::Json(t) => t.trim().parse().unwrap_or(0.0),
        _ => 0.0,
    }
}

fn bytes(v: &Value) -> Vec<u8> {
    match v {
        Value::Bytes(b) => b.clone(),
        other => other.to_string().into_bytes(),
    }
}

fn parts(v: &Value) -> Option<TimeParts> {
    let none = TimeParts::default();
    Some(match v {
        Value::Date(d) => TimeParts { year: d.year, month: d.month, day: d.day, ..none },
        Value::DateTime(t) => TimeParts {
            year: t.date.year,
            month: t.date.month,
            day: t.date.day,
            hour: t.hour.into(),
            minute: t.minute,
            second: t.second,
            microsecond: t.micros,
            ..none
        },
        Value::Time(t) => TimeParts {
            negative: t.negative.into(),
            hour: t.hours,
            minute: t.minutes,
            second: t.seconds,
            microsecond: t.micros,
            ..none
        },
        _ => return None,
    })
}

/// Looks at a value of the current row. `None`: there is no row, or no such column.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized.
unsafe fn look<T>(
    stmt: *mut StatementHandle,
    column: c_int,
    f: impl FnOnce(&Value) -> T,
) -> Option<T> {
    // SAFETY: the caller says so.
    let s = unsafe { handle(stmt) }?;
    let at = usize::try_from(column).ok()?;
    s.values_of_row().get(at).map(f)
}

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident -> $ty:ty, $or:expr, $f:expr;)*) => {$(
        $(#[$doc])*
        /// # Safety
        /// `stmt` is null or a statement that is not finalized.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(stmt: *mut StatementHandle, column: c_int) -> $ty {
            // SAFETY: the caller says so.
            guarded($or, || unsafe { look(stmt, column, $f) }.unwrap_or($or))
        }
    )*};
}

columns! {
    /// What kind of value it is.
    weir_column_type -> c_int, 0, kind_of;
    /// As a whole number.
    weir_column_int64 -> i64, 0, |v| whole(v).clamp(i64::MIN.into(), i64::MAX.into()) as i64;
    /// As a whole number without a sign.
    weir_column_uint64 -> u64, 0, |v| whole(v).clamp(0, u64::MAX.into()) as u64;
    /// As a double.
    weir_column_double -> f64, 0.0, real;
    /// How many bytes `weir_column_blob` gives.
    weir_column_bytes -> usize, 0, |v| match v {
        Value::Null => 0,
        Value::Bytes(b) => b.len(),
        Value::Text(t) | Value::Json(t) => t.len(),
        other => other.to_string().len(),
    };
}

/// The value as a text that ends in NUL; null for NULL.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized. The text lasts until the statement is stepped, reset or finalized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_column_text(
    stmt: *mut StatementHandle,
    column: c_int,
) -> *const c_char {
    guarded(std::ptr::null(), || {
        // SAFETY: the caller says so.
        let text = unsafe { look(stmt, column, |v| (!v.is_null()).then(|| bytes(v))) }.flatten();
        let (Some(text), Ok(at)) = (text, usize::try_from(column)) else { return std::ptr::null() };
        // SAFETY: the caller says so.
        unsafe { handle(stmt) }.map_or(std::ptr::null(), |s| s.shown.get(at, || text))
    })
}

/// The bytes of the value, `weir_column_bytes` of them; null for NULL and where there are none. Numbers and times are shown as texts.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized. The bytes last until the statement is stepped, reset or finalized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_column_blob(stmt: *mut StatementHandle, column: c_int) -> *const u8 {
    let of_row = |v: &Value| match v {
        Value::Bytes(b) if !b.is_empty() => Some(b.as_ptr()),
        Value::Text(t) | Value::Json(t) if !t.is_empty() => Some(t.as_ptr()),
        Value::Null | Value::Bytes(_) | Value::Text(_) | Value::Json(_) => Some(std::ptr::null()),
        _ => None,
    };
    guarded(std::ptr::null(), || {
        // SAFETY: the caller says so. The row stays where it is until the next step.
        match unsafe { look(stmt, column, of_row) } {
            None => std::ptr::null(),
            Some(Some(of_row)) => of_row,
            // SAFETY: the caller says so.
            Some(None) => unsafe { weir_column_text(stmt, column) }.cast(),
        }
    })
}

/// The parts of a date, a time or both. Another value is `WEIR_DATA`, and `out` stays as it is.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized; `out` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_column_time(
    stmt: *mut StatementHandle,
    column: c_int,
    out: *mut TimeParts,
) -> c_int {
    guarded(code::OTHER, || {
        if out.is_null() {
            return code::MISUSE;
        }
        // SAFETY: the caller says so.
        match unsafe { look(stmt, column, parts) } {
            None => code::MISUSE,
            Some(None) => code::DATA,
            Some(Some(found)) => {
                // SAFETY: `out` is not null, and the caller says that it may be written. C programs compare such structures byte by byte, and an
                // assignment of the whole would leave what stands between its fields as it happens to be.
                unsafe {
                    std::ptr::write_bytes(out, 0, 1);
                    let TimeParts { year, month, day, negative, minute, second, hour, microsecond } =
                        found;
                    (*out).year = year;
                    ((*out).month, (*out).day, (*out).negative) = (month, day, negative);
                    ((*out).minute, (*out).second) = (minute, second);
                    ((*out).hour, (*out).microsecond) = (hour, microsecond);
                }
                code::OK
            }
        }
    })
}

/// The name of a column, or its alias; null where there is none. Columns are known behind the first step.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized. The name lasts until the result ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_column_name(
    stmt: *mut StatementHandle,
    column: c_int,
) -> *const c_char {
    guarded(std::ptr::null(), || {
        // SAFETY: the caller says so.
        let Some(s) = (unsafe { handle(stmt) }) else { return std::ptr::null() };
        let at = usize::try_from(column).unwrap_or(usize::MAX);
        let name = s.columns().get(at).map(|c| c.name().as_bytes().to_vec());
        name.map_or(std::ptr::null(), |name| s.names.get(at, || name))
    })
}

/// What the values of a column are, apart from NULLs.
///
/// # Safety
/// `stmt` is null or a statement that is not finalized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_column_declared(stmt: *mut StatementHandle, column: c_int) -> c_int {
    guarded(0, || {
        // SAFETY: the caller says so.
        let Some(s) = (unsafe { handle(stmt) }) else { return 0 };
        let at = usize::try_from(column).unwrap_or(usize::MAX);
        s.columns().get(at).map_or(0, |c| kind_of_column(c.column_type()))
    })
}
