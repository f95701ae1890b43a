//! Values of key parts that are expressions. What goes wrong with one is reported for its index, with MySQL's own numbers: nobody knows the
//! hidden column that keeps the value.

use crate::ddl::functional;
use crate::errno;
use crate::meta::SqlColumn;
use crate::query::eval::Ev;
use crate::query::plan::outcome::{Run, RunError};
use crate::value::{DatumBuf, ValueError};

/// Makes the value of a hidden column by `make`, and tells its errors and warnings as its index's.
pub fn make(
    column: &SqlColumn,
    (strict, row): (bool, u64),
    ev: &mut Ev<'_>,
    make: impl FnOnce(&mut Ev<'_>) -> Run<DatumBuf>,
) -> Run<DatumBuf> {
    let index = functional::index_of(&column.name);
    let outer = std::mem::take(&mut ev.cx.warnings);
    let made = make(ev);
    let own = std::mem::replace(&mut ev.cx.warnings, outer);
    for w in own.list() {
        match told(w.code, &w.message, index, row) {
            Some(e) if strict => return Err(e.into()),
            Some(e) => ev.cx.warnings.warn(e.errno, || e.message),
            None => ev.cx.warnings.push(w.level, w.code, || w.message.clone()),
        }
    }
    made.map_err(|e| match e {
        RunError::Sql(e) => {
            told(e.errno, &e.message, index, row).map_or(RunError::Sql(e), RunError::from)
        }
        other => other,
    })
}

/// What MySQL says of an index for what it says of a column. `given`: what was said; of an array that is too long how much it is too long.
fn told(code: u16, given: &str, index: &str, row: u64) -> Option<ValueError> {
    let (errno, text) = match code {
        errno::ER_DATA_TOO_LONG => (
            errno::ER_FUNCTIONAL_INDEX_DATA_IS_TOO_LONG,
            format!("Data too long for functional index '{index}'."),
        ),
        errno::ER_WARN_DATA_OUT_OF_RANGE => {
            let text = format!("Value is out of range for functional index '{index}' at row {row}");
            (errno::ER_WARN_DATA_OUT_OF_RANGE_FUNCTIONAL_INDEX, text)
        }
        errno::ER_WARN_DATA_TRUNCATED | errno::ER_TRUNCATED_WRONG_VALUE => {
            let text = format!("Data truncated for functional index '{index}' at row {row}");
            (errno::ER_WARN_DATA_TRUNCATED_FUNCTIONAL_INDEX, text)
        }
        errno::ER_INVALID_JSON_VALUE_FOR_CAST => {
            let text = format!("Invalid JSON value for CAST for functional index '{index}'.");
            (errno::ER_INVALID_JSON_VALUE_FOR_FUNC_INDEX, text)
        }
        errno::ER_NUMERIC_JSON_VALUE_OUT_OF_RANGE => {
            let text = format!("Out of range JSON value for CAST for functional index '{index}'.");
            (errno::ER_JSON_VALUE_OUT_OF_RANGE_FOR_FUNC_INDEX, text)
        }
        errno::ER_EXCEEDED_MV_KEYS_NUM => {
            let text = format!(
                "Exceeded max number of values per record for multi-valued index '{index}' by {given} value(s)."
            );
            (errno::ER_EXCEEDED_MV_KEYS_NUM, text)
        }
        errno::ER_EXCEEDED_MV_KEYS_SPACE => {
            let text = format!(
                "Exceeded max total length of values per record for multi-valued index '{index}' by {given} bytes."
            );
            (errno::ER_EXCEEDED_MV_KEYS_SPACE, text)
        }
        errno::ER_WRONG_MVI_VALUE => {
            let text = format!(
                "Cannot store an array or an object in a scalar key part of the index '{index}'."
            );
            (errno::ER_WRONG_MVI_VALUE, text)
        }
        _ => return None,
    };
    Some(ValueError::new(errno, text))
}
